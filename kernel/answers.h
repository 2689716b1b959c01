/* The answers to all requests but execute_request. Those that look at the session run on the thread
 * that owns it. */
#ifndef GPA_ANSWERS_H
#define GPA_ANSWERS_H

#include "kernel/request.h"

request_handler answer_info, answer_complete, answer_inspect, answer_is_complete, answer_history,
    answer_comm_info, answer_comm_open, answer_nothing, answer_connect, answer_interrupt,
    answer_shutdown, answer_usage;

#endif
