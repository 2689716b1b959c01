/* Numba's type signatures as text: parser, the argument of a decorator, overload resolution of
 * ufuncs. */
#include <stdio.h>
#include <string.h>

#include "lang/typed/all.h"
#include "lang/object/container.h"
#include "lang/typed/typed.h"
#include "lang/typed/types.h"

/* Text "(types)": a signature without a result type. */
static gpa_code bare_text(gpa_vm *vm, size_t n, const value *types, value *out) {
    gpa_str s;
    str_init(&s);
    str_putc(&s, '(');
    for (size_t i = 0; i < n; i++) {
        if (i) str_put(&s, ", ");
        typed_put_type(&s, types[i]);
    }
    str_putc(&s, ')');
    *out = v_str_take(vm, &s);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

static gpa_code signature_text(gpa_vm *vm, value signature, value *out) {
    gpa_str s;
    str_init(&s);
    typed_put_signature(&s, signature);
    *out = v_str_take(vm, &s);
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* ---- parser ---- */

static void skip(const char **at) {
    while (**at == ' ') ++*at;
}

static typed_ty read_type(const char **at);

/* Parses what follows "Array(": "float64, 2, 'C')". */
static typed_ty read_array(const char **at) {
    typed_ty t = read_type(at);
    char layout = 0;
    int ndim = 0, n = 0;
    if (sscanf(*at, ", %d , %*['\"]%c%*['\"] )%n", &ndim, &layout, &n) < 2 || !n || ndim < 1 ||
        ndim > KIR_MAX_DIMS || t.rank || !strchr("ACF", layout))
        t.dtype = DT_NONE;
    t.rank = (uint8_t)(ndim + 1);
    t.unit_stride = layout == 'C';
    *at += n;
    skip(at);
    return t;
}

/* Parses "float32", "f8[:,:]", "float64[:, ::1]", "Array(f8, 2, 'C')"; DT_NONE: not a type. */
static typed_ty read_type(const char **at) {
    static const struct {
        const char *name;
        uint8_t dtype;
    } names[] = {{"double", DT_F64}, {"boolean", DT_BOOL}, {"b1", DT_BOOL},    {"int_", DT_I64},
                 {"uint", DT_U64},   {"size_t", DT_U64},   {"ssize_t", DT_I64}};
    skip(at);
    if (strncmp(*at, "Array(", 6) == 0) {
        *at += 6;
        return read_array(at);
    }
    const char *from = *at;
    while (**at && !strchr(" ,()[", **at)) ++*at;
    typed_ty t = {.dtype = (uint8_t)dtype_find(from, (size_t)(*at - from))};
    for (size_t i = 0; t.dtype == DT_NONE && i < COUNT_OF(names); i++)
        if (strlen(names[i].name) == (size_t)(*at - from) &&
            memcmp(from, names[i].name, (size_t)(*at - from)) == 0)
            t.dtype = names[i].dtype;
    skip(at);
    if (**at != '[') return t;
    for (t.rank = 1; **at && **at != ']'; ++*at) {
        bool dimension = (*at)[0] == ':' && (*at)[-1] != ':';
        if (dimension && t.rank <= KIR_MAX_DIMS) t.rank++;
        t.unit_stride = **at == '1' || (t.unit_stride && **at == ' ');
    }
    if (**at == ']')
        ++*at;
    else
        t.dtype = DT_NONE;
    skip(at);
    return t;
}

gpa_code typed_read_signature(gpa_vm *vm, value v, typed_signature *s) {
    if (v.tag != V_STR)
        return vm_fail(vm, GPA_E_TYPE,
                       "a signature is text such as 'float32(float32, float32)', not '%s'",
                       value_type_name(v));
    const char *at = v.str->text;
    *s = (typed_signature){.result.dtype = DT_NONE};
    skip(&at);
    bool nothing = strncmp(at, "void", 4) == 0, bare = *at == '(';
    bool list = !strchr(at, '(') && strchr(at, ','); /* "float32[:], float32" */
    if (nothing)
        at += 4;
    else if (!bare && !list)
        s->result = read_type(&at);
    skip(&at);
    bool good = list || ((nothing || bare || s->result.dtype != DT_NONE) && *at++ == '(');
    char end = list ? '\0' : ')';
    while (good && *at != end) {
        good = s->n < BODY_MAX_IN && (s->args[s->n++] = read_type(&at)).dtype != DT_NONE &&
               (*at == ',' || *at == end);
        if (*at == ',') at++;
        skip(&at);
    }
    if (good) return GPA_OK;
    return vm_fail(vm, GPA_E_VALUE, "'%s' is not a signature such as 'float32(float32, float32)'",
                   v.str->text);
}

/* True if v is a tuple or list of types: one signature without a result type. */
static bool is_bare(value v, size_t *n, const value **items) {
    if (v.tag != V_TUPLE && v.tag != V_LIST) return false;
    *n = v.tag == V_TUPLE ? v.tuple->count : v.list->count;
    *items = v.tag == V_TUPLE ? v.tuple->items : v.list->items;
    for (size_t i = 0; i < *n; i++)
        if (!typed_is_type((*items)[i])) return false;
    return *n > 0;
}

/* Appends a signature as text, after checking that it parses. */
static gpa_code add_signature(gpa_vm *vm, value list, value v) {
    typed_signature s;
    const value *types;
    size_t n;
    value text = v_unset();
    gpa_code rc = GPA_OK;
    if (is_bare(v, &n, &types))
        rc = bare_text(vm, n, types, &text);
    else if (is_kind(v, &numba_signature_kind))
        rc = signature_text(vm, v, &text);
    if (!rc && text.tag == V_UNSET) text = value_retain(v);
    if (!rc) rc = typed_read_signature(vm, text, &s);
    if (!rc) rc = list_append(vm, list.list, text);
    value_release(vm, text);
    return rc;
}

gpa_code typed_signatures(gpa_vm *vm, value v, value *list) {
    const value *types;
    size_t n;
    value given = v_none();
    gpa_code rc = GPA_OK;
    *list = v_none();
    if (v.tag == V_UNSET || v.tag == V_NONE) return GPA_OK;
    value made = v_list(vm, 0, NULL);
    if (made.tag == V_UNSET) return GPA_E_MEMORY;
    if (v.tag == V_STR || is_kind(v, &numba_signature_kind) || is_bare(v, &n, &types)) {
        TRY(add_signature(vm, made, v));
    } else {
        TRY(vm_collect(vm, v, &given));
        for (size_t i = 0; i < given.list->count; i++)
            TRY(add_signature(vm, made, given.list->items[i]));
    }
    if (made.list->count) *list = value_retain(made);
out:
    value_release(vm, given);
    value_release(vm, made);
    return rc;
}

gpa_code typed_signature_for(gpa_vm *vm, const func_obj *fn, value list, size_t i,
                             typed_signature *s) {
    uint32_t takes = func_node(fn)->function.scope->n_positional;
    gpa_code rc = typed_read_signature(vm, list.list->items[i], s);
    if (rc || (uint32_t)s->n == takes) return rc;
    return vm_fail(vm, GPA_E_TYPE,
                   "Signature mismatch: %d argument types given, but function takes %u arguments",
                   s->n, takes);
}

static bool takes(const typed_signature *s, const gpa_opnd *in, int n, bool weak) {
    bool good = true;
    for (int i = 0; i < n && good; i++) {
        typed_ty t = typed_of(&in[i]);
        gpa_dtype to = (gpa_dtype)s->args[i].dtype;
        good = t.weak && weak ? dtype_of_weak(in[i].weak, to) == to
                              : dtype_can_cast((gpa_dtype)t.dtype, to, CAST_SAFE);
    }
    return good;
}

/* True if the arrays among the operands select the signature, by Numba's rules for GPUs. */
static bool arrays_select(const typed_signature *s, const typed_operands *o) {
    bool good = o->scalars_convert, any = false;
    for (int i = 0; i < o->n && good; i++) {
        gpa_dtype from = (gpa_dtype)typed_of(&o->in[i]).dtype, to = (gpa_dtype)s->args[i].dtype;
        any = any || o->in[i].arr;
        good = dtype_can_cast(from, to, CAST_SAFE) ||
               (o->in[i].arr ? o->arrays_narrow && dtype_can_cast(to, from, CAST_SAFE)
                             : !dtype_is_complex(from) || dtype_is_complex(to));
    }
    return good && any;
}

gpa_code typed_match_signature(gpa_vm *vm, const func_obj *fn, value list, typed_operands o,
                               typed_signature *s) {
    bool alone = true;
    for (int i = 0; i < o.n; i++) alone = alone && typed_of(&o.in[i]).weak;
    for (int rule = !alone; rule < 3; rule++)
        for (size_t k = 0; k < list.list->count; k++) {
            gpa_code rc = typed_read_signature(vm, list.list->items[k], s);
            if (rc) return rc;
            if (o.n_types && s->n != o.n_types) continue;
            if (rule < 2 ? takes(s, o.in, o.n, rule) : arrays_select(s, &o)) return GPA_OK;
        }
    return vm_fail(vm, GPA_E_TYPE,
                   "ufunc '%s' not supported for the input types, and the inputs could not be "
                   "safely coerced to any supported "
                   "types according to the casting rule ''safe''",
                   func_name(vm, fn));
}

gpa_code typed_check_target(gpa_vm *vm, value v, bool *gpu) {
    static const char *const targets[] = {"cpu", "parallel", "cuda", "gpu"};
    for (size_t i = 0; v.tag == V_STR && i < COUNT_OF(targets); i++) {
        *gpu = i >= 2;
        if (strcmp(v.str->text, targets[i]) == 0) return GPA_OK;
    }
    return vm_fail(vm, GPA_E_VALUE, "target must be 'cpu', 'parallel', 'cuda' or 'gpu'");
}
