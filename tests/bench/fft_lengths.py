"""Compares gpa's Fourier transforms on one thread with NumPy's and SciPy's pocketfft, by length: medians of processor time in
microseconds.

fft_lengths.py [WORD ...]  rows whose label contains one of the words; the last column is the ratio of gpa's time to the faster
of the others, the last line counts the rows in which gpa is slower."""
import os
import subprocess
import sys
import time

import numpy as np
import scipy.fft

GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
SECONDS, REPEATS = 0.05, 7  # of a row: at least so many samples of one or more calls each
LEVEL = 1.03  # times the other's time, and gpa is not slower

POWERS = [2 ** k for k in range(1, 23)]
SMOOTH = [3, 5, 6, 7, 9, 10, 12, 15, 20, 27, 48, 81, 100, 125, 243, 360, 625, 729, 1000, 2187, 3125, 5040, 6561, 10000, 15625,
          19683, 59049, 78125, 100000, 390625, 531441, 720720, 1000000]
PRIMES = [11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 127, 211, 499, 997, 2003,
          4093, 4999, 10007, 32749, 32771, 99991, 1000003]
MULTIPLES = [22, 26, 34, 4 * 101, 2 * 499, 6 * 331, 8 * 997, 100 * 101, 12 * 10007, 6 * 99991, 17 * 17 * 17, 97 * 101, 37 * 41]
CALLS = [("fft", "complex128"), ("fft", "complex64"), ("rfft", "float64"), ("rfft", "float32"), ("irfft", "complex128")]
SHAPES = [(2, 16), (3, 100), (5, 1000), (7, 997), (1000, 8), (1000, 15), (10000, 64), (1000, 1000), (333, 997), (64, 65536)]
PLANES = [(512, 512), (1000, 1000), (17, 17, 17), (4913, 31), (97, 101), (64, 64, 64), (2, 100000), (100000, 2)]


def rows():
    for n in POWERS + SMOOTH + PRIMES + MULTIPLES:
        for name, dtype in CALLS:
            yield f"{name} {dtype} {n}", name, dtype, (n // 2 + 1,) if name == "irfft" else (n,), f", {n}" if name == "irfft" else ""
    for shape in SHAPES:
        for name, dtype in CALLS[:4]:
            yield f"{name} {dtype} {shape}", name, dtype, shape, ""
            yield f"{name} {dtype} {shape[::-1]} axis 0", name, dtype, shape[::-1], ", axis=0"
    for shape in PLANES:
        for name, dtype in (("fftn", "complex128"), ("fftn", "complex64"), ("rfftn", "float64"), ("ifftn", "complex128")):
            yield f"{name} {dtype} {shape}", name, dtype, shape, ""


BODY = """
def measure(fft, x, more):
    def calls(k):
        t = time.process_time()
        for _ in range(k):
            {call}
        return time.process_time() - t
    calls(2)
    k = max(1, int({seconds} / {repeats} / max(calls(1), 1e-7)))
    return sorted(calls(k) / k for _ in range({repeats}))[{repeats} // 2]
"""


def data(shape, dtype):
    return f"np.linspace(-1, 1, {int(np.prod(shape))}).reshape({shape}).astype('{dtype}')"


def body(name, more):
    return BODY.format(call=f"fft.{name}(x{more})", seconds=SECONDS, repeats=REPEATS)


def gpa_times(chosen):
    script = ["import time", "import numpy as np"]
    for _, name, dtype, shape, more in chosen:
        script += [body(name, more), f"print(measure(np.fft, {data(shape, dtype)}, 0), flush=True)"]
    p = subprocess.run([GPA, "-"], input="\n".join(script) + "\n", capture_output=True, text=True,
                       env={**os.environ, "GPA_NUM_THREADS": "1"})
    if p.returncode:
        sys.exit(p.stderr)
    return [float(line) for line in p.stdout.split()]


def other_time(fft, name, dtype, shape, more):
    names = {"time": time}
    exec(body(name, more), names)
    return names["measure"](fft, eval(data(shape, dtype)), 0)


def main():
    chosen = [r for r in rows() if not sys.argv[1:] or any(w in r[0] for w in sys.argv[1:])]
    slower = []
    print(f"{'':<36}{'gpa':>12}{'NumPy':>12}{'SciPy':>12}{'ratio':>8}")
    for row, mine in zip(chosen, gpa_times(chosen)):
        others = [other_time(fft, *row[1:]) for fft in (np.fft, scipy.fft)]
        ratio = mine / min(others)
        if ratio > LEVEL:
            slower.append(ratio)
        print(f"{row[0]:<36}" + "".join(f"{t * 1e6:>12.2f}" for t in [mine, *others]) + f"{ratio:>8.2f}{' *' if ratio > LEVEL else ''}",
              flush=True)
    print(f"{len(slower)} of {len(chosen)} slower" + (f", at most {max(slower):.2f} times" if slower else ""))


if __name__ == "__main__":
    main()
