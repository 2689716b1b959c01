# Programs of generators: pipelines, coroutines, schedulers, recursion, arrays.
# --- recursion
def permutations(items):
    if len(items) <= 1:
        yield items
    else:
        for i in range(len(items)):
            for p in permutations(items[:i] + items[i + 1 :]):
                yield [items[i]] + p


print(list(permutations([1, 2, 3])))


def hanoi(n, a="A", b="B", c="C"):
    if n:
        yield from hanoi(n - 1, a, c, b)
        yield a + c
        yield from hanoi(n - 1, b, a, c)


print(" ".join(hanoi(3)), len(list(hanoi(8))))


def flatten(x):
    if isinstance(x, list):
        for y in x:
            yield from flatten(y)
    else:
        yield x


print(list(flatten([1, [2, [3, [4, []], 5]], [[[6]]]])))


def deep(n):
    if n:
        yield from deep(n - 1)
    yield n


print(sum(deep(300)))


def loops(n):
    if n:
        for x in loops(n - 1):
            yield x
    yield n


print(sum(loops(300)))
try:
    list(deep(100000))
except RecursionError as e:
    print("RecursionError")
# --- without end, by itertools
import itertools as it


def naturals(n=0):
    while True:
        yield n
        n += 1


print(
    list(it.islice(naturals(), 5)),
    list(it.takewhile(lambda x: x < 4, naturals())),
    list(it.islice(it.dropwhile(lambda x: x < 7, naturals()), 2)),
)
print(
    list(it.islice(it.chain(naturals(8)), 3)),
    list(it.islice(it.zip_longest(naturals(), [1]), 3)),
    list(zip(naturals(), "abc")),
    list(it.islice(map(lambda x: x * x, naturals()), 4)),
)
print(
    list(it.islice(filter(lambda x: x % 3 == 0, naturals()), 4)),
    list(it.islice(it.accumulate(naturals()), 5)),
    list(it.islice(it.starmap(pow, zip(naturals(), it.repeat(2))), 4)),
)
a, b = it.tee(naturals())
print(
    next(a),
    next(a),
    next(b),
    list(it.compress(it.islice(naturals(), 5), [1, 0, 1, 0, 1])),
    list(it.islice(it.cycle(it.islice(naturals(), 3)), 7)),
)
print(
    [(k, list(v)) for k, v in it.groupby(it.islice(naturals(), 6), key=lambda x: x // 2)],
    list(it.islice(it.batched(naturals(), 2), 2)) if hasattr(it, "batched") else [(0, 1), (2, 3)],
)


def primes():
    seen = []
    for n in naturals(2):
        if all(n % p for p in seen):
            seen.append(n)
            yield n


print(list(it.islice(primes(), 10)), next(p for p in primes() if p > 50))


def sieve(numbers):
    p = next(numbers)
    yield p
    yield from sieve(n for n in numbers if n % p)


print(list(it.islice(sieve(naturals(2)), 8)))


def fibonacci():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


print(list(it.islice(fibonacci(), 12)), max(it.takewhile(lambda x: x < 1000, fibonacci())))


# --- a pipeline
def lines(text):
    for line in text.splitlines():
        yield line


def fields(rows):
    for row in rows:
        yield row.split(",")


def numbers(rows):
    for row in rows:
        try:
            yield [float(x) for x in row]
        except ValueError:
            continue


text = "a,b\n1,2\n3,4\nx,5\n6,7"
print(list(numbers(fields(lines(text)))), np.array(list(numbers(fields(lines(text))))).sum(axis=0))


def chunks(l, n):
    for i in range(0, len(l), n):
        yield l[i : i + n]


print(list(chunks(list(range(7)), 3)), [c.sum() for c in chunks(np.arange(7), 3)])


# --- coroutines that receive
def coroutine(f):
    def start(*args, **kw):
        c = f(*args, **kw)
        next(c)
        return c

    return start


@coroutine
def printer(prefix):
    try:
        while True:
            print(prefix, (yield))
    except GeneratorExit:
        print("closed")


@coroutine
def grep(pattern, target):
    while True:
        line = yield
        if pattern in line:
            target.send(line)


p = printer(">")
g = grep("x", p)
for line in ("abc", "xyz", "x"):
    g.send(line)
p.close()
# --- a scheduler
from collections import deque


def task(name, n):
    for i in range(n):
        print(name, i)
        yield
    return name


ready = deque([task("a", 2), task("b", 3), task("c", 1)])
while ready:
    t = ready.popleft()
    try:
        next(t)
        ready.append(t)
    except StopIteration as e:
        print(e.value, "is done")


# --- arrays
def steps(u, n):
    for _ in range(n):
        u = u * 2 + 1
        yield u


for i, u in enumerate(steps(np.arange(3), 4)):
    print(i, u)


def shared(n):
    a = np.zeros(3)
    for i in range(n):
        a[i] = i + 1
        yield a


print([u.copy() for u in shared(3)], list(shared(2)))
print(
    sum(steps(np.ones((2, 2)), 3)), np.stack(list(steps(np.ones(2), 2))), max(u.sum() for u in steps(np.arange(4.0), 3))
)


def batches(data, size):
    order = np.argsort(-data)
    for start in range(0, len(data), size):
        yield data[order[start : start + size]]


for b in batches(np.array([3.0, 1.0, 2.0, 5.0, 4.0]), 2):
    print(b, b.mean())


def newton(x, a):
    while True:
        x = (x + a / x) / 2
        yield x


for x in newton(1.0, 2.0):
    if abs(x * x - 2) < 1e-12:
        break
print(round(x, 12))
# --- sorting, merging and grouping by generators
import heapq


def runs(data, n):
    for i in range(0, len(data), n):
        yield sorted(data[i : i + n])


print(list(heapq.merge(*runs([5, 2, 9, 1, 7, 3, 8], 3))), sorted(x for r in runs([3, 1, 2], 2) for x in r))


def pairwise(items):
    items = iter(items)
    try:
        a = next(items)
    except StopIteration:
        return
    for b in items:
        yield a, b
        a = b


print(list(pairwise("abcd")), list(pairwise([])), list(pairwise([1])))
