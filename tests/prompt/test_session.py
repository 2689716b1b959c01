"""Sessions at the prompt: interrupts, job control, exit, pager, files written, and how
soon it is there."""

import fcntl
import os
import shutil
import signal
import stat
import struct
import termios
import time

from terminal import PROGRAM, WAIT, Terminal, begin

r = begin()
check = r.check
DEVICE = (
    {"GPA_DEVICE": "ref"}
    if not os.path.exists(os.path.join(os.path.dirname(PROGRAM), "gpa-cpu.so"))
    else {}
)


def prompt(t, n):
    return t.wait(r"^In \[%d\]:$" % n)


def library_calls():
    """Ctrl-C in a factorization that takes many seconds."""
    t = Terminal(**DEVICE)
    t.wait(r"In \[1\]:")
    t.type("import numpy as np\r")
    prompt(t, 2)
    t.type("a = np.random.rand(1500, 1500); b = np.random.rand(40, 40)\r")
    prompt(t, 3)
    n = 3
    for call in ("svd(a)", "eig(a)"):
        t.type(f"print('go', {n}); x = np.linalg.{call}\r")
        t.wait("^go %d$" % n)
        end = time.time() + 0.4
        while time.time() < end:
            t.read(0.02)
        start = time.time()
        t.type("\x03")
        good = t.wait(r"^KeyboardInterrupt(.|\n)*^In \[%d\]:$" % (n + 1))
        took = time.time() - start
        print(f"# {call} ended after {1000 * took:.0f} ms")
        check(f"Ctrl-C ends {call}", good and took < 2)  # the goal is 0.1, the call takes 5 to 10
        n += 1
    t.type("abs(b @ np.linalg.inv(b) - np.eye(40)).max() < 1e-8\r")
    check("the next call is right", t.wait(r"^Out\[%d\]: np.True_$" % n))
    t.type("exit(5)\r")
    check("the exit does not wait for what was interrupted", t.status() == 5)


def python_threads():
    """Ctrl-C in a function that a thread of Python has called, and while such a call waits."""
    python = os.path.abspath("build/venv")
    if not os.path.exists(python + "/bin/python"):
        print("skip - no Python for threads (build/venv.log)")
        return
    t = Terminal(GPA_PYTHON=python, **DEVICE)
    t.wait(r"In \[1\]:")
    t.type("from concurrent.futures import ThreadPoolExecutor; ex = ThreadPoolExecutor(1)\r")
    prompt(t, 2)
    t.type("def forever():\rprint('go')\rwhile True: pass\r\r\r")
    prompt(t, 3)
    t.type("ex.submit(forever).result()\r")
    t.wait("^go$")
    start = time.time()
    t.type("\x03")
    good = t.wait(r"^KeyboardInterrupt(.|\n)*^In \[4\]:$")
    check("Ctrl-C ends a function on behalf of a thread", good and time.time() - start < 2)
    t.type("ex.submit(abs, -3).result()\r")
    check("the next one is run", t.wait(r"^Out\[4\]: 3$"))
    t.type("exit(5)\r")
    check("threads end with the session", t.status() == 5)


def stopped():
    """SIGSTOP and SIGCONT while a cell runs and while a line is edited."""
    t = Terminal(**DEVICE)
    t.wait(r"In \[1\]:")
    t.type("n = 0\r")
    prompt(t, 2)
    t.type("\x1b[200~print('go', 1)\nfor i in range(3 * 10**6): n += i % 3\n\x1b[201~\r")
    t.wait("^go 1$")
    for _ in range(3):
        os.kill(t.pid, signal.SIGSTOP)
        time.sleep(0.1)
        os.kill(t.pid, signal.SIGCONT)
    prompt(t, 3)
    t.type("n +")
    t.wait(r"^In \[3\]: n \+$")
    os.kill(t.pid, signal.SIGSTOP)
    t.type(" 1")
    time.sleep(0.1)
    os.kill(t.pid, signal.SIGCONT)
    t.type("\r")
    check("SIGSTOP and SIGCONT lose nothing", t.wait(r"^Out\[3\]: 3000001$"))
    t.kill()


def interrupts():
    t = Terminal(**DEVICE)
    t.wait(r"In \[1\]:")
    t.type("keep = 42\r")
    prompt(t, 2)
    n = 2
    for what, cell, begun, wait in (
        ("a loop", "print('round', 1)\nwhile True: pass\n", "^round 1$", 0.3),
        ("output", "while True: print('x' * 70)\n", "^x{70}$", 0.3),
        (
            "arrays",
            "a = ones(10**6)\nprint('arrays', 1)\nwhile True: a = sin(a) + 1\n",
            "^arrays 1$",
            0.5,
        ),
        ("sleep", "import time\nprint('sleep', 1)\ntime.sleep(100)\n", "^sleep 1$", 0.3),
        ("a question", "input('name? ')\n", r"^name\?$", 0.3),
    ):
        t.type("\x1b[200~" + cell + "\x1b[201~\r")
        t.wait(begun)
        end = time.time() + wait
        while time.time() < end:
            t.read(0.02)
        start = time.time()
        t.type("\x03")
        good = t.wait(r"^KeyboardInterrupt(.|\n)*^In \[%d\]:$" % (n + 1))
        n += 1
        print(f"# {what} ended after {1000 * (time.time() - start):.0f} ms")
        check(f"Ctrl-C ends {what}", good)
    t.type("keep\r")
    check("names are kept", t.wait(r"^Out\[%d\]: 42$" % n))
    prompt(t, n + 1)
    t.type("\x03\x03\x03")
    check("Ctrl-C never ends the session", t.wait(r"KeyboardInterrupt\n\nIn \[%d\]:$" % (n + 1)))
    t.type("\x04")
    check("Ctrl-D asks", t.wait(r"^Do you really want to exit \(\[y\]/n\)\?$"))
    t.type("n\r")
    check("no is no", prompt(t, n + 1))
    t.type("\x04\x04")
    check("twice leaves", t.status() == 0)
    check("a terminal for a shell", b"\x1b[?2004l" in t.raw[-200:])


def input_():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("name = input('name? ')\r")
    check("a question", t.wait(r"^name\?$"))
    t.type("bub", "left", "left", "\x1b[3~", "o", "\r")
    prompt(t, 2)
    t.type("name\r")
    check("its answer is edited", t.wait(r"^Out\[2\]: 'bob'$"))
    prompt(t, 3)
    t.type("print('no end', end='')\r")
    check("a prompt begins a line", t.wait(r"^no end\n\nIn \[4\]:$"))
    t.type("exit(3)\r")
    check("the status of exit", t.status() == 3)


def busy():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("import time\r")
    prompt(t, 2)
    t.type("import os\r")
    prompt(t, 3)
    go = t.home + "/go"
    t.type(
        f"\x1b[200~while not os.path.exists('{go}'): time.sleep(0.02)\nprint('slept')\x1b[201~\r"
    )
    check("a cell that runs long shows a clock", t.wait("^[\u2800-\u28ff] \\d+ s$"))
    open(go, "w").close()
    check("which goes when there is output", t.wait(r"^   \.\.\.: print.*\nslept\n\nIn \[4\]:$"))
    t.type("print('half', end=''); time.sleep(1.5)\r")
    check(
        "it is not drawn into a line",
        t.wait(r"^half\n\nIn \[5\]:$") and b"half\x1b" not in t.raw and b"half\r\xe2" not in t.raw,
    )
    t.type("exit\r")
    t.status()


def mended():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("!stty raw -echo\r")
    prompt(t, 2)
    t.type("print('a\\nb')\r")
    check("a terminal that a program left raw is mended", t.wait(r"^a\nb\n\nIn \[3\]:$"))
    t.type("exit\r")
    t.status()


def jobs():
    t = Terminal(command=["bash", "--norc", "--noprofile", "-i"])
    t.wait(r"^\$$")
    t.type(f"GPA_HISTORY= {PROGRAM} -q\r")
    check("started by a shell", t.wait(r"^In \[1\]:$"))
    t.type("x = 1 + ")
    t.wait(r"x = 1 \+")
    t.type("\x1a")
    check("Ctrl-Z stops", t.wait(r"Stopped"))
    t.settle()
    check("the shell has its terminal", t.modes() or b"\x1b[?2004h" in t.raw[-60:])
    t.type("echo sh''ell\r")
    t.wait(r"^shell$")
    t.type("fg\r")
    check("fg shows the prompt with its text", t.wait(r"fg\n(.|\n)*^In \[1\]: x = 1 \+$"))
    t.type("2\r")
    prompt(t, 2)
    t.type("x\r")
    check("which goes on", t.wait(r"^Out\[2\]: 3$"))
    prompt(t, 3)
    t.type("\x1b[200~import time\nwhile True: print('runs', 1); time.sleep(0.3)\x1b[201~\r")
    t.wait(r"^runs 1$")
    t.type("\x1a")
    check("Ctrl-Z stops a running cell", t.wait(r"Stopped(.|\n)*Stopped"))
    t.type("fg\r")
    t.wait(r"Stopped(.|\n)*Stopped(.|\n)*^runs 1$")  # it has the terminal again
    t.type("\x03")
    check("Ctrl-C ends it after fg", t.wait(r"KeyboardInterrupt(.|\n)*^In \[4\]:$"))
    t.type("exit\r")
    t.settle(0.2)
    t.type("exit\r")
    t.status()


def ends():
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGHUP):
        t = Terminal()
        t.wait(r"In \[1\]:")
        t.type("abc")
        t.settle()
        raw = not t.modes()
        keep = os.dup(t.fd)
        os.kill(t.pid, number)
        t.settle()
        check(
            f"{number.name} leaves the terminal as it was",
            raw and t.modes() and b"\x1b[?2004l" in t.raw,
        )
        status = t.status()
        check(
            f"{number.name} is the status", status == -number or (status == 1 and "asan" in PROGRAM)
        )
        os.close(keep)


def told_in_full():
    """Ctrl-C while what reads the output does not keep up: nothing of it is lost, and the
    program ends."""
    ours, theirs = os.pipe()
    pid = os.posix_spawn(
        PROGRAM,
        [PROGRAM, "-c", "n = 0\nwhile True:\n    print(n)\n    n += 1"],
        {**os.environ, **DEVICE},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, theirs, 1),
            (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0),
            (os.POSIX_SPAWN_CLOSE, ours),
        ],
    )
    os.close(theirs)
    full, end = fcntl.fcntl(ours, fcntl.F_GETPIPE_SZ), time.time() + WAIT
    while (
        time.time() < end
        and struct.unpack("i", fcntl.ioctl(ours, termios.FIONREAD, bytes(4)))[0] < full
    ):
        time.sleep(0.02)
    os.kill(pid, signal.SIGINT)
    time.sleep(0.2)
    with os.fdopen(ours) as f:
        lines = f.read().split("\n")
    check(
        "what an interrupted program printed is all there",
        lines == [str(i) for i in range(len(lines) - 1)] + [""],
    )
    check("and Ctrl-C is its status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 130)


def children():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("!echo it be''gins; sleep 100; echo not this\r")
    t.wait(r"^it begins$")
    t.type("\x03")
    check(
        "Ctrl-C ends a command, and not the session",
        prompt(t, 2) and "not this\n" not in t.text().split("echo not this", 1)[1],
    )
    t.type("_exit_code\r")
    # The terminal's signal, or on a busy machine the one that follows after a while.
    check("whose status is kept", t.wait(r"^Out\[2\]: (-2|130|-15|143)$"))
    t.kill()


def bars():
    t = Terminal()
    t.wait(r"In \[1\]:")
    t.type("import time\r")
    prompt(t, 2)
    t.type("import os\r")
    prompt(t, 3)
    go = t.home + "/go"
    t.type(
        "\x1b[200~for i in progress(range(20), desc='rows'):\n    time.sleep(0.1)\n    while i =="
        f" 15 and not os.path.exists('{go}'): time.sleep(0.02)\x1b[201~\r\r"
    )
    check("a bar shows how far a loop is", t.wait(r"^rows \W+\d+ %, \d+ s to go$"))
    open(go, "w").close()
    check("and goes with it", prompt(t, 4) and "to go" not in t.text())
    t.kill()


def no_gpu():
    """What a machine without a GPU says to one who asks for it."""
    t = Terminal(
        GPA_DEVICE="cuda",
        CUDA_VISIBLE_DEVICES="",
        LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", ""),
    )
    check("the prompt comes, GPU or not", t.wait(r"^In \[1\]:$"))
    t.type("6 * 7\r")
    check("and computes", t.wait(r"^Out\[1\]: 42$"))
    prompt(t, 2)
    t.type("np.ones(3) + 1\r")
    check(
        "arrays are a DeviceError with its reason",
        t.wait(r"^DeviceError: cuda.*: .*") and prompt(t, 3),
    )
    t.kill()


def pages():
    t = Terminal(PAGER="sed s/^/PAGER:/")
    t.wait(r"In \[1\]:")
    t.type("x = 3\r")
    prompt(t, 2)
    t.type("x?\r")
    check(
        "a short page is shown as it is",
        prompt(t, 3) and "PAGER" not in t.text() and "int" in t.text(),
    )
    t.kill()
    t = Terminal(PAGER="sed s/^/PAGER:/", rows=6)
    t.wait(r"In \[1\]:")
    t.type("np.linspace?\r")
    prompt(t, 2)
    check("a long one by the pager", "PAGER:" in t.text())
    t.kill()
    t = Terminal(PAGER="no-such-pager-here", rows=6)
    t.wait(r"In \[1\]:")
    t.type("np.linspace?\r")
    check(
        "and as it is without one", prompt(t, 2) and b"linspace" in t.raw.split(b"linspace?", 1)[1]
    )
    t.kill()
    t = Terminal(PAGER="cat", columns=40)
    t.wait(r"In \[1\]:")
    t.type("def f(): 'Word and word and word and word and word and word.\\n\\nMore.'\r\r")
    prompt(t, 2)
    t.type("f?\r")
    check(
        "docstrings are not wrapped",
        prompt(t, 3)
        and b"\nWord and word and word and word and word and word." in t.raw.split(b"f?", 1)[1],
    )
    t.kill()


def pictures():
    """What a terminal shows of a plot: its graphics, or symbols with the words over them."""
    if not shutil.which("gnuplot") or not shutil.which("chafa"):
        print("skip - no gnuplot or chafa for pictures")
        return
    plot = "plot([1, 3, 2], label='up'); legend(); title('A title'); ylabel('volts');\r"
    t = Terminal(rows=40, columns=100, COLORTERM="truecolor")
    t.wait(r"In \[1\]:")
    t.type(plot)
    check(
        "a plot of symbols, with its words",
        prompt(t, 2) and t.wait(r"volts\W+A title(.|\n)*3\.00(.|\n)*━━ up\W(.|\n)*2\.00"),
    )
    check("in colours", t.cell("━━ up").fg == "1f77b4")
    t.type("plot([1, 2]); title('two\\nlines\\x1b[31m'); xlabel(' ');\r")
    check("odd words are words", t.wait(r"^\W+two lines \[31m\W*$") and t.wait(r"^In \[3\]:$"))
    t.type("table([[1, 2.5]], columns=['a', 'b'])\r")
    check("a table", t.wait(r"^   a    b\n0  1  2\.5\n1 × 2, float64$"))
    t.kill()
    for kind, begins in ("kitty", b"\x1b_G"), ("sixel", b"\x1bP"), ("iterm", b"\x1b]1337;File="):
        t = Terminal(rows=40, columns=100, GPA_GRAPHICS=kind)
        t.stream = None
        for awaited, answer in (b"[1", plot), (begins, ""):
            end = time.time() + WAIT
            while awaited not in t.raw and time.time() < end and t.read():
                pass
            t.type(answer)
        t.settle()
        small = kind == "sixel" or (b"iVBORw0KGgo" in t.raw and len(t.raw) < 100_000)
        check(f"a plot by {kind}, compressed where it can be", begins in t.raw and small)
        t.kill()
    python = os.path.abspath("build/venv")
    if os.path.exists(python + "/bin/python"):
        t = Terminal(rows=40, columns=100, GPA_GRAPHICS="kitty", GPA_PYTHON=python)
        t.wait(r"In \[1\]:")
        t.type("import matplotlib.pyplot as plt; plt.quiver([1], [2]);\r")  # gpa's own plots have no quiver
        check("a plot of matplotlib in Python", prompt(t, 2) and b"\x1b_G" in t.raw)
        t.kill()
        t = Terminal(GPA_PYTHON=python)
        t.wait(r"In \[1\]:")
        t.type("import getpass; word = getpass.getpass('what is it? ')\r")
        t.wait("^what is it\\?$")
        time.sleep(1.5)  # the busy indicator would be there
        check("getpass keeps its question", t.read() and t.wait("^what is it\\?$"))
        t.type("hidden\r")
        check("and shows no answer", prompt(t, 2) and "hidden" not in t.text())
        t.type("word\r")
        check("which it returns", t.wait(r"^Out\[2\]: 'hidden'$"))
        t.kill()
    t = Terminal(GPA_GRAPHICS="none")
    t.wait(r"In \[1\]:")
    t.type(plot)
    check("or as a word", prompt(t, 2) and t.wait("<Figure size 640x480 with 1 Axes>"))
    check("without a word about chafa", "chafa" not in t.text())
    t.kill()


def files():
    t = Terminal()
    os.makedirs(t.home + "/.config/gpa")
    t.kill()
    with open(t.home + "/.config/gpa/init.gpa", "w") as f:
        f.write("greeting = 'hello'\n1 / 0\n")
    a = Terminal(home=t.home)
    check(
        "an error in init.gpa is told, and the prompt comes",
        a.wait(r"ZeroDivisionError(.|\n)*In \[1\]:$"),
    )
    a.type("greeting\r")
    check("init.gpa ran", a.wait(r"^Out\[1\]: 'hello'$"))
    b = Terminal("--norc", "-q", home=t.home)
    b.wait(r"In \[1\]:$")
    check("--norc: not; -q: no greeting", b.text() == "In [1]:")
    b.type("from_b = 1\r")
    prompt(b, 2)
    prompt(a, 2)
    a.type("from_a = 1\r")
    prompt(a, 3)
    a.kill()
    b.kill()
    c = Terminal(home=t.home)
    c.wait(r"In \[1\]:$")
    c.type("from_b", "up")
    both = c.wait(r"In \[1\]: from_b = 1$")
    c.type("\x15from_a", "up")
    check("concurrent sessions share a history", both and c.wait(r"In \[1\]: from_a = 1$"))
    c.kill()
    path = t.home + "/.local/state/gpa/history"
    check("which is the user's alone", stat.S_IMODE(os.stat(path).st_mode) == 0o600)
    script = t.home + "/script.gpa"
    with open(script, "w") as f:
        f.write("value = 7\nprint('ran')\n")
    d = Terminal("--norc", "-i", script, home=t.home)
    check("-i: the prompt after a program", d.wait(r"^ran\n\n?In \[1\]:$"))
    d.type("value\r")
    check("with its names", d.wait(r"^Out\[1\]: 7$"))
    d.kill()


def vi():
    t = Terminal()
    t.kill()
    with open(t.home + "/inputrc", "w") as f:
        f.write('set editing-mode vi\nset keyseq-timeout 50\n"\\C-g": beginning-of-line\n')
    t = Terminal(home=t.home, **{"INPUTRC": t.home + "/inputrc"})
    t.wait(r"In \[1\]:$")
    t.type("x = 12\x1b")
    t.settle(0.7)
    t.type("hx", "\r")
    prompt(t, 2)
    t.type("x\r")
    check("vi's keys, by ~/.inputrc", t.wait(r"^Out\[2\]: 2$"))
    prompt(t, 3)
    t.type("y = (1 +\r2")
    t.settle()
    t.type("\x07", "3")
    check(
        "bindings there of commands for one line mean the line",
        t.wait(r"^In \[3\]: y = \(1 \+\n   \.\.\.: 32$"),
    )
    t.kill()


def editor():
    t = Terminal(EDITOR="sed -i s/1/7/")
    t.wait(r"In \[1\]:$")
    t.type("x = 1\x18\x05")
    check("an editor", t.wait(r"^In \[1\]: x = 7$"))
    t.type("\r")
    check("and its text runs", prompt(t, 2))
    t.kill()


def soon():
    took = []
    for _ in range(7):
        start = time.time()
        t = Terminal()
        while b"]: " not in t.raw and t.read(1):
            pass
        took.append(time.time() - start)
        t.kill()
    took.sort()
    print(f"# the prompt is there after {1000 * took[3]:.0f} ms")


for part in (
    interrupts,
    library_calls,
    python_threads,
    stopped,
    input_,
    busy,
    bars,
    children,
    no_gpu,
    mended,
    jobs,
    ends,
    told_in_full,
    pages,
    pictures,
    files,
    vi,
    editor,
    soon,
):
    part()
r.end()
