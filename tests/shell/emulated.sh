# The CUDA device above the emulator, from outside. Ctrl-C: what a program had not finished is never a value, and the session goes on.
# Products: cuBLAS gets operands as they lie.
[ -e "$B/tests/emulator/device.h.gch" ] || { echo "skip - no g++ to run CUDA programs with"; exit 0; }
work=$(realpath "$B")/test/emulated; rm -rf "$work"; mkdir -p "$work"
export LD_LIBRARY_PATH=$B/tests/emulator/lib64:$LD_LIBRARY_PATH CUDA_PATH=$B/tests/emulator STUB_CUDA=version=12040 GPA_DEVICE=cuda:0
export GPA_CACHE_DIR=$B/tests/emulator/cache
bad=0
ok() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# expected: %s\n' "$2" "$3"; bad=1; fi; }
endless=$'def f(x):\n    while x > 0:\n        x = x + 1\n    return x\nf = vectorize(f)'
# interrupted CODE: what it printed; it is interrupted once, when its endless program runs
interrupted() {
    rm -f "$work/log"
    STUB_CUDA_LOG=$work/log "$GPA" -c "$endless"$'\n'"$1" > "$work/out" 2>&1 & pid=$!
    (sleep 120; kill -9 $pid) > /dev/null 2>&1 & guard=$!
    until grep -q launch "$work/log" 2> /dev/null || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done
    sleep 0.5
    kill -INT $pid
    wait $pid; kill $guard
    grep -v '^==.*WARNING: ASan' "$work/out" | tr '\n' ' ' # ASan says that it does not follow fibres
}
all=$endless$'\ndef g(x):\n    s = 0.0\n    for i in range(1000): s = s + x\n    return s\ng = vectorize(g)'
ok "an interrupt is told once"  "$(interrupted $'try: print(f(np.ones(40)).sum())\nexcept KeyboardInterrupt: print("stopped", float((np.ones(9) * 2).sum()))\nprint(np.arange(3) * 2)')" 'stopped 18.0 [0 2 4] '
short=$'def f(x):\n    for i in range(20000):\n        x = x * 1.0001 + 1\n    return x\nf = vectorize(f)'
nested=$'def f(x):\n    for i in range(7000):\n        for j in range(7000):\n            x = x * 0.5 + j\n    return x\nf = vectorize(f)'
said=$'try: f(np.arange(N) * 1.0)[5].item()\nexcept KeyboardInterrupt: print("stopped")'
endless=$short
ok "what one block is told others find" "$(interrupted "${said/N/10**6}")" 'stopped '
endless=$nested
ok "short loops in a loop ask" "$(interrupted "${said/N/4000}")" 'stopped '

# Ctrl-C before each call of the driver, where programs begin only when somebody waits for them: none of them is left running
for press in {1..99}; do
    rm -f "$work/log"
    STUB_CUDA="$STUB_CUDA lazy=3 press=$press" STUB_CUDA_LOG=$work/log GPA_CUDA_INTERPRET=never timeout -s KILL 60 "$GPA" -c "$all"'
try: print(f(np.ones(40)).sum())
except KeyboardInterrupt: print("stopped", float((np.ones(9) * 2).sum()), float(g(np.ones(9)).sum()))' > "$work/out" 2>&1
    grep -q pressed "$work/log" || break
    [ "$(tail -n 1 "$work/out")" = "stopped 18.0 9000.0" ] || ok "an interrupt before call $press of the driver" "$(cat "$work/out")" "stopped 18.0 9000.0"
done
ok "interrupts before every call of the driver" "$((press > 20))" 1

# what the interpreter gives up, for it takes too long, reports its faults all the same, and leaves none to others
ok "a fault behind the interpreter" "$(GPA_CUDA_INTERPRET=soon GPA_CUDA_INTERPRETER=$B/tests/emulator/interpreter "$GPA" -c 'def f(x, n):
    for k in range(n): x = x * 0.5 + 1
    return x
f = vectorize(f)
a, i = np.arange(4.0), np.arange(5)
a[0].item(), i[0].item()
try: print(f(a[i], 200000).tolist())
except IndexError as e: print(e)
print(f(a, 1000).tolist())' 2>&1 | tr '\n' ' ')" 'index 4 is out of bounds for axis 0 with size 4 [2.0, 2.0, 2.0, 2.0] '

# products: above a cuBLAS that computes by the definition
mkdir -p "$work/lib64"
for l in cuda.so.1 nvrtc.so.13; do ln -sf "$(realpath "$B")/tests/emulator/lib64/lib$l" "$work/lib64"; done
ln -sf "$(realpath "$B")/tests/emulator/blas/libcublas.so.13" "$work/lib64/libcublas.so.12"
check=$'def numbers(*shape): return (np.arange(int(np.prod(np.array(shape)))) % 7 - 3.0).reshape(shape)
def check(x, y):
    z = x @ y
    print(z.tolist() == [[sum(x[i, k].item() * y[k, j].item() for k in range(x.shape[1])) for j in range(y.shape[1])] for i in range(x.shape[0])])
a, b, c = numbers(3, 4), numbers(4, 5), numbers(5, 4)
for v in a, b, c: v[0, 0].item()
'
# products CODE: what it printed, how many programs stored copies, what cuBLAS was asked for
products() {
    CUDA_PATH=$work STUB_CUDA_LOG=$work/log "$GPA" --explain -c "$check$1" > "$work/out" 2>&1
    echo "$(grep -c '^True' "$work/out") alike, $(grep -c '^False\|by the host\|Error' "$work/out") not, $(grep -c 'cut store' "$work/out") copies: $(sed -n 's/^gemm \(..\).* by \([0-9]*\) \([0-9]*\) batch \([0-9]*\)$/\1 \2 \3 \4/p' "$work/log" | tr '\n' ',')"
    rm -f "$work/log"
}
ok "operands go to cuBLAS as they lie" "$(products $'check(a, b)
check(a, c.T)
check(numbers(4, 3).T, c.T)
check(numbers(6, 4)[::2], b)
check(a, numbers(4, 9)[:, 2:7])
check(a, numbers(5, 8)[:, 3:7].T)')" '6 alike, 0 not, 0 copies: NN 5 4 1,TN 4 4 1,TT 4 3 1,NN 5 8 1,NN 9 4 1,TN 8 4 1,'
ok "and stacks of them" "$(products $'x, y = numbers(2, 3, 4), numbers(2, 5, 4)
x[0, 0, 0].item(); y[0, 0, 0].item()
z = x @ y.transpose(0, 2, 1)
print([z[i].tolist() for i in range(2)] == [(x[i] @ y[i].T).tolist() for i in range(2)])')" '1 alike, 0 not, 0 copies: TN 4 4 2,TN 4 4 1,TN 4 4 1,'
ok "others are copied there"           "$(products $'check(a[::-1], b)
check(a, numbers(4, 10)[:, ::2])')" '2 alike, 0 not, 2 copies: NN 5 4 1,NN 5 4 1,'
ok "a whole array takes a product's memory, and what pends keeps the old one" "$(products $'z = np.zeros((3, 5)); w = z[1]; z[0, 0].item(); old = z + 1
z[:] = a @ b
print(w.tolist() == (a @ b)[1].tolist() and old.tolist() == [[1.0] * 5] * 3)
t = a @ b
z[:] = t
t[0] = 9
print(z[0].tolist() != t[0].tolist())')" '2 alike, 0 not, 2 copies: NN 5 4 1,NN 5 4 1,NN 5 4 1,'

# sparse matrices: above a cuSPARSE that computes by the definition
ln -sf "$(realpath "$B")/tests/emulator/blas/libcusparse.so.12" "$work/lib64/libcusparse.so.11"
# sparse CODE: what it printed, and what cuSPARSE was asked for
sparse() {
    CUDA_PATH=$work STUB_CUDA_LOG=$work/log "$GPA" -c $'import scipy.sparse as sp\ndef numbers(m, n, t="f8"): return np.where(np.arange(m * n) % 3 == 1, np.arange(m * n) % 7 - 3.0, 0).reshape(m, n).astype(t)\n'"$1" > "$work/out" 2>&1
    echo "$(tr '\n' ' ' < "$work/out")| $(sed -n 's/^sp/sp/p' "$work/log" | tr '\n' ',')"
    rm -f "$work/log"
}
ok "products of two go to cuSPARSE" "$(sparse $'for t in "f4", "f8", "i8":
    a, b = sp.csr_matrix(numbers(5, 6, t)), sp.csc_matrix(numbers(6, 4, t))
    print(bool(((a @ b).toarray() == numbers(5, 6, t) @ numbers(6, 4, t)).all()), (a @ b).dtype)
a = sp.csr_matrix(numbers(5, 6))
print((a @ np.ones(6)).tolist() == numbers(5, 6).sum(1).tolist())
b = sp.coo_matrix(([2.0], ([4], [0])), shape=(6, 3))
c = sp.coo_matrix(([2.0], ([4], [5])), shape=(5, 6))
print((c @ b).nnz, (c @ b).toarray().sum(), (a @ b).toarray().tolist() == (numbers(5, 6) @ b.toarray()).tolist())')" 'True float32 True float64 True int64 True 0 0.0 True | spgemm 5 x 6 x 4,spgemm 5 x 6 x 4,spgemm 5 x 6 x 4,spgemm 5 x 6 x 4,sparse 5 x 6 times 1,spgemm 5 x 6 x 3,spgemm 5 x 6 x 3,spgemm 5 x 6 x 3,'
ok "but matrices with more values than places do not" "$(sparse $'a = sp.csr_matrix((np.ones(9), np.array([0, 1, 0, 1, 0, 1, 0, 1, 1]), np.array([0, 5, 9])), (2, 2))
print((a @ np.ones(2)).tolist(), (a @ a).toarray().tolist(), (a @ sp.csr_matrix(np.eye(2))).toarray().tolist())')" '[5.0, 4.0] [[11.0, 12.0], [6.0, 11.0]] [[3.0, 2.0], [1.0, 3.0]] | '
exit $bad
