# Magics and shell lines in programs, from outside: order of output, exit codes, interrupts that reach children, the user's
# own beginning.
. tests/checks.sh
workspace magics

# check NAME TEXT FILE: the file holds this text (\n for an end of line).
check() { equal "$1" "$(cat "$3")" "$(printf '%b' "$2")"; }

cat > "$work/program.gpa" <<'PROGRAM'
import sys
print("one")
!echo two {1 + 2} $HOME_OF_NONE
lines = !printf 'a\nb\n'
print(lines, file=sys.stderr)
def twice(x):
    y = !echo {x}
    return y * 2
print(twice("q"))
for i in range(2):
    %who_ls zork
%env GPA_TEST_X=5
!echo $GPA_TEST_X
%timeit -n 1 -r 1 -q 1
n?
PROGRAM
"$GPA" "$work/program.gpa" > "$work/out" 2> "$work/err"
check "output of a program and of its children, in order" \
    "one\ntwo 3\n['q', 'q']\nenv: GPA_TEST_X=5\n5\nObject \`n\` not found." "$work/out"
check "errors go to the error stream" "['a', 'b']" "$work/err"

printf '%%foo\nprint("not reached")\n' > "$work/unknown.gpa"
"$GPA" "$work/unknown.gpa" > "$work/out" 2> "$work/err"; status=$?
[ $status = 1 ] && [ ! -s "$work/out" ] && grep -q 'UsageError: Line magic function `%foo` not found.' "$work/err" &&
    grep -q 'unknown.gpa", line 1' "$work/err"
verdict "an unknown magic ends a program" $? "$work/out" "$work/err"

printf 'x = 1\n%%%%bash\necho from bash\n' > "$work/cell.gpa"
"$GPA" "$work/cell.gpa" > "$work/out" 2>&1
check "a cell magic takes the rest of a program" "from bash" "$work/out"

printf 'n = 5\n!cat\n' | "$GPA" > "$work/out" 2>&1
check "a child does not read the program" "" "$work/out"

# An interrupt ends the child; the program goes on. A child that ignores interrupts is terminated.
interrupt() {
    start "$GPA" -c "$2"
    until [ -e "$work/started" ] || ! kill -0 $pid 2> /dev/null; do sleep 0.05; done
    sleep 0.2
    since=$(date +%s%N)
    kill -INT $pid
    end
    took=$(ms "$since")
    rm -f "$work/started"
    check "$1" "$3" "$work/out"
    at_most "$1: milliseconds" "$took" "$4"
}
interrupt "an interrupt ends a child" "!touch $work/started; sleep 30
print(_exit_code)" "-2" 1000
interrupt "an interrupt ends a script" "%%bash
touch $work/started; sleep 30" "Process is interrupted." 1000
interrupt "an interrupt ends a child whose output is taken" "x = !echo a; touch $work/started; sleep 30
print(x)" "['a']" 1000
interrupt "a stubborn child is ended" "!trap '' INT; touch $work/started; sleep 30; sleep 30
print(_exit_code)" "-15" 4000
pgrep -f "touch $work/started" > "$work/left"
check "no child is left behind" "" "$work/left"

mkdir -p "$work/config/gpa"
printf 'began = 1\n%%precision 2\n1 / 0\n' > "$work/config/gpa/init.gpa"
printf 'began\n1/3\n' | XDG_CONFIG_HOME=$work/config "$GPA" -q -i > "$work/out" 2> "$work/err"
grep -q 'Out\[1\]: 1' "$work/out" && grep -q '0.33$' "$work/out" && grep -q 'init.gpa", line 3' "$work/err"
verdict "init.gpa runs before the prompt, and its errors are reported" $? "$work/out" "$work/err"

# Compiling takes milliseconds, such a program microseconds: a time that includes compiling would show with all five.
if [ -e "$B/gpa-cpu.so" ]; then
    echo 'a = np.arange(10.0); float(a[0])' > "$work/prun.gpa"
    for f in sin cos tan sinh cosh; do echo "%prun (np.$f(a) * np.exp(a) + np.arctan(a) ** 2.5).sum()"; done >> "$work/prun.gpa"
    GPA_CACHE_DIR=$work/cache GPA_CACHE_SHARED= "$GPA" --device cpu "$work/prun.gpa" > "$work/out" 2>&1
    grep -qE '^1 program or library call, run 1 times, in [0-9.]+ (ns|μs) of [0-9.]+ m?s on cpu$' "$work/out"
    verdict "%prun leaves out what compiling took" $? "$work/out"
fi

# %restart outside of a prompt writes the names into a folder.
cat > "$work/keep.gpa" <<'PROGRAM'
import numpy as np, math
from math import sqrt as root
a, one, half = np.arange(6.0).reshape(2, 3) * 2, np.float32(1.5), np.arange(3)[1]
texts = {"x": [1, (2.5, None)], "y": {3}, (1, "é'\n"): b"\x00q", "e": set()}
odd = float("inf"), -float("inf"), -9223372036854775808, 1 - 2j, range(4), True, ()
def f(x, n=2):
    """twice"""
    return x * n
wrapped = np.vectorize(f)
@vectorize
def g(x): return x + 1
waits = iter([1])
%restart -f
PROGRAM
TMPDIR=$work "$GPA" "$work/keep.gpa" > "$work/out" 2>&1
folder=$(sed -n 's/.*%run \(.*\)\/names.gpa$/\1/p' "$work/out")
sed -i "s#$folder#FOLDER#" "$work/out"
check "%restart says what it cannot keep" \
    'Not kept: wrapped (vectorize), waits (list_iterator)\nRestart the kernel, then get the names back: %run FOLDER/names.gpa' "$work/out"
"$GPA" -c "%run $folder/names.gpa"'
print(a.tolist(), repr(one), repr(half))
print(texts)
print(odd)
print(f(3), g(np.arange(2)).tolist(), root(4), np.pi == math.pi)' > "$work/out" 2>&1
equal "and the rest is there again" "$(cat "$work/out")" "[[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]] np.float32(1.5) np.int64(1)
{'x': [1, (2.5, None)], 'y': {3}, (1, \"é'\\n\"): b'\\x00q', 'e': set()}
(inf, -inf, -9223372036854775808, (1-2j), range(0, 4), True, ())
6 [1, 2] 2.0 True"
finish
