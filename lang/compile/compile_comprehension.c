/* Comprehensions and generator expressions: nested loops over the clauses. */
#include "lang/compile/compile.h"

/* The loops of a comprehension from clause i on; the innermost body adds the item to `into` or
 * yields it. */
typedef struct {
    const ast_node *node;
    const ast_list *clauses;
    uint32_t into;
    int32_t first; /* the register of the outermost iterator if it was evaluated already; else -1 */
} comprehension;

static void add_item(compiler *c, const comprehension *k) {
    const ast_node *n = k->node;
    if (n->kind == AST_DICTCOMP) {
        uint32_t key = compile_any(c, n->dictcomp.key);
        uint32_t v = compile_any(c, n->dictcomp.value);
        emit(c, I_DICT_SET, k->into, key, v);
    } else if (n->kind == AST_GENEXP) {
        uint32_t r = temp(c);
        compile_into(c, n->genexp.item, r);
        emit(c, I_YIELD, r, r, 1);
    } else {
        bool list = n->kind == AST_LISTCOMP;
        uint32_t r = compile_any(c, list ? n->listcomp.item : n->setcomp.item);
        emit(c, list ? I_APPEND : I_SET_ADD, k->into, r, 0);
    }
}

static bool plain_slot(const ast_node *target) {
    return target->kind == AST_NAME && target->name.storage.kind == AST_IN_SLOT;
}

static void clause_loop(compiler *c, const comprehension *k, uint32_t i) {
    const ast_node *n = k->clauses->at[i];
    uint32_t mark = c->top, it;
    label next = LABEL_NEW, body = LABEL_NEW;
    if (i == 0 && k->first >= 0) {
        it = (uint32_t)k->first;
    } else {
        it = temp(c);
        uint32_t from = compile_near(c, n->clause.iter, it);
        c->at = n->clause.iter;
        emit(c, I_ITER, it, from, 0);
    }
    uint32_t inner = c->top;
    emit_jump(c, I_JUMP, 0, &next);
    label_here(c, &body);
    uint32_t item = plain_slot(n->clause.target) ? n->clause.target->name.storage.slot : temp(c);
    if (!plain_slot(n->clause.target)) compile_store(c, n->clause.target, item);
    for (uint32_t j = 0; j < n->clause.conditions.n; j++)
        compile_jump(c, n->clause.conditions.at[j], false, &next);
    c->top = inner;
    if (i + 1 < k->clauses->n)
        clause_loop(c, k, i + 1);
    else
        add_item(c, k);
    label_here(c, &next);
    c->at = n->clause.iter;
    emit(c, I_NEXT, it, item, 0);
    emit_jump_word(c, &body);
    c->top = mark;
}

/* Creates cells for the captured variables of a target, or (at the end) clears its slots. */
static void open_or_close(compiler *c, const ast_node *target, bool open) {
    if (target->kind == AST_NAME) {
        ast_storage p = target->name.storage;
        if (open && p.kind == AST_IN_CELL) emit(c, I_NEW_CELL, p.slot, 0, 0);
        if (!open && p.kind <= AST_IN_CELL && p.kind != AST_IN_GLOBALS)
            emit(c, I_CLEAR, p.slot, 0, 0);
    } else if (target->kind == AST_STARRED) {
        open_or_close(c, target->starred.value, open);
    } else if (target->kind == AST_TUPLE || target->kind == AST_LIST) {
        const ast_list *l = target->kind == AST_TUPLE ? &target->tuple.items : &target->list.items;
        for (uint32_t i = 0; i < l->n; i++) open_or_close(c, l->at[i], open);
    }
}

void compile_comprehension(compiler *c, const ast_node *n, const ast_list *clauses, opcode make,
                           uint32_t dst) {
    comprehension k = {.node = n, .clauses = clauses, .into = temp(c), .first = -1};
    emit(c, make, k.into, k.into, 0);
    for (uint32_t i = 0; i < clauses->n; i++) open_or_close(c, clauses->at[i]->clause.target, true);
    clause_loop(c, &k, 0);
    for (uint32_t i = 0; i < clauses->n; i++)
        open_or_close(c, clauses->at[i]->clause.target, false);
    emit(c, I_TAKE, dst, k.into, 0);
}

void compile_generator(compiler *c, const ast_node *n) {
    comprehension k = {.node = n, .clauses = &n->genexp.clauses, .first = 0};
    clause_loop(c, &k, 0);
    uint32_t r = temp(c);
    emit_d(c, I_CONST, r, add_const(c, v_none()));
    emit_return(c, r);
}

void compile_genexp(compiler *c, const ast_node *n, uint32_t dst) {
    uint32_t r = temp(c);
    const ast_node *first = n->genexp.clauses.at[0]->clause.iter;
    uint32_t from = compile_near(c, first, r);
    c->at = first;
    emit(c, I_ITER, r, from, 0);
    c->at = n;
    gpa_sym name = intern_get(vm_names(c->vm), "<genexpr>", 9);
    emit(c, I_GENERATOR, r, add_inner(c, n, n->genexp.scope, name), 0);
    emit(c, I_TAKE, dst, r, 0);
}
