/* Device graphs of replayed loops: the launches of several iterations, queued by one call.
 *
 * Building a graph takes as long as a few dozen launches; updating its parameters is cheaper than
 * the launches. So graphs stay for the next replay of the same programs, the least recently used
 * one makes room for a new one. */
#ifndef GPA_EXEC_LOOP_GRAPH_H
#define GPA_EXEC_LOOP_GRAPH_H

#include "runtime/exec/loop_log.h"

enum { LOOP_GRAPHS = 8 };

typedef struct loop_graph {
    gpa_device *device;                             /* NULL: unused */
    gpa_graph *graph;                               /* NULL: not built */
    program_cache_entry *programs[LOG_MAX_ACTIONS]; /* of an iteration; retained */
    size_t n;
    uint32_t trips; /* iterations in the graph */
    uint64_t used;  /* number of its latest use */
    char name[64];  /* for profiles */
} loop_graph;

/* The graph for so many iterations of a log's launches; NULL: there is none. */
loop_graph *loop_graph_find(gpa_rt *rt, const loop_log *g, uint32_t trips);
/* The same, or a new one without a graph. */
loop_graph *loop_graph_get(gpa_rt *rt, const loop_log *g, uint32_t trips);
void loop_graph_free(loop_graph *x);

#endif
