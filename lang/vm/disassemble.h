/* Disassembler for bytecode. */
#ifndef GPA_VM_DISASSEMBLE_H
#define GPA_VM_DISASSEMBLE_H

#include "lang/compile/code.h"

/* Appends one line per instruction; compiled inner codes follow their outer one. */
void code_print(gpa_vm *vm, const code *c, gpa_str *out);

#endif
