/* The syntax tree: constructors, traversal and printing, all expanded from the rows of ast.def.
 *
 * Reading order: facts per kind, making nodes, walking them, printing them. */
#include "lang/syntax/ast.h"

#include "runtime/base/arena.h"
#include "runtime/base/base.h"

static const struct {
    const char *name, *what;
    size_t size;
} kinds[AST_KINDS] = {
#define AST_LEAF(kind, what) [AST_##kind] = {#kind, what, offsetof(ast_node, name)},
#define AST(kind, member, what, fields) \
    [AST_##kind] = {#kind, what, offsetof(ast_node, member) + sizeof(struct ast_##member##_node)},
#include "lang/syntax/ast.def"
};

static const char *const op_texts[AST_OPS] = {
#define AST_OP(id, spelling, class, row) [AST_OP_##id] = spelling,
#include "lang/syntax/ast.def"
};

const char *ast_kind_name(ast_kind kind) { return kinds[kind].name; }

const char *ast_what(ast_kind kind) { return kinds[kind].what; }

const char *ast_op_text(ast_op op) { return op_texts[op]; }

gpa_op ast_op_row(ast_op op) {
    static const gpa_op rows[AST_OPS] = {
#define AST_OP(id, spelling, class, row) [AST_OP_##id] = OP_##row,
#include "lang/syntax/ast.def"
    };
    return rows[op];
}

ast_module *ast_retain(ast_module *m) {
    m->refs++;
    return m;
}

void ast_release(ast_module *m) {
    if (!m || --m->refs > 0) return;
    arena_free(m->arena);
    mem_free(m);
}

ast_node *ast_new(arena *a, ast_kind kind, gpa_span span) {
    ast_node *n = arena_alloc(a, kinds[kind].size);
    if (!n) return NULL;
    n->kind = (uint16_t)kind;
    n->height = 1;
    n->span = span;
    return n;
}

static uint32_t list_height(ast_list l) {
    uint32_t height = 0;
    for (uint32_t i = 0; i < l.n; i++) height = MAX(height, l.at[i]->height);
    return height;
}

bool ast_seal(ast_node *n) {
    uint32_t height = 0;
#define NODE(f) height = MAX(height, v->f->height);
#define OPT(f) height = MAX(height, v->f ? v->f->height : 0);
#define LIST(f) height = MAX(height, list_height(v->f));
#include "lang/syntax/ast_switch.inc"
    n->height = (uint16_t)(height + 1);
    return height < AST_MAX_HEIGHT;
}

static void visit_list(ast_list l, void (*visit)(void *user, ast_node *child), void *user) {
    for (uint32_t i = 0; i < l.n; i++) visit(user, l.at[i]);
}

void ast_each_child(const ast_node *n, void (*visit)(void *user, ast_node *child), void *user) {
#define NODE(f) visit(user, v->f);
#define OPT(f) \
    if (v->f) visit(user, v->f);
#define LIST(f) visit_list(v->f, visit, user);
#include "lang/syntax/ast_switch.inc"
}

static void put_text(gpa_str *out, ast_text t) {
    str_putc(out, '"');
    for (uint32_t i = 0; i < t.len; i++) {
        unsigned char c = (unsigned char)t.at[i];
        if (c == '"' || c == '\\')
            str_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            str_printf(out, "\\x%02x", c);
        else
            str_putc(out, (char)c);
    }
    str_putc(out, '"');
}

static void put_sym(gpa_str *out, gpa_sym s, const intern *names) {
    str_put(out, s ? intern_text(names, s) : "-");
}

/* A global has no suffix: `x` is global, `x@0` in slot 0, `x@cell0`, `x@free0`. */
static void put_storage(gpa_str *out, ast_storage p) {
    static const char *const prefix[] = {"", "@", "@cell", "@free"};
    if (p.kind != AST_IN_GLOBALS) str_printf(out, "%s%u", prefix[p.kind], p.slot);
}

static void put_optional(gpa_str *out, const ast_node *n, const intern *names) {
    if (n)
        ast_print(out, n, names);
    else
        str_putc(out, '-');
}

static void put_list(gpa_str *out, ast_list l, const intern *names) {
    str_putc(out, '[');
    for (uint32_t i = 0; i < l.n; i++) {
        if (i) str_putc(out, ' ');
        ast_print(out, l.at[i], names);
    }
    str_putc(out, ']');
}

static void put_scope(gpa_str *out, const ast_scope *s, const intern *names) {
    str_put(out, " {");
    for (uint32_t i = 0; s && i < s->n_vars; i++) {
        if (i) str_putc(out, ' ');
        put_sym(out, s->vars[i].name, names);
        if (s->vars[i].cell) str_putc(out, '*');
    }
    for (uint32_t i = 0; s && i < s->n_frees; i++) {
        str_put(out, i ? " " : "; ");
        put_sym(out, s->frees[i].name, names);
        put_storage(out, s->frees[i].from);
    }
    str_putc(out, '}');
}

/* Kinds that print without their name. */
static bool put_plain(gpa_str *out, const ast_node *n, const intern *names) {
    if (n->kind == AST_NAME) {
        put_sym(out, n->name.name, names);
        put_storage(out, n->name.storage);
    } else if (n->kind == AST_INTEGER) {
        str_printf(out, "%lld", (long long)n->integer.value);
    } else if (n->kind == AST_STRING) {
        put_text(out, n->string.text);
    } else {
        return false;
    }
    return true;
}

void ast_print(gpa_str *out, const ast_node *n, const intern *names) {
    if (put_plain(out, n, names)) return;
    str_printf(out, "(%s", kinds[n->kind].name);
#define NODE(f) str_putc(out, ' '), ast_print(out, v->f, names);
#define OPT(f) str_putc(out, ' '), put_optional(out, v->f, names);
#define LIST(f) str_putc(out, ' '), put_list(out, v->f, names);
#define TEXT(f) str_putc(out, ' '), put_text(out, v->f);
#define SYM(f) str_putc(out, ' '), put_sym(out, v->f, names);
#define OP(f) str_printf(out, " %s", op_texts[v->f]);
#define INT(f) str_printf(out, " %lld", (long long)v->f);
#define REAL(f) str_printf(out, " %.17g", v->f);
#define NUM(f) str_printf(out, " %u", v->f);
#define STORAGE(f) put_storage(out, v->f);
#define SCOPE(f) put_scope(out, v->f, names);
#include "lang/syntax/ast_switch.inc"
    str_putc(out, ')');
}

void ast_print_module(gpa_str *out, const ast_module *m, const intern *names) {
    for (uint32_t i = 0; i < m->body.n; i++) {
        ast_print(out, m->body.at[i], names);
        str_putc(out, '\n');
    }
}
