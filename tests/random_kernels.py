"""Random kernels: python tests/random_kernels.py SEED [COUNT]

Kernels with branches, loops, breaks, early returns of device functions, shared and local arrays, barriers and exchanges of warps
run on the default device and on the reference device, which also says that they are free of races. They must leave the same.
"""

import random
import sys

from cells import Gpa, show

PROLOGUE = "import numpy as np\nfrom numba import cuda\nG = 3\n"


class Kernel:
    def __init__(self, rnd):
        self.rnd, self.lines, self.depth, self.loops, self.names = rnd, [], 1, 0, 0
        self.block = rnd.choice([(32,), (7,), (16, 2), (5, 3), (33,), (64,), (4, 2, 2)])
        self.grid = rnd.choice([1, 2, 3])
        self.n = 1
        for d in self.block:
            self.n *= d

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def number(self, varying=True):
        r = self.rnd
        own = ["a", "b", "c", "t", "x[i]", "i", "v[t % 3]"]
        same = ["G", "p", "cuda.blockIdx.x", str(r.randint(0, 9)), "u"] + [f"k{j}" for j in range(self.loops)]
        pick = r.choice(own + same if varying else same)
        if r.random() < 0.5:
            return pick
        other = r.choice(own + same if varying else same)
        op = r.choice(["+", "-", "*", "%", "//", "&", "^"])
        if op in "%//":
            other = f"({other} % 7 + 1)" if r.random() < 0.5 else str(r.randint(1, 9))
        return f"({pick} {op} {other})"

    def test(self, varying):
        return f"{self.number(varying)} % {self.rnd.randint(2, 5)} {self.rnd.choice(['==', '<', '>', '!='])} {self.rnd.randint(0, 2)}"

    def assign(self):
        name = self.rnd.choice("abc")
        self.put(
            self.rnd.choice(
                [
                    f"{name} = {self.number()} % 1009",
                    f"{name} += {self.number()} % 101",
                    f"v[{name} % 3] = {self.number()} % 997",
                    f"{name} = clamp({self.number()}, 3, 50 + p)",
                    f"{name} = {self.number()} % 100 if {self.test(True)} else {self.number()} % 99",
                    f"out[i, {self.rnd.randint(0, 1)}] = {self.number()} % 10007",
                ]
            )
        )

    def meet(self):
        r = self.rnd
        kind = r.randint(0, 6)
        if kind < 2:
            self.put(f"s[t] = {self.number()} % 1013")
            self.put("cuda.syncthreads()")
            self.put(f"{r.choice('abc')} += s[(t + {r.randint(1, 9)}) % n]")
            self.put("cuda.syncthreads()")
        elif kind == 2:
            last = self.n % 32  # lanes of a warp that is not full: the value of one that is not there is not defined
            how = (
                r.choice(["shfl_xor_sync", "shfl_down_sync", "shfl_up_sync", "shfl_sync"]) if not last else "shfl_sync"
            )
            self.put(
                f"{r.choice('abc')} = cuda.{how}(0xffffffff, {self.number()}, {r.randint(0, min(5, last - 1 if last else 5))}) % 1021"
            )
        elif kind == 3:
            self.put(f"{r.choice('abc')} += cuda.syncthreads_count({self.test(True)})")
        elif kind == 4:
            self.put(f"{r.choice('abc')} += cuda.ballot_sync(0xffffffff, {self.test(True)}) % 1031")
        elif kind == 5:
            self.put(f"m = cuda.ballot_sync(0xffffffff, {self.test(True)})")
            self.put("if (m >> cuda.laneid) & 1:")
            self.put(f"    {r.choice('abc')} += cuda.shfl_sync(m, {self.number()}, cuda.ffs(m) - 1) % 1021")
            self.put("    cuda.syncwarp(m)")
        else:
            self.put(f"m = cuda.match_any_sync(0xffffffff, {self.number()} % 3)")
            self.put(
                f"{r.choice('abc')} += cuda.ballot_sync(m, {self.test(True)}) % 1033 + cuda.all_sync(m, {self.test(True)})"
            )

    def body(self, size, uniform, jumps):
        for _ in range(size):
            self.statement(uniform, jumps)

    def statement(self, uniform, jumps):
        r = self.rnd
        what = r.random()
        if self.depth > 5 or what < 0.35:
            self.assign()
        elif what < 0.55 and uniform:
            self.meet()
        elif what < 0.6 and uniform:
            self.put(f"u = (u + {self.number(False)}) % 17")
        elif what < 0.75:
            same = uniform and r.random() < 0.5
            self.put(f"if {self.test(not same)}:")
            self.inside(uniform and same, jumps)
            if r.random() < 0.4:
                self.put("else:")
                self.inside(uniform and same, jumps)
        elif what < 0.9 and self.loops < 3:
            same = uniform and r.random() < 0.6
            name = f"k{self.loops}"
            stop = f"{self.number(False)} % 4" if same else f"{self.number()} % 4"
            self.put(f"for {name} in range({stop}):")
            self.loops += same
            self.inside(uniform and same, not same)
            self.loops -= same
        elif jumps and r.random() < 0.7:
            self.put(f"if {self.test(True)}:")
            self.depth += 1
            self.put(r.choice(["break", "continue"]))
            self.depth -= 1
        else:
            self.names += 1
            name = f"w{self.names}"
            self.put(f"{name} = 0")
            self.put(f"while {name} < {self.number()} % 4:")
            self.depth += 1
            self.put(f"{name} += 1")
            self.body(r.randint(1, 2), False, True)
            self.depth -= 1

    def inside(self, uniform, jumps):
        self.depth += 1
        self.body(self.rnd.randint(1, 3), uniform, jumps)
        self.depth -= 1

    def text(self, name):
        self.body(self.rnd.randint(3, 8), True, False)
        head = [
            f"def {name}(x, out, p):",
            "    s = cuda.shared.array(64, np.int64)",
            "    v = cuda.local.array(3, np.int64)",
            f"    n = {self.n}",
            "    t = cuda.threadIdx.x + cuda.blockDim.x * (cuda.threadIdx.y + cuda.blockDim.y * cuda.threadIdx.z)",
            "    i = t + n * cuda.blockIdx.x",
            "    a = x[i]",
            "    b = t",
            "    c = 1",
            "    u = p",
            "    for q in range(3):",
            "        v[q] = q",
        ]
        tail = ["    out[i, 2] = a", "    out[i, 3] = b", "    out[i, 4] = c + u", ""]
        size = self.n * self.grid
        call = f"out = np.zeros(({size}, 5), np.int64)\n"
        call += f"{name}[{self.grid}, {self.block}](np.arange({size}) * 7 % 23, out, {self.rnd.randint(0, 6)})\nprint(out.tolist())\n"
        return "@cuda.jit\n" + "\n".join(head + self.lines + tail) + "\n" + call


CLAMP = """def clamp(x, lo, hi):
    if x < lo:
        return lo
    if x > hi:
        return hi
    return x
"""


def answer(engine, program):
    engine.fresh()
    result = engine.run(program)
    return result.out + result.error


def against_reference(write, alike):
    """SEED [COUNT] of the command line: each program on the device and on the reference; alike(got, want) judges."""
    seed, count = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 25
    device, ref, failed = Gpa(), Gpa("ref"), 0
    for k in range(count):
        program = write(random.Random(seed * 1000 + k))
        got, want = answer(device, program), answer(ref, program)
        good = alike(got, want)
        failed += not good
        print(f"{'ok' if good else 'not ok'} - kernel {seed * 1000 + k}")
        if not good:
            show("program:", program)
            show("on the reference device:", want[:1500])
            show("on the device:", got[:1500])
    ended_well = [engine.ended_well() for engine in (device, ref)]
    sys.exit(failed > 0 or not all(ended_well))


if __name__ == "__main__":
    against_reference(
        lambda rnd: PROLOGUE + CLAMP + Kernel(rnd).text("kernel"),
        lambda got, want: got == want and want.startswith("[["),
    )
