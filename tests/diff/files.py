# Arrays in text files, .npy files and archives.
import os, sys
from showing import show

FOLDER = os.environ["FOLDER"] + "/"
L, G = np.loadtxt, np.genfromtxt


def S(*a, **k):
    np.savetxt(FOLDER + 'gpa_s.txt', *a, **k)
    with open(FOLDER + 'gpa_s.txt') as f:
        return f.read()


def t(f):
    try:
        r = f()
        print(repr(r), r.dtype)
    except Exception as e:
        print(type(e).__name__, e)


# --- loadtxt
show(lambda: L(['1 2 3', '4 5 6']))
show(lambda: L(['1 2 3']))
show(lambda: L(['1']))
show(lambda: L(['1', '2']))
show(lambda: L(['1', '2'], ndmin=2))
show(lambda: L(['1 2'], ndmin=2))
show(lambda: L(['1 2'], ndmin=1))
show(lambda: L(['1,2', '3,4'], delimiter=',', unpack=True))
show(lambda: L(['1 2', '3 4'], usecols=1))
show(lambda: L(['1 2', '3 4'], usecols=(-1, 0)))
show(lambda: L(['1 x']))
show(lambda: L(['1 2', '3']))
show(lambda: L(['1 2'], usecols=5))
show(lambda: L(['1.5 2'], dtype=int))
show(lambda: L(['a 2'], dtype=int))
show(lambda: L(['1,,2'], delimiter=','))
show(lambda: L(['1+2j 3'], dtype=complex))
show(lambda: L(['# c', '1 2 # x', '', '3 4'], skiprows=1))
show(lambda: L(['1 2', '3 4', '5 6'], max_rows=2))
show(lambda: L(['1 2'], dtype='f4'))
show(lambda: L('/nope'))
show(lambda: L('/tmp'))
show(lambda: L(['1 2'], delimiter=''))
show(lambda: L(['1;2'], delimiter=';;'))
show(lambda: L(['1 2', '3 4'], usecols=(0, 1), unpack=True))
# --- genfromtxt
show(lambda: G(['1,,3', '4,5,6'], delimiter=','))
show(lambda: G(['1,x,3', '4,5,6'], delimiter=','))
show(lambda: G(['1,2', '4'], delimiter=','))
show(lambda: G('/tmp'))
show(lambda: G(['1,2', '4', '5', '6,7'], delimiter=','))
show(lambda: G(['1,,3'], delimiter=',', dtype=int))
show(lambda: G(['1,,3'], delimiter=',', filling_values=0))
show(lambda: G(['1,NA,3'], delimiter=',', missing_values='NA', filling_values=9))
show(lambda: G(['1,2', '3,4'], delimiter=',', dtype=None))
show(lambda: G(['a,b', '1,2'], delimiter=',', skip_header=1))
show(lambda: G(['1,2', '3,4', 'x'], delimiter=',', skip_footer=1, usecols=0))
show(lambda: G(['1 2', '3 4'], unpack=True))
show(lambda: G(['1']))
show(lambda: G(['1 2 # c', '# d', '3 4'], max_rows=1))
# --- savetxt
show(lambda: S([1, 2.5]))
show(lambda: S([[1, 2], [3, 4]], fmt='%d', delimiter=','))
show(lambda: S([[1, 2], [3, 4]], fmt=['%d', '%.2f'], header='a\nb', footer='z'))
show(lambda: S([[1, 2], [3, 4]], fmt='%d-%d', comments=''))
show(lambda: S([1 + 2j, -1 - 2j]))
show(lambda: S([1 + 2j], fmt='%.1f'))
show(lambda: S([[1 + 2j, 3]], fmt=['%.1f%+.1fj', '(%.1f %.1f)']))
show(lambda: S(5))
show(lambda: S(np.zeros((2, 2, 2))))
show(lambda: S([[1, 2]], fmt=['%d']))
show(lambda: S([[1, 2]], fmt='%d %d %d'))
show(lambda: S([1.5], fmt='%q'))
show(lambda: S([True, False], fmt='%d'))
show(lambda: S([[1.5, 2]], fmt='%5.1f', newline='|'))
show(lambda: S([[1.5, 2]], fmt='%s'))
show(lambda: S(np.array([0.1], dtype='f4'), fmt='%s'))
show(lambda: S(np.arange(3), fmt='%d,'))
# --- there and back
np.savetxt(FOLDER + 'gpa_s.txt', np.arange(6).reshape(2, 3) / 7)
show(lambda: L(FOLDER + 'gpa_s.txt'))
np.savetxt(sys.stdout, [1, 2], fmt='%d')
np.save(FOLDER + 'gpa_n', np.arange(6).reshape(2, 3))
show(lambda: np.load('/tmp'))
show(lambda: np.load(FOLDER + 'gpa_n.npy'))
np.save(FOLDER + 'gpa_n.npy', np.float32(2.5))
show(lambda: np.load(FOLDER + 'gpa_n.npy'))
np.save(FOLDER + 'gpa_n.npy', np.zeros((0, 3), dtype='u1'))
show(lambda: np.load(FOLDER + 'gpa_n.npy'))
np.save(FOLDER + 'gpa_n.npy', np.array([1 + 2j, 3]))
show(lambda: np.load(FOLDER + 'gpa_n.npy'))
# --- archives
np.savez(FOLDER + 'gpa_z', np.arange(3), b=np.array([True, False]))
z = np.load(FOLDER + 'gpa_z.npz')
show(lambda: (z.files, z['arr_0'], z['b'], 'b' in z, len(z), sorted(z.keys()), list(z)))
show(lambda: z['nope'])
show(lambda: z)
np.savez_compressed(FOLDER + 'gpa_z2.npz', a=np.zeros(1000))
show(lambda: np.load(FOLDER + 'gpa_z2.npz')['a'].sum())
with np.load(FOLDER + 'gpa_z.npz') as f:
    q = f['b']
show(lambda: q)
show(lambda: np.savez(FOLDER + 'gpa_z3.npz', np.arange(3), arr_0=1))
# --- files that are missing or damaged
show(lambda: np.load('/nope.npy'))
open(FOLDER + 'gpa_bad.npy', 'w').write('hello world this is not an array')
show(lambda: np.load(FOLDER + 'gpa_bad.npy'))
open(FOLDER + 'gpa_bad.npy', 'w').close()
show(lambda: np.load(FOLDER + 'gpa_bad.npy'))
fh = open(FOLDER + 'gpa_n2.npy', 'wb')
np.save(fh, np.arange(3))
fh.close()
show(lambda: (np.load(FOLDER + 'gpa_n2.npy'), np.load(open(FOLDER + 'gpa_n2.npy', 'rb'))))
# --- text files
with open(FOLDER + "gpa_t.txt", "w") as f:
    n = f.write("a\nb\nçd\n")
    f.writelines(["x", "y\n"])
    print("more", 1, file=f)
show(lambda: (n, f.closed, f.name, f.mode))
show(lambda: [line.strip() for line in open(FOLDER + "gpa_t.txt")])
show(
    lambda: (
        open(FOLDER + "gpa_t.txt").readlines(),
        open(FOLDER + "gpa_t.txt").readline(),
        open(FOLDER + "gpa_t.txt").read(5),
    )
)
show(lambda: (open(FOLDER + "gpa_t.txt", "rb").read(), open(FOLDER + "gpa_t.txt").read()))
show(lambda: f.read())
show(lambda: open(FOLDER + "gpa_t.txt", "w").write(5))
# --- files that cannot be opened
show(lambda: open("/nope/x"))
show(lambda: open("/tmp"))
show(lambda: open("/tmp/x", "q"))
try:
    open("/nope")
except FileNotFoundError as e:
    print(e.errno, e.strerror, e.filename, str(e), repr(e), e.args)


# --- columns with names
def tell(*a, **k):
    r = np.genfromtxt(*a, delimiter=',', **k)
    names = list(r.keys()) if isinstance(r, dict) else list(r.dtype.names)
    print(names, [r[n].tolist() for n in names])


t = '# time of day,temp (C),wind-x,temp (C),\n0,1.5,2,3,4\n1,2.5,,4,5\n'
tell(t.split('\n'), names=True)
tell('a b,print\n0,1\n'.split('\n'), names=True)
tell(['0,1', '2,3'], names='x, y')
tell(['x', 'a,B', '1,2', '3,4'], names=True, skip_header=1, case_sensitive='upper')
tell(['a,b', '1,2', '3,4'], names=['q', 'q'], skip_header=1)
tell(['', 'a,b,c', '1,2,3', '3,4,5'], names=True, usecols=(2, 0))
tell(['a,b,c', '1,2,3', '3,4,5'], names=True, usecols=('b', 'c'), max_rows=1)
with open(FOLDER + 'gpa_t.csv', 'w') as f:
    f.write(t)
tell(FOLDER + 'gpa_t.csv', names=True)
with open(FOLDER + 'gpa_t.csv') as f:
    tell(f, names=True, replace_space='-', deletechars='(')

# --- several arrays in one file, and files that end too early
with open(FOLDER + "gpa_two.npy", "wb") as f:
    np.save(f, np.arange(3))
    np.save(f, np.eye(2))
with open(FOLDER + "gpa_two.npy", "rb") as f:
    print(np.load(f), np.load(f))
    try:
        np.load(f)
    except EOFError as e:
        print(e)
whole = open(FOLDER + "gpa_two.npy", "rb").read()
for n in (140, 60, 8):
    with open(FOLDER + "gpa_cut.npy", "wb") as f:
        f.write(whole[:n])
    try:
        np.load(FOLDER + "gpa_cut.npy")
    except ValueError as e:
        print(e)

# --- loadtxt and its options
from io import StringIO as S

L, G = np.loadtxt, np.genfromtxt
t(lambda: L(S("1.5 2"), dtype=int))
t(lambda: L(S("1.0 2"), dtype='i1'))
t(lambda: L(S("300 2"), dtype='i1'))
t(lambda: L(S("-1 2"), dtype='u1'))
t(lambda: L(S("1 0 True 2.5"), dtype=bool))
t(lambda: L(S("1 0 7"), dtype=bool))
t(lambda: L(S("1_0 2")))
t(lambda: L(S("1,,2"), delimiter=','))
t(lambda: L(S("1, 2,\n3,4,"), delimiter=','))
t(lambda: L(S("abc 2")))
t(lambda: L(S("\ufeff1 2")))
t(lambda: L(S('"1","2"\n"3","4"'), delimiter=',', quotechar='"'))
t(lambda: L(S('"1\n","2"\n"3","4"'), delimiter=',', quotechar='"'))
t(lambda: L(S('"1""","2"'), delimiter=',', quotechar='"'))
t(lambda: L(S('"1'), delimiter=',', quotechar='"'))
t(lambda: L(S('"1"2,3'), delimiter=',', quotechar='"'))
t(lambda: L(S('1 2\n3\n')))
t(lambda: L(S('1 2\n3 x\n')))
t(lambda: L(S('1 2\n3 4 5\n'), usecols=2))
t(lambda: L(S('1 2\n3 4 5\n'), usecols=(0, -1)))
t(lambda: L(S('')))
t(lambda: L(S('# x\n\n'), ndmin=2))
t(lambda: L(S('1 2'), converters={0: lambda s: float(s) * 2}))
t(lambda: L(S('1 2'), converters={5: float}))
t(lambda: L(S('1 2'), converters={-1: lambda s: 7}))
t(lambda: L(S('1 2'), converters=3))
t(lambda: L(S('1 2'), converters={0: 3}))
t(lambda: L(S('1 2'), converters=lambda s: s))
t(lambda: L(S('1 2'), converters=lambda s: "x"))
t(lambda: L(S('1 2'), converters=lambda s: 1 / 0))
t(lambda: L(S('1 2'), converters={0: lambda s: print(repr(s)) or 1}))
t(lambda: L(S(' 1 , 2'), delimiter=',', converters={0: lambda s: print(repr(s)) or 1}))
t(lambda: L(S('1 2'), skiprows=-1))
t(lambda: L(S('1 2\n3 4'), max_rows=0))
t(lambda: L(S('1 2\n3 4'), max_rows=-1))
t(lambda: L(S('1 2\n3 4'), max_rows=1))
t(lambda: L(S('1 2\n3 4'), delimiter='ab'))
t(lambda: L(S('1 2\n3 4'), quotechar='ab'))
t(lambda: L(S('1 2\n3 4'), comments='1'))
t(lambda: L(S('1%2\n3%4'), delimiter='%', comments=['#', '//']))
t(lambda: L(S('1 2\n3 4'), dtype=complex))
t(lambda: L(S('1+2j (3-4j)'), dtype=complex))
t(lambda: L(S('1 +2j'), dtype=complex, delimiter=','))
t(lambda: L(S('0x10 2')))
t(lambda: L(S('1e400 -inf nan Infinity .5 5. +3')))
t(lambda: L(S('1\t2\n3  4')))
t(lambda: L(S('1\x0b2')))
t(lambda: L([b'1 2', b'3 4']))
t(lambda: L(3))
t(lambda: L('/no/such'))
t(lambda: L(S('1 2'), usecols='a'))
t(lambda: L(S('1 2'), usecols=1.5))
t(lambda: L(S('1 2'), encoding='nope'))
t(lambda: L(S('1 2\n3 4'), unpack=True, ndmin=3))
t(lambda: L(S(",".join([str(k) for k in range(6000)])), delimiter=",").sum())
for form in ("%.3f", "%d,%g", ["%d", "%.1e"], "%5.1f|%-6.2f"):
    f = S()
    np.savetxt(f, [[1, 2.5], [3, -4]], fmt=form, delimiter=",")
    print(f.getvalue())
f = S()
np.savetxt(f, [[1 + 2j, -3j]], fmt="%.2g")
print(f.getvalue())

# --- genfromtxt and its options
from io import StringIO as S

L, G = np.loadtxt, np.genfromtxt
t(lambda: G(S("123456789\n   4  7 9\n   4567 9"), delimiter=3))
t(lambda: G(S("123456789\n   4  7 9\n   4567 9"), delimiter=(4, 3, 2)))
t(lambda: G(S("1,2\n3"), delimiter=','))
t(lambda: G(S("1,2\n3\n4,5"), delimiter=',', invalid_raise=False))
t(lambda: G(S("1,2,3\n3,4\n4,5,6"), delimiter=',', usecols=(0, 1)))
t(lambda: G(S("1,2,3\n3\n4,5,6"), delimiter=',', usecols=(0, 1)))
t(lambda: G(S("1,N/A\n3,-999"), delimiter=',', missing_values=['', '-999'], filling_values=[1, 2]))
t(lambda: G(S("1,N/A\n3,-999"), delimiter=',', missing_values='N/A,-999', filling_values=7))
t(lambda: G(S("1,N/A\n3,-999"), delimiter=',', missing_values={1: '-999'}, filling_values={1: 5}))
t(lambda: G(S("1,x\n3,5"), delimiter=',', loose=False))
t(lambda: G(S("1 2\n3 4\n5 6\n\n"), skip_footer=1))
t(lambda: G(S("1 2\n3 4\n5 6"), max_rows=2))
t(lambda: G(S("1 2\n3 4\n5 6"), max_rows=0))
t(lambda: G(S("1 2\n3 4\n5 6"), max_rows=1, skip_footer=1))
t(lambda: G(S("1 2\n3 4"), dtype=None))
t(lambda: G(S("True False\nTrue true"), dtype=None))
t(lambda: G(S("1,,3"), delimiter=',', dtype=int))
t(lambda: G(S("1,,3"), delimiter=',', dtype=None))
t(lambda: G(S("")))
t(lambda: G(S("1,2"), delimiter=',', usecols=(0, 5)))
t(lambda: G(S("1;2"), delimiter=';;'))
t(lambda: G(S("1,2 # c\n#d\n3,4"), delimiter=','))
t(lambda: G(S(" 1 , 2 "), delimiter=','))
t(lambda: G(3))
t(lambda: G('/no/such'))
t(lambda: G(S("1 2\n3 4"), unpack=True))
t(lambda: G(S("1 2\n3 4"), ndmin=3))
t(lambda: G(S("1 2\n3 4"), skip_header=5))
# --- columns of several kinds
from io import StringIO as S


def show(t):
    print([(n, np.asarray(t[n]).tolist()) for n in ("a", "b", "c", "d")])


table = "a,b,c,d\n1,2.5,true,2j\n-3,,FALSE,1\n"
show(np.genfromtxt(S(table), delimiter=",", names=True, dtype=None))
show(np.genfromtxt(S(table[:21]), delimiter=",", names=True, dtype=None))
t = np.genfromtxt(S("when,where\n1,here\n2,there\n"), delimiter=",", names=True, dtype=None, encoding="utf-8")
print([str(w) for w in t["where"]], t["when"])
t = np.genfromtxt(S("1,2.5\n3,4\n"), delimiter=",", dtype=None)
print(t["f0"], t["f1"])
t = np.genfromtxt(S("\ufeffa,b\n1,2\n"), delimiter=",", names=True, usecols="b")
print(t["b"])

# --- headers of .npy files
import io


def head(descr, version=b"\x01\x00", order="False", shape="(3,)"):
    text = ("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }").encode()
    text += b" " * (117 - len(text)) + b"\n"
    return b"\x93NUMPY" + version + bytes([len(text), 0] if version[0] == 1 else [len(text), 0, 0, 0]) + text


data = bytes([0, 1, 0, 2, 0, 3]) + bytes(42)
for descr in ("'>i2'", "'<i2'", "'>u2'", "'|u1'", "'>f8'", "'>c8'", "'=i2'"):
    a = np.load(io.BytesIO(head(descr) + data))
    print(a.tolist())
print(
    np.load(io.BytesIO(head("'<i2'", b"\x02\x00") + data)),
    np.load(io.BytesIO(head("'>i2'", b"\x03\x00", "True", "(3, 2)") + data[:12])).tolist(),
    np.load(io.BytesIO(head("'<i2'", shape="()") + data)),
)
for bytes_ in (head("'<i2'", b"\x04\x00"), head("'<i2'") + data[:4], b"\x93NUMPY\x01", head("'<i2'")[:60]):
    try:
        np.load(io.BytesIO(bytes_))
    except Exception as e:
        print(type(e).__name__, str(e)[:40] if "version" in str(e) else "")

# --- arrays written to binary files, and values read at the file position
import io

with open(FOLDER + "gpa_numbers.bin", "wb") as f:
    print(f.write(np.arange(3)), f.write(np.float32(2.5) * np.ones((2, 2), "f4")), f.write(np.zeros(0)))
    for bad in (np.arange(6)[::2], np.ones((2, 3)).T):
        try:
            f.write(bad)
        except ValueError as e:
            print(e)
    f.write(b"end")
with open(FOLDER + "gpa_numbers.bin", "rb") as f:
    print(
        np.fromfile(f, int, 2),
        f.tell(),
        np.fromfile(f, int, 1),
        np.fromfile(f, "f4", 3, offset=4),
        np.fromfile(f, "f4", 5),
        np.fromfile(f, "u1"),
    )
print(
    np.fromfile(FOLDER + "gpa_numbers.bin", "u1", offset=40),
    np.fromfile(FOLDER + "gpa_numbers.bin", "i4", 0),
    np.fromfile(FOLDER + "gpa_numbers.bin", "i8", 100)[:3],
    f.closed,
)
b = io.BytesIO()
print(b.write(np.arange(2, dtype="u1")), b.getvalue())
for bad in (
    lambda: np.fromfile(io.BytesIO(b"12345678")),
    lambda: np.fromfile(io.BytesIO(b"1,2"), sep=","),
    lambda: io.StringIO("x").fileno(),
):
    try:
        bad()
    except OSError as e:
        print(type(e).__name__, e)
print(
    io.BytesIO().seekable(),
    open(FOLDER + "gpa_numbers.bin", "rb").seekable(),
    open(FOLDER + "gpa_numbers.bin", "rb").fileno() > 2,
    io.UnsupportedOperation.__name__,
)
# --- compressed files
import gzip, os

np.savetxt(FOLDER + "gpa_c.txt.gz", np.arange(6).reshape(2, 3), fmt="%d", header="a b c")
print(L(FOLDER + "gpa_c.txt.gz"), open(FOLDER + "gpa_c.txt.gz", "rb").read(2))
with gzip.open(FOLDER + "gpa_c.txt.gz") as f:
    print(f.read())
with gzip.open(FOLDER + "gpa_c.txt.gz", "rt") as f:
    print(f.readline(), f.readlines(), f.readline() == "")
with gzip.open(FOLDER + "gpa_c.txt.gz", "rt") as f:
    print([line for line in f])
with gzip.open(FOLDER + "gpa_c.csv.gz", "wt", compresslevel=1) as f:
    print(f.write("x,y\n1,2\n3,\n"))
print(
    G(FOLDER + "gpa_c.csv.gz", delimiter=",", names=True)["y"],
    L(FOLDER + "gpa_c.csv.gz", delimiter=",", skiprows=1, max_rows=1),
)
with gzip.open(FOLDER + "gpa_c.npy.gz", "wb") as f:
    np.save(f, np.arange(5.0))
    np.save(f, np.eye(2))
    print(f.tell())
with gzip.open(FOLDER + "gpa_c.npy.gz") as f:
    print(np.load(f), np.load(f), f.read())
with gzip.GzipFile(FOLDER + "gpa_c.npy.gz") as f:
    print(np.load(f), f.readable(), f.writable(), f.closed)
with gzip.open(FOLDER + "gpa_c.txt.gz", "at") as f:
    f.write("7 8 9\n")
with gzip.open(FOLDER + "gpa_c.txt.gz") as f:
    print(L(f))
with gzip.open(FOLDER + "gpa_c.txt.gz") as f:
    print(f.seek(2), f.read(3), f.tell(), f.seek(0), f.read(1))
with open(FOLDER + "gpa_plain.gz", "w") as f:
    f.write("1 2\n")
np.savetxt(FOLDER + "gpa_cut.txt.gz", np.arange(3000))
whole = open(FOLDER + "gpa_cut.txt.gz", "rb").read()
with open(FOLDER + "gpa_cut.txt.gz", "wb") as f:
    f.write(whole[:-2000])
for bad in (
    lambda: L(FOLDER + "gpa_plain.gz"),
    lambda: gzip.open(FOLDER + "gpa_plain.gz").read(),
    lambda: gzip.open(FOLDER + "gpa_cut.txt.gz").read(),
    lambda: L(FOLDER + "gpa_cut.txt.gz"),
):
    try:
        print(bad())
    except (OSError, EOFError) as e:
        print("refused")
for bad in (
    lambda: L("/tmp/no such file.gz"),
    lambda: gzip.open("/tmp/no such file.gz"),
    lambda: gzip.open(FOLDER + "gpa_c.txt.gz", "q"),
    lambda: gzip.open(FOLDER + "gpa_c.txt.gz", "xb"),
):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, "file" in str(e).lower() or "mode" in str(e))
for name in ("c.txt", "c.csv", "c.npy", "plain", "cut.txt"):
    os.remove(FOLDER + f"gpa_{name}.gz")
# --- a file of more than 4 GiB that is mostly holes
import os

with open(FOLDER + "gpa_long.bin", "wb") as f:
    print(f.truncate(5 * 2**30), f.seek(5 * 2**30), f.write(np.arange(4)), f.tell())
print(
    np.fromfile(FOLDER + "gpa_long.bin", int, offset=5 * 2**30),
    np.fromfile(FOLDER + "gpa_long.bin", int, 3, offset=5 * 2**30 - 8),
)
with open(FOLDER + "gpa_long.bin", "rb") as f:
    print(
        f.seek(-16, 2),
        np.fromfile(f, int, 1),
        f.tell(),
        np.fromfile(f, "u1", 4, offset=2),
        f.seek(4 * 2**30 + 1),
        np.fromfile(f, int, 2),
        f.tell(),
    )
os.remove(FOLDER + "gpa_long.bin")
try:
    np.fromfile("no such file")
except FileNotFoundError as e:
    print(e)
# --- files in other encodings
import gzip

with open(FOLDER + "gpa_latin.txt", "w", encoding="latin-1") as f:
    print(f.write("aé\nüb\n"), "ß", file=f)
print(open(FOLDER + "gpa_latin.txt", "rb").read())
with open(FOLDER + "gpa_latin.txt", encoding="latin-1") as f:
    print(f.read(2), f.readline(), f.readlines())
with open(FOLDER + "gpa_latin.txt", encoding="iso-8859-1") as f:
    print([line for line in f])
with open(FOLDER + "gpa_mark.txt", "w", encoding="utf-8-sig") as f:
    f.write("é,")
    f.write("b\n")
print(
    open(FOLDER + "gpa_mark.txt", "rb").read(),
    open(FOLDER + "gpa_mark.txt", encoding="utf-8-sig").read(),
    ascii(open(FOLDER + "gpa_mark.txt", encoding="utf-8").read()),
)
print(
    open(FOLDER + "gpa_latin.txt", errors="replace").read(),
    open(FOLDER + "gpa_latin.txt", encoding="ascii", errors="ignore").read(),
)
for f in (
    lambda: open(FOLDER + "gpa_latin.txt").read(),
    lambda: open(FOLDER + "gpa_latin.txt", encoding="ascii").readline(),
    lambda: open(FOLDER + "gpa_latin.txt", encoding="no"),
    lambda: open(FOLDER + "gpa_latin.txt", "rb", encoding="ascii"),
    lambda: open(FOLDER + "gpa_ascii.txt", "w", encoding="ascii").write("é"),
    lambda: open(FOLDER + "gpa_latin.txt", "rb", errors="strict"),
):
    try:
        print(f())
    except (UnicodeError, LookupError, ValueError) as e:
        print(type(e).__name__, e)
with gzip.open(FOLDER + "gpa_latin.gz", "wt", encoding="latin-1") as f:
    f.write("é")
print(gzip.open(FOLDER + "gpa_latin.gz").read(), gzip.open(FOLDER + "gpa_latin.gz", "rt", encoding="latin-1").read())

# --- shapes of loadtxt and genfromtxt without rows
import io
import warnings

warnings.simplefilter("ignore")
for text in ("", "# a b c\n\n", "1 2 3\n"):
    for ndmin in (0, 1, 2):
        for options in ({}, {"usecols": (0, 1)}, {"usecols": 0}, {"usecols": [1]}, {"dtype": int}, {"unpack": True},
                {"usecols": (0, 1, 2), "unpack": True}):
            print(repr(text), ndmin, options,
                np.shape(np.loadtxt(io.StringIO(text), ndmin=ndmin, skiprows=int(text[:1] == "1"), **options)))
            if text != "1 2 3\n":
                print(np.shape(np.genfromtxt(io.StringIO(text), ndmin=ndmin, **options)))

# --- a file is an iterator over its lines
with open(FOLDER + 'gpa_lines.txt', 'w') as f:
    f.write('one\ntwo\nthree\n\nfive')
f = open(FOLDER + 'gpa_lines.txt')
print(repr(next(f)), repr(f.__next__()), [line for line in f], next(f, 'end'), f.__iter__() is f)
show(lambda: next(f))
f.close()
show(lambda: next(f))
show(lambda: next(3))
# --- gzip over a file in memory
import gzip, io

raw = io.BytesIO()
with gzip.GzipFile(fileobj=raw, mode='w') as f:
    print(f.write(b'1 2\n3 4\n'), f.closed)
print(raw.closed, gzip.decompress(raw.getvalue()))
raw.seek(0)
print(np.loadtxt(gzip.GzipFile(fileobj=raw)).tolist())
raw.seek(0)
f = gzip.GzipFile(fileobj=raw, mode='rb')
print(f.readline(), f.read(), gzip.decompress(gzip.compress(b'ab') + gzip.compress(b'', 1) + gzip.compress(b'c')))
for data in (b'plain', gzip.compress(b'abcabc')[:-9]):
    try:
        gzip.decompress(data)
    except (OSError, EOFError) as e:
        print(isinstance(e, OSError))
print(np.loadtxt(['0' * 1000 + '.5'], dtype=complex), np.loadtxt(['0' * 1000 + '.5']))
# --- the addresses of an array (not on cuda: its memory has no host address)
for a in (np.arange(12).reshape(3, 4), np.arange(12)[::2], np.arange(12).reshape(3, 4).T[::-1], np.zeros((0, 3))):
    low, high = np.lib.array_utils.byte_bounds(a)
    print(high - low)

# --- errors of the operating system
import os
def attempt(f):
    try:
        f()
    except OSError as e:
        print(type(e).__name__, e, e.errno, isinstance(e, NotADirectoryError))
for f in (open, os.listdir, os.stat, os.chdir):
    attempt(lambda: f('/etc/passwd/x'))
for f in (lambda: os.mkdir('/etc/passwd/x'), lambda: open('/tmp'), lambda: open('/nonexistent/x'), lambda: os.mkdir('/tmp'),
          lambda: os.remove('/nonexistent/x'), lambda: os.makedirs('/etc/passwd/x/y')):
    attempt(f)
names = ('NotADirectoryError', 'BlockingIOError', 'ChildProcessError', 'ConnectionError', 'BrokenPipeError', 'ConnectionAbortedError',
         'ConnectionRefusedError', 'ConnectionResetError', 'InterruptedError', 'ProcessLookupError', 'TimeoutError', 'ReferenceError',
         'StopAsyncIteration', 'UnicodeTranslateError')
for name in names:
    print(name, [k.__name__ for k in eval(name).__mro__])
for number in (2, 17, 13, 1, 21, 20, 11, 10, 32, 103, 111, 104, 4, 3, 110, 28):
    e = OSError(number, 'words')
    print(type(e).__name__, e, e.errno)
print(type(OSError('a', 'b')).__name__, type(OSError(2)).__name__, type(FileNotFoundError(20, 'x')).__name__)
class Lost(ConnectionError):
    pass
for error in (Lost('a'), BrokenPipeError(32, 'b')):
    try:
        raise error
    except ConnectionError as e:
        print(type(e).__name__, e, isinstance(e, OSError))
