/* Iteration spaces: which thread takes which points, and how a team of threads walks and joins the inner points of one
 * outer point.
 *
 * Points are taken in batches of unroll x vec: all loads of a batch first, into registers, then the arithmetic, then the
 * stores, so that several accesses are in flight. A `chunk` is one access along the last dimension: vec points. Reductions
 * join in an order that depends on the plan and the sizes alone.
 *
 * Reading order: coordinates, batches, em_points, states, joining a team, parts, em_each, em_teams. */
#include <stdio.h>

#include "runtime/cuda/emitter.h"

/* A walk over dimensions: in order, the last varies fastest. */
typedef struct {
    int dims[KIR_MAX_DIMS], n;
    int unroll, vec;
    int32_t lo, hi;    /* instructions */
    const char *chunk; /* the chunk of access u */
    const char *end;   /* chunks end here */
} walk;

static const char *index_type(const em *E) { return em_small(E) ? "int" : "long long"; }
static const char *count_type(const em *E) { return em_small(E) ? "unsigned" : "unsigned long long"; }

static walk walk_over(const em *E, unsigned dims) {
    walk w = {.unroll = E->plan->unroll, .vec = E->plan->vec};
    for (int d = 0; d < E->f->ndim; d++)
        if (dims >> d & 1) w.dims[w.n++] = d;
    return w;
}

/* ---- coordinates ---- */

/* `c` divided by an extent: by multiplication where 32 bits do. */
static void put_quotient(em *E, const char *to, const char *c, int dim, bool span) {
    char magic[NAME_ROOM], shift[NAME_ROOM], size[NAME_ROOM];
    if (em_small(E)) {
        em_line(E, "const unsigned %s = (__umulhi(%s, %s) + %s) >> %s;", to, c, em_field(E, magic, FIELD_MAGIC, (unsigned)dim, !span), c,
                em_field(E, shift, FIELD_SHIFT, (unsigned)dim, !span));
    } else {
        em_line(E, "const unsigned long long %s = %s / (unsigned long long)%s;", to, c, em_field(E, size, span ? FIELD_SPAN : FIELD_SIZE, (unsigned)dim, 0));
    }
}

/* Coordinates i<d> of chunk `c`. */
static void put_coordinates(em *E, const walk *w, const char *c) {
    char size[NAME_ROOM], rest[24], next[24];
    const char *t = index_type(E);
    snprintf(rest, sizeof rest, "%s", c);
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        bool last = k == w->n - 1;
        if (k == 0) {
            em_line(E, "const %s i%d = (%s)(%s)%s;", t, d, t, rest, "");
        } else {
            snprintf(next, sizeof next, "q%d", d);
            put_quotient(E, next, rest, d, last);
            em_line(E, "const %s i%d = (%s)(%s - %s * (%s)%s);", t, d, t, rest, next, count_type(E), em_field(E, size, last ? FIELD_SPAN : FIELD_SIZE, (unsigned)d, 0));
            snprintf(rest, sizeof rest, "%s", next);
        }
    }
}

/* Coordinates of access u where arrays lie across each other: a block takes a tile of the last dimension and another one, so
 * that what one row of threads brings into the cache serves the next rows. Divisions are the same for a whole block. */
static void put_tile(em *E, const walk *w) {
    const char *t = index_type(E);
    char size[NAME_ROOM];
    int last = w->dims[w->n - 1], other = E->plan->tile - 1;
    em_line(E, "unsigned rest = blockIdx.x;");
    for (int k = w->n - 1; k >= 0; k--) {
        int d = w->dims[k];
        bool tiled = d == last || d == other;
        em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
        em_line(E, "const unsigned n%d = ((unsigned)%s + %d) / %d, at%d = rest %% n%d; rest /= n%d;", d, size, tiled ? TILE - 1 : 0, tiled ? TILE : 1, d, d, d);
        if (d == last) em_line(E, "const %s i%d = (%s)(at%d * %d + threadIdx.x);", t, d, t, d, TILE);
        else if (d == other) em_line(E, "const %s i%d = (%s)(at%d * %d + threadIdx.y + u * %d);", t, d, t, d, TILE, POINT_THREADS / TILE);
        else em_line(E, "const %s i%d = (%s)at%d;", t, d, t, d);
    }
}

/* ---- batches ---- */

static bool uses_point(const em *E, unsigned a, int32_t lo, int32_t hi, kir_code code) {
    for (int32_t i = lo; i < hi; i++)
        if (E->f->code[i].code == code && E->f->code[i].sub == a) return true;
    return false;
}

static unsigned walk_mask(const walk *w) {
    unsigned m = 0;
    for (int k = 0; k < w->n; k++) m |= 1u << w->dims[k];
    return m;
}

static bool moves(const em *E, const walk *w, unsigned a) { return (walk_mask(w) & ~E->f->arrays[a].zero) != 0; }

/* Nothing but values, loads and stores at the point: it may be computed where there is no point, and thrown away. */
static bool pure(const em *E, int32_t lo, int32_t hi) {
    for (int32_t i = lo; i < hi; i++) {
        uint8_t c = E->f->code[i].code;
        if (c == KIR_LOADX || c == KIR_STOREX || c == KIR_ATOMIC || c == KIR_BOUND || c == KIR_PRINT || c == KIR_FAULT) return false;
    }
    return true;
}

static void put_element(em *E, gpa_str *out, unsigned a) {
    char field[NAME_ROOM];
    str_printf(out, "%s[", em_field(E, field, FIELD_BASE, a, 0));
    em_offset(E, out, a);
    str_putc(out, ']');
}

/* One access of array a between memory and the registers r[u]. */
static void put_access(em *E, const walk *w, unsigned a, const char *r, bool store) {
    const char *m = em_memory(E, (gpa_dtype)E->f->arrays[a].dtype);
    bool wide = w->vec > 1 && E->plan->wide >> a & 1;
    int last = w->n ? w->dims[w->n - 1] : -1;
    gpa_str at;
    str_init(&at);
    put_element(E, &at, a);
    if (wide) {
        em_line(E, "if (lim[u] == %d) {", w->vec);
        if (store) em_line(E, "    *(g_pack<%s, %d> *)&%s = %s[u];", m, w->vec, at.text, r);
        else em_line(E, "    %s[u] = *(const g_pack<%s, %d> *)&%s;", r, m, w->vec, at.text);
        em_line(E, "} else");
    }
    if (w->vec > 1) {
        em_line(E, "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) if (k < lim[u]) {", w->vec);
        em_line(E, "    const %s i%d = p%d[u] + k;", index_type(E), last, last);
        if (store) em_line(E, "    %s = %s[u].v[k];", at.text, r);
        else em_line(E, "    %s[u].v[k] = %s;", r, at.text);
        em_line(E, "}");
    } else if (store) {
        em_line(E, "%s = %s[u].v[0];", at.text, r);
    } else {
        em_line(E, "%s[u].v[0] = %s;", r, at.text);
    }
    str_free(&at);
}

static void open_unrolled(em *E, const char *counter, int n) {
    em_line(E, "_Pragma(\"unroll\")");
    em_line(E, "for (int %s = 0; %s < %d; %s++) {", counter, counter, n, counter);
    E->depth++;
}

static void close_block(em *E) {
    E->depth--;
    em_line(E, "}");
}

/* Declares the registers of a batch and loads them. */
static void batch_load(em *E, const walk *w) {
    char size[NAME_ROOM], name[16];
    int last = w->n ? w->dims[w->n - 1] : -1;
    E->needs |= NEED_PACK;
    em_line(E, "int lim[%d];", w->unroll);
    for (int k = 0; k < w->n; k++) em_line(E, "%s p%d[%d];", index_type(E), w->dims[k], w->unroll);
    for (unsigned a = 0; a < E->f->n_arrays; a++)
        if (uses_point(E, a, w->lo, w->hi, KIR_LOAD) && moves(E, w, a))
            em_line(E, "g_pack<%s, %d> x%u[%d] = {};", em_memory(E, (gpa_dtype)E->f->arrays[a].dtype), w->vec, a, w->unroll);
    open_unrolled(E, "u", w->unroll);
    em_line(E, "lim[u] = 0;");
    for (int k = 0; k < w->n; k++) em_line(E, "p%d[u] = 0;", w->dims[k]);
    if (E->plan->tile) {
        char other[NAME_ROOM];
        put_tile(E, w);
        em_line(E, "if (i%d < %s && i%d < %s) {", last, em_field(E, size, FIELD_SIZE, (unsigned)last, 0), E->plan->tile - 1,
                em_field(E, other, FIELD_SIZE, E->plan->tile - 1u, 0));
        E->depth++;
    } else {
        em_line(E, "const %s c = %s;", count_type(E), w->chunk);
        em_line(E, "if (c < %s) {", w->end);
        E->depth++;
        put_coordinates(E, w, "c");
    }
    em_line(E, "lim[u] = 1;");
    for (int k = 0; k < w->n; k++) {
        int d = w->dims[k];
        em_line(E, w->vec > 1 && d == last ? "p%d[u] = i%d * %d;" : "p%d[u] = i%d;", d, d, w->vec);
    }
    if (w->vec > 1) {
        em_field(E, size, FIELD_SIZE, (unsigned)last, 0);
        em_line(E, "lim[u] = %s - p%d[u] < %d ? (int)(%s - p%d[u]) : %d;", size, last, w->vec, size, last, w->vec);
        em_line(E, "{");
        E->depth++;
        em_line(E, "const %s i%d = p%d[u];", index_type(E), last, last);
    }
    for (unsigned a = 0; a < E->f->n_arrays; a++) {
        if (!uses_point(E, a, w->lo, w->hi, KIR_LOAD) || !moves(E, w, a)) continue;
        snprintf(name, sizeof name, "x%u", a);
        put_access(E, w, a, name, false);
    }
    if (w->vec > 1) close_block(E);
    close_block(E);
    close_block(E);
}

static void point_of_access(em *E, const walk *w, const char *plus) {
    for (int k = 0; k < w->n; k++)
        em_line(E, "const %s i%d = p%d[u]%s;", index_type(E), w->dims[k], w->dims[k], k == w->n - 1 ? plus : "");
}

/* The arithmetic and the stores of a batch that was loaded. */
static void batch_compute(em *E, const walk *w) {
    char name[16];
    bool guarded = !pure(E, w->lo, w->hi);
    for (int32_t i = w->lo; i < w->hi; i++) {
        const kir_ins *k = &E->f->code[i];
        if (k->code == KIR_STORE && moves(E, w, k->sub))
            em_line(E, "g_pack<%s, %d> y%d[%d];", em_memory(E, (gpa_dtype)E->f->arrays[k->sub].dtype), w->vec, (int)i, w->unroll);
    }
    open_unrolled(E, "u", w->unroll);
    open_unrolled(E, "k", w->vec);
    if (guarded) {
        em_line(E, "if (k < lim[u]) {");
        E->depth++;
    }
    point_of_access(E, w, w->vec > 1 ? " + k" : "");
    E->access = ACCESS_BATCH;
    em_steps(E, w->lo, w->hi);
    E->access = ACCESS_DIRECT;
    if (guarded) close_block(E);
    close_block(E);
    close_block(E);
    for (int32_t i = w->lo; i < w->hi; i++) {
        const kir_ins *k = &E->f->code[i];
        if (k->code != KIR_STORE || !moves(E, w, k->sub)) continue;
        snprintf(name, sizeof name, "y%d", (int)i);
        open_unrolled(E, "u", w->unroll);
        em_line(E, "if (lim[u] > 0) {");
        E->depth++;
        point_of_access(E, w, "");
        put_access(E, w, k->sub, name, true);
        close_block(E);
        close_block(E);
    }
}

/* ---- no inner points ---- */

static bool in_order(const em *E) { return E->facts.branches || E->facts.reread || E->facts.scatters; }

void em_points(em *E) {
    char chunks[NAME_ROOM], chunk[96];
    walk w = walk_over(E, (1u << E->f->ndim) - 1);
    const char *t = count_type(E);
    w.lo = 0;
    w.hi = (int32_t)E->f->n_code;
    em_field(E, chunks, FIELD_CHUNKS, 0, 0);
    if (in_order(E)) {
        em_line(E, "const %s c = (%s)blockIdx.x * %d + threadIdx.x;", t, t, POINT_THREADS);
        em_line(E, "if (c >= %s) return;", chunks);
        put_coordinates(E, &w, "c");
        em_steps(E, w.lo, w.hi);
        return;
    }
    snprintf(chunk, sizeof chunk, "(%s)blockIdx.x * %d + u * %d + threadIdx.x", t, POINT_THREADS * w.unroll, POINT_THREADS);
    w.chunk = chunk;
    w.end = chunks;
    batch_load(E, &w);
    batch_compute(E, &w);
}

/* ---- states ---- */

static gpa_dtype state_type(const em *E, int32_t at) { return dtype_info[E->f->code[E->f->code[at].a].type].compute; }

void em_states(em *E, gpa_str *out) {
    for (int32_t at = 0; at < (int32_t)E->f->n_code; at++) {
        const kir_ins *i = &E->f->code[at];
        if (i->code != KIR_REDUCE && i->code != KIR_SCAN) continue;
        gpa_dtype t = state_type(E, at);
        const gpa_red_info *r = &red_info[i->sub];
        int kind = op_kind_at(dtype_info[t].kind), n = (int)at;
        gpa_str x;
        str_init(&x);
        if (r->arg) {
            str_printf(out, "struct g_state%d { %s v; long long at; };\n", n, em_type(E, t));
            str_printf(out, "static __device__ g_state%d g_join%d(g_state%d a, g_state%d b) {\n    if (a.at < 0) return b;\n    if (b.at < 0) return a;\n", n, n, n, n);
            em_expr(E, &x, r->text[kind], t, "a.v", "b.v", "b.v");
            str_printf(out, "    if (%s) return b;\n", x.text);
            str_clear(&x);
            em_expr(E, &x, r->text[kind], t, "b.v", "a.v", "a.v");
            str_printf(out, "    if (%s) return a;\n    return a.at <= b.at ? a : b;\n}\n", x.text);
        } else {
            em_expr(E, &x, r->text[kind], t, "a", "b", "b");
            str_printf(out, "typedef %s g_state%d;\nstatic __device__ g_state%d g_join%d(g_state%d a, g_state%d b) { return (%s)(%s); }\n",
                       em_type(E, t), n, n, n, n, n, em_type(E, t), x.text);
        }
        str_free(&x);
    }
}

static bool is_arg(const em *E, int32_t at) { return red_info[E->f->code[at].sub].arg; }

/* The reductions of the region opened at `each`: calls `fn` for every one. */
static void each_reduce(em *E, int32_t each, void (*fn)(em *, int32_t)) {
    for (int32_t i = each + 1; i < E->close[each]; i++)
        if (E->f->code[i].code == KIR_REDUCE) fn(E, i);
}

static void put_start(em *E, gpa_str *x, int32_t at) {
    gpa_dtype t = state_type(E, at);
    if (is_arg(E, at)) {
        str_printf(x, "g_state%d{{}, -1}", (int)at);
    } else {
        str_printf(x, "(%s)(", em_type(E, t));
        em_expr(E, x, red_info[E->f->code[at].sub].start[op_kind_at(dtype_info[t].kind)], t, "", "", "");
        str_putc(x, ')');
    }
}

static void start_state(em *E, int32_t at) {
    gpa_str x;
    str_init(&x);
    put_start(E, &x, at);
    em_line(E, "g_state%d r%d = %s;", (int)at, (int)at, x.text);
    str_free(&x);
}

static void restart_state(em *E, int32_t at) {
    gpa_str x;
    str_init(&x);
    put_start(E, &x, at);
    em_line(E, "r%d = %s;", (int)at, x.text);
    str_free(&x);
}

void em_reduce(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char one[64];
    if (is_arg(E, at)) snprintf(one, sizeof one, "g_state%d{v%d, v%d}", (int)at, (int)i->a, (int)i->b);
    else snprintf(one, sizeof one, "v%d", (int)i->a);
    const char *when = E->access == ACCESS_BATCH ? "if (k < lim[u]) " : E->guard ? "if (valid) " : "";
    em_line(E, "%sr%d = g_join%d(r%d, %s);", when, (int)at, (int)at, (int)at, one);
}

static void put_result(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    if (is_arg(E, at)) em_line(E, "const long long v%d = r%d.at;", (int)at, (int)at);
    else em_line(E, "const %s v%d = %s(r%d);", em_type(E, (gpa_dtype)i->type), (int)at, em_round(E, (gpa_dtype)i->type), (int)at);
}

/* ---- joining a team ---- */

static void join_warp(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "for (int d = 16; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, 32, 0xffffffffu));", n, n, n, n);
    em_line(E, "r%d = g_shfl(r%d, 0, 32, 0xffffffffu);", n, n);
}

static void share_warp(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(E, "for (int d = 16; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, 32, 0xffffffffu));", n, n, n, n);
    em_line(E, "if (lane %% 32 == 0) s%d[lane / 32] = r%d;", n, n);
}

static void join_shared_warps(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "r%d = s%d[0];", n, n);
    em_line(E, "for (unsigned w = 1; w < lanes / 32; w++) r%d = g_join%d(r%d, s%d[w]);", n, n, n, n);
}

static void share_column(em *E, int32_t at) { em_line(E, "s%d[lane][threadIdx.x] = r%d;", (int)at, (int)at); }

static void fold_column(em *E, int32_t at) {
    int n = (int)at;
    em_line(E, "if (lane < d) s%d[lane][threadIdx.x] = g_join%d(s%d[lane][threadIdx.x], s%d[lane + d][threadIdx.x]);", n, n, n, n);
}

static void take_column(em *E, int32_t at) { em_line(E, "r%d = s%d[0][threadIdx.x];", (int)at, (int)at); }

static void share_memory(em *E, int32_t at) {
    if (E->plan->team == TEAM_BLOCK) em_line(E, "__shared__ g_state%d s%d[32];", (int)at, (int)at);
    else em_line(E, "__shared__ g_state%d s%d[%d][%d];", (int)at, (int)at, 16, COLUMN_WIDTH);
}

/* Afterwards every lane of the team holds the joined states. */
static void join_team(em *E, int32_t each) {
    switch ((cu_team)E->plan->team) {
    case TEAM_NONE: case TEAM_THREAD: break;
    case TEAM_WARP: each_reduce(E, each, join_warp); break;
    case TEAM_BLOCK:
        em_line(E, "__syncthreads();");
        each_reduce(E, each, share_warp);
        em_line(E, "__syncthreads();");
        each_reduce(E, each, join_shared_warps);
        break;
    case TEAM_COLUMN:
        em_line(E, "__syncthreads();");
        each_reduce(E, each, share_column);
        em_line(E, "__syncthreads();");
        em_line(E, "for (unsigned d = lanes / 2; d; d >>= 1) {");
        E->depth++;
        each_reduce(E, each, fold_column);
        em_line(E, "__syncthreads();");
        close_block(E);
        each_reduce(E, each, take_column);
        break;
    }
}

/* ---- parts: an outer point's inner points divided among blocks; the last block joins their states ---- */

static void put_partial(em *E, int32_t at) {
    char scratch[NAME_ROOM], outer[NAME_ROOM];
    em_line(E, "%s[(size_t)blockIdx.y * %s + row] = r%d;", em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0), em_field(E, outer, FIELD_OUTER, 0, 0), (int)at);
}

static void take_partials(em *E, int32_t at) {
    char scratch[NAME_ROOM], outer[NAME_ROOM];
    int n = (int)at;
    restart_state(E, at);
    em_line(E, "for (unsigned p = lane; p < gridDim.y; p += lanes) r%d = g_join%d(r%d, %s[(size_t)p * %s + row]);", n, n, n,
            em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0), em_field(E, outer, FIELD_OUTER, 0, 0));
}

static void put_done(em *E, int32_t at) {
    char done[NAME_ROOM];
    em_line(E, "%s[row] = r%d;", em_field(E, done, FIELD_DONE, (unsigned)at, 0), (int)at);
}

static void take_done(em *E, int32_t at) {
    char done[NAME_ROOM];
    em_line(E, "const g_state%d r%d = %s[row];", (int)at, (int)at, em_field(E, done, FIELD_DONE, (unsigned)at, 0));
}

static const char *leader(const em *E) { return E->plan->team == TEAM_COLUMN ? "live && lane == 0" : "lane == 0"; }

static void finish_parts(em *E, int32_t each) {
    char counter[NAME_ROOM];
    const char *first = E->plan->team == TEAM_COLUMN ? "threadIdx.x == 0 && threadIdx.y == 0" : "threadIdx.x == 0";
    em_field(E, counter, FIELD_COUNTER, 0, 0);
    em_line(E, "if (%s) {", leader(E));
    E->depth++;
    each_reduce(E, each, put_partial);
    close_block(E);
    em_line(E, "__threadfence();");
    em_line(E, "__shared__ bool last;");
    em_line(E, "__syncthreads();");
    em_line(E, "if (%s) last = atomicAdd(&%s[blockIdx.x], 1u) == gridDim.y - 1;", first, counter);
    em_line(E, "__syncthreads();");
    em_line(E, "if (!last) return;");
    em_line(E, "__threadfence();");
    em_line(E, "if (%s) %s[blockIdx.x] = 0;", first, counter);
    each_reduce(E, each, take_partials);
    join_team(E, each);
}

/* ---- regions ---- */

static int number_of(const em *E, int32_t at) {
    int n = 0;
    for (int32_t i = 0; i < at; i++) n += E->f->code[i].code == KIR_EACH;
    return n;
}

/* Scans and control flow: one point at a time, in place. With a scan all lanes of a block stay together. */
static void loop_in_order(em *E, int32_t at) {
    walk w = walk_over(E, E->f->inner);
    const char *guard = E->guard;
    bool together = E->facts.scans && E->plan->team == TEAM_BLOCK;
    w.vec = 1;
    if (together) {
        em_line(E, "for (%s base = first; base < end; base += lanes) {", count_type(E));
        em_line(E, "    const bool valid = base + lane < end;");
        em_line(E, "    const %s c = valid ? base + lane : end - 1;", count_type(E));
    } else {
        em_line(E, "for (%s c = first + lane; c < end; c += lanes) {", count_type(E));
    }
    E->depth++;
    put_coordinates(E, &w, "c");
    E->guard = together ? "valid" : NULL;
    em_steps(E, at + 1, E->close[at]);
    E->guard = guard;
    close_block(E);
}

static void loop_batches(em *E, int32_t at) {
    walk w = walk_over(E, E->f->inner);
    const char *guard = E->guard;
    w.lo = at + 1;
    w.hi = E->close[at];
    w.chunk = E->plan->keep ? "first + lane + u * lanes" : "c0 + u * lanes";
    w.end = "end";
    E->guard = NULL;
    if (E->plan->keep) {
        w.unroll = E->plan->keep;
        batch_compute(E, &w);
    } else {
        em_line(E, "for (%s c0 = first + lane; c0 < end; c0 += lanes * %d) {", count_type(E), w.unroll);
        E->depth++;
        batch_load(E, &w);
        batch_compute(E, &w);
        close_block(E);
    }
    E->guard = guard;
}

static void start_scan(em *E, int32_t at) { em_line(E, "g_state%d r%d = {};", (int)at, (int)at); }

void em_each(em *E, int32_t at) {
    int number = number_of(E, at);
    if (E->plan->part > number) {
        each_reduce(E, at, take_done);
        each_reduce(E, at, put_result);
        return;
    }
    bool any = false;
    for (int32_t i = at + 1; i < E->close[at]; i++) {
        any |= E->f->code[i].code == KIR_REDUCE;
        if (E->f->code[i].code == KIR_SCAN) start_scan(E, i);
    }
    each_reduce(E, at, start_state);
    em_line(E, "{");
    E->depth++;
    E->in_each = true;
    E->each = at;
    if (in_order(E) || E->facts.scans) loop_in_order(E, at);
    else loop_batches(E, at);
    E->in_each = false;
    close_block(E);
    if (any) join_team(E, at);
    if (E->plan->part == number && any) finish_parts(E, at);
    if (E->plan->part == number && number + 1 < (int)E->facts.n_each) {
        if (any) {
            em_line(E, "if (%s) {", leader(E));
            E->depth++;
            each_reduce(E, at, put_done);
            close_block(E);
        }
        em_line(E, "return;");
        E->stopped = true;
        return;
    }
    if (E->plan->part == number && !any) em_line(E, "if (blockIdx.y) return;");
    each_reduce(E, at, put_result);
}

/* A running reduction over the lanes of a block in order, or along one thread's loop. */
void em_scan(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    const char *t = em_type(E, (gpa_dtype)i->type), *round = em_round(E, (gpa_dtype)i->type);
    int n = (int)at;
    if (E->plan->team == TEAM_THREAD) {
        em_line(E, "const %s v%d = c == first ? v%d : %s(g_join%d(r%d, v%d));", t, n, (int)i->a, round, n, n, (int)i->a);
        em_line(E, "r%d = v%d;", n, n);
        return;
    }
    E->needs |= NEED_SHUFFLE;
    em_line(E, "__shared__ g_state%d s%d[32];", n, n);
    em_line(E, "g_state%d t%d = v%d;", n, n, (int)i->a);
    em_line(E, "for (int d = 1; d < 32; d <<= 1) { const g_state%d o = g_shfl_up(t%d, d, 32, 0xffffffffu); if (lane %% 32 >= d) t%d = g_join%d(o, t%d); }", n, n, n, n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "if (lane %% 32 == 31) s%d[lane / 32] = t%d;", n, n);
    em_line(E, "__syncthreads();");
    em_line(E, "{");
    em_line(E, "    g_state%d before = r%d; bool some = base != first;", n, n);
    em_line(E, "    for (unsigned w = 0; w < lane / 32; w++) { before = some ? g_join%d(before, s%d[w]) : s%d[w]; some = true; }", n, n, n);
    em_line(E, "    if (some) t%d = g_join%d(before, t%d);", n, n, n);
    em_line(E, "    before = r%d; some = base != first;", n);
    em_line(E, "    for (unsigned w = 0; w < lanes / 32; w++) { before = some ? g_join%d(before, s%d[w]) : s%d[w]; some = true; }", n, n, n);
    em_line(E, "    r%d = before;", n);
    em_line(E, "}");
    em_line(E, "const %s v%d = %s(t%d);", t, n, round, n);
}

/* ---- teams ---- */

static void put_team(em *E) {
    char outer[NAME_ROOM];
    const char *t = count_type(E);
    em_field(E, outer, FIELD_OUTER, 0, 0);
    switch ((cu_team)E->plan->team) {
    case TEAM_NONE: break;
    case TEAM_THREAD:
        em_line(E, "const %s row = (%s)blockIdx.x * blockDim.x + threadIdx.x;", t, t);
        em_line(E, "if (row >= %s) return;", outer);
        em_line(E, "const unsigned lane = 0, lanes = 1;");
        break;
    case TEAM_WARP:
        em_line(E, "const %s row = (%s)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;", t, t);
        em_line(E, "if (row >= %s) return;", outer);
        em_line(E, "const unsigned lane = threadIdx.x %% 32, lanes = 32;");
        E->guard = leader(E);
        break;
    case TEAM_BLOCK:
        em_line(E, "const %s row = blockIdx.x;", t);
        em_line(E, "const unsigned lane = threadIdx.x, lanes = blockDim.x;");
        E->guard = leader(E);
        break;
    case TEAM_COLUMN:
        em_line(E, "const %s at = (%s)blockIdx.x * %d + threadIdx.x;", t, t, COLUMN_WIDTH);
        em_line(E, "const bool live = at < %s;", outer);
        em_line(E, "const %s row = live ? at : %s - 1;", t, outer);
        em_line(E, "const unsigned lane = threadIdx.y, lanes = blockDim.y;");
        E->guard = leader(E);
        break;
    }
}

static void put_range(em *E) {
    char chunks[NAME_ROOM], length[NAME_ROOM];
    const char *t = count_type(E);
    em_field(E, chunks, FIELD_CHUNKS, 0, 0);
    if (E->plan->part == PLAN_WHOLE) {
        em_line(E, "const %s first = 0;", t);
        em_line(E, "%s end = %s;", t, chunks);
    } else {
        em_field(E, length, FIELD_LENGTH, 0, 0);
        em_line(E, "const %s first = blockIdx.y * %s;", t, length);
        em_line(E, "%s end = first + %s < %s ? first + %s : %s;", t, length, chunks, length, chunks);
    }
    if (E->plan->team == TEAM_COLUMN) em_line(E, "if (!live) end = first;");
}

/* Coordinates of the row: one division each, once. */
static void put_row(em *E) {
    walk w = walk_over(E, ((1u << E->f->ndim) - 1) & ~E->f->inner);
    const char *t = index_type(E), *u = count_type(E);
    char size[NAME_ROOM];
    if (!w.n) return;
    em_line(E, "%s rest = row;", u);
    for (int k = w.n - 1; k > 0; k--) {
        int d = w.dims[k];
        em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
        em_line(E, "const %s i%d = (%s)(rest %% (%s)%s); rest /= (%s)%s;", t, d, t, u, size, u, size);
    }
    em_line(E, "const %s i%d = (%s)rest;", t, w.dims[0], t);
}

static void load_kept(em *E) {
    walk w = walk_over(E, E->f->inner);
    w.unroll = E->plan->keep;
    w.chunk = "first + lane + u * lanes";
    w.end = "end";
    w.lo = 0;
    w.hi = (int32_t)E->f->n_code;
    E->in_each = true;
    batch_load(E, &w);
    E->in_each = false;
}

void em_teams(em *E) {
    put_team(E);
    put_row(E);
    put_range(E);
    for (int32_t i = 0; i < (int32_t)E->f->n_code; i++)
        if (E->f->code[i].code == KIR_REDUCE && (E->plan->team == TEAM_BLOCK || E->plan->team == TEAM_COLUMN)) share_memory(E, i);
    if (E->plan->keep) load_kept(E);
    em_steps(E, 0, (int32_t)E->f->n_code);
}
