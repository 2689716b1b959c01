/* Telling front ends that the kernel is there: the kernelspec, a folder with kernel.json and logos.
 */
#ifndef GPA_INSTALL_H
#define GPA_INSTALL_H

/* `install ...` and `uninstall ...`; argv[0] is the word. The process's exit code. */
int install_main(int argc, char **argv, const char *usage);

#endif
