/* What a session holds; shared by the files of this folder. */
#ifndef GPA_SESSION_STATE_H
#define GPA_SESSION_STATE_H

#include "lang/session.h"
#include "lang/vm.h"

struct gpa_session {
    gpa_host host;
    intern *names;
    sources *sources;
    gpa_rt *rt;
    gpa_vm *vm;
    int count; /* number of the next cell */
};

#endif
