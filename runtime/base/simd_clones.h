/* Function multiversioning: SIMD clones of C functions, selected by CPU features.
 *
 *   GPA_SIMD_CLONES   before a function: compiled for several instruction sets; the dynamic linker
 *                     resolves it to the best clone when the program starts. For loops over many
 *                     elements.
 *   GPA_NO_UNROLL     before a loop of a few constant iterations inside such a function: GCC then
 *                     vectorizes the loop and does not unroll it into scalar code.
 *   GPA_TARGET_16, GPA_TARGET_32, GPA_TARGET_64
 *                     before a function that names its vector width: for a CPU with vectors of so
 *                     many bytes (the last two where they are defined); gpa_simd_bytes() is the
 *                     width of this CPU. */
#ifndef GPA_BASE_SIMD_CLONES_H
#define GPA_BASE_SIMD_CLONES_H

#if defined __x86_64__ && defined __gnu_linux__ && !defined GPA_CHECK
#define GPA_TARGET_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define GPA_TARGET_CLONES
#endif
#ifdef __clang__
#define GPA_SIMD_CLONES GPA_TARGET_CLONES
#define GPA_NO_UNROLL
#else
#define GPA_NO_UNROLL _Pragma("GCC unroll 1")
#define GPA_SIMD_CLONES \
    GPA_TARGET_CLONES   \
    __attribute__((optimize("O3"))) /* at -O2 GCC vectorizes few loops */
#endif

#ifdef __clang__
#define GPA_TARGET_16
#else
#define GPA_TARGET_16 __attribute__((optimize("O3")))
#endif
#if defined __x86_64__ && defined __gnu_linux__
#define GPA_TARGET_32 __attribute__((target("avx2"))) GPA_TARGET_16
#define GPA_TARGET_64 __attribute__((target("arch=x86-64-v4"))) GPA_TARGET_16
#endif

/* Bytes of the widest vectors that this CPU has and GPA_TARGET_n can use. */
static inline int gpa_simd_bytes(void) {
#ifdef GPA_TARGET_64
    if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return 64; /* x86-64-v4 */
    if (__builtin_cpu_supports("avx2")) return 32;
#endif
    return 16;
}

#endif
