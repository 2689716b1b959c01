# The interpreter of the CUDA device, above the emulator: when it serves, when compiled programs take over, and what %explain
# says of it.
. tests/checks.sh
[ -e "$B/tests/emulator/interpreter" ] || skip "no g++ to run CUDA programs with"
workspace interpreted
emulator=$(realpath "$B")/tests/emulator
export LD_LIBRARY_PATH=$emulator/lib64:$LD_LIBRARY_PATH CUDA_PATH=$emulator STUB_CUDA=version=12040 GPA_DEVICE=cuda:0
export GPA_CUDA_INTERPRETER=$emulator/interpreter

# explains NAME EXPECTED CELL ...: what %explain says of each launch's program, and what the cells print. $cache: the folder
# of compiled programs.
explains() {
    local name=$1 expected=$2; shift 2
    printf '%s\n' 'import math' 'x = np.arange(9.0)' 'float((x * 2).sum())' "$@" > "$work/cells.gpa"
    equal "$name" "$(GPA_CACHE_DIR=$work/$cache "$GPA" "$work/cells.gpa" 2>&1 | sed -n '
        s/compiled in .*/compiled/
        s/^  1 launch,.*, \([a-z ]*\)$/\1/p
        /^[=>]/p
        /Error\|Interrupt/p')" "$expected"
}
sine='%explain np.sin(x) * 2'
loop='@vectorize
def f(x, n):
    while n > 0:
        x = x * 0.5 + 1
        n -= 1
    return x'

cache=cache
explains "first launches are interpreted, the second has the program compiled" 'interpreted
interpreted while it is compiled
program known
> True' "$sine" "$sine" '%timeit -q -n 1 -r 1 np.sin(x) * 2' "$sine" 'print(">", float((np.sin(x) * 2)[1]) == math.sin(1) * 2)'
explains "an index that is out of bounds is found" '> index 9 is out of bounds for axis 0 with size 9' \
    'i = np.array([3, 9])' 'try: print(">", x[i] + 1)' 'except IndexError as e: print(">", e)'
explains "a loop of few iterations is interpreted" 'interpreted' "$loop" '%explain f(x, 20)'
explains "a loop of many is given up, and compiled" 'compiled
> 2.0
program known' "$loop" '%explain f(x, 100000)' 'print(">", float(f(x, 100000)[8]))' '%explain f(x, 3)'
cache=other
GPA_CUDA_INTERPRET=never explains "never, if set so" 'compiled
program known' "$sine" "$sine"
GPA_CUDA_INTERPRET=always explains "always, if set so" 'interpreted
interpreted while it is compiled
interpreted while it is compiled' "$sine" "$sine" "$sine"
cache=third
GPA_CUDA_INTERPRETER=$work/none explains "without its file programs are compiled" 'compiled' "$sine"
{ echo 'gpa interpreter 1, nvrtc 11000, sm_9, tables 0'; tail -n +2 "$GPA_CUDA_INTERPRETER"; } > "$work/older"
cache=fourth
GPA_CUDA_INTERPRETER=$work/older explains "the file of another compiler is not used" 'compiled' "$sine"

printf '%s\n' "$loop" 'f(np.ones(3), 1 << 60)[0].item()' > "$work/endless.gpa"
export GPA_CACHE_DIR=$work/other
seconds=120 GPA_CUDA_INTERPRET=always STUB_CUDA_LOG=$work/log start "$GPA" "$work/endless.gpa"
until_says "$work/log" launch; sleep 0.5; kill -INT $pid; end
equal "Ctrl-C ends an interpreted loop" "$(grep -o '^KeyboardInterrupt' "$work/out")" KeyboardInterrupt
finish
