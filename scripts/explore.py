#!/usr/bin/env python3
"""Explores our tracker piece by piece for scripts/explore, and prints the table of all that was run.

Usage: explore.py LAB ROWS COMMIT PIECE...

A piece is CONDITION/ACTORS/DEPTH. Each runs in a process of its own, so that its time and its greatest
memory are its own, and is entered in ROWS, a file of JSON lines; the newest of a piece counts. The table
of all of ROWS goes to the standard output.
"""

import json
import os
import subprocess
import sys
import tempfile


def run(lab, piece, commit):
    """Runs one piece and answers its row."""
    condition, actors, depth = piece.split("/")
    with tempfile.TemporaryDirectory() as folder:
        words = ["explore", "--system", "tracker", "--conditions", condition, "--actors", actors]
        words += ["--depth", depth, "--states", "10000000", "--jobs", "1", "--json", "--output", folder]
        with open(os.path.join(folder, "cards.json"), "w+") as cards:
            child = subprocess.Popen([lab, *words], stdout=cards)
            _, status, usage = os.wait4(child.pid, 0)
            if os.waitstatus_to_exitcode(status) not in (0, 1, 2):
                sys.exit(f"explore.py: {piece} could not be explored; see above.")
            cards.seek(0)
            card = json.load(cards)["systems"][0]
    explored = card["conditions"][0]["explored"][0]
    results = [cell["result"] for cell in card["cells"]]
    return {
        "piece": piece,
        "commit": commit,
        "depth": explored["depth"],
        "plans": int(explored["plans"]),
        "states": explored["states"],
        "holds": results.count("holds"),
        "breaks": results.count("breaks"),
        "unknown": results.count("unknown"),
        "seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / 1024,
    }


def table(rows):
    """The rows as Markdown, two actors first."""
    lines = [
        "| condition | actors | depth | plans | states | holds | breaks | unknown | CPU s | MB | commit |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        condition, actors, wanted = row["piece"].split("/")
        depth = wanted if int(wanted) == row["depth"] else f"{row['depth']} of {wanted}"
        lines.append(
            f"| {condition} | {actors} | {depth} | {row['plans']:,} | {row['states']:,} "
            f"| {row['holds']} | {row['breaks']} | {row['unknown']} | {row['seconds']:.1f} "
            f"| {row['megabytes']:.0f} | {row['commit']} |"
        )
    plans, states = (sum(row[key] for row in rows) for key in ("plans", "states"))
    seconds = sum(row["seconds"] for row in rows)
    lines.append(f"| all | | | {plans:,} | {states:,} | | | | {seconds:.1f} | | |")
    return "\n".join(lines)


def main():
    lab, path, commit, *pieces = sys.argv[1:]
    for piece in pieces:
        row = run(lab, piece, commit)
        with open(path, "a") as kept:
            kept.write(json.dumps(row) + "\n")
        print(f"{piece}: {row['states']:,} states, {row['seconds']:.1f} s", file=sys.stderr)
    newest = {}
    if os.path.exists(path):
        with open(path) as kept:
            for line in kept:
                row = json.loads(line)
                newest[row["piece"]] = row
    def order(row):
        condition, actors, depth = row["piece"].split("/")
        return int(actors), int(depth), row["states"]
    print(table(sorted(newest.values(), key=order)))


main()
