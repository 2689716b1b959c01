"""Memory of the GPU: python tests/gpu/memory.py  A limit is kept, running out of memory is a MemoryError that loses nothing,
and freed memory serves again."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import show  # noqa: E402

FILL = """
import numpy as np
kept = []
try:
    for k in range(1000):
        kept.append(np.ones({mib} << 17) * k)
        kept[-1][0]
except MemoryError as error:
    kept.pop()  # appended before it was computed
    print('MemoryError', len(kept))
print(all(float(x[-1]) == k for k, x in enumerate(kept)))
n = len(kept)
kept = kept[:1]
b = np.ones({mib} << 17) + 1
print(float(b.sum()) == 2 * ({mib} << 17), n)
"""


def run(code, limit=None):
    environment = dict(os.environ)
    if limit:
        environment["GPA_MEMORY_LIMIT"] = limit
    return subprocess.run([os.environ["GPA"], "-c", code], env=environment, capture_output=True, text=True, timeout=300)


def test_limit(limit, mib, least, most):
    done = run(FILL.format(mib=mib), limit)
    lines = done.stdout.split("\n")
    good = done.returncode == 0 and lines[1:2] == ["True"] and lines[0].startswith("MemoryError ") and lines[2].startswith("True")
    return good and least <= int(lines[0].split()[1]) <= most, done


def test_bad_limit():
    done = run("print(ones(3) + 1)", "4 bananas")
    return done.returncode == 2 and "GPA_MEMORY_LIMIT: '4 bananas' is not an amount of memory" in done.stderr, done


def test_impossible():
    done = run("import numpy as np\ntry:\n    print(np.ones(10 ** 13).sum() + np.ones(10 ** 13)[5])\nexcept MemoryError as e:\n    print('no')\n"
               "try:\n    x = np.ones(10 ** 12); print(x[0])\nexcept MemoryError as e:\n    print('no')\nprint(np.arange(10).sum())\n")
    return done.returncode == 0 and done.stdout.endswith("no\n45\n"), done


def test_reuse():
    """Temporaries of a long loop are given back at once: a hundred times the memory passes through a limit."""
    done = run("import numpy as np\na = np.ones(1 << 20)\nfor k in range(2000):\n    b = np.sort(a * k)\nprint(float(b.sum()))\n", "128M")
    return done.stdout == f"{float((1 << 20) * 1999)}\n", done


TESTS = {
    "a limit of 64 MiB": lambda: test_limit("64M", 8, 5, 8),
    "a limit in gigabytes": lambda: test_limit("1G", 100, 7, 10),
    "a limit of one percent": lambda: test_limit("1%", 64, 5, 30),
    "a limit that is none": test_bad_limit,
    "arrays that no GPU holds": test_impossible,
    "memory serves again": test_reuse,
}


def main():
    failed = 0
    for name, test in TESTS.items():
        good, done = test()
        failed += not good
        print(f"{'ok' if good else 'not ok'} - {name}")
        if not good:
            show(f"status {done.returncode}, it printed:", done.stdout + done.stderr)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
