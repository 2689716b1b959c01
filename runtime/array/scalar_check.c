/* Range checks of scalars that become elements: NumPy's and CPython's OverflowError, TypeError and
 * ValueError. */
#include <math.h>

#include "runtime/array/array.h"

/* A float as an element of an integer dtype: its integral part must be in range. */
static gpa_code check_whole(double x, gpa_dtype to, gpa_err *e) {
    if (isnan(x)) return gpa_fail(e, GPA_E_VALUE, "cannot convert float NaN to integer");
    if (isinf(x)) return gpa_fail(e, GPA_E_OVERFLOW, "cannot convert float infinity to integer");
    double whole = trunc(x),
           least = dtype_info[to].kind == 'U' ? 0 : -ldexp(1, 8 * (int)dtype_size(to) - 1);
    double beyond = ldexp(1, 8 * (int)dtype_size(to) - (dtype_info[to].kind == 'I'));
    if (whole >= least && whole < beyond) return GPA_OK;
    if (fabs(whole) >= 0x1p63)
        return gpa_fail(e, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    return gpa_fail(e, GPA_E_OVERFLOW, "Python integer %.0f out of bounds for %s", whole,
                    dtype_info[to].name);
}

/* A NumPy scalar as an element of a signed dtype, which converts by int(); unsigned dtypes wrap. */
static gpa_code check_scalar(const gpa_opnd *o, gpa_dtype to, gpa_err *e) {
    if (!dtype_is_int(o->dtype)) return check_whole(dtype_cast(o->v, o->dtype, DT_F64).F64, to, e);
    if (o->dtype == DT_U64 && o->v.U64 > INT64_MAX)
        return gpa_fail(e, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    const gpa_opnd plain = {
        .weak = WEAK_INT, .dtype = DT_I64, .v = dtype_cast(o->v, o->dtype, DT_I64)};
    return arr_check_number(&plain, to, e);
}

gpa_code arr_check_number(const gpa_opnd *o, gpa_dtype to, gpa_err *e) {
    if (o->weak == WEAK_NO)
        return o->element && dtype_info[to].kind == 'I' && o->dtype != to ? check_scalar(o, to, e)
                                                                          : GPA_OK;
    bool whole = dtype_is_int(to);
    if (o->weak == WEAK_COMPLEX && whole)
        return gpa_fail(
            e, GPA_E_TYPE,
            "int() argument must be a string, a bytes-like object or a real number, not 'complex'");
    if (o->weak == WEAK_COMPLEX && dtype_is_float(to))
        return gpa_fail(e, GPA_E_TYPE,
                        "float() argument must be a string or a real number, not 'complex'");
    if (o->weak == WEAK_INT && o->dtype == DT_F64 && isinf(o->v.F64) && !whole && to != DT_BOOL)
        return gpa_fail(e, GPA_E_OVERFLOW, "int too large to convert to float");
    if (o->weak == WEAK_FLOAT && whole) return check_whole(o->v.F64, to, e);
    if (o->weak == WEAK_INT && whole && o->dtype == DT_U64 && to == DT_U64) return GPA_OK;
    if (o->weak == WEAK_INT && whole && o->dtype == DT_U64 && to == DT_U32) /* by unsigned long */
        return gpa_fail(e, GPA_E_OVERFLOW, "Python integer %llu out of bounds for %s",
                        (unsigned long long)o->v.U64, dtype_info[to].name);
    if (o->weak == WEAK_INT && whole && o->dtype != DT_I64)
        return gpa_fail(e, GPA_E_OVERFLOW, "Python int too large to convert to C long");
    if (o->weak == WEAK_INT && whole) {
        int64_t v = o->v.I64, back = dtype_cast(dtype_cast(o->v, DT_I64, to), to, DT_I64).I64;
        if (back != v || (v < 0 && dtype_info[to].kind == 'U'))
            return gpa_fail(e, GPA_E_OVERFLOW, "Python integer %lld out of bounds for %s",
                            (long long)v, dtype_info[to].name);
    }
    return GPA_OK;
}
