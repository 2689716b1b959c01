/* Stream compaction with a byte mask: mask_select.h.
 *
 * Scalar code skips eight entries at a time if none of them is selected. Otherwise it is
 * branch-free: it stores every element and advances the output only for selected ones. With AVX-512
 * VBMI2 vectors are compressed and stored whole while the output has capacity for one; the scalar
 * code does the rest. Reading order: counting, scalar code, vectors, calls. */
#include "runtime/host/mask_select.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"

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

#define SMALL_COPY static inline __attribute__((always_inline))

/* ---- counting ---- */

/* SWAR: eight bytes at a time; any nonzero byte counts once. */
GPA_SIMD_CLONES static int64_t count_bytes(const uint8_t *m, int64_t n) {
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

enum { WORD = 8 }; /* entries of a mask that are tested at a time */

/* The first entry from i on whose word has a selected one, or that is among the last of n. */
static inline int64_t skip_words(const uint8_t *mask, int64_t i, int64_t n) {
    for (uint64_t word = 0; n - i >= WORD; i += WORD) {
        memcpy(&word, mask + i, sizeof word);
        if (word) break;
    }
    return i;
}

static int64_t scalar_indices(const uint8_t *mask, int64_t i, int64_t n, int64_t *to, int64_t found,
                              int64_t capacity) {
    while ((i = skip_words(mask, i, n)) < n && found < capacity)
        for (const int64_t end = MIN(i + WORD, n); i < end && found < capacity; i++) {
            to[found] = i;
            found += mask[i] != 0;
        }
    return found;
}

/* A compress or expand: of n entries, `count` are selected. */
typedef struct {
    char *to;
    const char *from;
    const uint8_t *mask;
    int64_t n, count;
} mask_copy;

/* The rest of one, from entry i on, after `kept` selected ones. An element size that is a
 * compile-time constant makes the copies single moves. */
SMALL_COPY void compress_items(mask_copy c, int64_t i, int64_t kept, int64_t item) {
    while (kept < c.count) {
        i = skip_words(c.mask, i, c.n);
        const bool whole = c.count - kept >= WORD;
        for (const int64_t end = i + WORD; i < end && (whole || kept < c.count); i++) {
            memcpy(c.to + kept * item, c.from + i * item, (size_t)item);
            kept += c.mask[i] != 0;
        }
    }
}

SMALL_COPY void expand_items(mask_copy c, int64_t i, int64_t kept, int64_t item) {
    while (kept < c.count) {
        i = skip_words(c.mask, i, c.n);
        for (const int64_t end = i + WORD; i < end && kept < c.count; i++) {
            const char *x = c.mask[i] ? c.from + kept * item : c.to + i * item;
            memmove(c.to + i * item, x, (size_t)item);
            kept += c.mask[i] != 0;
        }
    }
}

static void compress_rest(mask_copy c, int64_t i, int64_t kept, size_t item) {
    switch (item) {
        case 1: compress_items(c, i, kept, 1); break;
        case 2: compress_items(c, i, kept, 2); break;
        case 4: compress_items(c, i, kept, 4); break;
        case 8: compress_items(c, i, kept, 8); break;
        case 16: compress_items(c, i, kept, 16); break;
        default:
            for (; kept < c.count; i++)
                if (c.mask[i = skip_words(c.mask, i, c.n)])
                    memcpy(c.to + (size_t)kept++ * item, c.from + (size_t)i * item, item);
    }
}

static void expand_rest(mask_copy c, int64_t i, int64_t kept, size_t item) {
    switch (item) {
        case 1: expand_items(c, i, kept, 1); break;
        case 2: expand_items(c, i, kept, 2); break;
        case 4: expand_items(c, i, kept, 4); break;
        case 8: expand_items(c, i, kept, 8); break;
        case 16: expand_items(c, i, kept, 16); break;
    }
}

/* ---- vectors ---- */

#if HAVE_COMPRESS

TARGET_COMPRESS static inline __mmask64 is_selected(const uint8_t *mask) {
    __m512i bytes = _mm512_loadu_si512(mask);
    return _mm512_test_epi8_mask(bytes, bytes);
}

TARGET_COMPRESS static int64_t vector_count(const uint8_t *m, int64_t n) {
    int64_t count = 0, i = 0;
    for (; n - i >= 64; i += 64) count += __builtin_popcountll(is_selected(m + i));
    return count + count_bytes(m + i, n - i);
}

TARGET_COMPRESS static int64_t vector_indices(const uint8_t *mask, int64_t n, int64_t *to,
                                              int64_t capacity) {
    const __m512i step = _mm512_set1_epi64(8);
    __m512i at = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    int64_t found = 0, i = 0;
    for (; n - i >= 64 && capacity - found >= 64; i += 64) {
        uint64_t set = is_selected(mask + i);
        for (int k = 0; k < 8; k++, set >>= 8, at = _mm512_add_epi64(at, step)) {
            _mm512_storeu_si512(to + found, _mm512_maskz_compress_epi64((__mmask8)set, at));
            found += __builtin_popcountll(set & 0xff);
        }
    }
    return scalar_indices(mask, i, n, to, found, capacity);
}

#define NAME(f) f##_1
#define BYTES 1
#define MASK __mmask64
#define COMPRESS _mm512_maskz_compress_epi8
#define EXPAND _mm512_mask_expand_epi8
#include "runtime/host/mask_select_vector.inc"
#undef NAME
#undef BYTES
#undef MASK
#undef COMPRESS
#undef EXPAND
#define NAME(f) f##_2
#define BYTES 2
#define MASK __mmask32
#define COMPRESS _mm512_maskz_compress_epi16
#define EXPAND _mm512_mask_expand_epi16
#include "runtime/host/mask_select_vector.inc"
#undef NAME
#undef BYTES
#undef MASK
#undef COMPRESS
#undef EXPAND
#define NAME(f) f##_4
#define BYTES 4
#define MASK __mmask16
#define COMPRESS _mm512_maskz_compress_epi32
#define EXPAND _mm512_mask_expand_epi32
#include "runtime/host/mask_select_vector.inc"
#undef NAME
#undef BYTES
#undef MASK
#undef COMPRESS
#undef EXPAND
#define NAME(f) f##_8
#define BYTES 8
#define MASK __mmask8
#define COMPRESS _mm512_maskz_compress_epi64
#define EXPAND _mm512_mask_expand_epi64
#include "runtime/host/mask_select_vector.inc"
#undef NAME
#undef BYTES
#undef MASK
#undef COMPRESS
#undef EXPAND

/* Dispatch on the element size; false: no vector code for it. */
static bool vector_compress(mask_copy c, size_t item) {
    switch (item) {
        case 1: vector_compress_1(c); return true;
        case 2: vector_compress_2(c); return true;
        case 4: vector_compress_4(c); return true;
        case 8: vector_compress_8(c); return true;
        default: return false;
    }
}

static bool vector_expand(mask_copy c, size_t item) {
    switch (item) {
        case 1: vector_expand_1(c); return true;
        case 2: vector_expand_2(c); return true;
        case 4: vector_expand_4(c); return true;
        case 8: vector_expand_8(c); return true;
        default: return false;
    }
}

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

void mask_select_compress(void *to, const void *from, const void *mask, int64_t n, int64_t count,
                          size_t item) {
    const mask_copy c = {to, from, mask, n, count};
#if HAVE_COMPRESS
    if (has_compress() && vector_compress(c, item)) return;
#endif
    compress_rest(c, 0, 0, item);
}

void mask_select_expand(void *to, const void *from, const void *mask, int64_t n, int64_t count,
                        size_t item) {
    const mask_copy c = {to, from, mask, n, count};
#if HAVE_COMPRESS
    if (has_compress() && vector_expand(c, item)) return;
#endif
    expand_rest(c, 0, 0, item);
}
