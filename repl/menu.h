/* Completion menu: the candidates at the cursor. A single one is inserted; several are shown below
 * the text. */
#ifndef GPA_MENU_H
#define GPA_MENU_H

#include "lang/session.h"

/* Completes as far as it is certain; opens the menu where it is not, or tells about the function
 * whose call this is. */
void menu_complete(gpa_session *s);
bool menu_shown(void);
/* Moves the choice, and puts it into the text. False: no menu is shown. */
bool menu_move(int by);
/* By a column of the menu: to the left (-1) or right. */
bool menu_turn(int by);
/* Ends the menu; the text keeps the choice. False: nothing was chosen. */
bool menu_take(void);
/* Ends it with the text as it was before. */
void menu_cancel(void);
/* The menu's lines for a screen of this size, each with its end; NULL: none is shown. Valid until
 * the next call. */
const char *menu_lines(int rows, int columns);
void menu_free(void);

#endif
