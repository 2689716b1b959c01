"""The prompt during the initialization of a GPU: it blocks only on what a cell needs. The driver is a
stand-in that comes up when there is a file."""

import os
import tempfile
import time

from terminal import PROGRAM, Terminal, begin

r = begin()
STUBS = os.path.join(os.path.dirname(PROGRAM), "tests/stub")


def begin_held(folder):
    t = Terminal(
        LD_LIBRARY_PATH=STUBS + "/lib64",
        CUDA_PATH=STUBS,
        STUB_CUDA="held-init",
        STUB_CUDA_GO=folder + "/go",
        GPA_DEVICE="cuda",
    )
    r.check("the prompt is there before the driver", t.wait(r"In \[1\]:"))
    return t


# Ctrl-D is typed at a prompt: before it the terminal still reads lines, and it would end one.
def coming_up():
    with tempfile.TemporaryDirectory() as folder:
        begun = time.time()
        t = begin_held(folder)
        soon = time.time() - begun
        t.type("6 * 7\r")
        r.check("what needs no array is answered meanwhile", t.wait(r"^Out\[1\]: 42$"))
        print(
            f"# the prompt after {1000 * soon:.0f} ms, an answer after"
            f" {1000 * (time.time() - begun):.0f} ms"
        )
        t.type("np.array([1.0, 2.0])\r")
        end = time.time() + 0.5
        while time.time() < end:
            t.read(0.02)
        waited = "Out[2]" not in t.text()
        open(folder + "/go", "w").close()
        r.check("arrays wait for it", t.wait(r"^Out\[2\]: array\(\[1., 2.\]\)$") and waited)
        t.type("np.array([1.0]).device\r")
        r.check("and lie there", t.wait(r"^Out\[3\]: 'cuda:0'\n\nIn \[4\]:$"))
        t.type("\x04\x04")
        r.check("leaving", t.status() == 0)


def interrupted():
    with tempfile.TemporaryDirectory() as folder:
        t = begin_held(folder)
        t.type("print('ask', 1); np.array([1.0, 2.0])\r")
        t.wait(r"^ask 1$")
        t.read(0.3)
        t.type("\x03")
        r.check(
            "Ctrl-C ends the wait for a driver", t.wait(r"^KeyboardInterrupt(.|\n)*^In \[2\]:$")
        )
        if (
            "release" not in PROGRAM
        ):  # builds that check leave nothing behind: they wait for the driver then
            open(folder + "/go", "w").close()
        t.type("\x04\x04")
        r.check("leaving before the driver is up", t.status() == 0)


def lost():
    """A GPU that the driver does not give back: what was there says so, the rest goes on, and
    %restart has it again."""
    t = Terminal(
        LD_LIBRARY_PATH=STUBS + "/lib64",
        CUDA_PATH=STUBS,
        STUB_CUDA="fault=2 dead",
        GPA_DEVICE="cuda",
    )
    t.wait(r"In \[1\]:")
    for line in (
        "kept = {'k': [1.5, None]}",
        "def f(x):",
        "    return x + 1",
        "",
        "here = np.array([7.0, 8.0]).to('ref')",
        "a = np.array([1.0]) + 1",
        "a[0].item() * 0",
    ):
        t.type(line + "\r")
    r.check("the GPU works", t.wait(r"^Out\[5\]: "))
    t.type("np.array([1.0]) + 2\r")
    r.check(
        "a fault tells what it means",
        t.wait(
            r"illegal memory access(.|\n)*cuda:0 is lost to this session(.|\n)*a new process has"
            r" it(.|\n)*%restart"
        ),
    )
    t.type("a\r")
    r.check(
        "what was lost says so",
        t.wait(r"DeviceError: the elements of this array were lost when cuda:0 failed"),
    )
    t.type("here, np.arange(2) + 1\r")
    r.check("the rest goes on", t.wait(r"^Out\[8\]: \(array\(\[7., 8.\]\), array\(\[1, 2\]\)\)$"))
    t.type("%restart\r")
    r.check(
        "what cannot be kept is named",
        t.wait(
            r"Not kept: a \(the elements of this array were lost when cuda:0 failed\)(.|\n)*Proceed"
            r" \(y/\[n\]\)\?"
        ),
    )
    t.type("y\r")
    r.check("the prompt begins anew", t.wait(r"^In \[1\]: *$"))
    t.type("kept, f(1), here.tolist(), np.array([1.0]).device\r")
    r.check(
        "with what was kept, and the GPU",
        t.wait(r"^Out\[1\]: \(\{'k': \[1.5, None\]\}, 2, \[7.0, 8.0\], 'cuda:0'\)\n\nIn \[2\]:$"),
    )
    t.type("\x04\x04")
    r.check("leaving it", t.status() == 0)


if os.path.exists(STUBS + "/lib64/libcuda.so.1"):
    coming_up()
    interrupted()
    lost()
else:
    print("skip - no stand-ins for the driver")
r.end()
