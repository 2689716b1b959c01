/* Calls of gpa from threads of Python that are not the session's. */
#ifndef GPA_PYTHON_THREADS_H
#define GPA_PYTHON_THREADS_H

#include "lang/python/host.h"

/* A function that Python calls, with its arguments. */
typedef py_object *python_callback(py_object *self, py_object *args);

/* Runs the callback on the session's thread and waits for its result. NULL: an error is set;
 * KeyboardInterrupt if the session was interrupted before the call began. Any other thread, with
 * the GIL. */
py_object *python_run_on_session_thread(python_host *h, python_callback *call, py_object *self,
                                        py_object *args);
/* Runs the calls of other threads that wait. The session's thread, with the GIL. */
void python_run_requests(python_host *h);
/* The same in a signal handler, if the thread is where it was found waiting (bootstrap.py's
 * _position), or calls have waited for long. */
void python_run_requests_at(python_host *h, py_object *position);
/* Lets the calls that wait fail: the session ends. */
void python_end_requests(python_host *h);

#endif
