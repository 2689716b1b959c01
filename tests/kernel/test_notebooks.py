"""The example notebooks run from top to bottom, as a user runs them: by Jupyter, through an
installed kernelspec."""

import glob
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile

from client import PROGRAM, main

MINUTES = 20


def run(notebook, folder):
    """The cells of a notebook after all were run in a folder of their own."""
    env = {**os.environ, "JUPYTER_DATA_DIR": folder}
    subprocess.run([PROGRAM, "install", "--user"], check=True, capture_output=True, env=env)
    p = subprocess.run(
        [
            sys.executable,
            "-m",
            "jupyter",
            "nbconvert",
            "--to",
            "notebook",
            "--execute",
            "--allow-errors",
            "--output-dir",
            folder,
            notebook,
        ],
        capture_output=True,
        text=True,
        timeout=60 * MINUTES,
        env=env,
    )
    assert p.returncode == 0, p.stderr[-2000:]
    with open(os.path.join(folder, os.path.basename(notebook))) as f:
        return json.load(f)["cells"]


def outputs(cells, kind):
    return [o for c in cells for o in c.get("outputs", ()) if o["output_type"] == kind]


def no_errors(cells):
    for c in cells:
        for e in outputs([c], "error"):
            raise AssertionError(
                f"{e['ename']}: {e['evalue']}, in the cell\n{''.join(c['source'])}"
            )
    numbers = [c["execution_count"] for c in cells if c["cell_type"] == "code"]
    assert numbers == list(range(1, len(numbers) + 1)), numbers


def has_all(cells):
    """What the notebook on ufuncs shows: a timing under each %timeit, a picture under each plot,
    the same numbers in all ways."""
    for c in cells:
        source = "".join(c["source"])
        if c["cell_type"] != "code":
            continue
        printed = "".join("".join(o["text"]) for o in outputs([c], "stream"))
        assert printed.count("per loop (mean ± std. dev.") == source.count("%timeit "), (source, printed)
        pictures = [
            o["data"]["image/png"] for o in outputs([c], "display_data") if "image/png" in o["data"]
        ]
        assert len(pictures) == ("plt.hist(" in source or "plt.scatter(" in source), source
        if source.startswith("np.allclose("):
            assert "".join(outputs([c], "execute_result")[0]["data"]["text/plain"]) == "True"
    assert sum("plt." in "".join(c["source"]) for c in cells) >= 6


def test_jupyter_run():
    """`jupyter run` runs a program: it passes the kernel a further argument"""
    with tempfile.TemporaryDirectory() as d:
        env = {**os.environ, "JUPYTER_DATA_DIR": d}
        subprocess.run([PROGRAM, "install", "--user"], check=True, capture_output=True, env=env)
        with open(d + "/program.gpa", "w") as f:
            f.write("print(6 * 7)\nnp.arange(3)")
        command = [sys.executable, "-m", "jupyter", "run", "--kernel", "gpa", f.name]
        p = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES, env=env)
        assert p.stdout == "42\narray([0, 1, 2])", p


for notebook in sorted(glob.glob("examples/*.ipynb") + glob.glob("examples/workshop/*.ipynb")):

    def test(notebook=notebook):
        with tempfile.TemporaryDirectory() as folder:
            cells = run(notebook, folder)
            no_errors(cells)
            if os.path.basename(notebook) == "ufuncs_and_device_arrays.ipynb":
                has_all(cells)

    test.__doc__ = f"{notebook} runs from top to bottom"
    globals()["test_" + os.path.basename(notebook)] = test

if importlib.util.find_spec("nbconvert") is None:
    print("skip - no nbconvert to run notebooks with")
elif shutil.which("gnuplot") is None:
    print("skip - no gnuplot for the notebooks' pictures")
else:
    main(dict(globals()))
