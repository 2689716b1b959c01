"""Sessions of DURATION seconds (300) with flat memory: random programs in a session each, in `cells`, and cells of one
session of a kernel. `make soak DURATION=3600` runs an hour of both.

Memory may grow in the first fifth, while caches fill; from then on by MOST_BYTES at most, less what the history holds."""

import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "fuzz"), os.path.join(HERE, "..", "kernel")]

DURATION = float(os.environ.get("DURATION", 300))
MOST_BYTES = 24 << 20
CELLS = (
    "a = random.rand({n}); b = sin(a) + a[::-1]; float(b.sum()) < 1e9",
    "m = random.rand({k}, {k}); m = m @ m.T + eye({k}); linalg.solve(m, m)[0, 0] > 0.5",
    "s = ''.join(str(i) for i in range({k})); d = {{c: s.count(c) for c in s}}; len(d)",
    "def f(x):\n    return [v * {k} for v in x]\nsum(f(range({n} % 999)))",
    "1 / ({k} * 0)",
    "for i in range({k}): a = a * 0.5 + i\na[0] >= 0",
    "sort(random.rand({n}))[{k}], fft.fft(arange({k} + 8.0))[0], cumsum(arange({n}))[-1]",
    "class C{k}:\n    def __init__(self): self.me = self\nc = C{k}(); c.me = None",
    "undefined_{n}",
    "print('x' * {k})",
)


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) << 10 for line in f if line.startswith("VmRSS"))


def soak(name, pid, step):
    """Calls step(number), which returns the bytes that the session has to remember of it, for DURATION seconds."""
    begun = time.monotonic()
    number = kept = 0
    first = None
    while (now := time.monotonic() - begun) < DURATION:
        if first is None and now > DURATION / 5:
            first, kept = resident(pid()), 0
        kept += step(number)
        number += 1
    last = resident(pid())
    grown = last - (first or last)
    print(f"# {name}: {number} programs, {first or 0 >> 20:,} bytes after a fifth of the time, {last:,} at the end; {kept:,} to remember")
    good = grown - 3 * kept < MOST_BYTES
    print(f"{'ok' if good else 'not ok'} - {name}: memory is flat", flush=True)
    return good


def sessions():
    from cells import Gpa
    from grammar import Program

    import judge

    gpa = Gpa()
    gpa.start()
    programs = [Program(f"soak.{k}").text() for k in range(60)]

    def step(number):
        judge.run(gpa, programs[number % len(programs)])
        return 0

    good = soak("sessions", lambda: gpa.process.pid, step)
    trouble = gpa.close()
    if trouble:
        print("not ok - the process ended badly\n# " + trouble.replace("\n", "\n# "))
    return good and not trouble


def kernel():
    try:
        from client import Kernel
    except ImportError as why:
        print(f"skip - no kernel to talk to: {why}")
        return True
    with Kernel() as k:
        k.run("from numpy import *")

        def step(number):
            text = CELLS[number % len(CELLS)].format(n=1000 + number * 37 % 5000, k=10 + number % 90)
            reply, _ = k.run(text)
            assert reply["status"] in ("ok", "error"), reply
            return len(text) + 200  # and what is displayed

        good = soak("cells of a kernel", lambda: k.process.pid, step)
        k.shut_down()
    return good


sys.exit(not all([sessions(), kernel()]))
