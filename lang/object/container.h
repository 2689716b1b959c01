/* Lists, dicts and sets: the operations behind their methods and operators, beyond those of
 * value.h. */
#ifndef GPA_OBJECT_CONTAINER_H
#define GPA_OBJECT_CONTAINER_H

#include "lang/object/value.h"

int64_t range_len(const range_obj *r);

/* ---- lists ---- (indices are in range) */

gpa_code list_insert(gpa_vm *vm, list_obj *l, size_t at, value v); /* retains v */
value list_take(list_obj *l, size_t at); /* removes the item and returns it, owned */
gpa_code list_reserve(gpa_vm *vm, list_obj *l, size_t n); /* capacity for n items in all */
void list_clear(gpa_vm *vm, list_obj *l);
/* The length of a list or a tuple. */
size_t items_count(value sequence);
/* The next item of a list or a tuple, owned; false at the end. Safe for loops that run code of the
 * program, which may change the list. */
bool items_next(value sequence, size_t *at, value *item);

/* ---- dicts ---- */

/* The number of entries. Of the dict of a module, `count` may be out of date. */
size_t dict_count(const dict_obj *d);
/* The entry with this key, or NULL. Valid until a key is added. */
gpa_code dict_find_peek(gpa_vm *vm, const dict_obj *d, value key, dict_entry **out);
/* The entry whose key is this text with this hash (hash_bytes with seed 0: an interned name's), or
 * NULL. As above. */
dict_entry *dict_named_peek(const dict_obj *d, const char *key, size_t size, uint64_t hash);
/* Iteration in order: the next live entry at or after *at, which moves past it; NULL at the end. */
dict_entry *dict_next(const dict_obj *d, size_t *at);
/* The same for loops that run code of the program, which may change the dict: *e is a copy of the
 * entry that owns its key and value; false at the end. */
bool dict_next_own(const dict_obj *d, size_t *at, dict_entry *e);
void dict_entry_drop(gpa_vm *vm, dict_entry *e);
/* Removes the key and returns its value, owned; UNSET when absent. */
gpa_code dict_take(gpa_vm *vm, dict_obj *d, value key, value *out);
/* The last live entry, or NULL. */
dict_entry *dict_last(const dict_obj *d);
gpa_code dict_update(gpa_vm *vm, dict_obj *d, const dict_obj *from);
void dict_clear(gpa_vm *vm, dict_obj *d);
value dict_copy(gpa_vm *vm, const dict_obj *d); /* UNSET on failure */

/* ---- sets ---- */

typedef enum { SET_UNION, SET_INTERSECTION, SET_DIFFERENCE, SET_SYMMETRIC } set_op;
/* A new set, frozen as `a` is; UNSET on failure. */
value set_combine(gpa_vm *vm, set_op op, set_obj *a, set_obj *b);
value set_copy(gpa_vm *vm, set_obj *a, bool frozen);
gpa_code set_remove(gpa_vm *vm, set_obj *s, value v, bool *found);
/* Reorders a set of numbers to CPython's iteration order (that of its hash table); sets with other
 * members keep insertion order, since CPython's differs from run to run. Called before iterating
 * and printing. */
void set_arrange(set_obj *s);
/* True if every member of a is in b. */
gpa_code set_subset(gpa_vm *vm, set_obj *a, set_obj *b, bool *out);

#endif
