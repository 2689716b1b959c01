/* Input from elsewhere: %edit (an editor), %paste (the clipboard), %cpaste (lines typed or pasted),
 * and the settings of the prompt's own editor: %autoindent, %colors. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "lang/object/container.h"
#include "lang/session/magic.h"
#include "lang/session/ranges.h"
#include "lang/session/transcript.h"

enum { LINE_ROOM = 65536 };

/* ---- %edit ---- */

/* The edited text: a file, or a text in a temporary one. */
typedef struct {
    gpa_str path, text;
    long line; /* 0: the first */
    bool temporary;
    gpa_str macro; /* the name of the macro that is edited; "": none */
} edit_target;

static void target_init(edit_target *t) {
    t->line = 0;
    t->temporary = true;
    str_init(&t->path);
    str_init(&t->text);
    str_init(&t->macro);
}

static void target_free(edit_target *t) {
    if (t->temporary && t->path.len) unlink(t->path.text);
    str_free(&t->path);
    str_free(&t->text);
    str_free(&t->macro);
}

static bool has_program_end(const char *path) {
    size_t size = strlen(path);
    for (const char *const *end = vm_program_ends; *end; end++) {
        size_t n = strlen(*end);
        if (size > n && strcmp(path + size - n, *end) == 0) return true;
    }
    return false;
}

/* A function or class: its file at its line, or the cell that defined it. False: it has none. */
static bool target_of_definition(gpa_session *s, value v, edit_target *t) {
    const char *file = inspect_file(s, v);
    int cell = 0;
    if (!file) return false;
    if (sscanf(file, "In [%d]", &cell) == 1) {
        const history_entry *e = history_line(&s->history, cell);
        if (!e) return false;
        session_printf(s, false, "Editing In[%d]\n", cell);
        str_put(&t->text, e->input);
        str_putc(&t->text, '\n');
        return true;
    }
    if (access(file, R_OK)) return false;
    t->temporary = false;
    t->line = inspect_line(s, v);
    str_put(&t->path, file);
    return true;
}

/* True if there is something to edit; else a warning was printed. */
static bool find_target(magic_call *m, const char *what, edit_target *t) {
    gpa_session *s = m->s;
    gpa_str path;
    if (!*what) return true;
    str_init(&path);
    magic_home(what, &path);
    bool is_file = access(path.text, F_OK) == 0 || has_program_end(path.text);
    if (is_file) {
        t->temporary = false;
        str_put(&t->path, path.text);
    }
    str_free(&path);
    if (is_file || ranges_find(s, what, strlen(what), &t->text)) return true;
    value v = inspect_resolve(s, what, strlen(what));
    bool found = false;
    if (v.tag == V_STR) {
        str_putn(&t->text, v.str->text, v.str->size);
        found = true;
    } else if (v.tag != V_UNSET && macro_text(s, v, &t->text)) {
        str_put(&t->macro, what);
        found = true;
    } else if (v.tag != V_UNSET && !(found = target_of_definition(s, v, t))) {
        session_printf(s, true, "The file where `%s` was defined cannot be read or found.\n", what);
    } else if (v.tag == V_UNSET) {
        session_printf(
            s, true, "Argument given (%s) can't be found as a variable or as a filename.\n", what);
    }
    if (v.tag != V_UNSET) value_release(s->vm, v);
    return found;
}

static gpa_code make_temporary(gpa_session *s, edit_target *t) {
    const char *tmp = getenv("TMPDIR");
    str_printf(&t->path, "%s/gpa_edit_XXXXXX%s", tmp && *tmp ? tmp : "/tmp", vm_program_ends[0]);
    int fd = t->path.failed ? -1 : mkstemps(t->path.text, (int)strlen(vm_program_ends[0]));
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool good = f && fwrite(t->text.text, 1, t->text.len, f) == t->text.len;
    if (f && fclose(f)) good = false;
    if (!good)
        return vm_fail(s->vm, gpa_err_of_errno(errno), "[Errno %d] %s: '%s'", errno,
                       strerror(errno), t->path.text);
    session_printf(s, false, "gpa will make a temporary file named: %s\n", t->path.text);
    return GPA_OK;
}

/* Runs $VISUAL, $EDITOR or vi on the file. */
static gpa_code run_editor(gpa_session *s, const edit_target *t) {
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    gpa_str command;
    int code = 0;
    str_init(&command);
    str_put(&command, visual && *visual ? visual : editor && *editor ? editor : "vi");
    if (t->line > 0) str_printf(&command, " +%ld", t->line);
    str_put(&command, " '");
    for (const char *at = t->path.text; *at; at++)
        if (*at == '\'')
            str_put(&command, "'\\''");
        else
            str_putc(&command, *at);
    str_putc(&command, '\'');
    gpa_code rc = command.failed ? vm_no_memory(s->vm) : magic_terminal(s, command.text, &code);
    if (!rc && code) session_printf(s, true, "Editor exited with status %d.\n", code);
    str_free(&command);
    return rc;
}

static gpa_code run_edited(gpa_session *s, const edit_target *t, const gpa_str *text) {
    ast_module *ast = NULL;
    value last = v_unset();
    if (t->temporary) return magic_run_text(s, text->text, text->len);
    gpa_code rc = session_parse(s, SOURCE_FILE, t->path.text, text->text, text->len, &ast);
    if (!rc) rc = vm_eval(s->vm, ast, NULL, &last);
    if (last.tag != V_UNSET) value_release(s->vm, last);
    ast_release(ast);
    return rc;
}

static gpa_code redefine_macro(gpa_session *s, const char *name, const gpa_str *text) {
    value code = v_str(s->vm, text->text, text->len);
    gpa_code rc = code.tag == V_UNSET ? vm_err(s->vm)->code : macro_define(s, name, code);
    value_release(s->vm, code);
    return rc;
}

MAGIC(edit, LINE, WORDS, "[-n LINE] [-p] [-r] [-x] [source]",
      "Edit a text in $VISUAL, $EDITOR or vi and run it.\n"
      "\n"
      "The source is a file, a range of the history (see %history), a string, a macro,\n"
      "or a function or class, of which the file or the cell that defines it is edited.\n"
      "Without one: an empty text. The value is the text, unless it is a file's.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-n LINE  Begin at this line.\n"
      "-p       Edit what the last %edit edited.\n"
      "-r       Accepted: the history always holds what was typed.\n"
      "-x       Do not run the text.") {
    gpa_session *s = m->s;
    const char *given;
    size_t n;
    bool previous = false, runs = true;
    long line = 0;
    edit_target t;
    gpa_str what, text;
    gpa_code rc = GPA_OK;
    for (int o; (o = magic_option(m, "prxn:", &given, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        if (o == 'p') previous = true;
        if (o == 'x') runs = false;
        if (o == 'n' && magic_number(m, given, n, 1, &line)) return vm_err(s->vm)->code;
    }
    if (!s->host.terminal)
        return magic_usage(m, "%%edit needs a terminal, which the editor runs in");
    target_init(&t);
    str_init(&what);
    str_init(&text);
    if (previous) { /* the text that it returned, else its source */
        str_printf(&what, "_%d", s->edited);
        value v = module_get_text_peek(s->vm, vm_main(s->vm), what.text);
        if (v.tag == V_UNSET) str_clear(&what), str_put(&what, s->edited_what.text);
    } else {
        str_putn(&what, m->args, m->n);
        str_clear(&s->edited_what);
        str_put(&s->edited_what, what.text);
    }
    if (!find_target(m, what.text, &t)) goto out;
    if (t.temporary) TRY(make_temporary(s, &t));
    if (line) t.line = line;
    s->edited = s->count;
    session_printf(s, false, "Editing... ");
    session_on_flush(s);
    TRY(run_editor(s, &t));
    if (!magic_read_file(t.path.text, &text)) {
        session_printf(s, false, "\n");
        TRY(vm_fail(s->vm, gpa_err_of_errno(errno), "[Errno %d] %s: '%s'", errno, strerror(errno),
                    t.path.text));
    }
    if (t.macro.len) {
        session_printf(s, false, "done.\n");
        TRY(redefine_macro(s, t.macro.text, &text));
        goto out;
    }
    if (strcmp(what.text, "pasted_block") == 0) {
        *out = v_str(s->vm, text.text, text.len);
        if (out->tag != V_UNSET) rc = module_set_text(s->vm, vm_main(s->vm), what.text, *out);
    }
    session_printf(s, false, runs ? "done. Executing edited code...\n" : "\n");
    if (!rc && runs) rc = run_edited(s, &t, &text);
    if (!rc && t.temporary && out->tag != V_STR) {
        *out = v_str(s->vm, text.text, text.len);
        if (out->tag == V_UNSET) rc = vm_err(s->vm)->code;
    }
out:
    target_free(&t);
    str_free(&what);
    str_free(&text);
    return rc;
}
MAGIC_ROW(ed, magic_edit, LINE, WORDS, "[-n LINE] [-p] [-r] [-x] [source]", "Alias for `%edit`.")

/* ---- pasted blocks ---- */

/* Runs a block, or assigns it to a name. */
static gpa_code use_block(magic_call *m, const char *name, size_t n_name, const gpa_str *block) {
    gpa_session *s = m->s;
    gpa_str clean, target;
    str_init(&clean);
    str_init(&target);
    str_putn(&target, name, n_name);
    transcript_clean(block->text, block->len,
                     n_name ? GPA_CLEAN_PROMPTS : GPA_CLEAN_PROMPTS | GPA_CLEAN_MARGIN, &clean);
    value text = v_str(s->vm, clean.text, clean.len);
    gpa_code rc =
        text.tag == V_UNSET
            ? vm_err(s->vm)->code
            : module_set_text(s->vm, vm_main(s->vm), n_name ? target.text : "pasted_block", text);
    if (!rc && n_name)
        session_printf(s, false, "Block assigned to '%s'\n", target.text);
    else if (!rc && clean.len)
        rc = magic_run_text(s, clean.text, clean.len);
    value_release(s->vm, text);
    str_free(&clean);
    str_free(&target);
    return rc;
}

static gpa_code rerun_block(magic_call *m) {
    gpa_session *s = m->s;
    value block = module_get_text_peek(s->vm, vm_main(s->vm), "pasted_block");
    if (block.tag == V_UNSET) return magic_usage(m, "No previous pasted block available");
    if (block.tag != V_STR)
        return magic_usage(m, "Variable 'pasted_block' is not a string, can't execute");
    value_retain(block);
    session_printf(s, false, "Re-executing '%.*s...' (%zu chars)\n",
                   (int)strcspn(block.str->text, "\n"), block.str->text, (size_t)block.str->size);
    gpa_code rc = magic_run_text(s, block.str->text, block.str->size);
    value_release(s->vm, block);
    return rc;
}

/* Reads lines until the sentinel or the end of input. */
static gpa_code read_block(gpa_session *s, const char *sentinel, bool quiet, gpa_str *block) {
    char *line = mem_new(LINE_ROOM);
    gpa_code rc = line ? GPA_OK : vm_no_memory(s->vm);
    if (!rc && !quiet)
        session_printf(s, false,
                       "Pasting code; enter '%s' alone on the line to stop or use Ctrl-D.\n",
                       sentinel);
    while (!rc) {
        gpa_code got = s->host.input
                           ? s->host.input(s->host.user, quiet ? "" : ":", false, line, LINE_ROOM)
                           : GPA_E_UNSUPPORTED;
        if (got == GPA_E_INTERRUPT) rc = vm_fail(s->vm, got, "%s", "");
        if (got == GPA_E_UNSUPPORTED)
            rc = vm_fail(s->vm, got, "%%cpaste: there is no input to read lines from");
        if (got == GPA_E_EOF) session_printf(s, false, "<EOF>\n");
        if (got || strcmp(line, sentinel) == 0) break;
        str_put(block, line);
        str_putc(block, '\n');
    }
    mem_free(line);
    return rc;
}

MAGIC(cpaste, LINE, WORDS, "[-q] [-r] [-s SENTINEL] [name]",
      "Read lines and run them as one cell.\n"
      "\n"
      "The lines end with `--` alone on one, or Ctrl-D. Prompts and a common\n"
      "indentation are removed. The text is also assigned to pasted_block; with a name\n"
      "it is only assigned to that.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-q           Quiet: no messages.\n"
      "-r           Run the last block again.\n"
      "-s SENTINEL  End at this line instead of --.") {
    const char *given;
    size_t n;
    bool again = false, quiet = false;
    gpa_str sentinel, block;
    str_init(&sentinel);
    str_init(&block);
    gpa_code rc = GPA_OK;
    for (int o; !rc && (o = magic_option(m, "rqs:", &given, &n));) {
        if (o < 0) rc = vm_err(m->s->vm)->code;
        if (o == 'r') again = true;
        if (o == 'q') quiet = true;
        if (o == 's') str_putn(&sentinel, given, n);
    }
    if (!sentinel.len) str_put(&sentinel, "--");
    if (!rc && again)
        rc = rerun_block(m);
    else if (!rc && !(rc = read_block(m->s, sentinel.text, quiet, &block)))
        rc = use_block(m, m->args, m->n, &block);
    str_free(&sentinel);
    str_free(&block);
    return rc;
}

/* The text of the clipboard, from the first of the programs that is there. False: none is. */
static bool read_clipboard(gpa_session *s, gpa_str *out, gpa_code *rc) {
    static const char *const commands[] = {"wl-paste --no-newline", "xclip -selection clipboard -o",
                                           "xsel --clipboard --output", "pbpaste"};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        int code = 0;
        gpa_str command;
        str_init(&command);
        str_printf(&command, "%s 2>/dev/null", commands[i]);
        str_clear(out);
        *rc = command.failed ? vm_no_memory(s->vm) : magic_output(s, command.text, out, &code);
        str_free(&command);
        if (*rc || code == 0) return !*rc;
    }
    return false;
}

MAGIC(paste, LINE, WORDS, "[-q] [-r] [name]",
      "Run the text of the clipboard as one cell.\n"
      "\n"
      "Prompts and a common indentation are removed. The text is also assigned to\n"
      "pasted_block; with a name it is only assigned to that. wl-paste, xclip, xsel or\n"
      "pbpaste reads the clipboard.\n"
      "\n"
      "Options\n"
      "-------\n"
      "-q    Quiet: do not print the text.\n"
      "-r    Run the last block again.") {
    gpa_session *s = m->s;
    const char *given;
    size_t n;
    bool again = false, quiet = false;
    gpa_code rc = GPA_OK;
    gpa_str block;
    for (int o; (o = magic_option(m, "rq", &given, &n));) {
        if (o < 0) return vm_err(s->vm)->code;
        if (o == 'r') again = true;
        if (o == 'q') quiet = true;
    }
    if (again) return rerun_block(m);
    str_init(&block);
    if (!read_clipboard(s, &block, &rc)) {
        if (!rc)
            rc = magic_usage(m,
                             "Could not get text from the clipboard: wl-paste, xclip or xsel "
                             "is needed");
    } else if (!block.len) {
        rc = magic_usage(m, "The clipboard appears to be empty");
    } else {
        if (!quiet)
            session_printf(s, false, "%s%s## -- End pasted text --\n", block.text,
                           block.text[block.len - 1] == '\n' ? "" : "\n");
        rc = use_block(m, m->args, m->n, &block);
    }
    str_free(&block);
    return rc;
}

/* ---- settings of the terminal ---- */

MAGIC(autoindent, LINE, WORDS, "", "Toggle the indentation of new lines at the prompt.") {
    gpa_session *s = m->s;
    if (!s->host.autoindent)
        return magic_usage(m, "%%autoindent: this front end indents by itself");
    session_printf(s, false, "Automatic indentation is: %s\n",
                   s->host.autoindent(s->host.user) ? "ON" : "OFF");
    return GPA_OK;
}

MAGIC(colors, LINE, WORDS, "theme",
      "Choose the colours of the prompt: nocolor, neutral, light or dark.\n"
      "\n"
      "IPython's names linux (dark) and lightbg (light) work too. GPA_THEME chooses\n"
      "them at the start.") {
    static const char names[] = "['nocolor', 'neutral', 'light', 'dark', 'linux', 'lightbg']";
    gpa_session *s = m->s;
    gpa_str name;
    gpa_code rc = GPA_OK;
    if (!s->host.theme) return magic_usage(m, "%%colors: this front end chooses its own colours");
    str_init(&name);
    if (!magic_word(m, &name))
        rc = magic_usage(m,
                         "%%colors: you must specify a color theme. See '%%colors?'. Available "
                         "themes: %s",
                         names);
    else if (!s->host.theme(s->host.user, name.text))
        rc = magic_usage(m, "Unrecognized theme: '%s'. Available themes: %s", name.text, names);
    str_free(&name);
    return rc;
}
