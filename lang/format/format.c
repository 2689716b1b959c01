/* repr, str and format of every value.
 *
 * Containers being printed form a chain of `within` records on the C stack: a container found again
 * inside itself prints as [...], and a chain too long is a RecursionError. */
#include "lang/format/format.h"

#include <math.h>

#include "lang/format/array_format.h"
#include "lang/object/big.h"
#include "lang/vm/format_interface.h"
#include "lang/vm/native_table.h"
#include "lang/vm/class.h"
#include "lang/object/container.h"
#include "lang/vm/generator.h"
#include "lang/object/number.h"
#include "lang/text/float_text.h"
#include "lang/text/number_text.h"
#include "lang/vm/record.h"
#include "lang/vm/foreign.h"
#include "lang/text/text.h"
#include "lang/vm/vm.h"

typedef struct within {
    const struct within *up;
    const obj *o;
    int depth;
} within;

enum { DEEPEST = 500 };

static gpa_code repr(gpa_vm *vm, value v, const within *up, gpa_str *out);

/* ---- text ---- */

static void put_escaped(gpa_str *out, uint32_t c, char quote, bool ascii) {
    if (c == (uint32_t)quote || c == '\\')
        str_printf(out, "\\%c", (int)c);
    else if (c == '\n')
        str_put(out, "\\n");
    else if (c == '\r')
        str_put(out, "\\r");
    else if (c == '\t')
        str_put(out, "\\t");
    else if (c < 32 || c == 127 || (c < 256 && c > 127 && (ascii || !text_is_printable(c))))
        str_printf(out, "\\x%02x", c);
    else if (c > 127 && (ascii || !text_is_printable(c)))
        str_printf(out, c > 0xFFFF ? "\\U%08x" : "\\u%04x", c);
    else
        text_put(out, c);
}

void format_quoted(gpa_str *out, const char *text, size_t n, bool ascii) {
    char quote = memchr(text, '\'', n) && !memchr(text, '"', n) ? '"' : '\'';
    str_putc(out, quote);
    size_t len;
    for (size_t i = 0; i < n; i += len) {
        uint32_t c = text_decode(text + i, n - i, &len);
        put_escaped(out, c, quote, ascii);
    }
    str_putc(out, quote);
}

static void put_bytes(gpa_str *out, const str_obj *b) {
    char quote = memchr(b->text, '\'', b->size) && !memchr(b->text, '"', b->size) ? '"' : '\'';
    str_putc(out, 'b');
    str_putc(out, quote);
    for (size_t i = 0; i < b->size; i++) {
        unsigned char c = (unsigned char)b->text[i];
        if (c < 127)
            put_escaped(out, c, quote, false);
        else
            str_printf(out, "\\x%02x", c);
    }
    str_putc(out, quote);
}

/* ---- containers ---- */

/* Items of immutable sequences: a tuple, the parts of a slice. */
static gpa_code repr_items(gpa_vm *vm, const value *items, size_t n, const within *up,
                           gpa_str *out) {
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (i) str_put(out, ", ");
        rc = vm_poll(vm);
        if (!rc) rc = repr(vm, items[i], up, out);
    }
    return rc;
}

static gpa_code repr_list(gpa_vm *vm, value list, const within *up, gpa_str *out) {
    gpa_code rc = GPA_OK;
    size_t at = 0;
    str_putc(out, '[');
    for (value item; !rc && items_next(list, &at, &item); value_release(vm, item)) {
        if (at > 1) str_put(out, ", ");
        rc = vm_poll(vm);
        if (!rc) rc = repr(vm, item, up, out);
    }
    str_putc(out, ']');
    return rc;
}

static gpa_code repr_entries(gpa_vm *vm, const dict_obj *d, bool values, const within *up,
                             gpa_str *out) {
    gpa_code rc = GPA_OK;
    size_t at = 0, seen = 0;
    for (dict_entry e; !rc && dict_next_own(d, &at, &e); dict_entry_drop(vm, &e)) {
        if (seen++) str_put(out, ", ");
        rc = vm_poll(vm);
        if (!rc) rc = repr(vm, e.key, up, out);
        if (rc || !values) continue;
        str_put(out, ": ");
        rc = repr(vm, e.v, up, out);
    }
    return rc;
}

static gpa_code repr_set(gpa_vm *vm, set_obj *s, const within *here, gpa_str *out) {
    if (s->d.count == 0) {
        str_put(out, s->frozen ? "frozenset()" : "set()");
        return GPA_OK;
    }
    set_arrange(s);
    str_put(out, s->frozen ? "frozenset({" : "{");
    gpa_code rc = repr_entries(vm, &s->d, false, here, out);
    str_put(out, s->frozen ? "})" : "}");
    return rc;
}

static gpa_code fail_deep(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_RECURSION,
                   "maximum recursion depth exceeded while getting the repr of an object");
}

static gpa_code repr_container(gpa_vm *vm, value v, const within *up, gpa_str *out) {
    for (const within *w = up; w; w = w->up)
        if (w->o == v.o) {
            str_put(out, v.tag == V_LIST    ? "[...]"
                         : v.tag == V_TUPLE ? "(...)"
                         : v.tag == V_DICT  ? (v.dict->ordered ? "..." : "{...}")
                                            : "set(...)");
            return GPA_OK;
        }
    within here = {up, v.o, up ? up->depth + 1 : 1};
    if (here.depth > DEEPEST) return fail_deep(vm);
    gpa_code rc;
    if (v.tag == V_SET) return repr_set(vm, v.set, &here, out);
    if (v.tag == V_DICT) {
        bool ordered = v.dict->ordered, empty = ordered && !dict_count(v.dict);
        if (ordered) str_put(out, "OrderedDict(");
        if (!empty) str_putc(out, '{');
        rc = repr_entries(vm, v.dict, true, &here, out);
        if (!empty) str_putc(out, '}');
        if (ordered) str_putc(out, ')');
    } else if (v.tag == V_LIST) {
        rc = repr_list(vm, v, &here, out);
    } else {
        str_putc(out, '(');
        rc = repr_items(vm, v.tuple->items, v.tuple->count, &here, out);
        str_put(out, v.tuple->count == 1 ? ",)" : ")");
    }
    return rc;
}

/* ---- numbers ---- */

/* A float as NumPy 1.13 prints it: significant digits, and a point in any case. */
static void put_digits(gpa_str *out, double x, int digits, const char *format) {
    size_t from = out->len;
    str_printf(out, format, digits, x);
    if (!out->failed && isfinite(x) && !strpbrk(out->text + from, ".e")) str_put(out, ".0");
}

/* A scalar under legacy='1.13': 12 digits, or 17 as a repr, and 6 or 8 of single precision. */
static void put_1_13(gpa_str *out, const number *n, gpa_dtype real, bool repr) {
    int digits = real == DT_F64 ? repr ? 17 : 12 : real == DT_F32 ? repr ? 8 : 6 : 5;
    if (n->kind == NUMBER_FLOAT) {
        put_digits(out, n->re, digits, "%.*g");
        return;
    }
    bool both = n->re != 0 || signbit(n->re);
    if (both) str_printf(out, "(%.*g", digits, n->re);
    str_printf(out, both ? "%+.*g" : "%.*g", digits, n->im);
    str_put(out, isfinite(n->im) ? "j" : "*j");
    if (both) str_putc(out, ')');
}

/* A scalar under legacy='2.2': no exponent from 1e-4 to 1e16. */
static bool put_2_2(gpa_str *out, double x, gpa_dtype t) {
    static const float_form form = {.precision = -1,
                                    .min_digits = -1,
                                    .pad_left = -1,
                                    .pad_right = -1,
                                    .exp_digits = -1,
                                    .unique = true,
                                    .fractional = true,
                                    .trim = '0'};
    if (!isfinite(x) || (x != 0 && (fabs(x) < 1e-4 || fabs(x) >= 1e16))) return false;
    float_positional(out, x, t, &form);
    return true;
}

/* Floats and complex numbers under a legacy mode that prints scalars in another way. */
static bool put_legacy(gpa_vm *vm, gpa_str *out, gpa_dtype t, gpa_val v, bool repr) {
    print_options o;
    bool inexact = dtype_is_float(t) || dtype_is_complex(t);
    if (!inexact || print_options_get(vm, &o) != GPA_OK || !o.long_half) return false;
    number n = number_of_element(t, v);
    if (o.as_1_13) put_1_13(out, &n, dtype_info[t].real, repr);
    return o.as_1_13 || (n.kind == NUMBER_FLOAT && put_2_2(out, n.re, t));
}

static void put_num(gpa_str *out, gpa_dtype t, gpa_val v) {
    number n = number_of_element(t, v);
    if (t == DT_BOOL)
        str_put(out, n.i ? "True" : "False");
    else if (n.kind == NUMBER_INT)
        str_printf(out, "%lld", (long long)n.i);
    else if (n.kind == NUMBER_UINT)
        str_printf(out, "%llu", (unsigned long long)n.u);
    else if (n.kind == NUMBER_FLOAT)
        number_put_np_float(out, n.re, t);
    else
        number_put_complex(out, n.re, n.im, t);
}

/* np.float64(1.5), np.True_, np.complex128(1+2j): without the parentheses that str() has. */
static void repr_num(gpa_vm *vm, gpa_str *out, gpa_dtype t, gpa_val v) {
    print_options o;
    if (print_options_get(vm, &o) == GPA_OK && o.bare) {
        if (!put_legacy(vm, out, t, v, true)) put_num(out, t, v);
        return;
    }
    if (t == DT_BOOL) {
        str_put(out, v.BOOL ? "np.True_" : "np.False_");
        return;
    }
    str_printf(out, "np.%s(", dtype_info[t].name);
    size_t from = out->len;
    put_num(out, t, v);
    if (!out->failed && out->text[from] == '(') {
        memmove(out->text + from, out->text + from + 1, out->len - from);
        str_truncate(out, out->len - 2);
    }
    str_putc(out, ')');
}

/* ---- other values ---- */

static void put_address(gpa_str *out, const void *p) {
    str_printf(out, " at 0x%012llx>", (unsigned long long)(uintptr_t)p);
}

static gpa_code repr_method(gpa_vm *vm, const method_obj *m, gpa_str *out) {
    if (m->fn.tag == V_NATIVE) {
        str_printf(out, "<built-in method %s of %s object", m->fn.native->name,
                   value_type_name(m->self));
        put_address(out, m->self.o);
        return GPA_OK;
    }
    str_printf(out, "<bound method %s of ", m->fn.tag == V_FUNC ? func_title(vm, m->fn.func) : "?");
    gpa_code rc = vm_repr(vm, m->self, out);
    str_putc(out, '>');
    return rc;
}

static void repr_native(gpa_str *out, const native *n) {
    if (owner_is_module(owner_find(n->owner)))
        str_printf(out, "<built-in function %s>", n->name);
    else
        str_printf(out, "<method '%s' of '%s' objects>", n->name, n->owner);
}

/* The module prefix of types that are not built in. */
static const char *type_module(uint32_t aux) {
    static const gpa_code exceptions[] = {GPA_E_AXIS,         GPA_E_COMPLEX_WARNING,
                                          GPA_E_RANK_WARNING, GPA_E_VISIBLE_DEPRECATION,
                                          GPA_E_TOO_HARD,     GPA_E_DTYPE_PROMOTION};
    for (size_t i = 0; i < COUNT_OF(exceptions); i++)
        if (aux == AUX_ERROR + (uint32_t)exceptions[i]) return "numpy.exceptions.";
    if (aux == AUX_ERROR + GPA_E_UNSUPPORTED_OPERATION) return "io.";
    if (aux == AUX_ERROR + GPA_E_PATTERN) return "re.";
    if (aux == AUX_ERROR + GPA_E_LINALG) return "numpy.linalg.";
    if (aux == AUX_ERROR + GPA_E_TYPING) return "numba.core.errors.";
    if (aux == AUX_ERROR + GPA_E_UFUNC_TYPE) return "numpy._core._exceptions.";
    return "";
}

static gpa_code repr_object(gpa_vm *vm, value v, gpa_str *out) {
    if (v.object->kind->repr) return v.object->kind->repr(vm, v.object, out);
    str_printf(out, "<%s object", value_type_name(v));
    put_address(out, v.o);
    return GPA_OK;
}

static gpa_code repr_slice(gpa_vm *vm, const slice_obj *s, const within *up, gpa_str *out) {
    within here = {up, &s->head, up ? up->depth + 1 : 1};
    if (here.depth > DEEPEST) return fail_deep(vm);
    str_put(out, "slice(");
    gpa_code rc = repr_items(vm, &s->start, 3, &here, out);
    str_putc(out, ')');
    return rc;
}

static gpa_code repr_exception(gpa_vm *vm, const exc_obj *e, const within *up, gpa_str *out) {
    if (e->foreign.tag != V_NONE) return vm_repr(vm, e->foreign, out);
    str_put(out, exception_name(e));
    const tuple_obj *args = e->args.tuple;
    bool named =
        gpa_err_is(e->code, GPA_E_OS) && args->count == 3; /* the file name is not among its args */
    for (const within *w = up; w && args->count > 1; w = w->up)
        if (w->o == e->args.o) { /* it contains itself */
            str_put(out, "(...)");
            return GPA_OK;
        }
    within here = {up, e->args.o, up ? up->depth + 1 : 1};
    if (vm->reentry >= MAX_REENTRY || here.depth > DEEPEST) return fail_deep(vm);
    vm->reentry++;
    str_putc(out, '(');
    gpa_code rc = repr_items(vm, args->items, named ? 2 : args->count, &here, out);
    str_putc(out, ')');
    vm->reentry--;
    return rc;
}

gpa_code format_exception_repr(gpa_vm *vm, const exc_obj *e, gpa_str *out) {
    return repr_exception(vm, e, NULL, out);
}

/* Appends the text that a method of an exception's class returns; *handled: the class has it. */
static gpa_code put_by_class(gpa_vm *vm, value v, const char *method, gpa_str *out, bool *handled) {
    const class_obj *c = class_of_peek(v);
    value fn = c ? class_text_peek(c, method) : v_unset(), text = v_none();
    *handled = fn.tag == V_FUNC;
    gpa_code rc = *handled ? vm_call(vm, fn, ARGS(1, &v), &text) : GPA_OK;
    if (rc || !*handled) return rc;
    if (text.tag == V_STR)
        str_putn(out, text.str->text, text.str->size);
    else
        rc = vm_fail(vm, GPA_E_TYPE, "%s returned non-string (type %s)", method,
                     value_type_name(text));
    value_release(vm, text);
    return rc;
}

static void put_range(gpa_str *out, const range_obj *r) {
    str_printf(out, "range(%lld, %lld", (long long)r->start, (long long)r->stop);
    if (r->step != 1) str_printf(out, ", %lld", (long long)r->step);
    str_putc(out, ')');
}

static gpa_code repr_lazy_scalar(gpa_vm *vm, value v, const within *up, gpa_str *out) {
    value now;
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    rc = repr(vm, now, up, out);
    value_release(vm, now);
    return rc;
}

static void repr_function(gpa_vm *vm, const func_obj *f, gpa_str *out) {
    if (f->ufunc) {
        str_printf(out, "<ufunc '%s'>", func_name(vm, f));
        return;
    }
    str_printf(out, "%s<function %s", f->code->jit ? "CPUDispatcher(" : "", func_title(vm, f));
    put_address(out, f);
    if (f->code->jit) str_putc(out, ')');
}

static void repr_iterator(gpa_vm *vm, value v, gpa_str *out) {
    str_printf(out, "<%s object", v.iter->type_name);
    if (generator_is(v)) str_printf(out, " %s", generator_title(vm, generator_of(v.iter)));
    put_address(out, v.o);
}

static void repr_complex(gpa_vm *vm, value v, gpa_str *out) {
    if (!v.aux) {
        number_put_complex(out, v.complex->re, v.complex->im, DT_C128);
        return;
    }
    gpa_dtype t;
    repr_num(vm, out, DT_C128, number_payload(v, &t));
}

static gpa_code repr(gpa_vm *vm, value v, const within *up, gpa_str *out) {
    gpa_dtype t;
    gpa_val p;
    switch ((value_tag)v.tag) {
        case V_UNSET: str_put(out, "<unset>"); return GPA_OK;
        case V_NONE: str_put(out, "None"); return GPA_OK;
        case V_BOOL: str_put(out, v.i ? "True" : "False"); return GPA_OK;
        case V_INT: number_put_int(out, v.i); return GPA_OK;
        case V_BIG:
            if (v.big->negative) str_putc(out, '-');
            return big_put_digits(vm, v.big, 10, false, out);
        case V_FLOAT: number_put_float(out, v.f); return GPA_OK;
        case V_NUM:
            p = number_payload(v, &t);
            repr_num(vm, out, t, p);
            return GPA_OK;
        case V_COMPLEX: repr_complex(vm, v, out); return GPA_OK;
        case V_ELLIPSIS: str_put(out, "Ellipsis"); return GPA_OK;
        case V_NOT_IMPLEMENTED: str_put(out, "NotImplemented"); return GPA_OK;
        case V_DTYPE: str_printf(out, "dtype('%s')", dtype_info[v.aux].name); return GPA_OK;
        case V_TYPE:
            str_printf(out, "<class '%s%s'>", type_module(v.aux), type_name(v.aux));
            return GPA_OK;
        case V_NATIVE: repr_native(out, v.native); return GPA_OK;
        case V_UFUNC: str_printf(out, "<ufunc '%s'>", v.ufunc->name); return GPA_OK;
        case V_STR: format_quoted(out, v.str->text, v.str->size, false); return GPA_OK;
        case V_BYTES: put_bytes(out, v.str); return GPA_OK;
        case V_LIST:
        case V_TUPLE:
        case V_DICT:
        case V_SET: return repr_container(vm, v, up, out);
        case V_RANGE: put_range(out, v.range); return GPA_OK;
        case V_SLICE: return repr_slice(vm, v.slice, up, out);
        case V_ARRAY:
            return v.aux ? repr_lazy_scalar(vm, v, up, out) : array_put_repr(vm, v.array->arr, out);
        case V_FUNC: repr_function(vm, v.func, out); return GPA_OK;
        case V_METHOD: return repr_method(vm, v.method, out);
        case V_MODULE:
            str_printf(out, "<module '%s'%s>",
                       v.aux ? "cupy" : intern_text(vm_names(vm), v.module->name),
                       v.module->builtin ? " (built-in)" : "");
            return GPA_OK;
        case V_EXCEPTION: {
            bool handled;
            gpa_code rc = put_by_class(vm, v, "__repr__", out, &handled);
            return rc || handled ? rc : repr_exception(vm, v.exc, up, out);
        }
        case V_ITER: repr_iterator(vm, v, out); return GPA_OK;
        case V_OBJECT: return repr_object(vm, v, out);
        case V_CLASS:
            str_printf(out, "<class '%s.%s'>", intern_text(vm_names(vm), v.class->module->name),
                       v.class->text);
            return GPA_OK;
        case V_CELL:
        case V_COUNT: str_put(out, "<cell>"); return GPA_OK;
    }
    return GPA_OK;
}

static gpa_code format_repr(gpa_vm *vm, value v, gpa_str *out) {
    gpa_code rc = repr(vm, v, NULL, out);
    return !rc && out->failed ? vm_no_memory(vm) : rc;
}

static gpa_code format_fail_showing(gpa_vm *vm, gpa_code kind, const char *before, value v,
                                    const char *after) {
    gpa_str shown;
    str_init(&shown);
    gpa_code rc = vm_repr(vm, v, &shown);
    if (!rc) rc = vm_fail(vm, kind, "%s%s%s", before, shown.text, after);
    str_free(&shown);
    return rc;
}

static gpa_code put_exception(gpa_vm *vm, const exc_obj *e, gpa_str *out) {
    const tuple_obj *args = e->args.tuple;
    if (args->count == 0) return GPA_OK;
    if (gpa_err_is(e->code, GPA_E_OS) && args->count >= 2) {
        str_put(out, "[Errno ");
        gpa_code rc = vm_str(vm, args->items[0], out);
        str_put(out, "] ");
        if (!rc) rc = vm_str(vm, args->items[1], out);
        if (rc || args->count == 2) return rc;
        str_put(out, ": ");
        return vm_repr(vm, args->items[2], out);
    }
    if (e->code == GPA_E_AXIS && args->count >= 2) { /* axis, ndim, and the message prefix */
        if (args->count == 3 && args->items[2].tag == V_STR)
            str_printf(out, "%s: ", args->items[2].str->text);
        str_put(out, "axis ");
        gpa_code rc = vm_str(vm, args->items[0], out);
        str_put(out, " is out of bounds for array of dimension ");
        return rc ? rc : vm_str(vm, args->items[1], out);
    }
    if (args->count == 1)
        return e->code == GPA_E_KEY ? vm_repr(vm, args->items[0], out)
                                    : vm_str(vm, args->items[0], out);
    return vm_repr(vm, e->args, out);
}

gpa_code format_exception_str(gpa_vm *vm, const exc_obj *e, gpa_str *out) {
    if (vm->reentry >= MAX_REENTRY) return fail_deep(vm);
    vm->reentry++;
    gpa_code rc = put_exception(vm, e, out);
    vm->reentry--;
    return rc;
}

static gpa_code format_str(gpa_vm *vm, value v, gpa_str *out) {
    gpa_dtype t;
    gpa_code rc = GPA_OK;
    if (v.tag == V_STR)
        str_putn(out, v.str->text, v.str->size);
    else if (v.tag == V_NUM || (v.tag == V_COMPLEX && v.aux)) {
        gpa_val p = number_payload(v, &t);
        if (!put_legacy(vm, out, t, p, false)) put_num(out, t, p);
    } else if (v.tag == V_DTYPE)
        str_put(out, dtype_info[v.aux].name);
    else if (v.tag == V_EXCEPTION) {
        bool handled;
        rc = put_by_class(vm, v, "__str__", out, &handled);
        if (!rc && !handled) rc = format_exception_str(vm, v.exc, out);
    } else if (v.tag == V_ARRAY && v.array->arr->ndim == 0) {
        gpa_val item;
        rc = arr_item(vm_rt(vm), v.array->arr, &item, vm_err(vm));
        t = (gpa_dtype)v.array->arr->dtype;
        if (!rc && !put_legacy(vm, out, t, item, false)) put_num(out, t, item);
    } else if (v.tag == V_ARRAY)
        rc = array_put_str(vm, v.array->arr, out);
    else if (v.tag == V_OBJECT && v.object->kind->str)
        rc = v.object->kind->str(vm, v.object, out);
    else
        return vm_repr(vm, v, out);
    return !rc && out->failed ? vm_no_memory(vm) : rc;
}

gpa_code format_ascii(gpa_vm *vm, value v, gpa_str *out) {
    gpa_str plain;
    str_init(&plain);
    gpa_code rc = vm_repr(vm, v, &plain);
    size_t len;
    for (size_t i = 0; !rc && i < plain.len; i += len) {
        uint32_t c = text_decode(plain.text + i, plain.len - i, &len);
        if (c > 127)
            put_escaped(out, c, 0, true);
        else
            str_putc(out, (char)c);
    }
    str_free(&plain);
    return rc;
}

/* format() without a specification: NumPy's scalars and 0-d arrays as the corresponding Python
 * number. */
static gpa_code format_plain(gpa_vm *vm, value v, gpa_str *out) {
    number n = number_of(v);
    if (v.tag == V_NUM && n.kind == NUMBER_FLOAT)
        number_put_float(out, n.re);
    else if (v.tag == V_NUM && n.kind == NUMBER_COMPLEX)
        number_put_complex(out, n.re, n.im, DT_C128);
    else
        return vm_str(vm, v, out);
    return out->failed ? vm_no_memory(vm) : GPA_OK;
}

static gpa_code format_value(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out) {
    value now = v_none();
    bool handled = false;
    gpa_code rc = GPA_OK;
    if (v.tag == V_ARRAY && v.array->arr->ndim == 0) {
        gpa_val item;
        TRY(arr_item(vm_rt(vm), v.array->arr, &item, vm_err(vm)));
        now = v_num(vm, (gpa_dtype)v.array->arr->dtype, item);
        if (now.tag == V_UNSET) return GPA_E_MEMORY;
        v = now;
    }
    if (v.tag == V_OBJECT && record_is(v.object->kind))
        TRY(record_format(vm, v, spec, n, out, &handled));
    if (handled) goto out;
    if (is_foreign(v))
        rc = foreign.format(vm, v, spec, n, out);
    else if (n == 0)
        rc = format_plain(vm, v, out);
    else if (v.tag == V_STR || number_of(v).kind != NUMBER_NOT)
        rc = spec_format(vm, v, spec, n, out);
    else
        rc = vm_fail(vm, GPA_E_TYPE, "unsupported format string passed to %s.__format__",
                     value_type_name(v));
out:
    value_release(vm, now);
    return !rc && out->failed ? vm_no_memory(vm) : rc;
}

const format_interface formatter = {
    .repr = format_repr,
    .str = format_str,
    .format = format_value,
    .fail_showing = format_fail_showing,
    .ascii = format_ascii,
    .percent = format_percent,
};
