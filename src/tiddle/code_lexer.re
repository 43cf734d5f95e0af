#include "tiddle/code_statement.h"

#include "code_grammar.h"

#include <string.h>

void code_lexer_start(struct code_lexer *lexer, const char *bytes, size_t length)
{
    *lexer = (struct code_lexer){
        .cursor = bytes, .limit = bytes + length, .line_start = bytes, .line = 1};
}

/* The first word of a line says what the line is; names may be such words, too. */
static int kind_of(enum code_op op)
{
    switch (op) {
    case CODE_PROGRAM:
        return CODE_TOKEN_PROGRAM;
    case CODE_READ:
    case CODE_ATOMIC_READ:
    case CODE_TRY_ACQUIRE:
    case CODE_TRY_SEMWAIT:
        return CODE_TOKEN_INTO;
    case CODE_WRITE:
    case CODE_ATOMIC_WRITE:
        return CODE_TOKEN_WRITE;
    case CODE_ADD:
        return CODE_TOKEN_ADD;
    case CODE_EXCHANGE:
        return CODE_TOKEN_EXCHANGE;
    case CODE_WAIT:
        return CODE_TOKEN_WAIT;
    case CODE_LIKE:
    case CODE_FORK:
    case CODE_JOIN:
        return CODE_TOKEN_THREADS;
    case CODE_LET:
        return CODE_TOKEN_LET;
    case CODE_IF:
        return CODE_TOKEN_IF;
    case CODE_ASSERT:
        return CODE_TOKEN_ASSERT;
    default:
        return CODE_TOKEN_UNARY;
    }
}

static void classify_word(struct code_lexer *lexer, struct code_token *token)
{
    token->length = (size_t)(lexer->cursor - token->text);
    token->kind = CODE_TOKEN_NAME;
    if (lexer->in_line)
        return;
    lexer->in_line = true;
    token->kind = CODE_LEXER_BAD;
    for (enum code_op op = CODE_PROGRAM; op < CODE_OPS; op++) {
        const char *word = code_word(op);
        if (op == CODE_ELSE || op == CODE_CLOSE || strlen(word) != token->length ||
            memcmp(word, token->text, token->length) != 0)
            continue;
        token->op = (uint8_t)op;
        token->kind = kind_of(op);
    }
}

static bool is_else(const struct code_token *token, const char *end)
{
    return end - token->text == 4 && memcmp(token->text, "else", 4) == 0;
}

static void compare(struct code_token *token, enum code_comparison comparison)
{
    token->kind = CODE_TOKEN_COMPARE;
    token->op = (uint8_t)comparison;
}

static void end_line(struct code_lexer *lexer, struct code_token *token)
{
    token->kind = CODE_TOKEN_NEWLINE;
    lexer->newline_due = true;
}

static void begin_line(struct code_lexer *lexer)
{
    lexer->newline_due = lexer->in_line = false;
    lexer->comment = NULL;
    lexer->comment_length = 0;
    lexer->line++;
    lexer->line_start = lexer->cursor;
}

struct code_token code_lexer_next(struct code_lexer *lexer)
{
    struct code_token token = {0};
    if (lexer->newline_due)
        begin_line(lexer);
again:
    token.text = lexer->cursor;
    token.column = (uint32_t)(lexer->cursor - lexer->line_start) + 1;
    /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYCURSOR = lexer->cursor;
        re2c:yyfill:enable = 0;

        word = [a-zA-Z_][a-zA-Z0-9_]*;

        [ \t]+          { goto again; }
        "#" ([^] \ [\x00\r\n])* {
                            lexer->comment = token.text;
                            lexer->comment_length = (size_t)(lexer->cursor - token.text);
                            goto again;
                        }
        "\r"? "\n"      { end_line(lexer, &token); goto done; }
        [0-9]+          { token.kind = lexer->in_line ? CODE_TOKEN_NUMBER : CODE_LEXER_BAD; goto done; }
        word            { if (lexer->in_line && is_else(&token, lexer->cursor))
                              token.kind = CODE_TOKEN_ELSE;
                          else
                              classify_word(lexer, &token);
                          goto done; }
        "{"             { token.kind = CODE_TOKEN_OPEN; goto done; }
        "}"             { token.kind = CODE_TOKEN_CLOSE; lexer->in_line = true; goto done; }
        "="             { token.kind = CODE_TOKEN_IS; goto done; }
        "+"             { token.kind = CODE_TOKEN_PLUS; goto done; }
        "-"             { token.kind = CODE_TOKEN_MINUS; goto done; }
        "=="            { compare(&token, CODE_EQUAL); goto done; }
        "!="            { compare(&token, CODE_NOT_EQUAL); goto done; }
        "<"             { compare(&token, CODE_LESS); goto done; }
        "<="            { compare(&token, CODE_AT_MOST); goto done; }
        ">"             { compare(&token, CODE_GREATER); goto done; }
        ">="            { compare(&token, CODE_AT_LEAST); goto done; }
        "\x00"          { goto zero; }
        *               { token.kind = CODE_LEXER_BAD; goto done; }
    */
zero:
    if (token.text < lexer->limit) {
        token.kind = CODE_LEXER_BAD;
        goto done;
    }
    /* The end of the text ends its last line too. */
    lexer->cursor = lexer->limit;
    if (lexer->in_line || lexer->comment)
        end_line(lexer, &token);
    else
        token.kind = CODE_LEXER_END;
done:
    token.length = (size_t)(lexer->cursor - token.text);
    return token;
}
