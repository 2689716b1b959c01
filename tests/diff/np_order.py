# Arrays that lie by columns: order=.
def show(a): print(a.dtype, a.shape, a.flags.c_contiguous, a.flags.f_contiguous); print(a)

# --- making
for order in 'CF':
    show(np.zeros((2, 3), order=order)); show(np.ones((2, 3, 2), int, order)); show(np.full((2, 2), 7, order=order)); print(np.empty((3, 4), order=order).flags.f_contiguous)
    show(np.array([[1, 2, 3], [4, 5, 6]], order=order)); show(np.asarray([[1, 2], [3, 4]], order=order)); show(np.full((2, 3), [1, 2, 3], order=order))
show(np.zeros(3, order='F')); show(np.zeros((), order='F')); show(np.zeros((0, 2), order='F'))

# --- like another
a = np.arange(6).reshape(2, 3); f = np.asfortranarray(a)
for order in ['C', 'F', 'A', 'K']:
    show(np.zeros_like(a, order=order)); show(np.ones_like(f, order=order)); show(np.full_like(f, 3, order=order)); show(np.array(f, order=order)); show(np.copy(f, order)); show(f.copy(order)); show(a.copy(order))

# --- views and copies
print(np.asarray(f, order='F') is f, np.asfortranarray(f) is f)
g = np.array(f, order='F'); g[0, 0] = 99; show(f); show(g); h = np.asfortranarray(a); h[1, 1] = -1; show(a); show(h)
show(f + a); show(f.T @ a); show(f[:, 1:] * 2); show(np.asfortranarray(a[::-1])); f[0] = 5; f += 1; show(f); print(f.sum(0), f.ravel(), f.ravel('F'), f.T.flatten())

# --- an order that is none
np.zeros((2, 2), order='X')
