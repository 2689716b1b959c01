/* CUDA graphs. */
#include "runtime/cuda/driver/graph.h"

#include <string.h>

#include "runtime/base/base.h"
#include "runtime/cuda/driver/context.h"
#include "runtime/cuda/driver/stream.h"
#include "runtime/cuda/driver/wait.h"
#include "runtime/tables/tuning.h"

enum { MIN_DRIVER = 12000, MAX_SCRATCH = 8 };

/* A kernel. */
typedef struct {
    CUgraphNode node;
    cu_kernel kernel; /* without pointers */
    char *block;      /* its parameter: `bytes` of `capacity` bytes */
    size_t bytes, capacity;
} graph_node;

/* A launch of a program. */
typedef struct {
    size_t first; /* number of its first node */
    double cost;  /* estimated, in seconds */
} graph_launch;

struct gpa_graph {
    CUgraph graph;
    CUgraphExec exec; /* NULL: the first recording has not ended */
    unsigned generation;
    graph_node *nodes;
    size_t n, cap, next; /* next: the node that the next recorded kernel is */
    graph_launch *launches;
    size_t n_launches, cap_launches, launch; /* launch: how many have begun */
    double cost;                             /* of all launches, estimated, in seconds */
    CUdeviceptr scratch[MAX_SCRATCH];
    size_t scratch_bytes[MAX_SCRATCH];
    bool refused;
};

bool graph_is_supported(const gpa_dev *d) {
    const cu_driver *cu = d->cu;
    return api_driver_version() >= MIN_DRIVER && !d->second_context && cu->graph_create &&
           cu->graph_destroy && cu->graph_add_kernel && cu->graph_instantiate &&
           cu->graph_set_kernel && cu->graph_launch && cu->graph_exec_destroy;
}

/* ---- recording ---- */

gpa_code graph_begin(gpa_dev *d, gpa_graph **g, gpa_err *e) {
    gpa_graph *x = *g;
    if (!x) {
        if (!(x = *g = mem_zero(sizeof *x))) return gpa_no_memory(e);
        x->generation = d->generation;
        x->refused = d->cu->graph_create(&x->graph, 0) != CUDA_OK;
    }
    x->refused |= x->generation != d->generation;
    x->next = x->launch = 0;
    x->cost = 0;
    d->recording = x;
    return GPA_OK;
}

void graph_refuse(gpa_dev *d) {
    if (d->recording) d->recording->refused = true;
}

void graph_begin_launch(gpa_dev *d) {
    gpa_graph *g = d->recording;
    if (!g || g->refused) return;
    const bool known = g->launch < g->n_launches;
    if (known ? g->launches[g->launch].first != g->next
              : g->exec ||
                    !mem_grow(&g->launches, g->n_launches, &g->cap_launches, sizeof *g->launches)) {
        g->refused = true;
        return;
    }
    if (!known) g->launches[g->n_launches++].first = g->next;
    g->launches[g->launch++].cost = 0;
}

void graph_cost(gpa_dev *d, double seconds) {
    gpa_graph *g = d->recording;
    if (!g || g->refused) return;
    g->launches[g->launch - 1].cost = seconds;
    g->cost += seconds;
}

void graph_keep(gpa_dev *d) {
    gpa_graph *g = d->recording;
    if (g->refused || g->launch == g->n_launches) {
        g->refused = true;
        return;
    }
    g->cost += g->launches[g->launch++].cost;
    g->next = g->launch < g->n_launches ? g->launches[g->launch].first : g->n;
}

/* Copies the parameter of a launch; false: no memory. */
static bool keep_block(graph_node *x, const void *block, size_t bytes) {
    if (bytes > x->capacity) {
        char *larger = mem_new(bytes);
        if (!larger) return false;
        mem_free(x->block);
        x->block = larger;
        x->capacity = bytes;
    }
    memcpy(x->block, block, bytes);
    x->bytes = bytes;
    return true;
}

static bool is_same(const graph_node *x, const cu_kernel *k, const void *block, size_t bytes) {
    return x->kernel.function == k->function && x->kernel.shared == k->shared &&
           !memcmp(x->kernel.grid, k->grid, sizeof k->grid) &&
           !memcmp(x->kernel.block, k->block, sizeof k->block) && x->bytes == bytes &&
           !memcmp(x->block, block, bytes);
}

CUresult graph_add(gpa_dev *d, const cu_kernel *k, const void *block, size_t bytes) {
    gpa_graph *g = d->recording;
    if (g->refused) return CUDA_OK;
    const bool known = g->next < g->n;
    if (!known && (g->exec || !mem_grow(&g->nodes, g->n, &g->cap, sizeof *g->nodes))) {
        g->refused = true;
        return CUDA_OK;
    }
    graph_node *x = &g->nodes[g->next];
    if (known && is_same(x, k, block, bytes)) {
        g->next++;
        return CUDA_OK;
    }
    if (!known) *x = (graph_node){0};
    if (!keep_block(x, block, bytes)) return CUDA_OUT_OF_MEMORY;
    void *params[] = {x->block};
    x->kernel = *k;
    x->kernel.params = params;
    CUresult r = known ? d->cu->graph_set_kernel(g->exec, x->node, &x->kernel)
                       : d->cu->graph_add_kernel(&x->node, g->graph, g->next ? &x[-1].node : NULL,
                                                 g->next > 0, &x->kernel);
    x->kernel.params = NULL;
    g->next++;
    g->n = MAX(g->n, g->next);
    g->refused |= r != CUDA_OK;
    return CUDA_OK;
}

CUdeviceptr graph_scratch(gpa_dev *d, size_t bytes) {
    gpa_graph *g = d->recording;
    size_t i = 0;
    while (i < MAX_SCRATCH && g->scratch_bytes[i] && g->scratch_bytes[i] < bytes) i++;
    if (i < MAX_SCRATCH && !g->scratch_bytes[i] &&
        d->cu->alloc(&g->scratch[i], bytes, d->stream) == CUDA_OK)
        g->scratch_bytes[i] = bytes;
    if (i < MAX_SCRATCH && g->scratch_bytes[i]) return g->scratch[i];
    g->refused = true;
    return 0;
}

gpa_code graph_end(gpa_dev *d, gpa_graph *g, bool *ready, gpa_err *e) {
    (void)e;
    d->recording = NULL;
    g->refused |= g->next != g->n || g->launch != g->n_launches || !g->n ||
                  g->cost > TUNE_CUDA_GRAPH_MAX_SECONDS;
    if (!g->refused && !g->exec)
        g->refused = d->cu->graph_instantiate(&g->exec, g->graph, 0) != CUDA_OK;
    *ready = !g->refused;
    return GPA_OK;
}

/* ---- running ---- */

gpa_code graph_run(gpa_dev *d, gpa_graph *g, gpa_err *e) {
    gpa_code rc = wait_usable(d, e);
    if (!rc) rc = stream_join(d, true, e);
    if (!rc) rc = api_check(d->cu->graph_launch(g->exec, d->stream), "cuGraphLaunch", e);
    return rc ? rc : wait_throttle(d, g->cost, e);
}

void graph_free(gpa_dev *d, gpa_graph *g) {
    if (!g) return;
    const bool serves = context_serves(d, g->generation);
    if (serves && g->exec) d->cu->graph_exec_destroy(g->exec);
    if (serves && g->graph) d->cu->graph_destroy(g->graph);
    for (size_t i = 0; serves && i < MAX_SCRATCH && g->scratch_bytes[i]; i++)
        d->cu->free(g->scratch[i], d->stream);
    for (size_t i = 0; i < g->n; i++) mem_free(g->nodes[i].block);
    mem_free(g->nodes);
    mem_free(g->launches);
    mem_free(g);
}
