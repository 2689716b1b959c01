/* Abstract interpretation of a kernel over the interval domain.
 *
 * Values are computed on demand from their operands, so that a condition that dominates a use
 * narrows them. Narrowings are on a stack and end with their region. Variables have an interval
 * that follows control flow (the abstract environment); for a loop the analysis iterates to a
 * fixpoint at the loop head, with widening.
 *
 * Invariant: an interval contains every value that any thread of the launch can have there before
 * it faults. After a BOUND its index is in bounds, since a thread that faults ends. A marked check
 * is not executed, so the marks must hold for every launch that runs the marked program; a check
 * that a proof relies on is not marked and is still executed.
 *
 * Reading order: launch facts, values, conditions, regions, loops, statements, short loops, the
 * analysis. */
#include "runtime/ir/bounds.h"

#include <math.h>

#include "runtime/base/base.h"
#include "runtime/ir/interval.h"
#include "runtime/tables/tuning.h"

enum {
    MAX_CODE = 4096,   /* instructions of a program that is analyzed */
    MAX_VARS = 32,     /* variables with an interval */
    MAX_NARROWED = 64, /* narrowings on the stack */
    MAX_STEPS = 60000, /* values computed in one analysis */
    WIDEN_AT = 2,      /* iteration from which on bounds that still grow are widened to infinity */
    MAX_TRIALS = 6     /* iterations of a fixpoint before the loop's variables are given up */
};

/* A launch fact that the analysis used: the instruction, and its value. */
typedef struct {
    int32_t at;
    int64_t value;
} fact;

struct bounds {
    uint32_t grid[3], block[3];
    fact *facts;
    size_t n_facts, cap_facts;
    uint8_t *marks; /* per instruction */
    size_t n_code, n_marks;
    bool valid;
};

typedef struct {
    interval var[MAX_VARS];
} state;

typedef struct {
    const kir_func *f;
    const gpa_launch *l;
    bounds *x;
    int32_t *close, *other; /* per region opener: its END; the ELSE of an IF, or -1 */
    int32_t *var;           /* per VAR: its number, or -1 */
    uint32_t *sets;         /* per region opener: bit set of the variables that it sets */
    bool *recorded;         /* per instruction: it is recorded as a fact */
    interval *leaf;         /* of counters, and of variables where they are read */
    uint32_t *of_var;       /* per GET: the change count of its variable when it was read */
    interval *value;        /* memoized; valid in the traversal numbered `when` */
    uint32_t *when, now;
    int64_t *trips; /* per FOR: upper bound of its trip count; -1: none */
    struct {
        int32_t v;
        interval to;
    } narrowed[MAX_NARROWED];
    int n_narrowed, steps, trying;
    uint32_t changes[MAX_VARS];
    state env,
        set; /* the variables' intervals now; the hull of all that the innermost region assigned */
    bool out_of_memory;
} analysis;

static const interval none = {INT64_MAX, INT64_MIN};

/* ---- launch facts ---- */

static bool bound_at_launch(const kir_func *f, const kir_ins *i) {
    const kir_array *a = &f->arrays[i->sub];
    return a->where == KIR_GLOBAL || a->where == KIR_CONSTANT ||
           (a->where == KIR_SHARED && !a->count);
}

/* The value of a SIZE or PARAM at launch; false: it is not an integer. */
static bool launch_value(const kir_func *f, const gpa_launch *l, const kir_ins *i, int64_t *out) {
    gpa_dtype t = (gpa_dtype)i->type;
    if (i->code == KIR_SIZE) {
        if (i->sub == KIR_SPACE || !bound_at_launch(f, i)) return false;
        *out = l->arrays[i->sub].size[i->imm];
        return true;
    }
    if (i->code != KIR_PARAM || t == DT_U64 || !(t == DT_BOOL || dtype_is_int(t))) return false;
    *out = dtype_cast(l->params[i->imm], t, DT_I64).I64;
    return true;
}

static interval fact_of(analysis *s, int32_t v) {
    int64_t n;
    if (!launch_value(s->f, s->l, &s->f->code[v], &n))
        return interval_of_type((gpa_dtype)s->f->code[v].type);
    if (!s->recorded[v]) {
        bounds *x = s->x;
        s->recorded[v] = true;
        if (mem_grow(&x->facts, x->n_facts, &x->cap_facts, sizeof *x->facts))
            x->facts[x->n_facts++] = (fact){v, n};
        else
            s->out_of_memory = true;
    }
    return (interval){n, n};
}

/* True if all facts that the last analysis used are the same in this launch. */
static bool same_facts(const bounds *x, const kir_func *f, const gpa_launch *l) {
    if (memcmp(x->grid, l->grid, sizeof x->grid) != 0 ||
        memcmp(x->block, l->block, sizeof x->block) != 0)
        return false;
    for (size_t i = 0; i < x->n_facts; i++) {
        int64_t n;
        if (!launch_value(f, l, &f->code[x->facts[i].at], &n) || n != x->facts[i].value)
            return false;
    }
    return true;
}

static interval thread_value(const analysis *s, const kir_ins *i) {
    int64_t block = s->l->block[i->imm % 3], grid = s->l->grid[i->imm % 3];
    switch ((kir_thread)i->sub) {
        case KIR_TH_TID: return (interval){0, block - 1};
        case KIR_TH_BID: return (interval){0, grid - 1};
        case KIR_TH_BDIM: return (interval){block, block};
        case KIR_TH_GDIM: return (interval){grid, grid};
        case KIR_TH_LANE: return (interval){0, 31};
        case KIR_TH_WARPSIZE: return (interval){32, 32};
        case KIR_TH_ROWS: break;
    }
    return interval_of_type(DT_I32);
}

/* ---- values ---- */

static interval value_of(analysis *s, int32_t v);
static void assume(analysis *s, int32_t c, bool outcome);

static void pop_narrowed(analysis *s, int n) {
    if (s->n_narrowed != n) s->now++;
    s->n_narrowed = n;
}

/* The interval of v where condition c has the given outcome. */
static interval value_if(analysis *s, int32_t c, bool outcome, int32_t v) {
    int n = s->n_narrowed;
    state env = s->env;
    assume(s, c, outcome);
    interval r = value_of(s, v);
    pop_narrowed(s, n);
    s->env = env;
    return r;
}

static interval value_of_select(analysis *s, const kir_ins *i) {
    interval c = value_of(s, i->a);
    if (c.lo == 1) return value_of(s, i->b);
    if (c.hi == 0) return value_of(s, i->c);
    interval a = value_if(s, i->a, true, i->b), b = value_if(s, i->a, false, i->c);
    return interval_hull(a, b);
}

static interval value_of_op(analysis *s, const kir_ins *i) {
    if (i->sub == OP_WHERE) return value_of_select(s, i);
    const int32_t from[3] = {i->a, i->b, i->c};
    interval in[3] = {none, none, none};
    for (int k = 0; k < 3; k++)
        if (from[k] >= 0 && k < kir_arity(i)) in[k] = value_of(s, from[k]);
    return interval_of_op((gpa_op)i->sub, (gpa_dtype)s->f->code[i->a].type, (gpa_dtype)i->type, in);
}

/* The interval of a checked index. */
static interval checked_index(interval index, interval extent) {
    interval all = {0, extent.hi > 0 ? extent.hi - 1 : 0};
    return index.lo >= 0 ? interval_intersect(index, all) : all;
}

static interval find_value(analysis *s, int32_t v) {
    const kir_ins *i = &s->f->code[v];
    gpa_dtype t = (gpa_dtype)i->type;
    switch ((int)i->code) {
        case KIR_CONST:
            if (t == DT_U64 && s->f->consts[i->imm].v.U64 > INT64_MAX) break;
            return (interval){dtype_cast(s->f->consts[i->imm].v, t, DT_I64).I64,
                              dtype_cast(s->f->consts[i->imm].v, t, DT_I64).I64};
        case KIR_PARAM:
        case KIR_SIZE: return fact_of(s, v);
        case KIR_THREAD: return thread_value(s, i);
        case KIR_OP: return value_of_op(s, i);
        case KIR_CAST:
            return interval_of_cast((gpa_dtype)s->f->code[i->a].type, t, value_of(s, i->a));
        case KIR_BOUND: return checked_index(value_of(s, i->a), value_of(s, i->b));
        case KIR_GET:
        case KIR_FOR: return s->leaf[v];
        default: break;
    }
    return interval_of_type(t);
}

static interval value_of(analysis *s, int32_t v) {
    gpa_dtype t = (gpa_dtype)s->f->code[v].type;
    if (t >= DT_COUNT || !(t == DT_BOOL || dtype_is_int(t)) || s->steps <= 0)
        return interval_of_type(t);
    if (s->when[v] == s->now) return s->value[v];
    s->steps--;
    interval r = find_value(s, v);
    for (int k = 0; k < s->n_narrowed; k++)
        if (s->narrowed[k].v == v) r = interval_intersect(r, s->narrowed[k].to);
    s->value[v] = r;
    s->when[v] = s->now;
    return r;
}

/* ---- conditions ---- */

static bool is_op(const kir_ins *i, gpa_op op) { return i->code == KIR_OP && i->sub == op; }

static void narrow(analysis *s, int32_t v, interval to);

/* Narrows a by a + b (minus: a - b) in `to`, with constant b and without overflow. */
static void narrow_operand(analysis *s, int32_t a, int32_t b, interval to, bool minus) {
    interval other = value_of(s, b), now = value_of(s, a), r;
    gpa_dtype t = (gpa_dtype)s->f->code[a].type;
    if (other.lo != other.hi || t == DT_U64 || other.lo == INT64_MIN) return;
    int64_t by = minus ? -other.lo : other.lo;
    interval type = interval_of_type(t);
    bool over = __builtin_add_overflow(now.lo, by, &r.lo);
    over |= __builtin_add_overflow(now.hi, by, &r.hi);
    if (over || !interval_within(r, type)) return;
    over = __builtin_sub_overflow(to.lo, by, &r.lo);
    over |= __builtin_sub_overflow(to.hi, by, &r.hi);
    if (!over) narrow(s, a, r);
}

static void narrow(analysis *s, int32_t v, interval to) {
    const kir_ins *i = &s->f->code[v];
    interval now = value_of(s, v), r = interval_intersect(now, to);
    if (interval_same(now, r) || s->n_narrowed == MAX_NARROWED) return;
    s->narrowed[s->n_narrowed].v = v;
    s->narrowed[s->n_narrowed++].to = r;
    s->now++;
    if (i->code == KIR_GET) {
        int x = s->var[i->a];
        if (x >= 0 && s->of_var[v] == s->changes[x])
            s->env.var[x] = interval_intersect(s->env.var[x], r);
    } else if (i->code == KIR_CAST && dtype_is_int((gpa_dtype)s->f->code[i->a].type)) {
        if (interval_within(value_of(s, i->a), interval_of_type((gpa_dtype)i->type)))
            narrow(s, i->a, r);
    } else if (is_op(i, OP_ADD)) {
        narrow_operand(s, i->a, i->b, r, false);
        narrow_operand(s, i->b, i->a, r, false);
    } else if (is_op(i, OP_SUBTRACT)) {
        narrow_operand(s, i->a, i->b, r, true);
    }
}

/* True if condition a cannot have this outcome where c has the outcome c_outcome, given the `and`
 * and `or` of the program. */
static bool contradicts(const kir_func *f, int32_t a, bool outcome, int32_t c, bool c_outcome) {
    if (a == c) return outcome != c_outcome;
    if (is_op(&f->code[a], OP_LOGICAL_NOT) && f->code[a].a == c) return outcome == c_outcome;
    return is_op(&f->code[c], OP_LOGICAL_NOT) && f->code[c].a == a && outcome == c_outcome;
}

static void assume(analysis *s, int32_t c, bool outcome) {
    const kir_ins *i = &s->f->code[c];
    if (i->type != DT_BOOL || i->code != KIR_OP) return;
    if (i->sub == OP_LOGICAL_NOT) {
        assume(s, i->a, !outcome);
    } else if ((outcome && (i->sub == OP_LOGICAL_AND || i->sub == OP_BITWISE_AND)) ||
               (!outcome && (i->sub == OP_LOGICAL_OR || i->sub == OP_BITWISE_OR))) {
        if (s->f->code[i->a].type != DT_BOOL) return;
        assume(s, i->a, outcome);
        assume(s, i->b, outcome);
    } else if (i->sub == OP_WHERE) {
        bool second = contradicts(s->f, i->b, outcome, i->a, true),
             first = contradicts(s->f, i->c, outcome, i->a, false);
        if (!first && !second) return;
        assume(s, i->a, first);
        assume(s, first ? i->b : i->c, outcome);
    } else {
        gpa_op op = outcome ? (gpa_op)i->sub : interval_negated((gpa_op)i->sub);
        gpa_dtype t = (gpa_dtype)s->f->code[i->a].type;
        if (interval_negated((gpa_op)i->sub) == OP_COUNT || !dtype_is_int(t)) return;
        interval a = value_of(s, i->a), b = value_of(s, i->b);
        narrow(s, i->a, interval_narrow(op, t, a, b));
        narrow(s, i->b, interval_narrow(interval_swapped(op), t, b, a));
    }
}

/* ---- regions ---- */

/* Interprets instructions lo .. hi; true if control can reach their end. */
static bool walk(analysis *s, int32_t lo, int32_t hi);

static void join(analysis *s, const state *other) {
    for (int x = 0; x < MAX_VARS; x++) s->env.var[x] = interval_hull(s->env.var[x], other->var[x]);
}

static bool walk_branch(analysis *s, int32_t c, bool outcome, int32_t lo, int32_t hi) {
    interval now = value_of(s, c);
    int n = s->n_narrowed;
    if (outcome ? now.hi == 0 : now.lo == 1) return false;
    assume(s, c, outcome);
    bool through = walk(s, lo, hi);
    pop_narrowed(s, n);
    return through;
}

static bool walk_if(analysis *s, int32_t at) {
    int32_t c = s->f->code[at].a, end = s->close[at], other = s->other[at];
    if (!s->trying && value_of(s, c).hi == 0) s->x->marks[at] = KIR_NEVER;
    state before = s->env;
    bool first = walk_branch(s, c, true, at + 1, other >= 0 ? other : end);
    state after = s->env;
    s->env = before;
    bool second = walk_branch(s, c, false, other >= 0 ? other + 1 : end, end);
    if (first && second) {
        join(s, &after);
    } else if (first != second) { /* only one branch continues: its condition holds from here on */
        if (first) s->env = after;
        assume(s, c, first);
    }
    return first || second;
}

static bool has_break(const analysis *s, int32_t at) {
    for (int32_t k = at + 1; k < s->close[at]; k++)
        if (s->f->code[k].code == KIR_BREAK) return true;
    return false;
}

/* After a region each variable in `sets` has its value from before the region, or one assigned in
 * it. */
static void join_region(analysis *s, uint32_t sets, const state *before, const state *set) {
    for (int x = 0; x < MAX_VARS; x++) {
        if (!(sets >> x & 1)) continue;
        s->env.var[x] = interval_hull(before->var[x], set->var[x]);
        s->changes[x]++;
    }
}

/* Interprets a region's body; assignments in it also count for the enclosing region. */
static bool walk_body(analysis *s, int32_t at, state *set) {
    state around = s->set;
    int n = s->n_narrowed;
    for (int x = 0; x < MAX_VARS; x++) s->set.var[x] = none;
    s->now++;
    bool through = walk(s, at + 1, s->close[at]);
    pop_narrowed(s, n);
    *set = s->set;
    for (int x = 0; x < MAX_VARS; x++) s->set.var[x] = interval_hull(around.var[x], set->var[x]);
    return through;
}

static bool walk_block(analysis *s, int32_t at) {
    state before = s->env, set;
    bool through = walk_body(s, at, &set);
    if (!has_break(s, at)) return through;
    join_region(s, s->sets[at], &before, &set);
    return true;
}

/* ---- loops ---- */

/* Fixpoint at the loop head: the intervals of the loop's variables at the start of any iteration,
 * grown (and widened) until the body maps them into themselves. */
static void find_fixpoint(analysis *s, int32_t at, const state *entry, state *head) {
    uint32_t sets = s->sets[at];
    *head = *entry;
    if (!sets) return;
    for (int trial = 0; trial < MAX_TRIALS; trial++) {
        state set;
        bool all = true;
        s->env = *head;
        for (int x = 0; x < MAX_VARS; x++) s->changes[x] += sets >> x & 1;
        walk_body(s, at, &set);
        for (int x = 0; x < MAX_VARS; x++) {
            if (!(sets >> x & 1)) continue;
            interval next = interval_hull(entry->var[x], set.var[x]), *h = &head->var[x];
            all = all && interval_within(next, *h);
            set.var[x] = next;
            if (interval_within(next, *h)) continue;
            if (next.lo < h->lo) h->lo = trial < WIDEN_AT ? next.lo : INT64_MIN;
            if (next.hi > h->hi) h->hi = trial < WIDEN_AT ? next.hi : INT64_MAX;
        }
        if (!all) continue;
        for (int x = 0; x < MAX_VARS; x++)
            if (sets >> x & 1) head->var[x] = set.var[x];
        return;
    }
    for (int x = 0; x < MAX_VARS; x++)
        if (sets >> x & 1) head->var[x] = (interval){INT64_MIN, INT64_MAX};
}

static void walk_loop(analysis *s, int32_t at) {
    state entry = s->env, head, set;
    s->trying++;
    find_fixpoint(s, at, &entry, &head);
    s->trying--;
    s->env = head;
    for (int x = 0; x < MAX_VARS; x++) s->changes[x] += s->sets[at] >> x & 1;
    walk_body(s, at, &set);
    join_region(s, s->sets[at], &head, &set);
}

/* Upper bound of the trip count of a loop from a to b by c; -1: the counter may wrap, or unknown.
 */
static int64_t trips_of(interval a, interval b, interval c, interval type) {
    int64_t distance, last;
    if (c.lo < 0 && c.hi <= 0)
        return trips_of((interval){-b.hi, -b.lo}, (interval){-a.hi, -a.lo},
                        (interval){-c.hi, -c.lo}, (interval){-type.hi, -type.lo});
    if (c.lo <= 0 || __builtin_sub_overflow(b.hi, a.lo, &distance) ||
        __builtin_add_overflow(b.hi, c.hi, &last) || last > type.hi)
        return -1;
    return distance <= 0 ? 0 : (distance - 1) / c.lo + 1;
}

/* The counter is between its initial value and its bound. */
static void walk_for(analysis *s, int32_t at) {
    const kir_ins *i = &s->f->code[at];
    interval from = value_of(s, i->a), to = value_of(s, i->b), by = value_of(s, i->c),
             type = interval_of_type((gpa_dtype)i->type), r = type;
    bool bounded = from.lo > -INT64_MAX && to.lo > -INT64_MAX && by.lo > -INT64_MAX;
    if (!s->trying)
        s->trips[at] =
            bounded ? trips_of(from, to, by, (interval){MAX(type.lo, -INT64_MAX), type.hi}) : -1;
    if (by.lo > 0)
        r = (interval){from.lo, to.hi == INT64_MIN ? to.hi : to.hi - 1};
    else if (by.hi < 0)
        r = (interval){to.lo == INT64_MAX ? to.lo : to.lo + 1, from.hi};
    if (!s->trying)
        s->x->marks[at] = by.lo > 0 ? KIR_SHORT_LOOP : by.hi < 0 ? KIR_SHORT_LOOP_DOWN : 0;
    if (r.lo > r.hi) return;
    s->leaf[at] = r;
    walk_loop(s, at);
}

/* ---- statements ---- */

static void walk_get(analysis *s, int32_t at) {
    int32_t x = s->var[s->f->code[at].a];
    s->leaf[at] = x < 0 ? interval_of_type((gpa_dtype)s->f->code[at].type) : s->env.var[x];
    s->of_var[at] = x < 0 ? 0 : s->changes[x];
}

static void walk_set(analysis *s, const kir_ins *i) {
    int32_t x = s->var[i->a];
    if (x < 0) return;
    s->env.var[x] = value_of(s, i->b);
    s->set.var[x] = interval_hull(s->set.var[x], s->env.var[x]);
    s->changes[x]++;
}

static void walk_var(analysis *s, int32_t at) {
    const kir_ins *i = &s->f->code[at];
    int32_t x = s->var[at];
    if (x < 0) return;
    s->env.var[x] = i->a >= 0 ? value_of(s, i->a) : (interval){0, 0};
    s->set.var[x] = interval_hull(s->set.var[x], s->env.var[x]);
    s->changes[x]++;
}

static void walk_bound(analysis *s, int32_t at) {
    const kir_ins *i = &s->f->code[at];
    interval index = value_of(s, i->a), extent = value_of(s, i->b);
    bool known = index.lo > index.hi || (index.lo >= 0 && index.hi < extent.lo);
    if (!s->trying && !known) s->x->marks[at] = 0;
    if (!known && extent.hi > 0) narrow(s, i->a, (interval){-extent.hi, extent.hi - 1});
}

static bool walk(analysis *s, int32_t lo, int32_t hi) {
    for (int32_t at = lo; at < hi && s->steps > 0; at++) {
        const kir_ins *i = &s->f->code[at];
        bool through = true;
        switch ((int)i->code) {
            case KIR_BOUND: walk_bound(s, at); break;
            case KIR_VAR: walk_var(s, at); break;
            case KIR_GET: walk_get(s, at); break;
            case KIR_SET: walk_set(s, i); break;
            case KIR_IF: through = walk_if(s, at); break;
            case KIR_BLOCK: through = walk_block(s, at); break;
            case KIR_FOR: walk_for(s, at); break;
            case KIR_LOOP:
            case KIR_EACH: walk_loop(s, at); break;
            default: through = !kir_has(i->code, KI_ENDS);
        }
        if (!through) return false;
        if (s->close[at] >= 0) at = s->close[at];
    }
    return true;
}

/* ---- short loops ---- */

/* Estimated work of a region in instructions, loops included. Unmarks loops that are not short. */
static double work_within(analysis *s, int32_t lo, int32_t hi) {
    double work = 0;
    for (int32_t at = lo; at < hi; at++) {
        const kir_ins *i = &s->f->code[at];
        work += kir_has(i->code, KI_OFFSET) || i->code == KIR_BARRIER ? 4 : 1;
        if (!kir_has(i->code, KI_REGION)) continue;
        double inner = work_within(s, at + 1, s->close[at]),
               trips =
                   i->code == KIR_LOOP || (i->code == KIR_FOR && s->trips[at] < 0) ? INFINITY : 1;
        if (i->code == KIR_FOR && s->trips[at] >= 0) trips = (double)s->trips[at];
        if (trips > 0) work += inner * trips;
        if (i->code == KIR_FOR && !(inner * trips <= (double)TUNE_UNPOLLED_LOOP_WORK))
            s->x->marks[at] = 0;
        at = s->close[at];
    }
    return work;
}

/* ---- the analysis ---- */

/* Numbers the integer variables that are read; those beyond MAX_VARS stay unknown. */
static void find_vars(analysis *s) {
    const kir_func *f = s->f;
    int n = 0;
    memset(s->var, -1, f->n_code * sizeof *s->var);
    for (size_t k = 0; k < f->n_code; k++) {
        const kir_ins *i = &f->code[k];
        if (i->code == KIR_GET && n < MAX_VARS && s->var[i->a] < 0 &&
            (i->type == DT_BOOL || dtype_is_int((gpa_dtype)i->type)))
            s->var[i->a] = n++;
    }
}

static void find_regions(analysis *s) {
    const kir_func *f = s->f;
    for (size_t k = 0; k < f->n_code; k++) s->close[k] = s->other[k] = -1;
    for (int32_t k = 0; k < (int32_t)f->n_code; k++)
        if (f->code[k].code == KIR_END) s->close[f->code[k].imm] = k;
    for (int32_t k = 0; k < (int32_t)f->n_code; k++) {
        for (int32_t m = k + 1; m < s->close[k]; m++) {
            const kir_ins *i = &f->code[m];
            if ((i->code == KIR_SET || i->code == KIR_VAR)) {
                int x = s->var[i->code == KIR_SET ? i->a : m];
                if (x >= 0) s->sets[k] |= UINT32_C(1) << x;
            }
        }
        for (int32_t m = k + 1; f->code[k].code == KIR_IF && m < s->close[k];
             m = s->close[m] >= 0 ? s->close[m] + 1 : m + 1)
            if (f->code[m].code == KIR_ELSE) s->other[k] = m;
    }
}

/* Allocates all tables in one block. */
static void *alloc_tables(analysis *s, size_t n) {
    char *block = mem_zero(n * (2 * sizeof(interval) + sizeof(int64_t) + 6 * sizeof(uint32_t) + 1)),
         *at = block;
    if (!block) return NULL;
    s->leaf = (interval *)(void *)at, at += n * sizeof(interval);
    s->value = (interval *)(void *)at, at += n * sizeof(interval);
    s->trips = (int64_t *)(void *)at, at += n * sizeof(int64_t);
    s->close = (int32_t *)(void *)at, at += n * sizeof(int32_t);
    s->other = (int32_t *)(void *)at, at += n * sizeof(int32_t);
    s->sets = (uint32_t *)(void *)at, at += n * sizeof(uint32_t);
    s->of_var = (uint32_t *)(void *)at, at += n * sizeof(uint32_t);
    s->when = (uint32_t *)(void *)at, at += n * sizeof(uint32_t);
    s->var = (int32_t *)(void *)at, at += n * sizeof(int32_t);
    s->recorded = (bool *)at;
    return block;
}

static bounds *new_bounds(const kir_func *f) {
    bounds *x = mem_zero(sizeof *x);
    if (x && (x->marks = mem_new(f->n_code + 1))) {
        x->n_code = f->n_code;
        return x;
    }
    mem_free(x);
    return NULL;
}

/* Analyzes a launch; false: out of memory or steps. */
static bool analyze(bounds *x, const kir_func *f, const gpa_launch *l) {
    analysis s = {.f = f, .l = l, .x = x, .now = 1, .steps = MAX_STEPS};
    void *block = alloc_tables(&s, f->n_code);
    if (!block) return false;
    for (size_t k = 0; k < f->n_code; k++)
        x->marks[k] = f->code[k].code == KIR_BOUND ? KIR_IN_BOUNDS : 0;
    find_vars(&s);
    find_regions(&s);
    walk(&s, 0, (int32_t)f->n_code);
    work_within(&s, 0, (int32_t)f->n_code);
    mem_free(block);
    return s.steps > 0 && !s.out_of_memory;
}

bounds_result bounds_analyze(bounds **at, const kir_func *f, const gpa_launch *l) {
    bounds *x = *at;
    if (f->n_code > MAX_CODE || (!x && !(x = *at = new_bounds(f)))) return BOUNDS_UNKNOWN;
    if (x->valid && same_facts(x, f, l)) return BOUNDS_SAME;
    memcpy(x->grid, l->grid, sizeof x->grid);
    memcpy(x->block, l->block, sizeof x->block);
    x->n_facts = x->n_marks = 0;
    x->valid = analyze(x, f, l);
    for (size_t k = 0; k < f->n_code && x->valid; k++) x->n_marks += x->marks[k] != 0;
    return x->valid ? BOUNDS_NEW : BOUNDS_UNKNOWN;
}

void bounds_free(bounds *x) {
    if (!x) return;
    mem_free(x->facts);
    mem_free(x->marks);
    mem_free(x);
}

const uint8_t *bounds_marks(const bounds *x, size_t *n) {
    *n = x->n_marks;
    return x->marks;
}
