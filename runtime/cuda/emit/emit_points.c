/* Iteration over points: coordinates, batches of vectorized accesses, shared-memory tiles, strips,
 * histograms, and programs without inner points.
 *
 * Points are computed in batches of unroll x vec: all loads of a batch into registers, then the
 * arithmetic, then the stores, so that several accesses are in flight. An access is vec points
 * along the last dimension.
 *
 * Reading order: coordinates, batches, em_all_points. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

const char *em_index_type(const em *E) { return em_is_32bit(E) ? "int" : "long long"; }
const char *em_count_type(const em *E) {
    return em_is_32bit(E) ? "unsigned" : "unsigned long long";
}

em_iteration em_iterate_over(const em *E, unsigned dims) {
    em_iteration w = {.unroll = E->plan->unroll, .vec = E->plan->vec};
    for (int d = 0; d < E->f->ndim; d++)
        if (dims >> d & 1) w.dims[w.n++] = d;
    return w;
}

/* ---- coordinates ---- */

/* `c` divided by an extent; in 32 bits by multiplication with a precomputed reciprocal (Granlund
 * and Montgomery). */
static void put_quotient(em *E, const char *to, const char *c, int dim, bool span) {
    char magic[FIELD_NAME_BYTES], shift[FIELD_NAME_BYTES], size[FIELD_NAME_BYTES];
    if (em_is_32bit(E)) {
        em_line(E, "const unsigned %s = (__umulhi(%s, %s) + %s) >> %s;", to, c,
                em_field(E, magic, FIELD_MAGIC, (unsigned)dim, !span), c,
                em_field(E, shift, FIELD_SHIFT, (unsigned)dim, !span));
    } else {
        em_line(E, "const unsigned long long %s = %s / (unsigned long long)%s;", to, c,
                em_field(E, size, span ? FIELD_SPAN : FIELD_SIZE, (unsigned)dim, 0));
    }
}

void em_coordinates(em *E, const em_iteration *w, const char *c) {
    char size[FIELD_NAME_BYTES], rest[24], next[24];
    const char *t = em_index_type(E);
    snprintf(rest, sizeof rest, "%s", c);
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        bool span = k == w->n - 1 || d == E->plan->strip_dim - 1;
        if (k == 0) {
            em_line(E, "const %s i%d = (%s)(%s)%s;", t, d, t, rest, "");
        } else {
            snprintf(next, sizeof next, "q%d", d);
            put_quotient(E, next, rest, d, span);
            em_line(E, "const %s i%d = (%s)(%s - %s * (%s)%s);", t, d, t, rest, next,
                    em_count_type(E),
                    em_field(E, size, span ? FIELD_SPAN : FIELD_SIZE, (unsigned)d, 0));
            snprintf(rest, sizeof rest, "%s", next);
        }
    }
}

/* Declares the index at<d> of this block's tile along each dimension. A tile spans the last
 * dimension and another one, so that arrays with unit stride along either coalesce. */
static void put_tile(em *E, const em_iteration *w) {
    char size[FIELD_NAME_BYTES];
    int last = w->dims[w->n - 1], tile = E->plan->width;
    em_line(E, "unsigned rest = blockIdx.x;");
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        bool tiled = d == last || d == E->plan->tile_dim - 1;
        em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
        em_line(E,
                "const unsigned n%d = ((unsigned)%s + %d) / %d, at%d = rest %% n%d; rest /= n%d;",
                d, size, tiled ? tile - 1 : 0, tiled ? tile : 1, d, d, d);
    }
}

/* Coordinates of access u in the tile. `transposed`: adjacent threads are adjacent along the other
 * dimension. */
static void put_coordinates_in_tile(em *E, const em_iteration *w, bool transposed) {
    const char *t = em_index_type(E);
    int last = w->dims[w->n - 1], other = E->plan->tile_dim - 1, tile = E->plan->width;
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        if (d == (transposed ? other : last))
            em_line(E, "const %s i%d = (%s)(at%d * %d + threadIdx.x);", t, d, t, d, tile);
        else if (d == last || d == other)
            em_line(E, "const %s i%d = (%s)(at%d * %d + threadIdx.y + u * %d);", t, d, t, d, tile,
                    TUNE_CUDA_POINT_THREADS / tile);
        else
            em_line(E, "const %s i%d = (%s)at%d;", t, d, t, d);
    }
}

/* ---- batches ---- */

static bool is_used(const em *E, unsigned a, int32_t lo, int32_t hi, kir_code code) {
    for (int32_t i = lo; i < hi; i++)
        if (E->f->code[i].code == code && E->f->code[i].sub == a &&
            (E->scan_slice[i] || !em_only_slice(E)))
            return true;
    return false;
}

static unsigned dims_of(const em_iteration *w) {
    unsigned m = 0;
    for (int k = 0; k < w->n; k++) m |= 1u << w->dims[k];
    return m;
}

static bool varies(const em *E, const em_iteration *w, unsigned a) {
    return (dims_of(w) & ~E->f->arrays[a].zero) != 0;
}

bool em_has_effect(uint8_t code) {
    return kir_has(code, KI_OFFSET | KI_FAULTS) || code == KIR_PRINT;
}

bool em_batch_is_pure(const em *E, const em_iteration *w) {
    for (int32_t i = w->lo; i < w->hi; i++)
        if (em_has_effect(E->f->code[i].code)) return false;
    return true;
}

static void put_element(em *E, gpa_str *out, unsigned a) {
    char field[FIELD_NAME_BYTES];
    str_printf(out, "%s[", em_field(E, field, FIELD_BASE, a, 0));
    em_offset(E, out, a);
    str_putc(out, ']');
}

/* In tiles: an array with unit stride along the other dimension is loaded along that one, and
 * transposed in shared memory. */
static bool is_transposed(const em *E, const em_iteration *w, unsigned a) {
    const kir_array *k = &E->f->arrays[a];
    int last = w->n ? w->dims[w->n - 1] : -1;
    return E->plan->tile_dim && k->unit >> (E->plan->tile_dim - 1) & 1 && !(k->zero >> last & 1);
}

static void transpose_tile(em *E, const em_iteration *w, unsigned a) {
    char size[FIELD_NAME_BYTES], other_size[FIELD_NAME_BYTES];
    int last = w->dims[w->n - 1], other = E->plan->tile_dim - 1, tile = E->plan->width;
    gpa_str at;
    str_init(&at);
    put_element(E, &at, a);
    em_line(E, "__shared__ %s g_tile%u[%d][%d];", em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), a,
            tile, tile + 1);
    em_open_unrolled(E, "u", w->unroll);
    put_coordinates_in_tile(E, w, true);
    if (!E->full)
        em_line(E, "if (i%d < %s && i%d < %s)", last,
                em_field(E, size, FIELD_SIZE, (unsigned)last, 0), other,
                em_field(E, other_size, FIELD_SIZE, (unsigned)other, 0));
    em_line(E, "%sg_tile%u[threadIdx.y + u * %d][threadIdx.x] = %s;", E->full ? "" : "    ", a,
            TUNE_CUDA_POINT_THREADS / tile, at.text);
    em_close_block(E);
    str_free(&at);
}

/* In a streaming row: true if no other array overlaps array a, whose accesses are 16 bytes. */
static bool is_streamed(const em *E, const em_iteration *w, unsigned a) {
    const kir_array *k = &E->f->arrays[a];
    bool streamed = E->plan->streaming && k->where == KIR_GLOBAL &&
                    (size_t)w->vec * dtype_size((gpa_dtype)k->dtype) == 16;
    for (unsigned b = 0; b < E->f->n_arrays; b++)
        streamed = streamed && (b == a || E->f->arrays[b].group != k->group);
    return streamed && !(k->access & KIR_WRITE);
}

/* One access of array a between memory and the registers r[u]. */
static void put_access(em *E, const em_iteration *w, unsigned a, const char *r, bool store) {
    const char *m = em_memory(E, (gpa_dtype)E->f->arrays[a].dtype);
    bool vectorized = w->vec > 1 && E->plan->vectorized >> a & 1,
         full = E->full || E->plan->even_extent;
    if (!store && is_transposed(E, w, a)) {
        em_line(E, "%s[u].v[0] = g_tile%u[threadIdx.x][threadIdx.y + u * %d];", r, a,
                TUNE_CUDA_POINT_THREADS / E->plan->width);
        return;
    }
    int last = w->n ? w->dims[w->n - 1] : -1;
    gpa_str at;
    str_init(&at);
    put_element(E, &at, a);
    if (vectorized) {
        if (!full) em_line(E, "if (lim[u] == %d) {", w->vec);
        if (store)
            em_line(E, "    *(g_pack<%s, %d> *)&%s = %s[u];", m, w->vec, at.text, r);
        else if (is_streamed(E, w, a))
            em_line(E, "    %s[u] = g_once((const g_pack<%s, %d> *)&%s);", r, m, w->vec, at.text),
                E->needs |= NEED_STREAMING_LOAD;
        else
            em_line(E, "    %s[u] = *(const g_pack<%s, %d> *)&%s;", r, m, w->vec, at.text);
        if (!full) em_line(E, "} else");
    }
    if (vectorized && full) {
        str_free(&at);
        return;
    }
    if (w->vec > 1) {
        em_line(E, "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) %s{", w->vec,
                full ? "" : "if (k < lim[u]) ");
        em_line(E, "    const %s i%d = p%d[u] + k;", em_index_type(E), last, last);
        if (store)
            em_line(E, "    %s = %s[u].v[k];", at.text, r);
        else
            em_line(E, "    %s[u].v[k] = %s;", r, at.text);
        em_line(E, "}");
    } else if (store) {
        em_line(E, "%s = %s[u].v[0];", at.text, r);
    } else {
        em_line(E, "%s[u].v[0] = %s;", r, at.text);
    }
    str_free(&at);
}

void em_open_unrolled(em *E, const char *counter, int n) {
    em_line(E, "_Pragma(\"unroll\")");
    em_line(E, "for (int %s = 0; %s < %d; %s++) {", counter, counter, n, counter);
    E->indent++;
}

void em_close_block(em *E) {
    E->indent--;
    em_line(E, "}");
}

void em_batch_declare(em *E, const em_iteration *w) {
    E->needs |= NEED_PACK;
    for (int k = 0; k < w->n; k++)
        em_line(E, "%s p%d[%d];", em_index_type(E), w->dims[k], w->unroll);
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (is_used(E, a, w->lo, w->hi, KIR_LOAD) && varies(E, w, a))
            em_line(E, "g_pack<%s, %d> x%u[%d] = {};",
                    em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), w->vec, a, w->unroll);
}

static void transpose_tiles(em *E, const em_iteration *w) {
    bool any = false;
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        if (!is_used(E, a, w->lo, w->hi, KIR_LOAD) || !varies(E, w, a) || !is_transposed(E, w, a))
            continue;
        transpose_tile(E, w, a);
        any = true;
    }
    if (any) em_line(E, "__syncthreads();");
}

/* Opens the bounds check of access u, and declares its coordinates. */
static void open_access(em *E, const em_iteration *w) {
    char size[FIELD_NAME_BYTES], other[FIELD_NAME_BYTES];
    int last = w->n ? w->dims[w->n - 1] : -1;
    if (E->plan->tile_dim) {
        put_coordinates_in_tile(E, w, false);
        if (!E->full)
            em_line(E, "if (i%d < %s && i%d < %s)", last,
                    em_field(E, size, FIELD_SIZE, (unsigned)last, 0), E->plan->tile_dim - 1,
                    em_field(E, other, FIELD_SIZE, E->plan->tile_dim - 1u, 0));
        em_line(E, "{");
        E->indent++;
        return;
    }
    em_line(E, "const %s c = %s;", em_count_type(E), w->access);
    em_line(E, E->full ? "{" : "if (c < %s) {", w->limit);
    E->indent++;
    em_coordinates(E, w, "c");
}

/* Computes the coordinates of the accesses of the batch and their limits (points in bounds);
 * `loads`: loads them, too. */
static void fill_batch(em *E, const em_iteration *w, bool loads) {
    char size[FIELD_NAME_BYTES], name[16];
    int last = w->n ? w->dims[w->n - 1] : -1;
    if (!E->full) em_line(E, "int lim[%d];", w->unroll);
    if (loads) transpose_tiles(E, w);
    em_open_unrolled(E, "u", w->unroll);
    if (!E->full) em_line(E, "lim[u] = 0;");
    for (int k = 0; k < w->n && !E->full; k++) em_line(E, "p%d[u] = 0;", w->dims[k]);
    open_access(E, w);
    if (!E->full) em_line(E, "lim[u] = 1;");
    for (int k = 0; k < w->n; k++) {
        int d = w->dims[k];
        em_line(E, w->vec > 1 && d == last ? "p%d[u] = i%d * %d;" : "p%d[u] = i%d;", d, d, w->vec);
    }
    if (w->vec > 1) {
        em_field(E, size, FIELD_SIZE, (unsigned)last, 0);
        if (E->plan->even_extent && !E->full)
            em_line(E, "lim[u] = %d;", w->vec);
        else if (!E->full)
            em_line(E, "lim[u] = %s - p%d[u] < %d ? (int)(%s - p%d[u]) : %d;", size, last, w->vec,
                    size, last, w->vec);
        em_line(E, "{");
        E->indent++;
        em_line(E, "const %s i%d = p%d[u];", em_index_type(E), last, last);
    }
    for (unsigned a = 0; a < E->f->n_arrays && loads; a++) {
        if (!is_used(E, a, w->lo, w->hi, KIR_LOAD) || !varies(E, w, a)) continue;
        snprintf(name, sizeof name, "x%u", a);
        put_access(E, w, a, name, false);
    }
    if (w->vec > 1) em_close_block(E);
    em_close_block(E);
    em_close_block(E);
}

void em_batch_fill(em *E, const em_iteration *w) { fill_batch(E, w, true); }
void em_batch_coordinates(em *E, const em_iteration *w) { fill_batch(E, w, false); }

void em_batch_load(em *E, const em_iteration *w) {
    em_batch_declare(E, w);
    em_batch_fill(E, w);
}

void em_columns_load(em *E, const em_iteration *w, int outer, int step) {
    char size[FIELD_NAME_BYTES];
    int side = E->plan->column_vec;
    E->needs |= NEED_PACK;
    em_line(E, "int lim[%d];", w->unroll);
    for (int k = 0; k < w->n; k++)
        em_line(E, "%s p%d[%d];", em_index_type(E), w->dims[k], w->unroll);
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (is_used(E, a, w->lo, w->hi, KIR_LOAD) && varies(E, w, a))
            em_line(E, "g_pack<%s, %d> x%u[%d] = {};",
                    em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), side, a, w->unroll);
    em_open_unrolled(E, "u", w->unroll);
    em_line(E, "lim[u] = 0;");
    for (int k = 0; k < w->n; k++) em_line(E, "p%d[u] = 0;", w->dims[k]);
    em_line(E, "const %s c = c0 + u * %d;", em_count_type(E), step);
    em_line(E, "if (c < end0 && i%d < %s) {", outer,
            em_field(E, size, FIELD_SIZE, (unsigned)outer, 0));
    E->indent++;
    em_line(E, "lim[u] = %d;", side);
    em_coordinates(E, w, "c");
    for (int k = 0; k < w->n; k++) em_line(E, "p%d[u] = i%d;", w->dims[k], w->dims[k]);
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        if (!is_used(E, a, w->lo, w->hi, KIR_LOAD) || !varies(E, w, a)) continue;
        const char *m = em_memory(E, (gpa_dtype)E->f->arrays[a].dtype);
        gpa_str at;
        str_init(&at);
        put_element(E, &at, a);
        if (E->plan->vectorized >> a & 1)
            em_line(E, "x%u[u] = *(const g_pack<%s, %d> *)&%s;", a, m, side, at.text);
        else
            em_line(E,
                    "{ const %s one = %s; _Pragma(\"unroll\") for (int k = 0; k < %d; k++) "
                    "x%u[u].v[k] = one; }",
                    m, at.text, side, a);
        str_free(&at);
    }
    em_close_block(E);
    em_close_block(E);
}

/* The accesses of a thread are consecutive along the strip dimension: rows that several shifted
 * arrays use are loaded streamed. */
static void load_strip(em *E, const em_iteration *w) {
    char size[FIELD_NAME_BYTES];
    const char *t = em_index_type(E);
    int d = E->plan->strip_dim - 1, n = w->unroll;
    E->needs |= NEED_PACK;
    em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
    em_line(E, "const %s c = (%s)blockIdx.x * %d + threadIdx.x;", em_count_type(E),
            em_count_type(E), TUNE_CUDA_POINT_THREADS);
    em_line(E, "if (c >= %s) return;", w->limit);
    em_coordinates(E, w, "c");
    em_line(E, "int lim[%d];", n);
    for (int k = 0; k < w->n; k++) em_line(E, "%s p%d[%d];", t, w->dims[k], n);
    em_open_unrolled(E, "u", n);
    for (int k = 0; k < w->n; k++)
        em_line(E, w->dims[k] == d ? "p%d[u] = i%d * %d + u;" : "p%d[u] = i%d;", w->dims[k],
                w->dims[k], n);
    em_line(E, "lim[u] = p%d[u] < %s;", d, size);
    em_close_block(E);
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        int reach = 0;
        gpa_str at;
        if (!is_used(E, a, w->lo, w->hi, KIR_LOAD) || !varies(E, w, a) || E->plan->strip_shift[a])
            continue;
        for (unsigned b = 0; b < E->f->n_arrays; b++)
            if (E->plan->strip_source[b] == a) reach = MAX(reach, E->plan->strip_shift[b]);
        str_init(&at);
        put_element(E, &at, a);
        em_line(E, "g_pack<%s, 1> x%u[%d] = {};", em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), a,
                n + reach);
        em_open_unrolled(E, "u", n + reach);
        em_line(E, "const %s first%d = i%d * %d;", t, d, d, n);
        em_line(E, "const %s i%d = first%d + u;", t, d, d);
        em_line(E, "if (i%d < %s + %d) x%u[u].v[0] = %s;", d, size, reach, a, at.text);
        em_close_block(E);
        str_free(&at);
    }
}

void em_point_of_access(em *E, const em_iteration *w, const char *plus) {
    for (int k = 0; k < w->n; k++)
        em_line(E, "const %s i%d = p%d[u]%s;", em_index_type(E), w->dims[k], w->dims[k],
                k == w->n - 1 ? plus : "");
}

/* The arithmetic of access u. */
static void put_points(em *E, const em_iteration *w, bool guarded) {
    em_open_unrolled(E, "k", w->vec);
    if (guarded) {
        em_line(E, E->full ? "{" : "if (k < lim[u]) {");
        E->indent++;
    }
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    E->access = ACCESS_BATCH;
    em_instructions(E, w->lo, w->hi);
    E->access = ACCESS_DIRECT;
    if (guarded) em_close_block(E);
    em_close_block(E);
}

/* The slow path of an access: its points one by one, from memory to memory; the batch stores none
 * of them. */
static void put_slow_path(em *E, const em_iteration *w) {
    em_line(E, "const int n = lim[u];");
    em_line(E, "lim[u] = 0;");
    em_line(E, "_Pragma(\"unroll 1\")");
    em_line(E, "for (int k = 0; k < n; k++) {");
    E->indent++;
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    em_instructions(E, w->lo, w->hi);
    em_close_block(E);
}

/* The arithmetic with branch-free division, then the slow path, which is rare and therefore
 * small. */
static void put_fast_points(em *E, const em_iteration *w) {
    em_line(E, "unsigned far = 0;");
    E->fast_division = true;
    put_points(E, w, false);
    E->fast_division = false;
    em_line(E, "if ((int)far < 0) {");
    E->indent++;
    if (E->full)
        put_points(E, w, false);
    else
        put_slow_path(E, w);
    em_close_block(E);
}

void em_batch_values(em *E, const em_iteration *w) {
    bool guarded = !em_batch_is_pure(E, w);
    for (int32_t i = w->lo; i < w->hi && !em_only_slice(E); i++) {
        const kir_ins *k = &E->f->code[i];
        if (k->code == KIR_STORE && varies(E, w, k->sub))
            em_line(E, "g_pack<%s, %d> y%d[%d];",
                    em_memory(E, (gpa_dtype)E->f->arrays[k->sub].dtype), w->vec, (int)i, w->unroll);
    }
    if (em_batches_instructions(E, w)) {
        em_batch_arithmetic(E, w);
    } else {
        em_open_unrolled(E, "u", w->unroll);
        if (!guarded && em_can_divide_fast(E, w->lo, w->hi))
            put_fast_points(E, w);
        else
            put_points(E, w, guarded);
        em_close_block(E);
    }
}

void em_batch_store(em *E, const em_iteration *w) {
    char name[16];
    for (int32_t i = w->lo; i < w->hi && !em_only_slice(E); i++) {
        const kir_ins *k = &E->f->code[i];
        if (k->code != KIR_STORE || !varies(E, w, k->sub)) continue;
        snprintf(name, sizeof name, "y%d", (int)i);
        em_open_unrolled(E, "u", w->unroll);
        em_line(E, E->full ? "{" : "if (lim[u] > 0) {");
        E->indent++;
        em_point_of_access(E, w, "");
        put_access(E, w, k->sub, name, true);
        em_close_block(E);
        em_close_block(E);
    }
}

void em_batch_compute(em *E, const em_iteration *w) {
    em_batch_values(E, w);
    em_batch_store(E, w);
}

/* ---- no inner points ---- */

/* One point at a time. Where batches would have one point, this is the shorter source. */
bool em_in_order(const em *E) {
    const cu_plan *p = E->plan;
    return E->facts.branches || E->facts.reread || E->facts.scatters ||
           (p->vec == 1 && p->unroll == 1 && !p->row_accesses && !p->tile_dim && !p->scan &&
            !p->histogram_copies);
}

/* Adds a block's histogram to the array: the counts of all copies times the increment, or sums of
 * two words each. */
static void add_histogram(em *E, const char *capacity) {
    char base[FIELD_NAME_BYTES];
    gpa_dtype type = (gpa_dtype)E->f->arrays[E->facts.histogram].dtype;
    const char *word = dtype_size(type) == 8 ? "unsigned long long" : "unsigned";
    int32_t at = 0;
    while (E->f->code[at].code != KIR_ATOMIC) at++;
    em_line(E, "for (unsigned i = threadIdx.x; i < %s; i += %d) {", capacity,
            TUNE_CUDA_POINT_THREADS);
    E->indent++;
    if (E->facts.histogram_counts) {
        em_line(E, "unsigned long long sum = 0;");
        em_line(E, "for (unsigned k = 0; k < %u; k++) sum += g_bins[i + k * %s];",
                E->plan->histogram_copies, capacity);
        em_line(E, "sum *= (unsigned long long)v%d;", (int)E->f->code[at].b);
    } else {
        em_line(
            E,
            "const unsigned long long sum = g_bins[i] | (unsigned long long)g_bins[%s + i] << 32;",
            capacity);
    }
    em_line(E, "if (sum) atomicAdd((%s *)%s + i, (%s)sum);", word,
            em_field(E, base, FIELD_BASE, (unsigned)E->facts.histogram, 0), word);
    em_close_block(E);
}

/* A privatized histogram in shared memory: two 32-bit words per element, for native atomics; or
 * counts of one word. The grid strides over the batches, and each block adds its copy at the
 * end. */
static void put_histogram(em *E, em_iteration *w) {
    char capacity[FIELD_NAME_BYTES], size[FIELD_NAME_BYTES];
    const char *t = em_count_type(E);
    em_field(E, capacity, FIELD_CAPACITY, (unsigned)E->facts.histogram, 0);
    em_line(E, "extern __shared__ unsigned g_bins[];");
    if (E->facts.histogram_counts)
        em_line(E, "unsigned *const own = g_bins + threadIdx.x / 32 %% %u * %s;",
                E->plan->histogram_copies, capacity);
    else
        E->needs |= NEED_HISTOGRAM;
    em_line(E, "for (unsigned i = threadIdx.x; i < %u * %s; i += %d) g_bins[i] = 0;",
            E->facts.histogram_counts ? E->plan->histogram_copies : 2u, capacity,
            TUNE_CUDA_POINT_THREADS);
    em_line(E, "__syncthreads();");
    em_line(E, "for (%s c0 = (%s)blockIdx.x * %d; c0 < %s; c0 += (%s)gridDim.x * %d) {", t, t,
            TUNE_CUDA_POINT_THREADS * w->unroll, w->limit, t, TUNE_CUDA_POINT_THREADS * w->unroll);
    E->indent++;
    w->access = "c0 + u * blockDim.x + threadIdx.x";
    em_field(E, size, FIELD_SIZE, (unsigned)w->dims[w->n - 1], 0);
    if (w->n == 1) {
        em_line(E, "if (c0 + %d <= (%s)%s / %d) {", TUNE_CUDA_POINT_THREADS * w->unroll, t, size,
                w->vec);
        E->indent++;
        E->full = true;
        em_batch_load(E, w);
        em_batch_compute(E, w);
        E->full = false;
        em_line(E, "continue;");
        em_close_block(E);
    }
    em_batch_load(E, w);
    em_batch_compute(E, w);
    em_close_block(E);
    em_line(E, "__syncthreads();");
    add_histogram(E, capacity);
}

/* The points of a partial tile at the edge, one at a time. */
static void put_edge(em *E, const em_iteration *w) {
    char size[FIELD_NAME_BYTES], other_size[FIELD_NAME_BYTES];
    int last = w->dims[w->n - 1], other = E->plan->tile_dim - 1;
    em_line(E, "_Pragma(\"unroll 1\")");
    em_line(E, "for (int u = 0; u < %d; u++) {", w->unroll);
    E->indent++;
    put_coordinates_in_tile(E, w, false);
    em_line(E, "if (i%d >= %s || i%d >= %s) return;", last,
            em_field(E, size, FIELD_SIZE, (unsigned)last, 0), other,
            em_field(E, other_size, FIELD_SIZE, (unsigned)other, 0));
    em_instructions(E, w->lo, w->hi);
    em_close_block(E);
}

/* Small tiles check the bounds of every access. Large ones are nearly all full: their accesses need
 * no limits, so that more of them fit in registers. */
static void put_tiles(em *E, const em_iteration *w) {
    char size[FIELD_NAME_BYTES], other_size[FIELD_NAME_BYTES];
    int last = w->dims[w->n - 1], other = E->plan->tile_dim - 1, tile = E->plan->width;
    put_tile(E, w);
    if (tile > TILE_SIDE) {
        em_line(E, "if ((at%d + 1) * %d > (unsigned)%s || (at%d + 1) * %d > (unsigned)%s) {", last,
                tile, em_field(E, size, FIELD_SIZE, (unsigned)last, 0), other, tile,
                em_field(E, other_size, FIELD_SIZE, (unsigned)other, 0));
        E->indent++;
        put_edge(E, w);
        em_line(E, "return;");
        em_close_block(E);
        E->full = true;
    }
    em_batch_load(E, w);
    em_batch_compute(E, w);
    E->full = false;
}

void em_all_points(em *E) {
    char chunks[FIELD_NAME_BYTES], chunk[96];
    em_iteration w = em_iterate_over(E, (1u << E->f->ndim) - 1);
    const char *t = em_count_type(E);
    w.lo = 0;
    w.hi = (int32_t)E->f->n_code;
    em_field(E, chunks, FIELD_ACCESSES, 0, 0);
    if (em_in_order(E)) {
        em_line(E, "const %s c = (%s)blockIdx.x * %d + threadIdx.x;", t, t,
                TUNE_CUDA_POINT_THREADS);
        em_line(E, "if (c >= %s) return;", chunks);
        em_coordinates(E, &w, "c");
        em_instructions(E, w.lo, w.hi);
        return;
    }
    snprintf(chunk, sizeof chunk,
             w.unroll > 1 ? "(%s)blockIdx.x * %d + u * %d + threadIdx.x"
                          : "(%s)blockIdx.x * %d + threadIdx.x",
             t, TUNE_CUDA_POINT_THREADS * w.unroll, TUNE_CUDA_POINT_THREADS);
    w.access = chunk;
    w.limit = chunks;
    if (E->plan->histogram_copies) {
        put_histogram(E, &w);
        return;
    }
    if (E->plan->tile_dim) {
        put_tiles(E, &w);
        return;
    }
    if (E->plan->unroll == 1)
        em_line(E, "if ((%s)blockIdx.x * %d + threadIdx.x >= %s) return;", t,
                TUNE_CUDA_POINT_THREADS, chunks);
    if (E->plan->strip_dim)
        load_strip(E, &w);
    else
        em_batch_load(E, &w);
    em_batch_compute(E, &w);
}
