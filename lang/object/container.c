/* Lists, and insertion-ordered hash tables for dicts and sets.
 *
 * A table stores its entries in insertion order in one block and finds them through `index`, a
 * power-of-two array of entry number + 1 (0: free), with linear probing. Removing an entry frees
 * its index slot at once; the entry itself keeps its position with key UNSET until the table is
 * rebuilt. Invariants: n <= cap <= 3/4 slots, so a probe always ends; the last entry is live. */
#include "lang/object/container.h"

#include "lang/object/core.h"
#include "lang/object/module.h"

/* ---- lists ---- */

gpa_code list_reserve(gpa_vm *vm, list_obj *l, size_t n) {
    if (n <= l->cap) return GPA_OK;
    size_t want = MAX(n, l->cap + l->cap / 2 + 4);
    if (want > SIZE_MAX / sizeof(value)) return vm_no_memory(vm);
    value *items = mem_resize(l->items, want * sizeof(value));
    if (!items) return vm_no_memory(vm);
    l->items = items;
    l->cap = want;
    return GPA_OK;
}

gpa_code list_append(gpa_vm *vm, list_obj *l, value v) {
    if (l->count == l->cap) {
        gpa_code rc = list_reserve(vm, l, l->count + 1);
        if (rc) return rc;
    }
    l->items[l->count++] = value_retain(v);
    return GPA_OK;
}

gpa_code list_insert(gpa_vm *vm, list_obj *l, size_t at, value v) {
    gpa_code rc = list_reserve(vm, l, l->count + 1);
    if (rc) return rc;
    memmove(l->items + at + 1, l->items + at, (l->count - at) * sizeof(value));
    l->items[at] = value_retain(v);
    l->count++;
    return GPA_OK;
}

value list_take(list_obj *l, size_t at) {
    value v = l->items[at];
    l->count--;
    memmove(l->items + at, l->items + at + 1, (l->count - at) * sizeof(value));
    return v;
}

void list_clear(gpa_vm *vm, list_obj *l) {
    value *items = l->items;
    size_t n = l->count;
    l->items = NULL;
    l->count = l->cap = 0;
    while (n--)
        value_release(vm, items[n]); /* in reverse, the order in which CPython releases them */
    mem_free(items);
}

size_t items_count(value sequence) {
    return sequence.tag == V_LIST ? sequence.list->count : sequence.tuple->count;
}

bool items_next(value sequence, size_t *at, value *item) {
    if (*at >= items_count(sequence)) return false;
    *item = value_retain(
        (sequence.tag == V_LIST ? sequence.list->items : sequence.tuple->items)[(*at)++]);
    return true;
}

int64_t range_len(const range_obj *r) {
    uint64_t lo = (uint64_t)r->start, hi = (uint64_t)r->stop, step = (uint64_t)r->step;
    if (r->step > 0) return r->start < r->stop ? (int64_t)((hi - lo - 1) / step + 1) : 0;
    return r->start > r->stop ? (int64_t)((lo - hi - 1) / (0 - step) + 1) : 0;
}

/* ---- the table ---- */

static size_t slot_of(const dict_obj *d, uint64_t hash) {
    hash *= 0x9e3779b97f4a7c15u;
    return (size_t)(hash >> 32) & (d->slots - 1);
}

/* The result of a comparison of keys; MOVED: a program's __eq__ changed the table. */
typedef enum { KEY_DIFFERS, KEY_EQUAL, KEY_MOVED } key_match;

/* Compares `key` with that of the entry at `slot` of the index; few comparisons need a call. */
static gpa_code match_key(gpa_vm *vm, const dict_obj *d, size_t slot, value key, uint64_t hash,
                          key_match *out) {
    const uint32_t number = d->index[slot];
    const dict_entry *entries = d->entries, *e = &entries[number - 1];
    *out = KEY_DIFFERS;
    if (e->hash != hash) return GPA_OK;
    if (e->key.tag == key.tag && e->key.bits == key.bits && key.tag != V_NUM &&
        (e->key.aux == key.aux || value_is_heap[key.tag])) {
        *out = KEY_EQUAL;
        return GPA_OK;
    }
    bool same = false;
    size_t slots = d->slots;
    value asked = value_retain(e->key);
    gpa_code rc = value_equal(vm, asked, key, &same);
    bool moved = d->entries != entries || d->slots != slots || d->index[slot] != number ||
                 !value_is(e->key, asked);
    *out = moved ? KEY_MOVED : same ? KEY_EQUAL : KEY_DIFFERS;
    value_release(vm, asked);
    return rc;
}

/* The entry with this key, or NULL. */
static gpa_code find(gpa_vm *vm, const dict_obj *d, value key, uint64_t hash, dict_entry **out) {
    *out = NULL;
    for (size_t i = slot_of(d, hash); d->slots && d->index[i];) {
        key_match match;
        gpa_code rc = match_key(vm, d, i, key, hash, &match);
        if (rc) return rc;
        if (match == KEY_EQUAL) {
            *out = &d->entries[d->index[i] - 1];
            return GPA_OK;
        }
        i = match == KEY_MOVED ? slot_of(d, hash) : (i + 1) & (d->slots - 1);
    }
    return GPA_OK;
}

static void enter(dict_obj *d, size_t number) {
    size_t i = slot_of(d, d->entries[number].hash);
    while (d->index[i]) i = (i + 1) & (d->slots - 1);
    d->index[i] = (uint32_t)number + 1;
}

/* Ensures capacity for one more entry: compacts removed ones, or resizes to the live count. On
 * failure the table is unchanged. */
static gpa_code rebuild(gpa_vm *vm, dict_obj *d) {
    size_t cap = d->count < 6 ? 6 : d->count * 2, slots = 8;
    while (slots * 3 < cap * 4) slots *= 2;
    cap = slots * 3 / 4;
    if (cap >= UINT32_MAX) return vm_no_memory(vm);
    dict_entry *entries = mem_new(cap * sizeof *entries);
    uint32_t *index = mem_zero(slots * sizeof *index);
    if (!entries || !index) {
        mem_free(entries);
        mem_free(index);
        return vm_no_memory(vm);
    }
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->entries[i].key.tag != V_UNSET) entries[n++] = d->entries[i];
    mem_free(d->entries);
    mem_free(d->index);
    d->entries = entries;
    d->index = index;
    d->slots = slots;
    d->cap = cap;
    d->n = n;
    for (size_t i = 0; i < n; i++) enter(d, i);
    return GPA_OK;
}

static gpa_code set_hashed(gpa_vm *vm, dict_obj *d, value key, uint64_t hash, value v) {
    dict_entry *e;
    gpa_code rc = find(vm, d, key, hash, &e);
    if (rc) return rc;
    if (e) {
        value old = e->v;
        e->v = value_retain(v);
        value_release(vm, old);
        return GPA_OK;
    }
    if (d->n == d->cap && (rc = rebuild(vm, d))) return rc;
    d->entries[d->n] = (dict_entry){value_retain(key), value_retain(v), hash};
    enter(d, d->n);
    d->n++;
    d->count++;
    return GPA_OK;
}

/* Sets or (UNSET) deletes the variable of a module that a key of its dict names. */
static gpa_code set_variable(gpa_vm *vm, const dict_obj *d, value key, value v) {
    if (!d->module || key.tag != V_STR) return GPA_OK;
    return module_set_text(vm, d->module, key.str->text, v);
}

gpa_code dict_set(gpa_vm *vm, dict_obj *d, value key, value v) {
    uint64_t hash;
    gpa_code rc = value_hash(vm, key, &hash);
    if (!rc) rc = set_hashed(vm, d, key, hash, v);
    return rc || !d->module ? rc : set_variable(vm, d, key, v);
}

gpa_code dict_find_peek(gpa_vm *vm, const dict_obj *d, value key, dict_entry **out) {
    uint64_t hash;
    gpa_code rc = value_hash(vm, key, &hash);
    *out = NULL;
    if (!rc && d->module) rc = module_update_dict(d->module);
    return rc ? rc : find(vm, d, key, hash, out);
}

gpa_code dict_get_peek(gpa_vm *vm, dict_obj *d, value key, value *out) {
    dict_entry *e;
    gpa_code rc = dict_find_peek(vm, d, key, &e);
    *out = e ? e->v : v_unset();
    return rc;
}

/* Backward-shift deletion: frees the index slot of an entry and moves displaced slots up, so that
 * no probe sequence has a gap. */
static void unindex(dict_obj *d, const dict_entry *e) {
    size_t mask = d->slots - 1, gap = slot_of(d, e->hash);
    uint32_t number = (uint32_t)(e - d->entries) + 1;
    while (d->index[gap] != number) gap = (gap + 1) & mask;
    for (size_t i = (gap + 1) & mask; d->index[i]; i = (i + 1) & mask) {
        size_t home = slot_of(d, d->entries[d->index[i] - 1].hash);
        if (((i - home) & mask) < ((i - gap) & mask)) continue;
        d->index[gap] = d->index[i];
        gap = i;
    }
    d->index[gap] = 0;
}

/* Removes an entry found by `find` and transfers its references to the caller. */
static dict_entry remove_entry(dict_obj *d, dict_entry *e) {
    dict_entry old = *e;
    unindex(d, e);
    e->key = v_unset();
    e->v = v_unset();
    d->count--;
    while (d->n > 0 && d->entries[d->n - 1].key.tag == V_UNSET) d->n--;
    return old;
}

gpa_code dict_take(gpa_vm *vm, dict_obj *d, value key, value *out) {
    uint64_t hash;
    dict_entry *e;
    *out = v_unset();
    gpa_code rc = value_hash(vm, key, &hash);
    if (!rc && d->module) rc = module_update_dict(d->module);
    if (!rc) rc = find(vm, d, key, hash, &e);
    if (rc || !e) return rc;
    dict_entry old = remove_entry(d, e);
    *out = old.v;
    if (d->module) rc = set_variable(vm, d, key, v_unset());
    value_release(vm, old.key);
    return rc;
}

gpa_code dict_remove(gpa_vm *vm, dict_obj *d, value key, bool *found) {
    value v;
    gpa_code rc = dict_take(vm, d, key, &v);
    *found = !rc && v.tag != V_UNSET;
    value_release(vm, v);
    return rc;
}

/* Makes the entries of the dict of a module what its variables are now. */
static void refresh(const dict_obj *d) {
    if (d->module) (void)module_update_dict(d->module);
}

size_t dict_count(const dict_obj *d) {
    refresh(d);
    return d->count;
}

dict_entry *dict_named_peek(const dict_obj *d, const char *key, size_t size, uint64_t hash) {
    refresh(d);
    if (d->slots == 0) return NULL;
    if (hash == 0) hash = 1;
    for (size_t i = slot_of(d, hash); d->index[i]; i = (i + 1) & (d->slots - 1)) {
        dict_entry *e = &d->entries[d->index[i] - 1];
        if (e->key.tag == V_STR && e->hash == hash && e->key.str->size == size &&
            memcmp(e->key.str->text, key, size) == 0)
            return e;
    }
    return NULL;
}

value dict_text_peek(gpa_vm *vm, dict_obj *d, const char *key) {
    (void)vm;
    size_t size = strlen(key);
    const dict_entry *e = dict_named_peek(d, key, size, hash_bytes(key, size, 0));
    return e ? e->v : v_unset();
}

gpa_code dict_set_text(gpa_vm *vm, dict_obj *d, const char *key, value v) {
    value k = v_cstr(vm, key);
    if (k.tag == V_UNSET) return vm_no_memory(vm);
    gpa_code rc = dict_set(vm, d, k, v);
    value_release(vm, k);
    return rc;
}

dict_entry *dict_next(const dict_obj *d, size_t *at) {
    if (*at == 0) refresh(d);
    while (*at < d->n) {
        dict_entry *e = &d->entries[(*at)++];
        if (e->key.tag != V_UNSET) return e;
    }
    return NULL;
}

bool dict_next_own(const dict_obj *d, size_t *at, dict_entry *e) {
    const dict_entry *next = dict_next(d, at);
    if (next) *e = (dict_entry){value_retain(next->key), value_retain(next->v), next->hash};
    return next != NULL;
}

void dict_entry_drop(gpa_vm *vm, dict_entry *e) {
    value_release(vm, e->key);
    value_release(vm, e->v);
}

dict_entry *dict_last(const dict_obj *d) {
    refresh(d);
    return d->n ? &d->entries[d->n - 1] : NULL;
}

gpa_code dict_update(gpa_vm *vm, dict_obj *d, const dict_obj *from) {
    gpa_code rc = GPA_OK;
    size_t at = 0;
    for (dict_entry e; !rc && dict_next_own(from, &at, &e); dict_entry_drop(vm, &e)) {
        if (!(rc = vm_poll(vm))) rc = set_hashed(vm, d, e.key, e.hash, e.v);
        if (!rc && d->module) rc = set_variable(vm, d, e.key, e.v);
    }
    return rc;
}

void dict_clear(gpa_vm *vm, dict_obj *d) {
    if (d->module) module_clear(vm, d->module);
    dict_entry *entries = d->entries;
    size_t n = d->n;
    mem_free(d->index);
    d->entries = NULL;
    d->index = NULL;
    d->count = d->n = d->cap = d->slots = 0;
    for (size_t i = 0; i < n; i++) {
        value_release(vm, entries[i].key);
        value_release(vm, entries[i].v);
    }
    mem_free(entries);
}

value dict_copy(gpa_vm *vm, const dict_obj *d) {
    value c = v_dict(vm);
    if (c.tag != V_UNSET) c.dict->ordered = d->ordered;
    if (c.tag == V_UNSET || !dict_update(vm, c.dict, d)) return c;
    value_release(vm, c);
    return v_unset();
}

/* ---- sets ---- */

gpa_code set_add(gpa_vm *vm, set_obj *s, value v) {
    s->arranged = false;
    return dict_set(vm, &s->d, v, v_none());
}

/* A set tested for membership is treated as its frozen copy, as in CPython. */
static gpa_code member_hash(gpa_vm *vm, value v, uint64_t *hash) {
    if (v.tag != V_SET || v.set->frozen) return value_hash(vm, v, hash);
    v.set->frozen = true;
    gpa_code rc = value_hash(vm, v, hash);
    v.set->frozen = false;
    return rc;
}

gpa_code set_has(gpa_vm *vm, set_obj *s, value v, bool *out) {
    uint64_t hash;
    dict_entry *e = NULL;
    gpa_code rc = member_hash(vm, v, &hash);
    if (!rc) rc = find(vm, &s->d, v, hash, &e);
    *out = e != NULL;
    return rc;
}

gpa_code set_remove(gpa_vm *vm, set_obj *s, value v, bool *found) {
    uint64_t hash;
    dict_entry *e = NULL;
    gpa_code rc = member_hash(vm, v, &hash);
    if (!rc) rc = find(vm, &s->d, v, hash, &e);
    *found = e != NULL;
    s->arranged = s->arranged && !e;
    if (e) value_release(vm, remove_entry(&s->d, e).key);
    return rc;
}

/* CPython's set probing: linear for a stretch, then perturbed by the hash's higher bits. */
static void arrange_in(uint32_t *table, size_t mask, const dict_entry *entries, uint32_t number) {
    enum { STRETCH = 9, SHIFT = 5 };
    uint64_t perturb = entries[number - 1].hash;
    for (size_t i = (size_t)perturb & mask;;) {
        size_t last = i + STRETCH <= mask ? i + STRETCH : i;
        for (size_t k = i; k <= last; k++)
            if (!table[k]) {
                table[k] = number;
                return;
            }
        perturb >>= SHIFT;
        i = (i * 5 + 1 + (size_t)perturb) & mask;
    }
}

/* Fills *table with entry numbers at the slots where CPython would insert them, growing it as
 * CPython does. False when memory is short. */
static bool arrange_all(const dict_obj *d, uint32_t **table, size_t *slots) {
    size_t mask = 7;
    *table = mem_zero((mask + 1) * sizeof **table);
    for (size_t i = 0, used = 0; *table && i < d->n; i++) {
        if (d->entries[i].key.tag == V_UNSET) continue;
        arrange_in(*table, mask, d->entries, (uint32_t)i + 1);
        if (++used * 5 < mask * 3) continue;
        size_t wanted = used > 50000 ? used * 2 : used * 4, old = mask;
        for (mask = 7; mask + 1 <= wanted;) mask = mask * 2 + 1;
        uint32_t *grown = mem_zero((mask + 1) * sizeof *grown);
        for (size_t k = 0; grown && k <= old; k++)
            if ((*table)[k]) arrange_in(grown, mask, d->entries, (*table)[k]);
        mem_free(*table);
        *table = grown;
    }
    *slots = mask + 1;
    return *table != NULL;
}

void set_arrange(set_obj *s) {
    dict_obj *d = &s->d;
    size_t at = 0, slots, n = 0;
    if (s->arranged || d->count == 0) return;
    s->arranged = true;
    for (const dict_entry *e; (e = dict_next(d, &at));)
        if (e->key.tag != V_INT && e->key.tag != V_BOOL && e->key.tag != V_BIG &&
            e->key.tag != V_FLOAT && e->key.tag != V_NUM)
            return;
    uint32_t *table;
    dict_entry *entries = mem_new(d->cap * sizeof *entries);
    if (entries && arrange_all(d, &table, &slots)) {
        for (size_t i = 0; i < slots; i++)
            if (table[i]) entries[n++] = d->entries[table[i] - 1];
        mem_free(table);
        mem_free(d->entries);
        d->entries = entries;
        d->n = n;
        memset(d->index, 0, d->slots * sizeof *d->index);
        for (size_t i = 0; i < n; i++) enter(d, i);
    } else
        mem_free(entries);
}

gpa_code set_subset(gpa_vm *vm, set_obj *a, set_obj *b, bool *out) {
    gpa_code rc = GPA_OK;
    *out = a->d.count <= b->d.count;
    size_t at = 0;
    dict_entry *hit;
    for (dict_entry e; !rc && *out && dict_next_own(&a->d, &at, &e); dict_entry_drop(vm, &e)) {
        if ((rc = vm_poll(vm))) continue;
        rc = find(vm, &b->d, e.key, e.hash, &hit);
        *out = hit != NULL;
    }
    return rc;
}

/* Adds to `to` the members of `from` that are in `other` (in true), or are not (in false). */
static gpa_code add_those(gpa_vm *vm, set_obj *to, const set_obj *from, const set_obj *other,
                          bool in) {
    gpa_code rc = GPA_OK;
    size_t at = 0;
    dict_entry *hit;
    for (dict_entry e; !rc && dict_next_own(&from->d, &at, &e); dict_entry_drop(vm, &e)) {
        if ((rc = vm_poll(vm))) continue;
        rc = find(vm, &other->d, e.key, e.hash, &hit);
        if (!rc && (hit != NULL) == in) rc = set_hashed(vm, &to->d, e.key, e.hash, v_none());
    }
    return rc;
}

value set_combine(gpa_vm *vm, set_op op, set_obj *a, set_obj *b) {
    value out = v_set(vm);
    if (out.tag == V_UNSET) return out;
    set_obj *s = out.set;
    s->frozen = a->frozen;
    gpa_code rc = GPA_OK;
    switch (op) {
        case SET_UNION:
            rc = dict_update(vm, &s->d, &a->d);
            if (!rc) rc = dict_update(vm, &s->d, &b->d);
            break;
        case SET_INTERSECTION: rc = add_those(vm, s, a, b, true); break;
        case SET_DIFFERENCE: rc = add_those(vm, s, a, b, false); break;
        case SET_SYMMETRIC:
            rc = add_those(vm, s, a, b, false);
            if (!rc) rc = add_those(vm, s, b, a, false);
            break;
    }
    if (!rc) return out;
    value_release(vm, out);
    return v_unset();
}

value set_copy(gpa_vm *vm, set_obj *a, bool frozen) {
    value out = v_set(vm);
    if (out.tag == V_UNSET) return out;
    out.set->frozen = frozen;
    if (!dict_update(vm, &out.set->d, &a->d)) return out;
    value_release(vm, out);
    return v_unset();
}
