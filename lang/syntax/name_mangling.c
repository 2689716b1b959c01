/* Name mangling of class-private names: a traversal of a class body just parsed. Nested classes
 * were mangled before, with their own names. */
#include "lang/syntax/name_mangling.h"

#include <string.h>

#include "runtime/base/str.h"

typedef struct {
    intern *names;
    const char *class; /* without leading underscores */
    bool ok;
} walk;

static bool is_private(const char *name, size_t n) {
    return n > 2 && name[0] == '_' && name[1] == '_' && !(name[n - 1] == '_' && name[n - 2] == '_');
}

static void rename(walk *w, gpa_sym *name) {
    const char *text = intern_text(w->names, *name);
    size_t n = intern_len(w->names, *name);
    gpa_str full;
    if (!is_private(text, n) || memchr(text, '.', n)) return;
    str_init(&full);
    str_printf(&full, "_%s%s", w->class, text);
    *name = full.failed ? 0 : intern_get(w->names, full.text, full.len);
    w->ok = w->ok && *name;
    str_free(&full);
}

static void visit(void *user, ast_node *n) {
    walk *w = user;
    if (!w->ok) return;
    if (n->kind == AST_NAME)
        rename(w, &n->name.name);
    else if (n->kind == AST_ATTR)
        rename(w, &n->attr.name);
    else if (n->kind == AST_KEYWORD && n->keyword.name)
        rename(w, &n->keyword.name);
    ast_each_child(n, visit, w);
}

bool mangle_names(intern *names, gpa_sym class, ast_list body) {
    const char *text = intern_text(names, class);
    walk w = {names, text + strspn(text, "_"), true};
    for (uint32_t i = 0; *w.class && i < body.n; i++) visit(&w, body.at[i]);
    return w.ok;
}
