# Objects that take over NumPy's functions (__array_function__) and operators (NDArrayOperatorsMixin).
# --- every function goes to the object
class A:
    def __array_function__(self, func, types, args, kwargs):
        return func.__name__, [t.__name__ for t in types], len(args), sorted(kwargs)
a, x = A(), np.ones(2)
print(np.sum(a, axis=0), np.concatenate([a, x]), np.mean(a), np.where(a, 1, 2), np.linalg.norm(a), np.stack([a]), np.zeros_like(a))
print(np.einsum('i', a), np.fft.fft(a), np.median(a), np.dot(a, 1), np.reshape(a, (1,)), np.sort(a), np.unique(a), np.histogram(a))
print(np.interp(1, a, a), np.copyto(a, 1), np.shape(a), np.array_equal(a, a), np.linalg.svd(a), np.pad(a, 1), np.broadcast_to(a, 3))
print(np.atleast_1d(a), np.min(a), np.iscomplexobj(a), np.vstack([a]), np.full_like(a, 1), np.full(3, 1, like=a)[:2],
    np.asarray(1, like=a), np.arange(3, like=a))
print(np.dot(x, a), np.dot(a, x), np.tensordot(x, b=a), np.concatenate((x, a), axis=0), np.sum(*[a], **{'axis': 1}))

# --- no implementation
class B:
    def __array_function__(self, func, types, args, kwargs):
        return NotImplemented
for f in (lambda: np.sum(B()), lambda: np.concatenate([B()]), lambda: np.linalg.det(B()), lambda: np.dot(np.ones(2), B())):
    try:
        f()
    except TypeError as e:
        print(e)

# --- a table of implementations, as NEP 18 has it
handled = {}
class Diagonal:
    def __init__(self, n, value):
        self.n, self.value = n, value
    def __array__(self, dtype=None, copy=None):
        return self.value * np.eye(self.n, dtype=dtype)
    def __array_function__(self, func, types, args, kwargs):
        if func not in handled or not all(issubclass(t, Diagonal) for t in types):
            return NotImplemented
        return handled[func](*args, **kwargs)
def implements(function):
    def decorate(implementation):
        handled[function] = implementation
        return implementation
    return decorate
@implements(np.sum)
def total(a):
    return a.value * a.n
@implements(np.mean)
def mean(a):
    return np.sum(a) / a.n**2
@implements(np.linalg.norm)
def norm(a, ord=None):
    return ord
d = Diagonal(5, 1)
print(np.sum(d), np.mean(d), np.asarray(d).shape, np.linalg.norm(d, ord=2), np.array(d)[0, 0])
try:
    np.var(d)
except TypeError as e:
    print(e)
print(np.sum(np.ones(3)), np.mean([1, 2]))

# --- subclasses precede their bases
class Base:
    def __array_function__(self, func, types, args, kwargs):
        return type(self).__name__, [t.__name__ for t in types]
class Derived(Base):
    pass
class Other:
    def __array_function__(self, func, types, args, kwargs):
        return NotImplemented
b, d, o, x = Base(), Derived(), Other(), np.ones(1)
print(np.concatenate([b, d]), np.concatenate([d, b]), np.concatenate([o, b, d]), np.concatenate([b, b]), np.concatenate([x, o, b]), np.concatenate([b, x]))

# --- NDArrayOperatorsMixin
from numpy.lib.mixins import NDArrayOperatorsMixin
import numbers
class ArrayLike(NDArrayOperatorsMixin):
    def __init__(self, value):
        self.value = np.asarray(value)
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        out = kwargs.get('out', ())
        for x in inputs + out:
            if not isinstance(x, (np.ndarray, numbers.Number, ArrayLike)):
                return NotImplemented
        inputs = tuple(x.value if isinstance(x, ArrayLike) else x for x in inputs)
        if out:
            kwargs['out'] = tuple(x.value if isinstance(x, ArrayLike) else x for x in out)
        result = getattr(ufunc, method)(*inputs, **kwargs)
        if type(result) is tuple:
            return tuple(type(self)(x) for x in result)
        return None if method == 'at' else type(self)(result)
    def __repr__(self):
        return f'{type(self).__name__}({self.value!r})'
x = ArrayLike([1, 2, 3])
print(x - 1, 1 - x, np.arange(3) - x, x - np.arange(3), x @ x, x < 2, -x, abs(x), ~x, x**2, divmod(x, 2), x // 2, x % 2, x << 1, x & 1, x == x, x != 1, 2**x)
x += 1
print(x, np.add.reduce(x), np.multiply.outer(x, x), np.add.accumulate(x), np.modf(ArrayLike([1.5])))
np.add(x, 1, out=x)
print(x)
try:
    x - 'a'
except TypeError as e:
    print(e)
