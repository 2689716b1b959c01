"""Compares gpa with NumPy, numexpr and Numba (parallel): medians of one run on this machine, all with the same number of threads.

A gpa statement is measured inside a gpa script, until its result has been stored into an existing array or, for a number, read.
Each engine's result is compared with NumPy's. First calls, which compile, are not part of the medians; they have rows of their
own below the table."""
import math
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from rows import ROWS

GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
REPEATS, SECONDS = 9, 2.0  # at least 3 repeats, else as many as fit
THREADS = os.cpu_count()

SCRIPT = """
import time
import numpy as np
{setup}
def step():
{body}
    return r
def timed(repeats, seconds):
    r = step()
    if isinstance(r, (int, float)) or np.ndim(r) == 0:
        sink = None
        check = float(r)
    else:
        sink = np.zeros(r.shape, dtype=r.dtype)
        sink[...] = r
        check = float(np.sum(sink, dtype=np.float64))
    del r
    times = []
    begin = time.perf_counter()
    while len(times) < 3 or (len(times) < repeats and time.perf_counter() - begin < seconds):
        t = time.perf_counter()
        if sink is None:
            float(step())
        else:
            sink[...] = step()
            float(sink[(0,) * sink.ndim])
        times.append(time.perf_counter() - t)
    print(check, *times)
timed({repeats}, {seconds})
"""


def indent(text):
    return "\n".join("    " + line for line in text.split("\n"))


def timed(function):
    """(median seconds, number to compare) of a Python function, after a first call."""
    r = function()
    check = float(r) if np.ndim(r) == 0 else float(np.sum(r, dtype=np.float64))
    del r
    times, begin = [], time.perf_counter()
    while len(times) < 3 or (len(times) < REPEATS and time.perf_counter() - begin < SECONDS):
        t = time.perf_counter()
        function()
        times.append(time.perf_counter() - t)
    return statistics.median(times), check


def python_side(row):
    names = {"np": np}
    exec(f"{row.setup}\ndef step():\n{indent(row.body)}\n    return r\n", names)
    return timed(names["step"]), names


def gpa_side(row):
    source = SCRIPT.format(setup=row.setup, body=indent(row.body), repeats=REPEATS, seconds=SECONDS)
    with tempfile.NamedTemporaryFile("w", suffix=".gpa") as f:
        f.write(source)
        f.flush()
        p = subprocess.run([GPA, f.name], capture_output=True, text=True, timeout=300)
    if p.returncode:
        return None, (p.stderr.strip().split("\n") or ["failed"])[0]
    check, *times = map(float, p.stdout.split())
    return statistics.median(times), check


def other(build, module, names):
    if not build or not module:
        return None
    return timed(build(module, np, names))


def table(rows):
    try:
        import numexpr
        numexpr.set_num_threads(THREADS)
    except ImportError:
        numexpr = None
    try:
        import numba
    except ImportError:
        numba = None
    print(f"{'':<42}{'gpa':>10}{'NumPy':>10}{'numexpr':>10}{'Numba':>10}   {'NumPy/gpa':>9} {'numexpr':>8} {'Numba':>7}   (ms, ratios)")
    ratios = {"NumPy": [], "Numba": []}
    for row in rows:
        if row.compiled and not numba:
            continue
        python, names = python_side(row)
        numpy_s, want = (None if row.compiled else python[0]), python[1]
        gpa_s, got = gpa_side(row)
        results = {"numexpr": other(row.numexpr, numexpr, names), "Numba": python if row.compiled else other(row.numba, numba, names)}
        del names
        cells = [gpa_s, numpy_s] + [r[0] if r else None for r in results.values()]
        line = f"{row.name:<42}" + "".join(f"{c * 1e3:10.2f}" if c is not None else f"{'-':>10}" for c in cells) + "   "
        for c, width in zip(cells[1:], (9, 8, 7)):
            line += f"{c / gpa_s:{width}.2f} " if c is not None and gpa_s else f"{'-':>{width}} "
        notes = [f"{n} gives {r[1]:.9g}, not {want:.9g}" for n, r in results.items()
                 if r and not math.isclose(r[1], want, rel_tol=1e-4)]
        if gpa_s is None:
            notes.append(got)
        elif not math.isclose(got, want, rel_tol=1e-4):
            notes.append(f"gpa gives {got:.9g}, not {want:.9g}")
        print(line + "  ".join(notes), flush=True)
        if gpa_s and numpy_s:
            ratios["NumPy"].append(numpy_s / gpa_s)
        if gpa_s:
            if results["Numba"]:
                ratios["Numba"].append(results["Numba"][0] / gpa_s)
    for name, values in ratios.items():
        if values:
            print(f"geometric mean of {name}/gpa: {statistics.geometric_mean(values):.2f}; smallest: {min(values):.2f}")


def first_calls():
    """The first call of 20 distinct expressions, on small arrays: what compiling costs."""
    functions = ("exp", "sin", "sqrt", "tanh", "log1p")
    lines = ["import time", "x = np.linspace(0.1, 1, 1000)", "y = np.linspace(1, 2, 1000)", "out = np.zeros(1000)"]
    for k in range(20):
        f, g = functions[k % 5], functions[(k // 5 + k + 1) % 5]
        tail = ("+ y", "* y", "- y * x", "/ (1 + y)")[k // 5]
        lines += ["t = time.perf_counter()", f"out[...] = np.{f}(x * {k + 2}) * np.{g}(y) {tail}", "float(out[0])",
                  "print(time.perf_counter() - t)"]
    p = subprocess.run([GPA, "-c", "\n".join(lines)], capture_output=True, text=True)
    if p.returncode:
        return "failed: " + p.stderr.strip().split("\n")[0]
    times = sorted(float(t) * 1e3 for t in p.stdout.split())
    return f"{statistics.median(times):.1f} ms median of {len(times)}, {times[0]:.1f} to {times[-1]:.1f}"


def command(code, repeats=15):
    """Median milliseconds of `gpa -c CODE`, from start to end."""
    times = []
    for _ in range(repeats):
        t = time.perf_counter()
        subprocess.run([GPA, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - t)
    return statistics.median(times) * 1e3


def prompt(repeats=15):
    """Median milliseconds until a terminal shows the first prompt, and the MiB then resident."""
    times, memory = [], 0
    for _ in range(repeats):
        t = time.perf_counter()
        pid, fd = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execv(GPA, [GPA])
        seen = b""
        while b"]:" not in seen and b">>> " not in seen and select.select([fd], [], [], 2)[0]:
            try:
                seen += os.read(fd, 4096)
            except OSError:
                break
        times.append(time.perf_counter() - t)
        with open(f"/proc/{pid}/status") as f:
            memory = max([memory] + [int(line.split()[1]) for line in f if line.startswith("VmRSS")])
        os.close(fd)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    return statistics.median(times) * 1e3, memory / 1024


def main():
    words = sys.argv[1:]
    print(f"{THREADS} threads; NumPy {np.__version__}; medians", flush=True)
    table([r for r in ROWS if not words or any(w in r.name for w in words)])
    if not words:
        to_prompt, idle = prompt()
        print(f"first call of a new expression: {first_calls()}")
        print(f"start to prompt: {to_prompt:.1f} ms; memory then: {idle:.1f} MiB")
        print(f"gpa -c '': {command(''):.1f} ms; gpa -c 'print((arange(10)**2).sum())': "
              f"{command('print((arange(10)**2).sum())'):.1f} ms")


main()
