"""Compares the Swift code of the guides with the packages that compile it: `python3 scripts/guides.py`.

Each paragraph of a block of Swift in a page must stand, line for line, in one file of Tests/Examples; a
different indentation is allowed. The tutorial's steps that are run must equal a program of the package Guides.
Prints what differs; exit code 1 if something does.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "Tests/Examples"
PACKAGE = EXAMPLES / "Guides"
TUTORIAL = ROOT / "Sources/HistoryTracking/HistoryTracking.docc/Tutorial"
PAGES = ["README.md", "Sources/*/*.docc/*.md"]
# The first shows code of the lab's own rooms, which no package outside can import; NewcomerTests compiles it.
# The second describes a shim for Core Data, which cannot be compiled on Linux, and says so.
ELSEWHERE = ("YourFirstBug.md", "CoreDataShim.md")
# The programs of the package, and the steps of the tutorial that show them and what they print.
PROGRAMS = {"LostUpdate": "02-lose-4", "RefusedUpdate": "03-refuse-2", "MergedUpdate": "04-merge-2",
            "SafePurge": "05-purge-3"}
BLOCK = re.compile(r"^ *```swift\n(.*?)^ *```", re.M | re.S)
# Code of another library, which a page shows for comparison.
FOREIGN = "// PersistentHistoryTrackingKit 2"


def paragraphs(block):
    """The paragraphs of a block, each a list of lines without indentation."""
    return [[line.strip() for line in part.splitlines()] for part in re.split(r"\n\s*\n", block.strip("\n"))]


def contains(lines, wanted):
    return any(lines[at:at + len(wanted)] == wanted for at in range(len(lines) - len(wanted) + 1))


def faults():
    sources = {path: [line.strip() for line in path.read_text().splitlines()]
               for path in sorted(EXAMPLES.rglob("*.swift")) if ".build" not in path.parts}
    for page in sorted(path for pattern in PAGES for path in ROOT.glob(pattern)):
        if page.name in ELSEWHERE:
            continue
        text = page.read_text()
        for block in BLOCK.finditer(text):
            if block[1].startswith(FOREIGN):
                continue
            missing = min(([part for part in paragraphs(block[1]) if not contains(lines, part)]
                           for lines in sources.values()), key=len)
            if missing:
                line = text.count("\n", 0, block.start()) + 1
                yield (f"{page.relative_to(ROOT)}:{line}: this code is in no file of {EXAMPLES.relative_to(ROOT)}; "
                       f"what is missing begins with \"{missing[0][0]}\".")
    for program, step in PROGRAMS.items():
        shown, source = TUTORIAL / f"{step}.swift", PACKAGE / f"Sources/{program}/main.swift"
        if not shown.is_file() or shown.read_text() != source.read_text():
            yield f"{shown.relative_to(ROOT)} differs from {source.relative_to(ROOT)}. Copy the one that is right."


def main():
    found = list(faults())
    for sentence in found:
        print(sentence)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
