/* Interned affine index maps, in two growing arrays. A step has few different maps, so lookup is a
 * linear search. */
#include "runtime/graph/affine.h"

void affine_reset(affine_table *t) { t->n = t->n_v = 0; }

void affine_free(affine_table *t) {
    mem_free(t->map);
    mem_free(t->v);
    *t = (affine_table){0};
}

static bool reserve(affine_table *t, size_t n) {
    if (!mem_grow(&t->map, t->n, &t->cap, sizeof *t->map)) return false;
    if (t->v && t->n_v + n <= t->cap_v) return true;
    size_t cap = MAX(t->cap_v * 2, t->n_v + n + 256);
    int64_t *v = mem_resize(t->v, cap * sizeof *v);
    if (!v) return false;
    t->v = v;
    t->cap_v = cap;
    return true;
}

/* The coefficients of a map: the start of each row, then the steps. */
static size_t n_coefficients(int rows, int cols) { return (size_t)rows * ((size_t)cols + 1); }

/* Interns the map whose coefficients were written after the last map's. */
static int intern(affine_table *t, int rows, int cols) {
    const int64_t *v = t->v + t->n_v;
    size_t n = n_coefficients(rows, cols);
    uint64_t hash = hash_bytes(v, n * sizeof *v, (uint64_t)(rows << 8 | cols));
    for (size_t i = 0; i < t->n; i++) {
        const struct affine_map *m = &t->map[i];
        if (m->hash == hash && m->rows == rows && m->cols == cols &&
            memcmp(t->v + m->at, v, n * sizeof *v) == 0)
            return (int)i;
    }
    t->map[t->n] = (struct affine_map){(uint32_t)t->n_v, (uint8_t)rows, (uint8_t)cols, hash};
    t->n_v += n;
    return (int)t->n++;
}

int affine_make(affine_table *t, int rows, int cols, const int64_t *start, const int64_t *step) {
    if (!reserve(t, n_coefficients(rows, cols))) return -1;
    int used = 0;
    for (int k = 0; k < rows; k++)
        for (int d = used; d < cols; d++)
            if (step[k * cols + d]) used = d + 1;
    int64_t *v = t->v + t->n_v;
    for (int k = 0; k < rows; k++) {
        v[k] = start[k];
        for (int d = 0; d < used; d++) v[rows + k * used + d] = step[k * cols + d];
    }
    return intern(t, rows, used);
}

int affine_from_dims(affine_table *t, int rows, const int8_t *dims) {
    int cols = 0;
    for (int k = 0; k < rows; k++) cols = MAX(cols, dims[k] + 1);
    if (!reserve(t, n_coefficients(rows, cols))) return -1;
    int64_t *v = t->v + t->n_v;
    memset(v, 0, n_coefficients(rows, cols) * sizeof *v);
    for (int k = 0; k < rows; k++)
        if (dims[k] >= 0) v[rows + k * cols + dims[k]] = 1;
    return intern(t, rows, cols);
}

int affine_compose(affine_table *t, int m, const node *view) {
    int rows = view->in[0]->ndim, mid = view->ndim, cols = t->map[m].cols;
    int64_t start[GPA_MAX_DIMS], step[GPA_MAX_DIMS * GPA_MAX_DIMS];
    const int64_t *mv = t->v + t->map[m].at;
    for (int k = 0; k < rows; k++) {
        start[k] = view->map[k];
        for (int d = 0; d < cols; d++) step[k * cols + d] = 0;
        for (int j = 0; j < mid; j++) {
            int64_t by = view->map[rows + k * mid + j];
            if (!by) continue;
            start[k] += by * mv[j];
            for (int d = 0; d < cols; d++) step[k * cols + d] += by * mv[mid + j * cols + d];
        }
    }
    return affine_make(t, rows, cols, start, step);
}

int affine_shift(affine_table *t, int m, int k, int64_t by) {
    int rows = t->map[m].rows, cols = t->map[m].cols;
    size_t n = n_coefficients(rows, cols);
    if (!reserve(t, n)) return -1;
    int64_t *v = t->v + t->n_v;
    memcpy(v, t->v + t->map[m].at, n * sizeof *v);
    v[k] += by;
    return intern(t, rows, cols);
}

affine_interval affine_range(const affine_table *t, int m, int k, const int64_t *shape, int ndim) {
    affine_interval r = {affine_start(t, m, k), affine_start(t, m, k)};
    for (int d = 0; d < ndim; d++) {
        int64_t by = affine_step(t, m, k, d) * MAX(shape[d] - 1, 0);
        *(by < 0 ? &r.lo : &r.hi) += by;
    }
    return r;
}

concat_range affine_concat_range(const affine_table *t, int m, const node *concat,
                                 const int64_t *shape, int ndim) {
    concat_range r = {.first = -1};
    int64_t begin = 0;
    affine_interval all = affine_range(t, m, concat->sub, shape, ndim);
    for (int i = 0; i < concat->n_in; i++) {
        int64_t end = begin + concat->in[i]->shape[concat->sub];
        bool only = i + 1 == concat->n_in; /* an empty view reaches none: the last one stands in */
        if (r.first < 0 && (end > all.lo || only)) r.first = i, r.begin = begin;
        if (begin <= all.hi) r.last = i;
        begin = end;
    }
    r.last = MAX(r.last, r.first);
    return r;
}

int64_t affine_start(const affine_table *t, int m, int k) {
    return t->v[t->map[m].at + (uint32_t)k];
}

int64_t affine_step(const affine_table *t, int m, int k, int d) {
    const struct affine_map *a = &t->map[m];
    return d < a->cols ? t->v[a->at + a->rows + (uint32_t)(k * a->cols + d)] : 0;
}

int affine_identity_dim(const affine_table *t, int m, int k) {
    int found = -1;
    if (affine_start(t, m, k)) return -2;
    for (int d = 0; d < t->map[m].cols; d++) {
        int64_t by = affine_step(t, m, k, d);
        if (by == 0) continue;
        if (by != 1 || found >= 0) return -2;
        found = d;
    }
    return found;
}

bool affine_depends_on(const affine_table *t, int m, gpa_axes dims) {
    for (int k = 0; k < t->map[m].rows; k++)
        for (int d = 0; d < t->map[m].cols; d++)
            if ((dims >> d & 1) && affine_step(t, m, k, d)) return true;
    return false;
}
