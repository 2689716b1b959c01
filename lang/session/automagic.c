/* IPython's automagic rule: one line whose first word is a line magic and not a bound name, and
 * is not followed by an operator. */
#include "lang/session/automagic.h"

#include "lang/session/magic.h"

static bool is_defined(gpa_session *s, const char *name, size_t n) {
    gpa_sym sym = intern_find(s->names, name, n);
    return sym && (module_get_peek(vm_main(s->vm), sym).tag != V_UNSET ||
                   vm_builtin_peek(s->vm, sym).tag != V_UNSET);
}

/* A slash may begin a path; a division has a blank after it. */
static bool is_operator(const char *text, size_t n) {
    return strchr("!=()<>,+*%^&|;:", *text) || (*text == '/' && n > 1 && text[1] == ' ');
}

bool automagic(gpa_session *s, const char *src, size_t n, gpa_str *out) {
    while (n && strchr(" \t\r\n", src[n - 1])) n--;
    while (n && (*src == ' ' || *src == '\t')) src++, n--;
    size_t name = 0;
    while (name < n && inspect_is_name(src[name])) name++;
    size_t rest = name;
    while (rest < n && (src[rest] == ' ' || src[rest] == '\t')) rest++;
    const magic *row =
        name && !s->no_automagic && !memchr(src, '\n', n) ? magic_find(src, name) : NULL;
    bool alias = name && !s->no_automagic && !memchr(src, '\n', n) && alias_find(s, src, name);
    if (!alias && !(row && row->kinds & MAGIC_LINE)) return false;
    if (is_defined(s, src, name)) return false;
    if (rest < n && (rest == name || is_operator(src + rest, n - rest))) return false;
    str_putc(out, '%');
    str_putn(out, src, n);
    return !out->failed;
}
