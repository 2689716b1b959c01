/* Positions are sums of counts, numbers and offsets, so the point's coordinates enter them
 * linearly, and a loop's counter by a factor: that is all that is looked for here. Arithmetic is
 * that of uint64, whose overflow is no matter, since only remainders by powers of two are asked
 * for. */
#include "runtime/cuda/emit/random_blocks.h"

#include "runtime/base/base.h"

typedef struct {
    uint64_t start, step[KIR_MAX_DIMS];
    int even; /* what counters bring is a multiple of 2**even; NO_COUNTER: there are none */
    bool known;
} linear;

enum { NO_COUNTER = 64 };

static linear sum_of(linear x, linear y) {
    x.known = x.known && y.known;
    x.start += y.start;
    for (int d = 0; d < KIR_MAX_DIMS; d++) x.step[d] += y.step[d];
    x.even = MIN(x.even, y.even);
    return x;
}

static bool is_number(linear x) {
    for (int d = 0; d < KIR_MAX_DIMS; d++)
        if (x.step[d]) return false;
    return x.even == NO_COUNTER;
}

static linear product_of(linear x, linear y) {
    if (is_number(x))
        return is_number(y) ? (linear){.start = x.start * y.start,
                                       .even = NO_COUNTER,
                                       .known = x.known && y.known}
                            : product_of(y, x);
    x.known = x.known && y.known && is_number(y);
    x.start *= y.start;
    for (int d = 0; d < KIR_MAX_DIMS; d++) x.step[d] *= y.start;
    x.even = y.start ? MIN(x.even + __builtin_ctzll(y.start), NO_COUNTER) : NO_COUNTER;
    return x;
}

static bool is_word(uint8_t type) { return type == DT_I64 || type == DT_U64; }

/* Value v as a function of the coordinates. */
static linear find(const kir_func *f, const gpa_launch *l, int32_t v) {
    const kir_ins *i = &f->code[v];
    linear x = {.even = NO_COUNTER, .known = is_word(i->type)};
    if (!x.known) return x;
    if (i->code == KIR_CONST)
        x.start = f->consts[i->imm].v.U64;
    else if (i->code == KIR_PARAM)
        x.start = l->params ? l->params[i->imm].U64 : 0;
    else if (i->code == KIR_INDEX)
        x.step[i->imm] = 1;
    else if (i->code == KIR_CAST)
        return is_word(f->code[i->a].type) ? find(f, l, i->a) : (linear){.known = false};
    else if (i->code == KIR_FOR)
        x.even = 0;
    else if (i->code == KIR_OP && i->sub == OP_ADD)
        return sum_of(find(f, l, i->a), find(f, l, i->b));
    else if (i->code == KIR_OP && i->sub == OP_MULTIPLY)
        return product_of(find(f, l, i->a), find(f, l, i->b));
    else if (i->code == KIR_IOTA) {
        const gpa_binding *b = &l->arrays[i->sub];
        x.start = (uint64_t)b->offset;
        for (int d = 0; d < f->ndim; d++) x.step[d] = (uint64_t)b->stride[d];
    } else
        x.known = false;
    return x;
}

/* The number behind a constant and its casts; 64 where it is none. */
static uint64_t number_of(const kir_func *f, int32_t v) {
    while (f->code[v].code == KIR_CAST) v = f->code[v].a;
    return f->code[v].code == KIR_CONST ? f->consts[f->code[v].imm].v.U64 : 64;
}

int32_t random_block_counter(const kir_func *f, int32_t at, unsigned *shift) {
    const kir_ins *counter = &f->code[f->code[at].a];
    if (counter->code != KIR_OP || counter->sub != OP_RIGHT_SHIFT || counter->type != DT_U64)
        return -1;
    uint64_t n = number_of(f, counter->b);
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
        linear x = find(f, l, position);
        if (!x.known || x.start % vec || x.step[last] != 1 ||
            (x.even != NO_COUNTER && (UINT64_C(1) << x.even) % vec))
            return false;
        for (int d = 0; d < f->ndim; d++)
            if (d != last && l->size[d] > 1 && x.step[d] % vec) return false;
        any = true;
    }
    return any;
}
