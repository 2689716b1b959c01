/* Creation of values, conversions between NumPy's scalars and Python's numbers, type names.
 * Destruction is in destroy.c; truth, hashes and equality are in compare.c. */
#include "lang/object/value.h"

#include <stdarg.h>

#include "lang/object/big.h"
#include "lang/object/container.h"
#include "lang/object/core.h"
#include "lang/object/kind.h"
#include "lang/object/number.h"
#include "lang/text/text.h"

const bool value_is_heap[V_COUNT] = {
#define VT(id, name, heap) [V_##id] = heap,
#include "lang/object/value_tags.def"
#undef VT
};

/* ---- creation ---- */

static void *object_new(gpa_vm *vm, value_tag tag, size_t size) {
    obj *o = mem_zero(size);
    if (!o) {
        vm_no_memory(vm);
        return NULL;
    }
    o->refs = 1;
    o->tag = tag;
    return o;
}

static value wrap_object(value_tag tag, void *o) { return o ? v_obj(tag, o) : v_unset(); }

value v_complex(gpa_vm *vm, double re, double im) {
    complex_obj *c = object_new(vm, V_COMPLEX, sizeof *c);
    if (c) {
        c->re = re;
        c->im = im;
    }
    return wrap_object(V_COMPLEX, c);
}

value v_num(gpa_vm *vm, gpa_dtype t, gpa_val v) {
    if (t == DT_C128) {
        value c = v_complex(vm, v.C128.re, v.C128.im);
        c.aux = 1;
        return c;
    }
    const size_t unused = 64 - 8 * dtype_size(t); /* clears the payload's unused high bits, since it
                                                     is compared and copied as one word */
    return (value){.tag = V_NUM, .aux = t, .bits = v.bits[0] << unused >> unused};
}

value v_array_take(gpa_vm *vm, gpa_arr *a, bool scalar) {
    array_obj *o = object_new(vm, V_ARRAY, sizeof *o);
    if (!o) {
        arr_release(vm_rt(vm), a);
        return v_unset();
    }
    o->arr = a;
    return (value){.tag = V_ARRAY, .aux = scalar, .array = o};
}

/* Copies the text; NULL: left for the caller to fill in. */
static value text_object(gpa_vm *vm, value_tag tag, const char *text, size_t n) {
    if (n >= UINT32_MAX - sizeof(str_obj)) {
        vm_no_memory(vm);
        return v_unset();
    }
    str_obj *s = mem_new(sizeof *s + n + 1);
    if (!s) {
        vm_no_memory(vm);
        return v_unset();
    }
    *s = (str_obj){.head = {1, tag}, .size = (uint32_t)n, .length = (uint32_t)n};
    if (n && text) memcpy(s->text, text, n);
    s->text[n] = 0;
    return v_obj(tag, s);
}

/* Replaces invalid UTF-8 by U+FFFD. */
static value replace_invalid_utf8(gpa_vm *vm, const char *text, size_t n) {
    gpa_str s;
    str_init(&s);
    size_t len;
    for (size_t i = 0; i < n; i += len) text_put(&s, text_decode(text + i, n - i, &len));
    value v = s.failed ? v_unset() : v_str(vm, s.text, s.len);
    if (s.failed) vm_no_memory(vm);
    str_free(&s);
    return v;
}

value v_str(gpa_vm *vm, const char *text, size_t n) {
    size_t ascii = 0, count = 0, len;
    while (ascii < n && (unsigned char)text[ascii] < 0x80) ascii++;
    for (size_t i = ascii; i < n; i += len, count++) {
        uint32_t c = text_decode(text + i, n - i, &len);
        if (c == 0xFFFD && len == 1) return replace_invalid_utf8(vm, text, n);
    }
    value v = text_object(vm, V_STR, text, n);
    if (v.tag == V_STR) v.str->length = (uint32_t)(ascii + count);
    return v;
}

value v_bytes(gpa_vm *vm, const char *bytes, size_t n) {
    return text_object(vm, V_BYTES, bytes, n);
}

value v_concat(gpa_vm *vm, value a, value b) {
    value v = text_object(vm, (value_tag)a.tag, NULL, (size_t)a.str->size + b.str->size);
    if (v.tag == V_UNSET) return v;
    memcpy(v.str->text, a.str->text, a.str->size);
    memcpy(v.str->text + a.str->size, b.str->text, b.str->size);
    v.str->length = a.str->length + b.str->length;
    return v;
}

gpa_code str_extend(gpa_vm *vm, value *a, value b) {
    size_t n = a->str->size, more = b.str->size;
    str_obj *s =
        n + more < UINT32_MAX - sizeof *s ? mem_resize(a->str, sizeof *s + n + more + 1) : NULL;
    if (!s) return vm_no_memory(vm);
    memcpy(s->text + n, b.str->text, more + 1);
    s->size += (uint32_t)more;
    s->length += b.str->length;
    s->hash = 0;
    a->str = s;
    return GPA_OK;
}

/* Byte offsets of the code points 0, INDEX_STEP, 2 * INDEX_STEP, ... of a str that is not ASCII.
 * What str_extend adds later is not in it until the str is twice as long. */
enum { INDEX_STEP = 64 };

typedef struct str_index {
    size_t n;
    uint32_t at[];
} str_index;

/* The index of a str; NULL: there is no memory for it, or the str is short. */
static const str_index *index_of(const str_obj *s) {
    size_t n = s->length / INDEX_STEP + 1;
    if (n == 1 || (s->index && n < 2 * s->index->n)) return s->index;
    str_index *x = mem_resize(s->index, sizeof *x + n * sizeof *x->at);
    if (!x) return s->index;
    x->n = n;
    for (size_t i = 0, at = 0; i < n; i++) {
        x->at[i] = (uint32_t)at;
        at += text_offset(s->text + at, s->size - at, INDEX_STEP);
    }
    return ((str_obj *)s)->index = x;
}

size_t str_offset(const str_obj *s, size_t i) {
    if (str_is_ascii(s)) return MIN(i, s->size);
    const str_index *x = index_of(s);
    size_t entry = x ? MIN(i / INDEX_STEP, x->n - 1) : 0, from = x ? x->at[entry] : 0;
    return from + text_offset(s->text + from, s->size - from, i - entry * INDEX_STEP);
}

size_t str_position(const str_obj *s, size_t byte) {
    if (str_is_ascii(s)) return byte;
    const str_index *x = index_of(s);
    size_t lo = 0, hi = x ? x->n : 1; /* binary search for the last entry up to `byte` */
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        *(x->at[middle] <= byte ? &lo : &hi) = middle;
    }
    size_t from = x ? x->at[lo] : 0;
    return lo * INDEX_STEP + text_count(s->text + from, byte - from);
}

value str_slice(gpa_vm *vm, const str_obj *s, size_t lo, size_t hi) {
    size_t from = str_offset(s, lo), to = hi <= lo ? from : str_offset(s, hi);
    return v_str(vm, s->text + from, to - from);
}

value v_cstr(gpa_vm *vm, const char *text) { return v_str(vm, text, strlen(text)); }

value v_str_take(gpa_vm *vm, gpa_str *s) {
    value v = s->failed ? v_unset() : v_str(vm, s->text, s->len);
    if (s->failed) vm_no_memory(vm);
    str_free(s);
    return v;
}

value v_strf(gpa_vm *vm, const char *fmt, ...) {
    gpa_str s;
    str_init(&s);
    va_list ap;
    va_start(ap, fmt);
    str_vprintf(&s, fmt, ap);
    va_end(ap);
    return v_str_take(vm, &s);
}

/* n items, retained; without `items`, NONE. */
static void fill_items(value *to, size_t n, const value *items) {
    for (size_t i = 0; i < n; i++) to[i] = items ? value_retain(items[i]) : v_none();
}

value v_tuple(gpa_vm *vm, size_t n, const value *items) {
    if (n > SIZE_MAX / sizeof(value) / 2) {
        vm_no_memory(vm);
        return v_unset();
    }
    tuple_obj *t = object_new(vm, V_TUPLE, sizeof *t + n * sizeof(value));
    if (!t) return v_unset();
    t->count = n;
    fill_items(t->items, n, items);
    return v_obj(V_TUPLE, t);
}

value v_list(gpa_vm *vm, size_t n, const value *items) {
    list_obj *l = object_new(vm, V_LIST, sizeof *l);
    if (!l) return v_unset();
    if (n) {
        if (list_reserve(vm, l, n)) {
            mem_free(l);
            return v_unset();
        }
        fill_items(l->items, n, items);
        l->count = n;
    }
    return v_obj(V_LIST, l);
}

value v_dict(gpa_vm *vm) { return wrap_object(V_DICT, object_new(vm, V_DICT, sizeof(dict_obj))); }

value v_set(gpa_vm *vm) { return wrap_object(V_SET, object_new(vm, V_SET, sizeof(set_obj))); }

value v_slice(gpa_vm *vm, value start, value stop, value step) {
    slice_obj *s = object_new(vm, V_SLICE, sizeof *s);
    if (!s) return v_unset();
    s->start = value_retain(start);
    s->stop = value_retain(stop);
    s->step = value_retain(step);
    return v_obj(V_SLICE, s);
}

value v_range(gpa_vm *vm, int64_t start, int64_t stop, int64_t step) {
    range_obj *r = object_new(vm, V_RANGE, sizeof *r);
    if (!r) return v_unset();
    r->start = start;
    r->stop = stop;
    r->step = step;
    return v_obj(V_RANGE, r);
}

value v_method(gpa_vm *vm, value self, value fn) {
    method_obj *m = object_new(vm, V_METHOD, sizeof *m);
    if (!m) return v_unset();
    m->self = value_retain(self);
    m->fn = value_retain(fn);
    return v_obj(V_METHOD, m);
}

value v_iter(gpa_vm *vm, const char *name,
             gpa_code (*next)(struct vm *, iter_obj *, value *, bool *)) {
    iter_obj *it = object_new(vm, V_ITER, sizeof *it);
    if (!it) return v_unset();
    it->next = next;
    it->type_name = name;
    it->source = it->extra = v_none();
    return v_obj(V_ITER, it);
}

value v_object(gpa_vm *vm, const object_kind *kind, size_t n) {
    object_obj *o = object_new(vm, V_OBJECT, sizeof *o + n * sizeof(value));
    if (!o) return v_unset();
    o->kind = kind;
    o->count = n;
    fill_items(o->fields, n, NULL);
    return v_obj(V_OBJECT, o);
}

/* ---- conversions and type names ---- */

gpa_code value_computed(gpa_vm *vm, value v, value *out) {
    if (v.tag != V_ARRAY || v.aux != 1) {
        *out = value_retain(v);
        return GPA_OK;
    }
    gpa_val item;
    gpa_code rc = arr_item(vm_rt(vm), v.array->arr, &item, vm_err(vm));
    if (rc) return rc;
    *out = v_num(vm, (gpa_dtype)v.array->arr->dtype, item);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static gpa_code plain_tuple(gpa_vm *vm, value v, value *out) {
    *out = v_tuple(vm, v.tuple->count, NULL);
    if (out->tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; i < v.tuple->count; i++) {
        gpa_code rc = value_to_python(vm, v.tuple->items[i], &out->tuple->items[i]);
        if (!rc) continue;
        value_release(vm, *out);
        *out = v_none();
        return rc;
    }
    return GPA_OK;
}

gpa_code value_to_python(gpa_vm *vm, value v, value *out) {
    if (v.tag == V_TUPLE) return plain_tuple(vm, v, out);
    gpa_code rc = value_computed(vm, v, out);
    if (rc || !number_is_numpy(*out)) return rc;
    number n = number_of(*out);
    bool truth = out->tag == V_NUM && out->aux == DT_BOOL;
    value as;
    if (n.kind == NUMBER_INT)
        as = truth ? v_bool(n.i != 0) : v_int(n.i);
    else if (n.kind == NUMBER_FLOAT)
        as = v_float(n.re);
    else if (n.kind == NUMBER_UINT)
        as = v_uint(vm, n.u);
    else
        as = v_complex(vm, n.re, n.im);
    value_release(vm, *out);
    *out = as;
    return as.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static const char *const numpy_names[DT_COUNT] = {
#define DT(id, name, ...) [DT_##id] = "numpy." name,
#include "runtime/tables/dtype.def"
#undef DT
};

static const char *const dtype_class_names[] = {
    [DT_BOOL] = "numpy.dtypes.BoolDType",       [DT_I8] = "numpy.dtypes.Int8DType",
    [DT_I16] = "numpy.dtypes.Int16DType",       [DT_I32] = "numpy.dtypes.Int32DType",
    [DT_I64] = "numpy.dtypes.Int64DType",       [DT_U8] = "numpy.dtypes.UInt8DType",
    [DT_U16] = "numpy.dtypes.UInt16DType",      [DT_U32] = "numpy.dtypes.UInt32DType",
    [DT_U64] = "numpy.dtypes.UInt64DType",      [DT_F16] = "numpy.dtypes.Float16DType",
    [DT_BF16] = "numpy.dtypes.BFloat16DType",   [DT_F32] = "numpy.dtypes.Float32DType",
    [DT_F64] = "numpy.dtypes.Float64DType",     [DT_C64] = "numpy.dtypes.Complex64DType",
    [DT_C128] = "numpy.dtypes.Complex128DType",
};
_Static_assert(COUNT_OF(dtype_class_names) == DT_COUNT, "a dtype without a class");

static const char *const tag_names[V_COUNT] = {
#define VT(id, name, heap) [V_##id] = name,
#include "lang/object/value_tags.def"
#undef VT
};

const char *type_name(uint32_t aux) {
    if (aux >= AUX_KIND) return object_kinds[aux - AUX_KIND]->type_name;
    if (aux == AUX_FROZENSET) return "frozenset";
    if (aux == AUX_ORDERED_DICT) return "collections.OrderedDict";
    if (aux >= AUX_ERROR) return gpa_err_name((gpa_code)(aux - AUX_ERROR));
    if (aux == AUX_DTYPE_META) return "numpy._DTypeMeta";
    if (aux >= AUX_DTYPE_CLASS) return dtype_class_names[aux - AUX_DTYPE_CLASS];
    if (aux >= AUX_DTYPE) return numpy_names[aux - AUX_DTYPE];
    return tag_names[aux];
}

value value_underlying(value v) {
    bool tuple =
        v.tag == V_OBJECT &&
        (v.object->kind->tuple || (v.object->kind->instance && v.object->fields[0].tag == V_TUPLE));
    return tuple ? v.object->fields[0] : v;
}

const char *exception_name(const exc_obj *x) {
    if (x->foreign_name) return x->foreign_name;
    return x->class.tag == V_CLASS ? x->class.class->text : gpa_err_name(x->code);
}

const char *value_type_name(value v) {
    if (v.tag == V_NUM) return numpy_names[v.aux];
    if (v.tag == V_COMPLEX && v.aux) return numpy_names[DT_C128];
    if (v.tag == V_ARRAY && v.aux) return numpy_names[v.array->arr->dtype];
    const class_obj *class = v.tag == V_EXCEPTION || v.tag == V_OBJECT ? class_of_peek(v) : NULL;
    if (class) return class->text;
    if (v.tag == V_EXCEPTION) return gpa_err_name(v.exc->code);
    if (v.tag == V_OBJECT && v.object->kind->tuple)
        return strrchr(v.object->kind->type_name, '.') + 1;
    if (v.tag == V_OBJECT) return v.object->kind->type_name;
    if (v.tag == V_ITER) return v.iter->type_name;
    if (v.tag == V_FUNC && v.func->ufunc) return tag_names[V_UFUNC];
    if (v.tag == V_SET && v.set->frozen) return "frozenset";
    if (v.tag == V_DICT && v.dict->ordered) return "collections.OrderedDict";
    return tag_names[v.tag];
}
