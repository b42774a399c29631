"""Checks that links in pages lead somewhere: `python3 scripts/links.py`, in the package's folder.

Reads every Markdown and HTML page that git tracks, and prints a line for each link to a file that git does
not track, and for each link to a heading that its page does not have. Links to the web are not followed.
Exit code 1 if a link leads nowhere.
"""

import functools
import html
import pathlib
import posixpath
import re
import subprocess
import sys
import urllib.parse

CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
MARKDOWN_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
HTML_LINK = re.compile(r"\b(?:href|src)=\"([^\"]*)\"")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$", re.MULTILINE)
IDENTIFIER = re.compile(r"\b(?:id|name)=\"([^\"]*)\"")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//")


def tracked():
    """The files that git tracks or would, and the folders that hold them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True,
    )
    files = {name for name in listed.stdout.split("\0") if name and pathlib.Path(name).exists()}
    folders = {str(folder) for name in files for folder in pathlib.PurePosixPath(name).parents}
    return files, folders


@functools.cache
def text_of(page):
    """A page without its code, in which nothing is a link; lines keep their numbers."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    if page.endswith(".md"):
        text = CODE.sub(lambda code: "\n" * code[0].count("\n"), text)
    return text


@functools.cache
def places_in(page):
    """The fragments that lead into a page: its ids, and its headings as GitHub names them."""
    text = pathlib.Path(page).read_text(encoding="utf-8")
    places = {html.unescape(place) for place in IDENTIFIER.findall(text)}
    if page.endswith(".md"):
        seen = {}
        for heading in HEADING.findall(re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
            slug = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            places.add(f"{slug}-{count}" if count else slug)
    return places


def links_of(page):
    """The line and the target of each link in a page."""
    text = text_of(page)
    patterns = [HTML_LINK] + ([MARKDOWN_LINK] if page.endswith(".md") else [])
    for pattern in patterns:
        for link in pattern.finditer(text):
            target = html.unescape(next(group for group in link.groups() if group is not None))
            yield text.count("\n", 0, link.start()) + 1, target


def fault(page, target, files, folders):
    """What is wrong with a link, or None."""
    if not target or ELSEWHERE.match(target):
        return None
    path, _, place = target.partition("#")
    file = page
    if path:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page), urllib.parse.unquote(path)))
        if file not in files:
            return None if file in folders else f"{file} is not in the repository"
    if place and file.endswith((".md", ".html")) and urllib.parse.unquote(place) not in places_in(file):
        return f"{file} has no heading or id #{place}"
    return None


def main():
    files, folders = tracked()
    found = []
    for page in sorted(name for name in files if name.endswith((".md", ".html"))):
        for line, target in links_of(page):
            if wrong := fault(page, target, files, folders):
                found.append(f"{page}:{line}: the link {target} leads nowhere: {wrong}")
    for sentence in found:
        print(sentence)
    sys.exit(1 if found else 0)


main()
