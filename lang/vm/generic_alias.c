/* Subscripted classes of NumPy (types.GenericAlias). */
#include "lang/vm/generic_alias.h"

#include <string.h>

#include "lang/vm/machine.h"

enum { ALIAS_ORIGIN, ALIAS_ARGS, ALIAS_FIELDS };

/* "numpy.dtype" of "<class 'numpy.dtype'>"; the text itself if it is another. */
static void put_class_name(gpa_str *out, const gpa_str *text) {
    static const char open[] = "<class '";
    size_t n = sizeof open - 1;
    if (text->len > n + 2 && strncmp(text->text, open, n) == 0)
        str_printf(out, "%.*s", (int)(text->len - n - 2), text->text + n);
    else
        str_put(out, text->text);
}

static gpa_code put_name(gpa_vm *vm, value v, gpa_str *out) {
    gpa_str text;
    str_init(&text);
    gpa_code rc = vm_repr(vm, v, &text);
    if (!rc) put_class_name(out, &text);
    str_free(&text);
    return rc;
}

static gpa_code alias_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    const tuple_obj *args = o->fields[ALIAS_ARGS].tuple;
    gpa_code rc = put_name(vm, o->fields[ALIAS_ORIGIN], out);
    str_put(out, "[");
    for (size_t i = 0; i < args->count && !rc; i++) {
        if (i) str_put(out, ", ");
        rc = put_name(vm, args->items[i], out);
    }
    str_put(out, "]");
    return rc;
}

static gpa_code alias_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    *out = v_unset();
    if (strcmp(name, "__origin__") == 0)
        *out = value_retain(o->fields[ALIAS_ORIGIN]);
    else if (strcmp(name, "__args__") == 0)
        *out = value_retain(o->fields[ALIAS_ARGS]);
    else if (strncmp(name, "__", 2) != 0) {
        gpa_code rc = vm_attr(vm, o->fields[ALIAS_ORIGIN], name, out);
        if (rc) return rc;
    }
    return GPA_OK;
}

static gpa_code alias_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    return vm_call(vm, o->fields[ALIAS_ORIGIN], a, out);
}

static bool alias_equal(const object_obj *a, const object_obj *b) {
    const tuple_obj *x = a->fields[ALIAS_ARGS].tuple, *y = b->fields[ALIAS_ARGS].tuple;
    bool same = value_is(a->fields[ALIAS_ORIGIN], b->fields[ALIAS_ORIGIN]) && x->count == y->count;
    for (size_t i = 0; same && i < x->count; i++) same = value_is(x->items[i], y->items[i]);
    return same;
}

const object_kind generic_alias_kind = {.type_name = "types.GenericAlias",
                                        .repr = alias_repr,
                                        .attr = alias_attr,
                                        .call = alias_call,
                                        .equal = alias_equal};

gpa_code generic_alias(gpa_vm *vm, value origin, value key, size_t least, size_t most, value *out) {
    size_t n = key.tag == V_TUPLE ? key.tuple->count : 1;
    if (n < least || n > most) {
        gpa_str text;
        str_init(&text);
        gpa_code rc = put_name(vm, origin, &text);
        if (!rc)
            rc = vm_fail(vm, GPA_E_TYPE, "Too %s arguments for %s", n < least ? "few" : "many",
                         text.text);
        str_free(&text);
        return rc;
    }
    value args = key.tag == V_TUPLE ? value_retain(key) : v_tuple(vm, 1, &key);
    if (args.tag == V_UNSET) return vm->core.err.code;
    value v = v_object(vm, &generic_alias_kind, ALIAS_FIELDS);
    if (v.tag == V_UNSET) {
        value_release(vm, args);
        return vm->core.err.code;
    }
    v.object->fields[ALIAS_ORIGIN] = value_retain(origin);
    v.object->fields[ALIAS_ARGS] = args;
    *out = v;
    return GPA_OK;
}

gpa_code type_getitem(gpa_vm *vm, value type, value key, value *out) {
    if (type.aux == V_DTYPE || aux_is_dtype_class(type.aux))
        return generic_alias(vm, type, key, 1, 1, out);
    if (type.aux >= AUX_DTYPE && type.aux < AUX_DTYPE_CLASS)
        return vm_fail(vm, GPA_E_TYPE, "There are no type variables left in %s",
                       type_name(type.aux));
    if (type.aux == AUX_KIND + OBJECT_FINFO || type.aux == AUX_KIND + OBJECT_IINFO)
        return generic_alias(vm, type, key, 1, 1, out);
    *out = type; /* list[int], in an annotation */
    return GPA_OK;
}
