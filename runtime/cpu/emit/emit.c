/* kir to LLVM IR: the function around the loop nest, and one case per instruction.
 *
 * Reading order: emit_module, whole, em_code, em_instruction; then emit_points.c (loop nest),
 * emit_tiles.c, emit_memory.c, emit_reduce.c and, for operations on values, emit_op.c and
 * emit_cast.c. */
#include "runtime/cpu/emit/emitter.h"

#include <stdio.h>

#include "runtime/base/base.h"

/* ---- insertion points ---- */

/* If the basic block already has a terminator, the builder inserts before it. */
LLVMBasicBlockRef em_at(em *M, int level) {
    LLVMBasicBlockRef here = LLVMGetInsertBlock(M->E.b);
    if (level == M->cur) return here;
    V end = LLVMGetBasicBlockTerminator(M->pre[level]);
    if (end)
        LLVMPositionBuilderBefore(M->E.b, end);
    else
        LLVMPositionBuilderAtEnd(M->E.b, M->pre[level]);
    return here;
}

void em_here(em *M, LLVMBasicBlockRef block) {
    V end = LLVMGetBasicBlockTerminator(block);
    if (end)
        LLVMPositionBuilderBefore(M->E.b, end);
    else
        LLVMPositionBuilderAtEnd(M->E.b, block);
}

V em_slot(em *M, unsigned n) {
    if (M->slot[n]) return M->slot[n];
    LLVMBasicBlockRef here = em_at(M, LEVEL_ENTRY);
    V at = ll_i64(&M->E, n);
    V p = LLVMBuildGEP2(M->E.b, ll_i(&M->E, 64), M->view, &at, 1, "");
    M->slot[n] = LLVMBuildLoad2(M->E.b, ll_i(&M->E, 64), p, "");
    em_here(M, here);
    return M->slot[n];
}

V em_size(em *M, int dim) { return em_slot(M, VIEW_SIZE + (unsigned)dim); }

void em_unsupported(em *M, const char *what) {
    if (!M->E.rc) M->E.rc = gpa_fail(M->E.err, GPA_E_UNSUPPORTED, "%s on the CPU device", what);
}

/* ---- levels ---- */

static bool array_is_written(const em *M, unsigned array) {
    for (size_t i = 0; i < M->f->n_arrays; i++)
        if (M->f->arrays[i].group == M->f->arrays[array].group &&
            M->f->arrays[i].access & KIR_WRITE)
            return true;
    return false;
}

static int level_of(em *M, const kir_ins *ins) {
    const int32_t args[3] = {ins->a, ins->b, ins->c};
    int level = 0;
    switch ((int)ins->code) {
        case KIR_CONST:
        case KIR_PARAM:
        case KIR_SIZE:
        case KIR_STRIDE: return 0;
        case KIR_INDEX: return M->coord_level[ins->imm];
        case KIR_LOAD: return array_is_written(M, ins->sub) ? M->cur : em_array_level(M, ins->sub);
        case KIR_LOADIF:
            level = array_is_written(M, ins->sub) ? M->cur : em_array_level(M, ins->sub);
            return MAX(level, M->level[ins->a]);
        case KIR_IOTA: return em_array_level(M, ins->sub);
        case KIR_BELOW: return M->segment ? M->segment_level : em_array_level(M, ins->sub);
        case KIR_OP:
        case KIR_CAST:
            for (int i = 0; i < kir_arity(ins); i++)
                if (M->level[args[i]] > level) level = M->level[args[i]];
            return level;
        case KIR_BOUND:
            return M->vals[ins->a].vec || M->vals[ins->b].vec
                       ? M->cur
                       : MAX(M->level[ins->a], M->level[ins->b]);
        default: return M->cur;
    }
}

/* ---- instructions ---- */

static ll_val none(void) { return (ll_val){0}; }

static ll_val emit_index(em *M, const kir_ins *ins) {
    int d = (int)ins->imm;
    bool lanes = M->E.lanes > 1 && M->lanes_live && d == M->plan->dim;
    V c = M->coord[d];
    if (lanes) c = LLVMBuildAdd(M->E.b, ll_spread(&M->E, c), ll_ramp(&M->E, ll_i(&M->E, 64)), "");
    return (ll_val){c, NULL, DT_I64, lanes};
}

static ll_val emit_size(em *M, const kir_ins *ins, unsigned first) {
    unsigned n = ins->sub == KIR_SPACE
                     ? VIEW_SIZE + ins->imm
                     : VIEW_ARRAYS + (unsigned)ins->sub * ARRAY_SLOTS + first + ins->imm;
    return (ll_val){em_slot(M, n), NULL, DT_I64, false};
}

static ll_val emit_op(em *M, const kir_ins *ins) {
    unsigned n = op_info[ins->sub].arity;
    ll_operation o = {.op = (gpa_op)ins->sub, .to = (gpa_dtype)ins->type, .a = M->vals[ins->a]};
    if (n > 1) o.b = M->vals[ins->b];
    if (n > 2) o.c = M->vals[ins->c];
    o.t = (gpa_dtype)(op_info[ins->sub].sig == SIG_SELECT ? o.b.t : o.a.t);
    return ll_op(&M->E, &o);
}

static ll_val pure(em *M, const kir_ins *ins) {
    int level = M->level[ins - M->f->code];
    LLVMBasicBlockRef here = em_at(M, level);
    M->E.divides = level == M->cur;
    ll_val r = ins->code == KIR_OP     ? emit_op(M, ins)
               : ins->code == KIR_CAST ? ll_cast(&M->E, ins->type, M->vals[ins->a])
                                       : emit_index(M, ins);
    M->E.divides = false;
    if (level != M->cur) em_here(M, here);
    return r;
}

ll_val em_instruction(em *M, int32_t at) {
    const kir_ins *ins = &M->f->code[at];
    M->level[at] = (uint8_t)level_of(M, ins);
    if (M->vals[at].v && M->outside[at]) em_leave_outside(M, ins, M->outside[at]);
    if (M->vals[at].v) return M->vals[at];
    switch ((kir_code)ins->code) {
        case KIR_CONST: return ll_const(&M->E, ins->type, M->f->consts[ins->imm].v);
        case KIR_PARAM: return em_param(M, ins);
        case KIR_INDEX:
        case KIR_OP:
        case KIR_CAST: return pure(M, ins);
        case KIR_SIZE: return emit_size(M, ins, ARRAY_SIZE);
        case KIR_STRIDE: return emit_size(M, ins, ARRAY_STRIDE);
        case KIR_LOAD: return em_load(M, ins);
        case KIR_LOADIF: return em_loadif(M, ins);
        case KIR_STORE: em_store(M, ins); return none();
        case KIR_IOTA: return em_iota(M, ins);
        case KIR_BELOW: return em_below(M, ins);
        case KIR_LOADX: return em_loadx(M, ins);
        case KIR_STOREX: em_storex(M, ins); return none();
        case KIR_BOUND: return em_bound(M, ins);
        case KIR_SCAN: return em_scan(M, at);
        case KIR_REDUCE: em_reduce(M, at); return M->vals[at];
        case KIR_VAR:
        case KIR_GET:
        case KIR_SET:
        case KIR_BREAK:
        case KIR_NEXT:
        case KIR_ATOMIC:
        case KIR_FAULT:
        case KIR_ELSE: return em_control(M, at);
        case KIR_THREAD:
        case KIR_BARRIER:
        case KIR_FENCE:
        case KIR_WARP: em_unsupported(M, "a kernel of threads"); break;
        case KIR_ARG:
        case KIR_PRINT: em_unsupported(M, "print"); break;
        case KIR_EACH:
        case KIR_IF:
        case KIR_FOR:
        case KIR_LOOP:
        case KIR_BLOCK:
        case KIR_END:
        case KIR_COUNT: break;
    }
    return none();
}

void em_code(em *M, int32_t from, int32_t to) {
    bool whole = M->plan->part == EMIT_WHOLE;
    bool partial = !whole && (uint32_t)M->plan->part < M->n_each && M->cur == LEVEL_OUTER;
    for (int32_t i = from; i < to && !M->E.rc && !M->finished; i++) {
        kir_code code = (kir_code)M->f->code[i].code;
        if (M->partner[i] >= 0 && code != KIR_END) {
            if (code == KIR_EACH)
                em_each(M, i);
            else
                em_region(M, i);
            i = M->partner[i];
        } else if (!(partial && kir_has((uint8_t)code, KI_WRITES)))
            M->vals[i] = em_instruction(M, i);
    }
}

/* ---- the function ---- */

/* Linear index of the outer point, where lanes are inner points. */
static V outer_number(em *M) {
    V n = ll_i64(&M->E, 0);
    for (int d = 0; d < M->f->ndim; d++)
        if (!(M->f->inner >> d & 1))
            n = LLVMBuildAdd(M->E.b, LLVMBuildMul(M->E.b, n, em_size(M, d), ""), M->coord[d], "");
    return n;
}

static void outer_body(em *M, void *arg) {
    (void)arg;
    M->finished = false;
    if (M->plan->nest == EMIT_COLUMNS && M->plan->part != EMIT_WHOLE) {
        V size = em_size(M, M->plan->dim);
        LLVMBasicBlockRef here = em_at(M, LEVEL_ENTRY); /* in the entry block, before all loops */
        V first = LLVMBuildURem(M->E.b, M->lo, size, "");
        em_here(M, here);
        M->block = LLVMBuildUDiv(M->E.b, LLVMBuildSub(M->E.b, M->coord[M->plan->dim], first, ""),
                                 ll_i64(&M->E, M->E.lanes), "");
    } else if (M->plan->part != EMIT_WHOLE) {
        M->block = LLVMBuildSub(M->E.b, outer_number(M), M->lo, "");
    }
    em_code(M, 0, (int32_t)M->f->n_code);
}

static void whole(em *M) {
    const kir_func *f = M->f;
    em_range r = {.lo = M->lo, .hi = M->hi, .body = outer_body};
    bool columns = M->plan->nest == EMIT_COLUMNS, points = M->plan->nest == EMIT_POINTS;
    for (int d = 0; d < f->ndim; d++)
        if (!(f->inner >> d & 1) && !((columns || points) && d == M->plan->dim)) r.dims[r.n++] = d;
    if ((columns || points) && M->plan->dim >= 0) r.dims[r.n++] = M->plan->dim, r.lanes = true;
    r.rows = M->plan->rows;
    if (M->plan->nest == EMIT_TILES)
        em_tiles(M, outer_body);
    else if (M->plan->part <= EMIT_JOIN)
        em_join(M, (uint32_t)(EMIT_JOIN - M->plan->part));
    else
        em_walk(M, &r);
    LLVMBuildBr(M->E.b, M->leave);
}

static void set_attribute(em *M, const char *name, const char *value) {
    LLVMAttributeRef attribute = LLVMCreateStringAttribute(M->E.ctx, name, (unsigned)strlen(name),
                                                           value, (unsigned)strlen(value));
    LLVMAddAttributeAtIndex(M->E.fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

void em_open_function(em *M) {
    LLVMTypeRef i64 = ll_i(&M->E, 64), ptr = ll_ptr(&M->E);
    LLVMTypeRef types[] = {ptr, i64, i64, i64, i64, ptr, ptr, i64};
    V *args[] = {&M->view, &M->lo, &M->hi, &M->from, &M->to, &M->done, &M->part, &M->fresh};
    static const char *const names[] = {"view", "lo", "hi", "from", "to", "done", "part", "fresh"};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(M->E.ctx), types, COUNT_OF(types), 0);
    M->E.fn = LLVMAddFunction(M->E.mod, JIT_FUNCTION, type);
    for (unsigned i = 0; i < COUNT_OF(args); i++) {
        *args[i] = LLVMGetParam(M->E.fn, i);
        LLVMSetValueName2(*args[i], names[i], strlen(names[i]));
    }
    /* Align the stack, so that registers spilled around libmvec calls do not cross cache lines,
     * whatever the caller's stack alignment is. */
    set_attribute(M, "stackrealign", "");
    if (M->E.host->bytes == 64) {
        set_attribute(M, "prefer-vector-width", M->plan->half_width ? "256" : "512");
        if (M->plan->half_width) set_attribute(M, "min-legal-vector-width", "256");
    }
    LLVMPositionBuilderAtEnd(M->E.slots, em_block(M, "slots"));
    M->pre[LEVEL_ENTRY] = em_block(M, "entry");
    M->leave = em_block(M, "leave");
    LLVMPositionBuilderAtEnd(M->E.b, M->pre[LEVEL_ENTRY]);
}

void em_close_function(em *M) {
    LLVMBuildBr(M->E.slots, LLVMGetNextBasicBlock(LLVMGetEntryBasicBlock(M->E.fn)));
    LLVMPositionBuilderAtEnd(M->E.b, M->leave);
    LLVMBuildRetVoid(M->E.b);
}

/* Matches each END with its opener and counts the EACH regions. */
static void match_regions(em *M) {
    for (size_t i = 0; i < M->f->n_code; i++) M->partner[i] = -1;
    for (size_t i = 0; i < M->f->n_code; i++) {
        if (M->f->code[i].code == KIR_EACH) M->n_each++;
        if (M->f->code[i].code != KIR_END) continue;
        M->partner[M->f->code[i].imm] = (int32_t)i;
        M->partner[i] = (int32_t)M->f->code[i].imm;
    }
    for (int d = 0; d < KIR_MAX_DIMS; d++) M->coord_level[d] = LEVELS;
}

static void free_emitter(em *M) {
    if (!M) return;
    if (M->E.b) LLVMDisposeBuilder(M->E.b);
    if (M->E.slots) LLVMDisposeBuilder(M->E.slots);
    mem_free(M->vals);
    mem_free(M->level);
    mem_free(M->partner);
    mem_free(M->proven);
    mem_free(M->outside);
    mem_free(M->reds);
    mem_free(M->regions);
    mem_free(M);
}

gpa_code emit_module(cpu_target *t, const kir_func *f, const emit_plan *plan, LLVMModuleRef *out,
                     gpa_err *e) {
    gpa_code rc = GPA_OK;
    emit_facts facts = emit_examine(f);
    em *M = mem_zero(sizeof *M);
    if (!M) return gpa_no_memory(e);
    M->f = f;
    M->plan = plan;
    M->vals = mem_zero(f->n_code * sizeof *M->vals);
    M->level = mem_zero(f->n_code);
    M->partner = mem_new(f->n_code * sizeof *M->partner);
    M->proven = mem_zero(f->n_code);
    M->outside = mem_zero(f->n_code * sizeof *M->outside);
    if (!M->vals || !M->level || !M->partner || !M->proven || !M->outside) {
        rc = gpa_no_memory(e);
        goto out;
    }
    M->E = (ll){.target = t, .host = &t->info, .lanes = plan->lanes, .err = e};
    M->E.mod = cpu_module_new(t, f->name[0] ? f->name : "program");
    M->E.ctx = LLVMGetModuleContext(M->E.mod);
    M->E.b = LLVMCreateBuilderInContext(M->E.ctx);
    M->E.slots = LLVMCreateBuilderInContext(M->E.ctx);
    M->masks = plan->lanes > 1 && facts.branches;
    M->once = M->masks && facts.loops;
    match_regions(M);
    em_open_function(M);
    whole(M);
    em_close_function(M);
    rc = M->E.rc;
out:
    if (rc)
        cpu_module_free(M->E.mod);
    else
        *out = M->E.mod;
    if (M->E.b) LLVMDisposeBuilder(M->E.b), M->E.b = NULL;
    if (M->E.slots) LLVMDisposeBuilder(M->E.slots), M->E.slots = NULL;
    free_emitter(M);
    return rc;
}

/* ---- program properties ---- */

/* True if an instruction inside a branch can run in lanes under a mask. */
static bool in_lanes(kir_code code) {
    return kir_has((uint8_t)code, KI_BODY | KI_FIXED) || code == KIR_INDEX || code == KIR_LOAD ||
           code == KIR_IOTA;
}

gpa_dtype emit_narrow(const kir_func *f, const kir_ins *reduce) {
    const kir_ins *cast = &f->code[reduce->a];
    if (reduce->code != KIR_REDUCE || reduce->sub != RED_SUM || cast->code != KIR_CAST)
        return DT_NONE;
    gpa_dtype t = (gpa_dtype)cast->type;
    if (t != DT_F64 && (!dtype_is_int(t) || dtype_size(t) < 4)) return DT_NONE;
    switch ((int)f->code[cast->a].type) {
        case DT_BOOL: return DT_U8;
        case DT_I8: return DT_I16;
        case DT_U8: return DT_U16;
        case DT_I16: return dtype_size(t) == 8 ? DT_I32 : DT_NONE;
        case DT_U16: return dtype_size(t) == 8 ? DT_U32 : DT_NONE;
    }
    return DT_NONE;
}

/* The dtype in which a value is computed. A cast used only by narrow sums is computed in their
 * dtype. */
static gpa_dtype computed_as(const kir_func *f, size_t at) {
    gpa_dtype t = dtype_info[f->code[at].type].compute, narrow = DT_NONE;
    if (f->code[at].code != KIR_CAST) return t;
    for (size_t i = at + 1; i < f->n_code; i++) {
        const kir_ins *user = &f->code[i];
        if (user->a != (int32_t)at && user->b != (int32_t)at && user->c != (int32_t)at) continue;
        if ((narrow = emit_narrow(f, user)) == DT_NONE) return t;
    }
    return narrow == DT_NONE ? t : narrow;
}

/* True for dtypes in which the processor computes natively, and for complex ones of such parts. */
static bool is_plain_number(unsigned t) {
    return t < DT_COUNT && t != DT_BOOL && dtype_info[t].compute == t;
}

/* Complex operations that take only a few instructions. */
static bool is_plain_complex(unsigned op) {
    return op == OP_ADD || op == OP_SUBTRACT || op == OP_MULTIPLY || op == OP_NEGATIVE ||
           op == OP_CONJUGATE || op == OP_REAL || op == OP_IMAG;
}

/* True if the cost of an instruction is that of its loads and stores, at any vector width. */
static bool is_plain(const kir_func *f, const kir_ins *i) {
    if (i->code == KIR_CONST || i->code == KIR_PARAM || i->code == KIR_BELOW) return true;
    if (i->code == KIR_LOAD || i->code == KIR_LOADIF || i->code == KIR_STORE)
        return is_plain_number(f->arrays[i->sub].dtype);
    if (i->code == KIR_CAST) return is_plain_number(i->type) && is_plain_number(f->code[i->a].type);
    if (i->code != KIR_OP || !is_plain_number(i->type) || op_info[i->sub].cost > 1) return false;
    return !dtype_is_complex((gpa_dtype)f->code[i->a].type) || is_plain_complex(i->sub);
}

/* True for loops whose trip count may differ from point to point. */
static bool has_loop_per_point(const kir_ins *i) {
    return i->code == KIR_LOOP || (i->code == KIR_FOR && i->imm != KIR_SHORT_LOOP);
}

static bool has_each(const kir_func *f) {
    for (size_t i = 0; i < f->n_code; i++)
        if (f->code[i].code == KIR_EACH) return true;
    return false;
}

emit_facts emit_examine(const kir_func *f) {
    emit_facts r = {.widest = 1, .widest_in_loops = 1, .plain = true};
    const bool reduces = has_each(f);
    int depth = 0,       /* nesting of EACH regions */
        inside = 0,      /* nesting of other regions */
        point_loops = 0; /* nesting of loops whose trip count differs from point to point */
    for (size_t a = 0; a < f->n_arrays; a++) r.branches |= f->arrays[a].where == KIR_LOCAL;
    r.unmaskable = r.branches;
    for (size_t i = 0; i < f->n_code; i++) {
        const kir_ins *ins = &f->code[i];
        kir_code code = (kir_code)ins->code;
        r.plain &= is_plain(f, ins);
        r.halves |= ins->type == DT_F16;
        if (code == KIR_EACH) r.n_each++, depth++;
        if (code == KIR_END)
            *(f->code[ins->imm].code == KIR_EACH ? &depth : &inside) -= 1,
                point_loops -= has_loop_per_point(&f->code[ins->imm]);
        if (kir_has((uint8_t)code, KI_REGION) && code != KIR_EACH) inside++;
        r.unmaskable |= code == KIR_ATOMIC || (inside && !in_lanes(code));
        bool loads = code == KIR_LOAD || code == KIR_LOADIF;
        if (loads || code == KIR_STORE)
            r.complex |= dtype_is_complex((gpa_dtype)f->arrays[ins->sub].dtype);
        if (code == KIR_REDUCE) r.n_reduce++, r.narrow_sums |= emit_narrow(f, ins) != DT_NONE;
        if (code == KIR_SCAN) r.scans = true;
        if (code == KIR_STORE && !depth) r.stores_outside = true;
        if (code == KIR_IF || code == KIR_BLOCK || code == KIR_ATOMIC) r.branches = true;
        if (has_loop_per_point(ins)) r.branches = r.loops = true, point_loops++;
        if (code == KIR_FOR) r.trips = true;
        if (reduces && !depth) continue;
        uint32_t ops = code == KIR_OP ? op_info[ins->sub].cost
                                      : loads || code == KIR_STORE || code == KIR_CAST;
        r.ops += ops;
        if (point_loops) r.ops_in_loops += ops;
        if ((ins->type < DT_COUNT && (code == KIR_OP || code == KIR_CAST || loads)) ||
            code == KIR_STORE) {
            gpa_dtype t =
                code == KIR_STORE ? (gpa_dtype)f->arrays[ins->sub].dtype : computed_as(f, i);
            unsigned bytes = (unsigned)dtype_size(t) / (dtype_is_complex(t) ? 2 : 1);
            if (bytes > r.widest) r.widest = (uint8_t)bytes;
            if (point_loops && bytes > r.widest_in_loops) r.widest_in_loops = (uint8_t)bytes;
        }
    }
    return r;
}
