"""The part of pytest that NumPy's tests use, in the common subset of Python and gpa. It is found instead of pytest itself."""

import re
import warnings


class Skipped(Exception):
    """The test does not apply here."""


class ExpectedFailure(Exception):
    """The test is known to fail."""


class Failed(Exception):
    """The test failed, but not by an assertion of its own."""


class DidNotRaise(Failed):
    pass


class DidNotWarn(Failed):
    pass


class DidNotMatch(Failed):
    pass


def skip(reason="", **kwargs):
    raise Skipped(reason)


def xfail(reason="", **kwargs):
    raise ExpectedFailure(reason)


def fail(reason="", **kwargs):
    raise Failed(reason)


def importorskip(name, **kwargs):
    raise Skipped("no module " + name)


def names_of(types):
    if isinstance(types, tuple):
        return " or ".join([t.__name__ for t in types])
    return types.__name__


class ExceptionInfo:
    """What `with raises(...) as info` binds."""

    def __init__(self):
        self.value = self.type = self.tb = None

    def match(self, pattern):
        if re.search(pattern, str(self.value)) is None:
            raise DidNotMatch(repr(pattern) + " is not in " + repr(str(self.value)))
        return True


class Raises:
    def __init__(self, expected, pattern):
        self.expected, self.pattern, self.info = expected, pattern, ExceptionInfo()

    def __enter__(self):
        return self.info

    def __exit__(self, t, value, traceback):
        if t is None:
            raise DidNotRaise(names_of(self.expected))
        if not isinstance(value, self.expected):
            return False
        self.info.value, self.info.type, self.info.tb = value, type(value), traceback
        if self.pattern is not None:
            self.info.match(self.pattern)
        return True


def raises(expected, *args, match=None, **kwargs):
    if not args:
        return Raises(expected, match)
    with Raises(expected, match) as info:
        args[0](*args[1:], **kwargs)
    return info


def assert_raises_regex(expected, pattern, *args, **kwargs):
    """That of numpy.testing, whose own asks unittest."""
    if not args:
        return Raises(expected, pattern)
    with Raises(expected, pattern):
        args[0](*args[1:], **kwargs)


class Warns:
    def __init__(self, expected, pattern):
        self.expected, self.pattern = expected, pattern
        self.recorder = warnings.catch_warnings(record=True)

    def __enter__(self):
        self.seen = self.recorder.__enter__()
        warnings.simplefilter("always")
        return self.seen

    def __exit__(self, t, value, traceback):
        self.recorder.__exit__(t, value, traceback)
        if t is not None:
            return False
        right = [str(w.message) for w in self.seen if issubclass(w.category, self.expected)]
        if not right:
            raise DidNotWarn(names_of(self.expected) + ", but " + repr([str(w.message) for w in self.seen]))
        if self.pattern is not None and not any([re.search(self.pattern, text) for text in right]):
            raise DidNotMatch(repr(self.pattern) + " is not in " + repr(right))
        return False


def warns(expected=Warning, *args, match=None, **kwargs):
    if not args:
        return Warns(expected, match)
    with Warns(expected, match):
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, **kwargs):
    return warns((DeprecationWarning, PendingDeprecationWarning), *args, **kwargs)


class Approx:
    def __init__(self, value, rel, abs):
        self.value, self.rel, self.abs = value, rel, abs

    def __eq__(self, other):
        if isinstance(self.value, (list, tuple)):
            return all([Approx(a, self.rel, self.abs) == b for a, b in zip(self.value, other)])
        return abs(other - self.value) <= max(self.rel * abs(self.value), self.abs)


def approx(value, rel=1e-6, abs=1e-12):
    return Approx(value, rel, abs)


class Mark:
    """A decorator of a test function or class, which notes itself on what it decorates."""

    def __init__(self, name, args=(), kwargs={}):
        self.name, self.args, self.kwargs = name, args, kwargs

    def __call__(self, *args, **kwargs):
        decorates = len(args) == 1 and not kwargs and callable(args[0]) and self.name != "parametrize"
        if not decorates and not self.args and not self.kwargs:
            return Mark(self.name, args, kwargs)
        marked = args[0]
        try:
            marked.marks = list(getattr(marked, "marks", [])) + [self]
        except AttributeError:
            marked.__func__.marks = list(getattr(marked.__func__, "marks", [])) + [self]
        return marked

    def holds(self):
        """The condition of a skipif or xfail."""
        return self.args[0] if self.args else self.kwargs.get("condition", True)


class Marks:
    def __getattr__(self, name):
        return Mark(name)


mark = Marks()


class Parameters:
    """One set of values of a parametrized test, with marks and a name of its own."""

    def __init__(self, values, id, marks):
        self.values, self.id = values, id
        self.marks = list(marks) if isinstance(marks, (list, tuple)) else [marks]


def param(*values, id=None, marks=()):
    return Parameters(values, id, marks)


def fixture(function=None, **kwargs):
    def decorate(f):
        f.fixture_options = kwargs
        return f

    return decorate(function) if function is not None else decorate
