/* Memory of the ranks device: a table of blocks, and transfers between ranks. */
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ranks/device.h"

enum { MANY_COMMANDS = 1 << 16 };

/* ---- ids ---- */

bool ids_take(ids *x, uint32_t *id) {
    if (x->n) {
        *id = x->free_ids[--x->n];
        return true;
    }
    /* a slot for giving it back, so that this cannot fail */
    if (!mem_grow(&x->free_ids, x->next, &x->cap, sizeof *x->free_ids)) return false;
    *id = x->next++;
    return true;
}

void ids_give(ids *x, uint32_t id) { x->free_ids[x->n++] = id; }

/* ---- the table ---- */

static size_t slot_of(const gpa_dev *d, const gpa_mem *m) {
    const uint64_t key = (uint64_t)(uintptr_t)m;
    return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (d->table_size - 1);
}

memory *memory_find(const gpa_dev *d, const gpa_mem *m) {
    if (!m || !d->table_size) return NULL;
    size_t i = slot_of(d, m);
    while (d->table[i] && d->table[i]->mem != m) i = (i + 1) & (d->table_size - 1);
    return d->table[i];
}

static void insert(gpa_dev *d, memory *x) {
    size_t i = slot_of(d, x->mem);
    while (d->table[i]) i = (i + 1) & (d->table_size - 1);
    d->table[i] = x;
}

static bool grow_table(gpa_dev *d) {
    if (2 * (d->table_used + 1) <= d->table_size) return true;
    size_t n = d->table_size, size = n ? 2 * n : 64;
    memory **old = d->table, **table = mem_zero(size * sizeof *table);
    if (!table) return false;
    d->table = table;
    d->table_size = size;
    for (size_t i = 0; i < n; i++)
        if (old[i]) insert(d, old[i]);
    mem_free(old);
    return true;
}

gpa_code memory_new_take(gpa_dev *d, gpa_mem *m, size_t n, gpa_err *e) {
    memory *x = mem_zero(sizeof *x);
    bool made =
        x && grow_table(d) && placement_init(&x->where, n) && ids_take(&d->memory_ids, &x->id);
    if (!made) {
        if (x) placement_free(&x->where);
        mem_free(x);
        d->be->free(d->inner, m);
        return gpa_no_memory(e);
    }
    x->mem = m;
    x->base = d->be->base(m);
    x->n = n;
    insert(d, x);
    d->table_used++;
    return GPA_OK;
}

/* Deletes a table entry, and moves later ones of its chain into the gap. */
static void delete_entry(gpa_dev *d, size_t i) {
    const size_t mask = d->table_size - 1;
    d->table[i] = NULL;
    for (size_t k = (i + 1) & mask; d->table[k]; k = (k + 1) & mask) {
        memory *x = d->table[k];
        d->table[k] = NULL;
        insert(d, x);
    }
    d->table_used--;
}

static void free_record(memory *x) {
    placement_free(&x->where);
    mem_free(x);
}

void memory_free(gpa_dev *d, gpa_mem *m) {
    memory *x = memory_find(d, m);
    if (!x) return;
    size_t i = slot_of(d, m);
    while (d->table[i] != x) i = (i + 1) & (d->table_size - 1);
    delete_entry(d, i);
    for (int r = 1; r < d->n && !d->broken; r++)
        if (x->users >> r & 1) wire_put_head(&d->commands[r], WIRE_FREE, x->id);
    ids_give(&d->memory_ids, x->id);
    d->be->free(d->inner, m);
    free_record(x);
    device_flush_many(d);
}

void memory_free_table(gpa_dev *d) {
    for (size_t i = 0; i < d->table_size; i++)
        while (d->table[i]) memory_free(d, d->table[i]->mem);
    mem_free(d->table);
    mem_free(d->memory_ids.free_ids);
}

/* ---- transfers ---- */

static void command(gpa_dev *d, int rank, wire_op op, memory *m, const wire_transfer *t) {
    wire_put_head(&d->commands[rank], op, m->id);
    wire_put(&d->commands[rank], t, sizeof *t);
    m->users |= UINT64_C(1) << rank;
}

/* Queues one transfer. */
static gpa_code move(gpa_dev *d, memory *m, int from, int to, const size_t *range, gpa_err *e) {
    const size_t at = range[0], n = range[1] - at;
    d->moved += n;
    d->moves++;
    if (from) command(d, from, WIRE_SEND, m, &(wire_transfer){m->n, at, n, to});
    if (to) command(d, to, WIRE_RECEIVE, m, &(wire_transfer){m->n, at, n, from});
    if (from && to) return GPA_OK;
    if (!mem_grow(&d->own, d->n_own, &d->cap_own, sizeof *d->own)) return gpa_no_memory(e);
    d->own[d->n_own++] = (own_transfer){from ? from : -to, m->base + at, n};
    return GPA_OK;
}

gpa_code memory_fetch(gpa_dev *d, memory *m, int rank, size_t from, size_t to, gpa_err *e) {
    const uint64_t bit = UINT64_C(1) << rank;
    gpa_code rc = GPA_OK;
    while (from < to && !rc) {
        const placement_run run = m->where.run[placement_find(&m->where, from)];
        const size_t range[] = {from, MIN(run.end, to)};
        from = range[1];
        if (!run.ranks || run.ranks & bit) continue;
        rc = move(d, m, __builtin_ctzll(run.ranks), rank, range, e);
        if (!rc && !m->kept && !placement_add(&m->where, range[0], range[1], bit))
            rc = gpa_no_memory(e);
    }
    return rc;
}

gpa_code memory_own(memory *m, int rank, size_t from, size_t to, gpa_err *e) {
    return placement_set(&m->where, from, to, UINT64_C(1) << rank) ? GPA_OK : gpa_no_memory(e);
}

static gpa_code send_commands(gpa_dev *d, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int r = 1; r < d->n && !rc; r++) {
        gpa_str *text = &d->commands[r];
        if (text->failed) return gpa_no_memory(e);
        if (text->len) rc = channel_send(d->c, r, CHANNEL_COMMAND, text->text, text->len, e);
    }
    return rc;
}

gpa_code device_exchange(gpa_dev *d, gpa_err *e) {
    gpa_code rc = send_commands(d, e);
    for (size_t i = 0; i < d->n_own && !rc; i++) {
        const own_transfer *x = &d->own[i];
        rc = x->from < 0 ? channel_send(d->c, -x->from, CHANNEL_DATA, x->at, x->n, e)
                         : channel_receive(d->c, x->from, CHANNEL_DATA, x->at, x->n, e);
    }
    if (!rc) rc = channel_finish_sends(d->c, e);
    d->n_own = 0;
    for (int r = 1; r < d->n; r++) str_clear(&d->commands[r]);
    return device_result_of(d, rc);
}

void device_flush_many(gpa_dev *d) {
    gpa_err quiet = {0}; /* a failure is reported by the next launch */
    for (int r = 1; r < d->n && !d->broken; r++)
        if (d->commands[r].len > MANY_COMMANDS) device_exchange(d, &quiet);
}

gpa_code device_result_of(gpa_dev *d, gpa_code rc) {
    d->broken |= rc == GPA_E_DEVICE;
    return rc;
}
