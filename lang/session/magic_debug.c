/* Magics %debug, %pdb, %tb and %nan, and the debugger of the prompt: pdb's commands at a stop, and
 * after an error (%debug). */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/object/container.h"
#include "lang/session/magic.h"
#include "lang/vm/debug.h"

typedef struct {
    gpa_session *s;
    const debug_stop *stop;
    size_t at; /* the selected frame */
    bool done;
    gpa_code rc;
} dialog;

static bool is_live(const dialog *d) { return d->stop->why != DEBUG_AFTER_ERROR; }

/* ---- what is shown ---- */

static const source *source_of(const dialog *d, uint32_t *line) {
    const source *src = source_get(d->s->sources, d->stop->frames[d->at].at.src);
    *line = src ? source_at(src, d->stop->frames[d->at].at.lo).line : 0;
    return src;
}

static void put_location(const dialog *d, size_t i, gpa_str *out) {
    str_put(out, i == d->at ? "> " : "  ");
    source_put_location(d->s->sources, d->stop->frames[i].at, d->stop->frames[i].function, out);
    str_putc(out, '\n');
}

/* The lines around the current one. */
static void put_lines(const dialog *d, uint32_t around, gpa_str *out) {
    uint32_t line, last;
    const source *src = source_of(d, &line);
    if (!src) return;
    last = source_at(src, (uint32_t)src->len).line;
    for (uint32_t i = line > around ? line - around : 1; i <= line + around && i <= last; i++) {
        size_t n;
        const char *text = source_line(src, i, &n);
        str_printf(out, i == line ? "----> %u %.*s\n" : "      %u %.*s\n", i, (int)n, text);
    }
}

static void show(const dialog *d, void (*put)(const dialog *d, gpa_str *out)) {
    gpa_str text;
    str_init(&text);
    put(d, &text);
    session_write(d->s, false, text.text, text.len);
    str_free(&text);
}

static void put_here(const dialog *d, gpa_str *out) {
    put_location(d, d->at, out);
    put_lines(d, 2, out);
}

static void put_list(const dialog *d, gpa_str *out) { put_lines(d, 5, out); }

static void put_stack(const dialog *d, gpa_str *out) {
    for (size_t i = 0; i < d->stop->n; i++) put_location(d, i, out);
}

static void put_array(const gpa_arr *a, gpa_str *out) {
    str_printf(out, "array of %s, shape (", dtype_info[a->dtype].name);
    for (int i = 0; i < a->ndim; i++)
        str_printf(out, i ? ", %lld" : "%lld", (long long)a->shape[i]);
    str_put(out, a->ndim == 1 ? ",)" : ")");
}

void debug_put_variables(gpa_session *s, value locals, const char *margin, gpa_str *out) {
    size_t at = 0;
    for (dict_entry *e; locals.tag == V_DICT && (e = dict_next(locals.dict, &at));) {
        str_printf(out, "%s%s = ", margin, e->key.str->text);
        if (e->v.tag == V_ARRAY)
            put_array(e->v.array->arr, out);
        else if (vm_repr(s->vm, e->v, out))
            vm_clear_error(s->vm);
        str_putc(out, '\n');
    }
}

static void put_variables(const dialog *d, gpa_str *out) {
    debug_put_variables(d->s, d->stop->frames[d->at].locals, "", out);
}

/* ---- evaluation in a frame ---- */

static void print_error(const dialog *d) {
    const gpa_err *e = vm_err(d->s->vm);
    session_printf(d->s, false, "*** %s%s%s\n", gpa_err_name(e->code), *e->msg ? ": " : "", e->msg);
    vm_clear_error(d->s->vm);
}

static void evaluate(const dialog *d, const char *text) {
    gpa_session *s = d->s;
    value last;
    gpa_code rc = debug_evaluate(s, &d->stop->frames[d->at], text, &last);
    if (!rc && last.tag != V_UNSET && last.tag != V_NONE)
        rc = session_on_display(s, last, NULL, false);
    if (rc) print_error(d);
    value_release(s->vm, last);
}

/* ---- commands ---- */

static void resume(dialog *d, debug_mode mode) {
    if (is_live(d)) debug_resume(d->s->vm, mode);
    d->done = true;
}

static void do_next(dialog *d, const char *arg) { (void)arg, resume(d, DEBUG_NEXT); }
static void do_step(dialog *d, const char *arg) { (void)arg, resume(d, DEBUG_STEP); }
static void do_return(dialog *d, const char *arg) { (void)arg, resume(d, DEBUG_RETURN); }
static void do_continue(dialog *d, const char *arg) { (void)arg, resume(d, DEBUG_CONTINUE); }

static void do_quit(dialog *d, const char *arg) {
    do_continue(d, arg);
    if (is_live(d)) d->rc = vm_fail(d->s->vm, GPA_E_INTERRUPT, "%s", "");
}

static void do_where(dialog *d, const char *arg) { (void)arg, show(d, put_stack); }
static void do_list(dialog *d, const char *arg) { (void)arg, show(d, put_list); }
static void do_variables(dialog *d, const char *arg) { (void)arg, show(d, put_variables); }

static void do_up(dialog *d, const char *arg) {
    (void)arg;
    if (d->at)
        d->at--, show(d, put_here);
    else
        session_printf(d->s, false, "*** Oldest frame\n");
}

static void do_down(dialog *d, const char *arg) {
    (void)arg;
    if (d->at + 1 < d->stop->n)
        d->at++, show(d, put_here);
    else
        session_printf(d->s, false, "*** Newest frame\n");
}

static void do_print(dialog *d, const char *arg) { evaluate(d, arg); }

/* b LINE, cl LINE: of the file or cell that is shown. */
static void set_breakpoint(const dialog *d, const char *arg, bool set) {
    uint32_t here;
    const source *src = source_of(d, &here);
    long line = strtol(arg, NULL, 10);
    if (line < 1 || !src || line > (long)source_at(src, (uint32_t)src->len).line)
        session_printf(d->s, false, "*** %s needs a line of %s\n", set ? "break" : "clear",
                       src ? src->name : "the program");
    else if (debug_breakpoint(d->s->vm, d->stop->frames[d->at].at.src, (uint32_t)line, set))
        session_printf(d->s, false, "%s at %s:%ld\n", set ? "Breakpoint" : "Deleted breakpoint",
                       src->name, line);
}

static void do_break(dialog *d, const char *arg) { set_breakpoint(d, arg, true); }
static void do_clear(dialog *d, const char *arg) { set_breakpoint(d, arg, false); }

static void do_help(dialog *d, const char *arg);

static const struct {
    const char *name, *longer, *doc;
    void (*run)(dialog *d, const char *arg);
} commands[] = {{"n", "next", "the next line of this function", do_next},
                {"s", "step", "the next line of any function", do_step},
                {"r", "return", "on to the caller", do_return},
                {"c", "continue", "on to the next breakpoint", do_continue},
                {"q", "quit", "end the cell", do_quit},
                {"w", "where", "the call stack", do_where},
                {"bt", "backtrace", "the call stack", do_where},
                {"u", "up", "select the caller", do_up},
                {"d", "down", "select the function that is called", do_down},
                {"l", "list", "the lines around", do_list},
                {"a", "args", "the variables of the function", do_variables},
                {"p", "pp", "evaluate an expression: p x + 1", do_print},
                {"b", "break", "set a breakpoint: b 12", do_break},
                {"cl", "clear", "remove a breakpoint: cl 12", do_clear},
                {"h", "help", "this list", do_help}};

static void do_help(dialog *d, const char *arg) {
    (void)arg;
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        session_printf(d->s, false, "%-3s %-10s %s\n", commands[i].name, commands[i].longer,
                       commands[i].doc);
    session_printf(d->s, false, "Everything else is evaluated in the selected frame.\n");
}

/* Runs a line: a command if its first word is one and no assignment follows, else a statement. */
static void run_line(dialog *d, const char *line) {
    size_t n = 0;
    while (isalpha((unsigned char)line[n])) n++;
    const char *arg = line + n + strspn(line + n, " ");
    bool statement =
        *line == '!' || strchr("=.([,", *arg ? *arg : ' ') || (*arg && arg == line + n);
    for (size_t i = 0; i < COUNT_OF(commands) && !statement; i++) {
        bool is = strlen(commands[i].name) == n && strncmp(commands[i].name, line, n) == 0;
        is = is || (strlen(commands[i].longer) == n && strncmp(commands[i].longer, line, n) == 0);
        if (!is) continue;
        commands[i].run(d, arg);
        return;
    }
    evaluate(d, line + (*line == '!'));
}

gpa_code debug_dialog(gpa_session *s, const debug_stop *stop) {
    dialog d = {.s = s, .stop = stop, .at = stop->n - 1};
    char line[1024] = "", before[1024] = "";
    if (!s->host.input) return GPA_OK;
    show(&d, put_here);
    while (!d.done) {
        gpa_code rc = s->host.input(s->host.user, "ipdb> ", false, line, sizeof line);
        if (rc == GPA_E_UNSUPPORTED) {
            session_printf(s, true, "%s: this front end takes no input%s\n",
                           is_live(&d) ? "breakpoint" : "%debug",
                           is_live(&d) ? "; execution goes on" : "");
            do_continue(&d, "");
        } else if (rc) {
            do_quit(&d, "");
        } else {
            line[strcspn(line, "\r\n")] = '\0';
            const char *text = line + strspn(line, " ");
            if (*text) snprintf(before, sizeof before, "%s", text);
            if (*before) run_line(&d, before);
        }
    }
    return d.rc;
}

/* ---- magics ---- */

MAGIC(debug, LINE, WORDS, "",
      "Inspect the frames of the last error, as in pdb.\n"
      "\n"
      "u and d select a frame, a lists its variables, everything else is evaluated in it.\n"
      "The variables stay in memory until the next error.") {
    if (!debug_enter_error(m->s->vm))
        session_printf(m->s, true, "No traceback has been produced, nothing to debug.\n");
    return GPA_OK;
}

MAGIC(pdb, LINE, WORDS, "[on | off]",
      "Stop in the debugger where an error is raised that the program does not catch.") {
    bool on = debug_stops_on_errors(m->s->vm) == DEBUG_NO_ERRORS;
    if (magic_take(m, "on") || magic_take(m, "1"))
        on = true;
    else if (magic_take(m, "off") || magic_take(m, "0"))
        on = false;
    else if (m->n)
        return magic_usage(m, "Incorrect argument. Use on/1, off/0, or nothing for a toggle.");
    debug_stop_on_errors(m->s->vm, on ? DEBUG_UNCAUGHT : DEBUG_NO_ERRORS);
    session_printf(m->s, false, "Automatic pdb calling has been turned %s\n", on ? "ON" : "OFF");
    return GPA_OK;
}

MAGIC(nan, LINE, WORDS, "[raise | off]",
      "Stop where NaN or an infinity is made.\n"
      "\n"
      "With `raise`, an operation of finite operands whose result is not finite raises\n"
      "FloatingPointError with its index and the operands there; %pdb on stops there. NaN that\n"
      "is in the inputs is no error. Each operation is then computed by itself.\n"
      "\n"
      "Examples\n"
      "--------\n"
      "%nan raise") {
    if (magic_take(m, "raise"))
        vm_trap_floats(m->s->vm, true);
    else if (magic_take(m, "off"))
        vm_trap_floats(m->s->vm, false);
    if (m->n) return magic_usage(m, "%%nan takes raise or off");
    session_printf(m->s, false, "%s\n",
                   vm_traps_floats(m->s->vm) ? "NaN and infinities raise FloatingPointError"
                                             : "NaN and infinities are values");
    return GPA_OK;
}

MAGIC(tb, LINE, WORDS, "", "Print the report of the last error again, with all callers.") {
    const gpa_str *text = &m->s->last_report;
    if (!text->len)
        session_printf(m->s, true, "No traceback available to show.\n");
    else
        session_write(m->s, false, text->text, text->len);
    return GPA_OK;
}
