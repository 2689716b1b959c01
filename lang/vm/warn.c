/* Warnings and their filters.
 *
 * The first filter whose category and message prefix match gives the action; without one a warning
 * is printed once per location. While warnings are recorded (warnings.catch_warnings), the recorder
 * is called instead of printing. */
#include <stdarg.h>
#include <stdio.h>

#include "lang/object/container.h"
#include "lang/vm/loop.h"
#include "lang/text/source.h"

/* The action for a warning: that of the first matching filter, or "default". */
static const char *action_of(const gpa_vm *vm, gpa_code category, const char *text) {
    if (vm->warning_filters.tag != V_LIST) return "default";
    const list_obj *filters = vm->warning_filters.list;
    for (size_t i = 0; i < filters->count; i++) {
        const value *f = filters->items[i].tuple->items;
        gpa_code of = (gpa_code)(f[1].aux - AUX_ERROR);
        if (gpa_err_is(category, of) && strncmp(text, f[2].str->text, f[2].str->size) == 0)
            return f[0].str->text;
    }
    return "default";
}

/* True on the first occurrence, which is recorded. */
static gpa_code first_time(gpa_vm *vm, const char *what, bool *first) {
    if (!vm->warned) {
        value d = v_dict(vm);
        if (d.tag == V_UNSET) return vm_err(vm)->code;
        vm->warned = d.dict;
    }
    *first = dict_text_peek(vm, vm->warned, what).tag == V_UNSET;
    return *first ? dict_set_text(vm, vm->warned, what, v_bool(true)) : GPA_OK;
}

static gpa_code log_it(gpa_vm *vm, gpa_code category, const char *text, const char *file,
                       uint32_t line) {
    value args[4] = {v_cstr(vm, text), v_type(AUX_ERROR + (uint32_t)category), v_cstr(vm, file),
                     v_int(line)},
          ignored = v_none();
    gpa_code rc = args[0].tag == V_UNSET || args[2].tag == V_UNSET
                      ? GPA_E_MEMORY
                      : vm_call(vm, vm->warning_log, ARGS(4, args), &ignored);
    value_release(vm, args[0]);
    value_release(vm, args[2]);
    value_release(vm, ignored);
    return rc;
}

gpa_code vm_warn(gpa_vm *vm, gpa_code category, const char *fmt, ...) {
    char text[GPA_ERR_TEXT];
    gpa_span at = vm_where(vm);
    const source *s = source_get(vm->core.sources, at.src);
    uint32_t line = s ? source_at(s, at.lo).line : 0;
    bool shown = true;
    gpa_str out;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    const char *action = action_of(vm, category, text);
    loop_warns(vm);
    if (strcmp(action, "ignore") == 0) return GPA_OK;
    if (strcmp(action, "error") == 0) return vm_fail(vm, category, "%s", text);
    str_init(&out);
    if (s) str_printf(&out, "%s:%u: ", s->name, line);
    str_printf(&out, "%s: %s\n", gpa_err_name(category), text);
    gpa_code rc = out.failed ? vm_no_memory(vm) : GPA_OK;
    if (!rc && strcmp(action, "always") != 0)
        rc = first_time(vm, strcmp(action, "once") == 0 ? text : out.text, &shown);
    if (!rc && shown && vm->warning_log.tag != V_NONE)
        rc = log_it(vm, category, text, s ? s->name : "", line);
    else if (!rc && shown) {
        size_t n = 0;
        const char *line_text = s && line ? source_line(s, line, &n) : NULL;
        while (n && *line_text == ' ') line_text++, n--;
        if (n) str_printf(&out, "  %.*s\n", (int)n, line_text);
        rc = vm_print(vm, true, out.text, out.len);
    }
    str_free(&out);
    return rc;
}

bool vm_warnings_observed(const gpa_vm *vm, gpa_code category) {
    const char *action = action_of(vm, category, "");
    return strcmp(action, "error") == 0 ||
           (vm->warning_log.tag != V_NONE && strcmp(action, "ignore") != 0);
}

void vm_watch_floats(gpa_vm *vm) {
    bool observed = vm_warnings_observed(vm, GPA_E_RUNTIME_WARNING);
    vm->floats.watched = vm->floats.traps;
    for (int i = 0; i < FLOAT_ERRORS; i++)
        vm->floats.watched |= vm->floats.action[i] == FLOAT_AT_ONCE ||
                              (observed && vm->floats.action[i] == FLOAT_WARN);
}

void vm_trap_floats(gpa_vm *vm, bool on) {
    vm->floats.traps = on;
    vm_watch_floats(vm);
}

bool vm_traps_floats(const gpa_vm *vm) { return vm->floats.traps; }

/* ---- the module's own functions (lang/library/warnings.gpa) ---- */

gpa_code warnings_warn(gpa_vm *vm, value *argv,
                       value *out) { /* message, category, stacklevel, source */
    (void)out;
    value type = argv[0].tag == V_EXCEPTION ? v_type(type_of(argv[0]))
                 : argv[1].tag == V_NONE    ? v_type(AUX_ERROR + GPA_E_USER_WARNING)
                                            : argv[1];
    gpa_str text;
    if (type.tag != V_TYPE || type.aux < AUX_ERROR ||
        !gpa_err_is((gpa_code)(type.aux - AUX_ERROR), GPA_E_WARNING))
        return vm_fail(vm, GPA_E_TYPE, "category must be a Warning subclass, not '%s'",
                       value_type_name(type.tag == V_TYPE ? type : argv[1]));
    str_init(&text);
    gpa_code rc = vm_str(vm, argv[0], &text);
    if (!rc)
        rc = text.failed ? vm_no_memory(vm)
                         : vm_warn(vm, (gpa_code)(type.aux - AUX_ERROR), "%s", text.text);
    str_free(&text);
    return rc;
}

gpa_code warnings_state(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return native_return(v_tuple(vm, 2, (value[]){vm->warning_filters, vm->warning_log}), out);
}

gpa_code warnings_set_state(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    value before[2] = {vm->warning_filters, vm->warning_log};
    vm->warning_filters = value_retain(argv[0]);
    vm->warning_log = value_retain(argv[1]);
    vm_watch_floats(vm);
    value_release(vm, before[0]);
    value_release(vm, before[1]);
    return GPA_OK;
}
