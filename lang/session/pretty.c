/* Pretty printing of nested containers.
 *
 * The layout is decided from the outside inwards: a container whose line is too long is broken,
 * then each of its items is laid out. The line of an item includes the text that must follow it on
 * the same line: a comma, or the closing brackets. Items whose own text has several lines, as
 * arrays have, break all containers around them. Reading order: texts on one line, then put. */
#include "lang/session/pretty.h"

#include "lang/object/container.h"

enum { COLUMNS = 79, MOST_ITEMS = 1000, DEEPEST = 60 };

typedef struct {
    gpa_session *s;
    gpa_code (*item)(gpa_session *s, value v, gpa_str *out);
} printer;

/* A container being laid out: its items; of a dict, keys and values. They are retained: __repr__
 * may modify the original. */
typedef struct {
    const char *open, *close;
    value held; /* a LIST or a TUPLE */
    const value *items;
    bool pairs;
    size_t n;
} container;

/* The members of a set in sorted order, if they are comparable. */
static gpa_code in_order(const printer *p, value set, value *out) {
    gpa_vm *vm = p->s->vm;
    gpa_sym name = intern_find(p->s->names, "sorted", 6);
    value sorted = vm_builtin_peek(vm, name);
    gpa_code rc = vm_call(vm, sorted, ARGS(1, &set), out);
    if (rc != GPA_E_TYPE) return rc;
    vm_clear_error(vm);
    return vm_collect(vm, set, out);
}

/* The keys and values of a dict, alternating. */
static value pairs_of(gpa_vm *vm, const dict_obj *d) {
    value all = v_list(vm, 2 * d->count, NULL);
    size_t at = 0, n = 0;
    for (const dict_entry *e; all.tag != V_UNSET && (e = dict_next(d, &at));) {
        all.list->items[n++] = value_retain(e->key);
        all.list->items[n++] = value_retain(e->v);
    }
    return all;
}

/* *is: true if v is a non-empty container; then *c holds it until done. */
static gpa_code look(const printer *p, value v, container *c, bool *is) {
    gpa_vm *vm = p->s->vm;
    gpa_code rc = GPA_OK;
    *c = (container){"(", v.tag == V_TUPLE && v.tuple->count == 1 ? ",)" : ")", .held = v_none()};
    *is = true;
    if (v.tag == V_TUPLE && v.tuple->count) {
        c->held = value_retain(v);
        c->items = v.tuple->items;
        c->n = v.tuple->count;
        return GPA_OK;
    }
    c->open = v.tag == V_LIST ? "[" : "{";
    c->close = v.tag == V_LIST ? "]" : "}";
    c->pairs = v.tag == V_DICT;
    if (v.tag == V_LIST && v.list->count)
        c->held = v_list(vm, v.list->count, v.list->items);
    else if (v.tag == V_DICT && !v.dict->ordered && dict_count(v.dict))
        c->held = pairs_of(vm, v.dict);
    else if (v.tag == V_SET && v.set->d.count && !v.set->frozen && v.set->d.count <= MOST_ITEMS)
        rc = in_order(p, v, &c->held);
    else
        *is = false;
    if (!rc && c->held.tag == V_UNSET) rc = GPA_E_MEMORY;
    if (rc || !*is) return rc;
    c->items = c->held.list->items;
    c->n = c->pairs ? c->held.list->count / 2 : c->held.list->count;
    return GPA_OK;
}

static void done(const printer *p, container *c) { value_release(p->s->vm, c->held); }

/* ---- on one line ---- */

static gpa_code put_flat(const printer *p, value v, int depth, gpa_str *out);

static gpa_code put_flat_items(const printer *p, const container *c, int depth, gpa_str *out) {
    gpa_code rc = GPA_OK;
    const value *at = c->items;
    str_put(out, c->open);
    for (size_t i = 0; i < c->n && !rc; i++) {
        if (i) str_put(out, ", ");
        if (c->pairs) rc = put_flat(p, *at++, depth + 1, out);
        if (c->pairs) str_put(out, ": ");
        if (!rc) rc = put_flat(p, *at++, depth + 1, out);
    }
    str_put(out, c->close);
    return rc;
}

static gpa_code put_flat(const printer *p, value v, int depth, gpa_str *out) {
    container c;
    bool is = false;
    gpa_code rc = depth < DEEPEST ? look(p, v, &c, &is) : GPA_OK;
    if (rc) return rc;
    if (!is) return p->item(p->s, v, out);
    rc = put_flat_items(p, &c, depth, out);
    done(p, &c);
    return rc;
}

/* ---- over several lines ---- */

static void new_line(gpa_str *out, size_t columns) {
    str_putc(out, '\n');
    str_fill(out, ' ', columns);
}

/* The width of the last line. */
static size_t column_of(const gpa_str *out) {
    size_t n = 0;
    for (size_t i = out->len; i && out->text[i - 1] != '\n'; i--)
        n += ((unsigned char)out->text[i - 1] & 0xC0) != 0x80;
    return n;
}

/* True if a text fits on the line after `from` columns and before `after` more. */
static bool fits(const gpa_str *flat, size_t from, size_t after) {
    size_t n = from + after;
    for (size_t i = 0; i < flat->len; i++) {
        if (flat->text[i] == '\n') return false;
        n += ((unsigned char)flat->text[i] & 0xC0) != 0x80;
    }
    return n <= COLUMNS;
}

/* `after`: number of columns that follow. */
static gpa_code put(const printer *p, value v, size_t depth, size_t after, gpa_str *out);

/* The number of columns of a dict's value that always stay on the line of its key: all, or an
 * opening bracket. */
static gpa_code behind_key(const printer *p, value v, size_t follows, size_t *out) {
    gpa_str flat;
    if (v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_DICT || v.tag == V_SET) return GPA_OK;
    str_init(&flat);
    gpa_code rc = p->item(p->s, v, &flat);
    const char *end = memchr(flat.text, '\n', flat.len);
    *out = 2 + (end ? (size_t)(end - flat.text) : flat.len + follows);
    str_free(&flat);
    return rc;
}

static gpa_code put_items(const printer *p, const container *c, size_t depth, size_t after,
                          gpa_str *out) {
    gpa_code rc = GPA_OK;
    size_t n = c->n > MOST_ITEMS ? MOST_ITEMS : c->n;
    const value *at = c->items;
    str_put(out, c->open);
    for (size_t i = 0; i < n && !rc && !(rc = vm_poll(p->s->vm)); i++) {
        size_t follows = i + 1 < c->n ? 1 : after + strlen(c->close);
        if (i) str_putc(out, ','), new_line(out, depth + 1);
        size_t behind = 3;
        if (c->pairs) rc = behind_key(p, at[1], follows, &behind);
        if (c->pairs && !rc) rc = put(p, *at++, depth + 1, behind, out);
        if (c->pairs) str_put(out, ": ");
        if (!rc) rc = put(p, *at++, depth + 1, follows, out);
    }
    if (n < c->n) str_putc(out, ','), new_line(out, depth + 1), str_put(out, "...");
    str_put(out, c->close);
    return rc;
}

static gpa_code put(const printer *p, value v, size_t depth, size_t after, gpa_str *out) {
    container c;
    bool is = false;
    gpa_str flat;
    str_init(&flat);
    gpa_code rc = put_flat(p, v, (int)depth, &flat);
    if (!rc && depth < DEEPEST && !fits(&flat, column_of(out), after)) rc = look(p, v, &c, &is);
    if (is) {
        rc = put_items(p, &c, depth, after, out);
        done(p, &c);
    } else if (!rc) {
        for (size_t i = 0; i < flat.len; i++) {
            str_putc(out, flat.text[i]);
            if (flat.text[i] == '\n') str_fill(out, ' ', depth);
        }
    }
    str_free(&flat);
    return rc;
}

gpa_code pretty_put(gpa_session *s, value v,
                    gpa_code (*item)(gpa_session *s, value v, gpa_str *out), gpa_str *out) {
    const printer p = {s, item};
    return put(&p, v, 0, 0, out);
}
