"""Random array programs that CPython with NumPy and gpa must run alike: python tests/random_programs.py SEED [COUNT]

Each program makes a few small arrays, then views, expressions, reductions and stores among them, and prints all at the end.
Results are kept to small multiples of 1/4, so that every order of summation gives the same bits. The programs are a
function of the seed: `--show SEED NUMBER` prints one."""

import random

import numpy as np

from diff import random_programs

DTYPES = (
    "int64",
    "int64",
    "int32",
    "uint8",
    "int8",
    "bool",
    "float64",
    "float64",
    "float32",
    "float32",
    "float16",
    "complex128",
)
LARGEST = 400  # elements of an array
PROLOGUE = "import numpy as np\ndef q(x):\n    return np.floor(x * 4) / 4 % 32 if x.dtype.kind == 'f' else x\n"


class Program:
    """Grows statement by statement; each is tried in NumPy as it is written, so that shapes and dtypes are known."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = {}
        exec(PROLOGUE, self.names)
        self.arrays, self.lines = [], []

    def pick(self, *choices):
        return self.random.choice(choices)

    def add(self, line, result=None):
        """Adds a statement that NumPy accepts, and now and then one that it refuses, to compare the words."""
        try:
            exec(line, self.names)
        except Exception:
            if self.random.random() < 0.3:
                body = "\n".join("    " + part for part in line.split("\n"))
                self.lines.append(
                    f"try:\n{body}\nexcept Exception as error:\n    print(type(error).__name__, str(error).strip())"
                )
        else:
            if result and self.names[result].size > LARGEST:
                return
            self.lines.append(line)
            if result and result not in self.arrays:
                self.arrays.append(result)

    def fresh(self):
        return f"x{len(self.arrays)}"

    def source(self):
        shape = self.pick((6,), (2, 3), (3, 4), (4, 4), (2, 3, 2), (1, 4), (3, 1), (5,), (8,))
        size = int(np.prod(shape))
        dtype = self.random.choice(DTYPES)
        name = self.fresh()
        values = {"b": f"np.arange({size}) % 2 == 0", "f": f"(np.arange({size}) * 5 % 23) / 4"}.get(
            np.dtype(dtype).kind, f"np.arange({size}) * 7 % 19"
        )
        self.add(f"{name} = ({values}).astype(np.{dtype if dtype != 'bool' else 'bool_'}).reshape({shape})", name)

    def slice(self, n):
        kind = self.random.random()
        if kind < 0.25:
            return ":"
        if kind < 0.45 and n:
            return str(self.random.randrange(-n, n))
        lo, hi = self.random.randint(-n, n), self.random.randint(-n, n + 1)
        step = self.pick("", "", ":2", ":-1", ":-2", ":3")
        return f"{self.pick('', lo)}:{self.pick('', hi)}{step}"

    def index(self, name):
        a = self.names[name]
        kind = self.random.random()
        if a.ndim == 0:
            return "..."
        if kind < 0.12:
            return f"{name} > {self.random.randint(0, 9)}" if a.dtype.kind in "iuf" else "..."
        if kind < 0.22:
            n = a.shape[0]
            return "[" + ", ".join(str(self.random.randrange(-n, n)) for _ in range(3)) + "]" if n else ":"
        parts = [self.slice(n) for n in a.shape[: self.random.randint(1, a.ndim)]]
        if self.random.random() < 0.15:
            parts.insert(self.random.randint(0, len(parts)), "None")
        elif self.random.random() < 0.15:
            parts.insert(self.pick(0, len(parts)), "...")
        return ", ".join(parts)

    def atom(self):
        name = self.random.choice(self.arrays)
        kind = self.random.random()
        if kind < 0.45:
            return name
        if kind < 0.75:
            return f"{name}[{self.index(name)}]"
        if kind < 0.85:
            return f"{name}.T"
        return self.pick("2", "0.5", "3", "-1", "True", "np.float32(1.5)", "np.int8(5)", "7.25")

    def expression(self, depth):
        if depth == 0:
            return self.atom()
        x, y = self.expression(depth - 1), self.expression(self.random.randint(0, depth - 1))
        kind = self.random.random()
        if kind < 0.5:
            return f"({x} {self.pick('+', '-', '*', '+', '*', '<', '>=', '==', '!=')} {y})"
        if kind < 0.6:
            return f"({x} {self.pick('//', '%', '/')} (np.abs({y}) + 1))"
        if kind < 0.72:
            return f"np.{self.pick('maximum', 'minimum', 'logical_and', 'logical_xor', 'fmax')}({x}, {y})"
        if kind < 0.82:
            return f"np.where({x} > 2, {x}, {y})"
        if kind < 0.92:
            return f"np.{self.pick('abs', 'negative', 'square', 'sign', 'floor', 'rint', 'logical_not', 'sqrt')}({x})"
        return f"({x}).astype(np.{self.pick('float32', 'int64', 'float64', 'int16', 'complex64')})"

    def statement(self):
        kind = self.random.random()
        old = self.random.choice(self.arrays)
        new = self.fresh()
        a = self.names[old]
        if kind < 0.30:
            self.add(f"{new} = q(np.asarray({self.expression(self.random.randint(1, 3))}))", new)
        elif kind < 0.42:
            view = self.pick(
                f"{old}[{self.index(old)}]",
                f"{old}.T",
                f"{old}.reshape(-1)",
                f"{old}.ravel()",
                f"{old}[::-1]",
                f"{old}.swapaxes(0, -1)",
                f"np.broadcast_to({old}, (2,) + {old}.shape)",
            )
            self.add(f"{new} = np.asarray({view})", new)
        elif kind < 0.56:
            f = self.pick(
                "sum",
                "max",
                "min",
                "mean",
                "argmax",
                "cumsum",
                "any",
                "all",
                "argmin",
                "prod" if a.dtype.kind in "iu" else "sum",
            )
            axis = self.pick("", f"axis={self.random.randint(-a.ndim, max(a.ndim - 1, 0))}" if a.ndim else "")
            keep = ", keepdims=True" if axis and f != "cumsum" and self.random.random() < 0.3 else ""
            self.add(f"{new} = q(np.asarray({self.pick(old, f'({old} * 2 + 1)')}.{f}({axis}{keep})))", new)
        elif kind < 0.76:
            self.add(f"{old}[{self.index(old)}] = {self.expression(self.random.randint(0, 2))}")
        elif kind < 0.88:
            target = self.pick(old, f"{old}[{self.index(old)}]")
            self.add(f"{target} {self.pick('+', '-', '*')}= {self.expression(self.random.randint(0, 1))}")
        elif kind < 0.94 and a.ndim:
            self.loop(old, new)
        else:
            f = self.pick(
                "np.sort({0})",
                "np.concatenate([{0}, {0}])",
                "np.stack([{0}, {0} + 1])",
                "np.roll({0}, 1)",
                "np.flip({0})",
                "np.repeat({0}, 2)",
                "np.tile({0}, 2)",
                "np.unique({0})",
                "np.diff({0})",
                "np.argsort({0}, kind='stable')",
            )
            self.add(f"{new} = {f.format(old)}", new)

    def loop(self, old, new):
        """A recurrence, of one array or of two; its trips may be run several at a time."""

        def step(x):
            y = self.atom()
            return self.pick(
                f"{x} + {y}",
                f"{x} * 3 + k",
                f"np.where({x} > k, {x} - {y}, {x} + 1)",
                f"{x} * 2 - k * {y}",
                f"np.maximum({x}, {y}) + k % 3",
                f"{x} / 2 + {y}",
                f"({x} + 1).astype(np.float32) * {y}",
                f"{x}[::-1] + k",
            )

        other = new + "b"
        body = self.pick(
            f"{new} = q(np.asarray({step(new)}))",
            f"{new} = q(np.asarray({step(new)}))\n    {other} = {new} + k",
            f"{new}, {other} = q(np.asarray({step(other)})), {new}",
        )
        tail = f"\n{new} = q(np.asarray({new} + {other}))" if other in body else ""
        self.add(
            f"{new} = {old}\n{other} = {old}\nfor k in range({self.random.randint(2, 20)}):\n    {body}{tail}", new
        )

    def text(self):
        self.source()
        while len(self.lines) < 14:
            if self.random.random() < 0.15 or not self.arrays:
                self.source()
            else:
                self.statement()
        # the upper half of uint64 is beyond gpa's ints: its bits are compared as int64
        tail = [
            f"print('{n}', {n}.dtype, {n}.shape, ({n}.astype(np.int64) if {n}.dtype == np.uint64 else {n}).tolist())"
            for n in self.arrays
        ]
        return "\n".join(self.lines + tail) + "\n"


if __name__ == "__main__":
    random_programs("random program", lambda seed: Program(seed).text(), (PROLOGUE, PROLOGUE), 150)
