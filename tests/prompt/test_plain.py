"""The prompt on a terminal without cursor movement: lines are read without an editor."""

import re
import time

from terminal import WAIT, Report, Terminal, available


class Plain(Terminal):
    def until(self, pattern):
        """Whether something matches in what has come since the last call."""
        end = time.time() + WAIT
        at = getattr(self, "at", 0)
        while True:
            text = self.raw[at:].decode(errors="replace").replace("\r", "")
            if re.search(pattern, text):
                self.at = len(self.raw)
                return True
            if time.time() > end or not self.read():
                print(f"#   it showed: {text!r}")
                return False


def main():
    if not available():
        return
    r = Report()
    t = Plain(term="dumb")
    r.check("the first prompt", t.until(r"In \[1\]: $"))
    r.check("no control sequences", b"\x1b" not in t.raw)
    t.type("1 + 2\n")
    r.check("a value is shown", t.until(r"3\n(.|\n)*In \[2\]: $"))
    t.type("for i in range(2):\n")
    r.check("an incomplete statement goes on", t.until(r"\.\.\.: $"))
    t.type("    print(i * 10)\n")
    t.until(r"\.\.\.: $")
    t.type("\n")
    r.check("a blank line ends it", t.until(r"0\n10\n(.|\n)*In \[3\]: $"))
    t.type("1 / 0\n")
    r.check(
        "an error is shown, and the prompt comes back",
        t.until(r"ZeroDivisionError(.|\n)*In \[4\]: $"),
    )
    t.type("x = 5\n")
    t.until(r"In \[5\]: $")
    t.type("while True: print('runs', 1)\n\n")
    t.until(r"runs 1\n")
    t.type("\x03")
    r.check("Ctrl-C stops a program", t.until(r"KeyboardInterrupt(.|\n)*In \[6\]: $"))
    t.type("x + \x03")
    r.check("Ctrl-C drops a line", t.until(r"KeyboardInterrupt(.|\n)*In \[6\]: $"))
    t.type("x\n")
    r.check("the names are still there", t.until(r"5\n(.|\n)*In \[7\]: $"))
    t.type("import time; from IPython.display import clear_output\n")
    t.until(r"In \[8\]: $")
    t.type("time.sleep(1.5); print('one', end=''); clear_output(); print('two')\n")
    r.check("a cell that runs long, and cleared output", t.until(r"one\ntwo\n(.|\n)*In \[9\]: $"))
    t.type("import matplotlib.pyplot as plt; plt.plot([1, 2]);\n")
    r.check("a plot is named", t.until(r"<Figure size .*>\n(.|\n)*In \[10\]: $"))
    r.check("all without control sequences", b"\x1b" not in t.raw)
    t.type("\x04")
    r.check("Ctrl-D asks", t.until(r"exit \(\[y\]/n\)\? $"))
    t.type("y\n")
    r.check("and ends with status 0", t.status() == 0)
    r.end()


main()
