/* A worker: the ranks but the first, which run shares of launches on their own memory. */
#ifndef GPA_RANKS_WORKER_H
#define GPA_RANKS_WORKER_H

#include "runtime/backend.h"
#include "runtime/ranks/channel.h"

/* Runs the commands of rank 0 on a device of `be` until it ends. */
gpa_code worker_serve(channel *c, const gpa_backend *be, gpa_dev *dev, gpa_err *e);

#endif
