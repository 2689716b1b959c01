/* kir verifier: checks every rule of kir.h and kir.def, one function per family of instructions.
 *
 * Invariant of the traversal: `home[v]` is the region that defines value v, `stack` holds the open
 * regions, and a value may be used while its region is open. The first violation ends the
 * traversal. Reading order: the state, single rules, families, the traversal. */
#include "runtime/base/base.h"
#include "runtime/ir/kir.h"

typedef struct {
    int32_t opener; /* instruction; -1: the function itself */
    uint32_t id;
    bool divided; /* an IF after its ELSE */
} region;

typedef struct {
    const kir_func *f;
    const kir_ins *i; /* the instruction under check */
    int32_t at;
    uint32_t *home; /* per value: the region that defines it */
    region *stack;
    size_t depth; /* stack[depth - 1] is the innermost */
    bool *open;   /* per region */
    uint32_t n_regions;
    int32_t each; /* the open EACH, or -1 */
    const char *wrong;
} check;

static bool require(check *c, bool holds, const char *rule) {
    if (!holds && !c->wrong) c->wrong = rule;
    return holds;
}

static uint8_t type_of(const check *c, int32_t v) { return c->f->code[v].type; }

/* Requires that operand v is a value visible at this instruction. */
static bool need_value(check *c, int32_t v) {
    if (!require(c, v >= 0 && v < c->at, "an operand is missing or not yet defined")) return false;
    const kir_ins *d = &c->f->code[v];
    return require(c, kir_has(d->code, KI_VALUE | KI_COUNTER) && d->type < DT_COUNT,
                   "an operand is not a value") &&
           require(c, c->open[c->home[v]],
                   "an operand is used outside of the region that made it") &&
           require(c, d->code != KIR_REDUCE || c->each < 0 || v < c->each,
                   "a reduction is used inside its own region");
}

static bool need_typed(check *c, int32_t v, gpa_dtype t, const char *rule) {
    return need_value(c, v) && require(c, type_of(c, v) == t, rule);
}

/* The array of an instruction, whose fields are checked. */
static const kir_array *array_of(const check *c) { return &c->f->arrays[c->i->sub]; }

static bool in_memory(const kir_array *a) { return a->where != KIR_VIRTUAL; }

/* ---- arrays ---- */

static void check_array(check *c, const kir_array *a) {
    const kir_func *f = c->f;
    unsigned dims = f->form == KIR_MAP ? f->ndim : KIR_MAX_DIMS;
    require(c, a->dtype < DT_COUNT, "an array has no dtype");
    require(c, a->where <= KIR_CONSTANT, "an array is nowhere");
    require(c, f->form == KIR_KERNEL ? a->ndim <= KIR_MAX_DIMS : a->ndim == 0,
            "an array has too many dimensions");
    require(c, (a->zero | a->unit) >> dims == 0 && !(a->zero & a->unit),
            "an array's stride flags contradict");
    require(c, a->where != KIR_VIRTUAL || a->access == 0, "a virtual array cannot be accessed");
    require(c, a->where != KIR_SHARED || f->form == KIR_KERNEL, "only a kernel has shared arrays");
    require(c, (a->where != KIR_LOCAL && a->where != KIR_CONSTANT) || a->count > 0,
            "a local array has no size");
}

/* Requires that the current point selects an element: outside of EACH there are no inner
 * coordinates. */
static void need_point(check *c, const kir_array *a) {
    require(c, c->f->form == KIR_MAP, "a kernel has no iteration space");
    require(c, c->each >= 0 || (c->f->inner & ~a->zero) == 0,
            "an array of inner dimensions is used outside of each");
}

static void check_memory(check *c) {
    const kir_ins *i = c->i;
    const kir_array *a = array_of(c);
    bool reads = kir_has(i->code, KI_READS), writes = kir_has(i->code, KI_WRITES);
    require(c, in_memory(a), "a virtual array has no memory");
    require(c, !reads || a->access & KIR_READ, "the array may not be read");
    require(c, !writes || a->access & KIR_WRITE, "the array may not be written");
    require(c, !reads || i->type == a->dtype, "the value has not the array's dtype");
    if (kir_has(i->code, KI_OFFSET)) {
        need_typed(c, i->a, DT_I64, "an offset is not int64");
    } else {
        require(c, a->where == KIR_GLOBAL, "only global arrays have strides");
        need_point(c, a);
    }
    if (i->code == KIR_STORE)
        need_typed(c, i->a, (gpa_dtype)a->dtype, "the value stored has not the array's dtype");
    if (i->code == KIR_STOREX)
        need_typed(c, i->b, (gpa_dtype)a->dtype, "the value stored has not the array's dtype");
    if (i->code != KIR_ATOMIC) return;
    need_typed(c, i->b, (gpa_dtype)a->dtype, "the operand has not the array's dtype");
    if (i->imm == KIR_AT_CAS)
        need_typed(c, i->c, (gpa_dtype)a->dtype, "the operand has not the array's dtype");
    bool bits = i->imm == KIR_AT_AND || i->imm == KIR_AT_OR || i->imm == KIR_AT_XOR;
    require(c, !bits || a->dtype == DT_BOOL || dtype_is_int((gpa_dtype)a->dtype),
            "bits of a float");
}

/* ---- values ---- */

static void check_op(check *c) {
    const kir_ins *i = c->i;
    gpa_op op = (gpa_op)i->sub;
    const int32_t args[] = {i->a, i->b, i->c};
    require(c, !op_info[op].composite, "a composite operation was not expanded");
    for (int k = 0; k < op_info[op].arity; k++)
        if (!need_value(c, args[k])) return;
    gpa_dtype t = (gpa_dtype)type_of(c, op_info[op].sig == SIG_SELECT ? i->b : i->a), compute,
              result;
    if (!require(c, op_types(op, t, &compute, &result) && compute == t,
                 "the operation does not compute in that type"))
        return;
    for (int k = 0; k < op_info[op].arity; k++)
        require(c, type_of(c, args[k]) == op_operand_type(op, compute, k),
                "the operands differ in type");
    require(c, i->type == result, "the result has not the operation's type");
}

static void check_size(check *c) {
    const kir_ins *i = c->i;
    require(c, i->type == DT_I64, "a size is not int64");
    if (i->code == KIR_SIZE && i->sub == KIR_SPACE) {
        require(c, c->f->form == KIR_MAP && i->imm < c->f->ndim, "no such dimension");
        return;
    }
    const kir_array *a = array_of(c);
    unsigned dims = c->f->form == KIR_MAP ? KIR_MAX_DIMS : a->ndim;
    bool given = a->where == KIR_SHARED && a->count == 0 && i->code == KIR_SIZE; /* set at launch */
    require(c, i->imm < dims && (a->where == KIR_GLOBAL || a->where == KIR_VIRTUAL || given),
            "no such dimension");
}

static void check_const(check *c) {
    const kir_ins *i = c->i;
    require(c, c->f->consts[i->imm].type == i->type, "a constant has another type");
}

static void check_param(check *c) {
    const kir_ins *i = c->i;
    require(c, c->f->params[i->imm] == i->type, "a parameter has another type");
}

static void check_index(check *c) {
    const kir_ins *i = c->i;
    if (!require(c, c->f->form == KIR_MAP && i->imm < c->f->ndim && i->type == DT_I64,
                 "no such coordinate"))
        return;
    require(c, c->each >= 0 || !(c->f->inner >> i->imm & 1u),
            "an inner coordinate is used outside of each");
}

static void check_iota(check *c) {
    const kir_array *a = array_of(c);
    require(c, a->where == KIR_VIRTUAL && c->i->type == DT_I64,
            "iota is of a virtual array, and int64");
    need_point(c, a);
}

static void check_bound(check *c) {
    require(c, c->i->type == DT_I64, "an index is not int64");
    need_typed(c, c->i->a, DT_I64, "an index is not int64");
    need_typed(c, c->i->b, DT_I64, "an extent is not int64");
}

static void check_variable(check *c) {
    const kir_ins *i = c->i;
    if (i->code == KIR_VAR) {
        if (i->a >= 0) need_typed(c, i->a, (gpa_dtype)i->type, "a variable is set to another type");
        return;
    }
    if (!need_value(c, i->a) || !require(c, c->f->code[i->a].code == KIR_VAR, "not a variable"))
        return;
    gpa_dtype t = (gpa_dtype)type_of(c, i->a);
    if (i->code == KIR_GET)
        require(c, t == i->type, "the value has not the variable's type");
    else
        need_typed(c, i->b, t, "a variable is set to another type");
}

static void check_reduction(check *c) {
    const kir_ins *i = c->i;
    if (!need_value(c, i->a)) return;
    const gpa_red_info *r = &red_info[i->sub];
    gpa_dtype t = (gpa_dtype)type_of(c, i->a);
    require(c, c->each >= 0 && c->stack[c->depth - 1].opener == c->each,
            "a reduction stands directly in each");
    require(c, r->text[op_kind_index(dtype_info[t].kind)] != NULL,
            "the reduction is not defined for the type");
    require(c, i->type == (r->arg ? DT_I64 : t), "the result has not the reduction's type");
    require(c, i->code == KIR_REDUCE || !r->arg, "an index cannot be scanned");
    if (r->arg) need_typed(c, i->b, DT_I64, "an index is not int64");
}

/* ---- structure ---- */

static void open_region(check *c, int32_t opener) {
    c->stack[c->depth++] = (region){.opener = opener, .id = c->n_regions, .divided = false};
    c->open[c->n_regions++] = true;
}

/* BREAK and NEXT name the imm-th enclosing region that they may leave or continue. */
static void check_jump(check *c) {
    uint32_t left = c->i->imm;
    for (size_t d = c->depth; d-- > 1;) {
        uint8_t code = c->f->code[c->stack[d].opener].code;
        if (code == KIR_EACH) break;
        if (kir_counts_region(c->i->code, code) && left-- == 0) return;
    }
    require(c, false, "nothing encloses that could be left");
}

static void check_open(check *c) {
    const kir_ins *i = c->i;
    if (i->code == KIR_EACH) {
        require(c, c->f->form == KIR_MAP && c->f->inner, "there is no inner dimension to walk");
        require(c, c->each < 0, "each stands in each");
        c->each = c->at;
    } else if (i->code == KIR_IF) {
        need_typed(c, i->a, DT_BOOL, "a condition is not bool");
    } else if (i->code == KIR_FOR) {
        require(c, i->type < DT_COUNT && dtype_is_int((gpa_dtype)i->type),
                "a counter is not an integer");
        need_typed(c, i->a, (gpa_dtype)i->type, "a bound has not the counter's type");
        need_typed(c, i->b, (gpa_dtype)i->type, "a bound has not the counter's type");
        need_typed(c, i->c, (gpa_dtype)i->type, "a step has not the counter's type");
    }
    open_region(c, c->at);
    if (i->code == KIR_FOR) c->home[c->at] = c->stack[c->depth - 1].id;
}

static void check_else(check *c) {
    region *r = &c->stack[c->depth - 1];
    if (!require(c, r->opener >= 0 && c->f->code[r->opener].code == KIR_IF && !r->divided,
                 "else divides no if"))
        return;
    c->open[r->id] = false;
    r->id = c->n_regions;
    c->open[c->n_regions++] = true;
    r->divided = true;
}

static void check_end(check *c) {
    region *r = &c->stack[c->depth - 1];
    if (!require(c, r->opener >= 0 && (uint32_t)r->opener == c->i->imm,
                 "end closes another region"))
        return;
    c->open[r->id] = false;
    c->depth--;
    if (r->opener != c->each) return;
    for (int32_t v = c->each; v < c->at; v++) /* a reduction is a value of the enclosing region */
        if (c->f->code[v].code == KIR_REDUCE) c->home[v] = c->stack[c->depth - 1].id;
    c->each = -1;
}

/* ---- kernels and reports ---- */

static void check_thread(check *c) {
    require(c, c->i->imm < 3 && c->i->type == DT_I32,
            "a thread index has no such axis, or is not int32");
}

static void check_barrier(check *c) {
    const kir_ins *i = c->i;
    bool votes = i->sub == KIR_BA_COUNT || i->sub == KIR_BA_AND || i->sub == KIR_BA_OR;
    if (votes) need_typed(c, i->a, DT_BOOL, "a predicate is not bool");
    if (i->sub == KIR_BA_WARP && i->a >= 0) need_typed(c, i->a, DT_U32, "a mask is not uint32");
    require(c, i->type == (votes ? DT_I32 : DT_NONE), "the barrier's value is int32 or none");
}

static void check_warp(check *c) {
    const kir_ins *i = c->i;
    bool votes = i->sub == KIR_WA_ALL || i->sub == KIR_WA_ANY || i->sub == KIR_WA_EQ,
         ballot = i->sub == KIR_WA_BALLOT;
    bool shuffles = i->sub <= KIR_WA_SHFL_XOR;
    if (i->sub != KIR_WA_ACTIVEMASK && !need_value(c, i->a)) return;
    if (votes || ballot) need_typed(c, i->a, DT_BOOL, "a predicate is not bool");
    if (shuffles) need_typed(c, i->b, DT_I32, "a lane is not int32");
    if (i->c >= 0) need_typed(c, i->c, DT_U32, "a mask is not uint32");
    if (shuffles)
        require(c, i->type == type_of(c, i->a), "a shuffle changes the type");
    else
        require(c, i->type == (votes ? DT_BOOL : DT_U32), "a vote is bool, a mask uint32");
}

static void check_report(check *c) {
    const kir_ins *i = c->i;
    const kir_func *f = c->f;
    if (i->code == KIR_ARG) {
        need_value(c, i->a);
        uint8_t next = (size_t)c->at + 1 < f->n_code ? f->code[c->at + 1].code : KIR_COUNT;
        require(c, next == KIR_ARG || next == KIR_PRINT, "an argument stands before no print");
    } else if (i->code == KIR_PRINT) {
        require(c, kir_print_args(f, c->at) <= KIR_MAX_PRINT, "a print has too many arguments");
    } else {
        if (i->a >= 0) need_typed(c, i->a, DT_I64, "a fault's payload is not int64");
        if (i->b >= 0) need_typed(c, i->b, DT_I64, "a fault's payload is not int64");
    }
}

/* ---- the traversal ---- */

/* The fields `sub` and `imm` hold rows that exist; indices into tables of the function are checked
 * per family. */
static void check_field(check *c, uint8_t kind, size_t v) {
    const struct {
        size_t n;
        const char *rule;
    } rows[KIR_FIELD_COUNT] = {[KIR_FIELD_OP] = {OP_COUNT, "no such operation"},
                               [KIR_FIELD_RED] = {RED_COUNT, "no such reduction"},
                               [KIR_FIELD_ARRAY] = {c->f->n_arrays, "no such array"},
                               [KIR_FIELD_CONST] = {c->f->n_consts, "no such constant"},
                               [KIR_FIELD_PARAM] = {c->f->n_params, "no such parameter"},
                               [KIR_FIELD_TEXT] = {c->f->n_texts, "no such text"}};
    if (rows[kind].rule)
        require(c, v < rows[kind].n, rows[kind].rule);
    else if (kir_rows[kind].names)
        require(c, v < kir_rows[kind].n, "a field names no row");
}

static void check_ins(check *c) {
    const kir_ins *i = c->i;
    if (!require(c, i->code < KIR_COUNT, "no such instruction")) return;
    c->home[c->at] = c->stack[c->depth - 1].id;
    require(c, !kir_has(i->code, KI_VALUE) || i->type < DT_COUNT || i->code == KIR_BARRIER,
            "a value has no type");
    require(c, i->line < c->f->n_spans, "no such line");
    require(c, !kir_has(i->code, KI_KERNEL) || c->f->form == KIR_KERNEL,
            "only a kernel has threads");
    if (!(i->code == KIR_SIZE && i->sub == KIR_SPACE))
        check_field(c, kir_info[i->code].sub, i->sub);
    if (!(i->code == KIR_FAULT && i->imm == KIR_NO_TEXT))
        check_field(c, kir_info[i->code].imm, i->imm);
    if (c->wrong) return;
    switch ((kir_code)i->code) {
        case KIR_OP: check_op(c); break;
        case KIR_SIZE:
        case KIR_STRIDE: check_size(c); break;
        case KIR_CONST: check_const(c); break;
        case KIR_PARAM: check_param(c); break;
        case KIR_CAST: need_value(c, c->i->a); break;
        case KIR_INDEX: check_index(c); break;
        case KIR_IOTA: check_iota(c); break;
        case KIR_BOUND: check_bound(c); break;
        case KIR_VAR:
        case KIR_GET:
        case KIR_SET: check_variable(c); break;
        case KIR_LOAD:
        case KIR_STORE:
        case KIR_LOADX:
        case KIR_STOREX:
        case KIR_ATOMIC: check_memory(c); break;
        case KIR_REDUCE:
        case KIR_SCAN: check_reduction(c); break;
        case KIR_EACH:
        case KIR_IF:
        case KIR_FOR:
        case KIR_LOOP:
        case KIR_BLOCK: check_open(c); break;
        case KIR_ELSE: check_else(c); break;
        case KIR_END: check_end(c); break;
        case KIR_BREAK:
        case KIR_NEXT: check_jump(c); break;
        case KIR_THREAD: check_thread(c); break;
        case KIR_BARRIER: check_barrier(c); break;
        case KIR_WARP: check_warp(c); break;
        case KIR_ARG:
        case KIR_PRINT:
        case KIR_FAULT: check_report(c); break;
        case KIR_FENCE:
        case KIR_COUNT: break;
    }
}

static void check_heading(check *c) {
    const kir_func *f = c->f;
    require(c, f->form == KIR_MAP || f->form == KIR_KERNEL, "no such form");
    require(c, f->ndim <= (f->form == KIR_MAP ? KIR_MAX_DIMS : 0), "too many dimensions");
    require(c, f->inner >> f->ndim == 0, "an inner dimension is not in the space");
    require(c, f->n_arrays <= KIR_MAX_ARRAYS, "too many arrays");
    for (size_t i = 0; i < f->n_params; i++)
        require(c, f->params[i] < DT_COUNT, "a parameter has no dtype");
    if (!c->wrong)
        for (size_t i = 0; i < f->n_arrays; i++) check_array(c, &f->arrays[i]);
}

gpa_code kir_check(const kir_func *f, gpa_err *e) {
    if (f->failed) return gpa_no_memory(e);
    gpa_code rc = GPA_OK;
    size_t n = f->n_code;
    check c = {.f = f, .at = -1, .each = -1};
    c.home = mem_new((n + 1) * sizeof *c.home);
    c.stack = mem_new((n + 1) * sizeof *c.stack);
    c.open = mem_new((n + 1) * sizeof *c.open);
    if (!c.home || !c.stack || !c.open) {
        rc = gpa_no_memory(e);
        goto out;
    }
    check_heading(&c);
    open_region(&c, -1);
    for (size_t at = 0; at < n && !c.wrong; at++) {
        c.at = (int32_t)at;
        c.i = &f->code[at];
        check_ins(&c);
    }
    require(&c, c.depth == 1, "a region is not closed");
    if (c.wrong)
        rc = gpa_fail(e, GPA_E_INTERNAL, "kir: program %s, instruction %d: %s", f->name, (int)c.at,
                      c.wrong);
out:
    mem_free(c.home);
    mem_free(c.stack);
    mem_free(c.open);
    return rc;
}
