/* The function attention. */
#include <math.h>

#include "lang/numpy/all.h"
#include "lang/vm/array_args.h"
#include "lang/vm/native.h"
#include "lang/vm/vm.h"
#include "runtime/libcalls.h"

gpa_code np_attention(gpa_vm *vm, value *argv, value *out) { /* q, k, v, mask, causal, scale */
    gpa_rt *rt = vm_rt(vm);
    gpa_arr *in[4] = {NULL}, *result = NULL;
    arr_attention_opts o = {.diagonal = 0};
    gpa_code rc = GPA_OK;
    for (int i = 0; i < 4; i++)
        if (i < 3 || argv[i].tag != V_NONE) TRY(arg_array(vm, argv[i], DT_NONE, &in[i]));
    TRY(arg_bool(vm, argv[4], "causal", &o.causal));
    if (argv[5].tag != V_NONE) {
        TRY(arg_float(vm, argv[5], "scale", &o.scale));
    } else {
        const int64_t d = in[0]->ndim ? in[0]->shape[in[0]->ndim - 1] : 1;
        o.scale = 1 / sqrt(d ? (double)d : 1);
    }
    TRY(arr_attention(rt, &(arr_attention_operands){in[0], in[1], in[2], in[3]}, &o, &result,
                      vm_err(vm)));
    rc = np_return(vm, result, out);
out:
    for (int i = 0; i < 4; i++) arr_release(rt, in[i]);
    return rc;
}
