/* Symbol table: an open-addressing hash table of numbers, and an array of entries.
 *
 * Invariant: the table's size is a power of two and at least twice the number of entries.
 * Numbers 1 .. TOKEN_KEYWORDS are Python's keywords in the order of token.def, so that the lexer
 * recognises a keyword by its number. */
#include "lang/syntax/intern.h"

#include "runtime/base/arena.h"
#include "lang/syntax/token.h"
#include "runtime/base/base.h"

typedef struct {
    const char *text;
    size_t len;
    uint64_t hash;
} entry;

struct intern {
    arena *texts;
    entry *entries; /* entries[s] for s >= 1 */
    size_t n, cap;  /* n counts the unused entry 0 */
    gpa_sym *table; /* 0: empty slot */
    size_t mask;
};

intern *intern_new(void) {
    intern *t = mem_zero(sizeof *t);
    if (!t) return NULL;
    t->mask = 1023;
    t->n = 1;
    t->texts = arena_new();
    t->table = mem_zero((t->mask + 1) * sizeof *t->table);
    bool ok = t->texts && t->table;
#define TOKEN_KEYWORD(id, text) ok = ok && intern_get(t, text, sizeof text - 1);
#include "lang/syntax/token.def"
    if (ok) return t;
    intern_free(t);
    return NULL;
}

void intern_free(intern *t) {
    if (!t) return;
    arena_free(t->texts);
    mem_free(t->entries);
    mem_free(t->table);
    mem_free(t);
}

/* The slot of a name, or the empty slot where it would be inserted. */
static size_t slot_of(const intern *t, const char *text, size_t n, uint64_t hash) {
    size_t i = hash & t->mask;
    for (; t->table[i]; i = (i + 1) & t->mask) {
        const entry *e = &t->entries[t->table[i]];
        if (e->hash == hash && e->len == n && memcmp(e->text, text, n) == 0) break;
    }
    return i;
}

static bool grow_table(intern *t) {
    size_t mask = t->mask * 2 + 1;
    gpa_sym *table = mem_zero((mask + 1) * sizeof *table);
    if (!table) return false;
    for (gpa_sym s = 1; s < t->n; s++) {
        size_t i = t->entries[s].hash & mask;
        while (table[i]) i = (i + 1) & mask;
        table[i] = s;
    }
    mem_free(t->table);
    t->table = table;
    t->mask = mask;
    return true;
}

gpa_sym intern_get(intern *t, const char *text, size_t n) {
    uint64_t hash = hash_bytes(text, n, 0);
    size_t i = slot_of(t, text, n, hash);
    if (t->table[i]) return t->table[i];
    if (t->n * 2 > t->mask) {
        if (!grow_table(t)) return 0;
        i = slot_of(t, text, n, hash);
    }
    while (t->n >= t->cap)
        if (!mem_grow(&t->entries, t->cap, &t->cap, sizeof *t->entries)) return 0;
    char *copy = arena_text(t->texts, text, n);
    if (!copy) return 0;
    gpa_sym s = (gpa_sym)t->n++;
    t->entries[s] = (entry){copy, n, hash};
    return t->table[i] = s;
}

gpa_sym intern_find(const intern *t, const char *text, size_t n) {
    return t->table[slot_of(t, text, n, hash_bytes(text, n, 0))];
}

const char *intern_text(const intern *t, gpa_sym s) { return t->entries[s].text; }

size_t intern_len(const intern *t, gpa_sym s) { return t->entries[s].len; }

uint64_t intern_hash(const intern *t, gpa_sym s) { return t->entries[s].hash; }

gpa_sym intern_count(const intern *t) { return (gpa_sym)(t->n - 1); }
