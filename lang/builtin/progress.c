/* progress(iterable): an iterator over the items, with a progress bar that the front end shows once
 * it takes longer than WAIT_NS. */
#include <time.h>

#include "lang/builtin/all.h"
#include "lang/builtin/iterate.h"
#include "runtime/base/clock.h"

/* at: items so far; end: number of items (-1: unknown); step: start time in ns. extra: label, time
 * of the next update. */
enum { WAIT_NS = 1000000000, EVERY_NS = 100000000 };

static int64_t clock_ns(void) { return (int64_t)(clock_seconds() * 1e9); }

static gpa_code progress_next(gpa_vm *vm, iter_obj *it, value *out, bool *done) {
    gpa_code rc = wrapped_next(vm, it->source, out, done);
    value *extra = it->extra.list->items;
    if (rc || *done) {
        vm_progress(vm, NULL, -1, -1);
        return rc;
    }
    int64_t t = clock_ns(), n = it->at++;
    if (t < extra[1].i) return GPA_OK;
    extra[1] = v_int(t + EVERY_NS);
    double part = it->end > 0 ? (double)n / (double)it->end : -1,
           taken = (double)(t - it->step) * 1e-9;
    vm_progress(vm, extra[0].str->text, part, part > 0 ? taken / part - taken : -1);
    return GPA_OK;
}

gpa_code progress_new(gpa_vm *vm, value *argv, value *out) {
    int64_t total = -1;
    const char *text;
    size_t size;
    value items = v_none(), extra = v_none();
    gpa_code rc = arg_text(vm, argv[2], "desc", &text, &size);
    if (!rc && argv[1].tag != V_NONE) rc = arg_int(vm, argv[1], "total", &total);
    if (!rc && argv[1].tag == V_NONE && vm_len(vm, argv[0], &total)) {
        vm_clear_error(vm); /* no length: an iterator, for example */
        total = -1;
    }
    if (!rc) rc = vm_iter(vm, argv[0], &items);
    const value state[] = {argv[2], v_int(clock_ns() + WAIT_NS)};
    if (!rc) rc = native_return(v_list(vm, 2, state), &extra);
    if (!rc) rc = iter_over(vm, "progress", items, extra, progress_next, out);
    if (!rc) {
        out->iter->end = total;
        out->iter->step = clock_ns();
    }
    value_release(vm, items);
    value_release(vm, extra);
    return rc;
}
