/* Code generation for one element. */
#ifndef GPA_CPU_EMIT_EMIT_SCALAR_H
#define GPA_CPU_EMIT_EMIT_SCALAR_H

#include "runtime/cpu/emit/target.h"
#include "runtime/ir/kir.h"

/* A module with one gpa_op_fn for f, which is as gpa_backend.build_scalar wants it. */
gpa_code emit_scalar(cpu_target *t, const kir_func *f, LLVMModuleRef *out, gpa_err *e);

#endif
