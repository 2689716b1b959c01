/* Instructions implemented as functions: one per row of opcode.def that interpret.c does not
 * inline.
 *
 * Each reads and writes the registers `r` of frame f according to the layout of its row. f->ip is
 * at the instruction. */
#ifndef GPA_VM_STEP_H
#define GPA_VM_STEP_H

#include "lang/vm/machine.h"

static inline bool is_counted(value v) { return v.tag >= V_COMPLEX; }

/* Stores an owned value in a register. */
static inline void reg_put(gpa_vm *vm, value *r, value v) {
    value old = *r;
    *r = v;
    if (is_counted(old) && --old.o->refs == 0) value_destroy(vm, old);
}

/* Releases an operand after its last use: temporaries are dead then. */
static inline void reg_consume(gpa_vm *vm, const frame *f, unsigned i) {
    value *r = &f->regs[i];
    if (!is_counted(*r) || i < f->code->first_temp) return;
    value old = *r;
    r->tag = V_UNSET;
    if (--old.o->refs == 0) value_destroy(vm, old);
}

/* The operand itself, owned: moved out of a temporary, retained elsewhere. */
static inline value reg_take(const frame *f, unsigned i) {
    value v = f->regs[i];
    if (is_counted(v)) {
        if (i < f->code->first_temp)
            v.o->refs++;
        else
            f->regs[i].tag = V_UNSET;
    }
    return v;
}

#define STEP(NAME) gpa_code step_##NAME(gpa_vm *vm, frame *f, value *r, const ins *i)
STEP(unset); /* fails: an operand of the instruction is an unbound variable */
STEP(get_global);
STEP(del_global);
STEP(keep);
STEP(new_cell);
STEP(get_cell);
STEP(set_cell);
STEP(del_cell);
STEP(get_free);
STEP(set_free);
STEP(del_free);
STEP(old_item);
STEP(update_item);
STEP(unary);
STEP(iter);
STEP(unpack);
STEP(unpack_star);
STEP(list);
STEP(tuple);
STEP(set);
STEP(dict);
STEP(append);
STEP(extend);
STEP(set_add);
STEP(set_extend);
STEP(dict_set);
STEP(dict_merge);
STEP(to_tuple);
STEP(slice);
STEP(string);
STEP(format);
STEP(get_item);
STEP(set_item);
STEP(predicable);
STEP(set_where);
STEP(del_item);
STEP(settle);
STEP(enter_jitted);
STEP(python);
STEP(leave_jitted);
STEP(get_attr);
STEP(set_attr);
STEP(del_attr);
STEP(get_method);
STEP(get_own);
STEP(namespace);
STEP(class);
STEP(function);
STEP(generator);
STEP(raise);
STEP(check);
STEP(check_for);
STEP(reraise);
STEP(reraise_handled);
STEP(fail_assert);
STEP(enter);
STEP(leave);
STEP(import);
STEP(import_root);
STEP(import_name);
STEP(import_all);
STEP(magic);
#undef STEP

/* Instructions with a result for the interpreter loop. */
gpa_code step_binary(gpa_vm *vm, frame *f, value *r, const ins *i, ast_op op);
gpa_code step_update(gpa_vm *vm, frame *f, value *r, const ins *i, ast_op op);
gpa_code step_compare(gpa_vm *vm, frame *f, value *r, const ins *i, ast_op op, bool *out);
gpa_code step_truth(gpa_vm *vm, frame *f, value *r, const ins *i, bool *out);
gpa_code step_lift(gpa_vm *vm, frame *f, value *r, const ins *i, bool *done);
gpa_code step_match(gpa_vm *vm, frame *f, value *r, const ins *i, bool *out);
gpa_code step_leave_raised(gpa_vm *vm, frame *f, value *r, const ins *i, bool *swallowed);

#endif
