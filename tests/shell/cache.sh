#!/bin/bash
# The CPU device's machine code on disk: what is kept is taken, what is damaged is made again, and no folder is needed. That an
# entry was taken is seen by its file, which is not replaced.
work=$B/test/cache; rm -rf "$work"; mkdir -p "$work"
[ -e "$B/gpa-cpu.so" ] || { echo "skip - no CPU device"; exit 0; }
export GPA_DEVICE=cpu GPA_CACHE_DIR=$work/own
unset GPA_CACHE_SHARED GPA_CACHE_LIMIT
bad=0
ok() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# expected: %s\n' "$2" "$3"; bad=1; fi; }
cat > "$work/program.gpa" << 'END'
from numba import vectorize, jit, cuda
x = np.arange(40.0)
print(round((np.sin(x) * 2 + x).sum(), 6), np.sort(x[::3] ** 2)[-1], np.cumsum(x.astype(np.float32))[-1], (x.reshape(5, 8) / 3).max(0)[2])
@vectorize
def steps(n):
    k = 0
    while n != 1 and k < 100: n, k = (n // 2 if n % 2 == 0 else 3 * n + 1), k + 1
    return k
print(steps(np.arange(1, 9)))
@cuda.jit
def reverse(a, b):
    s = cuda.shared.array(32, np.float64)
    i = cuda.threadIdx.x
    s[i] = a[i]
    cuda.syncthreads()
    b[i] = s[31 - i]
out = np.zeros(32)
reverse[1, 32](x[:32], out)
print(out[:3])
END
said='782.306196 1521.0 780.0 11.333333333333334
[ 0  1  7  2  5  8 16  3]
[31. 30. 29.]'
run() { "$GPA" "$work/program.gpa" 2>&1; }
files() { (cd "$1" && stat -c '%n %i' -- *.program 2> /dev/null); }

ok "the first time" "$(run)" "$said"
first=$(files "$work/own")
ok "programs were kept" "$([ "$(wc -l <<< "$first")" -ge 6 ] && echo yes)" yes
ok "the second time" "$(run)" "$said"
ok "nothing was made again" "$(files "$work/own")" "$first"
ok "another thread count takes the same" "$(GPA_NUM_THREADS=1 run; files "$work/own")" "$said
$first"

i=0
for f in "$work"/own/*.program; do
    case $((i++ % 3)) in
        0) printf x >> "$f" ;;
        1) truncate -s -9 "$f" ;;
        2) printf '\377\376' | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") - 700)) conv=notrunc status=none ;;
    esac
done
ok "damaged entries" "$(run)" "$said"
now=$(files "$work/own")
ok "all of them were made again" "$(comm -12 <(sort <<< "$first") <(sort <<< "$now")) $(cut -d' ' -f1 <<< "$now" | cksum)" " $(cut -d' ' -f1 <<< "$first" | cksum)"

# Functions that compiled code calls are external symbols: no address of this process is in a module.
cat > "$work/complex.gpa" << 'END'
z = np.arange(1, 40) * (0.5 + 0.25j)
r = np.exp(z / 20) + np.sqrt(z) + np.sin(z / 9) * np.log(z) + z ** 1.5 + np.arctan(z)
print(np.round(r.sum(), 6), np.remainder(np.arange(9.0), 4)[-1], np.gcd(np.arange(9), 6)[-1])
END
complex() { GPA_CACHE_DIR=$work/complex "$GPA" "$work/complex.gpa" 2>&1; }
said_complex=$(complex)
kept=$(files "$work/complex")
ok "complex functions, the second time" "$(complex)" "$said_complex"
ok "they were not made again, nor others" "$([ -n "$kept" ] && files "$work/complex")" "$kept"

ok "a shared folder" "$(GPA_CACHE_SHARED=$work/own GPA_CACHE_DIR=$work/empty run; ls "$work/empty" 2> /dev/null)" "$said"
ok "which is not written to" "$(files "$work/own")" "$now"
chmod 777 "$work/own"
ok "a folder that others may write to" "$(run)" "gpa: the compiled programs in $work/own are not used: other users may write to it
$said"
ok "is not written to either" "$(files "$work/own")" "$now"
chmod 700 "$work/own"
ok "no folder" "$(GPA_CACHE_DIR=/dev/null/folder run)" "$said"
ok "a folder with room for less" "$(GPA_CACHE_LIMIT=24K GPA_CACHE_DIR=$work/small run; [ "$(cat "$work"/small/* | wc -c)" -le 24576 ] || ls -l "$work/small")" "$said"

for k in 1 2 3 4; do GPA_CACHE_DIR=$work/many run > "$work/said.$k" & done
wait
ok "several processes" "$(sort -u "$work"/said.?)" "$(sort <<< "$said")"
ok "leave whole entries" "$(ls -A "$work/many" | cksum)" "$(ls -A "$work/own" | cksum)"
exit $bad
