/* Looking at everything between a front end and a result, for the user whose notebook does not
 * start. */
#ifndef GPA_DOCTOR_H
#define GPA_DOCTOR_H

/* Prints a line per thing that was looked at, and how to mend it. The process's exit code: 0 when a
 * notebook should work. */
int doctor_main(void);

#endif
