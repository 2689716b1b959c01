/* Array printing: NumPy's array2string, repr and str. A summarized array reads only the elements it
 * prints. */
#ifndef GPA_FORMAT_ARRAY_FORMAT_H
#define GPA_FORMAT_ARRAY_FORMAT_H

#include "lang/vm/native.h"

typedef enum {
    FLOAT_MAXPREC,
    FLOAT_MAXPREC_EQUAL,
    FLOAT_FIXED,
    FLOAT_UNIQUE,
    FLOAT_MODES
} float_mode;

/* numpy.set_printoptions. */
typedef struct {
    int64_t precision, threshold, edgeitems, linewidth;
    bool suppress;
    float_mode floatmode;
    char sign; /* - + or space */
    char nan[16], inf[16];
    value formatter;     /* NONE or a DICT; borrowed */
    bool bare;           /* NumPy's scalars print without their type: legacy='1.25' and before */
    bool no_shape;       /* repr of a summarized array without shape=: legacy='2.1' and before */
    bool long_half;      /* an exponent from 1e8 on in all dtypes: legacy='2.2' and before */
    bool as_1_13;        /* legacy='1.13': a column for signs, other line breaks, plain scalars */
    value override_repr; /* NONE or the function that makes the repr of arrays; borrowed */
} print_options;

extern const char *const float_mode_names[FLOAT_MODES]; /* as programs write them */
extern const print_options print_options_default;
/* The variable of the module numpy that holds the dict of current options: a name that no program
 * can write. Not set: the defaults hold. */
extern const char print_options_name[];
/* Overwrites the options that the dict has. */
void print_options_read(gpa_vm *vm, dict_obj *d, print_options *o);
/* The vm's current options. */
gpa_code print_options_get(gpa_vm *vm, print_options *out);

/* The separator of elements, and the columns that are reserved on the first and last line. */
typedef struct {
    const char *separator;
    size_t before, after;
} array_margins;
/* array2string. */
gpa_code array_put(gpa_vm *vm, gpa_arr *a, const print_options *o, const array_margins *m,
                   gpa_str *out);
gpa_code array_put_repr_with(gpa_vm *vm, gpa_arr *a, const print_options *o, gpa_str *out);
gpa_code array_put_repr(gpa_vm *vm, gpa_arr *a, gpa_str *out);
gpa_code array_put_str(gpa_vm *vm, gpa_arr *a, gpa_str *out);

#endif
