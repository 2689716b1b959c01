# Ctrl-C on the CUDA device above the emulator: what a program had not finished is never a value, and the session goes on.
[ -e "$B/tests/emulator/device.h.gch" ] || { echo "skip - no g++ to run CUDA programs with"; exit 0; }
work=$(realpath "$B")/test/emulated; rm -rf "$work"; mkdir -p "$work"
export LD_LIBRARY_PATH=$B/tests/emulator/lib64:$LD_LIBRARY_PATH CUDA_PATH=$B/tests/emulator STUB_CUDA=version=12040 GPA_DEVICE=cuda:0
export GPA_CACHE_DIR=$B/tests/emulator/cache
bad=0
ok() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# got: %s\n# expected: %s\n' "$2" "$3"; bad=1; fi; }
endless=$'def f(x):\n    while x > 0:\n        x = x + 1\n    return x\nf = vectorize(f)'
# interrupted CODE: what it printed; it is interrupted once, when its endless program runs
interrupted() {
    "$GPA" -c "$endless"$'\nprint("begun", flush=True)\n'"$1" > "$work/out" 2>&1 & pid=$!
    (sleep 40; kill -9 $pid) > /dev/null 2>&1 & guard=$!
    until grep -q begun "$work/out"; do sleep 0.1; done
    sleep 3
    kill -INT $pid
    wait $pid; kill $guard
    grep -v '^begun\|^==.*WARNING: ASan' "$work/out" | tr '\n' ' ' # ASan says that it does not follow fibres
}
ok "an interrupt is told once"  "$(interrupted $'try: print(f(np.ones(40)).sum())\nexcept KeyboardInterrupt: print("stopped", float((np.ones(9) * 2).sum()))\nprint(np.arange(3) * 2)')" 'stopped 18.0 [0 2 4] '
short=$'def f(x):\n    for i in range(2000):\n        x = x * 1.0001 + 1\n    return x\nf = vectorize(f)'
nested=$'def f(x):\n    for i in range(7000):\n        for j in range(7000):\n            x = x * 0.5 + j\n    return x\nf = vectorize(f)'
said=$'try: f(np.arange(N) * 1.0)[5].item()\nexcept KeyboardInterrupt: print("stopped")'
endless=$short
ok "blocks that have not begun when loops too short to ask are interrupted do nothing" "$(interrupted "${said/N/10**7}")" 'stopped '
endless=$nested
ok "short loops in a loop ask" "$(interrupted "${said/N/4000}")" 'stopped '
exit $bad
