/* What became of a kernel: its types, programs, generated code, resources. */
#include <stdlib.h>
#include <string.h>

#include "lang/builtin/all.h"
#include "lang/container.h"
#include "lang/typed/cuda.h"
#include "lang/typed/typed.h"

/* "(float64[:], int)" */
static void put_types(const typed_fn *t, gpa_str *out) {
    str_putc(out, '(');
    for (int i = 0; i < t->n_args; i++) str_printf(out, "%s%s", i ? ", " : "", typed_name(t->args[i]));
    str_put(out, t->n_args == 1 ? ",)" : ")");
}

static value types_of(gpa_vm *vm, const typed_fn *t) {
    gpa_str text;
    str_init(&text);
    put_types(t, &text);
    return v_str_take(vm, &text);
}

static gpa_code nothing_yet(gpa_vm *vm) { return vm_fail(vm, GPA_E_VALUE, "the kernel has not been compiled: launch it first"); }

/* A dict of texts by types. */
static gpa_code texts(gpa_vm *vm, value kernel, arr_text what, value *out) {
    value d = v_dict(vm);
    gpa_code rc = d.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
    for (typed_fn *t = cuda_compiled(kernel.object); t && !rc; t = t->next) {
        gpa_str text;
        str_init(&text);
        rc = arr_program_text(vm_rt(vm), t->f, &t->memo, what, &text, vm_err(vm));
        value key = rc ? v_none() : types_of(vm, t), v = v_str_take(vm, &text);
        if (!rc && (key.tag == V_UNSET || v.tag == V_UNSET)) rc = GPA_E_MEMORY;
        if (!rc) rc = dict_set(vm, d.dict, key, v);
        value_release(vm, key);
        value_release(vm, v);
    }
    if (rc) value_release(vm, d);
    else *out = d;
    return rc;
}

gpa_code cuda_inspect_source(gpa_vm *vm, value *argv, value *out) { return texts(vm, argv[0], ARR_SOURCE, out); }
gpa_code cuda_inspect_llvm(gpa_vm *vm, value *argv, value *out) { return texts(vm, argv[0], ARR_IR, out); }
gpa_code cuda_inspect_asm(gpa_vm *vm, value *argv, value *out) { return texts(vm, argv[0], ARR_ASM, out); }
gpa_code cuda_inspect_resources(gpa_vm *vm, value *argv, value *out) { return texts(vm, argv[0], ARR_RESOURCES, out); }

gpa_code cuda_inspect_types(gpa_vm *vm, value *argv, value *out) { /* self, file, signature */
    gpa_str text;
    gpa_code rc = GPA_OK;
    (void)out;
    str_init(&text);
    for (typed_fn *t = cuda_compiled(argv[0].object); t; t = t->next) {
        str_printf(&text, "%s ", func_name(vm, argv[0].object->fields[0].func));
        put_types(t, &text);
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
    if (rc) value_release(vm, list);
    else *out = list;
    return rc;
}

/* The number that stands before a word of the resources. */
static gpa_code number_before(gpa_vm *vm, value kernel, const char *word, value *out) {
    typed_fn *t = cuda_compiled(kernel.object);
    gpa_str text;
    if (!t) return nothing_yet(vm);
    str_init(&text);
    gpa_code rc = arr_program_text(vm_rt(vm), t->f, &t->memo, ARR_RESOURCES, &text, vm_err(vm));
    const char *at = rc ? NULL : strstr(text.text, word);
    *out = v_int(0);
    if (at) {
        while (at > text.text && at[-1] != ',') at--;
        *out = v_int(strtoll(at, NULL, 10));
    }
    str_free(&text);
    return rc;
}

gpa_code cuda_registers(gpa_vm *vm, value *argv, value *out) { return number_before(vm, argv[0], " registers", out); }

/* Bytes of the arrays of this kind. */
static gpa_code bytes_of(gpa_vm *vm, value kernel, bool shared, value *out) {
    typed_fn *t = cuda_compiled(kernel.object);
    if (!t) return nothing_yet(vm);
    *out = v_int((int64_t)typed_own_bytes(t, shared));
    return GPA_OK;
}

gpa_code cuda_shared_bytes(gpa_vm *vm, value *argv, value *out) { return bytes_of(vm, argv[0], true, out); }
gpa_code cuda_local_bytes(gpa_vm *vm, value *argv, value *out) { return bytes_of(vm, argv[0], false, out); }
