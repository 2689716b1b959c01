/* Fuzz target: the session's services for editing (highlighting, completeness, completion,
 * inspection). For any text, highlighted ranges are inside the text and ascend, completions replace
 * a range of the text, and highlighting leaks no memory. */
#define FUZZ_MOST 3000
#include "tests/fuzz/drive.h"

#include "lang/session.h"
#include "runtime/base/base.h"

typedef struct {
    size_t size, done;
} extent;

static void see_part(void *user, size_t lo, size_t hi, gpa_style style) {
    extent *x = user;
    if (lo < x->done || hi <= lo || hi > x->size || style >= GPA_STYLE_COUNT) __builtin_trap();
    x->done = hi;
}

static void see_completion(void *user, const gpa_completion *c) {
    const extent *x = user;
    if (c->start > c->end || c->end > x->size || !c->text) __builtin_trap();
}

static void see_about(void *user, const gpa_about *a) { *(const char **)user = a->name; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gpa_session *s;
    const char *text = (const char *)data, *name = NULL;
    extent x = {size, 0};
    int indent;
    if (!s) {
        static const char names[] =
            "import math\nv = np.ones((2, 3))\ndef f(a, *b, c=1, **d):\n    'doc'\nd = {'key': [1, "
            "2]}\n";
        gpa_config c;
        gpa_err e = {0};
        gpa_config_init(&c);
        c.device = "ref";
        if (gpa_session_new(&c, &s, &e)) __builtin_trap();
        gpa_session_eval(s, NULL, names, sizeof names - 1, 0, NULL);
    }
    int64_t before = mem_alive();
    gpa_session_highlight(s, text, size, see_part, &x);
    if (mem_alive() != before) __builtin_trap();
    gpa_session_check(s, text, size, &indent);
    for (int i = 0; i < 4; i++) {
        size_t cursor = size - size * (size_t)i / 4;
        gpa_session_complete(s, text, size, cursor, see_completion, &x);
        gpa_session_about(s, &(gpa_inspection){text, size, cursor, i & 1}, see_about, &name);
    }
    return 0;
}
