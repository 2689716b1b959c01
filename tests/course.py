"""A notebook of the course, as handed out and solved: python tests/course.py examples/workshop/NAME.ipynb

Every exercise is followed by its check and its solution, a folded cell. As handed out, no cell fails and each check answers "Not
yet: ..."; after the solution, it answers "Right. ...". Notebooks are stored without outputs."""

import json
import os
import sys

from cells import Gpa, show
import cells


def tags(cell):
    return [t for t in cell["metadata"].get("tags", []) if t in ("exercise", "check", "solution")]


def complaint_about_form(book):
    """What is wrong with a notebook's form, or None."""
    kinds = [(tags(c) or ["text" if c["cell_type"] == "markdown" else "code"])[0] for c in book["cells"]]
    for k, kind in enumerate(kinds):
        if kind == "exercise" and kinds[k + 1:k + 3] != ["check", "solution"]:
            return f"the exercise in cell {k} is not followed by a check and a solution"
    if kinds.count("exercise") < 2 or any(kinds.count(kind) != kinds.count("exercise") for kind in ("check", "solution")):
        return "it has fewer than two exercises, or a check or a solution without one"
    for c in book["cells"]:
        if c.get("outputs") or c.get("execution_count"):
            return "outputs are stored"
        if "solution" in tags(c) and not c["metadata"].get("jupyter", {}).get("source_hidden"):
            return "a solution is not folded"
    return None


class Reader:
    """Runs cells and notes what went wrong."""

    def __init__(self):
        self.engine, self.good = Gpa(), True

    def tell(self, good, name, result=None):
        self.good &= good
        print("ok" if good else "not ok", "-", name)
        if not good and result:
            show("it printed:", result.out + result.report)

    def run(self, cell, name, begins=None):
        """Runs a cell, which must not fail and, if `begins`, print a line that begins so."""
        source = "".join(cell["source"])
        result = self.engine.run(source)
        good = not result.error and (begins is None or any(line.startswith(begins) for line in result.out.split("\n")))
        if not good:
            show("the cell:", source)
        if not good or begins:
            self.tell(good, name, result)
        return good


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as f:
        book = json.load(f)
    reader, name = Reader(), os.path.basename(path)
    complaint = complaint_about_form(book)
    reader.tell(not complaint, f"{name}: exercises, checks and solutions{': ' + complaint if complaint else ''}")
    cells.PROGRAM = os.path.abspath(cells.PROGRAM)
    os.chdir(os.path.dirname(path))
    reader.engine.fresh()
    check = None
    for k, cell in enumerate(book["cells"]):
        if cell["cell_type"] == "markdown":
            continue
        if tags(cell) == ["check"]:
            check = cell
            reader.run(cell, f"{name}, cell {k}: as handed out", "Not yet: ")
        elif reader.run(cell, f"{name}, cell {k}") and tags(cell) == ["solution"]:
            reader.run(check, f"{name}, cell {k}: solved", "Right. ")
    reader.tell(True, f"{name}: all cells ran")
    sys.exit(not (reader.engine.ended_well() and reader.good))


main()
