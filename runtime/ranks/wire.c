/* Commands and replies as bytes: wire.h. */
#include "runtime/ranks/wire.h"

#include "runtime/base/base.h"

enum { ALIGN = 16 };

void wire_put(gpa_str *out, const void *from, size_t n) {
    if (n) str_putn(out, from, n);
    if (out->len % ALIGN) str_fill(out, 0, ALIGN - out->len % ALIGN);
}

void wire_put_head(gpa_str *out, wire_op op, uint32_t id) {
    wire_put(out, &(wire_head){op, id}, sizeof(wire_head));
}

void wire_put_program(gpa_str *out, const kir_func *f) {
    wire_put(out, f, sizeof *f);
    wire_put(out, f->code, f->n_code * sizeof *f->code);
    wire_put(out, f->arrays, f->n_arrays * sizeof *f->arrays);
    wire_put(out, f->params, f->n_params);
    wire_put(out, f->consts, f->n_consts * sizeof *f->consts);
    for (size_t i = 0; i < f->n_texts; i++) wire_put(out, f->texts[i], strlen(f->texts[i]) + 1);
}

const void *wire_get(wire_reader *r, size_t n) {
    if (n > r->n - MIN(r->at, r->n)) return NULL;
    const char *p = r->start + r->at;
    r->at += (n + ALIGN - 1) / ALIGN * ALIGN;
    return p;
}

/* The next n bytes, whose owner will not write them. */
static void *take(wire_reader *r, size_t n) { return (void *)(uintptr_t)wire_get(r, n); }

gpa_code wire_get_program(wire_reader *r, kir_func *out, gpa_err *e) {
    const kir_func *f = wire_get(r, sizeof *f);
    if (!f) return gpa_fail(e, GPA_E_INTERNAL, "a program is incomplete");
    *out = *f;
    out->builder = NULL;
    out->spans = NULL;
    out->n_spans = out->cap_spans = 0;
    out->code = take(r, f->n_code * sizeof *f->code);
    out->arrays = take(r, f->n_arrays * sizeof *f->arrays);
    out->params = take(r, f->n_params);
    out->consts = take(r, f->n_consts * sizeof *f->consts);
    out->texts = mem_zero((f->n_texts + 1) * sizeof *out->texts);
    if (!out->texts) return gpa_no_memory(e);
    bool whole = out->code && out->arrays && out->params && out->consts;
    for (size_t i = 0; i < f->n_texts && whole; i++) {
        out->texts[i] = take(r, 0);
        size_t left = r->n - MIN(r->at, r->n),
               n = out->texts[i] ? strnlen(out->texts[i], left) : left;
        whole = n < left && take(r, n + 1);
    }
    if (whole) return GPA_OK;
    mem_free(out->texts);
    return gpa_fail(e, GPA_E_INTERNAL, "a program is incomplete");
}
