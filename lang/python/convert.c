/* Conversion of values, both ways. */
#include "lang/python/convert.h"

#include <stdio.h>

#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/object/number.h"
#include "lang/vm/foreign.h"
#include "lang/vm/step.h"

enum { MAX_NESTING = 500 }; /* of containers */

static gpa_code too_deep(python_host *h) {
    return vm_fail(h->vm, GPA_E_RECURSION, "maximum recursion depth exceeded in a conversion");
}

/* ---- gpa to Python ---- */

/* A result of Python's interface: NULL becomes the vm's error. */
static py_object *checked(python_host *h, py_object *o) {
    if (!o) python_fail(h);
    return o;
}

static py_object *text_to_python(const str_obj *s) {
    return py.PyUnicode_DecodeUTF8(s->text, (py_size)s->size, "replace");
}

static py_object *big_to_python(python_host *h, value v) {
    gpa_str digits;
    str_init(&digits);
    py_object *o = NULL;
    if (v.big->negative) str_put(&digits, "-");
    if (!big_put_digits(h->vm, v.big, 16, false, &digits) && !digits.failed)
        o = checked(h, py.PyLong_FromString(digits.text, NULL, 16));
    str_free(&digits);
    return o;
}

/* A NumPy scalar: numpy's, if Python has loaded it. */
static py_object *scalar_to_python(python_host *h, value v) {
    gpa_vm *vm = h->vm;
    value now = v_unset(), plain = v_unset();
    py_object *o = NULL;
    if (!value_computed(vm, v, &now) && !value_to_python(vm, now, &plain)) {
        gpa_dtype t = now.tag == V_COMPLEX ? DT_C128 : (gpa_dtype)now.aux;
        py_object *item = to_python(h, plain);
        const char *name = dtype_info[t].name;
        if (item && t != DT_BF16)
            o = checked(h, python_helper(h->numpy_scalar, 2,
                                         (py_object *[]){py.PyUnicode_DecodeUTF8(
                                                             name, (py_size)strlen(name), NULL),
                                                         item}));
        else
            o = item;
    }
    value_release(vm, now);
    value_release(vm, plain);
    return o;
}

static py_object *sequence_to_python(python_host *h, value v) {
    bool list = v.tag == V_LIST;
    size_t n = list ? v.list->count : v.tuple->count;
    py_object *o = list ? py.PyList_New((py_size)n) : py.PyTuple_New((py_size)n);
    for (size_t i = 0; o && i < n; i++) {
        if (list && i >= v.list->count) break; /* a conversion has shortened it */
        py_object *item = to_python(h, list ? v.list->items[i] : v.tuple->items[i]);
        if (!item) {
            py_drop(o);
            return NULL;
        }
        if (list)
            py.PyList_SetItem(o, (py_size)i, item); /* consumes it */
        else
            py.PyTuple_SetItem(o, (py_size)i, item);
    }
    return checked(h, o);
}

static py_object *set_to_python(python_host *h, value v) {
    py_object *o = py.PySet_New(NULL);
    size_t at = 0;
    for (dict_entry *e; o && (e = dict_next(&v.set->d, &at));) {
        py_object *item = to_python(h, e->key);
        bool bad = !item || (py.PySet_Add(o, item) && python_fail(h));
        py_drop(item);
        if (bad) {
            py_drop(o);
            return NULL;
        }
    }
    if (!o || !v.set->frozen) return checked(h, o);
    py_object *frozen = checked(h, py.PyFrozenSet_New(o));
    py_drop(o);
    return frozen;
}

static py_object *dict_to_python(python_host *h, value v) {
    py_object *o = py.PyDict_New();
    size_t at = 0;
    for (dict_entry *e; o && (e = dict_next(v.dict, &at));) {
        py_object *key = to_python(h, e->key), *item = key ? to_python(h, e->v) : NULL;
        bool bad = !item || (py.PyDict_SetItem(o, key, item) && python_fail(h));
        py_drop(key);
        py_drop(item);
        if (bad) {
            py_drop(o);
            return NULL;
        }
    }
    return checked(h, o);
}

static py_object *slice_to_python(python_host *h, value v) {
    py_object *start = to_python(h, v.slice->start), *stop = to_python(h, v.slice->stop),
              *step = to_python(h, v.slice->step), *o = NULL;
    if (start && stop && step) o = checked(h, py.PySlice_New(start, stop, step));
    py_drop(start);
    py_drop(stop);
    py_drop(step);
    return o;
}

/* An attribute of a Python module, called with n ints (n 0: itself). */
static py_object *of_module(python_host *h, const char *module, const char *name, size_t n,
                            const int64_t *args) {
    py_object *m = py.PyImport_ImportModule(module),
              *found = m ? py.PyObject_GetAttrString(m, name) : NULL;
    py_drop(m);
    if (!found || !n) return checked(h, found);
    py_object *items[3];
    for (size_t i = 0; i < n; i++) items[i] = py.PyLong_FromLongLong(args[i]);
    py_object *o = python_helper(found, n, items);
    py_drop(found);
    return checked(h, o);
}

/* Built-in types and NumPy's scalar types are Python's of the same name; other types are stand-ins.
 */
static py_object *type_to_python(python_host *h, value v) {
    if (v.aux >= AUX_DTYPE && v.aux < AUX_ERROR) {
        const char *name = dtype_info[(gpa_dtype)(v.aux - AUX_DTYPE)].name;
        return of_module(h, "numpy", v.aux - AUX_DTYPE == DT_BOOL ? "bool_" : name, 0, NULL);
    }
    const char *name = type_name(v.aux);
    if (v.aux == V_ARRAY) return of_module(h, "numpy", "ndarray", 0, NULL);
    if (v.aux == V_FUNC || v.aux == V_ITER || v.aux >= AUX_KIND || strchr(name, '.'))
        return stand_in_new(h, v);
    py_object *builtins = py.PyImport_ImportModule("builtins"),
              *o = builtins ? py.PyObject_GetAttrString(builtins, name) : NULL;
    py_drop(builtins);
    if (o) return o;
    py.PyErr_Clear();
    return stand_in_new(h, v);
}

static py_object *dtype_to_python(python_host *h, value v) {
    const char *name = dtype_info[(gpa_dtype)v.aux].name;
    return checked(
        h,
        python_helper(h->numpy_type, 1,
                      (py_object *[]){py.PyUnicode_DecodeUTF8(name, (py_size)strlen(name), NULL)}));
}

static py_object *heap_to_python(python_host *h, value v) {
    switch ((int)v.tag) {
        case V_COMPLEX:
            return v.aux ? scalar_to_python(h, v)
                         : checked(h, py.PyComplex_FromDoubles(v.complex->re, v.complex->im));
        case V_BIG: return big_to_python(h, v);
        case V_STR: return checked(h, text_to_python(v.str));
        case V_BYTES:
            return checked(h, py.PyBytes_FromStringAndSize(v.str->text, (py_size)v.str->size));
        case V_LIST:
        case V_TUPLE: return sequence_to_python(h, v);
        case V_DICT: return dict_to_python(h, v);
        case V_SET: return set_to_python(h, v);
        case V_SLICE: return slice_to_python(h, v);
        case V_RANGE:
            return of_module(h, "builtins", "range", 3,
                             (int64_t[]){v.range->start, v.range->stop, v.range->step});
        case V_ARRAY: return v.aux ? scalar_to_python(h, v) : array_to_python(h, v);
        case V_EXCEPTION:
            if (v.exc->foreign.tag == V_OBJECT) return py_keep(proxy_peek(v.exc->foreign));
            return stand_in_new(h, v);
        default: return stand_in_new(h, v);
    }
}

py_object *to_python(python_host *h, value v) {
    py_object *own = proxy_peek(v), *o;
    if (own) return py_keep(own);
    switch ((int)v.tag) {
        case V_NONE: return py_keep(py.none);
        case V_BOOL: return py_keep(v.i ? py.true_ : py.false_);
        case V_ELLIPSIS: return py_keep(py.ellipsis);
        case V_NOT_IMPLEMENTED: return py_keep(py.not_implemented);
        case V_INT: return checked(h, py.PyLong_FromLongLong(v.i));
        case V_FLOAT: return checked(h, py.PyFloat_FromDouble(v.f));
        case V_NUM: return scalar_to_python(h, v);
        case V_DTYPE: return dtype_to_python(h, v);
        case V_TYPE: return type_to_python(h, v);
        default: break;
    }
    if (h->nesting == MAX_NESTING) {
        too_deep(h);
        return NULL;
    }
    h->nesting++;
    o = heap_to_python(h, v);
    h->nesting--;
    return o;
}

py_object *to_python_tuple(python_host *h, size_t n, const value *values) {
    py_object *o = checked(h, py.PyTuple_New((py_size)n));
    for (size_t i = 0; o && i < n; i++) {
        py_object *item = to_python(h, values[i]);
        if (!item) {
            py_drop(o);
            return NULL;
        }
        py.PyTuple_SetItem(o, (py_size)i, item);
    }
    return o;
}

gpa_code to_python_named(python_host *h, const call_args *a, py_object **out) {
    py_object *d = checked(h, py.PyDict_New());
    for (size_t i = 0; d && i < a->n_named; i++) {
        py_object *key = checked(h, text_to_python(a->names[i].str)),
                  *item = key ? to_python(h, a->values[a->n + i]) : NULL;
        bool bad = !item || (py.PyDict_SetItem(d, key, item) && python_fail(h));
        py_drop(key);
        py_drop(item);
        if (bad) {
            py_drop(d);
            d = NULL;
        }
    }
    *out = d;
    return d ? GPA_OK : vm_err(h->vm)->code;
}

/* ---- Python to gpa ---- */

/* The bytes of a str, encoded. NULL: Python has raised. Owned. */
static py_object *encoded(py_object *o, const char **text, size_t *n) {
    py_object *bytes = py.PyUnicode_AsEncodedString(o, "utf-8", "replace");
    char *at = NULL;
    py_size size = 0;
    if (bytes) py.PyBytes_AsStringAndSize(bytes, &at, &size);
    *text = at;
    *n = (size_t)size;
    return bytes;
}

gpa_code python_text(python_host *h, py_object *o, gpa_str *out) {
    const char *text;
    size_t n;
    py_object *bytes = o ? encoded(o, &text, &n) : NULL;
    if (!bytes) return python_fail(h);
    str_putn(out, text, n);
    py_drop(bytes);
    return out->failed ? vm_no_memory(h->vm) : GPA_OK;
}

static gpa_code str_from_python(python_host *h, py_object *o, value *out) {
    const char *text;
    size_t n;
    py_object *bytes = encoded(o, &text, &n);
    if (!bytes) return python_fail(h);
    gpa_code rc = native_return(v_str(h->vm, text, n), out);
    py_drop(bytes);
    return rc;
}

static gpa_code bytes_from_python(python_host *h, py_object *o, value *out) {
    char *at;
    py_size n;
    if (py.PyBytes_AsStringAndSize(o, &at, &n)) return python_fail(h);
    return native_return(v_bytes(h->vm, at, (size_t)n), out);
}

/* An int beyond 64 bits, by its hexadecimal digits ("-0x..."). */
static gpa_code big_from_python(python_host *h, py_object *o, value *out) {
    gpa_str digits;
    str_init(&digits);
    py_object *text = py.PyNumber_ToBase(o, 16);
    gpa_code rc = python_text(h, text, &digits);
    if (!rc) {
        bool negative = digits.text[0] == '-';
        size_t skip = negative ? 3 : 2;
        rc = big_parse(h->vm, digits.text + skip, digits.len - skip, 16, negative, out);
    }
    py_drop(text);
    str_free(&digits);
    return rc;
}

static gpa_code int_from_python(python_host *h, py_object *o, value *out) {
    int overflow = 0;
    long long i = py.PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) return big_from_python(h, o, out);
    *out = v_int(i);
    return GPA_OK;
}

static gpa_code tuple_from_python(python_host *h, py_object *o, value *out) {
    py_size n = py.PyTuple_Size(o);
    value t = v_tuple(h->vm, (size_t)n, NULL);
    gpa_code rc = t.tag == V_UNSET            ? vm_err(h->vm)->code
                  : h->nesting == MAX_NESTING ? too_deep(h)
                                              : GPA_OK;
    h->nesting++;
    for (py_size i = 0; i < n && !rc; i++)
        rc = from_python_take(h, py_keep(py.PyTuple_GetItem(o, i)), &t.tuple->items[i]);
    h->nesting--;
    return native_finish(h->vm, rc, t, out);
}

static gpa_code slice_from_python(python_host *h, py_object *o, value *out) {
    static const char *const names[] = {"start", "stop", "step"};
    value part[3] = {v_none(), v_none(), v_none()};
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < 3 && !rc; i++)
        rc = from_python_take(h, py.PyObject_GetAttrString(o, names[i]), &part[i]);
    if (!rc) rc = native_return(v_slice(h->vm, part[0], part[1], part[2]), out);
    for (size_t i = 0; i < 3; i++) value_release(h->vm, part[i]);
    return rc;
}

/* Values of NumPy, of gpa, or else a proxy. */
static gpa_code object_from_python(python_host *h, py_object *o, value *out) {
    value own = stand_in_peek(h, o);
    if (own.tag != V_UNSET) {
        *out = value_retain(own);
        return GPA_OK;
    }
    gpa_code rc = array_from_python(h, o, out);
    if (rc || out->tag != V_UNSET) return rc;
    py_object *facts = python_helper(h->scalar_facts, 1, (py_object *[]){py_keep(o)});
    if (!facts) return python_fail(h);
    if (facts != py.none) rc = scalar_from_python(h, facts, out);
    py_drop(facts);
    if (rc || out->tag != V_UNSET) return rc;
    return proxy_new_take(h, py_keep(o), out);
}

gpa_code from_python_take(python_host *h, py_object *o, value *out) {
    *out = v_unset();
    if (!o) return python_fail(h);
    gpa_code rc = GPA_OK;
    py_object *type = py.PyObject_Type(o);
    if (o == py.none)
        *out = v_none();
    else if (o == py.true_ || o == py.false_)
        *out = v_bool(o == py.true_);
    else if (o == py.ellipsis)
        *out = (value){.tag = V_ELLIPSIS};
    else if (o == py.not_implemented)
        *out = (value){.tag = V_NOT_IMPLEMENTED};
    else if (type == py.long_type)
        rc = int_from_python(h, o, out);
    else if (type == py.float_type)
        *out = v_float(py.PyFloat_AsDouble(o));
    else if (type == py.complex_type)
        rc = native_return(
            v_complex(h->vm, py.PyComplex_RealAsDouble(o), py.PyComplex_ImagAsDouble(o)), out);
    else if (type == py.unicode_type)
        rc = str_from_python(h, o, out);
    else if (type == py.bytes_type)
        rc = bytes_from_python(h, o, out);
    else if (type == py.tuple_type)
        rc = tuple_from_python(h, o, out);
    else if (type == py.slice_type)
        rc = slice_from_python(h, o, out);
    else
        rc = object_from_python(h, o, out);
    py_drop(type);
    py_drop(o);
    return rc;
}
