# Methods that modify the list, dict or set on which they are called: no use after free.
# --- containers emptied by methods of their items
class Sly:
    """Each method empties what is being worked on, and answers."""

    def __init__(self, n=0):
        self.n = n

    def __hash__(self):
        return self.n

    def __eq__(self, other):
        empty()
        return False

    def __lt__(self, other):
        empty()
        return True

    def __index__(self):
        empty()
        return self.n

    def __iter__(self):
        empty()
        return iter([7, 8])

    def __repr__(self):
        empty()
        return f"Sly({self.n})"


items, table, members = [], {}, set()


def empty():
    items.clear()
    table.clear()
    members.clear()
    return [[i] for i in range(50)]


def fill(make):
    items[:] = [make(i) for i in range(5)]
    table.update({8 * i: make(i) for i in range(5)})
    table["key"] = [make(1), make(2)]
    members.update([(i, "x") for i in range(3)])


def delete(key):
    del items[key]


def store(key, item=0):
    items[key] = item


tries = [
    lambda s: 1 in items,
    lambda s: items.index(3),
    lambda s: items.index(3, s, 4),
    lambda s: items.count(3),
    lambda s: items.remove(3),
    lambda s: items == [1, 2, 3, 4, 5],
    lambda s: items == items[:],
    lambda s: items < [1, 2, 3, 4, 5],
    lambda s: [[items]] == [[[1, 2, 3, 4, 5]]],
    lambda s: [items[s]],
    lambda s: items[s:],
    lambda s: items[: Sly(4) : Sly(2)],
    lambda s: items.insert(s, 1),
    lambda s: items.pop(s),
    lambda s: store(s),
    lambda s: store(slice(s, 2), [1]),
    lambda s: store(slice(0, 2), s),
    lambda s: delete(s),
    lambda s: delete(slice(s, 3)),
    lambda s: repr(items),
    lambda s: str([items, (items,), table]),
    lambda s: f"{items} {table}",
    lambda s: "%s %r" % (items, table),
    lambda s: "%(key)s" % table,
    lambda s: "{0[key]}".format(table),
    lambda s: table[s],
    lambda s: table.get(s),
    lambda s: table.pop(s),
    lambda s: table.setdefault(s, 1),
    lambda s: table.update({s: 1}),
    lambda s: s in table,
    lambda s: table == {0: 1, 8: 2, 16: 3, 24: 4, 32: 5, "key": 6},
    lambda s: ("key", 5) in table.items(),
    lambda s: s in members,
    lambda s: members.discard(s),
    lambda s: {Sly(1): 1, Sly(1): 2, **table},
    lambda s: len({Sly(1), Sly(1), Sly(1)}),
    lambda s: sorted([Sly(1), Sly(2)] + items),
]
for make in Sly, lambda i: [Sly(i)], lambda i: (i, Sly(i)):
    for number, f in enumerate(tries):
        fill(make)
        try:
            print(number, f(Sly(0)), len(items), len(table), len(members))
        except Exception as e:
            print(number, type(e).__name__, e, len(items))
        empty()


class Again:
    """Equal to nothing, until the table that it is looked for in has grown."""

    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return 1

    def __eq__(self, other):
        for i in range(20):
            grown[str(i)] = i
        return self.n == other.n


grown = {Again(1): "one"}
grown[Again(2)] = "two"
print(grown[Again(1)], grown[Again(2)], Again(3) in grown, len(grown))


# --- members that remove themselves from the class while they run
class Once:
    def method(self):
        del Once.method
        return "method" * 2

    @property
    def shown(self):
        del Once.shown
        return "shown" * 2

    @property
    def stored(self):
        return 1

    @stored.setter
    def stored(self, v):
        del Once.stored
        print("stored" * v)

    @classmethod
    def made(cls):
        del cls.made
        return "made" * 2

    def __call__(self):
        del Once.__call__
        return "called" * 2

    def __getattr__(self, name):
        del Once.__getattr__
        return name * 2


once = Once()
print(once.method(), once.shown, once.made(), once(), once.other)
once.stored = 2


# --- methods as keys: equal ones have the same hash
class Cell:
    def read(self):
        return 1


a, b = Cell(), Cell()
print(
    a.read == a.read, a.read == b.read, hash(a.read) == hash(a.read), {a.read: 1}[a.read], len({a.read, a.read, b.read})
)
print(Cell.read.__qualname__, a.read.__qualname__, a.read.__name__)
