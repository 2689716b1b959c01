/* Lowering a step to kir.
 *
 * Three passes. Visiting descends from the roots and makes one entry for each (node, index map)
 * that the program computes, inputs first, with its level and phase: an outer entry is computed
 * once per outer point, an inner one for each inner point; the phase counts the reductions among
 * its inputs. Emitting writes the program phase by phase: the outer entries of the phase, then one
 * EACH with the reductions that end there and the stores. An inner entry that several phases need
 * is recomputed in each: the row is read again, never stored. Layout (layout.c) orders and
 * collapses dimensions.
 *
 * Invariant: the program depends on the graph's structure, dtypes and layout class only; scalars,
 * extents and strides are launch arguments. */
#include "runtime/plan/lower.h"

#include "runtime/plan/layout.h"
#include "runtime/plan/lower_work.h"
#include "runtime/graph/state.h"
#include "runtime/graph/shape.h"

/* ---- arrays and parameters ---- */

static kir_array *array_at(lowering *c, int i) { return &c->l->f->arrays[i]; }

/* Declares an array, or finds the one with the same memory and strides; -1: too many. */
int lower_array(lowering *c, const array_spec *s) {
    lowered *l = c->l;
    size_t bytes = (size_t)c->s->ndim * sizeof *s->stride;
    for (size_t i = 0; i < l->n_arrays && !s->fresh; i++) {
        kir_array *a = array_at(c, (int)i);
        if (l->fresh[i] || l->buf[i] != s->buf || (l->boundaries >> i & 1) != s->boundary ||
            a->dtype != s->dtype || a->where != s->where || l->bind[i].offset != s->offset)
            continue;
        if (bytes && memcmp(c->l->stride[i], s->stride, bytes) != 0) continue;
        a->access |= s->access;
        return (int)i;
    }
    if (l->n_arrays == KIR_MAX_ARRAYS) return -1;
    int i = (int)l->n_arrays;
    kir_array a = {.dtype = (uint8_t)s->dtype,
                   .where = (uint8_t)s->where,
                   .access = s->access,
                   .group = (uint16_t)i};
    if (kir_add_array(l->f, a) < 0) return -1;
    l->n_arrays++;
    l->buf[i] = s->buf;
    l->boundaries |= (uint64_t)s->boundary << i;
    l->fresh[i] = s->fresh;
    l->bind[i] = (gpa_binding){.mem = s->buf ? s->buf->mem : NULL, .offset = s->offset};
    if (bytes) memcpy(c->l->stride[i], s->stride, bytes);
    int64_t count = 1;
    for (int d = 0; d < c->s->ndim; d++)
        if (s->stride[d]) count *= c->s->shape[d];
    c->l->count[i] = count;
    return i;
}

/* Composes a leaf's strides with an index map: its strides over the step's space in out[]; returns
 * the offset of the origin. */
int64_t lower_strides(lowering *c, const int64_t *strides, int64_t offset, int map, int64_t *out) {
    const affine_table *t = &c->p->maps;
    int rows = t->map[map].rows, cols = t->map[map].cols;
    const int64_t *v = t->v + t->map[map].at;
    memset(out, 0, (size_t)c->s->ndim * sizeof *out);
    for (int k = 0; k < rows; k++) {
        if (!strides[k]) continue;
        offset += strides[k] * v[k];
        for (int d = 0; d < cols; d++)
            if (c->s->shape[d] != 1) out[d] += strides[k] * v[rows + k * cols + d];
    }
    return offset;
}

int lower_param(lowering *c, gpa_dtype t, gpa_val v, const node *of) {
    lowered *l = c->l;
    if (l->f->n_params == LOWER_PARAMS) return -1;
    l->params[l->f->n_params] = v;
    l->param_node[l->f->n_params] = of;
    return kir_add_param(l->f, t);
}

bool lower_varies_inside(const lowering *c, int array) {
    for (int d = 0; d < c->s->ndim; d++)
        if ((c->s->inner >> d & 1) && c->l->stride[array][d]) return true;
    return false;
}

/* True if an entry is a reduction that this program computes. */
static bool reduces(const entry *x) {
    return x->n->kind == NODE_REDUCE && x->map >= 0 && !x->stored_elsewhere;
}

/* ---- emitting ---- */

int32_t lower_input(lowering *c, const entry *x, int i) {
    return lower_value(c, c->w->in[x->ins + i]);
}

static int32_t op2(lowering *c, gpa_op op, int32_t a, int32_t b) {
    return kir_op2(c->l->f, op, a, b);
}

/* The offset of an indexed element. An index out of bounds is reported at location `where`, not at
 * the location that computed the index; in_bounds: no checks. */
static int32_t emit_offset(lowering *c, const entry *x, int n_index, const int8_t *axis,
                           bool in_bounds, gpa_span where) {
    kir_func *f = c->l->f;
    int32_t sum = kir_emit(f, (kir_ins){.code = KIR_IOTA,
                                        .type = DT_I64,
                                        .sub = (uint16_t)x->base_offset,
                                        .a = -1,
                                        .b = -1,
                                        .c = -1});
    for (int i = 0; i < n_index; i++) {
        kir_ins p = {.code = KIR_PARAM,
                     .type = DT_I64,
                     .a = -1,
                     .b = -1,
                     .c = -1,
                     .imm = (uint32_t)(x->params + 2 * i)};
        int32_t size = kir_emit(f, p);
        p.imm++;
        int32_t stride = kir_emit(f, p);
        int32_t index = lower_input(c, x, i);
        kir_set_span(f, where);
        kir_ins bound = {.code = KIR_BOUND,
                         .type = DT_I64,
                         .sub = (uint16_t)axis[i],
                         .a = index,
                         .b = size,
                         .c = -1};
        int32_t at = in_bounds ? index : kir_emit(f, bound);
        sum = op2(c, OP_ADD, sum, op2(c, OP_MULTIPLY, at, stride));
    }
    return sum;
}

static int32_t emit_gather(lowering *c, entry *x) {
    const node *n = x->n;
    int8_t axis[GPA_MAX_DIMS];
    int n_index = 0;
    for (int k = 0; k < n->map_len; k++)
        if (n->map[k] < 0) axis[n_index++] = (int8_t)k;
    int32_t at = emit_offset(c, x, n_index, axis, n->sub, n->span);
    if (x->id < 0) return at;
    return kir_emit(c->l->f, (kir_ins){.code = KIR_LOADX,
                                       .type = n->dtype,
                                       .sub = (uint16_t)x->id,
                                       .a = at,
                                       .b = -1,
                                       .c = -1});
}

static int32_t emit_scatter_offset(lowering *c, entry *x, const fuse_root *r) {
    int8_t axis[GPA_MAX_DIMS];
    int n_index = 0;
    for (int k = 0; k < r->into->ndim; k++)
        if (r->index[k]) axis[n_index++] = (int8_t)k;
    return emit_offset(c, x, n_index, axis, r->in_bounds, c->rt->at);
}

/* A body is inlined once for all of its results that the program uses. */
static int32_t emit_body(lowering *c, const entry *x, const int32_t *in) {
    const node *n = x->n;
    if (!body_emit(n->body, c->l->f, in)) return -1;
    for (size_t i = 0; i < c->w->n_e && n->body->n_out > 1; i++) {
        entry *y = &c->w->e[i];
        bool same = y->n->kind == NODE_BODY && y->n->body == n->body && y->map == x->map &&
                    !y->stored_elsewhere;
        if (!same || memcmp(y->n->in, n->in, n->n_in * sizeof *n->in) != 0) continue;
        y->value = body_value(n->body, y->n->sub);
        y->emitted = true;
        y->region = c->w->region;
    }
    return body_value(n->body, n->sub);
}

static int32_t emit(lowering *c, entry *x) {
    kir_func *f = c->l->f;
    const node *n = x->n;
    int32_t in[BODY_MAX_IN] = {-1, -1, -1};
    if ((node_is_elementwise(n) || n->kind == NODE_SCAN) && !x->stored_elsewhere)
        for (int i = 0; i < n->n_in; i++) in[i] = lower_input(c, x, i);
    kir_set_span(f, n->span);
    kir_ins ins = {.code = KIR_LOAD,
                   .type = n->dtype,
                   .sub = (uint16_t)x->id,
                   .a = in[0],
                   .b = in[1],
                   .c = in[2]};
    bool in_memory = x->stored_elsewhere || n->kind == NODE_BUF;
    if (in_memory && x->guard >= 0) ins.code = KIR_LOADIF, ins.a = lower_guard(c, x->guard);
    if (in_memory) return kir_emit(f, ins);
    switch ((node_kind)n->kind) {
        case NODE_IOTA: ins.code = KIR_IOTA; break;
        case NODE_SCALAR:
            ins.code = KIR_PARAM;
            ins.sub = 0;
            ins.imm = (uint32_t)x->id;
            break;
        case NODE_OP:
            if (n->n_in == 1) return kir_op1(f, (gpa_op)n->sub, in[0]);
            if (n->n_in == 2) return kir_op2(f, (gpa_op)n->sub, in[0], in[1]);
            return kir_op3(f, (gpa_op)n->sub, in[0], in[1], in[2]);
        case NODE_CAST:
            ins.code = KIR_CAST;
            ins.sub = 0;
            break;
        case NODE_BODY: return emit_body(c, x, in);
        case NODE_SCAN:
            ins.code = KIR_SCAN;
            ins.sub = n->sub;
            break;
        case NODE_GATHER: return emit_gather(c, x);
        case NODE_CONCAT: return lower_emit_concat(c, x);
        case NODE_BUF:
        case NODE_REDUCE:
        case NODE_VIEW:
        case NODE_PRODUCT:
        case NODE_KINDS: return -1;
    }
    return kir_emit(f, ins);
}

/* The value of an entry at this point of the program: an outer one was emitted before, an inner one
 * is emitted once per region. */
int32_t lower_value(lowering *c, int32_t i) {
    entry *x = &c->w->e[i];
    if (x->map < 0) { /* a scatter's offset */
        for (size_t k = 0; k < c->w->n_out; k++)
            if (c->w->out[k].offset == i) return emit_scatter_offset(c, x, c->w->out[k].root);
    }
    if (x->emitted && (!x->inner || x->region == c->w->region)) return x->value;
    x->value = emit(c, x);
    x->emitted = true;
    x->region = c->w->region;
    return x->value;
}

/* Emits the operands of an output, except a scatter's offset, whose bounds checks must run only
 * where the mask is true. */
static void emit_inputs(lowering *c, const output *o) {
    lower_value(c, o->value);
    if (o->mask >= 0) lower_value(c, o->mask);
    if (o->mask < 0 || o->offset < 0) return;
    const entry x = c->w->e[o->offset];
    for (int k = 0, i = 0; k < o->root->into->ndim; k++)
        if (o->root->index[k]) lower_input(c, &x, i++);
}

/* Scatter: stores v at a computed offset, or adds it atomically. */
static void emit_scatter(lowering *c, const output *o, int32_t v) {
    kir_func *f = c->l->f;
    uint16_t array = (uint16_t)o->array;
    int32_t at = lower_value(c, o->offset);
    if (o->root->add) {
        array_at(c, o->array)->access |= KIR_READ;
        kir_emit(f, (kir_ins){.code = KIR_ATOMIC,
                              .type = o->root->value->dtype,
                              .sub = array,
                              .a = at,
                              .b = v,
                              .c = -1,
                              .imm = KIR_AT_ADD});
    } else {
        kir_emit(
            f,
            (kir_ins){.code = KIR_STOREX, .type = DT_NONE, .sub = array, .a = at, .b = v, .c = -1});
    }
}

static void emit_store(lowering *c, const output *o) {
    kir_func *f = c->l->f;
    emit_inputs(c, o);
    int32_t v = lower_value(c, o->value), mask = o->mask >= 0 ? lower_value(c, o->mask) : -1;
    uint16_t array = (uint16_t)o->array;
    gpa_dtype t = (gpa_dtype)o->root->value->dtype;
    if (o->offset >= 0) {
        kir_set_span(f, c->rt->at);
        if (mask >= 0)
            kir_open(f, (kir_ins){.code = KIR_IF, .type = DT_NONE, .a = mask, .b = -1, .c = -1});
        emit_scatter(c, o, v);
        if (mask >= 0) kir_close(f);
        return;
    }
    if (mask >= 0) {
        int32_t old = kir_emit(
            f, (kir_ins){
                   .code = KIR_LOAD, .type = (uint8_t)t, .sub = array, .a = -1, .b = -1, .c = -1});
        v = kir_op3(f, OP_WHERE, mask, v, old);
    }
    kir_set_span(f, c->rt->at);
    kir_emit(f,
             (kir_ins){.code = KIR_STORE, .type = DT_NONE, .sub = array, .a = v, .b = -1, .c = -1});
}

/* The EACH region of a phase: its reductions and the stores of inner values. */
static void emit_each(lowering *c, int phase) {
    struct lower_work *w = c->w;
    kir_func *f = c->l->f;
    bool opened = false;
    for (int pass = 0; pass < 2; pass++) { /* values first, so that stores come last */
        for (size_t i = 0; pass == 0 && i < w->n_e; i++) {
            if (!reduces(&w->e[i]) || w->e[i].phase != phase + 1) continue;
            if (!opened)
                kir_open(f,
                         (kir_ins){.code = KIR_EACH, .type = DT_NONE, .a = -1, .b = -1, .c = -1});
            opened = true;
            entry x = w->e[i];
            int32_t a = lower_input(c, &x, 0), b = x.n->n_in > 1 ? lower_input(c, &x, 1) : -1;
            kir_set_span(f, x.n->span);
            kir_ins reduce = {
                .code = KIR_REDUCE, .type = x.n->dtype, .sub = x.n->sub, .a = a, .b = b, .c = -1};
            w->e[i].value = kir_emit(f, reduce);
            w->e[i].emitted = true;
        }
        for (size_t i = 0; i < w->n_out; i++) {
            const output *o = &w->out[i];
            if (!o->inner || o->phase != phase) continue;
            if (!opened)
                kir_open(f,
                         (kir_ins){.code = KIR_EACH, .type = DT_NONE, .a = -1, .b = -1, .c = -1});
            opened = true;
            if (pass == 0)
                emit_inputs(c, o);
            else
                emit_store(c, o);
        }
    }
    if (opened) kir_close(f);
}

/* Delays stores into memory that the program may also read to the last phase. */
static void delay_stores(lowering *c) {
    struct lower_work *w = c->w;
    int last = 0;
    for (size_t i = 0; i < w->n_e; i++)
        if (reduces(&w->e[i])) last = MAX(last, w->e[i].phase - 1);
    for (size_t i = 0; i < w->n_out; i++)
        if (w->out[i].inner) last = MAX(last, w->out[i].phase);
    for (size_t i = 0; i < w->n_out; i++)
        if (w->out[i].root->into) w->out[i].phase = (uint16_t)last;
}

static void emit_all(lowering *c) {
    struct lower_work *w = c->w;
    int last = 0;
    delay_stores(c);
    for (size_t i = 0; i < w->n_e; i++) last = MAX(last, w->e[i].phase);
    for (int phase = 0; phase <= last; phase++) {
        w->region = -1;
        for (size_t i = 0; i < w->n_e; i++) {
            const entry *x = &w->e[i];
            if (!x->inner && x->map >= 0 && x->phase == phase && !reduces(x))
                lower_value(c, (int32_t)i);
        }
        w->region = phase;
        emit_each(c, phase);
    }
    w->region = -1;
    for (size_t i = 0; i < w->n_out; i++)
        if (!w->out[i].inner) emit_inputs(c, &w->out[i]);
    for (size_t i = 0; i < w->n_out; i++)
        if (!w->out[i].inner) emit_store(c, &w->out[i]);
}

/* ---- the program ---- */

static bool loads(const lowering *c, int array) {
    for (size_t i = 0; i < c->w->n_e; i++)
        if (c->w->e[i].n->kind == NODE_BUF && c->w->e[i].id == array) return true;
    return false;
}

/* Aliasing hazard: an operand overlaps a target and is not the same element at every point, or the
 * target has an element twice and is an operand too. */
static bool has_hazard(lowering *c) {
    lowered *l = c->l;
    const fuse_step *s = c->s;
    for (size_t o = 0; o < c->w->n_out; o++) {
        const output *out = &c->w->out[o];
        if (!out->root->into) continue;
        int t = out->array;
        int64_t item = (int64_t)dtype_size((gpa_dtype)array_at(c, t)->dtype);
        for (int i = 0; i < (int)l->n_arrays; i++) {
            if (i == t || l->buf[i] != l->buf[t] || l->fresh[i]) continue;
            if (out->offset >= 0) return true;
            shape_layout a = {s->ndim, s->shape, c->l->stride[t], l->bind[t].offset, item};
            shape_layout b = {s->ndim, s->shape, c->l->stride[i], l->bind[i].offset,
                              (int64_t)dtype_size(array_at(c, i)->dtype)};
            bool gathered = false; /* read at indices that are only known at run time */
            for (size_t k = 0; k < c->w->n_e; k++)
                gathered = gathered || (c->w->e[k].n->kind == NODE_GATHER && c->w->e[k].map >= 0 &&
                                        c->w->e[k].id == i);
            if (gathered || shape_overlap(&a, &b) != OVERLAP_NONE) return true;
        }
        if (out->offset >= 0 && (array_at(c, t)->access & KIR_READ)) return true;
        const gpa_arr *to = out->root->into;
        if (!shape_is_injective(to->ndim, to->shape, to->strides) && loads(c, t)) return true;
    }
    return false;
}

static const char *name_of(const node *n) {
    while (n->kind == NODE_VIEW || n->kind == NODE_CAST) n = n->in[0];
    switch ((node_kind)n->kind) {
        case NODE_OP: return op_info[n->sub].name;
        case NODE_BODY: return n->body->f->name;
        case NODE_REDUCE:
        case NODE_SCAN: return red_info[n->sub].name;
        case NODE_GATHER: return "gather";
        case NODE_CONCAT: return "concatenate";
        case NODE_IOTA: return "arange";
        case NODE_SCALAR: return "fill";
        case NODE_BUF:
        case NODE_VIEW:
        case NODE_CAST:
        case NODE_PRODUCT:
        case NODE_KINDS: break;
    }
    return "copy";
}

/* True if there are scatters, and no scatter writes an element twice. */
static bool stores_once(const struct lower_work *w) {
    bool scatters = false, distinct = true;
    for (size_t i = 0; i < w->n_out; i++) {
        if (w->out[i].offset < 0) continue;
        scatters = true;
        distinct = distinct && w->out[i].root->distinct;
    }
    return scatters && distinct;
}

gpa_code lower(gpa_rt *rt, fuse_plan *p, int s, lowered *l, gpa_err *e) {
    if (!l->work && !(l->work = mem_zero(sizeof *l->work))) return gpa_no_memory(e);
    struct lower_work *w = l->work;
    lowering c = {rt, p, &p->step[s], l, w, e, -1};
    w->n_e = w->n_in = w->n_out = w->n_guard = 0;
    l->n_arrays = 0;
    l->bytes_read = l->bytes_written = l->boundaries = 0;
    l->empty = l->hazard = l->faults = false;
    rt->nodes.mark++;
    const char *name = NULL;
    for (size_t i = 0; i < p->n_root; i++) {
        if (p->root[i].step != s) continue;
        if (!name) {
            name = name_of(p->root[i].value);
            if (l->f)
                kir_reset(l->f, KIR_MAP, name);
            else if (!(l->f = kir_new(KIR_MAP, name)))
                return gpa_no_memory(e);
        }
        if (!lower_visit_root(&c, &p->root[i])) {
            if (l->n_arrays == KIR_MAX_ARRAYS || l->f->n_params == LOWER_PARAMS)
                return gpa_fail(e, GPA_E_INTERNAL, "a step with too many arrays");
            return gpa_no_memory(e);
        }
    }
    if ((l->hazard = has_hazard(&c))) return GPA_OK;
    emit_all(&c);
    if (l->f->failed) return gpa_no_memory(e);
    bool scans = false;
    for (size_t i = 0; i < w->n_e; i++)
        scans = scans || (w->e[i].n->kind == NODE_SCAN && !w->e[i].stored_elsewhere);
    l->stored = 0;
    for (size_t i = 0; i < l->n_arrays; i++)
        if (l->f->arrays[i].access & KIR_WRITE) l->stored |= UINT64_C(1) << i;
    layout_count_bytes(l);
    gpa_code rc = layout(c.s, l, scans, e);
    if (!scans && stores_once(w)) l->f->flags |= KIR_F_UNORDERED;
    return rc;
}

/* True if a step visits every element of n: each of its dimensions is one of the space, of the same
 * extent. */
static bool covers(const affine_table *maps, const fuse_step *s, const node *n, int map) {
    gpa_axes seen = 0;
    for (int k = 0; k < n->ndim; k++) {
        int d = n->shape[k] == 1 ? -1 : affine_identity_dim(maps, map, k);
        if (n->shape[k] == 1) continue;
        if (d < 0 || s->shape[d] != n->shape[k] || (seen >> d & 1)) return false;
        seen |= gpa_axis(d);
    }
    return true;
}

void lower_mark_checked(gpa_rt *rt, const fuse_plan *p, int s, const lowered *l) {
    for (size_t i = 0; i < l->work->n_e; i++) {
        const entry *x = &l->work->e[i];
        if (x->map >= 0 && x->n->unchecked && covers(&p->maps, &p->step[s], x->n, x->map))
            node_bounds_checked(rt, x->n);
    }
}

void lower_free(lowered *l) {
    kir_free(l->f);
    if (l->work) {
        mem_free(l->work->e);
        mem_free(l->work->in);
        mem_free(l->work->out);
        mem_free(l->work->guard);
        mem_free(l->work);
    }
    l->work = NULL;
    l->f = NULL;
}
