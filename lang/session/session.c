/* The session: parses a cell, runs it, shows its value or its error.
 *
 * Reading order: gpa_session_eval, then run and report below it. Invariant: whatever a cell does, the session can take
 * the next one; names live in the vm's main module. */
#include "lang/session.h"

#include <stdio.h>

#include "lang/parse.h"
#include "lang/session/state.h"

/* ---- talking back ---- */

static void write_out(void *user, bool to_stderr, const char *text, size_t n) {
    gpa_session *s = user;
    if (s->host.write) s->host.write(s->host.user, to_stderr ? GPA_STDERR : GPA_STDOUT, text, n);
}

static gpa_code display(void *user, value v, const char *id, bool update) {
    gpa_session *s = user;
    gpa_str text;
    str_init(&text);
    gpa_code rc = vm_repr(s->vm, v, &text);
    if (!rc && !s->host.display) str_putc(&text, '\n');
    gpa_repr r = {"text/plain", text.text, text.len};
    if (!rc && text.failed) rc = vm_no_memory(s->vm);
    else if (!rc && s->host.display) s->host.display(s->host.user, &r, 1, id, update);
    else if (!rc) write_out(s, false, text.text, text.len);
    str_free(&text);
    return rc;
}

static void clear_output(void *user, bool wait) {
    gpa_session *s = user;
    if (s->host.clear) s->host.clear(s->host.user, wait);
}

static gpa_code read_in(void *user, const char *prompt, char *line, size_t n) {
    gpa_session *s = user;
    return s->host.input ? s->host.input(s->host.user, prompt, line, n) : GPA_E_EOF;
}

/* The arrays that the session's names hold, for the MemoryError that lists the largest. */
static void name_arrays(void *user, void (*each)(void *to, const char *name, const gpa_arr *a), void *to) {
    gpa_session *s = user;
    const module_obj *m = s->vm ? vm_main(s->vm) : NULL;
    for (uint32_t i = 0; m && i < m->n; i++)
        if (m->slots[i].tag == V_ARRAY) each(to, intern_text(s->names, m->names[i]), m->slots[i].array->arr);
}

/* ---- life ---- */

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

gpa_code gpa_session_new(const gpa_config *c, gpa_session **out, gpa_err *e) {
    gpa_session *s = mem_zero(sizeof *s);
    gpa_code rc = GPA_OK;
    *out = NULL;
    if (!s) return gpa_no_memory(e);
    s->host = c->host;
    s->names = intern_new();
    s->sources = sources_new();
    if (!s->names || !s->sources) TRY(gpa_no_memory(e));
    TRY(rt_new(&(rt_config){.device = c->device, .plugin_dir = c->plugin_dir, .name_arrays = name_arrays, .user = s}, &s->rt, e));
    TRY(vm_new(&(vm_config){.rt = s->rt, .names = s->names, .sources = s->sources, .user = s, .write = write_out, .input = read_in, .display = display, .clear = clear_output}, &s->vm, e));
    if (set_argv(s, c)) {
        *e = *vm_err(s->vm);
        rc = e->code;
        goto out;
    }
    s->count = 1;
    *out = s;
    return GPA_OK;
out:
    gpa_session_free(s);
    return rc;
}

void gpa_session_free(gpa_session *s) {
    if (!s) return;
    if (s->vm) vm_free(s->vm);
    if (s->rt) rt_free(s->rt);
    sources_free(s->sources);
    intern_free(s->names);
    mem_free(s);
}

bool gpa_session_end(gpa_session *s) {
    if (s->vm) vm_free(s->vm); /* what is buffered for files is written */
    s->vm = NULL;
    bool whole = !rt_is_starting(s->rt);
    if (whole) gpa_session_free(s);
    return whole;
}

void gpa_session_prepare(gpa_session *s) { rt_prepare(s->rt); }

long long gpa_session_live_blocks(void) { return mem_alive(); }

int gpa_session_count(const gpa_session *s) { return s->count; }

void gpa_session_interrupt(gpa_session *s) {
    vm_interrupt(s->vm);
    rt_interrupt(s->rt);
}

void gpa_session_devices(gpa_session *s) {
    gpa_str text;
    str_init(&text);
    rt_devices(s->rt, &text);
    write_out(s, false, text.text, text.len);
    str_free(&text);
}

/* ---- errors ---- */

static void put_frame(gpa_session *s, const vm_frame *f, gpa_str *text) {
    const source *src = source_get(s->sources, f->at.src);
    if (!src) return;
    str_put(text, "  called from ");
    source_put_place(s->sources, f->at, f->function, text);
    size_t n;
    const char *line = source_line(src, source_at(src, f->at.lo).line, &n);
    while (n && (*line == ' ' || *line == '\t')) line++, n--;
    str_put(text, "\n    ");
    str_putn(text, line, n);
    str_putc(text, '\n');
}

static bool same_place(gpa_span a, gpa_span b) { return a.src == b.src && a.lo == b.lo; }

/* How often the `period` frames that end before n stand there again, going outwards. */
static size_t rounds(const vm_frame *frames, size_t n, size_t period) {
    size_t same = 0;
    while (same + period < n && same_place(frames[n - 1 - same].at, frames[n - 1 - same - period].at)) same++;
    return same / period;
}

/* Frames that repeat (a recursion, of one function or of several in turn) are shown once and counted. */
static void put_callers(gpa_session *s, const vm_frame *frames, size_t n, gpa_str *text) {
    enum { LONGEST_PERIOD = 8 };
    while (n > 0) {
        size_t period = 1, more = 0;
        while (period <= LONGEST_PERIOD && !(more = rounds(frames, n, period))) period++;
        if (!more) period = 1;
        for (size_t i = 0; i < period; i++) put_frame(s, &frames[--n], text);
        if (more && period == 1) str_printf(text, "  (and %zu more calls of the same line)\n", more);
        else if (more) str_printf(text, "  (and %zu more rounds of these %zu calls)\n", more, period);
        n -= more * period;
    }
}

/* What an exception carries besides its place: the exceptions it was raised from, the nearest first. */
static void put_causes(gpa_session *s, const exc_obj *x, gpa_str *text) {
    enum { DEEPEST = 8 };
    for (int i = 0; i < DEEPEST && x->cause.tag == V_EXCEPTION; i++) {
        x = x->cause.exc;
        str_put(text, "caused by ");
        source_render(s->sources, &x->err, NULL, text);
    }
}

/* The message with the notes of its exception below, one a line. */
static void add_notes(gpa_err *e, const exc_obj *x) {
    size_t at = strlen(e->msg);
    for (size_t i = 0; x->notes.tag == V_LIST && i < x->notes.list->count; i++) {
        value note = x->notes.list->items[i];
        if (note.tag != V_STR || at + 2 >= sizeof e->msg) continue;
        snprintf(e->msg + at, sizeof e->msg - at, "\n%s", note.str->text);
        at = strlen(e->msg);
    }
}

/* The innermost place with its caret first, then who called it, then what caused it. `frames` are outermost first; `x` is
 * the exception's object, NULL where there is none. */
static void report(gpa_session *s, gpa_err *e, const exc_obj *x, const vm_frame *frames, size_t n) {
    enum { SHOWN = 64 };
    gpa_frame trace[SHOWN];
    gpa_str text;
    gpa_diag d = {.code = e->code, .name = gpa_err_name(e->code), .msg = e->msg, .trace = trace};
    str_init(&text);
    bool inside = n > 0 && strcmp(frames[n - 1].function, "<module>") != 0;
    if (x) add_notes(e, x);
    source_render(s->sources, e, inside ? frames[n - 1].function : NULL, &text);
    if (n > 1) put_callers(s, frames, n - 1, &text);
    if (x) put_causes(s, x, &text);
    const source *src = source_get(s->sources, e->span.src);
    if (src) {
        source_pos lo = source_at(src, e->span.lo), hi = source_at(src, e->span.hi);
        d.file = src->name;
        d.line = (int)lo.line, d.col = (int)lo.column;
        d.end_line = (int)hi.line, d.end_col = (int)hi.column;
    }
    size_t first = n > SHOWN ? n - SHOWN : 0;
    for (size_t i = first; i < n; i++) {
        const source *at = source_get(s->sources, frames[i].at.src);
        trace[d.n_trace++] = (gpa_frame){frames[i].function, at ? at->name : "", at ? (int)source_at(at, frames[i].at.lo).line : 0};
    }
    d.text = text.text;
    if (s->host.error) s->host.error(s->host.user, &d);
    str_free(&text);
}

/* ---- evaluation ---- */

static gpa_code parse(gpa_session *s, const char *file, const char *src, size_t n, int flags, ast_module **out, gpa_err *e) {
    char name[32];
    uint32_t id;
    snprintf(name, sizeof name, "In [%d]", s->count);
    gpa_code rc = source_add(s->sources, file ? SOURCE_FILE : SOURCE_CELL, file ? file : name, src, n, &id, e);
    parse_options o = {.magics = false};
    (void)flags;
    return rc ? rc : parse_module(source_get(s->sources, id), s->names, &o, out, e);
}

/* A cell that ends with `;` keeps its value to itself. */
static bool hushed(const char *src, size_t n) {
    while (n && (src[n - 1] == ' ' || src[n - 1] == '\n' || src[n - 1] == '\t' || src[n - 1] == '\r')) n--;
    return n && src[n - 1] == ';';
}

static gpa_code show(gpa_session *s, value v) {
    gpa_str text;
    str_init(&text);
    gpa_code rc = vm_repr(s->vm, v, &text);
    gpa_repr r = {"text/plain", text.text, text.len};
    if (!rc && text.failed) rc = vm_no_memory(s->vm);
    if (!rc && s->host.result) s->host.result(s->host.user, s->count, &r, 1);
    str_free(&text);
    return rc;
}

/* Out, _, __, ___ and _n, as IPython keeps them. */
static gpa_code remember(gpa_session *s, value v) {
    static const char *const names[] = {"___", "__", "_"};
    module_obj *m = vm_main(s->vm);
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 2 && !rc; i++) {
        value older = module_get_text_peek(s->vm, m, names[i + 1]);
        if (older.tag != V_UNSET) rc = module_set_text(s->vm, m, names[i], older);
    }
    if (!rc) rc = module_set_text(s->vm, m, "_", v);
    char name[16];
    snprintf(name, sizeof name, "_%d", s->count);
    if (!rc) rc = module_set_text(s->vm, m, name, v);
    value out = module_get_text_peek(s->vm, m, "Out");
    if (!rc && out.tag == V_UNSET) {
        value made = v_dict(s->vm);
        rc = made.tag == V_UNSET ? vm_err(s->vm)->code : module_set_text(s->vm, m, "Out", made);
        if (made.tag != V_UNSET) value_release(s->vm, made);
        out = module_get_text_peek(s->vm, m, "Out");
    }
    if (!rc && out.tag == V_DICT) rc = dict_set(s->vm, out.dict, v_int(s->count), v);
    return rc;
}

static gpa_code run(gpa_session *s, ast_module *m, const char *src, size_t n, int flags) {
    value last = v_unset();
    gpa_code rc = vm_eval(s->vm, m, NULL, &last);
    bool cell = !(flags & (GPA_EVAL_SCRIPT | GPA_EVAL_SILENT));
    if (!rc && cell && last.tag != V_UNSET && last.tag != V_NONE && !hushed(src, n)) {
        rc = show(s, last);
        if (!rc && !(flags & GPA_EVAL_UNCOUNTED)) rc = remember(s, last);
    }
    if (last.tag != V_UNSET) value_release(s->vm, last);
    if (!rc && (cell || flags & GPA_EVAL_EXPLAIN)) rc = rt_flush(s->rt, vm_err(s->vm));
    if (!rc) rc = rt_sync(s->rt, vm_err(s->vm));
    return rc;
}

static void print_explain(gpa_session *s) {
    gpa_str text;
    str_init(&text);
    rt_explain_stop(s->rt, &text);
    write_out(s, false, text.text, text.len);
    str_free(&text);
}

/* sys.exit(): its argument becomes the status; text goes to the error stream. */
static void leave(gpa_session *s, int *status) {
    value exc = vm_exception_peek(s->vm);
    value arg = exc.tag == V_EXCEPTION && exc.exc->args.tag == V_TUPLE && exc.exc->args.tuple->count ? exc.exc->args.tuple->items[0] : v_none();
    *status = arg.tag == V_NONE ? 0 : arg.tag == V_INT || arg.tag == V_BOOL ? (int)arg.i : 1;
    if (arg.tag != V_STR) return;
    write_out(s, true, arg.str->text, arg.str->size);
    write_out(s, true, "\n", 1);
}

/* ---- questions: a cell `name?`, or `name??` for more ---- */

static bool is_question(const char *src, size_t n, size_t *end, int *level) {
    while (n && strchr(" \t\r\n", src[n - 1])) n--;
    if (!n || src[n - 1] != '?') return false;
    *level = n > 1 && src[n - 2] == '?';
    *end = n - 1 - (size_t)*level;
    for (size_t i = 0; i < *end; i++)
        if (strchr(" \t\r\n()[]{}'\"#?", src[i])) return false;
    return *end > 0;
}

static void show_page(void *user, const gpa_repr *r) {
    gpa_session *s = user;
    if (s->host.page) s->host.page(s->host.user, r, 1);
    else write_out(s, false, r->data, r->n);
}

static void answer_question(gpa_session *s, const char *name, size_t n, int level) {
    gpa_str text;
    if (gpa_session_inspect(s, name, n, n, level, show_page, s) == GPA_OK) return;
    str_init(&text);
    str_printf(&text, "Object `%.*s` not found.\n", (int)n, name);
    write_out(s, false, text.text, text.len);
    str_free(&text);
}

static void count_cell(gpa_session *s, int flags) {
    if (!(flags & (GPA_EVAL_SCRIPT | GPA_EVAL_SILENT | GPA_EVAL_UNCOUNTED))) s->count++;
}

gpa_code gpa_session_eval(gpa_session *s, const char *file, const char *src, size_t n, int flags, int *status) {
    gpa_err e = {0};
    ast_module *m = NULL;
    size_t end;
    int level;
    if (status) *status = 0;
    rt_interrupt_clear(s->rt);
    if (!(flags & GPA_EVAL_SCRIPT) && is_question(src, n, &end, &level)) {
        answer_question(s, src, end, level);
        count_cell(s, flags);
        return GPA_OK;
    }
    gpa_code rc = parse(s, file, src, n, flags, &m, &e);
    if (rc) {
        if (rc == GPA_E_INCOMPLETE) e.code = GPA_E_SYNTAX;
        report(s, &e, NULL, NULL, 0);
        count_cell(s, flags);
        return e.code;
    }
    if (flags & GPA_EVAL_EXPLAIN) rt_explain_start(s->rt, flags & GPA_EVAL_SOURCE);
    rc = run(s, m, src, n, flags);
    if (rc == GPA_E_EXIT) {
        int code = 0;
        leave(s, &code);
        if (status) *status = code;
    } else if (rc) {
        const vm_frame *frames;
        size_t n_frames = vm_trace(s->vm, &frames);
        value exc = vm_raised_peek(s->vm);
        gpa_err now = *vm_err(s->vm);
        report(s, &now, exc.tag == V_EXCEPTION ? exc.exc : NULL, frames, n_frames);
    }
    if (flags & GPA_EVAL_EXPLAIN) print_explain(s);
    vm_clear_error(s->vm);
    ast_release(m);
    count_cell(s, flags);
    return rc;
}

gpa_src_state gpa_session_check(gpa_session *s, const char *src, size_t n, int *indent) {
    uint32_t columns = 0;
    (void)s;
    parse_status st = parse_check(src, n, &(parse_options){.magics = false}, &columns);
    if (indent) *indent = (int)columns;
    switch (st) {
    case PARSE_COMPLETE: return GPA_SRC_COMPLETE;
    case PARSE_INCOMPLETE: return GPA_SRC_INCOMPLETE;
    case PARSE_INVALID: return GPA_SRC_INVALID;
    }
    return GPA_SRC_INVALID;
}
