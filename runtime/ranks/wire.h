/* Commands of rank 0 to its workers, and their replies, as bytes.
 *
 * A message of commands is a sequence of records, each a wire_op and its fields, in the byte order
 * and with the structures of one host: all ranks are the same program (channel_open). */
#ifndef GPA_RANKS_WIRE_H
#define GPA_RANKS_WIRE_H

#include "runtime/backend.h"
#include "runtime/ir/libcall.h"
#include "runtime/base/str.h"

typedef enum {
    WIRE_PROGRAM, /* a program and its kir: wire_put_program */
    WIRE_DROP,    /* drops the program `id` */
    WIRE_FREE,    /* frees the memory `id` */
    WIRE_SEND,    /* wire_transfer and its segments: sends bytes to the rank `id` */
    WIRE_RECEIVE, /* wire_transfer and its segments: receives them from the rank `id` */
    WIRE_RUN,     /* wire_run, its wire_arrays and parameters: runs a share, may reply */
    WIRE_SYNC,    /* replies: the first failure since the last reply */
    WIRE_RESUME,  /* after an interrupt: launches are no longer skipped */
    WIRE_CALL,    /* wire_call, its operands: runs a share of a library call, and replies */
    WIRE_SORT,    /* wire_sort: sorts a block, and replies with samples */
    WIRE_SEARCH,  /* wire_sort and splitters: replies with the number of elements before each */
    WIRE_MERGE,   /* wire_merge and its sorted_ranges: merges, and replies */
    WIRE_END
} wire_op;

typedef struct {
    uint32_t op, id; /* wire_op; of a program, of memory or a rank */
} wire_head;

typedef struct {
    uint64_t n; /* segments */
} wire_transfer;

typedef struct {
    uint64_t memory, size, at, n; /* its id and size; the bytes */
} wire_segment;

typedef struct {
    gpa_share_form form;
    bool faults, uninterrupted, reply;
    int64_t lo, hi, size[KIR_MAX_DIMS];
    uint64_t bytes; /* of the states of a part */
    uint64_t n_arrays, n_params;
} wire_run;

#define WIRE_NO_MEMORY UINT32_MAX

typedef struct {
    uint32_t memory;     /* its id; WIRE_NO_MEMORY: a virtual array */
    uint64_t size;       /* of the memory */
    gpa_binding binding; /* without its memory */
} wire_array;

typedef struct {
    gpa_libcall call;
    uint64_t n; /* wire_arrays */
} wire_call;

/* Blocks of a row that is being sorted: the elements [lo, hi) of `in` become the sorted keys of
 * this block, and for argsort their indices in the row. */
typedef struct {
    uint64_t dtype, n; /* of samples, or of splitters */
    int64_t lo, hi;
    wire_array in, keys, indices; /* the latter without memory: only the keys */
} wire_sort;

/* Runs of the sorted blocks become the elements of `out` from `at` on. */
typedef struct {
    uint64_t dtype, n; /* runs */
    int64_t at;
    wire_array keys, indices, out;
} wire_merge;

/* A reply; the message of an error and the states of the parts follow it. */
typedef struct {
    int32_t code; /* gpa_code */
    uint32_t n_text;
    uint64_t n_states;
    kir_fault_record fault;
} wire_reply;

/* Appends n bytes, at a multiple of 16 from the start. */
void wire_put(gpa_str *out, const void *from, size_t n);
void wire_put_head(gpa_str *out, wire_op op, uint32_t id);
void wire_put_program(gpa_str *out, const kir_func *f);

typedef struct {
    const char *start;
    size_t at, n;
} wire_reader;

/* The next n bytes, as wire_put wrote them; NULL at the end. */
const void *wire_get(wire_reader *r, size_t n);
/* A program in the reader's memory. GPA_E_INTERNAL if it is incomplete. Owned: mem_free of
 * out->texts. */
gpa_code wire_get_program(wire_reader *r, kir_func *out, gpa_err *e);

#endif
