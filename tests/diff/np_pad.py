# numpy.pad.
a = np.arange(6).reshape(2, 3)
x = np.array([1.5, 4, 2, 9])

# --- every mode
for mode in ('edge', 'linear_ramp', 'maximum', 'mean', 'median', 'minimum', 'reflect', 'symmetric', 'wrap', 'constant'):
    print(
        mode,
        np.pad(a, 2, mode),
        np.pad(a, ((1, 0), (3, 5)), mode),
        np.pad(x, (3, 2), mode),
        np.pad(x.astype(np.float32), 9, mode).dtype,
        np.pad([5], 3, mode),
    )
print(np.pad(a, 1, 'empty').shape, np.pad(a, 1, 'empty')[1:3, 1:4])

# --- options
print(
    np.pad(a, (2, 1), constant_values=((9, 8), (7, 6))),
    np.pad(a, 2, 'linear_ramp', end_values=(5, -4)),
    np.pad(x, 3, 'linear_ramp', end_values=1),
)
print(
    np.pad(x, 2, 'maximum', stat_length=2),
    np.pad(a, 1, 'mean', stat_length=((1, 2), (2, 1))),
    np.pad(x, 1, 'minimum', stat_length=99),
)
for mode in ('reflect', 'symmetric'):
    print(
        np.pad(x, (2, 3), mode, reflect_type='odd'),
        np.pad(x, 11, mode, reflect_type='odd'),
        np.pad(a, ((3, 2), (2, 7)), mode, reflect_type='odd'),
    )

# --- widths
print(np.pad(a, ((1, 2),)), np.pad(a, [[1], [2]]), np.pad(a, 0), np.pad(np.zeros((0, 2)), 1))


# --- by a function
def frame(vector, width, axis, kwargs):
    vector[: width[0]] = kwargs.get("by", 10) + axis
    vector[len(vector) - width[1] :] = kwargs.get("by", 10)


print(np.pad(a, 1, frame), np.pad(a, (1, 2), frame, by=5))

# --- refused
for f in (
    lambda: np.pad(a, -1),
    lambda: np.pad(a, 1, 'nothing'),
    lambda: np.pad(a, 1.5),
    lambda: np.pad(a, 1, 'edge', constant_values=3),
    lambda: np.pad(np.zeros((0, 2)), 1, 'edge'),
    lambda: np.pad(a, 1, 'maximum', stat_length=0),
):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(e)


# --- every mode of every dtype
import warnings

warnings.simplefilter("ignore")
OPTIONS = {
    "linear_ramp": ({"end_values": (3, 5)}, {"end_values": 100}, {"end_values": -3.5}),
    "constant": ({"constant_values": 300}, {"constant_values": -1.5}),
    "reflect": ({"reflect_type": "odd"},),
    "symmetric": ({"reflect_type": "odd"},),
    "maximum": ({"stat_length": (1, 2)},),
    "mean": ({"stat_length": 2},),
    "median": ({"stat_length": (2, 1)},),
}


def shown(f):
    try:
        r = f()
        print(r.dtype, r.flags.f_contiguous, r.flags.c_contiguous, r.tolist())
    except Exception as e:
        print(type(e).__name__, e)


for t in "bBhHiIlLefdFD?":
    for base in [3], [20, 250, 7], [[1, 200, 3], [9, 8, 255]]:
        x = np.array(base).astype(t)
        for mode in "edge linear_ramp maximum mean median minimum reflect symmetric wrap constant".split():
            for options in ({},) + OPTIONS.get(mode, ()):
                for width in 1, (7, 0), (0, 11):
                    if t != "?" or "reflect_type" not in options:
                        shown(lambda: np.pad(x, width, mode, **options))
                shown(lambda: np.pad(np.asfortranarray(x), (2, 3), mode, **options) if t != "?" else x)

# --- odd reflections, repeated
x = np.array([0.1, 0.7, 1.3, 2.9])
for t in "efdF":
    for width in 1, 5, 9, 20:
        for mode in "reflect", "symmetric":
            print(np.pad(x.astype(t), width, mode, reflect_type="odd").tolist())

# --- empty axes, widths by axis
for shape in (0,), (0, 2), (2, 0):
    for mode in "edge", "linear_ramp", "mean", "reflect", "wrap", "constant":
        for width in 0, 1, ((0, 0), (1, 2)), ((1, 2), (0, 0)):
            try:
                print(np.pad(np.zeros(shape), width, mode).shape)
            except ValueError as e:
                print(e)

# --- widths by axis in a dict (numpy 2.4)
a = np.arange(6).reshape(2, 3)
print(np.pad(a, {0: (1, 2)}), np.pad(a, {-1: 1, 0: 2}, mode="edge"), np.pad(a, {}))
