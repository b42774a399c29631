"""Pages of the published designs, made from their safety cards.

`make` reads Reports/reference/cards.md and repairs.md, the words about each design in PublishedDesigns.md, and what
`history-lab list` says, and writes one page for each design and a page that compares them.
"""

import re
import subprocess

import site_pictures

# How often a condition was seen, from the most to the least urgent.
KNOWN = ["observed", "documented", "hypothetical"]
INTRODUCTION = re.compile(r"^## (?:.*?)`([a-z0-9.-]+)`: (.*)$", re.M)
BREAK = re.compile(r"^- (\w+), (≤ )?(\d+): (.*)$", re.M)


class Break:
    """One invariant that a plan breaks under one condition."""

    def __init__(self, condition, found):
        self.condition, self.invariant, self.is_least = condition, found[1], not found[2]
        self.length = int(found[3])
        plan, self.because = re.split(r"\. (?=[A-Z#])", found[4], maxsplit=1)
        self.plan = plan.split(", ")


class Card:
    """The safety card of one system, as cards.md has it."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        stated = re.search(r"^Stated use: (.*)$", text, re.M)
        self.stated_use = stated[1] if stated else None
        cells, scopes = tables(text)[:2]
        self.invariants = cells[0][2:]
        self.rows = {row[0]: dict(zip(self.invariants, row[2:])) for row in cells[1:]}
        self.known = {row[0]: row[1] for row in cells[1:]}
        self.scopes = scopes[1:]
        self.breaks, self.outside = [], {}
        for section in re.split(r"^### ", text, flags=re.M)[1:]:
            condition = section.split("\n", 1)[0].split(" under ")[1]
            if outside := re.search(r"^Outside the stated use: (.*)\.$", section, re.M):
                self.outside[condition] = outside[1]
            self.breaks += [Break(condition, found) for found in BREAK.finditer(section)]
        unknown = re.search(r"^Unknown: (.*?)\. Try", text, re.M)
        self.unknown = unknown[1] if unknown else None

    def verdict(self, condition):
        """holds, breaks, unknown or - for a condition."""
        results = list(self.rows[condition].values())
        for kind in ("breaks", "unknown", "holds"):
            if any(result.startswith(kind) for result in results):
                return kind
        return "-"

    def within(self):
        """The breaks under conditions that the authors' stated use does not exclude."""
        return [one for one in self.breaks if one.condition not in self.outside]

    def telling(self, breaks):
        """For each broken invariant the most telling break, and the others.

        Conditions that were observed in real stores come first, then the shorter plan. Where signals drive
        the passes, most of what happens is not among the commands, so that such a plan comes last.
        """
        found = {}
        for invariant in self.invariants:
            of = [one for one in breaks if one.invariant == invariant]
            of.sort(key=lambda one: (one.condition == "lost-notification", KNOWN.index(self.known[one.condition]), one.length))
            if of:
                found[invariant] = of[0], sorted(of[1:], key=lambda one: list(self.rows).index(one.condition))
        return found


def tables(text):
    """The tables of a Markdown text, each a list of rows."""
    found, rows = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif rows:
            found.append([rows[0]] + rows[2:])
            rows = []
    return found


def table(head, rows, align=None):
    """A Markdown table."""
    lines = [head, align or ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def joined(words, mark="`"):
    words = [f"{mark}{word}{mark}" for word in words]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def entries(lab, kind):
    """The sentences of `history-lab list KIND`, by name."""
    listed = subprocess.run([lab, "list", kind, "--markdown"], capture_output=True, text=True, check=True).stdout
    return {row[0].strip("`"): row[1] for found in tables(listed) for row in found[1:]}


def read_cards(path):
    """What cards.md says of the run, of the invariants, and of each system."""
    head, *parts = re.split(r"^## ", path.read_text(), flags=re.M)
    overview = parts[0]
    invariants = dict(re.findall(r"^- (\w+): (.*)$", overview.split("The invariants:")[1], re.M))
    cards = {}
    for part in parts[1:]:
        name, text = part.split("\n", 1)
        cards[name] = Card(name, text)
    return " ".join(head.split("\n", 1)[1].split()), invariants, cards


def introductions(text):
    """Each design's title, description and advice, by name."""
    found = {}
    places = list(INTRODUCTION.finditer(text))
    for place, following in zip(places, [*places[1:], None]):
        body = text[place.end():following.start() if following else None]
        what, _, advice = body.partition("**What to do.**")
        found[place[1]] = (place[2].strip(), what.strip(), advice.strip())
    return found


def repairs(path):
    """What repairs.md says of each design, by name; empty without the file."""
    if not path.exists():
        return {}
    parts = re.split(r"^## ", path.read_text(), flags=re.M)[1:]
    return {name.strip(): text.strip() for name, text in (part.split("\n", 1) for part in parts)}


def make(folder, words, cards_path, lab):
    """Writes the pages of all designs into a catalogue; `words` is the text of PublishedDesigns.md."""
    repaired = repairs(cards_path.with_name("repairs.md"))
    provenance, invariants, cards = read_cards(cards_path)
    introduced = introductions(words)
    missing = [name for name in cards if name not in introduced]
    if missing:
        raise ValueError(f"PublishedDesigns.md has no section about {', '.join(missing)}; begin one with "
                         f"\"## `{missing[0]}`: TITLE\".")
    conditions = entries(lab, "conditions")
    for name, card in cards.items():
        page = Page(card, introduced[name], conditions, invariants, provenance, repaired.get(name, ""))
        (folder / f"{name}.md").write_text(page.text())
        for file, lanes, steps in page.pictures:
            for dark, ending in ((False, ".svg"), (True, "~dark.svg")):
                (folder / (file + ending)).write_text(site_pictures.picture(lanes, steps, dark))
    (folder / "Designs.md").write_text(overview_page(words, provenance, conditions, invariants, cards, introduced))


class Page:
    """The page of one design."""

    def __init__(self, card, introduction, conditions, invariants, provenance, repair):
        self.repair = repair
        self.card, self.conditions, self.invariants, self.provenance = card, conditions, invariants, provenance
        self.title, self.what, self.advice = introduction
        self.pictures = []

    def text(self):
        card = self.card
        within = card.telling(card.within())
        outside = [one for one in card.breaks if one.condition in card.outside]
        sections = [
            ("What it is", self.what + self.stated()),
            ("What was tested", self.tested()),
            ("Result", self.result()),
            ("What holds", self.holds()),
            ("What breaks", self.broken(within)),
            ("Outside its stated use", self.outside(outside)),
            ("What to do", self.advice),
            ("What it would take to make it safe", self.repaired()),
            ("What is not known", self.unknown()),
            ("See it again", self.again()),
        ]
        body = "\n".join(f"## {title}\n\n{text.strip()}\n" for title, text in sections if text.strip())
        return f"# {self.card.name}: {self.title}\n\n{self.summary(within, outside)}\n\n{body}"

    def summary(self, within, outside):
        if within:
            return (f"Breaks {joined(within, '')} within its authors' stated use." if self.card.stated_use
                    else f"Breaks {joined(within, '')}.")
        if outside:
            return "Keeps every invariant within its authors' stated use, and breaks outside of it."
        return "No plan that was run breaks an invariant."

    def stated(self):
        return f"\n\nIts authors' stated use: {self.card.stated_use}" if self.card.stated_use else ""

    def tested(self):
        ran = [row for row in self.card.scopes if row[4]]
        plans, states = (sum(int(row[column].replace(",", "")) for row in ran) for column in (4, 5))
        scopes = sorted({f"{row[2]} actors to {row[3]} commands" for row in ran})
        left = [row[0] for row in self.card.scopes if not row[4]]
        text = (f"Every plan up to a length was run on the design, under one condition at a time: {plans:,} plans through "
                f"{states:,} different states, with {joined(scopes, '')}. A plan is a sequence of writes, passes, purges, "
                "and what the condition adds; after its last command every process catches up, and the invariants are "
                "checked. [Every plan up to a length](/documentation/historylab/exploring) says which plans these are.\n")
        if left:
            text += f"\nNot applicable to this design, or not part of an exploration: {joined(sorted(set(left), key=left.index))}.\n"
        return text + f"\nFrom the safety cards of all designs. {self.provenance}\n"

    def result(self):
        words = {"holds": "holds", "unknown": "unknown", "-": "not exercised"}
        rows = []
        for condition in self.card.rows:
            verdict = self.card.verdict(condition)
            if verdict == "-":
                continue
            broken = [name for name, cell in self.card.rows[condition].items() if cell.startswith("breaks")]
            outside = " (outside the stated use)" if condition in self.card.outside else ""
            rows.append([f"`{condition}`", f"**breaks** {joined(broken, '')}{outside}" if verdict == "breaks" else words[verdict],
                         self.conditions.get(condition, ""), self.card.known[condition]])
        return (table(["condition", "result", "what happens", "known as"], rows)
                + "\n\"Observed\": seen in real stores. \"Documented\": reported by users or described by authors. "
                "\"Hypothetical\": neither so far.\n")

    def holds(self):
        good = [condition for condition in self.card.rows if self.card.verdict(condition) == "holds"]
        never = [name for name in self.card.invariants
                 if {cell.split()[0] for cell in (row[name] for row in self.card.rows.values())} <= {"holds", "unknown", "-"}
                 and any(row[name] == "holds" for row in self.card.rows.values())]
        text = f"Under {joined(good)} every invariant that a plan exercised holds.\n" if good else ""
        if never:
            text += "\nThese invariants were exercised, and no plan broke them:\n\n" + "".join(
                f"- term `{name}`: {self.invariants[name]}\n" for name in never)
        return text

    def broken(self, within):
        text = ""
        for invariant, (first, others) in within.items():
            file = f"{self.card.name}-{invariant}".lower().replace(".", "-")
            self.pictures.append((file, *drawn(first)))
            text += (f"### {invariant}\n\n{self.invariants[invariant]}\n\n"
                     f"Under `{first.condition}` ({self.card.known[first.condition]}) the shortest plan that breaks it has "
                     + counted(first.length) + ("" if first.is_least else "; not every shorter one was run")
                     + f":\n\n![{alternative(first)}]({file})\n\n{first.because}\n")
            text += f"\nAlso broken under {joined([f'`{one.condition}` (in {one.length})' for one in others], '')}.\n\n" if others else "\n"
        return text

    def outside(self, breaks):
        rows = []
        for condition, why in self.card.outside.items():
            of = sorted((one for one in breaks if one.condition == condition), key=lambda one: one.length)
            if of:
                rows.append([f"`{condition}`: {why}", joined([one.invariant for one in of], ""),
                             f"{', '.join(of[0].plan)}: {of[0].because}"])
        if not rows:
            return ""
        return ("Plans that do what the authors exclude, and what comes of it:\n\n"
                + table(["what is excluded", "breaks", "the shortest plan"], rows))

    def unknown(self):
        text = ("A result that holds says this: no plan of the lengths above breaks the invariant, and at least one exercised "
                "it. It says nothing of longer plans, of more processes, or of two conditions at once. The design was written "
                "again from its published source; the original code was not run.\n")
        if self.card.unknown:
            text += f"\nNot every plan was run: {self.card.unknown}.\n"
        return text

    def repaired(self):
        if not self.repair:
            return ""
        return (self.repair + "\n\nEvery change is needed: without it, the plan beside it breaks the design with all other "
                "changes of its set, or the design never purges. The search again:\n\n```\nhistory-lab repair --system " + self.card.name
                + " --stated-use\n```\n")

    def again(self):
        name, breaks = self.card.name, self.card.within() or self.card.breaks
        text = (f"```\nhistory-lab explore --system {name} --card\n")
        if breaks:
            text += f"history-lab explore --system {name} --conditions {min(breaks, key=lambda one: one.length).condition}\n"
        return text + f"history-lab check --system {name} --plans 2000 --seed 1\n```\n\nEach failure is drawn, and prints the " \
            "command that replays it: [Read a counterexample](/documentation/historylab/readingacounterexample).\n"


def counted(length):
    return f"{length} command" + ("" if length == 1 else "s")


def alternative(found):
    """What a picture shows, in words; brackets would end it."""
    return f"Plan: {', '.join(found.plan)}".replace("[", "(").replace("]", ")")


def drawn(found):
    """The lanes and steps of a plan's picture."""
    actors, steps = [], []
    for command in found.plan:
        actor, _, what = command.partition(" ")
        if actor == "clock":
            back = what.startswith("-")
            steps.append(site_pictures.Step("*", f"The clock {'steps back' if back else 'goes on'} by "
                                            + what[1:].replace(" d", " days").replace(" s", " seconds"), "all"))
            continue
        if actor not in actors:
            actors.append(actor)
        steps.append(site_pictures.Step(actor, what))
    for actor in re.findall(r"\b(app|widget|share|mirror)\b", found.because.lower()):
        if actor not in actors:
            actors.append(actor)
    order = ["app", "widget", "share", "mirror"]
    actors.sort(key=lambda actor: order.index(actor) if actor in order else len(order))
    steps.append(site_pictures.Step("*", f"{found.invariant} is broken", "bad"))
    return actors, steps


def overview_page(words, provenance, conditions, invariants, cards, introduced):
    """The page that compares all designs."""
    intro = re.split(r"^## ", words.split("\n", 1)[1], flags=re.M)[0].strip()
    rows = []
    for name, card in cards.items():
        of = {"holds": [], "breaks": [], "outside": [], "unknown": []}
        for condition in card.rows:
            verdict = card.verdict(condition)
            if verdict != "-":
                of["outside" if verdict == "breaks" and condition in card.outside else verdict].append(condition)
        rows.append([f"[{name}](doc:{name})", *(joined(some, "") if some else "-" for some in of.values())])
    head = ["design", "holds under", "breaks under", "breaks outside its stated use under", "unknown under"]
    published = [name for name in cards if name != "tracker"]
    return f"""# Published designs

@Metadata {{
  @TechnologyRoot
}}

{intro}

## What holds under what

{table(head, rows)}
One condition at a time was added to the plans. A design holds under a condition if every invariant that a plan exercised
holds; it breaks if one of the {len(invariants)} invariants is broken. "Outside its stated use": the design's authors exclude the
condition. "Unknown": not every plan was run, and none that was run broke an invariant.

{provenance}

## The conditions

{"".join(f"- term `{name}`: {sentence}{chr(10)}" for name, sentence in conditions.items())}
## The invariants

{"".join(f"- term `{name}`: {sentence}{chr(10)}" for name, sentence in invariants.items())}
## Topics

### Designs of others

{"".join(f"- <doc:{name}>{chr(10)}" for name in published)}
### The tracker of this project

- <doc:tracker>
"""
