"""JupyterLab's debugger panel in a browser: a breakpoint in a cell, the variables and the call stack, continue. Runs
where test_lab.py does."""

from client import main
from lab import Lab, missing

CELL = """def g(x):
    y = np.ones((3, 4)) * x
    z = y.sum()
    return z * 2
def f(x):
    k = 5
    w = g(x + k)
    return w
f(1)"""


def test_panel():
    """A click beside a line stops there; the panel shows variables and callers; F9 continues"""
    lab = Lab([CELL])
    try:
        with sync_playwright() as p:
            lab.open(p)
            lab.page.locator(".jp-DebuggerBugButton").first.click()
            line = lab.cell(0).locator(".cm-breakpoint-gutter .cm-gutterElement").nth(4)
            line.click()
            lab.page.locator(".jp-DebuggerBreakpoint").first.wait_for()
            lab.run(0)
            frames = lab.page.locator(".jp-DebuggerCallstackFrame")
            frames.nth(2).wait_for()
            assert [t.split()[0] for t in frames.all_inner_texts()] == ["g", "f", "<module>"]
            shown = lab.page.locator(".jp-DebuggerVariables-body").first
            shown.locator("text=pending float64 (3, 4)").first.wait_for()
            lab.picture("debugger")
            lab.page.keyboard.press("F9")
            lab.says(0, "144.0")
    finally:
        lab.close()


if missing():
    print(missing())
else:
    from playwright.sync_api import sync_playwright

    main(globals())
