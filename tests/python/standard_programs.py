# Programs that use modules of Python's own library.
# --- statistics
import statistics as st

print(
    st.mean([1, 2, 3]), st.mean([1, 2]), st.median([1, 2]), st.stdev([1, 2, 4]), st.mode("aab"), st.variance([1, 2, 4])
)
print(
    st.multimode([1, 1, 2, 2]),
    st.quantiles([1, 2, 3, 4, 5], n=3),
    st.quantiles([1.0, 5, 2], method='inclusive'),
    st.variance([1, 2, 3]),
)
print(
    st.fmean([2.5, 3.1]),
    st.harmonic_mean([40, 60]),
    st.covariance([1, 2, 3], [3, 1, 2]),
    st.correlation([1, 2, 3], [3, 1, 2]),
)
print(
    st.linear_regression([1, 2, 3], [3, 5, 7.5]),
    st.median_low([1, 2]),
    st.median_high([1, 2]),
    st.pvariance([1, 2, 3, 4]),
)
data = [2.75, 1.75, 1.25, 0.25, 0.5, 1.25, 3.5]
print(
    st.variance(data), st.stdev(data), st.mean([0.1] * 10), st.geometric_mean([1, 4]), st.fmean([1, 3], weights=[3, 1])
)
for f in (st.mean, st.median, st.mode, st.stdev):
    try:
        f([])
    except ValueError as e:
        print(e)
# --- textwrap
import textwrap

text = (
    "The quick brown fox jumped over the lazy dog -- a well-known sentence, used in type-setting and font-testing "
    "since 1885."
)
for width in (20, 33, 70):
    print(textwrap.fill(text, width))
print(
    textwrap.wrap("a verylongwordthatdoesnotfit b", 8),
    textwrap.wrap("averylongword", 5, break_long_words=False),
    textwrap.wrap("", 5),
    textwrap.wrap("  lead and  two   blanks ", 12),
)
print(textwrap.fill(text, 40, initial_indent="* ", subsequent_indent="  "))
print(
    textwrap.shorten("Hello  world! This is   it", width=12),
    textwrap.shorten("Hello world", width=11),
    textwrap.shorten("Hello world", width=10, placeholder="..."),
)
print(textwrap.wrap(text, 30, max_lines=2), textwrap.wrap(text, 30, max_lines=2, placeholder="~"))
print(
    repr(textwrap.dedent("""
    one
      two

    three
""")),
    repr(textwrap.dedent("  a\n\tb")),
    repr(textwrap.indent("a\n\nb\n", "  ")),
    repr(textwrap.indent("a\n\nb", "> ", lambda line: True)),
)
w = textwrap.TextWrapper(width=15, initial_indent="- ")
print(w.wrap("one two three four"), w.fill("one"))
# --- pprint
from pprint import pprint, pformat, pp

pprint({"name": "x" * 30, "values": list(range(30)), "nested": {"b": 1, "a": [1, 2, {"k": "v" * 40}]}})
pprint([list(range(12)), list(range(25)), (1,), ("a" * 50, "b" * 50), {3, 1, 2}])
pprint(list(range(40)), width=40, compact=True)
pprint({"a": {"b": {"c": {"d": 1}}}}, depth=2)
pprint([[1, [2, [3, [4]]]]], depth=3)
pp({"z": 1, "a": 2})
pprint({"long text": "the quick brown fox jumps over the lazy dog and runs away from it again and again"}, width=50)
print(pformat([1, 2, 3]), pformat({}), pformat("x"), pformat([{"a": 1, "b": 2}] * 3, width=20))
pprint([("first", 1), ("second", 2.5), ("third", None)], width=30, indent=4)
pprint(np.arange(12).reshape(3, 4))
pprint({"array": np.zeros((2, 3)), "n": 5})
# --- platform
import platform

print(
    platform.system(),
    platform.architecture()[0],
    len(platform.python_version_tuple()),
    platform.machine() == platform.uname().machine,
)


