# Products far larger than their operands are pending (runtime/lib/matmul.c): laziness is never visible in a value.
# --- stores into operands and results
from pending import data, show
import numpy as np
a, b = data(200, 8), data(8, 210)
p = a @ b
show("whole", p)
p = a @ b
q = p[10:20, ::3].T
a[0] = 7
show("slice after store", q)
show("before store", p)
p = a @ b
p[3] = 1
show("store into", p)
p = a @ b
p += 1
show("add", p)
p = a @ b
del a
show("operand deleted", p * 2)
y = b.T @ b
z = y
y = y * 2
show("alias", z)
show("double", y)
# --- reductions, selections, reshapes
from pending import data, show
import numpy as np
a, b, w = data(200, 8), data(8, 210), data(210, 5)
p = a @ b
show("sum", p.sum())
show("max", p.max(0))
show("argmax", p.argmax(1))
show("cumsum", np.cumsum(p, 1))
p = a @ b
show("reshape", p.reshape(-1, 100)[3])
show("ravel", p.ravel()[5:9])
show("take", p[[1, 5, 7]])
show("mask", p[p > 1.9])
p = a @ b
show("chain", p @ w)
show("twice", a @ b + a @ b)
show("T", (a @ b).T @ a)
show("where", np.where(a @ b > 1.8, 1, a @ b))
print(round(float((a @ b)[3, 4]), 9), round((a @ b)[5, 6], 9))
# --- loops
from pending import data, show
import numpy as np
a, b = data(200, 8), data(8, 210)
s = 0
for i in range(6):
    p = a @ b + i
    s = s + p.mean(1)
    a = a * 0.99 + p[:, :8] * 0.001
show("carried", s)
show("operand", a)
p = a @ b
for i in range(5):
    p[i] = p[i + 1] * 2
show("rows", p)
show("list", sum([np.ones((150, 3)) @ np.ones((3, 150)) * k for k in range(20)]))
# --- joins, batches, errors
from pending import data, show
import numpy as np
a, b = data(200, 8), data(8, 210)
x = [a @ (b * k) for k in range(3)]
show("stack", np.stack(x))
show("concatenate", np.concatenate(x, 1))
show("sort", np.sort(x[1], 1))
p = a @ b
e = np.exp(p - p.max(-1, keepdims=True))
show("softmax", e / e.sum(-1, keepdims=True))
c, d = data(3, 120, 4), data(3, 4, 130)
show("batch", c @ d)
show("swapped", np.swapaxes(c @ d, -1, -2).copy())
show("einsum", np.einsum("bij,bjk->ik", c, d))
show("out", np.matmul(c, d, out=np.empty((3, 120, 130))))
try:
    (a @ b) @ a[:3]
except ValueError as error:
    print(str(error)[:60])
def trace(n):
    a = np.ones((n, 2))
    return (a @ a.T).trace()
show("trace", trace(300))
