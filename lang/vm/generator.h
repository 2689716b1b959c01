/* Generator objects: the results of generator functions and generator expressions. They are ITERs
 * whose `next` is generator_next. */
#ifndef GPA_VM_GENERATOR_H
#define GPA_VM_GENERATOR_H

#include "lang/vm/machine.h"

typedef struct generator {
    code *code; /* counted */
    module_obj *module;
    func_obj *fn;     /* counted; NULL: a generator expression */
    value result;     /* the returned value until generator_result takes it */
    value *cells;     /* closure cells: the function's, or its own, stored after the registers */
    uint32_t n_cells; /* number of its own cells */
    const ins *at; /* the YIELD or YIELD_FROM at which it is suspended; before the first value, its
                      entry */
    bool started, running, done;
    object_obj *holder;            /* the source of its ITER; NULL: abandoned */
    struct generator *prev, *next; /* all generators of the vm */
    struct generator *waiting;     /* the next abandoned generator */
    value regs[];
} generator;

static inline bool generator_is(value v) {
    return v.tag == V_ITER && v.iter->next == generator_next;
}
static inline generator *generator_of(const iter_obj *it) { return it->source.object->data; }

/* A generator that has not started, with n_cells cells; the caller sets its first registers, its
 * cells, and its entry. */
gpa_code generator_new(gpa_vm *vm, code *c, module_obj *m, uint32_t n_cells, value *out);
/* The same from the frame of a generator function at its first instruction, whose registers are
 * moved. */
gpa_code generator_suspend(gpa_vm *vm, const frame *f, value *out);
/* Pushes the generator's frame, to resume with a sent value (consumed; UNSET: the vm's error,
 * raised at the yield). ValueError if it is running. */
gpa_code generator_enter(gpa_vm *vm, generator *g, value sent);
/* Called when the generator's frame has returned or failed; a StopIteration becomes a RuntimeError.
 */
void generator_end(gpa_vm *vm, generator *g);
void generator_fail(gpa_vm *vm, generator *g);
/* The next value of an iterator that is no generator when a value is sent to it (NONE: plain next).
 * *done: *out is the value of its StopIteration. */
gpa_code generator_delegate(gpa_vm *vm, value it, value sent, value *out, bool *done);

/* The return value of an exhausted ITER, owned: NONE unless it is a generator, and NONE the second
 * time. */
value generator_result(const iter_obj *it);
/* Resumes the generator with a value (consumed); *done and *out as for generator_next. TypeError
 * for a value other than None before it has started. */
gpa_code generator_send(gpa_vm *vm, generator *g, value sent, value *out, bool *done);
/* Throws an exception (borrowed) into the generator: *out is the next value, or, *done, the
 * returned one. */
gpa_code generator_throw(gpa_vm *vm, generator *g, value exc, value *out, bool *done);
/* Throws GeneratorExit into the generator, which must end. */
gpa_code generator_close(gpa_vm *vm, generator *g);
/* The iterator that the generator delegates to by `yield from` (gi_yieldfrom). */
value generator_delegate_peek(const generator *g);
/* The generator's qualified name. */
const char *generator_title(gpa_vm *vm, const generator *g);

/* Runs the pending finally blocks of abandoned generators. Their errors are printed to stderr. */
void generator_end_abandoned(gpa_vm *vm);
/* At the end of the vm: finishes all generators with pending finally blocks, then releases the
 * values of all. */
void generator_end_all(gpa_vm *vm);
void generator_break_cycles(gpa_vm *vm);

#endif
