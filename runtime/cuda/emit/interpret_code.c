/* From kir to bytecode: live ranges, then linear-scan slot allocation during one translation pass.
 *
 * Constants, parameters and extents are uniform words; coordinates are the first slots of a thread;
 * every other value has a slot from its definition to its last use, or, if a loop around that use
 * starts after the definition, to the end of the loop. During translation an operand is the number
 * of a slot, or ~ the number of a uniform value.
 *
 * Reading order: live ranges, operands, jumps, instructions, layout. */
#include "runtime/base/base.h"
#include "runtime/cuda/driver/api.h"
#include "runtime/cuda/emit/emitter.h"
#include "runtime/cuda/emit/interpret.h"

enum { NO_SLOT = -1, MAX_SLOTS = 256, IMMEDIATE = 1 << 20 };

typedef struct {
    int code;
    int32_t d, a, b, c, x; /* operands, or NUMBER and a number */
    uint32_t y;
} draft_ins;

/* A jump to the end of a region, or to the start of its next iteration, to be patched. */
typedef struct {
    size_t ins;
    int32_t region;
    bool next;
} jump;

typedef struct {
    const kir_func *f;
    ic_code *out;
    draft_ins *ins;
    jump *jumps;
    size_t cap_ins, n_jumps, cap_jumps, cap_uniforms;
    int32_t *outer, *close; /* per instruction: the enclosing region; per opener its END */
    int32_t *end, *slot;    /* per value: its last use; its slot, or ~ its uniform value */
    uint32_t *begin; /* per opener: the first instruction of an iteration; of an IF, its jump */
    int32_t owner[MAX_SLOTS]; /* the value in a slot; NO_SLOT: free */
    bool failed;
} translator;

/* ---- live ranges ---- */

static bool is_loop(const kir_func *f, int32_t at) { return kir_has(f->code[at].code, KI_LOOP); }

static void extend_live_range(translator *M, int32_t v, int32_t at) {
    int32_t end = at;
    if (v < 0) return;
    for (int32_t r = M->outer[at]; r >= 0 && r != M->outer[v] && r != v; r = M->outer[r])
        if (is_loop(M->f, r)) end = M->close[r];
    M->end[v] = MAX(M->end[v], end);
}

static bool find_live_ranges(translator *M) {
    const kir_func *f = M->f;
    int32_t around = -1;
    for (int32_t k = 0; k < (int32_t)f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        M->outer[k] = around;
        M->close[k] = -1;
        M->end[k] = k;
        if (kir_has(i->code, KI_REGION)) {
            around = k;
        } else if (i->code == KIR_END) {
            M->close[i->imm] = k;
            around = M->outer[i->imm];
        }
    }
    for (int32_t k = 0; k < (int32_t)f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        const int32_t in[3] = {i->a, i->b, i->c};
        for (int n = 0; n < kir_arity(i); n++) extend_live_range(M, in[n], k);
        if (i->code == KIR_FOR) M->end[k] = M->close[k];
        if (i->code == KIR_FOR) M->end[i->c] = MAX(M->end[i->c], M->close[k]);
    }
    return true;
}

/* ---- operands ---- */

static int32_t take_slot(translator *M, int32_t value) {
    for (int32_t s = M->f->ndim; s < MAX_SLOTS; s++) {
        if (M->owner[s] != NO_SLOT) continue;
        M->owner[s] = value;
        M->out->slots = MAX(M->out->slots, (uint32_t)s + 1);
        return s;
    }
    M->failed = true;
    return 0;
}

static int32_t assign_slot(translator *M, int32_t at) { return M->slot[at] = take_slot(M, at); }

static void free_slots(translator *M, int32_t at) {
    for (int32_t s = 0; s < MAX_SLOTS; s++)
        if (M->owner[s] >= 0 && M->end[M->owner[s]] <= at) M->owner[s] = NO_SLOT;
}

static int32_t uniform_word(translator *M, ic_kind kind, unsigned a, unsigned b) {
    ic_code *c = M->out;
    for (size_t k = 0; k < c->n_uniforms; k++)
        if (c->uniforms[k].kind == kind && c->uniforms[k].a == a && c->uniforms[k].b == b)
            return ~(int32_t)k;
    if (!mem_grow(&c->uniforms, c->n_uniforms, &M->cap_uniforms, sizeof *c->uniforms)) {
        M->failed = true;
        return ~0;
    }
    c->uniforms[c->n_uniforms] =
        (ic_uniform){.kind = (uint8_t)kind, .a = (uint16_t)a, .b = (uint16_t)b};
    return ~(int32_t)c->n_uniforms++;
}

static int32_t immediate(uint32_t n) { return IMMEDIATE + (int32_t)MIN(n, UINT16_MAX); }

static void append(translator *M, draft_ins d) {
    if (mem_grow(&M->ins, M->out->n_ins, &M->cap_ins, sizeof *M->ins))
        M->ins[M->out->n_ins++] = d;
    else
        M->failed = true;
}

/* ---- jumps ---- */

static void put_jump(translator *M, int32_t region, bool next) {
    if (!mem_grow(&M->jumps, M->n_jumps, &M->cap_jumps, sizeof *M->jumps)) {
        M->failed = true;
        return;
    }
    M->jumps[M->n_jumps++] = (jump){M->out->n_ins, region, next};
    append(M, (draft_ins){.code = IC_JUMP});
}

static void patch_jumps(translator *M, int32_t region, bool next) {
    for (size_t k = 0; k < M->n_jumps; k++)
        if (M->jumps[k].region == region && M->jumps[k].next == next)
            M->ins[M->jumps[k].ins].y = (uint32_t)M->out->n_ins;
}

/* The region that BREAK or NEXT refers to. */
static int32_t region_of(const translator *M, int32_t at) {
    const kir_ins *i = &M->f->code[at];
    uint32_t left = i->imm;
    for (int32_t r = M->outer[at]; r >= 0; r = M->outer[r]) {
        if (kir_counts_region(i->code, M->f->code[r].code) && left-- == 0) return r;
    }
    return 0;
}

static void put_for(translator *M, int32_t at) {
    const kir_ins *i = &M->f->code[at];
    int32_t counter = assign_slot(M, at), next = take_slot(M, at), left = take_slot(M, at);
    M->failed |= i->type != DT_I64;
    append(M, (draft_ins){.code = IC_FOR,
                          .d = next,
                          .a = M->slot[i->a],
                          .b = M->slot[i->b],
                          .c = M->slot[i->c],
                          .x = left});
    M->begin[at] = (uint32_t)M->out->n_ins;
    append(M,
           (draft_ins){.code = IC_ITERATE, .d = counter, .a = next, .c = M->slot[i->c], .x = left});
}

static void put_end(translator *M, int32_t at) {
    int32_t r = (int32_t)M->f->code[at].imm;
    uint8_t code = M->f->code[r].code;
    if (is_loop(M->f, r)) {
        patch_jumps(M, r, true);
        bool few = M->f->code[r].imm == KIR_SHORT_LOOP, polls = !em_is_short(M->f, r);
        append(M, (draft_ins){.code = polls ? IC_BACK_EDGE_POLL : IC_BACK_EDGE,
                              .x = immediate((uint32_t)M->out->n_ins + 1 - M->begin[r]),
                              .y = M->begin[r]});
        M->out->loops |= !few;
    }
    if ((code == KIR_IF || code == KIR_FOR) && !M->failed)
        M->ins[M->begin[r]].y = (uint32_t)M->out->n_ins;
    patch_jumps(M, r, false);
}

/* ELSE: the end of the first branch jumps over the second, which the condition jumps to. */
static void put_else(translator *M, int32_t at) {
    int32_t r = M->outer[at];
    uint32_t *begin = &M->begin[r];
    append(M, (draft_ins){.code = IC_JUMP});
    if (M->failed) return;
    M->ins[*begin].y = (uint32_t)M->out->n_ins;
    *begin = (uint32_t)M->out->n_ins - 1;
}

/* ---- instructions ---- */

static void put_op(translator *M, int32_t at) {
    const kir_ins *i = &M->f->code[at];
    gpa_op op = (gpa_op)i->sub;
    gpa_dtype t = (gpa_dtype)M->f->code[op_info[op].sig == SIG_SELECT ? i->b : i->a].type, compute,
              type;
    int32_t in[3] = {i->a, i->b, i->c};
    M->failed |= op_info[op].composite || !op_types(op, t, &compute, &type) || compute != t ||
                 type != i->type;
    for (int n = 0; n < 3; n++) in[n] = n < op_info[op].arity ? M->slot[in[n]] : 0;
    append(M, (draft_ins){.code = IC_OP + (int)op * DT_COUNT + (int)t,
                          .d = assign_slot(M, at),
                          .a = in[0],
                          .b = in[1],
                          .c = in[2]});
}

static int move_opcode(const translator *M, int32_t v) {
    return dtype_size((gpa_dtype)M->f->code[v].type) > 8 ? IC_MOVE2 : IC_MOVE;
}

static void put_access(translator *M, int32_t at) {
    const kir_ins *i = &M->f->code[at];
    const kir_array *k = &M->f->arrays[i->sub];
    int32_t array = uniform_word(M, IC_ARRAY, i->sub, 0);
    M->failed |= k->where != KIR_GLOBAL && k->where != KIR_CONSTANT && i->code != KIR_IOTA;
    switch ((int)i->code) {
        case KIR_LOAD:
            append(M, (draft_ins){.code = IC_LOAD + k->dtype, .d = assign_slot(M, at), .a = array});
            break;
        case KIR_STORE:
            append(M, (draft_ins){.code = IC_STORE + k->dtype, .a = M->slot[i->a], .b = array});
            break;
        case KIR_LOADX:
            append(M, (draft_ins){.code = IC_LOADX + k->dtype,
                                  .d = assign_slot(M, at),
                                  .a = M->slot[i->a],
                                  .b = array});
            break;
        case KIR_STOREX:
            append(M, (draft_ins){.code = IC_STOREX + k->dtype,
                                  .a = M->slot[i->a],
                                  .b = M->slot[i->b],
                                  .c = array});
            break;
        case KIR_IOTA:
            append(M, (draft_ins){.code = IC_IOTA, .d = assign_slot(M, at), .a = array});
            break;
    }
}

static void put_bound(translator *M, int32_t at) {
    const kir_ins *i = &M->f->code[at];
    bool checked = !(M->f->flags & KIR_F_UNCHECKED);
    append(M, (draft_ins){.code = checked ? IC_BOUND : IC_WRAP,
                          .d = assign_slot(M, at),
                          .a = M->slot[i->a],
                          .b = M->slot[i->b],
                          .x = immediate(i->sub),
                          .y = i->line});
}

static void put_fault(translator *M, const kir_ins *i) {
    int32_t none = uniform_word(M, IC_ZERO, 0, 0), a = i->a < 0 ? none : M->slot[i->a],
            b = i->b < 0 ? none : M->slot[i->b];
    M->failed |= i->line > UINT16_MAX || (i->a >= 0 && M->f->code[i->a].type != DT_I64) ||
                 (i->b >= 0 && M->f->code[i->b].type != DT_I64);
    append(M, (draft_ins){.code = IC_FAULT,
                          .a = a,
                          .b = b,
                          .c = immediate(i->line),
                          .x = immediate(i->sub),
                          .y = i->imm});
}

static void put_step(translator *M, int32_t at) {
    const kir_ins *i = &M->f->code[at];
    switch ((int)i->code) {
        case KIR_CONST: M->slot[at] = uniform_word(M, IC_CONST, i->imm, 0); break;
        case KIR_PARAM: M->slot[at] = uniform_word(M, IC_PARAM, i->imm, 0); break;
        case KIR_SIZE: M->slot[at] = uniform_word(M, IC_SIZE, i->sub, i->imm); break;
        case KIR_STRIDE: M->slot[at] = uniform_word(M, IC_STRIDE, i->sub, i->imm); break;
        case KIR_INDEX: M->slot[at] = (int32_t)i->imm; break;
        case KIR_OP: put_op(M, at); break;
        case KIR_CAST: {
            gpa_dtype from = (gpa_dtype)M->f->code[i->a].type;
            int code =
                from == i->type ? move_opcode(M, at) : IC_CAST + (int)from * DT_COUNT + i->type;
            append(M, (draft_ins){.code = code, .d = assign_slot(M, at), .a = M->slot[i->a]});
            break;
        }
        case KIR_LOAD:
        case KIR_STORE:
        case KIR_LOADX:
        case KIR_STOREX:
        case KIR_IOTA: put_access(M, at); break;
        case KIR_BOUND: put_bound(M, at); break;
        case KIR_VAR:
            append(M, (draft_ins){.code = move_opcode(M, at),
                                  .d = assign_slot(M, at),
                                  .a = i->a < 0 ? uniform_word(M, IC_ZERO, 0, 0) : M->slot[i->a]});
            break;
        case KIR_GET:
            append(M, (draft_ins){
                          .code = move_opcode(M, at), .d = assign_slot(M, at), .a = M->slot[i->a]});
            break;
        case KIR_SET:
            append(M, (draft_ins){
                          .code = move_opcode(M, i->a), .d = M->slot[i->a], .a = M->slot[i->b]});
            break;
        case KIR_IF:
            M->begin[at] = (uint32_t)M->out->n_ins;
            append(M, (draft_ins){.code = IC_UNLESS, .a = M->slot[i->a]});
            break;
        case KIR_ELSE: put_else(M, at); break;
        case KIR_FOR: put_for(M, at); break;
        case KIR_LOOP: M->begin[at] = (uint32_t)M->out->n_ins; break;
        case KIR_BLOCK: break;
        case KIR_BREAK:
        case KIR_NEXT: put_jump(M, region_of(M, at), i->code == KIR_NEXT); break;
        case KIR_END: put_end(M, at); break;
        case KIR_FAULT: put_fault(M, i); break;
        default: M->failed = true;
    }
}

/* ---- layout ---- */

static void layout_words(translator *M) {
    ic_code *c = M->out;
    uint32_t item = c->item / 8, at = 2 * (uint32_t)c->n_ins;
    for (size_t k = 0; k < c->n_uniforms; k++) {
        c->uniforms[k].at = at;
        at += c->uniforms[k].kind == IC_ARRAY   ? (2u + M->f->ndim + 1) / 2 * 2
              : c->uniforms[k].kind == IC_SPACE ? (M->f->ndim + 1u) / 2 * 2
                                                : item;
        if (c->uniforms[k].kind == IC_SPACE) c->sizes = c->uniforms[k].at;
    }
    c->words = (at + 1) / 2 * 2;
}

static uint16_t address_of(const translator *M, int32_t operand) {
    const ic_code *c = M->out;
    if (operand >= IMMEDIATE) return (uint16_t)(operand - IMMEDIATE);
    if (operand < 0) return (uint16_t)(INTERPRET_UNIFORM | c->uniforms[~operand].at);
    return (uint16_t)(c->words + (uint32_t)operand * c->threads * c->item / 8);
}

/* As many threads as fit in shared memory. */
static bool choose_block(ic_code *c) {
    for (c->threads = TUNE_CUDA_INTERPRETER_THREADS; c->threads >= 32; c->threads /= 2) {
        c->shared = c->words * 8 + c->slots * c->item * c->threads;
        if (c->shared <= CU_STATIC_SHARED_BYTES) return c->words <= TUNE_CUDA_INTERPRETER_MAX_WORDS;
    }
    return false;
}

static bool lay_out_words(translator *M) {
    ic_code *c = M->out;
    uniform_word(M, IC_SPACE, 0, 0);
    append(M, (draft_ins){.code = IC_END});
    if (M->failed) return false;
    layout_words(M);
    if (!choose_block(c) || !(c->ins = mem_new(c->n_ins * sizeof *c->ins))) return false;
    for (size_t k = 0; k < c->n_ins; k++) {
        const draft_ins *d = &M->ins[k];
        c->ins[k] = (ic_ins){(uint16_t)d->code,
                             address_of(M, d->d),
                             address_of(M, d->a),
                             address_of(M, d->b),
                             address_of(M, d->c),
                             address_of(M, d->x),
                             d->y};
    }
    return true;
}

/* A program with loops may exceed its budget and be restarted from the beginning: it must not read
 * what it has written. */
static bool reads_outputs(const kir_func *f) {
    for (size_t a = 0; a < f->n_arrays; a++)
        for (size_t b = 0; b < f->n_arrays; b++)
            if (f->arrays[a].access & KIR_WRITE && f->arrays[b].access & KIR_READ &&
                f->arrays[a].group == f->arrays[b].group)
                return true;
    return false;
}

static bool is_supported(const kir_func *f) {
    cu_facts facts = emit_facts(f);
    if (f->form != KIR_MAP || f->inner || f->flags & KIR_F_FASTMATH || facts.scatters) return false;
    return !facts.loops || !reads_outputs(f);
}

static bool translate(translator *M) {
    size_t n = M->f->n_code + 1;
    M->out->item = 8;
    for (size_t k = 0; k < M->f->n_code; k++)
        if (M->f->code[k].type == DT_C128) M->out->item = 16;
    M->out->slots = M->f->ndim;
    for (int32_t s = 0; s < MAX_SLOTS; s++) M->owner[s] = NO_SLOT;
    int32_t **const lists[] = {&M->outer, &M->close, &M->end, &M->slot};
    for (size_t k = 0; k < COUNT_OF(lists); k++)
        if (!(*lists[k] = mem_zero(n * sizeof **lists[k]))) return false;
    if (!(M->begin = mem_zero(n * sizeof *M->begin)) || !find_live_ranges(M)) return false;
    for (int32_t at = 0; at < (int32_t)M->f->n_code && !M->failed; at++) {
        bool keeps = M->f->code[at].code == KIR_FOR; /* later iterations read its bounds */
        if (!keeps) free_slots(M, at);
        put_step(M, at);
    }
    return !M->failed && lay_out_words(M);
}

ic_code *interpret_code(const kir_func *f) {
    translator M = {.f = f};
    if (!is_supported(f) || !(M.out = mem_zero(sizeof *M.out))) return NULL;
    bool made = translate(&M);
    mem_free(M.ins);
    mem_free(M.jumps);
    mem_free(M.outer);
    mem_free(M.close);
    mem_free(M.end);
    mem_free(M.slot);
    mem_free(M.begin);
    if (made) return M.out;
    interpret_free(M.out);
    return NULL;
}

void interpret_free(ic_code *c) {
    if (!c) return;
    mem_free(c->ins);
    mem_free(c->uniforms);
    mem_free(c);
}
