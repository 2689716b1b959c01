/* Replay of loops: back-edges.
 *
 * After a few iterations the body is traced (loop_trace.h) and the runtime logs three of them, or
 * one of a loop that was replayed before. Then rt_loop_replay runs the loop until a guard of the
 * scalar program fails, a computed value ends it or an interrupt arrives; the interpreter continues
 * with the iteration that was not replayed, or after the loop. A loop that cannot be replayed, or
 * that the interpreter was measured to run faster, is not tried again for a while, which doubles
 * each time.
 *
 * Reading order: the loop's arrays, replaying, recording, loop_edge. */
#include "lang/vm/loop.h"

#include <string.h>

#include "lang/vm/iterate.h"
#include "lang/vm/loop_trace.h"
#include "lang/vm/loop_liveness.h"
#include "lang/text/source.h"
#include "lang/vm/step.h"
#include "runtime/tape.h"

enum {
    SITES = 64,
    FIRST_TRACE = 3,
    RETRY_WAIT = 2,
    FIRST_WAIT = 64,
    MAX_WAIT = 1 << 20,
    MIN_REPLAYED = 8,
    MEASURED_EACH = 8, /* executions */
    FEW_RECORDED = 2,  /* iterations, where the model was kept */
    MAX_RUNNING = 16,
};

/* A loop by the address of its first instruction. */
typedef struct {
    const ins *head, *last; /* its last instruction; NULL: it was not traced yet */
    uint32_t wait, skip;    /* iterations to wait after a failure; those that are left */
    bool replayed;          /* and not refused since: it is traced early in its next execution */
    uint32_t replays;       /* executions that were replayed */
    double interpreted;     /* seconds of an iteration, the least measured; 0: unknown */
    bool examined;
    loop_dead_vars dead; /* once examined */
} site;

/* A loop that runs: the depth of its frame, the edges that were seen in this execution, the
 * iterations that were left at the last one. */
typedef struct {
    const ins *head;
    uint32_t depth, count;
    uint64_t left;
} running;

struct loop_state {
    site sites[SITES];
    running running[MAX_RUNNING]; /* the innermost one last */
    size_t n_running;
    running recorded; /* the loop that is recorded, and how many iterations of it were */
    bool recording;
    double edge, began; /* rt_loop_clock at the first edge of a loop, and when recording began */
    loop_trace trace;
    value held[RT_LOOP_MAX_ARRAYS]; /* arrays at the start of the iteration, retained */
    size_t n_held;
    /* Of the loop that is recorded, retained, since it may end unnoticed (break): */
    value iterator;
    dict_obj *objects[LOOP_MAX_OBJECTS]; /* attributes */
    size_t n_objects;
    rt_loop_array arrays[RT_LOOP_MAX_ARRAYS];
    rt_loop_scalar scalars[RT_LOOP_MAX_SCALARS];
};

/* The iterator of a loop that was traced before; UNSET: it has none, or is not known. */
static value iterator_of(const frame *f, const site *x) {
    const code *c = f->code;
    const bool known = x->last >= c->ins && x->last < c->ins + c->n_ins && x->last->op == I_NEXT;
    return known ? f->regs[x->last->a] : v_unset();
}

/* The iterations of a loop over a range after the one that begins; at most that many of another. */
static uint64_t iterations_left(value iterator) {
    const bool known = iterator.tag == V_ITER && iterator.iter->next == iter_range_next;
    return known ? (uint64_t)MAX(iterator.iter->end - 1, 0) : UINT64_MAX;
}

/* ---- the loop's arrays ---- */

static void drop_held(gpa_vm *vm, struct loop_state *s) {
    while (s->n_held) value_release(vm, s->held[--s->n_held]);
}

/* Describes what the variables hold; false: one holds no array. */
static bool find_arrays(struct loop_state *s) {
    loop_trace *t = &s->trace;
    for (size_t i = 0; i < t->n_arrays; i++) {
        value v = t->arrays[i].at ? *t->arrays[i].at : t->arrays[i].held;
        if (v.tag != V_ARRAY) return false;
        int32_t here = 0;
        for (size_t k = 0; k < t->n_arrays; k++)
            here += t->arrays[k].at && t->arrays[k].at->tag == V_ARRAY && t->arrays[k].at->o == v.o;
        s->arrays[i] = (rt_loop_array){.arr = v.array->arr,
                                       .object = v.o,
                                       .assigned = t->arrays[i].assigned,
                                       .read = t->arrays[i].read,
                                       .late = t->arrays[i].late,
                                       .owned = v.o->refs == here};
    }
    return true;
}

static void hold_arrays(struct loop_state *s) {
    loop_trace *t = &s->trace;
    for (size_t i = 0; i < t->n_arrays; i++)
        s->held[s->n_held++] = value_retain(t->arrays[i].at ? *t->arrays[i].at : t->arrays[i].held);
}

/* False: globals or attributes have moved, since one was added. */
static bool same_places(const struct loop_state *s) {
    const loop_trace *t = &s->trace;
    for (size_t i = 0; i < t->n_objects; i++)
        if (t->objects[i].fields->entries != t->objects[i].entries) return false;
    for (size_t i = 0; i < t->n_modules; i++)
        if (t->modules[i].module->slots != t->modules[i].slots) return false;
    return true;
}

/* False: a variable holds a NumPy scalar at one end of the iteration and an array at the other. */
static bool same_kinds(const struct loop_state *s) {
    const loop_trace *t = &s->trace;
    for (size_t i = 0; i < t->n_arrays; i++)
        if (t->arrays[i].at && t->arrays[i].at->aux != s->held[i].aux) return false;
    return true;
}

static rt_loop_state runtime_state(struct loop_state *s) {
    const loop_trace *t = &s->trace;
    return (rt_loop_state){.arrays = s->arrays,
                           .scalars = s->scalars,
                           .n_arrays = t->n_arrays,
                           .n_scalars = t->n_given,
                           .left = iterations_left(t->iterator),
                           .key = t->key};
}

/* ---- replaying ---- */

static bool next_iteration(void *user, rt_loop_scalar *scalars, gpa_arr **inputs) {
    gpa_vm *vm = user;
    (void)inputs;
    return !vm_wants_visit(vm) && loop_scalars_run(&vm->loops->trace, scalars);
}

/* Stores what the replay left in the variables. */
static gpa_code store_arrays(gpa_vm *vm, struct loop_state *s, rt_loop_result *results) {
    loop_trace *t = &s->trace;
    value now[RT_LOOP_MAX_ARRAYS];
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < t->n_arrays; i++) {
        const rt_loop_result *r = &results[i];
        if (r->from >= 0)
            now[i] = value_retain(s->held[r->from]);
        else if (r->same < (int)i)
            now[i] = value_retain(now[r->same]);
        else
            now[i] = r->made ? v_array_take(vm, r->made, s->held[i].aux) : v_unset();
        if (now[i].tag == V_UNSET && !rc) rc = vm_no_memory(vm);
    }
    for (size_t i = 0; i < t->n_arrays; i++) {
        if (t->arrays[i].at && t->arrays[i].assigned && now[i].tag != V_UNSET)
            reg_put(vm, t->arrays[i].at, now[i]);
        else
            value_release(vm, now[i]);
    }
    return rc;
}

static gpa_code replay(gpa_vm *vm, struct loop_state *s, rt_loop_outcome *out) {
    rt_loop_result results[RT_LOOP_MAX_ARRAYS];
    hold_arrays(s);
    loop_scalars_load(&s->trace);
    gpa_code rc = rt_loop_replay(vm->core.rt, next_iteration, vm, results, out, &vm->core.err);
    if (out->exited) loop_scalars_leave(&s->trace);
    if (out->count) {
        loop_scalars_store(&s->trace);
        gpa_code stored = store_arrays(vm, s, results);
        rc = rc ? rc : stored;
    }
    drop_held(vm, s);
    return rc;
}

/* ---- recording ---- */

static site *site_of(struct loop_state *s, const ins *head) {
    site *x = &s->sites[((uintptr_t)head >> 3) % SITES];
    if (x->head != head) *x = (site){.head = head};
    return x;
}

/* Retains what the trace refers to. */
static void hold_roots(struct loop_state *s) {
    const loop_trace *t = &s->trace;
    s->iterator = value_retain(t->iterator);
    for (s->n_objects = 0; s->n_objects < t->n_objects; s->n_objects++)
        s->objects[s->n_objects] =
            value_retain(v_obj(V_DICT, t->objects[s->n_objects].fields)).dict;
}

static void drop_roots(gpa_vm *vm, struct loop_state *s) {
    const value v = s->iterator;
    s->iterator = v_unset();
    value_release(vm, v);
    while (s->n_objects) value_release(vm, v_obj(V_DICT, s->objects[--s->n_objects]));
}

static void stop(gpa_vm *vm, struct loop_state *s) {
    rt_loop_stop(vm->core.rt);
    drop_held(vm, s);
    drop_roots(vm, s);
    s->recording = false;
}

/* Ends the recording. The loop is not tried again for a while, which doubles each time. */
static void stop_and_wait(gpa_vm *vm, struct loop_state *s, site *x, uint32_t first) {
    stop(vm, s);
    x->wait = x->wait ? MIN(2 * x->wait, MAX_WAIT) : first;
    x->skip = x->wait;
    x->replayed = false;
}

/* The loop could not be replayed, or (why RT_LOOP_FINE) the replay was too short or did not gain.
 */
static void fail_at(gpa_vm *vm, struct loop_state *s, site *x, rt_loop_reason why, gpa_span at) {
    const source *text = source_get(vm->core.sources, at.src);
    const bool soon = x->replayed || why == RT_LOOP_LONG; /* programs may have been loaded */
    stop_and_wait(vm, s, x, soon ? RETRY_WAIT : FIRST_WAIT);
    rt_loop_explain(vm->core.rt, why, text ? source_at(text, at.lo).line : 0);
}

static void fail(gpa_vm *vm, struct loop_state *s, site *x, rt_loop_reason why) {
    fail_at(vm, s, x, why, (gpa_span){0, 0, 0});
}

/* The next iteration begins to be logged; `first`: of a recording. */
static gpa_code begin_iteration(gpa_vm *vm, struct loop_state *s, site *x, bool first) {
    rt_loop_reason why = RT_LOOP_FINE;
    gpa_code rc = GPA_OK;
    loop_scalars_load(&s->trace);
    if (!loop_scalars_run(&s->trace, s->scalars) || !find_arrays(s)) {
        stop_and_wait(vm, s, x, RETRY_WAIT); /* such as slices that are still empty */
        return rt_loop_edge(vm->core.rt, &vm->core.err);
    }
    const rt_loop_state state = runtime_state(s);
    rc = rt_loop_begin(vm->core.rt, &state, first, &why, &vm->core.err);
    if (rc || why) {
        fail(vm, s, x, why);
        return rc;
    }
    hold_arrays(s);
    s->recording = true;
    return GPA_OK;
}

/* False: an execution with a known model took longer than interpreting it would have. */
static bool gained(const gpa_vm *vm, const struct loop_state *s, const site *x, uint64_t replayed) {
    const double spent = rt_loop_clock(vm->core.rt) - s->began,
                 most = x->interpreted * (double)(s->recorded.count + replayed);
    return s->recorded.count > FEW_RECORDED || x->interpreted <= 0 || spent < 1.05 * most;
}

/* Notes an edge, and measures an iteration that is interpreted: between the first two edges of an
 * execution, if they follow each other. (Iterations without array operations have no edges.) */
static void note_edge(const gpa_vm *vm, struct loop_state *s, site *x, running *r, uint64_t left) {
    const bool follows = left == UINT64_MAX || left + 1 == r->left;
    if (left != UINT64_MAX && left >= r->left) r->count = 0;
    r->left = left;
    if (++r->count > 2 || rt_loop_is_batched(vm->core.rt)) return;
    const double now = rt_loop_clock(vm->core.rt), spent = now - s->edge;
    if (r->count == 2 && follows && s->edge > 0 && spent > 0)
        x->interpreted = x->interpreted > 0 ? MIN(x->interpreted, spent) : spent;
    s->edge = r->count == 1 ? now : 0;
}

static gpa_code end_iteration(gpa_vm *vm, struct loop_state *s, site *x, frame *f) {
    rt_loop_reason why;
    bool ready = false;
    rt_loop_outcome out = {0};
    gpa_code rc = GPA_OK;
    s->recording = false;
    s->recorded.count++;
    const bool there = same_places(s);
    if (there && !loop_scalars_arrived(&s->trace)) {
        stop(vm, s);
        return rt_loop_edge(vm->core.rt, &vm->core.err);
    }
    if (!there || !find_arrays(s) || !same_kinds(s)) {
        fail(vm, s, x, RT_LOOP_STRUCTURE);
        return rt_loop_edge(vm->core.rt, &vm->core.err);
    }
    const rt_loop_state state = runtime_state(s);
    rc = rt_loop_end(vm->core.rt, &state, &ready, &why, &vm->core.err);
    drop_held(vm, s);
    if (rc || why) {
        fail_at(vm, s, x, why, rt_loop_refused_at(vm->core.rt));
        return rc;
    }
    if (!ready) return begin_iteration(vm, s, x, false);
    rc = replay(vm, s, &out);
    if (out.exited) f->ip = s->trace.exit;
    drop_roots(vm, s);
    if (out.count < MIN_REPLAYED || !gained(vm, s, x, out.count)) {
        x->replayed = false;
        fail(vm, s, x, RT_LOOP_FINE);
    } else {
        x->replayed = true;
        x->replays++;
        x->wait = x->skip = 0;
    }
    return rc;
}

/* Begins to record. `entered`: at the first edge of an execution, where variables of the body may
 * be unset; the next one is tried then. */
static gpa_code start(gpa_vm *vm, struct loop_state *s, const frame *f, site *x, bool entered) {
    gpa_rt *rt = vm->core.rt;
    const bool batched = rt_loop_is_batched(rt);
    s->began = rt_loop_clock(rt);
    rt_loop_reason why = vm->floats.watched ? RT_LOOP_WATCHED : loop_trace_make(vm, f, &s->trace);
    x->last = s->trace.last;
    if (why == RT_LOOP_STRUCTURE && entered) return rt_loop_edge(rt, &vm->core.err);
    if (!why && batched && !s->trace.unrolls) why = RT_LOOP_BATCHED;
    gpa_code rc = !why && batched ? rt_flush(rt, &vm->core.err) : GPA_OK;
    if (rc || why) {
        fail_at(vm, s, x, why, s->trace.refused_at);
        return rc ? rc : rt_loop_edge(rt, &vm->core.err);
    }
    drop_roots(vm, s);
    hold_roots(s);
    s->recorded = (running){f->ip, vm->depth, 0, 0};
    return begin_iteration(vm, s, x, true);
}

/* ---- loop_edge ---- */

void loop_leave(gpa_vm *vm) {
    if (vm->loops && vm->loops->recording) stop(vm, vm->loops);
}

void loop_warns(gpa_vm *vm) {
    struct loop_state *s = vm->loops;
    if (s && s->recording) fail(vm, s, site_of(s, s->recorded.head), RT_LOOP_WARNING);
}

void loop_free(gpa_vm *vm) {
    if (!vm->loops) return;
    drop_held(vm, vm->loops);
    drop_roots(vm, vm->loops);
    mem_free(vm->loops);
    vm->loops = NULL;
}

/* The loop at an edge. Loops around it stay known: those of calling functions, and in the same
 * function those that begin before it. */
static running *running_at(struct loop_state *s, const ins *head, uint32_t depth) {
    size_t n = s->n_running;
    running *r = s->running;
    while (n && (r[n - 1].depth > depth || (r[n - 1].depth == depth && r[n - 1].head > head))) n--;
    if (n && r[n - 1].head == head && r[n - 1].depth == depth) {
        s->n_running = n;
        return &r[n - 1];
    }
    if (n == MAX_RUNNING) memmove(r, r + 1, --n * sizeof *r);
    r[n] = (running){head, depth, 0, 0};
    s->n_running = n + 1;
    return &r[n];
}

/* An edge while a loop is recorded; *done false: the recording has ended, and this is an edge as
 * any. */
static gpa_code recorded_edge(gpa_vm *vm, struct loop_state *s, frame *f, bool *done) {
    const bool own = s->recorded.head == f->ip && s->recorded.depth == vm->depth;
    const ins *at = vm->depth >= s->recorded.depth ? vm->frames[s->recorded.depth - 1].ip : NULL;
    const bool within = at && at >= s->recorded.head && at <= s->trace.last;
    *done = own || (s->trace.unrolls && within);
    if (own) return end_iteration(vm, s, site_of(s, f->ip), f);
    if (*done) return rt_loop_inner_edge(vm->core.rt, &vm->core.err);
    stop(vm, s);
    return GPA_OK;
}

/* The edge at which a loop is traced. In some executions of one that is replayed, an iteration is
 * measured before. */
static uint32_t first_trace(const gpa_rt *rt, const site *x) {
    if (!x->replayed) return FIRST_TRACE;
    if (rt_loop_gains_from_elements(rt)) return 1;
    return x->interpreted > 0 && x->replays % MEASURED_EACH ? 1 : 2;
}

/* Marks what only variables hold that no later iteration reads: it is not computed for its own
 * sake. */
static void mark_dead(site *x, const frame *f) {
    if (f->code->ops) return;
    if (!x->examined) loop_find_dead(f->code, f->ip, &x->dead);
    x->examined = true;
    for (unsigned k = 0; k < COUNT_OF(x->dead.bits); k++)
        for (uint64_t left = x->dead.bits[k]; left; left &= left - 1) {
            const unsigned reg = 64 * k + (unsigned)__builtin_ctzll(left);
            if (reg >= f->code->n_vars) return; /* other code was at this address */
            const value v = f->regs[reg];
            if (v.tag == V_ARRAY && v.o->refs == 1) rt_loop_dead(v.array->arr);
        }
}

gpa_code loop_edge(gpa_vm *vm, frame *f) {
    gpa_rt *rt = vm->core.rt;
    tape_note_edge(rt);
    if (!rt_loops_enabled(rt)) return rt_loop_edge(rt, &vm->core.err);
    struct loop_state *s = vm->loops;
    if (!s && !(s = vm->loops = mem_zero(sizeof *s))) return vm_no_memory(vm);
    running *r = running_at(s, f->ip, vm->depth);
    site *x = site_of(s, f->ip);
    mark_dead(x, f);
    if (s->recording) {
        bool done;
        gpa_code rc = recorded_edge(vm, s, f, &done);
        if (done) r->count = 0;
        if (rc || done) return rc;
    }
    if (x->skip) {
        x->skip--;
        return rt_loop_edge(rt, &vm->core.err);
    }
    const uint64_t left = iterations_left(iterator_of(f, x));
    note_edge(vm, s, x, r, left);
    if (r->count < first_trace(rt, x) || left < MIN_REPLAYED || f->detached || f->code->jit ||
        f->code->ops)
        return rt_loop_edge(rt, &vm->core.err);
    const bool entered = r->count == 1;
    gpa_code rc = start(vm, s, f, x, entered);
    if (!entered || s->recording) r->count = 0;
    return rc;
}
