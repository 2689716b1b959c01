"""What a failure is about, by its words: failures with the same cause have the same text."""

import re


def cause(error):
    """The error without what differs from case to case."""
    line = error.split("\n")[0]
    kind, _, text = line.partition(": ")
    if kind == "DidNotWarn":
        return "no " + text.split(",")[0]
    if kind == "DidNotRaise":
        return f"no {text}"
    if kind == "AssertionError" and text.endswith(" not raised"):
        return "no " + text.removesuffix(" not raised")
    if kind == "DidNotMatch":
        return "other words of a message"
    if kind == "AssertionError":
        words = text.replace("\\n", " ").split("Mismatched")[0].strip()
        if not words or words.startswith(("Arrays are not", "Items are not", "Not equal")):
            return "another value"
        return re.sub(r"[\d.]+(e[+-]?\d+)?", "#", line)[:100]
    text = re.sub(r"could not convert string .*", "could not convert string", text)
    text = re.sub(r"'(numpy\.)?polynomial\.\w+\.\w+'", "'polynomial'", text)
    return f"{kind}: {re.sub(r'[0-9][0-9.]*', '#', text)}"[:100]
