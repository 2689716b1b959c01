"""Compares gpa-kernel with ipykernel: start-up, latency of a cell, shutdown, memory.

    python tests/bench/kernel.py [PYTHON WITH IPYKERNEL ...]

Medians. first: from the start of the process to the first kernel_info reply; execute: from the request to the reply of the cell
"1"; idle: to the last message of that cell; shutdown: from the request to the exit of the process; memory: proportional set size
(PSS) after one cell."""
import os
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "kernel"))
import client  # noqa: E402

LIVES, CELLS = 7, 200


def memory(pid):
    with open(f"/proc/{pid}/smaps_rollup") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("Pss:"))


def subscribed(k):
    """Waits until the subscription is active: messages published before that are lost."""
    while not k.iopub.poll(100):
        k.ask("kernel_info_request")
    while k.iopub.poll(100):
        k.iopub.recv_multipart()


def life(command):
    client.COMMAND = command
    began = time.perf_counter()
    with client.Kernel(ready=False) as k:
        k.ask("kernel_info_request")  # ZeroMQ queues it until the kernel has bound its sockets
        first = time.perf_counter() - began
        subscribed(k)
        k.outputs(k.execute("1"))
        k.receive("shell")
        held = memory(k.process.pid)
        replies, idles = [], []
        for _ in range(CELLS):
            sent = time.perf_counter()
            id = k.execute("1")
            k.answer(id)
            replies.append(time.perf_counter() - sent)
            k.outputs(id)
            idles.append(time.perf_counter() - sent)
        asked = time.perf_counter()
        k.send("shutdown_request", {"restart": False}, "control")
        k.process.wait(30)
        return first, statistics.median(replies), statistics.median(idles), time.perf_counter() - asked, held


def main():
    commands = [("gpa-kernel", [client.PROGRAM, "-f"])] + [("ipykernel", [python, "-m", "ipykernel_launcher", "-f"]) for python in sys.argv[1:]]
    print(f"{'':12} first ms  execute ms  idle ms  shutdown ms  memory MiB")
    for name, command in commands:
        first, reply, idle, end, held = (statistics.median(v) for v in zip(*(life(command) for _ in range(LIVES))))
        print(f"{name:12} {1e3 * first:8.1f} {1e3 * reply:11.2f} {1e3 * idle:8.2f} {1e3 * end:12.1f} {held:11.1f}", flush=True)


main()
