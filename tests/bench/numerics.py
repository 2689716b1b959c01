"""Compares gpa with NumPy, and with SciPy where it has the function, on the rows of numerics_*.py.

    tests/bench/run numerics [WORD ...]

One gpa process and one CPython process per group run the same script on the same arrays. Their measurements alternate, so that
other load on the machine affects both; the minimum of several counts, and two suffice where the ratio is large. Address space
layout changes many rows by a fifth between processes: a row that is slower is measured again in further pairs of processes, and
the median of its ratios counts.

Processor time on one thread is compared, which depends least on other load; WALL=1 compares wall-clock time with all threads.
SIZE=10000000 replaces the size of the rows of 300,000 elements. Rows in which gpa is slower are printed; with words, all rows
that contain all of them (`tests/bench/run numerics sort float64`). At the end: how many rows of each group are ahead, level
(within 10 %) and behind, and those behind again by ratio.

PEER=cupy compares with CuPy on a GPU, where it has the function: the time until the first element of the result has been read.
Compilation is done beforehand, by as many processes as there are processors."""
import concurrent.futures
import importlib.util
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numerics_linalg  # noqa: F401  which adds its groups, as the next two do
import numerics_programs  # noqa: F401
import numerics_random  # noqa: F401
from numerics_rows import GROUPS

GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
ROUNDS, SECONDS, LEAST = 9, 0.6, 0.002  # measurements of a row; their total on one side at most; the shortest measurement
WARMED = 0.02  # calls shorter than this are measured with warm caches on both sides
PATIENCE = 60  # seconds after which a row is interrupted
CLEAR = 1.5  # from this ratio on two measurements suffice, unless gpa is slower
LEVEL = 1.1
AGAIN = 4  # further pairs of processes for a row that is behind
NOT_CUPYS = "files", "distributions and samples", "distances", "polynomials"  # groups that CuPy lacks most of
STANDINGS = "ahead", "level", "behind", "alone", "failed"  # alone: the peer does not have it
CHECKED = 2_000_000  # results of larger arrays are not compared again
CUPY = os.environ.get("PEER") == "cupy"
WALL = CUPY or bool(os.environ.get("WALL"))
if CUPY:
    SECONDS, AGAIN, PATIENCE, BUILD = 0.1, 0, 5, 3  # BUILD: start-up on a GPU takes seconds

SCRIPT = """
import time
import numpy as np
{quiet}
{setup}
def force(r):
    if isinstance(r, np.ndarray):
        if r.size:
            {first} # r[0].item() of a pending copy would read the source of the copy
    elif hasattr(r, "item"):
        r.item()
    elif not isinstance(r, (int, float)):
        for x in r:
            force(x)
def total(r):
    if not isinstance(r, (np.ndarray, int, float, complex)) and not hasattr(r, "item"):
        return sum([total(x) for x in r])
    return float(np.nan_to_num(np.abs(np.asarray(r, dtype=np.complex128))).sum())
for operand in [{operands}]: # pending operands would be computed in each row
    if isinstance(operand, np.ndarray):
        force(operand)
{rows}
def serve(rows):
    while True:
        name, times = input().split()
        if name == "end":
            break
        try:
            row, n = rows[name], int(times)
            if n == 0:
                print("answer", total(row()), flush=True)
                continue
            if n > 1: # warm the caches: the other side ran in between
                force(row())
            t = time.{clock}()
            for _ in range(n):
                force(row())
            print("answer", (time.{clock}() - t) / n, flush=True)
        except (Exception, KeyboardInterrupt) as e:
            print("failed: " + type(e).__name__ + ": " + str(e).split("\\n")[0], flush=True)
serve({{{names}}})
"""


def function(name, program):
    program = program.removeprefix("?").strip()
    *before, last = program.split("; ")
    last = last if last.startswith("r = ") else "r = " + last
    return f"def row_{name}():\n" + "".join(f"    {line}\n" for line in [*before, last]) + "    return r\n"


def needed(setup, text):
    """The setup without assignments to names that neither the text nor a remaining line uses."""
    kept = []
    for line in reversed(setup.split("\n")):
        names = re.match(r"(\w[\w, ]*) = ", line)
        if not names or any(re.search(rf"\b{name}\b", text) for name in names[1].split(", ")):
            kept.append(line)
            text += "\n" + line
    return "\n".join(reversed(kept))


def script(group, dtype, size, rows, scipy, cupy=False):
    programs = {str(k): row[1] for k, row in rows}
    setup = group.setup.format(dtype=dtype, size=size)
    if scipy:
        programs |= {f"{k}s": row[2] if WALL else row[2].replace("workers=-1", "workers=1") for k, row in rows if len(row) > 2}
    text = " ".join(programs.values())
    parts = ", ".join(part for part in ("fft", "linalg", "signal") if re.search(rf"(?<!np\.){part}\.", text))
    setup = (f"from scipy import {parts}\n" if parts else "") + needed(setup, text)
    operands = ", ".join(name for names in re.findall(r"^(\w[\w, ]*) = ", setup, re.M) for name in names.split(", "))
    text = SCRIPT.format(setup=setup, operands=operands, clock="perf_counter" if WALL else "process_time",
                         rows="".join(function(k, p) for k, p in programs.items()),
                         names=", ".join(f"'{k}': row_{k}" for k in programs), quiet="" if cupy else 'np.seterr(all="ignore")',
                         first="r[(0,) * r.ndim].item()" if cupy else "r.item(0)")
    return text.replace("import numpy as np", "import cupy as np").replace("from scipy import", "from cupyx.scipy import") if cupy else text


class Side:
    """A process that runs a script's rows."""

    def __init__(self, command, text):
        self.folder = tempfile.TemporaryDirectory()
        script = os.path.join(self.folder.name, "rows.gpa")
        with open(script, "w") as file:
            file.write(text)
        one = {"GPA_CUDA_INTERPRET": "never"} if CUPY else {} if WALL else {"GPA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen([*command, script], cwd=self.folder.name, env=os.environ | one, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ask(self, name, times):
        """Seconds per call over `times` calls; with 0, a checksum of the result. Or an error message."""
        try:
            self.process.stdin.write(f"{name} {times}\n")
            self.process.stdin.flush()
        except OSError:
            pass  # the process has ended; its output can still be read
        outcome = "ended"
        patience = threading.Timer(PATIENCE, self.process.send_signal, [signal.SIGINT])
        patience.start()
        for line in self.process.stdout:
            if line.startswith("answer "):
                outcome = float(line[7:])
                break
            outcome = line.removeprefix("failed: ").strip()  # or a warning, or what it ended with
            if line.startswith("failed: "):
                break
        patience.cancel()
        return outcome

    def close(self):
        try:
            self.process.communicate("end 0\n", timeout=20)
        except (OSError, ValueError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()


def is_clear(times):
    """Whether the ratio is so large that further measurements cannot change the verdict."""
    gpa, peer = min(times[0]), min(map(min, times[1:]))
    return len(times[0]) >= 2 and peer > CLEAR * gpa


def measure(sides):
    """The minimum times of (side, row) pairs, measured alternately."""
    times, counts = [[] for _ in sides], []
    for side, name in sides:
        first = side.ask(name, 1)
        again = side.ask(name, 1)
        if isinstance(first, str) or isinstance(again, str):
            return first if isinstance(first, str) else again
        counts.append(max(2 if again < WARMED else 1, min(1000, int(LEAST / max(again, 1e-7)))))
    while len(times[0]) < 3 or (len(times[0]) < ROUNDS and sum(map(sum, times)) < 2 * SECONDS):
        for (side, name), n, seen in zip(sides, counts, times):
            t = side.ask(name, n)
            if isinstance(t, str):
                return t
            seen.append(t)
        if is_clear(times):
            break
    return [min(t) for t in times]


class Result:
    def __init__(self, label, gpa, peers, note=""):
        self.label, self.gpa, self.peers, self.note = label, gpa, peers, note
        self.ratio = min(peers) / gpa if gpa and peers else 0
        self.standing = "failed" if not gpa else "alone" if not peers else "ahead" if self.ratio > LEVEL else "level" if self.ratio * LEVEL >= 1 else "behind"

    def line(self):
        if not self.gpa:
            return f"{self.label:<42}{self.note}"
        cells = "".join(f"{1e3 * p:11.3f}" for p in self.peers) + " " * 11 * (2 - len(self.peers))
        ratio = f"{self.ratio:8.2f}" if self.peers else " " * 8
        return f"{self.label:<42}{1e3 * self.gpa:11.3f}{cells}{ratio}  {self.note}"


def measured(label, k, row, size, gpa, python, scipy):
    if CUPY:
        missing, ours = python.ask(str(k), 1), gpa.ask(str(k), 1)
        if isinstance(missing, str) and isinstance(ours, float):
            return Result(label, ours, [], missing)
    sides = [(gpa, str(k)), (python, str(k))] + ([(python, f"{k}s")] if scipy and len(row) > 2 else [])
    times = measure(sides)
    if isinstance(times, str):
        return Result(label, None, [], times)
    note = ""
    if size <= CHECKED and not row[1].startswith("?"):
        got, want = gpa.ask(str(k), 0), python.ask(str(k), 0)
        if isinstance(got, str) or isinstance(want, str) or not math.isclose(got, want, rel_tol=1e-3, abs_tol=1e-6):
            note = f"gives {got}, not {want}"
    return Result(label, times[0], times[1:], note)


def processes(group, dtype, size, rows, scipy):
    return Side([GPA], script(group, dtype, size, rows, False)), Side([sys.executable, "-W", "ignore"], script(group, dtype, size, rows, scipy, CUPY))


def chosen(group, dtype, size, words):
    """The labels of all rows and, numbered, the rows that contain the words."""
    label = {k: f"{row[0]}, {dtype} {size:,}" for k, row in enumerate(group.rows)}
    return label, [(k, row) for k, row in enumerate(group.rows) if all(w in f"{group.name}: {label[k]}" for w in words)]


def compiled(group, dtype, size, words):
    """Runs rows so that their programs are in the disk cache. gpa compiles a program that is used again a second time, optimized, in the background."""
    rows = chosen(group, dtype, size, words)[1]
    for side in processes(group, dtype, size, rows, False) if rows else []:
        for k, row in rows:
            side.ask(str(k), 3)
        time.sleep(BUILD)
        side.close()


def pair(group, dtype, size, rows, label, scipy):
    """The results of rows in one pair of processes, one by one."""
    gpa, python = processes(group, dtype, size, rows, scipy)
    for k, row in rows:
        yield measured(label[k], k, row, size, gpa, python, scipy)
    gpa.close()
    python.close()


def run(group, dtype, size, words, scipy):
    label, rows = chosen(group, dtype, size, words)
    results = []
    for asked, result in zip(rows, pair(group, dtype, size, rows, label, scipy) if rows else []):
        if result.standing == "behind":
            several = [result] + [again for _ in range(AGAIN) for again in pair(group, dtype, size, [asked], label, scipy)]
            result = sorted(several, key=lambda r: r.ratio)[AGAIN // 2]
        results.append(result)
        if words or result.standing in ("behind", "failed") or result.note:
            print(result.line(), flush=True)
    return results


def main():
    words = sys.argv[1:]
    groups = [group for group in GROUPS if not CUPY or group.name not in NOT_CUPYS]
    scipy = not CUPY and importlib.util.find_spec("scipy")
    print(f"{'':<42}{'gpa':>11}{'CuPy' if CUPY else 'NumPy':>11}{'' if CUPY else 'SciPy':>11}   ratio (ms; the faster peer's time over gpa's)")
    if CUPY:
        before = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda case: compiled(*case, words), [(group, *case) for group in groups for case in group.cases]))
        print(f"compiled in {time.monotonic() - before:.0f} s", flush=True)
    summary = {group.name: [] for group in groups}
    took = dict.fromkeys(summary, 0)
    for group in groups:
        before = time.monotonic()
        for dtype, size in group.cases:
            summary[group.name].extend(run(group, dtype, size, words, scipy))
        took[group.name] += time.monotonic() - before
    every = [r for results in summary.values() for r in results]
    print("\nbehind, the furthest first")
    for r in sorted((r for r in every if r.standing == "behind"), key=lambda r: r.ratio):
        print(r.line())
    print(f"\n{'':<24}{'rows':>6}" + "".join(f"{s:>8}" for s in STANDINGS) + "  geometric mean of the ratios, seconds")
    took["all"] = sum(took.values())
    for name, results in [*summary.items(), ("all", every)]:
        done = [r.ratio for r in results if r.peers]
        if done:
            counts = "".join(f"{sum(r.standing == s for r in results):>8}" for s in STANDINGS)
            print(f"{name:<24}{len(results):>6}{counts}{statistics.geometric_mean(done):>8.2f}{took[name]:>8.0f}")


if __name__ == "__main__":
    main()
