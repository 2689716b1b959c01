/* Records of launches that may fault, and the messages made from them.
 *
 * Reading order: records, messages, settling. */
#include "runtime/exec/deferred_error.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"
#include "runtime/exec/device.h"

typedef enum {
    PENDING,     /* the device may still be running the launch */
    SUCCEEDED,   /* its results are valid */
    FAILED,      /* its results are invalid; `cause` holds the error */
    INTERRUPTED, /* the wait was interrupted and its results were given up */
} state;

struct deferred_error {
    int refs;
    state state;
    gpa_device *device;
    deferred_error *next;  /* in the queue, while PENDING */
    deferred_error *cause; /* FAILED: itself, or the record it depends on that failed (retained) */
    deferred_error *
        *dependencies; /* PENDING: the unsettled records that its operands depend on (retained) */
    size_t n_dependencies;
    kir_fault_record record;
    bool kernel; /* messages name the thread and the block */
    bool raises; /* it may fault, not only be stopped */
    char name[32];
    /* The source data of messages: arrays after this structure, in this order. */
    size_t n_spans, n_arrays, n_texts;
    gpa_span *spans;
    uint8_t *where; /* kir_where of each array */
    char *texts;    /* zero-terminated, consecutive */
};

/* ---- records ---- */

static void copy_texts(deferred_error *x, const kir_func *f) {
    memcpy(x->name, f->name, sizeof x->name);
    if (x->n_spans) memcpy(x->spans, f->spans, x->n_spans * sizeof *x->spans);
    for (size_t i = 0; i < x->n_arrays; i++) x->where[i] = f->arrays[i].where;
    char *to = x->texts;
    for (size_t i = 0; i < x->n_texts; i++) {
        size_t n = strlen(f->texts[i]) + 1;
        memcpy(to, f->texts[i], n);
        to += n;
    }
}

gpa_code deferred_push(deferred_queue *q, const deferred_launch *l, deferred_error **out,
                       gpa_err *e) {
    const kir_func *f = l->f;
    size_t n_spans = f ? f->n_spans : 0, n_arrays = f ? f->n_arrays : 0, texts = 0;
    for (size_t i = 0; f && i < f->n_texts; i++) texts += strlen(f->texts[i]) + 1;
    deferred_error *x = mem_new(sizeof *x + l->n_dependencies * sizeof(deferred_error *) +
                                n_spans * sizeof(gpa_span) + n_arrays + texts);
    if (!x) return gpa_no_memory(e);
    *x = (deferred_error){.refs = 1,
                          .device = l->device,
                          .n_dependencies = l->n_dependencies,
                          .kernel = f && f->form == KIR_KERNEL,
                          .raises = l->raises,
                          .n_spans = n_spans,
                          .n_arrays = n_arrays,
                          .n_texts = f ? f->n_texts : 0};
    x->dependencies = (deferred_error **)(x + 1);
    x->spans = (gpa_span *)(x->dependencies + l->n_dependencies);
    x->where = (uint8_t *)(x->spans + n_spans);
    x->texts = (char *)(x->where + n_arrays);
    if (f) copy_texts(x, f);
    for (size_t i = 0; i < l->n_dependencies; i++)
        x->dependencies[i] = deferred_retain(l->dependencies[i]);
    *(q->first ? &q->last->next : &q->first) = x;
    q->last = x;
    q->n++;
    q->n_raising += l->raises;
    *out = x;
    return GPA_OK;
}

kir_fault_record *deferred_record(deferred_error *x) { return &x->record; }

deferred_error *deferred_retain(deferred_error *x) {
    if (x) x->refs++;
    return x;
}

/* The queue owns a PENDING record, so a record that is freed has no dependencies left, and its
 * cause failed by itself: the recursion is one level deep. */
void deferred_release(deferred_error *x) {
    if (!x || --x->refs) return;
    if (x->cause != x) deferred_release(x->cause);
    mem_free(x);
}

bool deferred_is_open(const deferred_error *x) { return x && x->state != SUCCEEDED; }

/* ---- messages ---- */

enum { THREAD_TEXT = 80 };

/* "thread (1, 0, 0) of block (0, 0, 0)" */
static const char *thread_text(char to[THREAD_TEXT], const int32_t thread[3],
                               const int32_t block[3]) {
    snprintf(to, THREAD_TEXT, "thread (%d, %d, %d) of block (%d, %d, %d)", thread[0], thread[1],
             thread[2], block[0], block[1], block[2]);
    return to;
}

static const char *memory_name(const deferred_error *x, uint32_t array) {
    return array < x->n_arrays && x->where[array] == KIR_SHARED ? "shared" : "global";
}

static const char *text_of(const deferred_error *x, uint32_t i) {
    const char *text = x->texts;
    if (i >= x->n_texts) return "";
    while (i--) text += strlen(text) + 1;
    return text;
}

static gpa_code report_race(const deferred_error *x, gpa_err *e) {
    const kir_fault_record *r = &x->record;
    char thread[THREAD_TEXT], other[THREAD_TEXT];
    bool writes = r->how & KIR_HOW_WRITES, wrote = r->how & KIR_HOW_OTHER_WRITES;
    gpa_code rc =
        gpa_fail(e, GPA_E_RUNTIME,
                 "race in kernel %s: %s %s element %lld of an array in %s memory that %s "
                 "%s, and nothing orders the two",
                 x->name, thread_text(thread, r->thread, r->block), writes ? "writes" : "reads",
                 (long long)r->a, memory_name(x, r->axis),
                 thread_text(other, r->other_thread, r->other_block), wrote ? "writes" : "reads");
    if (e && r->other_line < x->n_spans && r->other_line != r->line)
        gpa_err_note(e, x->spans[r->other_line], "thread (%d, %d, %d) %s", r->other_thread[0],
                     r->other_thread[1], r->other_thread[2], wrote ? "writes" : "reads");
    return rc;
}

static gpa_code report_barrier(const deferred_error *x, gpa_err *e) {
    const kir_fault_record *r = &x->record;
    char thread[THREAD_TEXT], other[THREAD_TEXT];
    bool ended = r->how & KIR_HOW_ENDED;
    gpa_code rc =
        gpa_fail(e, GPA_E_RUNTIME, "barrier in kernel %s: %s waits where %s does not come: it %s",
                 x->name, thread_text(thread, r->thread, r->block),
                 thread_text(other, r->other_thread, r->other_block),
                 ended ? "has ended" : "waits elsewhere");
    if (e && !ended && r->other_line < x->n_spans)
        gpa_err_note(e, x->spans[r->other_line], "thread (%d, %d, %d) waits", r->other_thread[0],
                     r->other_thread[1], r->other_thread[2]);
    return rc;
}

/* The text of an ASSERT or RAISE; its integer, r->b, replaces the byte \1. */
static void assert_text(const deferred_error *x, char *to, size_t capacity) {
    const char *text = text_of(x, x->record.axis), *marker = strchr(text, '\1');
    if (marker)
        snprintf(to, capacity, "%.*s%lld%s", (int)(marker - text), text, (long long)x->record.b,
                 marker + 1);
    else
        snprintf(to, capacity, "%s", text);
}

static gpa_code report_kind(const deferred_error *x, gpa_err *e) {
    const kir_fault_record *r = &x->record;
    char thread[THREAD_TEXT], suffix[THREAD_TEXT + 48] = "", text[400] = "?";
    if (r->kind == KIR_FT_ASSERT || r->kind == KIR_FT_RAISE) assert_text(x, text, sizeof text);
    if (x->kernel)
        snprintf(suffix, sizeof suffix, "%sin kernel %s, %s", text[0] ? "\n" : "", x->name,
                 thread_text(thread, r->thread, r->block));
    switch ((kir_fault)r->kind) {
        case KIR_FT_INDEX:
            return gpa_fail(e, GPA_E_INDEX,
                            "index %lld is out of bounds for axis %u with size %lld%s",
                            (long long)r->a, r->axis, (long long)r->b, suffix);
        case KIR_FT_RAISE: return gpa_fail(e, (gpa_code)r->a, "%s%s", text, suffix);
        case KIR_FT_DIVIDE: return gpa_fail(e, GPA_E_ZERO_DIVISION, "division by zero%s", suffix);
        case KIR_FT_SHAPE:
            return gpa_fail(
                e, GPA_E_VALUE,
                "could not broadcast input array from shape (%lld,) into shape (%lld,)%s",
                (long long)r->a, (long long)r->b, suffix);
        case KIR_FT_RACE: return report_race(x, e);
        case KIR_FT_BARRIER: return report_barrier(x, e);
        case KIR_FT_UNWRITTEN:
            return gpa_fail(e, GPA_E_RUNTIME,
                            "unwritten memory in kernel %s: %s reads element %lld of a shared "
                            "array before any thread has written it",
                            x->name, thread_text(thread, r->thread, r->block), (long long)r->a);
        case KIR_FT_LANE:
            if (r->how & KIR_HOW_OWN)
                return gpa_fail(
                    e, GPA_E_RUNTIME,
                    "mask in kernel %s: %s is lane %lld of its warp, which the mask does not name",
                    x->name, thread_text(thread, r->thread, r->block), (long long)r->a);
            return gpa_fail(e, GPA_E_RUNTIME,
                            "undefined value in kernel %s: %s takes that of lane %lld of its warp, "
                            "which does not take part",
                            x->name, thread_text(thread, r->thread, r->block), (long long)r->a);
        case KIR_FT_STOPPED: return gpa_interrupted(e);
        case KIR_FT_ASSERT:
        case KIR_FT_ROWS: break;
    }
    return gpa_fail(e, GPA_E_ASSERTION, "%s%s", text[0] || x->kernel ? text : "assertion failed",
                    suffix);
}

/* Makes the error of a record that is set. */
static gpa_code report(const deferred_error *x, gpa_err *e) {
    gpa_code rc = report_kind(x, e);
    if (e && rc != GPA_E_INTERRUPT && x->record.line < x->n_spans)
        gpa_fail_at(e, x->spans[x->record.line]);
    return rc;
}

static bool was_stopped(const deferred_error *x) {
    return x->state == INTERRUPTED || (kir_fault)x->record.kind == KIR_FT_STOPPED;
}

gpa_code deferred_check(const deferred_error *x, gpa_err *e) {
    if (!x || x->state == PENDING || x->state == SUCCEEDED) return GPA_OK;
    if (e && e->code) e = NULL; /* keep the first error */
    if (was_stopped(x->cause))
        return gpa_fail(e, GPA_E_RUNTIME, "the computation of this array was interrupted");
    return report(x->cause, e);
}

/* ---- settling ---- */

/* The outcome of a launch that has ended. A launch that read invalid memory fails with the error of
 * that memory, whatever it reported itself. */
static void settle(deferred_error *x, bool gave_up) {
    deferred_error *cause = gave_up || x->record.set ? x : NULL;
    for (size_t i = 0; i < x->n_dependencies && !gave_up; i++) {
        if (x->dependencies[i]->state == PENDING || x->dependencies[i]->state == SUCCEEDED)
            continue;
        cause = x->dependencies[i]->cause;
        break;
    }
    x->state = gave_up ? INTERRUPTED : cause ? FAILED : SUCCEEDED;
    x->cause = cause == x ? x : deferred_retain(cause);
    for (size_t i = 0; i < x->n_dependencies; i++) deferred_release(x->dependencies[i]);
    x->n_dependencies = 0;
}

gpa_code deferred_settle(deferred_queue *q, const gpa_device *d, bool gave_up, bool answered,
                         gpa_err *e) {
    gpa_code rc = GPA_OK;
    deferred_error **link = &q->first;
    q->last = NULL;
    while (*link) {
        deferred_error *x = *link;
        if (d && x->device != d) {
            q->last = x;
            link = &x->next;
            continue;
        }
        if (!rc && !gave_up && x->record.set && !(answered && was_stopped(x)))
            rc = report(x, e && e->code ? NULL : e);
        settle(x, gave_up);
        *link = x->next;
        q->n--;
        q->n_raising -= x->raises;
        deferred_release(x);
    }
    return rc;
}
