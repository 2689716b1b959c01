"""Faults on the GPU: python tests/gpu/faults.py

An index out of range in the middle of a program is an IndexError with NumPy's words, at the line that wrote it, and everything
goes on; an interrupt ends any generated program, and the session goes on."""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import Gpa, show  # noqa: E402

PROLOGUE = """import numpy as np
a = np.arange(12.0).reshape(3, 4)
big = np.arange(100000)
"""
# What is written, and what NumPy says; the index is computed on the device.
INDEX = [
    ("a[np.array([0, 1, 3])]", "index 3 is out of bounds for axis 0 with size 3"),
    ("a[:, np.array([0, -5])] * 2 + 1", "index -5 is out of bounds for axis 1 with size 4"),
    ("a[big % 2, big]", "index {} is out of bounds for axis 1 with size 4"),
    ("np.exp(big[np.where(big == 77777, 100000, big)]).sum()", "index 100000 is out of bounds for axis 0 with size 100000"),
    ("a[np.array([0, 7])] = 5", "index 7 is out of bounds for axis 0 with size 3"),
    ("a[np.array([0, -4]), 1] += 1", "index -4 is out of bounds for axis 0 with size 3"),
    ("np.take(a, [1, 12])", "index 12 is out of bounds for axis 0 with size 12"),
]
AFTER = ("float((a * 2).sum()), int((big + 1).sum())", "(132.0, 5000050000)\n")

# Programs that never end by themselves, most of them one launch after the other, and one launch that lasts: what is there before, a
# turn, which also ends alone, and what does not end.
ENDLESS = {
    "a chain in a loop": ("b = np.ones(10 ** 7)", "b = np.sin(b) + 1", "while True: b = np.sin(b) + 1"),
    "a reduction in a loop": ("b = np.ones((1000, 10000))", "s = float(b.sum())", "while True: s = float(b.sum())"),
    "large arrays in a loop": ("b = np.ones(5 * 10 ** 8, np.float32)", "b = b * 1.0001", "while True: b = b * 1.0001"),
    "products in a loop": ("b = np.ones((4096, 4096), np.float32)", "b = b @ b * 1e-4", "while True: b = b @ b * 1e-4"),
    "gathers in a loop": ("b = np.ones(10 ** 7)\ni = np.arange(10 ** 7) * 7 % 10 ** 7", "b = b[i] + 1", "while True: b = b[i] + 1"),
    "a parallel loop": ("@njit(parallel=True)\ndef f(n, low):\n    s = 0\n    for i in prange(n):\n        k = i\n        while k >= low:\n"
                        "            k = k + 2 - k % 2\n        s += k\n    return s", "print(f(100000, 10 ** 9))", "print(f(100000, 0))"),
    "a compiled function": ("@vectorize\ndef f(x):\n    while x > 0:\n        x = x + 1\n    return x",
                            "print(f(-np.ones(1000)).sum())", "print(f(np.ones(1000)).sum())"),
}
# From the signal to the next line of the program. How long the process then takes to end is another matter: the driver ends none whose
# context is not there yet.
LIMIT = 0.5


def report(good, name, *details):
    print(f"{'ok' if good else 'not ok'} - {name}")
    for title, text in [] if good else details:
        show(title, text)
    return good


def test_indices():
    engine, good = Gpa(), True
    for source, words in INDEX:
        engine.fresh()
        engine.run(PROLOGUE)
        error = engine.run(source + "\n").error
        want = "IndexError: " + words
        begins, ends = want.split("{}") if "{}" in want else (want, "")
        right = error.startswith(begins) and error.endswith(ends) and (ends or error == want)
        good &= report(bool(right), f"an index error: {source}", ("expected:", want), ("got:", error or "none"))
        after = engine.run(AFTER[0] + "\n")
        good &= report(after.out == AFTER[1], f"after it: {source}", ("got:", after.out + after.error))
    trouble = engine.close()
    return report(not trouble, "the process ended well", ("it printed:", trouble)) and good


def test_line():
    """A late fault names the line that wrote the expression."""
    engine = Gpa()
    engine.run(PROLOGUE)
    result = engine.run("i = np.array([5, 99])\nb = a.ravel()[i] + 1\nc = b * 2\nprint(c)\n")
    good = report("line 2" in result.report and "b = a.ravel()[i] + 1" in result.report, "the line of a fault", ("report:", result.report))
    engine.close()
    return good


def interrupt(name, code, wait):
    """Sends SIGINT so many seconds after the program has begun, and tells whether and when it answers."""
    process = subprocess.Popen([os.environ["GPA"], "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    killer = threading.Timer(60, process.kill)
    killer.start()
    before = ""
    while not before.endswith("begun\n") and (line := process.stdout.readline()):
        before += line
    time.sleep(wait)
    asked = time.time()
    process.send_signal(signal.SIGINT)
    answer = process.stdout.readline()
    took = time.time() - asked
    out, _ = process.communicate()
    killer.cancel()
    right = answer == "interrupted\n" and out == "2000.0\n" and process.returncode == 0
    good = report(right and took < LIMIT, f"an interrupt of {name}", (f"status {process.returncode}, {took:.2f} s to the answer:", before + answer + out))
    print(f"# which took {1000 * took:.0f} ms, and {1000 * (time.time() - asked):.0f} to the end of the process")
    return good


def test_interrupts():
    """Of what runs, and of what still waits for its GPU."""
    def caught(*lines):
        return "import numpy as np\nfrom numba import njit, prange, vectorize\ntry:\n    " + "\n".join(lines).replace("\n", "\n    ") + \
            "\nexcept KeyboardInterrupt:\n    print('interrupted', flush=True)\nprint(float((np.ones(1000) * 2).sum()))\n"

    begun = "print('begun', flush=True)"
    good = [interrupt(name, caught(first, turn, "float((np.ones(1000) * 2).sum())", begun, loop), 0.6) for name, (first, turn, loop) in ENDLESS.items()]
    first, _, loop = ENDLESS["a chain in a loop"]
    return interrupt("what waits for its GPU", caught(begun, first, loop), 0) and all(good)


WINDOW = '''
import numpy as np
@vectorize
def f(x):
    while x > 0:
        x = x + 1
    return x
float((np.ones(9) * 2).sum())
print('begun', flush=True)
try:
    print(f(np.ones(1000)).sum())
except KeyboardInterrupt:
    print('interrupted', float((np.ones(1000) * 2).sum()))
'''


def test_window():
    """An interrupt that comes while an endless program is compiled, loaded or launched ends it too."""
    with tempfile.TemporaryDirectory() as caches:
        running = []
        for k in range(16):
            at = dict(os.environ, GPA_CACHE_DIR=f"{caches}/{k}", GPA_CUDA_INTERPRET="never")
            process = subprocess.Popen([os.environ["GPA"], "-c", WINDOW], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=at)
            process.stdout.readline()
            time.sleep(0.006 * k)
            process.send_signal(signal.SIGINT)
            running.append(process)
        wrong = []
        for k, process in enumerate(running):
            try:
                out, _ = process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                out = "it had to be killed"
            if out.strip() != "interrupted 2000.0":
                wrong.append(f"after {6 * k} ms: {out.strip()}")
    return report(not wrong, "interrupts while a program is compiled", *[("got:", text) for text in wrong])


def main():
    good = [test() for test in (test_indices, test_line, test_interrupts, test_window)]
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
