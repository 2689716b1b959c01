/* Interval arithmetic. A result that may overflow its type wraps around, so its interval becomes
 * all values of the type.
 *
 * Reading order: types, arithmetic, bits, comparisons. */
#include "runtime/ir/interval.h"

#include "runtime/base/base.h"

/* ---- types ---- */

static const interval anything = {INT64_MIN, INT64_MAX};

interval interval_of_type(gpa_dtype t) {
    if (t == DT_BOOL) return (interval){0, 1};
    if (t >= DT_COUNT || !dtype_is_int(t)) return anything;
    bool is_signed = dtype_info[t].kind == 'I';
    int bits = 8 * (int)dtype_size(t) - is_signed;
    int64_t most = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    return (interval){is_signed ? -most - 1 : 0, most};
}

static bool unbounded(gpa_dtype t, interval a) { return t == DT_U64 && a.hi == INT64_MAX; }

/* r if it is representable in the type without overflow, else all values of the type. */
static interval clamp_to_type(gpa_dtype t, bool over, interval r) {
    interval all = interval_of_type(t);
    return over || unbounded(t, r) || !interval_within(r, all) ? all : r;
}

interval interval_of_cast(gpa_dtype from, gpa_dtype to, interval a) {
    bool whole = from == DT_BOOL || (from < DT_COUNT && dtype_is_int(from));
    if (to == DT_BOOL && whole) return (interval){a.lo > 0 || a.hi < 0, a.lo != 0 || a.hi != 0};
    if (from == to) return a;
    return clamp_to_type(to, !whole || unbounded(from, a), a);
}

/* ---- arithmetic ---- */

static int64_t min_of(const int64_t n[4]) { return MIN(MIN(n[0], n[1]), MIN(n[2], n[3])); }
static int64_t max_of(const int64_t n[4]) { return MAX(MAX(n[0], n[1]), MAX(n[2], n[3])); }

static interval product(gpa_dtype t, interval a, interval b) {
    int64_t n[4];
    bool over = __builtin_mul_overflow(a.lo, b.lo, &n[0]);
    over |= __builtin_mul_overflow(a.lo, b.hi, &n[1]);
    over |= __builtin_mul_overflow(a.hi, b.lo, &n[2]);
    over |= __builtin_mul_overflow(a.hi, b.hi, &n[3]);
    return clamp_to_type(t, over || unbounded(t, a) || unbounded(t, b),
                         (interval){min_of(n), max_of(n)});
}

static interval sum(gpa_dtype t, interval a, interval b) {
    interval r;
    bool over = __builtin_add_overflow(a.lo, b.lo, &r.lo);
    over |= __builtin_add_overflow(a.hi, b.hi, &r.hi);
    return clamp_to_type(t, over || unbounded(t, a) || unbounded(t, b), r);
}

static interval difference(gpa_dtype t, interval a, interval b) {
    interval r;
    bool over = __builtin_sub_overflow(a.lo, b.hi, &r.lo);
    over |= __builtin_sub_overflow(a.hi, b.lo, &r.hi);
    return clamp_to_type(t, over || unbounded(t, a) || unbounded(t, b), r);
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static interval quotient(gpa_dtype t, interval a, interval b) {
    if (b.lo <= 0 || unbounded(t, a) || unbounded(t, b))
        return a.lo >= 0 && b.lo >= 0 && !unbounded(t, a) ? (interval){0, a.hi}
                                                          : interval_of_type(t);
    const int64_t n[4] = {floor_div(a.lo, b.lo), floor_div(a.lo, b.hi), floor_div(a.hi, b.lo),
                          floor_div(a.hi, b.hi)};
    return (interval){min_of(n), max_of(n)};
}

static interval remainder_of(gpa_dtype t, interval a, interval b) {
    if (b.lo < 0) return interval_of_type(t);
    if (a.lo >= 0 && a.hi < b.lo) return a;
    return (interval){0, b.hi == INT64_MAX || b.hi == 0 ? b.hi : b.hi - 1};
}

static interval absolute(gpa_dtype t, interval a) {
    if (a.lo >= 0) return a;
    if (a.lo == INT64_MIN) return interval_of_type(t);
    return clamp_to_type(t, false, (interval){a.hi < 0 ? -a.hi : 0, MAX(-a.lo, a.hi)});
}

/* ---- bits ---- */

static interval shifted_right(gpa_dtype t, interval a, interval by) {
    if (unbounded(t, a) || by.lo < 0) return interval_of_type(t);
    if (by.lo != by.hi) return a.lo >= 0 ? (interval){0, a.hi} : (interval){a.lo, MAX(a.hi, 0)};
    int s = by.lo > 63 ? 63 : (int)by.lo;
    return (interval){a.lo >> s, a.hi >> s};
}

static interval shifted_left(gpa_dtype t, interval a, interval by) {
    if (by.lo != by.hi || by.lo < 0 || by.lo > 62) return interval_of_type(t);
    int64_t factor = INT64_C(1) << by.lo;
    return product(t, a, (interval){factor, factor});
}

/* OR, XOR of non-negative operands: no bit above the highest of either is set. */
static interval or_bits(interval a, interval b) {
    int64_t n = a.hi | b.hi;
    for (int s = 1; s < 64; s *= 2) n |= n >> s;
    return (interval){0, n};
}

static interval and_bits(gpa_dtype t, interval a, interval b) {
    if (a.lo >= 0 && b.lo >= 0) return (interval){0, MIN(a.hi, b.hi)};
    return a.lo >= 0 ? (interval){0, a.hi} : b.lo >= 0 ? (interval){0, b.hi} : interval_of_type(t);
}

/* ---- comparisons ---- */

gpa_op interval_negated(gpa_op op) {
    switch ((int)op) {
        case OP_LESS: return OP_GREATER_EQUAL;
        case OP_LESS_EQUAL: return OP_GREATER;
        case OP_GREATER: return OP_LESS_EQUAL;
        case OP_GREATER_EQUAL: return OP_LESS;
        case OP_EQUAL: return OP_NOT_EQUAL;
        case OP_NOT_EQUAL: return OP_EQUAL;
    }
    return OP_COUNT;
}

gpa_op interval_swapped(gpa_op op) {
    switch ((int)op) {
        case OP_LESS: return OP_GREATER;
        case OP_LESS_EQUAL: return OP_GREATER_EQUAL;
        case OP_GREATER: return OP_LESS;
        case OP_GREATER_EQUAL: return OP_LESS_EQUAL;
    }
    return op;
}

interval interval_narrow(gpa_op op, gpa_dtype t, interval a, interval b) {
    int64_t below = unbounded(t, b) ? INT64_MAX : b.hi;
    switch ((int)op) {
        case OP_LESS:
            a.hi = MIN(a.hi, below > INT64_MIN && below < INT64_MAX ? below - 1 : below);
            break;
        case OP_LESS_EQUAL: a.hi = MIN(a.hi, below); break;
        case OP_GREATER: a.lo = MAX(a.lo, b.lo < INT64_MAX ? b.lo + 1 : b.lo); break;
        case OP_GREATER_EQUAL: a.lo = MAX(a.lo, b.lo); break;
        case OP_EQUAL: a = interval_intersect(a, b); break;
        case OP_NOT_EQUAL:
            if (b.lo != b.hi || b.hi == INT64_MAX) break;
            if (a.lo == b.lo)
                a.lo++;
            else if (a.hi == b.lo)
                a.hi--;
            break;
    }
    return a;
}

/* [1, 1] or [0, 0] if the intervals decide the comparison, else [0, 1]. */
static interval compare(gpa_op op, gpa_dtype t, interval a, interval b) {
    interval yes = interval_narrow(op, t, a, b),
             no = interval_narrow(interval_negated(op), t, a, b);
    return (interval){no.lo > no.hi, yes.lo <= yes.hi};
}

interval interval_of_op(gpa_op op, gpa_dtype t, gpa_dtype result, const interval in[3]) {
    interval a = in[0], b = in[1];
    bool whole = t == DT_BOOL || dtype_is_int(t);
    if (a.lo > a.hi || !whole) return interval_of_type(result);
    if (interval_negated(op) != OP_COUNT)
        return b.lo > b.hi ? interval_of_type(result) : compare(op, t, a, b);
    switch ((int)op) {
        case OP_LOGICAL_NOT: return (interval){a.lo == 0 && a.hi == 0, a.lo <= 0 && a.hi >= 0};
        case OP_ADD: return t == DT_BOOL ? interval_of_type(result) : sum(t, a, b);
        case OP_SUBTRACT: return difference(t, a, b);
        case OP_MULTIPLY: return t == DT_BOOL ? interval_of_type(result) : product(t, a, b);
        case OP_FLOOR_DIVIDE: return b.lo > b.hi ? interval_of_type(result) : quotient(t, a, b);
        case OP_REMAINDER: return remainder_of(t, a, b);
        case OP_NEGATIVE: return difference(t, (interval){0, 0}, a);
        case OP_ABSOLUTE: return absolute(t, a);
        case OP_LEFT_SHIFT: return shifted_left(t, a, b);
        case OP_RIGHT_SHIFT: return shifted_right(t, a, b);
        case OP_BITWISE_AND: return and_bits(t, a, b);
        case OP_BITWISE_OR:
        case OP_BITWISE_XOR:
            return a.lo >= 0 && b.lo >= 0 ? or_bits(a, b) : interval_of_type(result);
        case OP_MINIMUM:
        case OP_FMIN: return (interval){MIN(a.lo, b.lo), MIN(a.hi, b.hi)};
        case OP_MAXIMUM:
        case OP_FMAX: return (interval){MAX(a.lo, b.lo), MAX(a.hi, b.hi)};
    }
    return interval_of_type(result);
}
