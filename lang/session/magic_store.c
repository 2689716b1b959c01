/* %store: values of variables, and aliases, kept across sessions. Each is a file in
 * gpa/store/ of the state directory: NAME.gpa is a program whose last expression is the value, with
 * NAME.0.npy ... for its arrays; NAME.alias is the command of an alias. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/session/magic.h"
#include "lang/session/persist.h"

static const char variable_end[] = ".gpa", alias_end[] = ".alias";

/* ---- the folder ---- */

/* The path of a file of the store; false: there is no such folder. */
static bool store_path(char *path, size_t n, const char *name, const char *end) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int size = state && *state ? snprintf(path, n, "%s/gpa/store/%s%s", state, name, end)
               : home && *home
                   ? snprintf(path, n, "%s/.local/state/gpa/store/%s%s", home, name, end)
                   : 0;
    return size > 0 && (size_t)size < n;
}

static bool make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        bool good = !mkdir(path, 0700) || errno == EEXIST;
        *slash = '/';
        if (!good) return false;
    }
    return true;
}

/* Calls `each` with the names of the files of a kind, in order. */
static void each_name(const char *end, void (*each)(void *user, const char *name), void *user) {
    char folder[PATH_MAX];
    struct dirent **files;
    if (!store_path(folder, sizeof folder, "", "")) return;
    int n = scandir(folder, &files, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        char *dot = strchr(files[i]->d_name, '.');
        if (dot && dot > files[i]->d_name && strcmp(dot, end) == 0) {
            *dot = 0;
            each(user, files[i]->d_name);
        }
        free(files[i]);
    }
    if (n >= 0) free(files);
}

bool store_forget(const char *name, store_kind kind) {
    char path[PATH_MAX];
    if (strchr(name, '/')) return false;
    bool found =
        store_path(path, sizeof path, name, kind == STORE_ALIAS ? alias_end : variable_end) &&
        unlink(path) == 0;
    for (int i = 0; found && kind == STORE_VARIABLE; i++) {
        char end[24];
        snprintf(end, sizeof end, ".%d.npy", i);
        if (!store_path(path, sizeof path, name, end) || unlink(path)) break;
    }
    return found;
}

/* Writes a file of the store by renaming a complete one. */
static gpa_code write_file(gpa_session *s, const char *name, const char *end, const gpa_str *text) {
    char path[PATH_MAX], part[PATH_MAX + 8];
    if (!store_path(path, sizeof path, name, end))
        return vm_fail(s->vm, GPA_E_OS, "%%store: there is no home directory");
    snprintf(part, sizeof part, "%s~", path);
    FILE *f = fopen(part, "we");
    bool good = f && fwrite(text->text, 1, text->len, f) == text->len;
    if (f && fclose(f)) good = false;
    if (good && !rename(part, path)) return GPA_OK;
    return vm_fail(s->vm, gpa_err_of_errno(errno), "[Errno %d] %s: '%s'", errno, strerror(errno),
                   path);
}

/* ---- storing ---- */

static bool of_main(value v) { return v.tag == V_FUNC || v.tag == V_CLASS || is_instance(v); }

static gpa_code refuse(gpa_session *s, const char *name, value v) {
    gpa_str text;
    str_init(&text);
    gpa_code rc = vm_repr(s->vm, v, &text);
    if (!rc)
        session_printf(s, false,
                       "Warning:%s is %s\n"
                       "Proper storage of interactively declared classes (or instances\n"
                       "of those classes) is not possible! Only instances\n"
                       "of classes in real modules on file system can be %%store'd.\n\n",
                       name, text.text);
    str_free(&text);
    return rc;
}

static gpa_code store_variable(gpa_session *s, const char *name, value v) {
    char files[PATH_MAX];
    gpa_str text;
    if (of_main(v) && !macro_text(s, v, NULL)) return refuse(s, name, v);
    if (!store_path(files, sizeof files, name, "") || !make_folders(files))
        return vm_fail(s->vm, GPA_E_OS, "%%store: there is no folder for %s", name);
    str_init(&text);
    str_put(&text, PERSIST_IMPORT);
    store_forget(name, STORE_VARIABLE);
    bool good = persist_expression(s, v, files, &text);
    gpa_code rc = vm_err(s->vm)->code;
    str_putc(&text, '\n');
    if (!rc && !good)
        rc = vm_fail(s->vm, GPA_E_TYPE, "cannot pickle '%s' object", inspect_type_name(v));
    if (!rc) rc = write_file(s, name, variable_end, &text);
    if (!rc) session_printf(s, false, "Stored '%s' (%s)\n", name, inspect_type_name(v));
    str_free(&text);
    return rc;
}

static gpa_code store_name(magic_call *m, const char *name) {
    gpa_session *s = m->s;
    value v = module_get_text_peek(s->vm, vm_main(s->vm), name);
    if (v.tag != V_UNSET) return store_variable(s, name, v);
    const char *command = alias_find(s, name, strlen(name));
    if (!command) return magic_usage(m, "Unknown variable '%s'", name);
    char path[PATH_MAX];
    gpa_str text;
    str_init(&text);
    str_put(&text, command);
    gpa_code rc = store_path(path, sizeof path, name, alias_end) && make_folders(path)
                      ? write_file(s, name, alias_end, &text)
                      : vm_fail(s->vm, GPA_E_OS, "%%store: there is no folder for %s", name);
    if (!rc) session_printf(s, false, "Alias stored: %s (%s)\n", name, command);
    str_free(&text);
    return rc;
}

/* %store name >file, %store name >>file. */
static gpa_code write_value(magic_call *m, const char *name, const char *target) {
    gpa_session *s = m->s;
    bool appends = target[1] == '>';
    value v = v_unset();
    gpa_str path, text;
    str_init(&path);
    str_init(&text);
    magic_home(target + strspn(target, "> "), &path);
    gpa_code rc = magic_eval(m, name, strlen(name), &v);
    if (!rc && v.tag == V_STR)
        str_putn(&text, v.str->text, v.str->size);
    else if (!rc)
        rc = vm_repr(s->vm, v, &text);
    if (!rc && (!text.len || text.text[text.len - 1] != '\n')) str_putc(&text, '\n');
    FILE *f = rc ? NULL : fopen(path.text, appends ? "ae" : "we");
    bool good = f && fwrite(text.text, 1, text.len, f) == text.len;
    if (f && fclose(f)) good = false;
    if (good)
        session_printf(s, false, "Writing '%s' (%s) to file '%s'.\n", name, inspect_type_name(v),
                       path.text);
    else if (!rc)
        rc = vm_fail(s->vm, gpa_err_of_errno(errno), "[Errno %d] %s: '%s'", errno, strerror(errno),
                     path.text);
    if (v.tag != V_UNSET) value_release(s->vm, v);
    str_free(&path);
    str_free(&text);
    return rc;
}

/* ---- restoring ---- */

/* The value kept under a name; UNSET: there is none, or the vm has the error. */
static value read_variable(gpa_session *s, const char *name) {
    char path[PATH_MAX];
    gpa_str text;
    value v = v_unset();
    str_init(&text);
    if (!strchr(name, '/') && store_path(path, sizeof path, name, variable_end) &&
        magic_read_file(path, &text) && vm_run_text(s->vm, path, text.text, NULL, &v) &&
        v.tag != V_UNSET) {
        value_release(s->vm, v);
        v = v_unset();
    }
    str_free(&text);
    return v;
}

static bool restore_variable(gpa_session *s, const char *name) {
    value v = read_variable(s, name);
    bool failed = vm_err(s->vm)->code;
    if (failed)
        session_printf(s, false,
                       "Unable to restore variable '%s', ignoring (use %%store -d to forget!)\n"
                       "The error was: %s\n",
                       name, vm_err(s->vm)->msg);
    if (failed) vm_clear_error(s->vm);
    if (v.tag == V_UNSET) return failed;
    if (module_set_text(s->vm, vm_main(s->vm), name, v)) vm_clear_error(s->vm);
    value_release(s->vm, v);
    return true;
}

static bool restore_alias(gpa_session *s, const char *name) {
    char path[PATH_MAX];
    gpa_str command, why;
    str_init(&command);
    str_init(&why);
    bool found = !strchr(name, '/') && store_path(path, sizeof path, name, alias_end) &&
                 magic_read_file(path, &command);
    if (found && !alias_define(s, name, command.text, &why))
        session_printf(s, false, "%s\n", why.text);
    str_free(&command);
    str_free(&why);
    return found;
}

static void restore_each(void *user, const char *name) { restore_variable(user, name); }
static void restore_each_alias(void *user, const char *name) { restore_alias(user, name); }

/* ---- the list ---- */

typedef struct {
    gpa_session *s;
    int width;
} store_list;

static void measure(void *user, const char *name) {
    store_list *l = user;
    l->width = MAX(l->width, (int)strlen(name));
}

/* The number of bytes of the first n characters. */
static size_t first_characters(const char *text, size_t n) {
    size_t at = 0;
    for (; text[at]; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && n-- == 0) break;
    return at;
}

static void list_variable(void *user, const char *name) {
    const store_list *l = user;
    enum { SHOWN = 50 };
    gpa_str text;
    str_init(&text);
    value v = read_variable(l->s, name);
    if (v.tag == V_UNSET || vm_repr(l->s->vm, v, &text)) str_put(&text, "'<unavailable>'");
    vm_clear_error(l->s->vm);
    session_printf(l->s, false, "%-*s -> %.*s\n", l->width, name,
                   (int)first_characters(text.text, SHOWN), text.text);
    if (v.tag != V_UNSET) value_release(l->s->vm, v);
    str_free(&text);
}

static void forget_each(void *user, const char *name) {
    (void)user;
    store_forget(name, STORE_VARIABLE);
}

MAGIC(store, LINE, CODE, "[-r | -d | -z] [names] [>file | >>file]",
      "Keep the values of variables, and aliases, for later sessions.\n"
      "\n"
      "`%store x y` keeps the current values; `%store` lists what is kept; `%store -r`\n"
      "sets all variables and aliases, `%store -r x y` these. In init.gpa, `%store -r`\n"
      "does so at each start. `%store x >file` writes the value to a file, `>>file`\n"
      "appends it. Values are numbers, strings, arrays, macros and containers of them.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-r    Restore variables and aliases.\n"
      "-d    Forget a variable.\n"
      "-z    Forget all variables.") {
    gpa_session *s = m->s;
    const char *given;
    size_t n;
    int what = 0;
    gpa_str name, target;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "drz", &given, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        what = o;
    }
    str_init(&name);
    str_init(&target);
    bool named = magic_word(m, &name);
    const char *rest = m->args;
    if (what == 'd') {
        if (!named) TRY(magic_usage(m, "You must provide the variable to forget"));
        if (!store_forget(name.text, STORE_VARIABLE))
            TRY(magic_usage(m, "Can't delete variable '%s'", name.text));
    } else if (what == 'z') {
        each_name(variable_end, forget_each, NULL);
    } else if (what == 'r' && !named) {
        each_name(variable_end, restore_each, s);
        each_name(alias_end, restore_each_alias, s);
    } else if (what == 'r') {
        for (; named; named = magic_word(m, &name))
            if (!restore_variable(s, name.text) && !restore_alias(s, name.text))
                session_printf(s, false, "no stored variable or alias %s\n", name.text);
    } else if (!named) {
        store_list l = {s, 0};
        session_printf(s, false, "Stored variables and their in-db values:\n");
        each_name(variable_end, measure, &l);
        each_name(variable_end, list_variable, &l);
    } else if (m->n && *rest == '>') {
        str_putn(&target, m->args, m->n);
        rc = write_value(m, name.text, target.text);
    } else {
        for (; !rc && named; named = magic_word(m, &name)) rc = store_name(m, name.text);
    }
out:
    str_free(&name);
    str_free(&target);
    return rc;
}
