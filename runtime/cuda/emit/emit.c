/* The frame of a source: facts, fields of P, the function around the steps.
 *
 * The body is written first, since it decides which fields, helpers and fixed pieces there are; the
 * source is put together at the end. Reading order: facts, fields, emit_source. */
#include <stdio.h>

#include "runtime/cuda/emit/random_blocks.h"
#include "runtime/cuda/emit/emitter.h"

/* ---- facts ---- */

static uint32_t cost_of(const kir_ins *i) {
    if (i->code == KIR_OP) return op_info[i->sub].cost;
    return i->code == KIR_LOADX ? 4 : 0;
}

/* Whether scans can go by tiles: they stand in the last EACH, and none runs over another's values.
 */
static bool scans_by_tiles(const kir_func *f) {
    bool *running = mem_zero(f->n_code + 1), good = running != NULL, scans = false;
    for (size_t k = 0; k < f->n_code && good; k++) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int n = 0; n < kir_info[i->code].args; n++) running[k] |= in[n] >= 0 && running[in[n]];
        if (i->code == KIR_EACH) good = !scans;
        if (i->code == KIR_SCAN) {
            good = !running[k] && !red_info[i->sub].arg;
            scans = running[k] = true;
        }
    }
    mem_free(running);
    return good && scans;
}

/* The bool whose true elements a sum or a running sum of integers counts; -1: it does not. */
static int32_t counted(const kir_func *f, const kir_ins *i) {
    const kir_ins *from = &f->code[i->a];
    bool counts = i->sub == RED_SUM && from->code == KIR_CAST &&
                  dtype_is_int((gpa_dtype)from->type) && f->code[from->a].type == DT_BOOL;
    return counts ? from->a : -1;
}

/* Whether there is one SCAN alone, of states of one or two words, and nothing before it ends a
 * point early, which would break the chain. What it counts may be counted as a whole, too: that is
 * where the chain ends. */
static bool scans_by_chain(const kir_func *f) {
    int scans = 0;
    int32_t running = -1, all = -1;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        if (!scans && (i->code == KIR_BOUND || i->code == KIR_FAULT)) return false;
        if (i->code == KIR_REDUCE && (all >= 0 || (all = counted(f, i)) < 0)) return false;
        if (i->code != KIR_SCAN) continue;
        size_t bytes = dtype_size(dtype_info[f->code[i->a].type].compute);
        running = counted(f, i);
        if (scans++ || (bytes != 4 && bytes != 8)) return false;
    }
    return scans == 1 && (all < 0 || all == running);
}

static int16_t find_bins(const kir_func *f, bool *counts) {
    int32_t at = -1;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int n = 0; n < kir_info[i->code].args; n++)
            if (at >= 0 && in[n] == at) return -1; /* the old value is wanted */
        if (i->code != KIR_ATOMIC) continue;
        if (at >= 0 || i->imm != KIR_AT_ADD || !dtype_is_int((gpa_dtype)i->type) ||
            dtype_size((gpa_dtype)i->type) < 4)
            return -1;
        at = (int32_t)k;
    }
    for (size_t k = 0; k < f->n_code && at >= 0; k++) {
        const kir_ins *i = &f->code[k];
        bool moves = i->code == KIR_LOAD || i->code == KIR_LOADX || i->code == KIR_STORE ||
                     i->code == KIR_STOREX;
        if (moves && f->arrays[i->sub].group == f->arrays[f->code[at].sub].group) return -1;
    }
    if (at < 0) return -1;
    *counts = f->code[f->code[at].b].code == KIR_PARAM || f->code[f->code[at].b].code == KIR_CONST;
    return (int16_t)f->code[at].sub;
}

cu_facts emit_facts(const kir_func *f) {
    cu_facts x = {.bins = -1};
    uint64_t stored = 0;
    bool each = false, variables = false, rolled = false, control = false, *places = NULL;
    int depth = 0;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        if (each || !f->inner) x.ops += cost_of(i);
        x.n_each += i->code == KIR_EACH;
        x.nested |= i->code == KIR_EACH && depth;
        depth += (kir_info[i->code].result == 'R') - (i->code == KIR_END);
        x.n_reduce += i->code == KIR_REDUCE;
        x.scans |= i->code == KIR_SCAN;
        x.atomics |= i->code == KIR_ATOMIC;
        x.prints |= i->code == KIR_PRINT;
        x.doubles |= i->code == KIR_OP && (i->type == DT_F64 || i->type == DT_C128);
        x.bits |= bits_are(i) && bits_position(f, (int32_t)k, &(unsigned){0}) >= 0;
        x.faults |= (i->code == KIR_BOUND && i->imm != KIR_IN_BOUNDS) || i->code == KIR_FAULT;
        x.loops |= i->code == KIR_FOR || i->code == KIR_LOOP;
        x.stops |= i->code == KIR_LOOP || (i->code == KIR_FOR && !em_is_short(f, (int32_t)k));
        bool few = i->code == KIR_FOR && i->imm == KIR_SHORT_LOOP;
        x.branches |= (i->code == KIR_FOR && !few) || i->code == KIR_LOOP || i->code == KIR_BLOCK;
        variables |= i->code == KIR_VAR;
        rolled |= few;
        control |= i->code == KIR_IF;
        if (i->code == KIR_STORE || i->code == KIR_STOREX || i->code == KIR_ATOMIC) {
            for (size_t a = 0; a < f->n_arrays; a++)
                if (f->arrays[a].group == f->arrays[i->sub].group) stored |= UINT64_C(1) << a;
        } else if (i->code == KIR_LOAD || i->code == KIR_LOADX) {
            x.reread |= stored >> i->sub & 1;
        }
        if (i->code == KIR_EACH) each = true;
        if (i->code == KIR_END && f->code[i->imm].code == KIR_EACH) each = false;
        x.scatters |= i->code == KIR_STOREX;
        x.outer_writes |=
            !each && (i->code == KIR_STOREX || i->code == KIR_ATOMIC || i->code == KIR_PRINT);
    }
    x.branches |= (variables && (!rolled || control)) ||
                  (rolled && x.n_each); /* a loop of few trips goes round an access's points */
    if (x.atomics && f->form == KIR_MAP && !x.n_each && !x.branches && !x.reread && !x.scatters)
        x.bins = find_bins(f, &x.counts);
    x.tiles = x.scans && !x.branches && !x.reread && scans_by_tiles(f);
    x.chains = x.tiles && x.n_each == 1 && scans_by_chain(f);
    x.packs = x.tiles && x.scatters;
    if (x.packs && x.chains && (places = mem_zero(f->n_code))) x.picks = em_picks(f, places);
    mem_free(places);
    x.scatters = x.scatters && !(f->flags & KIR_F_UNORDERED) && f->form == KIR_MAP && !x.n_each &&
                 !x.branches && !x.atomics;
    return x;
}

size_t emit_state_bytes(const kir_func *f, int32_t ins) {
    const kir_ins *i = &f->code[ins];
    gpa_dtype t = dtype_info[f->code[i->a].type].compute;
    return red_info[i->sub].arg ? MAX(2 * dtype_size(t), 16u) : dtype_size(t);
}

size_t emit_chain_words(const kir_func *f) {
    for (size_t k = 0; k < f->n_code; k++)
        if (f->code[k].code == KIR_SCAN) return emit_state_bytes(f, (int32_t)k) / 4;
    return 0;
}

/* ---- fields ---- */

void em_line(em *E, const char *fmt, ...) {
    va_list ap;
    str_fill(&E->body, ' ', 4 * (size_t)E->depth);
    va_start(ap, fmt);
    str_vprintf(&E->body, fmt, ap);
    va_end(ap);
    str_putc(&E->body, '\n');
}

void em_unsupported(em *E, const char *what) {
    if (!E->rc) E->rc = gpa_fail(E->e, GPA_E_UNSUPPORTED, "%s on the GPU", what);
}

static size_t field_size(const em *E, cu_field_kind kind, unsigned a) {
    size_t word = em_small(E) ? 4 : 8;
    switch (kind) {
        case FIELD_BASE:
        case FIELD_SCRATCH:
        case FIELD_DONE:
        case FIELD_COUNTER:
        case FIELD_CHAIN:
        case FIELD_CLAIM:
        case FIELD_RECORD:
        case FIELD_LOCK:
        case FIELD_SAY:
        case FIELD_STOP:
        case FIELD_TOLD: return 8;
        case FIELD_EXTENT: return 8;
        case FIELD_ROOM: return 4;
        case FIELD_OFFSET:
        case FIELD_STRIDE:
        case FIELD_SIZE:
        case FIELD_SPAN:
        case FIELD_OUTER:
        case FIELD_CHUNKS:
        case FIELD_LENGTH: return E->f->form == KIR_KERNEL ? 8 : word;
        case FIELD_PARAM: return dtype_size((gpa_dtype)E->f->params[a]);
        case FIELD_MAGIC:
        case FIELD_SHIFT: return 4;
    }
    return 8;
}

static const char *const field_names[] = {
    [FIELD_BASE] = "a",          [FIELD_OFFSET] = "first",    [FIELD_STRIDE] = "stride",
    [FIELD_EXTENT] = "extent",   [FIELD_ROOM] = "room",       [FIELD_SIZE] = "size",
    [FIELD_PARAM] = "number",    [FIELD_SPAN] = "span",       [FIELD_MAGIC] = "magic",
    [FIELD_SHIFT] = "shift",     [FIELD_OUTER] = "outer",     [FIELD_CHUNKS] = "chunks",
    [FIELD_LENGTH] = "length",   [FIELD_SCRATCH] = "scratch", [FIELD_DONE] = "done",
    [FIELD_COUNTER] = "counter", [FIELD_CHAIN] = "chain",     [FIELD_CLAIM] = "claim",
    [FIELD_RECORD] = "record",   [FIELD_LOCK] = "lock",       [FIELD_SAY] = "say",
    [FIELD_STOP] = "stop",       [FIELD_TOLD] = "told"};

const char *em_field(em *E, char *buf, cu_field_kind kind, unsigned a, unsigned b) {
    cu_source *s = E->out;
    size_t k = 0;
    snprintf(buf, NAME_ROOM, "P.%s%u_%u", field_names[kind], a, b);
    while (k < s->n_fields &&
           !(s->fields[k].kind == kind && s->fields[k].a == a && s->fields[k].b == b))
        k++;
    if (k < s->n_fields) return buf;
    if (!mem_grow(&s->fields, s->n_fields, &s->cap_fields, sizeof *s->fields)) {
        if (!E->rc) E->rc = gpa_no_memory(E->e);
        return buf;
    }
    size_t size = field_size(E, kind, a);
    s->bytes = (s->bytes + size - 1) / size * size;
    s->fields[s->n_fields++] = (cu_field){.kind = (uint8_t)kind,
                                          .size = (uint8_t)size,
                                          .a = (uint16_t)a,
                                          .b = (uint16_t)b,
                                          .at = (uint32_t)s->bytes};
    s->bytes += size;
    return buf;
}

static bool alone(const kir_func *f, unsigned a) {
    for (size_t k = 0; k < f->n_arrays; k++)
        if (k != a && f->arrays[k].group == f->arrays[a].group && f->arrays[k].where == KIR_GLOBAL)
            return false;
    return true;
}

static void put_field(em *E, gpa_str *out, const cu_field *x) {
    const kir_func *f = E->f;
    const char *name = field_names[x->kind], *integer = x->size == 4 ? "int" : "long long";
    switch ((cu_field_kind)x->kind) {
        case FIELD_BASE: {
            const kir_array *a = &f->arrays[x->a];
            bool reads = !(a->access & KIR_WRITE);
            str_printf(out, "    %s%s *%s a%u_%u;\n", reads ? "const " : "",
                       em_memory(E, (gpa_dtype)a->dtype), alone(f, x->a) ? "__restrict__" : "",
                       x->a, x->b);
            return;
        }
        case FIELD_PARAM:
            str_printf(out, "    %s number%u_%u;\n", em_memory(E, (gpa_dtype)f->params[x->a]), x->a,
                       x->b);
            return;
        case FIELD_SCRATCH:
        case FIELD_DONE:
            str_printf(out, "    g_state%u *%s%u_%u;\n", x->a, name, x->a, x->b);
            return;
        case FIELD_COUNTER:
        case FIELD_LOCK:
        case FIELD_TOLD: str_printf(out, "    unsigned *%s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_CHAIN:
            str_printf(out, "    volatile unsigned long long *%s%u_%u;\n", name, x->a, x->b);
            return;
        case FIELD_CLAIM:
            str_printf(out, "    unsigned%s *%s%u_%u;\n", em_small(E) ? "" : " long long", name,
                       x->a, x->b);
            return;
        case FIELD_RECORD: str_printf(out, "    g_record *%s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_SAY: str_printf(out, "    g_word *%s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_STOP:
            str_printf(out, "    const volatile int *%s%u_%u;\n", name, x->a, x->b);
            return;
        case FIELD_MAGIC:
        case FIELD_SHIFT:
        case FIELD_ROOM: str_printf(out, "    unsigned %s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_SPAN:
        case FIELD_OUTER:
        case FIELD_CHUNKS:
        case FIELD_LENGTH:
            str_printf(out, "    unsigned %s %s%u_%u;\n", integer, name, x->a, x->b);
            return;
        case FIELD_OFFSET:
        case FIELD_STRIDE:
        case FIELD_EXTENT:
        case FIELD_SIZE: str_printf(out, "    %s %s%u_%u;\n", integer, name, x->a, x->b); return;
    }
}

/* ---- the frame ---- */

/* Whether of value `of`, an operand of instruction `k`, only the low half is wanted. */
static bool wants_low(const em *E, size_t k, int32_t of) {
    const kir_ins *i = &E->f->code[k];
    if (i->code == KIR_LOADX || i->code == KIR_STOREX || i->code == KIR_ATOMIC)
        return i->a == of && i->b != of && i->c != of;
    return i->code == KIR_OP && E->narrow[k];
}

/* Offsets of a small program fit in 32 bits, so the sums and products that lead to them may wrap on
 * the way. */
static void find_narrow(em *E) {
    const kir_func *f = E->f;
    bool *wide = E->narrow; /* until an instruction is reached: its whole value is wanted */
    for (size_t k = f->n_code; k-- > 0;) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        bool sum = i->code == KIR_OP && i->type == DT_I64 &&
                   (i->sub == OP_ADD || i->sub == OP_SUBTRACT || i->sub == OP_MULTIPLY);
        E->narrow[k] = !wide[k] && (sum || i->code == KIR_BOUND);
        for (int n = 0; n < kir_info[i->code].args; n++)
            if (in[n] >= 0 && !wants_low(E, k, in[n])) wide[in[n]] = true;
    }
}

static bool scan_regions(em *E) {
    const kir_func *f = E->f;
    int32_t around = -1;
    E->close = mem_new((f->n_code + 1) * sizeof *E->close);
    E->outer = mem_new((f->n_code + 1) * sizeof *E->outer);
    E->slice = mem_zero(f->n_code + 1);
    E->narrow = mem_zero(f->n_code + 1);
    E->group = mem_zero((f->n_code + 1) * sizeof *E->group);
    E->places = mem_zero(f->n_code + 1);
    E->helper_done = mem_zero(op_helper_count * DT_COUNT);
    if (!E->close || !E->outer || !E->slice || !E->narrow || !E->group || !E->places ||
        !E->helper_done)
        return false;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        E->close[k] = -1;
        E->outer[k] = around;
        E->jumps |= i->code == KIR_BREAK || i->code == KIR_NEXT;
        if (kir_info[i->code].result == 'R') {
            around = (int32_t)k;
        } else if (i->code == KIR_END) {
            E->close[i->imm] = (int32_t)k;
            around = E->outer[i->imm];
        }
    }
    for (size_t k = f->n_code; k-- > 0;) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        E->slice[k] |= i->code == KIR_SCAN;
        for (int n = 0; n < kir_info[i->code].args && E->slice[k]; n++)
            if (in[n] >= 0) E->slice[in[n]] = true;
    }
    if (em_small(E) && f->form == KIR_MAP) find_narrow(E);
    if (E->facts.picks) em_picks(f, E->places);
    return true;
}

/* Arrays of a block and of a thread. */
static void declare_arrays(em *E) {
    for (size_t k = 0; k < E->f->n_arrays; k++) {
        const kir_array *a = &E->f->arrays[k];
        const char *t = em_memory(E, (gpa_dtype)a->dtype);
        if (a->where == KIR_LOCAL) em_line(E, "%s l%zu[%u];", t, k, a->count);
        if (a->where == KIR_SHARED && a->count)
            em_line(E, "__shared__ __align__(16) %s l%zu[%u];", t, k, a->count);
        if (a->where == KIR_SHARED && !a->count)
            em_line(E,
                    "extern __shared__ __align__(16) unsigned char g_dynamic[]; %s *l%zu = (%s "
                    "*)g_dynamic;",
                    t, k, t);
    }
}

/* Constants, parameters and extents are visible everywhere. */
static void declare_fixed(em *E) {
    char field[NAME_ROOM];
    gpa_str v;
    str_init(&v);
    for (size_t k = 0; k < E->f->n_code; k++) {
        const kir_ins *i = &E->f->code[k];
        gpa_dtype t = (gpa_dtype)i->type;
        str_clear(&v);
        if (i->code == KIR_CONST)
            em_literal(E, &v, t, E->f->consts[i->imm].v);
        else if (i->code == KIR_PARAM && E->numbers)
            em_literal(E, &v, t, E->numbers[i->imm]);
        else if (i->code == KIR_PARAM)
            em_unpack(E, &v, t, em_field(E, field, FIELD_PARAM, i->imm, 0));
        else if (i->code == KIR_STRIDE)
            str_put(&v, em_field(E, field, FIELD_STRIDE, i->sub, i->imm));
        else if (i->code == KIR_SIZE && i->sub == KIR_SPACE)
            str_put(&v, em_field(E, field, FIELD_SIZE, i->imm, 0));
        else if (i->code == KIR_SIZE)
            str_put(&v, em_field(E, field, FIELD_EXTENT, i->sub, i->imm));
        else
            continue;
        em_line(E, "const %s v%zu = %s;", em_type(E, t), k, v.text);
    }
    str_free(&v);
}

bool em_apart(const em *E, unsigned a) {
    const kir_func *f = E->f;
    if (!(f->flags & KIR_F_UNORDERED) || f->form != KIR_MAP || f->arrays[a].where != KIR_GLOBAL ||
        !alone(f, a))
        return false;
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOADX || f->code[i].code == KIR_STOREX) && f->code[i].sub == a)
            return true;
    return false;
}

/* The heading of the program, or of the function within it that has its arrays as parameters. */
static void put_heading(em *E, gpa_str *out, const char *program) {
    char field[NAME_ROOM];
    bool any = false;
    for (size_t k = 0; k < E->f->n_arrays; k++) any |= em_apart(E, (unsigned)k);
    if (!any) {
        str_printf(out, "%s", program);
        return;
    }
    gpa_str call;
    str_init(&call);
    str_put(out, "static __device__ __forceinline__ void g_inner(const g_params &P");
    for (size_t k = 0; k < E->f->n_arrays; k++) {
        const kir_array *a = &E->f->arrays[k];
        if (!em_apart(E, (unsigned)k)) continue;
        const char *c = a->access & KIR_WRITE ? "" : "const ",
                   *t = em_memory(E, (gpa_dtype)a->dtype);
        em_field(E, field, FIELD_BASE, (unsigned)k, 0);
        str_printf(out, ", %s%s *__restrict__ own%zu", c, t, k);
        if (E->own[k])
            str_printf(&call, ", kept%zu", k);
        else if (E->plan->wide >> k & 1)
            str_printf(&call, ", (%s%s *)__builtin_assume_aligned(%s, 16)", c, t, field);
        else
            str_printf(&call, ", %s", field);
    }
    str_printf(out, ") {\n%s}\n%s", E->body.text, program);
    em_declare_own(E, out);
    str_printf(out, "    g_inner(P%s);\n", call.text);
    em_give_own(E, out);
    str_clear(&E->body);
    str_free(&call);
}

static void put_body(em *E) {
    E->depth = 1;
    if (E->f->form == KIR_KERNEL) E->depth = 1;
    declare_arrays(E);
    declare_fixed(E);
    if (E->facts.stops) {
        em_line(E, "unsigned fuel = %uu;", EM_WORK - EM_UNASKED);
        if (E->f->form != KIR_KERNEL) em_line(E, "bool asked = false;");
    }
    if (E->f->form == KIR_KERNEL)
        em_steps(E, 0, (int32_t)E->f->n_code);
    else if (E->plan->team == TEAM_NONE)
        em_points(E);
    else
        em_teams(E);
}

gpa_code emit_source(const kir_func *f, const cu_plan *plan, const gpa_val *numbers,
                     const char *name, cu_source *out, gpa_err *e) {
    em E = {.f = f,
            .plan = plan,
            .numbers = numbers,
            .facts = emit_facts(f),
            .out = out,
            .again = -1,
            .e = e};
    gpa_str states, fields;
    str_init(&E.body);
    str_init(&E.helpers);
    str_init(&states);
    str_init(&fields);
    str_init(&out->text);
    out->fields = NULL;
    out->n_fields = out->cap_fields = out->bytes = 0;
    if (!scan_regions(&E)) {
        E.rc = gpa_no_memory(e);
        goto done;
    }
    em_find_own(&E);
    put_body(&E);
    for (size_t k = 0; k < f->n_arrays; k++) {
        char field[NAME_ROOM];
        if (em_apart(&E, (unsigned)k)) em_field(&E, field, FIELD_BASE, (unsigned)k, 0);
    }
    em_states(&E, &states);
    for (size_t k = 0; k < out->n_fields; k++) put_field(&E, &fields, &out->fields[k]);
    em_prelude(&E, &out->text);
    str_put(&out->text, E.helpers.text);
    str_put(&out->text, states.text);
    str_printf(&out->text, "struct g_params {\n%s    int unused;\n};\n", fields.text);
    char program[160], bounds[40] = "";
    uint32_t registers = f->flags / KIR_F_REGISTERS & 255;
    int resident = plan->keep || (E.needs & NEED_BRIEF && f->n_arrays > FEW_ARRAYS)
                       ? ROW_THREADS
                       : 0; /* threads that registers are to be left for */
    int blocks = resident ? MAX(resident / plan->threads, 1) : 0;
    if (f->form != KIR_KERNEL && blocks)
        snprintf(bounds, sizeof bounds, "__launch_bounds__(%u, %d) ", plan->threads, blocks);
    else if (f->form != KIR_KERNEL)
        snprintf(bounds, sizeof bounds, "__launch_bounds__(%u) ", plan->threads);
    else if (registers)
        snprintf(bounds, sizeof bounds, "__maxnreg__(%u) ", registers);
    snprintf(program, sizeof program,
             "extern \"C\" __global__ void %s%s(const __grid_constant__ g_params P) {\n", bounds,
             name);
    put_heading(&E, &out->text, program);
    str_printf(&out->text, "%s}\n", E.body.text);
    out->bytes = (out->bytes + 4 + 15) / 16 * 16;
    if (!E.rc &&
        (out->text.failed || E.body.failed || E.helpers.failed || states.failed || fields.failed))
        E.rc = gpa_no_memory(e);
done:
    str_free(&E.body);
    str_free(&E.helpers);
    str_free(&states);
    str_free(&fields);
    mem_free(E.close);
    mem_free(E.outer);
    mem_free(E.slice);
    mem_free(E.narrow);
    mem_free(E.group);
    mem_free(E.places);
    mem_free(E.helper_done);
    if (E.rc) emit_free(out);
    return E.rc;
}

void emit_free(cu_source *s) {
    str_free(&s->text);
    mem_free(s->fields);
    s->fields = NULL;
}
