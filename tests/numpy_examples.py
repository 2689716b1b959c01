"""Share of NumPy's own docstring examples that gpa answers alike: python tests/numpy_examples.py [--fails] [--least=PERCENT] [WORD | FILE.rst ...]

Takes the `>>>` examples of the docstrings of the installed NumPy (those of functions whose name holds one of the words), or those
of text files such as the chapters of its user guide, runs them in CPython and in gpa, and compares what is shown: blanks do not
count, and numbers may differ in their last digits. An example counts when it uses only what gpa is meant to have; the others
are told apart by the reasons in EXCLUDED, and so is what reads a name that one of those bound or changed. --fails shows
those that differ. The run fails below --least. No text of NumPy's is kept here."""

import ast
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
import numpy.polynomial
import numpy.random
import numpy.testing

import cells
from cells import Gpa, Python

# Why an example does not count, by what is in its source or its answer; the first that fits.
EXCLUDED = (
    (
        "texts, records, dates, objects",
        r"dtype=(object|str|bytes|'[SUOMmV]|\"[SUOMmV]|StringDType)|np\.(char|strings|rec|datetime|timedelta|busday\w*|is_busday|record|"
        r"void|str_|bytes_|object_|datetime_\w+|recarray|chararray|format_parser|typecodes)\b|datetime64|timedelta64|"
        r"'[<>|]?[SUOV]\d+'|\('[SU]'|dtype\(\[|dtype=\[|astype\((str|object)|dtype='?<[UMS]|\[\('|np\.dtype\(\{|names=|"
        r"array\(\[+[\"']|np\.dtype\(\(|dtype\((str|object)|array\(\[b'|fields|metadata|np\.dtype\('\d|"
        r"StringDType|recfunctions|numpy\.void|['\"][bhilufdSV?]\d*,|dtype\(\"S|object\(\)|dtype=\('|\('[<fiu]",
    ),
    ("masked arrays", r"np\.ma\b|numpy\.ma\b|\bma\.|usemask|masked_array|MaskedArray"),
    (
        "other precisions",
        r"longdouble|clongdouble|float128|complex256|long double|np\.longlong|finfo\(np\.long|\.(types|ntypes)$|np\.int_\(|\b\w+ \*\* power|10\*\*\d\d",
    ),
    (
        "classes, match",
        r"^\s*class \w|^match |np\.(matrix|asmatrix|bmat|mat|memmap|ctypeslib|lib\.mixins)\b|matrix\(|np\.r_\['[rc]'|mmap_mode|"
        r"__array_\w+|isinstance\(.*Iter|\byield\b",
    ),
    (
        "NumPy's own insides",
        r"np\.(nested_iters|get_include|show_config|source|lookfor|test|who|deprecate|getbufsize|setbufsize|show_runtime|__version__|"
        r"set_string_function|info|_core|core|typing)\b|numpy\.typing|npt\.|_umath_linalg|\.ctypes|setflags\(.*align|"
        r"_scalar_type_map|\.__array|memoryview|dlpack",
    ),
    (
        "other modules",
        r"^\s*(import|from) (?!numpy|math|io\b|tempfile|warnings|functools|itertools|operator|copy\b|os\b|sys\b|time\b|timeit)|plt\.|Decimal|Fraction|\bhelp\(",
    ),
    (
        "random numbers, memory as it is found",
        r"random|SeedSequence|PCG64|MT19937|Philox|default_rng|np\.empty|np\.ndarray\(shape|timeit\(",
    ),
    (
        "addresses, orders of bytes",
        r"0x[0-9a-f]{6,}|\bid\(|newbyteorder|['\"]>[a-zA-Z]\d?|'>'|getsizeof|\.data\b|bytearray",
    ),
)


OWNERS = (
    ("", np),
    ("linalg.", np.linalg),
    ("fft.", np.fft),
    ("random.", np.random.Generator),
    ("random.", np.random),
    ("random.", np.random.RandomState),
    ("ndarray.", np.ndarray),
    ("ufunc.", np.ufunc),
    ("dtype.", np.dtype),
    ("scalars.", np.float64),
    ("scalars.", np.int64),
    ("scalars.", np.complex128),
    ("polynomial.", np.polynomial.polynomial),
    ("polynomial.", np.polynomial.chebyshev),
    ("polynomial.", np.polynomial.legendre),
    ("polynomial.", np.polynomial.hermite),
    ("polynomial.", np.polynomial.hermite_e),
    ("polynomial.", np.polynomial.laguerre),
    ("polynomial.", np.polynomial.polyutils),
    ("polynomial.", np.polynomial),
    ("polynomial.", np.polynomial.Polynomial),
    ("polynomial.", np.polynomial.Chebyshev),
    ("poly1d.", np.poly1d),
    ("nditer.", np.nditer),
    ("flatiter.", np.flatiter),
    ("broadcast.", np.broadcast),
    ("ndindex.", np.ndindex),
    ("ndenumerate.", np.ndenumerate),
    ("finfo.", np.finfo),
    ("iinfo.", np.iinfo),
    ("testing.", np.testing),
    ("exceptions.", np.exceptions),
    ("lib.stride_tricks.", np.lib.stride_tricks),
    ("lib.array_utils.", np.lib.array_utils),
    ("lib.", np.lib),
    ("emath.", np.emath),
)


def close(got, want):
    """Whether two shown values are alike: the same words, numbers equal to a few digits."""
    number = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf|nan)", re.I)
    if "".join(number.sub("#", got).split()) != "".join(number.sub("#", want).split()):
        return False
    pairs = zip(number.findall(got), number.findall(want))
    return all(
        math.isclose(float(a), float(b), rel_tol=1e-6, abs_tol=1e-13) or a.lower() == b.lower() for a, b in pairs
    )


def subjects(words):
    """(part, name, text) of what is asked for: files, else what NumPy documents, each once."""
    files = [w for w in words if os.path.isfile(w)]
    for path in files:
        with open(path, encoding="utf-8") as f:
            yield os.path.basename(path), os.path.basename(path), f.read()
    seen, words = set(), [w for w in words if w not in files]
    for prefix, owner in () if files and not words else OWNERS:
        for name in sorted(dir(owner)):
            thing = getattr(owner, name, None)
            doc = getattr(thing, "__doc__", None)
            if name.startswith("_") or not isinstance(doc, str) or ">>>" not in doc or id(thing) in seen or doc in seen:
                continue
            seen.update((id(thing), doc))
            if not words or any(w in prefix + name for w in words):
                yield prefix.rstrip(".") or "numpy", prefix + name, doc


class Names:
    """Which names hold what an excluded example made, and why it was excluded."""

    def __init__(self):
        self.lost = {}

    def reason(self, source, answer):
        """Why an example does not count, or None. Notes what it binds and changes."""
        read, bound, changed = names_of(source, quiet=not answer)
        why = next((why for why, pattern in EXCLUDED if re.search(pattern, source + answer, re.M)), None)
        why = why or next((self.lost[n] for n in sorted(read | changed) if n in self.lost), None)
        for name in bound | changed if why else bound:
            if why:
                self.lost[name] = why
            else:
                self.lost.pop(name, None)
        return why


def names_of(source, quiet):
    """The names that an example reads, binds, and whose values it may change (quiet: it shows nothing)."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return set(), set(), set()
    read, bound, changed = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read.add(node.target.id)
        elif isinstance(node, ast.keyword) and node.arg == "out" and isinstance(node.value, ast.Name):
            changed.add(node.value.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            changed.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and quiet:
            changed.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name))
    return read, bound - {"np"}, changed - {"np"}


def shown(result):
    return (result.out + "\n" + result.error.split("\n")[0]).strip()


def score(name, doc, oracle, gpa, fails):
    """Counts of ok, failed and the reasons of exclusion for the examples of one text, which share their names."""
    counts, names = collections.Counter(), Names()
    for engine in (oracle, gpa):
        engine.fresh()
        engine.run("import numpy as np\nimport math\n")
    for example in doctest.DocTestParser().get_examples(doc):
        if doctest.SKIP in example.options:
            continue
        want = shown(oracle.run(example.source))
        why = names.reason(example.source, want)
        if why:
            counts[why] += 1
            continue
        got = shown(gpa.run(example.source))
        good = close(got, want)
        counts["ok" if good else "failed"] += 1
        if not good and fails:
            print(f"{name}: {example.source.rstrip()}\n  NumPy: {want[:300]}\n  gpa:   {got[:300]}")
    return counts


def main():
    fails = "--fails" in sys.argv
    least = next((float(a[8:]) for a in sys.argv if a.startswith("--least=")), 0)
    words = [os.path.abspath(a) if os.path.isfile(a) else a for a in sys.argv[1:] if not a.startswith("--")]
    warnings.simplefilter("ignore")
    oracle, gpa = Python(), Gpa()
    cells.PROGRAM = os.path.abspath(cells.PROGRAM)
    total, by_part, failing = collections.Counter(), collections.defaultdict(collections.Counter), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part, name, doc in subjects(words):
            counts = score(name, doc, oracle, gpa, fails)
            total += counts
            by_part[part] += counts
            if counts["failed"]:
                failing[name] = counts["failed"]
        os.chdir("/")
    for part, counts in by_part.items():
        print(f"# {part}: {counts['ok']} of {counts['ok'] + counts['failed']}")
    print("# failing: " + ", ".join(f"{name} {n}" for name, n in failing.most_common()))
    print("# excluded: " + ", ".join(f"{why} {n}" for why, n in total.most_common() if why not in ("ok", "failed")))
    share = 100 * total["ok"] / max(1, total["ok"] + total["failed"])
    print(
        f"{'ok' if share >= least else 'not ok'} - {total['ok']} of {total['ok'] + total['failed']} examples of NumPy's answered alike, "
        f"{share:.1f} % (NumPy {np.__version__})"
    )
    sys.exit(share < least)


main()
