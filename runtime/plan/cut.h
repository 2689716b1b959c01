/* Cut reasons (fusion barriers): why a step ends where it does, or why pending work is launched. */
#ifndef GPA_PLAN_CUT_H
#define GPA_PLAN_CUT_H

/* CUT(ID, name, text): the name that %explain prints, and what it means. */
#define GPA_CUTS(CUT)                                                        \
    CUT(NEEDED, "needed", "the value was asked for")                         \
    CUT(READERS, "readers", "several readers use it at different indices")   \
    CUT(AGAIN, "again", "many points would recompute its elements")          \
    CUT(FAR, "far", "it indexes a large array")                              \
    CUT(PHASE, "phase", "a long reduction must finish first")                \
    CUT(SERIAL, "serial", "a scan runs serially and would not vectorize it") \
    CUT(SHAPE, "shape", "another iteration space")                           \
    CUT(HEIGHT, "height", "the expression is too high")                      \
    CUT(NODES, "nodes", "the program has too many operations")               \
    CUT(PARAMS, "parameters", "the program has too many parameters")         \
    CUT(ARRAYS, "arrays", "the program reads and writes too many arrays")    \
    CUT(MEMORY, "memory", "pending work keeps too much memory alive")        \
    CUT(DEVICE, "device", "the device cannot do it in one program")          \
    CUT(LIBRARY, "library", "a library call reads it")                       \
    CUT(STORE, "store", "an array was assigned to")                          \
    CUT(LOOP, "loop", "the end of a loop iteration")                         \
    CUT(UNREAD, "unread", "the bounds check of an unused gather")            \
    CUT(MOVE, "move", "the current device changed")                          \
    CUT(USER, "user", "the end of a cell")
typedef enum {
#define CUT(id, name, text) CUT_##id,
    GPA_CUTS(CUT)
#undef CUT
        CUT_ROWS
} gpa_cut;
extern const char *const cut_names[CUT_ROWS], *const cut_texts[CUT_ROWS];

#endif
