/* Arbitrary-precision integer arithmetic, schoolbook algorithms (Knuth, TAOCP 2, 4.3.1). Reading
 * order: digit views, creation, addition, multiplication, division, powers and shifts, bits,
 * floats, text. */
#include "lang/object/big.h"

#include <math.h>

#include "lang/object/core.h"
#include "lang/object/number.h"

typedef struct big_obj big_obj;

/* Limits: digits of a result (2 GB), decimal digits that Python converts from and to text. */
enum { MOST = 1 << 29, MOST_DECIMALS = 4300 };

/* ---- digit views ---- */

/* An INT or BIG as digits. `digit` may point into `few`: do not copy the struct. */
typedef struct {
    bool negative;
    size_t n;
    const uint32_t *digit;
    uint32_t few[2];
} whole;

static size_t trimmed(const uint32_t *digit, size_t n) {
    while (n && digit[n - 1] == 0) n--;
    return n;
}

static void whole_of(value v, whole *w) {
    if (v.tag == V_BIG) {
        w->negative = v.big->negative;
        w->n = v.big->n;
        w->digit = v.big->digit;
        return;
    }
    uint64_t u = v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i;
    w->negative = v.i < 0;
    w->few[0] = (uint32_t)u;
    w->few[1] = (uint32_t)(u >> 32);
    w->digit = w->few;
    w->n = trimmed(w->few, 2);
}

static uint64_t low(const uint32_t *digit, size_t n) {
    return (n > 0 ? digit[0] : 0) | (n > 1 ? (uint64_t)digit[1] << 32 : 0);
}

/* ---- creation ---- */

/* A BIG of n zero digits. */
static big_obj *big_new(gpa_vm *vm, size_t n) {
    if (n > MOST) {
        vm_fail(vm, GPA_E_OVERFLOW, "int too large: it would have more than 2**34 bits");
        return NULL;
    }
    big_obj *b = mem_zero(sizeof *b + n * sizeof *b->digit);
    if (!b) {
        vm_no_memory(vm);
        return NULL;
    }
    b->head = (obj){1, V_BIG};
    b->n = n;
    return b;
}

/* Normalizes b: an INT if it suffices. */
static value settled(big_obj *b) {
    b->n = trimmed(b->digit, b->n);
    uint64_t u = low(b->digit, b->n);
    if (b->n > 2 || u > (uint64_t)INT64_MAX + b->negative) return v_obj(V_BIG, b);
    bool negative = b->negative;
    mem_free(b);
    return v_int(negative ? (int64_t)(0 - u) : (int64_t)u);
}

static gpa_code give(big_obj *b, value *out) {
    *out = settled(b);
    return GPA_OK;
}

value v_uint(gpa_vm *vm, uint64_t u) {
    if (u <= INT64_MAX) return v_int((int64_t)u);
    big_obj *b = big_new(vm, 2);
    if (!b) return v_unset();
    b->digit[0] = (uint32_t)u;
    b->digit[1] = (uint32_t)(u >> 32);
    return v_obj(V_BIG, b);
}

static gpa_code copied(gpa_vm *vm, const whole *w, bool negative, value *out) {
    big_obj *b = big_new(vm, w->n);
    if (!b) return vm_err(vm)->code;
    memcpy(b->digit, w->digit, w->n * sizeof *w->digit);
    b->negative = negative;
    return give(b, out);
}

/* ---- addition ---- */

static int compare_sizes(const whole *a, const whole *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (size_t i = a->n; i--;)
        if (a->digit[i] != b->digit[i]) return a->digit[i] < b->digit[i] ? -1 : 1;
    return 0;
}

int big_compare(value x, value y) {
    whole a, b;
    whole_of(x, &a);
    whole_of(y, &b);
    if (a.negative != b.negative) return a.negative ? -1 : 1;
    return a.negative ? compare_sizes(&b, &a) : compare_sizes(&a, &b);
}

/* |a| + |b|, with the sign. */
static gpa_code sum(gpa_vm *vm, const whole *a, const whole *b, bool negative, value *out) {
    size_t n = MAX(a->n, b->n) + 1;
    big_obj *r = big_new(vm, n);
    uint64_t carry = 0;
    if (!r) return vm_err(vm)->code;
    for (size_t i = 0; i < n; i++, carry >>= 32) {
        carry += (uint64_t)(i < a->n ? a->digit[i] : 0) + (i < b->n ? b->digit[i] : 0);
        r->digit[i] = (uint32_t)carry;
    }
    r->negative = negative;
    return give(r, out);
}

/* |a| - |b|, negated where `negated`. */
static gpa_code difference(gpa_vm *vm, const whole *a, const whole *b, bool negated, value *out) {
    bool swapped = compare_sizes(a, b) < 0;
    const whole *from = swapped ? b : a, *take = swapped ? a : b;
    big_obj *r = big_new(vm, from->n);
    int64_t borrow = 0;
    if (!r) return vm_err(vm)->code;
    for (size_t i = 0; i < from->n; i++) {
        borrow += (int64_t)from->digit[i] - (i < take->n ? take->digit[i] : 0);
        r->digit[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    r->negative = swapped != negated;
    return give(r, out);
}

static gpa_code plus(gpa_vm *vm, const whole *a, const whole *b, bool minus, value *out) {
    bool other = b->negative != minus;
    return a->negative == other ? sum(vm, a, b, a->negative, out)
                                : difference(vm, a, b, a->negative, out);
}

/* ---- multiplication ---- */

static gpa_code product(gpa_vm *vm, const whole *a, const whole *b, value *out) {
    if (a->n > b->n) return product(vm, b, a, out); /* the inner loop is the longer one */
    big_obj *r = big_new(vm, a->n + b->n);
    gpa_code rc = GPA_OK;
    if (!r) return vm_err(vm)->code;
    for (size_t i = 0; i < a->n && !rc; i++) {
        uint64_t carry = 0;
        for (size_t k = 0; k < b->n; k++, carry >>= 32) {
            carry += (uint64_t)a->digit[i] * b->digit[k] + r->digit[i + k];
            r->digit[i + k] = (uint32_t)carry;
        }
        r->digit[i + b->n] = (uint32_t)carry;
        rc = vm_poll(vm);
    }
    if (rc) {
        mem_free(r);
        return rc;
    }
    r->negative = a->negative != b->negative;
    return give(r, out);
}

/* ---- division ---- */

/* Divides the digits by one digit in place; returns the remainder. */
static uint32_t divide_small(uint32_t *digit, size_t n, uint32_t by) {
    uint64_t rest = 0;
    for (size_t i = n; i--;) {
        rest = rest << 32 | digit[i];
        digit[i] = (uint32_t)(rest / by);
        rest %= by;
    }
    return (uint32_t)rest;
}

/* to = from * 2^bits (bits below 32), one digit longer. */
static void shifted(const uint32_t *from, size_t n, int bits, uint32_t *to) {
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++, carry >>= 32) {
        carry |= (uint64_t)from[i] << bits;
        to[i] = (uint32_t)carry;
    }
    to[n] = (uint32_t)carry;
}

/* One quotient digit (Knuth's algorithm D): subtracts its multiple of v (normalized: highest bit
 * set) from the m + 1 digits at u. */
static uint32_t quotient_digit(uint32_t *u, const uint32_t *v, size_t m) {
    uint64_t top = (uint64_t)u[m] << 32 | u[m - 1], q = top / v[m - 1], rest = top % v[m - 1];
    while (q >> 32 || q * v[m - 2] > (rest << 32 | u[m - 2])) {
        q--;
        rest += v[m - 1];
        if (rest >> 32) break;
    }
    uint64_t carry = 0;
    int64_t borrow = 0;
    for (size_t i = 0; i < m; i++, carry >>= 32) {
        carry += q * v[i];
        borrow += (int64_t)u[i] - (uint32_t)carry;
        u[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    borrow += (int64_t)u[m] - (int64_t)carry;
    u[m] = (uint32_t)borrow;
    if (borrow >= 0) return (uint32_t)q;
    carry = 0;
    for (size_t i = 0; i < m; i++, carry >>= 32) { /* estimate one too large: add back */
        carry += (uint64_t)u[i] + v[i];
        u[i] = (uint32_t)carry;
    }
    u[m] += (uint32_t)carry;
    return (uint32_t)(q - 1);
}

/* |a| / |b| and the remainder, both owned by the caller. */
static gpa_code divide_sizes(gpa_vm *vm, const whole *a, const whole *b, big_obj **quotient,
                             big_obj **rest) {
    size_t n = a->n, m = b->n;
    gpa_code rc = GPA_OK;
    uint32_t *by = NULL;
    *quotient = big_new(vm, n >= m ? n - m + 1 : 1);
    *rest = *quotient ? big_new(vm, n + 1) : NULL;
    if (!*rest) goto out;
    if (n < m || m == 1) {
        memcpy((*rest)->digit, a->digit, n * sizeof *a->digit);
        if (m > 1) return GPA_OK;
        uint32_t left = divide_small((*rest)->digit, n, b->digit[0]);
        memcpy((*quotient)->digit, (*rest)->digit, n * sizeof *a->digit);
        memset((*rest)->digit, 0, n * sizeof *a->digit);
        (*rest)->digit[0] = left;
        return GPA_OK;
    }
    if (!(by = mem_new((m + 1) * sizeof *by))) {
        vm_no_memory(vm);
        goto out;
    }
    int bits = __builtin_clz(b->digit[m - 1]);
    shifted(b->digit, m, bits, by);
    shifted(a->digit, n, bits, (*rest)->digit);
    for (size_t i = n - m + 1; i-- && !rc;) {
        (*quotient)->digit[i] = quotient_digit((*rest)->digit + i, by, m);
        rc = vm_poll(vm);
    }
    mem_free(by);
    uint32_t *r = (*rest)->digit;
    for (size_t i = 0; i < m && bits; i++)
        r[i] = r[i] >> bits | (uint32_t)((uint64_t)r[i + 1] << (32 - bits));
    if (!rc) return GPA_OK;
out:
    mem_free(*quotient);
    mem_free(*rest);
    return rc ? rc : vm_err(vm)->code;
}

/* Floor division: // (*quotient) and % (*rest), which has the sign of the divisor. */
static gpa_code divide(gpa_vm *vm, ast_op op, const whole *a, const whole *b, value *out) {
    bool floors = op == AST_OP_FLOORDIV;
    big_obj *quotient, *rest;
    if (b->n == 0)
        return vm_fail(vm, GPA_E_ZERO_DIVISION,
                       floors ? "integer division or modulo by zero" : "integer modulo by zero");
    gpa_code rc = divide_sizes(vm, a, b, &quotient, &rest);
    if (rc) return rc;
    quotient->negative = a->negative != b->negative;
    rest->negative = a->negative;
    value q = settled(quotient), r = settled(rest), other = b->negative ? v_int(-1) : v_int(1),
          fixed = v_none();
    bool below = !(r.tag == V_INT && r.i == 0) && a->negative != b->negative;
    whole w, one;
    whole_of(floors ? q : r, &w);
    whole_of(other, &one);
    if (!below)
        fixed = value_retain(floors ? q : r);
    else if (floors) { /* round toward minus infinity */
        one.negative = false;
        rc = plus(vm, &w, &one, true, &fixed);
    } else
        rc = plus(vm, &w, b, false, &fixed);
    value_release(vm, q);
    value_release(vm, r);
    *out = fixed;
    return rc;
}

/* ---- powers and shifts ---- */

static size_t bits_of(const uint32_t *digit, size_t n) {
    return n ? 32 * n - (size_t)__builtin_clz(digit[n - 1]) : 0;
}

static gpa_code shift_left(gpa_vm *vm, const whole *a, uint64_t by, value *out) {
    big_obj *r = big_new(vm, a->n + by / 32 + 1);
    if (!r) return vm_err(vm)->code;
    shifted(a->digit, a->n, (int)(by % 32), r->digit + by / 32);
    r->negative = a->negative;
    return give(r, out);
}

/* Arithmetic shift right, rounding toward minus infinity. */
static gpa_code shift_right(gpa_vm *vm, const whole *a, uint64_t by, value *out) {
    size_t skip = by / 32, bits = by % 32;
    if (skip >= a->n) {
        *out = v_int(a->negative ? -1 : 0);
        return GPA_OK;
    }
    big_obj *r = big_new(vm, a->n - skip + 1);
    if (!r) return vm_err(vm)->code;
    bool lost = (a->digit[skip] & (((uint64_t)1 << bits) - 1)) != 0;
    for (size_t i = 0; i < skip; i++) lost = lost || a->digit[i];
    for (size_t i = skip; i < a->n; i++) {
        uint64_t two = a->digit[i] | (uint64_t)(i + 1 < a->n ? a->digit[i + 1] : 0) << 32;
        r->digit[i - skip] = (uint32_t)(two >> bits);
    }
    r->negative = a->negative;
    for (size_t i = 0; lost && a->negative && ++r->digit[i] == 0; i++) {
    }
    return give(r, out);
}

static gpa_code shift(gpa_vm *vm, ast_op op, const whole *a, value b, value *out) {
    bool left = op == AST_OP_LSHIFT, negative = b.tag == V_BIG ? b.big->negative : b.i < 0;
    if (negative) return vm_fail(vm, GPA_E_VALUE, "negative shift count");
    if (b.tag == V_BIG && left && a->n)
        return vm_fail(vm, GPA_E_OVERFLOW, "too many digits in integer");
    uint64_t by = b.tag == V_BIG ? UINT64_MAX : (uint64_t)b.i;
    if (left && a->n == 0) *out = v_int(0);
    return left ? (a->n ? shift_left(vm, a, by, out) : GPA_OK) : shift_right(vm, a, by, out);
}

static gpa_code power(gpa_vm *vm, value a, value b, value *out) {
    whole w;
    whole_of(b, &w);
    if (w.negative) {
        double x, y;
        gpa_code rc = big_float(vm, a, &x);
        if (!rc) rc = big_float(vm, b, &y);
        return rc ? rc : op_number(vm, AST_OP_POW, v_float(x), v_float(y), out);
    }
    if (a.tag != V_BIG && a.i >= -1 && a.i <= 1) {
        *out = v_int(w.n == 0 || (a.i == -1 && !(w.digit[0] & 1)) ? 1 : a.i);
        return GPA_OK;
    }
    if (b.tag == V_BIG)
        return vm_fail(vm, GPA_E_OVERFLOW, "int too large: it would have more than 2**34 bits");
    value result = v_int(1), square = value_retain(a), next = v_none();
    gpa_code rc = GPA_OK;
    for (uint64_t n = (uint64_t)b.i; n && !rc; n >>= 1) {
        if (n & 1 && !(rc = op_number(vm, AST_OP_MUL, result, square, &next))) {
            value_release(vm, result);
            result = next;
        }
        if (n > 1 && !rc && !(rc = op_number(vm, AST_OP_MUL, square, square, &next))) {
            value_release(vm, square);
            square = next;
        }
    }
    value_release(vm, square);
    if (rc)
        value_release(vm, result);
    else
        *out = result;
    return rc;
}

/* ---- bits ---- */

/* Iterates over the digits of a number in two's complement. */
typedef struct {
    const whole *w;
    uint64_t carry;
} twos;

static uint32_t next_bits(twos *t, size_t i) {
    uint32_t d = i < t->w->n ? t->w->digit[i] : 0;
    if (!t->w->negative) return d;
    t->carry += (uint32_t)~d;
    d = (uint32_t)t->carry;
    t->carry >>= 32;
    return d;
}

/* Converts two's complement digits to sign and magnitude. */
static void sign_from_bits(big_obj *r) {
    r->negative = r->digit[r->n - 1] >> 31;
    uint64_t carry = 1;
    for (size_t i = 0; i < r->n && r->negative; i++, carry >>= 32)
        r->digit[i] = (uint32_t)(carry += (uint32_t)~r->digit[i]);
}

static gpa_code of_bits(gpa_vm *vm, ast_op op, const whole *a, const whole *b, value *out) {
    size_t n = MAX(a->n, b->n) + 1;
    big_obj *r = big_new(vm, n);
    twos x = {a, 1}, y = {b, 1};
    if (!r) return vm_err(vm)->code;
    for (size_t i = 0; i < n; i++) {
        uint32_t c = next_bits(&x, i), d = next_bits(&y, i);
        r->digit[i] = op == AST_OP_BITAND ? c & d : op == AST_OP_BITOR ? c | d : c ^ d;
    }
    sign_from_bits(r);
    return give(r, out);
}

value big_of_bytes(gpa_vm *vm, const unsigned char *bytes, size_t n, bool is_signed) {
    big_obj *b = big_new(vm, n / 4 + 1);
    if (!b) return v_unset();
    bool ones = is_signed && n && bytes[n - 1] & 0x80;
    for (size_t i = 0; i < 4 * b->n; i++)
        b->digit[i / 4] |= (uint32_t)(i < n ? bytes[i] : ones ? 0xff : 0) << (8 * (i % 4));
    if (ones) sign_from_bits(b);
    return settled(b);
}

bool big_bytes(value v, unsigned char *to, size_t n, bool is_signed) {
    whole w;
    whole_of(v, &w);
    twos t = {&w, 1};
    bool fits = true;
    unsigned char rest = w.negative ? 0xff : 0;
    uint32_t d = 0;
    for (size_t i = 0; i < MAX(4 * w.n, n); i++, d >>= 8) {
        if (i % 4 == 0) d = next_bits(&t, i / 4);
        if (i < n)
            to[i] = (unsigned char)d;
        else
            fits = fits && (unsigned char)d == rest;
    }
    bool last = n && to[n - 1] & 0x80;
    return fits && (n ? !is_signed || last == w.negative
                      : !w.n || (w.negative && v.i == -1)); /* -1 needs no bytes, either */
}

/* ---- operators ---- */

static gpa_code quotient(gpa_vm *vm, const whole *a, const whole *b, value *out);

gpa_code big_binary(gpa_vm *vm, ast_op op, value x, value y, value *out) {
    whole a, b;
    whole_of(x, &a);
    whole_of(y, &b);
    switch ((int)op) {
        case AST_OP_ADD:
        case AST_OP_SUB: return plus(vm, &a, &b, op == AST_OP_SUB, out);
        case AST_OP_MUL: return product(vm, &a, &b, out);
        case AST_OP_DIV: return quotient(vm, &a, &b, out);
        case AST_OP_FLOORDIV:
        case AST_OP_MOD: return divide(vm, op, &a, &b, out);
        case AST_OP_POW: return power(vm, x, y, out);
        case AST_OP_LSHIFT:
        case AST_OP_RSHIFT: return shift(vm, op, &a, y, out);
        default: return of_bits(vm, op, &a, &b, out);
    }
}

gpa_code big_unary(gpa_vm *vm, ast_op op, value a, value *out) {
    whole w;
    whole_of(a, &w);
    value negated = v_none();
    if (op == AST_OP_POS) {
        *out = value_retain(a);
        return GPA_OK;
    }
    gpa_code rc = copied(vm, &w, !w.negative, &negated);
    if (rc || op == AST_OP_NEG) {
        *out = negated;
        return rc;
    }
    rc = op_number(vm, AST_OP_SUB, negated, v_int(1), out);
    value_release(vm, negated);
    return rc;
}

/* ---- floats ---- */

/* The float top * 2^scale, correctly rounded; the lowest bit of `top` is a sticky bit. */
static double rounded(uint64_t top, int64_t scale) {
    int64_t lost = -1074 - scale; /* bits below the least subnormal */
    if (lost <= 11) return ldexp((double)top, (int)MIN(scale, 5000));
    if (lost > 64) return 0;
    uint64_t kept = lost < 64 ? top >> lost : 0, half = (uint64_t)1 << (lost - 1),
             rest = lost < 64 ? top & (2 * half - 1) : top;
    return ldexp((double)(kept + (rest > half || (rest == half && kept & 1))), -1074);
}

/* The highest 64 bits of the digits, and their scale. */
static uint64_t first_bits(const uint32_t *digit, size_t n, int64_t *scale) {
    size_t bits = bits_of(digit, n);
    *scale = (int64_t)bits - 64;
    uint64_t top = 0;
    size_t at = n;
    for (size_t have = 0; have < 64 && at--;) {
        size_t in = at == n - 1 ? (bits - 1) % 32 + 1 : 32, take = MIN(in, 64 - have);
        top = (take < 64 ? top << take : 0) | digit[at] >> (in - take);
        have += take;
        if (take < in && digit[at] << (32 - (in - take)) != 0) top |= 1;
        if (at == 0) top <<= 64 - have, have = 64;
    }
    for (size_t i = 0; i < at && i < n; i++) top |= digit[i] != 0;
    return top;
}

double big_frexp(const big_obj *b, int64_t *e) {
    uint64_t top = first_bits(b->digit, b->n, e);
    int more;
    double m = frexp((double)top, &more);
    *e += more;
    return b->negative ? -m : m;
}

double big_double(const big_obj *b) {
    int64_t scale;
    uint64_t top = first_bits(b->digit, b->n, &scale);
    return b->negative ? -rounded(top, scale) : rounded(top, scale);
}

gpa_code big_float(gpa_vm *vm, value v, double *out) {
    *out = v.tag == V_BIG ? big_double(v.big) : (double)v.i;
    return isinf(*out) ? vm_fail(vm, GPA_E_OVERFLOW, "int too large to convert to float") : GPA_OK;
}

/* a / b correctly rounded: at least 66 quotient bits, the lowest a sticky bit. */
static gpa_code quotient(gpa_vm *vm, const whole *a, const whole *b, value *out) {
    if (b->n == 0) return vm_fail(vm, GPA_E_ZERO_DIVISION, "division by zero");
    int64_t more = (int64_t)bits_of(b->digit, b->n) + 66 - (int64_t)bits_of(a->digit, a->n),
            by = MAX(more, 0), scale;
    value scaled = v_none();
    big_obj *q, *r;
    gpa_code rc = shift_left(vm, a, (uint64_t)by, &scaled);
    if (rc) return rc;
    whole w;
    whole_of(scaled, &w);
    rc = divide_sizes(vm, &w, b, &q, &r);
    value_release(vm, scaled);
    if (rc) return rc;
    size_t n = trimmed(q->digit, q->n);
    uint64_t top = n ? first_bits(q->digit, n, &scale) : 0;
    double f = n ? rounded(top | (trimmed(r->digit, r->n) > 0), scale - by) : 0;
    mem_free(q);
    mem_free(r);
    if (isinf(f))
        return vm_fail(vm, GPA_E_OVERFLOW, "integer division result too large for a float");
    *out = v_float(a->negative != b->negative ? -f : f);
    return GPA_OK;
}

value big_of_double(gpa_vm *vm, double f) {
    int e;
    uint64_t m = (uint64_t)ldexp(fabs(frexp(trunc(f), &e)), 53);
    whole w;
    value v = v_int((int64_t)m), out = v_unset();
    whole_of(v, &w);
    w.negative = f < 0;
    gpa_code rc = e >= 53 ? shift_left(vm, &w, (uint64_t)(e - 53), &out) : GPA_OK;
    if (e < 53) out = v_int((int64_t)f);
    return rc ? v_unset() : out;
}

/* A float with no fractional bits left is an integer. */
int big_compare_double(const big_obj *b, double f) {
    if ((f < 0) != b->negative) return b->negative ? -1 : 1;
    if (isinf(f)) return f > 0 ? -1 : 1;
    int e;
    size_t bits = big_bits(b);
    uint64_t m = (uint64_t)ldexp(fabs(frexp(f, &e)), 53);
    int order = (int64_t)bits != e ? ((int64_t)bits < e ? -1 : 1) : 0;
    if (!order) {
        int64_t scale;
        uint64_t top = first_bits(b->digit, b->n, &scale), same = m << 11;
        order = top < same ? -1 : top > same;
    }
    return b->negative ? -order : order;
}

bool big_is_uint(const big_obj *b, uint64_t *out) {
    *out = low(b->digit, b->n);
    return b->n == 2 && !b->negative;
}

size_t big_bits(const big_obj *b) { return bits_of(b->digit, b->n); }

size_t big_ones(const big_obj *b) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++) n += (size_t)__builtin_popcount(b->digit[i]);
    return n;
}

/* CPython's hash: the number modulo 2^61 - 1. */
int64_t big_hash(const big_obj *b) {
    const uint64_t modulus = ((uint64_t)1 << 61) - 1;
    uint64_t h = 0;
    for (size_t i = b->n; i--;) {
        h = ((h << 32) & modulus) | h >> 29;
        h += b->digit[i];
        if (h >= modulus) h -= modulus;
    }
    int64_t signed_hash = b->negative ? -(int64_t)h : (int64_t)h;
    return signed_hash == -1 ? -2 : signed_hash;
}

/* ---- text ---- */

gpa_code big_put_digits(gpa_vm *vm, const big_obj *b, unsigned base, bool upper, gpa_str *out) {
    bool decimal = base == 10;
    uint32_t chunk = decimal ? 1000000000 : base == 8 ? 1 << 30 : base == 16 ? 1 << 28 : 1u << 31;
    int each = decimal ? 9 : base == 8 ? 10 : base == 16 ? 7 : 31;
    static const char words[] =
        "Exceeds the limit (%d digits) for integer string conversion; use "
        "sys.set_int_max_str_digits() to increase the limit";
    if (decimal && big_bits(b) > MOST_DECIMALS * 10 / 3)
        return vm_fail(vm, GPA_E_VALUE, words, MOST_DECIMALS);
    size_t n = b->n, capacity = b->n * 33 + 32, at = capacity;
    uint32_t *left = mem_new(n * sizeof *left);
    char *text = mem_new(capacity);
    gpa_code rc = left && text ? GPA_OK : vm_no_memory(vm);
    if (!rc) memcpy(left, b->digit, n * sizeof *left);
    while (!rc && n) {
        uint32_t part = divide_small(left, n, chunk);
        n = trimmed(left, n);
        for (int i = 0; i < each && (n || part); i++, part /= base)
            text[--at] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[part % base];
    }
    if (!rc && decimal && capacity - at > MOST_DECIMALS)
        rc = vm_fail(vm, GPA_E_VALUE, words, MOST_DECIMALS);
    if (!rc) str_putn(out, text + at, capacity - at);
    mem_free(left);
    mem_free(text);
    return rc;
}

gpa_code big_parse(gpa_vm *vm, const char *text, size_t n, unsigned base, bool negative,
                   value *out) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += text[i] != '_';
    if (base & (base - 1) && count > MOST_DECIMALS)
        return vm_fail(vm, GPA_E_VALUE,
                       "Exceeds the limit (%d digits) for integer string conversion: value has %zu "
                       "digits; use sys.set_int_max_str_digits() to increase the limit",
                       MOST_DECIMALS, count);
    big_obj *b = big_new(vm, count / 5 + 1); /* a digit of base 36 has less than 32 / 5 bits */
    if (!b) return vm_err(vm)->code;
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '_') continue;
        uint64_t carry =
            text[i] <= '9' ? (uint64_t)(text[i] - '0') : (uint64_t)((text[i] | 32) - 'a' + 10);
        for (size_t k = 0; k < used; k++, carry >>= 32) {
            carry += (uint64_t)b->digit[k] * base;
            b->digit[k] = (uint32_t)carry;
        }
        if (carry) b->digit[used++] = (uint32_t)carry;
    }
    b->negative = negative;
    return give(b, out);
}

gpa_code int_too_large(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_OVERFLOW, "int too large for 64 bits");
}

gpa_code int_of_float(gpa_vm *vm, double f, value *out) {
    if (isnan(f)) return vm_fail(vm, GPA_E_VALUE, "cannot convert float NaN to integer");
    if (isinf(f)) return vm_fail(vm, GPA_E_OVERFLOW, "cannot convert float infinity to integer");
    f = trunc(f);
    *out = f < -0x1p63 || f >= 0x1p63 ? big_of_double(vm, f) : v_int((int64_t)f);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}
