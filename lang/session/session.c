/* The session: parses a cell, runs it, displays its value or its error.
 *
 * Reading order: gpa_session_eval, then the functions above it that it calls; output.c, report.c,
 * remember.c, magic.c. Invariant: whatever a cell does, the session can run the next one; names
 * live in the vm's main module. */
#include "lang/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/object/container.h"
#include "lang/syntax/lex.h"
#include "lang/syntax/parse.h"
#include "lang/session/automagic.h"
#include "lang/session/transcript.h"
#include "lang/session/magic.h"
#include "lang/vm/foreign.h"

/* ---- callbacks of the vm ---- */

static gpa_code read_in(void *user, const char *prompt, bool hidden, char *line, size_t n) {
    gpa_session *s = user;
    return s->host.input ? s->host.input(s->host.user, prompt, hidden, line, n) : GPA_E_EOF;
}

/* The arrays that variables reference, for the MemoryError that lists the largest: those of
 * running functions and of the session, and the items of their lists, tuples and dicts. */
typedef struct {
    gpa_session *s;
    void (*each)(void *to, const char *name, const gpa_arr *a);
    void *to;
} naming;

static void name_value(naming *n, const char *name, value v) {
    enum { LOOKED_AT = 1000 };
    char inner[64];
    const value *items = v.tag == V_LIST ? v.list->items : v.tag == V_TUPLE ? v.tuple->items : NULL;
    size_t count = v.tag == V_LIST ? v.list->count : v.tag == V_TUPLE ? v.tuple->count : 0, at = 0;
    if (v.tag == V_ARRAY) n->each(n->to, name, v.array->arr);
    for (size_t i = 0; i < MIN(count, (size_t)LOOKED_AT); i++) {
        if (items[i].tag != V_ARRAY) continue;
        snprintf(inner, sizeof inner, "%.40s[%zu]", name, i);
        n->each(n->to, inner, items[i].array->arr);
    }
    for (dict_entry *e; v.tag == V_DICT && (e = dict_next(v.dict, &at));) {
        if (e->v.tag != V_ARRAY || e->key.tag != V_STR) continue;
        snprintf(inner, sizeof inner, "%.30s['%.20s']", name, e->key.str->text);
        n->each(n->to, inner, e->v.array->arr);
    }
}

static void name_local(void *user, gpa_sym name, value v) {
    naming *n = user;
    name_value(n, intern_text(n->s->names, name), v);
}

static void name_arrays(void *user, void (*each)(void *to, const char *name, const gpa_arr *a),
                        void *to) {
    gpa_session *s = user;
    naming n = {s, each, to};
    if (!s->vm) return;
    vm_all_locals(s->vm, name_local, &n);
    const module_obj *m = vm_main(s->vm);
    for (uint32_t i = 0; m && i < m->n; i++)
        name_value(&n, intern_text(s->names, m->names[i]), m->slots[i]);
}

/* ---- creation and destruction ---- */

void gpa_config_init(gpa_config *c) { *c = (gpa_config){.size = sizeof *c}; }

static gpa_code set_argv(gpa_session *s, const gpa_config *c) {
    module_obj *sys;
    value list = v_list(s->vm, 0, NULL), item;
    gpa_code rc = list.tag == V_UNSET ? vm_err(s->vm)->code : vm_import(s->vm, "sys", &sys);
    for (int i = 0; !rc && i < MAX(c->argc, 1); i++) {
        item = v_cstr(s->vm, c->argc ? c->argv[i] : "");
        rc = item.tag == V_UNSET ? vm_err(s->vm)->code : list_append(s->vm, list.list, item);
        value_release(s->vm, item);
    }
    if (!rc) rc = module_set_text(s->vm, sys, "argv", list);
    if (list.tag != V_UNSET) value_release(s->vm, list);
    return rc;
}

static void on_symbols(void *user, int *columns, int *rows) {
    const gpa_session *s = user;
    if (s->host.symbols) s->host.symbols(s->host.user, columns, rows);
}

static void on_comm(void *user, const gpa_comm *m) {
    const gpa_session *s = user;
    s->host.comm(s->host.user, m);
}

static const char *on_request(void *user) {
    const gpa_session *s = user;
    return s->host.request ? s->host.request(s->host.user) : "";
}

static void on_visit(void *user) {
    const gpa_session *s = user;
    if (s->host.visit) s->host.visit(s->host.user);
}

static void on_report(void *user) { session_report_current(user); }

gpa_code gpa_session_new(const gpa_config *c, gpa_session **out, gpa_err *e) {
    gpa_session *s = mem_zero(sizeof *s);
    gpa_code rc = GPA_OK;
    *out = NULL;
    if (!s) return gpa_no_memory(e);
    s->host = c->host;
    for (int i = 0; i < LAST_VALUES; i++) s->last[i] = v_unset();
    figure_settings *figures = &s->settings.figures;
    str_init(&figures->format);
    str_init(&figures->options);
    str_init(&figures->close);
    str_init(&s->settings.out_share);
    str_init(&s->last_report);
    str_init(&s->debugger.error);
    str_init(&s->log.path);
    str_init(&s->edited_what);
    if (history_init(&s->history, c->history)) TRY(gpa_no_memory(e));
    s->names = intern_new();
    s->sources = sources_new();
    if (!s->names || !s->sources) TRY(gpa_no_memory(e));
    TRY(rt_new(&(rt_config){.device = c->device,
                            .plugin_dir = c->plugin_dir,
                            .name_arrays = name_arrays,
                            .user = s},
               &s->rt, e));
    vm_config config = {.symbols = on_symbols,
                        .rt = s->rt,
                        .names = s->names,
                        .sources = s->sources,
                        .user = s,
                        .write = session_on_write,
                        .flush = session_on_flush,
                        .input = read_in,
                        .display = session_on_display,
                        .clear = session_on_clear,
                        .progress = session_on_progress,
                        .page = session_on_page,
                        .figures = figures,
                        .magic = session_magic,
                        .debug = session_debug,
                        .debug_source = session_debug_source,
                        .visit = on_visit,
                        .report = on_report,
                        .comm = s->host.comm ? on_comm : NULL,
                        .request = on_request};
    TRY(vm_new(&config, &s->vm, e));
    if (set_argv(s, c)) {
        *e = *vm_err(s->vm);
        rc = e->code;
        goto out;
    }
    s->count = 1;
    s->errors = ERRORS_CONTEXT;
    *out = s;
    return GPA_OK;
out:
    gpa_session_free(s);
    return rc;
}

/* Frees the virtual machine and the values kept in it. */
static void end_vm(gpa_session *s) {
    if (!s->vm) return;
    session_forget_values(s); /* Out may contain itself */
    debug_forget(s);
    for (size_t i = 0; i < s->n_inputs; i++) value_release(s->vm, s->inputs[i]);
    mem_free(s->inputs);
    s->inputs = NULL;
    s->n_inputs = 0;
    vm_free(s->vm);
    s->vm = NULL;
}

void gpa_session_free(gpa_session *s) {
    if (!s) return;
    end_vm(s);
    if (s->rt) rt_free(s->rt);
    history_free(&s->history);
    aliases_free(s);
    log_free(s);
    str_free(&s->edited_what);
    mem_free(s->folder_before);
    str_free(&s->settings.figures.format);
    str_free(&s->settings.figures.options);
    str_free(&s->settings.figures.close);
    str_free(&s->settings.out_share);
    str_free(&s->last_report);
    str_free(&s->debugger.error);
    mem_free(s->debugger.refs);
    sources_free(s->sources);
    intern_free(s->names);
    mem_free(s);
}

bool gpa_session_end(gpa_session *s) {
    if (s->vm) foreign.finish(s->vm);
    end_vm(s); /* flushes buffered files */
    bool whole = !rt_is_starting(s->rt) && !rt_is_held(s->rt);
    if (whole) gpa_session_free(s);
    return whole;
}

void gpa_session_prepare(gpa_session *s) { rt_prepare(s->rt); }

long long gpa_session_live_blocks(void) { return mem_alive(); }

int gpa_session_count(const gpa_session *s) { return s->count; }

bool gpa_session_interrupt(gpa_session *s) { return vm_interrupt(s->vm); }

void gpa_session_visit(gpa_session *s) { vm_request_visit(s->vm); }

void gpa_session_ready(gpa_session *s) {
    vm_interrupt_clear(s->vm);
    s->ready = true;
}

gpa_code gpa_session_open(gpa_session *s, const char *device, gpa_err *e) {
    const char *full;
    return rt_find_device(s->rt, device, &full, NULL, NULL, e);
}

gpa_code gpa_session_serve(gpa_err *e) { return rt_serve("ranks", e); }

void gpa_session_devices(gpa_session *s) {
    gpa_str text;
    str_init(&text);
    rt_devices(s->rt, &text);
    session_write(s, false, text.text, text.len);
    str_free(&text);
}

void gpa_session_programs(gpa_session *s, bool clear) {
    gpa_str text;
    str_init(&text);
    rt_programs(clear, &text);
    session_write(s, false, text.text, text.len);
    str_free(&text);
}

/* ---- evaluation ---- */

/* Removes the indentation of the first line from every line that has it, as IPython does for cells
 * copied from an indented block. Returns its length; 0: the cell is unchanged. *out is initialised
 * by the caller. */
static size_t remove_indentation(const char *src, size_t n, gpa_str *out) {
    size_t first = 0;
    for (size_t i = 0; i < n && strchr(" \t\r\n", src[i]); i++)
        if (src[i] == '\n') first = i + 1;
    size_t margin = 0;
    while (first + margin < n && (src[first + margin] == ' ' || src[first + margin] == '\t'))
        margin++;
    if (margin == 0 || first + margin == n) return 0;
    for (size_t at = 0; at < n;) {
        const char *end = memchr(src + at, '\n', n - at);
        size_t next = end ? (size_t)(end - src) + 1 : n;
        bool has = next - at >= margin && memcmp(src + at, src + first, margin) == 0;
        str_putn(out, src + at + (has ? margin : 0), next - at - (has ? margin : 0));
        at = next;
    }
    return out->failed ? 0 : margin;
}

/* The program text of a cell that is a transcript, or indented. Returns false if it is unchanged;
 * *margin: the removed indentation. */
static bool clean_cell(const char *src, size_t n, gpa_str *out, size_t *margin) {
    *margin = 0;
    if (!transcript_begins(src, n)) return (*margin = remove_indentation(src, n, out)) > 0;
    transcript_clean(src, n, GPA_CLEAN_PROMPTS | GPA_CLEAN_MARGIN, out);
    return !out->failed && out->text;
}

gpa_code session_parse(gpa_session *s, source_kind kind, const char *name, const char *src,
                       size_t n, ast_module **out) {
    uint32_t id;
    gpa_err *e = vm_err(s->vm);
    gpa_str shifted;
    size_t margin;
    str_init(&shifted);
    if (kind == SOURCE_CELL && clean_cell(src, n, &shifted, &margin))
        src = shifted.text, n = shifted.len;
    gpa_code rc = (session_stored_input(s, src, n) == src ? source_add_borrowed : source_add)(
        s->sources, &(source_text){kind, name, src, n}, &id, e);
    str_free(&shifted);
    if (!rc)
        rc = parse_module(source_get(s->sources, id), s->names, &(parse_options){.magics = true},
                          out, e);
    if (rc == GPA_E_INCOMPLETE)
        rc = e->code = GPA_E_SYNTAX; /* the text is complete: a missing rest is a syntax error */
    return rc;
}

void session_report_current(gpa_session *s) {
    const vm_frame *frames;
    size_t n = vm_trace(s->vm, &frames);
    value exc =
        value_retain(vm_raised_peek(s->vm)); /* the report may run code: repr of variables */
    gpa_err now = *vm_err(s->vm);
    session_report(s, &now, exc.tag == V_EXCEPTION ? exc.exc : NULL, frames, n);
    vm_clear_error(s->vm);
    value_release(s->vm, exc);
}

/* True if a cell ends with `;`, which suppresses its value. A semicolon in a trailing comment
 * does not count. */
static bool ends_with_semicolon(gpa_session *s, const ast_module *m) {
    const source *src = source_get(s->sources, m->src);
    if (!memrchr(src->text, ';', src->len)) return false;
    gpa_err e = {0};
    arena *a = arena_new();
    lexer *l = mem_new(sizeof *l);
    bool last = false;
    if (a && l) {
        token t;
        lex_start(l, src, s->names, a, true, &e);
        for (lex_next(l, &t); t.kind != TOKEN_END && t.kind != TOKEN_ERROR; lex_next(l, &t)) {
            if (t.kind == TOKEN_MAGIC)
                last = t.text.len && t.text.at[t.text.len - 1] == ';';
            else if (t.kind != TOKEN_NEWLINE && t.kind != TOKEN_INDENT && t.kind != TOKEN_DEDENT)
                last = t.kind == TOKEN_SEMICOLON;
        }
    }
    mem_free(l);
    arena_free(a);
    return last;
}

static bool is_counted(int flags) {
    return !(flags & (GPA_EVAL_SCRIPT | GPA_EVAL_SILENT | GPA_EVAL_UNCOUNTED));
}

static bool is_cell(int flags) { return !(flags & (GPA_EVAL_SCRIPT | GPA_EVAL_SILENT)); }

/* Shows figures that the cell drew without showing them, where pictures can be displayed; as in
 * IPython also after an error, so that they do not appear under a later cell. */
static gpa_code show_figures(gpa_session *s) {
    const module_obj *plots = s->host.display ? vm_loaded_peek(s->vm, "matplotlib.pyplot") : NULL;
    gpa_code rc = s->host.display ? foreign.show_figures(s->vm) : GPA_OK;
    if (rc) return rc;
    value show = plots ? module_get_text_peek(s->vm, plots, "show") : v_unset(), nothing = v_none();
    if (show.tag != V_FUNC) return GPA_OK;
    rc = vm_call(s->vm, show, NO_ARGS, &nothing);
    value_release(s->vm, nothing);
    return rc;
}

/* Completes a cell after its statements: figures, pending work, deferred errors. */
static gpa_code finish_cell(gpa_session *s, int flags) {
    gpa_code rc = is_cell(flags) ? show_figures(s) : GPA_OK;
    if (!rc && (is_cell(flags) || flags & GPA_EVAL_EXPLAIN)) rc = rt_flush(s->rt, vm_err(s->vm));
    if (!rc) rc = rt_check(s->rt, vm_err(s->vm));
    return rc ? rc : rt_sync(s->rt, vm_err(s->vm));
}

static gpa_code run(gpa_session *s, ast_module *m, int flags) {
    value last = v_unset();
    gpa_code rc = vm_poll(s->vm);
    if (!rc && (rc = vm_eval(s->vm, m, NULL, &last))) rc = vm_check_deferred(s->vm);
    if (!rc && is_cell(flags) && last.tag != V_UNSET && last.tag != V_NONE &&
        !ends_with_semicolon(s, m))
        rc = session_result(s, last, is_counted(flags));
    if (last.tag != V_UNSET) value_release(s->vm, last);
    if (!rc) rc = finish_cell(s, flags);
    if (rc) rt_discard_checks(s->rt);
    return rc;
}

static void print_explain(gpa_session *s) {
    gpa_str text;
    str_init(&text);
    rt_explain_stop(s->rt, &text);
    session_write(s, false, text.text, text.len);
    str_free(&text);
}

/* sys.exit(): its argument becomes the status; text is written to stderr. */
static void leave(gpa_session *s, int *status) {
    value exc = vm_exception_peek(s->vm);
    value arg = exc.tag == V_EXCEPTION && exc.exc->args.tag == V_TUPLE && exc.exc->args.tuple->count
                    ? exc.exc->args.tuple->items[0]
                    : v_none();
    *status = arg.tag == V_NONE ? 0 : arg.tag == V_INT || arg.tag == V_BOOL ? (int)arg.i : 1;
    if (arg.tag == V_STR) session_printf(s, true, "%s\n", arg.str->text);
    vm_clear_error(s->vm);
}

gpa_code gpa_session_eval(gpa_session *s, const char *file, const char *src, size_t n, int flags,
                          int *status) {
    ast_module *m = NULL;
    char name[32];
    int code = 0;
    if (!s->ready) gpa_session_ready(s);
    s->ready = false;
    s->flags = flags;
    vm_clear_error(s->vm);
    debug_forget(s);
    cell_events events = {src, n, !is_cell(flags), s->count, v_none()};
    if (!(flags & GPA_EVAL_SCRIPT)) events_before(s, &events);
    snprintf(name, sizeof name, "In [%d]", s->count);
    gpa_code rc = is_counted(flags) ? session_remember_input(s, src, n) : GPA_OK;
    gpa_str line;
    str_init(&line);
    const char *stored = is_counted(flags) && !rc ? session_stored_input(s, src, n) : NULL;
    if (stored) src = stored;
    if (is_counted(flags) && !file) log_input(s, src, n);
    if (is_counted(flags) && !file &&
        (macro_expand(s, src, n, &line) || automagic(s, src, n, &line)))
        src = line.text, n = line.len;
    if (!rc)
        rc = session_parse(s, file ? SOURCE_FILE : SOURCE_CELL, file ? file : name, src, n, &m);
    bool explains = !rc && flags & GPA_EVAL_EXPLAIN;
    if (explains)
        rt_explain_start(s->rt, flags & GPA_EVAL_SOURCE ? RT_EXPLAIN_SOURCE : RT_EXPLAIN_PLAN);
    bool traces = !explains && !rc && s->trace;
    if (traces) magic_trace_cell(s, true);
    if (!rc) rc = run(s, m, flags);
    if (traces) magic_trace_cell(s, false);
    session_on_progress(s, NULL, -1, -1); /* a loop may have been left early */
    if (rc == GPA_E_EXIT)
        leave(s, &code);
    else if (rc) {
        if (!(flags & GPA_EVAL_SCRIPT)) events_keep_error(s, &events);
        session_report_current(s);
        if (is_cell(flags) && show_figures(s)) session_report_current(s);
    }
    if (explains) print_explain(s);
    if (!(flags & GPA_EVAL_SCRIPT)) events_after(s, &events, m != NULL);
    ast_release(m);
    str_free(&line);
    if (is_counted(flags)) s->count++;
    if (status) *status = code;
    return rc;
}

gpa_code gpa_session_comm(gpa_session *s, const gpa_comm *m) {
    if (!s->ready) gpa_session_ready(s);
    s->ready = false;
    s->flags = GPA_EVAL_UNCOUNTED;
    vm_clear_error(s->vm);
    gpa_code rc = foreign.comm(s->vm, m);
    if (rc == GPA_E_UNSUPPORTED) return rc;
    if (!rc) rc = finish_cell(s, s->flags);
    if (rc) rt_discard_checks(s->rt);
    if (rc) session_report_current(s);
    return rc;
}

gpa_code gpa_session_remember(gpa_session *s, const char *src, size_t n) {
    gpa_code rc = session_remember_input(s, src, n);
    vm_clear_error(s->vm);
    s->count++;
    return rc;
}

gpa_code gpa_session_history(gpa_session *s, const gpa_history_query *q,
                             void (*each)(void *user, const gpa_entry *e), void *user) {
    return history_find(&s->history, q, each, user);
}

/* ---- the startup file ---- */

gpa_code gpa_session_init(gpa_session *s) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    gpa_str path, text;
    gpa_code rc = GPA_OK;
    str_init(&path);
    str_init(&text);
    if (config && *config)
        str_printf(&path, "%s/gpa/init.gpa", config);
    else if (home && *home)
        str_printf(&path, "%s/.config/gpa/init.gpa", home);
    if (!path.len || path.failed) goto out;
    if (magic_read_file(path.text, &text))
        rc = gpa_session_eval(s, path.text, text.text, text.len, GPA_EVAL_SCRIPT, NULL);
    else if (errno != ENOENT && errno != ENOTDIR)
        session_printf(s, true, "gpa: %s: %s\n", path.text, strerror(errno));
out:
    str_free(&path);
    str_free(&text);
    return rc;
}

/* ---- whole cells ---- */

void gpa_text_clean(const char *text, size_t n, int flags,
                    void (*each)(void *user, const char *text, size_t n), void *user) {
    gpa_str clean;
    str_init(&clean);
    transcript_clean(text, n, flags, &clean);
    if (clean.text && !clean.failed) each(user, clean.text, clean.len);
    str_free(&clean);
}

/* A cell magic takes lines up to a blank one. */
static bool open_cell_magic(const char *src, size_t n) {
    while (n && strchr(" \t\r\n", *src)) src++, n--;
    if (n < 3 || src[0] != '%' || src[1] != '%') return false;
    size_t end = n;
    while (end && (src[end - 1] == ' ' || src[end - 1] == '\t')) end--;
    return !(end >= 2 && src[end - 1] == '\n' && src[end - 2] == '\n');
}

gpa_src_state gpa_session_check(gpa_session *s, const char *src, size_t n, int *indent) {
    uint32_t columns = 0;
    gpa_str shifted;
    (void)s;
    str_init(&shifted);
    size_t margin;
    if (clean_cell(src, n, &shifted, &margin)) src = shifted.text, n = shifted.len;
    parse_status st = parse_check(src, n, &(parse_options){.magics = true}, &columns);
    if (indent) *indent = (int)(columns + margin);
    if (st == PARSE_COMPLETE && open_cell_magic(src, n)) st = PARSE_INCOMPLETE;
    str_free(&shifted);
    switch (st) {
        case PARSE_COMPLETE: return GPA_SRC_COMPLETE;
        case PARSE_INCOMPLETE: return GPA_SRC_INCOMPLETE;
        case PARSE_INVALID: return GPA_SRC_INVALID;
    }
    return GPA_SRC_INVALID;
}
