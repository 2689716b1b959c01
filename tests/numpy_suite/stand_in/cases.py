"""The cases of one test: its parameters, fixtures and marks, in the common subset of Python and gpa."""

import itertools
import pathlib
import tempfile

import numpy as np
import pytest
from placeholders import Missing, MissingName


class Fixture:
    """A fixture: a function, or the name of a method of the test's class."""

    def __init__(self, function, arguments, generates):
        self.function, self.arguments, self.generates = function, arguments, generates


class Request:
    """The `request` of a fixture with parameters."""

    def __init__(self, param):
        self.param = param


class MonkeyPatch:
    def __init__(self):
        self.before = []

    def setattr(self, owner, name, value, raising=True):
        self.before.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    def undo(self):
        for owner, name, value in self.before:
            setattr(owner, name, value)


def label_of(value):
    """A parameter's part of the name of a case, the same in both languages."""
    if value is None or isinstance(value, (bool, int, float, complex)):
        return repr(value)
    if isinstance(value, str):
        return repr(value[:30])
    if isinstance(value, np.dtype):
        return str(value)
    if isinstance(value, (list, tuple)) and len(value) <= 4:
        return "[" + ",".join([label_of(v) for v in value]) + "]"
    if isinstance(value, np.ndarray):
        return "array"
    return value.__name__ if hasattr(value, "__name__") else "object"


def parametrized(mark):
    """The sets of values of one @parametrize: ([(name, value)], marks, label) each."""
    names = mark.args[0] if mark.args else mark.kwargs["argnames"]
    rows = mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"]
    single = False
    if isinstance(names, str):
        names = [name.strip() for name in names.split(",") if name.strip()]
        single = len(names) == 1
    sets = []
    for row in rows:
        marks, label = [], None
        if isinstance(row, pytest.Parameters):
            marks, label, row = row.marks, row.id, row.values
        elif single:
            row = [row]
        if label is None:
            label = "-".join([label_of(v) for v in row])
        sets.append((list(zip(names, row)), marks, label))
    return sets


def fixture_parameters(name, values):
    """The same for the parameters of a fixture."""
    sets = []
    for value in values:
        marks = []
        if isinstance(value, pytest.Parameters):
            marks, value = value.marks, value.values[0]
        sets.append(([("request of " + name, value)], marks, label_of(value)))
    return sets


class Case:
    def __init__(self, sets, marks):
        self.label = "-".join([label for _, _, label in sets])
        self.values = dict([pair for pairs, _, _ in sets for pair in pairs])
        self.marks = marks + [mark for _, marks, _ in sets for mark in marks]

    def check(self):
        """Raises if the case is skipped, known to fail, or has a parameter that does not exist."""
        for mark in self.marks:
            if mark.name == "skip" or mark.name == "skipif" and mark.holds():
                raise pytest.Skipped(mark.name)
            if mark.name == "xfail" and mark.holds():
                raise pytest.ExpectedFailure("xfail")
        for value in self.values.values():
            if isinstance(value, Missing):
                raise MissingName(value.full_name)


class Cases:
    """test: a function, or the name of a method of `owner`. methods: how many arguments setup_method and its kin take.
    fixture_values: (name, values) of fixtures with parameters. automatic: names of fixtures that every case uses."""

    def __init__(self, test, arguments, owner=None, marks=(), methods={}, fixtures={}, fixture_values=(), automatic=()):
        self.test, self.arguments, self.owner, self.methods = test, arguments, owner, methods
        self.fixtures, self.automatic = fixtures, automatic
        sets = [parametrized(mark) for mark in marks if mark.name == "parametrize"]
        sets += [fixture_parameters(name, values) for name, values in fixture_values]
        others = [mark for mark in marks if mark.name != "parametrize"]
        self.all = [Case(combination, others) for combination in itertools.product(*sets)]
        Missing.running[0] = True

    def labels(self):
        return [case.label for case in self.all]

    def value(self, name):
        """The value of a fixture or parameter for the case that runs."""
        if name not in self.known:
            self.known[name] = self.made(name)
        return self.known[name]

    def made(self, name):
        if name in self.fixtures:
            fixture = self.fixtures[name]
            given = {}
            for argument in fixture.arguments:
                if argument == "request":
                    given[argument] = Request(self.known.get("request of " + name))
                else:
                    given[argument] = self.value(argument)
            is_method = isinstance(fixture.function, str)
            function = getattr(self.instance, fixture.function) if is_method else fixture.function
            made = function(**given)
            if not fixture.generates:
                return made
            self.generators.append(made)
            return next(made)
        if name == "monkeypatch":
            self.patch = MonkeyPatch()
            return self.patch
        if name == "tmp_path":
            return pathlib.Path(tempfile.mkdtemp())
        if name == "tmpdir":
            return tempfile.mkdtemp()
        raise pytest.Skipped("no fixture " + name)

    def call_method(self, name, test):
        if name in self.methods:
            method = getattr(self.instance, name)
            if self.methods[name] > 1:
                method(test)
            else:
                method()

    def run(self, number):
        """Runs a case; its failure is an error."""
        case = self.all[number]
        case.check()
        self.known, self.generators, self.patch, self.instance = dict(case.values), [], None, None
        test = self.test
        if self.owner is not None:
            if "setup_class" in self.methods:
                self.owner.setup_class()
            self.instance = self.owner()
            test = getattr(self.instance, self.test)
        for name in self.automatic:
            self.value(name)
        self.call_method("setup_method", test)
        try:
            given = {}
            for name in self.arguments:
                given[name] = self.value(name)
            test(**given)
        finally:
            self.call_method("teardown_method", test)
            while self.generators:
                for _ in self.generators.pop():
                    pass
            if self.patch is not None:
                self.patch.undo()
