"""Compares gradients in gpa with those of JAX and torch.compile, if these are installed, in float32 and with TF32 products.

    GPA_DEVICE=cuda tests/bench/gradients.py [--small] [--peers=jax,jax-tf32,torch,torch-tf32] [--seconds=240] [ROW ...]

Words select rows. The engines run one after the other, each in a process of its own. A row is the median of several measurements
of a call that computes a value and its gradients (for networks, and takes a step), after two seconds of warm-up: gpa's programs
are interpreted until they are compiled in the background. The last column is gpa's time over the best peer's. Values and norms
of gradients are compared with gpa's."""
import importlib.util
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GPA = os.path.abspath(os.environ.get("GPA", "build/release/gpa"))
DEVICE = os.environ.get("GPA_DEVICE", "cpu")
OPTIONS = dict(w[2:].partition("=")[::2] for w in sys.argv[1:] if w.startswith("--"))
WORDS = [w for w in sys.argv[1:] if not w.startswith("--")]
PEERS = OPTIONS.get("peers", "jax,jax-tf32,torch,torch-tf32").split(",")
SECONDS = float(OPTIONS.get("seconds", 240))  # of an engine


def commands():
    """The command of each engine that is installed."""
    more = ["--small"] * ("small" in OPTIONS) + WORDS
    yield "gpa", [GPA, "--device", DEVICE, os.path.join(HERE, "gradient_programs.py"), *more]
    for peer in PEERS:
        module, _, tf32 = peer.partition("-")
        if importlib.util.find_spec(module):
            file = "gradient_programs.py" if module == "jax" else "gradient_torch.py"
            yield peer, [sys.executable, os.path.join(HERE, file), *["--tf32"] * bool(tf32), *more]


def measured(label, command):
    """The lines of an engine: {row: (milliseconds, value, norm)}."""
    environment = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        p = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS)
        out, error = p.stdout, p.stderr.strip() if p.returncode else ""
    except subprocess.TimeoutExpired as e:
        out, error = (e.stdout or b"").decode(), f"stopped after {SECONDS:.0f} s"
    if error:
        print(f"# {label}: {error.splitlines()[-1][:150]}", flush=True)
    rows = {}
    for line in out.splitlines():
        name, *numbers = line.split("\t")
        if len(numbers) < 4:
            print(f"{label}: {line}", flush=True)
            continue
        first, value, norm, *times = map(float, numbers)
        rows[name] = statistics.median(times), value, norm
        print(f"{label:<12}{name:<36}{rows[name][0]:10.3f} ms, first call {first:9.1f} ms", flush=True)
    return rows


def differs(a, b, tolerance):
    return any(abs(x - y) > tolerance * max(abs(x), abs(y), 1e-3) for x, y in zip(a[1:], b[1:]))


def main():
    found = {label: measured(label, command) for label, command in commands()}
    gpa = found["gpa"]
    print(f"\n{'ms':<36}" + "".join(f"{label:>12}" for label in found) + f"{'gpa/best':>12}")
    for name, row in gpa.items():
        cells, best = "", None
        for label, rows in found.items():
            if name not in rows:
                cells += f"{'-':>12}"
                continue
            cells += f"{rows[name][0]:12.3f}"
            if label != "gpa":
                best = min(best or rows[name][0], rows[name][0])
            if differs(row, rows[name], 2e-2 if "tf32" in label else 2e-3):
                print(f"# {label}: {name}: value, norm {rows[name][1:]}, gpa's {row[1:]}")
        print(f"{name:<36}{cells}" + (f"{row[0] / best:12.2f}" if best else ""))


if __name__ == "__main__":
    main()
