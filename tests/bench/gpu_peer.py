"""One peer of the GPU benchmark, in a process of its own.

gpu_peer.py PEER          makes its arrays and compiles, says `ready`, and measures its rows when it is told to go
gpu_peer.py PEER first    says when a first result is there, then how long a new expression takes"""
import sys
import time

from gpu_rows import PEERS, ROWS, Peer

TRIES = 7


def reps(name):
    return 1000 if "small" in name else 200 if name.startswith("launch") else 5 if name.startswith("matrix") else \
        3 if name.startswith(("cumsum", "x[", "hist")) else 20


def clock(peer, name, work):
    r = work()
    peer.wait(r)
    for _ in range(TRIES):
        begun = time.perf_counter()
        for _ in range(reps(name)):
            r = work()
        peer.wait(r)
        yield (time.perf_counter() - begun) / reps(name) * 1e3


def measure(label):
    peer = PEERS[label]()
    works = {}
    for name, work in peer.work().items():
        try:
            peer.wait(work())
            works[name] = work
        except Exception as e:
            print(f"# {label}: {name}: {str(e)[:100]!r}", flush=True)
    print("ready", flush=True)
    sys.stdin.readline()
    for name in ROWS:
        if name in works:
            print(name, *clock(peer, name, works[name]), sep="\t", flush=True)


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


first(sys.argv[1]) if sys.argv[2:] else measure(sys.argv[1])
