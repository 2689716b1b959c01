// Factorizations of matrices of at most 32 rows and columns: SOLVE, LU, CHOLESKY, QR, EIGH, SVD or
// EIGEN (see elements.cuh).
//
// A warp does one matrix of at most 32 rows and columns. Lane i holds row i (of QR column i) in
// registers; what all lanes need in a step goes through shared memory. What remains of the matrix
// moves to the first registers in each step: so they have fixed names, and the loop over the steps
// stays a loop.

__device__ void load(elem *to, const elem *from, int lane) {
    for (int i = lane; i < N * N; i += 32) to[i / N * STRIDE + i % N] = from[i];
    __syncwarp();
}

struct factors {
    elem *u;       // U[k][k + j] at k * STRIDE + j
    elem *l;       // what the row of a lane takes of the pivot's row in step k, at k * 32 + lane
    int *who;      // the lane that holds the pivot's row of step k
    int mine;      // the step whose pivot this lane's row has
    real up;       // lifts that pivot
    elem inverse;  // of the lifted one
    int info;      // the first step without a pivot, counted from 1
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
        unsigned rank = f.mine < 0 ? rank_of(span(row[0])) : 0, top = warp_max(rank);
        int p = __ffs((int)__ballot_sync(ALL, f.mine < 0 && rank == top)) - 1;
        elem *pivot = f.u + k * STRIDE;
        if (!top && !f.info) f.info = k + 1;
        if (lane == p) {
            f.mine = k;
            f.who[k] = p;
            f.up = lift(span(row[0]));
            f.inverse = inverse_of(row[0] * f.up);
#pragma unroll
            for (int j = 0; j < N; j++) pivot[j] = row[j];
        }
        __syncwarp();
        real up = lift(span(pivot[0]));
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
    __shared__ int who[WARPS][32];                                        \
    MATRIX_OF_THIS_WARP                                                   \
    factors f = {u[warp], l[warp], who[warp], 0, 1, {}, 0};

#if SOLVE
// b: by columns; becomes the solutions.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    solve(const elem *a, elem *b, long long columns, long long batch, verdict *said) {
    FACTORS_OF_THIS_WARP
    factorize(f, a + matrix * N * N, lane);
    judge(said, matrix, f.info, lane);
    b += matrix * N * columns;
    for (long long c = 0; c < columns; c += COLUMNS) {
        elem x[COLUMNS];
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            x[i] = lane < N && c + i < columns ? b[(c + i) * N + lane] : of_real(0);
#pragma unroll 4
        for (int k = 0; k < N; k++) {
            int p = f.who[k];
            elem part = f.l[k * 32 + lane];
#pragma unroll
            for (int i = 0; i < COLUMNS; i++) x[i] = x[i] - part * from_lane(x[i], p);
        }
#pragma unroll 4
        for (int k = N - 1; k >= 0; k--) {
            int p = f.who[k];
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
// a: by rows; becomes L and U. pivots: the row, from 1, with which each was exchanged.
extern "C" __global__ void __launch_bounds__(32 * WARPS) lu(elem *a, int *pivots, long long batch) {
    FACTORS_OF_THIS_WARP
    a += matrix * N * N;
    factorize(f, a, lane);
    for (int i = lane; i < N * N; i += 32) {
        int r = i / N, c = i % N;
        a[i] = c < r ? f.l[c * 32 + f.who[r]] : f.u[r * STRIDE + c - r];
    }
    int here = lane;  // the row that stands here before step k
    for (int k = 0; k < N; k++) {
        int p = f.who[k], q = __ffs((int)__ballot_sync(ALL, here == p)) - 1,
            old = __shfl_sync(ALL, here, k);
        if (lane == q) here = old;
        if (lane == k) {
            here = p;
            pivots[matrix * N + k] = q + 1;
        }
    }
}

#elif CHOLESKY
// The lower triangle of a, by columns (upper: by rows, which is the upper one by columns), becomes
// L of L L^H; the other stays.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    cholesky(elem *a, int upper, long long batch, verdict *said) {
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
    judge(said, matrix, info, lane);
    for (int i = lane; i < N * N; i += 32) a[i] = at[i / N * STRIDE + i % N];
}
#elif QR
enum { P = M < N ? M : N };

// The reflector I - tau v v^H that takes x to a multiple of its first axis, which becomes x[0];
// v[0] = 1.
__device__ elem reflector(elem *x, elem *v) {
    real total = 0, big = 0, squares = 0;
#pragma unroll
    for (int i = 1; i < M; i++) {
        total += span(x[i]);
        big = span(x[i]) > big ? span(x[i]) : big;
    }
    real one = lift(big), down = 1 / (big * one);
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

// a: M x N by columns; becomes R and, below it, the reflectors; tau: their factors; q: M x columns,
// or null.
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

// The eigenvalues of one triangle of a, by columns, are those of a tridiagonal matrix that
// reflections of both sides make of it (as in QR). Lane i holds row i from the column of the step
// on. To d and e, of all matrices together: element i of a matrix at i * batch + matrix, e[i]
// beside d[i].
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
    real diagonal = 0, beside = 0;
#pragma unroll 1
    for (int k = 0; k < N; k++) {
        if (lane == k) diagonal = real_of(row[0]);
        if (k + 1 == N) break;
        elem x = lane > k && lane < N ? row[0] : of_real(0), top = from_lane(x, k + 1),
             tau = of_real(0), mine = of_real(0);
        real big = span(x);
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
        if (lane == k) beside = beta;
        if (lane > k && lane < N) v[lane - k] = mine;
        if (lane == k && k) v[N - k] = w[N - k] = of_real(0);  // what was there in the step before
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
        e[lane * batch + matrix] = beside;
    }
}

// Their eigenvalues, rising: one thread for each matrix, by QL steps without square roots (Parlett,
// The Symmetric Eigenvalue Problem, 8.14), on elements that are scaled so that their squares stay
// within the numbers.
extern "C" __global__ void __launch_bounds__(32)
    values(const real *d, const real *e, real *out, long long batch, verdict *said) {
    __shared__ real all_d[N][32], all_s[N][32];  // s: squares of the elements beside the diagonal
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
        int end = low;  // of the block that nothing divides
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
    if (info) atomicMin(said, (verdict)matrix << 32 | (verdict)info);
    for (int i = 1; i < N; i++) {
        real here = x[i][t];
        int j = i;
        for (; j > 0 && x[j - 1][t] > here; j--) x[j][t] = x[j - 1][t];
        x[j][t] = here;
    }
    for (int i = 0; i < N; i++) out[matrix * N + i] = x[i][t] * big;
}

#elif SVD || EIGEN
// Jacobi's method on columns (Hestenes 1958): rotations make any two of them orthogonal, in sweeps
// in which each meets each other. A team of WIDE lanes does a matrix; lane i holds column i. No
// column goes through memory.
enum { TEAMS = 32 / WIDE, EVEN = (N + 1) / 2 * 2, SWEEPS = 40 };

struct team {
    int me, first;  // lanes of the warp: of the team's the how manieth, and where these begin
    long long matrix;
    bool writes;  // behind the last matrix teams do that one once more, for the sake of their
                  // neighbours in the warp
};

__device__ team team_of(long long batch) {
    int lane = (int)threadIdx.x % 32;
    long long matrix = (long long)blockIdx.x * TEAMS + lane / WIDE;
    return {lane % WIDE, lane - lane % WIDE, matrix < batch ? matrix : batch - 1, matrix < batch};
}

__device__ real value_at(const team &t, real a, int lane) {
    return __shfl_sync(ALL, a, t.first + lane);
}

__device__ real team_max(real a) {
    for (int d = WIDE / 2; d; d /= 2) a = fmax(a, __shfl_xor_sync(ALL, a, d));
    return a;
}

template <class part>
__device__ part team_sum(part a) {
    for (int d = WIDE / 2; d; d /= 2) a = a + from_lane(a, (int)(threadIdx.x % 32) ^ d);
    return a;
}

__device__ real norm2(const elem *x) {
    real sum = 0;
#pragma unroll
    for (int i = 0; i < M; i++) sum += square(x[i]);
    return sum;
}

// Whom a column meets in a round: all but the last stand in a circle, i meets round - i, and the
// last whoever would meet itself.
__device__ int opponent(int me, int round) {
    if (me >= EVEN) return me;
    if (me == EVEN - 1) return round % 2 ? (round + EVEN - 1) / 2 : round / 2;
    int other = round < me ? round - me + EVEN - 1 : round - me;
    return other == me ? EVEN - 1 : other;
}

// The columns x become orthogonal, the columns v of the matrix ROTATED x N are rotated with them.
// Columns that are nothing beside the longest are left: their directions are chance. False if there
// is no end.
__device__ __forceinline__ bool orthogonalize(const team &t, elem *x, elem *v) {
    const real limit = unit * (1 + sqrt((real)M));
    bool far = true;
#pragma unroll 1
    for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        real mine = norm2(x), floor = team_max(mine) * (nothing / 8) * (nothing / 8);
        far = turned = false;
#pragma unroll 1
        for (int round = 0; round + 1 < EVEN; round++) {
            int other = opponent(t.me, round);
            bool low = t.me < other;
            real theirs = value_at(t, mine, other), alpha = low ? mine : theirs,
                 beta = low ? theirs : mine;
            elem dot = of_real(0);
#pragma unroll
            for (int i = 0; i < M; i++) dot = dot + conj(x[i]) * from_lane(x[i], t.first + other);
            dot = from_lane(dot,
                            t.first + (low ? t.me : other));  // both go by what the lower one found
            real size = size_of(dot), least = limit * sqrt(alpha) * sqrt(beta);
            bool turn = other != t.me && size > least && alpha > floor && beta > floor;
            if (!__any_sync(ALL, turn)) continue;
            real less = 0;
            elem part = of_real(0);
            if (turn) {
                rotation r = rotation_of(alpha, beta, dot, size);
                less = r.less;
                part = low ? of_real(0) - conj(r.part) : r.part;
                mine += low ? -r.longer : r.longer;
                far |= size > 1000 * least;
            }
            turned = true;
#pragma unroll
            for (int i = 0; i < M; i++)
                x[i] = x[i] + (part * from_lane(x[i], t.first + other) - x[i] * less);
#pragma unroll
            for (int i = 0; i < ROTATED; i++)
                v[i] = v[i] + (part * from_lane(v[i], t.first + other) - v[i] * less);
        }
    }
    return !far;
}

// How many of the first N lanes come before this one: those with more (or the same, and before it).
__device__ int place_of(const team &t, real key) {
    int place = 0;
    for (int k = 0; k < N; k++) {
        real other = value_at(t, key, k);
        place += other > key || (other == key && k < t.me);
    }
    return place;
}

__device__ void divide(elem *x, real by) {
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = of_parts(real_of(x[i]) / by, imag_of(x[i]) / by);
}
#endif

#if SVD
// Columns that have no direction of their own get one orthogonal to all others: what is left of the
// axis that lies least among those.
__device__ void complete(const team &t, elem *x, bool has) {
#pragma unroll 1
    for (int c = 0; c < COLUMNS; c++) {
        bool missing = t.me == c && !has;
        if (!__any_sync(ALL, missing)) continue;
        real least = 2;
        elem r[M], mine = of_real(0);  // what this lane's column has of the axis
        int axis = 0;
#pragma unroll
        for (int i = 0; i < M; i++) {
            real length = team_sum(has ? square(x[i]) : (real)0);
            bool better = length < least;
            least = better ? length : least;
            axis = better ? i : axis;
            mine = better ? has ? x[i] : of_real(0) : mine;
        }
#pragma unroll
        for (int i = 0; i < M; i++) r[i] = of_real(i == axis);
#pragma unroll 1
        for (int twice = 0; twice < 2; twice++) {
            elem part = conj(mine);
#pragma unroll
            for (int i = 0; i < M; i++) r[i] = r[i] - team_sum(has ? x[i] * part : of_real(0));
            mine = of_real(0);
#pragma unroll
            for (int i = 0; i < M; i++) mine = mine + conj(r[i]) * x[i];
        }
        divide(r, sqrt(norm2(r)));
#pragma unroll
        for (int i = 0; i < M; i++) x[i] = missing ? r[i] : x[i];
        has |= missing;
    }
}

// a: M x N by columns, M >= N; its singular values, falling; u: M x COLUMNS, vh: N x N (both null:
// values only).
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    svd(const elem *a, real *values, elem *u, elem *vh, long long batch, verdict *said) {
    team t = team_of(batch);
    elem x[M], v[N];
    a += t.matrix * M * N;
#pragma unroll
    for (int i = 0; i < M; i++) x[i] = t.me < N ? a[t.me * M + i] : of_real(0);
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = of_real(i == t.me);
    bool done = orthogonalize(t, x, v);
    real size = sqrt(norm2(x)), top = team_max(size);
    int before = place_of(t, size), place = t.me < N ? before : t.me;
    if (!t.writes) t.me = WIDE;
    judge(said, t.matrix, !done, t.me);
    if (t.me < N) values[t.matrix * N + place] = size;
#if ROTATED
    bool has = size > top * nothing;
    divide(x, has ? size : 1);
    complete(t, x, has);
#pragma unroll
    for (int i = 0; i < M; i++)
        if (t.me < COLUMNS) u[t.matrix * M * COLUMNS + place * M + i] = x[i];
#pragma unroll
    for (int i = 0; i < N; i++)
        if (t.me < N) vh[t.matrix * N * N + i * N + place] = conj(v[i]);
#endif
}

#elif EIGEN
// One triangle of a, by columns, becomes its eigenvectors; values: rising. What is made orthogonal
// is a + shift I, which has no negative eigenvalues: its columns become multiples of its
// eigenvectors. The values are what a makes of these.
extern "C" __global__ void __launch_bounds__(32 * WARPS)
    eigen(elem *a, int upper, real *values, long long batch, verdict *said) {
    team t = team_of(batch);
    elem x[M];
    real total = 0, value = 0;
    a += t.matrix * N * N;
    bool mine = t.me < N;
#pragma unroll
    for (int i = 0; i < M; i++) {
        bool there = (i < t.me) == (upper != 0) || i == t.me;
        x[i] = !mine ? of_real(0) : there ? a[t.me * N + i] : conj(a[i * N + t.me]);
        if (i == t.me) x[i] = of_real(real_of(x[i]));
        total += span(x[i]);
    }
    total = team_max(total);
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
    int place = place_of(t, -value);
    __syncwarp();
    if (!t.writes || !mine) return;
    judge(said, t.matrix, !done, t.me);
    values[t.matrix * N + place] = value;
#pragma unroll
    for (int i = 0; i < M; i++) a[place * N + i] = x[i];
}
#endif
