#!/bin/bash
# A replayed loop hears SIGINT, and leaves the values of a whole number of iterations. A million iterations take no more memory.
work=$B/test/interrupt_loops; rm -rf "$work"; mkdir -p "$work"
bad=0
unset GPA_LOOPS
verdict() { # NAME GOOD DETAILS
    if [ "$2" = 1 ]; then echo "ok - $1"; else echo "not ok - $1"; echo "# $3"; bad=1; fi
}
cat > "$work/endless.gpa" <<'P'
x = np.zeros(8)
y = np.ones(8)
n = 0
def loop():
    global x, y, n
    print('go', flush=True)
    while True:
        x = x + y
        y[1:] = y[:-1]
        n += 1
try:
    loop()
except KeyboardInterrupt:
    print(bool((x == x[0]).all()), bool(x[0] - n in (0, 1)), n > 100, flush=True)  # the last one may end between statements
loop()
P
mkfifo "$work/out"
"$GPA" "$work/endless.gpa" > "$work/out" 2> "$work/err" & pid=$!
( sleep 60; kill -KILL $pid 2> /dev/null ) & guard=$!
exec 3< "$work/out"
read -r line <&3
sleep 1
began=$(date +%s%3N)
kill -INT $pid
read -r values <&3
took=$(($(date +%s%3N) - began))
read -r again <&3
sleep .2
kill -INT $pid
status=0; wait $pid || status=$?
kill $guard 2> /dev/null; wait $guard 2> /dev/null
exec 3<&-
# The goal is 100 ms; a loaded machine gets two seconds.
verdict "an interrupt is heard" "$(([ "$line" = go ] && [ "$again" = go ] && [ "$took" -lt 2000 ]) && echo 1)" "after $took ms: $line, $again"
verdict "the values are those of whole iterations" "$([ "$values" = "True True True" ] && echo 1)" "$values"
verdict "the script ends, at the line of the loop" "$([ $status = 130 ] && grep -q 'line [789]' "$work/err" && echo 1)" "$status: $(cat "$work/err")"

cat > "$work/memory.gpa" <<'P'
u, v, w = np.zeros(64), np.ones(64), np.zeros(64)
def run(u, v, w, n):
    for i in range(n):
        w = u * 0.5 + v
        v[1:] = w[:-1] * 0.5
        u, v = v, u
    return w
def peak(): return int([x for x in open('/proc/self/status') if x.startswith('VmHWM')][0].split()[1])  # KiB
w = run(u, v, w, 10000)
before = peak()
w = run(u, v, w, 1000000)
print(peak() - before, bool(np.isfinite(w).all()))
P
output=$("$GPA" "$work/memory.gpa" 2>&1)
read -r grown finite <<< "$output"
verdict "a million iterations take no more memory" "$([ "$finite" = True ] && [ "$grown" -lt 4000 ] && echo 1)" "$output"
exit $bad
