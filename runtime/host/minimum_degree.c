/* Approximate minimum degree ordering of a sparse matrix (P. R. Amestoy, T. A. Davis, I. S. Duff,
 * SIAM Journal on Matrix Analysis and Applications 17, 886-905, 1996).
 *
 * The quotient graph of A + A^T is stored as adjacency lists. An eliminated variable becomes an
 * element, whose list holds the variables it connects; the list of a variable holds its elements
 * first, then the neighbors that no element covers. Indistinguishable variables (equal lists) are
 * merged into a supervariable. Dense rows are ordered last. Reading order: degree lists, the graph,
 * degrees, an elimination, the ordering. */
#include <math.h>

#include "runtime/base/base.h"
#include "runtime/host/sparse_lu.h"

enum {
    NONE = -1,
    DENSE = 16 /* minimum degree of a dense row */,
    LOOK = 1024 /* eliminations between two polls of *stop */
};

typedef struct {
    int32_t n, left,
        total;      /* weight that is not eliminated yet, of all variables ordered by degree */
    int64_t *start; /* of each list */
    int32_t *elements, *count, *list; /* per variable: number of elements, and of all entries */
    size_t size, capacity;            /* of all lists */
    int32_t *weight; /* of variables; negative while they are in the new element; 0 once merged or
                        eliminated */
    int32_t *degree, *head, *next, *before; /* degree lists; weight of an element */
    int32_t *bucket, *after, *scratch;      /* variables whose lists have one sum; */
    uint32_t *sum;
    int32_t *parent;                  /* the variable into which one was merged */
    int64_t *stamp, *mark, flag, tag; /* of elements: 0 once absorbed */
    int32_t *pivot, pivots, least;
    double operations;
} graph;

static void graph_free(graph *g) {
    void *const all[] = {g->start, g->elements, g->count,  g->list,   g->weight, g->degree,
                         g->head,  g->next,     g->before, g->bucket, g->after,  g->scratch,
                         g->sum,   g->parent,   g->stamp,  g->mark,   g->pivot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
}

/* ---- degree lists ---- */

static void list_in(graph *g, int32_t i, int32_t degree) {
    g->degree[i] = degree;
    g->next[i] = g->head[degree];
    g->before[i] = NONE;
    if (g->head[degree] != NONE) g->before[g->head[degree]] = i;
    g->head[degree] = i;
    g->least = MIN(g->least, degree);
}

static void list_out(graph *g, int32_t i) {
    if (g->next[i] != NONE) g->before[g->next[i]] = g->before[i];
    if (g->before[i] != NONE)
        g->next[g->before[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
}

/* ---- the graph ---- */

static gpa_code graph_new(graph *g, const host_csr *a, gpa_err *e) {
    const size_t n = (size_t)a->m, ints = n * sizeof(int32_t), longs = (n + 1) * sizeof(int64_t);
    *g = (graph){.n = (int32_t)n, .flag = 2, .tag = 1, .capacity = (size_t)a->count * 2 + n};
    g->start = mem_zero(longs), g->stamp = mem_new(longs), g->mark = mem_zero(longs);
    g->elements = mem_zero(ints), g->count = mem_zero(ints), g->weight = mem_new(ints),
    g->degree = mem_new(ints), g->head = mem_new(ints + sizeof(int32_t));
    g->next = mem_new(ints), g->before = mem_new(ints), g->bucket = mem_new(ints),
    g->after = mem_new(ints), g->scratch = mem_new(ints);
    g->sum = mem_zero(ints), g->parent = mem_new(ints), g->pivot = mem_new(ints),
    g->list = mem_new(g->capacity * sizeof *g->list);
    if (!g->start || !g->stamp || !g->mark || !g->elements || !g->count || !g->weight ||
        !g->degree || !g->head || !g->next || !g->before || !g->bucket || !g->after ||
        !g->scratch || !g->sum || !g->parent || !g->pivot || !g->list)
        return gpa_no_memory(e);
    for (int64_t i = 0; i < a->m; i++)
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++)
            if (a->column[s] != i) g->start[i + 1]++, g->start[a->column[s] + 1]++;
    for (size_t i = 0; i < n; i++) g->start[i + 1] += g->start[i];
    for (int64_t i = 0; i < a->m; i++)
        for (int32_t s = a->start[i]; s < a->start[i + 1]; s++) {
            const int32_t j = a->column[s];
            if (j == i) continue;
            g->list[g->start[i] + g->count[i]++] = j;
            g->list[g->start[j] + g->count[j]++] = (int32_t)i;
        }
    g->size = (size_t)g->start[n];
    for (int32_t i = 0; i < g->n; i++) { /* each neighbor once */
        int32_t to = 0, *list = g->list + g->start[i];
        g->tag++;
        for (int32_t k = 0; k < g->count[i]; k++) {
            if (g->mark[list[k]] == g->tag) continue;
            g->mark[list[k]] = g->tag;
            list[to++] = list[k];
        }
        g->count[i] = to;
        g->weight[i] = 1, g->stamp[i] = 1, g->parent[i] = NONE, g->head[i] = g->bucket[i] = NONE;
    }
    g->least = g->n;
    return GPA_OK;
}

/* ---- degrees ---- */

/* The weight of each element near the new one outside of it: stamp - flag. */
static void look_outside(graph *g, const int32_t *in, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k], weight = -g->weight[i], *list = g->list + g->start[i];
        for (int32_t s = 0; s < g->elements[i]; s++) {
            int64_t *stamp = &g->stamp[list[s]];
            if (*stamp)
                *stamp = (*stamp >= g->flag ? *stamp : g->degree[list[s]] + g->flag) - weight;
        }
    }
}

/* Rebuilds the list of variable i, with p in place of the entries it covers; returns a bound of its
 * degree outside of p. */
static int32_t renew(graph *g, int32_t i, int32_t p) {
    int32_t *list = g->list + g->start[i], to = 0, rest = 0;
    int64_t degree = 0;
    uint32_t sum = (uint32_t)p;
    for (int32_t s = g->elements[i]; s < g->count[i]; s++)
        if (g->weight[list[s]] > 0) g->scratch[rest++] = list[s];
    for (int32_t s = 0; s < g->elements[i]; s++) {
        const int32_t near = list[s];
        if (!g->stamp[near]) continue;
        const int64_t outside = g->stamp[near] - g->flag;
        if (!outside) {
            g->stamp[near] = 0; /* absorbed: the new element covers it */
            continue;
        }
        degree += outside;
        sum += (uint32_t)near;
        list[to++] = near;
    }
    list[to++] = p;
    g->elements[i] = to;
    for (int32_t s = 0; s < rest; s++) {
        degree += g->weight[g->scratch[s]];
        sum += (uint32_t)g->scratch[s];
        list[to++] = g->scratch[s];
    }
    g->count[i] = to;
    g->sum[i] = sum % (uint32_t)g->n;
    return (int32_t)MIN(degree, g->n);
}

/* Merges the variables of a hash bucket that have equal lists. */
static void join_equal(graph *g, int32_t first) {
    for (int32_t i = first; i != NONE; i = g->after[i]) {
        if (g->after[i] == NONE) break;
        const int32_t *list = g->list + g->start[i];
        g->tag++;
        for (int32_t s = 0; s < g->count[i]; s++) g->mark[list[s]] = g->tag;
        for (int32_t last = i, j = g->after[i]; j != NONE; j = g->after[j]) {
            const int32_t *other = g->list + g->start[j];
            bool equal = g->count[j] == g->count[i] && g->elements[j] == g->elements[i];
            for (int32_t s = 0; equal && s < g->count[j]; s++) equal = g->mark[other[s]] == g->tag;
            if (!equal) {
                last = j;
                continue;
            }
            g->weight[i] += g->weight[j]; /* both are negative */
            g->weight[j] = 0;
            g->parent[j] = i;
            g->after[last] = g->after[j];
        }
    }
}

/* ---- an elimination ---- */

static void take_in(graph *g, const int32_t *list, int32_t count, int32_t *weight) {
    for (int32_t s = 0; s < count; s++) {
        const int32_t i = list[s];
        if (g->weight[i] <= 0) continue;
        *weight += g->weight[i];
        g->weight[i] = -g->weight[i];
        g->list[g->size++] = i;
        list_out(g, i);
    }
}

static gpa_code eliminate(graph *g, int32_t p, gpa_err *e) {
    int32_t own = g->weight[p], tied = 0, kept = 0;
    size_t most = (size_t)g->count[p];
    g->left -= own;
    g->weight[p] = -own;
    g->pivot[g->pivots++] = p;
    for (int32_t s = 0; s < g->elements[p]; s++) most += (size_t)g->count[g->list[g->start[p] + s]];
    if (g->size + most > g->capacity) {
        const size_t capacity = (g->size + most) * 2;
        int32_t *more = mem_resize(g->list, capacity * sizeof *more);
        if (!more) return gpa_no_memory(e);
        g->list = more, g->capacity = capacity;
    }
    const int64_t begin = (int64_t)g->size, from = g->start[p];
    for (int32_t s = 0; s < g->elements[p]; s++) {
        const int32_t near = g->list[from + s];
        if (!g->stamp[near]) continue;
        take_in(g, g->list + g->start[near], g->count[near], &tied);
        g->stamp[near] = 0;
    }
    take_in(g, g->list + from + g->elements[p], g->count[p] - g->elements[p], &tied);
    int32_t *const in = g->list + begin, count = (int32_t)((int64_t)g->size - begin);
    look_outside(g, in, count);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k], degree = renew(g, i, p);
        if (!degree && g->count[i] == 1) { /* only p is left: mass elimination */
            own -= g->weight[i], tied += g->weight[i], g->left += g->weight[i];
            g->weight[i] = 0;
            g->parent[i] = p;
            continue;
        }
        g->degree[i] = MIN(g->degree[i], degree);
        g->after[i] = g->bucket[g->sum[i]];
        g->bucket[g->sum[i]] = i;
    }
    g->flag += g->n + 1;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k];
        if (!g->weight[i] || g->bucket[g->sum[i]] == NONE) continue;
        join_equal(g, g->bucket[g->sum[i]]);
        g->bucket[g->sum[i]] = NONE;
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k], weight = -g->weight[i];
        if (!weight) continue;
        g->weight[i] = weight;
        list_in(g, i, MAX(0, MIN(g->degree[i] + tied - weight, g->left - weight)));
        in[kept++] = i;
    }
    g->weight[p] = 0;
    g->start[p] = begin, g->count[p] = kept, g->elements[p] = 0;
    g->size = (size_t)begin + (size_t)kept;
    g->degree[p] = tied;
    g->stamp[p] = kept ? 1 : 0;
    const double all = (double)tied + own, under = tied;
    g->operations += 2 * (all * all * all - under * under * under) / 3;
    return GPA_OK;
}

/* ---- the ordering ---- */

/* The pivots, each with the variables merged into it; then the dense rows. */
static void write_order(graph *g, const bool *late, int32_t *order) {
    int32_t to = 0, *child = g->head, *sibling = g->next, *stack = g->before;
    for (int32_t i = 0; i < g->n; i++) child[i] = NONE;
    for (int32_t i = 0; i < g->n; i++) {
        if (g->parent[i] == NONE) continue;
        sibling[i] = child[g->parent[i]];
        child[g->parent[i]] = i;
    }
    for (int32_t k = 0; k < g->pivots; k++) {
        int32_t top = 0;
        stack[top++] = g->pivot[k];
        while (top) {
            const int32_t i = stack[--top];
            order[to++] = i;
            for (int32_t j = child[i]; j != NONE; j = sibling[j]) stack[top++] = j;
        }
    }
    for (int32_t i = 0; i < g->n; i++)
        if (late[i]) order[to++] = i;
}

gpa_code hostlu_ordering(const host_csr *a, int32_t *order, double *operations,
                         const atomic_bool *stop, gpa_err *e) {
    graph g;
    bool *late = mem_zero((size_t)a->m + 1);
    gpa_code rc = graph_new(&g, a, e);
    if (!rc && !late) rc = gpa_no_memory(e);
    if (rc) goto out;
    const double many = MAX(DENSE, 10 * sqrt((double)g.n));
    for (int32_t i = 0; i < g.n; i++) {
        late[i] = g.count[i] > many;
        if (late[i])
            g.weight[i] = 0;
        else
            g.left++;
    }
    g.total = g.left;
    for (int32_t i = 0; i < g.n; i++)
        if (!late[i]) list_in(&g, i, MIN(g.count[i], g.n - 1));
    for (int32_t k = 0; g.left > 0 && !rc; k++) {
        while (g.head[g.least] == NONE) g.least++;
        const int32_t p = g.head[g.least];
        list_out(&g, p);
        rc = eliminate(&g, p, e);
        if (!rc && k % LOOK == 0 && hostcall_stopped(stop)) rc = gpa_interrupted(e);
    }
    if (rc) goto out;
    const double all = g.n, last = g.n - g.total;
    *operations =
        g.operations + 2 * (all - last) * last * last * (last > 0) + 2 * last * last * last / 3;
    write_order(&g, late, order);
out:
    graph_free(&g);
    mem_free(late);
    return rc;
}
