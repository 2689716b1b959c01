# Lists and tuples.
# --- literals and repr
print([], [1], [1, [2, [3]]], (), (1,), (1, 2), [(), []], [None, True, 1.5, "a", 1j])
# --- indexing and slices
a = [0, 1, 2, 3, 4, 5]
print(a[0], a[-1], a[1:3], a[:], a[::-1], a[4:1:-1], a[::2], a[10:], a[-2:], a[5:0:-2])
# --- item assignment
a = [1, 2, 3]
a[0] = "x"
a[-1] = [4]
print(a)
# --- slice assignment
a = list(range(6))
a[1:3] = [10, 20, 30]
print(a)
a[::2] = ["a"] * len(a[::2])
print(a)
a[:0] = [7]
a[len(a) :] = (8, 9)
a[2:4] = []
print(a)
# --- deletion
a = list(range(8))
del a[0]
del a[-1]
del a[1:3]
del a[::2]
print(a)
# --- append extend insert
a = []
a.append(1)
a.extend([2, 3])
a.extend("ab")
a.insert(0, "first")
a.insert(100, "last")
a.insert(-1, "before last")
print(a)
# --- pop and remove
a = [1, 2, 3, 2]
print(a.pop(), a.pop(0), a)
a.remove(2)
print(a)
# --- index count
a = [3, 1, 3, 2]
print(a.index(3), a.index(3, 1), a.count(3), a.count(9), 1 in a, 9 not in a)
# --- reverse sort
a = [3, 1, 2]
a.reverse()
print(a)
a.sort()
print(a)
a.sort(reverse=True)
print(a, sorted(a), sorted(a, key=lambda x: -x))
# --- sort is stable
rows = [("b", 2), ("a", 2), ("c", 1)]
rows.sort(key=lambda r: r[1])
print(rows, sorted(rows, key=lambda r: r[1], reverse=True))
# --- sort of mixed numbers and of tuples
print(sorted([2.5, 1, True, -3]), sorted([(1, "b"), (1, "a"), (0, "z")]), sorted(["b", "B", "a"], key=str.lower))
# --- concatenation and repetition
print([1] + [2, 3], [0] * 3, 2 * [1, 2], (1,) + (2,), (0,) * 2, [] * 5, [[]] * 2)
# --- in-place addition keeps the identity of the list
a = b = [1]
a += [2]
a += (3,)
a *= 2
print(a, b, a is b)
# --- addition of tuples makes a new one
a = b = (1,)
a += (2,)
print(a, b, a is b)
# --- aliasing
a = [1, 2]
b = a
b.append(3)
c = a[:]
c.append(4)
d = a.copy()
d[0] = 9
print(a, b, c, d)
# --- nested sharing
row = [0] * 2
grid = [row] * 2
grid[0][0] = 1
print(grid, [[0] * 2 for _ in range(2)])
# --- comparison
print([1, 2] == [1, 2], [1, 2] < [1, 3], [1] < [1, 0], (1, 2) == [1, 2], [1.0] == [1], (2,) > (1, 5), [] < [0])
# --- len min max sum any all
a = [3, 1, 2]
print(len(a), min(a), max(a), sum(a), any([0, 0, 1]), all([1, 0]), any([]), all([]))
# --- clear
a = [1]
a.clear()
print(a, len(a), not a)
# --- tuple methods and unpacking
t = (1, 2, 2)
print(t.count(2), t.index(2), t[1:], len(t), 2 in t)
(x, y), z = (1, 2), 3
print(x, y, z)
# --- parentheses and commas
t = (1,)
u = ()
v = 1
print(t, u, v, (1, 2, 3)[1])
# --- list of things
print(
    list(range(3)), list("ab"), list((1, 2)), list({"k": 1}), tuple([1]), tuple("ab"), list(zip("ab", [1, 2])), list()
)
# --- comprehension
print([x * x for x in range(5)], [x for x in range(10) if x % 3 == 0], [(x, y) for x in range(2) for y in "ab"])
# --- comprehension with conditions and nesting
print(
    [[i * j for j in range(3)] for i in range(3)],
    [x if x > 1 else -x for x in range(4)],
    [x for x in range(30) if x % 2 if x % 3 == 0],
)
# --- comprehension has its own scope
x = "outer"
y = [x for x in range(3)]
print(x, y)
# --- flatten and transpose
m = [[1, 2, 3], [4, 5, 6]]
print([v for row in m for v in row], [list(col) for col in zip(*m)], [row[1] for row in m])
# --- star in displays and calls
a, b = [1, 2], (3, 4)
print([*a, *b], (*a, 0), {*a, *a}, max(*a, *b), [*range(3), *"xy"])
# --- enumerate zip reversed
print(list(enumerate("ab")), list(enumerate("ab", 5)), list(zip([1, 2, 3], "ab")), list(reversed([1, 2])), list(zip()))
# --- loop with index change
a = [5, 6, 7]
for i, v in enumerate(a):
    a[i] = v * 2
print(a)
# --- swap elements
a = [1, 2, 3]
a[0], a[2] = a[2], a[0]
i = 0
i, a[i] = 1, 9
print(a, i)
# --- list equality with recursion in values
print([1, [2, (3,)]] == [1, [2, (3,)]], [1, [2]] != [1, [3]], [None] == [None], [float("nan")] == [float("nan")])
# --- map filter
print(
    list(map(lambda x: x + 1, [1, 2])),
    list(filter(None, [0, 1, "", "a"])),
    list(filter(lambda x: x > 1, (1, 2, 3))),
    list(map(pow, [2, 3], [3, 2])),
)
# --- stack and queue
s = []
for c in "([]){}":
    if c in "([{":
        s.append(c)
    else:
        s.pop()
print(s, not s)
# --- matrix product by hand
a = [[1, 2], [3, 4]]
b = [[5, 6], [7, 8]]
print([[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a])


# --- quicksort
def qs(a):
    return a if len(a) < 2 else qs([x for x in a[1:] if x < a[0]]) + [a[0]] + qs([x for x in a[1:] if x >= a[0]])


print(qs([3, 6, 1, 8, 2, 9, 2]))


# --- permutations
def perms(a):
    if not a:
        return [[]]
    return [[a[i]] + p for i in range(len(a)) for p in perms(a[:i] + a[i + 1 :])]


print(perms([1, 2, 3]))
