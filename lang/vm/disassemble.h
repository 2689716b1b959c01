/* Disassembler for bytecode. */
#ifndef GPA_VM_DISASSEMBLE_H
#define GPA_VM_DISASSEMBLE_H

#include "lang/compile/code.h"
#include "lang/text/source.h"

/* Appends one line per instruction: source line (with `s` not NULL), offset in words, opcode,
 * operands. `in`: the module of its globals. Compiled inner codes follow their outer one. */
void code_print(gpa_vm *vm, const code *c, const module_obj *in, const sources *s, gpa_str *out);

#endif
