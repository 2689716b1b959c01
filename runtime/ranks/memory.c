/* Memory of the ranks device: a table of blocks, and transfers between ranks. */
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ranks/device.h"
#include "runtime/tables/tuning.h"

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
    gpa_err quiet = {0};
    if (!x) return;
    if (d->n_moves && !d->broken) device_exchange(d, &quiet); /* of a launch that has failed */
    size_t i = slot_of(d, m);
    while (d->table[i] != x) i = (i + 1) & (d->table_size - 1);
    delete_entry(d, i);
    for (int r = 1; r < d->n && !d->broken; r++)
        if (rank_set_has(&x->users, r)) wire_put_head(&d->commands[r], WIRE_FREE, x->id);
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

/* Queues one transfer. */
static gpa_code queue_move(gpa_dev *d, const move *x, gpa_err *e) {
    if (!mem_grow(&d->moves, d->n_moves, &d->cap_moves, sizeof *d->moves)) return gpa_no_memory(e);
    d->moves[d->n_moves++] = *x;
    return GPA_OK;
}

/* By pairs of ranks; those of a pair in an order that both have. */
static int by_pair(const void *a, const void *b) {
    const move *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    if (x->m != y->m) return x->m->id < y->m->id ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* The end of the moves between the same two ranks as move i. */
static size_t end_of_pair(const gpa_dev *d, size_t i) {
    size_t k = i + 1;
    while (k < d->n_moves && d->moves[k].from == d->moves[i].from &&
           d->moves[k].to == d->moves[i].to)
        k++;
    return k;
}

/* The command for the moves [i, end), to one of the two ranks. */
static void command_pair(gpa_dev *d, size_t i, size_t end, wire_op op) {
    const move *first = &d->moves[i];
    const int rank = op == WIRE_SEND ? first->from : first->to,
              peer = op == WIRE_SEND ? first->to : first->from;
    gpa_str *out = &d->commands[rank];
    if (!rank) return;
    wire_put_head(out, op, (uint32_t)peer);
    wire_put(out, &(wire_transfer){end - i}, sizeof(wire_transfer));
    for (; i < end; i++) {
        const move *x = &d->moves[i];
        wire_put(out, &(wire_segment){x->m->id, x->m->n, x->at, x->n}, sizeof(wire_segment));
        rank_set_add(&x->m->users, rank);
    }
}

/* The bytes of the moves [i, end) in this rank's memory. */
static void segments_of(const gpa_dev *d, size_t i, size_t end, segment *s) {
    for (const move *x = &d->moves[i]; i < end; i++, x++)
        *s++ = (segment){x->m->base + x->at, x->n};
}

/* Sorts the moves and joins those that overlap or are adjacent. */
static void join_moves(gpa_dev *d) {
    size_t n = 0;
    qsort(d->moves, d->n_moves, sizeof *d->moves, by_pair);
    for (size_t i = 0; i < d->n_moves; i++) {
        const move x = d->moves[i];
        move *last = n ? &d->moves[n - 1] : NULL;
        if (last && last->from == x.from && last->to == x.to && last->m == x.m &&
            last->at + last->n >= x.at)
            last->n = MAX(last->n, x.at + x.n - last->at);
        else
            d->moves[n++] = x;
    }
    d->n_moves = n;
}

/* Notes the copies that the moves make. */
static gpa_code place_copies(gpa_dev *d, gpa_err *e) {
    for (size_t i = 0; i < d->n_moves; i++) {
        const move *x = &d->moves[i];
        d->moved += x->n;
        if (!x->m->kept && !placement_add(&x->m->where, x->at, x->at + x->n, x->to))
            return gpa_no_memory(e);
    }
    return GPA_OK;
}

/* Every rank sends before it receives, so that none waits for another in a circle. */
gpa_code memory_command_moves(gpa_dev *d, gpa_err *e) {
    static const wire_op ops[] = {WIRE_SEND, WIRE_RECEIVE};
    if (d->commanded || !d->n_moves) return GPA_OK;
    join_moves(d);
    gpa_code rc = place_copies(d, e);
    if (rc) return rc;
    segment *s = mem_new(d->n_moves * sizeof *s);
    if (!s) return gpa_no_memory(e);
    for (size_t k = 0; k < COUNT_OF(ops); k++)
        for (size_t i = 0, end; i < d->n_moves; i = end) {
            end = end_of_pair(d, i);
            command_pair(d, i, end, ops[k]);
            segments_of(d, i, end, s);
            if (k == 0) d->messages += transfer_messages(s, end - i);
        }
    mem_free(s);
    d->commanded = true;
    return GPA_OK;
}

gpa_code memory_fetch(gpa_dev *d, memory *m, int rank, size_t from, size_t to, gpa_err *e) {
    gpa_code rc = GPA_OK;
    while (from < to && !rc) {
        const placement_run *run = &m->where.run[placement_find(&m->where, from)];
        const size_t range[] = {from, MIN(run->end, to)};
        const int owner = rank_set_first(&run->ranks);
        from = range[1];
        if (owner < 0 || rank_set_has(&run->ranks, rank)) continue;
        rc = queue_move(d, &(move){owner, rank, m, range[0], range[1] - range[0]}, e);
    }
    return rc;
}

gpa_code memory_own(memory *m, int rank, size_t from, size_t to, gpa_err *e) {
    return placement_set(&m->where, from, to, rank) ? GPA_OK : gpa_no_memory(e);
}

/* ---- accesses ---- */

bool accesses_add(accesses *x, const memory_access *a, int64_t from, int64_t to) {
    from = MAX(from, 0), to = MIN(to, (int64_t)a->m->n); /* guarded reads may be out of bounds */
    if (from >= to) return true;
    memory_access *last = x->n ? &x->item[x->n - 1] : NULL;
    if (last && last->m == a->m && last->rank == a->rank && last->write == a->write &&
        last->exact == a->exact && last->to == (size_t)from) {
        last->to = (size_t)to;
        return true;
    }
    if (!mem_grow(&x->item, x->n, &x->cap, sizeof *x->item)) return false;
    memory_access *made = &x->item[x->n++];
    *made = *a;
    made->from = (size_t)from, made->to = (size_t)to;
    return true;
}

/* Notes why the bytes of the moves are moved: halos are a small part of what the ranks read. */
static void note_reason(gpa_dev *d, uint64_t read, uint64_t moved, const char *alone) {
    enum { HALO_MAX_PART = 16 };
    d->since.alone = alone;
    if (!moved) return;
    d->since.why = alone ? "gather" : moved <= read / HALO_MAX_PART ? "halo" : "redistribution";
}

gpa_code accesses_place(gpa_dev *d, const accesses *x, const char *alone, gpa_err *e) {
    const uint64_t before = d->moved;
    uint64_t read = 0;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < x->n; i++) {
        const memory_access *a = &x->item[i];
        if (a->write && a->exact) continue;
        read += a->to - a->from;
        TRY(memory_fetch(d, a->m, a->rank, a->from, a->to, e));
    }
    TRY(memory_command_moves(d, e));
    note_reason(d, read, d->moved - before, alone);
    for (size_t i = 0; i < x->n; i++) {
        const memory_access *a = &x->item[i];
        if (a->write) TRY(memory_own(a->m, a->rank, a->from, a->to, e));
    }
out:
    return rc;
}

/* ---- exchange ---- */

static gpa_code send_commands(gpa_dev *d, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int r = 1; r < d->n && !rc; r++) {
        gpa_str *text = &d->commands[r];
        if (text->failed) return gpa_no_memory(e);
        if (!text->len) continue;
        d->commands_sent++;
        d->command_bytes += text->len;
        if (!d->simulated) rc = channel_send(d->c, r, CHANNEL_COMMAND, text->text, text->len, e);
    }
    return rc;
}

/* Rank 0's part in the transfers, one direction after the other. */
static gpa_code transfer_own(gpa_dev *d, gpa_err *e) {
    segment *s = mem_new(d->n_moves * sizeof *s);
    gpa_code rc = GPA_OK;
    if (!s) return gpa_no_memory(e);
    for (int receives = 0; receives < 2; receives++)
        for (size_t i = 0, end; i < d->n_moves && !rc; i = end) {
            const move *x = &d->moves[i];
            end = end_of_pair(d, i);
            if (receives ? x->to : x->from) continue;
            segments_of(d, i, end, s);
            rc = receives ? transfer_receive(d->c, x->from, s, end - i, e)
                          : transfer_send(d->c, x->to, s, end - i, e);
        }
    mem_free(s);
    return rc;
}

gpa_code device_exchange(gpa_dev *d, gpa_err *e) {
    gpa_code rc = memory_command_moves(d, e);
    if (!rc) rc = send_commands(d, e);
    if (!rc && d->n_moves && !d->simulated) rc = transfer_own(d, e);
    if (!rc) rc = channel_finish_sends(d->c, e);
    d->n_moves = 0;
    d->commanded = false;
    for (int r = 1; r < d->n; r++) str_clear(&d->commands[r]);
    return device_result_of(d, rc);
}

/* ---- launches without a reply ---- */

bool device_is_ahead(const gpa_dev *d) {
    for (int r = 1; r < d->n; r++)
        if (d->ahead[r] || d->syncing[r]) return true;
    return d->late != GPA_OK;
}

/* The failure that a worker reported after its launch. */
static gpa_code late_failure(gpa_dev *d, gpa_err *e) {
    const gpa_code rc = d->late;
    d->late = GPA_OK;
    return rc ? gpa_fail(e, rc, "%s", d->why_late.msg) : GPA_OK;
}

static void queue_sync(gpa_dev *d, int rank) {
    wire_put_head(&d->commands[rank], WIRE_SYNC, 0);
    d->syncing[rank] = true;
    d->ahead[rank] = 0;
}

gpa_code device_count_launch(gpa_dev *d, int rank, gpa_err *e) {
    if (++d->ahead[rank] < TUNE_RANKS_MAX_LAUNCHES_AHEAD) return GPA_OK;
    gpa_code rc = launch_take_sync(d, rank, e); /* the one before */
    if (!rc) queue_sync(d, rank);
    return rc;
}

void device_forget_launches(gpa_dev *d) {
    memset(d->ahead, 0, sizeof d->ahead);
    memset(d->syncing, 0, sizeof d->syncing);
    d->late = GPA_OK;
}

gpa_code device_settle(gpa_dev *d, gpa_err *e) {
    gpa_code rc = memory_command_moves(d, e);
    for (int r = 1; r < d->n && !rc; r++) {
        if (!d->ahead[r]) continue;
        rc = launch_take_sync(d, r, e);
        if (!rc) queue_sync(d, r);
    }
    if (!rc) rc = device_exchange(d, e);
    for (int r = 1; r < d->n && !rc; r++) rc = launch_take_sync(d, r, e);
    if (__atomic_load_n(&d->stop, __ATOMIC_RELAXED)) /* workers may have been interrupted */
        for (int r = 1; r < d->n; r++) wire_put_head(&d->commands[r], WIRE_RESUME, 0);
    return rc ? rc : late_failure(d, e);
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
