/* Bytecode generation for statements: imports, assignments, definitions. */
#include "lang/compile/compile.h"

#include "lang/text/source.h"

static void statement(compiler *c, const ast_node *n);

void compile_body(compiler *c, const ast_list *body) {
    for (uint32_t i = 0; i < body->n && !c->failed; i++) {
        uint32_t mark = c->top;
        c->at = body->at[i];
        statement(c, body->at[i]);
        c->top = mark;
    }
}

/* ---- imports ---- */

static void import(compiler *c, const ast_node *n) {
    for (uint32_t i = 0; i < n->import.names.n; i++) {
        const ast_node *a = n->import.names.at[i];
        const intern *names = vm_names(c->vm);
        uint32_t r = temp(c);
        c->at = a;
        uint32_t k =
            add_text(c, intern_text(names, a->alias.name), intern_len(names, a->alias.name));
        emit_d(c, a->alias.renamed ? I_IMPORT : I_IMPORT_ROOT, r, k);
        compile_store(c, a->alias.target, r);
        c->top = r;
    }
}

static void import_from(compiler *c, const ast_node *n) {
    uint32_t m = temp(c);
    const intern *names = vm_names(c->vm);
    gpa_sym module = n->from.module;
    gpa_str name; /* relative imports: a dot per level, then the module */
    str_init(&name);
    for (uint32_t i = 0; i < n->from.level; i++) str_putn(&name, ".", 1);
    if (module) str_putn(&name, intern_text(names, module), intern_len(names, module));
    emit_d(c, I_IMPORT, m, add_text(c, name.text ? name.text : "", name.len));
    str_free(&name);
    if (!n->from.names.n) {
        emit(c, I_IMPORT_ALL, m, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < n->from.names.n; i++) {
        const ast_node *a = n->from.names.at[i];
        uint32_t r = temp(c);
        c->at = a;
        emit(c, I_IMPORT_NAME, r, m, 0);
        emit_name(c, a->alias.name);
        compile_store(c, a->alias.target, r);
        c->top = r;
    }
    emit(c, I_CLEAR, m, 0, 0);
}

/* ---- assignment ---- */

/* a, b = x, y: without creating a tuple. */
static bool parallel(compiler *c, const ast_node *target, const ast_node *v) {
    if (target->kind != AST_TUPLE || v->kind != AST_TUPLE ||
        target->tuple.items.n != v->tuple.items.n)
        return false;
    uint32_t n = v->tuple.items.n, base = c->top;
    for (uint32_t i = 0; i < n; i++)
        if (target->tuple.items.at[i]->kind == AST_STARRED ||
            v->tuple.items.at[i]->kind == AST_STARRED)
            return false;
    if (n > 16) return false;
    for (uint32_t i = 0; i < n; i++) compile_into(c, v->tuple.items.at[i], temp(c));
    for (uint32_t i = 0; i < n; i++) compile_store(c, target->tuple.items.at[i], base + i);
    return true;
}

static void assign(compiler *c, const ast_list *targets, const ast_node *v) {
    const ast_node *first = targets->at[0];
    if (targets->n == 1 && first->kind == AST_NAME && first->name.storage.kind == AST_IN_SLOT) {
        compile_into(c, v, first->name.storage.slot);
        return;
    }
    if (targets->n == 1 && parallel(c, first, v)) return;
    label end = LABEL_NEW;
    if (targets->n == 1 && first->kind == AST_INDEX) compile_masked(c, first, v, &end);
    uint32_t r = temp(c);
    compile_into(c, v, r);
    for (uint32_t i = 0; i < targets->n; i++) {
        uint32_t mark = c->top, from = r;
        if (i + 1 < targets->n) {
            from = temp(c);
            emit(c, I_MOVE, from, r, 0);
        }
        compile_store(c, targets->at[i], from);
        c->top = mark;
    }
    label_here(c, &end);
}

/* dst = dst op= r */
static void update(compiler *c, const ast_node *n, uint32_t dst, uint32_t r) {
    ast_op op = n->augassign.op;
    c->at = n;
    if (op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL) {
        emit(c,
             op == AST_OP_ADD   ? I_UPDATE_ADD
             : op == AST_OP_SUB ? I_UPDATE_SUB
                                : I_UPDATE_MUL,
             dst, dst, r);
        return;
    }
    emit(c, I_UPDATE, dst, dst, r);
    emit_word(c, (ins){.a = (uint16_t)op});
}

/* The calls in the value of an augmented assignment. */
typedef struct {
    compiler *c;
    unsigned n;   /* the callees that were loaded, into registers from `first` on */
    bool any;     /* there is a call, or a yield */
    bool unknown; /* of a callee that could not be loaded */
} calls_in_value;

static void load_callees(void *user, ast_node *n) {
    calls_in_value *calls = user;
    switch ((int)n->kind) {
        case AST_FUNCTION:
        case AST_LISTCOMP:
        case AST_SETCOMP:
        case AST_DICTCOMP:
        case AST_GENEXP:
        case AST_YIELD: calls->any = calls->unknown = true; return;
        case AST_CALL: {
            const ast_node *root = n->call.func;
            while (root->kind == AST_ATTR) root = root->attr.object;
            calls->any = true;
            if (root->kind == AST_NAME) {
                compile_into(calls->c, root, temp(calls->c));
                calls->n++;
            } else {
                calls->unknown = true;
            }
        }
    }
    ast_each_child(n, load_callees, user);
}

/* True if an index yields a view of an array, as far as the syntax tells. */
static bool is_view(const ast_node *index) {
    bool slice = index->kind == AST_SLICE || index->kind == AST_ELLIPSIS;
    if (index->kind == AST_TUPLE)
        for (uint32_t i = 0; i < index->tuple.items.n; i++)
            slice |= is_view(index->tuple.items.at[i]);
    return slice;
}

/* Loads o[k] before the value v of `o[k] op= v` is evaluated, if v contains calls. Returns its
 * register, or 0. */
static uint32_t old_item(compiler *c, const ast_node *n, uint32_t o, uint32_t k) {
    const ast_node *v = n->augassign.value;
    uint32_t r = temp(c), first = c->top;
    calls_in_value calls = {.c = c};
    load_callees(&calls, (ast_node *)v);
    if (calls.any) {
        bool view = is_view(n->augassign.target->index.index);
        c->at = n->augassign.target;
        emit(c, I_OLD_ITEM, r, o, k);
        emit_word(c, (ins){.a = (uint16_t)first,
                           .b = (uint16_t)(view            ? 0
                                           : calls.unknown ? OLD_ITEM_ALWAYS
                                                           : calls.n)});
    }
    c->top = calls.any ? r + 1 : r;
    return calls.any ? r : 0;
}

static void augmented(compiler *c, const ast_node *n) {
    const ast_node *t = n->augassign.target, *v = n->augassign.value;
    if (t->kind == AST_NAME && t->name.storage.kind == AST_IN_SLOT) {
        update(c, n, t->name.storage.slot, compile_any(c, v));
    } else if (t->kind == AST_NAME) {
        uint32_t r = temp(c);
        compile_into(c, t, r);
        update(c, n, r, compile_any(c, v));
        compile_store(c, t, r);
    } else if (t->kind == AST_INDEX) {
        uint32_t o = compile_any(c, t->index.object);
        uint32_t k = compile_any(c, t->index.index);
        uint32_t old = old_item(c, n, o, k);
        uint32_t r = compile_any(c, v);
        c->at = n;
        emit(c, I_UPDATE_ITEM, o, k, r);
        emit_word(c, (ins){.a = (uint16_t)n->augassign.op, .b = (uint16_t)old});
    } else {
        uint32_t o = temp(c), r = temp(c);
        compile_into(c, t->attr.object, o);
        c->at = t;
        emit(c, I_MOVE, r, o, 0);
        emit(c, I_GET_ATTR, r, r, 0);
        emit_name(c, t->attr.name);
        update(c, n, r, compile_any(c, v));
        c->at = t;
        emit(c, I_SET_ATTR, o, r, 0);
        emit_name(c, t->attr.name);
    }
}

/* ---- other statements ---- */

static void if_statement(compiler *c, const ast_node *n) {
    label other = LABEL_NEW, end = LABEL_NEW;
    compile_jump(c, n->if_.test, false, &other);
    compile_body(c, &n->if_.body);
    if (n->if_.other.n) emit_jump(c, I_JUMP, 0, &end);
    label_here(c, &other);
    compile_body(c, &n->if_.other);
    label_here(c, &end);
}

/* Evaluates decorators in order, each into the register where its call expects it: function,
 * unused, argument. */
static void open_decorators(compiler *c, const ast_list *decorators) {
    for (uint32_t i = 0; i < decorators->n; i++) {
        uint32_t r = temp(c);
        temp(c);
        compile_into(c, decorators->at[i], r);
    }
}

/* Calls the decorators, innermost first; the last result is in `base`, the register of the first
 * one. */
static void call_decorators(compiler *c, const ast_list *decorators, uint32_t base) {
    for (uint32_t i = decorators->n; i > 0; i--) {
        c->at = decorators->at[i - 1];
        emit(c, I_CALL, base + 2 * (i - 1), 1, 0);
    }
}

static void def(compiler *c, const ast_node *n) {
    uint32_t base = c->top;
    open_decorators(c, &n->def.decorators);
    compile_into(c, n->def.function, temp(c));
    call_decorators(c, &n->def.decorators, base);
    c->at = n;
    compile_store(c, n->def.target, base);
}

/* The class body is a function without parameters that returns its namespace. */
static void class_statement(compiler *c, const ast_node *n) {
    uint32_t base = c->top;
    open_decorators(c, &n->class_.decorators);
    uint32_t made = temp(c), body = temp(c);
    compile_into(c, n->class_.bases, made);
    c->at = n->class_.target;
    uint32_t inner = add_inner(c, n, n->class_.scope, n->class_.name);
    emit(c, I_FUNCTION, body, inner, 0);
    emit(c, I_CALL, body, 0, 0);
    emit(c, I_CLASS, made, made, body);
    emit_word(c, (ins){.a = (uint16_t)inner});
    call_decorators(c, &n->class_.decorators, base);
    c->at = n;
    compile_store(c, n->class_.target, base);
}

/* x: int = 3. Annotations are not evaluated; in a class their text is kept for __annotations__. */
static void annotated(compiler *c, const ast_node *n) {
    const ast_node *target = n->annassign.target;
    if (n->annassign.value)
        assign(c, &(ast_list){(ast_node *[]){n->annassign.target}, 1}, n->annassign.value);
    if (c->annotations < 0 || target->kind != AST_NAME) return;
    gpa_span at = n->annassign.annotation->span;
    const source *src = source_get(vm_sources(c->vm), at.src);
    uint32_t key = temp(c), text = temp(c);
    emit_d(c, I_CONST, key,
           add_text(c, intern_text(vm_names(c->vm), target->name.name),
                    intern_len(vm_names(c->vm), target->name.name)));
    emit_d(c, I_CONST, text, add_text(c, src->text + at.lo, at.hi - at.lo));
    emit(c, I_DICT_SET, (uint32_t)c->annotations, key, text);
}

static void assert_statement(compiler *c, const ast_node *n) {
    label fine = LABEL_NEW;
    compile_jump(c, n->assert_.test, true, &fine);
    uint32_t r = temp(c);
    if (n->assert_.message) compile_into(c, n->assert_.message, r);
    c->at = n;
    emit(c, I_FAIL_ASSERT, r, n->assert_.message != NULL, 0);
    label_here(c, &fine);
}

static void raise(compiler *c, const ast_node *n) {
    if (!n->raise_.value) {
        if (c->handling < 0) {
            emit(c, I_RERAISE_HANDLED, 0, 0, 0);
            return;
        }
        uint32_t r = temp(c);
        emit(c, I_MOVE, r, (uint32_t)c->handling, 0);
        emit(c, I_RERAISE, r, 0, 0);
        return;
    }
    uint32_t v = compile_any(c, n->raise_.value);
    uint32_t cause = n->raise_.cause ? compile_any(c, n->raise_.cause) : v;
    c->at = n;
    emit(c, I_RAISE, v, cause, n->raise_.cause != NULL);
}

static void expression_statement(compiler *c, const ast_node *n) {
    const ast_node *v = n->expr.value;
    if (v->kind == AST_STRING || v->kind == AST_INTEGER || v->kind == AST_BIG ||
        v->kind == AST_ELLIPSIS)
        return;
    if (v->kind == AST_YIELD && !v->yield_.from) {
        compile_yield(c, v);
        return;
    }
    uint32_t r = temp(c);
    compile_into(c, v, r);
    if (v->kind == AST_INDEX)
        emit(c, I_SETTLE, r, 0, 0); /* the bounds check of a subscript whose value is unused */
    else if (c->measured)
        emit(c, I_KEEP, r, 0, 0);
    emit(c, I_CLEAR, r, 0, 0);
}

static void statement(compiler *c, const ast_node *n) {
    switch ((int)n->kind) {
        case AST_EXPR: expression_statement(c, n); break;
        case AST_ASSIGN: assign(c, &n->assign.targets, n->assign.value); break;
        case AST_AUGASSIGN: augmented(c, n); break;
        case AST_ANNASSIGN: annotated(c, n); break;
        case AST_IF: if_statement(c, n); break;
        case AST_WHILE:
        case AST_FOR: compile_loop(c, n); break;
        case AST_BREAK: compile_loop_jump(c, true); break;
        case AST_CONTINUE: compile_loop_jump(c, false); break;
        case AST_DEF: def(c, n); break;
        case AST_CLASS: class_statement(c, n); break;
        case AST_RETURN: compile_return(c, n->return_.value); break;
        case AST_DEL:
            for (uint32_t i = 0; i < n->del.targets.n; i++) compile_delete(c, n->del.targets.at[i]);
            break;
        case AST_ASSERT: assert_statement(c, n); break;
        case AST_TRY: compile_try(c, n); break;
        case AST_RAISE: raise(c, n); break;
        case AST_WITH: compile_with(c, n, 0); break;
        case AST_IMPORT: import(c, n); break;
        case AST_FROM: import_from(c, n); break;
        case AST_MAGIC: {
            uint32_t r = temp(c);
            compile_into(c, n, r);
            emit(c, I_CLEAR, r, 0, 0);
            break;
        }
        default: break; /* PASS, GLOBAL, NONLOCAL: nothing to do */
    }
}
