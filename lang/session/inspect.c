/* Inspection: what is known about the name at the cursor. The dotted name is followed without calling anything but
 * properties. */
#include "lang/session/inspect.h"

#include <stdio.h>

#include "lang/builtin/tables.h"

enum { LONGEST_TEXT = 400 }; /* of a value's text */

static bool is_name(char c) { return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80; }

/* ---- about values ---- */

const char *inspect_kind(value v) {
    switch ((value_tag)v.tag) {
    case V_NATIVE: case V_FUNC: case V_METHOD: case V_UFUNC: return "function";
    case V_MODULE: return "module";
    case V_TYPE: return "class";
    default: return "instance";
    }
}

static void put_shape(const gpa_arr *a, gpa_str *out) {
    str_putc(out, '(');
    for (int d = 0; d < a->ndim; d++) str_printf(out, d ? ", %lld" : "%lld", (long long)a->shape[d]);
    str_put(out, a->ndim == 1 ? ",)" : ")");
}

void inspect_type(value v, gpa_str *out) {
    if (v.tag != V_ARRAY) {
        str_put(out, strcmp(inspect_kind(v), "function") == 0 ? "function" : value_type_name(v));
        return;
    }
    str_printf(out, "%s ", dtype_info[v.array->arr->dtype].name);
    put_shape(v.array->arr, out);
}

void inspect_signature(gpa_session *s, value v, const char *name, gpa_str *out) {
    if (v.tag == V_METHOD) {
        v = v.method->fn;
    }
    if (v.tag == V_NATIVE) {
        const char *text = v.native->signature;
        if (v.native->kind == NATIVE_METHOD) { /* without self */
            text += strcspn(text, ",");
            text += strspn(text, ", ");
            if (strncmp(text, "/", 1) == 0) text += 1 + strspn(text + 1, ", ");
        }
        str_printf(out, "%s(%s)", name, text);
    } else if (v.tag == V_FUNC) {
        str_put(out, name);
        func_signature(s->vm, v.func, out);
    } else if (v.tag == V_TYPE) {
        native_owner o = owner_of_type(v.aux);
        const native *row = o == OWNER_COUNT ? NULL : native_find(o, "__new__");
        if (row) inspect_signature(s, (value){.tag = V_NATIVE, .native = row}, name, out);
    }
}

/* ---- names ---- */

static value resolve_first(gpa_session *s, const char *name, size_t n) {
    gpa_sym sym = intern_find(s->names, name, n);
    value found = sym ? module_get_peek(vm_main(s->vm), sym) : v_unset();
    if (sym && found.tag == V_UNSET) found = vm_builtin_peek(s->vm, sym);
    return found.tag == V_UNSET ? found : value_retain(found);
}

value inspect_resolve(gpa_session *s, const char *text, size_t n) {
    value v = v_unset();
    char name[128];
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && text[end] != '.';) end++;
        if (end == at || end - at >= sizeof name) break;
        memcpy(name, text + at, end - at);
        name[end - at] = 0;
        if (at == 0) {
            v = resolve_first(s, name, end);
        } else {
            value next = v_unset();
            if (vm_attr(s->vm, v, name, &next)) vm_clear_error(s->vm), next = v_unset();
            value_release(s->vm, v);
            v = next;
        }
        if (v.tag == V_UNSET) break;
    }
    return v;
}

/* The dotted name around the cursor; false: there is none. */
static bool name_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi) {
    *lo = *hi = MIN(cursor, n);
    while (*lo > 0 && (is_name(src[*lo - 1]) || src[*lo - 1] == '.')) --*lo;
    while (*hi < n && is_name(src[*hi])) ++*hi;
    return *hi > *lo;
}

/* ---- the interface ---- */

/* The docstring, owned text in *out. */
static void put_doc(gpa_session *s, value v, gpa_str *out) {
    value doc = v_unset();
    if (v.tag == V_NATIVE) str_put(out, v.native->doc);
    else if (vm_attr(s->vm, v, "__doc__", &doc)) vm_clear_error(s->vm);
    else if (doc.tag == V_STR) str_put(out, doc.str->text);
    value_release(s->vm, doc);
}

static const char *text_or_null(const gpa_str *s) { return s->len && !s->failed ? s->text : NULL; }

gpa_code gpa_session_about(gpa_session *s, const char *src, size_t n, size_t cursor, int level,
                           void (*tell)(void *user, const gpa_about *a), void *user) {
    size_t lo, hi;
    gpa_str name, signature, doc;
    value v = name_at(src, n, cursor, &lo, &hi) ? inspect_resolve(s, src + lo, hi - lo) : v_unset();
    if (v.tag == V_UNSET) return GPA_E_NAME;
    (void)level;
    str_init(&name);
    str_init(&signature);
    str_init(&doc);
    str_putn(&name, src + lo, hi - lo);
    inspect_signature(s, v, name.text, &signature);
    put_doc(s, v, &doc);
    tell(user, &(gpa_about){.name = name.text, .signature = text_or_null(&signature), .doc = text_or_null(&doc), .type = value_type_name(v)});
    str_free(&name);
    str_free(&signature);
    str_free(&doc);
    value_release(s->vm, v);
    return GPA_OK;
}

typedef struct {
    void (*each)(void *user, const gpa_repr *r);
    void *user;
} reader;

static void put_field(gpa_str *out, const char *label, const char *text) {
    if (!text) return;
    str_printf(out, "%-12s%s%s\n", label, strchr(text, '\n') ? "\n" : "", text);
}

static void make_page(void *user, const gpa_about *a) {
    const reader *to = user;
    gpa_str out;
    str_init(&out);
    put_field(&out, "Signature:", a->signature);
    put_field(&out, "Type:", a->type);
    put_field(&out, "Docstring:", a->doc);
    gpa_repr r = {"text/plain", out.text, out.len, NULL};
    to->each(to->user, &r);
    str_free(&out);
}

gpa_code gpa_session_inspect(gpa_session *s, const char *src, size_t n, size_t cursor, int level,
                             void (*each)(void *user, const gpa_repr *r), void *user) {
    return gpa_session_about(s, src, n, cursor, level, make_page, &(reader){each, user});
}

static void show_page(void *user, const gpa_repr *r) { session_page(user, r, 1); }

gpa_code session_question(gpa_session *s, const char *name, size_t n, int level) {
    return gpa_session_inspect(s, name, n, n, level, show_page, s);
}
