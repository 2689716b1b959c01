/* Magics that list magics or configure output: %lsmagic, %magic, %quickref, %precision, %config,
 * %xmode, %matplotlib, %%html ... */
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "lang/format/format.h"
#include "lang/session/magic.h"
#include "lang/vm/foreign.h"

/* ---- lists ---- */

static void put_list(const char *title, const char *mark, magic_kinds kinds, gpa_str *out) {
    const char *between = "";
    str_printf(out, "%s\n", title);
    for (const magic *const *row = magic_rows; *row; row++) {
        if (!((*row)->kinds & kinds)) continue;
        str_printf(out, "%s%s%s", between, mark, (*row)->name);
        between = "  ";
    }
    str_putc(out, '\n');
}

static void put_automagic(const gpa_session *s, gpa_str *out) {
    str_put(out, s->no_automagic ? "Automagic is OFF, % prefix IS needed for line magics.\n"
                                 : "Automagic is ON, % prefix IS NOT needed for line magics.\n");
}

MAGIC(automagic, LINE, WORDS, "[on | off]",
      "Make magic functions callable without the initial %.\n"
      "\n"
      "Without an argument, toggles. A variable of the same name takes precedence.") {
    gpa_str text;
    if (magic_take(m, "on") || magic_take(m, "1") || magic_take(m, "True"))
        m->s->no_automagic = false;
    else if (magic_take(m, "off") || magic_take(m, "0") || magic_take(m, "False"))
        m->s->no_automagic = true;
    else
        m->s->no_automagic = !m->s->no_automagic;
    str_init(&text);
    str_putc(&text, '\n');
    put_automagic(m->s, &text);
    session_write(m->s, false, text.text, text.len);
    str_free(&text);
    return GPA_OK;
}

MAGIC(lsmagic, LINE, WORDS, "", "List the available magic functions.") {
    gpa_str text;
    str_init(&text);
    put_list("Available line magics:", "%", MAGIC_LINE, &text);
    put_list("\nAvailable cell magics:", "%%", MAGIC_CELL, &text);
    str_putc(&text, '\n');
    put_automagic(m->s, &text);
    session_write(m->s, false, text.text, text.len);
    str_free(&text);
    return GPA_OK;
}

static const char *prefix_of(const magic *row) { return row->kinds & MAGIC_LINE ? "%" : "%%"; }

/* "%name usage", and the docstring below it, indented. */
static void put_magic(const magic *row, gpa_str *out) {
    str_printf(out, "\n%s%s %s\n", prefix_of(row), row->name, row->usage);
    for (const char *line = row->doc; *line;) {
        size_t n = strcspn(line, "\n");
        str_printf(out, n ? "    %.*s\n" : "\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

MAGIC(magic, LINE, WORDS, "", "Print the documentation of all magic functions.") {
    gpa_str text;
    str_init(&text);
    str_put(&text,
            "Lines that begin with % are magics: commands to the session, in the prompt, in "
            "notebooks and in .gpa files.\n"
            "One % takes the rest of its line, two take the lines below as well. `%name?` tells "
            "more about one.\n");
    for (const magic *const *row = magic_rows; *row; row++) put_magic(*row, &text);
    gpa_repr r = {"text/plain", text.text, text.len, NULL};
    session_page(m->s, &r, 1);
    str_free(&text);
    return GPA_OK;
}

MAGIC(quickref, LINE, WORDS, "", "Show a quick reference sheet: magics, shell commands, help.") {
    static const char head[] =
        "gpa -- quick reference\n"
        "======================\n"
        "obj?, obj??      Help, and more help on an object (also ?obj, ??obj).\n"
        "np.*cos*?        Names that fit.\n"
        "!cmd             Run a command in the system's shell; {expression} and $name are "
        "replaced.\n"
        "x = !cmd, !!cmd  Its output as a list of lines.\n"
        "_, __, ___, _n   The last values, the value of cell n (also Out[n]).\n"
        "_i, _ii, _iii, _in  The last inputs, that of cell n (also In[n]).\n"
        "expression;      A value that is not shown.\n"
        "%magic           A magic on a line; %%magic one on a cell. Each one in a line:\n\n";
    gpa_str text;
    str_init(&text);
    str_put(&text, head);
    for (const magic *const *row = magic_rows; *row; row++)
        str_printf(&text, "%s%s:\n    %.*s\n", prefix_of(*row), (*row)->name,
                   (int)strcspn((*row)->doc, "\n"), (*row)->doc);
    gpa_repr r = {"text/plain", text.text, text.len, NULL};
    session_page(m->s, &r, 1);
    str_free(&text);
    return GPA_OK;
}

/* ---- %precision ---- */

/* numpy.set_printoptions(precision=digits). */
static gpa_code set_array_precision(gpa_session *s, int64_t digits) {
    module_obj *np;
    gpa_code rc = vm_import(s->vm, "numpy", &np);
    value set = rc ? v_unset() : module_get_text_peek(s->vm, np, "set_printoptions"),
          name = v_cstr(s->vm, "precision"), arg = v_int(digits), none = v_none();
    if (!rc && name.tag == V_UNSET) rc = vm_err(s->vm)->code;
    if (!rc && set.tag != V_UNSET) rc = vm_call(s->vm, set, &(call_args){0, 1, &arg, &name}, &none);
    value_release(s->vm, name);
    return rc;
}

/* The format of an argument: "%.3f" from "3", "%e" unchanged; "" for none. */
static gpa_code read_format(magic_call *m, char *format, size_t n, long *digits) {
    *digits = -1;
    format[0] = 0;
    if (!m->n) return GPA_OK;
    gpa_code bad = GPA_OK;
    if (memchr(m->args, '%', m->n)) {
        gpa_str text;
        value v = v_float(3.14159), f = v_str(m->s->vm, m->args, m->n);
        str_init(&text);
        bad = f.tag == V_UNSET ? vm_err(m->s->vm)->code : format_percent(m->s->vm, f.str, v, &text);
        str_free(&text);
        value_release(m->s->vm, f);
        if (!bad && m->n < n) {
            memcpy(format, m->args, m->n);
            format[m->n] = 0;
            return GPA_OK;
        }
        vm_clear_error(m->s->vm);
    } else {
        char copy[16], *end = copy;
        snprintf(copy, sizeof copy, "%.*s", (int)MIN(m->n, sizeof copy - 1), m->args);
        *digits = strtol(copy, &end, 10);
        bad = end == copy || *end;
        if (!bad && *digits < 0)
            return vm_fail(m->s->vm, GPA_E_VALUE, "int precision must be non-negative, not %ld",
                           *digits);
        if (!bad) snprintf(format, n, "%%.%ldf", *digits);
        if (!bad) return GPA_OK;
    }
    return vm_fail(m->s->vm, GPA_E_VALUE, "Precision must be int or format string, not '%.*s'",
                   (int)MIN(m->n, 80), m->args);
}

MAGIC(precision, LINE, WORDS, "[digits | format]",
      "Set the precision of displayed floats.\n"
      "\n"
      "The argument is a number of digits or a format such as %.3e. Without one, the\n"
      "default is restored.") {
    enum { NUMPY_DIGITS = 8 };
    char format[sizeof m->s->float_format];
    long digits;
    gpa_code rc = read_format(m, format, sizeof format, &digits);
    if (rc) return rc;
    if (!format[0] || digits >= 0)
        rc = set_array_precision(m->s, format[0] ? digits : NUMPY_DIGITS);
    if (rc) return rc;
    memcpy(m->s->float_format, format, sizeof format);
    *out = v_cstr(m->s->vm, format[0] ? format : "%r");
    return out->tag == V_UNSET ? vm_err(m->s->vm)->code : GPA_OK;
}

/* ---- %config ---- */

/* The settings, grouped by class. */
static const struct {
    const char *class, *trait, *doc;
    size_t at; /* of its text, in gpa_session */
} settings[] = {
    {"InlineBackend", "close_figures", "False: figures stay open at the end of a cell",
     offsetof(gpa_session, settings.figures.close)},
    {"InlineBackend", "figure_format",
     "'png', 'retina', 'svg', 'jpeg' or 'pdf': how figures are shown",
     offsetof(gpa_session, settings.figures.format)},
    {"InlineBackend", "figure_formats", "a set of formats, as {'png', 'svg'}",
     offsetof(gpa_session, settings.figures.format)},
    {"InlineBackend", "print_figure_kwargs",
     "a dict of arguments of matplotlib's print_figure, as {'bbox_inches': None}",
     offsetof(gpa_session, settings.figures.options)},
    {"Session", "out_share", "the share of the device's memory that arrays in Out may hold",
     offsetof(gpa_session, settings.out_share)},
};

static gpa_str *text_of(gpa_session *s, size_t i) {
    return (gpa_str *)((char *)s + settings[i].at);
}

/* The text of a setting, or NULL. */
static gpa_str *find_setting(gpa_session *s, const char *class, const char *trait) {
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        if (strcmp(class, settings[i].class) == 0 && strcmp(trait, settings[i].trait) == 0)
            return text_of(s, i);
    return NULL;
}

static bool is_class(const char *name) {
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        if (strcmp(name, settings[i].class) == 0) return true;
    return false;
}

static void list_settings(gpa_session *s, const char *class) {
    session_printf(s, false, "%s options\n", class);
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        const gpa_str *text = text_of(s, i);
        if (strcmp(class, settings[i].class) != 0) continue;
        session_printf(s, false, "%s.%s=<%s>\n    %s\n", class, settings[i].trait,
                       text->len ? text->text : "default", settings[i].doc);
    }
}

static void list_classes(gpa_session *s) {
    session_printf(s, false, "Available objects for config:\n");
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        if (!i || strcmp(settings[i].class, settings[i - 1].class) != 0)
            session_printf(s, false, "    %s\n", settings[i].class);
}

/* Fails if a name in the setting of a figure's formats is none of them. */
static gpa_code check_formats(gpa_session *s, const char *setting) {
    static const char *const formats[] = {"jpeg", "jpg", "pdf", "png", "png2x", "retina", "svg"};
    for (const char *at = setting; *at;) {
        size_t n = 0, i = 0;
        while (inspect_is_name(at[n])) n++;
        while (n && i < COUNT_OF(formats) &&
               !(strlen(formats[i]) == n && memcmp(at, formats[i], n) == 0))
            i++;
        if (i == COUNT_OF(formats))
            return vm_fail(s->vm, GPA_E_VALUE,
                           "supported formats are: 'jpeg', 'jpg', 'pdf', 'png', 'png2x', 'retina', "
                           "'svg' not '%.*s'",
                           (int)MIN(n, 80), at);
        at += n ? n : 1;
    }
    return GPA_OK;
}

MAGIC(config, LINE, CODE, "[Class[.trait[ = value]]]", "List, show or change settings.") {
    gpa_session *s = m->s;
    char object[64], trait[64];
    if (!m->n) {
        list_classes(s);
        return GPA_OK;
    }
    size_t dot = 0, end;
    while (dot < m->n && m->args[dot] != '.' && m->args[dot] != '=') dot++;
    for (end = dot; end < m->n && m->args[end] != '=';) end++;
    snprintf(object, sizeof object, "%.*s", (int)MIN(dot, sizeof object - 1), m->args);
    size_t n = end > dot ? end - dot - 1 : 0;
    while (n && m->args[dot + n] == ' ') n--;
    snprintf(trait, sizeof trait, "%.*s", (int)MIN(n, sizeof trait - 1), m->args + dot + 1);
    if (dot == m->n && is_class(object)) {
        list_settings(s, object);
        return GPA_OK;
    }
    gpa_str *to = find_setting(s, object, trait);
    if (!to && (dot == m->n || !is_class(object)))
        return magic_usage(m, "Invalid config statement: '%.*s', should be `Class.trait = value`.",
                           (int)MIN(m->n, 200), m->args);
    if (!to)
        return vm_fail(s->vm, GPA_E_ATTRIBUTE, "'%s' object has no attribute '%s'", object, trait);
    if (end == m->n) {
        *out = v_cstr(s->vm, to->len ? to->text : "");
        return out->tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    }
    value v = v_unset();
    size_t at = end + 1;
    gpa_code rc = magic_eval(m, m->args + at + strspn(m->args + at, " "),
                             m->n - at - strspn(m->args + at, " "), &v);
    gpa_str text;
    str_init(&text);
    if (!rc && v.tag != V_UNSET) rc = vm_str(s->vm, v, &text);
    if (!rc && to == &s->settings.figures.format) rc = check_formats(s, text.text);
    if (!rc) str_clear(to), str_putn(to, text.text, text.len);
    str_free(&text);
    if (v.tag != V_UNSET) value_release(s->vm, v);
    return rc;
}

/* ---- %xmode ---- */

MAGIC(xmode, LINE, WORDS, "[Plain | Context | Verbose | Minimal]",
      "Switch the mode of error reports.\n"
      "\n"
      "Context, the default, begins with the error and its location; its callers follow.\n"
      "Plain is Python's traceback: callers first, the error last. Verbose adds the\n"
      "variables of the functions to Context, Minimal reports the error alone. Without\n"
      "an argument: the next mode.") {
    static const char *const modes[] = {[ERRORS_PLAIN] = "Plain",
                                        [ERRORS_CONTEXT] = "Context",
                                        [ERRORS_VERBOSE] = "Verbose",
                                        [ERRORS_MINIMAL] = "Minimal"};
    size_t i = m->n ? 0 : (m->s->errors + 1U) % COUNT_OF(modes);
    while (m->n && i < COUNT_OF(modes) &&
           !(strlen(modes[i]) == m->n && strncasecmp(modes[i], m->args, m->n) == 0))
        i++;
    if (i == COUNT_OF(modes))
        return magic_usage(
            m, "Unrecognized mode: <%.*s>\nValid modes: ['Plain', 'Context', 'Verbose', 'Minimal']",
            (int)MIN(m->n, 80), m->args);
    m->s->errors = (error_mode)i;
    session_printf(m->s, false, "Exception reporting mode: %s\n", modes[i]);
    return GPA_OK;
}

MAGIC(pprint, LINE, WORDS, "", "Toggle pretty printing: containers on several lines or on one.") {
    m->s->flat = !m->s->flat;
    session_printf(m->s, false, "Pretty printing has been turned %s\n", m->s->flat ? "OFF" : "ON");
    return GPA_OK;
}

/* ---- magics accepted without effect ---- */

/* autoreload is the one known extension: its magics are accepted and have no effect. */
MAGIC(load_ext, LINE, WORDS, "name",
      "Accepted for autoreload, for IPython's notebooks; there are no other extensions.") {
    if (!m->n) return magic_usage(m, "Missing module name.");
    if (magic_take(m, "autoreload")) return GPA_OK;
    return vm_fail(m->s->vm, GPA_E_NO_MODULE, "No module named '%.*s'", (int)MIN(m->n, 200),
                   m->args);
}
MAGIC_ROW(reload_ext, magic_load_ext, LINE, WORDS, "name", "Alias for `%load_ext`.")

MAGIC(autoreload, LINE, WORDS, "[mode]",
      "Accepted for IPython's notebooks, without effect.\n"
      "\n"
      "An imported .gpa file is read again after %restart.") {
    return GPA_OK;
}

MAGIC(pylab, LINE, WORDS, "[backend]", "Import all names of numpy and matplotlib.pyplot.") {
    static const char code[] =
        "import numpy\nimport numpy as np\nimport matplotlib\nimport matplotlib.pyplot as plt\n"
        "from numpy import *\nfrom matplotlib.pyplot import *";
    value last = v_unset();
    gpa_code rc = magic_eval(m, code, sizeof code - 1, &last);
    if (last.tag != V_UNSET) value_release(m->s->vm, last);
    if (!rc)
        session_printf(m->s, false,
                       "Populating the interactive namespace from numpy and matplotlib\n");
    return rc;
}

MAGIC(matplotlib, LINE, WORDS, "[--list | backend]",
      "Choose how matplotlib's figures are displayed.\n"
      "\n"
      "'inline', the default, displays them at the end of a cell. 'agg', 'pdf', 'ps', 'svg' and\n"
      "'cairo' only save them. There are no windows: gpa runs no event loop of a toolkit.") {
    static const char *const saving[] = {"agg", "cairo", "pdf", "ps", "svg", "template"};
    if (magic_take(m, "--list") || magic_take(m, "-l")) {
        session_printf(m->s, false,
                       "Available matplotlib backends: ['agg', 'cairo', 'inline', 'pdf', 'ps', "
                       "'svg', 'template']\n");
        return GPA_OK;
    }
    if (!m->n) session_printf(m->s, false, "Using matplotlib backend: inline\n");
    if (!m->n || magic_take(m, "inline")) return foreign.use_plotting(m->s->vm, "inline");
    for (size_t i = 0; i < COUNT_OF(saving); i++)
        if (magic_take(m, saving[i])) return foreign.use_plotting(m->s->vm, saving[i]);
    return vm_fail(m->s->vm, GPA_E_UNSUPPORTED,
                   "%%matplotlib %.*s: gpa opens no windows; it displays figures inline",
                   (int)MIN(m->n, 40), m->args);
}

/* ---- cells displayed as a MIME type ---- */

static gpa_code show_body(magic_call *m, const char *mime, const char *kind) {
    gpa_str plain;
    str_init(&plain);
    str_printf(&plain, "<%s object>", kind);
    gpa_repr r[] = {{"text/plain", plain.text, plain.len, NULL}, {mime, m->body, m->n_body, NULL}};
    if (!plain.failed) session_show(m->s, r, COUNT_OF(r), NULL, false);
    str_free(&plain);
    return GPA_OK;
}

MAGIC(html, CELL, CODE, "", "Render the cell as HTML.") {
    return show_body(m, "text/html", "HTML");
}
MAGIC(svg, CELL, CODE, "", "Render the cell as an SVG picture.") {
    return show_body(m, "image/svg+xml", "SVG");
}
MAGIC(latex, CELL, CODE, "", "Render the cell as LaTeX.") {
    return show_body(m, "text/latex", "Latex");
}
MAGIC(markdown, CELL, CODE, "", "Render the cell as Markdown.") {
    return show_body(m, "text/markdown", "Markdown");
}
MAGIC(javascript, CELL, CODE, "", "Run the cell as JavaScript in the browser.") {
    return show_body(m, "application/javascript", "Javascript");
}
MAGIC_ROW(js, magic_javascript, CELL, CODE, "", "Alias for `%%javascript`.")
