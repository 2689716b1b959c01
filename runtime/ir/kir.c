/* kir builder: appends instructions with local value numbering; atomics, constants, structural key.
 *
 * Invariant: `heads` and `seen` are a hash table whose chains hold exactly the pure instructions
 * that are visible at the end of the list, youngest first, so leaving a region pops its
 * instructions off their chains. kir_reset keeps all memory: a program no larger than an earlier
 * one of the same function allocates nothing.
 *
 * Reading order: the function and its parts, value numbering, emission, operations, regions, the
 * key. The verifier is kir_verify.c, the printer kir_print.c. */
#include "runtime/ir/kir.h"

#include "runtime/base/base.h"
#include "runtime/base/str.h"

enum { HEADS = 256 }; /* a power of two */

struct kir_builder {
    int32_t heads[HEADS]; /* youngest visible instruction with this hash; -1: none */
    struct kir_seen {
        int32_t older;  /* next in the chain */
        int16_t head;   /* -1: not in a chain */
        uint32_t epoch; /* loads: the memory epoch in which they read */
    } * seen;           /* one per instruction */
    size_t cap_seen;
    int32_t *open; /* the open regions: the instructions that opened them */
    size_t n_open, cap_open;
    uint32_t epoch; /* incremented by each instruction that may change memory */
    uint32_t line;  /* span of the instructions that follow */
};

const struct kir_info kir_info[KIR_COUNT] = {
#define KI(id, name, args, reuse, facts, sub, imm, doc) \
    [KIR_##id] = {name, doc, facts, args, KIR_REUSE_##reuse, KIR_FIELD_##sub, KIR_FIELD_##imm},
#include "runtime/ir/kir.def"
#undef KI
};

static const char *const atomics[] = {
#define ATOMIC_ROW(id, name, op) name,
#include "runtime/ir/kir_rows.def"
};
static const char *const threads[] = {
#define THREAD_ROW(id, name) name,
#include "runtime/ir/kir_rows.def"
};
static const char *const barriers[] = {
#define BARRIER_ROW(id, name) name,
#include "runtime/ir/kir_rows.def"
};
static const char *const fences[] = {
#define FENCE_ROW(id, name) name,
#include "runtime/ir/kir_rows.def"
};
static const char *const warps[] = {
#define WARP_ROW(id, name) name,
#include "runtime/ir/kir_rows.def"
};
static const char *const faults[] = {
#define FAULT_ROW(id, name) name,
#include "runtime/ir/kir_rows.def"
};
static const char *const bound_modes[] = {"", [KIR_IN_BOUNDS] = "inside"};
static const char *const for_modes[] = {
    "", [KIR_SHORT_LOOP] = "few", [KIR_SHORT_LOOP_DOWN] = "few down"};
static const char *const if_modes[] = {"", [KIR_NEVER] = "never"};
static const char *const below_modes[] = {
    [KIR_MOSTLY_FALSE] = "mostly false", [KIR_MOSTLY_TRUE] = "mostly true"};

const struct kir_rows kir_rows[KIR_FIELD_COUNT] = {
    [KIR_FIELD_ATOMIC] = {atomics, COUNT_OF(atomics)},
    [KIR_FIELD_THREAD] = {threads, COUNT_OF(threads)},
    [KIR_FIELD_BARRIER] = {barriers, COUNT_OF(barriers)},
    [KIR_FIELD_FENCE] = {fences, COUNT_OF(fences)},
    [KIR_FIELD_WARP] = {warps, COUNT_OF(warps)},
    [KIR_FIELD_FAULT] = {faults, COUNT_OF(faults)},
    [KIR_FIELD_BOUND] = {bound_modes, COUNT_OF(bound_modes)},
    [KIR_FIELD_FOR] = {for_modes, COUNT_OF(for_modes)},
    [KIR_FIELD_IF] = {if_modes, COUNT_OF(if_modes)},
    [KIR_FIELD_BELOW] = {below_modes, COUNT_OF(below_modes)},
};

const gpa_op kir_atomic_op[KIR_AT_ROWS] = {
#define ATOMIC_ROW(id, name, op) [KIR_AT_##id] = OP_##op,
#include "runtime/ir/kir_rows.def"
};

gpa_val kir_atomic_result(kir_atomic row, gpa_dtype t, gpa_val old, gpa_val b, gpa_val c) {
    gpa_val one = dtype_cast((gpa_val){.I64 = 1}, DT_I64, t), zero = {.bits = {0, 0}};
    if (kir_atomic_op[row] != OP_COUNT) return op_scalar(kir_atomic_op[row], t, old, b, b);
    if (row == KIR_AT_EXCH) return b;
    if (row == KIR_AT_MIN) return op_scalar(OP_LESS, t, b, old, old).BOOL ? b : old;
    if (row == KIR_AT_MAX) return op_scalar(OP_GREATER, t, b, old, old).BOOL ? b : old;
    if (row == KIR_AT_CAS) return op_scalar(OP_EQUAL, t, old, b, b).BOOL ? c : old;
    if (row == KIR_AT_INC)
        return op_scalar(OP_GREATER_EQUAL, t, old, b, b).BOOL ? zero
                                                              : op_scalar(OP_ADD, t, old, one, one);
    bool wraps = op_scalar(OP_EQUAL, t, old, zero, zero).BOOL ||
                 op_scalar(OP_GREATER, t, old, b, b).BOOL; /* DEC */
    return wraps ? b : op_scalar(OP_SUBTRACT, t, old, one, one);
}

/* ---- the function and its parts ---- */

kir_func *kir_new(kir_form form, const char *name) {
    kir_func *f = mem_zero(sizeof *f);
    struct kir_builder *b = mem_new(sizeof *b);
    if (!f || !b) {
        mem_free(f);
        mem_free(b);
        return NULL;
    }
    memset(b, 0, sizeof *b);
    memset(b->heads, -1, sizeof b->heads);
    f->builder = b;
    kir_reset(f, form, name);
    return f;
}

void kir_free(kir_func *f) {
    if (!f) return;
    kir_reset(f, KIR_MAP, "");
    mem_free(f->builder->seen);
    mem_free(f->builder->open);
    mem_free(f->builder);
    mem_free(f->code);
    mem_free(f->arrays);
    mem_free(f->params);
    mem_free(f->consts);
    mem_free(f->spans);
    mem_free(f->texts);
    mem_free(f);
}

static bool copy_items(void *to, const void *from, size_t n, size_t size) {
    void **slot = to;
    if (!n) return true;
    if (!(*slot = mem_new(n * size))) return false;
    memcpy(*slot, from, n * size);
    return true;
}

bool kir_copy(kir_func *copy, const kir_func *f) {
    *copy = (kir_func){.form = f->form, .ndim = f->ndim, .inner = f->inner, .flags = f->flags};
    memcpy(copy->name, f->name, sizeof copy->name);
    copy->n_code = f->n_code, copy->n_arrays = f->n_arrays;
    copy->n_params = f->n_params, copy->n_consts = f->n_consts;
    if (!copy_items(&copy->code, f->code, f->n_code, sizeof *f->code) ||
        !copy_items(&copy->arrays, f->arrays, f->n_arrays, sizeof *f->arrays) ||
        !copy_items(&copy->params, f->params, f->n_params, sizeof *f->params) ||
        !copy_items(&copy->consts, f->consts, f->n_consts, sizeof *f->consts))
        return false;
    if (f->n_texts && !(copy->texts = mem_zero(f->n_texts * sizeof *copy->texts))) return false;
    for (; copy->n_texts < f->n_texts; copy->n_texts++) {
        const char *text = f->texts[copy->n_texts];
        if (!(copy->texts[copy->n_texts] = mem_text(text, strlen(text)))) return false;
    }
    return true;
}

void kir_copy_free(kir_func *copy) {
    for (size_t i = 0; i < copy->n_texts; i++) mem_free(copy->texts[i]);
    mem_free(copy->texts);
    mem_free(copy->code);
    mem_free(copy->arrays);
    mem_free(copy->params);
    mem_free(copy->consts);
}

/* Removes instructions from `first` on from value numbering. */
static void forget_values(kir_func *f, size_t first) {
    struct kir_builder *b = f->builder;
    for (size_t i = f->n_code; i-- > first;) {
        struct kir_seen *s = &b->seen[i];
        if (s->head >= 0) b->heads[s->head] = s->older;
        s->head = -1;
    }
}

void kir_reset(kir_func *f, kir_form form, const char *name) {
    forget_values(f, 0);
    for (size_t i = 0; i < f->n_texts; i++) mem_free(f->texts[i]);
    f->form = (uint8_t)form;
    f->ndim = 0;
    f->inner = 0;
    f->flags = 0;
    f->n_code = f->n_arrays = f->n_params = f->n_consts = f->n_spans = f->n_texts = 0;
    f->builder->n_open = 0;
    f->builder->epoch = 0;
    f->failed = false;
    size_t n = MIN(strlen(name), sizeof f->name - 1);
    memcpy(f->name, name, n);
    f->name[n] = 0;
    kir_set_span(f, (gpa_span){0, 0, 0});
}

int kir_add_array(kir_func *f, kir_array a) {
    if (!mem_grow(&f->arrays, f->n_arrays, &f->cap_arrays, sizeof *f->arrays)) {
        f->failed = true;
        return -1;
    }
    f->arrays[f->n_arrays] = a;
    return (int)f->n_arrays++;
}

int kir_add_param(kir_func *f, gpa_dtype type) {
    if (!mem_grow(&f->params, f->n_params, &f->cap_params, sizeof *f->params)) {
        f->failed = true;
        return -1;
    }
    f->params[f->n_params] = (uint8_t)type;
    return (int)f->n_params++;
}

uint32_t kir_add_text(kir_func *f, const char *text) {
    char *own = mem_text(text, strlen(text));
    if (!own || !mem_grow(&f->texts, f->n_texts, &f->cap_texts, sizeof *f->texts)) {
        mem_free(own);
        f->failed = true;
        return KIR_NO_TEXT;
    }
    f->texts[f->n_texts] = own;
    return (uint32_t)f->n_texts++;
}

void kir_set_span(kir_func *f, gpa_span span) {
    if (f->n_spans) {
        gpa_span last = f->spans[f->builder->line];
        if (last.src == span.src && last.lo == span.lo && last.hi == span.hi) return;
    }
    if (!mem_grow(&f->spans, f->n_spans, &f->cap_spans, sizeof *f->spans)) {
        f->failed = true;
        return;
    }
    f->builder->line = (uint32_t)f->n_spans;
    f->spans[f->n_spans++] = span;
}

/* ---- value numbering ---- */

static int16_t hash_ins(const kir_ins *i) {
    uint64_t x = (uint64_t)i->code | (uint64_t)i->type << 8 | (uint64_t)i->sub << 16 |
                 (uint64_t)(uint32_t)i->a << 32;
    uint64_t y = (uint32_t)i->b | (uint64_t)(uint32_t)i->c << 32;
    x = (x ^ y * 0x9e3779b97f4a7c15u ^ i->imm) * 0xd6e8feb86659fd93u;
    return (int16_t)(x >> 56 & (HEADS - 1));
}

static bool same_ins(const kir_ins *x, const kir_ins *y) {
    return x->code == y->code && x->type == y->type && x->sub == y->sub && x->a == y->a &&
           x->b == y->b && x->c == y->c && x->imm == y->imm;
}

/* ---- emission ---- */

/* Sets operands beyond the instruction's to -1, so that equal instructions have equal fields. */
static void normalise(kir_ins *i) {
    int args = kir_arity(i);
    if (args < 1 || i->a < 0) i->a = -1;
    if (args < 2 || i->b < 0) i->b = -1;
    if (args < 3 || i->c < 0) i->c = -1;
}

static int32_t append(kir_func *f, const kir_ins *ins, int16_t head) {
    struct kir_builder *b = f->builder;
    if (!mem_grow(&f->code, f->n_code, &f->cap_code, sizeof *f->code) ||
        !mem_grow(&b->seen, f->n_code, &b->cap_seen, sizeof *b->seen)) {
        f->failed = true;
        return -1;
    }
    int32_t at = (int32_t)f->n_code++;
    f->code[at] = *ins;
    f->code[at].line = b->line;
    b->seen[at] = (struct kir_seen){.older = -1, .head = head, .epoch = b->epoch};
    if (head >= 0) {
        b->seen[at].older = b->heads[head];
        b->heads[head] = at;
    }
    return at;
}

int32_t kir_emit(kir_func *f, kir_ins ins) {
    struct kir_builder *b = f->builder;
    normalise(&ins);
    kir_reuse r = (kir_reuse)kir_info[ins.code].reuse;
    if (ins.code == KIR_ELSE && b->n_open) forget_values(f, (size_t)b->open[b->n_open - 1] + 1);
    if (r == KIR_REUSE_WRITES) b->epoch++;
    if (r == KIR_REUSE_WRITES || r == KIR_REUSE_EFFECT) return append(f, &ins, -1);
    int16_t head = hash_ins(&ins);
    for (int32_t i = b->heads[head]; i >= 0; i = b->seen[i].older)
        if (same_ins(&f->code[i], &ins) && (r == KIR_REUSE_PURE || b->seen[i].epoch == b->epoch))
            return i;
    return append(f, &ins, head);
}

int32_t kir_const(kir_func *f, gpa_dtype type, gpa_val v) {
    gpa_val clean = {.bits = {0, 0}};
    dtype_store(&clean, type, v);
    uint32_t i = 0;
    while (i < f->n_consts && (f->consts[i].type != type ||
                               memcmp(f->consts[i].v.bits, clean.bits, sizeof clean.bits) != 0))
        i++;
    if (i == f->n_consts) {
        if (!mem_grow(&f->consts, f->n_consts, &f->cap_consts, sizeof *f->consts)) {
            f->failed = true;
            return -1;
        }
        f->consts[f->n_consts].v = clean;
        f->consts[f->n_consts++].type = (uint8_t)type;
    }
    return kir_emit(
        f,
        (kir_ins){.code = KIR_CONST, .type = (uint8_t)type, .imm = i, .a = -1, .b = -1, .c = -1});
}

int32_t kir_cast(kir_func *f, gpa_dtype to, int32_t a) {
    if (a < 0 || f->code[a].type == to) return a;
    return kir_emit(f, (kir_ins){.code = KIR_CAST, .type = (uint8_t)to, .a = a, .b = -1, .c = -1});
}

/* ---- operations ---- */

/* Composite rows: their expansions, with A, B, C the operands. */
static int32_t expand(kir_func *f, gpa_op op, int32_t A, int32_t B, int32_t C) {
    (void)B, (void)C;
    switch (op) {
#define XOP1(id, x) kir_op1(f, OP_##id, x)
#define XOP2(id, x, y) kir_op2(f, OP_##id, x, y)
#define XOP3(id, x, y, z) kir_op3(f, OP_##id, x, y, z)
#define XZERO kir_const(f, (gpa_dtype)f->code[A].type, (gpa_val){.bits = {0, 0}})
#define OP(id, ...) \
    case OP_##id:   \
        break;
#define OPX(id, name, symbol, arity, sig, cost, red, B_, I_, U_, F_, C_, expansion, doc) \
    case OP_##id:                                                                        \
        return expansion;
#include "runtime/tables/op.def"
#undef OP
#undef OPX
#undef XOP1
#undef XOP2
#undef XOP3
#undef XZERO
        case OP_COUNT: break;
    }
    return -1;
}

/* Strength reduction: floor division and modulo by the constant 2**n are an arithmetic shift and a
 * mask, of negative operands too. -1: b is no such constant. */
static int32_t divide_by_power_of_two(kir_func *f, gpa_op op, int32_t a, int32_t b) {
    gpa_dtype t = (gpa_dtype)f->code[b].type;
    if (f->code[b].code != KIR_CONST || f->code[a].type != t || !dtype_is_int(t)) return -1;
    int64_t by = dtype_cast(f->consts[f->code[b].imm].v, t, DT_I64).I64;
    if (by <= 0 || by & (by - 1)) return -1;
    if (by == 1 && op == OP_FLOOR_DIVIDE) return a;
    int64_t with = op == OP_REMAINDER ? by - 1 : __builtin_ctzll((unsigned long long)by);
    b = kir_const(f, t, dtype_cast((gpa_val){.I64 = with}, DT_I64, t));
    return kir_op2(f, op == OP_REMAINDER ? OP_BITWISE_AND : OP_RIGHT_SHIFT, a, b);
}

static int32_t emit_op(kir_func *f, gpa_op op, int32_t a, int32_t b, int32_t c) {
    const gpa_op_info *info = &op_info[op];
    int32_t reduced = -1;
    if (a < 0 || (info->arity > 1 && b < 0) || (info->arity > 2 && c < 0))
        return -1; /* memory ran out earlier */
    if (info->composite) return expand(f, op, a, b, c);
    if (op == OP_FLOOR_DIVIDE || op == OP_REMAINDER) reduced = divide_by_power_of_two(f, op, a, b);
    if (reduced >= 0) return reduced;
    gpa_dtype compute = (gpa_dtype)f->code[info->sig == SIG_SELECT ? b : a].type, result = DT_NONE;
    if (!op_types(op, compute, &compute, &result))
        result = DT_NONE; /* kir_check reports it */
    else if (info->arity == 1 && result == compute &&
             strcmp(info->text[op_kind_index(dtype_info[compute].kind)], "a") == 0)
        return a;
    return kir_emit(
        f,
        (kir_ins){
            .code = KIR_OP, .type = (uint8_t)result, .sub = (uint16_t)op, .a = a, .b = b, .c = c});
}

int32_t kir_op1(kir_func *f, gpa_op op, int32_t a) { return emit_op(f, op, a, -1, -1); }

int32_t kir_op2(kir_func *f, gpa_op op, int32_t a, int32_t b) { return emit_op(f, op, a, b, -1); }

int32_t kir_op3(kir_func *f, gpa_op op, int32_t a, int32_t b, int32_t c) {
    return emit_op(f, op, a, b, c);
}

/* ---- regions ---- */

int32_t kir_open(kir_func *f, kir_ins ins) {
    struct kir_builder *b = f->builder;
    int32_t at = kir_emit(f, ins);
    if (at < 0) return -1;
    if (!mem_grow(&b->open, b->n_open, &b->cap_open, sizeof *b->open)) {
        f->failed = true;
        return -1;
    }
    b->open[b->n_open++] = at;
    return at;
}

void kir_close(kir_func *f) {
    struct kir_builder *b = f->builder;
    if (b->n_open == 0) return; /* memory ran out when it was opened */
    int32_t at = b->open[--b->n_open];
    forget_values(f, (size_t)at + 1);
    kir_emit(f,
             (kir_ins){
                 .code = KIR_END, .type = DT_NONE, .imm = (uint32_t)at, .a = -1, .b = -1, .c = -1});
}

/* ---- the key ---- */

static uint8_t *put_bytes(uint8_t *to, const void *from, size_t n) {
    memcpy(to, from, n);
    return to + n;
}

void kir_key(const kir_func *f, gpa_str *out) {
    enum { INS = offsetof(kir_ins, line) };
    uint32_t head[] = {(uint32_t)(f->form | f->ndim << 8 | f->inner << 16),
                       f->flags,
                       (uint32_t)f->n_code,
                       (uint32_t)f->n_arrays,
                       (uint32_t)f->n_params,
                       (uint32_t)f->n_consts,
                       (uint32_t)f->n_texts};
    uint8_t row[24];
    str_putn(out, (const char *)head, sizeof head);
    for (size_t i = 0; i < f->n_arrays; i++) {
        const kir_array *a = &f->arrays[i];
        uint16_t parts[] = {a->zero, a->unit, a->group};
        uint8_t facts[] = {a->dtype, a->where, a->access, a->ndim};
        uint8_t *end =
            put_bytes(put_bytes(put_bytes(row, facts, sizeof facts), parts, sizeof parts),
                      &a->count, sizeof a->count);
        str_putn(out, (const char *)row, (size_t)(end - row));
    }
    str_putn(out, (const char *)f->params, f->n_params);
    for (size_t i = 0; i < f->n_consts; i++) {
        uint8_t *end = put_bytes(put_bytes(row, &f->consts[i].type, 1), &f->consts[i].v,
                                 sizeof f->consts[i].v);
        str_putn(out, (const char *)row, (size_t)(end - row));
    }
    for (size_t i = 0; i < f->n_code; i++) str_putn(out, (const char *)&f->code[i], INS);
    for (size_t i = 0; i < f->n_texts; i++) str_putn(out, f->texts[i], strlen(f->texts[i]) + 1);
}
