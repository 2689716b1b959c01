"""A terminal for the tests of the prompt: a pseudo-terminal with gpa at its other end and, where
pyte is there, a screen on which one can look at what a user would see."""

import atexit
import fcntl
import glob
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time

try:
    import pyte
except ImportError:
    pyte = None

WAIT = 60  # seconds for an answer, on a slow machine in a slow build
PROGRAM = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
KEYS = {
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "back": "\x7f",
    "shift-tab": "\x1b[Z",
    "alt-enter": "\x1b\r",
    "alt-f": "\x1bf",
}


def available():
    """Whether there are pseudo-terminals; says why not."""
    try:
        for end in pty.openpty():
            os.close(end)
        return True
    except OSError as why:
        print(f"skip - this machine gives no pseudo-terminal: {why}")
        return False


def states(session):
    """The states of the threads of a session's processes: R runs or would run, D waits for a
    disk, S for anything else."""

    def fields(path):
        try:
            with open(path + "/stat") as f:
                return f.read().rpartition(")")[2].split()
        except OSError:
            return "ended", None, None, None

    return [
        fields(task)[0]
        for process in glob.glob("/proc/[0-9]*")
        if fields(process)[3] == str(session)
        for task in glob.glob(process + "/task/*")
    ]


class Terminal:
    """gpa at a terminal: type(), then wait() for a text to be on the screen."""

    def __init__(
        self,
        *arguments,
        rows=24,
        columns=80,
        term="xterm-256color",
        command=None,
        home=None,
        **environment,
    ):
        self.home = home or tempfile.mkdtemp(prefix="gpa-")
        atexit.register(shutil.rmtree, self.home, ignore_errors=True)
        self.raw = b""
        self.rows, self.columns = rows, columns
        self.screen = pyte.Screen(columns, rows) if pyte else None
        self.stream = pyte.ByteStream(self.screen) if pyte else None
        keep = {
            k: v
            for k, v in os.environ.items()
            if k in (
                "PATH",
                "GPA_PLUGIN_DIR",
                "ASAN_OPTIONS",
                "GPA_DEVICE",
                "GPA_NUM_THREADS",
                "LD_LIBRARY_PATH",
            )
        }
        keep.update(TERM=term, HOME=self.home, INPUTRC="/dev/null", LANG="C.UTF-8", PS1="$ ")
        keep.update(
            LSAN_OPTIONS="print_suppressions=0:suppressions="
            + os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaks.txt")
        )
        keep.update(environment)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            command = command or [PROGRAM, *arguments]
            os.execvpe(command[0], command, keep)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.05):
        """What came within so many seconds; False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            some = os.read(self.fd, 65536)
        except OSError:
            some = b""
        self.raw += some
        if self.stream:
            self.stream.feed(some)
        return bool(some)

    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    def text(self):
        return "\n".join(self.lines()).rstrip()

    def row(self):
        """The line that the cursor is in."""
        return self.lines()[self.screen.cursor.y]

    def cell(self, text, offset=0):
        """The cell, with its colours, of the last place on the screen where a text stands."""
        for y in reversed(range(self.rows)):
            x = self.screen.display[y].rfind(text)
            if x >= 0:
                return self.screen.buffer[y][x + offset]
        return None

    def type(self, *keys):
        """Types texts, or keys by their names."""
        os.write(self.fd, "".join(KEYS.get(k, k) for k in keys).encode())

    def wait(self, pattern, seconds=WAIT):
        """Waits until the screen matches. False, with what it shows instead, after some seconds."""
        end = time.time() + seconds
        while True:
            if re.search(pattern, self.text(), re.M):
                return True
            if time.time() > end or not self.read():
                break
        print(f"#   it did not show {pattern!r} but")
        for line in self.text().split("\n"):
            print(f"#   | {line}")
        return False

    def idle(self):
        """Whether what was typed has been read, and everything at the terminal waits for more: a
        quiet terminal alone says nothing where processors are busy with something else."""
        try:
            end = os.open(f"/proc/{self.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        except OSError:
            return True  # it has ended
        try:
            (unread,) = struct.unpack("i", fcntl.ioctl(end, termios.FIONREAD, bytes(4)))
        finally:
            os.close(end)
        return not unread and not {"R", "D"} & set(states(self.pid))

    def settle(self, seconds=0.3):
        """Reads until everything waits, and goes on waiting for so long without a word."""
        end, last, waits = time.time() + WAIT, None, False
        while time.time() < end and not (waits and last == len(self.raw) and self.idle()):
            last, waits = len(self.raw), self.idle()
            self.read(seconds if waits else 0.01)
        return self

    def resize(self, rows, columns):
        self.settle()
        self.rows, self.columns = rows, columns
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def modes(self):
        """Whether the terminal echoes and edits lines by itself: a shell's."""
        local = termios.tcgetattr(self.fd)[3]
        return bool(local & termios.ECHO) and bool(local & termios.ICANON)

    def kill(self, number=signal.SIGKILL):
        os.kill(self.pid, number)
        return self.status()

    def status(self):
        """The exit status, negative for a signal; None, after which it is killed, if it does not
        end."""
        end = time.time() + WAIT
        while time.time() < end:
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.settle(0.02)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        return None


class Report:
    def __init__(self):
        self.bad = 0

    def check(self, name, good):
        print(("ok - " if good else "not ok - ") + name, flush=True)
        self.bad += not good

    def end(self):
        sys.exit(bool(self.bad))


def begin():
    """The report of a file of tests that look at the screen; ends the program where they cannot
    run."""
    if not available():
        sys.exit(0)
    if not pyte:
        print("skip - no pyte to look at the screen with")
        sys.exit(0)
    return Report()
