/* Magics: dispatch from a MAGIC node to its function, and helpers shared by the functions.
 *
 * Reading order: session_magic at the end; lookup, arguments, code, expansion, texts. */
#include "lang/session/magic.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/syntax/parse.h"

/* ---- the table ---- */

const magic *magic_find(const char *name, size_t n) {
    for (const magic *const *row = magic_rows; *row; row++)
        if (strlen((*row)->name) == n && memcmp((*row)->name, name, n) == 0) return *row;
    return NULL;
}

/* ---- arguments ---- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void trim(const char **text, size_t *n) {
    while (*n && is_blank(**text)) ++*text, --*n;
    while (*n && is_blank((*text)[*n - 1])) --*n;
}

gpa_code magic_usage(const magic_call *m, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return vm_fail(m->s->vm, GPA_E_USAGE, "%s", text);
}

static void skip(magic_call *m, size_t n) {
    m->args += n;
    m->n -= n;
    trim(&m->args, &m->n);
}

/* Consumes a cluster of option letters at the start of the arguments. */
static bool next_cluster(magic_call *m) {
    if (m->n < 2 || m->args[0] != '-' || is_blank(m->args[1])) return false;
    size_t n = 1;
    while (n < m->n && !is_blank(m->args[n])) n++;
    bool end = n == 2 && m->args[1] == '-';
    m->letters = m->args + 1;
    m->letters_end = m->args + n;
    skip(m, n);
    if (end) m->letters = NULL;
    return !end;
}

int magic_option(magic_call *m, const char *spec, const char **text, size_t *n) {
    if ((!m->letters || m->letters == m->letters_end) && !next_cluster(m)) return 0;
    char letter = *m->letters++;
    const char *row = letter == ':' ? NULL : strchr(spec, letter);
    if (!row) {
        magic_usage(m, "option -%c not recognized (allowed: \"%s\")", letter, spec);
        return -1;
    }
    if (row[1] != ':') return letter;
    *text = m->letters;
    *n = (size_t)(m->letters_end - m->letters);
    m->letters = m->letters_end;
    if (*n) return letter;
    if (!m->n) {
        magic_usage(m, "option -%c requires argument (allowed: \"%s\")", letter, spec);
        return -1;
    }
    *text = m->args;
    while (*n < m->n && !is_blank(m->args[*n])) ++*n;
    skip(m, *n);
    return letter;
}

gpa_code magic_number(const magic_call *m, const char *text, size_t n, long least, long *out) {
    char copy[24], *end = copy;
    if (n < sizeof copy) {
        memcpy(copy, text, n);
        copy[n] = 0;
        *out = strtol(copy, &end, 10);
    }
    if (end == copy || *end)
        return vm_fail(m->s->vm, GPA_E_VALUE, "invalid literal for int() with base 10: '%.*s'",
                       (int)MIN(n, 60), text);
    if (*out < least) return magic_usage(m, "%%%s: %ld is too small", m->row->name, *out);
    return GPA_OK;
}

bool magic_take(magic_call *m, const char *word) {
    size_t n = strlen(word);
    if (m->n < n || memcmp(m->args, word, n) != 0 || (m->n > n && !is_blank(m->args[n])))
        return false;
    skip(m, n);
    return true;
}

bool magic_word(magic_call *m, gpa_str *out) {
    str_clear(out);
    if (!m->n) return false;
    size_t i = 0;
    char quote = 0;
    for (; i < m->n && (quote || !is_blank(m->args[i])); i++) {
        char c = m->args[i];
        if (c == quote)
            quote = 0;
        else if (!quote && (c == '"' || c == '\''))
            quote = c;
        else if (c == '\\' && quote != '\'' && i + 1 < m->n)
            str_putc(out, m->args[++i]);
        else
            str_putc(out, c);
    }
    skip(m, i);
    m->failed = m->failed || out->failed;
    return !out->failed;
}

/* ---- code ---- */

/* Finds a part of the call's text in its source; false: it is not there, because it was
 * expanded. */
static bool locate(const magic_call *m, const source *src, const char *text, size_t n,
                   parse_options *o) {
    if (!src || text < m->text || m->at.hi > src->len) return false;
    size_t from = m->at.lo + (size_t)(text - m->text), to = from + n;
    if (to > m->at.hi || memcmp(src->text + from, text, n) != 0) return false;
    while (to < src->len && src->text[to] != '\n') to++; /* trailing blanks */
    o->from = (uint32_t)from;
    o->to = (uint32_t)to;
    return to > from;
}

gpa_code magic_parse(const magic_call *m, const char *text, size_t n, ast_module **out) {
    const source *src = source_get(m->s->sources, m->at.src);
    parse_options o = {.magics = true};
    if (!locate(m, src, text, n, &o))
        return session_parse(m->s, SOURCE_CELL, "<magic>", text, n, out);
    gpa_code rc = parse_module(src, m->s->names, &o, out, vm_err(m->s->vm));
    if (rc == GPA_E_INCOMPLETE) rc = vm_err(m->s->vm)->code = GPA_E_SYNTAX;
    return rc;
}

gpa_code magic_eval(const magic_call *m, const char *text, size_t n, value *last) {
    ast_module *ast = NULL;
    gpa_code rc = magic_parse(m, text, n, &ast);
    if (!rc) rc = vm_eval(m->s->vm, ast, session_scope(m->s), last);
    ast_release(ast);
    return rc;
}

/* ---- {expression} and $name ---- */

/* Appends the text of an expression's value. False: it cannot be evaluated. */
static bool put_expression(gpa_session *s, const char *text, size_t n, gpa_str *out) {
    ast_module *ast = NULL;
    value v = v_unset();
    gpa_code rc = session_parse(s, SOURCE_CELL, "<magic>", text, n, &ast);
    if (!rc) rc = vm_eval(s->vm, ast, session_scope(s), &v);
    if (!rc && v.tag != V_UNSET) rc = vm_str(s->vm, v, out);
    bool good = !rc && v.tag != V_UNSET;
    if (rc) vm_clear_error(s->vm);
    if (v.tag != V_UNSET) value_release(s->vm, v);
    ast_release(ast);
    return good;
}

static bool is_name(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

/* Expands a $ at text. Returns the number of bytes consumed. */
static size_t expand_dollar(gpa_session *s, const char *text, size_t n, gpa_str *out) {
    size_t end = 1;
    if (n > 1 && text[1] == '$') {
        str_putc(out, '$');
        return 2;
    }
    while (end < n && (is_name(text[end]) ||
                       (text[end] == '.' && end > 1 && end + 1 < n && is_name(text[end + 1]))))
        end++;
    value v = end > 1 && !(text[1] >= '0' && text[1] <= '9') ? inspect_resolve(s, text + 1, end - 1)
                                                             : v_unset();
    if (v.tag == V_UNSET || vm_str(s->vm, v, out)) { /* possibly a shell variable */
        vm_clear_error(s->vm);
        str_putn(out, text, end);
    }
    if (v.tag != V_UNSET) value_release(s->vm, v);
    return end;
}

/* Expands a { at text; 0: it cannot be evaluated. */
static size_t expand_braces(gpa_session *s, const char *text, size_t n, gpa_str *out) {
    if (n > 1 && text[1] == '{') {
        str_putc(out, '{');
        return 2;
    }
    size_t end = 1;
    for (int depth = 1; end < n && depth; end++) depth += (text[end] == '{') - (text[end] == '}');
    return text[end - 1] == '}' && end > 2 && put_expression(s, text + 1, end - 2, out) ? end : 0;
}

void magic_expand(gpa_session *s, const char *text, size_t n, gpa_str *out) {
    size_t start = out->len;
    for (size_t at = 0, took; at < n; at += took) {
        took = 1;
        if (text[at] == '$')
            took = expand_dollar(s, text + at, n - at, out);
        else if (text[at] == '{')
            took = expand_braces(s, text + at, n - at, out);
        else
            str_putc(out, text[at]);
        if (text[at] == '}' && at + 1 < n && text[at + 1] == '}') took = 2;
        if (!took) { /* not an expression, such as awk '{print $1}' */
            str_truncate(out, start);
            str_putn(out, text, n);
            return;
        }
    }
}

/* ---- texts ---- */

/* t in its unit: rounded first, so that 999.96 us is 1 ms. */
void magic_put_time(gpa_str *out, double t, int digits) {
    static const struct {
        const char *name;
        long seconds;
    } parts[] = {{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}};
    static const char *const units[] = {"s", "ms", "\u03bcs", "ns"};
    if (t >= 60) {
        long left = t < 1e15 ? (long)t : 0;
        const char *between = "";
        for (size_t i = 0; i < COUNT_OF(parts); i++) {
            long count = left / parts[i].seconds;
            left %= parts[i].seconds;
            if (!count) continue;
            str_printf(out, "%s%ld%s", between, count, parts[i].name);
            between = " ";
        }
        return;
    }
    if (!(t > 0)) {
        str_put(out, "0 ns");
        return;
    }
    char rounded[40];
    snprintf(rounded, sizeof rounded, "%.*e", MAX(digits - 1, 0), t);
    double r = strtod(rounded, NULL);
    int order = (int)MIN(-floor(floor(log10(r)) / 3), 3);
    order = MAX(order, 0);
    str_printf(out, "%.*g %s", digits, r * pow(1e3, order), units[order]);
}

void magic_put_bytes(gpa_str *out, double bytes) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    size_t u = 0;
    while (bytes >= 999.5 && u + 1 < COUNT_OF(units)) bytes /= 1000, u++;
    str_printf(out, "%.3g %s", bytes, u == 0 && bytes == 1 ? "byte" : units[u]);
}

void magic_put_html(gpa_str *out, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '<')
            str_put(out, "&lt;");
        else if (text[i] == '>')
            str_put(out, "&gt;");
        else if (text[i] == '&')
            str_put(out, "&amp;");
        else if (text[i] == '"')
            str_put(out, "&quot;");
        else
            str_putc(out, text[i]);
    }
}

gpa_code magic_confirm(gpa_session *s, const char *question, bool *yes) {
    char line[64] = "";
    gpa_code rc = s->host.input ? s->host.input(s->host.user, question, false, line, sizeof line)
                                : GPA_E_UNSUPPORTED;
    *yes = rc == GPA_E_UNSUPPORTED || line[0] == 'y' ||
           line[0] == 'Y'; /* no input available: proceed */
    return rc == GPA_E_INTERRUPT ? vm_fail(s->vm, rc, "%s", "") : GPA_OK;
}

bool magic_read_file(const char *path, gpa_str *out) {
    FILE *f = fopen(path, "rbe");
    char part[8192];
    if (!f) return false;
    for (size_t got; (got = fread(part, 1, sizeof part, f)) > 0;) str_putn(out, part, got);
    int why = ferror(f) ? EISDIR : out->failed ? ENOMEM : 0;
    fclose(f);
    errno = why;
    return !why;
}

void magic_home(const char *path, gpa_str *out) {
    const char *home = getenv("HOME");
    if (path[0] == '~' && (path[1] == '/' || !path[1]) && home) str_put(out, home), path++;
    str_put(out, path);
}

/* ---- calls ---- */

static gpa_code not_found(gpa_session *s, const char *name, size_t n, bool cell) {
    const magic *row = magic_find(name, n);
    if (row && !cell)
        return vm_fail(s->vm, GPA_E_USAGE,
                       "Line magic function `%%%.*s` not found (But cell magic `%%%%%.*s` exists, "
                       "did you mean that instead?).",
                       (int)n, name, (int)n, name);
    if (row)
        return vm_fail(s->vm, GPA_E_USAGE,
                       "Cell magic `%%%%%.*s` not found (But line magic `%%%.*s` exists, did you "
                       "mean that instead?).",
                       (int)n, name, (int)n, name);
    gpa_code rc =
        cell ? vm_fail(s->vm, GPA_E_USAGE, "Cell magic `%%%%%.*s` not found.", (int)n, name)
             : vm_fail(s->vm, GPA_E_USAGE, "Line magic function `%%%.*s` not found.", (int)n, name);
    char wrong[64];
    const char *best = NULL;
    size_t cost = SIZE_MAX;
    snprintf(wrong, sizeof wrong, "%.*s", (int)n, name);
    for (const magic *const *other = magic_rows; *other; other++)
        if ((*other)->kinds & (cell ? MAGIC_CELL : MAGIC_LINE))
            vm_suggest(wrong, (*other)->name, &best, &cost);
    if (best) gpa_err_hint(vm_err(s->vm), "did you mean: '%s%s'?", cell ? "%%" : "%", best);
    return rc;
}

static gpa_code run_row(magic_call *m, value *out) {
    gpa_code rc = m->row->run(m, out);
    if (!m->failed) return rc;
    vm_clear_error(m->s->vm);
    return vm_no_memory(m->s->vm);
}

static gpa_code call_alias(magic_call *m, const char *name, size_t n, const char *command,
                           value *out) {
    char copy[64];
    static const magic row = {"alias", MAGIC_LINE, MAGIC_CODE, NULL, "", ""};
    snprintf(copy, sizeof copy, "%.*s", (int)n, name);
    m->row = &row;
    return alias_run(m, copy, command, out);
}

static gpa_code call(magic_call *m, const char *name, size_t n_name, value *out) {
    gpa_session *s = m->s;
    bool cell = m->body;
    m->row = magic_find(name, n_name);
    const char *alias = m->row || cell ? NULL : alias_find(s, name, n_name);
    if (alias) return call_alias(m, name, n_name, alias, out);
    if (!m->row || !(m->row->kinds & (cell ? MAGIC_CELL : MAGIC_LINE)))
        return not_found(s, name, n_name, cell);
    if (cell && !m->n_body)
        return magic_usage(m,
                           m->row->kinds & MAGIC_LINE
                               ? "%%%%%s is a cell magic, but the cell body is empty. Did you mean "
                                 "the line magic %%%s (single %%)?"
                               : "%%%%%s is a cell magic, but the cell body is empty.",
                           m->row->name, m->row->name);
    if (m->row->line == MAGIC_CODE) return run_row(m, out);
    gpa_str words;
    str_init(&words);
    magic_expand(s, m->args, m->n, &words);
    m->args = words.text ? words.text : "";
    m->n = words.len;
    trim(&m->args, &m->n);
    gpa_code rc = words.failed ? vm_no_memory(s->vm) : run_row(m, out);
    str_free(&words);
    return rc;
}

/* %name arguments, or %%name arguments and a body. */
static gpa_code run_magic(magic_call *m, const char *text, size_t n, value *out) {
    bool cell = n > 1 && text[1] == '%';
    size_t at = 1 + (size_t)cell, line = n;
    const char *newline = cell ? memchr(text, '\n', n) : NULL;
    if (newline) line = (size_t)(newline - text);
    size_t name = at;
    while (at < line && !is_blank(text[at])) at++;
    m->args = text + at;
    m->n = line - at;
    trim(&m->args, &m->n);
    if (cell) {
        m->body = text + MIN(line + 1, n);
        m->n_body = n - MIN(line + 1, n);
        size_t end = m->n_body;
        while (end && is_blank(m->body[end - 1])) end--;
        if (!end) m->n_body = 0;
    }
    size_t end = at;
    while (end > name && text[end - 1] == '?') end--;
    if (end < at && !m->n) return magic_question(m->s, text, end, at - end > 1);
    return call(m, text + name, at - name, out);
}

/* True if the MAGIC is the right side of an assignment. */
static bool is_wanted(const gpa_session *s, gpa_span at) {
    const source *src = source_get(s->sources, at.src);
    uint32_t lo = src ? at.lo : 0;
    while (lo && is_blank(src->text[lo - 1])) lo--;
    return lo && src->text[lo - 1] == '=';
}

static gpa_code answer(gpa_session *s, const char *text, size_t n, gpa_span at, value *out) {
    magic_call m = {.s = s, .text = text, .at = at, .wanted = is_wanted(s, at)};
    if (text[0] == '%') return run_magic(&m, text, n, out);
    if (text[0] == '!') {
        bool take = n > 1 && text[1] == '!';
        return magic_system(s, text + 1 + take, n - 1 - take, take || m.wanted, out);
    }
    size_t lo = 0, hi = n;
    while (lo < hi && text[lo] == '?') lo++;
    while (hi > lo && (text[hi - 1] == '?' || is_blank(text[hi - 1]))) hi--;
    size_t marks = lo + n - hi;
    const char *name = text + lo;
    size_t size = hi - lo;
    trim(&name, &size);
    if (!size) return call(&m, "quickref", strlen("quickref"), out);
    return magic_question(s, name, size, marks > 1);
}

gpa_code session_magic(void *user, const char *text, size_t n, gpa_span at, value *out) {
    gpa_session *s = user;
    scope_mark mark;
    gpa_code rc = scope_enter(s, &mark);
    if (!rc) rc = answer(s, text, n, at, out);
    scope_leave(s, &mark);
    return rc;
}
