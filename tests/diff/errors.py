# Errors of the language: types and messages.
# --- division by zero: int
1 / 0
# --- floor division by zero
1 // 0
# --- modulo by zero
1 % 0
# --- float division by zero
1.0 / 0
# --- float floor division by zero
1.0 // 0
# --- float modulo by zero
1.5 % 0
# --- complex division by zero
1j / 0
# --- divmod by zero
divmod(1, 0)
# --- zero to a negative power
0 ** -1
# --- zero float to a negative power
0.0 ** -1
# --- undefined name
undefined_name + 1
# --- undefined name in a function
def f():
    return undefined_thing
f()
# --- local before assignment
def f():
    x = x + 1
f()
# --- add int and str
1 + "a"
# --- add str and int
"a" + 1
# --- add list and tuple
[1] + (2,)
# --- add none
None + 1
# --- multiply strings
"a" * "b"
# --- multiply str by float
"a" * 1.5
# --- subtract lists
[1] - [2]
# --- unary minus on str
-"a"
# --- unary plus on list
+[1]
# --- invert float
~1.5
# --- shift by negative
1 << -1
# --- right shift by negative
1 >> -1
# --- float shift
1.0 << 2
# --- bit and of float
1.5 & 1
# --- matmul of ints
1 @ 2
# --- less than between types
1 < "a"
# --- less than of none
None < 1
# --- less than of lists of mixed
[1] < ["a"]
# --- complex order
1j < 2j
# --- dict order
{} < {}
# --- in of int
1 in 5
# --- list index out of range
[1, 2][5]
# --- list negative index out of range
[1, 2][-3]
# --- tuple index out of range
(1,)[1]
# --- string index out of range
"abc"[3]
# --- range index out of range
range(3)[3]
# --- list assignment out of range
a = [1]
a[3] = 0
# --- list deletion out of range
a = [1]
del a[3]
# --- list index by str
[1]["a"]
# --- list index by float
[1, 2][1.0]
# --- list index by none
[1][None]
# --- tuple index by str
(1,)["a"]
# --- string index by str
"abc"["a"]
# --- index of int
5[0]
# --- index of none
None[0]
# --- index of float
1.5[0]
# --- index of function
len[0]
# --- slice by str
[1, 2]["a":]
# --- slice step zero
[1, 2][::0]
# --- range step zero
range(1, 5, 0)
# --- missing key
{"a": 1}["b"]
# --- missing int key
{1: 2}[3]
# --- missing tuple key
{}[(1, 2)]
# --- unhashable list key
{[1]: 2}
# --- unhashable dict in set
{{}}
# --- unhashable in lookup
{}[[]]
# --- delete missing key
d = {}
del d["x"]
# --- pop missing key
{}.pop("k")
# --- pop from empty list
[].pop()
# --- pop index out of range
[1].pop(5)
# --- pop from empty set
set().pop()
# --- popitem of empty dict
{}.popitem()
# --- remove missing from list
[1].remove(2)
# --- remove missing from set
{1}.remove(2)
# --- list index of missing
[1].index(3)
# --- tuple index of missing
(1,).index(3)
# --- string index of missing
"abc".index("z")
# --- assign to tuple item
t = (1,)
t[0] = 2
# --- assign to string item
s = "a"
s[0] = "b"
# --- assign to int item
x = 1
x[0] = 2
# --- delete tuple item
t = (1,)
del t[0]
# --- not enough values
a, b, c = 1, 2
# --- too many values
a, b = 1, 2, 3
# --- not enough values for star
a, b, *c = [1]
# --- unpack int
a, b = 5
# --- unpack none
a, b = None
# --- too many from string
a, b = "xyz"
# --- call of int
5()
# --- call of none
None()
# --- call of list
[1](0)
# --- call of str
"a"()
# --- missing one argument
def f(a): pass
f()
# --- missing two arguments
def f(a, b): pass
f()
# --- missing three arguments
def f(a, b, c): pass
f()
# --- too many arguments
def f(a): pass
f(1, 2)
# --- too many for none
def f(): pass
f(1)
# --- too many with defaults
def f(a, b=1): pass
f(1, 2, 3)
# --- unexpected keyword
def f(a): pass
f(1, z=2)
# --- multiple values
def f(a): pass
f(1, a=2)
# --- missing keyword-only
def f(*, k): pass
f()
# --- missing two keyword-only
def f(*, k, j): pass
f()
# --- positional-only by name
def f(a, /): pass
f(a=1)
# --- iterate over int
for i in 5: pass
# --- iterate over none
for i in None: pass
# --- iterate over float
list(1.5)
# --- iterate over function
for i in len: pass
# --- star of int
print(*5)
# --- sum of strings
sum(["a", "b"])
# --- sum of str start
sum([], "")
# --- len of int
len(5)
# --- len of none
len(None)
# --- int of bad text
int("abc")
# --- int of empty text
int("")
# --- int of float text
int("1.5")
# --- int with base
int("8", 8)
# --- int of list
int([1])
# --- int of none
int(None)
# --- int of complex
int(1j)
# --- int of nan
int(float("nan"))
# --- int of inf
int(float("inf"))
# --- float of bad text
float("abc")
# --- float of list
float([1])
# --- float of complex
float(1j)
# --- float of none
float(None)
# --- complex of bad text
complex("x")
# --- chr out of range
chr(-1)
# --- ord of long
ord("ab")
# --- ord of int
ord(5)
# --- min of empty (python 3.12)
min([])
# --- max of empty (python 3.12)
max([])
# --- min of mixed
min(1, "a")
# --- max of an empty sequence
max()
# --- sorted of mixed
sorted([1, "a"])
# --- sort of none
[None, 1].sort()
# --- round of str
round("a")
# --- abs of str
abs("a")
# --- abs of list
abs([])
# --- math sqrt of negative
math.sqrt(-1)
# --- math log of zero
math.log(0)
# --- math log of negative
math.log(-1)
# --- math sqrt of str
math.sqrt("a")
# --- math factorial of negative
math.factorial(-1)
# --- math exp overflow
math.exp(1000)
# --- math fmod of inf
math.fmod(math.inf, 1)
# --- math acos out of domain
math.acos(2)
# --- math floor of nan
math.floor(math.nan)
# --- math gamma of zero
math.gamma(0)
# --- float power overflow
10.0 ** 400
# --- str has no attribute
"a".nope
# --- list has no attribute
[].nope
# --- int has no attribute
(5).nope
# --- none has no attribute
None.nope
# --- dict has no attribute
{}.nope
# --- module has no attribute
math.nope
# --- function has no attribute
def f(): pass
f.nope
# --- tuple has no append
(1,).append(2)
# --- join of ints
",".join([1, 2])
# --- join of none
",".join(None)
# --- split by empty
"abc".split("")
# --- replace with int
"abc".replace("a", 1)
# --- str in int
1 in "abc"
# --- bad format code for str
f"{'a':d}"
# --- bad format code for int
f"{5:s}"
# --- bad format code for float
f"{1.5:d}"
# --- bad format code for list
f"{[1]:5}"
# --- bad format specifier
f"{5:abc}"
# --- precision for int
f"{5:.2d}"
# --- format with too few
"{} {}".format(1)
# --- format with missing name
"{a}".format(b=1)
# --- percent with too few
"%d %d" % 1
# --- percent with too many
"%d" % (1, 2)
# --- percent with wrong type
"%d" % "a"
# --- percent with unknown code
"%y" % 1
# --- assert plain
assert False
# --- assert with message
assert 1 > 2, "so"
# --- raise of a value
raise ValueError("own words")
# --- raise of a class
raise KeyError
# --- raise of key error with text
raise KeyError("k")
# --- raise of several arguments
raise ValueError(1, "b")
# --- raise of a non-exception
raise 5
# --- raise without active
raise
# --- runtime error
raise RuntimeError("r")
# --- not implemented
raise NotImplementedError("later")
# --- stop iteration
next(iter([]))
# --- next of list
next([1])
# --- iter of int
iter(5)
# --- reversed of int
reversed(5)
# --- enumerate of int
list(enumerate(5))
# --- zip of int
list(zip([1], 5))
# --- map of int
list(map(abs, 5))
# --- dict of ints
dict([1])
# --- dict of long pairs
dict([(1, 2, 3)])
# --- dict update of int
{}.update(5)
# --- set of int
set(5)
# --- set of lists
set([[1]])
# --- set or list
{1} | [2]
# --- list extend by int
[].extend(5)
# --- list plus int
[1] + 1
# --- list times list
[1] * [2]
# --- list times float
[1] * 2.0
# --- dict plus dict
{} + {}
# --- assign slice of int
a = [1]
a[0:1] = 5
# --- extended slice size
a = [1, 2, 3]
a[::2] = [1]
# --- isinstance with value
isinstance(1, 5)
# --- getattr missing
getattr([], "x")
# --- module not found
import no_such_module_xyz
# --- file not found
open("/no/such/file.txt")
# --- int too many arguments
len(1, 2)
# --- builtin without argument
len()
# --- keyword to len
len(x=1)
# --- pow of str
pow("a", 2)
# --- pow with zero modulus
pow(2, 3, 0)
# --- list pop by str
[1].pop("a")
# --- recursion
def f(): return g()
def g(): return nope_here
f()
# --- error in lambda
(lambda x: x.y)(5)
# --- error in comprehension
[1 / x for x in (1, 0)]
# --- error in nested call
def f(x):
    return g(x) + 1
def g(x):
    return x["k"]
f([1])
# --- error after output
print("before")
print(1 / 0); print("never")
# --- del of undefined
del undefined_zz
# --- global not defined
def f():
    global qq
    return qq
f()
# --- nonlocal closure unset
def f():
    def g():
        return x
    g()
    x = 1
f()
# --- with of int
with 5: pass
# --- string times a negative number; string plus None
"a" * -1 + None
# --- augmented wrong type
x = "a"
x += 1
# --- augmented minus list
x = [1]
x -= [1]
# --- augmented missing name
zz_unknown += 1
# --- chained comparison error
1 < 2 < "a"
# --- not callable attribute
"abc".upper()()
# --- negative string repeat with str index
"abc"["0"]
# --- the context of an exception
def shown(e):
    print(repr(e), repr(e.__cause__), repr(e.__context__), e.__suppress_context__)
try:
    try: [][0]
    except IndexError: {}["k"]
except KeyError as e: shown(e)
try:
    try: 1 / 0
    finally: {}["k"]
except KeyError as e: shown(e)
def inner():
    try: [][1]
    except IndexError as e: return e
def outer():
    try: 1 / 0
    except ZeroDivisionError: return inner()
shown(outer())
shown(inner())
for cause in (None, ValueError("why")):
    try:
        try: 1 / 0
        except ZeroDivisionError: raise ValueError(3) from cause
    except ValueError as e: shown(e)
# --- the context of an exception that is raised again, and of a generator's
def shown(e):
    print(repr(e), repr(e.__context__), e.__context__ and repr(e.__context__.__context__))
first = None
try:
    try: 1 / 0
    except ZeroDivisionError as e:
        first = e
        try: raise KeyError("second")
        except KeyError: raise e
except ZeroDivisionError as e: shown(e)
try:
    try: raise first
    except ZeroDivisionError: raise
except ZeroDivisionError as e: shown(e)
def values():
    try: yield 1
    except ValueError: yield [][2]
g = values()
next(g)
try: g.throw(ValueError("in"))
except IndexError as e: shown(e)
def stops():
    yield next(iter([]))
try: list(stops())
except RuntimeError as e: shown(e), print(e.__suppress_context__)
