/* Placement of memory: placement.h. */
#include "runtime/ranks/placement.h"

#include "runtime/base/base.h"

bool placement_init(placement *p, size_t n) {
    *p = (placement){0};
    if (!mem_grow(&p->run, 0, &p->cap, sizeof *p->run)) return false;
    p->run[p->n++] = (placement_run){.end = n};
    return true;
}

void placement_free(placement *p) {
    mem_free(p->run);
    *p = (placement){0};
}

size_t placement_find(const placement *p, size_t at) {
    size_t lo = 0, hi = p->n - 1;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (p->run[middle].end > at)
            hi = middle;
        else
            lo = middle + 1;
    }
    return lo;
}

/* Ensures that a run ends at `at`. */
static bool cut(placement *p, size_t at) {
    if (at == 0) return true;
    size_t i = placement_find(p, at - 1);
    if (p->run[i].end == at) return true;
    if (!mem_grow(&p->run, p->n, &p->cap, sizeof *p->run)) return false;
    memmove(p->run + i + 1, p->run + i, (p->n - i) * sizeof *p->run);
    p->run[i].end = at;
    p->n++;
    return true;
}

/* Joins equal neighbours among the runs from `first` - 1 to `last` + 1. */
static void join(placement *p, size_t first, size_t last) {
    size_t to = first ? first - 1 : 0, end = MIN(last + 2, p->n);
    for (size_t i = to + 1; i < end; i++) {
        if (!rank_set_equal(&p->run[i].ranks, &p->run[to].ranks)) to++;
        if (i != to) p->run[to] = p->run[i];
    }
    memmove(p->run + to + 1, p->run + end, (p->n - end) * sizeof *p->run);
    p->n -= end - to - 1;
}

static bool change(placement *p, size_t from, size_t to, int rank, bool keep) {
    if (from >= to) return true;
    if (!cut(p, from) || !cut(p, to)) return false;
    size_t first = placement_find(p, from), last = placement_find(p, to - 1);
    for (size_t i = first; i <= last; i++) {
        if (!keep) p->run[i].ranks = (rank_set){{0}};
        rank_set_add(&p->run[i].ranks, rank);
    }
    join(p, first, last);
    return true;
}

bool placement_set(placement *p, size_t from, size_t to, int rank) {
    return change(p, from, to, rank, false);
}

bool placement_add(placement *p, size_t from, size_t to, int rank) {
    return change(p, from, to, rank, true);
}
