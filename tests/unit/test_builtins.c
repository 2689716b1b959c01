/* Built-in functions, methods and containers on the VM: hash tables against a model, deep
 * recursion, failing allocations. */
#include "tests/unit/unit.h"

#include "lang/vm/native_table.h"
#include "lang/object/container.h"
#include "lang/syntax/parse.h"
#include "lang/vm/vm.h"

typedef struct {
    sources *texts;
    intern *names;
    gpa_rt *rt;
    gpa_vm *vm;
    gpa_err err;
} machine;

static void open_machine(machine *m) {
    *m = (machine){.texts = sources_new(), .names = intern_new()};
    assert_int_equal(rt_new(&(rt_config){.device = "ref"}, &m->rt, &m->err), GPA_OK);
    assert_int_equal(
        vm_new(&(vm_config){.rt = m->rt, .names = m->names, .sources = m->texts}, &m->vm, &m->err),
        GPA_OK);
}

static void close_machine(machine *m) {
    vm_free(m->vm);
    rt_free(m->rt);
    intern_free(m->names);
    sources_free(m->texts);
}

static gpa_code eval(machine *m, const char *text) {
    parse_options o = {.magics = false};
    ast_module *ast = NULL;
    uint32_t id;
    value last = v_unset();
    gpa_code rc = source_add(m->texts, &(source_text){SOURCE_CELL, "In [1]", text, strlen(text)},
                             &id, &m->err);
    if (!rc) rc = parse_module(source_get(m->texts, id), m->names, &o, &ast, &m->err);
    if (!rc) rc = vm_eval(m->vm, ast, NULL, &last);
    value_release(m->vm, last);
    ast_release(ast);
    return rc;
}

/* A dict against an array with the expected value of each key. */
static void dicts_keep_what_is_put_in(void **state) {
    (void)state;
    machine m;
    open_machine(&m);
    enum { KEYS = 200 };
    int64_t model[KEYS];
    uint64_t seed = 7;
    size_t count = 0;
    value d = v_dict(m.vm);
    for (int i = 0; i < KEYS; i++) model[i] = -1;
    for (int step = 0; step < 20000; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t key = (int64_t)(seed >> 33) % KEYS;
        value v;
        bool found;
        if (seed >> 62) {
            count += model[key] < 0;
            model[key] = step;
            assert_int_equal(dict_set(m.vm, d.dict, v_int(key * 1024), v_int(step)), GPA_OK);
        } else {
            assert_int_equal(dict_remove(m.vm, d.dict, v_float((double)key * 1024), &found),
                             GPA_OK);
            assert_int_equal(found, model[key] >= 0);
            count -= found;
            model[key] = -1;
        }
        assert_int_equal(d.dict->count, count);
        assert_int_equal(dict_get_peek(m.vm, d.dict, v_int(key * 1024), &v), GPA_OK);
        assert_int_equal(v.tag == V_UNSET ? -1 : v.i, model[key]);
    }
    size_t at = 0, seen = 0;
    for (const dict_entry *e; (e = dict_next(d.dict, &at)); seen++)
        assert_int_equal(model[e->key.i / 1024], e->v.i);
    assert_int_equal(seen, count);
    value_release(m.vm, d);
    close_machine(&m);
}

/* A chain of a million tuples is freed without a million frames. */
static void deep_values_die(void **state) {
    (void)state;
    machine m;
    open_machine(&m);
    value chain = v_none();
    for (int i = 0; i < 1000000; i++) {
        value next = v_tuple(m.vm, 1, &chain);
        value_release(m.vm, chain);
        chain = next;
    }
    value_release(m.vm, chain);
    close_machine(&m);
}

/* Rows of an owner are consecutive, names are unique, and each row is found by name. */
static void tables_are_in_order(void **state) {
    (void)state;
    for (int o = 0; o < OWNER_COUNT; o++) {
        size_t n, m;
        const native *rows = native_rows((native_owner)o, &n);
        const native_const *consts = native_consts((native_owner)o, &m);
        assert_int_equal(owner_find(owner_name((native_owner)o)), o);
        for (size_t i = 0; i < n; i++) {
            if (native_find((native_owner)o, rows[i].name) != &rows[i])
                fail_msg("%s.%s stands twice", rows[i].owner, rows[i].name);
            for (size_t k = 0; k < m; k++)
                if (strcmp(consts[k].name, rows[i].name) == 0)
                    fail_msg("%s.%s is a constant too", rows[i].owner, rows[i].name);
        }
        for (const native *r = rows + n; r->owner; r++)
            if (r->owner == rows->owner && n) fail_msg("%s.%s stands apart", r->owner, r->name);
    }
}

static const char program[] =
    "import math, random, itertools, functools, os\n"
    "a = [3, 1, 2]; a.sort(key=lambda x: -x); a.extend('xy'); b = sorted('hello'); s = {1, 2} | "
    "set([5.0]); s.discard(9)\n"
    "d = dict(a=1); d.update({'b': [2]}); d.setdefault('c', {}); e = list(d.items()); f = {**d}; "
    "d.pop('a'); d.popitem()\n"
    "t = 'a,b , c'.split(','); u = '-'.join(t).upper().center(20, '*').replace('A', 'bb').title(); "
    "v = u.encode().decode()\n"
    "w = '{:>{n}} {!r} {x[0]}'.format(1, 'q', n=5, x=[7]); w += '%5.2f %s %(k)s' % {'k': 1} if "
    "False else '%5.2f|%s' % (1.5, t)\n"
    "x = f'{3.14159:10.3f}{1234567:,}{a!r:>30}'; y = repr([d, s, (1,), 1.5, 2j, b'z', range(3), "
    "print, int, ValueError('e')])\n"
    "z = list(zip(a, map(str, range(9)), enumerate('abc'))); z += list(reversed(z)); "
    "z.append(max(a[0:3], key=lambda q: -q))\n"
    "p = [list(itertools.product('ab', repeat=2)), list(itertools.permutations(range(3))), "
    "list(itertools.combinations('abcd', 2))]\n"
    "p += [list(itertools.accumulate([1, 2])), [(k, list(g)) for k, g in "
    "itertools.groupby('aab')], list(itertools.chain([1], 'a'))]\n"
    "q = functools.reduce(lambda m, n: m + n, [1, 2]) + functools.partial(pow, 2)(3) + "
    "math.fsum([0.1] * 5) + math.hypot(1, 2, 3)\n"
    "random.seed(1); r = random.sample(range(50), 5) + random.choices('ab', k=2); "
    "random.shuffle(r)\n"
    "g = functools.cache(lambda n: n if n < 2 else g(n - 1) + g(n - 2)); h = g(20); "
    "os.path.join('a', 'b'); os.path.splitext('a.b')\n"
    "try:\n    open('/nope/nothing')\nexcept OSError as err:\n    text = str(err) + repr(err)\n";

static void memory_may_fail_anywhere(void **state) {
    (void)state;
    for (uint64_t n = 1;; n++) {
        machine m;
        open_machine(&m);
        mem_fail_at(n);
        gpa_code rc = eval(&m, program);
        mem_fail_at(0);
        if (rc && rc != GPA_E_MEMORY)
            print_error("allocation %d: %s: %s\n", (int)n, gpa_err_name(rc), vm_err(m.vm)->msg);
        close_machine(&m);
        if (!rc) break;
        assert_int_equal(rc, GPA_E_MEMORY);
    }
}

UNIT_TESTS(TEST(dicts_keep_what_is_put_in), TEST(deep_values_die), TEST(tables_are_in_order),
           TEST(memory_may_fail_anywhere))
