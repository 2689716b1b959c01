/* Where Jupyter keeps kernelspecs: the folders of its data. */
#ifndef GPA_PLACES_H
#define GPA_PLACES_H

#include <stdbool.h>
#include <stddef.h>

enum { PLACE_SIZE = 4096 }; /* of a path, with its end */

/* This user's own. False: there is no HOME, or the path is too long. */
bool places_user(char path[PLACE_SIZE]);
/* The folder of the Python environment that is active, borrowed from the process's environment;
 * NULL: none is. */
const char *places_environment(void);
/* All, in the order in which Jupyter looks. They need not exist. */
void places_each(void (*see)(void *user, const char *folder), void *user);

#endif
