/* %%capture: runs a cell and keeps its output and displays. */
#include "lang/vm/kinds.h"
#include "lang/session/magic.h"

/* ---- the captured output ---- */

enum { F_STDOUT, F_STDERR, F_OUTPUTS, F_COUNT };

static gpa_code captured_show(gpa_vm *vm, object_obj *o) {
    const value *f = o->fields;
    gpa_code rc = vm_write(vm, false, f[F_STDOUT].str->text, f[F_STDOUT].str->size);
    if (!rc) rc = vm_write(vm, true, f[F_STDERR].str->text, f[F_STDERR].str->size);
    for (size_t i = 0; i < f[F_OUTPUTS].list->count && !rc; i++)
        rc = vm_display(vm, f[F_OUTPUTS].list->items[i], NULL, false);
    return rc;
}

static gpa_code show_method(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    return captured_show(vm, argv[0].object);
}

static const native show_row = {
    "RichOutput",   "show", show_method, "self, /", "Writes and shows again what was captured.",
    NATIVE_FUNCTION};

static gpa_code captured_attr(gpa_vm *vm, object_obj *o, const char *name, value *out) {
    static const char *const names[F_COUNT] = {"stdout", "stderr", "outputs"};
    *out = v_unset();
    for (int i = 0; i < F_COUNT; i++)
        if (strcmp(names[i], name) == 0) *out = value_retain(o->fields[i]);
    if (strcmp(name, "show") != 0) return GPA_OK;
    *out = v_method(vm, v_obj(V_OBJECT, o), (value){.tag = V_NATIVE, .native = &show_row});
    return out->tag == V_UNSET ? vm_err(vm)->code : GPA_OK;
}

static gpa_code captured_repr(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_printf(out, "<CapturedIO: %u bytes of stdout, %u of stderr, %zu outputs>",
               o->fields[F_STDOUT].str->size, o->fields[F_STDERR].str->size,
               o->fields[F_OUTPUTS].list->count);
    return GPA_OK;
}

/* str() and print() give the captured text. */
static gpa_code captured_str(gpa_vm *vm, object_obj *o, gpa_str *out) {
    (void)vm;
    str_putn(out, o->fields[F_STDOUT].str->text, o->fields[F_STDOUT].str->size);
    return GPA_OK;
}

/* captured() shows it again. */
static gpa_code captured_call(gpa_vm *vm, object_obj *o, const call_args *a, value *out) {
    if (a->n + a->n_named)
        return vm_fail(vm, GPA_E_TYPE,
                       "CapturedIO.show() takes 1 positional argument but %zu were given",
                       1 + a->n + a->n_named);
    return show_method(vm, (value[]){v_obj(V_OBJECT, o)}, out);
}

const object_kind captured_kind = {.type_name = "CapturedIO",
                                   .repr = captured_repr,
                                   .str = captured_str,
                                   .call = captured_call,
                                   .attr = captured_attr};

/* ---- the magic ---- */

static gpa_code keep(gpa_session *s, const capture *c, const gpa_str *name) {
    value v = v_object(s->vm, &captured_kind, F_COUNT);
    value out = v_str(s->vm, c->out.text ? c->out.text : "", c->out.len),
          err = v_str(s->vm, c->err.text ? c->err.text : "", c->err.len);
    gpa_code rc =
        v.tag == V_UNSET || out.tag == V_UNSET || err.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    if (rc) {
        value_release(s->vm, out);
        value_release(s->vm, err);
    } else {
        v.object->fields[F_STDOUT] = out;
        v.object->fields[F_STDERR] = err;
        v.object->fields[F_OUTPUTS] = value_retain(c->shown);
        rc = module_set_text(s->vm, session_scope(s), name->text, v);
    }
    value_release(s->vm, v);
    return rc;
}

/* The value of the last expression is one of the outputs. */
static gpa_code run_captured(magic_call *m, capture *c) {
    gpa_session *s = m->s;
    value last = v_unset();
    c->outer = s->capture;
    s->capture = c;
    gpa_code rc = magic_eval(m, m->body, m->n_body, &last);
    if (!rc && last.tag != V_UNSET && last.tag != V_NONE)
        rc = session_on_display(s, last, NULL, false);
    if (!rc) rc = rt_flush(s->rt, vm_err(s->vm));
    s->capture = c->outer;
    if (last.tag != V_UNSET) value_release(s->vm, last);
    return rc;
}

MAGIC(capture, CELL, WORDS, "[--no-stdout] [--no-stderr] [--no-display] [name]",
      "Run the cell and capture stdout, stderr and display() calls.\n"
      "\n"
      "The variable `name` gets an object with the attributes stdout, stderr and\n"
      "outputs, whose method show() displays them.\n"
      "\n"
      "Options\n"
      "-------\n"
      "--no-stdout   Do not capture stdout.\n"
      "--no-stderr   Do not capture stderr.\n"
      "--no-display  Do not capture display() calls.") {
    gpa_session *s = m->s;
    gpa_str word, name;
    capture c = {
        .take_out = true, .take_err = true, .take_shown = true, .shown = v_list(s->vm, 0, NULL)};
    gpa_code rc = c.shown.tag == V_UNSET ? vm_err(s->vm)->code : GPA_OK;
    str_init(&word);
    str_init(&name);
    str_init(&c.out);
    str_init(&c.err);
    while (!rc && magic_word(m, &word)) {
        if (strcmp(word.text, "--no-stdout") == 0)
            c.take_out = false;
        else if (strcmp(word.text, "--no-stderr") == 0)
            c.take_err = false;
        else if (strcmp(word.text, "--no-display") == 0)
            c.take_shown = false;
        else if (word.text[0] == '-' || name.len)
            rc = magic_usage(m, "unrecognized arguments: %s", word.text);
        else
            str_put(&name, word.text);
    }
    if (!rc) rc = run_captured(m, &c);
    if (!rc && name.len) rc = keep(s, &c, &name);
    if (rc)
        session_write(s, true, c.err.text, c.err.len); /* the output before the error is shown */
    value_release(s->vm, c.shown);
    str_free(&c.out);
    str_free(&c.err);
    str_free(&word);
    str_free(&name);
    return rc;
}
