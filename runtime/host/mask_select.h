/* Stream compaction with a byte mask in host memory: count, indices, compress and expand.
 *
 * A mask is n bytes; a byte that is not 0 selects. */
#ifndef GPA_HOST_MASK_SELECT_H
#define GPA_HOST_MASK_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* Number of selected entries. */
int64_t mask_select_count(const void *mask, int64_t n);
/* Writes the indices of the first selected entries, at most `capacity`. Returns their number. */
int64_t mask_select_indices(const void *mask, int64_t n, int64_t *to, int64_t capacity);
/* Compress: copies the `count` selected elements of `item` bytes contiguously; no overlap. The mask
 * has n entries. */
void mask_select_compress(void *to, const void *from, const void *mask, int64_t n, int64_t count,
                          size_t item);
/* Expand: stores `count` contiguous elements to the selected entries, of which there are as many;
 * the others keep their values. `item`: the size of a dtype. */
void mask_select_expand(void *to, const void *from, const void *mask, int64_t n, int64_t count,
                        size_t item);

#endif
