/* Random numbers in compiled loops: calls of numpy.random's functions and of Python's random, one
 * number each.
 *
 * Every thread that shares a loop draws from a state of its own: a row of an array in numpy.random
 * (11_scalar_draws.gpa), where the functions are that take their place; those are written into the
 * loop like any other. The rows begin anew with each seed. */
#include <string.h>

#include "lang/builtin/kinds.h"
#include "lang/object/container.h"
#include "lang/typed/loop.h"

static const struct {
    const char *rows, *functions; /* variables of numpy.random */
} families[] = {[LOOP_DRAWS_NUMPY] = {"_lanes", "_lane_functions"},
                [LOOP_DRAWS_PYTHON] = {"_own_lanes", "_own_lane_functions"}};

int typed_draws(const walk *w, value callee) {
    if (w->to->form != TYPED_LOOP) return LOOP_DRAWS_NOTHING;
    if (callee.tag == V_NATIVE && strcmp(callee.native->owner, "random") == 0)
        return LOOP_DRAWS_PYTHON;
    bool method = callee.tag == V_METHOD && callee.method->fn.tag == V_FUNC &&
                  callee.method->self.tag == V_OBJECT;
    return method && callee.method->self.object->kind == &random_state_kind ? LOOP_DRAWS_NUMPY
                                                                            : LOOP_DRAWS_NOTHING;
}

gpa_code loop_ready_draws(gpa_vm *vm, int family, bool strided) {
    module_obj *m;
    value out = v_unset(), args[2] = {v_bool(family == LOOP_DRAWS_PYTHON),
                                      v_int(strided ? LOOP_GPU_WORKERS : LOOP_WORKERS)};
    gpa_code rc = vm_import(vm, "numpy.random", &m);
    if (!rc) rc = vm_call(vm, module_get_text_peek(vm, m, "_ready_lanes"), 2, args, 0, NULL, &out);
    value_release(vm, out);
    return rc;
}

gpa_code typed_draw(walk *w, const ast_node *n, int family, value callee, tv *v, value *fn) {
    loop_fn *l = (loop_fn *)(void *)w->to;
    const char *name =
        callee.tag == V_NATIVE ? callee.native->name : func_name(w->vm, callee.method->fn.func);
    module_obj *m;
    gpa_code rc = loop_ready_draws(w->vm, family, l->strided);
    if (!rc) rc = vm_import(w->vm, "numpy.random", &m);
    if (rc) return rc;
    value table = module_get_text_peek(w->vm, m, families[family].functions);
    *fn = dict_text_peek(w->vm, table.dict, name + (name[0] == '_'));
    w->host = true; /* arrays of numbers, and what has no row, are the machine's */
    if (fn->tag == V_UNSET)
        return typed_fail(w, n, GPA_E_UNSUPPORTED, "%s() cannot be used in a compiled function",
                          name);
    l->draws |= (uint8_t)(1 << family);
    v[1] = (tv){.kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}};
    v[1].v = w->lane >= 0 ? w->lane : kir_const(w->f, DT_I64, (gpa_val){.I64 = 0});
    return typed_global(w, n, m, families[family].rows, &v[0]);
}
