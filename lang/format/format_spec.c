/* The format mini-language: [[fill]align][sign][z][#][0][width][grouping][.precision][type].
 *
 * A number is split into sign, prefix and body; `lay_out` groups the digits and pads. Reading
 * order: parser, layout, then text, integers, floats, complex. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/object/big.h"
#include "lang/format/format.h"
#include "lang/object/number.h"
#include "lang/text/number_text.h"
#include "lang/text/text.h"

typedef struct {
    uint32_t fill;
    char align; /* < > = ^, or 0: the type's own */
    char sign;  /* + - space, or 0 */
    bool no_negative_zero, alternate, fill_given;
    char group;               /* , _ or 0 */
    char type;                /* 0: none written */
    int64_t width, precision; /* -1: none */
} spec;

/* ---- the parser ---- */

static bool is_align(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

static bool number_at(const char **p, const char *end, int64_t *out) {
    if (*p == end || !isdigit((unsigned char)**p)) return true;
    int64_t v = 0;
    for (; *p < end && isdigit((unsigned char)**p); ++*p)
        if ((v = v * 10 + (**p - '0')) > INT32_MAX) return false;
    *out = v;
    return true;
}

static gpa_code parse_group(gpa_vm *vm, spec *s, const char **p, const char *end) {
    for (; *p < end && (**p == ',' || **p == '_'); ++*p) {
        if (s->group && s->group != **p)
            return vm_fail(vm, GPA_E_VALUE, "Cannot specify both ',' and '_'.");
        if (s->group)
            return vm_fail(vm, GPA_E_VALUE, "Cannot specify '%c' with '%c'.", s->group, s->group);
        s->group = **p;
    }
    return GPA_OK;
}

static gpa_code parse(gpa_vm *vm, value v, const char *text, size_t n, char default_align,
                      spec *s) {
    *s = (spec){.fill = ' ', .width = -1, .precision = -1};
    const char *p = text, *end = text + n;
    size_t len;
    uint32_t fill = text_decode(p, n, &len);
    if (n > len && is_align(p[len])) {
        s->fill = fill;
        s->fill_given = true;
        s->align = p[len];
        p += len + 1;
    } else if (n && is_align(*p))
        s->align = *p++;
    if (p < end && (*p == '+' || *p == '-' || *p == ' ')) s->sign = *p++;
    if (p < end && *p == 'z') s->no_negative_zero = p++ != NULL;
    if (p < end && *p == '#') s->alternate = p++ != NULL;
    if (!s->fill_given && p < end && *p == '0') {
        s->fill = '0';
        if (!s->align && default_align == '>') s->align = '=';
        p++;
    }
    if (!number_at(&p, end, &s->width))
        return vm_fail(vm, GPA_E_VALUE, "Too many decimal digits in format string");
    gpa_code rc = parse_group(vm, s, &p, end);
    if (rc) return rc;
    if (p < end && *p == '.') {
        p++;
        if (p == end || !isdigit((unsigned char)*p))
            return vm_fail(vm, GPA_E_VALUE, "Format specifier missing precision");
        if (!number_at(&p, end, &s->precision))
            return vm_fail(vm, GPA_E_VALUE, "Too many decimal digits in format string");
    }
    if (end - p > 1)
        return vm_fail(vm, GPA_E_VALUE, "Invalid format specifier '%.*s' for object of type '%s'",
                       (int)n, text, value_type_name(v));
    if (p < end) s->type = *p;
    if (!s->align) s->align = default_align;
    if (s->group && v.tag == V_STR && (!s->type || s->type == 's'))
        return vm_fail(vm, GPA_E_VALUE, "Cannot specify '%c' with 's'.", s->group);
    if (s->group && s->type && !strchr(s->group == ',' ? "deEfFgG%" : "bdoxXeEfFgG%", s->type))
        return vm_fail(vm, GPA_E_VALUE, "Cannot specify '%c' with '%c'.", s->group, s->type);
    return GPA_OK;
}

static gpa_code unknown_code(gpa_vm *vm, char type, value v) {
    return vm_fail(vm, GPA_E_VALUE, "Unknown format code '%c' for object of type '%s'", type,
                   value_type_name(v));
}

/* ---- the layout ---- */

static gpa_code fill_with(gpa_vm *vm, gpa_str *out, uint32_t c, int64_t n) {
    char text[4];
    return n > 0 ? vm_fill(vm, out, text, text_encode(c, text), (uint64_t)n) : GPA_OK;
}

/* How an integral part is written: `group` after every `every` digits, zero-filled to `width`. */
typedef struct {
    char group;
    int every;
    int64_t width;
} grouping;

static gpa_code put_grouped(gpa_vm *vm, gpa_str *out, const char *digits, size_t n,
                            const grouping *g) {
    const int every = g->every;
    const int64_t width = g->width;
    gpa_code rc = GPA_OK;
    int64_t shown = MAX((int64_t)n, width - width / (every + 1));
    while (shown + (shown - 1) / every < width) shown++;
    for (int64_t i = shown; i > 0 && !rc; i--) {
        str_putc(out, i > (int64_t)n ? '0' : digits[(int64_t)n - i]);
        if (i > 1 && (i - 1) % every == 0) str_putc(out, g->group);
        if (i % 65536 == 0) rc = vm_poll(vm);
    }
    return rc;
}

/* The parts of a formatted value; grouping and zeros apply to the first `whole` bytes of the body.
 */
typedef struct {
    const char *sign, *prefix, *body;
    size_t n, whole; /* of the body */
} parts;

/* Appends sign, prefix and body, padded. */
static gpa_code lay_out(gpa_vm *vm, gpa_str *out, const spec *s, const parts *p) {
    gpa_str grouped;
    gpa_code rc = GPA_OK;
    str_init(&grouped);
    const char *body = p->body;
    size_t before = strlen(p->sign) + strlen(p->prefix), n = p->n, whole = p->whole;
    int every = s->type && strchr("boxX", s->type) ? 4 : 3;
    if (s->group && whole) {
        int64_t columns =
            s->fill == '0' && s->align == '=' ? s->width - (int64_t)(before + n - whole) : 0;
        rc = put_grouped(vm, &grouped, body, whole, &(grouping){s->group, every, columns});
        str_putn(&grouped, body + whole, n - whole);
        body = grouped.text;
        n = grouped.len;
    }
    int64_t pad = s->width < 0 ? 0 : MAX(0, s->width - (int64_t)(before + text_count(body, n)));
    int64_t left = s->align == '>' ? pad : s->align == '^' ? pad / 2 : 0;
    int64_t middle = s->align == '=' ? pad : 0;
    if (!rc) rc = fill_with(vm, out, s->fill, left);
    str_put(out, p->sign);
    str_put(out, p->prefix);
    if (!rc) rc = fill_with(vm, out, s->fill, middle);
    str_putn(out, body, n);
    if (!rc) rc = fill_with(vm, out, s->fill, pad - left - middle);
    out->failed = out->failed || grouped.failed;
    str_free(&grouped);
    return rc;
}

static const char *sign_of(const spec *s, bool negative) {
    return negative ? "-" : s->sign == '+' ? "+" : s->sign == ' ' ? " " : "";
}

/* ---- text ---- */

static gpa_code format_text(gpa_vm *vm, value v, const char *text, size_t n, gpa_str *out) {
    spec s;
    gpa_code rc = parse(vm, v, text, n, '<', &s);
    if (rc) return rc;
    if (s.type && s.type != 's') return unknown_code(vm, s.type, v);
    if (s.sign)
        return vm_fail(vm, GPA_E_VALUE, "%s not allowed in string format specifier",
                       s.sign == ' ' ? "Space" : "Sign");
    if (s.no_negative_zero)
        return vm_fail(vm, GPA_E_VALUE,
                       "Negative zero coercion (z) not allowed in string format specifier");
    if (s.alternate)
        return vm_fail(vm, GPA_E_VALUE,
                       "Alternate form (#) not allowed in string format specifier");
    if (s.align == '=')
        return vm_fail(vm, GPA_E_VALUE, "'=' alignment not allowed in string format specifier");
    size_t size = v.str->size;
    if (s.precision >= 0 && s.precision < v.str->length)
        size = str_offset(v.str, (size_t)s.precision);
    return lay_out(vm, out, &s, &(parts){"", "", v.str->text, size, 0});
}

/* ---- integers ---- */

static size_t put_digits(char *end, uint64_t v, unsigned base, bool upper) {
    char *p = end;
    do *--p = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[v % base];
    while (v /= base);
    return (size_t)(end - p);
}

static gpa_code format_char(gpa_vm *vm, const spec *s, int64_t c, gpa_str *out) {
    if (s->sign)
        return vm_fail(vm, GPA_E_VALUE, "Sign not allowed with integer format specifier 'c'");
    if (s->alternate)
        return vm_fail(vm, GPA_E_VALUE,
                       "Alternate form (#) not allowed with integer format specifier 'c'");
    if (c < 0 || c > 0x10FFFF) return vm_fail(vm, GPA_E_OVERFLOW, "%%c arg not in range(0x110000)");
    char b[4];
    return lay_out(vm, out, s, &(parts){"", "", b, text_encode((uint32_t)c, b), 0});
}

static gpa_code format_whole(gpa_vm *vm, const spec *s, const number *n, gpa_str *out) {
    if (s->precision >= 0)
        return vm_fail(vm, GPA_E_VALUE, "Precision not allowed in integer format specifier");
    if (s->no_negative_zero)
        return vm_fail(vm, GPA_E_VALUE,
                       "Negative zero coercion (z) not allowed in integer format specifier");
    if (s->type == 'c') return format_char(vm, s, n->kind == NUMBER_INT ? n->i : -1, out);
    bool negative = n->kind == NUMBER_BIG ? n->big->negative : n->kind == NUMBER_INT && n->i < 0;
    uint64_t v = n->kind == NUMBER_UINT ? n->u : negative ? 0 - (uint64_t)n->i : (uint64_t)n->i;
    unsigned base = s->type == 'b'                     ? 2
                    : s->type == 'o'                   ? 8
                    : s->type == 'x' || s->type == 'X' ? 16
                                                       : 10;
    char digits[72], prefix[3] = {'0', s->type, 0};
    const char *sign = sign_of(s, negative), *before = s->alternate && base != 10 ? prefix : "";
    if (n->kind != NUMBER_BIG) {
        size_t len = put_digits(digits + sizeof digits, v, base, s->type == 'X');
        return lay_out(vm, out, s, &(parts){sign, before, digits + sizeof digits - len, len, len});
    }
    gpa_str many;
    str_init(&many);
    gpa_code rc = big_put_digits(vm, n->big, base, s->type == 'X', &many);
    if (!rc) rc = lay_out(vm, out, s, &(parts){sign, before, many.text, many.len, many.len});
    out->failed = out->failed || many.failed;
    str_free(&many);
    return rc;
}

/* ---- floats ---- */

/* A precision without a type: as 'g', with an exponent one digit earlier and at least one digit
 * after the point. */
static void put_general_point(gpa_str *out, double v, int precision, bool alternate) {
    char text[32];
    enum { EXACT_DIGITS = 1100 }; /* more than any float64 has */
    int p = MAX(alternate ? precision : MIN(precision, (int)EXACT_DIGITS), 1);
    snprintf(text, sizeof text, "%.*e", MIN(p, 18) - 1, v);
    int exp = atoi(strchr(text, 'e') + 1);
    size_t from = out->len;
    if (exp == p - 1 && alternate)
        str_printf(out, "%#.*e", p - 1, v);
    else if (exp == p - 1) {
        decimal d = decimal_rounded(v, MIN(p, 17));
        str_putc(out, d.digit[0]);
        if (d.n > 1) str_printf(out, ".%s", d.digit + 1);
        str_printf(out, "e%c%02d", exp < 0 ? '-' : '+', abs(exp));
    } else {
        str_printf(out, alternate ? "%#.*g" : "%.*g", p, v);
        if (exp >= -4 && exp < p && !strchr(out->text + from, '.')) str_put(out, ".0");
    }
}

/* As repr(), with (`point`) or without a trailing ".0". */
static void put_shortest(gpa_str *out, double v, bool point, bool alternate) {
    gpa_str s;
    str_init(&s);
    number_put_float(&s, v);
    if (!point && s.len > 2 && strcmp(s.text + s.len - 2, ".0") == 0)
        str_truncate(&s, s.len - (alternate ? 1 : 2));
    size_t e = strcspn(s.text, "e");
    str_putn(out, s.text, e);
    if (alternate && !strchr(s.text, '.')) str_putc(out, '.');
    str_put(out, s.text + e);
    str_free(&s);
}

static void put_printf(gpa_str *out, char c, bool alternate, int precision, double v) {
    enum { EXACT_DIGITS = 1100 }; /* more than any float64 has: the rest are zeros */
    const int zeros = precision - MIN(precision, (int)EXACT_DIGITS);
    const size_t from = out->len;
    precision -= zeros;
    switch (c) {
        case 'e': str_printf(out, alternate ? "%#.*e" : "%.*e", precision, v); break;
        case 'E': str_printf(out, alternate ? "%#.*E" : "%.*E", precision, v); break;
        case 'f': str_printf(out, alternate ? "%#.*f" : "%.*f", precision, v); break;
        case 'F': str_printf(out, alternate ? "%#.*F" : "%.*F", precision, v); break;
        case 'G': str_printf(out, alternate ? "%#.*G" : "%.*G", precision, v); break;
        default: str_printf(out, alternate ? "%#.*g" : "%.*g", precision, v); break;
    }
    if (!zeros || (!alternate && (c == 'g' || c == 'G')) || out->failed) return;
    const char *e = strpbrk(out->text + from, "eE");
    char exponent[16] = "";
    if (e) {
        snprintf(exponent, sizeof exponent, "%s", e);
        str_truncate(out, (size_t)(e - out->text));
    }
    str_fill(out, '0', (size_t)zeros);
    str_put(out, exponent);
}

/* |v| formatted by the spec's type; without one, as repr() (`point`: with ".0"), or as 'g'. */
static void put_magnitude(gpa_str *out, const spec *s, double v, bool point) {
    char c = s->type == 'n' ? 'g' : s->type == '%' ? 'f' : s->type;
    if (!isfinite(v)) {
        bool upper = c == 'E' || c == 'F' || c == 'G';
        str_put(out, isnan(v) ? (upper ? "NAN" : "nan") : upper ? "INF" : "inf");
    } else if (!c && s->precision < 0)
        put_shortest(out, v, point, s->alternate);
    else if (!c && point)
        put_general_point(out, v, (int)s->precision, s->alternate);
    else
        put_printf(out, c ? c : 'g', s->alternate, s->precision < 0 ? 6 : (int)s->precision, v);
    if (s->type == '%') str_putc(out, '%');
}

static bool all_zero(const char *s) {
    for (; *s && *s != 'e' && *s != 'E'; s++)
        if (*s >= '1' && *s <= '9') return false;
    return true;
}

static size_t whole_digits(const gpa_str *s) {
    size_t n = 0;
    while (n < s->len && isdigit((unsigned char)s->text[n])) n++;
    return n;
}

static gpa_code format_float(gpa_vm *vm, value v, const spec *s, double f, gpa_str *out) {
    if (s->type && !strchr("eEfFgGn%", s->type)) return unknown_code(vm, s->type, v);
    gpa_str body;
    str_init(&body);
    bool negative = signbit(f) && !isnan(f);
    put_magnitude(&body, s, fabs(s->type == '%' ? f * 100 : f), true);
    if (s->no_negative_zero && isfinite(f) && all_zero(body.text)) negative = false;
    gpa_code rc = lay_out(
        vm, out, s, &(parts){sign_of(s, negative), "", body.text, body.len, whole_digits(&body)});
    out->failed = out->failed || body.failed;
    str_free(&body);
    return rc;
}

/* ---- complex ---- */

static gpa_code format_complex(gpa_vm *vm, value v, const spec *s, double re, double im,
                               gpa_str *out) {
    if (s->type && !strchr("eEfFgGn", s->type)) return unknown_code(vm, s->type, v);
    if (s->fill == '0')
        return vm_fail(vm, GPA_E_VALUE, "Zero padding is not allowed in complex format specifier");
    if (s->align == '=')
        return vm_fail(vm, GPA_E_VALUE,
                       "'=' alignment flag is not allowed in complex format specifier");
    bool both = s->type || re != 0 || signbit(re);
    gpa_str body, part;
    gpa_code rc = GPA_OK;
    str_init(&body);
    str_init(&part);
    if (both && !s->type) str_putc(&body, '(');
    spec plain = *s;
    plain.width = -1;
    for (int i = both ? 0 : 1; i < 2 && !rc; i++) {
        double x = i ? im : re;
        bool negative = signbit(x) && !isnan(x);
        str_clear(&part);
        put_magnitude(&part, &plain, fabs(x), false);
        if (s->no_negative_zero && isfinite(x) && all_zero(part.text)) negative = false;
        rc = lay_out(vm, &body, &plain,
                     &(parts){i && both && !negative ? "+" : sign_of(s, negative), "", part.text,
                              part.len, whole_digits(&part)});
    }
    str_put(&body, both && !s->type ? "j)" : "j");
    plain.width = s->width;
    plain.group = 0;
    if (!rc) rc = lay_out(vm, out, &plain, &(parts){"", "", body.text, body.len, 0});
    out->failed = out->failed || body.failed || part.failed;
    str_free(&part);
    str_free(&body);
    return rc;
}

gpa_code spec_format(gpa_vm *vm, value v, const char *text, size_t n, gpa_str *out) {
    if (v.tag == V_STR) return format_text(vm, v, text, n, out);
    number x = number_of(v);
    spec s;
    gpa_code rc = parse(vm, v, text, n, '>', &s);
    if (rc) return rc;
    if (x.kind == NUMBER_COMPLEX) return format_complex(vm, v, &s, x.re, x.im, out);
    if (x.kind == NUMBER_FLOAT) return format_float(vm, v, &s, x.re, out);
    if (!s.type || strchr("bcdnoxX", s.type)) return format_whole(vm, &s, &x, out);
    if (x.kind == NUMBER_BIG && isinf(x.re))
        return vm_fail(vm, GPA_E_OVERFLOW, "int too large to convert to float");
    if (strchr("eEfFgG%", s.type)) return format_float(vm, v, &s, x.re, out);
    return unknown_code(vm, s.type, v);
}
