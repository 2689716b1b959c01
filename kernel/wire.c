/* Jupyter wire protocol: [identities] <IDS|MSG> signature header parent_header metadata content
 * [buffers]; and the connection file. */
#include "kernel/wire.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

/* ---- the connection file ---- */

static const char *const port_names[N_PORTS] = {"shell_port", "control_port", "stdin_port",
                                                "iopub_port", "hb_port"};

/* Copies a member, or the default when it is absent; false if it is not a string or does not
 * fit. */
static bool get(const json_t *file, const char *name, const char *otherwise, char *text, size_t n) {
    const json_t *item = json_object_get(file, name);
    if (json_is_integer(item))
        return snprintf(text, n, "%lld", (long long)json_integer_value(item)) < (int)n;
    const char *value = item ? json_string_value(item) : otherwise;
    return value && snprintf(text, n, "%s", value) < (int)n;
}

bool connection_read(connection *c, const char *path, char *why, size_t n) {
    json_error_t e;
    json_t *file = json_load_file(path, 0, &e);
    const char *bad = NULL;
    if (!file) return snprintf(why, n, "%s: %s", path, e.text), false;
    if (!get(file, "transport", "tcp", c->transport, sizeof c->transport)) bad = "transport";
    if (!get(file, "ip", "127.0.0.1", c->ip, sizeof c->ip)) bad = "ip";
    if (!get(file, "key", "", c->key, sizeof c->key)) bad = "key";
    if (!get(file, "signature_scheme", "hmac-sha256", c->scheme, sizeof c->scheme))
        bad = "signature_scheme";
    for (int i = 0; i < N_PORTS; i++)
        if (!bad && !get(file, port_names[i], NULL, c->ports[i], sizeof c->ports[i]))
            bad = port_names[i];
    json_decref(file);
    if (bad) snprintf(why, n, "%s: no usable \"%s\"", path, bad);
    return !bad;
}

void connection_endpoint(const connection *c, connection_port port, char *text, size_t n) {
    snprintf(text, n, "%s://%s%s%s", c->transport, c->ip,
             strcmp(c->transport, "ipc") == 0 ? "-" : ":", c->ports[port]);
}

/* ---- messages ---- */

/* Reading order: wire_receive and its callees above it, then wire_send. Everything here runs on
 * the caller's thread and socket; a wire is read-only except for its message counter
 * and the signatures seen. */

enum { MAX_FRAMES = 1024 }; /* identities, the six frames of a message, and buffers */
static const char delimiter[] = "<IDS|MSG>";

/* A random UUID; derived from the clock if getrandom fails. */
static void put_uuid(char text[37]) {
    unsigned char r[16];
    if (getrandom(r, sizeof r, 0) != (ssize_t)sizeof r) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        memset(r, 0, sizeof r);
        memcpy(r, &now.tv_nsec, sizeof now.tv_nsec);
    }
    r[6] = (unsigned char)(0x40 | (r[6] & 15));
    r[8] = (unsigned char)(0x80 | (r[8] & 63));
    for (int i = 0, at = 0; i < 16; i++)
        at += sprintf(text + at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", r[i]);
}

bool wire_init(wire *w, const char *scheme, const char *key, const char **why) {
    const char *user = getenv("USER");
    *w = (wire){.is_signed = key[0] != 0};
    if (w->is_signed && strcmp(scheme, "hmac-sha256") != 0)
        return *why = "the signature scheme is not hmac-sha256", false;
    pthread_mutex_init(&w->seen.lock, NULL);
    hmac_init(&w->key, key, strlen(key));
    put_uuid(w->session);
    if (!user || !user[0] || strlen(user) >= sizeof w->user || user[strcspn(user, "\"\\")])
        user = "user";
    strcpy(w->user, user);
    return true;
}

/* ---- requests ---- */

message *message_retain(message *m) {
    atomic_fetch_add(&m->refs, 1);
    return m;
}

void message_release(message *m) {
    if (!m || atomic_fetch_sub(&m->refs, 1) > 1) return;
    json_decref(m->head);
    json_decref(m->content);
    free(m);
}

static bytes keep(char **to, zmq_msg_t *frame) {
    bytes b = {*to, zmq_msg_size(frame)};
    if (b.n) memcpy(*to, zmq_msg_data(frame), b.n);
    *to += b.n;
    return b;
}

/* Allocates a message of n frames as one block, with copies of its identities, header, metadata and
 * buffers. */
static message *new_message(zmq_msg_t *frames, size_t n_ids, size_t n) {
    enum { DELIMITER, SIGNATURE, HEADER, PARENT, METADATA, CONTENT, FIXED };
    size_t size = sizeof(message) + n * sizeof(bytes);
    for (size_t i = 0; i < n; i++) size += zmq_msg_size(&frames[i]);
    message *m = malloc(size);
    if (!m) return NULL;
    *m = (message){.n_ids = n_ids, .n_buffers = n - n_ids - FIXED, .ids = (bytes *)(m + 1)};
    atomic_init(&m->refs, 1);
    m->buffers = m->ids + n_ids;
    char *to = (char *)(m->ids + n);
    for (size_t i = 0; i < n_ids; i++) m->ids[i] = keep(&to, &frames[i]);
    m->header = keep(&to, &frames[n_ids + HEADER]);
    m->metadata = keep(&to, &frames[n_ids + METADATA]);
    for (size_t i = 0; i < m->n_buffers; i++) m->buffers[i] = keep(&to, &frames[n_ids + FIXED + i]);
    return m;
}

/* Code unit of the escape \uXXXX at text[0]; -1 if there is none. */
static int escaped_unit(const char *text, size_t n) {
    int unit = 0;
    if (n < 6 || text[0] != '\\' || text[1] != 'u') return -1;
    for (int i = 2; i < 6; i++) {
        if (!isxdigit((unsigned char)text[i])) return -1;
        unit = unit * 16 + (text[i] <= '9' ? text[i] - '0' : (text[i] | 0x20) - 'a' + 10);
    }
    return unit;
}

/* Replaces escapes of unpaired surrogates by U+FFFD, in place: JavaScript and Python may write
 * them, and UTF-8 cannot encode them. */
static void mend_surrogates(char *text, size_t n) {
    static const char replacement[] = {'f', 'f', 'f', 'd'};
    for (size_t i = 0; i < n;) {
        if (text[i] != '\\') {
            i++;
            continue;
        }
        int unit = escaped_unit(text + i, n - i),
            next = unit >> 10 == 0x36 ? escaped_unit(text + i + 6, n - i - 6) : -1;
        bool pair = next >> 10 == 0x37;
        if (unit >> 11 == 0x1b && !pair) memcpy(text + i + 2, replacement, sizeof replacement);
        i += unit < 0 ? 2 : pair ? 12 : 6;
    }
}

static json_t *object_of(zmq_msg_t *frame) {
    size_t n = zmq_msg_size(frame);
    json_t *json = json_loadb(zmq_msg_data(frame), n, JSON_ALLOW_NUL, NULL);
    char *mended = json || !n ? NULL : malloc(n);
    if (mended) {
        memcpy(mended, zmq_msg_data(frame), n);
        mend_surrogates(mended, n);
        json = json_loadb(mended, n, JSON_ALLOW_NUL, NULL);
        free(mended);
    }
    if (json_is_object(json)) return json;
    json_decref(json);
    return NULL;
}

static bool signature_holds(const wire *w, zmq_msg_t *signature, zmq_msg_t *dicts) {
    char want[HMAC_TEXT + 1];
    bytes parts[4];
    if (!w->is_signed) return true;
    for (int i = 0; i < 4; i++)
        parts[i] = (bytes){zmq_msg_data(&dicts[i]), zmq_msg_size(&dicts[i])};
    hmac_sign(&w->key, parts, 4, want);
    return zmq_msg_size(signature) == HMAC_TEXT &&
           hmac_equal(zmq_msg_data(signature), want, HMAC_TEXT);
}

/* True if a message with this signature was received before, among the last ones; notes it. */
static bool is_replay(wire *w, zmq_msg_t *signature) {
    enum { REMEMBERED = 1 << 16 };
    const char *digest = zmq_msg_data(signature);
    bool again = false;
    if (!w->is_signed) return false;
    pthread_mutex_lock(&w->seen.lock);
    for (size_t i = 0; i < w->seen.n && !again; i++)
        again = !memcmp(w->seen.at[i], digest, WIRE_DIGEST);
    if (!w->seen.at) w->seen.at = malloc(REMEMBERED * sizeof *w->seen.at);
    if (!again && w->seen.at) {
        memcpy(w->seen.at[w->seen.next], digest, WIRE_DIGEST);
        w->seen.next = (w->seen.next + 1) % REMEMBERED;
        if (w->seen.n < REMEMBERED) w->seen.n++;
    }
    pthread_mutex_unlock(&w->seen.lock);
    return again;
}

void wire_free(wire *w) {
    pthread_mutex_destroy(&w->seen.lock);
    free(w->seen.at);
}

static message *decode(wire *w, zmq_msg_t *frames, size_t n, const char **why) {
    size_t d = 0;
    while (d < n && !(zmq_msg_size(&frames[d]) == sizeof delimiter - 1 &&
                      memcmp(zmq_msg_data(&frames[d]), delimiter, sizeof delimiter - 1) == 0))
        d++;
    if (n < d + 6) return *why = "frames are missing", NULL;
    if (!signature_holds(w, &frames[d + 1], &frames[d + 2]))
        return *why = "the signature does not fit", NULL;
    if (is_replay(w, &frames[d + 1])) return *why = "it was received before", NULL;
    message *m = new_message(frames, d, n);
    if (!m) return *why = "out of memory", NULL;
    m->head = object_of(&frames[d + 2]);
    m->content = object_of(&frames[d + 5]);
    m->type = json_string_value(json_object_get(m->head, "msg_type"));
    if (m->content && m->type) return m;
    *why = "header or content is not what it should be";
    message_release(m);
    return NULL;
}

bool wire_receive(wire *w, void *socket, message **out, const char **why) {
    zmq_msg_t frames[MAX_FRAMES + 1];
    size_t n = 0;
    bool more = true;
    *out = NULL;
    *why = NULL;
    while (more) {
        zmq_msg_init(&frames[n]);
        int got;
        do got = zmq_msg_recv(&frames[n], socket, ZMQ_DONTWAIT);
        while (got < 0 && errno == EINTR);
        if (got < 0) break;
        more = zmq_msg_more(&frames[n]);
        if (n < MAX_FRAMES)
            n++;
        else
            zmq_msg_close(&frames[n]);
    }
    if (more)
        return false; /* ZeroMQ delivers messages atomically: only the first frame can be missing */
    *out = decode(w, frames, n, why);
    for (size_t i = 0; i < n; i++) zmq_msg_close(&frames[i]);
    return true;
}

/* ---- replies ---- */

static bool send_frame(void *socket, const void *data, size_t n, bool more) {
    int rc;
    do rc = zmq_send(socket, n ? data : "", n, more ? ZMQ_SNDMORE : 0);
    while (rc < 0 && errno == EINTR);
    return rc >= 0;
}

static int put_header(wire *w, const char *type, char *text, size_t n) {
    struct timespec now;
    struct tm t;
    char date[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &t);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &t);
    return snprintf(text, n,
                    "{\"msg_id\":\"%s_%d_%llu\",\"session\":\"%s\",\"username\":\"%s\",\"date\":\"%"
                    "s.%06ldZ\",\"msg_type\":\"%s\",\"version\":\"5.5\"}",
                    w->session, (int)getpid(), atomic_fetch_add(&w->n_sent, 1), w->session, w->user,
                    date, now.tv_nsec / 1000, type);
}

bool wire_send(wire *w, void *socket, const letter *l) {
    char header[512], signature[HMAC_TEXT + 1] = "";
    int n_header = put_header(w, l->type, header, sizeof header);
    static const bytes empty = {"{}", 2};
    bytes dicts[4] = {{header, (size_t)n_header},
                      l->parent.n ? l->parent : empty,
                      l->metadata.n ? l->metadata : empty,
                      l->content};
    if (w->is_signed) hmac_sign(&w->key, dicts, 4, signature);
    bool sent = true;
    for (size_t i = 0; i < l->n_prefix && sent; i++)
        sent = send_frame(socket, l->prefix[i].data, l->prefix[i].n, true);
    sent = sent && send_frame(socket, delimiter, sizeof delimiter - 1, true) &&
           send_frame(socket, signature, strlen(signature), true);
    for (size_t i = 0; i < 4 && sent; i++)
        sent = send_frame(socket, dicts[i].data, dicts[i].n, i < 3 || l->n_buffers);
    for (size_t i = 0; i < l->n_buffers && sent; i++)
        sent = send_frame(socket, l->buffers[i].data, l->buffers[i].n, i + 1 < l->n_buffers);
    return sent;
}
