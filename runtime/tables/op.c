/* Properties of operations and reductions as data, type resolution, evaluation of one element.
 *
 * Reading order: columns as strings, the tables, names, types, values. The value functions are
 * compiled in op_int.c, op_float.c and op_complex.c. */
#include "runtime/tables/op.h"

#include "runtime/tables/op_eval.h"

/* A column is an expression, or NONE or SAME_I, which expand to two arguments: the second selects
 * TEXT_0 (the expression as a string), TEXT_1 (NULL) or TEXT_2 (the string of column I). Columns
 * are passed in parentheses, since they contain commas. */
#define NONE none, 1
#define SAME_I none, 2
#define UNWRAP(...) __VA_ARGS__
#define TEXT(i, column) TEXT_X(i, UNWRAP column, 0, 0)
#define TEXT_X(...) TEXT_OF(__VA_ARGS__)
#define TEXT_OF(i, v, how, ...) TEXT_##how(i, v)
#define TEXT_0(i, v) #v
#define TEXT_1(i, v) NULL
#define TEXT_2(i, v) TEXT_I(UNWRAP i)
#define TEXT_I(...) TEXT_J(__VA_ARGS__)
#define TEXT_J(...) #__VA_ARGS__
#define TEXTS(B, I, U, F, C) \
    { TEXT(B, B), TEXT(I, I), TEXT(I, U), TEXT(F, F), TEXT(C, C) }

enum { RED_NONE = RED_COUNT, OP_NONE = OP_COUNT };

const gpa_op_info op_info[OP_COUNT] = {
#define ROW(id, name, symbol, arity, sig, composite, cost, red, doc, ...) \
    [OP_##id] = {#id,       name,      doc,  symbol, arity,               \
                 SIG_##sig, composite, cost, red,    TEXTS(__VA_ARGS__)},
#define OP(id, name, symbol, arity, sig, cost, red, B, I, U, F, C, LL, doc) \
    ROW(id, name, symbol, arity, sig, false, cost, RED_##red, doc, (B), (I), (U), (F), (C))
#define OPX(id, name, symbol, arity, sig, cost, red, B, I, U, F, C, expansion, doc) \
    ROW(id, name, symbol, arity, sig, true, cost, RED_##red, doc, (B), (I), (U), (F), (C))
#include "runtime/tables/op.def"
#undef OP
#undef OPX
#undef ROW
};

const char *const op_sig_docs[SIG_ROWS] = {
#define SIG(id, doc) [SIG_##id] = (doc),
#include "runtime/tables/sig.def"
#undef SIG
};

const gpa_red_info red_info[RED_COUNT] = {
#define ENTRY(id, ...) [RED_##id] = {#id, __VA_ARGS__},
#define RED(id, name, arg, empty, op, B, I, U, F, C, SB, SI, SU, SF, SC, LL, doc) \
    ENTRY(id, name, doc, arg, empty, OP_##op, TEXTS((B), (I), (U), (F), (C)),     \
          TEXTS((SB), (SI), (SU), (SF), (SC)))
#include "runtime/tables/reduce.def"
#undef RED
#undef ENTRY
};

const gpa_op_helper op_helpers[] = {
#define HELP_I(name, ret, params, ...) {#name, #ret " H(" #name ")" #params " " #__VA_ARGS__, 'I'},
#define HELP_F(name, ret, params, ...) {#name, #ret " H(" #name ")" #params " " #__VA_ARGS__, 'F'},
#define HELP_C(name, ret, params, ...) {#name, #ret " H(" #name ")" #params " " #__VA_ARGS__, 'C'},
#include "runtime/tables/op_helpers.def"
};
const size_t op_helper_count = sizeof op_helpers / sizeof op_helpers[0];

/* ---- names ---- */

static bool equal_name(const char *row, const char *name, size_t n) {
    return strncmp(row, name, n) == 0 && row[n] == 0;
}

gpa_op op_find(const char *name, size_t n) {
    static const struct {
        const char *name;
        gpa_op op;
    } aliases[] = {
#define OP(...)
#define OPX(...)
#define OPA(alias, id) {alias, OP_##id},
#include "runtime/tables/op.def"
#undef OP
#undef OPX
    };
    for (int i = 0; i < OP_COUNT; i++)
        if (equal_name(op_info[i].name, name, n)) return (gpa_op)i;
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (equal_name(aliases[i].name, name, n)) return aliases[i].op;
    return OP_COUNT;
}

gpa_red red_find(const char *name, size_t n) {
    for (int i = 0; i < RED_COUNT; i++)
        if (equal_name(red_info[i].name, name, n)) return (gpa_red)i;
    return RED_COUNT;
}

/* ---- types ---- */

/* NumPy's float loop for operands of type t: the smallest float that holds them. */
static gpa_dtype to_float(gpa_dtype t) {
    char k = dtype_info[t].kind;
    if (k == 'F' || k == 'C') return t;
    size_t n = dtype_size(t);
    return n == 1 ? DT_F16 : n == 2 ? DT_F32 : DT_F64;
}

static gpa_dtype bool_as_i8(gpa_dtype t) { return t == DT_BOOL ? DT_I8 : t; }

static gpa_dtype complex_of(gpa_dtype t) { return t == DT_F32 ? DT_C64 : DT_C128; }

/* The type the operation computes in, if the row has a value for its kind. */
static gpa_dtype sig_compute(gpa_sig sig, gpa_dtype t) {
    bool integral = t == DT_BOOL || dtype_is_int(t);
    switch (sig) {
        case SIG_ARITH:
        case SIG_REAL:
        case SIG_COMPARE:
        case SIG_LOGIC:
        case SIG_BITS:
        case SIG_TEST:
        case SIG_ABS:
        case SIG_PART:
        case SIG_SELECT:
        case SIG_ARITH_NB:
        case SIG_INT: return t;
        case SIG_ARITH_I8:
        case SIG_REAL_I8:
        case SIG_INT_I8:
        case SIG_COUNT: return bool_as_i8(t);
        case SIG_FLOAT:
        case SIG_FLOATC:
        case SIG_TEST_REAL:
        case SIG_LDEXP:
        case SIG_FREXP: return to_float(t);
        case SIG_DIVIDE: return integral ? DT_F64 : t;
        case SIG_DOUBLE: return dtype_is_complex(t) ? DT_C128 : DT_F64;
        case SIG_ANGLE: return t == DT_BOOL ? DT_F64 : to_float(t);
        case SIG_WORD: return t == DT_U64 ? t : DT_NONE;
        case SIG_REBIT: return t == DT_I32 ? t : DT_NONE;
        case SIG_UNBIT: return t == DT_F32 ? t : DT_NONE;
        case SIG_JOIN: t = to_float(t); return dtype_is_float(t) && dtype_size(t) == 2 ? DT_F32 : t;
        case SIG_ROWS: break;
    }
    return DT_NONE;
}

static gpa_dtype sig_result(gpa_sig sig, gpa_dtype compute) {
    switch (sig) {
        case SIG_COMPARE:
        case SIG_LOGIC:
        case SIG_TEST:
        case SIG_TEST_REAL: return DT_BOOL;
        case SIG_ABS:
        case SIG_PART:
        case SIG_ANGLE: return dtype_info[compute].real;
        case SIG_JOIN: return complex_of(compute);
        case SIG_FREXP:
        case SIG_UNBIT: return DT_I32;
        case SIG_REBIT: return DT_F32;
        case SIG_COUNT: return DT_U8;
        case SIG_ARITH:
        case SIG_ARITH_NB:
        case SIG_ARITH_I8:
        case SIG_REAL:
        case SIG_REAL_I8:
        case SIG_FLOAT:
        case SIG_FLOATC:
        case SIG_DIVIDE:
        case SIG_DOUBLE:
        case SIG_BITS:
        case SIG_INT:
        case SIG_INT_I8:
        case SIG_LDEXP:
        case SIG_SELECT:
        case SIG_WORD: return compute;
        case SIG_ROWS: break;
    }
    return DT_NONE;
}

bool op_types(gpa_op op, gpa_dtype t, gpa_dtype *compute, gpa_dtype *result) {
    gpa_sig sig = (gpa_sig)op_info[op].sig;
    gpa_dtype c = sig_compute(sig, t);
    if (c == DT_NONE || !op_info[op].text[op_kind_index(dtype_info[c].kind)]) return false;
    *compute = c;
    *result = sig_result(sig, c);
    return true;
}

gpa_dtype op_promotion_type(gpa_op op, gpa_dtype t) {
    return op_info[op].sig == SIG_FLOAT ? to_float(t) : t;
}

gpa_dtype op_operand_type(gpa_op op, gpa_dtype compute, int i) {
    if (op_info[op].sig == SIG_SELECT && i == 0) return DT_BOOL;
    if (op_info[op].sig == SIG_LDEXP && i == 1) return DT_I64;
    return compute;
}

/* ---- values ---- */

gpa_op_fn op_function(gpa_op op, gpa_dtype t) {
    static const gpa_op_fn *const rows[DT_COUNT] = {
#define DT(id, ...) [DT_##id] = op_rows_##id,
#include "runtime/tables/dtype.def"
#undef DT
    };
    return rows[t][op];
}

gpa_op_loop op_loop(gpa_op op, gpa_dtype t) {
    static const gpa_op_loop *const rows[DT_COUNT] = {
#define DT(id, ...) [DT_##id] = op_loops_##id,
#include "runtime/tables/dtype.def"
#undef DT
    };
    return rows[t][op];
}

gpa_val op_scalar(gpa_op op, gpa_dtype t, gpa_val a, gpa_val b, gpa_val c) {
    gpa_val out = {.bits = {0, 0}};
    op_function(op, t)(&out, &a, &b, &c);
    return out;
}

gpa_red_state red_start(gpa_red r, gpa_dtype t) {
    static const gpa_op_fn *const rows[DT_COUNT] = {
#define DT(id, name, ctype, cuda, npchar, kind, size, compute, real) \
    [DT_##id] = red_starts_##compute,
#include "runtime/tables/dtype.def"
#undef DT
    };
    gpa_red_state s = {.v = {.bits = {0, 0}}, .at = -1};
    if (rows[t][r]) rows[t][r](&s.v, NULL, NULL, NULL);
    return s;
}

gpa_red_fold red_fold(gpa_red r, gpa_dtype t) {
    return (t == DT_C64 ? red_folds_C64 : red_folds_C128)[r];
}

gpa_red_state red_combine(gpa_red r, gpa_dtype t, gpa_red_state a, gpa_red_state b) {
    static const gpa_op_fn *const rows[DT_COUNT] = {
#define DT(id, name, ctype, cuda, npchar, kind, size, compute, real) [DT_##id] = red_rows_##compute,
#include "runtime/tables/dtype.def"
#undef DT
    };
    gpa_op_fn fn = rows[t][r];
    gpa_val v = {.bits = {0, 0}};
    if (!red_info[r].arg) {
        fn(&v, &a.v, &b.v, &b.v);
        return (gpa_red_state){.v = v, .at = -1};
    }
    if (a.at < 0) return b;
    if (b.at < 0) return a;
    fn(&v, &a.v, &b.v, &b.v);
    if (v.BOOL) return b;
    fn(&v, &b.v, &a.v, &a.v);
    return v.BOOL || a.at <= b.at ? a : b;
}

bool red_combine_bools(gpa_red r, bool a, bool b) {
    const gpa_red_state x = {.v = {.BOOL = a}, .at = -1}, y = {.v = {.BOOL = b}, .at = -1};
    return red_combine(r, DT_BOOL, x, y).v.BOOL;
}
