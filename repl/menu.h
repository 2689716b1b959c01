/* Completion menu: the candidates at the cursor. A single one is inserted; several are shown below
 * the text. */
#ifndef GPA_MENU_H
#define GPA_MENU_H

#include "lang/session.h"

/* Inserts the common prefix of all candidates; opens the menu if there are several, or shows the
 * signature of the function that is being called. */
void menu_complete(gpa_session *s);
bool menu_shown(void);
/* Moves the selection by so many candidates and inserts the selected one into the text. False: no
 * menu is open. */
bool menu_move(int by);
/* Moves the selection by one column of the menu: left (-1) or right (1). */
bool menu_move_column(int by);
/* Closes the menu; the text keeps the selected candidate. False: none was selected. */
bool menu_take(void);
/* Closes the menu and restores the text that the candidate replaced. */
void menu_cancel(void);
/* The menu's lines for a screen of this size, each ending in a newline; NULL: no menu is open.
 * Valid until the next call. */
const char *menu_lines(int rows, int columns);
void menu_free(void);

#endif
