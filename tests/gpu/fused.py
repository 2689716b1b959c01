"""Random fused expressions on the GPU and on the reference device: python tests/gpu/fused.py [PART/PARTS]

Each of COUNT programs makes arrays, one expression or several over them - elementwise chains over views, broadcasts and
casts, reductions, row-wise pipelines, scans, gathers - and saves the results, which are compared here. An expression is exact
(then the bits must agree: only operations that IEEE 754 and the integers define) or near: built of positive, well
conditioned parts alone, so that a few units in the last place of the shortest dtype per operation bound the difference."""
import os
import random
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import Gpa, show, which  # noqa: E402

COUNT = 1000
PROLOGUE = "import numpy as np\n"
FLOATS = ("float64", "float64", "float32", "float32", "float32", "float16")
INTS = ("int64", "int32", "int16", "uint8", "int8", "uint32")
SHAPES = ((1,), (7,), (1000,), (4096,), (100003,), (33, 65), (64, 64), (300, 129), (5, 2000), (2000, 5), (3, 4, 5), (8, 16, 40), (2, 3, 4, 5))
TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 2e-2}  # relative


class Program:
    """One program; arrays are made by formulas, so that both devices start alike."""

    def __init__(self, number):
        self.random = random.Random(f"fused {number}")
        self.lines, self.leaves, self.tolerance = [], [], 0
        self.shape = self.random.choice(SHAPES)
        self.near = self.random.random() < 0.6
        floats = self.near or self.random.random() < 0.5
        self.dtypes = FLOATS if floats else INTS + FLOATS
        for k in range(self.random.randint(1, 3)):
            self.leaf(f"a{k}")
        self.results = []
        for k in range(self.random.choice((1, 1, 1, 2, 3))):
            self.lines.append(f"r{k} = {self.result()}")
            self.results.append(f"r{k}")

    def pick(self, *choices):
        return self.random.choice(choices)

    def leaf(self, name):
        """An array that has the program's shape as it stands, or as a view: transposed, sliced, reversed, broadcast."""
        shape, size = self.shape, int(np.prod(self.shape))
        dtype = self.random.choice(self.dtypes)
        way = self.random.randrange(8)
        view = name
        if way == 0 and len(shape) > 1:
            shape, view = shape[::-1], f"{name}.T"
        elif way == 1:
            shape, view = shape[:-1] + (2 * shape[-1] + 1,), f"{name}[..., 1::2]"
        elif way == 2:
            view = f"{name}[..., ::-1]"
        elif way == 3 and len(shape) > 1:
            shape = (1,) + shape[1:]
        elif way == 4 and len(shape) > 1:
            shape = shape[:-1] + (1,)
        elif way == 5:
            shape, view = shape[:-1] + (shape[-1] + 3,), f"{name}[..., 3:]"
        elif way == 6 and len(shape) > 1:
            shape, view = (shape[0] + 2,) + shape[1:], f"{name}[1:-1]"
        size = int(np.prod(shape))
        self.tolerance = max(self.tolerance, TOLERANCE[dtype]) if self.near else 0
        step, period = self.pick(7, 11, 13), self.pick(19, 23, 29)
        values = f"(np.arange({size}) * {step} % {period} + 1)"
        self.lines.append(f"{name} = ({values}{' / 8' if dtype in FLOATS else ''}).astype(np.{dtype}).reshape({shape})")
        self.leaves.append(view)

    # Exact expressions may subtract, compare and choose; near ones only add, multiply and divide positive values.
    def value(self, depth):
        if depth == 0:
            return self.pick(*self.leaves, *self.leaves, "2", "0.5" if self.dtypes is FLOATS else "3")
        x, y = self.value(depth - 1), self.value(self.random.randint(0, depth - 1))
        kind = self.random.random()
        if self.near:
            if kind < 0.4:
                return f"({x} {self.pick('+', '*', '+')} {y})"
            if kind < 0.5:
                return f"({x} / (1 + {y}))"
            if kind < 0.9:
                f = self.pick("np.exp(-{0})", "np.sqrt({0})", "np.log1p({0})", "np.tanh({0})", "np.arctan({0})", "(1 / (1 + np.exp(-{0})))",
                              "np.cbrt({0})", "np.exp2(-{0})", "np.hypot({0}, 1)", "np.arcsinh({0})", "({0} ** 0.5)", "np.expm1({0} / (1 + {0}))")
                return f.format(x)
            return f"np.{self.pick('maximum', 'minimum')}({x}, {y})"
        if kind < 0.45:
            return f"({x} {self.pick('+', '-', '*')} {y})"
        if kind < 0.6:
            return f"np.where({x} {self.pick('<', '>=', '==')} {y}, {x}, {self.value(depth - 1)})"
        if kind < 0.75:
            return f"np.{self.pick('maximum', 'minimum', 'fmax', 'fmin')}({x}, {y})"
        if kind < 0.85:
            return f"np.{self.pick('abs', 'negative', 'floor', 'rint', 'sign', 'square')}({x})"
        if kind < 0.93:
            return f"({x}).astype(np.{self.pick('float32', 'float64', 'int32', 'int64')})"
        return f"({x} {self.pick('//', '%')} (np.abs({y}) + 1))"

    def whole(self):
        """An expression that surely has the program's shape."""
        return f"({self.value(self.random.randint(1, 4))} + {self.leaves[0]} * np.ones({self.shape}, np.int8))"

    def result(self):
        x, axis = self.whole(), self.random.randrange(len(self.shape))
        kind = self.random.random()
        if kind < 0.35:
            return x
        if kind < 0.6:
            if self.near:
                f = self.pick("sum", "mean", "max", "min")
            else:
                f = self.pick("max", "min", "argmax", "argmin", "any", "all")
            return f"np.asarray({x}.{f}({self.pick('', f'axis={axis}', f'axis={axis}, keepdims=True')}))"
        if kind < 0.75:
            if self.near:
                return f"(lambda x: x / x.{self.pick('sum', 'max', 'mean')}(axis={axis}, keepdims=True))({x})"
            return f"(lambda x: x - x.{self.pick('max', 'min')}(axis={axis}, keepdims=True))({x})"
        if kind < 0.83:
            if not self.near or self.tolerance == TOLERANCE["float16"]:  # NumPy rounds every step of a sum of halves, a GPU does not
                return f"np.maximum.accumulate({x}, axis={axis})"
            return f"{x}.cumsum(axis={axis})"
        if kind < 0.92:
            n = self.shape[0]
            return f"({x})[np.arange({n + 3}) * 5 % {n}]"
        return f"({x}).T" if self.random.random() < 0.5 else f"({x})[..., ::-1].copy()"

    def text(self, folder):
        return "\n".join(self.lines + [f"np.save('{folder}/{r}.npy', {r})" for r in self.results]) + "\n"


def run(engine, program, folder):
    """The results (arrays by name) and the error."""
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    engine.fresh()
    engine.run(PROLOGUE)
    error = engine.run(program.text(folder)).error
    return {name[:-4]: np.load(os.path.join(folder, name)) for name in sorted(os.listdir(folder))}, error


def complaint(tolerance, got, want):
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{got.dtype} {got.shape}, on the reference device {want.dtype} {want.shape}"
    same = (got == want) | ((got != got) & (want != want))
    if tolerance and want.dtype.kind == "f":
        wide = want.astype(np.float64)
        with np.errstate(all="ignore"):
            same |= np.abs(got.astype(np.float64) - wide) <= tolerance * np.abs(wide) + np.finfo(want.dtype).tiny
    bad = np.flatnonzero(~same.reshape(-1))
    if not len(bad):
        return None
    at = bad[0]
    return f"{len(bad)} of {want.size} elements, at {at}: {got.reshape(-1)[at]!r}, on the reference device {want.reshape(-1)[at]!r}"


def check(number, gpu, ref, folder):
    program = Program(number)
    (got, trouble), (want, expected) = (run(e, program, f"{folder}/{n}") for e, n in ((gpu, "gpu"), (ref, "ref")))
    wrong = [f"{trouble or 'no error'}, on the reference device {expected or 'no error'}"] if trouble != expected else []
    wrong += [f"{name}: {text}" for name in want for text in [complaint(program.tolerance, got.get(name, np.empty(0)), want[name])] if text]
    print(f"{'not ok' if wrong else 'ok'} - fused program {number}")
    if wrong:
        show("program:", "\n".join(program.lines))
        show("difference:", "\n".join(wrong))
    return not wrong


def main():
    if sys.argv[1:2] == ["--show"]:
        print(Program(int(sys.argv[2])).text("."))
        return
    device = os.environ.get("GPA_DEVICE", "cuda:0")
    gpu, ref, good = Gpa(device), Gpa("ref"), True
    with tempfile.TemporaryDirectory() as folder:
        for number in range(COUNT)[which(sys.argv[1]) if len(sys.argv) > 1 else slice(None)]:
            good &= check(number, gpu, ref, folder)
    ended_well = [engine.ended_well() for engine in (gpu, ref)]
    sys.exit(not (good and all(ended_well)))


if __name__ == "__main__":
    main()
