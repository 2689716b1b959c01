/* Random sampling in compiled loops: scalar calls of numpy.random and of Python's random.
 *
 * Every worker of a loop has its own generator state: a row of an array in numpy.random
 * (11_scalar_draws.gpa). Functions written in the language replace the generator's and are inlined
 * like any other call. A new seed resets the rows. */
#include <string.h>

#include "runtime/tables/tuning.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/typed/loop.h"

static const struct {
    const char *rows, *functions; /* variables of the module numpy.random */
} tables[] = {[LOOP_RANDOM_NUMPY] = {"_lanes", "_lane_functions"},
              [LOOP_RANDOM_PYTHON] = {"_own_lanes", "_own_lane_functions"}};

int typed_random_source(const lowering *lw, value callee) {
    if (lw->to->form != TYPED_LOOP) return LOOP_RANDOM_NONE;
    if (callee.tag == V_NATIVE && strcmp(callee.native->owner, "random") == 0)
        return LOOP_RANDOM_PYTHON;
    bool method = callee.tag == V_METHOD && callee.method->fn.tag == V_FUNC &&
                  callee.method->self.tag == V_OBJECT;
    return method && callee.method->self.object->kind == &random_state_kind ? LOOP_RANDOM_NUMPY
                                                                            : LOOP_RANDOM_NONE;
}

gpa_code loop_prepare_random(gpa_vm *vm, int generator, bool strided) {
    module_obj *m;
    value out = v_unset(),
          args[2] = {v_bool(generator == LOOP_RANDOM_PYTHON),
                     v_int(strided ? TUNE_PRANGE_MAX_GPU_WORKERS : TUNE_PRANGE_MAX_WORKERS)};
    gpa_code rc = vm_import(vm, "numpy.random", &m);
    if (!rc) rc = vm_call(vm, module_get_text_peek(vm, m, "_reserve_lanes"), ARGS(2, args), &out);
    value_release(vm, out);
    return rc;
}

gpa_code typed_random_call(lowering *lw, const ast_node *n, int generator, value callee, tv *v,
                           value *fn) {
    loop_fn *l = (loop_fn *)(void *)lw->to;
    const char *name =
        callee.tag == V_NATIVE ? callee.native->name : func_name(lw->vm, callee.method->fn.func);
    module_obj *m;
    gpa_code rc = loop_prepare_random(lw->vm, generator, l->strided);
    if (!rc) rc = vm_import(lw->vm, "numpy.random", &m);
    if (rc) return rc;
    value table = module_get_text_peek(lw->vm, m, tables[generator].functions);
    *fn = dict_text_peek(lw->vm, table.dict, name + (name[0] == '_'));
    lw->fallback = true; /* array sampling, and functions without a replacement, fall back to the
                            interpreter */
    if (fn->tag == V_UNSET)
        return typed_fail(lw, n, GPA_E_UNSUPPORTED, "%s() cannot be used in a compiled function",
                          name);
    l->random_sources |= (uint8_t)(1 << generator);
    v[1] = (tv){.kind = TV_NUMBER, .t = {.dtype = DT_I64, .weak = true}};
    v[1].v = lw->worker >= 0 ? lw->worker : kir_const(lw->f, DT_I64, (gpa_val){.I64 = 0});
    return typed_global(lw, n, m, tables[generator].rows, &v[0]);
}
