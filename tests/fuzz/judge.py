"""Comparison of outputs: run a program in CPython with NumPy and in gpa, and compare what they print.

A program prints by `show`, whose values must be equal, and by `near`, which states how far they may differ: in steps of the
last place (ULP) and, for sums, in those of the terms that were added. `settle` makes an exact value of an inexact one by
rounding it to quarters. Where two results within the bound could round to different quarters, where a
float that no integer can hold is cast, or where the arithmetic of complex numbers would round, the program is unstable: its
result says nothing, and it is not judged."""

import contextlib
import io
import itertools
import re
import warnings

import numpy as np

BOTH = """
import numpy as np

def as_strided(x, shape, strides):
    # strides in elements; within the bounds of a contiguous array
    if not x.flags.c_contiguous or sum((n - 1) * s for n, s in zip(shape, strides)) >= x.size or min(shape) < 1:
        raise ValueError('beyond the array')
    return np.lib.stride_tricks.as_strided(x, shape, tuple(s * x.itemsize for s in strides))

def overlaps(x):
    # whether two elements of x share memory: what a running sum leaves there depends on its order
    at = np.zeros(1, int)
    for n, stride in zip(x.shape, x.strides):
        at = np.add.outer(at, np.arange(n) * stride).ravel()
    return len(set(at.tolist())) < x.size

def show(name, x):
    a = np.asarray(x)
    some = a.tolist() if a.size < 600 else a.ravel()[::37].tolist()
    kind = type(x).__name__.replace("ulonglong", "uint64").replace("longlong", "int64")  # NumPy has two types of each
    print(name, kind, a.dtype, a.shape, some)

def magnitude(x):
    return np.where(np.isfinite(x), np.abs(np.asarray(x) + 0.0), 0).astype(np.float64)

def plain(x):
    # neither which of two zeros is the larger one nor the payload of a sorted NaN is defined
    return np.where(np.isnan(x), np.nan, x) + 0.0 if np.asarray(x).dtype.kind in 'fc' else x

def quarters(x):
    x = np.asarray(x)
    if x.dtype.kind == 'c':
        return quarters(x.real) + quarters(x.imag) * 1j
    # neither the sign of a zero nor that of a NaN is defined
    return x if x.dtype.kind in 'biu' else np.where(np.isnan(x), np.nan, np.rint(x * 4 + 0.137) / 4).astype(x.dtype) + 0
"""
GPA = """
def settle(x, ulps, terms=None):
    return quarters(x)

def near(x, ulps, terms=None):
    show('near', x)
"""


ERROR = re.compile(r"[A-Z]\w*(Error|Exception):? ")  # a line that tells of an exception


class Unstable(BaseException):
    """What follows would depend on a rounding."""


def bound(x, ulps, terms):
    """How far two results may differ, for each element."""
    x = np.asarray(x)
    if x.dtype.kind in "biu":
        return np.zeros(x.shape)
    limits = np.finfo(x.dtype)
    far = ulps * np.spacing(np.where(np.isfinite(x), np.abs(x), 0).astype(limits.dtype)).astype(np.float64)
    try:
        sums = np.asarray(terms() if terms else 0)
        if not (sums < float(limits.max) / 4).all():
            raise Unstable
        return np.broadcast_to(far + sums * float(limits.eps), x.shape)
    except Exception as error:  # the terms do not belong to this value
        raise Unstable from error


def settle(x, ulps, terms=None):
    far = bound(x, ulps, terms)
    x = np.asarray(x)
    for part in (x.real, x.imag) if x.dtype.kind == "c" else (x,) if x.dtype.kind == "f" else ():
        scaled = np.where(np.isfinite(part), part, 0).astype(np.float64) * 4 + 0.137
        step = 4 * (far + np.spacing(np.abs(np.where(np.isfinite(part), part, 0))).astype(np.float64))
        if (np.abs(scaled - np.floor(scaled) - 0.5) <= step).any():
            raise Unstable
    return NAMES["quarters"](x)


def near(x, ulps, terms=None):
    far = bound(x, ulps, terms)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        NAMES["show"]("near", x)
    far = far.tolist() if far.size < 600 else far.ravel()[::37].tolist()
    print(out.getvalue().rstrip("\n"), "±", far)


NAMES = {"settle": settle, "near": near}
exec(BOTH, NAMES)


def names():
    """The variables of a new program."""
    return dict(NAMES, __name__="__main__")


# An array with axes as one number: deprecated before NumPy 2.5, which refuses it.
ARRAY_AS_NUMBER = ("Conversion of an array with ndim > 0 to a scalar", "only 0-dimensional arrays can be converted")


def takes_array_as_number(error, given):
    """Whether statements convert an array with axes to a number, by the exception they raised or the warnings given."""
    messages = [str(warning.message) for warning in given]
    while error is not None:
        messages.append(str(error))
        error = error.__cause__ or error.__context__
    return any(words in text for text in messages for words in ARRAY_AS_NUMBER)


def attempt(text, variables):
    """Runs statements in NumPy; returns what they raised, Unstable if they cast what no integer can hold, or if the answer
    depends on the version of NumPy."""
    with warnings.catch_warnings(record=True) as given, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            exec(compile(text, "<program>", "exec"), variables)
        except (Exception, Unstable) as error:
            return Unstable() if takes_array_as_number(error, given) else error
    if takes_array_as_number(None, given):
        return Unstable()
    if "unsafe" in text and any("invalid value" in str(warning.message) for warning in given):
        return Unstable()
    return Unstable() if any(map(tells_of_cast, given)) else None


def tells_of_cast(warning):
    """Whether a warning is about a float that no integer holds; a sum with a dtype names the reduction."""
    return any(what in str(warning.message) for what in ("in cast", "invalid value encountered in reduce"))


def is_harmless(x, largest):
    """Whether the value of a variable is an array of bounded size, and if complex, of small multiples of 1/4: products of
    others round in an order that depends on the processor."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return False
    if x.size > largest:
        return False
    if x.dtype.kind == "c":
        parts = np.stack([x.real, x.imag]).astype(np.float64)
        return bool((np.abs(parts) <= 32).all() and (parts * 4 == np.rint(parts * 4)).all())
    return x.dtype.kind in "biuf"


def answer(text):
    """What CPython prints; None if the program is not to be judged: it ends with an error or is unstable."""
    variables, out = names(), io.StringIO()
    with warnings.catch_warnings(record=True) as given, contextlib.redirect_stdout(out):
        warnings.simplefilter("always")
        try:
            exec(compile(text, "<program>", "exec"), variables)
        except (Exception, Unstable):
            return None
    if any(map(tells_of_cast, given)):
        return None
    if not all(is_harmless(value, 1e6) for name, value in variables.items() if re.fullmatch(r"x\d+", name)):
        return None
    return out.getvalue()


def flat(values):
    if isinstance(values, list):
        for value in values:
            yield from flat(value)
    else:
        yield values


def within(want, got):
    """Whether a line of `near` agrees: `want` ends with the bounds."""
    want, _, bounds = want.rpartition(" ± ")
    head = want[: want.index(") ") + 1]
    if not got.startswith(head):
        return False
    read = {"nan": np.nan, "inf": np.inf, "nanj": complex(0, np.nan), "infj": complex(0, np.inf), "__builtins__": {}}
    try:
        pairs = [list(flat(eval(text, read))) for text in (want[len(head) :], got[len(head) :], bounds)]
    except SyntaxError:
        return False
    if len(pairs[0]) != len(pairs[1]):
        return False
    return all(a == b or a != a and b != b or abs(a - b) <= far for a, b, far in zip(*pairs))


def unlike(want, got):
    """Both outputs, in gpa's words where these agree."""
    want, got = want.split("\n"), got.split("\n")
    same = [a == b or " ± " in a and within(a, b) for a, b in zip(want, got)] + [False] * len(want)
    return "\n".join(b if s else a for a, b, s in zip(want, got + want, same)), "\n".join(got)


def run(gpa, text):
    """What gpa prints; with the error that ended the program, if one did."""
    gpa.fresh()
    first = gpa.run(BOTH + GPA)
    result = first if first.error else gpa.run(text + "pass\n")  # without a value that would be displayed
    return result.out + result.error


def failure(gpa, text):
    """How gpa fails at first, so that a smaller program can be asked to fail alike: None, "crash", "value"; "refused" or
    "accepted", against NumPy, or "words", each with the beginning of what was expected."""
    want = answer(text)
    if want is None:
        return None
    want, got = unlike(want, run(gpa, text))
    if want == got:
        return None
    if "CRASH" in got:
        return "crash"
    lines = itertools.zip_longest(want.split("\n"), got.split("\n"))  # None: the other output has more lines
    a, b = next((a or "", b or "") for a, b in lines if a != b)
    raised, raises = ERROR.match(a), ERROR.match(b)
    if raised:
        return ("words" if raises else "accepted") + a[:30]
    return "refused" + b[:30] if raises else "value"
