/* Reader counts of device buffers. */
#include "runtime/graph/buf.h"

#include "runtime/graph/state.h"

void buf_read(gpa_rt *rt, gpa_buf *b) {
    (void)rt;
    b->readers++;
}

void buf_unread(gpa_rt *rt, gpa_buf *b) {
    if (--b->readers || b->owners) return;
    rt->stats.bytes_pending -= b->room;
    b->release(rt, b);
}
