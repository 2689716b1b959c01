"""The tables against NumPy: python tests/conformance/tables.py BUILD [WORD ...]

BUILD is the folder of a build, such as build/release: tests/tools/op_table in it evaluates the rows of op.def and reduce.def and
the rules of dtype.c. Each test prints `ok - NAME` or `not ok - NAME` with what differs. WORDs choose tests whose name contains
one of them. reference/ has the operands, NumPy's answers and the tolerances."""

import subprocess
import sys
import warnings

import numpy as np

from reference.operands import KNOWN, NAMES, cross, dtype, from_bfloat, operands, to_bfloat
from reference.oracle import NOT_NUMPY, numpy_reduce, numpy_types, oracle
from reference.tolerance import ULPS, differs, ordered

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

TOOL = None


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


def call_text(line):
    return (
        subprocess.run([TOOL], input=line.encode() + b"\n", stdout=subprocess.PIPE, check=True)
        .stdout.decode()
        .strip()
    )


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
        "bool_", "?", "b1", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "p", "P", "n", "N", "e", "f", "d", "F",
        "D", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "<f4", "=i8", "|u1",
        "<c16", "byte", "short", "intc", "int", "int_", "intp", "long", "longlong", "ubyte", "ushort", "uintc",
        "uint", "uintp", "ulong", "ulonglong", "half", "single", "double", "float", "csingle", "cdouble", "complex",
        "str", "S", "U", "f3", "i16", "", "float3", "<float32", "<", "<d", ">i1", "bool8", "float_", "object", "m8",
        "g", "V", "<int", "=bool", "<p", "u", "c", "complex_", "i8i8", "f4,f4", "int_8", "float128", "longdouble",
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
                    254.9, 255.5, 256, 300, -129, 32768, 65536, 2**31, 2**31 - 0.5, 2**32, 2.0**53, 2.0**63, 2.0**64,
                    65519, 65520, 65504, 2**-24, 2**-25, 2**-25 * 1.001, 2**-14, 6e-8, 1 + 2**-11, 1 + 3 * 2**-11,
                    2049, 3e38, 1e40, 1e300,
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
            continue  # NumPy's of float32 are no reference
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
