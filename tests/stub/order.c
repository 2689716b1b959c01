/* Execution order of streams. By default operations execute at once. With lazy=1 in $STUB_CUDA only
 * those of the first stream, the device's queue, do; other streams are delayed until something
 * synchronizes with them. lazy=2 delays the queue, lazy=3 all streams. So missing synchronization
 * gives the wrong order. */
#include <pthread.h>

#include "tests/stub/stub.h"

enum { ALIGN = 16 }; /* of a copied argument */

struct CUstream_st {
    stub_op *first, **last;
    uint64_t given, done;
    bool lazy;
};

struct CUevent_st {
    CUstream stream;
    uint64_t at; /* how many of its operations precede the event */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void execute(stub_op *o) {
    switch (o->what) {
        case STUB_COPY: memcpy(o->to, o->kept ? o->kept : o->from, o->n); break;
        case STUB_FILL: memset(o->to, o->fill, o->n); break;
        case STUB_FREE: free(o->to); break;
        case STUB_LAUNCH:
            stub_launch(o->program, o->blocks, o->threads, o->shared, o->kept ? o->kept : o->args);
            break;
        case STUB_FOLLOW: break;
    }
}

static void run_until(CUstream s, uint64_t at) {
    while (s->done < at) {
        stub_op *o = s->first;
        if (!(s->first = o->next)) s->last = &s->first;
        s->done++;
        if (o->what == STUB_FOLLOW && o->other) run_until(o->other, o->at);
        execute(o);
        free(o->kept);
        free(o);
    }
}

static void run_locked(CUstream s, uint64_t at) {
    pthread_mutex_lock(&lock);
    run_until(s, at);
    pthread_mutex_unlock(&lock);
}

void **stub_keep_arguments(CUfunction f, void *const *args) {
    const size_t *sizes = stub_sizes(f);
    size_t n = 0, total = 0;
    for (; sizes[n]; n++) total += (sizes[n] + ALIGN - 1) / ALIGN * ALIGN;
    size_t list = (n * sizeof *args + ALIGN - 1) / ALIGN * ALIGN;
    void **kept = malloc(list + total + ALIGN);
    char *at = kept ? (char *)kept + list : NULL;
    for (size_t k = 0; kept && k < n; at += (sizes[k++] + ALIGN - 1) / ALIGN * ALIGN)
        kept[k] = memcpy(at, args[k], sizes[k]);
    return kept;
}

int stub_put(CUstream s, stub_op op) {
    if (!stub_word("lazy", 0)) {
        if (op.what == STUB_LAUNCH)
            return stub_launch(op.program, op.blocks, op.threads, op.shared, op.args);
        return execute(&op), 0;
    }
    stub_op *o = malloc(sizeof *o);
    if (!o) return CUDA_OUT_OF_MEMORY;
    *o = op;
    if (op.what == STUB_LAUNCH)
        o->kept = stub_keep_arguments(op.program, op.args);
    else if (op.what == STUB_COPY && op.keep && (o->kept = malloc(op.n)))
        memcpy(o->kept, op.from, op.n);
    pthread_mutex_lock(&lock);
    *s->last = o;
    s->last = &o->next;
    s->given++;
    if (!s->lazy) run_until(s, s->given);
    pthread_mutex_unlock(&lock);
    return 0;
}

static int streams;

CUstream stub_stream(void) {
    CUstream s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->last = &s->first;
    s->lazy = stub_word("lazy", 0) == 3 || stub_word("lazy", 0) == (streams ? 1 : 2);
    streams++;
    return s;
}

void stub_end(CUstream s) {
    stub_finish(s);
    free(s);
    streams--;
}

void stub_finish(CUstream s) { run_locked(s, s->given); }

CUevent stub_event(void) { return calloc(1, sizeof(struct CUevent_st)); }

void stub_mark(CUevent e, CUstream s) { *e = (struct CUevent_st){s, s->given}; }

void stub_reach(CUevent e) {
    if (e->stream) run_locked(e->stream, e->at);
}

int stub_follow(CUstream s, CUevent e) {
    return stub_put(s, (stub_op){.what = STUB_FOLLOW, .other = e->stream, .at = e->at});
}
