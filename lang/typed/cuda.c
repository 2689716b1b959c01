/* @cuda.jit: kernel objects, launch configurations and launches.
 *
 * A kernel is compiled once for each combination of argument types. kernel[grid, block, stream,
 * shared] is a configured kernel; calling it launches the kernel.
 *
 * Reading order: options, launch configurations, argument types, launches, configured kernels,
 * the decorator. */
#include <string.h>

#include "runtime/tables/tuning.h"
#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/typed/cuda.h"

enum { FUNCTION, SIGNATURES, FIELDS };
enum { KERNEL, CONFIGURED_FIELDS };

/* Data of a kernel object, in addition to its fields. */
typedef struct {
    typed_fn *compiled;
    uint32_t flags; /* KIR_F_... flags of all its programs */
} kernel_data;

typedef struct {
    uint32_t grid[3], block[3], shared, stream;
} launch;

static const char *name_of(gpa_vm *vm, const object_obj *k) {
    return func_name(vm, k->fields[FUNCTION].func);
}

typed_fn *cuda_compiled(const object_obj *kernel) {
    const kernel_data *d = kernel->data;
    return d->compiled;
}

/* ---- launch configurations ---- */

/* Error message: Numba's words. */
static gpa_code not_configured(gpa_vm *vm) {
    return vm_fail(
        vm, GPA_E_VALUE,
        "\nKernel launch configuration was not specified. Use the "
        "syntax:\n\nkernel_function[blockspergrid, threadsperblock](arg0, arg1, ..., argn)\n\n"
        "See https://numba.readthedocs.io/en/stable/cuda/kernels.html#kernel-invocation for "
        "help.\n\n");
}

static gpa_code bad_dims(gpa_vm *vm, gpa_code code, const char *name, const char *what, value v) {
    gpa_str text;
    str_init(&text);
    value list = v_unset();
    gpa_code rc = v.tag == V_TUPLE || v.tag == V_LIST ? vm_collect(vm, v, &list)
                                                      : native_return(v_list(vm, 1, &v), &list);
    if (!rc) rc = vm_repr(vm, list, &text);
    value_release(vm, list);
    if (!rc) rc = vm_fail(vm, code, "%s must be a sequence of %s, got %s", name, what, text.text);
    str_free(&text);
    return rc;
}

static gpa_code read_dims(gpa_vm *vm, value v, const char *name, uint32_t out[3]) {
    bool sequence = v.tag == V_TUPLE || v.tag == V_LIST;
    size_t n = v.tag == V_TUPLE ? v.tuple->count : v.tag == V_LIST ? v.list->count : 1;
    const value *items = v.tag == V_TUPLE ? v.tuple->items : v.tag == V_LIST ? v.list->items : &v;
    if (sequence && n > 3) return bad_dims(vm, GPA_E_VALUE, name, "1, 2 or 3 integers", v);
    for (size_t i = 0; i < 3; i++) {
        int64_t one = 1;
        bool whole = i >= n || items[i].tag == V_INT || items[i].tag == V_BOOL ||
                     (items[i].tag == V_NUM && dtype_is_int((gpa_dtype)items[i].aux)) ||
                     items[i].tag == V_ARRAY;
        if (!whole) return bad_dims(vm, GPA_E_TYPE, name, "integers", v);
        if (i < n && arg_int(vm, items[i], name, &one)) {
            vm_clear_error(vm);
            return bad_dims(vm, GPA_E_TYPE, name, "integers", v);
        }
        if (one < 0 || one > UINT32_MAX)
            return vm_fail(vm, GPA_E_VALUE, "%s cannot be %lld", name, (long long)one);
        out[i] = (uint32_t)one;
    }
    return GPA_OK;
}

/* config: griddim, blockdim, stream, sharedmem. */
static gpa_code configure(gpa_vm *vm, value kernel, const value *config, value *out) {
    value grid = config[0], block = config[1], stream = config[2], shared = config[3];
    launch l = {0};
    int64_t bytes = 0;
    gpa_code rc = grid.tag == V_NONE || block.tag == V_NONE ? not_configured(vm) : GPA_OK;
    if (!rc) rc = read_dims(vm, grid, "griddim", l.grid);
    if (!rc) rc = read_dims(vm, block, "blockdim", l.block);
    if (!rc) rc = cuda_stream_number(vm, stream, &l.stream);
    if (!rc && shared.tag != V_UNSET) rc = arg_int(vm, shared, "sharedmem", &bytes);
    if (!rc && (bytes < 0 || bytes > INT32_MAX))
        rc = vm_fail(vm, GPA_E_VALUE, "sharedmem cannot be %lld bytes", (long long)bytes);
    if (rc) return rc;
    l.shared = (uint32_t)bytes;
    value o = v_object(vm, &cuda_configured_kind, CONFIGURED_FIELDS);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    if (!(o.object->data = mem_new(sizeof l))) {
        value_release(vm, o);
        return vm_no_memory(vm);
    }
    memcpy(o.object->data, &l, sizeof l);
    o.object->fields[KERNEL] = value_retain(kernel);
    *out = o;
    return GPA_OK;
}

/* ---- launches ---- */

/* Formats a line of the device printf buffer: numbers as Python's str(), or by the format
 * specification before each placeholder. */
static gpa_code format_printf_line(void *user, const char *text, uint32_t n, const uint8_t *types,
                                   const gpa_val *args) {
    gpa_vm *vm = user;
    gpa_str line;
    gpa_code rc = GPA_OK;
    uint32_t i = 0;
    str_init(&line);
    for (const char *p = text; *p && !rc; p++) {
        if ((*p != '\1' && *p != '\2') || i == n) {
            str_putc(&line, *p);
            continue;
        }
        const char *spec = p + (*p == '\2');
        while (*p != '\1') p++;
        value v = v_num(vm, (gpa_dtype)types[i], args[i]);
        if (v.tag == V_UNSET)
            rc = GPA_E_MEMORY;
        else
            rc =
                p > spec ? vm_format(vm, v, spec, (size_t)(p - spec), &line) : vm_str(vm, v, &line);
        value_release(vm, v);
        i++;
    }
    if (!rc && line.failed) rc = vm_no_memory(vm);
    if (!rc) rc = vm_write(vm, false, line.text, line.len);
    str_free(&line);
    return rc;
}

/* Arguments of a call: the types of all, the arrays, the scalars. */
typedef struct {
    typed_ty types[BODY_MAX_IN];
    gpa_arr *arrays[KIR_MAX_ARRAYS];
    gpa_opnd numbers[2 * BODY_MAX_IN];
    int n, n_arrays, n_numbers;
} arguments;

static gpa_code read_argument(gpa_vm *vm, const object_obj *k, value v, int i, arguments *a);

/* Appends a tuple: a mark, then its items. */
static gpa_code read_tuple(gpa_vm *vm, const object_obj *k, const tuple_obj *t, int i,
                           arguments *a) {
    gpa_code rc = GPA_OK;
    if (t->count > (size_t)(BODY_MAX_IN - a->n))
        return vm_fail(vm, GPA_E_UNSUPPORTED,
                       "a kernel has at most %d arguments, those in tuples counted", BODY_MAX_IN);
    a->types[a->n++] = (typed_ty){.dtype = DT_NONE, .mark = (uint8_t)(TYPED_TUPLE + t->count)};
    for (size_t m = 0; m < t->count && !rc; m++) rc = read_argument(vm, k, t->items[m], i, a);
    return rc;
}

static gpa_code not_argument(gpa_vm *vm, const object_obj *k, value v, int i) {
    gpa_code rc = vm_fail(vm, GPA_E_TYPE,
                          "argument %d of kernel %s: a kernel takes arrays, numbers, None and "
                          "tuples of these, not a '%s'",
                          i, name_of(vm, k), value_type_name(v));
    if (v.tag == V_LIST) gpa_err_hint(vm_err(vm), "np.array(...) makes an array of a list");
    return rc;
}

/* Appends argument i, counted from 1 (for messages). */
static gpa_code read_argument(gpa_vm *vm, const object_obj *k, value v, int i, arguments *a) {
    if (a->n == BODY_MAX_IN)
        return vm_fail(vm, GPA_E_UNSUPPORTED,
                       "a kernel has at most %d arguments, those in tuples counted", BODY_MAX_IN);
    if (v.tag == V_ARRAY && !v.aux) {
        if (v.array->arr->ndim > KIR_MAX_DIMS)
            return vm_fail(vm, GPA_E_UNSUPPORTED,
                           "compiled functions take arrays of at most %d dimensions, not %d",
                           KIR_MAX_DIMS, v.array->arr->ndim);
        a->arrays[a->n_arrays++] = v.array->arr;
        a->types[a->n++] = typed_of_array(v.array->arr);
        return GPA_OK;
    }
    if (v.tag == V_TUPLE) return read_tuple(vm, k, v.tuple, i, a);
    if (v.tag == V_NONE) {
        a->types[a->n++] = (typed_ty){.dtype = DT_NONE, .mark = TYPED_NONE};
        return GPA_OK;
    }
    bool number = v.tag == V_BOOL || v.tag == V_INT || v.tag == V_FLOAT || v.tag == V_NUM ||
                  v.tag == V_COMPLEX || v.tag == V_ARRAY;
    if (!number) return not_argument(vm, k, v, i);
    value now = v_unset();
    gpa_code rc = value_computed(vm, v, &now);
    if (!rc) rc = arg_opnd(vm, now, &a->numbers[a->n_numbers]);
    value_release(vm, now);
    if (!rc) a->types[a->n++] = typed_of(&a->numbers[a->n_numbers++]);
    return rc;
}

static gpa_code read_arguments(gpa_vm *vm, const object_obj *k, const call_args *given,
                               arguments *a) {
    value bound[BODY_MAX_IN];
    int count = 0;
    gpa_code rc = typed_bind(vm, k->fields[FUNCTION].func, given, bound, &count);
    a->n = a->n_arrays = a->n_numbers = 0;
    for (int i = 0; i < count && !rc; i++) rc = read_argument(vm, k, bound[i], i + 1, a);
    return rc;
}

/* Match of the arguments with a signature: none, by a same-kind cast, by a safe cast, exact. */
enum { FITS_NOT, FITS_KIND, FITS_SAFE, FITS_EXACTLY };

static int fit(const gpa_opnd *number, typed_ty have, typed_ty want) {
    if (have.mark) return FITS_NOT;
    if (have.rank || want.rank)
        return have.rank == want.rank && have.dtype == want.dtype ? FITS_EXACTLY : FITS_NOT;
    gpa_dtype from = (gpa_dtype)have.dtype, to = (gpa_dtype)want.dtype;
    if (from == to) return FITS_EXACTLY;
    if (have.weak ? dtype_of_weak(number->weak, to) == to : dtype_can_cast(from, to, CAST_SAFE))
        return FITS_SAFE;
    return dtype_can_cast(from, to, CAST_SAME_KIND) ? FITS_KIND : FITS_NOT;
}

static int fit_all(const arguments *a, const typed_signature *s) {
    int worst = s->n == a->n ? FITS_EXACTLY : FITS_NOT, number = 0;
    for (int i = 0; i < a->n && worst; i++) {
        worst = MIN(worst, fit(&a->numbers[number], a->types[i], s->args[i]));
        number += a->types[i].dtype != DT_NONE && !a->types[i].rank;
    }
    return worst;
}

/* Error message: Numba's words. */
static gpa_code no_match(gpa_vm *vm, const arguments *a) {
    gpa_str have;
    str_init(&have);
    typed_print_types(a->types, a->n, &have);
    gpa_code rc =
        vm_fail(vm, GPA_E_TYPE, "No matching definition for argument type(s) %s", have.text);
    str_free(&have);
    return rc;
}

/* Overload resolution: casts the scalars to the types of the best-matching signature, the first
 * of equals. */
static gpa_code match_signature(gpa_vm *vm, const object_obj *k, arguments *a) {
    value list = k->fields[SIGNATURES];
    typed_signature s, best = {0};
    int how = FITS_NOT, number = 0;
    if (list.tag != V_LIST) return GPA_OK;
    for (size_t i = 0; i < list.list->count; i++) {
        gpa_code rc = typed_read_signature(vm, list.list->items[i], &s);
        if (rc) return rc;
        int now = fit_all(a, &s);
        if (now > how) how = now, best = s;
    }
    if (how == FITS_NOT) return no_match(vm, a);
    for (int i = 0; i < a->n; i++) {
        if (a->types[i].rank) continue;
        gpa_dtype t = (gpa_dtype)best.args[i].dtype;
        gpa_opnd *o = &a->numbers[number++];
        gpa_val v = dtype_cast(o->v, o->dtype, t);
        if (dtype_is_int(t) && o->weak == WEAK_INT &&
            (dtype_cast(v, t, DT_I64).I64 != o->v.I64 || (t == DT_U64 && o->v.I64 < 0)))
            return vm_fail(vm, GPA_E_OVERFLOW, "Python integer %lld out of bounds for %s",
                           (long long)o->v.I64, dtype_info[t].name);
        *o = (gpa_opnd){.v = v, .dtype = t};
        a->types[i] = (typed_ty){.dtype = (uint8_t)t};
    }
    return GPA_OK;
}

static gpa_code find_program(gpa_vm *vm, object_obj *k, const arguments *a, typed_fn **out) {
    kernel_data *d = k->data;
    gpa_code rc = typed_get(
        vm, &d->compiled, k->fields[FUNCTION].func,
        &(typed_request){.form = TYPED_KERNEL, .args = a->types, .n = a->n, .result = DT_NONE},
        out);
    if (!rc) (*out)->f->flags |= d->flags;
    return rc;
}

static gpa_code run(gpa_vm *vm, object_obj *k, const launch *l, const call_args *given) {
    arguments a;
    typed_fn *t;
    gpa_val params[2 * BODY_MAX_IN];
    gpa_code rc = read_arguments(vm, k, given, &a);
    if (!rc) rc = match_signature(vm, k, &a);
    if (!rc) rc = find_program(vm, k, &a, &t);
    if (!rc) rc = typed_numbers(vm, t, a.numbers + a.n_numbers);
    if (rc) return rc;
    typed_arrays(vm, t, a.arrays + a.n_arrays);
    for (size_t i = 0; i < t->f->n_params; i++)
        params[i] = dtype_cast(a.numbers[i].v, a.numbers[i].dtype, (gpa_dtype)t->f->params[i]);
    arr_program p = {.arrays = a.arrays,
                     .params = params,
                     .shared = l->shared,
                     .stream = l->stream,
                     .cache = &t->cache,
                     .print = format_printf_line,
                     .user = vm};
    memcpy(p.grid, l->grid, sizeof p.grid);
    memcpy(p.block, l->block, sizeof p.block);
    return arr_run(vm_rt(vm), t->f, &p, vm_err(vm));
}

/* ---- configured kernels ---- */

static gpa_code call_configured(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    *out = v_none();
    return run(vm, o->fields[KERNEL].object, o->data, a);
}

static void free_configured(gpa_vm *vm, object_obj *o) {
    (void)vm;
    mem_free(o->data);
}

const object_kind cuda_configured_kind = {.type_name = "numba.cuda.LaunchConfiguration",
                                          .free = free_configured,
                                          .call = call_configured};

static gpa_code call_kernel(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    (void)o, (void)a, (void)out;
    return not_configured(vm);
}

static gpa_code item_of_kernel(gpa_vm *vm, object_obj *o, value key, value *out) {
    size_t n = key.tag == V_TUPLE ? key.tuple->count : 0;
    if (n < 2 || n > 4)
        return vm_fail(vm, GPA_E_VALUE, "must specify at least the griddim and blockdim");
    const value *k = key.tuple->items;
    const value config[] = {k[0], k[1], n > 2 ? k[2] : v_unset(), n > 3 ? k[3] : v_unset()};
    return configure(vm, v_obj(V_OBJECT, o), config, out);
}

static void free_kernel(gpa_vm *vm, object_obj *o) {
    kernel_data *d = o->data;
    if (d) typed_free_all(vm, d->compiled);
    mem_free(d);
}

static gpa_code repr_kernel(gpa_vm *vm, object_obj *o, gpa_str *out) {
    str_printf(out, "<kernel %s>", name_of(vm, o));
    return GPA_OK;
}

const object_kind cuda_kernel_kind = {.type_name = "numba.cuda.Kernel",
                                      .free = free_kernel,
                                      .call = call_kernel,
                                      .getitem = item_of_kernel,
                                      .repr = repr_kernel};

/* Objects such as cuda.threadIdx. Only kernels read their attributes (intrinsics.def). */
#define INDEX_OBJECT(id) const object_kind cuda_##id##_kind
INDEX_OBJECT(threadidx) = {.type_name = "numba.cuda.threadIdx"};
INDEX_OBJECT(blockidx) = {.type_name = "numba.cuda.blockIdx"};
INDEX_OBJECT(blockdim) = {.type_name = "numba.cuda.blockDim"};
INDEX_OBJECT(griddim) = {.type_name = "numba.cuda.gridDim"};
INDEX_OBJECT(laneid) = {.type_name = "numba.cuda.laneid"};
INDEX_OBJECT(warpsize) = {.type_name = "numba.cuda.warpsize"};
#undef INDEX_OBJECT

gpa_code cuda_configure(gpa_vm *vm, value *argv, value *out) {
    return configure(vm, argv[0], argv + 1, out);
}

gpa_code cuda_forall(gpa_vm *vm, value *argv,
                     value *out) { /* self, ntasks, tpb, stream, sharedmem */
    int64_t n, tpb;
    gpa_code rc = arg_int(vm, argv[1], "ntasks", &n);
    if (!rc) rc = arg_int(vm, argv[2], "tpb", &tpb);
    if (!rc && n < 0)
        rc = vm_fail(vm, GPA_E_VALUE, "Can't create ForAll with negative task count: %lld",
                     (long long)n);
    if (rc) return rc;
    if (tpb <= 0) tpb = TUNE_KERNEL_DEFAULT_BLOCK_THREADS;
    int64_t blocks = n / tpb + (n % tpb != 0);
    const value config[] = {v_int(blocks ? blocks : 1), v_int(tpb), argv[3], argv[4]};
    return configure(vm, argv[0], config, out);
}

gpa_code cuda_py_func(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0].object->fields[FUNCTION]);
    return GPA_OK;
}

gpa_code cuda_kernel_name(gpa_vm *vm, value *argv, value *out) {
    return native_return(v_cstr(vm, name_of(vm, argv[0].object)), out);
}

gpa_code cuda_only_in_kernels(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return vm_fail(vm, GPA_E_UNSUPPORTED, "this works in kernels only: functions under @cuda.jit");
}

gpa_code cuda_this_grid(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return vm_fail(vm, GPA_E_UNSUPPORTED,
                   "kernels have no grid-wide barrier: split the work into two kernels");
}

/* ---- the decorator ---- */

static gpa_code truth_of(gpa_vm *vm, value options, const char *name, bool unset, bool *out) {
    value v = options.tag == V_DICT ? dict_text_peek(vm, options.dict, name) : v_unset();
    *out = unset;
    return v.tag == V_UNSET || v.tag == V_NONE ? GPA_OK : value_truth(vm, v, out);
}

static gpa_code read_options(gpa_vm *vm, value options, kernel_data *d) {
    bool fast = false, checked = true, lines = false;
    int64_t registers = 0;
    value most =
        options.tag == V_DICT ? dict_text_peek(vm, options.dict, "max_registers") : v_unset();
    gpa_code rc = truth_of(vm, options, "fastmath", false, &fast);
    if (!rc) rc = truth_of(vm, options, "boundscheck", true, &checked);
    if (!rc) rc = truth_of(vm, options, "lineinfo", false, &lines);
    if (!rc && most.tag != V_UNSET && most.tag != V_NONE)
        rc = arg_int(vm, most, "max_registers", &registers);
    if (!rc && (registers < 0 || registers > 255))
        rc = vm_fail(vm, GPA_E_VALUE, "max_registers is at most 255, not %lld",
                     (long long)registers);
    d->flags = (fast ? KIR_F_FASTMATH : 0u) | (checked ? 0u : KIR_F_UNCHECKED) |
               (lines ? KIR_F_LINES : 0u) | (uint32_t)registers * KIR_F_REGISTERS;
    return rc;
}

/* Compiles for each signature eagerly, so that type errors are raised at the definition. */
static gpa_code compile_signatures(gpa_vm *vm, object_obj *o) {
    kernel_data *d = o->data;
    value list = o->fields[SIGNATURES];
    gpa_code rc = GPA_OK;
    for (size_t i = 0; list.tag == V_LIST && i < list.list->count && !rc; i++) {
        typed_signature s;
        typed_fn *t;
        rc = typed_signature_for(vm, o->fields[FUNCTION].func, list, i, &s);
        for (int k = 0; k < s.n && !rc; k++)
            s.args[k].unit_stride =
                s.args[k].rank > 1; /* most arrays have unit stride along the last axis */
        if (!rc)
            rc = typed_get(
                vm, &d->compiled, o->fields[FUNCTION].func,
                &(typed_request){.form = TYPED_KERNEL, .args = s.args, .n = s.n, .result = DT_NONE},
                &t);
    }
    return rc;
}

static gpa_code make(gpa_vm *vm, value fn, value signatures, value options, value *out) {
    if (fn.tag != V_FUNC)
        return vm_fail(vm, GPA_E_TYPE, "@cuda.jit takes a function, not '%s'", value_type_name(fn));
    value o = v_object(vm, &cuda_kernel_kind, FIELDS);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = (o.object->data = mem_zero(sizeof(kernel_data)))
                      ? read_options(vm, options, o.object->data)
                      : vm_no_memory(vm);
    o.object->fields[FUNCTION] = value_retain(fn);
    o.object->fields[SIGNATURES] = value_retain(signatures);
    if (!rc) rc = compile_signatures(vm, o.object);
    return native_finish(vm, rc, o, out);
}

/* The types of `values`, a tuple, as the argument types of a signature: a list of one (owned). */
static gpa_code signature_of_values(gpa_vm *vm, value values, value *list) {
    value types = v_tuple(vm, values.tuple->count, values.tuple->items);
    if (types.tag == V_UNSET) return GPA_E_MEMORY;
    gpa_code rc = GPA_OK;
    for (size_t i = 0; i < types.tuple->count && !rc; i++) {
        value type;
        if ((rc = numba_typeof(vm, &types.tuple->items[i], &type))) break;
        value_release(vm, types.tuple->items[i]);
        types.tuple->items[i] = type;
    }
    if (!rc) rc = typed_signatures(vm, types, list);
    value_release(vm, types);
    return rc;
}

gpa_code cuda_specialize(gpa_vm *vm, value *argv, value *out) { /* self, *args */
    object_obj *k = argv[0].object;
    value signatures;
    if (k->fields[SIGNATURES].tag == V_LIST)
        return vm_fail(vm, GPA_E_RUNTIME, "Dispatcher already specialized");
    gpa_code rc = signature_of_values(vm, argv[1], &signatures);
    if (rc) return rc;
    rc = make(vm, k->fields[FUNCTION], signatures, v_none(), out);
    value_release(vm, signatures);
    if (!rc) ((kernel_data *)out->object->data)->flags = ((kernel_data *)k->data)->flags;
    return rc;
}

gpa_code cuda_specialized(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = v_bool(argv[0].object->fields[SIGNATURES].tag == V_LIST);
    return GPA_OK;
}

/* The decorator object that @cuda.jit(...) returns; called with the function. */
enum { WITH_SIGNATURES, WITH_DEVICE, WITH_OPTIONS, WITH_FIELDS };

static gpa_code call_with(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    if (a->n != 1 || a->n_named)
        return vm_fail(vm, GPA_E_TYPE, "a decorator takes the function alone");
    if (!o->fields[WITH_DEVICE].i)
        return make(vm, a->values[0], o->fields[WITH_SIGNATURES], o->fields[WITH_OPTIONS], out);
    if (o->fields[WITH_SIGNATURES].tag == V_LIST)
        return jitted_new(vm, a->values[0], o->fields[WITH_SIGNATURES], true, out);
    *out = value_retain(a->values[0]);
    return GPA_OK;
}

static const object_kind jit_with_kind = {.type_name = "numba.cuda.jit", .call = call_with};

gpa_code cuda_jit(gpa_vm *vm, value *argv,
                  value *out) { /* func_or_sig, argtypes, device, **options */
    bool device;
    gpa_code rc = value_truth(vm, argv[2], &device);
    if (rc) return rc;
    if (argv[0].tag == V_FUNC && device) {
        *out = value_retain(argv[0]);
        return GPA_OK;
    }
    if (argv[0].tag == V_FUNC) return make(vm, argv[0], v_none(), argv[3], out);
    value o = v_object(vm, &jit_with_kind, WITH_FIELDS);
    if (o.tag == V_UNSET) return GPA_E_MEMORY;
    if ((rc = typed_signatures(vm, argv[1].tag != V_UNSET ? argv[1] : argv[0],
                               &o.object->fields[WITH_SIGNATURES]))) {
        value_release(vm, o);
        return rc;
    }
    o.object->fields[WITH_DEVICE] = v_bool(device);
    o.object->fields[WITH_OPTIONS] = value_retain(argv[3]);
    *out = o;
    return GPA_OK;
}
