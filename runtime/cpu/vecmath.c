/* Functions of libm: the vector variants of glibc's libmvec where they exist, found by their ABI names; the exponential
 * and logarithms of float are written out here.
 *
 * A variant works on one register; wider vectors are cut into registers. All lanes go through the same variant, tails
 * included, so that an element's value does not depend on where it stands. */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runtime/cpu/ll.h"

/* Looked up in libmvec itself: the executable does not link it. Opened once, never closed. */
static void *find_vector(const char *name) {
    static const char *const libraries[] = {"libmvec.so.1", "libmvec.so"};
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        void *lib = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = lib ? dlsym(lib, name) : NULL;
        if (found) return found;
    }
    return NULL;
}

static void *vector_variant(ll *E, const char *name, unsigned n, unsigned lanes, bool is_double, char *full, size_t cap) {
    unsigned bytes = lanes * (is_double ? 8 : 4);
    char letter = E->host->letter == 'n' ? 'n' : bytes == 64 ? 'e' : bytes == 32 ? 'd' : 'b';
    if (!E->host->letter) return NULL;
    snprintf(full, cap, "_ZGV%cN%u%s_%s%s", letter, lanes, n == 1 ? "v" : "vv", name, is_double ? "" : "f");
    return find_vector(full);
}

static V call_in_registers(ll *E, const char *full, void *address, V *args, unsigned n, unsigned lanes) {
    unsigned width = ll_width(args[0]), parts = width / lanes;
    V part[64], cut[2];
    for (unsigned p = 0; p < parts; p++) {
        for (unsigned i = 0; i < n; i++) cut[i] = ll_slice(E, args[i], p * lanes, lanes);
        part[p] = ll_call(E, full, address, LLVMTypeOf(cut[0]), cut, n);
    }
    for (; parts > 1; parts /= 2)
        for (unsigned p = 0; p < parts / 2; p++) part[p] = ll_join(E, part[2 * p], part[2 * p + 1]);
    return part[0];
}

/* ---- exp ----
 *
 * libmvec leaves its vector path for every lane that underflows, which a softmax meets all the time; and a call spills
 * every register. exp(x) = 2^n * exp(r), n the integer nearest to x / ln 2, |r| <= ln 2 / 2, exp(r) by its series, 2^n
 * in two factors so that subnormal results round once. Less than 1.1 units in the last place. */

static V fma_(ll *E, V a, V b, V c) {
    V args[3] = {a, b, c};
    return ll_intrinsic(E, "llvm.fma", args, 3);
}

static V clamp(ll *E, V x, double lo, double hi) {
    V low = ll_real_like(E, x, lo), high = ll_real_like(E, x, hi);
    x = ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOLT, x, low, ""), low, x);
    return ll_select(E, LLVMBuildFCmp(E->b, LLVMRealOGT, x, high, ""), high, x);
}

/* 2^n for integers that stay within the normal range. */
static V power_of_two(ll *E, V n, LLVMTypeRef real, bool is_double) {
    V biased = LLVMBuildAdd(E->b, n, ll_int_like(E, n, is_double ? 1023 : 127), "");
    V bits = LLVMBuildShl(E->b, biased, ll_int_like(E, n, is_double ? 52 : 23), "");
    return LLVMBuildBitCast(E->b, bits, real, "");
}

static V exponential(ll *E, V x, bool is_double) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef real = LLVMTypeOf(x), whole = LLVMVectorType(ll_i(E, is_double ? 64 : 32), ll_width(x));
    /* Adding this number leaves the nearest integer in the lowest bits of the sum. */
    V magic = ll_real_like(E, x, is_double ? 6755399441055744.0 : 12582912.0);
    x = is_double ? clamp(E, x, -746, 710) : clamp(E, x, -105, 89);
    V sum = fma_(E, x, ll_real_like(E, x, 1.44269504088896340736), magic);
    V n = LLVMBuildSub(b, LLVMBuildBitCast(b, sum, whole, ""), LLVMBuildBitCast(b, magic, whole, ""), "");
    V turns = LLVMBuildFNeg(b, LLVMBuildFSub(b, sum, magic, ""), "");
    V r = fma_(E, turns, ll_real_like(E, x, is_double ? 0x1.62e42fefa39efp-1 : 0x1.62e43p-1), x);
    r = fma_(E, turns, ll_real_like(E, x, is_double ? 0x1.abc9e3b39803fp-56 : -0x1.05c61p-29), r);
    static const double inverse[] = {
        1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
        1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
    int k = is_double ? 13 : 7;
    V p = ll_real_like(E, x, inverse[k]);
    while (k-- > 0) p = fma_(E, p, r, ll_real_like(E, x, inverse[k]));
    V half = LLVMBuildAShr(b, n, ll_int_like(E, n, 1), "");
    p = LLVMBuildFMul(b, p, power_of_two(E, half, real, is_double), "");
    return LLVMBuildFMul(b, p, power_of_two(E, LLVMBuildSub(b, n, half, ""), real, is_double), "");
}

/* ---- log, log2 of float ----
 *
 * x = 2^k * m, m from the root of 1/2 to that of 2, f = m - 1 without rounding, s = f / (2 + f): log m = 2 s + s R with the
 * rest R of the series of 2 artanh s. 2 s is f - (f^2 / 2 - s f^2 / 2), of which only what is small is rounded. Below 0.8 and 1.7
 * units in the last place. (libmvec's of double is as fast as this would be.) */

static V logarithm(ll *E, V x, bool of_2) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef real = LLVMTypeOf(x), whole = LLVMVectorType(ll_i(E, 32), ll_width(x));
    V zero = ll_real_like(E, x, 0), infinity = ll_real_like(E, x, INFINITY);
    V small = LLVMBuildFCmp(b, LLVMRealOLT, x, ll_real_like(E, x, 0x1p-126), ""); /* subnormal */
    V from = ll_select(E, small, LLVMBuildFMul(b, x, ll_real_like(E, x, 0x1p25), ""), x);
    V bits = LLVMBuildBitCast(b, from, whole, ""), root = ll_int_like(E, bits, 0x3f3504f3), fraction = ll_int_like(E, bits, 23);
    V turns = LLVMBuildAShr(b, LLVMBuildSub(b, bits, root, ""), fraction, "");
    V m = LLVMBuildBitCast(b, LLVMBuildSub(b, bits, LLVMBuildShl(b, turns, fraction, ""), ""), real, "");
    V k = LLVMBuildSIToFP(b, turns, real, "");
    k = ll_select(E, small, LLVMBuildFSub(b, k, ll_real_like(E, x, 25), ""), k);
    V f = LLVMBuildFSub(b, m, ll_real_like(E, x, 1), "");
    V s = LLVMBuildFDiv(b, f, LLVMBuildFAdd(b, f, ll_real_like(E, x, 2), ""), ""), z = LLVMBuildFMul(b, s, s, "");
    V rest = ll_real_like(E, x, 2.0 / 9); /* z is below 0.0295: what follows is below 2^-28 of the sum */
    for (int i = 7; i >= 3; i -= 2) rest = fma_(E, rest, z, ll_real_like(E, x, 2.0 / i));
    rest = LLVMBuildFMul(b, rest, z, "");
    V half = LLVMBuildFMul(b, LLVMBuildFMul(b, f, ll_real_like(E, x, 0.5), ""), f, ""), most = LLVMBuildFAdd(b, half, rest, ""), out;
    if (of_2) {
        V log = LLVMBuildFSub(b, f, LLVMBuildFSub(b, half, LLVMBuildFMul(b, s, most, ""), ""), "");
        out = fma_(E, log, ll_real_like(E, x, 1.44269504088896340736), k);
    } else {
        V low = fma_(E, s, most, LLVMBuildFMul(b, k, ll_real_like(E, x, -0x1.05c610ca86c39p-29), ""));
        V near = LLVMBuildFSub(b, LLVMBuildFSub(b, half, low, ""), f, "");
        out = fma_(E, k, ll_real_like(E, x, 0x1.62e43p-1), LLVMBuildFNeg(b, near, ""));
    }
    out = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, x, infinity, ""), x, out);
    out = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, x, zero, ""), LLVMBuildFNeg(b, infinity, ""), out);
    return ll_select(E, LLVMBuildFCmp(b, LLVMRealULT, x, zero, ""), ll_real_like(E, x, NAN), out);
}

V ll_libm(ll *E, const char *name, V *args, unsigned n) {
    char full[48];
    unsigned width = ll_width(args[0]);
    LLVMTypeRef one = LLVMTypeOf(args[0]);
    if (width > 1) one = LLVMGetElementType(one);
    bool is_double = LLVMGetTypeKind(one) == LLVMDoubleTypeKind;
    void *address;
    if (width == 1) {
        snprintf(full, sizeof full, "%s%s", name, is_double ? "" : "f");
        address = dlsym(RTLD_DEFAULT, full);
        return address ? ll_call(E, full, address, one, args, n) : NULL;
    }
    if (!strcmp(name, "exp") && E->host->fma) return exponential(E, args[0], is_double);
    if (!is_double && (!strcmp(name, "log") || !strcmp(name, "log2")) && E->host->fma) return logarithm(E, args[0], name[3]);
    unsigned lanes = E->host->bytes / (is_double ? 8 : 4);
    if (lanes > width) lanes = width;
    address = vector_variant(E, name, n, lanes, is_double, full, sizeof full);
    return address ? call_in_registers(E, full, address, args, n, lanes) : NULL;
}
