/* The records of iterations that are replayed while a tape is open.
 *
 * Reading order: what iterations keep, storages, tape_replay_make, replayed iterations. */
#include "runtime/array/tape_replay.h"

#include "runtime/array/array.h"
#include "runtime/array/tape_pattern.h"

struct tape_replay {
    pattern p; /* from the last logged iteration backwards */
    size_t n_kept;
    tape_kept kept[RT_LOOP_MAX_ARRAYS];
    int16_t kept_of[RT_LOOP_MAX_ARRAYS]; /* the storage, by name */
    /* By name: the storage of the iteration before that it is, or -1: a new one; whether it is
     * active; its number in the iteration that runs. */
    int16_t from[PATTERN_MAX_STORAGES];
    bool active[PATTERN_MAX_STORAGES];
    uint64_t number[PATTERN_MAX_STORAGES];
    int16_t end[RT_LOOP_MAX_ARRAYS]; /* the storages that variables hold at the end; -1: none */
    int64_t count;                   /* iterations recorded */
};

/* ---- what iterations keep ---- */

/* The name in the log of the memory of a kept array; false: what is kept is a copy. */
static bool find_memory(const loop_iteration *x, const segment *s, size_t kept, uint64_t number,
                        int32_t *name) {
    const gpa_storage *of = s->kept[kept]->storage;
    return of->number == number && of->buf && loop_log_name(&x->log, of->buf, name);
}

/* An operand of the last logged iteration, and by how much its offset advances. */
typedef struct {
    const tape_operand *o;
    size_t record; /* the later in time, the smaller */
    int64_t advance;
} access;

/* The elements of its storage that an operand touches: [*first, *end). */
static void find_elements(const tape_operand *o, int64_t *first, int64_t *end) {
    shape_byte_range(&(shape_layout){o->ndim, o->layout, o->layout + o->ndim, o->offset, 1}, first,
                     end);
}

/* True if no iteration stores to what this one or an earlier one keeps: stores advance like what is
 * kept, ahead of it. */
static bool stays_ahead(const access *store, const access *kept) {
    int64_t first, end, kept_first, kept_end;
    const int64_t step = store->advance;
    const int64_t last = store->record > kept->record ? step : 0; /* kept after the store */
    find_elements(store->o, &first, &end);
    find_elements(kept->o, &kept_first, &kept_end);
    return store->o->dtype == kept->o->dtype && step == kept->advance &&
           ((step >= 0 && first >= kept_end - last) || (step <= 0 && end <= kept_first - last));
}

/* True if no iteration stores to what records keep of storages that are the same in all of them. */
static bool keeps_fixed(const pattern *p) {
    access kept[RT_LOOP_MAX_ARRAYS];
    int16_t of[RT_LOOP_MAX_ARRAYS];
    size_t n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0, at = 0; k < p->n_records; k++) {
            const tape_record *r = p->record[k];
            for (int i = 0; i < r->n_in + r->n_out; i++, at++) {
                const access x = {&r->operand[i], k, -p->advance[at]};
                const int16_t name = p->name[at];
                if (name < 0 || p->link[name] != name) continue;
                if (!pass && x.o->value) {
                    of[n] = name;
                    kept[n++] = x;
                }
                for (size_t m = 0; pass && i >= r->n_in && m < n; m++)
                    if (of[m] == name && !stays_ahead(&x, &kept[m])) return false;
            }
        }
    return true;
}

/* The arrays that records keep of the segments s[0] (the last iteration) to s[2]. */
static bool find_kept(struct loop_replay *r, tape_replay *t, const segment *s) {
    const pattern *p = &t->p;
    size_t at = 0;
    t->n_kept = 0;
    for (size_t k = 0; k < p->n_records; k++)
        for (int i = 0; i < p->record[k]->n_in + p->record[k]->n_out; i++, at++) {
            const tape_operand *o = &p->record[k]->operand[i];
            const size_t n = t->n_kept;
            if (!o->value) continue;
            const int16_t of = p->name[at];
            const bool same = p->link[of] == of;
            int32_t name[LOOP_RECORDED] = {LOG_NO_MEMORY};
            for (int x = 0; x < LOOP_RECORDED; x++)
                if (same ? s[x].kept[n]->storage->number != s[x].storage[of]
                         : !find_memory(r->at[LOOP_RECORDED - 1 - x], &s[x], n, s[x].storage[of],
                                        &name[x]) ||
                               name[x] != name[0])
                    return false;
            t->kept[n] = (tape_kept){same ? LOG_NO_MEMORY : name[0],
                                     (gpa_dtype)o->value->storage->dtype, o->value->storage->size};
            t->kept_of[n] = of;
            if (!same) r->model.kept[name[0]] = true;
            t->n_kept++;
        }
    return true;
}

/* ---- storages ---- */

static bool is_at_start(const loop_iteration *x, uint64_t number) {
    for (size_t i = 0; i < x->log.n_start; i++)
        if (x->log.start[i].storage->number == number) return true;
    return false;
}

/* Which storage of the iteration before each one is. False: it is of an earlier one. */
static bool find_origins(gpa_rt *rt, const struct loop_replay *r, tape_replay *t) {
    const pattern *p = &t->p;
    for (size_t i = 0; i < p->first.n_storages; i++) {
        t->from[i] = -1;
        t->number[i] = p->first.storage[i];
        t->active[i] = tape_storage_is_active(rt, t->number[i]);
    }
    for (size_t i = 0; i < p->first.n_storages; i++)
        if (p->link[i] >= 0) t->from[p->link[i]] = (int16_t)i;
    for (size_t i = 0; i < p->first.n_storages; i++)
        if (t->from[i] < 0 && is_at_start(r->at[LOOP_RECORDED - 1], t->number[i])) return false;
    return true;
}

/* Which storages the variables hold at the end of an iteration. */
static bool find_ends(const struct loop_replay *r, tape_replay *t) {
    const loop_iteration *x = r->at[LOOP_RECORDED - 1];
    for (size_t i = 0; i < x->log.n_start; i++) {
        const uint64_t number = x->end[i].storage->number;
        t->end[i] = -1;
        for (size_t k = 0; k < t->p.first.n_storages; k++)
            if (t->number[k] == number) t->end[i] = (int16_t)k;
        if (t->end[i] < 0 && x->storage[i] < 0 && number) return false;
    }
    return true;
}

/* ---- tape_replay_make ---- */

void tape_replay_free(struct loop_replay *r) {
    mem_free(r->tape);
    r->tape = NULL;
}

/* The segments of the logged iterations, the last one first, match a pattern. */
static bool find_pattern(const struct loop_replay *r, tape_replay *t, segment *s) {
    const loop_iteration *const *x = (const loop_iteration *const *)r->at;
    for (int i = 1; i < LOOP_RECORDED; i++)
        if (x[i]->tape_before != x[i - 1]->tape_last ||
            segment_next(x[i]->tape_last) != x[i - 1]->tape_last)
            return false;
    if (segment_next(x[0]->tape_last) != x[0]->tape_before) return false;
    if (!pattern_make(&t->p, x[2]->tape_last)) return false;
    s[0] = t->p.first;
    return pattern_match(&t->p, 1, x[1]->tape_last, &s[0], &s[1]) &&
           pattern_match(&t->p, 2, x[0]->tape_last, &s[1], &s[2]);
}

rt_loop_reason tape_replay_make(gpa_rt *rt, struct loop_replay *r) {
    segment s[LOOP_RECORDED];
    size_t recorded = 0;
    memset(r->model.kept, 0, sizeof r->model.kept);
    for (int i = 0; i < LOOP_RECORDED; i++)
        recorded += r->at[i]->tape_last != r->at[i]->tape_before;
    tape_replay_free(r);
    if (!recorded) return RT_LOOP_FINE;
    if (recorded < LOOP_RECORDED || !(r->tape = mem_new(sizeof *r->tape))) return RT_LOOP_TAPE;
    r->tape->count = 0;
    if (find_pattern(r, r->tape, s) && keeps_fixed(&r->tape->p) && find_kept(r, r->tape, s) &&
        find_origins(rt, r, r->tape) && find_ends(r, r->tape))
        return RT_LOOP_FINE;
    tape_replay_free(r);
    return RT_LOOP_TAPE;
}

/* ---- replayed iterations ---- */

size_t tape_replay_kept(const tape_replay *t, const tape_kept **out) {
    *out = t->kept;
    return t->n_kept;
}

gpa_code tape_replay_next(gpa_rt *rt, tape_replay *t, gpa_err *e) {
    uint64_t before[PATTERN_MAX_STORAGES];
    memcpy(before, t->number, sizeof before);
    for (size_t i = 0; i < t->p.first.n_storages; i++) {
        t->number[i] = t->from[i] >= 0 ? before[t->from[i]] : ++rt->n_numbered;
        if (t->from[i] < 0 && !tape_add_storage(rt, t->number[i], t->active[i]))
            return gpa_no_memory(e);
    }
    t->count++;
    return GPA_OK;
}

uint64_t tape_replay_kept_number(const tape_replay *t, size_t i) {
    return t->number[t->kept_of[i]];
}

uint64_t tape_replay_end_number(const tape_replay *t, size_t i) {
    return t->end[i] < 0 ? 0 : t->number[t->end[i]];
}

/* Kept array number i of the iteration. */
static gpa_code make_kept(gpa_rt *rt, const tape_replay *t, size_t i, gpa_storage *s, gpa_arr **out,
                          gpa_err *e) {
    const gpa_arr *a = t->p.first.kept[i];
    const arr_layout l = {(gpa_dtype)a->dtype, a->ndim, a->shape, a->strides,
                          a->offset - t->count * t->p.kept_advance[i]};
    return arr_handle(rt, s ? s : a->storage, &l, NULL, out, e);
}

/* A record of an iteration: the number of its first operand, and of the first array it keeps. */
typedef struct {
    const tape_record *r;
    size_t operand, kept;
} numbered_record;

static gpa_code append_copy(gpa_rt *rt, const tape_replay *t, numbered_record x,
                            gpa_storage *const *storage, gpa_err *e) {
    const int n = x.r->n_in + x.r->n_out;
    gpa_arr *few[8] = {NULL}, **value = n <= 8 ? few : mem_zero((size_t)n * sizeof *value);
    tape_record *copy = value ? tape_copy_record(x.r) : NULL;
    gpa_code rc = copy ? GPA_OK : gpa_no_memory(e);
    for (int i = 0; i < n && !rc; i++, x.operand++) {
        tape_operand *o = &copy->operand[i];
        if (o->storage) o->storage = t->number[t->p.name[x.operand]];
        o->offset -= t->count * t->p.advance[x.operand];
        if (!x.r->operand[i].value) continue;
        rc = make_kept(rt, t, x.kept, storage[x.kept], &value[i], e);
        x.kept++;
    }
    if (!rc)
        tape_append_take(rt, copy, value);
    else
        mem_free(copy);
    for (int i = 0; i < n && rc && value; i++) arr_release(rt, value[i]);
    if (value != few) mem_free(value);
    return rc;
}

gpa_code tape_replay_record(gpa_rt *rt, tape_replay *t, gpa_storage *const *storage, gpa_err *e) {
    const pattern *p = &t->p;
    gpa_code rc = GPA_OK;
    numbered_record x = {NULL, 0, t->n_kept};
    for (size_t k = 0; k < p->n_records; k++)
        x.operand += (size_t)(p->record[k]->n_in + p->record[k]->n_out);
    for (size_t k = p->n_records; k-- > 0 && !rc;) {
        x.r = p->record[k];
        x.operand -= (size_t)(x.r->n_in + x.r->n_out);
        for (int i = 0; i < x.r->n_in + x.r->n_out; i++) x.kept -= x.r->operand[i].value != NULL;
        rc = append_copy(rt, t, x, storage, e);
    }
    return rc;
}
