"""Random bodies of compiled functions that CPython and gpa must run alike: python tests/random_bodies.py SEED [COUNT]

Each program has a helper and a function with loops over arrays and numbers, which is called as it is (CPython) or compiled
(gpa): as a jitted function, as a ufunc, and as a generalised ufunc. Values are kept to small multiples of 1/4, so that float32
and float64 agree; where branches give a variable different types the compiled one has their common type, so results are
compared as floats. The programs are a function of the seed: `--show SEED NUMBER` prints one."""

import random

import numpy as np

from diff import random_programs

PYTHON = """
import numpy as np
from math import floor
prange = range
def njit(f): return f
def vectorize(f):
    def each(*args):
        wide = np.broadcast_arrays(*args)
        return np.array([f(*row) for row in zip(*(w.ravel().tolist() for w in wide))]).reshape(wide[0].shape)
    return each
def guvectorize(layout):
    def wrap(f):
        def each(a, b):
            out = np.zeros(a.shape[:1])
            for i in range(len(a)): f(a[i], b, out[i:i + 1])
            return out
        return each
    return wrap
"""
GPA = "import numpy as np\nfrom math import floor\nfrom numba import njit, prange, vectorize, guvectorize\n"


class Body:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.loops, self.counters = [], 0, []

    def pick(self, *choices):
        return self.random.choice(choices)

    def put(self, depth, text):
        self.lines.append("    " * depth + text)

    def number(self, names, depth):
        """An expression; not bounded."""
        kind = self.random.random()
        if depth == 0 or kind < 0.2:
            return self.pick(
                *names, *self.counters, str(self.random.randint(0, 9)), f"{self.random.randint(0, 20) / 4}"
            )
        x, y = self.number(names, depth - 1), self.number(names, self.random.randint(0, depth - 1))
        if kind < 0.6:
            return f"({x} {self.pick('+', '-', '*')} {y})"
        if kind < 0.7:
            return f"({x} {self.pick('//', '%')} {self.random.randint(1, 9)})"
        if kind < 0.78:
            return f"{self.pick('min', 'max')}({x}, {y})"
        if kind < 0.84:
            return f"abs({x})"
        if kind < 0.92:
            return f"({x} if {self.test(names)} else {y})"
        return f"helper({x}, {y})"

    def test(self, names):
        x, y = self.number(names, 1), self.number(names, 1)
        one = f"{x} {self.pick('<', '<=', '>', '==', '!=')} {y}"
        return (
            one if self.random.random() < 0.7 else f"({one} {self.pick('and', 'or')} not {self.number(names, 0)} < 2)"
        )

    def bounded(self, names):
        return (
            f"floor(({self.number(names, 2)}) % 61 * 4) / 4"
            if self.random.random() < 0.5
            else f"({self.number(names, 2)}) % 53"
        )

    def index(self):
        i = self.pick(*self.counters, str(self.random.randint(-3, 5)))
        return f"({i} + {self.random.randint(0, 4)}) % len(a)" if self.random.random() < 0.8 else f"-1 - {i} % len(a)"

    def statement(self, depth, names, arrays):
        kind = self.random.random()
        target = self.pick(*names)
        if kind < 0.35 or depth > 5:
            self.put(depth, f"{target} = {self.bounded(names)}")
        elif kind < 0.45:
            self.put(depth, f"{target} += {self.bounded(names)}")
            self.put(depth, f"{target} %= 47")
        elif kind < 0.6 and arrays:
            self.put(depth, f"{target} = a[{self.index()}] + {self.number(names, 0)}")
        elif kind < 0.72 and arrays:
            self.put(depth, f"b[{self.index()}] {self.pick('=', '=', '+=')} {self.bounded(names)}")
        elif kind < 0.85:
            self.put(depth, f"if {self.test(names)}:")
            self.block(depth + 1, names, arrays)
            if self.random.random() < 0.5:
                self.put(depth, "else:")
                self.block(depth + 1, names, arrays)
        elif self.loops < 4:
            self.loops += 1
            counter = f"k{self.loops}"
            if self.random.random() < 0.75:
                bounds = (
                    self.pick("3", "len(a)", "1, 5", "6, 0, -2", "n") if arrays else self.pick("3", "1, 5", "6, 0, -2")
                )
                self.put(depth, f"for {counter} in range({bounds}):")
                self.counters.append(counter)
                self.block(depth + 1, names, arrays)
                if self.random.random() < 0.3:
                    self.put(depth + 1, f"if {self.test(names)}: {self.pick('break', 'continue')}")
                    self.block(depth + 1, names, arrays)
                self.counters.pop()
            else:
                self.put(depth, f"w{self.loops} = {self.random.randint(0, 4)}")
                self.put(depth, f"while w{self.loops} > 0:")
                self.put(depth + 1, f"w{self.loops} -= 1")
                self.block(depth + 1, names, arrays)
        else:
            self.put(depth, f"{target} = {self.number(names, 0)}")

    def block(self, depth, names, arrays):
        for _ in range(self.random.randint(1, 4) + 2 * (depth < 3)):
            self.statement(depth, names, arrays)

    def text(self):
        names = ["x", "y", "z"]
        self.put(0, "def helper(p, q):")
        self.put(1, f"if p {self.pick('<', '>')} q: return p + {self.random.randint(0, 5)}")
        self.put(1, "r = 0.5")
        self.put(1, "for i in range(3):")
        self.put(2, "r = r * 2 % 19 + i")
        self.put(1, "return r - q % 7")
        kind = self.pick("njit", "njit", "njit", "vectorize", "guvectorize")
        if kind == "vectorize":
            self.put(0, "@vectorize")
            self.put(0, "def f(x, y):")
            self.put(1, "z = 1")
            self.block(1, names, False)
            self.put(1, "return x * 2 + y + z")
            self.put(0, "r = f(np.arange(-3, 4), (np.arange(7) * 5 % 11) / 4)")
            self.put(0, "print([float(v) for v in r])")
        elif kind == "guvectorize":
            self.put(0, "@guvectorize('(n),(n)->()')")
            self.put(0, "def f(a, c, out):")
            self.put(1, "x, y, z, n, b = 0, 1.5, 2, len(a), c")
            self.counters.append("n")
            self.lines_for_gufunc(names)
            self.put(0, "a = (np.arange(12) * 7 % 13 / 4).reshape(3, 4)")
            self.put(0, "r = f(a, np.arange(4.0))")
            self.put(0, "print([float(v) for v in r])")
        else:
            self.put(0, "@njit")
            self.put(0, "def f(a, b, n):")
            self.put(1, f"x, y, z = {self.random.randint(0, 3)}, {self.pick('0.5', '2', '1')}, a[0]")
            self.put(
                1, f"for i in {self.pick('range', 'range', 'prange')}({self.pick('len(a)', 'n', '1, 4', '3, -1, -1')}):"
            )
            if "prange" in self.lines[-1]:
                self.put(2, "b[i] = b[i] * 2 + a[-1 - i]")
                self.put(2, "t = a[i] - x")
                self.put(2, f"{self.pick('y += t', 'y -= t * t', 'y = max(y, t)', 'y = min(t, y)')}")
            else:
                self.counters.append("i")
                self.block(2, names, True)
            self.put(1, "return x, y, z")
            dtype = self.pick("float64", "int64", "float32", "int32")
            self.put(
                0,
                f"a, b = (np.arange(6) * 5 % 7).astype(np.{dtype}), np.arange(6).astype(np.{self.pick('float64', 'int64')})",
            )
            self.put(0, f"print([float(v) for v in f(a{self.pick('', '[::-1]')}, b, 5)], b.tolist())")
            self.put(0, "print([float(v) for v in f(a[:4], b[1:5], 3)], b.tolist())")
        return "\n".join(self.lines) + "\n"

    def lines_for_gufunc(self, names):
        start = len(self.lines)
        self.block(1, names, True)
        self.lines[start:] = [l.replace("b[", "out[0 * ") if "b[" in l.split("=")[0] else l for l in self.lines[start:]]
        self.put(1, "out[0] = x + y * 2 + z")


if __name__ == "__main__":
    random_programs("random body", lambda seed: Body(seed).text(), (PYTHON, GPA), 60)
