/* Overriding ufuncs: the protocol __array_ufunc__. The library function _override calls it. */
#include "lang/numpy/override.h"

#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"
#include "lang/object/container.h"
#include "lang/object/kind.h"
#include "lang/vm/class.h"
#include "lang/vm/foreign.h"

bool override_among(size_t n, const value *args) {
    for (size_t i = 0; i < n; i++) {
        if (args[i].tag == V_TUPLE && override_among(args[i].tuple->count, args[i].tuple->items))
            return true;
        if (is_foreign(args[i]) && foreign.overrides(args[i])) return true;
        const class_obj *c = args[i].tag == V_OBJECT ? class_of_peek(args[i]) : NULL;
        if (c && class_text_peek(c, "__array_ufunc__").tag != V_UNSET) return true;
    }
    return false;
}

gpa_code override_run(gpa_vm *vm, value of, const char *method, const override_call *call,
                      value *out) {
    value fn = v_none(),
          args[] = {of, v_cstr(vm, method), v_tuple(vm, call->n, call->inputs), v_dict(vm)};
    bool made = args[1].tag != V_UNSET && args[2].tag != V_UNSET && args[3].tag != V_UNSET;
    gpa_code rc = made ? np_library_func(vm, "_override", &fn) : vm_err(vm)->code;
    for (size_t i = 0; i < call->n_named && !rc; i++)
        rc = dict_set_text(vm, args[3].dict, call->names[i], call->values[i]);
    if (!rc) rc = vm_call(vm, fn, ARGS(4, args), out);
    for (int i = 1; i < 4; i++) value_release(vm, args[i]);
    value_release(vm, fn);
    return rc;
}

gpa_code override_method(gpa_vm *vm, const char *method, const value *argv,
                         const override_call *plain, value *out) {
    const size_t n = plain->n;
    const char *given[OVERRIDE_MOST_NAMED];
    value values[OVERRIDE_MOST_NAMED];
    size_t count = 0;
    for (size_t i = 0; i < plain->n_named; i++) {
        value v = argv[1 + n + i];
        if (v.tag == V_UNSET || value_is(v, plain->values[i])) continue;
        given[count] = plain->names[i];
        values[count++] = v;
    }
    return override_run(vm, argv[0], method, &(override_call){n, argv + 1, count, given, values},
                        out);
}
