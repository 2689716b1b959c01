/* Choosing by masks: mask_select.h.
 *
 * In scalar code every element is written and only the chosen ones are kept, so that there is no
 * branch to mispredict. Where the processor has AVX-512, registers are compressed: a register is
 * written whole wherever there is room for it, and what is left at the end is done in scalar code.
 * Reading order: counting, scalar code, registers, calls. */
#include "runtime/host/mask_select.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/base.h"

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#define HAVE_REGISTERS 1
#define REGISTERS __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi")))
static bool has_registers(void) {
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#else
#define HAVE_REGISTERS 0
#endif

/* ---- counting ---- */

/* Eight bytes at a time; a byte that is not 0 counts, whatever it is. */
static int64_t count_bytes(const uint8_t *m, int64_t n) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    int64_t count = 0;
    for (; n >= 8; n -= 8, m += 8) {
        uint64_t word;
        memcpy(&word, m, sizeof word);
        count += __builtin_popcountll((((word & low) + low) | word) & ~low);
    }
    for (; n > 0; n--) count += *m++ != 0;
    return count;
}

/* ---- scalar code ---- */

static int64_t scalar_places(const uint8_t *mask, int64_t i, int64_t n, int64_t *to, int64_t found,
                             int64_t room) {
    for (; i < n && found < room; i++) {
        to[found] = i;
        found += mask[i] != 0;
    }
    return found;
}

static void scalar_items(char *to, const char *from, const uint8_t *mask, int64_t i, int64_t kept,
                         int64_t count, size_t item) {
#define COMPACT(bytes)                                      \
    for (; kept < count; i++) {                             \
        memcpy(to + kept * bytes, from + i * bytes, bytes); \
        kept += mask[i] != 0;                               \
    }                                                       \
    break
    switch (item) {
        case 1: COMPACT(1);
        case 2: COMPACT(2);
        case 4: COMPACT(4);
        case 8: COMPACT(8);
        case 16: COMPACT(16);
        default:
            for (; kept < count; i++)
                if (mask[i]) memcpy(to + (size_t)kept++ * item, from + (size_t)i * item, item);
    }
#undef COMPACT
}

static void scalar_spread(char *to, const char *from, const uint8_t *mask, int64_t i, int64_t kept,
                          int64_t count, size_t item) {
#define SPREAD(bytes)                                                   \
    for (; kept < count; i++) {                                         \
        const char *x = mask[i] ? from + kept * bytes : to + i * bytes; \
        memmove(to + i * bytes, x, bytes);                              \
        kept += mask[i] != 0;                                           \
    }                                                                   \
    break
    switch (item) {
        case 1: SPREAD(1);
        case 2: SPREAD(2);
        case 4: SPREAD(4);
        case 8: SPREAD(8);
        case 16: SPREAD(16);
    }
#undef SPREAD
}

/* ---- registers ---- */

#if HAVE_REGISTERS

REGISTERS static inline __mmask64 chosen_of(const uint8_t *mask) {
    __m512i bytes = _mm512_loadu_si512(mask);
    return _mm512_test_epi8_mask(bytes, bytes);
}

REGISTERS static int64_t register_count(const uint8_t *m, int64_t n) {
    int64_t count = 0, i = 0;
    for (; n - i >= 64; i += 64) count += __builtin_popcountll(chosen_of(m + i));
    return count + count_bytes(m + i, n - i);
}

REGISTERS static int64_t register_places(const uint8_t *mask, int64_t n, int64_t *to,
                                         int64_t room) {
    const __m512i step = _mm512_set1_epi64(8);
    __m512i at = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    int64_t found = 0, i = 0;
    for (; n - i >= 64 && room - found >= 64; i += 64) {
        uint64_t set = chosen_of(mask + i);
        for (int k = 0; k < 8; k++, set >>= 8, at = _mm512_add_epi64(at, step)) {
            _mm512_storeu_si512(to + found, _mm512_maskz_compress_epi64((__mmask8)set, at));
            found += __builtin_popcountll(set & 0xff);
        }
    }
    return scalar_places(mask, i, n, to, found, room);
}

/* COMPRESS for elements of which a register holds 64 / bytes. */
#define REGISTER_ITEMS(bytes, mask_type, compress)                                                \
    REGISTERS static void register_items_##bytes(char *to, const char *from, const uint8_t *mask, \
                                                 int64_t count) {                                 \
        enum { LANES = 64 / bytes };                                                              \
        int64_t kept = 0, i = 0;                                                                  \
        for (; count - kept >= 64; i += 64) {                                                     \
            uint64_t set = chosen_of(mask + i);                                                   \
            for (int k = 0; k < bytes; k++) {                                                     \
                mask_type some = (mask_type)(set >> k * LANES);                                   \
                __m512i x = _mm512_loadu_si512(from + (i + k * LANES) * bytes);                   \
                _mm512_storeu_si512(to + kept * bytes, compress(some, x));                        \
                kept += __builtin_popcountll(some);                                               \
            }                                                                                     \
        }                                                                                         \
        scalar_items(to, from, mask, i, kept, count, bytes);                                      \
    }
REGISTER_ITEMS(1, __mmask64, _mm512_maskz_compress_epi8)
REGISTER_ITEMS(2, __mmask32, _mm512_maskz_compress_epi16)
REGISTER_ITEMS(4, __mmask16, _mm512_maskz_compress_epi32)
REGISTER_ITEMS(8, __mmask8, _mm512_maskz_compress_epi64)
#undef REGISTER_ITEMS

/* The way back, which leaves what stands between them as it is. */
#define REGISTER_SPREAD(bytes, mask_type, expand)                                                  \
    REGISTERS static void register_spread_##bytes(char *to, const char *from, const uint8_t *mask, \
                                                  int64_t count) {                                 \
        enum { LANES = 64 / bytes };                                                               \
        int64_t kept = 0, i = 0;                                                                   \
        for (; count - kept >= 64; i += 64) {                                                      \
            uint64_t set = chosen_of(mask + i);                                                    \
            for (int k = 0; set && k < bytes; k++) {                                               \
                char *at = to + (i + k * LANES) * bytes;                                           \
                mask_type some = (mask_type)(set >> k * LANES);                                    \
                if (!some) continue;                                                               \
                _mm512_storeu_si512(at, expand(_mm512_loadu_si512(at), some,                       \
                                               _mm512_loadu_si512(from + kept * bytes)));          \
                kept += __builtin_popcountll(some);                                                \
            }                                                                                      \
        }                                                                                          \
        scalar_spread(to, from, mask, i, kept, count, bytes);                                      \
    }
REGISTER_SPREAD(1, __mmask64, _mm512_mask_expand_epi8)
REGISTER_SPREAD(2, __mmask32, _mm512_mask_expand_epi16)
REGISTER_SPREAD(4, __mmask16, _mm512_mask_expand_epi32)
REGISTER_SPREAD(8, __mmask8, _mm512_mask_expand_epi64)
#undef REGISTER_SPREAD

/* By the size of an element; false: of another one. */
#define BY_SIZE(name)                                                                \
    static bool name(char *to, const char *from, const uint8_t *mask, int64_t count, \
                     size_t item) {                                                  \
        switch (item) {                                                              \
            case 1: name##_1(to, from, mask, count); return true;                    \
            case 2: name##_2(to, from, mask, count); return true;                    \
            case 4: name##_4(to, from, mask, count); return true;                    \
            case 8: name##_8(to, from, mask, count); return true;                    \
            default: return false;                                                   \
        }                                                                            \
    }
BY_SIZE(register_items)
BY_SIZE(register_spread)
#undef BY_SIZE

#endif

/* ---- calls ---- */

int64_t mask_select_count(const void *mask, int64_t n) {
#if HAVE_REGISTERS
    if (has_registers()) return register_count(mask, n);
#endif
    return count_bytes(mask, n);
}

int64_t mask_select_indices(const void *mask, int64_t n, int64_t *to, int64_t room) {
#if HAVE_REGISTERS
    if (has_registers()) return register_places(mask, n, to, room);
#endif
    return scalar_places(mask, 0, n, to, 0, room);
}

void mask_select_compress(void *to, const void *from, const void *mask, int64_t count,
                          size_t item) {
#if HAVE_REGISTERS
    if (has_registers() && register_items(to, from, mask, count, item)) return;
#endif
    scalar_items(to, from, mask, 0, 0, count, item);
}

void mask_select_expand(void *to, const void *from, const void *mask, int64_t count, size_t item) {
#if HAVE_REGISTERS
    if (has_registers() && register_spread(to, from, mask, count, item)) return;
#endif
    scalar_spread(to, from, mask, 0, 0, count, item);
}
