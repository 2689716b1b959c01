/* Reader counts of device buffers. */
#include "runtime/graph/buf.h"

#include "runtime/graph/state.h"

void buf_add_reader(gpa_rt *rt, gpa_buf *b) {
    (void)rt;
    b->readers++;
}

void buf_remove_reader(gpa_rt *rt, gpa_buf *b) {
    if (--b->readers || b->owners) return;
    rt->stats.bytes_pending -= b->capacity;
    b->release(rt, b);
}
