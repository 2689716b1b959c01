/* What keys do that readline has no command for, or another: each is a command of readline's, so
 * that ~/.inputrc may bind it. */
#ifndef GPA_KEYS_H
#define GPA_KEYS_H

#include <stdbool.h>

/* Names the commands and binds them; before readline reads ~/.inputrc, which may bind otherwise. */
void keys_bind(void);
/* Puts the commands in the place of readline's that know one line only, wherever these are bound
 * now. */
void keys_replace(void);
/* A key comes. */
void keys_begin(void);
/* Whether it was the menu's. */
bool keys_of_menu(void);

#endif
