/* Editing commands that readline lacks or defines for single lines. Each is a readline command,
 * so that ~/.inputrc may bind it. */
#ifndef GPA_KEYS_H
#define GPA_KEYS_H

#include <stdbool.h>

/* Registers and binds the commands; before readline reads ~/.inputrc, which may rebind them. */
void keys_bind(void);
/* Replaces readline's single-line commands wherever they are bound. */
void keys_replace(void);
/* Called before each key. */
void keys_begin(void);
/* True if the key was handled by the menu. */
bool keys_of_menu(void);

/* Toggles the indentation of new lines, and returns it. */
bool keys_toggle_indentation(void);

/* The offsets of the first character and of the end of the line that contains an offset. */
int keys_line_start(int at);
int keys_line_end(int at);
/* Divides the line at the cursor and indents the new one. A readline command. */
int keys_new_line(int count, int key);

#endif
