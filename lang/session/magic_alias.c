/* Aliases of shell commands: %alias, %unalias. */
#include <stdlib.h>

#include "lang/object/container.h"
#include "lang/session/magic.h"

static session_alias *find(const gpa_session *s, const char *name, size_t n) {
    for (size_t i = 0; i < s->n_aliases; i++)
        if (strlen(s->aliases[i].name) == n && memcmp(s->aliases[i].name, name, n) == 0)
            return &s->aliases[i];
    return NULL;
}

const char *alias_find(const gpa_session *s, const char *name, size_t n) {
    const session_alias *a = find(s, name, n);
    return a ? a->command : NULL;
}

/* The number of %s in a command; %%s is a literal one. */
static size_t count_parameters(const char *command) {
    size_t n = 0;
    for (const char *at = command; (at = strstr(at, "%s")); at += 2)
        n += at == command || at[-1] != '%';
    return n;
}

bool alias_define(gpa_session *s, const char *name, const char *command, gpa_str *why) {
    static const char *const reserved[] = {"cd", "popd", "pushd", "dhist", "alias", "unalias"};
    const magic *row = magic_find(name, strlen(name));
    for (size_t i = 0; i < COUNT_OF(reserved) && !why->len; i++)
        if (strcmp(name, reserved[i]) == 0)
            str_printf(why, "The name %s can't be aliased because it is a keyword or builtin.",
                       name);
    if (!why->len && row && row->kinds & MAGIC_LINE)
        str_printf(why, "The name %s can't be aliased because it is another magic command.", name);
    if (!why->len && count_parameters(command) && strstr(command, "%l"))
        str_put(why, "The %s and %l specifiers are mutually exclusive in alias definitions.");
    if (why->len) return false;
    session_alias *a = find(s, name, strlen(name)),
                  made = {mem_text(name, strlen(name)), mem_text(command, strlen(command))};
    bool good = made.name && made.command &&
                (a || mem_grow(&s->aliases, s->n_aliases, &s->cap_aliases, sizeof *s->aliases));
    session_alias old = good && a ? *a : (session_alias){NULL, NULL};
    if (good)
        *(a ? a : &s->aliases[s->n_aliases++]) = made;
    else
        old = made, str_put(why, "out of memory");
    mem_free(old.name);
    mem_free(old.command);
    return good;
}

void aliases_free(gpa_session *s) {
    for (size_t i = 0; i < s->n_aliases; i++) {
        mem_free(s->aliases[i].name);
        mem_free(s->aliases[i].command);
    }
    mem_free(s->aliases);
}

/* Appends a command with its %s replaced by the first words of the line, which are consumed. */
static void put_parameters(magic_call *m, const char *command, gpa_str *out) {
    for (const char *at = command; *at; at++) {
        if (at[0] == '%' && at[1] == '%' && at[2] == 's') {
            str_put(out, "%s");
            at += 2;
        } else if (at[0] == '%' && at[1] == 's') {
            size_t n = 0;
            while (n < m->n && m->args[n] != ' ' && m->args[n] != '\t') n++;
            str_putn(out, m->args, n);
            m->args += n;
            m->n -= n;
            while (m->n && (*m->args == ' ' || *m->args == '\t')) m->args++, m->n--;
            at++;
        } else {
            str_putc(out, *at);
        }
    }
}

static size_t count_words(const char *text, size_t n) {
    size_t words = 0;
    for (size_t i = 0; i < n; i++)
        words += text[i] != ' ' && text[i] != '\t' &&
                 (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t');
    return words;
}

gpa_code alias_run(magic_call *m, const char *name, const char *command, value *out) {
    size_t parameters = count_parameters(command), given = count_words(m->args, m->n);
    gpa_str line;
    const char *whole = strstr(command, "%l");
    if (given < parameters)
        return magic_usage(m, "Alias <%s> requires %zu arguments, %zu given.", name, parameters,
                           given);
    str_init(&line);
    if (whole) {
        str_putn(&line, command, (size_t)(whole - command));
        str_putn(&line, m->args, m->n);
        str_put(&line, whole + 2);
    } else {
        put_parameters(m, command, &line);
        str_putc(&line, ' ');
        str_putn(&line, m->args, m->n);
    }
    gpa_code rc = line.failed ? vm_no_memory(m->s->vm)
                              : magic_system(m->s, line.text, line.len, m->wanted, out);
    str_free(&line);
    return rc;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const session_alias *)a)->name, ((const session_alias *)b)->name);
}

/* The list of (name, command). */
static gpa_code list_aliases(gpa_session *s, value *out) {
    if (s->n_aliases) qsort(s->aliases, s->n_aliases, sizeof *s->aliases, by_name);
    session_printf(s, false, "Total number of aliases: %zu\n", s->n_aliases);
    value list = v_list(s->vm, 0, NULL);
    gpa_code rc = list.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    for (size_t i = 0; i < s->n_aliases && !rc; i++) {
        value pair[2] = {v_cstr(s->vm, s->aliases[i].name), v_cstr(s->vm, s->aliases[i].command)};
        value item =
            pair[0].tag == V_UNSET || pair[1].tag == V_UNSET ? v_unset() : v_tuple(s->vm, 2, pair);
        rc = item.tag == V_UNSET ? vm_err(s->vm)->code : list_append(s->vm, list.list, item);
        value_release(s->vm, item);
        value_release(s->vm, pair[0]);
        value_release(s->vm, pair[1]);
    }
    if (!rc)
        *out = list;
    else
        value_release(s->vm, list);
    return rc;
}

MAGIC(alias, LINE, CODE, "[name command]",
      "Define an alias for a shell command.\n"
      "\n"
      "`name arguments` or `%name arguments` then runs `command arguments`. In the\n"
      "command %l stands for the whole line of arguments, each %s for one of them.\n"
      "Variables and magics of the same name take precedence. Without arguments: the\n"
      "list of aliases.") {
    gpa_session *s = m->s;
    gpa_str name, command, why;
    gpa_code rc = GPA_OK;
    if (!m->n) return list_aliases(s, out);
    str_init(&name);
    str_init(&command);
    str_init(&why);
    magic_word(m, &name);
    str_putn(&command, m->args, m->n);
    if (!m->n)
        rc = magic_usage(m, "%%alias takes a name and a command");
    else if (!alias_define(s, name.text, command.text, &why))
        session_printf(s, false, "%s\n", why.text);
    str_free(&name);
    str_free(&command);
    str_free(&why);
    return rc;
}

MAGIC(unalias, LINE, WORDS, "name", "Remove an alias, also from those that %store has kept.") {
    gpa_session *s = m->s;
    session_alias *a = find(s, m->args, m->n);
    gpa_str name;
    if (!a) {
        session_printf(s, false, "%.*s is not an alias\n", (int)MIN(m->n, 200), m->args);
        return GPA_OK;
    }
    str_init(&name);
    str_put(&name, a->name);
    mem_free(a->name);
    mem_free(a->command);
    *a = s->aliases[--s->n_aliases];
    if (!name.failed && store_forget(name.text, STORE_ALIAS))
        session_printf(s, false, "Removing %%stored alias %s\n", name.text);
    str_free(&name);
    return GPA_OK;
}
