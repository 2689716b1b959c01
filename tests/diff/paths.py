# File system and text in scripts: os, pathlib, glob, fnmatch, shutil, textwrap, pprint.
# --- pathlib: parts of a path (python 3.12)
from pathlib import Path

p = Path("data") / "run" / "a.tar.gz"
print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, list(p.parents), p.anchor, p.root == "")
print(
    "x" / Path("y"),
    Path("/a", "b") / "/c",
    Path("a//b/./c/"),
    Path(),
    Path("") == Path("."),
    Path("a") != Path("b"),
    Path("/").name == "",
)
print(
    p.with_suffix(".zip"),
    p.with_name("b"),
    p.with_stem("c"),
    p.with_suffix(""),
    p.joinpath("x", "y"),
    p.is_absolute(),
    Path("/a").is_absolute(),
)
print(
    Path("/a/b/c").relative_to("/a"),
    p.is_relative_to("data"),
    p.match("*.gz"),
    p.match("run/*.gz"),
    p.match("x/*.gz"),
    Path(".bashrc").suffix == "",
    Path("a.").suffix == "",
)
print(
    sorted([Path("b"), Path("a/c"), Path("a")]),
    {Path("a"): 1}[Path("./a")],
    len({Path("a"), Path("a/")}),
    Path("a") < Path("b"),
    f"{p}|{str(p):>20}",
    str(p) + "!",
)
print(
    Path("/a").as_uri(),
    p.as_posix(),
    Path("/a/../b/./c").resolve(),
    Path.cwd() == Path(".").absolute().resolve(),
    isinstance(p, Path),
)
for f in (
    lambda: Path("a").relative_to("/b"),
    lambda: Path("").with_name("x"),
    lambda: p.with_suffix("gz"),
    lambda: Path("a") + "b",
    lambda: Path(3),
):
    try:
        print(f())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, str(e)[:36])
# --- pathlib: files and folders
from pathlib import Path
import tempfile, os

with tempfile.TemporaryDirectory() as folder:
    d = Path(folder)
    (d / "in" / "deep").mkdir(parents=True)
    (d / "in").mkdir(exist_ok=True)
    for name in ("a.csv", "b.txt", "in/c.csv", "in/deep/d.csv", ".hidden.csv"):
        (d / name).write_text(name + "\nline 2\n")
    print(
        (d / "a.csv").read_text(),
        (d / "a.csv").read_bytes()[:5],
        (d / "a.csv").stat().st_size,
        (d / "a.csv").exists(),
        d.is_dir(),
        (d / "a.csv").is_file(),
    )
    print(
        sorted(x.name for x in d.iterdir()),
        sorted(x.name for x in d.glob("*.csv")),
        sorted(str(x.relative_to(d)) for x in d.rglob("*.csv")),
    )
    print(
        sorted(str(x.relative_to(d)) for x in d.glob("**/*.csv")),
        sorted(str(x.relative_to(d)) for x in d.glob("**")),
        list(d.glob("nothing*")),
    )
    with (d / "a.csv").open() as f:
        print(f.readline(), end="")
    with open(d / "e.npy", "wb") as f:
        np.save(f, np.arange(3))
    np.save(d / "f.npy", np.arange(4))
    np.savetxt(d / "g.txt", np.eye(2), fmt="%d")
    print(np.load(d / "e.npy"), np.load(d / "f.npy"), np.loadtxt(d / "g.txt"), np.genfromtxt(d / "g.txt"))
    np.savez(d / "h.npz", x=np.arange(2))
    print(
        np.load(d / "h.npz")["x"],
        os.path.getsize(d / "b.txt"),
        os.path.join(d, "x") == str(d / "x"),
        os.listdir(d / "in" / "deep"),
    )
    np.arange(3).tofile(d / "i.bin")
    print(np.fromfile(d / "i.bin", dtype=int))
    (d / "b.txt").rename(d / "z.txt").unlink()
    (d / "z.txt").unlink(missing_ok=True)
    (d / "new").touch()
    print((d / "new").exists(), (d / "z.txt").exists(), os.fspath(d / "q") == str(d / "q"))
    for f in (
        lambda: (d / "no").read_text(),
        lambda: (d / "in").mkdir(),
        lambda: (d / "no" / "no").mkdir(),
        lambda: (d / "no").unlink(),
        lambda: (d / "in").rmdir(),
    ):
        try:
            f()
        except OSError as e:
            print(type(e).__name__, e.errno if hasattr(e, "errno") else 0)
# --- os, os.path, shutil, glob on a small tree
import os, glob, shutil, tempfile, fnmatch

old = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.makedirs("a/b/c")
    for name in ("x1.csv", "x2.csv", "y.txt", "a/z.csv", "a/b/w.csv", "a/b/c/[1].csv", ".h.csv"):
        with open(name, "w") as f:
            f.write(name)
    print([(top, sorted(folders), sorted(files)) for top, folders, files in os.walk(".")])
    print([(top, sorted(folders)) for top, folders, files in os.walk("a", topdown=False)])
    for top, folders, files in os.walk("."):
        folders[:] = [f for f in folders if f != "b"]
        print(top, sorted(files))
    for pattern in (
        "*.csv",
        "x?.csv",
        "x[1].csv",
        "*/*.csv",
        "a/*",
        "**/*.csv",
        "./x1*",
        "no*",
        "a",
        "a/",
        "*/",
        "x[!1].csv",
    ):
        print(pattern, sorted(glob.glob(pattern)), end=" ")
    print()
    for pattern in ("**/*.csv", "a/**", "**", "**/c/*", "a/**/*.csv"):
        print(pattern, sorted(glob.glob(pattern, recursive=True)))
    print(
        sorted(glob.glob("*.csv", root_dir="a")),
        glob.glob(glob.escape("a/b/c/[1].csv")),
        sorted(glob.iglob("x*")),
        sorted(glob.glob("*.csv", include_hidden=True)),
    )
    print(glob.glob(os.path.join(os.getcwd(), "x1.*")) == [os.path.join(os.getcwd(), "x1.csv")])
    print(os.stat("y.txt").st_size, os.path.getsize("y.txt"), os.path.samefile("a", "a/../a"), os.path.lexists("q"))
    print(
        shutil.copy("y.txt", "a"),
        shutil.copyfile("y.txt", "k.txt"),
        open("k.txt").read(),
        shutil.move("k.txt", "a/b"),
        sorted(os.listdir("a/b")),
    )
    shutil.copytree("a", "t")
    print(sorted(os.listdir("t")))
    shutil.rmtree("t")
    os.removedirs("q") if os.path.isdir("q") else None
    print(os.path.exists("t"), shutil.which("no-such-program"), os.path.basename(shutil.which("sh")))
    try:
        shutil.rmtree("t")
    except FileNotFoundError as e:
        print(e)
    os.chdir(old)
print(
    os.path.normpath("a//b/../c/./d/.."),
    os.path.normpath("/../a"),
    os.path.normpath(""),
    os.path.normpath("../x"),
    os.path.relpath("/a/b/c", "/a/d"),
    os.path.relpath("/a", "/a"),
)
print(
    os.path.commonprefix(["interview", "internal"]),
    os.path.commonpath(["/usr/lib", "/usr/local"]),
    os.path.commonprefix([]) == "",
    os.sep,
    os.curdir,
    os.pardir,
    os.pathsep,
    os.devnull,
    os.path.sep,
)
os.environ["GPA_TEST_X"] = "v"
print(
    os.path.expandvars("$GPA_TEST_X/${GPA_TEST_X}y/$none"),
    os.path.splitdrive("/a"),
    os.path.realpath("/usr/../usr") == os.path.realpath("/usr"),
)
print(
    [
        fnmatch.fnmatch(n, p)
        for n, p in (
            ("a.csv", "*.csv"),
            ("a.csv", "b*"),
            ("abc", "a?c"),
            ("a[b", "a[[]b"),
            ("x5", "x[0-9]"),
            ("x5", "x[!0-9]"),
            ("", "*"),
            ("abab", "*ab"),
            ("a-b", "a[x-]b"),
            ("a]", "a[]]"),
        )
    ]
)
print(fnmatch.filter(["a.py", "b.txt", "c.py"], "*.py"))
# --- days, spans and paths as keys
from datetime import date, datetime, timedelta

d = {date(2024, 1, 1): 5, datetime(2024, 1, 1, 2): 6, timedelta(days=1): 7}
print(
    d[date(2024, 1, 1)],
    d[datetime(2024, 1, 1, 2)],
    d[timedelta(hours=24)],
    date(2024, 1, 2) in d,
    len({date(2024, 1, 1), date(2024, 1, 1)}),
)
print(
    [date(2024, 1, 1)] == [date(2024, 1, 1)],
    (timedelta(1), 2) == (timedelta(1), 2),
    {"a": date(2024, 1, 1)} == {"a": date(2024, 1, 2)},
    [date(2024, 1, 3)].index(date(2024, 1, 3)),
)
print(bool(date(2024, 1, 1)), bool(timedelta(0)), bool(timedelta(1)), "yes" if datetime(2024, 1, 1) else "no")
print(np.nan in set([np.nan]), {np.nan: 1}.get(np.nan), len({float("inf"), float("inf")}))
# --- texts that grow
def join(n):
    s = ""
    for i in range(n):
        s += str(i)
        if i % 1000 == 0:
            kept = s
    t = s
    t += "é"
    s += s
    b = b""
    for i in range(300):
        b += bytes([i % 256])
    return len(s), len(kept), t[-1], len(t), len(b), s[:5], hash(s) == hash(s[:] + "")


print(join(5000))
# --- pairs in loops
print(
    [a * b for a, b in zip([1, 2, 3], [4, 5])],
    [(i, c) for i, c in enumerate("abc", 5)],
    [a + b + c + d for a, b, c, d in zip(*[[1, 2]] * 4)],
)
total = 0
for i, (x, y) in enumerate(zip(np.arange(3), [2.5, 3, "q"])):
    total += i
    print(i, x, y)
it = zip([1, 2, 3], [4, 5, 6])
print(next(it), [x for x, y in it], list(it), [a for a, *b in zip([1], [2], [3])])
for pairs in (
    lambda: [x for x, y in zip([1, 2], [1], strict=True)],
    lambda: [x for x, y in zip([1], [2], [3])],
    lambda: [x for x, y, z in enumerate("ab")],
    lambda: [a for a, b in zip([1], 5)],
):
    try:
        print(pairs())
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
i = x = 7
for i, x in zip([], []):
    pass
print(i, x)
# --- the user's folder
import os

print([os.path.expanduser(p) for p in ("~", "~/x", "~root", "~root/y", "~nobody_has_this_name/z", "a/~", "")])
