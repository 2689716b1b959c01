/* Internals of the compiler: its state, and the functions shared by its files.
 *
 * Registers are allocated as a stack: temporaries from `top` on are free. An expression is compiled
 * in one of two ways: compile_into stores it in a given register; compile_any returns a register
 * that holds it, which may be that of a variable or number constant. A failure sets `failed` and
 * leaves the error in vm_err; compilation continues harmlessly. */
#ifndef GPA_COMPILE_COMPILE_H
#define GPA_COMPILE_COMPILE_H

#include "lang/compile/code.h"
#include "lang/object/core.h"

/* A jump target. Jumps to a target not yet reached are chained through their instruction words. */
typedef struct {
    int64_t at, chain; /* -1: none */
} label;
#define LABEL_NEW \
    { -1, -1 }

/* A statement that a jump out of it must clean up. */
typedef struct block block;
struct compiler;
struct block {
    block *outer;
    void (*leave)(struct compiler *c,
                  block *b); /* emits the clean-up for leaving early; may be NULL */
    const ast_node *node;
    bool loop, guarded;
    bool checks;     /* guarded: check for deferred errors before it is left */
    bool in_context; /* the same if the context manager in the enclosing block's register can
                        observe them */
    label brk, cont;
    uint16_t reg;   /* of the iterator, the exception, the context */
    uint16_t depth; /* guarded: the first temporary that an exception clears */
    uint32_t id, level;
    int64_t open; /* guarded: start of the current guarded range; -1: none */
};

typedef struct compiler {
    gpa_vm *vm;
    code *code;
    module_obj *globals;
    const ast_node *at; /* the node being compiled */
    ins *ins;
    const ast_node **nodes;
    size_t n_ins, cap_ins, cap_nodes, cap_consts, cap_inner, cap_guards, cap_handlers, cap_lifts;
    uint32_t top, high;
    uint32_t n_blocks; /* created so far: the next id */
    block *blocks;
    int32_t handling; /* the register of the exception being handled, or -1 */
    int32_t
        annotations; /* the slot of the annotations dict of the class body being compiled, or -1 */
    const ast_node *mask; /* o[mask] stands for o (compile_masked.c); NULL: none */
    bool walrus;          /* the body contains := : variables may change within an expression */
    bool measured;        /* vm_measure: unused values are computed, too */
    bool failed;
} compiler;

/* ---- compile.c: emitting ---- */

void compile_fail(compiler *c, gpa_code code, const char *text);
uint32_t emit(compiler *c, opcode op, uint32_t a, uint32_t b, uint32_t x);
uint32_t emit_d(compiler *c, opcode op, uint32_t a, int64_t d);
void emit_word(compiler *c, ins w);
void emit_name(compiler *c, gpa_sym name); /* the second word of attribute instructions */
void emit_return(compiler *c, uint32_t r);
/* Emits a jump to `l`: the word just emitted holds it in d. */
void emit_jump(compiler *c, opcode op, uint32_t a, label *l);
void emit_jump_word(compiler *c, label *l);
void label_here(compiler *c, label *l);
/* Allocates a temporary: the next one on the stack. */
uint32_t temp(compiler *c);
bool is_temp(const compiler *c, uint32_t r);
/* Adds a constant (consumed) and returns its number. */
uint32_t add_const(compiler *c, value v);
uint32_t add_text(compiler *c, const char *text, size_t n);
uint32_t add_inner(compiler *c, const ast_node *node, const ast_scope *scope, gpa_sym name);
/* The value of a literal (a number, str, None, ..., a tuple of literals), owned; UNSET for other
 * expressions. */
value literal_value(compiler *c, const ast_node *n);
/* The register of a number constant that the frame holds, or -1. */
int32_t const_register(compiler *c, const ast_node *n);

/* ---- compile_expr.c ---- */

void compile_into(compiler *c, const ast_node *n, uint32_t dst);
uint32_t compile_any(compiler *c, const ast_node *n);
/* The same with a preferred temporary. */
uint32_t compile_near(compiler *c, const ast_node *n, uint32_t hint);
/* Jumps to `l` if the truth of n is `sense`. */
void compile_jump(compiler *c, const ast_node *n, bool sense, label *l);
/* Assigns register r (consumed when a temporary) to a target. */
void compile_store(compiler *c, const ast_node *target, uint32_t r);
void compile_delete(compiler *c, const ast_node *target);
/* A yield as a statement: the sent value is discarded. */
void compile_yield(compiler *c, const ast_node *n);

/* ---- compile_comprehension.c ---- */

/* A comprehension: `make` creates the collection (I_LIST, I_SET, I_DICT). */
void compile_comprehension(compiler *c, const ast_node *n, const ast_list *clauses, opcode make,
                           uint32_t dst);
void compile_genexp(compiler *c, const ast_node *n, uint32_t dst);
/* The loops of a generator expression's body. */
void compile_generator(compiler *c, const ast_node *n);

/* ---- compile_masked.c ---- */

/* `target = v`, target a subscript: if it may be a masked assignment of an elementwise value, the
 * code for that, which jumps to `end`; the caller emits the general code after it. */
void compile_masked(compiler *c, const ast_node *target, const ast_node *v, label *end);
/* True for two equal expressions of names, numbers and operators. */
bool compile_same(const ast_node *a, const ast_node *b);

/* ---- compile_stmt.c ---- */

void compile_body(compiler *c, const ast_list *body);

/* ---- compile_block.c ---- */

/* A while or for loop. */
void compile_loop(compiler *c, const ast_node *n);
/* break (leaving) or continue. */
void compile_loop_jump(compiler *c, bool leaving);
/* return; value_node: NULL for none. */
void compile_return(compiler *c, const ast_node *value_node);
void compile_try(compiler *c, const ast_node *n);
/* A with statement from context manager i on. */
void compile_with(compiler *c, const ast_node *n, uint32_t i);
/* Before a yield, which suspends the enclosing blocks: checks for deferred errors. */
void compile_pause(compiler *c);

#endif
