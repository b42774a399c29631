"""Chooses the tests that a change can reach: `swift package dump-package | python3 scripts/affected.py NEW`.

Run in the package's folder. Writes the digests of all files to NEW, and compares them with those of the last
run in which all tests passed, which `scripts/test` keeps in .build/tests/passed.json. Prints a regular
expression for `swift test --filter`: the tests of each target whose files, or the files of a target
below it, have changed, and the suites that read files of the repository themselves. Prints `.` for all tests:
when there is no such run, and when a file has changed that belongs to no target, is no source, or belongs to
a target that no tests depend on, since tests may start its program.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

RECORD = pathlib.Path(".build/tests/passed.json")
SPECIAL = re.compile(r"([][\\.*^$+?(){}|])")
SOURCES = (".swift", ".c", ".h")
READS_FILES = re.compile(r"Repository\.|#filePath")
SUITE = re.compile(r"^(?! *//)(?:.* )?(?:struct|class|enum|actor) (\w+|`[^`]+`)", re.M)


def digests():
    """The digest of each file that git knows or would add, and of the compiler's and SQLite's versions."""
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=True,
    ).stdout.split(b"\0")
    found = {
        os.fsdecode(name): hashlib.sha256(pathlib.Path(os.fsdecode(name)).read_bytes()).hexdigest()
        for name in files
        if name and os.path.isfile(name)
    }
    version = subprocess.run(["swift", "--version"], capture_output=True, check=True).stdout
    shell = ["sqlite3", "--version"] if shutil.which("sqlite3") else ["true"]
    library = subprocess.run(shell, capture_output=True, check=True).stdout
    return found | {"versions": hashlib.sha256(version + library).hexdigest()}


def folder(target):
    """The folder of a target, with a slash at its end."""
    below = "Tests" if target["type"] == "test" else "Sources"
    return (target.get("path") or f"{below}/{target['name']}") + "/"


def dependencies(target):
    """The names of the targets that a target declares as dependencies."""
    return {next(iter(entry.values()))[0] for entry in target["dependencies"]}


def reached(changed, targets):
    """The targets that contain changed files or depend on such; None for a file that no tests depend on."""
    folders = sorted(((folder(each), each["name"]) for each in targets), key=lambda pair: -len(pair[0]))
    names = set()
    for file in changed:
        name = next((name for path, name in folders if file.startswith(path)), None)
        if name is None or not file.endswith(SOURCES):
            return None
        names.add(name)
    below = {each["name"] for each in targets if each["type"] == "test"}
    while more := {name for each in targets if each["name"] in below for name in dependencies(each)} - below:
        below |= more
    if not names <= below:
        return None
    while more := {each["name"] for each in targets if dependencies(each) & names} - names:
        names |= more
    return names


def reading_suites(targets):
    """The suites of these targets whose files read the repository's files, as patterns of their names."""
    for target in targets:
        for file in sorted(pathlib.Path(folder(target)).rglob("*.swift")):
            text = file.read_text()
            if READS_FILES.search(text):
                for suite in SUITE.findall(text):
                    suite = SPECIAL.sub(r"\\\1", suite)
                    yield rf"{target['name']}\.{suite}/"


def main():
    now = digests()
    pathlib.Path(sys.argv[1]).write_text(json.dumps(now, indent=1))
    targets = json.load(sys.stdin)["targets"]
    try:
        before = json.loads(RECORD.read_text())
    except (OSError, ValueError):
        print(".")
        return
    changed = {file for file in now.keys() | before.keys() if now.get(file) != before.get(file)}
    names = reached(changed, targets)
    if names is None:
        print(".")
        return
    tests = [each for each in targets if each["type"] == "test"]
    whole = [rf"{each['name']}\." for each in tests if each["name"] in names]
    suites = reading_suites(each for each in tests if each["name"] not in names)
    print("^(" + "|".join([*whole, *suites]) + ")")


main()
