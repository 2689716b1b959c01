# Results do not depend on the number of threads: random numbers of every kind, sums, running sums, sorts, products.
. tests/checks.sh
[ -e "$B/gpa-cpu.so" ] || skip "no CPU device"
workspace threads
cat > "$work/results.gpa" <<'G'
import numpy as np
r, n = np.random.default_rng(5), 300_000
x = r.standard_normal(n)
samples = (r.random(n, dtype="f4"), r.integers(0, 1000, n), r.gamma(0.7, size=n), r.poisson(4, n), r.beta(2, 3, n),
           r.choice(50, n), r.permutation(n))
for a in (x, *samples):
    print(a.dtype, a.sum(), a[::9973].tolist())
print(repr(x.sum()), repr(x.mean()), repr(x.var()), repr(np.linalg.norm(x)), np.histogram(x, 10)[0].tolist())
for a in (np.cumsum(x), np.sort(x), np.argsort(x)):
    print(a[::9973].tolist())
m = x[:250_000].reshape(500, 500)
print(m.sum(0)[::50].tolist(), m.sum(1)[::50].tolist(), (m > 0).sum(), m.max())
G
for t in 1 2 3 7; do GPA_NUM_THREADS=$t "$GPA" --device cpu "$work/results.gpa" > "$work/$t" 2>&1; done
! grep -q Error "$work/1" && [ "$(wc -l < "$work/1")" = 13 ]; verdict "one thread" $? "$work/1"
for t in 2 3 7; do
    diff "$work/1" "$work/$t" | cut -c1-300 | head -6 > "$work/difference"
    [ ! -s "$work/difference" ]; verdict "1 and $t threads" $? "$work/difference"
done
finish
