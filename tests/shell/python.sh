# Which Python the bridge loads, and what it says where there is none: environments, versions, interpreters without a shared library.
. tests/checks.sh
workspace python
program=$GPA
cd "$work" || exit 1
answer() { GPA_PYTHON=$1 "$program" -c 'import fractions' 2>&1; }
# An interpreter that answers as one of this version; `shared` is 1 if it has a shared library.
interpreter() { printf '#!/bin/sh\necho %s\necho %s\necho %s\necho %s\necho libpython0.so\necho %s\n' "./$1" "$2" "$3" "$work" "$work" > "$1"; chmod +x "$1"; }

equal "no Python at all" "$(answer none)" "ModuleNotFoundError: No module named 'fractions'
  File \"<string>\", line 1
    import fractions
           ^~~~~~~~~"
contains "a file that is no Python" "$(answer ./missing)" "no Python: ./missing is no Python 3; GPA_PYTHON names another"
interpreter old 3.7.16 1
contains "an old Python" "$(answer ./old)" "hint: no Python: ./old is Python 3.7.16, and gpa needs 3.8; GPA"
interpreter static 3.99.0 0
contains "a Python that is linked statically" "$(answer ./static)" "./static has no shared library:"
contains "what to install then" "$(answer ./static)" "apt install libpython3.99"
equal "gpa's own modules without Python" "$(GPA_PYTHON=none "$program" -c 'import math, json; print(json.dumps([math.pi]))')" '[3.141592653589793]'

cat > use.gpa << 'END'
import fractions, logging
import python.builtins as py
class Keep(logging.Handler):
    def emit(self, record): print(record.getMessage())
log = logging.getLogger("test")
log.handlers, log.propagate = [Keep()], False
log.warning("from %s", "Python")
try:
    fractions.Fraction(1, 0)
except ZeroDivisionError as e:
    print(e)
a = np.arange(3.0)
print(py.len(a), py.sum(a), py.list(py.map(lambda x: x * 2, [1, 2])), py.eval("lambda a: a[1:] * 2")(a))
END
for version in 3.8 3.9 3.10 3.11 3.12 3.13 3.14; do
    found=$(command -v python$version) && "$found" -c '' 2> /dev/null || { echo "skip - Python $version is not installed"; continue; }
    case $(answer "$found") in *"no shared library"*) echo "skip - Python $version has no shared library"; continue ;; esac
    equal "Python $version" "$(GPA_PYTHON=$found "$program" use.gpa 2>&1)" 'from Python
Fraction(1, 0)
3 3.0 [2, 4] [2. 4.]'
done

cat > buffers.gpa << 'END'
import array
import python.sys
python.sys.modules["numpy"] = None
b = bytearray(b"abcd")
a = np.frombuffer(b, np.uint8)
a[0] = 120
print(b, np.asarray(memoryview(b"abc")), np.asarray(bytearray()).shape, np.asarray(memoryview(array.array("d", [1, 2.5])))[1])
print(np.asarray(memoryview(array.array("h", range(6)))[::2]), np.asarray(memoryview(bytearray(12)).cast("i", (3, 1))).shape)
print(np.asarray(memoryview(bytearray(9))[1:].cast("d")), np.asarray(memoryview(b"abc")).flags.writeable)
END
found=$(command -v python3)
case $(said "$found") in
    *"no Python"*) echo "skip - python3 has no shared library" ;;
    *) equal "buffers of a Python without NumPy" "$(GPA_PYTHON=$found "$program" buffers.gpa 2>&1)" "bytearray(b'xbcd') [97 98 99] (0,) 2.5
[0 2 4] (3, 1)
[0.] False" ;;
esac
