"""Whole programs: npbench's and pyhpc-benchmarks' NumPy files in gpa, compared with the same files in NumPy and their own Numba files
on the CPU, their CuPy and JAX files on a GPU.

NPBENCH=FOLDER PYHPC=FOLDER make bench-programs (either may be missing; both are checkouts that the user fetched); words choose
programs: tests/bench/programs.py --presets=S crc16 lu. Options: --presets=S,M; --peers=numpy,numba,cupy,jax; --threads=1;
--seconds=20 for the measurements of a row; --best: minima instead of medians, for a machine with other load; --csv=MACHINE
appends the rows to results.csv.

Each engine runs in a process of its own. The processes of a row measure alternately, so that other load on the machine reaches all
of them. Every call gets fresh copies of its arrays, outside of the measured time. The first results are compared with NumPy's,
by npbench's tolerances. Ratios are a peer's time over gpa's."""
import datetime
import importlib.util
import json
import math
import os
import select
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
DEVICE = os.environ.get("GPA_DEVICE", "cpu")
OPTIONS = dict(w[2:].partition("=")[::2] for w in sys.argv[1:] if w.startswith("--"))
WORDS = [w for w in sys.argv[1:] if not w.startswith("--")]
PRESETS = OPTIONS.get("presets", "S,M").split(",")
PEERS = OPTIONS.get("peers", "numpy,numba" if DEVICE == "cpu" else "numpy,cupy,jax").split(",")
THREADS = OPTIONS.get("threads", "1")
SECONDS = float(OPTIONS.get("seconds", 20))
MIDDLE = min if "best" in OPTIONS else statistics.median
ROUNDS, FIRST_CALL_SECONDS = 9, 180
SUFFIXES = {"gpa": "numpy", "numpy": "numpy", "numba": "numba_n", "cupy": "cupy", "jax": "jax"}
PYHPC_SUFFIXES = SUFFIXES | {"numba": "numba"}
PYHPC_SIZES = {"S": 2**14, "M": 2**20, "L": 2**22}

# The process of an engine: a program that CPython and gpa both run. It says when the first call is done, and then answers each
# line with the times of some calls.
ENGINE = {
    "gpa": "from numba.cuda import synchronize\ndef put(x): return x.copy()\ndef wait(r): synchronize()\ndef get(x): return x\n",
    "numpy": "def put(x): return x.copy()\ndef wait(r): pass\nget = np.asarray\n",
    "numba": "def put(x): return x.copy()\ndef wait(r): pass\nget = np.asarray\n",
    "cupy": "import cupy\nput = cupy.array\nget = cupy.asnumpy\ndef wait(r): cupy.cuda.get_current_stream().synchronize()\n",
    "jax": "import jax\njax.config.update('jax_enable_x64', True)\nput = jax.numpy.array\nget = np.asarray\n"
           "wait = jax.block_until_ready\n",
}
PROCESS = """
import sys
import time
import numpy as np
{engine}
from {module} import {function} as program
data = np.load("inputs.npz")
arguments = [{arguments}]
places = [i for i, x in enumerate(arguments) if isinstance(x, np.ndarray)]
def call():
    fresh = list(arguments)
    for i in places:
        fresh[i] = put(fresh[i])
    wait([fresh[i] for i in places])
    begin = time.perf_counter()
    results = program(*fresh{keywords})
    wait([results, [fresh[i] for i in places]])
    return time.perf_counter() - begin, results, fresh
first, results, fresh = call()
results = [] if results is None else list(results) if isinstance(results, (tuple, list)) else [results]
outputs = {outputs} or ([] if results else places)
np.savez("{engine_name}.npz", *[get(x) for x in results + [fresh[i] for i in outputs]])
del results, fresh
once = call()[0]
calls = max(1, min(1000, int(0.02 / once)))
print("ready", first, flush=True)
for line in sys.stdin:
    print(*[call()[0] for _ in range(calls)], flush=True)
"""


class Program:
    """A program of one of the collections with the inputs of a preset."""

    def __init__(self, name, folder, module, function, suffixes=SUFFIXES):
        self.name, self.folder, self.module, self.function, self.suffixes = name, folder, module, function, suffixes
        self.keywords, self.outputs, self.tolerances = "", [], {}

    def module_of(self, engine):
        return f"{self.module}_{self.suffixes[engine]}"

    def has(self, engine):
        return os.path.exists(os.path.join(self.folder, self.module_of(engine) + ".py"))


class Npbench(Program):
    def __init__(self, root, info):
        folder = os.path.join(root, "npbench", "benchmarks", info["relative_path"])
        super().__init__(info["short_name"], folder, info["module_name"], info["func_name"])
        self.info = info
        self.outputs = [info["input_args"].index(a) for a in info.get("output_args", []) if a in info["input_args"]]
        self.tolerances = {k: info[k] for k in ("rtol", "atol", "norm_error") if k in info}

    def inputs(self, preset):
        names = dict(self.info["parameters"][preset])
        init = self.info.get("init")
        if init:
            sys.path.insert(0, self.folder)
            exec(f"from {self.module} import {init['func_name']}\n{','.join(init['output_args'])} = "
                 f"{init['func_name']}({','.join(init['input_args'])})", names)
            sys.path.pop(0)
        return [names[a] for a in self.info["input_args"]]


class Pyhpc(Program):
    def __init__(self, name, folder, module):
        super().__init__(name, folder, module, "run", PYHPC_SUFFIXES)
        self.keywords = f", device={'cpu' if DEVICE == 'cpu' else 'gpu'!r}"

    def inputs(self, preset):
        spec = importlib.util.spec_from_file_location(self.name, os.path.join(self.folder, "__init__.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return list(module.generate_inputs(PYHPC_SIZES[preset]))


def programs():
    found = []
    if root := os.environ.get("NPBENCH"):
        folder = os.path.join(root, "bench_info")
        for file in sorted(os.listdir(folder)):
            with open(os.path.join(folder, file)) as f:
                found.append(Npbench(root, json.load(f)["benchmark"]))
    if root := os.environ.get("PYHPC"):
        for folder in sorted(os.scandir(os.path.join(root, "benchmarks")), key=lambda entry: entry.name):
            modules = [f[:-len("_numpy.py")] for f in os.listdir(folder) if f.endswith("_numpy.py")] if folder.is_dir() else []
            found += [Pyhpc(folder.name, folder.path, module) for module in modules]
    if not found:
        sys.exit("NPBENCH and PYHPC name no folder: checkouts of npbench and pyhpc-benchmarks")
    return [p for p in found if not WORDS or p.name in WORDS or p.module in WORDS]


def save_inputs(inputs, folder):
    """Writes arrays to inputs.npz; the arguments as the text of a list."""
    arrays, text = {}, []
    for i, x in enumerate(inputs):
        if isinstance(x, (np.ndarray, np.generic)):
            arrays[f"x{i}"] = x
            text.append(f"data['x{i}']" + ("" if isinstance(x, np.ndarray) else "[()]"))
        else:
            text.append(repr(x))
    np.savez(os.path.join(folder, "inputs.npz"), **arrays)
    return ", ".join(text)


class Engine:
    """A process that runs a program, in its folder."""

    def __init__(self, name, program, arguments, folder):
        self.name, self.folder, self.times, self.rest, self.trouble = name, folder, [], b"", ""
        path = os.path.join(folder, name + "_cell.py")
        with open(path, "w") as f:
            f.write(PROCESS.format(engine=ENGINE[name], engine_name=name, module=program.module_of(name), function=program.function,
                                   arguments=arguments, keywords=program.keywords, outputs=program.outputs))
        command = [GPA, "--norc", "--device", DEVICE, path] if name == "gpa" else [sys.executable, path]
        threads = {k: THREADS for k in ("GPA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")}
        path = os.pathsep.join(filter(None, [program.folder, os.environ.get("PYTHONPATH")]))
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env=os.environ | threads | {"PYTHONPATH": path, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})

    def line(self, seconds):
        """The next line of its output; None, and the process has ended, when none comes in time."""
        until = time.monotonic() + seconds
        out = self.process.stdout.fileno()
        while b"\n" not in self.rest:
            if not select.select([out], [], [], max(until - time.monotonic(), 0))[0]:
                return self.end(f"no answer in {seconds:.0f} s")
            if not (more := os.read(out, 65536)):
                return self.end("")
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def ready(self):
        """Whether the first calls succeeded; lines that the program prints are skipped."""
        while (line := self.line(FIRST_CALL_SECONDS)) is not None:
            if line.startswith("ready"):
                return True
        return False

    def measure(self):
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        while (line := self.line(FIRST_CALL_SECONDS)) is not None:
            try:
                self.times.append(MIDDLE(map(float, line.split())))
                return
            except ValueError:
                continue

    def end(self, trouble=None):
        self.process.kill()
        self.process.wait()
        if trouble is not None:
            self.errors.seek(0)
            lines = [s.strip() for s in self.errors.read().decode(errors="replace").split("\n") if ": " in s]
            self.trouble = trouble or (lines[-1][:100] if lines else "ended")
        return None


def agree(want, got, rtol=1e-5, atol=1e-8, norm_error=1e-5):
    """Whether two results are equal by npbench's rule."""
    if np.shape(want) != np.shape(got):
        return False
    if np.allclose(want, got, rtol=rtol, atol=atol, equal_nan=True):
        return True
    norm = np.linalg.norm(want)
    return bool(norm and np.linalg.norm(np.asarray(want) - got) / norm < norm_error)


def check(program, engine, folder):
    """Sets the trouble of an engine whose results are not NumPy's. JAX's files return what the others store in arguments."""
    with np.load(os.path.join(folder, "numpy.npz")) as want, np.load(os.path.join(folder, engine.name + ".npz")) as got:
        same = all(k in got.files and agree(want[k], got[k], **program.tolerances) for k in want.files)
    if not same:
        engine.trouble = "results differ from NumPy's"


def row(program, preset, folder):
    """The engines of a program, with their times."""
    arguments = save_inputs(program.inputs(preset), folder)
    engines, going = [], []
    for name in dict.fromkeys(["numpy", "gpa", *PEERS]):
        if program.has(name):
            engines.append(Engine(name, program, arguments, folder))
            if engines[-1].ready():
                going.append(engines[-1])
                check(program, engines[-1], folder)
    begin = time.monotonic()
    for k in range(ROUNDS):
        for engine in list(going):
            engine.measure()
            if engine.process.returncode is not None:
                going.remove(engine)
        if time.monotonic() - begin > SECONDS * (k + 1) / (k + 2):
            break
    for engine in going:
        engine.end()
    return engines


def show(label, engines, ratios):
    times = {e.name: MIDDLE(e.times) for e in engines if e.times}
    line = f"{label:<34}" + "".join(f"{f'{times[n] * 1e3:.4g}' if n in times else '-':>11}" for n in ratios | {"gpa": 0})
    for name, found in ratios.items():
        if name in times and "gpa" in times:
            found[label] = times[name] / times["gpa"]
        line += f"{f'{found[label]:.2f}' if label in found else '-':>9}"
    print(line + "".join(f"  {e.name}: {e.trouble}" for e in engines if e.trouble), flush=True)
    return times


def write(label, times):
    """Appends a row per peer to results.csv."""
    commit = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, cwd=HERE).stdout.strip()
    with open(os.path.join(HERE, "results.csv"), "a") as f:
        for name, seconds in times.items():
            if name != "gpa" and "gpa" in times:
                f.write(f"{datetime.date.today()},{commit},{OPTIONS['csv']},program: {label},{times['gpa'] * 1e3:.4g},{name},"
                        f"{seconds * 1e3:.4g},ms\n")


def main():
    ratios = {name: {} for name in PEERS if importlib.util.find_spec(name)}
    PEERS[:] = ratios
    chosen = programs()
    print(f"{DEVICE}, {THREADS} threads; {MIDDLE.__name__} of each; ms; ratios: a peer's time over gpa's")
    print(f"{'':<34}" + "".join(f"{n:>11}" for n in ratios | {"gpa": 0}) + "".join(f"{n:>9}" for n in ratios), flush=True)
    for preset in PRESETS:
        for program in chosen:
            label = f"{program.name} {preset}"
            with tempfile.TemporaryDirectory() as folder:
                times = show(label, row(program, preset, folder), ratios)
            if OPTIONS.get("csv"):
                write(label, times)
    for name, found in ratios.items():
        if found:
            least = min(found, key=found.get)
            print(f"{name}/gpa: geometric mean {math.exp(statistics.fmean(map(math.log, found.values()))):.2f} of {len(found)}, "
                  f"least {found[least]:.2f} ({least}), below 0.95: {sum(r < 0.95 for r in found.values())}")


main()
