"""The list of cases that do not pass yet, by reason:

    REASON
        FILE TEST CASES

CASES are numbers and ranges, as 0-3,7. Reasons are edited by hand; a renewed list keeps those of the cases that it had."""

import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "baseline.txt")
HEAD = (
    "# Cases of NumPy's tests in scope that gpa does not pass, by reason: FILE TEST CASES. tests/numpy_suite/suite.py --write\n"
    "# renews the list after a run; reasons are kept, and those of new cases are to be edited.\n"
)


def ranges(numbers):
    """0-3,7 for a set of numbers."""
    out = []
    for n in sorted(numbers):
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def numbers(text):
    found = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def read():
    """The version of NumPy, and {(file, test): {case: reason}}."""
    version, reason, listed = "", "", {}
    if not os.path.exists(PATH):
        return version, listed
    with open(PATH, encoding="utf-8") as f:
        for line in f:
            if line.startswith("NumPy "):
                version = line.split()[1].rstrip(":")
            elif line.startswith("    "):
                path, name, cases = line.split()
                listed.setdefault((path, name), {}).update(dict.fromkeys(numbers(cases), reason))
            elif not line.startswith("#"):
                reason = line.strip()
    return version, listed


def write(version, summary, listed):
    """listed: {(file, test): {case: reason}}"""
    by_reason = {}
    for key, cases in listed.items():
        for case, reason in cases.items():
            by_reason.setdefault(reason, {}).setdefault(key, []).append(case)
    with open(PATH, "w", encoding="utf-8") as f:
        f.write(HEAD + f"NumPy {version}: {summary}\n")
        for reason in sorted(by_reason, key=str.lower):
            f.write(f"\n{reason}\n")
            for (path, name), cases in sorted(by_reason[reason].items()):
                f.write(f"    {path} {name} {ranges(cases)}\n")
