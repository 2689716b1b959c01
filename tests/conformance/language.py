"""The operations through the language: python tests/conformance/language.py BUILD [PART/PARTS]
[WORD ...]

Every ufunc of op.def on every dtype and in several layouts is a small program that CPython with
NumPy and gpa both run, gpa on the reference device and on the default one; dtypes, values and
errors must be equal as printed. What is not exact (ULPS of reference/tolerance.py, complex numbers) may
differ in the last digits, by ALLOWED. One test per ufunc and device; WORDs choose them, a part
is every PARTS-th, on the default device only."""

import os
import subprocess
import sys
import warnings

import numpy as np

os.environ.setdefault("B", sys.argv[1])
sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import Gpa, Python, show, which  # noqa: E402
from reference.operands import KNOWN  # noqa: E402
from reference.tolerance import ULPS  # noqa: E402

PROLOGUE = """
import numpy as np
def digits(r):  # + 0: signs of zero are compared elsewhere
    return [f'{v + 0:.16g}' for v in r.ravel().tolist()]
def see(f, near):
    try:
        r = f()
        if r.dtype == np.uint64:
            print(r.dtype, r.shape, (r >> 32).tolist(), (r & 0xffffffff).tolist())
        else:
            rounded = near and r.dtype.kind in 'fc' or r.dtype.kind == 'c'
            print(r.dtype, r.shape, digits(r) if rounded else r.tolist())
    except TypeError as e:
        print('TypeError', e)
"""
# 8 ULP, since both libraries may be wrong by 4; of the modulus for complex numbers.
ALLOWED = {"float16": 8e-3, "float32": 1e-6, "float64": 2e-15, "complex64": 2e-6, "complex128": 4e-15}
NEARLY = {*ULPS, "absolute"}
UNARY = [
    "x",
    "x[::-1]",
    "x[1::3]",
    "x.reshape(3, 4).T",
    "x.reshape(3, 4)[:, 1:3]",
    "x[5:5]",
    "x[4]",
]
BINARY = [
    "x, y",
    "x[::-1], y",
    "x[::2], y[1::2]",
    "x.reshape(3, 4).T, y[:3]",
    "x[:3, None], y[None, 2:5]",
    "x, y[3]",
    "x[4], y[5]",
    "x, 2",
    "x, abs(x)",
]


def values(t, second):
    kind = np.dtype(t).kind
    if kind == "b":
        return [1, 0, 1, 1, 0, 0] * 2 if second else [0, 1, 1, 0, 0, 1] * 2
    if kind == "u":
        return (
            [1, 2, 3, 0, 7, 2, 5, 1, 3, 2, 5, 4]
            if second
            else [0, 1, 2, 3, 7, 100, 255, 200, 31, 50, 63, 127]
        )
    if kind == "i":
        return (
            [1, 2, 3, 0, 7, 2, -1, 1, -3, 2, 5, 4]
            if second
            else [0, 1, 2, 3, 7, 100, -1, -2, -7, 50, -127, 127]
        )
    if kind == "c":
        return (
            [1, 2j, 1 + 1j, 3, -1j, 2, 0.5, -2, 1 - 1j, 2, 4, 1]
            if second
            else [0.5, 1, 1j, 2 + 1j, -1.5, 3, -2j, 0.25, 1 - 1j, 2, -1, 4]
        )
    return (
        [1, 2, -3, 0.5, 7, -2, 0.25, 1.5, 3, -0.5, 5, 4]
        if second
        else [0, 0.5, 1, -1, 2.25, -0.75, 3, 10, -4.5, 0.125, 7, 1.5]
    )


def program(name, arity, t):
    """One dtype's statements; negative exponents of integers are an error of their own."""
    y = (
        [abs(v) for v in values(t, True)]
        if name == "power" and np.dtype(t).kind == "i"
        else values(t, True)
    )
    lines = [
        f"x, y = np.array({values(t, False)}, np.{t if t != 'bool' else 'bool_'}), np.array({y},"
        f" np.{t if t != 'bool' else 'bool_'})"
    ]
    return lines + [
        f"see(lambda: np.{name}({args}), {name in NEARLY})"
        for args in (UNARY if arity == 1 else BINARY)
    ]


def number(text):
    try:
        return complex(text)
    except ValueError:
        return None


def near(want, got):
    """Whether two printed results are alike."""
    allowed = ALLOWED.get(want.split(" ")[0], 0)
    pairs = list(zip(want.split("'"), got.split("'")))
    if len(want.split("'")) != len(got.split("'")):
        return False
    for a, b in pairs:
        x, y = number(a), number(b)
        if a != b and (x is None or y is None or not abs(x - y) <= allowed * abs(x)):
            return False
    return True


def operations():
    text = subprocess.run(
        [os.environ["B"] + "/tests/tools/op_table"],
        input=b"ops\n",
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()
    found = {}
    for line in text.splitlines():
        name, arity, *_ = line.split()
        if (
            isinstance(getattr(np, name, None), np.ufunc)
            and int(arity) in (1, 2)
            and name != "ldexp"
        ):
            found[name] = int(arity)
    return found


def check(name, arity, device, oracle, gpa):
    wrong = []
    for engine in (oracle, gpa):
        engine.fresh()
        engine.run(PROLOGUE)
    for t in KNOWN:
        operands, *lines = program(name, arity, t)
        oracle.run(operands)
        gpa.run(operands + "\n")
        for line in lines:
            want, got = oracle.run(line), gpa.run(line + "\n")
            if want.error != got.error or not near(want.out, got.out):
                wrong.append(
                    (
                        f"{operands}; {line}",
                        f"NumPy: {want.out}{want.error}\ngpa:   {got.out}{got.error}",
                    )
                )
    print(f"{'not ok' if wrong else 'ok'} - {name} through the language on {device}")
    for title, text in wrong[:4]:
        show(title, text)
    if len(wrong) > 4:
        print(f"# and {len(wrong) - 4} more")
    return not wrong


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    words, good, default = sys.argv[2:], True, os.environ.pop("GPA_DEVICE", None)
    part = which(words.pop(0)) if words and "/" in words[0] else None
    for device in ("default",) if part else ("ref", "default"):
        os.environ.pop("GPA_DEVICE", None)
        if device == "ref" or default:
            os.environ["GPA_DEVICE"] = "ref" if device == "ref" else default
        oracle, gpa = Python(), Gpa()
        for name, arity in list(operations().items())[part or slice(None)]:
            if not words or any(w in name for w in words):
                good &= check(name, arity, device, oracle, gpa)
        gpa.close()
    sys.exit(not good)


if __name__ == "__main__":
    main()
