/* Measured memory bandwidth of the default device: the best of several copies of a large array. */

#include "runtime/array/array.h"
#include "runtime/base/clock.h"
#include "runtime/exec/rt.h"

/* Seconds of n copies, queued one after the other; 0 after a failure. */
static double copy(gpa_rt *rt, gpa_arr *a, int n) {
    gpa_err quiet = {0};
    gpa_code rc = GPA_OK;
    double begun = clock_seconds();
    for (int i = 0; i < n && !rc; i++) {
        gpa_arr *b = NULL;
        rc = arr_copy(rt, a, &b, &quiet);
        if (!rc) rc = arr_eval(rt, &b, 1, &quiet);
        arr_release(rt, b);
    }
    if (!rc) rc = rt_sync(rt, &quiet);
    return rc ? 0 : clock_seconds() - begun;
}

static double measure(gpa_rt *rt, bool gpu) {
    enum { TRIES = 6 };
    const double settled = 0.4; /* seconds until a GPU runs the optimised build of the copy */
    int64_t n = gpu ? 1 << 27 : 1 << 26; /* float32 elements: far larger than any cache */
    int batch = gpu ? 10 : 1; /* a GPU reaches its clock and full queue only under load */
    gpa_arr *a = NULL;
    gpa_err quiet = {0};
    double best = 0;
    gpa_code rc = arr_full(rt, &(arr_spec){DT_F32, 1, &n}, (gpa_val){.F32 = 1}, &a, &quiet);
    if (!rc) rc = arr_eval(rt, &a, 1, &quiet);
    double begun = clock_seconds();
    for (int i = 0; (i <= TRIES || (gpu && clock_seconds() - begun < settled)) && !rc;
         i++) { /* the first compiles, and touches the memory */
        double t = copy(rt, a, batch), moved = (double)n * 8 * batch;
        if (t > 0 && i && moved / t > best) best = moved / t;
    }
    arr_release(rt, a);
    return best;
}

double rt_bandwidth(gpa_rt *rt, bool again) {
    gpa_device *d;
    gpa_err quiet = {0};
    if (device_default(rt, &d, &quiet) || d->caps.interprets) return 0;
    if ((d->bandwidth > 0 && !again) || rt->explain || rt->profile) return d->bandwidth;
    rt_stats before = rt->stats;
    d->bandwidth = MAX(d->bandwidth, measure(rt, d->caps.gpu));
    buf_trim(rt, d);
    before.bytes_live = rt->stats.bytes_live;
    before.bytes_cached = rt->stats.bytes_cached;
    before.bytes_pending = rt->stats.bytes_pending;
    rt->stats = before;
    return d->bandwidth;
}
