/* %macro: program text under a name, which runs when the name alone is a cell. */
#include <stdlib.h>

#include "lang/object/container.h"
#include "lang/session/magic.h"

static value macro_class(gpa_session *s) {
    const module_obj *m = vm_loaded_peek(s->vm, "IPython.core.macro");
    return m ? module_get_text_peek(s->vm, m, "Macro") : v_unset();
}

bool macro_text(gpa_session *s, value v, gpa_str *out) {
    value class = macro_class(s);
    if (!is_instance(v) || class.tag != V_CLASS || class_of_peek(v) != class.class) return false;
    if (out && vm_str(s->vm, v, out)) vm_clear_error(s->vm);
    return true;
}

bool macro_expand(gpa_session *s, const char *src, size_t n, gpa_str *out) {
    while (n && strchr(" \t\r\n", src[n - 1])) n--;
    while (n && strchr(" \t\r\n", *src)) src++, n--;
    for (size_t i = 0; i < n; i++)
        if (!inspect_is_name(src[i])) return false;
    gpa_sym sym = n ? intern_find(s->names, src, n) : 0;
    return sym && macro_text(s, module_get_peek(vm_main(s->vm), sym), out) && !out->failed;
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const value *)a)->str->text, ((const value *)b)->str->text);
}

/* The sorted list of the names of macros. */
static gpa_code list_macros(gpa_session *s, value *out) {
    module_obj *m = vm_main(s->vm);
    value list = v_list(s->vm, 0, NULL);
    gpa_code rc = list.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        if (!macro_text(s, m->slots[i], NULL)) continue;
        value name = v_cstr(s->vm, intern_text(s->names, m->names[i]));
        rc = name.tag == V_UNSET ? vm_err(s->vm)->code : list_append(s->vm, list.list, name);
        value_release(s->vm, name);
    }
    if (!rc && list.list->count > 1)
        qsort(list.list->items, list.list->count, sizeof *list.list->items, by_text);
    if (!rc)
        *out = list;
    else
        value_release(s->vm, list);
    return rc;
}

gpa_code macro_define(gpa_session *s, const char *name, value code) {
    module_obj *m;
    value macro = v_unset();
    gpa_code rc = vm_import(s->vm, "IPython.core.macro", &m);
    if (!rc) rc = vm_call(s->vm, module_get_text_peek(s->vm, m, "Macro"), ARGS(1, &code), &macro);
    if (!rc) rc = module_set_text(s->vm, vm_main(s->vm), name, macro);
    if (macro.tag != V_UNSET) value_release(s->vm, macro);
    return rc;
}

MAGIC(macro, LINE, WORDS, "[-q] [-r] [name source]",
      "Define a macro: program text that runs when its name alone is a cell.\n"
      "\n"
      "The source is a range of the history (see %history), a file, a string or\n"
      "another macro. Without arguments: the names of all macros. print(name) shows\n"
      "the text of one.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-q    Quiet: do not print the macro.\n"
      "-r    Accepted: the history always holds what was typed.") {
    gpa_session *s = m->s;
    const char *given;
    size_t n;
    bool quiet = false;
    gpa_str name, text;
    value code = v_unset();
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "rq", &given, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        if (o == 'q') quiet = true;
    }
    if (!m->n) return list_macros(s, out);
    str_init(&name);
    str_init(&text);
    magic_word(m, &name);
    if (!m->n) TRY(magic_usage(m, "%%macro insufficient args; usage '%%macro name n1-n2 n3-4..."));
    if (!magic_find_text(s, m->args, m->n, &text)) {
        session_printf(s, false,
                       "'%.*s' was not found in history, as a file, url, nor in the user "
                       "namespace.\n",
                       (int)MIN(m->n, 200), m->args);
        goto out;
    }
    while (text.len && text.text[text.len - 1] == '\n') str_truncate(&text, text.len - 1);
    code = v_str(s->vm, text.text, text.len);
    TRY(code.tag == V_UNSET ? vm_err(s->vm)->code : macro_define(s, name.text, code));
    if (!quiet)
        session_printf(s, false,
                       "Macro `%s` created. To execute, type its name (without quotes).\n"
                       "=== Macro contents: ===\n%s\n ",
                       name.text, text.text);
out:
    if (code.tag != V_UNSET) value_release(s->vm, code);
    str_free(&name);
    str_free(&text);
    return rc;
}
