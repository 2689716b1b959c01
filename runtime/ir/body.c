/* Bodies: verified once per function and argument types, inlined into every program that uses them.
 */
#include "runtime/ir/body.h"

#include "runtime/base/base.h"

enum { ASSUMED_TRIPS = 16 }; /* assumed trip count of a loop, for its cost */

static uint32_t cost_of(const kir_func *f) {
    uint32_t cost = 0, trips = 1, depth = 0, loops[64] = {0};
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *x = &f->code[i];
        if (kir_has(x->code, KI_REGION)) {
            uint32_t before = trips;
            if (kir_has(x->code, KI_LOOP) && trips < 1u << 16) trips *= ASSUMED_TRIPS;
            if (depth < COUNT_OF(loops)) loops[depth] = before;
            depth++;
        } else if (x->code == KIR_END) {
            if (--depth < COUNT_OF(loops)) trips = loops[depth];
        }
        uint32_t one = x->code == KIR_OP ? op_info[x->sub].cost : x->code == KIR_CAST;
        cost = MIN(cost + MIN(one * trips, 1u << 20), 1u << 20);
    }
    return cost;
}

gpa_code body_new_take(kir_func *f, const int32_t *values, int n, gpa_body **out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    gpa_body *b = NULL;
    if (f->failed) TRY(gpa_no_memory(e));
    for (int i = 0; i < n; i++)
        if (values[i] < 0) TRY(gpa_no_memory(e));
    TRY(kir_check(f, e));
    for (size_t i = 0; i < f->n_code; i++)
        if (!kir_has(f->code[i].code, KI_BODY))
            TRY(gpa_fail(e, GPA_E_INTERNAL, "%s in a body", kir_info[f->code[i].code].name));
    b = mem_zero(sizeof *b);
    if (!b || !(b->at = mem_new(f->n_code * sizeof *b->at))) TRY(gpa_no_memory(e));
    b->refs = 1;
    b->f = f;
    b->n_out = (uint8_t)n;
    b->trips = -1;
    for (int i = 0; i < n; i++) {
        b->value[i] = values[i];
        b->dtype[i] = f->code[values[i]].type;
    }
    b->cost = cost_of(f);
    *out = b;
    return GPA_OK;
out:
    mem_free(b);
    kir_free(f);
    return rc;
}

void body_release(gpa_body *b) {
    if (!b || --b->refs > 0) return;
    kir_free(b->f);
    mem_free(b->at);
    mem_free(b->text);
    mem_free(b);
}

bool body_emit(const gpa_body *b, kir_func *f, const int32_t *in) {
    for (size_t i = 0; i < b->f->n_code; i++) {
        kir_ins x = b->f->code[i];
        kir_set_span(f, b->f->spans[x.line]);
        if (x.a >= 0) x.a = b->at[x.a];
        if (x.b >= 0) x.b = b->at[x.b];
        if (x.c >= 0) x.c = b->at[x.c];
        b->at[i] = -1;
        if (x.code == KIR_CONST)
            b->at[i] = kir_const(f, (gpa_dtype)x.type, b->f->consts[x.imm].v);
        else if (x.code == KIR_PARAM)
            b->at[i] = in[x.imm];
        else if (x.code == KIR_END)
            kir_close(f);
        else
            b->at[i] = kir_has(x.code, KI_REGION) ? kir_open(f, x) : kir_emit(f, x);
        if (f->failed) return false;
    }
    return true;
}
