# Text: literals, slices, methods.
# --- repr chooses quotes
print(
    repr("a"),
    repr("it's"),
    repr('say "x"'),
    repr("both ' and \""),
    repr("tab\tnew\nback\\"),
    repr("\x00\x7f\u00e9\u20ac"),
)
# --- literals
print(
    "a" "b" 'c',
    r"\n",
    "\x41\u00e9",
    """two
lines""",
    '\'',
    "\101",
)
# --- concatenation and repetition
print("ab" + "cd", "ab" * 3, 2 * "-", "x" * 0, "x" * -1)
# --- indexing and slices
s = "hello world"
print(s[0], s[-1], s[1:4], s[:5], s[6:], s[::-1], s[::2], s[-3:], s[8:2:-2], s[100:], s[:-100])
# --- slices count characters, not bytes
s = "aé€😀z"
print(len(s), s[1], s[2:4], s[::-1], s[3], s.find("z"), s.index("€"), s.upper())
# --- membership and comparison
print(
    "ell" in "hello",
    "x" not in "abc",
    "" in "a",
    "a" < "b",
    "Z" < "a",
    "abc" < "abd",
    "a" < "aa",
    "é" > "z",
    "a" == "a",
)
# --- case methods
s = "hELLo wORLD"
print(s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), "STRASSE".casefold())
# --- strip
print(
    "[" + "  x ".strip() + "]",
    "xxhixx".strip("x"),
    "  a".lstrip(),
    "a  ".rstrip() + "|",
    "abcba".strip("ab"),
    "www.x.com".lstrip("w."),
)
# --- split
print(
    "a b  c".split(),
    "a,b,,c".split(","),
    "a,b,c".split(",", 1),
    "".split(),
    "".split(","),
    " x ".split(" "),
    "a--b--c".split("--"),
)
# --- rsplit partition splitlines
print(
    "a.b.c".rsplit(".", 1),
    "k=v=w".partition("="),
    "k=v=w".rpartition("="),
    "none".partition("="),
    "a\nb\r\nc\n".splitlines(),
    "x\ny".splitlines(True),
)
# --- join
print(", ".join(["a", "b"]), "".join([]), "-".join("abc"), ",".join(str(i) for i in range(4)))
# --- replace
print("banana".replace("a", "o"), "banana".replace("a", "o", 2), "abc".replace("", "-"), "aaa".replace("aa", "b"))
# --- find and count
print(
    "banana".find("an"),
    "banana".rfind("an"),
    "banana".find("x"),
    "banana".find("a", 2),
    "banana".count("a"),
    "banana".count("ana"),
    "banana".index("n"),
    "abc".count(""),
)
# --- startswith endswith
print(
    "hello".startswith("he"),
    "hello".endswith("lo"),
    "hello".startswith(("x", "h")),
    "hello".startswith("l", 2),
    "a".endswith(""),
)
# --- prefix and suffix
print("test_x".removeprefix("test_"), "a.gpa".removesuffix(".gpa"), "abc".removeprefix("x"))
# --- alignment methods
print(
    "[" + "a".ljust(4) + "]",
    "[" + "a".rjust(4, ".") + "]",
    "[" + "ab".center(7, "*") + "]",
    "42".zfill(5),
    "-42".zfill(5),
    "[" + "abc".center(2) + "]",
)
# --- predicates
print(
    "123".isdigit(),
    "12a".isdigit(),
    "abc".isalpha(),
    "a1".isalnum(),
    " ".isspace(),
    "".isdigit(),
    "A".isupper(),
    "a".islower(),
    "Ab".istitle(),
    "x_1".isidentifier(),
    "1x".isidentifier(),
)
# --- iteration
for i, c in enumerate("abc", start=1):
    print(i, c, end=";")
print()
# --- sorted and reversed
print(sorted("hello"), "".join(reversed("abc")), list("abc"), tuple("ab"), set("a"), max("hello"))
# --- tabs and translation
print(
    "a\tb".expandtabs(4),
    "01\t012".expandtabs(),
    "abc".translate({97: "x", 98: None}),
    "abc".translate(str.maketrans("ab", "xy")),
)
# --- percent formatting
print(
    "%d %s %5.2f %x %%" % (3, "a", 1.5, 255),
    "%s" % 5,
    "%r" % "q",
    "%-5d|" % 3,
    "%05d" % 42,
    "%+d" % 7,
    "%e" % 12345.678,
    "%g" % 0.0001,
)
# --- percent formatting with a mapping
print("%(a)d-%(b)s" % {"a": 1, "b": "x"})
# --- str.format
print(
    "{} {}".format(1, "a"),
    "{1} {0}".format("x", "y"),
    "{a:>5}".format(a=3),
    "{0:.2f}|{0:8.3f}".format(math.pi),
    "{{}}".format(),
    "{0[1]}".format([1, 2]),
)
# --- str of containers uses repr
print(str([1, "a", None, 2.0, True]), str({"k": (1,)}), str((1, "x")), str({"a"}))
# --- escapes in repr of containers
print(["a\nb", 'it\'s', "\\"], {"k\t": "v"})
# --- multi-line text
text = """line one
  line two
line three"""
for line in text.split("\n"):
    print(repr(line.strip()), len(line))
# --- word count
words = "the cat and the hat and the bat".split()
counts = {}
for w in words:
    counts[w] = counts.get(w, 0) + 1
print(sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])))
# --- caesar
print("".join(chr((ord(c) - 97 + 3) % 26 + 97) if c.isalpha() else c for c in "hello, world"))
# --- print options
print(1, 2, 3, sep="-")
print("a", end="|\n")
print()
print("x", "y", sep="", end="!\n")
print(*[1, 2], *(3,), sep=", ")
# --- string methods through the type
print(str.upper("abc"), list(map(str.strip, [" a ", "b "])), "abc".__len__() if False else len("abc"))
# --- comparisons with other types
print("1" == 1, "a" != None, "a" == ["a"], "" == False)
# --- bytes in bytes
b = b"ab\0cosh P6"
print(b"cosh" in b, b"x" in b, b"" in b, 97 in b, 255 in b, b"cosh" not in b, b"a" in b"", 0 in b"")
for f in (lambda: "a" in b, lambda: 300 in b, lambda: -1 in b, lambda: 1.5 in b, lambda: b"a" in "a"):
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
# --- methods of bytes
b = b"\x0b The\x1cend\xe9 \x85of\r\nit\n\x0c"
for m in (
    "split",
    "rsplit",
    "splitlines",
    "strip",
    "lstrip",
    "rstrip",
    "upper",
    "lower",
    "title",
    "capitalize",
    "swapcase",
    "expandtabs",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "istitle",
    "isascii",
):
    print(
        m,
        getattr(b, m)(),
        getattr(b"", m)(),
        getattr(b"Abc9 d", m)(),
        getattr(b" \t\x0b", m)(),
        getattr(b"\xff\xe9", m)(),
        getattr(b"12", m)(),
    )
print(
    b"a,b,c".split(b",", 1),
    b"a,b,c".rsplit(b",", 1),
    b"x\ny".splitlines(True),
    b"xxaxx".strip(b"x"),
    b"banana".replace(b"an", b"\xff", 1),
)
print(
    b"banana".find(b"an"),
    b"banana".find(110),
    b"banana".rfind(b"an"),
    b"banana".find(b"x"),
    b"banana".index(98),
    b"banana".count(b"a", 2),
    b"\xff\xfea".find(b"a"),
)
print(
    b"P6 2".startswith(b"P6"),
    b"P6".startswith((b"P5", b"P6")),
    b"a.png".endswith(b"g", 1),
    b"ab".removeprefix(b"a"),
    b"ab".removesuffix(b"b"),
)
print(
    b"k=v=w".partition(b"="),
    b"k=v=w".rpartition(b"="),
    b"k".partition(b"="),
    b", ".join([b"a", b"\xff"]),
    b"a".center(4),
    b"a".ljust(3, b"."),
    b"a".rjust(3, b"\xe9"),
    b"-7".zfill(4),
)
print(
    b"ab\xff".hex(),
    b"abcde".hex("-"),
    b"abcde".hex("_", 2),
    b"abcde".hex(":", -2),
    bytes.fromhex("00fF 1a"),
    int.from_bytes(b"\x01\x02", "big"),
)
print(
    int.from_bytes(b"\x01\x02", "little"),
    int.from_bytes(b"\xff\xfe", signed=True),
    int.from_bytes(b""),
    int.from_bytes([1, 0]),
    int.from_bytes(b"\0" * 9 + b"\x07"),
)
print(
    (258).to_bytes(2, "big"),
    (5).to_bytes(),
    (-2).to_bytes(3, "little", signed=True),
    (255).to_bytes(1),
    (0).to_bytes(0),
    (2**62).to_bytes(9, "big"),
)
for f in (
    lambda: b"a".split("a"),
    lambda: b"a".split(b""),
    lambda: b"a".find("a"),
    lambda: b"a".find(300),
    lambda: b"a".index(b"x"),
    lambda: b"a".startswith("a"),
    lambda: b"a".startswith(("a",)),
    lambda: b"a".join(["a"]),
    lambda: b"a".center(3, "x"),
    lambda: b"a".replace(b"a", "b"),
    lambda: b"a".partition(b""),
    lambda: b"a".strip("a"),
    lambda: bytes.fromhex("0g"),
    lambda: bytes.fromhex("0"),
    lambda: b"a".hex("--"),
    lambda: (256).to_bytes(1),
    lambda: (-1).to_bytes(1),
    lambda: (128).to_bytes(1, signed=True),
    lambda: (1).to_bytes(-1),
    lambda: (1).to_bytes(1, "middle"),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
# --- encodings
print(
    "é€".encode(),
    "é".encode("latin-1"),
    "abc".encode("ASCII"),
    b"\xe9".decode("latin1"),
    b"\xc3\xa9".decode("utf_8"),
    b"\xef\xbb\xbfa".decode("utf-8-sig"),
    "a".encode("utf-8-sig"),
)
print(
    "aé€😀".encode("latin-1", "replace"),
    "aé€".encode("ascii", errors="ignore"),
    b"a\xe9b".decode("ascii", "replace"),
    b"\xe9a\xe2\x82".decode(errors="ignore"),
)
print(
    b"\xe2\x82z\xf0\x9f\x98\xff\x80".decode(errors="replace"),
    bytes("é", "latin-1"),
    str(b"\xe9", "latin-1"),
    str(b"abc", errors="ignore"),
)
for f in (
    lambda: b"\xff".decode(),
    lambda: b"a\xe2\x82".decode(),
    lambda: b"\xe2\x82z".decode(),
    lambda: b"\xe2z".decode(),
    lambda: b"\xed\xa0\x80".decode(),
    lambda: b"\xf5".decode(),
    lambda: b"\xc0\x80".decode(),
    lambda: b"\xf0\x82".decode(),
    lambda: b"ab\x80".decode("ascii"),
    lambda: "é".encode("ascii"),
    lambda: "aéüb".encode("ascii"),
    lambda: "😀".encode("latin-1"),
    lambda: "€".encode("latin-1"),
    lambda: "a".encode("nope"),
    lambda: b"a".decode("nope"),
    lambda: "a".encode(3),
    lambda: bytes("a"),
    lambda: bytes(3, "ascii"),
    lambda: bytes([256]),
):
    try:
        print(f())
    except UnicodeError as e:
        print(type(e).__name__, isinstance(e, ValueError), e)
    except (LookupError, TypeError, ValueError) as e:
        print(type(e).__name__, e)

# --- widths that no memory holds
for f in (lambda n: "a".ljust(n), lambda n: "a".rjust(n, "é"), lambda n: "a".center(n), lambda n: "a".zfill(n)):
    try:
        f(10**18)
    except MemoryError:
        print("MemoryError")
print("ab".ljust(5, "é"), "ab".rjust(5, "é"), "ab".center(5, "é"), "ab".center(6, "é"), "-3".zfill(5), "ab" * 3,
    "é" * 4, "ab" * 0)
print(f"{1234567:020,}", f"{1:012,}", f"{12:03,}", f"{1.5:.1200f}"[-3:], len(f"{1.5:.1200f}"), f"{2.5e-7:.1200e}"[-6:],
    f"{0.1:.1200g}"[:5])
# --- long text beyond ASCII: indices, slices, find, patterns
import re

letters = [("a", "é", "€", "😀", "b")[k * k % 101 % 5] for k in range(3000)]
s = "".join(letters)
print([s[i] for i in (0, 63, 64, 65, 127, 128, 2999, -1, -64)] == [letters[i] for i in (0, 63, 64, 65, 127, 128, 2999, -1, -64)])
print(all([s[i:j] == "".join(letters[i:j]) for i in range(0, 3000, 97) for j in range(0, 3001, 101)]), s[::-7] == "".join(letters[::-7]))
print(all([s.find(c, k) == letters.index(c, k) for c in "aé€😀b" for k in range(0, 2900, 13)]), s.rfind("😀") == 2999 - letters[::-1].index("😀"))
print(all([m.start() == i and m.end() == i + 1 for m, i in zip(re.finditer("(?s).", s), range(3000))]))
print([re.compile("é").search(s, k).start() == letters.index("é", k) for k in (0, 64, 2000)],
    re.compile("a").findall(s, 100, 200) == re.findall("a", s[100:200]))
x = "é" * 128
print(x[127], x[64], x[63:65], len(x[64:]), x[128:], ("é" * 64)[63], ("é" * 64)[64:], ("é" * 65)[64])
t, same = "", True
for i in range(1000):
    t += letters[i]
    same = same and t[-1] == letters[i] and t[i // 2] == letters[i // 2] and t.find(letters[i // 3], i // 3) == i // 3
print(same)
