/* Parser of C parameter lists: a declaration is split into words; without qualifiers and the name
 * of the parameter, the rest is the type. */
#include "lang/numpy/raw_params.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/base.h"

enum { MAX_WORDS = 12, WORD_CAPACITY = 40 };

/* Scalar types by their words, in the usual order. */
static const struct {
    const char *text;
    gpa_dtype type;
} types[] = {
    {"bool", DT_BOOL},
    {"char", DT_I8},
    {"signed char", DT_I8},
    {"int8_t", DT_I8},
    {"unsigned char", DT_U8},
    {"uint8_t", DT_U8},
    {"uchar", DT_U8},
    {"short", DT_I16},
    {"short int", DT_I16},
    {"int16_t", DT_I16},
    {"unsigned short", DT_U16},
    {"unsigned short int", DT_U16},
    {"uint16_t", DT_U16},
    {"ushort", DT_U16},
    {"int", DT_I32},
    {"signed int", DT_I32},
    {"signed", DT_I32},
    {"int32_t", DT_I32},
    {"unsigned", DT_U32},
    {"unsigned int", DT_U32},
    {"uint32_t", DT_U32},
    {"uint", DT_U32},
    {"long", DT_I64},
    {"long int", DT_I64},
    {"long long", DT_I64},
    {"long long int", DT_I64},
    {"int64_t", DT_I64},
    {"ptrdiff_t", DT_I64},
    {"ssize_t", DT_I64},
    {"unsigned long", DT_U64},
    {"unsigned long int", DT_U64},
    {"unsigned long long", DT_U64},
    {"unsigned long long int", DT_U64},
    {"uint64_t", DT_U64},
    {"size_t", DT_U64},
    {"ulong", DT_U64},
    {"__half", DT_F16},
    {"half", DT_F16},
    {"float16", DT_F16},
    {"__nv_bfloat16", DT_BF16},
    {"float", DT_F32},
    {"double", DT_F64},
    {"complex<float>", DT_C64},
    {"cuFloatComplex", DT_C64},
    {"cuComplex", DT_C64},
    {"float2", DT_C64},
    {"complex<double>", DT_C128},
    {"cuDoubleComplex", DT_C128},
    {"double2", DT_C128},
};
static const char *const qualifiers[] = {"const",    "volatile", "__restrict__",      "__restrict",
                                         "restrict", "struct",   "__grid_constant__", "std::"};

static bool word_char(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '<' || c == '>';
}

static bool is_qualifier(const char *word) {
    for (size_t i = 0; i < COUNT_OF(qualifiers); i++)
        if (!strcmp(word, qualifiers[i])) return true;
    return false;
}

/* The type named by the first n words. */
static gpa_dtype type_of_words(char (*words)[WORD_CAPACITY], size_t n) {
    char text[MAX_WORDS * WORD_CAPACITY] = "";
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "", words[i]);
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (!strcmp(text, types[i].text)) return types[i].type;
    return DT_NONE;
}

static raw_param read_param(const char *at, size_t n) {
    char words[MAX_WORDS][WORD_CAPACITY];
    size_t n_words = 0;
    raw_param p = {.type = DT_NONE};
    while (n && isspace((unsigned char)*at)) at++, n--;
    while (n && isspace((unsigned char)at[n - 1])) n--;
    snprintf(p.text, sizeof p.text, "%.*s", (int)n, at);
    for (size_t i = 0; i < n;) {
        size_t len = 0;
        while (i + len < n && word_char(at[i + len])) len++;
        if (at[i] == '*' || at[i] == '[') p.pointer = true;
        if (len && (n_words == MAX_WORDS || len >= WORD_CAPACITY)) return p;
        if (len) {
            snprintf(words[n_words], WORD_CAPACITY, "%.*s", (int)len, at + i);
            if (!is_qualifier(words[n_words])) n_words++;
        }
        i += len ? len : 1;
    }
    p.type = type_of_words(words, n_words); /* without a name */
    if (p.type == DT_NONE && n_words > 1) p.type = type_of_words(words, n_words - 1);
    p.known = p.pointer || p.type != DT_NONE;
    return p;
}

/* The "(" of the function's definition: after its name (and template arguments), which `void`
 * precedes. */
static const char *find_list(const char *source, const char *name) {
    size_t n = strcspn(name, "<");
    for (const char *at = source; (at = memmem(at, strlen(at), name, n)); at++) {
        const char *after = at + n + strspn(at + n, " \t\r\n"), *before = at;
        while (before > source && isspace((unsigned char)before[-1])) before--;
        if (at > source && (word_char(at[-1]))) continue;
        if (*after == '(' && before - source >= 4 && before < at && !memcmp(before - 4, "void", 4))
            return after;
    }
    return NULL;
}

int raw_params(const char *source, const char *name, raw_param *out) {
    const char *at = find_list(source, name);
    int n = 0, depth = 0;
    if (!at) return -1;
    const char *from = ++at;
    for (; *at; at++) {
        if (*at == '/' || *at == '#') return -1; /* comments and macros are not parsed */
        if (*at == '<' || *at == '(' || *at == '[')
            depth++;
        else if ((*at == '>' || *at == ')' || *at == ']') && depth)
            depth--;
        else if (depth == 0 && (*at == ',' || *at == ')')) {
            raw_param p = read_param(from, (size_t)(at - from));
            bool empty = n == 0 && *at == ')' && (!p.text[0] || !strcmp(p.text, "void"));
            if (n == RAW_MAX_ARGS) return -1;
            if (!empty) out[n++] = p;
            if (*at == ')') return n;
            from = at + 1;
        }
    }
    return -1;
}
