"""Runs the programs in gpa: many in one process, each in a session of its own, which a crash or a hang ends."""

import ast
import collections
import os
import signal
import tempfile
import time

import cells
import control

CASE_SECONDS, TEST_SECONDS = 60, 240  # after which a case, or a test, counts as hanging
HANG, CRASH = "HANG", "CRASH"


class Engine(cells.Gpa):
    """`cells` in a folder with the stand-in modules."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="gpa-numpy-")
        for name in os.listdir(control.STAND_IN):
            if name.endswith((".py", ".gpa")):
                os.symlink(os.path.join(control.STAND_IN, name), os.path.join(self.folder.name, name))
        os.environ.update(GPA_MEMORY_LIMIT="4G", NO_COLOR="1", TMPDIR=self.folder.name)
        cells.PROGRAM = os.path.abspath(cells.PROGRAM)
        os.chdir(self.folder.name)  # where gpa finds modules
        self.trouble = ""  # of a process that did not end well
        signal.signal(signal.SIGALRM, lambda *_: self.process.kill())

    def within(self, seconds, source):
        """What evaluating it says, with the error HANG if it takes longer."""
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        result = self.run(source)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if result.error.startswith(CRASH) and time.monotonic() - start >= seconds:
            result.error = f"{HANG}: it takes more than {seconds} s"
        return result

    def begin(self, test):
        """A session that has the cases of a test: (number of each case in it, error)."""
        self.fresh()
        source = test["text"] + "for label in cases.labels():\n    print(repr(label))\n"
        result = self.within(CASE_SECONDS, source)
        if result.error:
            return {}, result.error
        labels = [ast.literal_eval(line) for line in result.out.splitlines() if line[:1] in "'\""]
        wanted = [label for label, _, _ in test["cases"]]
        if labels == wanted:
            return {i: i for i in range(len(labels))}, ""
        where = collections.defaultdict(list)
        for i, label in enumerate(labels):
            where[label].append(i)
        found = {i: where[label].pop(0) for i, label in enumerate(wanted) if where[label]}
        missed, left = [i for i in range(len(wanted)) if i not in found], sorted(i for rest in where.values() for i in rest)
        if len(missed) == len(left):  # The same cases, with other names: a class's, an object's.
            found.update(zip(missed, left))
        return found, ""

    def errors(self, test, numbers):
        """number: the error of each case that does not pass, and its report."""
        found, names, deadline = {}, None, time.monotonic() + TEST_SECONDS
        for i in numbers:
            if names is None:
                names, broken = self.begin(test)
            if broken or time.monotonic() > deadline:
                found[i] = [broken or f"{HANG}: the test takes more than {TEST_SECONDS} s", ""]
            elif i not in names:
                found[i] = ["no such case: its parameters are others", ""]
            else:
                result = self.within(CASE_SECONDS, f"cases.run({names[i]})\n")
                if result.error:
                    found[i] = [result.error, result.report]
                if not self.process:
                    names = None
        return found


def fatal(error):
    return error.startswith((HANG, CRASH))
