"""The cache of compiled programs: python tests/gpu/cache.py  Whatever happens to its files, results are right and the cache
repairs itself without a message; a folder that cannot be used is named in one line."""
import os
import stat
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import show  # noqa: E402

CODE = "import numpy as np\na = np.arange(1000.0)\nprint(float(np.sqrt(a * 2 + 1).sum()), int((np.arange(77) % 5).max()))\n"
WANT = f"{sum((2 * k + 1) ** 0.5 for k in range(1000)):.6f}"


def start(folder):
    environment = dict(os.environ, GPA_CACHE_DIR=folder)
    return subprocess.Popen([os.environ["GPA"], "-c", CODE], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def right(process, message=""):
    """The complaint about a run, which is to write this line to stderr, or an empty text."""
    out, err = process.communicate(timeout=120)
    words = out.split()
    good = process.returncode == 0 and len(words) == 2 and abs(float(words[0]) - float(WANT)) < 1e-4 and words[1] == "4"
    good = good and err.strip() == message
    return "" if good else f"status {process.returncode}: {out}{err}"


def entries(folder):
    return sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if not name.startswith("."))


def change(path, how):
    with open(path, "rb") as f:
        data = bytearray(f.read())
    os.unlink(path)
    if how == "empty":
        data = b""
    elif how == "cut short":
        data = data[:len(data) // 2]
    elif how == "of another kind":
        data = b"#!/bin/sh\n" * 500
    elif how == "longer than it says":
        data += b"x" * 100
    else:
        at = {"changed at its beginning": 3, "changed in the middle": len(data) // 2, "changed at its end": len(data) - 2}[how]
        data[at] ^= 0x20
    with open(path, "wb") as f:
        f.write(data)


DAMAGE = ("empty", "cut short", "of another kind", "longer than it says", "changed at its beginning", "changed in the middle",
          "changed at its end")


def test_damage(folder):
    for how in DAMAGE:
        trouble = right(start(folder))
        good = {path: open(path, "rb").read() for path in entries(folder)}
        for path in good:
            change(path, how)
        trouble = trouble or right(start(folder))
        mended = sum(open(path, "rb").read() == data for path, data in good.items() if os.path.exists(path))
        if not trouble and (not good or mended < len(good)):
            trouble = f"{mended} of {len(good)} entries were mended"
        yield f"entries that are {how}", trouble


def test_several(folder):
    several = [start(folder) for _ in range(6)]
    yield "several processes at once", "\n".join(filter(None, map(right, several)))


def test_read_only(folder):
    trouble = right(start(folder))
    for path in entries(folder) + [folder]:
        os.chmod(path, stat.S_IRUSR | stat.S_IXUSR)
    before = entries(folder)
    trouble = trouble or right(start(folder))
    yield "a folder that is read only", trouble or ("" if entries(folder) == before else "it was changed")
    os.chmod(folder, stat.S_IRWXU)


def test_nowhere(folder):
    path = os.path.join(folder, "file")
    with open(path, "w", encoding="utf-8") as f:
        f.write("in the way")
    message = "gpa: the compiled programs in {} are not kept: {}"
    yield "a folder that is a file", right(start(path), message.format(path, "Not a directory"))
    nowhere = "/proc/nowhere/cache"
    yield "a folder that cannot be made", right(start(nowhere), message.format(nowhere, "No such file or directory"))


def main():
    failed = 0
    for test in (test_damage, test_several, test_read_only, test_nowhere):
        with tempfile.TemporaryDirectory() as folder:
            for name, trouble in test(folder):
                failed += bool(trouble)
                print(f"{'not ok' if trouble else 'ok'} - {name}")
                if trouble:
                    show("it was:", trouble)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
