/* Tuning constants as variables, for measurements (MODE=tuning): GPA_TUNING=NAME=VALUE,... sets
 * those of rows TUNE, TUNE_L and TUNE_D before main; each executable and plugin has its own. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TUNE(name, value, unit, why, date) int TUNE_##name = value;
#define TUNE_L(name, value, unit, why, date) int64_t TUNE_##name = value;
#define TUNE_D(name, value, unit, why, date) double TUNE_##name = value;
#define TUNE_C(name, value, unit, why, date)
#define LIMIT(name, value, unit, why)
#define LIMIT_L(name, value, unit, why)
#define LIMIT_D(name, value, unit, why)
#include "runtime/tables/tuning.def"

/* ---- setting them ---- */

typedef struct {
    const char *name;
    void *variable;
    enum { INT, INT64, DOUBLE } type;
} constant;

#define TUNE(name, value, unit, why, date) {#name, &TUNE_##name, INT},
#define TUNE_L(name, value, unit, why, date) {#name, &TUNE_##name, INT64},
#define TUNE_D(name, value, unit, why, date) {#name, &TUNE_##name, DOUBLE},
#define TUNE_C(name, value, unit, why, date)
#define LIMIT(name, value, unit, why)
#define LIMIT_L(name, value, unit, why)
#define LIMIT_D(name, value, unit, why)
static const constant constants[] = {
#include "runtime/tables/tuning.def"
};

/* Sets the constant of `text`, NAME=VALUE. Ends the process if there is none or the value is not a
 * number. */
static void set(char *text) {
    char *value = strchr(text, '='), *end = value;
    size_t i = 0, n = sizeof constants / sizeof *constants;
    if (value) *value++ = 0;
    while (i < n && strcmp(constants[i].name, text) != 0) i++;
    const double number = value ? strtod(value, &end) : 0;
    if (i == n || !value || end == value || *end) {
        fprintf(stderr, "GPA_TUNING: %s is no constant of this build, or has no value\n", text);
        exit(2);
    }
    if (constants[i].type == INT)
        *(int *)constants[i].variable = (int)number;
    else if (constants[i].type == INT64)
        *(int64_t *)constants[i].variable = (int64_t)number;
    else
        *(double *)constants[i].variable = number;
}

__attribute__((constructor)) static void set_all(void) {
    const char *all = getenv("GPA_TUNING");
    char *own = all ? strdup(all) : NULL, *next = own;
    for (char *text; own && (text = strsep(&next, ","));)
        if (*text) set(text);
    free(own);
}
