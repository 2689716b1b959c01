// Factorizations of matrices of more than 32 rows or columns that fit in shared memory: BLOCK_QR or
// BLOCK_SVD (see elements.cuh).
//
// A block factorizes one matrix, which is column-major in shared memory. A warp processes a column
// or a pair of columns; its lanes access adjacent elements.

#if BLOCK_QR || BLOCK_SVD
enum { THREADS = 32 * WARPS, ELEMS_PER_LANE = (M + 31) / 32 };

__device__ elem *shared_matrix() {
    extern __shared__ __align__(16) unsigned char g_dynamic[];
    return (elem *)g_dynamic;
}

__device__ elem inner(const elem *x, const elem *y, int lane) {
    elem sum = of_real(0);
#pragma unroll
    for (int e = 0; e < ELEMS_PER_LANE; e++)
        if (lane + 32 * e < M) sum = sum + conj(x[lane + 32 * e]) * y[lane + 32 * e];
    return warp_sum(sum);
}

__device__ real norm2(const elem *x, int lane) {
    real sum = 0;
#pragma unroll
    for (int e = 0; e < ELEMS_PER_LANE; e++)
        if (lane + 32 * e < M) sum += square(x[lane + 32 * e]);
    return warp_sum(sum);
}
#endif

#if BLOCK_QR
enum { P = M < N ? M : N };

// Replaces column k, from the diagonal on, by the diagonal element of R and, below it, the
// Householder reflector.
__device__ elem reduce_column(elem *x, int k, int lane) {
    real norm1 = 0, largest = 0, sum_squares = 0;
    for (int i = k + 1 + lane; i < M; i += 32) {
        norm1 += abs1(x[i]);
        largest = abs1(x[i]) > largest ? abs1(x[i]) : largest;
    }
    norm1 = warp_sum(norm1);
    for (int d = 16; d; d /= 2) largest = fmax(largest, __shfl_xor_sync(ALL, largest, d));
    real prescale = reciprocal_scale(largest), inverse_largest = 1 / (largest * prescale);
    for (int i = k + 1 + lane; i < M; i += 32)
        sum_squares += square(x[i] * prescale * inverse_largest);
    reflection r = reflection_of(x[k], norm1 == 0 ? 0 : largest * sqrt(warp_sum(sum_squares)));
    for (int i = k + 1 + lane; i < M; i += 32) x[i] = x[i] * r.prescale * r.scale;
    __syncwarp();
    if (lane == 0) x[k] = of_real(r.beta);
    return r.tau;
}

// Applies the reflector in column k of v to x, whose elements are distributed among the lanes.
__device__ void reflect(elem *x, const elem *v, int k, elem tau, int lane) {
    elem vk[ELEMS_PER_LANE], w = of_real(0);
#pragma unroll
    for (int e = 0; e < ELEMS_PER_LANE; e++) {
        int i = lane + 32 * e;
        vk[e] = of_real(i == k);
        if (i > k && i < M) vk[e] = v[i];
        w = w + conj(vk[e]) * x[e];
    }
    w = tau * warp_sum(w);
#pragma unroll
    for (int e = 0; e < ELEMS_PER_LANE; e++) x[e] = x[e] - vk[e] * w;
}

__device__ void load_column(elem *x, const elem *column, int lane) {
#pragma unroll
    for (int e = 0; e < ELEMS_PER_LANE; e++)
        x[e] = lane + 32 * e < M ? column[lane + 32 * e] : of_real(0);
}

__device__ void store_column(elem *column, const elem *x, int lane) {
#pragma unroll
    for (int e = 0; e < ELEMS_PER_LANE; e++)
        if (lane + 32 * e < M) column[lane + 32 * e] = x[e];
}

// a: column-major M x N; becomes R and, below it, the reflectors; tau: their factors; q: M x
// columns, or null.
extern "C" __global__ void __launch_bounds__(THREADS)
    block_qr(elem *a, elem *tau, elem *q, int columns, long long) {
    __shared__ elem factors[P];
    elem *tile = shared_matrix(), x[ELEMS_PER_LANE];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    a += (long long)blockIdx.x * M * N;
    for (int i = (int)threadIdx.x; i < M * N; i += THREADS) tile[i] = a[i];
    __syncthreads();
    for (int k = 0; k < P; k++) {
        if (warp == 0) {
            elem factor = reduce_column(tile + k * M, k, lane);
            if (lane == 0) factors[k] = factor;
        }
        __syncthreads();
        for (int j = k + 1 + warp; j < N; j += WARPS) {
            load_column(x, tile + j * M, lane);
            reflect(x, tile + k * M, k, conj(factors[k]), lane);
            store_column(tile + j * M, x, lane);
        }
        __syncthreads();
    }
    for (int i = (int)threadIdx.x; i < M * N; i += THREADS) a[i] = tile[i];
    if (threadIdx.x < P) tau[(long long)blockIdx.x * P + threadIdx.x] = factors[threadIdx.x];
    if (!q) return;
    q += (long long)blockIdx.x * M * columns;
    for (int j = warp; j < columns; j += WARPS) {
#pragma unroll
        for (int e = 0; e < ELEMS_PER_LANE; e++) x[e] = of_real(lane + 32 * e == j);
        for (int k = j < P ? j : P - 1; k >= 0; k--)
            reflect(x, tile + k * M, k, factors[k],
                    lane);  // later reflectors do not change this axis
        store_column(q + (long long)j * M, x, lane);
    }
}

#elif BLOCK_SVD
// One-sided Jacobi (as in warp_matrix.cuh): in a round each warp rotates pairs of columns.
enum { EVEN = (N + 1) / 2 * 2, SWEEPS = 40 };

struct shared_state {
    real norm[N];              // squared norms of the columns; at the end the norms
    int rotated, unconverged;  // in this sweep: a pair was rotated; was far from orthogonal
    bool nonzero[COLUMNS];     // the norm of the column is not negligible
    real projection[M];        // per axis: the squared norm of its projection onto the columns
    elem residual[M], coefficient[COLUMNS];
};

// Makes the columns x orthogonal, and rotates the columns v of the matrix ROTATED x N with them.
// Columns of negligible norm, whose directions are rounding errors, are skipped. False: did not
// converge.
__device__ bool orthogonalize(elem *x, elem *v, shared_state &s, int lane, int warp) {
    const real limit = epsilon * (1 + sqrt((real)M));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int c = warp; c < N; c += WARPS) {
            real norm = norm2(x + c * M, lane);
            if (lane == 0) s.norm[c] = norm;
        }
        if (threadIdx.x == 0) s.rotated = s.unconverged = 0;
        __syncthreads();
        real negligible_norm = 0;
        for (int c = 0; c < N; c++) negligible_norm = fmax(negligible_norm, s.norm[c]);
        negligible_norm *= (negligible / 8) * (negligible / 8);
        __syncthreads();
        for (int round = 0; round + 1 < EVEN; round++) {
            for (int p = warp; p < EVEN / 2; p += WARPS) {  // round-robin tournament (partner_of)
                int i = (round + p) % (EVEN - 1),
                    j = p ? (round - p + EVEN - 1) % (EVEN - 1) : EVEN - 1, low = i < j ? i : j,
                    high = i < j ? j : i;
                if (high >= N) continue;
                real alpha = s.norm[low], beta = s.norm[high];
                elem dot = inner(x + low * M, x + high * M, lane);
                real dot_abs = size_of(dot), threshold = limit * sqrt(alpha) * sqrt(beta);
                if (!(dot_abs > threshold && alpha > negligible_norm && beta > negligible_norm))
                    continue;
                rotation r = rotation_of(alpha, beta, dot, dot_abs);
                for (int k = lane; k < M; k += 32) {
                    elem a = x[low * M + k], b = x[high * M + k];
                    x[low * M + k] = a - (a * r.one_minus_c + conj(r.sine) * b);
                    x[high * M + k] = b + (r.sine * a - b * r.one_minus_c);
                }
                for (int k = lane; k < ROTATED; k += 32) {
                    elem a = v[low * N + k], b = v[high * N + k];
                    v[low * N + k] = a - (a * r.one_minus_c + conj(r.sine) * b);
                    v[high * N + k] = b + (r.sine * a - b * r.one_minus_c);
                }
                __syncwarp();
                if (lane) continue;
                s.norm[low] = alpha - r.growth;
                s.norm[high] = beta + r.growth;
                s.rotated = 1;
                if (dot_abs > 1000 * threshold) s.unconverged = 1;
            }
            __syncthreads();
        }
        bool rotated = s.rotated, unconverged = s.unconverged;
        __syncthreads();
        if (!rotated || sweep + 1 == SWEEPS) return !unconverged;
    }
    return false;
}

// Replaces columns of negligible norm by unit vectors orthogonal to all others: Gram-Schmidt with
// reorthogonalization of the axis that has the smallest projection onto them.
__device__ void complete_basis(elem *x, shared_state &s, int lane, int warp) {
    int thread = (int)threadIdx.x;
    for (int c = 0; c < COLUMNS; c++) {
        if (s.nonzero[c]) continue;
        for (int i = thread; i < M; i += THREADS) {
            real norm = 0;
            for (int k = 0; k < COLUMNS; k++) norm += s.nonzero[k] ? square(x[k * M + i]) : (real)0;
            s.projection[i] = norm;
        }
        __syncthreads();
        int axis = 0;
        for (int i = 1; i < M; i++)
            if (s.projection[i] < s.projection[axis]) axis = i;
        for (int i = thread; i < M; i += THREADS) s.residual[i] = of_real(i == axis);
        __syncthreads();
        for (int pass = 0; pass < 2; pass++) {
            for (int k = warp; k < COLUMNS; k += WARPS) {
                elem coefficient = s.nonzero[k] ? inner(x + k * M, s.residual, lane) : of_real(0);
                if (lane == 0) s.coefficient[k] = coefficient;
            }
            __syncthreads();
            for (int i = thread; i < M; i += THREADS) {
                elem residual = s.residual[i];
                for (int k = 0; k < COLUMNS; k++)
                    if (s.nonzero[k]) residual = residual - x[k * M + i] * s.coefficient[k];
                s.residual[i] = residual;
            }
            __syncthreads();
        }
        real norm = sqrt(norm2(s.residual, lane));
        for (int i = thread; i < M; i += THREADS)
            x[c * M + i] = of_parts(real_of(s.residual[i]) / norm, imag_of(s.residual[i]) / norm);
        if (thread == 0) s.nonzero[c] = true;
        __syncthreads();
    }
}

// a: column-major M x N, M >= N; values: descending singular values; u: M x COLUMNS, vh: N x N
// (both null: values only).
extern "C" __global__ void __launch_bounds__(THREADS)
    block_svd(const elem *a, real *values, elem *u, elem *vh, long long, failure_word *failure) {
    __shared__ shared_state s;
    elem *x = shared_matrix(), *v = x + COLUMNS * M;
    int thread = (int)threadIdx.x, lane = thread % 32, warp = thread / 32;
    long long matrix = blockIdx.x;
    a += matrix * M * N;
    for (int i = thread; i < M * N; i += THREADS) x[i] = a[i];
    for (int i = thread; i < ROTATED * N; i += THREADS) v[i] = of_real(i / N == i % N);
    __syncthreads();
    bool converged = orthogonalize(x, v, s, lane, warp);
    if (warp == 0) report_failure(failure, matrix, !converged, lane);
    for (int c = warp; c < N; c += WARPS) {
        real norm = sqrt(norm2(x + c * M, lane));
        if (lane == 0) s.norm[c] = norm;
    }
    __syncthreads();
    real max_norm = 0;
    for (int c = 0; c < N; c++) max_norm = fmax(max_norm, s.norm[c]);
    for (int c = warp; c < COLUMNS; c += WARPS) {
        real norm = c < N ? s.norm[c] : 0;
        bool nonzero = norm > max_norm * negligible;
        if (lane == 0) s.nonzero[c] = nonzero;
        for (int i = lane; i < M && nonzero && ROTATED; i += 32)
            x[c * M + i] = of_parts(real_of(x[c * M + i]) / norm, imag_of(x[c * M + i]) / norm);
    }
    __syncthreads();
    if (ROTATED) complete_basis(x, s, lane, warp);
    for (int c = warp; c < COLUMNS; c += WARPS) {
        int position = c < N ? 0 : c;  // rank in descending order, stable
        for (int k = 0; k < N && c < N; k++)
            position += s.norm[k] > s.norm[c] || (s.norm[k] == s.norm[c] && k < c);
        if (c < N && lane == 0) values[matrix * N + position] = s.norm[c];
        if (!ROTATED) continue;
        for (int i = lane; i < M; i += 32) u[(matrix * COLUMNS + position) * M + i] = x[c * M + i];
        for (int i = lane; i < N && c < N; i += 32)
            vh[(matrix * N + i) * N + position] = conj(v[c * N + i]);
    }
}
#endif
