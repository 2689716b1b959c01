/* Loop ordering and dimension collapsing. Dimensions of extent 1 are dropped. The others are
 * ordered so that most bytes are accessed with small strides in the last one (coalescing, cache
 * lines), and adjacent dimensions that are contiguous in every array are collapsed. Outer and inner
 * dimensions never mix.
 *
 * Invariant: strides, offsets and extents change together, so that each array visits the same
 * elements. */
#include "runtime/plan/layout.h"

/* True if dimension a should vary slower than b: each array votes with its element size. */
static bool varies_slower(const lowered *l, int a, int b) {
    int64_t votes = 0;
    for (size_t i = 0; i < l->n_arrays; i++) {
        int64_t sa = l->stride[i][a], sb = l->stride[i][b];
        if (!sa || !sb || l->f->arrays[i].where != KIR_GLOBAL) continue;
        sa = sa < 0 ? -sa : sa;
        sb = sb < 0 ? -sb : sb;
        int64_t weight = (int64_t)dtype_size((gpa_dtype)l->f->arrays[i].dtype);
        if (sa != sb) votes += sa > sb ? weight : -weight;
    }
    return votes >= 0;
}

/* The dimensions of extent > 1, slowest first (insertion sort). One inner dimension is kept even
 * with one element, so that a reduction has a region. Returns how many. */
static int sort_dims(const fuse_step *s, const lowered *l, int *dim) {
    int n = 0, inner = 0;
    for (int d = 0; d < s->ndim; d++) inner += (s->inner >> d & 1) && s->shape[d] != 1;
    for (int d = 0; d < s->ndim; d++) {
        bool is_inner = s->inner >> d & 1;
        if (s->shape[d] == 1 && !(is_inner && !inner)) continue;
        inner += is_inner;
        int at = n++;
        for (; at > 0 && !varies_slower(l, dim[at - 1], d); at--) dim[at] = dim[at - 1];
        dim[at] = d;
    }
    return n;
}

/* Reverses a dimension along which no array has a positive stride. */
static void flip_dim(lowered *l, int d, int64_t size) {
    bool reversed = false;
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (l->stride[i][d] > 0) return;
        reversed = reversed || l->stride[i][d] < 0;
    }
    for (size_t i = 0; reversed && i < l->n_arrays; i++) {
        l->bind[i].offset += l->stride[i][d] * (size - 1);
        l->stride[i][d] = -l->stride[i][d];
    }
}

/* True if an array is a boundary that dimension a crosses and b does not. Dimension b may be added
 * to it, since only the sign of an offset counts: it is that of offset * size_b + index of b. */
static bool is_boundary_of(const lowered *l, size_t array, int a, int b) {
    return l->boundaries >> array & 1 && l->stride[array][a] == 1 && l->stride[array][b] == 0;
}

static bool can_collapse(const fuse_step *s, const lowered *l, int a, int b, int64_t size_b) {
    if ((s->inner >> a & 1) != (s->inner >> b & 1)) return false;
    for (size_t i = 0; i < l->n_arrays; i++)
        if (l->stride[i][a] != l->stride[i][b] * size_b && !is_boundary_of(l, i, a, b))
            return false;
    return true;
}

/* Adds dimension b to the boundaries that dimension a crosses. */
static void extend_boundaries(const fuse_step *s, lowered *l, int a, int b, int64_t size_b) {
    for (size_t i = 0; i < l->n_arrays; i++) {
        if (l->stride[i][a] == l->stride[i][b] * size_b || !is_boundary_of(l, i, a, b)) continue;
        for (int d = 0; d < s->ndim; d++) l->stride[i][d] *= size_b;
        l->bind[i].offset *= size_b;
        l->stride[i][b] = 1;
    }
}

/* True if all offsets fit in 31 bits: 32-bit index arithmetic suffices. */
static bool is_small(const lowered *l, int n, const int64_t *size) {
    const int64_t limit = INT32_MAX;
    int64_t points = 1;
    for (int d = 0; d < n; d++) {
        if (size[d] > limit || points > limit / MAX(size[d], 1)) return false;
        points *= MAX(size[d], 1);
    }
    for (size_t i = 0; i < l->n_arrays; i++) {
        const gpa_binding *b = &l->bind[i];
        int64_t lo = b->offset, hi = b->offset;
        if (l->buf[i] &&
            l->buf[i]->bytes / dtype_size((gpa_dtype)l->f->arrays[i].dtype) > (size_t)limit)
            return false;
        for (int d = 0; d < n; d++) *(b->stride[d] < 0 ? &lo : &hi) += b->stride[d] * (size[d] - 1);
        if (lo < -limit || hi > limit) return false;
    }
    return true;
}

/* Sets the stride flags: what the program may assume about each array. */
static void set_flags(lowered *l) {
    for (size_t a = 0; a < l->n_arrays; a++) {
        kir_array *k = &l->f->arrays[a];
        for (int d = 0; d < l->f->ndim; d++) {
            if (l->bind[a].stride[d] == 0) k->zero |= (uint16_t)(1u << d);
            if (l->bind[a].stride[d] == 1) k->unit |= (uint16_t)(1u << d);
        }
    }
    l->f->flags = is_small(l, l->f->ndim, l->size) && !l->n_loops ? KIR_F_SMALL : 0;
}

gpa_code layout(const fuse_step *s, lowered *l, bool ordered, gpa_err *e) {
    int dim[GPA_MAX_DIMS], n = sort_dims(s, l, dim), kept = 0, loops = 0, dims = 0;
    int64_t size[GPA_MAX_DIMS];
    for (int i = 0; i < n; i++) {
        int64_t extent = s->shape[dim[i]];
        if (!(ordered && (s->inner >> dim[i] & 1))) flip_dim(l, dim[i], extent);
        if (kept && can_collapse(s, l, dim[kept - 1], dim[i], extent)) {
            extend_boundaries(s, l, dim[kept - 1], dim[i], extent);
            size[kept - 1] *= extent;
        } else
            size[kept++] = extent;
        dim[kept - 1] = dim[i];
    }
    l->n_loops = MAX(kept - KIR_MAX_DIMS, 0);
    l->f->inner = 0;
    for (int i = 0; i < kept; i++) {
        bool inner = s->inner >> dim[i] & 1, loop = loops < l->n_loops && !inner;
        if (!loop && dims == KIR_MAX_DIMS)
            return gpa_fail(e, GPA_E_UNSUPPORTED,
                            "a reduction over more than %d separate dimensions", KIR_MAX_DIMS);
        for (size_t a = 0; a < l->n_arrays; a++)
            *(loop ? &l->loop_stride[a][loops] : &l->bind[a].stride[dims]) = l->stride[a][dim[i]];
        *(loop ? &l->loop_size[loops] : &l->size[dims]) = size[i];
        if (!loop && inner) l->f->inner |= (uint16_t)(1u << dims);
        *(loop ? &loops : &dims) += 1;
        if (size[i] == 0 && !inner) l->empty = true;
    }
    l->f->ndim = (uint8_t)dims;
    while (dims < KIR_MAX_DIMS) l->size[dims++] = 1;
    set_flags(l);
    return GPA_OK;
}

void layout_count_bytes(lowered *l) {
    for (size_t i = 0; i < l->n_arrays; i++) {
        const kir_array *a = &l->f->arrays[i];
        uint64_t bytes = (uint64_t)l->count[i] * dtype_size((gpa_dtype)a->dtype);
        if (a->where != KIR_GLOBAL) continue;
        if (a->access & KIR_WRITE) l->bytes_written += bytes;
        if (!(a->access & KIR_READ)) continue;
        bool first = true;
        uint64_t sum = 0;
        for (size_t k = 0; k < l->n_arrays; k++) {
            const kir_array *other = &l->f->arrays[k];
            if (l->buf[k] != l->buf[i] || l->fresh[k] || !(other->access & KIR_READ) ||
                other->where != KIR_GLOBAL)
                continue;
            if (k < i) first = false;
            sum += (uint64_t)l->count[k] * dtype_size((gpa_dtype)other->dtype);
        }
        if (first) l->bytes_read += l->buf[i] ? MIN(sum, (uint64_t)l->buf[i]->bytes) : sum;
    }
}
