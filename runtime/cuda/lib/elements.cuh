// Batched factorizations of small matrices: complex arithmetic, warp reductions, rotations and
// reflectors.
//
// batched.c concatenates this file, warp_matrix.cuh and block_matrix.cuh after the definitions of
//   real                    float or double
//   M, N                    rows and columns
//   COLUMNS                 right-hand sides solved at a time (SOLVE); columns of U (SVD)
//   ROTATED                 rows of V; 0: not computed
//   WARPS, GROUP_LANES      warps of a block; lanes per matrix
//   STRIDE, VECTOR_STRIDE   of a matrix and of vectors in shared memory, in elements
//   COMPLEX, REDUX          complex elements; the GPU has warp reductions
//   SOLVE, LU, ...          the program: one of them is 1

typedef unsigned long long failure_word;
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
// Scaled so that the squares neither overflow nor underflow.
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

// A power of two by which a value of this magnitude is multiplied so that its reciprocal is finite:
// 1 for normal numbers.
__device__ real reciprocal_scale(real size) {
    return size >= (sizeof(real) == 4 ? (real)1.1754944e-38 : (real)2.2250738585072014e-308) ? 1
           : sizeof(real) == 4 ? (real)1.8446744e19
                               : (real)3.402823669209385e38;
}

// A sort key of magnitudes, NaN last; 0 only for 0. The high word of a double is precise enough to
// select a pivot.
__device__ unsigned magnitude_key(float a) { return __float_as_uint(a); }
__device__ unsigned magnitude_key(double a) {
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

// Reports a failure: *out becomes the number and the `info` of the first matrix that failed.
__device__ void report_failure(failure_word *out, long long matrix, int info, int lane) {
    if (info && lane == 0) atomicMin(out, (failure_word)matrix << 32 | (failure_word)info);
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
// beta and x^H y = dot, |dot| = size: x - (x (1 - c) + y conj(sine)) and y + (x sine - y (1 - c)),
// sine = s dot / |dot|. The squared norm of y grows by `growth`, that of x shrinks by it. Uses 1 -
// c instead of c, so that small angles cause small rounding errors.
struct rotation {
    real one_minus_c, growth;
    elem sine;
};

__device__ rotation rotation_of(real alpha, real beta, elem dot, real size) {
    real half = (beta - alpha) / (2 * size),
         tangent = copysign((real)1, half) / (fabs(half) + hypot((real)1, half));
    real c = 1 / sqrt(1 + tangent * tangent), s = tangent * c;
    return {s * s / (1 + c), tangent * size,
            of_parts(real_of(dot) / size, imag_of(dot) / size) * s};
}

// The Householder reflector I - tau v v^H that takes a vector, given its first element and the norm
// of the rest, to (beta, 0, ...). v[0] is 1; the rest of v is that of the vector times prescale,
// times scale.
struct reflection {
    real beta, prescale;
    elem tau, scale;
};

__device__ reflection reflection_of(elem first, real norm_below) {
    real re = real_of(first), im = imag_of(first);
    reflection r = {re, 1, of_real(0), of_real(0)};
    if (norm_below == 0 && im == 0) return r;
    real largest = fmax(fmax(fabs(re), fabs(im)), norm_below), a = re / largest, b = im / largest,
         c = norm_below / largest;
    r.beta = -copysign(largest * sqrt(a * a + b * b + c * c), re);
    r.tau = of_parts((r.beta - re) / r.beta, -im / r.beta);
    r.prescale = reciprocal_scale(abs1(of_parts(re - r.beta, im)));
    r.scale = inverse_of(of_parts(re - r.beta, im) * r.prescale);
    return r;
}
