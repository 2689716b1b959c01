/* Bytecode: instructions, constants and exception tables of one function or module body.
 *
 * The bytecode of a function is compiled at its first call. Until then only its metadata (name,
 * node, scope) is set. */
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

/* One instruction word. A jump's d counts words from the word itself. */
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

/* Exception table entry for instructions [lo, hi): an exception clears the temporaries from `depth`
 * on, is stored in register `reg`, and control continues at `to`. Of several entries the one with
 * the highest `level` applies. */
typedef struct {
    uint32_t lo, hi, to, level;
    uint16_t reg, depth;
} code_guard;

/* Instructions [lo, hi) run while the exception in `reg` is handled: a bare raise raises it again.
 */
typedef struct {
    uint32_t lo, hi;
    uint16_t reg;
} code_handler;

/* The number of callees in an OLD_ITEM that stands for callees that are not known. */
enum { OLD_ITEM_ALWAYS = UINT16_MAX };

/* Inline cache of an attribute instruction. */
typedef struct {
    uint32_t tag; /* tag of the object; V_UNSET: empty */
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
        *jit; /* the jitted function whose loops are compiled (typed_interface.h); else NULL */
    typed_calls *calls; /* jit: types of the calls; NULL: none yet */
    bool lenient;       /* jit: division by zero follows NumPy, not Python */
    uint16_t n_params, n_vars, n_consts_in_frame,
        n_regs; /* registers: variables, number constants, temporaries */
    uint16_t first_temp;
    ins *ins;
    uint16_t *ops; /* the opcodes, where the debugger has replaced some by BREAK; else NULL */
    const ast_node **nodes; /* of each word: its syntax node, for source locations */
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

/* The opcode of an instruction, also where the debugger has replaced it. */
static inline unsigned code_op(const code *c, const ins *i) {
    return c->ops ? c->ops[i - c->ins] : i->op;
}

/* Creates code that is not compiled yet. NULL when memory is short. node NULL: the body of the
 * module. */
code *code_new(ast_module *m, const ast_node *node, const ast_scope *scope, gpa_sym name);
static inline code *code_retain(code *c) {
    c->refs++;
    return c;
}
void code_release(gpa_vm *vm, code *c); /* NULL is ignored */

/* Parses the body of a function if that was left (parse_options.library). */
gpa_code code_parse(gpa_vm *vm, const code *c);

/* The innermost exception table entry that covers an instruction, or NULL. */
const code_guard *code_guard_at(const code *c, const ins *at);

extern const uint8_t code_words[I_COUNT];
const char *code_op_name(unsigned op);
/* The layout of an instruction's operands: the last column of opcode.def. */
const char *code_layout(unsigned op);

/* Compiles a body whose globals are `in`. `show_last`: the module returns the value of its last
 * statement if that is an expression. Fails with GPA_E_MEMORY, or GPA_E_SYNTAX for a body beyond
 * the machine's limits; the error is in vm_err. */
gpa_code compile_code(gpa_vm *vm, code *c, module_obj *in, bool show_last);

#endif
