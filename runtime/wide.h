/* GPA_WIDE before a function: the compiler makes it for the vectors of several processors, and the one that fits is taken when
 * the program starts. For loops over many elements in C. GPA_LANES before a loop of a few known trips in it: they become lanes, where
 * GCC would write them one after the other. */
#ifndef GPA_WIDE_H
#define GPA_WIDE_H

#if defined __x86_64__ && defined __gnu_linux__ && !defined GPA_CHECK
#define GPA_WIDE_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define GPA_WIDE_CLONES
#endif
#ifdef __clang__
#define GPA_WIDE GPA_WIDE_CLONES
#define GPA_LANES
#else
#define GPA_LANES _Pragma("GCC unroll 1")
#define GPA_WIDE GPA_WIDE_CLONES __attribute__((optimize("O3"))) /* at less effort GCC leaves most loops as they are */
#endif

#endif
