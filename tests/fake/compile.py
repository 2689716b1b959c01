"""Sections of language tests as a CUDA device compiles them: python tests/fake/compile.py [FILE.gpa ...]

Above a driver without a GPU the numbers are wrong, libraries fail, and so does what follows; that is not looked at. But every
program that is made must be one that the real NVRTC compiles. One test per section."""
import glob
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import Gpa, sections, show  # noqa: E402
from lang import steps  # noqa: E402


def broken(error):
    return error.startswith("SystemError") or "does not compile" in error


def main(files):
    failed, engine = False, Gpa()
    for path in files:
        prologue, found = sections(path)
        for name, first, lines in found:
            engine.fresh()
            engine.run("\n".join(prologue) + "\n")
            bad = None
            for _, source, _ in steps(first, lines):
                result = engine.run("\n".join(source) + "\n")
                bad = bad or (result if broken(result.error) else None)
            print(f"{'not ok' if bad else 'ok'} - {os.path.basename(path)}: {name}", flush=True)
            if bad:
                failed = True
                show("error:", bad.error + "\n" + bad.report)
    engine.close()
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or sorted(f for kind in ("lang/cuda", "lang/typed", "checked/") for f in glob.glob(f"tests/{kind}*.gpa"))))
