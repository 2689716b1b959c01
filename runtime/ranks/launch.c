/* Launches of the ranks device: division among the ranks, the transfers that this needs.
 *
 * A share is a range of points or parts, as the inner device allows (gpa_share_plan), so that
 * results have the bits of an undivided launch. Every rank first fetches the bytes that its share
 * reads (halos, for shifted slices) and those that it writes only some of; afterwards what it wrote
 * is on that rank alone. A launch that is small, or cannot be divided, runs on rank 0.
 *
 * Reading order: programs, accesses, the decision, launch_run. */
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ranks/device.h"
#include "runtime/ranks/region.h"

/* ---- programs ---- */

/* Finds how the program uses its arrays. */
static void examine(gpa_prog *p, const kir_func *f) {
    int each = 0, others = 0;
    bool reduces = false;
    for (size_t i = 0; i < f->n_code; i++) reduces |= f->code[i].code == KIR_EACH;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *k = &f->code[i];
        if (k->code == KIR_END) *(f->code[k->imm].code == KIR_EACH ? &each : &others) -= 1;
        if (kir_has(k->code, KI_REGION)) *(k->code == KIR_EACH ? &each : &others) += 1;
        p->faults |= kir_has(k->code, KI_FAULTS);
        if (!kir_has(k->code, KI_READS | KI_WRITES) || k->sub >= KIR_MAX_ARRAYS) continue;
        const bool once = reduces && !each, any = kir_has(k->code, KI_OFFSET);
        uint8_t *use = &p->use[k->sub];
        if (kir_has(k->code, KI_READS))
            *use |= any ? USE_READ_ANY : once ? USE_READ_ONCE : USE_READ;
        if (kir_has(k->code, KI_WRITES))
            *use |= any ? USE_WRITE_ANY : once ? USE_WRITE_ONCE : USE_WRITE;
        if (kir_has(k->code, KI_WRITES) && others) *use |= USE_WRITE_SOME;
    }
}

gpa_code launch_build(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    gpa_prog *p = mem_zero(sizeof *p);
    if (!p) return gpa_no_memory(e);
    str_init(&p->text);
    TRY(d->be->build(d->inner, f, &p->inner, e));
    p->form = (kir_form)f->form;
    p->ndim = f->ndim;
    p->inner_dims = f->inner;
    p->n_arrays = f->n_arrays;
    p->n_params = f->n_params;
    for (size_t i = 0; i < f->n_arrays; i++)
        p->item[i] = (uint8_t)dtype_size((gpa_dtype)f->arrays[i].dtype);
    examine(p, f);
    if (!ids_take(&d->program_ids, &p->id)) TRY(gpa_no_memory(e));
    if (p->form == KIR_MAP) wire_put_program(&p->text, f);
    if (!p->text.failed) {
        *out = p;
        return GPA_OK;
    }
    ids_give(&d->program_ids, p->id);
    rc = gpa_no_memory(e);
out:
    if (p->inner) d->be->drop(d->inner, p->inner);
    str_free(&p->text);
    mem_free(p);
    return rc;
}

void launch_drop(gpa_dev *d, gpa_prog *p) {
    for (int r = 1; r < d->n && !d->broken && p->epoch == d->epoch; r++)
        if (rank_set_has(&p->users, r)) wire_put_head(&d->commands[r], WIRE_DROP, p->id);
    ids_give(&d->program_ids, p->id);
    d->be->drop(d->inner, p->inner);
    str_free(&p->text);
    mem_free(p);
    device_flush_many(d);
}

/* ---- accesses ---- */

typedef struct {
    gpa_dev *d;
    gpa_prog *p;
    const gpa_launch *l;
    gpa_share_plan plan;            /* NONE: rank 0 runs the launch */
    int64_t cut[MPI_MAX_RANKS + 1]; /* rank r has the share [cut[r], cut[r + 1]) */
    accesses x;
    bool failed;       /* memory is short */
    bool replies;      /* workers reply: with states, or about faults */
    const char *alone; /* why a large launch is not divided, or NULL */
} division;

/* The array whose accesses are being collected. */
typedef struct {
    division *v;
    memory *m;
    int rank;
    bool write, all;
} collector;

static bool add_access(void *user, int64_t from, int64_t to, bool exact) {
    const collector *c = user;
    const memory_access a = {
        .m = c->m, .rank = c->rank, .write = c->write, .exact = exact && c->all};
    const bool good = accesses_add(&c->v->x, &a, from, to);
    c->v->failed |= !good;
    return good;
}

/* The points of a share at which array `a` is accessed: of its region, or once per outer point. */
static region share_region(const division *v, size_t a, int rank, bool once) {
    const gpa_prog *p = v->p;
    const gpa_binding *b = &v->l->arrays[a];
    const gpa_share_plan *plan = &v->plan;
    const bool divided = plan->form == GPA_SHARE_POINTS || (plan->form == GPA_SHARE_PARTS && !once);
    region r = {.offset = b->offset, .item = p->item[a], .hi = 1};
    int64_t points = 1;
    uint32_t left = (1u << p->ndim) - 1;
    if (once) left &= ~(uint32_t)p->inner_dims;
    for (int i = 0; i < plan->ndim && divided; i++) {
        const int d = plan->dims[i];
        r.size[r.ndim] = v->l->size[d], r.stride[r.ndim++] = b->stride[d];
        points *= v->l->size[d];
        left &= ~(1u << d);
    }
    r.divided = r.ndim;
    for (int d = 0; d < p->ndim; d++)
        if (left >> d & 1) r.size[r.ndim] = v->l->size[d], r.stride[r.ndim++] = b->stride[d];
    if (divided) {
        const int64_t unit = plan->form == GPA_SHARE_PARTS ? plan->unit : 1;
        r.lo = MIN(v->cut[rank] * unit, points), r.hi = MIN(v->cut[rank + 1] * unit, points);
    }
    return r;
}

static void collect(division *v, size_t a, int rank, memory *m) {
    static const struct {
        uint8_t use;
        bool write, once, any;
    } kinds[] = {{USE_READ, false, false, false},     {USE_READ_ONCE, false, true, false},
                 {USE_READ_ANY, false, false, true},  {USE_WRITE, true, false, false},
                 {USE_WRITE_ONCE, true, true, false}, {USE_WRITE_ANY, true, false, true}};
    const uint8_t use = v->p->use[a];
    const bool empty = v->plan.form && v->cut[rank] == v->cut[rank + 1];
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const bool finishes = kinds[i].once && kinds[i].write && v->plan.form == GPA_SHARE_PARTS;
        if (!(use & kinds[i].use) || (finishes ? rank != 0 : empty)) continue;
        collector c = {v, m, rank, kinds[i].write,
                       !(use & USE_WRITE_SOME) && !v->p->faults && !kinds[i].any};
        if (kinds[i].any || v->p->form != KIR_MAP) {
            c.all = false;
            add_access(&c, 0, (int64_t)m->n, false);
            continue;
        }
        const region r = share_region(v, a, rank, kinds[i].once);
        region_intervals(&r, add_access, &c);
    }
}

static gpa_code collect_all(division *v, int ranks, gpa_err *e) {
    v->x.n = 0;
    for (int r = 0; r < ranks; r++)
        for (size_t a = 0; a < v->p->n_arrays; a++) {
            memory *m = memory_find(v->d, v->l->arrays[a].mem);
            if (m) collect(v, a, r, m);
        }
    return v->failed ? gpa_no_memory(e) : GPA_OK;
}

static int by_address(const void *a, const void *b) {
    const memory_access *x = a, *y = b;
    if (x->m != y->m) return x->m->id < y->m->id ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* True if no byte is written by two ranks. Sorts the accesses. */
static bool writes_are_disjoint(division *v) {
    const memory_access *last = NULL; /* the write that reaches furthest so far */
    qsort(v->x.item, v->x.n, sizeof *v->x.item, by_address);
    for (size_t i = 0; i < v->x.n; i++) {
        const memory_access *x = &v->x.item[i];
        if (!x->write) continue;
        bool same = last && last->m == x->m;
        if (same && last->to > x->from && last->rank != x->rank) return false;
        if (!same || x->to > last->to) last = x;
    }
    return true;
}

/* ---- the decision ---- */

enum { ALONE_MIN_BYTES = 1 << 16 }; /* of a launch for which %explain says why it is not divided */

/* The work of a launch in bytes: points of its largest extent. */
static uint64_t launch_bytes(const gpa_prog *p, const gpa_launch *l) {
    uint64_t n = 8;
    for (int d = 0; d < p->ndim; d++)
        if (__builtin_mul_overflow(n, (uint64_t)l->size[d], &n)) return UINT64_MAX;
    return n;
}

/* Why workers cannot use the arrays: another library has their addresses, or they are written at
 * computed offsets; NULL: they can. */
static const char *arrays_alone(const gpa_dev *d, const gpa_prog *p, const gpa_launch *l) {
    for (size_t a = 0; a < p->n_arrays; a++) {
        const memory *m = memory_find(d, l->arrays[a].mem);
        const bool writes = p->use[a] & (USE_WRITE | USE_WRITE_ONCE);
        if (p->use[a] & USE_WRITE_ANY) return "elements are stored at computed indices";
        if ((l->arrays[a].mem && !m) || (m && writes && m->kept))
            return "a result is in memory that another library uses";
    }
    return NULL;
}

static void cut_evenly(division *v) {
    const int64_t n = v->plan.n, unit = v->plan.form == GPA_SHARE_POINTS ? v->plan.unit : 1,
                  units = (n + unit - 1) / unit;
    for (int r = 0; r <= v->d->n; r++) {
        const int64_t at = units / v->d->n * r + (units % v->d->n * r + v->d->n - 1) / v->d->n;
        v->cut[r] = MIN(at * unit, n);
    }
}

/* Divides the launch, if that is possible and worth it: v->plan, v->cut, the accesses. */
static gpa_code divide(division *v, gpa_err *e) {
    gpa_dev *d = v->d;
    const gpa_prog *p = v->p;
    gpa_code rc = GPA_OK;
    if (d->n == 1 || launch_bytes(p, v->l) < d->threshold) return rc;
    v->alone =
        p->form != KIR_MAP ? "a kernel of the user is not divided" : arrays_alone(d, p, v->l);
    if (v->alone) return rc;
    v->alone =
        launch_bytes(p, v->l) < ALONE_MIN_BYTES ? NULL : "its elements are computed in order";
    TRY(d->be->plan_share(d->inner, p->inner, v->l, &v->plan, e));
    if (v->plan.form == GPA_SHARE_PARTS && p->faults) {
        v->plan.form = GPA_SHARE_NONE;
        v->alone = "a reduction checks indices";
    }
    if (v->plan.form == GPA_SHARE_NONE) return rc;
    cut_evenly(v);
    if (v->cut[1] == v->plan.n) { /* too few for two */
        v->plan.form = GPA_SHARE_NONE;
        return rc;
    }
    TRY(collect_all(v, d->n, e));
    v->alone = NULL;
    if (writes_are_disjoint(v)) return rc;
    v->plan.form = GPA_SHARE_NONE;
    v->alone = "the rows of a result are interleaved in memory";
out:
    return rc;
}

/* ---- commands ---- */

/* Queues the program and the launch for a worker. */
static void queue_run(division *v, int rank) {
    gpa_prog *p = v->p;
    const gpa_launch *l = v->l;
    gpa_str *out = &v->d->commands[rank];
    wire_run run;
    memset(&run, 0, sizeof run);
    if (p->epoch != v->d->epoch) p->epoch = v->d->epoch, p->users = (rank_set){{0}};
    if (!rank_set_has(&p->users, rank)) {
        wire_put_head(out, WIRE_PROGRAM, p->id);
        wire_put(out, p->text.text, p->text.len);
        rank_set_add(&p->users, rank);
    }
    run.form = v->plan.form;
    run.faults = l->fault != NULL;
    run.reply = v->replies;
    run.lo = v->cut[rank], run.hi = v->cut[rank + 1];
    run.bytes = v->plan.bytes;
    run.n_arrays = p->n_arrays, run.n_params = p->n_params;
    memcpy(run.size, l->size, sizeof run.size);
    wire_put_head(out, WIRE_RUN, p->id);
    wire_put(out, &run, sizeof run);
    wire_array arrays[KIR_MAX_ARRAYS];
    memset(arrays, 0, sizeof arrays);
    for (size_t a = 0; a < p->n_arrays; a++) {
        memory *m = memory_find(v->d, l->arrays[a].mem);
        arrays[a].binding = l->arrays[a];
        arrays[a].memory = m ? m->id : WIRE_NO_MEMORY;
        if (!m) continue;
        arrays[a].size = m->n;
        rank_set_add(&m->users, rank);
    }
    wire_put(out, arrays, p->n_arrays * sizeof *arrays);
    wire_put(out, l->params, p->n_params * sizeof *l->params);
}

/* ---- replies ---- */

typedef struct {
    division *v;
    bool received;
    gpa_code rc; /* the first failure */
    gpa_err why;
    char *states; /* PARTS: of all parts, or NULL */
} replies;

static gpa_code receive_reply(gpa_dev *d, int rank, gpa_str *text, const wire_reply **head,
                              const char **states, gpa_err *e) {
    gpa_code rc = channel_receive_text(d->c, rank, CHANNEL_REPLY, text, e);
    if (rc) return device_result_of(d, rc);
    wire_reader r = {text->text, 0, text->len};
    *head = wire_get(&r, sizeof **head);
    *states = *head ? wire_get(&r, (*head)->n_states) : NULL;
    const char *why = *states ? wire_get(&r, (*head)->n_text) : NULL;
    if (!why) return gpa_fail(e, GPA_E_INTERNAL, "a reply is incomplete");
    return (*head)->code ? gpa_fail(e, (gpa_code)(*head)->code, "%s", why) : GPA_OK;
}

gpa_code launch_take_sync(gpa_dev *d, int rank, gpa_err *e) {
    const wire_reply *head;
    const char *states;
    gpa_err why = {0};
    gpa_str text;
    if (!d->syncing[rank]) return GPA_OK;
    d->syncing[rank] = false;
    if (d->simulated) {
        d->replies++;
        d->reply_bytes += sizeof *head;
        return GPA_OK;
    }
    str_init(&text);
    gpa_code rc = receive_reply(d, rank, &text, &head, &states, &why);
    str_free(&text);
    if (d->broken) return gpa_fail(e, GPA_E_DEVICE, "%s", why.msg);
    if (rc && !d->late) d->late = rc, d->why_late = why;
    return GPA_OK;
}

gpa_code launch_take_reply(gpa_dev *d, int rank, gpa_str *text, const wire_reply **head,
                           const char **states, gpa_err *e) {
    gpa_code rc = launch_take_sync(d, rank, e);
    d->ahead[rank] = 0;
    return rc ? rc : receive_reply(d, rank, text, head, states, e);
}

static gpa_code take_reply(replies *x, int rank, gpa_str *text, gpa_err *e) {
    const division *v = x->v;
    const wire_reply *head;
    const char *states;
    gpa_code rc = launch_take_reply(v->d, rank, text, &head, &states, e);
    if (rc) return rc;
    const size_t n = (size_t)(v->cut[rank + 1] - v->cut[rank]) * v->plan.bytes;
    if (x->states && head->n_states >= n)
        memcpy(x->states + (size_t)v->cut[rank] * v->plan.bytes, states, n);
    if (v->l->fault && !v->l->fault->set && head->fault.set) *v->l->fault = head->fault;
    return GPA_OK;
}

/* Receives all replies, once. */
static gpa_code receive_replies(replies *x) {
    gpa_str text;
    if (x->received) return x->rc;
    x->received = true;
    str_init(&text);
    for (int r = 1; r < x->v->d->n; r++) {
        gpa_err e = {0};
        if (x->v->cut[r] == x->v->cut[r + 1]) continue;
        gpa_code rc = take_reply(x, r, &text, &e);
        if (rc && (!x->rc || rc == GPA_E_DEVICE)) x->rc = rc, x->why = e;
    }
    str_free(&text);
    return x->rc;
}

/* Rank 0 joins the states of all parts. */
static gpa_code join_states(void *user, char *states, bool *finish, gpa_err *e) {
    replies *x = user;
    x->states = states;
    gpa_code rc = receive_replies(x);
    x->states = NULL;
    *finish = !rc;
    return rc ? gpa_fail(e, rc, "%s", x->why.msg) : GPA_OK;
}

/* ---- run ---- */

/* Runs a launch whose result does not depend on a reply. The workers may be behind rank 0. */
static gpa_code run_ahead(division *v, const gpa_launch *l, gpa_err *e) {
    gpa_dev *d = v->d;
    gpa_code rc = device_exchange(d, e);
    for (int r = 1; r < d->n && !rc; r++)
        if (v->cut[r] < v->cut[r + 1]) rc = device_count_launch(d, r, e);
    if (rc) return rc;
    rc = d->be->run(d->inner, v->p->inner, d->simulated ? v->l : l, e);
    if (rc) {
        gpa_err other = {0}; /* an interrupt is that of all */
        if (device_settle(d, &other) == GPA_E_DEVICE && d->broken) {
            if (e) gpa_err_clear(e);
            rc = gpa_fail(e, GPA_E_DEVICE, "%s", other.msg);
        }
    }
    return rc;
}

static gpa_code run_shares(division *v, gpa_err *e) {
    gpa_dev *d = v->d;
    replies x = {.v = v};
    const gpa_share own = {
        .form = v->plan.form, .lo = v->cut[0], .hi = v->cut[1], .join = join_states, .user = &x};
    gpa_launch l = *v->l;
    l.share = &own;
    v->replies = v->plan.form == GPA_SHARE_PARTS || l.fault;
    for (int r = 1; r < d->n; r++)
        if (v->cut[r] < v->cut[r + 1]) queue_run(v, r);
    d->shared++;
    if (!v->replies) return run_ahead(v, &l, e);
    gpa_code rc = device_exchange(d, e);
    if (rc) return rc;
    if (d->simulated) {
        for (int r = 1; r < d->n; r++) {
            if (v->cut[r] == v->cut[r + 1]) continue;
            d->replies++;
            d->reply_bytes +=
                sizeof(wire_reply) + (size_t)(v->cut[r + 1] - v->cut[r]) * v->plan.bytes;
        }
        return d->be->run(d->inner, v->p->inner, v->l, e);
    }
    rc = d->be->run(d->inner, v->p->inner, &l, e);
    gpa_code others = receive_replies(&x);
    if (others && (!rc || others == GPA_E_DEVICE)) {
        if (e) gpa_err_clear(e);
        rc = gpa_fail(e, others, "%s", x.why.msg);
    }
    if (!rc && device_is_ahead(d)) rc = device_settle(d, e);
    return rc;
}

/* True if rank 0 has all arrays, alone; notes what it writes for the first time. */
static bool is_local(const gpa_dev *d, const gpa_prog *p, const gpa_launch *l) {
    for (size_t a = 0; a < p->n_arrays; a++) {
        memory *m = memory_find(d, l->arrays[a].mem);
        if (!m) continue;
        rank_set *ranks = &m->where.run[0].ranks;
        if (m->where.n != 1 || (rank_set_first(ranks) >= 0 && !rank_set_is_only(ranks, 0)))
            return false;
        *ranks = rank_set_of(0);
    }
    return true;
}

gpa_code launch_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e) {
    division v = {.d = d, .p = p, .l = l};
    gpa_code rc = GPA_OK;
    if (d->broken) return gpa_fail(e, GPA_E_DEVICE, "a rank has failed");
    TRY(divide(&v, e));
    d->since.alone = v.alone;
    if (!v.plan.form && is_local(d, p, l)) {
        rc = d->be->run(d->inner, p->inner, l, e);
        goto out;
    }
    if (!v.plan.form) TRY(collect_all(&v, 1, e));
    TRY(accesses_place(d, &v.x, v.alone, e));
    if (v.plan.form) {
        rc = run_shares(&v, e);
        goto out;
    }
    TRY(device_settle(d, e));
    rc = d->be->run(d->inner, p->inner, l, e);
out:
    mem_free(v.x.item);
    return rc;
}
