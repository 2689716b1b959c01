/* The interface to the interpreter of another language in the process: CPython (lang/python/).
 *
 * Its objects are OBJECT values whose kind says `foreign`. */
#ifndef GPA_VM_FOREIGN_H
#define GPA_VM_FOREIGN_H

#include "lang/comm.h"
#include "lang/object/kind.h"
#include "lang/syntax/ast.h"

/* Facts about an object; empty: unknown. The signature without the name. */
enum { FOREIGN_SIGNATURE, FOREIGN_TYPE, FOREIGN_FILE, FOREIGN_SOURCE, FOREIGN_FACTS };

typedef struct {
    /* A module by its dotted name, imported. ModuleNotFoundError if the interpreter or the module
     * is missing. */
    gpa_code (*import)(gpa_vm *vm, const char *name, value *out);
    /* True if the language has a top-level module, which is not imported. */
    bool (*has)(gpa_vm *vm, const char *module);
    /* `from module import name`, of a module of the language: *out UNSET if there is no such name.
     */
    gpa_code (*import_name)(gpa_vm *vm, value module, const char *name, value *out);
    /* The names that `from module import *` binds: a list of str. */
    gpa_code (*names)(gpa_vm *vm, value module, value *out);
    /* a op b and a op= b, with at least one foreign operand, and op a. */
    gpa_code (*binary)(gpa_vm *vm, ast_op op, value a, value b, value *out);
    gpa_code (*update)(gpa_vm *vm, ast_op op, value a, value b, value *out);
    gpa_code (*unary)(gpa_vm *vm, ast_op op, value a, value *out);
    gpa_code (*abs)(gpa_vm *vm, value v, value *out);
    /* The next item of an iterator. */
    gpa_code (*next)(gpa_vm *vm, value v, value *out, bool *done);
    gpa_code (*format)(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out);
    /* The type of a foreign object or exception; isinstance, with a foreign object or type;
     * issubclass of a foreign type. */
    gpa_code (*type)(gpa_vm *vm, value v, value *out);
    gpa_code (*is_instance)(gpa_vm *vm, value v, value type, bool *out);
    gpa_code (*is_subclass)(gpa_vm *vm, value type, value of, bool *out);
    /* The class of a class statement with a foreign base, from its members (a dict); super(class,
     * self) of such a class. */
    gpa_code (*derive)(gpa_vm *vm, const char *name, value bases, value members, value *out);
    gpa_code (*super)(gpa_vm *vm, value class, value self, value *out);
    /* The exception that `raise v` raises for a foreign exception or exception class; UNSET: v is
     * neither. */
    gpa_code (*exception)(gpa_vm *vm, value v, value *out);
    bool (*callable)(gpa_vm *vm, value v);
    /* True if its type overrides NumPy's ufuncs (__array_ufunc__). */
    bool (*overrides)(value v);
    /* True if the object overrides NumPy's function of that name
     * (__array_function__, and methods that the function calls). */
    bool (*takes_over)(gpa_vm *vm, value v, const char *function);
    /* The object as an array (NumPy's asarray). */
    gpa_code (*array)(gpa_vm *vm, value v, value *out);
    /* Its attributes' names, for dir() and completion. */
    gpa_code (*dir)(gpa_vm *vm, value v, void (*each)(void *user, const char *name, value v),
                    void *user);
    /* The facts about an object, for inspection. */
    gpa_code (*inspect)(gpa_vm *vm, value v, gpa_str facts[FOREIGN_FACTS]);
    /* %python: selects the interpreter before it is loaded; describes the interpreter that is or
     * would be loaded; runs a cell in it and returns the value of its last expression. */
    gpa_code (*choose)(gpa_vm *vm, const char *path);
    gpa_code (*describe)(gpa_vm *vm, gpa_str *out);
    /* The path of that interpreter. GPA_E_RUNTIME with a sentence if there is none. */
    gpa_code (*executable)(gpa_vm *vm, gpa_str *out);
    gpa_code (*run)(gpa_vm *vm, const char *text, size_t n, value *out);
    /* %prun: begins to profile the language's functions; ends it, and *out (may be NULL) gets a
     * table, sorted by "time" or "calls", empty if none ran. Nothing if the language is not
     * loaded at the beginning. */
    gpa_code (*profile)(gpa_vm *vm);
    gpa_code (*end_profile)(gpa_vm *vm, const char *order, gpa_str *out);
    /* Displays the open figures of the language's plotting library and closes them. */
    gpa_code (*show_figures)(gpa_vm *vm);
    /* Delivers a message of a comm. GPA_E_UNSUPPORTED, without an error of the vm: nothing that
     * uses comms is loaded. */
    gpa_code (*comm)(gpa_vm *vm, const gpa_comm *m);
    /* Chooses the backend of the plotting library by name; "inline" displays figures. */
    gpa_code (*use_plotting)(gpa_vm *vm, const char *backend);
    /* At the end of the program: waits for the language's threads and runs its exit functions. */
    void (*finish)(gpa_vm *vm);
    /* Called when the vm is freed. */
    void (*free)(gpa_vm *vm);
} foreign_language;

/* Defined in lang/python/bridge.c. */
extern const foreign_language foreign;

static inline bool is_foreign(value v) { return v.tag == V_OBJECT && v.object->kind->foreign; }

#endif
