/* Library calls in host memory, by the rows of lib.def. */
#include "runtime/host/host.h"

#define NO_HOST NULL
static host_call *const calls[LIB_COUNT] = {
#define LIB(id, name, host, ...) [LIB_##id] = host,
#include "runtime/tables/lib.def"
#undef LIB
};
#undef NO_HOST

gpa_code hostcall_run(const gpa_libcall *call, const host_operands *x, const atomic_bool *stop,
                      gpa_err *e) {
    host_call *run = calls[call->kind];
    return run ? run(call, x, stop, e)
               : gpa_fail(e, GPA_E_INTERNAL, "a library call that the host does not have");
}
