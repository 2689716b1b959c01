/* Cleaning of pasted transcripts, in three passes: control characters, prompts, indentation. */
#include "lang/session/transcript.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void clean_characters(const char *text, size_t n, gpa_str *out) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\r' && i + 1 < n && text[i + 1] == '\n') continue;
        if (c == '\r') c = '\n';
        if (c >= 0x20 ? c != 0x7f : c == '\n' || c == '\t') str_putc(out, (char)c);
    }
}

static size_t digits(const char *s) { return strspn(s, "0123456789"); }

/* The length of the prompt at the start of a line, 0 if none. */
static size_t prompt_length(const char *line) {
    const char *p = line + strspn(line, " ");
    if (strncmp(p, ">>>", 3) == 0 || (strncmp(p, "...", 3) == 0 && p[3] != ':')) {
        p += 3;
    } else if (strncmp(p, "...:", 4) == 0) {
        p += 4;
    } else if (strncmp(p, "In [", 4) == 0 && digits(p + 4) &&
               strncmp(p + 4 + digits(p + 4), "]:", 2) == 0) {
        p += 4 + digits(p + 4) + 2;
    } else {
        return 0;
    }
    if (*p && *p != ' ' && *p != '\n') return 0;
    return (size_t)(p + (*p == ' ') - line);
}

static bool first_prompt(const char *line) {
    return prompt_length(line) && line[strspn(line, " ")] != '.';
}

static const char *next_line(const char *line) {
    line += strcspn(line, "\n");
    return *line ? line + 1 : line;
}

/* A text is a transcript only if its first line has a first prompt. */
bool transcript_begins(const char *text, size_t n) {
    char line[32];
    while (n && strchr(" \t\r\n", *text)) text++, n--;
    snprintf(line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), text);
    return first_prompt(line);
}

static void strip_prompts(const char *text, gpa_str *out) {
    size_t prompts = 0;
    bool transcript = transcript_begins(text, strlen(text));
    for (const char *line = text; transcript && *line; line = next_line(line))
        prompts += prompt_length(line) > 0;
    for (const char *line = text; *line; line = next_line(line)) {
        size_t skip = transcript ? prompt_length(line) : 0, n = strcspn(line, "\n");
        if (prompts > 1 && !skip) continue;
        str_putn(out, line + skip, n - skip + (line[n] == '\n'));
    }
}

/* The indentation of the first non-blank line, if all non-blank lines share it. */
static size_t common_margin(const char *text) {
    size_t margin = SIZE_MAX;
    const char *first = NULL;
    for (const char *line = text; *line; line = next_line(line)) {
        size_t blank = strspn(line, " \t");
        if (!line[blank] || line[blank] == '\n') continue;
        if (!first)
            first = line, margin = blank;
        else if (blank < margin || memcmp(line, first, margin) != 0)
            return 0;
    }
    return first ? margin : 0;
}

static void remove_margin(const char *text, size_t margin, gpa_str *out) {
    for (const char *line = text; *line; line = next_line(line)) {
        size_t blank = strspn(line, " \t"), n = strcspn(line, "\n"),
               skip = blank < margin ? blank : margin;
        str_putn(out, line + skip, n - skip + (line[n] == '\n'));
    }
}

void transcript_clean(const char *text, size_t n, int flags, gpa_str *out) {
    gpa_str plain, code;
    str_init(&plain);
    str_init(&code);
    clean_characters(text, n, &plain);
    if (flags & GPA_CLEAN_PROMPTS)
        strip_prompts(plain.text, &code);
    else
        str_putn(&code, plain.text, plain.len);
    remove_margin(code.text, flags & GPA_CLEAN_MARGIN ? common_margin(code.text) : 0, out);
    out->failed |= plain.failed || code.failed;
    str_free(&plain);
    str_free(&code);
}
