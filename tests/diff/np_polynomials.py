# poly1d and numpy.polynomial.
from numpy.polynomial import Polynomial as P
from numpy.polynomial import polynomial as pl
from numpy.polynomial import polyutils as pu
from showing import attempt

# --- poly1d
p = np.poly1d([1, 2, 3])
print(np.poly1d(p))
print(
    repr(p), p(0.5), p.r, p.c, p.order, p[1], p[9], p * p, (p**3 + 4) / p, p**2, np.square(p), p.o, p.coef, p.variable
)
q = np.poly1d([1, 2, 3], variable='z')
print(q)
print(
    np.poly1d([1, 2], True),
    -p,
    +p,
    p / 2,
    p == q,
    p != q,
    p.integ(k=2),
    p.deriv(2),
    np.polyadd(q, [1, 2]),
    np.polysub(1, p),
    np.polymul(p, [1, 0]),
    np.polyder(p),
    np.polyint(p),
    np.polydiv(p, [1, 1]),
)
print(np.poly1d([1, 0, -2.5, 0]))
print(np.poly1d([1j, 2 + 3j, 0, 1]))
print(np.poly1d([0]))
print(np.poly1d([0, 0, 1]))
print(np.poly1d(np.arange(1, 25)))
print(np.poly1d(np.arange(30) - 9))
print(
    np.polyval([3, 0, 1], np.poly1d(5)),
    2 * p,
    2 - p,
    p + 1,
    1 / np.poly1d([2.0]),
    list(p),
    len(p),
    np.asarray(p),
    np.array([1, 2]).sum() * p,
)
p[5] = 7
p[0] = 0
print(p, p.roots.shape)


def set_low():
    p[-1] = 2


attempt(set_low)
attempt(lambda: p**-1)
attempt(lambda: p**1.5)
attempt(np.poly1d, [[1, 2]])
print(
    [float(c) for c in p],
    p(np.poly1d([1, 1]))(2),
    p([1, 2]),
    np.poly1d([1.0, 2]) == np.poly1d([1, 2]),
    isinstance(p, np.poly1d),
)

# --- the functions of numpy.polynomial.polynomial
print(
    pl.polyadd([1, 2], [3, 4, -0.0]),
    pl.polysub([1, 2, 3], [1, 2, 3]),
    pl.polymul([1, 2], [1j]),
    pl.polymulx([1, 2]),
    pl.polymulx([0]),
    pl.polydiv([1, 2, 3, 4], [1, 2]),
    pl.polydiv([1], [1, 2]),
    pl.polydiv([2, 4], [2]),
    pl.polypow([1, 2], 3),
    pl.polypow([2], 0),
    pl.polyline(1, 0),
    pl.polyline(1, 2),
)
print(
    pl.polyder([1, 2, 3, 4], 2, 2),
    pl.polyder([[1, 2], [3, 4]], axis=1),
    pl.polyder([1], 3),
    pl.polyint([1, 2, 3], 2, [1, 2], 1, 2),
    pl.polyint([0]),
    pl.polyint([[1, 2], [3, 4]], axis=1, k=3),
    pl.polyint([1, 2], k=[5], lbnd=-1),
)
print(
    pl.polyval([[1, 2], [3, 4]], [1, 2, 3]),
    pl.polyval([1, 2], [[1, 2], [3, 4]]),
    pl.polyval([1, 2], [[1, 2], [3, 4]], tensor=False),
    pl.polyval(2.0, [1, 2]),
    pl.polyval((1, 2), [0, 1j]),
)
print(
    pl.polyvalfromroots(0, range(1, 4)),
    pl.polyvalfromroots([1, 2], np.arange(4).reshape(2, 2)),
    pl.polyvalfromroots([-2, 1], np.arange(-2, 2).reshape(2, 2), tensor=False),
)
c = np.arange(12.0).reshape(3, 4)
print(
    pl.polyval2d([1, 2], [3, 4], c),
    pl.polygrid2d([1, 2], [3, 4, 5], c),
    pl.polyval3d(1, 2, 3, np.arange(8).reshape(2, 2, 2)),
    pl.polygrid3d([1, 2], [3], [4, 5], np.arange(8).reshape(2, 2, 2)),
)
print(
    pl.polyvander([1, 2, 3], 2),
    pl.polyvander2d([1, 2], [3, 4], [1, 2]),
    pl.polyvander3d([1, 2], [3, 4], [5, 6], (1, 1, 1)),
    pl.polycompanion([1, 2, 3]),
    pl.polyfromroots([1, 2, 3, 4, 5]),
    pl.polyfromroots([]),
    pl.polyfromroots([1j, -1j]),
    np.round(pl.polyroots([6, -5, 1]), 8),
    pl.polyroots([1]),
    pl.polyroots([1, 2]),
    pl.polytrim([1, 2, 1e-3], 1e-2),
    pl.polydomain,
    pl.polyone,
    pl.polyzero,
    pl.polyx,
)
x = np.arange(6.0)
y = x**3 - 2 * x
print(
    np.round(pl.polyfit(x, y, 3), 6) + 0,
    np.round(pl.polyfit(x, y, [1, 3]), 6) + 0,
    np.round(pl.polyfit(x, np.array([y, 2 * y]).T, 3), 6) + 0,
    np.round(pl.polyfit(x, y, 1, w=x + 1), 6),
    [np.round(r, 6) for r in pl.polyfit(x, y, 1, full=True)[1]],
)
attempt(pl.polyadd, [], [1])
attempt(pl.polyadd, [[1]], [1])
attempt(pl.polydiv, [1], [0])
attempt(pl.polypow, [1], -1)
attempt(pl.polypow, [1, 2], 9, 8)
attempt(pl.polypow, [1, 2], 1.5)
attempt(pl.polyder, [1], -1)
attempt(pl.polyder, [1], 0.5)
attempt(pl.polyint, [1], -1)
attempt(pl.polyint, [1], 1, [1, 2])
attempt(pl.polyint, [1], lbnd=[1])
attempt(pl.polyint, [1], scl=[1])
attempt(pl.polyvander, [1], -1)
attempt(pl.polyval2d, [1, 2], [1], [[1]])
attempt(pl.polyvalfromroots, np.ones((2, 2)), [1, 2], tensor=False)
attempt(pl.polycompanion, [1])
attempt(pl.polytrim, [1], -1)
for a in (
    (x, y, -1),
    (x, y, [1.5]),
    ([[1]], [1], 1),
    ([], [], 1),
    ([1], [[[1]]], 1),
    ([1, 2], [1], 1),
    (x, y, 1, None, False, [1]),
    (x, y, 1, None, False, [[1]]),
):
    attempt(pl.polyfit, *a)

# --- the class
p = P([1, 2, 3])
print(
    p,
    repr(p),
    p(2),
    p(np.arange(3)),
    p * p,
    p + 1,
    1 - p,
    p // P([1, 1]),
    p % P([1, 1]),
    p**3,
    p.deriv(),
    p.integ(2, [1], 3),
    np.round(p.roots(), 6),
    -p,
    +p,
    p - p,
    2 * p,
    p / 2,
    p == P([1, 2, 3]),
    p != p,
    list(p),
    len(p),
)
q = P.fromroots([1, 3])
print(
    np.round(q.coef, 6),
    q.domain,
    q.window,
    P.basis(3),
    P.identity(),
    P.identity([0, 2]),
    p.degree(),
    p.copy() is p,
    p.linspace(3),
    P([1, 2, 0]).trim(),
    p.truncate(2),
    p.cutdeg(1),
    p.mapparms(),
    q.mapparms(),
    P.cast(p, [0, 4]),
    p.convert(domain=[0, 2]),
)
f = P.fit([0, 1, 2, 3], [1, 3, 5, 7], 1)
print(np.round(f.coef, 6), f.domain, np.round(f.convert().coef, 6) + 0, np.round(f(2), 6))
g, extra = P.fit([0, 1, 2], [1, 3, 5], 1, full=True)
print(np.round(extra[0], 6), extra[1])
print(
    P([1e-9, 2e10, np.nan, -1, 1j]),
    P(np.arange(30)),
    P([1, -2], symbol='t'),
    repr(P([1.5], [0, 1])),
    P([1, 2], [0, 4]),
    P([1, 2], [1, 3]),
    P([0.1, 1e-5, 12345678.9, 123456789.0, np.inf]),
)
for f in (
    lambda: p + P([1], [0, 1]),
    lambda: p + P([1], symbol='y'),
    lambda: P([1], [1, 2, 3]),
    lambda: P([1], window=[1]),
    lambda: P([1], symbol='1'),
    lambda: p.truncate(0),
    lambda: P.basis(-1),
    lambda: P([]),
    lambda: p**-1,
    lambda: p.trim(-1),
):
    attempt(f)
p.maxpower = 2
attempt(lambda: p**3)
print(p.has_samecoef(P([1, 2, 3])), p.has_samedomain(P([1], [0, 1])), p.has_samewindow(p), p.has_sametype(3))
np.polynomial.set_default_printstyle('ascii')
print(p, P([1, 2], [0, 4]))
np.polynomial.set_default_printstyle('unicode')
attempt(np.polynomial.set_default_printstyle, 'x')
print(
    pu.getdomain([1, 2j, -1]),
    pu.getdomain([3, 1]),
    pu.mapparms((0, 1), (2, 4)),
    pu.mapdomain([0, 1], (0, 1), (2, 4)),
    pu.trimseq([1, 0]),
    pu.as_series([[1, 2], [1j]]),
    pu.trimcoef([0, 0]),
    pu.format_float(np.float64(1e-10), parens=True),
    pu.format_float(3),
)

# --- series of orthogonal polynomials: the classes (numpy before 2.5)
from numpy.polynomial import Chebyshev, Legendre, Laguerre, Hermite, HermiteE

for K in (Chebyshev, Legendre, Laguerre, Hermite, HermiteE):
    p = K([1, 2, 3, 0.5])
    q = K([2, -1])
    print(
        p,
        repr(p),
        np.round(p(np.linspace(0, 1, 4)), 8),
        np.round((p * q).coef, 8),
        p + q,
        p // q,
        np.round((p % q).coef, 8),
        np.round(p.deriv().coef, 8),
        np.round(p.integ(2, [1]).coef, 8),
        np.round(p.roots(), 6),
        np.round(p.convert(kind=P).coef, 8),
        np.round(K.cast(P([1, 2, 3])).coef, 8),
        np.round(K.fromroots([1, 2, 3]).coef, 8),
        np.round(K.fit([0, 1, 2, 3], [1, 2, 5, 10], 2).coef, 8),
        K.basis(2),
        np.round(K.identity().coef, 8),
        np.round((p**2).coef, 8),
        p == q,
        K([1, 2], [0, 4]),
    )
attempt(lambda: Chebyshev([1]) + P([1]))
attempt(lambda: Legendre([1, 2]) // 0)
attempt(lambda: Hermite([1, 2]) ** 101)

# --- series of orthogonal polynomials: their functions (numpy before 2.5)
import numpy.polynomial.chebyshev, numpy.polynomial.legendre, numpy.polynomial.laguerre
import numpy.polynomial.hermite, numpy.polynomial.hermite_e

np_ = np.polynomial
c2 = np.arange(12.0).reshape(3, 4)
x = np.linspace(0.1, 0.9, 5)
for m, k in (
    (np_.chebyshev, 'cheb'),
    (np_.legendre, 'leg'),
    (np_.laguerre, 'lag'),
    (np_.hermite, 'herm'),
    (np_.hermite_e, 'herme'),
):
    f = lambda name: getattr(m, k + name)
    r = lambda v: np.round(np.asarray(v) + 1e-9, 5) + 0
    print(
        k,
        f('domain'),
        f('x'),
        f('line')(1, 2),
        f('line')(3, 0),
        r(f('mulx')([1, 2, 3])),
        r(f('mul')([1, 2, 3], [1, 2])),
        [r(v) for v in f('div')([1, 2, 3], [1, 2])],
        r(f('pow')([1, 2], 3)),
        r(f('val')(x, [1, 2, 3, 4])),
        r(f('val')(x, c2)),
        r(f('val')([1, 2, 3, 4], c2, tensor=False)),
        f('val')(0.5, [1, 2, 3]).dtype,
    )
    print(
        r(f('der')([1, 2, 3, 4])),
        r(f('der')([1, 2, 3, 4], 2, 3)),
        r(f('der')(c2, axis=1)),
        r(f('der')([1], 2)),
        r(f('int')([1, 2, 3])),
        r(f('int')([1, 2, 3], 2, [1, 2], -1, 2)),
        r(f('int')(c2, axis=1)),
        r(f('vander')(x, 3)),
        r(f('vander2d')(x, x, [1, 2])),
        r(f('vander3d')(x[:2], x[:2], x[:2], [1, 1, 1])),
        r(f('fit')(x, x**2, 2)),
        r(f('fit')(x, x, [0, 1])),
        r(f('roots')([1, 2, 3])),
        f('roots')([1]),
        r(f('fromroots')([0.5, 1])),
        r(getattr(m, k + '2poly')([1, 2, 3, 4])),
        r(getattr(m, 'poly2' + k)([1, 2, 3, 4])),
        r(f('weight')(x)),
        r(f('val2d')(x, x, c2)),
        r(f('grid2d')(x[:2], x, c2)),
        f('trim')([1, 0]),
    )
    attempt(f('companion'), [1])
    attempt(f('der'), [1], -1)
    attempt(f('int'), [1], -1)
    attempt(f('vander'), [1], -1)
    attempt(f('pow'), [1, 2], -1)
    attempt(f('pow'), [1, 2], 99) if k != 'leg' else 0
print(
    np_.chebyshev.chebpts1(3),
    np.round(np_.chebyshev.chebpts2(3), 8) + 0,
    np.round(np_.chebyshev.chebgauss(3), 8) + 0,
    [np.round(v, 8) + 0 for v in np_.legendre.leggauss(5)],
    [np.round(v, 8) + 0 for v in np_.legendre.leggauss(1)],
    np.round(np_.legendre.leggauss(40)[1].sum(), 10),
)
attempt(np_.legendre.leggauss, 0)
attempt(np_.chebyshev.chebpts1, 0)
attempt(np_.chebyshev.chebpts2, 1)

# --- quadratures, companion matrices, interpolation
from numpy.polynomial import hermite as H, hermite_e as E, laguerre as L, chebyshev as C, legendre as P

for gauss in (H.hermgauss, E.hermegauss, L.laggauss):
    for n in (1, 2, 5, 30):
        x, w = gauss(n)
        print(np.round(x, 9), ["%.9e" % v for v in w])
    try:
        gauss(0)
    except ValueError as e:
        print(e)
for f in (H.hermcompanion, E.hermecompanion, L.lagcompanion, C.chebcompanion, P.legcompanion):
    print(np.round(f([1, 2, 3, 4]), 9), np.round(f([1, 2]), 9), f([1, 2, 3j]).dtype)
print(
    np.round(H.hermroots([1, 2, 3, 4]), 8),
    np.round(C.chebinterpolate(lambda x: x**3 + 1, 4), 9) + 0.0,
    np.round(C.chebinterpolate(lambda x, a: x * a, 2, (3,)), 9) + 0.0,
)
for bad in (1.5, -1):
    try:
        C.chebinterpolate(lambda x: x, bad)
    except Exception as e:
        print(type(e).__name__, e)
# --- formats
for kind in (np.polynomial.Polynomial, np.polynomial.Chebyshev, np.polynomial.HermiteE):
    p = kind([1, 2, -3.5])
    print(f"{p:unicode} | {p:ascii} | {p} | {p!s} | {format(p, 'ascii')}", "{:ascii}".format(p))
    for bad in ('latin', '.2f'):
        try:
            format(p, bad)
        except Exception as e:
            print(type(e).__name__, e)
# --- series by values of functions
C = np.polynomial.Chebyshev
print(
    C.interpolate(np.sin, 3).coef.round(6) + 0.0,
    C.interpolate(lambda x, k: x**k, 3, domain=[0, 2], args=(2,)).coef.round(6) + 0.0,
    C.interpolate(np.exp, 4, [0, 3]).domain,
    float(C.interpolate(np.exp, 8, [0, 3])(2.5).round(3)),
)
for bad in (lambda: C.interpolate(np.sin, -1), lambda: C.interpolate(np.sin, 2.5)):
    try:
        bad()
    except Exception as e:
        print(type(e).__name__, e)
print(
    [
        getattr(np.polynomial, k)([1]).basis_name
        for k in ("Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE")
    ]
)
