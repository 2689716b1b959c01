/* The lexer and the parser on any bytes: whether a text is a whole cell is answered, and nothing is lost. */
#include "tests/fuzz/drive.h"

#include "lang/session.h"
#include "runtime/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static gpa_session *s; /* one for all inputs: a check leaves nothing behind */
    gpa_err e = {0};
    int indent = 0;
    if (!s) {
        gpa_config c;
        gpa_config_init(&c);
        c.device = "ref";
        if (gpa_session_new(&c, &s, &e)) return 0;
    }
    int64_t before = mem_alive();
    gpa_src_state state = gpa_session_check(s, (const char *)data, size, &indent);
    if (mem_alive() != before || (state == GPA_SRC_INCOMPLETE && indent < 0)) __builtin_trap();
    return 0;
}
