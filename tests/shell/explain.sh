# What --explain says of the expressions that must be one step: launches and bytes, and the report itself.
bad=0
arrays='r = range(1200); a = np.array(r, float).reshape(30, 40); b = np.array(r, float).reshape(30, 40); c = np.array(r, float).reshape(30, 40)
'

# plan NAME SUMMARY CODE: the last line of the plan.
plan() {
    got=$("$GPA" --explain -c "$arrays$3" 2>&1 | tail -n 1)
    if [ "$got" = "$2" ]; then echo "ok - $1"; else echo "not ok - $1"; printf '# %s\n' "expected: $2" "got: $got"; bad=1; fi
}

plan "an activation"        '1 step, 1 launch, read 9.6 KB, wrote 9.6 KB' 'v = (a / 255) * 0.5; y = (np.exp(v) - np.exp(-v)) / (np.exp(v) + np.exp(-v)); del v'
plan "a sum of products"    '1 step, 1 launch, read 19.2 KB, wrote 8 B' 's = (a * b).sum()'
plan "softmax of rows"      '1 step, 1 launch, read 9.6 KB, wrote 9.6 KB' 'e = np.exp(a - a.max(axis=1, keepdims=True)); y = e / e.sum(axis=1, keepdims=True); del e'
plan "a variance"           '1 step, 1 launch, read 9.6 KB, wrote 8 B' 'v = a.var()'
plan "a Laplace step"       '1 step, 1 launch, read 9.6 KB, wrote 8.51 KB' 'y = a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1] - 4 * a[1:-1, 1:-1]'
plan "a store of slices"    '1 step, 1 launch, read 27.1 KB, wrote 9.05 KB' 'a[1:, 1:] = a[1:, 1:] + b[1:, :-1] + c[1:, :-1]'
plan "an update of slices"  '1 step, 1 launch, read 18.1 KB, wrote 9.05 KB' 'a[1:, 1:] += c[1:, :-1]'
plan "two results at once"  '1 step, 1 launch, read 9.6 KB, wrote 19.2 KB' 'x = a * 2; y = a + 1'
plan "nothing to compute"   '' 'x = 1'

# The report of a step: template, why it is a step, what it computes with arrays and their views named, its costs.
want="step 1: linear, cut user (the end of a cell)
  array float64 (29,40) = a - a'
  1 launch, reads 9.6 KB, writes 9.28 KB, compiled"
got=$("$GPA" --explain -c "${arrays}d = a[1:] - a[:-1]" 2>&1 | head -n 3 | sed 's/compiled in .*/compiled/')
if [ "$got" = "$want" ]; then echo "ok - the report of a step"
else echo "not ok - the report of a step"; diff <(echo "$want") <(echo "$got") | sed 's/^/# /'; bad=1; fi

# A loop carried over arrays: programs are built once, however many trips.
got=$("$GPA" --explain -c "${arrays}for i in range(10000):
    b = b + 0.02
    c = b + a" 2>&1 | grep -c 'compiled in')
if [ "$got" -le 2 ]; then echo "ok - a loop builds at most two programs"; else echo "not ok - a loop built $got programs"; bad=1; fi

# Trips that are alike are launched several at a time.
got=$("$GPA" --explain -c "r = np.random.default_rng(7)
s = np.full(1000, 100.0)
for day in range(252):
    s = s * np.exp(0.0001 + 0.01 * r.standard_normal(1000))
print(float(s[0]) > 0)" 2>&1)
launches=$(printf '%s' "$got" | tail -n 1 | sed 's/.* \([0-9]*\) launches.*/\1/')
if [ "$launches" -le 24 ]; then echo "ok - a loop of 252 trips is launched $launches times"; else echo "not ok - a loop of 252 trips is launched $launches times"; bad=1; fi
case $got in
    *"array float64 (1000,) = 16 trips of a * exp("*) echo "ok - a rolled loop shows one of its trips" ;;
    *) echo "not ok - a rolled loop shows one of its trips"; bad=1 ;;
esac
exit $bad
