/* %timeit, %time and %prun. Measures wall-clock time as the user perceives it: every loop
 * computes pending arrays, and the device has finished before the clock is read. Compile time is
 * excluded from loops and reported.
 *
 * Reading order: clocks and counters, the line about the device, %timeit, %time. */
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>

#include "lang/vm/kinds.h"
#include "lang/session/magic.h"
#include "runtime/base/clock.h"

enum { RUNS = 7, DIGITS = 3, MOST_POWERS = 10 };
static const double long_enough = 0.2, compile_told = 0.1; /* seconds: IPython's limits */
static const double told_from =
    0.5e-3; /* seconds of compile time that are reported in the device's line */

/* ---- counters ---- */

/* Device activity between two instants. */
typedef struct {
    double launches, calls, bytes, compile, interpreted;
    double busy; /* seconds by the device's clock; 0: not measured */
} work;

static work work_so_far(gpa_session *s) {
    rt_stats t;
    rt_get_stats(s->rt, &t);
    return (work){
        (double)t.launches, (double)t.lib_calls,   (double)(t.bytes_read + t.bytes_written),
        t.compile_seconds,  (double)t.interpreted, 0};
}

static work work_since(gpa_session *s, work from) {
    work to = work_so_far(s);
    return (work){to.launches - from.launches,
                  to.calls - from.calls,
                  to.bytes - from.bytes,
                  to.compile - from.compile,
                  to.interpreted - from.interpreted,
                  0};
}

static gpa_code settle(gpa_session *s) {
    gpa_code rc = rt_flush(s->rt, vm_err(s->vm));
    return rc ? rc : rt_sync(s->rt, vm_err(s->vm));
}

/* Compares with a copy of a large array. A rate above the bandwidth measured before is measured
 * against a new copy; a working set that stays in caches may still exceed it, which is no share. */
static void put_share_of_copy(gpa_session *s, work w, double seconds, gpa_str *out) {
    const double worth_comparing = 1e6, beyond_caches = 32e6; /* bytes of a loop */
    double rate = w.bytes / seconds;
    double most = w.bytes >= worth_comparing && w.calls <= 0 ? rt_bandwidth(s->rt, false) : 0;
    if (most > 0 && rate > most && w.bytes >= beyond_caches) most = rt_bandwidth(s->rt, true);
    if (!(most > 0)) return;
    if (rate > most)
        str_put(out, ", in caches (a copy in memory reaches ");
    else
        str_printf(out, ", %.0f%% of what a copy reaches (", 100 * rate / most);
    magic_put_bytes(out, most);
    str_put(out, "/s)");
}

/* "cuda:0: 51.2 μs in 1 launch, 80 MB, 1.56 TB/s, 53% of what a copy reaches (2.97 TB/s)": of one
 * loop that took `seconds`, or less where the device has its own clock. */
static void put_device(gpa_session *s, work w, double seconds, const char *per, gpa_str *out) {
    if (!(w.launches > 0 || w.calls > 0)) return;
    str_printf(out, "%s: ", rt_device(s->rt));
    if (w.busy > 0) {
        seconds = w.busy;
        magic_put_time(out, seconds, DIGITS);
        str_put(out, " in ");
    }
    if (w.launches > 0) str_printf(out, "%.3g launch%s", w.launches, w.launches == 1 ? "" : "es");
    if (w.calls > 0)
        str_printf(out, "%s%.3g library call%s", w.launches > 0 ? ", " : "", w.calls,
                   w.calls == 1 ? "" : "s");
    if (w.bytes > 0) {
        str_put(out, ", ");
        magic_put_bytes(out, w.bytes);
        str_put(out, ", ");
        magic_put_bytes(out, w.bytes / seconds);
        str_put(out, "/s");
    }
    put_share_of_copy(s, w, seconds, out);
    str_put(out, per);
    if (w.interpreted > 0) str_printf(out, "; %.3g interpreted", w.interpreted);
    if (w.compile >= told_from) {
        str_put(out, "; compiled in ");
        magic_put_time(out, w.compile, DIGITS);
    }
    str_putc(out, '\n');
}

/* ---- saving and restoring variables ---- */

typedef struct {
    value *values;
    uint32_t n;
} snapshot;

static gpa_code take_snapshot(gpa_session *s, snapshot *out) {
    const module_obj *m = session_scope(s);
    out->n = m->n;
    out->values = mem_new((m->n + 1) * sizeof *out->values);
    if (!out->values) return vm_no_memory(s->vm);
    for (uint32_t i = 0; i < m->n; i++) out->values[i] = value_retain(m->slots[i]);
    return GPA_OK;
}

/* Restores variables that a timed statement assigned: in IPython they are local. */
static void restore_take(gpa_session *s, snapshot *from) {
    module_obj *m = session_scope(s);
    for (uint32_t i = 0; from->values && i < m->n; i++) {
        value old = m->slots[i];
        m->slots[i] = i < from->n ? from->values[i] : v_unset();
        value_release(s->vm, old);
    }
    mem_free(from->values);
    from->values = NULL;
}

/* ---- a statement, n times ---- */

static gpa_code loop(gpa_session *s, vm_program *p, long n, double *seconds) {
    gpa_code rc = rt_sync(s->rt, vm_err(s->vm));
    double begun = clock_seconds();
    for (long i = 0; i < n && !rc; i++) {
        value last;
        rc = vm_run(s->vm, p, session_scope(s), &last);
        if (rc) break;
        if (rt_has_pending(s->rt))
            rc = rt_flush(s->rt,
                          vm_err(s->vm)); /* before the values are dropped: pending work counts */
        value_release(s->vm, last);
        if (!rc) rc = vm_poll(s->vm);
    }
    if (!rc) rc = rt_sync(s->rt, vm_err(s->vm));
    *seconds = clock_seconds() - begun;
    return rc;
}

/* ---- %timeit ---- */

typedef struct {
    long loops, runs, digits;
    bool quiet, give;
    char variable[128]; /* -v: "" for none */
} timing;

static gpa_code read_timing(magic_call *m, timing *t) {
    const char *text;
    size_t n;
    gpa_code rc = GPA_OK;
    *t = (timing){.runs = RUNS, .digits = DIGITS};
    for (int o; !rc && (o = magic_option(m, "n:r:tcp:qov:", &text, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        if (o == 'n') rc = magic_number(m, text, n, 0, &t->loops);
        if (o == 'r') rc = magic_number(m, text, n, 1, &t->runs);
        if (o == 'p') rc = magic_number(m, text, n, 1, &t->digits);
        if (o == 'q') t->quiet = true;
        if (o == 'o' || o == 'v') t->give = true;
        if (o == 'v') snprintf(t->variable, sizeof t->variable, "%.*s", (int)n, text);
    }
    t->digits = MIN(t->digits, 17);
    return rc;
}

/* The smallest power of ten whose loops take long enough. */
static gpa_code choose_loops(gpa_session *s, vm_program *p, long *loops) {
    gpa_code rc = GPA_OK;
    double t = 0;
    *loops = 1;
    for (int k = 0; k < MOST_POWERS && !rc; k++) {
        rc = loop(s, p, *loops, &t);
        if (rc || t >= long_enough || k + 1 == MOST_POWERS) break;
        *loops *= 10;
    }
    return rc;
}

enum {
    F_TEXT,
    F_LOOPS,
    F_REPEAT,
    F_BEST,
    F_WORST,
    F_AVERAGE,
    F_STDEV,
    F_COMPILE,
    F_LAUNCHES,
    F_BYTES,
    F_DEVICE_TIME,
    F_ALL_RUNS,
    F_TIMINGS,
    F_COUNT
};
static const char *const fields[F_COUNT] = {
    "",         "loops", "repeat",      "best",     "worst",  "average", "stdev", "compile_time",
    "launches", "bytes", "device_time", "all_runs", "timings"};

static gpa_code result_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_printf(out, "<TimeitResult : %s>",
               o->fields[F_TEXT].tag == V_STR ? o->fields[F_TEXT].str->text : "");
    return GPA_OK;
}

static gpa_code result_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    (void)vm;
    *out = v_unset();
    for (int i = F_LOOPS; i < F_COUNT; i++)
        if (strcmp(fields[i], name) == 0) *out = value_retain(o->fields[i]);
    return GPA_OK;
}

const object_kind timeit_kind = {
    .type_name = "TimeitResult", .repr = result_repr, .attr = result_attr};

/* The result of a measurement. */
typedef struct {
    long loops, runs;
    const double *seconds;               /* of each run */
    double best, worst, mean, deviation; /* per loop */
    double compile;
    work each; /* per loop */
} measure;

static void summarise(measure *r) {
    double sum = 0, squares = 0, n = (double)r->runs;
    r->best = INFINITY;
    r->worst = 0;
    for (long i = 0; i < r->runs; i++) {
        double t = r->seconds[i] / (double)r->loops;
        sum += t;
        r->best = fmin(r->best, t);
        r->worst = fmax(r->worst, t);
    }
    r->mean = sum / n;
    for (long i = 0; i < r->runs; i++)
        squares += pow(r->seconds[i] / (double)r->loops - r->mean, 2);
    r->deviation = sqrt(squares / n);
}

static void put_thousands(gpa_str *out, long n) {
    if (n >= 1000) {
        put_thousands(out, n / 1000);
        str_printf(out, ",%03ld", n % 1000);
    } else {
        str_printf(out, "%ld", n);
    }
}

static void put_measure(const measure *r, int digits, gpa_str *out) {
    magic_put_time(out, r->mean, digits);
    str_put(out, " ± ");
    magic_put_time(out, r->deviation, digits);
    str_printf(out, " per loop (mean ± std. dev. of %ld run%s, ", r->runs, r->runs == 1 ? "" : "s");
    put_thousands(out, r->loops);
    str_printf(out, " loop%s each)", r->loops == 1 ? "" : "s");
}

static void print_measure(gpa_session *s, const measure *r, const char *text) {
    if (r->worst > 4 * r->best && r->best > 0 && r->worst > 1e-6)
        session_printf(s, false,
                       "The slowest run took %.2f times longer than the fastest. This could mean "
                       "that an intermediate result is being cached.\n",
                       r->worst / r->best);
    session_printf(s, false, "%s\n", text);
    if (r->compile > compile_told) session_printf(s, false, "Compiler time: %.2f s\n", r->compile);
    gpa_str device;
    str_init(&device);
    put_device(s, r->each, r->best, " per loop", &device);
    session_write(s, false, device.text, device.len);
    str_free(&device);
}

static gpa_code set_list(gpa_session *s, value result, int field, const measure *r,
                         double divisor) {
    value list = v_list(s->vm, 0, NULL);
    gpa_code rc = list.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    for (long i = 0; i < r->runs && !rc; i++)
        rc = list_append(s->vm, list.list, v_float(r->seconds[i] / divisor));
    if (list.tag != V_UNSET) result.object->fields[field] = list;
    return rc;
}

static gpa_code make_result(gpa_session *s, const measure *r, const char *text, value *out) {
    value v = v_object(s->vm, &timeit_kind, F_COUNT);
    if (v.tag == V_UNSET) return vm_err(s->vm)->code;
    value *f = v.object->fields;
    f[F_TEXT] = v_cstr(s->vm, text);
    f[F_LOOPS] = v_int(r->loops);
    f[F_REPEAT] = v_int(r->runs);
    f[F_BEST] = v_float(r->best);
    f[F_WORST] = v_float(r->worst);
    f[F_AVERAGE] = v_float(r->mean);
    f[F_STDEV] = v_float(r->deviation);
    f[F_COMPILE] = v_float(r->compile);
    f[F_LAUNCHES] = v_float(r->each.launches);
    f[F_BYTES] = v_float(r->each.bytes);
    f[F_DEVICE_TIME] = v_float(r->each.busy);
    gpa_code rc = set_list(s, v, F_ALL_RUNS, r, 1);
    if (!rc) rc = set_list(s, v, F_TIMINGS, r, (double)r->loops);
    return native_finish(s->vm, rc, v, out);
}

static void add_row(void *user, const rt_profile_row *row) { *(double *)user += row->seconds; }

/* Device time per loop by the device's clock, in separate loops that wait after every launch. */
static gpa_code take_busy(gpa_session *s, vm_program *p, measure *r) {
    enum { MOST_LOOPS = 20 };
    double t, busy = 0, worth = 0.1; /* seconds */
    if (!rt_has_clock(s->rt) || !(r->each.launches > 0 || r->each.calls > 0)) return GPA_OK;
    long n = MAX(1, (long)fmin(fmin((double)r->loops, MOST_LOOPS),
                               worth / r->seconds[0] * (double)r->loops));
    gpa_code rc = rt_profile_start(s->rt, vm_err(s->vm));
    if (!rc) rc = loop(s, p, n, &t);
    rt_profile_stop(s->rt, add_row, &busy);
    r->each.busy = busy / (double)n;
    return rc;
}

/* Runs the program once, and again if it was interpreted, so that it is compiled. */
static gpa_code compile_first(gpa_session *s, vm_program *p) {
    double seconds;
    work before = work_so_far(s);
    gpa_code rc = loop(s, p, 1, &seconds);
    if (rc || work_since(s, before).interpreted <= 0) return rc;
    rc = loop(s, p, 1, &seconds);
    rt_finish_builds(s->rt);
    return rc;
}

/* Runs the program r->runs times r->loops times, after a first run that compiles. */
static gpa_code take_times(gpa_session *s, vm_program *p, long loops, double *seconds, measure *r) {
    work before = work_so_far(s);
    gpa_code rc = compile_first(s, p);
    r->compile = work_since(s, before).compile;
    r->loops = loops;
    if (!rc && !loops) rc = choose_loops(s, p, &r->loops);
    before = work_so_far(s);
    for (long i = 0; i < r->runs && !rc; i++) rc = loop(s, p, r->loops, &seconds[i]);
    work all = work_since(s, before);
    double n = (double)r->loops * (double)r->runs;
    r->each =
        (work){all.launches / n, all.calls / n, all.bytes / n, r->compile, all.interpreted / n, 0};
    r->seconds = seconds;
    return rc ? rc : take_busy(s, p, r);
}

static gpa_code report_times(magic_call *m, const timing *t, measure *r, value *out) {
    gpa_str text;
    str_init(&text);
    summarise(r);
    put_measure(r, (int)t->digits, &text);
    if (!t->quiet) print_measure(m->s, r, text.text ? text.text : "");
    value made = v_none();
    gpa_code rc = t->give ? make_result(m->s, r, text.text ? text.text : "", &made) : GPA_OK;
    if (!rc && *t->variable) rc = module_set_text(m->s->vm, session_scope(m->s), t->variable, made);
    if (!rc && !*t->variable) *out = value_retain(made);
    value_release(m->s->vm, made);
    str_free(&text);
    return rc;
}

MAGIC(timeit, BOTH, CODE, "[-n N] [-r R] [-p P] [-q] [-o] [-v VAR] statement",
      "Time execution of a statement.\n"
      "\n"
      "The statement runs N times in each of R runs. As a cell magic, the first line\n"
      "is setup code, which runs once and is not timed. A first run, which compiles,\n"
      "is not counted. Each loop computes the pending arrays, and the device has\n"
      "finished before the clock is read. Assignments of the statement are undone.\n"
      "\n"
      "The second line of the output is the work of the device per loop: launches,\n"
      "bytes, bandwidth and its share of the bandwidth of a copy; for a GPU also the\n"
      "time by its own clock.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-n N    Loops per run. Default: the power of ten that takes 0.2 seconds.\n"
      "-r R    Number of runs. Default: 7.\n"
      "-p P    Number of digits of the times. Default: 3.\n"
      "-q      Do not print the result.\n"
      "-o      Return a TimeitResult, with the attributes average, stdev, best,\n"
      "        worst, all_runs, timings, launches, bytes and device_time.\n"
      "-v VAR  Store the TimeitResult in the variable VAR.") {
    gpa_session *s = m->s;
    timing t;
    ast_module *ast = NULL;
    vm_program *program = NULL;
    double *seconds = NULL;
    snapshot before = {NULL, 0};
    measure r = {.runs = 0};
    gpa_code rc = read_timing(m, &t);
    if (rc || (!m->n && !m->body)) return rc;
    r.runs = t.runs;
    TRY(m->body ? magic_parse(m, m->body, m->n_body, &ast) : magic_parse(m, m->args, m->n, &ast));
    TRY(take_snapshot(s, &before));
    if (m->body && m->n) TRY(magic_eval(m, m->args, m->n, NULL));
    vm_measure(s->vm, true);
    rc = vm_compile(s->vm, ast, session_scope(s), &program);
    vm_measure(s->vm, false);
    if (rc) goto out;
    seconds = mem_new((size_t)t.runs * sizeof *seconds);
    if (!seconds) TRY(vm_no_memory(s->vm));
    TRY(settle(s)); /* earlier pending work does not belong to this statement */
    TRY(take_times(s, program, t.loops, seconds, &r));
out:
    restore_take(s, &before);
    if (!rc) rc = report_times(m, &t, &r, out);
    vm_program_free(s->vm, program);
    ast_release(ast);
    mem_free(seconds);
    return rc;
}

/* ---- %time ---- */

typedef struct {
    double wall, user, sys;
    work done;
} clocks;

static clocks read_clocks(gpa_session *s) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    double user = (double)u.ru_utime.tv_sec + (double)u.ru_utime.tv_usec * 1e-6;
    double system = (double)u.ru_stime.tv_sec + (double)u.ru_stime.tv_usec * 1e-6;
    return (clocks){clock_seconds(), user, system, work_so_far(s)};
}

static void print_clocks(gpa_session *s, const clocks *from) {
    clocks to = read_clocks(s);
    gpa_str text;
    work done = work_since(s, from->done);
    str_init(&text);
    str_put(&text, "CPU times: user ");
    magic_put_time(&text, to.user - from->user, DIGITS);
    str_put(&text, ", sys: ");
    magic_put_time(&text, to.sys - from->sys, DIGITS);
    str_put(&text, ", total: ");
    magic_put_time(&text, to.user - from->user + to.sys - from->sys, DIGITS);
    str_put(&text, "\nWall time: ");
    magic_put_time(&text, to.wall - from->wall, DIGITS);
    str_putc(&text, '\n');
    if (done.compile > compile_told) {
        str_put(&text, "Compiler : ");
        magic_put_time(&text, done.compile, DIGITS);
        str_putc(&text, '\n');
    }
    put_device(s, done, MAX(to.wall - from->wall - done.compile, 1e-9), "", &text);
    session_write(s, false, text.text, text.len);
    str_free(&text);
}

MAGIC(time, BOTH, CODE, "statement",
      "Time execution of a statement, run once, and return its value.\n"
      "\n"
      "The device has finished before the clock is read. Compile time is reported\n"
      "when it exceeds 0.1 seconds.") {
    gpa_session *s = m->s;
    ast_module *ast = NULL;
    value last = v_unset();
    if (m->body && m->n) return magic_usage(m, "Can't use statement directly after '%%%%time'!");
    gpa_code rc =
        m->body ? magic_parse(m, m->body, m->n_body, &ast) : magic_parse(m, m->args, m->n, &ast);
    if (!rc) rc = settle(s);
    if (rc) {
        ast_release(ast);
        return rc;
    }
    clocks begun = read_clocks(s);
    vm_measure(s->vm, true);
    rc = vm_eval(s->vm, ast, session_scope(s), &last);
    vm_measure(s->vm, false);
    if (!rc) rc = settle(s);
    print_clocks(s, &begun);
    if (!rc && last.tag != V_UNSET)
        *out = last;
    else if (last.tag != V_UNSET)
        value_release(s->vm, last);
    ast_release(ast);
    return rc;
}
