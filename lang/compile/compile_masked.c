/* If-conversion of masked assignments: `x[m] = f(y[m], z[m])`.
 *
 * An elementwise f commutes with the selection: f(y[m], z[m]) is f(y, z)[m]. So f is computed for
 * all elements and stored where m is true, one fused program, instead of one stream compaction for
 * each operand, whose length the host would wait for. The statement is compiled twice; PREDICABLE
 * decides before anything is evaluated. */
#include "lang/compile/compile.h"

#include <string.h>

enum { MAX_NAMES = 8 }; /* of a group */

/* The names of a statement, by what they must be. */
typedef struct {
    const ast_node *mask;
    const ast_node *selected[MAX_NAMES]; /* operands of [m]; the target comes first */
    const ast_node *numbers[MAX_NAMES];  /* other operands of the value */
    const ast_node *compared[MAX_NAMES]; /* names in the mask */
    unsigned n_selected, n_numbers, n_compared;
    bool selects; /* the value contains [m] */
} masked_names;

static bool is_literal(const ast_node *n) {
    return n->kind == AST_INTEGER || n->kind == AST_FLOAT || n->kind == AST_IMAGINARY;
}

bool compile_same(const ast_node *a, const ast_node *b) {
    if (a->kind != b->kind) return false;
    switch ((int)a->kind) {
        case AST_NAME: return a->name.name == b->name.name;
        case AST_INTEGER: return a->integer.value == b->integer.value;
        case AST_FLOAT: return v_float(a->real.value).bits == v_float(b->real.value).bits;
        case AST_UNARY:
            return a->unary.op == b->unary.op && compile_same(a->unary.operand, b->unary.operand);
        case AST_BINARY:
            return a->binary.op == b->binary.op && compile_same(a->binary.left, b->binary.left) &&
                   compile_same(a->binary.right, b->binary.right);
        case AST_LINK:
            return a->link.op == b->link.op && compile_same(a->link.right, b->link.right);
        case AST_COMPARE:
            return a->compare.links.n == 1 && b->compare.links.n == 1 &&
                   compile_same(a->compare.first, b->compare.first) &&
                   compile_same(a->compare.links.at[0], b->compare.links.at[0]);
        default: return false;
    }
}

/* Adds a name to a group, once. False: the group is full. */
static bool add_name(const ast_node **group, unsigned *n, const ast_node *name) {
    for (unsigned i = 0; i < *n; i++)
        if (group[i]->name.name == name->name.name) return true;
    if (*n == MAX_NAMES) return false;
    group[(*n)++] = name;
    return true;
}

/* An operand of a comparison in the mask: a name or a number. */
static bool is_compared(masked_names *m, const ast_node *n) {
    if (n->kind == AST_UNARY && n->unary.op == AST_OP_NEG) n = n->unary.operand;
    return is_literal(n) || (n->kind == AST_NAME && add_name(m->compared, &m->n_compared, n));
}

/* A name, or comparisons that are combined by & | ~. */
static bool is_mask(masked_names *m, const ast_node *n, bool whole) {
    switch ((int)n->kind) {
        case AST_NAME: return whole && add_name(m->compared, &m->n_compared, n);
        case AST_UNARY: return n->unary.op == AST_OP_INVERT && is_mask(m, n->unary.operand, false);
        case AST_BINARY:
            return (n->binary.op == AST_OP_BITAND || n->binary.op == AST_OP_BITOR) &&
                   is_mask(m, n->binary.left, false) && is_mask(m, n->binary.right, false);
        case AST_COMPARE: {
            const ast_node *link = n->compare.links.at[0];
            return n->compare.links.n == 1 && ast_op_row(link->link.op) != OP_COUNT &&
                   is_compared(m, n->compare.first) && is_compared(m, link->link.right);
        }
        default: return false;
    }
}

static bool is_operand_of_mask(const masked_names *m, const ast_node *n) {
    return n->kind == AST_INDEX && n->index.object->kind == AST_NAME &&
           compile_same(n->index.index, m->mask);
}

/* An elementwise expression of selected elements and numbers that no element makes fail. */
static bool is_elementwise(masked_names *m, const ast_node *n) {
    if (is_literal(n)) return true;
    if (is_operand_of_mask(m, n)) {
        m->selects = true;
        return add_name(m->selected, &m->n_selected, n->index.object);
    }
    switch ((int)n->kind) {
        case AST_NAME: return add_name(m->numbers, &m->n_numbers, n);
        case AST_UNARY: return n->unary.op == AST_OP_NEG && is_elementwise(m, n->unary.operand);
        case AST_BINARY:
            return (n->binary.op == AST_OP_ADD || n->binary.op == AST_OP_SUB ||
                    n->binary.op == AST_OP_MUL || n->binary.op == AST_OP_DIV ||
                    n->binary.op == AST_OP_POW) &&
                   is_elementwise(m, n->binary.left) && is_elementwise(m, n->binary.right);
        default: return false;
    }
}

static void load_names(compiler *c, const ast_node *const *names, unsigned n) {
    for (unsigned i = 0; i < n; i++) compile_into(c, names[i], temp(c));
}

/* The statement by predicated stores; jumps to `other` unless they apply. */
static void predicated(compiler *c, const masked_names *m, const ast_node *target,
                       const ast_node *v, label *other) {
    const uint32_t first = c->top;
    load_names(c, m->selected, m->n_selected);
    load_names(c, m->numbers, m->n_numbers);
    load_names(c, m->compared, m->n_compared);
    const uint32_t n = c->top - first;
    c->top = first;
    const uint32_t applies = temp(c);
    c->at = target;
    emit(c, I_PREDICABLE, applies, first, n);
    emit_word(c, (ins){.a = (uint16_t)m->n_selected, .b = (uint16_t)m->n_numbers});
    emit_jump(c, I_JUMP_IF_NOT, applies, other);
    c->top = first;
    const uint32_t r = temp(c);
    c->mask = m->mask;
    compile_into(c, v, r);
    c->mask = NULL;
    const uint32_t o = compile_any(c, target->index.object), k = compile_any(c, m->mask);
    c->at = target;
    emit(c, I_SET_WHERE, o, k, r);
    c->top = first;
}

void compile_masked(compiler *c, const ast_node *target, const ast_node *v, label *end) {
    masked_names m = {.mask = target->index.index};
    label other = LABEL_NEW;
    if (c->walrus || target->index.object->kind != AST_NAME ||
        !add_name(m.selected, &m.n_selected, target->index.object) || !is_mask(&m, m.mask, true) ||
        !is_elementwise(&m, v) || !m.selects)
        return;
    for (unsigned i = 0; i < m.n_selected; i++)
        for (unsigned k = 0; k < m.n_numbers; k++)
            if (m.selected[i]->name.name == m.numbers[k]->name.name) return;
    predicated(c, &m, target, v, &other);
    emit_jump(c, I_JUMP, 0, end);
    label_here(c, &other);
}
