/* Output of a session: streams, values as sets of representations, pages. All output passes
 * through here, so that %%capture can redirect it. */
#include <stdarg.h>
#include <stdio.h>

#include "lang/format/format.h"
#include "lang/session/magic.h"
#include "lang/session/pretty.h"
#include "lang/vm/instance.h"

/* ---- streams ---- */

void session_write(gpa_session *s, bool to_stderr, const char *text, size_t n) {
    for (capture *c = s->capture; c; c = c->outer)
        if (to_stderr ? c->take_err : c->take_out) {
            str_putn(to_stderr ? &c->err : &c->out, text, n);
            return;
        }
    if (s->host.write && n)
        s->host.write(s->host.user, to_stderr ? GPA_STDERR : GPA_STDOUT, text, n);
}

void session_printf(gpa_session *s, bool to_stderr, const char *fmt, ...) {
    gpa_str text;
    va_list ap;
    str_init(&text);
    va_start(ap, fmt);
    str_vprintf(&text, fmt, ap);
    va_end(ap);
    session_write(s, to_stderr, text.text, text.len);
    str_free(&text);
}

void session_on_write(void *user, bool to_stderr, const char *text, size_t n) {
    session_write(user, to_stderr, text, n);
}

void session_on_flush(void *user) {
    gpa_session *s = user;
    if (s->host.flush && !s->capture) s->host.flush(s->host.user);
}

void session_on_clear(void *user, bool wait) {
    gpa_session *s = user;
    if (s->host.clear && !s->capture) s->host.clear(s->host.user, wait);
}

/* ---- values ---- */

/* The text that a method _repr_pretty_ writes. */
static gpa_code put_own(gpa_session *s, value v, gpa_str *out) {
    module_obj *m;
    value text = v_none();
    gpa_code rc = vm_import(s->vm, "IPython.lib.pretty", &m);
    if (!rc) rc = vm_call(s->vm, module_get_text_peek(s->vm, m, "pretty"), ARGS(1, &v), &text);
    if (!rc) rc = vm_str(s->vm, text, out);
    value_release(s->vm, text);
    return rc;
}

/* repr(), or a float in the format of %precision. */
static gpa_code put_plain(gpa_session *s, value v, gpa_str *out) {
    if (s->host.pretty && is_instance(v) && instance_has(v, "_repr_pretty_"))
        return put_own(s, v, out);
    bool real = v.tag == V_FLOAT || (v.tag == V_NUM && v.aux == DT_F64);
    if (!real || !s->float_format[0]) return vm_repr(s->vm, v, out);
    value format = v_cstr(s->vm, s->float_format);
    gpa_code rc =
        format.tag == V_UNSET ? vm_err(s->vm)->code : format_percent(s->vm, format.str, v, out);
    value_release(s->vm, format);
    return rc;
}

/* As put_plain, but classes by their qualified names alone: int, numpy.ndarray, __main__.A. */
static gpa_code put_pretty(gpa_session *s, value v, gpa_str *out) {
    static const char before[] = "<class '", behind[] = "'>";
    size_t from = out->len, open = sizeof before - 1, close = sizeof behind - 1;
    gpa_code rc = put_plain(s, v, out);
    if (rc || out->failed || strcmp(value_type_name(v), "type") != 0) return rc;
    size_t n = out->len - from;
    if (n < open + close || memcmp(out->text + from, before, open) != 0) return GPA_OK;
    memmove(out->text + from, out->text + from + open, n - open - close);
    out->len -= open + close;
    out->text[out->len] = '\0';
    return GPA_OK;
}

/* Representations of a value: its text, then those of its kind. r borrows from both. */
typedef struct {
    gpa_str plain;
    mime_bundle more;
    gpa_repr r[MIME_MOST + 1];
    size_t n;
} representations;

/* Collects a value's representations; those of its kind if `rich`. Release with
 * release_representations, also after a failure. */
static gpa_code represent(gpa_session *s, value v, bool rich, representations *x) {
    str_init(&x->plain);
    x->more = (mime_bundle){.n = 0};
    gpa_code rc = s->host.pretty && !s->flat ? pretty_put(s, v, put_pretty, &x->plain)
                                             : put_plain(s, v, &x->plain);
    if (!rc && rich && v.tag == V_OBJECT && v.object->kind->mimes)
        rc = v.object->kind->mimes(s->vm, v.object, &x->more);
    if (!rc && x->plain.failed) rc = vm_no_memory(s->vm);
    if (rc) return rc;
    x->r[0] = (gpa_repr){"text/plain", x->plain.text, x->plain.len, NULL};
    x->n = 1;
    for (size_t i = 0; i < x->more.n; i++) {
        const mime_item *m = &x->more.item[i];
        bool plain = strcmp(m->mime, "text/plain") == 0;
        x->r[plain ? 0 : x->n++] = (gpa_repr){m->mime, m->data, m->n, m->meta};
    }
    return GPA_OK;
}

static void release_representations(representations *x) {
    str_free(&x->plain);
    mime_clear(&x->more);
}

/* The capture that receives displays, or NULL. */
static capture *taker(const gpa_session *s) {
    capture *c = s->capture;
    while (c && !c->take_shown) c = c->outer;
    return c;
}

void session_show(gpa_session *s, const gpa_repr *r, size_t n, const char *id, bool update) {
    if (s->host.display && !taker(s)) {
        s->host.display(s->host.user, r, n, id, update);
        return;
    }
    session_write(s, false, r->data, r->n);
    if (!r->n || r->data[r->n - 1] != '\n') session_write(s, false, "\n", 1);
}

void session_page(gpa_session *s, const gpa_repr *r, size_t n) {
    if (s->host.page && !s->capture)
        s->host.page(s->host.user, r, n);
    else
        session_write(s, false, r->data, r->n);
}

/* help() uses a pager at a terminal; elsewhere it is ordinary output. */
void session_on_page(void *user, const char *text, size_t n) {
    gpa_session *s = user;
    gpa_repr r = {"text/plain", text, n, NULL};
    if (s->host.terminal)
        session_page(s, &r, 1);
    else
        session_write(s, false, text, n);
}

/* A front end without displays, and a capture of text, get the plain text. */
gpa_code session_on_display(void *user, value v, const char *id, bool update) {
    gpa_session *s = user;
    representations x;
    capture *c = taker(s);
    if (c && c->shown.tag == V_LIST) return list_append(s->vm, c->shown.list, v);
    gpa_code rc = represent(s, v, s->host.display && !c, &x);
    if (!rc && !x.more.displayed) session_show(s, x.r, x.n, id, update);
    release_representations(&x);
    return rc;
}

gpa_code session_represent(gpa_session *s, value v,
                           void (*tell)(void *user, const gpa_repr *r, size_t n), void *user) {
    representations x;
    gpa_code rc = represent(s, v, true, &x);
    if (!rc) tell(user, x.r, x.n);
    release_representations(&x);
    return rc;
}

gpa_code session_result(gpa_session *s, value v, bool keep) {
    representations x;
    gpa_code rc = represent(s, v, s->host.display != NULL, &x);
    if (!rc && s->host.result && !x.more.displayed)
        s->host.result(s->host.user, s->count, x.r, x.n);
    if (!rc && keep) log_output(s, x.plain.text, x.plain.len);
    if (!rc && keep) history_set_output(&s->history, x.plain.text, x.plain.len);
    if (!rc && keep) rc = session_remember_value(s, v);
    release_representations(&x);
    return rc;
}

/* ---- progress ---- */

/* A progress bar as an updatable display, for front ends without a bar of their own. */
static void show_bar(gpa_session *s, const char *text, double done, double left) {
    gpa_str plain, html;
    char id[32];
    if (!s->bar) s->bars++;
    snprintf(id, sizeof id, "progress-%d", s->bars);
    str_init(&plain);
    str_init(&html);
    if (text) {
        str_printf(&plain, "%s%s", text, *text ? " " : "");
        magic_put_html(&html, plain.text ? plain.text : "", plain.len);
        if (done >= 0) str_printf(&plain, "%.0f%%", 100 * done);
        if (done >= 0)
            str_printf(&html, "<progress max=\"1\" value=\"%.3f\"></progress> %.0f%%", done,
                       100 * done);
        else
            str_put(&html, "<progress></progress>");
        if (left >= 0) str_printf(&plain, ", %.0f s to go", left);
        if (left >= 0) str_printf(&html, ", %.0f s to go", left);
    }
    gpa_repr r[] = {{"text/plain", plain.text ? plain.text : "", plain.len, NULL},
                    {"text/html", html.text ? html.text : "", html.len, NULL}};
    s->host.display(s->host.user, r, COUNT_OF(r), id, s->bar);
    s->bar = text;
    str_free(&plain);
    str_free(&html);
}

void session_on_progress(void *user, const char *text, double done, double left) {
    gpa_session *s = user;
    if (!text && !s->bar) return;
    if (!s->host.progress) {
        if (s->host.display) show_bar(s, text, done, left);
        return;
    }
    s->host.progress(s->host.user, text, done, left);
    s->bar = text;
}
