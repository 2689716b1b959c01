/* GPA_SIMD_CLONES before a function: the compiler makes it for the vectors of several processors, and the
 * one that fits is taken when the program starts. For loops over many elements in C. GPA_NO_UNROLL
 * before a loop of a few known trips in it: they become lanes, where GCC would write them one after
 * the other. For code that names the width of its vectors: GPA_TARGET_16, 32 and 64 (these two
 * where the last is defined) before a function say that it is for a processor with vectors of so
 * many bytes, and gpa_simd_bytes which it is. */
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
#define GPA_SIMD_CLONES    \
    GPA_TARGET_CLONES \
        __attribute__((optimize("O3"))) /* at less effort GCC leaves most loops as they are */
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
