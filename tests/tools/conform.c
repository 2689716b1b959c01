/* A device against the tables: conform ref, or conform PLUGIN.so [PART/PARTS [interpreted | same]];
 * a part is every PARTS-th dtype. `interpreted`: operations and casts by the CUDA device's
 * interpreter; `same`: they are compared with the compiled programs instead, bit for bit. Every
 * operation, cast and reduction on every dtype and in every layout runs as kir on the device's
 * first unit and is compared with the scalar functions. One line per layout or reduction shape and
 * dtype; for `not ok`, lines `# ...` tell the first differences.
 *
 * Operations without an iteration of their own (cost under 20) must agree bit for bit, but for
 * which of two equal zeros a maximum is; the rest within ULPS units of the last place (COMPLEX_ULPS
 * of the larger part for complex numbers), of the result or of the terms that it is the sum of. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/backend.h"
#include "runtime/base/base.h"

enum {
    POINTS = 512,
    SHORT = 17,
    CAPACITY = 4 * POINTS,
    BATCH = 24,
    ULPS = 5,
    GAMMA_ULPS = 12,
    COMPLEX_ULPS = 16,
    SHOWN = 5
};

static const gpa_backend *be;
static gpa_dev *dev;
static int failed;
static bool interpreted, same; /* the command line's words */

/* ---- layouts ---- */

typedef struct {
    int64_t stride[2], offset;
} walk;

/* Layouts of operands a, b, c and results over a space of 1 or 2 dimensions. Layouts of SHORT
 * points also run at every smaller size: all remainders of the lanes. */
static const struct {
    const char *name;
    int ndim;
    int64_t size[2];
    walk in[3], out;
} layouts[] = {
    {"contiguous", 1, {512, 1}, {{{1, 0}, 0}, {{1, 0}, 0}, {{1, 0}, 0}}, {{1, 0}, 0}},
    {"odd length", 1, {497, 1}, {{{1, 0}, 0}, {{1, 0}, 0}, {{1, 0}, 0}}, {{1, 0}, 0}},
    {"unaligned", 1, {510, 1}, {{{1, 0}, 1}, {{1, 0}, 0}, {{1, 0}, 2}}, {{1, 0}, 1}},
    {"strided", 1, {512, 1}, {{{2, 0}, 0}, {{3, 0}, 1}, {{1, 0}, 0}}, {{2, 0}, 1}},
    {"reversed", 1, {512, 1}, {{{-1, 0}, 511}, {{1, 0}, 0}, {{-2, 0}, 1022}}, {{-1, 0}, 511}},
    {"one scalar", 1, {512, 1}, {{{1, 0}, 0}, {{0, 0}, 3}, {{1, 0}, 0}}, {{1, 0}, 0}},
    {"transposed", 2, {16, 32}, {{{1, 16}, 0}, {{32, 1}, 0}, {{1, 16}, 0}}, {{32, 1}, 0}},
    {"broadcast", 2, {16, 32}, {{{32, 1}, 0}, {{0, 1}, 0}, {{1, 0}, 0}}, {{32, 1}, 0}},
    {"rows apart", 2, {16, 32}, {{{40, 1}, 5}, {{64, 2}, 0}, {{0, 1}, 0}}, {{33, 1}, 0}},
    {"1 to 17", 1, {SHORT, 1}, {{{1, 0}, 0}, {{1, 0}, 256}, {{1, 0}, 0}}, {{1, 0}, 0}},
    {"by a scalar", 1, {SHORT, 1}, {{{1, 0}, 7}, {{0, 0}, 48}, {{0, 0}, 0}}, {{1, 0}, 0}},
};

static int64_t element_at(const walk *w, int64_t i, int64_t j) {
    return w->offset + i * w->stride[0] + j * w->stride[1];
}

/* ---- values ---- */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 2685821657736338717u;
}

static double random_real(void) {
    return ((double)(random_bits() >> 11) * 0x1p-53 - 0.5) * ldexp(1, (int)(random_bits() % 12));
}

static gpa_val real_value(double re, double im, gpa_dtype t) {
    return dtype_cast((gpa_val){.C128 = {re, im}}, DT_C128, t);
}

/* Special value k (infinities, NaN, limits, zeros), 16 per dtype. */
static gpa_val special(gpa_dtype t, unsigned k) {
    static const double reals[16] = {0,  -0.0, 1,   -1,       0.5,       -1.5, 2,     3,
                                     -7, 1e-3, 100, INFINITY, -INFINITY, NAN,  60000, 6e-8};
    static const double parts[4] = {0, -2.5, 1, INFINITY};
    gpa_val v = {.bits = {0, 0}};
    if (dtype_is_float(t)) return real_value(reals[k], 0, t);
    if (dtype_is_complex(t))
        return real_value(k == 15 ? NAN : reals[k % 4 + (k & 8 ? 4 : 0)], parts[k / 4], t);
    static const int64_t ints[12] = {0, 1, -1, 2, 3, -3, 7, 8, -8, 31, 63, 64};
    uint64_t top = 1ull << (8 * dtype_size(t) - 1);
    const uint64_t edges[4] = {top, top - 1, top + 1, 2 * top - 1};
    v.U64 = k < 12 ? (uint64_t)ints[k] : edges[k - 12];
    return t == DT_BOOL ? (gpa_val){.BOOL = k & 1} : v;
}

static gpa_val random_value(gpa_dtype t) {
    if (dtype_is_float(t) || dtype_is_complex(t))
        return real_value(random_real(), random_real(), t);
    return t == DT_BOOL ? (gpa_val){.BOOL = random_bits() & 1}
                        : (gpa_val){.U64 = random_bits() >> random_bits() % 64};
}

/* Fills operand `which` so that over the first 256 points every pair of special values meets in a
 * and b. */
static void fill(unsigned char *to, gpa_dtype t, int which) {
    for (unsigned k = 0; k < CAPACITY; k++) {
        unsigned in = k % POINTS;
        gpa_val v = in < 256 ? special(t, which ? in / 16 % 16 : in % 16) : random_value(t);
        dtype_store(to + k * dtype_size(t), t, v);
    }
}

/* ---- comparison ---- */

static double unit(double x, gpa_dtype real) {
    int digits = real == DT_F64 ? 53 : real == DT_F32 ? 24 : real == DT_F16 ? 11 : 8;
    int least = real == DT_F64 ? -1074 : real == DT_F32 ? -149 : real == DT_F16 ? -24 : -133, e;
    frexp(x, &e);
    return ldexp(1, MAX(e - digits, least));
}

static bool same_real(double got, double want, double allowed, bool zeros_alike) {
    if (isnan(want)) return isnan(got);
    if (isinf(want) || allowed == 0 || got == want)
        return got == want && (zeros_alike || got != 0 || signbit(got) == signbit(want));
    return fabs(got - want) <= allowed;
}

/* Whether two results are alike; ulps 0: bit for bit. `terms`: the size of what the result is the
 * sum of, if that is larger. */
static bool alike(gpa_dtype t, gpa_val got, gpa_val want, double ulps, double terms,
                  bool zeros_alike) {
    if (!dtype_is_float(t) && !dtype_is_complex(t)) return memcmp(&got, &want, dtype_size(t)) == 0;
    gpa_c128 g = dtype_cast(got, t, DT_C128).C128, w = dtype_cast(want, t, DT_C128).C128;
    double re = isfinite(w.re) ? fabs(w.re) : 0, im = isfinite(w.im) ? fabs(w.im) : 0;
    double allowed = ulps > 0 ? ulps * unit(fmax(fmax(re, im), terms), dtype_info[t].real) : 0;
    bool open = dtype_is_complex(t) && (isnan(w.re) || isnan(w.im)); /* then C leaves signs open */
    if (open && (isinf(w.re) ? isinf(g.re) : isinf(w.im) && isinf(g.im))) return true;
    return same_real(g.re, w.re, allowed, zeros_alike || ulps > 0) &&
           same_real(g.im, w.im, allowed, zeros_alike || ulps > 0);
}

/* The size of the terms whose sum a result is, where they may cancel: the larger operand of
 * logaddexp; the logarithms that lgamma is made of around its zeros, which lie between -12 and -2.
 * Shorter dtypes compute these in double. */
static double size_of_terms(gpa_op op, gpa_dtype t, const gpa_val *v) {
    if (t != DT_F64 || (op != OP_LOGADDEXP && op != OP_LOGADDEXP2 && op != OP_LGAMMA)) return 0;
    double a = dtype_cast(v[0], t, DT_F64).F64, b = dtype_cast(v[1], t, DT_F64).F64,
           larger = fmax(a, b);
    if (op == OP_LGAMMA) return a < -2 && a > -12 ? 1 : 0;
    return isfinite(larger) ? fabs(larger) : 0;
}

/* Amplification of an inner error: the exponent amplifies that of the logarithm in a complex power,
 * unless it is computed in double. */
static double gain(gpa_op op, gpa_dtype t, const gpa_val *v) {
    if (t != DT_C128 || (op != OP_POWER && op != OP_FLOAT_POWER)) return 1;
    gpa_c128 a = dtype_cast(v[0], t, DT_C128).C128, b = dtype_cast(v[1], t, DT_C128).C128;
    double by = 1 + hypot(b.re, b.im) * hypot(log(hypot(a.re, a.im)), atan2(a.im, a.re));
    return isfinite(by) ? by : 1;
}

static int tolerance(gpa_op op, gpa_dtype compute) {
    bool cx = dtype_is_complex(compute);
    if (cx && (op == OP_MULTIPLY || op == OP_DIVIDE || op == OP_SQUARE || op == OP_RECIPROCAL ||
               op == OP_SIGN || op == OP_SQRT || op == OP_ABSOLUTE))
        return COMPLEX_ULPS;
    if (op_info[op].cost < 20) return 0;
    if (op == OP_GAMMA) return GAMMA_ULPS; /* of which libm's has up to 9 */
    return cx ? COMPLEX_ULPS : dtype_is_float(compute) ? ULPS : 0;
}

static bool is_choice(gpa_op op) {
    return op == OP_MAXIMUM || op == OP_MINIMUM || op == OP_FMAX || op == OP_FMIN || op == OP_CLIP;
}

/* ---- one launch ---- */

typedef struct {
    kir_func *f;
    gpa_binding bind[KIR_MAX_ARRAYS];
    unsigned char *host[KIR_MAX_ARRAYS]; /* what was uploaded */
    gpa_prog *p;                         /* NULL: not built yet */
    const char *why;                     /* the failure; NULL: none */
    bool lacking;                        /* the device does not support the program */
} job;

static bool good(job *j, gpa_code rc, const gpa_err *e) {
    static char text[GPA_ERR_TEXT + 32];
    if (!rc) return true;
    snprintf(text, sizeof text, "%s: %s", gpa_err_name(rc), e->msg);
    j->why = text;
    j->lacking = rc == GPA_E_UNSUPPORTED;
    return false;
}

/* Declares an array of CAPACITY elements filled by `fill` (or with a pattern, for results). */
static int declare(job *j, gpa_dtype t, const walk *w, int access, int which) {
    kir_array a = {
        .dtype = (uint8_t)t, .access = (uint8_t)access, .group = (uint16_t)(j->f->n_arrays + 1)};
    gpa_binding b = {.offset = w->offset};
    for (int d = 0; d < j->f->ndim; d++) {
        b.stride[d] = w->stride[d];
        if (w->stride[d] == 0) a.zero |= (uint16_t)(1 << d);
        if (w->stride[d] == 1) a.unit |= (uint16_t)(1 << d);
    }
    int k = kir_add_array(j->f, a);
    size_t n = CAPACITY * dtype_size(t);
    gpa_err e = {.code = GPA_OK};
    j->host[k] = malloc(n);
    if (which >= 0)
        fill(j->host[k], t, which);
    else
        memset(j->host[k], 0x55, n);
    j->bind[k] = b;
    if (good(j, be->alloc(dev, n, &j->bind[k].mem, &e), &e))
        good(j, be->upload(dev, j->bind[k].mem, 0, j->host[k], n, &e), &e);
    return k;
}

static void launch_once(job *j, const int64_t *size) {
    gpa_err e = {.code = GPA_OK};
    kir_fault_record fault = {.set = 0};
    gpa_launch l = {.size = {size[0], size[1]}, .arrays = j->bind, .fault = &fault};
    if (j->why || !good(j, kir_check(j->f, &e), &e)) return;
    if ((j->p || good(j, be->build(dev, j->f, &j->p, &e), &e)) &&
        good(j, be->run(dev, j->p, &l, &e), &e))
        good(j, be->sync(dev, &e), &e);
}

static void drop_program(job *j) {
    if (j->p) be->drop(dev, j->p);
    j->p = NULL;
}

static void print_value(gpa_dtype t, gpa_val v);

/* The current contents of array k; owned by the caller. */
static unsigned char *results(job *j, int k, gpa_dtype t) {
    gpa_err e = {.code = GPA_OK};
    unsigned char *p = malloc(CAPACITY * dtype_size(t));
    if (!j->why) good(j, be->download(dev, p, j->bind[k].mem, 0, CAPACITY * dtype_size(t), &e), &e);
    return p;
}

/* Restores the original contents of array k. */
static void restore(job *j, int k) {
    gpa_err e = {.code = GPA_OK};
    size_t n = CAPACITY * dtype_size((gpa_dtype)j->f->arrays[k].dtype);
    if (!j->why) good(j, be->upload(dev, j->bind[k].mem, 0, j->host[k], n, &e), &e);
}

/* Compiled, and then interpreted, each from the beginning; the interpreter's results are left. */
static void launch(job *j, const int64_t *size) {
    unsigned char *compiled[KIR_MAX_ARRAYS] = {NULL};
    if (same) {
        setenv("GPA_CUDA_INTERPRET", "never", 1);
        launch_once(j, size);
        drop_program(j);
        for (size_t k = 0; k < j->f->n_arrays; k++) {
            gpa_dtype t = (gpa_dtype)j->f->arrays[k].dtype;
            compiled[k] = results(j, (int)k, t);
            restore(j, (int)k);
        }
    }
    if (interpreted) setenv("GPA_CUDA_INTERPRET", "always", 1);
    launch_once(j, size);
    for (size_t k = 0; k < j->f->n_arrays && same; k++) {
        gpa_dtype t = (gpa_dtype)j->f->arrays[k].dtype;
        unsigned char *now = results(j, (int)k, t);
        for (size_t at = 0; at < CAPACITY && !j->why; at++) {
            gpa_val have = dtype_load(now + at * dtype_size(t), t),
                    want = dtype_load(compiled[k] + at * dtype_size(t), t);
            if (alike(t, have, want, 0, 0, false)) continue;
            printf("# array %zu, element %zu: interpreted ", k, at);
            print_value(t, have);
            printf(", compiled ");
            print_value(t, want);
            puts("");
            j->why = "the interpreter's result is not that of the compiled program";
        }
        free(now);
        free(compiled[k]);
    }
}

static void start_job(job *j, int ndim, unsigned inner) {
    memset(j, 0, sizeof *j);
    j->f = kir_new(KIR_MAP, "conform");
    j->f->ndim = (uint8_t)ndim;
    j->f->inner = (uint16_t)inner;
}

static void end_job(job *j) {
    drop_program(j);
    for (size_t k = 0; k < j->f->n_arrays; k++) {
        be->free(dev, j->bind[k].mem);
        free(j->host[k]);
    }
    kir_free(j->f);
}

static void print_real(double x, bool comma) { printf(comma ? ", %.9g" : "%.9g", x); }

static void print_value(gpa_dtype t, gpa_val v) {
    gpa_c128 z = dtype_cast(v, t, DT_C128).C128;
    if (dtype_is_int(t))
        printf("%lld", (long long)dtype_cast(v, t, DT_I64).I64);
    else
        print_real(z.re, false);
    if (dtype_is_complex(t)) print_real(z.im, true);
}

/* ---- reports: the lines of a test are buffered until it ends ---- */

static int shown;

/* Counts a failure; true if it is to be shown. */
static bool head_of_failure(const char *kind, const char *what, gpa_dtype t) {
    if (shown++ == 0) {
        printf("not ok - %s: %s of %s on %s\n", kind, what, dtype_info[t].name, be->name);
        failed = 1;
    }
    return shown <= SHOWN;
}

static void report(const char *kind, const char *what, gpa_dtype t, const job *j) {
    if (j && j->lacking) {
        printf("skip - %s: %s of %s on %s: %s\n", kind, what, dtype_info[t].name, be->name, j->why);
        return;
    }
    if (j && j->why) {
        head_of_failure(kind, what, t);
        printf("# %s\n", j->why);
    }
    if (shown == 0)
        printf("ok - %s: %s of %s on %s\n", kind, what, dtype_info[t].name, be->name);
    else if (shown > SHOWN)
        printf("# and %d more\n", shown - SHOWN);
    shown = 0;
}

/* A computed call, for reports: name(args), n arguments of dtype t. */
typedef struct {
    const char *name;
    gpa_dtype t;
    const gpa_val *args;
    int n;
} evaluated;

static void differ(const evaluated *x, gpa_dtype result, gpa_val got, gpa_val want) {
    printf("# %s(", x->name);
    for (int i = 0; i < x->n; i++) {
        printf("%s", i ? "; " : "");
        print_value(x->t, x->args[i]);
    }
    printf("): ");
    print_value(result, got);
    printf(", not ");
    print_value(result, want);
    putchar('\n');
}

/* ---- operations ---- */

typedef struct {
    gpa_op op;
    gpa_dtype result;
    int out;
} tried;

/* Arrays 0..2 are the operands of type t, 3 bools, 4 int64. */
static int operand_array(gpa_op op, gpa_dtype t, int i) {
    gpa_dtype want = op_operand_type(op, t, i);
    return want == t ? i : want == DT_BOOL ? 3 : 4;
}

static void check_op(job *j, const tried *o, int layout, const int64_t *size, gpa_dtype t) {
    unsigned char *got = results(j, o->out, o->result);
    int arity = op_info[o->op].arity, worst = 0;
    size_t written = dtype_size(o->result);
    for (int64_t i = 0; i < size[0] && !j->why; i++)
        for (int64_t k = 0; k < size[1]; k++) {
            gpa_val v[3] = {{.bits = {0, 0}}, {.bits = {0, 0}}, {.bits = {0, 0}}};
            for (int n = 0; n < arity; n++) {
                gpa_dtype type = op_operand_type(o->op, t, n);
                int from = operand_array(o->op, t, n);
                int64_t at = element_at(&layouts[layout].in[from < 3 ? from : 0], i, k);
                v[n] = dtype_load(j->host[from] + (size_t)at * dtype_size(type), type);
            }
            gpa_val want = op_scalar(o->op, t, v[0], v[1], v[2]);
            unsigned char *at = got + (size_t)element_at(&layouts[layout].out, i, k) * written;
            gpa_val have = dtype_load(at, o->result);
            memset(at, 0x55, written);
            double ulps = tolerance(o->op, t) * gain(o->op, t, v);
            if (same ||
                alike(o->result, have, want, ulps, size_of_terms(o->op, t, v), is_choice(o->op)) ||
                worst++)
                continue;
            if (head_of_failure("ops", layouts[layout].name, t))
                differ(&(evaluated){op_info[o->op].name, t, v, arity}, o->result, have, want);
        }
    if (!j->why && memcmp(got, j->host[o->out], CAPACITY * written) != 0)
        j->why = "an element was written that is not of the result";
    free(got);
}

/* As many operations as fit in one program. */
static gpa_op try_ops(gpa_op from, gpa_dtype t, int layout) {
    job j;
    tried tries[BATCH];
    int n = 0;
    start_job(&j, layouts[layout].ndim, 0);
    for (int i = 0; i < 5; i++)
        declare(&j,
                i < 3    ? t
                : i == 3 ? DT_BOOL
                         : DT_I64,
                &layouts[layout].in[i < 3 ? i : 0], KIR_READ, i < 3 ? i : 0);
    int32_t in[5];
    for (int i = 0; i < 5; i++)
        in[i] = kir_emit(
            j.f, (kir_ins){.code = KIR_LOAD, .type = j.f->arrays[i].dtype, .sub = (uint16_t)i});
    for (; from < OP_COUNT && n < BATCH; from++) {
        gpa_dtype compute, result;
        if (!op_types(from, t, &compute, &result) || compute != t) continue;
        int32_t x[3];
        for (int i = 0; i < op_info[from].arity; i++) x[i] = in[operand_array(from, t, i)];
        int32_t v = op_info[from].arity == 1   ? kir_op1(j.f, from, x[0])
                    : op_info[from].arity == 2 ? kir_op2(j.f, from, x[0], x[1])
                                               : kir_op3(j.f, from, x[0], x[1], x[2]);
        tries[n] = (tried){.op = from,
                           .result = result,
                           .out = declare(&j, result, &layouts[layout].out, KIR_WRITE, -1)};
        kir_emit(
            j.f,
            (kir_ins){.code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)tries[n].out, .a = v});
        n++;
    }
    int64_t last = layouts[layout].size[0];
    for (int64_t m = last == SHORT ? 1 : last; m <= last; m++) {
        const int64_t size[2] = {m, layouts[layout].size[1]};
        launch(&j, size);
        for (int i = 0; i < n; i++) {
            check_op(&j, &tries[i], layout, size, t);
            if (m < last) restore(&j, tries[i].out);
        }
    }
    if (j.why) {
        head_of_failure("ops", layouts[layout].name, t);
        printf("# %s\n", j.why);
    }
    end_job(&j);
    return from;
}

/* ---- casts ---- */

static void check_cast(job *j, gpa_dtype t, gpa_dtype to, int out, int layout,
                       const int64_t *size) {
    unsigned char *got = results(j, out, to);
    const walk *from = &layouts[layout].in[0], *at = &layouts[layout].out;
    int worst = 0;
    for (int64_t i = 0; i < size[0] && !j->why; i++)
        for (int64_t k = 0; k < size[1]; k++) {
            gpa_val v = dtype_load(j->host[0] + (size_t)element_at(from, i, k) * dtype_size(t), t),
                    have = dtype_load(got + (size_t)element_at(at, i, k) * dtype_size(to), to),
                    want = dtype_cast(v, t, to);
            if (alike(to, have, want, 0, 0, false) || worst++) continue;
            if (head_of_failure("casts", layouts[layout].name, t))
                differ(&(evaluated){dtype_info[to].name, t, &v, 1}, to, have, want);
        }
    free(got);
}

static void try_casts(gpa_dtype t, int layout) {
    job j;
    int out[DT_COUNT];
    start_job(&j, layouts[layout].ndim, 0);
    declare(&j, t, &layouts[layout].in[0], KIR_READ, 0);
    int32_t x = kir_emit(j.f, (kir_ins){.code = KIR_LOAD, .type = (uint8_t)t, .sub = 0});
    for (int to = 0; to < DT_COUNT; to++) {
        out[to] = declare(&j, (gpa_dtype)to, &layouts[layout].out, KIR_WRITE, -1);
        int32_t v = kir_cast(j.f, (gpa_dtype)to, x);
        kir_emit(j.f,
                 (kir_ins){.code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)out[to], .a = v});
    }
    int64_t last = layouts[layout].size[0];
    for (int64_t m = last == SHORT ? 1 : last; m <= last; m++) {
        const int64_t size[2] = {m, layouts[layout].size[1]};
        launch(&j, size);
        for (int to = 0; to < DT_COUNT && !j.why; to++) {
            check_cast(&j, t, (gpa_dtype)to, out[to], layout, size);
            if (m < last) restore(&j, out[to]);
        }
    }
    report("casts", layouts[layout].name, t, &j);
    end_job(&j);
}

/* ---- reductions ---- */

/* The space is 7 x 67 or its transpose; `inner`: the reduced dimensions. */
static const struct {
    const char *name;
    int64_t size[2];
    walk in;
    unsigned inner;
} shapes[] = {
    {"rows", {7, 67}, {{67, 1}, 0}, 2},
    {"columns", {7, 67}, {{67, 1}, 0}, 1},
    {"everything", {7, 67}, {{67, 1}, 0}, 3},
    {"turned rows", {7, 67}, {{1, 7}, 0}, 2},
    {"rows backwards", {7, 67}, {{67, -2}, 140}, 2},
    {"rows of one", {67, 1}, {{1, 1}, 0}, 2},
};

/* Small integers, whose sums are exact in any order; with_nan: some NaN. */
static void fill_small(job *j, gpa_dtype t, bool with_nan) {
    gpa_err e = {.code = GPA_OK};
    for (unsigned k = 0; k < CAPACITY; k++) {
        bool nan = with_nan && random_bits() % 50 == 0;
        double re = nan ? NAN : (double)(random_bits() % 5) - (dtype_info[t].kind == 'U' ? 0 : 2);
        double im = with_nan ? 0 : (double)(random_bits() % 3) - 1;
        dtype_store(j->host[0] + k * dtype_size(t), t, real_value(re, im, t));
    }
    good(j, be->upload(dev, j->bind[0].mem, 0, j->host[0], CAPACITY * dtype_size(t), &e), &e);
}

/* The number of the inner point, in C order. */
static int32_t inner_number(kir_func *f, int shape) {
    int32_t at = -1;
    for (int d = 0; d < 2; d++) {
        if (!(shapes[shape].inner >> d & 1u)) continue;
        int32_t i = kir_emit(f, (kir_ins){.code = KIR_INDEX, .type = DT_I64, .imm = (uint32_t)d});
        int32_t extent = kir_const(f, DT_I64, (gpa_val){.I64 = shapes[shape].size[d]});
        at = at < 0 ? i : kir_op2(f, OP_ADD, kir_op2(f, OP_MULTIPLY, at, extent), i);
    }
    return at;
}

/* Whether the reduction is tried: those that give an index apart, no sums over NaN, no huge complex
 * products. */
static bool wanted(int r, gpa_dtype t, bool args, bool with_nan) {
    bool sums = r == RED_SUM || r == RED_PROD, big = r == RED_PROD && dtype_is_complex(t);
    return red_info[r].text[op_kind_index(dtype_info[t].kind)] && red_info[r].arg == args &&
           !(with_nan && sums) && !big;
}

/* The reduction of outer point `o`, one element after the other. */
static gpa_val expected(const job *j, gpa_red r, gpa_dtype t, int shape, int64_t o) {
    const unsigned inner = shapes[shape].inner;
    const int64_t *size = shapes[shape].size;
    gpa_red_state s = red_start(r, t);
    int64_t number = 0;
    for (int64_t p = 0; p < (inner & 1 ? size[0] : 1); p++)
        for (int64_t q = 0; q < (inner & 2 ? size[1] : 1); q++) {
            int64_t place = element_at(&shapes[shape].in, inner & 1 ? p : o, inner & 2 ? q : o);
            gpa_val v = dtype_load(j->host[0] + (size_t)place * dtype_size(t), t);
            gpa_red_state one = {.v = dtype_cast(v, t, dtype_info[t].compute), .at = number++};
            s = red_combine(r, t, s, one);
        }
    return red_info[r].arg ? (gpa_val){.I64 = s.at} : dtype_cast(s.v, dtype_info[t].compute, t);
}

static void check_reduction(job *j, gpa_red r, gpa_dtype t, int shape, int out) {
    const unsigned inner = shapes[shape].inner;
    gpa_dtype type = red_info[r].arg ? DT_I64 : t;
    int64_t n = (inner & 1 ? 1 : shapes[shape].size[0]) * (inner & 2 ? 1 : shapes[shape].size[1]);
    unsigned char *got = results(j, out, type);
    int worst = 0;
    for (int64_t o = 0; o < n && !j->why; o++) {
        gpa_val have = dtype_load(got + (size_t)o * dtype_size(type), type),
                want = expected(j, r, t, shape, o);
        if (alike(type, have, want, 0, 0, true) || worst++) continue;
        if (head_of_failure("reductions", shapes[shape].name, t))
            differ(&(evaluated){red_info[r].name, DT_I64, &(gpa_val){.I64 = o}, 1}, type, have,
                   want);
    }
    free(got);
}

static void try_reductions(gpa_dtype t, int shape, bool args, bool with_nan) {
    job j;
    gpa_red reds[RED_COUNT];
    int32_t made[RED_COUNT];
    int out[RED_COUNT], n = 0;
    const unsigned inner = shapes[shape].inner;
    start_job(&j, 2, inner);
    declare(&j, t, &shapes[shape].in, KIR_READ, 0);
    fill_small(&j, t, with_nan);
    kir_open(j.f, (kir_ins){.code = KIR_EACH, .type = DT_NONE});
    int32_t x = kir_emit(j.f, (kir_ins){.code = KIR_LOAD, .type = (uint8_t)t, .sub = 0}),
            at = inner_number(j.f, shape);
    for (int r = 0; r < RED_COUNT; r++) {
        if (!wanted(r, t, args, with_nan)) continue;
        reds[n] = (gpa_red)r;
        made[n++] = kir_emit(j.f, (kir_ins){.code = KIR_REDUCE,
                                            .type = (uint8_t)(args ? DT_I64 : t),
                                            .sub = (uint16_t)r,
                                            .a = x,
                                            .b = args ? at : -1});
    }
    kir_close(j.f);
    walk w = {{inner & 1 ? 0 : 1, inner & 2 ? 0 : 1}, 0};
    for (int k = 0; k < n; k++) {
        out[k] = declare(&j, args ? DT_I64 : t, &w, KIR_WRITE, -1);
        kir_emit(
            j.f,
            (kir_ins){.code = KIR_STORE, .type = DT_NONE, .sub = (uint16_t)out[k], .a = made[k]});
    }
    launch(&j, shapes[shape].size);
    for (int k = 0; k < n; k++) check_reduction(&j, reds[k], t, shape, out[k]);
    report("reductions", shapes[shape].name, t, &j);
    end_job(&j);
}

/* ---- the device ---- */

static const gpa_backend *find_backend(const char *name) {
    if (!strcmp(name, "ref")) return &gpa_ref_backend;
    void *lib = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!lib) return fprintf(stderr, "%s\n", dlerror()), NULL;
    void *entry = dlsym(lib, GPA_BACKEND_ENTRY);
    gpa_backend_entry_fn fn;
    memcpy(&fn, &entry, sizeof fn);
    return entry ? fn(GPA_BACKEND_ABI) : NULL;
}

int main(int argc, char **argv) {
    char why[256] = "";
    gpa_err e = {.code = GPA_OK};
    be = argc > 1 ? find_backend(argv[1]) : NULL;
    if (!be) return 2;
    if (be->tables && be->tables != gpa_tables_hash())
        return fputs("built from other tables\n", stderr), 2;
    if (be->count(why, sizeof why) == 0) return printf("skip - %s: %s\n", be->name, why), 0;
    if (be->open(0, &dev, &e)) return fprintf(stderr, "%s\n", e.msg), 2;
    gpa_caps caps;
    int part = 0, parts = 1;
    if (argc > 2 && (sscanf(argv[2], "%d/%d", &part, &parts) != 2 || parts < 1)) return 2;
    interpreted = argc > 3;
    same = interpreted && !strcmp(argv[3], "same");
    be->caps(dev, &caps);
    for (int t = part; t < DT_COUNT; t += parts) {
        if (!(caps.dtypes >> t & 1u)) continue;
        for (int layout = 0; layout < (int)COUNT_OF(layouts); layout++) {
            uint64_t before = random_state;
            for (gpa_op op = 0; op < OP_COUNT;) op = try_ops(op, (gpa_dtype)t, layout);
            if (layouts[layout].size[0] == SHORT) random_state = before; /* values of their own */
            report("ops", layouts[layout].name, (gpa_dtype)t, NULL);
        }
        for (int layout = 0; layout < (int)COUNT_OF(layouts); layout += 3)
            try_casts((gpa_dtype)t, layout);
        if (interpreted) continue;
        bool real = dtype_is_float((gpa_dtype)t) || dtype_is_complex((gpa_dtype)t);
        for (int shape = 0; shape < (int)COUNT_OF(shapes); shape++)
            for (int how = 0; how < (real ? 4 : 2); how++)
                try_reductions((gpa_dtype)t, shape, how & 1, how & 2);
        fflush(stdout);
    }
    be->close(dev);
    return failed;
}
