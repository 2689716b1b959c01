/* NumPy's float formatting. Digits first, then trimming, then padding. `digits` are significant
 * digits without a point; `exp` is the power of ten of the first. Exact digits come from the C
 * library's conversions, which round halves to even. */
#include "lang/text/float_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/text/number_text.h"

typedef struct {
    gpa_str text; /* digits only */
    int exp;
} digits;

static int length(const digits *d) { return (int)d->text.len; }

/* Drops zeros that a carry left at the end, down to `least` digits: NumPy's digit generation
 * stops at the carry. */
static void end_at_carry(digits *d, const char *rounded, double v, int least) {
    if (strtold(rounded, NULL) <= (long double)v) return;
    while (length(d) > least && d->text.text[d->text.len - 1] == '0')
        str_truncate(&d->text, d->text.len - 1);
}

enum { NO_END = 1 << 20 };

/* Rounds the exact value to n significant digits, of which `least` stay after a carry. */
static void round_to(digits *d, double v, int n, int least) {
    gpa_str s;
    str_init(&s);
    str_printf(&s, "%.*e", n - 1, v);
    const char *e = strchr(s.text, 'e');
    str_clear(&d->text);
    str_putc(&d->text, s.text[0]);
    if (n > 1) str_putn(&d->text, s.text + 2, (size_t)(n - 1));
    d->exp = e ? atoi(e + 1) : 0;
    end_at_carry(d, s.text, v, MAX(least, 1));
    str_free(&s);
}

/* The same with n digits after the point. */
static void round_at(digits *d, double v, int n, int least) {
    gpa_str s;
    str_init(&s);
    str_printf(&s, "%.*f", n, v);
    const char *p = s.text;
    int whole = (int)strcspn(p, ".");
    str_clear(&d->text);
    for (; *p; p++)
        if (*p != '.') str_putc(&d->text, *p);
    d->exp = whole - 1;
    end_at_carry(d, s.text, v, whole + MAX(least, 0));
    str_free(&s);
}

/* The digits of |v| in the given form; `behind`: precision and min_digits count from the point,
 * else from the first significant digit. */
static void find_digits(digits *d, double v, gpa_dtype t, const float_form *f, bool behind) {
    v = fabs(v);
    if (!f->unique) {
        if (behind)
            round_at(d, v, MAX(f->precision, 0), NO_END);
        else
            round_to(d, v, MAX(f->precision, 1), NO_END);
        return;
    }
    decimal s = decimal_shortest(v, t);
    int have = behind ? MAX(0, s.n - 1 - s.exp) : s.n;
    bool short_of = f->min_digits >= 0 && (have < f->min_digits || (behind && s.n - 1 < s.exp));
    if (f->precision >= 0 && have > f->precision) {
        if (behind)
            round_at(d, v, f->precision, f->min_digits);
        else
            round_to(d, v, f->precision, f->min_digits);
    } else if (short_of) {
        if (behind)
            round_at(d, v, f->min_digits, NO_END);
        else
            round_to(d, v, f->min_digits, NO_END);
    } else {
        str_clear(&d->text);
        str_put(&d->text, s.digit);
        d->exp = s.exp;
    }
}

/* Trims zeros after the point at offset `point`; the point itself may be removed. */
static void trim_zeros(gpa_str *s, size_t point, char trim) {
    if (trim == 'k') return;
    size_t end = s->len;
    while (end > point + 1 && s->text[end - 1] == '0') end--;
    if (trim == '0' && end == point + 1 && s->len > end) end++;
    bool bare = end == point + 1;
    str_truncate(s, trim == '-' && bare ? point : end);
    if (trim == '0' && bare) str_putc(s, '0');
}

/* Writes the sign and the padding before the `whole` characters of the integral part. */
static void put_head(gpa_str *out, double v, const float_form *f, size_t whole) {
    const char *sign = signbit(v) ? "-" : f->sign ? "+" : "";
    whole += strlen(sign);
    if (f->pad_left > (int)whole) str_fill(out, ' ', (size_t)f->pad_left - whole);
    str_put(out, sign);
}

void float_positional(gpa_str *out, double v, gpa_dtype t, const float_form *f) {
    digits d;
    gpa_str s;
    str_init(&d.text);
    str_init(&s);
    find_digits(&d, v, t, f, f->fractional);
    if (d.exp < 0) {
        str_putc(&s, '0');
    } else {
        str_putn(&s, d.text.text, (size_t)MIN(length(&d), d.exp + 1));
        if (length(&d) < d.exp + 1) str_fill(&s, '0', (size_t)(d.exp + 1 - length(&d)));
    }
    size_t point = s.len;
    str_putc(&s, '.');
    if (d.exp < 0) str_fill(&s, '0', (size_t)(-d.exp - 1));
    if (length(&d) > d.exp + 1) str_put(&s, d.text.text + MAX(d.exp + 1, 0));
    if (!f->fractional && f->min_digits > 0)
        for (int have = (int)point + (int)(s.len - point - 1); have < f->min_digits; have++)
            str_putc(&s, '0');
    trim_zeros(&s, point, f->trim);
    put_head(out, v, f, point);
    str_putn(out, s.text, s.len);
    size_t full = point + 1 + (size_t)MAX(f->pad_right, 0);
    if (f->pad_right >= 0 && s.len < full) str_fill(out, ' ', full - s.len);
    out->failed = out->failed || s.failed || d.text.failed;
    str_free(&s);
    str_free(&d.text);
}

void float_scientific(gpa_str *out, double v, gpa_dtype t, const float_form *f) {
    float_form significant = *f;
    if (f->precision >= 0) significant.precision++;
    if (f->min_digits >= 0) significant.min_digits++;
    digits d;
    gpa_str s;
    str_init(&d.text);
    str_init(&s);
    find_digits(&d, v, t, &significant, false);
    str_putc(&s, d.text.text[0]);
    str_putc(&s, '.');
    str_put(&s, d.text.len ? d.text.text + 1 : "");
    trim_zeros(&s, 1, f->trim);
    put_head(out, v, f, 1);
    str_putn(out, s.text, s.len);
    if (v == 0) d.exp = 0;
    str_printf(out, "e%c%0*d", d.exp < 0 ? '-' : '+', f->exp_digits < 0 ? 2 : f->exp_digits,
               abs(d.exp));
    out->failed = out->failed || s.failed || d.text.failed;
    str_free(&s);
    str_free(&d.text);
}
