/* The choice between colours and none, and the palettes. The neutral palette leaves the shades to
 * the terminal and can be read on any background; the others are for terminals of 256 colours whose
 * background is known. */
#include "repl/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NEUTRAL, LIGHT, DARK, PALETTES };

static const char *const palette[TINT_COUNT][PALETTES] = {
    /*                         neutral         light              dark */
    [GPA_STYLE_PLAIN] = {"", "", ""},
    [GPA_STYLE_KEYWORD] = {"\033[1;32m", "\033[1;38;5;28m", "\033[1;38;5;114m"},
    [GPA_STYLE_BUILTIN] = {"\033[36m", "\033[38;5;24m", "\033[38;5;80m"},
    [GPA_STYLE_DEFINITION] = {"\033[1;34m", "\033[1;38;5;20m", "\033[1;38;5;111m"},
    [GPA_STYLE_STRING] = {"\033[33m", "\033[38;5;124m", "\033[38;5;180m"},
    [GPA_STYLE_NUMBER] = {"\033[35m", "\033[38;5;90m", "\033[38;5;176m"},
    [GPA_STYLE_COMMENT] = {"\033[2;3m", "\033[3;38;5;245m", "\033[3;38;5;245m"},
    [GPA_STYLE_OPERATOR] = {"", "\033[38;5;240m", "\033[38;5;250m"},
    [GPA_STYLE_BRACKET] = {"", "", ""},
    [GPA_STYLE_MAGIC] = {"\033[1;35m", "\033[1;38;5;125m", "\033[1;38;5;211m"},
    [GPA_STYLE_WRONG] = {"\033[1;31m", "\033[1;38;5;160m", "\033[1;38;5;203m"},
    [TINT_IN] = {"\033[32m", "\033[38;5;28m", "\033[38;5;71m"},
    [TINT_IN_COUNT] = {"\033[1;32m", "\033[1;38;5;28m", "\033[1;38;5;114m"},
    [TINT_OUT] = {"\033[31m", "\033[38;5;124m", "\033[38;5;167m"},
    [TINT_OUT_COUNT] = {"\033[1;31m", "\033[1;38;5;160m", "\033[1;38;5;203m"},
    [TINT_MORE] = {"\033[2;32m", "\033[38;5;65m", "\033[38;5;65m"},
    [TINT_HINT] = {"\033[2m", "\033[38;5;247m", "\033[38;5;242m"},
    [TINT_MATCH] = {"\033[1;4m", "\033[1;48;5;152m", "\033[1;48;5;238m"},
    [TINT_CHOSEN] = {"\033[7m", "\033[48;5;153m", "\033[48;5;24m"},
    [TINT_ERROR] = {"\033[1;31m", "\033[1;38;5;160m", "\033[1;38;5;203m"},
    [TINT_PLACE] = {"\033[36m", "\033[38;5;24m", "\033[38;5;80m"},
    [TINT_NOTE] = {"\033[1;33m", "\033[1;38;5;130m", "\033[1;38;5;179m"},
};

static bool on[2]; /* standard output, standard error */
static int chosen;

static bool set(const char *name) {
    const char *v = getenv(name);
    return v && *v;
}

static bool set_to_other_than_0(const char *name) {
    return set(name) && strcmp(getenv(name), "0") != 0;
}

static bool capable(void) {
    const char *term = getenv("TERM");
    return term && *term && strcmp(term, "dumb") != 0;
}

static int background(void) {
    const char *theme = getenv("GPA_THEME"), *term = getenv("TERM"), *colours = getenv("COLORFGBG");
    if (theme && strcmp(theme, "light") == 0) return LIGHT;
    if (theme && strcmp(theme, "dark") == 0) return DARK;
    if (theme && strcmp(theme, "neutral") == 0) return NEUTRAL;
    bool many = set("COLORTERM") || (term && strstr(term, "256color"));
    const char *back = colours ? strrchr(colours, ';') : NULL;
    if (!many || !back) return NEUTRAL;
    return strcmp(back, ";7") == 0 || strcmp(back, ";15") == 0 ? LIGHT : DARK;
}

const char *colour_unknown_theme(void) {
    const char *theme = getenv("GPA_THEME");
    return theme && *theme && strcmp(theme, "light") && strcmp(theme, "dark") &&
                   strcmp(theme, "neutral")
               ? theme
               : NULL;
}

bool colour_begin(const char *option) {
    bool known = !option || strcmp(option, "auto") == 0 || strcmp(option, "always") == 0 ||
                 strcmp(option, "never") == 0;
    bool automatic = !option || strcmp(option, "auto") == 0;
    chosen = background();
    for (int i = 0; i < 2; i++) {
        if (!automatic)
            on[i] = strcmp(option, "always") == 0;
        else if (set("NO_COLOR"))
            on[i] = false;
        else if (set_to_other_than_0("CLICOLOR_FORCE") || set_to_other_than_0("FORCE_COLOR"))
            on[i] = true;
        else if (set("CLICOLOR") && !set_to_other_than_0("CLICOLOR"))
            on[i] = false;
        else
            on[i] = capable() && isatty(STDOUT_FILENO + i);
    }
    return known;
}

bool colour_on(int fd) { return on[fd == STDERR_FILENO]; }

const char *colour_of(int tint) { return palette[tint][chosen]; }
