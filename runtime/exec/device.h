/* Devices: the registry of backends (built in and plugins), opened devices, the default one.
 *
 * Backends are found once per process and stay: that table is the program's only mutable global.
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
    uint32_t epoch;      /* raised when the memory was lost: buffers of earlier ones are */
    bool revived;        /* rt_revive: what held or broke it is still there */
    bool gone;           /* it failed, and cannot be started again */
    uint64_t idle_since; /* exec_wait: launches and library calls of the runtime, plus 1, at the
                            last wait for the device; 0: never */
    double bandwidth;    /* profile.c: measured; 0: not yet */
    struct gpa_device *next;
} gpa_device;

/* Whether a name could be a device's: "ref", "cpu", "cuda", "cuda:1". GPA_E_VALUE if not; nothing
 * is opened. For rt_new. */
gpa_code device_check_name(const char *name, gpa_err *e);
/* The default device, opened at first need: rt->device once that happened. With no name asked for,
 * the best that opens; GPA_E_DEVICE, with the reason, when the one asked for does not. */
gpa_code device_default(gpa_rt *rt, gpa_device **out, gpa_err *e);
/* The device of that name, opened at first need. */
gpa_code device_named(gpa_rt *rt, const char *name, gpa_device **out, gpa_err *e);
/* Passes on the result of a call of the device. After a failure of the device as a whole it has
 * been started afresh - what was in its memory is lost - or, where that cannot be, is left aside;
 * then another one is the current one. */
gpa_code device_result(gpa_rt *rt, gpa_device *d, gpa_code rc, gpa_err *e);
/* Closes what was opened; no buffer or program may be alive but those in pools and caches. */
void device_close_all(gpa_rt *rt);

#endif
