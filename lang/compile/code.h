/* Bytecode: what the compiler makes of a body and the machine runs.
 *
 * The code of a function is made at its first call. Until then only its facts (name, node, scope)
 * are there. */
#ifndef GPA_COMPILE_CODE_H
#define GPA_COMPILE_CODE_H

#include "lang/syntax/ast.h"
#include "lang/compile/typed_interface.h"
#include "lang/object/module.h"

typedef enum {
#define OPC(name, words, layout) I_##name,
#include "lang/compile/opcode.def"
#undef OPC
    I_COUNT
} opcode;

/* One word. A jump's d counts words from the word itself. */
typedef union ins {
    struct {
        uint16_t op, a, b, c;
    };
    struct {
        uint16_t op_, a_;
        int32_t d;
    };
    struct {
        uint32_t sym, cache;
    };
} ins;

/* Instructions [lo, hi) are guarded: an exception clears the temporaries from `depth` on, goes into
 * register `reg`, and control to `to`. Where several hold, the highest `level` does. */
typedef struct {
    uint32_t lo, hi, to, level;
    uint16_t reg, depth;
} code_guard;

/* Instructions [lo, hi) handle the exception in `reg`: what a bare raise means. */
typedef struct {
    uint32_t lo, hi;
    uint16_t reg;
} code_handler;

/* What an attribute instruction found last time. */
typedef struct {
    uint32_t tag; /* of the object; V_UNSET: nothing yet */
    uint32_t slot;
    const void *owner; /* MODULE: the module, with the variable's slot */
    const struct native *row;
} attr_cache;

typedef struct code {
    int32_t refs;
    gpa_sym name;
    gpa_sym title;        /* "Foo.method" of a function in a class; 0: its name */
    ast_module *ast;      /* counted */
    const ast_node *node; /* FUNCTION, CLASS, GENEXP; NULL: the module's body */
    const ast_scope *scope;
    bool compiled, simple; /* simple: positional parameters only */
    const struct func_obj
        *jit;     /* whose loops are compiled (typed/lift.h): its function; else NULL */
    bool lenient; /* jit: zero divides as NumPy's does */
    uint16_t n_params, n_vars, n_consts_in_frame,
        n_regs; /* registers: variables, number constants, temporaries */
    uint16_t first_temp;
    ins *ins;
    const ast_node **nodes; /* of each word: what it was compiled from, for places */
    uint32_t n_ins;
    value *consts; /* the first n_consts_in_frame are copied into each frame */
    uint32_t n_consts;
    struct code **inner;
    uint32_t n_inner;
    typed_lift **lifts;
    uint32_t n_lifts;
    code_guard *guards;
    uint32_t n_guards;
    code_handler *handlers;
    uint32_t n_handlers;
    attr_cache *caches;
    uint32_t n_caches;
} code;

/* Code that is not compiled yet. NULL when memory is short. node NULL: the body of the module. */
code *code_new(ast_module *m, const ast_node *node, const ast_scope *scope, gpa_sym name);
static inline code *code_retain(code *c) {
    c->refs++;
    return c;
}
void code_release(gpa_vm *vm, code *c); /* NULL is ignored */

/* The innermost guard of an instruction, or NULL. */
const code_guard *code_guard_at(const code *c, const ins *at);

extern const uint8_t code_words[I_COUNT];
const char *code_op_name(unsigned op);
/* The layout of an instruction's operands: the last column of opcode.def. */
const char *code_layout(unsigned op);

/* Compiles a body whose globals are `in`. `show_last`: the module returns the value of its last
 * statement when that is an expression. Fails with GPA_E_MEMORY, or GPA_E_SYNTAX for a body beyond
 * the machine's limits; the error is in vm_err. */
gpa_code compile_code(gpa_vm *vm, code *c, module_obj *in, bool show_last);

#endif
