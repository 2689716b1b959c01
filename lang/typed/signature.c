/* Numba's type signatures, written as text. */
#include <string.h>

#include "lang/builtin/all.h"
#include "lang/typed/typed.h"
#include "lang/typed/types.h"

/* ---- types as values ---- */

static bool is_scalar_type(value v) { return v.tag == V_TYPE && v.aux >= AUX_DTYPE && v.aux < AUX_DTYPE + DT_COUNT; }

bool typed_is_type(value v) {
    return is_scalar_type(v) || (v.tag == V_STR && v.str->size && v.str->text[v.str->size - 1] == ']' && strchr(v.str->text, ':'));
}

static void put_type(gpa_str *to, value v) { str_put(to, v.tag == V_STR ? v.str->text : dtype_info[v.aux - AUX_DTYPE].name); }

static gpa_code signature_text(gpa_vm *vm, const char *result, value first, const tuple_obj *more, value *out) {
    gpa_str s;
    str_init(&s);
    str_put(&s, result);
    str_putc(&s, '(');
    for (size_t i = 0; i <= more->count; i++) {
        value v = i ? more->items[i - 1] : first;
        if (v.tag == V_UNSET) break;
        if (!typed_is_type(v)) {
            str_free(&s);
            return vm_fail(vm, GPA_E_TYPE, "a signature is made of types, not of '%s'", value_type_name(v));
        }
        if (i) str_put(&s, ", ");
        put_type(&s, v);
    }
    str_putc(&s, ')');
    *out = v_str_take(vm, &s);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

gpa_code typed_signature_of(gpa_vm *vm, value result, value first, const tuple_obj *more, value *out) {
    return signature_text(vm, dtype_info[result.aux - AUX_DTYPE].name, first, more, out);
}

gpa_code numba_void(gpa_vm *vm, value *argv, value *out) { /* type, *types */
    return signature_text(vm, "void", argv[0], argv[1].tuple, out);
}

gpa_code typed_array_type(gpa_vm *vm, value type, value key, bool *is, value *out) {
    size_t n = key.tag == V_TUPLE ? key.tuple->count : 1;
    gpa_str s;
    *is = is_scalar_type(type) && n > 0;
    for (size_t i = 0; i < n && *is; i++) *is = (key.tag == V_TUPLE ? key.tuple->items[i] : key).tag == V_SLICE;
    if (!*is) return GPA_OK;
    str_init(&s);
    put_type(&s, type);
    for (size_t i = 0; i < n; i++) str_put(&s, i ? ",:" : "[:");
    str_putc(&s, ']');
    *out = v_str_take(vm, &s);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* ---- signatures as text ---- */

static void skip(const char **at) {
    while (**at == ' ') ++*at;
}

/* "float32", "f8[:,:]", "float64[:, ::1]"; DT_NONE: no type. */
static typed_ty read_type(const char **at) {
    skip(at);
    const char *from = *at;
    while (**at && !strchr(" ,()[", **at)) ++*at;
    typed_ty t = {.dtype = (uint8_t)dtype_find(from, (size_t)(*at - from))};
    if (*at - from == 6 && memcmp(from, "double", 6) == 0) t.dtype = DT_F64;
    skip(at);
    if (**at != '[') return t;
    for (t.rank = 1; **at && **at != ']'; ++*at) {
        bool dimension = (*at)[0] == ':' && (*at)[-1] != ':';
        if (dimension && t.rank <= KIR_MAX_DIMS) t.rank++;
    }
    if (**at == ']') ++*at;
    else t.dtype = DT_NONE;
    skip(at);
    return t;
}

gpa_code typed_read_signature(gpa_vm *vm, value v, typed_signature *s) {
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE, "a signature is text such as 'float32(float32, float32)', not '%s'", value_type_name(v));
    const char *at = v.str->text;
    *s = (typed_signature){.result.dtype = DT_NONE};
    skip(&at);
    bool nothing = strncmp(at, "void", 4) == 0, bare = *at == '(';
    if (nothing) at += 4;
    else if (!bare) s->result = read_type(&at);
    skip(&at);
    bool good = (nothing || bare || s->result.dtype != DT_NONE) && *at++ == '(';
    while (good && *at != ')') {
        good = s->n < BODY_MAX_IN && (s->args[s->n++] = read_type(&at)).dtype != DT_NONE && (*at == ',' || *at == ')');
        if (*at == ',') at++;
        skip(&at);
    }
    if (good) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "'%s' is not a signature such as 'float32(float32, float32)'", v.str->text);
}

gpa_code typed_signatures(gpa_vm *vm, value v, value *list) {
    typed_signature s;
    gpa_code rc = GPA_OK;
    *list = v_none();
    if (v.tag == V_STR) *list = v_list(vm, 1, &v);
    else if (v.tag != V_UNSET && v.tag != V_NONE) TRY(vm_collect(vm, v, list));
    if (list->tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; list->tag == V_LIST && i < list->list->count; i++) TRY(typed_read_signature(vm, list->list->items[i], &s));
    if (list->tag == V_LIST && list->list->count == 0) {
        value_release(vm, *list);
        *list = v_none();
    }
    return GPA_OK;
out:
    value_release(vm, *list);
    *list = v_none();
    return rc;
}

gpa_code typed_check_target(gpa_vm *vm, value v) {
    static const char *const known[] = {"cpu", "parallel", "cuda", "gpu"};
    for (size_t i = 0; v.tag == V_STR && i < COUNT_OF(known); i++)
        if (strcmp(v.str->text, known[i]) == 0) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "target must be 'cpu', 'parallel', 'cuda' or 'gpu'");
}
