"""NumPy's own examples as a yardstick: python tests/numpy_examples.py [--fails] [--least=PERCENT] [WORD ...]

Takes the `>>>` examples of the docstrings of the installed NumPy (those of functions whose name holds one of the words), runs
them in CPython and in gpa, and compares what is shown: blanks do not count, and numbers may differ in their last digits.
An example counts when it uses only what gpa is meant to have; the others are told apart by the reasons in EXCLUDED. --fails
shows those that differ. The run fails below --least. No text of NumPy's is kept here."""
import collections
import doctest
import math
import os
import re
import sys
import tempfile
import warnings

import numpy as np
import numpy.fft
import numpy.linalg
import numpy.random

import cells
from cells import Gpa, Python

# Why an example does not count, by what is in its source or its answer; the first that fits.
EXCLUDED = (
    ("texts, records, dates, objects", r"dtype=(object|str|'[SUOMmV]|\"[SUOMmV])|np\.(char|strings|rec|datetime|timedelta|busday|is_busday|record|"
     r"void|str_|bytes_|object_|datetime_\w+|recarray|chararray|format_parser)|datetime64|timedelta64|'<?[SUOV]\d*'|dtype\(\[|dtype=\[|astype\((str|object)"
     r"|dtype='?<[UMS]|\[\('|np\.dtype\(\{|names=|dtype=\('|array\(\[\"|array\(\['|np\.dtype\(\(|fields"),
    ("other precisions", r"longdouble|clongdouble|float128|complex256|long double|np\.longlong|finfo\(np\.long"),
    ("classes, iterators of NumPy", r"\bclass \w|np\.(nditer|ndenumerate|ndindex|matrix|asmatrix|bmat|mat|memmap|lib|ma|testing|poly1d|broadcast\(|flatiter|"
     r"nested_iters|frompyfunc|busdaycalendar|vectorize|emath|ctypeslib|exceptions|typing|polynomial)|\.flat\b|\.ctypes|\.setflags|ndarray\(|\.view\(np\.ndarray|isinstance\(.*Iter|yield|\.base\b|"
     r"__array_|\.__\w+__|_scalar_type_map|np\.(get_include|show_config|info|source|lookfor|test|who|deprecate|get_array_wrap|set_string_function|getbufsize|setbufsize|"
     r"show_runtime|byte_bounds|sctypes|typename|mintypecode|require|issctype|sctype2char|set_printoptions|get_printoptions|printoptions|seterrcall|geterrcall|memoryview|dlpack)"),
    ("other modules", r"import (?!numpy|math)|from (?!numpy|math)|plt\.|scipy|pickle|io\.|StringIO|BytesIO|os\.|sys\.|tempfile|Decimal|Fraction"),
    ("random numbers", r"rng|random|SeedSequence|PCG64|MT19937|Philox|default_rng"),
    ("addresses, times, bytes in memory", r"0x[0-9a-f]{6,}|\bid\(|byteswap|newbyteorder|tobytes|frombuffer|tofile|fromfile|\.data\b|getsizeof|byteorder|\.str\b|'>|\"[<>=]"),
)


def close(got, want):
    """Whether two shown values are alike: the same words, numbers equal to a few digits."""
    number = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf|nan)", re.I)
    if "".join(number.sub("#", got).split()) != "".join(number.sub("#", want).split()):
        return False
    pairs = zip(number.findall(got), number.findall(want))
    return all(math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-13) or a.lower() == b.lower() for a, b in pairs)


def subjects(words):
    """(name, docstring) of what NumPy documents, each once."""
    seen = set()
    for prefix, owner in (("", np), ("linalg.", np.linalg), ("fft.", np.fft), ("random.", np.random.Generator), ("ndarray.", np.ndarray),
                          ("ufunc.", np.ufunc), ("dtype.", np.dtype)):
        for name in sorted(dir(owner)):
            thing = getattr(owner, name, None)
            doc = getattr(thing, "__doc__", None)
            if name.startswith("_") or not isinstance(doc, str) or ">>>" not in doc or id(thing) in seen or doc in seen:
                continue
            seen.update((id(thing), doc))
            if not words or any(w in prefix + name for w in words):
                yield prefix + name, doc


def reason(example, answer):
    text = example.source + answer
    return next((why for why, pattern in EXCLUDED if re.search(pattern, text)), None)


def shown(result):
    return (result.out + "\n" + result.error.split("\n")[0]).strip()


def score(name, doc, oracle, gpa, fails):
    """Counts of ok, failed and the reasons of exclusion for the examples of one docstring, which share their names."""
    counts, lost = collections.Counter(), None
    oracle.fresh()
    gpa.fresh()
    for engine in (oracle, gpa):
        engine.run("import numpy as np\nimport math\n")
    for example in doctest.DocTestParser().get_examples(doc):
        if doctest.SKIP in example.options:
            continue
        want = oracle.run(example.source)
        why = reason(example, shown(want)) or lost
        if why:
            counts[why] += 1
            if re.match(r"\s*(\w+\s*(,\s*\w+\s*)*=[^=]|def |import |from )", example.source):
                lost = lost or why
            continue
        got = gpa.run(example.source)
        good = close(shown(got), shown(want))
        counts["ok" if good else "failed"] += 1
        if not good and fails:
            print(f"{name}: {example.source.rstrip()}\n  NumPy: {shown(want)[:300]}\n  gpa:   {shown(got)[:300]}")
    return counts


def main():
    fails = "--fails" in sys.argv
    least = next((float(a[8:]) for a in sys.argv if a.startswith("--least=")), 0)
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    warnings.simplefilter("ignore")
    oracle, gpa = Python(), Gpa()
    cells.PROGRAM = os.path.abspath(cells.PROGRAM)
    total, by_part, failing = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, doc in subjects(words):
            counts = score(name, doc, oracle, gpa, fails)
            total += counts
            by_part[name.split(".")[0] if "." in name else "numpy"] += counts
            if counts["failed"]:
                failing[name] = counts["failed"]
        os.chdir("/")
    for part, counts in by_part.items():
        print(f"# {part}: {counts['ok']} of {counts['ok'] + counts['failed']}")
    print("# failing: " + ", ".join(f"{name} {n}" for name, n in failing.most_common()))
    print("# excluded: " + ", ".join(f"{why} {n}" for why, n in total.most_common() if why not in ("ok", "failed")))
    share = 100 * total["ok"] / max(1, total["ok"] + total["failed"])
    print(f"{'ok' if share >= least else 'not ok'} - {total['ok']} of {total['ok'] + total['failed']} examples of NumPy's answered alike, "
          f"{share:.1f} % (NumPy {np.__version__})")
    sys.exit(share < least)


main()
