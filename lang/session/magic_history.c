/* %history, %recall, %rerun, and ranges of the history. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lang/session/magic.h"
#include "lang/session/ranges.h"

/* ---- ranges ---- */

/* One end of a range: "~2/7", "243/1", "7", "~1/". Flags are set for the parts that are present. */
typedef struct {
    int session; /* 0: this session; negative: that many sessions before */
    int line;
    bool has_session, has_line;
} point;

static const char *read_point(const char *at, const char *end, point *p) {
    *p = (point){0, 0, false, false};
    bool back = at < end && *at == '~';
    const char *start = at + back;
    char *stop = (char *)start;
    long number = start < end && isdigit((unsigned char)*start) ? strtol(start, &stop, 10) : -1;
    if (stop > start && stop < end && *stop == '/') {
        p->session = back ? -(int)number : (int)number;
        p->has_session = true;
        start = stop + 1;
        number = start < end && isdigit((unsigned char)*start) ? strtol(start, &stop, 10) : -1;
        if (number < 0) return start;
    } else if (back || stop == start) {
        return at;
    }
    p->line = (int)MIN(number, INT32_MAX - 1);
    p->has_line = true;
    return stop;
}

bool ranges_each(gpa_session *s, const char *word, size_t n,
                 void (*each)(void *user, const gpa_entry *e), void *user) {
    const char *end = word + n;
    point lo, hi;
    const char *at = read_point(word, end, &lo);
    if (at == word || !(lo.has_line || lo.has_session)) return false;
    char between = at < end ? *at : 0;
    hi = lo;
    if (between == '-' || between == ':') {
        at = read_point(at + 1, end, &hi);
        if (!hi.has_session) hi.session = lo.session;
    }
    if (at != end) return false;
    int stop = hi.has_line ? hi.line + (between != ':') : 0; /* 0: to the end of the session */
    if (between == 0 && !lo.has_line) stop = 0;
    for (int session = lo.session; session <= hi.session; session++) {
        gpa_history_query q = {.kind = GPA_HISTORY_RANGE, .session = session};
        q.start = session == lo.session && lo.has_line ? lo.line : 1;
        q.stop = session == hi.session ? stop : 0;
        gpa_session_history(s, &q, each, user);
    }
    return true;
}

static void add_input(void *user, const gpa_entry *e) {
    str_put(user, e->input);
    str_putc(user, '\n');
}

bool ranges_find(gpa_session *s, const char *words, size_t n, gpa_str *out) {
    size_t before = out->len;
    for (size_t at = 0, end; at < n; at = end + 1) {
        for (end = at; end < n && words[end] != ' ' && words[end] != '\t';) end++;
        if (end > at && !ranges_each(s, words + at, end - at, add_input, out)) {
            str_truncate(out, before);
            return false;
        }
    }
    return out->len > before;
}

/* ---- %history ---- */

typedef struct {
    bool numbers, outputs, prompts, other_sessions;
    int skip; /* number of the requesting line, which is excluded */
    int session;
    gpa_str out;
} listing;

static void list_entry(void *user, const gpa_entry *e) {
    listing *l = user;
    bool several = strchr(e->input, '\n');
    if (e->session == l->session && e->line == l->skip) return;
    if (l->numbers) {
        char number[32];
        if (e->session == l->session)
            snprintf(number, sizeof number, "%d", e->line);
        else
            snprintf(number, sizeof number, "%d/%d", e->session, e->line);
        str_printf(&l->out, "%4s:%s", number, several ? "\n" : " ");
    }
    if (l->prompts) str_put(&l->out, ">>> ");
    for (const char *at = e->input; *at; at++) {
        str_putc(&l->out, *at);
        if (l->prompts && *at == '\n') str_put(&l->out, "... ");
    }
    str_putc(&l->out, '\n');
    if (l->prompts && several) str_put(&l->out, "... \n");
    if (l->outputs && e->output) str_printf(&l->out, "%s\n", e->output);
}

/* Writes a file; *written false without an error: the user kept the one that is there. */
static gpa_code write_listing(magic_call *m, const gpa_str *path, bool overwrite,
                              const gpa_str *text, bool *written) {
    bool yes = true;
    gpa_str question;
    str_init(&question);
    str_printf(&question, "File '%s' exists. Overwrite? ", path->text);
    gpa_code rc = !overwrite && access(path->text, F_OK) == 0
                      ? magic_confirm(m->s, question.text ? question.text : "", &yes)
                      : GPA_OK;
    str_free(&question);
    if (rc || !yes) {
        if (!rc) session_printf(m->s, false, "Aborting.\n");
        return rc;
    }
    FILE *f = fopen(path->text, "we");
    bool good = f && fwrite(text->text ? text->text : "", 1, text->len, f) == text->len;
    int why = errno;
    if (f && fclose(f)) good = false;
    *written = good;
    return good
               ? GPA_OK
               : vm_fail(m->s->vm, GPA_E_OS, "[Errno %d] %s: '%s'", why, strerror(why), path->text);
}

static void list_ranges(magic_call *m, listing *l, gpa_code *rc) {
    gpa_str word;
    str_init(&word);
    if (!m->n)
        gpa_session_history(m->s, &(gpa_history_query){.kind = GPA_HISTORY_TAIL, .here = true},
                            list_entry, l);
    while (!*rc && magic_word(m, &word))
        if (!ranges_each(m->s, word.text, word.len, list_entry, l))
            *rc = magic_usage(m, "%%history: '%s' is not a range of the history (4, 4-6, 4-, ~2/7)",
                              word.text);
    str_free(&word);
}

static void search(magic_call *m, listing *l, bool unique, int limit) {
    gpa_str pattern;
    str_init(&pattern);
    str_put(&pattern, "*");
    str_putn(&pattern, m->args, m->n);
    str_put(&pattern, "*");
    l->numbers = true;
    gpa_session_history(
        m->s,
        &(gpa_history_query){
            .kind = GPA_HISTORY_SEARCH, .pattern = pattern.text, .unique = unique, .n = limit},
        list_entry, l);
    str_free(&pattern);
}

MAGIC(history, LINE, WORDS, "[-n] [-o] [-p] [-f FILE] [-y] [-g PATTERN] [-l N] [-u] [ranges]",
      "Print the input history.\n"
      "\n"
      "Ranges: 4, 4-6, 4- or 2:5 (5 excluded) of this session; ~2/7 is line 7 two\n"
      "sessions ago, 243/1-5 lines of session 243, ~8/1-~6/5 lines of several\n"
      "sessions.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-n          Print line numbers.\n"
      "-o          Print outputs as well.\n"
      "-p          Print prompts.\n"
      "-f FILE     Write the history to a file.\n"
      "-y          Overwrite the file without asking for confirmation.\n"
      "-g PATTERN  Search the history of all sessions for a text.\n"
      "-l N        The last N lines of all sessions. Default: 10.\n"
      "-u          With -g: print equal entries once.") {
    const char *text;
    size_t n;
    listing l = {.session = m->s->history.session};
    gpa_str path, word;
    bool tail = false, grep = false, unique = false, overwrite = false, written;
    gpa_code rc = GPA_OK;
    long limit = 0;
    str_init(&l.out);
    str_init(&path);
    str_init(&word);
    for (int o; (o = magic_option(m, "noprtf:yglu", &text, &n));) {
        if (o < 0) TRY(vm_err(m->s->vm)->code);
        if (o == 'n') l.numbers = true;
        if (o == 'o') l.outputs = true;
        if (o == 'p') l.prompts = true;
        if (o == 'f') str_putn(&path, text, n);
        if (o == 'y') overwrite = true;
        if (o == 'g') grep = true;
        if (o == 'l') tail = true;
        if (o == 'u') unique = true;
    }
    if (tail) {
        limit = 10;
        if (magic_word(m, &word)) TRY(magic_number(m, word.text, word.len, 1, &limit));
        l.skip = m->s->count;
        gpa_session_history(
            m->s, &(gpa_history_query){.kind = GPA_HISTORY_TAIL, .n = (int)MIN(limit, 1000000) + 1},
            list_entry, &l);
    } else if (grep) {
        search(m, &l, unique, 0);
    } else {
        list_ranges(m, &l, &rc);
    }
    if (!rc && path.len)
        rc = write_listing(m, &path, overwrite, &l.out, &written);
    else if (!rc)
        session_write(m->s, false, l.out.text, l.out.len);
out:
    str_free(&l.out);
    str_free(&path);
    str_free(&word);
    return rc;
}
MAGIC_ROW(hist, magic_history, LINE, WORDS,
          "[-n] [-o] [-p] [-f FILE] [-y] [-g PATTERN] [-l N] [-u] [ranges]",
          "Alias for `%history`.")

/* ---- %save ---- */

/* Adds .gpa to the name of a program without an extension. */
static void add_extension(gpa_str *path) {
    for (const char *const *end = vm_program_ends; *end; end++) {
        size_t n = strlen(*end);
        if (path->len > n && strcmp(path->text + path->len - n, *end) == 0) return;
    }
    str_put(path, vm_program_ends[0]);
}

MAGIC(save, LINE, WORDS, "[-f] FILE ranges",
      "Save lines of the history as a program.\n"
      "\n"
      "Ranges are those of %history; a name without .gpa or .py gets .gpa.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-f          Overwrite the file without asking for confirmation.") {
    gpa_str path, text;
    bool force = false, written = false;
    const char *given;
    size_t n;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "f", &given, &n));) {
        if (o < 0) return vm_err(m->s->vm)->code;
        force = true;
    }
    str_init(&path);
    str_init(&text);
    bool named = magic_word(m, &path);
    if (named) add_extension(&path);
    if (!named || !m->n || !ranges_find(m->s, m->args, m->n, &text))
        rc = magic_usage(m, "%%save takes a file and ranges of the history (4, 4-6, 4-, ~2/7)");
    if (!rc) rc = write_listing(m, &path, force, &text, &written);
    if (written)
        session_printf(m->s, false, "The following commands were written to file `%s`:\n%s",
                       path.text, text.text ? text.text : "");
    str_free(&path);
    str_free(&text);
    return rc;
}

/* ---- %recall and %rerun ---- */

static void keep_last(void *user, const gpa_entry *e) {
    str_clear(user);
    str_put(user, e->input);
}

/* The last entry of this session that contains the text, excluding the requesting line. */
typedef struct {
    const gpa_session *s;
    gpa_str *out;
} last_of;

static void keep_last_but(void *user, const gpa_entry *e) {
    const last_of *l = user;
    if (e->session != l->s->history.session || e->line != l->s->count) keep_last(l->out, e);
}

static void find_pattern(gpa_session *s, const char *text, size_t n, gpa_str *out) {
    gpa_str pattern;
    str_init(&pattern);
    str_put(&pattern, "*");
    str_putn(&pattern, text, n);
    str_put(&pattern, "*");
    gpa_session_history(s,
                        &(gpa_history_query){.kind = GPA_HISTORY_SEARCH, .pattern = pattern.text},
                        keep_last_but, &(last_of){s, out});
    str_free(&pattern);
}

static void offer_next(gpa_session *s, const gpa_str *text) {
    size_t n = text->len;
    while (n && text->text[n - 1] == '\n') n--;
    if (s->host.next_input)
        s->host.next_input(s->host.user, text->text, n, false);
    else
        session_printf(s, false, "%.*s\n", (int)n, text->text);
}

MAGIC(recall, LINE, WORDS, "[ranges | text]",
      "Put earlier input into the next input.\n"
      "\n"
      "The argument is a range of the history (see %history), or a text: the last\n"
      "entry that contains it. Without an argument: the last value, `_`.") {
    gpa_session *s = m->s;
    gpa_str found;
    gpa_code rc = GPA_OK;
    str_init(&found);
    if (!m->n) {
        value last = module_get_text_peek(s->vm, vm_main(s->vm), "_");
        if (last.tag != V_UNSET) rc = vm_str(s->vm, last, &found);
    } else if (!ranges_find(s, m->args, m->n, &found)) {
        find_pattern(s, m->args, m->n, &found);
    }
    if (!rc && found.len)
        offer_next(s, &found);
    else if (!rc && m->n)
        session_printf(s, false, "Couldn't find in history: %.*s\n", (int)m->n, m->args);
    str_free(&found);
    return rc;
}
MAGIC_ROW(rep, magic_recall, LINE, WORDS, "[ranges | text]", "Alias for `%recall`.")

static void add_but(void *user, const gpa_entry *e) {
    const last_of *l = user;
    if (e->session != l->s->history.session || e->line != l->s->count) add_input(l->out, e);
}

gpa_code magic_run_text(gpa_session *s, const char *text, size_t n) {
    ast_module *ast = NULL;
    value last = v_unset();
    char name[32];
    snprintf(name, sizeof name, "In [%d]", s->count);
    gpa_code rc = session_parse(s, SOURCE_CELL, name, text, n, &ast);
    if (!rc) rc = vm_eval(s->vm, ast, NULL, &last);
    bool shown = !rc && last.tag != V_UNSET && last.tag != V_NONE &&
                 !(s->flags & (GPA_EVAL_SCRIPT | GPA_EVAL_SILENT));
    if (shown) rc = session_result(s, last, false);
    if (last.tag != V_UNSET) value_release(s->vm, last);
    ast_release(ast);
    return rc;
}

MAGIC(rerun, LINE, WORDS, "[-l N] [-g TEXT] [ranges]",
      "Run earlier input again.\n"
      "\n"
      "Without ranges (see %history): the last line.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-l N     Repeat the last N lines.\n"
      "-g TEXT  Repeat the last entry that contains a text.") {
    gpa_session *s = m->s;
    const char *text;
    size_t n;
    long lines = 1;
    bool grep = false;
    gpa_str found, pattern;
    gpa_code rc = GPA_OK;
    str_init(&found);
    str_init(&pattern);
    for (int o; !rc && (o = magic_option(m, "l:g:", &text, &n));) {
        if (o < 0) rc = vm_err(s->vm)->code;
        if (o == 'l') rc = magic_number(m, text, n, 1, &lines);
        if (o == 'g') grep = true, str_putn(&pattern, text, n);
    }
    if (rc) goto out;
    if (s->flags & GPA_EVAL_SCRIPT) TRY(magic_usage(m, "%%rerun: a script has no history"));
    if (grep)
        find_pattern(s, pattern.text, pattern.len, &found);
    else if (m->n)
        ranges_find(s, m->args, m->n, &found);
    else {
        gpa_history_query q = {.kind = GPA_HISTORY_RANGE,
                               .start = s->count - (int)MIN(lines, s->count),
                               .stop = s->count};
        gpa_session_history(s, &q, add_but, &(last_of){s, &found});
    }
    if (found.len && found.text[found.len - 1] != '\n') str_putc(&found, '\n');
    if (found.len) session_printf(s, false, "=== Executing: ===\n%s=== Output: ===\n", found.text);
    if (found.len)
        rc = magic_run_text(s, found.text, found.len);
    else
        session_printf(s, false, "No lines in history match specification\n");
out:
    str_free(&found);
    str_free(&pattern);
    return rc;
}
