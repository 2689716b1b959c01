/* Layouts of generalized ufuncs: parser, and matching of a call's shapes (broadcasting). */
#include "lang/typed/layout.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- parser ---- */

typedef struct {
    gpa_vm *vm;
    const char *text, *at;
    typed_layout *l;
} reader;

static void skip(reader *r) {
    while (*r->at == ' ') r->at++;
}

static gpa_code expected(const reader *r, const char *what) {
    return vm_fail(r->vm, GPA_E_VALUE, "expect %s at position %d in \"%s\"", what,
                   (int)(r->at - r->text), r->text);
}

/* Index of a dimension's name; inputs may introduce new names, outputs may not. */
static gpa_code find_name(reader *r, const char *from, size_t n, bool output, int *out) {
    typed_layout *l = r->l;
    for (*out = 0; *out < l->n_names; ++*out)
        if (strlen(l->name[*out]) == n && memcmp(l->name[*out], from, n) == 0) return GPA_OK;
    if (output && !isdigit((unsigned char)*from))
        return vm_fail(r->vm, GPA_E_NAME, "undefined output symbols: %.*s", (int)n, from);
    if (l->n_names == KIR_MAX_DIMS || n >= sizeof l->name[0])
        return vm_fail(r->vm, GPA_E_VALUE,
                       "a layout has at most %d dimensions with names of at most 15 letters",
                       KIR_MAX_DIMS);
    memcpy(l->name[l->n_names], from, n);
    l->size[l->n_names] = isdigit((unsigned char)*from) ? strtoll(from, NULL, 10) : -1;
    l->n_names++;
    return GPA_OK;
}

/* Parses one argument: "(m,n)". */
static gpa_code read_argument(reader *r, bool output) {
    typed_layout *l = r->l;
    int k = l->n_in + l->n_out;
    skip(r);
    if (*r->at != '(') return expected(r, "'('");
    if (k == BODY_MAX_IN)
        return vm_fail(r->vm, GPA_E_VALUE, "a generalised ufunc has at most %d arguments",
                       BODY_MAX_IN);
    r->at++;
    skip(r);
    while (*r->at != ')') {
        const char *from = r->at;
        int which;
        while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
        if (r->at == from)
            return vm_fail(r->vm, GPA_E_VALUE, "bad token in signature \"%s\"", r->at);
        if (l->ndim[k] == KIR_MAX_DIMS)
            return vm_fail(r->vm, GPA_E_VALUE, "a layout has at most %d dimensions", KIR_MAX_DIMS);
        gpa_code rc = find_name(r, from, (size_t)(r->at - from), output, &which);
        if (rc) return rc;
        l->dim[k][l->ndim[k]++] = (int8_t)which;
        skip(r);
        if (*r->at == ',')
            r->at++;
        else if (*r->at != ')')
            return *r->at ? expected(r, "',' or ')'")
                          : vm_fail(r->vm, GPA_E_VALUE, "bad token in signature \"\"");
        skip(r);
    }
    r->at++;
    skip(r);
    *(output ? &l->n_out : &l->n_in) += 1;
    return GPA_OK;
}

static gpa_code read_side(reader *r, bool output) {
    gpa_code rc = read_argument(r, output);
    while (!rc && *r->at == ',') {
        r->at++;
        rc = read_argument(r, output);
    }
    return rc;
}

gpa_code layout_read(gpa_vm *vm, const char *text, typed_layout *out) {
    reader r = {vm, text, text, out};
    memset(out, 0, sizeof *out);
    memset(out->dim, -1, sizeof out->dim);
    skip(&r);
    gpa_code rc = *r.at == '-' ? GPA_OK : read_side(&r, false);
    if (rc) return rc;
    if (r.at[0] != '-' || r.at[1] != '>') return expected(&r, "'->'");
    r.at += 2;
    rc = read_side(&r, true);
    if (!rc && *r.at) rc = expected(&r, "the end");
    return rc;
}

/* ---- matching ---- */

static const char *side_of(const typed_layout *l, int *k) {
    if (*k < l->n_in) return "Input";
    *k -= l->n_in;
    return "Output";
}

/* The generalized ufunc that is called, for messages. */
typedef struct {
    const char *name, *text;
    const typed_layout *layout;
} callee;

static gpa_code too_flat(gpa_vm *vm, const callee *g, int k, int have) {
    int need = g->layout->ndim[k];
    const char *side = side_of(g->layout, &k);
    return vm_fail(vm, GPA_E_VALUE,
                   "%s: %s operand %d does not have enough dimensions (has %d, gufunc core with "
                   "signature %s requires %d)",
                   g->name, side, k, have, g->text, need);
}

static gpa_code mismatch(gpa_vm *vm, const callee *g, int k, int d, int64_t have, int64_t want) {
    const char *side = side_of(g->layout, &k);
    return vm_fail(vm, GPA_E_VALUE,
                   "%s: %s operand %d has a mismatch in its core dimension %d, with gufunc "
                   "signature %s (size %lld is different from %lld)",
                   g->name, side, k, d, g->text, (long long)have, (long long)want);
}

static void put_shape(gpa_str *s, const int64_t *shape, int n, int more) {
    str_put(s, "(");
    for (int d = 0; d < n; d++) str_printf(s, "%s%lld", d ? "," : "", (long long)shape[d]);
    for (int d = 0; d < more; d++) str_put(s, n || d ? ",newaxis" : "newaxis");
    str_put(s, n + more == 1 && !more ? ",)" : ")");
}

/* Error message: NumPy shows every operand's shape with and without its core dimensions. */
static gpa_code no_broadcast(gpa_vm *vm, const typed_layout *l, gpa_arr *const *args) {
    gpa_str s;
    int core = 0;
    str_init(&s);
    for (int k = 0; k < l->n_in + l->n_out; k++)
        core = MAX(core, l->n_out && k >= l->n_in ? l->ndim[k] : 0);
    for (int k = 0; k < l->n_in; k++) {
        put_shape(&s, args[k]->shape, args[k]->ndim, 0);
        str_put(&s, "->");
        put_shape(&s, args[k]->shape, args[k]->ndim - l->ndim[k], core);
        str_put(&s, " ");
    }
    gpa_code rc = vm_fail(
        vm, GPA_E_VALUE,
        "operands could not be broadcast together with remapped shapes [original->remapped]: %s",
        s.text);
    str_free(&s);
    return rc;
}

static gpa_code match_core(gpa_vm *vm, const callee *g, int k, const gpa_arr *a, layout_fit *f) {
    const typed_layout *l = g->layout;
    int first = a->ndim - l->ndim[k];
    if (first < 0) return too_flat(vm, g, k, a->ndim);
    for (int d = 0; d < l->ndim[k]; d++) {
        int64_t *size = &f->core[l->dim[k][d]], have = a->shape[first + d];
        if (*size < 0) *size = have;
        if (*size != have) return mismatch(vm, g, k, d, have, *size);
    }
    return GPA_OK;
}

static bool broadcast_loops(layout_fit *f, const gpa_arr *a, int n) {
    for (; f->loops < n; f->loops++) {
        memmove(f->loop + 1, f->loop, (size_t)f->loops * sizeof *f->loop);
        f->loop[0] = 1;
    }
    for (int d = 0; d < n; d++) {
        int64_t *to = &f->loop[f->loops - n + d], have = a->shape[d];
        if (*to == 1)
            *to = have;
        else if (have != 1 && have != *to)
            return false;
    }
    return true;
}

gpa_code layout_match(gpa_vm *vm, const char *name, const char *text, const typed_layout *l,
                      gpa_arr *const *args, layout_fit *f) {
    const callee g = {name, text, l};
    f->loops = 0;
    for (int i = 0; i < KIR_MAX_DIMS; i++) f->core[i] = i < l->n_names ? l->size[i] : -1;
    for (int k = 0; k < l->n_in + l->n_out; k++) {
        gpa_code rc = args[k] ? match_core(vm, &g, k, args[k], f) : GPA_OK;
        if (rc) return rc;
    }
    for (int k = 0; k < l->n_in + l->n_out; k++)
        if (args[k] && !broadcast_loops(f, args[k], args[k]->ndim - l->ndim[k]))
            return no_broadcast(vm, l, args);
    for (int i = 0; i < l->n_names; i++)
        if (f->core[i] < 0)
            return vm_fail(vm, GPA_E_VALUE,
                           "%s: the size of dimension %s is not known, with gufunc signature %s",
                           name, l->name[i], text);
    return GPA_OK;
}
