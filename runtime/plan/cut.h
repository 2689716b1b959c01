/* Cut reasons (fusion barriers): why a step ends where it does, or why pending work is launched. */
#ifndef GPA_PLAN_CUT_H
#define GPA_PLAN_CUT_H

typedef enum {
#define CUT(id, name, text) CUT_##id,
#include "runtime/plan/cut.def"
#undef CUT
    CUT_ROWS
} gpa_cut;
extern const char *const cut_names[CUT_ROWS], *const cut_texts[CUT_ROWS];

#endif
