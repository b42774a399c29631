"""Links of the documentation, from what GitHub shows to what docc resolves.

The articles link to each other by file, so that they can be read in the repository. `Links.rewrite` makes
those links `doc:` links within a catalogue and paths of the site between catalogues. `qualify` names the
module in links of doc comments that lead to a symbol of another module.
"""

import json
import pathlib
import posixpath
import re
import shutil

# A span of code may go on in the next line, but ends with its paragraph.
CODE = re.compile(r"(^ *```.*?^ *```|`(?:[^`\n]|\n(?! *\n))*`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?\s*\)")
OPTION = re.compile(r"(?<![\w-])--(?=[a-z])")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/")
SYMBOL_LINK = re.compile(r"``([^`\n]+)``")


def site_path(module, page):
    """The path of a page below the site's base."""
    root = f"/documentation/{module.lower()}"
    return root if page == module else f"{root}/{page.lower()}"


def fragment(heading):
    """The fragment that docc makes of a heading."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"['\"`’‘“”]", "", "-".join(words.split()))


def slug(heading):
    """The fragment that GitHub makes of a heading."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def first_sentence(program):
    """The first sentence of a Python program's documentation."""
    found = re.search(r'^"""(.*?)(?:\.\s|""")', program, re.S | re.M)
    return " ".join(found[1].split()).rstrip(".") + "." if found else "The program's source."


class Links:
    def __init__(self, root):
        self.root = root
        # A file of the repository, by its path from the root: its module and page.
        self.pages = {}
        # The same the other way round.
        self.origins = {}
        # Pictures of the repository that a page shows; docc finds them by name in the page's catalogue.
        self.pictures = set()

    def add(self, source, module, page):
        """Notes that a file of the repository is a page of the site."""
        path = pathlib.Path(source).relative_to(self.root).as_posix()
        self.pages[path] = (module, page)
        self.origins[module, page] = path

    def add_pages(self, module, sources):
        for source in sources:
            self.add(source, module, source.stem)

    def rewrite(self, folder):
        """Rewrites the links of a staged catalogue's pages."""
        module = folder.stem
        for page in sorted(folder.rglob("*.md")):
            if origin := self.origins.get((module, page.stem)):
                page.write_text(self.rewritten(page.read_text(), module, origin))
        for picture in self.pictures:
            shutil.copy(self.root / picture, folder)
        self.pictures.clear()

    def rewritten(self, text, module, origin):
        """A page's text with the links as docc has them; `origin` is the page's file in the repository."""
        parts = CODE.split(text)
        # Text and code alternate.
        # Options keep their two dashes, which docc would join.
        parts[::2] = [OPTION.sub(r"\\-\\-", LINK.sub(lambda link: self.target(link, module, origin), text))
                      for text in parts[::2]]
        return "".join(parts)

    def target(self, link, module, origin):
        """What a link becomes.

        Raises ValueError for a file that is no page of the site.
        """
        if ELSEWHERE.match(link[1]):
            return link[0]
        path, _, place = link[1].partition("#")
        file = posixpath.normpath(posixpath.join(posixpath.dirname(origin), path)) if path else origin
        if file not in self.pages:
            if file.endswith((".png", ".svg")) and (self.root / file).is_file():
                self.pictures.add(file)
                return f"]({posixpath.basename(file)})"
            raise ValueError(f"{origin}: the link {link[1]} leads to no page of the site. Link to one, or name "
                             f"the file as `{file}`.")
        other, page = self.pages[file]
        mark = "#" + self.place(file, place) if place else ""
        if other == module:
            return f"](doc:{page}{mark})"
        return f"]({site_path(other, page)}{mark})"

    def place(self, file, place):
        """docc's name of a heading that GitHub calls `place`."""
        text = (self.root / file).read_text()
        for heading in HEADING.findall(re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)):
            if slug(heading) == place:
                return fragment(heading)
        return place


def qualify(folder, modules):
    """Adds the module to links of doc comments and pages that lead to a symbol of another module."""
    graphs = {path: json.loads(path.read_text()) for path in sorted(folder.rglob("*.symbols.json"))}
    names = {module: set() for module in modules}
    for path, graph in graphs.items():
        for symbol in graph["symbols"]:
            if "@" not in path.name and len(symbol["pathComponents"]) == 1:
                names[path.parent.name].add(re.sub(r"\(.*", "", symbol["pathComponents"][0]))
    for path, graph in graphs.items():
        module = path.parent.name

        def qualified(link):
            first = re.split(r"[/(]|-(?=[a-z0-9]+$)", link[1])[0]
            if first in names[module]:
                return link[0]
            for other in modules[module]:
                if first == other:
                    return f"``/{link[1]}``"
                if first in names[other]:
                    return f"``/{other}/{link[1]}``"
            return link[0]

        for symbol in graph["symbols"]:
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = SYMBOL_LINK.sub(qualified, line["text"])
        path.write_text(json.dumps(graph))
