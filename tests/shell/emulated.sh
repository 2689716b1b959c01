# The CUDA device above the emulator, from outside. Ctrl-C: what a program had not finished is never a value, and the session
# goes on. Products: cuBLAS reads operands in their memory layout, without copies.
. tests/checks.sh
[ -e "$B/tests/emulator/device.h.gch" ] || skip "no g++ to run CUDA programs with"
workspace emulated
emulator=$(realpath "$B")/tests/emulator
export LD_LIBRARY_PATH=$emulator/lib64:$LD_LIBRARY_PATH CUDA_PATH=$emulator STUB_CUDA=version=12040 GPA_DEVICE=cuda:0
export GPA_CACHE_DIR=$emulator/cache

# interrupted CODE: what it printed; it is interrupted once, when its first program runs.
interrupted() {
    rm -f "$work/log"
    seconds=120 STUB_CUDA_LOG=$work/log start "$GPA" -c "$1"
    until_says "$work/log" launch
    sleep 0.5
    kill -INT $pid
    end
    grep -v '^==.*WARNING: ASan' "$work/out" # ASan warns that it does not follow fibres
}
endless='
def f(x):
    while x > 0:
        x = x + 1
    return x
f = vectorize(f)'
equal "an interrupt is reported once" "$(interrupted "$endless
try: print(f(np.ones(40)).sum())
except KeyboardInterrupt: print('stopped', float((np.ones(9) * 2).sum()))
print(np.arange(3) * 2)")" 'stopped 18.0
[0 2 4]'
equal "all blocks find it" "$(interrupted '
def f(x):
    for i in range(20000):
        x = x * 1.0001 + 1
    return x
f = vectorize(f)
try: f(np.arange(10 ** 6) * 1.0)[5].item()
except KeyboardInterrupt: print("stopped")')" stopped
equal "short loops in a loop poll for it" "$(interrupted '
def f(x):
    for i in range(7000):
        for j in range(7000):
            x = x * 0.5 + j
    return x
f = vectorize(f)
try: f(np.arange(4000) * 1.0)[5].item()
except KeyboardInterrupt: print("stopped")')" stopped

# Ctrl-C before each call of the driver, where programs begin only when the host waits for them: none is left running.
program="$endless
def g(x):
    s = 0.0
    for i in range(1000): s = s + x
    return s
g = vectorize(g)
try: print(f(np.ones(40)).sum())
except KeyboardInterrupt: print('stopped', float((np.ones(9) * 2).sum()), float(g(np.ones(9)).sum()))"
for press in {1..99}; do
    rm -f "$work/log"
    STUB_CUDA="$STUB_CUDA lazy=3 press=$press" STUB_CUDA_LOG=$work/log GPA_CUDA_INTERPRET=never \
        timeout -s KILL 60 "$GPA" -c "$program" > "$work/out" 2>&1
    grep -q pressed "$work/log" || break
    [ "$(tail -n 1 "$work/out")" = "stopped 18.0 9000.0" ] ||
        equal "an interrupt before call $press of the driver" "$(cat "$work/out")" "stopped 18.0 9000.0"
done
equal "interrupts before every call of the driver" "$((press > 20))" 1

# A program that the interpreter gives up, since it takes too long, reports its faults, and no other program does.
equal "a fault of a program that the interpreter gave up" "$(
    GPA_CUDA_INTERPRET=soon GPA_CUDA_INTERPRETER=$emulator/interpreter "$GPA" -c '
def f(x, n):
    for k in range(n): x = x * 0.5 + 1
    return x
f = vectorize(f)
a, i = np.arange(4.0), np.arange(5)
a[0].item(), i[0].item()
try: print(f(a[i], 200000).tolist())
except IndexError as e: print(e)
print(f(a, 1000).tolist())' 2>&1)" 'index 4 is out of bounds for axis 0 with size 4
[2.0, 2.0, 2.0, 2.0]'

# Products: above a cuBLAS that computes by the definition.
mkdir -p "$work/lib64"
for l in cuda.so.1 nvrtc.so.13; do ln -sf "$emulator/lib64/lib$l" "$work/lib64"; done
ln -sf "$emulator/blas/libcublas.so.13" "$work/lib64/libcublas.so.12"
definition='
def numbers(*shape): return (np.arange(int(np.prod(np.array(shape)))) % 7 - 3.0).reshape(shape)
def dot(x, y): return sum(a.item() * b.item() for a, b in zip(x, y))
def check(x, y): print((x @ y).tolist() == [[dot(row, column) for column in y.T] for row in x])
a, b, c = numbers(3, 4), numbers(4, 5), numbers(5, 4)
for v in a, b, c: v[0, 0].item()
'
# products NAME COPIES GEMMS CODE: everything printed is True; so many programs stored copies; cuBLAS got these calls:
# transposes, leading dimensions, batch.
products() {
    CUDA_PATH=$work STUB_CUDA_LOG=$work/log "$GPA" --explain -c "$definition$4" > "$work/out" 2>&1
    [ -n "$(grep '^True' "$work/out")" ] && ! grep -q '^False\|by the host\|Error' "$work/out"
    verdict "$1: by the definition" $? "$work/out"
    equal "$1: copies" "$(grep -c 'cut store' "$work/out")" "$2"
    equal "$1: calls" "$(sed -n 's/^gemm \(..\).* by \([0-9]*\) \([0-9]*\) batch \([0-9]*\)\( .*\)*$/\1 \2 \3 \4\5/p' "$work/log")" "$3"
    rm -f "$work/log"
}
products "operands go to cuBLAS in their layout" 0 'NN 5 4 1
TN 4 4 1
TT 4 3 1
NN 5 8 1
NN 9 4 1
TN 8 4 1' '
check(a, b)
check(a, c.T)
check(numbers(4, 3).T, c.T)
check(numbers(6, 4)[::2], b)
check(a, numbers(4, 9)[:, 2:7])
check(a, numbers(5, 8)[:, 3:7].T)'
products "and stacks of them" 0 'TN 4 4 2
TN 4 4 1
TN 4 4 1' '
x, y = numbers(2, 3, 4), numbers(2, 5, 4)
x[0, 0, 0].item(); y[0, 0, 0].item()
z = x @ y.transpose(0, 2, 1)
print([z[i].tolist() for i in range(2)] == [(x[i] @ y[i].T).tolist() for i in range(2)])'
products "others are copied first" 2 'NN 5 4 1
NN 5 4 1' '
check(a[::-1], b)
check(a, numbers(4, 10)[:, ::2])'
products "a whole array takes a product's memory, and pending expressions keep the old one" 2 'NN 5 4 1
NN 5 4 1
NN 5 4 1' '
z = np.zeros((3, 5)); w = z[1]; z[0, 0].item(); old = z + 1
z[:] = a @ b
print(w.tolist() == (a @ b)[1].tolist() and old.tolist() == [[1.0] * 5] * 3)
t = a @ b
z[:] = t
t[0] = 9
print(z[0].tolist() != t[0].tolist())'

products "in the precision that holds, for gradients in that of the product" 0 'NN 5 3 1 tf32
NN 5 3 1
NN 5 3 1 bfloat16
NN 5 3 1 bfloat16
NN 5 3 1 bfloat16
NN 5 3 1 tf32
TN 5 5 1 tf32' '
x = np.arange(6, dtype="f").reshape(2, 3) + 1 + 2.0 ** -11  # 11 bits hold 1 + 2 ** -10, 16 bits these
y = np.ones((3, 5), "f"); y[0, 0].item()
exact = x.sum(1, keepdims=True)
def error(): return (abs(exact - x @ y).max() / 15).item()
with precision("tf32"): print(2.0 ** -14 < error() < 2.0 ** -10)
print(error() < 2.0 ** -23)
with precision("bf16x3"): print(error() < 2.0 ** -16)
from autograd import grad
def f(x):
    with precision("tf32"):
        z = x @ y
    return (z * z).sum()
print(grad(f)(x).shape == x.shape)'

# Sparse matrices: above a cuSPARSE that computes by the definition.
ln -sf "$emulator/blas/libcusparse.so.12" "$work/lib64/libcusparse.so.11"
# sparse NAME CALLS OUTPUT CODE: what it prints, and what cuSPARSE is asked for.
sparse() {
    CUDA_PATH=$work STUB_CUDA_LOG=$work/log "$GPA" -c "
import scipy.sparse as sp
def numbers(m, n, t='f8'):
    k = np.arange(m * n)
    return np.where(k % 3 == 1, k % 7 - 3.0, 0).reshape(m, n).astype(t)
$4" > "$work/out" 2>&1
    equal "$1" "$(cat "$work/out")" "$3"
    equal "$1: calls" "$(sed -n '/^sp/p; /^tri/p' "$work/log" | uniq -c | sed 's/^ *//')" "$2"
    rm -f "$work/log"
}
sparse "products of two go to cuSPARSE" '4 spgemm 5 x 6 x 4
1 sparse 5 x 6 times 1
3 spgemm 5 x 6 x 3' 'True float32
True float64
True int64
True
0 0.0 True' '
for t in "f4", "f8", "i8":
    a, b = sp.csr_matrix(numbers(5, 6, t)), sp.csc_matrix(numbers(6, 4, t))
    print(bool(((a @ b).toarray() == numbers(5, 6, t) @ numbers(6, 4, t)).all()), (a @ b).dtype)
a = sp.csr_matrix(numbers(5, 6))
print((a @ np.ones(6)).tolist() == numbers(5, 6).sum(1).tolist())
b = sp.coo_matrix(([2.0], ([4], [0])), shape=(6, 3))
c = sp.coo_matrix(([2.0], ([4], [5])), shape=(5, 6))
print((c @ b).nnz, (c @ b).toarray().sum(), (a @ b).toarray().tolist() == (numbers(5, 6) @ b.toarray()).tolist())'
sparse "tridiagonal systems go to cuSPARSE" '1 tridiagonal 6 by 1
1 tridiagonal 6 by 2
1 tridiagonal 3 by 1' 'True True float32
singular matrix' '
from scipy.linalg import lapack, solve_banded
a = np.diag(np.arange(4.0, 10)) + np.diag(np.ones(5), 1) + np.diag(np.arange(5.0) / 4, -1)
one, two = np.arange(6.0), np.arange(12.0).reshape(6, 2)
bands = np.array([[0, 1, 1, 1, 1, 1], np.arange(4.0, 10), [0, 0.25, 0.5, 0.75, 1, 0]])
x, y = lapack.dgtsv(np.arange(5.0) / 4, np.arange(4.0, 10), np.ones(5), one)[3], solve_banded((1, 1), bands.astype("f4"), two.astype("f4"))
print(bool(np.allclose(a @ x, one)), bool(np.allclose(a @ y, two, rtol=1e-5)), y.dtype)
try: solve_banded((1, 1), [[0, 0, 0.0], [0, 1, 1], [0, 0, 0]], [1, 1, 1.0])
except np.linalg.LinAlgError as e: print(e)'
sparse "but matrices with more values than elements do not" '' \
    '[5.0, 4.0] [[11.0, 12.0], [6.0, 11.0]] [[3.0, 2.0], [1.0, 3.0]]' '
a = sp.csr_matrix((np.ones(9), np.array([0, 1, 0, 1, 0, 1, 0, 1, 1]), np.array([0, 5, 9])), (2, 2))
print((a @ np.ones(2)).tolist(), (a @ a).toarray().tolist(), (a @ sp.csr_matrix(np.eye(2))).toarray().tolist())'
finish
