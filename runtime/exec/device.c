/* The device registry: plugin loading, opening devices (also in the background), restart after
 * failures.
 *
 * Backends are listed in order of preference. A plugin is loaded when its devices are first
 * asked for, and stays loaded for the life of the process; if it cannot be loaded, the reason is
 * kept.
 *
 * A device may open in the background. Its thread loads the plugin and opens the device; the
 * first use of the registry joins the thread (join_opener), so that only one thread at a time
 * accesses the registry and a runtime's device list.
 *
 * Reading order: names, plugins, opening, opening in the background, failures, queries. */
#include "runtime/exec/device.h"

#include <dlfcn.h>
#include <libgen.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/exec/buffer.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/rt.h"

enum { PATH_CAPACITY = 4096, WHY_CAPACITY = 256 };

/* A registry row: a kind of device with its backend once loaded, or the reason why it cannot be
 * loaded. */
typedef struct {
    const char *name;
    const char *plugin; /* the file; NULL: built in */
    bool gpu;           /* its devices are GPUs (rt_get_gpu) */
    bool opens_slowly;  /* opened in the background */
    bool is_reference;  /* the reference device, which checks every access */
    const char *wraps;  /* the kind that its devices consist of; NULL: none */
    const gpa_backend *be;
    int count; /* number of devices; -1: not counted yet */
    char why[WHY_CAPACITY];
} kind;

static kind kinds[] = {
    {.name = "cuda", .plugin = "gpa-cuda.so", .gpu = true, .opens_slowly = true, .count = -1},
    {.name = "cpu", .plugin = "gpa-cpu.so", .count = -1},
    {.name = "ref", .be = &gpa_ref_backend, .is_reference = true, .count = -1},
    {.name = "ranks", .plugin = "gpa-ranks.so", .wraps = "cpu", .count = -1},
};

/* ---- names ---- */

/* Parses "cuda:1" into kind and number; NULL if it is no device name. */
static kind *parse_name(const char *name, int *number) {
    size_t n = strcspn(name, ":");
    *number = 0;
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        if (strlen(kinds[k].name) != n || memcmp(kinds[k].name, name, n) != 0) continue;
        if (!name[n]) return &kinds[k];
        char *end;
        long i = strtol(name + n + 1, &end, 10);
        if (end == name + n + 1 || *end || i < 0 || i > 99) return NULL;
        *number = (int)i;
        return &kinds[k];
    }
    return NULL;
}

gpa_code device_check_name(const char *name, gpa_err *e) {
    int number;
    if (parse_name(name, &number)) return GPA_OK;
    gpa_fail(e, GPA_E_VALUE, "unknown device '%.32s'", name);
    gpa_err_hint(
        e,
        "devices are called cpu, cuda, cuda:1, ranks and ref; `gpa --devices` lists what is there");
    return GPA_E_VALUE;
}

/* ---- plugins ---- */

/* Loads the plugin from `dir`. True if the file exists there, usable or not. */
static bool try_dir(kind *k, const char *dir) {
    char path[PATH_CAPACITY];
    if (snprintf(path, sizeof path, "%s/%s", dir, k->plugin) >= (int)sizeof path ||
        access(path, R_OK))
        return false;
    void *so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        snprintf(k->why, sizeof k->why, "%s", dlerror());
        return true;
    }
    gpa_backend_entry_fn entry;
    void *symbol = dlsym(so, GPA_BACKEND_ENTRY);
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from void * to a function */
    const gpa_backend *be = entry ? entry(GPA_BACKEND_ABI) : NULL;
    if (be && be->abi == GPA_BACKEND_ABI && be->size == sizeof *be &&
        be->tables == gpa_tables_hash()) {
        k->be = be;
        return true;
    }
    snprintf(k->why, sizeof k->why, "%.200s was built for another gpa", path);
    dlclose(so);
    return true;
}

/* Searches plugin_dir if given, else GPA_PLUGIN_DIR if set, else the executable's folder and
 * ../lib/gpa. */
static void load_plugin(const char *plugin_dir, kind *k) {
    char exe[PATH_CAPACITY], lib[PATH_CAPACITY + 16];
    const char *only = plugin_dir ? plugin_dir : getenv("GPA_PLUGIN_DIR");
    snprintf(k->why, sizeof k->why, "%s is not there: not built, or not installed", k->plugin);
    if (only) {
        try_dir(k, only);
        return;
    }
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0) return;
    exe[n] = 0;
    const char *dir = dirname(exe);
    snprintf(lib, sizeof lib, "%s/../lib/gpa", dir);
    if (!try_dir(k, dir)) try_dir(k, lib);
}

/* Loads the backend of a kind, and that which it wraps. False: k->why is the reason. */
static bool load(const char *plugin_dir, kind *k) {
    int number;
    if (k->be) return true;
    kind *inner = k->wraps ? parse_name(k->wraps, &number) : NULL;
    if (inner && !load(plugin_dir, inner)) {
        snprintf(k->why, sizeof k->why, "%.250s", inner->why);
        return false;
    }
    load_plugin(plugin_dir, k);
    if (k->be && inner) k->be->wrap(inner->be);
    return k->be != NULL;
}

/* The number of devices of a kind; if 0, k->why is the reason. */
static int count_devices(const char *plugin_dir, kind *k) {
    if (!load(plugin_dir, k)) return 0;
    if (k->count < 0) k->count = k->be->count(k->why, sizeof k->why);
    return k->count;
}

/* ---- opening ---- */

/* The opened device of that kind and number, or NULL. */
static gpa_device *find_open(const gpa_rt *rt, const kind *k, int number) {
    char name[sizeof((gpa_caps *)0)->name];
    snprintf(name, sizeof name, "%s:%d", k->name, number);
    for (gpa_device *d = rt->devices; d; d = d->next)
        if (d->be == k->be && (strcmp(d->caps.name, name) == 0 ||
                               (number == 0 && strcmp(d->caps.name, k->name) == 0)))
            return d;
    return NULL;
}

/* Adds an opened device to the runtime's list; closes it on failure. */
static gpa_code adopt_device_take(gpa_rt *rt, const gpa_backend *be, gpa_dev *dev, gpa_device **out,
                                  gpa_err *e) {
    gpa_device *d = mem_zero(sizeof *d);
    if (!d) {
        be->close(dev);
        return gpa_no_memory(e);
    }
    d->dev = dev;
    d->be = be;
    be->caps(dev, &d->caps);
    d->next = rt->devices;
    /* An interrupt after this store reaches the device through the list; an interrupt before it is
     * seen below. */
    __atomic_store_n(&rt->devices, d, __ATOMIC_SEQ_CST);
    if (rt_interrupted(rt)) be->interrupt(dev, true);
    *out = d;
    return GPA_OK;
}

static gpa_code open_device(gpa_rt *rt, kind *k, int number, gpa_device **out, gpa_err *e) {
    gpa_dev *dev;
    int count = count_devices(rt->config.plugin_dir, k);
    if (number >= count) {
        if (count)
            return gpa_fail(e, GPA_E_DEVICE, "%s:%d: there %s %d %s device%s", k->name, number,
                            count == 1 ? "is" : "are", count, k->name, count == 1 ? "" : "s");
        return gpa_fail(e, GPA_E_DEVICE, "%s: %s", k->name, k->why);
    }
    if ((*out = find_open(rt, k, number)))
        return (*out)->lost
                   ? gpa_fail(e, GPA_E_DEVICE, "%s has failed; it is back in a new session",
                              (*out)->caps.name)
                   : GPA_OK;
    gpa_code rc = k->be->open(number, &dev, e);
    return rc ? rc : adopt_device_take(rt, k->be, dev, out, e);
}

/* ---- opening in the background ---- */

/* A device that is opening. The thread writes the results, which are read after `done`. */
struct opener {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done; /* under the lock */
    const char *plugin_dir;
    kind *k;
    int number;
    gpa_dev *dev; /* NULL: there is no such device, or opening it failed (rc, e) */
    gpa_code rc;
    gpa_err e;
};

static void *opener_main(void *arg) {
    struct opener *o = arg;
    if (o->number < count_devices(o->plugin_dir, o->k))
        o->rc = o->k->be->open(o->number, &o->dev, &o->e);
    pthread_mutex_lock(&o->lock);
    o->done = true;
    pthread_cond_signal(&o->changed);
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

void rt_prepare(gpa_rt *rt) {
    int number = 0;
    kind *k = rt->device_name[0] ? parse_name(rt->device_name, &number) : &kinds[0];
    sigset_t all, before;
    if (rt->prepared) return;
    rt->prepared = true;
    if (rt->device || !k || !k->opens_slowly) return;
    struct opener *o = mem_zero(sizeof *o);
    if (!o) return;
    o->plugin_dir = rt->config.plugin_dir;
    o->k = k;
    o->number = number;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    sigfillset(&all); /* the opener thread blocks all signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&o->thread, NULL, opener_main, o))
        mem_free(o);
    else
        rt->opener = o;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool is_done(struct opener *o) {
    pthread_mutex_lock(&o->lock);
    bool done = o->done;
    pthread_mutex_unlock(&o->lock);
    return done;
}

/* Waits for the device that is opening, if any, and adopts it; an interrupt ends the wait. If a
 * device that was not requested by name fails to open, it becomes unavailable; that is no error. */
static gpa_code join_opener(gpa_rt *rt, gpa_err *e) {
    struct opener *o = rt->opener;
    gpa_device *d;
    if (!o) return GPA_OK;
    pthread_mutex_lock(&o->lock);
    while (!o->done && !rt_interrupted(rt)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50 * 1000 * 1000;
        if (until.tv_nsec >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
        pthread_cond_timedwait(&o->changed, &o->lock, &until);
    }
    bool done = o->done;
    pthread_mutex_unlock(&o->lock);
    if (!done) return gpa_interrupted(e);
    pthread_join(o->thread, NULL);
    rt->opener = NULL;
    gpa_code rc = o->dev ? adopt_device_take(rt, o->k->be, o->dev, &d, e) : GPA_OK;
    if (o->rc && !rt->device_name[0]) {
        snprintf(o->k->why, sizeof o->k->why, "%.255s", o->e.msg);
        o->k->count = 0;
    }
    pthread_cond_destroy(&o->changed);
    pthread_mutex_destroy(&o->lock);
    mem_free(o);
    return rc;
}

bool rt_is_starting(const gpa_rt *rt) { return rt->opener && !is_done(rt->opener); }

gpa_code device_default(gpa_rt *rt, gpa_device **out, gpa_err *e) {
    if (!rt->device) {
        rt_prepare(rt); /* in the background, so that the wait can be interrupted */
        gpa_code rc = join_opener(rt, e);
        int number;
        if (rc) return rc;
        rc = GPA_E_DEVICE;
        if (rt->device_name[0]) {
            kind *k = parse_name(rt->device_name, &number);
            rc = k ? open_device(rt, k, number, &rt->device, e)
                   : device_check_name(rt->device_name, e);
        }
        for (size_t i = 0; !rt->device_name[0] && rc && rc != GPA_E_VALUE && i < COUNT_OF(kinds);
             i++) {
            gpa_err quiet = {0}; /* not requested by name: fall back to the next one */
            bool last = i + 1 == COUNT_OF(kinds);
            if (count_devices(rt->config.plugin_dir, &kinds[i]) == 0 && !last) continue;
            rc = open_device(rt, &kinds[i], 0, &rt->device, last ? e : &quiet);
            if (rc == GPA_E_VALUE && e && !last)
                *e = quiet; /* an unreadable setting is the user's error */
        }
        if (rc) return rc;
    }
    *out = rt->device;
    return GPA_OK;
}

/* ---- failures ---- */

/* Drops a failed device's programs and memory, and restarts it. */
static gpa_code restart(gpa_rt *rt, gpa_device *d) {
    gpa_err quiet = {0};
    if (d->programs) d->free_programs(d);
    buf_trim(rt, d);
    d->epoch++;
    return d->be->restart(d->dev, &quiet);
}

gpa_code device_result(gpa_rt *rt, gpa_device *d, gpa_code rc, gpa_err *e) {
    if (rc != GPA_E_DEVICE || d->lost || !d->be->broken || !d->be->broken(d->dev)) return rc;
    d->lost = restart(rt, d) != GPA_OK;
    if (!d->lost) {
        if (e) gpa_err_hint(e, "%s was started afresh: what only it held is lost", d->caps.name);
        return rc;
    }
    if (rt->device == d) {
        rt->device = NULL;
        rt->device_name[0] = 0;
    }
    if (e)
        gpa_err_hint(e,
                     "%s is lost to this session, with what only it held; %s is the current device "
                     "now; a new process has it back (`%%restart`)",
                     d->caps.name, rt_device(rt));
    return rc;
}

bool rt_revive(gpa_rt *rt) {
    bool any = false;
    for (gpa_device *d = rt->devices; d; d = d->next) {
        if (d->lost || !d->be->broken || !d->be->broken(d->dev)) continue;
        d->lost = restart(rt, d) != GPA_OK;
        d->revived = any = true;
    }
    return any;
}

bool rt_is_held(const gpa_rt *rt) {
    for (const gpa_device *d = rt->devices; d; d = d->next)
        if (d->revived || (!d->lost && d->be->broken && d->be->broken(d->dev))) return true;
    return false;
}

void device_close_all(gpa_rt *rt) {
    if (rt->opener) {
        rt_interrupt_clear(rt); /* this wait cannot be interrupted: the thread uses the runtime */
        join_opener(rt, NULL);
    }
    while (rt->devices) {
        gpa_device *d = rt->devices;
        rt->devices = d->next;
        if (d->programs) d->free_programs(d);
        buf_close_pool(rt, d);
        d->be->close(d->dev);
        mem_free(d);
    }
    rt->device = NULL;
}

/* ---- ranks ---- */

gpa_code rt_serve(const char *device, gpa_err *e) {
    int number;
    kind *k = parse_name(device, &number);
    if (!k || !load(NULL, k) || !k->be->serve)
        return gpa_fail(e, GPA_E_DEVICE, "%s: %s", device, k ? k->why : "no such device");
    return k->be->serve(e);
}

gpa_code rt_ranks(gpa_rt *rt, gpa_str *out, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    if (rc) return rc;
    if (d->be->describe)
        d->be->describe(d->dev, out);
    else
        str_printf(out, "%s is one process; `gpa --ranks N` starts several\n", d->caps.name);
    return GPA_OK;
}

gpa_code rt_restart_ranks(gpa_rt *rt, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    if (rc) return rc;
    if (!d->be->renew)
        return gpa_fail(e, GPA_E_VALUE, "%s is one process; `gpa --ranks N` starts several",
                        d->caps.name);
    return device_result(rt, d, d->be->renew(d->dev, e), e);
}

/* ---- queries ---- */

void rt_devices(gpa_rt *rt, gpa_str *out) {
    if (join_opener(rt, NULL)) return;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        kind *k = &kinds[i];
        int count = count_devices(rt->config.plugin_dir, k);
        if (count == 0) str_printf(out, "%s: %s\n", k->name, k->why);
        for (int n = 0; n < count; n++) {
            gpa_device *d;
            gpa_err e = {0};
            if (open_device(rt, k, n, &d, &e)) {
                str_printf(out, "%s:%d: %s\n", k->name, n, e.msg);
                continue;
            }
            str_printf(out, "%s: %s", d->caps.name, d->caps.desc);
            if (d->caps.mem_total)
                str_printf(out, ", %.1f GiB", (double)d->caps.mem_total / (1 << 30));
            str_putc(out, '\n');
        }
    }
}

const char *rt_device(gpa_rt *rt) {
    gpa_device *d;
    return device_default(rt, &d, NULL) ? rt->device_name : d->caps.name;
}

bool rt_is_gpu(gpa_rt *rt) {
    gpa_device *d;
    return !device_default(rt, &d, NULL) && d->caps.gpu;
}

bool rt_has_cuda_code(gpa_rt *rt) {
    gpa_device *d;
    return !device_default(rt, &d, NULL) && d->caps.cuda_code;
}

const char *rt_reference_device(void) {
    const kind *k = kinds;
    while (!k->is_reference) k++;
    return k->name;
}

const char *rt_host_device(gpa_rt *rt) {
    gpa_device *d;
    gpa_err quiet = {0};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (!kinds[i].gpu && !device_named(rt, kinds[i].name, &d, &quiet) && d->caps.host_visible)
            return d->caps.name;
    return rt_reference_device();
}

gpa_code device_named(gpa_rt *rt, const char *name, gpa_device **out, gpa_err *e) {
    int number;
    kind *k = parse_name(name, &number);
    gpa_code rc = k ? join_opener(rt, e) : device_check_name(name, e);
    return rc ? rc : open_device(rt, k, number, out, e);
}

gpa_code rt_set_device(gpa_rt *rt, const char *name, gpa_err *e) {
    gpa_device *d = NULL;
    gpa_code rc = *name ? device_named(rt, name, &d, e) : GPA_OK;
    if (!rc && d != rt->device) rc = rt->n_pending ? exec_pending(rt, CUT_MOVE, e) : GPA_OK;
    if (rc) return rc;
    rt->device = d;
    snprintf(rt->device_name, sizeof rt->device_name, "%s", d ? d->caps.name : "");
    return GPA_OK;
}

gpa_code rt_get_device(gpa_rt *rt, rt_device_facts *out, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = device_default(rt, &d, e);
    if (rc) return rc;
    *out = (rt_device_facts){.total = d->caps.mem_total};
    memcpy(out->name, d->caps.name, sizeof out->name);
    memcpy(out->desc, d->caps.desc, sizeof out->desc);
    return buf_limit(rt, d, &out->limit, e);
}

gpa_code rt_get_gpu(gpa_rt *rt, int i, rt_gpu_facts *out, gpa_err *e) {
    kind *k = kinds;
    gpa_code rc = join_opener(rt, e);
    if (rc) return rc;
    while (!k->gpu) k++;
    int count = count_devices(rt->config.plugin_dir, k);
    gpa_status s = {.utilisation = -1, .temperature = -1, .others = -1};
    if (!count) return gpa_fail(e, GPA_E_DEVICE, "%s", k->why);
    if (i < 0 || i >= count) return gpa_fail(e, GPA_E_DEVICE, "there is no GPU %d", i);
    if (!k->be->status)
        return gpa_fail(e, GPA_E_DEVICE, "the driver reports no status for this GPU");
    rc = k->be->status(i, &s, e);
    *out = (rt_gpu_facts){.total = s.total,
                          .used = s.used,
                          .used_here = s.used_here,
                          .utilisation = s.utilisation,
                          .temperature = s.temperature,
                          .others = s.others};
    memcpy(out->name, s.name, sizeof out->name);
    memcpy(out->driver, s.driver, sizeof out->driver);
    return rc;
}

const char *rt_device_requested(const gpa_rt *rt) { return rt->device_name; }

gpa_code rt_find_device(gpa_rt *rt, const char *name, const char **full, uint64_t *free_bytes,
                        uint64_t *total, gpa_err *e) {
    gpa_device *d;
    gpa_caps now;
    gpa_code rc = device_named(rt, name, &d, e);
    if (rc) return rc;
    if (free_bytes || total) d->be->caps(d->dev, &now);
    if (free_bytes) *free_bytes = now.mem_free;
    if (total) *total = now.mem_total;
    *full = d->caps.name;
    return GPA_OK;
}

gpa_code rt_attribute(gpa_rt *rt, const char *name, int which, int64_t elsewhere, int64_t *out,
                      gpa_err *e) {
    gpa_device *d;
    int v = 0;
    gpa_code rc = device_named(rt, name, &d, e);
    if (!rc && d->be->attribute) rc = d->be->attribute(d->dev, which, &v, e);
    if (!rc) *out = d->be->attribute ? v : elsewhere;
    return rc;
}

gpa_code rt_launch_facts(gpa_rt *rt, const char *name, rt_facts *out, gpa_err *e) {
    gpa_device *d;
    gpa_code rc = device_named(rt, name, &d, e);
    if (rc) return rc;
    *out = (rt_facts){.max_threads = d->caps.max_threads,
                      .max_shared = d->caps.max_shared,
                      .units = d->caps.units,
                      .major = d->caps.compute_major,
                      .minor = d->caps.compute_minor};
    snprintf(out->description, sizeof out->description, "%s", d->caps.desc);
    return GPA_OK;
}
