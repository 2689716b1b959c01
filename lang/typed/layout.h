/* NumPy's layouts of generalised ufuncs: "(m,n),(n,p)->(m,p)". */
#ifndef GPA_TYPED_LAYOUT_H
#define GPA_TYPED_LAYOUT_H

#include "lang/typed/typed.h"

typedef struct {
    int n_in, n_out; /* arguments; outputs follow inputs */
    int n_names;
    char name[KIR_MAX_DIMS][16];
    int64_t size[KIR_MAX_DIMS]; /* a dimension written as a number; else -1 */
    uint8_t ndim[BODY_MAX_IN];
    int8_t dim[BODY_MAX_IN][KIR_MAX_DIMS]; /* the names of an argument's dimensions */
} typed_layout;

/* Reads a layout. Errors in Numba's words. */
gpa_code layout_read(gpa_vm *vm, const char *text, typed_layout *out);

/* A call's arrays brought over one loop space. */
typedef struct {
    int loops; /* dimensions common to all arguments */
    int64_t loop[GPA_MAX_DIMS];
    int64_t core[KIR_MAX_DIMS]; /* per name; -1: not known yet */
} layout_fit;

/* Fits the arguments given (NULL: an output to be made) to the layout. ValueError in NumPy's words,
 * which name the function. */
gpa_code layout_match(gpa_vm *vm, const char *name, const char *text, const typed_layout *l,
                      gpa_arr *const *args, layout_fit *out);

#endif
