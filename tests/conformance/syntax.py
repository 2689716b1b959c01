#!/usr/bin/env python3
"""Checks gpa's parser against CPython 3.12's compiler: which programs it accepts, and the type, line and words of the error.

    syntax.py BUILD                     the snippets of syntax.txt against CPython's answers, which are recorded there
    syntax.py BUILD --record            write those answers anew (under Python 3.12)
    syntax.py BUILD --corpus DIR...     every function of the Python files below DIR that is in gpa's language
    syntax.py BUILD --mutate N DIR...   N random mistakes in such functions, compared with this Python: a summary

In syntax.txt a snippet ends with a line `==> ok` or `==> TYPE LINE: WORDS`; `==> gpa: ...` is an
answer that is gpa's own, on purpose. Each snippet is tried as it stands and with a newline at
its end, which changes nothing."""

import ast
import os
import random
import subprocess
import sys
import tokenize
import io
import warnings

warnings.simplefilter("ignore")


class Parser:
    def __init__(self, path):
        self.process = subprocess.Popen([path, "-d"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, text):
        data = text.encode("utf-8", "surrogatepass")
        self.process.stdin.write(b"%d\n" % len(data) + data)
        self.process.stdin.flush()
        line = self.process.stdout.readline().decode("utf-8", "replace").rstrip("\n")
        if not line:
            raise SystemExit("the parser died on %r" % text)
        parts = line.split("\t", 3)
        return ("ok",) if parts == ["ok"] else (parts[0], int(parts[1]), int(parts[2]), parts[3])


def python(text):
    try:
        compile(text, "<string>", "exec", dont_inherit=True)
        return ("ok",)
    except SyntaxError as e:
        return (type(e).__name__, e.lineno or 0, e.offset or 0, e.msg)
    except (ValueError, RecursionError, MemoryError) as e:
        return (type(e).__name__, 0, 0, str(e))


def spoken(answer):
    return "ok" if answer[0] == "ok" else "%s %d: %s" % (answer[0], answer[1], answer[3])


FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "syntax.txt")


def snippets():
    with open(FILE, encoding="utf-8", newline="") as f:
        for block in f.read()[:-1].split("\n----\n"):
            text, _, wanted = block.rpartition("\n==> ")
            yield text, wanted


def run_snippets(parse):
    failures = 0
    for text, wanted in snippets():
        for variant in (text, text + "\n"):
            got = spoken(parse(variant))
            if got != wanted.replace("gpa: ", "", 1):
                failures += 1
                print("not ok - %r\n# gpa:  %s\n# want: %s" % (variant, got, wanted))
    if not failures:
        print("ok - %d snippets" % len(list(snippets())))
    return failures


def record():
    blocks = []
    for text, wanted in snippets():
        if not wanted.startswith("gpa: "):
            wanted = spoken(python(text))
            if spoken(python(text + "\n")) != wanted:
                print("a newline at the end matters: %r" % text)
        blocks.append(text + "\n==> " + wanted)
    with open(FILE, "w", encoding="utf-8", newline="") as f:
        f.write("\n----\n".join(blocks) + "\n")
    return 0


LEFT_OUT = (
    ast.ClassDef,
    ast.AsyncFunctionDef,
    ast.Await,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Match,
    getattr(ast, "TryStar", ast.Match),
    getattr(ast, "TypeAlias", ast.Match),
)


def in_language(node):
    for n in ast.walk(node):
        if (
            isinstance(n, LEFT_OUT)
            or (isinstance(n, ast.comprehension) and n.is_async)
            or getattr(n, "type_params", None)
        ):
            return False
        if isinstance(n, ast.Constant) and isinstance(n.value, int) and abs(n.value) >= 2**63:
            return False
    return True


def functions(folders):
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in sorted(names):
                if not name.endswith(".py"):
                    continue
                try:
                    with open(os.path.join(root, name), encoding="utf-8") as f:
                        text = f.read()
                    tree = ast.parse(text)
                except (SyntaxError, UnicodeDecodeError, ValueError, OSError):
                    continue
                lines = text.splitlines(keepends=True)
                for node in ast.walk(tree):
                    if isinstance(node, ast.FunctionDef) and in_language(node):
                        first = min([node.lineno] + [d.lineno for d in node.decorator_list])
                        body = "".join(lines[first - 1 : node.end_lineno])
                        yield "if 1:\n" + body if body[0] in " \t" else body


def run_corpus(parse, folders):
    failures = total = 0
    for text in functions(folders):
        if "\\N{" in text or python(text) != ("ok",):
            continue
        total += 1
        ours = parse(text)
        if ours != ("ok",):
            failures += 1
            if failures <= 20:
                print("not ok - %s\n%s" % (ours, text[:2000]))
    print("%d of %d functions accepted" % (total - failures, total))
    return failures


def tokens_of(text):
    try:
        return [
            t.string
            for t in tokenize.generate_tokens(io.StringIO(text).readline)
            if t.string.strip()
        ]
    except (tokenize.TokenError, IndentationError, SyntaxError):
        return []


def mutate(rng, text, pool):
    found = tokens_of(text)
    if not found:
        return text
    token = rng.choice(found)
    places = [i for i in range(len(text)) if text.startswith(token, i)]
    if not places:
        return text
    at = rng.choice(places)
    kind = rng.randrange(4)
    if kind == 0:
        return text[:at] + text[at + len(token) :]
    if kind == 1:
        return text[:at] + rng.choice(pool) + " " + text[at:]
    if kind == 2:
        return text[:at] + rng.choice(pool) + text[at + len(token) :]
    return text[:at] + token + " " + text[at:]


def run_mutations(parse, count, folders, seed=1):
    rng = random.Random(seed)
    bodies = [t for t in functions(folders) if len(t) < 600 and "\\N{" not in t]
    pool = tokens_of(
        " ".join(
            "( ) [ ] { } , : ; . = := == + - * ** / % @ | if else elif for in not and or is lambda"
            " def return while try except finally with as import from del global nonlocal pass"
            " break x f 1 2.5 'a' f'{x}' None".split()
        )
    )
    verdict = words = line = refused = 0
    shown = {}
    for _ in range(count):
        text = mutate(rng, rng.choice(bodies), pool)
        ours, theirs = parse(text), python(text)
        if "not part of gpa" in ours[-1] or ours[0] == "OverflowError":
            refused += 1
            continue
        if (ours[0] == "ok") != (theirs[0] == "ok"):
            verdict += 1
            print("VERDICT %s %s\n%s\n" % (ours, theirs, text))
        elif ours[0] != "ok" and (ours[0], ours[3]) != (theirs[0], theirs[3]):
            words += 1
            key = (ours[3][:40], theirs[3][:40])
            shown[key] = shown.get(key, 0) + 1
            if shown[key] <= 2:
                print("WORDS gpa %s\n      python %s\n%s\n" % (ours, theirs, text))
        elif ours[0] != "ok" and ours[1] != theirs[1]:
            line += 1
    for key, n in sorted(shown.items(), key=lambda item: -item[1])[:30]:
        print("%5d  gpa: %-42s python: %s" % (n, *key))
    print(
        "%d mutations: %d verdicts differ, %d words differ, %d lines differ, %d refused"
        % (count, verdict, words, line, refused)
    )
    return verdict


def main():
    if sys.argv[2:] == ["--record"]:
        return record()
    path = os.path.join(sys.argv[1], "tests/tools/parse_main")
    if not os.path.exists(path):
        print("skip - no program " + path)
        return 0
    parse = Parser(path)
    if len(sys.argv) > 3 and sys.argv[2] == "--corpus":
        return run_corpus(parse, sys.argv[3:])
    if len(sys.argv) > 4 and sys.argv[2] == "--mutate":
        return run_mutations(parse, int(sys.argv[3]), sys.argv[4:])
    return run_snippets(parse)


sys.exit(1 if main() else 0)
