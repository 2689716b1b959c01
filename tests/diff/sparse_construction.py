# scipy.sparse against SciPy: construction, diagonals, blocks, printing, files.
import scipy.sparse as sp
from sparse_matrices import data, kinds, tell, error

# --- construction, conversion, transpose (scipy 1.17)
for t in ("i4", "i8", "f4", "f8", "c16", "?"):
    for kind in kinds:
        a = kind(data(5, 4, t))
        tell(
            lambda: a,
            lambda: a.tocsr(),
            lambda: a.tocsc(),
            lambda: a.tocoo(),
            lambda: a.T,
            lambda: a.astype("f8") if t != "c16" else a,
            lambda: kind(a),
            lambda: kind((3, 2)),
            lambda: kind(([1, 2, 4], ([0, 1, 1], [2, 0, 0])), shape=(3, 4)),
            lambda: a.nnz,
            lambda: a.data,
            lambda: a.tocsc().indices,
            lambda: a.tocsc().indptr,
            lambda: a.tocsr().indices,
            lambda: a.tocsr().indptr,
            lambda: a.asformat("csc"),
        )

# --- errors of constructors (scipy 1.17)
for kind in (sp.csr_matrix, sp.csc_array):
    tell(
        lambda: kind(([1, 2], [0, 1], [0, 1]), shape=(2, 2)),
        lambda: kind(([1, 2], [0, 1], [1, 1, 2]), shape=(2, 2)),
        lambda: kind(([1, 2], [0, 1], [0, 1, 5]), shape=(2, 2)),
        lambda: kind(([1], [0, 1], [0, 1, 1]), shape=(2, 2)),
    )
for kind in (sp.coo_matrix, sp.coo_array, sp.csr_matrix):
    tell(
        lambda: kind(([1], ([0], [5])), shape=(2, 3)),
        lambda: kind(([1], ([-1], [0])), shape=(2, 3)),
        lambda: kind(([1, 2], ([0], [0])), shape=(2, 3)),
        lambda: kind(([], ([], []))),
        lambda: kind((2, -3)),
    )

# --- printing (scipy 1.17)
for kind in kinds:
    for t in ("i8", "f4", "c16", "?"):
        a = kind(data(3, 4, t))
        print(a)
        print(repr(a))
print(sp.csr_matrix((2, 3)))
print(sp.csr_matrix(np.arange(130).reshape(10, 13)))
print([sp.coo_array((1, 1))])

# --- matrices from matrices (scipy 1.17)
d, e = data(3, 4), data(2, 4, seed=1)
a, b = sp.csr_matrix(d), sp.coo_matrix(e)
tell(
    lambda: sp.eye(3, format="csr"),
    lambda: sp.eye(3, 4, 1, format="csr"),
    lambda: sp.identity(3, format="csc"),
    lambda: sp.eye_array(2, format="coo"),
    lambda: sp.diags([1.0, 2], format="csr"),
    lambda: sp.diags([[1, 2, 3], [4, 5]], [0, -1], format="csc", dtype=float),
    lambda: sp.diags([1.0, -2, 1], [-1, 0, 1], shape=(4, 4), format="csr"),
    lambda: sp.diags([[1.0, 2, 3], [4]], [0, 1], format="csr"),
    lambda: sp.diags_array([1.0, 2], offsets=1, format="csr"),
    lambda: sp.spdiags([[1.0, 2, 3], [4, 5, 6]], [0, 1], 3, 3, format="csr"),
    lambda: sp.vstack([a, a]),
    lambda: sp.vstack([a, b]).toarray(),
    lambda: sp.hstack([a, a]),
    lambda: sp.hstack([a.tocsc(), a.tocsc()]),
    lambda: sp.vstack([a, a], "csc"),
    lambda: sp.hstack([a, b]),
    lambda: sp.vstack([a, b.T]),
    lambda: sp.block_diag([a, b]).toarray(),
    lambda: sp.bmat([[a, None], [None, b]]).toarray(),
    lambda: sp.bmat([[a, None], [b, None]]),
    lambda: sp.bmat([[a, b]]),
    lambda: sp.block_array([[sp.csr_array(d)], [sp.csr_array(e)]], format="csr"),
    lambda: sp.kron(a, b, "csr"),
    lambda: sp.kronsum(sp.eye(2, format="csr"), sp.csr_matrix(data(3, 3)), "csr"),
    lambda: sp.tril(a),
    lambda: sp.triu(b, 1),
    lambda: sp.tril(a, -1, "csc"),
    lambda: sp.find(a)[0],
    lambda: sp.find(a)[2],
    lambda: a.reshape(2, 6),
    lambda: a.reshape((6, -1)),
    lambda: a.transpose(),
    lambda: a.copy(),
    lambda: sp.issparse(a),
    lambda: sp.isspmatrix(sp.csr_array(d)),
    lambda: sp.isspmatrix_csc(a.T),
    lambda: a.real,
    lambda: sp.random(5, 5, 2.0),
    lambda: sp.random(20, 30, 0.1, rng=np.random.default_rng(1)).nnz,
)

# --- files (scipy 1.17)
import os, tempfile

folder = tempfile.mkdtemp()
path = os.path.join(folder, "a.npz")
for kind in kinds:
    a = kind(data(4, 5))
    sp.save_npz(path, a)
    tell(lambda: sp.load_npz(path))
    sp.save_npz(path[:-4], a, compressed=False)
    tell(lambda: sp.load_npz(path))
    with np.load(path) as parts:
        print(sorted(parts.files), parts["shape"].tolist())
np.savez(path, x=np.ones(2))
try:
    sp.load_npz(os.path.join(folder, "none.npz"))
except OSError as e:
    print(type(e).__name__)
os.remove(path)
os.rmdir(folder)

# --- diags and eye: csr, csc, coo (scipy 1.17)
for form in ("csr", "csc", "coo"):
    tell(
        lambda: sp.diags([[1, 2, 3], [4, 5], [6, 7]], [0, 1, -1], format=form),
        lambda: sp.diags([1, 2], [1, -2], shape=(3, 5), format=form),
        lambda: sp.diags([[1, 2, 3]], [2], format=form),
        lambda: sp.eye(3, 5, 2, format=form),
        lambda: sp.eye(5, 3, -2, format=form),
        lambda: sp.eye(3, 3, 7, format=form),
        lambda: sp.identity(0, format=form),
    )

# --- mT (scipy 1.18)
tell(lambda: sp.csr_matrix(data(3, 4)).mT)

# --- block_diag, bmat, vstack (scipy 1.17)
a, b = sp.csr_matrix(data(3, 4)), sp.csr_matrix(data(2, 4, seed=1))
tell(
    lambda: sp.block_diag([a, b.tocsc(), b.tocoo(), [[1, 0], [0, 2.0]], np.array([[0, 1], [3, 0]]), 5], "csr"),
    lambda: sp.block_diag([np.array([[1, 0], [0, 0]])]).nnz,
    lambda: sp.block_diag([sp.csr_array(data(2, 2)), a]),
    lambda: sp.block_diag([a, a], dtype="f4"),
    lambda: sp.block_diag([a] * 30).sum(),
    lambda: sp.block_diag([np.eye(2), np.zeros((0, 3)), np.ones((1, 0)), a]),
    lambda: sp.bmat([[a, a], [b, b]]),
    lambda: sp.bmat([[a, a], [b, b]], "csc"),
    lambda: sp.bmat([[a], [b]], dtype="f4"),
    lambda: sp.bmat([[a.tocsc(), a.tocsc()]], "csr"),
    lambda: sp.vstack([a, b] * 20).sum(axis=0),
    lambda: sp.vstack([a] * 5).indptr,
    lambda: sp.vstack([a.tocsc()] * 3, "csc").indptr,
    lambda: sp.bmat([[sp.csr_array(data(2, 2)), a[:2]]]),
)
try:
    sp.bmat([[a, a], [b]])
except ValueError:
    print("refused")

# --- spdiags (scipy 1.17)
d = data(3, 6) + 1
for m, n in ((6, 6), (4, 6), (6, 4), (9, 6), (6, 9), (2, 2)):
    for where in ([0, 1, -1], [-3, 5, 2], [8, -8, 0], [3, -1, 1], [-1, 0, 1], [-2, 1, 3]):
        for form in ("csr", "csc", "coo"):
            tell(
                lambda: sp.spdiags(d, where, m, n, form),
                lambda: sp.spdiags(np.asfortranarray(d), where, m, n, form),
                lambda: sp.spdiags(d[:, ::-1], where, m, n, form),
            )
long = (np.arange(24000) % 11 * 0.5).reshape(3000, 8).T


def stored(m):  # every stored element, instead of nine million that are mostly zeros
    m.sort_indices()
    print(type(m).__name__, m.format, m.shape, m.dtype, m.nnz, m.indptr.tolist(), m.indices.tolist(), m.data.tolist())


for where in (range(8), [-2900, -3, -2, 0, 1, 5, 7, 2000], [-7, -6, -5, -4, -3, -2, -1, 0]):
    for t in ("f8", "f4", "i2", "c16"):
        stored(sp.spdiags(long.astype(t), list(where), 3000, 3000, "csr"))
        stored(sp.spdiags(long[::-1].astype(t), list(where), 2950, 3000, "csr"))
        stored(sp.spdiags(np.asfortranarray(long).astype(t), list(where), 3000, 2990, "csr"))
tell(
    lambda: sp.spdiags([1, 2, 0], 0, 3, 3, "csr"),
    lambda: sp.spdiags([[1, 2, 0]], [1], 5, 5, "coo").nnz,
    lambda: sp.spdiags(d, [0, 1, 1], 6, 6),
    lambda: sp.spdiags(d, [0, 1], 6, 6),
)

# --- spdiags and diags: zeros are not stored (scipy 1.10)
k = np.arange(3 * 9000).reshape(3, 9000)
for t in ("f4", "f8", "i1", "i2", "i8", "c8", "c16", "?"):
    for d in (
        (k * 7919 % 11 % 3 - 1).astype(t),
        np.where(k == 13000, 0, 1).astype(t),
        np.zeros((3, 9000), t),
        np.ones((3, 9000), t),
    ):
        for where, m, n in (
            ([-2, 0, 5], 9000, 9000),
            ([-4, -3, 4095], 4100, 9000),
            ([0, 1, 2], 8192, 9000),
            ([-1, 0, 1], 7, 9000),
        ):
            a, b = sp.spdiags(d, where, m, n, "csr"), sp.spdiags(np.asfortranarray(d), where, m, n, "csr")
            print(
                t,
                a.nnz,
                b.nnz,
                a.dtype,
                a.indptr[::97].tolist(),
                (a.indices.astype("i8") * (np.arange(a.nnz) % 97)).sum(),
                (a.data.astype("c16") * (np.arange(a.nnz) % 89)).sum(),
                (a != b).nnz,
            )
for t in ("f4", "f8", "c8", "c16"):
    tell(lambda: sp.spdiags(np.array([[-0.0, np.nan, 0.0, np.inf, 5e-324, 1e-45]]).astype(t), [0], 6, 6, "csr"))
tell(
    lambda: sp.spdiags(
        np.array([[complex(0, 1), complex(1, 0), complex(-0.0, -0.0), complex(0, np.nan)]]), [0], 4, 4, "csr"
    )
)
wide = (np.arange(5000)[:, None] + np.arange(2)) % 4
tell(
    lambda: sp.spdiags(wide.astype("f4"), np.arange(5000) - 1, 2, 5001, "csr").nnz,
    lambda: sp.spdiags(wide.astype("f4"), np.arange(5000) - 4998, 5000, 2, "csr").indptr[::500],
)
for form in ("csr", "csc", "coo"):
    tell(
        lambda: sp.diags([[1.0, 0, 2], [3, 0], [0, 0]], [0, 1, -1], format=form),
        lambda: sp.diags([0.0, 1], [0, 1], shape=(3, 4), format=form),
        lambda: sp.diags([[0.0, 0]], [1], format=form),
    )

# --- diags, eye, identity in every format (scipy 1.17)
import warnings

warnings.simplefilter("ignore")
for form in (None, "dia", "csr", "csc", "coo", "lil", "bsr"):
    tell(
        lambda: sp.diags([[1, 2, 3], [4, 5]], [0, 1], format=form),
        lambda: sp.diags([1.0, -2, 1], [-1, 0, 1], shape=(4, 4), format=form),
        lambda: sp.diags([[0, 1.0, 2], [3, 0]], [0, 1], format=form),
        lambda: sp.diags([np.ones(3, "f4")], [0], format=form),
        lambda: sp.diags([1, 2], [1, -2], shape=(3, 5), format=form),
        lambda: sp.diags_array([1.0, 2], offsets=1, format=form),
        lambda: sp.eye(3, format=form),
        lambda: sp.eye(3, 5, 2, dtype=int, format=form),
        lambda: sp.eye(5, 3, -2, format=form),
        lambda: sp.identity(3, format=form),
        lambda: sp.eye_array(2, 3, format=form),
        lambda: sp.spdiags([[1, 2, 3], [4, 5, 6]], [0, 1], 3, 3, form),
        lambda: sp.spdiags([[1, 2, 3], [4, 5, 6]], [1, -1], 3, 4, form),
        lambda: sp.diags([[1, 2, 3, 4, 5]], [0], shape=(3, 3), format=form),
        lambda: sp.diags([1j, 2], format=form),
    )
    error(
        lambda: sp.diags([1, 2], [0, 0], shape=(3, 3), format=form),
        lambda: sp.diags([[1, 2], [3]], [0, 1], shape=(4, 4), format=form),
        lambda: sp.diags([[1]], [7], shape=(3, 3), format=form),
        lambda: sp.diags([[1]], [0, 1], format=form),
        lambda: sp.spdiags([[1, 2]], [0, 1], 2, 2, form),
    )
a = sp.diags([1.0, 2, 3])
tell(
    lambda: a.data,
    lambda: a.offsets,
    lambda: a + sp.eye(3),
    lambda: a @ sp.eye(3, format="csr"),
    lambda: sp.kron(a, a, "csr"),
)

# --- indices that are floats
for shape in (None, (3, 4)):
    tell(lambda: sp.coo_matrix(([1, 2], ([0.0, 2.0], [1, 3])), shape=shape).toarray().tolist(),
         lambda: sp.csr_array(([1, 2], ([0, 2], np.array([1.0, 3.0]))), shape=shape).toarray().tolist())
