"""Libraries loaded by a process, and recovery from a fault of raw CUDA code: python tests/gpu/start.py

NVIDIA's libraries are loaded when something needs them, each for itself; programs from the disk need no compiler. After an
illegal access, which the driver answers for the rest of the process with errors, the session goes on elsewhere."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import show  # noqa: E402

LOADED = "print([n for n in ('libcuda.so', 'libnvrtc.so', 'libcublas.so', 'libcufft.so', 'libcusolver.so') if n in open('/proc/self/maps').read()])\n"
A = "import numpy as np\na = np.arange(16.0).reshape(4, 4) + 1\n"
LOADS = [  # what is done, and what it loads with programs on the disk
    ("nothing with arrays", "print(1)\n", "1", []),
    ("arithmetic", A + "print(float((a * 2).sum()))\n", "272.0", ["libcuda.so"]),
    ("a product", A + "print(float((a @ a)[0, 0]))\n", "90.0", ["libcuda.so", "libcublas.so"]),
    ("a transform", A + "print(complex(np.fft.fft(a[0])[0]))\n", "(10+0j)", ["libcuda.so", "libcufft.so"]),
]
FAULT = """
import cupy as cp
wild = cp.RawKernel('extern "C" __global__ void wild(long long *x) { x[1LL << 40] = 1; }', 'wild')
lost = cp.arange(4) * 2
print(lost)
kept = lost.to("ref")
wild((1,), (1,), (lost,))
for k in range(2):
    try:
        print(lost)
    except Exception as e:
        print(type(e).__name__, e)
new = cp.arange(4) + 1
print(kept, new, device() != "cuda:0")
"""


def run(code, folder):
    environment = dict(os.environ, GPA_CACHE_DIR=folder)
    return subprocess.run([os.environ["GPA"], "-c", code], env=environment, capture_output=True, text=True, timeout=120)


def test_loads(folder):
    for name, code, answer, libraries in LOADS:
        first = run(code + LOADED, folder).stdout.split("\n")
        again = run(code + LOADED, folder).stdout.split("\n")
        good = first[0] == again[0] == answer and again[1] == str(libraries)
        compiles = not libraries or "libnvrtc.so" in first[1]
        yield f"what is loaded for {name}", good and compiles, f"first: {first}\nagain: {again}"


def test_fault(folder):
    done = run(FAULT, folder)
    lines = done.stdout.split("\n")
    good = len(lines) > 4 and lines[0] == "[0 2 4 6]" and lines[3] == "[0 2 4 6] [1 2 3 4] True" and done.returncode == 0
    yield "a fault of raw code leaves a session", good, done.stdout + done.stderr
    yield "it is an error where it is found", good and lines[1].startswith("DeviceError ") and "illegal memory access" in lines[1], done.stdout
    yield "and what was lost says so", good and lines[2] == "DeviceError the elements of this array were lost when cuda:0 failed", done.stdout


def main():
    failed = 0
    for test in (test_loads, test_fault):
        with tempfile.TemporaryDirectory() as folder:
            for name, good, text in test(folder):
                failed += not good
                print(f"{'ok' if good else 'not ok'} - {name}")
                if not good:
                    show("it was:", text)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
