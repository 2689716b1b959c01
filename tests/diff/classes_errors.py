# User-defined exceptions, and errors in class definitions.
# --- exceptions of a program
class AppError(Exception):
    """Something of the program."""


class Late(AppError, ValueError):
    def __init__(self, by, *rest):
        super().__init__(f"late by {by}", *rest)
        self.by = by


class Told(AppError):
    def __str__(self):
        return "told " + repr(self.args)


def raiser(e):
    raise e


for e in (AppError("a"), AppError, Late(3), Late(3, "b"), Told(1, 2), Told):
    try:
        raiser(e)
    except Late as caught:
        print("late", caught, caught.by, caught.args, repr(caught), isinstance(caught, ValueError))
    except AppError as caught:
        print(type(caught).__name__, caught, caught.args, repr(caught))
try:
    try:
        raise Late(1)
    except ValueError as inner:
        raise AppError("outer") from inner
except AppError as e:
    print(e, repr(e.__cause__), type(e.__cause__) is Late)
try:
    raise Late(2)
except (KeyError, Told):
    print("no")
except Exception as e:
    print(type(e), Late.__mro__[1:3], AppError.__doc__)
e = AppError("x")
e.code = 5
print(e.code, Late.__bases__)


class Helper:
    level = 3

    def help(self):
        return "help"


class Behind(ValueError, Helper):
    pass


class Further(Behind, Helper):
    pass


for kind in (Behind, Further):
    try:
        raise kind("x", 1)
    except ValueError as e:
        print(repr(e), e.level, e.help(), isinstance(e, Helper), issubclass(kind, Helper))


# What an error holds itself.
class Loop(Exception):
    def __init__(self):
        super().__init__(self, [self])
        self.me = {"me": self}


for k in range(3):
    try:
        raise Loop
    except Loop as e:
        print(e.args[0] is e, e.me["me"] is e)
        kept = e
        print(str(e), repr(e))
        e.args = [1, "b"]
        print(str(e), repr(e), e.args, list(e.__dict__))
        once = ValueError.__new__(ValueError)
        once.__init__(once)
        for f in (str, repr):
            try:
                print(f(once))
            except RecursionError:
                print("deep")


class Mute:
    def __str__(self):
        raise KeyError("mute")


class Speechless(ValueError):
    def __str__(self):
        raise KeyError("speechless")


for e in (ValueError(Mute()), Speechless(1)):
    try:
        raise e
    except ValueError as caught:
        print(caught is e)
    try:
        str(e)
    except KeyError as why:
        print(why)
one, other = ValueError("one"), ValueError("other")
one.other, other.other, one.all = other, one, [one, other]
one.add_note("note")
print(one.other.other is one)


# --- mistakes, in CPython's words
class A:
    def __init__(self, x):
        self.x = x


class B(A):
    def __init__(self):
        super().__init__()


class Empty:
    pass


class Same:
    def __eq__(self, o):
        return True


class Texts:
    def __repr__(self):
        return 5

    def __len__(self):
        return -1


class Returns:
    def __init__(self):
        return 5


def twice():
    class C(A, A):
        pass


def order():
    class C(Empty, Twin):
        pass


class Twin(Empty):
    pass


def first():
    class C(object, A):
        pass


for bad in (
    A,
    lambda: A(1, 2),
    lambda: A(y=1),
    B,
    lambda: Empty(1),
    lambda: Empty().x,
    lambda: Empty.x,
    lambda: A(1) + A(2),
    lambda: 1 + A(2),
    lambda: A(1) < A(2),
    lambda: A(1)[0],
    lambda: len(A(1)),
    lambda: A(1)(),
    lambda: list(A(1)),
    lambda: 1 in A(1),
    lambda: -A(1),
    lambda: float(A(1)),
    lambda: int(A(1)),
    lambda: abs(A(1)),
    lambda: round(A(1)),
    lambda: hash(Same()),
    lambda: {Same(): 1},
    lambda: repr(Texts()),
    lambda: len(Texts()),
    Returns,
    lambda: next(Empty()),
    twice,
    order,
    first,
    lambda: super(),
    lambda: [1][A(1)],
    lambda: A.f(),
    lambda: raiser(Empty()),
    lambda: isinstance(1, A(1)),
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
# --- abstract methods that are missing, in the words of Python 3.12 (python 3.12)
from abc import ABC, abstractmethod


class Shape(ABC):
    @abstractmethod
    def area(self): ...
    @property
    @abstractmethod
    def name(self):
        pass


class Half(Shape):
    def area(self):
        return 1


for c in (Shape, Half):
    try:
        c()
    except TypeError as e:
        print(e)


# --- special methods with invalid results
class B:
    def __bool__(self):
        return 2


class H:
    def __hash__(self):
        return "x"


class F:
    def __format__(self, s):
        return 5


class R:
    def __repr__(self):
        return 5


class L:
    def __len__(self):
        return "3"


for f in (
    lambda: bool(B()),
    lambda: not B(),
    lambda: 1 if B() else 0,
    lambda: hash(H()),
    lambda: {H(): 1},
    lambda: f"{F()}",
    lambda: format(F(), "x"),
    lambda: repr(R()),
    lambda: len(L()),
    lambda: "{}".format(F()),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
