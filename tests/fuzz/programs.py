"""Random programs that CPython with NumPy and gpa must run alike: python tests/fuzz/programs.py SEED [COUNT]

Program NUMBER of a seed is a function of both: `--show SEED NUMBER` prints it, `--shrink SEED NUMBER` what is left of it after
shrinking, `--shrink FILE` that of a program in a file. What fails is shrunk and printed with the difference."""

import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy as np

import judge
from cells import Gpa, show
from diff import difference
from grammar import Program
from shrink import shrink

SHRINKING_SECONDS = 20
MOST_SHRUNK = 5  # failures of a run; the others are named only
np.seterr(over="ignore", divide="ignore", under="ignore")


def program(seed, number):
    return Program(f"{seed}.{number}").text()


def smallest(gpa, text, seconds=SHRINKING_SECONDS):
    kind = judge.failure(gpa, text)
    return shrink(text, lambda other: judge.failure(gpa, other) == kind, seconds)


def report(gpa, text):
    text = smallest(gpa, text)
    show("program:", text.rstrip("\n"))
    want, got = judge.answer(text), judge.run(gpa, text)
    show("difference:", difference(*judge.unlike(want, got)))


def main():
    gpa = Gpa()
    if sys.argv[1] == "--show":
        print(program(*sys.argv[2:4]), end="")
        return
    if sys.argv[1] == "--shrink":
        if len(sys.argv) > 3:
            text = program(*sys.argv[2:4])
        else:
            with open(sys.argv[2], encoding="utf-8") as file:
                text = file.read()
        if judge.failure(gpa, text):
            report(gpa, text)
        return
    seed, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 150
    failed = 0
    for number in range(count):
        text = program(seed, number)
        if judge.answer(text) is None:
            print(f"skip - program {seed} {number} is unstable")
        elif not judge.failure(gpa, text):
            print(f"ok - program {seed} {number}")
        else:
            failed += 1
            print(f"not ok - program {seed} {number}")
            if failed <= MOST_SHRUNK:
                report(gpa, text)
        sys.stdout.flush()
    sys.exit(failed > 0 or not gpa.ended_well())


if __name__ == "__main__":
    main()
