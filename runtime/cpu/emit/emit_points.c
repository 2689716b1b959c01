/* Loop nests over a range of points.
 *
 * A range is split into rows along its last dimension. A row runs in steps of all lanes, with a
 * masked remainder. Counters live in stack slots, which the optimizer promotes to registers.
 *
 *   before -> head: more points? -> row -> step: more of the row? -> body -> step ...
 *                       |                      \-> rest under a mask -> next row -> head
 *                       done */
#include "runtime/cpu/emit/emitter.h"

#include "runtime/base/base.h"

typedef struct {
    const em_range *r;
    V position, x, coord[KIR_MAX_DIMS]; /* stack slots */
    V end;                              /* end of the row, a value */
    V short_mask; /* of the last step of a row with a known number of steps; NULL: all lanes */
    LLVMBasicBlockRef head, row, step, next, done;
} walk;

LLVMBasicBlockRef em_block(em *M, const char *name) {
    return LLVMAppendBasicBlockInContext(M->E.ctx, M->E.fn, name);
}

static V get(em *M, V slot) { return LLVMBuildLoad2(M->E.b, ll_i(&M->E, 64), slot, ""); }
static V smaller(em *M, V a, V b) {
    return LLVMBuildSelect(M->E.b, LLVMBuildICmp(M->E.b, LLVMIntSLT, a, b, ""), a, b, "");
}

void em_begin_copy(em *M, int level) {
    for (size_t i = 0; i < M->f->n_code; i++)
        if (M->level[i] >= level) M->vals[i] = (ll_val){0};
    for (size_t a = 0; a < M->f->n_arrays; a++)
        for (int l = level; l < LEVELS; l++) M->pointer[a][l] = NULL;
}

static void run_body(em *M, const walk *w, V x, V mask, int level) {
    LLVMBasicBlockRef inside = em_block(M, "inside");
    V mask_before = M->mask;
    M->pre[level] = LLVMGetInsertBlock(M->E.b);
    LLVMBuildBr(M->E.b, inside);
    LLVMPositionBuilderAtEnd(M->E.b, inside);
    if (w->r->n) M->coord[w->r->dims[w->r->n - 1]] = x;
    if (w->r->lanes) M->lanes_live = true, M->mask = mask;
    M->cur = level;
    em_begin_copy(M, level);
    w->r->body(M, w->r->arg);
    M->mask = mask_before;
    if (w->r->lanes) M->lanes_live = false;
}

/* Mask of the first n lanes, n at least 1. The comparison uses narrow integers, so that one
 * covers all lanes of most plans, but never less than a full register: LLVM 19 widens a narrower
 * comparison with lanes that are true, and stores those too. */
static V first_lanes(em *M, V n) {
    unsigned lanes = M->E.lanes;
    LLVMTypeRef narrow = ll_i(&M->E, lanes >= 256 ? 16 : lanes >= 16 ? 8 : 128 / lanes);
    n = LLVMBuildTrunc(M->E.b, n, narrow, "");
    return LLVMBuildICmp(M->E.b, LLVMIntULT, ll_ramp(&M->E, narrow), ll_spread(&M->E, n), "");
}

/* Mask of the lanes below `left`, which is at least 1. */
static V tail_mask(em *M, V left) {
    return first_lanes(M, smaller(M, left, ll_i64(&M->E, M->E.lanes)));
}

static V extent(em *M, const em_range *r, int i) {
    return r->last && i == r->n - 1 ? r->last : em_size(M, r->dims[i]);
}

/* The coordinates of the first point. Divisions of function arguments are hoisted out of all
 * loops. */
static void start(em *M, walk *w) {
    LLVMBuilderRef b = M->E.b;
    const em_range *r = w->r;
    V rest = r->lo, first[KIR_MAX_DIMS];
    bool once = (r->lo == M->from || r->lo == M->lo) && !r->last;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(b);
    for (int i = r->n - 1; i >= 0; i--) {
        V size = extent(M, r, i);
        if (once) here = em_at(M, LEVEL_ENTRY);
        bool zero = r->from_zero || (r->rows && i == r->n - 1);
        first[i] = zero ? ll_i64(&M->E, 0) : i ? LLVMBuildURem(b, rest, size, "") : rest;
        if (i && !r->from_zero) rest = LLVMBuildUDiv(b, rest, size, "");
        if (once) em_here(M, here);
    }
    w->position = ll_slot(&M->E, ll_i(&M->E, 64), "position");
    w->x = ll_slot(&M->E, ll_i(&M->E, 64), "x");
    LLVMBuildStore(b, r->lo, w->position);
    for (int i = r->n - 1; i >= 0; i--) {
        w->coord[i] = ll_slot(&M->E, ll_i(&M->E, 64), "coord");
        LLVMBuildStore(b, first[i], w->coord[i]);
    }
}

/* ---- segments ---- */

static bool has_segments(const em *M, const em_range *r) {
    return M->plan->segments && r->lanes && M->E.lanes > 1;
}

/* The offset of a boundary at the first point of the row; its sign tells the side. */
static V boundary_at(em *M, const kir_ins *below, V x, int level) {
    V at = em_pointer(M, below->sub, level);
    bool crossed = M->f->arrays[below->sub].unit >> M->plan->dim & 1;
    return crossed ? LLVMBuildAdd(M->E.b, at, x, "") : at;
}

/* The number of points up to the next boundary, at most n. */
static V clip_segment(em *M, V x, V n, int level) {
    LLVMBuilderRef b = M->E.b;
    for (size_t i = 0; i < M->f->n_code; i++) {
        const kir_ins *ins = &M->f->code[i];
        if (ins->code != KIR_BELOW || !(M->f->arrays[ins->sub].unit >> M->plan->dim & 1)) continue;
        V at = boundary_at(M, ins, x, level), far = LLVMConstInt(ll_i(&M->E, 64), INT64_MAX, 0);
        V before = LLVMBuildICmp(b, LLVMIntSLT, at, ll_i64(&M->E, 0), "");
        n = smaller(M, n, LLVMBuildSelect(b, before, LLVMBuildNeg(b, at, ""), far, ""));
    }
    return n;
}

/* True if each BELOW has its usual value in the segment. */
static V is_usual(em *M, int level) {
    LLVMBuilderRef b = M->E.b;
    V all = LLVMConstInt(ll_i(&M->E, 1), 1, 0);
    for (size_t i = 0; i < M->f->n_code; i++) {
        const kir_ins *ins = &M->f->code[i];
        if (ins->code != KIR_BELOW) continue;
        V at = boundary_at(M, ins, M->segment, level);
        LLVMIntPredicate usual = ins->imm == KIR_MOSTLY_TRUE ? LLVMIntSLT : LLVMIntSGE;
        all = LLVMBuildAnd(b, all, LLVMBuildICmp(b, usual, at, ll_i64(&M->E, 0), ""), "");
    }
    return all;
}

/* Enters the row that begins at the current coordinates, and computes its end. */
static void enter_row(em *M, walk *w, V position, int level) {
    LLVMBuilderRef b = M->E.b;
    const em_range *r = w->r;
    int last = r->n - 1;
    V x = r->rows ? ll_i64(&M->E, 0) : get(M, w->coord[last]), n = extent(M, r, last);
    if (!r->rows) n = smaller(M, LLVMBuildSub(b, n, x, ""), LLVMBuildSub(b, r->hi, position, ""));
    if (r->block) n = smaller(M, n, ll_i64(&M->E, r->block));
    for (int i = 0; i < last; i++) {
        M->coord[r->dims[i]] = get(M, w->coord[i]);
        M->coord_level[r->dims[i]] = (uint8_t)level;
    }
    M->coord_level[r->dims[last]] = (uint8_t)(level + 1);
    M->pre[level] = w->row;
    em_begin_copy(M, level);
    M->segment = has_segments(M, r) ? x : NULL;
    M->segment_level = level;
    if (M->segment) n = clip_segment(M, x, n, level);
    w->end = LLVMBuildAdd(b, x, n, "");
    LLVMBuildStore(b, LLVMBuildAdd(b, position, n, ""), w->position);
    LLVMBuildStore(b, x, w->x);
}

/* Advances to the next row: increments the coordinates, with carry. The first coordinate does
 * not wrap. */
static void advance(em *M, walk *w) {
    LLVMBuilderRef b = M->E.b;
    V c = w->end, carry = NULL;
    int last = w->r->n - 1;
    if (w->r->rows) carry = LLVMConstInt(ll_i(&M->E, 1), 1, 0), last--;
    for (int i = last; i >= 0; i--) {
        if (carry)
            c = LLVMBuildAdd(b, get(M, w->coord[i]), LLVMBuildZExt(b, carry, ll_i(&M->E, 64), ""),
                             "");
        if (i)
            carry = LLVMBuildICmp(b, LLVMIntEQ, c, extent(M, w->r, i), ""),
            c = LLVMBuildSelect(b, carry, ll_i64(&M->E, 0), c, "");
        LLVMBuildStore(b, c, w->coord[i]);
    }
}

static void steps(em *M, walk *w, int level) {
    LLVMBuilderRef b = M->E.b;
    unsigned lanes = w->r->lanes ? M->E.lanes : 1, each = w->r->lanes ? MAX(M->plan->each, 1u) : 1,
             n = lanes * each;
    bool plain = n > 1 && !M->once;
    LLVMBasicBlockRef body = em_block(M, "body"), rest = plain ? em_block(M, "rest") : w->next;
    V x = get(M, w->x), far = plain ? LLVMBuildAdd(b, x, ll_i64(&M->E, n), "") : x;
    LLVMBuildCondBr(b, LLVMBuildICmp(b, plain ? LLVMIntSLE : LLVMIntSLT, far, w->end, ""), body,
                    rest);
    LLVMPositionBuilderAtEnd(b, body);
    if (plain) x = get(M, w->x);
    V mask = lanes > 1 && !plain ? tail_mask(M, LLVMBuildSub(b, w->end, x, ""))
             : w->r->lanes       ? NULL
                                 : M->mask;
    for (unsigned k = 0; k < each; k++)
        run_body(M, w, k ? LLVMBuildAdd(b, x, ll_i64(&M->E, k), "") : x, mask, level);
    V next = LLVMBuildAdd(b, x, ll_i64(&M->E, n), "");
    LLVMBuildStore(b, next, w->x);
    if (!plain) {
        LLVMBuildBr(b, w->step);
        return;
    }
    far = LLVMBuildAdd(b, next, ll_i64(&M->E, n), "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLE, far, w->end, ""), body, rest);
    LLVMBasicBlockRef tail = em_block(M, "tail");
    LLVMPositionBuilderAtEnd(b, rest);
    x = get(M, w->x);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, x, w->end, ""), tail, w->next);
    LLVMPositionBuilderAtEnd(b, tail);
    run_body(M, w, x, lanes > 1 ? tail_mask(M, LLVMBuildSub(b, w->end, x, "")) : NULL, level);
    if (lanes == 1) LLVMBuildStore(b, LLVMBuildAdd(b, x, ll_i64(&M->E, 1), ""), w->x);
    LLVMBuildBr(b, lanes == 1 ? rest : w->next);
}

/* Rows with a known number of steps: the points in full steps, and the mask of the last step,
 * which is the same for all rows. */
static unsigned short_points(const em *M) {
    return (unsigned)(M->plan->rows - EMIT_SHORT_ROWS) / 2 * M->E.lanes;
}

static V short_mask(em *M, const walk *w) {
    if ((M->plan->rows - EMIT_SHORT_ROWS) % 2 == 0) return NULL;
    return first_lanes(
        M, LLVMBuildSub(M->E.b, extent(M, w->r, w->r->n - 1), ll_i64(&M->E, short_points(M)), ""));
}

static void short_row(em *M, walk *w, V mask, int level) {
    unsigned n = short_points(M), x = 0;
    for (; x < n; x += M->E.lanes) run_body(M, w, ll_i64(&M->E, x), NULL, level);
    if (mask) run_body(M, w, ll_i64(&M->E, x), mask, level);
    LLVMBuildBr(M->E.b, w->next);
}

/* The number of points before the first register boundary of the stored array. */
static V before_boundary(em *M, V x, int level) {
    LLVMBuilderRef b = M->E.b;
    unsigned array = 0;
    while (!(M->f->arrays[array].access & KIR_WRITE)) array++;
    V row = LLVMBuildPtrToInt(b, em_pointer(M, array, level), ll_i(&M->E, 64), "");
    V size = ll_i64(&M->E, (int64_t)dtype_size((gpa_dtype)M->f->arrays[array].dtype));
    V at = LLVMBuildAdd(b, row, LLVMBuildMul(b, x, size, ""), "");
    V bytes = LLVMBuildAnd(b, LLVMBuildNeg(b, at, ""), ll_i64(&M->E, M->E.host->bytes - 1), "");
    return LLVMBuildUDiv(b, bytes, size, "");
}

/* Emits the masked step that aligns the stores of a row to a register boundary; the builder then
 * is at the continuation of the row. */
static void align_row(em *M, walk *w, int level) {
    LLVMBuilderRef b = M->E.b;
    LLVMBasicBlockRef body = em_block(M, "align");
    V x = get(M, w->x), left = LLVMBuildSub(b, w->end, x, ""),
      n = smaller(M, before_boundary(M, x, level - 1), left);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSGT, n, ll_i64(&M->E, 0), ""), body, w->step);
    LLVMPositionBuilderAtEnd(b, body);
    run_body(M, w, x, tail_mask(M, n), level);
    LLVMBuildStore(b, LLVMBuildAdd(b, x, n, ""), w->x);
    LLVMBuildBr(b, w->step);
}

static void one_point(em *M, const em_range *r) {
    walk w = {.r = r};
    LLVMBasicBlockRef row = em_block(M, "row"), body = em_block(M, "body");
    int before = M->cur;
    M->pre[before] = LLVMGetInsertBlock(M->E.b);
    LLVMBuildBr(M->E.b, row);
    M->pre[before + 1] = row;
    LLVMPositionBuilderAtEnd(M->E.b, row);
    LLVMBuildBr(M->E.b, body);
    LLVMPositionBuilderAtEnd(M->E.b, body);
    run_body(M, &w, NULL, M->mask, before + 2);
    M->cur = before;
    if (r->row_end) r->row_end(M, r->arg);
}

/* The points of a row: the builder is in a block that is executed once per row. */
static void row_points(em *M, walk *w, int level) {
    LLVMBuilderRef b = M->E.b;
    bool brief = w->r->rows && M->plan->rows >= EMIT_SHORT_ROWS;
    if (w->r->lanes && M->plan->stream == STREAM_ALIKE) {
        LLVMBasicBlockRef align = em_block(M, "boundary");
        LLVMBuildBr(b, align);
        LLVMPositionBuilderAtEnd(b, align);
        align_row(M, w, level + 1);
        M->cur = level;
    } else
        LLVMBuildBr(b, w->step);
    LLVMPositionBuilderAtEnd(b, w->step);
    if (brief)
        short_row(M, w, w->short_mask, level + 1);
    else
        steps(M, w, level + 1);
    M->cur = level;
}

/* Two copies of the code: for segments in which each BELOW has its usual value, and for the
 * others. */
static void segment_points(em *M, walk *w, int level) {
    LLVMBasicBlockRef usual = em_block(M, "usual"), other = em_block(M, "other");
    walk second = *w;
    second.step = em_block(M, "step");
    LLVMBuildCondBr(M->E.b, is_usual(M, level), usual, other);
    M->usual = true;
    for (int copy = 0; copy < 2; copy++) {
        M->pre[level] = copy ? other : usual;
        LLVMPositionBuilderAtEnd(M->E.b, M->pre[level]);
        em_begin_copy(M, level);
        row_points(M, copy ? &second : w, level);
        M->usual = false;
    }
    M->segment = NULL;
}

void em_walk(em *M, const em_range *r) {
    LLVMBuilderRef b = M->E.b;
    walk w = {.r = r};
    int before = M->cur;
    if (!r->n) {
        one_point(M, r);
        return;
    }
    w.head = em_block(M, "head"), w.row = em_block(M, "row"), w.step = em_block(M, "step");
    w.next = em_block(M, "next"), w.done = em_block(M, "done");
    start(M, &w);
    if (r->rows && M->plan->rows >= EMIT_SHORT_ROWS) w.short_mask = short_mask(M, &w);
    M->pre[before] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, w.head);
    LLVMPositionBuilderAtEnd(b, w.head);
    V position = get(M, w.position);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, position, r->hi, ""), w.row, w.done);
    LLVMPositionBuilderAtEnd(b, w.row);
    M->cur = before + 1;
    enter_row(M, &w, position, before + 1);
    if (M->segment)
        segment_points(M, &w, before + 1);
    else
        row_points(M, &w, before + 1);
    LLVMPositionBuilderAtEnd(b, w.next);
    if (r->row_end) r->row_end(M, r->arg);
    advance(M, &w);
    LLVMBuildBr(b, w.head);
    LLVMPositionBuilderAtEnd(b, w.done);
    M->cur = before;
}
