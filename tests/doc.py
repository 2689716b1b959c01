"""Docstring tests: python tests/doc.py tests/doc.gpa [PART/PARTS]

Every built-in function has a docstring with a one-line summary and an example, which gpa answers as written. In the modules of
NUMPYDOC (NumPy, SciPy, JAX, ...) and the methods of arrays the section Parameters names every parameter. A function that returns a value has a section
Returns: of the library's functions and methods the sources show it, of native ones NOTHING lists those that return none. The
program given lists the docstrings."""

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


# Modules and types whose docstrings have a section Parameters.
NUMPYDOC = (
    "numpy", "ndarray", "ufunc", "dtype", "broadcast", "Generator", "scipy", "autograd", "minpy", "jax", "numba", "cupyx", "pycuda",
    "pyculib", "gpa", "h5py", "imageio", "matplotlib", "IPython",
)
NATIVE = "builtin_function_or_method"
LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lang/library")

# Native functions that return nothing.
NOTHING = {
    "builtins": "breakpoint clear_output delattr exec exit help print quit setattr",
    "numpy": "save savetxt savez savez_compressed set_printoptions",
    "numba.cuda": "close nanosleep profile_start profile_stop synchronize syncthreads syncwarp threadfence threadfence_block "
    "threadfence_system",
    "ndarray": "copy_to_device fill partition resize set setflags sort",
    "ufunc": "at",
    "random": "seed shuffle",
    "time": "sleep",
    "os": "chdir close makedirs mkdir remove rename replace rmdir unlink",
    "sys": "exit setrecursionlimit",
    "warnings": "warn",
    "list": "append clear extend insert remove reverse sort",
    "dict": "clear move_to_end update",
    "set": "add clear difference_update discard intersection_update remove symmetric_difference_update update",
    "BaseException": "add_note",
}
NOTHING["frozenset"] = NOTHING["set"]


def parameters(signature):
    """Names of the parameters of a signature "(a, b=(1, 2), /, *args, **kw)", without self and cls."""
    parts = re.findall(r"(?:\([^()]*\)|<[^<>]*>|'[^']*'|[^,()])+", signature[1:-1])
    names = [re.split("[=:]", part)[0].strip(" *") for part in parts]
    return [name for name in names if name not in ("", "/", "self", "cls")]


# Modules whose examples use their functions by name.
BY_NAME = """abc argparse autograd bisect cmath collections copy csv dataclasses datetime fnmatch functools glob gzip heapq
    importlib io itertools json math operator os os.path random re shutil string sys tempfile time timeit warnings""".split()
# Modules and types whose examples use NumPy's functions by name.
ARRAYS = (
    "numpy", "scipy", "gpa.table", "cupyx", "pyculib", "imageio", "ndarray", "dtype", "ufunc", "Generator", "poly1d", "broadcast",
)
# Further imports of examples.
ALSO = {
    **dict.fromkeys(("tempfile", "glob", "shutil"), ["import os"]),
    "timeit": ["from time import *"],
    "Generator": ["from numpy.random import default_rng"],
    **dict.fromkeys(("copy", "operator", "io", "gzip", "autograd"), ["import numpy as np"]),
}

RESULT = re.compile(r"^ *(Returns|Yields)\n *---", re.M)


def returns_value(function):
    """True if the body of a function returns or yields a value, whatever the functions inside it do."""
    nodes = list(function.body)
    while nodes:
        node = nodes.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if isinstance(node, ast.Return) and node.value is not None and getattr(node.value, "value", node.value) is not None:
            return True
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            nodes += ast.iter_child_nodes(node)
    return False


def public_functions(tree, prefix=""):
    """(name, node) of the functions and methods of a module that users call; properties and special methods are not among them."""
    for node in tree.body:
        if isinstance(node, (ast.If, ast.For, ast.Try)):
            yield from public_functions(node, prefix)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node, prefix + node.name + ".")
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            marks = [ast.unparse(mark) for mark in node.decorator_list]
            member = any(re.match(r"_np\._(member|static)\(", mark) for mark in marks)
            if (member or not node.name.startswith("_")) and not any("property" in mark or "_getter" in mark for mark in marks):
                yield prefix + node.name, node


def library_modules():
    """Paths of the sources of the library's public modules."""
    for folder, _, files in sorted(os.walk(LIBRARY)):
        for file in sorted(files):
            path = os.path.relpath(os.path.join(folder, file), LIBRARY)
            if file.endswith(".gpa") and not any(part.startswith("_") and not part.startswith("__init__") for part in path.split(os.sep)):
                yield path


def check_module(path):
    """The complaints about the functions of a source of the library: (title, text) pairs."""
    with open(os.path.join(LIBRARY, path), encoding="utf-8") as f:
        functions = list(public_functions(ast.parse(f.read())))
    missing = [name for name, node in functions if not ast.get_docstring(node)]
    lacking = [name for name, node in functions if returns_value(node) and not RESULT.search(ast.get_docstring(node) or "Returns\n---")]
    titles = ("functions without a docstring:", "docstrings of functions that return a value, without a section Returns:")
    return [(title, ", ".join(names)) for title, names in zip(titles, (missing, lacking)) if names]


def layout(owner, name, kind, doc, signature):
    """The complaint about the sections of a docstring, or None."""
    summary, *rest = doc.splitlines()
    if not summary.endswith((".", "!", ":")) or (rest and rest[0].strip()):
        return [("its summary is not one line that ends with a period:", "\n".join([summary, *rest[:1]]))]
    if kind == NATIVE and not RESULT.search(doc) and name not in NOTHING.get(owner, "").split():
        return [("it returns a value, but has no section Returns", "")]
    if not owner.startswith(NUMPYDOC) or not signature or kind not in ("function", NATIVE):
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


def prologue_of(owner):
    """The imports that the examples of a module or type presuppose."""
    if owner in ("File", "h5py"):
        return "import numpy as np\nimport h5py\n"
    if owner in ("Counter", "defaultdict", "deque"):
        return "from collections import *\n"
    lines = [f"import {owner}", f"from {owner} import *"] if owner in BY_NAME else []
    if owner.startswith(ARRAYS):
        lines = ["import numpy as np", "from numpy import *", "from builtins import bool"]
    if "." in owner or owner == "imageio":
        lines.append(f"from {owner} import *")
    if owner.startswith("numba"):
        lines = ["import numpy as np", "from numba import *", "from numba import cuda"]
    return "\n".join(lines + ALSO.get(owner, [])) + "\n"


def check(engine, owner, name, kind, doc, signature):
    """The complaints about one docstring: (title, text) pairs."""
    if not doc or not doc.strip():
        return [("it has no docstring", "")]
    complaint = layout(owner, name, kind, doc, signature)
    if complaint:
        return complaint
    try:
        examples = doctest.DocTestParser().get_examples(doc)
    except ValueError as e:
        return [("its docstring:", str(e))]
    if not examples and kind not in ("module", "constant") and owner != DRAWING and not doc.startswith(NO_EXAMPLE):
        return [("it has no example", "")]
    return run_examples(engine, prologue_of(owner), examples)


def check_all(engine, listing, part):
    """Checks the docstrings of a part of the listing; true if all pass."""
    good = True
    if listing.error:
        print("not ok - the listing")
        show("it failed:", listing.report)
    for test in (listing.out.splitlines() + list(library_modules()))[part]:
        if test.endswith(".gpa"):
            title, complaints = test, check_module(test)
        else:
            owner, name, kind, doc, signature = ast.literal_eval(test)
            title, complaints = f"{owner}.{name}", check(engine, owner, name, kind, doc, signature)
        good &= not complaints
        print(f"{'not ok' if complaints else 'ok'} - {title}")
        for heading, text in complaints or []:
            show(heading, text)
    return engine.ended_well() and good


def main():
    engine = Gpa()
    program = ""
    for path in (os.path.join(os.path.dirname(__file__), "../.make/docs/listing.gpa"), sys.argv[1]):
        with open(path, encoding="utf-8") as f:
            program += f.read()
    cells.PROGRAM = os.path.abspath(cells.PROGRAM)
    with tempfile.TemporaryDirectory() as folder:  # where examples write their files
        os.chdir(folder)
        good = check_all(engine, engine.run(program), which(sys.argv[2]) if len(sys.argv) > 2 else slice(None))
        os.chdir("/")
    sys.exit(not good)


main()
