"""Loop replay gives the same bits as interpretation: python tests/loops.py SEED [COUNT] | [--part=PART/PARTS] FILE ...

Programs run twice, with loops replayed and with GPA_LOOPS=off; what they print, display and raise must be the same to the last
bit. FILE: the sections of a language or differential test that contain a loop; another file is one program. SEED: random
loops (`--show SEED NUMBER` prints one), of which a stated share must have been replayed."""

import os
import random
import re
import sys

from cells import Gpa, sections, show, which
from diff import PROLOGUE, SHARED, difference

LOOP = re.compile(r"^\s*(for|while)\b", re.M)
CLOCK = re.compile(r"^\s*%|\btime\b|#~|\binput\(|random\.default_rng\(\)", re.M)  # differs from run to run
REPLAYED = re.compile(r"loop: (\d+) iterations replayed")
GRAPHS = re.compile(r"loop: .*, \d+ graphs? of \d+ iterations")
LEAST_REPLAYED = 0.2  # of the random loops

ARRAYS = r"""
np.linspace(0, 1, {n})
np.arange({n}.0) % 7
np.ones({n})
np.zeros({n})
(np.arange({n}) * 5 % 11).astype(np.float32)
np.arange({n}) % 13
np.linspace(-1, 1, 2 * {n})[::2]
np.linspace(2, 3, {n})[::-1]
"""

# Statements of a body over arrays a, b, c of one length, a table m, scalars s, t and the iteration i.
STATEMENTS = r"""
{x} = {x} * 0.5 + {y}
{x} = {x} + {k}
{x} += 1
{x} *= 0.5
{x} = np.minimum({x}, {y}) + {k}
{x} = np.where({x} > {y}, {x} * 0.25, {y} + 1)
{x}[1:] = {y}[:-1] * 0.5 + {k}
{x}[1:-1] = 0.25 * ({y}[2:] + {y}[:-2]) + 0.5 * {x}[1:-1]
{x}[0] = {y}[1] * 0.5
{x}[i % {n}] = {k}
{x}[:] = {y}
{x}[...] = {y}[::-1] * 0.5
{x}, {y} = {y}, {x}
{x} = {y}
{x} = {y}.copy()
{x} = {y}[::-1].copy()
{x} = np.roll({x}, 1) * 0.5
{x} = np.concatenate([{x}[1:], {y}[:1]])
{x} = np.pad({x}[1:-1], 1) + 1
{x} = {x} / ({y}.sum() + 100)
{x} = {x} - {y}.mean() * 0.25
{x} = np.clip({x}, -50, 50)
{x} = np.abs({y}) + s
{x} = {y} * t
{x} += s
m[i] = {x}
m[i, 1:3] = s
m[i] = {x} + t
m[i + 1, 2:-1] = {x}[2:-1] + {k}
{x} = m[i] * 0.5 + {y}
{x} = m[3] + {y} * 0.5
m[2:4] += {x}
m[i + 1] = m[i] * 0.5 + {x}
m[119 - i] = {x} * 2
m[119 - i, 1] = s
m[i:i + 2] = {y}
m[:, i % 3] = 0.5
v = m[1]; v += 1
v = m[i]; v += 1
v = {x}[1:]; v *= 0.5
s += 1
s = s * 0.5
t = t + 0.125
t = -t
s, t = t, s
t = 1.0 / (i + 1)
k = k + 1
k = i * 2 - 3
{x} = {x} + k
m[k] = {x}
for j in range(3): {x} = {x} * 0.5 + {y}
for j in range(4, 0, -1): {x}[1:] = {x}[:-1] * 0.25 + j; s += j
for j in range({few}): {x}, {y} = {y}, {x}
for j in range({few}): m[j] += {x}; t = t * 0.5
for j in range(2): {x} = {x} + {k}; k = j - k
m[:i + 2, 2] += m[:i + 2, 1] * 0.5
m[i:, 0] = m[i:, 0] * 0.5 + {k}
m[1:i + 3, 0] = m[:i + 2, 0] * 0.5 + {k}
m[:i + 2, 1] = np.flip(m[:i + 2, 1]) * 0.5 + 1
m[i, 1] = np.dot(m[:i + 2, 0], m[:i + 2, 2]) * 0.01
m[i, 1] = m[:i + 2, 0].sum() * 0.01 + {k}
m[-i - 3:, 2] = m[:i + 3, 0] * 0.25
m[:i + 2, :2] = m[:i + 2, 1:3] * 0.5
m[i + 1, 2] = m[i, 2] * 0.5 + {k}
m[i, 0] += m[i, 1] * {x}[1]
m[i] -= m[i, 0] * m[2] * 0.01
m[i] = m[i] * 0.5 + m[{trip}]
m[i + 1:, 1:] -= np.outer(m[i + 1:, 0], m[i, 1:]) * 0.01
{x} = {x} * 0.5 + m[i, 1]
v = m[:i + 2, 1] * 2
v = m[i:, 1]
{x}[1] = m[i:, 1][::-1].sum() * 0.25
{x} = {y} @ w
{x} = w @ {x} + {k}
{x}[:] = (w @ w.T @ {y}) * 0.125
v = m[:i + 2, :2] @ w[:2] * 0.5
v = m[i + 1:, 1] @ m[i + 1:, 1:]
{x} = np.sort({x}) * 0.5
v = np.argsort({y})
{x}[2] = {y}.argmax() * 0.125
{x} = np.abs(np.fft.fft({y})) / {n}
{x} = np.fft.irfft(np.fft.rfft({x}), {n}) * 0.5
"""

# What must end a replay, or forbid it.
EFFECTS = r"""
print(i, {x}[0], s)
if i == {trip}: print(i, {x})
{x}[:i + 2] *= 0.5
{x}[i + 1:] = {y}[i + 1:] * 0.5 + {k}
{x}[0] = m[:i + 4, 1][3] * 0.5
{x}[1] = m[i:, 0][:3].sum() * 0.25
if i == {trip}: break
if i == {trip}: {x} = {y}
if i == {trip}: {x} = {x}[:].copy(); s = 2.5
if i == {trip}: {x} = {x}[1:] * 1.0; {x} = np.append({x}, 1.0)
if i == {trip}: raise ValueError(str(i))
if i == {trip}: 1 // 0
if i % {few} == 0: {x} = {y} * 1
if i % {few} == 1: continue
if i > {trip}: {x} = {x} + 1
if i >= {trip}: kept.append({x})
kept.append({x})
if {x}.sum() > {big}: break
if {x}[0] > 40: {x} = {x} * 0
log[i % 3] = {x}
s = float({x}[1]) * 0.5
s = {x}.sum()
{x} = grow({x})
note(i)
{x} = {x}.astype(np.float32) if i == {trip} else {x}
u = {x}; kept[:1] = [u]
m = m.copy()
m[i % 8] = {x}
m[i // 100] = {x}
{x} = np.add({x}, 1, out={y})
np.multiply({y}, 0.5, out={x})
{x}.fill(0.5)
{x}.sort()
total = total + {x}
total += {x}.sum()
np.sqrt(-{x}[:2] * {x}[:2] - 1)
del u; u = 1
s = i // 7 % 3
s = {trip} - i
t = 1 / ({trip} - i)
k = 2 ** 61 + i * 2 ** 57
{x} = {x} + np.float64(i)
{x} = {x} + np.sin(0.5) * i
{x} = {x} ** 2 % 3
{x} = scale(i) * {x}
rate = rate * 0.5; {x} = {x} * rate
{x} = {x} @ np.eye({n}) * 0.5
{x} = {x} * (i % 2)
{x} = {x} + (i % 2 == 0)
{x} = next(turns) + {x} * 0.5
{x} = {x}.reshape(-1, 1).ravel()
{x}.shape = {x}.shape
c = {x}.T if i % 2 else {x}
for j in range({few}): {x}[j] = i + j
for j in range({few}): {x} = {x} * 0.5 + j
{x} = sum((r * 0.5 for r in [{x}, {y}]), 0)
try: m[i] = {x}\nexcept IndexError: s = -1
with np.errstate(all='ignore'): {x} = {x} / ({y} - {y})
global_array[1:] = global_array[:-1] + 1
globals()['global_array'] = {x}
"""

LOOPS = r"""
for i in range({many}):
for i in range({many}):
for i in range({many}):
for i in range({many}):
for i in range(3, {many}, 2):
for i in range({many}, 0, -1):
for i in list(range({many})):
for i, _ in enumerate(range({many})):
while (i := i + 1) < {many}:
i = 0\nwhile True:\n    i += 1\n    if i > {many}: break
"""

PROGRAM = """import numpy as np
global_array = np.zeros(5)
noted = []
def note(i): noted.append(i)
def grow(x): return x * 0.5
def loop():
    i = -1
    n = {n}
    a, b, c, m = {a}, {b}, {c}, np.zeros(({rows}, {n}))
    w = (np.arange({n} * {n}) % 5 - 2.0).reshape({n}, {n}) / {n}
    s, t, k, u, total = {s}, 0.5, 1, 0, 0
    kept, log, turns = [], [0, 0, 0], iter([{n}.0] * 1000)
    rate = 0.5
    scale = lambda i: i * 0.5 + rate
    before = a, b, c
    try:
{body}
    except Exception as e:
        print(type(e).__name__, e, i)
    for x in (a, b, c, m, *before, *kept[:3], *kept[-2:], *log, total, u):
        print(type(x).__name__, getattr(x, 'shape', ''), np.asarray(x).tobytes().hex() if hasattr(x, 'shape') else x)
    print([p is q for p in (a, b, c) for q in before], i, s, t, k, len(kept), np.shares_memory(a, b), np.shares_memory(a, m))
    print(a.base is b, a.flags.writeable, list(noted)[-3:], global_array)
loop()
"""

# Statements whose records repeat: the backward pass over them is a loop, too.
GRADIENT_STATEMENTS = r"""
{x} = {x} * {y}
{x} = np.sin({x}) + {y} * 0.25
{x} = {x} * w + {y}
{x} = {x} - 0.1 * {y} * {y}
{x} = np.tanh({x} * w[0])
{x} = {x} / ({y} * {y} + 1)
{x} = np.exp(-{x} * {x}) * {y}
{x} = np.where({x} > {y}, {x} * w, {y})
{x} = np.maximum({x}, 0.5 * {y})
{x} = {x} * (w * {y}).sum()
{x} = {x} - ({y} * {y}).mean()
{x} = {x} * q[i]
{x} = np.roll({x}, 1) * {y}
{x} = ({x}[:, None] * w).sum(1) * 0.1
{x}[1:-1] = {y}[1:-1] * ({y}[2:] + w[1:-1] * {y}[:-2])
{x}[1:] += 0.25 * {x}[1:] * {y}[:-1]
{x}[::2] = {y}[::2] * {x}[::2]
{x}[:] = {y} * w
{x} *= {y}
{x} += w * {y}
{x} = {x}.copy(); {x}[0] = {y}[1] * {y}[2]
{x}, {y} = {y}, {x}
m[i] = {x} * w
m[i + 1] = m[i] * {x}
m[i + 1] = np.tanh(m[i] + w) * {x}
m[119 - i] = {x} * {y}
m[i, 1:] = m[119 - i, :-1] * {x}[1:]
m[2:4] += {x} * m[1]
{x} = m[i] * {y} + 0.5
{x} = m[119 - i] * m[i] + {y}
a, b, c = c, a, b
v = {x}; {x} = v * {y} + v[::-1]
{x} = q[i] * {x} + m[i]
{x} = {x} * s; s = s * 0.99
for j in range(3): {x} = {x} * {y} + w
for j in range(2): m[i + j] = np.sin({x}) * w; {x} = {x} * 0.5
"""

GRADIENT_PROGRAM = """import numpy as np
from autograd import make_vjp
n = {n}
q = np.cos(np.arange({rows} * n)).reshape({rows}, n)
def loop():
    def f(args):
        a, b, w = args
        c, m, s = b * 0.5, np.zeros(({rows}, n)), 1.5
        a = a * 1
{body}
        return np.concatenate([a, b, c, m.ravel()])
    vjp, value = make_vjp(f)([np.linspace(0.1, 1, n), np.linspace(1, -1, n), np.linspace(0.9, 1.1, n)])
    for g in (value, *vjp(np.cos(np.arange(value.size)))):
        print(g.dtype, np.asarray(g).tobytes().hex())
loop()
"""


# The variables that are attributes of an object in some programs.
ATTRIBUTE = re.compile(r"(?<![\w.])([abcmstk])(?=\W)(?! for)")
OBJECT = """class Object:
    def step(self, i):
{body}
o = Object()
"""


def rows(table):
    return [row.replace("\\n", "\n") for row in table.strip().split("\n")]


def program(seed, number):
    """A random loop as text: a few statements that can be replayed, and in half of the programs one that may not. In every fourth
    program the variables are attributes, in half of these the body is a method."""
    r = random.Random(f"loops {seed}.{number}")
    n = r.choice([5, 8, 8, 33])
    fill = lambda text: re.sub(
        r"\{(\w+)\}",
        lambda hole: {
            "x": lambda: r.choice("abc"),
            "y": lambda: r.choice("abc"),
            "k": lambda: r.choice(["i", "s", "t", "1", "0.5", "i * 0.5", "k"]),
            "n": lambda: str(n),
            "trip": lambda: str(r.choice([3, 9, 12, 17, 30, 41])),
            "few": lambda: str(r.choice([2, 3, 7, 20])),
            "many": lambda: str(r.choice([5, 45, 60, 110, 110])),
            "big": lambda: str(r.choice([50, 1000, 100000])),
        }[hole[1]](),
        text,
    )
    if int(number) % 3 == 2:
        body = [fill(r.choice(rows(GRADIENT_STATEMENTS))) for _ in range(r.choice([1, 2, 3, 4]))]
        lines = [fill(r.choice(["for i in range({many}):", "for i in range({many}, 0, -1):"]))]
        lines += ["    " + line for text in body for line in text.split("\n")]
        return GRADIENT_PROGRAM.format(n=n, rows=120, body="\n".join(" " * 8 + line for line in lines))
    body = [fill(r.choice(rows(STATEMENTS))) for _ in range(r.choice([1, 2, 3, 3, 4, 5, 6]))]
    method = int(number) % 8 == 4
    if r.random() < 0.4 and not method:
        body.insert(r.randint(0, len(body)), fill(r.choice(rows(EFFECTS))))
    called = ["o.step(i)"] if method else body
    lines = fill(r.choice(rows(LOOPS))).split("\n") + ["    " + line for text in called for line in text.split("\n")]
    if r.random() < 0.1:
        lines = ["for outer in range(3):"] + ["    " + line for line in lines]
    text = PROGRAM.format(
        n=n, rows=r.choice([30, 120, 120, 120]), s=r.choice(["0", "1.5", "2"]),
        body="\n".join(" " * 8 + line for line in lines),
        **{name: r.choice(rows(ARRAYS)).format(n=n) for name in "abc"},
    )  # fmt: skip
    if int(number) % 4:
        return text
    step = "\n".join(" " * 8 + line for line in body) if method else " " * 8 + "pass"
    return OBJECT.format(body=ATTRIBUTE.sub(r"self.\1", step)) + ATTRIBUTE.sub(r"o.\1", text)


def outcome(gpa, prologue, source):
    gpa.fresh()
    first = gpa.run(prologue)
    result = first if first.error else gpa.run(source)
    return f"{result.out}\n{result.error}\n{result.report}"


def same(on, off, name, prologue, source):
    a, b = outcome(off, prologue, source), outcome(on, prologue, source)
    print(("ok - " if a == b else "not ok - ") + name)
    if a != b:
        show("program:", source)
        show("difference:", difference(a, b))
    sys.stdout.flush()
    return a == b


def programs(path, part):
    """The programs of a file with a loop: (name, prologue, source)."""
    prologue, found = sections(path)
    if path.endswith(".py") and found:
        prologue = [PROLOGUE, f"import sys\nsys.path.insert(0, {SHARED!r})\n", *prologue]
    if not found:
        found, prologue = [(os.path.basename(path), 1, prologue)], []
    for name, _, lines in found[part]:
        source = "\n".join(lines)
        if LOOP.search(source) and not CLOCK.search(source):
            yield name, "\n".join(prologue) + "\n", re.sub(r"^#[>!|+-].*\n", "", source + "\n", flags=re.M)


def random_loops(on, off, seed, count):
    good, replayed, graphs = True, 0, 0
    for number in range(count):
        text = program(seed, number)
        good = same(on, off, f"loop {seed} {number}", "", text) and good
        if number % 5 == 0:
            on.fresh()
            plan = on.run(text.replace("\nloop()\n", "\n%explain loop()\n")).out
            replayed += bool(REPLAYED.search(plan))
            graphs += bool(GRAPHS.search(plan))
    enough = replayed >= LEAST_REPLAYED * ((count + 4) // 5)
    print(f"{'ok' if enough else 'not ok'} - {replayed} of {(count + 4) // 5} loops were replayed, {graphs} as graphs")
    return good and enough


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    if "--show" in sys.argv:
        print(program(*words[:2]), end="")
        return
    part = which(next((word[7:] for word in sys.argv if word.startswith("--part=")), "0/1"))
    on, off = Gpa(), Gpa()
    os.environ["GPA_LOOPS"] = "on"  # whatever the clock says
    on.start()
    os.environ["GPA_LOOPS"] = "off"
    off.start()
    if words[0].isdigit():
        good = random_loops(on, off, words[0], int(words[1]) if len(words) > 1 else 150)
    else:
        runs = [same(on, off, *each) for path in words for each in programs(path, part)]
        good = all(runs)
    ended_well = [engine.ended_well() for engine in (on, off)]
    sys.exit(not (good and all(ended_well)))


if __name__ == "__main__":
    main()
