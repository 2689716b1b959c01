#!/usr/bin/env python3
"""Writes lang/text/unicode.def: ranges of code points with the classes that the lexer and the renderer need."""
import sys
import unicodedata


def classes(cp):
    c = chr(cp)
    found = ""
    if cp < 0x80:
        return found
    if c.isidentifier():
        found += "S"
    elif ("a" + c).isidentifier():
        found += "C"
    category = unicodedata.category(c)
    if category in ("Mn", "Me", "Cf") and cp != 0xAD:
        found += "Z"
    elif unicodedata.east_asian_width(c) in "WF":
        found += "W"
    if not c.isprintable() and category != "Cn":
        found += "N"
    return found


def main():
    out = ["/* Unicode %s, written by .make/unicode.py: RANGE(first, last, classes)." % unicodedata.unidata_version,
           " * S starts an identifier, C continues one, W two cells wide, Z no width of its own, N not",
           " * printable. */"]
    row, first, last = "", None, None
    open_class = ""
    rows = []
    for cp in range(0x80, 0x110001):
        now = classes(cp) if cp < 0x110000 else ""
        if now != open_class:
            if open_class:
                rows.append("RANGE(0x%x, 0x%x, %s)" % (first, cp - 1, " | ".join("U_" + k for k in open_class)))
            first, open_class = cp, now
    for r in rows:
        if len(row) + len(r) > 98:
            out.append(row)
            row = ""
        row += (" " if row else "") + r
    out.append(row)
    sys.stdout.write("\n".join(out) + "\n")


main()
