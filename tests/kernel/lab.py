"""JupyterLab in a browser, as a user drives it: a server with one notebook, and its page. What the browser shows
goes to the job's folder, as lab-*.png."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from client import HERE, PROGRAM, WAIT, free_ports

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
PICTURES = os.environ.get("OUT", tempfile.gettempdir())


def missing(*modules):
    """What a test in the browser lacks here, as a line that skips it, or ""."""
    lacking = [m for m in ("jupyterlab", "playwright", *modules) if importlib.util.find_spec(m) is None]
    lacking += [] if CHROMIUM else ["chromium"]
    return (
        f"skip - no {', '.join(lacking)} (pip install -r tests/kernel/lab.txt, apt install chromium)"
        if lacking
        else ""
    )


class Lab:
    """A server with one notebook, and the notebook's page."""

    def __init__(self, cells):
        self.folder = tempfile.mkdtemp(prefix="gpa-lab-")
        env = {
            **os.environ,
            "HOME": self.folder,
            **{f"JUPYTER_{k}_DIR": f"{self.folder}/{k}" for k in ("DATA", "CONFIG", "RUNTIME")},
        }
        subprocess.run([PROGRAM, "install", "--user"], check=True, capture_output=True, env=env)
        os.mkdir(self.folder + "/books")
        code = [
            {
                "cell_type": "code",
                "id": f"cell-{i}",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": c,
            }
            for i, c in enumerate(cells)
        ]
        about = {"kernelspec": {"name": "gpa", "display_name": "gpa", "language": "python"}}
        with open(self.folder + "/books/book.ipynb", "w") as f:
            json.dump({"cells": code, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, f)
        self.url = f"http://{HERE}:{free_ports(1)[0]}"
        self.log = open(self.folder + "/log", "w")
        self.server = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "jupyter",
                "lab",
                "--no-browser",
                "--allow-root",
                "--ip=" + HERE,
                "--IdentityProvider.token=",
                f"--port={self.url.rpartition(':')[2]}",
                f"--ServerApp.root_dir={self.folder}/books",
            ],
            env=env,
            stdout=self.log,
            stderr=self.log,
        )

    def until_ready(self):
        end = time.time() + 3 * WAIT
        while time.time() < end and self.server.poll() is None:
            try:
                return urllib.request.urlopen(self.url + "/api").read()
            except OSError:
                time.sleep(0.1)
        with open(self.folder + "/log") as log:
            raise AssertionError("JupyterLab does not start: " + log.read()[-1000:])

    def open(self, playwright):
        self.until_ready()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        self.page = browser.new_page(viewport={"width": 1200, "height": 1300})
        self.page.set_default_timeout(2 * WAIT * 1000)
        self.page.goto(self.url + "/lab/tree/book.ipynb?reset")
        self.page.locator(".jp-NotebookPanel .jp-Toolbar-kernelName", has_text="gpa").wait_for()
        self.idle()
        self.cell(0).locator(".jp-InputPrompt").first.click()

    def idle(self):
        self.page.wait_for_selector(
            ".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]"
        )

    def choose(self, menu, entry):
        self.page.click(f".lm-MenuBar-item:has-text('{menu}')")
        self.page.click(f".lm-Menu-item:has-text('{entry}') >> nth=0")

    def cell(self, n):
        return self.page.locator(".jp-NotebookPanel .jp-CodeCell").nth(n)

    def run(self, n):
        self.cell(n).locator(".jp-InputArea-editor").click()
        self.page.keyboard.press("Control+Enter")

    def says(self, n, text):
        try:
            self.cell(n).locator(".jp-OutputArea-output", has_text=text).first.wait_for()
        except Exception:
            self.picture("failed")
            raise

    def picture(self, name):
        self.page.screenshot(path=f"{PICTURES}/lab-{name}.png")

    def close(self):
        self.server.terminate()
        self.server.wait(WAIT)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)
