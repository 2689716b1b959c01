/* Installation of the kernelspec (a folder with kernel.json and logos), and Jupyter's search
 * path for kernelspecs. */
#ifndef GPA_KERNEL_INSTALL_H
#define GPA_KERNEL_INSTALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- install, uninstall ---- */

/* `install ...` and `uninstall ...`; argv[0] is the command. Returns the process's exit code. */
int install_main(int argc, char **argv, const char *usage);

/* ---- Jupyter's data folders ---- */

enum { PATH_SIZE = 4096 }; /* buffer size for a path with its NUL */

/* The user's data folder. False if HOME is not set or the path is too long. */
bool jupyter_user_folder(char path[PATH_SIZE]);
/* Folder of the active Python environment, borrowed from the process's environment; NULL if none
 * is active. */
const char *jupyter_environment(void);
/* Calls `see` for all data folders, in Jupyter's search order. They need not exist. */
void jupyter_each_folder(void (*see)(void *user, const char *folder), void *user);

/* ---- the logo ---- */

/* Write the logo to a file; ferror reports failure. */
void logo_svg(FILE *f);
/* size: the edge in pixels, at most 128. */
void logo_png(FILE *f, int size);

#endif
