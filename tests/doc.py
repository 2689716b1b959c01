"""Docstring tests: python tests/doc.py tests/doc.gpa [PART/PARTS]

Every built-in function has a docstring with a one-line summary and an example, which gpa answers as written; in the modules of
NumPy, SciPy and Numba the section Parameters names every parameter. The program given lists the docstrings."""

import ast
import doctest
import os
import re
import sys
import tempfile

import cells
from cells import Gpa, show, which

# First words of docstrings that need no example.
NO_EXAMPLE = ("Prints ", "Print ", "Exit the program", "Read a line", "Clear the output")
DRAWING = "matplotlib.pyplot"  # an example would be a picture


NUMPYDOC = ("numpy", "scipy", "numba", "pyculib", "h5py", "imageio")  # modules with numpydoc sections


def parameters(signature):
    """Names of the parameters of a signature "(a, b=(1, 2), /, *args, **kw)", without self and cls."""
    parts = re.findall(r"(?:\([^()]*\)|<[^<>]*>|'[^']*'|[^,()])+", signature[1:-1])
    names = [re.split("[=:]", part)[0].strip(" *") for part in parts]
    return [name for name in names if name not in ("", "/", "self", "cls")]


def layout(owner, kind, doc, signature):
    """The complaint about the sections of a docstring, or None."""
    summary, *rest = doc.splitlines()
    if not summary.endswith((".", "!", ":")) or (rest and rest[0].strip()):
        return [("its summary is not one line that ends with a period:", "\n".join([summary, *rest[:1]]))]
    if not owner.startswith(NUMPYDOC) or not signature or kind not in ("function", "builtin_function_or_method"):
        return None
    section = doc.partition("Parameters\n")[2]
    missing = [name for name in parameters(signature) if not re.search(rf"\b{name}\b", section)]
    return [("its section Parameters lacks:", ", ".join(missing))] if missing else None


def run_examples(engine, prologue, examples):
    """The complaint about the first example with another answer, or None."""
    engine.fresh()
    engine.run(prologue)
    for example in examples:
        result = engine.run(example.source)
        if example.exc_msg is not None:
            got, want = result.error, example.exc_msg.rstrip("\n")
        else:
            got, want = result.out + result.error, example.want.replace("<BLANKLINE>", "")
        if got.rstrip() != want.rstrip():
            return [
                ("the example:", example.source.rstrip()),
                ("answers:", got.rstrip()),
                ("but should answer:", want.rstrip()),
            ]
    return None


def check(engine, owner, kind, doc, signature):
    """The complaints about one docstring: (title, text) pairs."""
    if not doc or not doc.strip():
        return [("it has no docstring", "")]
    complaint = layout(owner, kind, doc, signature)
    if complaint:
        return complaint
    try:
        examples = doctest.DocTestParser().get_examples(doc)
    except ValueError as e:
        return [("its docstring:", str(e))]
    if not examples and kind not in ("module", "constant") and owner != DRAWING and not doc.startswith(NO_EXAMPLE):
        return [("it has no example", "")]
    module = (
        owner
        if owner
        in (
            "math",
            "cmath",
            "random",
            "functools",
            "itertools",
            "collections",
            "operator",
            "string",
            "timeit",
            "copy",
            "json",
            "abc",
            "dataclasses",
            "io",
            "gzip",
            "tempfile",
            "warnings",
            "heapq",
            "bisect",
            "time",
            "os",
            "os.path",
            "sys",
        )
        else ""
    )
    prologue = f"import {module}\nfrom {module} import *\n" if module else ""
    if owner.startswith(
        ("numpy", "scipy", "pyculib", "imageio", "ndarray", "dtype", "ufunc", "Generator", "poly1d", "broadcast")
    ):
        prologue = "import numpy as np\nfrom numpy import *\nfrom builtins import bool\n"
    if "." in owner or owner == "imageio":
        prologue += f"from {owner} import *\n"
    if owner.startswith("numba"):
        prologue = "import numpy as np\nfrom numba import *\nfrom numba import cuda\n"
    if owner in ("File", "h5py"):
        prologue = "import numpy as np\nimport h5py\n"
    if owner in ("Counter", "defaultdict", "deque"):
        prologue = "from collections import *\n"
    if owner == "tempfile":
        prologue += "import os\n"
    if owner == "timeit":
        prologue += "from time import *\n"
    if owner in ("copy", "operator", "io", "gzip"):
        prologue += "import numpy as np\n"
    if owner == "Generator":
        prologue += "from numpy.random import default_rng\n"
    return run_examples(engine, prologue, examples)


def check_all(engine, listing, part):
    """Checks the docstrings of a part of the listing; true if all pass."""
    good = True
    if listing.error:
        print("not ok - the listing")
        show("it failed:", listing.report)
    for line in listing.out.splitlines()[part]:
        owner, name, kind, doc, signature = ast.literal_eval(line)
        complaints = check(engine, owner, kind, doc, signature)
        good &= not complaints
        print(f"{'not ok' if complaints else 'ok'} - {owner}.{name}")
        for title, text in complaints or []:
            show(title, text)
    return engine.ended_well() and good


def main():
    engine = Gpa()
    program = ""
    for path in (os.path.join(os.path.dirname(__file__), "../.make/listing.gpa"), sys.argv[1]):
        with open(path, encoding="utf-8") as f:
            program += f.read()
    cells.PROGRAM = os.path.abspath(cells.PROGRAM)
    with tempfile.TemporaryDirectory() as folder:  # where examples write their files
        os.chdir(folder)
        good = check_all(engine, engine.run(program), which(sys.argv[2]) if len(sys.argv) > 2 else slice(None))
        os.chdir("/")
    sys.exit(not good)


main()
