/* The base of the virtual machine's state: the part that values and the compiler need.
 *
 * struct vm (lang/vm/machine.h) begins with a vm_core. Rooms below the interpreter reach the
 * runtime, the interned names, the error record and the interrupt flag through it, and the
 * interpreter itself only through value_hooks. */
#ifndef GPA_OBJECT_CORE_H
#define GPA_OBJECT_CORE_H

#include <stdatomic.h>

#include "lang/object/value.h"
#include "lang/syntax/intern.h"

/* Requests of other threads and signal handlers to the evaluation: bits of vm_core.requests. */
enum { VM_INTERRUPT = 1, VM_VISIT = 2 };

typedef struct vm_core {
    gpa_rt *rt;
    intern *names; /* borrowed: they outlive the vm */
    struct sources *sources;
    gpa_err err; /* the current error */
    atomic_uint requests;
    bool measured; /* vm_measure: statements compute arrays that they leave unused */
    struct destroy_queue *destroying; /* destroy.c: NULL while nothing is being destroyed */
} vm_core;

static inline vm_core *vm_core_of(gpa_vm *vm) { return (vm_core *)vm; }

/* True if Ctrl-C was pressed and the evaluation has not noticed yet. */
static inline bool vm_interrupted(gpa_vm *vm) {
    return atomic_load_explicit(&vm_core_of(vm)->requests, memory_order_relaxed) & VM_INTERRUPT;
}

gpa_err *vm_err(gpa_vm *vm); /* the error record of the running thread of evaluation */
gpa_rt *vm_rt(gpa_vm *vm);   /* the arrays' runtime */
intern *vm_names(gpa_vm *vm);
struct sources *vm_sources(gpa_vm *vm);
/* Sets the error and returns its code: `return vm_fail(vm, GPA_E_TYPE, "...", ...)`. The first
 * error wins. */
gpa_code vm_fail(gpa_vm *vm, gpa_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
gpa_code vm_no_memory(gpa_vm *vm);
/* GPA_E_INTERRUPT when Ctrl-C was pressed. Costs a load; native loops poll in each iteration that
 * takes as long as formatting a number, in others every few hundred iterations. */
gpa_code vm_poll(gpa_vm *vm);
/* Appends a text of n bytes `count` times, and polls for interrupts. GPA_E_MEMORY at once if the
 * buffer cannot hold the result. */
gpa_code vm_fill(gpa_vm *vm, gpa_str *to, const char *text, size_t n, uint64_t times);

/* Operations on values that only the interpreter can do. Defined in lang/vm/value_hooks.c. */
typedef struct {
    void (*free_function)(gpa_vm *vm, struct func_obj *f);
    /* The object leaves the vm's list, and the vm's references to it are cleared. */
    void (*unlink_exception)(gpa_vm *vm, exc_obj *x);
    void (*unlink_class)(gpa_vm *vm, class_obj *c);
    /* True if the class, or one it derives from, has such a member. */
    bool (*class_has)(const class_obj *c, const char *member);
    /* Python's == where an operand is an array or an OBJECT. */
    gpa_code (*equal)(gpa_vm *vm, value a, value b, bool *out);
} value_hook_table;
extern const value_hook_table value_hooks;

#endif
