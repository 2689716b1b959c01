/* host_time [DEVICE]: host time of a launch in microseconds: an iteration of two operations and one
 * launch on four elements, and an expression of ten operations. The goals are 5 and 8. */
#include <stdio.h>

#include "runtime/runtime.h"
#include "runtime/base/clock.h"

enum { TRIPS = 100000, ROUNDS = 5, OPS = 10 };

static gpa_opnd number(double v) {
    return (gpa_opnd){.weak = WEAK_FLOAT, .dtype = DT_F64, .v.F64 = v};
}

/* *a = *a op b; the old array is released. */
static gpa_code step(gpa_rt *rt, gpa_op op, gpa_arr **a, gpa_opnd b, gpa_err *e) {
    gpa_arr *next;
    gpa_code rc = arr_ufunc(rt, op, (gpa_opnd[]){{.arr = *a}, b}, NULL, &next, e);
    if (rc) return rc;
    arr_release(rt, *a);
    *a = next;
    return GPA_OK;
}

/* for ...: b = b + 0.02; c = b + a */
static gpa_code loop(gpa_rt *rt, gpa_arr *a, gpa_err *e) {
    gpa_arr *b = arr_retain(a), *c = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < TRIPS && !rc; i++) {
        rc = step(rt, OP_ADD, &b, number(0.02), e);
        arr_release(rt, c);
        c = arr_retain(b);
        if (!rc) rc = step(rt, OP_ADD, &c, (gpa_opnd){.arr = a}, e);
        if (!rc) rc = rt_loop_edge(rt, e);
    }
    arr_release(rt, b);
    arr_release(rt, c);
    return rc;
}

static gpa_code chain(gpa_rt *rt, gpa_arr *a, gpa_err *e) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < TRIPS && !rc; i++) {
        gpa_arr *x = arr_retain(a);
        for (int k = 0; k < OPS && !rc; k++)
            rc = step(rt, k % 2 ? OP_ADD : OP_MULTIPLY, &x, number(k + 0.5), e);
        if (!rc) rc = arr_eval(rt, &x, 1, e);
        arr_release(rt, x);
    }
    return rc;
}

int main(int argc, char **argv) {
    gpa_rt *rt = NULL;
    gpa_arr *a = NULL;
    gpa_err e = {0};
    const double data[4] = {1, 2, 3, 4};
    gpa_code rc = rt_new(&(rt_config){.device = argc > 1 ? argv[1] : NULL}, &rt, &e);
    if (!rc) rc = arr_from(rt, &(arr_spec){DT_F64, 1, (int64_t[]){4}}, data, &a, &e);
    double best[2] = {1e9, 1e9};
    for (int r = 0; r < ROUNDS && !rc; r++) {
        for (int k = 0; k < 2 && !rc; k++) {
            double begun = clock_seconds() * 1e6;
            rc = k ? chain(rt, a, &e) : loop(rt, a, &e);
            double each = (clock_seconds() * 1e6 - begun) / (double)TRIPS;
            best[k] = MIN(best[k], each);
        }
    }
    if (rc)
        fprintf(stderr, "%s: %s\n", gpa_err_name(rc), e.msg);
    else
        printf("trip of a loop %.2f us, ten operations %.2f us\n", best[0], best[1]);
    arr_release(rt, a);
    rt_free(rt);
    return rc != GPA_OK;
}
