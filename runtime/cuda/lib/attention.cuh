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

extern "C" __global__ void __launch_bounds__(THREADS, MIN_BLOCKS)
    attention(const __grid_constant__ attention_params P) {
    extern __shared__ __align__(16) unsigned char g_dynamic[];
    const unsigned shared_q = shared_address(g_dynamic), shared_k = shared_q + TILE_M * PK * 2,
                   shared_v = shared_k + TILE_N * PK * 2;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const float negative_infinity = __int_as_float((int)0xff800000), LOG2_E = 1.4426950408889634f;

    // The tile of this block. Causal: tiles with the most keys first.
    const int batch = (int)(blockIdx.x / (unsigned)P.blocks_m);
    int tile = (int)(blockIdx.x % (unsigned)P.blocks_m);
#if CAUSAL
    tile = P.blocks_m - 1 - tile;
#endif
    const int first_row = tile * TILE_M;
    long long q_at = first_row * P.q_row, k_at = 0, v_at = 0, mask_at = 0;
    {
        int rest = batch;
#pragma unroll
        for (int d = BATCH_DIMS - 1; d >= 0; d--) {
            const int index = rest % P.extent[d];
            rest /= P.extent[d];
            q_at += index * P.q_step[d];
            k_at += index * P.k_step[d];
            v_at += index * P.v_step[d];
            mask_at += index * P.mask_step[d];
        }
    }
    const unsigned short *const q = P.q + q_at, *const k = P.k + k_at, *const v = P.v + v_at;
    int keys = P.n;
#if CAUSAL
    keys = min(keys, max(first_row + TILE_M + P.diagonal, 0));
#endif
    const int tiles = (keys + TILE_N - 1) / TILE_N;

    float o[M_TILES][V_TILES][4], row_max[M_TILES][2], row_sum[M_TILES][2];
#pragma unroll
    for (int m = 0; m < M_TILES; m++) {
#pragma unroll
        for (int d = 0; d < V_TILES; d++)
#pragma unroll
            for (int i = 0; i < 4; i++) o[m][d][i] = 0;
#pragma unroll
        for (int h = 0; h < 2; h++) row_max[m][h] = negative_infinity, row_sum[m][h] = 0;
    }
    const float scale2 = P.scale * LOG2_E;

    // Addresses of this lane's rows for load_matrices.
    const int q_lane_row = warp * (16 * M_TILES) + lane % 16;
    const unsigned q_address = shared_q + q_lane_row * (PK * 2),
                   q_unit = (lane / 16 ^ swizzle<PK>(q_lane_row)) << 4;
    const int k_lane_row = lane % 8 + lane / 16 * 8;
    const unsigned k_address = shared_k + k_lane_row * (PK * 2),
                   k_unit = (lane / 8 % 2 ^ swizzle<PK>(k_lane_row)) << 4;
    const unsigned v_address = shared_v + lane % 16 * (PV * 2),
                   v_unit = (lane / 16 ^ swizzle<PV>(lane % 16)) << 4;

    load_tile<TILE_M, PK, DK>(shared_q, q, P.q_row, P.q_col, P.m - first_row);
    if (tiles) load_tile<TILE_N, PK, DK>(shared_k, k, P.k_row, P.k_col, P.n);
    copy_async_commit();
#if Q_REGISTERS
    unsigned q_fragments[M_TILES][K_STEPS][4];
    copy_async_wait<0>();
    __syncthreads();
#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int s = 0; s < K_STEPS; s++)
            load_matrices(q_fragments[m][s], q_address + m * (16 * PK * 2) + (s * 32 ^ q_unit));
#endif

#pragma unroll 1
    for (int t = 0; t < tiles; t++) {
        const int first_key = t * TILE_N;
        copy_async_wait<0>();  // k of this tile
        __syncthreads();       // and every warp has read v of the last one
        load_tile<TILE_N, PV, DV>(shared_v, v + first_key * P.v_row, P.v_row, P.v_col,
                                  P.n - first_key);
        copy_async_commit();

        float s[M_TILES][N_TILES][4];
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
                load_matrices(a[m], q_address + m * (16 * PK * 2) + (d * 32 ^ q_unit));
#endif
#pragma unroll
            for (int n = 0; n < N_TILES / 2; n++) {
                unsigned b[4];
                load_matrices(b, k_address + n * (16 * PK * 2) + (d * 32 ^ k_unit));
#pragma unroll
                for (int m = 0; m < M_TILES; m++) {
#if Q_REGISTERS
                    const unsigned(&a_m)[4] = q_fragments[m][d];
#else
                    const unsigned(&a_m)[4] = a[m];
#endif
                    multiply_add(s[m][2 * n], a_m, b[0], b[1]);
                    multiply_add(s[m][2 * n + 1], a_m, b[2], b[3]);
                }
            }
        }

        // Masks. Element i of s[m][n]: row lane / 4 + i / 2 * 8, column 2 (lane % 4) + i % 2.
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
                         || first_key + TILE_N - 1 > first_row + P.diagonal
#endif
            ;
        if (cut || MASK) {
#pragma unroll
            for (int m = 0; m < M_TILES; m++)
#pragma unroll
                for (int n = 0; n < N_TILES; n++)
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const int row = first_row + warp * (16 * M_TILES) + m * 16 + lane / 4 +
                                        i / 2 * 8,
                                  key = first_key + n * 8 + lane % 4 * 2 + i % 2;
                        bool visible = key < P.n;
#if CAUSAL
                        visible = visible && key <= row + P.diagonal;
#endif
#if MASK
                        if (visible && row < P.m) {
                            const long long at = mask_at + row * P.mask_row + key * P.mask_col;
#if MASK == 1
                            s[m][n][i] += ((const float *)P.mask)[at] * LOG2_E;
#else
                            visible = ((const unsigned char *)P.mask)[at] != 0;
#endif
                        }
#endif
                        if (!visible) s[m][n][i] = negative_infinity;
                    }
        }

        copy_async_wait<0>();  // v
        __syncthreads();       // and every warp has read k
        if (t + 1 < tiles)
            load_tile<TILE_N, PK, DK>(shared_k, k + (first_key + TILE_N) * P.k_row, P.k_row,
                                      P.k_col, P.n - first_key - TILE_N);
        copy_async_commit();

        // Online softmax, in powers of 2.
#if PRESCALE || MASK == 1
        const float factor = 1;
#else
        const float factor = scale2;
#endif
#pragma unroll
        for (int m = 0; m < M_TILES; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float high = row_max[m][h];
#pragma unroll
                for (int n = 0; n < N_TILES; n++)
                    high = fmaxf(high, fmaxf(s[m][n][2 * h], s[m][n][2 * h + 1]));
                high = fmaxf(high, __shfl_xor_sync(~0u, high, 1));
                high = fmaxf(high, __shfl_xor_sync(~0u, high, 2));
                const float offset = high == negative_infinity ? 0 : high * factor;
                const float correction = exp2_fast(fmaf(row_max[m][h], factor, -offset));
                float sum = row_sum[m][h] * correction;
                row_max[m][h] = high;
#pragma unroll
                for (int n = 0; n < N_TILES; n++)
#pragma unroll
                    for (int i = 2 * h; i < 2 * h + 2; i++) {
                        s[m][n][i] = exp2_fast(fmaf(s[m][n][i], factor, -offset));
                        sum += s[m][n][i];
                    }
                row_sum[m][h] = sum;
#pragma unroll
                for (int d = 0; d < V_TILES; d++) {
                    o[m][d][2 * h] *= correction;
                    o[m][d][2 * h + 1] *= correction;
                }
            }

            // o += p v. The accumulators of two tiles of scores are one fragment of p.
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
                load_matrices_transposed(b, v_address + n * (16 * PV * 2) + (d * 32 ^ v_unit));
#pragma unroll
                for (int m = 0; m < M_TILES; m++) {
                    multiply_add(o[m][2 * d], p[m], b[0], b[1]);
                    multiply_add(o[m][2 * d + 1], p[m], b[2], b[3]);
                }
            }
        }
    }
    copy_async_wait<0>();

#pragma unroll
    for (int m = 0; m < M_TILES; m++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float sum = row_sum[m][h];
            sum += __shfl_xor_sync(~0u, sum, 1);
            sum += __shfl_xor_sync(~0u, sum, 2);
            const float inverse = 1 / sum;
            const int row = first_row + warp * (16 * M_TILES) + m * 16 + lane / 4 + h * 8;
            if (row >= P.m) continue;
            const long long at = (long long)batch * P.m + row;
#if PRESCALE || MASK == 1
            const float factor = 1;
#else
            const float factor = scale2;
#endif
            if (P.log_sum && lane % 4 == 0)
                P.log_sum[at] = (row_max[m][h] * factor + __log2f(sum)) * 0.6931471805599453f;
            unsigned short *const to = P.o + at * DV;
#pragma unroll
            for (int d = 0; d < V_TILES; d++) {
                const int col = d * 8 + lane % 4 * 2;
                const unsigned pair =
                    pack_halves(o[m][d][2 * h] * inverse, o[m][d][2 * h + 1] * inverse);
                if (DV % 2 == 0) {
                    if (col < DV) *(unsigned *)(to + col) = pair;
                } else {
                    if (col < DV) to[col] = (unsigned short)pair;
                    if (col + 1 < DV) to[col + 1] = (unsigned short)(pair >> 16);
                }
            }
        }
}
