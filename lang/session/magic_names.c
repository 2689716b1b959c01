/* Magics on variables: %who, %who_ls, %whos, %reset, %reset_selective, %xdel, and name?, %pinfo,
 * %pdoc, %psearch.
 *
 * "The user's names" are those of the main module that do not begin with _ and were not made by the
 * session. */
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <strings.h>

#include "lang/vm/native_table.h"
#include "lang/object/container.h"
#include "lang/session/magic.h"

/* ---- the user's names ---- */

typedef struct {
    const char *name;
    value v; /* borrowed */
} variable;

typedef struct {
    variable *items;
    size_t n, cap;
} variables;

static int by_name(const void *a, const void *b) {
    return strcmp(((const variable *)a)->name, ((const variable *)b)->name);
}

/* True if a word of `types` is the value's type, or there are no words. */
static bool has_type(value v, const char *types, size_t n) {
    const char *name = inspect_type_name(v);
    size_t size = strlen(name);
    if (!n) return true;
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && types[end] != ' ';) end++;
        if (end - at == size && memcmp(types + at, name, size) == 0) return true;
    }
    return false;
}

/* The variables of these types, sorted. Free with mem_free(out->items). */
static gpa_code list_variables(gpa_session *s, const char *types, size_t n, variables *out) {
    const module_obj *m = vm_main(s->vm);
    *out = (variables){NULL, 0, 0};
    for (uint32_t i = 0; i < m->n; i++) {
        const char *name = intern_text(s->names, m->names[i]);
        if (m->slots[i].tag == V_UNSET || name[0] == '_' || session_owns_name(name) ||
            !has_type(m->slots[i], types, n))
            continue;
        if (!mem_grow(&out->items, out->n, &out->cap, sizeof *out->items)) {
            mem_free(out->items);
            return vm_no_memory(s->vm);
        }
        out->items[out->n++] = (variable){name, m->slots[i]};
    }
    if (out->n) qsort(out->items, out->n, sizeof *out->items, by_name);
    return GPA_OK;
}

static void say_none(const magic_call *m) {
    session_printf(
        m->s, false, "%s\n",
        m->n ? "No variables match your requested type." : "Interactive namespace is empty.");
}

MAGIC(who, LINE, WORDS, "[type ...]",
      "Print the user's variables, or those of some types.\n"
      "\n"
      "Examples\n"
      "--------\n"
      "%who ndarray int") {
    enum { PER_ROW = 9 };
    variables all;
    gpa_str text;
    gpa_code rc = list_variables(m->s, m->args, m->n, &all);
    if (rc) return rc;
    str_init(&text);
    for (size_t i = 0; i < all.n; i++)
        str_printf(&text, "%s\t %s", all.items[i].name, i % PER_ROW == PER_ROW - 1 ? "\n" : "");
    if (all.n)
        session_printf(m->s, false, "%s\n", text.text ? text.text : "");
    else
        say_none(m);
    str_free(&text);
    mem_free(all.items);
    return GPA_OK;
}

MAGIC(who_ls, LINE, WORDS, "[type ...]",
      "Return a sorted list of the user's variables, or those of some types.") {
    variables all;
    gpa_code rc = list_variables(m->s, m->args, m->n, &all);
    if (rc) return rc;
    value list = v_list(m->s->vm, 0, NULL);
    rc = list.tag == V_UNSET ? vm_err(m->s->vm)->code : GPA_OK;
    for (size_t i = 0; i < all.n && !rc; i++) {
        value name = v_cstr(m->s->vm, all.items[i].name);
        rc = name.tag == V_UNSET ? vm_err(m->s->vm)->code : list_append(m->s->vm, list.list, name);
        value_release(m->s->vm, name);
    }
    mem_free(all.items);
    if (!rc)
        *out = list;
    else if (list.tag != V_UNSET)
        value_release(m->s->vm, list);
    return rc;
}

/* ---- %whos ---- */

/* "3x4: 12 elems, type `float64`, 96 bytes, cpu". */
static void put_array(gpa_session *s, const gpa_arr *a, gpa_str *out) {
    enum { TOLD_SHORTER = 100000 };
    int64_t bytes = a->size * (int64_t)dtype_size((gpa_dtype)a->dtype);
    for (int d = 0; d < a->ndim; d++) str_printf(out, d ? "x%lld" : "%lld", (long long)a->shape[d]);
    str_printf(out, ": %lld elems, type `%s`, %lld bytes", (long long)a->size,
               dtype_info[a->dtype].name, (long long)bytes);
    if (bytes >= TOLD_SHORTER) {
        str_put(out, " (");
        magic_put_bytes(out, (double)bytes);
        str_putc(out, ')');
    }
    str_printf(out, ", %s", arr_device(s->rt, a));
}

static bool is_array(value v) { return v.tag == V_ARRAY && !v.aux; }

/* A value on one line. */
static void put_data(gpa_session *s, value v, gpa_str *out) {
    enum { LONGEST = 50, HALF = 25 };
    gpa_str text;
    if (is_array(v)) {
        put_array(s, v.array->arr, out);
        return;
    }
    int64_t n;
    if ((v.tag == V_LIST || v.tag == V_TUPLE || v.tag == V_DICT) && !vm_len(s->vm, v, &n)) {
        str_printf(out, "n=%lld", (long long)n);
        return;
    }
    str_init(&text);
    if (vm_str(s->vm, v, &text)) vm_clear_error(s->vm);
    for (size_t i = 0; i < text.len; i++) {
        if (text.len >= LONGEST && i == HALF) str_put(out, "<...>"), i = text.len - HALF;
        if (text.text[i] == '\n')
            str_put(out, "\\n");
        else
            str_putc(out, text.text[i]);
    }
    str_free(&text);
}

/* The total size of all arrays, counting each storage once. */
static void put_total(gpa_session *s, const variables *all, gpa_str *out) {
    size_t arrays = 0;
    double bytes = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (!is_array(all->items[i].v)) continue;
        const gpa_arr *a = all->items[i].v.array->arr;
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = is_array(all->items[k].v) && arr_shares_memory(a, all->items[k].v.array->arr);
        arrays++;
        if (!again) bytes += (double)a->size * (double)dtype_size((gpa_dtype)a->dtype);
    }
    if (!arrays) return;
    rt_stats t;
    rt_get_stats(s->rt, &t);
    str_printf(out, "%zu array%s: ", arrays, arrays == 1 ? "" : "s");
    magic_put_bytes(out, bytes);
    str_put(out, "; device memory in use: ");
    magic_put_bytes(out, (double)t.bytes_live);
    str_putc(out, '\n');
}

static void put_plain(const variables *all, const gpa_str *data, size_t name_width,
                      size_t type_width, gpa_str *out) {
    str_printf(out, "%-*s%-*s Data/Info\n", (int)name_width, "Variable", (int)type_width, "Type");
    str_fill(out, '-', name_width + type_width + strlen("Data/Info") + 1);
    str_putc(out, '\n');
    for (size_t i = 0; i < all->n; i++)
        str_printf(out, "%-*s%-*s %s\n", (int)name_width, all->items[i].name, (int)type_width,
                   inspect_type_name(all->items[i].v), data[i].text ? data[i].text : "");
}

static void put_html(const variables *all, const gpa_str *data, gpa_str *out) {
    str_put(
        out,
        "<table><thead><tr><th>Variable</th><th>Type</th><th>Data/Info</th></tr></thead><tbody>");
    for (size_t i = 0; i < all->n; i++) {
        str_printf(out, "<tr><td>%s</td><td>%s</td><td style=\"text-align:left\">",
                   all->items[i].name, inspect_type_name(all->items[i].v));
        magic_put_html(out, data[i].text ? data[i].text : "", data[i].len);
        str_put(out, "</td></tr>");
    }
    str_put(out, "</tbody></table>");
}

MAGIC(whos, LINE, WORDS, "[type ...]",
      "Print the user's variables with type and value, or those of some types.\n"
      "\n"
      "For arrays: shape, number of elements, dtype, size in bytes and device.") {
    enum { GAP = 3 };
    variables all;
    gpa_str plain, html, total;
    gpa_code rc = list_variables(m->s, m->args, m->n, &all);
    if (rc) return rc;
    if (!all.n) {
        say_none(m);
        return GPA_OK;
    }
    size_t name_width = strlen("Variable"), type_width = strlen("Type");
    gpa_str *data = mem_zero(all.n * sizeof *data);
    str_init(&plain);
    str_init(&html);
    str_init(&total);
    for (size_t i = 0; data && i < all.n; i++) {
        str_init(&data[i]);
        put_data(m->s, all.items[i].v, &data[i]);
        name_width = MAX(name_width, strlen(all.items[i].name));
        type_width = MAX(type_width, strlen(inspect_type_name(all.items[i].v)));
    }
    if (data) {
        put_plain(&all, data, name_width + GAP, type_width + GAP, &plain);
        put_html(&all, data, &html);
        put_total(m->s, &all, &total);
        str_putn(&plain, total.text, total.len);
        if (total.len) str_printf(&html, "<p>%s</p>", total.text);
    }
    rc = !data || plain.failed || html.failed ? vm_no_memory(m->s->vm) : GPA_OK;
    gpa_repr r[] = {{"text/plain", plain.text, plain.len, NULL},
                    {"text/html", html.text, html.len, NULL}};
    if (!rc) session_show(m->s, r, COUNT_OF(r), NULL, false);
    for (size_t i = 0; data && i < all.n; i++) str_free(&data[i]);
    mem_free(data);
    str_free(&plain);
    str_free(&html);
    str_free(&total);
    mem_free(all.items);
    return rc;
}

/* ---- deleting names ---- */

static gpa_code unset(gpa_session *s, const char *name) {
    return module_set_text(s->vm, vm_main(s->vm), name, v_unset());
}

/* Deletes the user's names that `chosen` selects. */
static gpa_code unset_where(gpa_session *s, bool (*chosen)(void *user, const variable *v),
                            void *user) {
    variables all;
    gpa_code rc = list_variables(s, "", 0, &all);
    for (size_t i = 0; i < all.n && !rc; i++)
        if (!chosen || chosen(user, &all.items[i])) rc = unset(s, all.items[i].name);
    mem_free(all.items);
    return rc;
}

static bool wants_array(void *user, const variable *v) {
    (void)user;
    return v->v.tag == V_ARRAY;
}

gpa_code magic_forget_arrays(gpa_session *s) {
    session_forget_values(s);
    gpa_code rc = unset_where(s, wants_array, NULL);
    return rc ? rc : rt_sync(s->rt, vm_err(s->vm));
}

/* Deletes all names, including those that begin with _, except the module's own. */
static gpa_code reset_all(gpa_session *s) {
    module_obj *m = vm_main(s->vm);
    gpa_code rc = GPA_OK;
    session_forget_values(s);
    session_forget_inputs(s);
    for (uint32_t i = 0; i < m->n && !rc; i++)
        if (m->slots[i].tag != V_UNSET &&
            strcmp(intern_text(s->names, m->names[i]), "__name__") != 0)
            rc = module_set(s->vm, m, m->names[i], v_unset());
    if (!rc) rc = rt_flush(s->rt, vm_err(s->vm));
    if (!rc) rc = rt_sync(s->rt, vm_err(s->vm));
    rt_trim(s->rt);
    return rc;
}

static gpa_code reset_part(magic_call *m, const char *part) {
    gpa_session *s = m->s;
    if (strcasecmp(part, "out") == 0) {
        value kept = module_get_text_peek(s->vm, vm_main(s->vm), "Out");
        session_printf(s, false, "Flushing output cache (%zu entries)\n",
                       kept.tag == V_DICT ? kept.dict->count : (size_t)0);
        session_forget_values(s);
    } else if (strcasecmp(part, "in") == 0) {
        session_printf(s, false, "Flushing input history\n");
        session_forget_inputs(s);
    } else if (strcasecmp(part, "array") == 0) {
        return unset_where(s, wants_array, NULL);
    } else if (strcasecmp(part, "dhist") == 0) {
        return unset(s, "_dh");
    } else {
        session_printf(s, false, "Don't know how to reset  %s, please run `%%reset?` for details\n",
                       part);
    }
    return GPA_OK;
}

static const char question[] = "Once deleted, variables cannot be recovered. Proceed (y/[n])? ";

MAGIC(reset, LINE, WORDS, "[-f] [-s] [in] [out] [array] [dhist]",
      "Delete all user variables, the input history and the output cache.\n"
      "\n"
      "The memory pool of the device is trimmed. With words, only these are deleted:\n"
      "in (input history), out (output cache), array (arrays), dhist (directory\n"
      "history).\n"
      "\n"
      "Options\n"
      "-------\n"
      "-f    Force: do not ask for confirmation.\n"
      "-s    Soft: delete the variables only, keep the history.") {
    const char *text;
    size_t n;
    bool force = false, soft = false, yes = true, any = false;
    gpa_str word;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "sf", &text, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        if (o == 'f') force = true;
        if (o == 's') soft = true;
    }
    if (!force) rc = magic_confirm(m->s, question, &yes);
    if (rc) return rc;
    if (!yes) {
        session_printf(m->s, false, "Nothing done.\n");
        return GPA_OK;
    }
    str_init(&word);
    while (!rc && magic_word(m, &word)) {
        any = true;
        rc = reset_part(m, word.text);
    }
    str_free(&word);
    if (rc || (any && !soft)) return rc;
    return soft ? unset_where(m->s, NULL, NULL) : reset_all(m->s);
}

static bool fits_pattern(void *user, const variable *v) {
    return regexec(user, v->name, 0, NULL, 0) == 0;
}

MAGIC(reset_selective, LINE, WORDS, "[-f] regex",
      "Delete the user variables whose names match a regular expression.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-f    Force: do not ask for confirmation.") {
    const char *text;
    size_t n;
    bool yes = true, force = false;
    gpa_str word;
    regex_t pattern;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "f", &text, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        force = true;
    }
    if (!force) rc = magic_confirm(m->s, question, &yes);
    if (rc || !yes) {
        if (!rc) session_printf(m->s, false, "Nothing done.\n");
        return rc;
    }
    str_init(&word);
    if (!magic_word(m, &word))
        session_printf(m->s, false, "No regex pattern specified. Nothing done.\n");
    else if (regcomp(&pattern, word.text, REG_EXTENDED | REG_NOSUB))
        rc = vm_fail(m->s->vm, GPA_E_TYPE, "regex must be a string or compiled pattern");
    else {
        rc = unset_where(m->s, fits_pattern, &pattern);
        regfree(&pattern);
    }
    str_free(&word);
    return rc;
}

/* Removes a value from Out, _, _n. */
static gpa_code forget_value(gpa_session *s, value v) {
    module_obj *m = vm_main(s->vm);
    value kept = module_get_text_peek(s->vm, m, "Out");
    gpa_code rc = GPA_OK;
    size_t at = 0;
    bool found;
    for (dict_entry *e; kept.tag == V_DICT && !rc && (e = dict_next(kept.dict, &at));)
        if (e->key.tag == V_INT && value_is(e->v, v))
            rc = dict_remove(s->vm, kept.dict, e->key, &found);
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        const char *name = intern_text(s->names, m->names[i]);
        if (name[0] == '_' && session_owns_name(name) && value_is(m->slots[i], v))
            rc = module_set(s->vm, m, m->names[i], v_unset());
    }
    for (int i = 0; i < LAST_VALUES; i++) {
        if (!value_is(s->last[i], v)) continue;
        value_release(s->vm, s->last[i]);
        s->last[i] = v_unset();
    }
    return rc;
}

MAGIC(xdel, LINE, WORDS, "[-n] name",
      "Delete a variable, and references to its value in Out, _ and _N.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-n    Delete the name only.") {
    gpa_session *s = m->s;
    const char *text;
    size_t n;
    gpa_str word;
    gpa_code rc = GPA_OK;
    bool only_name = false;
    for (int o; (o = magic_option(m, "n", &text, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        only_name = true;
    }
    str_init(&word);
    magic_word(m, &word);
    value v = word.len ? module_get_text_peek(s->vm, vm_main(s->vm), word.text) : v_unset();
    if (v.tag == V_UNSET)
        rc = vm_fail(s->vm, GPA_E_NAME, "name '%s' is not defined", word.len ? word.text : "");
    else {
        value held = value_retain(v);
        if (!only_name) rc = forget_value(s, held);
        if (!rc) rc = unset(s, word.text);
        value_release(s->vm, held);
    }
    str_free(&word);
    return rc;
}

/* ---- object inspection: name? ---- */

static void show_page(void *user, const gpa_repr *r) {
    if (strcmp(r->mime, "text/plain") == 0) session_page(user, r, 1);
}

typedef struct {
    const char *pattern; /* matched against the last part of the name */
    gpa_str head;        /* "math." */
    gpa_str *out;
} search;

static void match_name(void *user, const char *name, value v) {
    const search *f = user;
    (void)v;
    if (name[0] == '_' && f->pattern[0] != '_') return;
    if (fnmatch(f->pattern, name, 0) == 0)
        str_printf(f->out, "%s%s\n", f->head.text ? f->head.text : "", name);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of a text in place and removes duplicates. */
static gpa_code sort_lines(gpa_session *s, gpa_str *text, gpa_str *out) {
    char **lines = NULL;
    size_t n = 0, cap = 0;
    for (char *at = text->text, *end; at && *at; at = end + 1) {
        end = strchr(at, '\n');
        if (!end) break;
        *end = 0;
        if (!mem_grow(&lines, n, &cap, sizeof *lines)) {
            mem_free(lines);
            return vm_no_memory(s->vm);
        }
        lines[n++] = at;
    }
    if (n) qsort(lines, n, sizeof *lines, by_text);
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(lines[i], lines[i - 1]) != 0) str_printf(out, "%s\n", lines[i]);
    mem_free(lines);
    return GPA_OK;
}

static void match_submodule(void *user, const char *name) { match_name(user, name, v_unset()); }

/* np.*cos*? : the matching names, one per line. */
static gpa_code find_names(gpa_session *s, const char *name, size_t n) {
    gpa_str found, sorted;
    char pattern[128];
    size_t dot = n;
    while (dot && name[dot - 1] != '.') dot--;
    if (n - dot >= sizeof pattern || memchr(name, '*', dot)) return GPA_E_NAME;
    memcpy(pattern, name + dot, n - dot);
    pattern[n - dot] = 0;
    str_init(&found);
    str_init(&sorted);
    search f = {.pattern = pattern, .out = &found};
    str_init(&f.head);
    str_putn(&f.head, name, dot);
    gpa_code rc = GPA_OK;
    if (dot) {
        value v = inspect_resolve(s, name, dot - 1);
        if (v.tag != V_UNSET) rc = vm_dir(s->vm, v, match_name, &f);
        if (v.tag == V_MODULE) inspect_submodules(s, v.module, match_submodule, &f);
        if (v.tag != V_UNSET) value_release(s->vm, v);
    } else {
        static const char *const modules[] = {"builtins", "numpy"};
        rc = vm_dir(s->vm, v_obj(V_MODULE, vm_main(s->vm)), match_name, &f);
        for (size_t i = 0; i < COUNT_OF(modules) && !rc; i++) {
            module_obj *m;
            rc = vm_import(s->vm, modules[i], &m);
            if (!rc) rc = vm_dir(s->vm, v_obj(V_MODULE, m), match_name, &f);
        }
    }
    if (!rc) rc = sort_lines(s, &found, &sorted);
    gpa_repr r = {"text/plain", sorted.text, sorted.len, NULL};
    if (!rc && sorted.len) session_page(s, &r, 1);
    str_free(&f.head);
    str_free(&found);
    str_free(&sorted);
    return rc;
}

gpa_code magic_question(gpa_session *s, const char *name, size_t n, int level) {
    if (memchr(name, '*', n)) {
        gpa_code rc = find_names(s, name, n);
        if (rc != GPA_E_NAME) return rc;
    }
    if (!gpa_session_inspect(s, &(gpa_inspection){name, n, n, level}, show_page, s)) return GPA_OK;
    gpa_str marked; /* a magic's name without its % */
    str_init(&marked);
    str_putc(&marked, '%');
    str_putn(&marked, name, n);
    bool found =
        magic_find(name, n) && !marked.failed &&
        !gpa_session_inspect(s, &(gpa_inspection){marked.text, marked.len, marked.len, level},
                             show_page, s);
    str_free(&marked);
    if (!found) session_printf(s, false, "Object `%.*s` not found.\n", (int)n, name);
    return GPA_OK;
}

MAGIC(pinfo, LINE, WORDS, "name", "Print information about an object, like `name?`.") {
    return magic_question(m->s, m->args, m->n, 0);
}

MAGIC(pinfo2, LINE, WORDS, "name",
      "Print information about an object with its source code, like `name??`.") {
    return magic_question(m->s, m->args, m->n, 1);
}

/* The value that the argument names; UNSET after reporting that it is undefined. */
static value named(magic_call *m) {
    value v = m->n ? inspect_resolve(m->s, m->args, m->n) : v_unset();
    if (v.tag == V_UNSET)
        session_printf(m->s, false, "Object `%.*s` not found.\n", (int)m->n, m->args);
    return v;
}

typedef void part_of(gpa_session *s, value v, gpa_str *out);

static gpa_code show_part(magic_call *m, part_of *part, const char *label, const char *none) {
    value v = named(m);
    gpa_str text;
    if (v.tag == V_UNSET) return GPA_OK;
    str_init(&text);
    str_put(&text, label);
    size_t before = text.len;
    part(m->s, v, &text);
    bool empty = text.len == before;
    if (!empty && text.text[text.len - 1] != '\n') str_putc(&text, '\n');
    gpa_repr r = {"text/plain", text.text, text.len, NULL};
    if (empty)
        session_printf(m->s, false, "%s %.*s\n", none, (int)m->n, m->args);
    else
        session_page(m->s, &r, 1);
    str_free(&text);
    value_release(m->s->vm, v);
    return GPA_OK;
}

MAGIC(pdoc, LINE, WORDS, "name", "Print the docstring of an object.") {
    return show_part(m, inspect_doc, "Docstring:\n", "No documentation found for");
}

MAGIC(pdef, LINE, WORDS, "name", "Print the call signature of a callable object.") {
    value v = named(m);
    gpa_str text, name;
    if (v.tag == V_UNSET) return GPA_OK;
    str_init(&text);
    str_init(&name);
    str_putn(&name, m->args, m->n);
    inspect_signature(m->s, v, name.text, &text);
    if (text.len)
        session_printf(m->s, false, " %s\n \n", text.text);
    else
        session_printf(m->s, false, "No definition header found for %s\n", name.text);
    str_free(&text);
    str_free(&name);
    value_release(m->s->vm, v);
    return GPA_OK;
}

MAGIC(psource, LINE, WORDS, "name", "Print the source code of a function or class.") {
    return show_part(m, inspect_source, "", "No source found for");
}

static void whole(gpa_session *s, value v, gpa_str *out) {
    if (vm_repr(s->vm, v, out)) vm_clear_error(s->vm);
}

MAGIC(page, LINE, WORDS, "[name]",
      "Display an object in the pager.\n"
      "\n"
      "Without a name: the last value, `_`.") {
    if (!m->n) m->args = "_", m->n = 1;
    return show_part(m, whole, "", "Nothing to show of");
}

MAGIC(psearch, LINE, WORDS, "pattern",
      "Search for names that match a pattern with the wildcards * and ?.\n"
      "\n"
      "`np.*cos*?` is the same without the magic.") {
    gpa_code rc = m->n ? find_names(m->s, m->args, m->n) : GPA_OK;
    return rc == GPA_E_NAME ? GPA_OK : rc;
}
