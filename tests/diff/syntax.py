# Programs that are no programs: the words of the syntax errors.
# --- a bracket never closed
x = (1 + 2
# --- a square bracket never closed
x = [1, 2
# --- a brace never closed
d = {"a": 1
# --- a bracket closed by another
x = (1, 2]
# --- a bracket closed twice
x = (1))
# --- a missing colon after if
if 1
    pass
# --- a missing colon after for
for i in range(3)
    pass
# --- a missing colon after while
while True
    pass
# --- a missing colon after def
def f()
    pass
# --- a missing colon after else
if 1:
    pass
else
    pass
# --- a missing colon after try
try
    pass
except:
    pass
# --- no block after if
if 1:
x = 2
# --- no block after def
def f():
x = 2
# --- no block after for
for i in []:
x = 2
# --- no block after while
while 1:
x = 2
# --- no block after else
if 1:
    pass
else:
x = 2
# --- no block after try
try:
x = 1
# --- no block after with
with a:
x = 1
# --- unexpected indent
x = 1
    y = 2
# --- unindent to no level
if 1:
        x = 1
    y = 2
# --- unterminated string
x = "abc
# --- unterminated triple string
x = """abc
def
# --- assignment in a condition
if x = 1:
    pass
# --- assignment to a number
1 = x
# --- assignment to a call
f() = 1
# --- assignment to None
None = 1
# --- assignment to True
True = 1
# --- assignment to a string
"a" = 1
# --- assignment to an operator
a + b = 1
# --- assignment to a comparison
a < b = 1
# --- assignment to a lambda
(lambda: 0) = 1
# --- assignment to a conditional
(a if b else c) = 1
# --- augmented assignment to a tuple
a, b += 1
# --- augmented assignment to a call
f() += 1
# --- delete a call
del f()
# --- delete a number
del 1
# --- delete an operator
del a + b
# --- return outside a function
return 1
# --- break outside a loop
break
# --- continue outside a loop
continue
# --- break in a function in a loop
for i in []:
    def f():
        break
# --- nonlocal at the outer level
nonlocal x
# --- nonlocal without a binding
def f():
    nonlocal zz
# --- global after use
def f():
    x = 1
    global x
# --- a name that is a parameter and global
def f(x):
    global x
# --- a default before a plain parameter (python 3.12)
def f(a=1, b): pass
# --- a parameter twice
def f(a, a): pass
# --- a keyword argument twice
f(a=1, a=2)
# --- positional after keyword
f(a=1, 2)
# --- positional after unpacking of keywords
f(**d, 1)
# --- a keyword that is an expression
f(a.b=1)
# --- a keyword that is a number
f(1=2)
# --- two starred targets
*a, *b = c
# --- a starred target alone
*a = [1]
# --- a star in a return is fine, alone it is not
x = *a
# --- a generator without brackets
f(x for x in y, 1)
# --- an else without if
else:
    pass
# --- an except without try
except:
    pass
# --- elif after else
if 1:
    pass
else:
    pass
elif 2:
    pass
# --- try alone
try:
    pass
x = 1
# --- bare except not last
try:
    pass
except:
    pass
except ValueError:
    pass
# --- several exceptions without brackets
try:
    pass
except A, B:
    pass
# --- an operator without an operand
x = 1 +
# --- two operators
x = 1 * / 2
# --- two names
a b
# --- two numbers
1 2
# --- a print statement
print "a"
# --- a missing comma
f(a b)
# --- a missing comma in a list
[1 2]
# --- an increment
x++
# --- a C condition
x = a && b
# --- a question mark
x = a ? b : c
# --- a dollar sign
x = $a
# --- a wrong character
x = 1 ‘ 2
# --- an invalid number
x = 1abc
# --- a leading zero
x = 012
# --- an invalid octal
x = 0o9
# --- an invalid binary
x = 0b2
# --- an invalid hexadecimal
x = 0xg
# --- underscores at the end
x = 1_
# --- two dots in a number
x = 1.2.3
# --- a backslash before something
x = 1 \ 2
# --- a keyword as a name
for = 1
# --- a keyword as a parameter
def f(if): pass
# --- a lambda without a colon
f = lambda x x
# --- an f-string with an empty expression (python 3.12)
f"{}"
# --- an f-string with one brace (python 3.12)
f"{a"
# --- an f-string with a closing brace
f"}"
# --- an import without a name
import
# --- from without import
from math
# --- a decorator without a function
@d
x = 1
# --- a slice outside brackets
x = 1:2
# --- a walrus at the top
x := 1
# --- a conditional without else
x = 1 if 2
# --- not in the wrong order
x = a in not b
# --- a comparison by <>
x = a <> b
# --- a dict with a missing value
{"a": 1, "b"}
# --- a dict comprehension without a colon
{a, b for a in c}
# --- a star in an index
a[*]
# --- an empty subscription
a[]
# --- an unfinished comparison
if x ==:
    pass
# --- an unfinished call
f(
# --- a for without in
for i range(3):
    pass
# --- an import of parts
import math.
# --- as without a name
import math as
# --- assert without anything
assert
# --- a global without names
global
