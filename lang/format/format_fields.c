/* Replacement fields: str.format and the % operator. */
#include <ctype.h>
#include <stdio.h>

#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/format/format.h"
#include "lang/vm/instance.h"
#include "lang/object/number.h"
#include "lang/vm/record.h"
#include "lang/text/text.h"

/* ---- braces ---- */

typedef struct {
    gpa_vm *vm;
    const tuple_obj *args;
    value kwargs;
    int64_t next; /* counter of automatically numbered fields */
    enum { NUMBERED_NOT, NUMBERED_BY_HAND, NUMBERED_AUTOMATICALLY } numbering;
} filler;

static gpa_code fill(filler *f, const char *p, const char *end, int depth, gpa_str *out);

/* The argument a field refers to: by number, by name, or the next one. Owned. */
static gpa_code first_value(filler *f, const char *p, size_t n, value *out) {
    gpa_vm *vm = f->vm;
    bool digits = n > 0;
    int64_t i = 0;
    for (size_t k = 0; k < n && digits; k++) {
        digits = isdigit((unsigned char)p[k]) && i < INT32_MAX;
        if (digits) i = i * 10 + (p[k] - '0');
    }
    if (n == 0 || digits) {
        if (f->numbering == (n ? NUMBERED_AUTOMATICALLY : NUMBERED_BY_HAND))
            return vm_fail(vm, GPA_E_VALUE, "cannot switch from %s to %s",
                           n ? "automatic field numbering" : "manual field specification",
                           n ? "manual field specification" : "automatic field numbering");
        f->numbering = n ? NUMBERED_BY_HAND : NUMBERED_AUTOMATICALLY;
        if (n == 0) i = f->next++;
        if ((size_t)i >= f->args->count)
            return vm_fail(vm, GPA_E_INDEX,
                           "Replacement index %lld out of range for positional args tuple",
                           (long long)i);
        *out = value_retain(f->args->items[i]);
        return GPA_OK;
    }
    value key = v_str(vm, p, n), hit = v_unset();
    if (key.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = f->kwargs.tag == V_DICT ? dict_get_peek(vm, f->kwargs.dict, key, &hit) : GPA_OK;
    if (!rc && hit.tag == V_UNSET) rc = vm_raise(vm, GPA_E_KEY, 1, &key);
    if (!rc) *out = value_retain(hit);
    value_release(vm, key);
    return rc;
}

/* One step of a field's path: .name or [key]. Replaces *v. */
static gpa_code step_into(filler *f, const char **p, const char *end, value *v) {
    gpa_vm *vm = f->vm;
    value got = v_none(), key = v_unset();
    gpa_code rc = GPA_OK;
    const char *from = ++*p;
    if (from[-1] == '.') {
        while (*p < end && **p != '.' && **p != '[') ++*p;
        if (*p == from) return vm_fail(vm, GPA_E_VALUE, "Empty attribute in format string");
        key = v_str(vm, from, (size_t)(*p - from));
        rc = key.tag == V_UNSET ? GPA_E_MEMORY : vm_attr(vm, *v, key.str->text, &got);
    } else {
        int64_t i = 0;
        bool digits = *p < end && **p != ']';
        for (; *p < end && **p != ']'; ++*p) {
            digits = digits && isdigit((unsigned char)**p) && i < INT32_MAX;
            if (digits) i = i * 10 + (**p - '0');
        }
        if (*p == end) return vm_fail(vm, GPA_E_VALUE, "Missing ']' in format string");
        if (*p == from) return vm_fail(vm, GPA_E_VALUE, "Empty attribute in format string");
        key = digits ? v_int(i) : v_str(vm, from, (size_t)(*p - from));
        ++*p;
        rc = key.tag == V_UNSET ? GPA_E_MEMORY : vm_getitem(vm, *v, key, &got);
    }
    value_release(vm, key);
    if (rc) return rc;
    value_release(vm, *v);
    *v = got;
    return GPA_OK;
}

static gpa_code field_value(filler *f, const char *p, const char *end, value *out) {
    const char *name = p;
    while (p < end && *p != '.' && *p != '[') p++;
    value v = v_none();
    gpa_code rc = first_value(f, name, (size_t)(p - name), &v);
    while (!rc && p < end) {
        if (*p != '.' && *p != '[')
            rc = vm_fail(f->vm, GPA_E_VALUE,
                         "Only '.' or '[' may follow ']' in format field specifier");
        else
            rc = step_into(f, &p, end, &v);
    }
    if (rc)
        value_release(f->vm, v);
    else
        *out = v;
    return rc;
}

/* How a field is formatted: the letter of !r, !s or !a, or 0; the text of the specification. */
typedef struct {
    char conversion;
    const char *spec, *end;
} field_format;

/* Applies the conversion and the specification, whose own fields are filled first. */
static gpa_code put_field(filler *f, value v, const field_format *format, int depth, gpa_str *out) {
    char conversion = format->conversion;
    gpa_vm *vm = f->vm;
    gpa_str own, text;
    str_init(&own);
    str_init(&text);
    value converted = v_unset();
    gpa_code rc = fill(f, format->spec, format->end, depth + 1, &own);
    if (!rc && conversion == 'r')
        rc = vm_repr(vm, v, &text);
    else if (!rc && conversion == 's')
        rc = vm_str(vm, v, &text);
    else if (!rc && conversion == 'a')
        rc = format_ascii(vm, v, &text);
    else if (!rc && conversion)
        rc = vm_fail(vm, GPA_E_VALUE, "Unknown conversion specifier %c", conversion);
    if (rc) goto out;
    if (conversion) {
        converted = v_str_take(vm, &text);
        if (converted.tag == V_UNSET) rc = GPA_E_MEMORY;
        v = converted;
    }
    if (!rc) rc = vm_format(vm, v, own.text, own.len, out);
out:
    value_release(vm, converted);
    str_free(&text);
    str_free(&own);
    return rc;
}

/* One field in braces. */
static gpa_code one_field(filler *f, const char *p, const char *end, int depth, gpa_str *out) {
    const char *name_end = p;
    bool bracket = false;
    for (; name_end < end && (bracket || (*name_end != '!' && *name_end != ':')); name_end++) {
        if (*name_end == '[') bracket = true;
        if (*name_end == ']') bracket = false;
    }
    char conversion = 0;
    const char *spec = name_end;
    if (spec < end && *spec == '!') {
        if (end - spec < 2) return vm_fail(f->vm, GPA_E_VALUE, "unmatched '{' in format spec");
        conversion = spec[1];
        spec += 2;
        if (spec < end && *spec != ':')
            return vm_fail(f->vm, GPA_E_VALUE, "expected ':' after conversion specifier");
    }
    if (spec < end) spec++;
    value v = v_none();
    gpa_code rc = field_value(f, p, name_end, &v);
    if (!rc) rc = put_field(f, v, &(field_format){conversion, spec, end}, depth, out);
    value_release(f->vm, v);
    return rc;
}

static gpa_code fill(filler *f, const char *p, const char *end, int depth, gpa_str *out) {
    gpa_vm *vm = f->vm;
    if (depth > 2 && memchr(p, '{', (size_t)(end - p)))
        return vm_fail(vm, GPA_E_VALUE, "Max string recursion exceeded");
    while (p < end) {
        const char *from = p;
        while (p < end && *p != '{' && *p != '}') p++;
        str_putn(out, from, (size_t)(p - from));
        if (p == end) break;
        char c = *p++;
        if (p < end && *p == c && depth == 1) {
            str_putc(out, *p++);
            continue;
        }
        if (c == '}') return vm_fail(vm, GPA_E_VALUE, "Single '}' encountered in format string");
        if (p == end) return vm_fail(vm, GPA_E_VALUE, "Single '{' encountered in format string");
        const char *field = p;
        for (int open = 1; p < end; p++) {
            open += (*p == '{') - (*p == '}');
            if (open == 0) break;
        }
        if (p == end) return vm_fail(vm, GPA_E_VALUE, "expected '}' before end of string");
        gpa_code rc = one_field(f, field, p++, depth, out);
        if (rc) return rc;
    }
    return GPA_OK;
}

gpa_code format_braces(gpa_vm *vm, const str_obj *fmt, const tuple_obj *args, value kwargs,
                       gpa_str *out) {
    filler f = {.vm = vm, .args = args, .kwargs = kwargs};
    return fill(&f, fmt->text, fmt->text + fmt->size, 1, out);
}

/* ---- percent ---- */

typedef struct {
    gpa_vm *vm;
    value args;
    size_t used;
} percents;

static gpa_code next_arg(percents *p, value *out) {
    bool many = p->args.tag == V_TUPLE;
    if (p->used >= (many ? p->args.tuple->count : 1))
        return vm_fail(p->vm, GPA_E_TYPE, "not enough arguments for format string");
    *out = many ? p->args.tuple->items[p->used] : p->args;
    p->used++;
    return GPA_OK;
}

typedef struct {
    bool left, sign, space, zero, alternate;
    int64_t width, precision;
    char type;
} percent;

/* A number, or * for the next argument. */
static gpa_code star_or_digits(percents *p, const char **s, const char *end, int64_t *out) {
    if (*s < end && **s == '*') {
        value v;
        ++*s;
        gpa_code rc = next_arg(p, &v);
        if (rc) return rc;
        if (v.tag != V_INT) return vm_fail(p->vm, GPA_E_TYPE, "* wants int");
        *out = v.i;
        return GPA_OK;
    }
    for (; *s < end && isdigit((unsigned char)**s); ++*s)
        if ((*out = MAX(*out, 0) * 10 + (**s - '0')) > INT32_MAX)
            return vm_fail(p->vm, GPA_E_VALUE, "width too big");
    return GPA_OK;
}

/* %s, %r, %a, %c: text, truncated to the precision. */
static gpa_code percent_text(percents *p, const percent *f, value v, gpa_str *text) {
    gpa_vm *vm = p->vm;
    if (f->type == 's') return vm_str(vm, v, text);
    if (f->type == 'r') return vm_repr(vm, v, text);
    if (f->type == 'a') return format_ascii(vm, v, text);
    if (v.tag == V_STR && v.str->length == 1) {
        str_putn(text, v.str->text, v.str->size);
        return GPA_OK;
    }
    if (v.tag != V_INT) return vm_fail(vm, GPA_E_TYPE, "%%c requires int or char");
    if (v.i < 0 || v.i > 0x10FFFF)
        return vm_fail(vm, GPA_E_OVERFLOW, "%%c arg not in range(0x110000)");
    text_put(text, (uint32_t)v.i);
    return GPA_OK;
}

/* Converts the argument of a numeric field: a 0-d array is computed, an instance is converted by
 * `method`, else __index__. *now is owned. */
static gpa_code number_in(gpa_vm *vm, value v, const char *method, value *now) {
    if (instance_has(v, method) || instance_has(v, "__index__")) {
        bool handled;
        return record_call_member(vm, v, instance_has(v, method) ? method : "__index__", NO_ARGS,
                                  now, &handled);
    }
    bool array = v.tag == V_ARRAY && !v.aux && v.array->arr->ndim == 0;
    if (!array) return value_computed(vm, v, now);
    value all = v_tuple(vm, 0, NULL), item = v_none();
    gpa_code rc = all.tag == V_UNSET ? vm_err(vm)->code : vm_getitem(vm, v, all, &item);
    if (!rc) rc = value_computed(vm, item, now);
    value_release(vm, all);
    value_release(vm, item);
    return rc;
}

/* Formats a number by the mini-language with the options of the percent field. */
static gpa_code percent_number(percents *p, const percent *f, value v, gpa_str *text) {
    gpa_vm *vm = p->vm;
    value now = v_none();
    bool whole = strchr("diuxXo", f->type) != NULL;
    gpa_code rc = number_in(vm, v,
                            !whole                   ? "__float__"
                            : strchr("diu", f->type) ? "__int__"
                                                     : "__index__",
                            &now);
    if (rc) return rc;
    number n = number_of(now);
    bool real = n.kind != NUMBER_NOT && n.kind != NUMBER_COMPLEX;
    char type = f->type == 'i' || f->type == 'u' ? 'd' : f->type, spec[32];
    value worth = n.kind == NUMBER_FLOAT ? v_float(n.re)
                  : n.kind == NUMBER_INT ? v_int(n.i)
                                         : value_retain(now);
    if (!real && whole)
        rc = vm_fail(vm, GPA_E_TYPE, "%%%c format: %s is required, not %s", f->type,
                     type == 'd' ? "a real number" : "an integer", value_type_name(now));
    else if (!real)
        rc = vm_fail(vm, GPA_E_TYPE, "must be real number, not %s", value_type_name(now));
    else if (whole && n.kind == NUMBER_FLOAT && type != 'd')
        rc = vm_fail(vm, GPA_E_TYPE, "%%%c format: an integer is required, not %s", f->type,
                     value_type_name(now));
    else if (whole && n.kind == NUMBER_FLOAT) {
        worth = v_none();
        rc = int_of_float(vm, n.re, &worth);
    }
    value_release(vm, now);
    if (rc) {
        value_release(vm, worth);
        return rc;
    }
    int at = 0;
    if (f->sign || f->space) spec[at++] = f->sign ? '+' : ' ';
    if (f->alternate && type != 'd') spec[at++] = '#';
    if (!whole)
        at += snprintf(spec + at, sizeof spec - (size_t)at, ".%lld",
                       f->precision < 0 ? 6 : (long long)f->precision);
    spec[at++] = type;
    rc = spec_format(vm, worth, spec, (size_t)at, text);
    value_release(vm, worth);
    return rc;
}

/* Pads with zeros after the sign and the 0x. */
static size_t head_length(const char *s) {
    size_t n = *s == '-' || *s == '+' || *s == ' ';
    if (s[n] == '0' && (s[n + 1] == 'x' || s[n + 1] == 'X' || s[n + 1] == 'o')) n += 2;
    return n;
}

static gpa_code percent_field(percents *p, const percent *f, value v, gpa_str *out) {
    bool numeric = strchr("diuoxXeEfFgG", f->type) != NULL;
    gpa_str text;
    str_init(&text);
    gpa_code rc = numeric ? percent_number(p, f, v, &text) : percent_text(p, f, v, &text);
    size_t head = numeric ? head_length(text.text) : 0;
    if (!rc && !numeric && f->precision >= 0 && f->type != 'c')
        str_truncate(&text, text_offset(text.text, text.len, (size_t)f->precision));
    int64_t digits =
        numeric && strchr("diuoxX", f->type) ? f->precision - (int64_t)(text.len - head) : 0;
    int64_t pad = f->width - (int64_t)text_count(text.text, text.len) - MAX(digits, 0);
    bool zeros = numeric && f->zero && !f->left;
    if (!rc) {
        uint64_t fill = (uint64_t)MAX(pad, 0);
        rc = vm_fill(p->vm, out, " ", 1, f->left || zeros ? 0 : fill);
        str_putn(out, text.text, head);
        if (!rc) rc = vm_fill(p->vm, out, "0", 1, zeros ? fill : 0);
        if (!rc) rc = vm_fill(p->vm, out, "0", 1, (uint64_t)MAX(digits, 0));
        str_putn(out, text.text + head, text.len - head);
        if (!rc) rc = vm_fill(p->vm, out, " ", 1, f->left ? fill : 0);
    }
    str_free(&text);
    return rc;
}

/* One field after its %. */
static gpa_code percent_one(percents *p, const char *start, const char **s, const char *end,
                            gpa_str *out) {
    gpa_vm *vm = p->vm;
    value v = v_unset();
    percent f = {.width = -1, .precision = -1};
    gpa_code rc = GPA_OK;
    if (*s < end && **s == '(') {
        const char *name = ++*s;
        while (*s < end && **s != ')') ++*s;
        if (*s == end) return vm_fail(vm, GPA_E_VALUE, "incomplete format key");
        if (p->args.tag != V_DICT) return vm_fail(vm, GPA_E_TYPE, "format requires a mapping");
        value key = v_str(vm, name, (size_t)(*s - name));
        if (key.tag == V_UNSET) return GPA_E_MEMORY;
        rc = dict_get_peek(vm, p->args.dict, key, &v);
        if (!rc && v.tag == V_UNSET) rc = vm_raise(vm, GPA_E_KEY, 1, &key);
        value_release(vm, key);
        if (rc) return rc;
        ++*s;
        p->used = 1;
    }
    for (; *s < end && strchr("-+ #0", **s); ++*s) {
        f.left |= **s == '-';
        f.sign |= **s == '+';
        f.space |= **s == ' ';
        f.alternate |= **s == '#';
        f.zero |= **s == '0';
    }
    if ((rc = star_or_digits(p, s, end, &f.width))) return rc;
    if (f.width < -1) {
        f.left = true;
        f.width = -f.width;
    }
    if (*s < end && **s == '.') {
        ++*s;
        f.precision = 0;
        if ((rc = star_or_digits(p, s, end, &f.precision))) return rc;
    }
    while (*s < end && strchr("hlL", **s)) ++*s;
    if (*s == end) return vm_fail(vm, GPA_E_VALUE, "incomplete format");
    f.type = *(*s)++;
    if (f.type == '%') {
        str_putc(out, '%');
        return GPA_OK;
    }
    if (!strchr("diuoxXeEfFgGcrsa", f.type))
        return vm_fail(vm, GPA_E_VALUE, "unsupported format character '%c' (0x%x) at index %td",
                       f.type, (unsigned char)f.type, *s - 1 - start);
    if (v.tag == V_UNSET) rc = next_arg(p, &v);
    if (rc) return rc;
    value_retain(v); /* a user's __str__ may change the dict that holds the value */
    rc = percent_field(p, &f, v, out);
    value_release(vm, v);
    return rc;
}

gpa_code format_percent(gpa_vm *vm, const str_obj *fmt, value args, gpa_str *out) {
    percents p = {vm, value_underlying(args), 0};
    const char *s = fmt->text, *end = s + fmt->size;
    while (s < end) {
        const char *from = s;
        while (s < end && *s != '%') s++;
        str_putn(out, from, (size_t)(s - from));
        if (s == end) break;
        s++;
        gpa_code rc = percent_one(&p, fmt->text, &s, end, out);
        if (rc) return rc;
    }
    bool mapping = args.tag == V_DICT || args.tag == V_LIST || args.tag == V_ARRAY;
    if (p.used < (args.tag == V_TUPLE ? args.tuple->count : mapping ? 0 : 1))
        return vm_fail(vm, GPA_E_TYPE, "not all arguments converted during string formatting");
    return GPA_OK;
}
