/* Completion: what may stand at the cursor. Nothing of the user's is called. */
#include <stdio.h>

#include "lang/session/inspect.h"

typedef struct {
    gpa_session *s;
    const char *prefix;
    size_t n, start, end;
    void (*each)(void *user, const gpa_completion *c);
    void *user;
} offering;

static void offer_word(const offering *o, const char *word, const char *kind) {
    if (strncmp(word, o->prefix, o->n) == 0) o->each(o->user, &(gpa_completion){word, kind, "", "", o->start, o->end});
}

static void offer(void *to, const char *name, value v) {
    const offering *o = to;
    gpa_str type, signature;
    bool hidden = name[0] == '_' && (o->n == 0 || o->prefix[0] != '_');
    if (hidden || strncmp(name, o->prefix, o->n) != 0) return;
    str_init(&type);
    str_init(&signature);
    inspect_type(v, &type);
    inspect_signature(o->s, v, "", &signature);
    o->each(o->user, &(gpa_completion){name, inspect_kind(v), type.text, signature.text, o->start, o->end});
    str_free(&type);
    str_free(&signature);
}

static void offer_module(gpa_session *s, const module_obj *m, offering *o) {
    for (uint32_t i = 0; i < m->n; i++)
        if (m->slots[i].tag != V_UNSET) offer(o, intern_text(s->names, m->names[i]), m->slots[i]);
}

static void offer_names(gpa_session *s, offering *o) {
    static const char *const keywords[] = {"and", "as", "assert", "break", "continue", "def", "del", "elif", "else", "except", "False", "finally",
                                           "for", "from", "global", "if", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or", "pass",
                                           "raise", "return", "True", "try", "while", "with"};
    for (size_t i = 0; i < COUNT_OF(keywords); i++) offer_word(o, keywords[i], "keyword");
    offer_module(s, vm_main(s->vm), o);
    module_obj *builtins;
    static const char *const modules[] = {"builtins", "numpy"};
    for (size_t i = 0; i < COUNT_OF(modules); i++)
        if (vm_import(s->vm, modules[i], &builtins) == GPA_OK) vm_dir(s->vm, v_obj(V_MODULE, builtins), offer, o);
    vm_clear_error(s->vm);
}

gpa_code gpa_session_complete(gpa_session *s, const char *src, size_t n, size_t cursor,
                              void (*each)(void *user, const gpa_completion *c), void *user) {
    size_t end = MIN(cursor, n), at = end;
    while (at > 0 && inspect_is_name(src[at - 1])) at--;
    offering o = {s, src + at, end - at, at, end, each, user};
    if (at == 0 || src[at - 1] != '.') {
        offer_names(s, &o);
        return GPA_OK;
    }
    size_t start = at - 1;
    while (start > 0 && (inspect_is_name(src[start - 1]) || src[start - 1] == '.')) start--;
    value v = inspect_resolve(s, src + start, at - 1 - start);
    if (v.tag == V_UNSET) return GPA_OK;
    gpa_code rc = vm_dir(s->vm, v, offer, &o);
    value_release(s->vm, v);
    return rc;
}
