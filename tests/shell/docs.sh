# The pages of `make docs`: no link is dead, a dead one is found, and every function stands there with signature and docstring.
. tests/checks.sh
workspace docs
site=$work/site

.make/docs.sh "$B" "$site" > "$work/log" 2>&1
verdict "pages are written, and no link is dead" $? "$work/log"
for page in index lang runtime magics reference/index reference/numpy examples/index; do
    [ -s "$site/$page.html" ] || failed "there is a page $page"
done
equal "Markdown that is not understood" "$("$PYTHON" - "$site" <<'P'
import glob, re, sys
for path in sorted(glob.glob(sys.argv[1] + "/**/*.html", recursive=True)):
    text = re.sub(r"<(pre|code)>.*?</\1>|<[^>]*>", " ", open(path, encoding="utf-8").read(), flags=re.S)
    for found in re.findall(r".{0,30}(?:\]\(|\*\*\w|```|^#+ \w).{0,30}", text.split("<article")[0], flags=re.M):
        if "/reference/" not in path: print(path, found)
P
)" ""
contains "the search's text has code as it is written" "$(cat "$site/index.js")" "cumsum, x[x > 0.5], a histogram"

cp -R "$site" "$work/dead"
echo '<p><a href="lang.html#nowhere">x</a><a href="gone.html">y</a><img src="https://elsewhere.org/z.png"></p>' >> "$work/dead/vm.html"
"$PYTHON" .make/docs/links.py "$work/dead" > "$work/log"
equal "dead links are found" "$? $(cat "$work/log")" "1 vm.html: gone.html: there is no file gone.html
vm.html: https://elsewhere.org/z.png is fetched from elsewhere
vm.html: lang.html#nowhere: lang.html has no section nowhere"

{ cat .make/docs/listing.gpa; echo 'for row in entries(): print(row)'; } > "$work/list.gpa"
"$GPA" "$work/list.gpa" > "$work/list" 2>&1
verdict "the listing" $? "$work/list"
"$PYTHON" - "$site" "$work/list" > "$work/log" <<'P'
import ast, glob, html.parser, sys

class Page(html.parser.HTMLParser):
    """Texts by article."""
    def __init__(self):
        super().__init__()
        self.text, self.at = {}, None
    def handle_starttag(self, tag, attrs):
        if tag == "article":
            self.at = dict(attrs)["id"]
            self.text[self.at] = ""
    def handle_endtag(self, tag):
        if tag == "article":
            self.at = None
    def handle_data(self, data):
        if self.at:
            self.text[self.at] += data

page = Page()
for path in glob.glob(sys.argv[1] + "/reference/*.html"):
    page.feed(open(path, encoding="utf-8").read())
rows = [ast.literal_eval(line) for line in open(sys.argv[2], encoding="utf-8")]
# Headings are not underlined, names not in backticks.
words = lambda text: "".join([word for word in text.replace("`", "").split() if word.strip("-")])
texts = {name: words(text) for name, text in page.text.items()}
missing = [f"{o}.{n}" for o, n, _, doc, signature in rows
           if n and (words(doc or "-") not in texts.get(f"{o}.{n}", "") or words(signature or "") not in texts.get(f"{o}.{n}", ""))]
print(*missing[:20], "is not there, or not whole" if missing else "")
if len(texts) != len({(o, n) for o, n, *_ in rows if n}):
    print("more articles than functions")
sys.exit(bool(missing) or len(rows) < 900)
P
verdict "every function is there, whole" $? "$work/log"
finish
