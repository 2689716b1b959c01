"""The code blocks of a README run: python tests/readme.py README.md

A block fenced as python is a program that must end without an error, in a session of its own; a block with `>>> ` prompts
must also print what stands below each statement. A block fenced otherwise is not a program; those of runtime/README.md and
lang/README.md are dumps of the example that these follow through the pipeline, and must be what the program prints today."""

import doctest
import os
import re
import subprocess
import sys
import tempfile

from cells import BUILD, Gpa, show

EXAMPLE = "import numpy as np\na = np.arange(12.0).reshape(3, 4).copy()\n"
STUB = os.path.abspath(os.path.join(BUILD, "tests/stub"))
ON_CPU = {"GPA_DEVICE": "cpu"}
ON_CUDA = {"GPA_DEVICE": "cuda:0", "CUDA_PATH": STUB, "LD_LIBRARY_PATH": STUB + "/lib64", "GPA_CUDA_INTERPRET": "never"}


def blocks(path, fences=("python",)):
    text = open(path, encoding="utf-8").read()
    for m in re.finditer(r"^```(\w*)\n(.*?)^```$", text, flags=re.M | re.S):
        if m.group(1) in fences:
            yield text.count("\n", 0, m.start()) + 2, m.group(2)


def printed(program, text, **settings):
    with tempfile.NamedTemporaryFile("w", suffix=".gpa") as f:
        f.write(text)
        f.flush()
        done = subprocess.run([os.path.join(BUILD, program), f.name], env=os.environ | settings, capture_output=True, text=True)
    return done.stdout + done.stderr


def all_dumps(path):
    """What the commands that the README names print for its programs."""
    programs = [text for _, text in blocks(path)]
    if path.startswith("lang"):
        expression, function = programs
        return printed("tests/tools/parse_main", expression) + printed("gpa", function + "%dis f\n")
    statement = programs[0].splitlines()[-1]
    return "".join(printed("gpa", f"{EXAMPLE}float(a.sum())\n{magic} {statement}\n", **settings)
                   for magic, settings in (("%explain", ON_CPU), ("%kir", ON_CPU), ("%cuda", ON_CUDA)))


def without_times(text):
    """The lines of a dump without times, prompts and indentation."""
    lines = re.sub(r", compiled in [\d.]+ \S+", "", text).splitlines()
    return "\n".join(line.strip() for line in lines if not line.startswith("In ["))


def check_dumps(path):
    dumps, good = without_times(all_dumps(path)), True
    for line, text in blocks(path, ("", "c")):
        same = without_times(text) in dumps
        good &= same
        print(f"{'ok' if same else 'not ok'} - the dump at line {line}")
        if not same:
            show("the README:", text)
            show("now:", dumps)
    return good


def steps(text):
    if ">>> " not in text:
        return [(text, None)]
    return [(e.source, e.want) for e in doctest.DocTestParser().get_examples(text)]


def run(engine, line, text):
    engine.fresh()
    if os.path.dirname(sys.argv[1]):
        engine.run(EXAMPLE)
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
    if os.path.dirname(sys.argv[1]):
        good &= check_dumps(sys.argv[1])
    sys.exit(not (engine.ended_well() and good))


main()
