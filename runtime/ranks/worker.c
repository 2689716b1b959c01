/* A worker: the ranks but the first, which run shares of launches on their own memory. */
#include "runtime/ranks/worker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ranks/library_work.h"
#include "runtime/ranks/transfer.h"
#include "runtime/ranks/wire.h"

/* Memory, in the slot of its id. */
typedef struct {
    gpa_mem *mem; /* NULL: none */
    char *base;
    size_t n;
} block;

typedef struct {
    channel *c;
    const gpa_backend *be;
    gpa_dev *dev;
    block *blocks;
    gpa_prog **programs; /* in the slots of their ids; NULL: none */
    size_t n_blocks, cap_blocks, n_programs, cap_programs;
    gpa_code built; /* of the last program that could not be built */
    gpa_err why;
    gpa_str reply;
    size_t head;     /* bytes of the reply before the states */
    gpa_code failed; /* the first failure of a launch without a reply */
    gpa_err failure;
    volatile sig_atomic_t stopped; /* interrupted: launches without a reply are skipped */
} worker;

/* ---- interrupts ---- */

static worker *interrupted; /* for the signal handler */

static void on_signal(int number) {
    (void)number;
    interrupted->stopped = 1;
    interrupted->be->interrupt(interrupted->dev, true);
}

static void resume(worker *w) {
    w->stopped = 0;
    w->be->interrupt(w->dev, false);
}

static void catch_interrupts(worker *w) {
    interrupted = w;
    struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    sigemptyset(&a.sa_mask);
    sigaction(SIGUSR1, &a, NULL);
    signal(SIGINT, SIG_IGN); /* rank 0 is the one that passes interrupts on */
}

/* ---- memory and programs ---- */

static gpa_code find_block(worker *w, uint32_t id, size_t n, block **out, gpa_err *e) {
    while (w->n_blocks <= id) {
        if (!mem_grow(&w->blocks, w->n_blocks, &w->cap_blocks, sizeof *w->blocks))
            return gpa_no_memory(e);
        w->blocks[w->n_blocks++] = (block){.mem = NULL};
    }
    block *b = *out = &w->blocks[id];
    if (b->mem) return GPA_OK;
    gpa_code rc = w->be->alloc(w->dev, n, &b->mem, e);
    if (rc) return rc;
    b->base = w->be->base(b->mem);
    b->n = n;
    return GPA_OK;
}

static void free_block(worker *w, uint32_t id) {
    if (id >= w->n_blocks || !w->blocks[id].mem) return;
    w->be->free(w->dev, w->blocks[id].mem);
    w->blocks[id] = (block){.mem = NULL};
}

/* A program that cannot be built is reported by the reply to its first launch. */
static gpa_code add_program(worker *w, uint32_t id, wire_reader *r, gpa_err *e) {
    kir_func f;
    while (w->n_programs <= id) {
        if (!mem_grow(&w->programs, w->n_programs, &w->cap_programs, sizeof *w->programs))
            return gpa_no_memory(e);
        w->programs[w->n_programs++] = NULL;
    }
    gpa_code rc = wire_get_program(r, &f, e);
    if (rc) return rc;
    gpa_err_clear(&w->why);
    w->built = w->be->build(w->dev, &f, &w->programs[id], &w->why);
    mem_free(f.texts);
    return GPA_OK;
}

static void drop_program(worker *w, uint32_t id) {
    if (id >= w->n_programs || !w->programs[id]) return;
    w->be->drop(w->dev, w->programs[id]);
    w->programs[id] = NULL;
}

/* ---- commands ---- */

static gpa_code transfer(worker *w, const wire_head *h, wire_reader *r, gpa_err *e) {
    const wire_transfer *t = wire_get(r, sizeof *t);
    const wire_segment *x = t ? wire_get(r, t->n * sizeof *x) : NULL;
    gpa_code rc = GPA_OK;
    if (!x) return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    segment *s = mem_new(t->n * sizeof *s);
    if (!s) return gpa_no_memory(e);
    for (size_t i = 0; i < t->n; i++) {
        block *b;
        TRY(find_block(w, (uint32_t)x[i].memory, x[i].size, &b, e));
        s[i] = (segment){b->base + x[i].at, x[i].n};
    }
    rc = h->op == WIRE_SEND ? transfer_send(w->c, (int)h->id, s, t->n, e)
                            : transfer_receive(w->c, (int)h->id, s, t->n, e);
out:
    mem_free(s);
    return rc;
}

/* The states of a share's parts, for the reply. */
typedef struct {
    const wire_run *run;
    gpa_str *reply;
} parts;

static gpa_code keep_states(void *user, char *states, bool *finish, gpa_err *e) {
    const parts *x = user;
    *finish = false;
    wire_put(x->reply, states + (size_t)x->run->lo * x->run->bytes,
             (size_t)(x->run->hi - x->run->lo) * x->run->bytes);
    return x->reply->failed ? gpa_no_memory(e) : GPA_OK;
}

static gpa_code bind(worker *w, const wire_array *from, size_t n, gpa_binding *to, gpa_err *e) {
    for (size_t i = 0; i < n; i++) {
        block *b;
        to[i] = from[i].binding;
        to[i].mem = NULL;
        if (from[i].memory == WIRE_NO_MEMORY) continue;
        gpa_code rc = find_block(w, from[i].memory, from[i].size, &b, e);
        if (rc) return rc;
        to[i].mem = b->mem;
    }
    return GPA_OK;
}

static gpa_code launch(worker *w, uint32_t id, const wire_run *run, wire_reader *r,
                       kir_fault_record *fault, gpa_err *e) {
    const wire_array *arrays = wire_get(r, run->n_arrays * sizeof *arrays);
    const gpa_val *params = wire_get(r, run->n_params * sizeof *params);
    parts join = {run, &w->reply};
    gpa_binding bound[KIR_MAX_ARRAYS];
    const gpa_share share = {
        .form = run->form, .lo = run->lo, .hi = run->hi, .join = keep_states, .user = &join};
    gpa_launch l = {.arrays = bound,
                    .params = params,
                    .fault = run->faults ? fault : NULL,
                    .uninterrupted = run->uninterrupted,
                    .share = &share};
    if (!arrays || !params || run->n_arrays > KIR_MAX_ARRAYS)
        return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    gpa_code rc = bind(w, arrays, run->n_arrays, bound, e);
    if (rc) return rc;
    if (!w->programs[id]) return gpa_fail(e, w->built, "%s", w->why.msg);
    memcpy(l.size, run->size, sizeof l.size);
    if (run->reply) resume(w);
    if (w->stopped) return gpa_interrupted(e);
    return w->be->run(w->dev, w->programs[id], &l, e);
}

/* ---- replies ---- */

/* Replies with the result of a command, or an earlier failure; its states are already in w->reply,
 * after the head. */
static gpa_code reply(worker *w, gpa_code code, const gpa_err *why, const kir_fault_record *fault,
                      gpa_err *e) {
    wire_reply r;
    memset(&r, 0, sizeof r);
    if (w->failed) code = w->failed, why = &w->failure;
    w->failed = GPA_OK;
    r.code = (int32_t)code;
    if (fault) r.fault = *fault;
    if (code) str_truncate(&w->reply, w->head);
    r.n_states = w->reply.len - w->head;
    r.n_text = code ? (uint32_t)strlen(why->msg) + 1 : 0;
    wire_put(&w->reply, why->msg, r.n_text);
    if (w->reply.failed) return gpa_no_memory(e);
    memcpy(w->reply.text, &r, sizeof r);
    gpa_code rc = channel_send(w->c, 0, CHANNEL_REPLY, w->reply.text, w->reply.len, e);
    return rc ? rc : channel_finish_sends(w->c, e);
}

static void begin_reply(worker *w) {
    const wire_reply none = {.code = GPA_OK};
    str_clear(&w->reply);
    wire_put(&w->reply, &none, sizeof none);
    w->head = w->reply.len;
}

static gpa_code answer_sync(worker *w, gpa_err *e) {
    const gpa_err none = {0};
    begin_reply(w);
    return reply(w, GPA_OK, &none, NULL, e);
}

/* Runs a share, and replies if that is wanted. */
static gpa_code run(worker *w, uint32_t id, wire_reader *r, gpa_err *e) {
    const wire_run *x = wire_get(r, sizeof *x);
    kir_fault_record fault = {0};
    gpa_err why = {0};
    if (!x) return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    gpa_code rc = channel_finish_sends(w->c, e); /* the launch may overwrite what is being sent */
    if (rc) return rc;
    begin_reply(w);
    rc = launch(w, id, x, r, &fault, &why);
    if (x->reply) return reply(w, rc, &why, &fault, e);
    if (rc && !w->failed) w->failed = rc, w->failure = why;
    return GPA_OK;
}

/* ---- library calls ---- */

static gpa_code bind_one(worker *w, const wire_array *from, gpa_binding *to, gpa_err *e) {
    return bind(w, from, 1, to, e);
}

/* A share of a call, and replies. */
static gpa_code call(worker *w, wire_reader *r, gpa_err *e) {
    const wire_call *x = wire_get(r, sizeof *x);
    const wire_array *arrays = x ? wire_get(r, x->n * sizeof *arrays) : NULL;
    const library_device own = {w->be, w->dev};
    gpa_err why = {0};
    if (!arrays) return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    gpa_code rc = channel_finish_sends(w->c, e), done = GPA_OK;
    if (rc) return rc;
    gpa_libcall c = x->call;
    for (uint64_t i = 0; i < x->n && !done; i++) {
        const lib_operand o = lib_operand_of(&c, (int)i);
        done = bind_one(w, &arrays[i], lib_operand_binding(&c, &o), &why);
    }
    resume(w);
    begin_reply(w);
    if (!done) done = library_work_call(&own, &c, &why);
    return reply(w, done, &why, NULL, e);
}

static gpa_code block_of(worker *w, const wire_sort *x, sort_block *out, gpa_err *e) {
    *out = (sort_block){.dtype = (gpa_dtype)x->dtype, .lo = x->lo, .hi = x->hi};
    gpa_code rc = bind_one(w, &x->in, &out->in, e);
    if (!rc) rc = bind_one(w, &x->keys, &out->keys, e);
    return rc ? rc : bind_one(w, &x->indices, &out->indices, e);
}

/* Sorts a block, and replies with samples. */
static gpa_code sort(worker *w, wire_reader *r, gpa_err *e) {
    const wire_sort *x = wire_get(r, sizeof *x);
    const library_device own = {w->be, w->dev};
    sort_block b;
    gpa_err why = {0};
    if (!x) return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    gpa_code rc = channel_finish_sends(w->c, e);
    if (rc) return rc;
    splitter *samples = mem_new(x->n * sizeof *samples);
    resume(w);
    begin_reply(w);
    rc = samples ? block_of(w, x, &b, &why) : gpa_no_memory(&why);
    if (!rc) rc = library_work_sort(&own, &b, samples, (int64_t)x->n, &why);
    if (!rc) wire_put(&w->reply, samples, x->n * sizeof *samples);
    mem_free(samples);
    return reply(w, rc, &why, NULL, e);
}

/* Replies with the number of elements of a sorted block before each splitter. */
static gpa_code search(worker *w, wire_reader *r, gpa_err *e) {
    const wire_sort *x = wire_get(r, sizeof *x);
    const splitter *s = x ? wire_get(r, x->n * sizeof *s) : NULL;
    const library_device own = {w->be, w->dev};
    sort_block b;
    int64_t before[MPI_MAX_RANKS];
    gpa_err why = {0};
    if (!s || x->n > MPI_MAX_RANKS) return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    begin_reply(w);
    gpa_code rc = block_of(w, x, &b, &why);
    if (!rc) library_work_search(&own, &b, s, (int64_t)x->n, before);
    if (!rc) wire_put(&w->reply, before, x->n * sizeof *before);
    return reply(w, rc, &why, NULL, e);
}

/* Merges ranges of sorted blocks, and replies. */
static gpa_code merge(worker *w, wire_reader *r, gpa_err *e) {
    const wire_merge *x = wire_get(r, sizeof *x);
    const sorted_range *ranges = x ? wire_get(r, x->n * sizeof *ranges) : NULL;
    const library_device own = {w->be, w->dev};
    gpa_err why = {0};
    gpa_binding out;
    if (!ranges) return gpa_fail(e, GPA_E_INTERNAL, "a command is incomplete");
    sort_block b = {.dtype = (gpa_dtype)x->dtype};
    gpa_code rc = channel_finish_sends(w->c, e);
    if (rc) return rc;
    begin_reply(w);
    rc = bind_one(w, &x->keys, &b.keys, &why);
    if (!rc) rc = bind_one(w, &x->indices, &b.indices, &why);
    if (!rc) rc = bind_one(w, &x->out, &out, &why);
    if (!rc)
        rc = library_work_merge(&own, &b, &(merge_share){ranges, (int)x->n, &out, x->at}, &why);
    return reply(w, rc, &why, NULL, e);
}

/* Runs the commands of a message. */
static gpa_code obey(worker *w, wire_reader *r, bool *end, gpa_err *e) {
    gpa_code rc = GPA_OK;
    const wire_head *h;
    while (!rc && !*end && r->at < r->n && (h = wire_get(r, sizeof *h))) {
        switch ((wire_op)h->op) {
            case WIRE_PROGRAM: rc = add_program(w, h->id, r, e); break;
            case WIRE_DROP: drop_program(w, h->id); break;
            case WIRE_FREE: free_block(w, h->id); break;
            case WIRE_SEND:
            case WIRE_RECEIVE: rc = transfer(w, h, r, e); break;
            case WIRE_RUN: rc = run(w, h->id, r, e); break;
            case WIRE_SYNC: rc = answer_sync(w, e); break;
            case WIRE_RESUME: resume(w); break;
            case WIRE_CALL: rc = call(w, r, e); break;
            case WIRE_SORT: rc = sort(w, r, e); break;
            case WIRE_SEARCH: rc = search(w, r, e); break;
            case WIRE_MERGE: rc = merge(w, r, e); break;
            case WIRE_END: *end = true; break;
        }
    }
    return rc;
}

gpa_code worker_serve(channel *c, const gpa_backend *be, gpa_dev *dev, gpa_err *e) {
    worker w = {.c = c, .be = be, .dev = dev};
    bool end = false;
    gpa_str text;
    gpa_code rc = GPA_OK;
    str_init(&text);
    str_init(&w.reply);
    catch_interrupts(&w);
    while (!rc && !end) {
        rc = channel_receive_text(c, 0, CHANNEL_COMMAND, &text, e);
        if (rc) break;
        wire_reader r = {text.text, 0, text.len};
        rc = obey(&w, &r, &end, e);
    }
    for (uint32_t i = 0; i < w.n_blocks; i++) free_block(&w, i);
    for (uint32_t i = 0; i < w.n_programs; i++) drop_program(&w, i);
    mem_free(w.blocks);
    mem_free(w.programs);
    str_free(&text);
    str_free(&w.reply);
    return rc;
}
