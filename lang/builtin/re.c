/* The module re: compilation and matching of patterns by PCRE2; the classes Match and Pattern are
 * in lang/library/re.gpa.
 *
 * Python's syntax is PCRE2's but for a few constructs, which `translate` rewrites, and errors that
 * Python words differently, which it detects first. Positions count characters, as in Python.
 * Reading order: translate, re_compile, re_search. */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "lang/builtin/all.h"
#include "lang/vm/kinds.h"
#include "lang/object/container.h"
#include "lang/text/text.h"

#ifdef GPA_HAVE_PCRE2
#include <pcre2.h>

enum { FLAG_I = 2, FLAG_M = 8, FLAG_S = 16, FLAG_X = 64, FLAG_A = 256 }; /* values of re's flags */
enum { MAX_OPEN_GROUPS = 250 };

static void code_free(gpa_vm *vm, object_obj *o) {
    (void)vm;
    pcre2_code_free(o->data);
}

static const object_kind code_kind = {.type_name = "re.Code", .free = code_free};

static gpa_code fail_at(gpa_vm *vm, const char *message, const str_obj *pattern, size_t at) {
    return vm_fail(vm, GPA_E_PATTERN, "%s at position %zu", message,
                   text_count(pattern->text, MIN(at, pattern->size)));
}

/* ---- translation of Python's syntax ---- */

typedef struct {
    gpa_vm *vm;
    const str_obj *p;
    size_t at;
    size_t open[MAX_OPEN_GROUPS]; /* offsets of the groups that are still open */
    size_t depth;
    bool verbose;
    gpa_str *out;
} reader;

/* Translates \uXXXX and \UXXXXXXXX. */
static bool put_code_point(reader *r, size_t digits) {
    const char *text = r->p->text + r->at + 2;
    if (r->at + 2 + digits > r->p->size) return false;
    for (size_t i = 0; i < digits; i++)
        if (!strchr("0123456789abcdefABCDEF", text[i])) return false;
    str_printf(r->out, "\\x{%.*s}", (int)digits, text);
    r->at += 2 + digits;
    return true;
}

static gpa_code translate_escape(reader *r, bool in_set) {
    const char *text = r->p->text;
    if (r->at + 1 >= r->p->size) return fail_at(r->vm, "bad escape (end of pattern)", r->p, r->at);
    char c = text[r->at + 1];
    if ((c == 'u' && put_code_point(r, 4)) || (c == 'U' && put_code_point(r, 8))) return GPA_OK;
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter && !strchr(in_set ? "abdDfnrsStvwWx" : "aAbBdDfnrsStvwWxZ", c)) {
        char message[] = "bad escape \\?";
        message[sizeof message - 2] = c;
        return fail_at(r->vm, message, r->p, r->at);
    }
    if (c == 'Z')
        str_put(r->out, "\\z");
    else if (c == 'v')
        str_put(r->out, "\\x0b");
    else
        str_putn(r->out, text + r->at, 2);
    r->at += 2;
    return GPA_OK;
}

/* Translates a character class [...], in which a bracket is an ordinary character. */
static gpa_code translate_class(reader *r) {
    const char *text = r->p->text;
    size_t start = r->at, n = r->p->size;
    str_putc(r->out, text[r->at++]);
    if (r->at < n && text[r->at] == '^') str_putc(r->out, text[r->at++]);
    for (bool first = true; r->at < n; first = false) {
        char c = text[r->at];
        if (c == ']' && !first) {
            str_putc(r->out, text[r->at++]);
            return GPA_OK;
        }
        if (c == '\\') {
            gpa_code rc = translate_escape(r, true);
            if (rc) return rc;
            continue;
        }
        if (c == '[' || (c == ']' && first)) str_putc(r->out, '\\');
        str_putc(r->out, c);
        r->at++;
    }
    return fail_at(r->vm, "unterminated character set", r->p, start);
}

static gpa_code translate(reader *r) {
    const char *text = r->p->text;
    gpa_code rc = GPA_OK;
    while (r->at < r->p->size && !rc) {
        char c = text[r->at];
        if (c == '\\')
            rc = translate_escape(r, false);
        else if (c == '[')
            rc = translate_class(r);
        else if (c == '(' && r->depth == MAX_OPEN_GROUPS)
            rc = vm_fail(r->vm, GPA_E_RECURSION, "maximum recursion depth exceeded");
        else if (c == ')' && !r->depth)
            rc = fail_at(r->vm, "unbalanced parenthesis", r->p, r->at);
        else if (c == '{' && r->at + 1 < r->p->size && text[r->at + 1] == ',') {
            str_put(r->out, "{0");
            r->at++;
        } else if (c == '#' && r->verbose) {
            while (r->at < r->p->size && text[r->at] != '\n') r->at++;
        } else {
            if (c == '(') r->open[r->depth++] = r->at;
            if (c == ')') r->depth--;
            str_putc(r->out, c);
            r->at++;
        }
    }
    if (!rc && r->depth)
        rc = fail_at(r->vm, "missing ), unterminated subpattern", r->p, r->open[r->depth - 1]);
    return rc;
}

/* Raises PCRE2's error, with Python's message if there is one. */
static gpa_code fail_pcre2(gpa_vm *vm, int why, size_t at, const str_obj *pattern) {
    enum { NOTHING_TO_REPEAT = 109, NO_SUCH_GROUP = 115, LOOK_BEHIND = 125 };
    char message[200];
    if (why == LOOK_BEHIND)
        return vm_fail(vm, GPA_E_PATTERN, "look-behind requires fixed-width pattern");
    if (why == NO_SUCH_GROUP) return fail_at(vm, "invalid group reference", pattern, at);
    if (why == NOTHING_TO_REPEAT && at && at <= pattern->size &&
        strchr("*+?}", pattern->text[at - 1]))
        return fail_at(vm, "multiple repeat", pattern, at);
    if (why == NOTHING_TO_REPEAT) return fail_at(vm, "nothing to repeat", pattern, at);
    pcre2_get_error_message(why, (PCRE2_UCHAR *)message, sizeof message);
    return fail_at(vm, message, pattern, at);
}

/* ---- natives ---- */

/* A dict from group names to group numbers. */
static gpa_code put_names(gpa_vm *vm, const pcre2_code *code, value *out) {
    uint32_t n, width;
    PCRE2_SPTR table;
    gpa_code rc = GPA_OK;
    pcre2_pattern_info(code, PCRE2_INFO_NAMECOUNT, &n);
    pcre2_pattern_info(code, PCRE2_INFO_NAMEENTRYSIZE, &width);
    pcre2_pattern_info(code, PCRE2_INFO_NAMETABLE, &table);
    uint32_t groups;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    *out = v_dict(vm);
    if (out->tag == V_UNSET) return GPA_E_MEMORY;
    for (uint32_t g = 1; g <= groups && !rc; g++) /* in the order of their numbers */
        for (uint32_t i = 0; i < n && !rc; i++) {
            PCRE2_SPTR e = table + i * width;
            if ((uint32_t)(e[0] << 8 | e[1]) == g)
                rc = dict_set_text(vm, out->dict, (const char *)e + 2, v_int(g));
        }
    return rc;
}

gpa_code re_compile(gpa_vm *vm, value *argv, value *out) { /* pattern, flags */
    int64_t flags;
    gpa_str text;
    gpa_code rc = arg_int(vm, argv[1], "flags", &flags);
    if (rc) return rc;
    str_init(&text);
    reader r = {.vm = vm, .p = argv[0].str, .verbose = (flags & FLAG_X) != 0, .out = &text};
    uint32_t options = PCRE2_UTF | (flags & FLAG_A ? 0 : PCRE2_UCP) |
                       (flags & FLAG_I ? PCRE2_CASELESS : 0) |
                       (flags & FLAG_M ? PCRE2_MULTILINE : 0) |
                       (flags & FLAG_S ? PCRE2_DOTALL : 0) | (flags & FLAG_X ? PCRE2_EXTENDED : 0);
    int why;
    size_t at;
    value holder = v_unset(), names = v_unset();
    pcre2_code *code = NULL;
    TRY(translate(&r));
    if (text.failed) TRY(vm_no_memory(vm));
    code = pcre2_compile((PCRE2_SPTR)text.text, text.len, options, &why, &at, NULL);
    if (!code) TRY(fail_pcre2(vm, why, at, argv[0].str));
    pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
    uint32_t groups;
    pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
    TRY(put_names(vm, code, &names));
    if ((holder = v_object(vm, &code_kind, 0)).tag == V_UNSET) TRY(GPA_E_MEMORY);
    holder.object->data = code;
    code = NULL;
    TRY(native_return(v_tuple(vm, 3, (value[]){holder, v_int(groups), names}), out));
out:
    pcre2_code_free(code);
    value_release(vm, holder);
    value_release(vm, names);
    str_free(&text);
    return rc;
}

static gpa_code give_spans(gpa_vm *vm, const str_obj *s, const size_t *ends, size_t n, value *out) {
    value spans = v_tuple(vm, 2 * n, NULL);
    if (spans.tag == V_UNSET) return GPA_E_MEMORY;
    for (size_t i = 0; i < 2 * n; i++)
        spans.tuple->items[i] =
            v_int(ends[i] == PCRE2_UNSET ? -1 : (int64_t)str_position(s, ends[i]));
    *out = spans;
    return GPA_OK;
}

/* code, groups, text, pos, endpos, how: 0 search, 1 match, 2 fullmatch; `empty`: accept an empty
 * match at pos. Returns a tuple of starts and ends, the whole match first, -1 for a group that did
 * not participate; or None. */
gpa_code re_search(gpa_vm *vm, value *argv, value *out) {
    int64_t groups, pos, end, how;
    bool empty;
    const str_obj *s = argv[2].str;
    gpa_code rc = arg_int(vm, argv[1], "groups", &groups);
    if (!rc) rc = arg_int(vm, argv[3], "pos", &pos);
    if (!rc) rc = arg_int(vm, argv[4], "endpos", &end);
    if (!rc) rc = arg_int(vm, argv[5], "how", &how);
    if (!rc) rc = value_truth(vm, argv[6], &empty);
    if (rc) return rc;
    pcre2_match_data *m = pcre2_match_data_create((uint32_t)groups + 1, NULL);
    if (!m) return vm_no_memory(vm);
    uint32_t options = PCRE2_NO_UTF_CHECK | (how ? PCRE2_ANCHORED : 0) |
                       (how == 2 ? PCRE2_ENDANCHORED : 0) | (empty ? 0 : PCRE2_NOTEMPTY_ATSTART);
    int found = pcre2_match(argv[0].object->data, (PCRE2_SPTR)s->text, str_offset(s, (size_t)end),
                            str_offset(s, (size_t)pos), options, m, NULL);
    if (found > 0)
        rc = give_spans(vm, s, pcre2_get_ovector_pointer(m), (size_t)groups + 1, out);
    else if (found != PCRE2_ERROR_NOMATCH)
        rc = vm_fail(vm, GPA_E_RUNTIME, "the pattern needs too many steps (PCRE2's error %d)",
                     found);
    pcre2_match_data_free(m);
    return rc;
}

#else

gpa_code re_compile(gpa_vm *vm, value *argv, value *out) {
    (void)argv, (void)out;
    return vm_fail(
        vm, GPA_E_UNSUPPORTED,
        "this build of gpa has no regular expressions: it was made without PCRE2 (libpcre2-dev)");
}

gpa_code re_search(gpa_vm *vm, value *argv, value *out) { return re_compile(vm, argv, out); }

#endif
