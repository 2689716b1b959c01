/* The syntax tree: the output of the parser and the input of the compiler.
 *
 * Nodes are tagged structs, one kind per row of ast.def, allocated in the arena of their module and
 * freed together with it. A function value keeps its module alive by ast_retain. Nodes do not
 * change after parsing.
 *
 * Variables are resolved: every NAME has the storage of its variable (ast_storage), and every
 * function's scope lists the variables of its frame. GLOBAL and NONLOCAL statements matter to the
 * parser only.
 *
 *   module level     names are globals, found by their symbol, except the variables of
 *                    comprehensions, which are slots of the module's own frame.
 *   functions        a frame has scope->n_vars slots: parameters first (positional in order,
 *                    keyword-only in order, *args, **kwargs), then the other locals. A slot is
 *                    unbound until assigned. A variable with `cell` set is captured by an inner
 *                    function: its slot holds a cell shared with the closures.
 *   closures         the slot of a FREE variable is an index into scope->frees, whose entries
 *                    say where the enclosing frame finds the cell when the closure is made.
 *   comprehensions   list, set and dict comprehensions run in the enclosing frame: their
 *                    variables have slots of their own there, unbound at each start (a `cell`
 *                    variable gets a new cell).
 *   classes          the body of a class is a scope of its own. Its names are slots of its frame
 *                    that inner functions do not see; reading an unbound one reads the global.
 *                    The slot of the symbol __class__ serves methods that use super() or
 *                    __class__: a cell, which holds the class once it is made.
 *   generators       a generator expression is a scope of its own with one hidden parameter, slot
 *                    0 (symbol 0): the iterator of its outermost `in`, which is evaluated in the
 *                    enclosing scope. */
#ifndef GPA_SYNTAX_AST_H
#define GPA_SYNTAX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/syntax/intern.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/tables/op.h"

typedef enum {
#define AST(kind, member, what, fields) AST_##kind,
#define AST_LEAF(kind, what) AST_##kind,
#include "lang/syntax/ast.def"
    AST_KINDS
} ast_kind;

typedef enum {
#define AST_OP(id, spelling, class, row) AST_OP_##id,
#include "lang/syntax/ast.def"
    AST_OPS
} ast_op;

typedef struct ast_node ast_node;
typedef struct ast_scope ast_scope;

typedef struct {
    ast_node **at;
    uint32_t n;
} ast_list;

/* Bytes in the arena, zero-terminated; may contain zero bytes. */
typedef struct {
    const char *at;
    uint32_t len;
} ast_text;

typedef enum {
    AST_IN_GLOBALS, /* by name: the module's globals, then the built-in names */
    AST_IN_SLOT,    /* frame slot `slot` */
    AST_IN_CELL,    /* the cell in frame slot `slot` */
    AST_IN_FREE     /* the cell at `slot` of the function's closure */
} ast_storage_kind;

typedef struct {
    ast_storage_kind kind;
    uint32_t slot;
} ast_storage;

typedef enum {
    AST_POSITIONAL_ONLY,
    AST_ORDINARY,
    AST_KEYWORD_ONLY,
    AST_STAR_ARGS,
    AST_STAR_KWARGS
} ast_param_kind;

/* One slot of a frame. */
typedef struct {
    gpa_sym name;
    bool cell; /* captured by an inner function */
    bool param;
    bool comprehension; /* the loop variable of a comprehension, invisible to the function's own
                           scope */
} ast_var;

/* A captured variable: the cell in slot `slot` of the enclosing frame (AST_IN_CELL), or free
 * variable `slot` of that frame (AST_IN_FREE). */
typedef struct {
    gpa_sym name;
    ast_storage from;
} ast_free_var;

typedef enum {
    AST_SCOPE_MODULE,
    AST_SCOPE_FUNCTION,
    AST_SCOPE_GENEXP,
    AST_SCOPE_CLASS
} ast_scope_kind;

struct ast_scope {
    ast_scope_kind kind;
    const ast_scope *parent; /* the scope around it; NULL for the module */
    ast_var *vars;
    uint32_t n_vars;
    ast_free_var *frees;
    uint32_t n_frees;
    /* Parameters: n_positional of them positional, the first n_positional_only without a keyword.
     */
    uint32_t n_positional_only, n_positional, n_keyword_only;
    bool has_args, has_kwargs;
    bool yields; /* a call makes a generator */
};

/* A node. Only the member named by its kind exists: a node has the size of its kind, so it must not
 * be copied. */
struct ast_node {
    uint16_t kind;   /* ast_kind */
    uint16_t height; /* height of the subtree; bounded by AST_MAX_HEIGHT, so that recursive
                        traversal is safe */
    gpa_span span;
    union {
#define NODE(f) ast_node *f;
#define OPT(f) ast_node *f;
#define LIST(f) ast_list f;
#define TEXT(f) ast_text f;
#define SYM(f) gpa_sym f;
#define OP(f) ast_op f;
#define SPAN(f) gpa_span f;
#define INT(f) int64_t f;
#define REAL(f) double f;
#define NUM(f) uint32_t f;
#define STORAGE(f) ast_storage f;
#define SCOPE(f) ast_scope *f;
#define AST_LEAF(kind_, what)
// clang-format off
#define AST(kind_, member, what, fields) struct ast_##member##_node { fields } member;
// clang-format on
#include "lang/syntax/ast.def"
    };
};

/* A parsed source text. Fields are for reading. */
typedef struct ast_module {
    int32_t refs;
    uint32_t src; /* the source it was parsed from */
    ast_list body;
    ast_node *doc; /* the docstring, a STRING; or NULL. It is also the first statement */
    ast_scope *scope;
    struct arena *arena;
} ast_module;

ast_module *ast_retain(ast_module *m);
/* Frees the module and all its nodes with the last reference; NULL is ignored. */
void ast_release(ast_module *m);

/* "BINARY", and the spelling of an operator ("+", "not in"; of an augmented assignment without
 * "="). */
const char *ast_kind_name(ast_kind kind);
/* The name of an expression in error messages ("function call"); NULL for other kinds. */
const char *ast_what(ast_kind kind);
const char *ast_op_text(ast_op op);
/* The row of op.def of an operator; OP_COUNT if it has none. */
gpa_op ast_op_row(ast_op op);

/* For the parser: a node of this kind with all fields zero, and the check that follows once they
 * are set: it notes the height of the subtree and is false when that passes AST_MAX_HEIGHT. NULL
 * when memory is short. */
enum { AST_MAX_HEIGHT = 1500 };
ast_node *ast_new(struct arena *a, ast_kind kind, gpa_span span);
bool ast_seal(ast_node *n);

/* Calls visit for each child that is not NULL, in the order of the row in ast.def. */
void ast_each_child(const ast_node *n, void (*visit)(void *user, ast_node *child), void *user);

/* The tree, or a list of statements, as an s-expression, for tests and debugging. */
void ast_print(gpa_str *out, const ast_node *n, const intern *names);
void ast_print_module(gpa_str *out, const ast_module *m, const intern *names);

#endif
