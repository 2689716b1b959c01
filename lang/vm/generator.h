/* Generators: what calls of yielding functions and generator expressions make. They are ITERs whose
 * `next` is generator_next. */
#ifndef GPA_VM_GENERATOR_H
#define GPA_VM_GENERATOR_H

#include "lang/vm/machine.h"

typedef struct generator {
    code *code; /* counted */
    module_obj *module;
    func_obj *fn;     /* counted; NULL: a generator expression */
    value result;     /* what it returned, until somebody asks */
    value *cells;     /* of the closure: the function's, or those behind the registers */
    uint32_t n_cells; /* of its own */
    const ins *at; /* the YIELD or YIELD_FROM at which it stands; before the first value, where it
                      begins */
    bool started, running, done;
    object_obj *holder;            /* the source of its ITER; NULL: nobody holds it any more */
    struct generator *prev, *next; /* all generators of the vm */
    struct generator *waiting;     /* the next of those that nobody holds */
    value regs[];
} generator;

static inline bool generator_is(value v) {
    return v.tag == V_ITER && v.iter->next == generator_next;
}
static inline generator *generator_of(const iter_obj *it) { return it->source.object->data; }

/* One that has not begun, with room for n_cells; the caller sets its first registers, its cells,
 * and where it begins. */
gpa_code generator_new(gpa_vm *vm, code *c, module_obj *m, uint32_t n_cells, value *out);
/* The same of a yielding function's frame at its first instruction, which gives its registers away.
 */
gpa_code generator_suspend(gpa_vm *vm, const frame *f, value *out);
/* Pushes its frame, to go on with what it is sent (consumed; UNSET: an error, so a yield gives
 * nothing). ValueError when it is running. */
gpa_code generator_enter(gpa_vm *vm, generator *g, value sent);
/* Its frame was left for good: by a return, or with the current error, of which a StopIteration
 * becomes a RuntimeError. */
void generator_end(gpa_vm *vm, generator *g);
void generator_fail(gpa_vm *vm, generator *g);
/* The next value of an iterator that is no generator, when it is sent one (NONE: when it is asked
 * for it). *done: *out is the value of its StopIteration. */
gpa_code generator_delegate(gpa_vm *vm, value it, value sent, value *out, bool *done);

/* What an ITER that has ended returned, owned: NONE, unless it is a generator and nobody has asked
 * before. */
value generator_result(const iter_obj *it);
/* Goes on with a value (consumed): *done and the result as generator_next. TypeError for one that
 * has not begun, and a value but None. */
gpa_code generator_send(gpa_vm *vm, generator *g, value sent, value *out, bool *done);
/* Raises an exception (borrowed) where it stands: *out is the next value then, or, *done, what it
 * returned. */
gpa_code generator_throw(gpa_vm *vm, generator *g, value exc, value *out, bool *done);
/* Raises GeneratorExit where it stands, and expects it to end. */
gpa_code generator_close(gpa_vm *vm, generator *g);
/* What one that stands at a `yield from` goes over, as programs know it. */
value generator_waits_for(const generator *g);
/* Its name with that of the class. */
const char *generator_title(gpa_vm *vm, const generator *g);

/* Ends those that nobody holds any more and that have something left to do. What they fail with is
 * told on stderr. */
void generator_end_abandoned(gpa_vm *vm);
/* At the end of the vm: all that have something left to do; and all let go of what they hold. */
void generator_end_all(gpa_vm *vm);
void generator_break_cycles(gpa_vm *vm);

#endif
