/* Fuzz target: messages of the Jupyter protocol; a line of the input is a frame. Messages with all
 * frames are signed, so that the code after the signature check runs. A message is either dropped
 * with a reason, or has a type, a content, and the identities and header that were sent; it does
 * not affect the next one. */
#define FUZZ_MOST 20000
#include "tests/fuzz/drive.h"

#include <string.h>
#include <zmq.h>

#include "kernel/json.h"
#include "kernel/wire.h"

enum { MOST_FRAMES = 100 };

static const char key[] = "key";
static const char delimiter[] = "<IDS|MSG>";

/* Splits a text into lines; returns their number. */
static size_t cut(const char *text, size_t size, bytes frames[MOST_FRAMES]) {
    size_t n = 0;
    for (size_t at = 0; at <= size && n < MOST_FRAMES; n++) {
        const char *end = at < size ? memchr(text + at, '\n', size - at) : NULL;
        frames[n] = (bytes){text + at, end ? (size_t)(end - text) - at : size - at};
        at += frames[n].n + 1;
    }
    return n;
}

static bool is(bytes b, const char *text) {
    return b.n == strlen(text) && memcmp(b.data, text, b.n) == 0;
}

/* The index of the delimiter; n: there is none. */
static size_t find_delimiter(const bytes *frames, size_t n) {
    size_t d = 0;
    while (d < n && !is(frames[d], delimiter)) d++;
    return d;
}

/* Replaces the signature "sign" by a valid one. */
static void sign(bytes *frames, size_t n, char text[HMAC_TEXT + 1]) {
    size_t d = find_delimiter(frames, n);
    hmac k;
    if (n < d + 6 || !is(frames[d + 1], "sign")) return;
    hmac_init(&k, key, strlen(key));
    hmac_sign(&k, &frames[d + 2], 4, text);
    frames[d + 1] = (bytes){text, HMAC_TEXT};
}

static void send_all(void *socket, const bytes *frames, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (zmq_send(socket, frames[i].n ? frames[i].data : "", frames[i].n,
                     i + 1 < n ? ZMQ_SNDMORE : 0) < 0)
            __builtin_trap();
}

static void see_message(const message *m, const bytes *frames, size_t n) {
    size_t d = find_delimiter(frames, n);
    if (m->n_ids != d || !json_is_object(m->content) || !m->type || n < d + 6) __builtin_trap();
    for (size_t i = 0; i < d; i++)
        if (m->ids[i].n != frames[i].n || memcmp(m->ids[i].data, frames[i].data, frames[i].n) != 0)
            __builtin_trap();
    if (m->header.n != frames[d + 2].n ||
        memcmp(m->header.data, frames[d + 2].data, m->header.n) != 0)
        __builtin_trap();
}

/* Checks that the cursor's byte offset is inside the code and converts back to the same code point.
 */
static void see_code(const message *m) {
    const json_t *code = json_object_get(m->content, "code");
    size_t n = json_string_length(code);
    const char *text = json_is_string(code) ? json_string_value(code) : "";
    size_t at =
        text_byte_at(text, n, json_integer_value(json_object_get(m->content, "cursor_pos")));
    if (at > n || text_byte_at(text, n, text_point_at(text, n, at)) != at) __builtin_trap();
    json_t *again = text_json(text, n);
    if (json_is_string(code) && !json_equal(code, again)) __builtin_trap();
    json_decref(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static void *zmq, *out, *in;
    static wire w;
    static const bytes whole[] = {{delimiter, sizeof delimiter - 1},
                                  {"sign", 4},
                                  {"{\"msg_type\": \"x\"}", 17},
                                  {"{}", 2},
                                  {"{}", 2},
                                  {"{}", 2}};
    bytes frames[MOST_FRAMES], next[6];
    char signature[HMAC_TEXT + 1], other[HMAC_TEXT + 1];
    message *m;
    const char *why;
    if (!zmq) {
        zmq = zmq_ctx_new();
        out = zmq_socket(zmq, ZMQ_PAIR);
        in = zmq_socket(zmq, ZMQ_PAIR);
        if (!wire_init(&w, "hmac-sha256", key, &why) || zmq_bind(in, "inproc://wire") ||
            zmq_connect(out, "inproc://wire"))
            __builtin_trap();
    }
    size_t n = cut((const char *)data, size, frames);
    sign(frames, n, signature);
    send_all(out, frames, n);
    if (!wire_receive(&w, in, &m, &why) || !m == !why) __builtin_trap();
    if (m) see_message(m, frames, n);
    if (m) see_code(m);
    message_release(m);

    static unsigned count; /* a repeated message is dropped as a replay */
    char header[64];
    memcpy(next, whole, sizeof next);
    next[2] = (bytes){header, (size_t)snprintf(header, sizeof header,
                                               "{\"msg_type\": \"x\", \"n\": %u}", count++)};
    sign(next, 6, other);
    send_all(out, next, 6);
    if (!wire_receive(&w, in, &m, &why) || !m || strcmp(m->type, "x") != 0) __builtin_trap();
    message_release(m);
    if (wire_receive(&w, in, &m, &why)) __builtin_trap();
    return 0;
}
