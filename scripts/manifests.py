#!/usr/bin/env python3
"""Validates the manifests in Markdown pages and workflow files for scripts/formats-check.

Usage: manifests.py FILE...

A manifest is a YAML file, or a block of YAML in a Markdown page: a resource of Kubernetes is validated with
the schemas of kubernetes-validate, strictly, and a workflow of GitHub with the schema of check-jsonschema.
Other blocks, for example of a configuration, are counted and not validated.

Exit codes: 0 no fault, 1 a fault, 70 a validator is missing.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import kubernetes_validate
    import yaml
except ImportError as missing:
    print(f"manifests.py: {missing}; install the readers with scripts/formats-check.", file=sys.stderr)
    sys.exit(70)

BLOCK = re.compile(r"^```(?:yaml)?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(path):
    """The texts of a file that may be manifests."""
    text = path.read_text(encoding="utf-8")
    return [text] if path.suffix in (".yml", ".yaml") else BLOCK.findall(text)


def resource(document):
    """What is wrong with a resource of Kubernetes; empty for a valid one."""
    try:
        kubernetes_validate.validate(document, kubernetes_validate.latest_version(), strict=True)
    except kubernetes_validate.ValidationError as error:
        return f"{'/'.join(map(str, error.path)) or 'the resource'}: {error.message}"
    return ""


def workflow(text):
    """What is wrong with a workflow of GitHub; empty for a valid one."""
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        answer = subprocess.run(
            [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", file.name],
            capture_output=True, text=True, check=False)
    return "" if answer.returncode == 0 else " ".join((answer.stdout + answer.stderr).split())[:400]


def validate(text):
    """The kind of a manifest with what is wrong with it; `None` for a text of another kind."""
    is_workflow = re.search(r"^jobs:", text, re.MULTILINE)
    if not is_workflow and not re.search(r"^apiVersion:", text, re.MULTILINE):
        return None
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return "manifest", str(error)
    return ("workflow", workflow(text)) if is_workflow else ("resource", resource(document))


def main(names):
    count = {"workflow": 0, "resource": 0}
    faults = 0
    for path in map(pathlib.Path, names):
        for kind, wrong in filter(None, map(validate, blocks(path))):
            if wrong:
                faults += 1
                print(f"manifests: FAULT {path}, {kind}: {wrong}")
            else:
                count[kind] += 1
    if not faults:
        print(f"manifests: {count['resource']} of Kubernetes, {count['workflow']} of GitHub")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
