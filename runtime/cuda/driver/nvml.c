/* GPU status by NVML, which is part of the driver.
 *
 * NVML numbers devices differently from CUDA, so devices are matched by PCI bus id. A query that
 * fails (containers and MIG slices forbid some) leaves its field unknown. */
#include "runtime/cuda/driver/nvml.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/base.h"

typedef struct nvml_device *nvmlDevice_t;

typedef struct {
    unsigned long long total, free, used;
} nvml_memory;

typedef struct {
    unsigned gpu, memory;
} nvml_use;

typedef struct {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
} nvml_process;

enum { NVML_OK = 0, NVML_TEMPERATURE_GPU = 0, MAX_PROCESSES = 64, BUS_CAPACITY = 32 };

#define FN(member, symbol, parameters) int(*member) parameters;
typedef struct {
    void *library;
#include "runtime/cuda/driver/nvml.def"
} nvml;
#undef FN

/* Opens and initializes NVML once; NULL if it is missing. */
static const nvml *initialized_nvml(void) {
    static nvml table;
    static bool tried;
    if (tried) return table.library ? &table : NULL;
    tried = true;
    const struct {
        const char *symbol;
        void *slot;
    } rows[] = {
#define FN(member, symbol, parameters) {#symbol, &table.member},
#include "runtime/cuda/driver/nvml.def"
#undef FN
    };
    void *so = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!so) return NULL;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        void *found = dlsym(so, rows[i].symbol);
        if (!found) return NULL;
        memcpy(rows[i].slot, &found, sizeof found);
    }
    if (table.init() != NVML_OK) return NULL;
    table.library = so;
    return &table;
}

static void read_processes(const nvml *n, nvmlDevice_t device, gpa_status *out) {
    nvml_process all[MAX_PROCESSES];
    unsigned count = MAX_PROCESSES;
    if (n->processes(device, &count, all) != NVML_OK) return;
    out->others = 0;
    for (unsigned i = 0; i < count; i++) {
        if (all[i].pid != (unsigned)getpid())
            out->others++;
        else if (all[i].used != ~0ull)
            out->used_here = all[i].used;
    }
}

static void read_nvml(const nvml *n, nvmlDevice_t device, gpa_status *out) {
    nvml_memory memory;
    nvml_use use;
    unsigned degrees;
    n->driver(out->driver, sizeof out->driver);
    if (n->memory(device, &memory) == NVML_OK) out->total = memory.total, out->used = memory.used;
    if (n->use(device, &use) == NVML_OK) out->utilisation = (int)use.gpu;
    if (n->temperature(device, NVML_TEMPERATURE_GPU, &degrees) == NVML_OK)
        out->temperature = (int)degrees;
    read_processes(n, device, out);
}

gpa_code nvml_status(const cu_driver *cu, int i, gpa_status *out, gpa_err *e) {
    char bus[BUS_CAPACITY] = "";
    CUdevice device;
    nvmlDevice_t handle;
    gpa_code rc = api_check(cu->device_get(&device, i), "cuDeviceGet", e);
    if (!rc)
        rc = api_check(cu->device_name(out->name, sizeof out->name, device), "cuDeviceGetName", e);
    if (rc) return rc;
    const nvml *n = initialized_nvml();
    if (n && !cu->device_bus(bus, sizeof bus, device) && n->by_bus(bus, &handle) == NVML_OK)
        read_nvml(n, handle, out);
    if (!out->total) {
        size_t total = 0;
        if (!cu->device_memory(&total, device)) out->total = total;
    }
    if (!out->driver[0])
        snprintf(out->driver, sizeof out->driver, "CUDA %d.%d", api_driver_version() / 1000,
                 api_driver_version() % 1000 / 10);
    return GPA_OK;
}
