/* Calls outside the loop's fast path: methods, classes, instances and natives; arguments that must
 * be bound or gathered. */
#include "lang/object/container.h"
#include "lang/vm/foreign.h"
#include "lang/vm/instance.h"
#include "lang/vm/step.h"

/* Resolves a callable to a function with its first argument: a method's function, __call__ of an
 * instance, or __init__ of a class, whose new instance is then in *fn (*constructs). */
static gpa_code find_function(gpa_vm *vm, value *fn, value *callee, value *self, bool *constructs) {
    value made = v_unset(), init = v_unset();
    *callee = *fn;
    *self = v_unset();
    *constructs = false;
    if (fn->tag == V_METHOD && fn->method->fn.tag == V_FUNC) {
        *self = fn->method->self;
        *callee = fn->method->fn;
    } else if (fn->tag == V_CLASS) {
        gpa_code rc = instance_begin(vm, fn->class, &made, &init);
        if (rc || init.tag == V_UNSET) return rc;
        *constructs = true;
        *self = made;
        *callee = init;
        reg_put(vm, fn, made);
    } else if (is_kind(*fn, &instance_kind)) {
        value call = class_text_peek(class_of_peek(*fn), "__call__");
        if (call.tag != V_FUNC) return GPA_OK;
        *self = *fn;
        *callee = call;
    }
    return GPA_OK;
}

/* ---- __array_function__ ---- */

/* A value, or an item of a list or a tuple, which may take over a function. */
typedef enum { TAKES_NOTHING, TAKES_IF_FOREIGN, TAKES_OVER } taking;

static taking may_take_over(value v, bool items) {
    const bool list = v.tag == V_LIST;
    taking most = is_foreign(v) ? TAKES_IF_FOREIGN : TAKES_NOTHING;
    for (size_t i = 0; items && (list || v.tag == V_TUPLE) && i < items_count(v); i++) {
        taking one = may_take_over(list ? v.list->items[i] : v.tuple->items[i], false);
        most = MAX(most, one);
    }
    const class_obj *c = v.tag == V_OBJECT ? class_of_peek(v) : NULL;
    return c && class_text_peek(c, "__array_function__").tag != V_UNSET ? TAKES_OVER : most;
}

static bool foreign_takes_over(gpa_vm *vm, value v, const char *name, bool items) {
    const bool list = v.tag == V_LIST;
    if (is_foreign(v)) return foreign.takes_over(vm, v, name);
    for (size_t i = 0; items && (list || v.tag == V_TUPLE) && i < items_count(v); i++)
        if (foreign_takes_over(vm, list ? v.list->items[i] : v.tuple->items[i], name, false))
            return true;
    return false;
}

/* True for a public function of NumPy. */
static bool is_overridable(gpa_vm *vm, value callee) {
    static const char *const modules[] = {"numpy", "numpy.linalg", "numpy.fft"};
    const bool built_in = callee.tag == V_NATIVE && callee.native->kind == NATIVE_FUNCTION,
               library = callee.tag == V_FUNC && callee.func->module->library;
    if (!built_in && !library) return false;
    const char *module = built_in ? callee.native->owner : sym_text(vm, callee.func->module->name);
    if (!built_in && sym_text(vm, callee.func->name)[0] == '_') return false;
    for (size_t i = 0; i < COUNT_OF(modules); i++)
        if (strcmp(module, modules[i]) == 0) return true;
    return false;
}

/* Calls __array_function__ of the arguments of a function of NumPy; *out is UNSET if none of them
 * overrides it. */
static gpa_code run_override(gpa_vm *vm, value callee, const call_regs *a, value *out) {
    taking most = TAKES_NOTHING;
    *out = v_unset();
    for (size_t i = 0; i < a->n + a->n_named; i++) {
        taking one = may_take_over(a->regs[i], true);
        most = MAX(most, one);
    }
    if (!most || !is_overridable(vm, callee)) return GPA_OK;
    const char *name =
        callee.tag == V_NATIVE ? callee.native->name : sym_text(vm, callee.func->name);
    bool taken = most == TAKES_OVER;
    for (size_t i = 0; i < a->n + a->n_named && !taken; i++)
        taken = foreign_takes_over(vm, a->regs[i], name, true);
    if (!taken) return GPA_OK;
    value args[3] = {callee, v_tuple(vm, a->n, a->regs), v_dict(vm)};
    gpa_code rc = args[1].tag == V_UNSET || args[2].tag == V_UNSET ? vm_no_memory(vm) : GPA_OK;
    for (size_t i = 0; !rc && i < a->n_named; i++)
        rc = dict_set(vm, args[2].dict, a->names[i], a->regs[a->n + i]);
    if (!rc)
        rc = vm_call(vm, module_get_text_peek(vm, vm->numpy, "_call_overridden"), ARGS(3, args),
                     out);
    if (!rc && out->tag == V_NOT_IMPLEMENTED) *out = v_unset();
    value_release(vm, args[1]);
    value_release(vm, args[2]);
    return rc;
}

/* Moves the result of a call to its register, and releases the arguments. */
static void end_call(gpa_vm *vm, value *fn, const call_regs *a, value result) {
    for (size_t i = 0; i < a->n + a->n_named; i++) {
        value v = a->regs[i];
        a->regs[i].tag = V_UNSET;
        value_release(vm, v);
    }
    reg_put(vm, fn, result);
}

gpa_code run_call(gpa_vm *vm, frame *f, value *fn, const call_regs *a, bool *entered) {
    value callee, self, *args = a->regs;
    size_t n = a->n, n_named = a->n_named;
    bool constructs;
    *entered = false;
    value result = v_none();
    gpa_code rc = find_function(vm, fn, &callee, &self, &constructs);
    if (!rc && (vm->overrides || vm->foreign) && !f->module->library) {
        rc = run_override(vm, callee, a, &result);
        if (!rc && result.tag != V_UNSET) {
            end_call(vm, fn, a, result);
            return GPA_OK;
        }
    }
    if (rc) return rc;
    if (callee.tag == V_FUNC) {
        value *to = f->detached || self.tag != V_UNSET ? run_top(vm) : args;
        if ((rc = call_ready(vm, callee.func, to + n + n_named))) return rc;
        if (to != args) {
            size_t skip = self.tag != V_UNSET;
            if (skip) to[0] = value_retain(self);
            for (size_t i = 0; i < n + n_named; i++) {
                to[skip + i] = args[i];
                args[i].tag = V_UNSET;
            }
            n += skip;
        }
        code *c = callee.func->code;
        if (!c->simple || n != c->n_params || n_named)
            rc = call_bind(vm, callee.func, to, n, n_named, a->names);
        if (rc) return rc;
        run_push(vm, c, callee.func, callee.func->module, to)->constructs = constructs;
        *entered = true;
        return GPA_OK;
    }
    const call_args borrowed = {n, n_named, args, a->names};
    rc = callee.tag == V_NATIVE ? call_native(vm, callee.native, &borrowed, &result)
                                : call_other(vm, callee, &borrowed, &result);
    if (rc) return rc;
    end_call(vm, fn, a, result);
    return GPA_OK;
}

/* A call f(*args, **kwargs), with the arguments gathered in a list and a dict. They are spread on
 * the stack above the frame, where a function expects its parameters; for a native they are copied
 * to separate memory, since the functions that it calls use that part of the stack. */
gpa_code run_call_spread(gpa_vm *vm, frame *f, value *fn, bool *entered) {
    value list = fn[2], named = fn[3];
    if (fn->tag == V_METHOD && fn[1].tag == V_UNSET) { /* self becomes the first argument */
        value method = *fn;
        fn[1] = value_retain(method.method->self);
        *fn = value_retain(method.method->fn);
        value_release(vm, method);
    }
    size_t n = list.list->count, n_named = 0, skip = fn[1].tag != V_UNSET, at = 0;
    if (named.tag == V_DICT) n_named = named.dict->count;
    value *to = run_top(vm), names = v_unset(), few[8], *block = NULL;
    gpa_code rc = GPA_OK;
    if (to + skip + n + n_named + 64 > vm->stack_end)
        return vm_fail(vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
    if (fn->tag != V_FUNC) {
        if (skip + n + n_named > COUNT_OF(few) &&
            !(block = mem_new((skip + n + n_named) * sizeof *block)))
            return vm_no_memory(vm);
        to = block ? block : few;
    }
    if (skip) to[0] = fn[1], fn[1].tag = V_UNSET;
    for (size_t i = 0; i < n; i++) to[skip + i] = value_retain(list.list->items[i]);
    names = v_tuple(vm, n_named, NULL);
    if (names.tag == V_UNSET) rc = GPA_E_MEMORY;
    for (size_t i = 0; n_named && i < named.dict->n && !rc; i++) {
        const dict_entry *e = &named.dict->entries[i];
        if (e->key.tag == V_UNSET) continue;
        names.tuple->items[at] = value_retain(e->key);
        to[skip + n + at++] = value_retain(e->v);
        if (e->key.tag != V_STR) rc = vm_fail(vm, GPA_E_TYPE, "keywords must be strings");
    }
    fn[2].tag = fn[3].tag = V_UNSET;
    value_release(vm, list);
    value_release(vm, named);
    frame *top = f;
    uint32_t depth = vm->depth;
    if (!rc) {
        bool detached = top->detached;
        top->detached = false; /* the arguments are in the callee's registers already */
        rc =
            run_call(vm, top, fn, &(call_regs){skip + n, n_named, to, names.tuple->items}, entered);
        top->detached = detached;
    }
    if (rc && vm->depth == depth)
        for (size_t i = 0; i < skip + n + at; i++) {
            value v = to[i];
            to[i].tag = V_UNSET;
            value_release(vm, v);
        }
    mem_free(block);
    value_release(vm, names);
    return rc;
}
