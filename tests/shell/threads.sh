#!/bin/bash
# Results do not depend on the number of threads: random numbers of every kind, sums, running sums, sorts, products.
[ -e "$B/gpa-cpu.so" ] || { echo "skip - no CPU device"; exit 0; }
work=$OUT/threads; rm -rf "$work"; mkdir -p "$work"
cat > "$work/results.gpa" <<'G'
import numpy as np
r, n = np.random.default_rng(5), 300_000
x = r.standard_normal(n)
for a in (x, r.random(n, dtype="f4"), r.integers(0, 1000, n), r.gamma(0.7, size=n), r.poisson(4, n), r.beta(2, 3, n), r.choice(50, n), r.permutation(n)):
    print(a.dtype, a.sum(), a[::9973].tolist())
print(repr(x.sum()), repr(x.mean()), repr(x.var()), np.cumsum(x)[::9973].tolist(), np.sort(x)[::9973].tolist(), np.argsort(x)[::9973].tolist())
m = x[:250_000].reshape(500, 500)
print(m.sum(0)[::50].tolist(), m.sum(1)[::50].tolist(), (m > 0).sum(), m.max(), repr(np.linalg.norm(x)), np.histogram(x, 10)[0].tolist())
G
for t in 1 2 3 7; do GPA_NUM_THREADS=$t "$GPA" --device cpu "$work/results.gpa" > "$work/$t" 2>&1; done
bad=0
for t in 2 3 7; do
    if [ -s "$work/1" ] && cmp -s "$work/1" "$work/$t" && ! grep -q Error "$work/1"; then echo "ok - 1 and $t threads"
    else echo "not ok - 1 and $t threads"; diff "$work/1" "$work/$t" | cut -c1-300 | head -6 | sed 's/^/# /'; bad=1; fi
done
exit $bad
