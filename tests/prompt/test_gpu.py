"""The prompt while a GPU comes up: it waits for nothing that it does not need. The driver is a stand-in that takes seconds."""
import os
import time

from terminal import PROGRAM, Terminal, begin

r = begin()
SLOW = 4  # seconds that the driver takes
STUBS = os.path.join(os.path.dirname(PROGRAM), "tests/stub")


def coming_up():
    begun = time.time()
    t = Terminal(LD_LIBRARY_PATH=STUBS + "/lib64", CUDA_PATH=STUBS, STUB_CUDA=f"slow={1000 * SLOW}", GPA_DEVICE="cuda")
    there = t.wait(r"In \[1\]:")
    soon = time.time() - begun
    r.check("the prompt is there before the driver", there and soon < SLOW - 1)
    t.type("6 * 7\r")
    answered = t.wait(r"^Out\[1\]: 42$")
    r.check("what needs no array is answered meanwhile", answered and time.time() - begun < SLOW - 0.5)
    print(f"# the prompt after {1000 * soon:.0f} ms, an answer after {1000 * (time.time() - begun):.0f} ms")
    t.type("np.array([1.0, 2.0])\r")
    r.check("arrays wait for it", t.wait(r"^Out\[2\]: array\(\[1., 2.\]\)$") and time.time() - begun >= SLOW - 0.5)
    t.type("np.array([1.0]).device\r")
    r.check("and lie there", t.wait(r"^Out\[3\]: 'cuda:0'$"))
    t.type("\x04\x04")
    r.check("leaving", t.status() == 0)


def interrupted():
    begun = time.time()
    t = Terminal(LD_LIBRARY_PATH=STUBS + "/lib64", CUDA_PATH=STUBS, STUB_CUDA=f"slow={1000 * SLOW}", GPA_DEVICE="cuda")
    t.wait(r"In \[1\]:")
    t.type("np.array([1.0, 2.0])\r")
    t.read(0.3)
    t.type("\x03")
    r.check("Ctrl-C ends the wait for a driver", t.wait(r"^KeyboardInterrupt(.|\n)*^In \[2\]:$") and time.time() - begun < SLOW - 0.5)
    t.type("\x04\x04")
    r.check("leaving before the driver is up", t.status() == 0)


if os.path.exists(STUBS + "/lib64/libcuda.so.1"):
    coming_up()
    interrupted()
else:
    print("skip - no stand-ins for the driver")
r.end()
