/* Program analysis, the parameter block, and the frame of a source.
 *
 * The body is emitted first, since it decides which fields, helpers and fixed text there are; the
 * source is assembled at the end. Reading order: facts, fields, emit_source. */
#include <stdio.h>

#include "runtime/cuda/emit/random_blocks.h"
#include "runtime/cuda/emit/emitter.h"

/* ---- facts ---- */

static uint32_t cost_of(const kir_ins *i) {
    if (i->code == KIR_OP) return op_info[i->sub].cost;
    return i->code == KIR_LOADX ? 4 : 0;
}

/* True if scans can be tiled: all are in the last EACH, and none depends on another. */
static bool can_tile_scans(const kir_func *f) {
    bool *running = mem_zero(f->n_code + 1), good = running != NULL, scans = false;
    for (size_t k = 0; k < f->n_code && good; k++) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int n = 0; n < kir_arity(i); n++) running[k] |= in[n] >= 0 && running[in[n]];
        if (i->code == KIR_EACH) good = !scans;
        if (i->code == KIR_SCAN) {
            good = !running[k] && !red_info[i->sub].arg;
            scans = running[k] = true;
        }
    }
    mem_free(running);
    return good && scans;
}

/* The mask whose true elements a sum or prefix sum of integers counts; -1: it counts none. */
static int32_t counted_mask(const kir_func *f, const kir_ins *i) {
    const kir_ins *from = &f->code[i->a];
    bool counts = i->sub == RED_SUM && from->code == KIR_CAST &&
                  dtype_is_int((gpa_dtype)from->type) && f->code[from->a].type == DT_BOOL;
    return counts ? from->a : -1;
}

/* True if there is one SCAN, with a state of one or two words, and no point ends before it, which
 * would leave later tiles waiting. A REDUCE may count the same mask: it is the last tile's prefix.
 */
static bool can_look_back(const kir_func *f) {
    int scans = 0;
    int32_t running = -1, all = -1;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        if (!scans && kir_has(i->code, KI_FAULTS)) return false;
        if (i->code == KIR_REDUCE && (all >= 0 || (all = counted_mask(f, i)) < 0)) return false;
        if (i->code != KIR_SCAN) continue;
        size_t bytes = dtype_size(dtype_info[f->code[i->a].type].compute);
        running = counted_mask(f, i);
        if (scans++ || (bytes != 4 && bytes != 8)) return false;
    }
    return scans == 1 && (all < 0 || all == running);
}

static int16_t find_histogram(const kir_func *f, bool *counts) {
    int32_t at = -1;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int n = 0; n < kir_arity(i); n++)
            if (at >= 0 && in[n] == at) return -1; /* its result is used */
        if (i->code != KIR_ATOMIC) continue;
        if (at >= 0 || i->imm != KIR_AT_ADD || !dtype_is_int((gpa_dtype)i->type) ||
            dtype_size((gpa_dtype)i->type) < 4)
            return -1;
        at = (int32_t)k;
    }
    for (size_t k = 0; k < f->n_code && at >= 0; k++) {
        const kir_ins *i = &f->code[k];
        bool accesses = kir_has(i->code, KI_READS | KI_WRITES) && i->code != KIR_ATOMIC;
        if (accesses && f->arrays[i->sub].group == f->arrays[f->code[at].sub].group) return -1;
    }
    if (at < 0) return -1;
    *counts = f->code[f->code[at].b].code == KIR_PARAM || f->code[f->code[at].b].code == KIR_CONST;
    return (int16_t)f->code[at].sub;
}

cu_facts emit_facts(const kir_func *f) {
    cu_facts x = {.histogram = -1};
    uint64_t stored = 0;
    bool each = false, variables = false, batched_loop = false, control = false, *compaction = NULL;
    int depth = 0;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        if (each || !f->inner) x.ops += cost_of(i);
        x.n_each += i->code == KIR_EACH;
        x.nested |= i->code == KIR_EACH && depth;
        depth += kir_has(i->code, KI_REGION) - (i->code == KIR_END);
        x.n_reduce += i->code == KIR_REDUCE;
        x.scans |= i->code == KIR_SCAN;
        x.atomics |= i->code == KIR_ATOMIC;
        x.prints |= i->code == KIR_PRINT;
        x.uses_f64 |= i->code == KIR_OP && (i->type == DT_F64 || i->type == DT_C128);
        x.random_blocks |=
            random_is_block(i) && random_block_counter(f, (int32_t)k, &(unsigned){0}) >= 0;
        x.faults |= (i->code == KIR_BOUND && i->imm != KIR_IN_BOUNDS) || i->code == KIR_FAULT;
        x.loops |= kir_has(i->code, KI_LOOP);
        x.polls |= i->code == KIR_LOOP || (i->code == KIR_FOR && !em_is_short(f, (int32_t)k));
        bool few = i->code == KIR_FOR && i->imm == KIR_SHORT_LOOP;
        x.branches |= (i->code == KIR_FOR && !few) || i->code == KIR_LOOP || i->code == KIR_BLOCK;
        variables |= i->code == KIR_VAR;
        batched_loop |= few;
        control |= i->code == KIR_IF;
        if (kir_has(i->code, KI_WRITES)) {
            for (size_t a = 0; a < f->n_arrays; a++)
                if (f->arrays[a].group == f->arrays[i->sub].group) stored |= UINT64_C(1) << a;
        } else if (kir_has(i->code, KI_READS)) {
            x.reread |= stored >> i->sub & 1;
        }
        if (i->code == KIR_EACH) each = true;
        if (i->code == KIR_END && f->code[i->imm].code == KIR_EACH) each = false;
        x.scatters |= i->code == KIR_STOREX;
        x.outer_writes |=
            !each && (i->code == KIR_STOREX || i->code == KIR_ATOMIC || i->code == KIR_PRINT);
    }
    x.branches |=
        (variables && (!batched_loop || control)) ||
        (batched_loop && x.n_each); /* a batched loop runs around the points of an access */
    if (x.atomics && f->form == KIR_MAP && !x.n_each && !x.branches && !x.reread && !x.scatters)
        x.histogram = find_histogram(f, &x.histogram_counts);
    x.tiled_scan = x.scans && !x.branches && !x.reread && can_tile_scans(f);
    x.lookback = x.tiled_scan && x.n_each == 1 && can_look_back(f);
    x.scan_scatters = x.tiled_scan && x.scatters;
    if (x.scan_scatters && x.lookback && (compaction = mem_zero(f->n_code)))
        x.compacts = em_is_compaction(f, compaction);
    mem_free(compaction);
    x.scatters = x.scatters && !(f->flags & KIR_F_UNORDERED) && f->form == KIR_MAP && !x.n_each &&
                 !x.branches && !x.atomics;
    return x;
}

size_t emit_state_bytes(const kir_func *f, int32_t ins) {
    const kir_ins *i = &f->code[ins];
    gpa_dtype t = dtype_info[f->code[i->a].type].compute;
    return red_info[i->sub].arg ? MAX(2 * dtype_size(t), 16u) : dtype_size(t);
}

size_t emit_lookback_words(const kir_func *f) {
    for (size_t k = 0; k < f->n_code; k++)
        if (f->code[k].code == KIR_SCAN) return emit_state_bytes(f, (int32_t)k) / 4;
    return 0;
}

/* ---- fields of the parameter block ---- */

void em_line(em *E, const char *fmt, ...) {
    va_list ap;
    str_fill(&E->body, ' ', 4 * (size_t)E->indent);
    va_start(ap, fmt);
    str_vprintf(&E->body, fmt, ap);
    va_end(ap);
    str_putc(&E->body, '\n');
}

void em_unsupported(em *E, const char *what) {
    if (!E->rc) E->rc = gpa_fail(E->e, GPA_E_UNSUPPORTED, "%s on the GPU", what);
}

static size_t field_size(const em *E, cu_field_kind kind, unsigned a) {
    size_t word = em_is_32bit(E) ? 4 : 8;
    switch (kind) {
        case FIELD_BASE:
        case FIELD_SCRATCH:
        case FIELD_RESULT:
        case FIELD_COUNTER:
        case FIELD_LOOKBACK:
        case FIELD_CLAIM:
        case FIELD_RECORD:
        case FIELD_LOCK:
        case FIELD_PRINT:
        case FIELD_INTERRUPT:
        case FIELD_INTERRUPT_SEEN: return 8;
        case FIELD_EXTENT: return 8;
        case FIELD_CAPACITY: return 4;
        case FIELD_OFFSET:
        case FIELD_STRIDE:
        case FIELD_SIZE:
        case FIELD_SPAN:
        case FIELD_OUTER:
        case FIELD_ACCESSES:
        case FIELD_PART_ACCESSES: return E->f->form == KIR_KERNEL ? 8 : word;
        case FIELD_PARAM: return dtype_size((gpa_dtype)E->f->params[a]);
        case FIELD_MAGIC:
        case FIELD_SHIFT: return 4;
    }
    return 8;
}

static const char *const field_names[] = {[FIELD_BASE] = "a",
                                          [FIELD_OFFSET] = "first",
                                          [FIELD_STRIDE] = "stride",
                                          [FIELD_EXTENT] = "extent",
                                          [FIELD_CAPACITY] = "capacity",
                                          [FIELD_SIZE] = "size",
                                          [FIELD_PARAM] = "number",
                                          [FIELD_SPAN] = "span",
                                          [FIELD_MAGIC] = "magic",
                                          [FIELD_SHIFT] = "shift",
                                          [FIELD_OUTER] = "outer",
                                          [FIELD_ACCESSES] = "chunks",
                                          [FIELD_PART_ACCESSES] = "length",
                                          [FIELD_SCRATCH] = "scratch",
                                          [FIELD_RESULT] = "done",
                                          [FIELD_COUNTER] = "counter",
                                          [FIELD_LOOKBACK] = "chain",
                                          [FIELD_CLAIM] = "claim",
                                          [FIELD_RECORD] = "record",
                                          [FIELD_LOCK] = "lock",
                                          [FIELD_PRINT] = "print",
                                          [FIELD_INTERRUPT] = "stop",
                                          [FIELD_INTERRUPT_SEEN] = "told"};

const char *em_field(em *E, char buf[FIELD_NAME_BYTES], cu_field_kind kind, unsigned a,
                     unsigned b) {
    cu_source *s = E->out;
    size_t k = 0;
    snprintf(buf, FIELD_NAME_BYTES, "P.%s%u_%u", field_names[kind], a, b);
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

/* True if no other array in global memory may overlap array a. */
static bool is_unaliased(const kir_func *f, unsigned a) {
    for (size_t k = 0; k < f->n_arrays; k++)
        if (k != a && f->arrays[k].group == f->arrays[a].group && f->arrays[k].where == KIR_GLOBAL)
            return false;
    return true;
}

static void put_field_declaration(em *E, gpa_str *out, const cu_field *x) {
    const kir_func *f = E->f;
    const char *name = field_names[x->kind], *integer = x->size == 4 ? "int" : "long long";
    switch ((cu_field_kind)x->kind) {
        case FIELD_BASE: {
            const kir_array *a = &f->arrays[x->a];
            bool reads = !(a->access & KIR_WRITE);
            str_printf(out, "    %s%s *%s a%u_%u;\n", reads ? "const " : "",
                       em_memory(E, (gpa_dtype)a->dtype),
                       is_unaliased(f, x->a) ? "__restrict__" : "", x->a, x->b);
            return;
        }
        case FIELD_PARAM:
            str_printf(out, "    %s number%u_%u;\n", em_memory(E, (gpa_dtype)f->params[x->a]), x->a,
                       x->b);
            return;
        case FIELD_SCRATCH:
        case FIELD_RESULT:
            str_printf(out, "    g_state%u *%s%u_%u;\n", x->a, name, x->a, x->b);
            return;
        case FIELD_COUNTER:
        case FIELD_LOCK:
        case FIELD_INTERRUPT_SEEN:
            str_printf(out, "    unsigned *%s%u_%u;\n", name, x->a, x->b);
            return;
        case FIELD_LOOKBACK:
            str_printf(out, "    volatile unsigned long long *%s%u_%u;\n", name, x->a, x->b);
            return;
        case FIELD_CLAIM:
            str_printf(out, "    unsigned%s *%s%u_%u;\n", em_is_32bit(E) ? "" : " long long", name,
                       x->a, x->b);
            return;
        case FIELD_RECORD: str_printf(out, "    g_record *%s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_PRINT: str_printf(out, "    g_word *%s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_INTERRUPT:
            str_printf(out, "    const volatile int *%s%u_%u;\n", name, x->a, x->b);
            return;
        case FIELD_MAGIC:
        case FIELD_SHIFT:
        case FIELD_CAPACITY: str_printf(out, "    unsigned %s%u_%u;\n", name, x->a, x->b); return;
        case FIELD_SPAN:
        case FIELD_OUTER:
        case FIELD_ACCESSES:
        case FIELD_PART_ACCESSES:
            str_printf(out, "    unsigned %s %s%u_%u;\n", integer, name, x->a, x->b);
            return;
        case FIELD_OFFSET:
        case FIELD_STRIDE:
        case FIELD_EXTENT:
        case FIELD_SIZE: str_printf(out, "    %s %s%u_%u;\n", integer, name, x->a, x->b); return;
    }
}

/* ---- the frame ---- */

/* True if instruction `k` uses only the low 32 bits of its operand `of`. */
static bool uses_low_half(const em *E, size_t k, int32_t of) {
    const kir_ins *i = &E->f->code[k];
    if (kir_has(i->code, KI_OFFSET)) return i->a == of && i->b != of && i->c != of;
    return i->code == KIR_OP && E->as_int32[k];
}

/* Narrows index arithmetic: offsets of a 32-bit program fit in 32 bits, so the sums and products
 * that they are computed from may wrap around. A backward dataflow pass. */
static void narrow_offsets(em *E) {
    const kir_func *f = E->f;
    bool *wide = E->as_int32; /* of later instructions; of earlier ones: all 64 bits are used */
    for (size_t k = f->n_code; k-- > 0;) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        bool sum = i->code == KIR_OP && i->type == DT_I64 &&
                   (i->sub == OP_ADD || i->sub == OP_SUBTRACT || i->sub == OP_MULTIPLY);
        E->as_int32[k] = !wide[k] && (sum || i->code == KIR_BOUND);
        for (int n = 0; n < kir_arity(i); n++)
            if (in[n] >= 0 && !uses_low_half(E, k, in[n])) wide[in[n]] = true;
    }
}

static bool analyse_regions(em *E) {
    const kir_func *f = E->f;
    int32_t around = -1;
    E->end_of = mem_new((f->n_code + 1) * sizeof *E->end_of);
    E->enclosing = mem_new((f->n_code + 1) * sizeof *E->enclosing);
    E->scan_slice = mem_zero(f->n_code + 1);
    E->as_int32 = mem_zero(f->n_code + 1);
    E->random_group = mem_zero((f->n_code + 1) * sizeof *E->random_group);
    E->compaction = mem_zero(f->n_code + 1);
    E->helper_done = mem_zero(op_helper_count * DT_COUNT);
    if (!E->end_of || !E->enclosing || !E->scan_slice || !E->as_int32 || !E->random_group ||
        !E->compaction || !E->helper_done)
        return false;
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        E->end_of[k] = -1;
        E->enclosing[k] = around;
        E->has_jumps |= i->code == KIR_BREAK || i->code == KIR_NEXT;
        if (kir_has(i->code, KI_REGION)) {
            around = (int32_t)k;
        } else if (i->code == KIR_END) {
            E->end_of[i->imm] = (int32_t)k;
            around = E->enclosing[i->imm];
        }
    }
    for (size_t k = f->n_code; k-- > 0;) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        E->scan_slice[k] |= i->code == KIR_SCAN;
        for (int n = 0; n < kir_arity(i) && E->scan_slice[k]; n++)
            if (in[n] >= 0) E->scan_slice[in[n]] = true;
    }
    if (em_is_32bit(E) && f->form == KIR_MAP) narrow_offsets(E);
    if (E->facts.compacts) em_is_compaction(f, E->compaction);
    return true;
}

/* Shared memory and local memory. */
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

/* Constants, parameters and extents are declared at the top, visible everywhere. */
static void declare_fixed(em *E) {
    char field[FIELD_NAME_BYTES];
    gpa_str v;
    str_init(&v);
    for (size_t k = 0; k < E->f->n_code; k++) {
        const kir_ins *i = &E->f->code[k];
        gpa_dtype t = (gpa_dtype)i->type;
        str_clear(&v);
        if (i->code == KIR_CONST)
            em_literal(E, &v, t, E->f->consts[i->imm].v);
        else if (i->code == KIR_PARAM && E->literals)
            em_literal(E, &v, t, E->literals[i->imm]);
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

bool em_is_restrict(const em *E, unsigned a) {
    const kir_func *f = E->f;
    if (!(f->flags & KIR_F_UNORDERED) || f->form != KIR_MAP || f->arrays[a].where != KIR_GLOBAL ||
        !is_unaliased(f, a))
        return false;
    for (size_t i = 0; i < f->n_code; i++)
        if ((f->code[i].code == KIR_LOADX || f->code[i].code == KIR_STOREX) && f->code[i].sub == a)
            return true;
    return false;
}

/* "__launch_bounds__(...) " of a program with an occupancy to reach, "__maxnreg__(...) " of a
 * kernel of the user's with a limit of its own. */
static void put_launch_bounds(const em *E, gpa_str *out) {
    const kir_func *f = E->f;
    const cu_plan *plan = E->plan;
    uint32_t registers = f->flags / KIR_F_REGISTERS & 255;
    if (f->form == KIR_KERNEL) {
        if (registers) str_printf(out, "__maxnreg__(%u) ", registers);
        return;
    }
    int resident = plan->row_accesses || (E->needs & NEED_FAST_DIVISION &&
                                          f->n_arrays > TUNE_CUDA_FAST_DIVISION_MAX_FREE_ARRAYS)
                       ? TUNE_CUDA_MIN_RESIDENT_THREADS
                       : 0; /* occupancy that limits the registers of a thread */
    if (resident)
        str_printf(out, "__launch_bounds__(%u, %d) ", plan->threads,
                   MAX(resident / plan->threads, 1));
    else
        str_printf(out, "__launch_bounds__(%u) ", plan->threads);
}

/* The declaration of the program's entry point, up to its opening brace. */
static void put_entry(const em *E, gpa_str *out, const char *name) {
    str_put(out, "extern \"C\" __global__ void ");
    put_launch_bounds(E, out);
    str_printf(out, "%s(const __grid_constant__ g_params P) {\n", name);
}

/* The head of the kernel, or of the inlined function that takes its arrays as __restrict__
 * parameters. */
static void put_heading(em *E, gpa_str *out, const char *name) {
    char field[FIELD_NAME_BYTES];
    bool any = false;
    for (size_t k = 0; k < E->f->n_arrays; k++) any |= em_is_restrict(E, (unsigned)k);
    if (!any) {
        put_entry(E, out, name);
        return;
    }
    gpa_str call;
    str_init(&call);
    str_put(out, "static __device__ __forceinline__ void g_inner(const g_params &P");
    for (size_t k = 0; k < E->f->n_arrays; k++) {
        const kir_array *a = &E->f->arrays[k];
        if (!em_is_restrict(E, (unsigned)k)) continue;
        const char *c = a->access & KIR_WRITE ? "" : "const ",
                   *t = em_memory(E, (gpa_dtype)a->dtype);
        em_field(E, field, FIELD_BASE, (unsigned)k, 0);
        str_printf(out, ", %s%s *__restrict__ own%zu", c, t, k);
        if (E->private_elems[k])
            str_printf(&call, ", kept%zu", k);
        else if (E->plan->vectorized >> k & 1)
            str_printf(&call, ", (%s%s *)__builtin_assume_aligned(%s, 16)", c, t, field);
        else
            str_printf(&call, ", %s", field);
    }
    str_printf(out, ") {\n%s}\n", E->body.text);
    put_entry(E, out, name);
    em_declare_private(E, out);
    str_printf(out, "    g_inner(P%s);\n", call.text);
    em_copy_out_private(E, out);
    str_clear(&E->body);
    str_free(&call);
}

static void put_body(em *E) {
    E->indent = 1;
    if (E->f->form == KIR_KERNEL) E->indent = 1;
    declare_arrays(E);
    declare_fixed(E);
    if (E->facts.polls) {
        em_line(E, "unsigned fuel = %uu;",
                TUNE_CUDA_POLL_INTERVAL_INSTRUCTIONS - TUNE_CUDA_FIRST_POLL_INSTRUCTIONS);
        if (E->f->form != KIR_KERNEL) em_line(E, "bool asked = false;");
    }
    if (E->f->form == KIR_KERNEL)
        em_instructions(E, 0, (int32_t)E->f->n_code);
    else if (E->plan->group == GROUP_NONE)
        em_all_points(E);
    else
        em_inner_points(E);
}

gpa_code emit_source(const kir_func *f, const cu_plan *plan, const gpa_val *numbers,
                     const char *name, cu_source *out, gpa_err *e) {
    em E = {.f = f,
            .plan = plan,
            .literals = numbers,
            .facts = emit_facts(f),
            .out = out,
            .second_copy = -1,
            .e = e};
    gpa_str states, fields;
    str_init(&E.body);
    str_init(&E.helpers);
    str_init(&states);
    str_init(&fields);
    str_init(&out->text);
    out->fields = NULL;
    out->n_fields = out->cap_fields = out->bytes = 0;
    if (!analyse_regions(&E)) {
        E.rc = gpa_no_memory(e);
        goto done;
    }
    em_find_private(&E);
    put_body(&E);
    for (size_t k = 0; k < f->n_arrays; k++) {
        char field[FIELD_NAME_BYTES];
        if (em_is_restrict(&E, (unsigned)k)) em_field(&E, field, FIELD_BASE, (unsigned)k, 0);
    }
    em_states(&E, &states);
    for (size_t k = 0; k < out->n_fields; k++) put_field_declaration(&E, &fields, &out->fields[k]);
    em_prelude(&E, &out->text);
    str_put(&out->text, E.helpers.text);
    str_put(&out->text, states.text);
    str_printf(&out->text, "struct g_params {\n%s    int unused;\n};\n", fields.text);
    put_heading(&E, &out->text, name);
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
    mem_free(E.end_of);
    mem_free(E.enclosing);
    mem_free(E.scan_slice);
    mem_free(E.as_int32);
    mem_free(E.random_group);
    mem_free(E.compaction);
    mem_free(E.helper_done);
    if (E.rc) emit_free(out);
    return E.rc;
}

void emit_free(cu_source *s) {
    str_free(&s->text);
    mem_free(s->fields);
    s->fields = NULL;
}
