"""Rows of the numerics benchmark: programs that NumPy and gpa both run, and SciPy's expression for the same result. Here are
elements, reductions, sorting, transforms, files; numerics_linalg.py has matrices, numerics_random.py random numbers,
numerics_programs.py short programs.

A group is run once per dtype and size. `setup` defines T, n and the operands; operands that no row names are left out. A line of
`rows` is `name | program | SciPy's expression`; a program is an expression, or statements of which the last assigns r. Results of
a program that begins with `?` are not compared: they are random, not unique, or accumulate over runs."""
import os


class Group:
    def __init__(self, name, setup, rows, cases):
        self.name, self.setup, self.cases = name, setup, list(dict.fromkeys(cases))
        self.rows = [[cell.strip() for cell in line.split("|")] for line in rows.strip().split("\n")]


def each(dtypes, *sizes):
    return [(dtype, size) for dtype in dtypes.split() for size in sizes]


# Sizes within the caches and beyond them; beyond them only float64, as other dtypes measure the same memory bandwidth.
MID, BIG = int(os.environ.get("SIZE", 300_000)), 10_000_000
THREE = each("float32 float64 int64", MID)
FOUR = THREE + each("float64", BIG)

# Pseudorandom numbers that NumPy and gpa compute identically (a 64-bit mixing function of the index).
MIXED = """
def mixed(n):
    h = np.arange(n, dtype=np.uint64) * np.uint64(0x1E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0x3F58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x14D049BB133111EB)
    return (h ^ (h >> np.uint64(31))) >> np.uint64(12)
def numbers(n, T):
    m = mixed(n)
    return (m % np.uint64(1000003)).astype(T) if np.issubdtype(T, np.integer) else (m / 2.0 ** 52).astype(T)
"""

VECTORS = MIXED + """
T = np.dtype('{dtype}').type
n = {size}
a = numbers(n, T)
b = numbers(n + 7, T)[7:]
s = np.sort(a)
same = np.ones(n, dtype=T)
i = (mixed(n) % np.uint64(n)).astype(np.int64)
small = (mixed(n) % np.uint64(1000)).astype(np.int64)
few = np.sort(numbers(1000, T))
m = mixed(n) % np.uint64(3) == 0
p = a.copy()
out = np.zeros(1000, dtype=T)
edges = np.linspace(0, float(a.max()), 101)
x = np.arange(n) / n
"""

GROUPS = []


def group(*parts):
    GROUPS.append(Group(*parts))


group("sorting", VECTORS, """
sort               | np.sort(a)
sort of sorted     | np.sort(s)
sort of equal      | np.sort(same)
argsort            | np.argsort(a)
argsort of sorted  | np.argsort(s)
median of equal    | np.median(same)
argsort stable     | np.argsort(a, kind='stable')
partition          | ? np.partition(a, n // 3)
argpartition       | ? np.argpartition(a, n // 3)
median             | np.median(a)
percentile         | np.percentile(a, [5, 50, 95])
quantile           | np.quantile(a, 0.9)
unique             | np.unique(a)
unique few         | np.unique(small)
unique counts      | np.unique(small, return_counts=True)
unique inverse     | np.unique(small, return_inverse=True)
searchsorted       | np.searchsorted(s, b)
searchsorted few   | np.searchsorted(few, b)
searchsorted order | np.searchsorted(s, s)
isin               | np.isin(a, few)
isin int           | np.isin(small, np.arange(0, 1000, 7))
intersect1d        | np.intersect1d(a, b)
union1d            | np.union1d(a, b)
setdiff1d          | np.setdiff1d(a, b)
setxor1d           | np.setxor1d(a, b)
lexsort            | np.lexsort((a, small))
sort rows of 100   | np.sort(a.reshape(-1, 100), axis=1)
sort axis 0        | np.sort(a.reshape(100, -1), axis=0)
median axis 1      | np.median(a.reshape(-1, 100), axis=1)
""", THREE)

group("sorting", VECTORS, """
sort               | np.sort(a)
argsort            | np.argsort(a)
partition          | ? np.partition(a, n // 3)
median             | np.median(a)
unique             | np.unique(a)
searchsorted       | np.searchsorted(s, b)
""", each("float64", BIG))

group("sorting small", VECTORS, """
sort               | np.sort(a)
sort of equal      | np.sort(same)
argsort of sorted  | np.argsort(s)
sort rows of 100   | np.sort(a.reshape(-1, 100), axis=1)
median axis 1      | np.median(a.reshape(-1, 100), axis=1)
argsort            | np.argsort(a)
median             | np.median(a)
unique             | np.unique(a)
""", each("bool int8 uint8 int16 int32 float16 complex128", MID))

group("counting", VECTORS, """
histogram          | np.histogram(a, 100)
histogram edges    | np.histogram(a, edges)
histogram2d        | np.histogram2d(a, b, 50)
histogram of few   | np.histogram(a, 50, (0, float(edges[1])))
histogram weights  | np.histogram(a, 100, weights=b)
bincount           | np.bincount(small)
bincount weights   | np.bincount(small, weights=a)
digitize           | np.digitize(a, edges)
nonzero            | np.nonzero(m)
flatnonzero        | np.flatnonzero(m)
argwhere           | np.argwhere(m)
count_nonzero      | np.count_nonzero(m)
count_nonzero a    | np.count_nonzero(a)
add.at             | np.add.at(out, small, few[0]); r = out
add.at values      | ? np.add.at(out, small, a); r = out
maximum.at         | ? np.maximum.at(out, small, a); r = out
""", FOUR)

group("cumulative", VECTORS, """
cumsum             | np.cumsum(a)
cumprod            | np.cumprod(a / a)
maximum.accumulate | np.maximum.accumulate(a)
diff               | np.diff(a)
diff n=2           | np.diff(a, n=2)
ediff1d            | np.ediff1d(a)
gradient           | np.gradient(a)
trapezoid          | np.trapezoid(a)
interp             | np.interp(a, s[::100] + x[::100], x[::100])
interp in order    | np.interp(x, x[::100], a[::100])
unwrap             | np.unwrap(a)
convolve 15        | np.convolve(a, few[:15], 'same')      | signal.convolve(a, few[:15], 'same')
correlate 15       | np.correlate(a, few[:15], 'same')     | signal.correlate(a, few[:15], 'same')
polyval            | np.polyval(few[:6], a)
polyfit            | np.polyfit(x, a, 3)
cov                | np.cov(a, b)
corrcoef           | np.corrcoef(a, b)
average            | np.average(a, weights=b)
clip               | np.clip(a, few[0], few[1])
""", FOUR)

group("selection", VECTORS, """
take               | np.take(a, i)
take clip          | np.take(a, i, mode='clip')
a[i]               | a[i]
put                | ? np.put(p, i, b); r = p
p[i] = b           | ? p[i] = b; r = p
p[m] = 1           | ? p[m] = 1; r = p
putmask            | ? np.putmask(p, m, b); r = p
place              | ? np.place(p, m, few); r = p
compress           | np.compress(m, a)
extract            | np.extract(m, a)
a[m]               | a[m]
rows of 100        | a.reshape(-1, 100)[i[:n // 100] // 100]
rows of 10         | a.reshape(-1, 10)[i[:n // 10] // 10]
rows set by a mask | ? q = p.reshape(-1, 100); q[m[:n // 100]] = 1; r = q
rows of 10 set     | ? q = p.reshape(-1, 10); q[i[:n // 10] // 10] = 0; r = q
choose             | np.choose(small % 3, (a, b, s))
select             | np.select([m, a > b], [a, b], few[0])
where              | np.where(m, a, b)
where scalar       | np.where(a > few[0], a, 0)
piecewise          | np.piecewise(a, [m, ~m], [few[0], few[1]])
take_along_axis    | np.take_along_axis(a.reshape(-1, 100), small.reshape(-1, 100) % 100, axis=1)
delete             | np.delete(a, slice(0, n, 3))
insert             | np.insert(a, small[:10], 1)
a[::-1] copy       | a[::-1].copy()
a[::3] copy        | a[::3].copy()
unravel_index      | np.unravel_index(i, (n // 100, 100))
ravel_multi_index  | np.ravel_multi_index((small, small), (1000, 1000))
""", FOUR)

group("rearranging", VECTORS, """
repeat 2           | np.repeat(a, 2)
repeat 3           | np.repeat(a, 3)
repeat 5           | np.repeat(a, 5)
repeat counts      | np.repeat(a, small % 3)
repeat rows        | np.repeat(a.reshape(-1, 100), 2, axis=0)
repeat columns     | np.repeat(a.reshape(-1, 100), 2, axis=1)
tile               | np.tile(a, 3)
resize             | np.resize(a, n + n // 3)
block              | np.block([[a.reshape(-1, 100), b.reshape(-1, 100)], [b.reshape(-1, 100), a.reshape(-1, 100)]])
concatenate many   | np.concatenate([a[:10]] * 10000)
stack of rows      | np.stack(list(a.reshape(-1, 100)))
columns of rows    | np.stack(list(a.reshape(-1, 1000)), axis=1)
tile rows          | np.tile(a.reshape(-1, 100), (2, 2))
roll               | np.roll(a, 1000)
roll axis 1        | np.roll(a.reshape(-1, 100), 3, axis=1)
pad                | np.pad(a, 100)
pad 2-d            | np.pad(a.reshape(-1, 100), 2)
pad reflect        | np.pad(a.reshape(-1, 100), 2, mode='reflect')
pad edge           | np.pad(a.reshape(-1, 100), 2, mode='edge')
concatenate        | np.concatenate([a, b])
concatenate axis 1 | np.concatenate([a.reshape(-1, 100), b.reshape(-1, 100)], axis=1)
stack              | np.stack([a, b])
stack last         | np.stack([a, b], axis=-1)
column_stack       | np.column_stack([a, b])
append             | np.append(a, few)
flip               | np.flip(a).copy()
rot90              | np.rot90(a.reshape(-1, 100)).copy()
transpose          | a.reshape(1000, -1).T.copy()
transpose last     | a.reshape(-1, 10, 10).transpose(0, 2, 1).copy()
ascontiguousarray  | np.ascontiguousarray(a.reshape(100, -1).T)
astype             | a.astype(np.float32 if T is np.float64 else np.float64)
astype int         | a.astype(np.int32)
triu               | np.triu(a[:250000].reshape(500, 500))
split              | np.array_split(a, 7)[6] + 1
meshgrid           | np.meshgrid(x[:500], x[:500])[1].copy()
full               | np.full(n, 3, dtype=T)
zeros              | np.zeros(n, dtype=T) + 0
arange             | np.arange(n, dtype=T)
linspace           | np.linspace(0, 1, n)
copy               | a.copy()
packbits           | np.packbits(m)
unpackbits         | np.unpackbits(m.view(np.uint8))
""", FOUR)

group("non-contiguous", VECTORS + """
many = numbers(n * 12, T)
d3, d5, d6, d8, d12 = (many[:n * k:k] for k in (3, 5, 6, 8, 12))
back = d5[::-1]
out = numbers(n * 12, T)
o3, o5, o8 = (out[:n * k:k] for k in (3, 5, 8))
points = many[:n * 10].reshape(-1, 10)
square = many[:1000 * 1000].reshape(1000, 1000)
""", """
every third        | d3 * 3
every fifth        | d5 * 3
every sixth        | d6 * 3
every eighth       | d8 * 3
every twelfth      | d12 * 3
backwards          | back * 3
copy of thirds     | d3.copy()
copy of fifths     | d5.copy()
copy of eighths    | d8.copy()
sum of fifths      | d5.sum()
sum of eighths     | d8.sum()
sum of twelfths    | d12.sum()
max of eighths     | abs(d8).max()
two of steps       | d5 + d8
into thirds        | o3[:] = a; r = out[:1]
into fifths        | o5[:] = a * 3; r = out[:1]
into eighths       | o8[:] = a; r = out[:1]
thirds in place    | np.maximum(o3, 1, out=o3); r = out[:1]
fifths in place    | np.maximum(o5, 1, out=o5); r = out[:1]
one column         | points[:, 3] + 1
difference         | points[:, 7] - points[:, 2]
some columns       | points[:, ::3] + 1
columns backwards  | points[:, ::-1] + 1
some of a square   | square[::2, ::3] + 1
corners            | square[::7, ::7] + 1
transposed parts   | square[:, ::4].T + 1
""", each("float64 float32 int16 uint8 complex64 complex128", MID))

group("reductions", VECTORS + """
rows2, rows5, rows100 = a[:n // 100 * 100].reshape(-1, 2), a[:n // 100 * 100].reshape(-1, 5), a[:n // 100 * 100].reshape(-1, 100)
wide = a.reshape(100, -1)
cube = a.reshape(100, -1, 100)
""", """
sum                | a.sum()
mean               | a.mean()
var                | a.var()
std                | a.std()
min                | a.min()
max                | a.max()
prod               | (a / a).prod()
argmin             | a.argmin()
argmax             | a.argmax()
ptp                | np.ptp(a)
all                | (a >= 0).all()
any                | (a < 0).any()
dot                | np.dot(a, b)
vdot               | np.vdot(a, b)
norm               | np.linalg.norm(a)
nansum             | np.nansum(a)
nanmedian          | np.nanmedian(a)
maximum.reduceat   | np.maximum.reduceat(a, np.arange(0, n, 100))
add.reduceat       | np.add.reduceat(a, np.arange(0, n, 10))
nanmax             | np.nanmax(a)
nanmean            | np.nanmean(a)
allclose           | np.allclose(a, a)
array_equal        | np.array_equal(a, p)
sum rows of 2      | rows2.sum(axis=1)
sum rows of 5      | rows5.sum(axis=1)
sum rows of 100    | rows100.sum(axis=1)
max rows of 2      | rows2.max(axis=1)
max rows of 5      | rows5.max(axis=1)
max rows of 100    | rows100.max(axis=1)
argmax rows of 5   | rows5.argmax(axis=1)
argmax rows of 100 | rows100.argmax(axis=1)
argmax rows of 1000 | a.reshape(-1, 1000).argmax(axis=1)
mean rows of 100   | rows100.mean(axis=1)
var rows of 100    | rows100.var(axis=1)
sum narrow axis 0  | rows5.sum(axis=0)
sum axis 0 of 100  | rows100.sum(axis=0)
max axis 0 of 100  | rows100.max(axis=0)
argmax axis 0      | rows100.argmax(axis=0)
var axis 0         | rows100.var(axis=0)
sum wide axis 0    | wide.sum(axis=0)
sum of ten rows    | a[:n // 10 * 10].reshape(10, -1).sum(axis=0)
max of ten rows    | a[:n // 10 * 10].reshape(10, -1).max(axis=0)
max wide axis 0    | wide.max(axis=0)
sum wide axis 1    | wide.sum(axis=1)
sum middle         | cube.sum(axis=1)
max middle         | cube.max(axis=1)
sum first, last    | cube.sum(axis=(0, 2))
sum of a[::2]      | a[::2].sum()
sum of transposed  | wide.T.sum(axis=0)
max of transposed  | rows100.T.max(axis=1)
diff axis 0        | np.diff(rows100, axis=0)
diff axis 1        | np.diff(rows100, axis=1)
cumsum axis 0      | np.cumsum(rows100, axis=0)
cumsum axis 1      | np.cumsum(rows100, axis=1)
gradient axis 0    | np.gradient(rows100, axis=0)
median axis 0      | np.median(rows100[:1000], axis=0)
a + b              | a + b
a[::2] + b[::2]    | a[::2] + b[::2]
row broadcast      | rows100 + few[:100]
column broadcast   | rows100 + few[:1]
transposed + plain | wide[:, :100] + wide[:, :100].T
""", FOUR)

group("small dtypes", VECTORS, """
sum                | a.sum()
mean               | a.mean()
max                | a.max()
argmax             | a.argmax()
any                | a.any()
all                | a.all()
sum axis 0         | a.reshape(-1, 100).sum(axis=0)
sum axis 1         | a.reshape(-1, 100).sum(axis=1)
max axis 0         | a.reshape(-1, 100).max(axis=0)
max axis 1         | a.reshape(-1, 100).max(axis=1)
count_nonzero      | np.count_nonzero(a)
cumsum             | np.cumsum(a)
nonzero            | np.nonzero(a)
bincount           | np.bincount(small.astype(np.uint16))
where              | np.where(m, a, b)
equal              | a == b
a & b              | a & b
transpose          | a.reshape(1000, -1).T.copy()
take               | np.take(a, i)
repeat 2           | np.repeat(a, 2)
concatenate        | np.concatenate([a, b])
""", each("bool int8 int16 int32", MID))

group("integers", VECTORS, """
a // 7             | a // 7
a % 7              | a % 7
a ** 3             | a ** 3
a ** 5             | a ** 5
gcd                | np.gcd(a, b)
sort rows of 20    | np.sort(a.reshape(-1, 20), axis=1)
digitize           | np.digitize(a, np.arange(0, 100, 10).astype(T))
isin               | np.isin(a, few[::50])
""", each("int8 uint8 int16 uint32 int64", MID))

group("functions", MIXED + """
T = np.dtype('{dtype}').type
n = {size}
u = numbers(n, T)
x = u * T(20) - T(10)
y = u[::-1].copy()
""", """
sqrt               | np.sqrt(u)
cbrt               | np.cbrt(x)
exp                | np.exp(x)
exp2               | np.exp2(x)
expm1              | np.expm1(x)
log                | np.log(u)
log2               | np.log2(u)
log10              | np.log10(u)
log1p              | np.log1p(u)
power              | np.power(u, y)
a ** 1.5           | u ** 1.5
a ** 3             | u ** 3
sin                | np.sin(x)
cos                | np.cos(x)
tan                | np.tan(x)
arcsin             | np.arcsin(u)
arccos             | np.arccos(u)
arctan             | np.arctan(x)
arctan2            | np.arctan2(u, x)
sinh               | np.sinh(x)
cosh               | np.cosh(x)
tanh               | np.tanh(x)
arcsinh            | np.arcsinh(x)
arccosh            | np.arccosh(u + 1)
arctanh            | np.arctanh(u)
hypot              | np.hypot(u, x)
logaddexp          | np.logaddexp(u, x)
fmod               | np.fmod(x, u)
remainder          | np.remainder(x, u)
floor_divide       | x // (u + 1)
divide             | x / u
floor              | np.floor(x)
rint               | np.rint(x)
modf               | np.modf(x)[0]
frexp              | np.frexp(x)[0]
ldexp              | np.ldexp(u, 3)
nextafter          | np.nextafter(x, u)
spacing            | np.spacing(x)
copysign           | np.copysign(u, x)
sinc               | np.sinc(x)
i0                 | np.i0(u)
deg2rad            | np.deg2rad(x)
heaviside          | np.heaviside(x, u)
clip               | np.clip(x, -1, 1)
""", each("float32 float64", MID))

group("complex", MIXED + """
T = np.dtype('{dtype}').type
n = {size}
a = (numbers(n, float) + 1j * numbers(n + 7, float)[7:]).astype(T)
b = a[::-1].copy()
""", """
a * b              | a * b
a / b              | a / b
absolute           | np.abs(a)
angle              | np.angle(a)
reciprocal         | np.reciprocal(a)
sign               | np.sign(a)
exp                | np.exp(a)
expm1              | np.expm1(a)
log                | np.log(a)
log10              | np.log10(a)
log1p              | np.log1p(a)
sqrt               | np.sqrt(a)
a ** 3             | a ** 3
a ** -2            | a ** -2
a ** b             | a ** b
sin                | np.sin(a)
tan                | np.tan(a)
cosh               | np.cosh(a)
tanh               | np.tanh(a)
arcsin             | np.arcsin(a)
arccosh            | np.arccosh(a)
arctan             | np.arctan(a)
roll               | np.roll(a, 5)
sum                | a.sum()
cumsum             | np.cumsum(a)
maximum.accumulate | np.maximum.accumulate(a)
sort               | np.sort(a)
sort rows of 100   | np.sort(a.reshape(-1, 100), axis=1)
sort rows of 1000  | np.sort(a.reshape(-1, 1000), axis=1)
argsort rows of 100 | np.argsort(a.reshape(-1, 100), axis=1)
median rows of 500 | np.median(a.reshape(-1, 500), axis=1)
repeat             | np.repeat(a, 3)
repeat 5           | np.repeat(a, 5)
repeat pairs       | np.repeat(a.reshape(-1, 2), 3, axis=0)
sum of ten rows    | a.reshape(10, -1).sum(axis=0)
norm of rows       | np.linalg.norm(a[:n // 256 * 256].reshape(-1, 256), axis=1)
real parts' sums   | (a[:n // 500 * 500].reshape(-1, 500).real ** 2).sum(axis=1)
convolve           | np.convolve(a[:3000], b[:400])
""", each("complex64 complex128", MID))

group("transforms", MIXED + """
T = np.dtype('{dtype}').type
n = {size}
a = numbers(n, T)
c = a + 1j * a[::-1]
k = 1024 if n % 1024 == 0 else 1000
r2 = a.reshape(-1, k)
c2 = c.reshape(-1, k)
c3 = c.reshape(16, 64, -1) if n % 1024 == 0 else c.reshape(10, 100, -1)
h = np.fft.rfft(a)
""", """
fft                | np.fft.fft(c)                 | fft.fft(c, workers=-1)
fft of real        | np.fft.fft(a)                 | fft.fft(a, workers=-1)
ifft               | np.fft.ifft(c)                | fft.ifft(c, workers=-1)
rfft               | np.fft.rfft(a)                | fft.rfft(a, workers=-1)
irfft              | np.fft.irfft(h)               | fft.irfft(h, workers=-1)
hfft               | np.fft.hfft(h)                | fft.hfft(h, workers=-1)
fft rows           | np.fft.fft(c2, axis=1)        | fft.fft(c2, axis=1, workers=-1)
fft columns        | np.fft.fft(c2, axis=0)        | fft.fft(c2, axis=0, workers=-1)
rfft rows          | np.fft.rfft(r2, axis=1)       | fft.rfft(r2, axis=1, workers=-1)
fft2               | np.fft.fft2(c2)               | fft.fft2(c2, workers=-1)
rfft2              | np.fft.rfft2(r2)              | fft.rfft2(r2, workers=-1)
fftn               | np.fft.fftn(c3)               | fft.fftn(c3, workers=-1)
ifftn              | np.fft.ifftn(c3)              | fft.ifftn(c3, workers=-1)
fftshift           | np.fft.fftshift(c2)           | fft.fftshift(c2)
fftfreq            | np.fft.fftfreq(n)             | fft.fftfreq(n)
""", each("float32 float64", MID, 1 << 18) + each("float64", BIG))

group("transforms of odd lengths", MIXED + """
T = np.dtype('{dtype}').type
n = {size}
m = 300_000 // n
r2 = numbers(n * m, T).reshape(m, n)
c2 = r2 + 1j * r2[::-1]
r3 = r2.T.copy()
c3 = c2.T.copy()
h2 = c2[:, :n // 2 + 1].copy()
h3 = h2.T.copy()
""", """
fft rows           | np.fft.fft(c2)                | fft.fft(c2, workers=-1)
ifft columns       | np.fft.ifft(c3, axis=0)       | fft.ifft(c3, axis=0, workers=-1)
rfft rows          | np.fft.rfft(r2)               | fft.rfft(r2, workers=-1)
rfft columns       | np.fft.rfft(r3, axis=0)       | fft.rfft(r3, axis=0, workers=-1)
irfft rows         | np.fft.irfft(h2, n)           | fft.irfft(h2, n, workers=-1)
irfft columns      | np.fft.irfft(h3, n, axis=0)   | fft.irfft(h3, n, axis=0, workers=-1)
""", each("float32 float64", 37, 101, 243, 529, 1009, 1155, 4913, 10_007, 99_991, 99_225, 299_999))

group("files", MIXED + """
T = np.dtype('{dtype}').type
n = {size}
a = numbers(n, T)
where = 'numbers'
np.save(where + '.npy', a)
np.savez(where + '.npz', a=a)
a.tofile(where + '.raw')
np.savetxt(where + '.txt', a[:n // 10].reshape(-1, 10))
text = open(where + '.txt').read()
""", """
save               | np.save(where + '.npy', a); r = 0
load               | np.load(where + '.npy')
load npz           | np.load(where + '.npz')['a']
tofile             | a.tofile(where + '.raw'); r = 0
fromfile           | np.fromfile(where + '.raw', dtype=T)
loadtxt            | np.loadtxt(where + '.txt')
genfromtxt         | np.genfromtxt(where + '.txt')
savetxt            | np.savetxt(where + '.txt', a[:n // 10].reshape(-1, 10)); r = 0
fromstring         | np.fromstring(text, sep=' ')
tobytes            | len(a.tobytes())
tolist             | len(a.tolist())
""", each("float64", MID))
