# Regular expressions, against CPython's re.
# --- finding
import re

text = "Ann: 12, Bob: 7; Cécile: 345\nDan: 9"
print(
    re.findall(r"\d+", text),
    re.findall(r"(\w+): (\d+)", text),
    re.findall(r"(\w+):", text),
    re.search(r"\d+", text).group(),
    re.match(r"\d", text),
    re.fullmatch(r"\d+", "123"),
)
m = re.search(r"(?P<name>\w+): (?P<n>\d+)(x)?", text)
print(
    m,
    m.group(),
    m.group(1, 2),
    m["name"],
    m[2],
    m.groups(),
    m.groups("-"),
    m.groupdict(),
    m.span(),
    m.span("n"),
    m.start(3),
    m.lastindex,
    m.lastgroup,
    m.pos,
    m.endpos,
    m.re.pattern,
)
print(
    [(m.start(), m.end(), m.group()) for m in re.finditer(r"[A-Z]\w*", text)],
    re.findall(r"^\w+", text, re.M),
    re.findall(r"é\w", text),
    re.findall(r"é|\w{3}$", text),
)
p = re.compile(r"b+", re.I)
print(
    p,
    p.pattern,
    p.flags,
    p.groups,
    p.findall("abBb b"),
    p.search("abb", 2),
    p.match("abb", 1),
    p.fullmatch("abb", 1, 3),
    p.sub("-", "aBbc"),
    bool(p.search("x")),
    re.compile("x"),
    re.compile(p) is p,
)
print(
    re.findall("a|", "banana"),
    re.findall("", "ab"),
    re.findall("x*", "axbxx"),
    re.findall(r"\b", "ab cd"),
    re.findall("(a)|(n)", "ban"),
    re.findall("(?i)ANA", "banana"),
    re.findall("(?s)a.b", "a\nb"),
)
print(
    re.findall(r"(?x) \d +  # digits", "12 a 3"),
    re.findall(r"\w+", "naïve façade", re.A),
    re.findall(r"[^\W\d_]+", "ab1_cé"),
    re.findall(r"a{,2}b", "aaab b"),
    re.findall(r"[[\]]", "a[b]"),
    re.findall(r"\u00e9", "é"),
    re.findall("[]a]+", "a]b"),
)
print(
    re.findall(r"(?<=\$)\d+", "$12 13"),
    re.findall(r"\d+(?!\d|%)", "12% 34"),
    re.findall(r"(\w)\1", "aabbc"),
    re.findall(r"(?P<q>['\"]).*?(?P=q)", "'a' \"b\""),
    re.findall(r"a.*?b", "aXbXb"),
    re.findall(r"end\Z", "end\nend"),
    re.findall("d$", "end\n"),
)
# --- replacing and splitting
import re

print(
    re.sub(r"(\w+) (\w+)", r"\2 \1", "one two three four"),
    re.sub("a", "o", "banana", 2),
    re.subn("a", "", "banana"),
    re.sub(r"\s+", " ", " a  b\t\nc "),
    re.sub("x*", "-", "abxd"),
    re.sub("", "-", "ab"),
)
print(
    re.sub(r"(?P<a>\d)", r"<\g<a>\g<0>\\\n>", "1x"),
    re.sub(r"\d+", lambda m: str(int(m.group()) * 2), "1 20 3"),
    re.sub("(a)|b", r"[\1]", "ab"),
    re.sub(r"(\d+)(\D)", r"\g<2>\g<1>", "12é3b"),
)
print(
    re.split(r"[,;]\s*", "a, b;c,d"),
    re.split(r"(,)", "a,b,c"),
    re.split(",", "a,b,c", maxsplit=1),
    re.split(r"\s+", " a b "),
    re.split("x*", "axb"),
    re.split("(a)|,", "1a2,3"),
    re.split(",", ""),
)
print(
    re.escape("a.b*c [x] é_1"),
    re.match(re.escape("a.b"), "a.b").span(),
    re.search("(é)(b)?", "aéb").span(2),
    re.search("b", "éàb").span(),
    re.compile("b").search("ébéb", 2).span(),
)
m = re.match(r"(\w)(\d)?", "ab")
print(
    m.expand(r"\1-\2!"),
    m.groups(),
    m.end(2),
    m.string,
    {re.compile("a"): 1}[re.compile("a")],
    re.compile("a", re.I) == re.compile("a"),
)
# --- words of a text, dates, a log, a template
import re
from collections import Counter

text = "The quick brown fox. The lazy dog! the end?"
print(Counter(re.findall(r"\b[a-z]+\b", text.lower())).most_common(2), re.split(r"[.!?]\s*", text))
log = (
    "2024-01-05 10:22:01 ERROR disk full (code=28)\n"
    "2024-01-05 10:23:44 INFO ok\n"
    "2024-01-06 08:00:00 ERROR no route (code=113)"
)
line = re.compile(
    r"^(?P<date>\d{4}-\d\d-\d\d) (?P<time>[\d:]+) (?P<level>[A-Z]+) (?P<text>.*?)(?: \(code=(?P<code>\d+)\))?$",
    re.MULTILINE,
)
for m in line.finditer(log):
    print(m.groupdict())
print([int(m["code"]) for m in line.finditer(log) if m["code"]], sum(1 for _ in re.finditer("ERROR", log)))
print(
    re.sub(r"\{(\w+)\}", lambda m: {"a": "1", "b": "2"}.get(m[1], "?"), "{a}+{b}={c}"),
    re.sub(r"(?<!^)([A-Z])", r"_\1", "camelCaseName").lower(),
    re.sub(r"(\d)(?=(\d{3})+$)", r"\1,", "1234567"),
)
print(
    [tok for tok in re.findall(r"\s*(\d+\.?\d*|[-+*/()])", "3.5 + 4*(2 - 1)")],
    bool(re.fullmatch(r"[\w.]+@[\w.]+\.\w+", "a.b@c.org")),
    np.array([float(x) for x in re.findall(r"-?\d+\.?\d*", "x=1.5, y=-2, z=3")]),
)
# --- patterns and arguments that are wrong
import re

for pattern in ("(a", "a)", "[a", "*a", "a**", r"\q", "(?P<n>a", r"(\w", "a\\", "(?<=a+)b", "é)", "x(é(y"):
    try:
        re.compile(pattern)
        print("fine")
    except re.error as e:
        print(pattern, "|", e)
for f in (
    lambda: re.search("a", 5),
    lambda: re.search(5, "a"),
    lambda: re.match("a", "a").group(1),
    lambda: re.match("a", "a").group("x"),
    lambda: re.sub("a", r"\1", "a"),
    lambda: re.sub("a", r"\g<x>", "a"),
    lambda: re.compile(re.compile("a"), re.I),
):
    try:
        print(f())
    except (TypeError, IndexError, ValueError, re.error) as e:
        print(isinstance(e, re.error), e)
