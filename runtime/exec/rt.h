/* The runtime object inside runtime/: graph/state.h plus the pool of array handles. */
#ifndef GPA_EXEC_RT_H
#define GPA_EXEC_RT_H

#include "runtime/exec/buffer.h"
#include "runtime/exec/storage.h"
#include "runtime/exec/device.h"
#include "runtime/graph/state.h"

enum { ARR_POOLED_DIMS = 4 }; /* most dimensions of a handle that is pooled */

#endif
