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
    elem *u;          // U[k][k + j] at k * STRIDE + j
    elem *l;          // the multiplier of a lane's row in step k, at k * 32 + lane
    int *pivot_lane;  // the lane that holds the pivot row of step k
    int mine;         // the step in which this lane's row is the pivot row
    real up;          // reciprocal_scale of that pivot
    elem inverse;     // of the scaled pivot
    int info;         // the first step without a pivot, counted from 1
};

__device__ void factorize(factors &f, const elem *from, int lane) {
    elem row[N];
    load(f.u, from, lane);
#pragma unroll
    for (int j = 0; j < N; j++) row[j] = lane < N ? f.u[lane * STRIDE + j] : of_real(0);
    __syncwarp();
    f.mine = lane < N ? -1 : N;
    f.info = 0;
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        unsigned rank = f.mine < 0 ? rank_of(abs1(row[0])) : 0, top = warp_max(rank);
        int p = __ffs((int)__ballot_sync(ALL, f.mine < 0 && rank == top)) - 1;
        elem *pivot = f.u + k * STRIDE;
        if (!top && !f.info) f.info = k + 1;
        if (lane == p) {
            f.mine = k;
            f.pivot_lane[k] = p;
            f.up = reciprocal_scale(abs1(row[0]));
            f.inverse = inverse_of(row[0] * f.up);
#pragma unroll
            for (int j = 0; j < N; j++) pivot[j] = row[j];
        }
        __syncwarp();
        real up = reciprocal_scale(abs1(pivot[0]));
        elem part = f.mine < 0 && top ? row[0] * up * inverse_of(pivot[0] * up) : of_real(0);
        f.l[k * 32 + lane] = part;
#pragma unroll
        for (int j = 0; j + 1 < N; j++) row[j] = row[j + 1] - part * pivot[j + 1];
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
    solve(const elem *a, elem *b, long long columns, long long batch, verdict *failure) {
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
            elem part = f.l[k * 32 + lane];
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) x[i] = x[i] - part * from_lane(x[i], p);
        }
#pragma unroll 4
        for (int k = N - 1; k >= 0; k--) {
            int p = f.pivot_lane[k];
            elem part = f.mine < k ? f.u[f.mine * STRIDE + k - f.mine] : of_real(0);
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) {
                elem y = from_lane(x[i] * f.up * f.inverse, p);
                x[i] = lane == p ? y : x[i] - part * y;
            }
        }
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            if (lane < N && c + i < columns) b[(c + i) * N + f.mine] = x[i];
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
    int here = lane;  // the original row in this position before step k
    for (int k = 0; k < N; k++) {
        int p = f.pivot_lane[k], q = __ffs((int)__ballot_sync(ALL, here == p)) - 1,
            old = __shfl_sync(ALL, here, k);
        if (lane == q) here = old;
        if (lane == k) {
            here = p;
            pivots[matrix * N + k] = q + 1;
        }
    }
}

#elif CHOLESKY
// The lower triangle of column-major a (upper: of row-major a) becomes L of L L^H; the other
// triangle is left.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    cholesky(elem *a, int upper, long long batch, verdict *failure) {
    __shared__ __align__(16) elem all[WARPS][N * STRIDE], columns[WARPS][2][32];
    MATRIX_OF_THIS_WARP
    elem *at = all[warp], row[N];
    int down = upper ? STRIDE : 1, right = upper ? 1 : STRIDE, info = 0;
    a += matrix * N * N;
    load(at, a, lane);
#pragma unroll
    for (int j = 0; j < N; j++) row[j] = lane < N ? at[lane * down + j * right] : of_real(0);
    __syncwarp();
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        elem *column = columns[warp][k % 2];  // of L, from its diagonal down
        real d = real_of(from_lane(row[0], k));
        if (d <= 0 && !info) info = k + 1;
        real root = sqrt(d);
        elem part = lane == k ? of_real(root) : row[0] * (1 / root);
        if (lane >= k && lane < N) {
            column[lane - k] = part;
            at[lane * down + k * right] = part;
        }
        __syncwarp();
#pragma unroll
        for (int j = 0; j + 1 < N; j++) row[j] = row[j + 1] - part * conj(column[j + 1]);
        row[N - 1] = of_real(0);
    }
    __syncwarp();
    report_failure(failure, matrix, info, lane);
    for (int i = lane; i < N * N; i += 32) a[i] = at[i / N * STRIDE + i % N];
}
#elif QR
enum { P = M < N ? M : N };

// The Householder reflector I - tau v v^H that takes x to (beta, 0, ...); x[0] becomes beta.
__device__ elem reflector(elem *x, elem *v) {
    real total = 0, big = 0, squares = 0;
#pragma unroll
    for (int i = 1; i < M; i++) {
        total += abs1(x[i]);
        big = abs1(x[i]) > big ? abs1(x[i]) : big;
    }
    real one = reciprocal_scale(big), down = 1 / (big * one);
#pragma unroll
    for (int i = 1; i < M; i++) squares += square(x[i] * one * down);
    reflection r = reflection_of(x[0], total == 0 ? 0 : big * sqrt(squares));
    x[0] = of_real(r.beta);
    v[0] = of_real(1);
#pragma unroll
    for (int i = 1; i < M; i++) v[i] = x[i] * r.up * r.scale;
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
    __shared__ __align__(16) elem all[WARPS][32 * STRIDE], vectors[WARPS][P * LINE];
    __shared__ elem factors[WARPS][P];
    MATRIX_OF_THIS_WARP
    elem *at = all[warp], *v = vectors[warp], *factor = factors[warp], x[M];
    a += matrix * M * N;
    for (int i = lane; i < M * N; i += 32) at[i / M * STRIDE + i % M] = a[i];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = lane < N ? at[lane * STRIDE + i] : of_real(0);
#pragma unroll 1
    for (int k = 0; k < P; k++) {
        elem *of = v + k * LINE;
        if (lane == k) {
            factor[k] = reflector(x, of);
            for (int i = k + 1; i < M; i++) at[k * STRIDE + i] = of[i - k];
        }
        __syncwarp();
        if (lane > k) reflect(x, of, conj(factor[k]));
        if (lane >= k && lane < N) at[lane * STRIDE + k] = x[0];
#pragma unroll
        for (int i = 0; i + 1 < M; i++) x[i] = x[i + 1];
        x[M - 1] = of_real(0);
    }
    __syncwarp();
    for (int i = lane; i < M * N; i += 32) a[i] = at[i / M * STRIDE + i % M];
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
        reflect(x, v + k * LINE, factor[k]);
    }
#pragma unroll
    for (int i = 0; i < M; i++) at[lane * STRIDE + i] = x[i];
    __syncwarp();
    q += matrix * M * columns;
    for (int i = lane; i < M * columns; i += 32) q[i] = at[i / M * STRIDE + i % M];
}

#elif EIGH
__device__ elem divided(elem a, real b) { return of_parts(real_of(a) / b, imag_of(a) / b); }

// Householder tridiagonalization of a Hermitian matrix, given by one triangle of column-major a.
// Lane i holds row i from the column of the step on. d: the diagonals, e: the subdiagonals of all
// matrices, element i of a matrix at i * batch + matrix.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    tridiagonal(const elem *a, int upper, real *d, real *e, long long batch) {
    __shared__ __align__(16) elem all[WARPS][N * STRIDE], vectors[WARPS][2][LINE];
    MATRIX_OF_THIS_WARP
    elem *at = all[warp], *v = vectors[warp][0], *w = vectors[warp][1], row[N];
    load(at, a + matrix * N * N, lane);
#pragma unroll
    for (int j = 0; j < N; j++) {
        bool there = (lane < j) == (upper != 0) || lane == j;
        row[j] = lane >= N ? of_real(0)
                 : there   ? at[j * STRIDE + lane]
                           : conj(at[lane * STRIDE + j]);
        if (lane == j) row[j] = of_real(real_of(row[j]));
    }
    for (int i = lane; i < 2 * LINE; i += 32) v[i] = of_real(0);
    __syncwarp();
    real diagonal = 0, subdiagonal = 0;
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        if (lane == k) diagonal = real_of(row[0]);
        if (k + 1 == N) break;
        elem x = lane > k && lane < N ? row[0] : of_real(0), top = from_lane(x, k + 1),
             tau = of_real(0), mine = of_real(0);
        real big = abs1(x);
        for (int s = 16; s; s /= 2) big = fmax(big, __shfl_xor_sync(ALL, big, s));
        real beta = 0;
        if (big > 0) {
            real below = warp_sum(lane > k + 1 ? square(divided(x, big)) : 0);
            elem first = divided(top, big);
            beta = real_of(first);
            if (below > 0 || imag_of(first) != 0) {
                beta = -copysign(sqrt(square(first) + below), beta);
                tau = divided(of_parts(beta - real_of(first), -imag_of(first)), beta);
                mine = lane > k + 1
                           ? divided(x, big) *
                                 inverse_of(of_parts(real_of(first) - beta, imag_of(first)))
                           : of_real(lane == k + 1 ? 1 : 0);
            }
            beta *= big;
        }
        if (lane == k) subdiagonal = beta;
        if (lane > k && lane < N) v[lane - k] = mine;
        if (lane == k && k) v[N - k] = w[N - k] = of_real(0);  // clears the previous step's
        __syncwarp();
        elem p = of_real(0);
#pragma unroll
        for (int j = 1; j < N; j++) p = p + row[j] * v[j];
        p = lane > k && lane < N ? tau * p : of_real(0);
        elem dot = conj(p) * mine;
        dot = warp_sum(dot);
        p = p - (tau * dot * (real)0.5) * mine;
        if (lane > k && lane < N) w[lane - k] = p;
        __syncwarp();
#pragma unroll
        for (int j = 1; j < N; j++) row[j - 1] = row[j] - mine * conj(w[j]) - p * conj(v[j]);
        row[N - 1] = of_real(0);
        __syncwarp();
    }
    if (lane < N) {
        d[lane * batch + matrix] = diagonal;
        e[lane * batch + matrix] = subdiagonal;
    }
}

// Ascending eigenvalues of the tridiagonal matrices, a thread each: square-root-free QL (Parlett,
// The Symmetric Eigenvalue Problem, 8.14), on elements scaled so that their squares neither
// overflow nor underflow.
extern "C" __global__ void __launch_bounds__(32)
    values(const real *d, const real *e, real *out, long long batch, verdict *failure) {
    __shared__ real all_d[N][32], all_s[N][32];  // s: squares of the subdiagonal
    long long matrix = (long long)blockIdx.x * 32 + threadIdx.x;
    if (matrix >= batch) return;
    real(*x)[32] = all_d, (*s)[32] = all_s, big = 0;
    const real tiny =
        sizeof(real) == 4 ? (real)1.4e-14 : (real)4.9e-32;  // the square of the precision
    int t = (int)threadIdx.x, info = 0, left = 40 * N;
    for (int i = 0; i < N; i++)
        big = fmax(big, fmax(fabs(d[i * batch + matrix]), fabs(e[i * batch + matrix])));
    for (int i = 0; i < N; i++) {
        real b = big > 0 ? e[i * batch + matrix] / big : 0;
        x[i][t] = big > 0 ? d[i * batch + matrix] / big : 0;
        s[i][t] = b * b;
    }
    for (int low = 0; low < N;) {
        int end = low;  // of the unreduced block
        while (end + 1 < N && s[end][t] > tiny * fabs(x[end][t] * x[end + 1][t]) &&
               s[end][t] > tiny * tiny)
            end++;
        if (end == low) {
            low++;
            continue;
        }
        if (!left--) {
            info = low + 1;
            break;
        }
        real root = sqrt(s[low][t]), p = x[low][t], half = (x[low + 1][t] - p) / (2 * root);
        real shift = p - root / (half + copysign(sqrt(half * half + 1), half));
        real c = 1, sine = 0, gamma = x[end][t] - shift;
        p = gamma * gamma;
        for (int i = end - 1; i >= low; i--) {
            real b = s[i][t], r = p + b, before = c, old = gamma, here = x[i][t];
            if (i != end - 1) s[i + 1][t] = sine * r;
            c = p / r;
            sine = b / r;
            gamma = c * (here - shift) - sine * old;
            x[i + 1][t] = old + (here - gamma);
            p = c != 0 ? gamma * gamma / c : before * b;
        }
        s[low][t] = sine * p;
        x[low][t] = shift + gamma;
    }
    if (info) atomicMin(failure, (verdict)matrix << 32 | (verdict)info);
    for (int i = 1; i < N; i++) {
        real here = x[i][t];
        int j = i;
        for (; j > 0 && x[j - 1][t] > here; j--) x[j][t] = x[j - 1][t];
        x[j][t] = here;
    }
    for (int i = 0; i < N; i++) out[matrix * N + i] = x[i][t] * big;
}

#elif SVD || EIGEN
// One-sided Jacobi (Hestenes 1958): a sweep rotates every pair of columns to be orthogonal. A group
// of WIDE lanes factorizes a matrix; lane i holds column i, and columns are exchanged by shuffles.
enum { GROUPS = 32 / WIDE, EVEN = (N + 1) / 2 * 2, SWEEPS = 40 };

struct group {
    int me, first;  // the lane's index in the group; the group's first lane in the warp
    long long matrix;
    bool writes;  // false: behind the last matrix, which is repeated so that all lanes of the warp
                  // take part in shuffles
};

__device__ group group_of(long long batch) {
    int lane = (int)threadIdx.x % 32;
    long long matrix = (long long)blockIdx.x * GROUPS + lane / WIDE;
    return {lane % WIDE, lane - lane % WIDE, matrix < batch ? matrix : batch - 1, matrix < batch};
}

__device__ real value_at(const group &t, real a, int lane) {
    return __shfl_sync(ALL, a, t.first + lane);
}

__device__ real group_max(real a) {
    for (int d = WIDE / 2; d; d /= 2) a = fmax(a, __shfl_xor_sync(ALL, a, d));
    return a;
}

template <class part>
__device__ part group_sum(part a) {
    for (int d = WIDE / 2; d; d /= 2) a = a + from_lane(a, (int)(threadIdx.x % 32) ^ d);
    return a;
}

__device__ real norm2(const elem *x) {
    real sum = 0;
#pragma unroll
    for (int i = 0; i < M; i++) sum += square(x[i]);
    return sum;
}

// The partner of column `me` in a round of a round-robin tournament: i is paired with round - i
// modulo EVEN - 1, and the column that would be its own partner with the last one.
__device__ int partner_of(int me, int round) {
    if (me >= EVEN) return me;
    if (me == EVEN - 1) return round % 2 ? (round + EVEN - 1) / 2 : round / 2;
    int other = round < me ? round - me + EVEN - 1 : round - me;
    return other == me ? EVEN - 1 : other;
}

// Makes the columns x orthogonal, and rotates the columns v of the matrix ROTATED x N with them.
// Columns of negligible norm, whose directions are rounding errors, are left. False: did not
// converge.
__device__ __forceinline__ bool orthogonalize(const group &t, elem *x, elem *v) {
    const real limit = epsilon * (1 + sqrt((real)M));
    bool unconverged = true;
#pragma unroll 1
    for (int sweep = 0, rotated = 1; sweep < SWEEPS && rotated; sweep++) {
        real mine = norm2(x), floor = group_max(mine) * (negligible / 8) * (negligible / 8);
        unconverged = rotated = false;
#pragma unroll 1
        for (int round = 0; round + 1 < EVEN; round++) {
            int other = partner_of(t.me, round);
            bool low = t.me < other;
            real theirs = value_at(t, mine, other), alpha = low ? mine : theirs,
                 beta = low ? theirs : mine;
            elem dot = of_real(0);
#pragma unroll
            for (int i = 0; i < M; i++) dot = dot + conj(x[i]) * from_lane(x[i], t.first + other);
            dot = from_lane(
                dot,
                t.first + (low ? t.me : other));  // the lower column's result, for equal bits
            real size = size_of(dot), least = limit * sqrt(alpha) * sqrt(beta);
            bool rotates = other != t.me && size > least && alpha > floor && beta > floor;
            if (!__any_sync(ALL, rotates)) continue;
            real one_minus_c = 0;
            elem part = of_real(0);
            if (rotates) {
                rotation r = rotation_of(alpha, beta, dot, size);
                one_minus_c = r.one_minus_c;
                part = low ? of_real(0) - conj(r.part) : r.part;
                mine += low ? -r.growth : r.growth;
                unconverged |= size > 1000 * least;
            }
            rotated = true;
#pragma unroll
            for (int i = 0; i < M; i++)
                x[i] = x[i] + (part * from_lane(x[i], t.first + other) - x[i] * one_minus_c);
#pragma unroll
            for (int i = 0; i < ROTATED; i++)
                v[i] = v[i] + (part * from_lane(v[i], t.first + other) - v[i] * one_minus_c);
        }
    }
    return !unconverged;
}

// The position of this lane's key in descending order of the first N lanes (stable).
__device__ int position_of(const group &t, real key) {
    int position = 0;
    for (int k = 0; k < N; k++) {
        real other = value_at(t, key, k);
        position += other > key || (other == key && k < t.me);
    }
    return position;
}

__device__ void divide(elem *x, real by) {
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = of_parts(real_of(x[i]) / by, imag_of(x[i]) / by);
}
#endif

#if SVD
// Replaces columns of negligible norm by unit vectors orthogonal to all others: Gram-Schmidt,
// twice, of the axis that has the smallest projection onto them.
__device__ void complete(const group &t, elem *x, bool nonzero) {
#pragma unroll 1
    for (int c = 0; c < COLUMNS; c++) {
        bool missing = t.me == c && !nonzero;
        if (!__any_sync(ALL, missing)) continue;
        real least = 2;
        elem r[M], mine = of_real(0);  // the axis's component in this lane's column
        int axis = 0;
#pragma unroll
        for (int i = 0; i < M; i++) {
            real length = group_sum(nonzero ? square(x[i]) : (real)0);
            bool better = length < least;
            least = better ? length : least;
            axis = better ? i : axis;
            mine = better ? nonzero ? x[i] : of_real(0) : mine;
        }
#pragma unroll
        for (int i = 0; i < M; i++) r[i] = of_real(i == axis);
#pragma unroll 1
        for (int twice = 0; twice < 2; twice++) {
            elem part = conj(mine);
#pragma unroll
            for (int i = 0; i < M; i++) r[i] = r[i] - group_sum(nonzero ? x[i] * part : of_real(0));
            mine = of_real(0);
#pragma unroll
            for (int i = 0; i < M; i++) mine = mine + conj(r[i]) * x[i];
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
    svd(const elem *a, real *values, elem *u, elem *vh, long long batch, verdict *failure) {
    group t = group_of(batch);
    elem x[M], v[N];
    a += t.matrix * M * N;
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = t.me < N ? a[t.me * M + i] : of_real(0);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = of_real(i == t.me);
    bool done = orthogonalize(t, x, v);
    real size = sqrt(norm2(x)), top = group_max(size);
    int before = position_of(t, size), position = t.me < N ? before : t.me;
    if (!t.writes) t.me = WIDE;
    report_failure(failure, t.matrix, !done, t.me);
    if (t.me < N) values[t.matrix * N + position] = size;
#if ROTATED
    bool nonzero = size > top * negligible;
    divide(x, nonzero ? size : 1);
    complete(t, x, nonzero);
#pragma unroll
    for (int i = 0; i < M; i++)
        if (t.me < COLUMNS) u[t.matrix * M * COLUMNS + position * M + i] = x[i];
#pragma unroll
    for (int i = 0; i < N; i++)
        if (t.me < N) vh[t.matrix * N * N + i * N + position] = conj(v[i]);
#endif
}

#elif EIGEN
// Hermitian eigenproblem: one triangle of column-major a becomes the eigenvectors; values:
// ascending. One-sided Jacobi of a + shift I, which is positive semidefinite: its columns become
// multiples of the eigenvectors. The eigenvalues are the Rayleigh quotients of a.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    eigen(elem *a, int upper, real *values, long long batch, verdict *failure) {
    group t = group_of(batch);
    elem x[M];
    real total = 0, value = 0;
    a += t.matrix * N * N;
    bool mine = t.me < N;
#pragma unroll
    for (int i = 0; i < M; i++) {
        bool there = (i < t.me) == (upper != 0) || i == t.me;
        x[i] = !mine ? of_real(0) : there ? a[t.me * N + i] : conj(a[i * N + t.me]);
        if (i == t.me) x[i] = of_real(real_of(x[i]));
        total += abs1(x[i]);
    }
    total = group_max(total);
    if (total == 0) total = 1;
#pragma unroll
    for (int i = 0; i < M; i++)
        if (i == t.me && mine) x[i] = x[i] + of_real(2 * total);
    bool done = orthogonalize(t, x, x);
    real size = sqrt(norm2(x));
    divide(x, mine ? size : 1);
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
    int position = position_of(t, -value);
    __syncwarp();
    if (!t.writes || !mine) return;
    report_failure(failure, t.matrix, !done, t.me);
    values[t.matrix * N + position] = value;
#pragma unroll
    for (int i = 0; i < M; i++) a[position * N + i] = x[i];
}
#endif
