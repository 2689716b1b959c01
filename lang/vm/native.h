/* Native functions: the rows of the built-in tables, and the services of the vm for them.
 *
 * A native is one row of a .def table:
 *
 *   FN(OWNER, "name", c_function, "signature", "doc")
 *
 * OWNER is a module (BUILTINS, MATH, NUMPY, ...) or a type (STR, LIST, ARRAY, ...: a method, whose
 * first parameter is self). The signature is written as Python prints it ("a, axis=None, *,
 * keepdims=False", "*args", "x, /") and is the only description of the parameters: calls bind
 * positional, keyword and default arguments by it, with CPython's error messages, and completion
 * and help show it. Defaults may be None, True, False, numbers, strings, `...` and `<unset>` (the
 * argument arrives as UNSET). The function gets exactly one value per parameter, in order: *args as
 * a tuple, **kwargs as a dict.
 *
 *   PROP(TYPE, "name", c_getter, "doc")        an attribute: argv[0] is the object
 *   STATIC(TYPE, "name", c_function, "signature", "doc")   a static method: dict.fromkeys
 *   CONST(MODULE, "name", value_expression, "doc")
 *
 * Calling a type calls the row "__new__" of its owner, with the type value as the first argument
 * ("cls, x=0, /"). lang/vm/native_table.h looks rows up; lang/vm/owners.def lists the owners. */
#ifndef GPA_VM_NATIVE_H
#define GPA_VM_NATIVE_H

#include "lang/object/core.h"
#include "lang/object/kind.h"

/* argv is borrowed; *out is owned by the caller and starts as NONE. Errors go to vm_err. */
typedef gpa_code (*native_fn)(gpa_vm *vm, value *argv, value *out);

/* The head of a native function that a row of a table defines. */
#define NATIVE_FN(name) gpa_code name(gpa_vm *vm, value *argv, value *out)

/* FUNCTION: called directly (of a module, or STATIC). METHOD: argv[0] is self. PROPERTY: called by
 * attribute access. */
typedef enum { NATIVE_FUNCTION, NATIVE_METHOD, NATIVE_PROPERTY } native_kind;

typedef struct native {
    const char *owner; /* "numpy", "str" */
    const char *name;
    native_fn fn;
    const char *signature, *doc;
    uint8_t kind; /* native_kind */
} native;

/* A NumPy ufunc as a value: numpy.add. One row per row of op.def. */
typedef struct ufunc {
    gpa_op op;
    const char *name;
} ufunc;
/* The ufunc of this name ("add", "mod", "abs"), or NULL. Never freed. */
const ufunc *ufunc_find(const char *name);
/* The ufunc of a row. */
const ufunc *ufunc_of(gpa_op op);

/* ---- services of the vm ---- */

/* Clears the current error and its exception object: a native continues after a failure. */
void vm_clear_error(gpa_vm *vm);
/* After a failure: a deferred error that was recorded earlier replaces the current one. Returns the
 * code of the resulting error. */
gpa_code vm_check_deferred(gpa_vm *vm);
/* Raises an exception with these arguments (KeyError('a') keeps the key). */
gpa_code vm_raise(gpa_vm *vm, gpa_code code, size_t n, const value *args);
/* Writes to the session's standard output or error. */
gpa_code vm_write(gpa_vm *vm, bool to_stderr, const char *text, size_t n);
/* Writes to what the program has set sys.stdout or sys.stderr to (None: nothing is written). */
gpa_code vm_print(gpa_vm *vm, bool to_stderr, const char *text, size_t n);
/* Calls the method write of an object; None: nothing is written. */
gpa_code vm_put(gpa_vm *vm, value to, const char *text, size_t n);
/* Flushes output. */
void vm_flush(gpa_vm *vm);
/* Issues a warning as Python prints it ("file:line: RuntimeWarning: ..."), once per location. */
gpa_code vm_warn(gpa_vm *vm, gpa_code category, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* True if warnings of a category are recorded or raised, and not ignored. */
bool vm_warnings_observed(const gpa_vm *vm, gpa_code category);
/* Enables the checks of arrays for floating-point errors if an action is immediate, or a warning
 * that is observed. */
void vm_watch_floats(gpa_vm *vm);
/* While on, FloatingPointError is raised where an operation makes NaN or an infinity of finite
 * operands (%nan raise). */
void vm_trap_floats(gpa_vm *vm, bool on);
bool vm_traps_floats(const gpa_vm *vm);
/* Between two statements of the program: what vm_request_visit asked for. */
void vm_visit(gpa_vm *vm);
/* Displays a value in the front end, under an id (NULL: none); `update`: replaces the display with
 * that id. */
gpa_code vm_display(gpa_vm *vm, value v, const char *id, bool update);
/* How figures are displayed: a setting of %config InlineBackend as text, "" for its default. */
enum figure_setting { FIGURE_FORMAT, FIGURE_OPTIONS, FIGURE_CLOSE };
const char *vm_figure_setting(const gpa_vm *vm, enum figure_setting which);
/* Sets the format. GPA_E_MEMORY. */
gpa_code vm_set_figure_format(gpa_vm *vm, value format);
/* Clears the cell's output; `wait`: when new output arrives. */
gpa_code vm_clear_output(gpa_vm *vm, bool wait);
/* Shows a text in a pager if there is one, else writes it. */
gpa_code vm_page(gpa_vm *vm, const char *text, size_t n);
/* Progress of a long operation: `done` of 1, seconds `left`; negative if unknown. text NULL:
 * finished. */
void vm_progress(gpa_vm *vm, const char *text, double done, double left);
/* Reads a line for input() or, `hidden`, for getpass(); EOFError at the end. */
gpa_code vm_input(gpa_vm *vm, const char *prompt, bool hidden, value *out);
/* Runs a magic or a command of the shell: "%name arguments", "%%name\nbody", "!command". */
gpa_code vm_magic(gpa_vm *vm, const char *text, size_t n, value *out);
/* True in a notebook: a front end connects to comms, for widgets. */
bool vm_has_comms(const gpa_vm *vm);

/* Calls any callable: vm_call(vm, fn, ARGS(2, pair), &result). */
gpa_code vm_call(gpa_vm *vm, value fn, const call_args *a, value *out);
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
/* Fails with a message that shows a value's repr between `before` and `after`; returns its code, or
 * that of a failing repr. */
gpa_code vm_fail_showing(gpa_vm *vm, gpa_code code, const char *before, value v, const char *after);
gpa_code vm_str(gpa_vm *vm, value v, gpa_str *out);
gpa_code vm_format(gpa_vm *vm, value v, const char *spec, size_t n, gpa_str *out);

/* ---- arguments ---- (each fails with Python's TypeError words; `what` names the parameter where
 * the text needs it) */

gpa_code arg_int(gpa_vm *vm, value v, const char *what,
                 int64_t *out); /* ints, bools, NumPy ints: __index__ */
/* The same without a size limit, as INT or BIG. Owned. */
gpa_code arg_any_int(gpa_vm *vm, value v, const char *what, value *out);
/* GPA_E_TYPE if a tape records the array: a number of Python would be a constant for derivatives.
 */
gpa_code arg_untraced(gpa_vm *vm, const gpa_arr *a);
gpa_code arg_float(gpa_vm *vm, value v, const char *what,
                   double *out); /* any argument of float() but strings */
gpa_code arg_bool(gpa_vm *vm, value v, const char *what, bool *out); /* truth */
gpa_code arg_text(gpa_vm *vm, value v, const char *what, const char **text,
                  size_t *n);                            /* a str; borrowed */
gpa_code arg_dtype(gpa_vm *vm, value v, gpa_dtype *out); /* None: DT_NONE; types, dtypes, names */
/* A str attribute of a record (lang/vm/record.h), else UNSET; borrowed. */
value record_text_peek(gpa_vm *vm, value v, const char *name);
/* An int or a sequence of ints: a shape, axes, repetitions. */
gpa_code arg_ints(gpa_vm *vm, value v, const char *what, int max, int *n, int64_t *out);
/* Any argument of NumPy's asarray: arrays, numbers, nested sequences. Owned. */
gpa_code arg_array(gpa_vm *vm, value v, gpa_dtype t, gpa_arr **out);
/* The same, as an operand that keeps numbers weak. Release with arg_opnd_release. */
gpa_code arg_opnd(gpa_vm *vm, value v, gpa_opnd *out);
/* NumPy's error for a sequence where one element of dtype t is expected. */
gpa_code np_sequence_error(gpa_vm *vm, gpa_dtype t, value v);
/* A value to be stored in an array of dtype t: as arg_opnd, and a str is parsed as a number. */
gpa_code arg_element(gpa_vm *vm, value v, gpa_dtype t, gpa_opnd *out);
void arg_opnd_release(gpa_vm *vm, gpa_opnd *o);
/* Converts a subscript (one index or a tuple) to the runtime's indices, in ix with capacity for
 * ARG_MAX_INDEX; IndexError. Index arrays are owned by ix: arg_index_release, also after a failure.
 */
enum { ARG_MAX_INDEX = 2 * GPA_MAX_DIMS };
gpa_code arg_index(gpa_vm *vm, value key, gpa_index *ix, int *n);
void arg_index_release(gpa_vm *vm, gpa_index *ix, int n);

/* Hands a new value to the caller: UNSET means that making it failed. */
static inline gpa_code native_return(value v, value *out) {
    *out = v;
    return v.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
}

/* Hands a finished value to the caller, or releases it where rc is an error. Returns rc. */
static inline gpa_code native_finish(gpa_vm *vm, gpa_code rc, value v, value *out) {
    if (rc)
        value_release(vm, v);
    else
        *out = v;
    return rc;
}

/* Hands the text to the caller as a string, or frees it where rc is an error. */
static inline gpa_code native_text(gpa_vm *vm, gpa_code rc, gpa_str *s, value *out) {
    if (!rc) return native_return(v_str_take(vm, s), out);
    str_free(s);
    return rc;
}

/* ---- types ---- */

/* The type of a value, as the `aux` of a TYPE; true if one type derives from another; true if a
 * value is an instance of a type. */
uint32_t type_of(value v);
bool type_derives(uint32_t sub, uint32_t from);
bool type_matches(value v, uint32_t aux);

/* sorted()'s stable merge sort (key NONE: by the items themselves). */
gpa_code list_sort(gpa_vm *vm, list_obj *l, value key, bool reverse);

#endif
