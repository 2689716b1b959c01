/* MPI at run time: the library, the start of ranks. */
#include "runtime/ranks/mpi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/base.h"

enum { MAX_RANKS_PER_PROCESSOR = 8 };

/* Environment variables that Open MPI's launcher sets in each process; and Slurm's srun, with PMIx.
 */
#define LAUNCHED_SIZE "OMPI_COMM_WORLD_SIZE"
#define SLURM_SIZE "SLURM_STEP_NUM_TASKS"
#define SLURM_PMIX "PMIX_RANK"

/* ---- how many ---- */

static int launched_size(void) {
    const char *text = getenv(LAUNCHED_SIZE);
    if (!text && getenv(SLURM_PMIX)) text = getenv(SLURM_SIZE);
    return text ? atoi(text) : 0;
}

bool mpi_is_launched(void) { return launched_size() > 1; }

gpa_code mpi_wanted(int *out, gpa_err *e) {
    const char *text = getenv("GPA_RANKS");
    char *end;
    *out = launched_size();
    if (*out > MPI_MAX_RANKS)
        return gpa_fail(e, GPA_E_VALUE, "%d ranks: at most %d are supported", *out, MPI_MAX_RANKS);
    if (*out > 1) return GPA_OK;
    *out = 1;
    if (!text || !*text) return GPA_OK;
    long n = strtol(text, &end, 10);
    if (*end || n < 1 || n > MPI_MAX_RANKS)
        return gpa_fail(e, GPA_E_VALUE, "GPA_RANKS: '%.40s' is not a number of ranks (1 to %d)",
                        text, MPI_MAX_RANKS);
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 0 && n > MAX_RANKS_PER_PROCESSOR * processors)
        return gpa_fail(e, GPA_E_VALUE,
                        "%ld ranks on %ld processor%s would wait for each other: at most %d each",
                        n, processors, processors == 1 ? "" : "s", MAX_RANKS_PER_PROCESSOR);
    *out = (int)n;
    return GPA_OK;
}

/* ---- the library ---- */

static bool bind(void *lib, mpi_functions *m) {
    static const struct {
        const char *name;
        size_t at;
    } rows[] = {
        {"MPI_Init", offsetof(mpi_functions, init)},
        {"MPI_Finalize", offsetof(mpi_functions, finalize)},
        {"MPI_Comm_spawn", offsetof(mpi_functions, spawn)},
        {"MPI_Comm_get_parent", offsetof(mpi_functions, get_parent)},
        {"MPI_Intercomm_merge", offsetof(mpi_functions, merge)},
        {"MPI_Comm_rank", offsetof(mpi_functions, comm_rank)},
        {"MPI_Comm_size", offsetof(mpi_functions, comm_size)},
        {"MPI_Comm_set_errhandler", offsetof(mpi_functions, set_errhandler)},
        {"MPI_Iprobe", offsetof(mpi_functions, iprobe)},
        {"MPI_Isend", offsetof(mpi_functions, isend)},
        {"MPI_Irecv", offsetof(mpi_functions, irecv)},
        {"MPI_Test", offsetof(mpi_functions, test)},
        {"ompi_mpi_comm_world", offsetof(mpi_functions, world)},
        {"ompi_mpi_comm_self", offsetof(mpi_functions, self)},
        {"ompi_mpi_comm_null", offsetof(mpi_functions, null)},
        {"ompi_mpi_byte", offsetof(mpi_functions, byte)},
        {"ompi_mpi_info_null", offsetof(mpi_functions, no_info)},
        {"ompi_mpi_errors_return", offsetof(mpi_functions, errors_return)},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        void *symbol = dlsym(lib, rows[i].name);
        if (!symbol) return false;
        memcpy((char *)m + rows[i].at, &symbol, sizeof symbol);
    }
    return true;
}

const mpi_functions *mpi_open(char *why, size_t n) {
    static const char *const names[] = {"libmpi.so.40", "libmpi.so"};
    static mpi_functions functions;
    static bool ready;
    void *lib = NULL;
    if (ready) return &functions;
    /* RTLD_GLOBAL: the library's own plugins use its symbols */
    for (size_t i = 0; i < COUNT_OF(names) && !lib; i++)
        lib = dlopen(names[i], RTLD_NOW | RTLD_GLOBAL);
    if (!lib)
        snprintf(why, n, "Open MPI is not there: install it (Debian: openmpi-bin and libopenmpi3)");
    else if (!bind(lib, &functions))
        snprintf(why, n, "libmpi is not Open MPI, the only MPI that is supported");
    else
        ready = true;
    return ready ? &functions : NULL;
}

/* ---- start ---- */

/* A setting of Open MPI, unless the user has chosen. */
static void set(const char *name, const char *value) { setenv(name, value, 0); }

/* True if the daemon of Open MPI that starts workers is on the search path. */
static bool has_daemon(void) {
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/orted", (int)n, path);
        if (!access(file, X_OK)) return true;
    }
    return false;
}

/* MPI_Init of a process that no launcher has started: it starts a daemon, which must neither read
 * what is for gpa nor report how workers end. */
static int init_with_daemon(const mpi_functions *m) {
    enum { STREAMS = 3 };
    int saved[STREAMS], none = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int i = 0; i < STREAMS; i += 2) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, STREAMS);
        if (none >= 0) dup2(none, i);
    }
    int rc = m->init(NULL, NULL);
    for (int i = 0; i < STREAMS; i += 2)
        if (saved[i] >= 0) dup2(saved[i], i), close(saved[i]);
    if (none >= STREAMS) close(none);
    return rc;
}

/* `alone`: no launcher has started this process. */
static gpa_code initialize(const mpi_functions *m, bool alone, gpa_err *e) {
    static bool done;
    if (done) return GPA_OK;
    set("OMPI_MCA_rmaps_base_oversubscribe", "1");
    set("OMPI_MCA_mpi_yield_when_idle", "1");
    set("OMPI_MCA_orte_enable_recovery", "1"); /* the end of a worker is not that of all ranks */
    set("OMPI_MCA_opal_signal", "");           /* signal handlers are gpa's own */
    if (alone && !has_daemon())
        return gpa_fail(e, GPA_E_DEVICE,
                        "Open MPI's orted, which starts workers, is not on the search path "
                        "(Debian: openmpi-bin)");
    if (alone ? init_with_daemon(m) : m->init(NULL, NULL))
        return gpa_fail(e, GPA_E_DEVICE, "MPI_Init failed");
    m->set_errhandler(m->world, m->errors_return);
    m->set_errhandler(m->self, m->errors_return);
    unsetenv(LAUNCHED_SIZE); /* programs that this one runs are not ranks */
    unsetenv(SLURM_PMIX);
    done = true;
    return GPA_OK;
}

/* The program gpa, in the folder of this plugin or, installed, next to it. */
static bool find_program(char *out, size_t n) {
    static const char *const programs[] = {"gpa", "../../bin/gpa"};
    bool (*here)(char *, size_t) = find_program;
    char path[PATH_MAX];
    void *address;
    Dl_info own;
    memcpy(&address, &here, sizeof address); /* ISO C has no cast from a function to void * */
    if (!dladdr(address, &own)) return false;
    snprintf(path, sizeof path, "%s", own.dli_fname);
    const char *folder = dirname(path);
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        snprintf(out, n, "%s/%s", folder, programs[i]);
        if (!access(out, X_OK)) return true;
    }
    return false;
}

gpa_code mpi_respawn(const mpi_functions *m, int n, mpi_handle *comm, gpa_err *e) {
    enum { ATTEMPTS = 5 }; /* on a busy machine connections of Open MPI break while they begin */
    char command[PATH_MAX + 16], word[] = "rank-worker", *args[] = {word, NULL};
    mpi_handle inter;
    if (!find_program(command, sizeof command))
        return gpa_fail(e, GPA_E_DEVICE, "the program gpa, which workers run, is not there");
    bool failed = true;
    for (int i = 0; i < ATTEMPTS && failed; i++)
        failed = m->spawn(command, args, n - 1, m->no_info, 0, m->self, &inter, NULL);
    if (failed) return gpa_fail(e, GPA_E_DEVICE, "MPI_Comm_spawn of %d workers failed", n - 1);
    if (m->merge(inter, 0, comm)) return gpa_fail(e, GPA_E_DEVICE, "MPI_Intercomm_merge failed");
    m->set_errhandler(*comm, m->errors_return);
    return GPA_OK;
}

gpa_code mpi_start(const mpi_functions *m, int n, mpi_handle *comm, gpa_err *e) {
    bool launched = mpi_is_launched();
    gpa_code rc = initialize(m, !launched, e);
    int size = 1;
    *comm = launched ? m->world : m->self;
    if (!rc && launched) {
        m->comm_size(m->world, &size);
        if (size != n)
            return gpa_fail(e, GPA_E_DEVICE,
                            "the launcher started %d processes, but MPI connects %d: with Slurm, "
                            "`srun --mpi=pmix` or `mpirun` connects them",
                            n, size);
    }
    return rc || launched || n == 1 ? rc : mpi_respawn(m, n, comm, e);
}

gpa_code mpi_join(const mpi_functions *m, mpi_handle *comm, gpa_err *e) {
    mpi_handle parent;
    gpa_code rc = initialize(m, false, e);
    if (rc) return rc;
    m->get_parent(&parent);
    *comm = m->world;
    if (parent != m->null && m->merge(parent, 1, comm))
        return gpa_fail(e, GPA_E_DEVICE, "MPI_Intercomm_merge failed");
    m->set_errhandler(*comm, m->errors_return);
    return GPA_OK;
}

void mpi_end(const mpi_functions *m, mpi_handle comm) {
    if (comm == m->world) m->finalize();
}
