/* Kernel introspection: inspect_types, inspect_asm and the like, registers, shared memory,
 * occupancy. */
#include <string.h>

#include "lang/typed/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/typed/sass.h"
#include "lang/typed/cuda.h"
#include "lang/typed/typed.h"

/* "(float64[:], int)" */
static void print_types(const typed_fn *t, gpa_str *out) {
    str_putc(out, '(');
    typed_print_types(t->args, t->n_args, out);
    str_put(out, t->n_args == 1 ? ",)" : ")");
}

static value types_of(gpa_vm *vm, const typed_fn *t) {
    gpa_str text;
    str_init(&text);
    print_types(t, &text);
    return v_str_take(vm, &text);
}

static gpa_code not_compiled_yet(gpa_vm *vm) {
    return vm_fail(vm, GPA_E_VALUE, "the kernel has not been compiled: launch it first");
}

/* A dict from argument types to generated text of kind `what`. */
static gpa_code texts(gpa_vm *vm, value kernel, arr_text what, value *out) {
    value d = v_dict(vm);
    gpa_code rc = d.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (typed_fn *t = cuda_compiled(kernel.object); t && !rc; t = t->next) {
        gpa_str text;
        str_init(&text);
        rc = arr_program_text(vm_rt(vm), t->f, &t->cache, what, &text, vm_err(vm));
        value key = rc ? v_none() : types_of(vm, t), v = v_str_take(vm, &text);
        if (!rc && (key.tag == V_UNSET || v.tag == V_UNSET)) rc = GPA_E_MEMORY;
        if (!rc) rc = dict_set(vm, d.dict, key, v);
        value_release(vm, key);
        value_release(vm, v);
    }
    return native_finish(vm, rc, d, out);
}

gpa_code cuda_inspect_sass(gpa_vm *vm, value *argv, value *out) { /* self, signature */
    value asm_ = v_none();
    gpa_code rc = texts(vm, argv[0], ARR_ASM, &asm_);
    if (!rc) rc = native_return(v_dict(vm), out);
    size_t at = 0;
    for (dict_entry *x; !rc && (x = dict_next(asm_.dict, &at));) {
        const str_obj *ptx = x->v.str;
        gpa_str text;
        str_init(&text);
        if (!rt_has_cuda_code(vm_rt(vm)))
            str_put(&text, ptx->text);
        else if (!sass_of_ptx(ptx->text, ptx->size, &text))
            rc = vm_fail(vm, GPA_E_RUNTIME, "ptxas and cuobjdump, of the CUDA toolkit, are needed");
        value v = v_str_take(vm, &text);
        if (!rc) rc = v.tag == V_UNSET ? GPA_E_MEMORY : dict_set(vm, out->dict, x->key, v);
        value_release(vm, v);
    }
    value_release(vm, asm_);
    if (rc) value_release(vm, *out);
    return rc;
}

gpa_code cuda_inspect_source(gpa_vm *vm, value *argv, value *out) {
    return texts(vm, argv[0], ARR_SOURCE, out);
}
gpa_code cuda_inspect_llvm(gpa_vm *vm, value *argv, value *out) {
    return texts(vm, argv[0], ARR_IR, out);
}
gpa_code cuda_inspect_asm(gpa_vm *vm, value *argv, value *out) {
    return texts(vm, argv[0], ARR_ASM, out);
}
gpa_code cuda_inspect_resources(gpa_vm *vm, value *argv, value *out) {
    return texts(vm, argv[0], ARR_RESOURCES, out);
}

gpa_code cuda_inspect_types(gpa_vm *vm, value *argv, value *out) { /* self, file, signature */
    gpa_str text;
    gpa_code rc = GPA_OK;
    (void)out;
    str_init(&text);
    for (typed_fn *t = cuda_compiled(argv[0].object); t; t = t->next) {
        str_printf(&text, "%s ", func_name(vm, argv[0].object->fields[0].func));
        print_types(t, &text);
        str_putc(&text, '\n');
        str_fill(&text, '-', 80);
        str_putc(&text, '\n');
        typed_print(t, &text);
        str_putc(&text, '\n');
    }
    if (text.failed) rc = vm_no_memory(vm);
    if (!rc) rc = vm_write(vm, false, text.text, text.len);
    str_free(&text);
    return rc;
}

gpa_code cuda_signatures(gpa_vm *vm, value *argv, value *out) {
    value list = v_list(vm, 0, NULL);
    gpa_code rc = list.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (typed_fn *t = cuda_compiled(argv[0].object); t && !rc; t = t->next) {
        value v = types_of(vm, t);
        rc = v.tag == V_UNSET ? GPA_E_MEMORY : list_append(vm, list.list, v);
        value_release(vm, v);
    }
    return native_finish(vm, rc, list, out);
}

gpa_code cuda_overloads(gpa_vm *vm, value *argv, value *out) {
    gpa_code rc = native_return(v_dict(vm), out);
    for (typed_fn *t = cuda_compiled(argv[0].object); t && !rc; t = t->next) {
        value key = types_of(vm, t);
        rc = key.tag == V_UNSET ? GPA_E_MEMORY : dict_set(vm, out->dict, key, argv[0]);
        value_release(vm, key);
    }
    return rc;
}

/* A resource figure of the kernel compiled last: as the device reports it, else computed from
 * the program. */
static gpa_code resource(gpa_vm *vm, value kernel, raw_fact which, value *out) {
    typed_fn *t = cuda_compiled(kernel.object);
    int64_t v;
    rt_facts f;
    if (!t) return not_compiled_yet(vm);
    gpa_code rc = arr_program_fact(vm_rt(vm), t->f, &t->cache, which, &v, vm_err(vm));
    if (!rc && v < 0) rc = rt_launch_facts(vm_rt(vm), rt_device(vm_rt(vm)), &f, vm_err(vm));
    if (rc) return rc;
    bool program_fact = which == RAW_SHARED || which == RAW_LOCAL;
    *out = v_int(v >= 0                     ? v
                 : program_fact             ? (int64_t)typed_array_bytes(t, which == RAW_SHARED)
                 : which == RAW_MAX_THREADS ? f.max_threads
                                            : 0);
    return GPA_OK;
}

gpa_code cuda_registers(gpa_vm *vm, value *argv, value *out) {
    return resource(vm, argv[0], RAW_REGISTERS, out);
}
gpa_code cuda_shared_bytes(gpa_vm *vm, value *argv, value *out) {
    return resource(vm, argv[0], RAW_SHARED, out);
}
gpa_code cuda_local_bytes(gpa_vm *vm, value *argv, value *out) {
    return resource(vm, argv[0], RAW_LOCAL, out);
}
gpa_code cuda_const_bytes(gpa_vm *vm, value *argv, value *out) {
    return resource(vm, argv[0], RAW_CONST, out);
}
gpa_code cuda_threads_of_block(gpa_vm *vm, value *argv, value *out) {
    return resource(vm, argv[0], RAW_MAX_THREADS, out);
}

gpa_code cuda_context_blocks(gpa_vm *vm, value *argv,
                             value *out) { /* self, func, blocksize, memsize, flags */
    bool kernel = is_kind(argv[1], &cuda_kernel_kind);
    if (!kernel)
        return vm_fail(vm, GPA_E_TYPE, "a kernel is needed here, not a '%s'",
                       value_type_name(argv[1]));
    return cuda_active_blocks(vm, argv + 1, out);
}

gpa_code cuda_active_blocks(gpa_vm *vm, value *argv, value *out) { /* self, blocksize, sharedmem */
    typed_fn *t = cuda_compiled(argv[0].object);
    int64_t threads, shared;
    gpa_code rc = arg_int(vm, argv[1], "blocksize", &threads);
    if (!rc) rc = arg_int(vm, argv[2], "sharedmem", &shared);
    if (!rc && (threads < 1 || threads > 1024))
        rc = vm_fail(vm, GPA_E_VALUE, "a block has from 1 to 1024 threads, not %lld",
                     (long long)threads);
    if (!rc && (shared < 0 || shared > INT32_MAX))
        rc = vm_fail(vm, GPA_E_VALUE, "sharedmem cannot be %lld bytes", (long long)shared);
    if (!rc && !t) rc = not_compiled_yet(vm);
    if (rc) return rc;
    *out = v_int(0);
    rc = arr_program_blocks(vm_rt(vm), t->f, &t->cache,
                            &(arr_block){(uint32_t)threads, (uint32_t)shared}, &out->i, vm_err(vm));
    if (!rc && out->i < 0) out->i = 1; /* other devices run one block per thread of the pool */
    return rc;
}
