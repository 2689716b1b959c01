"""Shrinks a program that fails: delta debugging on statements, then on expressions, as long as it fails in the same way."""

import ast
import re
import time

from grammar import INEXACT

# Calls that are exact inside near() and settle() only: `.sum`, `np.exp`, `add.reduceat`.
ROUNDED = {
    row[: row.index("(")].replace("np.", "").rpartition("}")[2].lstrip(".") or "sum"
    for row in INEXACT.strip().split("\n")
    if re.match(r"(np\.|\{x\}\.)", row)
} - {"abs"}


JUDGED = ("near", "settle", "show", "plain")


def of_judge(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in JUDGED


def unjudged(tree):
    """How many expressions that may round stand where no tolerance is stated."""
    count = 0
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            if of_judge(node) and node.func.id in ("near", "settle"):
                continue
            text = ast.unparse(node.func)
            count += isinstance(node.func, ast.Attribute) and any(text.endswith("." + name) for name in ROUNDED)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.MatMult, ast.Pow)):
            count += not isinstance(node.left, ast.Constant)
        count += unjudged(node)
    return count


def blocks(tree):
    """The lists of statements, inner ones last."""
    for node in ast.walk(tree):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                yield block


def without(tree, fails):
    """Drops runs of statements, half of a block at first; takes the body of a block in its place."""
    for block in blocks(tree):
        size = max(len(block) // 2, 1)
        while size:
            at = len(block) - size
            while at >= 0:
                part = block[at : at + size]
                block[at : at + size] = []
                if not block and block is not tree.body or not fails(tree):
                    block[at:at] = part
                at -= size
            size //= 2
        for at, node in reversed(list(enumerate(block))):
            body = getattr(node, "body", None)
            if isinstance(body, list) and not isinstance(node, ast.FunctionDef):
                block[at : at + 1] = body
                if not fails(tree):
                    block[at : at + len(body)] = [node]


def is_name_of_numpy(node):
    return isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node).partition(".")[0] == "np"


def simpler(node):
    """Expressions that may stand for an expression: its parts, and small numbers."""
    if isinstance(node, ast.Constant):
        if type(node.value) is int and abs(node.value) > 1:
            return [ast.Constant(value) for value in (1, 2, node.value // 2)]
        if type(node.value) in (float, complex):
            return [ast.Constant(1)]
        return []
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1:
        half = len(node.elts) // 2
        return [type(node)(part, ast.Load()) for part in (node.elts[:half], node.elts[half:], node.elts[:1])]
    parts = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.Call):  # a function is no value of a program
        parts = [getattr(node.func, "value", None), *node.args]
    return [part for part in parts if isinstance(part, ast.expr) and not isinstance(part, (ast.Slice, ast.Starred)) and not is_name_of_numpy(part)]


def simplify(tree, fails):
    """Replaces expressions by simpler ones; drops arguments of calls. The bounds of near() and settle() stay."""
    fixed = {part for node in ast.walk(tree) if of_judge(node) for bound in node.args[1:] for part in ast.walk(bound)}
    for node in [node for node in ast.walk(tree) if node not in fixed]:
        for field, value in ast.iter_fields(node):
            for at, part in enumerate(value if isinstance(value, list) else [value]):
                if not isinstance(part, ast.expr) or isinstance(getattr(part, "ctx", None), (ast.Store, ast.Del)):
                    continue
                if part in fixed or of_judge(part):
                    continue

                def put(new):
                    if isinstance(value, list):
                        value[at] = new
                    else:
                        setattr(node, field, new)

                for new in simpler(part):
                    put(new)
                    if fails(tree):
                        break
                    put(part)
        if isinstance(node, ast.Call) and not of_judge(node):
            for parts in (node.args, node.keywords):
                for at in reversed(range(len(parts))):
                    part = parts.pop(at)
                    if not fails(tree):
                        parts.insert(at, part)


def shrink(text, fails, seconds):
    """The smallest program found in that time for which `fails(text)` holds."""
    end, best, tried = time.monotonic() + seconds, text, {}
    allowed = unjudged(ast.parse(text))  # exact ones, as a running sum of booleans

    def still(tree):
        nonlocal best
        if time.monotonic() > end:
            return False
        try:
            now = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        except Exception:  # not a program
            return False
        if now not in tried:
            tried[now] = unjudged(tree) <= allowed and fails(now)
        if tried[now]:
            best = now
        return tried[now]

    before = None
    while before != best and time.monotonic() < end:
        before = best
        tree = ast.parse(best)
        without(tree, still)
        simplify(tree, still)
    return best
