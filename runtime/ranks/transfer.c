/* Transfers of scattered bytes: transfer.h. Consecutive short segments are packed into one message;
 * a long one is a message of its own, without a copy. */
#include "runtime/ranks/transfer.h"

#include "runtime/base/base.h"

enum { UNPACKED_MIN_BYTES = 1 << 15 };

/* The number of segments from s on that make one message, and their bytes. */
static size_t next_message(const segment *s, size_t n, size_t *bytes) {
    size_t k = 0;
    *bytes = 0;
    while (k < n && s[k].n < UNPACKED_MIN_BYTES) *bytes += s[k++].n;
    if (k) return k;
    *bytes = s->n;
    return 1;
}

size_t transfer_messages(const segment *s, size_t n) {
    size_t count = 0, bytes;
    for (size_t i = 0; i < n; count++) i += next_message(s + i, n - i, &bytes);
    return count;
}

gpa_code transfer_send(channel *c, int to, const segment *s, size_t n, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0, k, bytes; i < n && !rc; i += k) {
        k = next_message(s + i, n - i, &bytes);
        if (k == 1) {
            rc = channel_send(c, to, CHANNEL_DATA, s[i].at, bytes, e);
            continue;
        }
        char *packed = mem_new(bytes);
        if (!packed) return gpa_no_memory(e);
        for (size_t j = 0, at = 0; j < k; at += s[i + j++].n)
            memcpy(packed + at, s[i + j].at, s[i + j].n);
        rc = channel_send_take(c, to, CHANNEL_DATA, packed, bytes, e);
    }
    return rc;
}

gpa_code transfer_receive(channel *c, int from, const segment *s, size_t n, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0, k, bytes; i < n && !rc; i += k) {
        k = next_message(s + i, n - i, &bytes);
        if (k == 1) {
            rc = channel_receive(c, from, CHANNEL_DATA, s[i].at, bytes, e);
            continue;
        }
        char *packed = mem_new(bytes);
        if (!packed) return gpa_no_memory(e);
        rc = channel_receive(c, from, CHANNEL_DATA, packed, bytes, e);
        for (size_t j = 0, at = 0; j < k && !rc; at += s[i + j++].n)
            memcpy(s[i + j].at, packed + at, s[i + j].n);
        mem_free(packed);
    }
    return rc;
}
