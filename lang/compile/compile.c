/* Core of the compiler: emitting instructions, labels, constants, and the entry point.
 *
 * Reading order: emit and the labels, then scan (the facts about a body that its first instruction
 * requires: its number constants, and whether it contains a walrus), then compile_code. Expressions
 * are in compile_expr.c, statements in compile_stmt.c. */
#include "lang/compile/compile.h"

#include "lang/object/big.h"
#include "lang/text/number_text.h"

#include "runtime/base/base.h"

enum { MAX_REGISTERS = 60000, MAX_FRAME_CONSTS = 24 };

void compile_fail(compiler *c, gpa_code kind, const char *text) {
    if (!c->failed) {
        vm_fail(c->vm, kind, "%s", text);
        if (c->at) gpa_fail_at(vm_err(c->vm), c->at->span);
    }
    c->failed = true;
}

static void no_memory(compiler *c) {
    if (!c->failed) vm_no_memory(c->vm);
    c->failed = true;
}

/* ---- instructions ---- */

static uint32_t emit_any(compiler *c, ins w) {
    if (c->failed) return 0;
    if (!mem_grow(&c->ins, c->n_ins, &c->cap_ins, sizeof *c->ins) ||
        !mem_grow(&c->nodes, c->n_ins, &c->cap_nodes, sizeof *c->nodes)) {
        no_memory(c);
        return 0;
    }
    c->nodes[c->n_ins] = c->at;
    c->ins[c->n_ins] = w;
    return (uint32_t)c->n_ins++;
}

uint32_t emit(compiler *c, opcode op, uint32_t a, uint32_t b, uint32_t x) {
    return emit_any(
        c, (ins){.op = (uint16_t)op, .a = (uint16_t)a, .b = (uint16_t)b, .c = (uint16_t)x});
}

uint32_t emit_d(compiler *c, opcode op, uint32_t a, int64_t d) {
    ins w = {.op = (uint16_t)op, .a = (uint16_t)a};
    w.d = (int32_t)d;
    return emit_any(c, w);
}

void emit_word(compiler *c, ins w) { emit_any(c, w); }

void emit_return(compiler *c, uint32_t r) {
    const ast_scope *s = c->code->scope;
    if (c->code->jit) emit(c, I_LEAVE_JITTED, r, 0, 0);
    emit(c, s->yields || s->kind == AST_SCOPE_GENEXP ? I_FINISH : I_RETURN, r, 0, 0);
}

void emit_name(compiler *c, gpa_sym name) {
    ins w = {.op = 0};
    w.sym = name;
    w.cache = c->code->n_caches++;
    emit_any(c, w);
}

static void jump_to(compiler *c, uint32_t word, label *l) {
    if (c->failed) return;
    if (l->at >= 0) {
        c->ins[word].d = (int32_t)(l->at - (int64_t)word);
    } else {
        c->ins[word].d = (int32_t)l->chain;
        l->chain = word;
    }
}

void emit_jump(compiler *c, opcode op, uint32_t a, label *l) { jump_to(c, emit_d(c, op, a, 0), l); }
void emit_jump_word(compiler *c, label *l) { jump_to(c, emit_d(c, (opcode)0, 0, 0), l); }

void label_here(compiler *c, label *l) {
    if (c->failed) return;
    l->at = (int64_t)c->n_ins;
    for (int64_t word = l->chain; word >= 0;) {
        int64_t next = c->ins[word].d;
        c->ins[word].d = (int32_t)(l->at - word);
        word = next;
    }
    l->chain = -1;
}

/* ---- registers and constants ---- */

uint32_t temp(compiler *c) {
    if (c->top >= MAX_REGISTERS) {
        compile_fail(c, GPA_E_SYNTAX, "too many values in one expression");
        return c->top;
    }
    uint32_t r = c->top++;
    c->high = MAX(c->high, c->top);
    return r;
}

bool is_temp(const compiler *c, uint32_t r) { return r >= c->code->first_temp; }

uint32_t add_const(compiler *c, value v) {
    code *k = c->code;
    if (v.tag == V_UNSET || !mem_grow(&k->consts, k->n_consts, &c->cap_consts, sizeof *k->consts)) {
        value_release(c->vm, v);
        no_memory(c);
        return 0;
    }
    k->consts[k->n_consts] = v;
    return k->n_consts++;
}

uint32_t add_text(compiler *c, const char *text, size_t n) {
    return add_const(c, v_str(c->vm, text, n));
}

uint32_t add_inner(compiler *c, const ast_node *node, const ast_scope *scope, gpa_sym name) {
    code *k = c->code;
    code *inner = code_new(k->ast, node, scope, name);
    if (!inner || !mem_grow(&k->inner, k->n_inner, &c->cap_inner, sizeof(code *))) {
        code_release(c->vm, inner);
        no_memory(c);
        return 0;
    }
    if (k->n_inner >= MAX_REGISTERS)
        compile_fail(c, GPA_E_SYNTAX, "too many functions in one body");
    k->inner[k->n_inner] = inner;
    return k->n_inner++;
}

static value number_value(const ast_node *n) {
    switch ((int)n->kind) {
        case AST_INTEGER: return v_int(n->integer.value);
        case AST_FLOAT: return v_float(n->real.value);
        case AST_NONE: return v_none();
        case AST_TRUE: return v_bool(true);
        case AST_FALSE: return v_bool(false);
        case AST_UNARY: {
            const ast_node *x = n->unary.operand;
            if (n->unary.op != AST_OP_NEG) break;
            if (x->kind == AST_INTEGER) return v_int(-x->integer.value);
            if (x->kind == AST_FLOAT) return v_float(-x->real.value);
            break;
        }
        default: break;
    }
    return v_unset();
}

static value big_literal(compiler *c, const ast_node *n) {
    int64_t i;
    int_digits d;
    value v = v_unset();
    parse_int(n->big.digits.at, n->big.digits.len, 0, &i, &d);
    return big_parse(c->vm, d.text, d.n, (unsigned)d.base, false, &v) ? v_unset() : v;
}

value literal_value(compiler *c, const ast_node *n) {
    switch ((int)n->kind) {
        case AST_STRING: return v_str(c->vm, n->string.text.at, n->string.text.len);
        case AST_ELLIPSIS: return (value){.tag = V_ELLIPSIS};
        case AST_BIG: return big_literal(c, n);
        case AST_IMAGINARY: return v_complex(c->vm, 0, n->imag.value);
        case AST_TUPLE: {
            value t = v_tuple(c->vm, n->tuple.items.n, NULL);
            for (uint32_t i = 0; t.tag && i < n->tuple.items.n; i++) {
                value item = literal_value(c, n->tuple.items.at[i]);
                if (item.tag == V_UNSET) {
                    value_release(c->vm, t);
                    return v_unset();
                }
                t.tuple->items[i] = item;
            }
            return t;
        }
        default: return number_value(n);
    }
}

static bool same_number(value a, value b) { return a.tag == b.tag && a.i == b.i; }

int32_t const_register(compiler *c, const ast_node *n) {
    value v = number_value(n);
    if (v.tag == V_UNSET) return -1;
    for (uint32_t i = 0; i < c->code->n_consts_in_frame; i++)
        if (same_number(c->code->consts[i], v)) return c->code->n_vars + (int32_t)i;
    return -1;
}

/* ---- scanning a body ---- */

static void scan_child(void *user, ast_node *n);

/* Collects number constants and walruses of a body. Inner functions and classes have bodies of
 * their own; only their defaults, bases and decorators, and the outermost iterable of a generator
 * expression, are evaluated here. */
static void scan(compiler *c, const ast_node *n) {
    if (!n) return;
    value v = number_value(n);
    if (v.tag != V_UNSET) {
        if (const_register(c, n) < 0 && c->code->n_consts_in_frame < MAX_FRAME_CONSTS) {
            add_const(c, v);
            c->code->n_consts_in_frame = (uint16_t)c->code->n_consts;
        }
    } else if (n->kind == AST_FUNCTION) {
        for (uint32_t i = 0; i < n->function.params.n; i++)
            scan(c, n->function.params.at[i]->param.init);
    } else if (n->kind == AST_CLASS) {
        for (uint32_t i = 0; i < n->class_.decorators.n; i++) scan(c, n->class_.decorators.at[i]);
        scan(c, n->class_.bases);
    } else if (n->kind == AST_GENEXP) {
        scan(c, n->genexp.clauses.at[0]->clause.iter);
    } else {
        if (n->kind == AST_NAMED) c->walrus = true;
        ast_each_child(n, scan_child, c);
    }
}

static void scan_child(void *user, ast_node *n) { scan(user, n); }

static void scan_list(compiler *c, const ast_list *l) {
    for (uint32_t i = 0; i < l->n; i++) scan(c, l->at[i]);
}

/* ---- entry point ---- */

static void scan_body(compiler *c) {
    const ast_node *n = c->code->node;
    if (!n) {
        scan_list(c, &c->code->ast->body);
    } else if (n->kind == AST_FUNCTION) {
        scan_list(c, &n->function.body);
    } else if (n->kind == AST_CLASS) {
        scan_list(c, &n->class_.body);
    } else {
        scan(c, n->genexp.item);
        for (uint32_t i = 0; i < n->genexp.clauses.n; i++) {
            const ast_node *clause = n->genexp.clauses.at[i];
            scan(c, clause->clause.target);
            if (i) scan(c, clause->clause.iter);
            scan_list(c, &clause->clause.conditions);
        }
    }
}

/* Creates cells for variables that inner functions capture; those of comprehensions are created
 * when these begin. */
static void open_cells(compiler *c) {
    const ast_scope *s = c->code->scope;
    for (uint32_t i = 0; i < s->n_vars; i++)
        if (s->vars[i].cell && (!s->vars[i].comprehension || s->kind == AST_SCOPE_GENEXP))
            emit(c, I_NEW_CELL, i, 0, 0);
}

static void module_body(compiler *c, const ast_list *body, bool show_last) {
    const ast_node *last = body->n ? body->at[body->n - 1] : NULL;
    bool shown = show_last && last && last->kind == AST_EXPR;
    ast_list rest = {body->at, body->n - shown};
    compile_body(c, &rest);
    uint32_t r = temp(c);
    if (shown)
        compile_into(c, last->expr.value, r);
    else
        emit(c, I_CLEAR, r, 0, 0);
    emit(c, I_RETURN, r, 0, 0);
}

static void function_body(compiler *c, const ast_list *body) {
    compile_body(c, body);
    uint32_t r = temp(c);
    emit_d(c, I_CONST, r, add_const(c, v_none()));
    emit_return(c, r);
}

/* The slot of the dict of a class's annotations, or -1. */
static int32_t annotations_slot(const compiler *c) {
    const ast_scope *s = c->code->scope;
    gpa_sym name = intern_find(vm_names(c->vm), "__annotations__", 15);
    for (uint32_t i = 0; i < s->n_vars; i++)
        if (s->vars[i].name == name && !s->vars[i].comprehension) return (int32_t)i;
    return -1;
}

static void class_body(compiler *c, const ast_list *body) {
    c->annotations = annotations_slot(c);
    if (c->annotations >= 0) emit(c, I_DICT, (uint32_t)c->annotations, 0, 0);
    compile_body(c, body);
    uint32_t r = temp(c);
    emit(c, I_NAMESPACE, r, 0, 0);
    emit(c, I_RETURN, r, 0, 0);
}

gpa_code compile_code(gpa_vm *vm, code *k, module_obj *in, bool show_last) {
    gpa_code rc = code_parse(vm, k);
    if (rc) return rc;
    compiler c = {.vm = vm,
                  .code = k,
                  .globals = in,
                  .handling = -1,
                  .annotations = -1,
                  .measured = vm_core_of(vm)->measured && !k->node};
    if (k->scope->n_vars > MAX_REGISTERS / 2)
        compile_fail(&c, GPA_E_SYNTAX, "too many variables in one body");
    k->n_vars = (uint16_t)k->scope->n_vars;
    scan_body(&c);
    k->first_temp = (uint16_t)(k->n_vars + k->n_consts_in_frame);
    c.top = c.high = k->first_temp;
    const ast_node *n = k->node;
    if (k->scope->yields) {
        c.at = n;
        emit(&c, I_SUSPEND, 0, 0, 0);
    }
    if (k->jit) {
        c.at = n;
        emit(&c, I_ENTER_JITTED, 0, 0, 0);
    }
    open_cells(&c);
    if (!n)
        module_body(&c, &k->ast->body, show_last);
    else if (n->kind == AST_FUNCTION)
        function_body(&c, &n->function.body);
    else if (n->kind == AST_CLASS)
        class_body(&c, &n->class_.body);
    else
        compile_generator(&c, n);
    k->ins = c.ins;
    k->nodes = c.nodes;
    k->n_ins = (uint32_t)c.n_ins;
    k->n_regs = (uint16_t)(c.high + 2);
    if (!c.failed && k->n_caches && !(k->caches = mem_zero(k->n_caches * sizeof *k->caches)))
        no_memory(&c);
    k->compiled = !c.failed;
    return c.failed ? vm_err(vm)->code : GPA_OK;
}
