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
// clang-format off
#define AST_LEAF(kind, what) [AST_##kind] = {#kind, what, offsetof(ast_node, name)},
#define AST(kind, member, what, fields) \
    [AST_##kind] = {#kind, what, offsetof(ast_node, member) + sizeof(struct ast_##member##_node)},
#include "lang/syntax/ast.def"
#undef AST
#undef AST_LEAF
};

static const char *const op_texts[AST_OPS] = {
#define AST_OP(id, spelling, class) [AST_OP_##id] = spelling,
#include "lang/syntax/ast.def"
#undef AST_OP
};

const char *ast_kind_name(ast_kind kind) { return kinds[kind].name; }

const char *ast_what(ast_kind kind) { return kinds[kind].what; }

const char *ast_op_text(ast_op op) { return op_texts[op]; }

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

/* The expansions below visit children only. */
#define TEXT(f)
#define SYM(f)
#define OP(f)
#define SPAN(f)
#define INT(f)
#define REAL(f)
#define NUM(f)
#define STORAGE(f)
#define SCOPE(f)
#define AST_LEAF(kind, what) case AST_##kind: break;
#define AST(kind, member, what, fields)                  \
    case AST_##kind: {                                   \
        const struct ast_##member##_node *v = &n->member; \
        (void)v;                                         \
        fields                                           \
        break;                                           \
    }
// clang-format on

bool ast_seal(ast_node *n) {
    uint32_t height = 0;
#define NODE(f) height = MAX(height, v->f->height);
#define OPT(f) \
    if (v->f) height = MAX(height, v->f->height);
#define LIST(f) \
    for (uint32_t i = 0; i < v->f.n; i++) height = MAX(height, v->f.at[i]->height);
    switch ((ast_kind)n->kind) {
#include "lang/syntax/ast.def"
        case AST_KINDS: break;
    }
#undef NODE
#undef OPT
#undef LIST
    n->height = (uint16_t)(height + 1);
    return height < AST_MAX_HEIGHT;
}

void ast_each_child(const ast_node *n, void (*visit)(void *user, ast_node *child), void *user) {
#define NODE(f) visit(user, v->f);
#define OPT(f) \
    if (v->f) visit(user, v->f);
#define LIST(f) \
    for (uint32_t i = 0; i < v->f.n; i++) visit(user, v->f.at[i]);
    switch ((ast_kind)n->kind) {
#include "lang/syntax/ast.def"
        case AST_KINDS: break;
    }
#undef NODE
#undef OPT
#undef LIST
}

#undef TEXT
#undef SYM
#undef OP
#undef SPAN
#undef INT
#undef REAL
#undef NUM
#undef STORAGE
#undef SCOPE
#undef AST
#undef AST_LEAF

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
    static const char *const where[] = {"", "@", "@cell", "@free"};
    if (p.where != AST_IN_GLOBALS) str_printf(out, "%s%u", where[p.where], p.slot);
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
        put_storage(out, n->name.place);
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
#define OPT(f)              \
    if (!v->f)              \
        str_put(out, " -"); \
    else                    \
        str_putc(out, ' '), ast_print(out, v->f, names);
#define LIST(f) str_putc(out, ' '), put_list(out, v->f, names);
#define TEXT(f) str_putc(out, ' '), put_text(out, v->f);
#define SYM(f) str_putc(out, ' '), put_sym(out, v->f, names);
#define OP(f) str_printf(out, " %s", op_texts[v->f]);
#define SPAN(f)
#define INT(f) str_printf(out, " %lld", (long long)v->f);
#define REAL(f) str_printf(out, " %.17g", v->f);
#define NUM(f) str_printf(out, " %u", v->f);
#define STORAGE(f) put_storage(out, v->f);
#define SCOPE(f) put_scope(out, v->f, names);
// clang-format off
#define AST_LEAF(kind, what) case AST_##kind: break;
#define AST(kind, member, what, fields)                   \
    case AST_##kind: {                                    \
        const struct ast_##member##_node *v = &n->member; \
        fields                                            \
        break;                                            \
    }
    // clang-format on
    switch ((ast_kind)n->kind) {
#include "lang/syntax/ast.def"
        case AST_KINDS: break;
    }
    str_putc(out, ')');
}

void ast_print_module(gpa_str *out, const ast_module *m, const intern *names) {
    for (uint32_t i = 0; i < m->body.n; i++) {
        ast_print(out, m->body.at[i], names);
        str_putc(out, '\n');
    }
}
