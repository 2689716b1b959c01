/* Records of consecutive iterations of a loop: whether they repeat.
 *
 * Reading order: records that agree, the first segment, what changes from one segment to the next,
 * matching. */
#include "runtime/array/tape_pattern.h"

const tape_record *segment_next(const tape_record *last) {
    const tape_record *r = last->before;
    while (r && !r->ends_iteration) r = r->before;
    return r;
}

/* ---- records that agree ---- */

static bool same_number(const gpa_opnd *a, const gpa_opnd *b) {
    return a->weak == b->weak && a->dtype == b->dtype &&
           memcmp(&a->v, &b->v, dtype_size(a->dtype)) == 0;
}

static bool same_layout(const gpa_arr *a, const gpa_arr *b) {
    const size_t bytes = a->ndim * sizeof *a->shape;
    return a->dtype == b->dtype && a->ndim == b->ndim && memcmp(a->shape, b->shape, bytes) == 0 &&
           memcmp(a->strides, b->strides, bytes) == 0;
}

static bool same_operand(const tape_operand *a, const tape_operand *b) {
    if (!a->storage != !b->storage || !a->value != !b->value) return false;
    if (!a->storage) return same_number(&a->number, &b->number);
    return a->active == b->active && a->dtype == b->dtype && a->storage_dtype == b->storage_dtype &&
           a->ndim == b->ndim && a->storage_size == b->storage_size &&
           memcmp(a->layout, b->layout, 2 * (size_t)a->ndim * sizeof *a->layout) == 0 &&
           (!a->value || same_layout(a->value, b->value));
}

/* True if two records differ at most in storages and offsets. */
static bool same_record(const tape_record *a, const tape_record *b) {
    if (a->rule != b->rule || a->n_in != b->n_in || a->n_out != b->n_out ||
        a->n_ints != b->n_ints || a->scale != b->scale || b->n_index ||
        memcmp(a->ints, b->ints, (size_t)a->n_ints * sizeof *a->ints) != 0)
        return false;
    for (int i = 0; i < a->n_in + a->n_out; i++)
        if (!same_operand(&a->operand[i], &b->operand[i])) return false;
    return true;
}

/* ---- the first segment ---- */

static int16_t find_name(const segment *s, uint64_t number) {
    for (size_t i = 0; i < s->n_storages; i++)
        if (s->storage[i] == number) return (int16_t)i;
    return -1;
}

static int16_t find_memory(const segment *s, const gpa_storage *storage) {
    int16_t i = 0;
    while (s->kept[i]->storage != storage) i++;
    return i;
}

/* Adds an operand to the first segment; false: there are too many. */
static bool add_operand(pattern *p, size_t at, const tape_operand *o) {
    segment *s = &p->first;
    p->name[at] = -1;
    if (o->value) {
        if (s->n_kept == RT_LOOP_MAX_ARRAYS) return false;
        s->kept[s->n_kept] = o->value;
        p->same_memory[s->n_kept++] = find_memory(s, o->value->storage);
    }
    if (!o->storage || (p->name[at] = find_name(s, o->storage)) >= 0) return true;
    if (s->n_storages == PATTERN_MAX_STORAGES) return false;
    p->name[at] = (int16_t)s->n_storages;
    s->storage[s->n_storages++] = o->storage;
    return true;
}

static bool read_first(pattern *p, const tape_record *last) {
    const tape_record *end = segment_next(last);
    size_t operands = 0;
    p->n_records = p->first.n_storages = p->first.n_kept = 0;
    for (const tape_record *r = last; r != end; r = r->before) {
        const int n = r->n_in + r->n_out;
        if (p->n_records == PATTERN_MAX_RECORDS || r->n_index || strcmp(r->rule, "call") == 0 ||
            operands + (size_t)n > PATTERN_MAX_OPERANDS)
            return false;
        p->record[p->n_records++] = r;
        for (int i = 0; i < n; i++)
            if (!add_operand(p, operands++, &r->operand[i])) return false;
    }
    return true;
}

/* ---- what changes from one segment to the next ---- */

static bool find_changes(pattern *p, const tape_record *last) {
    const tape_record *end = segment_next(last), *r = last;
    size_t at = 0, kept = 0;
    bool named[PATTERN_MAX_STORAGES] = {false};
    for (size_t k = 0; k < p->n_records; k++, r = r->before) {
        const tape_record *a = p->record[k];
        if (r == end || !same_record(a, r)) return false;
        for (int i = 0; i < r->n_in + r->n_out; i++, at++) {
            const int16_t name = p->name[at];
            p->advance[at] = r->operand[i].offset - a->operand[i].offset;
            if (r->operand[i].value)
                p->kept_advance[kept++] = r->operand[i].value->offset - a->operand[i].value->offset;
            if (name < 0 || named[name]) continue;
            p->link[name] = find_name(&p->first, r->operand[i].storage);
            named[name] = true;
        }
    }
    return r == end;
}

bool pattern_make(pattern *p, const tape_record *last) {
    const tape_record *next = segment_next(last);
    segment second;
    return next && read_first(p, last) && find_changes(p, next) &&
           pattern_match(p, 1, next, &p->first, &second);
}

/* ---- matching ---- */

/* Matches the storage of an operand: one that was named, or else the next name. */
static bool match_storage(const pattern *p, int16_t name, uint64_t number, const segment *before,
                          segment *out) {
    if ((size_t)name < out->n_storages) return out->storage[name] == number;
    if (find_name(before, number) != p->link[name] || find_name(out, number) >= 0) return false;
    out->storage[out->n_storages++] = number;
    return true;
}

static bool match_kept(const pattern *p, int64_t k, gpa_arr *value, segment *out) {
    const size_t i = out->n_kept++;
    out->kept[i] = value;
    return value->offset == p->first.kept[i]->offset + k * p->kept_advance[i] &&
           find_memory(out, value->storage) == p->same_memory[i];
}

bool pattern_match(const pattern *p, int64_t k, const tape_record *last, const segment *before,
                   segment *out) {
    const tape_record *r = last;
    size_t at = 0;
    out->n_storages = out->n_kept = 0;
    for (size_t i = 0; i < p->n_records; i++, r = r->before) {
        const tape_record *a = p->record[i];
        if (!r || (i && r->ends_iteration) || !same_record(a, r)) return false;
        for (int j = 0; j < r->n_in + r->n_out; j++, at++) {
            const tape_operand *o = &r->operand[j];
            if (o->offset != a->operand[j].offset + k * p->advance[at] ||
                (o->value && !match_kept(p, k, o->value, out)) ||
                (o->storage && !match_storage(p, p->name[at], o->storage, before, out)))
                return false;
        }
    }
    return !r || r->ends_iteration;
}
