/* Magics about generated code and devices: %explain, %dis, %kir, %cuda, %ptx, %sass, %prun, %gpu,
 * %device, %ranks, %simulate, %trace. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lang/typed/sass.h"
#include "lang/vm/disassemble.h"
#include "lang/session/magic.h"
#include "lang/vm/foreign.h"
#include "lang/vm/machine.h"
#include "runtime/base/clock.h"

/* ---- running a statement while explaining or profiling ---- */

static gpa_code eval_and_wait(const magic_call *m, value *last) {
    gpa_session *s = m->s;
    ast_module *ast = NULL;
    gpa_code rc =
        m->body ? magic_parse(m, m->body, m->n_body, &ast) : magic_parse(m, m->args, m->n, &ast);
    vm_measure(s->vm, true);
    if (!rc) rc = vm_eval(s->vm, ast, session_scope(s), last);
    vm_measure(s->vm, false);
    ast_release(ast);
    if (!rc) rc = rt_flush(s->rt, vm_err(s->vm)); /* computing the value belongs to the statement */
    if (!rc) rc = rt_sync(s->rt, vm_err(s->vm));
    return rc;
}

/* Returns the value only if it is assigned (x = %explain ...): these magics display a text. */
static void return_if_wanted(const magic_call *m, value last, gpa_code rc, value *out) {
    if (last.tag == V_UNSET) return;
    if (!rc && m->wanted)
        *out = last;
    else
        value_release(m->s->vm, last);
}

static gpa_code explained(magic_call *m, rt_explain_what what, gpa_str *text, value *out) {
    gpa_session *s = m->s;
    value last = v_unset();
    gpa_code rc =
        rt_flush(s->rt, vm_err(s->vm)); /* earlier pending work does not belong to this statement */
    if (rc) return rc;
    if (what == RT_EXPLAIN_ASSEMBLY) rt_finish_builds(s->rt); /* shows the final builds */
    rt_explain_start(s->rt, what);
    rc = eval_and_wait(m, &last);
    rt_explain_stop(s->rt, text);
    return_if_wanted(m, last, rc, out);
    return rc;
}

static gpa_code explain(magic_call *m, rt_explain_what what, value *out) {
    gpa_str text;
    if (!m->n && !m->body) return magic_usage(m, "%%%s: a statement is missing", m->row->name);
    if (m->body && m->n)
        return magic_usage(m, "Can't use statement directly after '%%%%%s'!", m->row->name);
    str_init(&text);
    gpa_code rc = explained(m, what, &text, out);
    if (text.len)
        session_write(m->s, false, text.text, text.len);
    else if (!rc)
        session_printf(m->s, false, "Nothing was computed.\n");
    str_free(&text);
    return rc;
}

MAGIC(explain, BOTH, CODE, "[-s] [-r] statement",
      "Show the fused programs of a statement.\n"
      "\n"
      "Each program with its operations, the reason why fusion ends, launches and\n"
      "bytes.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-s    Show the generated code.\n"
      "-r    Show the resources of each program: registers, shared memory, occupancy.") {
    const char *text;
    size_t n;
    rt_explain_what what = RT_EXPLAIN_PLAN;
    for (int o; (o = magic_option(m, "sr", &text, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        what = o == 's' ? RT_EXPLAIN_SOURCE : RT_EXPLAIN_RESOURCES;
    }
    return explain(m, what, out);
}

MAGIC(kir, BOTH, CODE, "statement", "Show the program IR (kir) of a statement.") {
    return explain(m, RT_EXPLAIN_KIR, out);
}

/* ---- %dis ---- */

/* Compiles a code and the codes in it, which otherwise happens at their first call. */
static gpa_code compile_all(gpa_session *s, code *c, module_obj *in) {
    gpa_code rc = c->compiled ? GPA_OK : compile_code(s->vm, c, in, false);
    for (uint32_t i = 0; i < c->n_inner && !rc; i++) rc = compile_all(s, c->inner[i], in);
    return rc;
}

/* Appends the listing of a function that the argument names. False: it names none. */
static bool disassemble_function(const magic_call *m, gpa_str *text, gpa_code *rc) {
    gpa_session *s = m->s;
    value v = m->body ? v_unset() : inspect_resolve(s, m->args, m->n);
    value fn = v.tag == V_METHOD ? v.method->fn : v;
    bool found = fn.tag == V_FUNC;
    if (found) *rc = compile_all(s, fn.func->code, fn.func->module);
    if (found && !*rc) code_print(s->vm, fn.func->code, fn.func->module, s->sources, text);
    value_release(s->vm, v);
    return found;
}

static gpa_code disassemble_statement(const magic_call *m, gpa_str *text) {
    gpa_session *s = m->s;
    ast_module *ast = NULL;
    vm_program *program = NULL;
    gpa_code rc =
        m->body ? magic_parse(m, m->body, m->n_body, &ast) : magic_parse(m, m->args, m->n, &ast);
    if (!rc) rc = vm_compile(s->vm, ast, session_scope(s), &program);
    if (!rc) rc = compile_all(s, program, session_scope(s));
    if (!rc) code_print(s->vm, program, session_scope(s), s->sources, text);
    vm_program_free(s->vm, program);
    ast_release(ast);
    return rc;
}

MAGIC(dis, BOTH, CODE, "statement | function",
      "Disassemble a statement or a function: print its bytecode.\n"
      "\n"
      "The columns are source line, offset, opcode and operands: the register that is\n"
      "written first, then those that are read. Registers of variables and of numeric\n"
      "constants are shown as these. The statement is not run. The functions in it\n"
      "follow.") {
    gpa_str text;
    gpa_code rc = GPA_OK;
    if (!m->n && !m->body) return magic_usage(m, "%%dis: a statement is missing");
    str_init(&text);
    if (!disassemble_function(m, &text, &rc)) rc = disassemble_statement(m, &text);
    if (!rc && text.failed) rc = vm_no_memory(m->s->vm);
    if (!rc) session_write(m->s, false, text.text, text.len);
    str_free(&text);
    return rc;
}

/* ---- GPU code ---- */

static bool on_gpu(gpa_session *s) { return rt_has_cuda_code(s->rt); }

/* Explains why there is no GPU code to display. */
static gpa_code explain_no_gpu(const magic_call *m, const char *what, const char *instead) {
    rt_gpu_facts facts;
    gpa_err e = {0};
    if (rt_get_gpu(m->s->rt, 0, &facts, &e))
        session_printf(m->s, false, "%%%s shows %s, and there is no GPU here: %s. %s\n",
                       m->row->name, what, e.msg, instead);
    else
        session_printf(
            m->s, false,
            "%%%s shows %s, and the current device is %s: `%%device cuda` changes that. %s\n",
            m->row->name, what, rt_device(m->s->rt), instead);
    return GPA_OK;
}

MAGIC(cuda, BOTH, CODE, "statement", "Show the CUDA C source of the programs of a statement.") {
    return on_gpu(m->s) ? explain(m, RT_EXPLAIN_SOURCE, out)
                        : explain_no_gpu(m, "the CUDA source of programs",
                                         "`%explain -s` shows what this device runs.");
}

MAGIC(ptx, BOTH, CODE, "statement", "Show the PTX of the programs of a statement.") {
    return on_gpu(m->s) ? explain(m, RT_EXPLAIN_ASSEMBLY, out)
                        : explain_no_gpu(m, "the PTX of programs",
                                         "`%explain -s` shows what this device runs.");
}

/* Appends one program's PTX as SASS. */
static void put_sass(const char *ptx, size_t n, gpa_str *out) {
    if (!sass_of_ptx(ptx, n, out))
        str_put(out, "  ptxas and cuobjdump, of the CUDA toolkit, are needed\n");
}

/* The position after the last line that begins with } before `end`; `end` if there is none. */
static const char *last_brace(const char *at, const char *end) {
    const char *found = end;
    for (const char *p = at; (p = memmem(p, (size_t)(end - p), "\n}", 2)); p += 2) found = p + 2;
    return found;
}

/* In an explanation PTX extends from ".version" (or the comment above it) to its last brace. */
static void replace_ptx(const gpa_str *text, gpa_str *out) {
    const char *at = text->text ? text->text : "", *end = at + text->len;
    while (at < end) {
        const char *ptx = strstr(at, "//\n// Generated"), *version = strstr(at, ".version ");
        if (!ptx || (version && version < ptx)) ptx = version;
        if (!ptx) break;
        const char *next = strstr(ptx, "\nstep "), *stop = last_brace(ptx, next ? next : end);
        str_putn(out, at, (size_t)(ptx - at));
        put_sass(ptx, (size_t)(stop - ptx), out);
        at = stop + (stop < end && *stop == '\n');
    }
    str_putn(out, at, (size_t)(end - at));
}

MAGIC(sass, BOTH, CODE, "statement",
      "Show the SASS (machine code) of the programs of a statement.\n"
      "\n"
      "Needs ptxas and cuobjdump of the CUDA toolkit.") {
    gpa_str text, sass;
    if (!on_gpu(m->s))
        return explain_no_gpu(m, "the machine code of programs",
                              "`%explain -s` shows what this device runs.");
    if (!m->n && !m->body) return magic_usage(m, "%%sass: a statement is missing");
    str_init(&text);
    str_init(&sass);
    gpa_code rc = explained(m, RT_EXPLAIN_ASSEMBLY, &text, out);
    if (!rc) replace_ptx(&text, &sass);
    session_write(m->s, false, sass.text, sass.len);
    str_free(&text);
    str_free(&sass);
    return rc;
}

/* ---- %prun ---- */

enum { MOST_ROWS = 100, LONGEST_WHAT = 100 };

typedef struct {
    char what[LONGEST_WHAT + 8];
    uint64_t calls, bytes;
    double seconds;
} profile_row;

typedef struct {
    profile_row rows[MOST_ROWS];
    size_t n;
} profile_rows;

static void keep_row(void *user, const rt_profile_row *r) {
    profile_rows *p = user;
    if (p->n == MOST_ROWS) return;
    profile_row *to = &p->rows[p->n++];
    *to = (profile_row){.calls = r->calls, .bytes = r->bytes, .seconds = r->seconds};
    bool longer = strlen(r->what) > LONGEST_WHAT;
    snprintf(to->what, sizeof to->what, "%.*s%s", longer ? LONGEST_WHAT - 3 : LONGEST_WHAT, r->what,
             longer ? "..." : "");
}

static int by_time(const void *a, const void *b) {
    double x = ((const profile_row *)a)->seconds, y = ((const profile_row *)b)->seconds;
    return (x < y) - (x > y);
}

static int by_calls(const void *a, const void *b) {
    uint64_t x = ((const profile_row *)a)->calls, y = ((const profile_row *)b)->calls;
    return (x < y) - (x > y);
}

static int by_bytes(const void *a, const void *b) {
    uint64_t x = ((const profile_row *)a)->bytes, y = ((const profile_row *)b)->bytes;
    return (x < y) - (x > y);
}

static void put_rate(const profile_row *r, gpa_str *out) {
    gpa_str cell;
    str_init(&cell);
    if (r->bytes) magic_put_bytes(&cell, (double)r->bytes);
    str_printf(out, " %9s", cell.text ? cell.text : "");
    str_clear(&cell);
    if (r->bytes && r->seconds > 0)
        magic_put_bytes(&cell, (double)r->bytes / r->seconds), str_put(&cell, "/s");
    str_printf(out, " %10s", cell.len ? cell.text : "");
    str_free(&cell);
}

/* Iterations of loops that were replayed so far. */
static uint64_t replayed(const gpa_session *s) {
    rt_stats t;
    rt_get_stats(s->rt, &t);
    return t.replayed;
}

/* `loops`: iterations of loops that were replayed. */
static void put_profile(const gpa_session *s, const profile_rows *p, double seconds, uint64_t loops,
                        gpa_str *to) {
    gpa_str out = *to, cell;
    double all = 0;
    uint64_t calls = 0;
    str_init(&cell);
    for (size_t i = 0; i < p->n; i++) all += p->rows[i].seconds, calls += p->rows[i].calls;
    str_printf(&out, "%zu %s, run %llu times, in ", p->n,
               p->n == 1 ? "program or library call" : "programs and library calls",
               (unsigned long long)calls);
    magic_put_time(&out, all, 3);
    str_put(&out, " of ");
    magic_put_time(&out, seconds, 3);
    str_printf(&out, " on %s\n", rt_device(s->rt));
    if (loops)
        str_printf(&out, "%llu iterations of loops replayed without interpreting them\n",
                   (unsigned long long)loops);
    str_printf(&out, "\n%8s %10s %6s %9s %10s  %s\n", "calls", "time", "share", "bytes", "rate",
               "program");
    for (size_t i = 0; i < p->n; i++) {
        const profile_row *r = &p->rows[i];
        str_clear(&cell);
        magic_put_time(&cell, r->seconds, 3);
        str_printf(&out, "%8llu %10s %5.1f%%", (unsigned long long)r->calls,
                   cell.text ? cell.text : "", all > 0 ? 100 * r->seconds / all : 0);
        put_rate(r, &out);
        str_printf(&out, "  %s\n", r->what);
    }
    str_free(&cell);
    *to = out;
}

/* The programs, then the functions of another language (`functions`: its table). */
static void put_report(const gpa_session *s, const profile_rows *p, double seconds, uint64_t loops,
                       const gpa_str *functions, gpa_str *out) {
    if (p->n) put_profile(s, p, seconds, loops, out);
    if (p->n && functions->len) str_putc(out, '\n');
    if (functions->len) str_put(out, functions->text);
    if (!p->n && !functions->len)
        str_put(out, "Nothing was computed: no value was asked for, or none is an array.\n");
}

/* Prints the report, and writes it to the file `path` (-T; empty: none). */
static gpa_code show_report(gpa_session *s, const gpa_str *report, bool quiet, const char *path) {
    const gpa_repr page = {"text/plain", report->text, report->len, NULL};
    if (report->failed) return vm_no_memory(s->vm);
    if (!quiet) session_page(s, &page, 1);
    if (!*path) return GPA_OK;
    FILE *f = fopen(path, "we");
    bool written = f && fwrite(report->text, 1, report->len, f) == report->len;
    if (f && fclose(f)) written = false;
    if (!written)
        return vm_fail(s->vm, GPA_E_OS, "[Errno %d] %s: '%s'", errno, strerror(errno), path);
    session_printf(s, false, "\n*** Profile printout saved to text file '%s'.\n", path);
    return GPA_OK;
}

/* Keeps the error of the profiled statement. */
static void end_foreign_profile(gpa_session *s, const char *order, gpa_str *out) {
    raise_saved before;
    raise_save(s->vm, &before);
    foreign.end_profile(s->vm, order, out);
    raise_restore(s->vm, &before);
}

MAGIC(prun, BOTH, CODE, "[-s time|calls|bytes] [-q] [-T file] statement",
      "Profile a statement: calls, time, bytes and bandwidth of each program.\n"
      "\n"
      "Library calls are listed like programs. The device is synchronized before and\n"
      "after each, so that the times do not overlap. Functions of Python that ran are\n"
      "listed below, as cProfile does.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-s KEY  Sort by time (default), calls or bytes.\n"
      "-q      Do not print the profile.\n"
      "-T FILE Write the profile to a text file too.") {
    gpa_session *s = m->s;
    const char *text;
    size_t n;
    int (*order)(const void *, const void *) = by_time;
    bool quiet = false;
    char path[PATH_MAX] = "";
    value last = v_unset();
    for (int o; (o = magic_option(m, "s:l:qT:", &text, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        if (o == 'T') snprintf(path, sizeof path, "%.*s", (int)MIN(n, sizeof path), text);
        if (o == 'q') quiet = true;
        if (o == 's')
            order = n && text[0] == 'b'                              ? by_bytes
                    : n && text[0] == 'c' && n > 1 && text[1] == 'a' ? by_calls
                                                                     : by_time;
    }
    if (!m->n && !m->body) return magic_usage(m, "%%prun: a statement is missing");
    profile_rows *rows = mem_zero(sizeof *rows);
    if (!rows) return vm_no_memory(s->vm);
    gpa_code rc = rt_flush(s->rt, vm_err(s->vm));
    if (!rc) rc = rt_profile_start(s->rt, vm_err(s->vm));
    double begun = clock_seconds();
    const uint64_t before = replayed(s);
    gpa_str functions, report;
    str_init(&functions);
    str_init(&report);
    if (!rc) rc = foreign.profile(s->vm);
    if (!rc) rc = eval_and_wait(m, &last);
    double seconds = clock_seconds() - begun;
    rt_profile_stop(s->rt, keep_row, rows);
    end_foreign_profile(s, order == by_calls ? "calls" : "time", &functions);
    if (rows->n) qsort(rows->rows, rows->n, sizeof rows->rows[0], order);
    if (!rc) put_report(s, rows, seconds, replayed(s) - before, &functions, &report);
    if (!rc) rc = show_report(s, &report, quiet, path);
    str_free(&functions);
    str_free(&report);
    mem_free(rows);
    return_if_wanted(m, last, rc, out);
    return rc;
}

/* ---- %gpu ---- */

typedef struct {
    const char *label;
    gpa_str text;
} fact;

enum { FACT_DEVICE, FACT_DRIVER, FACT_MEMORY, FACT_OWN, FACT_LIMIT, FACT_USE, FACT_OTHERS, FACTS };

static void put_pair(gpa_str *out, double a, const char *between, double b, const char *after) {
    magic_put_bytes(out, a);
    str_put(out, between);
    magic_put_bytes(out, b);
    str_put(out, after);
}

/* Collects facts about the device, and about the GPU; without a GPU *why is the reason. */
static gpa_code collect(gpa_session *s, fact *f, gpa_err *why) {
    static const char *const labels[FACTS] = {"Device", "Driver", "Memory",         "Own arrays",
                                              "Limit",  "Use",    "Other processes"};
    rt_device_facts d;
    rt_gpu_facts g;
    rt_stats t;
    for (int i = 0; i < FACTS; i++) {
        f[i].label = labels[i];
        str_init(&f[i].text);
    }
    gpa_code rc = rt_get_device(s->rt, &d, vm_err(s->vm));
    if (rc) return rc;
    rt_get_stats(s->rt, &t);
    str_printf(&f[FACT_DEVICE].text, "%s, %s", d.name, d.desc);
    put_pair(&f[FACT_OWN].text, (double)t.bytes_live, " live, ", (double)t.bytes_cached,
             " kept for reuse, ");
    magic_put_bytes(&f[FACT_OWN].text, (double)t.bytes_peak);
    str_put(&f[FACT_OWN].text, " at most so far");
    if (d.limit && d.limit != d.total) magic_put_bytes(&f[FACT_LIMIT].text, (double)d.limit);
    const char *colon = strchr(d.name, ':');
    if (rt_get_gpu(s->rt, colon ? atoi(colon + 1) : 0, &g, why)) {
        if (d.total)
            magic_put_bytes(&f[FACT_MEMORY].text, (double)d.total),
                str_put(&f[FACT_MEMORY].text, " in all");
        return GPA_OK;
    }
    if (!on_gpu(s)) str_printf(&f[FACT_DEVICE].text, " (the GPU is not in use: %s)", g.name);
    str_put(&f[FACT_DRIVER].text, g.driver);
    if (g.used)
        put_pair(&f[FACT_MEMORY].text, (double)g.used, " used, ",
                 (double)(g.total - MIN(g.used, g.total)), " free, ");
    magic_put_bytes(&f[FACT_MEMORY].text, (double)g.total);
    str_put(&f[FACT_MEMORY].text, " in all");
    if (g.utilisation >= 0) str_printf(&f[FACT_USE].text, "%d%%", g.utilisation);
    if (g.temperature >= 0)
        str_printf(&f[FACT_USE].text, "%s%d \u00b0C", g.utilisation >= 0 ? ", " : "",
                   g.temperature);
    if (g.others >= 0) str_printf(&f[FACT_OTHERS].text, "%d", g.others);
    return GPA_OK;
}

static void show_facts(gpa_session *s, const fact *f, const gpa_err *why) {
    gpa_str plain, html;
    str_init(&plain);
    str_init(&html);
    str_put(&html, "<table><tbody>");
    for (int i = 0; i < FACTS; i++) {
        if (!f[i].text.len) continue;
        str_printf(&plain, "%-16s %s\n", f[i].label, f[i].text.text);
        str_printf(&html, "<tr><th style=\"text-align:left\">%s</th><td style=\"text-align:left\">",
                   f[i].label);
        magic_put_html(&html, f[i].text.text, f[i].text.len);
        str_put(&html, "</td></tr>");
    }
    str_put(&html, "</tbody></table>");
    if (why->code) {
        str_printf(&plain, "There is no GPU here: %s.\n", why->msg);
        str_put(&html, "<p>There is no GPU here: ");
        magic_put_html(&html, why->msg, strlen(why->msg));
        str_put(&html, ".</p>");
    }
    gpa_repr r[] = {{"text/plain", plain.text, plain.len, NULL},
                    {"text/html", html.text, html.len, NULL}};
    if (!plain.failed && !html.failed) session_show(s, r, COUNT_OF(r), NULL, false);
    str_free(&plain);
    str_free(&html);
}

static gpa_code show_gpu(gpa_session *s) {
    fact f[FACTS];
    gpa_err why = {0};
    gpa_code rc = collect(s, f, &why);
    if (!rc) show_facts(s, f, &why);
    for (int i = 0; i < FACTS; i++) str_free(&f[i].text);
    return rc;
}

static void say_freed(gpa_session *s, uint64_t before) {
    rt_stats t;
    gpa_str text;
    rt_get_stats(s->rt, &t);
    str_init(&text);
    magic_put_bytes(&text, (double)(before - MIN(before, t.bytes_live + t.bytes_cached)));
    str_put(&text, " given back; arrays hold ");
    magic_put_bytes(&text, (double)t.bytes_live);
    session_printf(s, false, "%s\n", text.text ? text.text : "");
    str_free(&text);
}

static uint64_t bytes_taken(gpa_session *s) {
    rt_stats t;
    rt_get_stats(s->rt, &t);
    return t.bytes_live + t.bytes_cached;
}

static gpa_code set_limit(magic_call *m) {
    gpa_str word;
    str_init(&word);
    gpa_code rc = GPA_OK;
    if (!magic_word(m, &word))
        rc = magic_usage(m, "%%gpu limit: an amount is missing: 4G, 25%%, none");
    else
        rc = rt_set_memory_limit(m->s->rt, strcmp(word.text, "none") == 0 ? NULL : word.text,
                                 vm_err(m->s->vm));
    str_free(&word);
    return rc;
}

MAGIC(gpu, LINE, WORDS, "[free | reset | limit AMOUNT]",
      "Show the device: name, driver, memory, utilization, other processes.\n"
      "\n"
      "%gpu free returns cached memory to the driver. %gpu reset deletes all arrays\n"
      "first, and recovers a GPU after a failed kernel. %gpu limit AMOUNT limits the\n"
      "memory of arrays: 4G, 25%, none.") {
    gpa_session *s = m->s;
    uint64_t before = bytes_taken(s);
    gpa_code rc = GPA_OK;
    bool reset = false;
    if (!m->n) return show_gpu(s);
    if (magic_take(m, "limit")) return set_limit(m);
    if (magic_take(m, "free"))
        rc = rt_sync(s->rt, vm_err(s->vm));
    else if ((reset = magic_take(m, "reset")))
        rc = magic_forget_arrays(s);
    else
        return magic_usage(m, "%%gpu: unknown word '%.*s' (free, reset, limit)", (int)MIN(m->n, 60),
                           m->args);
    if (rc) return rc;
    rt_trim(s->rt);
    say_freed(s, before);
    if (reset && rt_revive(s->rt))
        session_printf(s, false, "The device had been given up; %s is initialized again.\n",
                       rt_device(s->rt));
    return GPA_OK;
}

/* ---- devices ---- */

MAGIC(device, LINE, WORDS, "[name]",
      "List the devices, or select the current one.\n"
      "\n"
      "Examples\n"
      "--------\n"
      "%device cuda:1\n"
      "%device cpu") {
    gpa_str word;
    gpa_code rc = GPA_OK;
    str_init(&word);
    if (magic_word(m, &word)) {
        rc = rt_flush(m->s->rt, vm_err(m->s->vm));
        if (!rc) rc = rt_set_device(m->s->rt, word.text, vm_err(m->s->vm));
    } else {
        str_clear(&word);
        rt_devices(m->s->rt, &word);
        session_printf(m->s, false, "current device: %s\n%s", rt_device(m->s->rt),
                       word.text ? word.text : "");
    }
    str_free(&word);
    return rc;
}

MAGIC(ranks, LINE, WORDS, "[restart]",
      "Show the processes that the current device consists of (`gpa --ranks N`).\n"
      "\n"
      "For each rank its process, its host and the bytes of arrays that it holds; then\n"
      "the launches that were divided and the bytes moved between ranks. `restart` starts\n"
      "all of them but the first again; arrays stay.") {
    gpa_str text;
    const bool restart = m->n == strlen("restart") && memcmp(m->args, "restart", m->n) == 0;
    if (m->n && !restart) return magic_usage(m, "%%ranks takes no argument but `restart`");
    str_init(&text);
    gpa_code rc = rt_flush(m->s->rt, vm_err(m->s->vm));
    if (!rc && restart) rc = rt_restart_ranks(m->s->rt, vm_err(m->s->vm));
    if (!rc) rc = rt_ranks(m->s->rt, &text, vm_err(m->s->vm));
    if (!rc) session_write(m->s, false, text.text, text.len);
    str_free(&text);
    return rc;
}

MAGIC(matmul_precision, LINE, WORDS, "[name]",
      "Set or print the precision of products of float32 matrices on tensor cores.\n"
      "\n"
      "It is float32, tf32 (11 significant bits of the operands) or bf16x3 (16 bits); see\n"
      "precision().\n"
      "\n"
      "Examples\n"
      "--------\n"
      "%matmul_precision tf32") {
    gpa_str word;
    gpa_code rc = GPA_OK;
    str_init(&word);
    if (magic_word(m, &word))
        rc = rt_set_precision(m->s->rt, word.text, vm_err(m->s->vm));
    else
        session_printf(m->s, false, "%s\n", rt_precision(m->s->rt));
    str_free(&word);
    return rc;
}

/* A statement on the reference device, which checks every access. */
MAGIC(simulate, BOTH, CODE, "statement",
      "Run a statement on the reference device, which checks every access.") {
    gpa_session *s = m->s;
    char before[16];
    value last = v_unset();
    if (!m->n && !m->body) return magic_usage(m, "%%simulate: a statement is missing");
    gpa_code rc = rt_flush(s->rt, vm_err(s->vm));
    if (rc) return rc;
    snprintf(before, sizeof before, "%s", rt_device(s->rt));
    rc = rt_set_device(s->rt, rt_reference_device(), vm_err(s->vm));
    rt_simulate(s->rt, true);
    if (!rc) rc = eval_and_wait(m, &last);
    rt_simulate(s->rt, false);
    gpa_err quiet = {0};
    gpa_code back = rt_set_device(s->rt, before, &quiet);
    if (!rc && back) rc = vm_fail(s->vm, back, "%s", quiet.msg);
    if (!rc && last.tag != V_UNSET)
        *out = last;
    else if (last.tag != V_UNSET)
        value_release(s->vm, last);
    return rc;
}

/* ---- %trace ---- */

void magic_trace_cell(gpa_session *s, bool begin) {
    if (!s->trace) return;
    if (begin) {
        rt_explain_start(s->rt, RT_EXPLAIN_PLAN);
        return;
    }
    gpa_str text;
    str_init(&text);
    rt_explain_stop(s->rt, &text);
    session_write(s, true, text.text, text.len);
    str_free(&text);
}

MAGIC(trace, LINE, WORDS, "[on | off]", "Print what ran on the device after each cell.") {
    if (magic_take(m, "on"))
        m->s->trace = true;
    else if (magic_take(m, "off"))
        m->s->trace = false;
    else if (m->n)
        return magic_usage(m, "%%trace: on or off");
    session_printf(m->s, false, "tracing is %s\n",
                   m->s->trace ? "on: what each cell runs on the device is told behind it" : "off");
    return GPA_OK;
}
