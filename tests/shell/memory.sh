# Out of memory: the error message, and that the session continues.
. tests/checks.sh
gpa() { GPA_MEMORY_LIMIT=$1 timeout -k 5 60 "$GPA" --device "${3:-$(default)}" -c "$2" 2>&1; }
default() { if [ -e "$B/gpa-cpu.so" ]; then echo cpu; else echo ref; fi; }

program='a = np.ones(10 ** 6)
parts = [np.ones(10), np.ones(3 * 10 ** 5)]
table = {"left": np.ones(2 * 10 ** 5)}
float(a.sum() + parts[1].sum() + table["left"].sum())
def f():
    inside = np.arange(4e5) + 1
    float(inside.sum())
    return np.empty(10 ** 7)
try: f()
except MemoryError as e: print(e)
print(a[:3] + 1)'
for device in $(default) ref; do
    out=$(gpa 20M "$program" $device)
    contains "what was asked for ($device)"  "$out" 'Unable to allocate 76.3 MiB for an array with shape (10000000,) and data type float64'
    contains "what is in use ($device)"      "$out" "$device: "
    contains "the limit ($device)"           "$out" ', limit 20.0 MiB (GPA_MEMORY_LIMIT)'
    contains "the largest names ($device)"   "$out" "largest: a 7.63 MiB, inside 3.05 MiB, parts[1] 2.29 MiB"
    contains "the session goes on ($device)" "$out" '[2. 2. 2.]'
done
out=$(gpa 20M 'def inner(x):
    return np.fft.fft(x)
def outer():
    mine = np.ones(10 ** 6)
    float(mine.sum())
    return inner(mine)
small = np.ones(1000)
float(small[0])
outer()')
contains "names of all functions that run, not of built-in ones" "$out" \
    $'largest: x 7.63 MiB, small 7.81 KiB\n'
contains "a limit without sense" "$(gpa lots 'np.ones(3)[0]; print(np.empty(3).shape)')" "GPA_MEMORY_LIMIT: 'lots' is not an amount of memory"
contains "pending expressions give way" "$(gpa 30M '
a = np.ones(10 ** 6)
for i in range(20): b = a * 2 + i; c = np.empty(10 ** 6)
print(float(b[0]))')" 21.0
contains "a share of the memory" "$(gpa 0.01% 'print(np.empty(10 ** 8).shape)')" ", limit "
finish
