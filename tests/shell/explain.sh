# --explain for expressions that must be one step: launches and bytes; and the format of the report.
. tests/checks.sh
workspace explain
arrays='r = range(1200)
a = np.array(r, float).reshape(30, 40); b = np.array(r, float).reshape(30, 40); c = np.array(r, float).reshape(30, 40)
'
explain() { "$GPA" --explain -c "$1" 2>&1; }

# The last line of the plan of a statement: read and wrote.
while IFS='|' read -r name read wrote code; do
    equal "$name" "$(explain "$arrays$code" | tail -n 1)" "1 step, 1 launch, read $read, wrote $wrote"
done << 'END'
an activation|9.6 KB|9.6 KB|v = (a / 255) * 0.5; y = (np.exp(v) - np.exp(-v)) / (np.exp(v) + np.exp(-v)); del v
a sum of products|19.2 KB|8 B|s = (a * b).sum()
softmax of rows|9.6 KB|9.6 KB|e = np.exp(a - a.max(axis=1, keepdims=True)); y = e / e.sum(axis=1, keepdims=True); del e
a variance|9.6 KB|8 B|v = a.var()
a Laplace step|9.6 KB|8.51 KB|y = a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1] - 4 * a[1:-1, 1:-1]
a store of slices|27.1 KB|9.05 KB|a[1:, 1:] = a[1:, 1:] + b[1:, :-1] + c[1:, :-1]
an update of slices|18.1 KB|9.05 KB|a[1:, 1:] += c[1:, :-1]
two results at once|9.6 KB|19.2 KB|x = a * 2; y = a + 1
END
equal "nothing to compute" "$(explain "${arrays}x = 1" | tail -n 1)" ''

# The report of a step: template, why it is a step, what it computes with arrays and their views named, its costs.
equal "the report of a step" \
    "$(explain "${arrays}d = a[1:] - a[:-1]" | head -n 3 | sed 's/compiled in .*/compiled/')" \
    "step 1: linear, cut user (the end of a cell)
  array float64 (29,40) = a - a'
  1 launch, reads 9.6 KB, writes 9.28 KB, compiled"

# Loops of a module of the library that is loaded by the first use of its function launch nothing.
at_most "steps of a program without loops that end with an iteration" \
    "$(explain "x = np.cos(np.arange(300)); y = np.stack((x, x))" | grep -c 'cut loop')" 0

# A loop carried over arrays: programs are built once, whatever the trip count.
at_most "programs that a loop builds" "$(explain "${arrays}for i in range(10000):
    b = b + 0.02
    c = b + a" | grep -c 'compiled in')" 2

# Loop batching: several iterations in one launch.
explain "r = np.random.default_rng(7)
s = np.full(1000, 100.0)
for day in range(252):
    s = s * np.exp(0.0001 + 0.01 * r.standard_normal(1000))
print(float(s[0]) > 0)" > "$work/out"
at_most "launches of a loop of 252 iterations" "$(tail -n 1 "$work/out" | sed 's/.* \([0-9]*\) launches.*/\1/')" 24
contains "the report shows one of a batch's iterations" "$(cat "$work/out")" 'array float64 (1000,) = 16 iterations of a * exp('
finish
