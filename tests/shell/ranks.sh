# Several ranks are one device: results have the same bits for any number of them, failures leave the session usable.
. tests/checks.sh
[ -e "$B/gpa-ranks.so" ] && [ -e "$B/gpa-cpu.so" ] || skip "no device of several ranks"
output=$("$GPA" --ranks 2 -c 'print(ones(2) + 1)' 2>&1) || skip "${output%%$'\n'*}"
workspace ranks
export GPA_NUM_THREADS=1
cat > "$work/results.gpa" <<'G'
import numpy as np
r, n = np.random.default_rng(5), 300_001
x = r.standard_normal(n)
m = x[:250_000].reshape(500, 500)
def show(*values):
    for v in values:
        v = np.asarray(v)
        print(v.dtype, v.shape, np.atleast_1d(v).ravel()[:: v.size // 7 + 1].tolist())
show(x, np.sin(x) * x, x[::-1] - x, x[1:] - x[:-1], x[::3] * 2, np.where(x > 0, x, -x))
show(x.sum(), x.mean(), x.var(), x.max(), x.argmin(), (x > 0).sum(), (x > 9).any(), np.linalg.norm(x))
show(m.sum(0), m.sum(1), m.T.sum(1), m[1:-1, 1:-1].sum(), m.max(0), m.argmax(1), m.T + m, m[::2, ::-3] * m[1::2, ::3])
show(np.cumsum(x), np.sort(x), np.argsort(x), x[x > 1], x[r.integers(0, n, 5000)], np.histogram(x, 10)[0], m @ m, np.fft.fft(x[:4096]))
show(np.exp(m - m.max(1, keepdims=True)) / np.exp(m - m.max(1, keepdims=True)).sum(1, keepdims=True))
u, v = np.zeros((301, 200)), np.zeros((301, 200))
u[0] = v[0] = 1
for i in range(40):
    v[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    v[:, 0] = v[:, 1]
    v[-1] = v[-2]
    u, v = v, u
show(u, u.sum())
p = np.pad(m, 1)
p[::2] += 1
p[p > 2] = 0
p[[3, 5], [7, 9]] = 8.0
show(p, np.roll(p, 3, 0), np.concatenate([m, m + 1]), p.astype("f4").sum(), p.astype("i2"))
z = x[:99_999] + 1j
z *= z.conj()
show(z, z.sum(), abs(z))
x[5] = 100.0
x[-5:] = 0
show(x.sum(), float(x[5]), x[:300_000].reshape(3, -1).sum(1))
G
cat >> "$work/results.gpa" <<'G'
def bits(*values):
    for v in values:
        b = np.ascontiguousarray(v).view(np.uint8).ravel().astype(np.uint64)
        print(v.dtype, v.shape, int((b * (np.arange(b.size) % 65521 + 1)).sum()))
for t in "d f e i8 i2 i1 u4 ?".split():
    y = (x[:100_001] * 50).astype(t)
    bits(np.sort(y), np.argsort(y, kind="stable"))
y = x[:200_000].copy()
y[::7], y[3::11], y[4::11], y[5::13], y[9::17] = np.nan, -0.0, 0.0, np.inf, -np.inf
bits(np.sort(y), np.argsort(y), np.sort(0 * m.ravel()), np.argsort(m.ravel() > 0, kind="stable"), np.sort(np.arange(9000.0)[::-1]))
k = x[:700 * 333].reshape(700, 333)
l = np.tile(m, (2, 2))[:600, :700]
bits(l @ k, l.T @ l[:, :100], l @ l.T, l.astype("f") @ k.astype("f"), (l + 1j) @ (k - 1j), l @ k[:, 0], l[0] @ k)
bits(np.sort(l, 0), np.sort(l, 1), np.argsort(l, 1), l.argmax(1), l.argmin(0), np.searchsorted(np.sort(x), m))
for shape in ((64, 96), (128, 100), (300, 301), (32, 64, 20)):
    q = x[: np.prod(shape)].reshape(shape)
    bits(np.fft.fft(q), np.fft.fft(q, axis=0), np.fft.rfft(q), np.fft.fft2(q), np.fft.irfft2(np.fft.rfft2(q)), np.fft.fftn(q + 1j))
b, c = x[:1600].reshape(100, 4, 4), x[:24_000].reshape(40, 30, 20)
bits(b @ b, c @ c.transpose(0, 2, 1), np.linalg.inv(b), np.linalg.eigvalsh(b))
h = np.array([1.5, np.nan, -0.0, 2] * 500, np.float16).view(np.uint16)
bits(np.tile((h ^ 5).view(np.float16), 3), (h | 1).view(np.float16)[::-1].copy())
G
"$GPA" --device cpu "$work/results.gpa" > "$work/1" 2>&1
! grep -q Error "$work/1" && [ "$(wc -l < "$work/1")" -gt 40 ]; verdict "one process" $? "$work/1"
for n in 2 3; do
    for at in 1 1M; do
        GPA_RANKS_THRESHOLD=$at "$GPA" --ranks $n "$work/results.gpa" > "$work/$n" 2>&1
        diff "$work/1" "$work/$n" | cut -c1-300 | head -6 > "$work/difference"
        [ ! -s "$work/difference" ]; verdict "the bits of $n ranks, launches from $at on" $? "$work/difference"
    done
done

simulate() { GPA_RANKS_SIMULATED=$1 GPA_RANKS_THRESHOLD=1 "$GPA" --device ranks "${@:2}" 2>&1; }
for n in 7 70; do
    simulate $n "$work/results.gpa" > "$work/$n"
    diff "$work/1" "$work/$n" | cut -c1-300 | head -6 > "$work/difference"
    [ ! -s "$work/difference" ]; verdict "the bits of $n simulated ranks" $? "$work/difference"
done
output=$(simulate 1024 -c 'u = np.zeros((4096, 64)); u[0] = 1.0; v = u.copy()
for i in range(20):
    v[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    u, v = v, u
%ranks' | sed -n 's/.*bytes, \([0-9]*\) transfers.*/\1/p')
at_most "1024 ranks send no more halos than a program by hand" "${output:-none}" $((20 * 2 * 1023))
output=$(simulate 64 -c 'u = np.zeros((4096, 1024)); u[0] = 1.0; v = u.copy()
for i in range(20):
    v[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
    u, v = v, u
%ranks')
contains "halos of a stencil: one message in each direction and step" "$output" " transfers of 206"
output=$(simulate 64 -c 'x = np.random.default_rng(1).random(10 ** 7); s = float(np.sqrt(x * x + 1).sum())
%ranks')
contains "a sum moves no elements" "$output" "63 replies of 10152 bytes, 0 transfers"
output=$(simulate 16 -c 'a = np.random.default_rng(1).random((512, 512)) + 0j; c = np.fft.fft2(a)
%ranks')
contains "a transform of two axes: one message between any two ranks" "$output" "240 transfers of 3932160 bytes"

output=$("$GPA" --ranks 2 -c 'x = np.arange(1e6) * 2
print(x.sum())
%ranks' 2>&1)
contains "%ranks names the workers" "$output" "rank 1: process"
contains "%ranks counts" "$output" "1 launches were divided"
output=$("$GPA" --ranks 2 -c 'x = np.arange(4e6).reshape(2000, 2000).copy(); y = x.copy()
%explain y[1:-1] = x[2:] + x[:-2]' 2>&1)
contains "%explain shows what halos move" "$output" ", moves 32 KB"

contains "%explain says why" "$output" "(halo, 2 messages)"
output=$(GPA_RANKS_THRESHOLD=1 "$GPA" --ranks 2 -c 'x = np.arange(1e6)
%explain y = np.cumsum(np.sqrt(x)); z = np.sort(y)' 2>&1)
contains "%explain says what is not divided" "$output" "  on rank 0 alone: its elements are computed in order"
contains "%explain: library calls" "$output" "by the library of ranks, moves "

output=$(GPA_RANKS_THRESHOLD=1 "$GPA" --ranks 3 -c 'x = np.arange(1e6) * 2; y = np.sort(-x)
print(x.sum())
%ranks restart
print(x.sum(), (x + 1).sum(), y[:2])
%ranks restart
%ranks stop' 2>&1)
contains "%ranks restart keeps arrays" "$output" "999999000000.0 1000000000000.0 [-1999998. -1999996.]"
contains "arguments of %ranks" "$output" "takes no argument but"
contains "%ranks restart: one process" "$("$GPA" --device cpu -c '%ranks restart' 2>&1)" "ValueError: cpu is one process"

children='$(pgrep -P $(pgrep -P $PPID orted))'
output=$(GPA_RANKS_THRESHOLD=1 "$GPA" --ranks 2 -c 'x = np.arange(1e6); y = x * 2
print(y.sum())
!kill -9 '"$children"'
try: print((y + 1).sum())
except Exception as e: print(type(e).__name__, e)
x = np.arange(1e6)
print((x + 1).sum())
try: print(y[0])
except Exception as e: print(type(e).__name__, e)' 2>&1)
contains "a worker that ends is named" "$output" "DeviceError rank 1 (process"
contains "the session goes on with new workers" "$output" "500000500000.0"
contains "what only the dead worker held is lost" "$output" "DeviceError the elements of this array were lost when ranks failed"

output=$(GPA_RANKS_TIMEOUT=1 GPA_RANKS_THRESHOLD=1 "$GPA" --ranks 2 -c 'x = np.arange(1e6); y = x * 2
print(y.sum())
!kill -STOP '"$children"'
try: print((y + 1).sum())
except Exception as e: print(type(e).__name__, e)
print((np.arange(1e6) + 1).sum())' 2>&1)
contains "a worker that does not answer in time is named" "$output" "on $(hostname)) does not answer"
contains "the session goes on without it" "$output" "500000500000.0"
contains "no time limit" "$(GPA_RANKS_TIMEOUT=soon "$GPA" --ranks 2 -c 'print(np.ones(2) + 1)' 2>&1)" "'soon' is not a number of seconds"

errors=$work/errors start "$GPA" --ranks 2 -c 'import numpy as np
x = np.arange(400000.0)
print("begun", flush=True)
try:
    while True:
        y = x
        for k in range(300): y = np.sin(y) + np.cos(y)
        s = float(y.sum())
except KeyboardInterrupt: print("interrupted")
print((x + 1).sum())'
until_says "$work/out" begun
sleep 1; begun=$(date +%s%N); kill -INT $pid; end
at_most "an interrupt ends a launch" "$(ms $begun)" 5000
equal "after an interrupt" "$(tail -n 2 "$work/out")" "interrupted
80000200000.0"
sleep 0.5
{ "$GPA" --ranks 3 -c 'print(np.arange(1e6).sum(), flush=True)
!kill -9 $PPID'; } > "$work/out" 2>&1
for i in $(seq 40); do workers=$(pgrep -f "^$GPA rank-worker" | wc -l); [ "$workers" != 0 ] || break; sleep 0.1; done
equal "workers end with rank 0" "$workers" 0

equal "one rank is one process" "$("$GPA" --ranks 1 -c 'print(np.ones(2).device)' 2>&1)" cpu
contains "no number of ranks" "$("$GPA" --ranks some -c 'print(np.ones(2) + 1)' 2>&1)" "'some' is not a number of ranks"
contains "too many ranks" "$("$GPA" --ranks 2000 -c 'print(np.ones(2) + 1)' 2>&1)" "'2000' is not a number of ranks (1 to 1024)"
many=$((9 * $(nproc)))
[ $many -gt 1024 ] || contains "more ranks than sensible" "$("$GPA" --ranks $many -c 'print(np.ones(2) + 1)' 2>&1)" "$many ranks on $(nproc) processor"
export SLURM_STEP_NUM_TASKS=4
contains "singletons of srun" "$(SLURM_PROCID=0 "$GPA" -c 'print(1)' 2>&1; echo $?)" "gpa: srun started 4 processes that MPI does not connect"
equal "only the first of them says it" "$(SLURM_PROCID=1 "$GPA" -c 'print(1)' 2>&1; echo $?)" 2
contains "srun with another PMI" "$(SLURM_PROCID=0 PMIX_RANK=0 "$GPA" -c 'print(1)' 2>&1)" "started 4 processes, but MPI connects 1"
unset SLURM_STEP_NUM_TASKS
equal "an exit code" "$("$GPA" --ranks 2 -c 'import sys; print(np.ones(2) + 1); sys.exit(3)' 2>&1; echo $?)" "[2. 2.]
3"
if command -v mpirun > /dev/null; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    launch() { mpirun --oversubscribe -n "$1" "$GPA" "${@:2}" 2>&1; }
    GPA_RANKS_THRESHOLD=1 launch 3 "$work/results.gpa" > "$work/3"
    diff "$work/1" "$work/3" | cut -c1-300 | head -6 > "$work/difference"
    [ ! -s "$work/difference" ]; verdict "the bits of mpirun's ranks" $? "$work/difference"
    equal "an option that is answered" "$(launch 2 --version)" "$("$GPA" --version)"
    equal "a program without arrays" "$(launch 2 -c 'print(1 + 1)')" 2
    contains "the program is run by one of them" "$(launch 2 -c 'print("once")' | sort | uniq -c)" "1 once"
fi
finish
