/* Walking points: coordinates, batches of accesses, and programs without inner points.
 *
 * Points are taken in batches of unroll x vec: all loads of a batch first, into registers, then the
 * arithmetic, then the stores, so that several accesses are in flight. A `chunk` is one access
 * along the last dimension: vec points.
 *
 * Reading order: coordinates, batches, em_points. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

const char *em_index_type(const em *E) { return em_small(E) ? "int" : "long long"; }
const char *em_count_type(const em *E) { return em_small(E) ? "unsigned" : "unsigned long long"; }

cu_walk em_walk_over(const em *E, unsigned dims) {
    cu_walk w = {.unroll = E->plan->unroll, .vec = E->plan->vec};
    for (int d = 0; d < E->f->ndim; d++)
        if (dims >> d & 1) w.dims[w.n++] = d;
    return w;
}

/* ---- coordinates ---- */

/* `c` divided by an extent: by multiplication where 32 bits do. */
static void put_quotient(em *E, const char *to, const char *c, int dim, bool span) {
    char magic[NAME_ROOM], shift[NAME_ROOM], size[NAME_ROOM];
    if (em_small(E)) {
        em_line(E, "const unsigned %s = (__umulhi(%s, %s) + %s) >> %s;", to, c,
                em_field(E, magic, FIELD_MAGIC, (unsigned)dim, !span), c,
                em_field(E, shift, FIELD_SHIFT, (unsigned)dim, !span));
    } else {
        em_line(E, "const unsigned long long %s = %s / (unsigned long long)%s;", to, c,
                em_field(E, size, span ? FIELD_SPAN : FIELD_SIZE, (unsigned)dim, 0));
    }
}

/* Coordinates i<d> of chunk `c`. */
void em_coordinates(em *E, const cu_walk *w, const char *c) {
    char size[NAME_ROOM], rest[24], next[24];
    const char *t = em_index_type(E);
    snprintf(rest, sizeof rest, "%s", c);
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        bool span = k == w->n - 1 || d == E->plan->strip - 1;
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

/* Where arrays lie across each other a block takes a tile of the last dimension and another one, so
 * that what one row of threads brings into the cache serves the next rows: tile at<d> of each
 * dimension. Divisions are the same for a whole block. */
static void put_tile(em *E, const cu_walk *w) {
    char size[NAME_ROOM];
    int last = w->dims[w->n - 1], tile = E->plan->width;
    em_line(E, "unsigned rest = blockIdx.x;");
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        bool tiled = d == last || d == E->plan->tile - 1;
        em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
        em_line(E,
                "const unsigned n%d = ((unsigned)%s + %d) / %d, at%d = rest %% n%d; rest /= n%d;",
                d, size, tiled ? tile - 1 : 0, tiled ? tile : 1, d, d, d);
    }
}

/* Coordinates of access u in the tile. `turned`: with neighbouring threads along the other
 * dimension. */
static void put_place_in_tile(em *E, const cu_walk *w, bool turned) {
    const char *t = em_index_type(E);
    int last = w->dims[w->n - 1], other = E->plan->tile - 1, tile = E->plan->width;
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        if (d == (turned ? other : last))
            em_line(E, "const %s i%d = (%s)(at%d * %d + threadIdx.x);", t, d, t, d, tile);
        else if (d == last || d == other)
            em_line(E, "const %s i%d = (%s)(at%d * %d + threadIdx.y + u * %d);", t, d, t, d, tile,
                    TUNE_CUDA_POINT_THREADS / tile);
        else
            em_line(E, "const %s i%d = (%s)at%d;", t, d, t, d);
    }
}

/* ---- batches ---- */

static bool uses_point(const em *E, unsigned a, int32_t lo, int32_t hi, kir_code code) {
    for (int32_t i = lo; i < hi; i++)
        if (E->f->code[i].code == code && E->f->code[i].sub == a &&
            (E->slice[i] || !em_only_slice(E)))
            return true;
    return false;
}

static unsigned walk_mask(const cu_walk *w) {
    unsigned m = 0;
    for (int k = 0; k < w->n; k++) m |= 1u << w->dims[k];
    return m;
}

static bool moves(const em *E, const cu_walk *w, unsigned a) {
    return (walk_mask(w) & ~E->f->arrays[a].zero) != 0;
}

/* Nothing but values, loads and stores at the point: it may be computed where there is no point,
 * and thrown away. */
static bool pure(const em *E, int32_t lo, int32_t hi) {
    for (int32_t i = lo; i < hi; i++) {
        uint8_t c = E->f->code[i].code;
        if (c == KIR_LOADX || c == KIR_STOREX || c == KIR_ATOMIC || c == KIR_BOUND ||
            c == KIR_PRINT || c == KIR_FAULT)
            return false;
    }
    return true;
}

static void put_element(em *E, gpa_str *out, unsigned a) {
    char field[NAME_ROOM];
    str_printf(out, "%s[", em_field(E, field, FIELD_BASE, a, 0));
    em_offset(E, out, a);
    str_putc(out, ']');
}

/* In tiles: an array whose neighbours lie along the other dimension is read along that one, and
 * turned in shared memory. */
static bool is_turned(const em *E, const cu_walk *w, unsigned a) {
    const kir_array *k = &E->f->arrays[a];
    int last = w->n ? w->dims[w->n - 1] : -1;
    return E->plan->tile && k->unit >> (E->plan->tile - 1) & 1 && !(k->zero >> last & 1);
}

static void turn_tile(em *E, const cu_walk *w, unsigned a) {
    char size[NAME_ROOM], other_size[NAME_ROOM];
    int last = w->dims[w->n - 1], other = E->plan->tile - 1, tile = E->plan->width;
    gpa_str at;
    str_init(&at);
    put_element(E, &at, a);
    em_line(E, "__shared__ %s g_tile%u[%d][%d];", em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), a,
            tile, tile + 1);
    em_open_unrolled(E, "u", w->unroll);
    put_place_in_tile(E, w, true);
    if (!E->whole)
        em_line(E, "if (i%d < %s && i%d < %s)", last,
                em_field(E, size, FIELD_SIZE, (unsigned)last, 0), other,
                em_field(E, other_size, FIELD_SIZE, (unsigned)other, 0));
    em_line(E, "%sg_tile%u[threadIdx.y + u * %d][threadIdx.x] = %s;", E->whole ? "" : "    ", a,
            TUNE_CUDA_POINT_THREADS / tile, at.text);
    em_close_block(E);
    str_free(&at);
}

/* Of a block's row that is read once: whether the bytes of an access of array a are those of no
 * other. */
static bool is_once(const em *E, const cu_walk *w, unsigned a) {
    const kir_array *k = &E->f->arrays[a];
    bool once = E->plan->once && k->where == KIR_GLOBAL &&
                (size_t)w->vec * dtype_size((gpa_dtype)k->dtype) == 16;
    for (unsigned b = 0; b < E->f->n_arrays; b++)
        once = once && (b == a || E->f->arrays[b].group != k->group);
    return once && !(k->access & KIR_WRITE);
}

/* One access of array a between memory and the registers r[u]. */
static void put_access(em *E, const cu_walk *w, unsigned a, const char *r, bool store) {
    const char *m = em_memory(E, (gpa_dtype)E->f->arrays[a].dtype);
    bool wide = w->vec > 1 && E->plan->wide >> a & 1, uncut = E->whole || E->plan->even;
    if (!store && is_turned(E, w, a)) {
        em_line(E, "%s[u].v[0] = g_tile%u[threadIdx.x][threadIdx.y + u * %d];", r, a,
                TUNE_CUDA_POINT_THREADS / E->plan->width);
        return;
    }
    int last = w->n ? w->dims[w->n - 1] : -1;
    gpa_str at;
    str_init(&at);
    put_element(E, &at, a);
    if (wide) {
        if (!uncut) em_line(E, "if (lim[u] == %d) {", w->vec);
        if (store)
            em_line(E, "    *(g_pack<%s, %d> *)&%s = %s[u];", m, w->vec, at.text, r);
        else if (is_once(E, w, a))
            em_line(E, "    %s[u] = g_once((const g_pack<%s, %d> *)&%s);", r, m, w->vec, at.text),
                E->needs |= NEED_ONCE;
        else
            em_line(E, "    %s[u] = *(const g_pack<%s, %d> *)&%s;", r, m, w->vec, at.text);
        if (!uncut) em_line(E, "} else");
    }
    if (wide && uncut) {
        str_free(&at);
        return;
    }
    if (w->vec > 1) {
        em_line(E, "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) %s{", w->vec,
                uncut ? "" : "if (k < lim[u]) ");
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
    E->depth++;
}

void em_close_block(em *E) {
    E->depth--;
    em_line(E, "}");
}

void em_batch_declare(em *E, const cu_walk *w) {
    E->needs |= NEED_PACK;
    for (int k = 0; k < w->n; k++)
        em_line(E, "%s p%d[%d];", em_index_type(E), w->dims[k], w->unroll);
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (uses_point(E, a, w->lo, w->hi, KIR_LOAD) && moves(E, w, a))
            em_line(E, "g_pack<%s, %d> x%u[%d] = {};",
                    em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), w->vec, a, w->unroll);
}

static void turn_tiles(em *E, const cu_walk *w) {
    bool any = false;
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        if (!uses_point(E, a, w->lo, w->hi, KIR_LOAD) || !moves(E, w, a) || !is_turned(E, w, a))
            continue;
        turn_tile(E, w, a);
        any = true;
    }
    if (any) em_line(E, "__syncthreads();");
}

/* Opens the block in which access u has a point, with its coordinates. */
static void open_access(em *E, const cu_walk *w) {
    char size[NAME_ROOM], other[NAME_ROOM];
    int last = w->n ? w->dims[w->n - 1] : -1;
    if (E->plan->tile) {
        put_place_in_tile(E, w, false);
        if (!E->whole)
            em_line(E, "if (i%d < %s && i%d < %s)", last,
                    em_field(E, size, FIELD_SIZE, (unsigned)last, 0), E->plan->tile - 1,
                    em_field(E, other, FIELD_SIZE, E->plan->tile - 1u, 0));
        em_line(E, "{");
        E->depth++;
        return;
    }
    em_line(E, "const %s c = %s;", em_count_type(E), w->chunk);
    em_line(E, E->whole ? "{" : "if (c < %s) {", w->end);
    E->depth++;
    em_coordinates(E, w, "c");
}

/* Where the accesses of the batch are, and how much of each there is; `loads`: also what is there.
 */
static void fill(em *E, const cu_walk *w, bool loads) {
    char size[NAME_ROOM], name[16];
    int last = w->n ? w->dims[w->n - 1] : -1;
    if (!E->whole) em_line(E, "int lim[%d];", w->unroll);
    if (loads) turn_tiles(E, w);
    em_open_unrolled(E, "u", w->unroll);
    if (!E->whole) em_line(E, "lim[u] = 0;");
    for (int k = 0; k < w->n && !E->whole; k++) em_line(E, "p%d[u] = 0;", w->dims[k]);
    open_access(E, w);
    if (!E->whole) em_line(E, "lim[u] = 1;");
    for (int k = 0; k < w->n; k++) {
        int d = w->dims[k];
        em_line(E, w->vec > 1 && d == last ? "p%d[u] = i%d * %d;" : "p%d[u] = i%d;", d, d, w->vec);
    }
    if (w->vec > 1) {
        em_field(E, size, FIELD_SIZE, (unsigned)last, 0);
        if (E->plan->even && !E->whole)
            em_line(E, "lim[u] = %d;", w->vec);
        else if (!E->whole)
            em_line(E, "lim[u] = %s - p%d[u] < %d ? (int)(%s - p%d[u]) : %d;", size, last, w->vec,
                    size, last, w->vec);
        em_line(E, "{");
        E->depth++;
        em_line(E, "const %s i%d = p%d[u];", em_index_type(E), last, last);
    }
    for (unsigned a = 0; a < E->f->n_arrays && loads; a++) {
        if (!uses_point(E, a, w->lo, w->hi, KIR_LOAD) || !moves(E, w, a)) continue;
        snprintf(name, sizeof name, "x%u", a);
        put_access(E, w, a, name, false);
    }
    if (w->vec > 1) em_close_block(E);
    em_close_block(E);
    em_close_block(E);
}

void em_batch_fill(em *E, const cu_walk *w) { fill(E, w, true); }
void em_batch_places(em *E, const cu_walk *w) { fill(E, w, false); }

void em_batch_load(em *E, const cu_walk *w) {
    em_batch_declare(E, w);
    em_batch_fill(E, w);
}

void em_sides_load(em *E, const cu_walk *w, int outer, int step) {
    char size[NAME_ROOM];
    int side = E->plan->side;
    E->needs |= NEED_PACK;
    em_line(E, "int lim[%d];", w->unroll);
    for (int k = 0; k < w->n; k++)
        em_line(E, "%s p%d[%d];", em_index_type(E), w->dims[k], w->unroll);
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (uses_point(E, a, w->lo, w->hi, KIR_LOAD) && moves(E, w, a))
            em_line(E, "g_pack<%s, %d> x%u[%d] = {};",
                    em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), side, a, w->unroll);
    em_open_unrolled(E, "u", w->unroll);
    em_line(E, "lim[u] = 0;");
    for (int k = 0; k < w->n; k++) em_line(E, "p%d[u] = 0;", w->dims[k]);
    em_line(E, "const %s c = c0 + u * %d;", em_count_type(E), step);
    em_line(E, "if (c < end0 && i%d < %s) {", outer,
            em_field(E, size, FIELD_SIZE, (unsigned)outer, 0));
    E->depth++;
    em_line(E, "lim[u] = %d;", side);
    em_coordinates(E, w, "c");
    for (int k = 0; k < w->n; k++) em_line(E, "p%d[u] = i%d;", w->dims[k], w->dims[k]);
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        if (!uses_point(E, a, w->lo, w->hi, KIR_LOAD) || !moves(E, w, a)) continue;
        const char *m = em_memory(E, (gpa_dtype)E->f->arrays[a].dtype);
        gpa_str at;
        str_init(&at);
        put_element(E, &at, a);
        if (E->plan->wide >> a & 1)
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

/* The accesses of a thread one behind the other along dimension d: rows that several arrays look at
 * are read once. */
static void load_strip(em *E, const cu_walk *w) {
    char size[NAME_ROOM];
    const char *t = em_index_type(E);
    int d = E->plan->strip - 1, n = w->unroll;
    E->needs |= NEED_PACK;
    em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
    em_line(E, "const %s c = (%s)blockIdx.x * %d + threadIdx.x;", em_count_type(E),
            em_count_type(E), TUNE_CUDA_POINT_THREADS);
    em_line(E, "if (c >= %s) return;", w->end);
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
        if (!uses_point(E, a, w->lo, w->hi, KIR_LOAD) || !moves(E, w, a) || E->plan->ahead[a])
            continue;
        for (unsigned b = 0; b < E->f->n_arrays; b++)
            if (E->plan->lead[b] == a) reach = MAX(reach, E->plan->ahead[b]);
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

void em_point_of_access(em *E, const cu_walk *w, const char *plus) {
    for (int k = 0; k < w->n; k++)
        em_line(E, "const %s i%d = p%d[u]%s;", em_index_type(E), w->dims[k], w->dims[k],
                k == w->n - 1 ? plus : "");
}

/* The arithmetic of access u. */
static void put_points(em *E, const cu_walk *w, bool guarded) {
    em_open_unrolled(E, "k", w->vec);
    if (guarded) {
        em_line(E, E->whole ? "{" : "if (k < lim[u]) {");
        E->depth++;
    }
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    E->access = ACCESS_BATCH;
    em_steps(E, w->lo, w->hi);
    E->access = ACCESS_DIRECT;
    if (guarded) em_close_block(E);
    em_close_block(E);
}

/* The points of access u that is there, one by one and in memory, as if nothing had been loaded;
 * nothing is left to store. */
static void put_direct(em *E, const cu_walk *w) {
    em_line(E, "const int n = lim[u];");
    em_line(E, "lim[u] = 0;");
    em_line(E, "_Pragma(\"unroll 1\")");
    em_line(E, "for (int k = 0; k < n; k++) {");
    E->depth++;
    em_point_of_access(E, w, w->vec > 1 ? " + k" : "");
    em_steps(E, w->lo, w->hi);
    em_close_block(E);
}

/* The same the short way, and once more where that was not enough: seldom, so in as little code as
 * possible. */
static void put_brief_points(em *E, const cu_walk *w) {
    em_line(E, "unsigned far = 0;");
    E->brief = true;
    put_points(E, w, false);
    E->brief = false;
    em_line(E, "if ((int)far < 0) {");
    E->depth++;
    if (E->whole)
        put_points(E, w, false);
    else
        put_direct(E, w);
    em_close_block(E);
}

bool em_batch_is_pure(const em *E, const cu_walk *w) { return pure(E, w->lo, w->hi); }

void em_batch_values(em *E, const cu_walk *w) {
    bool guarded = !pure(E, w->lo, w->hi);
    for (int32_t i = w->lo; i < w->hi && !em_only_slice(E); i++) {
        const kir_ins *k = &E->f->code[i];
        if (k->code == KIR_STORE && moves(E, w, k->sub))
            em_line(E, "g_pack<%s, %d> y%d[%d];",
                    em_memory(E, (gpa_dtype)E->f->arrays[k->sub].dtype), w->vec, (int)i, w->unroll);
    }
    if (em_shares(E, w)) {
        em_batch_arithmetic(E, w);
    } else {
        em_open_unrolled(E, "u", w->unroll);
        if (!guarded && em_can_be_brief(E, w->lo, w->hi))
            put_brief_points(E, w);
        else
            put_points(E, w, guarded);
        em_close_block(E);
    }
}

void em_batch_store(em *E, const cu_walk *w) {
    char name[16];
    for (int32_t i = w->lo; i < w->hi && !em_only_slice(E); i++) {
        const kir_ins *k = &E->f->code[i];
        if (k->code != KIR_STORE || !moves(E, w, k->sub)) continue;
        snprintf(name, sizeof name, "y%d", (int)i);
        em_open_unrolled(E, "u", w->unroll);
        em_line(E, E->whole ? "{" : "if (lim[u] > 0) {");
        E->depth++;
        em_point_of_access(E, w, "");
        put_access(E, w, k->sub, name, true);
        em_close_block(E);
        em_close_block(E);
    }
}

void em_batch_compute(em *E, const cu_walk *w) {
    em_batch_values(E, w);
    em_batch_store(E, w);
}

/* ---- no inner points ---- */

/* One point at a time, in place. Where batches would be of one point, that is the shorter source.
 */
bool em_in_order(const em *E) {
    const cu_plan *p = E->plan;
    return E->facts.branches || E->facts.reread || E->facts.scatters ||
           (p->vec == 1 && p->unroll == 1 && !p->keep && !p->tile && !p->scan && !p->bins);
}

/* A block's sums, added to the array: counts of all copies times the number that is added, or sums
 * of two words each. */
static void add_bins(em *E, const char *room) {
    char base[NAME_ROOM];
    gpa_dtype type = (gpa_dtype)E->f->arrays[E->facts.bins].dtype;
    const char *word = dtype_size(type) == 8 ? "unsigned long long" : "unsigned";
    int32_t at = 0;
    while (E->f->code[at].code != KIR_ATOMIC) at++;
    em_line(E, "for (unsigned i = threadIdx.x; i < %s; i += %d) {", room, TUNE_CUDA_POINT_THREADS);
    E->depth++;
    if (E->facts.counts) {
        em_line(E, "unsigned long long sum = 0;");
        em_line(E, "for (unsigned k = 0; k < %u; k++) sum += g_bins[i + k * %s];", E->plan->bins,
                room);
        em_line(E, "sum *= (unsigned long long)v%d;", (int)E->f->code[at].b);
    } else {
        em_line(
            E,
            "const unsigned long long sum = g_bins[i] | (unsigned long long)g_bins[%s + i] << 32;",
            room);
    }
    em_line(E, "if (sum) atomicAdd((%s *)%s + i, (%s)sum);", word,
            em_field(E, base, FIELD_BASE, (unsigned)E->facts.bins, 0), word);
    em_close_block(E);
}

/* Sums in shared memory: two words an element, so that additions are those of words; or counts,
 * which are words. A block takes batches in turn and adds its sums at the end. */
static void put_bins(em *E, cu_walk *w) {
    char room[NAME_ROOM], size[NAME_ROOM];
    const char *t = em_count_type(E);
    em_field(E, room, FIELD_ROOM, (unsigned)E->facts.bins, 0);
    em_line(E, "extern __shared__ unsigned g_bins[];");
    if (E->facts.counts)
        em_line(E, "unsigned *const own = g_bins + threadIdx.x / 32 %% %u * %s;", E->plan->bins,
                room);
    else
        E->needs |= NEED_BINS;
    em_line(E, "for (unsigned i = threadIdx.x; i < %u * %s; i += %d) g_bins[i] = 0;",
            E->facts.counts ? E->plan->bins : 2u, room, TUNE_CUDA_POINT_THREADS);
    em_line(E, "__syncthreads();");
    em_line(E, "for (%s c0 = (%s)blockIdx.x * %d; c0 < %s; c0 += (%s)gridDim.x * %d) {", t, t,
            TUNE_CUDA_POINT_THREADS * w->unroll, w->end, t, TUNE_CUDA_POINT_THREADS * w->unroll);
    E->depth++;
    w->chunk = "c0 + u * blockDim.x + threadIdx.x";
    em_field(E, size, FIELD_SIZE, (unsigned)w->dims[w->n - 1], 0);
    if (w->n == 1) {
        em_line(E, "if (c0 + %d <= (%s)%s / %d) {", TUNE_CUDA_POINT_THREADS * w->unroll, t, size,
                w->vec);
        E->depth++;
        E->whole = true;
        em_batch_load(E, w);
        em_batch_compute(E, w);
        E->whole = false;
        em_line(E, "continue;");
        em_close_block(E);
    }
    em_batch_load(E, w);
    em_batch_compute(E, w);
    em_close_block(E);
    em_line(E, "__syncthreads();");
    add_bins(E, room);
}

/* Points at the edge, which a whole tile does not reach, one at a time, in place. */
static void put_edge(em *E, const cu_walk *w) {
    char size[NAME_ROOM], other_size[NAME_ROOM];
    int last = w->dims[w->n - 1], other = E->plan->tile - 1;
    em_line(E, "_Pragma(\"unroll 1\")");
    em_line(E, "for (int u = 0; u < %d; u++) {", w->unroll);
    E->depth++;
    put_place_in_tile(E, w, false);
    em_line(E, "if (i%d >= %s || i%d >= %s) return;", last,
            em_field(E, size, FIELD_SIZE, (unsigned)last, 0), other,
            em_field(E, other_size, FIELD_SIZE, (unsigned)other, 0));
    em_steps(E, w->lo, w->hi);
    em_close_block(E);
}

/* Small tiles have limits at every access. Large ones are nearly all whole: their points need none,
 * so that many accesses are in flight in few registers. */
static void put_tiles(em *E, const cu_walk *w) {
    char size[NAME_ROOM], other_size[NAME_ROOM];
    int last = w->dims[w->n - 1], other = E->plan->tile - 1, tile = E->plan->width;
    put_tile(E, w);
    if (tile > TILE) {
        em_line(E, "if ((at%d + 1) * %d > (unsigned)%s || (at%d + 1) * %d > (unsigned)%s) {", last,
                tile, em_field(E, size, FIELD_SIZE, (unsigned)last, 0), other, tile,
                em_field(E, other_size, FIELD_SIZE, (unsigned)other, 0));
        E->depth++;
        put_edge(E, w);
        em_line(E, "return;");
        em_close_block(E);
        E->whole = true;
    }
    em_batch_load(E, w);
    em_batch_compute(E, w);
    E->whole = false;
}

void em_points(em *E) {
    char chunks[NAME_ROOM], chunk[96];
    cu_walk w = em_walk_over(E, (1u << E->f->ndim) - 1);
    const char *t = em_count_type(E);
    w.lo = 0;
    w.hi = (int32_t)E->f->n_code;
    em_field(E, chunks, FIELD_CHUNKS, 0, 0);
    if (em_in_order(E)) {
        em_line(E, "const %s c = (%s)blockIdx.x * %d + threadIdx.x;", t, t,
                TUNE_CUDA_POINT_THREADS);
        em_line(E, "if (c >= %s) return;", chunks);
        em_coordinates(E, &w, "c");
        em_steps(E, w.lo, w.hi);
        return;
    }
    snprintf(chunk, sizeof chunk,
             w.unroll > 1 ? "(%s)blockIdx.x * %d + u * %d + threadIdx.x"
                          : "(%s)blockIdx.x * %d + threadIdx.x",
             t, TUNE_CUDA_POINT_THREADS * w.unroll, TUNE_CUDA_POINT_THREADS);
    w.chunk = chunk;
    w.end = chunks;
    if (E->plan->bins) {
        put_bins(E, &w);
        return;
    }
    if (E->plan->tile) {
        put_tiles(E, &w);
        return;
    }
    if (E->plan->unroll == 1)
        em_line(E, "if ((%s)blockIdx.x * %d + threadIdx.x >= %s) return;", t,
                TUNE_CUDA_POINT_THREADS, chunks);
    if (E->plan->strip)
        load_strip(E, &w);
    else
        em_batch_load(E, &w);
    em_batch_compute(E, &w);
}
