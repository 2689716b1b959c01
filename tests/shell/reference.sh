#!/bin/bash
# The reference page is complete: every function that there is stands on it, with its signature and its docstring.
cd "$(dirname "$0")/../.." || exit 2
B=${B:-build/release}
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
{ cat .make/listing.gpa; echo 'for row in entries(): print(row)'; } > "$tmp/list.gpa"
cat .make/listing.gpa .make/reference.gpa > "$tmp/page.gpa"
"$B/gpa" "$tmp/list.gpa" > "$tmp/list" && "$B/gpa" "$tmp/page.gpa" > "$tmp/page.html" || { echo "not ok - the page is made"; exit 1; }
"${PYTHON:-python3}" - "$tmp" <<'P'
import ast, html, html.parser, sys

class Page(html.parser.HTMLParser):
    """Texts by article; tags must match, links must lead somewhere."""
    def __init__(self):
        super().__init__()
        self.text, self.at, self.open, self.ids, self.links, self.good = {}, None, [], set(), set(), True
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.ids.add(attrs.get("id"))
        self.links.add(attrs.get("href"))
        if tag == "article":
            self.at = attrs["id"]
            self.text[self.at] = ""
        if tag != "meta":
            self.open.append(tag)
    def handle_endtag(self, tag):
        self.good &= bool(self.open) and self.open.pop() == tag
        if tag == "article":
            self.at = None
    def handle_data(self, data):
        if self.at:
            self.text[self.at] += data

page = Page()
page.feed(open(sys.argv[1] + "/page.html", encoding="utf-8").read())
rows = [ast.literal_eval(line) for line in open(sys.argv[1] + "/list", encoding="utf-8")]
words = lambda text: " ".join([word for word in text.split() if word.strip("-")])  # headings are not underlined
missing = [f"{o}.{n}" for o, n, _, doc, signature in rows
           if n and (words(doc or "-") not in words(page.text.get(f"{o}.{n}", "")) or words(signature or "") not in words(page.text.get(f"{o}.{n}", "")))]
def tell(good, name, *why):
    print("ok" if good else "not ok", "-", name)
    for line in why[:1 if good else None] if not good else ():
        print("#", line)
    return good
good = tell(len(rows) > 900 and not missing, "every function is there, whole", *missing[:20])
good &= tell(len(page.text) == len({(o, n) for o, n, *_ in rows if n}), "and nothing else")
lost = sorted(link[1:] for link in page.links if link and link[1:] not in page.ids)
good &= tell(page.good and not page.open and not lost, "tags match, links lead somewhere", *lost[:20])
sys.exit(not good)
P
