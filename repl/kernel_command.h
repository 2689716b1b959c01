/* `gpa kernel ...`: the program gpa-kernel, which is installed beside gpa. */
#ifndef GPA_KERNEL_COMMAND_H
#define GPA_KERNEL_COMMAND_H

/* Becomes gpa-kernel with the arguments from argv[1] on. Returns, with an exit code, only when
 * there is none: standard error says so. */
int kernel_command(int argc, char **argv);

#endif
