/* Magics about CPython: %python, %%python. */
#include "lang/session/magic.h"
#include "lang/vm/foreign.h"

MAGIC(
    python, BOTH, WORDS, "%python [PATH]",
    "Show or choose the Python whose libraries `import` finds.\n"
    "\n"
    "Modules that gpa does not have are imported from CPython, which runs in this process. It is\n"
    "loaded by the first import that needs it: the interpreter named here, or by GPA_PYTHON, else\n"
    "that of the active environment (VIRTUAL_ENV, CONDA_PREFIX), else python3 on PATH.\n"
    "\n"
    "%python           the interpreter that is, or would be, loaded\n"
    "%python PATH      choose an interpreter, or an environment's folder, before the first import\n"
    "%%python          run the cell in CPython, in a namespace of its own that cells share;\n"
    "                  its last expression is displayed") {
    gpa_vm *vm = m->s->vm;
    gpa_str word;
    if (m->body) return foreign.run(vm, m->body, m->n_body, out);
    str_init(&word);
    gpa_code rc = GPA_OK;
    if (magic_word(m, &word)) rc = foreign.choose(vm, word.text);
    str_free(&word);
    if (!rc && m->failed) rc = vm_no_memory(vm);
    if (rc) return rc;
    gpa_str text;
    str_init(&text);
    rc = foreign.describe(vm, &text);
    if (!rc) rc = vm_write(vm, false, text.text, text.len);
    str_free(&text);
    return rc;
}
