/* Names and texts of the cut reasons. */
#include "runtime/plan/cut.h"

const char *const cut_names[CUT_ROWS] = {
#define CUT(id, name, text) name,
#include "runtime/plan/cut.def"
#undef CUT
};
const char *const cut_texts[CUT_ROWS] = {
#define CUT(id, name, text) text,
#include "runtime/plan/cut.def"
#undef CUT
};
