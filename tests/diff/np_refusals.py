# Stores that NumPy refuses, and that change nothing: second results of ufuncs, round(out=), putmask, place, fill.
from showing import attempt

i = np.arange(4)

# --- a second result that cannot be stored leaves the first one alone
for f, args in ((np.divmod, (2,)), (np.modf, ()), (np.frexp, ())):
    for second in (np.ones(2), np.ones((2, 3)), np.ones(3, np.int8), np.ones(3, bool)):
        x = np.ones(3) * 5
        try:
            f(x, *args, out=(x, second))
        except Exception as error:
            print(type(error).__name__, str(error).strip())
        print(x, second)

# --- results that can be stored
x, a, b = np.arange(4.0) - 1.5, np.zeros(4), np.zeros(4)
print(np.divmod(x, 2, out=(a, b))[1] is b, a, b)
print(np.modf(x, out=(None, b))[1] is b, np.modf(x, out=(a, None))[0] is a, a, b)
print(np.frexp(x, out=(np.zeros(4), np.zeros(4, int))))

# --- round into an array
for o in (np.zeros(3), np.zeros(4, int), np.zeros((4, 1)), np.zeros((2, 2)), np.zeros(4, "f4"), np.zeros(4, complex), np.zeros(4, bool)):
    attempt(lambda: np.round(i / 3, 1, out=o))
    attempt(lambda: np.round(i, 0, out=o))
    attempt(lambda: np.round(i, -1, out=o))
    attempt(lambda: (i / 3).round(out=o))
    attempt(lambda: (i * 1j).round(1, out=o))

# --- integers are rounded to themselves
print(i.round() is i, np.round(i, 2) is i, i.round(-1) is i, (i > 1).round().dtype, np.round(np.int8(5), 3))
attempt(lambda: (i > 1).round(1))
attempt(lambda: (i > 1).round(-1))

# --- putmask and fill
for mask, values in ((i > 1, [1.5]), (i > 1, np.array([1.5])), ([True], 3), (True, 3), (np.ones((2, 2), bool), 5), ([1, 0], [2])):
    x = i.copy()
    attempt(np.putmask, x, mask, values)
    print(x)
for v in ([7.0], [[7.0]], (7.0,), [], [1.0, 2.0]):
    x = np.ones((2, 2))
    attempt(x.fill, v)
    print(x)
