/* Bodies of compiled functions computed by array operations, for their derivatives: tapes record
 * the operations of a body as those of any array expression.
 *
 * Control flow is converted to selection (if-conversion): both arms of an IF are computed, and a
 * SET within stores where the mask of its region is true. A BREAK ends its mask up to the BLOCK
 * that it leaves. Bodies with loops are not converted.
 *
 * Reading order: masks, regions, instructions, the body. */
#include "lang/typed/body_arrays.h"

#include "runtime/base/base.h"

enum { MAX_REGIONS = 64 };

/* An open IF or BLOCK. */
typedef struct {
    kir_code code;
    gpa_arr *outer;     /* the mask around it; NULL: true everywhere */
    gpa_arr *condition; /* of an IF */
    gpa_arr *left;      /* of a BLOCK: where a BREAK has left it; NULL: nowhere */
} region;

typedef struct {
    gpa_rt *rt;
    gpa_err *e;
    const kir_func *f;
    gpa_opnd *at;  /* the value of each instruction; of VAR the current one; arrays are owned */
    gpa_arr *mask; /* where the instruction is executed; NULL: everywhere */
    region open[MAX_REGIONS];
    int n_open;
} converter;

bool body_is_unrolled(const gpa_body *b) {
    int depth = 0;
    bool fits = b->n_out == 1;
    for (size_t i = 0; i < b->f->n_code && fits; i++) {
        const uint8_t code = b->f->code[i].code;
        fits = !kir_has(code, KI_LOOP) && code != KIR_NEXT;
        depth += code == KIR_IF || code == KIR_BLOCK;
        depth -= code == KIR_END;
        fits &= depth <= MAX_REGIONS;
    }
    return fits;
}

/* ---- masks ---- */

static gpa_opnd of_array(gpa_arr *a) { return (gpa_opnd){.arr = a}; }

/* Replaces *mask by the value of a logical operation on it and another one; true everywhere if it
 * is NULL. */
static gpa_code combine(converter *c, gpa_op op, gpa_arr **mask, gpa_arr *other) {
    gpa_arr *made;
    if (!*mask) {
        *mask = arr_retain(other);
        return GPA_OK;
    }
    gpa_code rc =
        arr_ufunc(c->rt, op, (gpa_opnd[]){of_array(*mask), of_array(other)}, NULL, &made, c->e);
    if (rc) return rc;
    arr_release(c->rt, *mask);
    *mask = made;
    return GPA_OK;
}

/* Narrows *mask to where `other` is true, or with negate false. */
static gpa_code narrow(converter *c, gpa_arr **mask, gpa_arr *other, bool negate) {
    gpa_arr *opposite = NULL;
    gpa_opnd in = of_array(other);
    gpa_code rc = negate ? arr_ufunc(c->rt, OP_LOGICAL_NOT, &in, NULL, &opposite, c->e) : GPA_OK;
    if (!rc) rc = combine(c, OP_LOGICAL_AND, mask, negate ? opposite : other);
    arr_release(c->rt, opposite);
    return rc;
}

/* ---- regions ---- */

/* A value as an array. */
static gpa_code as_array(converter *c, const gpa_opnd *v, gpa_arr **out) {
    if (!v->arr) return arr_scalar(c->rt, v->dtype, v->v, out, c->e);
    *out = arr_retain(v->arr);
    return GPA_OK;
}

static gpa_code open_region(converter *c, const kir_ins *i) {
    region *r = &c->open[c->n_open++];
    *r = (region){.code = i->code, .outer = c->mask ? arr_retain(c->mask) : NULL};
    if (i->code != KIR_IF) return GPA_OK;
    gpa_code rc = as_array(c, &c->at[i->a], &r->condition);
    return rc ? rc : narrow(c, &c->mask, r->condition, false);
}

/* The mask after an arm of the innermost region: the one around it, without what has left a BLOCK.
 */
static gpa_code restore_mask(converter *c, int n_blocks) {
    const region *r = &c->open[c->n_open - 1];
    gpa_code rc = GPA_OK;
    arr_release(c->rt, c->mask);
    c->mask = r->outer ? arr_retain(r->outer) : NULL;
    for (int k = 0; k < n_blocks && !rc; k++)
        if (c->open[k].left) rc = narrow(c, &c->mask, c->open[k].left, true);
    return rc;
}

static gpa_code begin_else(converter *c) {
    gpa_code rc = restore_mask(c, c->n_open);
    return rc ? rc : narrow(c, &c->mask, c->open[c->n_open - 1].condition, true);
}

static void drop_region(converter *c) {
    region *r = &c->open[--c->n_open];
    arr_release(c->rt, r->outer);
    arr_release(c->rt, r->condition);
    arr_release(c->rt, r->left);
}

static gpa_code close_region(converter *c) {
    gpa_code rc = restore_mask(c, c->n_open - 1);
    drop_region(c);
    return rc;
}

/* Leaves the `depth`-th enclosing BLOCK where the mask is true. */
static gpa_code leave(converter *c, uint32_t depth) {
    int k = c->n_open - 1;
    for (; k > 0 && (c->open[k].code != KIR_BLOCK || depth); k--)
        depth -= c->open[k].code == KIR_BLOCK;
    gpa_arr *here = c->mask ? arr_retain(c->mask) : NULL;
    gpa_code rc = here ? GPA_OK : arr_scalar(c->rt, DT_BOOL, (gpa_val){.BOOL = 1}, &here, c->e);
    if (!rc) rc = combine(c, OP_LOGICAL_OR, &c->open[k].left, here);
    arr_release(c->rt, here);
    return rc;
}

/* ---- instructions ---- */

/* A value in another dtype. */
static gpa_code convert(converter *c, const gpa_opnd *v, gpa_dtype to, gpa_opnd *out) {
    if (v->arr) return arr_cast(c->rt, v->arr, to, false, &out->arr, c->e);
    *out = (gpa_opnd){.v = dtype_cast(v->v, v->dtype, to), .dtype = to, .weak = WEAK_NO};
    return GPA_OK;
}

static gpa_code compute(converter *c, const kir_ins *i, gpa_opnd *out) {
    const int32_t from[] = {i->a, i->b, i->c};
    gpa_opnd in[3], made = {0};
    for (int k = 0; k < op_info[i->sub].arity; k++) in[k] = c->at[from[k]];
    gpa_code rc = arr_ufunc(c->rt, (gpa_op)i->sub, in, NULL, &made.arr, c->e);
    if (rc) return rc;
    rc = convert(c, &made, (gpa_dtype)i->type, out);
    arr_release(c->rt, made.arr);
    return rc;
}

static gpa_opnd retained(const gpa_opnd *v) {
    if (v->arr) arr_retain(v->arr);
    return *v;
}

static gpa_code assign(converter *c, gpa_opnd *variable, const gpa_opnd *v) {
    gpa_opnd to = retained(v);
    if (c->mask) {
        const gpa_opnd in[] = {of_array(c->mask), *v, *variable};
        arr_release(c->rt, to.arr);
        gpa_code rc = arr_ufunc(c->rt, OP_WHERE, in, NULL, &to.arr, c->e);
        if (rc) return rc;
    }
    arr_release(c->rt, variable->arr);
    *variable = to;
    return GPA_OK;
}

static gpa_code execute(converter *c, const kir_ins *i, const gpa_opnd *in, gpa_opnd *out) {
    const gpa_dtype t = (gpa_dtype)i->type;
    const gpa_opnd zero = {.dtype = t, .weak = WEAK_NO};
    switch ((int)i->code) {
        case KIR_CONST:
            *out = (gpa_opnd){.v = c->f->consts[i->imm].v, .dtype = t, .weak = WEAK_NO};
            return GPA_OK;
        case KIR_PARAM: return convert(c, &in[i->imm], t, out);
        case KIR_OP: return compute(c, i, out);
        case KIR_CAST: return convert(c, &c->at[i->a], t, out);
        case KIR_VAR: *out = i->a < 0 ? zero : retained(&c->at[i->a]); return GPA_OK;
        case KIR_GET: *out = retained(&c->at[i->a]); return GPA_OK;
        case KIR_SET: return assign(c, &c->at[i->a], &c->at[i->b]);
        case KIR_IF:
        case KIR_BLOCK: return open_region(c, i);
        case KIR_ELSE: return begin_else(c);
        case KIR_BREAK: return leave(c, i->imm);
        case KIR_END: return close_region(c);
        default: return gpa_fail(c->e, GPA_E_INTERNAL, "%s in a body", kir_info[i->code].name);
    }
}

/* ---- the body ---- */

/* The result in the shape of all operands, of which the body may read only some. */
static gpa_code broadcast(converter *c, const gpa_opnd *in, const gpa_opnd *v, gpa_arr **out) {
    int64_t shape[GPA_MAX_DIMS];
    gpa_arr *arrays[BODY_MAX_IN], *a = NULL;
    int n = 0, ndim;
    for (size_t i = 0; i < c->f->n_params; i++)
        if (in[i].arr) arrays[n++] = in[i].arr;
    gpa_code rc = as_array(c, v, &a);
    if (!rc) rc = arr_broadcast_shape(arrays, n, &ndim, shape, c->e);
    if (!rc) rc = arr_broadcast_to(c->rt, a, ndim, shape, out, c->e);
    arr_release(c->rt, a);
    return rc;
}

gpa_code body_on_arrays(gpa_rt *rt, const gpa_body *b, const gpa_opnd *in, gpa_arr **out,
                        gpa_err *e) {
    converter c = {.rt = rt, .e = e, .f = b->f, .at = mem_zero(b->f->n_code * sizeof *c.at)};
    gpa_code rc = c.at ? GPA_OK : gpa_no_memory(e);
    for (size_t i = 0; i < b->f->n_code && !rc; i++) rc = execute(&c, &b->f->code[i], in, &c.at[i]);
    if (!rc) rc = broadcast(&c, in, &c.at[b->value[0]], out);
    while (c.n_open) drop_region(&c);
    arr_release(rt, c.mask);
    for (size_t i = 0; c.at && i < b->f->n_code; i++) arr_release(rt, c.at[i].arr);
    mem_free(c.at);
    return rc;
}
