# HDF5 files exchanged between h5py and gpa in both directions, and their errors.
. tests/checks.sh
workspace hdf5
program=$GPA python=$(realpath -s "$PYTHON")
mkdir -p "$work"/{ours,theirs}
cd "$work" || exit 1
"$python" -c 'import h5py' 2> /dev/null || skip "no h5py to compare with"
"$program" -c 'import h5py' 2> why || skip "$(head -n 1 why)"

cat > write.py <<'END'
import sys
import h5py
import numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f["run/a"] = np.arange(6).reshape(2, 3)
    g = f["run"]
    for t in "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64 complex64 complex128".split():
        g[t] = np.array([0, 1, 3]).astype(t)
    g["columns"] = np.arange(6.0).reshape(2, 3).T
    g["s"], g["empty"], g["turned"] = 3.5, np.zeros((0, 3)), np.arange(4)[::-2]
    d = f.create_dataset("big", (100, 50), dtype="f8", compression="gzip", chunks=(10, 50))
    d[10:20, ::5] = 1.0
    d[0], d[99, 49] = np.arange(50), -1
    for name, v in (("unit", "m"), ("scale", 2.5), ("n", 3), ("v", [1, 2, 3]), ("unit", "km"), ("flag", True), ("z", 1 + 2j)):
        d.attrs[name] = v
    f.attrs["title"] = "tést"
    f["name"] = "hello"
    f.create_group("x/y/z")
    del f["x/y"]
    print(f, g, d, len(f), len(g), "run/a" in f, "nope" in f, list(f["x"]), f.require_group("x").name)
print(f)
END
cat > read.py <<'END'
import sys
import h5py
import numpy as np
def attempt(what):
    try: print(what())
    except Exception as e: print(type(e).__name__, str(e).replace(" synchronously", ""))
with h5py.File(sys.argv[1], "r") as f:
    for k in sorted(f["run"]): print(k, repr(f["run"][k][()]), f["run"][k].dtype, f["run"][k].shape, f["run"][k])
    d = f["big"]
    print(d[:].sum(), d[10, ::10], repr(d[0, 3]), d[-1, -1], d[10:12, 0:2], d[..., 1][:3], d[5:5].shape, len(d), d.ndim, d.size)
    print([(k, repr(d.attrs[k])) for k in sorted(d.attrs.keys())], "unit" in d.attrs, len(d.attrs), d.attrs.get("q", 1))
    print(f.attrs["title"], f["name"][()], f["/run/a"].name, f["run"].get("zz"), d.parent.name, np.mean(f["run/a"]), np.asarray(f["run/a"]).T)
    attempt(lambda: f["nope"])
    attempt(lambda: d[100])
    attempt(lambda: d[0, 0, 0])
open("bad.h5", "w").write("no hdf5" * 100)
open("cut.h5", "wb").write(open(sys.argv[1], "rb").read()[:3000])
attempt(lambda: h5py.File("bad.h5", "r"))
attempt(lambda: h5py.File(sys.argv[1], "q"))
for name in ("none.h5", "cut.h5"):
    try: h5py.File(name, "r")
    except OSError as e: print(type(e).__name__)
with h5py.File(sys.argv[1], "a") as f:
    attempt(lambda: f.create_dataset("name", data=[1]))
    f["run/a"][0] = [7, 8, 9]
    print(f["run/a"][:])
END

# same NAME COMMAND... -- COMMAND...: two commands that print the same.
same() {
    name=$1; shift; one=()
    while [ "$1" != -- ]; do one+=("$1"); shift; done
    shift
    diff <("${one[@]}" 2>&1) <("$@" 2>&1) > difference
    verdict "$name" $? difference
}
same "writing" "$python" write.py theirs/x.h5 -- "$program" write.py ours/x.h5
cp theirs/x.h5 theirs/again.h5; cp ours/x.h5 ours/again.h5
same "what h5py wrote" "$python" read.py theirs/x.h5 -- "$program" read.py theirs/again.h5
same "what gpa wrote" "$python" read.py ours/x.h5 -- "$program" read.py ours/again.h5
finish
