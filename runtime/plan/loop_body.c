/* Bodies of batched loops: describing an iteration, classifying its scalars, emitting the loop.
 *
 * The description of an iteration is a sequence of words. It numbers nodes in the order of their
 * first visit, the results of the previous iteration first; it leaves out values of scalars and
 * addresses of arrays. Iterations with equal words that read the same arrays belong to one loop.
 * Its scalars are invariant, induction variables, or tabulated: each iteration then selects its own
 * value from parameters.
 *
 * Reading order: describing an iteration, the body, scalars. */
#include "runtime/plan/loop_body.h"

#include "runtime/graph/shape.h"
#include "runtime/tables/tuning.h"

/* The tag of a word; the rest of the word is a number of that kind. */
typedef enum { CARRIED, SCALAR, ARRAY, COMPUTED } word_tag;

/* ---- describing an iteration ---- */

static bool put(iteration *t, uint64_t w) {
    if (t->n_words == LOOP_MAX_WORDS) return false;
    t->words[t->n_words++] = w;
    return true;
}

static uint64_t word(word_tag tag, unsigned dtype, uint64_t which) {
    return (uint64_t)tag | (uint64_t)dtype << 2 | which << 10;
}

static bool add_node(gpa_rt *rt, iteration *t, node *n) {
    if (t->n_nodes == LOOP_MAX_NODES) return false;
    n->mark = rt->nodes.mark;
    n->slot = t->n_nodes;
    t->nodes[t->n_nodes++] = n;
    return true;
}

/* Scalars are identified by position, not by value: two scalars that are equal, hence one node, in
 * this iteration may differ in the next. */
static bool add_scalar(iteration *t, const node *scalar) {
    if (t->n_scalars == LOOP_MAX_SCALARS) return false;
    t->type[t->n_scalars] = scalar->dtype;
    t->v[t->n_scalars++] = scalar->v;
    return put(t, word(SCALAR, scalar->dtype, 0));
}

/* The result of the previous iteration whose memory leaf n reads; -1: none. *partial: n is not the
 * whole result in C order. */
static int carried_result(const struct loop_batch *r, const node *n, bool *partial) {
    *partial = false;
    for (int i = 0; i < r->n_last && n->kind == NODE_BUF && !r->count; i++) {
        if (n->buf != r->last[i]) continue;
        *partial = !node_is_contiguous(n) || n->map[n->ndim];
        return i;
    }
    return -1;
}

static bool add_array(gpa_rt *rt, const struct loop_batch *r, iteration *t, node *n) {
    bool partial;
    int carried = carried_result(r, n, &partial);
    if (carried >= 0 && !partial && !t->nodes[carried]) {
        t->carries = true;
        t->nodes[carried] = n;
        n->mark = rt->nodes.mark;
        n->slot = carried;
        return true;
    }
    if (carried >= 0 || t->n_arrays == BODY_MAX_IN || !add_node(rt, t, n)) return false;
    t->arrays[t->n_arrays] = n;
    return put(t, word(ARRAY, n->dtype, (uint64_t)t->n_arrays++));
}

/* The scalar that n broadcasts; NULL: none. */
static const node *scalar_of(const node *n) {
    while (n->kind == NODE_VIEW) n = n->in[0];
    return n->kind == NODE_SCALAR ? n : NULL;
}

/* Describes n after its inputs. False: such an iteration cannot be batched. */
static bool describe_node(gpa_rt *rt, const struct loop_batch *r, iteration *t, node *n) {
    if (n->mark == rt->nodes.mark) {
        if (n->slot < t->n_out) t->carries = true;
        return true;
    }
    const node *scalar = scalar_of(n);
    if (scalar) return add_scalar(t, scalar) && add_node(rt, t, n);
    if (n->kind == NODE_BUF || n->kind == NODE_IOTA) return add_array(rt, r, t, n);
    if (!node_is_elementwise(n) || (n->kind == NODE_BODY && n->body->n_out > 1)) return false;
    for (int i = 0; i < n->n_in; i++)
        if (!scalar_of(n->in[i]) && !describe_node(rt, r, t, n->in[i])) return false;
    bool fits = put(t, word(COMPUTED, n->dtype,
                            (uint64_t)n->kind | (uint64_t)n->sub << 8 | (uint64_t)n->n_in << 24));
    for (int i = 0; i < n->n_in && fits; i++) {
        const node *operand = scalar_of(n->in[i]);
        fits =
            operand ? add_scalar(t, operand) : put(t, word(COMPUTED, 0, (uint64_t)n->in[i]->slot));
    }
    if (fits && n->kind == NODE_BODY) fits = put(t, (uint64_t)(uintptr_t)n->body);
    return fits && add_node(rt, t, n);
}

bool loop_describe(gpa_rt *rt, struct loop_batch *r, iteration *t) {
    const node *first = rt->pending.next->node;
    t->n_words = t->n_nodes = t->n_arrays = t->n_scalars = t->n_out = 0;
    t->carries = false;
    if (rt->n_pending > LOOP_MAX_OUT || first->ndim == 0 || first->size == 0) return false;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending; s = s->next) {
        if (s->failed || s->node->owner != s ||
            !shape_equal(s->node->ndim, s->node->shape, first->ndim, first->shape))
            return false;
        t->storage[t->n_out++] = s;
    }
    if (r->count ? t->n_out != r->previous->n_out : t->n_out != r->n_last) return false;
    rt->nodes.mark++;
    for (int i = 0; i < t->n_out; i++) {
        if (!r->count)
            t->nodes[t->n_nodes++] = NULL;
        else if (!add_node(rt, t, r->result[i]))
            return false;
        put(t, word(CARRIED, t->storage[i]->node->dtype, 0));
    }
    for (int i = 0; i < t->n_out; i++)
        if (!describe_node(rt, r, t, t->storage[i]->node)) return false;
    for (int i = 0; i < t->n_out; i++) {
        t->root[i] = t->storage[i]->node->slot;
        if (!put(t, (uint64_t)t->root[i])) return false;
        const node *carried = t->nodes[i];
        if (carried && (carried->dtype != t->storage[i]->node->dtype ||
                        !shape_equal(carried->ndim, carried->shape, first->ndim, first->shape)))
            return false;
    }
    return t->carries;
}

/* ---- the body ---- */

static kir_ins ins(kir_code code, gpa_dtype type, int32_t a, int32_t b, int32_t c, uint32_t imm) {
    return (kir_ins){
        .code = (uint8_t)code, .type = (uint8_t)type, .a = a, .b = b, .c = c, .imm = imm};
}

static int32_t add_loop_param(kir_func *f, gpa_dtype t) {
    int p = kir_add_param(f, t);
    return p < 0 ? -1 : kir_emit(f, ins(KIR_PARAM, t, -1, -1, -1, (uint32_t)p));
}

/* The value of a computed node; *scalar: the next scalar operand. */
static int32_t emit_node(kir_func *f, const node *n, const int32_t *value, const int32_t **scalar) {
    int32_t in[BODY_MAX_IN];
    for (int i = 0; i < n->n_in; i++)
        in[i] = scalar_of(n->in[i]) ? *(*scalar)++ : value[n->in[i]->slot];
    kir_set_span(f, n->span);
    if (n->kind == NODE_CAST) return kir_cast(f, (gpa_dtype)n->dtype, in[0]);
    if (n->kind == NODE_BODY) return body_emit(n->body, f, in) ? body_value(n->body, n->sub) : -1;
    if (n->n_in == 1) return kir_op1(f, (gpa_op)n->sub, in[0]);
    if (n->n_in == 2) return kir_op2(f, (gpa_op)n->sub, in[0], in[1]);
    return kir_op3(f, (gpa_op)n->sub, in[0], in[1], in[2]);
}

/* The body's parameters, in the order of make_inputs (loop_batch.c): initial values of the carried
 * results that are read, arrays, scalars (an induction variable has its stride too), tables of
 * scalars by iteration, and the trip count. */
typedef struct {
    int32_t first[LOOP_MAX_OUT], arrays[BODY_MAX_IN], scalar[LOOP_MAX_SCALARS],
        stride[LOOP_MAX_SCALARS], table[LOOP_MAX_SCALARS][LOOP_MAX_TABLE], count;
} loop_params;

/* A body under construction. */
typedef struct {
    const struct loop_batch *r;
    const iteration *t;
    kir_func *f;
    loop_params p;
} loop_emitter;

static void add_params(loop_emitter *m) {
    const struct loop_batch *r = m->r;
    const iteration *t = m->t;
    loop_params *p = &m->p;
    kir_func *f = m->f;
    for (int i = 0; i < t->n_out; i++)
        p->first[i] = r->is_read[i] ? add_loop_param(f, (gpa_dtype)t->storage[i]->node->dtype) : -1;
    for (int i = 0; i < t->n_arrays; i++)
        p->arrays[i] = add_loop_param(f, (gpa_dtype)t->arrays[i]->dtype);
    for (int i = 0; i < t->n_scalars; i++) {
        if (r->kind[i] == INVARIANT) p->scalar[i] = add_loop_param(f, (gpa_dtype)t->type[i]);
        if (r->kind[i] != INDUCTION) continue;
        p->scalar[i] = add_loop_param(f, DT_I64);
        p->stride[i] = add_loop_param(f, DT_I64);
    }
    for (int i = 0; i < t->n_scalars; i++)
        for (int j = 0; r->kind[i] == TABULATED && j < r->table_len; j++)
            p->table[i][j] = add_loop_param(f, (gpa_dtype)t->type[i]);
    p->count = add_loop_param(f, DT_I64);
}

/* values[k], for k of `bits` bits: a tree of selects. odd[b]: whether bit b of k is set. */
static int32_t emit_select(kir_func *f, const int32_t *values, const int32_t *odd, int bits) {
    if (bits == 0) return values[0];
    int32_t even = emit_select(f, values, odd, bits - 1),
            other = emit_select(f, values + (1 << (bits - 1)), odd, bits - 1);
    return kir_op3(f, OP_WHERE, odd[bits - 1], other, even);
}

/* The scalars of iteration k, a value of the body; which >= 0: k is that constant. */
static void emit_scalars(const loop_emitter *m, int32_t k, int which, int32_t *scalar) {
    const struct loop_batch *r = m->r;
    const iteration *t = m->t;
    const loop_params *p = &m->p;
    kir_func *f = m->f;
    int32_t odd[LOOP_MAX_TABLE] = {0};
    int bits = 0;
    for (; which < 0 && 1 << bits < r->table_len; bits++) {
        int32_t bit = kir_const(f, DT_I64, (gpa_val){.I64 = 1 << bits});
        odd[bits] = kir_op2(f, OP_NOT_EQUAL, kir_op2(f, OP_BITWISE_AND, k, bit),
                            kir_const(f, DT_I64, (gpa_val){.I64 = 0}));
    }
    for (int i = 0; i < t->n_scalars; i++) {
        switch (r->kind[i]) {
            case INVARIANT: scalar[i] = p->scalar[i]; break;
            case INDUCTION:
                scalar[i] =
                    kir_op2(f, OP_ADD, p->scalar[i], kir_op2(f, OP_MULTIPLY, k, p->stride[i]));
                scalar[i] = kir_cast(f, (gpa_dtype)t->type[i], scalar[i]);
                break;
            case TABULATED:
                scalar[i] = which < 0 ? emit_select(f, p->table[i], odd, bits) : p->table[i][which];
                break;
            case SAME_AS: scalar[i] = scalar[r->stride[i]]; break;
        }
    }
}

/* One iteration. value[node number]: on entry the results of the previous iteration, on return
 * those of this one. */
static void emit_iteration(const loop_emitter *m, const int32_t *scalar, int32_t *value) {
    const iteration *t = m->t;
    int32_t out[LOOP_MAX_OUT];
    for (int i = t->n_out; i < t->n_nodes; i++) {
        const node *n = t->nodes[i];
        int which = 0;
        if (scalar_of(n)) {
            value[i] = *scalar++;
        } else if (n->kind == NODE_BUF || n->kind == NODE_IOTA) {
            while (t->arrays[which] != n) which++;
            value[i] = m->p.arrays[which];
        } else {
            value[i] = emit_node(m->f, n, value, &scalar);
        }
    }
    for (int i = 0; i < t->n_out; i++) out[i] = value[t->root[i]];
    memcpy(value, out, (size_t)t->n_out * sizeof *out);
}

/* A loop over any number of iterations; carried results are variables. */
static void emit_loop(const loop_emitter *m, int32_t *out) {
    const iteration *t = m->t;
    const bool *is_read = m->r->is_read;
    kir_func *f = m->f;
    int32_t value[LOOP_MAX_NODES], scalar[LOOP_MAX_SCALARS], var[LOOP_MAX_OUT];
    int32_t zero = kir_const(f, DT_I64, (gpa_val){.I64 = 0}),
            one = kir_const(f, DT_I64, (gpa_val){.I64 = 1});
    gpa_dtype type[LOOP_MAX_OUT];
    for (int i = 0; i < t->n_out; i++) {
        type[i] = (gpa_dtype)t->storage[i]->node->dtype;
        var[i] = kir_emit(f, ins(KIR_VAR, type[i], m->p.first[i], -1, -1, 0));
    }
    int32_t k = kir_open(f, ins(KIR_FOR, DT_I64, zero, m->p.count, one, KIR_SHORT_LOOP));
    for (int i = 0; i < t->n_out; i++)
        value[i] = is_read[i] ? kir_emit(f, ins(KIR_GET, type[i], var[i], -1, -1, 0)) : -1;
    emit_scalars(m, k, -1, scalar);
    emit_iteration(m, scalar, value);
    for (int i = 0; i < t->n_out; i++) kir_emit(f, ins(KIR_SET, DT_NONE, var[i], value[i], -1, 0));
    kir_close(f);
    for (int i = 0; i < t->n_out; i++)
        out[i] = kir_emit(f, ins(KIR_GET, type[i], var[i], -1, -1, 0));
}

/* The loop unrolled over the whole table of scalars, which needs no selects. */
static void emit_unrolled(const loop_emitter *m, int32_t *out) {
    const size_t bytes = (size_t)m->t->n_out * sizeof *out;
    int32_t value[LOOP_MAX_NODES], scalar[LOOP_MAX_SCALARS];
    memcpy(value, m->p.first, bytes);
    for (int which = 0; which < m->r->table_len; which++) {
        emit_scalars(m, kir_const(m->f, DT_I64, (gpa_val){.I64 = which}), which, scalar);
        emit_iteration(m, scalar, value);
    }
    memcpy(out, value, bytes);
}

static const char *name_of(const node *n) {
    while (n->kind == NODE_CAST) n = n->in[0];
    return n->kind == NODE_OP     ? op_info[n->sub].name
           : n->kind == NODE_BODY ? n->body->f->name
                                  : "copy";
}

static gpa_code build_body(const struct loop_batch *r, const iteration *t, bool unrolled,
                           gpa_body **out, gpa_err *e) {
    int32_t values[LOOP_MAX_OUT];
    const node *last = t->storage[t->n_out - 1]->node;
    kir_func *f = kir_new(KIR_MAP, name_of(last));
    if (!f) return gpa_no_memory(e);
    loop_emitter m = {.r = r, .t = t, .f = f};
    add_params(&m);
    (unrolled ? emit_unrolled : emit_loop)(&m, values);
    gpa_code rc = body_new_take(f, values, t->n_out, out, e);
    if (!rc) (*out)->trips = (int8_t)((*out)->f->n_params - 1);
    return rc;
}

static void drop_cached(cached_body *k) {
    for (size_t i = 0; i < k->n_callees; i++) body_release(k->callees[i]);
    mem_free(k->callees);
    mem_free(k->words);
    body_release(k->body);
    *k = (cached_body){0};
}

/* Caches a body by its key, the words; does nothing when memory is short. */
static void cache_body(struct loop_batch *r, const iteration *t, gpa_body *body) {
    cached_body k = {.n_words = (size_t)t->n_words};
    for (int i = 0; i < t->n_nodes; i++)
        k.n_callees += t->nodes[i] && t->nodes[i]->kind == NODE_BODY && i >= t->n_out;
    k.words = mem_new(k.n_words * sizeof *k.words);
    k.callees = mem_new(k.n_callees * sizeof(gpa_body *));
    if (!k.words || !k.callees) {
        mem_free(k.words);
        mem_free(k.callees);
        return;
    }
    memcpy(k.words, t->words, k.n_words * sizeof *k.words);
    k.n_callees = 0;
    for (int i = t->n_out; i < t->n_nodes; i++)
        if (t->nodes[i]->kind == NODE_BODY)
            k.callees[k.n_callees++] = body_retain(t->nodes[i]->body);
    k.body = body_retain(body);
    cached_body *slot = &r->cached[r->next_cached++ % LOOP_CACHED_BODIES];
    drop_cached(slot);
    *slot = k;
}

/* The key of a body: the iteration's words, then one word per scalar, then one with the remaining
 * facts and the number of the iteration's words, so that keys of different loops differ. */
gpa_code loop_find_body(struct loop_batch *r, iteration *t, bool unrolled, gpa_body **out,
                        gpa_err *e) {
    const int described = t->n_words;
    for (int i = 0; i < t->n_scalars; i++)
        t->words[t->n_words++] =
            (uint64_t)r->kind[i] | (r->kind[i] == SAME_AS ? r->stride[i] << 2 : 0);
    t->words[t->n_words++] =
        (uint64_t)described << 32 | (uint64_t)r->table_len << 1 | (uint64_t)unrolled;
    size_t bytes = (size_t)t->n_words * sizeof *t->words;
    *out = NULL;
    for (int i = 0; i < LOOP_CACHED_BODIES && !*out; i++) {
        const cached_body *k = &r->cached[i];
        if (k->body && k->n_words == (size_t)t->n_words && memcmp(k->words, t->words, bytes) == 0)
            *out = body_retain(k->body);
    }
    gpa_code rc = *out ? GPA_OK : build_body(r, t, unrolled, out, e);
    if (!rc) cache_body(r, t, *out);
    t->n_words = described;
    return rc;
}

void loop_free_bodies(struct loop_batch *r) {
    for (int i = 0; i < LOOP_CACHED_BODIES; i++) drop_cached(&r->cached[i]);
}

/* ---- scalars ---- */

/* v as an int64 that converts back to the same bits; false: there is none. */
static bool exact_integer(gpa_dtype t, gpa_val v, uint64_t *out) {
    gpa_val integer = dtype_cast(v, t, DT_I64), restored = dtype_cast(integer, DT_I64, t);
    *out = (uint64_t)integer.I64;
    return memcmp(&restored, &v, dtype_size(t)) == 0;
}

/* The difference of two scalars; false: they differ and are not both integral, so adding the
 * difference repeatedly would round. */
static bool stride_between(gpa_dtype t, gpa_val a, gpa_val b, uint64_t *stride) {
    uint64_t from, to;
    *stride = 0;
    if (memcmp(&a, &b, dtype_size(t)) == 0) return true;
    if (!exact_integer(t, a, &from) || !exact_integer(t, b, &to)) return false;
    *stride = to - from;
    return true;
}

static bool equal_scalars(const iteration *a, int i, const iteration *b, int j) {
    return a->type[i] == b->type[j] &&
           memcmp(&a->v[i], &b->v[j], dtype_size((gpa_dtype)a->type[i])) == 0;
}

/* The kind of scalar i, from the first iteration and the second, t. */
static scalar_kind classify(struct loop_batch *r, const iteration *t, int i) {
    const iteration *b = r->previous;
    for (int j = 0; j < i && r->history[i] != DISTINCT; j++) {
        if (r->kind[j] == SAME_AS || !equal_scalars(t, i, t, j) || !equal_scalars(b, i, b, j))
            continue;
        r->stride[i] = (uint64_t)j;
        return SAME_AS;
    }
    if (!r->history[i] && stride_between((gpa_dtype)t->type[i], b->v[i], t->v[i], &r->stride[i]))
        return r->stride[i] ? INDUCTION : INVARIANT;
    /* In the next run of the loop its first two values may be integral by coincidence. */
    if (!r->history[i]) r->history[i] = IRREGULAR;
    return TABULATED;
}

/* Classifies all scalars; false: they need more inputs than a body has. */
static bool classify_all(struct loop_batch *r, const iteration *t) {
    int n_inputs = t->n_arrays + 1;
    for (int i = 0; i < t->n_out; i++) n_inputs += r->is_read[i] = r->previous->nodes[i] != NULL;
    r->n_tables = r->table_len = 0;
    for (int i = 0; i < t->n_scalars; i++) {
        r->kind[i] = classify(r, t, i);
        r->n_tables += r->kind[i] == TABULATED;
        n_inputs += r->kind[i] == INVARIANT ? 1 : r->kind[i] == INDUCTION ? 2 : 0;
    }
    if (!r->n_tables) return true;
    for (r->table_len = LOOP_MAX_TABLE; n_inputs + r->n_tables * r->table_len > BODY_MAX_IN;
         r->table_len /= 2)
        if (r->table_len == TUNE_LOOP_FIRST_BATCH) return false;
    return true;
}

/* True if scalar i of iteration t has the value that its kind predicts. */
static bool scalar_continues(const struct loop_batch *r, const iteration *t, int i) {
    uint64_t stride;
    switch (r->kind[i]) {
        case TABULATED: return true;
        case SAME_AS: return equal_scalars(t, i, t, (int)r->stride[i]);
        default:
            return stride_between((gpa_dtype)t->type[i], r->previous->v[i], t->v[i], &stride) &&
                   stride == r->stride[i];
    }
}

bool loop_same_words(const iteration *a, const iteration *b) {
    return a->n_words == b->n_words && a->n_scalars == b->n_scalars &&
           memcmp(a->words, b->words, (size_t)a->n_words * sizeof *a->words) == 0;
}

bool loop_continues(struct loop_batch *r, const iteration *t) {
    const iteration *b = r->previous;
    bool same = loop_same_words(t, b) && t->n_arrays == b->n_arrays &&
                memcmp(t->arrays, b->arrays, (size_t)t->n_arrays * sizeof *t->arrays) == 0;
    if (!same || r->count == 1) return same && classify_all(r, t);
    for (int i = 0; i < t->n_scalars; i++) {
        if (scalar_continues(r, t, i)) continue;
        r->history[i] = r->kind[i] == SAME_AS ? DISTINCT : IRREGULAR;
        same = false;
    }
    return same;
}
