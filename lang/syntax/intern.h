/* Interned names (symbols): a small stable number per text, and the text of a number.
 *
 * A session owns one table. Two names are equal exactly when their numbers are. Numbers are
 * consecutive from 1, so they can index arrays. The text of a name keeps its address until the
 * table is freed. */
#ifndef GPA_TEXT_INTERN_H
#define GPA_TEXT_INTERN_H

#include <stddef.h>
#include <stdint.h>

/* A name; 0 is "no name". */
typedef uint32_t gpa_sym;

typedef struct intern intern;

/* Owned: intern_free. NULL when out of memory. */
intern *intern_new(void);
void intern_free(intern *t);
/* The number of the name in these n bytes, interned if new; 0 when out of memory. */
gpa_sym intern_get(intern *t, const char *text, size_t n);
/* The number of a name if it is interned, else 0. Never allocates. */
gpa_sym intern_find(const intern *t, const char *text, size_t n);
/* The text (zero-terminated), its length and its hash (hash_bytes with seed 0). s must come from
 * this table. */
const char *intern_text(const intern *t, gpa_sym s);
size_t intern_len(const intern *t, gpa_sym s);
uint64_t intern_hash(const intern *t, gpa_sym s);
/* The largest number in use. */
gpa_sym intern_count(const intern *t);

#endif
