/* The debugger of a session as adapters of editors and notebooks see it (kernel/adapter.h).
 *
 * All functions are called on the evaluating thread: between evaluations, from gpa_host.visit, or
 * from `stopped`. Lines and columns count from 1. Numbers of members (`ref`) are valid until
 * execution continues or the next cell begins. Texts are borrowed for the call. */
#ifndef GPA_DEBUGGER_H
#define GPA_DEBUGGER_H

#include "lang/session.h"

/* ---- attaching ---- */

/* Why execution stopped. */
typedef enum {
    GPA_STOP_CALL, /* of breakpoint() */
    GPA_STOP_BREAKPOINT,
    GPA_STOP_STEP,
    GPA_STOP_PAUSE,
    GPA_STOP_ERROR
} gpa_stop_reason;
typedef struct {
    gpa_stop_reason why;
    const char *error, *text; /* of an error: its type and message; else "" */
    size_t n_frames;
} gpa_stop;

/* A text that was evaluated or imported: a cell, or a file under the name with which it was
 * opened. */
typedef struct {
    unsigned id;
    bool cell;
    const char *name, *text;
    size_t n;
} gpa_source;

typedef struct {
    void *user;
    /* A source is about to run for the first time: its breakpoints may be set. */
    void (*source)(void *user, const gpa_source *s);
    /* Execution has stopped. Returns when it is to continue, in the way of the last
     * gpa_debug_resume; a failure ends the evaluation with KeyboardInterrupt. */
    gpa_code (*stopped)(void *user, const gpa_stop *stop);
} gpa_debugger;
/* From now on stops reach this debugger, not the prompt's. NULL: detaches, and removes all
 * breakpoints. */
void gpa_debug_attach(gpa_session *s, const gpa_debugger *d);

/* ---- stops ---- */

void gpa_debug_sources(gpa_session *s, void (*each)(void *user, const gpa_source *source),
                       void *user);
/* Sets or removes the breakpoint of a line of a source. */
void gpa_debug_break(gpa_session *s, unsigned src, int line, bool set);
/* Calls `each` with every line of a program at which execution can stop, and with those (`stops`
 * false) of kernels and ufuncs, which run compiled; in no order; a line may come more than once.
 * GPA_E_SYNTAX, without a report. */
gpa_code gpa_debug_lines(gpa_session *s, const char *text, size_t n,
                         void (*each)(void *user, int line, bool stops), void *user);
typedef enum { GPA_ERRORS_NONE, GPA_ERRORS_UNCAUGHT, GPA_ERRORS_RAISED } gpa_debug_errors;
/* Which errors stop execution where they are raised. */
void gpa_debug_stop_on_errors(gpa_session *s, gpa_debug_errors which);
typedef enum { GPA_CONTINUE, GPA_NEXT, GPA_STEP_IN, GPA_STEP_OUT } gpa_resumption;
void gpa_debug_resume(gpa_session *s, gpa_resumption how);
/* Stops before the next line of the program. */
void gpa_debug_pause(gpa_session *s);

/* ---- inspection ---- (frames count from 0, the innermost one; -1: the session's variables) */

typedef struct {
    const char *function; /* "<module>", "f" */
    gpa_source source;
    int line, column;
} gpa_debug_frame;
/* False: there is no such frame, or execution has not stopped. */
bool gpa_debug_frame_at(gpa_session *s, int frame, gpa_debug_frame *out);

/* A value: arrays that are still to be computed are only described ("pending float64 (3,)"). */
typedef struct {
    const char *name, *text, *type;
    const char *expression; /* evaluates to it in its frame; "": none */
    int ref;                /* its members; 0: none */
    size_t n_named, n_indexed;
} gpa_variable;
typedef void gpa_variable_sink(void *user, const gpa_variable *v);
/* The variables of a frame's function (`globals`: of its module) as a number for
 * gpa_debug_members; 0: none. */
int gpa_debug_scope(gpa_session *s, int frame, bool globals);
/* Members `start` to `start` + `count` (0: to the end, of arrays a limited number). What is pending
 * is computed. False: no such number. */
bool gpa_debug_members(gpa_session *s, int ref, size_t start, size_t count, gpa_variable_sink *each,
                       void *user);
/* A text to be evaluated in a frame. `full`: with the repr() of its value, for which pending arrays
 * are computed. */
typedef struct {
    int frame;
    const char *text;
    bool full;
} gpa_evaluation;
/* Evaluates a text; its value goes to `sink` (None: does not). On failure *error (released by the
 * next call) says why. */
gpa_code gpa_debug_evaluate(gpa_session *s, const gpa_evaluation *what, gpa_variable_sink *sink,
                            void *user, const char **error);
/* True if the text's value in the innermost frame is true, or if it fails: the condition of a
 * breakpoint. */
bool gpa_debug_condition(gpa_session *s, const char *text);
/* The representations of an expression's value in a frame, as display() has them. */
gpa_code gpa_debug_represent(gpa_session *s, int frame, const char *text,
                             void (*sink)(void *user, const gpa_repr *r, size_t n), void *user);
/* Sets a variable of the session to a variable of a frame. False: there is none. */
bool gpa_debug_copy(gpa_session *s, int frame, const char *from, const char *to);

#endif
