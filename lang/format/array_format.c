/* Array printing (NumPy's array2string).
 *
 * First the elements to be shown are read into a host block: all of them, or, summarized, `edge`
 * from both ends of every long axis. One pass over them chooses a common format (columns align),
 * then they are written recursively, row by row.
 *
 * Reading order: the block, format selection, one element, rows, repr. */
#include "lang/format/array_format.h"

#include <math.h>

#include "lang/object/container.h"
#include "lang/text/float_text.h"
#include "lang/object/number.h"
#include "lang/vm/vm.h"

typedef struct {
    gpa_vm *vm;
    gpa_arr *a;
    const print_options *o;
    const char *separator;
    size_t separator_width; /* separator without trailing spaces */
    gpa_str *out;
    /* the block */
    bool summarised;
    int64_t shape[GPA_MAX_DIMS], size;
    char *items;
    gpa_dtype dtype;
    /* the form: of the real numbers or parts, and of imaginary parts */
    struct number_form {
        float_form f;
        bool exponent;
    } form[2];
    size_t width; /* of integers */
    bool signs;   /* positive integers have a sign or a blank, too */
    value call;   /* the user's own formatter, borrowed; or UNSET */
} printer;

/* ---- the block ---- */

static bool is_long(const printer *p, int axis) {
    return p->summarised && p->a->shape[axis] > 2 * p->o->edgeitems;
}

/* A part of the block: its first index and extent along each axis, and its elements in C order. */
typedef struct {
    int64_t lo[GPA_MAX_DIMS], shape[GPA_MAX_DIMS];
    const char *next; /* element that is copied next */
} corner;

/* Copies a corner into the block: of the axes before `axis` the index is `at`. */
static void copy_corner(printer *p, corner *c, int axis, int64_t at) {
    int64_t base = (at * p->shape[axis]) + c->lo[axis], n = c->shape[axis];
    size_t size = dtype_size(p->dtype);
    if (axis == p->a->ndim - 1) {
        memcpy(p->items + (size_t)base * size, c->next, (size_t)n * size);
        c->next += (size_t)n * size;
        return;
    }
    for (int64_t i = 0; i < n; i++) copy_corner(p, c, axis + 1, base + i);
}

/* Reads one corner; bit k of `high` selects the end of the k-th long axis. */
static gpa_code read_corner(printer *p, uint32_t high) {
    corner c;
    int64_t offset = 0, size = 1;
    gpa_arr *a = p->a, *view = NULL;
    gpa_rt *rt = vm_rt(p->vm);
    char *data = NULL;
    gpa_code rc = GPA_OK;
    for (int i = 0; i < a->ndim; i++) {
        c.shape[i] = is_long(p, i) ? p->o->edgeitems : a->shape[i];
        bool end = high >> i & 1;
        c.lo[i] = end ? p->o->edgeitems : 0;
        if (end) offset += (a->shape[i] - c.shape[i]) * a->strides[i];
        size *= c.shape[i];
    }
    TRY(arr_view(rt, a, &(arr_layout){(gpa_dtype)a->dtype, a->ndim, c.shape, a->strides, offset},
                 &view, vm_err(p->vm)));
    data = mem_new((size_t)size * dtype_size(p->dtype));
    if (!data) TRY(vm_no_memory(p->vm));
    TRY(arr_read(rt, view, data, vm_err(p->vm)));
    c.next = data;
    copy_corner(p, &c, 0, 0);
out:
    mem_free(data);
    arr_release(rt, view);
    return rc;
}

static gpa_code read_block(printer *p) {
    gpa_arr *a = p->a;
    uint32_t longs = 0;
    p->size = 1;
    for (int i = 0; i < a->ndim; i++) {
        p->shape[i] = is_long(p, i) ? 2 * p->o->edgeitems : a->shape[i];
        if (is_long(p, i)) longs |= (uint32_t)1 << i;
        p->size *= p->shape[i];
    }
    p->items = mem_new((size_t)p->size * dtype_size(p->dtype));
    if (!p->items) return vm_no_memory(p->vm);
    if (p->size == 0) return GPA_OK;
    if (!longs) return arr_read(vm_rt(p->vm), a, p->items, vm_err(p->vm));
    gpa_code rc = arr_eval(vm_rt(p->vm), &p->a, 1, vm_err(p->vm));
    uint32_t high = 0;
    do {
        if (!rc) rc = read_corner(p, high);
        high = (high - longs) & longs; /* the next subset of the long axes */
    } while (!rc && high);
    return rc;
}

/* ---- format selection ---- */

/* Component 0: the number or the real part; component 1: the imaginary part. */
static double part_at(const printer *p, int64_t i, int part) {
    number n = number_of_element(p->dtype,
                                 dtype_load(p->items + (size_t)i * dtype_size(p->dtype), p->dtype));
    return part ? n.im : n.re;
}

static double rounded(double v, gpa_dtype t) {
    gpa_val x = {.F64 = v};
    return dtype_cast(dtype_cast(x, DT_F64, t), t, DT_F64).F64;
}

/* Statistics of one pass over the finite numbers. */
typedef struct {
    int64_t finite;
    bool any_nan, any_inf, negative_inf, negative; /* negative: a finite one with a sign */
    double least, most;                            /* of the nonzero absolute values; 0: none */
} survey;

static survey look_at(const printer *p, int part) {
    survey s = {0};
    for (int64_t i = 0; i < p->size; i++) {
        double v = part_at(p, i, part), m = fabs(v);
        s.any_nan |= isnan(v) != 0;
        s.any_inf |= isinf(v) != 0;
        s.negative_inf |= isinf(v) && v < 0;
        if (!isfinite(v)) continue;
        s.finite++;
        s.negative |= signbit(v) != 0;
        if (m == 0) continue;
        if (s.least == 0 || m < s.least) s.least = m;
        if (m > s.most) s.most = m;
    }
    return s;
}

/* True if the range or magnitude of the numbers requires scientific notation. */
static bool wants_exponent(const printer *p, const survey *s, gpa_dtype t) {
    if (s->most == 0) return false;
    double cutoff = t == DT_F64   ? 1e8
                    : t == DT_F32 ? 1e6
                    : t == DT_F16 ? p->o->long_half ? 1e5 : 1e3
                                  : 1e2;
    if (s->most >= cutoff) return true;
    return !p->o->suppress &&
           (s->least < rounded(0.0001, t) || rounded(s->most / s->least, t) > 1000);
}

/* Widths of printed numbers: before the point, after it, exponent digits. */
typedef struct {
    int left, right, exp;
} widths;

/* Maximum widths over all finite numbers. */
static gpa_code measure(const printer *p, int part, gpa_dtype t, const struct number_form *form,
                        widths *out) {
    gpa_str s;
    widths w = {0, 0, 0};
    gpa_code rc = GPA_OK;
    str_init(&s);
    for (int64_t i = 0; i < p->size && !(rc = vm_poll(p->vm)); i++) {
        double v = part_at(p, i, part);
        if (!isfinite(v)) continue;
        str_clear(&s);
        if (form->exponent)
            float_scientific(&s, v, t, &form->f);
        else
            float_positional(&s, v, t, &form->f);
        size_t point = strcspn(s.text, "."), e = strcspn(s.text, "e");
        w.left = MAX(w.left, (int)point);
        w.right = MAX(w.right, (int)(e - MIN(e, point + 1)));
        if (e < s.len) w.exp = MAX(w.exp, (int)(s.len - e - 2));
    }
    p->out->failed |= s.failed;
    str_free(&s);
    *out = w;
    return rc;
}

static gpa_code choose_float(printer *p, int part, gpa_dtype t, char sign) {
    struct number_form *form = &p->form[part];
    const print_options *o = p->o;
    survey s = look_at(p, part);
    bool fixed = o->floatmode == FLOAT_FIXED;
    form->f = (float_form){.precision = o->floatmode == FLOAT_UNIQUE ? -1 : (int)o->precision,
                           .min_digits = -1,
                           .pad_left = -1,
                           .pad_right = -1,
                           .exp_digits = -1,
                           .unique = !fixed,
                           .fractional = true,
                           .sign = sign == '+',
                           .trim = fixed ? 'k' : '.'};
    form->exponent = wants_exponent(p, &s, t);
    widths w;
    gpa_code rc = measure(p, part, t, form, &w);
    form->f.pad_left = w.left;
    form->f.pad_right = w.right;
    if (s.finite == 0) {
        form->f.unique = true;
        form->f.trim = '.';
    } else if (form->exponent) {
        form->f.exp_digits = w.exp;
        form->f.trim = 'k';
        form->f.precision = form->f.min_digits = w.right;
        form->f.pad_right = w.exp + 2 + w.right;
    } else if (fixed || o->floatmode == FLOAT_MAXPREC_EQUAL) {
        form->f.precision = form->f.min_digits = w.right;
        form->f.trim = 'k';
    } else
        form->f.min_digits = 0;
    if (sign == ' ' && !s.negative) form->f.pad_left++;
    if (s.finite == p->size) return rc;
    int reserved = form->f.pad_right + 1,
        inf = (int)strlen(o->inf) + (sign != '-' || s.negative_inf);
    form->f.pad_left = MAX(form->f.pad_left, MAX((int)strlen(o->nan) - reserved, inf - reserved));
    return rc;
}

static number element(const printer *p, int64_t i) {
    return number_of_element(p->dtype,
                             dtype_load(p->items + (size_t)i * dtype_size(p->dtype), p->dtype));
}

static void put_whole(gpa_str *s, const number *n) {
    if (n->kind == NUMBER_UINT)
        str_printf(s, "%llu", (unsigned long long)n->u);
    else
        str_printf(s, "%lld", (long long)n->i);
}

static void choose_int(printer *p) {
    number least = element(p, 0), most = least;
    for (int64_t i = 1; i < p->size; i++) {
        number n = element(p, i);
        if (number_compare(&n, &least) < 0) least = n;
        if (number_compare(&n, &most) > 0) most = n;
    }
    bool negative = least.kind == NUMBER_INT && least.i < 0,
         below = most.kind == NUMBER_INT && most.i < 0;
    p->signs = p->o->sign == '+' || (p->o->sign == ' ' && !negative);
    gpa_str s;
    str_init(&s);
    put_whole(&s, &most);
    p->width = s.len + (p->signs && !below);
    str_clear(&s);
    put_whole(&s, &least);
    p->width = MAX(p->width, s.len);
    str_free(&s);
}

/* The user's formatter for this dtype, by NumPy's kind names; later ones in this order take
 * precedence. */
static value choose_call(const printer *p) {
    value found = v_unset();
    if (p->o->formatter.tag != V_DICT) return found;
    char kind = dtype_info[p->dtype].kind;
    const char *names[3] = {"all", "", ""};
    if (kind == 'B')
        names[2] = "bool";
    else if (kind == 'F')
        names[1] = "float_kind", names[2] = "float";
    else if (kind == 'C')
        names[1] = "complex_kind", names[2] = "complexfloat";
    else
        names[1] = "int_kind", names[2] = "int";
    for (int i = 0; i < 3; i++) {
        value v = dict_text_peek(p->vm, p->o->formatter.dict, names[i]);
        if (v.tag != V_UNSET && v.tag != V_NONE) found = v;
    }
    return found;
}

static gpa_code choose(printer *p) {
    p->call = choose_call(p);
    if (p->call.tag != V_UNSET || p->size == 0) return GPA_OK;
    if (dtype_is_int(p->dtype)) choose_int(p);
    if (dtype_is_float(p->dtype)) return choose_float(p, 0, p->dtype, p->o->sign);
    if (!dtype_is_complex(p->dtype)) return GPA_OK;
    gpa_code rc = choose_float(p, 0, dtype_info[p->dtype].real, p->o->sign);
    return rc ? rc : choose_float(p, 1, dtype_info[p->dtype].real, '+');
}

/* ---- one element ---- */

static void put_float(const printer *p, int part, gpa_dtype t, double v, gpa_str *out) {
    const struct number_form *form = &p->form[part];
    if (isfinite(v)) {
        if (form->exponent)
            float_scientific(out, v, t, &form->f);
        else
            float_positional(out, v, t, &form->f);
        return;
    }
    const char *sign = v < 0          ? "-"
                       : form->f.sign ? "+"
                                      : "",
               *word = isnan(v) ? p->o->nan : p->o->inf;
    int pad = form->f.pad_left + form->f.pad_right + 1 - (int)(strlen(sign) + strlen(word));
    if (pad > 0) str_fill(out, ' ', (size_t)pad);
    str_put(out, sign);
    str_put(out, word);
}

static gpa_code put_called(const printer *p, int64_t i, gpa_str *out) {
    value v = v_num(p->vm, p->dtype,
                    dtype_load(p->items + (size_t)i * dtype_size(p->dtype), p->dtype)),
          text = v_none();
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = vm_call(p->vm, p->call, ARGS(1, &v), &text);
    if (!rc && text.tag != V_STR)
        rc = vm_fail(p->vm, GPA_E_TYPE, "unsupported operand: a formatter must return str, not %s",
                     value_type_name(text));
    if (!rc) str_putn(out, text.str->text, text.str->size);
    value_release(p->vm, text);
    value_release(p->vm, v);
    return rc;
}

static gpa_code put_element(const printer *p, int64_t i, gpa_str *out) {
    if (p->call.tag != V_UNSET) return put_called(p, i, out);
    number n = element(p, i);
    if (p->dtype == DT_BOOL)
        str_put(out, n.i ? (p->a->ndim ? " True" : "True") : "False");
    else if (dtype_is_int(p->dtype)) {
        gpa_str s;
        str_init(&s);
        if (p->signs && !(n.kind == NUMBER_INT && n.i < 0)) str_putc(&s, p->o->sign);
        put_whole(&s, &n);
        if (p->width > s.len) str_fill(out, ' ', p->width - s.len);
        str_putn(out, s.text, s.len);
        str_free(&s);
    } else if (dtype_is_float(p->dtype))
        put_float(p, 0, p->dtype, n.re, out);
    else {
        gpa_dtype t = dtype_info[p->dtype].real;
        put_float(p, 0, t, n.re, out);
        size_t from = out->len, end;
        put_float(p, 1, t, n.im, out);
        for (end = out->len; end > from && out->text[end - 1] == ' ';) end--;
        size_t spaces = out->len - end; /* the j precedes the padding */
        str_truncate(out, end);
        str_putc(out, 'j');
        str_fill(out, ' ', spaces);
    }
    return GPA_OK;
}

/* ---- rows ---- */

/* The line being written: it begins at column `indent`, and `length` columns are used. */
typedef struct {
    size_t indent, length, limit;
} line;

static void new_line(gpa_str *out, size_t indent) {
    while (out->len && out->text[out->len - 1] == ' ') str_truncate(out, out->len - 1);
    str_putc(out, '\n');
    str_fill(out, ' ', indent);
}

static void put_word(const printer *p, line *l, const char *word, size_t n) {
    if (l->length + n > l->limit && l->length > l->indent) {
        new_line(p->out, l->indent);
        l->length = l->indent;
    }
    str_putn(p->out, word, n);
    l->length += n;
}

static void put_separator(const printer *p, line *l) {
    size_t n = strlen(p->separator);
    str_putn(p->out, p->separator, n);
    l->length += n;
}

static gpa_code put_row(const printer *p, int64_t base, size_t indent, size_t width) {
    int axis = p->a->ndim - 1;
    int64_t n = p->shape[axis], gap = is_long(p, axis) ? p->o->edgeitems : -1;
    size_t reserved_columns = MAX(p->separator_width, 1);
    line l = {indent, indent, width > reserved_columns ? width - reserved_columns : 0};
    gpa_str word;
    str_init(&word);
    gpa_code rc = GPA_OK;
    for (int64_t i = 0; i < n && !rc; i++) {
        if (i == gap) {
            put_word(p, &l, "...", 3);
            put_separator(p, &l);
        }
        str_clear(&word);
        rc = vm_poll(p->vm);
        if (!rc) rc = put_element(p, base + i, &word);
        put_word(p, &l, word.text, word.len);
        if (i + 1 < n) put_separator(p, &l);
    }
    if (gap == 0) put_word(p, &l, "...", 3);
    p->out->failed |= word.failed;
    str_free(&word);
    return rc;
}

/* Ends an item of an outer axis: the separator, and one newline per inner axis. */
static void end_item(const printer *p, int axis, size_t indent) {
    str_putn(p->out, p->separator, p->separator_width);
    str_fill(p->out, '\n', (size_t)(p->a->ndim - axis - 1));
    str_fill(p->out, ' ', indent);
}

static gpa_code put_axis(const printer *p, int axis, int64_t base, size_t indent, size_t width) {
    if (axis == p->a->ndim) return put_element(p, base, p->out);
    gpa_code rc = GPA_OK;
    int64_t n = p->shape[axis], gap = is_long(p, axis) ? p->o->edgeitems : -1;
    str_putc(p->out, '[');
    base *= n;
    if (axis == p->a->ndim - 1)
        rc = put_row(p, base, indent, width);
    else
        for (int64_t i = 0; i < n && !rc; i++) {
            if (i) end_item(p, axis, indent);
            if (i == gap) {
                str_put(p->out, "...");
                end_item(p, axis, indent);
            }
            rc = put_axis(p, axis + 1, base + i, indent + 1, width ? width - 1 : 0);
        }
    str_putc(p->out, ']');
    return rc;
}

gpa_code array_put(gpa_vm *vm, gpa_arr *a, const print_options *o, const array_margins *m,
                   gpa_str *out) {
    const char *separator = m->separator;
    if (a->size == 0) {
        str_put(out, "[]");
        return GPA_OK;
    }
    printer p = {
        .vm = vm, .a = a, .o = o, .separator = separator, .out = out, .dtype = (gpa_dtype)a->dtype};
    p.separator_width = strlen(separator);
    while (p.separator_width && separator[p.separator_width - 1] == ' ') p.separator_width--;
    p.summarised = a->size > o->threshold;
    size_t width = o->linewidth > (int64_t)m->after ? (size_t)o->linewidth - m->after : 0;
    gpa_code rc = read_block(&p);
    if (!rc) rc = choose(&p);
    if (!rc) rc = put_axis(&p, 0, 0, m->before + 1, width);
    mem_free(p.items);
    return rc;
}

/* ---- repr and str ---- */

/* "shape=(0, 3), dtype=float32": what the elements do not imply. */
static void put_extras(gpa_str *out, const gpa_arr *a, const print_options *o) {
    if ((a->size == 0 && !(a->ndim == 1 && a->shape[0] == 0)) ||
        (a->size > o->threshold && !o->no_shape)) {
        str_put(out, "shape=(");
        for (int i = 0; i < a->ndim; i++)
            str_printf(out, i ? ", %lld" : "%lld", (long long)a->shape[i]);
        str_put(out, a->ndim == 1 ? ",)" : ")");
    }
    bool implied =
        a->dtype == DT_BOOL || a->dtype == DT_I64 || a->dtype == DT_F64 || a->dtype == DT_C128;
    if (!implied || a->size == 0)
        str_printf(out, "%sdtype=%s", out->len ? ", " : "", dtype_info[a->dtype].name);
}

gpa_code array_put_repr_with(gpa_vm *vm, gpa_arr *a, const print_options *o, gpa_str *out) {
    gpa_str extras;
    str_init(&extras);
    size_t from = out->len;
    str_put(out, "array(");
    gpa_code rc = array_put(vm, a, o, &(array_margins){", ", 6, 1}, out);
    put_extras(&extras, a, o);
    if (extras.len) {
        str_putc(out, ',');
        size_t start = out->len;
        while (start > from && out->text[start - 1] != '\n') start--;
        bool fits = (int64_t)(out->len - start + extras.len + 1) + 1 <= o->linewidth;
        str_put(out, fits ? " " : "\n      ");
        str_putn(out, extras.text, extras.len);
    }
    str_putc(out, ')');
    out->failed = out->failed || extras.failed;
    str_free(&extras);
    return rc;
}

/* The user's own repr of arrays (set_printoptions(override_repr=)). */
static gpa_code put_overridden(gpa_vm *vm, gpa_arr *a, value function, gpa_str *out) {
    value array = v_array_take(vm, arr_retain(a), false), text = v_none();
    if (array.tag == V_UNSET) return vm_err(vm)->code;
    gpa_code rc = vm_call(vm, function, ARGS(1, &array), &text);
    if (!rc) rc = vm_str(vm, text, out);
    value_release(vm, text);
    value_release(vm, array);
    return rc;
}

gpa_code array_put_repr(gpa_vm *vm, gpa_arr *a, gpa_str *out) {
    print_options o;
    gpa_code rc = print_options_get(vm, &o);
    if (rc) return rc;
    return o.override_repr.tag == V_NONE ? array_put_repr_with(vm, a, &o, out)
                                         : put_overridden(vm, a, o.override_repr, out);
}

gpa_code array_put_str(gpa_vm *vm, gpa_arr *a, gpa_str *out) {
    print_options o;
    gpa_code rc = print_options_get(vm, &o);
    return rc ? rc : array_put(vm, a, &o, &(array_margins){" ", 0, 0}, out);
}
