/* Modules: variables in slots, found by name through a hash table.
 *
 * Compiled code addresses a variable by its slot, which never changes. */
#ifndef GPA_OBJECT_MODULE_H
#define GPA_OBJECT_MODULE_H

#include "lang/object/core.h"

/* A module's variables. */
typedef struct module_obj {
    obj head;
    gpa_sym name;
    bool builtin;   /* a table of natives; not writable by programs */
    bool library;   /* its loops leave arrays pending */
    bool hidden;    /* its frames are omitted from tracebacks */
    bool temporary; /* made by exec() for a dict, and nothing else uses it: it ends with the dict */
    uint32_t n, cap; /* slots */
    gpa_sym *names;  /* of each slot, in order of first use */
    value *slots;    /* UNSET: not defined (deleted, or only read so far) */
    value *builtins; /* of each slot: the cached built-in of that name, borrowed; else UNSET */
    uint32_t *index; /* hash of names: slot + 1 */
    uint32_t n_index;
    value doc;
    struct module_obj *globals; /* of exec() with locals: searched before built-in names; or NULL */
    struct dict_obj *dict;      /* what globals() returned (not owned); NULL: it is not in use */
    struct module_obj *next, **link; /* in the vm's list, and what points to it there */
    gpa_vm *vm;
} module_obj;

/* The slot of a variable, created if new. -1: no memory (the error is set). */
int32_t module_slot(gpa_vm *vm, module_obj *m, gpa_sym name);
/* The slot of a variable, or -1. */
int32_t module_find(const module_obj *m, gpa_sym name);
/* The value of a variable, borrowed; UNSET when not defined. No fallback to built-in names. */
value module_get_peek(const module_obj *m, gpa_sym name);
value module_get_text_peek(gpa_vm *vm, const module_obj *m, const char *name);
/* Sets (retains) or with UNSET deletes a variable. */
gpa_code module_set(gpa_vm *vm, module_obj *m, gpa_sym name, value v);
gpa_code module_set_text(gpa_vm *vm, module_obj *m, const char *name, value v);
/* Makes a dict that of the module's variables, and its entries with names variables: from now on
 * both change together. */
gpa_code module_bind_dict(gpa_vm *vm, module_obj *m, dict_obj *d);
/* The entries of m->dict as the variables are now. Out of memory, some stay as they were. */
gpa_code module_update_dict(const module_obj *m);
/* Called for what refers to the module from now on: the module, and the one that it reads globals
 * from, live as long as the vm. */
void module_keep(module_obj *m);
/* Deletes all variables. */
void module_clear(gpa_vm *vm, module_obj *m);
void module_free(gpa_vm *vm, module_obj *m);

#endif
