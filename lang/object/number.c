/* Numeric comparison, equality and hashing across types. Comparison of an integer with a float is
 * exact: the float is split at its integral part. */
#include "lang/object/number.h"

#include "lang/object/big.h"

#include <math.h>

static number of_int(int64_t i) { return (number){.kind = NUMBER_INT, .i = i, .re = (double)i}; }

static number of_float(double f) { return (number){.kind = NUMBER_FLOAT, .re = f}; }

static number of_uint(uint64_t u) {
    if (u <= INT64_MAX) return of_int((int64_t)u);
    return (number){.kind = NUMBER_UINT, .u = u, .re = (double)u};
}

number number_of_element(gpa_dtype t, gpa_val v) {
    switch (dtype_info[t].kind) {
        case 'B':
        case 'I': return of_int(dtype_cast(v, t, DT_I64).I64);
        case 'U': return of_uint(dtype_cast(v, t, DT_U64).U64);
        case 'F': return of_float(dtype_cast(v, t, DT_F64).F64);
        default: {
            gpa_c128 c = dtype_cast(v, t, DT_C128).C128;
            return (number){.kind = NUMBER_COMPLEX, .re = c.re, .im = c.im};
        }
    }
}

gpa_val number_payload(value v, gpa_dtype *t) {
    gpa_val p = {.bits = {v.bits, 0}};
    *t = (gpa_dtype)v.aux;
    if (v.tag == V_COMPLEX) {
        *t = DT_C128;
        p.C128 = (gpa_c128){v.complex->re, v.complex->im};
    }
    return p;
}

number number_of(value v) {
    if (v.tag == V_INT || v.tag == V_BOOL) return of_int(v.i);
    if (v.tag == V_FLOAT) return of_float(v.f);
    if (v.tag == V_COMPLEX)
        return (number){.kind = NUMBER_COMPLEX, .re = v.complex->re, .im = v.complex->im};
    if (v.tag == V_BIG) {
        uint64_t u;
        return big_is_uint(v.big, &u)
                   ? of_uint(u)
                   : (number){.kind = NUMBER_BIG, .big = v.big, .re = big_double(v.big)};
    }
    if (v.tag != V_NUM) return (number){.kind = NUMBER_NOT};
    gpa_dtype t;
    gpa_val p = number_payload(v, &t);
    return number_of_element(t, p);
}

bool number_is_numpy(value v) {
    return v.tag == V_NUM || ((v.tag == V_COMPLEX || v.tag == V_ARRAY) && v.aux == 1);
}

double number_real(const number *n) { return n->re; }

/* An integer against a float that is not NaN. */
static int compare_mixed(const number *n, double f) {
    if (n->kind == NUMBER_BIG) return big_compare_double(n->big, f);
    if (f >= 18446744073709551616.0) return -1;
    if (f < -9223372036854775808.0) return 1;
    double whole = floor(f);
    int order;
    if (n->kind == NUMBER_UINT) {
        if (whole < 9223372036854775808.0) return 1;
        uint64_t w = (uint64_t)whole;
        order = n->u < w ? -1 : n->u > w;
    } else {
        if (whole >= 9223372036854775808.0) return -1;
        int64_t w = (int64_t)whole;
        order = n->i < w ? -1 : n->i > w;
    }
    return order ? order : whole < f ? -1 : 0;
}

static bool is_whole(const number *n) {
    return n->kind == NUMBER_INT || n->kind == NUMBER_UINT || n->kind == NUMBER_BIG;
}

int number_compare(const number *a, const number *b) {
    if (is_whole(a) && is_whole(b)) {
        if (a->kind == NUMBER_BIG && b->kind == NUMBER_BIG)
            return big_compare(v_obj(V_BIG, (void *)a->big), v_obj(V_BIG, (void *)b->big));
        if (a->kind == NUMBER_BIG) return a->big->negative ? -1 : 1;
        if (b->kind == NUMBER_BIG) return b->big->negative ? 1 : -1;
        if (a->kind != b->kind) return a->kind == NUMBER_UINT ? 1 : -1;
        if (a->kind == NUMBER_UINT) return a->u < b->u ? -1 : a->u > b->u;
        return a->i < b->i ? -1 : a->i > b->i;
    }
    if ((!is_whole(a) && isnan(a->re)) || (!is_whole(b) && isnan(b->re))) return 2;
    if (is_whole(a)) return compare_mixed(a, b->re);
    if (is_whole(b)) return -compare_mixed(b, a->re);
    return a->re < b->re ? -1 : a->re > b->re;
}

bool number_equal(const number *a, const number *b) {
    return number_compare(a, b) == 0 && !isnan(a->im) && !isnan(b->im) && !(a->im < b->im) &&
           !(a->im > b->im);
}

static const uint64_t modulus = ((uint64_t)1 << 61) - 1;

static int64_t hash_whole(bool negative, uint64_t magnitude) {
    int64_t h = (int64_t)(magnitude % modulus);
    if (negative) h = -h;
    return h == -1 ? -2 : h;
}

/* x modulo 2^61 - 1, as CPython: digit by digit of 28 bits. */
static int64_t hash_double(double x) {
    if (isinf(x)) return x > 0 ? 314159 : -314159;
    if (isnan(x)) return 0;
    int e;
    double m = frexp(fabs(x), &e);
    uint64_t h = 0;
    while (m > 0) {
        h = ((h << 28) & modulus) | h >> (61 - 28);
        m *= 268435456.0;
        e -= 28;
        uint64_t digit = (uint64_t)m;
        m -= (double)digit;
        h += digit;
        if (h >= modulus) h -= modulus;
    }
    e = e >= 0 ? e % 61 : 60 - ((-1 - e) % 61);
    h = ((h << e) & modulus) | h >> (61 - e);
    return hash_whole(x < 0, h);
}

int64_t number_hash(const number *n) {
    if (n->kind == NUMBER_INT)
        return hash_whole(n->i < 0, n->i < 0 ? 0 - (uint64_t)n->i : (uint64_t)n->i);
    if (n->kind == NUMBER_UINT) return hash_whole(false, n->u);
    if (n->kind == NUMBER_BIG) return big_hash(n->big);
    int64_t h = hash_double(n->re);
    if (n->kind == NUMBER_COMPLEX)
        h = (int64_t)((uint64_t)h + 1000003 * (uint64_t)hash_double(n->im));
    return h == -1 ? -2 : h;
}
