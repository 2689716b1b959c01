# Tracebacks across files: each frame with its own file, the innermost first.
. tests/checks.sh
workspace imports
program=$GPA
cd "$work" || exit 1
printf 'def ratio(a, b):\n    return a / b\n' > helper.gpa
printf 'import helper\n\ndef main():\n    return helper.ratio(1, 0)\n\nmain()\n' > main.gpa
printf 'x = 1\ny = x +\n' > broken.gpa
printf 'import broken\n' > breaks.gpa

equal "an error in an imported file" "$("$program" main.gpa 2>&1 > /dev/null)" 'ZeroDivisionError: division by zero
  File "helper.gpa", line 2, in ratio
    return a / b
             ^
  called from File "main.gpa", line 4, in main
    return helper.ratio(1, 0)
  called from File "main.gpa", line 6, in <module>
    main()'
equal "an imported file that does not parse" "$("$program" breaks.gpa 2>&1 > /dev/null)" 'SyntaxError: invalid syntax
  File "broken.gpa", line 2
    y = x +
           ^'
mkdir -p first second && echo 'folder = "second"' > second/found.py && echo 'import found; print(found.folder)' > finds.py
equal "a module in a folder of PYTHONPATH" "$(PYTHONPATH=$work/first:$work/second "$program" finds.py 2>&1)" second

mkdir -p tools/inner lib && printf 'from .x import one\nfrom . import y\n__all__ = ["one", "z"]\n' > tools/__init__.py
printf 'one = 1\nfrom .inner.w import deep\n' > tools/x.py && echo 'from .x import one as again' > tools/y.py
echo 'z = 3' > tools/z.py && echo 'from ..z import z as deep' > tools/inner/w.py && echo '' > tools/inner/__init__.py
echo 'v = 7' > lib/elsewhere.py
cat > packages.py << 'END'
import sys
import tools
print(tools.one, tools.y.again, tools.x.deep, tools.x.__name__, tools.inner.w.__name__)
from tools import *
print(one, z.z)
import tools.inner.w as w
print(w.deep, w is tools.inner.w)
def refused(name):
    try:
        if name == "nope": import tools.nope
        if name == "q": import tools.x.q
        if name == ".tools": from .tools import x
        if name == "elsewhere": import elsewhere
    except ImportError as e:
        print(type(e).__name__, e)
for name in ("nope", "q", ".tools", "elsewhere"): refused(name)
sys.path.append("lib")
import elsewhere
print(elsewhere.v)
END
equal "packages, relative imports, __all__ and sys.path" "$(GPA_PYTHON=none "$program" packages.py 2>&1)" \
    "$(python3 packages.py)"
finish
