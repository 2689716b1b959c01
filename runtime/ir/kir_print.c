/* kir printer (%explain, tests, failures): a heading, arrays and parameters, one instruction a
 * line. */
#include "runtime/base/base.h"
#include "runtime/ir/kir.h"
#include "runtime/base/str.h"

static const char *const where_names[] = {"global", "virtual", "shared", "local", "constant"};

static const char *type_name(unsigned t) { return t < DT_COUNT ? dtype_info[t].name : "none"; }

static void put_value(gpa_str *out, gpa_dtype t, gpa_val v) {
    char kind = dtype_info[t].kind;
    gpa_c128 z = dtype_cast(v, t, DT_C128).C128;
    int digits = dtype_info[t].real == DT_F64 ? 17 : 9;
    if (kind == 'C')
        str_printf(out, "(%.*g, %.*g)", digits, z.re, digits, z.im);
    else if (kind == 'F')
        str_printf(out, "%.*g", digits, z.re);
    else if (kind == 'B')
        str_put(out, v.BOOL ? "true" : "false");
    else if (t == DT_U64)
        str_printf(out, "%llu", (unsigned long long)v.U64);
    else
        str_printf(out, "%lld", (long long)dtype_cast(v, t, DT_I64).I64);
}

static void put_dims(gpa_str *out, const char *what, unsigned bits) {
    if (!bits) return;
    str_printf(out, ", %s", what);
    for (unsigned d = 0; d < 16; d++)
        if (bits >> d & 1u) str_printf(out, " %u", d);
}

static void put_array(gpa_str *out, const kir_func *f, size_t i) {
    const kir_array *a = &f->arrays[i];
    str_printf(out, "  @%zu: %s %s", i,
               a->where < COUNT_OF(where_names) ? where_names[a->where] : "?", type_name(a->dtype));
    if (a->access & KIR_READ) str_put(out, ", read");
    if (a->access & KIR_WRITE) str_put(out, ", write");
    if (a->ndim) str_printf(out, ", %u dims", a->ndim);
    put_dims(out, "zero", a->zero);
    put_dims(out, "unit", a->unit);
    if (a->group) str_printf(out, ", group %u", a->group);
    if (a->count) str_printf(out, ", %u elements", a->count);
    str_putc(out, '\n');
}

/* A field `sub` or `imm`; of enumerations the name. */
static void put_field(gpa_str *out, const kir_func *f, kir_field kind, uint32_t v) {
    const struct kir_rows *rows = &kir_rows[kind];
    switch ((int)kind) {
        case KIR_FIELD_NONE:
        case KIR_FIELD_OP:
        case KIR_FIELD_REGION: break;
        case KIR_FIELD_ARRAY: str_printf(out, " @%u", v); break;
        case KIR_FIELD_AXIS: str_printf(out, " axis %u", v); break;
        case KIR_FIELD_PARAM:
        case KIR_FIELD_DIM:
        case KIR_FIELD_DEPTH: str_printf(out, " %u", v); break;
        case KIR_FIELD_RED: str_printf(out, " %s", v < RED_COUNT ? red_info[v].name : "?"); break;
        case KIR_FIELD_CONST:
            str_putc(out, ' ');
            if (v < f->n_consts && f->consts[v].type < DT_COUNT)
                put_value(out, (gpa_dtype)f->consts[v].type, f->consts[v].v);
            break;
        case KIR_FIELD_TEXT:
            if (v < f->n_texts) str_printf(out, " \"%s\"", f->texts[v]);
            break;
        default:
            if (v >= rows->n)
                str_put(out, " ?");
            else if (rows->names[v][0])
                str_printf(out, " %s", rows->names[v]);
    }
}

/* The fields between an instruction's name and its operands: `imm` first if it is an enumeration.
 */
static void put_fields(gpa_str *out, const kir_func *f, const kir_ins *i) {
    kir_field sub = (kir_field)kir_info[i->code].sub, imm = (kir_field)kir_info[i->code].imm;
    bool imm_first = kir_rows[imm].names != NULL;
    if (imm_first) put_field(out, f, imm, i->imm);
    if (i->code == KIR_SIZE && i->sub == KIR_SPACE)
        str_put(out, " space");
    else
        put_field(out, f, sub, i->sub);
    if (!imm_first) put_field(out, f, imm, i->imm);
}

static void put_ins(gpa_str *out, const kir_func *f, size_t at, size_t depth) {
    const kir_ins *i = &f->code[at];
    bool region = kir_has(i->code, KI_REGION);
    str_fill(out, ' ', 2 + 2 * depth);
    if (i->code == KIR_END || i->code == KIR_ELSE) {
        str_put(out, i->code == KIR_END ? "}\n" : "} else {\n");
        return;
    }
    if (kir_has(i->code, KI_VALUE | KI_COUNTER))
        str_printf(out, "%%%zu: %s = ", at, type_name(i->type));
    const char *name = kir_info[i->code].name;
    if (i->code == KIR_OP) name = i->sub < OP_COUNT ? op_info[i->sub].name : "?";
    str_put(out, name);
    put_fields(out, f, i);
    const int32_t args[] = {i->a, i->b, i->c};
    for (int k = 0; k < 3; k++)
        if (args[k] >= 0) str_printf(out, "%s%%%d", k ? ", " : " ", args[k]);
    str_put(out, region ? " {\n" : "\n");
}

void kir_print(const kir_func *f, gpa_str *out) {
    str_printf(out, "%s %s", f->form == KIR_MAP ? "map" : "kernel", f->name);
    if (f->form == KIR_MAP) str_printf(out, ", %u dims", f->ndim);
    put_dims(out, "inner", f->inner);
    if (f->flags & KIR_F_SMALL) str_put(out, ", small");
    if (f->flags & KIR_F_FASTMATH) str_put(out, ", fastmath");
    if (f->flags & KIR_F_UNCHECKED) str_put(out, ", unchecked");
    str_putc(out, '\n');
    for (size_t i = 0; i < f->n_arrays; i++) put_array(out, f, i);
    for (size_t i = 0; i < f->n_params; i++)
        str_printf(out, "  $%zu: %s\n", i, type_name(f->params[i]));
    size_t depth = 0;
    for (size_t i = 0; i < f->n_code; i++) {
        uint8_t code = f->code[i].code;
        if (code >= KIR_COUNT) continue;
        if ((code == KIR_END || code == KIR_ELSE) && depth) depth--;
        put_ins(out, f, i, depth);
        if (code == KIR_ELSE || kir_has(code, KI_REGION)) depth++;
    }
}
