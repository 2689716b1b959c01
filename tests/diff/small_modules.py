# Small modules of the standard library.
# --- csv
import csv, io

r = csv.reader(io.StringIO('a,b\n1,"x, y"\n"two\nlines",3\n\n,\n'))
for row in r:
    print(row, r.line_num)
print(list(csv.reader(['a;b;"c"""'], delimiter=';')), list(csv.reader(['1, 2'], skipinitialspace=True)))
print(list(csv.reader(['1,"a"', '2.5,"b"'], quoting=csv.QUOTE_NONNUMERIC)))
f = io.StringIO()
w = csv.writer(f, lineterminator='\n')
w.writerow(['name', 'v'])
w.writerows([['a', 1], ['b"c', 2.5], ['x,y', None], [''], ['l\nm', True]])
print(repr(f.getvalue()))
for row in csv.DictReader(io.StringIO('x,y\n1,2\n3\n4,5,6\n')):
    print(row)
f = io.StringIO()
w = csv.DictWriter(f, fieldnames=['x', 'y'])
w.writeheader()
w.writerow({'y': 2, 'x': 1})
print(repr(f.getvalue()))
try:
    w.writerow({'z': 1})
except ValueError as e:
    print(e)
# --- datetime
from datetime import datetime, date, timedelta

d = date(2024, 2, 28) + timedelta(days=2)
print(
    d,
    d.strftime('%d %b %Y %A %j %%'),
    (date(2024, 12, 25) - d).days,
    d.weekday(),
    repr(d),
    d < date(2025, 1, 1),
    d == date(2024, 3, 1),
)
print(
    datetime(2024, 1, 1, 12, 30),
    datetime.strptime('2024-05-06 07:08', '%Y-%m-%d %H:%M'),
    repr(datetime(2024, 1, 1, 1, 2, 3)),
)
print(
    timedelta(days=1, hours=2),
    timedelta(seconds=-1),
    repr(timedelta(seconds=-1)),
    timedelta(minutes=90) / timedelta(hours=1),
)
print(
    timedelta(hours=1) * 2.5,
    2 * timedelta(hours=1),
    timedelta(milliseconds=1500).total_seconds(),
    abs(timedelta(-1)),
    timedelta(7) // 2,
)
a = datetime(2024, 12, 31, 23, 59, 59, 5)
print(
    a + timedelta(seconds=2), a - datetime(2024, 1, 1), a.date(), f"{a:%H:%M}", a.replace(hour=1), a.isoformat(), f"{d}"
)
print(
    datetime.strptime('12/31/99 01:05 PM', '%m/%d/%y %I:%M %p'),
    datetime.fromisoformat('2024-05-06T07:08:09'),
    date.fromisoformat('2020-01-02'),
)
print(
    [date.fromordinal(n).isoformat() for n in (1, 366, 730119, 738000)],
    date(2024, 5, 6).toordinal(),
    sorted([date(2024, 1, 2), date(2023, 5, 5)]),
)
for text, form in (('2024', '%Y-%m'), ('2024-01-01 x', '%Y-%m-%d')):
    try:
        datetime.strptime(text, form)
    except ValueError as e:
        print(e)
for parts in ((2023, 2, 29), (2023, 13, 1), (0, 1, 1)):
    try:
        date(*parts)
    except ValueError as e:
        print(e)
try:
    date(2024, 1, 1) < datetime(2024, 1, 1)
except TypeError as e:
    print(e)
# --- argparse
import argparse

p = argparse.ArgumentParser(description='What it does.', prog='demo')
p.add_argument('file', help='a file')
p.add_argument('more', nargs='*')
p.add_argument('-n', '--num', type=int, default=3, help='number (default: %(default)s)')
p.add_argument('--flag', action='store_true')
p.add_argument('-v', action='count', default=0)
p.add_argument('--kind', choices=['a', 'b'])
p.add_argument('--xs', nargs='+', type=float)
a = p.parse_args(['f.txt', '-n', '5', '--flag', '-vv', '--xs', '1', '-2.5'])
print(a, a.num, a.flag, a.v, a.xs, a.kind)
print(p.parse_args(['f', '--num=7', '-n8', '--ki', 'b']), p.parse_args(['a', 'b', 'c', '--']))
print(p.parse_known_args(['f', '--other']))
p.print_help()
for words in (['-n', 'x'], [], ['f', '--what'], ['f', '--kind', 'c'], ['f', '--num']):
    try:
        p.parse_args(words)
    except SystemExit as e:
        print(e.code)
# --- timeit with texts
import timeit

print(timeit.timeit('f(3)', setup='f = abs', number=10) < 1)
print(
    timeit.timeit(
        """
y = 3
for i in range(3):
    y += i
""",
        number=10,
    )
    < 1,
    min(timeit.repeat('x + 1', 'x = 1', number=10, repeat=3)) < 1,
)
try:
    timeit.timeit('unknown(3)', number=10)
except NameError as e:
    print(e)
try:
    timeit.timeit(5)
except ValueError as e:
    print(e)
