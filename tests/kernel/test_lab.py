"""JupyterLab in a browser: cells, plots, interrupts and restarts. Runs where JupyterLab, Playwright and Chromium
are: pip install -r tests/kernel/lab.txt, apt install chromium."""

from client import main
from lab import Lab, missing

CELLS = [
    (
        "import matplotlib.pyplot as plt\nx = np.linspace(0, 10, 400)\nplt.plot(x, np.sin(x),"
        " label='sin')\nplt.legend();"
    ),
    "table(np.arange(12.0).reshape(4, 3) / 7, columns=['a', 'b', 'c'])",
    "kept = 6 * 7\nkept",
    "while True: pass",
    "kept + 1",
]


def test_lab():
    """JupyterLab runs all cells, shows plot and table, interrupts a cell and keeps its names,
    restarts and forgets them"""
    lab = Lab(CELLS)
    try:
        with sync_playwright() as p:
            lab.open(p)
            lab.choose("Run", "Run All Cells")
            lab.says(2, "42")
            picture = lab.cell(0).locator(".jp-OutputArea-output img")
            picture.wait_for()
            assert min(picture.evaluate("i => [i.naturalWidth, i.naturalHeight]")) > 300
            assert [h.strip() for h in lab.cell(1).locator("table th").all_inner_texts()][1:4] == [
                "a",
                "b",
                "c",
            ]
            lab.page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=busy]")
            lab.choose("Kernel", "Interrupt Kernel")
            lab.says(3, "KeyboardInterrupt")
            lab.idle()
            lab.picture("ran")
            lab.run(4)
            lab.says(4, "43")
            lab.choose("Kernel", "Restart Kernel")
            lab.page.click(".jp-Dialog button.jp-mod-accept:has-text('Restart')")
            lab.idle()
            lab.run(4)
            lab.says(4, "NameError")
            lab.run(2)
            lab.says(2, "42")
            lab.picture("restarted")
    finally:
        lab.close()


if missing():
    print(missing())
else:
    from playwright.sync_api import sync_playwright

    main(globals())
