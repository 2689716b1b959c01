/* The ranks device: several processes, which MPI connects, as one device.
 *
 * Rank 0 runs the user's program; the others are workers (worker.h). Every rank has an inner device
 * (the CPU) and its own copy of each block of memory, of which it holds the bytes that it wrote or
 * fetched (placement.h). Large launches and library calls are divided among the ranks (launch.c,
 * library.c); what cannot be divided and the host's own work run on rank 0, after fetching what
 * they need.
 *
 * Reading order: this file, device.h, launch.c, library.c, memory.c, worker.c; region.c,
 * placement.c, wire.c; mpi.c and channel.c. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/ir/libcall.h"
#include "runtime/ranks/device.h"
#include "runtime/ranks/worker.h"

/* Launches of fewer bytes run on rank 0: the messages would cost more. */
enum { DEFAULT_THRESHOLD = 1 << 20 };

static const gpa_backend *inner; /* of `wrap` */

/* ---- open and close ---- */

static void ranks_wrap(const gpa_backend *be) { inner = be; }

/* Ranks whose messages are only counted (GPA_RANKS_SIMULATED); 0: not wanted. */
static int simulated_ranks(void) {
    const char *text = getenv("GPA_RANKS_SIMULATED");
    const int n = text ? atoi(text) : 0;
    return n > 1 && n <= MPI_MAX_RANKS ? n : 0;
}

static int ranks_count(char *why, size_t n) {
    int wanted;
    gpa_err e = {0};
    if (simulated_ranks()) return 1;
    if (mpi_wanted(&wanted, &e)) {
        snprintf(why, n, "%.200s", e.msg);
        return 0;
    }
    if (!mpi_open(why, n)) return 0;
    if (wanted < 2) {
        snprintf(why, n, "one process; `gpa --ranks N` and `mpirun -n N gpa` start several");
        return 0;
    }
    return 1;
}

static gpa_code read_threshold(uint64_t *out, gpa_err *e) {
    const char *text = getenv("GPA_RANKS_THRESHOLD");
    *out = DEFAULT_THRESHOLD;
    if (!text || !*text || str_read_bytes(text, 0, out)) return GPA_OK;
    return gpa_fail(e, GPA_E_VALUE, "GPA_RANKS_THRESHOLD: '%.40s' is not an amount of memory",
                    text);
}

/* One thread per rank, unless the user has chosen. */
static void choose_threads(void) { setenv("GPA_NUM_THREADS", "1", 0); }

/* Hash of what must be equal on all ranks: the program, and the processor, which decides how
 * launches are divided into parts. */
static uint64_t identity_of(gpa_dev *device) {
    gpa_caps caps;
    inner->caps(device, &caps);
    return hash_bytes(caps.desc, strlen(caps.desc), gpa_tables_hash());
}

/* The connection to the workers. It outlives the device: MPI starts once in a process. */
static channel connection;
static bool connected;

/* At exit: ends the workers. */
static void disconnect(void) {
    gpa_err quiet = {0};
    wire_head end = {WIRE_END, 0};
    gpa_code rc = GPA_OK;
    if (!connected) return;
    connected = false;
    signal(SIGPIPE, SIG_IGN); /* MPI's daemon may end before this process */
    for (int r = 1; r < connection.size && !rc; r++)
        rc = channel_send(&connection, r, CHANNEL_COMMAND, &end, sizeof end, &quiet);
    if (!rc) rc = channel_finish_sends(&connection, &quiet);
    for (int r = 1; r < connection.size && !rc; r++) channel_await_end(&connection, r);
    if (!rc) mpi_end(connection.mpi, connection.comm);
    channel_free_sends(&connection);
}

static gpa_code connect_workers(const gpa_dev *d, gpa_err *e) {
    char why[256] = "";
    int wanted;
    mpi_handle comm;
    gpa_code rc = mpi_wanted(&wanted, e);
    if (rc || connected) return rc;
    const mpi_functions *m = mpi_open(why, sizeof why);
    if (!m) return gpa_fail(e, GPA_E_DEVICE, "ranks: %s", why);
    rc = mpi_start(m, wanted, &comm, e);
    if (!rc) rc = channel_open(&connection, m, comm, identity_of(d->inner), e);
    if (rc) return rc;
    connected = true;
    atexit(disconnect);
    return GPA_OK;
}

static void ranks_close(gpa_dev *d);

static gpa_code ranks_open(int i, gpa_dev **out, gpa_err *e) {
    gpa_code rc = GPA_OK;
    (void)i;
    gpa_dev *d = mem_zero(sizeof *d);
    if (!d) return gpa_no_memory(e);
    for (int r = 0; r < MPI_MAX_RANKS; r++) str_init(&d->commands[r]);
    d->be = inner;
    choose_threads();
    TRY(read_threshold(&d->threshold, e));
    TRY(inner->open(0, &d->inner, e));
    d->n = simulated_ranks();
    d->simulated = d->n > 0;
    if (!d->simulated) {
        TRY(connect_workers(d, e));
        d->n = connection.size;
    }
    d->c = &connection;
    d->c->stop = &d->stop;
    *out = d;
    return GPA_OK;
out:
    ranks_close(d);
    return rc;
}

static void ranks_close(gpa_dev *d) {
    gpa_err quiet = {0};
    library_free_scratch(d);
    memory_free_table(d);
    if (d->n > 1 && !d->broken) device_settle(d, &quiet);
    mem_free(d->program_ids.free_ids);
    mem_free(d->moves);
    for (int r = 0; r < MPI_MAX_RANKS; r++) str_free(&d->commands[r]);
    if (d->broken) connected = false; /* what is left of the workers sees that this process ends */
    if (d->c) {
        d->c->stop = NULL;
        channel_free_sends(d->c);
    }
    if (d->inner) inner->close(d->inner);
    mem_free(d);
}

static gpa_code ranks_serve(gpa_err *e) {
    char why[256] = "";
    mpi_handle comm;
    channel c = {.stop = NULL};
    const mpi_functions *m = mpi_open(why, sizeof why);
    if (!m) return gpa_fail(e, GPA_E_DEVICE, "ranks: %s", why);
    choose_threads();
    channel_prepare_worker();
    gpa_dev *device;
    gpa_code rc = inner->open(0, &device, e);
    if (rc) return rc;
    rc = mpi_join(m, &comm, e);
    if (!rc) rc = channel_open(&c, m, comm, identity_of(device), e);
    if (!rc) rc = worker_serve(&c, inner, device, e);
    inner->close(device);
    channel_free_sends(&c);
    if (!rc) mpi_end(m, comm);
    return rc;
}

static void ranks_caps(gpa_dev *d, gpa_caps *out) {
    inner->caps(d->inner, out);
    snprintf(out->name, sizeof out->name, "ranks");
    char one[sizeof out->desc];
    memcpy(one, out->desc, sizeof one);
    snprintf(out->desc, sizeof out->desc, "%d ranks, %.80s", d->n, one);
}

/* ---- memory ---- */

static gpa_code ranks_alloc(gpa_dev *d, size_t n, gpa_mem **out, gpa_err *e) {
    gpa_code rc = inner->alloc(d->inner, n, out, e);
    if (rc == GPA_E_MEMORY && library_free_scratch(d)) {
        if (e) gpa_err_clear(e);
        rc = inner->alloc(d->inner, n, out, e);
    }
    return rc ? rc : memory_new_take(d, *out, n, e);
}

static void ranks_free(gpa_dev *d, gpa_mem *m) { memory_free(d, m); }

static void *ranks_base(gpa_mem *m) { return inner->base(m); }

/* Bytes that the host reads, writes or keeps the address of are fetched to rank 0. */
static gpa_code ranks_host_access(gpa_dev *d, gpa_mem *mem, const gpa_host_access *x, gpa_err *e) {
    memory *m = memory_find(d, mem);
    gpa_code rc = GPA_OK;
    const bool keep = x->use == GPA_HOST_KEEP, ahead = device_is_ahead(d);
    const size_t from = keep ? 0 : x->at, to = keep ? (m ? m->n : 0) : x->at + x->n;
    if (!m) return rc;
    if (m->where.n == 1 && rank_set_is_only(&m->where.run[0].ranks, 0) && !keep && !ahead)
        return rc;
    if (d->broken) return gpa_fail(e, GPA_E_DEVICE, "a rank has failed");
    TRY(memory_fetch(d, m, 0, from, to, e));
    if (d->n_moves) d->since.why = "gather";
    if (d->n_moves || ahead) TRY(device_settle(d, e));
    if (x->use != GPA_HOST_READ) TRY(memory_own(m, 0, from, to, e));
    m->kept |= keep;
out:
    return rc;
}

static gpa_code ranks_adopt(gpa_dev *d, void *at, size_t n, gpa_mem **out, gpa_err *e) {
    gpa_code rc = inner->adopt(d->inner, at, n, out, e);
    if (rc) return rc;
    rc = memory_new_take(d, *out, n, e);
    if (rc) return rc;
    return ranks_host_access(d, *out, &(gpa_host_access){0, n, GPA_HOST_KEEP}, e);
}

static gpa_code ranks_upload(gpa_dev *d, gpa_mem *to, size_t at, const void *from, size_t n,
                             gpa_err *e) {
    gpa_code rc = ranks_host_access(d, to, &(gpa_host_access){at, n, GPA_HOST_WRITE}, e);
    return rc ? rc : inner->upload(d->inner, to, at, from, n, e);
}

static gpa_code ranks_download(gpa_dev *d, void *to, gpa_mem *from, size_t at, size_t n,
                               gpa_err *e) {
    gpa_code rc = ranks_host_access(d, from, &(gpa_host_access){at, n, GPA_HOST_READ}, e);
    return rc ? rc : inner->download(d->inner, to, from, at, n, e);
}

static gpa_code ranks_copy(gpa_dev *d, const gpa_copy *c, gpa_err *e) {
    gpa_code rc =
        ranks_host_access(d, c->from, &(gpa_host_access){c->from_at, c->n, GPA_HOST_READ}, e);
    if (!rc)
        rc = ranks_host_access(d, c->to, &(gpa_host_access){c->to_at, c->n, GPA_HOST_WRITE}, e);
    return rc ? rc : inner->copy(d->inner, c, e);
}

/* ---- programs and library calls ---- */

static double ranks_compile_seconds(const gpa_prog *p) { return inner->compile_seconds(p->inner); }

static gpa_code ranks_dump(gpa_dev *d, gpa_prog *p, gpa_dump what, gpa_str *out, gpa_err *e) {
    return inner->dump(d->inner, p->inner, what, out, e);
}

static bool ranks_lib_can(gpa_dev *d, const gpa_libcall *c) { return inner->lib_can(d->inner, c); }

/* ---- control ---- */

static gpa_code ranks_sync(gpa_dev *d, gpa_err *e) {
    gpa_code rc = inner->sync(d->inner, e);
    return rc || d->broken || !device_is_ahead(d) ? rc : device_settle(d, e);
}

static void ranks_interrupt(gpa_dev *d, bool on) {
    __atomic_store_n(&d->stop, on, __ATOMIC_RELAXED);
    inner->interrupt(d->inner, on);
}

static bool ranks_broken(gpa_dev *d) { return d->broken; }

/* Ends all workers and starts new ones; not those of a launcher. */
static gpa_code ranks_restart(gpa_dev *d, gpa_err *e) {
    if (d->simulated) return gpa_fail(e, GPA_E_DEVICE, "simulated ranks cannot be started again");
    const channel old = *d->c;
    mpi_handle comm;
    if (old.comm == old.mpi->world)
        return gpa_fail(e, GPA_E_DEVICE, "the launcher's ranks cannot be started again");
    for (int r = 1; r < d->n; r++) channel_kill(&old, r);
    for (int r = 1; r < d->n; r++) channel_await_end(&old, r); /* the daemon notices, too */
    gpa_code rc = mpi_respawn(old.mpi, d->n, &comm, e);
    channel_free_sends(d->c);
    if (!rc) rc = channel_open(d->c, old.mpi, comm, old.peers[0].identity, e);
    if (rc) return rc;
    for (int r = 0; r < d->n; r++) str_clear(&d->commands[r]);
    for (size_t i = 0; i < d->table_size; i++)
        if (d->table[i]) d->table[i]->users = (rank_set){{0}};
    d->n_moves = 0;
    d->commanded = false;
    device_forget_launches(d);
    d->broken = false;
    d->epoch++;
    return GPA_OK;
}

/* The same of workers that have not failed: rank 0 first fetches all arrays. */
static gpa_code ranks_renew(gpa_dev *d, gpa_err *e) {
    gpa_code rc = GPA_OK;
    if (d->simulated || d->c->comm == d->c->mpi->world) return ranks_restart(d, e);
    for (size_t i = 0; i < d->table_size; i++)
        if (d->table[i]) TRY(memory_fetch(d, d->table[i], 0, 0, d->table[i]->n, e));
    TRY(device_settle(d, e));
    for (size_t i = 0; i < d->table_size; i++)
        if (d->table[i]) TRY(memory_own(d->table[i], 0, 0, d->table[i]->n, e));
    for (int r = 1; r < d->n; r++) wire_put_head(&d->commands[r], WIRE_END, 0);
    TRY(device_exchange(d, e));
    for (int r = 1; r < d->n; r++) channel_await_end(d->c, r);
    rc = ranks_restart(d, e);
out:
    return rc;
}

static void ranks_traffic(gpa_dev *d, gpa_traffic *out) {
    *out = d->since;
    out->bytes = d->moved - d->since.bytes;
    out->messages = d->messages - d->since.messages;
    if (!out->why) out->why = "gather"; /* for the host */
    d->since = (gpa_traffic){.bytes = d->moved, .messages = d->messages};
}

static void ranks_describe(gpa_dev *d, gpa_str *out) {
    char bytes[32];
    if (d->simulated)
        str_printf(out,
                   "%d simulated ranks: %llu commands of %llu bytes, %llu replies of %llu bytes, "
                   "%llu transfers of %llu bytes\n",
                   d->n, (unsigned long long)d->commands_sent, (unsigned long long)d->command_bytes,
                   (unsigned long long)d->replies, (unsigned long long)d->reply_bytes,
                   (unsigned long long)d->messages, (unsigned long long)d->moved);
    for (int r = 0; r < d->n && !d->simulated; r++) {
        uint64_t here = 0;
        for (size_t i = 0; i < d->table_size; i++) {
            const memory *m = d->table[i];
            for (size_t k = 0, from = 0; m && k < m->where.n; from = m->where.run[k++].end)
                if (rank_set_has(&m->where.run[k].ranks, r)) here += m->where.run[k].end - from;
        }
        str_printf(out, "rank %d: process %d on %s, %s%s\n", r, (int)d->c->peers[r].pid,
                   d->c->peers[r].host, str_bytes(bytes, (double)here),
                   d->broken && channel_is_dead(d->c, r) ? ", ended" : "");
    }
    str_printf(out, "%llu launches were divided; %s moved between ranks in %llu messages\n",
               (unsigned long long)d->shared, str_bytes(bytes, (double)d->moved),
               (unsigned long long)d->messages);
}

static gpa_backend table = {.abi = GPA_BACKEND_ABI,
                            .size = sizeof(gpa_backend),
                            .name = "ranks",
                            .count = ranks_count,
                            .open = ranks_open,
                            .close = ranks_close,
                            .caps = ranks_caps,
                            .alloc = ranks_alloc,
                            .free = ranks_free,
                            .base = ranks_base,
                            .host_access = ranks_host_access,
                            .adopt = ranks_adopt,
                            .upload = ranks_upload,
                            .download = ranks_download,
                            .copy = ranks_copy,
                            .build = launch_build,
                            .drop = launch_drop,
                            .compile_seconds = ranks_compile_seconds,
                            .run = launch_run,
                            .dump = ranks_dump,
                            .lib_can = ranks_lib_can,
                            .lib_run = library_run,
                            .sync = ranks_sync,
                            .interrupt = ranks_interrupt,
                            .broken = ranks_broken,
                            .restart = ranks_restart,
                            .renew = ranks_renew,
                            .wrap = ranks_wrap,
                            .serve = ranks_serve,
                            .traffic = ranks_traffic,
                            .describe = ranks_describe};

/* The only symbol that the plugin exports. */
__attribute__((visibility("default"))) const gpa_backend *gpa_backend_entry(uint32_t abi);

const gpa_backend *gpa_backend_entry(uint32_t abi) {
    if (abi != GPA_BACKEND_ABI) return NULL;
    table.tables = gpa_tables_hash();
    return &table;
}
