#!/usr/bin/env python3
"""Reads exported reports for scripts/formats-check, each format with a reader that others use.

Usage: formats.py SCHEMAS EXPORT RESULTS

EXPORT is a folder that `history-lab report export` has written, RESULTS the results.json that it was made
from, SCHEMAS the folder of schemas. What is read is held against RESULTS. A line a format says what was
read; each fault is a line that begins with the format's name and FAULT.

Exit codes: 0 no fault, 1 a fault, 70 a reader is missing.
"""

import csv
import json
import math
import pathlib
import re
import sys

try:
    import jsonschema
    import junitparser
    import pandas
    import xmlschema
    from markdown_it import MarkdownIt
except ImportError as missing:
    print(f"formats.py: {missing}; install the readers with scripts/formats-check.", file=sys.stderr)
    sys.exit(70)

FAULTS_SHOWN = 5


class Export:
    """What is read: the exported files, and the results that they were made from."""

    def __init__(self, schemas, folder, results):
        self.schemas, self.folder = schemas, folder
        self.results_path = results
        self.results = json.loads(results.read_text(encoding="utf-8"))
        self.rows = self.results["rows"]
        self.measured = [row for row in self.rows if row["samples"]]
        self.timed = [row for row in self.measured if row["metric"]["name"] == "wall"]

    def path(self, name):
        return self.folder / name

    def text(self, name):
        return self.path(name).read_text(encoding="utf-8")

    def json(self, name, schema):
        """A JSON file with what its schema finds wrong."""
        document = json.loads(self.text(name))
        return document, self.violations(document, schema)

    def violations(self, document, schema):
        validator = jsonschema.Draft202012Validator(json.loads((self.schemas / schema).read_text()))
        for error in validator.iter_errors(document):
            place = "/".join(map(str, error.absolute_path)) or "the document"
            yield f"{place}: {error.message[:200]}"


def title(row):
    name = f"{row['subject']} {row['operation']}" if row["operation"] else row["subject"]
    return f"{name}, {row['condition']}" if row["condition"] else name


def name(row):
    return f"{title(row)}/{row['contender']}/{row['historySize']}"


def differs(one, other, share=1e-9):
    return not math.isclose(float(one), float(other), rel_tol=share, abs_tol=1e-12)


# MARK: A format each: a generator of faults, whose last value says what was read.


def results_json(export):
    yield from export.violations(export.results, "results.schema.json")
    for row in export.measured:
        if row["summary"]["count"] != len(row["samples"]):
            yield f"{name(row)}: {row['summary']['count']} samples are {len(row['samples'])}"
    return f"{len(export.rows)} rows, by jsonschema"


def junit(export):
    path = str(export.path("junit.xml"))
    yield from (
        f"{error.path}: {error.reason}"
        for error in xmlschema.XMLSchema(str(export.schemas / "junit.xsd")).iter_errors(path)
    )
    document = junitparser.JUnitXml.fromfile(path)
    cases = 0
    for suite in document:
        stated = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        read = (suite.tests, suite.failures, suite.errors, suite.skipped)
        cases += suite.tests
        if stated != read:
            yield f"suite {suite.name} says {stated} of cases, failures, errors, skipped, but has {read}"
    if cases == 0:
        yield "there is no case"
    return f"{len(document)} suites of {cases} cases, by junitparser and xmlschema"


def bencher(export):
    document, violations = export.json("bencher.json", "bencher.schema.json")
    yield from violations
    for benchmark, measures in document.items():
        for measure, metric in measures.items():
            low, high = metric.get("lower_value"), metric.get("upper_value")
            if (low is not None and low > metric["value"]) or (high is not None and high < metric["value"]):
                yield f"{benchmark}, {measure}: {metric['value']} lies outside its bounds"
    names = {name(row) for row in export.measured}
    if set(document) != names:
        yield f"{len(set(document) ^ names)} benchmarks are not those of the results"
    return f"{len(document)} benchmarks, by jsonschema"


def github_action_benchmark(export):
    document, violations = export.json(
        "github-action-benchmark.json", "github-action-benchmark.schema.json")
    yield from violations
    if len({entry["name"] for entry in document}) != len(document):
        yield "a name comes twice"
    if len(document) != len(export.measured):
        yield f"{len(document)} entries for {len(export.measured)} rows"
    return f"{len(document)} entries, by jsonschema"


NUMBERS = ["size", "n", "min", "p5", "p25", "p50", "p75", "p90", "p95", "p99", "max", "mean", "ci_lo", "ci_hi",
           "ratio", "ratio_lo", "ratio_hi", "outliers", "severe_outliers"]


def long_csv(export):
    with export.path("results.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file, strict=True))
    if {len(line) for line in lines} != {len(lines[0])}:
        yield "lines have different numbers of fields"
    table = pandas.read_csv(export.path("results.csv"), keep_default_na=True)
    if len(table) != len(export.rows):
        yield f"{len(table)} lines for {len(export.rows)} rows"
        return "not read"
    for column in NUMBERS:
        if not pandas.api.types.is_numeric_dtype(table[column]):
            yield f"the column {column} is no number to pandas"
    for line, row in zip(table.to_dict("records"), export.rows):
        if (line["bench"], line["peer"], line["size"]) != (title(row), row["contender"], row["historySize"]):
            yield f"{line['bench']} stands where {name(row)} should"
        summary = row.get("summary")
        if summary is None:
            if not math.isnan(line["n"]) or line["not_measured"] != row["notMeasured"]:
                yield f"{name(row)} was not measured, but has a number"
        elif any(differs(line[key], summary[key]) for key in ("min", "p5", "p50", "p95", "p99", "max", "mean")):
            yield f"{name(row)}: its percentiles are not those of the results"
    for other in ("complexity.csv",):
        table = pandas.read_csv(export.path(other))
        if "verdict" not in table.columns:
            yield f"{other} has no column of verdicts"
    return f"{len(lines) - 1} lines, by csv and pandas"


def cells(line):
    return len(re.split(r"(?<!\\)\|", line.strip())) - 2


def markdown(export):
    text = export.text("report.md")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    lines = text.splitlines()
    tables = [range(*token.map) for token in tokens if token.type == "table_open"]
    covered = {place for table in tables for place in table}
    for place, line in enumerate(lines):
        if line.startswith("|") and place not in covered:
            yield f"a line of a table stands outside of every table: {line[:60]}"
    for table in tables:
        for place in table:
            if cells(lines[place]) != cells(lines[table[0]]):
                yield f"a row has {cells(lines[place])} cells, its table {cells(lines[table[0]])} columns: " + (
                    lines[place][:60])
    for token in tokens:
        inner = [child.type for child in token.children or []]
        if token.type == "html_block" or "html_inline" in inner:
            yield f"a reader would take this for HTML: {token.content[:60]}"
    if not any(token.type == "heading_open" and token.tag == "h1" for token in tokens):
        yield "it has no title"
    if not tables:
        yield "it has no table"
    # Without the titles and the rule below them.
    return f"{len(tables)} tables of {sum(len(table) - 2 for table in tables)} rows, by markdown-it"


FORMATS = [results_json, junit, bencher, github_action_benchmark, long_csv, markdown]


def check(reader, export):
    """Prints what a format's reader found, and answers how many faults that are."""
    label, count = reader.__name__.replace("_", "-"), 0
    faults = reader(export)
    while True:
        try:
            fault = next(faults)
        except StopIteration as end:
            if not count:
                print(f"{label}: {end.value}")
            break
        except Exception as error:  # whatever a reader cannot read
            fault, faults = f"{type(error).__name__}: {error}", iter(())
        count += 1
        if count <= FAULTS_SHOWN:
            print(f"{label}: FAULT {str(fault)[:400]}")
    if count > FAULTS_SHOWN:
        print(f"{label}: FAULT and {count - FAULTS_SHOWN} more")
    return count


def main(words):
    schemas, folder, results = map(pathlib.Path, words)
    export = Export(schemas, folder, results)
    count = sum(check(reader, export) for reader in FORMATS)
    print(f"{count} faults" if count else f"No fault in {len(FORMATS)} formats.")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
