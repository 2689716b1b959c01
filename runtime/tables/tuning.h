/* Tuning constants: the rows of tuning.def as C constants, TUNE_NAME each. */
#ifndef GPA_TABLES_TUNING_H
#define GPA_TABLES_TUNING_H

#include <stdint.h>

#define TUNE(name, value, unit, why, date) enum { TUNE_##name = value };
#define TUNE_L(name, value, unit, why, date) static const int64_t TUNE_##name = value;
#define TUNE_D(name, value, unit, why, date) static const double TUNE_##name = value;
#include "runtime/tables/tuning.def"

#endif
