"""NumPy's public names, and how its functions are called: python tests/conformance/names.py BUILD

For every module and class of OWNERS, each public name of the installed NumPy's must be there in
gpa, or be told by a hint (rows ABSENT and REMOVED of lang/vm/absent.def), or stand in NOT_HERE
with a reason. Functions that both have must take the same parameters in the same places with the
same defaults; gpa may take more behind them, and need fewer. NumPy tells them by
inspect.signature, for its C functions by the first line of the docstring. One test per owner."""

import inspect
import os
import re
import sys

import numpy as np
import numpy.exceptions
import numpy.lib.array_utils
import numpy.lib.stride_tricks
import numpy.polynomial
import numpy.testing

os.environ.setdefault("B", sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import Gpa, show  # noqa: E402

# Modules and classes, and how an object of a class is made.
OWNERS = {
    "np": None,
    "np.linalg": None,
    "np.fft": None,
    "np.random": None,
    "np.testing": None,
    "np.exceptions": None,
    "np.emath": None,
    "np.lib": None,
    "np.lib.stride_tricks": None,
    "np.lib.array_utils": None,
    "np.polynomial": None,
    "np.polynomial.polyutils": None,
    **{
        f"np.polynomial.{part}": None
        for part in ("polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e")
    },
    "np.ndarray": "np.ones((2, 3))",
    "np.dtype": "np.dtype('f8')",
    "np.ufunc": "np.add",
    "np.float64": "np.float64(1)",
    "np.int64": "np.int64(1)",
    "np.complex128": "np.complex128(1)",
    "np.bool_": "np.bool_(1)",
    "np.finfo": "np.finfo('f8')",
    "np.iinfo": "np.iinfo('i8')",
    "np.poly1d": "np.poly1d([1])",
    "np.nditer": "np.nditer([1])",
    "np.broadcast": "np.broadcast([1], [2])",
    "np.flatiter": "np.ones(3).flat",
    "np.ndindex": "np.ndindex(3)",
    "np.ndenumerate": "np.ndenumerate([1])",
    "np.vectorize": "np.vectorize(abs)",
    "np.errstate": "np.errstate()",
    "np.random.Generator": "np.random.default_rng()",
    "np.random.RandomState": "np.random.RandomState()",
    "np.random.SeedSequence": "np.random.SeedSequence()",
    "np.random.Philox": "np.random.Philox()",
    "np.polynomial.Polynomial": "np.polynomial.Polynomial([1, 2])",
    "np.polynomial.Chebyshev": "np.polynomial.Chebyshev([1, 2])",
}

# Names that are not there, by why: those of any owner, then those of one.
NOT_HERE = {
    "modules that NumPy's parts import, its own tests": (
        "test np la pu functools operator warnings ABCPolyBase normalize_axis_index linalg helper"
        " bit_generator mtrand tracemalloc_domain RankWarning dragon4_positional dragon4_scientific"
        " overrides extbuild"
    ),
    "addresses and orders of bytes, pickles, iterators with places to poke at": (
        "data ctypes dump dumps byte_bounds capsule cffi lock debug_print index multi_index"
    ),
    "removed from NumPy 2, where they only raise": "itemset newbyteorder tostring ndincr",
    "facts and helpers of NumPy's test suite": (
        "BLAS_SUPPORTS_FPE HAS_LAPACK64 HAS_REFCOUNT IS_64BIT IS_EDITABLE IS_INSTALLED IS_MUSL"
        " IS_PYPY IS_PYSTON IS_WASM NOGIL_BUILD NUMPY_ROOT IgnoreException KnownFailureException"
        " SkipTest TestCase assert_array_compare assert_no_gc_cycles assert_raises_regex"
        " break_cycles check_support_sve clear_and_catch_warnings decorate_methods jiffies measure"
        " memusage run_threaded rundocs runstring tempdir temppath verbose"
    ),
    "classes to derive from, versions of NumPy, its build": (
        "Arrayterator NumpyVersion add_docstring add_newdoc format introspect mixins npyio"
        " ModuleDeprecationWarning"
    ),
    "of Python's classes of numbers": "fromhex numerator denominator",
}

# Parameters that differ, by why.
DIFFERS = {
    "the default stands for NumPy's": (
        "loadtxt.dtype savetxt.newline array2string.style empty.dtype zeros.dtype"
        " may_share_memory.max_work shares_memory.max_work resolve_dtypes.casting prod.initial"
        " sum.initial"
    ),
    "what NumPy's takes as keywords has names": "einsum.kwargs",
    "the function takes what others stand for": (
        "assert_raises assert_warns ranf sample reshape resize view ravel concat concatenate"
        " as_integer_ratio genfromtxt"
    ),
}


def words(table):
    return {word for text in table.values() for word in text.split()}


def parameters(text):
    """The parameters of a signature "(a, b=1, /, *, c)" in order, with what separates their
    kinds: (name, default) each."""
    parts, depth, part = [], 0, ""
    for c in text.strip()[1:-1]:
        depth += (c in "([{<") - (c in ")]}>")
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    out = []
    for p in [p.strip() for p in [*parts, part] if p.strip()]:
        name, _, default = p.partition("=")
        out.append((name.split(":")[0].strip(), default.strip().replace('"', "'")))
    return out


def numpy_signature(thing, name):
    """NumPy's own, or None where it is not known."""
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        first = (thing.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
        told = re.match(r"(?:\w+\.)?" + re.escape(name) + r"(\(.*\))$", first)
        return re.sub(r"\[([^]]*)\]", r"\1", told[1]) if told else None


def without_self(found):
    return [p for p in found if p[0] not in ("self", "$self")]


def complaint(name, want, have):
    """What differs between two signatures, or None."""
    want, have = [without_self(parameters(s)) for s in (want, have)]
    if have and have[0][0] == "a" and want[:1] != have[:1] and "a" not in [p[0] for p in want]:
        have = have[1:]  # a method written as a function of the array
    places = {p[0].lstrip("*"): i for i, p in enumerate(p for p in have if p[0] not in "*/")}
    if any(p[0] == "*args" for p in want):
        return None
    keyword = False
    for i, (parameter, default) in enumerate(p for p in want if p[0] not in ("/",)):
        if parameter == "*":
            keyword = True
            continue
        bare = parameter.lstrip("*")
        if f"{name}.{bare}" in differs:
            continue
        if bare not in places:
            if parameter.startswith("*") and any(
                p[0].startswith("*") and p[0] != "*" for p in have
            ):
                continue
            return f"no parameter {bare}"
        if not keyword and not parameter.startswith("*") and places[bare] != i:
            return f"parameter {bare} is number {places[bare]}, not {i}"
        told = next(p[1] for p in have if p[0].lstrip("*") == bare)
        same = (
            told == default
            or not default
            or "no value" in default
            or told == "<unset>"
            or default.replace("float", "<class 'float'>") == told
        )
        if not same:
            return f"default of {bare} is {told!r}, not {default!r}"
    return None


def check(engine, owner, made):
    """The complaints about one owner."""
    thing = eval(owner)
    names = [n for n in dir(thing) if not n.startswith("_") and n not in not_here]
    engine.fresh()
    engine.run(
        "import numpy as np\nimport numpy.testing, numpy.polynomial, numpy.lib.stride_tricks,"
        " numpy.lib.array_utils, numpy.exceptions\n"
    )
    listing = engine.run(
        f"_o = {made or owner}\nfor n in {names!r}:\n    if hasattr(_o, n): print(n, '|',"
        " getattr(getattr(_o, n), '__text_signature__', None))\n"
    )
    if listing.error:
        return [f"the listing: {listing.error}"]
    have = dict(line.split(" | ", 1) for line in listing.out.splitlines() if " | " in line)
    out = []
    for name in names:
        theirs = getattr(thing, name)
        if name not in have:
            if "hint:" not in engine.run(f"_o.{name}").report:
                out.append(f"{name}: is not there, and nothing tells why")
        elif (
            callable(theirs)
            and not isinstance(theirs, (type, np.ufunc))
            and have[name] != "None"
            and name not in differs
        ):
            want = numpy_signature(theirs, name)
            why = want and complaint(name, want, have[name])
            if why:
                out.append(f"{name}: {why}; NumPy {want}, gpa {have[name]}")
    return out


not_here, differs = words(NOT_HERE), words(DIFFERS)
engine, bad = Gpa(), False
for owner, made in OWNERS.items():
    found = check(engine, owner, made)
    bad |= bool(found)
    print(f"{'not ok' if found else 'ok'} - {owner}")
    if found:
        show("differences:", "\n".join(found))
sys.exit(bad)
