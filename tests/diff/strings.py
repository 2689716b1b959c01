# Text: literals, slices, methods.
# --- repr chooses quotes
print(repr("a"), repr("it's"), repr('say "x"'), repr("both ' and \""), repr("tab\tnew\nback\\"), repr("\x00\x7f\u00e9\u20ac"))
# --- literals
print("a" "b" 'c', r"\n", "\x41\u00e9", """two
lines""", '\'', "\101")
# --- concatenation and repetition
print("ab" + "cd", "ab" * 3, 2 * "-", "x" * 0, "x" * -1)
# --- indexing and slices
s = "hello world"
print(s[0], s[-1], s[1:4], s[:5], s[6:], s[::-1], s[::2], s[-3:], s[8:2:-2], s[100:], s[:-100])
# --- slices count characters, not bytes
s = "aé€😀z"
print(len(s), s[1], s[2:4], s[::-1], s[3], s.find("z"), s.index("€"), s.upper())
# --- membership and comparison
print("ell" in "hello", "x" not in "abc", "" in "a", "a" < "b", "Z" < "a", "abc" < "abd", "a" < "aa", "é" > "z", "a" == "a")
# --- case methods
s = "hELLo wORLD"
print(s.upper(), s.lower(), s.title(), s.capitalize(), s.swapcase(), "STRASSE".casefold())
# --- strip
print("[" + "  x ".strip() + "]", "xxhixx".strip("x"), "  a".lstrip(), "a  ".rstrip() + "|", "abcba".strip("ab"), "www.x.com".lstrip("w."))
# --- split
print("a b  c".split(), "a,b,,c".split(","), "a,b,c".split(",", 1), "".split(), "".split(","), " x ".split(" "), "a--b--c".split("--"))
# --- rsplit partition splitlines
print("a.b.c".rsplit(".", 1), "k=v=w".partition("="), "k=v=w".rpartition("="), "none".partition("="), "a\nb\r\nc\n".splitlines(), "x\ny".splitlines(True))
# --- join
print(", ".join(["a", "b"]), "".join([]), "-".join("abc"), ",".join(str(i) for i in range(4)))
# --- replace
print("banana".replace("a", "o"), "banana".replace("a", "o", 2), "abc".replace("", "-"), "aaa".replace("aa", "b"))
# --- find and count
print("banana".find("an"), "banana".rfind("an"), "banana".find("x"), "banana".find("a", 2), "banana".count("a"), "banana".count("ana"), "banana".index("n"), "abc".count(""))
# --- startswith endswith
print("hello".startswith("he"), "hello".endswith("lo"), "hello".startswith(("x", "h")), "hello".startswith("l", 2), "a".endswith(""))
# --- prefix and suffix
print("test_x".removeprefix("test_"), "a.gpa".removesuffix(".gpa"), "abc".removeprefix("x"))
# --- alignment methods
print("[" + "a".ljust(4) + "]", "[" + "a".rjust(4, ".") + "]", "[" + "ab".center(7, "*") + "]", "42".zfill(5), "-42".zfill(5), "[" + "abc".center(2) + "]")
# --- predicates
print("123".isdigit(), "12a".isdigit(), "abc".isalpha(), "a1".isalnum(), " ".isspace(), "".isdigit(), "A".isupper(), "a".islower(), "Ab".istitle(), "x_1".isidentifier(), "1x".isidentifier())
# --- iteration
for i, c in enumerate("abc", start=1):
    print(i, c, end=";")
print()
# --- sorted and reversed
print(sorted("hello"), "".join(reversed("abc")), list("abc"), tuple("ab"), set("a"), max("hello"))
# --- tabs and translation
print("a\tb".expandtabs(4), "01\t012".expandtabs(), "abc".translate({97: "x", 98: None}), "abc".translate(str.maketrans("ab", "xy")))
# --- percent formatting
print("%d %s %5.2f %x %%" % (3, "a", 1.5, 255), "%s" % 5, "%r" % "q", "%-5d|" % 3, "%05d" % 42, "%+d" % 7, "%e" % 12345.678, "%g" % 0.0001)
# --- percent formatting with a mapping
print("%(a)d-%(b)s" % {"a": 1, "b": "x"})
# --- str.format
print("{} {}".format(1, "a"), "{1} {0}".format("x", "y"), "{a:>5}".format(a=3), "{0:.2f}|{0:8.3f}".format(math.pi), "{{}}".format(), "{0[1]}".format([1, 2]))
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
