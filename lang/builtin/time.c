/* The modules time and sys: clocks, sleep, the interpreter's version, streams and paths. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "lang/builtin/all.h"
#include "lang/builtin/os.h"
#include "lang/object/container.h"
#include "lang/vm/vm.h"

/* ---- clocks ---- */

static int64_t nanoseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static gpa_code give_seconds(gpa_vm *vm, const value *argv, clockid_t clock, value *out) {
    (void)vm, (void)argv;
    *out = v_float((double)nanoseconds(clock) * 1e-9);
    return GPA_OK;
}

static gpa_code give_nanoseconds(gpa_vm *vm, const value *argv, clockid_t clock, value *out) {
    (void)vm, (void)argv;
    *out = v_int(nanoseconds(clock));
    return GPA_OK;
}

#define CLOCK(name, clock, give) \
    NATIVE_FN(time_##name) { return give(vm, argv, clock, out); }

CLOCK(time, CLOCK_REALTIME, give_seconds)
CLOCK(time_ns, CLOCK_REALTIME, give_nanoseconds)
CLOCK(perf_counter, CLOCK_MONOTONIC, give_seconds)
CLOCK(perf_counter_ns, CLOCK_MONOTONIC, give_nanoseconds)
CLOCK(process_time, CLOCK_PROCESS_CPUTIME_ID, give_seconds)
CLOCK(process_time_ns, CLOCK_PROCESS_CPUTIME_ID, give_nanoseconds)

/* Sleeps in slices, so that Ctrl-C is handled soon. */
gpa_code time_sleep(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    double seconds;
    gpa_code rc = arg_float(vm, argv[0], "seconds", &seconds);
    if (rc) return rc;
    if (isnan(seconds)) return vm_fail(vm, GPA_E_VALUE, "Invalid value NaN (not a number)");
    if (seconds < 0) return vm_fail(vm, GPA_E_VALUE, "sleep length must be non-negative");
    int64_t end = nanoseconds(CLOCK_MONOTONIC) + (int64_t)(MIN(seconds, 1e9) * 1e9),
            slice = 50000000;
    for (int64_t left; !rc && (left = end - nanoseconds(CLOCK_MONOTONIC)) > 0;) {
        struct timespec t = {0, (long)MIN(left, slice)};
        nanosleep(&t, NULL);
        vm_visit(vm);
        rc = vm_poll(vm);
    }
    return rc;
}

/* ---- calendar ---- */

static gpa_code seconds_or_now(gpa_vm *vm, value v, time_t *out) {
    double s = (double)time(NULL);
    gpa_code rc = v.tag == V_NONE ? GPA_OK : arg_float(vm, v, "seconds", &s);
    *out = (time_t)floor(s);
    return rc;
}

static gpa_code give_calendar(gpa_vm *vm, const struct tm *t, value *out) {
    value parts[9] = {v_int(t->tm_year + 1900),    v_int(t->tm_mon + 1),  v_int(t->tm_mday),
                      v_int(t->tm_hour),           v_int(t->tm_min),      v_int(t->tm_sec),
                      v_int((t->tm_wday + 6) % 7), v_int(t->tm_yday + 1), v_int(t->tm_isdst)};
    return native_return(v_tuple(vm, 9, parts), out);
}

gpa_code time_localtime(gpa_vm *vm, value *argv, value *out) {
    time_t s;
    struct tm t = {0};
    gpa_code rc = seconds_or_now(vm, argv[0], &s);
    localtime_r(&s, &t);
    return rc ? rc : give_calendar(vm, &t, out);
}

gpa_code time_gmtime(gpa_vm *vm, value *argv, value *out) {
    time_t s;
    struct tm t = {0};
    gpa_code rc = seconds_or_now(vm, argv[0], &s);
    gmtime_r(&s, &t);
    return rc ? rc : give_calendar(vm, &t, out);
}

static gpa_code calendar_of(gpa_vm *vm, value v, struct tm *t) {
    int64_t p[9];
    if (v.tag != V_TUPLE || v.tuple->count != 9)
        return vm_fail(vm, GPA_E_TYPE, "Tuple or struct_time argument required");
    for (int i = 0; i < 9; i++) {
        gpa_code rc = arg_int(vm, v.tuple->items[i], "t", &p[i]);
        if (rc) return rc;
    }
    *t = (struct tm){.tm_year = (int)p[0] - 1900,
                     .tm_mon = (int)p[1] - 1,
                     .tm_mday = (int)p[2],
                     .tm_hour = (int)p[3],
                     .tm_min = (int)p[4],
                     .tm_sec = (int)p[5],
                     .tm_wday = (int)(p[6] + 1) % 7,
                     .tm_yday = (int)p[7] - 1,
                     .tm_isdst = (int)p[8]};
    return GPA_OK;
}

gpa_code time_mktime(gpa_vm *vm, value *argv, value *out) {
    struct tm t;
    gpa_code rc = calendar_of(vm, argv[0], &t);
    if (!rc) *out = v_float((double)mktime(&t));
    return rc;
}

gpa_code time_strftime(gpa_vm *vm, value *argv, value *out) {
    const char *format;
    size_t n;
    struct tm t = {0};
    char text[512];
    gpa_code rc = arg_text(vm, argv[0], "strftime() argument 1", &format, &n);
    if (!rc && argv[1].tag != V_UNSET)
        rc = calendar_of(vm, argv[1], &t);
    else {
        time_t now = time(NULL);
        localtime_r(&now, &t);
    }
    if (rc) return rc;
    n = strftime(text, sizeof text, format, &t);
    return native_return(v_str(vm, text, n), out);
}

gpa_code time_ctime(gpa_vm *vm, value *argv, value *out) {
    time_t s;
    struct tm t;
    char text[64];
    gpa_code rc = seconds_or_now(vm, argv[0], &s);
    if (rc) return rc;
    localtime_r(&s, &t);
    size_t n = strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &t);
    return native_return(v_str(vm, text, n), out);
}

/* ---- sys ---- */

value sys_argv(gpa_vm *vm) {
    value name = v_cstr(vm, ""), list = name.tag == V_UNSET ? name : v_list(vm, 1, &name);
    value_release(vm, name);
    return list;
}

value sys_path(gpa_vm *vm) {
    value here = v_cstr(vm, ""), list = here.tag == V_UNSET ? here : v_list(vm, 1, &here);
    gpa_code rc = list.tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
    value_release(vm, here);
    for (const char *at = getenv("PYTHONPATH"); !rc && at && *at;) {
        const size_t n = strcspn(at, ":");
        value folder = v_str(vm, at, n);
        rc = folder.tag == V_UNSET ? vm_err(vm)->code : list_append(vm, list.list, folder);
        value_release(vm, folder);
        at += n + (at[n] == ':');
    }
    if (!rc) return list;
    value_release(vm, list);
    return v_unset();
}

gpa_code sys_getsizeof(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    value v = argv[0];
    size_t n = sizeof(value);
    if (v.tag == V_STR || v.tag == V_BYTES)
        n += sizeof(str_obj) + v.str->size + 1;
    else if (v.tag == V_LIST)
        n += sizeof(list_obj) + v.list->cap * sizeof(value);
    else if (v.tag == V_TUPLE)
        n += sizeof(tuple_obj) + v.tuple->count * sizeof(value);
    else if (v.tag == V_DICT || v.tag == V_SET)
        n += sizeof(set_obj) + v.dict->cap * sizeof(dict_entry) + v.dict->slots * sizeof(uint32_t);
    else if (v.tag == V_ARRAY)
        n += sizeof(array_obj) +
             (size_t)v.array->arr->size * dtype_size((gpa_dtype)v.array->arr->dtype);
    *out = v_int((int64_t)n);
    return GPA_OK;
}

gpa_code sys_getrecursionlimit(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    (void)argv;
    *out = v_int(1000);
    return GPA_OK;
}

gpa_code sys_setrecursionlimit(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    int64_t n;
    gpa_code rc = arg_int(vm, argv[0], "limit", &n);
    return !rc && n < 1
               ? vm_fail(vm, GPA_E_VALUE, "recursion limit must be greater or equal than 1")
               : rc;
}

gpa_code sys_intern(gpa_vm *vm, value *argv, value *out) {
    if (argv[0].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "intern() argument must be str, not %s",
                       value_type_name(argv[0]));
    *out = value_retain(argv[0]);
    return GPA_OK;
}

/* ---- timeit ---- */

gpa_code timeit_run(gpa_vm *vm, value *argv, value *out) {
    bool main;
    value last = v_unset();
    if (argv[0].tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "stmt is neither a string nor callable");
    gpa_code rc = value_truth(vm, argv[1], &main);
    if (!rc)
        rc = vm_run_text(vm, "<timeit-src>", argv[0].str->text, main ? vm_main(vm) : NULL, &last);
    if (!rc) *out = last.tag == V_UNSET ? v_none() : last;
    return rc;
}
