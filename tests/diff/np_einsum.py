# numpy.einsum and einsum_path: subscripts of all kinds against NumPy's, and their errors.
def data(*shape, dtype=float):
    n = 1
    for k in shape:
        n *= k
    return (np.sin(np.arange(n) * 1.3 + 0.2) * 5).reshape(shape).astype(dtype)


def show(*xs):
    for x in xs:
        x = np.asarray(x)
        print(x.dtype, x.shape, np.round(x.real, 6).ravel()[:10] + 0, round(float(np.abs(x).sum()), 4))


# --- one operand
a, b = data(4, 4), data(2, 3, 4)
for s in [
    'ij',
    'ji',
    'ii',
    'ii->i',
    'ij->',
    'ij->i',
    'ij->j',
    'ij->ji',
    '...',
    'i...',
    '...j->...',
    'i...->...',
    'ij...->...ji',
    ' i j -> j i ',
]:
    show(np.einsum(s, a))
for s in ['ijk->kji', 'ijk->', 'ijk->ik', 'kij', '...k', 'i...k->k...i', 'ijk->jk', 'Abk']:
    show(np.einsum(s, b))
show(
    np.einsum('iij->j', data(3, 3, 2)),
    np.einsum('iji->ij', data(3, 2, 3)),
    np.einsum('iii', data(3, 3, 3)),
    np.einsum('iijj->ij', data(2, 2, 3, 3)),
    np.einsum('i', data(3)),
    np.einsum('', 5),
    np.einsum('->', np.array(2.5)),
)

# --- dtype= and casting=
a = np.arange(4.0).reshape(2, 2)
i = np.arange(4).reshape(2, 2)
for f in (
    lambda: np.einsum('ij,jk', a, a, dtype=int),
    lambda: np.einsum('ij,jk', i, a, dtype='f4'),
    lambda: np.einsum('ij,jk', i, i, dtype=float),
    lambda: np.einsum('ij,jk,kl', i, a, i, dtype=int),
    lambda: np.einsum('ij,jk', a, a, dtype='f4', casting='same_kind'),
    lambda: np.einsum('ij,jk', a, a, dtype=int, casting='unsafe'),
    lambda: np.einsum('ij->ji', a, dtype=int),
    lambda: np.einsum('ii->i', a, dtype=complex),
    lambda: np.einsum('ij->i', a, dtype='f4'),
    lambda: np.einsum('ij->i', i, dtype='f4'),
    lambda: np.einsum('ij->i', i, dtype='c16'),
    lambda: np.einsum('ij', a) is a,
    lambda: np.einsum('ij', a).base is a,
    lambda: np.einsum('i,i', a[0], a[1], dtype='i4', casting='no'),
    lambda: np.einsum('ij->i', a, dtype='i8', casting='unsafe'),
    lambda: np.einsum(a, [0, 1], dtype=int),
    lambda: np.einsum(a, [0, 1], [0], dtype=int),
    lambda: np.einsum('ij->j', a, out=np.zeros(2, 'f4')),
    lambda: np.einsum('ij->j', a, out=np.zeros(2, 'f4'), casting='same_kind'),
    lambda: np.einsum('ij->ji', a, out=np.zeros((2, 2), 'i4'), dtype=int),
    lambda: np.einsum('ij,jk', a, a, casting='foo'),
    lambda: np.einsum('ij->ij', i, dtype='f4', out=np.zeros((2, 2))),
    lambda: np.einsum('ij->', i[:0]),
    lambda: np.einsum('ij,ij->ij', [[1, 2]], [[3], [4]], dtype='i2'),
    lambda: np.einsum('i,i->', [1, 2], [3, 4], dtype='i2', casting='same_kind'),
):
    try:
        print(repr(f()))
    except (TypeError, ValueError) as e:
        print(e)

# --- two operands
a, b, v, w = data(3, 4), data(4, 5), data(4), data(3)
for s, x, y in [
    ('ij,jk', a, b),
    ('ij,jk->ik', a, b),
    ('ij,jk->ki', a, b),
    ('ij,jk->', a, b),
    ('ij,jk->i', a, b),
    ('ij,jk->ijk', a, b),
    ('ij,j', a, v),
    ('ij,j->ij', a, v),
    ('ij,j->j', a, v),
    ('i,j', w, v),
    ('i,i', v, v),
    ('i,i->i', v, v),
    ('i,j->', w, v),
    ('ij,ij->', a, a),
    ('ij,ij->i', a, a),
    ('ij,kj', a, a),
    ('ij,ij', a, a),
    ('ij,ik->jk', a, a),
    ('ij,kl->ijkl', a, b),
    ('i,ij', w, a),
    (',ij', 3.0, a),
    (',', 2, 3),
    ('ii,ij', data(3, 3), a),
]:
    show(np.einsum(s, x, y), np.einsum(s, x, y, optimize=True))
x, y = data(6, 3, 4), data(6, 4, 5)
for s in ['bij,bjk->bik', 'bij,bjk', 'bij,bjk->ik', 'bij,bjk->kb', '...ij,...jk->...ik', 'bij,cjk->bcik']:
    show(np.einsum(s, x, y))
show(
    np.einsum('bij,bj->bi', x, data(6, 4)),
    np.einsum('...i,...i->...', x, data(3, 4)),
    np.einsum('...ij,j', x, data(4)),
    np.einsum('bij,kij->bk', x, x),
    np.einsum('abc,cd->abd', x, data(4, 2)),
    np.einsum('i...,i...', data(2, 3), data(2, 1)),
    np.einsum('ij,jk->ik', data(2, 1), data(3, 2)),
)
show(
    np.einsum('ij,jk', a.T[::-1], data(3, 5)[:, ::2]),
    np.einsum('ij,jk', a + 1, b * 2),
    np.einsum('...', data(2, 3)),
    np.einsum('...,...', data(3), data(2, 3)),
)

# --- several operands
a, b, c, d = data(3, 4), data(4, 5), data(5, 2), data(2, 6)
for how in [
    False,
    True,
    'greedy',
    'optimal',
    ['einsum_path', (0, 1), (0, 1, 2)],
    ['einsum_path', (2, 3), (1, 2), (0, 1)],
]:
    show(np.einsum('ij,jk,kl,lm->im', a, b, c, d, optimize=how))
show(
    np.einsum('ij,jk,kl', a, b, c),
    np.einsum('i,j,k->ijk', data(2), data(3), data(4)),
    np.einsum('i,i,i', data(4), data(4), data(4)),
    np.einsum('ij,i,j->', a, data(3), data(4)),
    np.einsum('ea,fb,abcd,gc,hd->efgh', data(3, 3), data(3, 3), data(3, 3, 3, 3), data(3, 3), data(3, 3)),
)

# --- dtypes
for s in ['int8', 'int64', 'uint16', 'float32', 'float64', 'complex64', 'complex128', 'bool']:
    x, y = data(3, 4).astype(s), data(4, 3).astype(s)
    for e in ['ij,jk', 'ij,ji', 'ij,jk->i']:
        r = np.einsum(e, x, y)
        print(s, e, r.dtype, r.shape, np.round(np.asarray(r).astype(complex), 1).ravel()[:4] if s[0] in 'fc' else r)
    print(
        np.einsum('ij->', x).dtype,
        np.einsum('ij->i', x).dtype,
        np.einsum('ij,jk', x, data(4, 3).astype('float32')).dtype,
    )
print(np.einsum('i,i', [1, 2], [3, 4]), np.einsum('ij->j', np.ones((2, 3), int), dtype=float))

# --- lists of labels
a, b = data(3, 4), data(4, 5)
show(
    np.einsum(a, [0, 1], b, [1, 2]),
    np.einsum(a, [0, 1], b, [1, 2], [2, 0]),
    np.einsum(a, [0, Ellipsis], [Ellipsis, 0]),
    np.einsum(data(3, 3), [5, 5]),
    np.einsum(a, [1, 0]),
    np.einsum(a, (30, 2)),
)

# --- out
o = np.zeros((3, 5))
r = np.einsum('ij,jk', data(3, 4), data(4, 5), out=o)
print(r is o)
show(o)
np.einsum('ij->j', data(3, 5), out=o[0])
show(o)

# --- views
x = data(3, 3)
d = np.einsum('ii->i', x)
d[...] = 0
show(x)
t = np.einsum('ij->ji', x)
t[0] = 7
show(x)

# --- empty
show(
    np.einsum('ij,jk', np.zeros((2, 0)), np.zeros((0, 3))),
    np.einsum('i->', np.zeros(0)),
    np.einsum('ij,ij->j', np.zeros((0, 3)), np.zeros((0, 3))),
)


# --- paths
def path(*a, **k):
    p, text = np.einsum_path(*a, **k)
    print(p)
    print(text)


path('ij,jk', data(2, 2), data(2, 5))
path('ij,jk,kl->il', data(2, 2), data(2, 5), data(5, 2))
path('ij,jk,kl->il', data(2, 2), data(2, 5), data(5, 2), optimize='optimal')
path('ea,fb,abcd,gc,hd->efgh', data(4, 4), data(4, 4), data(4, 4, 4, 4), data(4, 4), data(4, 4))
path('ij,jk,kl->il', data(9, 2), data(2, 5), data(5, 3), optimize=False)
path('ij,jk,kl', data(9, 2), data(2, 5), data(5, 3), optimize=True)

# --- errors
o = np.ones
for call in [
    lambda: np.einsum('ijk', o((2, 2))),
    lambda: np.einsum('i', o((2, 2))),
    lambda: np.einsum('ij,jk', o((2, 3)), o((4, 2))),
    lambda: np.einsum('ii', o((2, 3))),
    lambda: np.einsum('ij->k', o((2, 3))),
    lambda: np.einsum('ii', o((1, 4))),
    lambda: np.einsum('ii->i', o((4, 1))),
    lambda: np.einsum('ii,i', o((1, 4)), o(4)),
    lambda: np.einsum('jj,ii->ij', o((2, 2)), o((3, 1))),
    lambda: np.einsum('ii->i', o((1, 4)), out=o(4)),
    lambda: np.einsum('i1', o((2, 3))),
    lambda: np.einsum('ij,jk', o((2, 3))),
    lambda: np.einsum('ij', o((2, 3)), o(2)),
    lambda: np.einsum('ij->ii', o((2, 3))),
    lambda: np.einsum('i.j', o((2, 3))),
    lambda: np.einsum('i...->i', o((2, 3))),
    lambda: np.einsum('i...,i...', o((2, 3)), o((2, 4))),
    lambda: np.einsum('...i,...i', o((2, 3)), o((4, 3))),
    lambda: np.einsum(5, 5),
    lambda: np.einsum(),
    lambda: np.einsum('i'),
    lambda: np.einsum('ij->j', o((2, 3)), out=np.zeros(2)),
    lambda: np.einsum(o(2), [99]),
]:
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)

# --- products of other kinds
a, b = data(3, 4), data(4, 5)
show(
    np.tensordot(a, b, 1),
    np.tensordot(a, data(5, 4), ((1,), (1,))),
    np.inner(a, data(2, 4)),
    np.inner(data(4), data(4)),
    np.outer(a, b[0]),
    np.kron(a, b),
    np.vdot(a, a),
    np.dot(a, b),
    np.dot(a, 2),
    np.dot(data(2, 3, 4), data(5, 4, 2)),
)
