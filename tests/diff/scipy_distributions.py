# scipy.stats: probability distributions, entropy.
import numpy as np
from scipy import stats


def show(name, f):
    try:
        out = f()
        for r in out if isinstance(out, tuple) else (out,):
            r = np.asarray(r)
            print(name, r.dtype, r.shape, ['%.7g' % (v + 0.0) for v in r.ravel().tolist()])
    except Exception as e:
        print(name, type(e).__name__, e)


# --- continuous ones (scipy 1.17)
x, q = np.array([-3, -0.5, 0, 0.2, 0.3, 0.9, 1, 1.5, 4, 40, np.nan]), np.array(
    [-0.1, 0, 1e-9, 0.2, 0.3, 0.7, 0.999, 1, np.nan]
)
for law, *shapes in (
    (stats.triang, 0.3),
    (stats.triang, 0),
    (stats.triang, 1),
    (stats.triang, 1.5),
    (stats.gumbel_r,),
    (stats.gumbel_l,),
):
    for rest in ({}, {'loc': 1, 'scale': 2.5}):
        for f in ('pdf', 'logpdf', 'cdf', 'sf', 'logcdf', 'logsf'):
            show((law.name, f), lambda: getattr(law, f)(x, *shapes, **rest))
        for f in ('ppf', 'isf'):
            show((law.name, f), lambda: getattr(law, f)(q, *shapes, **rest))
        for f in ('mean', 'var', 'std', 'median', 'entropy', 'stats'):
            show((law.name, f), lambda: getattr(law, f)(*shapes, **rest))

# --- discrete ones (scipy 1.17)
k = np.array([-1, 0, 1, 2, 2.5, 3, 5, 7, 12, 30, np.nan])
for law, *shapes in (
    (stats.nbinom, 4, 0.3),
    (stats.nbinom, 2.5, 0.9),
    (stats.nbinom, 1, 1),
    (stats.nbinom, -1, 0.3),
    (stats.hypergeom, 20, 7, 12),
    (stats.hypergeom, 200, 70, 12),
    (stats.hypergeom, 10, 10, 3),
    (stats.hypergeom, 10, 3, 11),
):
    for rest in ({}, {'loc': 1}):
        for f in ('pmf', 'cdf', 'sf'):
            show(
                (law.name, f),
                lambda: getattr(law, f)(k if law is not stats.hypergeom else k[k != 2.5], *shapes, **rest),
            )
        show((law.name, 'ppf'), lambda: law.ppf(q, *shapes, **rest))
        for f in ('mean', 'var', 'std', 'entropy'):
            show((law.name, f), lambda: getattr(law, f)(*shapes, **rest))
show('rows', lambda: stats.hypergeom.cdf([[0], [1], [4]], [20, 30], 7, 12))

# --- entropies, means and variances (scipy 1.17)
for law, *shapes in (
    (stats.norm,),
    (stats.uniform,),
    (stats.expon,),
    (stats.lognorm, 0.7),
    (stats.cauchy,),
    (stats.laplace,),
    (stats.logistic,),
    (stats.rayleigh,),
    (stats.weibull_min, 1.5),
    (stats.pareto, 2.5),
    (stats.gamma, 2.5),
    (stats.chi2, 3),
    (stats.beta, 2, 3.5),
    (stats.t, 4.5),
):
    show(law.name, lambda: law.entropy(*shapes))
    show(law.name, lambda: law.entropy(*shapes, loc=3, scale=[0.5, 2, -1]))
    show(law.name, lambda: law(*shapes).entropy())
    show(law.name, lambda: law.stats(*shapes, loc=[1, 2]))
    show(law.name, lambda: law.stats(*shapes, moments='v'))
    show(law.name, lambda: law(*shapes).stats())
for law, *shapes in (
    (stats.binom, 12, 0.3),
    (stats.bernoulli, 0.25),
    (stats.poisson, 3.5),
    (stats.geom, 0.3),
    (stats.randint, 2, 9),
    (stats.poisson, [0.5, 40.0]),
):
    show(law.name, lambda: law.entropy(*shapes))
    show(law.name, lambda: law.stats(*shapes))
