/* What a mask chooses, in host memory: how many, where they stand, the elements themselves, and new
 * ones in their places.
 *
 * A mask is n bytes of which those that are not 0 choose. */
#ifndef GPA_HOST_MASK_SELECT_H
#define GPA_HOST_MASK_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes choose. */
int64_t mask_select_count(const void *mask, int64_t n);
/* Writes the places of the first bytes that choose, at most `room`, to `to`. Returns how many it
 * wrote. */
int64_t mask_select_indices(const void *mask, int64_t n, int64_t *to, int64_t room);
/* Copies the `count` chosen elements of `item` bytes side by side; the two must not overlap. */
void mask_select_compress(void *to, const void *from, const void *mask, int64_t count, size_t item);
/* The way back: `count` elements that lie side by side to the places that choose, of which there
 * are as many; the others stay. `item`: the size of a dtype. */
void mask_select_expand(void *to, const void *from, const void *mask, int64_t count, size_t item);

#endif
