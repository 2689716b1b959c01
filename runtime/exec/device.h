/* Devices: the registry of backends (built in and plugins), opened devices, the current device.
 *
 * Backends are loaded once per process: the registry is the program's only mutable global.
 * Devices belong to a runtime and open at first need. device.c also implements rt_devices,
 * rt_prepare, rt_device and rt_set_device. */
#ifndef GPA_EXEC_DEVICE_H
#define GPA_EXEC_DEVICE_H

#include "runtime/backend.h"
#include "runtime/runtime.h"

struct program_cache;
struct pool;

/* An opened device of one runtime. */
typedef struct gpa_device {
    const gpa_backend *be;
    gpa_dev *dev;
    gpa_caps caps;
    struct program_cache *programs;              /* program_cache.c: made at the first program */
    void (*free_programs)(struct gpa_device *d); /* set with it; device_close_all calls it */
    struct pool *pool;                           /* buffer.c */
    uint32_t epoch;      /* incremented by a restart: older buffers and programs are lost */
    bool revived;        /* by rt_revive: the kernel that held it may still run */
    bool lost;           /* it failed and cannot be restarted */
    bool shares_memory;  /* foreign code has used memory of the device */
    uint64_t idle_since; /* exec_wait: launches and library calls of the runtime, plus 1, at the
                            last wait for the device; 0: never */
    double bandwidth;    /* bandwidth.c: measured; 0: not yet */
    struct gpa_device *next;
} gpa_device;

/* Checks the syntax of a device name ("ref", "cpu", "cuda", "cuda:1") without opening it.
 * GPA_E_VALUE. */
gpa_code device_check_name(const char *name, gpa_err *e);
/* The current device, opened at first need: rt->device from then on. Without a requested name,
 * the first of the registry that opens; GPA_E_DEVICE, with the reason, if the requested one does
 * not. */
gpa_code device_default(gpa_rt *rt, gpa_device **out, gpa_err *e);
/* The device of that name, opened at first need. */
gpa_code device_named(gpa_rt *rt, const char *name, gpa_device **out, gpa_err *e);
/* Passes on the result of a device call. If the device failed as a whole, restarts it (its
 * memory contents are lost) or, if that is impossible, retires it and makes another device
 * current. */
gpa_code device_result(gpa_rt *rt, gpa_device *d, gpa_code rc, gpa_err *e);
/* Closes all devices. Buffers and programs may only remain in pools and caches. */
void device_close_all(gpa_rt *rt);

#endif
