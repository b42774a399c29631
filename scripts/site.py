"""Makes the documentation site; scripts/site starts it after a build.

    python3 scripts/site.py --docc DOCC --build FOLDER --base PATH --output FOLDER

Each product module becomes an archive of its symbols and its catalogue. The articles of the lab's rooms,
which have no public symbols, become one archive with the pages made from the command's help and from
Reports/reference. The published designs become another. All are merged, get a landing page, and text for
readers without JavaScript; then every link is followed.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import site_check
import site_designs
import site_formats
import site_links
import site_options
import site_pictures
import site_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "Reports/reference"
DESIGNS = ROOT / "Sources/Systems/Systems.docc/PublishedDesigns.md"
# The order of the site's parts in its sidebar; other modules follow.
ORDER = ["HistoryTracking", "ObjectContexts", "HistoryStore", "HistoryTypes", "Designs", "HistoryLab"]
# The rooms whose articles become the manual of the lab.
LAB_ROOMS = ["HistoryLab", "Systems", "Traces", "Simulation", "Measuring"]
# The modules whose public types a product's module exports as its own.
REEXPORTED = {"HistorySystems": ["Systems", "Traces"]}


class Problem(Exception):
    """What is wrong with the documentation, in sentences."""


class Missing(Exception):
    """What the machine lacks."""


def run(command, what):
    """Runs a command, and returns its standard output."""
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
    if done.returncode:
        raise Problem(f"{what} failed with exit code {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


def product_modules():
    """The modules of the library products, each after those that it imports, with all of these."""
    package = json.loads(run(["swift", "package", "dump-package"], "swift package dump-package"))
    imports = {target["name"]: [next(iter(dependency.values()))[0] for dependency in target["dependencies"]]
               for target in package["targets"]}
    modules = {name for product in package["products"] if "library" in product["type"] for name in product["targets"]}
    ordered = {}

    def visit(name):
        found = set()
        for other in imports.get(name, []):
            found |= visit(other) | {other}
        if name in modules and name not in ordered:
            ordered[name] = [other for other in ordered if other in found]
        return found

    for name in sorted(modules):
        visit(name)
    return ordered


class Site:
    def __init__(self, options):
        self.products = product_modules()
        self.docc, self.build, self.base = options.docc, pathlib.Path(options.build), options.base
        self.output = pathlib.Path(options.output)
        self.work = self.output.with_name(self.output.name + ".work")
        self.lab = self.build / "history-lab"
        self.links = site_links.Links(ROOT)
        for path in [self.lab] + [self.modules / f"{name}.swiftmodule" for name in self.products]:
            if not path.exists():
                raise Missing(f"{path} is missing: build first, as scripts/site does.")

    @property
    def modules(self):
        return self.build / "Modules"

    # Symbol graphs

    def extract(self):
        """Writes the symbol graphs of all modules, and qualifies the links in their comments."""
        info = json.loads(run(["swift", "-print-target-info"], "swift -print-target-info"))
        common = ["-I", str(self.modules), "-target", info["target"]["triple"], "-minimum-access-level", "public",
                  "-skip-synthesized-members", "-skip-inherited-docs", "-emit-extension-block-symbols",
                  "-I", str(ROOT / "Sources/CSQLite"), "-I", str(ROOT / "Benchmarks/Floor/include")]
        if sys.platform == "darwin":
            common += ["-sdk", run(["xcrun", "--show-sdk-path"], "xcrun").strip()]
        running = []
        for name in self.products:
            folder = self.work / "symbols" / name
            folder.mkdir(parents=True)
            exported = [f"-experimental-allowed-reexported-modules={','.join(others)}"
                        for others in [REEXPORTED.get(name)] if others]
            running.append((name, subprocess.Popen(
                ["swift", "symbolgraph-extract", "-module-name", name, *common, *exported, "-output-dir", str(folder)],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)))
        for name, process in running:
            said, _ = process.communicate()
            if process.returncode:
                raise Problem(f"The symbols of {name} cannot be extracted:\n{said}")
        site_links.qualify(self.work / "symbols", self.products)

    # Catalogues

    def stage(self):
        """Copies the catalogues, with the links as docc has them, and makes the pages that are not written by hand."""
        for name in self.products:
            folder = self.catalogue(name)
            source = ROOT / f"Sources/{name}/{name}.docc"
            if not (source / f"{name}.md").is_file():
                raise Problem(f"{source.relative_to(ROOT)}/{name}.md is missing: each product's module has a page.")
            shutil.copytree(source, folder, dirs_exist_ok=True)
        lab = self.catalogue("HistoryLab")
        for room in LAB_ROOMS:
            shutil.copytree(ROOT / f"Sources/{room}/{room}.docc", lab, dirs_exist_ok=True)
        self.links.add_pages("HistoryLab", [page for room in LAB_ROOMS
                                            for page in (ROOT / f"Sources/{room}/{room}.docc").rglob("*.md")])
        for name in self.products:
            self.links.add_pages(name, (ROOT / f"Sources/{name}/{name}.docc").rglob("*.md"))
        self.links.add(DESIGNS, "Designs", "Designs")
        for report in ("cards.md", "repairs.md"):
            self.links.add(REFERENCE / report, "Designs", "Designs")
        (lab / DESIGNS.name).unlink()
        try:
            self.make_lab_pages(lab)
            words = self.links.rewritten(DESIGNS.read_text(), "Designs", DESIGNS.relative_to(ROOT).as_posix())
            site_designs.make(self.catalogue("Designs"), words, REFERENCE / "cards.md", self.lab)
            for name in [*self.products, "HistoryLab"]:
                self.links.rewrite(self.catalogue(name))
                self.draw(self.catalogue(name))
        except ValueError as error:
            raise Problem(str(error))

    def catalogue(self, name):
        folder = self.work / f"{name}.docc"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def make_lab_pages(self, lab):
        """The pages of the lab that are made from something else."""
        site_options.make(lab, self.lab)
        site_formats.make(lab, ROOT / "Sources/Traces")
        for report, page in (("goals", "WhatHistoryCosts"), ("explore", "EveryPlanOfOurTracker"), ("shrinking", "ShrinkingCompared")):
            source = REFERENCE / f"{report}.md"
            (lab / f"{page}.md").write_text(source.read_text())
            self.links.add(source, "HistoryLab", page)
        for program in sorted(lab.rglob("*.py")):
            page = "".join(word.capitalize() for word in re.split(r"\W|_", program.stem)) + "Source"
            text = program.read_text()
            (lab / f"{page}.md").write_text(
                f"# {program.name}\n\n{site_links.first_sentence(text)}\n\n## Source\n\n```python\n{text.rstrip()}\n```\n")
            self.links.add(ROOT / "Sources/Systems/Systems.docc" / program.name, "HistoryLab", page)
            program.unlink()

    @staticmethod
    def draw(folder):
        """Makes the pictures of `.lanes` files, light and dark."""
        for source in sorted(folder.rglob("*.lanes")):
            lanes, steps = site_pictures.read(source)
            for dark, ending in ((False, ".svg"), (True, "~dark.svg")):
                source.with_name(source.stem + ending).write_text(site_pictures.picture(lanes, steps, dark))
            source.unlink()

    # Archives

    def convert(self, name, dependencies):
        """Converts one catalogue, and returns what is wrong with it; any warning is an error."""
        archive = self.archive(name)
        command = [self.docc, "convert", str(self.catalogue(name)), "--output-path", str(archive),
                   "--fallback-display-name", name, "--fallback-bundle-identifier", name,
                   "--hosting-base-path", self.base, "--transform-for-static-hosting",
                   "--enable-experimental-external-link-support"]
        symbols = self.work / "symbols" / name
        if symbols.is_dir():
            command += ["--additional-symbol-graph-dir", str(symbols)]
        for dependency in dependencies:
            command += ["--dependency", str(self.archive(dependency))]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        said = done.stdout + done.stderr
        if done.returncode or re.search(r"^(warning|error):", said, re.M):
            return [f"docc finds faults in {name}:\n{said or f'exit code {done.returncode}'}"]
        # docc can succeed without making pages.
        for page in (f"data/documentation/{name.lower()}.json", f"documentation/{name.lower()}/index.html"):
            if not (archive / page).is_file():
                return [f"docc says that {name} is converted, and made no {page}:\n{said}"]
        return []

    def archive(self, name):
        return self.work / f"{name}.doccarchive"

    @property
    def parts(self):
        return ORDER + sorted(set(self.products) - set(ORDER))

    def merge(self):
        merged = self.work / "site"
        run([self.docc, "merge", *(str(self.archive(name)) for name in self.parts),
             "--output-path", str(merged), "--synthesized-landing-page-name", "Persistent History Lab",
             "--synthesized-landing-page-kind", "Documentation"], "docc merge")
        for leftover in ("linkable-entities.json", "link-hierarchy.json"):
            (merged / leftover).unlink(missing_ok=True)
        try:
            site_text.make_landing(merged, self.base, self.products)
        except ValueError as error:
            raise Problem(str(error))
        site_text.fill_pages(merged, self.base)
        (merged / "site.json").write_text(json.dumps({"base": self.base}) + "\n")
        return merged

    def make(self):
        shutil.rmtree(self.work, ignore_errors=True)
        self.timed("symbol graphs", self.extract)
        self.timed("catalogues", self.stage)
        problems = []
        for name, dependencies in {**self.products, "HistoryLab": [], "Designs": []}.items():
            problems += self.timed(f"docc convert {name}", lambda: self.convert(name, dependencies))
        if problems:
            raise Problem("\n".join(problems))
        merged = self.timed("docc merge", self.merge)
        faults = self.timed("links", lambda: site_check.check(merged))
        if faults:
            raise Problem("\n".join(faults) + f"\n{len(faults)} links or pages of the site are wrong.")
        shutil.rmtree(self.output, ignore_errors=True)
        merged.rename(self.output)
        shutil.rmtree(self.work)

    @staticmethod
    def timed(what, body):
        start = time.monotonic()
        result = body()
        print(f"  {what}: {time.monotonic() - start:.1f} s", file=sys.stderr)
        return result


def main():
    parser = argparse.ArgumentParser()
    for name in ("docc", "build", "base", "output"):
        parser.add_argument(f"--{name}", required=True)
    try:
        Site(parser.parse_args()).make()
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 70
    return 0


if __name__ == "__main__":
    sys.exit(main())
