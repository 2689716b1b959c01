/* Completion and inspection: what is known about the name at the cursor.
 *
 * Both look at the dotted name that ends at the cursor and follow it without calling anything but properties. */
#include <stdio.h>

#include "lang/session/state.h"

static bool is_name(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80; }

/* "function", "module", "float64 (3, 4)", "int". */
static void kind_of(value v, char *text, size_t n) {
    if (v.tag != V_ARRAY) {
        snprintf(text, n, "%s", v.tag == V_NATIVE || v.tag == V_FUNC || v.tag == V_METHOD || v.tag == V_UFUNC ? "function" : value_type_name(v));
        return;
    }
    const gpa_arr *a = v.array->arr;
    size_t at = (size_t)snprintf(text, n, "%s (", dtype_info[a->dtype].name);
    for (int d = 0; d < a->ndim && at < n; d++) at += (size_t)snprintf(text + at, n - at, d ? ", %lld" : "%lld", (long long)a->shape[d]);
    if (at < n) snprintf(text + at, n - at, a->ndim == 1 ? ",)" : ")");
}

/* The value of a dotted name, owned; UNSET (without an error) when there is none. */
static value resolve(gpa_session *s, const char *text, size_t n) {
    value v = v_unset();
    size_t at = 0;
    while (at < n) {
        size_t end = at;
        while (end < n && text[end] != '.') end++;
        char name[128];
        if (end == at || end - at >= sizeof name) break;
        memcpy(name, text + at, end - at);
        name[end - at] = 0;
        if (at == 0) {
            gpa_sym sym = intern_find(s->names, name, end);
            value found = sym ? module_get_peek(vm_main(s->vm), sym) : v_unset();
            if (sym && found.tag == V_UNSET) found = vm_builtin_peek(s->vm, sym);
            if (found.tag == V_UNSET) return found;
            v = value_retain(found);
        } else {
            value next = v_unset();
            gpa_code rc = vm_attr(s->vm, v, name, &next);
            value_release(s->vm, v);
            v = rc ? v_unset() : next;
            if (rc) vm_clear_error(s->vm);
            if (rc) return v_unset();
        }
        at = end + 1;
    }
    return v;
}

typedef struct {
    const char *prefix;
    size_t n;
    void (*each)(void *user, const char *name, const char *kind);
    void *user;
} offering;

static void offer(void *to, const char *name, value v) {
    const offering *o = to;
    char kind[96];
    bool hidden = name[0] == '_' && (o->n == 0 || o->prefix[0] != '_');
    if (hidden || strncmp(name, o->prefix, o->n) != 0) return;
    kind_of(v, kind, sizeof kind);
    o->each(o->user, name, kind);
}

static void offer_module(gpa_session *s, const module_obj *m, offering *o) {
    for (uint32_t i = 0; i < m->n; i++)
        if (m->slots[i].tag != V_UNSET) offer(o, intern_text(s->names, m->names[i]), m->slots[i]);
}

gpa_code gpa_session_complete(gpa_session *s, const char *src, size_t n, size_t cursor, size_t *from,
                              void (*each)(void *user, const char *name, const char *kind), void *user) {
    size_t at = MIN(cursor, n);
    size_t end = at;
    while (at > 0 && is_name(src[at - 1])) at--;
    *from = at;
    offering o = {src + at, end - at, each, user};
    if (at > 0 && src[at - 1] == '.') {
        size_t start = at - 1;
        while (start > 0 && (is_name(src[start - 1]) || src[start - 1] == '.')) start--;
        value v = resolve(s, src + start, at - 1 - start);
        if (v.tag == V_UNSET) return GPA_OK;
        gpa_code rc = vm_dir(s->vm, v, offer, &o);
        value_release(s->vm, v);
        return rc;
    }
    static const char *const keywords[] = {"and", "as", "assert", "break", "continue", "def", "del", "elif", "else", "except", "False", "finally",
                                           "for", "from", "global", "if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or", "pass",
                                           "raise", "return", "True", "try", "while", "with"};
    for (size_t i = 0; i < COUNT_OF(keywords); i++)
        if (strncmp(keywords[i], o.prefix, o.n) == 0) each(user, keywords[i], "keyword");
    offer_module(s, vm_main(s->vm), &o);
    module_obj *builtins;
    static const char *const modules[] = {"builtins", "numpy"};
    for (size_t i = 0; i < COUNT_OF(modules); i++)
        if (vm_import(s->vm, modules[i], &builtins) == GPA_OK) vm_dir(s->vm, v_obj(V_MODULE, builtins), offer, &o);
    vm_clear_error(s->vm);
    return GPA_OK;
}

/* ---- inspection ---- */

static void put_doc(gpa_session *s, value v, gpa_str *out) {
    value doc = v_unset();
    if (vm_attr(s->vm, v, "__doc__", &doc)) {
        vm_clear_error(s->vm);
        return;
    }
    if (doc.tag == V_STR) str_printf(out, "Docstring:\n%s\n", doc.str->text);
    value_release(s->vm, doc);
}

gpa_code gpa_session_inspect(gpa_session *s, const char *src, size_t n, size_t cursor, int level,
                             void (*each)(void *user, const gpa_repr *r), void *user) {
    size_t lo = MIN(cursor, n), hi = lo;
    while (lo > 0 && (is_name(src[lo - 1]) || src[lo - 1] == '.')) lo--;
    while (hi < n && is_name(src[hi])) hi++;
    value v = resolve(s, src + lo, hi - lo);
    if (v.tag == V_UNSET) return GPA_E_NAME;
    gpa_str out;
    char kind[96];
    str_init(&out);
    (void)level;
    kind_of(v, kind, sizeof kind);
    if (v.tag == V_NATIVE) {
        str_printf(&out, "Signature: %s(%s)\n", v.native->name, v.native->signature);
        if (v.native->doc[0]) str_printf(&out, "Docstring:\n%s\n", v.native->doc);
    } else if (v.tag == V_FUNC) {
        str_printf(&out, "Signature: %s", func_name(s->vm, v.func));
        func_signature(s->vm, v.func, &out);
        str_putc(&out, '\n');
        put_doc(s, v, &out);
    } else {
        str_printf(&out, "Type: %s\n", kind);
        put_doc(s, v, &out);
    }
    gpa_repr r = {"text/plain", out.text, out.len};
    each(user, &r);
    str_free(&out);
    value_release(s->vm, v);
    return GPA_OK;
}
