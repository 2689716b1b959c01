/* Execution of compiled loops of jitted functions: specialization, launch, write-back of
 * results.
 *
 * The types of the frame's variables when the loop is reached, and the identity of functions and
 * modules among them, select the compiled specialization. Its results are assigned to the
 * frame's variables.
 *
 * Reading order: inputs, specializations, the launch, results, lift_run. */
#include "lang/typed/lift.h"

#include <stddef.h>
#include <string.h>

#include "runtime/tables/tuning.h"
#include "lang/compile/code.h"
#include "lang/typed/loop.h"

/* ---- inputs ---- */

typedef struct {
    loop_in *in; /* of every variable; values borrowed from the frame */
    int n, n_over;
    bool over_array,
        needs_interpreter; /* needs_interpreter: only the interpreter can run the loop */
    int64_t step, trip_count;
    typed_ty type[BODY_MAX_IN]; /* types of the n leaves */
    gpa_opnd leaf[BODY_MAX_IN]; /* their values (owned) */
} loop_inputs;

static gpa_code add_leaf(gpa_vm *vm, loop_inputs *x, value v, bool *taken) {
    value now = v_unset();
    *taken = false;
    if (x->n == BODY_MAX_IN) {
        x->needs_interpreter = true;
        return GPA_OK;
    }
    gpa_opnd *to = &x->leaf[x->n];
    *to = (gpa_opnd){.arr = NULL};
    gpa_code rc = value_computed(vm, v, &now);
    if (rc) return rc;
    bool array = now.tag == V_ARRAY;
    bool number = now.tag == V_BOOL || now.tag == V_INT || now.tag == V_FLOAT || now.tag == V_NUM ||
                  now.tag == V_COMPLEX;
    if (array || number) rc = arg_opnd(vm, now, to);
    value_release(vm, now);
    if (rc || !(array || number)) return rc;
    if (array && to->arr->ndim > KIR_MAX_DIMS) x->needs_interpreter = true;
    x->type[x->n++] = array ? typed_of_array(to->arr) : typed_of(to);
    *taken = true;
    return GPA_OK;
}

/* Adds a variable: a number, an array, a tuple of these, or a compile-time constant. */
static gpa_code add_variable(gpa_vm *vm, loop_inputs *x, value v, bool written, loop_in *in) {
    bool taken;
    gpa_code rc = GPA_OK;
    *in = (loop_in){.kind = IN_UNBOUND};
    if (v.tag == V_UNSET) return GPA_OK;
    if (v.tag == V_TUPLE) {
        in->kind = IN_TUPLE;
        in->n = (uint8_t)MIN(v.tuple->count, (size_t)TYPED_MAX_TUPLE + 1);
        x->needs_interpreter = x->needs_interpreter || in->n > TYPED_MAX_TUPLE;
        for (int i = 0; i < in->n && !rc && !x->needs_interpreter; i++) {
            rc = add_leaf(vm, x, v.tuple->items[i], &taken);
            x->needs_interpreter = x->needs_interpreter || !taken;
        }
        return rc;
    }
    rc = add_leaf(vm, x, v, &taken);
    in->kind = taken ? IN_VALUE : IN_STATIC;
    bool fixed = v.tag == V_FUNC || v.tag == V_NATIVE || v.tag == V_UFUNC || v.tag == V_TYPE ||
                 v.tag == V_DTYPE || v.tag == V_MODULE || v.tag == V_OBJECT || v.tag == V_NONE;
    if (!taken && written)
        in->kind = IN_UNBOUND;
    else if (!taken && !fixed)
        x->needs_interpreter = true;
    if (in->kind == IN_STATIC) in->constant = v;
    return rc;
}

static gpa_code add_over(gpa_vm *vm, const typed_lift *l, loop_inputs *x, value it) {
    bool taken;
    gpa_code rc;
    if (l->loop->kind == AST_WHILE) return GPA_OK;
    if (it.tag == V_ARRAY && !l->parallel) {
        x->over_array = true;
        x->n_over = 1;
        rc = add_leaf(vm, x, it, &taken);
        x->needs_interpreter = x->needs_interpreter || !taken || x->type[x->n - 1].rank < 2;
        return rc;
    }
    if (it.tag != V_RANGE) {
        x->needs_interpreter = true;
        return GPA_OK;
    }
    const range_obj *r = it.range;
    uint64_t span = r->step > 0 ? (uint64_t)r->stop - (uint64_t)r->start
                                : (uint64_t)r->start - (uint64_t)r->stop;
    uint64_t by = r->step > 0 ? (uint64_t)r->step : 0 - (uint64_t)r->step;
    bool none = r->step > 0 ? r->start >= r->stop : r->start <= r->stop;
    x->trip_count = none ? 0 : (int64_t)((span - 1) / by + 1);
    x->step = r->step;
    x->n_over = 2;
    rc = add_leaf(vm, x, v_int(r->start), &taken);
    return rc ? rc : add_leaf(vm, x, v_int(l->parallel ? x->trip_count : r->stop), &taken);
}

static gpa_code collect_inputs(gpa_vm *vm, const typed_lift *l, const value *slots, value it,
                               loop_inputs *x) {
    gpa_code rc = GPA_OK;
    x->in = mem_zero(l->n * sizeof *x->in);
    if (!x->in) return vm_no_memory(vm);
    for (uint32_t i = 0; i < l->n && !rc && !x->needs_interpreter; i++) {
        bool written = l->use[i] & USE_WRITTEN,
             private = l->parallel && written && l->role[i] == ROLE_PRIVATE;
        if (l->use[i] & (USE_READ | USE_WRITTEN) && !private)
            rc = add_variable(vm, x, slots[i], written, &x->in[i]);
    }
    return rc || x->needs_interpreter ? rc : add_over(vm, l, x, it);
}

static void release_inputs(gpa_vm *vm, loop_inputs *x) {
    for (int i = 0; i < x->n; i++) arg_opnd_release(vm, &x->leaf[i]);
    mem_free(x->in);
}

/* ---- specializations ---- */

static bool same_in(const loop_in *a, const loop_in *b) {
    return a->kind == b->kind && a->n == b->n &&
           (a->kind != IN_STATIC || value_is(a->constant, b->constant));
}

/* True if every captured variable of the compiled loop is a captured variable of this closure. */
static bool same_cells(const typed_fn *t, const func_obj *fn) {
    for (size_t i = 0; i < t->n_deps; i++) {
        bool found = t->deps[i].module != NULL;
        for (uint32_t k = 0; k < fn->n_free && !found; k++)
            found = fn->free[k].cell == t->deps[i].cell.cell;
        if (!found) return false;
    }
    return true;
}

static bool matches(gpa_vm *vm, const loop_fn *f, const func_obj *fn, const loop_inputs *x,
                    bool strided) {
    bool same = f->base.n_args == x->n && f->over_array == x->over_array && f->step == x->step &&
                f->strided == strided;
    if (same && f->result_memory)
        same = strcmp(arr_device(vm_rt(vm), f->result_memory), rt_device(vm_rt(vm))) == 0;
    for (int i = 0; i < x->n && same; i++) same = typed_same_type(f->base.args[i], x->type[i]);
    for (uint32_t i = 0; i < f->of->n && same; i++) same = same_in(&f->in[i], &x->in[i]);
    return same && same_cells(&f->base, fn) && typed_guards_hold(vm, &f->base);
}

static void free_loop(gpa_vm *vm, loop_fn *f) {
    typed_clear(vm, &f->base);
    for (uint32_t i = 0; f->in && i < f->of->n; i++) value_release(vm, f->in[i].constant);
    for (int i = 0; i < f->n_results; i++) arr_release(vm_rt(vm), f->result_view[i]);
    arr_release(vm_rt(vm), f->result_memory);
    mem_free(f->in);
    mem_free(f->out);
    mem_free(f->types);
    mem_free(f);
}

/* Allocates the results of a sequential loop: 16 bytes each in one array, with a view of the
 * result's dtype. */
static gpa_code make_result_memory(gpa_vm *vm, loop_fn *f) {
    gpa_rt *rt = vm_rt(vm);
    int64_t n = f->n_results;
    if (f->of->parallel || n == 0) return GPA_OK;
    gpa_code rc = arr_empty(rt, &(arr_spec){DT_C128, 1, &n}, &f->result_memory, vm_err(vm));
    if (!rc) rc = arr_eval(rt, &f->result_memory, 1, vm_err(vm));
    for (int i = 0; i < n && !rc; i++) {
        gpa_arr *as;
        rc = arr_reinterpret(rt, f->result_memory, (gpa_dtype)f->result[i].dtype, &as, vm_err(vm));
        if (rc) break;
        rc = arr_view(rt, as,
                      &(arr_layout){(gpa_dtype)as->dtype, 0, NULL, NULL,
                                    i * (int64_t)(sizeof(gpa_c128) /
                                                  dtype_size((gpa_dtype)f->result[i].dtype))},
                      &f->result_view[i], vm_err(vm));
        arr_release(rt, as);
    }
    return rc;
}

static gpa_code compile(gpa_vm *vm, typed_lift *l, func_obj *fn, loop_inputs *x, bool strided,
                        loop_fn **out) {
    bool host = false;
    loop_fn *f = mem_zero(sizeof *f);
    if (!f) return vm_no_memory(vm);
    gpa_code rc = GPA_OK;
    f->of = l;
    f->in = x->in;
    x->in = NULL;
    for (uint32_t i = 0; i < l->n; i++)
        f->in[i].constant = f->in[i].kind == IN_STATIC ? value_retain(f->in[i].constant) : v_none();
    f->out = mem_zero((l->n + 1) * sizeof *f->out);
    f->types = mem_zero((l->n + 1) * sizeof *f->types);
    if (!f->out || !f->types) TRY(vm_no_memory(vm));
    f->over_array = x->over_array;
    f->n_over = x->n_over;
    f->step = x->step;
    f->strided = strided;
    f->base.form = TYPED_LOOP;
    f->base.n_args = x->n;
    memcpy(f->base.args, x->type, (size_t)x->n * sizeof *x->type);
    TRY(typed_compile_fixed_point(vm, fn, &f->base, &host));
    TRY(make_result_memory(vm, f));
    l->random_sources |= f->random_sources;
    f->next = l->compiled;
    *out = l->compiled = f;
    return GPA_OK;
out:
    free_loop(vm, f);
    host = host || (rc == GPA_E_UNSUPPORTED && !l->parallel); /* a limit of compiled loops alone */
    if (host && rc != GPA_E_MEMORY && rc != GPA_E_INTERRUPT) {
        vm_clear_error(vm);
        l->interpreted = true;
        rc = GPA_OK;
    }
    *out = NULL;
    return rc;
}

/* Finds or compiles the specialization; *out NULL: the interpreter runs the loop. */
static gpa_code find_specialization(gpa_vm *vm, typed_lift *l, func_obj *fn, loop_inputs *x,
                                    loop_fn **out) {
    bool strided = l->parallel && rt_is_gpu(vm_rt(vm));
    gpa_code rc = GPA_OK;
    for (int d = LOOP_RANDOM_NUMPY; d <= LOOP_RANDOM_PYTHON && !rc; d++)
        if (l->random_sources >> d & 1) rc = loop_prepare_random(vm, d, strided);
    if (rc) return rc;
    for (loop_fn **at = &l->compiled; *at; at = &(*at)->next) {
        loop_fn *f = *at;
        if (!matches(vm, f, fn, x, strided)) continue;
        *at = f->next;
        f->next = l->compiled;
        *out = l->compiled = f;
        return GPA_OK;
    }
    return compile(vm, l, fn, x, strided, out);
}

/* ---- the launch ---- */

/* Appends the values of global and captured numbers. */
static gpa_code append_numbers(gpa_vm *vm, const loop_fn *f, gpa_val *params, int n) {
    gpa_opnd more[BODY_MAX_IN] = {0};
    gpa_code rc = typed_numbers(vm, &f->base, more);
    for (int i = 0; i < n && !rc; i++) params[i] = more[i].v;
    return rc;
}

/* Operands of a launch: the arrays in order, the parameters, and the scratch arrays (owned). */
typedef struct {
    gpa_arr *arrays[2 * KIR_MAX_ARRAYS];
    gpa_val params[2 * BODY_MAX_IN];
    int n_arrays;
    int64_t elements[LOOP_MAX_SCRATCH]; /* of the scratch arrays, for one worker */
    gpa_arr *scratch[LOOP_MAX_SCRATCH];
} launch;

static gpa_code bind_inputs(gpa_vm *vm, loop_fn *f, const loop_inputs *x, launch *l) {
    int n_params = 0;
    l->n_arrays = 0;
    memset(l->scratch, 0, sizeof l->scratch);
    for (int i = 0; i < x->n; i++) {
        if (x->type[i].rank)
            l->arrays[l->n_arrays++] = x->leaf[i].arr;
        else
            l->params[n_params++] = x->leaf[i].v;
    }
    int more = (int)f->base.f->n_params - n_params;
    gpa_code rc = more ? append_numbers(vm, f, l->params + n_params, more) : GPA_OK;
    if (rc) return rc;
    l->n_arrays += typed_arrays(vm, &f->base, l->arrays + l->n_arrays);
    return loop_scratch_sizes(vm, f, l->arrays, l->params, l->elements);
}

static int64_t scratch_bytes(const loop_fn *f, const launch *l) {
    int64_t bytes = 0;
    for (int i = 0; i < f->n_scratch; i++) {
        gpa_dtype t = (gpa_dtype)f->base.f->arrays[f->scratch[i].array].dtype;
        if (__builtin_add_overflow(bytes, l->elements[i] * (int64_t)dtype_size(t), &bytes))
            return INT64_MAX;
    }
    return bytes;
}

static gpa_code allocate_scratch(gpa_vm *vm, const loop_fn *f, launch *l, int64_t workers) {
    gpa_code rc = GPA_OK;
    for (int i = 0; i < f->n_scratch && !rc; i++) {
        gpa_dtype t = (gpa_dtype)f->base.f->arrays[f->scratch[i].array].dtype;
        int64_t n = MAX(l->elements[i] * workers, 1);
        rc = arr_empty(vm_rt(vm), &(arr_spec){t, 1, &n}, &l->scratch[i], vm_err(vm));
        l->arrays[l->n_arrays++] = l->scratch[i];
    }
    return rc;
}

static void release_scratch(gpa_vm *vm, const loop_fn *f, const launch *l) {
    for (int i = 0; i < f->n_scratch; i++) arr_release(vm_rt(vm), l->scratch[i]);
}

/* Launches with *workers, or (NULL) as one thread. */
static gpa_code run_program(gpa_vm *vm, loop_fn *f, launch *l, gpa_arr *const *results,
                            const int64_t *workers) {
    gpa_code rc = allocate_scratch(vm, f, l, workers ? *workers : 1);
    for (int i = 0; i < f->n_results; i++) l->arrays[l->n_arrays++] = results[i];
    arr_program p = {
        .arrays = l->arrays, .params = l->params, .size = workers, .cache = &f->base.cache};
    return rc ? rc : arr_run(vm_rt(vm), f->base.f, &p, vm_err(vm));
}

/* ---- results ---- */

static value as_value(gpa_vm *vm, typed_ty t, gpa_val v) {
    if (!t.weak) return v_num(vm, (gpa_dtype)t.dtype, v);
    if (t.dtype == DT_BOOL) return v_bool(v.BOOL);
    if (t.dtype == DT_I64) return v_int(v.I64);
    if (t.dtype == DT_F64) return v_float(v.F64);
    return v_complex(vm, v.C128.re, v.C128.im);
}

static gpa_code set_variable(gpa_vm *vm, value *slot_, value v) {
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    value_release(vm, *slot_);
    *slot_ = v;
    return GPA_OK;
}

static void unset(gpa_vm *vm, value *slot_) {
    value_release(vm, *slot_);
    *slot_ = v_unset();
}

static gpa_code return_values(gpa_vm *vm, const loop_fn *f, const gpa_val *got, value *out) {
    value item[TYPED_MAX_TUPLE];
    uint32_t n = f->n_returned;
    *out = v_none();
    for (uint32_t i = 0; i < n; i++)
        item[i] =
            as_value(vm, f->result[f->first_returned + (int)i], got[f->first_returned + (int)i]);
    if (f->returned_tuple) {
        *out = v_tuple(vm, n, item);
        for (uint32_t i = 0; i < n; i++) value_release(vm, item[i]);
    } else if (n) {
        *out = item[0];
    }
    return out->tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* *end LIFT_INTERPRET: the arrays are so large that the interpreter's array operations are faster.
 */
static gpa_code run_sequential(gpa_vm *vm, loop_fn *f, const loop_inputs *x, value *slots,
                               value *returned, lift_end *end) {
    gpa_val raw[LOOP_MAX_RESULTS], got[LOOP_MAX_RESULTS];
    launch l;
    gpa_code rc = bind_inputs(vm, f, x, &l);
    if (!rc && f->array_math && scratch_bytes(f, &l) > LOOP_MAX_ARRAY_MATH_BYTES) return rc;
    if (!rc) rc = run_program(vm, f, &l, f->result_view, NULL);
    if (!rc)
        rc = f->n_results ? arr_read(vm_rt(vm), f->result_memory, raw, vm_err(vm))
                          : rt_sync(vm_rt(vm), vm_err(vm));
    release_scratch(vm, f, &l);
    for (int i = 0; i < f->n_results && !rc; i++)
        got[i] = dtype_load(&raw[i], (gpa_dtype)f->result[i].dtype);
    for (uint32_t i = 0; i < f->n_out && !rc; i++) {
        const loop_out *o = &f->out[i];
        if (o->clear)
            unset(vm, &slots[o->slot]);
        else if (o->flag < 0 || got[o->flag].BOOL)
            rc = set_variable(vm, &slots[o->slot], as_value(vm, o->t, got[o->result]));
    }
    if (rc) return rc;
    *end = f->returned >= 0 && got[f->returned].BOOL ? LIFT_RETURNED : LIFT_DONE;
    return *end == LIFT_RETURNED ? return_values(vm, f, got, returned) : rc;
}

static gpa_op combine_op(loop_role t) {
    return t == ROLE_SUM       ? OP_ADD
           : t == ROLE_PRODUCT ? OP_MULTIPLY
           : t == ROLE_MIN     ? OP_FMIN
                               : OP_FMAX;
}

static gpa_red reduction(loop_role t) {
    return t == ROLE_SUM       ? RED_SUM
           : t == ROLE_PRODUCT ? RED_PROD
           : t == ROLE_MIN     ? RED_MIN
                               : RED_MAX;
}

/* Combines the workers' partial results of a reduction. */
static gpa_code combine_partials(gpa_vm *vm, gpa_arr *partials, loop_role role, gpa_val *out) {
    gpa_dtype t = (gpa_dtype)partials->dtype;
    gpa_rt *rt = vm_rt(vm);
    if (partials->size > TUNE_PRANGE_MAX_HOST_PARTIALS) {
        arr_reduce_opts o = {.axes = 1, .dtype = t};
        gpa_arr *one;
        gpa_code rc = arr_reduce(rt, reduction(role), partials, &o, &one, vm_err(vm));
        if (rc) return rc;
        rc = arr_item(rt, one, out, vm_err(vm));
        arr_release(rt, one);
        return rc;
    }
    char *raw = mem_new((size_t)partials->size * dtype_size(t));
    if (!raw) return vm_no_memory(vm);
    gpa_code rc = arr_read(rt, partials, raw, vm_err(vm));
    for (int64_t i = 0; i < partials->size && !rc; i++) {
        gpa_val one = dtype_load(raw + i * (int64_t)dtype_size(t), t);
        *out = i ? op_scalar(combine_op(role), t, *out, one, one) : one;
    }
    mem_free(raw);
    return rc;
}

static gpa_code run_parallel(gpa_vm *vm, loop_fn *f, const loop_inputs *x, value *slots,
                             lift_end *end) {
    gpa_arr *results[LOOP_MAX_RESULTS] = {0};
    int64_t workers =
        MIN(x->trip_count, f->strided ? TUNE_PRANGE_MAX_GPU_WORKERS : TUNE_PRANGE_MAX_WORKERS);
    launch l;
    *end = LIFT_DONE;
    if (workers == 0) return GPA_OK;
    gpa_code rc = bind_inputs(vm, f, x, &l);
    if (rc) return rc;
    workers = MAX(1, MIN(workers, LOOP_MAX_WORKERS_SCRATCH_BYTES / MAX(scratch_bytes(f, &l), 1)));
    for (int i = 0; i < f->n_results; i++)
        TRY(arr_empty(vm_rt(vm), &(arr_spec){(gpa_dtype)f->result[i].dtype, 1, &workers},
                      &results[i], vm_err(vm)));
    TRY(run_program(vm, f, &l, results, &workers));
    if (f->n_results == 0) rc = rt_sync(vm_rt(vm), vm_err(vm));
    for (uint32_t i = 0; i < f->n_out && !rc; i++) {
        const loop_out *o = &f->out[i];
        loop_role role = (loop_role)f->of->role[o->slot];
        value *to = &slots[o->slot], now = v_unset();
        gpa_opnd before = {0};
        gpa_val v;
        if (o->clear) {
            unset(vm, to);
            continue;
        }
        TRY(combine_partials(vm, results[o->result], role, &v));
        TRY(value_computed(vm, *to, &now));
        rc = arg_opnd(vm, now, &before);
        value_release(vm, now);
        if (rc) goto out;
        gpa_val a = dtype_cast(before.v, before.dtype, (gpa_dtype)o->t.dtype);
        TRY(set_variable(
            vm, to,
            as_value(vm, o->t, op_scalar(combine_op(role), (gpa_dtype)o->t.dtype, a, v, v))));
    }
out:
    release_scratch(vm, f, &l);
    for (int i = 0; i < f->n_results; i++) arr_release(vm_rt(vm), results[i]);
    return rc;
}

/* ---- the loop object ---- */

typed_lift *lift_new(gpa_vm *vm, const func_obj *fn, const ast_node *loop, bool inner) {
    const ast_node *function = fn->code->node;
    typed_lift *l = mem_zero(sizeof *l);
    if (!l) return NULL;
    *l = (typed_lift){.loop = loop, .function = function, .n = function->function.scope->n_vars};
    l->parallel = lift_parallel(vm, fn, loop);
    l->returns = lift_returns(vm, fn, loop);
    l->use = mem_zero(l->n + 1);
    l->role = mem_zero(l->n + 1);
    if (l->use && l->role) {
        loop_analyze(vm, l, inner);
        return l;
    }
    lift_free(vm, l);
    return NULL;
}

void lift_free(gpa_vm *vm, typed_lift *l) {
    if (!l) return;
    for (loop_fn *f = l->compiled, *next; f; f = next) {
        next = f->next;
        free_loop(vm, f);
    }
    mem_free(l->use);
    mem_free(l->role);
    mem_free(l);
}

gpa_code lift_run(gpa_vm *vm, typed_lift *l, func_obj *fn, value *slots, value *it, lift_end *end) {
    loop_inputs x;
    gpa_arr *at[BODY_MAX_IN];
    value returned = v_unset();
    lift_end how = LIFT_INTERPRET;
    loop_fn *f = NULL;
    *end = LIFT_INTERPRET;
    if (l->interpreted || l->parallel != lift_parallel(vm, fn, l->loop))
        return GPA_OK; /* or the name prange was rebound */
    memset(&x, 0, offsetof(loop_inputs, type));
    gpa_code rc = collect_inputs(vm, l, slots, *it, &x);
    for (int i = 0; i < x.n; i++) at[i] = x.leaf[i].arr;
    device_scope stay = device_scope_enter(vm_rt(vm), at, x.n); /* on the device of its arrays */
    if (!rc && !x.needs_interpreter) rc = find_specialization(vm, l, fn, &x, &f);
    if (!rc && f)
        rc = l->parallel ? run_parallel(vm, f, &x, slots, &how)
                         : run_sequential(vm, f, &x, slots, &returned, &how);
    device_scope_leave(vm_rt(vm), stay);
    if (!rc && f) *end = how;
    if (*end != LIFT_INTERPRET) {
        value_release(vm, *it);
        *it = how == LIFT_RETURNED ? returned : v_unset();
    }
    release_inputs(vm, &x);
    return rc;
}
