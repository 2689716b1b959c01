/* Bytecode generation for expressions. Each writes its result register with its last instruction,
 * so that a variable being assigned keeps its old value until the right side is evaluated.
 *
 * Reading order: compile_any and compile_into (at the end), then the kinds of expressions above
 * them, then targets. */
#include "lang/compile/compile.h"

enum { MAX_DISPLAY_REGISTERS = 64 }; /* items of a display held in registers */
#define NO_HINT UINT32_MAX

/* ---- names ---- */

/* A name in a class body: falls back to the global of that name. */
static bool is_own(const compiler *c, ast_storage p) {
    const ast_scope *s = c->code->scope;
    return s->kind == AST_SCOPE_CLASS && p.kind == AST_IN_SLOT && !s->vars[p.slot].comprehension;
}

static void load_own(compiler *c, const ast_node *n, uint32_t dst) {
    ins global = {.op = 0};
    emit(c, I_GET_OWN, dst, n->name.storage.slot, 0);
    global.d = module_slot(c->vm, c->globals, n->name.name);
    emit_word(c, global);
}

static void load_name(compiler *c, const ast_node *n, uint32_t dst) {
    ast_storage p = n->name.storage;
    if (is_own(c, p)) {
        load_own(c, n, dst);
        return;
    }
    switch (p.kind) {
        case AST_IN_GLOBALS:
            emit_d(c, I_GET_GLOBAL, dst, module_slot(c->vm, c->globals, n->name.name));
            break;
        case AST_IN_SLOT: emit(c, I_MOVE, dst, p.slot, 0); break;
        case AST_IN_CELL: emit(c, I_GET_CELL, dst, p.slot, 0); break;
        case AST_IN_FREE: emit(c, I_GET_FREE, dst, p.slot, 0); break;
    }
}

static void store_name(compiler *c, const ast_node *n, uint32_t r) {
    ast_storage p = n->name.storage;
    switch (p.kind) {
        case AST_IN_GLOBALS:
            emit_d(c, I_SET_GLOBAL, r, module_slot(c->vm, c->globals, n->name.name));
            break;
        case AST_IN_SLOT: emit(c, is_temp(c, r) ? I_TAKE : I_MOVE, p.slot, r, 0); break;
        case AST_IN_CELL: emit(c, I_SET_CELL, p.slot, r, 0); break;
        case AST_IN_FREE: emit(c, I_SET_FREE, p.slot, r, 0); break;
    }
}

static void delete_name(compiler *c, const ast_node *n) {
    ast_storage p = n->name.storage;
    switch (p.kind) {
        case AST_IN_GLOBALS:
            emit_d(c, I_DEL_GLOBAL, 0, module_slot(c->vm, c->globals, n->name.name));
            break;
        case AST_IN_SLOT: emit(c, I_DELETE, p.slot, 0, 0); break;
        case AST_IN_CELL: emit(c, I_DEL_CELL, p.slot, 0, 0); break;
        case AST_IN_FREE: emit(c, I_DEL_FREE, p.slot, 0, 0); break;
    }
}

/* n, or o for o[mask] in a masked assignment. */
static const ast_node *unmasked(const compiler *c, const ast_node *n) {
    return c->mask && n->kind == AST_INDEX && compile_same(n->index.index, c->mask)
               ? n->index.object
               : n;
}

uint32_t compile_near(compiler *c, const ast_node *n, uint32_t hint) {
    n = unmasked(c, n);
    if (n->kind == AST_NAME && n->name.storage.kind == AST_IN_SLOT && !c->walrus &&
        !is_own(c, n->name.storage))
        return n->name.storage.slot;
    int32_t k = const_register(c, n);
    if (k >= 0) return (uint32_t)k;
    uint32_t r = hint != NO_HINT && is_temp(c, hint) ? hint : temp(c);
    compile_into(c, n, r);
    return r;
}

/* ---- operators ---- */

static opcode binary_opcode(ast_op op) {
    static const uint8_t codes[AST_OPS] = {
        [AST_OP_ADD] = I_ADD,
        [AST_OP_SUB] = I_SUB,
        [AST_OP_MUL] = I_MUL,
        [AST_OP_DIV] = I_DIV,
        [AST_OP_FLOORDIV] = I_FLOORDIV,
        [AST_OP_MOD] = I_MOD,
        [AST_OP_POW] = I_POW,
        [AST_OP_MATMUL] = I_MATMUL,
        [AST_OP_LSHIFT] = I_LSHIFT,
        [AST_OP_RSHIFT] = I_RSHIFT,
        [AST_OP_BITAND] = I_BITAND,
        [AST_OP_BITOR] = I_BITOR,
        [AST_OP_BITXOR] = I_BITXOR,
        [AST_OP_EQ] = I_EQ,
        [AST_OP_NE] = I_NE,
        [AST_OP_LT] = I_LT,
        [AST_OP_LE] = I_LE,
        [AST_OP_GT] = I_GT,
        [AST_OP_GE] = I_GE,
        [AST_OP_IN] = I_IN,
        [AST_OP_NOT_IN] = I_NOT_IN,
        [AST_OP_IS] = I_IS,
        [AST_OP_IS_NOT] = I_IS_NOT,
        [AST_OP_POS] = I_POS,
        [AST_OP_NEG] = I_NEG,
        [AST_OP_INVERT] = I_INVERT,
        [AST_OP_NOT] = I_NOT,
    };
    return (opcode)codes[op];
}

static void binary(compiler *c, const ast_node *n, uint32_t dst) {
    uint32_t l = compile_near(c, n->binary.left, dst);
    uint32_t r = compile_any(c, n->binary.right);
    c->at = n;
    emit(c, binary_opcode(n->binary.op), dst, l, r);
}

static void boolop(compiler *c, const ast_node *n, uint32_t dst) {
    label end = LABEL_NEW;
    const ast_list *l = &n->boolop.items;
    for (uint32_t i = 0; i < l->n; i++) {
        compile_into(c, l->at[i], dst);
        if (i + 1 < l->n) emit_jump(c, n->boolop.op == AST_OP_AND ? I_AND : I_OR, dst, &end);
    }
    label_here(c, &end);
}

/* a < b < c: b is evaluated once. A middle operand is held in `kept` unless it is a variable or a
 * constant; leaving early clears it. dst is a temporary. */
static void chain(compiler *c, const ast_node *n, uint32_t dst) {
    const ast_list *links = &n->compare.links;
    label drop = LABEL_NEW, end = LABEL_NEW;
    uint32_t kept = temp(c), spare = temp(c), mark = c->top;
    bool dropping = false;
    uint32_t l = compile_near(c, n->compare.first, kept);
    for (uint32_t i = 0; i < links->n; i++) {
        const ast_node *link = links->at[i];
        bool last = i + 1 == links->n;
        uint32_t r = compile_any(c, link->link.right), next = r;
        c->at = links->n > 1 ? link : n;
        if (!last && is_temp(c, r)) {
            emit(c, I_MOVE, spare, r, 0);
            next = kept;
        }
        emit(c, binary_opcode(link->link.op), dst, l, r);
        if (next == kept) emit(c, I_TAKE, kept, spare, 0);
        if (!last) emit_jump(c, I_AND, dst, next == kept ? &drop : &end);
        dropping |= next == kept;
        l = next;
        c->top = mark;
    }
    if (dropping) {
        emit_jump(c, I_JUMP, 0, &end);
        label_here(c, &drop);
        emit(c, I_CLEAR, kept, 0, 0);
    }
    label_here(c, &end);
}

static void compare(compiler *c, const ast_node *n, uint32_t dst) {
    if (n->compare.links.n > 1) {
        chain(c, n, dst);
        return;
    }
    const ast_node *link = n->compare.links.at[0];
    uint32_t l = compile_near(c, n->compare.first, dst);
    uint32_t r = compile_any(c, link->link.right);
    c->at = n;
    emit(c, binary_opcode(link->link.op), dst, l, r);
}

static void conditional(compiler *c, const ast_node *n, uint32_t dst) {
    label other = LABEL_NEW, end = LABEL_NEW;
    compile_jump(c, n->ifexp.test, false, &other);
    compile_into(c, n->ifexp.then, dst);
    emit_jump(c, I_JUMP, 0, &end);
    label_here(c, &other);
    compile_into(c, n->ifexp.other, dst);
    label_here(c, &end);
}

/* ---- conditions ---- */

static int jump_opcode(ast_op op) {
    switch ((int)op) {
        case AST_OP_EQ: return I_JUMP_EQ;
        case AST_OP_NE: return I_JUMP_NE;
        case AST_OP_LT: return I_JUMP_LT;
        case AST_OP_LE: return I_JUMP_LE;
        case AST_OP_GT: return I_JUMP_GT;
        case AST_OP_GE: return I_JUMP_GE;
        default: return -1;
    }
}

static void jump_boolop(compiler *c, const ast_node *n, bool sense, label *l) {
    const ast_list *items = &n->boolop.items;
    bool each =
        (n->boolop.op == AST_OP_OR) == sense; /* short circuit: one item of that truth decides */
    label past = LABEL_NEW;
    for (uint32_t i = 0; i < items->n; i++) {
        bool last = i + 1 == items->n;
        if (each || last)
            compile_jump(c, items->at[i], sense, l);
        else
            compile_jump(c, items->at[i], !sense, &past);
    }
    label_here(c, &past);
}

void compile_jump(compiler *c, const ast_node *n, bool sense, label *l) {
    uint32_t mark = c->top;
    const ast_node *outer = c->at;
    c->at = n;
    if (n->kind == AST_UNARY && n->unary.op == AST_OP_NOT) {
        compile_jump(c, n->unary.operand, !sense, l);
    } else if (n->kind == AST_BOOLOP) {
        jump_boolop(c, n, sense, l);
    } else if (n->kind == AST_TRUE || n->kind == AST_FALSE) {
        if ((n->kind == AST_TRUE) == sense) emit_jump(c, I_JUMP, 0, l);
    } else if (n->kind == AST_COMPARE && n->compare.links.n == 1 &&
               jump_opcode(n->compare.links.at[0]->link.op) >= 0) {
        const ast_node *link = n->compare.links.at[0];
        uint32_t a = compile_any(c, n->compare.first);
        uint32_t b = compile_any(c, link->link.right);
        c->at = n;
        emit(c, (opcode)jump_opcode(link->link.op), a, b, sense);
        emit_jump_word(c, l);
    } else {
        uint32_t r = compile_any(c, n);
        emit_jump(c, sense ? I_JUMP_IF : I_JUMP_IF_NOT, r, l);
    }
    c->at = outer;
    c->top = mark;
}

/* ---- displays ---- */

static bool has_star(const ast_list *l) {
    for (uint32_t i = 0; i < l->n; i++)
        if (l->at[i]->kind == AST_STARRED) return true;
    return false;
}

/* Evaluates items into consecutive temporaries; returns the first register. */
static uint32_t items_on_top(compiler *c, const ast_list *l) {
    uint32_t base = c->top;
    for (uint32_t i = 0; i < l->n; i++) compile_into(c, l->at[i], temp(c));
    return base;
}

/* Adds items one by one to the list or set in register `to`; `call`: they are call arguments. */
static void add_items(compiler *c, const ast_list *l, uint32_t to, opcode one, opcode many,
                      bool call) {
    for (uint32_t i = 0; i < l->n; i++) {
        uint32_t mark = c->top;
        const ast_node *n = l->at[i];
        bool star = n->kind == AST_STARRED;
        uint32_t r = compile_any(c, star ? n->starred.value : n);
        c->at = n;
        emit(c, star ? many : one, to, r, star && call);
        c->top = mark;
    }
}

static void display(compiler *c, const ast_list *l, uint32_t dst, opcode make, opcode one,
                    opcode many) {
    if (!has_star(l) && l->n <= MAX_DISPLAY_REGISTERS) {
        uint32_t base = items_on_top(c, l);
        emit(c, make, dst, base, l->n);
        return;
    }
    uint32_t r = temp(c);
    emit(c, make == I_TUPLE ? I_LIST : make, r, r, 0);
    add_items(c, l, r, one, many, false);
    emit(c, make == I_TUPLE ? I_TO_TUPLE : I_TAKE, dst, r, 0);
}

static void dict(compiler *c, const ast_node *n, uint32_t dst) {
    uint32_t d = temp(c), mark = c->top;
    emit(c, I_DICT, d, d, 0);
    for (uint32_t i = 0; i < n->dict.pairs.n; i++) {
        const ast_node *p = n->dict.pairs.at[i];
        if (p->pair.key) {
            uint32_t k = compile_any(c, p->pair.key);
            uint32_t v = compile_any(c, p->pair.value);
            c->at = p;
            emit(c, I_DICT_SET, d, k, v);
        } else {
            uint32_t v = compile_any(c, p->pair.value);
            c->at = p;
            emit(c, I_DICT_MERGE, d, v, 0);
        }
        c->top = mark;
    }
    emit(c, I_TAKE, dst, d, 0);
}

static void slice(compiler *c, const ast_node *n, uint32_t dst) {
    const ast_node *parts[] = {n->slice.start, n->slice.stop, n->slice.step};
    uint32_t base = c->top;
    for (int i = 0; i < 3; i++) {
        uint32_t r = temp(c);
        if (parts[i])
            compile_into(c, parts[i], r);
        else
            emit_d(c, I_CONST, r, add_const(c, v_none()));
    }
    emit(c, I_SLICE, dst, base, 0);
}

static void fstring(compiler *c, const ast_node *n, uint32_t dst) {
    uint32_t base = c->top;
    const ast_list *parts = &n->fstring.parts;
    for (uint32_t i = 0; i < parts->n; i++) {
        const ast_node *p = parts->at[i];
        uint32_t r = temp(c), mark = c->top;
        if (p->kind != AST_FIELD) {
            compile_into(c, p, r);
            continue;
        }
        uint32_t v = compile_near(c, p->field.value, r), spec = 0;
        if (p->field.spec) {
            spec = temp(c);
            compile_into(c, p->field.spec, spec++);
        }
        c->at = p;
        emit(c, I_FORMAT, r, v, p->field.conversion);
        emit_word(c, (ins){.a = (uint16_t)spec});
        c->top = mark;
    }
    c->at = n;
    emit(c, I_STRING, dst, base, parts->n);
}

/* ---- calls ---- */

static bool spreads(const ast_node *n) {
    if (has_star(&n->call.args) || n->call.args.n > MAX_DISPLAY_REGISTERS * 4) return true;
    for (uint32_t i = 0; i < n->call.keywords.n; i++)
        if (!n->call.keywords.at[i]->keyword.name) return true;
    return false;
}

static void spread_call(compiler *c, const ast_node *n, uint32_t base) {
    uint32_t list = temp(c), named = temp(c), mark = c->top;
    emit(c, I_LIST, list, list, 0);
    add_items(c, &n->call.args, list, I_APPEND, I_EXTEND, true);
    if (n->call.keywords.n)
        emit(c, I_DICT, named, named, 0);
    else
        emit(c, I_CLEAR, named, 0, 0);
    for (uint32_t i = 0; i < n->call.keywords.n; i++) {
        const ast_node *k = n->call.keywords.at[i];
        uint32_t one = temp(c);
        if (k->keyword.name) {
            const intern *names = vm_names(c->vm);
            uint32_t key = add_text(c, intern_text(names, k->keyword.name),
                                    intern_len(names, k->keyword.name));
            uint32_t pair = c->top;
            temp(c), temp(c);
            emit_d(c, I_CONST, one, key);
            emit(c, I_DICT, pair, one, 0);
            compile_into(c, k->keyword.value, pair + 1);
            emit(c, I_DICT_SET, pair, one, pair + 1);
            c->at = n;
            emit(c, I_DICT_MERGE, named, pair, 1);
        } else {
            compile_into(c, k->keyword.value, one);
            c->at = n;
            emit(c, I_DICT_MERGE, named, one, 1);
        }
        c->top = mark;
    }
    c->at = n;
    emit(c, I_CALL_SPREAD, base, 0, 0);
}

static void named_call(compiler *c, const ast_node *n, uint32_t base) {
    const ast_list *keywords = &n->call.keywords;
    const intern *names = vm_names(c->vm);
    items_on_top(c, &n->call.args);
    value t = v_tuple(c->vm, keywords->n, NULL);
    for (uint32_t i = 0; i < keywords->n; i++) {
        const ast_node *k = keywords->at[i];
        compile_into(c, k->keyword.value, temp(c));
        if (t.tag == V_UNSET) continue;
        t.tuple->items[i] =
            v_str(c->vm, intern_text(names, k->keyword.name), intern_len(names, k->keyword.name));
        if (t.tuple->items[i].tag == V_UNSET) c->failed = true;
    }
    c->at = n;
    uint32_t k = add_const(c, t);
    emit(c, I_CALL_NAMED, base, n->call.args.n, keywords->n);
    emit_d(c, (opcode)0, 0, k);
}

static void call(compiler *c, const ast_node *n, uint32_t dst) {
    bool top = is_temp(c, dst) && dst + 1 == c->top;
    uint32_t base = top ? dst : temp(c);
    const ast_node *f = n->call.func;
    uint32_t self = temp(c);
    bool method = f->kind == AST_ATTR;
    if (method) {
        uint32_t o = compile_near(c, f->attr.object, base);
        c->at = f;
        emit(c, I_GET_METHOD, base, o, 0);
        emit_name(c, f->attr.name);
    } else {
        compile_into(c, f, base);
    }
    c->at = n;
    c->top = self + 1;
    bool spread = spreads(n);
    if (!method && (spread || n->call.keywords.n)) emit(c, I_CLEAR, self, 0, 0);
    if (spread) {
        spread_call(c, n, base);
    } else if (n->call.keywords.n) {
        named_call(c, n, base);
    } else {
        items_on_top(c, &n->call.args);
        c->at = n;
        emit(c, method ? I_CALL_METHOD : I_CALL, base, n->call.args.n, 0);
    }
    if (!top) emit(c, I_TAKE, dst, base, 0);
}

/* ---- yield ---- */

/* The operand of a yield in a register. */
static uint32_t given(compiler *c, const ast_node *n) {
    uint32_t r = temp(c);
    if (n->yield_.value)
        compile_into(c, n->yield_.value, r);
    else
        emit_d(c, I_CONST, r, add_const(c, v_none()));
    if (c->code->jit) emit(c, I_PYTHON, r, 0, 0);
    compile_pause(c);
    c->at = n;
    return r;
}

void compile_yield(compiler *c, const ast_node *n) {
    uint32_t r = given(c, n);
    emit(c, I_YIELD, r, r, 1);
}

static void yield(compiler *c, const ast_node *n, uint32_t dst) {
    if (!n->yield_.from) {
        uint32_t r = given(c, n);
        emit(c, I_YIELD, dst, r, 0);
        return;
    }
    uint32_t it = temp(c), sent = temp(c);
    uint32_t from = compile_near(c, n->yield_.value, it);
    c->at = n;
    emit(c, I_ITER, it, from, 0);
    emit(c, I_CLEAR, sent, 0, 0);
    compile_pause(c);
    emit(c, I_YIELD_FROM, it, sent, 0);
    emit(c, I_TAKE, dst, it, 0);
}

/* ---- functions ---- */

static void function(compiler *c, const ast_node *n, uint32_t dst) {
    uint32_t r = temp(c), named = temp(c), first = c->top;
    const ast_list *params = &n->function.params;
    uint32_t defaults = 0, flags = 0;
    for (uint32_t i = 0; i < params->n; i++) {
        const ast_node *p = params->at[i];
        if (p->param.kind > AST_ORDINARY || !p->param.init) continue;
        compile_into(c, p->param.init, temp(c));
        defaults++;
    }
    if (defaults) {
        emit(c, I_TUPLE, r, first, defaults);
        flags |= 1;
    }
    c->top = first;
    for (uint32_t i = 0; i < params->n; i++) {
        const ast_node *p = params->at[i];
        if (p->param.kind != AST_KEYWORD_ONLY || !p->param.init) continue;
        if (!(flags & 2)) emit(c, I_DICT, named, named, 0);
        flags |= 2;
        const char *text = intern_text(vm_names(c->vm), p->param.target->name.name);
        uint32_t key = temp(c);
        emit_d(c, I_CONST, key, add_text(c, text, strlen(text)));
        uint32_t v = compile_any(c, p->param.init);
        emit(c, I_DICT_SET, named, key, v);
        c->top = first;
    }
    gpa_sym name = n->function.name ? n->function.name : intern_get(vm_names(c->vm), "<lambda>", 8);
    emit(c, I_FUNCTION, r, add_inner(c, n, n->function.scope, name), flags);
    emit(c, I_TAKE, dst, r, 0);
}

/* ---- targets ---- */

static void unpack(compiler *c, const ast_node *target, const ast_list *l, uint32_t r) {
    uint32_t base = c->top, star = l->n;
    for (uint32_t i = 0; i < l->n; i++) {
        temp(c);
        if (l->at[i]->kind == AST_STARRED) star = i;
    }
    c->at = target;
    if (star == l->n) {
        emit(c, I_UNPACK, base, r, l->n);
    } else {
        emit(c, I_UNPACK_STAR, base, r, star);
        emit_word(c, (ins){.a = (uint16_t)(l->n - star - 1)});
    }
    for (uint32_t i = 0; i < l->n; i++) {
        const ast_node *t = l->at[i];
        compile_store(c, t->kind == AST_STARRED ? t->starred.value : t, base + i);
    }
}

void compile_store(compiler *c, const ast_node *target, uint32_t r) {
    uint32_t mark = c->top;
    const ast_node *outer = c->at;
    c->at = target;
    switch ((int)target->kind) {
        case AST_NAME: store_name(c, target, r); break;
        case AST_ATTR: {
            uint32_t o = compile_any(c, target->attr.object);
            c->at = target;
            emit(c, I_SET_ATTR, o, r, 0);
            emit_name(c, target->attr.name);
            break;
        }
        case AST_INDEX: {
            uint32_t o = compile_any(c, target->index.object);
            uint32_t k = compile_any(c, target->index.index);
            c->at = target;
            emit(c, I_SET_ITEM, o, k, r);
            break;
        }
        case AST_TUPLE: unpack(c, target, &target->tuple.items, r); break;
        case AST_LIST: unpack(c, target, &target->list.items, r); break;
        default: compile_fail(c, GPA_E_SYNTAX, "cannot assign to expression"); break;
    }
    c->at = outer;
    c->top = mark;
}

void compile_delete(compiler *c, const ast_node *target) {
    uint32_t mark = c->top;
    c->at = target;
    if (target->kind == AST_NAME) {
        delete_name(c, target);
    } else if (target->kind == AST_ATTR) {
        uint32_t o = compile_any(c, target->attr.object);
        c->at = target;
        emit(c, I_DEL_ATTR, o, 0, 0);
        emit_name(c, target->attr.name);
    } else {
        uint32_t o = compile_any(c, target->index.object);
        uint32_t k = compile_any(c, target->index.index);
        c->at = target;
        emit(c, I_DEL_ITEM, o, k, 0);
    }
    c->top = mark;
}

/* ---- any expression ---- */

static void named(compiler *c, const ast_node *n, uint32_t dst) {
    compile_into(c, n->named.value, dst);
    uint32_t copy = temp(c);
    emit(c, I_MOVE, copy, dst, 0);
    compile_store(c, n->named.target, copy);
}

/* Expressions that write their register before they have read all operands. */
static bool writes_early(const ast_node *n) {
    return n->kind == AST_BOOLOP || n->kind == AST_NAMED ||
           (n->kind == AST_COMPARE && n->compare.links.n > 1);
}

static void literal(compiler *c, const ast_node *n, uint32_t dst) {
    int32_t k = const_register(c, n);
    if (k >= 0)
        emit(c, I_MOVE, dst, (uint32_t)k, 0);
    else
        emit_d(c, I_CONST, dst, add_const(c, literal_value(c, n)));
}

static bool is_literal(const ast_node *n) {
    switch ((int)n->kind) {
        case AST_NONE:
        case AST_TRUE:
        case AST_FALSE:
        case AST_ELLIPSIS:
        case AST_INTEGER:
        case AST_BIG:
        case AST_FLOAT:
        case AST_IMAGINARY:
        case AST_STRING: return true;
        case AST_UNARY:
            return n->unary.op == AST_OP_NEG &&
                   (n->unary.operand->kind == AST_INTEGER || n->unary.operand->kind == AST_FLOAT);
        case AST_TUPLE:
            for (uint32_t i = 0; i < n->tuple.items.n; i++)
                if (!is_literal(n->tuple.items.at[i])) return false;
            return true;
        default: return false;
    }
}

static void expression(compiler *c, const ast_node *n, uint32_t dst) {
    switch ((int)n->kind) {
        case AST_NAME: load_name(c, n, dst); break;
        case AST_FSTRING: fstring(c, n, dst); break;
        case AST_BYTES:
            emit_d(c, I_CONST, dst,
                   add_const(c, v_bytes(c->vm, n->bytes.text.at, n->bytes.text.len)));
            break;
        case AST_MAGIC:
            emit_d(c, I_MAGIC, dst, add_text(c, n->magic.text.at, n->magic.text.len));
            break;
        case AST_TUPLE: display(c, &n->tuple.items, dst, I_TUPLE, I_APPEND, I_EXTEND); break;
        case AST_LIST: display(c, &n->list.items, dst, I_LIST, I_APPEND, I_EXTEND); break;
        case AST_SET: display(c, &n->set.items, dst, I_SET, I_SET_ADD, I_SET_EXTEND); break;
        case AST_DICT: dict(c, n, dst); break;
        case AST_UNARY: {
            uint32_t r = compile_near(c, n->unary.operand, dst);
            c->at = n;
            emit(c, binary_opcode(n->unary.op), dst, r, 0);
            break;
        }
        case AST_BINARY: binary(c, n, dst); break;
        case AST_BOOLOP: boolop(c, n, dst); break;
        case AST_COMPARE: compare(c, n, dst); break;
        case AST_IFEXP: conditional(c, n, dst); break;
        case AST_NAMED: named(c, n, dst); break;
        case AST_CALL: call(c, n, dst); break;
        case AST_ATTR: {
            uint32_t o = compile_near(c, n->attr.object, dst);
            c->at = n;
            emit(c, I_GET_ATTR, dst, o, 0);
            emit_name(c, n->attr.name);
            break;
        }
        case AST_INDEX: {
            uint32_t o = compile_near(c, n->index.object, dst);
            uint32_t k = compile_any(c, n->index.index);
            c->at = n;
            emit(c, I_GET_ITEM, dst, o, k);
            break;
        }
        case AST_SLICE: slice(c, n, dst); break;
        case AST_FUNCTION: function(c, n, dst); break;
        case AST_LISTCOMP: compile_comprehension(c, n, &n->listcomp.clauses, I_LIST, dst); break;
        case AST_SETCOMP: compile_comprehension(c, n, &n->setcomp.clauses, I_SET, dst); break;
        case AST_DICTCOMP: compile_comprehension(c, n, &n->dictcomp.clauses, I_DICT, dst); break;
        case AST_GENEXP: compile_genexp(c, n, dst); break;
        case AST_YIELD: yield(c, n, dst); break;
        default: compile_fail(c, GPA_E_SYNTAX, "invalid syntax"); break;
    }
}

void compile_into(compiler *c, const ast_node *n, uint32_t dst) {
    uint32_t mark = c->top, to = dst;
    const ast_node *outer = c->at;
    n = unmasked(c, n);
    c->at = n;
    if (is_literal(n)) {
        literal(c, n, dst);
    } else {
        if (!is_temp(c, dst) && writes_early(n)) to = temp(c);
        expression(c, n, to);
        c->at = n;
        if (to != dst) emit(c, I_TAKE, dst, to, 0);
    }
    c->at = outer;
    c->top = mark;
}

uint32_t compile_any(compiler *c, const ast_node *n) { return compile_near(c, n, NO_HINT); }
