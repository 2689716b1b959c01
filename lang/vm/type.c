/* The type of a value, and inheritance among the built-in types. */
#include "lang/vm/generator.h"
#include "lang/vm/native_table.h"

uint32_t type_of(value v) {
    if (v.tag == V_NUM) return AUX_DTYPE + v.aux;
    if (v.tag == V_COMPLEX && v.aux) return AUX_DTYPE + DT_C128;
    if (v.tag == V_ARRAY && v.aux) return AUX_DTYPE + v.array->arr->dtype;
    if (v.tag == V_EXCEPTION) return AUX_ERROR + v.exc->code;
    if (v.tag == V_SET && v.set->frozen) return AUX_FROZENSET;
    if (v.tag == V_DICT && v.dict->ordered) return AUX_ORDERED_DICT;
    if (v.tag == V_FUNC && v.func->ufunc) return V_UFUNC;
    if (v.tag == V_CLASS) return V_TYPE;
    if (v.tag == V_DTYPE) return AUX_DTYPE_CLASS + v.aux;
    if (v.tag == V_TYPE && (v.aux == V_DTYPE || aux_is_dtype_class(v.aux))) return AUX_DTYPE_META;
    if (v.tag == V_BIG) return V_INT;
    if (generator_is(v)) return AUX_KIND + OBJECT_SUSPENDED;
    if (v.tag == V_OBJECT)
        for (uint32_t i = 0; i < OBJECT_KINDS; i++)
            if (object_kinds[i] == v.object->kind) return AUX_KIND + i;
    return v.tag;
}

bool type_derives(uint32_t sub, uint32_t from) {
    if (sub == from || from == V_OBJECT) return true;
    if (sub >= AUX_ERROR && from >= AUX_ERROR && sub < AUX_FROZENSET && from < AUX_FROZENSET)
        return gpa_err_is((gpa_code)(sub - AUX_ERROR), (gpa_code)(from - AUX_ERROR));
    if (from == V_TUPLE && sub >= AUX_KIND) return object_kinds[sub - AUX_KIND]->tuple;
    if (aux_is_dtype_class(sub)) return from == V_DTYPE;
    if (sub == AUX_DTYPE_META) return from == V_TYPE;
    if (sub == AUX_ORDERED_DICT) return from == V_DICT;
    return (sub == V_BOOL && from == V_INT) || (sub == AUX_DTYPE + DT_F64 && from == V_FLOAT) ||
           (sub == AUX_DTYPE + DT_C128 && from == V_COMPLEX);
}

bool type_matches(value v, uint32_t aux) { return type_derives(type_of(v), aux); }
