"""Changes to the text of a test before gpa and CPython run it: private paths of public names become public ones, names that may be
missing become placeholders, and type codes lose those of dtypes that gpa leaves out."""

import ast
import re

import numpy as np

# What helpers of numpy.testing and its kin become where their module has no such name.
HELPERS = {
    "IS_PYPY": "False",
    "IS_WASM": "False",
    "IS_PYSTON": "False",
    "IS_MUSL": "False",
    "HAS_REFCOUNT": "True",
    "IS_64BIT": "True",
    "NOGIL_BUILD": "False",
    "IS_EDITABLE": "False",
    "BLAS_SUPPORTS_FPE": "True",
    "HAS_LAPACK64": "False",
    "HAS_SHOWOBJREFS": "False",
    "_glibc_older_than": "lambda version: False",
    "check_support_sve": "lambda *args: False",
    "assert_raises_regex": "pytest.assert_raises_regex",
    "requires_deep_recursion": "lambda test: test",
    "_no_tracing": "lambda test: test",
    "asbytes": "placeholders.to_bytes",
    "sctypes": "placeholders.sctypes",
}
ALWAYS = {"requires_memory": "lambda *args, **kwargs: pytest.mark.skip('memory')"}

# Private modules whose public names are those of numpy.
PRIVATE_MODULES = set(
    "umath numeric multiarray fromnumeric numerictypes shape_base function_base einsumfunc arrayprint getlimits _multiarray_umath "
    "_numeric _ufunc_config _function_base_impl _nanfunctions_impl _index_tricks_impl _shape_base_impl _twodim_base_impl "
    "_arraysetops_impl _arraypad_impl _histograms_impl _type_check_impl _npyio_impl".split()
)
PUBLIC_MODULES = (np, np.linalg, np.lib, np.exceptions, np.polynomial, np.testing, np.lib.stride_tricks, np.lib.array_utils)
SUBMODULES = {"linalg", "fft", "random", "testing", "polynomial", "exceptions", "lib"}
ALWAYS_THERE = ("numpy", "sys", "warnings", "itertools", "re", "numpy.testing", "numpy.linalg", "pytest")
REMOVED = {"PZERO": "0.0", "NZERO": "(-0.0)", "PINF": "np.inf", "NINF": "(-np.inf)", "NAN": "np.nan"}


def expression(text):
    return ast.parse(text, mode="eval").body


def dotted(node):
    """The names of `a.b.c`, or None."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None


def guarded(statement, name, otherwise):
    """The import, or another value for the name that it binds."""
    text = f"try:\n    {ast.unparse(statement)}\nexcept ImportError:\n    {name} = {otherwise}"
    return ast.parse(text).body


class Rewriter(ast.NodeTransformer):
    def visit_Import(self, node):
        out = []
        for alias in node.names:
            statement = ast.Import([alias])
            if alias.name in ALWAYS_THERE or "." in alias.name and not alias.asname:
                out.append(statement)
                continue
            private = alias.name.startswith("numpy.") and alias.name.split(".")[-1] in PRIVATE_MODULES
            otherwise = "np" if private else f"placeholders.Missing({alias.name!r})"
            out += guarded(statement, alias.asname or alias.name, otherwise)
        return out

    def visit_ImportFrom(self, node):
        module, out = "." * node.level + (node.module or ""), []
        for alias in node.names if module != "__future__" else ():
            name, full_name = alias.asname or alias.name, f"{module}.{alias.name}"
            if alias.name in ALWAYS and module.startswith("numpy."):
                out += ast.parse(f"{name} = {ALWAYS[alias.name]}").body
                continue
            otherwise = f"placeholders.Missing({full_name!r})"
            if alias.name in HELPERS and module.startswith("numpy."):
                otherwise = HELPERS[alias.name]
            elif module in ("numpy._core", "numpy.lib") and alias.name in PRIVATE_MODULES:
                otherwise = "np"
            elif "._" in module and any(hasattr(m, alias.name) for m in PUBLIC_MODULES):
                otherwise = f"placeholders.public({alias.name!r}, {full_name!r})"
            out += guarded(ast.ImportFrom(node.module, [alias], node.level), name, otherwise)
        return out

    def visit_Call(self, node):
        """np.__dict__.values(): gpa's modules have no dictionary."""
        self.generic_visit(node)
        path = dotted(node.func)
        if path and path[-2:] == ["__dict__", "values"]:
            return expression(f"placeholders.values_of({'.'.join(path[:-2])})")
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        path = dotted(node.value)
        if path and path[-1] == "typecodes" and isinstance(node.ctx, ast.Load):
            return expression(f"placeholders.typecodes({ast.unparse(node.slice)})")
        return node

    def visit_Constant(self, node):
        """Strings of type codes, as 'fdgFDG'."""
        text = node.value
        codes = isinstance(text, str) and ("fdg" in text.lower()) and re.fullmatch(r"[?bBhHiIlLqQpPnNefdgFDGOSUVMm]+", text)
        return ast.Constant(re.sub("[gGOSUVMm]", "", text)) if codes else node

    def visit_Attribute(self, node):
        path = dotted(node)
        if not path:
            return self.generic_visit(node)
        if len(path) == 2 and path[0] in ("ncu", "umt", "np") and path[1] in REMOVED:
            return expression(REMOVED[path[1]])
        if path[0] not in ("np", "numpy") or not (path[1] == "_core" or path[1] == "lib" and path[2:] and path[2][0] == "_"):
            return node
        rest = path[2:] if path[1] == "_core" else path[3:]
        if path[1] == "_core" and rest and rest[0] in PRIVATE_MODULES:
            rest = rest[1:]
        if rest and rest[0] == "sctypes":
            return expression("placeholders.sctypes")
        if rest and not hasattr(np, rest[0]):
            return node
        public = expression(".".join([path[0], *rest]))
        public.ctx = node.ctx
        return public


class Lenient(ast.NodeTransformer):
    """np.NAME that may be missing, where parameters are listed or a name of the file is bound."""

    def visit_Attribute(self, node):
        self.generic_visit(node)
        plain = isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy") and isinstance(node.ctx, ast.Load)
        if plain and node.attr not in SUBMODULES:
            return expression(f"placeholders.attribute({node.value.id}, {node.attr!r}, 'numpy.{node.attr}')")
        return node


def lenient(node):
    """Makes the decorators and defaults of a function, the body of a class and assignments lenient."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        node.decorator_list = [Lenient().visit(d) for d in node.decorator_list]
    if isinstance(node, ast.FunctionDef):
        node.args.defaults = [Lenient().visit(d) for d in node.args.defaults]
    elif isinstance(node, ast.ClassDef):
        node.body = [lenient(member) for member in node.body]
    elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        Lenient().visit(node)
    return node


def without_docstrings(node):
    for n in ast.walk(node):
        if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(n, clean=False) is not None:
            n.body[0] = ast.Pass()
    return node


def rewritten(statement):
    """The text of a statement after the changes. The statement itself is changed, too."""
    out = Rewriter().visit(without_docstrings(statement))
    out = [lenient(s) for s in (out if isinstance(out, list) else [out])]
    text = "\n".join(ast.unparse(ast.fix_missing_locations(s)) for s in out)
    return re.sub(r"Generator\(MT19937\(([^()]*)\)\)", r"np.random.default_rng(\1)", text)
