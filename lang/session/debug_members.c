/* Values as a debugger lists them: described on one line, with members. Describing computes
 * nothing; listing the members of an array does. */
#include "lang/session/debug_members.h"

#include <stdio.h>
#include <string.h>

#include "lang/object/container.h"
#include "lang/session/inspect.h"
#include "lang/vm/instance.h"

enum {
    SHOWN_ITEMS = 10,   /* of a container, on its line */
    SHOWN_ELEMS = 16,   /* of an array, on its line */
    SHOWN_BYTES = 1000, /* of a text */
    LISTED_ELEMS = 100, /* of an array, if all are asked for */
};

int debug_ref_new(gpa_session *s, value v, bool variables, const char *expression) {
    session_debugger *d = &s->debugger;
    if (!mem_grow(&d->refs, d->n_refs, &d->cap_refs, sizeof *d->refs)) return 0;
    char *copy = expression && *expression ? mem_text(expression, strlen(expression)) : NULL;
    d->refs[d->n_refs++] = (debug_ref){value_retain(v), variables, copy};
    return (int)d->n_refs;
}

/* ---- the line ---- */

static bool is_array(value v) { return v.tag == V_ARRAY && (v.array->arr->ndim || !v.aux); }

static void put_repr(gpa_session *s, value v, gpa_str *out) {
    gpa_str text;
    str_init(&text);
    if (vm_repr(s->vm, v, &text)) {
        vm_clear_error(s->vm);
        str_put(&text, "<repr() failed>");
    }
    for (size_t i = 0; i < text.len && i < SHOWN_BYTES; i++) {
        bool blank = text.text[i] == '\n' || text.text[i] == ' ';
        if (!blank || (out->len && out->text[out->len - 1] != ' '))
            str_putc(out, blank ? ' ' : text.text[i]);
    }
    if (text.len > SHOWN_BYTES) str_put(out, "...");
    str_free(&text);
}

/* The type; of an array also that it is pending. */
static void put_type(value v, gpa_str *out) {
    if (v.tag == V_ARRAY && arr_is_pending(v.array->arr)) str_put(out, "pending ");
    inspect_type(v, out);
}

static void put_array(gpa_session *s, value v, gpa_str *out) {
    if (!arr_is_pending(v.array->arr) && v.array->arr->size <= SHOWN_ELEMS)
        put_repr(s, v, out);
    else
        put_type(v, out);
}

static void put_value(gpa_session *s, value v, bool within, gpa_str *out);

/* [a, b, ...]: the items of a list or tuple; the keys and values of a dict. */
static void put_items(gpa_session *s, value v, gpa_str *out) {
    const char *ends = v.tag == V_LIST ? "[]" : v.tag == V_TUPLE ? "()" : "{}";
    size_t at = 0, n = 0;
    str_putc(out, ends[0]);
    for (dict_entry *e; v.tag == V_DICT && n <= SHOWN_ITEMS && (e = dict_next(v.dict, &at)); n++) {
        str_put(out, n ? ", " : "");
        if (n == SHOWN_ITEMS) break;
        put_value(s, e->key, true, out);
        str_put(out, ": ");
        put_value(s, e->v, true, out);
    }
    for (value item; v.tag != V_DICT && n <= SHOWN_ITEMS && items_next(v, &at, &item); n++) {
        str_put(out, n ? ", " : "");
        if (n < SHOWN_ITEMS) put_value(s, item, true, out);
        value_release(s->vm, item);
        if (n == SHOWN_ITEMS) break;
    }
    if (n == SHOWN_ITEMS) str_put(out, "...");
    if (v.tag == V_TUPLE && n == 1) str_putc(out, ',');
    str_putc(out, ends[1]);
}

static void put_value(gpa_session *s, value v, bool within, gpa_str *out) {
    const bool items = v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_DICT;
    if (v.tag == V_ARRAY)
        put_array(s, v, out);
    else if (items && within)
        str_printf(out, "<%s of %zu>", inspect_type_name(v),
                   v.tag == V_DICT ? v.dict->count : items_count(v));
    else if (items)
        put_items(s, v, out);
    else
        put_repr(s, v, out);
}

/* ---- members ---- */

/* The numbers of named and of numbered members. */
static void count_members(value v, size_t *named, size_t *indexed) {
    const dict_obj *fields;
    *named = *indexed = 0;
    if (is_array(v)) {
        *named = 3;
        *indexed = v.array->arr->ndim ? (size_t)v.array->arr->shape[0] : 1;
    } else if (v.tag == V_ARRAY) {
        *indexed = arr_is_pending(v.array->arr);
    } else if (v.tag == V_LIST || v.tag == V_TUPLE) {
        *indexed = items_count(v);
    } else if (v.tag == V_DICT) {
        *named = v.dict->count;
    } else if (is_instance(v) && (fields = instance_fields_peek(v))) {
        *named = fields->count;
    }
}

void debug_describe(gpa_session *s, const debug_entry *what, value v, gpa_variable_sink *sink,
                    void *user) {
    gpa_str text, type;
    str_init(&text);
    str_init(&type);
    if (!what->text || !what->text->len) put_value(s, v, false, &text);
    put_type(v, &type);
    gpa_variable out = {.name = what->name,
                        .text = text.len     ? text.text
                                : what->text ? what->text->text
                                             : "",
                        .type = type.len ? type.text : "",
                        .expression = what->expression ? what->expression : ""};
    count_members(v, &out.n_named, &out.n_indexed);
    if (out.n_named + out.n_indexed) out.ref = debug_ref_new(s, v, false, what->expression);
    sink(user, &out);
    str_free(&text);
    str_free(&type);
}

/* A listing of members from `at` on. */
typedef struct {
    gpa_session *s;
    const char *parent; /* the expression; NULL: none */
    size_t start, end, at;
    gpa_variable_sink *each;
    void *user;
} listing;

static bool is_listed(listing *l) {
    const size_t at = l->at++;
    return at >= l->start && at < l->end;
}

/* `format` makes the expression of the parent's and `key`. */
static void list(listing *l, const char *name, const char *format, const char *key, value v) {
    gpa_str expression;
    str_init(&expression);
    if (!l->parent || !format)
        str_put(&expression, format ? "" : key);
    else
        str_printf(&expression, format, l->parent, key);
    debug_describe(l->s, &(debug_entry){.name = name, .expression = expression.text}, v, l->each,
                   l->user);
    str_free(&expression);
}

static void list_dict(listing *l, const dict_obj *d, bool keys) {
    size_t at = 0;
    for (dict_entry e; dict_next_own(d, &at, &e); dict_entry_drop(l->s->vm, &e)) {
        gpa_str name;
        if (!is_listed(l)) continue;
        str_init(&name);
        if (keys)
            put_value(l->s, e.key, true, &name);
        else
            str_put(&name, e.key.str->text);
        list(l, name.text, keys ? "%s[%s]" : "%s.%s", name.text, e.v);
        str_free(&name);
    }
}

static void list_item(listing *l, value v, size_t i) {
    char name[32], key[32];
    value item = v_none();
    snprintf(name, sizeof name, "[%zu]", i);
    snprintf(key, sizeof key, "%zu", i);
    if (vm_getitem(l->s->vm, v, v_int((int64_t)i), &item)) vm_clear_error(l->s->vm);
    list(l, name, "%s[%s]", key, item);
    value_release(l->s->vm, item);
}

static void list_array(listing *l, value v) {
    static const char *const attributes[] = {"dtype", "shape", "device"};
    gpa_session *s = l->s;
    size_t named, indexed;
    count_members(v, &named, &indexed);
    if (arr_eval(s->rt, &v.array->arr, 1, vm_err(s->vm))) vm_clear_error(s->vm);
    for (size_t i = 0; i < COUNT_OF(attributes) && is_array(v); i++) {
        value a = v_none();
        if (!is_listed(l)) continue;
        if (vm_attr(s->vm, v, attributes[i], &a)) vm_clear_error(s->vm);
        list(l, attributes[i], "%s.%s", attributes[i], a);
        value_release(s->vm, a);
    }
    if (l->end == SIZE_MAX) l->end = named + LISTED_ELEMS;
    if (!v.array->arr->ndim) {
        list(l, "value", "%s%s", "", v);
        return;
    }
    for (size_t i = 0; i < indexed && l->at < l->end; i++)
        if (is_listed(l)) list_item(l, v, i);
}

/* The variables of a module that are the program's. */
static void list_module(listing *l, const module_obj *m) {
    for (uint32_t i = 0; i < m->n; i++) {
        const char *name = intern_text(l->s->names, m->names[i]);
        value v = m->slots[i];
        if (v.tag == V_UNSET || v.tag == V_MODULE || strncmp(name, "__", 2) == 0 ||
            session_owns_name(name) || !is_listed(l))
            continue;
        list(l, name, NULL, name, v);
    }
}

static void list_locals(listing *l, const dict_obj *d) {
    size_t at = 0;
    for (dict_entry e; dict_next_own(d, &at, &e); dict_entry_drop(l->s->vm, &e))
        if (is_listed(l)) list(l, e.key.str->text, NULL, e.key.str->text, e.v);
}

bool gpa_debug_members(gpa_session *s, int ref, size_t start, size_t count, gpa_variable_sink *each,
                       void *user) {
    if (ref < 1 || (size_t)ref > s->debugger.n_refs) return false;
    const debug_ref *r = &s->debugger.refs[ref - 1];
    value v = r->v; /* the table may move */
    size_t named, indexed;
    listing l = {.s = s,
                 .parent = r->expression,
                 .start = start,
                 .end = count ? start + count : SIZE_MAX,
                 .each = each,
                 .user = user};
    count_members(v, &named, &indexed);
    if (v.tag == V_MODULE)
        list_module(&l, v.module);
    else if (r->variables)
        list_locals(&l, v.dict);
    else if (v.tag == V_ARRAY)
        list_array(&l, v);
    else if (v.tag == V_DICT)
        list_dict(&l, v.dict, true);
    else if (named)
        list_dict(&l, instance_fields_peek(v), false);
    for (size_t i = 0; (v.tag == V_LIST || v.tag == V_TUPLE) && i < indexed && l.at < l.end; i++)
        if (is_listed(&l)) list_item(&l, v, i);
    return true;
}
