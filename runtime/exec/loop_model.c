/* The model of a loop: what three logged iterations have in common.
 *
 * Reading order: the same launches, offsets and sizes, parameters, memory, dead stores,
 * loop_model_make, later executions of a loop. */
#include "runtime/exec/loop_model.h"

enum {
    LARGEST_CHANGING_SIZE = 1 << 24, /* so that no offset outgrows its integer type */
    SMALL_SIZE = 1024,
    SMALL_POINTS = 1 << 17,
    LEAST_ITERATIONS = 8,     /* of a replay that is limited */
    MOST_ITERATIONS = 1 << 20 /* of one whose distances in memory change */
};

/* ---- the same launches ---- */

static bool same_action(const log_action *a, const log_action *b) {
    return a->kind == b->kind && a->program == b->program && a->operand == b->operand &&
           a->n_operands == b->n_operands && a->param == b->param && a->n_params == b->n_params &&
           a->fresh == b->fresh && a->n_fresh == b->n_fresh && a->ndim == b->ndim &&
           a->item == b->item;
}

/* The same but for the memory, whose bindings are compared as operands, and for the sizes of
 * products. */
static bool same_call(const gpa_libcall *a, const gpa_libcall *b) {
    gpa_libcall x = *a, y = *b;
    if (a->kind != b->kind) return false;
    for (int i = 0; i < LIB_OPERANDS; i++) {
        const lib_operand o = lib_operand_of(a, i);
        if (o.access == LIB_ABSENT) continue;
        *lib_operand_binding(&x, &o) = (gpa_binding){.mem = NULL};
        *lib_operand_binding(&y, &o) = (gpa_binding){.mem = NULL};
    }
    loop_call_set_sizes(&x, (int64_t[]){0, 0, 0, 0});
    loop_call_set_sizes(&y, (int64_t[]){0, 0, 0, 0});
    return memcmp(&x, &y, lib_described_bytes(a->kind)) == 0;
}

static bool same_launches(const loop_log *a, const loop_log *b) {
    if (a->n_actions != b->n_actions || a->n_operands != b->n_operands ||
        a->n_params != b->n_params || a->n_fresh != b->n_fresh || a->n_calls != b->n_calls ||
        a->device != b->device)
        return false;
    for (size_t i = 0; i < a->n_calls; i++)
        if (!same_call(&a->calls[i], &b->calls[i])) return false;
    for (size_t i = 0; i < a->n_actions; i++)
        if (!same_action(&a->actions[i], &b->actions[i])) return false;
    for (size_t i = 0; i < a->n_operands; i++)
        if (a->operands[i].name != b->operands[i].name ||
            a->operands[i].stored != b->operands[i].stored ||
            memcmp(a->operands[i].bind.stride, b->operands[i].bind.stride,
                   sizeof a->operands[i].bind.stride) != 0 ||
            memcmp(a->operands[i].bind.size, b->operands[i].bind.size,
                   sizeof a->operands[i].bind.size) != 0)
            return false;
    return memcmp(a->types, b->types, a->n_params) == 0;
}

static bool same_layout(const log_array *a, const log_array *b) {
    return a->dtype == b->dtype && a->ndim == b->ndim && a->readonly == b->readonly &&
           memcmp(a->strides, b->strides, a->ndim * sizeof *a->strides) == 0;
}

static bool same_ends(const loop_iteration *a, const loop_iteration *b) {
    size_t n = a->log.n_start;
    if (n != b->log.n_start || a->n_scalars != b->n_scalars) return false;
    for (size_t i = 0; i < n; i++)
        if (a->name[i] != b->name[i] || a->object[i] != b->object[i] ||
            a->storage[i] != b->storage[i] || a->end[i].base != b->end[i].base ||
            !same_layout(&a->end[i], &b->end[i]))
            return false;
    return true;
}

/* True if arrays i and k share memory, a storage and an object at the start of an iteration exactly
 * if they do at its end: names then stay unambiguous. */
static bool same_sharing(const loop_iteration *x, size_t i, size_t k) {
    const log_array *a = &x->log.start[i], *b = &x->log.start[k];
    return (a->buf == b->buf) == (x->name[i] == x->name[k]) &&
           (a->storage == b->storage) == (x->storage[i] == x->storage[k]) &&
           (a->given.object == b->given.object) == (x->object[i] == x->object[k]) &&
           (x->name[i] == x->name[k]) == (x->storage[i] == x->storage[k]);
}

static bool is_steady(const loop_iteration *x) {
    for (size_t i = 0; i < x->log.n_start; i++)
        for (size_t k = 0; k < i; k++)
            if (!same_sharing(x, i, k)) return false;
    return true;
}

/* True if a replay can make array i of the end: the array that a variable held before, or a new
 * one; a new view only of an array that no iteration replaces. */
static bool may_make(const loop_iteration *x, size_t i) {
    const log_array *a = &x->end[i];
    bool based = !a->base;
    if ((x->storage[i] < 0) != (x->name[i] >= LOG_FRESH)) return false;
    if (!a->given.assigned)
        return x->object[i] >= 0 && x->log.start[x->object[i]].given.object == a->given.object &&
               x->log.start[i].given.object == a->given.object && x->log.start[i].buf == a->buf;
    if (x->object[i] >= 0) return x->storage[i] >= 0 && x->log.start[x->object[i]].buf == a->buf;
    for (size_t k = 0; k < x->log.n_start; k++)
        based = based || (!x->log.start[k].given.assigned && x->log.start[k].given.arr == a->base);
    return based && (x->storage[i] < 0 || x->log.start[x->storage[i]].buf == a->buf);
}

/* ---- offsets and sizes ---- */

static int64_t points_of(const int64_t *size, int ndim) {
    int64_t points = 1;
    for (int d = 0; d < ndim; d++)
        if (__builtin_mul_overflow(points, MAX(size[d], 1), &points)) return INT64_MAX;
    return points;
}

/* The range of a size: by a factor, and for small ones, whose launches cost the same, up to
 * SMALL_SIZE. */
static int64_t largest_size(int64_t now, int64_t points) {
    const bool small = now < SMALL_SIZE && points / now <= SMALL_POINTS / SMALL_SIZE;
    return small ? MAX(now * LOOP_SIZE_RANGE, SMALL_SIZE) : now * LOOP_SIZE_RANGE;
}

static int64_t least_size(int64_t now) { return now <= SMALL_SIZE ? 2 : now / LOOP_SIZE_RANGE; }

static bool constant_step(int64_t a, int64_t b, int64_t c, int64_t *step) {
    return !__builtin_sub_overflow(b, a, step) && c - b == *step;
}

/* Limits the replay to iterations in which a size, of so many points in all, stays within its
 * range, above 1. */
static bool limit_size(loop_model *m, int64_t now, int64_t step, int64_t points) {
    if (!step) return true;
    m->grown = true;
    if (now < 2 || now > LARGEST_CHANGING_SIZE) return false;
    const int64_t slack = step > 0 ? largest_size(now, points) - now : now - least_size(now);
    m->limit = MIN(m->limit, (uint64_t)(slack / (step > 0 ? step : -step)));
    return true;
}

/* The steps of sizes: of launches, of what they read and write, of arrays at the end, and whether
 * new memory grows. */
static bool find_size_steps(struct loop_replay *r) {
    loop_iteration *const *t = r->at;
    const loop_log *g = &t[2]->log;
    loop_model *m = &r->model;
    for (size_t i = 0; i < g->n_actions; i++) {
        const log_action *a = &t[0]->log.actions[i], *b = &t[1]->log.actions[i],
                         *c = &g->actions[i];
        for (int d = 0; d < KIR_MAX_DIMS; d++)
            if (!constant_step(a->size[d], b->size[d], c->size[d], &m->grows[i][d])) return false;
        if (!constant_step((int64_t)a->bytes_read, (int64_t)b->bytes_read, (int64_t)c->bytes_read,
                           &m->read_grows[i]))
            m->read_grows[i] = 0;
        if (!constant_step((int64_t)a->bytes_written, (int64_t)b->bytes_written,
                           (int64_t)c->bytes_written, &m->written_grows[i]))
            m->written_grows[i] = 0;
    }
    for (size_t i = 0; i < g->n_start; i++)
        for (int d = 0; d < t[2]->end[i].ndim; d++)
            if (!constant_step(t[0]->end[i].shape[d], t[1]->end[i].shape[d], t[2]->end[i].shape[d],
                               &m->shape_grows[i][d]))
                return false;
    for (size_t i = 0; i < g->n_fresh; i++)
        m->fresh_grows[i] = g->fresh_bytes[i] != t[0]->log.fresh_bytes[i] ||
                            g->fresh_bytes[i] != t[1]->log.fresh_bytes[i];
    return true;
}

/* True if matmul might choose another way for a product of the coming sizes (runtime/lib/matmul.c).
 */
static bool may_choose(const struct loop_replay *r, size_t action) {
    const loop_log *g = &r->at[2]->log;
    const log_action *a = &g->actions[action];
    const int64_t *grows = r->model.grows[action];
    if (a->kind != LOG_CALL || g->calls[a->call].kind != LIB_GEMM) return false;
    enum { BATCH, M, N, K };
    return (a->size[BATCH] > 1 && (grows[M] || grows[K])) ||
           (a->size[N] == 1 && grows[K] && !g->device->caps.host_visible);
}

/* Limits the replay by the sizes of launches, and of arrays at the end that the next iteration does
 * not read. */
static bool limit_sizes(struct loop_replay *r) {
    const loop_iteration *x = r->at[2];
    loop_model *m = &r->model;
    m->grown = false;
    m->limit = UINT64_MAX;
    for (size_t i = 0; i < x->log.n_actions; i++) {
        const int64_t *size = x->log.actions[i].size, points = points_of(size, KIR_MAX_DIMS);
        if (may_choose(r, i)) return false;
        for (int d = 0; d < KIR_MAX_DIMS; d++)
            if (!limit_size(m, size[d], m->grows[i][d], points)) return false;
    }
    for (size_t i = 0; i < x->log.n_start; i++) {
        const log_array *end = &x->end[i];
        const int64_t points = points_of(end->shape, end->ndim);
        for (int d = 0; d < end->ndim; d++)
            if (!limit_size(m, end->shape[d], m->shape_grows[i][d], points) ||
                (m->shape_grows[i][d] && end->given.read))
                return false;
    }
    return !m->grown || !r->tape;
}

/* The elements of an operand that a launch accesses, as rows and columns of a matrix in memory:
 * from lo to hi. */
typedef struct {
    int64_t lo[2], hi[2];
} box;

static int64_t nearest_quotient(int64_t a, int64_t b) {
    const int64_t q = a / b, rest = a - q * b;
    return q + (rest > b / 2) - (rest < -(b / 2));
}

/* The box of an operand in the iteration number t from now, in rows of `width` elements. False:
 * columns cross the end of a row. */
static bool box_of(const struct loop_replay *r, const log_action *a, uint32_t operand, int64_t t,
                   int64_t width, box *out) {
    const loop_log *g = &r->at[2]->log;
    const gpa_binding *b = &g->operands[operand].bind;
    const int64_t *grows = r->model.grows[a - g->actions], advance = r->model.advance[operand],
                  row = b->offset / width, down = nearest_quotient(advance, width);
    out->lo[0] = out->hi[0] = row + t * down;
    out->lo[1] = out->hi[1] = b->offset - row * width + t * (advance - down * width);
    for (int d = 0; d < KIR_MAX_DIMS; d++) {
        const bool is_column = b->stride[d] % width != 0;
        const int64_t stride = is_column ? b->stride[d] : b->stride[d] / width,
                      last = (a->size[d] + t * grows[d] - 1) * stride;
        if (a->size[d] > 0) *(last < 0 ? &out->lo[is_column] : &out->hi[is_column]) += last;
    }
    return out->lo[1] >= 0 && out->hi[1] < width;
}

/* True if a launch touches different rows or different columns of two operands. The ends of what it
 * touches are affine in the iteration: what holds for the first and the last one holds for all. */
static bool differ_in_rows(const struct loop_replay *r, const log_action *a, uint32_t i, uint32_t k,
                           int64_t last, int64_t width) {
    box x[2], y[2];
    for (int end = 0; end < 2; end++)
        if (!box_of(r, a, i, end ? last : 0, width, &x[end]) ||
            !box_of(r, a, k, end ? last : 0, width, &y[end]))
            return false;
    for (int way = 0; way < 2; way++)
        if ((x[0].hi[way] < y[0].lo[way] && x[1].hi[way] < y[1].lo[way]) ||
            (y[0].hi[way] < x[0].lo[way] && y[1].hi[way] < x[1].lo[way]))
            return true;
    return false;
}

/* True if a launch touches different elements of two operands in this iteration and the `last` next
 * ones: as ranges of memory, or in the rows that a stride of one of them defines. */
static bool are_disjoint(const struct loop_replay *r, const log_action *a, uint32_t i, uint32_t k,
                         int64_t last) {
    const log_operand *o = r->at[2]->log.operands;
    bool found = differ_in_rows(r, a, i, k, last, INT64_MAX);
    for (int d = 0; d < 2 * KIR_MAX_DIMS && !found; d++) {
        const int64_t stride = o[d & 1 ? i : k].bind.stride[d / 2],
                      width = stride < 0 ? -stride : stride;
        found = width > 1 && differ_in_rows(r, a, i, k, last, width);
    }
    return found;
}

static bool same_elements(const struct loop_replay *r, uint32_t i, uint32_t k) {
    const gpa_binding *a = &r->at[2]->log.operands[i].bind, *b = &r->at[2]->log.operands[k].bind;
    return a->offset == b->offset && r->model.advance[i] == r->model.advance[k] &&
           memcmp(a->stride, b->stride, sizeof a->stride) == 0;
}

/* The program of a launch was chosen for the distances between what it writes and what it reads of
 * the same memory. They must not change, or it is the same elements or different ones, in as many
 * iterations as that holds for. */
static void keep_distances(struct loop_replay *r, const log_action *a) {
    const loop_log *g = &r->at[2]->log;
    loop_model *m = &r->model;
    for (uint32_t i = a->operand; i < a->operand + a->n_operands; i++)
        for (uint32_t k = a->operand; k < a->operand + a->n_operands && g->operands[i].stored;
             k++) {
            if (k == i || g->operands[k].name != g->operands[i].name) continue;
            if ((!m->grown && m->advance[k] == m->advance[i]) || same_elements(r, i, k)) continue;
            if (a->kind == LOG_CALL) m->limit = 0;
            m->limit = MIN(m->limit, MIN(r->left, MOST_ITERATIONS));
            while (m->limit && !are_disjoint(r, a, i, k, (int64_t)m->limit)) m->limit /= 2;
        }
}

static bool find_offset_steps(struct loop_replay *r) {
    loop_iteration *const *t = r->at;
    const loop_log *g = &t[2]->log;
    for (size_t i = 0; i < g->n_operands; i++)
        if (!constant_step(t[0]->log.operands[i].bind.offset, t[1]->log.operands[i].bind.offset,
                           g->operands[i].bind.offset, &r->model.advance[i]))
            return false;
    for (size_t i = 0; i < g->n_start; i++)
        if (!constant_step(t[0]->end[i].offset, t[1]->end[i].offset, t[2]->end[i].offset,
                           &r->model.moves[i]))
            return false;
    return true;
}

static bool limit_distances(struct loop_replay *r) {
    const loop_log *g = &r->at[2]->log;
    for (size_t i = 0; i < g->n_actions; i++) keep_distances(r, &g->actions[i]);
    return r->model.limit >= MIN(r->left, LEAST_ITERATIONS);
}

/* ---- parameters ---- */

static bool is_param_of(const loop_iteration *x, size_t param, size_t scalar) {
    const gpa_dtype to = (gpa_dtype)x->log.types[param];
    const gpa_val v = dtype_cast(x->scalars[scalar].v, x->scalars[scalar].dtype, to);
    return memcmp(&v, &x->log.params[param], dtype_size(to)) == 0;
}

static bool is_param(const struct loop_replay *r, size_t param, size_t scalar) {
    bool is = true;
    for (int t = 0; t < LOOP_RECORDED; t++) is = is && is_param_of(r->at[t], param, scalar);
    return is;
}

static bool is_constant(const struct loop_replay *r, size_t param) {
    const size_t bytes = dtype_size((gpa_dtype)r->at[0]->log.types[param]);
    for (int t = 1; t < LOOP_RECORDED; t++)
        if (memcmp(&r->at[0]->log.params[param], &r->at[t]->log.params[param], bytes) != 0)
            return false;
    return true;
}

/* Finds the scalar of each parameter. A parameter that two scalars fit, or that a scalar fits
 * though it does not change, is ambiguous; a scalar that fits no parameter went elsewhere. */
static rt_loop_reason find_params(struct loop_replay *r) {
    const loop_iteration *x = r->at[2];
    uint32_t used = 0;
    for (size_t i = 0; i < x->log.n_params; i++) {
        int8_t *which = &r->model.scalar[i];
        const gpa_dtype t = (gpa_dtype)x->log.types[i];
        *which = -1;
        for (size_t k = 0; k < x->n_scalars; k++) {
            if (!is_param(r, i, k)) continue;
            if (*which >= 0 || (t != DT_F64 && t != DT_F32 && t != DT_I64))
                return RT_LOOP_PARAMETER;
            *which = (int8_t)k;
            used |= UINT32_C(1) << k;
        }
        if ((*which < 0) != is_constant(r, i)) return RT_LOOP_PARAMETER;
    }
    return used + 1 == UINT32_C(1) << x->n_scalars ? RT_LOOP_FINE : RT_LOOP_PARAMETER;
}

/* ---- memory ---- */

static bool size_class(loop_model *m, size_t bytes, uint8_t *out) {
    size_t i = 0;
    while (i < m->n_sizes && m->sizes[i] != bytes) i++;
    if (i == LOOP_MAX_SIZES) return false;
    if (i == m->n_sizes) {
        m->sizes[i] = bytes;
        m->need[m->n_sizes++] = 0;
    }
    *out = (uint8_t)i;
    return true;
}

/* The bytes of new memory number k in the largest of the iterations; 0: it changes, but no size
 * does. */
static size_t most_bytes(const struct loop_replay *r, size_t k) {
    const loop_log *g = &r->at[2]->log;
    size_t bytes = g->fresh_bytes[k];
    if (!r->model.fresh_grows[k]) return bytes;
    for (size_t i = 0; i < g->n_actions; i++) {
        const log_action *a = &g->actions[i];
        bool stores = false;
        for (uint32_t o = a->operand; o < a->operand + a->n_operands; o++)
            stores = stores || g->operands[o].name == LOG_FRESH + (int32_t)k;
        if (!stores) continue;
        for (int d = 0; d < KIR_MAX_DIMS; d++)
            if (r->model.grows[i][d] > 0) {
                const int64_t now = a->size[d],
                              most = now + r->model.grows[i][d] * (int64_t)r->model.limit;
                bytes = (bytes + (size_t)now - 1) / (size_t)now * (size_t)most;
            }
        return r->model.grown ? bytes : 0;
    }
    return 0;
}

/* Live ranges of new memory, and size classes. */
static bool find_memory(struct loop_replay *r) {
    const loop_iteration *x = r->at[2];
    const loop_log *g = &x->log;
    loop_model *m = &r->model;
    m->n_sizes = 0;
    for (size_t i = 0; i < g->n_start; i++) {
        m->gone[i] = true;
        if (!size_class(m, g->start[i].buf->bytes, &m->size_of[i])) return false;
    }
    for (size_t i = 0; i < g->n_fresh; i++) {
        const size_t bytes = most_bytes(r, i);
        if (!bytes || !size_class(m, bytes, &m->size_of[LOG_FRESH + i])) return false;
        m->need[m->size_of[LOG_FRESH + i]]++;
    }
    for (size_t i = 0; i < g->n_actions; i++)
        for (uint32_t k = 0; k < g->actions[i].n_operands; k++) {
            const log_operand *o = &g->operands[g->actions[i].operand + k];
            if (o->name >= LOG_FRESH)
                m->last_use[o->name - LOG_FRESH] = (int32_t)i;
            else if (o->stored && o->name >= (int32_t)g->n_start)
                return false; /* an input of the iteration */
        }
    for (size_t i = 0; i < g->n_fresh; i++)
        if (m->kept[LOG_FRESH + i]) m->last_use[i] = (int32_t)g->n_actions;
    for (size_t i = 0; i < g->n_start; i++) {
        if (x->name[i] >= LOG_FRESH)
            m->last_use[x->name[i] - LOG_FRESH] = -1;
        else
            m->gone[x->name[i]] = false;
    }
    return true;
}

/* True if an array that is assigned after the read has a layout that changes. */
static bool moves_late(const loop_log *g, const loop_model *m) {
    bool moves = false;
    for (size_t i = 0; i < g->n_start; i++)
        moves = moves || (g->start[i].given.late && (m->grown || m->moves[i]));
    return moves;
}

/* Finds the read, of memory that stays as it is to the end of the iteration. False: there are
 * several, or a later action stores there. */
static bool find_read(const loop_log *g, loop_model *m) {
    m->read = -1;
    for (size_t i = 0; i < g->n_actions; i++) {
        if (g->actions[i].kind != LOG_READ) continue;
        if (m->read >= 0) return false;
        m->read = (int32_t)i;
    }
    if (m->read < 0) return true;
    if (moves_late(g, m)) return false;
    const int32_t name = g->operands[g->actions[m->read].operand].name;
    const size_t after = g->actions[m->read].operand;
    for (size_t i = after; i < g->n_operands; i++)
        if (g->operands[i].stored && g->operands[i].name == name) return false;
    if (name >= LOG_FRESH && m->last_use[name - LOG_FRESH] >= 0)
        m->last_use[name - LOG_FRESH] = (int32_t)g->n_actions;
    return true;
}

/* Adds the arrays at the start whose memory records of a later iteration keep. */
static void spread_kept(const loop_iteration *x, loop_model *m) {
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < x->log.n_start; i++)
            if (m->kept[i] && x->name[i] < LOG_FRESH && !m->kept[x->name[i]])
                more = m->kept[x->name[i]] = true;
    }
}

/* True if an action stores into memory that records of an earlier iteration may keep. */
static bool overwrites_kept(const loop_iteration *x, const loop_model *m) {
    const loop_log *g = &x->log;
    bool kept[LOG_NAMES], more = true;
    memcpy(kept, m->kept, sizeof kept);
    while (more) {
        more = false;
        for (size_t i = 0; i < g->n_start; i++)
            if (kept[x->name[i]] && !kept[i]) more = kept[i] = true;
    }
    for (size_t i = 0; i < g->n_operands; i++)
        if (g->operands[i].stored && g->operands[i].name >= 0 && g->operands[i].name < LOG_FRESH &&
            kept[g->operands[i].name])
            return true;
    return false;
}

/* ---- dead stores ---- */

/* True if an action other than number `from` has the memory as an operand. */
static bool is_operand(const loop_log *g, int32_t name, size_t from) {
    for (size_t i = 0; i < g->n_actions; i++)
        for (uint32_t k = 0; k < g->actions[i].n_operands && i != from; k++)
            if (g->operands[g->actions[i].operand + k].name == name) return true;
    return false;
}

/* True if new memory, stored by action number `from`, is read by no other one of this iteration or
 * the next, and does not outlive the next. Records keep memory of other names. */
static bool is_dead(const loop_iteration *x, int32_t name, size_t from) {
    if (is_operand(&x->log, name, from)) return false;
    for (size_t k = 0; k < x->log.n_start; k++) {
        if (x->name[k] != name) continue;
        if (is_operand(&x->log, (int32_t)k, SIZE_MAX)) return false;
        for (size_t i = 0; i < x->log.n_start; i++)
            if (x->name[i] == (int32_t)k) return false;
    }
    return true;
}

static bool stores_dead(const loop_iteration *x, const loop_model *m, size_t i) {
    const log_action *a = &x->log.actions[i];
    for (uint32_t k = 0; k < a->n_operands; k++) {
        const log_operand *o = &x->log.operands[a->operand + k];
        const int64_t fresh = o->name - LOG_FRESH - (int64_t)a->fresh;
        if (o->stored &&
            (fresh < 0 || fresh >= a->n_fresh || m->kept[o->name] || !is_dead(x, o->name, i)))
            return false;
    }
    return a->kind == LOG_LAUNCH;
}

/* Finds the actions at the end that only the last iteration needs. They then read memory that the
 * loop has freed, so that all free blocks must be kept. Where a test ends the loop, what is
 * assigned after it comes from the iteration before. */
static void find_dead(struct loop_replay *r) {
    const loop_iteration *x = r->at[2];
    loop_model *m = &r->model;
    uint32_t blocks[LOOP_MAX_SIZES] = {0};
    bool kept = true;
    for (size_t i = 0; i < x->log.n_start; i++) {
        blocks[m->size_of[i]]++;
        kept = kept && !(m->read >= 0 && x->end[i].given.late);
    }
    for (size_t i = 0; i < m->n_sizes; i++) kept = kept && blocks[i] + m->need[i] <= LOOP_MAX_FREE;
    m->first_dead = x->log.n_actions;
    while (kept && m->first_dead && stores_dead(x, m, m->first_dead - 1)) m->first_dead--;
}

/* ---- loop_model_make ---- */

static bool may_make_all(const loop_iteration *x) {
    bool may = is_steady(x);
    for (size_t i = 0; i < x->log.n_start; i++) may = may && may_make(x, i);
    return may;
}

/* Completes the model from the steps and the last iteration. */
static rt_loop_reason complete(struct loop_replay *r) {
    if (r->tape && r->at[2]->log.n_calls) return RT_LOOP_TAPE;
    spread_kept(r->at[2], &r->model);
    if (!limit_sizes(r) || !limit_distances(r) || !find_memory(r)) return RT_LOOP_STRUCTURE;
    if (!find_read(&r->at[2]->log, &r->model)) return RT_LOOP_READ;
    if (overwrites_kept(r->at[2], &r->model)) return RT_LOOP_TAPE;
    find_dead(r);
    return RT_LOOP_FINE;
}

rt_loop_reason loop_model_make(struct loop_replay *r) {
    for (int t = 0; t < LOOP_RECORDED; t++) {
        if (!may_make_all(r->at[t])) return RT_LOOP_STRUCTURE;
        if (t && (!same_launches(&r->at[0]->log, &r->at[t]->log) || !same_ends(r->at[0], r->at[t])))
            return RT_LOOP_STRUCTURE;
    }
    if (!find_size_steps(r) || !find_offset_steps(r)) return RT_LOOP_STRUCTURE;
    const rt_loop_reason why = complete(r);
    return why ? why : find_params(r);
}

/* ---- later executions of a loop ---- */

static void forget(loop_kept *k) {
    if (k->x) loop_log_clear(&k->x->log);
    mem_free(k->x);
    *k = (loop_kept){0};
}

/* The slot of a loop's model: its own, an empty one, or the least recently used. */
static loop_kept *kept_slot(struct loop_replay *r) {
    loop_kept *found = r->kept;
    for (size_t i = 0; i < LOOP_KEPT; i++) {
        if (r->kept[i].key == r->key) return &r->kept[i];
        if (r->kept[i].used < found->used) found = &r->kept[i];
    }
    return found;
}

void loop_model_keep(struct loop_replay *r) {
    if (!r->key || r->tape) return;
    loop_kept *k = kept_slot(r);
    const bool seen = k->key == r->key;
    if (!seen) forget(k);
    k->key = r->key;
    k->used = ++r->uses;
    if (!seen || (!k->x && !(k->x = mem_zero(sizeof *k->x)))) return;
    loop_log_clear(&k->x->log);
    *k->x = *r->at[LOOP_RECORDED - 1];
    for (size_t i = 0; i < k->x->log.n_actions; i++)
        if (k->x->log.actions[i].program) program_retain(k->x->log.actions[i].program);
    k->model = r->model;
}

static bool same_starts(const loop_log *a, const loop_log *b) {
    bool same = a->n_start == b->n_start;
    for (size_t i = 0; i < a->n_start && same; i++) same = same_layout(&a->start[i], &b->start[i]);
    return same;
}

bool loop_model_again(struct loop_replay *r) {
    const loop_iteration *x = r->at[LOOP_RECORDED - 1];
    loop_kept *k = kept_slot(r);
    if (!r->key || k->key != r->key || !k->x || r->tape || x->tape_before != x->tape_last ||
        !same_launches(&k->x->log, &x->log) || !same_starts(&k->x->log, &x->log) ||
        !same_ends(k->x, x) || !may_make_all(x))
        return false;
    r->model = k->model;
    for (size_t i = 0; i < x->log.n_params; i++)
        if (r->model.scalar[i] >= 0 && !is_param_of(x, i, (size_t)r->model.scalar[i])) return false;
    k->used = ++r->uses;
    return !complete(r);
}

void rt_loop_stop(gpa_rt *rt) {
    struct loop_replay *r = rt->loop_replay;
    if (!r) return;
    for (int i = 0; i < LOOP_RECORDED; i++) loop_log_clear(&r->at[i]->log);
    r->logging = false;
    r->n = r->tries = 0;
}

void loop_replay_free(gpa_rt *rt) {
    rt_loop_stop(rt);
    for (size_t i = 0; rt->loop_replay && i < LOOP_GRAPHS; i++)
        loop_graph_free(&rt->loop_replay->graphs[i]);
    for (size_t i = 0; rt->loop_replay && i < LOOP_KEPT; i++) forget(&rt->loop_replay->kept[i]);
    if (rt->loop_replay) mem_free(rt->loop_replay->tape);
    if (rt->loop_replay) mem_free(rt->loop_replay->run);
    mem_free(rt->loop_replay);
    rt->loop_replay = NULL;
}
