/* Approximate operations (op_is_approximate) on one element, by functions of the current device. */
#include "runtime/base/base.h"
#include "runtime/exec/rt.h"

static void build(gpa_device *d, gpa_op op, gpa_dtype t, gpa_op_fn *out) {
    kir_func *f = kir_new(KIR_MAP, op_info[op].name);
    int32_t v[3] = {-1, -1, -1};
    gpa_err quiet = {0};
    const int arity = op_info[op].arity;
    *out = op_function(op, t);
    if (!f) return;
    for (int i = 0; i < arity; i++) {
        const gpa_dtype type = op_operand_type(op, t, i);
        const uint32_t number = (uint32_t)kir_add_param(f, type);
        v[i] = kir_emit(f, (kir_ins){.code = KIR_PARAM, .type = (uint8_t)type, .imm = number});
    }
    if (arity == 1)
        kir_op1(f, op, v[0]);
    else if (arity == 2)
        kir_op2(f, op, v[0], v[1]);
    else
        kir_op3(f, op, v[0], v[1], v[2]);
    if (!f->failed) d->be->build_scalar(d->dev, f, out, &quiet);
    kir_free(f);
}

gpa_val rt_op_scalar(gpa_rt *rt, gpa_op op, gpa_dtype t, const gpa_val v[3]) {
    gpa_device *d;
    gpa_val out = {.bits = {0, 0}};
    if (!op_is_approximate(op, t) || device_default(rt, &d, NULL) || !d->be->build_scalar)
        return op_scalar(op, t, v[0], v[1], v[2]);
    if (!d->scalar_ops) d->scalar_ops = mem_zero((size_t)OP_COUNT * DT_COUNT * sizeof(gpa_op_fn));
    if (!d->scalar_ops) return op_scalar(op, t, v[0], v[1], v[2]);
    gpa_op_fn *f = &d->scalar_ops[(size_t)op * DT_COUNT + t];
    if (!*f) build(d, op, t, f);
    (*f)(&out, &v[0], &v[1], &v[2]);
    return out;
}
