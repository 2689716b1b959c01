"""Dumps of kir, CUDA source and LLVM IR for every example and benchmark row: tests/dumps.py BUILD OUT [AGAINST]

For a refactoring that must not change what is computed: dump before and after, on the same machine, and compare byte for
byte. Each program runs three times: twice on the CPU device (LLVM IR, kir), once on the CUDA device above the stand-in for the
driver (tests/stub; CUDA source). OUT receives one file per program and form; times are cut out. With AGAINST, the folder of an
earlier run, the files that differ are named, with the first line that does, and the exit status is 1.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
BENCH = os.path.join(HERE, "bench")
sys.path.insert(0, BENCH)

import numerics_linalg  # noqa: E402,F401  (adds its groups, as the next two do)
import numerics_programs  # noqa: E402,F401
import numerics_random  # noqa: E402,F401
import rows  # noqa: E402
from gpu_rows import ROWS as GPU_ROWS  # noqa: E402
from numerics import function, needed  # noqa: E402
from numerics_rows import GROUPS  # noqa: E402

TIMEOUT = 600  # seconds per program and form
MAX_SIZE = 1_000_000  # larger cases of the numerics rows run the programs of the smaller ones
TIMES = re.compile(r"(,? compiled in [\d.]+ \S+)|(, in [\d.]+ \S+)|(, [\d.]+ [kMGT]?B/s.*)")
SEEDS = re.compile(r"(?<=_philox\(uint64\(a\), 0, )[\d.e+]+")  # from the operating system
ADDRESSES = re.compile(r"(?<= i64 )\d{13,15}(?=,)")  # of the process, in calls of helper functions


def example(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def numerics(group, dtype, size, rows):
    """Rows of a group, each called once; a row that fails has no dump of what comes after its error."""
    programs = {str(k): row[1] for k, row in enumerate(rows)}
    setup = needed(group.setup.format(dtype=dtype, size=size), " ".join(programs.values()))
    text = "import numpy as np\nnp.seterr(all='ignore')\nnp.random.seed(0)\n" + setup + "\n"
    for k, program in programs.items():
        text += function(k, program)
    for k in programs:
        text += f"try:\n    r = row_{k}()\n    r = np.asarray(r).ravel()[:1].tolist()\nexcept Exception:\n    pass\n"
    return text


def programs():
    """Name, arguments and texts of each program: the second and later texts are the first's parts, which run alone where
    the whole crashes (on the stand-in for the driver nothing is computed, and garbage may be too much for a library call)."""
    for name in sorted(os.listdir(os.path.join(ROOT, "examples"))):
        if name.endswith(".gpa"):
            yield "example " + name[:-4], [], [example(os.path.join(ROOT, "examples", name))]
    for row in rows.ROWS:
        body = "".join(f"    {line}\n" for line in row.body.split("\n"))
        text = f"import numpy as np\nimport math\n{row.setup}\ndef program():\n{body}    return r\nr = program()\n"
        yield "bench " + row.name, [], [text]
    # Timing mode launches thousands of times; --ptx shows each row's programs once.
    gpu = example(os.path.join(BENCH, "gpu.gpa")).replace("%ptx work()", "%cuda work()")
    yield "gpu", ["--ptx", *GPU_ROWS], [gpu]
    for group in GROUPS:
        for dtype, size in group.cases:
            if size <= MAX_SIZE:
                texts = [numerics(group, dtype, size, rows) for rows in (group.rows, *([row] for row in group.rows))]
                yield f"numerics {group.name} {dtype} {size}", [], texts


FORMS = {  # suffix: (options of gpa, a magic around the program, on the CUDA device)
    "ll": (["--explain", "--explain"], "", False),
    "kir": ([], "%%kir\n", False),
    "cu": (["--explain", "--explain"], "", True),
}


def environment(build, cuda, cache):
    env = os.environ | {"GPA_PLUGIN_DIR": build, "GPA_CACHE_DIR": cache, "GPA_HISTORY": "", "GPA_NUM_THREADS": "1"}
    env["GPA_LOOPS"] = "off"  # whether a loop is replayed depends on the time of an iteration
    if not cuda:
        return env | {"GPA_DEVICE": "cpu"}
    stub = os.path.join(build, "tests", "stub")
    env.pop("CUDA_HOME", None)
    return env | {"GPA_DEVICE": "cuda:0", "CUDA_PATH": stub, "LD_LIBRARY_PATH": os.path.join(stub, "lib64"),
                  "GPA_CUDA_INTERPRET": "never", "STUB_CUDA": "memory=16000000000",
                  "GPA_MEMORY_CHECK": "1"}  # elements that no kernel computes are NaN, not what a freed block held


def dumped(output):
    """The dump in the output: each step with its code once, without times and step numbers."""
    start = re.search(r"^(step 1: |row )", output, re.M)
    if not start:
        return output[-2000:]  # an error: the dump says which
    text = SEEDS.sub("SEED", ADDRESSES.sub("ADDRESS", TIMES.sub("", output[start.start():])))
    steps = re.split(r"^step \d+: ", text, flags=re.M)
    return "step: ".join(dict.fromkeys(steps))


def output_of(command, folder, env):
    try:
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return 1, "took too long\n"
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def run(build, out, scratch, name, arguments, texts, form):
    options, magic, cuda = FORMS[form]
    if arguments and form != "cu":
        return
    options = [] if arguments else options
    stem = re.sub(r"[^\w.+-]+", "_", name)
    folder = os.path.join(scratch, stem + "." + form)  # programs write next to their data
    shutil.copytree(os.path.join(ROOT, "examples"), folder)
    path = os.path.join(folder, "program.gpa")
    env = environment(build, cuda, os.path.join(folder, "cache"))

    def dump(text):
        with open(path, "w", encoding="utf-8") as f:
            f.write(magic + text)
        status, output = output_of([os.path.join(build, "gpa"), *options, "program.gpa", *arguments], folder, env)
        return status, dumped(output)

    status, text = dump(texts[0])
    if status < 0:
        text = "\n".join(dump(part)[1] for part in texts[1:])
    with open(os.path.join(out, f"{stem}.{form}"), "w", encoding="utf-8") as f:
        f.write(text)
    shutil.rmtree(folder)


def compare(out, against):
    names = sorted(set(os.listdir(out)) | set(os.listdir(against)))
    differing = 0
    for name in names:
        pair = []
        for folder in (against, out):
            path = os.path.join(folder, name)
            pair.append(example(path).split("\n") if os.path.exists(path) else [])
        if pair[0] == pair[1]:
            continue
        differing += 1
        line = next((i for i, (a, b) in enumerate(zip(*pair)) if a != b), min(map(len, pair)))
        was, now = (side[line] if line < len(side) else "(end)" for side in pair)
        print(f"differs: {name}, line {line + 1}\n  - {was}\n  + {now}")
    print(f"{len(names) - differing} dumps equal, {differing} differ")
    return differing > 0


def main():
    build, out, *against = sys.argv[1:]
    build = os.path.realpath(build)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    jobs = [(*program, form) for program in programs() for form in FORMS]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for future in [pool.submit(run, build, out, scratch, *job) for job in jobs]:
            future.result()
    print(f"{len(os.listdir(out))} dumps in {out}")
    return compare(out, against[0]) if against else 0


if __name__ == "__main__":
    sys.exit(main())
