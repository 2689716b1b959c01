"""Random keys: whatever is typed, in whatever order and on whatever width of terminal, the
prompt goes on."""

import random

from terminal import KEYS, Terminal, begin

KEYS_TYPED, SCREENS = 500, 40
r = begin()
random.seed(20)

TEXT = [
    "def f(a):",
    "for i in range(3):",
    "    ",
    "x",
    "=",
    "np.",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    '"',
    '"""',
    "#",
    ":",
    "else:",
    "\t",
    " ",
    "1",
    "2.5e3",
    "f'{x",
    "日本",
    "é",
    "e\u0301",
    "😀",
    "a" * 90,
    "print",
    "\\",
    "@",
    ",",
    "lambda",
    "\xff",
    "?",
    ";",
    "x = 1",
    "x + 1",
    "if x:",
    "return",
]
CONTROL = (
    ["\r"] * 4
    + list(KEYS.values()) * 2
    + [chr(c) for c in range(1, 32) if chr(c) not in "\x04\x11\x13\x18\x1a\x1b\x1c"]
    + [
        "\x1bd",
        "\x1bb",
        "\x1bu",
        "\x1bt",
        "\x1b.",
        "\x1b<",
        "\x1b>",
        "\x1b3",
        "\x1b-",
        "\x18\x15",
        "\x1f",
        "\x16\x01",
        "\x1by",
        "\x1b\x7f",
        "\x1b#",
        "\x1b\\",
        "\x1br",
        "\x1b[3~",
        "\x1b[1;5D",
        "\x1b[99~",
        "\x1b[200~for i in x:\n\ty\n\x1b[201~",
        "\x1b[200~>>> 1\n1\n\x1b[201~",
        "\x1b[20",
        "\x12x\x07",
        "\x12\x12\r",
    ]
)
VI = ["\x1b"] * 3 + list("jkhlwbex0$.uoOJGpPaAiIDCx~;,rf3%") + ["dd", "yy", "cc", "dw", "cw", "d$", "2dd", "dj", "gg"]


def run(editing):
    t = Terminal(INPUTRC="/dev/null")
    t.kill()
    with open(t.home + "/inputrc", "w") as f:
        f.write(f"set editing-mode {editing}\nset keyseq-timeout 10\n")
    t = Terminal(home=t.home, INPUTRC=t.home + "/inputrc", rows=12, columns=50, GPA_DEVICE="ref")
    t.wait(r"In \[1\]:")
    keys, gone = [], False
    while len(keys) < KEYS_TYPED and not gone:
        key = random.choice(TEXT) if random.random() < 0.55 else random.choice(CONTROL)
        if editing == "vi" and random.random() < 0.4:
            key = random.choice(VI)
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
    t.settle()
    t.type("\x04")
    t.settle()
    t.type("\x04")
    r.check("and ends as it should", t.status() == 0)


def redraws():
    """What is drawn change by change is what is drawn afresh."""
    keys = [k for k in TEXT if k not in ("?", "\xff")] * 2 + [
        "left",
        "right",
        "up",
        "down",
        "home",
        "end",
        "back",
        "\x0f",
        "\x0b",
        "\x15",
        "\x17",
        "\x19",
        "\x1f",
        "\x1bd",
        "\x1bb",
        "\x1bf",
        "\x10",
        "\x0e",
        "shift-tab",
    ] * 2
    t = Terminal(rows=30, columns=44, GPA_DEVICE="ref")
    t.wait(r"In \[1\]:")
    t.type("def f(a):\r日本 = 'x' * 40\rif a:\rreturn 1\r\r")
    t.wait(r"In \[2\]:")
    good, tries = True, 0
    for _ in range(SCREENS):
        typed = [random.choice(keys) for _ in range(random.randint(1, 12))]
        for key in typed:
            t.type(key)
            t.read(random.choice((0, 0, 0.002)))
        t.type("\x07")  # no menu, no search
        t.settle(0.05)
        before, y, x = t.lines(), t.screen.cursor.y, t.screen.cursor.x
        t.type("\x0c")
        t.settle(0.05)
        after = t.lines()
        while after and not after[-1]:
            after.pop()
        if len(after) < t.rows - 2:
            top = y - t.screen.cursor.y
            good = (
                x == t.screen.cursor.x
                and before[top : top + len(after)] == after
                and not any(before[top + len(after) :])
            )
            tries += 1
        if not good:
            print(
                f"#   typed {typed!r}; cursor {y},{x}, then {t.screen.cursor.y},{t.screen.cursor.x}"
            )
            for line in before + ["--- drawn afresh:"] + after:
                print(f"#   | {line}")
        if random.random() < 0.2 or len(after) > t.rows - 6:
            t.type("\x03")
            t.settle(0.05)
        if not good:
            break
    r.check(f"{tries} times drawn as afresh", good and tries)
    t.kill()


redraws()
for mode in ("emacs", "vi"):
    run(mode)
r.end()
