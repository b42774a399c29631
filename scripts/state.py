"""Checks that every stored property of what an exploration restores and merges is in both, or has a reason.

A type that has `describe(_: StateSketch)` must name each of its stored properties there, and a type that has
a snapshot must name each in it. What it does not name is listed in scripts/state.txt with the reason.

Usage: python3 scripts/state.py            called by scripts/lint
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROOMS = ["Checkers", "HistoryLab/Explore", "HistorySystems", "HistoryTracking", "ObjectContexts",
         "Simulation", "Systems", "Workloads"]
WORDS = r"(?:(?:@\w+(?:\([^)]*\))?|package|public|private|fileprivate|internal|final|nonisolated|lazy|weak" \
        r"|unowned|mutating|override|(?:\w+)\((?:set|unsafe)\)) )*"
TYPE = re.compile(rf"^( *){WORDS}(struct|class|actor|enum|extension|protocol) ([\w.]+)")
PROPERTY = re.compile(rf"^ *{WORDS}(?:let|var) (\w+)(.*)$")
MEMBER = re.compile(rf"^ *{WORDS}(?:func (describe\w*|snapshot)\b|var (snapshot)\b)")


class Declared:
    """A type with its stored properties, and the text of its functions by name."""

    def __init__(self):
        self.kind, self.file, self.properties, self.functions = None, None, {}, {}


def is_computed(rest, following):
    """Whether a property has a getter and no stored value."""
    head, brace, _ = rest.partition("{")
    return bool(brace) and "=" not in head and not re.search(r"\b(didSet|willSet)\b", rest + following)


def read(path, types):
    """Adds the types of a file, whose members are indented by two spaces."""
    lines, scopes = path.read_text().splitlines(), []
    for number, line in enumerate(lines):
        text = line.strip()
        if not text or text.startswith("//"):
            continue
        depth = len(line) - len(line.lstrip())
        while scopes and depth <= scopes[-1][0]:
            scopes.pop()
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if found := TYPE.match(line):
            name = ".".join([scope[1] for scope in scopes[-1:]] + [found[3]])
            declared = types.setdefault(name, Declared())
            if found[2] != "extension":
                declared.kind, declared.file = found[2], path
            if not text.endswith("}"):
                scopes.append((depth, name))
        elif scopes and depth == scopes[-1][0] + 2:
            declared = types[scopes[-1][1]]
            found = PROPERTY.match(line)
            if found and " static " not in f" {text} " and not is_computed(found[2], following):
                declared.properties[found[1]] = (path, number + 1)
            if found := MEMBER.match(line):
                end = next((n for n in range(number + 1, len(lines)) if lines[n] == " " * depth + "}"), number)
                body = "\n".join(lines[number:(number if text.endswith("}") else end) + 1])
                kind = "digest" if (found[1] or "").startswith("describe") else "snapshot"
                if kind == "snapshot" or "StateSketch" in body:
                    declared.functions[kind] = declared.functions.get(kind, "") + body


def reasons():
    """The lines of scripts/state.txt: `Type.property PLACE reason`, PLACE being digest, snapshot or both.

    `Type.*` stands for all properties of a type.
    """
    listed = {}
    for number, line in enumerate((ROOT / "scripts/state.txt").read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split(None, 2)
        if len(words) != 3 or words[1] not in ("digest", "snapshot", "both"):
            sys.exit(f"scripts/state.txt:{number}: error: not `Type.property digest|snapshot|both reason`")
        for kind in ("digest", "snapshot") if words[1] == "both" else (words[1],):
            listed[words[0], kind] = number
    return listed


def main():
    types, faults = {}, []
    for room in ROOMS:
        for path in sorted((ROOT / "Sources" / room).rglob("*.swift")):
            read(path, types)
    listed, used, count = reasons(), set(), 0
    for name, declared in sorted(types.items()):
        if declared.kind not in ("struct", "class", "actor"):
            continue
        for kind, body in sorted(declared.functions.items()):
            for property, (path, number) in declared.properties.items():
                count += 1
                is_named = re.search(rf"\b{property}\b", body)
                reason = listed.pop((f"{name}.{property}", kind), None)
                if (f"{name}.*", kind) in listed:
                    used.add((f"{name}.*", kind))
                    continue
                where = f"{path.relative_to(ROOT)}:{number}: error: {name}.{property}"
                if not is_named and reason is None:
                    faults.append(f"{where} is not in the {kind}: add it there, or a reason to scripts/state.txt")
                if is_named and reason is not None:
                    faults.append(f"{where} is in the {kind}, and scripts/state.txt:{reason} says that it is not")
    faults += [f"scripts/state.txt:{number}: error: there is no {name} with a {kind}"
               for (name, kind), number in listed.items() if (name, kind) not in used]
    for fault in faults:
        print(fault)
    print(f"{count} places of stored properties looked at")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
