/* Radix sort keys: unsigned integers in the order of the elements, NaN last. For the sorts of the
 * host and of the CPU device.
 *
 * Values are sorted as keys and mapped back, so the keys of values with different bits differ (-0
 * is just below 0, which sortkey_restore_zeros corrects); argsort uses ranks, which are equal where
 * the elements are. */
#ifndef GPA_HOST_SORT_KEY_H
#define GPA_HOST_SORT_KEY_H

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/tables/dtype.h"

/* How the bits of a real dtype become keys. */
typedef struct {
    char kind;
    size_t item;
    uint64_t sign, nan; /* sign bit; bits of infinity: larger ones, without the sign, are NaN */
} sortkey_order;

static inline sortkey_order sortkey_order_of(gpa_dtype t) {
    sortkey_order o = {.kind = dtype_info[t].kind,
                       .item = dtype_size(t),
                       .sign = 1ull << (dtype_size(t) * 8 - 1),
                       .nan = 0x7ff0000000000000u};
    if (o.item == 4) o.nan = 0x7f800000;
    if (o.item == 2) o.nan = t == DT_F16 ? 0x7c00 : 0x7f80;
    return o;
}

/* The key of a value's bits: all NaN sort last, whatever their sign. */
static inline uint64_t sortkey_of_bits(uint64_t bits, const sortkey_order *o) {
    if (o->kind == 'I') return bits ^ o->sign;
    if (o->kind != 'F') return bits;
    if ((bits & ~o->sign) > o->nan) return bits | o->sign;
    return bits ^ (o->sign | (-(uint64_t)((bits & o->sign) != 0) &
                              (o->sign - 1))); /* branch-free: signs are unpredictable */
}

static inline uint64_t sortkey_to_bits(uint64_t key, const sortkey_order *o) {
    if (o->kind == 'I') return key ^ o->sign;
    if (o->kind != 'F') return key;
    return key ^ (o->sign | (-(uint64_t) !(key & o->sign) & (o->sign - 1)));
}

/* The same, where 0 and -0 are equal, and all NaN. */
static inline uint64_t sortkey_rank(uint64_t bits, const sortkey_order *o) {
    uint64_t all = o->sign | (o->sign - 1);
    if (o->kind == 'F' && (bits & ~o->sign) > o->nan) return all;
    return sortkey_of_bits(o->kind == 'F' && bits == o->sign ? 0 : bits, o);
}

/* A complex number has three keys, most significant first. NumPy sorts a NaN imaginary part after
 * all numbers, a NaN real part after that, and both last. Level 0 is the real part, or the largest
 * key if a part is NaN; level 1 the imaginary part, or which parts are NaN; level 2 the part that
 * is not NaN. `parts` is the order of the parts. */
enum { SORTKEY_COMPLEX = 3 };

static inline uint64_t sortkey_complex(uint64_t re, uint64_t im, int level,
                                       const sortkey_order *parts) {
    uint64_t last = parts->sign | (parts->sign - 1), real = sortkey_rank(re, parts),
             imag = sortkey_rank(im, parts);
    bool bad_re = real == last, bad_im = imag == last;
    if (!bad_re && !bad_im) return level == 0 ? real : level == 1 ? imag : 0;
    if (level < 2) return level == 0 ? last : (uint64_t)bad_re * 2 + bad_im;
    return bad_re && bad_im ? 0 : bad_re ? imag : real;
}

/* Loads and stores of n elements of `item` bytes as 64-bit integers. */
static inline void sortkey_load(const void *from, size_t item, int64_t n, uint64_t *to) {
    const uint8_t *bytes = from;
    const uint16_t *halves = from;
    const uint32_t *words = from;
    switch (item) {
        case 1:
            for (int64_t i = 0; i < n; i++) to[i] = bytes[i];
            break;
        case 2:
            for (int64_t i = 0; i < n; i++) to[i] = halves[i];
            break;
        case 4:
            for (int64_t i = 0; i < n; i++) to[i] = words[i];
            break;
        default: memcpy(to, from, (size_t)n * sizeof *to);
    }
}

static inline void sortkey_save(void *to, size_t item, int64_t n, const uint64_t *from) {
    uint8_t *bytes = to;
    uint16_t *halves = to;
    uint32_t *words = to;
    switch (item) {
        case 1:
            for (int64_t i = 0; i < n; i++) bytes[i] = (uint8_t)from[i];
            break;
        case 2:
            for (int64_t i = 0; i < n; i++) halves[i] = (uint16_t)from[i];
            break;
        case 4:
            for (int64_t i = 0; i < n; i++) words[i] = (uint32_t)from[i];
            break;
        default: memcpy(to, from, (size_t)n * sizeof *from);
    }
}

/* Makes a sort stable for 0 and -0, which are equal: rewrites the zeros of n sorted floats `out` in
 * the order of `in`. Both have a stride of `stride` elements. */
static inline void sortkey_restore_zeros(const sortkey_order *o, const char *in, int64_t n,
                                         int64_t stride, char *out) {
    const size_t step = (size_t)stride * o->item;
    int64_t lo = 0, hi = n, end;
    uint64_t bits = 0;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        sortkey_load(out + (size_t)mid * step, o->item, 1, &bits);
        if (sortkey_of_bits(bits, o) < o->sign - 1)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (end = lo; end < n; end++) {
        sortkey_load(out + (size_t)end * step, o->item, 1, &bits);
        if (bits & ~o->sign) break;
    }
    if (end == lo) return;
    sortkey_load(out + (size_t)lo * step, o->item, 1, &bits);
    if (!bits) return; /* no -0 */
    for (int64_t i = 0; i < n && lo < end; i++) {
        sortkey_load(in + (size_t)i * step, o->item, 1, &bits);
        if (!(bits & ~o->sign)) sortkey_save(out + (size_t)lo++ * step, o->item, 1, &bits);
    }
}

#endif
