/* How native code takes part in the language: the vm's services, and the tables of built-in
 * functions.
 *
 * A built-in is one row of a .def table under lang/builtin/:
 *
 *   FN(OWNER, "name", c_function, "signature", "doc")
 *
 * OWNER is a module (BUILTINS, MATH, NUMPY, ...) or a type (STR, LIST, ARRAY, ...: a method; its
 * first parameter is self). The signature is written as Python would print it ("a, axis=None, *,
 * keepdims=False", "*args", "x, /") and is the only description of the parameters: the call binds
 * positional, keyword and default arguments by it, with CPython's error texts, and completion and
 * help show it. Defaults may be None, True, False, numbers, strings, `...` and `<unset>` (the
 * argument arrives as UNSET). The function gets exactly one value per parameter, in order: *args as
 * a tuple, **kwargs as a dict.
 *
 *   PROP(TYPE, "name", c_getter, "doc")        an attribute: argv[0] is the object
 *   STATIC(TYPE, "name", c_function, "signature", "doc")   a method without self: dict.fromkeys
 *   CONST(MODULE, "name", value_expression, "doc")
 *
 * Calling a type calls the row "__new__" of its owner, with the type value as the first argument
 * ("cls, x=0, /"). lang/vm/native_table.h finds rows; lang/vm/owners.def lists the owners.
 */
#ifndef GPA_VM_NATIVE_H
#define GPA_VM_NATIVE_H

#include "lang/object/core.h"
#include "lang/object/kind.h"

/* argv is borrowed; *out is owned by the caller and starts as NONE. Errors go to vm_err. */
typedef gpa_code (*native_fn)(gpa_vm *vm, value *argv, value *out);

/* FUNCTION: called as it is (of a module, or STATIC). METHOD: argv[0] is self. PROPERTY: called by
 * looking it up. */
typedef enum { NATIVE_FUNCTION, NATIVE_METHOD, NATIVE_PROPERTY } native_kind;

typedef struct native {
    const char *owner; /* "numpy", "str" */
    const char *name;
    native_fn fn;
    const char *signature, *doc;
    uint8_t kind; /* native_kind */
} native;

/* A NumPy ufunc as a value: numpy.add. Rows follow op.def; users' ufuncs make their own. */
typedef struct ufunc {
    gpa_op op;
    const char *name;
} ufunc;
/* The ufunc named so ("add", "mod", "abs"), or NULL. The pointer lives as long as the program. */
const ufunc *ufunc_find(const char *name);
/* The ufunc of a row. */
const ufunc *ufunc_of(gpa_op op);

/* ---- services of the vm ---- */

/* Forgets the current error, and the exception object it may be already: how a native goes on after
 * a failure. */
void vm_clear_error(gpa_vm *vm);
/* After a failure: an error of the program that was recorded before it and not found yet takes its
 * place. Returns the code of the one that stands then. */
gpa_code vm_check_deferred(gpa_vm *vm);
/* Raises an exception with these arguments (KeyError('a') keeps the key). */
gpa_code vm_raise(gpa_vm *vm, gpa_code code, size_t n, const value *args);
/* Writes to the session's standard output or error. */
gpa_code vm_write(gpa_vm *vm, bool to_stderr, const char *text, size_t n);
/* What was written shall be seen now. */
void vm_flush(gpa_vm *vm);
/* A warning as Python prints it ("file:line: RuntimeWarning: ..."), once per place. */
gpa_code vm_warn(gpa_vm *vm, gpa_code category, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Shows a value as the front end shows results, under a name (NULL: none), or in the place of what
 * has that name. */
gpa_code vm_display(gpa_vm *vm, value v, const char *id, bool update);
/* Takes away what the cell has shown; `wait`: when there is something new. */
gpa_code vm_clear_output(gpa_vm *vm, bool wait);
/* A text to read at leisure: in a pager where there is one, else written. */
gpa_code vm_page(gpa_vm *vm, const char *text, size_t n);
/* How far long work is: `done` of 1, seconds `left`; negative where nobody knows. text NULL: it is
 * over. */
void vm_progress(gpa_vm *vm, const char *text, double done, double left);
/* Reads a line for input(); EOFError at the end. */
gpa_code vm_input(gpa_vm *vm, const char *prompt, value *out);

/* Calls any callable: n positional arguments, then n_kw keyword ones with their names (STR values).
 */
gpa_code vm_call(gpa_vm *vm, value fn, size_t n, const value *args, size_t n_kw,
                 const value *kw_names, value *out);
/* Iteration: an ITER over any iterable, and its next value (*done at the end). */
gpa_code vm_iter(gpa_vm *vm, value iterable, value *out);
/* All items of an iterable as a new list. */
gpa_code vm_collect(gpa_vm *vm, value iterable, value *out_list);
/* A set of an iterable's items; UNSET on failure. */
value set_of(gpa_vm *vm, value iterable, bool frozen);
gpa_code vm_attr(gpa_vm *vm, value v, const char *name,
                 value *out); /* AttributeError with did-you-mean */
gpa_code vm_len(gpa_vm *vm, value v,
                int64_t *out); /* TypeError: object of type 'int' has no len() */
gpa_code vm_getitem(gpa_vm *vm, value v, value key, value *out);
gpa_code vm_setitem(gpa_vm *vm, value v, value key, value item);
gpa_code vm_contains(gpa_vm *vm, value container, value item, bool *out);
/* Operators on any values (lang/vm/operate.c): arithmetic by its row of op.def, comparisons too. */
gpa_code vm_binary(gpa_vm *vm, gpa_op op, value a, value b, value *out);
gpa_code vm_unary(gpa_vm *vm, gpa_op op, value a, value *out);
/* Python's a < b for sorting. */
gpa_code vm_less(gpa_vm *vm, value a, value b, bool *out);

/* repr() and str(), and format(v, spec), appended to a buffer. */
gpa_code vm_repr(gpa_vm *vm, value v, gpa_str *out);
/* Sets an error whose words show a value's repr between `before` and `after`, and returns its code,
 * or that of a repr that failed. */
gpa_code vm_fail_showing(gpa_vm *vm, gpa_code code, const char *before, value v, const char *after);
gpa_code vm_str(gpa_vm *vm, value v, gpa_str *out);
gpa_code vm_format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out);

/* ---- arguments ---- (each fails with Python's TypeError words; `what` names the parameter where
 * the text needs it) */

gpa_code arg_int(gpa_vm *vm, value v, const char *what,
                 int64_t *out); /* ints, bools, NumPy ints: __index__ */
/* The same of any size, as INT or BIG. Owned. */
gpa_code arg_any_int(gpa_vm *vm, value v, const char *what, value *out);
gpa_code arg_float(gpa_vm *vm, value v, const char *what,
                   double *out); /* anything float() takes but strings */
gpa_code arg_bool(gpa_vm *vm, value v, const char *what, bool *out); /* truth */
gpa_code arg_text(gpa_vm *vm, value v, const char *what, const char **text,
                  size_t *n);                            /* a str; borrowed */
gpa_code arg_dtype(gpa_vm *vm, value v, gpa_dtype *out); /* None: DT_NONE; types, dtypes, names */
/* An object's own attribute if the object is a record (lang/vm/record.h) and the attribute a
 * str, else UNSET; borrowed. */
value record_text_peek(gpa_vm *vm, value v, const char *name);
/* An int or a sequence of ints: a shape, axes, repetitions. */
gpa_code arg_ints(gpa_vm *vm, value v, const char *what, int max, int *n, int64_t *out);
/* Anything NumPy's asarray takes: arrays, numbers, nested sequences. Owned. */
gpa_code arg_array(gpa_vm *vm, value v, gpa_dtype t, gpa_arr **out);
/* The same, as an operand that keeps numbers weak. Release with arg_opnd_release. */
gpa_code arg_opnd(gpa_vm *vm, value v, gpa_opnd *out);
/* NumPy's refusal of a list or tuple as one element of an array of dtype t. */
gpa_code np_sequence_error(gpa_vm *vm, gpa_dtype t, value v);
/* A value to be stored in an array of dtype t: as arg_opnd, and text that spells a number counts as
 * that number. */
gpa_code arg_element(gpa_vm *vm, value v, gpa_dtype t, gpa_opnd *out);
void arg_opnd_release(gpa_vm *vm, gpa_opnd *o);
/* A subscript (one index or a tuple of them) as the runtime's, in ix with room for ARG_MAX_INDEX;
 * IndexError for what cannot index. Index arrays are owned by ix: arg_index_release, also after a
 * failure. */
enum { ARG_MAX_INDEX = 2 * GPA_MAX_DIMS };
gpa_code arg_index(gpa_vm *vm, value key, gpa_index *ix, int *n);
void arg_index_release(gpa_vm *vm, gpa_index *ix, int n);

/* Hands a new value to the caller: UNSET means that making it failed. */
static inline gpa_code native_return(value v, value *out) {
    *out = v;
    return v.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* ---- types ---- */

/* The type of a value, as the `aux` of a TYPE; whether one type derives from another; whether a
 * value is an instance of a type. */
uint32_t type_of(value v);
bool type_derives(uint32_t sub, uint32_t from);
bool type_matches(value v, uint32_t aux);

/* sorted()'s stable merge sort (key NONE: by the items themselves). */
gpa_code list_sort(gpa_vm *vm, list_obj *l, value key, bool reverse);

#endif
