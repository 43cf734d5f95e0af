/* SPDX-License-Identifier: MIT */
/* Lines of a program become a program: names get numbers, and each end its condition. What is not
 * about one line is in code_whole.c. */
#include "tiddle/code_whole.h"

#include "base/suggest.h"
#include "tiddle/code_statement.h"
#include "code_grammar.h"

#include <errno.h>
#include <stdio.h>

/* Of the generated parser. */
void *code_grammarAlloc(void *(*allocate)(size_t));
void code_grammarFree(void *grammar, void (*release)(void *));
void code_grammar(void *grammar, int kind, struct code_token token,
                  struct code_statement *statement);

#define MESSAGE_TEXT 60 /* bytes of the input that a message shows */
#define NUMBER_TEXT  32

enum { MOST_DEPTH = 1000 };

struct parsing {
    struct code *code;
    struct code_lexer lexer;
    void *grammar;
    struct open_lines ARRAY_OF(uint32_t) open; /* conditions around the line, the last inmost */
    struct error *error;
};

/* --- messages -----------------------------------------------------------------------------------
 */

static const char *shape_of(enum code_op op)
{
    static const char *const shapes[CODE_OPS] = {
        [CODE_PROGRAM] = "nothing behind it",
        [CODE_LIKE] = "THREAD THREAD",
        [CODE_READ] = "THREAD VARIABLE [LOCAL]",
        [CODE_WRITE] = "THREAD VARIABLE VALUE",
        [CODE_ATOMIC_READ] = "THREAD VARIABLE [LOCAL]",
        [CODE_ATOMIC_WRITE] = "THREAD VARIABLE VALUE",
        [CODE_ADD] = "THREAD VARIABLE NUMBER [LOCAL]",
        [CODE_EXCHANGE] = "THREAD VARIABLE EXPECTED NEW [LOCAL]",
        [CODE_ACQUIRE] = "THREAD LOCK",
        [CODE_TRY_ACQUIRE] = "THREAD LOCK [LOCAL]",
        [CODE_RELEASE] = "THREAD LOCK",
        [CODE_WAIT] = "THREAD CONDITION LOCK",
        [CODE_NOTIFY] = "THREAD CONDITION",
        [CODE_NOTIFY_ALL] = "THREAD CONDITION",
        [CODE_POST] = "THREAD SEMAPHORE",
        [CODE_SEMWAIT] = "THREAD SEMAPHORE",
        [CODE_TRY_SEMWAIT] = "THREAD SEMAPHORE [LOCAL]",
        [CODE_FORK] = "THREAD THREAD",
        [CODE_JOIN] = "THREAD THREAD",
        [CODE_LET] = "THREAD LOCAL = VALUE",
        [CODE_IF] = "THREAD VALUE == VALUE {",
        [CODE_CLOSE] = "the end of the line, or else {",
        [CODE_ASSERT] = "THREAD VALUE == VALUE",
    };
    return shapes[op];
}

__attribute__((cold)) static int unknown_word(const struct parsing *parsing,
                                              const struct code_token *token)
{
    struct suggestion suggestion = {0};
    for (enum code_op op = CODE_PROGRAM; op < CODE_OPS; op++)
        suggest(&suggestion, token->text, token->length, code_word(op));
    return error_set(parsing->error, ERROR_INPUT,
                     "%s:%u:%u: found '%.*s', expected an operation (rd, wr, acq, rel, if, assert, "
                     "...)%s%s%s",
                     parsing->code->path, parsing->lexer.line, token->column,
                     token->length > MESSAGE_TEXT ? MESSAGE_TEXT : (int)token->length, token->text,
                     suggestion.nearest ? "; did you mean '" : "",
                     suggestion.nearest ? suggestion.nearest : "", suggestion.nearest ? "'?" : "");
}

__attribute__((cold)) static int complain(const struct parsing *parsing,
                                          const struct code_token *token, const char *expected)
{
    bool at_end = token->kind == CODE_TOKEN_NEWLINE;
    int shown = token->length > MESSAGE_TEXT ? MESSAGE_TEXT : (int)token->length;
    return error_set(parsing->error, ERROR_INPUT, "%s:%u:%u: found %s%.*s%s, expected %s",
                     parsing->code->path, parsing->lexer.line, token->column,
                     at_end ? "the end of the line" : "'", at_end ? 0 : shown, token->text,
                     at_end ? "" : "'", expected);
}

/* --- one line -----------------------------------------------------------------------------------
 */

static uint32_t name_in(struct parsing *parsing, enum code_names names,
                        const struct code_token *token)
{
    return intern(parsing->code->names[names], token->text, token->length);
}

static int number_of(struct parsing *parsing, const struct code_text_term *term, int64_t *number)
{
    char digits[NUMBER_TEXT];
    if (term->token.length < sizeof digits) {
        memcpy(digits, term->token.text, term->token.length);
        digits[term->token.length] = '\0';
        errno = 0;
        unsigned long long value = strtoull(digits, NULL, 10);
        *number = term->negative ? (int64_t)(0 - value) : (int64_t)value;
        if (!errno && value <= INT64_MAX)
            return 0;
    }
    return complain(parsing, &term->token, "a number below 2^63");
}

static int term_of(struct parsing *parsing, const struct code_text_term *text,
                   struct code_term *term)
{
    if (!text->token.text)
        return 0;
    term->is_local = text->token.kind == CODE_TOKEN_NAME;
    if (!term->is_local)
        return number_of(parsing, text, &term->number);
    term->local = name_in(parsing, CODE_LOCALS, &text->token);
    return 0;
}

static int value_of(struct parsing *parsing, const struct code_text_value *text,
                    struct code_value *value)
{
    value->sign = text->sign;
    return term_of(parsing, &text->first, &value->first) ||
           term_of(parsing, &text->second, &value->second);
}

static int operands_of(struct parsing *parsing, const struct code_statement *statement,
                       struct code_line *line)
{
    enum code_op op = line->op;
    enum code_names object = code_object_names(op);
    if (statement->thread.text)
        line->thread = name_in(parsing, CODE_THREADS, &statement->thread);
    if (object != CODE_NAMES)
        line->object = name_in(parsing, object, &statement->object);
    if (statement->other.text)
        line->other =
            name_in(parsing, op == CODE_WAIT ? CODE_LOCKS : CODE_THREADS, &statement->other);
    if (statement->local.text)
        line->local = name_in(parsing, CODE_LOCALS, &statement->local);
    else if (code_has_local(op))
        line->local = code_usual_local(parsing->code, op, line->object);
    line->comparison = statement->comparison;
    return value_of(parsing, &statement->value, &line->value) ||
           value_of(parsing, &statement->wanted, &line->wanted);
}

/* Conditions are closed in turn, and what is inside of one is done by its thread. */
static int nest(struct parsing *parsing, const struct code_statement *statement,
                struct code_line *line, uint32_t number)
{
    bool closes = line->op == CODE_CLOSE || line->op == CODE_ELSE;
    struct code_lines *lines = &parsing->code->lines;
    if (closes) {
        if (!parsing->open.count)
            return complain(parsing, &statement->word, "an operation: no condition is open");
        struct code_line *opened = &lines->items[array_pop(&parsing->open)];
        if (line->op == CODE_ELSE && opened->op == CODE_ELSE)
            return complain(parsing, &statement->word,
                            "the end of the condition, not another else");
        opened->partner = number;
        line->thread = opened->thread;
    } else if (parsing->open.count &&
               lines->items[array_last(&parsing->open)].thread != line->thread)
        return complain(parsing, &statement->thread, "the thread of the condition around it");
    line->depth = (uint16_t)parsing->open.count;
    if (line->op == CODE_IF || line->op == CODE_ELSE) {
        if (parsing->open.count == MOST_DEPTH)
            return complain(parsing, &statement->word, "fewer conditions around it");
        array_push(&parsing->open, number);
    }
    return 0;
}

static int take_line(struct parsing *parsing, const struct code_statement *statement)
{
    struct code *code = parsing->code;
    struct code_line line = {.op = statement->word.op, .number = parsing->lexer.line};
    bool first = code->root == UINT32_MAX;
    if (parsing->lexer.comment)
        line.comment = strndup(parsing->lexer.comment, parsing->lexer.comment_length);
    array_push(&code->lines, line);
    if (!statement->word.text)
        return 0;
    if (first != (line.op == CODE_PROGRAM))
        return complain(parsing, &statement->word,
                        first ? "program: the first line of one" : "that it is said once");
    code->root = 0;
    if (line.op == CODE_PROGRAM)
        return 0;
    struct code_line *kept = &array_last(&code->lines);
    return operands_of(parsing, statement, kept) ||
           nest(parsing, statement, kept, (uint32_t)code->lines.count - 1);
}

/* 1 with a line, 0 at the end, -1 with an error. */
static int next_line(struct parsing *parsing, struct code_statement *statement)
{
    struct code_token word = {0};
    *statement = (struct code_statement){0};
    for (;;) {
        struct code_token token = code_lexer_next(&parsing->lexer);
        if (token.kind == CODE_LEXER_END)
            return 0;
        if (!word.text) {
            word = token;
            if (token.kind == CODE_LEXER_BAD)
                return unknown_word(parsing, &token);
        }
        if (token.kind == CODE_LEXER_BAD)
            return complain(parsing, &token, "a name or a number");
        code_grammar(parsing->grammar, token.kind, token, statement);
        if (statement->failed && token.text == word.text)
            return unknown_word(parsing, &token);
        if (statement->failed)
            return complain(parsing, &token,
                            shape_of(word.kind == CODE_TOKEN_CLOSE ? CODE_CLOSE : word.op));
        if (token.kind == CODE_TOKEN_NEWLINE)
            return 1;
    }
}

static int parse(struct parsing *parsing)
{
    struct code_statement statement;
    int found;
    while ((found = next_line(parsing, &statement)) > 0)
        if (take_line(parsing, &statement))
            return -1;
    if (found < 0)
        return -1;
    if (parsing->open.count)
        return error_set(parsing->error, ERROR_INPUT, "%s:%u: no line closes this condition",
                         parsing->code->path,
                         parsing->code->lines.items[array_last(&parsing->open)].number);
    return code_make_whole(parsing->code, parsing->error);
}

struct code *code_parse(const char *path, const char *bytes, size_t length, struct error *error)
{
    struct code *code = NEW(struct code);
    struct parsing parsing = {.code = code, .grammar = code_grammarAlloc(malloc), .error = error};
    code->path = strdup(path);
    code->root = UINT32_MAX; /* until the first word was read */
    for (unsigned i = 0; i < CODE_NAMES; i++)
        code->names[i] = interner_create();
    code_lexer_start(&parsing.lexer, bytes, length);
    int failed = parse(&parsing);
    code_grammarFree(parsing.grammar, free);
    array_free(&parsing.open);
    if (!failed)
        return code;
    code_free(code);
    return NULL;
}
