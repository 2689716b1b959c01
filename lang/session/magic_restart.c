/* %restart: restarts the process and restores the variables that can be saved. It recovers a GPU
 * after a failed kernel: the CUDA driver does not do so within the process.
 *
 * Variables are saved in a folder: `names.gpa`, a program that assigns them in the order of their
 * definition, and a .npy file for each array. Numbers, strings and containers of them become
 * literals; modules are imported, functions and classes defined again from their source. Reading
 * order: definitions, the folder, the magic, restoring. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/base.h"

#include "lang/object/container.h"
#include "lang/syntax/parse.h"
#include "lang/session/magic.h"
#include "lang/session/persist.h"

enum { PATH_ROOM = 4096 };
static const char program_name[] = "names.gpa";

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

static void report_unsaved(saved_session *k, const char *name, const char *why) {
    str_printf(&k->lost, "%s%s (%s)", k->lost.len ? ", " : "", name, why);
}

/* Saves one name: a statement of the program, or the reason why not. */
static gpa_code save_variable(saved_session *k, gpa_sym sym, value v) {
    gpa_session *s = k->s;
    char files[PATH_ROOM + 300];
    const char *name = intern_text(s->names, sym);
    size_t begun = k->program.len;
    bool good;
    if (v.tag == V_MODULE || v.tag == V_NATIVE) {
        good = put_import(s, v, name, &k->program);
    } else if (v.tag == V_FUNC || v.tag == V_CLASS ||
               (v.tag == V_OBJECT && !macro_text(s, v, NULL))) {
        good = put_def(s, sym, &k->program);
    } else {
        snprintf(files, sizeof files, "%s/%s", k->folder, name);
        str_printf(&k->program, "%s = ", name);
        good = persist_expression(s, v, files, &k->program);
    }
    gpa_code rc = vm_err(s->vm)->code;
    if (rc == GPA_E_INTERRUPT || rc == GPA_E_MEMORY) return rc;
    if (!good) str_truncate(&k->program, begun);
    if (!good) report_unsaved(k, name, rc ? vm_err(s->vm)->msg : inspect_type_name(v));
    if (rc) vm_clear_error(s->vm);
    if (good) str_putc(&k->program, '\n');
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
    str_put(&k->program, PERSIST_IMPORT);
    for (uint32_t i = 0; i < m->n && !rc; i++) {
        const char *name = intern_text(s->names, m->names[i]);
        if (m->slots[i].tag == V_UNSET || name[0] == '_' || session_owns_name(name)) continue;
        rc = save_variable(k, m->names[i], m->slots[i]);
    }
    str_put(&k->program, "del _load, _Macro\n");
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
