"""Numbers that stay the same from launch to launch are compiled in, in programs that wait for instructions: which programs there
are is told by the cache, which keeps their sources. Above a driver without a GPU nothing is computed."""
import os
import subprocess
import sys
import tempfile

SCRIPT = """
import os
import time
import numpy as np
folder = os.environ["GPA_CACHE_DIR"]
x, y = np.zeros({n}, dtype=np.float32), np.zeros({n}, dtype=np.float32)
x[0] = y[0] = 1
float(x[0]), float(y[0])
def launch(c):
    y[:] = {work}
    float(y[0])
def entries():
    return len(os.listdir(folder))
for c in {numbers}:
    launch(c)
before, begun = entries(), time.time()
while {wait} and entries() == before and time.time() - begun < 20:
    time.sleep(0.05)
"""
HEAVY = "np.exp(x * c) + np.log(x + c) * np.sin(x / c) - np.cos(x - c) * np.tan(x) / np.sqrt(x + 2 * c)"


def sources(numbers, work=HEAVY, n=5_000_000, wait=True):
    """How many programs of the work take numbers as parameters, and how many have them compiled in."""
    with tempfile.TemporaryDirectory() as cache:
        script = SCRIPT.format(n=n, work=work, numbers=numbers, wait=wait)
        subprocess.run([os.environ["GPA"], "-c", script], env=os.environ | {"GPA_CACHE_DIR": cache}, check=True)
        found = [open(os.path.join(at, f), "rb").read() for at, _, files in os.walk(cache) for f in files]
    of_work = [text for text in found if b"x0[u].v[k]" in text and b"g_params P" in text]
    general = sum(b"P.number" in text for text in of_work)
    return general, len(of_work) - general


def check(name, got, want):
    print(f"{'ok' if got == want else 'not ok'} - {name}", flush=True)
    if got != want:
        print(f"# expected {want}, got {got}")
    return got == want


def main():
    good = check("numbers that stay as they are become literals", sources([2.5] * 6), (1, 1))
    good &= check("numbers that change at each launch stay parameters", sources([1.5, 2.5] * 4, wait=False), (1, 0))
    good &= check("two launches are not enough", sources([2.5] * 2, wait=False), (1, 0))
    good &= check("nor is a program that waits for memory", sources([2.5] * 6, work="x * c + 1", wait=False), (1, 0))
    good &= check("nor one of few points", sources([2.5] * 6, n=1_000_000, wait=False), (1, 0))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
