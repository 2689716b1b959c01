"""A processor of fewer vector instructions, for the oracle: python tests/features.py sse|avx2|avx512

Prints shell commands after which NumPy's dispatched loops, OpenBLAS and glibc's mathematical functions use no more than the
named instructions: those of x86-64-v2, of v3 (AVX2 and FMA), or of v4 (AVX-512 as in Skylake). A processor that has fewer
keeps its own. OpenBLAS and glibc are gpa's libraries too."""

import sys

from numpy._core._multiarray_umath import __cpu_dispatch__ as dispatched

# What is not used: the beginnings of NumPy's names of features, those of glibc; and OpenBLAS's kernels.
LEVELS = {
    "sse": (("AVX", "FMA", "F16C", "XOP", "X86_V3", "X86_V4"), "-AVX512F,-AVX512VL,-AVX2,-AVX,-FMA,-FMA4", "Nehalem"),
    "avx2": (("AVX512", "X86_V4"), "-AVX512F,-AVX512VL", "Haswell"),
    "avx512": (("AVX512_SPR",), "", "SkylakeX"),
}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in LEVELS:
        sys.exit(f"FEATURES: expected one of {', '.join(LEVELS)}")
    numpy, glibc, openblas = LEVELS[sys.argv[1]]
    print(f"export NPY_DISABLE_CPU_FEATURES='{' '.join(name for name in dispatched if name.startswith(numpy))}'")
    print(f"export OPENBLAS_CORETYPE={openblas}")
    if glibc:
        print(f"export GLIBC_TUNABLES=glibc.cpu.hwcaps={glibc}")


if __name__ == "__main__":
    main()
