/* Token properties: the rows of token.def as an array. */
#include "lang/syntax/token.h"

#include "lang/syntax/ast.h"

const token_facts token_info[TOKEN_COUNT] = {
#define TOKEN_OTHER(id, what) [TOKEN_##id] = {what, TOKEN_IS_OTHER, 0, 0},
#define TOKEN_KEYWORD(id, text) [TOKEN_##id] = {text, TOKEN_IS_KEYWORD, 0, 0},
#define TOKEN_MARK(id, text) [TOKEN_##id] = {text, TOKEN_IS_MARK, 0, 0},
#define TOKEN_BINARY(id, text, bind, op) [TOKEN_##id] = {text, TOKEN_IS_BINARY, bind, AST_OP_##op},
#define TOKEN_COMPARE(id, text, op) [TOKEN_##id] = {text, TOKEN_IS_COMPARE, 0, AST_OP_##op},
#define TOKEN_AUGMENTED(id, text, op) [TOKEN_##id] = {text, TOKEN_IS_AUGMENTED, 0, AST_OP_##op},
#include "lang/syntax/token.def"
};
