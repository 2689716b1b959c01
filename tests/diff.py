"""Differential tests: python tests/diff.py [--python] [--part=PART/PARTS] FILE.py ...

Each section of a file (`# --- NAME`) is a program that CPython with NumPy and gpa both run, in a fresh session each; what
they print and display, and the type and words of the error that ends it, must be equal; only the last line may end with one. The
lines before the first section are run before each. Programs write into the folder $FOLDER. --python only shows CPython's answers.

A section's name may end with a condition: `(python 3.12)`, `(scipy 1.18)` or `(numpy 2.5)`, an oracle of that version or later;
`(numpy before 2.5)`; `(scipy 1.17 and before 1.18)`; `(not on DEVICE: REASON)`; `(later)`, it may still fail."""

import ast
import difflib
import os
import re
import sys
import tempfile
import warnings

import numpy

import cells
from cells import Gpa, Python, elsewhere, sections, show, which

PROLOGUE = "import numpy as np\nimport math\n"
SHARED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "diff", "shared")  # modules that sections import
MOST_LINES = 40  # of a difference that are shown


# Words that NumPy changed: newer, and those of NumPy 2.0 to 2.4, which gpa has.
CHANGED = (
    (
        "only 0-dimensional arrays can be converted to Python scalars",
        "only length-1 arrays can be converted to Python scalars",
    ),
    ("'unsafe', 'same_value' (got", "'unsafe' (got"),
    ("'same_kind', 'unsafe' (got", "'same_kind', or 'unsafe' (got"),
    ("`kind` and keyword parameters can't be provided", "`kind` and `stable` parameters can't be provided"),
    ("positional arguments but 1 was given", "positional arguments but 1 were given"),
    (
        "setting an array element with a sequence. The requested array would exceed the maximum number of dimension of 1.",
        "object too deep for desired array",
    ),
    ("data type dtype('int32') not compatible with finfo", "data type <class 'numpy.int32'> not inexact"),
)


def strip(text):
    """Trailing blanks of a line do not count, nor does which NumPy the oracle is."""
    for newer, older in CHANGED:
        text = text.replace(newer, older)
    return re.sub(r"[ \t]+$", "", text, flags=re.M).rstrip("\n")


WITHIN = re.compile(r"([-+.\w]+)±([-+.\w]+)")  # a number and its tolerance: 0.333±1e-6


def agree(want, got):
    """Whether two outputs are equal, except for numbers that differ by no more than the tolerance both print after them."""
    if want == got:
        return True
    pairs = zip(WITHIN.findall(want), WITHIN.findall(got))
    return WITHIN.sub(r"±\2", want) == WITHIN.sub(r"±\2", got) and all(
        a == b or abs(float(a) - float(b)) <= float(tolerance) for (a, tolerance), (b, _) in pairs
    )


def run(engine, prologue, source):
    engine.fresh()
    first = engine.run(prologue)
    if first.error:
        return first.error
    result = engine.run(source)
    return strip(result.out) + ("\n" if result.error and result.out else "") + strip(result.error)


def difference(want, got):
    want, got = want.split("\n"), got.split("\n")
    if len(want) == len(got):  # lines that differ within their tolerance are no difference
        want = [g if agree(w, g) else w for w, g in zip(want, got)]
    change = list(difflib.unified_diff(want, got, "Python", "gpa", lineterm="", n=0))
    if len(change) > MOST_LINES:
        change[MOST_LINES // 2 : -MOST_LINES // 2] = ["..."]
    return "\n".join(change)


def may_end(source):
    """The lines that may end a program with an error: those of its last statement; of a block its head, and so on within."""
    lines, statement = set(), ast.parse(source).body[-1]
    while isinstance(statement, (ast.For, ast.While, ast.With, ast.If)):
        lines |= set(range(statement.lineno, statement.body[0].lineno))
        statement = (getattr(statement, "orelse", None) or statement.body)[-1]
    return lines | set(range(statement.lineno, statement.end_lineno + 1))


def version(text):
    return tuple(map(int, text.split(".")[:2]))


def scipy_version():
    try:
        import scipy
    except ImportError:
        return (0, 0)
    return version(scipy.__version__)


def check(name, prologue, lines, oracle, gpa):
    needs = re.search(r"\(python (\d+)\.(\d+)\)", name)
    if needs and sys.version_info < tuple(map(int, needs.groups())):
        print(f"skip - the oracle is Python {sys.version_info[0]}.{sys.version_info[1]}, not 3.12")
        return True
    of_numpy = re.search(r"\(numpy ?(\d+\.\d+)?(?: and)? ?(?:before (\d+\.\d+))?\)", name)
    first, end = (version(text) if text else None for text in (of_numpy.groups() if of_numpy else (None, None)))
    if first and version(numpy.__version__) < first or end and version(numpy.__version__) >= end:
        print(f"skip - the oracle is NumPy {numpy.__version__}, whose answer is another")
        return True
    with_scipy = re.search(r"\(scipy (\d+)\.(\d+)(?: and before (\d+)\.(\d+))?\)", name)
    wanted = [int(v) for v in with_scipy.groups() if v] if with_scipy else []
    if wanted and (list(scipy_version()) < wanted[:2] or len(wanted) == 4 and list(scipy_version()) >= wanted[2:]):
        print("skip - the oracle has no SciPy, or one whose answer is another")
        return True
    if elsewhere(name):
        print("skip - " + elsewhere(name))
        return True
    source = "\n".join(lines) + "\n"
    want, got = run(oracle, prologue, source), run(gpa, prologue, source)
    if oracle.ended_at and oracle.ended_at not in may_end(source):
        print(f"not ok - {name}")
        show(f"what follows line {oracle.ended_at} of the section is not tested, since that ends with an error:", want)
        return False
    if agree(want, got):
        print(f"ok - {name}")
        return True
    if name.endswith("(later)"):
        print("skip - a part of NumPy that is still to come")
        return True
    print(f"not ok - {name}")
    if len(lines) < MOST_LINES:
        show("program:", source.strip("\n"))
    show("difference:", difference(want, got))
    return False


def random_programs(what, write, prologues, otherwise):
    """The command line of a generator: SEED [COUNT], or --show SEED NUMBER. `write` gives the program of a seed; the prologues are
    CPython's and gpa's."""
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    if sys.argv[1] == "--show":
        print(write(f"{sys.argv[2]}.{sys.argv[3]}"), end="")
        return
    seed, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else otherwise
    oracle, gpa, good = Python(), Gpa(), True
    for number in range(count):
        text = write(f"{seed}.{number}")
        want, got = run(oracle, prologues[0], text), run(gpa, prologues[1], text)
        if want == got:
            print(f"ok - {what} {seed} {number}")
        else:
            good = False
            print(f"not ok - {what} {seed} {number}")
            show("program:", text.rstrip("\n"))
            show("difference:", difference(want, got))
    sys.exit(not (gpa.ended_well() and good))


def main():
    warnings.simplefilter("ignore")
    numpy.seterr(all="ignore")
    folder = tempfile.TemporaryDirectory(prefix="gpa-diff-")
    os.environ["FOLDER"] = folder.name
    paths = [path if path.startswith("--") else os.path.abspath(path) for path in sys.argv[1:]]
    cells.PROGRAM = os.path.abspath(cells.PROGRAM)
    os.chdir(SHARED)  # where gpa finds modules
    sys.path.insert(0, SHARED)
    good, oracle, gpa, part = True, Python(), Gpa(), slice(None)
    for path in paths:
        if path.startswith("--"):
            part = which(path[7:]) if path.startswith("--part=") else part
            continue
        shared, parts = sections(path)
        prologue = PROLOGUE + "\n".join(shared) + "\n"
        for name, _, lines in parts[part]:
            if "--python" in sys.argv:
                print(f"--- {name}\n" + run(oracle, prologue, "\n".join(lines) + "\n"))
            else:
                good &= check(name, prologue, lines, oracle, gpa)
    sys.exit(not (gpa.ended_well() and good))


if __name__ == "__main__":
    main()
