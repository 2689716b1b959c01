/* The services of the vm's head: error record, runtime, names, interrupts. */
#include "lang/object/core.h"

#include <stdarg.h>

gpa_err *vm_err(gpa_vm *vm) { return &vm_core_of(vm)->err; }
gpa_rt *vm_rt(gpa_vm *vm) { return vm_core_of(vm)->rt; }
intern *vm_names(gpa_vm *vm) { return vm_core_of(vm)->names; }
struct sources *vm_sources(gpa_vm *vm) {
    return vm_core_of(vm)->sources;
}

gpa_code vm_fail(gpa_vm *vm, gpa_code kind, const char *fmt, ...) {
    gpa_err *e = vm_err(vm);
    va_list ap;
    va_start(ap, fmt);
    gpa_failv(e, kind, fmt, ap);
    va_end(ap);
    return e->code;
}

gpa_code vm_no_memory(gpa_vm *vm) { return gpa_no_memory(vm_err(vm)); }

gpa_code vm_poll(gpa_vm *vm) {
    if (!atomic_exchange(&vm_core_of(vm)->interrupted, false)) return GPA_OK;
    rt_interrupt_clear(vm_rt(vm));
    return vm_fail(vm, GPA_E_INTERRUPT, "%s", "");
}
