/* Access to the base of the virtual machine's state: error record, runtime, names, interrupts. */
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
    if (!vm_interrupted(vm) ||
        !(atomic_fetch_and(&vm_core_of(vm)->requests, ~(unsigned)VM_INTERRUPT) & VM_INTERRUPT))
        return GPA_OK;
    rt_interrupt_clear(vm_rt(vm));
    return vm_fail(vm, GPA_E_INTERRUPT, "%s", "");
}

gpa_code vm_fill(gpa_vm *vm, gpa_str *to, const char *text, size_t n, uint64_t times) {
    enum { STEP_BYTES = 1 << 20 };
    size_t total, done = n;
    if (n == 0 || times == 0) return GPA_OK;
    char *at = __builtin_mul_overflow(n, times, &total) ? NULL : str_reserve(to, total);
    if (!at) return vm_no_memory(vm);
    memcpy(at, text, n);
    for (size_t step; done < total; done += step) { /* whole texts, copied from the first ones */
        gpa_code rc = vm_poll(vm);
        if (rc) return rc;
        step = MIN(MIN(done, MAX((size_t)STEP_BYTES / n * n, n)), total - done);
        memcpy(at + done, at, step);
    }
    str_commit(to, total);
    return GPA_OK;
}
