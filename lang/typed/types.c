/* Numba's type objects and signatures: construction, text, attributes, inference from values.
 *
 * float32[:, ::1] makes an array type, float32(int64, float64) a signature, float32(3) converts a
 * number.
 *
 * Reading order: construction, text, array types, calls, attributes, types of values. */
#include "lang/typed/types.h"

#include <string.h>

#include "lang/compile/code.h"
#include "lang/object/container.h"
#include "lang/typed/all.h"
#include "lang/typed/typed.h"
#include "lang/vm/kinds.h"

typedef enum { TYPE_SCALAR, TYPE_ARRAY, TYPE_TUPLE, TYPE_NAMED } type_form;

typedef struct {
    type_form form;
    gpa_dtype dtype; /* SCALAR, ARRAY: of the elements */
    int ndim;        /* ARRAY */
    char layout;     /* ARRAY */
    bool readonly;   /* ARRAY */
} type_data;

/* Fields of a type: TUPLE: its items in REPR; NAMED: its texts. Fields of a signature. */
enum { TYPE_REPR, TYPE_STR, TYPE_FIELDS };
enum { SIGNATURE_ARGS, SIGNATURE_RESULT, SIGNATURE_FIELDS };

static const type_data *data_of(const object_obj *o) { return o->data; }

/* ---- construction ---- */

static value new_type(gpa_vm *vm, type_data d) {
    value v = v_object(vm, &numba_type_kind, TYPE_FIELDS);
    if (v.tag == V_UNSET) return v;
    if (!(v.object->data = mem_new(sizeof d))) {
        value_release(vm, v);
        vm_no_memory(vm);
        return v_unset();
    }
    memcpy(v.object->data, &d, sizeof d);
    return v;
}

value type_of_dtype(gpa_vm *vm, gpa_dtype t) {
    return new_type(vm, (type_data){.form = TYPE_SCALAR, .dtype = t});
}

value type_of_elements(gpa_vm *vm, gpa_dtype t, int ndim, char layout) {
    return new_type(vm,
                    (type_data){.form = TYPE_ARRAY, .dtype = t, .ndim = ndim, .layout = layout});
}

value type_of_items(gpa_vm *vm, value items) {
    value v = new_type(vm, (type_data){.form = TYPE_TUPLE, .dtype = DT_NONE});
    if (v.tag != V_UNSET) v.object->fields[TYPE_REPR] = value_retain(items);
    return v;
}

value type_named(gpa_vm *vm, const char *repr, const char *str) {
    value v = new_type(vm, (type_data){.form = TYPE_NAMED, .dtype = DT_NONE});
    if (v.tag == V_UNSET) return v;
    value *f = v.object->fields;
    f[TYPE_REPR] = v_cstr(vm, repr);
    f[TYPE_STR] = v_cstr(vm, str);
    if (f[TYPE_REPR].tag != V_UNSET && f[TYPE_STR].tag != V_UNSET) return v;
    for (int i = 0; i < TYPE_FIELDS; i++)
        if (f[i].tag == V_UNSET) f[i] = v_none();
    value_release(vm, v);
    return v_unset();
}

value type_signature(gpa_vm *vm, value args, value result) {
    value v = v_object(vm, &numba_signature_kind, SIGNATURE_FIELDS);
    if (v.tag == V_UNSET) return v;
    v.object->fields[SIGNATURE_ARGS] = value_retain(args);
    v.object->fields[SIGNATURE_RESULT] = value_retain(result);
    return v;
}

static void free_type(gpa_vm *vm, object_obj *o) {
    (void)vm;
    mem_free(o->data);
}

/* ---- text ---- */

static bool same_items(const tuple_obj *t) {
    for (size_t i = 1; i < t->count; i++)
        if (!numba_type_kind.equal(t->items[i].object, t->items[0].object)) return false;
    return t->count > 0;
}

static void put_tuple(gpa_str *out, const tuple_obj *t, bool repr);

static void put_text(gpa_str *out, const object_obj *o, bool repr) {
    const type_data *d = data_of(o);
    const char *name = d->dtype < DT_COUNT ? dtype_info[d->dtype].name : "";
    if (d->form == TYPE_SCALAR)
        str_put(out, name);
    else if (d->form == TYPE_NAMED)
        str_put(out, o->fields[repr ? TYPE_REPR : TYPE_STR].str->text);
    else if (d->form == TYPE_TUPLE)
        put_tuple(out, o->fields[TYPE_REPR].tuple, repr);
    else if (repr)
        str_printf(out, "Array(%s, %d, '%c', %s, aligned=True)", name, d->ndim, d->layout,
                   d->readonly ? "True" : "False");
    else
        str_printf(out, "%sarray(%s, %dd, %c)", d->readonly ? "readonly " : "", name, d->ndim,
                   d->layout);
}

static void put_list(gpa_str *out, const tuple_obj *t, bool repr) {
    for (size_t i = 0; i < t->count; i++) {
        if (i) str_put(out, ", ");
        put_text(out, t->items[i].object, repr);
    }
}

static void put_tuple(gpa_str *out, const tuple_obj *t, bool repr) {
    if (same_items(t)) {
        str_put(out, "UniTuple(");
        put_text(out, t->items[0].object, repr);
        str_printf(out, repr ? ", %zu)" : " x %zu)", t->count);
        return;
    }
    str_put(out, repr ? "Tuple((" : "Tuple(");
    put_list(out, t, repr);
    str_put(out, repr ? "))" : ")");
}

static gpa_code repr_type(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    put_text(out, o, true);
    return GPA_OK;
}

static gpa_code str_type(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    put_text(out, o, false);
    return GPA_OK;
}

static gpa_code repr_signature(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const tuple_obj *args = o->fields[SIGNATURE_ARGS].tuple;
    (void)vm;
    str_putc(out, '(');
    put_list(out, args, true);
    str_put(out, args->count == 1 ? ",) -> " : ") -> ");
    put_text(out, o->fields[SIGNATURE_RESULT].object, false);
    return GPA_OK;
}

void typed_put_type(gpa_str *to, value v) {
    if (v.tag == V_TYPE) {
        str_put(to, dtype_info[v.aux - AUX_DTYPE].name);
        return;
    }
    const type_data *d = data_of(v.object);
    if (d->form != TYPE_ARRAY) {
        put_text(to, v.object, false);
        return;
    }
    str_put(to, dtype_info[d->dtype].name);
    for (int i = 0; i < d->ndim; i++) {
        bool unit = d->layout == 'C' ? i == d->ndim - 1 : d->layout == 'F' && i == 0;
        str_put(to, i ? "," : "[");
        str_put(to, unit ? "::1" : ":");
    }
    str_putc(to, ']');
}

void typed_put_signature(gpa_str *to, value signature) {
    const value *f = signature.object->fields;
    const type_data *d = data_of(f[SIGNATURE_RESULT].object);
    if (d->form == TYPE_NAMED)
        str_put(to, "void");
    else
        typed_put_type(to, f[SIGNATURE_RESULT]);
    str_putc(to, '(');
    for (size_t i = 0; i < f[SIGNATURE_ARGS].tuple->count; i++) {
        if (i) str_put(to, ", ");
        typed_put_type(to, f[SIGNATURE_ARGS].tuple->items[i]);
    }
    str_putc(to, ')');
}

/* ---- equality ---- */

static bool equal_types(const object_obj *a, const object_obj *b) {
    gpa_str x, y;
    str_init(&x);
    str_init(&y);
    if (a->kind == &numba_type_kind) {
        put_text(&x, a, true);
        put_text(&y, b, true);
    } else {
        typed_put_signature(&x, (value){.tag = V_OBJECT, .object = (object_obj *)(uintptr_t)a});
        typed_put_signature(&y, (value){.tag = V_OBJECT, .object = (object_obj *)(uintptr_t)b});
    }
    bool equal = a->kind == b->kind && x.text && y.text && strcmp(x.text, y.text) == 0;
    str_free(&x);
    str_free(&y);
    return equal;
}

static gpa_code hash_type(gpa_vm *vm, value v, uint64_t *out, bool *handled) {
    gpa_str text;
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    str_init(&text);
    put_text(&text, v.object, true);
    if (text.failed) {
        str_free(&text);
        return vm_no_memory(vm);
    }
    for (size_t i = 0; i < text.len; i++) h = (h ^ (uint8_t)text.text[i]) * 1099511628211u;
    str_free(&text);
    *out = h;
    *handled = true;
    return GPA_OK;
}

/* ---- array types ---- */

/* True for `:` or `::1`; *unit: the latter. */
static bool is_dimension(value v, bool *unit) {
    if (v.tag != V_SLICE) return false;
    const slice_obj *s = v.slice;
    *unit = s->step.tag == V_INT && s->step.i == 1;
    return s->start.tag == V_NONE && s->stop.tag == V_NONE && (*unit || s->step.tag == V_NONE);
}

static gpa_code bad_subscript(gpa_vm *vm, value key) {
    gpa_str text;
    str_init(&text);
    str_put(&text, "Can only index numba types with slices with no start or stop, got ");
    gpa_code rc = vm_repr(vm, key, &text);
    str_putc(&text, '.');
    value message = v_str_take(vm, &text);
    if (!rc) rc = message.tag == V_UNSET ? GPA_E_MEMORY : vm_raise(vm, GPA_E_KEY, 1, &message);
    value_release(vm, message);
    return rc;
}

/* float32[:, ::1] */
static gpa_code item_of_type(gpa_vm *vm, object_obj *o, value key, value *out) {
    size_t n = key.tag == V_TUPLE ? key.tuple->count : 1;
    char layout = 'A';
    bool good = data_of(o)->form == TYPE_SCALAR && n > 0 && n <= KIR_MAX_DIMS;
    for (size_t i = 0; i < n && good; i++) {
        bool unit;
        good = is_dimension(key.tag == V_TUPLE ? key.tuple->items[i] : key, &unit);
        if (good && unit && i == n - 1)
            layout = 'C';
        else if (good && unit && i == 0)
            layout = 'F';
    }
    if (!good) return bad_subscript(vm, key);
    return native_return(type_of_elements(vm, data_of(o)->dtype, (int)n, layout), out);
}

/* ---- calls ---- */

gpa_dtype typed_scalar_dtype(value v) {
    if (v.tag == V_TYPE && v.aux >= AUX_DTYPE && v.aux < AUX_DTYPE + DT_COUNT)
        return (gpa_dtype)(v.aux - AUX_DTYPE);
    bool scalar = is_kind(v, &numba_type_kind) && data_of(v.object)->form == TYPE_SCALAR;
    return scalar ? data_of(v.object)->dtype : DT_NONE;
}

bool typed_is_type(value v) {
    return typed_scalar_dtype(v) != DT_NONE || is_kind(v, &numba_type_kind);
}

/* A type object for a type, which may be NumPy's; owned. */
static value as_type(gpa_vm *vm, value v) {
    return v.tag == V_TYPE ? type_of_dtype(vm, typed_scalar_dtype(v)) : value_retain(v);
}

static gpa_code types_of(gpa_vm *vm, size_t n, const value *types, value *out) {
    *out = v_tuple(vm, n, NULL);
    gpa_code rc = out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (size_t i = 0; i < n && !rc; i++) {
        if (!typed_is_type(types[i]))
            rc = vm_fail(vm, GPA_E_TYPE, "a signature is made of types, not of '%s'",
                         value_type_name(types[i]));
        else if ((out->tuple->items[i] = as_type(vm, types[i])).tag == V_UNSET)
            out->tuple->items[i] = v_none(), rc = GPA_E_MEMORY;
    }
    if (rc) {
        value_release(vm, *out);
        *out = v_none();
    }
    return rc;
}

/* float32(int64, float64): a signature; float32(3): a NumPy scalar. */
static gpa_code call_type(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    const type_data *d = data_of(o);
    bool signature = a->n == 0 || typed_is_type(a->values[0]);
    if (a->n_named) return vm_fail(vm, GPA_E_TYPE, "a type takes no keyword arguments");
    if (!signature && d->form == TYPE_SCALAR)
        return vm_call(vm, v_type(AUX_DTYPE + (uint32_t)d->dtype), a, out);
    value args;
    gpa_code rc = types_of(vm, a->n, a->values, &args);
    if (rc) return rc;
    rc = native_return(type_signature(vm, args, v_obj(V_OBJECT, o)), out);
    value_release(vm, args);
    return rc;
}

/* ---- attributes ---- */

static gpa_code attr_of_type(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    const type_data *d = data_of(o);
    *out = v_unset();
    bool array = d->form == TYPE_ARRAY, scalar = d->form == TYPE_SCALAR,
         tuple = d->form == TYPE_TUPLE;
    if (strcmp(name, "name") == 0) {
        gpa_str text;
        str_init(&text);
        put_text(&text, o, false);
        return native_return(v_str_take(vm, &text), out);
    }
    if (array && strcmp(name, "dtype") == 0) return native_return(type_of_dtype(vm, d->dtype), out);
    if (array && strcmp(name, "ndim") == 0) *out = v_int(d->ndim);
    if (array && strcmp(name, "layout") == 0)
        return native_return(v_strf(vm, "%c", d->layout), out);
    if (array && strcmp(name, "mutable") == 0) *out = v_bool(!d->readonly);
    if (scalar && strcmp(name, "bitwidth") == 0) *out = v_int((int64_t)dtype_size(d->dtype) * 8);
    if (scalar && strcmp(name, "signed") == 0) *out = v_bool(dtype_info[d->dtype].kind == 'I');
    if (tuple && strcmp(name, "types") == 0) *out = value_retain(o->fields[TYPE_REPR]);
    if (tuple && strcmp(name, "count") == 0)
        *out = v_int((int64_t)o->fields[TYPE_REPR].tuple->count);
    if (tuple && strcmp(name, "dtype") == 0 && same_items(o->fields[TYPE_REPR].tuple))
        *out = value_retain(o->fields[TYPE_REPR].tuple->items[0]);
    return GPA_OK;
}

static gpa_code attr_of_signature(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    (void)vm;
    *out = v_unset();
    if (strcmp(name, "args") == 0) *out = value_retain(o->fields[SIGNATURE_ARGS]);
    if (strcmp(name, "return_type") == 0) *out = value_retain(o->fields[SIGNATURE_RESULT]);
    return GPA_OK;
}

const object_kind numba_type_kind = {.type_name = "numba.core.types.abstract.Type",
                                     .free = free_type,
                                     .repr = repr_type,
                                     .str = str_type,
                                     .attr = attr_of_type,
                                     .call = call_type,
                                     .getitem = item_of_type,
                                     .equal = equal_types,
                                     .hash = hash_type},
                  numba_signature_kind = {.type_name = "numba.core.typing.templates.Signature",
                                          .repr = repr_signature,
                                          .attr = attr_of_signature,
                                          .equal = equal_types};

/* ---- types of values ---- */

static gpa_code type_of_array(gpa_vm *vm, const gpa_arr *a, value *out) {
    char layout = arr_is_contiguous(a) ? 'C' : arr_is_f_contiguous(a) ? 'F' : 'A';
    return native_return(
        new_type(vm, (type_data){TYPE_ARRAY, (gpa_dtype)a->dtype, a->ndim, layout, a->readonly}),
        out);
}

static gpa_code type_of_tuple(gpa_vm *vm, const tuple_obj *t, value *out) {
    value items = v_tuple(vm, t->count, NULL);
    gpa_code rc = items.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (size_t i = 0; i < t->count && !rc; i++)
        rc = type_of_value(vm, t->items[i], &items.tuple->items[i]);
    if (!rc) rc = native_return(type_of_items(vm, items), out);
    value_release(vm, items);
    return rc;
}

/* "reflected list(int64)<iv=None>" */
static gpa_code type_of_list(gpa_vm *vm, const list_obj *l, value *out) {
    value item;
    gpa_str repr, str;
    if (l->count == 0) return native_return(type_named(vm, "pyobject", "pyobject"), out);
    gpa_code rc = type_of_value(vm, l->items[0], &item);
    if (rc) return rc;
    str_init(&repr);
    str_init(&str);
    str_put(&repr, "List(");
    put_text(&repr, item.object, true);
    str_put(&repr, ", True)");
    str_put(&str, "reflected list(");
    put_text(&str, item.object, false);
    str_put(&str, ")<iv=None>");
    rc = repr.failed || str.failed ? vm_no_memory(vm)
                                   : native_return(type_named(vm, repr.text, str.text), out);
    str_free(&repr);
    str_free(&str);
    value_release(vm, item);
    return rc;
}

static gpa_code type_of_function(gpa_vm *vm, value v, value *out) {
    gpa_str text, name;
    str_init(&text);
    str_init(&name);
    gpa_code rc = vm_repr(vm, v, &text);
    str_printf(&name, "type(%s)", text.text ? text.text : "");
    if (!rc)
        rc = name.failed ? vm_no_memory(vm)
                         : native_return(type_named(vm, name.text, name.text), out);
    str_free(&text);
    str_free(&name);
    return rc;
}

/* The type of an instance that has one as an attribute: a typed container. */
static gpa_code type_of_instance(gpa_vm *vm, value v, value *out) {
    gpa_code rc = vm_attr(vm, v, "_numba_type_", out);
    if (!rc && is_kind(*out, &numba_type_kind)) return GPA_OK;
    if (rc && rc != GPA_E_ATTRIBUTE) return rc;
    if (rc) vm_clear_error(vm);
    value_release(vm, *out);
    return native_return(type_named(vm, "pyobject", "pyobject"), out);
}

gpa_code type_of_value(gpa_vm *vm, value v, value *out) {
    gpa_dtype t = DT_NONE;
    const char *name = "pyobject";
    *out = v_none();
    switch ((int)v.tag) {
        case V_BOOL: t = DT_BOOL; break;
        case V_INT: t = DT_I64; break;
        case V_FLOAT: t = DT_F64; break;
        case V_COMPLEX: t = DT_C128; break;
        case V_NUM: t = (gpa_dtype)v.aux; break;
        case V_ARRAY:
            if (!v.aux) return type_of_array(vm, v.array->arr, out);
            t = (gpa_dtype)v.array->arr->dtype;
            break;
        case V_TUPLE: return type_of_tuple(vm, v.tuple, out);
        case V_LIST: return type_of_list(vm, v.list, out);
        case V_FUNC:
            if (v.func->code->jit) return type_of_function(vm, v, out);
            break;
        case V_OBJECT:
            if (is_instance(v)) return type_of_instance(vm, v, out);
            break;
        case V_NONE: name = "none"; break;
        case V_STR: name = "unicode_type"; break;
        default: break;
    }
    return native_return(t == DT_NONE ? type_named(vm, name, name) : type_of_dtype(vm, t), out);
}

value type_of_typed(gpa_vm *vm, typed_ty t) {
    gpa_dtype d = (gpa_dtype)t.dtype;
    if (d == DT_NONE) return v_none();
    return t.rank ? type_of_elements(vm, d, t.rank - 1, t.unit_stride ? 'C' : 'A')
                  : type_of_dtype(vm, d);
}

value type_unify(gpa_vm *vm, value a, value b) {
    gpa_dtype x = typed_scalar_dtype(a), y = typed_scalar_dtype(b);
    return x == DT_NONE || y == DT_NONE ? value_retain(a) : type_of_dtype(vm, dtype_promote(x, y));
}

gpa_code numba_typeof(gpa_vm *vm, value *argv, value *out) { /* val */
    gpa_code rc = type_of_value(vm, argv[0], out);
    if (rc || data_of(out->object)->form != TYPE_NAMED ||
        strcmp(out->object->fields[TYPE_REPR].str->text, "pyobject") != 0)
        return rc;
    value_release(vm, *out);
    *out = v_none();
    return vm_fail(vm, GPA_E_VALUE, "Cannot determine Numba type of <class '%s'>",
                   value_type_name(argv[0]));
}

/* ---- constructors of numba.types ---- */

gpa_code numba_array_type(gpa_vm *vm, value *argv, value *out) { /* dtype, ndim, layout */
    gpa_dtype t = typed_scalar_dtype(argv[0]);
    int64_t ndim;
    const char *layout;
    size_t n;
    if (t == DT_NONE)
        return vm_fail_showing(vm, GPA_E_TYPE, "", argv[0],
                               " is not the type of an array's elements");
    gpa_code rc = arg_int(vm, argv[1], "ndim", &ndim);
    if (!rc) rc = arg_text(vm, argv[2], "layout", &layout, &n);
    if (rc) return rc;
    if (ndim < 0 || ndim > KIR_MAX_DIMS || n != 1 || !strchr("CFA", layout[0]))
        return vm_fail(vm, GPA_E_VALUE,
                       "an array type has 0 to %d dimensions and layout 'C', 'F' or 'A'",
                       KIR_MAX_DIMS);
    return native_return(type_of_elements(vm, t, (int)ndim, layout[0]), out);
}

gpa_code numba_tuple_type(gpa_vm *vm, value *argv, value *out) { /* types */
    value list, items;
    gpa_code rc = vm_collect(vm, argv[0], &list);
    if (rc) return rc;
    rc = types_of(vm, list.list->count, list.list->items, &items);
    value_release(vm, list);
    if (rc) return rc;
    rc = native_return(type_of_items(vm, items), out);
    value_release(vm, items);
    return rc;
}

gpa_code numba_named_type(gpa_vm *vm, value *argv, value *out) { /* repr, str */
    return native_return(type_named(vm, argv[0].str->text, argv[1].str->text), out);
}
