/* cuda's streams, events and contexts. Work is queued in order, so all streams are one; waiting is what they are for. An event is
 * the time when all work before it was done.
 *
 * Reading order: waiting, streams, events, contexts, devices. */
#include <time.h>

#include "lang/builtin/all.h"
#include "lang/builtin/kinds.h"
#include "lang/vm.h"

/* ---- waiting ---- */

static gpa_code wait_all(gpa_vm *vm) {
    gpa_code rc = rt_flush(vm_rt(vm), vm_err(vm));
    return rc ? rc : rt_sync(vm_rt(vm), vm_err(vm));
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* ---- streams ---- */

static gpa_code stream_enter(gpa_vm *vm, object_obj *o, value *out) {
    (void)vm;
    *out = value_retain(v_obj(V_OBJECT, o));
    return GPA_OK;
}

/* After an exception the work is waited for as well, but what was raised stays. */
static gpa_code stream_exit(gpa_vm *vm, object_obj *o, value exc, bool *swallow) {
    gpa_err quiet = {0};
    (void)o;
    *swallow = false;
    if (exc.tag != V_EXCEPTION) return wait_all(vm);
    rt_sync(vm_rt(vm), &quiet);
    return GPA_OK;
}

const object_kind cuda_stream_kind = {.type_name = "numba.cuda.Stream", .enter = stream_enter, .exit = stream_exit};

gpa_code cuda_stream(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    return native_give(v_object(vm, &cuda_stream_kind, 0), out);
}

gpa_code cuda_wait(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return wait_all(vm);
}

gpa_code cuda_itself(gpa_vm *vm, value *argv, value *out) {
    (void)vm;
    *out = value_retain(argv[0]);
    return GPA_OK;
}

gpa_code cuda_nothing(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv, (void)out;
    return GPA_OK;
}

/* ---- events ---- */

enum { EVENT_TIME, EVENT_FIELDS };

const object_kind cuda_event_kind = {.type_name = "numba.cuda.Event"};

gpa_code cuda_event(gpa_vm *vm, value *argv, value *out) { /* timing */
    (void)argv;
    return native_give(v_object(vm, &cuda_event_kind, EVENT_FIELDS), out);
}

gpa_code cuda_event_record(gpa_vm *vm, value *argv, value *out) { /* self, stream */
    (void)out;
    gpa_code rc = wait_all(vm);
    if (!rc) argv[0].object->fields[EVENT_TIME] = v_float(now());
    return rc;
}

gpa_code cuda_event_query(gpa_vm *vm, value *argv, value *out) {
    (void)vm, (void)argv;
    *out = v_bool(true);
    return GPA_OK;
}

gpa_code cuda_event_elapsed(gpa_vm *vm, value *argv, value *out) { /* self, evtend */
    bool event = argv[1].tag == V_OBJECT && argv[1].object->kind == &cuda_event_kind;
    if (!event) return vm_fail(vm, GPA_E_TYPE, "an event is needed, not a '%s'", value_type_name(argv[1]));
    value a = argv[0].object->fields[EVENT_TIME], b = argv[1].object->fields[EVENT_TIME];
    if (a.tag != V_FLOAT || b.tag != V_FLOAT) return vm_fail(vm, GPA_E_DEVICE, "an event that was not recorded has no time");
    *out = v_float(b.f - a.f);
    return GPA_OK;
}

/* ---- contexts ---- */

const object_kind cuda_context_kind = {.type_name = "numba.cuda.Context"};

gpa_code cuda_context(gpa_vm *vm, value *argv, value *out) { /* devnum */
    (void)argv;
    return native_give(v_object(vm, &cuda_context_kind, 0), out);
}

gpa_code cuda_memory_info(gpa_vm *vm, value *argv, value *out) {
    uint64_t free_bytes, total;
    const char *name;
    (void)argv;
    gpa_code rc = rt_find_device(vm_rt(vm), rt_device(vm_rt(vm)), &name, &free_bytes, &total, vm_err(vm));
    if (rc) return rc;
    value name_ = v_cstr(vm, "MemoryInfo"), both = v_tuple(vm, 2, (value[]){v_int((int64_t)free_bytes), v_int((int64_t)total)});
    rc = name_.tag == V_UNSET || both.tag == V_UNSET ? GPA_E_MEMORY : np_named(vm, (value[]){name_, both}, out);
    value_release(vm, name_);
    value_release(vm, both);
    return rc;
}

gpa_code cuda_context_device(gpa_vm *vm, value *argv, value *out) { return numba_current_device(vm, argv, out); }

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

gpa_code cuda_max_threads(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], threads_of, out); }
gpa_code cuda_max_shared(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], shared_of, out); }
gpa_code cuda_units(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], units_of, out); }
gpa_code cuda_warp_size(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], warp_of, out); }
gpa_code cuda_max_depth(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], depth_of, out); }
gpa_code cuda_max_grid(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], grid_of, out); }
gpa_code cuda_max_rows(gpa_vm *vm, value *argv, value *out) { return fact(vm, argv[0], rows_of, out); }

#define ATTRIBUTE(name, number, elsewhere, doc)                                                                                    \
    gpa_code cuda_attribute_##name(gpa_vm *vm, value *argv, value *out) {                                                          \
        *out = v_int(elsewhere);                                                                                                   \
        return rt_attribute(vm_rt(vm), argv[0].object->fields[0].str->text, number, elsewhere, &out->i, vm_err(vm));               \
    }
#include "lang/builtin/attribute.def"
#undef ATTRIBUTE

/* The version of a GPU's architecture; (0, 0) of other devices. */
gpa_code cuda_capability(gpa_vm *vm, value *argv, value *out) {
    rt_facts f;
    gpa_code rc = facts_of(vm, argv[0], &f);
    return rc ? rc : native_give(v_tuple(vm, 2, (value[]){v_int(f.major), v_int(f.minor)}), out);
}

gpa_code cuda_description(gpa_vm *vm, value *argv, value *out) {
    rt_facts f;
    gpa_code rc = facts_of(vm, argv[0], &f);
    return rc ? rc : native_give(v_cstr(vm, f.description), out);
}
