/* A server of the operation and dtype tables for tests/conformance/: one request per line on stdin,
 * answers on stdout.
 *
 *   ops                   a line per operation and operand dtype: NAME ARITY DTYPE COMPUTE RESULT
 *                         and the operands' dtypes; RESULT is - where the operation is undefined
 *   pairs                 a line per operation of two operands and their dtypes: NAME A B RESULT
 *   reds                  a line per reduction and dtype it is defined for: NAME DTYPE ARG
 *   promote               a line per pair: A B PROMOTED, and how A casts to B: safe, same_kind,
 *                         unsafe
 *   weak                  a line per weak kind and dtype: 1..4 DTYPE RESULT
 *   find NAME             the dtype with this name, or -
 *   op NAME DTYPE N       N elements of each operand follow as bytes; the answer is N results
 *   cast FROM TO N        N elements follow; the answer is N results
 *   reduce NAME DTYPE N   N elements follow; the answer is the result, and its index as int64 */
#include <stdio.h>

#include "runtime/base/base.h"
#include "runtime/tables/op.h"

/* Rows that are not NumPy's own begin with an underscore, which the scripts leave out. */
static const char *shown(gpa_op op) { return op_info[op].name + (op_info[op].name[0] == '_'); }

static gpa_op named(const char *name) {
    char hidden[80];
    gpa_op op = op_find(name, strlen(name));
    if (op != OP_COUNT) return op;
    snprintf(hidden, sizeof hidden, "_%s", name);
    return op_find(hidden, strlen(hidden));
}

static const char *name_of(gpa_dtype t) { return t == DT_NONE ? "-" : dtype_info[t].name; }

static void list_ops(void) {
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < DT_COUNT; t++) {
            gpa_dtype compute = DT_NONE, result = DT_NONE;
            bool defined = op_types((gpa_op)op, (gpa_dtype)t, &compute, &result);
            printf("%s %d %s", shown((gpa_op)op), op_info[op].arity, name_of((gpa_dtype)t));
            printf(" %s %s", name_of(compute), name_of(result));
            for (int i = 0; defined && i < op_info[op].arity; i++)
                printf(" %s", name_of(op_operand_type((gpa_op)op, compute, i)));
            putchar('\n');
        }
}

static void list_pairs(void) {
    for (int op = 0; op < OP_COUNT; op++)
        for (int k = 0; op_info[op].arity == 2 && k < DT_COUNT * DT_COUNT; k++) {
            gpa_dtype a = (gpa_dtype)(k / DT_COUNT), b = (gpa_dtype)(k % DT_COUNT), compute, result;
            gpa_dtype t =
                dtype_promote(op_promotion_type((gpa_op)op, a), op_promotion_type((gpa_op)op, b));
            if (!op_types((gpa_op)op, t, &compute, &result)) result = DT_NONE;
            printf("%s %s %s %s\n", shown((gpa_op)op), name_of(a), name_of(b), name_of(result));
        }
}

static void list_reds(void) {
    for (int r = 0; r < RED_COUNT; r++)
        for (int t = 0; t < DT_COUNT; t++)
            if (red_info[r].text[op_kind_index(dtype_info[t].kind)])
                printf("%s %s %d\n", red_info[r].name, name_of((gpa_dtype)t), red_info[r].arg);
}

static void list_promotions(void) {
    for (int a = 0; a < DT_COUNT; a++)
        for (int b = 0; b < DT_COUNT; b++) {
            gpa_dtype from = (gpa_dtype)a, to = (gpa_dtype)b;
            const char *how = dtype_can_cast(from, to, CAST_SAFE)        ? "safe"
                              : dtype_can_cast(from, to, CAST_SAME_KIND) ? "same_kind"
                                                                         : "unsafe";
            printf("%s %s %s %s\n", name_of(from), name_of(to), name_of(dtype_promote(from, to)),
                   how);
        }
}

static void list_weak(void) {
    for (int w = WEAK_BOOL; w <= WEAK_COMPLEX; w++)
        for (int t = 0; t <= DT_COUNT; t++)
            printf("%d %s %s\n", w, name_of((gpa_dtype)t),
                   name_of(dtype_of_weak((gpa_weak)w, (gpa_dtype)t)));
}

/* `n` elements of a dtype from stdin; NULL at the end of input. */
static unsigned char *take(size_t n, gpa_dtype t) {
    unsigned char *p = mem_new(n * dtype_size(t));
    if (p && fread(p, dtype_size(t), n, stdin) == n) return p;
    mem_free(p);
    return NULL;
}

static void give(gpa_dtype t, gpa_val v) {
    unsigned char bytes[sizeof v];
    dtype_store(bytes, t, v);
    fwrite(bytes, 1, dtype_size(t), stdout);
}

static bool do_op(gpa_op op, gpa_dtype t, size_t n) {
    gpa_dtype compute, result, type[3];
    unsigned char *in[3] = {NULL, NULL, NULL};
    bool whole = op_types(op, t, &compute, &result);
    int arity = op_info[op].arity;
    for (int i = 0; i < arity && whole; i++) {
        type[i] = op_operand_type(op, compute, i);
        in[i] = take(n, type[i]);
        whole = in[i] != NULL;
    }
    for (size_t k = 0; k < n && whole; k++) {
        gpa_val v[3] = {{.bits = {0, 0}}, {.bits = {0, 0}}, {.bits = {0, 0}}};
        for (int i = 0; i < arity; i++) v[i] = dtype_load(in[i] + k * dtype_size(type[i]), type[i]);
        give(result, op_scalar(op, compute, v[0], v[1], v[2]));
    }
    for (int i = 0; i < 3; i++) mem_free(in[i]);
    return whole;
}

static bool do_cast(gpa_dtype from, gpa_dtype to, size_t n) {
    unsigned char *in = take(n, from);
    for (size_t k = 0; k < n && in; k++)
        give(to, dtype_cast(dtype_load(in + k * dtype_size(from), from), from, to));
    mem_free(in);
    return in != NULL;
}

static bool do_reduce(gpa_red r, gpa_dtype t, size_t n) {
    unsigned char *in = take(n, t);
    gpa_dtype wide = dtype_info[t].compute;
    gpa_red_state s = red_start(r, t);
    for (size_t k = 0; k < n && in; k++) {
        gpa_red_state one = {.v = dtype_cast(dtype_load(in + k * dtype_size(t), t), t, wide),
                             .at = (int64_t)k};
        s = red_combine(r, t, s, one);
    }
    give(t, dtype_cast(s.v, wide, t));
    fwrite(&s.at, sizeof s.at, 1, stdout);
    mem_free(in);
    return in != NULL;
}

static gpa_dtype dtype_named(const char *s) { return dtype_find(s, strlen(s)); }

int main(void) {
    char line[160], verb[16], x[64], y[64];
    unsigned long n;
    while (fgets(line, sizeof line, stdin)) {
        n = 0;
        x[0] = y[0] = 0;
        if (sscanf(line, "%15s %63s %63s %lu", verb, x, y, &n) < 1) return 2;
        bool good = true;
        if (!strcmp(verb, "ops"))
            list_ops();
        else if (!strcmp(verb, "pairs"))
            list_pairs();
        else if (!strcmp(verb, "reds"))
            list_reds();
        else if (!strcmp(verb, "promote"))
            list_promotions();
        else if (!strcmp(verb, "weak"))
            list_weak();
        else if (!strcmp(verb, "find"))
            printf("%s\n", name_of(dtype_named(x)));
        else if (!strcmp(verb, "op"))
            good = do_op(named(x), dtype_named(y), n);
        else if (!strcmp(verb, "cast"))
            good = do_cast(dtype_named(x), dtype_named(y), n);
        else if (!strcmp(verb, "reduce"))
            good = do_reduce(red_find(x, strlen(x)), dtype_named(y), n);
        else
            return 2;
        if (!good) return 1;
        fflush(stdout);
    }
    return 0;
}
