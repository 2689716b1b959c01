/* A doubt is a leaf that exec_faults settles, or a pair of doubts. */
#include "runtime/exec/deferred_error.h"

#include <stddef.h>

#include "runtime/base/base.h"

struct doubt {
    int refs;
    bool settled;
    gpa_err *fault; /* NULL: none known */
    doubt *on[2];   /* a pair */
};

doubt *doubt_new(void) {
    doubt *d = mem_zero(sizeof *d);
    if (d) d->refs = 1;
    return d;
}

doubt *doubt_retain(doubt *d) {
    if (d) d->refs++;
    return d;
}

void doubt_release(doubt *d) {
    while (d && --d->refs == 0) { /* chains grow along the first */
        doubt *next = d->on[0];
        doubt_release(d->on[1]);
        mem_free(d->fault);
        mem_free(d);
        d = next;
    }
}

bool doubt_is_open(const doubt *d) {
    for (; d; d = d->on[0]) {
        if (d->fault || (!d->on[0] && !d->settled)) return true;
        if (d->on[1] && doubt_is_open(d->on[1])) return true;
    }
    return false;
}

gpa_code doubt_join(doubt **all, doubt *other, gpa_err *e) {
    if (!doubt_is_open(other) || *all == other) return GPA_OK;
    if (!*all) {
        *all = doubt_retain(other);
        return GPA_OK;
    }
    doubt *pair = doubt_new();
    if (!pair) return gpa_no_memory(e);
    pair->on[0] = doubt_retain(other);
    pair->on[1] = *all;
    *all = pair;
    return GPA_OK;
}

void doubt_settle(doubt *d, const gpa_err *fault) {
    d->settled = true;
    if (fault && (d->fault = mem_new(sizeof *d->fault))) *d->fault = *fault;
}

gpa_code doubt_check(const doubt *d, gpa_err *e) {
    for (; d; d = d->on[0]) {
        if (d->fault) {
            if (e && !e->code) *e = *d->fault;
            return d->fault->code;
        }
        gpa_code rc = d->on[1] ? doubt_check(d->on[1], e) : GPA_OK;
        if (rc) return rc;
    }
    return GPA_OK;
}
