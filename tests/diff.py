"""Differential tests: python tests/diff.py [--python] FILE.py ...

Each section of a file (`# --- NAME`) is a program that CPython with NumPy and gpa both run, in a fresh session each; what
they print and display, and the type and words of the error that ends it, must be equal. `# --- NAME (python 3.12)` needs
an oracle of that version. --python only shows what CPython says."""
import re
import sys
import warnings

import numpy

from cells import Gpa, Python, sections, show

PROLOGUE = "import numpy as np\nimport math\n"


def strip(text):
    """Trailing blanks of a line do not count."""
    return re.sub(r"[ \t]+$", "", text, flags=re.M)


def run(engine, source):
    engine.fresh()
    first = engine.run(PROLOGUE)
    return first if first.error else engine.run(source)


def check(name, lines, oracle, gpa):
    needs = re.search(r"\(python (\d+)\.(\d+)\)", name)
    if needs and sys.version_info < tuple(map(int, needs.groups())):
        print(f"skip - the oracle is Python {sys.version_info[0]}.{sys.version_info[1]}, not 3.12")
        return True
    source = "\n".join(lines) + "\n"
    want, got = run(oracle, source), run(gpa, source)
    if strip(want.out) == strip(got.out) and want.error == got.error:
        print(f"ok - {name}")
        return True
    print(f"not ok - {name}")
    show("program:", source.strip("\n"))
    show("Python:", want.out + want.error)
    show("gpa:", got.out + got.error)
    return False


def main():
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    args = sys.argv[1:]
    good, oracle, gpa = True, Python(), Gpa()
    for path in args:
        if path.startswith("--"):
            continue
        for name, _, lines in sections(path):
            if "--python" in args:
                result = run(oracle, "\n".join(lines) + "\n")
                print(f"--- {name}\n{result.out}{result.error}")
            else:
                good &= check(name, lines, oracle, gpa)
    trouble = gpa.close()
    if trouble:
        good = False
        print("not ok - the process ended badly")
        show("it said:", trouble)
    sys.exit(not good)


main()
