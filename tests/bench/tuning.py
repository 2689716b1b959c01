#!/usr/bin/env python3
"""Measures the tuning constants (make tuning): for each row TUNE of runtime/tables/tuning.def, the time of the row's program
(tuning_programs.txt) with other values, divided by the time with the row's own. Words select rows.

A build of its own (MODE=tuning) reads constants from GPA_TUNING; those that C needs at compile time have an executable or a plugin
for each value (--build makes them). A ratio is the median over rounds; in a round each value has a process of its own, alternately.
Rows of one thread run side by side, each on a processor of its own; next to them, those of the GPU, one after the other.

    tuning.py [--build | --list] [--rest[=RATIO]] [--rounds=N] [--cores=N] [--limit=SECONDS] [--devices=cpu,ref,threads,gpu,alone] [WORD ...]

--rest: only rows without a measurement, and those whose measurement in the table has a ratio below RATIO (0.93): candidates for a
better value. `make tuning-kit` packs a build for a machine without compilers:

    tar -xf gpa-tuning.tar.xz -C build && python3 tests/bench/tuning.py --rest --devices=gpu,alone"""
import datetime
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

FOLDER = os.path.abspath(os.environ.get("TUNING", "build/tuning"))
TABLE = os.environ.get("TUNING_TABLE", "runtime/tables/tuning.def")
PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tuning_programs.txt")
SCRATCH = os.path.join(tempfile.gettempdir(), "gpa-tuning")
SECONDS = 40  # at most for a process

TIMED = """
import time
import numpy as np
rng = np.random.default_rng(1)
{setup}
def step():
{body}
    return r
def wait(r):
    if isinstance(r, tuple):
        for x in r:
            wait(x)
    elif not isinstance(r, np.ndarray):
        bool(r == 0)
    elif r.size:
        bool(r.reshape(-1)[0] == 0)
def once():
    t = time.perf_counter()
    wait(step())
    return time.perf_counter() - t
def measure(warm, seconds):
    first = once()
    begun = time.perf_counter()
    n = 0
    while n < 3 or (n < 200 and time.perf_counter() - begun < warm):
        t = once()
        n += 1
    reps = max(1, min(1000, int(0.002 / t)))
    times = []
    begun = time.perf_counter()
    while len(times) < 5 or (len(times) < 400 and time.perf_counter() - begun < seconds):
        t = 0.0
        for i in range(reps):
            t += once()
        times.append(t / reps)
    times.sort()
    print(times[len(times) // 2], times[0])
measure({warm}, {seconds})
"""


# ---- the table and the programs ----

class Row:
    """A row of the table with its program, and its times: for each other value, pairs of the seconds with the row's own value
    and with that one."""

    def __init__(self, name, macro, own, text, shared):
        self.name, self.at_compile_time, self.own = name, macro == "TUNE_C", number(own)
        fields = dict(re.findall(r"^# (values|N|on|what): (.*)\n", text, re.M))
        self.values = [number(v) for v in fields["values"].split(" | ")]
        self.sizes = fields["N"].split(" | ") if "N" in fields else [None] * len(self.values)
        self.where, self.what = fields["on"], fields["what"]
        before, self.body = re.sub(r"^# (values|N|on|what): .*\n", "", text, flags=re.M).split("# timed\n")
        self.setup = re.sub(r"^# with: (\w+)\n", lambda m: shared[m[1]], before, flags=re.M)
        self.pairs = [[] for v in self.values]
        self.failed = None

    def kind(self):
        """What it shares the machine with."""
        if "threads" in self.where:
            return "threads"
        if "alone" in self.where or "cores" in self.where:
            return "alone"
        return "gpu" if self.where == "interpreter" else self.where

    def on_gpu(self):
        return self.kind() in ("gpu", "alone")

    def program(self, size):
        fill = lambda text: re.sub(r"\bN\b", size, text) if size else text  # noqa: E731
        body = "\n".join("    " + line for line in fill(self.body).rstrip().split("\n"))
        return TIMED.format(setup=fill(self.setup), body=body, warm=0.4 if self.on_gpu() else 0.1, seconds=0.25)

    def round(self, k, cpus):
        """Measures each value once, after or before the row's own, alternately."""
        for i, (value, size) in enumerate(zip(self.values, self.sizes)):
            if self.failed:
                return
            pin = f"0-{int(size) - 1}" if "cores" in self.where else cpus
            pair = {}
            for v in ([self.own, value] if k % 2 == 0 else [value, self.own]):
                pair[v] = seconds(self, v, size, pin)
                if isinstance(pair[v], str):
                    self.failed = f"{v}: {pair[v]}"
                    return
            self.pairs[i].append((pair[self.own], pair[value]))
            print("#", self.name, value, pair[self.own], pair[value], flush=True)

    def show(self):
        """The medians of ratios, and a measurement and date for the table."""
        if self.failed or not all(self.pairs):
            return f"{self.name}\tfailed\t{self.failed}"
        ratios = [sorted(other / own for own, other in p) for p in self.pairs]
        each = [f"{v}: {statistics.median(r):.3f} ({r[0]:.3f}..{r[-1]:.3f}), own {time_text(statistics.median(o for o, _ in p))}"
                for v, r, p in zip(self.values, ratios, self.pairs)]
        text = ", ".join(f"{statistics.median(r):.2f} with {value_text(v)}" for v, r in zip(self.values, ratios))
        return "\t".join([self.name] + each) + f'\n    "{self.what}: {text}", "{datetime.date.today().isoformat()}")'


def number(text):
    return eval(re.sub(r"\(int64_t\)|INT64_C", "", text), {})


def time_text(s):
    return f"{s * 1e3:.2f} ms" if s >= 1e-3 else f"{s * 1e6:.1f} us"


def value_text(v):
    return f"{v >> 20} Mi" if v >= 1 << 20 and v % (1 << 20) == 0 else f"{v >> 10} Ki" if v >= 1 << 10 and v % (1 << 10) == 0 else str(v)


def least_ratio(measurement):
    """The least ratio that the text of a row states; 0 if the row is not measured; infinity if it was measured otherwise."""
    ratios = [float(r) for r in re.findall(r"(\d+\.\d+)\s+with\b", measurement)]
    return 0 if '"-")' in measurement else min(ratios, default=float("inf"))


def read_rows(words, below=float("inf")):
    """The rows that have a program, in the order of the programs, and whose least ratio is below a bound."""
    with open(TABLE) as f:
        text = re.sub(r'" *\n *"', "", f.read())  # adjacent string literals
    found = re.finditer(r"^(TUNE(?:_[LDC])?)\((\w+),\s*([^,]*),(.*?\))$", text, re.M | re.S)
    table = {m[2]: (m[1], m[3]) for m in found if below == float("inf") or least_ratio(m[4]) < below}
    with open(PROGRAMS) as f:
        parts = re.split(r"^# (---|===) (\w+)\n", re.sub(r"^# ---- .*\n", "", f.read(), flags=re.M), flags=re.M)[1:]
    parts = list(zip(parts[::3], parts[1::3], parts[2::3]))
    shared = {name: text for mark, name, text in parts if mark == "==="}
    return [Row(name, *table[name], text, shared) for mark, name, text in parts
            if mark == "---" and name in table and (not words or any(w in name for w in words))]


# ---- builds for constants that C needs at compile time ----

def sources(name):
    """The sources that read a constant, those that include such a file among them."""
    found = subprocess.run(["grep", "-rlw", f"TUNE_{name}", "runtime", "lang", "--include=*.[ch]", "--include=*.inc"],
                           capture_output=True, text=True).stdout.split()
    users = {f for f in found if f.endswith(".c")}
    for f in found:
        if not f.endswith(".c"):
            deps = subprocess.run(["grep", "-rlwF", f, FOLDER, "--include=*.d"], capture_output=True, text=True).stdout.split()
            users |= {os.path.relpath(d, FOLDER)[:-2] + ".c" for d in deps if "/objects/" not in d}
    return sorted(f for f in users if os.path.exists(f) and not f.startswith("tests/"))


def build(rows):
    """Builds what contains each compile-time constant, with each of its values: FOLDER/NAME=VALUE/."""
    work = os.path.relpath(os.path.join(FOLDER, "objects"))
    if not os.path.exists(work):
        shutil.copytree(FOLDER, work, ignore=shutil.ignore_patterns("*=*", "objects", "*.so", "gpa", "gpa-kernel"))
    with open(TABLE) as f:
        text = f.read()
    os.makedirs(os.path.join(work, "tuned/runtime/tables"), exist_ok=True)
    stale = []
    for row in rows:
        users = sources(row.name) if row.at_compile_time else []
        kinds = {"gpa-cpu.so" if f.startswith("runtime/cpu") else "gpa-cuda.so" if f.startswith("runtime/cuda") else "gpa" for f in users}
        for value in [row.own] + row.values if users else []:
            to = os.path.join(FOLDER, f"{row.name}={value}")
            with open(os.path.join(work, "tuned/runtime/tables/tuning.def"), "w") as f:
                f.write(re.sub(rf"^(TUNE_C\({row.name},)[^,]*,", rf"\1 {value},", text, flags=re.M))
            for f in stale + users:
                if os.path.exists(os.path.join(work, f[:-2] + ".o")):
                    os.remove(os.path.join(work, f[:-2] + ".o"))
            stale = users
            subprocess.run(["make", "MODE=tuning", f"B={work}", f"TUNED={work}/tuned"] + [os.path.join(work, kind) for kind in kinds],
                           check=True, stdout=subprocess.DEVNULL)
            os.makedirs(to, exist_ok=True)
            for kind in kinds:
                shutil.copy(os.path.join(work, kind), to)


# ---- one process ----

def environment(row, value, size):
    """The executable and the environment that run a row's program with a value."""
    device = "cuda:0" if row.on_gpu() else "ref" if row.where == "ref" else "cpu"
    threads = {"cpu": "1", "ref": "1", "threads": "8"}.get(row.where, size if "threads" in row.where else "8")
    env = dict(os.environ, GPA_DEVICE=device, GPA_NUM_THREADS=threads, GPA_PLUGIN_DIR=FOLDER,
               GPA_CACHE_DIR=os.path.join(SCRATCH, "cache", f"{row.name}={value}"),
               GPA_CUDA_INTERPRET="always" if row.where == "interpreter" else "never")
    if os.path.isdir(os.path.join(FOLDER, "lib")):  # of a kit
        env["LD_LIBRARY_PATH"] = os.path.join(FOLDER, "lib")
    exe, own = os.path.join(FOLDER, "gpa"), os.path.join(FOLDER, f"{row.name}={value}")
    if not row.at_compile_time:
        env["GPA_TUNING"] = f"{row.name}={value}"
    elif os.path.exists(os.path.join(own, "gpa")):
        exe = os.path.join(own, "gpa")
    else:
        for f in os.listdir(FOLDER):
            if (f.endswith(".so") or f.startswith("gpa-interpreter")) and not os.path.lexists(os.path.join(own, f)):
                os.symlink(os.path.join("..", f), os.path.join(own, f))
        env["GPA_PLUGIN_DIR"] = own
    return exe, env


def seconds(row, value, size, cpus):
    """The median time of one process, or a text that says why there is none."""
    exe, env = environment(row, value, size)
    pin = ["taskset", "-c", cpus] if cpus else []
    with tempfile.NamedTemporaryFile("w", suffix=".gpa", dir=SCRATCH) as f:
        f.write(row.program(size))
        f.flush()
        try:
            r = subprocess.run(pin + [exe, f.name], env=env, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return "timeout"
    try:
        return float(r.stdout.split()[-2])
    except (IndexError, ValueError):
        return f"status {r.returncode} " + (r.stderr.strip() or r.stdout.strip() or "?").split("\n")[-1][-150:]


# ---- all rows ----

def run(rows, rounds, cpus, until):
    """Measures rows, round by round until the time is up, on each set of processors of `cpus` at the same time."""
    queue, lock = [(k, row) for k in range(rounds) for row in rows], threading.Lock()

    def work(pin):
        while True:
            with lock:
                if not queue or (until and time.time() > until and queue[0][0] > 0):
                    return
                k, row = queue.pop(0)
            row.round(k, pin)

    workers = [threading.Thread(target=work, args=(pin,)) for pin in cpus]
    for w in workers:
        w.start()
    return workers


def main():
    options = dict(a[2:].partition("=")[::2] for a in sys.argv[1:] if a.startswith("--"))
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    rows = read_rows(words, float(options["rest"] or 0.93) if "rest" in options else float("inf"))
    devices = options.get("devices", "cpu,ref,threads,gpu,alone").split(",")
    rows = [r for r in rows if r.kind() in devices]
    if "list" in options:
        print("\n".join(f"{row.name}  {row.where}" for row in rows))
        return
    if "build" in options:
        build(rows)
        return
    os.makedirs(SCRATCH, exist_ok=True)
    rounds, cores, begun = int(options.get("rounds", 3)), int(options.get("cores", 8)), time.time()
    until = begun + float(options["limit"]) if "limit" in options else None
    cpus = sorted(os.sched_getaffinity(0))
    pinned = len(cpus) >= 2 * cores
    some = lambda a, b: ",".join(map(str, cpus[a:b])) if pinned else None  # noqa: E731
    of = lambda *kinds: [r for r in rows if r.kind() in kinds]  # noqa: E731
    on_gpu = run(of("gpu"), rounds, [some(cores, 2 * cores)], until)
    for w in run(of("cpu", "ref"), rounds, [some(k, k + 1) for k in range(cores)], until and begun + (until - begun) * 0.4):
        w.join()
    for w in run(of("threads"), rounds, [some(0, cores)], until) + on_gpu:
        w.join()
    for w in run(of("alone"), rounds, [None], until):
        w.join()
    for row in rows:
        print(row.show())


if __name__ == "__main__":
    main()
