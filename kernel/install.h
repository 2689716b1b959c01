/* Installation: the kernelspec (a folder with kernel.json and logos), and the folders in which
 * Jupyter looks for it. */
#ifndef GPA_KERNEL_INSTALL_H
#define GPA_KERNEL_INSTALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- install, uninstall ---- */

/* `install ...` and `uninstall ...`; argv[0] is the word. The process's exit code. */
int install_main(int argc, char **argv, const char *usage);

/* ---- Jupyter's data folders ---- */

enum { PLACE_SIZE = 4096 }; /* of a path, with its end */

/* This user's own. False: there is no HOME, or the path is too long. */
bool places_user(char path[PLACE_SIZE]);
/* The folder of the Python environment that is active, borrowed from the process's environment;
 * NULL: none is. */
const char *places_environment(void);
/* All, in the order in which Jupyter looks. They need not exist. */
void places_each(void (*see)(void *user, const char *folder), void *user);

/* ---- the logo ---- */

/* Write a picture to a file; whether it succeeded shows in ferror. */
void logo_svg(FILE *f);
/* size: the edge in pixels, at most 128. */
void logo_png(FILE *f, int size);

#endif
