/* Inner points: how a team of threads walks and joins the inner points of one outer point.
 * Reductions join in an order that depends on the plan and the sizes alone.
 *
 * Reading order: states, joining a team, parts, em_each, em_teams. */
#include <stdio.h>

#include "runtime/cuda/emit/emitter.h"

/* ---- states ---- */

gpa_dtype em_state_type(const em *E, int32_t at) {
    return dtype_info[E->f->code[E->f->code[at].a].type].compute;
}

void em_states(em *E, gpa_str *out) {
    for (int32_t at = 0; at < (int32_t)E->f->n_code; at++) {
        const kir_ins *i = &E->f->code[at];
        if (i->code != KIR_REDUCE && i->code != KIR_SCAN) continue;
        gpa_dtype t = em_state_type(E, at);
        const gpa_red_info *r = &red_info[i->sub];
        int kind = op_kind_index(dtype_info[t].kind), n = (int)at;
        gpa_str x;
        str_init(&x);
        if (r->arg) {
            str_printf(out, "struct g_state%d { %s v; long long at; };\n", n, em_type(E, t));
            str_printf(out,
                       "static __device__ g_state%d g_join%d(g_state%d a, g_state%d b) {\n    if "
                       "(a.at < 0) return b;\n    if (b.at < 0) return a;\n",
                       n, n, n, n);
            em_expr(E, &x, r->text[kind], t, "a.v", "b.v", "b.v");
            str_printf(out, "    if (%s) return b;\n", x.text);
            str_clear(&x);
            em_expr(E, &x, r->text[kind], t, "b.v", "a.v", "a.v");
            str_printf(out, "    if (%s) return a;\n    return a.at <= b.at ? a : b;\n}\n", x.text);
        } else {
            if (t == DT_F32 && (i->sub == RED_MIN || i->sub == RED_MAX)) {
                E->needs |= NEED_EXTREME;
                str_put(&x, i->sub == RED_MIN ? "g_min(a, b)" : "g_max(a, b)");
            } else {
                em_expr(E, &x, r->text[kind], t, "a", "b", "b");
            }
            str_printf(out,
                       "typedef %s g_state%d;\nstatic __device__ g_state%d g_join%d(g_state%d a, "
                       "g_state%d b) { return (%s)(%s); }\n",
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

void em_put_start(em *E, gpa_str *x, int32_t at) {
    gpa_dtype t = em_state_type(E, at);
    bool running = E->f->code[at].code == KIR_SCAN && E->f->code[at].sub == RED_SUM;
    const char *text = red_info[E->f->code[at].sub].start[op_kind_index(dtype_info[t].kind)];
    if (running && dtype_is_float(t)) text = "-0.0f"; /* 0 would change a sum of negative zeros */
    if (running && dtype_is_complex(t)) text = "H(cx)(-0.0f, -0.0f)";
    if (is_arg(E, at)) {
        str_printf(x, "g_state%d{{}, -1}", (int)at);
        return;
    }
    str_printf(x, "(%s)(", em_type(E, t));
    em_expr(E, x, text, t, "", "", "");
    str_putc(x, ')');
}

void em_start_state(em *E, int32_t at) {
    gpa_str x;
    str_init(&x);
    em_put_start(E, &x, at);
    em_line(E, "g_state%d r%d = %s;", (int)at, (int)at, x.text);
    str_free(&x);
}

static void restart_state(em *E, int32_t at) {
    gpa_str x;
    str_init(&x);
    em_put_start(E, &x, at);
    em_line(E, "r%d = %s;", (int)at, x.text);
    str_free(&x);
}

void em_reduce(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char one[64];
    if (E->plan->scan == SCAN_CHAIN) return; /* it is known at the chain's end */
    if (is_arg(E, at))
        snprintf(one, sizeof one, "g_state%d{v%d, v%d}", (int)at, (int)i->a, (int)i->b);
    else
        snprintf(one, sizeof one, "v%d", (int)i->a);
    const char *state = E->split ? "q" : "r", *of = E->split ? "[k]" : "";
    int n = (int)at;
    if (E->access == ACCESS_BATCH) /* no jump: behind it the value would be computed, and once more
                                      where it is wanted again */
        em_line(
            E,
            "{ const g_state%d with = g_join%d(%s%d%s, %s); %s%d%s = k < lim[u] ? with : %s%d%s; }",
            n, n, state, n, of, one, state, n, of, state, n, of);
    else
        em_line(E, "%sr%d = g_join%d(r%d, %s);", E->guard ? "if (valid) " : "", n, n, n, one);
}

static void put_result(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    if (is_arg(E, at))
        em_line(E, "const long long v%d = r%d.at;", (int)at, (int)at);
    else
        em_line(E, "const %s v%d = %s(r%d);", em_type(E, (gpa_dtype)i->type), (int)at,
                em_round(E, (gpa_dtype)i->type), (int)at);
}

/* ---- quotients by what is the same for the points of a region ---- */

bool em_by_row(const em *E, int32_t each, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    return i->code == KIR_OP && i->sub == OP_DIVIDE && E->f->code[i->a].type == DT_F32 &&
           i->b < each;
}

/* Divisor d<v> for value v, once. */
static void declare_divisors(em *E, int32_t each) {
    const kir_ins *code = E->f->code;
    for (int32_t at = each + 1; at < E->close[each]; at++) {
        int32_t before = each + 1;
        if (!em_by_row(E, each, at)) continue;
        while (!(em_by_row(E, each, before) && code[before].b == code[at].b)) before++;
        if (before < at) continue;
        E->needs |= NEED_QUOTIENT;
        em_line(E, "const g_divisor d%d = g_by(v%d);", (int)code[at].b, (int)code[at].b);
    }
}

/* ---- joining a team ---- */

static void join_warp(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(
        E,
        "for (int d = 16; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, 32, 0xffffffffu));",
        n, n, n, n);
    em_line(E, "r%d = g_shfl(r%d, 0, 32, 0xffffffffu);", n, n);
}

static void share_warp(em *E, int32_t at) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(
        E,
        "for (int d = 16; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, 32, 0xffffffffu));",
        n, n, n, n);
    em_line(E, "if (lane %% 32 == 0) s%d[lane / 32] = r%d;", n, n);
}

/* By every warp for itself: a lane takes the state of one of the warps, of which there are as many
 * as the plan allows at most. */
static void join_shared_warps(em *E, int32_t at) {
    int n = (int)at;
    gpa_str start;
    str_init(&start);
    em_put_start(E, &start, at);
    em_line(E, "r%d = lane %% 32 < lanes / 32 ? s%d[lane %% 32] : %s;", n, n, start.text);
    em_line(
        E,
        "for (int d = %d; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, 32, 0xffffffffu));",
        E->plan->threads / 64, n, n, n, n);
    em_line(E, "r%d = g_shfl(r%d, 0, 32, 0xffffffffu);", n, n);
    str_free(&start);
}

static void share_column(em *E, int32_t at) {
    em_line(E, "s%d[lane][threadIdx.x] = r%d;", (int)at, (int)at);
}

static void fold_column(em *E, int32_t at) {
    int n = (int)at;
    em_line(E,
            "if (lane < d) s%d[lane][threadIdx.x] = g_join%d(s%d[lane][threadIdx.x], s%d[lane + "
            "d][threadIdx.x]);",
            n, n, n, n);
}

static void take_column(em *E, int32_t at) {
    em_line(E, "r%d = s%d[0][threadIdx.x];", (int)at, (int)at);
}

static void share_memory(em *E, int32_t at) {
    if (E->plan->team == TEAM_BLOCK)
        em_line(E, "__shared__ g_state%d s%d[32];", (int)at, (int)at);
    else
        em_line(E, "__shared__ g_state%d s%d[%d][%d];", (int)at, (int)at,
                COLUMN_THREADS / E->plan->width, E->plan->width);
}

void em_join_block(em *E, int32_t at) {
    em_line(E, "__syncthreads();");
    share_warp(E, at);
    em_line(E, "__syncthreads();");
    join_shared_warps(E, at);
}

/* Afterwards every lane of the team holds the joined states. `again`: their shared memory was used
 * before, and may still be read. */
static void join_team(em *E, int32_t each, bool again) {
    switch ((cu_team)E->plan->team) {
        case TEAM_NONE:
        case TEAM_THREAD: break;
        case TEAM_WARP: each_reduce(E, each, join_warp); break;
        case TEAM_BLOCK:
            if (again) em_line(E, "__syncthreads();");
            each_reduce(E, each, share_warp);
            em_line(E, "__syncthreads();");
            each_reduce(E, each, join_shared_warps);
            break;
        case TEAM_COLUMN:
            if (again) em_line(E, "__syncthreads();");
            each_reduce(E, each, share_column);
            em_line(E, "__syncthreads();");
            em_line(E, "for (unsigned d = lanes / 2; d; d >>= 1) {");
            E->depth++;
            each_reduce(E, each, fold_column);
            em_line(E, "__syncthreads();");
            em_close_block(E);
            each_reduce(E, each, take_column);
            break;
    }
}

/* ---- parts: an outer point's inner points divided among blocks; the last block joins their states
 * ---- */

void em_put_partial(em *E, int32_t at) {
    char scratch[NAME_ROOM], outer[NAME_ROOM];
    em_line(E, "%s[(size_t)blockIdx.y * %s + row] = r%d;",
            em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0),
            em_field(E, outer, FIELD_OUTER, 0, 0), (int)at);
}

static void take_partials(em *E, int32_t at) {
    char scratch[NAME_ROOM], outer[NAME_ROOM];
    int n = (int)at;
    restart_state(E, at);
    em_line(E,
            "for (unsigned p = lane; p < gridDim.y; p += lanes) r%d = g_join%d(r%d, %s[(size_t)p * "
            "%s + row]);",
            n, n, n, em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0),
            em_field(E, outer, FIELD_OUTER, 0, 0));
}

static void put_done(em *E, int32_t at) {
    char done[NAME_ROOM];
    em_line(E, "%s[row] = r%d;", em_field(E, done, FIELD_DONE, (unsigned)at, 0), (int)at);
}

static void take_done(em *E, int32_t at) {
    char done[NAME_ROOM];
    em_line(E, "const g_state%d r%d = %s[row];", (int)at, (int)at,
            em_field(E, done, FIELD_DONE, (unsigned)at, 0));
}

const char *em_leader(const em *E) {
    return E->plan->team == TEAM_COLUMN ? "live && lane == 0" : "lane == 0";
}

static void finish_parts(em *E, int32_t each) {
    char counter[NAME_ROOM];
    const char *first =
        E->plan->team == TEAM_COLUMN ? "threadIdx.x == 0 && threadIdx.y == 0" : "threadIdx.x == 0";
    em_field(E, counter, FIELD_COUNTER, 0, 0);
    em_line(E, "if (%s) {", em_leader(E));
    E->depth++;
    each_reduce(E, each, em_put_partial);
    em_close_block(E);
    em_line(E, "__threadfence();");
    em_line(E, "__shared__ bool last;");
    em_line(E, "__syncthreads();");
    em_line(E, "if (%s) last = atomicAdd(&%s[blockIdx.x], 1u) == gridDim.y - 1;", first, counter);
    em_line(E, "__syncthreads();");
    em_line(E, "if (!last) return;");
    em_line(E, "__threadfence();");
    em_line(E, "if (%s) %s[blockIdx.x] = 0;", first, counter);
    each_reduce(E, each, take_partials);
    join_team(E, each, true);
}

/* ---- regions ---- */

static int number_of(const em *E, int32_t at) {
    int n = 0;
    for (int32_t i = 0; i < at; i++) n += E->f->code[i].code == KIR_EACH;
    return n;
}

/* Scans and control flow: one point at a time, in place. With a scan all lanes of a block stay
 * together. */
static void loop_in_order(em *E, int32_t at) {
    cu_walk w = em_walk_over(E, E->f->inner);
    const char *guard = E->guard;
    bool together = E->facts.scans && E->plan->team == TEAM_BLOCK;
    w.vec = 1;
    if (together) {
        em_line(E, "for (%s base = first; base < end; base += lanes) {", em_count_type(E));
        em_line(E, "    const bool valid = base + lane < end;");
        em_line(E, "    const %s c = valid ? base + lane : end - 1;", em_count_type(E));
    } else {
        em_line(E, "for (%s c = first + lane; c < end; c += step) {", em_count_type(E));
    }
    E->depth++;
    em_coordinates(E, &w, "c");
    E->guard = together ? "valid" : NULL;
    em_steps(E, at + 1, E->close[at]);
    E->guard = guard;
    em_close_block(E);
}

static void open_split(em *E, int32_t at) {
    int vec = E->plan->vec;
    em_line(E, "g_state%d q%d[%d];", (int)at, (int)at, vec);
    em_line(E, "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) q%d[k] = r%d;", vec, (int)at,
            (int)at);
}

static void close_split(em *E, int32_t at) {
    int n = (int)at;
    for (int d = E->plan->vec / 2; d; d /= 2)
        em_line(E,
                "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) q%d[k] = g_join%d(q%d[k], q%d[k "
                "+ %d]);",
                d, n, n, n, n, d);
    em_line(E, "r%d = q%d[0];", n, n);
}

/* The points of an access join into states of their own first, so that they need not wait for each
 * other. */
static void loop_batches(em *E, int32_t at) {
    cu_walk w = em_walk_over(E, E->f->inner);
    const char *guard = E->guard;
    w.lo = at + 1;
    w.hi = E->close[at];
    w.chunk = E->plan->keep ? "first + lane + u * lanes" : "c0 + u * lanes";
    w.end = "end";
    E->guard = NULL;
    E->split = w.vec > 1;
    if (E->split) each_reduce(E, at, open_split);
    if (E->plan->keep) {
        w.unroll = E->plan->keep;
        em_batch_compute(E, &w);
    } else {
        em_line(E, "for (%s c0 = first + lane; c0 < end; c0 += step) {", em_count_type(E));
        E->depth++;
        em_batch_load(E, &w);
        em_batch_compute(E, &w);
        em_close_block(E);
    }
    if (E->split) each_reduce(E, at, close_split);
    E->split = false;
    E->guard = guard;
}

/* Columns, some of them in one access: a warp reads neighbouring ones of a row, each thread joins
 * states q of its own, and these become states r of the threads that have one column each. */
static void loop_sides(em *E, int32_t at) {
    cu_walk w = em_walk_over(E, E->f->inner);
    const cu_plan *p = E->plan;
    const char *guard = E->guard, *t = em_index_type(E);
    int outer = E->f->ndim - 1, across = p->width / p->side, down = COLUMN_THREADS / across;
    char size[NAME_ROOM];
    while (E->f->inner >> outer & 1) outer--;
    w.lo = at + 1, w.hi = E->close[at];
    em_field(E, size, FIELD_OUTER, 0, 0);
    em_line(E, "const unsigned self = threadIdx.y * blockDim.x + threadIdx.x, down = self / %d;",
            across);
    em_line(E, "const %s i%d = (%s)(blockIdx.x * %d + self %% %d * %d);", t, outer, t, p->width,
            across, p->side);
    for (int32_t i = w.lo; i < w.hi; i++) {
        if (E->f->code[i].code != KIR_REDUCE) continue;
        em_line(E, "__shared__ g_state%d z%d[%d][%d];", (int)i, (int)i, down, p->width);
        em_line(E, "g_state%d q%d[%d];", (int)i, (int)i, p->side);
        em_line(E, "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) q%d[k] = r%d;", p->side,
                (int)i, (int)i);
    }
    em_line(E, "for (%s c0 = first + down; c0 < end0; c0 += step) {", em_count_type(E));
    E->depth++;
    em_sides_load(E, &w, outer, down);
    em_open_unrolled(E, "u", w.unroll);
    em_open_unrolled(E, "k", p->side);
    for (int k = 0; k < w.n; k++) em_line(E, "const %s i%d = p%d[u];", t, w.dims[k], w.dims[k]);
    em_line(E, "const %s side = i%d;", t, outer);
    em_line(E, "{");
    E->depth++;
    em_line(E, "const %s i%d = side + k;", t, outer);
    E->access = ACCESS_BATCH;
    E->guard = NULL;
    E->split = true;
    em_steps(E, w.lo, w.hi);
    E->split = false;
    E->access = ACCESS_DIRECT;
    E->guard = guard;
    for (int k = 0; k < 4; k++) em_close_block(E);
    for (int32_t i = w.lo; i < w.hi; i++)
        if (E->f->code[i].code == KIR_REDUCE)
            em_line(E,
                    "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) z%d[down][self %% %d * %d + "
                    "k] = q%d[k];",
                    p->side, (int)i, across, p->side, (int)i);
    em_line(E, "__syncthreads();");
    for (int32_t i = w.lo; i < w.hi; i++)
        if (E->f->code[i].code == KIR_REDUCE)
            em_line(E,
                    "for (unsigned d = lane; d < %d; d += lanes) r%d = g_join%d(r%d, "
                    "z%d[d][threadIdx.x]);",
                    down, (int)i, (int)i, (int)i, (int)i);
}

/* A region with scans, by tiles. It is the last one; divided, its totals are part `number` and the
 * region itself the next. */
static void running_each(em *E, int32_t at, int number) {
    bool any = false, divided = E->plan->part != PLAN_WHOLE;
    for (int32_t i = at + 1; i < E->close[at]; i++) any |= E->f->code[i].code == KIR_REDUCE;
    E->each = at;
    declare_divisors(E, at);
    if (E->plan->scan == SCAN_CHAIN) {
        em_scan_chain(E, at);
        return;
    }
    if (E->plan->part == number) {
        em_scan_totals(E, at);
        E->stopped = true;
        return;
    }
    each_reduce(E, at, em_start_state);
    em_scan_tiles(E, at);
    if (any) join_team(E, at, E->outer[at] >= 0);
    if (any && divided)
        finish_parts(E, at);
    else if (divided)
        em_line(E, "if (blockIdx.y) return;");
    each_reduce(E, at, put_result);
}

void em_each(em *E, int32_t at) {
    int number = number_of(E, at);
    if (E->plan->scan && em_has_scan(E, at)) {
        running_each(E, at, number);
        return;
    }
    if (E->plan->part > number) {
        each_reduce(E, at, take_done);
        each_reduce(E, at, put_result);
        return;
    }
    bool any = false;
    for (int32_t i = at + 1; i < E->close[at]; i++) {
        any |= E->f->code[i].code == KIR_REDUCE;
        if (E->f->code[i].code == KIR_SCAN) em_start_scan(E, i);
    }
    each_reduce(E, at, em_start_state);
    em_line(E, "{");
    E->depth++;
    E->in_each = true;
    E->each = at;
    declare_divisors(E, at);
    if (E->plan->side)
        loop_sides(E, at);
    else if (em_in_order(E) || (E->facts.scans && !E->plan->scan))
        loop_in_order(E, at);
    else
        loop_batches(E, at);
    E->in_each = false;
    em_close_block(E);
    if (any) join_team(E, at, E->outer[at] >= 0);
    if (E->plan->part == number && any) finish_parts(E, at);
    if (E->plan->part == number && number + 1 < (int)E->facts.n_each) {
        if (any) {
            em_line(E, "if (%s) {", em_leader(E));
            E->depth++;
            each_reduce(E, at, put_done);
            em_close_block(E);
        }
        em_line(E, "return;");
        E->stopped = true;
        return;
    }
    if (E->plan->part == number && !any) em_line(E, "if (blockIdx.y) return;");
    each_reduce(E, at, put_result);
}

/* ---- teams ---- */

static void put_team(em *E) {
    char outer[NAME_ROOM];
    const char *t = em_count_type(E);
    em_field(E, outer, FIELD_OUTER, 0, 0);
    switch ((cu_team)E->plan->team) {
        case TEAM_NONE: break;
        case TEAM_THREAD:
            em_line(E, "const %s row = (%s)blockIdx.x * blockDim.x + threadIdx.x;", t, t);
            em_line(E, "if (row >= %s) return;", outer);
            em_line(E, "const unsigned lane = 0, lanes = 1;");
            break;
        case TEAM_WARP:
            em_line(E, "const %s row = (%s)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;", t,
                    t);
            em_line(E, "if (row >= %s) return;", outer);
            em_line(E, "const unsigned lane = threadIdx.x %% 32, lanes = 32;");
            E->guard = em_leader(E);
            break;
        case TEAM_BLOCK:
            em_line(E,
                    E->plan->scan == SCAN_CHAIN ? "const %s row = blockIdx.x %% %s;"
                                                : "const %s row = blockIdx.x;",
                    t, outer);
            em_line(E, "const unsigned lane = threadIdx.x, lanes = blockDim.x;");
            E->guard = em_leader(E);
            break;
        case TEAM_COLUMN:
            em_line(E, "const %s at = (%s)blockIdx.x * %d + threadIdx.x;", t, t, E->plan->width);
            em_line(E, "const bool live = at < %s;", outer);
            em_line(E, "const %s row = live ? at : %s - 1;", t, outer);
            em_line(E, "const unsigned lane = threadIdx.y, lanes = blockDim.y;");
            E->guard = em_leader(E);
            break;
    }
}

/* The accesses of this block. Parts of a joining are interleaved, a batch of each in turn, so that
 * what all blocks read at a time lies together; scans have theirs in one piece. */
static void put_range(em *E) {
    char chunks[NAME_ROOM], length[NAME_ROOM];
    const char *t = em_count_type(E);
    int lanes = E->plan->side ? COLUMN_THREADS / (E->plan->width / E->plan->side)
                              : 1; /* that read rows, beside each other's columns */
    em_field(E, chunks, FIELD_CHUNKS, 0, 0);
    if (E->plan->scan == SCAN_CHAIN) {
        em_scan_take_tile(E, chunks);
    } else if (E->plan->part == PLAN_WHOLE || !E->plan->scan) {
        if (E->plan->side)
            em_line(E, "const %s batch = %d;", t, lanes * E->plan->unroll);
        else
            em_line(E, "const %s batch = lanes * %d;", t, E->plan->unroll);
        em_line(E,
                E->plan->part == PLAN_WHOLE
                    ? "const %s first = 0, step = batch;"
                    : "const %s first = blockIdx.y * batch, step = gridDim.y * batch;",
                t);
        em_line(E, "%s end = %s;", t, chunks);
    } else {
        em_field(E, length, FIELD_LENGTH, 0, 0);
        em_line(E, "const %s first = blockIdx.y * %s;", t, length);
        em_line(E, "%s end = first + %s < %s ? first + %s : %s;", t, length, chunks, length,
                chunks);
    }
    if (E->plan->side) em_line(E, "const %s end0 = end;", t);
    if (E->plan->team == TEAM_COLUMN) em_line(E, "if (!live) end = first;");
}

/* Coordinates of the row: one division each, once. */
static void put_row(em *E) {
    cu_walk w = em_walk_over(E, ((1u << E->f->ndim) - 1) & ~E->f->inner);
    const char *t = em_index_type(E), *u = em_count_type(E);
    char size[NAME_ROOM];
    if (!w.n) return;
    em_line(E, "%s rest = row;", u);
    for (int k = w.n - 1; k > 0; k--) {
        int d = w.dims[k];
        em_field(E, size, FIELD_SIZE, (unsigned)d, 0);
        em_line(E, "const %s i%d = (%s)(rest %% (%s)%s); rest /= (%s)%s;", t, d, t, u, size, u,
                size);
    }
    em_line(E, "const %s i%d = (%s)rest;", t, w.dims[0], t);
}

static void load_kept(em *E) {
    cu_walk w = em_walk_over(E, E->f->inner);
    w.unroll = E->plan->keep;
    w.chunk = "first + lane + u * lanes";
    w.end = "end";
    w.lo = 0;
    w.hi = (int32_t)E->f->n_code;
    E->in_each = true;
    em_batch_load(E, &w);
    E->in_each = false;
}

void em_teams(em *E) {
    put_team(E);
    put_row(E);
    put_range(E);
    for (int32_t i = 0; i < (int32_t)E->f->n_code; i++)
        if (E->f->code[i].code == KIR_REDUCE &&
            (E->plan->team == TEAM_BLOCK || E->plan->team == TEAM_COLUMN))
            share_memory(E, i);
    if (E->plan->keep) load_kept(E);
    em_steps(E, 0, (int32_t)E->f->n_code);
}
