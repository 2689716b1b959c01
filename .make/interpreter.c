/* interpreter COMPUTE_CAPABILITY FILE: compiles the interpreter of the CUDA device
 * (runtime/cuda/emit/interpret.h) for GPUs from that capability on, 90 for 9.0, with the NVRTC of
 * this machine; with no such compiler the file is empty. `interpreter` alone prints the source. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/base.h"
#include "runtime/cuda/build/interpreter.h"

static int compile(const char *source, int capability, const char *path) {
    cu_target target = {.major = capability / 10, .minor = capability % 10, .cubin = true};
    char heading[96] = "", why[160] = "", *built = NULL;
    size_t n = 0;
    gpa_err e = {0};
    bool there = api_nvrtc(why, sizeof why);
    if (there && compile_fresh(source, target, EFFORT_QUICK, &built, &n, &e)) {
        fprintf(stderr, "interpreter: %s\n", e.msg);
        return 1;
    }
    if (there)
        interpreter_heading(heading, api_nvrtc_version(), target);
    else
        printf("  left out: the interpreter: %s\n", why);
    FILE *out = fopen(path, "wb");
    bool good = out && fwrite(heading, 1, strlen(heading), out) == strlen(heading) &&
                fwrite(built ? built : "", 1, n, out) == n;
    if (out && fclose(out)) good = false;
    mem_free(built);
    if (!good) perror(path);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    gpa_str source;
    gpa_err e = {0};
    str_init(&source);
    int rc = interpret_text(&source, &e) ? 1 : 0;
    if (rc)
        fprintf(stderr, "interpreter: %s\n", e.msg);
    else if (argc == 3)
        rc = compile(source.text, atoi(argv[1]), argv[2]);
    else
        fputs(source.text, stdout);
    str_free(&source);
    return rc;
}
