# Programs of users of SciPy's modules that gpa does not have itself, or has in part.
# --- minimize: methods, bounds, constraints, callbacks
from scipy.optimize import minimize, Bounds
def rosen(x):
    return ((1 - x[:-1]) ** 2 + 100 * (x[1:] - x[:-1] ** 2) ** 2).sum()
def slope(x):
    g = np.zeros_like(x)
    g[:-1] += -2 * (1 - x[:-1]) - 400 * x[:-1] * (x[1:] - x[:-1] ** 2)
    g[1:] += 200 * (x[1:] - x[:-1] ** 2)
    return g
steps = []
for method in ("BFGS", "L-BFGS-B", "Nelder-Mead"):
    r = minimize(rosen, np.array([-1.0, 1.5, 0.5]), method=method, jac=slope if method != "Nelder-Mead" else None, callback=lambda *a: steps.append(1))
    print(method, r.success, np.abs(r.x - 1).max() < 1e-3, r.fun < 1e-6)
print(len(steps) > 10)
r = minimize(lambda x: (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2, (2, 0), bounds=Bounds([0, 0], [np.inf, np.inf]),
             constraints={"type": "ineq", "fun": lambda x: -x[0] - 2 * x[1] + 6})
print(np.round(r.x, 4), r.message)
# --- roots, least squares, curve fitting
from scipy import optimize
print(round(optimize.brentq(lambda x: x**3 - 2, 0, 2), 8), optimize.newton(lambda x: x * x - 2, 1.0).round(8))
print(np.round(optimize.root(lambda v: [v[0] + v[1] - 3, v[0] - v[1] - 1], [0, 0]).x, 6))
t = np.linspace(0, 4, 30)
y = 2.5 * np.exp(-1.3 * t) + 0.5
p, cov = optimize.curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c, t, y, p0=(2, 1, 0))
print(np.round(p, 6), cov.shape)
r = optimize.least_squares(lambda p: p[0] * np.exp(-p[1] * t) + p[2] - y, [1.0, 1.0, 0.0])
print(np.round(r.x, 5), r.success, r.jac.shape)
print(optimize.linear_sum_assignment(np.array([[4, 1, 3], [2, 0, 5], [3, 2, 2]])))
# --- linear programming, scalar minimum, differential evolution
from scipy.optimize import linprog, minimize_scalar, differential_evolution
r = linprog([-1, 4], A_ub=[[-3, 1], [1, 2]], b_ub=[6, 4], bounds=[(None, None), (-3, None)])
print(np.round(r.x, 6), round(r.fun, 6))
print(round(minimize_scalar(lambda x: (x - 2) ** 2 + 1).x, 6))
print(np.abs(differential_evolution(lambda x: (x**2).sum(), [(-5, 5)] * 2, seed=1).x).max() < 1e-3)
# --- integrals
from scipy import integrate
print(round(integrate.quad(lambda x: np.exp(-(x**2)), -np.inf, np.inf)[0], 10), round(integrate.dblquad(lambda y, x: x * y, 0, 1, 0, 2)[0], 10))
x = np.linspace(0, np.pi, 101)
print(round(integrate.simpson(np.sin(x), x=x), 6), round(integrate.trapezoid(np.sin(x), x), 6), integrate.cumulative_trapezoid(x, x).shape)
print(round(integrate.fixed_quad(lambda x: x**4, 0, 1, n=5)[0], 8))
# --- ordinary differential equations
from scipy.integrate import solve_ivp, odeint
def lotka(t, z, a, b, c, d):
    x, y = z
    return [a * x - b * x * y, -c * y + d * x * y]
s = solve_ivp(lotka, [0, 5], [10, 5], args=(1.5, 1, 3, 1), t_eval=np.linspace(0, 5, 6), rtol=1e-8)
print(s.success, np.round(s.y, 3), s.t)
print(np.round(odeint(lambda y, t: -0.5 * y, 3.0, np.arange(4.0)).ravel(), 5))
hit = lambda t, y: y[0]
hit.terminal = True
print(np.round(solve_ivp(lambda t, y: [y[1], -9.81], [0, 10], [10, 0], events=hit, max_step=0.1).t_events[0], 4))
# --- interpolation
from scipy.interpolate import CubicSpline, interp1d, RegularGridInterpolator, griddata, make_interp_spline, PchipInterpolator
x = np.arange(8.0)
y = np.cos(x)
c = CubicSpline(x, y)
print(np.round(c(np.array([0.5, 3.3])), 6), np.round(c(1.0, 1), 6), round(float(c.integrate(0, 3)), 6))
print(interp1d(x, y**0 * x)(2.5), np.round(PchipInterpolator(x, y)(1.5), 6), np.round(make_interp_spline(x, y, k=3)([2.2]), 6))
g = RegularGridInterpolator((x, x), np.add.outer(x, 2 * x))
print(g([[1.5, 2.5], [0.1, 6.0]]))
pts = np.array([[0, 0], [1, 0], [0, 1], [1, 1.0]])
print(griddata(pts, pts.sum(1), np.array([[0.25, 0.5]])))
# --- filters: design, application, spectra
from scipy import signal
b, a = signal.butter(3, 0.1)
print(np.round(b, 6), np.round(a, 6))
t = np.linspace(0, 1, 201)
x = np.sin(2 * np.pi * 5 * t) + 0.3 * np.sin(2 * np.pi * 60 * t)
print(np.round(signal.filtfilt(b, a, x)[::40], 4), np.round(signal.lfilter(b, a, x)[::40], 4))
sos = signal.butter(4, 30, "low", fs=200, output="sos")
print(np.round(signal.sosfilt(sos, x)[::50], 4), np.round(signal.firwin(5, 0.3), 5))
f, p = signal.welch(x, fs=200, nperseg=64)
print(f[np.argmax(p)], p.shape, signal.find_peaks(x, height=1)[0].tolist())
print(np.round(signal.savgol_filter(x, 7, 2)[:4], 5), signal.get_window("hann", 4), signal.resample(np.arange(8.0), 4).shape)
# --- sparse matrices and graphs
from scipy.sparse import csgraph
from scipy import sparse
a = np.array([[0, 2.0, 0], [0, 0, 3], [1, 0, 0]])
m = sparse.csr_matrix(a)
print(csgraph.shortest_path(a), csgraph.connected_components(a)[0], (m @ m).toarray().tolist(), csgraph.minimum_spanning_tree(a).toarray())
# --- statistics: distributions and tests
from scipy import stats
print(round(stats.norm.cdf(1.96), 6), np.round(stats.norm.ppf([0.025, 0.975]), 4), round(stats.gamma(2).pdf(1.5), 6))
x = np.array([5.1, 4.9, 6.2, 5.7, 5.5, 5.0])
y = np.array([4.8, 5.2, 5.9, 6.1, 6.3, 5.9])
r = stats.ttest_ind(x, y)
print(round(r.statistic, 6), round(r.pvalue, 6), np.round(stats.pearsonr(x, y)[0], 6), np.round(stats.spearmanr(x, y).statistic, 6))
l = stats.linregress(x, y)
print(round(l.slope, 6), round(l.intercept, 6), round(l.rvalue, 6))
print(np.round(stats.zscore(x), 4), round(stats.shapiro(x).pvalue, 4), stats.mode([1, 2, 2]).mode, round(stats.entropy([0.5, 0.5]), 6))
print(np.round(stats.kstest(x, "norm", args=(5, 1)).statistic, 5), stats.rankdata([3, 1, 2, 2]))
# --- spatial: trees, hulls, distances
from scipy.spatial import KDTree, ConvexHull, Delaunay
from scipy.spatial.distance import cdist, pdist, squareform
p = np.array([[0.0, 0], [2, 0], [2, 2], [0, 2], [1, 1]])
d, i = KDTree(p).query([[0.9, 0.8]], k=2)
print(np.round(d, 4), i, sorted(ConvexHull(p).vertices.tolist()), ConvexHull(p).volume, len(Delaunay(p).simplices))
print(np.round(cdist(p[:2], p), 3), squareform(pdist(p[:3], "cityblock")))
# --- clusters and trees
from scipy.cluster.vq import kmeans2, whiten
from scipy.cluster.hierarchy import linkage, fcluster
x = np.array([[0, 0], [0, 1.0], [10, 10], [10, 11], [20, 0.0]])
print(linkage(x, "single").round(3), fcluster(linkage(x, "single"), 3, "maxclust"))
c, label = kmeans2(x, np.array([[0.0, 0], [10, 10]]), minit="matrix")
print(np.round(c, 3), label, whiten(x).std(0).round(6))
# --- linear algebra that gpa lacks
from scipy import linalg
a = np.array([[4.0, 1], [2, 3]])
print(np.round(linalg.expm(a * 0.1), 6), np.round(linalg.sqrtm(a), 6), np.round(linalg.logm(a), 6))
T, Z = linalg.schur(a)
print(np.allclose(Z @ T @ Z.T, a), linalg.toeplitz([1, 2, 3]).tolist(), linalg.block_diag(a, [[1]]).shape)
print(np.round(linalg.solve_sylvester(a, a, a), 6), linalg.null_space(np.array([[1.0, 1]])).shape)
# --- images
from scipy import ndimage
a = np.zeros((7, 7))
a[1:3, 1:3] = 1
a[4:6, 4:7] = 2
label, n = ndimage.label(a)
print(n, label, ndimage.sum(a, label, [1, 2]), ndimage.center_of_mass(a, label, [1, 2]))
print(np.round(ndimage.gaussian_filter(a, 1)[3], 5), ndimage.binary_dilation(a > 0)[0].tolist(), ndimage.find_objects(label)[0])
print(np.round(ndimage.rotate(np.eye(4), 90), 3), ndimage.distance_transform_edt(a > 0).max())
# --- constants, special functions, Monte Carlo
from scipy import constants, special
print(constants.c, round(constants.physical_constants["electron mass"][0] * 1e31, 4))
print(np.round(special.gamma([1, 2.5, 5]), 6), np.round(special.jv(0, np.array([0, 1, 2.4])), 5), special.comb(5, 2, exact=True), special.factorial(5))
print(np.round(special.erfinv(0.5), 8), np.round(special.ellipk(0.5), 8), np.round(special.zeta(2.0), 8), np.round(special.lambertw(1).real, 8))
from scipy.stats import qmc
print(qmc.Halton(d=2, scramble=False).random(4))
