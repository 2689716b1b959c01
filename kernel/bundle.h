/* The representations of a value as the protocol sends them: an object by MIME type. */
#ifndef GPA_BUNDLE_H
#define GPA_BUNDLE_H

#include <jansson.h>

#include "lang/session.h"

/* NULL when memory is short. Pictures are in base64, JSON is unpacked, all else is text. */
json_t *bundle_json(const gpa_repr *r, size_t n);
/* The metadata that goes with it: {mime: {"width": 640}}, of those that have some. */
json_t *bundle_meta(const gpa_repr *r, size_t n);
/* An uncaught error: {ename, evalue, traceback}. NULL when memory is short. */
json_t *bundle_error(const gpa_diag *d);

#endif
