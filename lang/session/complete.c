/* Completion: the candidates at the cursor. No code of the user is called, and no file of the user
 * is run.
 *
 * The context of the cursor selects the candidates: magics after %, files in strings and after !
 * and file magics, keys in d['...'], modules after import, a module's names after `from m import`,
 * attributes after a dot, else names, and the parameters of the enclosing call. Candidates are
 * gathered, sorted and reported once each. Reading order: gathering, the kinds of candidates, the
 * cursor's context, gpa_session_complete. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lang/vm/native_table.h"
#include "lang/object/container.h"
#include "lang/session/magic.h"

/* ---- gathering ---- */

typedef struct {
    char *text, *type, *signature; /* owned */
    const char *kind;
} candidate;

typedef struct {
    gpa_session *s;
    const char *prefix;
    size_t n, start, end;
    candidate *items;
    size_t count, cap;
    bool failed;
} offers;

static char *copy(const char *text) { return mem_text(text, strlen(text)); }

static void add(offers *o, const char *text, const char *kind, const char *type,
                const char *signature) {
    if (o->failed || strncmp(text, o->prefix, o->n) != 0) return;
    candidate c = {copy(text), copy(type), copy(signature), kind};
    if (c.text && c.type && c.signature &&
        mem_grow(&o->items, o->count, &o->cap, sizeof *o->items)) {
        o->items[o->count++] = c;
        return;
    }
    mem_free(c.text);
    mem_free(c.type);
    mem_free(c.signature);
    o->failed = true;
}

/* Sort order: parameters first, names that begin with _ last. */
static int rank(const candidate *c) {
    return c->kind[0] == 'p' && c->kind[2] == 'r' ? 0 : c->text[0] == '_' ? 2 : 1;
}

static int by_text(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    int order = rank(x) - rank(y);
    return order ? order : strcmp(x->text, y->text);
}

static void give(offers *o, void (*each)(void *user, const gpa_completion *c), void *user) {
    if (o->count) qsort(o->items, o->count, sizeof *o->items, by_text);
    for (size_t i = 0; i < o->count; i++) {
        const candidate *c = &o->items[i];
        bool again = i && strcmp(c->text, o->items[i - 1].text) == 0;
        if (!again)
            each(user,
                 &(gpa_completion){c->text, c->kind, c->type, c->signature, o->start, o->end});
    }
}

static void drop(offers *o) {
    for (size_t i = 0; i < o->count; i++) {
        mem_free(o->items[i].text);
        mem_free(o->items[i].type);
        mem_free(o->items[i].signature);
    }
    mem_free(o->items);
}

/* ---- names ---- */

static void add_value(void *to, const char *name, value v) {
    offers *o = to;
    gpa_str type, signature;
    bool hidden = name[0] == '_' && (o->n == 0 || o->prefix[0] != '_');
    if (hidden || strncmp(name, o->prefix, o->n) != 0) return;
    str_init(&type);
    str_init(&signature);
    inspect_type(v, &type);
    inspect_signature(o->s, v, "", &signature);
    add(o, name, inspect_kind(v), type.text ? type.text : "", signature.text ? signature.text : "");
    str_free(&type);
    str_free(&signature);
}

/* Adds the names of a module if it is loaded; only built-in modules are imported for that. */
static void add_module(offers *o, const char *name) {
    module_obj *m;
    native_owner owner = owner_find(name);
    bool cupy = strncmp(name, "cupy", 4) == 0;
    if (!cupy && (owner == OWNER_COUNT || !owner_is_module(owner))) return;
    if (vm_import(o->s->vm, name, &m) == GPA_OK) vm_dir(o->s->vm, v_obj(V_MODULE, m), add_value, o);
    vm_clear_error(o->s->vm);
}

static void add_names(offers *o) {
    static const char *const keywords[] = {
        "and",    "as",     "assert", "break",   "continue", "def",      "del",    "elif",
        "else",   "except", "False",  "finally", "for",      "from",     "global", "if",
        "import", "in",     "is",     "lambda",  "None",     "nonlocal", "not",    "or",
        "pass",   "raise",  "return", "True",    "try",      "while",    "with"};
    const module_obj *m = vm_main(o->s->vm);
    for (size_t i = 0; i < COUNT_OF(keywords); i++) add(o, keywords[i], "keyword", "", "");
    for (uint32_t i = 0; i < m->n; i++)
        if (m->slots[i].tag != V_UNSET)
            add_value(o, intern_text(o->s->names, m->names[i]), m->slots[i]);
    add_module(o, "builtins");
    add_module(o, "numpy");
}

/* Adds the parameters of a signature "f(x, /, a, b=2, *args, c)", each with `=`. */
static void add_parameters(offers *o, const char *signature) {
    const char *at = strchr(signature, '(');
    const char *slash = strstr(signature, " /");
    if (slash && (slash[2] == ',' || slash[2] == ')'))
        at = slash + 2; /* positional-only parameters have no keyword */
    for (int depth = 0; at && *at; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (depth > 1 || (*at != '(' && *at != ',')) continue;
        const char *name = at + 1 + strspn(at + 1, " ");
        size_t n = 0;
        while (inspect_is_name(name[n])) n++;
        if (!n || (name[n] != ',' && name[n] != '=' && name[n] != ')' && name[n] != ':')) continue;
        char text[128];
        snprintf(text, sizeof text, "%.*s=", (int)MIN(n, sizeof text - 2), name);
        add(o, text, "param", "", "");
    }
}

/* Adds the parameters of the call around the cursor, where an argument begins. */
static void add_arguments(offers *o, const char *src, size_t n) {
    size_t at = o->start, lo, hi;
    while (at > 0 && strchr(" \t\n", src[at - 1])) at--;
    if (!at || (src[at - 1] != '(' && src[at - 1] != ',') ||
        !inspect_call_at(src, n, o->start, &lo, &hi))
        return;
    value v = inspect_resolve(o->s, src + lo, hi - lo);
    gpa_str signature;
    str_init(&signature);
    if (v.tag != V_UNSET) inspect_signature(o->s, v, "", &signature);
    if (signature.len) add_parameters(o, signature.text);
    str_free(&signature);
    if (v.tag != V_UNSET) value_release(o->s->vm, v);
}

static void add_submodule(void *user, const char *name) { add(user, name, "module", "", ""); }

/* The start of the bracket or string that ends before `end`; `end` if it is not on this line. */
static size_t opening(const char *src, size_t end) {
    const char close = src[end - 1];
    const char open = close == ']' ? '[' : close == '}' ? '{' : close;
    int depth = 1;
    for (size_t at = end - 1; at > 0 && src[at - 1] != '\n'; at--) {
        depth += (src[at - 1] == close && open != close) - (src[at - 1] == open);
        if (!depth) return at - 1;
    }
    return end;
}

/* The start of an expression of names, attributes, subscripts and literals that ends before `end`.
 */
static size_t expression_start(const char *src, size_t end) {
    size_t lo = end;
    while (lo > 0) {
        const char c = src[lo - 1];
        const bool name = inspect_is_name(c) || c == '.';
        const bool subscript = c == ']', literal = lo == end && strchr("}'\"", c);
        const size_t before = subscript || literal ? opening(src, lo) : lo - name;
        if (before == lo && strchr(")}'\"", c)) return end; /* the value of a call */
        if (before == lo) break;
        lo = before;
        if (literal) break;
    }
    return lo;
}

static void add_attributes(offers *o, const char *src) {
    const size_t lo = expression_start(src, o->start - 1);
    value v = inspect_resolve(o->s, src + lo, o->start - 1 - lo);
    if (v.tag == V_UNSET) return;
    if (vm_dir(o->s->vm, v, add_value, o)) vm_clear_error(o->s->vm);
    if (v.tag == V_MODULE) inspect_submodules(o->s, v.module, add_submodule, o);
    value_release(o->s->vm, v);
}

/* ---- magics, modules, files, keys ---- */

static void add_magics(offers *o, magic_kinds kinds) {
    for (const magic *const *row = magic_rows; *row; row++) {
        char text[64];
        snprintf(text, sizeof text, "%s%s", kinds == MAGIC_CELL ? "%%" : "%", (*row)->name);
        if ((*row)->kinds & kinds) add(o, text, "magic", "", (*row)->usage);
    }
    for (size_t i = 0; i < o->s->n_aliases && kinds == MAGIC_LINE; i++) {
        char text[64];
        snprintf(text, sizeof text, "%%%s", o->s->aliases[i].name);
        add(o, text, "magic", "", o->s->aliases[i].command);
    }
}

/* The length of a script's name without its extension; 0: not a script. */
static size_t program_length(const char *name) {
    size_t n = strlen(name);
    for (const char *const *end = vm_program_ends; *end; end++) {
        size_t k = strlen(*end);
        if (n > k && strcmp(name + n - k, *end) == 0) return n - k;
    }
    return 0;
}

/* Adds importable modules: built-in ones, and scripts in the current folder. */
static void add_modules(offers *o) {
    for (int i = 0; i < OWNER_COUNT; i++)
        if (owner_is_module((native_owner)i)) add(o, owner_name((native_owner)i), "module", "", "");
    add(o, "cupy", "module", "", "");
    DIR *d = opendir(".");
    for (struct dirent *e; d && (e = readdir(d));) {
        char text[256];
        size_t n = program_length(e->d_name);
        if (!n) continue;
        snprintf(text, sizeof text, "%.*s", (int)n, e->d_name);
        add(o, text, "module", "", "");
    }
    if (d) closedir(d);
}

/* Which files complete a path, next to folders. */
typedef enum { NO_FILES, ALL_FILES, PROGRAMS } file_types;

static void add_files(offers *o, const char *path, size_t n, file_types types) {
    gpa_str folder, typed;
    size_t base = n;
    while (base && path[base - 1] != '/') base--;
    o->prefix = path + base;
    o->n = n - base;
    o->start = o->end - o->n;
    str_init(&typed);
    str_init(&folder);
    str_putn(&typed, path, base);
    magic_home(base ? typed.text : "./", &folder);
    DIR *d = folder.failed || typed.failed ? NULL : opendir(folder.text);
    size_t head = folder.len;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        bool hidden = e->d_name[0] == '.' && !(o->n && o->prefix[0] == '.');
        if (hidden || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        str_truncate(&folder, head);
        str_put(&folder, e->d_name);
        bool is_folder = !folder.failed && stat(folder.text, &st) == 0 && S_ISDIR(st.st_mode);
        str_clear(&typed);
        str_printf(&typed, "%s%s", e->d_name, is_folder ? "/" : "");
        bool wanted =
            is_folder || types == ALL_FILES || (types == PROGRAMS && program_length(e->d_name));
        if (!typed.failed && wanted) add(o, typed.text, "path", "", "");
    }
    if (d) closedir(d);
    str_free(&typed);
    str_free(&folder);
}

/* Adds the keys of a dict, in d['...]. False: not a dict. */
static bool add_keys(offers *o, const char *src, size_t quote) {
    size_t hi = quote, lo;
    if (!hi || src[hi - 1] != '[') return false;
    lo = --hi;
    while (lo > 0 && (inspect_is_name(src[lo - 1]) || src[lo - 1] == '.')) lo--;
    value v = inspect_resolve(o->s, src + lo, hi - lo);
    bool is_dict = v.tag == V_DICT;
    size_t at = 0;
    for (dict_entry *e; is_dict && (e = dict_next(v.dict, &at));)
        if (e->key.tag == V_STR) add(o, e->key.str->text, "instance", inspect_type_name(e->v), "");
    if (v.tag != V_UNSET) value_release(o->s->vm, v);
    return is_dict;
}

/* Greek letters by their names: \\alpha. */
static void add_letters(offers *o) {
    static const char *const letters[][2] = {
        {"\\alpha", "α"},   {"\\beta", "β"},       {"\\gamma", "γ"}, {"\\delta", "δ"},
        {"\\epsilon", "ϵ"}, {"\\varepsilon", "ε"}, {"\\zeta", "ζ"},  {"\\eta", "η"},
        {"\\theta", "θ"},   {"\\iota", "ι"},       {"\\kappa", "κ"}, {"\\lambda", "λ"},
        {"\\mu", "μ"},      {"\\nu", "ν"},         {"\\xi", "ξ"},    {"\\pi", "π"},
        {"\\rho", "ρ"},     {"\\sigma", "σ"},      {"\\tau", "τ"},   {"\\upsilon", "υ"},
        {"\\phi", "ϕ"},     {"\\varphi", "φ"},     {"\\chi", "χ"},   {"\\psi", "ψ"},
        {"\\omega", "ω"},   {"\\Gamma", "Γ"},      {"\\Delta", "Δ"}, {"\\Theta", "Θ"},
        {"\\Lambda", "Λ"},  {"\\Xi", "Ξ"},         {"\\Pi", "Π"},    {"\\Sigma", "Σ"},
        {"\\Phi", "Φ"},     {"\\Psi", "Ψ"},        {"\\Omega", "Ω"}};
    const size_t typed = o->end - o->start;
    for (size_t i = 0; i < COUNT_OF(letters); i++) {
        const char *name = letters[i][0];
        const bool whole = strlen(name) == typed && strncmp(name, o->prefix, typed) == 0;
        if (whole) o->n = 0; /* the letter replaces its name */
        if (whole || strncmp(name, o->prefix, o->n) == 0)
            add(o, whole ? letters[i][1] : name, "instance", letters[i][1], "");
        if (whole) return;
    }
}

/* ---- the context of the cursor ---- */

typedef struct {
    size_t line;  /* start of the cursor's line, after its indentation */
    size_t quote; /* of the string that contains the cursor ... */
    bool in_string, in_comment;
} context;

static context find_context(const char *src, size_t cursor) {
    context p = {0, 0, false, false};
    char open = 0;
    bool triple = false;
    for (size_t i = 0; i < cursor; i++) {
        char c = src[i];
        bool three = i + 2 < cursor && src[i + 1] == c && src[i + 2] == c;
        if (c == '\n') {
            p.line = i + 1;
            p.in_comment = false;
            if (!triple) open = 0;
        } else if (p.in_comment) {
            continue;
        } else if (open) {
            if (c == '\\')
                i++;
            else if (c == open && (!triple || three))
                i += triple ? 2 : 0, open = 0;
        } else if (c == '#') {
            p.in_comment = true;
        } else if (c == '"' || c == '\'') {
            open = c;
            triple = three;
            p.quote = i;
            i += three ? 2 : 0;
        }
    }
    p.in_string = open;
    while (p.line < cursor && (src[p.line] == ' ' || src[p.line] == '\t')) p.line++;
    return p;
}

static bool begins(const char *text, size_t n, const char *word) {
    size_t size = strlen(word);
    return n > size && memcmp(text, word, size) == 0 && (text[size] == ' ' || text[size] == '\t');
}

/* True if the line takes file names after its first words, and of which types. */
static bool wants_files(const char *line, size_t n, file_types *types) {
    static const struct {
        const char *words;
        file_types types;
    } magics[] = {{"%cd", NO_FILES},     {"%run", PROGRAMS},         {"%load", ALL_FILES},
                  {"%less", ALL_FILES},  {"%more", ALL_FILES},       {"%pycat", ALL_FILES},
                  {"%save", ALL_FILES},  {"%logstart", ALL_FILES},   {"%%writefile", ALL_FILES},
                  {"%%file", ALL_FILES}, {"%history -f", ALL_FILES}, {"%ls", ALL_FILES},
                  {"%cat", ALL_FILES},   {"%cp", ALL_FILES},         {"%mv", ALL_FILES},
                  {"%rm", ALL_FILES},    {"%sx", ALL_FILES},         {"%system", ALL_FILES},
                  {"%mkdir", NO_FILES},  {"%rmdir", NO_FILES}};
    *types = ALL_FILES;
    if (line[0] == '!') return true;
    for (size_t i = 0; i < COUNT_OF(magics); i++) {
        if (!begins(line, n, magics[i].words)) continue;
        *types = magics[i].types;
        return true;
    }
    return false;
}

/* `import a, b`, `from a`, `from a import b`. False: another kind of line. */
static bool complete_import(offers *o, const char *line, size_t n, const char *src) {
    if (begins(line, n, "import")) {
        size_t lo = o->start; /* the whole dotted name */
        while (lo > 0 && (inspect_is_name(src[lo - 1]) || src[lo - 1] == '.')) lo--;
        o->prefix = src + lo;
        o->n = o->end - lo;
        o->start = lo;
        add_modules(o);
        return true;
    }
    if (!begins(line, n, "from")) return false;
    char module[128];
    size_t at = 4 + strspn(line + 4, " \t"), size = 0;
    while (at + size < n && (inspect_is_name(line[at + size]) || line[at + size] == '.')) size++;
    snprintf(module, sizeof module, "%.*s", (int)MIN(size, sizeof module - 1), line + at);
    if (at + size == n) {
        o->prefix = line + at;
        o->n = size;
        o->start = o->end - size;
        add_modules(o);
    } else if (begins(line + at + size + strspn(line + at + size, " \t"), n - at - size,
                      "import")) {
        add_module(o, module);
    } else {
        add(o, "import", "keyword", "", "");
    }
    return true;
}

static void complete(offers *o, const char *src, size_t n) {
    context p = find_context(src, o->end);
    const char *line = src + p.line;
    size_t size = o->end - p.line;
    file_types types;
    if (p.in_comment && line[0] != '!' && line[0] != '%') return;
    if (size && line[0] == '%' && !memchr(line, ' ', size)) {
        o->prefix = line;
        o->n = size;
        o->start = p.line;
        add_magics(o, size > 1 && line[1] == '%' ? MAGIC_CELL : MAGIC_LINE);
    } else if (size && wants_files(line, size, &types)) {
        size_t word = size;
        while (word && !strchr(" \t'\"=<>|;&", line[word - 1])) word--;
        if (!word && line[0] == '!') word = 1;
        add_files(o, line + word, size - word, types);
    } else if (p.in_string) {
        o->prefix = src + p.quote + 1;
        o->n = o->end - p.quote - 1;
        o->start = p.quote + 1;
        if (!add_keys(o, src, p.quote)) add_files(o, o->prefix, o->n, ALL_FILES);
    } else if (!complete_import(o, line, size, src)) {
        if (o->start && src[o->start - 1] == '.') {
            add_attributes(o, src);
            return;
        }
        if (o->start && src[o->start - 1] == '\\') {
            o->prefix--, o->n++, o->start--;
            add_letters(o);
            return;
        }
        add_arguments(o, src, n);
        add_names(o);
    }
}

gpa_code gpa_session_complete(gpa_session *s, const char *src, size_t n, size_t cursor,
                              void (*each)(void *user, const gpa_completion *c), void *user) {
    size_t end = MIN(cursor, n), at = end;
    while (at > 0 && inspect_is_name(src[at - 1])) at--;
    offers o = {.s = s, .prefix = src + at, .n = end - at, .start = at, .end = end};
    complete(&o, src, end);
    if (!o.failed) give(&o, each, user);
    gpa_code rc = o.failed ? GPA_E_MEMORY : GPA_OK;
    drop(&o);
    return rc;
}
