/* Interface to lang/format/: the text of values. vm_repr, vm_str, vm_format and vm_fail_showing
 * (lang/vm/native.h) call it. Defined in lang/format/format.c. */
#ifndef GPA_VM_FORMAT_INTERFACE_H
#define GPA_VM_FORMAT_INTERFACE_H

#include "lang/vm/native.h"

typedef struct {
    /* Each appends to *out. */
    gpa_code (*repr)(gpa_vm *vm, value v, gpa_str *out);
    gpa_code (*str)(gpa_vm *vm, value v, gpa_str *out);
    gpa_code (*ascii)(gpa_vm *vm, value v, gpa_str *out);
    gpa_code (*format)(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out);
    gpa_code (*percent)(gpa_vm *vm, const str_obj *fmt, value args, gpa_str *out); /* fmt % args */
    gpa_code (*fail_showing)(gpa_vm *vm, gpa_code code, const char *before, value v,
                             const char *after);
} format_interface;
extern const format_interface formatter;

#endif
