"""Keeps the page of a night and its figures, two files that need no others: `night.py NIGHT FOLDER`.

NIGHT is a folder that scripts/nightly has written. FOLDER gets `night.html` and, when the night ran the
benchmarks, `night.csv`: one row for each benchmark, contender, size and metric.

The page of a night links to the files of its runs. In the copy a link to a counterexample leads to its
section of the same page, the command that replays its file becomes the `check` that finds it again, and
links to other files are left out. Exit code 70 if NIGHT lacks something that its page needs.
"""

import csv
import json
import pathlib
import re
import shlex
import sys

COLUMNS = "bench peer size metric unit n p50 ci_lo ci_hi ratio_to ratio ratio_lo ratio_hi not_measured".split()

LINK = re.compile(r'<a href="([^"#:]+)">(.*?)</a>')
LINK_ALONE = re.compile(rf"<p>{LINK.pattern}</p>")
COUNTEREXAMPLE = re.compile(r"([^/\s]+)/counterexample-([^/\s]+)\.(?:html|jsonl)")
REPLAY = re.compile(r"<code>([^<]*?) replay ([^<]*)</code>")
RESOURCE = re.compile(r'(?:href|src)="(?!#|data:|https?:)([^"]*)"')


def fail(what):
    """Ends the program with a sentence."""
    print(f"night.py: {what}", file=sys.stderr)
    sys.exit(70)


def read(path):
    """The text of a file of the night."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        fail(f"{path} cannot be read: {error.strerror}.")


def figures(source, target):
    """Writes the medians of a run's results.csv, with their intervals and ratios."""
    with open(source, newline="") as results, open(target, "w", newline="") as kept:
        writer = csv.DictWriter(kept, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(csv.DictReader(results))


def check_command(night, run):
    """The words after `history-lab` that make a run of the night again."""
    records = list(night.glob(f"**/{run}/run.json"))
    if len(records) != 1:
        fail(f"the page names the run {run}, and {night} holds {len(records)} of them.")
    words = json.loads(read(records[0]))["commandLine"][1:]
    while "--output" in words:
        at = words.index("--output")
        del words[at : at + 2]
    return shlex.join(words)


def anchor(name):
    """The id that a page gives to the section of a counterexample."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def alone(night, page, has_figures):
    """The page with no link to another file but night.csv."""

    def section(link):
        found = COUNTEREXAMPLE.search(link[1])
        place = anchor(found[2]) if found else ""
        return f'<a href="#{place}">{link[2]}</a>' if f'id="{place}"' in page else link[2]

    def line(link):
        is_figures = has_figures and link[1].endswith("/results.csv")
        return f'<p><a href="night.csv">{link[2]}</a></p>' if is_figures else ""

    def again(command):
        found = COUNTEREXAMPLE.search(command[2])
        words = check_command(night, found[1]) if found else f"replay {command[2]}"
        return f"<code>{command[1]} {words}</code>"

    page = LINK_ALONE.sub(line, page)
    page = LINK.sub(lambda link: link[0] if link[1] == "night.csv" else section(link), page)
    page = REPLAY.sub(again, page).replace("results.csv", "night.csv")
    if left := sorted({name for name in RESOURCE.findall(page)} - {"night.csv"}):
        fail(f"the page still needs {', '.join(left)}.")
    return page


def main():
    night, folder = (pathlib.Path(argument) for argument in sys.argv[1:])
    results = sorted(night.glob("bench/*/results.csv"))
    page = alone(night, read(night / "index.html"), bool(results))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "night.csv").unlink(missing_ok=True)
    if results:
        figures(results[-1], folder / "night.csv")
    (folder / "night.html").write_text(page, encoding="utf-8")


main()
