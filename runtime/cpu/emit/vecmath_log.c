/* Vectorized log, log2, log10 and pow, with lookup tables in registers or memory.
 *
 * x = 2^k z, z from 3/4 to 3/2. The leading bits of its fraction select c, about 1 / z, and z c
 * = 1 + f, f small: log x = k log 2 - log c + log(1 + f). Near 1, on both sides, c is 1, so that
 * the sum is only its last term. The method is that of P. T. P. Tang, "Table-driven
 * implementation of the logarithm function in IEEE floating-point arithmetic", ACM Transactions
 * on Mathematical Software 16 (1990). pow uses double-word arithmetic: second words hold the
 * rounding errors of the first. With 512-bit registers the getmant and getexp instructions handle
 * zeros, infinities, NaN, subnormal and negative operands; without, operations on the bits do. */
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/cpu/emit/vecmath.h"

#define LN2_HEAD 0x1.62e42fefa39efp-1L
#define LN2_TAIL 0x1.abc9e3b39803fp-56L
#define LN2 (LN2_HEAD + LN2_TAIL)
#define LN10 2.302585092994045684017991454684364208L

enum { ENTRIES = 32, FLOATS = 32, DOUBLES = 16 }; /* table capacity; entries in two registers */
enum { ROW = 4 };                                 /* doubles of a 256-bit register */
enum {
    OF_SIZE = 0x7,
    OF_POSITIVE = 0xb
}; /* how getmant takes the fraction, from 3/4 to 3/2: of a negative operand that of its absolute
      value, or NaN */

static unsigned entries_of(V x) { return vec_is_double(x) ? DOUBLES : FLOATS; }
static double rounded(V like, long double x) {
    return vec_is_double(like) ? (double)x : (double)(float)x;
}

/* The leading part of x, with trailing zero bits: adding multiples of it is exact. Never more
 * than x. */
static double head_of(V like, long double x) {
    long double unit = vec_is_double(like) ? 0x1p-42L : 0x1p-15L;
    return (double)(floorl(x / unit) * unit);
}

/* About 1 / z for fractions that begin with the bits i: those of at least 1/2 belong to z below
 * 1. */
static double reciprocal(V like, unsigned i) {
    double step = 1.0 / entries_of(like), lo = i * step, hi = lo + step;
    if (!i || i + 1 == entries_of(like)) return 1;
    return rounded(like,
                   i < entries_of(like) / 2 ? 1 / (1 + (lo + hi) / 2) : 2 / (1 + (lo + hi) / 2));
}

/* ---- instructions ---- */

static V fraction_of(ll *E, V x, V y, const void *how) {
    V args[] = {x, LLVMConstInt(ll_i(E, 32), *(const unsigned *)how, 0),
                LLVMConstNull(LLVMTypeOf(x))};
    (void)y;
    return vec_masked(E, "getmant", args, COUNT_OF(args));
}

/* The exponent of the leading bit, as a float; minus infinity for 0, infinity for infinity. */
static V exponent_of(ll *E, V x, V y, const void *more) {
    V args[] = {x, LLVMConstNull(LLVMTypeOf(x))};
    (void)y, (void)more;
    return vec_masked(E, "getexp", args, COUNT_OF(args));
}

typedef struct {
    bool is_double;
    V low, high;
} registers;

static V entry_of(ll *E, V index, V y, const void *more) {
    const registers *t = more;
    (void)y;
    V args[] = {t->low, index, t->high};
    return ll_intrinsic_of(
        E, t->is_double ? "llvm.x86.avx512.vpermi2var.pd.512" : "llvm.x86.avx512.vpermi2var.ps.512",
        NULL, 0, args, COUNT_OF(args));
}

/* Table lookup in memory: the entries with one index are a row of ROW doubles, one load for each
 * lane. Blocks of ROW rows are transposed. */
static void look_up_rows(ll *E, V index, const double *const *tables, unsigned n, V *out) {
    LLVMBuilderRef b = E->b;
    LLVMTypeRef one = LLVMDoubleTypeInContext(E->ctx), row = LLVMVectorType(one, ROW);
    V like = LLVMConstNull(one), rows[DOUBLES], at[ROW], entries[ROW];
    for (unsigned i = 0; i < DOUBLES; i++) {
        for (unsigned t = 0; t < ROW; t++)
            entries[t] = ll_real_like(E, like, t < n ? tables[t][i] : 0);
        rows[i] = LLVMConstVector(entries, ROW);
    }
    V global = LLVMAddGlobal(LLVMGetGlobalParent(E->fn), LLVMArrayType2(row, DOUBLES), "table");
    LLVMSetInitializer(global, LLVMConstArray2(row, rows, DOUBLES));
    LLVMSetGlobalConstant(global, 1);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    const unsigned width = ll_width(index);
    index = LLVMBuildAnd(b, index, ll_int_like(E, index, DOUBLES - 1), "");
    for (unsigned t = 0; t < n; t++) out[t] = NULL;
    for (unsigned from = 0; from < width; from += ROW) {
        for (unsigned i = 0; i < ROW; i++) {
            V n_row = ll_slice(E, index, (from + i) % width, 1),
              place = LLVMBuildInBoundsGEP2(b, row, global, &n_row, 1, "");
            at[i] = LLVMBuildLoad2(b, row, place, "");
        }
        ll_transpose(E, at, ROW);
        for (unsigned t = 0; t < n; t++) out[t] = out[t] ? ll_join(E, out[t], at[t]) : at[t];
    }
    for (unsigned t = 0; t < n; t++) out[t] = ll_slice(E, out[t], 0, width);
}

void vec_look_up(ll *E, V x, V index, const double *const *tables, unsigned n, V *out) {
    if (!E->host->masks) {
        look_up_rows(E, index, tables, n, out);
        return;
    }
    unsigned lanes = entries_of(x) / 2;
    V low[ENTRIES / 2], high[ENTRIES / 2], like = ll_slice(E, x, 0, 1);
    for (unsigned t = 0; t < n; t++) {
        for (unsigned i = 0; i < lanes; i++)
            low[i] = ll_real_like(E, like, tables[t][i]),
            high[i] = ll_real_like(E, like, tables[t][lanes + i]);
        registers r = {vec_is_double(x), LLVMConstVector(low, lanes), LLVMConstVector(high, lanes)};
        out[t] = vec_by_registers(E, index, NULL, entry_of, &r);
    }
}

/* ---- logarithms ---- */

typedef struct {
    V z, k, index; /* k is a float; it is one too small where z is below 1 */
} split;

/* The mantissa and exponent, as getmant and getexp. A subnormal operand is scaled to a normal one;
 * the exponent becomes a float as the last bits of a number whose own last bit is 1. */
static void split_by_bits(ll *E, V x, unsigned how, V *z, V *k) {
    LLVMBuilderRef b = E->b;
    const bool is_double = vec_is_double(x);
    const int fraction = is_double ? 52 : 23, bias = is_double ? 1023 : 127;
    const double scale = ldexp(1, fraction + 1), normal = is_double ? 0x1p-1022 : 0x1p-126,
                 unit = ldexp(1, fraction);
    V size = vec_size(E, x), zero = ll_real_like(E, x, 0), endless = ll_real_like(E, x, INFINITY),
      subnormal = LLVMBuildFCmp(b, LLVMRealOLT, size, ll_real_like(E, x, normal), ""),
      scaled = ll_select(E, subnormal, LLVMBuildFMul(b, size, ll_real_like(E, x, scale), ""), size),
      bits = LLVMBuildBitCast(b, scaled, vec_whole(E, x), ""),
      raw = LLVMBuildLShr(b, bits, ll_int_like(E, bits, fraction), "");
    raw = LLVMBuildOr(b, raw, ll_int_like(E, bits, (int64_t)(bias + fraction) << fraction), "");
    *k = LLVMBuildFSub(b, LLVMBuildBitCast(b, raw, LLVMTypeOf(x), ""),
                       ll_select(E, subnormal, ll_real_like(E, x, unit + bias + fraction + 1),
                                 ll_real_like(E, x, unit + bias)),
                       "");
    *k = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, size, endless, ""), endless, *k);
    *k = ll_select(E, LLVMBuildFCmp(b, LLVMRealOEQ, size, zero, ""), ll_real_like(E, x, -INFINITY),
                   *k);
    V digits = LLVMBuildAnd(b, bits, ll_int_like(E, bits, (INT64_C(1) << fraction) - 1), ""),
      from_half = LLVMBuildAnd(b, digits, ll_int_like(E, bits, INT64_C(1) << (fraction - 1)), ""),
      one = ll_int_like(E, bits, (int64_t)bias << fraction),
      exponent = LLVMBuildSub(b, one, LLVMBuildShl(b, from_half, ll_int_like(E, bits, 1), ""), "");
    *z = LLVMBuildBitCast(b, LLVMBuildOr(b, digits, exponent, ""), LLVMTypeOf(x), "");
    V valid = how == OF_POSITIVE ? LLVMBuildFCmp(b, LLVMRealOGE, x, zero, "")
                                 : LLVMBuildFCmp(b, LLVMRealORD, x, x, "");
    *z = ll_select(E, valid, *z, ll_real_like(E, x, NAN));
}

static split split_of(ll *E, V x, unsigned how) {
    V z, k;
    if (E->host->masks) {
        z = vec_by_registers(E, x, NULL, fraction_of, &how);
        k = vec_by_registers(E, x, NULL, exponent_of, NULL);
    } else {
        split_by_bits(E, x, how, &z, &k);
    }
    V bits = LLVMBuildBitCast(E->b, z, vec_whole(E, x), ""),
      first = ll_int_like(E, bits, vec_is_double(x) ? 52 - 4 : 23 - 5);
    return (split){z, k, LLVMBuildLShr(E->b, bits, first, "")};
}

/* c, and k log 2 - log c in two parts, of which the first is exact; in units of `unit`, the
 * natural logarithm of the base. The tables correct k where z is below 1: near 1 both parts are
 * 0. */
typedef struct {
    V c, log, rest;
} known;

static known known_of(ll *E, split s, long double unit) {
    V like = s.z;
    double c[ENTRIES], log[ENTRIES], rest[ENTRIES], ln2 = head_of(like, LN2 / unit);
    double ln2_rest = rounded(like, unit == 1 ? LN2_HEAD - ln2 + LN2_TAIL : LN2 / unit - ln2);
    for (unsigned i = 0; i < entries_of(like); i++) {
        long double exact = -logl(c[i] = reciprocal(like, i)) / unit;
        bool lacks = i >= entries_of(like) / 2;
        log[i] = head_of(like, exact);
        rest[i] = rounded(like, exact - log[i] + (lacks ? ln2_rest : 0));
        log[i] += lacks ? ln2 : 0;
    }
    V entry[3];
    vec_look_up(E, like, s.index, (const double *const[]){c, log, rest}, COUNT_OF(entry), entry);
    known out = {entry[0], entry[1], entry[2]};
    out.log = vec_fma(E, s.k, ll_real_like(E, like, ln2), out.log);
    if (ln2_rest != 0) out.rest = vec_fma(E, s.k, ll_real_like(E, like, ln2_rest), out.rest);
    return out;
}

/* In double, the last bits of the polynomial's first coefficient matter; in float the sum hides
 * them. */
static V logarithm(ll *E, V x, long double unit) {
    static const double c_double[] = {1,
                                      -0x1.0000000000003p-1,
                                      0x1.555555555622bp-2,
                                      -0x1.fffffffff0fd2p-3,
                                      0x1.9999997bb9a1cp-3,
                                      -0x1.55555488644d4p-3,
                                      0x1.2492e934d5fb9p-3,
                                      -0x1.000ac27f43499p-3,
                                      0x1.c564033c584b5p-4,
                                      -0x1.64b99205fcdc0p-4};
    static const double c_float[] = {1, -0x1.00002cd05b239p-1, 0x1.555dc8dc09293p-2,
                                     -0x1.f315f4f8bfb7ep-3};
    bool is_double = vec_is_double(x);
    const double *c = is_double ? c_double : c_float;
    unsigned n = is_double ? COUNT_OF(c_double) : COUNT_OF(c_float);
    double scaled[COUNT_OF(c_double)], per = (double)(1 / unit);
    for (unsigned i = 0; i < n; i++) scaled[i] = (double)(c[i] / unit);
    if (is_double) scaled[0] = (double)(1 / unit - per);
    split s = split_of(E, x, OF_POSITIVE);
    known log = known_of(E, s, unit);
    V f = vec_fma(E, s.z, log.c, ll_real_like(E, x, -1)),
      rest = vec_fma(E, f, vec_polynomial(E, f, scaled, (int)n), log.rest);
    return LLVMBuildFAdd(E->b, log.log,
                         is_double ? vec_fma(E, f, ll_real_like(E, x, per), rest) : rest, "");
}

V vec_log(ll *E, V x, V y) { return (void)y, logarithm(E, x, 1); }
V vec_log2(ll *E, V x, V y) { return (void)y, logarithm(E, x, LN2); }
V vec_log10(ll *E, V x, V y) { return (void)y, logarithm(E, x, LN10); }

/* ---- pow ---- */

/* Exact sum in two words (Fast2Sum): the rounded sum of head and tail, and its error. |tail|
 * must not exceed |head|. */
static void sum_of(ll *E, V *head, V *tail) {
    V sum = LLVMBuildFAdd(E->b, *head, *tail, "");
    *tail = LLVMBuildFAdd(E->b, LLVMBuildFSub(E->b, *head, sum, ""), *tail, "");
    *head = sum;
}

/* The tail of an infinity is NaN. In float the tail contains all terms from f^2 / 2 on, a
 * hundredth of the head; in double those from f^3 / 3 on, with log(1 + f + f_rest) = f - f^2 / 2
 * + f_rest (1 - f + f^2) + f^3 (1 / 3 - ...). */
void vec_long_log(ll *E, V x, V *head, V *tail) {
    static const double c_double[] = {
        0x1.5555555555554p-2, -0x1.0000000000061p-2, 0x1.999999999e6f3p-3, -0x1.55555554ad1dfp-3,
        0x1.249248eec8e32p-3, -0x1.0000017ad66cfp-3, 0x1.c71e47dd44d47p-4, -0x1.99a9e01286d14p-4,
        0x1.71ee47c0a4cc0p-4, -0x1.2105d2f9a79e3p-4};
    static const double c_float[] = {-0x1.0000000ca425dp-1, 0x1.5555be48b6df0p-2,
                                     -0x1.0002f9f1d6f59p-2, 0x1.8cd0799870272p-3};
    LLVMBuilderRef b = E->b;
    split s = split_of(E, x, OF_SIZE);
    known log = known_of(E, s, 1);
    V product = LLVMBuildFMul(b, s.z, log.c, ""),
      f = LLVMBuildFSub(b, product, ll_real_like(E, x, 1), "");
    V rest = vec_fma(E, s.z, log.c, LLVMBuildFNeg(b, product, "")), f2 = LLVMBuildFMul(b, f, f, ""),
      first = f;
    *head = log.log;
    sum_of(E, head, &first);
    if (vec_is_double(x)) {
        V half = LLVMBuildFMul(b, f, ll_real_like(E, x, -0.5), ""),
          square = LLVMBuildFMul(b, f, half, ""), second = square;
        V square_rest = vec_fma(E, f, half, LLVMBuildFNeg(b, square, ""));
        rest =
            LLVMBuildFAdd(b, rest, vec_fma(E, rest, LLVMBuildFSub(b, f2, f, ""), square_rest), "");
        rest = vec_fma(E, LLVMBuildFMul(b, f, f2, ""),
                       vec_polynomial(E, f, c_double, COUNT_OF(c_double)), rest);
        sum_of(E, head, &second);
        first = LLVMBuildFAdd(b, first, second, "");
    } else {
        rest = vec_fma(E, LLVMBuildFNeg(b, f, ""), rest, rest);
        rest = vec_fma(E, f2, vec_polynomial(E, f, c_float, COUNT_OF(c_float)), rest);
    }
    *tail = LLVMBuildFAdd(b, first, LLVMBuildFAdd(b, log.rest, rest, ""), "");
}

V vec_long_power(ll *E, V head, V tail, V *exponent) {
    static const double c_double[] = {0x1.0000000000005p-1, 0x1.555555548784bp-3,
                                      0x1.555555545517fp-5, 0x1.111240a7c3b2ap-7,
                                      0x1.6c1865f09d829p-10};
    static const double c_float[] = {0x1.00008a8640c0dp-1, 0x1.5555db2a9c8c8p-3};
    LLVMBuilderRef b = E->b;
    bool is_double = vec_is_double(head);
    unsigned entries = entries_of(head);
    double power[ENTRIES], power_rest[ENTRIES];
    for (unsigned i = 0; i < entries; i++) {
        long double exact = exp2l((long double)i / entries);
        power[i] = rounded(head, exact);
        power_rest[i] = rounded(head, exact - power[i]);
    }
    sum_of(E, &head, &tail);
    V steps, n = vec_nearest(E, head, entries * 1.44269504088896340736, &steps);
    double step = rounded(head, LN2 / entries),
           step_rest = (double)(LN2_HEAD / entries - step + LN2_TAIL / entries);
    V back = LLVMBuildFNeg(b, steps, "");
    V r = vec_fma(E, back, ll_real_like(E, head, step), head);
    r = LLVMBuildFAdd(b, vec_fma(E, back, ll_real_like(E, head, step_rest), r), tail, "");
    V more = is_double ? vec_polynomial(E, r, c_double, COUNT_OF(c_double))
                       : vec_polynomial(E, r, c_float, COUNT_OF(c_float));
    more = vec_fma(E, LLVMBuildFMul(b, r, r, ""), more, r);
    V base[2];
    vec_look_up(E, head, n, (const double *const[]){power, power_rest}, COUNT_OF(base), base);
    V rest = vec_fma(E, base[0], more, base[1]);
    *exponent = LLVMBuildFMul(b, steps, ll_real_like(E, head, 1.0 / entries), "");
    return LLVMBuildFAdd(b, base[0], rest, "");
}

/* exp(head + tail). If the tail is NaN or above 4, the head is far outside the range of finite
 * nonzero results. */
static V long_exp(ll *E, V head, V tail) {
    LLVMBuilderRef b = E->b;
    V most = ll_real_like(E, head, 4), least = ll_real_like(E, head, -4), exponent;
    tail = ll_select(E, LLVMBuildFCmp(b, LLVMRealOLT, tail, most, ""), tail, most);
    tail = ll_select(E, LLVMBuildFCmp(b, LLVMRealOGT, tail, least, ""), tail, least);
    head = vec_is_double(head) ? vec_clamp(E, head, -751, 715) : vec_clamp(E, head, -110, 94);
    V power = vec_long_power(E, head, tail, &exponent), n = NULL;
    if (!E->host->masks) n = vec_nearest(E, ll_intrinsic(E, "llvm.floor", &exponent, 1), 1, &n);
    return vec_scaled(E, power, n, exponent);
}

static V is_whole(ll *E, V y) {
    return LLVMBuildFCmp(E->b, LLVMRealOEQ, ll_intrinsic(E, "llvm.trunc", &y, 1), y, "");
}

/* `out`, which is valid for x >= +0 and finite nonzero y, extended to the special cases: an odd
 * y keeps the sign of x, a negative x with a y that is not an integer gives NaN. */
static V any_power(ll *E, V x, V y, V out) {
    LLVMBuilderRef b = E->b;
    V zero = ll_real_like(E, x, 0), one = ll_real_like(E, x, 1),
      endless = ll_real_like(E, x, INFINITY), size = vec_size(E, x);
    V whole = is_whole(E, y),
      odd = LLVMBuildAnd(
          b, whole,
          LLVMBuildNot(b, is_whole(E, LLVMBuildFMul(b, y, ll_real_like(E, y, 0.5), "")), ""), "");
    out = ll_select(E, odd, vec_signed(E, out, x), out);
    V negative = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOLT, x, zero, ""),
                              LLVMBuildFCmp(b, LLVMRealOLT, size, endless, ""), "");
    out = ll_select(E, LLVMBuildAnd(b, negative, LLVMBuildNot(b, whole, ""), ""),
                    ll_real_like(E, x, NAN), out);
    V ones = LLVMBuildAnd(b, LLVMBuildFCmp(b, LLVMRealOEQ, size, one, ""),
                          LLVMBuildFCmp(b, LLVMRealOEQ, vec_size(E, y), endless, ""), "");
    V always = LLVMBuildOr(b, LLVMBuildFCmp(b, LLVMRealOEQ, y, zero, ""),
                           LLVMBuildFCmp(b, LLVMRealOEQ, x, one, ""), "");
    return ll_select(E, LLVMBuildOr(b, always, ones, ""), one, out);
}

typedef struct {
    V x, y, out;
} powers;

static V other_power(ll *E, const void *more) {
    const powers *p = more;
    return any_power(E, p->x, p->y, p->out);
}

/* The common case: x has no sign bit (-0 excluded), y is finite and nonzero. */
V vec_pow(ll *E, V x, V y) {
    LLVMBuilderRef b = E->b;
    V zero = ll_real_like(E, x, 0), size = vec_size(E, y), head, tail;
    vec_long_log(E, x, &head, &tail);
    V product = LLVMBuildFMul(b, y, head, ""),
      rest = vec_fma(E, y, tail, vec_fma(E, y, head, LLVMBuildFNeg(b, product, "")));
    powers p = {x, y, long_exp(E, product, rest)};
    V bits = LLVMBuildBitCast(b, x, vec_whole(E, x), ""),
      usual = LLVMBuildICmp(b, LLVMIntSGE, bits, ll_int_like(E, bits, 0), "");
    usual = LLVMBuildAnd(b, usual, LLVMBuildFCmp(b, LLVMRealOGT, size, zero, ""), "");
    usual = LLVMBuildAnd(b, usual,
                         LLVMBuildFCmp(b, LLVMRealOLT, size, ll_real_like(E, x, INFINITY), ""), "");
    return vec_unless(E, LLVMBuildNot(b, usual, ""), p.out, other_power, &p);
}
