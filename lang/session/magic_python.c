/* Magics about CPython: %python, %%python, %pip, %conda. */
#include "lang/session/magic.h"
#include "lang/vm/foreign.h"

MAGIC(python, BOTH, WORDS, "[path]",
      "Show or choose the Python whose modules are imported.\n"
      "\n"
      "Modules that gpa does not have are imported from CPython, in this process. The\n"
      "first import that needs it loads it: the interpreter named here, or by GPA_PYTHON,\n"
      "else the active environment's (VIRTUAL_ENV, CONDA_PREFIX), else that of the\n"
      "environment that gpa is installed in, else python3 on PATH.\n"
      "\n"
      "%python           the interpreter that is, or would be, loaded\n"
      "%python path      before the first import: use this executable or environment\n"
      "%%python          run the cell in CPython, whose last expression is displayed;\n"
      "                  cells share the names of Python's module __main__") {
    gpa_vm *vm = m->s->vm;
    gpa_str text;
    if (m->body) return foreign.run(vm, m->body, m->n_body, out);
    str_init(&text);
    gpa_code rc = magic_word(m, &text) ? foreign.choose(vm, text.text) : GPA_OK;
    if (!rc && m->failed) rc = vm_no_memory(vm);
    str_truncate(&text, 0);
    if (!rc) rc = foreign.describe(vm, &text);
    if (!rc) rc = vm_write(vm, false, text.text, text.len);
    str_free(&text);
    return rc;
}

/* Runs a program with the magic's arguments; the executable's path is quoted for the shell. */
static gpa_code run_program(magic_call *m, const char *executable, const char *with, value *out) {
    gpa_str command;
    str_init(&command);
    str_printf(&command, "'%s'%s %.*s", executable, with, (int)m->n, m->args);
    gpa_code rc = command.failed ? vm_no_memory(m->s->vm)
                                 : magic_system(m->s, command.text, command.len, false, out);
    str_free(&command);
    return rc;
}

MAGIC(pip, LINE, CODE, "[arguments]",
      "Run pip of the Python whose modules are imported (%python): %pip install tqdm.") {
    gpa_str executable;
    str_init(&executable);
    gpa_code rc = foreign.executable(m->s->vm, &executable);
    if (!rc) rc = run_program(m, executable.text, " -m pip", out);
    str_free(&executable);
    return rc;
}

MAGIC(conda, LINE, CODE, "[arguments]", "Run conda.") { return run_program(m, "conda", "", out); }
