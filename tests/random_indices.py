"""Random indices: python tests/random_indices.py SEED [COUNT]

Kernels whose indices come from threads, counters, extents, arguments and elements, behind conditions of all forms, most of which
keep them in bounds. A launch omits the checks of accesses that it proves in bounds. The reference device reports an access that was
proved and is out of bounds; on the default device each launch must give the same elements, or the same IndexError."""

from random_kernels import against_reference

PROLOGUE = "import numpy as np\nfrom numba import cuda\nG = 5\n"


class Kernel:
    def __init__(self, rnd):
        self.rnd, self.lines, self.depth, self.loops = rnd, [], 1, 0
        self.names = ["i", "t", "p", "q", "a", "b", "G"]
        self.counters = 0

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def number(self, deep=2):
        r = self.rnd
        leaf = r.choice(
            self.names
            + [
                str(r.randint(-3, 9)),
                "x.size",
                "y.shape[0]",
                "y.shape[1]",
                "cuda.blockDim.x",
                "cuda.blockIdx.x",
                "cuda.gridDim.x",
            ]
        )
        if not deep or r.random() < 0.3:
            return leaf
        one, other = self.number(deep - 1), self.number(deep - 1)
        return r.choice(
            [
                f"({one} + {other})",
                f"({one} - {other})",
                f"({one} + 1)",
                f"({one} - 1)",
                f"({one} * {r.randint(-1, 3)})",
                f"({one} // {r.randint(1, 4)})",
                f"({one} % {r.choice([3, 8, 'x.size', 'y.shape[0]'])})",
                f"min({one}, {other})",
                f"max({one}, {other})",
                f"abs({one})",
                f"({one} & {r.choice([7, 15, 3])})",
                f"({one} >> 1)",
                f"({one} << 1)",
                f"-{leaf}",
                f"np.int32({one})",
                f"np.int8({one})",
                f"({one} if {self.test(0)} else {other})",
                f"np.uint8({one})",
                f"({one} ^ 1)",
            ]
        )

    def test(self, deep=1):
        r = self.rnd
        one, size = self.number(1), r.choice(["x.size", "y.shape[0]", "y.shape[1]", "x.size - 1", "6"])
        simple = r.choice(
            [
                f"{one} < {size}",
                f"{one} >= {size}",
                f"0 <= {one} < {size}",
                f"{one} > 0",
                f"{one} == {r.randint(0, 4)}",
                f"{one} != {self.number(0)}",
                f"not {one} >= {size}",
                f"{one} <= {self.number(0)}",
            ]
        )
        return f"{simple} {r.choice(['and', 'or'])} {self.test(0)}" if deep and r.random() < 0.5 else simple

    def read(self):
        r, e = self.rnd, self.number()
        where = r.choice(
            [
                f"x[{e} % x.size]",
                f"y[{e} % y.shape[0], {self.number(1)} % y.shape[1]]",
                f"x[min(max({e}, 0), x.size - 1)]",
            ]
        )
        near = f"{r.choice(self.names[3:])} + {r.randint(-1, 1)}"
        if r.random() < 0.4:
            where = r.choice(
                [
                    f"x[{near}]",
                    f"y[0, {near}]",
                    f"x[{self.number(1)}]",
                    f"x[{self.number(1)} % x.size + {r.randint(-1, 1)}]",
                    f"x[x.size - {r.randint(0, 1)} - {self.number(1)} % 3]",
                    f"y[{self.number(0)}, {self.number(0)} % y.shape[1]]",
                    f"s[{self.number(1)} % 8]",
                ]
            )
        if r.random() < 0.4:
            e = self.number(1)
            self.put(
                f"if {r.choice([f'0 <= {e} < x.size', f'{e} >= 0 and {e} < x.size', f'{e} < x.size and {e} > -1', f'0 < {e} <= x.size'])}:"
            )
            where = "    " + f"sum += x[{e}]"
            self.put(where)
        else:
            self.put(f"sum += {where}")

    def inside(self):
        self.depth += 1
        self.body(self.rnd.randint(1, 3))
        self.depth -= 1

    def body(self, n):
        for _ in range(n):
            self.statement()

    def statement(self):
        r, what = self.rnd, self.rnd.random()
        if what < 0.45 or self.depth > 4:
            self.read()
        elif what < 0.6:
            self.put(f"{r.choice('ab')} {r.choice(['=', '=', '+='])} {self.number()}")
        elif what < 0.65:
            self.put(f"{r.choice('ab')} = x[{self.number()} % x.size]")
        elif what < 0.8:
            self.put(f"if {self.test()}:")
            if r.random() < 0.2 and self.loops:
                self.put("    " + r.choice(["break", "continue"]))
            elif r.random() < 0.1:
                self.put("    return")
            else:
                self.inside()
                if r.random() < 0.4:
                    self.put("else:")
                    self.inside()
        elif self.loops < 2:
            self.counters += 1
            name, self.loops = f"k{self.counters}", self.loops + 1
            if r.random() < 0.6:
                self.put(
                    r.choice(
                        [
                            f"for {name} in range({self.number(1)} % 9):",
                            f"for {name} in range({self.number(0)} % 5, x.size, {r.randint(1, 7)}):",
                            f"for {name} in range(x.size - 1, {r.randint(-1, 3)}, -{r.randint(1, 4)}):",
                            f"for {name} in range(i, x.size, cuda.gridsize(1)):",
                        ]
                    )
                )
                self.names.append(name)
                self.inside()
                self.names.remove(name)
            else:
                up = r.random() < 0.6
                self.put(f"{name} = {self.number(1) + ' % 7' if up else self.number(1) + ' % 60'}")
                self.put(f"while {name} < {r.choice(['x.size', '12', 'y.shape[0]'])}:" if up else f"while {name} > 0:")
                self.names.append(name)
                self.depth += 1
                if r.random() < 0.5:
                    self.read()
                self.put(f"{name} {'+= ' + str(r.randint(1, 4)) if up else r.choice(['//= 2', '-= 1', '>>= 1'])}")
                self.body(r.randint(1, 2)) if not r.random() < 0.2 else None
                self.depth -= 1
                self.names.remove(name)
            self.loops -= 1
        else:
            self.read()

    def text(self):
        r = self.rnd
        self.body(r.randint(3, 7))
        head = [
            "@cuda.jit",
            "def kernel(x, y, out, p, q):",
            "    s = cuda.local.array(8, np.int64)",
            "    for z in range(8):",
            "        s[z] = z",
            "    i = cuda.grid(1)",
            "    t = cuda.threadIdx.x",
            "    sum = 0",
            "    a = 1",
            "    b = t",
        ]
        text = PROLOGUE + "\n".join(head + self.lines + ["    if i < out.size:", "        out[i] = sum", ""])
        for _ in range(3):
            nx, y0, y1, block, grid = (
                r.randint(3, 70),
                r.randint(1, 9),
                r.randint(1, 9),
                r.choice([1, 7, 16, 32]),
                r.randint(1, 3),
            )
            text += f"out = np.zeros({r.randint(1, 70)}, np.int64)\n"
            text += f"kernel[{grid}, {block}](np.arange({nx}) * 5 % {nx}, np.arange({y0 * y1}).reshape({y0}, {y1}), out, "
            text += f"{r.randint(-3, 9)}, {r.randint(0, 5)})\nprint(out.tolist())\n"
        return text


def ended(output):
    """The three results, or those before an IndexError; of threads that fault any may report. None: something else happened."""
    lists = [line for line in output.splitlines() if line.startswith("[")]
    error = "IndexError: index" in output
    return (lists, error) if "SystemError" not in output and (len(lists) == 3) != error else None


if __name__ == "__main__":
    against_reference(lambda rnd: Kernel(rnd).text(), lambda got, want: ended(got) == ended(want) != None)
