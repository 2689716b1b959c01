/* Storage and handles: what is behind a gpa_arr.
 *
 * A storage is the cell that an array and its views share: either `node`, a pending value whose
 * elements in C order are the storage's, or `buf`, device memory. A handle's strides and offset
 * index the storage in elements of the handle's dtype. Pending storages stand in a doubly linked
 * list of the runtime; one whose handles are all gone leaves the list and is never computed. */
#ifndef GPA_ARRAY_ARRAY_H
#define GPA_ARRAY_ARRAY_H

#include "runtime/graph/node.h"

/* Why a step ends where it does, or why work began: CUT(ID, name, text). */
#define GPA_CUTS(CUT)                                                       \
    CUT(NEEDED, "needed", "the value was asked for")                        \
    CUT(READERS, "readers", "several readers use it at different places")   \
    CUT(AGAIN, "again", "many points share its elements")                   \
    CUT(FAR, "far", "elements of a large array are found by it")            \
    CUT(PHASE, "phase", "a long reduction must finish first")               \
    CUT(SERIAL, "serial", "a running sum takes its elements one by one")    \
    CUT(SHAPE, "shape", "another iteration space")                          \
    CUT(HEIGHT, "height", "the expression is too high")                     \
    CUT(NODES, "nodes", "the program has too many operations")              \
    CUT(PARAMS, "parameters", "the program has too many parameters")        \
    CUT(ARRAYS, "arrays", "the program reads and writes too many arrays")   \
    CUT(MEMORY, "memory", "pending work keeps too much memory alive")       \
    CUT(DEVICE, "device", "the device cannot do it in one program")         \
    CUT(LIBRARY, "library", "a library call reads it")                      \
    CUT(STORE, "store", "an array was assigned to")                         \
    CUT(LOOP, "loop", "the end of a loop's trip")                           \
    CUT(UNREAD, "unread", "a value that nobody reads may have a bad index") \
    CUT(MOVE, "move", "another device became the current one")              \
    CUT(USER, "user", "the end of a cell")
typedef enum {
#define CUT(id, name, text) CUT_##id,
    GPA_CUTS(CUT)
#undef CUT
        CUT_ROWS
} gpa_cut;
extern const char *const cut_names[CUT_ROWS], *const cut_texts[CUT_ROWS];

typedef struct gpa_storage {
    int32_t refs;  /* handles */
    uint8_t dtype; /* of the pending value; afterwards of the elements first written */
    bool asked;    /* scratch of exec: it is among the roots already */
    bool failed;   /* computing it failed: from now on only whoever reads it tries again */
    int64_t size;  /* elements of that dtype */
    node *node;    /* pending; NULL once computed */
    gpa_buf *buf;  /* computed (an owner of it) */
    struct gpa_storage *prev, *next; /* the runtime's list, while pending */
} gpa_storage;

/* A computed storage that takes over one ownership of b. On failure b is given up too. */
gpa_code storage_of_buf_take(gpa_rt *rt, gpa_buf *b, gpa_dtype t, int64_t size, gpa_storage **out,
                             gpa_err *e);
void storage_release(gpa_rt *rt, gpa_storage *s);
/* Memory for the pending storage s is there: it takes over one ownership of b and is pending no
 * more. */
void storage_settle(gpa_rt *rt, gpa_storage *s, gpa_buf *b);

/* A pending storage takes another pending value of as many elements and the same dtype. */
gpa_code storage_replace(gpa_rt *rt, gpa_storage *s, node *n, gpa_err *e);

/* A new handle on a storage (which gains a reference). base: the array it is a view of (retained),
 * NULL for none. */
gpa_code arr_handle(gpa_rt *rt, gpa_storage *s, gpa_dtype t, int ndim, const int64_t *shape,
                    const int64_t *strides, int64_t offset, gpa_arr *base, gpa_arr **out,
                    gpa_err *e);
/* A new pending array with the value and shape of n; cuts graphs that grew too high. */
gpa_code arr_of_node(gpa_rt *rt, node *n, gpa_arr **out, gpa_err *e);
/* The value of an array as a node of its shape (owned): a leaf when computed, else its node through
 * the handle's index map. May compute the storage (cut "shape") when the map is not affine in the
 * pending value's own coordinates. */
gpa_code arr_node(gpa_rt *rt, gpa_arr *a, node **out, gpa_err *e);
/* An operand as a node of dtype t and of the given shape (numbers stay SCALAR). */
gpa_code opnd_node(gpa_rt *rt, const gpa_opnd *o, gpa_dtype t, int ndim, const int64_t *shape,
                   node **out, gpa_err *e);
/* Computes the storage of `a` if it is pending; then a->storage->buf is there. */
gpa_code arr_force(gpa_rt *rt, gpa_arr *a, gpa_cut why, gpa_err *e);
/* A computed 1-d array that owns its data, of which there is no view, keeps its first n elements.
 * The memory beyond them is given back when there is need of it. */
void arr_shorten(gpa_rt *rt, gpa_arr *a, int64_t n);
/* The array as a library operand: memory, offset, strides, sizes (ndim <= KIR_MAX_DIMS, a forced
 * array). */
void arr_bind(const gpa_arr *a, gpa_binding *b);

#endif
