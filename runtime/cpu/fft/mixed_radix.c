/* Mixed-radix FFT plans and dispatch by vector width: mixed_radix.h. One template
 * (mixed_radix_lanes.inc) makes the code for both dtypes and all vector widths; results do not
 * depend on the width.
 *
 * Reading order: instantiations, plans, interface. */
#include "runtime/cpu/fft/mixed_radix.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/fft/bluestein.h"
#include "runtime/cpu/parallel/lanes.h"
#include "runtime/cpu/parallel/lanes_transpose.h"
#include "runtime/base/simd_clones.h"
#include "runtime/tables/tuning.h"

/* PASSES_MOST: more than the factors 3 of any int64; FIRST_RADIX_WITH_ROOTS: the least prime radix
 * without a hard-coded butterfly. */
enum { PASSES_MOST = 40, FIRST_RADIX_WITH_ROOTS = 11 };

/* A pass of radix `parts` joins transforms of m points each, with twiddle factors w. From radix
 * FIRST_RADIX_WITH_ROOTS on it has roots of unity in order of use, or tables for Bluestein's
 * algorithm. */
typedef struct {
    int64_t parts, m;
    void *w;
    void *roots;         /* owned */
    bluestein bluestein; /* owned */
    radix *longer;       /* owned: FFT plan of Bluestein's convolution */
} pass;

struct radix {
    gpa_dtype dtype;
    int64_t n;
    int count;
    pass passes[PASSES_MOST]; /* last pass first */
    void *factors;            /* owned: twiddle factors of all passes */
};

/* ---- instantiations ---- */

static const double cosines_3[] = {1, -0.5, -0.5},
                    sines_3[] = {0, 0.86602540378443864676, -0.86602540378443864676};
static const double cosines_5[] = {1, 0.30901699437494742410, -0.80901699437494742410,
                                   -0.80901699437494742410, 0.30901699437494742410};
static const double sines_5[] = {0, 0.95105651629515357212, 0.58778525229247312917,
                                 -0.58778525229247312917, -0.95105651629515357212};
static const double cosines_7[] = {1,
                                   0.62348980185873353053,
                                   -0.22252093395631440429,
                                   -0.90096886790241912624,
                                   -0.90096886790241912624,
                                   -0.22252093395631440429,
                                   0.62348980185873353053};
static const double sines_7[] = {0,
                                 0.78183148246802980871,
                                 0.97492791218182360702,
                                 0.43388373911755812048,
                                 -0.43388373911755812048,
                                 -0.97492791218182360702,
                                 -0.78183148246802980871};

enum { SEPARATE, PAIRS, REALS };

static const double cosines_9[] = {1, 0.76604444311897803520, 0.17364817766693034885, -0.5,
                                   -0.93969262078590838405};
static const double sines_9[] = {0, 0.64278760968653932632, 0.98480775301220805937,
                                 0.86602540378443864676, 0.34202014332566873304};

#define UNROLLED _Pragma("GCC unroll 8")

#define T double
#define I int64_t
#define LANES 2
#define TARGET GPA_TARGET_16
#define NAME(x) x##_8_16
#define EVEN 0, 2
#define ODD 1, 3
#define LOWER 0, 2
#define UPPER 1, 3
#include "runtime/cpu/fft/mixed_radix_lanes.inc"

#define T float
#define I int32_t
#define LANES 4
#define TARGET GPA_TARGET_16
#define NAME(x) x##_4_16
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#include "runtime/cpu/fft/mixed_radix_lanes.inc"

#ifdef GPA_TARGET_64
#define T double
#define I int64_t
#define LANES 4
#define TARGET GPA_TARGET_32
#define NAME(x) x##_8_32
#define EVEN 0, 2, 4, 6
#define ODD 1, 3, 5, 7
#define LOWER 0, 4, 1, 5
#define UPPER 2, 6, 3, 7
#include "runtime/cpu/fft/mixed_radix_lanes.inc"

#define T float
#define I int32_t
#define LANES 8
#define TARGET GPA_TARGET_32
#define NAME(x) x##_4_32
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#include "runtime/cpu/fft/mixed_radix_lanes.inc"

#define T double
#define I int64_t
#define LANES 8
#define TARGET GPA_TARGET_64
#define NAME(x) x##_8_64
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define ODD 1, 3, 5, 7, 9, 11, 13, 15
#define LOWER 0, 8, 1, 9, 2, 10, 3, 11
#define UPPER 4, 12, 5, 13, 6, 14, 7, 15
#include "runtime/cpu/fft/mixed_radix_lanes.inc"

#define T float
#define I int32_t
#define LANES 16
#define TARGET GPA_TARGET_64
#define NAME(x) x##_4_64
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LOWER 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define UPPER 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#include "runtime/cpu/fft/mixed_radix_lanes.inc"
#define WIDTHS(f) (width == 64 ? f##_64 : width == 32 ? f##_32 : f##_16)
#else
#define WIDTHS(f) ((void)width, f##_16)
#endif

/* The function of a dtype and of the vectors of this processor. */
#define BY_WIDTH(f, dtype, ...) \
    (dtype == DT_C64 ? WIDTHS(f##_4)(__VA_ARGS__) : WIDTHS(f##_8)(__VA_ARGS__))

/* ---- plans ---- */

/* The least prime factor that is at least `from`. */
static int64_t prime_of(int64_t n, int64_t from) {
    for (int64_t p = from; p * p <= n; p += 2)
        if (n % p == 0) return p;
    return n;
}

static int64_t without_small(int64_t n) {
    for (int p = 2; p <= 7; p++)
        while (n > 1 && n % p == 0) n /= p;
    return n;
}

bool radix_can(int64_t n) {
    int64_t rest = without_small(n);
    for (int64_t p = FIRST_RADIX_WITH_ROOTS; rest > 1; rest /= p)
        if ((p = prime_of(rest, p)) > TUNE_RADIX_PRIME_MAX) return false;
    return true;
}

int64_t radix_padded_length(int64_t least) {
    int64_t best = INT64_MAX;
    for (int64_t fives = 1; fives < 2 * least; fives *= 5)
        for (int64_t threes = fives; threes < 2 * least; threes *= 3) {
            int64_t m = threes;
            while (m < least || m % 8) m *= 2;
            best = MIN(best, m);
        }
    return best;
}

static void put(gpa_dtype complex, void *to, int64_t i, double re, double im) {
    if (complex == DT_C64)
        ((float *)to)[2 * i] = (float)re, ((float *)to)[2 * i + 1] = (float)im;
    else
        ((double *)to)[2 * i] = re, ((double *)to)[2 * i + 1] = im;
}

/* Stores exp(-2 pi i k/n) at index i. */
static void put_root(gpa_dtype complex, void *to, int64_t i, int64_t k, int64_t n) {
    double re, im;
    unit_root(2 * (k % n), n, &re, &im);
    put(complex, to, i, re, -im);
}

/* Factors the length into radices, last pass first: odd radices, one or two of radix 4 or one of
 * radix 2, then radix 8; at the end large primes, since the first pass needs no twiddle factors. */
static void split(radix *r) {
    if (r->n == 1) r->passes[r->count++].parts = 1;
    int64_t rest = r->n;
    int twos = 0;
    for (; rest % 2 == 0; rest /= 2) twos++;
    for (int p = 7; p >= 5; p -= 2)
        for (; rest % p == 0; rest /= p) r->passes[r->count++].parts = p;
    for (int p = 9; p >= 3; p -= 6)
        for (; rest % p == 0; rest /= p) r->passes[r->count++].parts = p;
    for (; twos % 3 == 2 || (twos % 3 == 1 && twos > 1); twos -= 2) r->passes[r->count++].parts = 4;
    if (twos == 1)
        r->passes[r->count++].parts = 2;
    else
        for (; twos > 0; twos -= 3) r->passes[r->count++].parts = 8;
    rest = without_small(rest);
    for (int64_t p = FIRST_RADIX_WITH_ROOTS; rest > 1; rest /= p)
        r->passes[r->count++].parts = p = prime_of(rest, p);
}

/* Roots of unity for direct sums of `parts` terms, in order of use: for outputs k and k + 1
 * those of terms 1, 2, ... parts/2. False when out of memory. */
static bool roots_new(pass *a, gpa_dtype complex) {
    const int64_t half = a->parts / 2;
    a->roots = mem_new((size_t)((half + 1) * half) * dtype_size(complex));
    for (int64_t k = 1, at = 0; a->roots && k <= half; k += 2)
        for (int64_t j = 1; j <= half; j++)
            for (int i = 0; i < 2; i++) {
                double re, im;
                unit_root(2 * (j * (k + i) % a->parts), a->parts, &re, &im);
                put(complex, a->roots, at++, re, im);
            }
    return a->roots;
}

static bool chirp_new(pass *a, gpa_dtype complex) {
    static const int32_t never = 0;
    const int64_t m = radix_padded_length(2 * a->parts - 1), point = radix_point_elems(complex);
    const size_t real = dtype_size(dtype_info[complex].real);
    if (!(a->longer = radix_new(complex, m)) ||
        !bluestein_new(&a->bluestein, complex, a->parts, m, false, &never))
        return false;
    char *scratch = mem_zero((size_t)(3 * m * point) * real + LANES_BYTES),
         *at = scratch + (LANES_BYTES - (uintptr_t)scratch % LANES_BYTES) % LANES_BYTES;
    if (!scratch) return false;
    char *done = at + (size_t)(m * point) * real;
    const radix_points in = {.at = at, .step = point},
                       out = {.at = done, .step = point, .pairs = true, .scale = 1};
    for (int64_t k = 0; k < m; k++)
        for (int i = 0; i < 2; i++)
            memcpy(at + (size_t)(k * point + i * point / 2) * real,
                   (char *)a->bluestein.spectrum + (size_t)(2 * k + i) * real, real);
    radix_run(a->longer, &in, &out, done + (size_t)(m * point) * real);
    for (int64_t k = 0; k < m; k++)
        memcpy(at + (size_t)(2 * k) * real, done + (size_t)(k * point) * real, 2 * real);
    bluestein_set_spectrum(&a->bluestein, at);
    mem_free(scratch);
    return true;
}

radix *radix_new(gpa_dtype complex, int64_t n) {
    radix *r = mem_zero(sizeof *r);
    if (!r) return NULL;
    *r = (radix){.dtype = complex, .n = n};
    split(r);
    int64_t count = 0, points = n;
    for (int i = 0; i < r->count; i++) {
        pass *a = &r->passes[i];
        a->m = points /= a->parts;
        count += (a->parts - 1) * a->m;
    }
    size_t item = dtype_size(complex);
    char *w = r->factors = mem_new((size_t)count * item);
    if (!w) {
        radix_free(r);
        return NULL;
    }
    for (int i = 0; i < r->count; i++) {
        pass *a = &r->passes[i];
        a->w = w;
        w += (size_t)((a->parts - 1) * a->m) * item;
        for (int64_t k = 0; k < a->m; k++)
            for (int64_t j = 1; j < a->parts; j++)
                put_root(complex, a->w, k * (a->parts - 1) + j - 1, j * k, a->parts * a->m);
        if (a->parts < FIRST_RADIX_WITH_ROOTS ||
            (a->parts <= TUNE_RADIX_DIRECT_MAX ? roots_new : chirp_new)(a, complex))
            continue;
        radix_free(r);
        return NULL;
    }
    return r;
}

void radix_free(radix *r) {
    for (int i = 0; r && i < r->count; i++) {
        mem_free(r->passes[i].roots);
        bluestein_free(&r->passes[i].bluestein);
        radix_free(r->passes[i].longer);
    }
    if (r) mem_free(r->factors);
    mem_free(r);
}

int64_t radix_scratch_points(const radix *r) {
    int64_t most = 0;
    for (int i = 0; i < r->count; i++)
        if (r->passes[i].longer) most = MAX(most, 2 * r->passes[i].bluestein.m);
    return 2 * r->n + most;
}

/* ---- interface ---- */

static int registers_most = 64;

void radix_limit_registers(int bytes) { registers_most = bytes; }

static int register_bytes(void) { return MIN(gpa_simd_bytes(), registers_most); }

int64_t radix_point_elems(gpa_dtype complex) {
    return 2 * LANES_BYTES / (int64_t)dtype_size(dtype_info[complex].real);
}

void radix_run(const radix *r, const radix_points *in, const radix_points *out, void *work) {
    const int width = register_bytes();
    BY_WIDTH(run, r->dtype, r, in, out, work);
}

void radix_move(gpa_dtype complex, int64_t n, const radix_points *from, const radix_points *to) {
    const int width = register_bytes();
    BY_WIDTH(move, complex, n, from, to);
}

void *radix_real_factors(gpa_dtype complex, int64_t h) {
    void *w = mem_new((size_t)(h / 2 + 1) * dtype_size(complex));
    for (int64_t k = 0; w && k <= h / 2; k++) put_root(complex, w, k, k, 2 * h);
    return w;
}

void radix_real_split(gpa_dtype complex, void *points, int64_t h, const void *factors,
                      bool inverse) {
    const int width = register_bytes();
    BY_WIDTH(real_split, complex, points, h, factors, inverse);
}

void radix_odd_real(const radix *r, const void *reals, void *work) {
    const int width = register_bytes();
    BY_WIDTH(odd_real, r->dtype, r, reals, work);
}

void radix_hartley(const radix *r, const void *points, void *reals, double scale) {
    const int width = register_bytes();
    BY_WIDTH(hartley, r->dtype, points, r->n, reals, scale);
}

bool radix_twiddles_new(radix_twiddles *t, gpa_dtype complex, int64_t n1, int64_t n2) {
    const int64_t all = radix_point_elems(complex) / 2, blocks = (n2 + all - 1) / all, n = n1 * n2;
    const size_t item = dtype_size(complex);
    *t =
        (radix_twiddles){mem_new((size_t)(n1 * all) * item), mem_new((size_t)(n1 * blocks) * item)};
    if (!t->lanes || !t->blocks) {
        radix_twiddles_free(t);
        return false;
    }
    for (int64_t k = 0; k < n1; k++)
        for (int64_t l = 0; l < all; l++) {
            double re, im;
            unit_root(2 * (k * l % n), n, &re, &im);
            float *narrow = (float *)t->lanes + 2 * k * all + l;
            double *wide = (double *)t->lanes + 2 * k * all + l;
            if (complex == DT_C64)
                narrow[0] = (float)re, narrow[all] = (float)-im;
            else
                wide[0] = re, wide[all] = -im;
        }
    for (int64_t b = 0; b < blocks; b++)
        for (int64_t k = 0; k < n1; k++) put_root(complex, t->blocks, b * n1 + k, b * all * k, n);
    return true;
}

void radix_twiddles_free(radix_twiddles *t) {
    mem_free(t->lanes);
    mem_free(t->blocks);
    *t = (radix_twiddles){0};
}

void radix_twiddle_transpose(const radix_twiddles *t, gpa_dtype complex, const radix_transpose *a) {
    const char *blocks = (const char *)t->blocks + (size_t)(a->block * a->n1) * dtype_size(complex);
    const int64_t point = radix_point_elems(complex);
    char *column = (char *)a->to +
                   (size_t)(a->block * point / 2 * point) * dtype_size(dtype_info[complex].real);
    const int width = register_bytes();
    BY_WIDTH(twiddle_transpose, complex, t->lanes, (const void *)blocks, a->rows, a->from,
             (void *)column, a->pitch);
}
