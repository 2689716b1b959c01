/* Helpers of the functions of instructions. */
#ifndef GPA_VM_STEP_BODY_H
#define GPA_VM_STEP_BODY_H

#include "lang/vm/array_interface.h"
#include "lang/vm/step.h"

#define STEP(NAME) gpa_code step_##NAME(gpa_vm *vm, frame *f, value *r, const ins *i)
#define UNUSED (void)vm, (void)f, (void)r, (void)i
#define BOUND(reg) \
    if (r[reg].tag == V_UNSET) return raise_unbound(vm, f, reg)

/* True if a register holds a temporary array, which the instruction is the last to read. */
static inline bool step_reads_last(const frame *f, const value *r, unsigned i) {
    return is_unshared_array(r[i]) && i >= f->code->first_temp;
}

/* Stores a result and releases temporary operands. */
static inline gpa_code step_finish(gpa_vm *vm, frame *f, const ins *i, value v, bool b, bool c) {
    if (b) reg_consume(vm, f, i->b);
    if (c) reg_consume(vm, f, i->c);
    reg_put(vm, &f->regs[i->a], v);
    return GPA_OK;
}

#endif
