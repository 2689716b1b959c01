// Attention: softmax(q k' scale + mask) v for tiles of query rows, with the online softmax over
// tiles of keys (FlashAttention-2, Dao 2023): the scores stay in registers.
//
// attention.c concatenates tensor_core.cuh and this file after the definitions of
//   DK, DV          columns of q and k; of v
//   TILE_M, TILE_N  query rows of a block; keys of a step
//   WARPS           of a block; each computes TILE_M / WARPS rows, a multiple of 16
//   Q_REGISTERS     1: fragments of q stay in registers
//   CAUSAL          1: key j is visible to query i if j <= i + diagonal
//   MASK            0: none; 1: float32, added to the scores; 2: bool, true: visible
//   PRESCALE        1: scores are scaled before the maximum is taken
//   ALIGNED         1: rows are contiguous, start at multiples of 16 bytes, and have a multiple of
//                   8 elements
//   MIN_BLOCKS      resident blocks of a multiprocessor
//
// Shared memory holds q (TILE_M rows), k and v (TILE_N rows each). A row has PK or PV elements; its
// 16-byte units are permuted by the row (XOR swizzle), so that the 8 rows of a matrix lie in
// different banks. A row of scores whose maximum is -infinity gets NaN, as in NumPy.

enum {
    THREADS = 32 * WARPS,
    M_TILES = TILE_M / (16 * WARPS),  // of a warp
    N_TILES = TILE_N / 8,
    K_STEPS = (DK + 15) / 16,
    V_TILES = (DV + 15) / 16 * 2,
    PK = DK <= 32 ? 32 : (DK + 63) / 64 * 64,
    PV = DV <= 32 ? 32 : (DV + 63) / 64 * 64,
    BATCH_DIMS = 4
};

#define LOG2_E 1.4426950408889634f

struct attention_params {
    const unsigned short *q, *k, *v;
    unsigned short *o;  // contiguous
    float *log_sum;     // of each row: log(sum(exp(scores))), or NULL
    const void *mask;
    long long q_row, k_row, v_row, mask_row;  // strides in elements
    long long q_col, k_col, v_col, mask_col;
    long long q_step[BATCH_DIMS], k_step[BATCH_DIMS], v_step[BATCH_DIMS], mask_step[BATCH_DIMS];
    int extent[BATCH_DIMS];  // of the batch, the last one the innermost
    int m, n, diagonal, blocks_m;
    float scale;
};

template <int P>
__device__ __forceinline__ unsigned swizzle(int row) {
    return P == 32 ? (row >> 1) & 3 : row & 7;
}

template <int ROWS, int P, int D>
__device__ __forceinline__ void load_tile(unsigned to, const unsigned short *from,
                                          long long row_stride, long long col_stride, int rows) {
#if ALIGNED
    constexpr int UNITS = P / 8, STEP = THREADS / UNITS;  // rows of a pass
    const int unit = (int)threadIdx.x % UNITS, first = (int)threadIdx.x / UNITS;
    const unsigned short *at = from + first * row_stride + unit * 8;
    const unsigned to_unit = to + first * (P * 2);
    if (THREADS % UNITS && first >= STEP) return;
#pragma unroll
    for (int i = 0; i < (ROWS + STEP - 1) / STEP; i++) {
        const int row = first + i * STEP;
        const bool in = row < rows && (D % 64 == 0 || unit * 8 < D);
        if (ROWS % STEP == 0 || row < ROWS)
            copy_async_16(to_unit + i * (STEP * P * 2) + ((unit ^ swizzle<P>(row)) << 4),
                          in ? at : from, in ? 16 : 0);
        at += STEP * row_stride;
    }
#else
    for (int at = (int)threadIdx.x; at < ROWS * P; at += THREADS) {
        const int row = at / P, col = at % P;
        const bool in = row < rows && col < D;
        store_shared_16bit(
            to + row * (P * 2) + (((col >> 3) ^ swizzle<P>(row)) << 4) + (col & 7) * 2,
            in ? from[row * row_stride + col * col_stride] : (unsigned short)0);
    }
#endif
}

#if PRESCALE || MASK == 1
#define FACTOR 1.0f
#else
#define FACTOR scale2
#endif

// The tile of a block, and where its operands start.
struct block_tile {
    int batch, first_row, tiles;
    const unsigned short *q, *k, *v;
    long long mask_at;
};

// Causal: tiles with the most keys first.
__device__ __forceinline__ block_tile find_tile(const attention_params &P) {
    block_tile b;
    b.batch = (int)(blockIdx.x / (unsigned)P.blocks_m);
    int tile = (int)(blockIdx.x % (unsigned)P.blocks_m), rest = b.batch, keys = P.n;
#if CAUSAL
    tile = P.blocks_m - 1 - tile;
#endif
    b.first_row = tile * TILE_M;
    long long q_at = b.first_row * P.q_row, k_at = 0, v_at = 0;
    b.mask_at = 0;
#pragma unroll
    for (int d = BATCH_DIMS - 1; d >= 0; d--) {
        const int index = rest % P.extent[d];
        rest /= P.extent[d];
        q_at += index * P.q_step[d];
        k_at += index * P.k_step[d];
        v_at += index * P.v_step[d];
        b.mask_at += index * P.mask_step[d];
    }
    b.q = P.q + q_at, b.k = P.k + k_at, b.v = P.v + v_at;
#if CAUSAL
    keys = min(keys, max(b.first_row + TILE_M + P.diagonal, 0));
#endif
    b.tiles = (keys + TILE_N - 1) / TILE_N;
    return b;
}

// Addresses of a lane's rows in shared memory, for load_matrices, and the permutation of their
// units; fragments of q in registers.
struct lane_rows {
    unsigned q, q_unit, k, k_unit, v, v_unit;
#if Q_REGISTERS
    unsigned fragments[M_TILES][K_STEPS][4];
#endif
};

__device__ __forceinline__ void find_rows(lane_rows &r, unsigned shared_q, unsigned shared_k,
                                          unsigned shared_v) {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int q_row = warp * (16 * M_TILES) + lane % 16, k_row = lane % 8 + lane / 16 * 8;
    r.q = shared_q + q_row * (PK * 2);
    r.q_unit = (lane / 16 ^ swizzle<PK>(q_row)) << 4;
    r.k = shared_k + k_row * (PK * 2);
    r.k_unit = (lane / 8 % 2 ^ swizzle<PK>(k_row)) << 4;
    r.v = shared_v + lane % 16 * (PV * 2);
    r.v_unit = (lane / 16 ^ swizzle<PV>(lane % 16)) << 4;
}

// Results and running sums of a warp's rows: element i of a tile belongs to row lane / 4 + i / 2 *
// 8 of its 16, column 2 (lane % 4) + i % 2 of its 8.
struct rows_state {
    float o[M_TILES][V_TILES][4], row_max[M_TILES][2], row_sum[M_TILES][2];
};
typedef float score_tiles[M_TILES][N_TILES][4];

__device__ __forceinline__ void clear(rows_state &x) {
#pragma unroll
    for (int m = 0; m < M_TILES; m++) {
#pragma unroll
        for (int d = 0; d < V_TILES; d++)
#pragma unroll
            for (int i = 0; i < 4; i++) x.o[m][d][i] = 0;
#pragma unroll
        for (int h = 0; h < 2; h++)
            x.row_max[m][h] = __int_as_float((int)0xff800000), x.row_sum[m][h] = 0;
    }
}

// s = q k'
__device__ __forceinline__ void multiply_scores(score_tiles &s, const lane_rows &r) {
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) s[m][n][i] = 0;
#pragma unroll
    for (int d = 0; d < K_STEPS; d++) {
#if !Q_REGISTERS
        unsigned a[M_TILES][4];
#pragma unroll
        for (int m = 0; m < M_TILES; m++)
            load_matrices(a[m], r.q + m * (16 * PK * 2) + (d * 32 ^ r.q_unit));
#endif
#pragma unroll
        for (int n = 0; n < N_TILES / 2; n++) {
            unsigned b[4];
            load_matrices(b, r.k + n * (16 * PK * 2) + (d * 32 ^ r.k_unit));
#pragma unroll
            for (int m = 0; m < M_TILES; m++) {
#if Q_REGISTERS
                const unsigned(&a_m)[4] = r.fragments[m][d];
#else
                const unsigned(&a_m)[4] = a[m];
#endif
                multiply_add(s[m][2 * n], a_m, b[0], b[1]);
                multiply_add(s[m][2 * n + 1], a_m, b[2], b[3]);
            }
        }
    }
}

// Masks of a tile of scores.
__device__ __forceinline__ void mask_scores(score_tiles &s, const attention_params &P,
                                            const block_tile &b, int first_key, float scale2) {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
#if PRESCALE || MASK == 1
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) s[m][n][i] *= scale2;
#endif
    const bool cut = first_key + TILE_N > P.n
#if CAUSAL
                     || first_key + TILE_N - 1 > b.first_row + P.diagonal
#endif
        ;
    if (!cut && !MASK) return;
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int row = b.first_row + warp * (16 * M_TILES) + m * 16 + lane / 4 + i / 2 * 8,
                          key = first_key + n * 8 + lane % 4 * 2 + i % 2;
                bool visible = key < P.n;
#if CAUSAL
                visible = visible && key <= row + P.diagonal;
#endif
#if MASK
                if (visible && row < P.m) {
                    const long long at = b.mask_at + row * P.mask_row + key * P.mask_col;
#if MASK == 1
                    s[m][n][i] += ((const float *)P.mask)[at] * LOG2_E;
#else
                    visible = ((const unsigned char *)P.mask)[at] != 0;
#endif
                }
#endif
                if (!visible) s[m][n][i] = __int_as_float((int)0xff800000);
            }
}

// Replaces scores by exp(scores - maximum so far), in powers of 2, and corrects what was summed.
__device__ __forceinline__ void online_softmax(score_tiles &s, rows_state &x, float scale2) {
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float high = x.row_max[m][h];
#pragma unroll
            for (int n = 0; n < N_TILES; n++)
                high = fmaxf(high, fmaxf(s[m][n][2 * h], s[m][n][2 * h + 1]));
            high = fmaxf(high, __shfl_xor_sync(~0u, high, 1));
            high = fmaxf(high, __shfl_xor_sync(~0u, high, 2));
            const float offset = high == __int_as_float((int)0xff800000) ? 0 : high * FACTOR;
            const float correction = exp2_fast(fmaf(x.row_max[m][h], FACTOR, -offset));
            float sum = x.row_sum[m][h] * correction;
            x.row_max[m][h] = high;
#pragma unroll
            for (int n = 0; n < N_TILES; n++)
#pragma unroll
                for (int i = 2 * h; i < 2 * h + 2; i++) {
                    s[m][n][i] = exp2_fast(fmaf(s[m][n][i], FACTOR, -offset));
                    sum += s[m][n][i];
                }
            x.row_sum[m][h] = sum;
#pragma unroll
            for (int d = 0; d < V_TILES; d++) {
                x.o[m][d][2 * h] *= correction;
                x.o[m][d][2 * h + 1] *= correction;
            }
        }
}

// o += p v. The accumulators of two tiles of scores are one fragment of p.
__device__ __forceinline__ void add_values(rows_state &x, const score_tiles &s,
                                           const lane_rows &r) {
#pragma unroll
    for (int n = 0; n < N_TILES / 2; n++) {
        unsigned p[M_TILES][4];
#pragma unroll
        for (int m = 0; m < M_TILES; m++) {
            p[m][0] = pack_halves(s[m][2 * n][0], s[m][2 * n][1]);
            p[m][1] = pack_halves(s[m][2 * n][2], s[m][2 * n][3]);
            p[m][2] = pack_halves(s[m][2 * n + 1][0], s[m][2 * n + 1][1]);
            p[m][3] = pack_halves(s[m][2 * n + 1][2], s[m][2 * n + 1][3]);
        }
#pragma unroll
        for (int d = 0; d < V_TILES / 2; d++) {
            unsigned b[4];
            load_matrices_transposed(b, r.v + n * (16 * PV * 2) + (d * 32 ^ r.v_unit));
#pragma unroll
            for (int m = 0; m < M_TILES; m++) {
                multiply_add(x.o[m][2 * d], p[m], b[0], b[1]);
                multiply_add(x.o[m][2 * d + 1], p[m], b[2], b[3]);
            }
        }
    }
}

// Divides by the sums and stores the rows.
__device__ __forceinline__ void store_rows(const rows_state &x, const attention_params &P,
                                           const block_tile &b, float scale2) {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = x.row_sum[m][h];
            sum += __shfl_xor_sync(~0u, sum, 1);
            sum += __shfl_xor_sync(~0u, sum, 2);
            const float inverse = 1 / sum;
            const int row = b.first_row + warp * (16 * M_TILES) + m * 16 + lane / 4 + h * 8;
            if (row >= P.m) continue;
            const long long at = (long long)b.batch * P.m + row;
            if (P.log_sum && lane % 4 == 0)
                P.log_sum[at] = (x.row_max[m][h] * FACTOR + __log2f(sum)) * 0.6931471805599453f;
            unsigned short *const to = P.o + at * DV;
#pragma unroll
            for (int d = 0; d < V_TILES; d++) {
                const int col = d * 8 + lane % 4 * 2;
                const unsigned pair =
                    pack_halves(x.o[m][d][2 * h] * inverse, x.o[m][d][2 * h + 1] * inverse);
                if (DV % 2 == 0) {
                    if (col < DV) *(unsigned *)(to + col) = pair;
                } else {
                    if (col < DV) to[col] = (unsigned short)pair;
                    if (col + 1 < DV) to[col + 1] = (unsigned short)(pair >> 16);
                }
            }
        }
}

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention(const __grid_constant__ attention_params P) {
    extern __shared__ __align__(16) unsigned char g_dynamic[];
    const unsigned shared_q = shared_address(g_dynamic), shared_k = shared_q + TILE_M * PK * 2,
                   shared_v = shared_k + TILE_N * PK * 2;
    const block_tile b = find_tile(P);
    const float scale2 = P.scale * LOG2_E;
    rows_state x;
    lane_rows r;
    clear(x);
    find_rows(r, shared_q, shared_k, shared_v);

    load_tile<TILE_M, PK, DK>(shared_q, b.q, P.q_row, P.q_col, P.m - b.first_row);
    if (b.tiles) load_tile<TILE_N, PK, DK>(shared_k, b.k, P.k_row, P.k_col, P.n);
    copy_async_commit();
#if Q_REGISTERS
    copy_async_wait<0>();
    __syncthreads();
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int s = 0; s < K_STEPS; s++)
            load_matrices(r.fragments[m][s], r.q + m * (16 * PK * 2) + (s * 32 ^ r.q_unit));
#endif

#pragma unroll 1
    for (int t = 0; t < b.tiles; t++) {
        const int first_key = t * TILE_N;
        score_tiles s;
        copy_async_wait<0>();  // k of this tile
        __syncthreads();       // and every warp has read v of the last one
        load_tile<TILE_N, PV, DV>(shared_v, b.v + first_key * P.v_row, P.v_row, P.v_col,
                                  P.n - first_key);
        copy_async_commit();
        multiply_scores(s, r);
        mask_scores(s, P, b, first_key, scale2);

        copy_async_wait<0>();  // v
        __syncthreads();       // and every warp has read k
        if (t + 1 < b.tiles)
            load_tile<TILE_N, PK, DK>(shared_k, b.k + (first_key + TILE_N) * P.k_row, P.k_row,
                                      P.k_col, P.n - first_key - TILE_N);
        copy_async_commit();
        online_softmax(s, x, scale2);
        add_values(x, s, r);
    }
    copy_async_wait<0>();
    store_rows(x, P, b, scale2);
}
