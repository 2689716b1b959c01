# The CPU device's machine code on disk: entries are used again, damaged ones are replaced, and no folder is needed. An entry
# was used again if its file was not replaced.
. tests/checks.sh
[ -e "$B/gpa-cpu.so" ] || skip "no CPU device"
workspace cache
export GPA_DEVICE=cpu GPA_CACHE_DIR=$work/own
unset GPA_CACHE_SHARED GPA_CACHE_LIMIT
cat > "$work/program.gpa" << 'END'
from numba import vectorize, jit, cuda
x = np.arange(40.0)
print(round((np.sin(x) * 2 + x).sum(), 6), np.sort(x[::3] ** 2)[-1])
print(np.cumsum(x.astype(np.float32))[-1], (x.reshape(5, 8) / 3).max(0)[2])
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
output='782.306196 1521.0
780.0 11.333333333333334
[ 0  1  7  2  5  8 16  3]
[31. 30. 29.]'
run() { "$GPA" "$work/program.gpa" 2>&1; }
files() { (cd "$1" && stat -c '%n %i' -- *.program 2> /dev/null); }

equal "the first time" "$(run)" "$output"
first=$(files "$work/own")
equal "programs were kept" "$([ "$(wc -l <<< "$first")" -ge 6 ] && echo yes)" yes
equal "the second time" "$(run)" "$output"
equal "nothing was made again" "$(files "$work/own")" "$first"
equal "another thread count takes the same" "$(GPA_NUM_THREADS=1 run; files "$work/own")" "$output
$first"

i=0
for f in "$work"/own/*.program; do
    case $((i++ % 3)) in
        0) printf x >> "$f" ;;
        1) truncate -s -9 "$f" ;;
        2) printf '\377\376' | dd of="$f" bs=1 seek=$(($(stat -c %s "$f") - 700)) conv=notrunc status=none ;;
    esac
done
equal "damaged entries" "$(run)" "$output"
replaced=$(files "$work/own")
equal "all of them were replaced" "$(comm -12 <(sort <<< "$first") <(sort <<< "$replaced"))" ""
equal "by entries of the same names" "$(cut -d' ' -f1 <<< "$replaced")" "$(cut -d' ' -f1 <<< "$first")"

# Functions that compiled code calls are external symbols: no address of this process is in a module.
cat > "$work/complex.gpa" << 'END'
z = np.arange(1, 40) * (0.5 + 0.25j)
r = np.exp(z / 20) + np.sqrt(z) + np.sin(z / 9) * np.log(z) + z ** 1.5 + np.arctan(z)
print(np.round(r.sum(), 6), np.remainder(np.arange(9.0), 4)[-1], np.gcd(np.arange(9), 6)[-1])
END
complex() { GPA_CACHE_DIR=$work/complex "$GPA" "$work/complex.gpa" 2>&1; }
complex_output=$(complex)
kept=$(files "$work/complex")
equal "complex functions, the second time" "$(complex)" "$complex_output"
equal "they were not made again, nor others" "$([ -n "$kept" ] && files "$work/complex")" "$kept"

equal "a shared folder" "$(GPA_CACHE_SHARED=$work/own GPA_CACHE_DIR=$work/empty run; ls "$work/empty" 2> /dev/null)" "$output"
equal "which is not written to" "$(files "$work/own")" "$replaced"
chmod 777 "$work/own"
equal "a folder that others may write to" "$(run)" "gpa: the compiled programs in $work/own are not used: other users may write to it
$output"
equal "is not written to either" "$(files "$work/own")" "$replaced"
chmod 700 "$work/own"
equal "no folder" "$(GPA_CACHE_DIR=/dev/null/folder run)" "gpa: the compiled programs in /dev/null/folder are not kept: Not a directory
$output"
equal "a smaller limit" "$(GPA_CACHE_LIMIT=24K GPA_CACHE_DIR=$work/small run)" "$output"
at_most "its bytes" "$(cat "$work"/small/* | wc -c)" 24576

for k in 1 2 3 4; do GPA_CACHE_DIR=$work/many run > "$work/output.$k" & done
wait
equal "several processes" "$(sort -u "$work"/output.?)" "$(sort <<< "$output")"
equal "leave whole entries" "$(ls -A "$work/many" | cksum)" "$(ls -A "$work/own" | cksum)"
finish
