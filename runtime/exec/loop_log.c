/* The record of one loop iteration. */
#include "runtime/exec/loop_log.h"

#include "runtime/exec/loop_model.h"

void loop_log_clear(loop_log *g) {
    for (size_t i = 0; i < g->n_actions; i++) program_release(g->actions[i].program);
    g->n_actions = g->n_operands = g->n_params = g->n_calls = g->n_fresh = g->n_unused = 0;
    g->n_start = g->n_named = 0;
    g->device = NULL;
    g->why = RT_LOOP_FINE;
}

bool loop_log_arrays(log_array *to, const rt_loop_array *arrays, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const gpa_arr *a = arrays[i].arr;
        if (a->ndim > KIR_MAX_DIMS) return false;
        to[i] = (log_array){.given = arrays[i],
                            .storage = a->storage,
                            .buf = a->storage->buf,
                            .base = a->base,
                            .dtype = a->dtype,
                            .ndim = a->ndim,
                            .readonly = a->readonly,
                            .offset = a->offset};
        memcpy(to[i].shape, a->shape, a->ndim * sizeof *a->shape);
        memcpy(to[i].strides, a->strides, a->ndim * sizeof *a->strides);
    }
    return true;
}

static gpa_buf **find_unused(const loop_log *g, const gpa_buf *b) {
    for (size_t i = 0; i < g->n_unused; i++)
        if (g->unused[i] == b) return (gpa_buf **)&g->unused[i];
    return NULL;
}

/* Removes b from the buffers without a name; false: it is none of them. */
static bool use(loop_log *g, const gpa_buf *b) {
    gpa_buf **found = find_unused(g, b);
    if (found) *found = g->unused[--g->n_unused];
    return found;
}

bool loop_log_name(const loop_log *g, const gpa_buf *b, int32_t *name) {
    if (find_unused(g, b)) return false;
    /* The latest allocation first: a block may be allocated twice in an iteration. */
    for (size_t i = g->n_fresh; i-- > 0;)
        if (g->fresh[i] == b) {
            *name = LOG_FRESH + (int32_t)i;
            return true;
        }
    for (size_t i = 0; i < g->n_named; i++)
        if (g->start[i].buf == b) {
            *name = (int32_t)i;
            return true;
        }
    return false;
}

void loop_log_refuse(gpa_rt *rt, rt_loop_reason why) {
    loop_log *g = rt->loop_replay ? loop_replay_log(rt->loop_replay) : NULL;
    if (!g || g->why) return;
    g->why = why;
    g->refused_at = rt->at;
}

bool rt_loop_is_recorded(const gpa_rt *rt) {
    const loop_log *g = rt->loop_replay ? loop_replay_log(rt->loop_replay) : NULL;
    return g && !g->why;
}

void loop_log_new(gpa_rt *rt, gpa_buf *b) {
    if (!rt_loop_is_recorded(rt)) return;
    loop_log *g = loop_replay_log(rt->loop_replay);
    if (find_unused(g, b)) return;
    if (g->n_unused == LOG_MAX_FRESH)
        g->why = RT_LOOP_SIZE;
    else
        g->unused[g->n_unused++] = b;
}

/* Adds an operand; NULL: the record is full. */
static log_operand *add_operand(loop_log *g, int32_t name) {
    if (g->n_operands == LOG_MAX_OPERANDS) return NULL;
    log_operand *o = &g->operands[g->n_operands++];
    *o = (log_operand){.name = name};
    return o;
}

static bool add_param(loop_log *g, gpa_dtype t, gpa_val v) {
    if (g->n_params == LOG_MAX_PARAMS) return false;
    g->types[g->n_params] = (uint8_t)t;
    g->params[g->n_params++] = v;
    return true;
}

/* A new action; NULL: the record is full. */
static log_action *add_action(loop_log *g, log_kind kind) {
    if (g->n_actions == LOG_MAX_ACTIONS) return NULL;
    log_action *a = &g->actions[g->n_actions++];
    *a = (log_action){.kind = kind,
                      .operand = (uint32_t)g->n_operands,
                      .param = (uint32_t)g->n_params,
                      .fresh = (uint32_t)g->n_fresh};
    return a;
}

/* Names new memory; false: the record is full. */
static bool add_fresh(loop_log *g, gpa_buf *b, int32_t *name) {
    if (g->n_fresh == LOG_MAX_FRESH) return false;
    *name = LOG_FRESH + (int32_t)g->n_fresh;
    g->fresh_bytes[g->n_fresh] = b->bytes;
    g->fresh[g->n_fresh++] = b;
    return true;
}

/* The ranges of an action end here. */
static void end_action(const loop_log *g, log_action *a) {
    a->n_operands = (uint32_t)(g->n_operands - a->operand);
    a->n_params = (uint32_t)(g->n_params - a->param);
    a->n_fresh = (uint32_t)(g->n_fresh - a->fresh);
}

/* Adds the arrays of a launch. Names of its operands come first: new memory may be that of an
 * operand of an earlier launch. */
static rt_loop_reason add_arrays(loop_log *g, const lowered *l, gpa_buf *const *fresh) {
    size_t first = g->n_operands;
    for (size_t i = 0; i < l->n_arrays; i++) {
        int32_t name = LOG_NO_MEMORY;
        const bool stored = l->stored >> i & 1;
        if (l->buf[i] && stored && !l->buf[i]->device->caps.host_visible && use(g, l->buf[i])) {
            if (!add_fresh(g, l->buf[i], &name)) return RT_LOOP_SIZE;
        } else if (l->buf[i] && !loop_log_name(g, l->buf[i], &name)) {
            return RT_LOOP_MEMORY;
        }
        log_operand *o = add_operand(g, name);
        if (!o) return RT_LOOP_SIZE;
        o->bind = l->bind[i];
        o->stored = stored;
        o->bind.mem = NULL;
    }
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (!l->fresh[i]) continue;
        use(g, fresh[i]);
        if (!add_fresh(g, fresh[i], &g->operands[first + i].name)) return RT_LOOP_SIZE;
    }
    return RT_LOOP_FINE;
}

void loop_log_launch(gpa_rt *rt, gpa_device *d, const lowered *l, program_cache_entry *program,
                     gpa_buf *const *fresh) {
    loop_log *g = rt->loop_replay ? loop_replay_log(rt->loop_replay) : NULL;
    if (!g || g->why) return;
    if (l->faults) g->why = RT_LOOP_FAULT;
    if (l->n_loops || l->empty) g->why = RT_LOOP_STRUCTURE;
    if (rt->devices->next || (g->device && g->device != d)) g->why = RT_LOOP_DEVICES;
    g->device = d;
    log_action *a = g->why ? NULL : add_action(g, LOG_LAUNCH);
    if (!a) {
        if (!g->why) g->why = RT_LOOP_SIZE;
        return;
    }
    g->why = add_arrays(g, l, fresh);
    const uint8_t *types = program_params(program);
    for (size_t i = 0; i < program->n_params && !g->why; i++)
        if (!add_param(g, (gpa_dtype)types[i], l->params[i])) g->why = RT_LOOP_SIZE;
    a->program = program_retain(program);
    end_action(g, a);
    a->bytes_read = l->bytes_read;
    a->bytes_written = l->bytes_written;
    memcpy(a->size, l->size, sizeof a->size);
}

/* ---- library calls ---- */

/* True if a call is the same in every iteration but for its memory: it returns no value to the
 * host, and overwrites no operand. */
static bool is_repeatable(const gpa_libcall *c) {
    if (c->kind == LIB_SPGEMM || (c->kind == LIB_SORT && c->sort.n_kth)) return false;
    for (int i = 0; i < LIB_OPERANDS; i++)
        if (lib_operand_of(c, i).access == LIB_UPDATE) return false;
    return true;
}

static gpa_buf *buf_of(gpa_buf *const *bufs, size_t n, const gpa_mem *mem) {
    for (size_t i = n; i-- > 0;)
        if (bufs[i]->mem == mem) return bufs[i];
    return NULL;
}

/* The buffer of a memory in the record, or NULL. */
static gpa_buf *known_buf(const loop_log *g, const gpa_mem *mem) {
    gpa_buf *b = buf_of(g->unused, g->n_unused, mem);
    if (!b) b = buf_of(g->fresh, g->n_fresh, mem);
    for (size_t i = 0; i < g->n_named && !b; i++)
        if (g->start[i].buf && g->start[i].buf->mem == mem) b = g->start[i].buf;
    return b;
}

static rt_loop_reason add_call_operand(loop_log *g, gpa_libcall *c, const lib_operand *x) {
    const gpa_binding *bind = lib_operand_binding(c, x);
    const bool stored = x->access != LIB_READ;
    int32_t name = LOG_NO_MEMORY;
    gpa_buf *b = bind->mem ? known_buf(g, bind->mem) : NULL;
    if (bind->mem && !b) return RT_LOOP_MEMORY;
    if (b && stored && use(g, b)) {
        if (!add_fresh(g, b, &name)) return RT_LOOP_SIZE;
    } else if (b && !loop_log_name(g, b, &name)) {
        return RT_LOOP_MEMORY;
    }
    log_operand *o = add_operand(g, name);
    if (!o) return RT_LOOP_SIZE;
    o->bind = *bind;
    o->bind.mem = NULL;
    o->stored = stored;
    return RT_LOOP_FINE;
}

/* The strides of a product's result follow from its sizes. */
static void record_sizes(loop_log *g, log_action *a) {
    const gpa_libcall *c = &g->calls[a->call];
    if (c->kind != LIB_GEMM) return;
    const int64_t size[] = {c->gemm.batch, c->gemm.m, c->gemm.n, c->gemm.k};
    memcpy(a->size, size, sizeof size);
    memset(g->operands[a->operand + 2].bind.stride, 0, sizeof c->gemm.c.stride);
}

void loop_call_set_sizes(gpa_libcall *c, const int64_t *size) {
    if (c->kind != LIB_GEMM) return;
    c->gemm.batch = size[0];
    c->gemm.m = size[1];
    c->gemm.n = size[2];
    c->gemm.k = size[3];
    c->gemm.c.stride[0] = c->gemm.m * c->gemm.n;
    c->gemm.c.stride[1] = c->gemm.n;
    c->gemm.c.stride[2] = 1;
}

void loop_log_call(gpa_rt *rt, gpa_device *d, const gpa_libcall *c) {
    loop_log *g = rt->loop_replay ? loop_replay_log(rt->loop_replay) : NULL;
    if (!g || g->why) return;
    if (!is_repeatable(c)) g->why = RT_LOOP_HOST;
    if (rt->devices->next || (g->device && g->device != d)) g->why = RT_LOOP_DEVICES;
    log_action *a = g->why || g->n_calls == LOG_MAX_CALLS ? NULL : add_action(g, LOG_CALL);
    if (!a) {
        loop_log_refuse(rt, RT_LOOP_SIZE);
        return;
    }
    g->device = d;
    a->call = (uint32_t)g->n_calls;
    gpa_libcall *own = &g->calls[g->n_calls++];
    *own = *c;
    for (int i = 0; i < LIB_OPERANDS && !g->why; i++) {
        const lib_operand x = lib_operand_of(own, i);
        if (x.access != LIB_ABSENT) g->why = add_call_operand(g, own, &x);
    }
    end_action(g, a);
    if (!g->why) record_sizes(g, a);
}

/* ---- the host ---- */

/* Adds the operand of a host store; false: its memory has no name. */
static bool add_view(loop_log *g, const gpa_arr *a, int ndim, const int64_t *strides) {
    int32_t name;
    log_operand *o = loop_log_name(g, a->storage->buf, &name) ? add_operand(g, name) : NULL;
    if (!o) return false;
    o->bind.offset = a->offset;
    memcpy(o->bind.stride, strides, (size_t)ndim * sizeof *strides);
    return true;
}

void loop_log_store(gpa_rt *rt, const log_store *s) {
    loop_log *g = rt->loop_replay ? loop_replay_log(rt->loop_replay) : NULL;
    if (!g || g->why) return;
    log_action *a = s->to->ndim <= KIR_MAX_DIMS ? add_action(g, LOG_STORE) : NULL;
    const gpa_dtype t = (gpa_dtype)s->to->dtype;
    if (!a) {
        g->why = RT_LOOP_SIZE;
        return;
    }
    a->ndim = s->to->ndim;
    a->item = (uint8_t)dtype_size(t);
    memcpy(a->size, s->to->shape, (size_t)a->ndim * sizeof *a->size);
    bool known = add_view(g, s->to, a->ndim, s->to->strides);
    if (known) g->operands[a->operand].stored = true;
    if (s->from)
        known = known && add_view(g, s->from, a->ndim, s->from_strides);
    else
        known = known && add_param(g, t, s->v);
    if (!known) g->why = RT_LOOP_MEMORY;
    end_action(g, a);
}

void loop_log_read(gpa_rt *rt, const gpa_buf *b, gpa_dtype t, int64_t offset, gpa_val v) {
    loop_log *g = rt->loop_replay ? loop_replay_log(rt->loop_replay) : NULL;
    int32_t name;
    if (!g || g->why) return;
    if (t != DT_BOOL || !loop_log_name(g, b, &name)) {
        loop_log_refuse(rt, RT_LOOP_READ);
        return;
    }
    log_action *a = add_action(g, LOG_READ);
    log_operand *o = a ? add_operand(g, name) : NULL;
    if (!o || !add_param(g, t, v)) {
        g->why = RT_LOOP_SIZE;
        return;
    }
    o->bind.offset = offset;
    end_action(g, a);
}
