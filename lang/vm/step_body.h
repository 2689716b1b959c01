/* What the functions of instructions share. */
#ifndef GPA_VM_STEP_BODY_H
#define GPA_VM_STEP_BODY_H

#include "lang/vm/step.h"

#define STEP(NAME) gpa_code step_##NAME(gpa_vm *vm, frame *f, value *r, const ins *i)
#define UNUSED (void)vm, (void)f, (void)r, (void)i
#define BOUND(reg) \
    if (r[reg].tag == V_UNSET) return raise_unbound(vm, f, reg)

/* Stores a result and releases temporary operands. */
static inline gpa_code step_finish(gpa_vm *vm, frame *f, const ins *i, value v, bool b, bool c) {
    if (b) reg_consume(vm, f, i->b);
    if (c) reg_consume(vm, f, i->c);
    reg_put(vm, &f->regs[i->a], v);
    return GPA_OK;
}

#endif
