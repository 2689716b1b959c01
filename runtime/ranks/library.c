/* Library calls of the ranks device: rows, batches and panels divided among the ranks
 * (library_share.h), transforms of several axes one axis after the other, the sort of one long row
 * (sort_share.h). Other calls run on rank 0, which fetches the operands.
 *
 * Reading order: replies, divided calls, sort, library_run. */
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ranks/device.h"
#include "runtime/ranks/library_share.h"
#include "runtime/ranks/library_work.h"
#include "runtime/tables/tuning.h"

static library_device own_device(const gpa_dev *d) { return (library_device){d->be, d->inner}; }

/* ---- replies ---- */

/* The reply to a step from each rank: `n` bytes, at `to` for rank 0 and then in order. */
typedef struct {
    char *to;
    size_t n;
} results;

/* Receives the replies of these ranks; the first failure, of rank 0 (own) or another. */
static gpa_code receive_all(gpa_dev *d, const rank_set *ranks, const results *out, gpa_code own,
                            gpa_err *e) {
    gpa_code rc = own;
    gpa_str text;
    if (d->simulated) { /* rank 0 has done the work of all */
        const uint64_t n = (uint64_t)(rank_set_count(ranks) - rank_set_has(ranks, 0));
        d->replies += n;
        d->reply_bytes += n * (sizeof(wire_reply) + out->n);
        return rc;
    }
    str_init(&text);
    for (int r = 1; r < d->n && !d->broken; r++) {
        const wire_reply *head;
        const char *states;
        gpa_err why = {0};
        if (!rank_set_has(ranks, r)) continue;
        gpa_code other = launch_take_reply(d, r, &text, &head, &states, &why);
        if (!other && out->n && head->n_states >= out->n)
            memcpy(out->to + (size_t)r * out->n, states, out->n);
        if (!other || (rc && other != GPA_E_DEVICE)) continue;
        if (e) gpa_err_clear(e);
        rc = gpa_fail(e, other, "%s", why.msg);
    }
    str_free(&text);
    return rc;
}

/* An array of a command: `m` is its memory, or NULL. */
static wire_array wired(memory *m, const gpa_binding *b, int rank) {
    wire_array x;
    memset(&x, 0, sizeof x);
    x.binding = *b;
    x.memory = m ? m->id : WIRE_NO_MEMORY;
    if (!m) return x;
    x.size = m->n;
    rank_set_add(&m->users, rank);
    return x;
}

/* ---- divided calls ---- */

typedef struct {
    gpa_dev *d;
    accesses x;
    memory_access at;   /* whose intervals are being added */
    bool good, inexact; /* inexact: a write is known by an interval that contains more */
} share_accesses;

static bool add_interval(void *user, int64_t from, int64_t to, bool exact) {
    share_accesses *s = user;
    s->at.exact = exact;
    s->inexact |= s->at.write && !exact;
    return s->good = accesses_add(&s->x, &s->at, from, to);
}

static void add_call(share_accesses *s, const gpa_libcall *c, int rank) {
    library_access x[LIB_OPERANDS];
    const int n = library_accesses(c, x);
    for (int i = 0; i < n && s->good; i++) {
        s->at = (memory_access){
            .m = memory_find(s->d, x[i].binding->mem), .rank = rank, .write = x[i].write};
        region_intervals(&x[i].r, add_interval, s);
    }
}

/* True if all operands are memory that workers can use. */
static bool operands_can_share(const gpa_dev *d, const gpa_libcall *c) {
    library_access x[LIB_OPERANDS];
    const int n = library_accesses(c, x);
    for (int i = 0; i < n; i++) {
        const memory *m = memory_find(d, x[i].binding->mem);
        if (!m || (x[i].write && m->kept)) return false;
    }
    return n > 0;
}

static void queue_call(gpa_dev *d, int rank, const gpa_libcall *c) {
    gpa_str *out = &d->commands[rank];
    gpa_libcall copy = *c;
    wire_call head;
    memset(&head, 0, sizeof head);
    head.call = *c;
    wire_array x[LIB_OPERANDS];
    for (;; head.n++) {
        const lib_operand o = head.n < LIB_OPERANDS ? lib_operand_of(c, (int)head.n)
                                                    : (lib_operand){.access = LIB_ABSENT};
        if (o.access == LIB_ABSENT) break;
        const gpa_binding *b = lib_operand_binding(&copy, &o);
        x[head.n] = wired(memory_find(d, b->mem), b, rank);
    }
    wire_put_head(out, WIRE_CALL, 0);
    wire_put(out, &head, sizeof head);
    wire_put(out, x, head.n * sizeof *x);
}

/* Runs the call on all ranks, if it can be divided. */
static gpa_code run_divided(gpa_dev *d, const gpa_libcall *c, bool *done, gpa_err *e) {
    const library_units u = library_units_of(c);
    const int64_t groups = u.n ? u.n / u.unit : 0; /* the last one has the rest, too */
    share_accesses s = {.d = d, .good = true};
    gpa_libcall *part = NULL;
    rank_set busy = {{0}};
    gpa_code rc = GPA_OK;
    if (groups < 2 || !operands_can_share(d, c)) return rc;
    if (!(part = mem_new((size_t)d->n * sizeof *part))) return gpa_no_memory(e);
    for (int r = 0; r < d->n; r++) {
        const int64_t first = (groups * r + d->n - 1) / d->n,
                      end = (groups * (r + 1) + d->n - 1) / d->n, lo = first * u.unit,
                      hi = end == groups ? u.n : end * u.unit;
        if (first == end) continue;
        rank_set_add(&busy, r);
        part[r] = library_share(c, &u, lo, hi);
        add_call(&s, &part[r], r);
    }
    if (!s.good) TRY(gpa_no_memory(e));
    if (s.inexact) goto out;
    TRY(accesses_place(d, &s.x, NULL, e));
    for (int r = 1; r < d->n; r++)
        if (rank_set_has(&busy, r)) queue_call(d, r, &part[r]);
    TRY(device_exchange(d, e));
    const library_device own = own_device(d);
    rc = d->simulated             ? library_work_call(&own, c, e)
         : rank_set_has(&busy, 0) ? library_work_call(&own, &part[0], e)
                                  : GPA_OK;
    rc = receive_all(d, &busy, &(results){.n = 0}, rc, e);
    d->shared++;
    *done = true;
out:
    mem_free(part);
    mem_free(s.x.item);
    return rc;
}

/* ---- transforms ---- */

/* A transform of several axes: from the last axis on, each as a call of its own, as one device does
 * it. */
static gpa_code run_axes(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    const int last = c->fft.rank - 1;
    int64_t n[KIR_MAX_DIMS];
    gpa_code rc = GPA_OK;
    memcpy(n, c->fft.n, sizeof n);
    for (int axis = last; axis >= 0 && !rc; axis--) {
        gpa_libcall one = *c;
        const gpa_binding *in = axis == last ? &c->fft.in : &c->fft.out, *out = &c->fft.out;
        one.fft.rank = 1;
        one.fft.in = *in;
        if (axis < last) one.fft.form = FFT_C2C, one.fft.scaled = false;
        one.fft.n[0] = n[axis];
        one.fft.in.stride[0] = in->stride[axis], one.fft.out.stride[0] = out->stride[axis];
        for (int k = axis; k > 0; k--) {
            one.fft.n[k] = n[k - 1];
            one.fft.in.stride[k] = in->stride[k - 1];
            one.fft.out.stride[k] = out->stride[k - 1];
        }
        for (int k = axis + 1; k < c->fft.ndim; k++) one.fft.n[k] = n[k];
        rc = library_run(d, &one, e);
        if (axis == last && c->fft.form == FFT_R2C) n[last] = n[last] / 2 + 1;
    }
    return rc;
}

/* ---- sort of one row ---- */

enum { SAMPLES_PER_RANK = 256, SORT_MIN_ELEMS_PER_RANK = 2 * SAMPLES_PER_RANK };

typedef struct {
    gpa_dev *d;
    sort_block block[MPI_MAX_RANKS];
    gpa_mem *keys, *indices; /* temporary */
    splitter chosen[MPI_MAX_RANKS];
    int64_t *before; /* rank x splitter: elements of the rank's block before it */
} sorting;

bool library_free_scratch(gpa_dev *d) {
    bool any = false;
    for (int i = 0; i < (int)COUNT_OF(d->scratch); i++) {
        any |= d->scratch[i] != NULL;
        if (d->scratch[i]) memory_free(d, d->scratch[i]);
        d->scratch[i] = NULL;
    }
    return any;
}

/* Scratch memory i of at least n bytes; borrowed. */
static gpa_code scratch_memory(gpa_dev *d, int i, size_t n, gpa_mem **out, gpa_err *e) {
    gpa_mem **m = &d->scratch[i];
    gpa_code rc = GPA_OK;
    if (*m && d->n_scratch[i] < n) memory_free(d, *m), *m = NULL;
    if (!*m) {
        rc = d->be->alloc(d->inner, n, m, e);
        if (!rc) rc = memory_new_take(d, *m, n, e);
        if (rc) *m = NULL;
        d->n_scratch[i] = n;
    }
    *out = *m;
    return rc;
}

static void free_large_scratch(gpa_dev *d) {
    for (int i = 0; i < (int)COUNT_OF(d->scratch); i++)
        if (d->scratch[i] && d->n_scratch[i] > (size_t)TUNE_RANKS_SCRATCH_MAX_BYTES)
            library_free_scratch(d);
}

static void queue_block(sorting *s, int rank, wire_op op, uint64_t n) {
    gpa_dev *d = s->d;
    const sort_block *x = &s->block[rank];
    wire_sort w;
    memset(&w, 0, sizeof w);
    w.dtype = x->dtype, w.n = n, w.lo = x->lo, w.hi = x->hi;
    w.in = wired(memory_find(d, x->in.mem), &x->in, rank);
    w.keys = wired(memory_find(d, x->keys.mem), &x->keys, rank);
    w.indices = wired(memory_find(d, x->indices.mem), &x->indices, rank);
    wire_put_head(&d->commands[rank], op, 0);
    wire_put(&d->commands[rank], &w, sizeof w);
}

static rank_set all_ranks(const gpa_dev *d) {
    rank_set all = {{0}};
    for (int r = 0; r < d->n; r++) rank_set_add(&all, r);
    return all;
}

/* How a rank accesses elements of an array. */
typedef struct {
    const gpa_binding *array;
    gpa_dtype dtype;
    int rank;
    bool write;
} element_access;

/* Notes that the elements of a range are accessed. */
static bool add_elements(const gpa_dev *d, accesses *x, element_access a, const sorted_range *r) {
    const memory_access m = {
        .m = memory_find(d, a.array->mem), .rank = a.rank, .write = a.write, .exact = true};
    const int64_t item = (int64_t)dtype_size(a.dtype), from = (a.array->offset + r->at) * item;
    return !m.m || accesses_add(x, &m, from, from + r->n * item);
}

/* Every rank sorts its block; then the splitters are chosen. */
static gpa_code sort_blocks(sorting *s, gpa_err *e) {
    gpa_dev *d = s->d;
    accesses x = {.n = 0};
    const library_device own = own_device(d);
    const size_t bytes = SAMPLES_PER_RANK * sizeof(splitter);
    splitter *samples = mem_new((size_t)d->n * bytes);
    gpa_code rc = GPA_OK;
    if (!samples) TRY(gpa_no_memory(e));
    for (int r = 0; r < d->n; r++) {
        const sort_block *b = &s->block[r];
        const sorted_range block = {b->lo, b->hi - b->lo};
        if (!add_elements(d, &x, (element_access){&b->in, b->dtype, r, false}, &block) ||
            !add_elements(d, &x, (element_access){&b->keys, b->dtype, r, true}, &block) ||
            !add_elements(d, &x, (element_access){&b->indices, DT_I64, r, true}, &block))
            TRY(gpa_no_memory(e));
    }
    TRY(accesses_place(d, &x, NULL, e));
    for (int r = 1; r < d->n; r++) queue_block(s, r, WIRE_SORT, SAMPLES_PER_RANK);
    TRY(device_exchange(d, e));
    rc = library_work_sort(&own, &s->block[0], samples, SAMPLES_PER_RANK, e);
    for (int r = 1; r < d->n && d->simulated && !rc; r++)
        rc = library_work_sort(&own, &s->block[r], samples + r * SAMPLES_PER_RANK, SAMPLES_PER_RANK,
                               e);
    const rank_set all = all_ranks(d);
    TRY(receive_all(d, &all, &(results){(char *)samples, bytes}, rc, e));
    sort_share_choose(samples, (int64_t)d->n * SAMPLES_PER_RANK, d->n - 1, s->chosen);
out:
    mem_free(samples);
    mem_free(x.item);
    return rc;
}

/* Finds how many elements of each block come before each splitter. */
static gpa_code find_splitters(sorting *s, gpa_err *e) {
    gpa_dev *d = s->d;
    const uint64_t n = (uint64_t)d->n - 1;
    const library_device own = own_device(d);
    for (int r = 1; r < d->n; r++) {
        queue_block(s, r, WIRE_SEARCH, n);
        wire_put(&d->commands[r], s->chosen, n * sizeof *s->chosen);
    }
    gpa_code rc = device_exchange(d, e);
    if (rc) return rc;
    for (int r = 0; r < (d->simulated ? d->n : 1); r++)
        library_work_search(&own, &s->block[r], s->chosen, (int64_t)n, s->before + (size_t)r * n);
    const rank_set all = all_ranks(d);
    return receive_all(d, &all, &(results){(char *)s->before, (size_t)n * sizeof *s->before},
                       GPA_OK, e);
}

/* The elements of a block between the splitters before and after a rank. */
static sorted_range range_between(const sorting *s, int block, int rank) {
    const sort_block *b = &s->block[block];
    const int64_t *before = s->before + (ptrdiff_t)block * (s->d->n - 1),
                  lo = rank ? before[rank - 1] : 0,
                  hi = rank < s->d->n - 1 ? before[rank] : b->hi - b->lo;
    return (sorted_range){b->lo + lo, hi - lo};
}

static void queue_merge(sorting *s, int rank, const gpa_binding *to, int64_t at,
                        const sorted_range *r) {
    gpa_dev *d = s->d;
    const sort_block *x = &s->block[rank];
    wire_merge w;
    memset(&w, 0, sizeof w);
    w.dtype = x->dtype, w.n = (uint64_t)d->n, w.at = at;
    w.keys = wired(memory_find(d, x->keys.mem), &x->keys, rank);
    w.indices = wired(memory_find(d, x->indices.mem), &x->indices, rank);
    w.out = wired(memory_find(d, to->mem), to, rank);
    wire_put_head(&d->commands[rank], WIRE_MERGE, 0);
    wire_put(&d->commands[rank], &w, sizeof w);
    wire_put(&d->commands[rank], r, (size_t)d->n * sizeof *r);
}

/* Every rank fetches what lies between its splitters from all blocks, and merges it. */
static gpa_code merge_blocks(sorting *s, const gpa_binding *to, gpa_err *e) {
    gpa_dev *d = s->d;
    const bool arg = s->indices;
    const gpa_dtype t = s->block[0].dtype;
    const library_device own = own_device(d);
    accesses x = {.n = 0};
    gpa_code rc = GPA_OK;
    sorted_range ranges[MPI_MAX_RANKS], made = {0, 0};
    for (int r = 0; r < d->n; r++) {
        made = (sorted_range){made.at + made.n, 0};
        for (int b = 0; b < d->n; b++) {
            const sorted_range part = range_between(s, b, r);
            made.n += part.n;
            const sort_block *first = &s->block[0];
            if (!add_elements(d, &x, (element_access){&first->keys, t, r, false}, &part) ||
                !add_elements(d, &x, (element_access){&first->indices, DT_I64, r, false}, &part))
                TRY(gpa_no_memory(e));
        }
        if (!add_elements(d, &x, (element_access){to, arg ? DT_I64 : t, r, true}, &made))
            TRY(gpa_no_memory(e));
    }
    TRY(accesses_place(d, &x, NULL, e));
    int64_t at = 0;
    for (int r = 0; r < d->n; r++) {
        for (int b = 0; b < d->n; b++) ranges[b] = range_between(s, b, r);
        if (r) queue_merge(s, r, to, at, ranges);
        for (int b = 0; b < d->n; b++) at += ranges[b].n;
    }
    TRY(device_exchange(d, e));
    for (int b = 0; b < d->n; b++) ranges[b] = range_between(s, b, 0);
    rc = library_work_merge(&own, &s->block[0], &(merge_share){ranges, d->n, to, 0}, e);
    at = 0;
    for (int r = 1; r < d->n && d->simulated && !rc; r++) {
        for (int b = 0; b < d->n; b++) at += ranges[b].n;
        for (int b = 0; b < d->n; b++) ranges[b] = range_between(s, b, r);
        rc = library_work_merge(&own, &s->block[r], &(merge_share){ranges, d->n, to, at}, e);
    }
    const rank_set all = all_ranks(d);
    rc = receive_all(d, &all, &(results){.n = 0}, rc, e);
out:
    mem_free(x.item);
    return rc;
}

static bool can_sort(const gpa_dev *d, const gpa_libcall *c) {
    return (c->kind == LIB_SORT || c->kind == LIB_ARGSORT) && c->sort.rows == 1 &&
           c->sort.stride <= 1 && !c->sort.n_kth && sort_share_can(c->dtype) &&
           c->sort.n >= (int64_t)d->n * SORT_MIN_ELEMS_PER_RANK && operands_can_share(d, c);
}

static gpa_code sort_row(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    sorting *s = mem_zero(sizeof *s);
    const size_t n = (size_t)c->sort.n;
    gpa_code rc = GPA_OK;
    if (!s) return gpa_no_memory(e);
    s->d = d;
    s->before = mem_new((size_t)(d->n * d->n) * sizeof *s->before);
    if (!s->before) TRY(gpa_no_memory(e));
    TRY(scratch_memory(d, 0, n * dtype_size(c->dtype), &s->keys, e));
    if (c->kind == LIB_ARGSORT) TRY(scratch_memory(d, 1, n * sizeof(int64_t), &s->indices, e));
    for (int r = 0; r < d->n; r++)
        s->block[r] = (sort_block){.dtype = c->dtype,
                                   .lo = (int64_t)(n * (size_t)r / (size_t)d->n),
                                   .hi = (int64_t)(n * (size_t)(r + 1) / (size_t)d->n),
                                   .in = c->sort.in,
                                   .keys = {.mem = s->keys},
                                   .indices = {.mem = s->indices}};
    TRY(sort_blocks(s, e));
    TRY(find_splitters(s, e));
    TRY(merge_blocks(s, &c->sort.out, e));
    d->shared++;
out:
    free_large_scratch(d);
    mem_free(s->before);
    mem_free(s);
    return rc;
}

/* ---- calls ---- */

/* On rank 0, which fetches the operands. */
static gpa_code run_alone(gpa_dev *d, const gpa_libcall *c, const char *alone, gpa_err *e) {
    gpa_libcall own = *c;
    accesses x = {.n = 0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LIB_OPERANDS; i++) {
        const lib_operand o = lib_operand_of(c, i);
        if (o.access == LIB_ABSENT) break;
        gpa_mem *mem = o.binding ? lib_operand_binding(&own, &o)->mem : c->matrix.x[i];
        const bool reads =
            o.access == LIB_READ && c->kind != LIB_FFT; /* C2R overwrites its input */
        const memory_access a = {.m = memory_find(d, mem), .write = !reads};
        if (a.m && !accesses_add(&x, &a, 0, (int64_t)a.m->n)) TRY(gpa_no_memory(e));
    }
    TRY(accesses_place(d, &x, alone, e));
    if (d->n_moves || device_is_ahead(d)) TRY(device_settle(d, e));
    rc = d->be->lib_run(d->inner, c, e);
out:
    mem_free(x.item);
    return rc;
}

gpa_code library_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e) {
    bool done = false;
    if (d->broken) return gpa_fail(e, GPA_E_DEVICE, "a rank has failed");
    if (d->n == 1 || library_bytes(c) < d->threshold) return run_alone(d, c, NULL, e);
    if (c->kind == LIB_FFT && c->fft.rank > 1) return run_axes(d, c, e);
    if (can_sort(d, c)) return sort_row(d, c, e);
    gpa_code rc = run_divided(d, c, &done, e);
    if (rc || done) return rc;
    return run_alone(d, c, "this call is not divided", e);
}
