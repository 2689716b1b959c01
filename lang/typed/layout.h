/* Layouts (signatures) of generalized ufuncs, such as "(m,n),(n,p)->(m,p)". */
#ifndef GPA_TYPED_LAYOUT_H
#define GPA_TYPED_LAYOUT_H

#include "lang/typed/typed.h"

typedef struct {
    int n_in, n_out; /* inputs, then outputs */
    int n_names;
    char name[KIR_MAX_DIMS][16];
    int64_t size[KIR_MAX_DIMS]; /* a dimension written as a number; else -1 */
    uint8_t ndim[BODY_MAX_IN];
    int8_t dim[BODY_MAX_IN][KIR_MAX_DIMS]; /* index of the name of each core dimension */
} typed_layout;

/* Parses a layout. Error messages are Numba's. */
gpa_code layout_read(gpa_vm *vm, const char *text, typed_layout *out);

/* Loop and core dimensions of a call. */
typedef struct {
    int loops; /* loop dimensions, broadcast from all arguments */
    int64_t loop[GPA_MAX_DIMS];
    int64_t core[KIR_MAX_DIMS]; /* size by name; -1: unknown */
} layout_fit;

/* Matches the arguments (NULL: an output to be allocated) against the layout. ValueError in
 * NumPy's words, which name the function. */
gpa_code layout_match(gpa_vm *vm, const char *name, const char *text, const typed_layout *l,
                      gpa_arr *const *args, layout_fit *out);

#endif
