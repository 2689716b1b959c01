"""Literal specialization: scalars that are the same in every launch are compiled into compute-bound
programs, as the sources in the cache show. Nothing is computed: the driver is a stub without a GPU."""
import os
import subprocess
import sys
import tempfile

HEAVY = "np.exp(x * c) + np.log(x + c) * np.sin(x / c) - np.cos(x - c) * np.tan(x) / np.sqrt(x + 2 * c)"
LAST = HEAVY.replace("np.tan", "np.cosh")  # how its source is known, and none of the others'
# Programs are built in the order in which they are asked for, behind what runs: once the last is there all others have begun, and
# what has begun is finished before the process ends.
SCRIPT = """
import os
import time
import numpy as np
folder = os.environ["GPA_CACHE_DIR"]
def is_there():
    texts = [open(os.path.join(folder, f), "rb").read() for f in os.listdir(folder) if f.endswith(".program")]
    return any(b"cosh" in text and b"P.number" not in text for text in texts)
x, y = np.zeros({n}, dtype=np.float32), np.zeros({n}, dtype=np.float32)
z, t = np.zeros(5_000_000, dtype=np.float32), np.zeros(5_000_000, dtype=np.float32)
x[0] = y[0] = z[0] = t[0] = 1
float(x[0]), float(y[0]), float(z[0]), float(t[0])
def launch(c):
    y[:] = {work}
    float(y[0])
def launch_last(x, c):
    t[:] = {last}
    float(t[0])
for c in {numbers}:
    launch(c)
for k in range(6):
    launch_last(z, 2.5)
while not is_there():
    time.sleep(0.05)
"""


def source_of(entry):
    """Of an entry: magic, the key's length, two more numbers; in the key a line for the compiler, one for its options, the source."""
    key = entry[32:32 + int.from_bytes(entry[8:16], sys.byteorder)]
    return key.split(b"\n", 2)[-1]


def sources(numbers, work=HEAVY, n=5_000_000):
    """How many programs of the work take numbers as parameters, and how many have them compiled in."""
    with tempfile.TemporaryDirectory() as cache:
        script = SCRIPT.format(n=n, work=work, last=LAST, numbers=numbers)
        subprocess.run([os.environ["GPA"], "-c", script], env=os.environ | {"GPA_CACHE_DIR": cache}, check=True, timeout=300)
        found = [open(os.path.join(at, f), "rb").read() for at, _, files in os.walk(cache) for f in files]
    # a program may be there twice, built quickly and better: its source counts once
    texts = {source_of(text) for text in found}
    of_work = [text for text in texts if b"x0[u].v[k]" in text and b"g_params P" in text and b"cosh" not in text]
    general = sum(b"P.number" in text for text in of_work)
    return general, len(of_work) - general


def check(name, got, want):
    print(f"{'ok' if got == want else 'not ok'} - {name}", flush=True)
    if got != want:
        print(f"# expected {want}, got {got}")
    return got == want


def main():
    good = check("numbers that stay as they are become literals", sources([2.5] * 6), (1, 1))
    good &= check("numbers that change at each launch stay parameters", sources([1.5, 2.5] * 4), (1, 0))
    good &= check("two launches are not enough", sources([2.5] * 2), (1, 0))
    good &= check("nor is a program that waits for memory", sources([2.5] * 6, work="x * c + 1"), (1, 0))
    good &= check("nor one of few points", sources([2.5] * 6, n=1_000_000), (1, 0))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
