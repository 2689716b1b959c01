/* Range analysis: how many bits an integer value needs, so that emitters can use 32-bit arithmetic.
 *
 * Follows a value to its operands, to a bounded depth. Results are not cached, so the program may
 * still change. */
#include "runtime/ir/kir.h"

#include "runtime/base/base.h"

/* CUDA's limits of thread, block and grid indices, and of extents in memory. */
enum { MAX_DEPTH = 10, THREAD_BITS = 10, BLOCK_BITS = 11, GRID_BITS = 31, EXTENT_BITS = 48 };

static int bits_of_type(gpa_dtype t) {
    return 8 * (int)dtype_size(t) - (dtype_info[t].kind == 'I');
}

static int bits_of(const kir_func *f, int32_t v, int depth);

static int bits_of_constant(const kir_func *f, const kir_ins *i) {
    int64_t n = dtype_cast(f->consts[i->imm].v, (gpa_dtype)i->type, DT_I64).I64;
    return n < 0 ? -1 : n ? 64 - __builtin_clzll((unsigned long long)n) : 0;
}

/* The least number of n bits that a right shift by v drops. */
static int least_shift(const kir_func *f, int32_t v, int n) {
    while (f->code[v].code == KIR_CAST && dtype_is_int((gpa_dtype)f->code[v].type))
        v = f->code[v].a;
    const kir_ins *i = &f->code[v];
    if (i->code != KIR_CONST || !dtype_is_int((gpa_dtype)i->type)) return 0;
    int64_t by = dtype_cast(f->consts[i->imm].v, (gpa_dtype)i->type, DT_I64).I64;
    return by < 0 || by > INT8_MAX ? 0 : (int)MIN(by, n); /* fits in any integer type */
}

static int bits_of_op(const kir_func *f, const kir_ins *i, int depth) {
    int a = bits_of(f, i->a, depth), b = i->b >= 0 ? bits_of(f, i->b, depth) : -1;
    bool both = a >= 0 && b >= 0;
    switch ((int)i->sub) {
        case OP_ADD: return both ? MAX(a, b) + 1 : -1;
        case OP_MULTIPLY: return both ? a + b : -1;
        case OP_BITWISE_AND: return both ? MIN(a, b) : MAX(a, b);
        case OP_BITWISE_OR:
        case OP_BITWISE_XOR:
        case OP_MAXIMUM: return both ? MAX(a, b) : -1;
        case OP_MINIMUM: return both ? MIN(a, b) : -1;
        case OP_REMAINDER: return b; /* below the divisor, or 0 */
        case OP_FLOOR_DIVIDE: return both ? a : -1;
        case OP_RIGHT_SHIFT: return both ? a - least_shift(f, i->b, a) : -1;
        case OP_WHERE: {
            int c = bits_of(f, i->c, depth);
            return b >= 0 && c >= 0 ? MAX(b, c) : -1;
        }
    }
    return -1;
}

static int bits_of_thread(const kir_ins *i) {
    switch ((kir_thread)i->sub) {
        case KIR_TH_TID:
        case KIR_TH_LANE: return THREAD_BITS;
        case KIR_TH_BDIM:
        case KIR_TH_WARPSIZE: return BLOCK_BITS;
        case KIR_TH_BID:
        case KIR_TH_GDIM: return GRID_BITS;
        case KIR_TH_ROWS: break;
    }
    return -1;
}

/* A counter is between its initial value and its bound. */
static int bits_of_counter(const kir_func *f, const kir_ins *i, int depth) {
    if (bits_of(f, i->a, depth) < 0 || bits_of(f, i->c, depth) < 0) return -1;
    int end = bits_of(f, i->b, depth);
    return end < 0 ? bits_of_type((gpa_dtype)i->type) : MAX(end, bits_of(f, i->a, depth));
}

static int bits_of(const kir_func *f, int32_t v, int depth) {
    const kir_ins *i = &f->code[v];
    gpa_dtype t = (gpa_dtype)i->type;
    int n = -1;
    if (t == DT_BOOL) return 1;
    if (depth == 0 || t >= DT_COUNT || !dtype_is_int(t)) return -1;
    if (i->code == KIR_CONST)
        n = bits_of_constant(f, i);
    else if (i->code == KIR_THREAD)
        n = bits_of_thread(i);
    else if (i->code == KIR_SIZE || i->code == KIR_INDEX || i->code == KIR_BOUND)
        n = EXTENT_BITS;
    else if (i->code == KIR_FOR)
        n = bits_of_counter(f, i, depth - 1);
    else if (i->code == KIR_OP)
        n = bits_of_op(f, i, depth - 1);
    else if (i->code == KIR_CAST && f->code[i->a].type < DT_COUNT)
        n = bits_of(f, i->a, depth - 1);
    if (n > bits_of_type(t)) n = -1;
    return n < 0 && dtype_info[t].kind == 'U' ? bits_of_type(t) : n;
}

int kir_bits(const kir_func *f, int32_t v) { return bits_of(f, v, MAX_DEPTH); }
