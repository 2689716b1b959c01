/* Transposes of square blocks in vector registers: in step d of log2(lanes), vectors that are d
 * apart exchange the lanes whose index differs in bit d. */
#ifndef GPA_CPU_PARALLEL_LANES_TRANSPOSE_H
#define GPA_CPU_PARALLEL_LANES_TRANSPOSE_H

#ifdef __clang__
#define PICK(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif

#define EXCHANGE(vec, v, lanes, distance, first, second) \
    for (int e = 0; e < lanes; e++)                      \
        if (!(e & distance)) {                           \
            vec a = v[e], b = v[e + distance];           \
            v[e] = PICK(vec, a, b, first);               \
            v[e + distance] = PICK(vec, a, b, second);   \
        }
#define ONE(...) __VA_ARGS__

/* All steps for 2, 4, 8 and 16 lanes. */
#define TRANSPOSE_2(vec, v) EXCHANGE(vec, v, 2, 1, ONE(0, 2), ONE(1, 3))
#define TRANSPOSE_4(vec, v)                                  \
    EXCHANGE(vec, v, 4, 1, ONE(0, 4, 2, 6), ONE(1, 5, 3, 7)) \
    EXCHANGE(vec, v, 4, 2, ONE(0, 1, 4, 5), ONE(2, 3, 6, 7))
#define TRANSPOSE_8(vec, v)                                                                \
    EXCHANGE(vec, v, 8, 1, ONE(0, 8, 2, 10, 4, 12, 6, 14), ONE(1, 9, 3, 11, 5, 13, 7, 15)) \
    EXCHANGE(vec, v, 8, 2, ONE(0, 1, 8, 9, 4, 5, 12, 13), ONE(2, 3, 10, 11, 6, 7, 14, 15)) \
    EXCHANGE(vec, v, 8, 4, ONE(0, 1, 2, 3, 8, 9, 10, 11), ONE(4, 5, 6, 7, 12, 13, 14, 15))
#define TRANSPOSE_16(vec, v)                                                                \
    EXCHANGE(vec, v, 16, 1, ONE(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30), \
             ONE(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))                \
    EXCHANGE(vec, v, 16, 2, ONE(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),  \
             ONE(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))               \
    EXCHANGE(vec, v, 16, 4, ONE(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),  \
             ONE(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))               \
    EXCHANGE(vec, v, 16, 8, ONE(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),    \
             ONE(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))

#endif
