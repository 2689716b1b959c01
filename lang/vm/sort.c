/* Stable merge sort for list.sort and sorted.
 *
 * Short runs are sorted by insertion and merged pairwise between two buffers. Items that are all
 * ints, floats or strings are compared without a call. The list is empty while its items are
 * compared, so that a key function cannot observe a half-sorted list. */
#include "lang/vm/native.h"
#include "lang/object/container.h"

typedef struct {
    value key, item;
} pair;

typedef struct sorter {
    gpa_vm *vm;
    gpa_code (*less)(struct sorter *s, value a, value b, bool *out);
    bool reverse;
    size_t since; /* items moved since the last poll for interrupts */
    gpa_code rc;
} sorter;

static gpa_code less_int(sorter *s, value a, value b, bool *out) {
    (void)s;
    *out = a.i < b.i;
    return GPA_OK;
}

static gpa_code less_float(sorter *s, value a, value b, bool *out) {
    (void)s;
    *out = a.f < b.f;
    return GPA_OK;
}

static gpa_code less_text(sorter *s, value a, value b, bool *out) {
    (void)s;
    int order = memcmp(a.str->text, b.str->text, MIN(a.str->size, b.str->size));
    *out = order ? order < 0 : a.str->size < b.str->size;
    return GPA_OK;
}

static gpa_code less_any(sorter *s, value a, value b, bool *out) {
    return vm_less(s->vm, a, b, out);
}

/* True if b must precede a. After a failure always false, so that no more elements move. */
static bool before(sorter *s, const pair *b, const pair *a) {
    bool out = false;
    if (s->rc) return false;
    s->rc = s->reverse ? s->less(s, a->key, b->key, &out) : s->less(s, b->key, a->key, &out);
    return !s->rc && out;
}

enum { RUN = 12, LOOK = 1 << 16 };

/* Counts n moves, and polls for interrupts at intervals. */
static void moved(sorter *s, size_t n) {
    s->since += n;
    if (s->rc || s->since < LOOK) return;
    s->since = 0;
    s->rc = vm_poll(s->vm);
}

static void insertion(sorter *s, pair *p, size_t n) {
    for (size_t i = 1; i < n; i++) {
        pair moving = p[i];
        size_t at = i;
        for (; at > 0 && before(s, &moving, &p[at - 1]); at--) p[at] = p[at - 1];
        p[at] = moving;
    }
}

static void merge(sorter *s, const pair *a, size_t n, const pair *b, size_t m, pair *to) {
    if (n && m && !before(s, &b[0], &a[n - 1])) {
        memcpy(to, a, n * sizeof *a);
        memcpy(to + n, b, m * sizeof *b);
        return;
    }
    while (n && m) {
        if (before(s, b, a)) {
            *to++ = *b++;
            m--;
        } else {
            *to++ = *a++;
            n--;
        }
        moved(s, 1);
    }
    memcpy(to, n ? a : b, (n + m) * sizeof *a);
}

/* Sorts p using a second buffer of the same size; returns the buffer that holds the result, after a
 * failure all items in some order. */
static pair *sort_pairs(sorter *s, pair *p, pair *scratch, size_t n) {
    for (size_t i = 0; i < n; i += RUN) {
        insertion(s, p + i, MIN((size_t)RUN, n - i));
        moved(s, RUN);
    }
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t i = 0; i < n; i += 2 * width) {
            size_t left = MIN(width, n - i), right = MIN(width, n - i - left);
            merge(s, p + i, left, p + i + left, right, scratch + i);
            if (s->rc) return p;
        }
        pair *sorted = scratch;
        scratch = p;
        p = sorted;
    }
    return p;
}

static void choose_less(sorter *s, const pair *p, size_t n) {
    uint32_t tag = p[0].key.tag;
    for (size_t i = 1; i < n && tag != V_UNSET; i++)
        if (p[i].key.tag != tag) tag = V_UNSET;
    s->less = tag == V_INT     ? less_int
              : tag == V_FLOAT ? less_float
              : tag == V_STR   ? less_text
                               : less_any;
}

gpa_code list_sort(gpa_vm *vm, list_obj *l, value key, bool reverse) {
    size_t n = l->count, cap = l->cap, keyed = 0;
    if (n == 0) return GPA_OK;
    pair *block = mem_new(2 * n * sizeof *block), *sorted = block;
    if (!block) return vm_no_memory(vm);
    sorter s = {.vm = vm, .reverse = reverse};
    value *items = l->items;
    l->items = NULL;
    l->count = l->cap = 0;
    for (; keyed < n && !s.rc; keyed++) {
        block[keyed].item = items[keyed];
        block[keyed].key = v_none();
        if (key.tag == V_NONE)
            block[keyed].key = value_retain(items[keyed]);
        else
            s.rc = vm_call(vm, key, ARGS(1, &items[keyed]), &block[keyed].key);
    }
    if (!s.rc) {
        choose_less(&s, block, n);
        sorted = sort_pairs(&s, block, block + n, n);
    }
    for (size_t i = 0; i < keyed; i++) {
        if (!s.rc) items[i] = sorted[i].item;
        value_release(vm, sorted[i].key);
    }
    mem_free(block);
    bool changed = l->count != 0;
    list_clear(vm, l);
    l->items = items;
    l->count = n;
    l->cap = cap;
    if (!s.rc && changed) return vm_fail(vm, GPA_E_VALUE, "list modified during sort");
    return s.rc;
}
