/* repr, str and format of every value: vm_repr, vm_str and vm_format (lang/vm/native.h) call
 * format.c through lang/vm/format_interface.h. Declared here are the parts that the methods of str
 * use. */
#ifndef GPA_FORMAT_FORMAT_H
#define GPA_FORMAT_FORMAT_H

#include "lang/vm/native.h"

/* Quoted text with escapes, as repr() of a str; `ascii`: characters above 127 are escaped too, as
 * in ascii(). */
void format_quoted(gpa_str *out, const char *text, size_t n, bool ascii);
/* ascii(v). */
gpa_code format_ascii(gpa_vm *vm, value v, gpa_str *out);
/* str() and repr() of an exception, ignoring its class's methods. */
gpa_code format_exception_str(gpa_vm *vm, const exc_obj *e, gpa_str *out);
gpa_code format_exception_repr(gpa_vm *vm, const exc_obj *e, gpa_str *out);
/* str % args. */
gpa_code format_percent(gpa_vm *vm, const str_obj *fmt, value args, gpa_str *out);
/* str.format: positional arguments and keyword ones (a DICT or UNSET). */
gpa_code format_braces(gpa_vm *vm, const str_obj *fmt, const tuple_obj *args, value kwargs,
                       gpa_str *out);
/* format(v, spec) for a number or text by the format mini-language (lang/format/format_spec.c). */
gpa_code spec_format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out);

#endif
