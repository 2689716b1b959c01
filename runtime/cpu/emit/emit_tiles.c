/* Tiled loop nests for programs that read along another dimension than they write: transposes,
 * with or without fused operations.
 *
 * A tile is `tile` rows along the dimension `row_dim`, in which some operands are contiguous, times
 * all lanes along `dim`, in which the results are contiguous. Such an operand is read along its
 * own rows, one short vector per lane, and transposed in registers. The code of a point is
 * emitted once per row of the tile and uses the transposed vectors. The last tiles of both
 * dimensions overlap the previous ones instead of being smaller: the same points are computed
 * twice, from arrays that are not written.
 *
 * A range [lo, hi) counts groups of `tile` rows, and [from, to) are indices along `dim`.
 *
 * Reading order: em_tiles, group, then em_load_transposed for the transpose. */
#include "runtime/cpu/emit/emitter.h"

#include <string.h>

/* ---- transpose in registers ---- */

bool em_is_transposed(const em *M, unsigned array) {
    const kir_array *a = &M->f->arrays[array];
    return M->plan->nest == EMIT_TILES && a->unit >> M->plan->row_dim & 1 &&
           !((a->unit | a->zero) >> M->plan->dim & 1);
}

/* Transposes one short vector per lane (overwritten) into one full vector per row:
 * to[row][part]. */
static void transpose_part(em *M, V *v, V (*to)[2], int part) {
    unsigned rows = M->plan->tile, lanes = M->E.lanes;
    for (unsigned at = 0; at < lanes; at += rows) ll_transpose(&M->E, v + at, rows);
    for (unsigned r = 0; r < rows; r++) {
        for (unsigned n = rows; n < lanes; n *= 2)
            for (unsigned at = 0; at < lanes; at += 2 * n)
                v[at + r] = ll_join(&M->E, v[at + r], v[at + n + r]);
        to[r][part] = v[r];
    }
}

/* Loads a whole tile whose first element is at `at`. */
static void load_tile(em *M, unsigned array, V at) {
    ll *E = &M->E;
    gpa_dtype t = (gpa_dtype)M->f->arrays[array].dtype;
    unsigned parts = dtype_is_complex(t) ? 2 : 1, rows = M->plan->tile;
    LLVMTypeRef type = LLVMVectorType(ll_memory(E, t), rows * parts);
    V v[2][EMIT_TILE], stride = em_stride(M, array, M->plan->dim);
    for (unsigned k = 0; k < E->lanes; k++) {
        V from = em_displace(M, at, LLVMBuildMul(E->b, stride, ll_i64(E, k), ""), t);
        V lane = LLVMBuildLoad2(E->b, type, from, "");
        LLVMSetAlignment(lane, (unsigned)dtype_size(t) / parts);
        v[0][k] = parts == 1 ? lane : ll_every_second(E, lane, 0);
        if (parts == 2) v[1][k] = ll_every_second(E, lane, 1);
    }
    for (unsigned p = 0; p < parts; p++) transpose_part(M, v[p], M->transposed[array], (int)p);
}

ll_val em_load_transposed(em *M, unsigned array, V at) {
    gpa_dtype t = (gpa_dtype)M->f->arrays[array].dtype;
    V *row = M->transposed[array][M->row];
    if (M->row == 0 && !row[0]) load_tile(M, array, at);
    ll_val r = {.t = (uint8_t)t, .vec = true, .v = ll_from_memory(&M->E, t, row[0])};
    if (dtype_is_complex(t)) r.im = row[1];
    return r;
}

/* ---- tiles ---- */

static V smaller(em *M, V a, V b) {
    return LLVMBuildSelect(M->E.b, LLVMBuildICmp(M->E.b, LLVMIntSLT, a, b, ""), a, b, "");
}

/* Emits the code of a point for each row of a tile. */
static void tile(em *M, V first_row, V x, void (*point)(em *M, void *arg)) {
    int dim = M->plan->dim, row_dim = M->plan->row_dim;
    memset(M->transposed, 0, sizeof M->transposed);
    M->lanes_live = true;
    for (M->row = 0; M->row < M->plan->tile; M->row++) {
        LLVMBasicBlockRef inside = em_block(M, "inside");
        M->coord[row_dim] = LLVMBuildAdd(M->E.b, first_row, ll_i64(&M->E, M->row), "");
        M->coord[dim] = x;
        M->coord_level[row_dim] = M->coord_level[dim] = LEVEL_INNER;
        M->pre[LEVEL_INNER] = LLVMGetInsertBlock(M->E.b);
        LLVMBuildBr(M->E.b, inside);
        LLVMPositionBuilderAtEnd(M->E.b, inside);
        em_begin_copy(M, LEVEL_INNER);
        point(M, NULL);
    }
    M->lanes_live = false;
}

/* The tiles of a group of rows. The loop nest counts groups: the group number is the coordinate
 * along `row_dim`. */
static void group(em *M, void *point) {
    LLVMBuilderRef b = M->E.b;
    int before = M->cur;
    V lanes = ll_i64(&M->E, M->E.lanes), rows = ll_i64(&M->E, M->plan->tile),
      x = ll_slot(&M->E, ll_i(&M->E, 64), "x");
    V row = smaller(M, LLVMBuildMul(b, M->coord[M->plan->row_dim], rows, ""),
                    LLVMBuildSub(b, em_size(M, M->plan->row_dim), rows, ""));
    V last = LLVMBuildSub(b, em_size(M, M->plan->dim), lanes, "");
    LLVMBasicBlockRef along = em_block(M, "along"), step = em_block(M, "step"),
                      body = em_block(M, "tile"), done = em_block(M, "done");
    LLVMBuildStore(b, M->from, x);
    M->pre[before] = LLVMGetInsertBlock(b);
    LLVMBuildBr(b, along);
    LLVMPositionBuilderAtEnd(b, along);
    em_begin_copy(M, LEVEL_INNER_ROW);
    LLVMBuildBr(b, step);
    M->pre[LEVEL_INNER_ROW] = along;
    LLVMPositionBuilderAtEnd(b, step);
    V at = LLVMBuildLoad2(b, ll_i(&M->E, 64), x, "");
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntSLT, at, M->to, ""), body, done);
    LLVMPositionBuilderAtEnd(b, body);
    M->cur = LEVEL_INNER;
    tile(M, row, smaller(M, at, last), *(void (**)(em *, void *))point);
    LLVMBuildStore(b, LLVMBuildAdd(b, at, lanes, ""), x);
    LLVMBuildBr(b, step);
    LLVMPositionBuilderAtEnd(b, done);
    M->cur = before;
}

void em_tiles(em *M, void (*point)(em *M, void *arg)) {
    LLVMBuilderRef b = M->E.b;
    em_range r = {.lo = M->lo, .hi = M->hi, .body = group, .arg = (void *)&point};
    for (int d = 0; d < M->f->ndim; d++)
        if (d != M->plan->row_dim && d != M->plan->dim) r.dims[r.n++] = d;
    r.dims[r.n++] = M->plan->row_dim;
    V rows = ll_i64(&M->E, M->plan->tile),
      more = LLVMBuildAdd(b, em_size(M, M->plan->row_dim), ll_i64(&M->E, M->plan->tile - 1), "");
    r.last = LLVMBuildUDiv(b, more, rows, "");
    em_walk(M, &r);
}
