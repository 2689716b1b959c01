/* Shuffles of two vectors, and those of the transposes of square blocks in vector registers
 * (lanes_transpose.inc). */
#ifndef GPA_CPU_PARALLEL_LANES_TRANSPOSE_H
#define GPA_CPU_PARALLEL_LANES_TRANSPOSE_H

#ifdef __clang__
#define SHUFFLE(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SHUFFLE(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

/* Lanes of the pair (a, b) that a step leaves in a, and in b: FIRST_lanes_distance. */
#define FIRST_2_1 0, 2
#define SECOND_2_1 1, 3
#define FIRST_4_1 0, 4, 2, 6
#define SECOND_4_1 1, 5, 3, 7
#define FIRST_4_2 0, 1, 4, 5
#define SECOND_4_2 2, 3, 6, 7
#define FIRST_8_1 0, 8, 2, 10, 4, 12, 6, 14
#define SECOND_8_1 1, 9, 3, 11, 5, 13, 7, 15
#define FIRST_8_2 0, 1, 8, 9, 4, 5, 12, 13
#define SECOND_8_2 2, 3, 10, 11, 6, 7, 14, 15
#define FIRST_8_4 0, 1, 2, 3, 8, 9, 10, 11
#define SECOND_8_4 4, 5, 6, 7, 12, 13, 14, 15
#define FIRST_16_1 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30
#define SECOND_16_1 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31
#define FIRST_16_2 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define SECOND_16_2 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define FIRST_16_4 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27
#define SECOND_16_4 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31
#define FIRST_16_8 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23
#define SECOND_16_8 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31

#define PASTE_LANES(order, lanes, d) order##_##lanes##_##d
#define FIRST(lanes, d) PASTE_LANES(FIRST, lanes, d)
#define SECOND(lanes, d) PASTE_LANES(SECOND, lanes, d)

#endif
