"""One peer of the GPU benchmark, in a process of its own.

gpu_peer.py PEER [ROW ...]  prints `imported` and reads a number of seconds; creates its arrays and compiles for at most that
                            long, prints `compiled`, reads a line, and measures the rows that were compiled
gpu_peer.py PEER --first    prints a line at its first result, then the times of the first call of a new expression and of a new
                            ufunc"""
import sys
import time

from gpu_peers import PEERS, Peer
from gpu_rows import ROWS

TRIES, SLOW = 7, 4  # seconds


def clock(peer, work):
    """Milliseconds per call, of each of TRIES measurements; one measurement queues calls for about 20 ms, then synchronizes."""
    for _ in range(3):
        begun = time.perf_counter()
        peer.wait(work())
        once = time.perf_counter() - begun
    reps = max(1, min(2000, int(0.02 / once)))
    for _ in range(TRIES):
        begun = time.perf_counter()
        for _ in range(reps):
            r = work()
        peer.wait(r)
        yield (time.perf_counter() - begun) / reps * 1e3


def waited_for(word):
    print(word, flush=True)
    return time.monotonic() + float(sys.stdin.readline())


def measure(label, words):
    make, Peer.__init__ = Peer.__init__, lambda self: None
    peer = PEERS[label]()
    until = waited_for("imported")
    make(peer)
    works = {}
    for name, work in sorted(peer.work().items(), key=lambda item: list(ROWS).index(item[0])):
        if words and not any(w in name for w in words):
            continue
        begun = time.monotonic()
        if begun > until:
            print(f"# {label}: from {name} on: no time left to compile", flush=True)
            break
        try:
            peer.wait(work())
            works[name] = work
        except Exception as e:
            print(f"# {label}: {name}: {type(e).__name__} {str(e)[:100]!r}", flush=True)
        if time.monotonic() - begun > SLOW:
            print(f"# {label}: {name}: compiled in {time.monotonic() - begun:.1f} s", flush=True)
    waited_for("compiled")
    for name, work in works.items():
        try:
            print(name, *clock(peer, work), sep="\t", flush=True)
        except Exception as e:
            print(f"# {label}: {name}: {type(e).__name__} {str(e)[:100]!r}", flush=True)


def first(label):
    make, Peer.__init__ = PEERS[label], lambda self: None
    import numpy as np
    peer = make()
    x = peer.put(np.arange(1000, dtype=np.float32))
    if label != "numba":
        float((x * 2).sum())
    else:
        x.copy_to_host()
    print("started", flush=True)
    begun = time.perf_counter()
    peer.wait(peer.first(x, 2.5))
    print((time.perf_counter() - begun) * 1e3, flush=True)
    if hasattr(peer, "first_ufunc"):
        begun = time.perf_counter()
        peer.wait(peer.first_ufunc(x))
        print((time.perf_counter() - begun) * 1e3, flush=True)


first(sys.argv[1]) if sys.argv[2:] == ["--first"] else measure(sys.argv[1], sys.argv[2:])
