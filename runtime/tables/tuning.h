/* Tuning constants: the rows of tuning.def as C constants, TUNE_NAME each. A build for measurements
 * (MODE=tuning) has variables instead of those that C does not need at compile time
 * (tests/bench/tuning.c). */
#ifndef GPA_TABLES_TUNING_H
#define GPA_TABLES_TUNING_H

#include <stdint.h>

#define TUNE_C(name, value, unit, why, date) enum { TUNE_##name = value };
#define LIMIT(name, value, unit, why) enum { TUNE_##name = value };
#define LIMIT_L(name, value, unit, why) static const int64_t TUNE_##name = value;
#define LIMIT_D(name, value, unit, why) static const double TUNE_##name = value;
#ifdef GPA_TUNING
#define TUNE(name, value, unit, why, date) extern int TUNE_##name;
#define TUNE_L(name, value, unit, why, date) extern int64_t TUNE_##name;
#define TUNE_D(name, value, unit, why, date) extern double TUNE_##name;
#else
#define TUNE(name, value, unit, why, date) enum { TUNE_##name = value };
#define TUNE_L(name, value, unit, why, date) static const int64_t TUNE_##name = value;
#define TUNE_D(name, value, unit, why, date) static const double TUNE_##name = value;
#endif
#include "runtime/tables/tuning.def"

#endif
