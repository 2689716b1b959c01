/* Affine analysis of the counters of random bits (Philox).
 *
 * Counters are sums of loop counters, literals and offsets: affine in the point's coordinates, plus
 * multiples of loop counters. Arithmetic wraps around in uint64, which is harmless, since only
 * remainders by powers of two are used. */
#include "runtime/cuda/emit/random_blocks.h"

#include "runtime/base/base.h"

typedef struct {
    uint64_t start, step[KIR_MAX_DIMS];
    int even; /* the terms with loop counters are multiples of 2**even; NO_COUNTER: none */
    bool known;
} affine;

enum { NO_COUNTER = 64 };

static affine sum_of(affine x, affine y) {
    x.known = x.known && y.known;
    x.start += y.start;
    for (int d = 0; d < KIR_MAX_DIMS; d++) x.step[d] += y.step[d];
    x.even = MIN(x.even, y.even);
    return x;
}

static bool is_literal(affine x) {
    for (int d = 0; d < KIR_MAX_DIMS; d++)
        if (x.step[d]) return false;
    return x.even == NO_COUNTER;
}

static affine product_of(affine x, affine y) {
    if (is_literal(x))
        return is_literal(y) ? (affine){.start = x.start * y.start,
                                        .even = NO_COUNTER,
                                        .known = x.known && y.known}
                             : product_of(y, x);
    x.known = x.known && y.known && is_literal(y);
    x.start *= y.start;
    for (int d = 0; d < KIR_MAX_DIMS; d++) x.step[d] *= y.start;
    x.even = y.start ? MIN(x.even + __builtin_ctzll(y.start), NO_COUNTER) : NO_COUNTER;
    return x;
}

static bool is_word(uint8_t type) { return type == DT_I64 || type == DT_U64; }

/* Value v as an affine function of the coordinates. */
static affine affine_of(const kir_func *f, const gpa_launch *l, int32_t v) {
    const kir_ins *i = &f->code[v];
    affine x = {.even = NO_COUNTER, .known = is_word(i->type)};
    if (!x.known) return x;
    if (i->code == KIR_CONST)
        x.start = f->consts[i->imm].v.U64;
    else if (i->code == KIR_PARAM)
        x.start = l->params ? l->params[i->imm].U64 : 0;
    else if (i->code == KIR_INDEX)
        x.step[i->imm] = 1;
    else if (i->code == KIR_CAST)
        return is_word(f->code[i->a].type) ? affine_of(f, l, i->a) : (affine){.known = false};
    else if (i->code == KIR_FOR)
        x.even = 0;
    else if (i->code == KIR_OP && i->sub == OP_ADD)
        return sum_of(affine_of(f, l, i->a), affine_of(f, l, i->b));
    else if (i->code == KIR_OP && i->sub == OP_MULTIPLY)
        return product_of(affine_of(f, l, i->a), affine_of(f, l, i->b));
    else if (i->code == KIR_IOTA) {
        const gpa_binding *b = &l->arrays[i->sub];
        x.start = (uint64_t)b->offset;
        for (int d = 0; d < f->ndim; d++) x.step[d] = (uint64_t)b->stride[d];
    } else
        x.known = false;
    return x;
}

/* The literal behind a constant and its casts; 64 if it is not one. */
static uint64_t literal_of(const kir_func *f, int32_t v) {
    while (f->code[v].code == KIR_CAST) v = f->code[v].a;
    return f->code[v].code == KIR_CONST ? f->consts[f->code[v].imm].v.U64 : 64;
}

int32_t random_block_counter(const kir_func *f, int32_t at, unsigned *shift) {
    const kir_ins *counter = &f->code[f->code[at].a];
    if (counter->code != KIR_OP || counter->sub != OP_RIGHT_SHIFT || counter->type != DT_U64)
        return -1;
    uint64_t n = literal_of(f, counter->b);
    if (n < 1 || n > 2) return -1;
    *shift = (unsigned)n;
    return counter->a;
}

bool random_blocks_aligned(const kir_func *f, const gpa_launch *l, int last, unsigned vec) {
    bool any = false;
    for (int32_t at = 0; at < (int32_t)f->n_code; at++) {
        unsigned shift;
        int32_t position = random_is_block(&f->code[at]) ? random_block_counter(f, at, &shift) : -1;
        if (position < 0) continue;
        affine x = affine_of(f, l, position);
        if (!x.known || x.start % vec || x.step[last] != 1 ||
            (x.even != NO_COUNTER && (UINT64_C(1) << x.even) % vec))
            return false;
        for (int d = 0; d < f->ndim; d++)
            if (d != last && l->size[d] > 1 && x.step[d] % vec) return false;
        any = true;
    }
    return any;
}
