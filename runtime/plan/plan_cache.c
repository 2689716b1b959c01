/* Plan cache: a two-way set-associative table by the hash of the key; a new plan evicts the older
 * one of its set.
 *
 * Invariants: a key holds everything that fuse, lower and layout depend on, except values of
 * scalars and addresses; nodes, buffers and scalars are numbered by first visit, so that the n-th
 * of one graph corresponds to the n-th of another with an equal key. Offsets into a buffer are
 * relative to the first one visited: only their distance matters, so a loop over rows has one plan.
 * Bodies are identified by address: a plan retains those in its key.
 *
 * Reading order: the key, lookup, hits, recording and insertion. */
#include "runtime/plan/plan_cache.h"

#include "runtime/graph/state.h"

enum {
    SLOTS = 512,      /* of the table, a power of two */
    MAX_NODES = 4096, /* of a graph that is cached */
};

/* The low byte of a record's first word is a node's kind, or one of these. The word also holds all
 * lengths of the record, so no two graphs have the same words. */
enum { ROOT_WORD = 0xfe, STORE_WORD = 0xff };
_Static_assert((int)NODE_KINDS <= ROOT_WORD, "a node's kind is told apart from a root");
_Static_assert(GPA_MAX_DIMS + GPA_MAX_DIMS * GPA_MAX_DIMS < 1 << 15, "map_len fits in its bits");

/* The memory of a launch's array: none (virtual); a leaf of the graph; a root that an earlier step
 * stored; new memory of a root. */
typedef enum { FROM_NONE, FROM_LEAF, FROM_ROOT, FRESH } source;

typedef struct {
    uint8_t from;
    uint8_t item;  /* bytes of an element */
    int32_t which; /* FROM_LEAF: number of the buffer. FROM_ROOT, FRESH: number of the root */
    int64_t offset,
        stride[KIR_MAX_DIMS]; /* FROM_LEAF: the offset is relative to the buffer's base */
} operand;

typedef struct {
    struct program_cache_entry *program; /* NULL: nothing to run */
    int32_t step;
    uint32_t operands, n_operands, scalars, n_scalars; /* ranges of the plan's arrays */
    int64_t size[KIR_MAX_DIMS];
    uint64_t bytes_read, bytes_written, stored;
} action;

/* A root: its step, and the number of its value's node. */
typedef struct {
    int32_t step, node;
} root;

/* A parameter: the number of the graph's scalar, or -1: its value, an extent or a stride, which the
 * description determines. */
typedef struct {
    int32_t which;
    gpa_val v;
} parameter;

/* The contents of a plan, while it is recorded and in the table. */
typedef struct {
    action *actions;
    operand *operands;
    parameter *scalars; /* per parameter */
    root *roots;
    size_t n_actions, n_operands, n_scalars, n_roots;
} plan_parts;

typedef struct {
    uint64_t hash;
    uint64_t *words; /* the key */
    gpa_body **bodies;
    size_t n_words, n_bodies;
    plan_parts p;
} plan;

struct plan_cache {
    plan_programs programs;
    plan *slot[SLOTS];
    const plan *found;
    /* The graph of the last lookup. */
    uint64_t *words, hash;
    size_t n_words, cap_words, n_requested, n_nodes, n_bufs, n_scalars, n_bodies;
    node *nodes[MAX_NODES];
    gpa_buf *bufs[MAX_NODES];
    int64_t base[MAX_NODES]; /* per buffer: the first visited offset, in bytes */
    bool is_leaf[MAX_NODES]; /* per requested root: its value is a leaf of the graph */
    const node *scalar_nodes[MAX_NODES];
    gpa_val scalars[MAX_NODES];  /* copied, since a node may be freed once its step has run */
    gpa_body *bodies[MAX_NODES]; /* retained, since the last node of a body may be freed once its
                                    step has run */
    bool cacheable;              /* it can be cached */
    /* The plan under construction. */
    plan_parts recorded;
    size_t cap_actions, cap_operands, cap_scalars, cap_roots;
};

plan_cache *plan_cache_new(plan_programs programs) {
    plan_cache *m = mem_zero(sizeof *m);
    if (m) m->programs = programs;
    return m;
}

static void free_plan(plan_cache *m, plan *x) {
    if (!x) return;
    for (size_t i = 0; i < x->n_bodies; i++) body_release(x->bodies[i]);
    for (size_t i = 0; i < x->p.n_actions; i++) m->programs.release(x->p.actions[i].program);
    mem_free(x);
}

static void release_bodies(plan_cache *m) {
    for (size_t i = 0; i < m->n_bodies; i++) body_release(m->bodies[i]);
    m->n_bodies = 0;
}

/* Discards the plan under construction. */
static void discard_recorded(plan_cache *m) {
    for (size_t i = 0; i < m->recorded.n_actions; i++)
        m->programs.release(m->recorded.actions[i].program);
    m->recorded.n_actions = m->recorded.n_operands = m->recorded.n_scalars = m->recorded.n_roots =
        0;
}

void plan_cache_free(plan_cache *m) {
    if (!m) return;
    release_bodies(m);
    discard_recorded(m);
    for (size_t i = 0; i < SLOTS; i++) free_plan(m, m->slot[i]);
    mem_free(m->words);
    mem_free(m->recorded.actions);
    mem_free(m->recorded.operands);
    mem_free(m->recorded.scalars);
    mem_free(m->recorded.roots);
    mem_free(m);
}

/* ---- the key ---- */

static bool reserve(plan_cache *m, size_t n) {
    if (m->n_words + n <= m->cap_words) return true;
    size_t cap = MAX(2 * m->cap_words, m->n_words + n + 256);
    uint64_t *words = mem_resize(m->words, cap * sizeof *words);
    if (!words) return false;
    m->words = words;
    m->cap_words = cap;
    return true;
}

static void put(plan_cache *m, uint64_t word) { m->words[m->n_words++] = word; }

static void put_all(plan_cache *m, const int64_t *v, size_t n) {
    memcpy(m->words + m->n_words, v, n * sizeof *v);
    m->n_words += n;
}

/* The number of a buffer in this graph; n_bufs: not in it. */
static size_t memory_number(const plan_cache *m, const gpa_buf *b) {
    size_t i = 0;
    while (i < m->n_bufs && m->bufs[i] != b) i++;
    return i;
}

static size_t body_number(plan_cache *m, gpa_body *b) {
    size_t i = 0;
    while (i < m->n_bodies && m->bodies[i] != b) i++;
    if (i == m->n_bodies) m->bodies[m->n_bodies++] = body_retain(b);
    return i;
}

/* Appends a buffer and an offset, in elements of type t. False: a buffer of another device. */
static bool put_memory(plan_cache *m, const plan_device *d, gpa_buf *b, gpa_dtype t,
                       int64_t offset) {
    size_t i = memory_number(m, b);
    int64_t at = offset * (int64_t)dtype_size(t);
    if (b->device != d->device || i == MAX_NODES) return false;
    if (i == m->n_bufs) {
        m->bufs[i] = b;
        m->base[i] = at;
        m->n_bufs++;
    }
    put(m, i);
    put(m, b->bytes);
    put(m, (uint64_t)(at - m->base[i]));
    return true;
}

/* Appends a node, whose inputs have numbers. Shapes of elementwise nodes and scans follow from
 * their inputs. False: the graph cannot be cached. */
static bool put_node(plan_cache *m, const plan_device *d, const node *n) {
    if (m->n_nodes == MAX_NODES || !reserve(m, 5u + n->ndim + n->n_in + n->map_len)) return false;
    bool named = n->owner && !node_is_leaf(n),
         own_shape = !node_is_elementwise(n) && n->kind != NODE_SCAN;
    put(m, (uint64_t)n->kind | (uint64_t)n->dtype << 8 | (uint64_t)n->ndim << 16 |
               (uint64_t)n->n_in << 24 | (uint64_t)n->sub << 32 | (uint64_t)named << 48 |
               (uint64_t)n->map_len << 49);
    for (int i = 0; i < n->n_in; i += 2)
        put(m,
            (uint64_t)n->in[i]->slot | (i + 1 < n->n_in ? (uint64_t)n->in[i + 1]->slot << 32 : 0));
    if (own_shape) put_all(m, n->shape, n->ndim);
    switch ((node_kind)n->kind) {
        case NODE_SCALAR:
            m->scalar_nodes[m->n_scalars] = n;
            m->scalars[m->n_scalars++] = n->v;
            return true;
        case NODE_BUF:
            put_all(m, n->map, n->ndim);
            return put_memory(m, d, n->buf, (gpa_dtype)n->dtype, n->map[n->ndim]);
        case NODE_IOTA:
        case NODE_VIEW: put_all(m, n->map, n->map_len); return true;
        case NODE_REDUCE: put(m, n->axes); return true;
        case NODE_BODY:
            put(m, (uint64_t)(uintptr_t)m->bodies[body_number(m, n->body)]);
            return true;
        case NODE_OP:
        case NODE_CAST:
        case NODE_CONCAT:
        case NODE_SCAN: return true;
        case NODE_GATHER: put_all(m, n->map, n->map_len); return n->sub; /* others may fault */
        case NODE_PRODUCT:
        case NODE_KINDS: break;
    }
    return false;
}

static bool describe(plan_cache *m, gpa_rt *rt, const plan_device *d, node *n) {
    if (n->mark == rt->nodes.mark) return true;
    for (int i = 0; i < n->n_in; i++)
        if (!describe(m, rt, d, n->in[i])) return false;
    if (!put_node(m, d, n)) return false;
    n->mark = rt->nodes.mark;
    n->slot = (int32_t)m->n_nodes;
    m->nodes[m->n_nodes++] = n;
    return true;
}

static bool describe_root(plan_cache *m, gpa_rt *rt, const plan_device *d, const fuse_root *r) {
    const gpa_arr *to = r->into;
    if (r->index || !describe(m, rt, d, r->value) || (r->mask && !describe(m, rt, d, r->mask)))
        return false;
    if (!reserve(m, 6u + (to ? to->ndim : 0))) return false;
    put(m, to ? STORE_WORD | (uint64_t)to->dtype << 8 | (uint64_t)to->ndim << 16 : ROOT_WORD);
    put(m, (uint64_t)r->value->slot | (uint64_t)(r->mask ? r->mask->slot + 1 : 0) << 32);
    if (!to) return true;
    put_all(m, to->strides, to->ndim);
    return put_memory(m, d, to->storage->buf, (gpa_dtype)to->dtype, to->offset);
}

/* ---- lookup ---- */

static bool describe_all(plan_cache *m, gpa_rt *rt, const plan_device *d, const fuse_plan *p) {
    m->n_words = m->n_nodes = m->n_bufs = m->n_scalars = 0;
    release_bodies(m);
    m->n_requested = p->n_root;
    if (p->n_root > MAX_NODES || !reserve(m, 4)) return false;
    put(m, (uint64_t)(uintptr_t)d->device);
    put(m, d->epoch);
    put(m, (uint64_t)d->caps->max_arrays | (uint64_t)d->caps->max_params << 32);
    put(m, p->n_root);
    rt->nodes.mark++;
    for (size_t i = 0; i < p->n_root; i++) {
        if (!describe_root(m, rt, d, &p->root[i])) return false;
        m->is_leaf[i] = node_is_leaf(p->root[i].value);
    }
    return true;
}

/* Restores the roots and the order of the plan that was found. False: memory is short. */
static bool restore(const plan_cache *m, fuse_plan *p) {
    const plan_parts *x = &m->found->p;
    for (size_t i = 0; i < x->n_roots; i++) {
        if (i >= p->n_root) {
            if (!mem_grow(&p->root, p->n_root, &p->cap_root, sizeof *p->root)) return false;
            node *n = m->nodes[x->roots[i].node];
            p->root[p->n_root++] = (fuse_root){.value = n, .storage = n->owner};
        }
        p->root[i].step = x->roots[i].step;
    }
    for (p->n_order = 0; p->n_order < x->n_actions; p->n_order++) {
        if (!mem_grow(&p->order, p->n_order, &p->cap_order, sizeof *p->order)) return false;
        p->order[p->n_order] = x->actions[p->n_order].step;
    }
    return true;
}

/* The set of a hash: two slots, the newer plan first. */
static plan **set_of(plan_cache *m, uint64_t hash) {
    return &m->slot[(hash & (SLOTS / 2 - 1)) * 2];
}

static bool has_key(const plan *x, const plan_cache *m) {
    return x && x->hash == m->hash && x->n_words == m->n_words &&
           memcmp(x->words, m->words, m->n_words * sizeof *m->words) == 0;
}

bool plan_cache_find(plan_cache *m, gpa_rt *rt, const plan_device *d, fuse_plan *p) {
    if (!m) return false;
    size_t requested = p->n_root;
    m->found = NULL;
    discard_recorded(m);
    if (!(m->cacheable = describe_all(m, rt, d, p))) return false;
    m->hash = hash_words(m->words, m->n_words, 0);
    plan *const *set = set_of(m, m->hash);
    m->found = has_key(set[0], m) ? set[0] : has_key(set[1], m) ? set[1] : NULL;
    if (!m->found) return false;
    if (restore(m, p)) return true;
    p->n_root = requested;
    m->found = NULL;
    m->cacheable = false;
    return false;
}

/* ---- hits ---- */

void plan_cache_lower(const plan_cache *m, const fuse_plan *p, size_t i, lowered *l,
                      struct program_cache_entry **program) {
    const action *a = &m->found->p.actions[i];
    const operand *o = m->found->p.operands + a->operands;
    const parameter *scalar = m->found->p.scalars + a->scalars;
    l->n_arrays = a->n_operands;
    for (size_t k = 0; k < l->n_arrays; k++, o++) {
        gpa_buf *b = o->from == FROM_LEAF   ? m->bufs[o->which]
                     : o->from == FROM_ROOT ? p->root[o->which].value->buf
                                            : NULL;
        l->buf[k] = b;
        l->fresh[k] = o->from == FRESH ? &p->root[o->which] : NULL;
        l->bind[k].mem = b ? b->mem : NULL;
        l->bind[k].offset = o->offset + (o->from == FROM_LEAF ? m->base[o->which] / o->item : 0);
        memcpy(l->bind[k].stride, o->stride, sizeof o->stride);
    }
    for (size_t k = 0; k < a->n_scalars; k++)
        l->params[k] = scalar[k].which < 0 ? scalar[k].v : m->scalars[scalar[k].which];
    memcpy(l->size, a->size, sizeof l->size);
    l->n_loops = 0;
    l->bytes_read = a->bytes_read;
    l->bytes_written = a->bytes_written;
    l->stored = a->stored;
    l->empty = !a->program;
    l->hazard = l->faults = false;
    *program = a->program;
}

/* ---- recording and insertion ---- */

/* Records the source of the memory of a launch's k-th array. Roots come before leaves: a stored
 * root may have taken over the memory of a leaf. */
static bool record_operand(const plan_cache *m, const fuse_plan *p, const lowered *l, size_t k,
                           operand *o) {
    *o = (operand){.from = FROM_NONE,
                   .item = (uint8_t)dtype_size((gpa_dtype)l->f->arrays[k].dtype),
                   .offset = l->bind[k].offset};
    memcpy(o->stride, l->bind[k].stride, sizeof o->stride);
    if (l->fresh[k]) {
        o->from = FRESH;
        o->which = (int32_t)(l->fresh[k] - p->root);
        return true;
    }
    if (!l->buf[k]) return true;
    for (size_t r = 0; r < p->n_root; r++) {
        if (p->root[r].value->buf != l->buf[k] || (r < m->n_requested && m->is_leaf[r])) continue;
        o->from = FROM_ROOT;
        o->which = (int32_t)r;
        return true;
    }
    o->from = FROM_LEAF;
    o->which = (int32_t)memory_number(m, l->buf[k]);
    if ((size_t)o->which == m->n_bufs) return false;
    o->offset -= m->base[o->which] / o->item;
    return true;
}

/* n NULL: the parameter is no scalar of the graph. */
static bool record_scalar(plan_cache *m, const node *n, gpa_val v) {
    size_t i = 0;
    while (n && i < m->n_scalars && m->scalar_nodes[i] != n) i++;
    if ((n && i == m->n_scalars) || !mem_grow(&m->recorded.scalars, m->recorded.n_scalars,
                                              &m->cap_scalars, sizeof *m->recorded.scalars))
        return false;
    m->recorded.scalars[m->recorded.n_scalars++] = (parameter){n ? (int32_t)i : -1, v};
    return true;
}

static bool record_step(plan_cache *m, const fuse_plan *p, size_t i, const lowered *l,
                        struct program_cache_entry *program) {
    plan_parts *x = &m->recorded;
    if (l->faults || l->hazard || l->n_loops ||
        !mem_grow(&x->actions, x->n_actions, &m->cap_actions, sizeof *x->actions))
        return false;
    action *a = &x->actions[x->n_actions++];
    *a = (action){.program = m->programs.retain(program),
                  .step = p->order[i],
                  .operands = (uint32_t)x->n_operands,
                  .n_operands = (uint32_t)l->n_arrays,
                  .scalars = (uint32_t)x->n_scalars,
                  .n_scalars = (uint32_t)l->f->n_params,
                  .bytes_read = l->bytes_read,
                  .bytes_written = l->bytes_written,
                  .stored = l->stored};
    memcpy(a->size, l->size, sizeof a->size);
    for (size_t k = 0; k < l->n_arrays; k++) {
        if (!mem_grow(&x->operands, x->n_operands, &m->cap_operands, sizeof *x->operands))
            return false;
        if (!record_operand(m, p, l, k, &x->operands[x->n_operands++])) return false;
    }
    for (size_t k = 0; k < l->f->n_params; k++)
        if (!record_scalar(m, l->param_node[k], l->params[k])) return false;
    return true;
}

void plan_cache_record(plan_cache *m, const fuse_plan *p, size_t i, const lowered *l,
                       struct program_cache_entry *program) {
    if (m && m->cacheable) m->cacheable = record_step(m, p, i, l, program);
}

/* Records the roots' steps, and the nodes that fusion made roots. */
static bool record_roots(plan_cache *m, const fuse_plan *p) {
    for (size_t i = 0; i < p->n_root; i++) {
        if (!mem_grow(&m->recorded.roots, i, &m->cap_roots, sizeof *m->recorded.roots))
            return false;
        int32_t k = 0;
        while ((size_t)k < m->n_nodes && m->nodes[k] != p->root[i].value) k++;
        if ((size_t)k == m->n_nodes) return false;
        m->recorded.roots[m->recorded.n_roots++] = (root){p->root[i].step, k};
    }
    return true;
}

/* Copies n items to the next aligned address of the plan's single block. */
static void *copy_array(char **at, const void *from, size_t n, size_t size) {
    void *to = *at;
    if (n) memcpy(to, from, n * size);
    *at += (n * size + 15) / 16 * 16;
    return to;
}

void plan_cache_insert(plan_cache *m, const fuse_plan *p) {
    if (!m || !m->cacheable || !record_roots(m, p)) return;
    const plan_parts *x = &m->recorded;
    size_t bytes = sizeof(plan) + m->n_words * sizeof *m->words + m->n_bodies * sizeof *m->bodies +
                   x->n_actions * sizeof *x->actions + x->n_operands * sizeof *x->operands +
                   x->n_scalars * sizeof *x->scalars + x->n_roots * sizeof *x->roots + 7 * 16;
    plan *inserted = mem_new(bytes);
    if (!inserted) return;
    char *at = (char *)inserted + (sizeof *inserted + 15) / 16 * 16;
    *inserted = (plan){.hash = m->hash, .n_words = m->n_words, .n_bodies = m->n_bodies, .p = *x};
    inserted->words = copy_array(&at, m->words, m->n_words, sizeof *m->words);
    inserted->bodies = copy_array(&at, m->bodies, m->n_bodies, sizeof *m->bodies);
    inserted->p.actions = copy_array(&at, x->actions, x->n_actions, sizeof *x->actions);
    inserted->p.operands = copy_array(&at, x->operands, x->n_operands, sizeof *x->operands);
    inserted->p.scalars = copy_array(&at, x->scalars, x->n_scalars, sizeof *x->scalars);
    inserted->p.roots = copy_array(&at, x->roots, x->n_roots, sizeof *x->roots);
    for (size_t i = 0; i < inserted->n_bodies; i++) body_retain(inserted->bodies[i]);
    for (size_t i = 0; i < x->n_actions; i++) m->programs.retain(x->actions[i].program);
    plan **set = set_of(m, m->hash);
    free_plan(m, set[1]);
    set[1] = set[0];
    set[0] = inserted;
}
