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
#include "runtime/tables/tuning.h"

enum { NONE = -1 };

/* The quotient graph. Index i is a variable until it is eliminated, then an element. */
typedef struct {
    int32_t n;
    int32_t total,
        left; /* weight of the variables that are ordered by degree; not yet eliminated */
    /* adjacency lists: list[start[i]] .. list[start[i] + count[i] - 1], elements[i] elements first
     */
    int64_t *start;
    int32_t *elements, *count, *list;
    size_t size, capacity; /* of all lists */
    int32_t *weight;       /* variables in a supervariable; negative while it is in the new element;
                              0 once merged or eliminated */
    int32_t *degree;       /* bound of a variable's degree; weight of an element */
    /* degree lists: head[d] begins that of degree d; links */
    int32_t *head, *next, *before, least;
    /* variables by the hash of their lists, to find indistinguishable ones */
    uint32_t *hash;
    int32_t *bucket, *after;
    int32_t *parent; /* the variable or element into which one was merged */
    /* per element: 0 once absorbed, or, from `flag` on, flag + its weight outside of the new
       element */
    int64_t *stamp, flag;
    int64_t *mark, tag; /* members of the current set have mark == tag */
    int32_t *scratch, *pivot, pivots;
    double operations;
} graph;

static void graph_free(graph *g) {
    void *const all[] = {g->start, g->elements, g->count,  g->list,   g->weight, g->degree,
                         g->head,  g->next,     g->before, g->bucket, g->after,  g->scratch,
                         g->hash,  g->parent,   g->stamp,  g->mark,   g->pivot};
    for (size_t i = 0; i < COUNT_OF(all); i++) mem_free(all[i]);
}

/* ---- degree lists ---- */

static void degree_list_insert(graph *g, int32_t i, int32_t degree) {
    g->degree[i] = degree;
    g->next[i] = g->head[degree];
    g->before[i] = NONE;
    if (g->head[degree] != NONE) g->before[g->head[degree]] = i;
    g->head[degree] = i;
    g->least = MIN(g->least, degree);
}

static void degree_list_remove(graph *g, int32_t i) {
    if (g->next[i] != NONE) g->before[g->next[i]] = g->before[i];
    if (g->before[i] != NONE)
        g->next[g->before[i]] = g->next[i];
    else
        g->head[g->degree[i]] = g->next[i];
}

/* ---- the graph ---- */

static gpa_code graph_new(graph *g, const host_csr *a, gpa_err *e) {
    const size_t n = (size_t)a->rows, ints = n * sizeof(int32_t), longs = (n + 1) * sizeof(int64_t);
    *g = (graph){.n = (int32_t)n, .flag = 2, .tag = 1, .capacity = (size_t)a->nnz * 2 + n};
    g->start = mem_zero(longs), g->stamp = mem_new(longs), g->mark = mem_zero(longs);
    g->elements = mem_zero(ints), g->count = mem_zero(ints), g->weight = mem_new(ints),
    g->degree = mem_new(ints), g->head = mem_new(ints + sizeof(int32_t));
    g->next = mem_new(ints), g->before = mem_new(ints), g->bucket = mem_new(ints),
    g->after = mem_new(ints), g->scratch = mem_new(ints);
    g->hash = mem_zero(ints), g->parent = mem_new(ints), g->pivot = mem_new(ints),
    g->list = mem_new(g->capacity * sizeof *g->list);
    if (!g->start || !g->stamp || !g->mark || !g->elements || !g->count || !g->weight ||
        !g->degree || !g->head || !g->next || !g->before || !g->bucket || !g->after ||
        !g->scratch || !g->hash || !g->parent || !g->pivot || !g->list)
        return gpa_no_memory(e);
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t s = a->indptr[i]; s < a->indptr[i + 1]; s++)
            if (a->indices[s] != i) g->start[i + 1]++, g->start[a->indices[s] + 1]++;
    for (size_t i = 0; i < n; i++) g->start[i + 1] += g->start[i];
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t s = a->indptr[i]; s < a->indptr[i + 1]; s++) {
            const int32_t j = a->indices[s];
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

/* Sets the stamps of the elements adjacent to the `count` variables `in` of the new element: flag +
 * their weight outside of it. */
static void count_external_weights(graph *g, const int32_t *in, int32_t count) {
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k], weight = -g->weight[i], *list = g->list + g->start[i];
        for (int32_t s = 0; s < g->elements[i]; s++) {
            int64_t *stamp = &g->stamp[list[s]];
            if (*stamp)
                *stamp = (*stamp >= g->flag ? *stamp : g->degree[list[s]] + g->flag) - weight;
        }
    }
}

/* Rebuilds the list of variable i with the new element p instead of the entries that p covers;
 * returns a bound of its degree outside of p (the external degree). */
static int32_t update_variable(graph *g, int32_t i, int32_t p) {
    int32_t *list = g->list + g->start[i], to = 0, rest = 0;
    int64_t degree = 0;
    uint32_t hash = (uint32_t)p;
    for (int32_t s = g->elements[i]; s < g->count[i]; s++)
        if (g->weight[list[s]] > 0) g->scratch[rest++] = list[s];
    for (int32_t s = 0; s < g->elements[i]; s++) {
        const int32_t element = list[s];
        if (!g->stamp[element]) continue;
        const int64_t outside = g->stamp[element] - g->flag;
        if (!outside) {
            g->stamp[element] = 0; /* absorbed: the new element covers it */
            continue;
        }
        degree += outside;
        hash += (uint32_t)element;
        list[to++] = element;
    }
    list[to++] = p;
    g->elements[i] = to;
    for (int32_t s = 0; s < rest; s++) {
        degree += g->weight[g->scratch[s]];
        hash += (uint32_t)g->scratch[s];
        list[to++] = g->scratch[s];
    }
    g->count[i] = to;
    g->hash[i] = hash % (uint32_t)g->n;
    return (int32_t)MIN(degree, g->n);
}

/* Merges the variables of a hash bucket that have equal lists. */
static void merge_indistinguishable(graph *g, int32_t first) {
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

/* Appends the remaining variables of a list to the new element; adds to its weight. */
static void absorb_variables(graph *g, const int32_t *list, int32_t count, int32_t *weight) {
    for (int32_t s = 0; s < count; s++) {
        const int32_t i = list[s];
        if (g->weight[i] <= 0) continue;
        *weight += g->weight[i];
        g->weight[i] = -g->weight[i];
        g->list[g->size++] = i;
        degree_list_remove(g, i);
    }
}

/* Eliminates variable p: its neighbors become the list of element p, and their degrees are
 * updated. */
static gpa_code eliminate(graph *g, int32_t p, gpa_err *e) {
    int32_t eliminated = g->weight[p], weight_p = 0, kept = 0;
    size_t most = (size_t)g->count[p];
    g->left -= eliminated;
    g->weight[p] = -eliminated;
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
        const int32_t element = g->list[from + s];
        if (!g->stamp[element]) continue;
        absorb_variables(g, g->list + g->start[element], g->count[element], &weight_p);
        g->stamp[element] = 0;
    }
    absorb_variables(g, g->list + from + g->elements[p], g->count[p] - g->elements[p], &weight_p);
    int32_t *const in = g->list + begin, count = (int32_t)((int64_t)g->size - begin);
    count_external_weights(g, in, count);
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k], degree = update_variable(g, i, p);
        if (!degree && g->count[i] == 1) { /* only p is left: mass elimination */
            eliminated -= g->weight[i], weight_p += g->weight[i], g->left += g->weight[i];
            g->weight[i] = 0;
            g->parent[i] = p;
            continue;
        }
        g->degree[i] = MIN(g->degree[i], degree);
        g->after[i] = g->bucket[g->hash[i]];
        g->bucket[g->hash[i]] = i;
    }
    g->flag += g->n + 1;
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k];
        if (!g->weight[i] || g->bucket[g->hash[i]] == NONE) continue;
        merge_indistinguishable(g, g->bucket[g->hash[i]]);
        g->bucket[g->hash[i]] = NONE;
    }
    for (int32_t k = 0; k < count; k++) {
        const int32_t i = in[k], weight = -g->weight[i];
        if (!weight) continue;
        g->weight[i] = weight;
        degree_list_insert(g, i, MAX(0, MIN(g->degree[i] + weight_p - weight, g->left - weight)));
        in[kept++] = i;
    }
    g->weight[p] = 0;
    g->start[p] = begin, g->count[p] = kept, g->elements[p] = 0;
    g->size = (size_t)begin + (size_t)kept;
    g->degree[p] = weight_p;
    g->stamp[p] = kept ? 1 : 0;
    const double all = (double)weight_p + eliminated, under = weight_p;
    g->operations += 2 * (all * all * all - under * under * under) / 3;
    return GPA_OK;
}

/* ---- the ordering ---- */

/* The elimination order: the pivots, each with the variables merged into it; then the dense
 * rows. */
static void write_elimination_order(graph *g, const bool *dense, int32_t *order) {
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
        if (dense[i]) order[to++] = i;
}

gpa_code hostlu_ordering(const host_csr *a, int32_t *order, double *operations,
                         const atomic_bool *stop, gpa_err *e) {
    graph g;
    bool *dense = mem_zero((size_t)a->rows + 1);
    gpa_code rc = graph_new(&g, a, e);
    if (!rc && !dense) rc = gpa_no_memory(e);
    if (rc) goto out;
    const double dense_limit = 10 * sqrt((double)g.n);
    for (int32_t i = 0; i < g.n; i++) {
        dense[i] = g.count[i] > dense_limit;
        if (dense[i])
            g.weight[i] = 0;
        else
            g.left++;
    }
    g.total = g.left;
    for (int32_t i = 0; i < g.n; i++)
        if (!dense[i]) degree_list_insert(&g, i, MIN(g.count[i], g.n - 1));
    for (int32_t k = 0; g.left > 0 && !rc; k++) {
        while (g.head[g.least] == NONE) g.least++;
        const int32_t p = g.head[g.least];
        degree_list_remove(&g, p);
        rc = eliminate(&g, p, e);
        if (!rc && k % TUNE_MINIMUM_DEGREE_POLL_PIVOTS == 0 && hostcall_stopped(stop))
            rc = gpa_interrupted(e);
    }
    if (rc) goto out;
    const double all = g.n, last = g.n - g.total;
    *operations =
        g.operations + 2 * (all - last) * last * last * (last > 0) + 2 * last * last * last / 3;
    write_elimination_order(&g, dense, order);
out:
    graph_free(&g);
    mem_free(dense);
    return rc;
}
