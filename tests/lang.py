"""Language tests: python tests/lang.py [--python] [--part=PART/PARTS] FILE.gpa ...  The format is in tests/README.md.

With --python the programs run in CPython instead, to check the expectations where both languages agree."""

import re
import sys

from cells import Gpa, Python, elsewhere, sections, show, which

MARKS = ("#>", "#~", "#!", "#|", "#-")
MORE = "#+ "  # continues the line before, after a blank


def steps(first, lines):
    """Splits a section into (line number, source, expectation lines): a block of expectations ends a step."""
    source, expected, start = [], [], first
    for number, line in enumerate(lines, first):
        if line.startswith(MARKS):
            expected.append(line)
            continue
        if expected and line.startswith(MORE):
            expected[-1] += " " + line[len(MORE) :]
            continue
        if expected:
            yield start, source, expected
            source, expected, start = [], [], number
        source.append(line)
    yield start, source, expected


def text_of(line):
    return line[3:] if line[2:3] == " " else line[2:]


def compare(result, expected, is_python):
    """The complaints about one step: (title, text) pairs."""
    complaints = []
    want = [l for l in expected if l.startswith(("#>", "#~"))]
    got = result.out.split("\n")[:-1] if result.out.endswith("\n") else result.out.split("\n") if result.out else []
    same = len(want) == len(got) and all(
        re.fullmatch(text_of(w), g) if w.startswith("#~") else text_of(w).rstrip() == g.rstrip()
        for w, g in zip(want, got)
    )
    if not same:
        complaints += [("expected output:", "\n".join(map(text_of, want))), ("got:", "\n".join(got))]
    error = "\n".join(text_of(l) for l in expected if l.startswith("#!"))
    if error != result.error:
        complaints += [("expected error:", error or "none"), ("got:", result.error + "\n" + result.report)]
    if any(l.startswith("#|") for l in expected) and not is_python:
        report = [l.rstrip() for l in error.split("\n")] + [text_of(l).rstrip() for l in expected if l.startswith("#|")]
        if report != [l.rstrip() for l in result.report.rstrip("\n").split("\n")]:
            complaints += [("expected report:", "\n".join(report)), ("got:", result.report.rstrip("\n"))]
    return complaints


def run_section(engine, name, first, lines, prologue):
    engine.fresh()
    if prologue.strip():
        engine.run(prologue)
    for start, source, expected in steps(first, lines):
        code = "\n".join(source) + "\n"
        if not code.strip():
            continue
        complaints = compare(engine.run(code), expected, isinstance(engine, Python))
        if complaints:
            print(f"not ok - {name} (the step at line {start})")
            for title, text in complaints:
                show(title, text)
            return False
    print(f"ok - {name}")
    return True


def main():
    args = sys.argv[1:]
    engine = Python() if "--python" in args else Gpa()
    part = which(next((arg[7:] for arg in args if arg.startswith("--part=")), "0/1"))
    good = True
    for path in args:
        if not path.startswith("--"):
            prologue, parts = sections(path)
            for name, first, lines in parts[part]:
                if elsewhere(name):
                    print("skip - " + elsewhere(name))
                    continue
                good &= run_section(engine, name, first, lines, "\n".join(prologue) + "\n")
    if isinstance(engine, Gpa):
        good &= engine.ended_well()
    sys.exit(not good)


if __name__ == "__main__":
    main()
