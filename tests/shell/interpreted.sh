# The interpreter of the CUDA device, above the emulator: when it serves, when compiled programs take over, and what is said of it.
[ -e "$B/tests/emulator/interpreter" ] || { echo "skip - no g++ to run CUDA programs with"; exit 0; }
work=$(realpath "$B")/test/interpreted; rm -rf "$work"; mkdir -p "$work"
export LD_LIBRARY_PATH=$B/tests/emulator/lib64:$LD_LIBRARY_PATH CUDA_PATH=$B/tests/emulator STUB_CUDA=version=12040 GPA_DEVICE=cuda:0
export GPA_CACHE_DIR=$work/cache GPA_CUDA_INTERPRETER=$B/tests/emulator/interpreter
bad=0
ok() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# expected: %s\n' "$2" "$3"; bad=1; fi; }
# ran CELLS: of each launch that %explain shows what is said of its program, and what the cells print
ran() { printf '%s\n' 'x = np.arange(9.0)' 'float((x * 2).sum())' "$@" > "$work/cells.gpa"; "$GPA" "$work/cells.gpa" 2>&1 |
    sed -n 's/compiled in .*/compiled/; s/^  1 launch,.*, \([a-z ]*\)$/\1/p; /^[=>]/p; /Error\|Interrupt/p' | tr '\n' ';'; }
sine='%explain np.sin(x) * 2' same='print(">", float((np.sin(x) * 2)[1]) == math.sin(1) * 2)'

ok "first launches are interpreted, the second has the program compiled" "$(ran "$sine" "$sine" '%timeit -q -n 1 -r 1 np.sin(x) * 2' "$sine" 'import math' "$same")" \
   'interpreted;interpreted while it is compiled;program known;> True;'
ok "an index that is out of bounds is found" "$(ran 'i = np.array([3, 9])' 'try: print(">", x[i] + 1)' 'except IndexError as e: print(">", e)')" \
   '> index 9 is out of bounds for axis 0 with size 9;'
loop=$'@vectorize\ndef f(x, n):\n    while n > 0:\n        x = x * 0.5 + 1\n        n -= 1\n    return x'
ok "a loop of few trips is interpreted" "$(ran "$loop" '%explain f(x, 20)')" 'interpreted;'
ok "a loop of many is given up, and compiled" "$(ran "$loop" '%explain f(x, 100000)' 'print(">", float(f(x, 100000)[8]))' '%explain f(x, 3)')" 'compiled;> 2.0;program known;'
export GPA_CACHE_DIR=$work/other
ok "never, if told so" "$(GPA_CUDA_INTERPRET=never ran "$sine" "$sine")" 'compiled;program known;'
ok "always, if told so" "$(GPA_CUDA_INTERPRET=always ran "$sine" "$sine" "$sine")" 'interpreted;interpreted while it is compiled;interpreted while it is compiled;'
printf '%s\n' "$loop" 'f(np.ones(3), 1 << 60)[0].item()' > "$work/endless.gpa"
GPA_CUDA_INTERPRET=always STUB_CUDA_LOG=$work/log "$GPA" "$work/endless.gpa" > "$work/out" 2>&1 & pid=$!
(sleep 120; kill -9 $pid) > /dev/null 2>&1 & guard=$!
until grep -q launch "$work/log" 2> /dev/null || ! kill -0 $pid 2> /dev/null; do sleep 0.1; done
sleep 0.5; kill -INT $pid; wait $pid; kill $guard
ok "Ctrl-C ends an interpreted loop" "$(grep -o '^KeyboardInterrupt' "$work/out")" KeyboardInterrupt
export GPA_CACHE_DIR=$work/third
ok "without the file programs are compiled" "$(GPA_CUDA_INTERPRETER=$work/none ran "$sine")" 'compiled;'
{ echo 'gpa interpreter 1, nvrtc 11000, sm_9, tables 0'; tail -n +2 "$GPA_CUDA_INTERPRETER"; } > "$work/older"
export GPA_CACHE_DIR=$work/fourth
ok "another compiler's is none" "$(GPA_CUDA_INTERPRETER=$work/older ran "$sine")" 'compiled;'
exit $bad
