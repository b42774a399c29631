"""The page of the keys that plans and traces accept, read from the declarations that refuse all others.

The lists are those of Sources/Traces: `CommandWord.own` and `EventWord.own`, the named lists `...Keys`, and
the lists given to `allow`. Every key must be explained in Formats.md.
"""

import re

LIST = re.compile(r"(?:static let (\w*[kK]eys)\b[^=\n]*=|\.allow\()\s*\[([^\]]*)\]")
OWN = re.compile(r"private var own: \[String\] \{(.*?)\n  \}", re.S)
CASE = re.compile(r"case ([^:]*):\s*(\[[^\]]*\]|\w+\.keys)")
WORDS = re.compile(r'"(\w+)"')


def declared(traces):
    """The named lists of keys, and all keys with the file that accepts them."""
    named, keys = {}, {}
    for path in sorted(traces.glob("*.swift")):
        for found in LIST.finditer(path.read_text()):
            words = WORDS.findall(found[2])
            if found[1]:
                named[found[1]] = words
            for word in words:
                keys.setdefault(word, path.name)
    return named, keys


def of_type(name, traces):
    """The list `keys` of a type."""
    for path in sorted(traces.glob("*.swift")):
        if found := re.search(rf"extension {name} \{{[^}}]*static let keys = \[([^\]]*)\]", path.read_text()):
            return WORDS.findall(found[1])
    raise ValueError(f"Sources/Traces has no `static let keys` of {name} any more; adapt site_formats.py.")


def words(path, name):
    """The keys of each word of commands or of events, in the order of their declaration in an enum."""
    text = path.read_text()
    text = text[text.find(f"enum {name}:"):].split("\n}\n")[0]
    own = OWN.search(text)
    if not own:
        raise ValueError(f"{path.name} has no {name} with `private var own: [String]` any more; adapt site_formats.py.")
    found = {}
    for case in CASE.finditer(own[1]):
        keys = WORDS.findall(case[2]) if case[2].startswith("[") else of_type(case[2][:-len(".keys")], path.parent)
        for word in re.findall(r"\.(\w+)", case[1]):
            found[word] = keys
    order = re.findall(r"^  case (\w+)$", text, re.M)
    if not found or set(order) != set(found):
        raise ValueError(f"{path.name} declares its words in another form than site_formats.py reads.")
    shared = WORDS.findall(re.search(r"var keys: \[String\] \{ own \+ (\[[^\]]*\])", text)[1])
    return {word: found[word] for word in order}, shared


def table(head, rows):
    lines = [f"| {head} | its own keys |", "| --- | --- |"]
    lines += [f"| `{word}` | {', '.join(f'`{key}`' for key in keys) or '-'} |" for word, keys in rows.items()]
    return "\n".join(lines) + "\n"


def make(folder, traces):
    """Writes the page; raises ValueError for a key that Formats.md does not explain."""
    named, keys = declared(traces)
    commands, command_keys = words(traces / "Command.swift", "CommandWord")
    events, event_keys = words(traces / "Event.swift", "EventWord")
    for group, file in ((commands, "Command.swift"), (events, "Event.swift")):
        for some in group.values():
            for key in some:
                keys.setdefault(key, file)
    formats = (traces / "Traces.docc/Formats.md").read_text()
    unknown = [f"`{key}` ({file})" for key, file in sorted(keys.items()) if f"`{key}`" not in formats and f'"{key}"' not in formats]
    unknown += [f"the command `{word}`" for word in commands if f"`{word}`" not in formats and f'"{word}"' not in formats]
    unknown += [f"the event `{word}`" for word in events if f"`{word}`" not in formats and f'"{word}"' not in formats]
    if unknown:
        raise ValueError(f"Formats.md does not explain {', '.join(unknown)}.")

    def listed(some):
        return ", ".join(f"`{key}`" for key in some)

    (folder / "Keys.md").write_text(f"""# Keys of plans and traces

The keys that each command and each event accepts, from the declarations that refuse all others.

<doc:Formats> explains them.

## Commands

Each command also accepts {listed(command_keys)}.

{table("`do`", commands)}
## Events

Each event also accepts {listed(event_keys)}.

{table("`event`", events)}
## The header of a plan

{listed(named["headerKeys"])}. An actor: {listed(named["actorKeys"])}.
""")
