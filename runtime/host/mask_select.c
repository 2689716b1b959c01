/* Stream compaction with a byte mask: mask_select.h.
 *
 * Scalar code is branch-free: it stores every element and advances the output only for selected
 * ones. With AVX-512 VBMI2 vectors are compressed and stored whole while the output has capacity
 * for one; the scalar code does the rest. Reading order: counting, scalar code, vectors, calls. */
#include "runtime/host/mask_select.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/base.h"

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>
#define HAVE_COMPRESS 1
#define TARGET_COMPRESS __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi")))
static bool has_compress(void) {
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}
#else
#define HAVE_COMPRESS 0
#endif

/* ---- counting ---- */

/* SWAR: eight bytes at a time; any nonzero byte counts once. */
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

static int64_t scalar_indices(const uint8_t *mask, int64_t i, int64_t n, int64_t *to, int64_t found,
                              int64_t capacity) {
    for (; i < n && found < capacity; i++) {
        to[found] = i;
        found += mask[i] != 0;
    }
    return found;
}

static void scalar_compress(char *to, const char *from, const uint8_t *mask, int64_t i,
                            int64_t kept, int64_t count, size_t item) {
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

static void scalar_expand(char *to, const char *from, const uint8_t *mask, int64_t i, int64_t kept,
                          int64_t count, size_t item) {
#define EXPAND(bytes)                                                   \
    for (; kept < count; i++) {                                         \
        const char *x = mask[i] ? from + kept * bytes : to + i * bytes; \
        memmove(to + i * bytes, x, bytes);                              \
        kept += mask[i] != 0;                                           \
    }                                                                   \
    break
    switch (item) {
        case 1: EXPAND(1);
        case 2: EXPAND(2);
        case 4: EXPAND(4);
        case 8: EXPAND(8);
        case 16: EXPAND(16);
    }
#undef EXPAND
}

/* ---- vectors ---- */

#if HAVE_COMPRESS

TARGET_COMPRESS static inline __mmask64 selected(const uint8_t *mask) {
    __m512i bytes = _mm512_loadu_si512(mask);
    return _mm512_test_epi8_mask(bytes, bytes);
}

TARGET_COMPRESS static int64_t vector_count(const uint8_t *m, int64_t n) {
    int64_t count = 0, i = 0;
    for (; n - i >= 64; i += 64) count += __builtin_popcountll(selected(m + i));
    return count + count_bytes(m + i, n - i);
}

TARGET_COMPRESS static int64_t vector_indices(const uint8_t *mask, int64_t n, int64_t *to,
                                              int64_t capacity) {
    const __m512i step = _mm512_set1_epi64(8);
    __m512i at = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    int64_t found = 0, i = 0;
    for (; n - i >= 64 && capacity - found >= 64; i += 64) {
        uint64_t set = selected(mask + i);
        for (int k = 0; k < 8; k++, set >>= 8, at = _mm512_add_epi64(at, step)) {
            _mm512_storeu_si512(to + found, _mm512_maskz_compress_epi64((__mmask8)set, at));
            found += __builtin_popcountll(set & 0xff);
        }
    }
    return scalar_indices(mask, i, n, to, found, capacity);
}

/* vpcompress of elements of 1 to 8 bytes. */
#define VECTOR_COMPRESS(bytes, mask_type, compress)                                           \
    TARGET_COMPRESS static void vector_compress_##bytes(char *to, const char *from,           \
                                                        const uint8_t *mask, int64_t count) { \
        enum { LANES = 64 / bytes };                                                          \
        int64_t kept = 0, i = 0;                                                              \
        for (; count - kept >= 64; i += 64) {                                                 \
            uint64_t set = selected(mask + i);                                                \
            for (int k = 0; k < bytes; k++) {                                                 \
                mask_type some = (mask_type)(set >> k * LANES);                               \
                __m512i x = _mm512_loadu_si512(from + (i + k * LANES) * bytes);               \
                _mm512_storeu_si512(to + kept * bytes, compress(some, x));                    \
                kept += __builtin_popcountll(some);                                           \
            }                                                                                 \
        }                                                                                     \
        scalar_compress(to, from, mask, i, kept, count, bytes);                               \
    }
VECTOR_COMPRESS(1, __mmask64, _mm512_maskz_compress_epi8)
VECTOR_COMPRESS(2, __mmask32, _mm512_maskz_compress_epi16)
VECTOR_COMPRESS(4, __mmask16, _mm512_maskz_compress_epi32)
VECTOR_COMPRESS(8, __mmask8, _mm512_maskz_compress_epi64)
#undef VECTOR_COMPRESS

/* vpexpand, which keeps the elements that are not selected. */
#define VECTOR_EXPAND(bytes, mask_type, expand)                                             \
    TARGET_COMPRESS static void vector_expand_##bytes(char *to, const char *from,           \
                                                      const uint8_t *mask, int64_t count) { \
        enum { LANES = 64 / bytes };                                                        \
        int64_t kept = 0, i = 0;                                                            \
        for (; count - kept >= 64; i += 64) {                                               \
            uint64_t set = selected(mask + i);                                              \
            for (int k = 0; set && k < bytes; k++) {                                        \
                char *at = to + (i + k * LANES) * bytes;                                    \
                mask_type some = (mask_type)(set >> k * LANES);                             \
                if (!some) continue;                                                        \
                _mm512_storeu_si512(at, expand(_mm512_loadu_si512(at), some,                \
                                               _mm512_loadu_si512(from + kept * bytes)));   \
                kept += __builtin_popcountll(some);                                         \
            }                                                                               \
        }                                                                                   \
        scalar_expand(to, from, mask, i, kept, count, bytes);                               \
    }
VECTOR_EXPAND(1, __mmask64, _mm512_mask_expand_epi8)
VECTOR_EXPAND(2, __mmask32, _mm512_mask_expand_epi16)
VECTOR_EXPAND(4, __mmask16, _mm512_mask_expand_epi32)
VECTOR_EXPAND(8, __mmask8, _mm512_mask_expand_epi64)
#undef VECTOR_EXPAND

/* Dispatch on the element size; false: no vector code for it. */
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
BY_SIZE(vector_compress)
BY_SIZE(vector_expand)
#undef BY_SIZE

#endif

/* ---- calls ---- */

int64_t mask_select_count(const void *mask, int64_t n) {
#if HAVE_COMPRESS
    if (has_compress()) return vector_count(mask, n);
#endif
    return count_bytes(mask, n);
}

int64_t mask_select_indices(const void *mask, int64_t n, int64_t *to, int64_t capacity) {
#if HAVE_COMPRESS
    if (has_compress()) return vector_indices(mask, n, to, capacity);
#endif
    return scalar_indices(mask, 0, n, to, 0, capacity);
}

void mask_select_compress(void *to, const void *from, const void *mask, int64_t count,
                          size_t item) {
#if HAVE_COMPRESS
    if (has_compress() && vector_compress(to, from, mask, count, item)) return;
#endif
    scalar_compress(to, from, mask, 0, 0, count, item);
}

void mask_select_expand(void *to, const void *from, const void *mask, int64_t count, size_t item) {
#if HAVE_COMPRESS
    if (has_compress() && vector_expand(to, from, mask, count, item)) return;
#endif
    scalar_expand(to, from, mask, 0, 0, count, item);
}
