// Factorizations of matrices of at most 32 rows and columns: SOLVE, LU, CHOLESKY, QR, EIGH, SVD or
// EIGEN (see elements.cuh).
//
// A warp factorizes one matrix. Lane i holds row i (QR: column i) in registers; the pivot row or
// column of a step is broadcast through shared memory. After each step the trailing submatrix is
// shifted to the first registers, so that register indices are constants and the loop over steps
// need not be unrolled.

__device__ void load(elem *to, const elem *from, int lane) {
    for (int i = lane; i < N * N; i += 32) to[i / N * STRIDE + i % N] = from[i];
    __syncwarp();
}

struct factors {
    elem *u;              // U[k][k + j] at k * STRIDE + j
    elem *l;              // the multiplier of a lane's row in step k, at k * 32 + lane
    int *pivot_lane;      // the lane that holds the pivot row of step k
    int pivot_step;       // the step in which this lane's row is the pivot row; -1: none yet
    real pivot_prescale;  // reciprocal_scale of that pivot
    elem pivot_inverse;   // of the scaled pivot
    int info;             // the first step without a pivot, counted from 1
};

__device__ void factorize(factors &f, const elem *a, int lane) {
    elem row[N];
    load(f.u, a, lane);
#pragma unroll
    for (int j = 0; j < N; j++) row[j] = lane < N ? f.u[lane * STRIDE + j] : of_real(0);
    __syncwarp();
    f.pivot_step = lane < N ? -1 : N;
    f.info = 0;
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        unsigned key = f.pivot_step < 0 ? magnitude_key(abs1(row[0])) : 0, max_key = warp_max(key);
        int p = __ffs((int)__ballot_sync(ALL, f.pivot_step < 0 && key == max_key)) - 1;
        elem *pivot = f.u + k * STRIDE;
        if (!max_key && !f.info) f.info = k + 1;
        if (lane == p) {
            f.pivot_step = k;
            f.pivot_lane[k] = p;
            f.pivot_prescale = reciprocal_scale(abs1(row[0]));
            f.pivot_inverse = inverse_of(row[0] * f.pivot_prescale);
#pragma unroll
            for (int j = 0; j < N; j++) pivot[j] = row[j];
        }
        __syncwarp();
        real prescale = reciprocal_scale(abs1(pivot[0]));
        elem multiplier = f.pivot_step < 0 && max_key
                              ? row[0] * prescale * inverse_of(pivot[0] * prescale)
                              : of_real(0);
        f.l[k * 32 + lane] = multiplier;
#pragma unroll
        for (int j = 0; j + 1 < N; j++) row[j] = row[j + 1] - multiplier * pivot[j + 1];
        row[N - 1] = of_real(0);
    }
    __syncwarp();
}

#define MATRIX_OF_THIS_WARP                                         \
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32; \
    long long matrix = (long long)blockIdx.x * WARPS + warp;        \
    if (matrix >= batch) return;

#define FACTORS_OF_THIS_WARP                                              \
    __shared__ __align__(16) elem u[WARPS][N * STRIDE], l[WARPS][N * 32]; \
    __shared__ int pivot_lane[WARPS][32];                                 \
    MATRIX_OF_THIS_WARP                                                   \
    factors f = {u[warp], l[warp], pivot_lane[warp], 0, 1, {}, 0};

#if SOLVE
// LU with partial pivoting, then substitution. b: column-major; becomes the solutions.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    solve(const elem *a, elem *b, long long columns, long long batch, failure_word *failure) {
    FACTORS_OF_THIS_WARP
    factorize(f, a + matrix * N * N, lane);
    report_failure(failure, matrix, f.info, lane);
    b += matrix * N * columns;
    for (long long c = 0; c < columns; c += COLUMNS) {
        elem x[COLUMNS];
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            x[i] = lane < N && c + i < columns ? b[(c + i) * N + lane] : of_real(0);
#pragma unroll 4
        for (int k = 0; k < N; k++) {
            int p = f.pivot_lane[k];
            elem multiplier = f.l[k * 32 + lane];
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) x[i] = x[i] - multiplier * from_lane(x[i], p);
        }
#pragma unroll 4
        for (int k = N - 1; k >= 0; k--) {
            int p = f.pivot_lane[k];
            elem multiplier =
                f.pivot_step < k ? f.u[f.pivot_step * STRIDE + k - f.pivot_step] : of_real(0);
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
                elem y = from_lane(x[i] * f.pivot_prescale * f.pivot_inverse, p);
                x[i] = lane == p ? y : x[i] - multiplier * y;
            }
        }
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            if (lane < N && c + i < columns) b[(c + i) * N + f.pivot_step] = x[i];
        __syncwarp();
    }
}

#elif LU
// a: row-major; becomes L and U. pivots: the row, from 1, that each was exchanged with.
extern "C" __global__ void __launch_bounds__(32 * WARPS) lu(elem *a, int *pivots, long long batch) {
    FACTORS_OF_THIS_WARP
    a += matrix * N * N;
    factorize(f, a, lane);
    for (int i = lane; i < N * N; i += 32) {
        int r = i / N, c = i % N;
        a[i] = c < r ? f.l[c * 32 + f.pivot_lane[r]] : f.u[r * STRIDE + c - r];
    }
    int original_row = lane;  // the row of a that is in position `lane` before step k
    for (int k = 0; k < N; k++) {
        int p = f.pivot_lane[k], q = __ffs((int)__ballot_sync(ALL, original_row == p)) - 1,
            row_of_k = __shfl_sync(ALL, original_row, k);
        if (lane == q) original_row = row_of_k;
        if (lane == k) {
            original_row = p;
            pivots[matrix * N + k] = q + 1;
        }
    }
}

#elif CHOLESKY
// The lower triangle of column-major a (upper: of row-major a) becomes L of L L^H; the other
// triangle is unchanged.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    cholesky(elem *a, int upper, long long batch, failure_word *failure) {
    __shared__ __align__(16) elem tiles[WARPS][N * STRIDE], columns[WARPS][2][32];
    MATRIX_OF_THIS_WARP
    elem *tile = tiles[warp], row[N];
    int row_stride = upper ? STRIDE : 1, column_stride = upper ? 1 : STRIDE, info = 0;
    a += matrix * N * N;
    load(tile, a, lane);
#pragma unroll
    for (int j = 0; j < N; j++)
        row[j] = lane < N ? tile[lane * row_stride + j * column_stride] : of_real(0);
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        elem *column = columns[warp][k % 2];  // of L, from the diagonal on
        real d = real_of(from_lane(row[0], k));
        if (d <= 0 && !info) info = k + 1;
        real pivot = sqrt(d);
        elem element = lane == k ? of_real(pivot) : row[0] * (1 / pivot);
        if (lane >= k && lane < N) {
            column[lane - k] = element;
            tile[lane * row_stride + k * column_stride] = element;
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j + 1 < N; j++) row[j] = row[j + 1] - element * conj(column[j + 1]);
        row[N - 1] = of_real(0);
    }
    __syncwarp();
    report_failure(failure, matrix, info, lane);
    for (int i = lane; i < N * N; i += 32) a[i] = tile[i / N * STRIDE + i % N];
}
#elif QR
enum { P = M < N ? M : N };

// The Householder reflector I - tau v v^H that takes x to (beta, 0, ...); x[0] becomes beta.
__device__ elem reflector(elem *x, elem *v) {
    real norm1 = 0, largest = 0, sum_squares = 0;
#pragma unroll
    for (int i = 1; i < M; i++) {
        norm1 += abs1(x[i]);
        largest = abs1(x[i]) > largest ? abs1(x[i]) : largest;
    }
    real prescale = reciprocal_scale(largest), inverse_largest = 1 / (largest * prescale);
#pragma unroll
    for (int i = 1; i < M; i++) sum_squares += square(x[i] * prescale * inverse_largest);
    reflection r = reflection_of(x[0], norm1 == 0 ? 0 : largest * sqrt(sum_squares));
    x[0] = of_real(r.beta);
    v[0] = of_real(1);
#pragma unroll
    for (int i = 1; i < M; i++) v[i] = x[i] * r.prescale * r.scale;
    return r.tau;
}

__device__ void reflect(elem *x, const elem *v, elem tau) {
    elem w = of_real(0);
#pragma unroll
    for (int i = 0; i < M; i++) w = w + conj(v[i]) * x[i];
    w = tau * w;
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = x[i] - v[i] * w;
}

// a: column-major M x N; becomes R and, below it, the reflectors; tau: their factors; q: M x
// columns, or null.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    qr(elem *a, elem *tau, elem *q, int columns, long long batch) {
    __shared__ __align__(16) elem tiles[WARPS][32 * STRIDE],
        all_reflectors[WARPS][P * VECTOR_STRIDE];
    __shared__ elem factors[WARPS][P];
    MATRIX_OF_THIS_WARP
    elem *tile = tiles[warp], *reflectors = all_reflectors[warp], *factor = factors[warp], x[M];
    a += matrix * M * N;
    for (int i = lane; i < M * N; i += 32) tile[i / M * STRIDE + i % M] = a[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = lane < N ? tile[lane * STRIDE + i] : of_real(0);
#pragma unroll 1
    for (int k = 0; k < P; k++) {
        elem *vk = reflectors + k * VECTOR_STRIDE;
        if (lane == k) {
            factor[k] = reflector(x, vk);
            for (int i = k + 1; i < M; i++) tile[k * STRIDE + i] = vk[i - k];
        }
        __syncwarp();
        if (lane > k) reflect(x, vk, conj(factor[k]));
        if (lane >= k && lane < N) tile[lane * STRIDE + k] = x[0];
#pragma unroll
        for (int i = 0; i + 1 < M; i++) x[i] = x[i + 1];
        x[M - 1] = of_real(0);
    }
    __syncwarp();
    for (int i = lane; i < M * N; i += 32) a[i] = tile[i / M * STRIDE + i % M];
    if (lane < P) tau[matrix * P + lane] = factor[lane];
    if (!q) return;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = of_real(lane == P + i && P + i < M ? 1 : 0);
#pragma unroll 1
    for (int k = P - 1; k >= 0; k--) {
#pragma unroll
        for (int i = M - 1; i > 0; i--) x[i] = x[i - 1];
        x[0] = of_real(lane == k ? 1 : 0);
        reflect(x, reflectors + k * VECTOR_STRIDE, factor[k]);
    }
#pragma unroll
    for (int i = 0; i < M; i++) tile[lane * STRIDE + i] = x[i];
    __syncwarp();
    q += matrix * M * columns;
    for (int i = lane; i < M * columns; i += 32) q[i] = tile[i / M * STRIDE + i % M];
}

#elif EIGH
__device__ elem divided(elem a, real b) { return of_parts(real_of(a) / b, imag_of(a) / b); }

// Row `lane` of a Hermitian matrix of which tile holds one triangle.
__device__ __forceinline__ void load_hermitian_row(elem *row, const elem *tile, int upper,
                                                   int lane) {
#pragma unroll
    for (int j = 0; j < N; j++) {
        bool stored = (lane < j) == (upper != 0) || lane == j;
        row[j] = lane >= N ? of_real(0)
                 : stored  ? tile[j * STRIDE + lane]
                           : conj(tile[lane * STRIDE + j]);
        if (lane == j) row[j] = of_real(real_of(row[j]));
    }
}

// Householder tridiagonalization of a Hermitian matrix, given by one triangle of column-major a.
// In step k lane i holds row i from column k on. d: the diagonals, e: the subdiagonals of all
// matrices, element i of a matrix at i * batch + matrix.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    tridiagonal(const elem *a, int upper, real *d, real *e, long long batch) {
    __shared__ __align__(16) elem tiles[WARPS][N * STRIDE], vectors[WARPS][2][VECTOR_STRIDE];
    MATRIX_OF_THIS_WARP
    elem *tile = tiles[warp], *v = vectors[warp][0], *w = vectors[warp][1], row[N];
    load(tile, a + matrix * N * N, lane);
    load_hermitian_row(row, tile, upper, lane);
    for (int i = lane; i < 2 * VECTOR_STRIDE; i += 32) v[i] = of_real(0);
    __syncwarp();
    real diagonal = 0, subdiagonal = 0;
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        if (lane == k) diagonal = real_of(row[0]);
        if (k + 1 == N) break;
        elem x = lane > k && lane < N ? row[0] : of_real(0), alpha = from_lane(x, k + 1),
             tau = of_real(0), v_elem = of_real(0);
        real largest = abs1(x);
        for (int s = 16; s; s /= 2) largest = fmax(largest, __shfl_xor_sync(ALL, largest, s));
        real beta = 0;
        if (largest > 0) {
            real squares_below = warp_sum(lane > k + 1 ? square(divided(x, largest)) : 0);
            elem scaled_alpha = divided(alpha, largest);
            beta = real_of(scaled_alpha);
            if (squares_below > 0 || imag_of(scaled_alpha) != 0) {
                beta = -copysign(sqrt(square(scaled_alpha) + squares_below), beta);
                tau = divided(of_parts(beta - real_of(scaled_alpha), -imag_of(scaled_alpha)), beta);
                v_elem = lane > k + 1 ? divided(x, largest) *
                                            inverse_of(of_parts(real_of(scaled_alpha) - beta,
                                                                imag_of(scaled_alpha)))
                                      : of_real(lane == k + 1 ? 1 : 0);
            }
            beta *= largest;
        }
        if (lane == k) subdiagonal = beta;
        if (lane > k && lane < N) v[lane - k] = v_elem;
        if (lane == k && k) v[N - k] = w[N - k] = of_real(0);  // clears what the previous step left
        __syncwarp();
        elem p = of_real(0);
#pragma unroll
        for (int j = 1; j < N; j++) p = p + row[j] * v[j];
        p = lane > k && lane < N ? tau * p : of_real(0);
        elem dot = conj(p) * v_elem;
        dot = warp_sum(dot);
        p = p - (tau * dot * (real)0.5) * v_elem;
        if (lane > k && lane < N) w[lane - k] = p;
        __syncwarp();
#pragma unroll
        for (int j = 1; j < N; j++) row[j - 1] = row[j] - v_elem * conj(w[j]) - p * conj(v[j]);
        row[N - 1] = of_real(0);
        __syncwarp();
    }
    if (lane < N) {
        d[lane * batch + matrix] = diagonal;
        e[lane * batch + matrix] = subdiagonal;
    }
}

// Ascending eigenvalues of the tridiagonal matrices, one thread per matrix: square-root-free QL
// (Parlett, The Symmetric Eigenvalue Problem, 8.14; names as in LAPACK's dsterf), on elements
// scaled so that their squares neither overflow nor underflow.
extern "C" __global__ void __launch_bounds__(32)
    values(const real *d, const real *e, real *out, long long batch, failure_word *failure) {
    __shared__ real all_diagonals[N][32], all_e2[N][32];  // e2: squares of the subdiagonal
    long long matrix = (long long)blockIdx.x * 32 + threadIdx.x;
    if (matrix >= batch) return;
    real(*diagonal)[32] = all_diagonals, (*e2)[32] = all_e2, largest = 0;
    const real tiny =
        sizeof(real) == 4 ? (real)1.4e-14 : (real)4.9e-32;  // the square of the unit roundoff
    int t = (int)threadIdx.x, info = 0, iterations_left = 40 * N;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, fmax(fabs(d[i * batch + matrix]), fabs(e[i * batch + matrix])));
    for (int i = 0; i < N; i++) {
        real b = largest > 0 ? e[i * batch + matrix] / largest : 0;
        diagonal[i][t] = largest > 0 ? d[i * batch + matrix] / largest : 0;
        e2[i][t] = b * b;
    }
    for (int begin = 0; begin < N;) {
        int end = begin;  // of the unreduced block
        while (end + 1 < N && e2[end][t] > tiny * fabs(diagonal[end][t] * diagonal[end + 1][t]) &&
               e2[end][t] > tiny * tiny)
            end++;
        if (end == begin) {
            begin++;
            continue;
        }
        if (!iterations_left--) {
            info = begin + 1;
            break;
        }
        real root = sqrt(e2[begin][t]), p = diagonal[begin][t],
             delta = (diagonal[begin + 1][t] - p) / (2 * root);
        real sigma = p - root / (delta + copysign(sqrt(delta * delta + 1), delta));
        real c = 1, s = 0, gamma = diagonal[end][t] - sigma;
        p = gamma * gamma;
        for (int i = end - 1; i >= begin; i--) {
            real b = e2[i][t], r = p + b, old_c = c, old_gamma = gamma, alpha = diagonal[i][t];
            if (i != end - 1) e2[i + 1][t] = s * r;
            c = p / r;
            s = b / r;
            gamma = c * (alpha - sigma) - s * old_gamma;
            diagonal[i + 1][t] = old_gamma + (alpha - gamma);
            p = c != 0 ? gamma * gamma / c : old_c * b;
        }
        e2[begin][t] = s * p;
        diagonal[begin][t] = sigma + gamma;
    }
    if (info) atomicMin(failure, (failure_word)matrix << 32 | (failure_word)info);
    for (int i = 1; i < N; i++) {
        real alpha = diagonal[i][t];
        int j = i;
        for (; j > 0 && diagonal[j - 1][t] > alpha; j--) diagonal[j][t] = diagonal[j - 1][t];
        diagonal[j][t] = alpha;
    }
    for (int i = 0; i < N; i++) out[matrix * N + i] = diagonal[i][t] * largest;
}

#elif SVD || EIGEN
// One-sided Jacobi (Hestenes 1958): a sweep rotates every pair of columns to be orthogonal. A group
// of GROUP_LANES lanes factorizes a matrix; lane i holds column i, and shuffles exchange columns.
enum { GROUPS = 32 / GROUP_LANES, EVEN = (N + 1) / 2 * 2, SWEEPS = 40 };

struct group {
    int lane, first_lane;  // the lane within the group; the group's first lane within the warp
    long long matrix;
    bool active;  // false: past the last matrix, which is repeated so that all lanes of the warp
                  // take part in shuffles
};

__device__ group group_of(long long batch) {
    int lane = (int)threadIdx.x % 32;
    long long matrix = (long long)blockIdx.x * GROUPS + lane / GROUP_LANES;
    return {lane % GROUP_LANES, lane - lane % GROUP_LANES, matrix < batch ? matrix : batch - 1,
            matrix < batch};
}

__device__ real value_at(const group &g, real a, int lane) {
    return __shfl_sync(ALL, a, g.first_lane + lane);
}

__device__ real group_max(real a) {
    for (int d = GROUP_LANES / 2; d; d /= 2) a = fmax(a, __shfl_xor_sync(ALL, a, d));
    return a;
}

template <class part>
__device__ part group_sum(part a) {
    for (int d = GROUP_LANES / 2; d; d /= 2) a = a + from_lane(a, (int)(threadIdx.x % 32) ^ d);
    return a;
}

__device__ real norm2(const elem *x) {
    real sum = 0;
#pragma unroll
    for (int i = 0; i < M; i++) sum += square(x[i]);
    return sum;
}

// The partner of a column in a round of a round-robin tournament: i is paired with round - i modulo
// EVEN - 1, and the column that would be its own partner with the last one.
__device__ int partner_of(int column, int round) {
    if (column >= EVEN) return column;
    if (column == EVEN - 1) return round % 2 ? (round + EVEN - 1) / 2 : round / 2;
    int other = round < column ? round - column + EVEN - 1 : round - column;
    return other == column ? EVEN - 1 : other;
}

// Makes the columns x orthogonal, and rotates the columns v of the matrix ROTATED x N with them.
// Columns of negligible norm, whose directions are rounding errors, are skipped. False: did not
// converge.
__device__ __forceinline__ bool orthogonalize(const group &g, elem *x, elem *v) {
    const real limit = epsilon * (1 + sqrt((real)M));
    bool unconverged = true;
#pragma unroll 1
    for (int sweep = 0, rotated = 1; sweep < SWEEPS && rotated; sweep++) {
        real norm = norm2(x),
             negligible_norm = group_max(norm) * (negligible / 8) * (negligible / 8);
        unconverged = rotated = false;
#pragma unroll 1
        for (int round = 0; round + 1 < EVEN; round++) {
            int other = partner_of(g.lane, round);
            bool is_lower = g.lane < other;
            real other_norm = value_at(g, norm, other), alpha = is_lower ? norm : other_norm,
                 beta = is_lower ? other_norm : norm;
            elem dot = of_real(0);
#pragma unroll
            for (int i = 0; i < M; i++)
                dot = dot + conj(x[i]) * from_lane(x[i], g.first_lane + other);
            dot = from_lane(
                dot,
                g.first_lane +
                    (is_lower
                         ? g.lane
                         : other));  // of the lower column, so that both lanes have the same bits
            real dot_abs = size_of(dot), threshold = limit * sqrt(alpha) * sqrt(beta);
            bool rotates = other != g.lane && dot_abs > threshold && alpha > negligible_norm &&
                           beta > negligible_norm;
            if (!__any_sync(ALL, rotates)) continue;
            real one_minus_c = 0;
            elem sine = of_real(0);
            if (rotates) {
                rotation r = rotation_of(alpha, beta, dot, dot_abs);
                one_minus_c = r.one_minus_c;
                sine = is_lower ? of_real(0) - conj(r.sine) : r.sine;
                norm += is_lower ? -r.growth : r.growth;
                unconverged |= dot_abs > 1000 * threshold;
            }
            rotated = true;
#pragma unroll
            for (int i = 0; i < M; i++)
                x[i] = x[i] + (sine * from_lane(x[i], g.first_lane + other) - x[i] * one_minus_c);
#pragma unroll
            for (int i = 0; i < ROTATED; i++)
                v[i] = v[i] + (sine * from_lane(v[i], g.first_lane + other) - v[i] * one_minus_c);
        }
    }
    return !unconverged;
}

// The rank of this lane's key in descending order of the first N lanes (stable).
__device__ int position_of(const group &g, real key) {
    int position = 0;
    for (int k = 0; k < N; k++) {
        real other = value_at(g, key, k);
        position += other > key || (other == key && k < g.lane);
    }
    return position;
}

__device__ void divide(elem *x, real by) {
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = of_parts(real_of(x[i]) / by, imag_of(x[i]) / by);
}
#endif

#if SVD
// Replaces columns of negligible norm by unit vectors orthogonal to all others: Gram-Schmidt with
// reorthogonalization of the axis that has the smallest projection onto them.
__device__ void complete_basis(const group &g, elem *x, bool nonzero) {
#pragma unroll 1
    for (int c = 0; c < COLUMNS; c++) {
        bool missing = g.lane == c && !nonzero;
        if (!__any_sync(ALL, missing)) continue;
        real smallest = 2;
        elem r[M], component = of_real(0);  // of this lane's column along the axis
        int axis = 0;
#pragma unroll
        for (int i = 0; i < M; i++) {
            real length = group_sum(nonzero ? square(x[i]) : (real)0);
            bool smaller = length < smallest;
            smallest = smaller ? length : smallest;
            axis = smaller ? i : axis;
            component = smaller ? nonzero ? x[i] : of_real(0) : component;
        }
#pragma unroll
        for (int i = 0; i < M; i++) r[i] = of_real(i == axis);
#pragma unroll 1
        for (int pass = 0; pass < 2; pass++) {
            elem coefficient = conj(component);
#pragma unroll
            for (int i = 0; i < M; i++)
                r[i] = r[i] - group_sum(nonzero ? x[i] * coefficient : of_real(0));
            component = of_real(0);
#pragma unroll
            for (int i = 0; i < M; i++) component = component + conj(r[i]) * x[i];
        }
        divide(r, sqrt(norm2(r)));
#pragma unroll
        for (int i = 0; i < M; i++) x[i] = missing ? r[i] : x[i];
        nonzero |= missing;
    }
}

// a: column-major M x N, M >= N; values: descending singular values; u: M x COLUMNS, vh: N x N
// (both null: values only).
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    svd(const elem *a, real *values, elem *u, elem *vh, long long batch, failure_word *failure) {
    group g = group_of(batch);
    elem x[M], v[N];
    a += g.matrix * M * N;
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = g.lane < N ? a[g.lane * M + i] : of_real(0);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = of_real(i == g.lane);
    bool converged = orthogonalize(g, x, v);
    real norm = sqrt(norm2(x)), max_norm = group_max(norm);
    int descending = position_of(g, norm), position = g.lane < N ? descending : g.lane;
    if (!g.active) g.lane = GROUP_LANES;
    report_failure(failure, g.matrix, !converged, g.lane);
    if (g.lane < N) values[g.matrix * N + position] = norm;
#if ROTATED
    bool nonzero = norm > max_norm * negligible;
    divide(x, nonzero ? norm : 1);
    complete_basis(g, x, nonzero);
#pragma unroll
    for (int i = 0; i < M; i++)
        if (g.lane < COLUMNS) u[g.matrix * M * COLUMNS + position * M + i] = x[i];
#pragma unroll
    for (int i = 0; i < N; i++)
        if (g.lane < N) vh[g.matrix * N * N + i * N + position] = conj(v[i]);
#endif
}

#elif EIGEN
// Hermitian eigenproblem: one triangle of column-major a becomes the eigenvectors; values:
// ascending. One-sided Jacobi of a + shift I, which is positive semidefinite: its columns become
// multiples of the eigenvectors. The eigenvalues are the Rayleigh quotients of a.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    eigen(elem *a, int upper, real *values, long long batch, failure_word *failure) {
    group g = group_of(batch);
    elem x[M];
    real norm1 = 0, value = 0;
    a += g.matrix * N * N;
    bool in_matrix = g.lane < N;
#pragma unroll
    for (int i = 0; i < M; i++) {
        bool stored = (i < g.lane) == (upper != 0) || i == g.lane;
        x[i] = !in_matrix ? of_real(0) : stored ? a[g.lane * N + i] : conj(a[i * N + g.lane]);
        if (i == g.lane) x[i] = of_real(real_of(x[i]));
        norm1 += abs1(x[i]);
    }
    norm1 = group_max(norm1);
    if (norm1 == 0) norm1 = 1;
#pragma unroll
    for (int i = 0; i < M; i++)
        if (i == g.lane && in_matrix) x[i] = x[i] + of_real(2 * norm1);
    bool converged = orthogonalize(g, x, x);
    real norm = sqrt(norm2(x));
    divide(x, in_matrix ? norm : 1);
#pragma unroll 1
    for (int j = 0; j < N; j++) {
        elem xj = of_real(0), sum = of_real(0);
#pragma unroll
        for (int i = 0; i < M; i++) {
            if (i == j) xj = x[i];
            elem e = i < j ? of_real(0) : upper ? conj(a[i * N + j]) : a[j * N + i];
            sum = sum + conj(x[i]) * (i == j ? of_real(real_of(e) / 2) : e);
        }
        value += 2 * real_of(sum * xj);
    }
    int position = position_of(g, -value);
    __syncwarp();
    if (!g.active || !in_matrix) return;
    report_failure(failure, g.matrix, !converged, g.lane);
    values[g.matrix * N + position] = value;
#pragma unroll
    for (int i = 0; i < M; i++) a[position * N + i] = x[i];
}
#endif
