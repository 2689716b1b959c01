"""The prompt at a terminal: python tests/prompt.py PROGRAM. Types lines and checks what the terminal shows."""
import os
import pty
import re
import select
import sys
import time

WAIT = 10  # seconds for an answer, on a slow machine in a slow build


class Terminal:
    def __init__(self, program):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", INPUTRC="/dev/null")
            os.execv(program, [program])

    def until(self, pattern):
        """What is shown up to a text that matches, without the terminal's control sequences; None after WAIT seconds."""
        seen, end = "", time.time() + WAIT
        while time.time() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.fd, 65536).decode(errors="replace")
                except OSError:
                    seen += "<end>"
            text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", seen)
            if re.search(pattern, text):
                return text
            if seen.endswith("<end>"):
                break
        print(f"#   it showed: {seen!r}")
        return None

    def ended(self):
        """Whether the program ended with status 0; it is killed if it does not end."""
        for _ in range(50):
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return status == 0
            time.sleep(0.1)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)
        return False

    def type(self, text):
        os.write(self.fd, text.encode())


def main():
    bad = 0

    def check(name, good):
        nonlocal bad
        print(("ok - " if good else "not ok - ") + name)
        bad += not good

    try:
        os.close(pty.openpty()[0])
    except OSError as why:
        print(f"skip - this machine gives no pseudo-terminal: {why}")
        return
    t = Terminal(sys.argv[1])
    check("the first prompt", t.until(r"In \[1\]: $"))
    t.type("1 + 2\n")
    check("a value is shown", t.until(r"3\n(.|\n)*In \[2\]: $"))
    t.type("for i in range(2):\n")
    check("an incomplete statement goes on", t.until(r"\.\.\.: *$"))
    t.type("    print(i * 10)\n")
    t.until(r"\.\.\.: *$")
    t.type("\n")
    check("a blank line ends it", t.until(r"0\n10\n(.|\n)*In \[3\]: $"))
    t.type("1 / 0\n")
    check("an error is shown, and the prompt comes back", t.until(r"ZeroDivisionError(.|\n)*In \[4\]: $"))
    t.type("x = 5\n")
    t.until(r"In \[5\]: $")
    t.type("while True: pass\n")
    time.sleep(0.5)
    t.type("\x03")
    check("Ctrl-C stops a program", t.until(r"KeyboardInterrupt(.|\n)*In \[6\]: $"))
    t.type("x\n")
    check("the names are still there", t.until(r"5\n(.|\n)*In \[7\]: $"))
    t.type("\x04")
    check("Ctrl-D asks", t.until(r"exit \(\[y\]/n\)\? $"))
    t.type("y\n")
    check("and ends", t.until(r"<end>"))
    check("with status 0", t.ended())
    sys.exit(bool(bad))


main()
