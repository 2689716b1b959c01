/* Output queue and sender thread of the IOPub socket. Invariant: `items` are in sending order;
 * only the last may be a stream item that still grows.
 *
 * Reading order: posting, then the thread (serve) and its callees above it. */
#include "kernel/iopub.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include "kernel/json.h"

enum { GATHER_MS = 100, GATHER_BYTES = 1 << 16 };

typedef struct item {
    struct item *next;
    message *parent;
    const char *type;
    const char *stream; /* "stdout", "stderr": text is stream text; NULL: text is JSON */
    int64_t due;        /* deadline for sending a stream item */
    char *text;
    size_t n, cap;
    bytes *parts; /* metadata, then buffers: one block; NULL: none */
    size_t n_parts;
} item;

struct iopub {
    wire *wire;
    void *socket;
    pthread_t thread;
    pthread_mutex_t lock;
    item *items, *last;
    int wake; /* an eventfd */
    bool stopping;
    size_t limit, used; /* limit and count of stream bytes for the parent below */
    bool cut;           /* the truncation notice was posted */
    message *parent;
};

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static void item_free(item *it) {
    message_release(it->parent);
    free(it->text);
    free(it->parts);
    free(it);
}

/* ---- posting ---- */

static void wake(iopub *p) {
    uint64_t one = 1;
    ssize_t n = write(p->wake, &one, sizeof one);
    (void)n;
}

static item *append(iopub *p, const char *type, message *parent) {
    item *it = calloc(1, sizeof *it);
    if (!it) return NULL;
    it->type = type;
    it->parent = parent ? message_retain(parent) : NULL;
    if (p->last)
        p->last->next = it;
    else
        p->items = it;
    return p->last = it;
}

void iopub_post_take(iopub *p, const char *type, message *parent, json_t *content) {
    char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;
    json_decref(content);
    if (!text) text = strdup("{\"ename\":\"MemoryError\",\"evalue\":\"\",\"traceback\":[]}");
    pthread_mutex_lock(&p->lock);
    item *it = append(p, text ? type : "error", parent);
    if (it) {
        it->text = text;
        it->n = text ? strlen(text) : 0;
    } else {
        free(text);
    }
    pthread_mutex_unlock(&p->lock);
    wake(p);
}

/* The message types of comms are constants, as item.type must be. */
static const char *comm_type(const char *type) {
    return strcmp(type, "comm_open") == 0    ? "comm_open"
           : strcmp(type, "comm_close") == 0 ? "comm_close"
                                             : "comm_msg";
}

/* One block with the metadata and the buffers of a message. NULL when out of memory. */
static bytes *comm_parts(const gpa_comm *m) {
    size_t n = m->n_buffers + 1, size = n * sizeof(bytes) + strlen(m->metadata);
    for (size_t i = 0; i < m->n_buffers; i++) size += m->buffers[i].n;
    bytes *parts = malloc(size);
    if (!parts) return NULL;
    char *at = (char *)(parts + n);
    for (size_t i = 0; i < n; i++) {
        bytes from = i ? m->buffers[i - 1] : (bytes){m->metadata, strlen(m->metadata)};
        if (from.n) memcpy(at, from.data, from.n);
        parts[i] = (bytes){at, from.n};
        at += from.n;
    }
    return parts;
}

void iopub_comm(iopub *p, message *parent, const gpa_comm *m) {
    char *text = strdup(m->content);
    bytes *parts = comm_parts(m);
    pthread_mutex_lock(&p->lock);
    item *it = text && parts ? append(p, comm_type(m->type), parent) : NULL;
    if (it) {
        it->text = text;
        it->n = strlen(text);
        it->parts = parts;
        it->n_parts = m->n_buffers + 1;
    }
    pthread_mutex_unlock(&p->lock);
    if (!it) {
        free(text);
        free(parts);
    }
    wake(p);
}

void iopub_status(iopub *p, message *parent, const char *state) {
    iopub_post_take(p, "status", parent, json_pack("{s:s}", "execution_state", state));
}

static bool grow(item *it, const char *text, size_t n) {
    if (it->n + n > it->cap) {
        size_t cap = it->n + n > 2 * it->cap ? it->n + n : 2 * it->cap;
        char *grown = realloc(it->text, cap);
        if (!grown) return false;
        it->text = grown;
        it->cap = cap;
    }
    memcpy(it->text + it->n, text, n);
    it->n += n;
    return true;
}

static void add_text(iopub *p, const char *name, message *parent, const char *text, size_t n) {
    item *it = p->last;
    bool first = !it;
    if (!it || !it->stream || strcmp(it->stream, name) != 0 || it->parent != parent ||
        it->n > GATHER_BYTES) {
        it = append(p, "stream", parent);
        if (!it) return;
        it->stream = name;
        it->due = now_ms() + GATHER_MS;
    }
    grow(it, text, n);
    if (first || it->n > GATHER_BYTES || it != p->items) wake(p);
}

void iopub_stream(iopub *p, const char *name, message *parent, const char *text, size_t n) {
    pthread_mutex_lock(&p->lock);
    if (parent != p->parent) {
        message_release(p->parent);
        p->parent = parent ? message_retain(parent) : NULL;
        p->used = 0;
        p->cut = false;
    }
    size_t free_bytes = p->limit - p->used, kept = n < free_bytes ? n : free_bytes;
    if (kept) add_text(p, name, parent, text, kept);
    p->used += kept;
    if (n > kept && !p->cut) {
        char note[96];
        int size =
            snprintf(note, sizeof note,
                     "\n... the output of this cell is left out after %zu bytes ...\n", p->limit);
        add_text(p, "stderr", parent, note, (size_t)size);
        p->cut = true;
    }
    pthread_mutex_unlock(&p->lock);
}

/* ---- the thread ---- */

/* The next item to send; if NULL, *wait is the time until it is due (-1: wait until woken). */
static item *next_item(iopub *p, int *wait) {
    item *it = p->items;
    *wait = -1;
    if (!it) return NULL;
    if (it->stream && !it->next && it->n <= GATHER_BYTES && !p->stopping) {
        int64_t left = it->due - now_ms();
        if (left > 0) return *wait = (int)left, NULL;
    }
    p->items = it->next;
    if (!it->next) p->last = NULL;
    /* Keep an incomplete UTF-8 character at the end until its other bytes come, unless another
     * item follows. */
    size_t rest = it->stream && !it->next && !p->stopping ? text_unfinished(it->text, it->n) : 0;
    if (rest && rest < it->n) {
        it->n -= rest;
        add_text(p, it->stream, it->parent, it->text + it->n, rest);
    }
    return it;
}

static void send_item(iopub *p, item *it) {
    char topic[96];
    int n = it->stream ? snprintf(topic, sizeof topic, "stream.%s", it->stream)
                       : snprintf(topic, sizeof topic, "kernel.%s.%s", p->wire->session, it->type);
    bytes prefix = {topic, (size_t)n};
    if (it->stream) {
        json_t *content =
            json_pack("{s:s, s:o}", "name", it->stream, "text", text_json(it->text, it->n));
        free(it->text);
        it->text = content ? json_dumps(content, JSON_COMPACT) : NULL;
        it->n = it->text ? strlen(it->text) : 0;
        json_decref(content);
    }
    if (it->text) {
        letter l = {
            .type = it->type, .prefix = &prefix, .n_prefix = 1, .content = {it->text, it->n}};
        if (it->parent) l.parent = it->parent->header;
        if (it->parts) {
            l.metadata = it->parts[0];
            l.buffers = it->parts + 1;
            l.n_buffers = it->n_parts - 1;
        }
        wire_send(p->wire, p->socket, &l);
    }
    item_free(it);
}

static void welcome(iopub *p, const char *topic, size_t n) {
    json_t *name =
        json_stringn(topic, n); /* NULL if the topic is not valid UTF-8: then it is none of ours */
    json_t *content = name ? json_pack("{s:o}", "subscription", name) : NULL;
    char *text = content ? json_dumps(content, JSON_COMPACT) : NULL;
    if (text) {
        bytes prefix = {topic, n};
        wire_send(p->wire, p->socket,
                  &(letter){.type = "iopub_welcome",
                            .prefix = &prefix,
                            .n_prefix = 1,
                            .content = {text, strlen(text)}});
    }
    free(text);
    json_decref(content);
}

/* Reads what front ends send on the XPUB socket: replies to subscriptions (byte 1 and the topic)
 * with iopub_welcome, discards everything else. */
static void read_subscriptions(iopub *p) {
    bool within = false;
    for (;;) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        int n = zmq_msg_recv(&frame, p->socket, ZMQ_DONTWAIT);
        if (n < 0) {
            zmq_msg_close(&frame);
            if (errno == EINTR) continue;
            return;
        }
        const char *data = zmq_msg_data(&frame);
        bool more = zmq_msg_more(&frame);
        if (!within && !more && n > 0 && data[0] == 1) welcome(p, data + 1, (size_t)n - 1);
        within = more;
        zmq_msg_close(&frame);
    }
}

static void *serve(void *arg) {
    iopub *p = arg;
    for (;;) {
        uint64_t count;
        int wait;
        read_subscriptions(p);
        pthread_mutex_lock(&p->lock);
        item *it = next_item(p, &wait);
        bool done = !it && p->stopping;
        ssize_t n = it ? 0 : read(p->wake, &count, sizeof count);
        (void)n;
        pthread_mutex_unlock(&p->lock);
        if (it) send_item(p, it);
        if (done) break;
        zmq_pollitem_t polled[] = {{p->socket, 0, ZMQ_POLLIN, 0}, {NULL, p->wake, ZMQ_POLLIN, 0}};
        if (!it && zmq_poll(polled, 2, wait) < 0 && errno != EINTR) break;
    }
    zmq_close(p->socket);
    return NULL;
}

iopub *iopub_start(wire *w, void *socket, size_t limit) {
    iopub *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    *p = (iopub){.wire = w,
                 .socket = socket,
                 .limit = limit,
                 .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    pthread_mutex_init(&p->lock, NULL);
    if (p->wake >= 0 && pthread_create(&p->thread, NULL, serve, p) == 0) return p;
    if (p->wake >= 0) close(p->wake);
    free(p);
    return NULL;
}

void iopub_stop(iopub *p) {
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_mutex_unlock(&p->lock);
    wake(p);
    pthread_join(p->thread, NULL);
    message_release(p->parent);
    close(p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
