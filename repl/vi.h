/* vi command mode on texts of several lines. readline's vi commands take the text for one line, so
 * each runs on the cursor's line alone, and its undo records are moved to where the line is.
 * Operations on whole lines (dd, yy, cc, dj, Y, S, p after them, o, O, J, G) are commands of their
 * own.
 */
#ifndef GPA_VI_H
#define GPA_VI_H

#include <stdbool.h>

bool vi_in_command_mode(void);
/* Reads and handles a key, as rl_callback_read_char does. */
void vi_read_key(void);
/* The string that `show-mode-in-prompt` puts before the prompt; "" if it is off. */
const char *vi_mode_string(void);

/* ---- commands (keys.c binds them) ---- */

int vi_command_mode(int count, int key);
int vi_open_below(int count, int key);
int vi_open_above(int count, int key);
int vi_insert_first(int count, int key);
int vi_join(int count, int key);
int vi_go_to_line(int count, int key);
int vi_change_lines(int count, int key);
int vi_yank_lines(int count, int key);
int vi_put(int count, int key);
int vi_redo(int count, int key);

#endif
