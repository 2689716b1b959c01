"""Compares gpa on a GPU with CuPy, cupy.fuse, JAX, PyTorch (eager and compiled) and Numba, those that are installed.

    tests/bench/gpu.py [--peers=jax,numba] [--limit=SECONDS] [--quick] [WORD ...]

`make bench-gpu` runs it; `make bench-gpu QUICK=1` measures gpa alone. Words select rows.

Each number is the median wall-clock time of one call: several calls are queued, then the device is synchronized once. gpa is
measured first, alone. Then the peers create their arrays and compile concurrently, and are measured one after the other. First
calls and start-up are measured in new processes, with empty caches and again with the caches that those left.

Each row is printed when it is measured, and the table at the end: its last column is the ratio of gpa's time to the best peer's,
its last line the rows in which gpa is slower. Every phase has a time limit, and so has the whole run."""
import os
import select
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from gpu_peers import PEERS, save_data
from gpu_rows import AROUND, ROWS

HERE = os.path.dirname(os.path.abspath(__file__))
GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
DEVICE = os.environ.get("GPA_DEVICE", "cuda")
OPTIONS = dict(w[2:].partition("=")[::2] for w in sys.argv[1:] if w.startswith("--"))
WORDS = [w for w in sys.argv[1:] if not w.startswith("--")]
FOR_GPA, TO_IMPORT, TO_COMPILE, TO_MEASURE, TO_START, SLOW = 50, 45, 150, 25, 30, 20  # seconds
LEVEL = 1.03  # gpa counts as slower from this ratio to the best peer on
BEGUN = time.monotonic()
END = BEGUN + float(OPTIONS.get("limit", 420))
FIRST, AGAIN, UFUNC, START = AROUND
MODULES = {"cupy": "cupy", "cupy.fuse": "cupy", "jax": "jax", "torch": "torch", "torch.compile": "torch", "numba": "numba.cuda"}

FIRST_CALL = """import math
import time
x = np.arange(1000, dtype=np.float32)
float((x * 2).sum())
print("started", flush=True)
c = 2.5
t = time.perf_counter()
r = np.sin(x) * c + np.exp(-x) * x + c
float(r[0])
print((time.perf_counter() - t) * 1e3, flush=True)
t = time.perf_counter()
@vectorize(["float32(float32)"])
def fresh(x):
    return math.sin(x) * x + 3.25 * math.exp(-x * 1.125)
float(fresh(x)[0])
print((time.perf_counter() - t) * 1e3, flush=True)
"""


def surroundings(caches, **more):
    """Environment variables that keep all caches of compiled code in this folder."""
    keep = {"GPA_CACHE_DIR": "gpa", "CUDA_CACHE_PATH": "driver", "CUPY_CACHE_DIR": "cupy", "TORCHINDUCTOR_CACHE_DIR": "inductor",
            "TRITON_CACHE_DIR": "triton", "JAX_COMPILATION_CACHE_DIR": "jax", "NUMBA_CACHE_DIR": "numba"}
    return os.environ | {name: os.path.join(caches, folder) for name, folder in keep.items()} | more | \
        {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
         "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def tell(text):
    print(f"{time.monotonic() - BEGUN:4.0f} s  {text}", flush=True)


def within(seconds):
    return min(time.monotonic() + seconds, END)


def installed(chosen):
    """The chosen peers whose modules are installed; the modules are not imported."""
    import importlib.util
    found = {}
    for label, module in MODULES.items():
        if label not in chosen:
            continue
        try:
            found[label] = importlib.util.find_spec(module) is not None
        except ImportError:
            found[label] = False
    return [label for label in PEERS if found.get(label)]


class Engine:
    """A process that measures rows. Its lines are read as they are written, each with a deadline."""

    def __init__(self, label, command, caches):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env=surroundings(caches, GPU_DATA=caches, TORCHINDUCTOR_COMPILE_THREADS="1"))
        self.label, self.times, self.first, self.rest = label, {}, {}, b""

    def line(self, until):
        """The next line; empty at the end of the output or at the deadline."""
        out = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            if not select.select([out], [], [], max(until - time.monotonic(), 0))[0] or not (more := os.read(out, 65536)):
                return ""
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def expect(self, word, until):
        """Waits for a line that is `word`; prints the lines before it. False: the deadline passed, and the process is ended."""
        while (line := self.line(until)) and line != word:
            tell(line)
        if line:
            tell(f"{self.label} has {word}")
        else:
            self.end(f"has not {word}")
        return bool(line)

    def tell(self, seconds):
        try:
            self.process.stdin.write(b"%f\n" % seconds)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the process has ended; the next read notices

    def measure(self, until):
        """Reads rows until the process ends or the deadline passes. A row of gpa begins with the time of its first call."""
        while line := self.line(until):
            name, *times = line.split("\t")
            if name not in ROWS:
                tell(line)
                continue
            if self.label == "gpa":
                self.first[name] = float(times.pop(0))
            self.times[name] = statistics.median(map(float, times))
            tell(f"{self.label:<14}{name:<34}{self.times[name]:10.4f}")
        self.end("stopped at its deadline" if time.monotonic() >= until else "")

    def end(self, trouble=""):
        """Ends the process; prints what went wrong and the last line of its stderr."""
        if not trouble:
            try:
                status = self.process.wait(5)
                trouble = f"status {status}" if status else ""
            except subprocess.TimeoutExpired:
                pass  # all rows have been read
        self.process.kill()
        self.process.wait()
        if trouble:
            self.errors.seek(0)
            lines = [line.strip() for line in self.errors.read().decode(errors="replace").split("\n") if len(line.strip()) > 8]
            tell(f"# {self.label}: {trouble}: {lines[-1][:150] if lines else 'no message'}")


def from_outside(command, caches):
    """Milliseconds from the start of the process to its first result, then those of the first calls that it measures. None: too slow."""
    begun = time.perf_counter()
    p = subprocess.Popen(command, env=surroundings(caches), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    limit = threading.Timer(max(within(TO_START) - time.monotonic(), 0), p.kill)
    limit.start()
    p.stdout.readline()
    started = (time.perf_counter() - begun) * 1e3
    calls = [float(line) for line in p.stdout]
    p.wait()
    limit.cancel()
    return [started, *calls] if calls else None


def calls(label, command, repeats):
    """Median times of first calls with empty caches, of first calls after a restart, and of the start with filled caches.

    A peer whose first process takes more than SLOW seconds is not measured again."""
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as caches:
            begun = time.monotonic()
            cold.append(from_outside(command, caches))
            if cold[-1] and time.monotonic() - begun < SLOW:
                warm.append(from_outside(command, caches))
    if None in cold + warm:
        tell(f"# {label}: first calls: no answer in time")
        return {}
    found = {FIRST: statistics.median(c[1] for c in cold), START: statistics.median(v[0] for v in warm or cold)}
    if warm:
        found[AGAIN] = statistics.median(w[1] for w in warm)
    if len(cold[0]) > 2:
        found[UFUNC] = statistics.median(c[2] for c in cold)
    for name, value in found.items():
        tell(f"{label:<14}{name:<34}{value:10.4f}")
    return found


def rows(labels):
    """The engines of gpa and of the peers that compiled in time."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as caches:
        gpa = Engine("gpa", [GPA, "--device", DEVICE, os.path.join(HERE, "gpu.gpa"), *WORDS], caches)
        gpa.measure(within(FOR_GPA))
        peers = [Engine(label, [sys.executable, os.path.join(HERE, "gpu_peer.py"), label, *WORDS], caches) for label in labels]
        if labels:
            save_data(caches)
        until = within(TO_IMPORT)
        peers = [e for e in peers if e.expect("imported", until)]
        left = min(TO_COMPILE, (END - time.monotonic()) / 2)
        for e in peers:
            e.tell(left)
        until = within(left + 20)
        peers = [e for e in peers if e.expect("compiled", until)]
        for e in peers:
            e.tell(TO_MEASURE)
            e.measure(within(TO_MEASURE))
    return gpa, peers


def around(labels):
    """Start-up and first calls, measured from outside the process: {label: {name: ms}}."""
    with tempfile.NamedTemporaryFile("w", suffix=".gpa") as f:
        f.write(FIRST_CALL)
        f.flush()
        found = {"gpa": calls("gpa", [GPA, "--device", DEVICE, f.name], 3)}
    for label in sorted(labels, key="torch.compile".__eq__):  # the slowest peer last
        if time.monotonic() < END:
            found[label] = calls(label, [sys.executable, os.path.join(HERE, "gpu_peer.py"), label, "--first"], 1)
    return found


def table(gpa, peers):
    copy = gpa.times.get("copy 1e8 float32")
    speed = ROWS["copy 1e8 float32"][0] / copy / 1e6 if copy else 0
    wide = {e.label: max(len(e.label) + 2, 9) for e in peers}
    title = f"ms  (copy {speed:.0f} GB/s)" if speed else "ms"
    print(f"\n{title:<34}{'gpa':>10}" + "".join(f"{label:>{w}}" for label, w in wide.items()) +
          f"{'goal':>9}{'of copy':>9}{'first':>8}{'to best' if peers else '':>9}")
    compared, behind, over = 0, [], []
    for name in [*ROWS, *AROUND]:
        mine, theirs = gpa.times.get(name), [e.times.get(name) for e in peers]
        if mine is None and not any(theirs):
            continue
        cells = "".join(f"{f'{v:.4g}' if v else '-':>{w}}" for w, v in zip(wide.values(), theirs))
        nbytes, goal = ROWS.get(name) or (0, AROUND[name])
        share = f"{nbytes / mine / 1e6 / speed:.0%}" if mine and speed and nbytes else ""
        first = f"{gpa.first[name]:.0f}" if name in gpa.first else ""
        best = min(filter(None, theirs), default=None)
        ratio = mine / best if mine and best else None
        compared += ratio is not None
        if ratio and ratio > LEVEL:
            behind.append(name)
        if mine and goal and mine > goal * LEVEL:
            over.append(name)
        print(f"{name:<34}{f'{mine:.4g}' if mine else '-':>10}{cells}{goal or '':>9}{share:>9}{first:>8}"
              f"{f'{ratio:.2f}' if ratio else '':>9}".rstrip(), flush=True)
    print(f"over the goal: {', '.join(over) or 'none'}")
    if peers:
        print(f"behind the best peer in {len(behind)} of {compared} rows: {', '.join(behind) or 'none'}")


def main():
    chosen = OPTIONS["peers"].split(",") if "peers" in OPTIONS else MODULES
    gpa, peers = rows([] if "quick" in OPTIONS else installed(chosen))
    if not WORDS:
        found = around([e.label for e in peers])
        for e in [gpa, *peers]:
            e.times |= found.get(e.label, {})
    table(gpa, peers)


if __name__ == "__main__":
    main()
