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

static int32_t constant(lowering *lw, int64_t i) {
    return kir_const(lw->f, DT_I64, (gpa_val){.I64 = i});
}

/* ---- results ---- */

/* Stores a result in a new output array; returns its number, -1 when out of memory. */
static int add_result(lowering *lw, loop_fn *l, int32_t v, typed_ty t, int32_t at) {
    int array = kir_add_array(lw->f, (kir_array){.dtype = t.dtype,
                                                 .where = KIR_GLOBAL,
                                                 .access = KIR_WRITE,
                                                 .group = (uint16_t)(2 + l->n_results)});
    if (l->n_results == LOOP_MAX_RESULTS || array < 0) {
        lw->f->failed = true;
        return -1;
    }
    kir_emit(lw->f, (kir_ins){.code = KIR_STOREX,
                              .type = DT_NONE,
                              .sub = (uint16_t)array,
                              .a = at,
                              .b = kir_cast(lw->f, (gpa_dtype)t.dtype, v),
                              .c = -1});
    l->result[l->n_results] = t;
    return l->n_results++;
}

/* ---- variables ---- */

/* Reassembles a variable (a tuple or a number) from the next leaves. */
static gpa_code read_input(lowering *lw, const loop_in *in, const tv *leaf, int *next, tv *out) {
    if (in->kind == IN_STATIC) {
        *out = (tv){.kind = TV_STATIC, .constant = in->constant};
        return GPA_OK;
    }
    if (in->kind == IN_VALUE) {
        *out = leaf[(*next)++];
        return GPA_OK;
    }
    if (typed_tuple(lw, in->n, out)) return GPA_E_MEMORY;
    for (int i = 0; i < in->n; i++) out->items[i] = leaf[(*next)++];
    return GPA_OK;
}

/* Initial value of a reduction in every worker: the identity element. */
static tv identity(lowering *lw, loop_role t, tv v) {
    gpa_val one = dtype_cast((gpa_val){.I64 = t == ROLE_PRODUCT}, DT_I64, (gpa_dtype)v.t.dtype);
    if (t == ROLE_SUM || t == ROLE_PRODUCT) v.v = kir_const(lw->f, (gpa_dtype)v.t.dtype, one);
    v.literal = false;
    return v;
}

static gpa_code read_variables(lowering *lw, const loop_fn *l, const tv *leaf) {
    const typed_lift *of = l->of;
    int next = 0;
    gpa_code rc = GPA_OK;
    for (uint32_t i = 0; i < of->n && !rc; i++) {
        tv v;
        slot *s = &lw->slots[lw->frame->slots + i];
        bool written = of->use[i] & USE_WRITTEN;
        s->flag = -1;
        if (l->in[i].kind != IN_UNBOUND)
            rc = read_input(lw, &l->in[i], leaf, &next, &v);
        else if (written && !of->parallel && of->use[i] & USE_AFTER)
            s->flag = typed_emit(lw, KIR_VAR, DT_BOOL, -1, -1, 0);
        if (rc || l->in[i].kind == IN_UNBOUND) continue;
        if (of->parallel && written && of->role[i] == ROLE_PRIVATE) continue;
        if (of->parallel && written && v.kind == TV_NUMBER)
            v = identity(lw, (loop_role)of->role[i], v);
        s->direct = v;
        s->bound = true;
        if (v.kind == TV_NUMBER && written) s->t = typed_join(s->t, v.t);
        if (s->stored || s->items)
            rc = typed_assign(lw, of->loop, (int32_t)(lw->frame->slots + i), v);
    }
    return rc;
}

/* Only numbers leave the loop: with an array or a tuple that is read after it, the interpreter
 * runs it. */
static gpa_code refuse_kept(lowering *lw, const loop_fn *l, uint32_t i) {
    lw->fallback = true;
    return typed_fail(lw, l->of->loop, GPA_E_UNSUPPORTED,
                      "'%s' is not a number and is read after the loop",
                      intern_text(vm_names(lw->vm), l->of->function->function.scope->vars[i].name));
}

/* Emits results for the variables that the loop assigned; `at`: index in each result array. */
static gpa_code write_variables(lowering *lw, loop_fn *l, int32_t at) {
    const typed_lift *of = l->of;
    l->n_out = 0;
    for (uint32_t i = 0; i < of->n; i++) {
        const slot *s = &lw->slots[lw->frame->slots + i];
        bool after = of->use[i] & USE_AFTER || (of->parallel && of->role[i] != ROLE_PRIVATE);
        if (!(of->use[i] & USE_WRITTEN) || !after || !s->bound) continue;
        loop_out *o = &l->out[l->n_out];
        *o = (loop_out){.slot = i, .t = s->t, .result = -1, .flag = -1};
        bool private = of->parallel && of->role[i] == ROLE_PRIVATE;
        o->clear = private || (!s->stored && s->direct.kind != TV_NUMBER);
        if (o->clear && !private && of->use[i] & USE_KEPT) return refuse_kept(lw, l, i);
        if (!o->clear && !s->stored) continue; /* assigned in no reachable statement */
        l->n_out++;
        if (o->clear) continue;
        tv v = typed_read(lw, (int32_t)(lw->frame->slots + i));
        o->result = add_result(lw, l, v.v, s->t, at);
        if (s->flag >= 0) {
            int32_t set = typed_emit(lw, KIR_GET, DT_BOOL, s->flag, -1, 0);
            o->flag = add_result(lw, l, set, (typed_ty){.dtype = DT_BOOL}, at);
        }
    }
    return GPA_OK;
}

/* ---- sequential loops ---- */

static gpa_code sequential_body(lowering *lw, loop_fn *l, const tv *over) {
    const ast_node *n = l->of->loop;
    if (n->kind == AST_WHILE) return typed_while(lw, n);
    if (l->over_array) return typed_for_array(lw, n, over);
    int32_t bounds[3] = {over[0].v, over[1].v, constant(lw, l->step)};
    return typed_for(lw, n, bounds);
}

static gpa_code lower_sequential(lowering *lw, loop_fn *l, inline_frame *fr, const tv *over) {
    bool returns = l->of->returns;
    int32_t zero = constant(lw, 0);
    fr->nest = lw->nest;
    fr->regions = lw->regions;
    fr->returned_flag = returns ? typed_emit(lw, KIR_VAR, DT_BOOL, -1, -1, 0) : -1;
    if (returns) typed_open(lw, KIR_BLOCK, DT_NONE, -1, -1, -1);
    gpa_code rc = sequential_body(lw, l, over);
    if (returns) typed_close(lw, KIR_BLOCK);
    if (rc) return rc;
    l->returned = -1;
    l->n_returned = 0;
    if (returns) {
        const return_shape *s = &lw->shapes[fr->shape];
        l->returned = add_result(lw, l, typed_emit(lw, KIR_GET, DT_BOOL, fr->returned_flag, -1, 0),
                                 (typed_ty){.dtype = DT_BOOL}, zero);
        l->first_returned = l->n_results;
        l->returned_tuple = s->tuple;
        l->n_returned = fr->returns_value ? s->n : 0;
        for (uint32_t i = 0; i < l->n_returned; i++) {
            tv v = typed_read(lw, (int32_t)(s->first + i));
            add_result(lw, l, v.v, v.t, zero);
        }
    }
    return write_variables(lw, l, zero);
}

/* ---- parallel loops ---- */

static gpa_code refuse_carried(lowering *lw, const loop_fn *l) {
    const typed_lift *of = l->of;
    for (uint32_t i = 0; i < of->n; i++)
        if (of->use[i] & USE_WRITTEN && of->role[i] == ROLE_CARRIED)
            return typed_fail(
                lw, of->loop, GPA_E_UNSUPPORTED,
                "'%s' is carried from one iteration of prange to the next: only x += e, x *= e, x "
                "= "
                "min(x, e) and x = max(x, e) can be",
                intern_text(vm_names(lw->vm), of->function->function.scope->vars[i].name));
    return GPA_OK;
}

/* Emits a worker's share of the iterations. over: start, trip count. */
static gpa_code parallel(lowering *lw, loop_fn *l, inline_frame *fr, const tv *over) {
    gpa_code rc = refuse_carried(lw, l);
    if (rc) return rc;
    int32_t self_index = typed_emit(lw, KIR_INDEX, DT_I64, -1, -1, 0), trip_count = over[1].v,
            step = constant(lw, l->step);
    int32_t workers = kir_emit(
        lw->f,
        (kir_ins){.code = KIR_SIZE, .type = DT_I64, .sub = KIR_SPACE, .a = -1, .b = -1, .c = -1});
    int32_t lo = self_index, hi = trip_count, stride = workers;
    lw->worker = self_index;
    fr->nest = lw->nest;
    fr->regions = lw->regions;
    if (!l->strided) {
        int32_t share = kir_op2(lw->f, OP_FLOOR_DIVIDE, trip_count, workers),
                extra_iterations = kir_op2(lw->f, OP_REMAINDER, trip_count, workers);
        lo = kir_op2(lw->f, OP_ADD, kir_op2(lw->f, OP_MULTIPLY, self_index, share),
                     kir_op2(lw->f, OP_MINIMUM, self_index, extra_iterations));
        int32_t has_extra =
            kir_cast(lw->f, DT_I64, kir_op2(lw->f, OP_LESS, self_index, extra_iterations));
        hi = kir_op2(lw->f, OP_ADD, kir_op2(lw->f, OP_ADD, lo, share), has_extra);
        stride = constant(lw, 1);
    }
    int32_t bounds[3] = {lo, hi, stride};
    if (l->step != 1) { /* from iteration numbers to values of the counter */
        for (int i = 0; i < 3; i++) bounds[i] = kir_op2(lw->f, OP_MULTIPLY, bounds[i], step);
    }
    for (int i = 0; i < 2; i++) bounds[i] = kir_op2(lw->f, OP_ADD, bounds[i], over[0].v);
    rc = typed_for(lw, l->of->loop, bounds);
    return rc ? rc : write_variables(lw, l, self_index);
}

/* ---- one iteration of the fixed point ---- */

/* Records the types of the variables, for introspection. */
static void record_types(const lowering *lw, loop_fn *l) {
    for (uint32_t i = 0; i < l->of->n; i++) {
        const slot *s = &lw->slots[lw->frame->slots + i];
        bool direct = s->bound && (s->direct.kind == TV_NUMBER || s->direct.kind == TV_ARRAY);
        l->types[i] = s->stored ? s->t : direct ? s->direct.t : (typed_ty){.dtype = DT_NONE};
    }
}

gpa_code loop_lower(lowering *lw, func_obj *fn) {
    loop_fn *l = (loop_fn *)(void *)lw->to;
    tv leaf[BODY_MAX_IN];
    uint32_t number = 0;
    int array = 0, n = lw->to->n_args;
    inline_frame fr = {.fn = fn, .node = l->of->function, .returned_flag = -1};
    gpa_code rc = GPA_OK;
    lw->frame = NULL;
    typed_begin_program(lw, fn);
    lw->f->ndim = l->of->parallel;
    lw->f->flags |= KIR_F_UNORDERED;
    l->n_results = 0;
    l->n_scratch = 0;
    l->array_math = false;
    l->random_sources = 0;
    lw->worker = -1;
    for (int i = 0; i < n && !rc; i++)
        rc = typed_argument(lw, lw->to->args[i], &number, &array, &leaf[i]);
    if (!rc) rc = typed_begin_frame(lw, l->of->loop, &fr);
    if (rc) return rc;
    fr.returns_value = typed_returns_value(l->of->loop);
    lw->frame = &fr;
    rc = read_variables(lw, l, leaf);
    const tv *over = leaf + n - l->n_over;
    if (!rc) rc = l->of->parallel ? parallel(lw, l, &fr, over) : lower_sequential(lw, l, &fr, over);
    if (!rc) rc = loop_scratch_check(lw);
    record_types(lw, l);
    lw->frame = NULL;
    return rc;
}
