/* Parsing of the command line; its options are the rows of options.def. */
#include "repl/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2, COLUMN = 18 };

typedef enum {
#define OPTION(id, brief, name, argument, help) OPTION_##id,
#include "repl/options.def"
#undef OPTION
    OPTION_COUNT
} option_id;

static const struct {
    const char *brief, *name, *argument, *help;
} table[OPTION_COUNT] = {
#define OPTION(id, brief, name, argument, help) {brief, name, argument, help},
#include "repl/options.def"
#undef OPTION
};

static void print_help(void) {
    puts(
        "usage: gpa [options] [FILE | -c CODE | -] [arguments]\n"
        "       gpa kernel install|uninstall|doctor [options]\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *brief = table[i].brief, *name = table[i].name;
        int n = printf("  %s%s%s", brief ? brief : "", brief && name ? ", " : "", name ? name : "");
        if (table[i].argument) n += printf(" %s", table[i].argument);
        if (n + 2 > COLUMN)
            printf("\n%*s%s\n", COLUMN, "", table[i].help);
        else
            printf("%*s%s\n", COLUMN - n, "", table[i].help);
    }
    puts(
        "\nWithout a program gpa reads one from a pipe, or shows a prompt.\n"
        "\n"
        "  GPA_DEVICE        the device to use\n"
        "  GPA_NUM_THREADS   threads of the CPU device\n"
        "  GPA_RANKS         number of processes of the device ranks\n"
        "  GPA_MEMORY_LIMIT  what arrays may take: 4G, 25%\n"
        "  GPA_MEMORY_CHECK  1: uninitialized and freed memory reads as NaN\n"
        "  GPA_PLUGIN_DIR    where the device plugins are\n"
        "  GPA_CACHE_DIR     where compiled programs are kept (else ~/.cache/gpa)\n"
        "  GPA_CACHE_LIMIT   how much of them (else 256M)\n"
        "  GPA_CACHE_SHARED  a second folder of compiled programs, only read\n"
        "  GPA_PRECISION     of float32 products on tensor cores: float32, tf32, bf16x3\n"
        "  GPA_LOOPS         off: no loop is replayed; on: also without graphs, and without gain\n"
        "  GPA_PYTHON        the Python whose modules are imported: a program, an environment; "
        "none\n"
        "  GPA_PLOTS         gnuplot: matplotlib is gpa's own module also where Python has one\n"
        "  GPA_GRAPHICS      pictures in the terminal: kitty, sixel, iterm, symbols or none\n"
        "  GPA_HISTORY       the file of the history; empty: none\n"
        "  GPA_THEME         light, dark or neutral colours; NO_COLOR=1: none");
}

/* Damerau-Levenshtein distance of a and b, capped at 3. */
static int distance(const char *a, const char *b) {
    enum { LONGEST = 24, FAR = 3 };
    size_t m = strlen(a), n = strlen(b);
    int d[LONGEST + 1][LONGEST + 1];
    if (m > LONGEST || n > LONGEST) return FAR;
    for (size_t i = 0; i <= m; i++) {
        for (size_t k = 0; k <= n; k++) {
            if (i == 0 || k == 0) {
                d[i][k] = (int)(i + k);
                continue;
            }
            int best = d[i - 1][k - 1] + (a[i - 1] != b[k - 1]);
            if (d[i - 1][k] + 1 < best) best = d[i - 1][k] + 1;
            if (d[i][k - 1] + 1 < best) best = d[i][k - 1] + 1;
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1] &&
                d[i - 2][k - 2] + 1 < best)
                best = d[i - 2][k - 2] + 1;
            d[i][k] = best;
        }
    }
    return d[m][n] < FAR ? d[m][n] : FAR;
}

static int complain_unknown(const char *given) {
    char name[64];
    const char *nearest = NULL;
    int best = 3;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    for (int i = 0; i < OPTION_COUNT; i++) {
        int far = table[i].name ? distance(name, table[i].name) : 3;
        if (far < best) best = far, nearest = table[i].name;
    }
    fprintf(stderr, "gpa: unknown option '%s'", name);
    if (nearest) fprintf(stderr, " (did you mean '%s'?)", nearest);
    fputs("\n`gpa --help` shows the options\n", stderr);
    return EXIT_USAGE;
}

/* True if a word is one of "a|b|c", or there is no choice. */
static bool is_choice(const char *choices, const char *word) {
    size_t n = strlen(word);
    if (!strchr(choices, '|')) return true;
    for (const char *c = choices; *c; c += strcspn(c, "|"), c += *c == '|')
        if (strcspn(c, "|") == n && strncmp(c, word, n) == 0) return true;
    return false;
}

/* The row of an argument `-x`, `--name` or `--name=value`; OPTION_COUNT if unknown. */
static option_id find(const char *given) {
    for (int i = 0; i < OPTION_COUNT; i++) {
        size_t n = table[i].name ? strlen(table[i].name) : 0;
        if (table[i].brief && strcmp(given, table[i].brief) == 0) return (option_id)i;
        if (n && strncmp(given, table[i].name, n) == 0 &&
            (given[n] == 0 || (given[n] == '=' && table[i].argument)))
            return (option_id)i;
    }
    return OPTION_COUNT;
}

/* The argument of the option at argv[*i]; NULL if it is missing or not among the choices, after
 * reporting that. */
static const char *argument_of(int argc, char **argv, int *i, option_id id) {
    const char *equals = argv[*i][1] == '-' ? strchr(argv[*i], '=') : NULL,
               *value = equals ? equals + 1 : NULL;
    int name = (int)strcspn(argv[*i], "=");
    if (!value && *i + 1 < argc) value = argv[++*i];
    if (!value) {
        fprintf(stderr, "gpa: option '%.*s' needs an argument: %s\n", name, argv[*i],
                table[id].argument);
        return NULL;
    }
    if (is_choice(table[id].argument, value)) return value;
    fprintf(stderr, "gpa: option '%s' takes %s, not '%s'\n", table[id].name, table[id].argument,
            value);
    return NULL;
}

/* Prints the version; with `verbose` a program then tells what was found where. */
static int tell_version(options *o, const char **code, bool verbose) {
    puts("gpa " GPA_VERSION);
    if (!verbose) return 0;
    fflush(stdout);
    code[0] = "from gpa.about import show; show()";
    o->n_code = 1;
    o->cache = "info";
    return -1;
}

int options_read(int argc, char **argv, options *o) {
    const char **code = calloc((size_t)argc + 2, sizeof *code);
    bool version = false, verbose = false;
    int i = 1;
    *o = (options){.code = code};
    if (!code) return EXIT_USAGE;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        option_id id = find(argv[i]);
        /* after -c TEXT all arguments except further -c belong to the program */
        if (o->n_code && id != OPTION_CODE) break;
        if (id == OPTION_COUNT) return complain_unknown(argv[i]);
        const char *value = table[id].argument ? argument_of(argc, argv, &i, id) : "";
        if (!value) return EXIT_USAGE;
        switch (id) {
            case OPTION_CODE: code[o->n_code++] = value; break;
            case OPTION_INTERACTIVE: o->interactive = true; break;
            case OPTION_ECHO: o->echo = true; break;
            case OPTION_QUIET: o->quiet = true; break;
            case OPTION_BARE: o->bare = true; break;
            case OPTION_COLOUR: o->colour = value; break;
            case OPTION_DEVICE: o->device = value; break;
            case OPTION_RANKS: o->ranks = value; break;
            case OPTION_DEVICES: o->devices = true; break;
            case OPTION_DAP: o->dap = true; break;
            case OPTION_EXPLAIN: o->explain++; break;
            case OPTION_CACHE: o->cache = value; break;
            case OPTION_VERSION: version = true; break;
            case OPTION_VERBOSE: verbose = true; break;
            case OPTION_HELP: return print_help(), 0;
            case OPTION_COUNT: break;
        }
    }
    if (version) return tell_version(o, code, verbose);
    if (!o->n_code && i < argc) o->file = argv[i++];
    o->rest = i;
    return -1;
}

void options_free(options *o) { free((void *)o->code); }
