/* The backward pass over the records of a tape, with replay of loops.
 *
 * The records of a loop's iterations are segments of the tape. If many segments in a row repeat
 * (tape_pattern.h), the backward pass over them is a loop: its variables are the gradients of the
 * storages that a segment refers to, and each iteration has the arrays that its records keep as
 * inputs. Its iterations are logged and replayed like those of the program (exec/loop_model.h); the
 * pattern takes the place of the trace. After an iteration the gradients belong to the storages
 * that the next segment names.
 *
 * Reading order: runs of segments, the loop's arrays, recording, replaying, the walk. */
#include "runtime/array/gradients.h"
#include "runtime/array/tape_pattern.h"

enum { MIN_RUN = 12, MAX_STARTS = 4 };

struct tape_walk {
    gpa_rt *rt;
    tape_gradients *g;
    const tape_record *last, *at; /* the first one in reverse order; the next one */
    /* The run of segments that repeat from `at` on. */
    pattern p;
    segment now; /* that of `at`, number k of the pattern, while a loop is recorded */
    int64_t k;
    size_t left; /* segments of the run, with that of `at`; 0: not known */
    int starts;  /* recordings of this run that were begun */
    bool recording;
    /* The variables: the names of their storages, and whether the gradients own their memory. */
    int16_t name[RT_LOOP_MAX_ARRAYS];
    bool owned[RT_LOOP_MAX_ARRAYS];
    rt_loop_array arrays[RT_LOOP_MAX_ARRAYS];
    size_t n_variables;
    gpa_arr *held[RT_LOOP_MAX_ARRAYS]; /* at the start of the iteration, retained */
    size_t n_held;
};

/* ---- runs of segments ---- */

/* Counts the segments from `at` on that repeat. */
static void find_run(tape_walk *w) {
    w->left = 1;
    w->k = w->starts = 0;
    if (!pattern_make(&w->p, w->at)) return;
    segment pair[2];
    const segment *before = &w->p.first;
    const tape_record *r = segment_next(w->at);
    while (r && pattern_match(&w->p, (int64_t)w->left, r, before, &pair[w->left % 2])) {
        before = &pair[w->left++ % 2];
        r = segment_next(r);
    }
    w->now = w->p.first;
}

/* Goes on to the next segment of the run, which begins at `r`; false: it does not repeat. */
static bool next_segment(tape_walk *w, const tape_record *r) {
    const segment before = w->now;
    w->at = r;
    w->k++;
    w->left--;
    return w->left && pattern_match(&w->p, w->k, r, &before, &w->now);
}

/* ---- the loop's arrays ---- */

static void drop_held(tape_walk *w) {
    while (w->n_held) arr_release(w->rt, w->held[--w->n_held]);
}

static bool is_held(const tape_walk *w, const gpa_arr *a) {
    for (size_t i = 0; i < w->n_held; i++)
        if (w->held[i] == a) return true;
    return false;
}

/* Finds the variables, and what they hold. *same: they are those of the iteration before. False:
 * there are too many. */
static bool find_variables(tape_walk *w, bool *same) {
    size_t n = 0;
    *same = true;
    for (size_t i = 0; i < w->now.n_storages; i++) {
        bool owned = false;
        gpa_arr *a = gradient_of(w->rt, w->g, w->now.storage[i], &owned);
        if (!a) continue;
        if (n + w->now.n_kept == RT_LOOP_MAX_ARRAYS) return false;
        *same = *same && n < w->n_variables && w->name[n] == (int16_t)i && w->owned[n] == owned;
        w->name[n] = (int16_t)i;
        w->owned[n] = owned;
        w->arrays[n++] = (rt_loop_array){.arr = a, .object = a, .assigned = true};
    }
    *same = *same && n == w->n_variables;
    w->n_variables = n;
    for (size_t i = 0; i < n; i++) {
        gpa_arr *a = w->arrays[i].arr;
        int32_t here = is_held(w, a);
        for (size_t k = 0; k < n; k++) here += w->arrays[k].arr == a;
        w->arrays[i].owned = a->refs == here;
    }
    return true;
}

/* Adds the arrays that the records keep; false: a gradient shares memory with one of them. */
static bool add_fed(tape_walk *w) {
    for (size_t i = 0; i < w->now.n_kept; i++) {
        gpa_arr *a = w->now.kept[i];
        for (size_t k = 0; k < w->n_variables; k++)
            if (w->arrays[k].arr->storage == a->storage) return false;
        w->arrays[w->n_variables + i] = (rt_loop_array){.arr = a, .object = a};
    }
    return true;
}

/* True if a gradient of a storage of the segment `before` is of none that the coming one names. */
static bool leaves_gradient(const tape_walk *w, const segment *before) {
    bool owned;
    for (size_t i = 0; i < before->n_storages; i++) {
        bool named = false;
        for (size_t k = 0; k < w->now.n_storages && !named; k++)
            named = w->now.storage[k] == before->storage[i];
        if (!named && gradient_of(w->rt, w->g, before->storage[i], &owned)) return true;
    }
    return false;
}

static rt_loop_state state_of(tape_walk *w) {
    return (rt_loop_state){w->arrays, NULL, w->n_variables, 0, w->now.n_kept, UINT64_MAX, 0};
}

/* ---- recording ---- */

static void stop(tape_walk *w) {
    if (w->recording) rt_loop_stop(w->rt);
    w->rt->loops_held = w->rt->loops_held && !w->recording;
    w->recording = false;
    drop_held(w);
}

/* The run is not replayed. */
static void fail(tape_walk *w, rt_loop_reason why) {
    stop(w);
    w->starts = MAX_STARTS;
    rt_loop_explain(w->rt, why, 0);
}

/* The iteration over the segment of `at` begins to be logged; `first`: of a
 * recording. */
static gpa_code begin_iteration(tape_walk *w, bool first, gpa_err *e) {
    rt_loop_reason why = RT_LOOP_STRUCTURE;
    gpa_code rc = GPA_OK;
    bool same;
    if (first && w->starts++ == MAX_STARTS) {
        fail(w, why);
        return rt_loop_edge(w->rt, e);
    }
    if (!find_variables(w, &same) || !add_fed(w)) {
        fail(w, why);
        return rt_loop_edge(w->rt, e);
    }
    const rt_loop_state s = state_of(w);
    rc = rt_loop_begin(w->rt, &s, first, &why, e);
    if (rc || why) {
        fail(w, why);
        return rc;
    }
    for (size_t i = 0; i < w->n_variables; i++) w->held[w->n_held++] = arr_retain(w->arrays[i].arr);
    w->recording = w->rt->loops_held = true;
    return GPA_OK;
}

/* ---- replaying ---- */

/* True if a storage of the coming segment has a gradient from other records than those of the run
 * (the variables' own are not in the table during a replay). */
static bool has_outside_gradient(const tape_walk *w) {
    bool owned;
    for (size_t i = 0; i < w->now.n_storages; i++)
        if (gradient_of(w->rt, w->g, w->now.storage[i], &owned)) return true;
    return false;
}

/* Supplies the inputs of the coming iteration, and goes on to the segment after it. */
static bool next_iteration(void *user, rt_loop_scalar *scalars, gpa_arr **inputs) {
    tape_walk *w = user;
    (void)scalars;
    if (w->left < 2 || has_outside_gradient(w)) return false;
    for (size_t i = 0; i < w->now.n_kept; i++) {
        inputs[i] = w->now.kept[i];
        if (!inputs[i]->storage->buf) return false;
    }
    return next_segment(w, segment_next(w->at));
}

static gpa_code replay(tape_walk *w, gpa_err *e) {
    rt_loop_result results[RT_LOOP_MAX_ARRAYS] = {{0}};
    gpa_arr *before[RT_LOOP_MAX_ARRAYS], *after[RT_LOOP_MAX_ARRAYS];
    const size_t n = w->n_variables;
    rt_loop_outcome out;
    for (size_t i = 0; i < n; i++) before[i] = gradient_remove(w->g, w->now.storage[w->name[i]]);
    gpa_code rc = rt_loop_replay(w->rt, next_iteration, w, results, &out, e);
    for (size_t i = 0; i < n; i++) {
        const rt_loop_result *r = &results[i];
        after[i] = r->made;
        if (r->from >= 0)
            after[i] = arr_retain(before[r->from]);
        else if (r->same < (int)i)
            after[i] = arr_retain(after[r->same]);
    }
    for (size_t i = 0; i < n; i++) {
        arr_release(w->rt, before[i]);
        gpa_code set = gradient_set_take(w->rt, w->g, w->now.storage[w->name[i]], after[i],
                                         w->owned[i], rc ? &(gpa_err){0} : e);
        rc = rc ? rc : set;
    }
    w->starts = MAX_STARTS;
    return rc;
}

/* The segment before that of `at` is done. */
static gpa_code end_iteration(tape_walk *w, gpa_err *e) {
    rt_loop_reason why = RT_LOOP_STRUCTURE;
    bool same, ready = false;
    const segment before = w->now;
    w->recording = w->rt->loops_held = false;
    if (!next_segment(w, w->at) || leaves_gradient(w, &before) || !find_variables(w, &same)) {
        w->recording = true;
        fail(w, why);
        return rt_loop_edge(w->rt, e);
    }
    if (!same) { /* the first iterations reach storages that have no gradient yet */
        rt_loop_stop(w->rt);
        drop_held(w);
        return begin_iteration(w, true, e);
    }
    const rt_loop_state s = state_of(w);
    gpa_code rc = rt_loop_end(w->rt, &s, &ready, &why, e);
    drop_held(w);
    if (rc || why) {
        fail(w, why);
        return rc;
    }
    return ready ? replay(w, e) : begin_iteration(w, false, e);
}

/* ---- the walk ---- */

/* The end of an iteration of the backward pass. */
static gpa_code edge(tape_walk *w, gpa_err *e) {
    if (w->recording) return end_iteration(w, e);
    if (w->left) {
        w->left--;
        w->k++;
    }
    if (w->rt->tape || !rt_loops_enabled(w->rt)) return rt_loop_edge(w->rt, e);
    if (!w->left) find_run(w);
    if (w->k == 0 && w->left >= MIN_RUN) return begin_iteration(w, true, e);
    return rt_loop_edge(w->rt, e);
}

tape_walk *tape_walk_new(gpa_rt *rt, tape_gradients *g, const tape_record *last) {
    tape_walk *w = mem_zero(sizeof *w);
    if (!w) return NULL;
    w->rt = rt;
    w->g = g;
    w->last = w->at = last;
    return w;
}

void tape_walk_free(tape_walk *w) {
    stop(w);
    mem_free(w);
}

gpa_code tape_walk_next(tape_walk *w, const tape_record **out, gpa_err *e) {
    const gpa_code rc = w->at && w->at->ends_iteration ? edge(w, e) : GPA_OK;
    *out = w->at;
    if (w->at)
        w->at = w->at->before;
    else
        tape_explain(w->rt, w->last);
    return rc;
}
