/* Lowering: the state of a step being lowered, and the functions that its files share. */
#ifndef GPA_PLAN_LOWER_WORK_H
#define GPA_PLAN_LOWER_WORK_H

#include "runtime/plan/lower.h"

/* A node at an index map. */
typedef struct {
    node *n;
    int32_t map;
    int32_t guard; /* of a LOAD that is in bounds at some points only; -1: at all */
    int32_t next;  /* another entry of the same node; -1: none */
    int32_t ins;   /* its inputs' entries: first index in lower_work.in */
    int32_t id;    /* leaves: number of the array or parameter; GATHER: of the source array */
    int32_t main;  /* CONCAT: the input of most points */
    int32_t count; /* and the inputs that the space reaches. Their boundaries follow in `in` */
    int32_t base_offset; /* GATHER and scatters: the virtual array of the offsets over unindexed
                            dimensions, */
    int32_t params;      /* and the first parameter of (extent, stride) of each index */
    int32_t value;       /* in the program; valid if `emitted` */
    int32_t region;      /* inner: the EACH that `value` belongs to */
    uint16_t phase;
    bool inner;
    bool emitted;
    bool stored_elsewhere; /* another step stores it: a leaf */
} entry;

/* The points at which one input of a CONCAT is the value: at or after the boundary `from`, before
 * the boundary `to`, and at the points of `parent`. */
typedef struct {
    int32_t parent;   /* another guard; -1: none */
    int32_t from, to; /* virtual arrays that are negative before the boundary; -1: none */
    bool mostly_before_from, mostly_before_to; /* the side that most points are on */
} guard;

/* A store of a root. */
typedef struct {
    fuse_root *root;
    int32_t value, mask, offset; /* entries; -1: none. offset: scatter */
    int array;
    uint16_t phase;
    bool inner;
} output;

struct lower_work {
    entry *e;
    size_t n_e, cap_e;
    int32_t *in;
    size_t n_in, cap_in;
    output *out;
    size_t n_out, cap_out;
    guard *guard;
    size_t n_guard, cap_guard;
    int32_t region;
};

typedef struct {
    gpa_rt *rt;
    fuse_plan *p;
    const fuse_step *s;
    lowered *l;
    struct lower_work *w;
    gpa_err *e;
    int32_t guard; /* of the nodes being visited */
} lowering;

/* An array to declare: its strides are over the step's space. */
typedef struct {
    gpa_buf *buf;
    gpa_dtype dtype;
    kir_where where;
    uint8_t access;
    int64_t offset;
    const int64_t *stride;
    fuse_root *fresh; /* the root whose new memory it is; NULL: none */
    bool boundary;    /* only the sign of its offsets counts */
} array_spec;

/* ---- lower.c; results -1: memory is short, or there are too many arrays ---- */

/* Declares an array, or finds the one with the same memory and strides. */
int lower_array(lowering *c, const array_spec *s);
/* Composes a leaf's strides with an index map: its strides over the step's space in out[]; returns
 * the offset of the origin. */
int64_t lower_strides(lowering *c, const int64_t *strides, int64_t offset, int map, int64_t *out);
/* True if an array's element changes along an inner dimension. */
bool lower_varies_inside(const lowering *c, int array);
/* Adds a parameter; of: the SCALAR node whose value it is, or NULL. -1: too many. */
int lower_param(lowering *c, gpa_dtype t, gpa_val v, const node *of);
/* The value of an entry at this point of the program. */
int32_t lower_value(lowering *c, int32_t i);
int32_t lower_input(lowering *c, const entry *x, int i);

/* ---- lower_visit.c ---- */

/* The entry of a node at a map, under c->guard. */
int32_t lower_visit(lowering *c, node *n, int map);
int32_t lower_entry(lowering *c, entry fresh);
/* Visits the value, mask and indices of a root, and declares the array that it is stored to. */
bool lower_visit_root(lowering *c, fuse_root *r);

/* ---- lower_concat.c ---- */

/* Visits a CONCAT, or the only input that the space reaches. */
int32_t lower_visit_concat(lowering *c, entry x);
int32_t lower_emit_concat(lowering *c, const entry *x);
/* The guard of a leaf at a map: c->guard, or -1 if all points of the space are in bounds. */
int32_t lower_leaf_guard(const lowering *c, const node *n, int map);
bool lower_guard_varies_inside(const lowering *c, int32_t guard);
/* The condition of a guard, a bool. */
int32_t lower_guard(lowering *c, int32_t guard);

#endif
