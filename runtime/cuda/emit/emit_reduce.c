/* Reductions: a thread group (thread, warp, block, or column of a block) iterates over the inner
 * points of one outer point and combines their states in a tree.
 *
 * The order of combination depends on the plan and the extents alone: results are deterministic.
 *
 * Reading order: states, combining a group, split rows, em_each, em_inner_points. */
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
            em_expr(E, &x, r->text[kind], t, (em_operands){"a.v", "b.v", "b.v"});
            str_printf(out, "    if (%s) return b;\n", x.text);
            str_clear(&x);
            em_expr(E, &x, r->text[kind], t, (em_operands){"b.v", "a.v", "a.v"});
            str_printf(out, "    if (%s) return a;\n    return a.at <= b.at ? a : b;\n}\n", x.text);
        } else {
            if (t == DT_F32 && (i->sub == RED_MIN || i->sub == RED_MAX)) {
                E->needs |= NEED_MINMAX;
                str_put(&x, i->sub == RED_MIN ? "g_min(a, b)" : "g_max(a, b)");
            } else {
                em_expr(E, &x, r->text[kind], t, (em_operands){"a", "b", "b"});
            }
            str_printf(out,
                       "typedef %s g_state%d;\nstatic __device__ g_state%d g_join%d(g_state%d a, "
                       "g_state%d b) { return (%s)(%s); }\n",
                       em_type(E, t), n, n, n, n, n, em_type(E, t), x.text);
        }
        str_free(&x);
    }
}

static bool is_argreduction(const em *E, int32_t at) { return red_info[E->f->code[at].sub].arg; }

/* Calls `fn` for every reduction of the region opened at `each`. */
static void each_reduce(em *E, int32_t each, void (*fn)(em *, int32_t)) {
    for (int32_t i = each + 1; i < E->end_of[each]; i++)
        if (E->f->code[i].code == KIR_REDUCE) fn(E, i);
}

void em_put_identity(em *E, gpa_str *x, int32_t at) {
    gpa_dtype t = em_state_type(E, at);
    bool running = E->f->code[at].code == KIR_SCAN && E->f->code[at].sub == RED_SUM;
    const char *text = red_info[E->f->code[at].sub].start[op_kind_index(dtype_info[t].kind)];
    if (running && dtype_is_float(t)) text = "-0.0f"; /* +0 would change a sum of negative zeros */
    if (running && dtype_is_complex(t)) text = "H(cx)(-0.0f, -0.0f)";
    if (is_argreduction(E, at)) {
        str_printf(x, "g_state%d{{}, -1}", (int)at);
        return;
    }
    str_printf(x, "(%s)(", em_type(E, t));
    em_expr(E, x, text, t, (em_operands){"", "", ""});
    str_putc(x, ')');
}

void em_start_state(em *E, int32_t at) {
    gpa_str x;
    str_init(&x);
    em_put_identity(E, &x, at);
    em_line(E, "g_state%d r%d = %s;", (int)at, (int)at, x.text);
    str_free(&x);
}

static void restart_state(em *E, int32_t at) {
    gpa_str x;
    str_init(&x);
    em_put_identity(E, &x, at);
    em_line(E, "r%d = %s;", (int)at, x.text);
    str_free(&x);
}

void em_reduce(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    char one[64];
    if (E->plan->scan == SCAN_LOOKBACK) return; /* the look-back scan ends with its result */
    if (is_argreduction(E, at))
        snprintf(one, sizeof one, "g_state%d{v%d, v%d}", (int)at, (int)i->a, (int)i->b);
    else
        snprintf(one, sizeof one, "v%d", (int)i->a);
    const char *state = E->split_states ? "q" : "r", *of = E->split_states ? "[k]" : "";
    int n = (int)at;
    if (E->access == ACCESS_BATCH) /* a select, not a branch: the compiler would sink the value into
                                      the branch and compute it again for other uses */
        em_line(
            E,
            "{ const g_state%d with = g_join%d(%s%d%s, %s); %s%d%s = k < lim[u] ? with : %s%d%s; }",
            n, n, state, n, of, one, state, n, of, state, n, of);
    else
        em_line(E, "%sr%d = g_join%d(r%d, %s);", E->guard ? "if (valid) " : "", n, n, n, one);
}

static void put_result(em *E, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    if (is_argreduction(E, at))
        em_line(E, "const long long v%d = r%d.at;", (int)at, (int)at);
    else
        em_line(E, "const %s v%d = %s(r%d);", em_type(E, (gpa_dtype)i->type), (int)at,
                em_round(E, (gpa_dtype)i->type), (int)at);
}

/* ---- division by a loop-invariant value ---- */

bool em_divides_by_invariant(const em *E, int32_t each, int32_t at) {
    const kir_ins *i = &E->f->code[at];
    return i->code == KIR_OP && i->sub == OP_DIVIDE && E->f->code[i->a].type == DT_F32 &&
           i->b < each;
}

/* Hoists a divisor d<v> for each invariant value v. */
static void declare_divisors(em *E, int32_t each) {
    const kir_ins *code = E->f->code;
    for (int32_t at = each + 1; at < E->end_of[each]; at++) {
        int32_t before = each + 1;
        if (!em_divides_by_invariant(E, each, at)) continue;
        while (!(em_divides_by_invariant(E, each, before) && code[before].b == code[at].b))
            before++;
        if (before < at) continue;
        E->needs |= NEED_RECIPROCAL;
        em_line(E, "const g_divisor d%d = g_by(v%d);", (int)code[at].b, (int)code[at].b);
    }
}

/* ---- combining the states of a thread group ---- */

/* Combines the states of so many lanes of a warp in a tree, to the first one. */
static void reduce_lanes(em *E, int32_t at, int lanes) {
    int n = (int)at;
    E->needs |= NEED_SHUFFLE;
    em_line(
        E,
        "for (int d = %d; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, %d, 0xffffffffu));",
        lanes / 2, n, n, n, n, lanes);
}

/* Rows beyond the last one have returned, all lanes of each. */
static void join_warp(em *E, int32_t at) {
    reduce_lanes(E, at, E->plan->width);
    em_line(E, "r%d = g_shfl(r%d, 0, %d, 0xffffffffu);", (int)at, (int)at, E->plan->width);
}

static void reduce_warps(em *E, int32_t at) {
    reduce_lanes(E, at, 32);
    em_line(E, "if (lane %% 32 == 0) s%d[lane / 32] = r%d;", (int)at, (int)at);
}

/* Every warp combines the states of all warps: lane i takes that of warp i. */
static void reduce_warp_states(em *E, int32_t at) {
    int n = (int)at;
    gpa_str start;
    str_init(&start);
    em_put_identity(E, &start, at);
    em_line(E, "r%d = lane %% 32 < lanes / 32 ? s%d[lane %% 32] : %s;", n, n, start.text);
    em_line(
        E,
        "for (int d = %d; d; d >>= 1) r%d = g_join%d(r%d, g_shfl_down(r%d, d, 32, 0xffffffffu));",
        E->plan->threads / 64, n, n, n, n);
    em_line(E, "r%d = g_shfl(r%d, 0, 32, 0xffffffffu);", n, n);
    str_free(&start);
}

static void stage_column(em *E, int32_t at) {
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

static void declare_shared(em *E, int32_t at) {
    if (E->plan->group == GROUP_BLOCK)
        em_line(E, "__shared__ g_state%d s%d[32];", (int)at, (int)at);
    else
        em_line(E, "__shared__ g_state%d s%d[%d][%d];", (int)at, (int)at,
                TUNE_CUDA_COLUMN_THREADS / E->plan->width, E->plan->width);
}

void em_join_block(em *E, int32_t at) {
    em_line(E, "__syncthreads();");
    reduce_warps(E, at);
    em_line(E, "__syncthreads();");
    reduce_warp_states(E, at);
}

/* Combines the states of a group, to all its lanes. `again`: their shared memory was used before
 * and may still be read, so that a barrier comes first. */
static void join_group(em *E, int32_t each, bool again) {
    switch ((cu_group)E->plan->group) {
        case GROUP_NONE:
        case GROUP_THREAD: break;
        case GROUP_WARP: each_reduce(E, each, join_warp); break;
        case GROUP_BLOCK:
            if (again) em_line(E, "__syncthreads();");
            each_reduce(E, each, reduce_warps);
            em_line(E, "__syncthreads();");
            each_reduce(E, each, reduce_warp_states);
            break;
        case GROUP_COLUMN:
            if (again) em_line(E, "__syncthreads();");
            each_reduce(E, each, stage_column);
            em_line(E, "__syncthreads();");
            em_line(E, "for (unsigned d = lanes / 2; d; d >>= 1) {");
            E->indent++;
            each_reduce(E, each, fold_column);
            em_line(E, "__syncthreads();");
            em_close_block(E);
            each_reduce(E, each, take_column);
            break;
    }
}

/* ---- split rows: the inner points of an outer point are split among blocks; the last block to
 * finish combines their states (threadFenceReduction) ---- */

void em_put_partial(em *E, int32_t at) {
    char scratch[FIELD_NAME_BYTES], outer[FIELD_NAME_BYTES];
    em_line(E, "%s[(size_t)blockIdx.y * %s + row] = r%d;",
            em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0),
            em_field(E, outer, FIELD_OUTER, 0, 0), (int)at);
}

void em_join_partials(em *E, int32_t at, const char *parts) {
    char scratch[FIELD_NAME_BYTES], outer[FIELD_NAME_BYTES];
    int n = (int)at;
    em_line(E,
            "for (unsigned p = lane; p < %s; p += lanes) r%d = g_join%d(r%d, %s[(size_t)p * "
            "%s + row]);",
            parts, n, n, n, em_field(E, scratch, FIELD_SCRATCH, (unsigned)at, 0),
            em_field(E, outer, FIELD_OUTER, 0, 0));
}

static void take_partials(em *E, int32_t at) {
    restart_state(E, at);
    em_join_partials(E, at, "gridDim.y");
}

static void store_result(em *E, int32_t at) {
    char done[FIELD_NAME_BYTES];
    em_line(E, "%s[row] = r%d;", em_field(E, done, FIELD_RESULT, (unsigned)at, 0), (int)at);
}

static void take_result(em *E, int32_t at) {
    char done[FIELD_NAME_BYTES];
    em_line(E, "const g_state%d r%d = %s[row];", (int)at, (int)at,
            em_field(E, done, FIELD_RESULT, (unsigned)at, 0));
}

const char *em_leader(const em *E) {
    return E->plan->group == GROUP_COLUMN ? "live && lane == 0" : "lane == 0";
}

static void finish_split(em *E, int32_t each) {
    char counter[FIELD_NAME_BYTES];
    const char *first = E->plan->group == GROUP_COLUMN ? "threadIdx.x == 0 && threadIdx.y == 0"
                                                       : "threadIdx.x == 0";
    em_field(E, counter, FIELD_COUNTER, 0, 0);
    em_line(E, "if (%s) {", em_leader(E));
    E->indent++;
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
    join_group(E, each, true);
}

/* ---- regions ---- */

static int phase_of(const em *E, int32_t at) {
    int n = 0;
    for (int32_t i = 0; i < at; i++) n += E->f->code[i].code == KIR_EACH;
    return n;
}

/* Scans and control flow: one point at a time. With a scan all lanes of a block iterate in
 * step. */
static void loop_in_order(em *E, int32_t at) {
    em_iteration w = em_iterate_over(E, E->f->inner);
    const char *guard = E->guard;
    bool together = E->facts.scans && E->plan->group == GROUP_BLOCK;
    w.vec = 1;
    if (together) {
        em_line(E, "for (%s base = first; base < end; base += lanes) {", em_count_type(E));
        em_line(E, "    const bool valid = base + lane < end;");
        em_line(E, "    const %s c = valid ? base + lane : end - 1;", em_count_type(E));
    } else {
        em_line(E, "for (%s c = first + lane; c < end; c += step) {", em_count_type(E));
    }
    E->indent++;
    em_coordinates(E, &w, "c");
    E->guard = together ? "valid" : NULL;
    em_instructions(E, at + 1, E->end_of[at]);
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

/* Each point of an access has its own accumulator, for instruction-level parallelism. */
static void loop_batches(em *E, int32_t at) {
    em_iteration w = em_iterate_over(E, E->f->inner);
    const char *guard = E->guard;
    w.lo = at + 1;
    w.hi = E->end_of[at];
    w.access = E->plan->row_accesses ? "first + lane + u * lanes" : "c0 + u * lanes";
    w.limit = "end";
    E->guard = NULL;
    E->split_states = w.vec > 1;
    if (E->split_states) each_reduce(E, at, open_split);
    if (E->plan->row_accesses) {
        w.unroll = E->plan->row_accesses;
        em_batch_compute(E, &w);
    } else {
        em_line(E, "for (%s c0 = first + lane; c0 < end; c0 += step) {", em_count_type(E));
        E->indent++;
        em_batch_load(E, &w);
        em_batch_compute(E, &w);
        em_close_block(E);
    }
    if (E->split_states) each_reduce(E, at, close_split);
    E->split_states = false;
    E->guard = guard;
}

/* Vectorized columns: a warp loads adjacent columns of a row, several per thread, into states q; an
 * exchange through shared memory turns these into states r of one column per thread. */
static void loop_vector_columns(em *E, int32_t at) {
    em_iteration w = em_iterate_over(E, E->f->inner);
    const cu_plan *p = E->plan;
    const char *guard = E->guard, *t = em_index_type(E);
    int outer = E->f->ndim - 1, across = p->width / p->column_vec,
        down = TUNE_CUDA_COLUMN_THREADS / across;
    char size[FIELD_NAME_BYTES];
    while (E->f->inner >> outer & 1) outer--;
    w.lo = at + 1, w.hi = E->end_of[at];
    em_field(E, size, FIELD_OUTER, 0, 0);
    em_line(E, "const unsigned self = threadIdx.y * blockDim.x + threadIdx.x, down = self / %d;",
            across);
    em_line(E, "const %s i%d = (%s)(blockIdx.x * %d + self %% %d * %d);", t, outer, t, p->width,
            across, p->column_vec);
    for (int32_t i = w.lo; i < w.hi; i++) {
        if (E->f->code[i].code != KIR_REDUCE) continue;
        em_line(E, "__shared__ g_state%d z%d[%d][%d];", (int)i, (int)i, down, p->width);
        em_line(E, "g_state%d q%d[%d];", (int)i, (int)i, p->column_vec);
        em_line(E, "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) q%d[k] = r%d;", p->column_vec,
                (int)i, (int)i);
    }
    em_line(E, "for (%s c0 = first + down; c0 < end0; c0 += step) {", em_count_type(E));
    E->indent++;
    em_columns_load(E, &w, outer, down);
    em_open_unrolled(E, "u", w.unroll);
    em_open_unrolled(E, "k", p->column_vec);
    for (int k = 0; k < w.n; k++) em_line(E, "const %s i%d = p%d[u];", t, w.dims[k], w.dims[k]);
    em_line(E, "const %s side = i%d;", t, outer);
    em_line(E, "{");
    E->indent++;
    em_line(E, "const %s i%d = side + k;", t, outer);
    E->access = ACCESS_BATCH;
    E->guard = NULL;
    E->split_states = true;
    em_instructions(E, w.lo, w.hi);
    E->split_states = false;
    E->access = ACCESS_DIRECT;
    E->guard = guard;
    for (int k = 0; k < 4; k++) em_close_block(E);
    for (int32_t i = w.lo; i < w.hi; i++)
        if (E->f->code[i].code == KIR_REDUCE)
            em_line(E,
                    "_Pragma(\"unroll\") for (int k = 0; k < %d; k++) z%d[down][self %% %d * %d + "
                    "k] = q%d[k];",
                    p->column_vec, (int)i, across, p->column_vec, (int)i);
    em_line(E, "__syncthreads();");
    for (int32_t i = w.lo; i < w.hi; i++)
        if (E->f->code[i].code == KIR_REDUCE)
            em_line(E,
                    "for (unsigned d = lane; d < %d; d += lanes) r%d = g_join%d(r%d, "
                    "z%d[d][threadIdx.x]);",
                    down, (int)i, (int)i, (int)i, (int)i);
}

/* A region with tiled scans. It is the last one; if split, its totals are phase `number` and the
 * region itself the next phase. */
static void scan_each(em *E, int32_t at, int number) {
    bool any = false, split = E->plan->phase != PHASE_ALL;
    for (int32_t i = at + 1; i < E->end_of[at]; i++) any |= E->f->code[i].code == KIR_REDUCE;
    E->region = at;
    declare_divisors(E, at);
    if (E->plan->scan == SCAN_LOOKBACK) {
        em_scan_lookback(E, at);
        return;
    }
    if (E->plan->phase == number) {
        em_scan_totals(E, at);
        E->ended = true;
        return;
    }
    each_reduce(E, at, em_start_state);
    em_scan_tiles(E, at);
    if (any) join_group(E, at, E->enclosing[at] >= 0);
    if (any && split)
        finish_split(E, at);
    else if (split)
        em_line(E, "if (blockIdx.y) return;");
    each_reduce(E, at, put_result);
}

void em_each(em *E, int32_t at) {
    int number = phase_of(E, at);
    if (E->plan->scan && em_has_scan(E, at)) {
        scan_each(E, at, number);
        return;
    }
    if (E->plan->phase > number) {
        each_reduce(E, at, take_result);
        each_reduce(E, at, put_result);
        return;
    }
    bool any = false;
    for (int32_t i = at + 1; i < E->end_of[at]; i++) {
        any |= E->f->code[i].code == KIR_REDUCE;
        if (E->f->code[i].code == KIR_SCAN) em_start_scan(E, i);
    }
    each_reduce(E, at, em_start_state);
    em_line(E, "{");
    E->indent++;
    E->in_region = true;
    E->region = at;
    declare_divisors(E, at);
    if (E->plan->column_vec)
        loop_vector_columns(E, at);
    else if (em_in_order(E) || (E->facts.scans && !E->plan->scan))
        loop_in_order(E, at);
    else
        loop_batches(E, at);
    E->in_region = false;
    em_close_block(E);
    if (any) join_group(E, at, E->enclosing[at] >= 0);
    if (E->plan->phase == number && any) finish_split(E, at);
    if (E->plan->phase == number && number + 1 < (int)E->facts.n_each) {
        if (any) {
            em_line(E, "if (%s) {", em_leader(E));
            E->indent++;
            each_reduce(E, at, store_result);
            em_close_block(E);
        }
        em_line(E, "return;");
        E->ended = true;
        return;
    }
    if (E->plan->phase == number && !any) em_line(E, "if (blockIdx.y) return;");
    each_reduce(E, at, put_result);
}

/* ---- the program ---- */

static void put_group(em *E) {
    char outer[FIELD_NAME_BYTES];
    const char *t = em_count_type(E);
    em_field(E, outer, FIELD_OUTER, 0, 0);
    switch ((cu_group)E->plan->group) {
        case GROUP_NONE: break;
        case GROUP_THREAD:
            em_line(E, "const %s row = (%s)blockIdx.x * blockDim.x + threadIdx.x;", t, t);
            em_line(E, "if (row >= %s) return;", outer);
            em_line(E, "const unsigned lane = 0, lanes = 1;");
            break;
        case GROUP_WARP:
            em_line(E, "const %s row = (%s)blockIdx.x * (blockDim.x / %d) + threadIdx.x / %d;", t,
                    t, E->plan->width, E->plan->width);
            em_line(E, "if (row >= %s) return;", outer);
            em_line(E, "const unsigned lane = threadIdx.x %% %d, lanes = %d;", E->plan->width,
                    E->plan->width);
            E->guard = em_leader(E);
            break;
        case GROUP_BLOCK:
            em_line(E,
                    E->plan->scan == SCAN_LOOKBACK ? "const %s row = blockIdx.x %% %s;"
                                                   : "const %s row = blockIdx.x;",
                    t, outer);
            em_line(E, "const unsigned lane = threadIdx.x, lanes = blockDim.x;");
            E->guard = em_leader(E);
            break;
        case GROUP_COLUMN:
            em_line(E, "const %s at = (%s)blockIdx.x * %d + threadIdx.x;", t, t, E->plan->width);
            em_line(E, "const bool live = at < %s;", outer);
            em_line(E, "const %s row = live ? at : %s - 1;", t, outer);
            em_line(E, "const unsigned lane = threadIdx.y, lanes = blockDim.y;");
            E->guard = em_leader(E);
            break;
    }
}

/* Declares the accesses of this block. Parts of a split reduction are interleaved batch by batch,
 * so that concurrent blocks load adjacent memory; parts of a scan are contiguous. */
static void put_access_range(em *E) {
    char chunks[FIELD_NAME_BYTES], length[FIELD_NAME_BYTES];
    const char *t = em_count_type(E);
    int lanes = E->plan->column_vec
                    ? TUNE_CUDA_COLUMN_THREADS / (E->plan->width / E->plan->column_vec)
                    : 1; /* threads along the rows of a vectorized column */
    em_field(E, chunks, FIELD_ACCESSES, 0, 0);
    if (E->plan->scan == SCAN_LOOKBACK) {
        em_scan_take_tile(E, chunks);
    } else if (E->plan->phase == PHASE_ALL || !E->plan->scan) {
        if (E->plan->column_vec)
            em_line(E, "const %s batch = %d;", t, lanes * E->plan->unroll);
        else
            em_line(E, "const %s batch = lanes * %d;", t, E->plan->unroll);
        em_line(E,
                E->plan->phase == PHASE_ALL
                    ? "const %s first = 0, step = batch;"
                    : "const %s first = blockIdx.y * batch, step = gridDim.y * batch;",
                t);
        em_line(E, "%s end = %s;", t, chunks);
    } else {
        em_field(E, length, FIELD_PART_ACCESSES, 0, 0);
        em_line(E, "const %s first = blockIdx.y * %s;", t, length);
        em_line(E, "%s end = first + %s < %s ? first + %s : %s;", t, length, chunks, length,
                chunks);
    }
    if (E->plan->column_vec) em_line(E, "const %s end0 = end;", t);
    if (E->plan->group == GROUP_COLUMN) em_line(E, "if (!live) end = first;");
}

/* Coordinates of the row. */
static void put_row(em *E) {
    em_iteration w = em_iterate_over(E, ((1u << E->f->ndim) - 1) & ~E->f->inner);
    const char *t = em_index_type(E), *u = em_count_type(E);
    char size[FIELD_NAME_BYTES];
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

static void load_row(em *E) {
    em_iteration w = em_iterate_over(E, E->f->inner);
    w.unroll = E->plan->row_accesses;
    w.access = "first + lane + u * lanes";
    w.limit = "end";
    w.lo = 0;
    w.hi = (int32_t)E->f->n_code;
    E->in_region = true;
    em_batch_load(E, &w);
    E->in_region = false;
}

void em_inner_points(em *E) {
    put_group(E);
    put_row(E);
    put_access_range(E);
    for (int32_t i = 0; i < (int32_t)E->f->n_code; i++)
        if (E->f->code[i].code == KIR_REDUCE &&
            (E->plan->group == GROUP_BLOCK || E->plan->group == GROUP_COLUMN))
            declare_shared(E, i);
    if (E->plan->row_accesses) load_row(E);
    em_instructions(E, 0, (int32_t)E->f->n_code);
}
