/* Cleaning of pasted transcripts, in three passes: control characters, prompts, indentation. */
#include "repl/transcript.h"

#include <stdint.h>
#include <string.h>

static void clean_characters(const char *text, size_t n, buf *out) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\r' && i + 1 < n && text[i + 1] == '\n') continue;
        if (c == '\r') c = '\n';
        if (c >= 0x20 ? c != 0x7f : c == '\n' || c == '\t') buf_putc(out, (char)c);
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
static void strip_prompts(const char *text, buf *out) {
    size_t prompts = 0;
    const char *begin = text + strspn(text, " \t\n");
    while (begin > text && begin[-1] != '\n') begin--;
    bool transcript = first_prompt(begin);
    for (const char *line = begin; transcript && *line; line = next_line(line))
        prompts += prompt_length(line) > 0;
    for (const char *line = text; *line; line = next_line(line)) {
        size_t skip = transcript ? prompt_length(line) : 0, n = strcspn(line, "\n");
        if (prompts > 1 && !skip) continue;
        buf_putn(out, line + skip, n - skip + (line[n] == '\n'));
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

static void remove_margin(const char *text, size_t margin, buf *out) {
    for (const char *line = text; *line; line = next_line(line)) {
        size_t blank = strspn(line, " \t"), n = strcspn(line, "\n"),
               skip = blank < margin ? blank : margin;
        buf_putn(out, line + skip, n - skip + (line[n] == '\n'));
    }
}

void transcript_clean(const char *text, size_t n, bool dedent, buf *out) {
    buf plain = {0}, code = {0};
    clean_characters(text, n, &plain);
    if (plain.text) strip_prompts(plain.text, &code);
    if (code.text) remove_margin(code.text, dedent ? common_margin(code.text) : 0, out);
    out->failed |= plain.failed || code.failed;
    buf_free(&plain);
    buf_free(&code);
}
