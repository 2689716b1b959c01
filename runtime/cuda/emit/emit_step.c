/* Instructions of kir as CUDA C statements. Value n of the program is the variable vn.
 *
 * Regions of kir are compound statements, so that C++ scopes equal kir's. BREAK and NEXT are gotos
 * to labels after the region and at the end of its body. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

enum { NAME_BYTES = 16 };

static const char *value_name(char *buf, int32_t v) {
    snprintf(buf, NAME_BYTES, "v%d", (int)v);
    return buf;
}

/* Defines value `at` as the text. Where jumps exist, the declaration has no initializer: C++
 * forbids a goto past one. */
static void define_as(em *E, int32_t at, const char *type, const char *text) {
    if (E->has_jumps)
        em_line(E, "%s v%d; v%d = %s;", type, (int)at, (int)at, text);
    else
        em_line(E, "const %s v%d = %s;", type, (int)at, text);
}

static void define(em *E, int32_t at, gpa_dtype t, const char *text) {
    define_as(E, at, em_type(E, t), text);
}

/* ---- operations ---- */

/* The integer behind a constant and its casts; 0 if it is not one. */
static int64_t integer_of(const kir_func *f, int32_t v) {
    while (f->code[v].code == KIR_CAST) v = f->code[v].a;
    const kir_ins *i = &f->code[v];
    return i->code == KIR_CONST && dtype_is_int((gpa_dtype)i->type)
               ? dtype_cast(f->consts[i->imm].v, (gpa_dtype)i->type, DT_I64).I64
               : 0;
}

static bool is_constant(const kir_func *f, int32_t v, double lo, double hi) {
    const kir_ins *i = &f->code[v];
    return i->code == KIR_CONST && i->type == DT_F64 && f->consts[i->imm].v.F64 >= lo &&
           f->consts[i->imm].v.F64 <= hi;
}

static bool is_unsigned(const kir_func *f, int32_t v) {
    return dtype_info[f->code[v].type].kind == 'U';
}

/* True for the pattern of uniform random numbers in (0, 1]: an unsigned integer plus 0.5 or 1,
 * times a scale. */
static bool is_positive_uniform(const kir_func *f, int32_t v) {
    const kir_ins *i = &f->code[v];
    if (i->code != KIR_OP || i->sub != OP_MULTIPLY || i->type != DT_F64 ||
        !is_constant(f, i->b, 0x1p-64, 1))
        return false;
    i = &f->code[i->a];
    if (i->code == KIR_OP && i->sub == OP_ADD)
        return f->code[i->a].code == KIR_CAST && is_unsigned(f, f->code[i->a].a) &&
               is_constant(f, i->b, 0.5, 1);
    if (i->code != KIR_CAST || !is_unsigned(f, i->a) || kir_bits(f, i->a) >= 64) return false;
    i = &f->code[i->a];
    return i->code == KIR_OP && i->sub == OP_ADD && integer_of(f, i->b) == 1;
}

static void put_op(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char a[NAME_BYTES], b[NAME_BYTES], c[NAME_BYTES];
    gpa_op op = (gpa_op)i->sub;
    gpa_dtype t = (gpa_dtype)E->f->code[op_info[op].sig == SIG_SELECT ? i->b : i->a].type;
    gpa_str v;
    str_init(&v);
    if (E->as_int32[at]) {
        str_printf(&v, "(int)((unsigned)v%d %c (unsigned)v%d)", (int)i->a,
                   op == OP_ADD        ? '+'
                   : op == OP_SUBTRACT ? '-'
                                       : '*',
                   (int)i->b);
        define_as(E, at, "int", v.text);
        str_free(&v);
        return;
    }
    str_printf(&v, "%s((%s)(", em_round(E, (gpa_dtype)i->type), em_type(E, (gpa_dtype)i->type));
    value_name(a, i->a), value_name(b, i->b), value_name(c, i->c);
    if (E->in_region && em_divides_by_invariant(E, E->region, at))
        str_printf(&v, "g_quotient(%s, %s, d%d)", a, b, (int)i->b);
    else if (op == OP_LOG && is_positive_uniform(E->f, i->a))
        str_printf(&v, "g_log(%s)", a), E->needs |= NEED_POSITIVE_LOG;
    else if (!em_fast_division(E, &v, at))
        em_expr(E, &v, op_info[op].text[op_kind_index(dtype_info[t].kind)], t,
                (em_operands){a, b, c});
    str_put(&v, "))");
    define(E, at, (gpa_dtype)i->type, v.text);
    str_free(&v);
}

static void put_cast(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char a[NAME_BYTES];
    gpa_str v;
    str_init(&v);
    em_cast(E, &v, (gpa_dtype)E->f->code[i->a].type, (gpa_dtype)i->type, value_name(a, i->a));
    define(E, at, (gpa_dtype)i->type, v.text);
    str_free(&v);
}

/* ---- memory ---- */

void em_offset(em *E, gpa_str *out, unsigned a) {
    const kir_array *k = &E->f->arrays[a];
    char field[FIELD_NAME_BYTES];
    bool first = true;
    if (k->where == KIR_VIRTUAL) {
        str_printf(out, "(%s)%s", em_is_32bit(E) ? "int" : "long long",
                   em_field(E, field, FIELD_OFFSET, a, 0));
        first = false;
    }
    for (unsigned d = 0; d < E->f->ndim; d++) {
        if (k->zero >> d & 1) continue;
        if (!E->in_region && E->f->inner >> d & 1) continue;
        str_put(out, first ? "" : " + ");
        first = false;
        if (k->unit >> d & 1)
            str_printf(out, "i%u", d);
        else
            str_printf(out, "i%u * %s", d, em_field(E, field, FIELD_STRIDE, a, d));
    }
    if (first) str_putc(out, '0');
}

/* The lvalue of an element: of the current point (at < 0), or at offset v<at>. */
static void put_element(em *E, gpa_str *out, unsigned a, int32_t at) {
    const kir_array *k = &E->f->arrays[a];
    char field[FIELD_NAME_BYTES];
    if (k->where == KIR_SHARED || k->where == KIR_LOCAL)
        str_printf(out, "l%u[", a);
    else if (at >= 0 && em_is_restrict(E, a))
        str_printf(out, "own%u[", a);
    else
        str_printf(out, "%s[", em_field(E, field, FIELD_BASE, a, 0));
    if (at >= 0 && E->private_elems[a])
        str_printf(out, "v%d - i0 * %u", (int)at, E->private_elems[a]);
    else if (at >= 0)
        str_printf(out, "v%d", (int)at);
    else
        em_offset(E, out, a);
    str_putc(out, ']');
}

/* True if the batch loaded array a: it varies along the dimensions of the iteration. */
static bool is_batched(const em *E, unsigned a) {
    unsigned all = (1u << E->f->ndim) - 1, moving = E->in_region ? E->f->inner : all;
    return E->access == ACCESS_BATCH && (moving & ~E->f->arrays[a].zero) != 0;
}

static void put_load(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    gpa_dtype t = (gpa_dtype)i->type;
    gpa_str element, v;
    str_init(&element);
    str_init(&v);
    if (i->code == KIR_LOADIF) str_printf(&element, "(v%d ? ", (int)i->a);
    bool strip = E->plan->strip_dim && E->plan->strip_shift[i->sub];
    if (i->code == KIR_LOAD && is_batched(E, i->sub) && strip)
        str_printf(&element, "x%u[u + %u].v[k]", E->plan->strip_source[i->sub],
                   E->plan->strip_shift[i->sub]);
    else if (i->code == KIR_LOAD && is_batched(E, i->sub))
        str_printf(&element, "x%u[u].v[k]", i->sub);
    else
        put_element(E, &element, i->sub, i->code == KIR_LOADX ? i->a : -1);
    if (i->code == KIR_LOADIF)
        str_printf(&element, dtype_is_complex(t) ? " : %s{})" : " : (%s)0)", em_memory(E, t));
    em_unpack(E, &v, t, element.text);
    define(E, at, t, v.text);
    str_free(&element);
    str_free(&v);
}

/* The offset of a virtual array, or whether it is negative. */
static void put_offset(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    gpa_str v;
    str_init(&v);
    em_offset(E, &v, i->sub);
    if (i->code == KIR_BELOW) str_put(&v, " < 0");
    define(E, at, (gpa_dtype)i->type, v.text);
    str_free(&v);
}

static void put_store(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    gpa_dtype t = (gpa_dtype)E->f->arrays[i->sub].dtype;
    char a[NAME_BYTES];
    gpa_str element, v;
    str_init(&element);
    str_init(&v);
    em_pack(E, &v, t, value_name(a, i->code == KIR_STOREX ? i->b : i->a));
    if (i->code == KIR_STOREX && E->pass == PASS_STAGE) {
        em_line(E, "g_stage%d[position] = %s;", (int)at, v.text);
    } else if (i->code == KIR_STOREX && E->pass == PASS_STORE) {
        put_element(E, &element, i->sub, i->a);
        em_line(E, "%s = g_stage%d[i];", element.text, (int)at);
    } else if (i->code == KIR_STORE && is_batched(E, i->sub)) {
        str_printf(&element, "y%d[u].v[k]", (int)at);
        em_line(E, "%s = %s;", element.text, v.text);
    } else if (E->facts.scatters && E->plan->phase != PHASE_ALL) {
        char claim[FIELD_NAME_BYTES], lock[FIELD_NAME_BYTES];
        bool claims = E->plan->phase == PHASE_CLAIM, scattered = i->code == KIR_STOREX;
        put_element(E, &element, i->sub, scattered ? i->a : -1);
        if (claims && scattered)
            em_line(E, "atomicMax(&%s[v%d], c + 1);",
                    em_field(E, claim, FIELD_CLAIM, (unsigned)at, 0), (int)i->a);
        else if (scattered &&
                 E->facts.faults) /* after an index out of bounds nothing is stored at all */
            em_line(
                E, "if (!%s[1] && %s[v%d] == c + 1) %s = %s;", em_field(E, lock, FIELD_LOCK, 0, 0),
                em_field(E, claim, FIELD_CLAIM, (unsigned)at, 0), (int)i->a, element.text, v.text);
        else if (scattered)
            em_line(E, "if (%s[v%d] == c + 1) %s = %s;",
                    em_field(E, claim, FIELD_CLAIM, (unsigned)at, 0), (int)i->a, element.text,
                    v.text);
        else if (!claims)
            em_line(E, "%s = %s;", element.text, v.text);
    } else {
        put_element(E, &element, i->sub, i->code == KIR_STOREX ? i->a : -1);
        if (E->guard)
            em_line(E, "if (%s) %s = %s;", E->guard, element.text, v.text);
        else
            em_line(E, "%s = %s;", element.text, v.text);
    }
    str_free(&element);
    str_free(&v);
}

/* The hardware's atomic operation of the same meaning; NULL: a compare-and-swap loop. */
static const char *native_atomic(kir_atomic row, gpa_dtype t) {
    bool word = t == DT_I32 || t == DT_U32 || t == DT_U64, real = t == DT_F32 || t == DT_F64;
    if (row == KIR_AT_ADD && (word || real)) return "atomicAdd";
    if ((row == KIR_AT_MIN || row == KIR_AT_NANMIN) && (word || t == DT_I64)) return "atomicMin";
    if ((row == KIR_AT_MAX || row == KIR_AT_NANMAX) && (word || t == DT_I64)) return "atomicMax";
    if (row == KIR_AT_AND && word) return "atomicAnd";
    if (row == KIR_AT_OR && word) return "atomicOr";
    if (row == KIR_AT_XOR && word) return "atomicXor";
    if (row == KIR_AT_EXCH && (word || t == DT_F32)) return "atomicExch";
    if (row == KIR_AT_CAS && word) return "atomicCAS";
    if (row == KIR_AT_INC && t == DT_U32) return "atomicInc";
    if (row == KIR_AT_DEC && t == DT_U32) return "atomicDec";
    return NULL;
}

/* The new value of the element, from `old` and the operands. */
static void put_update(em *E, gpa_str *out, const kir_ins *i, gpa_dtype t) {
    char b[NAME_BYTES], c[NAME_BYTES];
    kir_atomic row = (kir_atomic)i->imm;
    gpa_op op = kir_atomic_op[row];
    value_name(b, i->b);
    value_name(c, i->c);
    bool cx = dtype_is_complex(t);
    if (op != OP_COUNT)
        em_expr(E, out, op_info[op].text[op_kind_index(dtype_info[t].kind)], t,
                (em_operands){"old", b, b});
    else if (row == KIR_AT_EXCH)
        str_put(out, b);
    else if (row == KIR_AT_CAS && cx)
        str_printf(out, "(old.re == %s.re && old.im == %s.im ? %s : old)", b, b, c);
    else if (row == KIR_AT_CAS)
        str_printf(out, "(old == %s ? %s : old)", b, c);
    else if (cx)
        em_unsupported(E, "comparing or counting complex numbers");
    else if (row == KIR_AT_MIN || row == KIR_AT_MAX)
        str_printf(out, "(%s %c old ? %s : old)", b, row == KIR_AT_MIN ? '<' : '>', b);
    else if (row == KIR_AT_INC)
        str_printf(out, "(old >= %s ? 0 : old + 1)", b);
    else
        str_printf(out, "(old == 0 || old > %s ? %s : old - 1)", b, b);
}

/* True if complex128 elements are only added to: then component by component. */
static bool adds_only(const em *E) {
    bool adds = true;
    for (size_t k = 0; k < E->f->n_code; k++) {
        const kir_ins *i = &E->f->code[k];
        adds = adds && !(i->code == KIR_ATOMIC && i->type == DT_C128 && i->imm != KIR_AT_ADD);
    }
    return adds;
}

static void put_atomic(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    gpa_dtype t = (gpa_dtype)i->type;
    const char *m = em_memory(E, t), *r = em_type(E, t),
               *native = native_atomic((kir_atomic)i->imm, t);
    gpa_str element, v, old;
    if (E->plan->histogram_copies && E->facts.histogram_counts) {
        em_line(E, "atomicAdd(own + v%d, 1u);", (int)i->a);
        return;
    }
    if (E->plan->histogram_copies) {
        char capacity[FIELD_NAME_BYTES];
        em_line(E, "g_count(g_bins + v%d, %s, (unsigned long long)v%d);", (int)i->a,
                em_field(E, capacity, FIELD_CAPACITY, i->sub, 0), (int)i->b);
        return;
    }
    str_init(&element);
    str_init(&v);
    str_init(&old);
    put_element(E, &element, i->sub, i->a);
    if (native && i->imm == KIR_AT_CAS) {
        str_printf(&v, "%s(&%s, v%d, v%d)", native, element.text, (int)i->b, (int)i->c);
    } else if (native) {
        str_printf(&v, "%s(&%s, v%d)", native, element.text, (int)i->b);
    } else if (t == DT_I64 && i->imm == KIR_AT_ADD) {
        str_printf(&v, "(long long)atomicAdd((unsigned long long *)&%s, (unsigned long long)v%d)",
                   element.text, (int)i->b);
    } else if (t == DT_C128 && adds_only(E)) {
        str_printf(&v, "gpa_c128{atomicAdd(&%s.re, v%d.re), atomicAdd(&%s.im, v%d.im)}",
                   element.text, (int)i->b, element.text, (int)i->b);
    } else {
        E->needs |= NEED_CAS_LOOP;
        gpa_str now, packed;
        str_init(&now);
        str_init(&packed);
        str_printf(&now, "%s((%s)(", em_round(E, t), r);
        put_update(E, &now, i, t);
        str_put(&now, "))");
        em_pack(E, &packed, t, now.text);
        em_unpack(E, &old, t, "was");
        str_printf(&element, ", [&](%s was) -> %s { const %s old = %s; return %s; })", m, m, r,
                   old.text, packed.text);
        str_clear(&old);
        str_printf(&old, "g_update(&%s", element.text);
        em_unpack(E, &v, t, old.text);
        str_free(&now);
        str_free(&packed);
    }
    define(E, at, t, v.text);
    str_free(&element);
    str_free(&v);
    str_free(&old);
}

/* ---- faults ---- */

/* The index of the point in C order, so that of several faults the same one is reported in every
 * run and on every device. */
static void put_point_index(em *E, gpa_str *out) {
    char size[FIELD_NAME_BYTES];
    bool any = false;
    if (E->f->form == KIR_KERNEL) {
        str_put(out, "g_thread()");
        return;
    }
    for (int d = 0; d < E->f->ndim; d++) {
        if (!E->in_region && E->f->inner >> d & 1) continue;
        gpa_str before = *out;
        str_init(out);
        if (any)
            str_printf(out, "(%s) * (unsigned long long)%s + i%d", before.text,
                       em_field(E, size, FIELD_SIZE, (unsigned)d, 0), d);
        else
            str_printf(out, "(unsigned long long)i%d", d);
        str_free(&before);
        any = true;
    }
    if (!any) str_put(out, "0ull");
}

/* A report: kind, axis and values of the fault, and the statement that follows it. */
typedef struct {
    unsigned kind, axis;
    const char *a, *b, *then;
} fault_report;

static void put_fault(em *E, const kir_ins *i, const fault_report *x) {
    char record[FIELD_NAME_BYTES], lock[FIELD_NAME_BYTES];
    gpa_str number;
    E->needs |= NEED_FAULT_RECORD | NEED_FAULT;
    em_field(E, record, FIELD_RECORD, 0, 0);
    em_field(E, lock, FIELD_LOCK, 0, 0);
    str_init(&number);
    put_point_index(E, &number);
    em_line(E, "{ g_fault(%s, %s, %uu, %uu, %uu, %s, %s, %s); %s }", lock, record, x->kind, i->line,
            x->axis, x->a, x->b, number.text, x->then);
    str_free(&number);
}

/* True for an int64 value in the range of an int. */
static bool fits_int(const em *E, int32_t v) {
    const kir_ins *i = &E->f->code[v];
    if (i->code != KIR_CAST) return false;
    gpa_dtype from = (gpa_dtype)E->f->code[i->a].type;
    return dtype_size(from) < 4 ? dtype_is_int(from) || from == DT_BOOL : from == DT_I32;
}

/* A bounds check. A thread that others wait for at barriers continues with element 0. */
static void put_bound(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char a[NAME_BYTES], b[NAME_BYTES], then[48];
    const char *t = "long long", *word = "unsigned long long";
    bool has_barriers = E->plan->group == GROUP_WARP || E->plan->group == GROUP_BLOCK ||
                        E->plan->group == GROUP_COLUMN;
    value_name(a, i->a);
    value_name(b, i->b);
    if (E->as_int32[at] && fits_int(E, i->a)) t = "int", word = "unsigned";
    em_line(E, "%s v%d; v%d = (%s)%s;", t, (int)at, (int)at, t, a);
    if (i->imm == KIR_IN_BOUNDS) return;
    if (kir_bits(E->f, i->a) < 0) em_line(E, "if (v%d < 0) v%d += (%s)%s;", (int)at, (int)at, t, b);
    if (E->f->flags & KIR_F_UNCHECKED) return;
    snprintf(then, sizeof then, has_barriers ? "if (%s == 0) return; v%d = 0;" : "return;", b,
             (int)at);
    em_line(E, "if ((%s)v%d >= (%s)%s)", word, (int)at, word, b);
    put_fault(E, i, &(fault_report){KIR_FT_INDEX, i->sub, a, b, then});
}

/* ---- kernels ---- */

static void put_thread(em *E, int32_t at) {
    static const char *const words[] = {[KIR_TH_TID] = "threadIdx",
                                        [KIR_TH_BID] = "blockIdx",
                                        [KIR_TH_BDIM] = "blockDim",
                                        [KIR_TH_GDIM] = "gridDim"};
    const kir_ins *i = &E->f->code[at];
    char v[96];
    if (i->sub == KIR_TH_WARPSIZE)
        snprintf(v, sizeof v, "32");
    else if (i->sub == KIR_TH_LANE)
        snprintf(
            v, sizeof v,
            "(int)((threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) %% 32)");
    else
        snprintf(v, sizeof v, "(int)%s.%c", words[i->sub], "xyz"[i->imm % 3]);
    define(E, at, DT_I32, v);
}

static void put_barrier(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char v[64];
    const char *how = "";
    switch ((kir_barrier)i->sub) {
        case KIR_BA_BLOCK: em_line(E, "__syncthreads();"); return;
        case KIR_BA_WARP:
            if (i->a >= 0)
                em_line(E, "__syncwarp(v%d);", (int)i->a);
            else
                em_line(E, "__syncwarp();");
            return;
        case KIR_BA_COUNT: how = "__syncthreads_count"; break;
        case KIR_BA_AND: how = "__syncthreads_and"; break;
        case KIR_BA_OR: how = "__syncthreads_or"; break;
        case KIR_BA_ROWS: break;
    }
    snprintf(v, sizeof v, i->sub == KIR_BA_COUNT ? "%s(v%d)" : "(%s(v%d) != 0)", how, (int)i->a);
    if (i->type < DT_COUNT)
        define(E, at, (gpa_dtype)i->type, v);
    else
        em_line(E, "%s;", v);
}

static void put_warp(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    const char *how = "g_shfl";
    char mask[NAME_BYTES] = "0xffffffffu";
    gpa_str v;
    if (i->c >= 0) snprintf(mask, sizeof mask, "v%d", (int)i->c);
    str_init(&v);
    switch ((kir_warp)i->sub) {
        case KIR_WA_SHFL:
        case KIR_WA_SHFL_UP:
        case KIR_WA_SHFL_DOWN:
        case KIR_WA_SHFL_XOR:
            E->needs |= NEED_SHUFFLE;
            if (i->sub == KIR_WA_SHFL_UP) how = "g_shfl_up";
            if (i->sub == KIR_WA_SHFL_DOWN) how = "g_shfl_down";
            if (i->sub == KIR_WA_SHFL_XOR) how = "g_shfl_xor";
            str_printf(&v, "%s(v%d, v%d, 32, %s)", how, (int)i->a, (int)i->b, mask);
            break;
        case KIR_WA_ALL: str_printf(&v, "(__all_sync(%s, v%d != 0) != 0)", mask, (int)i->a); break;
        case KIR_WA_ANY: str_printf(&v, "(__any_sync(%s, v%d != 0) != 0)", mask, (int)i->a); break;
        case KIR_WA_EQ:
            str_printf(&v, "(__all_sync(%s, v%d != 0) || !__any_sync(%s, v%d != 0))", mask,
                       (int)i->a, mask, (int)i->a);
            break;
        case KIR_WA_BALLOT: str_printf(&v, "__ballot_sync(%s, v%d != 0)", mask, (int)i->a); break;
        case KIR_WA_MATCH_ANY: str_printf(&v, "__match_any_sync(%s, v%d)", mask, (int)i->a); break;
        case KIR_WA_MATCH_ALL:
            str_printf(&v, "[&] { int all; return __match_all_sync(%s, v%d, &all); }()", mask,
                       (int)i->a);
            break;
        case KIR_WA_ACTIVEMASK: str_put(&v, "__activemask()"); break;
        case KIR_WA_ROWS: break;
    }
    if (i->type < DT_COUNT) define(E, at, (gpa_dtype)i->type, v.text);
    str_free(&v);
}

/* ---- printf and exceptions ---- */

/* A line in the printf buffer: 16-byte words, a header (block, thread, format) and one per
 * argument. */
static void put_print(em *E, int32_t at) {
    const kir_ins *code = E->f->code;
    char buffer[FIELD_NAME_BYTES];
    int32_t first = at - kir_print_args(E->f, at);
    E->needs |= NEED_PRINT;
    em_line(E, "if (g_word *line = g_line(%s, %uu, %du)) {", em_field(E, buffer, FIELD_PRINT, 0, 0),
            code[at].imm, (int)(at - first));
    E->indent++;
    for (int32_t arg = first; arg < at; arg++) {
        int32_t v = code[arg].a;
        gpa_dtype t = (gpa_dtype)code[v].type;
        char name[NAME_BYTES];
        gpa_str packed;
        str_init(&packed);
        em_pack(E, &packed, t, value_name(name, v));
        em_line(E, "{ const %s x = %s; memcpy(line + %d, &x, sizeof x); }", em_memory(E, t),
                packed.text, (int)(1 + arg - first));
        str_free(&packed);
    }
    E->indent--;
    em_line(E, "}");
}

static void put_exception(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char a[NAME_BYTES] = "0", b[NAME_BYTES] = "0";
    if (i->a >= 0) value_name(a, i->a);
    if (i->b >= 0) value_name(b, i->b);
    put_fault(E, i, &(fault_report){i->sub, i->imm, a, b, "return;"});
}

/* ---- dispatch ---- */

static void put_variable(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    gpa_dtype t = (gpa_dtype)i->type;
    gpa_val zero = {.bits = {0, 0}};
    gpa_str v;
    str_init(&v);
    if (i->a >= 0)
        str_printf(&v, "v%d", (int)i->a);
    else
        em_literal(E, &v, t, zero);
    em_line(E, "%s w%d; w%d = %s;", em_type(E, t), (int)at, (int)at, v.text);
    str_free(&v);
}

static void put_if(em *E, const kir_ins *i) {
    if (i->imm == KIR_NEVER)
        em_line(E, "if (false) {");
    else
        em_line(E, "if (v%d) {", (int)i->a);
    E->indent++;
}

static void put_else(em *E) {
    E->indent--;
    em_line(E, "} else {");
    E->indent++;
}

static void put_fence(em *E, const kir_ins *i) {
    static const char *const scopes[] = {
        [KIR_FE_BLOCK] = "_block", [KIR_FE_DEVICE] = "", [KIR_FE_SYSTEM] = "_system"};
    em_line(E, "__threadfence%s();", scopes[i->sub]);
}

static void put_step(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char text[64];
    switch ((kir_code)i->code) {
        case KIR_CONST:
        case KIR_PARAM:
        case KIR_SIZE:
        case KIR_STRIDE: break; /* declare_fixed */
        case KIR_OP: put_op(E, at); break;
        case KIR_CAST: put_cast(E, at); break;
        case KIR_INDEX:
            snprintf(text, sizeof text, "i%u", i->imm);
            define(E, at, DT_I64, text);
            break;
        case KIR_IOTA:
        case KIR_BELOW: put_offset(E, at); break;
        case KIR_LOAD:
        case KIR_LOADIF:
        case KIR_LOADX: put_load(E, at); break;
        case KIR_STORE:
        case KIR_STOREX: put_store(E, at); break;
        case KIR_ATOMIC: put_atomic(E, at); break;
        case KIR_BOUND: put_bound(E, at); break;
        case KIR_VAR: put_variable(E, at); break;
        case KIR_GET:
            snprintf(text, sizeof text, "w%d", (int)i->a);
            define(E, at, (gpa_dtype)i->type, text);
            break;
        case KIR_SET: em_line(E, "w%d = v%d;", (int)i->a, (int)i->b); break;
        case KIR_EACH: em_each(E, at); break;
        case KIR_REDUCE: em_reduce(E, at); break;
        case KIR_SCAN: em_scan(E, at); break;
        case KIR_IF: put_if(E, i); break;
        case KIR_ELSE: put_else(E); break;
        case KIR_FOR:
        case KIR_LOOP:
        case KIR_BLOCK: em_loop(E, at); break;
        case KIR_BREAK:
        case KIR_NEXT: em_jump(E, at); break;
        case KIR_END: em_loop_end(E, at); break;
        case KIR_THREAD: put_thread(E, at); break;
        case KIR_BARRIER: put_barrier(E, at); break;
        case KIR_FENCE: put_fence(E, i); break;
        case KIR_WARP: put_warp(E, at); break;
        case KIR_ARG: break;
        case KIR_PRINT: put_print(E, at); break;
        case KIR_FAULT: put_exception(E, at); break;
        case KIR_COUNT: break;
    }
}

/* ---- store scheduling: a store to shared memory stalls on its value, and blocks what follows; so
 * later loads of other arrays in the same basic block are issued first ---- */

static bool is_deferrable(const em *E, const kir_ins *i) {
    return E->f->form == KIR_KERNEL && i->code == KIR_STOREX &&
           E->f->arrays[i->sub].where == KIR_SHARED && E->n_deferred < COUNT_OF(E->deferred);
}

static bool commutes_with_deferred(const em *E, const kir_ins *i) {
    if (kir_has(i->code, KI_FIXED | KI_COMPUTES)) return true;
    switch ((int)i->code) {
        case KIR_BOUND:
        case KIR_THREAD:
        case KIR_VAR:
        case KIR_GET:
        case KIR_SET: return true;
        case KIR_LOADX:
        case KIR_STOREX: break;
        default: return false;
    }
    for (unsigned k = 0; k < E->n_deferred; k++)
        if (E->f->arrays[E->f->code[E->deferred[k]].sub].group == E->f->arrays[i->sub].group)
            return false;
    return true;
}

static void flush_deferred(em *E) {
    for (unsigned k = 0; k < E->n_deferred; k++) put_store(E, E->deferred[k]);
    E->n_deferred = 0;
}

/* The end of the first branch of an IF: its ELSE or END. */
static int32_t end_of_branch(const em *E, int32_t at) {
    int32_t k = at + 1;
    while (k < E->end_of[at] && E->f->code[k].code != KIR_ELSE)
        k = E->end_of[k] >= 0 ? E->end_of[k] + 1 : k + 1;
    return k;
}

/* While compacting: instructions that the stage has replaced. */
static bool is_staged(const em *E, int32_t at) {
    const uint8_t code = E->f->code[at].code;
    return code == KIR_IF || code == KIR_END || (E->compaction[at] && code != KIR_STOREX);
}

void em_instructions(em *E, int32_t lo, int32_t hi) {
    for (int32_t at = lo; at < hi && !E->ended; at++) {
        if (em_only_slice(E) ? !E->scan_slice[at] : E->pass == PASS_STORE && !E->compaction[at])
            continue;
        if (E->pass == PASS_STAGE && is_staged(E, at)) continue;
        if (E->random_group[at]) {
            em_random_group(E, at, E->segment_end);
            continue;
        }
        if (E->n_deferred && !commutes_with_deferred(E, &E->f->code[at])) flush_deferred(E);
        if (is_deferrable(E, &E->f->code[at])) {
            E->deferred[E->n_deferred++] = at;
            continue;
        }
        put_step(E, at);
        if (E->f->code[at].code == KIR_EACH || em_is_strip_mined(E, at)) at = E->end_of[at];
        if (E->f->code[at].code == KIR_IF && E->f->code[at].imm == KIR_NEVER)
            at = end_of_branch(E, at) - 1;
    }
    flush_deferred(E);
}
