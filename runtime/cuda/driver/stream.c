/* User streams: dependency tracking per memory block.
 *
 * Streams have numbers; more than USER_STREAMS of them share. A memory block records the user
 * streams that used it since the queue did, and the number of its latest use in the queue. The
 * queue waits for the recorded streams; a user stream waits for the queue unless it already waits
 * for that number. A new epoch invalidates all records: when all work is done, or when the queue
 * waits for all streams and all of them will wait for it. */
#include "runtime/cuda/driver/stream.h"

#include "runtime/base/base.h"

#define CALL(name, ...) api_check(d->cu->name(__VA_ARGS__), #name, e)

static uint32_t index_of(uint32_t number) { return (number - 1) % USER_STREAMS; }

/* ---- the queue ---- */

/* Makes a stream wait for the user streams of the mask. */
static gpa_code wait_for_streams(gpa_dev *d, CUstream stream, uint32_t which, gpa_err *e) {
    gpa_code rc = GPA_OK;
    which &= d->busy;
    for (uint32_t i = 0; i < USER_STREAMS && which >> i && !rc; i++) {
        if (!(which >> i & 1)) continue;
        rc = CALL(event_record, d->user_streams[i].mark, d->user_streams[i].stream);
        if (!rc) rc = CALL(stream_wait_event, stream, d->user_streams[i].mark, 0);
    }
    return rc;
}

void stream_settled(gpa_dev *d) {
    if (d->busy) d->epoch++;
    d->busy = 0;
}

/* The user streams that use m, or that write it. */
static uint32_t users_of(const gpa_dev *d, const gpa_mem *m, bool writers) {
    if (m->epoch != d->epoch) return 0;
    return writers ? m->writers : m->users;
}

gpa_code stream_use(gpa_dev *d, gpa_mem *m, bool writes, gpa_err *e) {
    uint32_t before = d->busy ? users_of(d, m, !writes) : 0;
    gpa_code rc = before ? wait_for_streams(d, d->stream, before, e) : GPA_OK;
    m->queued = ++d->queued;
    m->users &= ~before;
    m->writers &= ~before;
    return rc;
}

static bool is_bound(const kir_func *f, const gpa_launch *l, size_t k) {
    return (f->arrays[k].where == KIR_GLOBAL || f->arrays[k].where == KIR_CONSTANT) &&
           l->arrays[k].mem;
}

gpa_code stream_use_all(gpa_dev *d, const kir_func *f, const gpa_launch *l, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t k = 0; k < f->n_arrays && !rc; k++)
        if (is_bound(f, l, k))
            rc = stream_use(d, l->arrays[k].mem, f->arrays[k].access & KIR_WRITE, e);
    return rc;
}

gpa_code stream_join(gpa_dev *d, bool touches, gpa_err *e) {
    gpa_code rc = wait_for_streams(d, d->stream, d->busy, e);
    if (!touches || rc) return rc;
    d->touched = ++d->queued;
    stream_settled(d);
    return GPA_OK;
}

/* ---- streams ---- */

gpa_code stream_get(gpa_dev *d, uint32_t number, CUstream *out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    *out = d->stream;
    if (!number) return GPA_OK;
    cu_user_stream *s = &d->user_streams[index_of(number)];
    if (!s->stream) rc = CALL(stream_create, &s->stream, CU_STREAM_NON_BLOCKING);
    if (!rc && !s->mark) rc = CALL(event_create, &s->mark, CU_EVENT_DISABLE_TIMING);
    *out = s->stream;
    return rc;
}

/* A user stream waits for all work that is in the queue now. */
static gpa_code follow_queue(gpa_dev *d, cu_user_stream *s, gpa_err *e) {
    gpa_code rc = CALL(event_record, d->done, d->stream);
    if (!rc) rc = CALL(stream_wait_event, s->stream, d->done, 0);
    if (!rc) s->followed = d->queued;
    return rc;
}

gpa_code stream_begin(gpa_dev *d, const kir_func *f, const gpa_launch *l, CUstream *out,
                      gpa_err *e) {
    uint32_t me = index_of(l->stream), bit = 1u << me, others = 0;
    uint64_t latest = d->touched;
    cu_user_stream *s = &d->user_streams[me];
    gpa_code rc = stream_get(d, l->stream, out, e);
    if (rc) return rc;
    for (size_t k = 0; k < f->n_arrays; k++) {
        if (!is_bound(f, l, k)) continue;
        latest = MAX(latest, l->arrays[k].mem->queued);
        others |= users_of(d, l->arrays[k].mem, !(f->arrays[k].access & KIR_WRITE));
    }
    if (latest > s->followed) rc = follow_queue(d, s, e);
    if (!rc) rc = wait_for_streams(d, s->stream, others & ~bit, e);
    if (rc) return rc;
    d->busy |= bit;
    for (size_t k = 0; k < f->n_arrays; k++) {
        if (!is_bound(f, l, k)) continue;
        gpa_mem *m = l->arrays[k].mem;
        if (m->epoch != d->epoch) m->users = m->writers = 0;
        m->epoch = d->epoch;
        m->users |= bit;
        if (f->arrays[k].access & KIR_WRITE) m->writers |= bit;
    }
    return GPA_OK;
}

gpa_code stream_follow(gpa_dev *d, uint32_t number, CUevent event, gpa_err *e) {
    CUstream s;
    gpa_code rc = stream_get(d, number, &s, e);
    return rc ? rc : CALL(stream_wait_event, s, event, 0);
}

void stream_close(gpa_dev *d, bool serves) {
    for (int i = 0; i < USER_STREAMS; i++) {
        cu_user_stream *s = &d->user_streams[i];
        if (serves && s->mark) d->cu->event_destroy(s->mark);
        if (serves && s->stream) d->cu->stream_destroy(s->stream);
        *s = (cu_user_stream){0};
    }
    d->busy = 0;
    d->epoch++;
}
