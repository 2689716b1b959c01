"""Draw the picture of the README: python tests/prompt/picture.py CELLS OUT.svg types the cells
of a file (blank lines divide them) at gpa's prompt and draws the screen that comes of it, in its
colours."""

import sys
from html import escape

from terminal import Terminal

CELL, LINE, SIZE = 8.43, 18, 14  # pixels: a character of DejaVu Sans Mono at this size
ROWS, COLUMNS = 200, 120
GROUND, INK = "1b1f27", "d7dae0"
COLOURS = {
    "default": INK,
    "black": "4b5263",
    "red": "e06c75",
    "green": "98c379",
    "brown": "e5c07b",
    "blue": "61afef",
    "magenta": "c678dd",
    "cyan": "56b6c2",
    "white": "d7dae0",
    "brightblack": "7f848e",
    "brightred": "ff7b85",
    "brightgreen": "b5e890",
    "brightbrown": "ffd68a",
    "brightblue": "7cc4ff",
    "brightmagenta": "dd97f2",
    "brightcyan": "7fdbe6",
    "brightwhite": "ffffff",
}


def session(path):
    """The screen, as rows of cells, after all cells of the file."""
    t = Terminal(rows=ROWS, columns=COLUMNS, COLORTERM="truecolor", GPA_THEME="dark")
    t.wait(r"In \[1\]:")
    number = 1
    for cell in open(path).read().strip().split("\n\n"):
        lines = cell.split("\n")
        number += 1
        for line in lines:
            t.type(line.lstrip(), "\r")  # the prompt indents
            t.settle(0.2)
        if len(lines) > 1:
            t.type("\r")
        if not t.wait(rf"In \[{number}\]:$", 60):
            sys.exit(1)
    t.settle()
    end = t.screen.cursor.y
    rows = [[t.screen.buffer[y][x] for x in range(COLUMNS)] for y in range(end)]
    t.kill()
    return rows


def runs(row):
    """The parts of a row that look alike: (column, text, style)."""
    start = 0
    for x in range(1, len(row) + 1):
        if x == len(row) or row[x]._replace(data="") != row[start]._replace(data=""):
            yield start, "".join(c.data for c in row[start:x]), row[start]
            start = x


def svg(rows):
    while rows and not "".join(c.data for c in rows[-1]).strip():
        rows.pop()
    width = max(len("".join(c.data for c in row).rstrip()) for row in rows) * CELL + 48
    height = len(rows) * LINE + 64
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}"'
        f' font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}">'
    )
    yield f'<rect width="{width:.0f}" height="{height}" rx="10" fill="#{GROUND}"/>'
    for k, colour in enumerate(("e06c75", "e5c07b", "98c379")):
        yield f'<circle cx="{24 + 20 * k}" cy="22" r="6" fill="#{colour}"/>'
    for y, row in enumerate(rows):
        for x, text, style in runs(row):
            if not text.strip() and style.bg == "default":
                continue
            at, base = 24 + x * CELL, 54 + y * LINE
            if style.bg != "default":
                yield (
                    f'<rect x="{at:.1f}" y="{base - 14}" width="{len(text) * CELL:.1f}"'
                    f' height="{LINE}" fill="#{COLOURS.get(style.bg, style.bg)}"/>'
                )
            look = (
                f' fill="#{COLOURS.get(style.fg, style.fg)}"'
                + ' font-weight="bold"' * style.bold
                + ' font-style="italic"' * style.italics
            )
            yield (
                f'<text x="{at:.1f}" y="{base}"{look} textLength="{len(text) * CELL:.1f}"'
                f' xml:space="preserve">{escape(text)}</text>'
            )
    yield "</svg>"


if __name__ == "__main__":
    cells, out = sys.argv[1:]
    with open(out, "w") as f:
        f.write("\n".join(svg(session(cells))) + "\n")
