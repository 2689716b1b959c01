"""The tables against NumPy: python tests/conformance/tables.py BUILD [WORD ...]

BUILD is the folder of a build, such as build/release: tests/tools/op_table in it evaluates the
rows of op.def and reduce.def and the rules of dtype.c. Each test prints `ok - NAME` or `not ok -
NAME` with what differs. WORDs choose tests whose name holds one of them.

Values must be equal bit for bit, signs of zero included; NaN is NaN. What may differ, and why,
is said below."""

import math
import subprocess
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

NAMES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]
KNOWN = [n for n in NAMES if n != "bfloat16"]  # to NumPy
TOOL = None

# Distance in units of the last place that functions of the two mathematical libraries may have.
# NumPy's vector versions
# are good to 4, ours (libm) to 1.
ULPS = {
    n: 4
    for n in """exp exp2 expm1 log log2 log10 log1p logaddexp logaddexp2 power cube float_power cbrt sin
cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh hypot angle gamma lgamma erf erfc rsqrt""".split()
}
# Complex products, quotients and functions, in units of the last place of the larger part: NumPy's
# own vector loops fuse
# multiplications and additions, and its functions come from several libraries.
COMPLEX_ULPS = {"multiply": 2, "divide": 4, "reciprocal": 4, "square": 2, "absolute": 2, "sign": 4}
OTHER_COMPLEX_ULPS = 8
# Where a complex result is not compared, and why:
#   power, of infinite or NaN operands: NumPy's follows the C library's multiplication, which
# repairs some infinities.
#   clip, of NaN: NumPy's own comparison there lets a NaN bound pass, unlike
# np.minimum(np.maximum(a, lo), hi).
#   the sign of an infinite part with a NaN part is unspecified in C.
UNCOMPARED = {"power": np.isfinite, "float_power": np.isfinite, "clip": lambda z: ~np.isnan(z)}
# Which of two equal zeros is the greater: NumPy's scalar and vector loops differ.
ZEROS_ALIKE = {"maximum", "minimum", "fmax", "fmin", "clip"}


def call(requests):
    """Sends (line, bytes, size of the answer) and gives the answers."""
    text = b"".join(line.encode() + b"\n" + data for line, data, _ in requests)
    run = subprocess.run([TOOL], input=text, stdout=subprocess.PIPE, check=True)
    answers, at = [], 0
    for _, _, size in requests:
        answers.append(run.stdout[at : at + size])
        at += size
    assert at == len(run.stdout), "op_table answered something else"
    return answers


def listing(request):
    run = subprocess.run([TOOL], input=request.encode() + b"\n", stdout=subprocess.PIPE, check=True)
    return [line.split() for line in run.stdout.decode().splitlines()]


# ---- bfloat16, which NumPy lacks: the upper half of a float32 ----


def to_bfloat(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
    return np.where(np.isnan(x), bits >> 16 | 0x40, rounded).astype(np.uint16)


def from_bfloat(h):
    return (h.astype(np.uint32) << 16).view(np.float32)


def dtype(name):
    return np.dtype(np.uint16 if name == "bfloat16" else name)


# ---- operands ----


def reals(name):
    f = np.finfo(np.float32 if name == "bfloat16" else name)
    special = [
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        2,
        -2,
        3,
        -3,
        7,
        10,
        -10,
        100,
        0.1,
        -0.1,
        0.7,
        math.pi,
        -math.pi / 2,
        math.inf,
        -math.inf,
        math.nan,
        f.max,
        -f.max,
        f.tiny,
        -f.tiny,
        f.smallest_subnormal,
        -f.smallest_subnormal,
        f.eps,
        1 + f.eps,
        1 - f.eps / 2,
        1e-3,
        88,
        -88,
        20.5,
        1e4,
        0.9999,
    ]
    rng = np.random.default_rng(7)
    wide = np.exp2(rng.uniform(-12, 12, 40)) * rng.choice([-1, 1], 40)
    x = np.concatenate([special, rng.normal(size=40), wide]).astype(f.dtype)
    return to_bfloat(x) if name == "bfloat16" else x


def operands(name):
    """Values of a dtype: those where something may go wrong, and random ones."""
    if name == "bool":
        return np.array([False, True])
    t = dtype(name)
    rng = np.random.default_rng(7)
    if name != "bfloat16" and t.kind in "iu":
        i = np.iinfo(t)
        special = [
            0,
            1,
            2,
            3,
            5,
            7,
            8,
            10,
            31,
            32,
            63,
            64,
            100,
            i.max,
            i.max - 1,
            i.min,
            i.min + 1,
            i.max // 2,
        ]
        signed = [-1, -2, -3, -7, -8, -10] if i.min else []
        return np.concatenate(
            [np.array(special + signed, t), rng.integers(i.min, i.max, 30, t, endpoint=True)]
        )
    if t.kind == "c":
        part = np.finfo(t).dtype
        few = np.array([0.0, -0.0, 1, -1, 2.5, -3, 0.5, np.inf, -np.inf, np.nan, 1e-3, 50], part)
        z = np.empty((len(few), len(few)), t)
        z.real, z.imag = few[:, None], few[None, :]
        more = np.empty(120, t)
        more.real, more.imag = (rng.normal(size=120) * 3).astype(part), (
            rng.normal(size=120) * 3
        ).astype(part)
        return np.concatenate([z.ravel(), more])
    return reals(name)


def cross(columns):
    """Every combination of operands, or where those are too many a fixed choice of them."""
    sizes = [len(c) for c in columns]
    total = math.prod(sizes)
    pick = (
        np.arange(total) if total <= 40000 else np.random.default_rng(3).integers(0, total, 40000)
    )
    out = []
    for size, column in zip(reversed(sizes), reversed(columns)):
        out.append(column[pick % size])
        pick = pick // size
    return list(reversed(out))


# ---- comparison ----


def ordered(x):
    """Floats as integers in the same order, for distances in the last place."""
    i = (
        np.ascontiguousarray(x)
        .view({2: np.int16, 4: np.int32, 8: np.int64}[x.dtype.itemsize])
        .astype(object)
    )
    low = -(1 << (8 * x.dtype.itemsize - 1))
    return np.where(i < 0, low - i, i)


def differs(name, got, want, a_type, args):
    """Where two arrays of results are not alike by the rule for the operation."""
    kind = want.dtype.kind
    if kind in "biu":
        return got != want
    if kind == "c" or (a_type.startswith("complex") and name != "angle"):
        ulps = COMPLEX_ULPS.get(name, OTHER_COMPLEX_ULPS) if name not in EXACT_COMPLEX else 0
        if (
            name in ("power", "float_power") and a_type == "complex128"
        ):  # an error of the logarithm is multiplied by the exponent
            ulps = 2 * ulps * (1 + np.abs(args[1] * np.log(args[0])))
        bad = far_complex(got, want, ulps)
        return (
            bad & np.logical_and.reduce([UNCOMPARED[name](a) for a in args])
            if name in UNCOMPARED
            else bad
        )
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    if name not in ZEROS_ALIKE and name not in ULPS:
        same &= np.isnan(want) | (np.signbit(got) == np.signbit(want))
    close = np.abs(ordered(got) - ordered(want)) <= ULPS.get(name, 0)
    return ~(same | (close & np.isfinite(want) & np.isfinite(got)).astype(bool))


EXACT_COMPLEX = {
    "add",
    "subtract",
    "negative",
    "positive",
    "conjugate",
    "maximum",
    "minimum",
    "fmax",
    "fmin",
    "where",
    "clip",
    "real",
    "imag",
    "rint",
    "complex",
}


def far_complex(got, want, ulps):
    def parts(z):
        return (z.real, z.imag) if z.dtype.kind == "c" else (z, np.zeros_like(z))

    bad = np.zeros(len(want), bool)
    size = np.maximum(*[np.where(np.isfinite(p), np.abs(p), 0) for p in parts(want)])
    unit = np.spacing(np.maximum(size, np.finfo(size.dtype).tiny))
    for g, w, other in zip(parts(got), parts(want), reversed(parts(want))):
        same = (
            (g == w) | (np.isnan(g) & np.isnan(w)) | (np.isinf(g) & np.isinf(w) & np.isnan(other))
        )
        bad |= ~(same | (np.isfinite(g) & np.isfinite(w) & (np.abs(g - w) <= ulps * unit)))
    return bad


# ---- what NumPy says ----


def each(function):
    """A function of Python's math on arrays; where it raises, NaN."""

    def one(*args):
        try:
            return function(*map(float, args))
        except (ValueError, OverflowError, ZeroDivisionError):
            return math.nan

    return lambda *args: np.array([one(*v) for v in zip(*args)], np.float64).astype(args[0].dtype)


def in_double(function):
    """A function that gpa computes in double for shorter dtypes, since NumPy's results there
    have few good digits."""
    wide = {"e": "d", "f": "d", "F": "D"}

    def computed(*args):
        t = args[0].dtype
        short = t.char in wide and all(a.dtype == t for a in args)
        return (
            function(*(a.astype(wide[t.char]) for a in args)).astype(t)
            if short
            else function(*args)
        )

    return computed


def power(a, b):
    """Powers of complex64 with whole exponents below 100 are products, the others go through a
    logarithm."""
    direct = np.power(a, b)
    if direct.dtype != np.complex64 or a.dtype != b.dtype:
        return direct
    return np.where(
        (b.imag == 0) & (b.real == np.trunc(b.real)) & (np.abs(b.real) < 100),
        direct,
        in_double(np.power)(a, b),
    )


def join(a, b):
    z = np.empty(len(a), np.complex64 if a.dtype == np.float32 else np.complex128)
    z.real, z.imag = a, b
    return z


def philox(upper):
    """Philox4x32-10 as its paper tells it, in Python's integers."""

    def words(counter, stream, key):
        c, k = [counter & 0xFFFFFFFF, counter >> 32, stream & 0xFFFFFFFF, stream >> 32], [
            key & 0xFFFFFFFF,
            key >> 32,
        ]
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [q >> 32 ^ c[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        return c[2] | c[3] << 32 if upper else c[0] | c[1] << 32

    # The generator's published answers for counters and keys of zeros and of ones.
    ones = 2**64 - 1
    assert words(0, 0, 0) == (0x9B00DBD8BC57AC4C if upper else 0xE169C58D6627E8D5)
    assert words(ones, ones, ones) == (0x6D5451FDA20BC7C6 if upper else 0x41C83B0E408F276D)

    def of_arrays(*args):
        if any(a.dtype != np.uint64 for a in args):
            raise TypeError("words of 64 bits")
        return np.array([words(*map(int, v)) for v in zip(*args)], np.uint64)

    return of_arrays


def viewed(t, as_type):
    """The bits of numbers of type t, taken for another type."""

    def of_array(a):
        if a.dtype != t:
            raise TypeError("no loop")
        return a.view(as_type)

    return of_array


def cube(a):
    """The third power; that of complex numbers is power's own."""
    if a.dtype.kind == "c":
        raise TypeError("cube")
    return np.power(a, np.asarray(3, a.dtype))


def product_or_zero(a, b):
    dtype = np.exp(np.zeros(1, np.result_type(a, b))).dtype
    a, b = np.asarray(a).astype(dtype), np.asarray(b).astype(dtype)
    return np.where(a == 0, a, np.where(b == 0, b, a * b))


ORACLE = {
    "philox": philox(False),
    "philox_high": philox(True),
    "logaddexp": in_double(np.logaddexp),
    "logaddexp2": in_double(np.logaddexp2),
    "power": power,
    "cube": cube,
    "where": np.where,
    "clip": np.clip,
    "complex": join,
    "modf_frac": lambda a: np.modf(a)[0],
    "modf_int": lambda a: np.modf(a)[1],
    "frexp_m": lambda a: np.frexp(a)[0],
    "frexp_e": lambda a: np.frexp(a)[1],
    "float_bits": viewed(np.float32, np.int32),
    "float_of": viewed(np.int32, np.float32),
    "real": np.real,
    "imag": np.imag,
    "angle": np.angle,
    "rsqrt": lambda a: 1 / np.sqrt(a),
    "product_or_zero": product_or_zero,
    "erf": each(math.erf),
    "erfc": each(math.erfc),
    "ieee_remainder": each(math.remainder),
}
NOT_NUMPY = {"fma", "gamma", "lgamma", "clz", "ctz", "brev", "mulhi"}  # tested by unit tests


def oracle(name):
    return ORACLE.get(name) or getattr(np, name)


# ---- tests ----


def test_promotion():
    for a, b, got, how in listing("promote"):
        if "bfloat16" in (a, b):
            continue
        want = np.promote_types(a, b).name
        cast = (
            "safe"
            if np.can_cast(a, b, "safe")
            else "same_kind" if np.can_cast(a, b, "same_kind") else "unsafe"
        )
        if (got, how) != (want, cast):
            yield f"{a} with {b}: {got}, {how}; NumPy: {want}, {cast}"


def test_weak():
    numbers = {"1": True, "2": 1, "3": 1.0, "4": 1j}
    for kind, name, got in listing("weak"):
        if name == "bfloat16":
            continue
        want = (
            np.asarray(numbers[kind]).dtype
            if name == "-"
            else np.result_type(np.ones(1, name), numbers[kind])
        )
        if got != want.name:
            yield f"{numbers[kind]!r} with {name}: {got}; NumPy: {want}"


def test_names():
    words = NAMES + [
        "bool_",
        "?",
        "b1",
        "b",
        "B",
        "h",
        "H",
        "i",
        "I",
        "l",
        "L",
        "q",
        "Q",
        "p",
        "P",
        "n",
        "N",
        "e",
        "f",
        "d",
        "F",
        "D",
        "i1",
        "i2",
        "i4",
        "i8",
        "u1",
        "u2",
        "u4",
        "u8",
        "f2",
        "f4",
        "f8",
        "c8",
        "c16",
        "<f4",
        "=i8",
        "|u1",
        "<c16",
        "byte",
        "short",
        "intc",
        "int",
        "int_",
        "intp",
        "long",
        "longlong",
        "ubyte",
        "ushort",
        "uintc",
        "uint",
        "uintp",
        "ulong",
        "ulonglong",
        "half",
        "single",
        "double",
        "float",
        "csingle",
        "cdouble",
        "complex",
        "str",
        "S",
        "U",
        "f3",
        "i16",
        "",
        "float3",
        "<float32",
        "<",
        "<d",
        ">i1",
        "bool8",
        "float_",
        "object",
        "m8",
        "g",
        "V",
        "<int",
        "=bool",
        "<p",
        "u",
        "c",
        "complex_",
        "i8i8",
        "f4,f4",
        "int_8",
        "float128",
        "longdouble",
    ]
    for word in words:
        if word in ("bfloat16", ""):
            continue
        try:
            want = np.dtype(word).name
        except TypeError:
            want = "-"
        want = want if want in NAMES else "-"
        got = call_text("find " + word)
        if got != want:
            yield f"{word}: {got}; NumPy: {want}"


def call_text(line):
    return (
        subprocess.run([TOOL], input=line.encode() + b"\n", stdout=subprocess.PIPE, check=True)
        .stdout.decode()
        .strip()
    )


def same_bits(got, want):
    if want.dtype.kind in "fc":
        parts = [(got.real, want.real), (got.imag, want.imag)]
        return np.logical_and.reduce(
            [
                (g == w) & (np.signbit(g) == np.signbit(w)) | np.isnan(g) & np.isnan(w)
                for g, w in parts
            ]
        )
    return got == want


def test_casts():
    requests, wants, labels = [], [], []
    for a in KNOWN:
        x = operands(a)
        if dtype(a).kind in "fc":
            more = np.array(
                [
                    254.9,
                    255.5,
                    256,
                    300,
                    -129,
                    32768,
                    65536,
                    2**31,
                    2**31 - 0.5,
                    2**32,
                    2.0**53,
                    2.0**63,
                    2.0**64,
                    65519,
                    65520,
                    65504,
                    2**-24,
                    2**-25,
                    2**-25 * 1.001,
                    2**-14,
                    6e-8,
                    1 + 2**-11,
                    1 + 3 * 2**-11,
                    2049,
                    3e38,
                    1e40,
                    1e300,
                ]
            )
            x = np.concatenate([x, more.astype(a), -more.astype(a)])
        for b in KNOWN:
            requests.append((f"cast {a} {b} {len(x)}", x.tobytes(), len(x) * dtype(b).itemsize))
            wants.append(np.array([v.astype(b) for v in x.reshape(-1, 1)]).reshape(-1))
            labels.append((a, b, x))
    for data, want, (a, b, x) in zip(call(requests), wants, labels):
        got = np.frombuffer(data, want.dtype)
        bad = np.flatnonzero(~same_bits(got, want))
        if len(bad):
            yield (
                f"{a} to {b}: {len(bad)} of {len(x)}, such as {x[bad[0]]!r}: {got[bad[0]]!r};"
                f" NumPy: {want[bad[0]]!r}"
            )


def test_bfloat():
    x = np.concatenate(
        [operands("float32"), np.array([1 + 2**-8, 1 + 3 * 2**-8, 3.4e38], np.float32)]
    )
    (down,) = call([(f"cast float32 bfloat16 {len(x)}", x.tobytes(), 2 * len(x))])
    if (np.frombuffer(down, np.uint16) != to_bfloat(x)).any():
        yield "float32 to bfloat16"
    h = np.arange(65536).astype(np.uint16)
    (up,) = call([(f"cast bfloat16 float32 {len(h)}", h.tobytes(), 4 * len(h))])
    if not same_bits(np.frombuffer(up, np.float32), from_bfloat(h)).all():
        yield "bfloat16 to float32"


def test_halves():
    h = np.arange(65536).astype(np.uint16).view(np.float16)
    for wide in ("float32", "float64"):
        (up,) = call(
            [(f"cast float16 {wide} {len(h)}", h.tobytes(), dtype(wide).itemsize * len(h))]
        )
        if not same_bits(np.frombuffer(up, wide), h.astype(wide)).all():
            yield "float16 to " + wide
        rng = np.random.default_rng(1)
        x = (np.exp2(rng.uniform(-27, 17, 60000)) * rng.choice([-1, 1], 60000)).astype(wide)
        ties = (h[:31743].astype("f8") + h[1:31744].astype("f8")) / 2
        x = np.concatenate([x, ties.astype(wide)])
        (down,) = call([(f"cast {wide} float16 {len(x)}", x.tobytes(), 2 * len(x))])
        if not same_bits(np.frombuffer(down, np.float16), x.astype(np.float16)).all():
            yield wide + " to float16"


def numpy_types(name, arity, t):
    """The dtype of NumPy's result for operands of dtype t; None where it has no loop."""
    one = np.ones(1, t)
    try:
        if name == "where":
            return np.where(np.ones(1, bool), one, one).dtype.name
        if name == "ldexp":
            return np.ldexp(one, np.ones(1, np.int64)).dtype.name
        return np.asarray(oracle(name)(*[one] * arity)).dtype.name
    except (TypeError, AttributeError):
        return None


def test_types():
    for name, arity, t, _, result, *_ in listing("ops"):
        if (
            name in NOT_NUMPY | {"complex", "rsqrt", "erf", "erfc", "ieee_remainder"}
            or t == "bfloat16"
        ):
            continue
        want = numpy_types(name, int(arity), t)
        if (None if result == "-" else result) != want:
            yield f"{name} of {t}: {result}; NumPy: {want}"


def test_pairs():
    one = {name: np.ones(1, name) for name in KNOWN}
    for name, a, b, result in listing("pairs"):
        if name in NOT_NUMPY | {"complex", "ieee_remainder", "ldexp"} or "bfloat16" in (a, b):
            continue
        try:
            want = oracle(name)(one[a], one[b]).dtype.name
        except TypeError:
            want = "-"
        if result != want:
            yield f"{name} of {a} and {b}: {result}; NumPy: {want}"


def test_ops():
    rows = [r for r in listing("ops") if r[2] == r[3] and r[4] != "-" and r[0] not in NOT_NUMPY]
    requests, labels = [], []
    for name, _, t, _, result, *types in rows:
        if name == "ldexp":
            columns = cross(
                [
                    operands(t),
                    np.array([0, 1, -1, 3, 20, -20, 200, -200, 3000, -3000, 2**40, -(2**40)]),
                ]
            )
        elif name == "power" and dtype(t).kind == "i" and t != "bfloat16":
            columns = cross([operands(t), np.abs(operands(t))[operands(t) > np.iinfo(t).min]])
        else:
            columns = cross([operands(u) for u in types])
        n = len(columns[0])
        requests.append(
            (
                f"op {name} {t} {n}",
                b"".join(c.tobytes() for c in columns),
                n * dtype(result).itemsize,
            )
        )
        labels.append((name, t, result, types, columns))
    for data, (name, t, result, types, columns) in zip(call(requests), labels):
        got = np.frombuffer(data, dtype(result))
        args = [from_bfloat(c) if u == "bfloat16" else c for c, u in zip(columns, types)]
        if t == "bfloat16" and name in ("nextafter", "spacing"):
            continue  # of float32 they say nothing
        want = oracle(name)(*args)
        if result == "bfloat16":
            got, want = from_bfloat(got), from_bfloat(to_bfloat(want))
        bad = np.flatnonzero(differs(name, got, np.asarray(want, got.dtype), t, args))
        if result == "bfloat16":
            bad = [
                i
                for i in bad
                if abs(int(ordered(got)[i]) - int(ordered(want)[i])) > ULPS.get(name, 0) << 16
            ]
        if len(bad):
            i = bad[0]
            at = ", ".join(repr(a[i]) for a in args)
            yield (
                f"{name} of {t}: {len(bad)} of {len(got)}, such as ({at}): {got[i]!r}; NumPy:"
                f" {want[i]!r}"
            )


def numpy_reduce(name, x):
    if name in ("argmin", "argmax"):
        return int(getattr(np, name)(x))
    ufunc = {
        "sum": "add",
        "prod": "multiply",
        "min": "minimum",
        "max": "maximum",
        "any": "logical_or",
        "all": "logical_and",
        "and": "bitwise_and",
        "or": "bitwise_or",
        "xor": "bitwise_xor",
    }.get(name, name)
    return getattr(np, ufunc).reduce(
        x, dtype=None if name in ("any", "all", "min", "max", "fmin", "fmax") else x.dtype
    )


def test_reductions():
    for name, t, arg in listing("reds"):
        if t == "bfloat16":
            continue
        pool, rng = operands(t), np.random.default_rng(5)
        if name in ("sum", "prod") and dtype(t).kind in "fc":  # exact whatever the order
            pool = np.array([1, 2, -1, 0.5, 4], t)
        sets = [rng.choice(pool, n) for n in (1, 2, 5, 9) for _ in range(30)]
        if dtype(t).kind in "fc" and name not in ("sum", "prod"):
            sets += [
                np.full(3, np.nan, t),
                np.array([1, np.nan, 0], t),
                np.array([0, -1, 1, -1, 1], t),
            ]
        answers = call(
            [(f"reduce {name} {t} {len(x)}", x.tobytes(), dtype(t).itemsize + 8) for x in sets]
        )
        for x, data in zip(sets, answers):
            got, at = np.frombuffer(data[:-8], t)[0], int.from_bytes(
                data[-8:], "little", signed=True
            )
            want = numpy_reduce(name, x)
            if arg == "1" and at != want:
                yield f"{name} of {x!r}: {at}; NumPy: {want}"
            if arg == "0" and not (got == want or (got != got and want != want)):
                yield f"{name} of {x!r}: {got!r}; NumPy: {want!r}"


def main():
    global TOOL
    TOOL, words = sys.argv[1] + "/tests/tools/op_table", sys.argv[2:]
    failed = 0
    for label, test in sorted(globals().items()):
        if not label.startswith("test_") or (words and not any(w in label for w in words)):
            continue
        wrong = list(test())
        failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} - tables: {label[5:]}")
        for line in wrong[:200]:
            print("# " + line)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
