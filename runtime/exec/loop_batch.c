/* Loop batching: recording iterations at back edges and launching several as one program.
 *
 * Reading order: the body's inputs, recording, flushing, the back edge. */
#include "runtime/exec/loop_batch.h"

#include "runtime/exec/exec.h"
#include "runtime/exec/explain.h"
#include "runtime/exec/rt.h"
#include "runtime/plan/loop_body.h"
#include "runtime/tables/tuning.h"

/* ---- the body's inputs ---- */

static gpa_code add_input(gpa_rt *rt, struct loop_batch *r, gpa_dtype t, gpa_val v, gpa_err *e) {
    node *n;
    if (r->n_in == BODY_MAX_IN) return gpa_fail(e, GPA_E_INTERNAL, "a loop with too many inputs");
    gpa_code rc = node_scalar(rt, t, v, &n, e);
    if (!rc) r->in[r->n_in++] = n;
    return rc;
}

/* The inputs of the body, in the order of its parameters (loop_body.c). */
static gpa_code make_inputs(gpa_rt *rt, struct loop_batch *r, const iteration *t, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < t->n_out; i++)
        if (r->is_read[i]) r->in[r->n_in++] = node_retain(r->previous->nodes[i]);
    if (r->n_in + t->n_arrays > BODY_MAX_IN)
        return gpa_fail(e, GPA_E_INTERNAL, "a loop with too many inputs");
    for (int i = 0; i < t->n_arrays; i++) r->in[r->n_in++] = node_retain(t->arrays[i]);
    for (int i = 0; i < t->n_scalars && !rc; i++) {
        gpa_dtype as = (gpa_dtype)t->type[i];
        gpa_val first = r->previous->v[i];
        if (r->kind[i] == INVARIANT) rc = add_input(rt, r, as, first, e);
        if (r->kind[i] != INDUCTION) continue;
        rc = add_input(rt, r, DT_I64, dtype_cast(first, as, DT_I64), e);
        if (!rc) rc = add_input(rt, r, DT_I64, (gpa_val){.U64 = r->stride[i]}, e);
    }
    r->first_table = r->n_in;
    for (int i = 0; i < t->n_scalars; i++)
        for (int j = 0; r->kind[i] == TABULATED && j < r->table_len && !rc; j++)
            rc = add_input(rt, r, (gpa_dtype)t->type[i], r->previous->v[i], e);
    return rc ? rc : add_input(rt, r, DT_I64, (gpa_val){.I64 = 1}, e);
}

static void drop_inputs(gpa_rt *rt, struct loop_batch *r) {
    while (r->n_in) node_release(rt, r->in[--r->n_in]);
    body_release(r->body);
    r->body = NULL;
}

/* Records the current iteration: its results become nodes of the body, and the iteration becomes
 * the previous one. */
static gpa_code record(gpa_rt *rt, struct loop_batch *r, gpa_err *e) {
    iteration *t = r->current;
    gpa_storage *to[LOOP_MAX_OUT];
    node *old[LOOP_MAX_OUT], *made[LOOP_MAX_OUT] = {0};
    gpa_code rc = GPA_OK;
    if (!r->count && !loop_same_words(t, r->previous)) memset(r->history, 0, sizeof r->history);
    for (int i = 0; i < t->n_out; i++) {
        to[i] = t->storage[i];
        old[i] = r->count ? r->result[i] : NULL;
        if (r->body)
            TRY(node_body(rt, r->body, i, r->in, &made[i], e));
        else
            made[i] = node_retain(to[i]->node);
    }
    for (int i = 0; i < t->n_out; i++) {
        r->result[i] = made[i];
        made[i] = NULL;
        node_release(rt, old[i]);
    }
    r->count++;
    r->current = r->previous;
    r->previous = t;
    /* storage_replace may flush when memory is short; then the body is released and nothing is
     * recorded. */
    for (int i = 0; i < r->previous->n_out && r->body && !rc; i++)
        if (r->count && to[i]->node) rc = storage_replace(rt, to[i], r->result[i], e);
out:
    for (int i = 0; i < t->n_out; i++) node_release(rt, made[i]);
    return rc;
}

static gpa_code set_input(gpa_rt *rt, struct loop_batch *r, int i, gpa_dtype t, gpa_val v,
                          gpa_err *e) {
    node *n;
    gpa_code rc = node_scalar(rt, t, v, &n, e);
    if (rc) return rc;
    node_release(rt, r->in[i]);
    r->in[i] = n;
    return GPA_OK;
}

/* The loop's text for %explain: one iteration as an expression. Taken from the previous iteration,
 * since the expression of the current one contains it. */
static void set_text(gpa_body *b, const node *n) {
    gpa_str text;
    str_init(&text);
    explain_put_value(&text, n);
    b->text = mem_text(text.text, text.len);
    str_free(&text);
}

/* Adds the current iteration to the body's inputs; the second iteration creates the body. */
static gpa_code extend(gpa_rt *rt, struct loop_batch *r, gpa_err *e) {
    const iteration *t = r->current;
    gpa_code rc = GPA_OK;
    int at = r->first_table + (int)r->count;
    if (!r->body) {
        TRY(loop_find_body(r, r->current, false, &r->body, e));
        if (!r->body->text) set_text(r->body, r->result[t->n_out - 1]);
        TRY(make_inputs(rt, r, t, e));
        at = r->first_table + 1;
    }
    for (int i = 0; i < t->n_scalars; i++) {
        if (r->kind[i] != TABULATED) continue;
        TRY(set_input(rt, r, at, (gpa_dtype)t->type[i], t->v[i], e));
        at += r->table_len;
    }
    TRY(set_input(rt, r, r->n_in - 1, DT_I64, (gpa_val){.I64 = r->count + 1}, e));
    if (r->table_len == r->count + 1 && t->n_nodes <= TUNE_LOOP_MAX_UNROLLED_NODES) {
        gpa_body *unrolled;
        TRY(loop_find_body(r, r->current, true, &unrolled, e));
        if (!unrolled->text && r->body->text)
            unrolled->text = mem_text(r->body->text, strlen(r->body->text));
        body_release(r->body);
        r->body = unrolled;
    }
out:
    if (rc && r->count == 1) drop_inputs(rt, r);
    return rc;
}

gpa_code loop_batch_flush(gpa_rt *rt, gpa_err *e) {
    struct loop_batch *r = rt->loop_batch;
    if (!r || !r->count || r->busy) return GPA_OK;
    bool wanted = false; /* One program computes all results, so one result that is still referenced
                            suffices. */
    for (int i = 0; i < r->previous->n_out; i++) wanted = wanted || r->result[i]->refs > 1;
    r->busy = true;
    gpa_code rc =
        wanted ? exec_nodes(rt, r->result, (size_t)r->previous->n_out, CUT_LOOP, e) : GPA_OK;
    r->busy = false;
    r->n_last = r->previous->n_out;
    for (int i = 0; i < r->n_last; i++) {
        r->last[i] = r->result[i]->kind == NODE_BUF ? r->result[i]->buf : NULL;
        node_release(rt, r->result[i]);
    }
    r->count = r->table_len = 0;
    drop_inputs(rt, r);
    return rc;
}

/* ---- the back edge ---- */

/* Launches all pending work and notes the buffers of its results. */
static gpa_code launch_pending(gpa_rt *rt, struct loop_batch *r, gpa_err *e) {
    gpa_storage *s[LOOP_MAX_OUT];
    size_t n = rt->n_pending;
    if (n > LOOP_MAX_OUT) n = 0;
    gpa_storage *at = rt->pending.next;
    for (size_t i = 0; i < n; i++, at = at->next) s[i] = at;
    gpa_code rc = exec_pending(rt, CUT_LOOP, e);
    r->n_last = (int)n;
    r->limit = TUNE_LOOP_FIRST_BATCH;
    for (size_t i = 0; i < n; i++) r->last[i] = s[i]->buf;
    return rc;
}

/* True if no work was recorded since the last back edge. */
static bool nothing_new(const gpa_rt *rt, const struct loop_batch *r) {
    const gpa_storage *s = rt->pending.next;
    if (!r->count || rt->n_pending != (size_t)r->previous->n_out) return false;
    for (int i = 0; i < r->previous->n_out; i++, s = s->next)
        if (s->node != r->result[i]) return false;
    return true;
}

gpa_code loop_batch_edge(gpa_rt *rt, gpa_err *e) {
    struct loop_batch *r = rt->loop_batch;
    if (!r) {
        if (!(r = rt->loop_batch = mem_zero(sizeof *r))) return gpa_no_memory(e);
        r->current = &r->iteration[0];
        r->previous = &r->iteration[1];
    }
    if (nothing_new(rt, r)) return GPA_OK;
    gpa_err quiet; /* cleared, not zeroed: this runs in every iteration */
    gpa_err_clear(&quiet);
    bool good = loop_describe(rt, r, r->current) &&
                (!r->count || (loop_continues(r, r->current) && !extend(rt, r, &quiet)));
    if (!good) return launch_pending(rt, r, e);
    gpa_code rc = record(rt, r, e);
    if (rc || r->count < (r->table_len ? r->table_len : r->limit)) return rc;
    r->limit = MIN(2 * r->limit, TUNE_LOOP_MAX_BATCH);
    return loop_batch_flush(rt, e);
}

/* True if n is computed from a reduction, scan or product. A node's slot holds the answer during
 * the traversal. */
static bool reduces(gpa_rt *rt, node *n) {
    if (n->mark == rt->nodes.mark) return n->slot;
    bool found = n->kind == NODE_REDUCE || n->kind == NODE_SCAN || n->kind == NODE_PRODUCT;
    for (int i = 0; i < n->n_in && !found; i++) found = reduces(rt, n->in[i]);
    n->mark = rt->nodes.mark;
    n->slot = found;
    return found;
}

gpa_code rt_loop_inner_edge(gpa_rt *rt, gpa_err *e) {
    rt->nodes.mark++;
    for (gpa_storage *s = rt->pending.next; s != &rt->pending; s = s->next)
        if (reduces(rt, s->node)) return exec_pending(rt, CUT_LOOP, e);
    return GPA_OK;
}

bool rt_loop_is_batched(const gpa_rt *rt) { return rt->loop_batch && rt->loop_batch->count; }

void loop_batch_free(gpa_rt *rt) {
    struct loop_batch *r = rt->loop_batch;
    if (!r) return;
    for (int i = 0; r->count && i < r->previous->n_out; i++) node_release(rt, r->result[i]);
    drop_inputs(rt, r);
    loop_free_bodies(r);
    mem_free(r);
    rt->loop_batch = NULL;
}
