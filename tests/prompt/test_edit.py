"""Editing a cell: many lines, history, menus, hints, paste, widths."""

import time

from terminal import KEYS, Terminal, begin

r = begin()
check = r.check


def prompt(t, n):
    return t.wait(r"^In \[%d\]:$" % n)


def lines():
    t = Terminal()
    check("the first prompt", t.wait(r"^In \[1\]:$"))
    t.type("def f(a):\r")
    check("a block goes on, indented", t.wait(r"^   \.\.\.:$") and t.screen.cursor.x == 12)
    t.type("b = a * 10\rreturn b\r")
    check(
        "return ends the indentation", t.wait(r"return b\n   \.\.\.:$") and t.screen.cursor.x == 8
    )
    t.type("\r")
    check("a blank line ends it", prompt(t, 2))
    t.type("f(5)\r")
    check("a value", t.wait(r"^Out\[2\]: 50$") and prompt(t, 3))
    t.type("de", "up")
    check(
        "a block comes back as a whole",
        t.wait(r"^In \[3\]: def f\(a\):\n   \.\.\.:     b = a \* 10\n   \.\.\.:     return b$"),
    )
    t.type("up", "end", "back", "7")
    check(
        "its second line is edited",
        t.wait(r"^   \.\.\.:     b = a \* 17\n   \.\.\.:     return b$"),
    )
    t.type("\x1b>\r\r")
    prompt(t, 4)
    t.type("f(5)\r")
    check("and it runs", t.wait(r"^Out\[4\]: 85$"))
    prompt(t, 5)
    t.type("x = (1 +\r2)\r")
    check("brackets join lines", prompt(t, 6))
    t.type("y = [\r1,\r]")
    check(
        "a closing bracket goes to the margin of the line that opened it",
        t.wait(r"^   \.\.\.:     1,\n   \.\.\.: \]$"),
    )
    t.type("\x03")
    prompt(t, 6)
    t.type("if x > 2:\r'big'\relse:\r'small'\r")
    check(
        "else goes to its margin by itself", t.wait(r"^   \.\.\.: else:\n   \.\.\.:     'small'$")
    )
    t.type("\r")
    prompt(t, 7)
    t.type('s = """a\r\rb"""\r')
    prompt(t, 8)
    t.type("s\r")
    check("blank lines within quotes", t.wait(r"^Out\[8\]: 'a\\n\\nb'$"))
    prompt(t, 9)
    t.type("1 +", "\x0f", "alt-enter")
    check("a cell can be run as it is", t.wait("SyntaxError"))
    prompt(t, 10)
    t.type("abc def", "\x01", "X", "\x05", "Y", "\x15", "5\r")
    check("a line is edited and killed", t.wait(r"^Out\[10\]: 5$"))
    prompt(t, 11)
    t.type("\t")
    t.type("while 1:\r\tpass", "back", "back", "back", "back", "back")
    t.settle()
    check("backspace goes back by a step", t.screen.cursor.x == 9 + 4)
    t.type("\x03")
    check("Ctrl-C drops the text", t.wait(r"^KeyboardInterrupt$") and prompt(t, 11))
    t.type("exit\r")
    check("exit leaves", t.status() == 0)
    check("the terminal is as it was", t.raw.rfind(b"\x1b[?2004l") > t.raw.rfind(b"\x1b[?2004h"))


def pasted():
    t = Terminal(rows=30)
    t.wait(r"In \[1\]:")
    program = "".join(f"def f{i}(a):\n\tb = a + {i}\n\n\treturn b\n\n" for i in range(40))
    t.type("\x1b[200~" + program.replace("\n", "\r") + "\x1b[201~")
    t.wait("def f39")
    check("pasted text does not run by itself", "In [2]" not in t.settle().text())
    t.type("\r")
    check("200 lines run as one cell", prompt(t, 2))
    t.type("f3(4), f39(1)\r")
    check("all of them", t.wait(r"^Out\[2\]: \(7, 40\)$"))
    prompt(t, 3)
    t.type("\x1b[200~>>> y = 3\n>>> for i in range(2):\n...     y += i\n...\n>>> y\n4\n\x1b[201~\r")
    check("a transcript without its prompts", t.wait(r"^Out\[3\]: 4$"))
    prompt(t, 4)
    t.type("\x1b[200~In [7]: z = [1,\n   ...:      2]\n\nIn [8]: z\nOut[8]: [1, 2]\n\x1b[201~\r")
    check("IPython's too", t.wait(r"^Out\[4\]: \[1, 2\]$"))
    prompt(t, 5)
    t.type("\x1b[200~    a = 1\n    a + 1\x1b[201~\r")
    check("a margin is taken away", t.wait(r"^Out\[5\]: 2$"))
    prompt(t, 6)
    t.type("\x1b[200~x = '\x1b[31m\x07'\x1b[201~")
    check("control characters are left out", t.wait(r"x = '\[31m'"))
    t.kill()


def history():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("alpha = 1\r")
    prompt(t, 2)
    t.type("for i in range(2):\rprint(i, alpha)\r\r")
    prompt(t, 3)
    t.type("beta = 2\r")
    prompt(t, 4)
    t.type("  hidden = 1\rhidden\r")
    check("a margin does not matter", t.wait(r"^Out\[5\]: 1$"))
    t.kill()
    with open(t.home + "/.local/state/gpa/history") as f:
        kept = f.read()
    check("what begins with a blank is not kept", "hidden = 1" not in kept and "beta = 2" in kept)
    again = Terminal(home=t.home)
    again.wait(r"In \[1\]:")
    again.type("al", "up")
    check(
        "history outlives a killed session; Up looks for what begins alike",
        again.wait(r"^In \[1\]: alpha = 1$"),
    )
    again.type("down")
    check("Down comes back", again.wait(r"^In \[1\]: al"))
    again.type("\x15", "\x10", "\x10", "\x10")
    check(
        "blocks are one entry",
        again.wait(r"^In \[1\]: for i in range\(2\):\n   \.\.\.:     print\(i, alpha\)$"),
    )
    again.type("\x03")
    prompt(again, 1)
    again.type("\x12", "bet")
    check("Ctrl-R searches", again.wait(r"reverse-i-search\)`bet': beta = 2$"))
    again.type("\r")
    prompt(again, 2)
    again.type("beta\r")
    check("and Enter runs what it found", again.wait(r"^Out\[2\]: 2$"))
    prompt(again, 3)
    again.type("alp")
    check("a hint", again.wait(r"^In \[3\]: alpha = 1$") and again.screen.cursor.x == 11)
    again.type("right")
    again.settle()
    check("is taken by the right arrow", again.screen.cursor.x == 17)
    again.type("\x15", "al", "alt-f")
    again.settle()
    check("or a word of it", again.screen.cursor.x == 13)
    again.kill()


def menu():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("np.linsp\t")
    check("Tab completes a name", t.wait(r"^In \[1\]: np.linspace$"))
    t.type("\x15np.arc\t")
    check("and shows a menu", t.wait(r"^arccos +\S"))
    t.type("\t\t")
    check("Tab walks through it", t.wait(r"^In \[1\]: np.arccosh$"))
    t.type("shift-tab")
    check("Shift-Tab back", t.wait(r"^In \[1\]: np.arccos$"))
    t.type("\r")
    t.settle()
    check("Enter takes the choice", t.text().endswith("In [1]: np.arccos"))
    t.type("\x15np.arc\t\t\x07")
    t.settle()
    check("Ctrl-G gives it up", t.text().endswith("In [1]: np.arc"))
    t.type("\x15\x15length = 4\r")
    prompt(t, 2)
    t.type("leng\t")
    check("the user's names", t.wait(r"^In \[2\]: length") and t.screen.cursor.x == 8 + 6)
    t.type("\x15np.zeros(")
    check(
        "the parameters of a call, behind the cursor",
        t.wait(r"np.zeros\(shape, dtype") and t.screen.cursor.x == 8 + 9,
    )
    t.type("right", "\t")
    check("a call", t.settle().text().count("\n") > 4)
    t.type("\x03")
    prompt(t, 2)
    start = time.time()
    t.type("np.\t")
    t.wait(r"\d+ of \d+")
    print(f"# a menu of all names: {1000 * (time.time() - start):.1f} ms")
    t.kill()


def widths():
    t = Terminal(columns=40)
    t.wait(r"In \[1\]:")
    t.type("s = '日本語'")
    check("wide characters", t.wait("日 本 語|日本語"))
    t.settle()
    check("the cursor behind them", t.screen.cursor.x == 8 + 12)
    t.type("left", "left", "x")
    t.settle()
    check("and between them", t.screen.cursor.x == 8 + 10)
    t.type("\x15", "e\u0301 = 1")
    t.settle()
    check("combining characters take no room", t.screen.cursor.x == 8 + 5)
    t.type("back" * 0, "\x15", "\x15", "x = " + "1234567890" * 5)
    t.settle()
    check("a long line is wrapped", (t.screen.cursor.y, t.screen.cursor.x)[1] == (8 + 4 + 50) - 40)
    t.type("\x03")
    t.settle()
    t.resize(24, 20)
    t.type("y = 1 + 2 + 3 + 4 + 5 + 6")
    t.settle()
    check(
        "a narrower terminal", "In [1]: y = 1 + 2 +" in t.lines() and "3 + 4 + 5 + 6" in t.lines()
    )
    t.resize(24, 80)
    check("a wider one", t.wait(r"^In \[1\]: y = 1 \+ 2 \+ 3 \+ 4 \+ 5 \+ 6$"))
    t.kill()
    t = Terminal(LC_ALL="C")
    t.wait(r"In \[1\]:")
    t.type("x = 'é日", "left", "y", "end", "back", "'\r")
    check("in the C locale, too", t.wait(r"^In \[1\]: x = 'éy'$"))
    t.kill()
    t = Terminal(rows=8)
    t.wait(r"In \[1\]:")
    t.type("\x1b[200~" + "\n".join(f"x{i} = {i}" for i in range(60)) + "\x1b[201~")
    check("a text longer than the screen shows its cursor", t.wait(r"x59 = 59$"))
    t.type("\x1b<")
    check("and its beginning", t.wait(r"^In \[1\]: x0 = 0$"))
    t.type("\x1b>\r")
    prompt(t, 2)
    t.type("x0 + x59\r")
    check("and runs", t.wait(r"^Out\[2\]: 59$"))
    t.kill()


def colours():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("def f(a): return 'text' + (1")
    t.settle()
    check("keywords are coloured", t.cell("def f").fg == "green" and t.cell("def f").bold)
    check("strings too", t.cell("'text'").fg == "brown")
    check("a bracket without partner is red", t.cell("(1").fg == "red")
    t.type(")")
    t.settle()
    check(
        "one with a partner is not, and both are marked",
        t.cell("(1").fg == "default" and t.cell("(1").underscore,
    )
    t.type("\x03")
    t.settle()
    t.type("ones(size=zeros)")
    t.settle()
    check(
        "built-in names are coloured, but not where they are given a meaning",
        t.cell("ones").fg == t.cell("zeros").fg != "default" == t.cell("size").fg,
    )
    t.type("\x03")
    t.settle()
    t.type("x = 'abc")
    t.settle()
    check("a quote that is open is red", t.cell("'abc").fg == "red")
    t.kill()
    for name, kept in {"NO_COLOR": {"NO_COLOR": "1"}, "--color=never": {}}.items():
        t = Terminal(*([name] if name.startswith("-") else []), **kept)
        t.wait(r"In \[1\]:")
        t.type("def f(a): return 1")
        t.settle()
        check(
            f"no colours: {name}",
            t.cell("def").fg == "default"
            and b"\x1b[32m" not in t.raw
            and b"\x1b[1;32m" not in t.raw,
        )
        t.kill()


def speed():
    t = Terminal(rows=40)
    t.wait(r"In \[1\]:")
    t.type(
        "\x1b[200~"
        + "\n".join(f"value{i} = np.sin({i}.5) * (3 + {i})  # a line" for i in range(200))
        + "\x1b[201~"
    )
    t.wait(r"value199")
    t.settle()
    took = []
    for _ in range(30):
        before = len(t.raw)
        start = time.time()
        t.type("1")
        while len(t.raw) == before:
            t.read(1)
        took.append(time.time() - start)
    took.sort()
    print(f"# a key in a text of 200 lines: {1000 * took[15]:.2f} ms")
    t.kill()


def burst():
    """A terminal without bracketed paste: a pasted text comes as keys faster than anyone types."""
    t = Terminal(rows=30)
    t.wait(r"In \[1\]:")
    t.type("def f(x):\r    if x:\r        y = 1\r    else:\r        y = 2\r    return y\r\r")
    prompt(t, 2)
    t.type("f(0), f(1)\r")
    check("text with its own indentation gets no other", t.wait(r"^Out\[2\]: \(2, 1\)$"))
    prompt(t, 3)
    t.type("for i in range(2):\rprint(i + 40)\r\r")
    check("keys typed ahead are indented", t.wait(r"^40\n41$"))
    t.kill()


for part in (lines, pasted, burst, history, menu, widths, colours, speed):
    part()
r.end()
