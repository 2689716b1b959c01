"""A class on one GPU: python tests/bench/classroom.py GPA PARTICIPANTS LIMIT

Starts so many sessions of gpa at once, each with GPA_MEMORY_LIMIT=LIMIT; each runs the solved notebooks of the course one after
the other. Prints for each notebook how many sessions failed and what they took, and at the end the most GPU memory that was in use at once."""

import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

COURSE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../examples/workshop")


def program():
    """All code cells of all notebooks; lines between them tell the time."""
    lines = ["import time", "since = time.time()"]
    for path in sorted(glob.glob(COURSE + "/*.ipynb")):
        with open(path, encoding="utf-8") as f:
            book = json.load(f)
        for cell in book["cells"]:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and not source.startswith("%%"):
                lines.append(source)
        name = os.path.basename(path)
        lines.append(f'print("\\nDONE {name}", time.time() - since)\nsince = time.time()')
    return "\n".join(lines) + "\n"


def used():
    """MB in use on the first GPU, or 0."""
    try:
        output = subprocess.run(
            ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader,nounits"], capture_output=True, text=True
        )
        return int(output.stdout.split()[0])
    except (OSError, IndexError, ValueError):
        return 0


def main():
    gpa, participants, limit = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    with tempfile.NamedTemporaryFile("w", suffix=".gpa", dir=COURSE, encoding="utf-8") as f:
        f.write(program())
        f.flush()
        environment = dict(os.environ, GPA_MEMORY_LIMIT=limit, GPA_PYTHON="none")
        before, since = used(), time.time()
        running = [
            subprocess.Popen([gpa, f.name], cwd=COURSE, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for _ in range(participants)
        ]
        texts, most = [""] * participants, [0]
        readers = [threading.Thread(target=lambda k=k: texts.__setitem__(k, running[k].stdout.read())) for k in range(participants)]
        for reader in readers:
            reader.start()
        while any(reader.is_alive() for reader in readers):
            most[0] = max(most[0], used())
            time.sleep(0.5)
        failed = [k for k in range(participants) if running[k].wait() != 0]
    times = {}
    for text in texts:
        for name, seconds in re.findall(r"^DONE (\S+) ([\d.]+)", text, flags=re.M):
            times.setdefault(name, []).append(float(seconds))
    for name, seconds in times.items():
        print(f"{name:36} {len(seconds):3} of {participants}: median {statistics.median(seconds):6.1f} s, longest {max(seconds):6.1f} s")
    print(f"{len(failed)} failed; {time.time() - since:.1f} s in all; GPU memory {before} MB before, {most[0]} MB at most")
    for k in failed[:3]:
        print(texts[k][-600:])


main()
