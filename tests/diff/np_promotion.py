# Promotion of several dtypes and Python scalars together, which differs from pairwise promotion.
import itertools

KINDS = list("?bBhHiIlLfdFDe") + [1, 1.5, 1j]


def given(kinds):
    return [np.dtype(k) if isinstance(k, str) else k for k in kinds]


# --- three of all
for kinds in itertools.product(KINDS, repeat=3):
    print(kinds, np.result_type(*given(kinds)))

# --- four and more
import random

random.seed(1)
for n in (4, 5, 6, 7, 40) * 200:
    kinds = [random.choice(KINDS) for _ in range(n)]
    print(kinds, np.result_type(*given(kinds)))
print(np.result_type(*[np.int8] * 40, np.float32), np.result_type(*[1] * 40, np.float32))

# --- functions that promote
for kinds in list(itertools.product("?bBhHiIlLfdFDe", repeat=3))[::7]:
    x, y, z = [np.ones(1, k) for k in kinds]
    results = (
        np.concatenate([x, y, z]),
        np.concatenate([x, y, z], axis=None),
        np.concatenate([x[0], 1.5, y[0]], axis=None),
        np.array([x[0], y[0], z[0]]),
        np.hstack((x, y, z)),
        np.stack((x, y, z)),
        np.block([[x], [y], [z]]),
        np.choose([0], (x, y, z)),
        np.select([[True], [False]], [x, y], z),
        np.r_[x, y, z],
        np.einsum("i,i,i", x, y, z),
    )
    print(kinds, *[r.dtype for r in results])
    try:
        print(np.clip(x, y, z).dtype)
    except TypeError as e:
        print(type(e).__name__)

# --- numbers without a dtype that are joined
for items in [np.int8(1), 2.5], [1, 2.0], [np.float32(1), 1j], [True, np.int8(2)], [1, np.uint64(3)], [[1, 2],
        np.int8(3)]:
    r = np.concatenate(items, axis=None)
    print(r.dtype, r)


# --- r_ and c_
def told(f):
    try:
        r = f()
        print(r.dtype, r.tolist())
    except Exception as e:
        print(type(e).__name__, e)


for key in (
    np.s_[np.arange(2, dtype="i1"), 255],
    np.s_[np.uint8(1), -1],
    np.s_[np.float32(1), 2.5],
    np.s_[0 : 36 : np.complex64(5j)],
    np.s_[0:36:1j],
    np.s_[np.arange(3), 0, 5:8],
    np.s_["0,2", [1, 2], [3, 4]],
    np.s_["1,2,0", [1, 2], [3, 4]],
    np.s_[1:3, np.float16(3)],
    np.s_[np.int8(100), 200],
    np.s_[True, 2],
    np.s_[np.arange(3, dtype="u1"), 1.5],
    np.s_[()],
):
    told(lambda: np.r_[key])
    told(lambda: np.c_[key])

# --- grids
f = np.float32
for key in (
    np.s_[f(0.1) : f(0.33) : f(0.1)],
    np.s_[0.1:0.33:0.1],
    np.s_[f(0) : 1 : 3j],
    np.s_[f(0) : 1 : 3j, 0:3],
    np.s_[0:5:2, 5:0:-1],
    np.s_[0:5:1j, 0:2],
    np.s_[0 : 1 : np.complex64(3j), 0:3],
    np.s_[np.int8(3) : np.int8(5)],
    np.s_[:3, :2],
    np.s_[f(0.1) : f(0.33) : f(0.1),],
    np.s_[1:2:0.25, f(3) : f(4)],
):
    for g in np.mgrid, np.ogrid:
        r = g[key]
        print(*[(x.dtype, x.tolist()) for x in (r if isinstance(r, tuple) else [r])])
np.mgrid[5:0, 0:3]
