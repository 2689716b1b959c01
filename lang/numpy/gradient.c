/* Native functions of autograd: tapes and the backward pass over their records.
 *
 * For a rule of the language a record becomes a tuple (rule, operands, results, ints, scale,
 * index), an operand or result a tuple (storage, active, value, shape, strides, offset, dtype,
 * storage size, storage dtype); the storage of a scalar is None. */
#include "lang/numpy/all.h"
#include "lang/numpy/float_errors.h"
#include "lang/numpy/numpy.h"
#include "lang/object/container.h"
#include "lang/vm/kinds.h"
#include "runtime/tape.h"

gpa_code gradient_open(gpa_vm *vm, value *argv, value *out) { /* arrays, mapped */
    bool mapped;
    gpa_arr *watched[ARG_MAX_INDEX];
    int n = 0;
    if (argv[0].tag != V_LIST || argv[0].list->count > ARG_MAX_INDEX)
        return vm_fail(vm, GPA_E_TYPE, "a list of at most %d arrays is required", ARG_MAX_INDEX);
    for (size_t i = 0; i < argv[0].list->count; i++) {
        const value v = argv[0].list->items[i];
        if (v.tag != V_ARRAY) return vm_fail(vm, GPA_E_TYPE, "only arrays are watched");
        watched[n++] = v.array->arr;
    }
    *out = v_none();
    gpa_code rc = arg_bool(vm, argv[1], "mapped", &mapped);
    return rc ? rc : tape_open(vm_rt(vm), watched, n, mapped, vm_err(vm));
}

/* ---- records as tuples ---- */

static value operand_value(gpa_vm *vm, const tape_operand *o) {
    if (o->value) return v_array_take(vm, arr_retain(o->value), false);
    if (o->storage) return v_none();
    const gpa_val v = o->number.v;
    if (o->number.weak == WEAK_NO) return v_num(vm, o->number.dtype, v);
    switch ((int)o->number.dtype) {
        case DT_BOOL: return v_bool(v.BOOL != 0);
        case DT_I64: return v_int(v.I64);
        case DT_C128: return v_complex(vm, v.C128.re, v.C128.im);
        default: return v_float(dtype_cast(v, o->number.dtype, DT_F64).F64);
    }
}

static value ints(gpa_vm *vm, int n, const int64_t *v) {
    value tuple;
    return np_ints_tuple(vm, n, v, &tuple) ? v_unset() : tuple;
}

/* A tuple of n new values, which are consumed; UNSET if one of them is. */
static value tuple_take(gpa_vm *vm, size_t n, value *items) {
    bool complete = true;
    for (size_t i = 0; i < n; i++) complete &= items[i].tag != V_UNSET;
    value tuple = complete ? v_tuple(vm, n, items) : v_unset();
    for (size_t i = 0; i < n; i++) value_release(vm, items[i]);
    return tuple;
}

static value operand_tuple(gpa_vm *vm, const tape_operand *o) {
    value items[] = {o->storage ? v_int((int64_t)o->storage) : v_none(),
                     v_bool(o->active),
                     operand_value(vm, o),
                     ints(vm, o->ndim, o->layout),
                     ints(vm, o->ndim, o->layout + (o->layout ? o->ndim : 0)),
                     v_int(o->offset),
                     v_dtype((gpa_dtype)o->dtype),
                     v_int(o->storage_size),
                     v_dtype((gpa_dtype)o->storage_dtype)};
    return tuple_take(vm, sizeof items / sizeof *items, items);
}

static value operands_tuple(gpa_vm *vm, const tape_operand *o, int n) {
    value tuple = v_tuple(vm, (size_t)n, NULL);
    for (int i = 0; i < n && tuple.tag != V_UNSET; i++) {
        value v = operand_tuple(vm, &o[i]);
        if (v.tag == V_UNSET) {
            value_release(vm, tuple);
            return v;
        }
        tuple.tuple->items[i] = v;
    }
    return tuple;
}

static value slice_bound(bool given, int64_t i) { return given ? v_int(i) : v_none(); }

/* An index expression; index arrays are the operands from number 1 on, in order: True for one whose
 * value is not kept. */
static value index_tuple(gpa_vm *vm, const tape_record *r) {
    value tuple = v_tuple(vm, (size_t)r->n_index, NULL);
    const tape_operand *array = r->operand + 1;
    for (int i = 0; i < r->n_index && tuple.tag != V_UNSET; i++) {
        const gpa_index *x = &r->index[i];
        value v = v_none();
        if (x->kind == IX_INT) v = v_int(x->i);
        if (x->kind == IX_ELLIPSIS) v = (value){.tag = V_ELLIPSIS};
        if (x->kind == IX_ARRAY) {
            v = array->value ? operand_value(vm, array) : v_bool(true);
            array++;
        }
        if (x->kind == IX_SLICE)
            v = v_slice(vm, slice_bound(x->has_start, x->start), slice_bound(x->has_stop, x->stop),
                        slice_bound(x->has_step, x->step));
        tuple.tuple->items[i] = v;
        if (v.tag != V_UNSET) continue;
        value_release(vm, tuple);
        return v_unset();
    }
    return tuple;
}

static value record_tuple(gpa_vm *vm, const tape_record *r) {
    value items[] = {v_cstr(vm, r->rule),
                     operands_tuple(vm, r->operand, r->n_in),
                     operands_tuple(vm, r->operand + r->n_in, r->n_out),
                     ints(vm, r->n_ints, r->ints),
                     v_float(r->scale),
                     index_tuple(vm, r)};
    return tuple_take(vm, sizeof items / sizeof *items, items);
}

/* ---- records ---- */

static void free_records(gpa_vm *vm, object_obj *o) { tape_free(vm_rt(vm), o->data); }

const object_kind records_kind = {.type_name = "autograd.Records", .free = free_records};

/* An object of records, which are consumed. */
static gpa_code records_take(gpa_vm *vm, tape_record *last, value *out) {
    gpa_code rc = native_return(v_object(vm, &records_kind, 0), out);
    if (rc)
        tape_free(vm_rt(vm), last);
    else
        out->object->data = last;
    return rc;
}

gpa_code gradient_close(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    if (!tape_depth(vm_rt(vm))) return vm_fail(vm, GPA_E_RUNTIME, "no tape is open");
    return records_take(vm, tape_close(vm_rt(vm)), out);
}

gpa_code gradient_drain(gpa_vm *vm, value *argv, value *out) { /* level */
    int64_t level;
    gpa_code rc = arg_int(vm, argv[0], "level", &level);
    return rc ? rc : records_take(vm, tape_drain(vm_rt(vm), (int)level), out);
}

typedef struct {
    gpa_vm *vm;
    list_obj *list;
} record_list;

/* Appends a value, which is consumed. */
static gpa_code append_take(gpa_vm *vm, list_obj *list, value v) {
    gpa_code rc = v.tag == V_UNSET ? GPA_E_MEMORY : list_append(vm, list, v);
    value_release(vm, v);
    return rc;
}

static gpa_code list_of_records(gpa_vm *vm, const tape_record *last, bool calls, value *out) {
    gpa_code rc = native_return(v_list(vm, 0, NULL), out);
    if (rc) return rc;
    for (const tape_record *r = last; r && !rc; r = r->before)
        if (!calls)
            rc = append_take(vm, out->list, record_tuple(vm, r));
        else if (strcmp(r->rule, "call") == 0)
            rc = append_take(vm, out->list, v_int(r->ints[0]));
    if (rc) value_release(vm, *out);
    return rc;
}

gpa_code records_tuples(gpa_vm *vm, value *argv, value *out) { /* self */
    gpa_code rc = list_of_records(vm, argv[0].object->data, false, out);
    for (size_t i = 0, n = rc ? 0 : out->list->count; i < n / 2; i++) {
        const value v = out->list->items[i];
        out->list->items[i] = out->list->items[n - 1 - i];
        out->list->items[n - 1 - i] = v;
    }
    return rc;
}

gpa_code records_calls(gpa_vm *vm, value *argv, value *out) { /* self */
    return list_of_records(vm, argv[0].object->data, true, out);
}

/* ---- questions ---- */

gpa_code gradient_depth(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    *out = v_int(tape_depth(vm_rt(vm)));
    return GPA_OK;
}

gpa_code gradient_is_active(gpa_vm *vm, value *argv, value *out) { /* array */
    *out = v_bool(argv[0].tag == V_ARRAY && tape_is_active(vm_rt(vm), argv[0].array->arr));
    return GPA_OK;
}

gpa_code gradient_is_mapped(gpa_vm *vm, value *argv, value *out) { /* array */
    *out = v_bool(argv[0].tag == V_ARRAY && tape_is_mapped(vm_rt(vm), argv[0].array->arr));
    return GPA_OK;
}

gpa_code gradient_mapped_level(gpa_vm *vm, value *argv, value *out) { /* array */
    *out = v_int(argv[0].tag == V_ARRAY ? tape_mapped_level(vm_rt(vm), argv[0].array->arr) : -1);
    return GPA_OK;
}

gpa_code gradient_describe(gpa_vm *vm, value *argv, value *out) { /* array */
    tape_operand o;
    if (argv[0].tag != V_ARRAY || !tape_depth(vm_rt(vm)))
        return vm_fail(vm, GPA_E_RUNTIME, "an array, and an open tape, are required");
    gpa_code rc = tape_describe(vm_rt(vm), argv[0].array->arr, &o, vm_err(vm));
    if (!rc) rc = native_return(operand_tuple(vm, &o), out);
    mem_free(o.layout);
    return rc;
}

gpa_code gradient_partials(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    gpa_code rc = native_return(v_list(vm, 0, NULL), out);
    for (int op = 0; op < OP_COUNT && !rc; op++) {
        value texts[3];
        for (int i = 0; i < 3; i++) texts[i] = v_cstr(vm, tape_partial((gpa_op)op, i));
        rc = append_take(vm, out->list, tuple_take(vm, 3, texts));
        if (rc) value_release(vm, *out);
    }
    return rc;
}

/* The elementwise operation of a record, of other operands. */
gpa_code gradient_apply(gpa_vm *vm, value *argv, value *out) { /* rule, operands, dtype */
    gpa_opnd in[3] = {{.arr = NULL}};
    int64_t dtype;
    gpa_arr *made = NULL;
    gpa_code rc = arg_int(vm, argv[2], "dtype", &dtype);
    if (rc || argv[0].tag != V_STR || argv[1].tag != V_TUPLE)
        return rc ? rc : vm_fail(vm, GPA_E_TYPE, "a rule and a tuple of operands are required");
    const gpa_op op = op_find(argv[0].str->text, argv[0].str->size);
    const tuple_obj *operands = argv[1].tuple;
    if (op == OP_COUNT || operands->count != (size_t)op_info[op].arity)
        return vm_fail(vm, GPA_E_VALUE, "no elementwise operation of %zu operands has this name",
                       operands->count);
    for (size_t i = 0; i < operands->count && !rc; i++)
        rc = arg_opnd(vm, operands->items[i], &in[i]);
    const arr_ufunc_opts options = {.dtype = (gpa_dtype)dtype};
    if (!rc)
        rc = arr_ufunc(vm_rt(vm), op, in, dtype == DT_NONE ? NULL : &options, &made, vm_err(vm));
    for (int i = 0; i < 3; i++) arr_release(vm_rt(vm), in[i].arr);
    return rc ? rc : native_return(v_array_take(vm, made, false), out);
}

gpa_code gradient_traced(gpa_vm *vm, value *argv, value *out) { /* array, scalar, immutable */
    gpa_arr *a = NULL, *copy = NULL;
    bool scalar = false, immutable = false;
    gpa_code rc = arg_bool(vm, argv[1], "scalar", &scalar);
    if (!rc) rc = arg_bool(vm, argv[2], "immutable", &immutable);
    if (!rc) rc = arg_array(vm, argv[0], DT_NONE, &a);
    if (!rc) rc = (immutable ? arr_share : arr_copy)(vm_rt(vm), a, &copy, vm_err(vm));
    arr_release(vm_rt(vm), a);
    return rc ? rc : native_return(v_array_take(vm, copy, scalar && copy->ndim == 0), out);
}

/* ---- functions with a gradient of their own ---- */

gpa_code gradient_pause(gpa_vm *vm, value *argv, value *out) { /* pause, mapped */
    bool pause, mapped;
    gpa_code rc = arg_bool(vm, argv[0], "pause", &pause);
    if (!rc) rc = arg_bool(vm, argv[1], "mapped", &mapped);
    if (!rc) tape_pause(vm_rt(vm), pause, mapped);
    *out = v_none();
    return rc;
}

static gpa_code append_array(void *user, gpa_arr *a) {
    const record_list *to = user;
    if (!to->list) return GPA_E_MEMORY; /* the tapes stop collecting all the same */
    return append_take(to->vm, to->list, v_array_take(to->vm, arr_retain(a), false));
}

gpa_code gradient_collect(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    *out = v_bool(tape_collect(vm_rt(vm)));
    return GPA_OK;
}

gpa_code gradient_collected(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    gpa_code rc = native_return(v_list(vm, 0, NULL), out);
    gpa_code ended =
        tape_collected(vm_rt(vm), append_array, &(record_list){vm, rc ? NULL : out->list});
    if (!rc && ended) value_release(vm, *out);
    return rc ? rc : ended;
}

/* The arrays of a tuple; NULL for other objects. */
static gpa_code arrays_of(gpa_vm *vm, value tuple, gpa_arr **arrays, int *n) {
    if (tuple.tag != V_TUPLE || tuple.tuple->count > ARG_MAX_INDEX)
        return vm_fail(vm, GPA_E_TYPE, "a tuple of at most %d arrays is required", ARG_MAX_INDEX);
    *n = (int)tuple.tuple->count;
    for (int i = 0; i < *n; i++) {
        const value v = tuple.tuple->items[i];
        arrays[i] = v.tag == V_ARRAY ? v.array->arr : NULL;
    }
    return GPA_OK;
}

gpa_code gradient_record(gpa_vm *vm, value *argv, value *out) { /* operands, results, number */
    gpa_arr *in[ARG_MAX_INDEX], *made[ARG_MAX_INDEX];
    int64_t number;
    tape_call call = {.in = in, .out = made};
    gpa_code rc = arg_int(vm, argv[2], "number", &number);
    if (!rc) rc = arrays_of(vm, argv[0], in, &call.n_in);
    if (!rc) rc = arrays_of(vm, argv[1], made, &call.n_out);
    call.number = number;
    *out = v_none();
    return rc ? rc : tape_note_call(vm_rt(vm), &call, vm_err(vm));
}

/* ---- gradients of storages ---- */

static void free_gradients(gpa_vm *vm, object_obj *o) { tape_gradients_free(vm_rt(vm), o->data); }

const object_kind gradients_kind = {.type_name = "autograd.Gradients", .free = free_gradients};

gpa_code gradients_new(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    tape_gradients *g = tape_gradients_new();
    if (!g) return vm_no_memory(vm);
    gpa_code rc = native_return(v_object(vm, &gradients_kind, 0), out);
    if (rc)
        tape_gradients_free(vm_rt(vm), g);
    else
        out->object->data = g;
    return rc;
}

/* The fields of an operand as a tuple, in order. */
enum { STORAGE, ACTIVE, VALUE, SHAPE, STRIDES, OFFSET, DTYPE, SIZE, WHOLE, OPERAND_FIELDS };

/* An operand from its tuple, with its layout in `layout`. */
static gpa_code operand_of(gpa_vm *vm, value v, int64_t *layout, tape_operand *o) {
    if (v.tag != V_TUPLE || v.tuple->count != OPERAND_FIELDS)
        return vm_fail(vm, GPA_E_TYPE, "an operand of a record is required");
    const value *x = v.tuple->items;
    *o = (tape_operand){.active = x[ACTIVE].i != 0, .layout = layout};
    if (x[STORAGE].tag != V_INT) return GPA_OK;
    o->storage = (uint64_t)x[STORAGE].i;
    o->ndim = (int)x[SHAPE].tuple->count;
    for (int d = 0; d < o->ndim; d++) {
        layout[d] = x[SHAPE].tuple->items[d].i;
        layout[o->ndim + d] = x[STRIDES].tuple->items[d].i;
    }
    o->offset = x[OFFSET].i;
    o->dtype = (uint8_t)x[DTYPE].aux;
    o->storage_size = x[SIZE].i;
    o->storage_dtype = (uint8_t)x[WHOLE].aux;
    return GPA_OK;
}

typedef gpa_code question(gpa_rt *rt, tape_gradients *g, const tape_operand *o, gpa_arr **out,
                          gpa_err *e);

static gpa_code ask(gpa_vm *vm, const value *argv, question *q, value *out) {
    int64_t layout[2 * GPA_MAX_DIMS];
    tape_operand o;
    gpa_arr *found = NULL;
    gpa_code rc = operand_of(vm, argv[1], layout, &o);
    if (!rc) rc = q(vm_rt(vm), argv[0].object->data, &o, &found, vm_err(vm));
    if (rc) return rc;
    *out = v_none();
    return found ? native_return(v_array_take(vm, found, false), out) : GPA_OK;
}

gpa_code gradients_get(gpa_vm *vm, value *argv, value *out) { /* self, operand */
    return ask(vm, argv, tape_gradient_get, out);
}

gpa_code gradients_pop(gpa_vm *vm, value *argv, value *out) { /* self, operand */
    return ask(vm, argv, tape_gradient_take, out);
}

gpa_code gradients_view(gpa_vm *vm, value *argv, value *out) { /* self, operand */
    return ask(vm, argv, tape_gradient_view, out);
}

gpa_code gradients_is_shared(gpa_vm *vm, value *argv, value *out) { /* self, operand */
    int64_t layout[2 * GPA_MAX_DIMS];
    tape_operand o;
    gpa_code rc = operand_of(vm, argv[1], layout, &o);
    if (!rc) *out = v_bool(tape_gradient_is_shared(argv[0].object->data, &o));
    return rc;
}

static gpa_code add_to(gpa_vm *vm, tape_gradients *g, const tape_operand *o, value contribution) {
    gpa_arr *c = NULL;
    gpa_code rc = arg_array(vm, contribution, DT_NONE, &c);
    if (!rc) rc = tape_gradient_add(vm_rt(vm), g, o, c, vm_err(vm));
    arr_release(vm_rt(vm), c);
    return rc;
}

gpa_code gradients_add(gpa_vm *vm, value *argv, value *out) { /* self, operand, contribution */
    int64_t layout[2 * GPA_MAX_DIMS];
    tape_operand o;
    *out = v_none();
    gpa_code rc = operand_of(vm, argv[1], layout, &o);
    return rc ? rc : add_to(vm, argv[0].object->data, &o, argv[2]);
}

/* ---- the backward pass ---- */

/* How operations are differentiated: for each elementwise one a list of functions of (g, a, b, c,
 * r), or None, and a function of the record for the others. */
typedef struct {
    const list_obj *partials;
    value rule;
} rules;

/* The gradients of the operands of an elementwise operation, from that of its result (consumed). */
static gpa_code pull_partials(gpa_vm *vm, tape_gradients *g, const tape_record *r,
                              const list_obj *partials, gpa_arr *found) {
    value args[5] = {v_array_take(vm, found, false)};
    gpa_code rc = args[0].tag == V_UNSET ? vm_no_memory(vm) : GPA_OK;
    for (int i = 0; i < 4; i++) {
        const int k = i < 3 ? i : r->n_in;
        args[1 + i] = i < 3 && i >= r->n_in ? v_none() : operand_value(vm, &r->operand[k]);
        if (args[1 + i].tag == V_UNSET && !rc) rc = vm_no_memory(vm);
    }
    for (int i = 0; i < r->n_in && !rc; i++) {
        value c;
        if (!r->operand[i].active || partials->items[i].tag == V_NONE) continue;
        rc = vm_call(vm, partials->items[i], ARGS(5, args), &c);
        if (rc) break;
        rc = add_to(vm, g, &r->operand[i], c);
        value_release(vm, c);
    }
    for (int i = 0; i < 5; i++) value_release(vm, args[i]);
    return rc;
}

static gpa_code pull_elementwise(gpa_vm *vm, tape_gradients *g, const tape_record *r,
                                 const list_obj *partials) {
    gpa_arr *found = NULL;
    gpa_code rc = tape_gradient_take(vm_rt(vm), g, &r->operand[r->n_in], &found, vm_err(vm));
    return rc || !found ? rc : pull_partials(vm, g, r, partials, found);
}

static gpa_code pull_cast(gpa_vm *vm, tape_gradients *g, const tape_record *r) {
    gpa_arr *found = NULL;
    gpa_code rc = tape_gradient_take(vm_rt(vm), g, &r->operand[1], &found, vm_err(vm));
    if (found) rc = tape_gradient_add(vm_rt(vm), g, &r->operand[0], found, vm_err(vm));
    arr_release(vm_rt(vm), found);
    return rc;
}

static gpa_code pull_in_language(gpa_vm *vm, const tape_record *r, value rule) {
    value done, record = record_tuple(vm, r);
    if (record.tag == V_UNSET) return vm_no_memory(vm);
    gpa_code rc = vm_call(vm, rule, ARGS(1, &record), &done);
    if (!rc) value_release(vm, done);
    value_release(vm, record);
    return rc;
}

static gpa_code pull(gpa_vm *vm, tape_gradients *g, const tape_record *r, const rules *how) {
    if (r->op >= 0) return pull_elementwise(vm, g, r, how->partials->items[r->op].list);
    if (r->n_index == 0 && strcmp(r->rule, "setitem") == 0)
        return tape_gradient_move(vm_rt(vm), g, &r->operand[1], &r->operand[0], vm_err(vm));
    if (strcmp(r->rule, "cast") == 0) return pull_cast(vm, g, r);
    return pull_in_language(vm, r, how->rule);
}

/* Appends the gradients of operands [from, to) of a record to a list. */
static gpa_code list_gradients(gpa_vm *vm, tape_gradients *g, const tape_record *r, int from,
                               int to, value list) {
    gpa_code rc = GPA_OK;
    for (int i = from; i < to && !rc; i++) {
        gpa_arr *found = NULL;
        value one = v_none();
        if (!r->operand[i].active) continue;
        rc = tape_gradient_get(vm_rt(vm), g, &r->operand[i], &found, vm_err(vm));
        if (rc || !found) continue;
        rc = np_return_array(vm, found, &one);
        if (!rc) rc = list_append(vm, list.list, one);
        value_release(vm, one);
    }
    return rc;
}

/* %nan raise: as pull, which fails if the gradients of the operands are not finite although those
 * before are. The rules themselves are not checked. */
static gpa_code pull_trapped(gpa_vm *vm, tape_gradients *g, const tape_record *r,
                             const rules *how) {
    value before = v_list(vm, 0, NULL), after = v_list(vm, 0, NULL),
          name = v_cstr(vm, r->op >= 0 ? op_info[r->op].name : r->rule);
    gpa_code rc = before.tag == V_UNSET || after.tag == V_UNSET || name.tag == V_UNSET
                      ? vm_err(vm)->code
                      : GPA_OK;
    if (!rc) rc = list_gradients(vm, g, r, 0, r->n_in + r->n_out, before);
    float_enable_checks(vm, false);
    if (!rc) rc = pull(vm, g, r, how);
    float_enable_checks(vm, true);
    if (!rc) rc = list_gradients(vm, g, r, 0, r->n_in, after);
    if (!rc) rc = float_call_unchecked(vm, "_trap_gradients", 3, (value[]){name, before, after});
    value_release(vm, before);
    value_release(vm, after);
    value_release(vm, name);
    return rc;
}

gpa_code gradients_pull(gpa_vm *vm, value *argv, value *out) { /* self, records, partials, rule */
    gpa_code rc = GPA_OK;
    if (!is_kind(argv[1], &records_kind) || argv[2].tag != V_LIST ||
        argv[2].list->count != OP_COUNT)
        return vm_fail(vm, GPA_E_TYPE, "records and the list of partials are required");
    const rules how = {argv[2].list, argv[3]};
    const tape_record *r = NULL;
    tape_walk *w = tape_walk_new(vm_rt(vm), argv[0].object->data, argv[1].object->data);
    if (!w) return vm_no_memory(vm);
    const bool traps = vm_traps_floats(vm) && float_checks_enabled(vm);
    while (!(rc = tape_walk_next(w, &r, vm_err(vm))) && r && !(rc = vm_poll(vm)) &&
           !(rc = (traps ? pull_trapped : pull)(vm, argv[0].object->data, r, &how))) {
    }
    tape_walk_free(w);
    *out = v_none();
    return rc;
}
