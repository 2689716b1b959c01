/* Magics about files, folders and the environment: %run, %load, %%writefile, %cd, %pwd, %dhist,
 * %env. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lang/object/container.h"
#include "lang/session/magic.h"
#include "lang/session/ranges.h"
#include "runtime/base/clock.h"

extern char **environ;

enum { LONGEST_PATH = 4096 };

/* ---- %run ---- */

/* Saves the session's names while a program runs in a module that is empty but for __name__; the
 * program's names are added to them afterwards. */
static gpa_code put_aside(gpa_session *s, value **aside, uint32_t *n) {
    module_obj *m = vm_main(s->vm);
    *n = m->n;
    *aside = mem_new((m->n + 1) * sizeof **aside);
    if (!*aside) return vm_no_memory(s->vm);
    for (uint32_t i = 0; i < m->n; i++) {
        (*aside)[i] = m->slots[i];
        m->slots[i] = v_unset();
    }
    return GPA_OK;
}

static void merge_take(gpa_session *s, value *aside, uint32_t n) {
    module_obj *m = vm_main(s->vm);
    for (uint32_t i = 0; aside && i < n; i++) {
        bool own = strcmp(intern_text(s->names, m->names[i]), "__name__") == 0;
        if (m->slots[i].tag == V_UNSET || own) {
            value old = m->slots[i];
            m->slots[i] = aside[i];
            value_release(s->vm, old);
        } else {
            value_release(s->vm, aside[i]);
        }
    }
    mem_free(aside);
}

static gpa_code set_argv(magic_call *m, const char *path, value *before) {
    gpa_vm *vm = m->s->vm;
    module_obj *sys;
    gpa_str word;
    str_init(&word);
    value list = v_list(vm, 0, NULL), item = v_cstr(vm, path);
    gpa_code rc =
        list.tag == V_UNSET || item.tag == V_UNSET ? vm_err(vm)->code : vm_import(vm, "sys", &sys);
    if (!rc) *before = value_retain(module_get_text_peek(vm, sys, "argv"));
    if (!rc) rc = list_append(vm, list.list, item);
    while (!rc && magic_word(m, &word)) {
        value_release(vm, item);
        item = v_cstr(vm, word.text);
        rc = item.tag == V_UNSET ? vm_err(vm)->code : list_append(vm, list.list, item);
    }
    if (!rc) rc = module_set_text(vm, sys, "argv", list);
    value_release(vm, item);
    value_release(vm, list);
    str_free(&word);
    return rc;
}

static void restore_argv(gpa_session *s, value before) {
    module_obj *sys;
    if (before.tag == V_UNSET) return;
    if (!vm_import(s->vm, "sys", &sys)) module_set_text(s->vm, sys, "argv", before);
    value_release(s->vm, before);
}

static gpa_code set_name(gpa_session *s, const char *path, bool imported) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    value name = imported ? v_str(s->vm, base, strcspn(base, ".")) : v_cstr(s->vm, "__main__");
    gpa_code rc = name.tag == V_UNSET ? vm_err(s->vm)->code
                                      : module_set_text(s->vm, vm_main(s->vm), "__name__", name);
    if (name.tag != V_UNSET) value_release(s->vm, name);
    return rc;
}

/* Finds the file, with or without a script's extension. */
static gpa_code find_program(magic_call *m, gpa_str *path, gpa_str *text) {
    gpa_str word;
    str_init(&word);
    bool given = magic_word(m, &word);
    if (given) magic_home(word.text, path);
    str_free(&word);
    if (!given) return vm_fail(m->s->vm, GPA_E_EXCEPTION, "you must provide at least a filename.");
    if (path->failed) return vm_no_memory(m->s->vm);
    size_t n = path->len;
    bool bare = access(path->text, R_OK) && !strchr(path->text, '.');
    for (const char *const *end = vm_program_ends; bare && *end && access(path->text, R_OK);
         end++) {
        str_truncate(path, n);
        str_put(path, *end);
    }
    if (magic_read_file(path->text, text)) return GPA_OK;
    if (errno == ENOENT)
        return vm_fail(m->s->vm, GPA_E_EXCEPTION, "File `'%s'` not found.", path->text);
    return vm_fail(m->s->vm, GPA_E_OS, "[Errno %d] %s: '%s'", errno, strerror(errno), path->text);
}

static double used(bool system) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    struct timeval t = system ? u.ru_stime : u.ru_utime;
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static gpa_code execute(gpa_session *s, const char *path, const gpa_str *text, bool timed) {
    ast_module *ast = NULL;
    char *slash = strrchr(path, '/');
    double user = used(false), system = used(true), begun = clock_seconds();
    gpa_code rc = GPA_OK;
    if (slash) {
        char folder[LONGEST_PATH];
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        rc = vm_set_script_folder(s->vm, folder);
    }
    if (!rc)
        rc = session_parse(s, SOURCE_FILE, path, text->text ? text->text : "", text->len, &ast);
    if (!rc) rc = vm_eval(s->vm, ast, NULL, NULL);
    if (!rc) rc = rt_flush(s->rt, vm_err(s->vm));
    if (!rc && timed) rc = rt_sync(s->rt, vm_err(s->vm));
    ast_release(ast);
    if (timed)
        session_printf(s, false,
                       "\nCPU timings (estimated):\n  User   : %10.2f s.\n  System : %10.2f "
                       "s.\nWall time: %10.2f s.\n",
                       used(false) - user, used(true) - system, clock_seconds() - begun);
    if (rc != GPA_E_EXIT) return rc;
    vm_clear_error(s->vm); /* exit() ends the program, not the session */
    return GPA_OK;
}

MAGIC(run, LINE, WORDS, "[-i] [-n] [-t] file [arguments]",
      "Run a file as a program; its variables become the user's.\n"
      "\n"
      "The program starts without the user's variables, with __name__ '__main__' and\n"
      "the arguments in sys.argv.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-i    Start with the user's variables.\n"
      "-n    Set __name__ to the name of the file instead of '__main__'.\n"
      "-t    Print timing information at the end.") {
    gpa_session *s = m->s;
    const char *value_text;
    size_t n;
    bool here = false, imported = false, timed = false;
    gpa_str path, text;
    value *aside = NULL, argv = v_unset();
    uint32_t n_aside = 0;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "nite", &value_text, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        if (o == 'n') imported = true;
        if (o == 'i') here = true;
        if (o == 't') timed = true;
    }
    str_init(&path);
    str_init(&text);
    TRY(find_program(m, &path, &text));
    TRY(set_argv(m, path.text, &argv));
    if (!here) TRY(put_aside(s, &aside, &n_aside));
    TRY(set_name(s, path.text, imported));
    rc = execute(s, path.text, &text, timed);
out:
    merge_take(s, aside, n_aside);
    restore_argv(s, argv);
    str_free(&path);
    str_free(&text);
    return rc;
}

/* ---- %load ---- */

/* Selects lines of a text by ranges: "5-10,20,30:35" (a colon's end is exclusive). */
static void cut_lines(const gpa_str *text, const char *ranges, size_t n, gpa_str *out) {
    const char *end = ranges + n;
    while (ranges < end) {
        char *p;
        long first = strtol(ranges, &p, 10), last = first;
        if (p < end && (*p == '-' || *p == ':')) {
            bool within = *p == '-';
            const char *digits = p + 1;
            last = isdigit((unsigned char)*digits) ? strtol(digits, &p, 10) - !within : LONG_MAX;
            if (last == LONG_MAX) p++;
        }
        long line = 1;
        for (size_t at = 0; text->text && at < text->len; line++) {
            size_t size = strcspn(text->text + at, "\n");
            size += text->text[at + size] == '\n';
            if (line >= first && line <= last) str_putn(out, text->text + at, size);
            at += size;
        }
        if (p == ranges) break;
        ranges = p + (p < end && *p == ',');
    }
}

bool magic_find_text(gpa_session *s, const char *name, size_t n, gpa_str *out) {
    gpa_str given, path;
    str_init(&given);
    str_init(&path);
    str_putn(&given, name, n);
    magic_home(given.text, &path);
    bool found = ranges_find(s, name, n, out) || magic_read_file(path.text, out);
    str_free(&given);
    str_free(&path);
    if (found) return true;
    str_clear(out);
    value v = inspect_resolve(s, name, n);
    if (v.tag == V_STR)
        str_putn(out, v.str->text, v.str->size);
    else if (v.tag != V_UNSET && !macro_text(s, v, out))
        inspect_source(s, v, out);
    if (v.tag != V_UNSET) value_release(s->vm, v);
    return out->len > 0;
}

MAGIC(load, LINE, WORDS, "[-r LINES] source",
      "Load code into the next input.\n"
      "\n"
      "The source is a file, a range of the history, or a variable: a string, a macro,\n"
      "or a function, of which the source code is loaded.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-r LINES    Select lines, such as 5-10,20.") {
    const char *text, *ranges = NULL;
    size_t n, n_ranges = 0;
    gpa_str name, found, next;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "r:yn", &text, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        if (o == 'r') ranges = text, n_ranges = n;
    }
    str_init(&name);
    str_init(&found);
    str_init(&next);
    if (!magic_word(m, &name))
        TRY(magic_usage(
            m,
            "Missing filename, URL, input history range, macro, or element in the user namespace"));
    if (!magic_find_text(m->s, name.text, name.len, &found))
        TRY(vm_fail(m->s->vm, GPA_E_VALUE,
                    "'%s' was not found in history, as a file, url, nor in the user namespace.",
                    name.text));
    str_printf(&next, "# %%load %s\n", name.text);
    if (ranges)
        cut_lines(&found, ranges, n_ranges, &next);
    else
        str_putn(&next, found.text, found.len);
    if (next.failed) TRY(vm_no_memory(m->s->vm));
    if (m->s->host.next_input)
        m->s->host.next_input(m->s->host.user, next.text, next.len, true);
    else
        session_write(m->s, false, next.text, next.len);
out:
    str_free(&name);
    str_free(&found);
    str_free(&next);
    return rc;
}

/* ---- %less ---- */

static gpa_code fail_file(const magic_call *m, int why, const char *path) {
    return vm_fail(m->s->vm, gpa_err_of_errno(why), "[Errno %d] %s: '%s'", why, strerror(why),
                   path);
}

MAGIC(less, LINE, WORDS, "file", "Display a file in the pager.") {
    gpa_str path, text, name;
    gpa_code rc = GPA_OK;
    str_init(&path);
    str_init(&text);
    str_init(&name);
    if (!magic_word(m, &name)) TRY(magic_usage(m, "%%%s: a file name is missing", m->row->name));
    magic_home(name.text, &path);
    if (!magic_read_file(path.text, &text)) TRY(fail_file(m, errno, path.text));
    gpa_repr r = {"text/plain", text.text ? text.text : "", text.len, NULL};
    session_page(m->s, &r, 1);
out:
    str_free(&path);
    str_free(&text);
    str_free(&name);
    return rc;
}
MAGIC_ROW(more, magic_less, LINE, WORDS, "file", "Alias for `%less`.")
MAGIC_ROW(pycat, magic_less, LINE, WORDS, "file", "Alias for `%less`.")

/* ---- %%writefile ---- */

MAGIC(writefile, CELL, WORDS, "[-a] file",
      "Write the contents of the cell to a file.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-a    Append to the file instead of overwriting it.") {
    const char *text;
    size_t n;
    bool append = false;
    gpa_str name, path;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "a", &text, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        append = true;
    }
    str_init(&name);
    str_init(&path);
    append |= magic_take(m, "--append");
    if (magic_word(m, &name)) magic_home(name.text, &path);
    append |= magic_take(m, "-a") || magic_take(m, "--append"); /* options may follow the file */
    if (!path.len) TRY(magic_usage(m, "the following arguments are required: filename"));
    bool there = access(path.text, F_OK) == 0;
    FILE *f = fopen(path.text, append ? "abe" : "wbe");
    bool good = f && fwrite(m->body, 1, m->n_body, f) == m->n_body;
    int why = errno;
    if (f && fclose(f)) good = false, why = errno;
    if (!good) TRY(fail_file(m, why, path.text));
    session_printf(m->s, false, "%s %s\n",
                   append  ? "Appending to"
                   : there ? "Overwriting"
                           : "Writing",
                   name.text);
out:
    str_free(&name);
    str_free(&path);
    return rc;
}
MAGIC_ROW(file, magic_writefile, CELL, WORDS, "[-a] file", "Alias for `%%writefile`.")

/* ---- folders ---- */

/* _dh, created with the current folder as its first entry. Borrowed; UNSET on failure. */
static value folders(gpa_session *s) {
    char here[LONGEST_PATH];
    value dh = module_get_text_peek(s->vm, vm_main(s->vm), "_dh");
    if (dh.tag == V_LIST && dh.list->count) return dh;
    value first = v_cstr(s->vm, getcwd(here, sizeof here) ? here : ".");
    value list = first.tag == V_UNSET ? first : v_list(s->vm, 1, &first);
    if (first.tag != V_UNSET) value_release(s->vm, first);
    if (list.tag == V_UNSET) return list;
    if (module_set_text(s->vm, vm_main(s->vm), "_dh", list))
        list = v_unset();
    else
        value_release(s->vm, list); /* the module owns it */
    return list;
}

/* The target of %cd: "-", "-3" (an entry of _dh), a path, or empty (home). */
static gpa_code find_folder(magic_call *m, value dh, gpa_str *out) {
    gpa_str word;
    char *end;
    gpa_code rc = GPA_OK;
    str_init(&word);
    if (!magic_word(m, &word))
        magic_home("~", out);
    else if (strcmp(word.text, "-") == 0) {
        if (!m->s->folder_before)
            rc = magic_usage(m, "%%cd -: No previous directory to change to.");
        else
            str_put(out, m->s->folder_before);
    } else if (word.text[0] == '-' && isdigit((unsigned char)word.text[1])) {
        long i = strtol(word.text + 1, &end, 10);
        if (*end || i >= (long)dh.list->count || dh.list->items[i].tag != V_STR)
            rc = magic_usage(m, "Requested directory doesn't exist in history.");
        else
            str_put(out, dh.list->items[i].str->text);
    } else {
        magic_home(word.text, out);
    }
    str_free(&word);
    return rc;
}

MAGIC(cd, LINE, WORDS, "[-q] [directory]",
      "Change the current working directory.\n"
      "\n"
      "Without an argument: to the home directory. `%cd -` changes to the previous\n"
      "directory, `%cd -N` to the N-th of %dhist.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-q    Do not print the new directory.") {
    gpa_session *s = m->s;
    char before[LONGEST_PATH], now[LONGEST_PATH];
    gpa_str to;
    bool quiet = magic_take(m, "-q");
    value dh = folders(s);
    if (dh.tag == V_UNSET) return vm_err(s->vm)->code;
    str_init(&to);
    gpa_code rc = find_folder(m, dh, &to);
    bool known = getcwd(before, sizeof before);
    if (!rc && chdir(to.text))
        session_printf(s, false, "[Errno %d] %s: '%s'\n", errno, strerror(errno), to.text);
    else if (!rc && getcwd(now, sizeof now) && (!known || strcmp(before, now) != 0)) {
        value item = v_cstr(s->vm, now);
        rc = item.tag == V_UNSET ? vm_err(s->vm)->code : list_append(s->vm, dh.list, item);
        if (item.tag != V_UNSET) value_release(s->vm, item);
        mem_free(s->folder_before);
        s->folder_before = known ? mem_text(before, strlen(before)) : NULL;
    }
    if (!rc && !quiet && getcwd(now, sizeof now)) session_printf(s, false, "%s\n", now);
    str_free(&to);
    return rc;
}

MAGIC(pwd, LINE, WORDS, "", "Return the current working directory.") {
    char here[LONGEST_PATH];
    if (!getcwd(here, sizeof here))
        return vm_fail(m->s->vm, GPA_E_OS, "[Errno %d] %s", errno, strerror(errno));
    *out = v_cstr(m->s->vm, here);
    return out->tag == V_UNSET ? vm_err(m->s->vm)->code : GPA_OK;
}

MAGIC(dhist, LINE, WORDS, "", "Print the history of visited directories.") {
    value dh = folders(m->s);
    if (dh.tag == V_UNSET) return vm_err(m->s->vm)->code;
    session_printf(m->s, false, "Directory history (kept in _dh)\n");
    for (size_t i = 0; i < dh.list->count; i++)
        if (dh.list->items[i].tag == V_STR)
            session_printf(m->s, false, "%zu: %s\n", i, dh.list->items[i].str->text);
    return GPA_OK;
}

/* ---- %env ---- */

/* True if a variable's value should not be shown. */
static bool is_secret(const char *name, size_t n) {
    static const char *const words[] = {"key", "token", "secret"};
    char lower[256];
    for (size_t i = 0; i <= MIN(n, sizeof lower - 1); i++)
        lower[i] = i < n && i < sizeof lower - 1 ? (char)tolower((unsigned char)name[i]) : 0;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strstr(lower, words[i])) return true;
    return false;
}

static gpa_code list_environment(gpa_session *s, value *out) {
    value d = v_dict(s->vm);
    gpa_code rc = d.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    for (char **e = environ; *e && !rc; e++) {
        size_t n = strcspn(*e, "=");
        value name = v_str(s->vm, *e, n), v = is_secret(*e, n)
                                                  ? v_cstr(s->vm, "<hidden>")
                                                  : v_cstr(s->vm, *e + n + ((*e)[n] == '='));
        rc = name.tag == V_UNSET || v.tag == V_UNSET ? vm_err(s->vm)->code
                                                     : dict_set(s->vm, d.dict, name, v);
        value_release(s->vm, name);
        value_release(s->vm, v);
    }
    if (!rc)
        *out = d;
    else if (d.tag != V_UNSET)
        value_release(s->vm, d);
    return rc;
}

/* Also sets os.environ if the module os is imported. */
static gpa_code set_environment(magic_call *m, const char *name, const char *text) {
    gpa_vm *vm = m->s->vm;
    module_obj *os;
    if (setenv(name, text, 1))
        return vm_fail(vm, GPA_E_OS, "[Errno %d] %s", errno, strerror(errno));
    session_printf(m->s, false, "env: %s=%s\n", name, text);
    value v = v_cstr(vm, text);
    gpa_code rc = v.tag == V_UNSET ? vm_err(vm)->code : vm_import(vm, "os", &os);
    value environment = rc ? v_unset() : module_get_text_peek(vm, os, "environ");
    if (environment.tag == V_DICT) rc = dict_set_text(vm, environment.dict, name, v);
    if (v.tag != V_UNSET) value_release(vm, v);
    return rc;
}

MAGIC(env, LINE, WORDS, "[name[=value]]",
      "List, get or set environment variables.\n"
      "\n"
      "In the list, values of variables with key, token or secret in their names are\n"
      "hidden.") {
    if (!m->n) return list_environment(m->s, out);
    size_t end = 0;
    while (end < m->n && m->args[end] != '=' && m->args[end] != ' ') end++;
    gpa_str name, text;
    str_init(&name);
    str_init(&text);
    str_putn(&name, m->args, end);
    bool sets = end < m->n;
    size_t at = end;
    while (at < m->n && m->args[at] == ' ') at++;
    if (at < m->n && m->args[at] == '=') at++;
    while (at < m->n && m->args[at] == ' ') at++;
    str_putn(&text, m->args + at, m->n - at);
    gpa_code rc = GPA_OK;
    if (name.failed || text.failed)
        rc = vm_no_memory(m->s->vm);
    else if (sets)
        rc = set_environment(m, name.text, text.text ? text.text : "");
    else if (!getenv(name.text))
        rc = magic_usage(m, "Environment does not have key: %s", name.text);
    else {
        *out = v_cstr(m->s->vm, getenv(name.text));
        rc = out->tag == V_UNSET ? vm_err(m->s->vm)->code : GPA_OK;
    }
    str_free(&name);
    str_free(&text);
    return rc;
}
MAGIC_ROW(set_env, magic_env, LINE, WORDS, "name value", "Alias for `%env`.")
