#include "cspm_syntax.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64, SYMBOLS_MAX = 20000, BOUND_MAX = 32, DEFERRED_MAX = 20000 };

enum token { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_OPERATOR };
enum kind { KIND_TYPE, KIND_MEMBER, KIND_CHANNEL, KIND_DEFINITION };

struct symbol {
    char name[NAME_SIZE];
    enum kind kind;
    unsigned fields; /* of a channel; parameters of a definition */
};

/* A use of a definition that may come later in the text. */
struct deferred {
    char name[NAME_SIZE];
    unsigned arguments, line;
};

struct parser {
    const char *at;
    unsigned line, token_line;
    enum token token;
    char text[NAME_SIZE];
    struct symbol *symbols;
    size_t symbol_count;
    struct deferred *deferred;
    size_t deferred_count;
    char bound[BOUND_MAX][NAME_SIZE];
    unsigned bound_count;
    struct cspm_syntax_error *error;
    jmp_buf failure;
};

__attribute__((noreturn, format(printf, 2, 3))) static void reject(struct parser *p,
                                                                   const char *format, ...)
{
    p->error->line = p->token_line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->error->text, sizeof p->error->text, format, arguments);
    va_end(arguments);
    longjmp(p->failure, 1);
}

static void skip_blank(struct parser *p)
{
    for (;; p->at++) {
        if (p->at[0] == '-' && p->at[1] == '-')
            while (*p->at && *p->at != '\n')
                p->at++;
        if (*p->at == '\n')
            p->line++;
        if (!*p->at || !isspace((unsigned char)*p->at))
            return;
    }
}

static void take(struct parser *p, enum token token, size_t length)
{
    p->token = token;
    if (length >= sizeof p->text)
        reject(p, "%s", "a word is too long");
    memcpy(p->text, p->at, length);
    p->text[length] = '\0';
    p->at += length;
}

static void next(struct parser *p)
{
    static const char *const operators[] = {
        "|||", "|~|", "[|", "|]", "[]", "{|", "|}", "[T=", "[F=", "->", "/\\",
        "==",  "..",  ";",  "\\", "(",  ")",  "{",  "}",   ",",   ":",  "@",
        "?",   "!",   ".",  "&",  "=",  "|",  "<",  ">",   "+",   "-"};
    skip_blank(p);
    p->token_line = p->line;
    if (!*p->at) {
        p->token = TOKEN_END;
        p->text[0] = '\0';
        return;
    }
    size_t length = 0;
    if (isalpha((unsigned char)*p->at)) {
        while (isalnum((unsigned char)p->at[length]) || p->at[length] == '_' ||
               p->at[length] == '\'')
            length++;
        take(p, TOKEN_NAME, length);
        return;
    }
    if (isdigit((unsigned char)*p->at)) {
        while (isdigit((unsigned char)p->at[length]))
            length++;
        take(p, TOKEN_NUMBER, length);
        return;
    }
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(p->at, operators[i], strlen(operators[i])) == 0) {
            take(p, TOKEN_OPERATOR, strlen(operators[i]));
            return;
        }
    reject(p, "a character that is no part of CSPM: %.10s", p->at);
}

static bool is(const struct parser *p, const char *text)
{
    return p->token != TOKEN_END && p->token != TOKEN_NUMBER && strcmp(p->text, text) == 0;
}

static void expect(struct parser *p, const char *text)
{
    if (!is(p, text))
        reject(p, "expected %s", text);
    next(p);
}

static bool accept(struct parser *p, const char *text)
{
    if (!is(p, text))
        return false;
    next(p);
    return true;
}

static void expect_name(struct parser *p, char name[NAME_SIZE])
{
    static const char *const keywords[] = {"datatype", "channel", "assert", "if",  "then",
                                           "else",     "let",     "within", "and", "or",
                                           "not",      "STOP",    "SKIP"};
    if (p->token != TOKEN_NAME)
        reject(p, "expected a name, not '%s'", p->text);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(p->text, keywords[i]) == 0)
            reject(p, "the keyword %s is no name", p->text);
    strcpy(name, p->text);
    next(p);
}

static const struct symbol *find(const struct parser *p, const char *name)
{
    for (size_t i = 0; i < p->symbol_count; i++)
        if (strcmp(p->symbols[i].name, name) == 0)
            return &p->symbols[i];
    return NULL;
}

static void declare(struct parser *p, const char *name, enum kind kind, unsigned fields)
{
    if (find(p, name))
        reject(p, "%s is declared twice", name);
    if (p->symbol_count == SYMBOLS_MAX)
        reject(p, "%s", "too many names");
    struct symbol *symbol = &p->symbols[p->symbol_count++];
    strcpy(symbol->name, name);
    symbol->kind = kind;
    symbol->fields = fields;
}

static bool is_bound(const struct parser *p, const char *name)
{
    for (unsigned i = 0; i < p->bound_count; i++)
        if (strcmp(p->bound[i], name) == 0)
            return true;
    return false;
}

/* A bound name must not be a constructor: there it would be a pattern. */
static void bind(struct parser *p, const char *name)
{
    if (find(p, name))
        reject(p, "%s is bound, but declared as something else", name);
    if (p->bound_count == BOUND_MAX)
        reject(p, "%s", "too many bound names");
    strcpy(p->bound[p->bound_count++], name);
}

static void set_expression(struct parser *p);

/* n, n + 1, t2, 3, {t} ... : an argument or a field. */
static void value(struct parser *p)
{
    if (is(p, "{") || is(p, "union") || is(p, "diff")) {
        set_expression(p);
        return;
    }
    if (p->token == TOKEN_NUMBER) {
        next(p);
    } else {
        char name[NAME_SIZE];
        expect_name(p, name);
        const struct symbol *symbol = find(p, name);
        bool value = symbol && (symbol->kind == KIND_MEMBER || symbol->kind == KIND_TYPE);
        if (!is_bound(p, name) && !value)
            reject(p, "%s is no value", name);
    }
    if (is(p, "+") || is(p, "-")) {
        next(p);
        if (p->token != TOKEN_NUMBER)
            reject(p, "expected a number, not '%s'", p->text);
        next(p);
    }
}

static void channels_of_set(struct parser *p)
{
    do {
        char name[NAME_SIZE];
        expect_name(p, name);
        const struct symbol *symbol = find(p, name);
        if (!symbol || symbol->kind != KIND_CHANNEL)
            reject(p, "%s is no channel", name);
    } while (accept(p, ","));
    expect(p, "|}");
}

static void elements_of_set(struct parser *p)
{
    if (accept(p, "}"))
        return;
    do {
        const struct symbol *symbol = p->token == TOKEN_NAME ? find(p, p->text) : NULL;
        if (symbol && symbol->kind == KIND_CHANNEL && symbol->fields == 0)
            next(p); /* a set of events */
        else
            value(p);
    } while (accept(p, ","));
    if (accept(p, ".."))
        value(p);
    expect(p, "}");
}

static void set_expression(struct parser *p)
{
    if (accept(p, "{|")) {
        channels_of_set(p);
    } else if (accept(p, "{")) {
        elements_of_set(p);
    } else if (is(p, "union") || is(p, "diff")) {
        next(p);
        expect(p, "(");
        set_expression(p);
        expect(p, ",");
        set_expression(p);
        expect(p, ")");
    } else {
        char name[NAME_SIZE];
        expect_name(p, name);
        const struct symbol *symbol = find(p, name);
        bool set = symbol && (symbol->kind == KIND_TYPE ||
                              (symbol->kind == KIND_DEFINITION && symbol->fields == 0));
        if (!set && !is_bound(p, name) && strcmp(name, "Events") != 0)
            reject(p, "%s is no set", name);
    }
}

static void process(struct parser *p);

/* channel.a!b?c:S -> ... */
static void event(struct parser *p, const struct symbol *channel)
{
    unsigned fields = 0;
    for (;; fields++) {
        if (accept(p, ".") || accept(p, "!")) {
            value(p);
        } else if (accept(p, "?")) {
            char name[NAME_SIZE];
            expect_name(p, name);
            if (accept(p, ":"))
                set_expression(p);
            bind(p, name);
        } else {
            break;
        }
    }
    if (fields != channel->fields)
        reject(p, "channel %s with another number of fields", channel->name);
}

static void call(struct parser *p, const char *name)
{
    unsigned arguments = 0;
    if (accept(p, "(")) {
        do {
            value(p);
            arguments++;
        } while (accept(p, ","));
        expect(p, ")");
    }
    if (p->deferred_count == DEFERRED_MAX)
        reject(p, "%s", "too many calls");
    struct deferred *use = &p->deferred[p->deferred_count++];
    strcpy(use->name, name);
    use->arguments = arguments;
    use->line = p->token_line;
}

static void condition(struct parser *p)
{
    if (accept(p, "empty")) {
        expect(p, "(");
        set_expression(p);
        expect(p, ")");
        return;
    }
    value(p);
    if (!accept(p, "==") && !accept(p, "<") && !accept(p, ">"))
        reject(p, "expected a comparison, not '%s'", p->text);
    value(p);
}

static void replicated(struct parser *p)
{
    unsigned bound = p->bound_count;
    char name[NAME_SIZE];
    next(p);
    expect_name(p, name);
    expect(p, ":");
    set_expression(p);
    expect(p, "@");
    bind(p, name);
    process(p);
    p->bound_count = bound;
}

/* Prefixes bind to the right: what an input binds is known after its arrow. */
static void prefix(struct parser *p)
{
    unsigned bound = p->bound_count;
    if (accept(p, "(")) {
        process(p);
        expect(p, ")");
    } else if (is(p, "|||") || is(p, "[]") || is(p, "|~|")) {
        replicated(p);
    } else if (accept(p, "if")) {
        condition(p);
        expect(p, "then");
        process(p);
        expect(p, "else");
        process(p);
    } else if (!accept(p, "STOP") && !accept(p, "SKIP")) {
        char name[NAME_SIZE];
        if (p->token != TOKEN_NAME)
            reject(p, "expected a process, not '%s'", p->text);
        const struct symbol *symbol = find(p, p->text);
        bool variable = is_bound(p, p->text);
        if (variable && strcmp(p->text, "e") != 0) {
            condition(p);
            expect(p, "&");
            prefix(p);
        } else {
            expect_name(p, name);
            if (symbol && symbol->kind == KIND_CHANNEL)
                event(p, symbol);
            if (variable || (symbol && symbol->kind == KIND_CHANNEL)) {
                expect(p, "->");
                prefix(p);
            } else {
                call(p, name);
            }
        }
    }
    p->bound_count = bound;
}

/* From tight to loose: -> & ; /\ [] |~| [| |] ||| and hiding. */
static void binary(struct parser *p, unsigned level)
{
    static const char *const operators[] = {";", "/\\", "[]", "|~|", "[|", "|||"};
    if (level == 0) {
        prefix(p);
        return;
    }
    binary(p, level - 1);
    while (accept(p, operators[level - 1])) {
        if (strcmp(operators[level - 1], "[|") == 0) {
            set_expression(p);
            expect(p, "|]");
        }
        binary(p, level - 1);
    }
}

static void process(struct parser *p)
{
    binary(p, 6);
    while (accept(p, "\\"))
        set_expression(p);
}

static void datatype(struct parser *p)
{
    char name[NAME_SIZE];
    expect_name(p, name);
    declare(p, name, KIND_TYPE, 0);
    expect(p, "=");
    do {
        expect_name(p, name);
        declare(p, name, KIND_MEMBER, 0);
    } while (accept(p, "|"));
}

static void channel(struct parser *p)
{
    size_t first = p->symbol_count;
    unsigned fields = 0;
    do {
        char name[NAME_SIZE];
        expect_name(p, name);
        declare(p, name, KIND_CHANNEL, 0);
    } while (accept(p, ","));
    if (accept(p, ":"))
        do {
            set_expression(p);
            fields++;
        } while (accept(p, "."));
    for (size_t i = first; i < p->symbol_count; i++)
        p->symbols[i].fields = fields;
}

static void definition(struct parser *p)
{
    char name[NAME_SIZE];
    unsigned parameters = 0;
    p->bound_count = 0;
    expect_name(p, name);
    if (accept(p, "("))
        do {
            char parameter[NAME_SIZE];
            expect_name(p, parameter);
            bind(p, parameter);
            parameters++;
        } while (accept(p, ",") || (expect(p, ")"), false));
    declare(p, name, KIND_DEFINITION, parameters);
    expect(p, "=");
    if (is(p, "{") || is(p, "{|"))
        set_expression(p);
    else
        process(p);
    p->bound_count = 0;
}

static void assertion(struct parser *p)
{
    process(p);
    if (!accept(p, "[T=") && !accept(p, "[F="))
        reject(p, "expected a refinement, not '%s'", p->text);
    process(p);
}

static void script(struct parser *p)
{
    next(p);
    while (p->token != TOKEN_END) {
        if (accept(p, "datatype"))
            datatype(p);
        else if (accept(p, "channel"))
            channel(p);
        else if (accept(p, "assert"))
            assertion(p);
        else
            definition(p);
    }
    for (size_t i = 0; i < p->deferred_count; i++) {
        const struct symbol *symbol = find(p, p->deferred[i].name);
        p->token_line = p->deferred[i].line;
        if (!symbol || symbol->kind != KIND_DEFINITION)
            reject(p, "%s is not defined", p->deferred[i].name);
        if (symbol->fields != p->deferred[i].arguments)
            reject(p, "%s has another number of parameters", p->deferred[i].name);
    }
}

bool cspm_syntax_check(const char *text, struct cspm_syntax_error *error)
{
    struct parser *p = calloc(1, sizeof *p);
    p->at = text;
    p->line = 1;
    p->error = error;
    p->symbols = calloc(SYMBOLS_MAX, sizeof *p->symbols);
    p->deferred = calloc(DEFERRED_MAX, sizeof *p->deferred);
    bool good = !setjmp(p->failure);
    if (good)
        script(p);
    free(p->symbols);
    free(p->deferred);
    free(p);
    return good;
}
