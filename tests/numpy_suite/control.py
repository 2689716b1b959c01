"""What CPython answers: which cases a test has, which of them pass, and which ask for what is out of scope. Kept in a folder below
build/, one file for each of NumPy's, until NumPy or what makes the programs changes."""

import contextlib
import fcntl
import fractions  # noqa: F401 -- imported once here rather than in every child
import functools
import gc
import hashlib
import importlib
import json
import os
import signal
import sys
import warnings

import numpy as np
import numpy.linalg
import numpy.polynomial
import numpy.random
import numpy.testing

import cut
import scope

HERE = os.path.dirname(os.path.abspath(__file__))
STAND_IN = os.path.join(HERE, "stand_in")
BUILD = os.path.join(HERE, "../../build/numpy_suite")
LONGEST_SECONDS = 20, 120  # of processor time, and in all, for the cases of a test


@functools.cache
def signature():
    """Changes when NumPy, CPython or the making of programs does."""
    made = hashlib.sha256(repr((np.__version__, sys.version)).encode())
    for folder in (HERE, STAND_IN):
        for name in sorted(os.listdir(folder)):
            if name in ("control.py", "cut.py", "rewrite.py", "scope.py") or folder == STAND_IN and name.endswith(".py"):
                with open(os.path.join(folder, name), "rb") as f:
                    made.update(f.read())
    return made.hexdigest()[:16]


@contextlib.contextmanager
def locked(path):
    """Only one process at a time is inside, for a path."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path + ".lock", "w", encoding="utf-8") as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def answer(cases, number):
    """PASS, or the error of a case."""
    try:
        cases.run(number)
        return "PASS"
    except Exception as e:
        return f"{type(e).__name__}: {e}"


def run(text):
    """[[label, answer, what is out of scope]] for the cases of a program."""
    names = {"__name__": "program", "__file__": os.path.join(STAND_IN, "program.py")}
    exec(compile(text, "program", "exec"), names)
    cases = names["cases"]
    scopes = [sorted(set().union(*(scope.of_value(v) for v in case.values.values()))) for case in cases.all]
    return [[case.label, answer(cases, i), scopes[i]] for i, case in enumerate(cases.all)]


def isolated(text):
    """The same in a process of its own; an empty list if the program cannot be run."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_PROF, LONGEST_SECONDS[0])
        signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS[1])
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(nothing, descriptor)
        warnings.simplefilter("ignore")
        with os.fdopen(writer, "w") as out:
            with contextlib.suppress(BaseException):
                json.dump(run(text), out)
            out.flush()
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as f:
        text = f.read()
    os.waitpid(child, 0)
    try:
        return json.loads(text)
    except ValueError:
        return []


def make(source, chosen):
    """number: {name, text, out_of_scope, cases} for {number: (class or None, function)}. Tests out of scope are not run."""
    sys.path.insert(0, STAND_IN)
    for name in ("cases", "placeholders", "pytest"):
        importlib.import_module(name)  # once here rather than in every child
    gc.freeze()  # a child's collections do not copy the parent's pages
    made = {}
    for number, (owner, test) in chosen.items():
        program = source.program(owner, test)
        cases = [] if program.out_of_scope else isolated(program.text)
        made[number] = {"name": program.name, "text": program.text, "out_of_scope": program.out_of_scope, "cases": cases}
    sys.path.remove(STAND_IN)
    return made


def stored(kept):
    """How many tests a file has, and {number: test} of those that were made."""
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as f:
            found = json.load(f)
        if found["signature"] == signature():
            return found["count"], {int(number): test for number, test in found["tests"].items()}
    return None, {}


def tests(path, first=0, step=1):
    """Every step-th test of a file of NumPy's from number first on, each made once. Several processes can make different ones
    at the same time."""
    kept = os.path.join(BUILD, np.__version__, path.replace("/tests/test_", "-").removesuffix(".py") + ".json")
    with locked(kept):
        count, known = stored(kept)
    if count is None or not known.keys() >= set(range(first, count, step)):
        source = cut.Source(path)
        found = list(source.tests())
        count = len(found)
        made = make(source, {i: found[i] for i in range(first, count, step) if i not in known})
        with locked(kept):
            known = {**stored(kept)[1], **made}
            with open(kept, "w", encoding="utf-8") as f:
                json.dump({"signature": signature(), "count": count, "tests": known}, f)
    return [known[i] for i in range(first, count, step)]


def numbered(test):
    """The numbers of the cases of a test that count: those in scope that CPython passes."""
    return [i for i, (_, result, outside) in enumerate(test["cases"]) if result == "PASS" and not outside]
