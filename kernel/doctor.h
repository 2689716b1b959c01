/* Installation diagnostics (`gpa-kernel doctor`): checks everything between a front end and a
 * result, for notebooks that do not start. */
#ifndef GPA_DOCTOR_H
#define GPA_DOCTOR_H

/* Prints one line per check, with a fix where it fails. Returns the process's exit code: 0 if
 * notebooks should work. */
int doctor_main(void);

#endif
