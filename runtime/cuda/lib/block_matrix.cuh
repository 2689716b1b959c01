// Factorizations of matrices of more than 32 rows or columns that fit in shared memory: BLOCK_QR or
// BLOCK_SVD (see elements.cuh).
//
// A block factorizes one matrix, which is column-major in shared memory; a warp takes a column, or
// a pair, and its lanes adjacent elements.

#if BLOCK_QR || BLOCK_SVD
enum { THREADS = 32 * WARPS, EACH = (M + 31) / 32 };

__device__ elem *shared_matrix() {
    extern __shared__ __align__(16) unsigned char g_dynamic[];
    return (elem *)g_dynamic;
}

__device__ elem inner(const elem *x, const elem *y, int lane) {
    elem sum = of_real(0);
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (lane + 32 * e < M) sum = sum + conj(x[lane + 32 * e]) * y[lane + 32 * e];
    return warp_sum(sum);
}

__device__ real norm2(const elem *x, int lane) {
    real sum = 0;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (lane + 32 * e < M) sum += square(x[lane + 32 * e]);
    return warp_sum(sum);
}
#endif

#if BLOCK_QR
enum { P = M < N ? M : N };

// Replaces column k, from the diagonal on, by R's element and, below it, the Householder reflector.
__device__ elem reduce(elem *x, int k, int lane) {
    real total = 0, big = 0, squares = 0;
    for (int i = k + 1 + lane; i < M; i += 32) {
        total += abs1(x[i]);
        big = abs1(x[i]) > big ? abs1(x[i]) : big;
    }
    total = warp_sum(total);
    for (int d = 16; d; d /= 2) big = fmax(big, __shfl_xor_sync(ALL, big, d));
    real one = reciprocal_scale(big), down = 1 / (big * one);
    for (int i = k + 1 + lane; i < M; i += 32) squares += square(x[i] * one * down);
    reflection r = reflection_of(x[k], total == 0 ? 0 : big * sqrt(warp_sum(squares)));
    for (int i = k + 1 + lane; i < M; i += 32) x[i] = x[i] * r.up * r.scale;
    __syncwarp();
    if (lane == 0) x[k] = of_real(r.beta);
    return r.tau;
}

// Applies the reflector in column k of v to x, whose elements are distributed among the lanes.
__device__ void reflect(elem *x, const elem *v, int k, elem tau, int lane) {
    elem of[EACH], w = of_real(0);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int i = lane + 32 * e;
        of[e] = of_real(i == k);
        if (i > k && i < M) of[e] = v[i];
        w = w + conj(of[e]) * x[e];
    }
    w = tau * warp_sum(w);
#pragma unroll
    for (int e = 0; e < EACH; e++) x[e] = x[e] - of[e] * w;
}

__device__ void take(elem *x, const elem *from, int lane) {
#pragma unroll
    for (int e = 0; e < EACH; e++) x[e] = lane + 32 * e < M ? from[lane + 32 * e] : of_real(0);
}

__device__ void put(elem *to, const elem *x, int lane) {
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (lane + 32 * e < M) to[lane + 32 * e] = x[e];
}

// a: column-major M x N; becomes R and, below it, the reflectors; tau: their factors; q: M x
// columns, or null.
extern "C" __global__ void __launch_bounds__(THREADS)
    block_qr(elem *a, elem *tau, elem *q, int columns, long long) {
    __shared__ elem factors[P];
    elem *at = shared_matrix(), x[EACH];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    a += (long long)blockIdx.x * M * N;
    for (int i = (int)threadIdx.x; i < M * N; i += THREADS) at[i] = a[i];
    __syncthreads();
    for (int k = 0; k < P; k++) {
        if (warp == 0) {
            elem factor = reduce(at + k * M, k, lane);
            if (lane == 0) factors[k] = factor;
        }
        __syncthreads();
        for (int j = k + 1 + warp; j < N; j += WARPS) {
            take(x, at + j * M, lane);
            reflect(x, at + k * M, k, conj(factors[k]), lane);
            put(at + j * M, x, lane);
        }
        __syncthreads();
    }
    for (int i = (int)threadIdx.x; i < M * N; i += THREADS) a[i] = at[i];
    if (threadIdx.x < P) tau[(long long)blockIdx.x * P + threadIdx.x] = factors[threadIdx.x];
    if (!q) return;
    q += (long long)blockIdx.x * M * columns;
    for (int j = warp; j < columns; j += WARPS) {
#pragma unroll
        for (int e = 0; e < EACH; e++) x[e] = of_real(lane + 32 * e == j);
        for (int k = j < P ? j : P - 1; k >= 0; k--)
            reflect(x, at + k * M, k, factors[k], lane);  // later reflectors leave this axis
        put(q + (long long)j * M, x, lane);
    }
}

#elif BLOCK_SVD
// One-sided Jacobi (as in warp_matrix.cuh): in a round each warp rotates pairs of columns.
enum { EVEN = (N + 1) / 2 * 2, SWEEPS = 40 };

struct shared_state {
    real length[N];            // squared norms of the columns; then the norms
    int rotated, unconverged;  // in this sweep: some pair was rotated; was far from orthogonal
    bool nonzero[COLUMNS];     // the column has a direction
    real rows[M];              // squared norm of each axis projected onto the columns
    elem rest[M], with[COLUMNS];
};

// Makes the columns x orthogonal, and rotates the columns v of the matrix ROTATED x N with them.
// Columns of negligible norm, whose directions are rounding errors, are left. False: did not
// converge.
__device__ bool orthogonalize(elem *x, elem *v, shared_state &f, int lane, int warp) {
    const real limit = epsilon * (1 + sqrt((real)M));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int c = warp; c < N; c += WARPS) {
            real length = norm2(x + c * M, lane);
            if (lane == 0) f.length[c] = length;
        }
        if (threadIdx.x == 0) f.rotated = f.unconverged = 0;
        __syncthreads();
        real floor = 0;
        for (int c = 0; c < N; c++) floor = fmax(floor, f.length[c]);
        floor *= (negligible / 8) * (negligible / 8);
        __syncthreads();
        for (int round = 0; round + 1 < EVEN; round++) {
            for (int p = warp; p < EVEN / 2; p += WARPS) {  // round-robin tournament (partner_of)
                int i = (round + p) % (EVEN - 1),
                    j = p ? (round - p + EVEN - 1) % (EVEN - 1) : EVEN - 1, low = i < j ? i : j,
                    high = i < j ? j : i;
                if (high >= N) continue;
                real alpha = f.length[low], beta = f.length[high];
                elem dot = inner(x + low * M, x + high * M, lane);
                real size = size_of(dot), least = limit * sqrt(alpha) * sqrt(beta);
                if (!(size > least && alpha > floor && beta > floor)) continue;
                rotation r = rotation_of(alpha, beta, dot, size);
                for (int k = lane; k < M; k += 32) {
                    elem a = x[low * M + k], b = x[high * M + k];
                    x[low * M + k] = a - (a * r.one_minus_c + conj(r.part) * b);
                    x[high * M + k] = b + (r.part * a - b * r.one_minus_c);
                }
                for (int k = lane; k < ROTATED; k += 32) {
                    elem a = v[low * N + k], b = v[high * N + k];
                    v[low * N + k] = a - (a * r.one_minus_c + conj(r.part) * b);
                    v[high * N + k] = b + (r.part * a - b * r.one_minus_c);
                }
                __syncwarp();
                if (lane) continue;
                f.length[low] = alpha - r.growth;
                f.length[high] = beta + r.growth;
                f.rotated = 1;
                if (size > 1000 * least) f.unconverged = 1;
            }
            __syncthreads();
        }
        bool rotated = f.rotated, unconverged = f.unconverged;
        __syncthreads();
        if (!rotated || sweep + 1 == SWEEPS) return !unconverged;
    }
    return false;
}

// Replaces columns of negligible norm by unit vectors orthogonal to all others: Gram-Schmidt,
// twice, of the axis that has the smallest projection onto them.
__device__ void complete(elem *x, shared_state &f, int lane, int warp) {
    int me = (int)threadIdx.x;
    for (int c = 0; c < COLUMNS; c++) {
        if (f.nonzero[c]) continue;
        for (int i = me; i < M; i += THREADS) {
            real length = 0;
            for (int k = 0; k < COLUMNS; k++)
                length += f.nonzero[k] ? square(x[k * M + i]) : (real)0;
            f.rows[i] = length;
        }
        __syncthreads();
        int axis = 0;
        for (int i = 1; i < M; i++)
            if (f.rows[i] < f.rows[axis]) axis = i;
        for (int i = me; i < M; i += THREADS) f.rest[i] = of_real(i == axis);
        __syncthreads();
        for (int twice = 0; twice < 2; twice++) {
            for (int k = warp; k < COLUMNS; k += WARPS) {
                elem with = f.nonzero[k] ? inner(x + k * M, f.rest, lane) : of_real(0);
                if (lane == 0) f.with[k] = with;
            }
            __syncthreads();
            for (int i = me; i < M; i += THREADS) {
                elem rest = f.rest[i];
                for (int k = 0; k < COLUMNS; k++)
                    if (f.nonzero[k]) rest = rest - x[k * M + i] * f.with[k];
                f.rest[i] = rest;
            }
            __syncthreads();
        }
        real length = sqrt(norm2(f.rest, lane));
        for (int i = me; i < M; i += THREADS)
            x[c * M + i] = of_parts(real_of(f.rest[i]) / length, imag_of(f.rest[i]) / length);
        if (me == 0) f.nonzero[c] = true;
        __syncthreads();
    }
}

// a: column-major M x N, M >= N; values: descending singular values; u: M x COLUMNS, vh: N x N
// (both null: values only).
extern "C" __global__ void __launch_bounds__(THREADS)
    block_svd(const elem *a, real *values, elem *u, elem *vh, long long, verdict *failure) {
    __shared__ shared_state f;
    elem *x = shared_matrix(), *v = x + COLUMNS * M;
    int me = (int)threadIdx.x, lane = me % 32, warp = me / 32;
    long long matrix = blockIdx.x;
    a += matrix * M * N;
    for (int i = me; i < M * N; i += THREADS) x[i] = a[i];
    for (int i = me; i < ROTATED * N; i += THREADS) v[i] = of_real(i / N == i % N);
    __syncthreads();
    bool done = orthogonalize(x, v, f, lane, warp);
    if (warp == 0) report_failure(failure, matrix, !done, lane);
    for (int c = warp; c < N; c += WARPS) {
        real length = sqrt(norm2(x + c * M, lane));
        if (lane == 0) f.length[c] = length;
    }
    __syncthreads();
    real top = 0;
    for (int c = 0; c < N; c++) top = fmax(top, f.length[c]);
    for (int c = warp; c < COLUMNS; c += WARPS) {
        real length = c < N ? f.length[c] : 0;
        bool nonzero = length > top * negligible;
        if (lane == 0) f.nonzero[c] = nonzero;
        for (int i = lane; i < M && nonzero && ROTATED; i += 32)
            x[c * M + i] = of_parts(real_of(x[c * M + i]) / length, imag_of(x[c * M + i]) / length);
    }
    __syncthreads();
    if (ROTATED) complete(x, f, lane, warp);
    for (int c = warp; c < COLUMNS; c += WARPS) {
        int position = c < N ? 0 : c;  // in descending order, stable
        for (int k = 0; k < N && c < N; k++)
            position += f.length[k] > f.length[c] || (f.length[k] == f.length[c] && k < c);
        if (c < N && lane == 0) values[matrix * N + position] = f.length[c];
        if (!ROTATED) continue;
        for (int i = lane; i < M; i += 32) u[(matrix * COLUMNS + position) * M + i] = x[c * M + i];
        for (int i = lane; i < N && c < N; i += 32)
            vh[(matrix * N + i) * N + position] = conj(v[c * N + i]);
    }
}
#endif
