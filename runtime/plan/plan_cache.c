/* A table of plans with one place for each hash: a plan that meets another one in its place takes
 * it.
 *
 * Invariants: a description holds every word that fuse, lower and layout look at, but for the
 * numbers' values and the addresses; nodes, memory and numbers are named in it by their order of
 * first meeting, so that the n-th of one graph stands where the n-th of another one did. Places in
 * a memory count from the first one met in it: only their distance decides what may be done, so a
 * loop over rows has one plan. Bodies are named by address: a plan holds those it names.
 *
 * Reading order: describing a graph, finding, lowering, noting and keeping. */
#include "runtime/plan/plan_cache.h"

#include "runtime/exec/rt.h"

enum {
    PLACES = 512,     /* plans, a power of two */
    MOST_NODES = 256, /* of a graph that is remembered */
};

/* Where a launch's memory comes from. */
typedef enum { FROM_NOWHERE, FROM_LEAF, FROM_ROOT, FRESH } source;

typedef struct {
    uint8_t from;
    uint8_t item;  /* bytes of an element */
    int32_t which; /* LEAF: the graph's n-th memory.  ROOT: the value of this root, stored before.
                      FRESH: this root's */
    int64_t offset, stride[KIR_MAX_DIMS]; /* LEAF: the offset counts from the memory's base */
} operand;

typedef struct {
    program_cache_entry *program; /* NULL: nothing to run */
    int32_t step;
    uint32_t operands, n_operands, numbers, n_numbers; /* its parts of the plan's rows */
    int64_t size[KIR_MAX_DIMS];
    uint64_t bytes_read, bytes_written, stored;
} action;

/* A root: its step; `node`: for those that fusion added, the graph's n-th node, which is its value.
 */
typedef struct {
    int32_t step, node;
} root;

/* Parts of a plan, while it is made and once it is kept. */
typedef struct {
    action *actions;
    operand *operands;
    uint16_t *numbers; /* parameters: the graph's n-th number */
    root *roots;
    size_t n_actions, n_operands, n_numbers, n_roots;
} parts;

typedef struct {
    uint64_t hash;
    uint64_t *words; /* the description */
    gpa_body **bodies;
    size_t n_words, n_bodies;
    parts p;
} plan;

struct memo {
    plan *place[PLACES];
    const plan *found;
    /* The graph at hand. */
    uint64_t *words, hash;
    size_t n_words, cap_words, n_asked, n_nodes, n_bufs, n_numbers, n_bodies;
    node *nodes[MOST_NODES];
    gpa_buf *bufs[MOST_NODES];
    int64_t base[MOST_NODES]; /* of each memory: the place met first, in bytes */
    bool given[MOST_NODES];   /* per root asked for: its value was a leaf from the start */
    const node *number_at[MOST_NODES];
    gpa_val numbers[MOST_NODES]; /* copied: a node may be gone when its step has run */
    gpa_body
        *bodies[MOST_NODES]; /* retained: the last node of one may be gone when its step has run */
    bool fits;               /* it can be remembered */
    /* The plan being made. */
    parts made;
    size_t cap_actions, cap_operands, cap_numbers, cap_roots;
};

memo *memo_new(void) { return mem_zero(sizeof(memo)); }

static void free_plan(plan *x) {
    if (!x) return;
    for (size_t i = 0; i < x->n_bodies; i++) body_release(x->bodies[i]);
    for (size_t i = 0; i < x->p.n_actions; i++) program_release(x->p.actions[i].program);
    mem_free(x);
}

static void forget_bodies(memo *m) {
    for (size_t i = 0; i < m->n_bodies; i++) body_release(m->bodies[i]);
    m->n_bodies = 0;
}

/* Gives up the plan being made. */
static void forget_made(memo *m) {
    for (size_t i = 0; i < m->made.n_actions; i++) program_release(m->made.actions[i].program);
    m->made.n_actions = m->made.n_operands = m->made.n_numbers = m->made.n_roots = 0;
}

void memo_free(memo *m) {
    if (!m) return;
    forget_bodies(m);
    forget_made(m);
    for (size_t i = 0; i < PLACES; i++) free_plan(m->place[i]);
    mem_free(m->words);
    mem_free(m->made.actions);
    mem_free(m->made.operands);
    mem_free(m->made.numbers);
    mem_free(m->made.roots);
    mem_free(m);
}

/* ---- describing a graph ---- */

static bool reserve(memo *m, size_t n) {
    if (m->n_words + n <= m->cap_words) return true;
    size_t cap = MAX(2 * m->cap_words, m->n_words + n + 256);
    uint64_t *words = mem_resize(m->words, cap * sizeof *words);
    if (!words) return false;
    m->words = words;
    m->cap_words = cap;
    return true;
}

static void put(memo *m, uint64_t word) { m->words[m->n_words++] = word; }

static void put_all(memo *m, const int64_t *v, size_t n) {
    memcpy(m->words + m->n_words, v, n * sizeof *v);
    m->n_words += n;
}

/* The number of a memory in this graph; n_bufs: it is not in it. */
static size_t memory_number(const memo *m, const gpa_buf *b) {
    size_t i = 0;
    while (i < m->n_bufs && m->bufs[i] != b) i++;
    return i;
}

static size_t body_number(memo *m, gpa_body *b) {
    size_t i = 0;
    while (i < m->n_bodies && m->bodies[i] != b) i++;
    if (i == m->n_bodies) m->bodies[m->n_bodies++] = body_retain(b);
    return i;
}

/* A place in memory; `offset` in elements of type t. */
static bool put_place(memo *m, const gpa_device *d, gpa_buf *b, gpa_dtype t, int64_t offset) {
    size_t i = memory_number(m, b);
    int64_t at = offset * (int64_t)dtype_size(t);
    if (b->device != d || i == MOST_NODES) return false;
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

/* What tells this node from others, its inputs (which have numbers already) included. Elementwise
 * nodes and running sums have the shape of their inputs. */
static bool put_node(memo *m, const gpa_device *d, const node *n) {
    if (m->n_nodes == MOST_NODES || !reserve(m, 5u + n->ndim + n->n_in + n->map_len)) return false;
    bool named = n->owner && !node_is_leaf(n),
         own_shape = !node_is_elementwise(n) && n->kind != NODE_SCAN;
    put(m, (uint64_t)n->kind | (uint64_t)n->dtype << 8 | (uint64_t)n->ndim << 16 |
               (uint64_t)n->n_in << 24 | (uint64_t)n->sub << 32 | (uint64_t)named << 48);
    for (int i = 0; i < n->n_in; i += 2)
        put(m,
            (uint64_t)n->in[i]->slot | (i + 1 < n->n_in ? (uint64_t)n->in[i + 1]->slot << 32 : 0));
    if (own_shape) put_all(m, n->shape, n->ndim);
    switch ((node_kind)n->kind) {
        case NODE_SCALAR:
            m->number_at[m->n_numbers] = n;
            m->numbers[m->n_numbers++] = n->v;
            return true;
        case NODE_BUF:
            put_all(m, n->map, n->ndim);
            return put_place(m, d, n->buf, (gpa_dtype)n->dtype, n->map[n->ndim]);
        case NODE_IOTA:
        case NODE_VIEW: put_all(m, n->map, n->map_len); return true;
        case NODE_REDUCE: put(m, n->axes); return true;
        case NODE_BODY:
            put(m, (uint64_t)(uintptr_t)m->bodies[body_number(m, n->body)]);
            return true;
        case NODE_OP:
        case NODE_CAST:
        case NODE_SCAN: return true;
        case NODE_GATHER: /* it may fault */
        case NODE_KINDS: break;
    }
    return false;
}

static bool describe(memo *m, gpa_rt *rt, const gpa_device *d, node *n) {
    if (n->mark == rt->nodes.mark) return true;
    for (int i = 0; i < n->n_in; i++)
        if (!describe(m, rt, d, n->in[i])) return false;
    if (!put_node(m, d, n)) return false;
    n->mark = rt->nodes.mark;
    n->slot = (int32_t)m->n_nodes;
    m->nodes[m->n_nodes++] = n;
    return true;
}

static bool describe_root(memo *m, gpa_rt *rt, const gpa_device *d, const fuse_root *r) {
    const gpa_arr *to = r->into;
    if (r->index || !describe(m, rt, d, r->value) || (r->mask && !describe(m, rt, d, r->mask)))
        return false;
    if (!reserve(m, 6u + (to ? to->ndim : 0))) return false;
    put(m, (uint64_t)r->value->slot | (uint64_t)(r->mask ? r->mask->slot + 1 : 0) << 32);
    put(m, to ? 1u + to->dtype : 0);
    if (!to) return true;
    put_all(m, to->strides, to->ndim);
    return put_place(m, d, to->storage->buf, (gpa_dtype)to->dtype, to->offset);
}

/* ---- finding ---- */

static bool describe_all(memo *m, gpa_rt *rt, const gpa_device *d, const gpa_caps *caps,
                         const fuse_plan *p) {
    m->n_words = m->n_nodes = m->n_bufs = m->n_numbers = 0;
    forget_bodies(m);
    m->n_asked = p->n_root;
    if (p->n_root > MOST_NODES || !reserve(m, 4)) return false;
    put(m, (uint64_t)(uintptr_t)d);
    put(m, d->epoch);
    put(m, (uint64_t)caps->max_arrays | (uint64_t)caps->max_params << 32);
    put(m, p->n_root);
    rt->nodes.mark++;
    for (size_t i = 0; i < p->n_root; i++) {
        if (!describe_root(m, rt, d, &p->root[i])) return false;
        m->given[i] = node_is_leaf(p->root[i].value);
    }
    return true;
}

/* The roots and the order of the plan that was found. False: no memory for them. */
static bool restore(const memo *m, fuse_plan *p) {
    const parts *x = &m->found->p;
    for (size_t i = 0; i < x->n_roots; i++) {
        if (i >= p->n_root) {
            if (!mem_room(&p->root, p->n_root, &p->cap_root, sizeof *p->root)) return false;
            node *n = m->nodes[x->roots[i].node];
            p->root[p->n_root++] = (fuse_root){.value = n, .storage = n->owner};
        }
        p->root[i].step = x->roots[i].step;
    }
    for (p->n_order = 0; p->n_order < x->n_actions; p->n_order++) {
        if (!mem_room(&p->order, p->n_order, &p->cap_order, sizeof *p->order)) return false;
        p->order[p->n_order] = x->actions[p->n_order].step;
    }
    return true;
}

bool memo_find(memo *m, gpa_rt *rt, const gpa_device *d, const gpa_caps *caps, fuse_plan *p) {
    if (!m) return false;
    size_t asked = p->n_root;
    m->found = NULL;
    forget_made(m);
    if (!(m->fits = describe_all(m, rt, d, caps, p))) return false;
    m->hash = hash_words(m->words, m->n_words, 0);
    const plan *x = m->place[m->hash & (PLACES - 1)];
    if (!x || x->hash != m->hash || x->n_words != m->n_words ||
        memcmp(x->words, m->words, m->n_words * sizeof *m->words) != 0)
        return false;
    m->found = x;
    if (restore(m, p)) return true;
    p->n_root = asked;
    m->found = NULL;
    m->fits = false;
    return false;
}

/* ---- lowering ---- */

void memo_lower(const memo *m, const fuse_plan *p, size_t i, lowered *l,
                program_cache_entry **program) {
    const action *a = &m->found->p.actions[i];
    const operand *o = m->found->p.operands + a->operands;
    const uint16_t *number = m->found->p.numbers + a->numbers;
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
    for (size_t k = 0; k < a->n_numbers; k++) l->params[k] = m->numbers[number[k]];
    memcpy(l->size, a->size, sizeof l->size);
    l->n_loops = 0;
    l->bytes_read = a->bytes_read;
    l->bytes_written = a->bytes_written;
    l->stored = a->stored;
    l->empty = !a->program;
    l->hazard = l->faults = false;
    *program = a->program;
}

/* ---- noting and keeping ---- */

/* Where a launch's k-th memory comes from. What a root stored before may lie in memory that was a
 * leaf's earlier on. */
static bool note_operand(const memo *m, const fuse_plan *p, const lowered *l, size_t k,
                         operand *o) {
    *o = (operand){.from = FROM_NOWHERE,
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
        if (p->root[r].value->buf != l->buf[k] || (r < m->n_asked && m->given[r])) continue;
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

static bool note_number(memo *m, const node *n) {
    size_t i = 0;
    while (i < m->n_numbers && m->number_at[i] != n) i++;
    if (i == m->n_numbers ||
        !mem_room(&m->made.numbers, m->made.n_numbers, &m->cap_numbers, sizeof *m->made.numbers))
        return false;
    m->made.numbers[m->made.n_numbers++] = (uint16_t)i;
    return true;
}

static bool note(memo *m, const fuse_plan *p, size_t i, const lowered *l,
                 program_cache_entry *program) {
    parts *x = &m->made;
    if (l->faults || l->hazard || l->n_loops ||
        !mem_room(&x->actions, x->n_actions, &m->cap_actions, sizeof *x->actions))
        return false;
    action *a = &x->actions[x->n_actions++];
    *a = (action){.program = program_retain(program),
                  .step = p->order[i],
                  .operands = (uint32_t)x->n_operands,
                  .n_operands = (uint32_t)l->n_arrays,
                  .numbers = (uint32_t)x->n_numbers,
                  .n_numbers = (uint32_t)l->f->n_params,
                  .bytes_read = l->bytes_read,
                  .bytes_written = l->bytes_written,
                  .stored = l->stored};
    memcpy(a->size, l->size, sizeof a->size);
    for (size_t k = 0; k < l->n_arrays; k++) {
        if (!mem_room(&x->operands, x->n_operands, &m->cap_operands, sizeof *x->operands))
            return false;
        if (!note_operand(m, p, l, k, &x->operands[x->n_operands++])) return false;
    }
    for (size_t k = 0; k < l->f->n_params; k++)
        if (!note_number(m, l->number[k])) return false;
    return true;
}

void memo_note(memo *m, const fuse_plan *p, size_t i, const lowered *l,
               program_cache_entry *program) {
    if (m && m->fits) m->fits = note(m, p, i, l, program);
}

/* The roots' steps, and which nodes fusion made roots of. */
static bool note_roots(memo *m, const fuse_plan *p) {
    for (size_t i = 0; i < p->n_root; i++) {
        if (!mem_room(&m->made.roots, i, &m->cap_roots, sizeof *m->made.roots)) return false;
        int32_t k = 0;
        while ((size_t)k < m->n_nodes && m->nodes[k] != p->root[i].value) k++;
        if ((size_t)k == m->n_nodes) return false;
        m->made.roots[m->made.n_roots++] = (root){p->root[i].step, k};
    }
    return true;
}

/* A part of the plan's one block of memory: n items behind those that are there already. */
static void *part(char **at, const void *from, size_t n, size_t size) {
    void *to = *at;
    if (n) memcpy(to, from, n * size);
    *at += (n * size + 15) / 16 * 16;
    return to;
}

void memo_keep(memo *m, const fuse_plan *p) {
    if (!m || !m->fits || !note_roots(m, p)) return;
    const parts *x = &m->made;
    size_t bytes = sizeof(plan) + m->n_words * sizeof *m->words + m->n_bodies * sizeof *m->bodies +
                   x->n_actions * sizeof *x->actions + x->n_operands * sizeof *x->operands +
                   x->n_numbers * sizeof *x->numbers + x->n_roots * sizeof *x->roots + 7 * 16;
    plan *made = mem_new(bytes);
    if (!made) return;
    char *at = (char *)made + (sizeof *made + 15) / 16 * 16;
    *made = (plan){.hash = m->hash, .n_words = m->n_words, .n_bodies = m->n_bodies, .p = *x};
    made->words = part(&at, m->words, m->n_words, sizeof *m->words);
    made->bodies = part(&at, m->bodies, m->n_bodies, sizeof *m->bodies);
    made->p.actions = part(&at, x->actions, x->n_actions, sizeof *x->actions);
    made->p.operands = part(&at, x->operands, x->n_operands, sizeof *x->operands);
    made->p.numbers = part(&at, x->numbers, x->n_numbers, sizeof *x->numbers);
    made->p.roots = part(&at, x->roots, x->n_roots, sizeof *x->roots);
    for (size_t i = 0; i < made->n_bodies; i++) body_retain(made->bodies[i]);
    for (size_t i = 0; i < x->n_actions; i++) program_retain(x->actions[i].program);
    plan **place = &m->place[m->hash & (PLACES - 1)];
    free_plan(*place);
    *place = made;
}
