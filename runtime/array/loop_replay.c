/* Replay of loops.
 *
 * A replay binds names to memory (cells). After an iteration each array's cell becomes the one that
 * the model names; memory that no array holds any more goes to the free list of its size class,
 * from which the next iteration allocates. Objects and storages that the interpreter would have
 * made anew in every iteration are made once, at the end.
 *
 * Which memory each name is bound to repeats after a few iterations, the period. On a device with
 * graphs so many iterations as make whole periods then become one graph (loop_graph.h), which is
 * queued by one call. Before each run its launches are updated, unless nothing about them changes.
 * The guards of all its iterations are evaluated first; if one fails, the iterations before it run
 * one by one.
 *
 * Reading order: one iteration, graphs, results, rt_loop_replay. */
#include "runtime/array/host_view.h"
#include "runtime/exec/loop_model.h"

#include "runtime/array/array.h"
#include "runtime/array/tape.h"
#include "runtime/array/tape_replay.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/explain.h"
#include "runtime/exec/library_call.h"
#include "runtime/exec/profile.h"
#include "runtime/graph/strided_copy.h"
#include "runtime/tables/tuning.h"

enum { MAX_GRAPH_TRIPS = 64 };

/* ---- one iteration ---- */

/* The binding of a name. */
typedef struct {
    gpa_buf *buf;
    bool owned;           /* by the replay: may be reused */
    gpa_storage *storage; /* of `buf`, which records keep (retained); NULL: they keep none */
    uint64_t number;      /* of its storage on the tape; 0: none */
} cell;

/* The memory of a replay between two iterations. */
typedef struct {
    cell cells[LOG_NAMES];
    gpa_buf *free[LOOP_MAX_SIZES][LOOP_MAX_FREE];
    uint32_t n_free[LOOP_MAX_SIZES];
} memory;

/* Treatment of an iteration's launches: queued, recorded in a graph, recorded there if they
 * change, or nothing: the graph has them. */
typedef enum { LAUNCH, RECORD, UPDATE, IN_GRAPH } launch_mode;

typedef struct loop_run {
    gpa_rt *rt;
    const loop_model *m;
    tape_replay *tape; /* NULL: nothing is recorded */
    loop_iteration *x; /* the last one recorded: its bindings and parameters are updated in place */
    memory at;
    launch_mode mode;
    bool exited; /* the last iteration ended with another value of what the host reads */
    /* Graphs. */
    bool may_graph;
    bool constant;        /* no action changes */
    uint64_t marked;      /* the number of an iteration, after which the memory was `mark`, */
    bool allocated;       /* and since then memory was allocated */
    uint32_t trips;       /* of a graph; 0: the period is not known yet */
    loop_graph *graph;    /* NULL: none yet */
    uint64_t graph_after; /* iterations that run before a new graph is built */
    bool refused;         /* a graph could not be recorded */
    bool recorded;        /* by this replay, with the memory `graph_at` */
    uint64_t graph_runs;
    /* The identity of each array: the number of an array at the start, or if new, -1 less the
     * iteration that made it times RT_LOOP_MAX_ARRAYS plus the number there. */
    int64_t object[RT_LOOP_MAX_ARRAYS], storage[RT_LOOP_MAX_ARRAYS];
    bool taken[RT_LOOP_MAX_ARRAYS]; /* the replay has taken the buffer of that array's storage */
    bool first_use[RT_LOOP_MAX_ARRAYS]; /* no earlier array has its memory */
    uint64_t count;
    /* The members below are set before they are read. */
    gpa_binding bind[LOG_MAX_OPERANDS];
    int64_t size[LOG_MAX_ACTIONS][KIR_MAX_DIMS];
    rt_loop_scalar ahead[MAX_GRAPH_TRIPS][RT_LOOP_MAX_SCALARS]; /* of the coming iterations */
    bool changes[LOG_MAX_ACTIONS]; /* offsets or parameters differ between iterations */
    memory mark, graph_at;
} replay;

static void put_free(replay *p, size_t size, gpa_buf *b) {
    if (p->at.n_free[size] == LOOP_MAX_FREE)
        buf_remove_owner(p->rt, b);
    else
        p->at.free[size][p->at.n_free[size]++] = b;
}

/* A name is no longer bound to its memory. */
static void unbind(replay *p, size_t size, cell *c) {
    if (c->storage)
        storage_release(p->rt, c->storage);
    else if (c->owned)
        put_free(p, size, c->buf);
    *c = (cell){.buf = NULL};
}

/* Allocates what an iteration needs. False: memory is short, the interpreter continues. */
static bool reserve(replay *p, gpa_device *d) {
    gpa_err quiet;
    for (size_t i = 0; i < p->m->n_sizes; i++)
        while (p->at.n_free[i] < p->m->need[i]) {
            gpa_err_clear(&quiet);
            if (p->at.n_free[i] == LOOP_MAX_FREE ||
                buf_new(p->rt, d, p->m->sizes[i], &p->at.free[i][p->at.n_free[i]], &quiet))
                return false;
            p->at.n_free[i]++;
            p->allocated = true;
        }
    return true;
}

static gpa_code host_store(const replay *p, const log_action *a, gpa_err *e) {
    const log_operand *to = &p->x->log.operands[a->operand];
    const gpa_binding *t = &p->bind[a->operand], *f = t + 1;
    const gpa_buf *target = p->at.cells[to->name].buf;
    const int64_t *size = p->size[a - p->x->log.actions], item = (int64_t)a->item;
    const shape_layout there = {a->ndim, size, t->stride, t->offset, item};
    static const int64_t still[KIR_MAX_DIMS];
    const bool copies = a->n_operands > 1;
    char number[sizeof(gpa_val)];
    const char *from = number;
    gpa_code rc = GPA_OK;
    if (copies) {
        const gpa_buf *source = p->at.cells[to[1].name].buf;
        const shape_layout here = {a->ndim, size, f->stride, f->offset, item};
        from = source->host + f->offset * item;
        TRY(host_access_strided(source, &here, GPA_HOST_READ, e));
    } else
        dtype_store(number, (gpa_dtype)p->x->log.types[a->param], p->x->log.params[a->param]);
    TRY(host_access_strided(target, &there, GPA_HOST_WRITE, e));
    strided_copy(target->host + t->offset * item, t->stride, from, copies ? f->stride : still,
                 &(strided_elems){a->item, a->ndim, size});
out:
    return rc;
}

/* Binds the operands of an action to the memory of this iteration, and advances its sizes. */
static void bind_action(replay *p, const log_action *a) {
    const loop_log *g = &p->x->log;
    const size_t n = (size_t)(a - g->actions);
    for (int d = 0; d < KIR_MAX_DIMS && p->m->grown; d++) p->size[n][d] += p->m->grows[n][d];
    for (uint32_t i = a->operand; i < a->operand + a->n_operands; i++) {
        p->bind[i].offset += p->m->advance[i];
        p->bind[i].mem = g->operands[i].name < 0 ? NULL : p->at.cells[g->operands[i].name].buf->mem;
    }
}

static gpa_code run_call(replay *p, gpa_device *d, const log_action *a, gpa_err *e) {
    gpa_libcall *c = &p->x->log.calls[a->call];
    uint32_t at = a->operand;
    for (int i = 0; i < LIB_OPERANDS; i++) {
        const lib_operand o = lib_operand_of(c, i);
        if (o.access != LIB_ABSENT) *lib_operand_binding(c, &o) = p->bind[at++];
    }
    loop_call_set_sizes(c, p->size[a - p->x->log.actions]);
    return library_run_again(p->rt, d, c, e);
}

static gpa_code run_action(replay *p, gpa_device *d, const log_action *a, gpa_err *e) {
    const loop_log *g = &p->x->log;
    if (a->kind == LOG_STORE) return host_store(p, a, e);
    if (a->kind == LOG_CALL) return run_call(p, d, a, e);
    gpa_launch run = {
        .arrays = p->bind + a->operand, .params = g->params + a->param, .uninterrupted = true};
    memcpy(run.size, p->size[a - g->actions], sizeof run.size);
    if (p->mode == UPDATE && !p->changes[a - g->actions]) {
        d->be->graph_keep(d->dev);
        return GPA_OK;
    }
    if (p->mode != LAUNCH) return d->be->run(d->dev, a->program->prog, &run, e);
    profile_begin(p->rt, d);
    gpa_code rc = d->be->run(d->dev, a->program->prog, &run, e);
    profile_again(p->rt, d, a->program, a->bytes_read + a->bytes_written);
    return rc;
}

/* Reads the bool that decides whether the loop continues. */
static gpa_code read_guard(replay *p, gpa_device *d, gpa_err *e) {
    const loop_log *g = &p->x->log;
    const log_action *a = &g->actions[p->m->read];
    const gpa_buf *b = p->at.cells[g->operands[a->operand].name].buf;
    const size_t offset = (size_t)p->bind[a->operand].offset;
    const bool here = b->host && !b->is_distributed;
    bool now = false;
    gpa_code rc = here ? d->be->sync(d->dev, e)
                       : d->be->download(d->dev, &now, b->mem, offset, sizeof now, e);
    if (here && !rc) now = dtype_load(b->host + offset, DT_BOOL).BOOL;
    p->exited = !rc && now != g->params[a->param].BOOL;
    return rc;
}

static void end_fresh(replay *p, size_t k) {
    unbind(p, p->m->size_of[LOG_FRESH + k], &p->at.cells[LOG_FRESH + k]);
}

/* Appends the records of an iteration to the tape. */
static gpa_code record_iteration(replay *p, gpa_err *e) {
    gpa_storage *storage[RT_LOOP_MAX_ARRAYS] = {NULL};
    const tape_kept *kept;
    const size_t n = tape_replay_kept(p->tape, &kept);
    gpa_code rc = tape_replay_next(p->rt, p->tape, e);
    for (size_t i = 0; i < n && !rc; i++) {
        cell *c = kept[i].name == LOG_NO_MEMORY ? NULL : &p->at.cells[kept[i].name];
        if (!c) continue;
        if (!c->storage) {
            rc = storage_of_buf_take(p->rt, c->buf, kept[i].dtype, kept[i].size, &c->storage, e);
            c->owned = false;
            if (!rc) c->storage->number = tape_replay_kept_number(p->tape, i);
        }
        storage[i] = c->storage;
    }
    return rc ? rc : tape_replay_record(p->rt, p->tape, storage, e);
}

/* The bindings of the names after an iteration. */
typedef struct {
    cell cells[RT_LOOP_MAX_ARRAYS];
    int64_t object[RT_LOOP_MAX_ARRAYS], storage[RT_LOOP_MAX_ARRAYS];
} bindings;

/* True for a variable that the last iteration did not assign, since it left the loop before. */
static bool keeps_start(const replay *p, size_t i) { return p->exited && p->x->end[i].given.late; }

static void find_bindings(const replay *p, bindings *to) {
    const loop_iteration *x = p->x;
    const int64_t made = (int64_t)p->count * RT_LOOP_MAX_ARRAYS;
    for (size_t i = 0; i < x->log.n_start; i++) {
        const bool same = keeps_start(p, i);
        const int64_t object = same ? (int64_t)i : x->object[i],
                      storage = same ? (int64_t)i : x->storage[i];
        to->cells[i] = p->at.cells[same ? (int32_t)i : x->name[i]];
        if (p->tape && storage < 0)
            to->cells[i].number = tape_replay_end_number(p->tape, i);
        else if (p->tape)
            to->cells[i].number = p->at.cells[storage].number;
        to->object[i] = object >= 0 ? p->object[object] : object - made;
        to->storage[i] = storage >= 0 ? p->storage[storage] : storage - made;
    }
}

static bool is_held(const bindings *b, size_t n, const gpa_buf *buf) {
    bool held = false;
    for (size_t i = 0; i < n; i++) held = held || b->cells[i].buf == buf;
    return held;
}

/* Frees the memory that no name is bound to any more: by the model or, after the iteration
 * that ended the loop, what is not bound. */
static void unbind_rest(replay *p, const bindings *b) {
    const loop_iteration *x = p->x;
    const size_t n = x->log.n_start;
    for (size_t i = 0; i < n; i++) {
        const bool gone = p->exited ? !is_held(b, n, p->at.cells[i].buf) : p->m->gone[i];
        if (gone && p->first_use[i]) unbind(p, p->m->size_of[i], &p->at.cells[i]);
    }
    for (size_t i = 0; i < x->log.n_fresh; i++) {
        const gpa_buf *buf = p->at.cells[LOG_FRESH + i].buf;
        const bool gone =
            p->exited ? buf && !is_held(b, n, buf) : p->m->last_use[i] == (int32_t)x->log.n_actions;
        if (gone) end_fresh(p, i);
    }
}

static void find_first_uses(replay *p) {
    for (size_t i = 0; i < p->x->log.n_start; i++) {
        size_t first = 0;
        while (p->at.cells[first].buf != p->at.cells[i].buf) first++;
        p->first_use[i] = first == i;
    }
}

/* Makes the names of the end those of the start of the next iteration. Which of them share memory
 * changes only where the loop has ended. */
static void advance(replay *p) {
    const size_t n = p->x->log.n_start;
    bindings b;
    find_bindings(p, &b);
    unbind_rest(p, &b);
    memcpy(p->at.cells, b.cells, n * sizeof *b.cells);
    memcpy(p->object, b.object, n * sizeof *b.object);
    memcpy(p->storage, b.storage, n * sizeof *b.storage);
    if (p->exited) find_first_uses(p);
    for (size_t i = 0; i < p->x->log.n_fresh; i++) p->at.cells[LOG_FRESH + i] = (cell){.buf = NULL};
    p->count++;
}

static gpa_code run_iteration(replay *p, gpa_device *d, gpa_err *e) {
    const loop_log *g = &p->x->log;
    const loop_model *m = p->m;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < g->n_actions && !rc; i++) {
        const log_action *a = &g->actions[i];
        for (uint32_t k = a->fresh; k < a->fresh + a->n_fresh; k++) {
            size_t size = m->size_of[LOG_FRESH + k];
            p->at.cells[LOG_FRESH + k] =
                (cell){.buf = p->at.free[size][--p->at.n_free[size]], .owned = true};
        }
        bind_action(p, a);
        if (p->mode != IN_GRAPH && i < m->first_dead && a->kind != LOG_READ)
            rc = run_action(p, d, a, e);
        for (size_t k = 0; k < g->n_fresh; k++)
            if (m->last_use[k] == (int32_t)i) end_fresh(p, k);
    }
    if (!rc && m->read >= 0) rc = read_guard(p, d, e);
    if (!rc && p->tape) rc = record_iteration(p, e);
    if (!rc) advance(p);
    for (size_t k = 0; k < g->n_fresh && rc; k++)
        if (p->at.cells[LOG_FRESH + k].buf) end_fresh(p, k);
    return rc;
}

/* The parameters of the coming iteration number k. */
static void set_params(replay *p, size_t k) {
    loop_log *g = &p->x->log;
    for (size_t i = 0; i < g->n_params; i++) {
        if (p->m->scalar[i] < 0) continue;
        const rt_loop_scalar *s = &p->ahead[k][p->m->scalar[i]];
        g->params[i] = dtype_cast(s->v, s->dtype, (gpa_dtype)g->types[i]);
    }
}

/* ---- graphs ---- */

/* Bytes that an iteration reads and writes. */
static uint64_t bytes_of(const replay *p) {
    const loop_log *g = &p->x->log;
    uint64_t bytes = 0;
    for (size_t i = 0; i < g->n_actions; i++)
        bytes += g->actions[i].bytes_read + g->actions[i].bytes_written;
    return bytes;
}

static bool changes(const replay *p, const log_action *a) {
    for (uint32_t i = 0; i < a->n_operands; i++)
        if (p->m->advance[a->operand + i]) return true;
    for (uint32_t i = 0; i < a->n_params; i++)
        if (p->m->scalar[a->param + i] >= 0) return true;
    return false;
}

/* Decides whether the device may run the loop as graphs. */
static void begin_graphs(replay *p, const gpa_device *d) {
    const loop_log *g = &p->x->log;
    p->may_graph = d && d->caps.graphs && p->m->first_dead && g->n_named == g->n_start &&
                   !p->tape && !p->m->grown;
    p->constant = true;
    p->graph_after = TUNE_LOOP_GRAPH_AFTER_TRIPS;
    for (size_t i = 0; i < g->n_actions; i++)
        p->may_graph = p->may_graph && g->actions[i].kind == LOG_LAUNCH;
    p->may_graph =
        p->may_graph && bytes_of(p) <= g->n_actions * (uint64_t)TUNE_LOOP_GRAPH_MAX_LAUNCH_BYTES;
    for (size_t i = 0; i < g->n_actions; i++) {
        p->changes[i] = changes(p, &g->actions[i]);
        p->constant = p->constant && !p->changes[i];
    }
}

static bool same_memory(const replay *p, const memory *a, const memory *b) {
    for (size_t i = 0; i < p->x->log.n_start; i++)
        if (a->cells[i].buf != b->cells[i].buf || a->cells[i].owned != b->cells[i].owned)
            return false;
    for (size_t i = 0; i < p->m->n_sizes; i++)
        if (a->n_free[i] != b->n_free[i] ||
            memcmp(a->free[i], b->free[i], a->n_free[i] * sizeof *a->free[i]) != 0)
            return false;
    return true;
}

/* After an iteration: finds the period of the memory, by comparison with that after iterations
 * number 1, 2, 4 ... (Brent's algorithm), and from it the number of iterations of a graph. */
static void find_period(replay *p) {
    const uint64_t since = p->count - p->marked;
    if (p->marked && !p->allocated && same_memory(p, &p->at, &p->mark)) {
        const size_t most = TUNE_LOOP_GRAPH_MAX_LAUNCHES / p->m->first_dead;
        p->trips = (uint32_t)since;
        while (p->trips < TUNE_LOOP_GRAPH_MIN_TRIPS && p->trips + since <= most)
            p->trips += (uint32_t)since;
        p->may_graph = p->trips <= most;
        p->graph_after =
            MIN(p->graph_after, p->trips * TUNE_LOOP_GRAPH_AFTER_TRIPS / TUNE_LOOP_GRAPH_MIN_TRIPS);
    } else if (since > MAX_GRAPH_TRIPS) {
        p->may_graph = false;
    } else if (!(p->count & (p->count - 1))) {
        p->mark = p->at;
        p->marked = p->count;
        p->allocated = false;
    }
}

/* True if the coming iterations shall be a graph. */
static bool uses_graph(replay *p) {
    if (!p->may_graph || !p->trips) return false;
    if (!p->graph && p->count >= p->graph_after)
        p->graph = loop_graph_get(p->rt, &p->x->log, p->trips);
    else if (!p->graph && !p->refused)
        p->graph = loop_graph_find(p->rt, &p->x->log, p->trips);
    return p->graph;
}

/* Runs the coming iterations without launching them. */
static gpa_code pass_iterations(replay *p, gpa_device *d, launch_mode mode, gpa_err *e) {
    gpa_code rc = GPA_OK;
    p->mode = mode;
    for (size_t k = 0; k < p->trips && !rc; k++) {
        set_params(p, k);
        rc = run_iteration(p, d, e);
    }
    p->mode = LAUNCH;
    return rc;
}

/* The state of a replay that recording a graph changes, and restores. */
typedef struct {
    memory at;
    int64_t object[RT_LOOP_MAX_ARRAYS], storage[RT_LOOP_MAX_ARRAYS], offset[LOG_MAX_OPERANDS];
    uint64_t count;
} progress;

static void save_progress(const replay *p, progress *to) {
    to->at = p->at;
    to->count = p->count;
    memcpy(to->object, p->object, sizeof to->object);
    memcpy(to->storage, p->storage, sizeof to->storage);
    for (size_t i = 0; i < p->x->log.n_operands; i++) to->offset[i] = p->bind[i].offset;
}

static void restore_progress(replay *p, const progress *from) {
    p->at = from->at;
    p->count = from->count;
    memcpy(p->object, from->object, sizeof from->object);
    memcpy(p->storage, from->storage, sizeof from->storage);
    for (size_t i = 0; i < p->x->log.n_operands; i++) p->bind[i].offset = from->offset[i];
}

/* Records the coming iterations in the graph. *ready false: it is dropped, they are still coming,
 * and another graph is tried later, when all programs may be compiled. */
static gpa_code record_graph(replay *p, gpa_device *d, launch_mode mode, bool *ready, gpa_err *e) {
    loop_graph *x = p->graph;
    progress before;
    gpa_err quiet = {0};
    *ready = false;
    save_progress(p, &before);
    gpa_code rc = d->be->graph_begin(d->dev, &x->graph, e);
    if (!rc) {
        rc = pass_iterations(p, d, mode, e);
        gpa_code ended = d->be->graph_end(d->dev, x->graph, ready, rc ? &quiet : e);
        rc = rc ? rc : ended;
    }
    if (!rc && *ready) return GPA_OK;
    restore_progress(p, &before);
    *ready = false;
    loop_graph_free(x);
    p->graph = NULL;
    p->refused = true;
    p->graph_after = 2 * MAX(p->count, p->graph_after);
    return rc;
}

static gpa_code run_graph(replay *p, gpa_device *d, bool *ready, gpa_err *e) {
    gpa_code rc = GPA_OK;
    *ready = true;
    /* Recorded again after 1, 2, 4 ... runs: with better builds of the programs. */
    const bool again = !(p->graph_runs & (p->graph_runs - 1));
    const bool same = p->recorded && !again && same_memory(p, &p->at, &p->graph_at);
    if (same && p->constant) {
        rc = pass_iterations(p, d, IN_GRAPH, e);
    } else {
        p->graph_at = p->at;
        rc = record_graph(p, d, same ? UPDATE : RECORD, ready, e);
        p->recorded = *ready;
    }
    if (rc || !*ready) return rc;
    profile_begin(p->rt, d);
    rc = d->be->graph_run(d->dev, p->graph->graph, e);
    profile_call(p->rt, d, p->graph->name, bytes_of(p) * p->trips);
    p->graph_runs++;
    return rc;
}

/* ---- results ---- */

/* The launches that only the last iteration needs: their operands are still bound. */
static gpa_code run_dead(replay *p, gpa_device *d, gpa_err *e) {
    const loop_log *g = &p->x->log;
    gpa_code rc = GPA_OK;
    for (size_t i = p->m->first_dead; p->count && i < g->n_actions && !rc; i++)
        rc = run_action(p, d, &g->actions[i], e);
    return rc;
}

/* Binds the names to the arrays that the variables hold. A buffer that only the loop refers to
 * becomes the replay's. */
static void begin(replay *p) {
    const loop_iteration *x = p->x;
    for (size_t i = 0; i < x->log.n_start; i++) {
        const log_array *a = &x->end[i];
        size_t buf = 0, object = 0, storage = 0;
        while (x->end[buf].buf != a->buf) buf++;
        while (x->end[object].given.object != a->given.object) object++;
        while (x->end[storage].storage != a->storage) storage++;
        p->object[i] = (int64_t)object;
        p->storage[i] = (int64_t)storage;
        p->first_use[i] = buf == i;
        p->taken[i] = buf == i && !p->m->kept[i] && a->given.owned && a->given.assigned &&
                      a->storage->refs == 1 && a->given.arr->refs == 1 && a->buf->owners == 1 &&
                      !a->buf->readers;
        p->at.cells[i] =
            (cell){.buf = a->buf, .owned = p->taken[buf], .number = a->storage->number};
        if (p->m->kept[i] && buf == i) {
            p->at.cells[i].storage = a->storage;
            a->storage->refs++;
        }
        a->buf->version++; /* the loop may store to it */
    }
    for (size_t i = 0; i < x->log.n_start; i++)
        if (p->taken[i]) x->end[i].storage->buf = NULL;
    for (size_t i = 0; i < x->log.n_operands; i++) p->bind[i] = x->log.operands[i].bind;
    for (size_t i = 0; i < x->log.n_actions; i++)
        memcpy(p->size[i], x->log.actions[i].size, sizeof p->size[i]);
}

/* The shape of the array that variable i holds now. */
static void shape_now(const replay *p, size_t i, int64_t *shape) {
    const log_array *a = &p->x->end[i];
    for (int d = 0; d < a->ndim; d++)
        shape[d] = a->shape[d] + p->m->shape_grows[i][d] * (int64_t)p->count;
}

/* The storage of variable i's new array, with a reference for it. */
static gpa_code find_storage(replay *p, size_t i, const rt_loop_result *made, gpa_storage **out,
                             gpa_err *e) {
    const log_array *a = &p->x->end[i];
    int64_t size = 1, shape[KIR_MAX_DIMS];
    shape_now(p, i, shape);
    for (size_t k = 0; k < i && p->storage[i] < 0 && !*out; k++)
        if (p->storage[k] == p->storage[i] && made[k].made) *out = made[k].made->storage;
    if (p->storage[i] >= 0) *out = p->x->end[p->storage[i]].storage;
    if (!*out) *out = p->at.cells[i].storage;
    if (*out) {
        (*out)->refs++;
        return GPA_OK;
    }
    for (int d = 0; d < a->ndim; d++) size *= shape[d];
    gpa_code rc = storage_of_buf_take(p->rt, p->at.cells[i].buf, (gpa_dtype)a->dtype, size, out, e);
    if (!rc) (*out)->number = p->at.cells[i].number;
    return rc;
}

/* A new array of variable i, as the model predicts it. */
static gpa_code make_array(replay *p, size_t i, rt_loop_result *results, gpa_err *e) {
    const log_array *a = &p->x->end[i];
    int64_t shape[KIR_MAX_DIMS];
    shape_now(p, i, shape);
    const arr_layout l = {(gpa_dtype)a->dtype, a->ndim, shape, a->strides,
                          a->offset + p->m->moves[i] * (int64_t)p->count};
    gpa_storage *s = NULL;
    gpa_arr *base = a->base ? a->given.arr->base : NULL;
    gpa_code rc = find_storage(p, i, results, &s, e);
    if (rc) return rc;
    rc = arr_handle(p->rt, s, &l, base, &results[i].made, e);
    if (!rc) results[i].made->readonly = a->readonly;
    storage_release(p->rt, s);
    return rc;
}

/* Sets the arrays that the variables hold after the replay, and returns the buffers taken. */
static gpa_code end(replay *p, rt_loop_result *results, gpa_err *e) {
    const loop_iteration *x = p->x;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < x->log.n_start; i++) {
        size_t same = 0;
        while (p->object[same] != p->object[i]) same++;
        p->at.cells[i].buf->version++; /* it may have been stored to */
        results[i] = (rt_loop_result){(int)MAX(p->object[i], -1), (int)same, NULL};
        if (p->storage[i] >= 0 && p->taken[p->storage[i]])
            x->end[p->storage[i]].storage->buf = p->at.cells[i].buf;
    }
    for (size_t i = 0; i < x->log.n_start && !rc; i++)
        if (p->object[i] < 0 && results[i].same == (int)i) rc = make_array(p, i, results, e);
    for (size_t i = 0; i < x->log.n_start; i++)
        if (p->first_use[i] && p->at.cells[i].storage)
            storage_release(p->rt, p->at.cells[i].storage);
    for (size_t i = 0; i < p->m->n_sizes; i++)
        while (p->at.n_free[i]) buf_remove_owner(p->rt, p->at.free[i][--p->at.n_free[i]]);
    return rc;
}

/* ---- rt_loop_replay ---- */

static void count_work(replay *p) {
    const loop_log *g = &p->x->log;
    rt_stats *s = &p->rt->stats;
    uint64_t launches = 0, calls = 0, read = 0, written = 0;
    for (size_t i = 0; i < g->n_actions; i++) {
        const uint64_t runs = i < p->m->first_dead ? p->count : p->count > 0,
                       steps = runs * (runs + 1) / 2;
        launches += g->actions[i].kind == LOG_LAUNCH ? runs : 0;
        calls += g->actions[i].kind == LOG_CALL ? runs : 0;
        read += runs * g->actions[i].bytes_read + steps * (uint64_t)p->m->read_grows[i];
        written += runs * g->actions[i].bytes_written + steps * (uint64_t)p->m->written_grows[i];
    }
    s->replayed += p->count;
    s->launches += launches;
    s->lib_calls += calls;
    s->cache_hits += launches;
    s->bytes_read += read;
    s->bytes_written += written;
    if (p->count)
        explain_replay(p->rt, &(explain_loop){p->count, launches, calls, read, written,
                                              p->graph_runs, p->trips});
}

/* Evaluates the guards and scalars of up to `most` coming iterations, one if they have inputs;
 * returns how many will run. */
static size_t look_ahead(replay *p, size_t most, rt_loop_next *next, void *user) {
    const loop_log *g = &p->x->log;
    gpa_arr *inputs[RT_LOOP_MAX_ARRAYS];
    size_t n = 0;
    while (n < most && next(user, p->ahead[n], inputs)) n++;
    for (size_t i = g->n_start; n && i < g->n_named; i++)
        p->at.cells[i] = (cell){.buf = inputs[i - g->n_start]->storage->buf};
    return n;
}

/* Runs the n coming iterations. */
static gpa_code run_ahead(replay *p, gpa_device *d, size_t n, gpa_err *e) {
    bool done = false;
    gpa_code rc = GPA_OK;
    if (p->graph && n == p->trips) rc = run_graph(p, d, &done, e);
    for (size_t k = 0; k < n && !rc && !done; k++) {
        if (k && !reserve(p, d)) return gpa_no_memory(e);
        set_params(p, k);
        rc = run_iteration(p, d, e);
        if (p->may_graph && !p->trips) find_period(p);
    }
    return rc;
}

gpa_code rt_loop_replay(gpa_rt *rt, rt_loop_next *next, void *user, rt_loop_result *results,
                        rt_loop_outcome *out, gpa_err *e) {
    struct loop_replay *r = rt->loop_replay;
    gpa_code rc = GPA_OK;
    *out = (rt_loop_outcome){0};
    if (!r->run && !(r->run = mem_new(sizeof *r->run))) return gpa_no_memory(e);
    replay *p = r->run;
    memset(p, 0, offsetof(replay, bind));
    p->rt = rt;
    p->m = &r->model;
    p->tape = r->tape;
    p->x = r->at[LOOP_RECORDED - 1];
    gpa_device *d = p->x->log.device;
    begin(p);
    begin_graphs(p, d);
    while (!rc && d && !p->exited && p->count < p->m->limit && reserve(p, d) &&
           !rt_interrupted(rt)) {
        const bool whole = uses_graph(p) && p->m->limit - p->count >= p->trips;
        const size_t most = whole ? p->trips : 1, n = look_ahead(p, most, next, user);
        rc = run_ahead(p, d, n, e);
        if (n < most) break;
    }
    if (!rc && d) rc = run_dead(p, d, e);
    if (d) rc = device_result(rt, d, rc, e);
    count_work(p);
    gpa_code ended = end(p, results, e);
    *out = (rt_loop_outcome){p->count, p->exited};
    rt_loop_stop(rt);
    return rc ? rc : ended;
}
