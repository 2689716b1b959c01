/* Library calls in host memory, by the rows of lib.def. */
#include "runtime/host/host.h"

static host_call *const calls[LIB_COUNT] = {
#define LIB(id, name, arm, host, ...) [LIB_##id] = host,
#include "runtime/tables/lib.def"
#undef LIB
};

gpa_code hostcall_none(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                       gpa_err *e) {
    (void)call, (void)x, (void)stop;
    return gpa_fail(e, GPA_E_INTERNAL, "a library call that the host does not have");
}

gpa_code hostcall_run(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                      gpa_err *e) {
    return calls[call->kind](call, x, stop, e);
}
