# Format specifications.
# --- plain
a, b = 3, "x"
print(f"{a} {b} {a + 1} {b!r} {b!s} {{}} {a=} {a + 1 = } {b=}")
# --- nested quotes and expressions
d = {"k": [1, 2, 3]}
print(f"{d['k'][1]} {len(d['k'])} {', '.join(str(i) for i in d['k'])} {(lambda x: x * 2)(4)}")
# --- nested specification
w, p = 10, 3
print(f"[{math.pi:{w}.{p}f}] [{'a':>{w}}] [{5:0{w}d}]")
# --- integers
print(f"{42:d}|{42:5d}|{42:<5d}|{42:^5d}|{42:05d}|{42:+d}|{-42:5d}|{42: d}|{1234567:,}|{1234567:_}|{42:>+6}")
# --- integers in other bases
print(f"{255:x} {255:X} {255:#x} {255:b} {5:08b} {255:o} {255:#o} {5:#b} {65:c} {-255:x} {65535:_x}")
# --- integers as floats
print(f"{42:.2f} {42:e} {42:g} {1:%} {1000000:g} {42:n}")
# --- fill and sign
print(f"{7:*^9d}|{7:=+5d}|{-7:=5d}|{-7:0=5d}|{'ab':-<6}|{'ab':^7}|{'abc':.2}|{'abc':6.2}|")
# --- fixed
print(f"{3.14159:.2f} {2.5:.0f} {3.5:.0f} {-0.001:.2f} {1e10:.1f} {1234.5:,.2f} {0.5:.1%} {1 / 3:.3%} {2.675:.2f}")
# --- scientific
print(f"{12345.678:e} {12345.678:.2e} {0.00012:E} {0.0:e} {1e-300:.3e} {-1.5e200:.1e}")
# --- general
print(
    f"{0.0001:g} {0.00001:g} {123456789.0:g} {1e20:g} {100000.0:g} {1000000.0:g} {1.5:g} {3.0:.3g} "
    f"{1234.5678:.6g} {0.1:.17g}"
)
# --- general format keeps trailing zeros with #
print(f"{3.0:#g} {3.0:#.0f} {3:#x}")
# --- default float formatting with a width
print(f"{1.5:10}|{1e16:10}|{0.1:<8}|{1.0:08}|{-1.5:08.2f}|{1.5:+}|{12345.6789:.3}|{100.0:.1}")
# --- special floats
inf, nan = float("inf"), float("nan")
print(f"{inf} {nan} {-inf:.2f} {nan:8.1f} {inf:+} {inf:010} {inf:e} {nan:%}")
# --- strings
print(f"{'a':5}|{'a':>5}|{'a':^5}|{'a':*<5}|{'hello':.3}|{'é':>3}|{True}|{None}|{True:d}|{'x'!r:>6}")
# --- containers
print(f"{[1, 2]} {(1,)} {({'a': 1})} {None} {1 < 2} {[x for x in range(3)]}")
# --- format builtin
print(
    format(3.14159, ".2f"),
    format(5),
    format("a", ">3"),
    format(255, "#06x"),
    format(1e6, ","),
    format(True),
    format(None),
)
# --- thousands
print(f"{0:,} {999:,} {1000:,} {-1234567:,} {1234.5:,} {1234567.891:,.1f} {12:010,} {1234567:012,}")
# --- percent
print(f"{0.123:%} {0.123:.0%} {1.5:.2%} {-0.5:8.1%}|")
# --- complex
print(f"{1 + 2j:.1f} {1.5j} {1 + 2j:>12} {3 - 4j:+.2e}")
# --- conversion and alignment in a table
rows = [("alpha", 1, 2.5), ("be", 20, 33.333), ("c", 300, -0.5)]
for name, n, x in rows:
    print(f"{name:<8}|{n:>5}|{x:>9.3f}|")
# --- adjacent and multi-line
x = 4
print(
    "a" f"{x}" "b{x}" f'{x:>3}',
    f"""{x}
{x * 2}""",
)
# --- numpy scalars
v = np.float32(1.5)
n = np.int64(42)
print(f"{v} {v:.2f} {v:8.3f} {n} {n:5d} {n:x} {np.bool_(True)} {np.float64(0.1)} {np.float64(2.0):g}")
# --- numpy scalars by repr
v = np.float64(0.1)
print(f"{v!r} {np.int32(3)!r} {v=}")
# --- arrays in f-strings
a = np.arange(3)
print(f"{a} {a.sum()} {a.mean():.3f} {a[1]:03d} {a * 0.5}")
# --- rounding carries
print(f"{9.999:.2f} {0.9999:.1f} {99.5:.0f} {9.5:.0e} {999999.5:g} {0.00009999995:g}")
# --- zero flag and sign
print(f"{-5:05d} {5:+05d} {-1.5:07.1f} {5:<05d}| {'a':<05}|")
# --- zero without a negative sign
print(f"{-0.0} {-0.0:.1f} {-0.0:g} {-0.0:e} {0.0:+.0f}")
