/* Short rows side by side: sort_short.h.
 *
 * Elements become signed numbers in their order: integers as they are, floats with the bits below the sign flipped where it is
 * set. The same text makes the code for items of 4 and of 8 bytes, and the compiler makes that for several processors. */
#include "runtime/cpu/sort_short.h"

#include "runtime/wide.h"

/* LANES rows of n elements: element i of lane k is at x[i * LANES + k]. A step compares elements that are `distance` apart. */
#define SHORT(name, T, U, LANES)                                                                              \
    typedef T name##_vector __attribute__((vector_size(LANES * sizeof(T))));                                  \
    GPA_WIDE static void name##_network(T *x, int64_t n) {                                                        \
        name##_vector *v = (name##_vector *)(void *)x;                                                        \
        int64_t top = 1;                                                                                      \
        while (2 * top < n) top *= 2;                                                                         \
        for (int64_t p = top; p > 0; p /= 2) {                                                                \
            int64_t q = top, r = 0, distance = p;                                                             \
            for (;;) {                                                                                        \
                for (int64_t from = r; from + distance < n; from += 2 * p) {                                  \
                    for (int64_t i = from; i < from + p && i + distance < n; i++) {                           \
                        name##_vector a = v[i], b = v[i + distance], lower = a < b;                           \
                        v[i] = (a & lower) | (b & ~lower);                                                    \
                        v[i + distance] = (b & lower) | (a & ~lower);                                         \
                    }                                                                                         \
                }                                                                                             \
                if (q == p) break;                                                                            \
                distance = q - p;                                                                             \
                q /= 2;                                                                                       \
                r = p;                                                                                        \
            }                                                                                                 \
        }                                                                                                     \
    }                                                                                                         \
    static void name(const sortkey_order *o, const void *in, int64_t rows, int64_t n, void *out, T *x) {       \
        const U sign = (U)o->sign, nan = (U)(o->kind == 'F' ? o->nan : o->sign - 1);                          \
        const U flip = o->kind == 'F' ? sign - 1 : 0, turn = o->kind == 'U' ? sign : 0;                       \
        for (int64_t k = 0; k < LANES; k++) {                                                                 \
            const U *from = (const U *)in + MIN(k, rows - 1) * n;                                             \
            for (int64_t i = 0; i < n; i++) {                                                                 \
                U bits = (from[i] & (sign - 1)) > nan ? from[i] & (sign - 1) : from[i];                       \
                x[i * LANES + k] = (T)(bits ^ (bits & sign ? flip : 0) ^ turn);                               \
            }                                                                                                 \
        }                                                                                                     \
        name##_network(x, n);                                                                                 \
        for (int64_t k = 0; k < rows; k++) {                                                                  \
            U *to = (U *)out + k * n;                                                                         \
            for (int64_t i = 0; i < n; i++) {                                                                 \
                U bits = (U)x[i * LANES + k] ^ turn;                                                          \
                to[i] = bits ^ (bits & sign ? flip : 0);                                                      \
            }                                                                                                 \
            if (flip) sortkey_mend_zeros(o, (const char *)in + (size_t)(k * n) * sizeof(T), n, (char *)to);   \
        }                                                                                                     \
    }
SHORT(short_4, int32_t, uint32_t, 16)
SHORT(short_8, int64_t, uint64_t, 8)

void sort_short(const sortkey_order *o, const void *in, int64_t rows, int64_t n, void *out, void *room) {
    for (int64_t k = 0; o->item == 8 && k < rows; k += 8)
        short_8(o, (const char *)in + (size_t)(k * n) * 8, MIN(8, rows - k), n, (char *)out + (size_t)(k * n) * 8, room);
    if (o->item == 4) short_4(o, in, rows, n, out, room);
}
