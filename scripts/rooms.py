"""Compares the package with rooms.txt: `swift package dump-package | python3 scripts/rooms.py`.

Run in the package's folder. Prints a line for each dependency of a target that is not in the table,
each import of a room that its target does not declare or may not have, and each dependency on
another package. Exit code 1 if there is one.
"""

import json
import pathlib
import re
import sys

IMPORT = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|fileprivate|private)\s+)?"
    r"import\s+(?:(?:typealias|struct|class|enum|protocol|let|var|func|actor)\s+)?(\w+)"
)
SQLITE_HEADER = re.compile(r"^\s*#\s*(?:include|import)\s*[<\"]sqlite3")


def read_table():
    """The rows of rooms.txt: a room's name and the set of its imports."""
    table = {}
    for line in pathlib.Path(__file__).with_name("rooms.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            room, imports = line.split(":")
            table[room] = set(imports.split())
    return table


def allowed_imports(target, table):
    """What a target may import, or None when the table does not know it."""
    name = target["name"]
    if target["type"] != "test":
        return table.get(name)
    room = name.removesuffix("Tests")
    if room not in table:
        return None
    return {room} | (table[room] - {"CSQLite"}) | table["Tests"] | table.get(name, set())


def declared_imports(target):
    """The rooms and the outside products that a target depends on."""
    rooms, products = set(), set()
    for dependency in target["dependencies"]:
        ((kind, details),) = dependency.items()
        (products if kind == "product" else rooms).add(details[0])
    return rooms, products


def folder_of(target):
    """Where a target's sources lie: its path, or SwiftPM's default."""
    parent = {"test": "Tests", "plugin": "Plugins"}.get(target["type"], "Sources")
    return pathlib.Path(target.get("path") or f"{parent}/{target['name']}")


def sources_of(folder, folders):
    """The source files below a folder that lie in no other target's folder further down."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in {".swift", ".c", ".h"} and not any(part.endswith(".docc") for part in file.parts):
            nearest = max((f for f in folders if f in file.parents), key=lambda f: len(f.parts))
            if nearest == folder:
                yield file


def imports_of(file):
    """The line and the module of each import in a source file."""
    for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
        if file.suffix == ".swift":
            if found := IMPORT.match(line):
                yield number, found[1]
        elif SQLITE_HEADER.match(line):
            yield number, "CSQLite"


def manifest_violations(package, table):
    """A sentence for each dependency in the manifest that the table does not have."""
    for dependency in package["dependencies"]:
        yield f"another package is needed: {json.dumps(dependency)}"
    for target in package["targets"]:
        name, allowed = target["name"], allowed_imports(target, table)
        if allowed is None:
            yield f"{name} has no row in scripts/rooms.txt"
            continue
        rooms, products = declared_imports(target)
        for module in sorted((rooms - allowed) | products):
            yield f"{name} depends on {module}, which its row in scripts/rooms.txt does not have"


def import_violations(package, table):
    """A sentence for each import in a source file that its target may not have or does not declare."""
    folders = [folder_of(target) for target in package["targets"]]
    known = set(table).union(*table.values(), (target["name"] for target in package["targets"]))
    for target, folder in zip(package["targets"], folders):
        name, allowed = target["name"], allowed_imports(target, table) or set()
        declared = declared_imports(target)[0] | {"Testing"}
        for file in sources_of(folder, folders):
            for line, module in imports_of(file):
                if module not in known or module == name:
                    continue
                if module not in allowed:
                    yield f"{file}:{line}: {name} may not import {module} (scripts/rooms.txt)"
                elif module not in declared:
                    yield f"{file}:{line}: imports {module}, which {name} does not declare"


def main():
    package, table = json.load(sys.stdin), read_table()
    found = [f"Package.swift: {sentence}" for sentence in manifest_violations(package, table)]
    found += import_violations(package, table)
    for sentence in found:
        print(sentence)
    sys.exit(1 if found else 0)


main()
