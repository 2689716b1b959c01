/* %explain: text of each step, written when the step runs, because its nodes are released
 * afterwards.
 *
 * Expressions name the arrays that they read a, b, c ... in order of appearance, and further views
 * of an array a', a'' ...
 *
 * Reading order: expressions, steps, start and stop. */
#include "runtime/exec/explain.h"

#include "runtime/exec/rt.h"
#include "runtime/graph/shape.h"

enum { EXPRESSION_CHARS = 240 }; /* longer expressions are abbreviated */

enum { MAX_REFUSED = 32 };

struct explain {
    gpa_str text;
    rt_explain_what what;
    int steps;
    uint64_t launches, read, written; /* counters at the start */
    uint64_t interpreted;             /* counter before the step */
    struct {
        rt_loop_reason why;
        uint32_t line;
    } refused[MAX_REFUSED]; /* reasons given so far */
    int n_refused;
    const void *tape; /* the last one that was reported */
};

/* ---- expressions ---- */

typedef struct {
    gpa_str *out;
    size_t end;            /* length from which the text is abbreviated */
    const node *named[26]; /* views of arrays, in the order they appeared */
    int letter[26];        /* per view: the letter of its array */
    int n_named, n_letters;
} writer;

static void write_value(writer *w, const node *n, bool inside);

/* The array's letter; views after the first get primes: a, a', a''. */
static void write_leaf(writer *w, const node *n) {
    int i = 0, letter = 0, views = 0;
    for (; i < w->n_named && w->named[i] != n; i++) {
        if (w->named[i]->buf != n->buf) continue;
        if (!views++) letter = w->letter[i];
    }
    if (i == (int)COUNT_OF(w->named)) {
        str_put(w->out, "...");
        return;
    }
    if (i == w->n_named) {
        w->n_named++;
        w->named[i] = n;
        w->letter[i] = views ? letter : w->n_letters++;
    }
    str_putc(w->out, (char)('a' + w->letter[i] % 26));
    for (int k = 0; k < views; k++) str_putc(w->out, '\'');
}

static void write_number(writer *w, const node *n) {
    gpa_dtype t = (gpa_dtype)n->dtype;
    gpa_val re = dtype_cast(n->v, t, DT_C128);
    if (dtype_is_complex(t))
        str_printf(w->out, "(%g%+gj)", re.C128.re, re.C128.im);
    else
        str_printf(w->out, "%.10g", re.C128.re);
}

static void write_call(writer *w, const char *name, const node *n) {
    str_printf(w->out, "%s(", name);
    for (int i = 0; i < n->n_in; i++) {
        if (i) str_put(w->out, ", ");
        write_value(w, n->in[i], false);
    }
    str_putc(w->out, ')');
}

static void write_op(writer *w, const node *n, bool inside) {
    const gpa_op_info *op = &op_info[n->sub];
    if (!op->symbol || n->n_in > 2) {
        write_call(w, op->name, n);
        return;
    }
    if (inside) str_putc(w->out, '(');
    if (n->n_in == 2) {
        write_value(w, n->in[0], true);
        str_printf(w->out, " %s ", op->symbol);
    } else {
        str_put(w->out, op->symbol);
    }
    write_value(w, n->in[n->n_in - 1], true);
    if (inside) str_putc(w->out, ')');
}

static void write_reduction(writer *w, const node *n) {
    const node *in = n->in[0];
    const gpa_axes all = gpa_first_axes(in->ndim);
    str_printf(w->out, "%s(", red_info[n->sub].name);
    write_value(w, in, false);
    if (n->axes != all) {
        const char *between = ", axis=";
        for (int d = 0; d < in->ndim; d++) {
            if (!(n->axes >> d & 1)) continue;
            str_printf(w->out, "%s%d", between, d);
            between = ",";
        }
    }
    str_putc(w->out, ')');
}

/* A batched loop is shown by one of its iterations. */
static void write_body(writer *w, const node *n) {
    const gpa_body *b = n->body;
    if (b->trips < 0)
        write_call(w, b->f->name, n);
    else
        str_printf(w->out, "%lld iterations of %s", (long long)n->in[b->trips]->v.I64,
                   b->text ? b->text : b->f->name);
}

static void write_concat(writer *w, const node *n) {
    str_put(w->out, "concatenate(");
    for (int i = 0; i < n->n_in; i++) {
        if (i) str_put(w->out, ", ");
        write_value(w, n->in[i], false);
    }
    str_printf(w->out, ", axis=%d)", (int)n->sub);
}

static void write_value(writer *w, const node *n, bool inside) {
    if (w->out->len > w->end) {
        str_put(w->out, "...");
        return;
    }
    switch ((node_kind)n->kind) {
        case NODE_BUF: write_leaf(w, n); break;
        case NODE_IOTA: str_put(w->out, "arange"); break;
        case NODE_SCALAR: write_number(w, n); break;
        case NODE_OP: write_op(w, n, inside); break;
        case NODE_CAST: write_call(w, dtype_info[n->dtype].name, n); break;
        case NODE_BODY: write_body(w, n); break;
        case NODE_VIEW: write_value(w, n->in[0], inside); break;
        case NODE_REDUCE: write_reduction(w, n); break;
        case NODE_SCAN:
            str_printf(w->out, "running_%s(", red_info[n->sub].name);
            write_value(w, n->in[0], false);
            str_putc(w->out, ')');
            break;
        case NODE_PRODUCT:
            write_value(w, n->in[0], true);
            str_put(w->out, " @ ");
            write_value(w, n->in[1], true);
            break;
        case NODE_CONCAT: write_concat(w, n); break;
        case NODE_GATHER:
            write_value(w, n->in[0], true);
            str_putc(w->out, '[');
            for (int i = 1; i < n->n_in; i++) {
                if (i > 1) str_put(w->out, ", ");
                write_value(w, n->in[i], false);
            }
            str_putc(w->out, ']');
            break;
        case NODE_KINDS: break;
    }
}

/* ---- steps ---- */

static const char *template_of(const lowered *l) {
    const kir_func *f = l->f;
    bool scans = false, linear = f->ndim <= 1;
    for (size_t i = 0; i < f->n_code; i++) scans = scans || f->code[i].code == KIR_SCAN;
    for (size_t i = 0; i < f->n_arrays && f->ndim; i++)
        linear = linear && ((f->arrays[i].unit | f->arrays[i].zero) & 1);
    if (scans) return "scan";
    if (!f->inner) return linear ? "linear" : "strided";
    if (f->inner == (1u << f->ndim) - 1) return "full reduce";
    return f->inner >> (f->ndim - 1) & 1 ? "row reduce" : "column reduce";
}

static void write_bytes(gpa_str *out, const char *verb, uint64_t n) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    double v = (double)n;
    size_t u = 0;
    for (; v >= 1000 && u + 1 < COUNT_OF(units); u++) v /= 1000;
    str_printf(out, u && v < 100 ? ", %s %.3g %s" : ", %s %.0f %s", verb, v, units[u]);
}

static uint64_t launches_of(const lowered *l) {
    uint64_t n = 1;
    for (int i = 0; i < l->n_loops; i++) n *= (uint64_t)l->loop_size[i];
    return n;
}

static void write_root(gpa_str *out, const fuse_root *r) {
    writer w = {.out = out, .end = out->len + EXPRESSION_CHARS};
    char shape[SHAPE_TEXT];
    str_printf(out, "%s %s %s = ", r->into ? "store" : "array", dtype_info[r->value->dtype].name,
               shape_text(shape, r->value->ndim, r->value->shape));
    write_value(&w, r->value, false);
    if (!r->mask) return;
    str_put(out, " where ");
    write_value(&w, r->mask, false);
}

void explain_put_value(gpa_str *out, const node *n) {
    writer w = {.out = out, .end = out->len + EXPRESSION_CHARS};
    write_value(&w, n, false);
}

void explain_put_step(gpa_str *out, const fuse_plan *p, int s, const lowered *l) {
    const char *between = ": ";
    str_put(out, template_of(l));
    for (size_t i = 0; i < p->n_root; i++) {
        if (p->root[i].step != s) continue;
        str_put(out, between);
        write_root(out, &p->root[i]);
        between = "; ";
    }
}

/* The requested code: kir, source, PTX or SASS. */
static void write_code(rt_explain_what what, gpa_device *d, const lowered *l,
                       program_cache_entry *program, gpa_str *out) {
    gpa_dump dump = GPA_DUMP_SOURCE;
    gpa_err quiet = {0};
    switch (what) {
        case RT_EXPLAIN_PLAN: return;
        case RT_EXPLAIN_KIR: kir_print(l->f, out); return;
        case RT_EXPLAIN_SOURCE: break;
        case RT_EXPLAIN_ASSEMBLY: dump = GPA_DUMP_ASM; break;
        case RT_EXPLAIN_RESOURCES: dump = GPA_DUMP_RESOURCES; break;
    }
    d->be->dump(d->dev, program->prog, dump, out, &quiet);
    if (out->len && out->text[out->len - 1] != '\n') str_putc(out, '\n');
}

/* Prints the bytes that a step or call moved between the processes of the device; returns why one
 * of them ran it alone, or NULL. */
static const char *write_traffic(gpa_str *out, const gpa_device *d) {
    gpa_traffic t = {.bytes = 0};
    if (d && d->be->traffic) d->be->traffic(d->dev, &t);
    if (t.bytes) {
        write_bytes(out, "moves", t.bytes);
        str_printf(out, " (%s, %llu message%s)", t.why, (unsigned long long)t.messages,
                   t.messages == 1 ? "" : "s");
    }
    return t.alone;
}

static void write_alone(gpa_str *out, const char *why) {
    if (why) str_printf(out, "  on rank 0 alone: %s\n", why);
}

void explain_step(gpa_rt *rt, const explained_step *done) {
    struct explain *x = rt->explain;
    gpa_device *d = done->device;
    const fuse_plan *p = done->plan;
    const lowered *l = done->lowered;
    program_cache_entry *program = done->program;
    gpa_str *out = &x->text;
    const fuse_step *step = &p->step[done->step];
    str_printf(out, "step %d: %s, cut %s (%s)\n", ++x->steps, template_of(l), cut_names[step->why],
               cut_texts[step->why]);
    for (size_t i = 0; i < p->n_root; i++) {
        if (p->root[i].step != done->step) continue;
        str_put(out, "  ");
        write_root(out, &p->root[i]);
        str_putc(out, '\n');
    }
    uint64_t n = launches_of(l);
    str_printf(out, "  %llu launch%s", (unsigned long long)n, n == 1 ? "" : "es");
    write_bytes(out, "reads", l->bytes_read);
    write_bytes(out, "writes", l->bytes_written);
    const char *alone = write_traffic(out, d);
    double late = d->be->compile_seconds ? d->be->compile_seconds(program->prog) : 0;
    if (rt->stats.interpreted > x->interpreted)
        str_printf(out, ", interpreted%s\n", done->built ? "" : " while it is compiled");
    else if (done->built)
        str_printf(out, ", compiled in %.2f ms\n", (program->compile_seconds + late) * 1e3);
    else
        str_put(out, ", program known\n");
    write_alone(out, alone);
    x->interpreted = rt->stats.interpreted;
    write_code(x->what, d, l, program, out);
}

void explain_call(gpa_rt *rt, const char *name, const gpa_device *d, const gpa_arr *a) {
    char shape[SHAPE_TEXT];
    if (!rt->explain) return;
    gpa_str *out = &rt->explain->text;
    str_printf(out, "call: %s %s %s, by the %s%s", name, dtype_info[a->dtype].name,
               shape_text(shape, a->ndim, a->shape), d ? "library of " : "host",
               d ? d->caps.name : "");
    const char *alone = write_traffic(out, d ? d : rt->device);
    str_putc(out, '\n');
    write_alone(out, alone);
}

/* ---- loops ---- */

void explain_replay(gpa_rt *rt, const explain_loop *x) {
    if (!rt->explain) return;
    gpa_str *out = &rt->explain->text;
    str_printf(out, "loop: %llu iterations replayed without interpreting them, %llu launch%s",
               (unsigned long long)x->iterations, (unsigned long long)x->launches,
               x->launches == 1 ? "" : "es");
    if (x->calls)
        str_printf(out, ", %llu library call%s", (unsigned long long)x->calls,
                   x->calls == 1 ? "" : "s");
    write_bytes(out, "reads", x->read);
    write_bytes(out, "writes", x->written);
    if (x->graphs)
        str_printf(out, ", %llu graph%s of %u iterations", (unsigned long long)x->graphs,
                   x->graphs == 1 ? "" : "s", x->graph_trips);
    str_putc(out, '\n');
}

void explain_kept(gpa_rt *rt, const explain_tape *x) {
    if (!rt->explain || rt->explain->tape == x->tape) return;
    gpa_str *out = &rt->explain->text;
    str_printf(out, "tape: %llu record%s", (unsigned long long)x->records,
               x->records == 1 ? "" : "s");
    write_bytes(out, "which keep", x->bytes);
    str_printf(out, " for the backward pass\n");
    rt->explain->tape = x->tape;
}

void rt_loop_explain(gpa_rt *rt, rt_loop_reason why, uint32_t line) {
    static const char *const text[RT_LOOP_REASONS] = {
        "",
#define LOOP_REASON(id, text) text,
#include "runtime/tables/loop_reason.def"
#undef LOOP_REASON
    };
    struct explain *x = rt->explain;
    if (!x || !why || x->n_refused == MAX_REFUSED) return;
    for (int i = 0; i < x->n_refused; i++)
        if (x->refused[i].why == why && x->refused[i].line == line) return;
    x->refused[x->n_refused].why = why;
    x->refused[x->n_refused++].line = line;
    str_printf(&x->text, "loop: not replayed (%s", text[why]);
    if (line) str_printf(&x->text, ", line %u", line);
    str_put(&x->text, ")\n");
}

/* ---- start and stop ---- */

void explain_free(gpa_rt *rt) {
    if (!rt->explain) return;
    str_free(&rt->explain->text);
    mem_free(rt->explain);
    rt->explain = NULL;
}

void rt_explain_start(gpa_rt *rt, rt_explain_what what) {
    explain_free(rt);
    struct explain *x = mem_zero(sizeof *x);
    if (!x) return;
    str_init(&x->text);
    x->what = what;
    x->launches = rt->stats.launches;
    x->read = rt->stats.bytes_read;
    x->written = rt->stats.bytes_written;
    x->interpreted = rt->stats.interpreted;
    if (rt->device && rt->device->be->traffic)
        rt->device->be->traffic(rt->device->dev, &(gpa_traffic){.bytes = 0});
    rt->explain = x;
}

void rt_explain_stop(gpa_rt *rt, gpa_str *out) {
    struct explain *x = rt->explain;
    if (!x) return;
    str_putn(out, x->text.text, x->text.len);
    uint64_t launches = rt->stats.launches - x->launches;
    if (x->steps || launches) { /* a cell that computed nothing prints nothing */
        str_printf(out, "%d step%s, %llu launch%s", x->steps, x->steps == 1 ? "" : "s",
                   (unsigned long long)launches, launches == 1 ? "" : "es");
        write_bytes(out, "read", rt->stats.bytes_read - x->read);
        write_bytes(out, "wrote", rt->stats.bytes_written - x->written);
        str_putc(out, '\n');
    }
    explain_free(rt);
}
