/* Callbacks around cells: get_ipython().events. The module IPython has functions that call them
 * once a program has registered some; otherwise a cell costs two look-ups of a name. */
#include "lang/session/state.h"

/* The library's function; UNSET without callbacks. Borrowed. */
static value function_peek(gpa_session *s, const char *name) {
    const module_obj *m = vm_loaded_peek(s->vm, "IPython");
    value f = m ? module_get_text_peek(s->vm, m, name) : v_unset();
    return f.tag == V_FUNC ? f : v_unset();
}

static void call(gpa_session *s, value function, const call_args *args) {
    value nothing = v_none();
    if (vm_call(s->vm, function, args, &nothing)) session_report_current(s);
    value_release(s->vm, nothing);
}

void events_before(gpa_session *s, const cell_events *c) {
    value f = function_peek(s, "_cell_begins");
    if (f.tag == V_UNSET) return;
    value args[] = {v_str(s->vm, c->text, c->n), v_bool(c->silent)};
    call(s, f, ARGS(2, args));
    value_release(s->vm, args[0]);
}

void events_keep_error(gpa_session *s, cell_events *c) {
    if (function_peek(s, "_cell_ends").tag != V_UNSET)
        c->error = value_retain(vm_exception_peek(s->vm));
}

void events_after(gpa_session *s, cell_events *c, bool executed) {
    value f = function_peek(s, "_cell_ends");
    if (f.tag != V_UNSET) {
        value args[] = {v_str(s->vm, c->text, c->n), v_bool(c->silent), v_int(c->count), c->error,
                        v_bool(!executed)};
        call(s, f, ARGS(5, args));
        value_release(s->vm, args[0]);
    }
    value_release(s->vm, c->error);
    c->error = v_none();
}
