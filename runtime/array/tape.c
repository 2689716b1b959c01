/* Tapes: the open ones, their active storages, and the records.
 *
 * Storages get numbers, since their addresses are used again. A tape holds the set of the numbers
 * that are active on it, and for each storage the list of the record operands that keep a value in
 * it: before a store these get a copy.
 *
 * Reading order: the set, partial derivatives, operands, records, stores, opening and closing. */
#include "runtime/array/tape.h"

#include <ctype.h>
#include <stdio.h>

#include "runtime/exec/explain.h"
#include "runtime/graph/node.h"
#include "runtime/tables/op.h"

/* The storages of a tape, by number: an open-addressing hash table. */
typedef struct {
    uint64_t number; /* 0: free */
    bool active;
    bool collected, local; /* while the tape collects: it was read, or computed */
    tape_operand *kept;    /* operands that keep a value in it, linked by `next` */
} tape_storage;

struct gpa_tape {
    struct gpa_tape *outer;
    tape_record *last;
    bool mapped; /* for vmap */
    int paused;  /* nothing is recorded while positive */
    bool collects;
    gpa_arr **read; /* what it collects: whole storages */
    size_t n_read, cap_read;
    tape_storage *slot;
    size_t cap, count; /* cap: a power of two */
};

/* ---- storages of a tape ---- */

static tape_storage *find_slot(const struct gpa_tape *t, uint64_t number) {
    size_t i = hash_words(&number, 1, 0) & (t->cap - 1);
    while (t->slot[i].number && t->slot[i].number != number) i = (i + 1) & (t->cap - 1);
    return &t->slot[i];
}

static tape_storage *find(const struct gpa_tape *t, uint64_t number) {
    tape_storage *s = t->cap && number ? find_slot(t, number) : NULL;
    return s && s->number ? s : NULL;
}

static bool grow(struct gpa_tape *t) {
    struct gpa_tape bigger = {.cap = t->cap ? 2 * t->cap : 64};
    bigger.slot = mem_zero(bigger.cap * sizeof *bigger.slot);
    if (!bigger.slot) return false;
    for (size_t i = 0; i < t->cap; i++)
        if (t->slot[i].number) *find_slot(&bigger, t->slot[i].number) = t->slot[i];
    mem_free(t->slot);
    t->slot = bigger.slot;
    t->cap = bigger.cap;
    return true;
}

static tape_storage *enter_number(struct gpa_tape *t, uint64_t number) {
    if (2 * t->count >= t->cap && !grow(t)) return NULL;
    tape_storage *at = find_slot(t, number);
    if (!at->number) {
        at->number = number;
        t->count++;
    }
    return at;
}

/* The entry of a storage, added if it is missing. NULL when memory is short. */
static tape_storage *enter(gpa_rt *rt, struct gpa_tape *t, gpa_storage *s) {
    if (!s->number) s->number = ++rt->n_numbered;
    return enter_number(t, s->number);
}

static bool is_active(const struct gpa_tape *t, const gpa_arr *a) {
    const tape_storage *s = a && !t->paused ? find(t, a->storage->number) : NULL;
    return s && s->active &&
           (t->mapped || dtype_is_float((gpa_dtype)a->dtype) ||
            dtype_is_complex((gpa_dtype)a->dtype));
}

bool tape_is_active(const gpa_rt *rt, const gpa_arr *a) {
    for (const struct gpa_tape *t = rt->tape; t; t = t->outer)
        if (is_active(t, a)) return true;
    return false;
}

int tape_mapped_level(const gpa_rt *rt, const gpa_arr *a) {
    int level = 0;
    for (const struct gpa_tape *t = rt->tape; t; t = t->outer) {
        if (t->mapped && is_active(t, a)) return level;
        level += t->mapped;
    }
    return -1;
}

bool tape_is_mapped(const gpa_rt *rt, const gpa_arr *a) { return tape_mapped_level(rt, a) >= 0; }

int tape_depth(const gpa_rt *rt) {
    int depth = 0;
    for (const struct gpa_tape *t = rt->tape; t; t = t->outer) depth++;
    return depth;
}

/* ---- partial derivatives ---- */

static const char *const partials[OP_COUNT][3] = {
#define PARTIAL(id, da, db, dc) [OP_##id] = {da, db, dc},
#include "runtime/tables/partial.def"
};

const char *tape_partial(gpa_op op, int operand) { return partials[op][operand]; }

/* True if the expression refers to the name, one letter. */
static bool mentions(const char *text, char name) {
    for (const char *s = text; *s; s++) {
        const bool begins = s == text || !(isalnum((unsigned char)s[-1]) || s[-1] == '_');
        if (*s == name && begins && !(isalnum((unsigned char)s[1]) || s[1] == '_')) return true;
    }
    return false;
}

/* ---- operands ---- */

/* Describes an array; its layout goes to `layout`, which has space for it. */
static gpa_code describe(gpa_rt *rt, struct gpa_tape *t, gpa_arr *a, int64_t *layout,
                         tape_operand *o, gpa_err *e) {
    const tape_storage *s = enter(rt, t, a->storage);
    if (!s) return gpa_no_memory(e);
    for (int d = 0; d < a->ndim; d++) {
        layout[d] = a->shape[d];
        layout[a->ndim + d] = a->strides[d];
    }
    *o = (tape_operand){.storage = s->number,
                        .active = is_active(t, a),
                        .dtype = a->dtype,
                        .storage_dtype = a->storage->dtype,
                        .ndim = a->ndim,
                        .offset = a->offset,
                        .storage_size = a->storage->size,
                        .layout = layout};
    return GPA_OK;
}

gpa_code tape_describe(gpa_rt *rt, gpa_arr *a, tape_operand *out, gpa_err *e) {
    int64_t *layout = mem_new((2 * (size_t)a->ndim + 1) * sizeof *layout);
    *out = (tape_operand){.layout = layout};
    return layout ? describe(rt, rt->tape, a, layout, out, e) : gpa_no_memory(e);
}

static void keep(struct gpa_tape *t, gpa_arr *a, tape_operand *o) {
    tape_storage *s = find(t, o->storage);
    o->value = arr_retain(a);
    o->next = s->kept;
    s->kept = o;
}

/* ---- records ---- */

static void free_record(gpa_rt *rt, tape_record *r) {
    for (int i = 0; i < r->n_in + r->n_out; i++) arr_release(rt, r->operand[i].value);
    mem_free(r);
}

static gpa_arr *array_of(const tape_entry *n, int i) {
    return i < n->n_in ? n->in[i].arr : n->out[i - n->n_in];
}

/* A record with space for its ints, its index and the layouts of its operands, which follow it in
 * memory. NULL when memory is short. */
static tape_record *new_record(const tape_entry *n, int64_t **layouts) {
    const size_t operands = (size_t)n->n_in + (size_t)n->n_out, ints = (size_t)n->n_ints,
                 index = (size_t)n->n_index;
    size_t dims = 0;
    for (int i = 0; i < n->n_in + n->n_out; i++) dims += array_of(n, i) ? array_of(n, i)->ndim : 0;
    tape_record *r = mem_new(sizeof *r + operands * sizeof *r->operand + index * sizeof *r->index +
                             (ints + 2 * dims) * sizeof(int64_t));
    if (!r) return NULL;
    *r = (tape_record){.rule = n->rule ? n->rule : op_info[n->op].name,
                       .op = n->rule ? -1 : (int)n->op,
                       .n_in = n->n_in,
                       .n_out = n->n_out,
                       .n_ints = n->n_ints,
                       .scale = n->scale,
                       .n_index = n->n_index};
    for (size_t i = 0; i < operands; i++) r->operand[i] = (tape_operand){.storage = 0};
    r->index = (gpa_index *)(r->operand + operands);
    r->ints = (int64_t *)(r->index + index);
    *layouts = r->ints + ints;
    for (size_t i = 0; i < index; i++) r->index[i] = n->index[i];
    for (size_t i = 0; i < ints; i++) r->ints[i] = n->ints[i];
    return r;
}

/* Describes the operands and results, and keeps the values that the rule needs. */
static gpa_code fill_record(gpa_rt *rt, struct gpa_tape *t, const tape_entry *n, tape_record *r,
                            int64_t *layouts, gpa_err *e) {
    for (int i = 0; i < r->n_in + r->n_out; i++) {
        const bool result = i >= r->n_in;
        tape_operand *o = &r->operand[i];
        gpa_arr *a = array_of(n, i);
        if (!a) {
            if (!result) o->number = n->in[i];
            continue;
        }
        gpa_code rc = describe(rt, t, a, layouts, o, e);
        if (rc) return rc;
        layouts += 2 * a->ndim;
        if (t->mapped ? !result && !o->active
            : result  ? n->keep_out >> (i - n->n_in) & 1
                      : n->keep_in >> i & 1)
            keep(t, a, o);
    }
    return GPA_OK;
}

/* Takes what a record that is not complete keeps off the lists of its storages. */
static void unlink_kept(struct gpa_tape *t, tape_record *r) {
    for (int i = r->n_in + r->n_out - 1; i >= 0; i--)
        if (r->operand[i].value) find(t, r->operand[i].storage)->kept = r->operand[i].next;
}

/* The whole storage of `a` as a 1-d array. */
static gpa_code whole_storage(gpa_rt *rt, gpa_arr *a, gpa_arr **out, gpa_err *e) {
    static const int64_t step = 1;
    const arr_layout l = {(gpa_dtype)a->storage->dtype, 1, &a->storage->size, &step, 0};
    return arr_handle(rt, a->storage, &l, NULL, out, e);
}

/* Notes what an operation reads, and that its results are computed while the tape collects. */
static gpa_code collect(gpa_rt *rt, struct gpa_tape *t, const tape_entry *n, gpa_err *e) {
    for (int i = 0; i < n->n_in; i++) {
        gpa_arr *a = n->in[i].arr;
        tape_storage *s = is_active(t, a) ? find(t, a->storage->number) : NULL;
        if (!s || s->local || s->collected) continue;
        if (!mem_grow(&t->read, t->n_read, &t->cap_read, sizeof *t->read)) return gpa_no_memory(e);
        gpa_code rc = whole_storage(rt, a, &t->read[t->n_read], e);
        if (rc) return rc;
        t->n_read++;
        s->collected = true;
    }
    for (int i = 0; i < n->n_out; i++) {
        tape_storage *s = n->out[i] ? enter(rt, t, n->out[i]->storage) : NULL;
        if (n->out[i] && !s) return gpa_no_memory(e);
        if (s && n->stores && s->active && !s->local)
            return gpa_fail(e, GPA_E_UNSUPPORTED,
                            "a checkpointed function stores into an array that it did not make");
        if (s) s->active = s->local = true;
    }
    return GPA_OK;
}

static gpa_code record(gpa_rt *rt, struct gpa_tape *t, const tape_entry *n, gpa_err *e) {
    bool concerns = false;
    if (n->constant && !t->mapped) return GPA_OK;
    for (int i = 0; i < n->n_in; i++) concerns |= is_active(t, n->in[i].arr);
    for (int i = 0; i < n->n_out && n->stores; i++) concerns |= is_active(t, n->out[i]);
    if (!concerns) return GPA_OK;
    if (t->collects) return collect(rt, t, n, e);
    for (int i = 0; i < n->n_out; i++) {
        tape_storage *s = n->out[i] ? enter(rt, t, n->out[i]->storage) : NULL;
        if (n->out[i] && !s) return gpa_no_memory(e);
        if (s) s->active = true;
    }
    int64_t *layouts;
    tape_record *r = new_record(n, &layouts);
    if (!r) return gpa_no_memory(e);
    gpa_code rc = fill_record(rt, t, n, r, layouts, e);
    if (rc) {
        unlink_kept(t, r);
        free_record(rt, r);
        return rc;
    }
    r->before = t->last;
    t->last = r;
    return GPA_OK;
}

gpa_code tape_note(gpa_rt *rt, const tape_entry *n, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (struct gpa_tape *t = rt->tape; t && !rc; t = t->outer) rc = record(rt, t, n, e);
    return rc;
}

gpa_code tape_note_unary(gpa_rt *rt, const char *rule, gpa_arr *in, gpa_arr *out,
                         const tape_entry *options, gpa_err *e) {
    tape_entry n = options ? *options : (tape_entry){.rule = rule};
    const gpa_opnd operand = {.arr = in};
    n.rule = rule;
    n.in = &operand;
    n.out = &out;
    n.n_in = n.n_out = 1;
    return tape_note(rt, &n, e);
}

gpa_code tape_note_ufunc(gpa_rt *rt, gpa_op op, gpa_dtype dtype, const gpa_opnd *in, gpa_arr *out,
                         gpa_err *e) {
    const int64_t loop = dtype;
    tape_entry n = {.op = op,
                    .in = in,
                    .out = &out,
                    .n_in = op_info[op].arity,
                    .n_out = 1,
                    .ints = &loop,
                    .n_ints = 1};
    bool differentiable = false;
    for (int i = 0; i < n.n_in; i++) {
        const char *text = partials[op][i];
        if (!*text || !tape_is_active(rt, in[i].arr)) continue;
        differentiable = true;
        for (int k = 0; k < 3; k++)
            if (mentions(text, (char)('a' + k))) n.keep_in |= 1u << k;
        if (mentions(text, 'r')) n.keep_out = 1;
    }
    const bool real_or_complex =
        dtype_is_float((gpa_dtype)out->dtype) || dtype_is_complex((gpa_dtype)out->dtype);
    n.constant = !differentiable || !real_or_complex;
    return tape_note(rt, &n, e);
}

/* The axis of an array of `ndim` dimensions along which an index array counts 0, 1, ... n - 1; -1
 * if it does something else. */
static int counts_along(gpa_rt *rt, gpa_arr *index, int64_t n, int ndim) {
    int axis = -1, several = 0;
    for (int d = 0; d < index->ndim; d++)
        if (index->shape[d] > 1) axis = d, several++;
    if (several != 1 || index->shape[axis] != n || !arr_is_pending(index)) return -1;
    node *at;
    if (arr_node(rt, index, &at, &(gpa_err){0})) return -1;
    const node *iota = at->kind == NODE_CAST ? at->in[0] : at;
    const bool counts = iota->kind == NODE_IOTA && iota->ndim == index->ndim &&
                        iota->map[axis] == 1 && iota->map[iota->ndim] == 0;
    node_release(rt, at);
    return counts ? ndim - index->ndim + axis : -1;
}

/* The axis of `a` along which one element of each row is read: the other indices count along axes
 * of the result, in order. -1: something else is read. */
static int selecting_axis(gpa_rt *rt, const gpa_indices *ix, const gpa_arr *a, const gpa_arr *out) {
    int found = -1, last = -1;
    int64_t rows = 1;
    if (!ix || ix->n != a->ndim) return -1;
    for (int k = 0; k < a->ndim; k++) {
        if (ix->items[k].kind != IX_ARRAY || ix->items[k].arr->dtype == DT_BOOL) return -1;
        const int axis = counts_along(rt, ix->items[k].arr, a->shape[k], out->ndim);
        if (axis < 0 && found >= 0) return -1;
        if (axis < 0) {
            found = k;
        } else {
            if (axis <= last) return -1;
            last = axis;
            rows *= a->shape[k];
        }
    }
    return rows == out->size ? found : -1;
}

gpa_code tape_note_index(gpa_rt *rt, const tape_indexing *x, gpa_arr *a, gpa_arr *out, gpa_err *e) {
    const bool on = tape_is_on(rt) && tape_is_active(rt, a) && !x->value;
    const int64_t axis = on ? selecting_axis(rt, x->indices, a, out) : -1;
    gpa_opnd in[1 + GPA_MAX_DIMS] = {x->value ? *x->value : (gpa_opnd){.arr = a}};
    tape_entry n = {.rule = x->rule,
                    .in = in,
                    .out = &out,
                    .n_in = 1,
                    .n_out = 1,
                    .keep_in = axis < 0 ? ~1u : 2u << axis,
                    .ints = &axis,
                    .n_ints = axis >= 0,
                    .stores = x->value != NULL,
                    .index = x->indices ? x->indices->items : NULL,
                    .n_index = x->indices ? x->indices->n : 0};
    for (int i = 0; i < n.n_index && n.n_in <= GPA_MAX_DIMS; i++)
        if (n.index[i].kind == IX_ARRAY) in[n.n_in++].arr = n.index[i].arr;
    return tape_note(rt, &n, e);
}

/* ---- collecting ---- */

bool tape_collect(gpa_rt *rt) {
    for (const struct gpa_tape *t = rt->tape; t; t = t->outer)
        if (t->mapped || t->collects) return false;
    for (struct gpa_tape *t = rt->tape; t; t = t->outer) t->collects = true;
    return rt->tape;
}

/* True if a tape within t has collected the storage, too. */
static bool is_collected_within(const gpa_rt *rt, const struct gpa_tape *t, uint64_t number) {
    for (const struct gpa_tape *inner = rt->tape; inner != t; inner = inner->outer) {
        const tape_storage *s = find(inner, number);
        if (s && s->collected) return true;
    }
    return false;
}

static void end_collecting(gpa_rt *rt, struct gpa_tape *t) {
    for (size_t i = 0; i < t->cap; i++) {
        tape_storage *s = &t->slot[i];
        s->active = s->active && !s->local;
        s->local = s->collected = false;
    }
    while (t->n_read) arr_release(rt, t->read[--t->n_read]);
    t->collects = false;
}

gpa_code tape_collected(gpa_rt *rt, gpa_code (*each)(void *user, gpa_arr *a), void *user) {
    gpa_code rc = GPA_OK;
    for (struct gpa_tape *t = rt->tape; t; t = t->outer)
        for (size_t i = 0; i < t->n_read && !rc; i++)
            if (!is_collected_within(rt, t, t->read[i]->storage->number))
                rc = each(user, t->read[i]);
    for (struct gpa_tape *t = rt->tape; t; t = t->outer) end_collecting(rt, t);
    return rc;
}

/* ---- records of replayed iterations ---- */

bool tape_is_replayable(const gpa_rt *rt) {
    const struct gpa_tape *t = rt->tape;
    return !t || (!t->outer && !t->mapped && !t->paused && !t->collects && !rt->tape_paused);
}

const tape_record *tape_last(const gpa_rt *rt) { return rt->tape ? rt->tape->last : NULL; }

bool tape_storage_is_active(const gpa_rt *rt, uint64_t number) {
    const tape_storage *s = find(rt->tape, number);
    return s && s->active;
}

bool tape_add_storage(gpa_rt *rt, uint64_t number, bool active) {
    tape_storage *s = enter_number(rt->tape, number);
    if (s) s->active = active;
    return s;
}

tape_record *tape_copy_record(const tape_record *r) {
    const size_t operands = (size_t)r->n_in + (size_t)r->n_out;
    size_t dims = 0;
    for (size_t i = 0; i < operands; i++) dims += (size_t)r->operand[i].ndim;
    const size_t bytes = sizeof *r + operands * sizeof *r->operand +
                         (size_t)r->n_index * sizeof *r->index +
                         ((size_t)r->n_ints + 2 * dims) * sizeof(int64_t);
    tape_record *copy = mem_new(bytes);
    if (!copy) return NULL;
    memcpy(copy, r, bytes);
    copy->index = (gpa_index *)(copy->operand + operands);
    copy->ints = (int64_t *)(copy->index + r->n_index);
    int64_t *layout = copy->ints + r->n_ints;
    for (size_t i = 0; i < operands; i++) {
        copy->operand[i].value = NULL;
        copy->operand[i].layout = layout;
        layout += 2 * copy->operand[i].ndim;
    }
    return copy;
}

void tape_append_take(gpa_rt *rt, tape_record *r, gpa_arr *const *value) {
    struct gpa_tape *t = rt->tape;
    for (int i = 0; i < r->n_in + r->n_out; i++) {
        if (!value[i]) continue;
        keep(t, value[i], &r->operand[i]);
        arr_release(rt, value[i]);
    }
    r->before = t->last;
    t->last = r;
}

/* ---- functions with a gradient of their own, vmap ---- */

void tape_pause(gpa_rt *rt, bool pause, bool mapped) {
    for (struct gpa_tape *t = rt->tape; t; t = t->outer)
        if (mapped || !t->mapped) t->paused += pause ? 1 : -1;
}

gpa_code tape_note_call(gpa_rt *rt, const tape_call *call, gpa_err *e) {
    gpa_opnd *operands = mem_zero((size_t)(call->n_in + 1) * sizeof *operands);
    if (!operands) return gpa_no_memory(e);
    for (int i = 0; i < call->n_in; i++) operands[i].arr = call->in[i];
    gpa_code rc = tape_note(rt,
                            &(tape_entry){.rule = "call",
                                          .in = operands,
                                          .out = call->out,
                                          .n_in = call->n_in,
                                          .n_out = call->n_out,
                                          .ints = &call->number,
                                          .n_ints = 1},
                            e);
    mem_free(operands);
    return rc;
}

void tape_note_edge(gpa_rt *rt) {
    for (struct gpa_tape *t = rt->tape_paused ? NULL : rt->tape; t; t = t->outer)
        if (t->last) t->last->ends_iteration = true;
}

gpa_code tape_refuse(gpa_rt *rt, const char *function, gpa_arr *const *in, int n, gpa_err *e) {
    for (int i = 0; i < n && tape_is_on(rt); i++)
        if (tape_is_mapped(rt, in[i]))
            return gpa_fail(e, GPA_E_UNSUPPORTED, "%s has no batching rule", function);
    for (int i = 0; i < n && tape_is_on(rt); i++)
        if (tape_is_active(rt, in[i]))
            return gpa_fail(e, GPA_E_UNSUPPORTED,
                            "%s has no derivative; give it one with autograd's primitive and "
                            "defvjp or jax.custom_vjp",
                            function);
    return GPA_OK;
}

/* Writes the type of an array as JAX writes it: float32[3,4]. */
static const char *short_type(const gpa_arr *a, char *to, size_t size) {
    size_t n = (size_t)snprintf(to, size, "%s[", dtype_info[a->dtype].name);
    for (int d = 0; d < a->ndim && n < size; d++)
        n += (size_t)snprintf(to + n, size - n, d ? ",%lld" : "%lld", (long long)a->shape[d]);
    if (n + 1 < size) memcpy(to + n, "]", 2);
    return to;
}

gpa_code tape_concrete(gpa_rt *rt, gpa_arr *a, gpa_err *e) {
    char type[256];
    if (!tape_is_on(rt) || !tape_is_mapped(rt, a)) return GPA_OK;
    return gpa_fail(e, GPA_E_TYPE,
                    "Abstract tracer value encountered where concrete value is expected: traced "
                    "array with shape %s",
                    short_type(a, type, sizeof type));
}

gpa_code tape_concrete_masks(gpa_rt *rt, const gpa_indices *ix, gpa_err *e) {
    char type[256];
    for (int i = 0; i < ix->n && tape_is_on(rt); i++) {
        const gpa_index *x = &ix->items[i];
        if (x->kind == IX_ARRAY && x->arr->dtype == DT_BOOL && tape_is_mapped(rt, x->arr))
            return gpa_fail(e, GPA_E_INDEX, "Array boolean indices must be concrete; got %s",
                            short_type(x->arr, type, sizeof type));
    }
    return GPA_OK;
}

/* ---- stores ---- */

/* The bytes of the storage that an array touches: [*first, *end). */
static void find_bytes(const gpa_arr *a, int64_t *first, int64_t *end) {
    const int64_t item = (int64_t)dtype_size((gpa_dtype)a->dtype);
    shape_byte_range(&(shape_layout){a->ndim, a->shape, a->strides, a->offset, item}, first, end);
}

static bool keeps_within(const tape_operand *o, const gpa_arr *a) {
    int64_t first, end, kept_first, kept_end;
    find_bytes(a, &first, &end);
    find_bytes(o->value, &kept_first, &kept_end);
    return kept_first < end && kept_end > first;
}

/* Copies the range of the storage of `a` that holds the values which operands keep in the bytes
 * that `a` touches. *from: its first byte. *copy NULL: there are none. */
static gpa_code copy_kept(gpa_rt *rt, const tape_storage *s, gpa_arr *a, gpa_arr **copy,
                          int64_t *from, gpa_err *e) {
    const int64_t item = (int64_t)dtype_size((gpa_dtype)a->storage->dtype);
    int64_t first, end, to = -1;
    gpa_arr *all = NULL, *part = NULL;
    gpa_code rc = GPA_OK;
    *from = INT64_MAX;
    for (const tape_operand *o = s->kept; o; o = o->next) {
        if (!keeps_within(o, a)) continue;
        find_bytes(o->value, &first, &end);
        *from = MIN(*from, first);
        to = MAX(to, end);
    }
    if (to < 0) return GPA_OK;
    *from -= *from % (int64_t)sizeof(gpa_val); /* a whole number of elements of each dtype */
    const int64_t n = (to - *from + item - 1) / item, step = 1;
    TRY(whole_storage(rt, a, &all, e));
    TRY(arr_view(rt, all, &(arr_layout){(gpa_dtype)all->dtype, 1, &n, &step, *from / item}, &part,
                 e));
    rc = arr_copy(rt, part, copy, e);
out:
    arr_release(rt, part);
    arr_release(rt, all);
    return rc;
}

/* Moves the values that operands keep in the bytes of the storage that `a` touches to a copy. */
static gpa_code move_kept(gpa_rt *rt, tape_storage *s, gpa_arr *a, gpa_err *e) {
    gpa_arr *copy = NULL;
    int64_t from;
    gpa_code rc = copy_kept(rt, s, a, &copy, &from, e);
    for (tape_operand **at = &s->kept; *at && copy && !rc;) {
        tape_operand *o = *at;
        const gpa_arr *v = o->value;
        const int64_t skipped = from / (int64_t)dtype_size((gpa_dtype)v->dtype);
        const arr_layout l = {(gpa_dtype)v->dtype, v->ndim, v->shape, v->strides,
                              v->offset - skipped};
        gpa_arr *moved;
        if (!keeps_within(o, a)) {
            at = &o->next;
            continue;
        }
        TRY(arr_handle(rt, copy->storage, &l, NULL, &moved, e));
        arr_release(rt, o->value);
        o->value = moved;
        *at = o->next;
    }
out:
    arr_release(rt, copy);
    return rc;
}

/* Records the elements of the storage of `a`, which is not active, on one tape. */
static gpa_code note_initial(gpa_rt *rt, struct gpa_tape *t, gpa_arr *a, gpa_err *e) {
    struct gpa_tape *const innermost = rt->tape;
    gpa_arr *all = NULL, *copy = NULL;
    gpa_code rc = GPA_OK;
    TRY(whole_storage(rt, a, &all, e));
    rt->tape = t->outer;
    rc = arr_copy(rt, all, &copy, e);
    rt->tape = innermost;
    if (rc) goto out;
    tape_storage *s = enter(rt, t, a->storage);
    if (!s) TRY(gpa_no_memory(e));
    s->active = true;
    const gpa_opnd in = {.arr = copy};
    rc = record(
        rt, t,
        &(tape_entry){
            .rule = "initial", .in = &in, .out = &all, .n_in = 1, .n_out = 1, .stores = true},
        e);
out:
    arr_release(rt, all);
    arr_release(rt, copy);
    return rc;
}

gpa_code tape_before_assign(gpa_rt *rt, gpa_arr *a, const gpa_indices *ix, const gpa_opnd *rhs,
                            gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (struct gpa_tape *t = tape_is_on(rt) ? rt->tape : NULL; t && !rc; t = t->outer) {
        bool active = t->mapped && rhs && is_active(t, rhs->arr);
        for (int i = 0; t->mapped && ix && i < ix->n; i++)
            active |= ix->items[i].kind == IX_ARRAY && is_active(t, ix->items[i].arr);
        if (active && !is_active(t, a)) rc = note_initial(rt, t, a, e);
    }
    return rc;
}

gpa_code tape_before_store(gpa_rt *rt, gpa_arr *a, gpa_err *e) {
    struct gpa_tape *const innermost = rt->tape;
    const int paused = rt->tape_paused;
    gpa_code rc = GPA_OK;
    rt->tape_paused =
        0; /* what a tape's rules compute from the copy concerns the tapes around it */
    for (struct gpa_tape *t = innermost; t && !rc; t = t->outer) {
        tape_storage *s = find(t, a->storage->number);
        rt->tape = t->outer;
        if (s && s->kept) rc = move_kept(rt, s, a, e);
    }
    rt->tape = innermost;
    rt->tape_paused = paused;
    return rc;
}

/* ---- %explain ---- */

void tape_explain(gpa_rt *rt, const tape_record *last) {
    struct gpa_tape seen = {.cap = 0}; /* storages, by address */
    explain_tape x = {.tape = last};
    for (const tape_record *r = rt->explain ? last : NULL; r; r = r->before, x.records++)
        for (int i = 0; i < r->n_in + r->n_out; i++) {
            const gpa_storage *s = r->operand[i].value ? r->operand[i].value->storage : NULL;
            tape_storage *at = s && s->buf ? enter_number(&seen, (uint64_t)(uintptr_t)s) : NULL;
            if (at && !at->active) x.bytes += s->buf->bytes;
            if (at) at->active = true;
        }
    if (last) explain_kept(rt, &x);
    mem_free(seen.slot);
}

/* ---- opening and closing ---- */

gpa_code tape_open(gpa_rt *rt, gpa_arr *const *watched, int n, bool mapped, gpa_err *e) {
    struct gpa_tape *t = mem_zero(sizeof *t);
    if (!t) return gpa_no_memory(e);
    t->mapped = mapped;
    for (int i = 0; i < n; i++) {
        tape_storage *s = enter(rt, t, watched[i]->storage);
        if (!s) {
            mem_free(t->slot);
            mem_free(t);
            return gpa_no_memory(e);
        }
        s->active = true;
    }
    t->outer = rt->tape;
    rt->tape = t;
    return GPA_OK;
}

/* The records of a tape, which has none any more. */
static tape_record *take_records(struct gpa_tape *t) {
    tape_record *last = t->last;
    t->last = NULL;
    for (size_t i = 0; i < t->cap; i++) t->slot[i].kept = NULL;
    return last;
}

tape_record *tape_drain(gpa_rt *rt, int level) {
    struct gpa_tape *t = rt->tape;
    while (t && (!t->mapped || level-- > 0)) t = t->outer;
    return t ? take_records(t) : NULL;
}

tape_record *tape_close(gpa_rt *rt) {
    struct gpa_tape *t = rt->tape;
    tape_record *last = take_records(t);
    rt->tape = t->outer;
    mem_free(t->read);
    mem_free(t->slot);
    mem_free(t);
    return last;
}

void tape_free(gpa_rt *rt, tape_record *last) {
    while (last) {
        tape_record *r = last;
        last = r->before;
        free_record(rt, r);
    }
}
