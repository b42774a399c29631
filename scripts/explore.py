#!/usr/bin/env python3
"""Explores our tracker piece by piece for scripts/explore, and keeps the table of all that was run.

Usage: explore.py LAB TABLE HEAD COMMIT PIECE...

A piece is CONDITION/ACTORS/DEPTH. Each runs in a process of its own, so that its time and its greatest
memory are its own. TABLE, a Markdown file, is read, and written again after each piece with HEAD above
its rows: what was run before stays until it is run again. Exits with 1
when a row has a break, and with 70 when a piece cannot be explored.
"""

import json
import os
import subprocess
import sys
import tempfile

COLUMNS = "condition actors depth plans states holds breaks unknown seconds megabytes commit".split()
TITLES = [{"seconds": "CPU s", "megabytes": "MB"}.get(column, column) for column in COLUMNS]
WORDS = ("condition", "depth", "commit")


def end(code, what):
    """Ends the program with a sentence."""
    print(f"explore.py: {what}", file=sys.stderr)
    sys.exit(code)


def run(lab, piece, commit):
    """Runs one piece and answers its row."""
    condition, actors, wanted = piece.split("/")
    with tempfile.TemporaryDirectory() as folder:
        words = ["explore", "--system", "tracker", "--conditions", condition, "--actors", actors]
        words += ["--depth", wanted, "--states", "10000000", "--jobs", "1", "--json", "--output", folder]
        with open(os.path.join(folder, "cards.json"), "w+") as cards:
            child = subprocess.Popen([lab, *words], stdout=cards)
            _, status, usage = os.wait4(child.pid, 0)
            if os.waitstatus_to_exitcode(status) not in (0, 1, 2):
                end(70, f"{piece} could not be explored; see above.")
            cards.seek(0)
            card = json.load(cards)["systems"][0]
    explored = card["conditions"][0]["explored"][0]
    reached = explored["depth"]
    results = [cell["result"] for cell in card["cells"]]
    return {
        "condition": condition,
        "actors": int(actors),
        "depth": wanted if int(wanted) == reached else f"{reached} of {wanted}",
        "plans": int(explored["plans"]),
        "states": explored["states"],
        "holds": results.count("holds"),
        "breaks": results.count("breaks"),
        "unknown": results.count("unknown"),
        "seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
        "commit": commit,
    }


def name(row):
    """What distinguishes a row from the others."""
    return row["condition"], int(row["actors"]), depth(row)


def depth(row):
    """The depth that was wanted, where a row also names another that was reached."""
    return int(row["depth"].split()[-1])


def read(path):
    """The rows of a table that was written before."""
    if not os.path.exists(path):
        return {}
    rows = {}
    with open(path) as table:
        for line in table:
            fields = [field.strip() for field in line.strip().strip("|").split("|")]
            if len(fields) != len(COLUMNS) or not fields[1].isdigit():
                continue
            row = {
                column: text if column in WORDS else float(text.replace(",", ""))
                for column, text in zip(COLUMNS, fields)
            }
            rows[name(row)] = row
    return rows


def table(rows):
    """The rows as Markdown, two actors first, then by their states."""
    lines = [f"| {' | '.join(TITLES)} |", "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|"]
    for row in sorted(rows, key=lambda row: (row["actors"], depth(row), row["states"])):
        lines.append(
            f"| {row['condition']} | {row['actors']:.0f} | {row['depth']} | {row['plans']:,.0f} "
            f"| {row['states']:,.0f} | {row['holds']:.0f} | {row['breaks']:.0f} | {row['unknown']:.0f} "
            f"| {row['seconds']:,.1f} | {row['megabytes']:.0f} | {row['commit']} |"
        )
    plans, states, seconds = (sum(row[key] for row in rows) for key in ("plans", "states", "seconds"))
    lines.append(f"| all | | | {plans:,.0f} | {states:,.0f} | | | | {seconds:,.1f} | | |")
    return "\n".join(lines)


def write(path, head, rows):
    """Puts a table in the place of the one before, whole or not at all."""
    with open(path + ".new", "w") as new:
        new.write(f"{head}\n\n{table(rows)}\n")
    os.replace(path + ".new", path)


def main():
    lab, path, head, commit, *pieces = sys.argv[1:]
    for piece in pieces:
        row = run(lab, piece, commit)
        rows = read(path)
        rows[name(row)] = row
        write(path, head, rows.values())
        print(f"{piece}: {row['states']:,} states, {row['seconds']:.1f} s", file=sys.stderr)
    if broken := [row for row in read(path).values() if row["breaks"]]:
        names = ", ".join("/".join(map(str, name(row))) for row in broken)
        end(1, f"something broke: {names}; see {path}.")


main()
