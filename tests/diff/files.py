# Arrays in text files, .npy files and archives.
import sys
L, G = np.loadtxt, np.genfromtxt
def S(*a, **k):
    np.savetxt('/tmp/gpa_s.txt', *a, **k)
    with open('/tmp/gpa_s.txt') as f:
        return f.read()
def show(f):
    try:
        print(repr(f()))
    except BaseException as e:
        print(type(e).__name__ + ":", e)

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
np.savetxt('/tmp/gpa_s.txt',np.arange(6).reshape(2,3)/7)
show(lambda: L('/tmp/gpa_s.txt'))
np.savetxt(sys.stdout,[1,2],fmt='%d')
np.save('/tmp/gpa_n',np.arange(6).reshape(2,3))
show(lambda: np.load('/tmp'))
show(lambda: np.load('/tmp/gpa_n.npy'))
np.save('/tmp/gpa_n.npy',np.float32(2.5))
show(lambda: np.load('/tmp/gpa_n.npy'))
np.save('/tmp/gpa_n.npy',np.zeros((0,3),dtype='u1'))
show(lambda: np.load('/tmp/gpa_n.npy'))
np.save('/tmp/gpa_n.npy',np.array([1+2j,3]))
show(lambda: np.load('/tmp/gpa_n.npy'))
# --- archives
np.savez('/tmp/gpa_z',np.arange(3),b=np.array([True,False]))
z=np.load('/tmp/gpa_z.npz')
show(lambda: (z.files, z['arr_0'], z['b'], 'b' in z, len(z), sorted(z.keys()), list(z)))
show(lambda: z['nope'])
show(lambda: z)
np.savez_compressed('/tmp/gpa_z2.npz',a=np.zeros(1000))
show(lambda: np.load('/tmp/gpa_z2.npz')['a'].sum())
with np.load('/tmp/gpa_z.npz') as f: q=f['b']
show(lambda: q)
show(lambda: np.savez('/tmp/gpa_z3.npz', np.arange(3), arr_0=1))
# --- files that are none
show(lambda: np.load('/nope.npy'))
open('/tmp/gpa_bad.npy','w').write('hello world this is not an array')
show(lambda: np.load('/tmp/gpa_bad.npy'))
open('/tmp/gpa_bad.npy','w').close()
show(lambda: np.load('/tmp/gpa_bad.npy'))
fh=open('/tmp/gpa_n2.npy','wb'); np.save(fh,np.arange(3)); fh.close()
show(lambda: (np.load('/tmp/gpa_n2.npy'), np.load(open('/tmp/gpa_n2.npy', 'rb'))))
# --- text files
with open("/tmp/gpa_t.txt", "w") as f:
    n = f.write("a\nb\nçd\n")
    f.writelines(["x", "y\n"])
    print("more", 1, file=f)
show(lambda: (n, f.closed, f.name, f.mode))
show(lambda: [line.strip() for line in open("/tmp/gpa_t.txt")])
show(lambda: (open("/tmp/gpa_t.txt").readlines(), open("/tmp/gpa_t.txt").readline(), open("/tmp/gpa_t.txt").read(5)))
show(lambda: (open("/tmp/gpa_t.txt", "rb").read(), open("/tmp/gpa_t.txt").read()))
show(lambda: f.read())
show(lambda: open("/tmp/gpa_t.txt", "w").write(5))
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
with open('/tmp/gpa_t.csv', 'w') as f: f.write(t)
tell('/tmp/gpa_t.csv', names=True)
with open('/tmp/gpa_t.csv') as f: tell(f, names=True, replace_space='-', deletechars='(')

# --- several arrays in one file, and files that end too early
with open("/tmp/gpa_two.npy", "wb") as f:
    np.save(f, np.arange(3)); np.save(f, np.eye(2))
with open("/tmp/gpa_two.npy", "rb") as f:
    print(np.load(f), np.load(f))
    try: np.load(f)
    except EOFError as e: print(e)
whole = open("/tmp/gpa_two.npy", "rb").read()
for n in (140, 60, 8):
    with open("/tmp/gpa_cut.npy", "wb") as f: f.write(whole[:n])
    try: np.load("/tmp/gpa_cut.npy")
    except ValueError as e: print(e)
