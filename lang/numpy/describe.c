/* Descriptions of dtypes and ufuncs by NumPy's type numbers and type codes. */
#include <stdio.h>

#include "lang/numpy/all.h"
#include "lang/numpy/numpy.h"

/* NumPy's type codes in the order of its type numbers, which is the order of a ufunc's loops, too,
 * but for float16. 'q' and 'Q' are other names of 'l' and 'L'. */
static const char letters[] = "?bBhHiIlLqQfdgFDGOSUVMme", loop_order[] = "?bBhHiIlLqQeEfdFD";
enum { USER_TYPE = 256 }; /* number of the first user-defined dtype */

static const gpa_dtype_info *info(const value *argv) { return &dtype_info[argv[0].aux]; }

gpa_code dt_num(gpa_vm *vm, value *argv, value *out) {
    const char *at = strchr(letters, info(argv)->np_char);
    (void)vm;
    *out = v_int(at ? at - letters : USER_TYPE);
    return GPA_OK;
}

gpa_code dt_isbuiltin(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(strchr(letters, info(argv)->np_char) ? 1 : 2);
    return GPA_OK;
}

gpa_code dt_alignment(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int((int64_t)dtype_size(info(argv)->real));
    return GPA_OK;
}

gpa_code dt_byteorder(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, info(argv)->size > 1 ? "=" : "|"), out);
}

gpa_code dt_newbyteorder(gpa_vm *vm, value *argv, value *out) { /* self, new_order */
    const char *order;
    size_t n;
    gpa_code rc = arg_text(vm, argv[1], "new_order", &order, &n);
    if (rc) return rc;
    if (n == 0 || !strchr("SBLNI<>=|sblni", order[0]))
        return vm_fail(vm, GPA_E_VALUE, "byteorder not recognized (got '%s')", order);
    *out = v_dtype((gpa_dtype)argv[0].aux);
    if (info(argv)->size == 1 || !strchr("SsBb>", order[0])) return GPA_OK;
    rc = vm_fail(vm, GPA_E_UNSUPPORTED, "dtypes of another order of bytes");
    gpa_err_hint(vm_err(vm), "%s", other_order);
    return rc;
}

gpa_code dt_descr(gpa_vm *vm, value *argv, value *out) {
    value pair[2] = {v_cstr(vm, ""), v_unset()}, item = v_none();
    gpa_code rc = pair[0].tag == V_UNSET ? vm_err(vm)->code : dt_str(vm, argv, &pair[1]);
    if (!rc) rc = native_return(v_tuple(vm, 2, pair), &item);
    if (!rc) rc = native_return(v_list(vm, 1, &item), out);
    value_release(vm, pair[0]);
    value_release(vm, pair[1]);
    value_release(vm, item);
    return rc;
}

gpa_code dt_base(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_dtype((gpa_dtype)argv[0].aux);
    return GPA_OK;
}

gpa_code dt_shape(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return native_return(v_tuple(vm, 0, NULL), out);
}

gpa_code dt_zero(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_int(0);
    return GPA_OK;
}

gpa_code dt_none(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_none();
    return GPA_OK;
}

gpa_code dt_true(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_bool(true);
    return GPA_OK;
}

gpa_code dt_false(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_bool(false);
    return GPA_OK;
}

/* ---- ufuncs ---- */

enum { MAX_IN = 3 };

gpa_code uf_nargs(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_int(op_info[argv[0].ufunc->op].arity + 1);
    return GPA_OK;
}

/* Input and output dtypes of a ufunc; GPA_E_TYPE if it is not defined for the operands. */
static gpa_code ufunc_types(gpa_op op, const gpa_opnd *in, gpa_dtype *read, gpa_dtype *result,
                            gpa_err *e) {
    gpa_dtype compute;
    gpa_code rc = arr_ufunc_types(op, in, &compute, result, e);
    for (int i = 0; !rc && i < op_info[op].arity; i++)
        read[i] = op_info[op].sig == SIG_LDEXP && i == 1 ? DT_I64 : compute;
    return rc;
}

/* The type code of an operand of dtype t in the loop of a code, whose own dtype is `own`. */
static char loop_char(char code, gpa_dtype own, gpa_dtype t) {
    return t == own ? code : dtype_info[t].np_char;
}

static gpa_code append_text(gpa_vm *vm, list_obj *list, const char *text) {
    value v = v_cstr(vm, text);
    if (v.tag == V_UNSET) return vm_err(vm)->code;
    gpa_code rc = list_append(vm, list, v);
    value_release(vm, v);
    return rc;
}

/* Type signatures of a ufunc: one for each dtype in which it is computed. */
static gpa_code list_type_signatures(gpa_vm *vm, const ufunc *u, value *out) {
    gpa_code rc = native_return(v_list(vm, 0, NULL), out);
    for (const char *c = loop_order; *c && !rc; c++) {
        gpa_opnd in[MAX_IN] = {0};
        gpa_dtype read[MAX_IN], result;
        gpa_err none = {0};
        char text[MAX_IN + 4] = "";
        size_t n = op_info[u->op].arity;
        for (size_t i = 0; i < n; i++)
            in[i].dtype = u->op == OP_LDEXP && i == 1 ? DT_I64 : dtype_find(c, 1);
        if (ufunc_types(u->op, in, read, &result, &none) != GPA_OK || read[0] != in[0].dtype) {
            gpa_err_clear(&none);
            continue;
        }
        for (size_t i = 0; i < n; i++) text[i] = loop_char(*c, in[0].dtype, read[i]);
        snprintf(text + n, sizeof text - n, "->%c", loop_char(*c, in[0].dtype, result));
        rc = append_text(vm, out->list, text);
        if (!rc && *c == 'Q' && n == 2 && result == DT_BOOL && op_info[u->op].sig == SIG_COMPARE) {
            rc = append_text(vm, out->list, "qQ->?"); /* comparisons of mixed signedness */
            if (!rc) rc = append_text(vm, out->list, "Qq->?");
        }
    }
    return rc;
}

gpa_code uf_types(gpa_vm *vm, value *argv, value *out) {
    return list_type_signatures(vm, argv[0].ufunc, out);
}

gpa_code uf_ntypes(gpa_vm *vm, value *argv, value *out) {
    value list = v_none();
    gpa_code rc = list_type_signatures(vm, argv[0].ufunc, &list);
    if (!rc) *out = v_int((int64_t)list.list->count);
    value_release(vm, list);
    return rc;
}

static gpa_code dtype_operand(gpa_vm *vm, value v, gpa_opnd *in) {
    gpa_weak weak = v.tag != V_TYPE      ? WEAK_NO
                    : v.aux == V_INT     ? WEAK_INT
                    : v.aux == V_FLOAT   ? WEAK_FLOAT
                    : v.aux == V_COMPLEX ? WEAK_COMPLEX
                                         : WEAK_NO;
    if (weak != WEAK_NO)
        *in = (gpa_opnd){.weak = weak, .dtype = dtype_of_weak(weak, DT_NONE)};
    else if (v.tag == V_DTYPE)
        *in = (gpa_opnd){.dtype = (gpa_dtype)v.aux};
    else
        return vm_fail(vm, GPA_E_TYPE,
                       "Provided dtype must be a valid NumPy dtype, int, float, complex, or None.");
    return GPA_OK;
}

/* An entry of `signature`: operands of any dtype but None are computed in it. */
static gpa_code requested_dtype(gpa_vm *vm, value entry, gpa_opnd *in, size_t n) {
    gpa_dtype t;
    gpa_code rc = arg_dtype(vm, entry, &t);
    for (size_t i = 0; i < n && !rc && t != DT_NONE; i++) in[i] = (gpa_opnd){.dtype = t};
    return rc;
}

/* Dtypes of a reduction of (None or the result's, the array's, None): of integers below int64 that
 * add and multiply, the sum in int64 or uint64. */
static gpa_code resolve_reduction(gpa_vm *vm, gpa_op op, const value *given, value *out) {
    gpa_opnd in[MAX_IN] = {0};
    gpa_dtype found[MAX_IN + 1];
    if (op_info[op].arity != 2)
        return vm_fail(vm, GPA_E_TYPE, "reduction is only defined for binary ufuncs");
    if (given[2].tag != V_NONE)
        return vm_fail(vm, GPA_E_TYPE,
                       "resolve_dtypes: When reducing, only the first two dtypes can be given.");
    gpa_code rc = dtype_operand(vm, given[1], &in[1]);
    if (rc) return rc;
    gpa_dtype t = in[1].dtype;
    bool widens = op == OP_ADD || op == OP_MULTIPLY;
    if (given[0].tag == V_DTYPE)
        t = (gpa_dtype)given[0].aux;
    else if (widens && (dtype_is_int(t) || t == DT_BOOL) && dtype_size(t) < 8)
        t = dtype_info[t].kind == 'U' ? DT_U64 : DT_I64;
    in[0] = in[1] = (gpa_opnd){.dtype = t};
    rc = ufunc_types(op, in, found, &found[2], vm_err(vm));
    if (!rc) rc = native_return(v_tuple(vm, 3, NULL), out);
    for (size_t i = 0; i < 3 && !rc; i++) out->tuple->items[i] = v_dtype(found[i]);
    return rc;
}

gpa_code uf_resolve_dtypes(gpa_vm *vm, value *argv,
                           value *out) { /* self, dtypes, *, signature, casting, reduction */
    gpa_op op = argv[0].ufunc->op;
    size_t n = op_info[op].arity;
    gpa_opnd in[MAX_IN] = {0};
    gpa_dtype found[MAX_IN + 1];
    gpa_casting casting;
    if (argv[1].tag != V_TUPLE || argv[1].tuple->count != n + 1)
        return vm_fail(vm, GPA_E_TYPE,
                       "resolve_dtypes: The dtypes must be a tuple of `ufunc.nargs` length.");
    const value *given = argv[1].tuple->items;
    bool reduction;
    gpa_code rc = arg_casting(vm, argv[3], &casting);
    if (!rc) rc = arg_bool(vm, argv[4], "reduction", &reduction);
    if (!rc && reduction) return resolve_reduction(vm, op, given, out);
    for (size_t i = 0; i < n && !rc; i++) rc = dtype_operand(vm, given[i], &in[i]);
    if (!rc && argv[2].tag == V_TUPLE && argv[2].tuple->count == n + 1)
        for (size_t i = 0; i <= n && !rc; i++)
            rc = requested_dtype(vm, argv[2].tuple->items[i], in, n);
    if (!rc) rc = ufunc_types(op, in, found, &found[n], vm_err(vm));
    for (size_t i = 0; i < n && !rc; i++)
        if (given[i].tag == V_DTYPE && !dtype_can_cast((gpa_dtype)given[i].aux, found[i], casting))
            rc = vm_fail(vm, GPA_E_TYPE,
                         "Cannot cast ufunc '%s' input %zu from dtype('%s') to dtype('%s') with "
                         "casting rule '%s'",
                         argv[0].ufunc->name, i, dtype_info[given[i].aux].name,
                         dtype_info[found[i]].name,
                         argv[3].tag == V_STR ? argv[3].str->text : "same_kind");
    if (!rc && given[n].tag == V_DTYPE &&
        !dtype_can_cast(found[n], (gpa_dtype)given[n].aux, casting))
        rc = vm_fail(
            vm, GPA_E_TYPE,
            "Cannot cast ufunc '%s' output from dtype('%s') to dtype('%s') with casting rule '%s'",
            argv[0].ufunc->name, dtype_info[found[n]].name, dtype_info[given[n].aux].name,
            argv[3].tag == V_STR ? argv[3].str->text : "same_kind");
    if (!rc) rc = native_return(v_tuple(vm, n + 1, NULL), out);
    for (size_t i = 0; i <= n && !rc; i++) out->tuple->items[i] = v_dtype(found[i]);
    return rc;
}
