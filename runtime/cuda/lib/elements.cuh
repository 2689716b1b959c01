// Batched factorizations of small matrices: complex arithmetic, warp reductions, rotations and
// reflectors. batched.c joins this file, warp_matrix.cuh and block_matrix.cuh, puts definitions
// before them and compiles the result: real, M, N, COLUMNS, WARPS, STRIDE, LINE, ROTATED, WIDE,
// COMPLEX, REDUX (the GPU has warp reductions) and the program, one of SOLVE, LU, ...

typedef unsigned long long verdict;
enum : unsigned { ALL = 0xffffffffu };

#if COMPLEX
struct __align__(2 * sizeof(real)) elem {
    real x, y;
};
__device__ elem operator*(elem a, elem b) { return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }
__device__ elem operator*(elem a, real b) { return {a.x * b, a.y * b}; }
__device__ elem operator+(elem a, elem b) { return {a.x + b.x, a.y + b.y}; }
__device__ elem operator-(elem a, elem b) { return {a.x - b.x, a.y - b.y}; }
__device__ elem conj(elem a) { return {a.x, -a.y}; }
__device__ real real_of(elem a) { return a.x; }
__device__ elem of_real(real a) { return {a, 0}; }
__device__ real imag_of(elem a) { return a.y; }
__device__ elem of_parts(real a, real b) { return {a, b}; }
__device__ real abs1(elem a) { return fabs(a.x) + fabs(a.y); }
__device__ real square(elem a) { return a.x * a.x + a.y * a.y; }
// Scaled, so that the squares neither overflow nor underflow.
__device__ elem inverse_of(elem a) {
    real s = 1 / abs1(a), x = a.x * s, y = a.y * s, d = s / (x * x + y * y);
    return {x * d, -y * d};
}
__device__ elem from_lane(elem a, int lane) {
    return {__shfl_sync(ALL, a.x, lane), __shfl_sync(ALL, a.y, lane)};
}
#else
typedef real elem;
__device__ elem conj(elem a) { return a; }
__device__ real real_of(elem a) { return a; }
__device__ elem of_real(real a) { return a; }
__device__ real imag_of(elem) { return 0; }
__device__ elem of_parts(real a, real) { return a; }
__device__ real abs1(elem a) { return fabs(a); }
__device__ real square(elem a) { return a * a; }
__device__ elem inverse_of(elem a) { return 1 / a; }
__device__ elem from_lane(elem a, int lane) { return __shfl_sync(ALL, a, lane); }
#endif

// A power of two that makes the reciprocal of a number of this size finite: 1 for normal numbers.
__device__ real reciprocal_scale(real size) {
    return size >= (sizeof(real) == 4 ? (real)1.1754944e-38 : (real)2.2250738585072014e-308) ? 1
           : sizeof(real) == 4 ? (real)1.8446744e19
                               : (real)3.402823669209385e38;
}

// A word that orders magnitudes, NaN last; 0 only for 0. Of a double the high word is enough to
// choose a pivot.
__device__ unsigned rank_of(float a) { return __float_as_uint(a); }
__device__ unsigned rank_of(double a) {
    unsigned low = (unsigned)__double2loint(a);
    return (unsigned)__double2hiint(a) | (low ? 1u : 0u);
}

__device__ unsigned warp_max(unsigned a) {
#if REDUX
    return __reduce_max_sync(ALL, a);
#else
    for (int d = 16; d; d /= 2) {
        unsigned b = __shfl_xor_sync(ALL, a, d);
        if (b > a) a = b;
    }
    return a;
#endif
}

// Reports a failure: *out becomes that of the first matrix that failed, its number and `info`.
__device__ void report_failure(verdict *out, long long matrix, int info, int lane) {
    if (info && lane == 0) atomicMin(out, (verdict)matrix << 32 | (verdict)info);
}

__device__ real warp_sum(real a) {
    for (int d = 16; d; d /= 2) a += __shfl_xor_sync(ALL, a, d);
    return a;
}

#if COMPLEX
__device__ real from_lane(real a, int lane) { return __shfl_sync(ALL, a, lane); }
__device__ real size_of(elem a) { return hypot(a.x, a.y); }
__device__ elem warp_sum(elem a) { return {warp_sum(a.x), warp_sum(a.y)}; }
#else
__device__ real size_of(elem a) { return fabs(a); }
#endif

constexpr real epsilon = sizeof(real) == 4 ? (real)1.2e-7 : (real)2.2e-16,
               negligible = epsilon * epsilon;

// The Jacobi rotation that makes columns x and y orthogonal, given their squared norms alpha and
// beta and x^H y = dot, |dot| = size: x - (x (1 - c) + y conj(part)) and y + (x part - y (1 - c)),
// part = s dot / |dot|. The squared norm of y grows by `growth`, that of x shrinks by it. Written
// with 1 - c, since small angles then cause small rounding errors.
struct rotation {
    real one_minus_c, growth;
    elem part;
};

__device__ rotation rotation_of(real alpha, real beta, elem dot, real size) {
    real half = (beta - alpha) / (2 * size),
         tangent = copysign((real)1, half) / (fabs(half) + hypot((real)1, half));
    real c = 1 / sqrt(1 + tangent * tangent), s = tangent * c;
    return {s * s / (1 + c), tangent * size,
            of_parts(real_of(dot) / size, imag_of(dot) / size) * s};
}

// The Householder reflector I - tau v v^H that takes a vector, given its first element and the norm
// of the rest, to (beta, 0, ...). v[0] is 1; the rest is the vector's times up, times scale.
struct reflection {
    real beta, up;
    elem tau, scale;
};

__device__ reflection reflection_of(elem first, real below) {
    real re = real_of(first), im = imag_of(first);
    reflection r = {re, 1, of_real(0), of_real(0)};
    if (below == 0 && im == 0) return r;
    real most = fmax(fmax(fabs(re), fabs(im)), below), a = re / most, b = im / most,
         c = below / most;
    r.beta = -copysign(most * sqrt(a * a + b * b + c * c), re);
    r.tau = of_parts((r.beta - re) / r.beta, -im / r.beta);
    r.up = reciprocal_scale(abs1(of_parts(re - r.beta, im)));
    r.scale = inverse_of(of_parts(re - r.beta, im) * r.up);
    return r;
}
