/* Scratch arrays of compiled loops: arrays whose sizes are known when the loop starts.
 *
 * An array that a loop creates is part of one GLOBAL array of the program, which has the elements
 * of all workers and is allocated at every launch. Its sizes are kir values that depend on
 * parameters and extents only; the launch evaluates them. An array of one iteration cannot be
 * reached from the next one, so each creation in the program needs its memory once per worker.
 *
 * Reading order: creation, values known at launch, allocation. */
#include "lang/typed/loop.h"

static int32_t constant(lowering *lw, int64_t i) {
    return kir_const(lw->f, DT_I64, (gpa_val){.I64 = i});
}

/* ---- creation ---- */

static gpa_code too_many(lowering *lw, const ast_node *at) {
    lw->fallback = true;
    return typed_fail(lw, at, GPA_E_UNSUPPORTED,
                      "a compiled loop creates at most %d arrays whose sizes vary",
                      LOOP_MAX_SCRATCH);
}

/* Raises NumPy's error for a negative size, unless it is a constant. */
static void check_sizes(lowering *lw, int ndim, const int32_t *size) {
    int64_t n;
    for (int d = 0; d < ndim; d++) {
        if (typed_constant(lw, size[d], &n) && n >= 0) continue;
        typed_open(lw, KIR_IF, DT_NONE, kir_op2(lw->f, OP_LESS, size[d], constant(lw, 0)), -1, -1);
        typed_raise_here(lw, GPA_E_VALUE,
                         kir_add_text(lw->f, "negative dimensions are not allowed"), -1);
        typed_close(lw, KIR_IF);
    }
}

gpa_code loop_scratch_array(lowering *lw, const ast_node *at, gpa_dtype t, int ndim,
                            const int32_t *size, tv *out) {
    loop_fn *l = (loop_fn *)(void *)lw->to;
    if (l->n_scratch == LOOP_MAX_SCRATCH) return too_many(lw, at);
    int array =
        kir_add_array(lw->f, (kir_array){.dtype = (uint8_t)t,
                                         .where = KIR_GLOBAL,
                                         .access = KIR_READ | KIR_WRITE,
                                         .group = (uint16_t)(2 + LOOP_MAX_RESULTS + l->n_scratch)});
    if (array < 0) return vm_no_memory(lw->vm);
    if (array >= KIR_MAX_ARRAYS)
        return typed_fail(lw, at, GPA_E_UNSUPPORTED, "a compiled function has at most %d arrays",
                          KIR_MAX_ARRAYS);
    loop_scratch *s = &l->scratch[l->n_scratch++];
    *s = (loop_scratch){.at = at, .array = array, .ndim = ndim};
    tview v = {.array = array, .dtype = (uint8_t)t, .ndim = (uint8_t)ndim};
    check_sizes(lw, ndim, size);
    int32_t elements = constant(lw, 1);
    for (int d = ndim - 1; d >= 0; d--) {
        s->size[d] = v.size[d] = size[d];
        v.stride[d] = d == ndim - 1 ? -1 : elements;
        elements = kir_op2(lw->f, OP_MULTIPLY, elements, size[d]);
    }
    v.offset = lw->worker < 0 ? constant(lw, 0) : kir_op2(lw->f, OP_MULTIPLY, lw->worker, elements);
    return typed_view_value(lw, &v, out);
}

/* ---- values known at launch ---- */

/* The operands of a launch; arrays NULL: tests only if a value is known. */
typedef struct {
    const kir_func *f;
    gpa_arr *const *arrays;
    const gpa_val *params;
} launch_values;

enum { MAX_DEPTH = 32 };

static bool known(const launch_values *x, int32_t v, int depth, gpa_val *out);

/* The extent of a bound array. */
static bool extent(const launch_values *x, const kir_ins *i, gpa_val *out) {
    int bound = 0;
    if (i->sub >= x->f->n_arrays) return false;
    for (uint32_t k = 0; k < i->sub; k++) bound += x->f->arrays[k].where == KIR_GLOBAL;
    out->I64 = x->arrays ? x->arrays[bound]->shape[i->imm] : 1;
    return true;
}

/* The value of a variable that is assigned once, before all its reads. */
static bool variable(const launch_values *x, int32_t var, int depth, gpa_val *out) {
    int32_t set = -1;
    for (size_t k = 0; k < x->f->n_code; k++) {
        const kir_ins *i = &x->f->code[k];
        if (i->code != KIR_SET || i->a != var) continue;
        if (set >= 0) return false;
        set = i->b;
    }
    return set >= 0 && known(x, set, depth, out);
}

static bool operation(const launch_values *x, const kir_ins *i, int depth, gpa_val *out) {
    const int32_t from[3] = {i->a, i->b, i->c};
    gpa_val in[3] = {{0}};
    const gpa_op op = (gpa_op)i->sub;
    for (int k = 0; k < op_info[op].arity; k++)
        if (!known(x, from[k], depth, &in[k])) return false;
    const int32_t typed = op == OP_WHERE ? i->b : i->a;
    *out = op_scalar(op, (gpa_dtype)x->f->code[typed].type, in[0], in[1], in[2]);
    return true;
}

static bool known(const launch_values *x, int32_t v, int depth, gpa_val *out) {
    const kir_ins *i = v < 0 ? NULL : &x->f->code[v];
    if (!i || depth == MAX_DEPTH) return false;
    switch ((int)i->code) {
        case KIR_CONST: *out = x->f->consts[i->imm].v; return true;
        case KIR_PARAM: *out = x->params ? x->params[i->imm] : (gpa_val){.I64 = 1}; return true;
        case KIR_SIZE: return extent(x, i, out);
        case KIR_GET: return variable(x, i->a, depth + 1, out);
        case KIR_OP: return operation(x, i, depth + 1, out);
        case KIR_CAST:
            if (!known(x, i->a, depth + 1, out)) return false;
            *out = dtype_cast(*out, (gpa_dtype)x->f->code[i->a].type, (gpa_dtype)i->type);
            return true;
        default: return false;
    }
}

gpa_code loop_scratch_check(lowering *lw) {
    const loop_fn *l = (const loop_fn *)(const void *)lw->to;
    const launch_values x = {.f = lw->f};
    gpa_val n;
    for (int i = 0; i < l->n_scratch && !lw->f->failed; i++)
        for (int d = 0; d < l->scratch[i].ndim; d++) {
            if (known(&x, l->scratch[i].size[d], 0, &n)) continue;
            lw->fallback = true;
            return typed_fail(lw, l->scratch[i].at, GPA_E_UNSUPPORTED,
                              "the size of an array that a prange loop creates cannot change from "
                              "one iteration to the next");
        }
    return GPA_OK;
}

/* ---- allocation ---- */

gpa_code loop_scratch_sizes(gpa_vm *vm, const loop_fn *l, gpa_arr *const *arrays,
                            const gpa_val *params, int64_t *elements) {
    const launch_values x = {l->base.f, arrays, params};
    for (int i = 0; i < l->n_scratch; i++) {
        elements[i] = 1;
        for (int d = 0; d < l->scratch[i].ndim; d++) {
            gpa_val n = {.I64 = 0};
            known(&x, l->scratch[i].size[d], 0, &n);
            if (n.I64 < 0) n.I64 = 0; /* the program raises the error */
            if (__builtin_mul_overflow(elements[i], n.I64, &elements[i]) ||
                elements[i] > INT64_MAX / 64)
                return vm_fail(vm, GPA_E_MEMORY, "an array of a compiled loop is too large");
        }
    }
    return GPA_OK;
}
