#!/bin/bash
# Arrays of 2^31 elements and more: indices, slices, reductions and counts beyond 32 bits, of bytes, so that some gigabytes
# of memory are enough.
. tests/checks.sh
[ -e "$B/gpa-cpu.so" ] || skip "no CPU device"
needed=$((9 << 20)) # KiB: three arrays, and scratch memory
have=$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)
[ "$have" -ge $needed ] || skip "2^31 elements take $((needed >> 20)) GiB of memory, of which $((have >> 20)) are free"
workspace huge_arrays
export GPA_DEVICE=cpu
cat > "$work/program.gpa" << 'END'
n = 2**31 + 11
a = np.zeros(n, np.uint8)
print(a.shape, a.nbytes, a.size == n)
a[2**31 + 3] = 7
a[-1] = 9
a[5:2**31 + 9:2**30] = 3                       # 5, 2^30 + 5, 2^31 + 5
print(a[2**31 + 3], a[n - 1], a[-(n - 5)], a[2**30 + 5], a[2**31 + 5], a[2**31 + 4])
print(a[2**31:].tolist())
print(a[::-1][:8].tolist(), a[:2**31 - 3:-1].tolist())
print(a.sum(), np.count_nonzero(a), a.max(), a.argmax(), a.any(), (a == 3).sum(), int(a.sum(dtype=np.uint64)))
print(np.flatnonzero(a).tolist(), (a > 8).argmax())
a += 1                                          # every element once
print(a[0], a[2**31 - 1], a[2**31], a[-1], a.min(), a.sum() - n)
b = a[1:] - a[:-1]
print(b.size, np.flatnonzero(b).tolist())
del b
rows = a[:2**31 + 8].reshape(8, -1)
print(rows.shape, rows.sum(1).tolist()[7] - rows.shape[1], rows[7, -1], rows.T.shape, rows[:, 5].tolist())
c = rows.T[2**28 - 3:, 7]
c[...] = 200
print(a[2**31 + 1:].tolist())
print(a.take([0, 2**31 + 7, n - 1]).tolist(), np.take(a, n - 2), a[np.array([2**31 + 2, -1, 2**30 + 5])].tolist())
try: a[n]
except IndexError as error: print(error)
i = np.arange(2**31 - 2, 2**31 + 3)
print(i.dtype, (i[:, None] * 2 + i).ravel()[-1])
END
expected='(2147483659,) 2147483659 True
7 9 3 3 3 0
[0, 0, 0, 7, 0, 3, 0, 0, 0, 0, 9]
[9, 0, 0, 0, 0, 3, 0, 7] [9, 0, 0, 0, 0, 3, 0, 7, 0, 0, 0, 0, 0]
25 5 9 2147483658 True 3 25
[5, 1073741829, 2147483651, 2147483653, 2147483658] 2147483658
1 1 1 10 1 25
2147483658 [4, 5, 1073741828, 1073741829, 2147483650, 2147483651, 2147483652, 2147483653, 2147483657]
(8, 268435457) 10 1 (268435457, 8) [4, 1, 1, 1, 1, 1, 1, 1]
[1, 1, 8, 200, 200, 200, 200, 1, 1, 10]
[1, 200, 10] 1 [1, 10, 4]
index 2147483659 is out of bounds for axis 0 with size 2147483659
int64 6442450950'
"$GPA" "$work/program.gpa" > "$work/out" 2>&1
equal "2^31 + 11 bytes" "$(cat "$work/out")" "$expected"
finish
