/* What was entered in this session, for history_request. Belongs to the thread that evaluates. */
#ifndef GPA_HISTORY_H
#define GPA_HISTORY_H

#include <jansson.h>

typedef struct {
    json_t *entries; /* [line, input, output or null] */
} history;

/* Adds an entry; `output` is borrowed and may be NULL. */
void history_add(history *h, json_int_t line, const char *code, size_t n, json_t *output);
/* The entries that a history_request asks for, an array; NULL when memory is short. */
json_t *history_find(const history *h, const json_t *request);
void history_free(history *h);

#endif
