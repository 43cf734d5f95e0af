/* SPDX-License-Identifier: MIT */
#include "tiddle/parser.h"

#include "base/array.h"
#include "tiddle/statement.h"
#include "tiddle/words.h"
#include "tiddle_grammar.h"

#include <errno.h>
#include <stdio.h>

/* Of the generated parser. */
void *tiddle_grammarAlloc(void *(*allocate)(size_t));
void tiddle_grammarFree(void *grammar, void (*release)(void *));
void tiddle_grammar(void *grammar, int kind, struct tiddle_token token,
                    struct tiddle_statement *statement);

#define TOKEN_BIT(token)  (1u << (token))
#define TOKENS_NAME       (TOKEN_BIT(TOKEN_WORD) | TOKEN_BIT(TOKEN_STRING))
#define MESSAGE_TEXT      60 /* bytes of the input that a message shows */
#define LOCATION_NUMBER   16 /* bytes of a line number */
#define OPERATIONS_LISTED "an operation (rd, wr, acq, rel, fork, join, beg, end, ...)"

struct tiddle_parser {
    struct trace *trace;
    struct tiddle_lexer lexer;
    void *grammar;
    struct scratch ARRAY_OF(char) scratch; /* of unquoted names */
};

struct tiddle_parser *tiddle_parser_create(struct trace *trace, const char *bytes, size_t length)
{
    struct tiddle_parser *parser = NEW(struct tiddle_parser);
    parser->trace = trace;
    parser->grammar = tiddle_grammarAlloc(malloc);
    tiddle_lexer_start(&parser->lexer, bytes, length);
    return parser;
}

void tiddle_parser_destroy(struct tiddle_parser *parser)
{
    tiddle_grammarFree(parser->grammar, free);
    array_free(&parser->scratch);
    free(parser);
}

static void describe_found(char *out, size_t room, const struct tiddle_lexer *lexer,
                           const struct tiddle_token *token)
{
    int shown = token->length > MESSAGE_TEXT ? MESSAGE_TEXT : (int)token->length;
    if (token->kind == LEXER_BAD && lexer->reason)
        snprintf(out, room, "%s", lexer->reason);
    else if (token->kind == TOKEN_NEWLINE)
        snprintf(out, room, "the end of the line");
    else
        snprintf(out, room, "'%s%.*s'", token->kind == TOKEN_LOCATION ? "@" : "", shown,
                 token->text);
}

/* What the place's operand is called: "a thread", "a lock" ... */
static const char *operand_text(const struct event *operation, unsigned place)
{
    static const char *const texts[CLASS_COUNT] = {
        [CLASS_THREAD] = "a thread",      [CLASS_VARIABLE] = "a variable",
        [CLASS_LOCK] = "a lock",          [CLASS_CONDITION] = "a condition variable",
        [CLASS_BARRIER] = "a barrier",    [CLASS_SEMAPHORE] = "a semaphore",
        [CLASS_ONCE] = "a once-block",    [CLASS_LABEL] = "a label",
        [CLASS_NONE] = "another operand",
    };
    if (place == 1)
        return texts[CLASS_THREAD];
    return texts[place == 2 ? event_object_class(operation->op) : event_other_class(operation->op)];
}

static void describe_expected(char *out, size_t room, uint32_t expected,
                              const struct event *operation, unsigned place)
{
    const char *choices[4];
    unsigned count = 0;
    if (place == 0)
        choices[count++] = OPERATIONS_LISTED;
    else if (expected & TOKENS_NAME)
        choices[count++] = operand_text(operation, place);
    else if (expected & TOKEN_BIT(TOKEN_NUMBER))
        choices[count++] = "a value";
    if (expected & TOKEN_BIT(TOKEN_LOCATION))
        choices[count++] = "@location";
    if (place && expected & TOKEN_BIT(TOKEN_NEWLINE))
        choices[count++] = "the end of the line";
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 choices[i]);
}

__attribute__((cold)) static int complain(const struct tiddle_parser *parser,
                                          const struct tiddle_token *token, const char *expected,
                                          struct error *error)
{
    char found[160];
    describe_found(found, sizeof found, &parser->lexer, token);
    const char *hint = token->kind == LEXER_BAD && !parser->lexer.reason
                           ? tiddle_word_suggest(token->text, token->length)
                           : NULL;
    return error_set(error, ERROR_INPUT, "%s:%u:%u: found %s, expected %s%s%s%s",
                     parser->trace->path, parser->lexer.line, token->column, found, expected,
                     hint ? "; did you mean '" : "", hint ? hint : "", hint ? "'?" : "");
}

static unsigned hex_digit(char digit)
{
    return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)((digit | 0x20) - 'a' + 10);
}

/* The name a token stands for, in the parser's scratch. */
static void unescape(struct tiddle_parser *parser, const struct tiddle_token *token)
{
    parser->scratch.count = 0;
    for (size_t i = 0; i < token->length; i++) {
        char byte = token->text[i];
        if (token->quoted && byte == '\\') {
            byte = token->text[++i];
            if (byte == 't') {
                byte = '\t';
            } else if (byte == 'x') {
                byte = (char)(hex_digit(token->text[i + 1]) << 4 | hex_digit(token->text[i + 2]));
                i += 2;
            }
        }
        array_push(&parser->scratch, byte);
    }
}

static int intern_name(struct tiddle_parser *parser, struct interner *names,
                       const struct tiddle_token *token, bool may_be_empty, uint32_t *id,
                       struct error *error)
{
    if (!token->quoted && token->length) {
        *id = intern(names, token->text, token->length);
        return 0;
    }
    unescape(parser, token);
    const char *text = parser->scratch.items;
    size_t length = parser->scratch.count;
    if (!length && !may_be_empty)
        return complain(parser, token, "a name that is not empty", error);
    if (length &&
        (memchr(text, '\0', length) || memchr(text, '\n', length) || memchr(text, '|', length)))
        return complain(parser, token, "a name without NUL, line feed and '|'", error);
    *id = intern(names, length ? text : "", length);
    return 0;
}

static int parse_value(struct tiddle_parser *parser, const struct tiddle_token *token,
                       struct event *event, struct error *error)
{
    char digits[32];
    if (token->length < sizeof digits) {
        memcpy(digits, token->text, token->length);
        digits[token->length] = '\0';
        bool negative = digits[0] == '-';
        const char *magnitude = digits + negative;
        bool hexadecimal = magnitude[0] == '0' && (magnitude[1] | 0x20) == 'x';
        errno = 0;
        uint64_t value = strtoull(magnitude, NULL, hexadecimal ? 16 : 10);
        event->value = negative ? 0 - value : value;
        event->flags |= EVENT_HAS_VALUE;
        if (!errno && (!negative || value <= UINT64_C(1) << 63))
            return 0;
    }
    return complain(parser, token, "a value of 64 bits", error);
}

static int intern_location(struct tiddle_parser *parser, const struct tiddle_token *token,
                           struct tiddle_line *line, struct error *error)
{
    struct interner *locations = parser->trace->locations;
    line->has_location = token->text != NULL;
    if (line->has_location)
        return intern_name(parser, locations, token, false, &line->event.location, error);
    char number[LOCATION_NUMBER];
    int length = snprintf(number, sizeof number, "%u", line->number);
    line->event.location = intern(locations, number, (size_t)length);
    return 0;
}

/* Turns a complete statement into its event. */
static int build_event(struct tiddle_parser *parser, const struct tiddle_statement *statement,
                       struct tiddle_line *line, struct error *error)
{
    struct event *event = &line->event;
    struct interner **names = parser->trace->names;
    enum object_class object = event_object_class(event->op);
    enum object_class other = event_other_class(event->op);
    if (intern_name(parser, names[CLASS_THREAD], &statement->thread, false, &event->thread, error))
        return -1;
    if (object != CLASS_NONE && intern_name(parser, names[object], &statement->object,
                                            object == CLASS_LABEL, &event->object, error))
        return -1;
    if (other != CLASS_NONE &&
        intern_name(parser, names[other], &statement->other, false, &event->other, error))
        return -1;
    if (statement->value.text && parse_value(parser, &statement->value, event, error))
        return -1;
    return intern_location(parser, &statement->location, line, error);
}

int tiddle_parser_next(struct tiddle_parser *parser, struct tiddle_line *line, struct error *error)
{
    struct tiddle_statement statement = {0};
    *line = (struct tiddle_line){0};
    for (unsigned place = 0;; place++) {
        struct tiddle_token token = tiddle_lexer_next(&parser->lexer);
        if (token.kind == LEXER_END)
            return 0;
        if (token.kind == LEXER_BAD)
            return complain(parser, &token, place ? "a name or a value" : OPERATIONS_LISTED, error);
        tiddle_grammar(parser->grammar, token.kind, token, &statement);
        if (statement.failed) {
            char expected[160];
            describe_expected(expected, sizeof expected, statement.expected, &line->event, place);
            return complain(parser, &token, expected, error);
        }
        if (token.kind == TOKEN_NEWLINE)
            break;
        if (place == 0) {
            line->has_event = true;
            line->column = token.column;
            line->event = token.operation;
        }
    }
    line->number = parser->lexer.line;
    line->comment = parser->lexer.comment;
    line->comment_length = parser->lexer.comment_length;
    if (line->has_event && build_event(parser, &statement, line, error))
        return -1;
    return 1;
}
