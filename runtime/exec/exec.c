/* Execution of plans: fuse, lower, allocate, look up or build programs, launch, settle.
 *
 * Invariant: a step's roots become leaves as soon as it is launched, so later steps read them
 * from memory. If a step fails, earlier steps stay done and the rest stays pending.
 *
 * Reading order: deferred errors, memory, one step, plans. */
#include "runtime/exec/exec.h"

#include <stdio.h>

#include "runtime/exec/captured.h"
#include "runtime/exec/concat_slices.h"
#include "runtime/exec/product.h"
#include "runtime/exec/program_cache.h"
#include "runtime/exec/deferred_error.h"
#include "runtime/exec/explain.h"
#include "runtime/plan/lower.h"
#include "runtime/plan/plan_cache.h"
#include "runtime/exec/profile.h"
#include "runtime/exec/loop_batch.h"
#include "runtime/exec/loop_log.h"
#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"

struct exec {
    fuse_plan plan;
    lowered low;
    plan_cache *plans;
    bool known;   /* plan cache hit: nothing is fused or lowered */
    bool watched; /* %explain or a profile records the steps, so the plan cache is not used */
    bool busy;    /* a plan is being run: plans do not nest */
    program_cache_entry *ran; /* the program of the last step of a plan; valid until the next
                                 lookup */
    captured_program captured[CAPTURED_SLOTS];
    deferred_queue deferred; /* launches that may have failed */
};

static gpa_code scratch(gpa_rt *rt, gpa_err *e) {
    if (rt->exec) return GPA_OK;
    if (!(rt->exec = mem_zero(sizeof *rt->exec))) return gpa_no_memory(e);
    rt->exec->plans = plan_cache_new((plan_programs){program_retain, program_release});
    return GPA_OK;
}

void exec_free(gpa_rt *rt) {
    struct exec *x = rt->exec;
    if (!x) return;
    deferred_settle(&x->deferred, NULL, false, true, NULL);
    fuse_free(&x->plan);
    lower_free(&x->low);
    plan_cache_free(x->plans);
    for (size_t i = 0; i < CAPTURED_SLOTS; i++) captured_free(&x->captured[i]);
    mem_free(x);
    rt->exec = NULL;
}

/* ---- deferred errors ---- */

gpa_code exec_add_fault_record(gpa_rt *rt, gpa_device *d, const kir_func *f, bool raises,
                               kir_fault_record **out, gpa_err *e) {
    deferred_error *x;
    gpa_code rc = scratch(rt, e);
    if (!rc)
        rc = deferred_push(&rt->exec->deferred, &(deferred_launch){d, f, raises, NULL, 0}, &x, e);
    if (!rc) *out = deferred_record(x);
    return rc;
}

bool exec_may_stop(const gpa_device *d, const kir_func *f) {
    for (size_t i = 0; i < f->n_code && !d->caps.host_visible; i++)
        if ((f->code[i].code == KIR_FOR && f->code[i].imm != KIR_SHORT_LOOP) ||
            f->code[i].code == KIR_LOOP)
            return true;
    return false;
}

size_t exec_unsettled(const gpa_rt *rt) { return rt->exec ? rt->exec->deferred.n : 0; }
bool exec_may_raise(const gpa_rt *rt) { return rt->exec && rt->exec->deferred.n_raising; }
bool exec_is_busy(const gpa_rt *rt) { return rt->exec && rt->exec->busy; }

gpa_code exec_report_faults(gpa_rt *rt, gpa_device *d, gpa_code waited, gpa_err *e) {
    if (!rt->exec || (waited && waited != GPA_E_INTERRUPT && waited != GPA_E_DEVICE)) return waited;
    gpa_code rc =
        deferred_settle(&rt->exec->deferred, d, waited == GPA_E_INTERRUPT, !rt_interrupted(rt), e);
    return waited ? waited : rc;
}

gpa_code exec_wait(gpa_rt *rt, gpa_device *d, gpa_err *e) {
    loop_log_refuse(rt, RT_LOOP_READ);
    return exec_wait_launched(rt, d, e);
}

gpa_code exec_wait_launched(gpa_rt *rt, gpa_device *d, gpa_err *e) {
    if (exec_is_idle(rt, d)) return GPA_OK;
    gpa_code rc = device_result(rt, d, d->be->sync(d->dev, e), e);
    if (!rc) d->idle_since = rt->stats.launches + rt->stats.lib_calls + 1; /* 0: never yet */
    return exec_report_faults(rt, d, rc, e);
}

/* ---- memory ---- */

enum { MAX_NAMES = 3 };

/* The largest named arrays of a device so far; views of one buffer count once. */
typedef struct {
    const gpa_device *d;
    struct {
        char name[32];
        uint64_t bytes;
        const gpa_buf *buf;
    } top[MAX_NAMES];
} largest_names;

static void note_name(void *to, const char *name, const gpa_arr *a) {
    largest_names *n = to;
    const gpa_buf *b = a->storage->buf;
    if (!b || b->device != n->d) return;
    for (int i = 0; i < MAX_NAMES; i++) {
        if (n->top[i].buf == b) return;
        if (b->bytes <= n->top[i].bytes) continue;
        memmove(&n->top[i + 1], &n->top[i], (size_t)(MAX_NAMES - 1 - i) * sizeof n->top[0]);
        n->top[i].bytes = b->bytes;
        n->top[i].buf = b;
        snprintf(n->top[i].name, sizeof n->top[i].name, "%s", name);
        return;
    }
}

/* "cuda:0: 60.1 GiB in use, 2.00 GiB cached, 17.0 GiB free of 79.2 GiB" */
static void put_usage(gpa_rt *rt, gpa_device *d, gpa_str *out) {
    char a[32], b[32];
    uint64_t live, cached, limit = 0;
    gpa_caps now;
    d->be->caps(d->dev, &now);
    buf_usage(d, &live, &cached);
    str_printf(out, "%s: %s in use, %s cached", d->caps.name, str_bytes(a, (double)live),
               str_bytes(b, (double)cached));
    if (now.mem_total)
        str_printf(out, ", %s free of %s", str_bytes(a, (double)now.mem_free),
                   str_bytes(b, (double)now.mem_total));
    if (!buf_limit(rt, d, &limit, NULL) && limit && limit != d->caps.mem_total)
        str_printf(out, ", limit %s (GPA_MEMORY_LIMIT)", str_bytes(a, (double)limit));
}

static gpa_code fail_out_of_memory(gpa_rt *rt, gpa_device *d, const arr_spec *x, double bytes,
                                   gpa_err *e) {
    char requested[32], size[32], text[SHAPE_TEXT];
    gpa_str s;
    /* NumPy formats this shape as a Python tuple. */
    str_init(&s);
    str_putc(&s, '(');
    for (int k = 0; k < x->ndim; k++)
        str_printf(&s, "%s%lld", k ? ", " : "", (long long)x->shape[k]);
    str_put(&s, x->ndim == 1 ? ",)" : ")");
    snprintf(text, sizeof text, "%s", s.text);
    str_clear(&s);
    largest_names n = {.d = d};
    if (rt->config.name_arrays) rt->config.name_arrays(rt->config.user, note_name, &n);
    put_usage(rt, d, &s);
    for (int i = 0; i < MAX_NAMES && n.top[i].bytes; i++)
        str_printf(&s, "%s%s %s", i ? ", " : "\nlargest: ", n.top[i].name,
                   str_bytes(size, (double)n.top[i].bytes));
    gpa_fail(e, GPA_E_MEMORY,
             "Unable to allocate %s for an array with shape %s and data type %s\n%s",
             str_numpy_bytes(requested, bytes), text, dtype_info[x->dtype].name, s.text);
    if (n.top[0].bytes) gpa_err_hint(e, "`del %s` gives its memory back", n.top[0].name);
    str_free(&s);
    return GPA_E_MEMORY;
}

static gpa_code alloc_on(gpa_rt *rt, gpa_device *d, const arr_spec *x, gpa_buf **out, gpa_err *e) {
    int64_t size;
    gpa_code rc = shape_check(x->ndim, x->shape, dtype_size(x->dtype), &size, e);
    if (rc) return rc;
    size_t n = (size_t)size * dtype_size(x->dtype);
    gpa_err first; /* cleared, not zeroed: this runs for every result */
    gpa_err_clear(&first);
    rc = buf_new(rt, d, n, out, &first);
    if (rc && rc != GPA_E_MEMORY) {
        gpa_fail(e, rc, "%s", first.msg);
        if (*first.hint) gpa_err_hint(e, "%s", first.hint);
    }
    if (rc != GPA_E_MEMORY) return rc;
    gpa_err_clear(&first);
    if (buf_compact(rt, d) && !buf_new(rt, d, n, out, &first)) return GPA_OK;
    bool busy = rt->exec && rt->exec->busy;
    if (!busy && rt->n_pending) {
        gpa_err quiet = {0};
        if (!exec_pending(rt, CUT_MEMORY, &quiet)) {
            buf_trim(rt, d);
            if (!buf_new(rt, d, n, out, &quiet)) return GPA_OK;
        }
    }
    return fail_out_of_memory(rt, d, x, (double)n, e);
}

gpa_code exec_alloc(gpa_rt *rt, const arr_spec *x, gpa_buf **out, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    return rc ? rc : alloc_on(rt, d, x, out, e);
}

gpa_code exec_check_capacity(gpa_rt *rt, const arr_spec *x, gpa_err *e) {
    gpa_device *d;
    int64_t size;
    gpa_code rc = shape_check(x->ndim, x->shape, dtype_size(x->dtype), &size, e);
    if (!rc) rc = device_default(rt, &d, e);
    if (rc) return rc;
    uint64_t bytes = (uint64_t)size * dtype_size(x->dtype), total = d->caps.mem_total;
    return total && bytes > total ? fail_out_of_memory(rt, d, x, (double)bytes, e) : GPA_OK;
}

/* ---- one step ---- */

/* Allocates memory for the roots and binds it to their arrays. */
static gpa_code bind_fresh(gpa_rt *rt, gpa_device *d, lowered *l, gpa_buf **fresh, gpa_err *e) {
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (!l->fresh[i]) continue;
        const node *n = l->fresh[i]->value;
        const arr_spec x = {(gpa_dtype)n->dtype, n->ndim, n->shape};
        gpa_code rc = alloc_on(rt, d, &x, &fresh[i], e);
        if (rc && e) gpa_fail_at(e, n->span);
        if (rc) return rc;
        l->bind[i].mem = fresh[i]->mem;
    }
    for (size_t i = 0; i < l->n_arrays; i++)
        if (l->buf[i]) l->bind[i].mem = l->buf[i]->mem; /* buf_compact may have moved them */
    return GPA_OK;
}

/* The device of a step: that of its store's target, else the one all operands share, else the
 * current one. */
static gpa_device *step_device(const gpa_rt *rt, int s, gpa_device *current) {
    const fuse_plan *p = &rt->exec->plan;
    const lowered *l = &rt->exec->low;
    gpa_device *d = NULL;
    if (!rt->devices->next) return current;
    for (size_t i = 0; i < p->n_root; i++)
        if (p->root[i].step == s && p->root[i].into) return p->root[i].into->storage->buf->device;
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (!l->buf[i]) continue;
        if (d && d != l->buf[i]->device) return current;
        d = l->buf[i]->device;
    }
    return d ? d : current;
}

/* Copies operands on other devices to d, for the duration of the launch. */
static gpa_code copy_operands(gpa_rt *rt, gpa_device *d, lowered *l, gpa_buf **here, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < l->n_arrays && !rc; i++) {
        gpa_buf *b = l->buf[i];
        size_t same = 0;
        if (!b || b->device == d) continue;
        while (l->buf[same] != b) same++;
        if (same < i) {
            l->bind[i].mem = l->bind[same].mem;
            continue;
        }
        TRY(buf_new(rt, d, b->bytes, &here[i], e));
        TRY(buf_copy(rt, &(buf_transfer){.to = here[i], .from = b, .n = b->bytes}, e));
        l->bind[i].mem = here[i]->mem;
    }
out:
    return rc;
}

/* Seconds of compilation at launches, and interpreted launches. */
static double launch_compile_seconds(const gpa_device *d, const gpa_prog *prog) {
    return d->be->compile_seconds ? d->be->compile_seconds(prog) : 0;
}
static uint64_t interpreted(const gpa_device *d, const gpa_prog *prog) {
    return d->be->interpreted ? d->be->interpreted(prog) : 0;
}

/* Runs a program; if it lacks workspace memory, trims the pool and tries again. */
static gpa_code run_once(gpa_rt *rt, gpa_device *d, gpa_prog *prog, const gpa_launch *l,
                         gpa_err *e) {
    gpa_err first; /* cleared, not zeroed, since this runs for every launch */
    gpa_err_clear(&first);
    gpa_code rc = d->be->run(d->dev, prog, l, &first);
    if (rc != GPA_E_MEMORY) return rc ? gpa_fail(e, rc, "%s", first.msg) : GPA_OK;
    buf_trim(rt, d);
    return d->be->run(d->dev, prog, l, e);
}

/* Runs a program once, or once for each point of the dimensions that the host iterates over.
 * `fault` (NULL: it cannot fault): where it reports. */
static gpa_code launch(gpa_rt *rt, gpa_device *d, gpa_prog *prog, lowered *l,
                       kir_fault_record *fault, gpa_err *e) {
    double before = launch_compile_seconds(d, prog);
    uint64_t slow = interpreted(d, prog);
    gpa_launch run = {.arrays = l->bind, .params = l->params, .fault = fault};
    memcpy(run.size, l->size, sizeof run.size);
    gpa_code rc = GPA_OK;
    int64_t at[LOWER_LOOPS] = {0};
    while (!rc) {
        rc = run_once(rt, d, prog, &run, e);
        rt->stats.launches++;
        if (!rc && rt_interrupted(rt)) rc = gpa_interrupted(e);
        int k = l->n_loops - 1;
        for (; k >= 0; k--) { /* the next point of the dimensions that the host iterates over */
            bool more = ++at[k] < l->loop_size[k];
            int64_t back = more ? 1 : 1 - l->loop_size[k];
            for (size_t i = 0; i < l->n_arrays; i++)
                l->bind[i].offset += back * l->loop_stride[i][k];
            if (more) break;
            at[k] = 0;
        }
        if (k < 0) break;
    }
    rt->stats.compile_seconds += launch_compile_seconds(d, prog) - before;
    rt->stats.interpreted += interpreted(d, prog) - slow;
    return rc;
}

/* A store overwrites memory that stays valid if the program faults, so the values it stores must be
 * known to be valid first: waits for the device if an operand is deferred. */
static gpa_code settle_stored(gpa_rt *rt, gpa_device *d, const lowered *l, gpa_err *e) {
    bool stores = false, open = false;
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (!l->buf[i]) continue;
        stores = stores || (l->stored >> i & 1);
        open = open || deferred_is_open(l->buf[i]->deferred);
    }
    return stores && open ? exec_wait(rt, d, e) : GPA_OK;
}

/* The unsettled records that a step's operands depend on, each once; how many. */
static size_t open_operands(const lowered *l, deferred_error **open) {
    size_t n = 0;
    for (size_t i = 0; i < l->n_arrays; i++) {
        deferred_error *x = l->buf[i] ? l->buf[i]->deferred : NULL;
        size_t k = 0;
        while (k < n && open[k] != x) k++;
        if (k == n && deferred_is_open(x)) open[n++] = x;
    }
    return n;
}

/* The record that the step's results depend on, in *own (owned by the caller; NULL: none). It is
 * new if the program may fault, or if the operands depend on several records. */
static gpa_code defer_results(gpa_rt *rt, gpa_device *d, const lowered *l, bool raises,
                              deferred_error **own, gpa_err *e) {
    deferred_error *open[KIR_MAX_ARRAYS], *x = NULL;
    size_t n = open_operands(l, open);
    bool faults = l->faults && !l->empty;
    gpa_code rc = GPA_OK;
    if (faults || n > 1)
        rc = deferred_push(&rt->exec->deferred,
                           &(deferred_launch){d, faults ? l->f : NULL, faults && raises, open, n},
                           &x, e);
    else if (n)
        x = open[0];
    if (!rc) *own = deferred_retain(x);
    return rc;
}

/* Makes the roots leaves on their new memory, which depends on `record`. */
static void settle(gpa_rt *rt, lowered *l, gpa_buf **fresh, deferred_error *record) {
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (!l->fresh[i]) continue;
        fuse_root *r = l->fresh[i];
        gpa_buf *b = fresh[i];
        b->deferred = deferred_retain(record);
        fresh[i] = NULL;
        if (!node_is_leaf(r->value)) node_materialize(rt, r->value, b);
        if (r->storage)
            storage_settle(rt, r->storage, b);
        else
            buf_remove_owner(rt, b);
    }
}

/* Runs the i-th step in order. */
static gpa_code run_step(gpa_rt *rt, gpa_device *current, size_t i_step, bool *hazard, gpa_err *e) {
    struct exec *x = rt->exec;
    lowered *l = &x->low;
    gpa_buf *fresh[KIR_MAX_ARRAYS]; /* memory of roots; copies of operands from other devices */
    program_cache_entry *program = NULL;
    int s = x->plan.order[i_step];
    deferred_error *own = NULL;
    gpa_device *d = current;
    bool built = false, raises = false;
    if (rt_interrupted(rt)) return gpa_interrupted(e);
    gpa_code rc = GPA_OK;
    if (x->known)
        plan_cache_lower(x->plans, &x->plan, i_step, l, &program);
    else
        rc = lower(rt, &x->plan, s, l, e);
    if (rc) return rc;
    if (l->hazard) {
        *hazard = true;
        return GPA_OK;
    }
    for (size_t i = 0; i < l->n_arrays; i++) fresh[i] = NULL;
    for (size_t i = 0; i < l->n_arrays; i++)
        if (l->buf[i]) TRY(buf_check(l->buf[i], e));
    d = step_device(rt, s, current);
    raises = !x->known && l->faults;
    if (!x->known)
        l->faults = l->faults || exec_may_stop(d, l->f); /* so that the plan is not cached */
    TRY(bind_fresh(rt, d, l, fresh, e));
    TRY(copy_operands(rt, d, l, fresh, e));
    TRY(settle_stored(rt, d, l, e));
    if (!l->empty && x->known)
        rt->stats.cache_hits++;
    else if (!l->empty)
        TRY(program_cache_get(rt, d, l->f, &program, &built, e));
    TRY(defer_results(rt, d, l, raises, &own, e));
    if (!l->empty) {
        profile_begin(rt, d);
        rc = launch(rt, d, program->prog, l, l->faults ? deferred_record(own) : NULL, e);
        profile_step(rt, d, &x->plan, s, l, program);
        if (rt->explain)
            explain_step(rt,
                         &(explained_step){d, &x->plan, s, l, program,
                                           built}); /* afterwards, since a launch may compile too */
        TRY(rc);
        rt->stats.bytes_read += l->bytes_read;
        rt->stats.bytes_written += l->bytes_written;
    }
    x->ran = program;
    loop_log_launch(rt, d, l, program, fresh);
    if (raises) lower_mark_checked(rt, &x->plan, s, l);
    if (!x->known && !x->watched) plan_cache_record(x->plans, &x->plan, i_step, l, program);
    settle(rt, l, fresh, own);
out:
    deferred_release(own);
    for (size_t i = 0; i < l->n_arrays; i++)
        if (fresh[i]) buf_remove_owner(rt, fresh[i]);
    return device_result(rt, d, rc, e);
}

/* ---- plans ---- */

/* Starts background compilation of a plan's new programs in parallel, if the device supports it:
 * each step is lowered as if the earlier ones had run. This is only a hint; errors are reported
 * when the step runs. */
static void compile_ahead(gpa_rt *rt, gpa_device *d) {
    struct exec *x = rt->exec;
    lowered *l = &x->low;
    program_cache_entry *program;
    bool built;
    gpa_err quiet;
    if (!d->be->prepare || rt->devices->next || x->plan.n_order < 2) return;
    for (size_t i = 0; i < x->plan.n_order && !rt_interrupted(rt); i++) {
        gpa_err_clear(&quiet);
        l->ahead = true;
        gpa_code rc = lower(rt, &x->plan, x->plan.order[i], l, &quiet);
        l->ahead = false;
        if (rc || l->hazard || l->empty || program_cache_get(rt, d, l->f, &program, &built, &quiet))
            continue;
        gpa_launch run = {.arrays = l->bind, .params = l->params};
        memcpy(run.size, l->size, sizeof run.size);
        d->be->prepare(d->dev, program->prog, &run);
    }
}

static void mark_failed(fuse_plan *p, int step) {
    for (size_t i = 0; i < p->n_root; i++)
        if (p->root[i].step == step && p->root[i].storage) p->root[i].storage->failed = true;
}

/* The lower of two limits, 0 for none. */
static uint32_t lower_limit(uint32_t a, uint32_t b) { return a && b ? MIN(a, b) : MAX(a, b); }

/* The limits common to all opened devices: a step may run on any of them. */
static gpa_caps common_caps(const gpa_rt *rt, const gpa_device *current) {
    gpa_caps caps = current->caps;
    for (const gpa_device *d = rt->devices; d; d = d->next) {
        caps.max_arrays = lower_limit(caps.max_arrays, d->caps.max_arrays);
        caps.max_params = lower_limit(caps.max_params, d->caps.max_params);
    }
    return caps;
}

static gpa_code run_plan(gpa_rt *rt, gpa_cut why, bool *hazard, gpa_err *e) {
    struct exec *x = rt->exec;
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    if (rc) return rc;
    if (x->busy) return gpa_fail(e, GPA_E_INTERNAL, "one plan inside another");
    x->busy = true;
    gpa_caps caps = common_caps(rt, d);
    x->watched = rt->explain || rt->profile;
    x->known =
        !x->watched && plan_cache_find(x->plans, rt, &(plan_device){d, d->epoch, &caps}, &x->plan);
    if (x->known)
        rt->stats.plans_known++;
    else
        rc = fuse(rt, &x->plan, &caps, why, e);
    if (!rc && !x->known && !x->watched) compile_ahead(rt, d);
    /* Retained, since a root that becomes a leaf releases its inputs, and other roots may be among
     * them. */
    for (size_t i = 0; i < x->plan.n_root; i++) node_retain(x->plan.root[i].value);
    for (size_t i = 0; i < x->plan.n_order && !rc && !*hazard; i++) {
        rc = run_step(rt, d, i, hazard, e);
        if (rc) mark_failed(&x->plan, x->plan.order[i]);
    }
    if (!rc && !*hazard && !x->known && !x->watched) plan_cache_insert(x->plans, &x->plan);
    for (size_t i = 0; i < x->plan.n_root; i++) node_release(rt, x->plan.root[i].value);
    x->busy = false;
    return rc;
}

static gpa_code add_root(gpa_rt *rt, fuse_root r, gpa_err *e) {
    fuse_plan *p = &rt->exec->plan;
    if (!mem_grow(&p->root, p->n_root, &p->cap_root, sizeof *p->root)) return gpa_no_memory(e);
    r.step = -1;
    p->root[p->n_root++] = r;
    return GPA_OK;
}

/* Adds a storage's root; if several storages share a node, its owner represents them. */
static gpa_code add_storage(gpa_rt *rt, gpa_storage *s, gpa_err *e) {
    if (!s->node) return GPA_OK;
    if (!node_is_leaf(s->node)) {
        if (!s->node->owner) s->node->owner = s;
        s = s->node->owner;
    }
    if (s->is_root) return GPA_OK;
    s->is_root = true;
    return add_root(rt, (fuse_root){.value = s->node, .storage = s}, e);
}

/* Runs the roots added by add_storage. */
static gpa_code run_storages(gpa_rt *rt, gpa_cut why, gpa_err *e) {
    fuse_plan *p = &rt->exec->plan;
    bool hazard = false;
    for (size_t i = 0; i < p->n_root; i++)
        if (p->root[i].storage) p->root[i].storage->is_root = false;
    return p->n_root ? run_plan(rt, why, &hazard, e) : GPA_OK;
}

/* Before a plan: launches the iterations that loop batching has recorded. */
static gpa_code prepare_plan(gpa_rt *rt, gpa_err *e) {
    gpa_code rc = scratch(rt, e);
    return rc ? rc : loop_batch_flush(rt, e);
}

gpa_code exec_nodes(gpa_rt *rt, node *const *n, size_t count, gpa_cut why, gpa_err *e) {
    gpa_code rc = prepare_plan(rt, e);
    bool hazard = false;
    for (size_t i = 0; i < count && !rc; i++) rc = product_compute_below(rt, n[i], e);
    if (rc) return rc;
    rt->exec->plan.n_root = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        bool twice = node_is_leaf(n[i]);
        for (size_t k = 0; k < i; k++) twice = twice || n[k] == n[i];
        if (!twice) rc = add_root(rt, (fuse_root){.value = n[i], .storage = n[i]->owner}, e);
    }
    return rc || !rt->exec->plan.n_root ? rc : run_plan(rt, why, &hazard, e);
}

gpa_code exec_storages(gpa_rt *rt, gpa_storage *const *s, size_t count, gpa_cut why, gpa_err *e) {
    gpa_code rc = prepare_plan(rt, e);
    for (size_t i = 0; i < count && !rc; i++) rc = product_compute_below(rt, s[i]->node, e);
    for (size_t i = 0; i < count && !rc; i++) rc = concat_store_slices(rt, s[i], e);
    /* The first pass computes the node's owner; the other storages that share the node become
     * copies of it in the second pass. */
    for (bool left = true; left && !rc;) {
        rt->exec->plan.n_root = 0;
        for (size_t i = 0; i < count && !rc; i++) rc = add_storage(rt, s[i], e);
        gpa_code ran = run_storages(rt, why, e);
        rc = rc ? rc : ran;
        left = false;
        for (size_t i = 0; i < count; i++) left = left || s[i]->node;
    }
    return rc;
}

/* True if a pending array is not computed at the end of a loop iteration: the next one will replace
 * a temporary, and may replace a padded or shifted array that only this one reads. It waits for one
 * iteration. */
static bool waits(gpa_storage *s, gpa_cut why, bool first_pass) {
    node *n = s->node;
    if (why != CUT_LOOP) return false;
    if (s->likely_dead && !(first_pass && s->waited)) return s->waited = true;
    if (!concat_only_moves(n) || (first_pass && n->suspect)) return false;
    n->suspect = true;
    return true;
}

gpa_code exec_pending(gpa_rt *rt, gpa_cut why, gpa_err *e) {
    gpa_code rc = prepare_plan(rt, e);
    bool first = true;
    if (!rc) rc = product_compute_all(rt, e);
    for (gpa_storage *s = rt->pending.next, *next; s != &rt->pending && !rc; s = next) {
        next = s->next;
        if (!s->failed && (why != CUT_LOOP || s->node->suspect)) rc = concat_store_slices(rt, s, e);
    }
    for (bool left = true; left && !rc; first = false) {
        rt->exec->plan.n_root = 0;
        for (gpa_storage *s = rt->pending.next; s != &rt->pending && !rc; s = s->next)
            if (!s->failed && !waits(s, why, first)) rc = add_storage(rt, s, e);
        left = rt->exec->plan.n_root;
        gpa_code ran = run_storages(rt, why, e);
        rc = rc ? rc : ran;
    }
    return rc;
}

gpa_code exec_store(gpa_rt *rt, const fuse_root *root, gpa_storage *const *also, size_t n_also,
                    bool *hazard, gpa_err *e) {
    gpa_code rc = prepare_plan(rt, e);
    if (!rc) rc = product_compute_below(rt, root->value, e);
    for (size_t i = 0; i < n_also && !rc; i++) rc = product_compute_below(rt, also[i]->node, e);
    if (rc) return rc;
    fuse_plan *p = &rt->exec->plan;
    *hazard = false;
    p->n_root = 0;
    rc = add_root(rt, *root, e);
    for (size_t i = 0; i < n_also && !rc; i++) rc = add_storage(rt, also[i], e);
    for (size_t i = 1; i < p->n_root; i++) p->root[i].storage->is_root = false;
    return rc ? rc : run_plan(rt, CUT_STORE, hazard, e);
}

/* ---- captured programs ---- */

/* The slot of a key. */
static captured_program *captured_slot(gpa_rt *rt, uint64_t key) {
    return &rt->exec->captured[key % CAPTURED_SLOTS];
}

gpa_code exec_find_captured(gpa_rt *rt, uint32_t what, const captured_operands *x,
                            const captured_program **out, bool *qualifies, gpa_err *e) {
    gpa_device *d;
    *out = NULL;
    *qualifies = false;
    if (rt->explain || rt->profile || rt_loop_is_recorded(rt)) return GPA_OK;
    gpa_code rc = device_default(rt, &d, e);
    if (rc || !d->caps.host_visible || !captured_qualifies(d, x)) return rc;
    if ((rc = prepare_plan(rt, e))) return rc;
    const uint64_t key = captured_key(what, x);
    const captured_program *c = captured_slot(rt, key);
    *qualifies = true;
    if (c->device == d && c->key == key && c->epoch == d->epoch) *out = c;
    return GPA_OK;
}

gpa_code exec_capture_reduction(gpa_rt *rt, uint32_t what, const captured_operands *x, node *n,
                                gpa_err *e) {
    struct exec *own = rt->exec;
    gpa_code rc = exec_nodes(rt, &n, 1, CUT_NEEDED, e);
    const uint64_t key = captured_key(what, x);
    if (!rc && !own->known && own->plan.n_order == 1)
        captured_set(captured_slot(rt, key), key, x->operand[0]->storage->buf->device, &own->low,
                     own->ran, x);
    return rc;
}
