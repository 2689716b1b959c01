#!/bin/sh
# .make/docs.sh BUILD FOLDER [run]: writes the documentation as a static site and fails if a link in it is dead. With `run`, the
# notebooks run first, for their outputs, where build/venv has Jupyter's nbconvert.
set -e
cd "$(dirname "$0")/.."
build=$1 site=$2
rm -rf "$site" && mkdir -p "$site"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"$build/gpa" -c '%magic' > "$work/magics"
ran=
if [ "$3" ] && [ -x "$build/gpa-kernel" ] && build/venv/bin/python -c 'import nbconvert' 2> /dev/null; then
    ran=$work/notebooks
    export JUPYTER_DATA_DIR="$work/data"
    "$build/gpa-kernel" install --user > "$work/log"
    for notebook in examples/*.ipynb examples/workshop/*.ipynb; do
        [ ! -e "$notebook" ] || build/venv/bin/python -m jupyter nbconvert --to notebook --execute --output-dir "$ran" "$notebook" \
            > "$work/log" 2>&1 || { tail -20 "$work/log"; exit 1; }
    done
    # ASCII, in which gpa finds the k-th character at once.
    for notebook in "$ran"/*.ipynb; do python3 -m json.tool "$notebook" "$notebook.ascii" && mv "$notebook.ascii" "$notebook"; done
fi
"$build/gpa" .make/docs/docs.gpa "$site" "$work/magics" $ran
python3 .make/docs/links.py "$site"
