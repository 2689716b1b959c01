"""gpa on a GPU beside CuPy, cupy.fuse, JAX, PyTorch (eager and compiled) and Numba, whichever are installed: medians of one
run, by wall clock, each work queued several times and waited for once. `make bench-gpu`; `make bench-gpu QUICK=1` times gpa
alone.

The peers make their arrays and compile side by side, then each engine measures while the others wait. First calls and starts
are those of new processes with empty caches, then with what the first ones left there."""
import os
import select
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from gpu_rows import AROUND, PEERS, ROWS

HERE = os.path.dirname(os.path.abspath(__file__))
GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
DEVICE = os.environ.get("GPA_DEVICE", "cuda")
PATIENCE = 100  # seconds for the peers to compile all rows, and for each engine to measure them
FIRST, AGAIN, START = AROUND
MODULES = {"cupy": "cupy", "cupy.fuse": "cupy", "jax": "jax", "torch": "torch", "torch.compile": "torch", "numba": "numba.cuda"}

FIRST_CALL = """import time
x = np.arange(1000, dtype=np.float32)
float((x * 2).sum())
print("started", flush=True)
c = 2.5
t = time.perf_counter()
r = np.sin(x) * c + np.exp(-x) * x + c
float(r[0])
print((time.perf_counter() - t) * 1e3)
"""


def surroundings(caches):
    """An environment in which nothing compiled is found outside of the folder."""
    keep = {"GPA_CACHE_DIR": "gpa", "CUDA_CACHE_PATH": "driver", "CUPY_CACHE_DIR": "cupy", "TORCHINDUCTOR_CACHE_DIR": "inductor",
            "TRITON_CACHE_DIR": "triton", "JAX_COMPILATION_CACHE_DIR": "jax", "NUMBA_CACHE_DIR": "numba"}
    return os.environ | {name: os.path.join(caches, folder) for name, folder in keep.items()} | \
        {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "PYTHONDONTWRITEBYTECODE": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}


def installed():
    """Labels of the peers whose modules are there, looked for without importing them here."""
    import importlib.util
    found = {}
    for label, module in MODULES.items():
        try:
            found[label] = importlib.util.find_spec(module) is not None
        except ImportError:
            found[label] = False
    return [label for label in PEERS if found[label]]


class Started:
    """A process whose lines come as they are written, with a limit to waiting for them."""

    def __init__(self, command, caches, **more):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, env=surroundings(caches), **more)
        self.rest = b""

    def line(self, until):
        """The next line; empty when there is none, or none in time."""
        out = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            if not select.select([out], [], [], max(until - time.monotonic(), 0))[0] or not (more := os.read(out, 65536)):
                return ""
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def end(self):
        self.process.kill()
        self.process.wait()


class Engine(Started):
    """A peer."""

    def __init__(self, label, caches):
        super().__init__([sys.executable, os.path.join(HERE, "gpu_peer.py"), label], caches, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.label, self.times = label, {}

    def ready(self, until):
        while (line := self.line(until)) and line != "ready":
            print(line, flush=True)
        if not line:
            print(f"# {self.label}: not ready in time", flush=True)
            self.end()
        return bool(line)

    def measure(self):
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()
        until = time.monotonic() + PATIENCE
        while line := self.line(until):
            name, *times = line.split("\t")
            self.times[name] = statistics.median(map(float, times))
        self.end()


def run_gpa(caches, words):
    """Row: (median, first call) in ms. What takes too long is given up, with the rows behind it."""
    gpa = Started([GPA, "--device", DEVICE, os.path.join(HERE, "gpu.gpa"), *words], caches)
    rows, until = {}, time.monotonic() + PATIENCE
    while line := gpa.line(until):
        name, first, *times = line.split("\t")
        rows[name] = statistics.median(map(float, times)), float(first)
    gpa.end()
    return rows


def from_outside(command, caches):
    """(ms until the process says that it has a result, ms of the first call that it then times)."""
    begun = time.perf_counter()
    p = subprocess.Popen(command, env=surroundings(caches), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    limit = threading.Timer(PATIENCE / 2, p.kill)
    limit.start()
    p.stdout.readline()
    started = (time.perf_counter() - begun) * 1e3
    first = p.stdout.readline()
    p.wait()
    limit.cancel()
    return (started, float(first)) if first else None


def calls(command, repeats):
    """Medians of the first call, of the same after a restart, and of the start, which finds what an earlier one left."""
    cold, warm = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as caches:
            cold.append(from_outside(command, caches))
            warm.append(from_outside(command, caches))
    if None in cold + warm:
        return {}
    return {FIRST: statistics.median(c[1] for c in cold), AGAIN: statistics.median(w[1] for w in warm),
            START: statistics.median(w[0] for w in warm)}


def start(words, labels):
    with tempfile.TemporaryDirectory() as caches:
        engines = [Engine(label, caches) for label in labels]
        until = time.monotonic() + PATIENCE
        engines = [e for e in engines if e.ready(until)]
        gpa = run_gpa(caches, words)
        for e in engines:
            e.measure()
    return gpa, {e.label: e.times for e in engines}


def cell(value, wide=10):
    return f"{value:{wide}.4f}" if value is not None else f"{'-':>{wide}}"


def table(gpa, peers, around, names):
    labels = list(peers)
    print(f"{'ms':<34}{'gpa':>10}" + "".join(f"{label:>14}" for label in labels), flush=True)
    for name in names:
        mine = around.get("gpa", {}).get(name) if name in AROUND else gpa.get(name, (None,))[0]
        theirs = [around.get(label, {}).get(name) if name in AROUND else peers[label].get(name) for label in labels]
        if mine is not None:
            print(f"{name:<34}{cell(mine)}" + "".join(cell(v, 14) for v in theirs), flush=True)


def summary(gpa, peers, around):
    copy = gpa.get("copy 1e8 float32", (None,))[0]
    speed = ROWS["copy 1e8 float32"][0] / copy / 1e6 if copy else None
    if speed:
        print(f"\ncopy {speed:.0f} GB/s")
    print(f"{'ms':<34}{'gpa':>10}{'best peer':>26}{'goal':>10}{'of copy':>9}{'first':>9}")
    for name in [*ROWS, *AROUND]:
        outside = name in AROUND
        nbytes, goal = (0, AROUND[name]) if outside else ROWS[name]
        mine, first = (around.get("gpa", {}).get(name), None) if outside else gpa.get(name, (None, None))
        if mine is None:
            continue
        source = around if outside else peers
        best = min(((v[name], label) for label, v in source.items() if label != "gpa" and name in v), default=None)
        theirs = f"{best[1]:>15} {cell(best[0])}" if best else f"{'-':>26}"
        share = f"{nbytes / mine / 1e6 / speed:9.0%}" if speed and nbytes else f"{'':>9}"
        behind = " behind" if best and mine > best[0] * 1.03 else ""
        over = " over the goal" if goal and mine > goal * 1.03 else ""
        print(f"{name:<34}{cell(mine)}{theirs}{cell(goal)}{share}{f'{first:9.1f}' if first else '':>9}{behind}{over}")


def main():
    words = [w for w in sys.argv[1:] if not w.startswith("-")]
    alone = "--quick" in sys.argv
    labels = [] if alone else installed()
    gpa, peers = start(words, labels)
    around = {}
    if peers:
        table(gpa, peers, around, ROWS)
    if not words:
        with tempfile.NamedTemporaryFile("w", suffix=".gpa") as f:
            f.write(FIRST_CALL)
            f.flush()
            around["gpa"] = calls([GPA, "--device", DEVICE, f.name], 5)
        for label in peers:
            around[label] = calls([sys.executable, os.path.join(HERE, "gpu_peer.py"), label, "first"], 1)
    if peers and around:
        table(gpa, peers, around, AROUND)
    summary(gpa, peers, around)


if __name__ == "__main__":
    main()
