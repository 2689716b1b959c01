"""Magics of the prompt, with IPython's messages: %macro, %alias, %store, %logstart, %edit, %paste,
%cpaste, %autoindent, %colors."""

import os
import stat

from terminal import Terminal, begin

r = begin()
check = r.check


def cell(t, text):
    """Runs a cell; the screen below it, without blank lines."""
    t.type("\x0c")
    t.settle(0.05)
    t.type(text, "\r")
    t.settle(0.15)
    rows = [row for row in t.lines() if row]
    return "\n".join(rows[len(text.split("\r")) : -1])


def start(home=None, **environment):
    t = Terminal(home=home, rows=40, columns=120, GPA_DEVICE="ref", **environment)
    t.wait(r"In \[1\]:$")
    return t


def script(path, text):
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + text)
    os.chmod(path, stat.S_IRWXU)


def macros(t):
    cell(t, "x = 3")
    cell(t, "y = x * 2")
    output = cell(t, "%macro m 1-2")
    check(
        "%macro prints the macro",
        output == "Macro `m` created. To execute, type its name (without quotes).\n"
        "=== Macro contents: ===\nx = 3\ny = x * 2",
    )
    cell(t, "x = y = 0")
    cell(t, "m")
    check("its name runs it", cell(t, "x, y").endswith(": (3, 6)"))
    check("print() shows it", cell(t, "print(m)") == "x = 3\ny = x * 2")
    check("it has IPython's repr", "IPython.macro.Macro('x = 3\\ny = x * 2\\n')" in cell(t, "[m]"))
    check("%macro alone lists macros", cell(t, "%macro").endswith(": ['m']"))
    cell(t, "%macro -q again m")
    check("of a macro; -q is quiet", cell(t, "again == m, str(again) == str(m)").endswith("(False, True)"))
    check(
        "what is not there",
        cell(t, "%macro z nothing")
        == "'nothing' was not found in history, as a file, url, nor in the user namespace.",
    )
    check("a missing source", cell(t, "%macro z").startswith("UsageError: %macro insufficient args"))
    cell(t, "m = 4")
    check("a variable hides it", cell(t, "m").endswith(": 4"))


def aliases(t):
    cell(t, "%alias parts echo first %s second %s")
    check("an alias with parameters", cell(t, "parts A B C") == "first A second B C")
    check(
        "too few of them",
        cell(t, "%parts A").startswith("UsageError: Alias <parts> requires 2 arguments, 1 given."),
    )
    cell(t, '%alias bracket echo "Input in brackets: <%l>"')
    check("the whole line", cell(t, "bracket hello world") == "Input in brackets: <hello world>")
    cell(t, "%alias show echo")
    cell(t, "word = 'text'")
    check("variables in its arguments", cell(t, "show $word {1 + 1}") == "text 2")
    check(
        "the list",
        cell(t, "%alias").startswith("Total number of aliases: 3\nOut[")
        and "('show', 'echo')" in cell(t, "%alias"),
    )
    check(
        "a magic's name",
        cell(t, "%alias time date")
        == "The name time can't be aliased because it is another magic command.",
    )
    check(
        "both kinds of parameters",
        cell(t, "%alias both echo %s %l")
        == "The %s and %l specifiers are mutually exclusive in alias definitions.",
    )
    cell(t, "show = 1")
    check("a variable hides an alias", cell(t, "show").endswith(": 1"))
    cell(t, "%unalias bracket")
    check("%unalias", cell(t, "%bracket x").startswith("UsageError: Line magic function `%bracket` not found."))
    check("twice", cell(t, "%unalias bracket") == "bracket is not an alias")


def store(t):
    cell(t, "w = {'a': np.arange(3.0), 'n': [1, None, 'é'], 's': np.float32(2)}")
    check("%store", cell(t, "%store w") == "Stored 'w' (dict)")
    check("several", cell(t, "%store again x") == "Stored 'again' (Macro)\nStored 'x' (int)")
    check("an alias", cell(t, "%store parts") == "Alias stored: parts (echo first %s second %s)")
    check("an unknown one", cell(t, "%store nothing").startswith("UsageError: Unknown variable 'nothing'"))
    cell(t, "def f(): pass\r")
    check("a function", cell(t, "%store f").startswith("Warning:f is <function f"))
    cell(t, "import math")
    check("a module", cell(t, "%store math").startswith("TypeError: cannot pickle 'module' object"))
    listed = cell(t, "%store")
    check(
        "the list",
        listed.startswith("Stored variables and their in-db values:\nagain -> IPython.macro.Macro(")
        and "\nw     -> {'a': array([0., 1., 2.]), 'n': [1, None, 'é'], 's\nx     -> 3" in listed,
    )
    t.kill()
    t = start(t.home)
    check("a new session lacks it", cell(t, "w").startswith("NameError"))
    cell(t, "%store -r")
    check(
        "%store -r restores values",
        "{'a': array([0., 1., 2.]), 'n': [1, None, 'é'], 's': np.float32(2.0)}" in cell(t, "w"),
    )
    check("and aliases", cell(t, "parts 1 2") == "first 1 second 2")
    cell(t, "x = 5; again")
    cell(t, "again")
    check("and macros", cell(t, "y").endswith(": 6"))
    check("one of them", cell(t, "x = 7; %store -r nothing") != "" and cell(t, "%store -r nothing") == "no stored variable or alias nothing")
    cell(t, "x = 7")
    cell(t, "%store -r x")
    check("by name", cell(t, "x").endswith(": 3"))
    check("%store -d", cell(t, "%store -d w") == "" and "\nw " not in cell(t, "%store"))
    check("of nothing", cell(t, "%store -d w").startswith("UsageError: Can't delete variable 'w'"))
    check("without a name", cell(t, "%store -d").startswith("UsageError: You must provide the variable to forget"))
    check("%unalias forgets an alias", cell(t, "%unalias parts") == "Removing %stored alias parts")
    cell(t, "%store -z")
    check("%store -z", cell(t, "%store") == "Stored variables and their in-db values:")
    check("no file is left", os.listdir(t.home + "/.local/state/gpa/store") == [])
    path = t.home + "/value.txt"
    check("to a file", cell(t, f"%store x >{path}") == f"Writing 'x' (int) to file '{path}'.")
    cell(t, f"%store x >>{path}")
    check("appended", open(path).read() == "3\n3\n")
    t.kill()


def log(t):
    path = t.home + "/session.gpa"
    check("%logstate without a log", cell(t, "%logstate") == "Logging has not been activated.")
    check("%logoff without one", cell(t, "%logoff").startswith("Logging hasn't been started yet"))
    cell(t, "1 + 1")
    output = cell(t, f"%logstart -o {path}")
    check(
        "%logstart prints its state",
        output == "Activating auto-logging. Current session state plus future input saved.\n"
        f"Filename       : {path}\nMode           : backup\nOutput logging : True\n"
        "Raw input log  : False\nTimestamping   : False\nState          : active",
    )
    cell(t, "np.eye(2)")
    check("%logoff", cell(t, "%logoff") == "Switching logging OFF")
    check("twice", cell(t, "%logoff") == "Logging is already OFF")
    cell(t, "'not logged'")
    check("%logon", cell(t, "%logon") == "Switching logging ON")
    check("a second log", cell(t, "%logstart").startswith("RuntimeError: Log file is already active"))
    cell(t, "for i in range(2):\ri\r")
    cell(t, "%logstop")
    check("%logstop twice", cell(t, "%logstop") == "Logging hadn't been started.")
    text = open(path).read()
    check(
        "inputs and values",
        text.startswith("# gpa log file\n\n")
        and "1 + 1\n#[Out]# 2\n" in text
        and "np.eye(2)\n#[Out]# array([[1., 0.],\n#[Out]#        [0., 1.]])\n" in text
        and "for i in range(2):\n    i\n" in text
        and "not logged" not in text,
    )
    cell(t, f"%logstart -q -t {path}")
    cell(t, "%logstop")
    check("backup keeps the file before", open(path + "~").read() == text)
    for _ in range(3):
        cell(t, f"%logstart -q {path} rotate")
        cell(t, "%logstop")
    check("rotate numbers them", os.path.exists(path + ".003~") and not os.path.exists(path + ".004~"))
    size = os.path.getsize(path)
    cell(t, f"%logstart -q {path} append")
    cell(t, "%logstop")
    check("append continues", os.path.getsize(path) > size)
    check("an unknown mode", cell(t, f"%logstart {path} sideways").startswith("ValueError: invalid log mode sideways given"))
    check("a folder that is missing", cell(t, "%logstart /nowhere/x").startswith("FileNotFoundError: [Errno 2]"))


def editor(home):
    script(home + "/editor", "for f; do case $f in +*) echo $f >> $HOME/lines;; *) echo 'print(\"edited\")' >> $f;; esac; done\n")
    t = start(home, EDITOR=home + "/editor")
    cell(t, "x = 3")
    output = cell(t, "%edit 1")
    check(
        "%edit of a range runs it",
        "Editing... done. Executing edited code...\nedited\nOut[2]: 'x = 3\\nprint(\"edited\")\\n'" in output,
    )
    check("of its value", "Executing edited code...\nedited\nedited\n" in cell(t, "%edit _2"))
    cell(t, "def f(a):\rreturn a\r")
    check("of a function of a cell", cell(t, "%edit f").startswith("Editing In[4]\n"))
    check("-x does not run it", "edited\nOut" not in cell(t, "%edit -x 1"))
    check("-p edits that again", "Executing edited code...\nedited\nedited\n" in cell(t, "%edit -p"))
    cell(t, "%macro -q m 1")
    cell(t, "%ed m")
    check("of a macro", cell(t, "print(m)") == 'x = 3\nprint("edited")')
    path = home + "/made.py"
    check("of a new file", cell(t, f"%edit {path}").endswith("Executing edited code...\nedited"))
    with open(path, "w") as f:
        f.write("\n\ndef g():\n    return 5\n")
    cell(t, f"%run {path}")
    check("of a function of a file", cell(t, "%edit g").endswith("code...\nedited"))
    check("at its line", open(home + "/lines").read() == "+3\n")
    check(
        "of nothing",
        cell(t, "%edit nothing") == "Argument given (nothing) can't be found as a variable or as a filename.",
    )
    left = [name for name in os.listdir("/tmp") if name.startswith("gpa_edit_")]
    check("temporary files are removed", not left)
    t.kill()


def pasted(home):
    script(home + "/xclip", "cat $HOME/clipboard\n")
    with open(home + "/clipboard", "w") as f:
        f.write("    >>> a = 5\n    >>> a * 2\n    10\n")
    t = start(home, PATH=home + ":" + os.environ["PATH"], WAYLAND_DISPLAY="")
    output = cell(t, "%paste")
    check(
        "%paste shows and runs the clipboard",
        output == "    >>> a = 5\n    >>> a * 2\n    10\n## -- End pasted text --\nOut[1]: 10",
    )
    check("quietly", cell(t, "%paste -q") == "Out[2]: 10")
    check("into a name", cell(t, "%paste -q b") == "Block assigned to 'b'")
    check("which holds the text", "a = 5\\n" in cell(t, "b"))
    check("again", cell(t, "%paste -r") == "Re-executing 'a = 5...' (12 chars)\nOut[5]: 10")
    with open(home + "/clipboard", "w") as f:
        f.write("")
    check("nothing", cell(t, "%paste").startswith("UsageError: The clipboard appears to be empty"))
    output = cell(t, "%cpaste\rx = 1\rfor i in range(2):\r    print(i + x)\r\rprint('end')\r--")
    check("%cpaste runs what is typed", output.endswith("1\n2\nend"))
    output = cell(t, "%cpaste -q -s END\r\x1b[200~>>> def g():\n...     return 4\n>>> g()\n4\nEND\n\x1b[201~")
    check("or pasted", "Out[8]: 4" in t.text())
    t.type("%cpaste\r")
    t.wait("^:$")
    t.type("k = 3\r", "\x04")
    check("Ctrl-D ends it", t.wait("^<EOF>$"))
    t.settle()
    check("and runs it", cell(t, "k").endswith(": 3"))
    t.type("%cpaste\r")
    t.settle()
    t.type("k = 4\r", "\x03")
    check("Ctrl-C drops it", t.wait("^KeyboardInterrupt"))
    t.settle()
    check("all of it", cell(t, "k").endswith(": 3"))
    t.kill()


def settings(t):
    check("%autoindent", cell(t, "%autoindent") == "Automatic indentation is: OFF")
    t.type("if 1:\r")
    t.settle()
    check("new lines begin at the margin", t.screen.cursor.x == t.row().index(":") + 2)
    t.type("\x03")
    t.settle()
    check("and back", cell(t, "%autoindent") == "Automatic indentation is: ON")
    t.type("12")
    t.settle()
    check("a number has a colour", t.cell("12").fg != "default")
    t.type("\x03")
    cell(t, "%colors NoColor")
    t.type("34")
    t.settle()
    check("%colors nocolor", t.cell("34").fg == "default")
    t.type("\x03")
    cell(t, "%colors Linux")
    t.type("56")
    t.settle()
    check("%colors linux", t.cell("56").fg != "default")
    t.type("\x03")
    t.settle()
    check("an unknown theme", cell(t, "%colors pink").startswith("UsageError: Unrecognized theme: 'pink'"))
    check("none", cell(t, "%colors").startswith("UsageError: %colors: you must specify a color theme."))


def reports(t):
    cell(t, "def f(x):\rreturn g(x, 2)\r")
    cell(t, "def g(x, y):\rreturn x / (y - 2)\r")
    check("%xmode Plain", cell(t, "%xmode Plain") == "Exception reporting mode: Plain")
    rows = cell(t, "f(1)").split("\n")
    check(
        "is Python's traceback: the error last",
        rows[0] == "Traceback (most recent call last):"
        and [row.strip() for row in rows[2::2][:2]] == ["f(1)", "return g(x, 2)"]
        and rows[-3:-1] == ["    return x / (y - 2)", "             ^"]
        and rows[-1] == "ZeroDivisionError: division by zero",
    )
    cell(t, "try: f(1)\rexcept Exception as e: raise ValueError('outer') from e\r")
    check(
        "causes come first",
        "ZeroDivisionError: division by zero\n\nThe above" in t.text()
        and "The above exception was the direct cause of the following exception:" in t.text()
        and t.text().index("ZeroDivisionError") < t.text().index("ValueError: outer"),
    )
    cell(t, "%xmode Verbose")
    output = cell(t, "f(1)")
    check("%xmode Verbose", output.startswith("ZeroDivisionError"))
    check("has the variables", "  variables of g\n    x = 1\n    y = 2\n  variables of f\n    x = 1" in output)
    cell(t, "%xmode Minimal")
    check("%xmode Minimal", cell(t, "f(1)") == "ZeroDivisionError: division by zero")
    check("the next one", cell(t, "%xmode") == "Exception reporting mode: Plain")
    cell(t, "%xmode Context")


def completed(t, text):
    """What Tab makes of a text: the line, and the menu."""
    t.type("\x0c", text, "\t")
    t.settle(0.1)
    rows = [row for row in t.lines() if row]
    t.type("\x07", "\x03")
    t.settle(0.1)
    return rows[0].partition(": ")[2], [row.split()[0] for row in rows[1:]]


def completion(home):
    folder = home + "/files"
    os.makedirs(folder + "/sub")
    for name in ("a.py", "b.txt", "c.gpa", "d.ipynb"):
        open(folder + "/" + name, "w").close()
    t = start(home)
    cell(t, f"%cd -q {folder}")
    check("%cd completes folders", completed(t, "%cd ") == ("%cd sub/", []))
    check("%run programs and folders", completed(t, "%run ")[1] == ["a.py", "c.gpa", "sub/"])
    check("%load files", len(completed(t, "%load ")[1]) == 5)
    cell(t, "%alias zebra echo")
    check("aliases", completed(t, "%zeb")[0] == "%zebra")
    check("after a string", completed(t, "'abc'.upp")[0] == "'abc'.upper")
    check("after a list", completed(t, "[1].app")[0] == "[1].append")
    cell(t, "x = [np.arange(3)]")
    check("after an element", completed(t, "x[0].cums")[0] == "x[0].cumsum")
    check("names of a module", completed(t, "from numpy.linalg import nor")[0] == "from numpy.linalg import norm")
    check("a letter", completed(t, "\\alph")[0] == "\\alpha" and completed(t, "\\alpha")[0] == "α")
    check("np.*lin*? finds names and modules", cell(t, "np.*lin*?") == "np.linalg\nnp.linspace")
    t.type("?\r")
    check("? alone is a reference", t.wait("quick reference"))
    t.kill()


def after_end_of_input(t):
    t.type("\x04")
    check("Ctrl-D asks", t.wait(r"^Do you really want to exit \(\[y\]/n\)\?$"))
    t.type("n\r")
    t.settle()
    check("a cell may have prompts", cell(t, ">>> 5 * 7").endswith(": 35"))
    cell(t, "6 * 7")
    t.settle()
    check("and prompts are drawn once", t.text().count("6 * 7") == 1 and "]:\n" not in t.text())


t = start()
macros(t)
aliases(t)
store(t)
t = start(t.home)
log(t)
settings(t)
reports(t)
after_end_of_input(t)
t.kill()
editor(t.home)
pasted(t.home)
completion(t.home)
r.end()
