# Floating-point errors: what is done about them.
def attempt(f):
    try: print(repr(f()))
    except Exception as e: print(type(e).__name__, e)
# --- raised
with np.errstate(all='raise'):
    for f in (lambda: np.sqrt(-1), lambda: np.sqrt(np.array([-1.,2])), lambda: np.arange(3.)/np.arange(3.), lambda: np.array([1.])/0, lambda: np.log(np.zeros(2)), lambda: np.log1p(np.array([-1, 0])), lambda: np.arctanh(np.array([1.])), lambda: np.exp(np.array([1000.])), lambda: np.int16(32000)*np.int16(3), lambda: np.array([1e-300])*1e-300, lambda: np.array([1])//0, lambda: np.array([3]) % np.array([0]),
              lambda: np.float64(1)/0, lambda: np.array([np.inf])-np.inf, lambda: np.array([np.nan])+1, lambda: np.int64(2**62)+np.int64(2**62), lambda: np.uint8(200)+np.uint8(100), lambda: np.uint8(1)-np.uint8(2), lambda: np.int32(5)*np.int32(7), lambda: np.float32(1e30)*np.float32(1e30), lambda: np.power(np.array([0.0]), -1), lambda: np.array([1j])/0, lambda: np.array([1e300])**3,
              lambda: np.array([1, 2])/0, lambda: np.array([1., 2])/np.array([[1], [0.]]), lambda: np.add.outer([np.inf], [-np.inf]), lambda: np.array([1, np.inf]) > 0, lambda: np.divide([1.,0],[1,0.],where=[True,False], out=np.zeros(2)), lambda: np.float64(-1)**0.5, lambda: np.array([2])*3, lambda: np.square(np.array([1e-200])), lambda: np.reciprocal(np.array([0.]))): attempt(f)
    def update(a): a /= 0
    attempt(lambda: update(np.ones(2))); attempt(lambda: update(np.zeros(2)))

# --- some of them
with np.errstate(divide='raise', invalid='ignore'): attempt(lambda: np.zeros(1) / 0); attempt(lambda: np.ones(1) / 0); attempt(lambda: np.exp(np.array([1000.])))
with np.errstate(over='raise'): attempt(lambda: np.ones(1) / 0); attempt(lambda: np.exp(np.array([1000.]))); attempt(lambda: np.array([1e-300]) * 1e-300)
with np.errstate(all='ignore'): print(np.float64(1)/0, np.sqrt(-1), np.int8(100) + np.int8(100))

# --- handlers
def h(w, f): print(w, f)
old = np.seterrcall(h)
with np.errstate(all='call'): print(np.array([1,2,3])/0.0, np.sqrt(np.array([-1.0])), np.int8(100) * np.int8(2))
print(old, np.geterrcall() is h)
attempt(lambda: np.seterrcall(3)); print(np.seterrcall(None) is h, np.geterrcall())
def other(w, f): print('other', w)
with np.errstate(divide='call', call=other): np.ones(1) / 0
print(np.geterrcall())

# --- errstate as a decorator, nested, with wrong words
@np.errstate(divide='raise')
def f(x):
    "the doc"
    return np.array([1.0]) / x
for x in (1.0, 0.0):
    try: print(f(x), f.__name__, f.__doc__)
    except FloatingPointError as e: print(e)
g = np.errstate(all='ignore')(lambda a, *b, k=2: (a, b, k)); print(g(1, 2, k=3))
try:
    with np.errstate(divide='bogus'): pass
except ValueError as e: print('ValueError')
try:
    with np.errstate(foo='raise'): pass
except TypeError as e: print(e)
with np.errstate(divide='raise'):
    with np.errstate(divide='ignore'): print(np.array([1.0]) / 0)
    try: np.array([1.0]) / 0
    except FloatingPointError as e: print(e)
try:
    with np.errstate(over='raise'): raise KeyError('k')
except KeyError: print('after')
