/* The debugger of a session: evaluation in frames, and what adapters of editors see
 * (lang/debugger.h). Members of values are in debug_members.c. */
#include "lang/debugger.h"

#include <string.h>

#include "lang/object/container.h"
#include "lang/session/debug_members.h"
#include "lang/session/magic.h"

/* ---- evaluation in a frame ---- */

/* Assignments of the statement go to the function's variable of the name, else to the module. */
static void write_back(gpa_session *s, const debug_frame *f, const module_obj *scope) {
    gpa_vm *vm = s->vm;
    for (uint32_t i = 0; i < scope->n; i++) {
        const char *name = intern_text(s->names, scope->names[i]);
        value v = scope->slots[i], local = v_unset();
        if (v.tag == V_UNSET) continue;
        if (f->locals.tag == V_DICT) local = dict_text_peek(vm, f->locals.dict, name);
        if (local.tag != V_UNSET) {
            if (value_is(v, local)) continue;
            if (f->index >= 0) debug_assign(vm, f->index, scope->names[i], v);
            dict_set_text(vm, f->locals.dict, name, v);
        } else if (!value_is(v, module_get_peek(f->module, scope->names[i]))) {
            module_set(vm, f->module, scope->names[i], v);
        }
    }
}

static gpa_code fill(gpa_session *s, const debug_frame *f, module_obj *scope) {
    gpa_code rc = GPA_OK;
    size_t at = 0;
    for (uint32_t i = 0; i < f->module->n && !rc; i++)
        if (f->module->slots[i].tag != V_UNSET)
            rc = module_set(s->vm, scope, f->module->names[i], f->module->slots[i]);
    for (dict_entry *e; !rc && f->locals.tag == V_DICT && (e = dict_next(f->locals.dict, &at));)
        rc = module_set_text(s->vm, scope, e->key.str->text, e->v);
    return rc;
}

/* The module in which texts of the debugger are compiled. */
static gpa_code ready_scope(gpa_session *s) {
    return s->debugger.scope ? GPA_OK : vm_module_new(s->vm, "<debugger>", &s->debugger.scope);
}

gpa_code debug_evaluate(gpa_session *s, const debug_frame *f, const char *text, value *last) {
    ast_module *ast = NULL;
    module_obj *scope = NULL;
    gpa_code rc = f ? ready_scope(s) : GPA_OK;
    *last = v_unset();
    if (!rc && f) rc = fill(s, f, scope = s->debugger.scope);
    if (!rc) rc = session_parse(s, SOURCE_CELL, "<debugger>", text, strlen(text), &ast);
    if (!rc) rc = vm_eval(s->vm, ast, scope, last);
    if (!rc && f) write_back(s, f, scope);
    ast_release(ast);
    for (uint32_t i = 0; scope && i < scope->n; i++)
        module_set(s->vm, scope, scope->names[i], v_unset());
    return rc;
}

/* ---- the adapter ---- */

void debug_forget(gpa_session *s) {
    session_debugger *d = &s->debugger;
    while (d->n_refs) {
        const debug_ref *r = &d->refs[--d->n_refs];
        mem_free(r->expression);
        value_release(s->vm, r->v);
    }
}

static gpa_source describe_source(const source *from) {
    return (gpa_source){.id = from->id,
                        .cell = from->kind == SOURCE_CELL,
                        .name = from->name,
                        .text = from->text,
                        .n = from->len};
}

void session_debug_source(void *user, uint32_t src) {
    gpa_session *s = user;
    const source *from = source_get(s->sources, src);
    if (!s->debugger.host.source || !from) return;
    const gpa_source out = describe_source(from);
    s->debugger.host.source(s->debugger.host.user, &out);
}

void gpa_debug_sources(gpa_session *s, void (*each)(void *user, const gpa_source *source),
                       void *user) {
    const source *from;
    for (uint32_t i = 1; (from = source_get(s->sources, i)); i++) {
        const gpa_source out = describe_source(from);
        each(user, &out);
    }
}

gpa_code session_debug(void *user, const debug_stop *stop) {
    static const gpa_stop_reason reasons[] = {[DEBUG_AT_CALL] = GPA_STOP_CALL,
                                              [DEBUG_AT_BREAKPOINT] = GPA_STOP_BREAKPOINT,
                                              [DEBUG_AT_STEP] = GPA_STOP_STEP,
                                              [DEBUG_AT_PAUSE] = GPA_STOP_PAUSE,
                                              [DEBUG_AT_ERROR] = GPA_STOP_ERROR};
    gpa_session *s = user;
    session_debugger *d = &s->debugger;
    if (!d->host.stopped || stop->why == DEBUG_AFTER_ERROR) return debug_dialog(s, stop);
    const gpa_stop out = {.why = reasons[stop->why],
                          .error = stop->error ? gpa_err_name(stop->error->code) : "",
                          .text = stop->error ? stop->error->msg : "",
                          .n_frames = stop->n};
    d->stop = stop;
    gpa_code rc = d->host.stopped(d->host.user, &out);
    d->stop = NULL;
    debug_forget(s);
    return rc ? vm_fail(s->vm, GPA_E_INTERRUPT, "%s", "") : GPA_OK;
}

void gpa_debug_attach(gpa_session *s, const gpa_debugger *d) {
    s->debugger.host = d ? *d : (gpa_debugger){.user = NULL};
    if (d)
        debug_begin(s->vm);
    else
        debug_end(s->vm);
}

void gpa_debug_break(gpa_session *s, unsigned src, int line, bool set) {
    debug_breakpoint(s->vm, src, (uint32_t)line, set);
}

typedef struct {
    void (*each)(void *user, int line, bool stops);
    void *user;
} listing;

static void list_line(void *user, uint32_t line, bool stops) {
    const listing *l = user;
    l->each(l->user, (int)line, stops);
}

gpa_code gpa_debug_lines(gpa_session *s, const char *text, size_t n,
                         void (*each)(void *user, int line, bool stops), void *user) {
    ast_module *ast = NULL;
    gpa_code rc = ready_scope(s);
    if (!rc) rc = session_parse(s, SOURCE_FILE, "<debugger>", text, n, &ast);
    if (!rc) rc = debug_lines(s->vm, ast, s->debugger.scope, list_line, &(listing){each, user});
    ast_release(ast);
    vm_clear_error(s->vm);
    return rc;
}

void gpa_debug_stop_on_errors(gpa_session *s, gpa_debug_errors which) {
    static const debug_errors all[] = {[GPA_ERRORS_NONE] = DEBUG_NO_ERRORS,
                                       [GPA_ERRORS_UNCAUGHT] = DEBUG_UNCAUGHT,
                                       [GPA_ERRORS_RAISED] = DEBUG_RAISED};
    debug_stop_on_errors(s->vm, all[which]);
}

void gpa_debug_resume(gpa_session *s, gpa_resumption how) {
    static const debug_mode modes[] = {[GPA_CONTINUE] = DEBUG_CONTINUE,
                                       [GPA_NEXT] = DEBUG_NEXT,
                                       [GPA_STEP_IN] = DEBUG_STEP,
                                       [GPA_STEP_OUT] = DEBUG_RETURN};
    debug_resume(s->vm, modes[how]);
}

void gpa_debug_pause(gpa_session *s) { debug_pause(s->vm); }

/* ---- frames ---- */

/* The frame of this number; NULL: the session's variables. False: there is none. */
static bool find_frame(const gpa_session *s, int frame, const debug_frame **out) {
    const debug_stop *stop = s->debugger.stop;
    *out = NULL;
    if (frame < 0) return true;
    if (!stop || (size_t)frame >= stop->n) return false;
    *out = &stop->frames[stop->n - 1 - (size_t)frame];
    return true;
}

bool gpa_debug_frame_at(gpa_session *s, int frame, gpa_debug_frame *out) {
    const debug_frame *f;
    if (!find_frame(s, frame, &f) || !f) return false;
    const source *from = source_get(s->sources, f->at.src);
    if (!from) return false;
    const source_pos at = source_at(from, f->at.lo);
    *out = (gpa_debug_frame){.function = f->function,
                             .source = describe_source(from),
                             .line = (int)at.line,
                             .column = (int)at.column};
    return true;
}

int gpa_debug_scope(gpa_session *s, int frame, bool globals) {
    const debug_frame *f;
    if (!find_frame(s, frame, &f) || (!globals && (!f || f->locals.tag != V_DICT))) return 0;
    return debug_ref_new(s, globals ? v_obj(V_MODULE, f ? f->module : vm_main(s->vm)) : f->locals,
                         true, NULL);
}

static gpa_code fail(gpa_session *s, const char **error) {
    const gpa_err *e = vm_err(s->vm);
    gpa_code rc = e->code;
    str_clear(&s->debugger.error);
    str_printf(&s->debugger.error, "%s%s%s", gpa_err_name(rc), *e->msg ? ": " : "", e->msg);
    *error = s->debugger.error.failed ? "" : s->debugger.error.text;
    vm_clear_error(s->vm);
    return rc;
}

gpa_code gpa_debug_evaluate(gpa_session *s, const gpa_evaluation *what, gpa_variable_sink *sink,
                            void *user, const char **error) {
    const debug_frame *f;
    value v = v_unset();
    gpa_str shown;
    str_init(&shown);
    gpa_code rc = find_frame(s, what->frame, &f)
                      ? debug_evaluate(s, f, what->text, &v)
                      : vm_fail(s->vm, GPA_E_RUNTIME, "execution has not stopped");
    if (!rc && what->full && v.tag != V_UNSET) rc = vm_repr(s->vm, v, &shown);
    if (rc)
        rc = fail(s, error);
    else if (v.tag != V_UNSET)
        debug_describe(s, &(debug_entry){.name = "", .expression = what->text, .text = &shown}, v,
                       sink, user);
    value_release(s->vm, v);
    str_free(&shown);
    return rc;
}

bool gpa_debug_condition(gpa_session *s, const char *text) {
    const debug_frame *f;
    value v = v_unset();
    bool holds = true;
    find_frame(s, 0, &f);
    if (debug_evaluate(s, f, text, &v) || (v.tag != V_UNSET && arg_bool(s->vm, v, "", &holds)))
        vm_clear_error(s->vm);
    value_release(s->vm, v);
    return holds;
}

gpa_code gpa_debug_represent(gpa_session *s, int frame, const char *text,
                             void (*sink)(void *user, const gpa_repr *r, size_t n), void *user) {
    const debug_frame *f;
    value v = v_unset();
    gpa_code rc = find_frame(s, frame, &f) ? debug_evaluate(s, f, text, &v) : GPA_E_RUNTIME;
    if (!rc && v.tag != V_UNSET) rc = session_represent(s, v, sink, user);
    vm_clear_error(s->vm);
    value_release(s->vm, v);
    return rc;
}

bool gpa_debug_copy(gpa_session *s, int frame, const char *from, const char *to) {
    const debug_frame *f;
    value v = v_unset();
    if (!find_frame(s, frame, &f)) return false;
    if (f && f->locals.tag == V_DICT) v = dict_text_peek(s->vm, f->locals.dict, from);
    if (v.tag == V_UNSET) v = module_get_text_peek(s->vm, f ? f->module : vm_main(s->vm), from);
    return v.tag != V_UNSET && !module_set_text(s->vm, vm_main(s->vm), to, v);
}
