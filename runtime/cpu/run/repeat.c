/* Replicated stores: repeat.h.
 *
 * Lanes go along one dimension: runs that are repeated a few times would need one loop per copy,
 * or one masked store per run. Here a register holds as many copies as fit and is stored whole;
 * the next run overwrites the excess. Only the last run of a work item ends exactly.
 *
 * Reading order: shape_of (the layout of a launch), store_pieces, repeats_run. */
#include "runtime/cpu/run/repeat.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cpu/run/run.h"
#include "runtime/cpu/parallel/threads.h"
#include "runtime/tables/tuning.h"

#if defined __x86_64__ && defined __gnu_linux__
#include <immintrin.h>

enum { REGISTER = 64 };
#define REGISTERS __attribute__((target("avx512f,avx512bw")))

/* Sizes in bytes. */
typedef struct {
    const char *from;
    char *to;
    int64_t piece, copies; /* bytes of a piece; number of its copies */
    int64_t pieces,
        step; /* pieces per row, and their distance in the source; the destination is contiguous */
    int n;    /* number of row dimensions */
    int64_t rows, size[KIR_MAX_DIMS], from_step[KIR_MAX_DIMS], to_step[KIR_MAX_DIMS];
    int64_t chunk, chunks; /* pieces per work item, work items per row */
} shape;

/* ---- layout of a launch ---- */

static bool only_moves(const kir_func *f, unsigned *from, unsigned *to) {
    if (f->form != KIR_MAP || f->inner || f->n_arrays != 2 || f->n_code != 2) return false;
    if (f->code[0].code != KIR_LOAD || f->code[1].code != KIR_STORE || f->code[1].a != 0)
        return false;
    *from = f->code[0].sub, *to = f->code[1].sub;
    return *from != *to && f->arrays[*from].dtype == f->arrays[*to].dtype &&
           f->arrays[*from].where != KIR_VIRTUAL;
}

/* Collects dimensions from the smallest stride of the results on; false: the layout is not that
 * of repeated pieces. */
static bool shape_of(const kir_func *f, const gpa_launch *l, shape *s) {
    unsigned in, out;
    int order[KIR_MAX_DIMS], n = 0, at = 0;
    if (!only_moves(f, &in, &out)) return false;
    const gpa_binding *from = &l->arrays[in], *to = &l->arrays[out];
    const int64_t item = (int64_t)dtype_size((gpa_dtype)f->arrays[in].dtype);
    for (int d = 0; d < f->ndim; d++) {
        if (l->size[d] == 0 || to->stride[d] < 0) return false;
        if (l->size[d] == 1) continue;
        int k = n++;
        for (; k > 0 && to->stride[order[k - 1]] > to->stride[d]; k--) order[k] = order[k - 1];
        order[k] = d;
    }
    int64_t piece = 1, copies = 1;
    for (; at < n && to->stride[order[at]] == piece && from->stride[order[at]] == piece; at++)
        piece *= l->size[order[at]];
    for (; at < n && to->stride[order[at]] == piece * copies && from->stride[order[at]] == 0; at++)
        copies *= l->size[order[at]];
    if (copies == 1 || at == n || to->stride[order[at]] != piece * copies) return false;
    s->piece = piece * item, s->copies = copies;
    if (s->piece > REGISTER || s->piece * copies < TUNE_REPEAT_MIN_ROW_BYTES ||
        s->piece * copies > TUNE_REPEAT_MAX_ROW_BYTES)
        return false;
    s->pieces = l->size[order[at]], s->step = from->stride[order[at]] * item;
    s->n = 0, s->rows = 1;
    for (at++; at < n; at++, s->n++) {
        s->rows *= s->size[s->n] = l->size[order[at]];
        s->from_step[s->n] = from->stride[order[at]] * item,
        s->to_step[s->n] = to->stride[order[at]] * item;
    }
    s->from = (const char *)from->mem->base + from->offset * item;
    s->to = (char *)to->mem->base + to->offset * item;
    return s->rows * s->pieces * s->piece * s->copies >= TUNE_REPEAT_MIN_BYTES;
}

/* ---- storing ---- */

/* A register filled with copies of a piece of `piece` bytes, a power of 2. */
REGISTERS static inline __attribute__((always_inline)) __m512i filled(const char *from,
                                                                      int64_t piece) {
    int64_t word;
    switch (piece) {
        case 1: return _mm512_set1_epi8(*from);
        case 2: return memcpy(&word, from, 2), _mm512_set1_epi16((int16_t)word);
        case 4: return memcpy(&word, from, 4), _mm512_set1_epi32((int32_t)word);
        case 8: return memcpy(&word, from, 8), _mm512_set1_epi64(word);
        case 16: return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from));
        case 32: return _mm512_broadcast_i64x4(_mm256_loadu_si256((const __m256i *)from));
        default: return _mm512_loadu_si512(from);
    }
}

/* Stores pieces that begin `step` bytes apart, each as often as fills `row` bytes. `piece`: a
 * power of 2 known at compile time, or 0: use s->piece. `wide`: bytes per store. If half a
 * register holds a row, half registers are used: they cross cache lines less often. */
REGISTERS static inline __attribute__((always_inline)) void store_pieces(
    const shape *s, const char *from, char *to, int64_t pieces, int64_t piece, int64_t wide) {
    const int64_t row = s->piece * s->copies, stored = piece ? wide : s->piece;
    const __mmask64 whole = piece ? ~UINT64_C(0) : ~UINT64_C(0) >> (REGISTER - s->piece);
    const char *end = to + pieces * row;
    for (; to < end; to += row, from += s->step) {
        const __m512i v = piece ? filled(from, piece) : _mm512_maskz_loadu_epi8(whole, from);
        /* The next pieces overwrite what is stored in excess; near the end, stores are masked. */
        for (int64_t k = 0; k < row; k += stored) {
            if (to + k + wide > end)
                _mm512_mask_storeu_epi8(to + k, ~UINT64_C(0) >> (REGISTER - MIN(stored, row - k)),
                                        v);
            else if (wide == REGISTER)
                _mm512_storeu_si512(to + k, v);
            else
                _mm256_storeu_si256((__m256i *)(to + k), _mm512_castsi512_si256(v));
        }
    }
}

REGISTERS static inline __attribute__((always_inline)) void store_small_pieces(
    const shape *s, const char *from, char *to, int64_t pieces, int64_t piece) {
    if (s->piece * s->copies <= REGISTER / 2)
        store_pieces(s, from, to, pieces, piece, REGISTER / 2);
    else
        store_pieces(s, from, to, pieces, piece, REGISTER);
}

REGISTERS static void store_chunk(const shape *s, const char *from, char *to, int64_t pieces) {
    switch (s->piece) {
        case 1: store_small_pieces(s, from, to, pieces, 1); break;
        case 2: store_small_pieces(s, from, to, pieces, 2); break;
        case 4: store_small_pieces(s, from, to, pieces, 4); break;
        case 8: store_small_pieces(s, from, to, pieces, 8); break;
        case 16: store_small_pieces(s, from, to, pieces, 16); break;
        case 32: store_pieces(s, from, to, pieces, 32, REGISTER); break;
        case 64: store_pieces(s, from, to, pieces, 64, REGISTER); break;
        default: store_pieces(s, from, to, pieces, 0, REGISTER); break;
    }
}

static void chunk_item(void *arg, int64_t i) {
    const shape *s = arg;
    const int64_t at = i % s->chunks * s->chunk;
    const char *from = s->from + at * s->step;
    char *to = s->to + at * s->piece * s->copies;
    int64_t row = i / s->chunks;
    for (int d = 0; d < s->n; row /= s->size[d++])
        from += row % s->size[d] * s->from_step[d], to += row % s->size[d] * s->to_step[d];
    store_chunk(s, from, to, MIN(s->chunk, s->pieces - at));
}

bool repeats_run(int threads, const int32_t *stop, const gpa_prog *p, const gpa_launch *l) {
    shape s;
    if (!__builtin_cpu_supports("avx512bw") || !shape_of(p->f, l, &s)) return false;
    s.chunk = MAX(TUNE_REPEAT_CHUNK_BYTES / (s.piece * s.copies), 1);
    s.chunks = (s.pieces + s.chunk - 1) / s.chunk;
    threads_each(threads, s.rows * s.chunks, stop, chunk_item, &s);
    return true;
}

#else
bool repeats_run(int threads, const int32_t *stop, const gpa_prog *p, const gpa_launch *l) {
    return (void)threads, (void)stop, (void)p, (void)l, false;
}
#endif
