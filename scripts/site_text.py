"""The landing page, and the text of each page for readers and search engines without JavaScript.

docc's own `--experimental-transform-for-static-hosting-with-content` ends with a segmentation fault in libxml2
on Linux (Swift 6.3.1), for five of the seven articles of the lab. So the text is made here, from the same JSON
that the renderer shows.
"""

import html
import json
import re

NAME = "Persistent History Lab"
ABSTRACT = ("Persistent history tracking for apps that share one store with their extensions, on plain SQLite; and the lab "
            "that finds out under what such a design loses data.")
STYLE = ("<style>body{font-family:sans-serif;line-height:1.5;max-width:50em;margin:2em auto;padding:0 1em}pre{overflow:auto}"
         "#loading-placeholder{display:none}</style>")
# The groups of the landing page, by the names of their pages.
LANDING = [
    ("Learn", ["SharingAStore", "SharingAStoreWithAWidget", "ChoosingAPurgePolicy", "TestingYourTracking",
               "ReadingACounterexample", "Campaigns", "MigratingFromTheKit"]),
    ("The store and the tracker", ["HistoryTracking", "ObjectContexts", "HistoryStore", "HistoryTypes"]),
    ("What breaks", ["Designs", "kit-2", "article", "seven-day-purge", "tracker"]),
    ("The lab", ["HistoryLab", "HistoryTesting", "HistorySystems", "HistoryLabCommand", "YourFirstBug", "Formats", "Options", "WhatHistoryCosts"]),
    ("Property-based testing", ["PropertyTesting", "PropertyTraits"]),
]


def make_landing(site, base, modules):
    """Rewrites the landing page that docc merge made, and makes the site's root lead to it.

    Raises ValueError for a page that is not there.
    """
    named = {name for _, names in LANDING for name in names}
    more = [name for name in modules if name not in named]
    path = site / "data/documentation.json"
    page = json.loads(path.read_text())
    page["references"] = {}
    page["abstract"] = [{"type": "text", "text": ABSTRACT}]
    page["topicSectionsStyle"] = "list"
    page["topicSections"] = []
    for title, names in LANDING + ([("More modules", more)] if more else []):
        references = [reference(site, name) for name in names]
        page["topicSections"].append({"title": title, "anchor": title.replace(" ", "-"),
                                      "identifiers": [one["identifier"] for one in references]})
        page["references"].update({one["identifier"]: one for one in references})
    path.write_text(json.dumps(page))
    target = html.escape(base + "documentation/")
    (site / "index.html").write_text(
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{NAME}</title>'
        f'<meta http-equiv="refresh" content="0; url={target}"><link rel="canonical" href="{target}"></head>'
        f'<body><p><a href="{target}">{NAME}</a></p></body></html>\n')


def reference(site, name):
    """A reference to a page or to the root of a module, as docc writes it into pages that link to it."""
    found = []
    for folder in ("documentation", "documentation/*", "tutorials"):
        found = found or list((site / "data").glob(f"{folder}/{name.lower()}.json"))
    if len(found) != 1:
        raise ValueError(f"the landing page names {name}, and {len(found)} pages have this name. Change LANDING in "
                         "scripts/site_text.py.")
    page = json.loads(found[0].read_text())
    path = "/" + found[0].relative_to(site / "data").with_suffix("").as_posix()
    title = page["metadata"]["title"]
    abstract = page.get("abstract") or []
    if page["kind"] == "overview":
        abstract = page["sections"][0].get("content", [{}])[0].get("inlineContent", [])
    # An abstract may refer to references of its own page; here it is text.
    words = [{"type": "text", "text": plain(abstract, page.get("references", {}))}]
    return {"type": "topic", "identifier": page["identifier"]["url"], "title": title, "url": path, "abstract": words,
            "kind": page["kind"], "role": page["metadata"].get("role", "article")}


def plain(content, references):
    """The plain text of inline content."""
    return re.sub(r"<[^>]*>", "", html.unescape(inline(content, references, "/")))


# HTML of a page's JSON


def address(reference, base):
    url = reference.get("url", "")
    return base + url[1:] if url.startswith("/") else url


def inline(content, references, base):
    """HTML of inline content."""
    return "".join(one_inline(part, references, base) for part in content)


def one_inline(part, references, base):
    kind = part.get("type")
    if kind == "text":
        return html.escape(part["text"])
    if kind == "codeVoice":
        return f"<code>{html.escape(part['code'])}</code>"
    if kind in ("emphasis", "strong", "strikethrough", "newTerm", "inlineHead"):
        name = {"emphasis": "em", "newTerm": "em", "strikethrough": "s"}.get(kind, "strong")
        return f"<{name}>{inline(part['inlineContent'], references, base)}</{name}>"
    if kind == "image":
        target = references.get(part["identifier"], {})
        alternative = html.escape(target.get("alt") or "")
        return f'<img alt="{alternative}" src="{html.escape(address(target["variants"][0], base))}">' if target else ""
    if kind in ("reference", "link"):
        target = references.get(part.get("identifier"), {"url": part.get("destination", ""), "title": part.get("title", "")})
        text = (inline(part["overridingTitleInlineContent"], references, base) if part.get("overridingTitleInlineContent")
                else html.escape(target.get("title") or target.get("url", "")))
        return f'<a href="{html.escape(address(target, base))}">{text}</a>'
    return inline(part.get("inlineContent", []), references, base)


def blocks(content, references, base):
    """HTML of block content."""
    return "\n".join(block(part, references, base) for part in content)


def block(part, references, base):
    kind = part.get("type")
    inner = lambda some: blocks(some, references, base)  # noqa: E731
    if kind == "heading":
        return f'<h{part["level"]} id="{html.escape(part["anchor"])}">{html.escape(part["text"])}</h{part["level"]}>'
    if kind == "paragraph":
        return f"<p>{inline(part['inlineContent'], references, base)}</p>"
    if kind == "codeListing":
        return "<pre><code>" + html.escape("\n".join(part["code"])) + "</code></pre>"
    if kind in ("unorderedList", "orderedList"):
        name = "ul" if kind == "unorderedList" else "ol"
        return f"<{name}>" + "".join(f"<li>{inner(item['content'])}</li>" for item in part["items"]) + f"</{name}>"
    if kind == "termList":
        return "<dl>" + "".join(
            f"<dt>{inline(item['term']['inlineContent'], references, base)}</dt><dd>{inner(item['definition']['content'])}</dd>"
            for item in part["items"]) + "</dl>"
    if kind == "table":
        return "<table>" + "".join(
            "<tr>" + "".join(f"<td>{inner(cell)}</td>" for cell in row) + "</tr>" for row in part["rows"]) + "</table>"
    if kind == "aside":
        return f"<blockquote>{inner(part['content'])}</blockquote>"
    return inner(part.get("content", [])) if isinstance(part.get("content"), list) else ""


def section(part, references, base):
    """HTML of a primary content section of an article or a symbol."""
    kind = part["kind"]
    if kind == "content":
        return blocks(part["content"], references, base)
    if kind == "declarations":
        return "".join("<pre><code>" + html.escape("".join(token["text"] for token in declaration["tokens"])) + "</code></pre>"
                       for declaration in part["declarations"])
    if kind == "parameters":
        return "<dl>" + "".join(f"<dt><code>{html.escape(one['name'])}</code></dt><dd>{blocks(one['content'], references, base)}</dd>"
                                for one in part["parameters"]) + "</dl>"
    return ""


def topics(page, references, base):
    """HTML of the lists of pages at a page's end."""
    text = ""
    for group in page.get("topicSections", []) + page.get("seeAlsoSections", []):
        links = [references[one] for one in group["identifiers"] if one in references]
        text += f"<h2>{html.escape(group.get('title') or 'Topics')}</h2><ul>" + "".join(
            f'<li><a href="{html.escape(address(one, base))}">{html.escape(one["title"])}</a> '
            f"{inline(one.get('abstract', []), references, base)}</li>" for one in links) + "</ul>"
    return text


def tutorial(value, references, base):
    """HTML of everything in the sections of a tutorial or a table of contents."""
    if isinstance(value, list):
        return "".join(tutorial(one, references, base) for one in value)
    if not isinstance(value, dict):
        return ""
    if value.get("type") in ("paragraph", "heading", "codeListing", "unorderedList", "orderedList", "aside"):
        return block(value, references, base)
    title = f"<h2>{html.escape(value['title'])}</h2>" if isinstance(value.get("title"), str) and "identifiers" not in value else ""
    links = "".join(f'<p><a href="{html.escape(address(references[one], base))}">{html.escape(references[one]["title"])}</a></p>'
                    for one in value.get("tutorials", []) if isinstance(one, str) and one in references)
    code = references.get(value.get("code") or "", {}).get("content")
    listing = "<pre><code>" + html.escape("\n".join(code)) + "</code></pre>" if code else ""
    return title + links + "".join(tutorial(one, references, base) for key, one in value.items() if key != "title") + listing


def text_of(page, base):
    """HTML of a whole page."""
    references = page.get("references", {})
    parts = [f"<h1>{html.escape(page['metadata'].get('title', ''))}</h1>",
             f"<p>{inline(page.get('abstract', []), references, base)}</p>"]
    parts += [section(part, references, base) for part in page.get("primaryContentSections", [])]
    if page["kind"] in ("overview", "project", "article") and page.get("sections"):
        parts.append(tutorial(page["sections"], references, base))
    parts.append(topics(page, references, base))
    return "\n".join(parts)


def fill_pages(site, base):
    """Writes the title, the description and the text into the HTML of every page."""
    for source in sorted((site / "data").rglob("*.json")):
        page = json.loads(source.read_text())
        target = site / source.relative_to(site / "data").with_suffix("") / "index.html"
        text = target.read_text()
        title = page["metadata"].get("title", NAME)
        description = plain(page.get("abstract", []), page.get("references", {}))
        head = f"<title>{html.escape(title)}</title>"
        if description:
            head += f'<meta name="description" content="{html.escape(description)}">'
        text, count = re.subn(r"<title>.*?</title>", lambda _: head, text, count=1, flags=re.S)
        filled, places = re.subn(r"<noscript>.*?</noscript>", lambda _: f"<noscript>{STYLE}{text_of(page, base)}</noscript>",
                                 text, count=1, flags=re.S)
        if not count or not places:
            raise RuntimeError(f"{target} has no <title> or <noscript>; docc's renderer has changed: adapt site_text.py")
        target.write_text(filled)
