/* Exceptions: conversion between error records and exception objects, source locations, tracebacks.
 *
 * An error in flight is vm->core.err, and also vm->raised once it is an object. A frame that
 * catches it converts it to an object (raise_take); raising that object again continues the same
 * traceback. */
#include "runtime/base/base.h"

#include "lang/vm/foreign.h"
#include "lang/vm/instance.h"
#include "lang/vm/step.h"

/* ---- locations ---- */

gpa_span raise_span(const ast_node *n) {
    if (!n) return (gpa_span){0, 0, 0};
    switch ((int)n->kind) {
        case AST_BINARY: return n->binary.op_span;
        case AST_AUGASSIGN: return n->augassign.op_span;
        case AST_LINK: return n->link.op_span;
        case AST_COMPARE:
            return n->compare.links.n == 1 ? n->compare.links.at[0]->link.op_span : n->span;
        case AST_ATTR: return n->attr.name_span;
        default: return n->span;
    }
}

const ast_node *raise_node(const frame *f) {
    return f->code->ins ? f->code->nodes[f->ip - f->code->ins] : NULL;
}

gpa_span vm_where(gpa_vm *vm) {
    for (uint32_t i = vm->depth; i > 0; i--)
        if (!vm->frames[i - 1].module->hidden) return raise_span(raise_node(&vm->frames[i - 1]));
    return (gpa_span){0, 0, 0};
}

void raise_locate(gpa_vm *vm) {
    for (uint32_t i = vm->depth; i > 0; i--) {
        const frame *f = &vm->frames[i - 1];
        if (f->module->hidden) {
            vm->core.err.span =
                (gpa_span){0, 0, 0}; /* blame the caller's line, not the library's */
            vm->core.err.n_notes = 0;
            continue;
        }
        if (!vm->core.err.span.src) vm->core.err.span = raise_span(raise_node(f));
        return;
    }
}

void raise_trace(gpa_vm *vm, const frame *f) {
    if (vm->trace_skip) {
        vm->trace_skip = false;
        return;
    }
    if (f->module->hidden) return;
    if (!mem_grow(&vm->trace, vm->n_trace, &vm->cap_trace, sizeof *vm->trace)) return;
    const ast_node *n = raise_node(f);
    vm->trace[vm->n_trace++] = (trace_entry){f->code->name, n ? n->span : vm->core.err.span};
}

void vm_trace_inner(gpa_vm *vm, gpa_sym function, gpa_span at) {
    if (!vm->core.err.span.src) return;
    if (!vm->tracing) vm->n_trace = 0;
    if (!mem_grow(&vm->trace, vm->n_trace, &vm->cap_trace, sizeof *vm->trace)) return;
    vm->trace[vm->n_trace++] = (trace_entry){function, at};
    vm->tracing = true;
}

/* ---- objects ---- */

/* An error record is large and mostly empty: copies the used part only. */
static void copy_error(gpa_err *to, const gpa_err *from) {
    to->code = from->code;
    to->span = from->span;
    to->n_notes = from->n_notes;
    memcpy(to->notes, from->notes, from->n_notes * sizeof *from->notes);
    memcpy(to->msg, from->msg, strlen(from->msg) + 1);
    memcpy(to->hint, from->hint, strlen(from->hint) + 1);
}

value v_exception(gpa_vm *vm, gpa_code kind, value args) {
    exc_obj *x = mem_new(sizeof *x);
    if (!x) {
        vm_no_memory(vm);
        return v_unset();
    }
    gpa_err_clear(&x->err);
    x->head = (obj){1, V_EXCEPTION};
    x->code = kind;
    x->args = value_retain(args);
    x->cause = x->context = x->notes = x->class = x->fields = x->foreign = v_none();
    x->suppresses_context = false;
    x->foreign_name = NULL;
    x->err.code = kind;
    x->prev = NULL;
    x->next = vm->exceptions;
    if (x->next) x->next->prev = x;
    vm->exceptions = x;
    return v_obj(V_EXCEPTION, x);
}

void exception_unlink(gpa_vm *vm, exc_obj *x) {
    if (vm->trace_of == x) vm->trace_of = NULL;
    if (x->prev)
        x->prev->next = x->next;
    else
        vm->exceptions = x->next;
    if (x->next) x->next->prev = x->prev;
}

void exception_break_cycles(gpa_vm *vm) {
    for (exc_obj *x = vm->exceptions; x; x = x->next) x->head.refs++;
    for (exc_obj *x = vm->exceptions; x; x = x->next) {
        value held[] = {x->args, x->cause, x->context, x->notes, x->fields, x->foreign};
        x->args = x->cause = x->context = x->notes = x->fields = x->foreign = v_none();
        for (size_t i = 0; i < COUNT_OF(held); i++) value_release(vm, held[i]);
    }
    for (exc_obj *x = vm->exceptions, *next; x; x = next) {
        next = x->next;
        value_release(vm, v_obj(V_EXCEPTION, x));
    }
}

gpa_code raise_describe(gpa_vm *vm, exc_obj *x) {
    gpa_str s;
    str_init(&s);
    gpa_code rc = vm_str(vm, v_obj(V_EXCEPTION, x), &s);
    if (rc && rc != GPA_E_INTERRUPT &&
        rc != GPA_E_MEMORY) { /* str() failed: raise it with a placeholder */
        vm_clear_error(vm);
        str_truncate(&s, 0);
        str_put(&s, "<exception str() failed>");
        rc = GPA_OK;
    }
    size_t n = MIN(s.len, sizeof x->err.msg - 1);
    memcpy(x->err.msg, s.text, n);
    x->err.msg[n] = 0;
    str_free(&s);
    return rc;
}

gpa_code vm_raise(gpa_vm *vm, gpa_code kind, size_t n, const value *args) {
    value t = v_tuple(vm, n, args);
    if (t.tag == V_UNSET) return GPA_E_MEMORY;
    value exc = v_exception(vm, kind, t);
    if (exc.tag != V_UNSET && raise_describe(vm, exc.exc)) {
        value_release(vm, exc);
        exc = v_unset();
    }
    value_release(vm, t);
    return exc.tag == V_UNSET ? vm->core.err.code : raise_again(vm, exc);
}

/* Sets the current error to an exception's; consumes it. */
gpa_code raise_again(gpa_vm *vm, value exc) {
    copy_error(&vm->core.err, &exc.exc->err);
    value_release(vm, vm->raised);
    vm->raised = exc;
    vm->tracing = vm->trace_skip = exc.exc == vm->trace_of;
    return vm->core.err.code;
}

value raise_take(gpa_vm *vm) {
    value exc = vm->raised;
    vm->raised = v_unset();
    if (exc.tag != V_UNSET &&
        (exc.exc->code != vm->core.err.code ||
         strcmp(exc.exc->err.msg, vm->core.err.msg) != 0)) { /* a different error */
        value_release(vm, exc);
        exc = v_unset();
    }
    if (exc.tag == V_UNSET) {
        gpa_err err;
        copy_error(&err, &vm->core.err);
        gpa_err_clear(&vm->core.err);
        value text = v_cstr(vm, err.msg);
        value args = v_tuple(vm, err.msg[0] != 0, &text);
        if (text.tag && args.tag) exc = v_exception(vm, err.code, args);
        value_release(vm, text);
        value_release(vm, args);
        if (exc.tag == V_UNSET) { /* a MemoryError replaces it at its location */
            vm->core.err.span = err.span;
            return exc;
        }
        copy_error(&exc.exc->err, &err);
    } else {
        copy_error(&exc.exc->err, &vm->core.err);
        gpa_err_clear(&vm->core.err);
    }
    vm->trace_of = exc.exc;
    vm->tracing = false;
    return exc;
}

value vm_exception_peek(gpa_vm *vm) {
    if (!vm->core.err.code) return v_none();
    value exc = raise_take(vm);
    if (exc.tag == V_UNSET) return v_none();
    raise_again(vm, exc);
    vm->trace_skip = false;
    return exc;
}

value vm_raised_peek(const gpa_vm *vm) {
    bool same = vm->raised.tag == V_EXCEPTION &&
                vm->raised.exc->code == vm->core.err.code; /* else a different error replaced it */
    return same ? vm->raised : v_unset();
}

void vm_clear_error(gpa_vm *vm) {
    value raised = vm->raised;
    gpa_err_clear(&vm->core.err);
    vm->raised = v_unset();
    vm->tracing = vm->trace_skip = false;
    value_release(vm, raised);
}

gpa_code vm_check_deferred(gpa_vm *vm) {
    gpa_err first;
    if (vm->core.err.code == GPA_E_INTERRUPT || !rt_may_raise(vm->core.rt))
        return vm->core.err.code;
    gpa_err_clear(&first);
    if (rt_check(vm->core.rt, &first)) {
        vm_clear_error(vm);
        vm->core.err = first;
    }
    return vm->core.err.code;
}

/* The exception to raise: an object itself, or a type called without arguments. Owned. */
static gpa_code exception_of(gpa_vm *vm, value v, const char *words, value *out) {
    *out = v_unset();
    if (v.tag == V_EXCEPTION) {
        *out = value_retain(v);
    } else if (v.tag == V_TYPE && v.aux >= AUX_ERROR && v.aux < AUX_FROZENSET) {
        value none = v_tuple(vm, 0, NULL);
        if (none.tag) *out = v_exception(vm, (gpa_code)(v.aux - AUX_ERROR), none);
        value_release(vm, none);
    } else if (v.tag == V_CLASS && v.class->error) {
        gpa_code rc = instance_new(vm, v.class, NO_ARGS, out);
        if (rc) return rc;
        if (out->tag != V_EXCEPTION) { /* its __new__ returned another type */
            value_release(vm, *out);
            return vm_fail(vm, GPA_E_TYPE, "%s", words);
        }
    } else if (is_foreign(v)) {
        gpa_code rc = foreign.exception(vm, v, out);
        if (rc || out->tag != V_UNSET) return rc;
        return vm_fail(vm, GPA_E_TYPE, "%s", words);
    } else {
        return vm_fail(vm, GPA_E_TYPE, "%s", words);
    }
    return out->tag ? GPA_OK : GPA_E_MEMORY;
}

value raise_handled_peek(const gpa_vm *vm, bool in_library) {
    for (uint32_t d = vm->depth; d > 0; d--) {
        const frame *f = &vm->frames[d - 1];
        if (f->module->library && !in_library) continue;
        uint32_t at = (uint32_t)(f->ip - f->code->ins);
        for (uint32_t k = 0; k < f->code->n_handlers; k++) {
            const code_handler *h = &f->code->handlers[k];
            if (at >= h->lo && at < h->hi) return f->regs[h->reg];
        }
    }
    return v_unset();
}

/* Makes the exception that is being handled the context of one that is raised. A chain of contexts
 * that leads back to it is cut. */
static void set_context(gpa_vm *vm, exc_obj *x) {
    value handled = raise_handled_peek(vm, false), old = x->context;
    if (handled.tag != V_EXCEPTION || handled.exc == x || old.exc == handled.exc) return;
    x->context = value_retain(handled);
    value_release(vm, old);
    for (exc_obj *y = handled.exc; y->context.tag == V_EXCEPTION; y = y->context.exc)
        if (y->context.exc == x) {
            old = y->context;
            y->context = v_none();
            value_release(vm, old);
            break;
        }
}

void raise_in_context(gpa_vm *vm) {
    if (raise_handled_peek(vm, false).tag != V_EXCEPTION) return;
    bool tracing = vm->tracing, skip = vm->trace_skip;
    value exc = vm_exception_peek(vm);
    if (exc.tag == V_EXCEPTION && exc.exc->context.tag == V_NONE) set_context(vm, exc.exc);
    vm->tracing = tracing;
    vm->trace_skip = skip;
}

gpa_code raise_value(gpa_vm *vm, value v, value cause, bool has_cause) {
    value exc, because = v_none();
    gpa_code rc = exception_of(vm, v, "exceptions must derive from BaseException", &exc);
    if (rc) return rc;
    if (has_cause && cause.tag != V_NONE)
        rc = exception_of(vm, cause, "exception causes must derive from BaseException", &because);
    if (rc) {
        value_release(vm, exc);
        return rc;
    }
    if (has_cause) {
        value old = exc.exc->cause;
        exc.exc->cause = because;
        exc.exc->suppresses_context = true;
        value_release(vm, old);
    }
    set_context(vm, exc.exc);
    exc_obj *x = exc.exc;
    bool again = exc.exc == vm->trace_of;
    if (!again) {
        x->err.span = (gpa_span){0, 0, 0};
        rc = raise_describe(vm, x);
    }
    if (rc) {
        value_release(vm, exc);
        return rc;
    }
    raise_again(vm, exc);
    vm->trace_skip = false;
    return vm->core.err.code;
}

static bool is_exception_type(value v) {
    return v.tag == V_TYPE && v.aux >= AUX_ERROR && v.aux < AUX_FROZENSET;
}

gpa_code raise_match(gpa_vm *vm, value exc, value type, bool *out) {
    *out = false;
    if (type.tag == V_TUPLE) {
        for (size_t i = 0; i < type.tuple->count && !*out; i++) {
            gpa_code rc = raise_match(vm, exc, type.tuple->items[i], out);
            if (rc) return rc;
        }
        return GPA_OK;
    }
    if (is_foreign(type))
        return exc.exc->foreign.tag == V_NONE
                   ? GPA_OK
                   : foreign.is_instance(vm, exc.exc->foreign, type, out);
    if (type.tag == V_CLASS && type.class->error) {
        const class_obj *c = class_of_peek(exc);
        if (!c && exc.exc->foreign.tag != V_NONE) /* its class may have this one among its bases */
            return foreign.is_instance(vm, exc.exc->foreign, type, out);
        *out = c && class_derives(c, type.class);
        return GPA_OK;
    }
    if (!is_exception_type(type))
        return vm_fail(vm, GPA_E_TYPE,
                       "catching classes that do not inherit from BaseException is not allowed");
    *out = gpa_err_is(exc.exc->code, (gpa_code)(type.aux - AUX_ERROR));
    return GPA_OK;
}

/* ---- saving and restoring the error state ---- */

void raise_save(gpa_vm *vm, raise_saved *a) {
    *a = (raise_saved){.raised = vm->raised,
                       .trace = vm->trace,
                       .n_trace = vm->n_trace,
                       .cap_trace = vm->cap_trace,
                       .trace_of = vm->trace_of,
                       .tracing = vm->tracing,
                       .trace_skip = vm->trace_skip};
    copy_error(&a->err, &vm->core.err);
    gpa_err_clear(&vm->core.err);
    if (a->trace_of) a->trace_of->head.refs++;
    vm->raised = v_unset();
    vm->trace = NULL;
    vm->n_trace = vm->cap_trace = 0;
    vm->trace_of = NULL;
    vm->tracing = vm->trace_skip = false;
}

void raise_restore(gpa_vm *vm, raise_saved *a) {
    mem_free(vm->trace);
    value_release(vm, vm->raised);
    copy_error(&vm->core.err, &a->err);
    vm->raised = a->raised;
    vm->trace = a->trace;
    vm->n_trace = a->n_trace;
    vm->cap_trace = a->cap_trace;
    vm->trace_of = a->trace_of;
    vm->tracing = a->tracing;
    vm->trace_skip = a->trace_skip;
    if (a->trace_of) value_release(vm, v_obj(V_EXCEPTION, a->trace_of));
}

void raise_discard(gpa_vm *vm, raise_saved *a) {
    mem_free(a->trace);
    value_release(vm, a->raised);
    if (a->trace_of) value_release(vm, v_obj(V_EXCEPTION, a->trace_of));
}

/* ---- missing names ---- */

gpa_code raise_unbound(gpa_vm *vm, const frame *f, unsigned slot) {
    const char *name = slot < f->code->n_vars && f->code->scope->vars[slot].name
                           ? sym_text(vm, f->code->scope->vars[slot].name)
                           : "?";
    if (!f->fn) return vm_fail(vm, GPA_E_NAME, "name '%s' is not defined", name);
    return vm_fail(vm, GPA_E_UNBOUND,
                   "cannot access local variable '%s' where it is not associated with a value",
                   name);
}

/* Levenshtein distance with CPython's weights: 2 per change, 1 for a change of case. */
static size_t distance(const char *a, const char *b, size_t most) {
    size_t n = strlen(a), m = strlen(b);
    size_t row[64];
    if (n > 40 || m > 40) return most + 1;
    if ((n > m ? n - m : m - n) * 2 > most) return most + 1;
    for (size_t j = 0; j <= m; j++) row[j] = j * 2;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i * 2;
        for (size_t j = 1; j <= m; j++) {
            size_t cost = a[i - 1] == b[j - 1] ? 0 : (a[i - 1] ^ b[j - 1]) == 32 ? 1 : 2;
            size_t best = diagonal + cost;
            diagonal = row[j];
            best = MIN(best, row[j] + 2);
            row[j] = MIN(best, row[j - 1] + 2);
        }
    }
    return row[m];
}

void vm_suggest(const char *wrong, const char *candidate, const char **best, size_t *best_cost) {
    size_t most = (strlen(wrong) + strlen(candidate) + 3) * 2 / 6;
    if (candidate[0] == '_' && wrong[0] != '_') return;
    if (strcmp(wrong, candidate) == 0) return;
    size_t d = distance(wrong, candidate, MIN(most, *best_cost));
    if (d <= most && d < *best_cost) {
        *best = candidate;
        *best_cost = d;
    }
}

static void suggest_module(gpa_vm *vm, const module_obj *m, const char *wrong, const char **best,
                           size_t *cost) {
    for (uint32_t i = 0; m && i < m->n; i++)
        if (m->slots[i].tag != V_UNSET) vm_suggest(wrong, sym_text(vm, m->names[i]), best, cost);
}

gpa_code raise_name(gpa_vm *vm, module_obj *m, gpa_sym name) {
    const char *text = sym_text(vm, name), *best = NULL;
    size_t cost = SIZE_MAX;
    gpa_code rc = vm_fail(vm, GPA_E_NAME, "name '%s' is not defined", text);
    const frame *f = vm->depth ? &vm->frames[vm->depth - 1] : NULL;
    for (uint32_t i = 0; f && i < f->code->n_vars; i++)
        if (f->regs[i].tag != V_UNSET && f->code->scope->vars[i].name)
            vm_suggest(text, sym_text(vm, f->code->scope->vars[i].name), &best, &cost);
    static const char *const constants[] = {"True", "False", "None"};
    for (size_t i = 0; i < COUNT_OF(constants); i++) vm_suggest(text, constants[i], &best, &cost);
    suggest_module(vm, m, text, &best, &cost);
    suggest_module(vm, vm->builtins, text, &best, &cost);
    suggest_module(vm, vm->numpy, text, &best, &cost);
    native_owner o = owner_find(text);
    if (o != OWNER_COUNT && owner_is_module(o))
        gpa_err_hint(&vm->core.err, "did you forget to import '%s'?", text);
    else if (best)
        gpa_err_hint(&vm->core.err, "did you mean: '%s'?", best);
    return rc;
}

/* ---- tracebacks ---- */

size_t vm_trace(gpa_vm *vm, const vm_frame **frames) {
    vm_frame *out = mem_resize(vm->trace_out, (vm->n_trace + 1) * sizeof *out);
    *frames = NULL;
    if (!out) return 0;
    vm->trace_out = out;
    if (!vm->tracing) return 0; /* an error that passed no frame */
    for (size_t i = 0; i < vm->n_trace; i++) {
        trace_entry e = vm->trace[vm->n_trace - 1 - i];
        out[i] = (vm_frame){e.function ? sym_text(vm, e.function) : "<module>", e.at};
    }
    *frames = out;
    return vm->n_trace;
}
