"""Widgets in JupyterLab, in a browser: a slider redraws a plot, and keeps its value when the page is loaded again."""

import os
import sys

from client import main
from lab import Lab, missing

CELLS = [
    "import matplotlib.pyplot as plt\nfrom ipywidgets import interact\nx = np.linspace(0, 10, 400)\n\n"
    "@interact(frequency=(1, 20))\ndef show(frequency=3):\n    plt.figure(figsize=(5, 2))\n"
    "    plt.plot(x, np.sin(frequency * x))\n    print('frequency', frequency)",
    "from tqdm.notebook import tqdm\nfor i in tqdm(range(20)): pass",
    "import anywidget, traitlets\n\nclass Counter(anywidget.AnyWidget):\n"
    "    _esm = '''export default { render({model, el}) {\n"
    "        const b = document.createElement('button')\n        b.className = 'counter'\n"
    "        const show = () => { b.innerHTML = `count is ${model.get('count')}` }\n"
    "        b.onclick = () => { model.set('count', model.get('count') + 1); model.save_changes() }\n"
    "        model.on('change:count', show)\n        show()\n        el.appendChild(b) } }'''\n"
    "    count = traitlets.Int(0).tag(sync=True)\n\nc = Counter()\nc",
    "c.count",
]


def test_widgets():
    """JupyterLab shows interact's slider and plot, tqdm's bar and a widget with its own JavaScript; a page that is
    loaded again shows the slider with its value"""
    os.environ["GPA_PYTHON"] = sys.executable
    lab = Lab(CELLS)
    try:
        with sync_playwright() as p:
            lab.open(p)
            lab.choose("Run", "Run All Cells")
            lab.cell(2).locator("button.counter").click()
            lab.cell(1).locator("text=20/20").wait_for()
            lab.run(3)
            lab.says(3, "1")
            slider = lab.cell(0).locator(".noUi-handle")
            slider.focus()
            for _ in range(8):
                lab.page.keyboard.press("ArrowRight")
            lab.cell(0).locator("text=frequency 11").wait_for()
            lab.cell(0).locator(".jp-OutputArea img").wait_for()
            lab.picture("widgets")
            lab.choose("File", "Save Notebook")
            lab.page.wait_for_timeout(1000)
            lab.page.goto(lab.url + "/lab/tree/book.ipynb")
            lab.cell(0).locator(".widget-readout", has_text="11").wait_for()
            lab.picture("widgets-reloaded")
    finally:
        lab.close()


lacking = missing("ipywidgets", "anywidget", "matplotlib", "tqdm")
if lacking:
    print(lacking)
else:
    from playwright.sync_api import sync_playwright

    main(globals())
