/* Segmented reductions along one axis: segmented_reduce.h.
 *
 * Short segments are folded element by element. Longer ones are folded in blocks, with one vector
 * register of partial results; the results of blocks are combined pairwise, which bounds the
 * rounding error of sums (pairwise summation). Segments of rows are folded row by row. The
 * combinations are the value expressions of reduce.def; segmented_reduce.inc has the loops of one
 * element type.
 *
 * Reading order: traits of each reduction, the loops, calls. */
#include "runtime/host/segmented_reduce.h"

#include <math.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

enum {
    PENDING = 64, /* results of blocks that wait for their pair: one per bit of a block count */
    REGISTER = 64 /* bytes of the widest vector register */
};

/* ---- traits of each reduction ---- */

/* The element types that have loops for a reduction, and how they combine. */
enum {
    SEG_INT = 1,      /* integers of 32 and 64 bits: the signed loops, as arithmetic wraps */
    SEG_NARROW = 2,   /* those of 8 and 16 bits too; sums of these accumulate in 64 bits */
    SEG_UNSIGNED = 4, /* unsigned integers have loops of their own, of all sizes */
    SEG_FLOAT = 8,
    SEG_COMPLEX = 16,
    SEG_MIN = 32, /* of floats by the processor's instruction, which does not see NaN */
    SEG_MAX = 64,
    SEG_SKIP_NAN = 128, /* fmin and fmax; of integers they are min and max */
    SEG_EXTREMUM = SEG_INT | SEG_NARROW | SEG_UNSIGNED | SEG_FLOAT | SEG_COMPLEX
};

/* Of every row of reduce.def: one that has none here does not compile. 0: bools at most, whose
 * loops follow from the combination itself. */
enum {
    SEGMENTED_SUM = SEG_INT | SEG_FLOAT | SEG_COMPLEX,
    SEGMENTED_PROD = SEG_INT | SEG_FLOAT | SEG_COMPLEX,
    SEGMENTED_MIN = SEG_EXTREMUM | SEG_MIN,
    SEGMENTED_MAX = SEG_EXTREMUM | SEG_MAX,
    SEGMENTED_FMIN = SEG_EXTREMUM | SEG_MIN | SEG_SKIP_NAN,
    SEGMENTED_FMAX = SEG_EXTREMUM | SEG_MAX | SEG_SKIP_NAN,
    SEGMENTED_ANY = 0,
    SEGMENTED_ALL = 0,
    SEGMENTED_AND = SEG_INT | SEG_NARROW,
    SEGMENTED_OR = SEG_INT | SEG_NARROW,
    SEGMENTED_XOR = SEG_INT | SEG_NARROW,
    SEGMENTED_ARGMIN = 0,
    SEGMENTED_ARGMAX = 0
};

static const int traits[RED_COUNT] = {
#define RED(id, ...) [RED_##id] = SEGMENTED_##id,
#include "runtime/tables/reduce.def"
#undef RED
};

/* How a reduction combines bools, by its truth table. */
typedef enum { BOOLS_OTHER, BOOLS_ANY, BOOLS_ALL } bool_fold;

static bool_fold bool_fold_of(gpa_red red) {
    if (red_info[red].arg) return BOOLS_OTHER;
    const bool either = red_combine_bools(red, false, true);
    if (red_combine_bools(red, false, false) || !red_combine_bools(red, true, true) ||
        either != red_combine_bools(red, true, false))
        return BOOLS_OTHER;
    return either ? BOOLS_ANY : BOOLS_ALL;
}

/* ---- the loops ---- */

/* A case for a row of reduce.def whose column for the element type is not NONE. */
#define NONE none, 1
#define SAME_I none, 1
#define UNWRAP(...) __VA_ARGS__
#define CASE_1(id, column)
#define CASE_0(id, column) CASE_X(id, UNWRAP column, 0, 0)
#define CASE_X(...) CASE_OF(__VA_ARGS__)
#define CASE_OF(id, v, none, ...) CASE_OF_##none(id, v)
#define CASE_OF_1(id, v)
#define CASE_OF_0(id, v) ROW(id, v)

/* How segments are folded. */
typedef struct {
    gpa_red red;
    int traits;
} fold_kind;

#define FOLD_INLINE static inline __attribute__((always_inline))

#define NAME(f) f##_i8
#define T int8_t
#define INT int8_t
#define UT uint8_t
#define NEEDS (SEG_INT | SEG_NARROW)
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_i16
#define T int16_t
#define INT int16_t
#define UT uint16_t
#define NEEDS (SEG_INT | SEG_NARROW)
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_i32
#define T int32_t
#define INT int32_t
#define UT uint32_t
#define NEEDS SEG_INT
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_i64
#define T int64_t
#define INT int64_t
#define UT uint64_t
#define NEEDS SEG_INT
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_u8
#define T uint8_t
#define INT int8_t
#define UT uint8_t
#define NEEDS SEG_UNSIGNED
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_u16
#define T uint16_t
#define INT int16_t
#define UT uint16_t
#define NEEDS SEG_UNSIGNED
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_u32
#define T uint32_t
#define INT int32_t
#define UT uint32_t
#define NEEDS SEG_UNSIGNED
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_u64
#define T uint64_t
#define INT int64_t
#define UT uint64_t
#define NEEDS SEG_UNSIGNED
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_f32
#define T float
#define INT int32_t
#define UT float
#define FLOATS 1
#define NEEDS SEG_FLOAT
#include "runtime/host/segmented_reduce.inc"
#define NAME(f) f##_f64
#define T double
#define INT int64_t
#define UT double
#define FLOATS 1
#define NEEDS SEG_FLOAT
#include "runtime/host/segmented_reduce.inc"

#define NAME(f) f##_c64
#define T float
#define INT int32_t
#include "runtime/host/segmented_sum_complex.inc"
#define NAME(f) f##_c128
#define T double
#define INT int64_t
#include "runtime/host/segmented_sum_complex.inc"

/* ---- calls ---- */

/* Another reduction of complex numbers, one after the other. */
static void fold_complex(const host_segmented *s) {
    const gpa_red_fold fold = red_fold(s->red, s->dtype);
    const int64_t item = (int64_t)dtype_size(s->dtype);
    const char *x = s->x;
    char *to = s->out;
    for (int64_t r = 0; r < s->rows; r++, x += s->n * item)
        for (int64_t k = 0; k < s->count; k++, to += item)
            fold(x + s->start[k] * item, segment_length(s, k), to);
}

/* Bools are bytes, true if not 0: any is their maximum, all their minimum. */
static bool fold_bools(const host_segmented *s) {
    host_segmented bytes = *s;
    uint8_t *out = s->out;
    bytes.red = bool_fold_of(s->red) == BOOLS_ALL ? RED_MIN : RED_MAX;
    if (!reduce_u8(&bytes)) return false;
    for (int64_t i = 0; i < s->rows * s->count * s->width; i++) out[i] = out[i] != 0;
    return true;
}

bool host_segmented_can(gpa_red red, gpa_dtype t, bool wide) {
    const int has = traits[red];
    if (red_info[red].arg || !red_info[red].text[op_kind_index(dtype_info[t].kind)]) return false;
    switch (dtype_info[t].kind) {
        case 'B': return bool_fold_of(red) != BOOLS_OTHER;
        case 'C': return has & SEG_COMPLEX && (!wide || red == RED_SUM);
        case 'F': return has & SEG_FLOAT && dtype_info[t].compute == t;
        default: return has & SEG_INT && (dtype_size(t) >= 4 || has & SEG_NARROW);
    }
}

/* The loops of a type; of unsigned integers those of the signed ones where these give the same. */
static bool reduce(const host_segmented *s) {
    const bool own = traits[s->red] & SEG_UNSIGNED;
    switch (s->dtype) {
        case DT_BOOL: return fold_bools(s);
        case DT_I8: return reduce_i8(s);
        case DT_I16: return reduce_i16(s);
        case DT_I32: return reduce_i32(s);
        case DT_I64: return reduce_i64(s);
        case DT_U8: return own ? reduce_u8(s) : reduce_i8(s);
        case DT_U16: return own ? reduce_u16(s) : reduce_i16(s);
        case DT_U32: return own ? reduce_u32(s) : reduce_i32(s);
        case DT_U64: return own ? reduce_u64(s) : reduce_i64(s);
        case DT_F32: return reduce_f32(s);
        case DT_F64: return reduce_f64(s);
        case DT_C64: return s->red == RED_SUM ? sum_c64(s) : (fold_complex(s), true);
        case DT_C128: return s->red == RED_SUM ? sum_c128(s) : (fold_complex(s), true);
        case DT_F16:
        case DT_BF16:
        case DT_COUNT: break;
    }
    return false;
}

gpa_code host_segmented_reduce(const host_segmented *s, gpa_err *e) {
    host_segmented of = *s;
    if (traits[s->red] & SEG_SKIP_NAN && dtype_info[s->dtype].kind != 'F' &&
        dtype_info[s->dtype].kind != 'C')
        of.red = traits[s->red] & SEG_MIN ? RED_MIN : RED_MAX;
    if (dtype_info[s->dtype].kind == 'C' && s->width > 1) { /* sums of the parts */
        of.dtype = dtype_info[s->dtype].real;
        of.width *= 2;
    }
    if (reduce(&of)) return GPA_OK;
    return gpa_fail(e, GPA_E_INTERNAL, "no segmented %s of %s on the host", red_info[s->red].name,
                    dtype_info[s->dtype].name);
}
