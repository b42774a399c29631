"""Pages of the command's verbs and options, made from its own help.

The help is printed from the declarations that parse the command line, so that these pages cannot differ
from what the command accepts.
"""

import os
import re
import subprocess

HEADING = re.compile(r"^([A-Z][A-Za-z ]*):$")


class Help:
    """The help of the tool or of one verb, by section."""

    def __init__(self, lab, words):
        # Found on the PATH, the command prints itself by its bare name.
        path = f"{lab.parent.resolve()}:{os.environ.get('PATH', '')}"
        done = subprocess.run([lab.name, *words, "--help"], capture_output=True, text=True, check=True,
                              env={**os.environ, "PATH": path, "COLUMNS": "100", "NO_COLOR": "1"})
        first, *lines = done.stdout.splitlines()
        self.words = words
        self.name, _, self.sentence = first.partition(": ")
        self.sections, current = {}, None
        for line in lines:
            if heading := HEADING.match(line):
                current = self.sections.setdefault(heading[1], [])
            elif line.startswith("  ") and current is not None:
                current.append(line[2:])
            elif line:
                current = None
        if not self.sentence or "Usage" not in self.sections:
            raise ValueError(f"the help of \"{' '.join([self.name, *words])}\" has another form than site_options.py reads")

    def rows(self, section):
        """The two columns of a section, without the line breaks of the second."""
        rows = []
        for line in self.sections.get(section, []):
            if line.startswith(" "):
                rows[-1][1] = f"{rows[-1][1]} {line.strip()}".strip()
            else:
                name, _, sentence = line.partition("  ")
                rows.append([name, sentence.strip()])
        return rows

    def code(self, section):
        return "\n".join(self.sections.get(section, []))


def escaped(text):
    """A sentence as Markdown; options are code, so that their dashes stay."""
    text = re.sub(r"([*_<>|\[\]])", r"\\\1", text)
    return re.sub(r"(?<![\w`-])--[a-z][a-z-]*", r"`\g<0>`", text)


def code(text):
    return "`" + text.replace("|", r"\|") + "`"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "| --- | --- |"]
    lines += [f"| {code(row[0])} | {escaped(row[1])} |" for row in rows]
    return "\n".join(lines) + "\n"


def page_name(words):
    return "-".join(["history-lab", *words])


def verbs(lab, words=()):
    """The help of every verb that can be run or has verbs below it, outermost first."""
    help = Help(lab, list(words))
    yield help
    for row in help.rows("Verbs"):
        # The overview names the verbs below a verb in the same column.
        yield from verbs(lab, [*words, row[0].split()[0]])


def make(folder, lab):
    """Writes a page for each verb, one for all of them, and one of the names that options accept."""
    overview, *others = verbs(lab)
    for help in others:
        text = f"# history-lab {' '.join(help.words)}\n\n{escaped(help.sentence)}\n\n## Usage\n\n```\n{help.code('Usage')}\n```\n"
        if below := help.rows("Verbs"):
            text += "\n## Verbs\n\n| verb | what it does |\n| --- | --- |\n" + "".join(
                f"| <doc:{page_name([*help.words, row[0]])}> | {escaped(row[1])} |\n" for row in below)
        for section, head in (("Arguments", "argument"), ("Options", "option")):
            if rows := help.rows(section):
                text += f"\n## {section}\n\n" + table([head, "what it does"], rows)
        if examples := help.code("Examples"):
            text += f"\n## Examples\n\n```\n{examples}\n```\n"
        text += "\nExit codes are the same for all verbs: <doc:Options>.\n"
        (folder / f"{page_name(help.words)}.md").write_text(text)
    listed = "".join(f"- <doc:{page_name(help.words)}>\n" for help in others)
    (folder / "Options.md").write_text(
        "# Verbs and options\n\nEvery verb of `history-lab` with its arguments, options, defaults and examples.\n\n"
        "These pages are the command's own help, `history-lab VERB --help`.\n\n"
        f"## Options of the command itself\n\n{table(['option', 'what it does'], overview.rows('Options'))}\n"
        f"## Exit codes\n\n{table(['code', 'meaning'], overview.rows('Exit codes'))}\n"
        f"## Topics\n\n### Verbs\n\n{listed}")
    names = subprocess.run([lab, "list", "--markdown"], capture_output=True, text=True, check=True).stdout
    names = re.sub(r"^# .*\n+", "", names)
    (folder / "Names.md").write_text(
        "# Names that options accept\n\nSystems, checkers, conditions, faults and metrics, as `history-lab list` prints them.\n\n" + names)
