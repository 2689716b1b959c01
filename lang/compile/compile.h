/* The compiler's inner joints: its state, and what its three files call of each other.
 *
 * Registers are allocated like a stack: temporaries from `top` on are free. An expression is asked
 * for in one of two ways: compile_into puts it into a given register; compile_any names a register
 * that has it, which is the variable or number constant itself where it can be. A failure sets
 * `failed`, leaves the error in vm_err, and compiling goes on harmlessly. */
#ifndef GPA_COMPILE_COMPILE_H
#define GPA_COMPILE_COMPILE_H

#include "lang/compile/code.h"
#include "lang/object/core.h"

/* A place to jump to. Jumps to a place not yet reached are chained through their words. */
typedef struct {
    int64_t at, chain; /* -1: none */
} label;
#define LABEL_NEW \
    { -1, -1 }

/* What a jump out of a statement has to leave behind it. */
typedef struct block block;
struct compiler;
struct block {
    block *outer;
    void (*leave)(struct compiler *c, block *b); /* emits what ends the block early; may be NULL */
    const ast_node *node;
    bool loop, guarded;
    bool checks; /* guarded: an error that was recorded in it and not found yet is found before it
                    is left */
    bool in_context; /* the same if the context in the register of the block around it cares */
    label brk, cont;
    uint16_t reg;   /* of the iterator, the exception, the context */
    uint16_t depth; /* guarded: the first temporary that an exception drops */
    uint32_t id, level;
    int64_t open; /* guarded: where the current stretch of guarded code began; -1: none */
};

typedef struct compiler {
    gpa_vm *vm;
    code *code;
    module_obj *globals;
    const ast_node *at; /* what is being compiled */
    ins *ins;
    const ast_node **nodes;
    size_t n_ins, cap_ins, cap_nodes, cap_consts, cap_inner, cap_guards, cap_handlers, cap_lifts;
    uint32_t top, high;
    uint32_t n_blocks; /* ever made: ids */
    block *blocks;
    int32_t handling;    /* the register of the exception being handled, or -1 */
    int32_t annotations; /* the slot of the dict of the annotations of the class whose body this is,
                            or -1 */
    bool walrus;         /* the body has := : variables may change in the middle of an expression */
    bool measured;       /* values that nobody uses are computed all the same */
    bool failed;
} compiler;

/* ---- compile.c: emitting ---- */

void compile_fail(compiler *c, gpa_code code, const char *text);
uint32_t emit(compiler *c, opcode op, uint32_t a, uint32_t b, uint32_t x);
uint32_t emit_d(compiler *c, opcode op, uint32_t a, int64_t d);
void emit_word(compiler *c, ins w);
void emit_name(compiler *c, gpa_sym name); /* the second word of attribute instructions */
void emit_return(compiler *c, uint32_t r);
/* A jump's word to `l`: the word just emitted holds it in d. */
void emit_jump(compiler *c, opcode op, uint32_t a, label *l);
void emit_jump_word(compiler *c, label *l);
void label_here(compiler *c, label *l);
/* A new temporary; the next one on the stack. */
uint32_t temp(compiler *c);
bool is_temp(const compiler *c, uint32_t r);
/* A constant (consumed) and its number. */
uint32_t add_const(compiler *c, value v);
uint32_t add_text(compiler *c, const char *text, size_t n);
uint32_t add_inner(compiler *c, const ast_node *node, const ast_scope *scope, gpa_sym name);
/* The value of a literal (a number, str, None, ..., a tuple of literals), owned; UNSET when it is
 * none. */
value literal_value(compiler *c, const ast_node *n);
/* The register of a number constant that the frame holds, or -1. */
int32_t const_register(compiler *c, const ast_node *n);

/* ---- compile_expr.c ---- */

void compile_into(compiler *c, const ast_node *n, uint32_t dst);
uint32_t compile_any(compiler *c, const ast_node *n);
/* Jumps to `l` when the truth of n is `sense`, else goes on. */
void compile_jump(compiler *c, const ast_node *n, bool sense, label *l);
/* Binds a target to what register r holds (consumed when a temporary). */
void compile_store(compiler *c, const ast_node *target, uint32_t r);
void compile_delete(compiler *c, const ast_node *target);
/* A yield as a statement: what is sent is dropped. */
void compile_yield(compiler *c, const ast_node *n);
/* The loops of a generator expression's body. */
void compile_generator(compiler *c, const ast_node *n);

/* ---- compile_stmt.c ---- */

void compile_body(compiler *c, const ast_list *body);
/* Before a yield, which leaves the blocks around it for a while: an error that was recorded in them
 * and not found yet is found. */
void compile_pause(compiler *c);

#endif
