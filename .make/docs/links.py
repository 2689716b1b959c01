"""Dead links of a static site: python links.py FOLDER

Reports links to pages, sections and files that are not there, tags that do not match, ids that occur twice, and resources that
a page would fetch from elsewhere; the status is 1 if there are any. Links to other sites are not followed."""

import html.parser
import json
import os
import re
import sys
import urllib.parse

VOID = ("meta", "link", "img", "input", "br", "hr")


class Page(html.parser.HTMLParser):
    """Ids, links (address, resource or not) and defects of a page."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.open, self.defects = set(), [], [], []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.defects.append(f"the id {attrs['id']} occurs twice")
            self.ids.add(attrs["id"])
        for name in ("href", "src"):
            if attrs.get(name) is not None:
                self.links.append((attrs[name], tag != "a"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.defects.append(f"</{tag}> at {self.getpos()} closes nothing")

    def close(self):
        super().close()
        self.defects += [f"<{tag}> is not closed" for tag in self.open]


def pages_of(top):
    found = {}
    for folder, _, files in os.walk(top):
        for file in files:
            if file.endswith(".html"):
                path = os.path.join(folder, file)
                page = Page()
                with open(path, encoding="utf-8") as f:
                    page.feed(f.read())
                page.close()
                found[os.path.relpath(path, top)] = page
    return found


def dead(top, pages, base, link, resource=False):
    """Why a link of the page `base` leads nowhere, or None."""
    url = urllib.parse.urlsplit(link)
    if url.scheme == "data":
        return None
    if url.scheme or url.netloc:
        return f"{link} is fetched from elsewhere" if resource else None
    path = urllib.parse.unquote(url.path)
    target = os.path.normpath(os.path.join(os.path.dirname(base), path)) if path else base
    if not os.path.isfile(os.path.join(top, target)):
        return f"{link}: there is no file {target}"
    fragment = urllib.parse.unquote(url.fragment)
    if fragment and target in pages and fragment not in pages[target].ids:
        return f"{link}: {target} has no section {fragment}"
    return None


def defects(top):
    pages = pages_of(top)
    for base, page in sorted(pages.items()):
        yield from (f"{base}: {defect}" for defect in page.defects)
        for link, resource in page.links:
            why = dead(top, pages, base, link, resource)
            if why:
                yield f"{base}: {why}"
    with open(os.path.join(top, "index.js"), encoding="utf-8") as f:
        rows = json.loads(re.sub(r"^const INDEX = |;\n$", "", f.read()))
    for title, link, _ in rows:
        why = dead(top, pages, "index.html", link)
        if why:
            yield f"search, {title}: {why}"


found = sorted(set(defects(sys.argv[1])))
print("\n".join(found), end="\n" if found else "")
sys.exit(bool(found))
