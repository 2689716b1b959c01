/* Values as program text that creates them again: %restart, %store. */
#ifndef GPA_SESSION_PERSIST_H
#define GPA_SESSION_PERSIST_H

#include "lang/session/state.h"

/* The first lines of the program. */
#define PERSIST_IMPORT \
    "from numpy import load as _load\nfrom IPython.core.macro import Macro as _Macro\n"

/* Appends an expression for the value: numbers, strings, arrays, macros, and lists, tuples, dicts
 * and sets of these. Arrays go to files `files`.0.npy, `files`.1.npy ... False: the value cannot be
 * saved; if the vm has an error, that is why. */
bool persist_expression(gpa_session *s, value v, const char *files, gpa_str *out);

#endif
