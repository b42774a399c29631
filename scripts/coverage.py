"""The page of scripts/coverage: the lines of the product that plans reach, and reasons for the others."""

import argparse
import fnmatch
import pathlib
import re
import sys

DECLARATION = re.compile(r"\s*(?:@\w+\s+)*(?:[\w()]+\s+)*?(func|init|subscript|var|let|deinit)\b\s*`?([\w?]*)")


def measured(path, root):
    """Returns the counts of lines by file: {file: {line: count}}."""
    files, current = {}, None
    for line in path.read_text().splitlines():
        if line.startswith("SF:"):
            name = str(pathlib.Path(line[3:]).relative_to(root / "Sources"))
            current = files.setdefault(name, {})
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            current[int(number)] = int(count)
    return files


def place(lines, number):
    """Returns the name of the declaration that contains a line."""
    width = len(lines[number - 1]) - len(lines[number - 1].lstrip())
    for text in reversed(lines[:number]):
        indent = len(text) - len(text.lstrip())
        match = DECLARATION.match(text)
        if match and indent <= min(width, 4) and match[1] not in ("var", "let") or (
            match and indent <= 2 and text.rstrip().endswith("{")
        ):
            return match[2] or match[1]
    return "file"


def reasons(path):
    """Returns the entries (file pattern, declaration pattern, reason) of the list of reasons."""
    entries = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3 or not all(parts):
            sys.exit(f"{path}:{number}: an entry is FILE | DECLARATION | REASON, not: {line}")
        entries.append(tuple(parts))
    return entries


def main():
    parser = argparse.ArgumentParser()
    for name in ("lcov", "root", "reasons"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--plans", required=True)
    parser.add_argument("--seed", required=True)
    options = parser.parse_args()
    files = measured(options.lcov, options.root)
    rooms, missed = {}, {}
    for name, counts in files.items():
        lines = (options.root / "Sources" / name).read_text().splitlines()
        room = rooms.setdefault(name.split("/")[0], [0, 0])
        room[0] += len(counts)
        for number, count in sorted(counts.items()):
            if count:
                room[1] += 1
            else:
                missed.setdefault((name, place(lines, number)), []).append(number)
    entries, used = reasons(options.reasons), set()
    groups, open_places = {}, []
    for (name, declaration), numbers in sorted(missed.items()):
        for entry in entries:
            if fnmatch.fnmatchcase(name, entry[0]) and fnmatch.fnmatchcase(declaration, entry[1]):
                groups.setdefault(entry[2], []).append((name, declaration, numbers))
                used.add(entry)
                break
        else:
            open_places.append((name, declaration, numbers))
    for entry in entries:
        if entry not in used:
            print(f"Note: no line needs the reason {' | '.join(entry)}.")
    total = [sum(room[index] for room in rooms.values()) for index in (0, 1)]
    page = [
        "# Lines of the product that plans reach",
        "",
        f"`scripts/coverage --plans {options.plans} --seed {options.seed}` ran that many plans of `check` under every condition,",
        "30 of 100 with a test of stores on disk, without any unit test, and counted the lines of the five rooms that ran.",
        "",
        "| room | lines | run by plans | share |",
        "|---|---:|---:|---:|",
    ]
    for name, (lines, run) in rooms.items():
        page.append(f"| {name} | {lines} | {run} | {100 * run / lines:.1f} % |")
    page.append(f"| all | {total[0]} | {total[1]} | {100 * total[1] / total[0]:.1f} % |")
    print("\n".join(page[5:]))
    page += ["", "## Lines that no plan ran", ""]

    def rows(places):
        page.extend(["| file | declaration | lines |", "|---|---|---:|"])
        page.extend(f"| {name} | `{declaration}` | {len(numbers)} |" for name, declaration, numbers in places)
        page.append("")

    for reason, places in sorted(groups.items(), key=lambda group: -sum(len(p[2]) for p in group[1])):
        page += [f"### {reason}", ""]
        rows(places)
    left = sum(len(numbers) for _, _, numbers in open_places)
    if open_places:
        page += ["### No reason was given", ""]
        rows(open_places)
    print(f"Not run: {total[0] - total[1]} lines, {left} of them without a reason.")
    if options.page:
        options.page.write_text("\n".join(page).rstrip() + "\n")


main()
