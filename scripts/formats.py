#!/usr/bin/env python3
"""Reads exported reports for scripts/formats-check, each format with a reader that others use.

Usage: formats.py [--compare COMPARE_PY] SCHEMAS EXPORT RESULTS

EXPORT is a folder that `history-lab report export` has written, RESULTS the results.json that it was made
from, SCHEMAS the folder of schemas. What is read is held against RESULTS. A line a format says what was
read; each fault is a line that begins with the format's name and FAULT.

Exit codes: 0 no fault, 1 a fault, 70 a reader is missing.
"""

import csv
import io
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import junitparser
    import pandas
    import xmlschema
    from hdrh.histogram import HdrHistogram
    from markdown_it import MarkdownIt
except ImportError as missing:
    print(f"formats.py: {missing}; install the readers with scripts/formats-check.", file=sys.stderr)
    sys.exit(70)

FAULTS_SHOWN = 5


class Export:
    """What is read: the exported files, and the results that they were made from."""

    def __init__(self, schemas, folder, results, compare):
        self.schemas, self.folder, self.compare = schemas, folder, compare
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


def anchor(text):
    return re.sub("[^a-z0-9]+", "-", text.lower()).strip("-")


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
        told = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        read = (suite.tests, suite.failures, suite.errors, suite.skipped)
        cases += suite.tests
        if told != read:
            yield f"suite {suite.name} says {told} of cases, failures, errors, skipped, but has {read}"
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


def google_benchmark(export):
    document, violations = export.json("google-benchmark.json", "google-benchmark.schema.json")
    yield from violations
    runs = [row for row in document["benchmarks"] if row["run_type"] == "iteration"]
    medians = {name(row): row["summary"]["p50"] for row in export.timed}
    if {row["name"]: row["real_time"] for row in runs} != medians:
        yield "names and times are not the medians of the results"
    if not export.compare:
        return f"{len(document['benchmarks'])} rows, by jsonschema; compare.py is not there"
    path = str(export.path("google-benchmark.json"))
    with tempfile.TemporaryDirectory() as folder:
        dump = pathlib.Path(folder) / "compared.json"
        words = [sys.executable, export.compare, "-d", str(dump), "benchmarks", path, path]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            yield "compare.py: " + (done.stderr.strip().splitlines() or ["it failed"])[-1]
            return "compare.py failed"
        compared = {row["name"] for row in json.loads(dump.read_text())}
    wanted = {row["name"] for row in document["benchmarks"] if row.get("aggregate_name") != "RMS"}
    if not set(medians) <= compared:
        yield f"compare.py has read {len(compared)} of {len(wanted)} rows"
    return f"{len(compared)} rows, by jsonschema and compare.py"


def jmh(export):
    document, violations = export.json("jmh.json", "jmh.schema.json")
    yield from violations
    if len(document) != len(export.timed):
        yield f"{len(document)} benchmarks for {len(export.timed)} rows"
    for one, row in zip(document, export.timed):
        metric = one["primaryMetric"]
        counted = sum(count for fork in metric["rawDataHistogram"] for run in fork for _, count in run)
        if counted != one["measurementIterations"] or counted != len(row["samples"]):
            yield f"{one['benchmark']}: {counted} values of {len(row['samples'])} samples"
        if metric["scorePercentiles"]["50.0"] != row["summary"]["p50"]:
            yield f"{one['benchmark']}: its median is not that of the results"
    return f"{len(document)} benchmarks, by jsonschema"


PERCENTILES = re.compile(r"\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)\s+([0-9.]+)")


def hdr_histogram(export):
    """As HdrHistogram's own package writes and reads the same samples."""
    long = [row for row in export.timed if len(row["samples"]) >= 100]
    files = {path.stem for path in export.folder.glob("*.hgrm")}
    if files != {anchor(name(row)) for row in long}:
        yield f"{len(files)} files for {len(long)} rows of a hundred samples"
    for row in long:
        path = export.path(anchor(name(row)) + ".hgrm")
        if path.exists():
            yield from histogram_faults(path, row)
    return f"{len(files)} files, by hdrhistogram"


def histogram_faults(path, row):
    model = distribution_of_three()
    lines = path.read_text(encoding="utf-8").splitlines()
    if lines[0].split() != model[0].split():
        yield f"{path.name}: its head is {lines[0].strip()!r}, not {model[0].strip()!r}"
    tails = [[re.sub("[^a-z#]", "", line.lower()) for line in one if line.startswith("#")] for one in (lines, model)]
    if tails[0] != tails[1]:
        yield f"{path.name}: it ends with {tails[0]}, not {tails[1]}"
    body = [line for line in lines[1:] if line.strip() and not line.startswith("#")]
    read = [PERCENTILES.match(line) for line in body[:-1]]
    if not body or not all(read):
        yield f"{path.name}: a line is no value, percentile, count and inverse"
        return
    points = [(float(one[1]), float(one[2]), int(one[3])) for one in read]
    points.append(tuple(map(float, body[-1].split()[:3])))
    # In picoseconds, since a sample of many operations is no whole number of nanoseconds.
    values = [max(1, round(value * 1000)) for value in row["samples"]]
    histogram = HdrHistogram(1, max(values) + 1, 3)
    for value in values:
        histogram.record_value(value)
    values_in_order = sorted(values)
    if points[-1][1:] != (1.0, len(values)):
        yield f"{path.name}: it ends at {points[-1]}, not with all {len(values)} samples"
    for value, share, count in points:
        if count != max(1, math.ceil(share * len(values) - 1e-9)):
            yield f"{path.name}: {count} of {len(values)} samples are no share of {share}"
        expected = histogram.get_value_at_percentile(100 * count / len(values)) / 1e6
        exact = values_in_order[int(count) - 1] / 1e6
        if abs(value - exact) > 0.0006 or abs(value - expected) > 2e-3 * expected + 0.0011:
            yield f"{path.name}: {value} at {share}, where hdrhistogram finds {expected}"


def distribution_of_three():
    """What the package itself writes, whose head and end every file has."""
    histogram, text = HdrHistogram(1, 1000, 2), io.BytesIO()
    for value in (1, 2, 3):
        histogram.record_value(value)
    histogram.output_percentile_distribution(text, 1)
    return text.getvalue().decode().splitlines()


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
    export.markdown_tables = [len(table) - 2 for table in tables]
    return f"{len(tables)} tables of {sum(export.markdown_tables)} rows, by markdown-it"


RULE = re.compile(r"^ *-+(  +-+)*$")


def plain_text(export):
    """Columns stand under their titles: where the rule has a gap, every line has one."""
    lines = export.text("report.txt").splitlines()
    counts = []
    for place, line in enumerate(lines):
        is_heading = place + 1 >= len(lines) or not lines[place + 1].strip()
        if not RULE.match(line) or (is_heading and len(line.split()) == 1):
            continue
        gaps = [match.span() for match in re.finditer(r"(?<=-)  +(?=-)", line)]
        rows = 0
        while place + 1 + rows < len(lines) and lines[place + 1 + rows].strip():
            row = lines[place + 1 + rows].ljust(len(line))
            if any(row[start:end].strip() for start, end in gaps) or len(row) > len(line):
                yield f"line {place + 2 + rows} does not stand in its columns: {row.strip()[:60]}"
            rows += 1
        counts.append(rows)
    told = getattr(export, "markdown_tables", counts)
    if counts != told:
        yield f"its tables have {counts[:8]} rows, those in Markdown {told[:8]}"
    return f"{len(counts)} tables of {sum(counts)} rows, by their columns"


FORMATS = [results_json, junit, bencher, github_action_benchmark, google_benchmark, jmh, hdr_histogram, long_csv,
           markdown, plain_text]


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
    compare = None
    if words[:1] == ["--compare"]:
        compare, words = words[1], words[2:]
    schemas, folder, results = map(pathlib.Path, words)
    export = Export(schemas, folder, results, compare)
    count = sum(check(reader, export) for reader in FORMATS)
    print(f"{count} faults" if count else f"No fault in {len(FORMATS)} formats.")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
