/* The module random: the Mersenne Twister (MT19937) and the distributions, drawing in CPython's
 * order, so that a seed gives CPython's numbers. The state is an object in the module, created on
 * first use. */
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "lang/object/big.h"
#include "lang/builtin/all.h"
#include "lang/object/container.h"
#include "lang/vm/machine.h"
#include "lang/object/number.h"

enum { WORDS = 624, SHIFT = 397 };

typedef struct {
    uint32_t word[WORDS];
    int at;
    bool has_gauss;
    double gauss;
} twister;

/* ---- the generator ---- */

static void twister_begin(twister *t, uint32_t s) {
    t->word[0] = s;
    for (uint32_t i = 1; i < WORDS; i++)
        t->word[i] = 1812433253u * (t->word[i - 1] ^ (t->word[i - 1] >> 30)) + i;
    t->at = WORDS;
}

static void twister_seed(twister *t, const uint32_t *key, uint32_t n) {
    twister_begin(t, 19650218u);
    uint32_t i = 1, j = 0, *w = t->word;
    for (uint32_t k = MAX((uint32_t)WORDS, n); k > 0; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1664525u)) + key[j] + j;
        if (++i >= WORDS) w[0] = w[WORDS - 1], i = 1;
        if (++j >= n) j = 0;
    }
    for (uint32_t k = WORDS - 1; k > 0; k--) {
        w[i] = (w[i] ^ ((w[i - 1] ^ (w[i - 1] >> 30)) * 1566083941u)) - i;
        if (++i >= WORDS) w[0] = w[WORDS - 1], i = 1;
    }
    w[0] = 0x80000000u;
    t->has_gauss = false;
}

static uint32_t next_word(twister *t) {
    if (t->at >= WORDS) {
        uint32_t *w = t->word;
        for (int k = 0; k < WORDS; k++) {
            uint32_t y = (w[k] & 0x80000000u) | (w[(k + 1) % WORDS] & 0x7fffffffu);
            w[k] = w[(k + SHIFT) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        t->at = 0;
    }
    uint32_t y = t->word[t->at++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

static double next_float(twister *t) {
    uint32_t a = next_word(t) >> 5, b = next_word(t) >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
}

static uint64_t next_bits(twister *t, int k) {
    if (k <= 0) return 0;
    if (k <= 32) return next_word(t) >> (32 - k);
    uint64_t low = next_word(t);
    return low | (uint64_t)(next_word(t) >> (64 - k)) << 32;
}

/* Uniform integer in [0, n), by rejection. */
static uint64_t uniform_below(twister *t, uint64_t n) {
    if (n == 0) return 0;
    int k = 64 - __builtin_clzll(n);
    uint64_t r = next_bits(t, k);
    while (r >= n) r = next_bits(t, k);
    return r;
}

/* ---- the state ---- */

static void state_free(gpa_vm *vm, object_obj *o) {
    (void)vm;
    mem_free(o->data);
}

static const object_kind random_kind = {.type_name = "random.Random", .free = state_free};

static void seed_by_number(twister *t, uint64_t n) {
    uint32_t key[2] = {(uint32_t)n, (uint32_t)(n >> 32)};
    twister_seed(t, key, key[1] ? 2 : 1);
}

static void seed_by_time(twister *t) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint32_t key[4] = {(uint32_t)now.tv_nsec, (uint32_t)now.tv_sec, (uint32_t)getpid(),
                       (uint32_t)(uintptr_t)t};
    twister_seed(t, key, 4);
}

/* The generator of the session, created on first use. */
static gpa_code state_of(gpa_vm *vm, twister **out) {
    if (vm->random.tag == V_OBJECT) {
        *out = vm->random.object->data;
        return GPA_OK;
    }
    value v = v_object(vm, &random_kind, 0);
    if (v.tag == V_UNSET) return GPA_E_MEMORY;
    v.object->data = *out = mem_new(sizeof(twister));
    if (!*out) {
        value_release(vm, v);
        return vm_no_memory(vm);
    }
    seed_by_time(*out);
    vm->random = v;
    return GPA_OK;
}

gpa_code random_seed(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    twister *t;
    value v = argv[0];
    gpa_code rc = state_of(vm, &t);
    if (rc) return rc;
    if (v.tag == V_NONE)
        seed_by_time(t);
    else if (v.tag == V_INT || v.tag == V_BOOL)
        seed_by_number(t, v.i < 0 ? 0 - (uint64_t)v.i : (uint64_t)v.i);
    else if (v.tag == V_BIG || v.tag == V_FLOAT || v.tag == V_STR || v.tag == V_BYTES) {
        uint64_t h;
        if ((rc = value_hash(vm, v, &h))) return rc;
        seed_by_number(t, h);
    } else
        return vm_fail(
            vm, GPA_E_TYPE,
            "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.");
    module_obj *arrays = vm_loaded_peek(
        vm, "numpy.random"); /* compiled loops restart their series, too (lang/typed/sampling.c) */
    return arrays ? module_set_text(vm, arrays, "_own_lanes", v_none()) : GPA_OK;
}

/* ---- floats ---- */

static gpa_code arg_two_floats(gpa_vm *vm, value *argv, double *a, double *b, twister **t) {
    gpa_code rc = arg_float(vm, argv[0], "a", a);
    if (!rc) rc = arg_float(vm, argv[1], "b", b);
    return rc ? rc : state_of(vm, t);
}

gpa_code random_random(gpa_vm *vm, value *argv, value *out) {
    (void)argv;
    twister *t;
    gpa_code rc = state_of(vm, &t);
    if (!rc) *out = v_float(next_float(t));
    return rc;
}

gpa_code random_uniform(gpa_vm *vm, value *argv, value *out) {
    twister *t;
    double a, b;
    gpa_code rc = arg_two_floats(vm, argv, &a, &b, &t);
    if (!rc) *out = v_float(a + (b - a) * next_float(t));
    return rc;
}

gpa_code random_triangular(gpa_vm *vm, value *argv, value *out) {
    twister *t;
    double low, high, mode = 0;
    gpa_code rc = arg_two_floats(vm, argv, &low, &high, &t);
    if (!rc && argv[2].tag != V_NONE) rc = arg_float(vm, argv[2], "mode", &mode);
    if (rc) return rc;
    double u = next_float(t), c = argv[2].tag == V_NONE ? 0.5 : (mode - low) / (high - low);
    if (high == low) {
        *out = v_float(low);
        return GPA_OK;
    }
    if (u > c) {
        u = 1.0 - u;
        c = 1.0 - c;
        double swap = low;
        low = high;
        high = swap;
    }
    *out = v_float(low + (high - low) * sqrt(u * c));
    return GPA_OK;
}

gpa_code random_gauss(gpa_vm *vm, value *argv, value *out) {
    twister *t;
    double mu, sigma, z;
    gpa_code rc = arg_two_floats(vm, argv, &mu, &sigma, &t);
    if (rc) return rc;
    if (t->has_gauss)
        z = t->gauss;
    else {
        double angle = next_float(t) * (2.0 * M_PI), length = sqrt(-2.0 * log(1.0 - next_float(t)));
        z = cos(angle) * length;
        t->gauss = sin(angle) * length;
    }
    t->has_gauss = !t->has_gauss;
    *out = v_float(mu + z * sigma);
    return GPA_OK;
}

static double normal(twister *t, double mu, double sigma) {
    const double magic = 4 * exp(-0.5) / sqrt(2.0);
    for (;;) {
        double u = next_float(t), v = 1.0 - next_float(t), z = magic * (u - 0.5) / v;
        if (z * z / 4.0 <= -log(v)) return mu + z * sigma;
    }
}

gpa_code random_normalvariate(gpa_vm *vm, value *argv, value *out) {
    twister *t;
    double mu, sigma;
    gpa_code rc = arg_two_floats(vm, argv, &mu, &sigma, &t);
    if (!rc) *out = v_float(normal(t, mu, sigma));
    return rc;
}

gpa_code random_lognormvariate(gpa_vm *vm, value *argv, value *out) {
    gpa_code rc = random_normalvariate(vm, argv, out);
    if (!rc) *out = v_float(exp(out->f));
    return rc;
}

gpa_code random_expovariate(gpa_vm *vm, value *argv, value *out) {
    twister *t;
    double lambda;
    gpa_code rc = arg_float(vm, argv[0], "lambd", &lambda);
    if (!rc) rc = state_of(vm, &t);
    if (rc) return rc;
    double u = -log(1.0 - next_float(t));
    if (lambda == 0) return vm_fail(vm, GPA_E_ZERO_DIVISION, "float division by zero");
    *out = v_float(u / lambda);
    return GPA_OK;
}

/* ---- integers ---- */

gpa_code random_randrange(gpa_vm *vm, value *argv, value *out) {
    int64_t start, stop, step;
    twister *t;
    bool one = argv[1].tag == V_NONE;
    gpa_code rc = arg_int(vm, argv[0], "start", &start);
    stop = start;
    if (!rc && !one) rc = arg_int(vm, argv[1], "stop", &stop);
    if (!rc) rc = arg_int(vm, argv[2], "step", &step);
    if (!rc) rc = state_of(vm, &t);
    if (rc) return rc;
    if (one) start = 0;
    if (step == 0) return vm_fail(vm, GPA_E_VALUE, "zero step for randrange()");
    int64_t n = range_len(&(range_obj){.start = start, .stop = stop, .step = step});
    if (n > 0) {
        *out = v_int((int64_t)((uint64_t)start + (uint64_t)step * uniform_below(t, (uint64_t)n)));
        return GPA_OK;
    }
    if (one) return vm_fail(vm, GPA_E_VALUE, "empty range for randrange()");
    if (step == 1)
        return vm_fail(vm, GPA_E_VALUE, "empty range in randrange(%lld, %lld)", (long long)start,
                       (long long)stop);
    return vm_fail(vm, GPA_E_VALUE, "empty range in randrange(%lld, %lld, %lld)", (long long)start,
                   (long long)stop, (long long)step);
}

gpa_code random_randint(gpa_vm *vm, value *argv, value *out) {
    int64_t a, b;
    gpa_code rc = arg_int(vm, argv[0], "a", &a);
    if (!rc) rc = arg_int(vm, argv[1], "b", &b);
    if (!rc && b == INT64_MAX) rc = int_too_large(vm);
    return rc ? rc : random_randrange(vm, (value[]){v_int(a), v_int(b + 1), v_int(1)}, out);
}

gpa_code random_getrandbits(gpa_vm *vm, value *argv, value *out) {
    int64_t k;
    twister *t;
    gpa_code rc = arg_int(vm, argv[0], "k", &k);
    if (!rc) rc = state_of(vm, &t);
    if (rc) return rc;
    if (k < 0) return vm_fail(vm, GPA_E_VALUE, "number of bits must be non-negative");
    if (k > 64) return int_too_large(vm);
    return native_return(v_uint(vm, next_bits(t, (int)k)), out);
}

/* ---- items ---- */

gpa_code random_choice(gpa_vm *vm, value *argv, value *out) {
    int64_t n;
    twister *t;
    gpa_code rc = vm_len(vm, argv[0], &n);
    if (!rc) rc = state_of(vm, &t);
    if (rc) return rc;
    if (n == 0) return vm_fail(vm, GPA_E_INDEX, "Cannot choose from an empty sequence");
    return vm_getitem(vm, argv[0], v_int((int64_t)uniform_below(t, (uint64_t)n)), out);
}

gpa_code random_shuffle(gpa_vm *vm, value *argv, value *out) {
    (void)out;
    int64_t n;
    twister *t;
    gpa_code rc = vm_len(vm, argv[0], &n);
    if (!rc) rc = state_of(vm, &t);
    for (int64_t i = n - 1; i > 0 && !rc && !(rc = vm_poll(vm)); i--) {
        value a = v_none(), b = v_none(), at = v_int((int64_t)uniform_below(t, (uint64_t)i + 1));
        rc = vm_getitem(vm, argv[0], v_int(i), &a);
        if (!rc) rc = vm_getitem(vm, argv[0], at, &b);
        if (!rc) rc = vm_setitem(vm, argv[0], v_int(i), b);
        if (!rc) rc = vm_setitem(vm, argv[0], at, a);
        value_release(vm, a);
        value_release(vm, b);
    }
    return rc;
}

/* CPython's choice between a set of drawn indices and a copy of the pool, by memory use. */
static bool set_is_smaller(uint64_t n, uint64_t k) {
    double set_size = 21;
    if (k > 5) set_size += pow(4, ceil(log((double)k * 3) / log(4)));
    return (double)n > set_size;
}

/* k distinct integers in [0, n). */
static gpa_code draw_distinct(gpa_vm *vm, twister *t, uint64_t n, uint64_t k, uint64_t *to) {
    if (set_is_smaller(n, k)) {
        value seen = v_set(vm);
        gpa_code rc = seen.tag == V_UNSET ? GPA_E_MEMORY : GPA_OK;
        for (uint64_t i = 0; i < k && !rc; i++) {
            bool has;
            do {
                to[i] = uniform_below(t, n);
                rc = set_has(vm, seen.set, v_int((int64_t)to[i]), &has);
            } while (!rc && has);
            if (!rc) rc = set_add(vm, seen.set, v_int((int64_t)to[i]));
        }
        value_release(vm, seen);
        return rc;
    }
    uint64_t *pool = mem_new(n * sizeof *pool);
    if (!pool) return vm_no_memory(vm);
    for (uint64_t i = 0; i < n; i++) pool[i] = i;
    for (uint64_t i = 0; i < k; i++) {
        uint64_t j = uniform_below(t, n - i);
        to[i] = pool[j];
        pool[j] = pool[n - i - 1];
    }
    mem_free(pool);
    return GPA_OK;
}

gpa_code random_sample(gpa_vm *vm, value *argv, value *out) {
    int64_t k;
    twister *t;
    value items = v_none(), chosen = v_none();
    uint64_t *at = NULL;
    gpa_code rc = GPA_OK;
    if (argv[0].tag == V_SET || argv[0].tag == V_DICT || argv[0].tag == V_ITER)
        return vm_fail(vm, GPA_E_TYPE,
                       "Population must be a sequence.  For dicts or sets, use sorted(d).");
    TRY(arg_int(vm, argv[1], "k", &k));
    TRY(state_of(vm, &t));
    TRY(vm_collect(vm, argv[0], &items));
    if (k < 0 || (uint64_t)k > items.list->count)
        TRY(vm_fail(vm, GPA_E_VALUE, "Sample larger than population or is negative"));
    at = mem_new((size_t)k * sizeof *at);
    if (!at) TRY(vm_no_memory(vm));
    TRY(draw_distinct(vm, t, items.list->count, (uint64_t)k, at));
    chosen = v_list(vm, 0, NULL);
    if (chosen.tag == V_UNSET) TRY(GPA_E_MEMORY);
    for (int64_t i = 0; i < k; i++) TRY(list_append(vm, chosen.list, items.list->items[at[i]]));
    *out = value_retain(chosen);
out:
    mem_free(at);
    value_release(vm, chosen);
    value_release(vm, items);
    return rc;
}

/* Cumulative weights (owned: mem_free). */
static gpa_code cumulative_weights(gpa_vm *vm, value weights, bool running, size_t n,
                                   double **out) {
    value w = v_none();
    double total = 0;
    *out = NULL;
    gpa_code rc = vm_collect(vm, weights, &w);
    if (!rc && w.list->count != n)
        rc = vm_fail(vm, GPA_E_VALUE, "The number of weights does not match the population");
    if (!rc && !(*out = mem_new(n * sizeof **out))) rc = vm_no_memory(vm);
    for (size_t i = 0; i < n && !rc; i++) {
        double x = 0;
        rc = arg_float(vm, w.list->items[i], "weight", &x);
        total = running ? x : total + x;
        (*out)[i] = total;
    }
    value_release(vm, w);
    if (!rc && !(total > 0))
        return vm_fail(vm, GPA_E_VALUE, "Total of weights must be greater than zero");
    return rc;
}

gpa_code random_choices(gpa_vm *vm, value *argv, value *out) {
    int64_t k;
    twister *t;
    value items = v_none(), chosen = v_none();
    double *sums = NULL;
    gpa_code rc = GPA_OK;
    TRY(arg_int(vm, argv[3], "k", &k));
    TRY(state_of(vm, &t));
    TRY(vm_collect(vm, argv[0], &items));
    size_t n = items.list->count;
    if (argv[2].tag != V_NONE)
        TRY(cumulative_weights(vm, argv[2], true, n, &sums));
    else if (argv[1].tag != V_NONE)
        TRY(cumulative_weights(vm, argv[1], false, n, &sums));
    if (n == 0 && k > 0) TRY(vm_fail(vm, GPA_E_INDEX, "list index out of range"));
    chosen = v_list(vm, 0, NULL);
    if (chosen.tag == V_UNSET) TRY(GPA_E_MEMORY);
    for (int64_t i = 0; i < k; i++) {
        size_t at = 0;
        if (!sums)
            at = (size_t)floor(next_float(t) * (double)n);
        else
            for (double x = next_float(t) * sums[n - 1]; at + 1 < n && x >= sums[at];) at++;
        TRY(list_append(vm, chosen.list, items.list->items[at]));
    }
    *out = value_retain(chosen);
out:
    mem_free(sums);
    value_release(vm, chosen);
    value_release(vm, items);
    return rc;
}
