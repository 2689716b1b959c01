"""NumPy's own tests, as those of gpa: python tests/numpy_suite/suite.py [--part=K/N] [--fails] [WORD ...]

Cuts the tests of the installed NumPy into programs (cut.py), asks CPython which of their cases pass (control.py), runs these in
gpa (engine.py) and compares with the list of those that need not pass (baseline.txt). No text of NumPy's is kept here. Words
that are part of a file's path choose files, other words tests. --fails shows the errors of the cases that do not pass.

    suite.py --report          what the last runs found: counts by file, and the causes by the number of tests
    suite.py --write           renews baseline.txt from it
    suite.py --show WORD ...   the programs themselves"""

import collections
import json
import os
import sys

import numpy as np

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import baseline
import causes
import control
import cut
import engine
import scope

RESULTS = os.path.join(control.BUILD, np.__version__, "results")


class Count:
    """Cases and tests in scope, and how many pass."""

    def __init__(self):
        self.cases = self.passed = self.tests = self.whole = 0

    def add(self, cases, failing):
        self.cases += cases
        self.passed += cases - failing
        self.tests += cases > 0
        self.whole += cases > 0 and not failing

    def __str__(self):
        shares = [100 * a / max(1, b) for a, b in ((self.passed, self.cases), (self.whole, self.tests))]
        return f"{self.passed} of {self.cases} cases ({shares[0]:.1f} %), {self.whole} of {self.tests} tests ({shares[1]:.1f} %)"


def chosen(words, part):
    """(file, its tests) of what is to be run."""
    first, step = (int(n) for n in part.split("/"))
    paths = list(cut.files())
    of_files = [w for w in words if any(w in path for path in paths)]
    of_tests = [w for w in words if w not in of_files]
    for path in paths:
        if of_files and not any(w in path for w in of_files):
            continue
        tests = [t for t in control.tests(path, first, step) if control.numbered(t)]
        tests = [t for t in tests if not of_tests or any(w in t["name"] for w in of_tests)]
        if tests:
            yield path, tests


def remember(path, results):
    """Adds results to those of the file: test: {case: error}."""
    kept = os.path.join(RESULTS, path.replace("/", "-") + ".json")
    with control.locked(kept):
        known = {}
        if os.path.exists(kept):
            with open(kept, encoding="utf-8") as f:
                known = json.load(f)
        with open(kept, "w", encoding="utf-8") as f:
            json.dump({**known, **results}, f)


def remembered(path):
    """The counted cases and the errors of each test of a file that has run: (name, numbers, {case: error})."""
    kept = os.path.join(RESULTS, path.replace("/", "-") + ".json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as f:
            known = json.load(f)
        for test in control.tests(path):
            numbers = control.numbered(test)
            if numbers and test["name"] in known:
                errors = {int(i): error for i, error in known[test["name"]].items()}
                inside = [i for i in numbers if not scope.of_error(errors.get(i, ""))]
                yield test["name"], inside, {i: e for i, e in errors.items() if i in inside}


def complain(title, errors):
    """A failed test, with the errors of its cases, each once."""
    print(f"not ok - {title}")
    by_error = collections.defaultdict(list)
    for case, (error, report) in errors.items():
        by_error[causes.cause(error)].append((case, error, report))
    for found in by_error.values():
        _, error, report = found[0]
        print(f"# case {baseline.ranges(i for i, _, _ in found)}: {(report or error)[:2000].rstrip()}".replace("\n", "\n#   "))


def check(path, test, errors, listed, strict, count):
    """Whether a test does no worse than the list says. Returns how many of the listed cases pass."""
    numbers = control.numbered(test)
    inside = {i: e for i, e in errors.items() if not scope.of_error(e[0])}
    count.add(len(numbers) - len(errors) + len(inside), len(inside))
    known = listed.get((path, test["name"]), {})
    new = {i: e for i, e in inside.items() if engine.fatal(e[0]) or strict and i not in known}
    if new:
        complain(f"{path} {test['name']}", new)
    return not new, len(set(known) - set(inside))


def run(words, part, show):
    version, listed = baseline.read()
    strict = version == np.__version__
    if not strict:
        print(f"skip - the list of NumPy's tests that need not pass is of NumPy {version}, not {np.__version__}")
    gpa, good, total, outdated = engine.Engine(), True, Count(), 0
    for path, tests in chosen(words, part):
        results, count, fine = {}, Count(), True
        for test in tests:
            errors = gpa.errors(test, control.numbered(test))
            results[test["name"]] = {i: e[0] for i, e in errors.items()}
            well, fewer = check(path, test, errors, listed, strict, count)
            fine, outdated = fine and well, outdated + fewer
            total.add(len(control.numbered(test)), len(errors))
            inside = {i: e for i, e in errors.items() if not scope.of_error(e[0])}
            if show and well and inside:
                complain(f"{path} {test['name']}", inside)
        remember(path, results)
        good &= fine
        if fine:
            print(f"ok - {path}: {count}", flush=True)
    trouble = gpa.close()
    if "alive at exit" in trouble:  # which of the tests leaves it is not known
        print("skip - memory is alive at the exit of the process that ran NumPy's tests")
    elif trouble:
        good = False
        print("not ok - the process ended badly\n# " + trouble.replace("\n", "\n# "))
    if outdated and strict:
        print("skip - listed in tests/numpy_suite/baseline.txt, but passing: suite.py --write makes it shorter")
    print(f"# {total}")
    return good


def report():
    total, by_cause, where = Count(), collections.Counter(), collections.defaultdict(set)
    for path in cut.files():
        count = Count()
        for name, numbers, errors in remembered(path):
            for c in (count, total):
                c.add(len(numbers), len(errors))
            for error in errors.values():
                by_cause[causes.cause(error)] += 1
                where[causes.cause(error)].add(f"{path} {name}")
        if count.cases:
            print(f"{path}: {count}")
    print(f"all: {total}\n\ncases tests  cause, and one of the tests")
    for cause in sorted(where, key=lambda c: -len(where[c])):
        print(f"{by_cause[cause]:5} {len(where[cause]):5}  {cause}   {min(where[cause])}")


def write():
    _, listed = baseline.read()
    total, now = Count(), {}
    for path in cut.files():
        for name, numbers, errors in remembered(path):
            total.add(len(numbers), len(errors))
            known = listed.get((path, name), {})
            if errors:
                now[path, name] = {i: known.get(i) or causes.cause(e) for i, e in errors.items()}
    baseline.write(np.__version__, total, now)
    print(total)


def main():
    options = {a.partition("=")[0] for a in sys.argv[1:] if a.startswith("-")}
    unknown = options - {"--part", "--fails", "--report", "--write", "--show"}
    if unknown:
        sys.exit(f"unknown option {min(unknown)}\n\n{__doc__}")
    part = next((a[7:] for a in sys.argv if a.startswith("--part=")), "0/1")
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--report" in sys.argv:
        report()
    elif "--write" in sys.argv:
        write()
    elif "--show" in sys.argv:
        for _, tests in chosen(words, part):
            print("\n".join(t["text"] for t in tests))
    else:
        sys.exit(not run(words, part, "--fails" in sys.argv))


if __name__ == "__main__":
    main()
