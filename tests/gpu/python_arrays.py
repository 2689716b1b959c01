"""Arrays shared with GPU libraries of Python: python tests/gpu/python_arrays.py  Each program imports one library through the
bridge and must print True: stores are seen by both sides, dtypes and shapes agree. A library that the Python of
GPA_TEST_PYTHON (python3 on PATH) lacks is skipped."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
from cells import show  # noqa: E402

CUPY = """
import python.cupy as cupy
a = np.arange(6.0).reshape(2, 3)
c = cupy.asarray(a)
print(c.data.ptr == cupy.from_dlpack(a).data.ptr, c.shape == (2, 3), c.dtype == "float64")
c[0, 0] = 9
a += 1
print(float(a[0, 0]) == 10, float(c[0, 0]) == 10, float(c.sum()) == float(a.sum()))
x = cupy.arange(4, dtype="float32")
b = np.asarray(x)
d = np.from_dlpack(x)
b[1:] *= 3
print(str(b.device) == "cuda:0", b.dtype == np.float32, cupy.asnumpy(x).tolist() == [0, 3, 6, 9], d.tolist() == [0, 3, 6, 9])
x += 1
del x
print((b + d).sum() == 44, float(cupy.sum(a)) == float(a.sum()))
y = np.zeros(3)
y[:] = cupy.ones(3) * 2
print(y.tolist() == [2, 2, 2])
try:
    np.asarray(cupy.empty(0)).shape == (0,) and print(True)
except Exception as error:
    print(error)
s = cupy.cuda.Stream(non_blocking=True)
n = 1 << 24
z = np.zeros(n)
w = cupy.asarray(z)
with s:
    for i in range(20): w += 1
print(float(z.sum()) == 20 * n)
z *= 2
with s:
    w += 1
print(float(z.sum()) == 41 * n)
"""

TORCH = """
import torch
a = np.arange(6.0).reshape(2, 3)
t = torch.from_dlpack(a)
u = torch.as_tensor(a, device="cuda")
print(t.data_ptr() == u.data_ptr(), str(t.device) == "cuda:0", t.tolist() == a.tolist())
t[0, 0] = 9
a += 1
print(float(a[0, 0]) == 10, float(t[0, 0]) == 10, float(t.sum()) == float(a.sum()))
x = torch.arange(4, dtype=torch.float32, device="cuda")
b = np.asarray(x)
d = np.from_dlpack(x)
b[1:] *= 3
print(str(b.device) == "cuda:0", x.tolist() == [0, 3, 6, 9], d.tolist() == [0, 3, 6, 9])
h = np.from_dlpack(torch.ones(3, dtype=torch.bfloat16, device="cuda") * 1.5)
print(h.dtype == bfloat16, h.tolist() == [1.5] * 3, torch.from_dlpack(h * 2).tolist() == [3.0] * 3)
a[:] = torch.ones(2, 3)
print(a.tolist() == [[1.0] * 3] * 2, t.tolist() == [[1.0] * 3] * 2)
a[:] = torch.ones(2, 3, device="cuda") * 2
print(a.tolist() == [[2.0] * 3] * 2, torch.from_dlpack(a.T[::1]).shape == (3, 2))
layer = torch.nn.Linear(3, 1, dtype=torch.float64).to("cuda")
out = np.asarray(layer(torch.from_dlpack(a)).detach())
print(out.shape == (2, 1), bool(out[0] == out[1]))
del t, u, x
print(float((b + d).sum()) == 36)
"""

JAX = """
import os
os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
import python.jax as jax
import python.jax.numpy as jnp
a = np.arange(6.0, dtype=np.float32).reshape(2, 3)
j = jnp.from_dlpack(a)
print(j.shape == (2, 3), jnp.asarray(a).tolist() == a.tolist(), float(j.sum()) == 15)
x = jnp.arange(4.0)
b = np.asarray(jnp.sin(x) * 2)
print(str(b.device) == "cuda:0", np.allclose(b, 2 * np.sin(np.arange(4))))
c = np.from_dlpack(x)
print(c.tolist() == [0, 1, 2, 3], c.flags.writeable in (True, False))
h = np.asarray(jnp.ones(3, jnp.bfloat16) * 1.5)
print(h.dtype == bfloat16, h.tolist() == [1.5] * 3)
"""

NUMBA = """
import python.numba.cuda as numba_cuda
import python.builtins as py
py.exec('''
from numba import cuda
@cuda.jit
def scale(x, by):
    i = cuda.grid(1)
    if i < x.size: x[i] *= by
def run(x, by): scale[1, 64](x, by)
''', space := py.dict())
a = np.arange(10.0)
space["run"](a, 3.0)
print(a.tolist() == [3.0 * i for i in range(10)])
d = numba_cuda.to_device(py.eval("__import__('numpy').arange(4.0)"))
b = np.asarray(d)
b += 1
print(d.copy_to_host().tolist() == [1, 2, 3, 4], str(b.device) == "cuda:0")
space["run"](b, 2.0)
print(b.tolist() == [2, 4, 6, 8])
"""

# What a library must be able to do alone.
NEEDS = {"numba": """
import numpy
from numba import cuda
@cuda.jit
def one(x): x[0] = 1
one[1, 1](numpy.zeros(1))
"""}
TESTS = {"cupy": CUPY, "torch": TORCH, "jax": JAX, "numba": NUMBA}


def main():
    python = os.environ.get("GPA_TEST_PYTHON") or shutil.which("python3")
    good = True
    for library, code in TESTS.items():
        name = f"arrays of {library}"
        found = subprocess.run([python, "-c", NEEDS.get(library, f"import {library}")], capture_output=True, text=True)
        if found.returncode:
            print(f"skip - {name}: {found.stderr.strip().splitlines()[-1] if found.stderr else 'not there'}")
            continue
        done = subprocess.run([os.environ["GPA"], "-c", code], env=os.environ | {"GPA_PYTHON": python}, capture_output=True, text=True, timeout=300)
        if "has no shared library" in done.stderr:
            print(f"skip - {name}: {done.stderr.strip().splitlines()[0]}")
            continue
        passed = done.returncode == 0 and done.stdout and set(done.stdout.split()) == {"True"}
        print(f"{'ok' if passed else 'not ok'} - {name}")
        if not passed:
            show("printed:", done.stdout)
            show("it printed:", done.stderr)
            good = False
    sys.exit(not good)


if __name__ == "__main__":
    main()
