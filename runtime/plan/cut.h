/* Cut reasons: why fusion ends a step, or why pending work is computed now. */
#ifndef GPA_PLAN_CUT_H
#define GPA_PLAN_CUT_H

/* CUT(ID, name, text): name and text are what %explain prints. */
#define GPA_CUTS(CUT)                                                       \
    CUT(NEEDED, "needed", "the value was asked for")                        \
    CUT(READERS, "readers", "several readers use it at different places")   \
    CUT(AGAIN, "again", "many points share its elements")                   \
    CUT(FAR, "far", "elements of a large array are found by it")            \
    CUT(PHASE, "phase", "a long reduction must finish first")               \
    CUT(SERIAL, "serial", "a running sum takes its elements one by one")    \
    CUT(SHAPE, "shape", "another iteration space")                          \
    CUT(HEIGHT, "height", "the expression is too high")                     \
    CUT(NODES, "nodes", "the program has too many operations")              \
    CUT(PARAMS, "parameters", "the program has too many parameters")        \
    CUT(ARRAYS, "arrays", "the program reads and writes too many arrays")   \
    CUT(MEMORY, "memory", "pending work keeps too much memory alive")       \
    CUT(DEVICE, "device", "the device cannot do it in one program")         \
    CUT(LIBRARY, "library", "a library call reads it")                      \
    CUT(STORE, "store", "an array was assigned to")                         \
    CUT(LOOP, "loop", "the end of a loop's trip")                           \
    CUT(UNREAD, "unread", "a value that nobody reads may have a bad index") \
    CUT(MOVE, "move", "another device became the current one")              \
    CUT(USER, "user", "the end of a cell")
typedef enum {
#define CUT(id, name, text) CUT_##id,
    GPA_CUTS(CUT)
#undef CUT
        CUT_ROWS
} gpa_cut;
extern const char *const cut_names[CUT_ROWS], *const cut_texts[CUT_ROWS];

#endif
