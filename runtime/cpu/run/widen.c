/* Widening access: widen.h.
 *
 * Elements that a program only loads and stores may be moved as raw bits. A row of them along one
 * dimension, contiguous in every array that moves, is one element of the row's size if every row
 * begins at a multiple of it. That dimension then has extent 1, and lanes may go along another.
 * Strides, offsets and the parts of indices that count elements count rows afterwards.
 *
 * Reading order: what a program moves, the layout of a launch, the replacing program and launch. */
#include "runtime/cpu/run/widen.h"

#include "runtime/base/base.h"

enum { WIDEST = 16 /* maximum bytes of an element */, MOST_CODE = 64 };

/* ---- data movement of a program ---- */

static bool is_index(const kir_func *f, int32_t v) { return f->code[v].type == DT_I64; }

/* Notes the terms of the index v that count elements: virtual arrays, and parameters that are
 * factors or summands. `of`: per value, true if it is part of such an index. */
static bool note_index(const kir_func *f, int32_t v, widen_facts *w, bool *of) {
    const kir_ins *i = &f->code[v];
    of[v] = true;
    if (i->code == KIR_IOTA)
        w->counted |= UINT64_C(1) << i->sub;
    else if (i->code == KIR_PARAM && i->imm < WIDEN_PARAMS && is_index(f, v))
        w->params |= UINT64_C(1) << i->imm;
    else if (i->code == KIR_OP && i->sub == OP_ADD)
        return note_index(f, i->a, w, of) && note_index(f, i->b, w, of);
    else if (i->code == KIR_OP && i->sub == OP_MULTIPLY)
        return f->code[i->b].code == KIR_PARAM && note_index(f, i->b, w, of);
    else
        return false;
    return true;
}

/* True if values that count elements have no other use, and moved values are only stored. */
static bool has_no_other_use(const kir_func *f, const widen_facts *w, const bool *of,
                             const bool *moves) {
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        const int32_t args[3] = {i->a, i->b, i->c};
        bool adds = of[k] && i->sub == OP_ADD;
        for (int n = 0; n < 3; n++) {
            if (args[n] < 0) continue;
            if (moves[args[n]] && i->code != KIR_STORE) return false;
            bool picks = i->code == KIR_LOADX && w->moved >> i->sub & 1;
            if (of[args[n]] && !picks && !(i->code == KIR_OP && of[k] && (adds || n == 1)))
                return false;
            if (!of[args[n]] && picks) return false;
        }
    }
    return true;
}

static bool may_stand(kir_code code) {
    return code == KIR_CONST || code == KIR_PARAM || code == KIR_LOAD || code == KIR_STORE ||
           code == KIR_LOADX || code == KIR_IOTA || code == KIR_BOUND || code == KIR_OP ||
           code == KIR_CAST;
}

widen_facts widen_examine(const kir_func *f) {
    const widen_facts none = {.moved = 0};
    widen_facts w = none;
    bool of[MOST_CODE] = {false}, moves[MOST_CODE] = {false};
    if (f->form != KIR_MAP || f->inner || f->n_code > MOST_CODE || f->n_params > WIDEN_PARAMS)
        return none;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        if (!may_stand((kir_code)i->code)) return none;
        if (i->code != KIR_STORE) continue;
        const kir_ins *from = &f->code[i->a];
        if ((from->code != KIR_LOAD && from->code != KIR_LOADX) ||
            from->type != f->arrays[i->sub].dtype)
            return none;
        if (w.moved && from->type != w.dtype) return none;
        moves[i->a] = true;
        w.dtype = from->type;
        w.moved |= UINT64_C(1) << i->sub | UINT64_C(1) << from->sub;
    }
    if (!w.moved || dtype_size((gpa_dtype)w.dtype) >= WIDEST) return none;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        bool reads = i->code == KIR_LOAD || i->code == KIR_LOADX;
        if (reads && !moves[k] && w.moved >> i->sub & 1) return none;
        if (i->code == KIR_LOADX && moves[k] && !note_index(f, i->a, &w, of)) return none;
    }
    return has_no_other_use(f, &w, of, moves) ? w : none;
}

/* ---- layout of a launch ---- */

static bool has_unit_stride(const gpa_prog *p, int dim) {
    const kir_func *f = p->f;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        bool moved = (i->code == KIR_LOAD || i->code == KIR_STORE || i->code == KIR_LOADX) &&
                     p->widen.moved >> i->sub & 1;
        if (!moved) continue;
        if (i->code == KIR_LOADX ? emit_access_along(f, i->a, dim) != ACCESS_UNIT_STRIDE
                                 : !(f->arrays[i->sub].unit >> dim & 1))
            return false;
    }
    return true;
}

/* True if all rows of n elements along a dimension begin at multiples of n. */
static bool rows_begin_even(const gpa_prog *p, const gpa_launch *l, int dim, int64_t n) {
    const uint64_t counted = p->widen.moved | p->widen.counted;
    for (size_t a = 0; a < p->f->n_arrays; a++) {
        if (!(counted >> a & 1)) continue;
        if (l->arrays[a].offset % n) return false;
        for (int d = 0; d < p->f->ndim; d++)
            if (d != dim && l->size[d] > 1 && l->arrays[a].stride[d] % n) return false;
    }
    for (size_t k = 0; k < p->f->n_params; k++)
        if (p->widen.params >> k & 1 && l->params[k].I64 % n) return false;
    return true;
}

/* The dimension whose rows become one element each; -1: there is none. */
static int row_dim(const gpa_prog *p, const gpa_launch *l) {
    int64_t item = (int64_t)dtype_size((gpa_dtype)p->widen.dtype);
    for (int d = p->f->ndim - 1; d >= 0; d--) {
        int64_t n = l->size[d];
        if (n < 2 || n * item > WIDEST || n & (n - 1)) continue;
        if (has_unit_stride(p, d) && rows_begin_even(p, l, d, n)) return d;
    }
    return -1;
}

/* ---- the replacing program and launch ---- */

/* Makes an array and its binding those of rows: stride 0 along the rows' dimension. */
static void widen_arrays(const gpa_launch *l, int ndim, int dim, kir_array *k, gpa_binding *b) {
    int64_t n = l->size[dim];
    k->zero |= (uint16_t)(1u << dim);
    k->unit = 0;
    b->offset /= n;
    for (int d = 0; d < ndim; d++) {
        b->stride[d] = d == dim ? 0 : b->stride[d] / n;
        if (b->stride[d] == 1 && l->size[d] > 1) k->unit |= (uint16_t)(1u << d);
    }
}

/* p's program over arrays of rows, created on first use. */
static gpa_code wide_program(gpa_prog *p, const kir_array *arrays, gpa_dtype t, gpa_prog **out,
                             gpa_err *e) {
    kir_func f = *p->f;
    kir_ins code[MOST_CODE];
    const size_t bytes = f.n_arrays * sizeof *arrays;
    for (size_t i = 0; i < p->n_wide; i++)
        if (!memcmp(p->wide[i]->f->arrays, arrays, bytes)) {
            *out = p->wide[i];
            return GPA_OK;
        }
    if (!mem_grow(&p->wide, p->n_wide, &p->cap_wide, sizeof(gpa_prog *))) return gpa_no_memory(e);
    memcpy(code, f.code, f.n_code * sizeof *code);
    for (size_t i = 0; i < f.n_code; i++)
        if ((code[i].code == KIR_LOAD || code[i].code == KIR_LOADX) &&
            p->widen.moved >> code[i].sub & 1)
            code[i].type = (uint8_t)t;
    kir_array own[KIR_MAX_ARRAYS];
    memcpy(own, arrays, bytes);
    f.code = code, f.arrays = own;
    gpa_code rc = program_new(&f, out, e);
    if (!rc) p->wide[p->n_wide++] = *out;
    return rc;
}

gpa_code widen_integer_program(gpa_prog *p, gpa_prog **out, gpa_err *e) {
    const gpa_dtype t = (gpa_dtype)p->widen.dtype;
    kir_array arrays[KIR_MAX_ARRAYS];
    *out = p;
    if (!p->widen.moved || (t != DT_C64 && (dtype_info[t].compute == t))) return GPA_OK;
    const gpa_dtype plain = t == DT_C64 ? DT_U64 : DT_U16;
    memcpy(arrays, p->f->arrays, p->f->n_arrays * sizeof *arrays);
    for (size_t a = 0; a < p->f->n_arrays; a++)
        if (p->widen.moved >> a & 1) arrays[a].dtype = (uint8_t)plain;
    return wide_program(p, arrays, plain, out, e);
}

gpa_code widen_program(gpa_prog *p, const gpa_launch *l, gpa_prog **out, widened *w, gpa_err *e) {
    const kir_func *f = p->f;
    kir_array arrays[KIR_MAX_ARRAYS];
    int dim = p->widen.moved ? row_dim(p, l) : -1;
    if (dim < 0) {
        w->l = *l;
        return widen_integer_program(p, out, e);
    }
    int64_t n = l->size[dim], bytes = n * (int64_t)dtype_size((gpa_dtype)p->widen.dtype);
    const gpa_dtype t = bytes == 2 ? DT_U16 : bytes == 4 ? DT_U32 : bytes == 8 ? DT_U64 : DT_C128;
    memcpy(arrays, f->arrays, f->n_arrays * sizeof *arrays);
    memcpy(w->arrays, l->arrays, f->n_arrays * sizeof *w->arrays);
    if (f->n_params) memcpy(w->params, l->params, f->n_params * sizeof *w->params);
    for (size_t a = 0; a < f->n_arrays; a++) {
        if (!((p->widen.moved | p->widen.counted) >> a & 1)) continue;
        if (arrays[a].where != KIR_VIRTUAL) arrays[a].dtype = (uint8_t)t;
        widen_arrays(l, f->ndim, dim, &arrays[a], &w->arrays[a]);
    }
    for (size_t k = 0; k < f->n_params; k++)
        if (p->widen.params >> k & 1) w->params[k].I64 /= n;
    w->l = *l;
    w->l.size[dim] = 1;
    w->l.arrays = w->arrays;
    w->l.params = w->params;
    return wide_program(p, arrays, t, out, e);
}
