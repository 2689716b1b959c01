# scipy.sparse against SciPy: conversions between all formats, and what lil, dok, dia and bsr have alone.
import scipy.sparse as sp
from sparse_matrices import data, forms, all_kinds, filled, tell, error

# --- every format from every other (scipy 1.17)
for t in ("f8", "i4", "c16", "?", "f4"):
    for kind in all_kinds:
        a = kind(data(6, 4, t))
        for form in forms:
            tell(lambda: a.asformat(form), lambda: getattr(a, "to" + form)())
        for other in all_kinds:
            tell(lambda: other(a), lambda: other(a, dtype="c16"))
        tell(
            lambda: a.todense(),
            lambda: a.copy(),
            lambda: a.T,
            lambda: a.transpose(),
            lambda: a.dtype,
            lambda: a.ndim,
            lambda: a.size,
            lambda: sp.issparse(a),
            lambda: sp.isspmatrix(a),
            lambda: [
                f(a)
                for f in (sp.isspmatrix_csr, sp.isspmatrix_lil, sp.isspmatrix_dok, sp.isspmatrix_dia, sp.isspmatrix_bsr)
            ],
        )
        print(repr(a))
        print(a)
        tell(lambda: kind((3, 4)), lambda: kind((3, 4), dtype="i1"), lambda: kind((0, 4)).toarray())

# --- lil and dok: element by element (scipy 1.17)
for kind in filled:
    for t in ("f8", "i4", "c16", "?", "f4", "u1"):
        a = kind((5, 6), dtype=t)
        for i in range(5):
            for j in range(6):
                if (i * 7 + j * 3) % 4 == 0:
                    a[i, j] = (i + j) % 5
        tell(
            lambda: a,
            lambda: a[0, 0],
            lambda: a[4, 5],
            lambda: a[-1, -2],
            lambda: type(a[1, 1]).__name__,
            lambda: a.nnz,
        )
        if t != "?":
            for i in range(5):
                a[i, i] += 3
                a[i, -1] += a[i, i]
                a[0, i] -= 1
        a[2, 2] = 0
        a[np.int64(1), np.int32(1)] = np.float64(1)
        a[3, 0] = np.array([2])
        a[3, 1] = sp.csr_matrix([[1]])
        tell(lambda: a, lambda: a.nnz, lambda: a.tocsr(), lambda: a.tocsr().indptr)
        b = a.copy()
        a[0, 0] = 9
        tell(lambda: b[0, 0], lambda: a[0, 0])

# --- lil and dok: assignment of slices and lists (scipy 1.17)
for kind in filled:
    for t in ("f8", "i4", "c16"):
        a = kind((6, 7), dtype=t)
        row = np.arange(7) % 3
        a[0, :3] = [1, 2, 3]
        a[1] = row
        a[2, ::2] = 5
        a[:, 6] = np.arange(6)
        a[3:5, 1:3] = [[1, 2], [3, 4]]
        a[[0, 5], [5, 0]] = [8, 9]
        a[5, [1, 3]] = 7
        row[:] = 0
        tell(lambda: a)
        a[[0, 2]] = np.arange(7)
        a[:2, [1, 3, 5]] = np.ones((2, 3))
        a[np.ix_([3, 5], [0, 4])] = [[1, 0], [0, 2]]
        a[4] = 0
        a[-1, -3:] = sp.csr_matrix([[0, 1, 0]])
        tell(lambda: a, lambda: a[3, 4], lambda: a[5, 5])
        a[a.toarray() > 4] = 3
        a.setdiag(6)
        a.setdiag([1, 2], k=-2)
        a.setdiag(np.arange(9), 1)
        tell(
            lambda: a,
            lambda: a.diagonal(-2),
            lambda: a[1:4, 2:],
            lambda: a[::-2],
            lambda: a[[1, 3]],
            lambda: a[np.ix_([0, 2], [1, 3])],
            lambda: a[2:4, [0, 1]],
            lambda: a[1:1].shape,
        )
        if "matrix" in kind.__name__:
            tell(lambda: a[1], lambda: a[:, 2], lambda: a[[0, 1], [1, 2]])
        a[0, 0:0] = 5
        a[:, :] = sp.eye(6, 7)
        tell(lambda: a)
        a += a
        a *= 3
        a -= sp.csr_matrix(np.ones((6, 7)))
        a /= 2 if t != "i4" else 1
        tell(lambda: a)
        a.resize(4, 9)
        tell(lambda: a)

# --- lil and dok: alternating writes and reads (scipy 1.17)
for kind in filled:
    a, d = kind((40, 50)), np.zeros((40, 50))
    for step in range(120):
        i, j, n = step * 7 % 40, step * 13 % 50, step % 9
        if step % 3:
            a[i, j] += step
            d[i, j] += step
        elif step % 2:
            a[i, j : j + n] = step
            d[i, j : j + n] = step
        else:
            a[i : i + 3, j] = 0
            d[i : i + 3, j] = 0
        if step % 10 == 0:
            print(a[i, j], a[j % 40, i], a.nnz)
    print((a.toarray() == d).all(), a.nnz == (d != 0).sum(), (a.tocsc().toarray() == d).all())

# --- errors of lil and dok (scipy 1.17)
for kind in filled:
    a = kind((3, 4))
    error(
        lambda: a.__setitem__((0, 0), [1, 2]),
        lambda: a.__setitem__((0, 9), 1),
        lambda: a.__setitem__((9, 0), 1),
        lambda: a.__setitem__((0, slice(0, 3)), [1, 2]),
        lambda: a.setdiag(3, k=9),
        lambda: a.__setitem__(5, 1),
        lambda: a.__setitem__((0, slice(0, 3)), sp.csr_matrix([[1, 2]])),
        lambda: a[0, 0, 0],
        lambda: a[0, -9],
        lambda: a[7, 0],
        lambda: a[7],
        lambda: kind(([1], ([0], [0]))),
        lambda: kind((2, -1)),
        lambda: a.__setitem__(([0, 1], [0, 1, 2]), 1),
        lambda: a.__setitem__((0, slice(0, 2)), 1j),
        lambda: a.__setitem__((0, 0), 1j),
    )
    print(a.nnz)

# --- a dok as a dict (scipy 1.17)
a = sp.dok_array((3, 4))
a.update({(0, 1): 2, (2, 3): 5.0})
a[1, 0] = 4
tell(
    lambda: len(a),
    lambda: sorted(a.keys()),
    lambda: [(k, float(v)) for k, v in sorted(a.items())],
    lambda: sorted(float(v) for v in a.values()),
    lambda: (0, 1) in a,
    lambda: (0, 0) in a,
    lambda: float(a.get((0, 1))),
    lambda: a.get((0, 0)),
    lambda: a.get((1, 1), 7),
    lambda: a.setdefault((1, 0), 9),
    lambda: a.pop((1, 0)),
    lambda: a.pop((1, 0), -1),
    lambda: len(a),
)
error(
    lambda: a.pop((1, 0)),
    lambda: a.__delitem__((1, 0)),
    lambda: a.get((5, 5)),
    lambda: a.get((1, 1.5)),
    lambda: a.update({(9, 9): 1}),
    lambda: a.update({(0, -1): 1}),
    lambda: a.update({(0, 1.5): 1}),
)
del a[0, 1]
print(len(a))
a.clear()
print(len(a), a.nnz, a.shape)

# --- dia (scipy 1.17)
d = np.arange(1, 16).reshape(3, 5)
for kind in (sp.dia_matrix, sp.dia_array):
    for t in ("i8", "f4", "c16"):
        for shape in ((5, 5), (4, 5), (5, 4), (7, 6), (3, 9)):
            for where in ([0, -1, 2], [-2, 0, 3], [1, 2, -4], [8, -8, 0]):
                a = kind((d.astype(t), where), shape=shape)
                print(repr(a))
                tell(
                    lambda: a,
                    lambda: a.data,
                    lambda: a.offsets,
                    lambda: a.T,
                    lambda: a.tocsr(),
                    lambda: a.tocsc(),
                    lambda: a.tocoo().col,
                    lambda: a @ np.arange(shape[1]),
                    lambda: np.arange(shape[0]) @ a,
                    lambda: a @ np.ones((shape[1], 2)),
                    lambda: a.diagonal(-1),
                    lambda: a.diagonal(2),
                    lambda: a.nnz,
                    lambda: a.sum(0) if shape[1] > 4 else 0,
                    lambda: a.sum(1),
                    lambda: kind(a.toarray()).offsets,
                    lambda: kind(a.toarray()).data,
                )
                tell(
                    lambda: a.T @ a,
                    lambda: (a.T @ a).offsets,
                    lambda: a + a,
                    lambda: a + kind((d[:2], [1, 0]), shape=shape),
                    lambda: a - kind((d[:2], [-1, 3]), shape=shape),
                    lambda: a.multiply(kind((d[:2, :4], [0, 2]), shape=shape)),
                    lambda: a.multiply(np.arange(shape[0])[:, None]),
                    lambda: a.multiply(np.arange(shape[1])),
                    lambda: a.multiply(np.ones(shape) * 2),
                )
                b = a.copy()
                b.setdiag(9)
                b.setdiag([1, 2], 1)
                b.setdiag(np.arange(20), -1)
                tell(lambda: b, lambda: b.offsets, lambda: b.data.shape)
                b.resize(6, 4)
                tell(lambda: b, lambda: b.nnz)
                b.resize((8, 8))
                tell(lambda: b)
                b *= 2
                tell(lambda: b)
x = sp.dia_array((np.ones((1, 3)), [0]), shape=(3, 3))
y = x.data
x.data[0, 1] = 7
tell(lambda: x @ np.ones(3), lambda: x.tocsr())
error(
    lambda: sp.dia_array(([1], [0])),
    lambda: sp.dia_array(([1, 2], [0, 1]), shape=(2, 2)),
    lambda: sp.dia_array(([[1], [2]], [0, 0]), shape=(2, 2)),
    lambda: sp.dia_array([1, 2]),
    lambda: x.setdiag(1, 5),
    lambda: sp.dia_array((np.ones((2, 2, 2)), [0, 1]), shape=(2, 2)),
)
many = sp.dia_array(np.arange(10000).reshape(100, 100) % 7 + 1.0)
print(many.offsets.size, (many @ np.arange(100.0)).tolist() == (many.toarray() @ np.arange(100.0)).tolist())

# --- bsr (scipy 1.17)
starts, columns = np.array([0, 2, 3, 6]), np.array([0, 2, 2, 0, 1, 2])
for t in ("i8", "f4", "c16"):
    a = sp.bsr_array((np.arange(1, 25).reshape(6, 2, 2).astype(t), columns, starts), shape=(6, 6))
    print(repr(a), a.blocksize, a.data.shape, a.indices.tolist(), a.indptr.tolist())
    tell(
        lambda: a,
        lambda: a.tocsr(),
        lambda: a.T,
        lambda: a @ np.arange(6),
        lambda: np.ones(6) @ a,
        lambda: a @ np.ones((6, 2)),
        lambda: a + a,
        lambda: a @ a,
        lambda: a * 2,
        lambda: a.diagonal(1),
        lambda: a.sum(0),
        lambda: (a + sp.eye_array(6)).blocksize,
        lambda: (a @ a).blocksize,
        lambda: a.T.blocksize,
        lambda: a.multiply(a),
        lambda: sp.bsr_array(a, blocksize=(3, 2)).blocksize,
        lambda: a.tobsr((1, 1)).nnz,
        lambda: a.tocsr().tobsr((2, 3)).indices.tolist(),
    )
for n, k in ((12, 2), (12, 3), (12, 4), (12, 6), (12, 1), (10, 5)):
    d = np.kron(np.arange(n // k * (n // k)).reshape(n // k, -1) % 3 == 0, np.ones((k, k)))
    for kind in (sp.bsr_matrix, sp.bsr_array):
        tell(lambda: kind(d).blocksize, lambda: kind(d).nnz, lambda: sp.csr_matrix(d).tobsr().data.shape)
a = sp.bsr_matrix((np.array([[[1.0, 2]], [[3, 4]], [[0, 0]]]), [1, 1, 0], [0, 2, 3]))
print(a.shape, a.has_canonical_format)
tell(lambda: a, lambda: abs(a))
b = sp.bsr_matrix(a.tocsr(), blocksize=(1, 2))
b.eliminate_zeros()
tell(lambda: b)
error(
    lambda: sp.bsr_array((3, 4), blocksize=(2, 2)),
    lambda: sp.bsr_array(np.eye(3), blocksize=(2, 2)),
    lambda: sp.bsr_array((np.ones((2, 2)), [0, 1], [0, 1, 2])),
    lambda: sp.bsr_array((np.ones((2, 2, 2)), [0, 1], [0, 1, 2]), blocksize=(1, 2)),
)
tell(
    lambda: sp.bsr_array((3, 4), blocksize=(3, 2), dtype="i1"),
    lambda: sp.bsr_array(([1, 2, 3], ([0, 0, 1], [0, 2, 2])), shape=(3, 3)),
)

# --- elements of a coo_array, and in-place changes (scipy 1.17)
a = sp.coo_array(data(5, 6))
tell(
    lambda: a[1, 2],
    lambda: a[-1, -1],
    lambda: a[1:3],
    lambda: a[:, ::2],
    lambda: a[[0, 3]],
    lambda: a[2:, [1, 4]],
    lambda: a[np.ix_([0, 2], [1, 3])],
    lambda: a[9, 0],
    lambda: a[0, 0, 0],
)
a[0, 0] = 5
a[1, :2] = [7, 8]
tell(lambda: a)
for kind in [k for k in all_kinds if k.__name__[:3] in ("csr", "csc", "coo", "dia", "bsr")]:
    a = b = kind(data(4, 4))
    a *= 2
    tell(lambda: b)
    a /= 4
    tell(lambda: b)
    c = kind(data(4, 4, int))
    error(lambda: c.__itruediv__(2))
    if "dia" not in kind.__name__ and "bsr" not in kind.__name__:
        a.resize(3, 5)
        tell(lambda: a)
for kind in (sp.csr_matrix, sp.csc_array, sp.lil_matrix):
    a = kind(data(5, 4))
    a[:, 2] = np.arange(5.0)
    a[1, :] = np.arange(4)[None]
    a[3] = [1, 0, 2, 0]
    a[[0, 1, 2], 3] = [4, 5, 6]
    a[[4], [0, 1]] = 3
    tell(lambda: a)
    error(lambda: a.__setitem__((slice(None), 1), [1, 2]), lambda: a.__setitem__(([0, 1], [0, 1, 2]), 1))

# --- files of all formats (scipy 1.17)
import os, tempfile

folder = tempfile.mkdtemp()
path = os.path.join(folder, "a.npz")
for kind in all_kinds:
    a = kind(data(4, 6))
    if kind in filled:
        error(lambda: sp.save_npz(path, a))
        continue
    sp.save_npz(path, a)
    tell(lambda: sp.load_npz(path))
    with np.load(path) as parts:
        print(sorted(parts.files))
os.remove(path)
os.rmdir(folder)
