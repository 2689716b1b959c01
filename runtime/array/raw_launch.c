/* Raw kernels: modules in the device's own language (CUDA C, PTX), and their launches. A module
 * belongs to a device, and is lost when that is restarted. */
#include "runtime/base/base.h"
#include "runtime/exec/buffer.h"
#include "runtime/exec/loop_log.h"
#include "runtime/array/host_view.h"
#include "runtime/exec/rt.h"
#include "runtime/array/store.h"
#include "runtime/programs.h"

struct rt_raw {
    gpa_device *device;
    gpa_raw *module;
    uint32_t epoch; /* of the device at compilation */
};

gpa_code rt_raw_new(gpa_rt *rt, const raw_source *s, rt_raw **out, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    if (rc) return rc;
    if (!d->be->raw_build) {
        gpa_fail(e, GPA_E_UNSUPPORTED, "CUDA C needs a CUDA device, and this session runs on %s",
                 d->caps.name);
        gpa_err_hint(e, "functions under @vectorize and @cuda.jit run on every device");
        return GPA_E_UNSUPPORTED;
    }
    rt_raw *r = mem_zero(sizeof *r);
    if (!r) return gpa_no_memory(e);
    r->device = d;
    r->epoch = d->epoch;
    rc = device_result(rt, d, d->be->raw_build(d->dev, s, &r->module, e), e);
    if (rc)
        mem_free(r);
    else
        *out = r;
    return rc;
}

bool rt_raw_is_lost(const rt_raw *r) { return r->epoch != r->device->epoch; }

void rt_raw_free(gpa_rt *rt, rt_raw *r) {
    (void)rt;
    if (!r) return;
    r->device->be->raw_drop(r->device->dev, r->module);
    mem_free(r);
}

/* Binds an array: computes it, and pending work that reads it unless it is read-only. */
static gpa_code bind(gpa_rt *rt, const rt_raw *r, gpa_arr *a, gpa_raw_arg *to, gpa_err *e) {
    gpa_code rc = a->readonly ? arr_force(rt, a, CUT_USER, e) : store_begin(rt, a, e);
    if (rc) return rc;
    gpa_buf *b = a->storage->buf;
    buf_pin(b);
    if (b->device != r->device)
        return gpa_fail(e, GPA_E_DEVICE, "an array on %s is no argument of a kernel on %s",
                        b->device->caps.name, r->device->caps.name);
    *to = (gpa_raw_arg){.mem = b->mem,
                        .at = (size_t)a->offset * dtype_size((gpa_dtype)a->dtype),
                        .size = sizeof(void *)};
    return GPA_OK;
}

gpa_code rt_raw_run(gpa_rt *rt, rt_raw *r, const rt_raw_launch *x, gpa_err *e) {
    const rt_raw_arg *args = x->args;
    const size_t n_args = x->n_args;
    gpa_raw_arg bound[RAW_MAX_ARGS];
    gpa_raw_launch l = {
        .function = x->function, .shared = x->shared, .args = bound, .n_args = n_args};
    gpa_code rc = GPA_OK;
    if (rt_interrupted(rt)) return gpa_interrupted(e);
    if (n_args > RAW_MAX_ARGS)
        return gpa_fail(e, GPA_E_TYPE, "a kernel has at most %d arguments, not %zu", RAW_MAX_ARGS,
                        n_args);
    for (size_t i = 0; i < n_args && !rc; i++) {
        if (args[i].arr)
            rc = bind(rt, r, args[i].arr, &bound[i], e);
        else
            bound[i] = (gpa_raw_arg){.size = args[i].size, .v = args[i].v};
    }
    loop_log_refuse(rt, RT_LOOP_HOST);
    memcpy(l.grid, x->grid, sizeof l.grid);
    memcpy(l.block, x->block, sizeof l.block);
    if (!rc && rt_raw_is_lost(r))
        rc = gpa_fail(e, GPA_E_DEVICE, "the kernel %s was lost when %s failed", x->function,
                      r->device->caps.name);
    if (!rc)
        rc = device_result(rt, r->device, r->device->be->raw_run(r->device->dev, r->module, &l, e),
                           e);
    rt->stats.launches++;
    return rc;
}

gpa_code rt_raw_fact(gpa_rt *rt, rt_raw *r, const char *function, raw_fact which, int64_t *out,
                     gpa_err *e) {
    if (rt_raw_is_lost(r))
        return gpa_fail(e, GPA_E_DEVICE, "the kernel %s was lost when %s failed", function,
                        r->device->caps.name);
    return device_result(
        rt, r->device, r->device->be->raw_fact(r->device->dev, r->module, function, which, out, e),
        e);
}
