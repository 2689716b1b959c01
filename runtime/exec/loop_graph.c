/* Device graphs of replayed loops. */
#include "runtime/exec/loop_graph.h"

#include <stdio.h>

#include "runtime/exec/loop_model.h"

void loop_graph_free(loop_graph *x) {
    if (x->graph) x->device->be->graph_free(x->device->dev, x->graph);
    for (size_t i = 0; i < x->n; i++) program_release(x->programs[i]);
    *x = (loop_graph){0};
}

static bool is_of(const loop_graph *x, const loop_log *g, uint32_t trips) {
    if (x->device != g->device || x->trips != trips || x->n != g->n_actions) return false;
    for (size_t i = 0; i < x->n; i++)
        if (x->programs[i] != g->actions[i].program) return false;
    return true;
}

loop_graph *loop_graph_find(gpa_rt *rt, const loop_log *g, uint32_t trips) {
    struct loop_replay *r = rt->loop_replay;
    for (size_t i = 0; i < LOOP_GRAPHS; i++)
        if (is_of(&r->graphs[i], g, trips)) {
            r->graphs[i].used = ++r->graph_uses;
            return &r->graphs[i];
        }
    return NULL;
}

loop_graph *loop_graph_get(gpa_rt *rt, const loop_log *g, uint32_t trips) {
    struct loop_replay *r = rt->loop_replay;
    loop_graph *x = loop_graph_find(rt, g, trips);
    if (x) return x;
    x = &r->graphs[0];
    for (size_t i = 1; i < LOOP_GRAPHS; i++)
        if (r->graphs[i].used < x->used) x = &r->graphs[i];
    loop_graph_free(x);
    x->device = g->device;
    x->n = g->n_actions;
    x->trips = trips;
    x->used = ++r->graph_uses;
    for (size_t i = 0; i < x->n; i++) x->programs[i] = program_retain(g->actions[i].program);
    snprintf(x->name, sizeof x->name, "graph of %u iterations, %zu launch%s each", trips, x->n,
             x->n == 1 ? "" : "es");
    return x;
}
