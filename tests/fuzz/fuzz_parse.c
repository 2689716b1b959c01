/* Fuzz target: lexer, parser and error reports. For any bytes no memory leaks, the location of an
 * error is inside the text, and parse_check does not reject a text that parses. */
#define FUZZ_MOST 20000
#include "tests/fuzz/drive.h"

#include "lang/syntax/parse.h"
#include "runtime/base/base.h"

static void must(int condition) {
    if (!condition) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const parse_options options = {.magics = size % 2 == 1};
    int64_t before = mem_alive();
    sources *texts = sources_new();
    intern *names = intern_new();
    ast_module *module = NULL;
    gpa_err e = {0};
    gpa_str drawn;
    uint32_t id, indent = 0;
    str_init(&drawn);
    must(texts && names);
    must(!source_add(texts, &(source_text){SOURCE_CELL, "In [1]", (const char *)data, size}, &id,
                     &e));
    gpa_code rc = parse_module(source_get(texts, id), names, &options, &module, &e);
    parse_status status = parse_check((const char *)data, size, &options, &indent);
    if (rc) {
        must(e.code == rc && e.msg[0] && e.span.lo <= e.span.hi && e.span.hi <= size);
        source_render(texts, &e, "<module>", &drawn);
        must(!drawn.failed && drawn.len > 0);
    } else {
        must(status != PARSE_INVALID);
        ast_release(module);
    }
    str_free(&drawn);
    intern_free(names);
    sources_free(texts);
    must(mem_alive() == before);
    return 0;
}
