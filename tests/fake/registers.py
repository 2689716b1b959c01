"""Registers of the programs that the GPU benchmark's rows run: python tests/fake/registers.py [--write]

A program that takes more registers than before may lose a block of each multiprocessor, and nothing but its time tells.
registers.txt holds, for each program, the threads of a block and the most registers a thread may take for as many blocks to fit
on an H100 as do now; none may spill. The compilers decide, so the table holds for one version of them; --write makes it anew.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(HERE, "..", "bench")
TABLE = os.path.join(HERE, "registers.txt")
PTXAS = shutil.which("ptxas", path=os.environ.get("PATH", "") + ":/usr/local/cuda/bin")
sys.path.insert(0, BENCH)
from gpu_rows import ROWS  # noqa: E402

LIBRARY = {"matrix product 4096 float32", "matrix product 4096 float64", "FFT convolution 4096 complex64", "10,000 solves 32x32 float32",
           "100 SVDs 64x64 float32", "sort 1e8 float32", "400 MB to the device", "400 MB to the host"}  # others' programs, or none
KERNELS = {"shared-memory product 4096": 1024, "the same, unchecked": 1024, "kernel launch": 256}  # threads a launch says
HEAD = "# Threads of a block, most registers of each, program (tests/fake/registers.py)\ncompilers {}\n"


def compilers():
    """The version of ptxas, which is that of NVRTC in the same toolkit."""
    return version(subprocess.run([PTXAS, "--version"], capture_output=True, text=True, check=True).stdout)


def version(text):
    return re.search(r"release [\d.]+, (V[\d.]+)", text)[1]


def programs():
    """Their PTX by name: the row and, where it runs several, which one; each once."""
    rows = [name for name in ROWS if name not in LIBRARY]
    done = subprocess.run([os.environ["GPA"], os.path.join(BENCH, "gpu.gpa"), "--ptx", *rows], capture_output=True, text=True,
                          env=os.environ | {"STUB_CUDA": "memory=16000000000"}, check=True)
    found, seen = {}, set()
    for part in re.split(r"^row ", done.stdout, flags=re.MULTILINE)[1:]:
        row, rest = part.split("\n", 1)
        steps = [text[:text.rindex("\n}") + 3] for text in re.split(r"^step \d+: ", rest, flags=re.MULTILINE)[1:]]
        ptx = list(dict.fromkeys(text[text.index("//\n// Generated"):] for text in steps))
        for n, text in enumerate(ptx, 1):
            found[row if len(ptx) == 1 else f"{row}, {n}"] = text
        seen.add(row)
    return found, [row for row in rows if row not in seen]


def resources(ptx):
    """Registers of a thread, bytes that it spills."""
    output = subprocess.run([PTXAS, "-v", "-arch=sm_90", "-o", "/dev/null", "/dev/stdin"], input=ptx, capture_output=True, text=True, check=True).stderr
    return int(re.search(r"Used (\d+) registers", output)[1]), sum(map(int, re.findall(r"(\d+) bytes spill", output)))


def blocks(registers, threads):
    """How many fit a multiprocessor: 2048 threads; four files of 16,384 registers, which warps take 256 at a time."""
    warps = 4 * (16384 // (256 * -(-registers // 8)))
    return min(2048 // threads, 32, warps * 32 // threads)


def threads_of(name, ptx):
    told = re.search(r"\.maxntid (\d+)", ptx)
    return int(told[1]) if told else KERNELS[name]


def limit(registers, threads):
    return max(r for r in range(registers, 256) if blocks(r, threads) == blocks(registers, threads))


def read_table():
    lines = [line for line in open(TABLE) if not line.startswith("#")]
    return lines[0].split()[1], {name.strip(): (int(threads), int(most)) for threads, most, name in (line.split(None, 2) for line in lines[1:])}


def check(name, threads, most, registers, spilled):
    """What is wrong with a program; empty if nothing is."""
    if spilled:
        return f"{spilled} bytes are spilled"
    if registers > most:
        return f"{registers} registers where {most} were enough: {blocks(registers, threads)} blocks a multiprocessor, not {blocks(most, threads)}"
    return ""


def main(write):
    if not PTXAS:
        print("skip - ptxas, of the CUDA toolkit, is missing")
        return 0
    here = compilers()
    known, table = (here, {}) if write else read_table()
    if here != known:
        print(f"skip - the table of registers was made with {known} of the compilers, these are {here}")
        return 0
    found, missing = programs()
    other = {version(text) for text in found.values()} - {known}
    if other:
        print(f"skip - the table of registers was made with {known} of NVRTC, this is {other.pop()}")
        return 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        used = dict(zip(found, pool.map(resources, found.values())))
    if write:
        with open(TABLE, "w") as out:
            out.write(HEAD.format(here))
            for name, (registers, _) in used.items():
                threads = threads_of(name, found[name])
                out.write(f"{threads:4} {limit(registers, threads):4}  {name}\n")
        return 0
    wrong = {row: "the benchmark runs no such program" for row in set(table) - set(used)} | {row: "it ran no program" for row in missing}
    for name, (registers, spilled) in used.items():
        if name not in table:
            wrong[name] = "it has no limit: python tests/fake/registers.py --write"
        elif threads_of(name, found[name]) != table[name][0]:
            wrong[name] = f"{threads_of(name, found[name])} threads a block instead of {table[name][0]}"
        else:
            wrong[name] = check(name, *table[name], registers, spilled)
    for name, why in wrong.items():
        print(f"{'not ok' if why else 'ok'} - registers: {name}")
        if why:
            print(f"# {why}")
    return any(wrong.values())


if __name__ == "__main__":
    sys.exit(main("--write" in sys.argv))
