/* Tokens: token.def as an enum, and the facts in its columns. */
#ifndef GPA_SYNTAX_TOKEN_H
#define GPA_SYNTAX_TOKEN_H

#include <stdint.h>

#define TOKEN_OTHER(id, what) TOKEN_##id,
#define TOKEN_KEYWORD(id, text) TOKEN_##id,
#define TOKEN_MARK(id, text) TOKEN_##id,
#define TOKEN_BINARY(id, text, bind, op) TOKEN_##id,
#define TOKEN_COMPARE(id, text, op) TOKEN_##id,
#define TOKEN_AUGMENTED(id, text, op) TOKEN_##id,
typedef enum {
#include "lang/syntax/token.def"
    TOKEN_COUNT
} token_kind;

enum {
    TOKEN_FIRST_KEYWORD = TOKEN_FALSE,
    TOKEN_KEYWORDS = TOKEN_YIELD - TOKEN_FALSE +
                     1, /* the number of keywords; symbols 1 .. TOKEN_KEYWORDS are their names */
    TOKEN_MAX_BIND = 8,
    TOKEN_SIGN_BIND = 7
};

typedef enum {
    TOKEN_IS_OTHER,
    TOKEN_IS_KEYWORD,
    TOKEN_IS_MARK,
    TOKEN_IS_BINARY,
    TOKEN_IS_COMPARE,
    TOKEN_IS_AUGMENTED
} token_class;

typedef struct {
    const char *text;
    uint8_t class;
    uint8_t bind; /* binary operators: binding power; 0: not a binary operator */
    uint8_t op;   /* ast_op of binary operators, comparisons and augmented assignments */
} token_facts;

extern const token_facts token_info[TOKEN_COUNT];

#endif
