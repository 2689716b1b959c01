/* Driver of a fuzz target without libFuzzer: mutates the files named on the command line, or the
 * test programs, from a fixed seed (FUZZ_SEED), for FUZZ_SECONDS. By default it runs FUZZ_MOST
 * inputs, which the target defines, in at most five seconds, so that a fast machine runs no other
 * inputs. The current input is stored in the file FUZZ_LAST; PROGRAM FILE runs FILE first,
 * unchanged. With libFuzzer (`make libfuzzer`) this file declares only the prototype. */
#ifndef GPA_TESTS_FUZZ_DRIVE_H
#define GPA_TESTS_FUZZ_DRIVE_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#ifndef GPA_LIBFUZZER

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { FUZZ_FILES = 256, FUZZ_LONGEST = 4096 };

static struct {
    uint8_t *text[FUZZ_FILES];
    size_t size[FUZZ_FILES], n;
    uint64_t seed;
} fuzz;

static size_t fuzz_below(size_t n) {
    fuzz.seed ^= fuzz.seed << 13;
    fuzz.seed ^= fuzz.seed >> 7;
    fuzz.seed ^= fuzz.seed << 17;
    return n ? (size_t)(fuzz.seed % n) : 0;
}

static void fuzz_load(const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t *text = malloc(1 << 20);
    if (!f || !text || fuzz.n == FUZZ_FILES) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    fuzz.size[fuzz.n] = fread(text, 1, 1 << 20, f);
    fuzz.text[fuzz.n++] = text;
    fclose(f);
}

/* Whole lines of one of the files, chosen at random. */
static size_t fuzz_lines(uint8_t *to, size_t room) {
    size_t k = fuzz_below(fuzz.n), size = fuzz.size[k];
    size_t lo = fuzz_below(size), hi = lo + fuzz_below(room);
    if (hi > size) hi = size;
    while (lo > 0 && fuzz.text[k][lo - 1] != '\n') lo--;
    while (hi > lo && fuzz.text[k][hi - 1] != '\n') hi--;
    if (hi - lo > room) hi = lo + room;
    memcpy(to, fuzz.text[k] + lo, hi - lo);
    return hi - lo;
}

static size_t fuzz_insert(uint8_t *s, size_t n, size_t at, const void *what, size_t size) {
    if (n + size > FUZZ_LONGEST) return n;
    memmove(s + at + size, s + at, n - at);
    memcpy(s + at, what, size);
    return n + size;
}

static size_t fuzz_mutate(uint8_t *s, size_t n) {
    static const char *const words[] = {
        "(",      ")",    "[",       "]",       "{",      "}",     ":",
        ",",      "=",    "==",      "**",      "//",     "\n",    "\n  ",
        "\\",     "'",    "\"",      "f\"",     "\"\"\"", "#",     "@",
        "->",     ":=",   "lambda ", "if ",     "else ",  "for ",  "in ",
        "while ", "try:", "def ",    "return ", "None",   "-1",    "0",
        "1e308",  "1j",   "np.",     ".T",      "[::-1]", "...",   "*",
        "not ",   "is ",  "yield ",  "class ",  "del ",   "with ", "9223372036854775807",
        "\t",     "\xff", "é",
    };
    uint8_t other[256];
    size_t at = fuzz_below(n + 1), len = fuzz_below(16);
    if (at + len > n) len = n - at;
    switch (fuzz_below(6)) {
        case 0: memmove(s + at, s + at + len, n - at - len); return n - len;
        case 1: memcpy(other, s + at, len); return fuzz_insert(s, n, fuzz_below(n + 1), other, len);
        case 2:
            if (at < n) s[at] ^= (uint8_t)(1u << fuzz_below(8));
            return n;
        case 3:
            if (at < n) s[at] = (uint8_t)(32 + fuzz_below(95));
            return n;
        case 4: len = fuzz_lines(other, sizeof other); return fuzz_insert(s, n, at, other, len);
        default: break;
    }
    const char *word = words[fuzz_below(sizeof words / sizeof *words)];
    return fuzz_insert(s, n, at, word, strlen(word));
}

static void fuzz_try(const uint8_t *s, size_t n) {
    const char *last = getenv("FUZZ_LAST");
    FILE *f = last ? fopen(last, "wb") : NULL;
    if (f) {
        fwrite(s, 1, n, f);
        fclose(f);
    }
    LLVMFuzzerTestOneInput(s, n);
}

int main(int argc, char **argv) {
#ifndef __SANITIZE_ADDRESS__ /* which reserves a large address space, and has its own limits */
    struct rlimit memory = {3ul << 30, 3ul << 30};
    setrlimit(RLIMIT_AS, &memory);
#endif
    uint8_t s[FUZZ_LONGEST];
    const char *seconds = getenv("FUZZ_SECONDS"), *seed = getenv("FUZZ_SEED");
    time_t end = time(NULL) + (seconds ? atol(seconds) : 5);
    long tried = 0, most = seconds ? LONG_MAX : FUZZ_MOST;
    fuzz.seed = 0x9e3779b97f4a7c15u ^ (seed ? strtoull(seed, NULL, 0) : 0);
    for (int i = 1; i < argc; i++) fuzz_load(argv[i]);
    if (fuzz.n == 1) fuzz_try(fuzz.text[0], fuzz.size[0]);
    while (fuzz.n && tried < most && time(NULL) < end) {
        size_t n = fuzz_lines(s, 1 + fuzz_below(600));
        for (size_t m = fuzz_below(8); m > 0; m--) n = fuzz_mutate(s, n);
        fuzz_try(s, n);
        tried++;
    }
    printf("ok - %ld inputs\n", tried);
    for (size_t i = 0; i < fuzz.n; i++) free(fuzz.text[i]);
    return 0;
}

#endif
#endif
