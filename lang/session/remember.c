/* Output caching: In and Out with their short names, _ __ ___ _7, _i _ii _iii _i7. They are
 * ordinary variables of the main module, so that programs see them as in IPython; a _ that the user
 * has set is left alone. */
#include <stdio.h>
#include <stdlib.h>

#include "lang/object/container.h"
#include "lang/session/state.h"

static const double usual_share =
    0.1; /* share of the device's memory that arrays in Out may hold: %config Session.out_share */

/* A variable that the session maintains, created by `make` if it is not of this type. Borrowed;
 * UNSET when out of memory. */
static value kept(gpa_session *s, const char *name, value_tag tag) {
    value v = module_get_text_peek(s->vm, vm_main(s->vm), name);
    if (v.tag == tag) return v;
    value made = tag == V_DICT ? v_dict(s->vm) : v_list(s->vm, 0, NULL);
    if (made.tag == V_UNSET) return made;
    if (module_set_text(s->vm, vm_main(s->vm), name, made))
        v = v_unset();
    else
        v = made;
    value_release(s->vm, made);
    return v;
}

/* ---- inputs ---- */

/* _iii = _ii, _ii = _i, _i = the previous input, _i7. */
static gpa_code shift_inputs(gpa_session *s, value text) {
    static const char *const names[] = {"_iii", "_ii", "_i"};
    module_obj *m = vm_main(s->vm);
    gpa_code rc = GPA_OK;
    char name[16];
    for (int i = 0; i < 2 && !rc; i++) {
        value newer = module_get_text_peek(s->vm, m, names[i + 1]);
        if (newer.tag != V_UNSET) rc = module_set_text(s->vm, m, names[i], newer);
    }
    const history_entry *before = history_line(&s->history, s->count - 1);
    value older = v_cstr(s->vm, before ? before->input : "");
    if (!rc)
        rc = older.tag == V_UNSET ? vm_err(s->vm)->code : module_set_text(s->vm, m, "_i", older);
    value_release(s->vm, older);
    snprintf(name, sizeof name, "_i%d", s->count);
    return rc ? rc : module_set_text(s->vm, m, name, text);
}

/* Stores the input, without blanks at its end, for the history, In and error reports. */
static gpa_code store_input(gpa_session *s, const char *src, size_t n, value *text) {
    char trouble[320];
    while (n && strchr(" \t\r\n", src[n - 1])) n--;
    *text = mem_grow(&s->inputs, s->n_inputs, &s->cap_inputs, sizeof *s->inputs)
                ? v_str(s->vm, src, n)
                : v_unset();
    if (text->tag == V_UNSET) return vm_no_memory(s->vm);
    s->inputs[s->n_inputs++] = *text;
    if (history_add(&s->history, s->count, text->str->text, n, trouble, sizeof trouble))
        return vm_no_memory(s->vm);
    if (*trouble) session_printf(s, true, "gpa: %s\n", trouble);
    return GPA_OK;
}

const char *session_stored_input(const gpa_session *s, const char *src, size_t n) {
    const str_obj *last = s->n_inputs ? s->inputs[s->n_inputs - 1].str : NULL;
    return last && last->size == n && memcmp(last->text, src, n) == 0 ? last->text : NULL;
}

gpa_code session_remember_input(gpa_session *s, const char *src, size_t n) {
    value text;
    gpa_code rc = store_input(s, src, n, &text);
    if (rc) return rc;
    value in = kept(s, "In", V_LIST), values = kept(s, "Out", V_DICT), none = v_cstr(s->vm, "");
    if (in.tag == V_UNSET || values.tag == V_UNSET || none.tag == V_UNSET) rc = vm_err(s->vm)->code;
    while (!rc && in.list->count < (size_t)s->count) rc = list_append(s->vm, in.list, none);
    if (!rc && in.list->count == (size_t)s->count) rc = list_append(s->vm, in.list, text);
    if (!rc) rc = shift_inputs(s, text);
    value_release(s->vm, none);
    return rc;
}

/* ---- values ---- */

static gpa_code shift_values(gpa_session *s, value v) {
    static const char *const names[LAST_VALUES] = {"_", "__", "___"};
    module_obj *m = vm_main(s->vm);
    for (int i = 0; i < LAST_VALUES; i++) { /* stops once the user has assigned one of them */
        value now = module_get_text_peek(s->vm, m, names[i]);
        if (now.tag != V_UNSET && !value_is(now, s->last[i])) return GPA_OK;
    }
    value_release(s->vm, s->last[LAST_VALUES - 1]);
    memmove(s->last + 1, s->last, (LAST_VALUES - 1) * sizeof *s->last);
    s->last[0] = value_retain(v);
    gpa_code rc = GPA_OK;
    for (int i = 0; i < LAST_VALUES && !rc; i++)
        if (s->last[i].tag != V_UNSET) rc = module_set_text(s->vm, m, names[i], s->last[i]);
    return rc;
}

/* ---- memory limit of Out ---- */

/* The number of bytes that an array keeps alive. */
static double bytes_of(const gpa_arr *a) {
    while (a->base) a = a->base;
    return (double)a->size * (double)dtype_size((gpa_dtype)a->dtype);
}

static double bytes_held(value v) {
    const value *items = v.tag == V_LIST ? v.list->items : v.tag == V_TUPLE ? v.tuple->items : &v;
    size_t n = v.tag == V_LIST ? v.list->count : v.tag == V_TUPLE ? v.tuple->count : 1;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (items[i].tag == V_ARRAY) sum += bytes_of(items[i].array->arr);
    return sum;
}

/* Replaces a value by its text wherever the session stores it. */
static gpa_code keep_text(gpa_session *s, dict_obj *out, int64_t line, value v) {
    const history_entry *e = history_line(&s->history, (int)line);
    value text = v_cstr(s->vm, e && e->output ? e->output : "");
    module_obj *m = vm_main(s->vm);
    if (text.tag == V_UNSET) return vm_err(s->vm)->code;
    value held = value_retain(v); /* compared below */
    gpa_code rc = dict_set(s->vm, out, v_int(line), text);
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        const char *name = intern_text(s->names, m->names[i]);
        if (name[0] == '_' && value_is(m->slots[i], held) && session_owns_name(name))
            rc = module_set(s->vm, m, m->names[i], text);
    }
    for (int i = 0; i < LAST_VALUES; i++) {
        if (!value_is(s->last[i], held)) continue;
        value_release(s->vm, s->last[i]);
        s->last[i] = value_retain(text);
    }
    value_release(s->vm, held);
    value_release(s->vm, text);
    return rc;
}

/* Replaces the oldest arrays by their text until the rest is within the share. */
static gpa_code evict_arrays(gpa_session *s, dict_obj *out) {
    rt_device_facts d;
    gpa_err quiet = {0};
    double held = 0, share = s->settings.out_share.len ? strtod(s->settings.out_share.text, NULL)
                                                       : usual_share;
    size_t at = 0;
    gpa_code rc = GPA_OK;
    for (dict_entry *e; (e = dict_next(out, &at));) held += bytes_held(e->v);
    if (held <= 0 || rt_get_device(s->rt, &d, &quiet)) return GPA_OK;
    double most = share * (double)(d.limit ? d.limit : d.total);
    at = 0;
    for (dict_entry *e; most > 0 && held > most && !rc && (e = dict_next(out, &at));) {
        double bytes = bytes_held(e->v);
        if (bytes <= 0 || e->key.tag != V_INT) continue;
        held -= bytes;
        int64_t line = e->key.i;
        rc = keep_text(s, out, line, e->v);
        session_printf(s, true,
                       "Out[%lld] is kept as text alone: arrays in Out may hold %.3g%% of the "
                       "device's memory (%%config Session.out_share)\n",
                       (long long)line, 100 * share);
    }
    return rc;
}

gpa_code session_remember_value(gpa_session *s, value v) {
    char name[16];
    gpa_code rc = shift_values(s, v);
    snprintf(name, sizeof name, "_%d", s->count);
    if (!rc) rc = module_set_text(s->vm, vm_main(s->vm), name, v);
    value out = rc ? v_unset() : kept(s, "Out", V_DICT);
    if (!rc)
        rc = out.tag == V_UNSET ? vm_err(s->vm)->code
                                : dict_set(s->vm, out.dict, v_int(s->count), v);
    return rc ? rc : evict_arrays(s, out.dict);
}

/* ---- forgetting ---- */

bool session_owns_name(const char *name) {
    if (strcmp(name, "In") == 0 || strcmp(name, "Out") == 0) return true;
    if (name[0] != '_') return false;
    size_t at = 1 + (name[1] == 'i');
    if (name[at] >= '0' && name[at] <= '9') return name[at + strspn(name + at, "0123456789")] == 0;
    static const char *const names[] = {"_",    "__",  "___", "_i",  "_ii",
                                        "_iii", "_ih", "_oh", "_dh", "_exit_code"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

/* Unsets the session's numbered and short names: of inputs, or of values. */
static void unset_names(gpa_session *s, bool inputs) {
    module_obj *m = vm_main(s->vm);
    for (uint32_t i = 0; i < m->n; i++) {
        const char *name = intern_text(s->names, m->names[i]);
        bool input = name[0] == '_' && name[1] == 'i';
        if (m->slots[i].tag == V_UNSET || name[0] != '_' || !session_owns_name(name) ||
            input != inputs)
            continue;
        if (strcmp(name, "_dh") == 0 || strcmp(name, "_exit_code") == 0) continue;
        module_set(s->vm, m, m->names[i], v_unset());
    }
}

size_t session_forget_values(gpa_session *s) {
    value out = module_get_text_peek(s->vm, vm_main(s->vm), "Out");
    size_t n = out.tag == V_DICT ? out.dict->count : 0;
    if (out.tag == V_DICT) dict_clear(s->vm, out.dict);
    unset_names(s, false);
    for (int i = 0; i < LAST_VALUES; i++) {
        value_release(s->vm, s->last[i]);
        s->last[i] = v_unset();
    }
    return n;
}

size_t session_forget_inputs(gpa_session *s) {
    value in = module_get_text_peek(s->vm, vm_main(s->vm), "In");
    size_t n = in.tag == V_LIST ? in.list->count : 0;
    for (size_t i = 0; i < n; i++) {
        value none = v_cstr(s->vm, "");
        if (none.tag == V_UNSET) break;
        value_release(s->vm, in.list->items[i]);
        in.list->items[i] = none;
    }
    unset_names(s, true);
    history_forget(&s->history);
    return n;
}
