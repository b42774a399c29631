"""Follows every link of the documentation site, and serves it.

    python3 scripts/site_check.py check FOLDER          prints dead links; exit code 1 if there are any
    python3 scripts/site_check.py serve FOLDER [PORT]   serves the site on 127.0.0.1 until Ctrl-C

A check serves the site on loopback and starts at its root. Of each page it fetches the HTML and the JSON
from which the page is drawn, and follows what they refer to: pages, pictures, scripts, style sheets. The
fragment of a link must be a heading of its page. A page that no link reaches counts as a fault, too. Links
to other hosts are not followed.
"""

import functools
import html.parser
import http.server
import json
import pathlib
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request


SAFE = "/%:()=,!*+-_.~@'$&"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder below the base path that the site was made for."""

    def __init__(self, *arguments, base="/", **named):
        self.base = base
        super().__init__(*arguments, **named)

    def translate_path(self, path):
        if path.startswith(self.base):
            return super().translate_path("/" + path[len(self.base):])
        return super().translate_path("/there-is-nothing-outside-of-the-base")

    def do_GET(self):
        if self.path == "/" and self.base != "/":
            self.send_response(302)
            self.send_header("Location", self.base)
            self.end_headers()
            return
        super().do_GET()

    def log_message(self, *_):
        pass


def server(folder, port):
    """A server of a site on loopback, and the site's base path."""
    base = json.loads((pathlib.Path(folder) / "site.json").read_text())["base"]
    handler = functools.partial(Handler, directory=str(folder), base=base)
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler), base


class References(html.parser.HTMLParser):
    """What a page's HTML refers to, and the names that lead into it."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.targets, self.places = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.targets.append(value)
            if name in ("id", "name") and value:
                self.places.add(value)
            if name == "content" and value and value.startswith("0; url="):
                self.targets.append(value[len("0; url="):])


def referred(value, found):
    """Collects what the references of a page's JSON lead to, at any depth."""
    if isinstance(value, dict):
        for key, one in value.items():
            if key in ("url", "path") and isinstance(one, str) and not one.startswith("doc:"):
                found.append(one)
            elif key == "destination" and isinstance(one, str):
                found.append(one)
            else:
                referred(one, found)
    elif isinstance(value, list):
        for one in value:
            referred(one, found)
    return found


def anchors(value, found):
    """Collects the names of headings and sections of a page's JSON."""
    if isinstance(value, dict):
        if isinstance(value.get("anchor"), str):
            found.add(value["anchor"])
        for one in value.values():
            anchors(one, found)
    elif isinstance(value, list):
        for one in value:
            anchors(one, found)
    return found


class Crawl:
    def __init__(self, root, base):
        self.root, self.base = root, base
        self.waiting, self.seen, self.faults = [], {}, []
        # The fragments of each page, and the links that need one.
        self.places, self.marks = {}, []

    def fetch(self, path):
        """The content and the type of an address, or None for a dead one."""
        try:
            with urllib.request.urlopen(self.root + urllib.parse.quote(path, safe=SAFE), timeout=20) as answer:
                return answer.read(), answer.headers.get_content_type()
        except urllib.error.HTTPError:
            return None

    def follow(self, target, page):
        """Notes a link for later; other hosts are left out."""
        address = urllib.parse.urljoin(self.root + page, target)
        if not address.startswith(self.root):
            return
        path, _, mark = address[len(self.root):].partition("#")
        path = path.partition("?")[0]
        if path[len(self.base):].startswith(("documentation", "tutorials")):
            path = path.rstrip("/") + "/"
        if mark:
            self.marks.append((page, path, urllib.parse.unquote(mark)))
        if path not in self.seen:
            self.seen[path] = page
            self.waiting.append(path)

    def visit(self, path):
        found = self.fetch(path)
        if found is None:
            self.faults.append(f"{self.seen[path]}: {urllib.parse.unquote(path)} leads nowhere")
            return
        content, kind = found
        if path == self.base + "index/index.json":
            # What the sidebar leads to.
            self.read(json.loads(content), path)
        if kind != "text/html":
            return
        page = References(content.decode())
        self.places[path] = page.places
        for target in page.targets:
            self.follow(target, path)
        # The address is not URL-encoded in the names of the renderer's data.
        data = self.base + "data/" + path[len(self.base):].strip("/") + ".json"
        if not path[len(self.base):].startswith(("documentation", "tutorials")):
            return
        self.seen.setdefault(data, path)
        drawn = self.fetch(data)
        if drawn is None:
            self.faults.append(f"{path}: the page has no {data}")
            return
        self.read(json.loads(drawn[0]), path)

    def read(self, drawn, path):
        """Follows what the JSON of a page refers to."""
        self.places[path] = self.places.get(path, set()) | anchors(drawn, set())
        # Chapters of a tutorial have addresses, and no pages.
        for chapter in drawn.get("hierarchy", {}).get("modules", []):
            drawn["references"].pop(chapter["reference"], None)
        for target in referred({key: value for key, value in drawn.items() if key != "hierarchy"}, []):
            if target.startswith("/"):
                self.follow(self.base + target[1:], path)
            elif target.startswith("#"):
                self.follow(target, path)
            elif not urllib.parse.urlparse(target).scheme:
                self.faults.append(f"{path}: {target} is no address of the site")

    def check_marks(self):
        for page, path, mark in sorted(set(self.marks)):
            places = self.places.get(path)
            if places is not None and mark not in places:
                self.faults.append(f"{page}: {urllib.parse.unquote(path)} has no heading #{mark}")


def check(folder):
    """The dead links of a site and the pages that no link reaches."""
    folder = pathlib.Path(folder)
    service, base = server(folder, 0)
    thread = threading.Thread(target=service.serve_forever, daemon=True)
    thread.start()
    try:
        crawl = Crawl(f"http://127.0.0.1:{service.server_address[1]}", base)
        crawl.follow(base, base)
        crawl.follow(base + "index/index.json", base)
        while crawl.waiting:
            crawl.visit(crawl.waiting.pop())
        crawl.check_marks()
    finally:
        service.shutdown()
        service.server_close()
    reached = {urllib.parse.unquote(path).strip("/").lower() for path in crawl.seen}
    pages = sorted(folder.rglob("index.html"))
    for page in pages:
        name = (base + page.parent.relative_to(folder).as_posix()).strip("/.")
        if name.lower() not in reached:
            crawl.faults.append(f"{base}{page.relative_to(folder).as_posix()}: no link leads to this page")
    print(f"  {len(crawl.seen):,} addresses, {len(pages):,} pages, {len(crawl.faults):,} faults", file=sys.stderr)
    return crawl.faults


def serve(folder, port):
    try:
        service, base = server(folder, port)
    except OSError as error:
        print(f"port {port} cannot be used: {error.strerror}. Give another one with --port, or --port 0 for any.",
              file=sys.stderr)
        return 70
    print(f"http://127.0.0.1:{service.server_address[1]}{base}documentation/  (Ctrl-C ends it)", flush=True)
    try:
        service.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


def main(arguments):
    if len(arguments) >= 2 and arguments[0] == "serve":
        return serve(arguments[1], int(arguments[2]) if len(arguments) > 2 else 8000)
    if len(arguments) == 2 and arguments[0] == "check":
        faults = check(arguments[1])
        print("\n".join(faults))
        return 1 if faults else 0
    print(__doc__, file=sys.stderr)
    return 64


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
