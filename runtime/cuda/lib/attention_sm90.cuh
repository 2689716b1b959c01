// Attention on Hopper (sm_90a): FlashAttention-3 (Shah et al. 2024) for 16-bit elements. A producer
// warp copies tiles of k and v by TMA into a ring of stages; each warpgroup of consumers computes
// 64 query rows by wgmma: the scores of a tile are computed while the product of the last
// probabilities with v runs.
//
// attention.c concatenates tensor_core.cuh and this file after the definitions of attention.cuh's
// macros, and
//   WARPGROUPS   of consumers: TILE_M is 64 WARPGROUPS
//   STAGES       tiles of k and of v in shared memory
//   PINGPONG     1: two warpgroups take turns: one multiplies while the other computes exponentials
// and of the functions wgmma_scores and wgmma_values.
//
// A tile in shared memory consists of panels of 64 columns: rows of 128 bytes in TMA's 128-byte
// swizzle, which wgmma reads.

enum {
    THREADS = 128 * (WARPGROUPS + 1),
    PANELS_K = (DK + 63) / 64,
    PANELS_V = (DV + 63) / 64,
    Q_PANEL = TILE_M * 128,  // bytes
    K_PANEL = TILE_N * 128,
    K_STEPS = (DK + 15) / 16,
    N_TILES = TILE_N / 8,
    V_TILES = PANELS_V * 8,
    BATCH_DIMS = 3
};

struct __align__(64) tensor_map {
    unsigned long long words[16];
};

struct attention_params {
    unsigned short *o;  // contiguous
    float *log_sum;     // of each row: log(sum(exp(scores))), or NULL
    const void *mask;
    long long mask_row, mask_col, mask_step[BATCH_DIMS];  // strides in elements
    int extent[BATCH_DIMS];                               // of the batch, the last one innermost
    int q_step[BATCH_DIMS], k_step[BATCH_DIMS], v_step[BATCH_DIMS];  // 0: broadcast, else 1
    int m, n, diagonal, blocks_m;
    float scale;
};

__device__ __forceinline__ void barrier_init(unsigned barrier, int count) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned barrier, int parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra DONE;\n"
        "bra WAIT;\n"
        "DONE:\n}" ::"r"(barrier),
        "r"(parity)
        : "memory");
}

// The first element of a panel in global memory: column, row, and indices of the batch.
struct box_at {
    int column, row, index[BATCH_DIMS];
};

__device__ __forceinline__ void copy_box(unsigned to, const tensor_map *map, unsigned barrier,
                                         const box_at &at) {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
        "[%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(at.column), "r"(at.row), "r"(at.index[2]), "r"(at.index[1]),
        "r"(at.index[0])
        : "memory");
}

__device__ __forceinline__ void wgmma_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int pending>
__device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}
// Keeps the compiler from moving accesses of registers across a wait.
template <int n>
__device__ __forceinline__ void fence_registers(float (&r)[n]) {
#pragma unroll
    for (int i = 0; i < n; i++) asm volatile("" : "+f"(r[i])::"memory");
}

// A matrix descriptor with the 128-byte swizzle; 8 rows are 1024 bytes.
__device__ __forceinline__ unsigned long long describe(unsigned address, unsigned leading_bytes) {
    return (unsigned long long)((address & 0x3ffff) >> 4) |
           (unsigned long long)(leading_bytes >> 4) << 16 | (unsigned long long)(1024 >> 4) << 32 |
           1ull << 62;
}

#if WARPGROUPS == 1
#define CONSUMER_REGISTERS "240"
#define PRODUCER_REGISTERS "24"
#elif WARPGROUPS == 2
#define CONSUMER_REGISTERS "240"
#define PRODUCER_REGISTERS "24"
#else
#define CONSUMER_REGISTERS "160"
#define PRODUCER_REGISTERS "32"
#endif

#if PRESCALE || MASK == 1
#define FACTOR 1.0f
#else
#define FACTOR scale2
#endif

struct block_tile {
    int batch, first_row, tiles, index[BATCH_DIMS];
};

__device__ __forceinline__ block_tile find_tile(const attention_params &P) {
    block_tile b;
    b.batch = (int)(blockIdx.x / (unsigned)P.blocks_m);
    int tile = (int)(blockIdx.x % (unsigned)P.blocks_m), rest = b.batch, keys = P.n;
#if CAUSAL
    tile = P.blocks_m - 1 - tile;
#endif
    b.first_row = tile * TILE_M;
#pragma unroll
    for (int d = BATCH_DIMS - 1; d >= 0; d--) {
        b.index[d] = rest % P.extent[d];
        rest /= P.extent[d];
    }
#if CAUSAL
    keys = min(keys, max(b.first_row + TILE_M + P.diagonal, 0));
#endif
    b.tiles = (keys + TILE_N - 1) / TILE_N;
    return b;
}

// Masks of a tile of scores. Element i of tile n: row `row` + i / 2 * 8, column 2 (lane % 4) + i %
// 2.
__device__ __forceinline__ void mask_scores(float (&s)[TILE_N / 2], const attention_params &P,
                                            const block_tile &b, int row, int first_key,
                                            float scale2) {
    const int lane = (int)threadIdx.x % 32;
#if PRESCALE || MASK == 1
#pragma unroll
    for (int i = 0; i < TILE_N / 2; i++) s[i] *= scale2;
#endif
    const bool cut = first_key + TILE_N > P.n
#if CAUSAL
                     || first_key + TILE_N - 1 > b.first_row + P.diagonal
#endif
        ;
    if (!cut && !MASK) return;
#if MASK
    long long mask_at = 0;
#pragma unroll
    for (int d = 0; d < BATCH_DIMS; d++) mask_at += b.index[d] * P.mask_step[d];
#endif
#pragma unroll
    for (int n = 0; n < N_TILES; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int r = row + i / 2 * 8, key = first_key + n * 8 + lane % 4 * 2 + i % 2;
            bool visible = key < P.n;
#if CAUSAL
            visible = visible && key <= r + P.diagonal;
#endif
#if MASK
            if (visible && r < P.m) {
                const long long at = mask_at + r * P.mask_row + key * P.mask_col;
#if MASK == 1
                s[4 * n + i] += ((const float *)P.mask)[at] * 1.4426950408889634f;
#else
                visible = ((const unsigned char *)P.mask)[at] != 0;
#endif
            }
#endif
            if (!visible) s[4 * n + i] = __int_as_float((int)0xff800000);
        }
}

// Replaces scores by exp(scores - maximum so far); correction[h] is the factor of what was summed.
__device__ __forceinline__ void online_softmax(float (&s)[TILE_N / 2], float (&row_max)[2],
                                               float (&row_sum)[2], float (&correction)[2],
                                               float scale2) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float high = row_max[h];
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
            high = fmaxf(high, fmaxf(s[4 * n + 2 * h], s[4 * n + 2 * h + 1]));
        high = fmaxf(high, __shfl_xor_sync(~0u, high, 1));
        high = fmaxf(high, __shfl_xor_sync(~0u, high, 2));
        const float offset = high == __int_as_float((int)0xff800000) ? 0 : high * FACTOR;
        correction[h] = exp2_fast(fmaf(row_max[h], FACTOR, -offset));
        row_max[h] = high;
        float sum = row_sum[h] * correction[h];
#pragma unroll
        for (int n = 0; n < N_TILES; n++)
#pragma unroll
            for (int i = 4 * n + 2 * h; i < 4 * n + 2 * h + 2; i++) {
                s[i] = exp2_fast(fmaf(s[i], FACTOR, -offset));
                sum += s[i];
            }
        row_sum[h] = sum;
    }
}

// Addresses in shared memory: panels, and the barriers that say they are full or empty.
struct ring {
    unsigned q, k, v, q_full, k_full, k_empty, v_full, v_empty;
};

__device__ __forceinline__ ring find_ring(const void *panels, const void *barriers) {
    ring r;
    r.q = shared_address(panels);
    r.k = r.q + PANELS_K * Q_PANEL;
    r.v = r.k + STAGES * PANELS_K * K_PANEL;
    r.q_full = shared_address(barriers);
    r.k_full = r.q_full + 8;
    r.k_empty = r.k_full + 8 * STAGES;
    r.v_full = r.k_empty + 8 * STAGES;
    r.v_empty = r.v_full + 8 * STAGES;
    return r;
}

__device__ __forceinline__ void init_barriers(const ring &r) {
    barrier_init(r.q_full, 1);
    for (int i = 0; i < STAGES; i++) {
        barrier_init(r.k_full + 8 * i, 1);
        barrier_init(r.v_full + 8 * i, 1);
        barrier_init(r.k_empty + 8 * i, 4 * WARPGROUPS);
        barrier_init(r.v_empty + 8 * i, 4 * WARPGROUPS);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Copies the panels of one tile, which starts at `row`.
template <int panels, int panel_bytes>
__device__ __forceinline__ void copy_tile(unsigned to, const tensor_map *map, unsigned full,
                                          box_at at, int row) {
    at.row = row;
    barrier_expect(full, panels * panel_bytes);
    for (int p = 0; p < panels; p++) {
        at.column = 64 * p;
        copy_box(to + p * panel_bytes, map, full, at);
    }
}

// The producer: copies q, then tiles of k and v as the consumers leave stages of the ring.
__device__ __forceinline__ void produce(const ring &r, const attention_params &P,
                                        const block_tile &b, const tensor_map *q_map,
                                        const tensor_map *k_map, const tensor_map *v_map) {
    box_at q, k, v;
#pragma unroll
    for (int d = 0; d < BATCH_DIMS; d++) {
        q.index[d] = b.index[d] * P.q_step[d];
        k.index[d] = b.index[d] * P.k_step[d];
        v.index[d] = b.index[d] * P.v_step[d];
    }
    copy_tile<PANELS_K, Q_PANEL>(r.q, q_map, r.q_full, q, b.first_row);
#pragma unroll 1
    for (int t = 0; t < b.tiles; t++) {
        const int stage = t % STAGES, parity = t / STAGES % 2 ^ 1;
        barrier_wait(r.k_empty + 8 * stage, parity);
        copy_tile<PANELS_K, K_PANEL>(r.k + stage * PANELS_K * K_PANEL, k_map, r.k_full + 8 * stage,
                                     k, t * TILE_N);
        barrier_wait(r.v_empty + 8 * stage, parity);
        copy_tile<PANELS_V, K_PANEL>(r.v + stage * PANELS_V * K_PANEL, v_map, r.v_full + 8 * stage,
                                     v, t * TILE_N);
    }
}

__device__ __forceinline__ void multiply_scores(float (&s)[TILE_N / 2], const ring &r,
                                                unsigned long long q_first, int stage) {
    const unsigned long long k_first = describe(r.k + stage * PANELS_K * K_PANEL, 16);
#pragma unroll
    for (int d = 0; d < K_STEPS; d++)
        wgmma_scores(s, q_first + (d / 4 * Q_PANEL + d % 4 * 32) / 16,
                     k_first + (d / 4 * K_PANEL + d % 4 * 32) / 16, d);
    wgmma_commit();
}

typedef unsigned probabilities[TILE_N / 16][4];

__device__ __forceinline__ void multiply_values(float (&o)[V_TILES * 4], const probabilities &p,
                                                const ring &r, int stage) {
    const unsigned long long v_first = describe(r.v + stage * PANELS_V * K_PANEL, K_PANEL);
#pragma unroll
    for (int n = 0; n < TILE_N / 16; n++) wgmma_values(o, p[n], v_first + n * 2048 / 16);
    wgmma_commit();
}

__device__ __forceinline__ void pack(probabilities &p, const float (&s)[TILE_N / 2]) {
#pragma unroll
    for (int n = 0; n < TILE_N / 16; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) p[n][i] = pack_halves(s[8 * n + 2 * i], s[8 * n + 2 * i + 1]);
}

// Two warpgroups take turns at the tensor cores.
__device__ __forceinline__ void turn_wait(int warpgroup) {
#if PINGPONG
    asm volatile("bar.sync %0, 256;" ::"r"(1 + warpgroup) : "memory");
#endif
}
__device__ __forceinline__ void turn_pass(int warpgroup) {
#if PINGPONG
    asm volatile("bar.arrive %0, 256;" ::"r"(2 - warpgroup) : "memory");
#endif
}

// Results and running sums of this thread's two rows.
struct rows_state {
    float o[V_TILES * 4], row_max[2], row_sum[2];
};

__device__ __forceinline__ void consume(rows_state &x, const ring &r, const attention_params &P,
                                        const block_tile &b, int row, float scale2) {
    const int warpgroup = (int)threadIdx.x / 128, lane = (int)threadIdx.x % 32;
    const unsigned long long q_first = describe(r.q + warpgroup * 8192, 16);
    float s[TILE_N / 2], correction[2];
    probabilities p;
    barrier_wait(r.q_full, 0);
    if (PINGPONG && warpgroup == 1) turn_pass(warpgroup);
    if (b.tiles) {
        barrier_wait(r.k_full, 0);
        turn_wait(warpgroup);
        fence_registers(s);
        wgmma_fence();
        multiply_scores(s, r, q_first, 0);
        turn_pass(warpgroup);
        wgmma_wait<0>();
        fence_registers(s);
        if (lane == 0) barrier_arrive(r.k_empty);
        mask_scores(s, P, b, row, 0, scale2);
        online_softmax(s, x.row_max, x.row_sum, correction, scale2);
        pack(p, s);
    }
#pragma unroll 1
    for (int t = 1; t < b.tiles; t++) {
        const int stage = t % STAGES, parity = t / STAGES % 2, last = (t - 1) % STAGES,
                  last_parity = (t - 1) / STAGES % 2;
        barrier_wait(r.k_full + 8 * stage, parity);
        turn_wait(warpgroup);
        fence_registers(s);
        fence_registers(x.o);
        wgmma_fence();
        multiply_scores(s, r, q_first, stage);
        barrier_wait(r.v_full + 8 * last, last_parity);
        multiply_values(x.o, p, r, last);
        turn_pass(warpgroup);
        wgmma_wait<1>();
        fence_registers(s);
        if (lane == 0) barrier_arrive(r.k_empty + 8 * stage);
        mask_scores(s, P, b, row, t * TILE_N, scale2);
        online_softmax(s, x.row_max, x.row_sum, correction, scale2);
        wgmma_wait<0>();
        fence_registers(x.o);
        if (lane == 0) barrier_arrive(r.v_empty + 8 * last);
        pack(p, s);
#pragma unroll
        for (int i = 0; i < V_TILES * 4; i++) x.o[i] *= correction[i / 2 % 2];
    }
    if (b.tiles) {
        const int last = (b.tiles - 1) % STAGES;
        barrier_wait(r.v_full + 8 * last, (b.tiles - 1) / STAGES % 2);
        fence_registers(x.o);
        wgmma_fence();
        multiply_values(x.o, p, r, last);
        wgmma_wait<0>();
        fence_registers(x.o);
    }
}

// Divides by the sums and stores the rows.
__device__ __forceinline__ void store_rows(const rows_state &x, const attention_params &P,
                                           const block_tile &b, int row, float scale2) {
    const int lane = (int)threadIdx.x % 32;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = x.row_sum[h];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        const float inverse = 1 / sum;
        if (row + 8 * h >= P.m) continue;
        const long long at = (long long)b.batch * P.m + row + 8 * h;
        if (P.log_sum && lane % 4 == 0)
            P.log_sum[at] = (x.row_max[h] * FACTOR + __log2f(sum)) * 0.6931471805599453f;
        unsigned short *const to = P.o + at * DV;
#pragma unroll
        for (int d = 0; d < V_TILES; d++) {
            const int col = d * 8 + lane % 4 * 2;
            const unsigned pair =
                pack_halves(x.o[4 * d + 2 * h] * inverse, x.o[4 * d + 2 * h + 1] * inverse);
            if (col < DV) *(unsigned *)(to + col) = pair;
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    attention(const __grid_constant__ attention_params P, const __grid_constant__ tensor_map q_map,
              const __grid_constant__ tensor_map k_map, const __grid_constant__ tensor_map v_map) {
    extern __shared__ __align__(1024) unsigned char g_dynamic[];
    __shared__ __align__(8) unsigned long long barriers[1 + 4 * STAGES];
    const ring r = find_ring(g_dynamic, barriers);
    const int warpgroup = (int)threadIdx.x / 128, lane = (int)threadIdx.x % 32,
              warp = (int)threadIdx.x % 128 / 32;
    const block_tile b = find_tile(P);
    if (threadIdx.x == 0) init_barriers(r);
    __syncthreads();

    if (warpgroup == WARPGROUPS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 " PRODUCER_REGISTERS ";");
        if (!warp && !lane) produce(r, P, b, &q_map, &k_map, &v_map);
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 " CONSUMER_REGISTERS ";");
    const float scale2 = P.scale * 1.4426950408889634f;
    const int row = b.first_row + warpgroup * 64 + warp * 16 + lane / 4;
    rows_state x;
#pragma unroll
    for (int i = 0; i < V_TILES * 4; i++) x.o[i] = 0;
#pragma unroll
    for (int h = 0; h < 2; h++) x.row_max[h] = __int_as_float((int)0xff800000), x.row_sum[h] = 0;
    consume(x, r, P, b, row, scale2);
    store_rows(x, P, b, row, scale2);
}
