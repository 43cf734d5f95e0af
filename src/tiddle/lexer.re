#include "tiddle/lexer.h"

#include "tiddle/words.h"
#include "tiddle_grammar.h"

#include <string.h>

void tiddle_lexer_start(struct tiddle_lexer *lexer, const char *bytes, size_t length)
{
    *lexer = (struct tiddle_lexer){
        .cursor = bytes, .limit = bytes + length, .line_start = bytes, .line = 1};
}

static int operation_kind(enum event_op op)
{
    if (op_in(op, OPS_ACCESS))
        return TOKEN_ACCESS;
    if (event_object_class(op) == CLASS_NONE)
        return TOKEN_LOCAL;
    if (event_object_class(op) == CLASS_LABEL)
        return TOKEN_BLOCK;
    return event_other_class(op) == CLASS_NONE ? TOKEN_UNARY : TOKEN_BINARY;
}

/* A bare word: an operation at the line's start, else a name. */
static void classify_word(struct tiddle_lexer *lexer, struct tiddle_token *token, int kind)
{
    token->kind = kind;
    if (lexer->in_line)
        return;
    lexer->in_line = true;
    token->kind = LEXER_BAD;
    lexer->reason = NULL; /* an unknown operation: the parser says what it expected */
    if (tiddle_word_parse(token->text, token->length, &token->operation))
        token->kind = operation_kind(token->operation.op);
}

static void unquote(struct tiddle_token *token, size_t before)
{
    token->text += before;
    token->length -= before + 1;
    token->quoted = true;
}

static void bad(struct tiddle_lexer *lexer, struct tiddle_token *token, const char *reason)
{
    token->kind = LEXER_BAD;
    lexer->reason = reason;
}

static void end_line(struct tiddle_lexer *lexer, struct tiddle_token *token)
{
    token->kind = TOKEN_NEWLINE;
    lexer->newline_due = true;
}

struct tiddle_token tiddle_lexer_next(struct tiddle_lexer *lexer)
{
    struct tiddle_token token = {0};
    const char *marker;
    if (lexer->newline_due) {
        lexer->newline_due = lexer->in_line = false;
        lexer->comment = NULL;
        lexer->comment_length = 0;
        lexer->line++;
        lexer->line_start = lexer->cursor;
    }
again:
    token.text = lexer->cursor;
    token.column = (uint32_t)(lexer->cursor - lexer->line_start) + 1;
    /*!re2c
        re2c:define:YYCTYPE = "unsigned char";
        re2c:define:YYCURSOR = lexer->cursor;
        re2c:define:YYMARKER = marker;
        re2c:yyfill:enable = 0;

        blank    = [ \t];
        newline  = "\r"? "\n";
        control  = [\x00-\x1f\x7f];
        special  = blank | control | ["#|\\@];
        start    = [^] \ special;
        word     = start (start | "@")*;
        number   = "-"? ([0-9]+ | "0" [xX] [0-9a-fA-F]+);
        escape   = "\\" (["\\t] | "x" [0-9a-fA-F]{2});
        quoted   = "\"" (([^] \ (control | ["\\|])) | escape)* "\"";
        open     = "\"" (([^] \ (control | ["\\|])) | escape)*;
        comment  = "#" ([^] \ [\x00\r\n])*;

        blank+          { goto again; }
        comment         {
                            lexer->comment = token.text;
                            lexer->comment_length = (size_t)(lexer->cursor - token.text);
                            goto again;
                        }
        newline         { end_line(lexer, &token); goto done; }
        number          { token.length = (size_t)(lexer->cursor - token.text);
                          classify_word(lexer, &token, TOKEN_NUMBER); goto done; }
        word            { token.length = (size_t)(lexer->cursor - token.text);
                          classify_word(lexer, &token, TOKEN_WORD); goto done; }
        quoted          { token.length = (size_t)(lexer->cursor - token.text);
                          token.kind = TOKEN_STRING; unquote(&token, 1); goto done; }
        "@" word        { token.text++; token.length = (size_t)(lexer->cursor - token.text);
                          token.kind = TOKEN_LOCATION; goto done; }
        "@" quoted      { token.length = (size_t)(lexer->cursor - token.text);
                          token.kind = TOKEN_LOCATION; unquote(&token, 2); goto done; }
        "@"? open "\\"  { bad(lexer, &token, "an unknown escape (known: \\\" \\\\ \\t \\xHH)");
                          goto done; }
        "@"? open       { bad(lexer, &token, "a quoted name that its line does not close");
                          goto done; }
        "\x00"          { goto zero; }
        *               { bad(lexer, &token, "a byte that names must quote"); goto done; }
    */
zero:
    if (token.text < lexer->limit) {
        bad(lexer, &token, "a NUL byte");
        goto done;
    }
    /* The end of the text ends its last line too. */
    lexer->cursor = lexer->limit;
    if (lexer->in_line || lexer->comment)
        end_line(lexer, &token);
    else
        token.kind = LEXER_END;
done:
    if (!token.length && token.kind != TOKEN_STRING && token.kind != TOKEN_LOCATION)
        token.length = (size_t)(lexer->cursor - token.text);
    return token;
}
