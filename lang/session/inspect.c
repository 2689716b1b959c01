/* Object inspection: type, signature, docstring and source of the name at the cursor. Resolving a
 * dotted name calls no code but properties. */
#include <stdlib.h>

#include "lang/session/inspect.h"

#include <stdio.h>

#include "lang/syntax/ast.h"
#include "lang/vm/native_table.h"
#include "lang/vm/class.h"
#include "lang/vm/foreign.h"
#include "lang/session/magic.h"

enum { FARTHEST = 4000 }; /* bytes before the cursor in which an open parenthesis is searched */

bool inspect_is_name(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* ---- properties of values ---- */

const char *inspect_kind(value v) {
    switch ((value_tag)v.tag) {
        case V_NATIVE:
        case V_FUNC:
        case V_METHOD:
        case V_UFUNC: return "function";
        case V_MODULE: return "module";
        case V_TYPE:
        case V_CLASS: return "class";
        default: return "instance";
    }
}

static void put_shape(const gpa_arr *a, gpa_str *out) {
    str_putc(out, '(');
    for (int d = 0; d < a->ndim; d++)
        str_printf(out, d ? ", %lld" : "%lld", (long long)a->shape[d]);
    str_put(out, a->ndim == 1 ? ",)" : ")");
}

const char *inspect_type_name(value v) {
    const char *name = value_type_name(v), *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

void inspect_type(value v, gpa_str *out) {
    if (v.tag != V_ARRAY) {
        str_put(out, strcmp(inspect_kind(v), "function") == 0 ? "function" : inspect_type_name(v));
        return;
    }
    str_printf(out, "%s ", dtype_info[v.array->arr->dtype].name);
    put_shape(v.array->arr, out);
}

/* Parameters of a table row, with NumPy's word for a default that has no value. */
static void put_parameters(const char *text, gpa_str *out) {
    static const char none[] = "<unset>";
    for (const char *at; (at = strstr(text, none)); text = at + strlen(none)) {
        str_putn(out, text, (size_t)(at - text));
        str_put(out, "<no value>");
    }
    str_put(out, text);
}

/* The method that takes the arguments of a call of a class or callable instance, or UNSET. */
static value taker_of(value v, bool *bound) {
    const class_obj *c = v.tag == V_CLASS ? v.class : v.tag == V_OBJECT ? class_of_peek(v) : NULL;
    value fn = c ? class_text_peek(c, v.tag == V_CLASS ? "__init__" : "__call__") : v_unset();
    *bound = v.tag == V_METHOD || fn.tag == V_FUNC;
    return fn.tag == V_FUNC ? fn : v.tag == V_METHOD ? v.method->fn : v;
}

void inspect_signature(gpa_session *s, value v, const char *name, gpa_str *out) {
    bool bound;
    v = taker_of(v, &bound);
    if (v.tag == V_NATIVE) {
        const char *text = v.native->signature;
        if (v.native->kind == NATIVE_METHOD) { /* without self */
            text += strcspn(text, ",");
            text += strspn(text, ", ");
            if (strncmp(text, "/", 1) == 0) text += 1 + strspn(text + 1, ", ");
        }
        str_printf(out, "%s(", name);
        put_parameters(text, out);
        str_putc(out, ')');
    } else if (v.tag == V_FUNC) {
        str_put(out, name);
        func_signature(s->vm, v.func, bound, out);
    } else if (v.tag == V_UFUNC) {
        int arity = op_info[v.ufunc->op].arity;
        str_printf(out, "%s(%s, /, out=None, *, where=True, casting='same_kind', dtype=None)", name,
                   arity == 1   ? "x"
                   : arity == 2 ? "x1, x2"
                                : "x1, x2, x3");
    } else if (v.tag == V_TYPE) {
        native_owner o = owner_of_type(v.aux);
        const native *row = o == OWNER_COUNT ? NULL : native_find(o, "__new__");
        if (row) inspect_signature(s, (value){.tag = V_NATIVE, .native = row}, name, out);
    }
}

/* ---- names ---- */

static value resolve_first(gpa_session *s, const char *name, size_t n) {
    gpa_sym sym = intern_find(s->names, name, n);
    value found = sym ? module_get_peek(session_scope(s), sym) : v_unset();
    if (sym && found.tag == V_UNSET) found = vm_builtin_peek(s->vm, sym);
    return found.tag == V_UNSET ? found : value_retain(found);
}

/* The attribute of a value; consumes v. */
static value take_attribute(gpa_session *s, value v, const char *name) {
    value next = v_unset();
    if (vm_attr(s->vm, v, name, &next)) vm_clear_error(s->vm), next = v_unset();
    value_release(s->vm, v);
    return next;
}

/* The item of a built-in container or an array by a literal, text[0..n) within the brackets;
 * consumes v. */
static value take_item(gpa_session *s, value v, const char *text, size_t n) {
    const bool quoted = n > 1 && (text[0] == '\'' || text[0] == '"') && text[n - 1] == text[0];
    char *end = NULL, number[24];
    snprintf(number, sizeof number, "%.*s", (int)n, text);
    const long i = strtol(number, &end, 10);
    value next = v_unset(), key = quoted ? v_str(s->vm, text + 1, n - 2) : v_int(i);
    bool plain = v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_DICT || v.tag == V_ARRAY;
    bool literal = quoted || (n && n < sizeof number && !*end);
    if (plain && literal && key.tag != V_UNSET && vm_getitem(s->vm, v, key, &next))
        next = v_unset();
    vm_clear_error(s->vm);
    value_release(s->vm, key);
    value_release(s->vm, v);
    return next;
}

/* An empty value of the type of a literal that begins with c; UNSET: it begins none. */
static value literal_of(gpa_session *s, char c) {
    switch (c) {
        case '\'':
        case '"': return v_str(s->vm, "", 0);
        case '[': return v_list(s->vm, 0, NULL);
        case '{': return v_dict(s->vm);
        default: return v_unset();
    }
}

value inspect_resolve(gpa_session *s, const char *text, size_t n) {
    char name[128];
    value v = n ? literal_of(s, *text) : v_unset();
    if (v.tag != V_UNSET) return v;
    for (size_t at = 0, end; at < n; at = end + (end < n && text[end] == '.')) {
        for (end = at; end < n && text[end] != '.' && text[end] != '[';) end++;
        if (at && text[at] == '[') {
            const char *close = memchr(text + at, ']', n - at);
            end = close ? (size_t)(close - text) + 1 : n;
            v = take_item(s, v, text + at + 1, end - at - (close ? 2 : 1));
        } else {
            if (end == at || end - at >= sizeof name) break;
            memcpy(name, text + at, end - at);
            name[end - at] = 0;
            v = at ? take_attribute(s, v, name) : resolve_first(s, name, end);
        }
        if (v.tag == V_UNSET) break;
    }
    return v;
}

bool inspect_name_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi) {
    *lo = *hi = MIN(cursor, n);
    while (*lo > 0 && (inspect_is_name(src[*lo - 1]) || src[*lo - 1] == '.')) --*lo;
    while (*hi < n && inspect_is_name(src[*hi])) ++*hi;
    while (*lo < *hi && src[*lo] == '.') ++*lo;
    return *hi > *lo;
}

/* Scans from right to left and skips strings; a quote within a comment is taken for a string: then
 * no hint is shown. */
bool inspect_call_at(const char *src, size_t n, size_t cursor, size_t *lo, size_t *hi) {
    size_t at = MIN(cursor, n), end = at > FARTHEST ? at - FARTHEST : 0;
    int depth = 0;
    while (at > end) {
        char c = src[--at];
        if (c == '"' || c == '\'') {
            size_t open = at;
            while (open > end && src[open - 1] != c && src[open - 1] != '\n') open--;
            if (open > end && src[open - 1] == c) at = open - 1;
        } else if (strchr(")]}", c)) {
            depth++;
        } else if (strchr("([{", c) && depth-- == 0) {
            depth = 0;
            if (c == '(' && at > 0 && inspect_is_name(src[at - 1]))
                return inspect_name_at(src, at, at, lo, hi);
        }
    }
    return false;
}

/* ---- the fields of an inspection ---- */

static size_t line_length(const char *text, const char *end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return (size_t)((newline ? newline : end) - text);
}

static size_t indentation(const char *line, size_t n) {
    size_t blanks = 0;
    while (blanks < n && (line[blanks] == ' ' || line[blanks] == '\t')) blanks++;
    return blanks;
}

/* Appends a docstring without the indentation that its lines after the first have in common, and
 * without blank lines at its ends (inspect.cleandoc). */
static void put_dedented(const char *text, size_t n, gpa_str *out) {
    const char *end = text + n;
    size_t common = SIZE_MAX, length, before = out->len, last = before; /* of out: its last text */
    for (const char *p = text; p < end; p += length + 1) {
        length = line_length(p, end);
        size_t blanks = indentation(p, length);
        if (p != text && blanks < length) common = MIN(common, blanks);
    }
    for (const char *p = text; p < end; p += length + 1) {
        length = line_length(p, end);
        size_t blanks = indentation(p, length), skip = p == text ? blanks : MIN(blanks, common);
        if (blanks < length) {
            str_putn(out, p + skip, length - skip);
            last = out->len;
        }
        if (out->len > before && p + length < end) str_putc(out, '\n');
    }
    if (!out->failed) str_truncate(out, last);
}

/* True for data, whose docstring is that of its type. */
static bool is_data(value v) {
    static const uint32_t own[] = {V_FUNC,   V_CLASS, V_TYPE,     V_MODULE,
                                   V_OBJECT, V_UFUNC, V_EXCEPTION};
    for (size_t i = 0; i < COUNT_OF(own); i++)
        if (v.tag == own[i]) return false;
    return true;
}

void inspect_doc(gpa_session *s, value v, gpa_str *out) {
    value doc = v_unset();
    if (v.tag == V_METHOD) v = v.method->fn;
    if (v.tag == V_NATIVE)
        str_put(out, v.native->doc);
    else if (is_data(v))
        return;
    else if (vm_attr(s->vm, v, "__doc__", &doc))
        vm_clear_error(s->vm);
    else if (doc.tag == V_STR)
        put_dedented(doc.str->text, doc.str->size, out);
    value_release(s->vm, doc);
}

/* The documentation of a constant in its table row, such as np.pi. */
static void put_constant_doc(gpa_session *s, const char *name, size_t n, gpa_str *out) {
    const char *dot = memrchr(name, '.', n);
    gpa_sym own = dot ? 0 : intern_find(s->names, name, n);
    value module = dot ? inspect_resolve(s, name, (size_t)(dot - name)) : v_unset();
    char last[64];
    snprintf(last, sizeof last, "%.*s", (int)(dot ? name + n - dot - 1 : (ptrdiff_t)n),
             dot ? dot + 1 : name);
    if (module.tag == V_MODULE && module.module->builtin)
        str_put(out,
                native_const_doc(owner_find(intern_text(s->names, module.module->name)), last));
    else if (own && module_get_peek(session_scope(s), own).tag == V_UNSET) {
        const char *doc = native_const_doc(OWNER_BUILTINS, last);
        str_put(out, *doc ? doc : native_const_doc(OWNER_NUMPY, last));
    }
    value_release(s->vm, module);
}

/* The syntax node of a function or class; NULL for other values. */
static const ast_node *node_of(value v) {
    if (v.tag == V_METHOD) v = v.method->fn;
    return v.tag == V_FUNC ? func_node(v.func) : v.tag == V_CLASS ? class_node(v.class) : NULL;
}

static const source *source_of(gpa_session *s, value v) {
    const ast_node *n = node_of(v);
    return n ? source_get(s->sources, n->span.src) : NULL;
}

const char *inspect_file(gpa_session *s, value v) {
    const source *src = source_of(s, v);
    return src && src->name[0] != '<' ? src->name : NULL; /* not the library */
}

void inspect_submodules(gpa_session *s, const module_obj *m,
                        void (*each)(void *user, const char *name), void *user) {
    const char *name = intern_text(s->names, m->name);
    size_t n = strlen(name);
    for (int i = 0; m->builtin && i < OWNER_COUNT; i++) {
        const char *other = owner_name((native_owner)i);
        if (owner_is_module((native_owner)i) && strncmp(other, name, n) == 0 && other[n] == '.' &&
            !strchr(other + n + 1, '.'))
            each(user, other + n + 1);
    }
}

long inspect_line(gpa_session *s, value v) {
    const source *src = source_of(s, v);
    return src ? (long)source_at(src, node_of(v)->span.lo).line : 0;
}

void inspect_source(gpa_session *s, value v, gpa_str *out) {
    const source *src = source_of(s, v);
    if (!src) return;
    gpa_span at = node_of(v)->span;
    uint32_t first = source_at(src, at.lo).line, last = source_at(src, at.hi ? at.hi - 1 : 0).line;
    for (uint32_t i = first; i <= last; i++) {
        size_t n;
        const char *line = source_line(src, i, &n);
        str_putn(out, line, n);
        str_putc(out, '\n');
    }
}

/* The text of a value; empty for callables. */
static void put_text(gpa_session *s, value v, gpa_str *out) {
    if (strcmp(inspect_kind(v), "instance") != 0) return;
    if (vm_str(s->vm, v, out)) {
        vm_clear_error(s->vm);
        str_clear(out);
    }
}

/* ---- the interface ---- */

static const char *or_null(const gpa_str *s) { return s->len && !s->failed ? s->text : NULL; }

enum { ABOUT_NAME, ABOUT_SIGNATURE, ABOUT_DOC, ABOUT_TEXT, ABOUT_SHAPE, ABOUT_SOURCE, ABOUT_TEXTS };

/* The receiver of the facts about a name. */
typedef struct {
    void (*tell)(void *user, const gpa_about *a);
    void *user;
} listener;

/* The facts about an object of another language. */
static void tell_foreign(gpa_session *s, const char *name, size_t n, value v, int level,
                         listener to) {
    gpa_str facts[FOREIGN_FACTS], title, call, doc, text;
    gpa_str *all[] = {&title, &call, &doc, &text};
    for (int i = 0; i < FOREIGN_FACTS; i++) str_init(&facts[i]);
    for (size_t i = 0; i < COUNT_OF(all); i++) str_init(all[i]);
    if (foreign.inspect(s->vm, v, facts)) vm_clear_error(s->vm);
    const bool callable = facts[FOREIGN_SIGNATURE].len != 0;
    str_putn(&title, name, n);
    if (callable) str_printf(&call, "%.*s%s", (int)n, name, facts[FOREIGN_SIGNATURE].text);
    inspect_doc(s, v, &doc);
    if (level >= 0 && !callable) put_text(s, v, &text);
    to.tell(to.user, &(gpa_about){.name = or_null(&title),
                                  .signature = or_null(&call),
                                  .doc = or_null(&doc),
                                  .type = or_null(&facts[FOREIGN_TYPE]),
                                  .text = or_null(&text),
                                  .file = or_null(&facts[FOREIGN_FILE]),
                                  .source = level > 0 ? or_null(&facts[FOREIGN_SOURCE]) : NULL});
    for (int i = 0; i < FOREIGN_FACTS; i++) str_free(&facts[i]);
    for (size_t i = 0; i < COUNT_OF(all); i++) str_free(all[i]);
}

static void tell_value(gpa_session *s, const char *name, size_t n, value v, int level,
                       listener to) {
    if (is_foreign(v)) {
        tell_foreign(s, name, n, v, level, to);
        return;
    }
    gpa_str t[ABOUT_TEXTS];
    for (int i = 0; i < ABOUT_TEXTS; i++) str_init(&t[i]);
    str_putn(&t[ABOUT_NAME], name, n);
    inspect_signature(s, v, t[ABOUT_NAME].text ? t[ABOUT_NAME].text : "", &t[ABOUT_SIGNATURE]);
    if (strcmp(inspect_kind(v), "instance") == 0) put_constant_doc(s, name, n, &t[ABOUT_DOC]);
    if (!t[ABOUT_DOC].len) inspect_doc(s, v, &t[ABOUT_DOC]);
    if (level >= 0) put_text(s, v, &t[ABOUT_TEXT]);
    if (level > 0) inspect_source(s, v, &t[ABOUT_SOURCE]);
    const gpa_arr *a = v.tag == V_ARRAY && !v.aux ? v.array->arr : NULL;
    if (a) put_shape(a, &t[ABOUT_SHAPE]);
    to.tell(to.user, &(gpa_about){.name = or_null(&t[ABOUT_NAME]),
                                  .signature = or_null(&t[ABOUT_SIGNATURE]),
                                  .doc = or_null(&t[ABOUT_DOC]),
                                  .type = inspect_type_name(v),
                                  .text = or_null(&t[ABOUT_TEXT]),
                                  .shape = or_null(&t[ABOUT_SHAPE]),
                                  .dtype = a ? dtype_info[a->dtype].name : NULL,
                                  .device = a ? arr_device(s->rt, a) : NULL,
                                  .file = inspect_file(s, v),
                                  .source = or_null(&t[ABOUT_SOURCE])});
    for (int i = 0; i < ABOUT_TEXTS; i++) str_free(&t[i]);
}

/* %name or %%name around the cursor. */
static bool tell_magic(const char *src, size_t lo, size_t hi, listener to) {
    const magic *row = lo > 0 && src[lo - 1] == '%' ? magic_find(src + lo, hi - lo) : NULL;
    if (!row) return false;
    gpa_str name, usage;
    str_init(&name);
    str_init(&usage);
    str_printf(&name, "%s%s", row->kinds & MAGIC_LINE ? "%" : "%%", row->name);
    str_printf(&usage, "%s %s", name.text ? name.text : "", row->usage);
    to.tell(to.user, &(gpa_about){.name = or_null(&name),
                                  .signature = or_null(&usage),
                                  .doc = row->doc,
                                  .type = "Magic function"});
    str_free(&name);
    str_free(&usage);
    return true;
}

gpa_code gpa_session_about(gpa_session *s, const gpa_inspection *at,
                           void (*tell)(void *user, const gpa_about *a), void *user) {
    const char *src = at->src;
    const listener to = {tell, user};
    size_t lo, hi;
    if (inspect_name_at(src, at->n, at->cursor, &lo, &hi) && tell_magic(src, lo, hi, to))
        return GPA_OK;
    value v = hi > lo ? inspect_resolve(s, src + lo, hi - lo) : v_unset();
    if (v.tag == V_UNSET && inspect_call_at(src, at->n, at->cursor, &lo, &hi))
        v = inspect_resolve(s, src + lo, hi - lo);
    if (v.tag == V_UNSET) return GPA_E_NAME;
    tell_value(s, src + lo, hi - lo, v, at->level, to);
    value_release(s->vm, v);
    return GPA_OK;
}

/* ---- pages ---- */

enum { MOST_FIELDS = 12 };

typedef struct {
    const char *label, *text;
} field;

/* IPython's order of fields: of callables the signature first, of other values the type. */
static size_t list_fields(const gpa_about *a, field *f) {
    size_t n = 0;
    bool callable = a->signature;
    field all[] = {
        {"Signature:", a->signature}, {"Type:", callable ? NULL : a->type},
        {"String form:", a->text},    {"Shape:", a->shape},
        {"Dtype:", a->dtype},         {"Device:", a->device},
        {"Source:", a->source},       {"Docstring:", a->source ? NULL : a->doc},
        {"File:", a->file},           {"Type:", callable ? a->type : NULL},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++)
        if (all[i].text && *all[i].text) f[n++] = all[i];
    return n;
}

typedef struct {
    void (*each)(void *user, const gpa_repr *r);
    void *user;
} reader;

static void make_page(void *user, const gpa_about *a) {
    const reader *to = user;
    gpa_str plain, html;
    field f[MOST_FIELDS];
    size_t n = list_fields(a, f), width = 0;
    str_init(&plain);
    str_init(&html);
    str_put(&html, "<pre>");
    for (size_t i = 0; i < n; i++) width = MAX(width, strlen(f[i].label));
    for (size_t i = 0; i < n; i++) {
        const char *between = strchr(f[i].text, '\n') ? "\n" : " ",
                   *end = f[i].text[strlen(f[i].text) - 1] == '\n' ? "" : "\n";
        str_printf(&plain, "%-*s%s%s%s", (int)width, f[i].label, between, f[i].text, end);
        str_printf(&html, "<b>%-*s</b>%s", (int)width, f[i].label, between);
        magic_put_html(&html, f[i].text, strlen(f[i].text));
        str_put(&html, end);
    }
    str_put(&html, "</pre>");
    gpa_repr r[] = {{"text/plain", plain.text, plain.len, NULL},
                    {"text/html", html.text, html.len, NULL}};
    if (!plain.failed) to->each(to->user, &r[0]);
    if (!html.failed) to->each(to->user, &r[1]);
    str_free(&plain);
    str_free(&html);
}

gpa_code gpa_session_inspect(gpa_session *s, const gpa_inspection *at,
                             void (*each)(void *user, const gpa_repr *r), void *user) {
    return gpa_session_about(s, at, make_page, &(reader){each, user});
}
