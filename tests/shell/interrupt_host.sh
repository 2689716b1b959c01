#!/bin/bash
# Loops of the interpreter hear SIGINT at once: recursion, text, numbers, containers and files without a loop of the program's own.
work=$B/test/interrupt_host; rm -rf "$work"; mkdir -p "$work"
bad=0
answers() { # NAME PROGRAM [DEVICE]: it prints a line, then computes for ever
    printf '%s\n' "$2" > "$work/$1.gpa"
    mkfifo "$work/$1.out"
    "$GPA" --device "${3:-ref}" "$work/$1.gpa" > "$work/$1.out" 2> /dev/null &
    local pid=$! line status=0
    exec 3< "$work/$1.out"
    read -r line <&3
    sleep .2
    local began; began=$(date +%s%3N)
    kill -INT "$pid"
    ( sleep 20; kill -KILL "$pid" 2> /dev/null ) & local guard=$!
    wait "$pid" || status=$?
    local took=$(($(date +%s%3N) - began))
    kill "$guard" 2> /dev/null; wait "$guard" 2> /dev/null
    exec 3<&-
    # The goal is 100 ms; a loaded machine gets two seconds, and what never answers none.
    if [ "$line" = go ] && [ "$status" = 130 ] && [ "$took" -lt 2000 ]; then echo "ok - $1"
    else echo "not ok - $1"; echo "# printed '$line', status $status after $took ms"; bad=1; fi
}
answers recursion "def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)
print('go', flush=True); f(80)"
answers method "class A:
    def f(self, n): return 1 if n < 2 else self.f(n - 1) + self.f(n - 2)
print('go', flush=True); A().f(80)"
answers compiled "from numba import njit
@njit
def f(n): return 1 if n < 2 else f(n - 1) + f(n - 2)
print('go', flush=True); f(80)"
answers power "print('go', flush=True); 3 ** 10 ** 9"
answers text "print('go', flush=True)
while True: 'a'.ljust(10 ** 9)"
answers width "print('go', flush=True)
while True: f'{1:1000000000}'"
answers list "a = np.random.rand(5 * 10 ** 6).tolist()
print('go', flush=True)
while True: str(a)"
answers array "a = np.random.rand(5 * 10 ** 6)
np.set_printoptions(threshold=10 ** 8)
print('go', flush=True)
while True: str(a)"
answers join "a = ['x'] * 10 ** 7
print('go', flush=True)
while True: 'y'.join(a).replace('y', 'zz').split('z')"
answers case "a = 'x' * 10 ** 8
print('go', flush=True)
while True: a.upper().isalpha() and a.title()"
answers reduce "import functools, itertools
print('go', flush=True); functools.reduce(lambda a, b: 0, itertools.repeat(1))"
answers groups "import itertools
print('go', flush=True); next(itertools.groupby(itertools.repeat(1)))"
answers binomial "import math
print('go', flush=True); math.comb(10 ** 8, 5 * 10 ** 7)"
answers shuffle "import random
a = [0] * 10 ** 7
print('go', flush=True)
while True: random.shuffle(a)"
answers dictionary "a = dict.fromkeys(range(5 * 10 ** 6))
print('go', flush=True)
while True: len({**a, **a})"
answers sets "a = set(range(5 * 10 ** 6))
print('go', flush=True)
while True: len(a & a) + len(a ^ a) + (a <= a)"
answers count "a = [[1]] * 10 ** 7
print('go', flush=True)
while True: a.count([2])"
answers gzip "import gzip
a = bytes(range(256)) * 10 ** 6
print('go', flush=True)
while True: gzip.compress(a, 9)"
answers archive "a = np.arange(10.0 ** 7)
print('go', flush=True)
while True: np.savez_compressed('$work/archive.npz', a=a)"
answers read "print('go', flush=True)
while True: open('/dev/zero', 'rb').read(10 ** 9)"
if [ -e "$B/gpa-cpu.so" ]; then
    answers counts "a = np.zeros(5 * 10 ** 7, int)
print('go', flush=True)
while True: np.bincount(a)" cpu
    answers transform "a = np.ones((200, 131101)) # a prime number
print('go', flush=True)
while True: np.fft.fft(a)" cpu
    answers scan "a = np.broadcast_to(np.float32(1), (10 ** 10,))
print('go', flush=True)
print(np.cumsum(a).max())" cpu
fi
exit $bad
