/* Values as program text: literals, and a .npy file for each array. */
#include "lang/session/persist.h"

#include <math.h>

#include "lang/object/container.h"
#include "lang/vm/native.h"

enum { DEEP = 40 };

typedef struct {
    gpa_session *s;
    const char *files;
    int arrays; /* number of files written */
    gpa_str *out;
} writer;

static bool put_value(writer *w, value v, int depth);

static bool put_float(const writer *w, value v) {
    if (isfinite(v.f)) return !vm_repr(w->s->vm, v, w->out);
    str_put(w->out, isnan(v.f) ? "float('nan')" : v.f < 0 ? "-float('inf')" : "float('inf')");
    return true;
}

static bool put_items(writer *w, const char *brackets, const value *items, size_t n, int depth) {
    bool good = true;
    str_putc(w->out, brackets[0]);
    for (size_t i = 0; i < n && good; i++) {
        good = put_value(w, items[i], depth);
        str_put(w->out, ", ");
    }
    str_putc(w->out, brackets[1]);
    return good;
}

static bool put_entries(writer *w, const dict_obj *d, bool pairs, int depth) {
    size_t at = 0;
    bool good = true;
    str_put(w->out, pairs ? "{" : "set([");
    for (const dict_entry *e; good && (e = dict_next(d, &at));) {
        good = put_value(w, e->key, depth);
        if (pairs) str_put(w->out, ": ");
        if (pairs) good = good && put_value(w, e->v, depth);
        str_put(w->out, ", ");
    }
    str_put(w->out, pairs ? "}" : "])");
    return good;
}

/* Saves an array, or a scalar of NumPy, to a file of its own. */
static bool put_array(writer *w, value v) {
    gpa_vm *vm = w->s->vm;
    module_obj *numpy;
    gpa_str path;
    str_init(&path);
    str_printf(&path, "%s.%d.npy", w->files, w->arrays++);
    value args[2] = {v_str(vm, path.text, path.len), v}, done = v_unset();
    gpa_code rc = args[0].tag == V_UNSET ? vm_err(vm)->code : vm_import(vm, "numpy", &numpy);
    if (!rc) rc = vm_call(vm, module_get_text_peek(vm, numpy, "save"), ARGS(2, args), &done);
    if (!rc) str_put(w->out, "_load(");
    if (!rc) rc = vm_repr(vm, args[0], w->out);
    if (!rc) str_put(w->out, v.tag == V_NUM || v.aux ? ")[()]" : ")");
    value_release(vm, args[0]);
    value_release(vm, done);
    str_free(&path);
    return !rc;
}

/* A macro is kept by its text. */
static bool put_macro(const writer *w, value v) {
    gpa_vm *vm = w->s->vm;
    gpa_str text;
    str_init(&text);
    value v_text = macro_text(w->s, v, &text) ? v_str(vm, text.text, text.len) : v_unset();
    bool good = v_text.tag != V_UNSET;
    if (good) str_put(w->out, "_Macro(");
    good = good && !vm_repr(vm, v_text, w->out);
    if (good) str_putc(w->out, ')');
    value_release(vm, v_text);
    str_free(&text);
    return good;
}

static bool put_value(writer *w, value v, int depth) {
    gpa_vm *vm = w->s->vm;
    if (depth++ > DEEP) return false;
    switch ((int)v.tag) {
        case V_INT:
        case V_BIG:
        case V_NONE:
        case V_BOOL:
        case V_STR:
        case V_BYTES:
        case V_RANGE: return !vm_repr(vm, v, w->out);
        case V_FLOAT: return put_float(w, v);
        case V_COMPLEX:
            return !v.aux && isfinite(v.complex->re) && isfinite(v.complex->im) &&
                   !vm_repr(vm, v, w->out);
        case V_ARRAY:
        case V_NUM: return put_array(w, v);
        case V_OBJECT: return put_macro(w, v);
        case V_LIST: return put_items(w, "[]", v.list->items, v.list->count, depth);
        case V_TUPLE: return put_items(w, "()", v.tuple->items, v.tuple->count, depth);
        case V_DICT: return !v.dict->ordered && put_entries(w, v.dict, true, depth);
        case V_SET: return !v.set->frozen && put_entries(w, &v.set->d, false, depth);
    }
    return false;
}

bool persist_expression(gpa_session *s, value v, const char *files, gpa_str *out) {
    writer w = {s, files, 0, out};
    return put_value(&w, v, 0) && !out->failed;
}
