"""Random keys: whatever is typed, in whatever order and on whatever width of terminal, the prompt goes on."""
import random
import time

from terminal import KEYS, Terminal, begin

SECONDS = 4
r = begin()
random.seed(20)

TEXT = ["def f(a):", "for i in range(3):", "    ", "x", "=", "np.", "(", ")", "[", "]", "{", "}", "'", '"', '"""', "#", ":", "else:", "\t", " ", "1", "2.5e3",
        "f'{x", "日本", "é", "e\u0301", "😀", "a" * 90, "print", "\\", "@", ",", "lambda", "\xff", "?", ";", "x = 1", "x + 1", "if x:", "return"]
CONTROL = ["\r"] * 4 + list(KEYS.values()) * 2 + [chr(c) for c in range(1, 32) if chr(c) not in "\x04\x11\x13\x18\x1a\x1b\x1c"] + [
    "\x1bd", "\x1bb", "\x1bu", "\x1bt", "\x1b.", "\x1b<", "\x1b>", "\x1b3", "\x1b-", "\x18\x15", "\x1f", "\x16\x01", "\x1by", "\x1b\x7f", "\x1b#", "\x1b\\", "\x1br",
    "\x1b[3~", "\x1b[1;5D", "\x1b[99~", "\x1b[200~for i in x:\n\ty\n\x1b[201~", "\x1b[200~>>> 1\n1\n\x1b[201~", "\x1b[20", "\x12x\x07", "\x12\x12\r"]


def run(editing):
    t = Terminal(INPUTRC="/dev/null")
    t.kill()
    with open(t.home + "/inputrc", "w") as f:
        f.write(f"set editing-mode {editing}\nset keyseq-timeout 10\n")
    t = Terminal(home=t.home, INPUTRC=t.home + "/inputrc", rows=12, columns=50, GPA_DEVICE="ref")
    t.wait(r"In \[1\]:")
    end, keys, gone = time.time() + SECONDS, [], False
    while time.time() < end and not gone:
        key = random.choice(TEXT) if random.random() < 0.55 else random.choice(CONTROL)
        keys.append(key)
        t.type(key)
        if random.random() < 0.02:
            t.resize(random.randint(2, 30), random.randint(5, 100))
        gone = not t.read(0.001)
    r.check(f"the prompt outlives {len(keys)} random keys, {editing}", not gone)
    if gone:
        print(f"#   it ended with {t.status()} after {keys[-40:]!r}")
        return
    t.resize(24, 80)
    t.settle()
    t.type("\x1b" if editing == "vi" else "\x07")
    t.settle()
    t.type("\x03")
    t.settle()
    t.type("\x03")
    t.settle()
    t.type("\x0c", "6 * 7\r")
    r.check("and still works", t.wait(r"^Out\[\d+\]: 42$"))
    t.type("\x04")
    t.settle()
    t.type("\x04")
    r.check("and ends as it should", t.status() == 0)


for mode in ("emacs", "vi"):
    run(mode)
r.end()
