/* %restart: restarts the process and restores the variables that can be saved. It recovers a GPU
 * after a failed kernel: the CUDA driver does not do so within the process.
 *
 * Variables are saved in a folder: `names.gpa`, a program that assigns them in the order of their
 * definition, and a .npy file for each array. Numbers, strings and containers of them become
 * literals; modules are imported, functions and classes defined again from their source. Reading
 * order: values, definitions, the folder, the magic, restoring. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/base.h"

#include "lang/object/container.h"
#include "lang/syntax/parse.h"
#include "lang/session/magic.h"

enum { DEEP = 40, PATH_ROOM = 4096 };
static const char program_name[] = "names.gpa";

/* ---- values ---- */

static bool put_literal(gpa_session *s, value v, int depth, gpa_str *out);

static bool put_float(gpa_session *s, value v, gpa_str *out) {
    if (isfinite(v.f)) return !vm_repr(s->vm, v, out);
    str_put(out, isnan(v.f) ? "float('nan')" : v.f < 0 ? "-float('inf')" : "float('inf')");
    return true;
}

static bool put_items(gpa_session *s, const char *brackets, const value *items, size_t n, int depth,
                      gpa_str *out) {
    bool good = true;
    str_putc(out, brackets[0]);
    for (size_t i = 0; i < n && good; i++) {
        good = put_literal(s, items[i], depth, out);
        str_put(out, ", ");
    }
    str_putc(out, brackets[1]);
    return good;
}

static bool put_entries(gpa_session *s, const dict_obj *d, bool pairs, int depth, gpa_str *out) {
    size_t at = 0;
    bool good = true;
    str_put(out, pairs ? "{" : "set([");
    for (const dict_entry *e; good && (e = dict_next(d, &at));) {
        good = put_literal(s, e->key, depth, out);
        if (pairs) str_put(out, ": ");
        if (pairs) good = good && put_literal(s, e->v, depth, out);
        str_put(out, ", ");
    }
    str_put(out, pairs ? "}" : "])");
    return good;
}

/* Appends the value as a literal expression; false: it has none. */
static bool put_literal(gpa_session *s, value v, int depth, gpa_str *out) {
    if (depth++ > DEEP) return false;
    switch ((int)v.tag) {
        case V_INT:
        case V_BIG:
        case V_NONE:
        case V_BOOL:
        case V_STR:
        case V_BYTES:
        case V_RANGE: return !vm_repr(s->vm, v, out);
        case V_FLOAT: return put_float(s, v, out);
        case V_COMPLEX:
            return !v.aux && isfinite(v.complex->re) && isfinite(v.complex->im) &&
                   !vm_repr(s->vm, v, out);
        case V_LIST: return put_items(s, "[]", v.list->items, v.list->count, depth, out);
        case V_TUPLE: return put_items(s, "()", v.tuple->items, v.tuple->count, depth, out);
        case V_DICT: return !v.dict->ordered && put_entries(s, v.dict, true, depth, out);
        case V_SET: return !v.set->frozen && put_entries(s, &v.set->d, false, depth, out);
    }
    return false;
}

/* ---- definitions ---- */

/* The source of the last top-level `def` of a name in the inputs, with its decorators. */
static bool put_def(gpa_session *s, gpa_sym name, gpa_str *out) {
    uint32_t last = 0;
    while (source_get(s->sources, last + 1)) last++;
    for (uint32_t id = last; id; id--) {
        const source *src = source_get(s->sources, id);
        gpa_err quiet = {0};
        ast_module *m;
        if (src->name[0] == '<' ||
            parse_module(src, s->names, &(parse_options){.magics = true}, &m, &quiet))
            continue;
        bool found = false;
        for (uint32_t i = m->body.n; i-- > 0 && !found;) {
            const ast_node *n = m->body.at[i];
            found = (n->kind == AST_DEF && n->def.target->name.name == name) ||
                    (n->kind == AST_CLASS && n->class_.name == name);
            if (found) str_putn(out, src->text + n->span.lo, n->span.hi - n->span.lo);
        }
        ast_release(m);
        if (found) return true;
    }
    return false;
}

static bool put_import(gpa_session *s, value v, const char *name, gpa_str *out) {
    if (v.tag == V_MODULE)
        str_printf(out, "import %s as %s", intern_text(s->names, v.module->name), name);
    else
        str_printf(out, "from %s import %s as %s", v.native->owner, v.native->name, name);
    return true;
}

/* ---- the folder ---- */

typedef struct {
    gpa_session *s;
    char folder[PATH_ROOM];
    gpa_str program,
        lost; /* statements that restore names; names that cannot be kept, with reasons */
    size_t kept;
} saved_session;

static void remove_folder(const char *folder) {
    char path[PATH_ROOM + 300];
    DIR *d = opendir(folder);
    for (struct dirent *x; d && (x = readdir(d));) {
        if (x->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, x->d_name);
        unlink(path);
    }
    if (d) closedir(d);
    rmdir(folder);
}

/* Saves an array to its file; the error remains the vm's. */
static gpa_code save_array(saved_session *k, const char *name, value v) {
    gpa_vm *vm = k->s->vm;
    char path[PATH_ROOM + 300];
    module_obj *numpy;
    snprintf(path, sizeof path, "%s/%s.npy", k->folder, name);
    value args[2] = {v_str(vm, path, strlen(path)), v}, done = v_unset();
    gpa_code rc = args[0].tag == V_UNSET ? vm_err(vm)->code : vm_import(vm, "numpy", &numpy);
    if (!rc) rc = vm_call(vm, module_get_text_peek(vm, numpy, "save"), ARGS(2, args), &done);
    value_release(vm, args[0]);
    value_release(vm, done);
    bool scalar = v.tag == V_NUM || v.aux;
    if (!rc) str_printf(&k->program, "%s = _load('%s')%s", name, path, scalar ? "[()]" : "");
    return rc;
}

static void report_unsaved(saved_session *k, const char *name, const char *why) {
    str_printf(&k->lost, "%s%s (%s)", k->lost.len ? ", " : "", name, why);
}

/* Saves one name: a statement of the program, or the reason why not. */
static gpa_code save_variable(saved_session *k, gpa_sym sym, value v) {
    gpa_session *s = k->s;
    const char *name = intern_text(s->names, sym);
    size_t begun = k->program.len;
    bool array = v.tag == V_ARRAY || v.tag == V_NUM, good = false;
    gpa_code rc = array ? save_array(k, name, v) : GPA_OK;
    if (rc == GPA_E_INTERRUPT || rc == GPA_E_MEMORY) return rc;
    if (rc) {
        str_truncate(&k->program, begun);
        report_unsaved(k, name, vm_err(s->vm)->msg);
        vm_clear_error(s->vm);
        return GPA_OK;
    }
    if (array)
        good = true;
    else if (v.tag == V_MODULE || v.tag == V_NATIVE)
        good = put_import(s, v, name, &k->program);
    else if (v.tag == V_FUNC || v.tag == V_CLASS || v.tag == V_OBJECT)
        good = put_def(s, sym, &k->program);
    else {
        str_printf(&k->program, "%s = ", name);
        good = put_literal(s, v, 0, &k->program);
    }
    if (vm_err(s->vm)->code) vm_clear_error(s->vm);
    if (!good) str_truncate(&k->program, begun);
    if (!good)
        report_unsaved(k, name, inspect_type_name(v));
    else
        str_putc(&k->program, '\n');
    k->kept += good;
    return k->program.failed || k->lost.failed ? vm_no_memory(s->vm) : GPA_OK;
}

static gpa_code write_program(saved_session *k) {
    char path[PATH_ROOM + 300];
    snprintf(path, sizeof path, "%s/%s", k->folder, program_name);
    FILE *f = fopen(path, "we");
    bool good =
        f && fwrite(k->program.text ? k->program.text : "", 1, k->program.len, f) == k->program.len;
    if (f && fclose(f)) good = false;
    return good ? GPA_OK : vm_fail(k->s->vm, GPA_E_OS, "%s cannot be written", path);
}

static gpa_code keep_all(saved_session *k) {
    gpa_session *s = k->s;
    const char *tmp = getenv("TMPDIR");
    const module_obj *m = vm_main(s->vm);
    snprintf(k->folder, sizeof k->folder, "%.3000s/gpa-restart-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(k->folder)) return vm_fail(s->vm, GPA_E_OS, "%s cannot be made", k->folder);
    gpa_code rc = GPA_OK;
    str_put(&k->program, "from numpy import load as _load\n");
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        const char *name = intern_text(s->names, m->names[i]);
        if (m->slots[i].tag == V_UNSET || name[0] == '_' || session_owns_name(name)) continue;
        rc = save_variable(k, m->names[i], m->slots[i]);
    }
    str_put(&k->program, "del _load\n");
    return rc ? rc : write_program(k);
}

/* ---- the magic ---- */

/* Restarts the process if the front end can; else prints how the user restarts it. */
static void print_restart_hint(saved_session *k) {
    if (k->s->host.restart) k->s->host.restart(k->s->host.user, k->folder);
    session_printf(k->s, false, "Restart the kernel, then get the names back: %%run %s/%s\n",
                   k->folder, program_name);
}

MAGIC(restart, LINE, WORDS, "[-f]",
      "Restart the process and restore the variables that can be saved.\n"
      "\n"
      "These are numbers, strings, containers of them, arrays, imports, functions and\n"
      "classes; the others are listed, and confirmed. The restart recovers a GPU on\n"
      "which a raw kernel has failed.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-f    Force: do not ask for confirmation.") {
    gpa_session *s = m->s;
    saved_session k = {.s = s};
    bool force = magic_take(m, "-f"), yes = true;
    if (m->n)
        return magic_usage(m, "%%restart: unknown word '%.*s' (-f)", (int)MIN(m->n, 60), m->args);
    str_init(&k.program);
    str_init(&k.lost);
    gpa_code rc = keep_all(&k);
    if (!rc && k.lost.len) session_printf(s, false, "Not kept: %s\n", k.lost.text);
    if (!rc && k.lost.len && !force)
        rc = magic_confirm(s, "Begin anew without them? Proceed (y/[n])? ", &yes);
    if (!rc && yes)
        print_restart_hint(&k);
    else
        remove_folder(k.folder);
    if (!rc && !yes) session_printf(s, false, "Nothing done.\n");
    str_free(&k.program);
    str_free(&k.lost);
    return rc;
}

/* ---- restoring ---- */

gpa_code gpa_session_restore(gpa_session *s, const char *folder) {
    char path[PATH_ROOM + 300];
    gpa_str text;
    int status;
    str_init(&text);
    snprintf(path, sizeof path, "%s/%s", folder, program_name);
    gpa_code rc = magic_read_file(path, &text) ? GPA_OK : GPA_E_OS;
    if (!rc)
        rc = gpa_session_eval(s, path, text.text ? text.text : "", text.len, GPA_EVAL_SCRIPT,
                              &status);
    str_free(&text);
    remove_folder(folder);
    return rc;
}
