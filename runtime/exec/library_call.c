/* Library calls: names, availability, execution. */
#include "runtime/exec/library_call.h"

#include "runtime/exec/buffer.h"
#include "runtime/exec/loop_log.h"
#include "runtime/exec/profile.h"

const char *const library_names[LIB_COUNT] = {
#define LIB(id, name, ...) name,
#include "runtime/tables/lib.def"
#undef LIB
};

bool library_can(gpa_device *d, const gpa_libcall *c) {
    return d->be->lib_can && d->be->lib_can(d->dev, c);
}

gpa_code library_run_again(gpa_rt *rt, gpa_device *d, const gpa_libcall *c, gpa_err *e) {
    profile_begin(rt, d);
    gpa_err first = {0};
    gpa_code rc = d->be->lib_run(d->dev, c, &first);
    if (rc == GPA_E_MEMORY) { /* a workspace is missing: free the pool's cached blocks */
        buf_trim(rt, d);
        rc = d->be->lib_run(d->dev, c, e);
    } else if (rc) {
        gpa_fail(e, rc, "%s", first.msg);
    }
    profile_call(rt, d, library_names[c->kind], 0);
    return rc;
}

gpa_code library_run(gpa_rt *rt, gpa_device *d, const gpa_libcall *c, gpa_err *e) {
    rt->stats.lib_calls++;
    const gpa_code rc = library_run_again(rt, d, c, e);
    if (rc)
        loop_log_refuse(rt, RT_LOOP_HOST);
    else
        loop_log_call(rt, d, c);
    return device_result(rt, d, rc, e);
}
