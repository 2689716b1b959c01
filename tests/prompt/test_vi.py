"""vi mode on a cell of several lines: each command acts on the cursor's line."""

from terminal import Terminal, begin

r = begin()

BLOCK = "def f(a):\rb = a * 10\rreturn b\x0f"  # and an empty line
FIRST, SECOND, THIRD, LAST = "def f(a):", "    b = a * 10", "    return b", ""


def editor(t, settings=""):
    with open(t.home + "/inputrc", "w") as f:
        f.write("set editing-mode vi\nset keyseq-timeout 10\n" + settings)
    t = Terminal(home=t.home, INPUTRC=t.home + "/inputrc", GPA_DEVICE="ref", rows=16)
    t.wait(r"In \[1\]:$")
    return t


def keys(t, *steps):
    """Types one after the other, so that Escape is not taken for the start of a sequence."""
    for step in steps:
        t.type(step)
        t.settle(0.05)


def lines(t):
    """The text of the cell, without prompts."""
    rows = [row for row in t.lines() if row]
    return [row.partition(":")[2][1:].rstrip() for row in rows[-t.shown :]]


def commands(t):
    inserted = [FIRST, SECOND, THIRD, LAST]
    for name, steps, text, cursor in (
        ("A appends to the line", ("kk", "A", " # x"), [FIRST, SECOND + " # x", THIRD, LAST], None),
        ("I inserts at its start", ("kk", "I", "z"), [FIRST, "    zb = a * 10", THIRD, LAST], None),
        ("x deletes a character", ("k", "$x"), [FIRST, SECOND, "    return", LAST], None),
        ("x stays in the line", ("gg", "$xx"), ["def f(a", SECOND, THIRD, LAST], (0, 6)),
        ("k and j go to other lines", ("kk", "j", "0x"), [FIRST, SECOND, "   return b", LAST], None),
        ("dd deletes the line", ("gg", "j", "dd"), [FIRST, THIRD, LAST], (1, 4)),
        ("dd on the last line", ("dd",), [FIRST, SECOND, THIRD], (2, 4)),
        ("2dd deletes two", ("gg", "2dd"), [THIRD, LAST], None),
        ("dj too", ("gg", "dj"), [THIRD, LAST], None),
        ("dk too", ("gg", "j", "dk"), [THIRD, LAST], None),
        ("dG deletes the rest", ("gg", "j", "dG"), [FIRST], None),
        ("p puts lines below", ("gg", "dd", "p"), [SECOND, FIRST, THIRD, LAST], (1, 0)),
        ("P above", ("gg", "j", "dd", "P"), inserted, (1, 4)),
        ("yy copies a line", ("gg", "yy", "j", "p"), [FIRST, SECOND, FIRST, THIRD, LAST], None),
        ("p puts characters after the cursor", ("gg", "xp"), ["edf f(a):", SECOND, THIRD, LAST], None),
        ("u restores the line", ("gg", "j", "dd", "u"), inserted, None),
        ("u restores the character", ("gg", "j", "wx", "u"), inserted, None),
        (". repeats dd", ("gg", "dd", "."), [THIRD, LAST], None),
        (". repeats x", ("gg", "j", "wx", "j", "0."), [FIRST, "     = a * 10", "   return b", LAST], None),
        ("dw, df and D", ("gg", "dw", "j", "0wdfa", "j", "0wD"), ["f(a):", "     * 10", "", LAST], None),
        ("cw changes a word", ("gg", "wcw", "g", "\x1b"), ["def g(a):", SECOND, THIRD, LAST], (0, 4)),
        ("cc keeps the margin", ("gg", "j", "cc", "pass"), [FIRST, "    pass", THIRD, LAST], None),
        ("S too", ("gg", "j", "S", "pass"), [FIRST, "    pass", THIRD, LAST], None),
        ("Y copies a line", ("gg", "Y", "j", "p"), [FIRST, SECOND, FIRST, THIRD, LAST], None),
        ("d and, later, d", ("gg", "j", "d", "d"), [FIRST, THIRD, LAST], (1, 4)),
        ("r replaces a character", ("gg", "j", "wrz"), [FIRST, "    z = a * 10", THIRD, LAST], (1, 4)),
        ("o opens a line below", ("gg", "o", "c = 1"), [FIRST, "    c = 1", SECOND, THIRD, LAST], None),
        ("O above", ("gg", "j", "O", "c = 1"), [FIRST, "    c = 1", SECOND, THIRD, LAST], None),
        ("J joins lines", ("gg", "j", "J"), [FIRST, SECOND + " return b", LAST], None),
        ("a number and G", ("3G", "x"), [FIRST, SECOND, "    eturn b", LAST], None),
        ("a number, k and j", ("3k", "x", "2j", "x"), ["ef f(a):", SECOND, "   return b", LAST], (2, 0)),
        ("$ and % stay in the line", ("gg", "f(%x"), ["def f(a:", SECOND, THIRD, LAST], None),
    ):
        t.type("\x0c")
        t.settle(0.05)
        keys(t, BLOCK, "\x1b", *steps)
        t.shown = len(text)
        top = next(i for i, row in enumerate(t.lines()) if row.startswith("In ["))
        at = (t.screen.cursor.y - top, t.screen.cursor.x - 8)
        good = lines(t) == text and cursor in (None, at)
        r.check(name, good)
        if not good:
            print(f"#   {lines(t)} instead of {text}, cursor {at}")
        t.type("\x03")
        t.settle(0.05)


def runs(t):
    keys(t, BLOCK, "\x1b", "gg", "j", "$x", "G", "a", "\r")
    t.wait(r"In \[2\]:$")
    t.type("f(7)\r")
    r.check("what was edited runs", t.wait(r"^Out\[2\]: 7$"))
    keys(t, "\x1b", "/", "re", "turn\r")
    r.check("/ searches the history", t.wait(r"^In \[3\]: def f\(a\):\n.*b = a \* 1\n.*return b$"))
    keys(t, "gg", "j", "\r\r")
    r.check("Enter takes a cell from any line", t.wait(r"In \[4\]:$"))
    t.kill()


def soon(t):
    """Commands within the time that readline waits for the rest of a sequence after Escape."""
    t = editor(t, "set keyseq-timeout 5000\n")
    keys(t, BLOCK, "\x1bkkdd", "ix\x1bggx")
    t.shown = 3
    r.check("commands soon after Escape", lines(t) == ["ef f(a):", "    xreturn b", LAST])
    keys(t, "\x1bjdd")
    t.shown = 2
    r.check("also after a second one", lines(t) == ["ef f(a):", LAST])
    keys(t, "\x1b[Ax", "\x1bOCx")
    r.check("arrow keys move", lines(t) == ["ff(a):", LAST])
    t.kill()


def mode(t):
    t = editor(t, "set show-mode-in-prompt on\n")
    t.type("if 1:\r")
    r.check("the mode is shown", t.wait(r"^\(ins\)In \[1\]: if 1:\n {8}\.\.\.:"))
    t.type("\x1b")
    r.check("and when it changes", t.wait(r"^\(cmd\)In \[1\]: if 1:"))
    t.kill()
    t = editor(t, "set show-mode-in-prompt on\nset vi-ins-mode-string \\1\\e[6 q\\2+ \n")
    r.check("with escape sequences", t.wait(r"^\+ ?In \[1\]:") and b"\x1b[6 q" in t.raw)
    t.kill()


first = Terminal()
first.kill()
t = editor(first)
commands(t)
runs(t)
soon(first)
mode(first)
r.end()
