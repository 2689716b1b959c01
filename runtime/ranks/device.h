/* The ranks device in rank 0: its memory, its programs, and commands to the workers. */
#ifndef GPA_RANKS_DEVICE_H
#define GPA_RANKS_DEVICE_H

#include "runtime/backend.h"
#include "runtime/ranks/channel.h"
#include "runtime/ranks/placement.h"
#include "runtime/ranks/transfer.h"
#include "runtime/ranks/wire.h"

/* A block of memory: an allocation of the inner backend on this rank, and on each worker that has
 * used it. */
typedef struct {
    gpa_mem *mem; /* the key: the runtime's handle */
    char *base;
    size_t n;
    uint32_t id;
    rank_set users;  /* the workers that have the block */
    placement where; /* the ranks that have current bytes */
    bool kept; /* other code has its address and may write it at any time: copies do not last */
} memory;

/* How a program uses an array, flags. */
enum {
    USE_READ = 1,        /* at the current point, inside an EACH or in a program without one */
    USE_READ_ONCE = 2,   /* outside of all EACH: once per outer point */
    USE_READ_ANY = 4,    /* at computed offsets */
    USE_WRITE = 8,       /* as for reads */
    USE_WRITE_ONCE = 16, /* */
    USE_WRITE_ANY = 32,  /* */
    USE_WRITE_SOME = 64  /* not at every point */
};

/* A rank's access to bytes of a block. */
typedef struct {
    memory *m;
    int rank;
    size_t from, to;
    bool write, exact; /* exact: all of the bytes are written */
} memory_access;

typedef struct {
    memory_access *item;
    size_t n, cap;
} accesses;

struct gpa_prog {
    gpa_prog *inner;
    uint32_t id;
    rank_set users; /* the workers that have the program, in this epoch: */
    uint32_t epoch;
    gpa_str text; /* for the workers */
    kir_form form;
    uint8_t ndim;
    uint16_t inner_dims;
    bool faults;
    size_t n_arrays, n_params;
    uint8_t use[KIR_MAX_ARRAYS], item[KIR_MAX_ARRAYS];
};

/* Bytes [at, at + n) of a block that rank `to` needs from rank `from`. */
typedef struct {
    int from, to;
    memory *m;
    size_t at, n;
} move;

/* Slots of memory or programs: ids that are free. */
typedef struct {
    uint32_t *free_ids, next;
    size_t n, cap;
} ids;

struct gpa_dev {
    const gpa_backend *be; /* of the inner device */
    gpa_dev *inner;
    channel *c;
    int n; /* ranks */
    int32_t stop;
    bool broken;
    bool simulated; /* this process does the work of all ranks: messages are only counted */
    uint64_t commands_sent, command_bytes, replies, reply_bytes; /* counted then */
    uint32_t epoch;                                              /* counts the starts of workers */
    uint64_t threshold; /* bytes: smaller launches run on rank 0 */
    memory **table;     /* open addressing by mem */
    size_t table_size, table_used;
    ids memory_ids, program_ids;
    gpa_str commands[MPI_MAX_RANKS]; /* not sent yet */
    uint32_t ahead[MPI_MAX_RANKS];   /* launches of a worker since its last WIRE_SYNC or reply */
    bool syncing[MPI_MAX_RANKS];     /* a reply to WIRE_SYNC has not been received yet */
    gpa_code late;                   /* the first failure that such a reply reported */
    gpa_err why_late;
    gpa_mem *scratch[2]; /* of the last sort, or NULL */
    size_t n_scratch[2]; /* bytes */
    move *moves;         /* transfers of the next exchange */
    size_t n_moves, cap_moves;
    bool commanded;           /* they have commands */
    uint64_t moved, messages; /* bytes and messages of data between ranks */
    gpa_traffic since;        /* of the last report */
    uint64_t shared;          /* launches that were divided */
};

/* ---- memory.c ---- */

memory *memory_find(const gpa_dev *d, const gpa_mem *m);
/* Takes the allocation; frees it on failure. */
gpa_code memory_new_take(gpa_dev *d, gpa_mem *m, size_t n, gpa_err *e);
void memory_free(gpa_dev *d, gpa_mem *m);
void memory_free_table(gpa_dev *d);
/* Queues the transfers after which `rank` has current bytes [from, to) of the block. */
gpa_code memory_fetch(gpa_dev *d, memory *m, int rank, size_t from, size_t to, gpa_err *e);
/* The bytes [from, to) are now on `rank` alone. */
gpa_code memory_own(memory *m, int rank, size_t from, size_t to, gpa_err *e);
/* Commands the queued transfers, and notes the copies that they make: later commands come after
 * them. None may be queued until device_exchange. */
gpa_code memory_command_moves(gpa_dev *d, gpa_err *e);
/* Sends what is queued, and waits for the transfers of this rank. */
gpa_code device_exchange(gpa_dev *d, gpa_err *e);
/* The same, and waits until the workers have run all launches: their first failure. */
gpa_code device_settle(gpa_dev *d, gpa_err *e);
/* True if workers may not have run all launches. */
bool device_is_ahead(const gpa_dev *d);
/* Counts a launch without a reply of a worker, which is never far behind. */
gpa_code device_count_launch(gpa_dev *d, int rank, gpa_err *e);
/* Forgets what the workers have not replied: they have ended. */
void device_forget_launches(gpa_dev *d);
/* Sends commands that nothing waits for, if they have become many. */
void device_flush_many(gpa_dev *d);
/* Adds an access to the bytes [from, to), which may be out of bounds, joined with the last one if
 * that is adjacent. False: memory is short. */
bool accesses_add(accesses *x, const memory_access *a, int64_t from, int64_t to);
/* Queues and commands the transfers that the accesses need, and notes what they write. `alone`:
 * why one rank has all accesses, or NULL. */
gpa_code accesses_place(gpa_dev *d, const accesses *x, const char *alone, gpa_err *e);
bool ids_take(ids *x, uint32_t *id);
void ids_give(ids *x, uint32_t id);

/* ---- launch.c ---- */

gpa_code launch_build(gpa_dev *d, const kir_func *f, gpa_prog **out, gpa_err *e);
void launch_drop(gpa_dev *d, gpa_prog *p);
gpa_code launch_run(gpa_dev *d, gpa_prog *p, const gpa_launch *l, gpa_err *e);
/* Receives the reply to a WIRE_SYNC, if there is one; device_settle returns a failure that it
 * reports.
 */
gpa_code launch_take_sync(gpa_dev *d, int rank, gpa_err *e);
/* Receives a reply into `text`: its head, and its states. An error of the worker is the result. */
gpa_code launch_take_reply(gpa_dev *d, int rank, gpa_str *text, const wire_reply **head,
                           const char **states, gpa_err *e);

/* ---- library.c ---- */

gpa_code library_run(gpa_dev *d, const gpa_libcall *c, gpa_err *e);
/* Frees the scratch memory of sorts; false: there was none. */
bool library_free_scratch(gpa_dev *d);

/* Notes a failure of a rank: the device is broken. Returns rc. */
gpa_code device_result_of(gpa_dev *d, gpa_code rc);

#endif
