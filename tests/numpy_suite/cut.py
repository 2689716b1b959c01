"""Cuts a file of NumPy's tests into programs: the definitions that one test needs, and its cases."""

import ast
import copy
import dataclasses
import functools
import os
import pickle

import numpy

import rewrite
import scope

FOLDER = os.path.dirname(numpy.__file__)
# Files of tests that are about what gpa leaves out as a whole.
LEFT_OUT = set(
    "_core/argparse _core/array_interface _core/arraymethod _core/cpu_dispatcher _core/cpu_features _core/custom_dtypes _core/cython "
    "_core/datetime _core/defchararray _core/extint128 _core/hashtable _core/limited_api _core/longdouble _core/machar "
    "_core/mem_policy _core/memmap _core/multithreading _core/records _core/scalarbuffer _core/scalarinherit _core/simd "
    "_core/simd_module _core/stringdtype _core/strings _core/unicode lib/_datasource lib/_iotools lib/_version lib/format "
    "lib/recfunctions lib/financial_expired random/direct random/extending random/seed_sequence testing/extbuild".split()
)
FOLDERS = ("_core", "lib", "linalg", "fft", "polynomial", "testing", "random")
METHODS = ("setup_method", "teardown_method", "setup_class", "teardown_class")


def files():
    """Paths below NumPy's folder."""
    for folder in FOLDERS:
        for name in sorted(os.listdir(os.path.join(FOLDER, folder, "tests"))):
            if name.startswith("test_") and name.endswith(".py") and f"{folder}/{name[5:-3]}" not in LEFT_OUT:
                yield f"{folder}/tests/{name}"


def copied(node):
    """A deep copy of a tree: copy.deepcopy takes several times as long."""
    return pickle.loads(pickle.dumps(node))


@functools.cache
def bound(node):
    """The names that a statement binds or changes."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    names = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
            names.add(n.id)
        elif isinstance(n, (ast.FunctionDef, ast.ClassDef)):
            names.add(n.name)
        elif isinstance(n, ast.alias):
            names.add((n.asname or n.name).split(".")[0])
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):  # names.append(...)
        path = rewrite.dotted(node.value.func) or []
        if len(path) > 1 and path[0] not in ("np", "numpy", "sys", "warnings", "pytest"):
            names.add(path[0])
    for target in node.targets if isinstance(node, ast.Assign) else ():  # a[0] = ..., a.b = ...
        while isinstance(target, (ast.Subscript, ast.Attribute)):
            target = target.value
        if isinstance(target, ast.Name):
            names.add(target.id)
    return names


@functools.cache
def read(node):
    """The names that a node reads."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


@functools.cache
def mentioned(node):
    """The same, and the attributes."""
    return read(node) | {n.attr for n in ast.walk(node) if isinstance(n, ast.Attribute)}


@functools.cache
def text_of(statement, names=None):
    """The text of a statement of the file, rewritten; of an import only what binds the names."""
    statement = copied(statement)
    if names is not None:
        statement.names = [a for a in statement.names if (a.asname or a.name).split(".")[0] in names]
    return rewrite.rewritten(statement)


def fixture_options(node):
    """The keyword arguments of a function's @pytest.fixture, or None if it has none."""
    for decorator in getattr(node, "decorator_list", ()):
        call = isinstance(decorator, ast.Call)
        path = rewrite.dotted(decorator.func if call else decorator)
        if path and path[-1] == "fixture":
            return {k.arg: k.value for k in decorator.keywords} if call else {}
    return None


def required(function, is_method):
    """The arguments that a test or fixture asks for."""
    names = [a.arg for a in function.args.posonlyargs + function.args.args]
    names = names[: len(names) - len(function.args.defaults)]
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    names = names[1:] if is_method and not static else names
    return names + [a.arg for a, d in zip(function.args.kwonlyargs, function.args.kw_defaults) if d is None]


def generates(function):
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(function))


@dataclasses.dataclass
class Fixture:
    node: ast.FunctionDef
    is_method: bool

    @property
    def options(self):
        return fixture_options(self.node)

    @property
    def arguments(self):
        return required(self.node, self.is_method)


@dataclasses.dataclass
class Program:
    """One test: its name, `Class.method` or `function`, its text, and what it asks for that is out of scope."""

    name: str
    text: str
    out_of_scope: list


class Source:
    """A file of tests. Its statements are not changed."""

    def __init__(self, path):
        with open(os.path.join(FOLDER, path), encoding="utf-8") as f:
            self.body = ast.parse(f.read()).body
        self.path = path
        self.classes = {n.name: n for n in self.body if isinstance(n, ast.ClassDef)}
        self.binding = {}  # name: the statements that bind it
        for statement in self.body:
            for name in bound(statement):
                self.binding.setdefault(name, []).append(statement)
        self.fixtures = {n.name: Fixture(n, False) for n in self.body if fixture_options(n) is not None}

    def bases(self, owner):
        """A class and its bases in this file, in the order of resolution."""
        found = [owner]
        for base in owner.bases:
            if isinstance(base, ast.Name) and base.id in self.classes and self.classes[base.id] is not owner:
                found += [c for c in self.bases(self.classes[base.id]) if c not in found]
        return found

    @functools.lru_cache(1)
    def members(self, owner):
        """name: the statements of the class and its bases that bind it, the derived last."""
        members = {}
        for c in reversed(self.bases(owner)):
            for statement in c.body:
                for name in bound(statement):
                    members.setdefault(name, []).append(statement)
        return members

    def tests(self):
        """(class or None, function) of each test."""
        for node in self.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
                yield None, node
            elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                for name, statements in self.members(node).items():
                    if name.startswith("test") and isinstance(statements[-1], ast.FunctionDef):
                        yield node, statements[-1]

    def needed_members(self, owner, test):
        """The names of the members that a test of the class needs."""
        members = self.members(owner)
        wanted = {test.name, *METHODS, *required(test, True)} | {m for m in members if m[:2] == m[-2:] == "__"}
        wanted |= {m for m, found in members.items() if "autouse" in (fixture_options(found[-1]) or {})}
        done = set()
        while wanted - done:
            name = (wanted - done).pop()
            done.add(name)
            for node in members.get(name, ()):
                more = mentioned(node) | set(required(node, True) if fixture_options(node) is not None else ())
                wanted |= {m for m in more if m in members and (not m.startswith("test") or m in mentioned(test))}
        return done & set(members)

    def needed_fixtures(self, owner, test, members):
        """name: fixture, those that every test uses and those that this one asks for."""
        fixtures = {name: f for name, f in self.fixtures.items() if "autouse" in f.options}
        for name in members:
            node = self.members(owner)[name][-1]
            if fixture_options(node) is not None:
                fixtures[name] = Fixture(node, True)
        asked = required(test, owner is not None) + [a for f in fixtures.values() for a in f.arguments]
        while asked:
            name = asked.pop()
            if name in self.fixtures and name not in fixtures:
                fixtures[name] = self.fixtures[name]
                asked += fixtures[name].arguments
        return fixtures

    def definitions(self, owner, test, members, fixtures):
        """The text of the statements of the file that a test needs, in their order, classes with the needed members only; imports
        with the needed names only."""
        kept, pending = {}, [] if owner else [test]
        for c in self.bases(owner) if owner else ():
            kept[c.name] = copy.copy(c)
            kept[c.name].body = [n for n in c.body if bound(n) & members] or [ast.Pass()]
            pending += [*kept[c.name].body, *c.decorator_list, *c.bases, *c.keywords]
        chosen = [self.classes[name] for name in kept] or [test]
        for fixture in fixtures.values():
            if not fixture.is_method:
                chosen.append(fixture.node)
                pending.append(fixture.node)
        names = set()
        while pending:
            for name in read(pending.pop()) - names:
                names.add(name)
                new = [s for s in self.binding.get(name, ()) if s not in chosen]
                chosen += new
                pending += new
        for statement in sorted(chosen, key=self.body.index):
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                yield text_of(statement, frozenset(names & bound(statement)))
            else:
                yield text_of(kept.get(getattr(statement, "name", None), statement))

    def program(self, owner, test):
        """The program of a test (tests)."""
        members = self.needed_members(owner, test) if owner else set()
        fixtures = self.needed_fixtures(owner, test, members)
        definitions = "\n".join(self.definitions(owner, test, members, fixtures))
        bare = rewrite.without_docstrings(copied(test))
        bare.decorator_list = []  # the values of parameters are judged case by case
        name = f"{owner.name}.{test.name}" if owner else test.name
        text = "import numpy as np\nimport pytest\nimport placeholders\nfrom cases import Cases, Fixture\n"
        if "random" in definitions:
            text += "np.random.seed(1234)\n"  # the files do so at their top, in statements that are not taken over
        text += definitions + "\n" + self.cases(owner, test, members, fixtures)
        own = ast.unparse(ast.fix_missing_locations(bare))
        return Program(name, text, sorted(scope.of_text(self.path, name, own, definitions)))

    def cases(self, owner, test, members, fixtures):
        """The statement that makes the cases of a test."""
        described, values = [], []
        for name, f in fixtures.items():
            function = repr(f.node.name) if f.is_method else f.node.name
            described.append(f"{name!r}: Fixture({function}, {f.arguments!r}, {generates(f.node)})")
            if "params" in f.options:
                listed = ast.unparse(rewrite.Lenient().visit(copied(f.options["params"])))
                values.append(f"({name!r}, {listed if f.is_method else f.node.name + '.fixture_options[' + repr('params') + ']'})")
        methods = {m: len(self.members(owner)[m][-1].args.args) for m in METHODS if m in members}
        automatic = [name for name, f in fixtures.items() if "autouse" in f.options]
        function = f"{owner.name}.{test.name}" if owner else test.name
        marks = f"getattr({function}, 'marks', [])"
        if owner:
            marks = f"list({marks}) + list(getattr({owner.name}, 'marks', []))"
        return (
            f"cases = Cases({repr(test.name) if owner else test.name}, {required(test, bool(owner))!r}, {owner.name if owner else None}, "
            f"list({marks}), {methods!r}, {{{', '.join(described)}}}, [{', '.join(values)}], {automatic!r})\n"
        )
