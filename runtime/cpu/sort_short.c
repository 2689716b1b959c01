/* Short rows side by side: sort_short.h.
 *
 * Elements become signed numbers in their order: integers as they are, floats with the bits below the sign flipped where it is
 * set. The same text makes the code for items of 4 and of 8 bytes, and the compiler makes that for several processors. */
#include "runtime/cpu/sort_short.h"

#include "runtime/cpu/lanes.h"
#include "runtime/wide.h"

/* Element i of lane k is in v[i]. A step of the network compares elements that are `distance` apart. Floats (flip: the bits below the sign)
 * and unsigned numbers (turn: the sign) become signed ones before it, and themselves again after it. */
#define SHORT(size, T)                                                                                        \
    GPA_WIDE static void to_keys_##size(lanes_##size *v, int64_t n, T flip, T nan, T turn) {                  \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            lanes_##size x = v[i] ^ turn, plain = x & flip, lost = plain > nan; /* lost: no number */         \
            v[i] = flip ? (plain & lost) | ((x ^ ((x < 0) & flip)) & ~lost) : x;                              \
        }                                                                                                     \
    }                                                                                                         \
    GPA_WIDE static void from_keys_##size(lanes_##size *v, int64_t n, T flip, T turn) {                       \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            lanes_##size x = v[i] ^ turn;                                                                     \
            v[i] = x ^ ((x < 0) & flip);                                                                      \
        }                                                                                                     \
    }                                                                                                         \
    GPA_WIDE static void network_##size(lanes_##size *v, int64_t n) {                                         \
        int64_t top = 1;                                                                                      \
        while (2 * top < n) top *= 2;                                                                         \
        for (int64_t p = top; p > 0; p /= 2) {                                                                \
            int64_t q = top, r = 0, distance = p;                                                             \
            for (;;) {                                                                                        \
                for (int64_t from = r; from + distance < n; from += 2 * p) {                                  \
                    for (int64_t i = from; i < MIN(from + p, n - distance); i++) {                            \
                        lanes_##size a = v[i], b = v[i + distance], lower = a < b;                            \
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
    static void short_##size(const sortkey_order *o, const void *in, int64_t rows, int64_t n, void *out, lanes_##size *v) { \
        const T flip = o->kind == 'F' ? (T)(o->sign - 1) : 0, turn = o->kind == 'U' ? (T)o->sign : 0;          \
        lanes_bring_##size(in, n, rows, n, v);                                                                \
        if (flip || turn) to_keys_##size(v, n, flip, (T)o->nan, turn);                                        \
        network_##size(v, n);                                                                                 \
        if (flip || turn) from_keys_##size(v, n, flip, turn);                                                 \
        lanes_take_##size(v, n, out, n, rows);                                                                \
        for (int64_t k = 0; flip && k < rows; k++) {                                                          \
            size_t at = (size_t)(k * n) * sizeof(T);                                                          \
            sortkey_mend_zeros(o, (const char *)in + at, n, (char *)out + at);                                \
        }                                                                                                     \
    }
SHORT(4, int32_t)
SHORT(8, int64_t)

void sort_short(const sortkey_order *o, const void *in, int64_t rows, int64_t n, void *out, void *room) {
    for (int64_t k = 0; o->item == 8 && k < rows; k += 8)
        short_8(o, (const char *)in + (size_t)(k * n) * 8, MIN(8, rows - k), n, (char *)out + (size_t)(k * n) * 8, room);
    if (o->item == 4) short_4(o, in, rows, n, out, room);
}
