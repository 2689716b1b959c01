/* Prefix search: a walk continues as long as the text is the entry it inserted; any edit starts
 * a new walk. */
#include "repl/past.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/history.h>
#include <readline/readline.h>

enum { KEPT = 20000 };

static bool loaded;
static struct {
    char *typed;     /* the text before the walk, restored at its end */
    size_t prefix;   /* number of bytes of it that must match */
    const char *put; /* the current entry */
    int at;
} walk;

static void add_entry(void *user, const gpa_entry *e) {
    (void)user;
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (e->input[strspn(e->input, " \t\r\n")] && !(last && strcmp(last->line, e->input) == 0))
        add_history(e->input);
}

void past_load(gpa_session *s) {
    gpa_history_query all = {.kind = GPA_HISTORY_TAIL, .n = KEPT};
    if (loaded) return;
    loaded = true;
    using_history();
    stifle_history(KEPT);
    gpa_session_history(s, &all, add_entry, NULL);
    using_history();
}

static void end_walk(void) {
    free(walk.typed);
    walk.typed = NULL;
    walk.put = NULL;
}

void past_add(const char *text) {
    size_t n = strlen(text);
    end_walk();
    while (n && strchr(" \t\r\n", text[n - 1])) n--;
    if (n == 0 || *text == ' ') return;
    char *copy = strndup(text, n);
    HIST_ENTRY *last = history_length ? history_get(history_base + history_length - 1) : NULL;
    if (copy && !(last && strcmp(last->line, copy) == 0)) add_history(copy);
    using_history();
    free(copy);
}

static void replace(const char *text) {
    rl_begin_undo_group();
    rl_delete_text(0, rl_end);
    rl_point = 0;
    rl_insert_text(text);
    rl_end_undo_group();
}

bool past_walk(int direction, size_t prefix) {
    HIST_ENTRY **list = history_list();
    bool goes_on = walk.typed && strcmp(rl_line_buffer, walk.put ? walk.put : walk.typed) == 0;
    if (!goes_on) {
        end_walk();
        walk.typed = strdup(rl_line_buffer);
        walk.prefix = prefix;
        walk.at = history_length;
        if (!walk.typed) return false;
    }
    for (int i = walk.at + direction; list && i >= 0 && i < history_length; i += direction) {
        if (strncmp(list[i]->line, walk.typed, walk.prefix) != 0 ||
            strcmp(list[i]->line, rl_line_buffer) == 0)
            continue;
        walk.at = i;
        walk.put = list[i]->line;
        replace(walk.put);
        return true;
    }
    if (direction < 0 || walk.at == history_length) return false;
    walk.at = history_length;
    walk.put = NULL;
    replace(walk.typed);
    return true;
}

const char *past_hint(const char *text, size_t n) {
    HIST_ENTRY **list = history_list();
    for (int i = history_length - 1; list && i >= 0; i--) {
        const char *line = list[i]->line;
        if (line[0] == text[0] && strncmp(line, text, n) == 0 && line[n] && line[n] != '\n')
            return line + n;
    }
    return NULL;
}

void past_free(void) {
    end_walk();
    clear_history();
}
