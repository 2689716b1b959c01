/* kir printer (%explain, tests, failures): a heading, arrays and parameters, one instruction a
 * line. */
#include "runtime/base/base.h"
#include "runtime/ir/kir.h"
#include "runtime/base/str.h"

static const char *const where_names[] = {"global", "virtual", "shared", "local", "constant"};

#define KX(id, name, op) name,
static const char *const atomics[] = {KIR_ATOMICS(KX)};
#undef KX
#define KX(id, name) name,
static const char *const threads[] = {KIR_THREADS(KX)}, *const barriers[] = {KIR_BARRIERS(KX)},
                         *const fences[] = {KIR_FENCES(KX)}, *const warps[] = {KIR_WARPS(KX)},
                         *const faults[] = {KIR_FAULTS(KX)};
#undef KX

static const char *type_name(unsigned t) { return t < DT_COUNT ? dtype_info[t].name : "none"; }

static const char *row_name(const char *const *names, size_t n, unsigned row) {
    return row < n ? names[row] : "?";
}
#define ROW(names, row) row_name(names, COUNT_OF(names), row)

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

/* What an instruction prints between its name and its operands. */
static void put_sub(gpa_str *out, const kir_func *f, const kir_ins *i) {
    switch ((kir_code)i->code) {
        case KIR_CONST:
            str_putc(out, ' ');
            if (i->imm < f->n_consts && f->consts[i->imm].type < DT_COUNT)
                put_value(out, (gpa_dtype)f->consts[i->imm].type, f->consts[i->imm].v);
            break;
        case KIR_PARAM:
        case KIR_INDEX: str_printf(out, " %u", i->imm); break;
        case KIR_SIZE:
            if (i->sub == KIR_SPACE)
                str_printf(out, " space %u", i->imm);
            else
                str_printf(out, " @%u %u", i->sub, i->imm);
            break;
        case KIR_STRIDE: str_printf(out, " @%u %u", i->sub, i->imm); break;
        case KIR_LOAD:
        case KIR_STORE:
        case KIR_IOTA:
        case KIR_LOADX:
        case KIR_STOREX: str_printf(out, " @%u", i->sub); break;
        case KIR_ATOMIC: str_printf(out, " %s @%u", ROW(atomics, i->imm), i->sub); break;
        case KIR_BOUND:
            str_printf(out, i->imm == KIR_IN_BOUNDS ? " inside axis %u" : " axis %u", i->sub);
            break;
        case KIR_REDUCE:
        case KIR_SCAN:
            str_printf(out, " %s", i->sub < RED_COUNT ? red_info[i->sub].name : "?");
            break;
        case KIR_BREAK:
        case KIR_NEXT: str_printf(out, " %u", i->imm); break;
        case KIR_THREAD: str_printf(out, " %s %u", ROW(threads, i->sub), i->imm); break;
        case KIR_BARRIER: str_printf(out, " %s", ROW(barriers, i->sub)); break;
        case KIR_FENCE: str_printf(out, " %s", ROW(fences, i->sub)); break;
        case KIR_WARP: str_printf(out, " %s", ROW(warps, i->sub)); break;
        case KIR_PRINT:
        case KIR_FAULT:
            if (i->code == KIR_FAULT) str_printf(out, " %s", ROW(faults, i->sub));
            if (i->imm < f->n_texts) str_printf(out, " \"%s\"", f->texts[i->imm]);
            break;
        case KIR_FOR:
            str_put(out, i->imm == KIR_SHORT_LOOP        ? " few"
                         : i->imm == KIR_SHORT_LOOP_DOWN ? " few down"
                                                         : "");
            break;
        case KIR_IF: str_put(out, i->imm == KIR_NEVER ? " never" : ""); break;
        case KIR_OP:
        case KIR_CAST:
        case KIR_VAR:
        case KIR_GET:
        case KIR_SET:
        case KIR_EACH:
        case KIR_ELSE:
        case KIR_LOOP:
        case KIR_BLOCK:
        case KIR_END:
        case KIR_ARG:
        case KIR_COUNT: break;
    }
}

static void put_ins(gpa_str *out, const kir_func *f, size_t at, size_t depth) {
    const kir_ins *i = &f->code[at];
    bool region = kir_info[i->code].result == 'R';
    str_fill(out, ' ', 2 + 2 * depth);
    if (i->code == KIR_END || i->code == KIR_ELSE) {
        str_put(out, i->code == KIR_END ? "}\n" : "} else {\n");
        return;
    }
    if (kir_info[i->code].result == 'Y' || i->code == KIR_FOR)
        str_printf(out, "%%%zu: %s = ", at, type_name(i->type));
    const char *name = kir_info[i->code].name;
    if (i->code == KIR_OP) name = i->sub < OP_COUNT ? op_info[i->sub].name : "?";
    str_put(out, name);
    put_sub(out, f, i);
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
        if (code == KIR_ELSE || kir_info[code].result == 'R') depth++;
    }
}
