/* Arrays from the outside, on the reference device: views, indexing, assignment, single elements,
 * library calls. Every reading test runs on arrays that are computed and on arrays that are
 * pending. */
#include "tests/unit/unit.h"

#include <unistd.h>

#include "runtime/libcalls.h"
#include "runtime/array/store.h"

static gpa_rt *rt;
static gpa_err err;

static void ok_at(gpa_code code, const char *file, int line) {
    if (code) print_error("%s\n", err.msg);
    _assert_int_equal((uintmax_t)code, GPA_OK, file, line);
}
#define OK(call) ok_at(call, __FILE__, __LINE__)

static void fails_at(gpa_code code, gpa_code want, const char *words, const char *file, int line) {
    _assert_int_equal((uintmax_t)code, (uintmax_t)want, file, line);
    _assert_string_equal(err.msg, words, file, line);
    gpa_err_clear(&err);
}
#define FAILS(call, code, words) fails_at(call, code, words, __FILE__, __LINE__)

#define DIMS(...) \
    (int)COUNT_OF(((int64_t[]){__VA_ARGS__})), (int64_t[]) { __VA_ARGS__ }
#define SCALAR 0, NULL
#define IX(...) (gpa_index[]){__VA_ARGS__}, (int)COUNT_OF(((gpa_index[]){__VA_ARGS__}))
#define INT(n) \
    { .kind = IX_INT, .i = n }
#define ALL \
    { .kind = IX_SLICE }
#define NEW \
    { .kind = IX_NEWAXIS }
#define DOTS \
    { .kind = IX_ELLIPSIS }
#define ARR(a) \
    { .kind = IX_ARRAY, .arr = a }
#define OPND(a) \
    &(gpa_opnd) { .arr = a }

/* A Python int as an operand, until the next call. */
static const gpa_opnd *number(int64_t n) {
    static gpa_opnd o;
    o = (gpa_opnd){.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = n}};
    return &o;
}

/* start:stop:step */
static gpa_index slice(int64_t start, int64_t stop, int64_t step) {
    return (gpa_index){.kind = IX_SLICE,
                       .start = start,
                       .stop = stop,
                       .step = step,
                       .has_start = true,
                       .has_stop = true,
                       .has_step = true};
}

static void begin(void) {
    memset(&err, 0, sizeof err);
    OK(rt_new(&(rt_config){.device = "ref"}, &rt, &err));
}

static void end(void) {
    rt_stats s;
    rt_get_stats(rt, &s);
    assert_int_equal(s.bytes_live, 0);
    rt_free(rt);
}

/* 0, 1, 2 ... in a shape. */
static gpa_arr *range(bool computed, int ndim, const int64_t *shape) {
    gpa_arr *flat, *a;
    int64_t n = 1;
    for (int d = 0; d < ndim; d++) n *= shape[d];
    OK(arr_iota(rt, n, 0, 1, &flat, &err));
    OK(arr_reshape(rt, flat, ndim, shape, &a, &err));
    arr_release(rt, flat);
    if (computed) OK(arr_eval(rt, &a, 1, &err));
    return a;
}

static gpa_arr *ints(int ndim, const int64_t *shape, const int64_t *data) {
    gpa_arr *a;
    OK(arr_from(rt, &(arr_spec){DT_I64, ndim, shape}, data, &a, &err));
    return a;
}

static gpa_arr *list(int n, const int64_t *data) { return ints(1, &(int64_t){n}, data); }

static gpa_arr *mask(int ndim, const int64_t *shape, const uint8_t *data) {
    gpa_arr *a;
    OK(arr_from(rt, &(arr_spec){DT_BOOL, ndim, shape}, data, &a, &err));
    return a;
}

/* The shape and the elements of an int64 array, which is released. */
static void holds_take(gpa_arr *a, int ndim, const int64_t *shape, const int64_t *want) {
    int64_t got[256];
    assert_int_equal(a->ndim, ndim);
    for (int d = 0; d < ndim; d++) assert_int_equal(a->shape[d], shape[d]);
    assert_true(a->size <= 256);
    OK(arr_read(rt, a, got, &err));
    for (int64_t i = 0; i < a->size; i++) assert_int_equal(got[i], want[i]);
    arr_release(rt, a);
}
#define HOLDS(a, dims, ...) holds_take(a, dims, (int64_t[]){__VA_ARGS__})

static gpa_arr *get(gpa_arr *a, const gpa_index *ix, int n) {
    gpa_arr *r;
    OK(arr_get(rt, a, &(gpa_indices){ix, n}, NULL, &r, &err));
    return r;
}

/* ---- reading ---- */

static void views(void **state) {
    (void)state;
    begin();
    for (int computed = 0; computed < 2; computed++) {
        gpa_arr *a = range(computed, DIMS(2, 3)), *t, *r, *b;
        OK(arr_transpose(rt, a, NULL, &t, &err));
        OK(arr_reshape(rt, t, 1, (int64_t[]){-1}, &r, &err));
        HOLDS(r, DIMS(6), 0, 3, 1, 4, 2, 5);
        OK(arr_broadcast_to(rt, t, DIMS(2, 3, 2), &b, &err));
        assert_true(b->readonly && b->base == a->base);
        FAILS(arr_set(rt, b, &(gpa_indices){NULL, 0}, number(1), &err), GPA_E_VALUE,
              "assignment destination is read-only");
        HOLDS(b, DIMS(2, 3, 2), 0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5);
        FAILS(arr_broadcast_to(rt, t, DIMS(3, 3), &b, &err), GPA_E_VALUE,
              "operands could not be broadcast together with remapped shapes [original->remapped]: "
              "(3,2)  and requested "
              "shape (3,3)");
        FAILS(arr_view(rt, a, &(arr_layout){(gpa_dtype)a->dtype, DIMS(2), (int64_t[]){1}, 5}, &b,
                       &err),
              GPA_E_VALUE, "the strides reach outside of the array's memory");
        FAILS(arr_transpose(rt, a, (int[]){0, 0}, &b, &err), GPA_E_VALUE,
              "repeated axis in transpose");
        arr_release(rt, t);
        arr_release(rt, a);
    }
    end();
}

static void basic(void **state) {
    (void)state;
    begin();
    for (int computed = 0; computed < 2; computed++) {
        gpa_arr *a = range(computed, DIMS(3, 4)), *r;
        bool one = false;
        HOLDS(get(a, IX(INT(-1))), DIMS(4), 8, 9, 10, 11);
        HOLDS(get(a, IX(ALL, slice(3, 0, -2))), DIMS(3, 2), 3, 1, 7, 5, 11, 9);
        HOLDS(get(a, IX(slice(-100, 100, 2), INT(1), NEW)), DIMS(2, 1), 1, 9);
        HOLDS(get(a, IX(DOTS, INT(0))), DIMS(3), 0, 4, 8);
        HOLDS(get(a, IX(slice(2, 1, 1))), DIMS(0, 4), 0);
        OK(arr_get(rt, a, &(gpa_indices){IX(INT(1), INT(2))}, &one, &r, &err));
        assert_true(one);
        HOLDS(r, SCALAR, 6);
        OK(arr_get(rt, a, &(gpa_indices){IX(INT(1), INT(2), DOTS)}, &one, &r, &err));
        assert_false(one);
        HOLDS(r, SCALAR, 6);
        FAILS(arr_get(rt, a, &(gpa_indices){IX(INT(0), INT(0), INT(0))}, NULL, &r, &err),
              GPA_E_INDEX,
              "too many indices for array: array is 2-dimensional, but 3 were indexed");
        FAILS(arr_get(rt, a, &(gpa_indices){IX(ALL, INT(4))}, NULL, &r, &err), GPA_E_INDEX,
              "index 4 is out of bounds for axis 1 with size 4");
        FAILS(arr_get(rt, a, &(gpa_indices){IX(slice(0, 1, 0))}, NULL, &r, &err), GPA_E_VALUE,
              "slice step cannot be zero");
        FAILS(arr_get(rt, a, &(gpa_indices){IX(DOTS, DOTS)}, NULL, &r, &err), GPA_E_INDEX,
              "an index can only have a single ellipsis ('...')");
        arr_release(rt, a);
    }
    end();
}

static void masks_and_places(void **state) {
    (void)state;
    begin();
    for (int computed = 0; computed < 2; computed++) {
        gpa_arr *a = range(computed, DIMS(2, 3, 2)),
                *m = mask(DIMS(2, 3), (uint8_t[]){1, 0, 0, 0, 1, 1}), *r;
        gpa_arr *i = list(2, (int64_t[]){1, -2}), *j = ints(DIMS(2, 1), (int64_t[]){0, 1}),
                *three = list(3, (int64_t[]){0, 1, 2});
        gpa_arr *off = list(2, (int64_t[]){0, 3}), *rows = mask(DIMS(2), (uint8_t[]){0, 1});
        gpa_arr *yes = mask(0, NULL, (uint8_t[]){1}), *no = mask(0, NULL, (uint8_t[]){0});
        HOLDS(get(a, IX(ARR(m))), DIMS(3, 2), 0, 1, 8, 9, 10, 11);
        HOLDS(get(a, IX(ARR(m), INT(1))), DIMS(3), 1, 9, 11);
        HOLDS(get(a, IX(ALL, ARR(i))), DIMS(2, 2, 2), 2, 3, 2, 3, 8, 9, 8, 9);
        HOLDS(get(a, IX(ARR(i), ALL, INT(0))), DIMS(2, 3), 6, 8, 10, 0, 2, 4);
        HOLDS(get(a, IX(INT(1), ALL, ARR(i))), DIMS(2, 3), 7, 9, 11, 6, 8, 10);
        HOLDS(get(a, IX(ALL, ARR(i), ARR(j))), DIMS(2, 2, 2), 2, 2, 3, 3, 8, 8, 9, 9);
        HOLDS(get(a, IX(ARR(rows), NEW, ARR(i))), DIMS(2, 1, 2), 8, 9, 8, 9);
        HOLDS(get(a, IX(ARR(yes), INT(0), INT(0))), DIMS(1, 2), 0, 1);
        HOLDS(get(a, IX(ARR(no), INT(0))), DIMS(0, 3, 2), 0);
        FAILS(arr_get(rt, a, &(gpa_indices){IX(ARR(i), ARR(three))}, NULL, &r, &err), GPA_E_INDEX,
              "shape mismatch: indexing arrays could not be broadcast together with shapes (2,) "
              "(3,) ");
        FAILS(arr_get(rt, a, &(gpa_indices){IX(ALL, ARR(rows))}, NULL, &r, &err), GPA_E_INDEX,
              "boolean index did not match indexed array along axis 1; size of axis is 3 but size "
              "of corresponding boolean "
              "axis is 2");
        FAILS(arr_get(rt, a, &(gpa_indices){IX(ALL, ARR(off))}, NULL, &r, &err), GPA_E_INDEX,
              "index 3 is out of bounds for axis 1 with size 3");
        gpa_arr *all[] = {a, m, i, j, three, off, rows, yes, no};
        for (size_t k = 0; k < COUNT_OF(all); k++) arr_release(rt, all[k]);
    }
    end();
}

/* An index array that pends is checked when it is computed, and the session goes on. */
static void late_bounds(void **state) {
    (void)state;
    begin();
    gpa_arr *a = range(true, DIMS(4)), *i, *r;
    int64_t got[3];
    OK(arr_iota(rt, 3, 2, 1, &i, &err));
    OK(arr_get(rt, a, &(gpa_indices){IX(ARR(i))}, NULL, &r, &err));
    FAILS(arr_read(rt, r, got, &err), GPA_E_INDEX,
          "index 4 is out of bounds for axis 0 with size 4");
    arr_release(rt, r);
    HOLDS(get(a, IX(slice(1, 3, 1))), DIMS(2), 1, 2);
    arr_release(rt, i);
    arr_release(rt, a);
    end();
}

/* ---- writing ---- */

static void stores(void **state) {
    (void)state;
    begin();
    for (int computed = 0; computed < 2; computed++) {
        gpa_arr *a = range(computed, DIMS(6)), *r, *b = range(computed, DIMS(2, 3)),
                *row = list(3, (int64_t[]){7, 8, 9});
        r = get(a, IX(slice(0, 5, 1)));
        OK(arr_set(rt, a, &(gpa_indices){IX(slice(1, 6, 1))}, OPND(r),
                   &err)); /* overlap: as if r had been read first */
        arr_release(rt, r);
        HOLDS(arr_retain(a), DIMS(6), 0, 0, 1, 2, 3, 4);
        r = get(a, IX(slice(5, -7, -1)));
        OK(arr_set(rt, a, &(gpa_indices){NULL, 0}, OPND(r), &err));
        arr_release(rt, r);
        HOLDS(arr_retain(a), DIMS(6), 4, 3, 2, 1, 0, 0);
        OK(arr_set(rt, b, &(gpa_indices){IX(ALL)}, OPND(row), &err));
        OK(arr_set(rt, b, &(gpa_indices){IX(INT(0), INT(-1))}, number(5), &err));
        HOLDS(arr_retain(b), DIMS(2, 3), 7, 8, 5, 7, 8, 9);
        FAILS(arr_set(rt, b, &(gpa_indices){IX(ALL, slice(0, 2, 1))}, OPND(row), &err), GPA_E_VALUE,
              "could not broadcast input array from shape (3,) into shape (2,2)");
        arr_release(rt, row);
        arr_release(rt, a);
        arr_release(rt, b);
    }
    end();
}

static void numbers(void **state) {
    (void)state;
    begin();
    gpa_arr *a, *f;
    OK(arr_full(rt, &(arr_spec){DT_U8, DIMS(2)}, (gpa_val){.U8 = 1}, &a, &err));
    OK(arr_full(rt, &(arr_spec){DT_F32, DIMS(2)}, (gpa_val){.F32 = 1}, &f, &err));
    gpa_opnd nan = {.weak = WEAK_FLOAT, .dtype = DT_F64, .v = {.F64 = (double)__builtin_nan("")}};
    gpa_opnd cx = {.weak = WEAK_COMPLEX, .dtype = DT_C128, .v = {.C128 = {0, 1}}};
    FAILS(arr_set(rt, a, &(gpa_indices){NULL, 0}, number(300), &err), GPA_E_OVERFLOW,
          "Python integer 300 out of bounds for uint8");
    FAILS(arr_set(rt, a, &(gpa_indices){NULL, 0}, number(-1), &err), GPA_E_OVERFLOW,
          "Python integer -1 out of bounds for uint8");
    FAILS(arr_set(rt, a, &(gpa_indices){IX(INT(0))}, &nan, &err), GPA_E_VALUE,
          "cannot convert float NaN to integer");
    FAILS(arr_set(rt, f, &(gpa_indices){NULL, 0}, &cx, &err), GPA_E_TYPE,
          "float() argument must be a string or a real number, not 'complex'");
    OK(arr_set(rt, f, &(gpa_indices){NULL, 0}, &nan, &err));
    arr_release(rt, a);
    arr_release(rt, f);
    end();
}

static void masked_stores(void **state) {
    (void)state;
    begin();
    for (int computed = 0; computed < 2; computed++) {
        gpa_arr *a = range(computed, DIMS(2, 3)),
                *m = mask(DIMS(2, 3), (uint8_t[]){1, 0, 1, 0, 1, 0});
        gpa_arr *cols = mask(DIMS(3), (uint8_t[]){1, 0, 1}),
                *col = ints(DIMS(2, 1), (int64_t[]){-1, -2});
        gpa_arr *three = list(3, (int64_t[]){20, 21, 22}), *two = list(2, (int64_t[]){1, 2});
        OK(arr_set(rt, a, &(gpa_indices){IX(ARR(m))}, number(9), &err));
        HOLDS(arr_retain(a), DIMS(2, 3), 9, 1, 9, 3, 9, 5);
        OK(arr_set(rt, a, &(gpa_indices){IX(ARR(m))}, OPND(three), &err));
        HOLDS(arr_retain(a), DIMS(2, 3), 20, 1, 21, 3, 22, 5);
        OK(arr_set(rt, a, &(gpa_indices){IX(ALL, ARR(cols))}, OPND(col), &err));
        HOLDS(arr_retain(a), DIMS(2, 3), -1, 1, -1, -2, 22, -2);
        OK(arr_set(rt, a, &(gpa_indices){IX(INT(1), ARR(cols))}, number(0), &err));
        OK(arr_set(rt, a, &(gpa_indices){IX(INT(0), ARR(cols))}, OPND(two), &err));
        HOLDS(arr_retain(a), DIMS(2, 3), 1, 1, 2, 0, 22, 0);
        FAILS(arr_set(rt, a, &(gpa_indices){IX(ARR(m))}, OPND(two), &err), GPA_E_VALUE,
              "NumPy boolean array indexing assignment cannot assign 2 input values to the 3 "
              "output values where the mask is "
              "true");
        FAILS(arr_set(rt, a, &(gpa_indices){IX(ARR(m))}, OPND(col), &err), GPA_E_TYPE,
              "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input "
              "has 2 dimensions");
        FAILS(arr_set(rt, a, &(gpa_indices){IX(ALL, ARR(cols))}, OPND(three), &err), GPA_E_VALUE,
              "shape mismatch: value array of shape (3,) could not be broadcast to indexing result "
              "of shape (2,2)");
        gpa_arr *all[] = {a, m, cols, col, three, two};
        for (size_t k = 0; k < COUNT_OF(all); k++) arr_release(rt, all[k]);
    }
    end();
}

static void scatters(void **state) {
    (void)state;
    begin();
    gpa_arr *a = range(true, DIMS(2, 3)), *i = list(4, (int64_t[]){0, 2, -1, 0}),
            *v = list(4, (int64_t[]){10, 11, 12, 13});
    gpa_arr *far = list(2, (int64_t[]){0, -4}), *count;
    OK(arr_set(rt, a, &(gpa_indices){IX(INT(1), ARR(i))}, OPND(v),
               &err)); /* the last value for an index is kept */
    HOLDS(arr_retain(a), DIMS(2, 3), 0, 1, 2, 13, 4, 12);
    OK(arr_set(rt, a, &(gpa_indices){IX(ALL, ARR(i))}, number(7), &err));
    HOLDS(arr_retain(a), DIMS(2, 3), 7, 1, 7, 7, 4, 7);
    FAILS(arr_set(rt, a, &(gpa_indices){IX(ALL, ARR(far))}, number(1), &err), GPA_E_INDEX,
          "index -4 is out of bounds for axis 1 with size 3");
    OK(arr_full(rt, &(arr_spec){DT_I64, DIMS(3)}, (gpa_val){.I64 = 0}, &count, &err));
    OK(arr_update_at(rt, OP_ADD, count, &(gpa_indices){IX(ARR(i))}, number(1), &err));
    HOLDS(arr_retain(count), DIMS(3), 2, 0, 2);
    OK(arr_update_at(rt, OP_NEGATIVE, count, &(gpa_indices){IX(slice(0, 1, 1))}, NULL, &err));
    HOLDS(arr_retain(count), DIMS(3), -2, 0, 2);
    OK(arr_set(rt, v, &(gpa_indices){IX(ARR(i))}, OPND(i), &err));
    gpa_arr *all[] = {a, i, v, far, count};
    for (size_t k = 0; k < COUNT_OF(all); k++) arr_release(rt, all[k]);
    end();
}

/* Masked scatters, as devices with memory of their own use them for stream compaction and counting:
 * at indices that a prefix sum gives, only where a mask is true, and scatter-adds of integers.
 * Indices are not checked where the mask is false. */
static void scatters_where(void **state) {
    (void)state;
    begin();
    gpa_arr *a = range(false, DIMS(5)), *to = list(3, (int64_t[]){9, 9, 9}), *mask, *count,
            *far = list(5, (int64_t[]){7, 0, 1, 7, 1});
    gpa_opnd odd[2] = {{.arr = a}, {.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = 2}}};
    node *value, *when, *place, *one, *before;
    OK(arr_ufunc(rt, OP_REMAINDER, odd, NULL, &mask, &err));
    OK(arr_scan(rt, &(arr_axis_reduction){RED_SUM, 0, DT_I64}, mask, &count, &err));
    OK(arr_node(rt, a, &value, &err));
    OK(opnd_node(rt, &(gpa_opnd){.arr = mask}, &(arr_spec){DT_BOOL, DIMS(5)}, &when, &err));
    OK(arr_node(rt, count, &place, &err));
    OK(node_scalar(rt, DT_I64, (gpa_val){.I64 = 1}, &one, &err));
    OK(node_op2(rt, OP_SUBTRACT, place, one, &before, &err));
    store_scatter_args what = {.index = &before,
                               .from = (int8_t[]){-1},
                               .ndim = 1,
                               .shape = (int64_t[]){5},
                               .value = value,
                               .mask = when};
    OK(store_scatter(rt, to, &what, &err));
    HOLDS(arr_retain(to), DIMS(3), 1, 3, 9);
    node_release(rt, place);
    node_release(rt, when);
    OK(arr_node(rt, far, &place, &err));
    OK(node_op2(rt, OP_LESS, place, one, &when, &err));
    what.index = &place;
    what.value = one;
    what.mask = when;
    what.add = true;
    OK(store_scatter(rt, to, &what, &err));
    HOLDS(arr_retain(to), DIMS(3), 2, 3, 9);
    node *all[] = {value, when, place, one, before};
    for (size_t k = 0; k < COUNT_OF(all); k++) node_release(rt, all[k]);
    gpa_arr *arrays[] = {a, to, mask, count, far};
    for (size_t k = 0; k < COUNT_OF(arrays); k++) arr_release(rt, arrays[k]);
    end();
}

/* Values read before a store keep the old contents. */
static void items(void **state) {
    (void)state;
    begin();
    gpa_arr *a = range(true, DIMS(2, 2)), *sum;
    gpa_val v;
    gpa_opnd in[2] = {{.arr = a}, {.weak = WEAK_INT, .dtype = DT_I64, .v = {.I64 = 10}}};
    OK(arr_ufunc(rt, OP_ADD, in, NULL, &sum, &err));
    OK(arr_set_item(rt, a, (int64_t[]){0, -1}, 2,
                    &(gpa_opnd){.dtype = DT_F64, .v = (gpa_val){.F64 = 99.5}}, &err));
    OK(arr_get_item(rt, a, (int64_t[]){-2, 1}, 2, &v, &err));
    assert_int_equal(v.I64, 99);
    OK(arr_get_item(rt, sum, (int64_t[]){0, 1}, 2, &v, &err));
    assert_int_equal(v.I64, 11);
    FAILS(arr_get_item(rt, a, (int64_t[]){0, 2}, 2, &v, &err), GPA_E_INDEX,
          "index 2 is out of bounds for axis 1 with size 2");
    FAILS(arr_item(rt, a, &v, &err), GPA_E_VALUE,
          "can only convert an array of size 1 to a Python scalar");
    arr_release(rt, a);
    arr_release(rt, sum);
    end();
}

/* ---- library calls ---- */

static void calls(void **state) {
    (void)state;
    begin();
    gpa_arr *a = range(false, DIMS(2, 3)), *b = range(true, DIMS(3, 2)),
            *v = list(3, (int64_t[]){1, -1, 2}), *r, *t, *z[2];
    OK(arr_matmul(rt, OPND(a), OPND(b), &r, &err));
    HOLDS(r, DIMS(2, 2), 10, 13, 28, 40);
    OK(arr_matmul(rt, OPND(v), OPND(v), &r, &err));
    HOLDS(r, SCALAR, 6);
    OK(arr_matmul(rt, OPND(v), OPND(b), &r, &err));
    HOLDS(r, DIMS(2), 6, 8);
    FAILS(arr_matmul(rt, OPND(a), OPND(a), &r, &err), GPA_E_VALUE,
          "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
          "(n?,k),(k,m?)->(n?,m?) (size "
          "2 is different from 3)");
    OK(arr_transpose(rt, b, NULL, &t, &err));
    OK(arr_concat(rt, &(arr_concatenation){.in = (gpa_arr *[]){a, t}, .n = 2, .dtype = DT_NONE}, &r,
                  &err));
    HOLDS(r, DIMS(4, 3), 0, 1, 2, 3, 4, 5, 0, 2, 4, 1, 3, 5);
    OK(arr_sort(rt, v, -1, &r, &err));
    HOLDS(r, DIMS(3), -1, 1, 2);
    OK(arr_argsort(rt, t, 0, &r, &err));
    HOLDS(r, DIMS(2, 3), 0, 0, 0, 1, 1, 1);
    OK(arr_nonzero(rt, a, z, &err));
    HOLDS(z[0], DIMS(5), 0, 0, 1, 1, 1);
    HOLDS(z[1], DIMS(5), 1, 2, 0, 1, 2);
    gpa_arr *all[] = {a, b, v, t};
    for (size_t k = 0; k < COUNT_OF(all); k++) arr_release(rt, all[k]);
    end();
}

static void empty_ones(void **state) {
    (void)state;
    begin();
    gpa_arr *a = range(false, DIMS(0, 3)), *r, *none = list(0, (int64_t[]){0}), *z[2];
    HOLDS(get(a, IX(ALL, INT(1))), DIMS(0), 0);
    HOLDS(get(a, IX(ARR(none), INT(0))), DIMS(0), 0);
    OK(arr_set(rt, a, &(gpa_indices){NULL, 0}, number(1), &err));
    gpa_arr *thin = range(false, DIMS(3, 0));
    OK(arr_matmul(rt, OPND(thin), OPND(a), &r, &err));
    HOLDS(r, DIMS(3, 3), 0, 0, 0, 0, 0, 0, 0, 0, 0);
    arr_release(rt, thin);
    OK(arr_sort(rt, a, 0, &r, &err));
    HOLDS(r, DIMS(0, 3), 0);
    OK(arr_nonzero(rt, a, z, &err));
    HOLDS(z[0], DIMS(0), 0);
    HOLDS(z[1], DIMS(0), 0);
    OK(arr_concat(
        rt, &(arr_concatenation){.in = (gpa_arr *[]){a, a}, .n = 2, .axis = 1, .dtype = DT_NONE},
        &r, &err));
    HOLDS(r, DIMS(0, 6), 0);
    arr_release(rt, a);
    arr_release(rt, none);
    end();
}

/* ---- memory ---- */

/* A mix of operations; stops at the first failure and releases its arrays. */
static gpa_code a_little(gpa_rt *r, gpa_err *e) {
    gpa_arr *a = NULL, *b = NULL, *m = NULL, *i = NULL, *got = NULL, *sorted = NULL, *z[2];
    gpa_code rc = GPA_OK;
    int64_t at[2] = {1, 0};
    TRY(arr_iota(r, 6, 0, 1, &a, e));
    TRY(arr_reshape(r, a, DIMS(2, 3), &b, e));
    TRY(arr_from(r, &(arr_spec){DT_BOOL, DIMS(2, 3)}, (uint8_t[]){1, 0, 1, 0, 1, 0}, &m, e));
    TRY(arr_from(r, &(arr_spec){DT_I64, DIMS(2)}, at, &i, e));
    TRY(arr_set(r, b, &(gpa_indices){IX(ARR(m))}, number(3), e));
    TRY(arr_set(r, b, &(gpa_indices){IX(ALL, ARR(i))}, OPND(i), e));
    TRY(arr_get(r, b, &(gpa_indices){IX(ARR(i))}, NULL, &got, e));
    TRY(arr_update_at(r, OP_ADD, b, &(gpa_indices){IX(ARR(i))}, OPND(got), e));
    TRY(arr_nonzero(r, m, z, e));
    arr_release(r, z[0]);
    arr_release(r, z[1]);
    TRY(arr_sort(r, b, 0, &sorted, e));
    arr_release(r, got);
    got = NULL;
    TRY(arr_get(r, b, &(gpa_indices){IX(ARR(m))}, NULL, &got, e));
    TRY(arr_read(r, got, (int64_t[6]){0}, e));
out:
    arr_release(r, a);
    arr_release(r, b);
    arr_release(r, m);
    arr_release(r, i);
    arr_release(r, got);
    arr_release(r, sorted);
    return rc;
}

static void short_of_memory(void **state) {
    (void)state;
    begin();
    gpa_code rc = GPA_E_MEMORY;
    uint64_t n = 1;
    for (; rc == GPA_E_MEMORY && n < 3000; n++) {
        gpa_err_clear(&err);
        mem_fail_at(n);
        rc = a_little(rt, &err);
        mem_fail_at(0);
    }
    OK(rc);
    assert_true(n > 20);
    end();
}

/* n elements 0 .. n - 1, and n indices of them, computed; the last index is `last`. There are too
 * many to check before the launch. */
static void gather_operands(int64_t n, int64_t last, gpa_arr **a, gpa_arr **index) {
    int64_t *v = test_malloc((size_t)n * sizeof *v);
    for (int64_t i = 0; i < n; i++) v[i] = i;
    OK(arr_from(rt, &(arr_spec){DT_I64, DIMS(n)}, v, index, &err));
    OK(arr_cast(rt, *index, DT_F64, false, a, &err));
    arr_release(rt, *index);
    v[n - 1] = last;
    OK(arr_from(rt, &(arr_spec){DT_I64, DIMS(n)}, v, index, &err));
    OK(arr_eval(rt, (gpa_arr *[]){*a, *index}, 2, &err));
    test_free(v);
}

/* Each value depends on both gathers, and on the value before twice: the time to find its errors
 * must not double with each iteration. */
static void deferred_errors_stay_flat(void **state) {
    (void)state;
    enum { N = 5000, TRIPS = 200 };
    gpa_arr *a, *b, *index, *other, *x, *w, *product, *mean, *next;
    double *got = test_malloc(N * sizeof *got);
    begin();
    gather_operands(N, N - 1, &a, &index);
    gather_operands(N, N - 2, &b, &other); /* different, or both gathers were one node */
    OK(arr_get(rt, a, &(gpa_indices){IX(ARR(index))}, NULL, &x, &err));
    OK(arr_get(rt, b, &(gpa_indices){IX(ARR(other))}, NULL, &w, &err));
    OK(arr_eval(rt, (gpa_arr *[]){x}, 1, &err));
    OK(arr_eval(rt, (gpa_arr *[]){w}, 1, &err));
    alarm(60);
    for (int i = 0; i < TRIPS; i++) {
        OK(arr_ufunc(rt, OP_MULTIPLY, (gpa_opnd[]){{.arr = x}, {.arr = w}}, NULL, &product, &err));
        OK(arr_mean(rt, product, NULL, &mean, &err));
        OK(arr_ufunc(rt, OP_SUBTRACT, (gpa_opnd[]){{.arr = x}, {.arr = mean}}, NULL, &next, &err));
        OK(arr_eval(rt, &next, 1, &err));
        arr_release(rt, product);
        arr_release(rt, mean);
        arr_release(rt, x);
        x = next;
    }
    OK(arr_read(rt, x, got, &err));
    alarm(0);
    arr_release(rt, x);
    arr_release(rt, w);
    arr_release(rt, a);
    arr_release(rt, b);
    arr_release(rt, index);
    arr_release(rt, other);
    test_free(got);
    end();
}

/* Every read of a value that depends on a launch that faulted fails, also if an allocation failed
 * while the fault was reported. */
static void deferred_errors_last(void **state) {
    (void)state;
    enum { N = 5000 };
    static const char words[] = "index 5000 is out of bounds for axis 0 with size 5000";
    gpa_arr *a, *index, *x, *y, *z;
    double *got = test_malloc(N * sizeof *got);
    begin();
    gather_operands(N, N, &a, &index);
    OK(arr_get(rt, a, &(gpa_indices){IX(ARR(index))}, NULL, &x, &err));
    OK(arr_eval(rt, &x, 1, &err));
    OK(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){{.arr = x}, {.arr = a}}, NULL, &y, &err));
    OK(arr_eval(rt, &y, 1, &err));
    OK(arr_ufunc(rt, OP_ADD, (gpa_opnd[]){{.arr = x}, {.arr = y}}, NULL, &z, &err));
    OK(arr_eval(rt, &z, 1, &err));
    mem_fail_at(1);
    gpa_code rc = arr_read(rt, a, got, &err);
    mem_fail_at(0);
    assert_int_equal(rc, GPA_E_INDEX);
    gpa_err_clear(&err);
    for (int i = 0; i < 2; i++) {
        FAILS(arr_read(rt, x, got, &err), GPA_E_INDEX, words);
        FAILS(arr_read(rt, y, got, &err), GPA_E_INDEX, words);
        FAILS(arr_read(rt, z, got, &err), GPA_E_INDEX, words);
    }
    OK(arr_read(rt, a, got, &err));
    arr_release(rt, x);
    arr_release(rt, y);
    arr_release(rt, z);
    arr_release(rt, a);
    arr_release(rt, index);
    test_free(got);
    end();
}

UNIT_TESTS(TEST(views), TEST(basic), TEST(masks_and_places), TEST(late_bounds), TEST(stores),
           TEST(numbers), TEST(masked_stores), TEST(scatters), TEST(scatters_where), TEST(items),
           TEST(calls), TEST(empty_ones), TEST(short_of_memory), TEST(deferred_errors_stay_flat),
           TEST(deferred_errors_last))
