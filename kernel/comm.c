/* Delivery of comm messages in both directions, and the list of open comms. */
#include "kernel/comm.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/execute.h"
#include "kernel/kernel.h"

/* ---- the list ---- */

bool comms_init(comms *c) {
    c->open = json_object();
    return c->open && pthread_mutex_init(&c->lock, NULL) == 0;
}

void comms_free(comms *c) {
    json_decref(c->open);
    pthread_mutex_destroy(&c->lock);
}

/* Notes a comm that was opened or closed, from either side. */
static void note(comms *c, const char *type, const json_t *content) {
    const char *id = json_string_value(json_object_get(content, "comm_id"));
    json_t *target = json_object_get(content, "target_name");
    if (!id) return;
    pthread_mutex_lock(&c->lock);
    if (strcmp(type, "comm_open") == 0 && json_is_string(target))
        json_object_set_new(c->open, id, json_pack("{s:O}", "target_name", target));
    else if (strcmp(type, "comm_close") == 0)
        json_object_del(c->open, id);
    pthread_mutex_unlock(&c->lock);
}

json_t *answer_comm_info(kernel *k, message *m) {
    const json_t *wanted = json_object_get(m->content, "target_name");
    json_t *found = json_object(), *about;
    const char *id;
    pthread_mutex_lock(&k->comms.lock);
    json_object_foreach(k->comms.open, id, about) {
        if (!json_is_string(wanted) || json_equal(wanted, json_object_get(about, "target_name")))
            json_object_set(found, id, about);
    }
    pthread_mutex_unlock(&k->comms.lock);
    return json_pack("{s:s, s:o}", "status", "ok", "comms", found);
}

/* ---- to the front end ---- */

void comm_send(void *user, const gpa_comm *m) {
    kernel *k = user;
    if (strcmp(m->type, "comm_msg") != 0) {
        json_t *content = json_loads(m->content, JSON_ALLOW_NUL, NULL);
        note(&k->comms, m->type, content);
        json_decref(content);
    }
    pthread_mutex_lock(&k->lock);
    iopub_comm(k->iopub, k->parent, m);
    pthread_mutex_unlock(&k->lock);
}

/* ---- from the front end ---- */

static gpa_code deliver(kernel *k, void *user) { return gpa_session_comm(k->session, user); }

json_t *answer_comm(kernel *k, message *m) {
    json_t *id = json_object_get(m->content, "comm_id");
    if (m->aborted || !json_is_string(id)) return NULL; /* a later message has replaced it */
    char *content = json_dumps(m->content, JSON_COMPACT),
         *metadata = strndup(m->metadata.data, m->metadata.n);
    if (content && metadata) {
        gpa_comm c = {m->type, content, metadata, m->buffers, m->n_buffers};
        note(&k->comms, m->type, m->content);
        execute_begin(k, m);
        gpa_code rc = execute_call(k, deliver, &c);
        execute_end(k);
        if (rc == GPA_E_UNSUPPORTED && strcmp(m->type, "comm_open") == 0) {
            json_t *none = json_pack("{s:O, s:{}}", "comm_id", id, "data");
            note(&k->comms, "comm_close", none);
            iopub_post_take(k->iopub, "comm_close", m, none);
        }
    }
    free(content);
    free(metadata);
    return NULL;
}

/* The state that a message of the widgets' protocol changes, or NULL: then it has another meaning.
 */
static json_t *updated_state(const message *m) {
    const json_t *data = json_object_get(m->content, "data"),
                 *method = json_object_get(data, "method");
    bool updates = strcmp(m->type, "comm_msg") == 0 && m->n_buffers == 0 &&
                   json_is_string(method) && strcmp(json_string_value(method), "update") == 0;
    json_t *state = updates ? json_object_get(data, "state") : NULL;
    return json_is_object(state) ? state : NULL;
}

/* True if two messages belong to one comm. */
static bool same_comm(const message *a, const message *b) {
    return json_equal(json_object_get(a->content, "comm_id"),
                      json_object_get(b->content, "comm_id"));
}

typedef struct {
    const message *m;
    message *earlier; /* the update of the same comm in the trailing run of updates */
} merging;

/* Merges at the last item, while the queue is locked. */
static void merge(queue_link *item, void *user) {
    merging *to = user;
    message *other = (message *)item;
    if (!updated_state(other))
        to->earlier = NULL;
    else if (!other->aborted && same_comm(other, to->m))
        to->earlier = other;
    if (item->next || !to->earlier) return;
    json_object_update_missing(updated_state(to->m), updated_state(to->earlier));
    to->earlier->aborted = true;
}

void comm_coalesce(queue *waiting, message *m) {
    merging to = {m, NULL};
    if (updated_state(m)) queue_each(waiting, merge, &to);
}
