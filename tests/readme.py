"""The code blocks of a README run: python tests/readme.py README.md

A block fenced as python is a program that must end without an error, in a session of its own; a block with `>>> ` prompts
must also print what stands below each statement. A block fenced otherwise is not a program."""

import doctest
import re
import sys

from cells import Gpa, show


def blocks(path):
    text = open(path, encoding="utf-8").read()
    for m in re.finditer(r"^```python\n(.*?)^```$", text, flags=re.M | re.S):
        yield text.count("\n", 0, m.start()) + 2, m.group(1)


def steps(text):
    if ">>> " not in text:
        return [(text, None)]
    return [(e.source, e.want) for e in doctest.DocTestParser().get_examples(text)]


def run(engine, line, text):
    engine.fresh()
    for source, want in steps(text):
        result = engine.run(source)
        if result.error or (want is not None and result.out.rstrip() != want.rstrip()):
            print(f"not ok - the block at line {line}")
            show("program:", source.rstrip("\n"))
            show("it printed:", result.out + result.report)
            return False
    print(f"ok - the block at line {line}")
    return True


def main():
    engine, good = Gpa(), True
    for line, text in blocks(sys.argv[1]):
        good &= run(engine, line, text)
    sys.exit(not (engine.ended_well() and good))


main()
