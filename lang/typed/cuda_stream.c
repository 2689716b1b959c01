/* CUDA streams, events, contexts and device attributes of numba.cuda. A stream is an id
 * (runtime.h); id 0 is the default stream, which is ordered with all work.
 *
 * Reading order: synchronization, streams, events, contexts, devices. */
#include <ctype.h>
#include <stdio.h>

#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/typed/cuda.h"
#include "lang/vm/vm.h"
#include "runtime/programs.h"

/* ---- synchronization ---- */

static gpa_code wait_all(gpa_vm *vm) { return rt_stream_wait(vm_rt(vm), 0, vm_err(vm)); }

gpa_code cuda_wait(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return wait_all(vm);
}

/* ---- streams ---- */

enum { STREAM_NUMBER, STREAM_FIELDS };

gpa_code cuda_stream_number(gpa_vm *vm, value v, uint32_t *out) {
    bool none = v.tag == V_UNSET || v.tag == V_NONE || (v.tag == V_INT && v.i == 0);
    bool stream = is_kind(v, &cuda_stream_kind);
    *out = stream ? (uint32_t)v.object->fields[STREAM_NUMBER].i : 0;
    return none || stream ? GPA_OK
                          : vm_fail(vm, GPA_E_TYPE, "a stream is needed here, or 0, not a '%s'",
                                    value_type_name(v));
}

/* The list of the streams of the `with` statements that run, innermost last (CuPy's current
 * stream). */
static gpa_code entered_streams(gpa_vm *vm, value *out) {
    module_obj *m;
    gpa_code rc = vm_import(vm, "numpy.cuda", &m);
    if (!rc) *out = module_get_text_peek(vm, m, "_entered");
    return rc;
}

static gpa_code stream_enter(gpa_vm *vm, object_obj *o, value *out) {
    value self = v_obj(V_OBJECT, o), entered;
    gpa_code rc = entered_streams(vm, &entered);
    if (!rc) rc = list_append(vm, entered.list, self);
    if (!rc) *out = value_retain(self);
    return rc;
}

gpa_code cuda_stream_use(gpa_vm *vm, value *argv, value *out) { /* self */
    value entered;
    gpa_code rc = entered_streams(vm, &entered);
    if (rc) return rc;
    list_obj *l = entered.list;
    if (l->count) {
        value_release(vm, l->items[l->count - 1]);
        l->items[l->count - 1] = value_retain(argv[0]);
    } else {
        rc = list_append(vm, l, argv[0]);
    }
    if (!rc) *out = value_retain(argv[0]);
    return rc;
}

static bool same_stream(const object_obj *a, const object_obj *b) {
    return a->kind == b->kind && a->fields[STREAM_NUMBER].i == b->fields[STREAM_NUMBER].i;
}

/* Synchronizes after an exception too, but keeps that exception instead of a new error. */
static gpa_code stream_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    gpa_err quiet = {0};
    value entered;
    *swallow = false;
    gpa_code rc = entered_streams(vm, &entered);
    if (rc) return rc;
    if (entered.list->count) value_release(vm, entered.list->items[--entered.list->count]);
    if (exc.tag != V_EXCEPTION)
        return rt_stream_wait(vm_rt(vm), (uint32_t)o->fields[STREAM_NUMBER].i, vm_err(vm));
    rt_sync(vm_rt(vm), &quiet);
    return GPA_OK;
}

static gpa_code stream_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    if (o->fields[STREAM_NUMBER].i)
        str_printf(out, "<CUDA stream %lld>", (long long)o->fields[STREAM_NUMBER].i);
    else
        str_put(out, "<Default CUDA stream>");
    return GPA_OK;
}

const object_kind cuda_stream_kind = {.type_name = "numba.cuda.Stream",
                                      .enter = stream_enter,
                                      .exit = stream_exit,
                                      .repr = stream_repr,
                                      .equal = same_stream};

static gpa_code make_stream(gpa_vm *vm, uint32_t number, value *out) {
    gpa_code rc = native_return(v_object(vm, &cuda_stream_kind, STREAM_FIELDS), out);
    if (!rc) out->object->fields[STREAM_NUMBER] = v_int(number);
    return rc;
}

gpa_code cuda_stream(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return make_stream(vm, rt_stream_new(vm_rt(vm)), out);
}

/* Also serves context managers that only synchronize at their end. */
gpa_code cuda_default_stream(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return make_stream(vm, 0, out);
}

gpa_code cuda_stream_wait(gpa_vm *vm, value *argv, value *out) { /* self */
    (void)out;
    return rt_stream_wait(vm_rt(vm), (uint32_t)argv[0].object->fields[STREAM_NUMBER].i, vm_err(vm));
}

gpa_code cuda_return_self(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0]);
    return GPA_OK;
}

gpa_code cuda_no_op(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv, (void)out;
    return GPA_OK;
}

/* ---- events ---- */

static void free_event(gpa_vm *vm, object_obj *o) {
    (void)vm;
    rt_event_free(o->data);
}

const object_kind cuda_event_kind = {.type_name = "numba.cuda.Event", .free = free_event};

gpa_code cuda_event(gpa_vm *vm, value *argv, value *out) { /* timing */
    rt_event *x;
    (void)argv;
    gpa_code rc = rt_event_new(vm_rt(vm), &x, vm_err(vm));
    if (!rc && (rc = native_return(v_object(vm, &cuda_event_kind, 0), out))) rt_event_free(x);
    if (!rc) out->object->data = x;
    return rc;
}

gpa_code cuda_event_record(gpa_vm *vm, value *argv, value *out) { /* self, stream */
    uint32_t stream;
    (void)out;
    gpa_code rc = cuda_stream_number(vm, argv[1], &stream);
    return rc ? rc : rt_event_record(vm_rt(vm), argv[0].object->data, stream, vm_err(vm));
}

gpa_code cuda_event_follow(gpa_vm *vm, value *argv, value *out) { /* self, stream */
    uint32_t stream;
    (void)out;
    gpa_code rc = cuda_stream_number(vm, argv[1], &stream);
    return rc ? rc : rt_event_follow(vm_rt(vm), argv[0].object->data, stream, vm_err(vm));
}

gpa_code cuda_stream_record(gpa_vm *vm, value *argv, value *out) { /* self, event */
    value none = v_unset();
    gpa_code rc = GPA_OK;
    if (argv[1].tag == V_NONE)
        rc = cuda_event(vm, &none, out);
    else if (is_kind(argv[1], &cuda_event_kind))
        *out = value_retain(argv[1]);
    else
        return vm_fail(vm, GPA_E_TYPE, "an event is needed, not a '%s'", value_type_name(argv[1]));
    if (!rc) rc = cuda_event_record(vm, (value[]){*out, argv[0]}, &none);
    if (!rc) return GPA_OK;
    value_release(vm, *out);
    *out = v_unset();
    return rc;
}

gpa_code cuda_stream_follow(gpa_vm *vm, value *argv, value *out) { /* self, event */
    if (!is_kind(argv[1], &cuda_event_kind))
        return vm_fail(vm, GPA_E_TYPE, "an event is needed, not a '%s'", value_type_name(argv[1]));
    return cuda_event_follow(vm, (value[]){argv[1], argv[0]}, out);
}

gpa_code cuda_stream_done(gpa_vm *vm, value *argv, value *out) { /* self */
    bool done;
    gpa_code rc = rt_stream_query(vm_rt(vm), (uint32_t)argv[0].object->fields[STREAM_NUMBER].i,
                                  &done, vm_err(vm));
    if (!rc) *out = v_bool(done);
    return rc;
}

gpa_code cuda_stream_ptr(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = argv[0].object->fields[STREAM_NUMBER];
    return GPA_OK;
}

gpa_code cuda_event_wait(gpa_vm *vm, value *argv, value *out) { /* self */
    (void)out;
    return rt_event_wait(vm_rt(vm), argv[0].object->data, vm_err(vm));
}

gpa_code cuda_event_query(gpa_vm *vm, value *argv, value *out) { /* self */
    bool passed;
    gpa_code rc = rt_event_query(vm_rt(vm), argv[0].object->data, &passed, vm_err(vm));
    *out = v_bool(passed);
    return rc;
}

gpa_code cuda_event_elapsed(gpa_vm *vm, value *argv, value *out) { /* self, evtend */
    double ms = 0;
    for (int i = 0; i < 2; i++)
        if (!is_kind(argv[i], &cuda_event_kind))
            return vm_fail(vm, GPA_E_TYPE, "an event is needed, not a '%s'",
                           value_type_name(argv[i]));
    gpa_code rc =
        rt_event_elapsed(vm_rt(vm), argv[0].object->data, argv[1].object->data, &ms, vm_err(vm));
    *out = v_float(ms);
    return rc;
}

/* ---- contexts ---- */

const object_kind cuda_context_kind = {.type_name = "numba.cuda.Context"};

gpa_code cuda_context(gpa_vm *vm, value *argv, value *out) { /* devnum */
    (void)argv;
    return native_return(v_object(vm, &cuda_context_kind, 0), out);
}

gpa_code cuda_memory_info(gpa_vm *vm, value *argv, value *out) {
    uint64_t free_bytes, total;
    const char *name;
    (void)argv;
    gpa_code rc =
        rt_find_device(vm_rt(vm), rt_device(vm_rt(vm)), &name, &free_bytes, &total, vm_err(vm));
    if (rc) return rc;
    value name_ = v_cstr(vm, "MemoryInfo"),
          both = v_tuple(vm, 2, (value[]){v_int((int64_t)free_bytes), v_int((int64_t)total)});
    rc = name_.tag == V_UNSET || both.tag == V_UNSET
             ? GPA_E_MEMORY
             : np_result_tuple(vm, (value[]){name_, both}, out);
    value_release(vm, name_);
    value_release(vm, both);
    return rc;
}

gpa_code cuda_context_device(gpa_vm *vm, value *argv, value *out) {
    return numba_current_device(vm, argv, out);
}

/* ---- devices ---- */

static gpa_code facts_of(gpa_vm *vm, value device, rt_facts *out) {
    return rt_launch_facts(vm_rt(vm), device.object->fields[0].str->text, out, vm_err(vm));
}

static gpa_code fact(gpa_vm *vm, value device, uint32_t rt_facts_at(const rt_facts *), value *out) {
    rt_facts f;
    gpa_code rc = facts_of(vm, device, &f);
    if (!rc) *out = v_int(rt_facts_at(&f));
    return rc;
}

static uint32_t threads_of(const rt_facts *f) { return f->max_threads; }
static uint32_t shared_of(const rt_facts *f) { return f->max_shared; }
static uint32_t units_of(const rt_facts *f) { return f->units; }
static uint32_t warp_of(const rt_facts *f) {
    (void)f;
    return 32;
}
static uint32_t depth_of(const rt_facts *f) { return f->max_threads < 64 ? f->max_threads : 64; }
static uint32_t grid_of(const rt_facts *f) {
    (void)f;
    return INT32_MAX;
}
static uint32_t rows_of(const rt_facts *f) {
    (void)f;
    return 65535;
}

gpa_code cuda_max_threads(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], threads_of, out);
}
gpa_code cuda_max_shared(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], shared_of, out);
}
gpa_code cuda_multiprocessors(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], units_of, out);
}
gpa_code cuda_warp_size(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], warp_of, out);
}
gpa_code cuda_max_block_z(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], depth_of, out);
}
gpa_code cuda_max_grid(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], grid_of, out);
}
gpa_code cuda_max_grid_yz(gpa_vm *vm, value *argv, value *out) {
    return fact(vm, argv[0], rows_of, out);
}

static gpa_code attribute(gpa_vm *vm, value device, int number, int elsewhere, value *out) {
    *out = v_int(elsewhere);
    return rt_attribute(vm_rt(vm), device.object->fields[0].str->text, number, elsewhere, &out->i,
                        vm_err(vm));
}

#define ATTRIBUTE(name, number, elsewhere, doc) \
    NATIVE_FN(cuda_attribute_##name) { return attribute(vm, argv[0], number, elsewhere, out); }
#include "lang/typed/cuda_attribute.def"
#undef ATTRIBUTE

/* "ASYNC_ENGINE_COUNT" as CuPy has it: "AsyncEngineCount". */
static void camel_case(const char *name, char *to, size_t n) {
    size_t k = 0;
    for (const char *at = name; *at && k + 1 < n; at++)
        if (*at != '_') to[k++] = at == name || at[-1] == '_' ? *at : (char)tolower(*at);
    to[k] = 0;
}

gpa_code cuda_attributes(gpa_vm *vm, value *argv, value *out) {
    static const struct {
        const char *name;
        gpa_code (*get)(gpa_vm *, value *, value *);
    } rows[] = {
        {"MAX_THREADS_PER_BLOCK", cuda_max_threads},
        {"MAX_BLOCK_DIM_X", cuda_max_threads},
        {"MAX_BLOCK_DIM_Y", cuda_max_threads},
        {"MAX_BLOCK_DIM_Z", cuda_max_block_z},
        {"MAX_GRID_DIM_X", cuda_max_grid},
        {"MAX_GRID_DIM_Y", cuda_max_grid_yz},
        {"MAX_GRID_DIM_Z", cuda_max_grid_yz},
        {"MAX_SHARED_MEMORY_PER_BLOCK", cuda_max_shared},
        {"MULTI_PROCESSOR_COUNT", cuda_multiprocessors},
        {"WARP_SIZE", cuda_warp_size},
#define ATTRIBUTE(name, number, elsewhere, doc) {#name, cuda_attribute_##name},
#include "lang/typed/cuda_attribute.def"
#undef ATTRIBUTE
    };
    gpa_code rc = native_return(v_dict(vm), out);
    for (size_t i = 0; i < COUNT_OF(rows) && !rc; i++) {
        char name[64];
        value v;
        rc = rows[i].get(vm, argv, &v);
        camel_case(rows[i].name, name, sizeof name);
        if (!rc) rc = dict_set_text(vm, out->dict, name, v);
    }
    if (rc) value_release(vm, *out);
    return rc;
}

gpa_code cuda_pci_bus_id(gpa_vm *vm, value *argv, value *out) {
    gpa_code (*const parts[])(gpa_vm *, value *, value *) = {
        cuda_attribute_PCI_DOMAIN_ID, cuda_attribute_PCI_BUS_ID, cuda_attribute_PCI_DEVICE_ID};
    unsigned at[3];
    char text[32];
    for (int i = 0; i < 3; i++) {
        value v;
        gpa_code rc = parts[i](vm, argv, &v);
        if (rc) return rc;
        at[i] = (unsigned)v.i;
    }
    snprintf(text, sizeof text, "%04X:%02X:%02X.0", at[0], at[1], at[2]);
    return native_return(v_cstr(vm, text), out);
}

/* Compute capability (major, minor); (0, 0) of devices other than GPUs. */
gpa_code cuda_capability(gpa_vm *vm, value *argv, value *out) {
    rt_facts f;
    gpa_code rc = facts_of(vm, argv[0], &f);
    return rc ? rc : native_return(v_tuple(vm, 2, (value[]){v_int(f.major), v_int(f.minor)}), out);
}

gpa_code cuda_description(gpa_vm *vm, value *argv, value *out) {
    rt_facts f;
    gpa_code rc = facts_of(vm, argv[0], &f);
    return rc ? rc : native_return(v_cstr(vm, f.description), out);
}
