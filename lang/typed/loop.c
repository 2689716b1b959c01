/* Lowering of one compiled loop: variables in, the body, variables out.
 *
 * A sequential loop is a program of one point. A prange loop is a program whose points are
 * workers. Each worker runs its share of the iterations, in blocks or (on GPUs, for coalescing)
 * with a grid stride, and stores a partial result of every reduction; lift.c combines these. The
 * number of workers depends on the trip count alone, so that results do not depend on the number
 * of threads.
 *
 * Reading order: results, variables, sequential loops, parallel loops, one iteration of the
 * fixed point. */
#include "runtime/base/arena.h"
#include "lang/typed/loop.h"

static int32_t constant(walk *w, int64_t i) { return kir_const(w->f, DT_I64, (gpa_val){.I64 = i}); }

/* ---- results ---- */

/* Stores a result in a new output array; returns its number, -1 when out of memory. */
static int give(walk *w, loop_fn *l, int32_t v, typed_ty t, int32_t at) {
    int array = kir_add_array(w->f, (kir_array){.dtype = t.dtype,
                                                .where = KIR_GLOBAL,
                                                .access = KIR_WRITE,
                                                .group = (uint16_t)(2 + l->n_results)});
    if (l->n_results == LOOP_MAX_RESULTS || array < 0) {
        w->f->failed = true;
        return -1;
    }
    kir_emit(w->f, (kir_ins){.code = KIR_STOREX,
                             .type = DT_NONE,
                             .sub = (uint16_t)array,
                             .a = at,
                             .b = kir_cast(w->f, (gpa_dtype)t.dtype, v),
                             .c = -1});
    l->result[l->n_results] = t;
    return l->n_results++;
}

/* ---- variables ---- */

/* Reassembles a variable (a tuple or a number) from the next leaves. */
static gpa_code take(walk *w, const loop_in *in, const tv *leaf, int *next, tv *out) {
    if (in->kind == IN_STATIC) {
        *out = (tv){.kind = TV_STATIC, .is = in->is};
        return GPA_OK;
    }
    if (in->kind == IN_VALUE) {
        *out = leaf[(*next)++];
        return GPA_OK;
    }
    if (typed_tuple(w, in->n, out)) return GPA_E_MEMORY;
    for (int i = 0; i < in->n; i++) out->items[i] = leaf[(*next)++];
    return GPA_OK;
}

/* Initial value of a reduction in every worker: the identity element. */
static tv identity(walk *w, loop_trip t, tv v) {
    gpa_val one = dtype_cast((gpa_val){.I64 = t == TRIP_PRODUCT}, DT_I64, (gpa_dtype)v.t.dtype);
    if (t == TRIP_SUM || t == TRIP_PRODUCT) v.v = kir_const(w->f, (gpa_dtype)v.t.dtype, one);
    v.known = false;
    return v;
}

static gpa_code bring_in(walk *w, const loop_fn *l, const tv *leaf) {
    const typed_lift *of = l->of;
    int next = 0;
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < of->n && !rc; i++) {
        tv v;
        slot *s = &w->slots[w->frame->slots + i];
        bool written = of->use[i] & USE_WRITTEN;
        s->flag = -1;
        if (l->in[i].kind != IN_UNBOUND)
            rc = take(w, &l->in[i], leaf, &next, &v);
        else if (written && !of->parallel && of->use[i] & USE_AFTER)
            s->flag = typed_emit(w, KIR_VAR, DT_BOOL, -1, -1, -1, 0);
        if (rc || l->in[i].kind == IN_UNBOUND) continue;
        if (of->parallel && written && of->trip[i] == TRIP_OWN) continue;
        if (of->parallel && written && v.kind == TV_NUMBER)
            v = identity(w, (loop_trip)of->trip[i], v);
        s->direct = v;
        s->bound = true;
        if (v.kind == TV_NUMBER && written) s->t = typed_join(s->t, v.t);
        if (s->stored || s->parts)
            rc = typed_assign(w, of->loop, (int32_t)(w->frame->slots + i), v);
    }
    return rc;
}

/* Emits results for the variables that the loop assigned; `at`: index in each result array. */
static gpa_code bring_out(walk *w, loop_fn *l, int32_t at) {
    const typed_lift *of = l->of;
    l->n_out = 0;
    for (uint32_t i = 0; i < of->n; i++) {
        const slot *s = &w->slots[w->frame->slots + i];
        bool after = of->use[i] & USE_AFTER || (of->parallel && of->trip[i] != TRIP_OWN);
        if (!(of->use[i] & USE_WRITTEN) || !after || !s->bound) continue;
        loop_out *o = &l->out[l->n_out];
        *o = (loop_out){.slot = i, .t = s->t, .result = -1, .flag = -1};
        bool own = of->parallel && of->trip[i] == TRIP_OWN;
        o->clear = own || (!s->stored && s->direct.kind != TV_NUMBER);
        if (!o->clear && !s->stored) continue; /* assigned in no reachable statement */
        l->n_out++;
        if (o->clear) continue;
        tv v = typed_read(w, (int32_t)(w->frame->slots + i));
        o->result = give(w, l, v.v, s->t, at);
        if (s->flag >= 0) {
            int32_t set = typed_emit(w, KIR_GET, DT_BOOL, s->flag, -1, -1, 0);
            o->flag = give(w, l, set, (typed_ty){.dtype = DT_BOOL}, at);
        }
    }
    return GPA_OK;
}

/* ---- sequential loops ---- */

static gpa_code plain_body(walk *w, loop_fn *l, const tv *over) {
    const ast_node *n = l->of->loop;
    if (n->kind == AST_WHILE) return typed_while(w, n);
    if (l->over_array) return typed_each(w, n, over);
    int32_t abc[3] = {over[0].v, over[1].v, constant(w, l->step)};
    return typed_for(w, n, abc);
}

static gpa_code plain(walk *w, loop_fn *l, tframe *fr, const tv *over) {
    bool returns = l->of->returns;
    int32_t zero = constant(w, 0);
    fr->nest = w->nest;
    fr->regions = w->regions;
    fr->returned_flag = returns ? typed_emit(w, KIR_VAR, DT_BOOL, -1, -1, -1, 0) : -1;
    if (returns) typed_open(w, KIR_BLOCK, DT_NONE, -1, -1, -1);
    gpa_code rc = plain_body(w, l, over);
    if (returns) typed_close(w, KIR_BLOCK);
    if (rc) return rc;
    l->returned = -1;
    l->n_returned = 0;
    if (returns) {
        const shape_of_return *s = &w->shapes[fr->shape];
        l->returned = give(w, l, typed_emit(w, KIR_GET, DT_BOOL, fr->returned_flag, -1, -1, 0),
                           (typed_ty){.dtype = DT_BOOL}, zero);
        l->first_returned = l->n_results;
        l->returned_tuple = s->tuple;
        l->n_returned = fr->gives ? s->n : 0;
        for (uint32_t i = 0; i < l->n_returned; i++) {
            tv v = typed_read(w, (int32_t)(s->first + i));
            give(w, l, v.v, v.t, zero);
        }
    }
    return bring_out(w, l, zero);
}

/* ---- parallel loops ---- */

static gpa_code refuse_carried(walk *w, const loop_fn *l) {
    const typed_lift *of = l->of;
    for (uint32_t i = 0; i < of->n; i++)
        if (of->use[i] & USE_WRITTEN && of->trip[i] == TRIP_CARRIED)
            return typed_fail(
                w, of->loop, GPA_E_UNSUPPORTED,
                "'%s' is carried from one trip of prange to the next: only x += e, x *= e, x = "
                "min(x, e) and x = max(x, e) can be",
                intern_text(vm_names(w->vm), of->function->function.scope->vars[i].name));
    return GPA_OK;
}

/* Emits a worker's share of the iterations. over: start, trip count. */
static gpa_code parallel(walk *w, loop_fn *l, tframe *fr, const tv *over) {
    gpa_code rc = refuse_carried(w, l);
    if (rc) return rc;
    int32_t me = typed_emit(w, KIR_INDEX, DT_I64, -1, -1, -1, 0), trips = over[1].v,
            step = constant(w, l->step);
    int32_t workers = kir_emit(
        w->f,
        (kir_ins){.code = KIR_SIZE, .type = DT_I64, .sub = KIR_SPACE, .a = -1, .b = -1, .c = -1});
    int32_t lo = me, hi = trips, by = workers;
    w->lane = me;
    fr->nest = w->nest;
    fr->regions = w->regions;
    if (!l->strided) {
        int32_t each = kir_op2(w->f, OP_FLOOR_DIVIDE, trips, workers),
                more = kir_op2(w->f, OP_REMAINDER, trips, workers);
        lo = kir_op2(w->f, OP_ADD, kir_op2(w->f, OP_MULTIPLY, me, each),
                     kir_op2(w->f, OP_MINIMUM, me, more));
        int32_t extra = kir_cast(w->f, DT_I64, kir_op2(w->f, OP_LESS, me, more));
        hi = kir_op2(w->f, OP_ADD, kir_op2(w->f, OP_ADD, lo, each), extra);
        by = constant(w, 1);
    }
    int32_t abc[3] = {lo, hi, by};
    if (l->step != 1) { /* from iteration numbers to values of the counter */
        for (int i = 0; i < 3; i++) abc[i] = kir_op2(w->f, OP_MULTIPLY, abc[i], step);
    }
    for (int i = 0; i < 2; i++) abc[i] = kir_op2(w->f, OP_ADD, abc[i], over[0].v);
    rc = typed_for(w, l->of->loop, abc);
    return rc ? rc : bring_out(w, l, me);
}

/* ---- one iteration of the fixed point ---- */

gpa_code loop_round(walk *w, func_obj *fn) {
    loop_fn *l = (loop_fn *)(void *)w->to;
    tv leaf[BODY_MAX_IN];
    uint32_t number = 0;
    int array = 0, n = w->to->n_args;
    tframe fr = {.fn = fn, .node = l->of->function, .returned_flag = -1};
    gpa_code rc = GPA_OK;
    w->frame = NULL;
    typed_begin(w, fn);
    w->f->ndim = l->of->parallel;
    w->f->flags |= KIR_F_FREE;
    l->n_results = 0;
    l->draws = 0;
    w->lane = -1;
    for (int i = 0; i < n && !rc; i++)
        rc = typed_argument(w, w->to->args[i], &number, &array, &leaf[i]);
    if (!rc) rc = typed_enter(w, l->of->loop, &fr);
    if (rc) return rc;
    fr.gives = typed_gives(l->of->loop);
    w->frame = &fr;
    rc = bring_in(w, l, leaf);
    const tv *over = leaf + n - l->n_over;
    if (!rc) rc = l->of->parallel ? parallel(w, l, &fr, over) : plain(w, l, &fr, over);
    w->frame = NULL;
    return rc;
}
