#!/bin/bash
# The cache of compiled programs under attack: processes killed while they write it, many on a cold one, folders that
# cannot be written. Answers stay right, entries stay whole.
. tests/checks.sh
[ -e "$B/gpa-cpu.so" ] || skip "no CPU device"
workspace cache_attacks
export GPA_DEVICE=cpu GPA_CACHE_DIR=$work/cache
unset GPA_CACHE_SHARED GPA_CACHE_LIMIT
cat > "$work/program.gpa" << 'END'
x = np.arange(1.0, 41.0)
for dtype in (np.float64, np.float32, np.int64, np.int32, np.complex128):
    y = x.astype(dtype)
    print((y * y + 3).sum(), (y[::-1] - y)[3], (y.reshape(4, 10) + y[:10])[2, 5], (y == y[::-1]).any())
END
output='22260.0 33.0 32.0 False
22260.0 33.0 32.0 False
22260 33 32 False
22260 33 32 False
(22260+0j) (33+0j) (32+0j) False'
run() { "$GPA" "$work/program.gpa" 2>&1; }
entries() { (cd "$1" && stat -c '%n %i' -- *.program 2> /dev/null); }

# Killed at any time, also in the middle of a write.
kills=${KILLS:-20} killed=0
for ((k = 0; k < kills; k++)); do
    [ $((k % 5)) != 0 ] || rm -rf "$GPA_CACHE_DIR"
    "$GPA" "$work/program.gpa" > /dev/null 2>&1 & pid=$!
    # Until the first entries are there, and then for up to 60 ms.
    for ((i = 0; i < 2000; i++)); do
        { [ -e "$GPA_CACHE_DIR" ] && [ "$(ls -A "$GPA_CACHE_DIR" | wc -l)" -gt $((k % 5)) ]; } || ! kill -0 $pid 2> /dev/null && break
        sleep 0.005
    done
    sleep 0.0$((RANDOM % 7))
    if kill -9 $pid 2> /dev/null; then killed=$((killed + 1)); fi
    wait $pid 2> /dev/null
done
echo "# $killed of $kills processes were killed before their end"
equal "after kill -9 answers are right" "$(run)" "$output"
kept=$(entries "$GPA_CACHE_DIR")
equal "and entries are whole: none is made again" "$(run; entries "$GPA_CACHE_DIR")" "$output
$kept"
# What they left behind goes when the folder is listed, as soon as it is old enough to belong to no process.
touch -d '2 days ago' "$GPA_CACHE_DIR/.new-1-1"
"$GPA" --cache info > /dev/null
equal "abandoned files are removed" "$(ls -A "$GPA_CACHE_DIR" | grep -c '^\.new-1-1$')" 0

rm -rf "$GPA_CACHE_DIR"
for k in 1 2 3 4 5 6 7 8; do run > "$work/output.$k" & done
wait
equal "eight processes on a cold cache" "$(cat "$work"/output.? | sort | uniq -c | sort -n)" \
    "$(for k in 1 2 3 4 5 6 7 8; do echo "$output"; done | sort | uniq -c | sort -n)"
kept=$(entries "$GPA_CACHE_DIR")
equal "which leave one whole entry each" "$(run; entries "$GPA_CACHE_DIR"; ls -A "$GPA_CACHE_DIR" | grep -vc '\.program$')" "$output
$kept
0"

# A folder that is only readable, for a user to whom that means something.
as() { "$@"; }
if [ "$(id -u)" = 0 ]; then
    as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
    as test -x "$GPA" -a -r "$work/program.gpa" 2> /dev/null || { echo "skip - no other user may run the program"; finish; }
    chown -R 65534 "$GPA_CACHE_DIR"
fi
chmod 500 "$GPA_CACHE_DIR"
equal "a folder that is only read serves what it holds" "$(as "$GPA" "$work/program.gpa" 2>&1)" "$output"
cat > "$work/more.gpa" << 'END'
x = np.arange(1.0, 41.0)
print(((x - 7) / 2 + x * x).max(), ((x - 7) / 2 + x * x).min())
END
equal "what it does not hold is computed, and one line says why it is not kept" "$(as "$GPA" "$work/more.gpa" 2>&1)" \
    "gpa: the compiled programs in $GPA_CACHE_DIR are not kept: Permission denied
1616.5 -2.0"
equal "nothing was written" "$(entries "$GPA_CACHE_DIR"; ls -A "$GPA_CACHE_DIR" | grep -vc '\.program$')" "$kept
0"
chmod 700 "$GPA_CACHE_DIR"
finish
