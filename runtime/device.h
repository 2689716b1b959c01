/* Devices: the registry of backends (built in and plugins), opened devices, the default one. */
#ifndef GPA_DEVICE_H
#define GPA_DEVICE_H

#include "runtime/backend.h"
#include "runtime/runtime.h"

struct cache;
struct gpa_buf;

/* An opened device of one runtime. */
typedef struct gpa_device {
    const gpa_backend *be;
    gpa_dev *dev;
    gpa_caps caps;
    struct cache *programs; /* cache.h: made at the first program, freed by device_close_all through cache_free */
    struct pool *pool;      /* buffer.c */
    struct gpa_device *next;
} gpa_device;

/* The default device, opened at first need: rt->device once that happened. */
gpa_code device_default(gpa_rt *rt, gpa_device **out, gpa_err *e);
/* Closes what was opened; no buffer or program may be alive but those in pools and caches. */
void device_close_all(gpa_rt *rt);

#endif
