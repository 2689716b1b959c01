/* Conversion between numbers and text: shortest round-trip digits, parsing.
 *
 * Shortest round-trip digits rest on two facts. A decimal of at most `safe` digits survives
 * conversion to the dtype and back, so if any decimal that short denotes v, rounding v to `safe`
 * digits finds it. And `most` digits always suffice. Lengths between the two are tried in turn,
 * with the C library's exact conversions. */
#include "lang/text/number_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- digits ---- */

decimal decimal_rounded(double v, int n) {
    char text[32];
    decimal d = {.negative = signbit(v), .n = 0};
    snprintf(text, sizeof text, "%.*e", n - 1, fabs(v));
    const char *s = text;
    for (; *s && *s != 'e'; s++)
        if (*s != '.') d.digit[d.n++] = *s;
    d.exp = *s ? atoi(s + 1) : 0;
    while (d.n > 1 && d.digit[d.n - 1] == '0') d.n--;
    d.digit[d.n] = 0;
    return d;
}

/* True if the decimal, converted to dtype t, equals |v|. */
static bool stands_for(const decimal *d, double v, gpa_dtype t) {
    char text[40];
    snprintf(text, sizeof text, "%.1s.%se%d", d->digit, d->n > 1 ? d->digit + 1 : "0", d->exp);
    v = fabs(v);
    if (t == DT_F64) return strtod(text, NULL) == v;
    if (t == DT_F32) return (double)strtof(text, NULL) == v;
    if (t == DT_F16) return half_to_float(half_from_double(strtod(text, NULL))) == (float)v;
    return bfloat_to_float(bfloat_from_float(strtof(text, NULL))) == (float)v;
}

/* Increments the decimal by one unit in its last digit. */
static void step_up(decimal *d, int n) {
    while (d->n < n) d->digit[d->n++] = '0';
    int i = n - 1;
    while (i >= 0 && d->digit[i] == '9') d->digit[i--] = '0';
    if (i >= 0)
        d->digit[i]++;
    else {
        d->digit[0] = '1';
        d->exp++;
    }
    while (d->n > 1 && d->digit[d->n - 1] == '0') d->n--;
    d->digit[d->n] = 0;
}

decimal decimal_shortest(double v, gpa_dtype t) {
    if (v == 0) return (decimal){.negative = signbit(v), .n = 1, .digit = "0"};
    int safe = t == DT_F64   ? 15
               : t == DT_F32 ? 6
               : t == DT_F16 ? 3
                             : 2,
        most = t == DT_F64   ? 17
               : t == DT_F32 ? 9
                             : 5;
    if (fabs(v) < (t == DT_F64 ? 0x1p-1022 : t == DT_F16 ? 0x1p-14 : 0x1p-126)) safe = 1;
    int e;
    bool lopsided = frexp(v, &e) == 0.5 || frexp(v, &e) == -0.5;
    for (int n = safe; n < most; n++) {
        decimal d = decimal_rounded(v, n);
        if (stands_for(&d, v, t)) return d;
        /* Just below a power of two values are twice as dense: the nearest decimal may fail and
         * a farther one succeed. */
        if (!lopsided) continue;
        step_up(&d, n);
        if (stands_for(&d, v, t)) return d;
    }
    return decimal_rounded(v, most);
}

/* ---- numbers to text ---- */

static bool put_special(gpa_str *out, double v) {
    if (isfinite(v)) return false;
    str_put(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    return true;
}

static void put_decimal(gpa_str *out, const decimal *d, bool scientific, bool dot_zero) {
    if (d->negative) str_putc(out, '-');
    if (scientific) {
        str_putc(out, d->digit[0]);
        if (d->n > 1) str_printf(out, ".%s", d->digit + 1);
        str_printf(out, "e%c%02d", d->exp < 0 ? '-' : '+', abs(d->exp));
        return;
    }
    if (d->exp < 0) {
        str_put(out, "0.");
        str_fill(out, '0', (size_t)(-d->exp - 1));
        str_put(out, d->digit);
        return;
    }
    int whole = MIN(d->exp + 1, d->n);
    str_putn(out, d->digit, (size_t)whole);
    str_fill(out, '0', (size_t)(d->exp + 1 - whole));
    if (d->n > whole)
        str_printf(out, ".%s", d->digit + whole);
    else if (dot_zero)
        str_put(out, ".0");
}

/* From this magnitude on str() of a NumPy scalar uses an exponent. */
static double too_long(gpa_dtype t) {
    return t == DT_F16 ? 1e3 : t == DT_F32 || t == DT_BF16 ? 1e6 : 1e16;
}

static void put_part(gpa_str *out, double v, gpa_dtype t, bool dot_zero) {
    if (put_special(out, v)) return;
    decimal d = decimal_shortest(v, t);
    bool scientific = v != 0 && (fabs(v) >= too_long(t) || fabs(v) < 1e-4);
    put_decimal(out, &d, scientific, dot_zero);
}

void number_put_int(gpa_str *out, int64_t v) {
    char digits[24], *p = digits + sizeof digits;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    do *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (v < 0) *--p = '-';
    str_putn(out, p, (size_t)(digits + sizeof digits - p));
}

void number_put_float(gpa_str *out, double v) { put_part(out, v, DT_F64, true); }

void number_put_np_float(gpa_str *out, double v, gpa_dtype t) { put_part(out, v, t, true); }

void number_put_complex(gpa_str *out, double re, double im, gpa_dtype t) {
    gpa_dtype part = t == DT_C64 ? DT_F32 : DT_F64;
    bool both = re != 0 || signbit(re);
    if (both) {
        str_putc(out, '(');
        put_part(out, re, part, false);
        if (!signbit(im) || isnan(im)) str_putc(out, '+');
    }
    put_part(out, im, part, false);
    str_put(out, both ? "j)" : "j");
}

/* ---- text to numbers ---- */

static void trim(const char **text, size_t *n) {
    while (*n && isspace((unsigned char)**text)) ++*text, --*n;
    while (*n && isspace((unsigned char)(*text)[*n - 1])) --*n;
}

static int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* Consumes a prefix 0x, 0o or 0b that fits the base; base 0 takes the base from it. */
static void take_prefix(const char **text, size_t *n, int *base) {
    char c = *n > 1 && **text == '0' ? (char)((*text)[1] | 32) : 0;
    int says = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
    if (says && (*base == 0 || *base == says)) {
        *base = says;
        *text += 2;
        *n -= 2;
        if (*n && **text == '_') ++*text, --*n;
    } else if (*base == 0)
        *base = 10;
}

parse_result parse_int(const char *text, size_t n, int base, int64_t *out, int_digits *digits) {
    trim(&text, &n);
    bool negative = n && *text == '-', any = base == 0;
    if (n && (*text == '-' || *text == '+')) ++text, --n;
    take_prefix(&text, &n, &base);
    bool leading_zero = n > 1 && *text == '0' && any && base == 10, large = false, digit = false;
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '_' && digit && i + 1 < n) {
            digit = false;
            continue;
        }
        int d = digit_of(text[i]);
        if (d >= base) return PARSE_BAD;
        digit = true;
        large = large || __builtin_mul_overflow(v, (uint64_t)base, &v) ||
                __builtin_add_overflow(v, (uint64_t)d, &v);
    }
    if (!digit || (leading_zero && v)) return PARSE_BAD;
    *digits = (int_digits){text, n, base, negative};
    if (large || v > (uint64_t)INT64_MAX + negative) return PARSE_TOO_LARGE;
    *out = negative ? (int64_t)(0 - v) : (int64_t)v;
    return PARSE_OK;
}

/* Copies the text without underscores between digits; false for an underscore elsewhere, or a
 * text too long. */
static bool drop_underscores(const char *text, size_t n, char *to, size_t capacity) {
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '_') {
            if (i == 0 || i + 1 == n || !isdigit((unsigned char)text[i - 1]) ||
                !isdigit((unsigned char)text[i + 1]))
                return false;
            continue;
        }
        if (k + 1 >= capacity || text[i] == 0) return false;
        to[k++] = text[i];
    }
    to[k] = 0;
    return k > 0;
}

/* The length of the prefix that is a float literal of Python: no hexadecimal, no nan(...). */
static size_t float_length(const char *s) {
    const char *p = s;
    if (*p == '+' || *p == '-') p++;
    if (strncasecmp(p, "infinity", 8) == 0) return (size_t)(p + 8 - s);
    if (strncasecmp(p, "inf", 3) == 0 || strncasecmp(p, "nan", 3) == 0) return (size_t)(p + 3 - s);
    const char *digits = p;
    while (isdigit((unsigned char)*p)) p++;
    ptrdiff_t n = p - digits;
    if (*p == '.') {
        const char *point = p++;
        while (isdigit((unsigned char)*p)) p++;
        n += p - point - 1;
    }
    if (n == 0) return 0;
    if (*p == 'e' || *p == 'E') {
        const char *e = p + 1;
        if (*e == '+' || *e == '-') e++;
        if (isdigit((unsigned char)*e)) {
            while (isdigit((unsigned char)*e)) e++;
            p = e;
        }
    }
    return (size_t)(p - s);
}

enum { LONGEST = 512 };

/* Fast path: digits exactly representable in a double times an exactly representable power of
 * ten need one rounding (Clinger 1990). False for other forms or more digits. */
static bool plain_float(const char *p, size_t n, double *out) {
    static const double tens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const char *end = p + n;
    uint64_t digits = 0;
    int scale = 0, seen = 0;
    bool negative = p < end && *p == '-', point = false;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end; p++) {
        if (*p == '.' && !point) {
            point = true;
        } else if (*p >= '0' && *p <= '9') {
            if (++seen > 18) return false;
            digits = digits * 10 + (uint64_t)(*p - '0');
            scale -= point;
        } else {
            break;
        }
    }
    if (seen == 0) return false;
    if (p < end && (*p == 'e' || *p == 'E') && end - p <= 4 &&
        end - p >= 2) { /* at most a sign and two digits */
        bool down = *++p == '-';
        int e = 0;
        if (*p == '-' || *p == '+') p++;
        if (p == end) return false;
        for (; p < end && *p >= '0' && *p <= '9'; p++) e = e * 10 + (*p - '0');
        scale += down ? -e : e;
    }
    if (p < end || digits > 1ull << 53 || scale < -22 || scale > 22) return false;
    double v = scale < 0 ? (double)digits / tens[-scale] : (double)digits * tens[scale];
    *out = negative ? -v : v;
    return true;
}

parse_result parse_float(const char *text, size_t n, double *out) {
    char brief[LONGEST], *plain = brief;
    trim(&text, &n);
    if (plain_float(text, n, out)) return PARSE_OK;
    if (n >= LONGEST && !(plain = mem_new(n + 1))) return PARSE_BAD;
    bool good = drop_underscores(text, n, plain, n < LONGEST ? LONGEST : n + 1) &&
                float_length(plain) == strlen(plain);
    if (good) *out = strtod(plain, NULL);
    if (plain != brief) mem_free(plain);
    return good ? PARSE_OK : PARSE_BAD;
}

/* The parts of a complex number without white space, parentheses and underscores. */
static parse_result complex_parts(const char *p, double *re, double *im) {
    double parts[2] = {0, 0};
    bool imaginary = false;
    for (int i = 0; i < 2 && *p && !imaginary; i++) {
        if (i == 1 && *p != '+' && *p != '-') return PARSE_BAD;
        size_t len = float_length(p);
        bool bare = len == 0;
        double v = 1;
        if (bare) { /* "j", "+j", "-j" */
            if (*p == '-') v = -1;
            if (*p == '+' || *p == '-') len = 1;
        } else
            v = strtod(p, NULL);
        p += len;
        imaginary = *p == 'j' || *p == 'J';
        if (imaginary) p++;
        if (!imaginary && (bare || i == 1)) return PARSE_BAD;
        parts[imaginary] = v;
    }
    if (*p) return PARSE_BAD;
    *re = parts[0];
    *im = parts[1];
    return PARSE_OK;
}

parse_result parse_complex(const char *text, size_t n, double *re, double *im) {
    char brief[LONGEST], *plain = brief;
    trim(&text, &n);
    if (n > 1 && text[0] == '(' && text[n - 1] == ')') {
        text++;
        n -= 2;
        trim(&text, &n);
    }
    if (n >= LONGEST && !(plain = mem_new(n + 1))) return PARSE_BAD;
    parse_result result = drop_underscores(text, n, plain, n < LONGEST ? LONGEST : n + 1)
                              ? complex_parts(plain, re, im)
                          : memchr(text, '_', n) ? PARSE_UNDERSCORE
                                                 : PARSE_BAD;
    if (plain != brief) mem_free(plain);
    return result;
}
