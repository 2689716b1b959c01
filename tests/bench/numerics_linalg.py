"""Rows of the numerics benchmark about matrices: linear algebra, products, batches, sparse matrices (numerics_rows.py describes the
format of a row)."""
from numerics_rows import MIXED, each, group

MATRICES = MIXED + """
T = np.dtype('{dtype}').type
n = {size}
A = numbers(n * n, T).reshape(n, n)
B = numbers(n * n + 5, T)[5:].reshape(n, n)
S = A + A.T
P = A @ A.T + n * np.eye(n, dtype=T)
W = A[:, :n // 2].copy()
v = B[0].copy()
V = B[:, :8].copy()
"""

group("matrices", MATRICES, """
A @ B              | A @ B
A.T @ B            | A.T @ B
A with gaps @ v    | A[:, ::2] @ v[::2]
A with gaps @ B    | A[:, ::2] @ B[::2]
A @ eight columns  | A @ B[:, :8]
eight rows @ A     | B[:8] @ A
columns @ rows     | A[:, :8] @ B[:8]
A @ A.T            | A @ A.T
W.T @ W            | W.T @ W
A @ v              | A @ v
v @ A              | v @ A
solve              | np.linalg.solve(P, v)         | linalg.solve(P, v)
solve many         | np.linalg.solve(P, B)         | linalg.solve(P, B)
inv                | np.linalg.inv(P)              | linalg.inv(P)
det                | np.linalg.slogdet(P)[1]
svd                | ? np.linalg.svd(A)            | linalg.svd(A)
svd reduced        | ? np.linalg.svd(W, full_matrices=False) | linalg.svd(W, full_matrices=False)
svdvals            | np.linalg.svdvals(A)          | linalg.svdvals(A)
eigh               | ? np.linalg.eigh(S)           | linalg.eigh(S)
eigvalsh           | np.linalg.eigvalsh(S)         | linalg.eigvalsh(S)
eig                | ? np.linalg.eig(A)            | linalg.eig(A)
eigvals            | ? np.linalg.eigvals(A)        | linalg.eigvals(A)
qr                 | ? np.linalg.qr(W)             | linalg.qr(W, mode='economic')
cholesky           | np.linalg.cholesky(P)         | linalg.cholesky(P)
lstsq              | np.linalg.lstsq(W, v)[0]      | linalg.lstsq(W, v)[0]
pinv               | np.linalg.pinv(W)             | linalg.pinv(W)
matrix_rank        | np.linalg.matrix_rank(W)
matrix_power       | np.linalg.matrix_power(P / n / n, 5)
cond               | np.linalg.cond(P)
norm 2             | np.linalg.norm(A, 2)
multi_dot          | np.linalg.multi_dot([W.T, A, V])
kron               | np.kron(A[:30, :30], B[:30, :30])
outer              | np.outer(A[0], A[1])
inner              | np.inner(A, B)
tensordot          | np.tensordot(A, B, axes=([0], [1]))
einsum ij,jk       | np.einsum('ij,jk->ik', A, B)
einsum ij,ij->i    | np.einsum('ij,ij->i', A, B)
einsum ij,ij       | np.einsum('ij,ij', A, B)
einsum ij->ji      | np.einsum('ij->ji', A).copy()
cov                | np.cov(A)
corrcoef           | np.corrcoef(A)
cross              | np.cross(A[:, :399].reshape(-1, 3), B[:, :399].reshape(-1, 3))
""", each("float32 float64", 400))

group("complex matrices", MATRICES.split("S = ")[0] + '''
S = A + A.T.conj()
P = A @ A.T.conj() + n * np.eye(n, dtype=T)
v = B[0].copy()
''', """
A @ B              | A @ B
A @ A.T.conj()     | A @ A.T.conj()
A @ v              | A @ v
vdot               | np.vdot(A, B)
solve              | np.linalg.solve(P, B)         | linalg.solve(P, B)
inv                | np.linalg.inv(P)              | linalg.inv(P)
det                | np.linalg.slogdet(P)[1]
svd                | ? np.linalg.svd(A)            | linalg.svd(A)
eigh               | ? np.linalg.eigh(S)           | linalg.eigh(S)
eig                | ? np.linalg.eig(A)            | linalg.eig(A)
qr                 | ? np.linalg.qr(A)             | linalg.qr(A)
cholesky           | np.linalg.cholesky(P)         | linalg.cholesky(P)
lstsq              | np.linalg.lstsq(A, v)[0]      | linalg.lstsq(A, v)[0]
einsum ij,jk       | np.einsum('ij,jk->ik', A, B)
kron               | np.kron(A[:30, :30], B[:30, :30])
""", each("complex64 complex128", 200))

group("products of integers", MATRICES.split("S = ")[0] + "v = B[0].copy()\n", """
A @ B              | A @ B
A @ v              | A @ v
inner              | np.inner(A, B)
einsum ij,ij->i    | np.einsum('ij,ij->i', A, B)
3 x 3              | A.ravel()[:n * n // 9 * 9].reshape(-1, 3, 3) @ B.ravel()[:n * n // 9 * 9].reshape(-1, 3, 3)
""", each("int64 int32", 400))

group("products of booleans", MIXED + """
n = {size}
x = numbers(n * n, float).reshape(n, n)
A, B = x > np.median(x), x.T > np.median(x)
C, D = x > np.quantile(x, 0.99), x.T > np.quantile(x, 0.99)
""", """
half are true      | A @ B
of a transpose     | A @ A.T
few are true       | C @ D
thin               | A @ B[:, :20]
""", each("bool", 300, 1000))

group("batches", MIXED + """
T = np.dtype('{dtype}').type
k = {size}
n = 400_000 // (k * k)
A = numbers(n * k * k, T).reshape(n, k, k)
S = A + A.transpose(0, 2, 1)
P = A @ A.transpose(0, 2, 1) + k * np.eye(k, dtype=T)
v = A[:, :, :1].copy()
""", """
matmul             | A @ S
matvec             | A @ v
solve              | np.linalg.solve(P, v)
inv                | np.linalg.inv(P)
det                | np.linalg.det(P)
cholesky           | np.linalg.cholesky(P)
qr                 | ? np.linalg.qr(A)
svd                | ? np.linalg.svd(A)
svdvals            | np.linalg.svdvals(A)
eigh               | ? np.linalg.eigh(S)
eigvalsh           | np.linalg.eigvalsh(S)
eig                | ? np.linalg.eig(A)
pinv               | np.linalg.pinv(P)
einsum bij,bjk     | np.einsum('bij,bjk->bik', A, S)
einsum bij,bj      | np.einsum('bij,bj->bi', A, v[:, :, 0])
""", each("float32 float64", 2, 4, 16, 64))

group("sparse", MIXED + """
from scipy import sparse
T = np.dtype('{dtype}').type
n = {size}
m = n // 10
where = [(mixed(n + k) % np.uint64(m)).astype(np.int32)[k:] for k in (0, 1, 2)]
data = numbers(n, T)
U = sparse.coo_matrix((data, (where[0], where[1])), (m, m))
A = U.tocsr()
B = sparse.coo_matrix((data, (where[2], where[0])), (m, m)).tocsr()
R = sparse.csr_matrix((data, where[1], np.arange(0, n + 1, 10, dtype=np.int32)), (m, m))
C = A.tocsc()
S = A[:m // 10, :m // 10]
L = sparse.coo_matrix((data[:1000], (where[0][:1000] % 300, where[1][:1000] % 300)), (300, 300)).tocsr()
v = numbers(m, T)
V = numbers(8 * m, T).reshape(m, 8)
K = sparse.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(m, m), format='csr').astype(T)
i = (mixed(m // 3) % np.uint64(m)).astype(np.int64)
def parts(a):
    return [a.data, a.indices, a.indptr]
""", """
coo to csr         | parts(U.tocsr())
coo to csc         | parts(U.tocsc())
csr to csc         | parts(A.tocsc())
csc to csr         | parts(C.tocsr())
csr to coo         | c = A.tocoo(); r = [c.row, c.col, c.data]
any rows to csc    | parts(R.tocsc())
sum_duplicates     | c = R.copy(); c.sum_duplicates(); r = parts(c)
sort_indices       | c = R.copy(); c.sort_indices(); r = parts(c)
A @ v              | A @ v
v @ A              | v @ A
A.T @ v            | A.T @ v
coo @ v            | U @ v
A @ V              | A @ V
A.T @ V            | A.T @ V
A @ A              | (A @ A).data
A @ C              | (A @ C).data
S @ S              | (S @ S).data
A + B              | parts(A + B)
A - A              | parts(A - A)
R + R              | parts(R + R)
R + B              | parts(R + B)
A * B              | parts(A.multiply(B))
A * dense          | A.multiply(v).data
2 A                | (2 * A).data
abs                | abs(A).data
sum                | A.sum()
sum axis 0         | A.sum(axis=0)
sum axis 1         | A.sum(axis=1)
mean axis 0        | A.mean(axis=0)
max                | A.max()
max axis 0         | A.max(axis=0).data
max axis 1         | A.max(axis=1).data
diagonal           | A.diagonal()
row                | A[m // 2].data
rows               | parts(A[100:m // 2])
every second row   | parts(A[::2])
chosen rows        | parts(A[i])
columns            | parts(A[:, 100:m // 2])
every second column | parts(A[:, ::2])
column             | A[:, 5].data
elements           | A[i, i[::-1]]
A > 0.5            | (A > 0.5).data
toarray            | L.toarray()
of dense           | parts(sparse.csr_matrix(V))
vstack             | parts(sparse.vstack([A, B]).tocsr())
hstack             | parts(sparse.hstack([A, B]).tocsr())
kron               | sparse.kron(L, S[:50, :50]).tocsr().data
eye                | parts(sparse.identity(m, format='csr'))
diags              | parts(sparse.diags([v, v[1:]], [0, 1]).tocsr())
triu               | sparse.triu(A).tocsr().data
norm               | sparse.linalg.norm(A)
norm axis 1        | sparse.linalg.norm(A, axis=1)
argmax             | A.argmax()
argmin axis 1      | S.argmin(axis=1)
chosen columns     | parts(A[:, i])
columns by a mask  | parts(A[:, v > 0.5])
getcol             | A.getcol(5).data
maximum            | parts(A.maximum(B))
A != B             | parts(A != B)
S + dense          | L + numbers(90000, T).reshape(300, 300)
set diagonal       | c = S.copy(); c.setdiag(1.0); r = parts(c)
block_diag         | sparse.block_diag([S, S, S]).data
spdiags            | parts(sparse.spdiags(V.T, np.arange(8), m, m, 'csr'))
gmres              | ? sparse.linalg.gmres(K, v)[0]
svds               | sparse.linalg.svds(L, 6)[1]
spsolve            | sparse.linalg.spsolve(K[:5000, :5000].tocsc(), v[:5000])
""", each("float32 float64", 1_000_000))
