/* MPI, opened at run time: the functions of Open MPI that messages between ranks need.
 *
 * Ranks are started in one of two ways: by a launcher (mpirun), in which case they are those of
 * MPI_COMM_WORLD, or by the first process, which spawns the others (MPI_Comm_spawn) and keeps its
 * terminal. */
#ifndef GPA_RANKS_MPI_H
#define GPA_RANKS_MPI_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/err.h"

typedef void *mpi_handle; /* communicators, datatypes, requests ...: pointers in Open MPI */

/* MPI_Status of Open MPI 4 and 5. */
typedef struct {
    int source, tag, error, cancelled;
    size_t count;
} mpi_status;

typedef struct {
    int (*init)(int *argc, char ***argv);
    int (*finalize)(void);
    int (*spawn)(const char *command, char **argv, int n, mpi_handle info, int root,
                 mpi_handle comm, mpi_handle *out, int *codes);
    int (*get_parent)(mpi_handle *out);
    int (*merge)(mpi_handle comm, int high, mpi_handle *out);
    int (*comm_rank)(mpi_handle comm, int *out);
    int (*comm_size)(mpi_handle comm, int *out);
    int (*set_errhandler)(mpi_handle comm, mpi_handle handler);
    int (*iprobe)(int source, int tag, mpi_handle comm, int *found, mpi_status *status);
    int (*isend)(const void *from, int n, mpi_handle type, int to, int tag, mpi_handle comm,
                 mpi_handle *request);
    int (*irecv)(void *to, int n, mpi_handle type, int source, int tag, mpi_handle comm,
                 mpi_handle *request);
    int (*test)(mpi_handle *request, int *done, mpi_status *status);
    mpi_handle world, self, null, byte, no_info, errors_return;
} mpi_functions;

enum { MPI_MAX_RANKS = 1024 };

/* The number of ranks: of the launcher, else GPA_RANKS; 1: neither. GPA_E_VALUE if that is no
 * number of ranks. */
gpa_code mpi_wanted(int *out, gpa_err *e);
/* True if a launcher has started several processes, of which this one is a part. */
bool mpi_is_launched(void);
/* Opens the library; NULL with the reason in `why` (n bytes) if it cannot be used. */
const mpi_functions *mpi_open(char *why, size_t n);
/* Initializes MPI, and starts n - 1 workers unless a launcher has (n: mpi_wanted). *comm: all
 * ranks, the first one with rank 0. */
gpa_code mpi_start(const mpi_functions *m, int n, mpi_handle *comm, gpa_err *e);
/* The same in a worker. */
gpa_code mpi_join(const mpi_functions *m, mpi_handle *comm, gpa_err *e);
/* Ends MPI in this process, of a launcher; all ranks call it. Spawned ranks end without: for them
 * MPI_Finalize waits for each other, and reports the closed connections. */
void mpi_end(const mpi_functions *m, mpi_handle comm);
/* Starts n - 1 new workers in place of those of a communicator that has failed. */
gpa_code mpi_respawn(const mpi_functions *m, int n, mpi_handle *comm, gpa_err *e);

#endif
