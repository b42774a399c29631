#!/usr/bin/env python3
"""Measures the lab itself for scripts/reference, and adds the results to the goals.

Usage: reference.py LAB GOALS.md GOALS.csv

Runs 3,000 plans of `check` and an exploration of every plan of two actors to depth 7 under `crash`, each in one
process on one processor. Adds a section to GOALS.md and a row for each measure to GOALS.csv. Exits with 1
when an invariant broke, and with 70 when a run failed.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile

CHECK = "check --system tracker --jobs 1 --plans 3000 --seed 1".split()
EXPLORE = "explore --system tracker --conditions crash --actors 2 --depth 7 --states 10000000 --jobs 1".split()

# The section before which the lab's is inserted.
NEXT = "## Every benchmark, at its largest history"

STEPS_MIN = 100_000
# Half of what the same exploration took at 35c6a85: 1,224 MB for 581,246 states.
BYTES_MAX = 1_224 * 2**20 / 581_246 / 2

WHY_STEPS = (
    "Of the time of a check, SQLite takes 24 %, the C library 15 % (mostly allocations), Swift's runtime and "
    "standard library 28 %, the lab and the store 30 %, of which the checkers are 11 % with what they call (`perf`). "
    "No function of ours takes 1 %. The goal was set when plans had no queries with checked answers, references, "
    "live queries, several stores or requests about stores on disk, and on a faster machine: 35326a7d ran 57,000 "
    "steps a second there and runs 33,400 here (2026-11-28). Today's lab runs the same plans with 25,450 and "
    "today's with 15,700. So richer plans cost 1.63 times the time. The same plans cost 1.31 times the time, 39.3 µs "
    "a step in place of 29.9: 3.9 µs more in allocations and reference counts, 1.9 in the store, the tracker and the "
    "contexts, 1.6 in SQLite, 1.0 in the checkers, and 1.0 in other rooms of the lab."
)


def measured(lab, words):
    """Runs the lab and answers its JSON, the greatest memory in bytes, and the processor seconds."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "result.json"), "w+", encoding="utf-8") as result:
            child = subprocess.Popen([lab, *words, "--json", "--output", folder], stdout=result)
            _, status, usage = os.wait4(child.pid, 0)
            code = os.waitstatus_to_exitcode(status)
            if code not in (0, 2):
                print(f"reference.py: {' '.join(words)} ended with {code}; see above.", file=sys.stderr)
                sys.exit(1 if code == 1 else 70)
            result.seek(0)
            return json.load(result), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def measures(lab):
    """Answers the rows: measure, figure, unit, limit, whether a greater figure is better, command, reason."""
    checked, _, _ = measured(lab, CHECK)
    checked = checked["systems"][0]
    yield (
        "check: steps a second on one processor",
        checked["steps"] / checked["seconds"], "steps/s", STEPS_MIN, True, CHECK, WHY_STEPS,
    )
    explored, memory, seconds = measured(lab, EXPLORE)
    states = explored["systems"][0]["conditions"][0]["explored"][0]["states"]
    yield (
        f"explore: greatest memory for each of {states:,} states",
        memory / states, "B", BYTES_MAX, False, EXPLORE, "",
    )
    yield "explore: states a second on one processor", states / seconds, "states/s", None, True, EXPLORE, ""


def verdict(figure, limit, is_more_better):
    """Answers the word for a figure, as in the table of the benchmarks."""
    if limit is None:
        return "reported"
    return "reached" if (figure >= limit if is_more_better else figure <= limit) else "not reached"


def main():
    """Measures, and adds the results to both files."""
    lab, page, table = sys.argv[1:]
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns, like = list(rows[0]), rows[0]
    lines = ["## The lab", "", "| measure | figure | goal | verdict |", "| --- | ---: | ---: | --- |"]
    reasons = []
    for measure, figure, unit, limit, is_more_better, words, why in measures(lab):
        word = verdict(figure, limit, is_more_better)
        mark = {"reached": "\u2713", "not reached": "\u2717", "reported": "\u2022"}[word]
        relation = "\u2265" if is_more_better else "\u2264"
        goal = "" if limit is None else f"{relation} {limit:,.0f} {unit}"
        lines.append(f"| {mark} {measure} | {figure:,.0f} {unit} | {goal} | {word} |")
        reason = why if word == "not reached" else ""
        if reason:
            reasons.append(f"- **{measure}**: {reason}")
        row = dict.fromkeys(columns, "")
        row.update({key: like[key] for key in ("run", "commit", "time")})
        row.update(measure=measure, benchmark=" ".join(words), contender="lab", figure=f"{figure:.6g}", unit=unit)
        row.update(limit="" if limit is None else f"{limit:.6g}", verdict=word, reason=reason, seed="0x1")
        rows.append(row)
    commands = " and ".join(f"`history-lab {' '.join(words)}`" for words in (CHECK, EXPLORE))
    lines += ["", f"Measured by {commands}.", *([""] if reasons else []), *reasons]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if text.count(NEXT) != 1:
        print(f"reference.py: {page} has not one section '{NEXT}'.", file=sys.stderr)
        sys.exit(70)
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace(NEXT, "\n".join(lines) + f"\n\n{NEXT}"))
    with open(table, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


main()
