"""Client of build/MODE/tests/tools/cells: evaluate cells in gpa sessions, many in one process."""

import ast
import contextlib
import importlib.util
import io
import os
import re
import resource
import shutil
import subprocess
import traceback

BUILD = os.environ.get("B", "build/release")
PROGRAM = os.path.join(BUILD, "tests/tools/cells")
os.environ.setdefault("GPA_PLUGIN_DIR", os.path.abspath(BUILD))  # tests/run sets it; so that one file can be run alone


class Result:
    """What one evaluation did: its output (the displayed value included), and its error."""

    def __init__(self, out="", error="", report=""):
        self.out, self.error, self.report = out, error, report


class Gpa:
    """A running `cells`, on a device of its own if one is named. A crash or a timeout becomes the error of the evaluation,
    and the next one starts afresh."""

    def __init__(self, device=None):
        self.process, self.device = None, device

    def start(self):
        environment = dict(os.environ, GPA_DEVICE=self.device) if self.device else None
        self.process = subprocess.Popen(
            [PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )

    def close(self):
        """Ends the process; returns its stderr if it failed."""
        if not self.process:
            return ""
        _, err = self.process.communicate()
        status, self.process = self.process.returncode, None
        return "" if status == 0 else f"status {status}\n{err.decode(errors='replace')}"

    def ended_well(self):
        """Ends the process; reports a failed test if it ended badly."""
        trouble = self.close()
        if trouble:
            print("not ok - the process ended badly")
            show("stderr:", trouble)
        return not trouble

    def fresh(self):
        """Begins a new session."""
        self.send("new", "")

    def run(self, source):
        return self.send("run", source)

    def send(self, verb, text):
        if not self.process:
            self.start()
        data = text.encode()
        result = Result()
        try:
            self.process.stdin.write(f"{verb} {len(data)}\n".encode() + data)
            self.process.stdin.flush()
            while True:
                head = self.process.stdout.readline().decode().split()
                if not head:
                    raise BrokenPipeError
                body = self.process.stdout.read(int(head[1])).decode(errors="replace")
                if head[0] == "done":
                    return result
                if head[0] == "out":
                    result.out += body
                elif head[0] == "error":
                    result.error = body
                elif head[0] == "report":
                    result.report += body
        except BrokenPipeError:
            result.error = "CRASH: " + self.close()
            return result


class Python:
    """The same for CPython itself: the oracle. `ended_at`: the line whose error ended what ran last; None. What would need more
    than 256 GiB of memory is a MemoryError there also where the system grants any amount (vm.overcommit_memory=1)."""

    def __init__(self):
        self.fresh()

    def fresh(self):
        self.names, self.ended_at = {"__name__": "__main__"}, None

    def run(self, source):
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (min([2**38] + [v for v in (soft, hard) if v >= 0]), hard))
        try:
            return self.run_unlimited(source)
        finally:
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def run_unlimited(self, source):
        out, result = io.StringIO(), Result()
        with contextlib.redirect_stdout(out):
            try:
                tree = ast.parse(source)
                last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
                exec(compile(tree, "<cell>", "exec"), self.names)
                if last:
                    value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.names)
                    if value is not None:
                        print(repr(value))
            except BaseException as e:
                text = e.msg if isinstance(e, SyntaxError) else str(e)
                result.error = type(e).__name__ + (": " + text if text else "")
                self.ended_at = next(
                    (f.lineno for f in traceback.extract_tb(e.__traceback__) if f.filename == "<cell>"), None
                )
        result.out = out.getvalue()
        return result


def elsewhere(name):
    """Why a test is not for the device in use or for this machine: NAME (not on DEVICE: REASON), NAME (needs PROGRAM), NAME (module
    OF_PYTHON); else None."""
    module = re.search(r"\(module (\w+)\)", name)
    if module and not importlib.util.find_spec(module[1]):
        return "Python has no module " + module[1]
    needed = re.search(r"\(needs (\w+)\)", name)
    if needed and not shutil.which(needed[1]):
        return needed[1] + " is not installed"
    told = re.search(r"\(not on (\w+): (.*)\)", name)
    return (
        told[2] if told and any(os.environ.get(v, "").startswith(told[1]) for v in ("GPA_DEVICE", "EMULATED")) else None
    )


def which(part):
    """The tests that a part takes, as a slice: "1/4" is every fourth, from the second on."""
    first, step = part.split("/")
    return slice(int(first), None, int(step))


def sections(path):
    """The parts of a file: the lines before the first `# --- NAME`, which every part starts with, and for each of those
    lines (name, number of the first line after it, lines)."""
    prologue, found = [], []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f.read().split("\n"), 1):
            if line.startswith("# ---"):
                found.append((line[5:].strip() or f"line {number}", number + 1, []))
            else:
                (found[-1][2] if found else prologue).append(line)
    return prologue, found


def show(title, text):
    """Prints a block of text as detail lines of a failed test."""
    print("# " + title)
    for line in text.split("\n"):
        print("#   " + line)
