/* RawKernel, RawModule and SourceModule: kernels in CUDA C written by the program.
 *
 * A module holds the source and compiles it when one of its kernels is first launched (or an
 * attribute is read), for the current device. A kernel is a name in a module. The calling
 * convention is that of the module's maker: CuPy's kernel(grid, block, args) or, from SourceModule,
 * PyCUDA's kernel(*args, block=..., grid=...).
 *
 * Reading order: modules, arguments, launches, the functions of raw.def. */
#include <stdio.h>
#include <string.h>

#include "lang/numpy/all.h"
#include "lang/vm/kinds.h"
#include "lang/numpy/raw_params.h"
#include "runtime/programs.h"

enum { CODE, OPTIONS, NAMES, FROM_SOURCE_MODULE, PLAIN, MODULE_FIELDS }; /* of a module */
enum { MODULE, NAME, KERNEL_FIELDS };                                    /* of a kernel */
enum { MAX_STRINGS = 64 };

/* A compiled module. */
typedef struct {
    rt_raw *raw;
    char device[16];
} compiled;

static void free_module(gpa_vm *vm, object_obj *o) {
    compiled *c = o->data;
    if (c) rt_raw_free(vm_rt(vm), c->raw);
    mem_free(c);
}

/* ---- modules ---- */

/* The strings of a tuple, borrowed. */
static gpa_code read_texts(gpa_vm *vm, value v, const char *what, const char **out, size_t *n) {
    *n = v.tuple->count;
    if (*n > MAX_STRINGS) return vm_fail(vm, GPA_E_VALUE, "%zu %s are too many", *n, what);
    for (size_t i = 0; i < *n; i++) {
        if (v.tuple->items[i].tag != V_STR)
            return vm_fail(vm, GPA_E_TYPE, "%s must be texts, not '%s'", what,
                           value_type_name(v.tuple->items[i]));
        out[i] = v.tuple->items[i].str->text;
    }
    return GPA_OK;
}

/* The module compiled for the current device. */
static gpa_code compile(gpa_vm *vm, object_obj *m, rt_raw **out) {
    const char *options[MAX_STRINGS], *names[MAX_STRINGS], *device = rt_device(vm_rt(vm));
    compiled *c = m->data;
    raw_source s = {.text = m->fields[CODE].str->text,
                    .file = "kernel.cu",
                    .options = options,
                    .names = names,
                    .plain_names = m->fields[PLAIN].i};
    if (!c && !(c = m->data = mem_zero(sizeof *c))) return vm_no_memory(vm);
    if (c->raw && (strcmp(c->device, device) || rt_raw_is_lost(c->raw))) {
        rt_raw_free(vm_rt(vm), c->raw);
        c->raw = NULL;
    }
    gpa_code rc = GPA_OK;
    if (!c->raw) {
        rc = read_texts(vm, m->fields[OPTIONS], "options", options, &s.n_options);
        if (!rc) rc = read_texts(vm, m->fields[NAMES], "name expressions", names, &s.n_names);
        if (!rc) rc = rt_raw_new(vm_rt(vm), &s, &c->raw, vm_err(vm));
        snprintf(c->device, sizeof c->device, "%s", device);
    }
    *out = c->raw;
    return rc;
}

static gpa_code tuple_of(gpa_vm *vm, value v, value *out) {
    value list = v_unset();
    if (v.tag == V_NONE || v.tag == V_UNSET) return native_return(v_tuple(vm, 0, NULL), out);
    if (v.tag == V_STR) return native_return(v_tuple(vm, 1, &v), out);
    gpa_code rc = vm_collect(vm, v, &list);
    if (!rc) rc = native_return(v_tuple(vm, list.list->count, list.list->items), out);
    value_release(vm, list);
    return rc;
}

/* The arguments of RawModule: source, compiler options, names of C++ functions. */
typedef struct {
    value code, options, names;
    bool source_module; /* pycuda's SourceModule, else cupy's RawModule */
    bool plain;         /* the whole source has C linkage */
} module_spec;

static gpa_code make_module(gpa_vm *vm, const module_spec *m, value *out) {
    const char *text;
    size_t n;
    gpa_code rc = arg_text(vm, m->code, "code", &text, &n);
    if (!rc && strlen(text) != n) rc = vm_fail(vm, GPA_E_VALUE, "embedded null character");
    value o = rc ? v_unset() : v_object(vm, &raw_module_kind, MODULE_FIELDS);
    if (o.tag == V_UNSET) return rc ? rc : GPA_E_MEMORY;
    o.object->fields[CODE] = value_retain(m->code);
    o.object->fields[FROM_SOURCE_MODULE] = v_bool(m->source_module);
    o.object->fields[PLAIN] = v_bool(m->plain);
    rc = tuple_of(vm, m->options, &o.object->fields[OPTIONS]);
    if (!rc) rc = tuple_of(vm, m->names, &o.object->fields[NAMES]);
    return native_finish(vm, rc, o, out);
}

static gpa_code make_kernel(gpa_vm *vm, value module, value name, value *out) {
    const char *text;
    size_t n;
    gpa_code rc = arg_text(vm, name, "name", &text, &n);
    value o = rc ? v_unset() : v_object(vm, &raw_kernel_kind, KERNEL_FIELDS);
    if (o.tag == V_UNSET) return rc ? rc : GPA_E_MEMORY;
    o.object->fields[MODULE] = value_retain(module);
    o.object->fields[NAME] = value_retain(name);
    *out = o;
    return GPA_OK;
}

static object_obj *module_of(const object_obj *k) { return k->fields[MODULE].object; }
static const char *name_of(const object_obj *k) { return k->fields[NAME].str->text; }

/* ---- arguments ---- */

/* A parameter of a kernel, for messages too. */
typedef struct {
    const char *kernel;
    size_t index;
    const raw_param *p;
} parameter;

/* `bytes`: memory allocated by hand is an array of bytes, accepted for any pointer. */
static gpa_code array_argument(gpa_vm *vm, const parameter *at, gpa_arr *a, bool bytes,
                               rt_raw_arg *to) {
    const raw_param *p = at->p;
    const char *name = at->kernel;
    size_t i = at->index;
    const char *type = dtype_info[a->dtype].name;
    if (p->known && !p->pointer)
        return vm_fail(vm, GPA_E_TYPE, "argument %zu of %s() is a number ('%s'), not an array",
                       i + 1, name, p->text);
    if (p->type != DT_NONE && p->type != (gpa_dtype)a->dtype && !(bytes && a->dtype == DT_U8))
        return vm_fail(vm, GPA_E_TYPE, "argument %zu of %s() is an array of %s ('%s'), not of %s",
                       i + 1, name, dtype_info[p->type].name, p->text, type);
    if (!arr_is_contiguous(a) && !arr_is_f_contiguous(a)) {
        gpa_code rc = vm_fail(vm, GPA_E_VALUE,
                              "argument %zu of %s() is not contiguous: a kernel receives only the "
                              "address of its first element",
                              i + 1, name);
        gpa_err_hint(vm_err(vm), "np.ascontiguousarray makes a contiguous copy");
        return rc;
    }
    *to = (rt_raw_arg){.arr = a, .size = sizeof(void *)};
    return GPA_OK;
}

/* True if a number may be passed for a type: a Python number as in an expression with an array of
 * the type, a NumPy scalar by same_kind. */
static bool number_fits(const gpa_opnd *o, gpa_dtype to) {
    if (o->weak == WEAK_NO) return dtype_can_cast(o->dtype, to, CAST_SAME_KIND);
    return dtype_of_weak(o->weak, to) == to || dtype_can_cast(o->dtype, to, CAST_SAME_KIND);
}

static gpa_code number_argument(gpa_vm *vm, const parameter *at, value v, rt_raw_arg *to) {
    const raw_param *p = at->p;
    const char *name = at->kernel;
    size_t i = at->index;
    gpa_opnd o;
    value now = v_unset();
    if (p->known && p->pointer)
        return vm_fail(vm, GPA_E_TYPE, "argument %zu of %s() is an array ('%s'), not a number",
                       i + 1, name, p->text);
    gpa_code rc = value_computed(vm, v, &now);
    if (!rc) rc = arg_opnd(vm, now, &o);
    if (!rc) {
        gpa_dtype type = p->type != DT_NONE ? p->type : o.dtype;
        if (!number_fits(&o, type))
            rc = vm_fail(vm, GPA_E_TYPE,
                         "argument %zu of %s() has the type %s ('%s'), which a %s does not fit",
                         i + 1, name, dtype_info[type].name, p->text, value_type_name(v));
        *to = (rt_raw_arg){.size = dtype_size(type)};
        to->v = dtype_cast(o.v, o.dtype, type);
        gpa_val back = dtype_cast(to->v, type, o.dtype);
        bool negative = dtype_info[type].kind == 'U' && o.v.I64 < 0;
        if (!rc && o.weak == WEAK_INT && dtype_is_int(type) && (back.I64 != o.v.I64 || negative))
            rc = vm_fail(vm, GPA_E_OVERFLOW, "Python integer %lld out of bounds for %s",
                         (long long)o.v.I64, dtype_info[type].name);
        arg_opnd_release(vm, &o);
    }
    value_release(vm, now);
    return rc;
}

static gpa_code read_arguments(gpa_vm *vm, const object_obj *k, size_t n, const value *args,
                               rt_raw_arg *to) {
    raw_param params[RAW_MAX_ARGS];
    int known = raw_params(module_of(k)->fields[CODE].str->text, name_of(k), params);
    if (n > RAW_MAX_ARGS)
        return vm_fail(vm, GPA_E_TYPE, "a kernel has at most %d arguments, not %zu", RAW_MAX_ARGS,
                       n);
    if (known >= 0 && n != (size_t)known)
        return vm_fail(vm, GPA_E_TYPE, "%s() takes %d argument%s, not %zu", name_of(k), known,
                       known == 1 ? "" : "s", n);
    for (size_t i = 0; i < n; i++) {
        const raw_param nothing = {.type = DT_NONE}, *p = known >= 0 ? &params[i] : &nothing;
        value v = args[i];
        gpa_code rc = GPA_OK;
        bool number = v.tag == V_BOOL || v.tag == V_INT || v.tag == V_FLOAT || v.tag == V_NUM ||
                      v.tag == V_COMPLEX || (v.tag == V_ARRAY && v.aux);
        if (v.tag == V_ARRAY && !v.aux)
            rc = array_argument(vm, &(parameter){name_of(k), i, p}, v.array->arr,
                                module_of(k)->fields[FROM_SOURCE_MODULE].i, &to[i]);
        else if (number)
            rc = number_argument(vm, &(parameter){name_of(k), i, p}, v, &to[i]);
        else if (v.tag == V_NONE && (p->pointer || !p->known))
            to[i] = (rt_raw_arg){.size = sizeof(void *)};
        else
            rc = vm_fail(vm, GPA_E_TYPE,
                         "argument %zu of %s(): a kernel takes arrays and numbers, not a '%s'",
                         i + 1, name_of(k), value_type_name(v));
        if (rc) return rc;
    }
    return GPA_OK;
}

/* ---- launches ---- */

static gpa_code read_dims(gpa_vm *vm, value v, const char *what, uint32_t out[3]) {
    int64_t dims[3];
    int n;
    gpa_code rc = arg_ints(vm, v, what, 3, &n, dims);
    for (int i = 0; i < 3 && !rc; i++) {
        int64_t one = i < n ? dims[i] : 1;
        if (one < 1 || one > INT32_MAX)
            rc = vm_fail(vm, GPA_E_VALUE, "%s: %lld is not a number of %s", what, (long long)one,
                         *what == 'g' ? "blocks" : "threads");
        out[i] = (uint32_t)one;
    }
    return rc;
}

/* Configuration of a launch; shared: bytes of dynamic shared memory, or UNSET. */
typedef struct {
    value grid, block, shared;
} launch_config;

static gpa_code launch(gpa_vm *vm, object_obj *k, const launch_config *c, size_t n,
                       const value *args) {
    rt_raw_arg to[RAW_MAX_ARGS];
    uint32_t g[3], b[3];
    int64_t bytes = 0;
    rt_raw *raw;
    gpa_code rc = read_dims(vm, c->grid, "grid", g);
    if (!rc) rc = read_dims(vm, c->block, "block", b);
    if (!rc && c->shared.tag != V_UNSET) rc = arg_int(vm, c->shared, "shared_mem", &bytes);
    if (!rc && (bytes < 0 || bytes > INT32_MAX))
        rc = vm_fail(vm, GPA_E_VALUE, "%lld bytes of shared memory", (long long)bytes);
    if (!rc) rc = read_arguments(vm, k, n, args, to);
    if (!rc) rc = compile(vm, module_of(k), &raw);
    if (!rc)
        rc = rt_raw_run(
            vm_rt(vm), raw,
            &(rt_raw_launch){
                name_of(k), {g[0], g[1], g[2]}, {b[0], b[1], b[2]}, (uint32_t)bytes, to, n},
            vm_err(vm));
    return rc;
}

/* Extracts keyword arguments by name; *out[i] is unchanged if absent. */
static gpa_code keywords(gpa_vm *vm, const object_obj *k, const call_args *a,
                         const char *const *known, size_t n_known, value *out) {
    const value *names = a->names;
    for (size_t i = 0; i < a->n_named; i++) {
        size_t at = 0;
        while (at < n_known && strcmp(names[i].str->text, known[at])) at++;
        if (at == n_known)
            return vm_fail(vm, GPA_E_TYPE, "%s() got an unexpected keyword argument '%s'",
                           name_of(k), names[i].str->text);
        out[at] = a->values[a->n + i];
    }
    return GPA_OK;
}

/* CuPy: kernel(grid, block, args, *, shared_mem=0). */
static gpa_code call_cupy(gpa_vm *vm, object_obj *k, const call_args *a) {
    static const char *const known[] = {"grid", "block", "args", "shared_mem", "stream"};
    value v[5] = {v_unset(), v_unset(), v_unset(), v_unset(), v_unset()}, list = v_unset();
    if (a->n > 3)
        return vm_fail(vm, GPA_E_TYPE,
                       "%s() takes 3 positional arguments (grid, block, args), not %zu", name_of(k),
                       a->n);
    for (size_t i = 0; i < a->n; i++) v[i] = a->values[i];
    gpa_code rc = keywords(vm, k, a, known, COUNT_OF(known), v);
    for (size_t i = 0; i < 3 && !rc; i++)
        if (v[i].tag == V_UNSET)
            rc = vm_fail(vm, GPA_E_TYPE, "%s() missing required argument: '%s'", name_of(k),
                         known[i]);
    if (!rc) rc = vm_collect(vm, v[2], &list);
    if (!rc)
        rc = launch(vm, k, &(launch_config){v[0], v[1], v[3]}, list.list->count, list.list->items);
    value_release(vm, list);
    return rc;
}

/* PyCUDA: kernel(*args, block=(x, y, z), grid=(1, 1), shared=0, stream=None, ...). */
static gpa_code call_pycuda(gpa_vm *vm, object_obj *k, const call_args *a) {
    static const char *const known[] = {"block",  "grid",        "shared",
                                        "stream", "time_kernel", "texrefs"};
    value v[6] = {v_unset(), v_int(1), v_unset(), v_unset(), v_unset(), v_unset()};
    gpa_code rc = keywords(vm, k, a, known, COUNT_OF(known), v);
    if (!rc && v[0].tag == V_UNSET) rc = vm_fail(vm, GPA_E_VALUE, "must specify block size");
    return rc ? rc : launch(vm, k, &(launch_config){v[1], v[0], v[2]}, a->n, a->values);
}

static gpa_code call_kernel(gpa_vm *vm, object_obj *k, const call_args *a, value *out) {
    *out = v_none();
    return module_of(k)->fields[FROM_SOURCE_MODULE].i ? call_pycuda(vm, k, a) : call_cupy(vm, k, a);
}

static gpa_code repr_kernel(gpa_vm *vm, object_obj *k, gpa_str *out) {
    (void)vm;
    str_printf(out, "<CUDA C kernel %s>", name_of(k));
    return GPA_OK;
}

const object_kind raw_module_kind = {.type_name = "cupy.RawModule", .free = free_module};
const object_kind raw_kernel_kind = {
    .type_name = "cupy.RawKernel", .call = call_kernel, .repr = repr_kernel};

/* ---- functions of raw.def ---- */

/* Without name_expressions, a function of a source without extern "C" is looked up by its C++ name.
 */
gpa_code raw_kernel(gpa_vm *vm, value *argv, value *out) { /* code, name, options, ... */
    value module = v_unset(), names = v_none();
    bool plain = argv[0].tag == V_STR && argv[1].tag == V_STR &&
                 (strstr(argv[0].str->text, "extern \"C\"") && !strchr(argv[1].str->text, '<'));
    if (!plain && argv[1].tag == V_STR) names = argv[1];
    gpa_code rc = make_module(vm, &(module_spec){argv[0], argv[2], names, false, false}, &module);
    if (!rc) rc = make_kernel(vm, module, argv[1], out);
    value_release(vm, module);
    return rc;
}

static gpa_code read_source(gpa_vm *vm, const char *path, value *out) {
    gpa_str text;
    char part[4096];
    FILE *f = fopen(path, "rb");
    if (!f)
        return vm_fail(vm, GPA_E_FILE_NOT_FOUND, "[Errno 2] No such file or directory: '%s'", path);
    str_init(&text);
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;) str_putn(&text, part, n);
    fclose(f);
    return native_return(v_str_take(vm, &text), out);
}

gpa_code raw_module(gpa_vm *vm, value *argv,
                    value *out) { /* code, path, options, backend, translate_cucomplex, ...,
                                     name_expressions, jitify */
    const char *path;
    size_t n;
    value code = v_unset();
    if ((argv[0].tag == V_NONE) == (argv[1].tag == V_NONE))
        return vm_fail(vm, GPA_E_TYPE, "RawModule takes either code or path");
    gpa_code rc = GPA_OK;
    if (argv[0].tag != V_NONE)
        code = value_retain(argv[0]);
    else if (!(rc = arg_text(vm, argv[1], "path", &path, &n)))
        rc = read_source(vm, path, &code);
    if (!rc) rc = make_module(vm, &(module_spec){code, argv[2], argv[6], false, false}, out);
    value_release(vm, code);
    return rc;
}

gpa_code raw_source_module(gpa_vm *vm, value *argv, value *out) { /* code, options, plain */
    bool plain;
    gpa_code rc = value_truth(vm, argv[2], &plain);
    return rc ? rc : make_module(vm, &(module_spec){argv[0], argv[1], v_none(), true, plain}, out);
}

gpa_code raw_get_function(gpa_vm *vm, value *argv, value *out) {
    return make_kernel(vm, argv[0], argv[1], out);
}

gpa_code raw_compile(gpa_vm *vm, value *argv, value *out) {
    rt_raw *raw;
    (void)out;
    return compile(vm, argv[0].object, &raw);
}

gpa_code raw_kernel_compile(gpa_vm *vm, value *argv, value *out) {
    return raw_compile(vm, &argv[0].object->fields[MODULE], out);
}

static gpa_code return_field(const object_obj *o, int which, value *out) {
    *out = value_retain(o->fields[which]);
    return GPA_OK;
}

gpa_code raw_code(gpa_vm *vm, value *argv, value *out) {
    return (void)vm, return_field(argv[0].object, CODE, out);
}
gpa_code raw_options(gpa_vm *vm, value *argv, value *out) {
    return (void)vm, return_field(argv[0].object, OPTIONS, out);
}
gpa_code raw_name_expressions(gpa_vm *vm, value *argv, value *out) {
    return (void)vm, return_field(argv[0].object, NAMES, out);
}
gpa_code raw_name_of(gpa_vm *vm, value *argv, value *out) {
    return (void)vm, return_field(argv[0].object, NAME, out);
}
gpa_code raw_kernel_code(gpa_vm *vm, value *argv, value *out) {
    return (void)vm, return_field(module_of(argv[0].object), CODE, out);
}
gpa_code raw_kernel_options(gpa_vm *vm, value *argv, value *out) {
    return (void)vm, return_field(module_of(argv[0].object), OPTIONS, out);
}

static gpa_code return_attribute(gpa_vm *vm, object_obj *k, raw_fact which, value *out) {
    rt_raw *raw;
    int64_t v = 0;
    gpa_code rc = compile(vm, module_of(k), &raw);
    if (!rc) rc = rt_raw_fact(vm_rt(vm), raw, name_of(k), which, &v, vm_err(vm));
    *out = v_int(v);
    return rc;
}

gpa_code raw_fact_max_threads(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_MAX_THREADS, out);
}
gpa_code raw_fact_shared(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_SHARED, out);
}
gpa_code raw_fact_const(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_CONST, out);
}
gpa_code raw_fact_local(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_LOCAL, out);
}
gpa_code raw_fact_registers(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_REGISTERS, out);
}
gpa_code raw_fact_ptx(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_PTX, out);
}
gpa_code raw_fact_binary(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_BINARY, out);
}
gpa_code raw_fact_max_dynamic(gpa_vm *vm, value *argv, value *out) {
    return return_attribute(vm, argv[0].object, RAW_MAX_DYNAMIC, out);
}

gpa_code raw_attributes(gpa_vm *vm, value *argv, value *out) {
#define FACT(id, name) [RAW_##id] = name,
    static const char *const names[] = {
#include "runtime/tables/raw_fact.def"
    };
#undef FACT
    gpa_code rc = native_return(v_dict(vm), out);
    for (int i = 0; i < RAW_FACT_COUNT && !rc; i++) {
        value v;
        rc = return_attribute(vm, argv[0].object, (raw_fact)i, &v);
        if (!rc) rc = dict_set_text(vm, out->dict, names[i], v);
    }
    return rc;
}
