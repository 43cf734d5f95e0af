/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include "base/memory.h"
#include "base/suggest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum option_kind { FLAG, COUNT, PERHAPS, BYTES, SECONDS, TEXT };

struct option {
    enum option_kind kind;
    const char *name;
    char letter;
    const char *value_name;
    uint32_t commands;
    uint64_t least, most, standard;
    const char *help;
    size_t offset; /* of its field in struct options */
};

static const struct option table[] = {
#define O(kind, field, name, letter, value, commands, least, most, standard, help)                 \
    {kind,  name, letter,   value, commands,                                                       \
     least, most, standard, help,  offsetof(struct options, field)},
    OPTION_TABLE(O)
#undef O
};

#define OPTION_COUNT (sizeof table / sizeof *table)

static const struct {
    const char *name, *synopsis, *summary;
} commands[COMMAND_COUNT] = {
#define C(id, name, function, synopsis, summary, raw) {name, synopsis, summary},
    COMMAND_TABLE(C)
#undef C
};

const char *command_name(enum command_id command)
{
    return commands[command].name;
}

const char *command_synopsis(enum command_id command)
{
    return commands[command].synopsis;
}

const char *command_summary(enum command_id command)
{
    return commands[command].summary;
}

static bool known_to(const struct option *option, enum command_id command)
{
    return option->commands >> command & 1;
}

static const struct option *find_long(enum command_id command, const char *name, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (known_to(&table[i], command) && strlen(table[i].name) == length &&
            memcmp(table[i].name, name, length) == 0)
            return &table[i];
    return NULL;
}

static const struct option *find_letter(enum command_id command, char letter)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (known_to(&table[i], command) && table[i].letter == letter)
            return &table[i];
    return NULL;
}

static bool exists_somewhere(const char *name, size_t length)
{
    for (unsigned command = 0; command < COMMAND_COUNT; command++)
        if (find_long(command, name, length))
            return true;
    return false;
}

static uint64_t unit_of(const char *text)
{
    switch (*text) {
    case 'k':
    case 'K':
        return UINT64_C(1) << 10;
    case 'm':
    case 'M':
        return UINT64_C(1) << 20;
    case 'g':
    case 'G':
        return UINT64_C(1) << 30;
    default:
        return 0;
    }
}

static bool parse_number(const struct option *option, const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (errno || end == text || *text == '-' || *text == ' ')
        return false;
    if (option->kind == BYTES && *end) {
        uint64_t unit = unit_of(end);
        if (!unit || end[1] || __builtin_mul_overflow(*number, unit, number))
            return false;
        end++;
    }
    return !*end && *number >= option->least && *number <= option->most;
}

static bool parse_seconds(const struct option *option, const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    if (*end == 's')
        end++;
    return end != text && !*end && isfinite(*seconds) && *seconds >= (double)option->least &&
           *seconds <= (double)option->most;
}

static int set(struct options *options, const struct option *option, const char *value,
               struct error *error)
{
    void *field = (char *)options + option->offset;
    switch (option->kind) {
    case FLAG:
        *(bool *)field = !value || strcmp(value, "0") != 0;
        return 0;
    case TEXT:
        *(const char **)field = value;
        return 0;
    case SECONDS:
        if (parse_seconds(option, value, field))
            return 0;
        break;
    case PERHAPS:
        if (!value) {
            *(uint64_t *)field = option->most;
            return 0;
        }
        __attribute__((fallthrough));
    default:
        if (parse_number(option, value, field))
            return 0;
    }
    return error_set(error, ERROR_USAGE, "--%s takes a number from %llu to %llu, not '%s'",
                     option->name, (unsigned long long)option->least,
                     (unsigned long long)option->most, value);
}

static void set_standards(struct options *options)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        void *field = (char *)options + table[i].offset;
        if (table[i].kind == SECONDS)
            *(double *)field = (double)table[i].standard;
        else if (table[i].kind == COUNT || table[i].kind == BYTES)
            *(uint64_t *)field = table[i].standard;
    }
}

/* PREPLAY_OPTIONS="name=value:name:...". The copy is never freed: text options
 * point into it, and the environment lives as long as the process. */
static int parse_environment(struct options *options, struct error *error)
{
    const char *environment = getenv("PREPLAY_OPTIONS");
    if (!environment)
        return 0;
    static char copy[4096];
    if (snprintf(copy, sizeof copy, "%s", environment) >= (int)sizeof copy)
        return error_set(error, ERROR_USAGE, "PREPLAY_OPTIONS is longer than %zu bytes",
                         sizeof copy);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, ":"));) {
        char *value = strchr(word, '=');
        size_t length = value ? (size_t)(value - word) : strlen(word);
        const struct option *option = find_long(options->command, word, length);
        if (!length || (!option && exists_somewhere(word, length)))
            continue; /* meant for another subcommand */
        if (!option)
            return error_set(error, ERROR_USAGE, "PREPLAY_OPTIONS names no option: '%s'", word);
        if (option->kind != FLAG && option->kind != PERHAPS && !value)
            return error_set(error, ERROR_USAGE, "PREPLAY_OPTIONS: %s needs a value", word);
        if (set(options, option, value ? value + 1 : NULL, error))
            return -1;
    }
    return 0;
}

static bool is_number(const char *word)
{
    return word && *word && word[strspn(word, "0123456789")] == '\0';
}

static int no_such_option(enum command_id command, const char *word, bool is_long,
                          struct error *error)
{
    struct suggestion suggestion = {0};
    for (size_t i = 0; is_long && i < OPTION_COUNT; i++)
        if (table[i].commands & 1u << command)
            suggest(&suggestion, word + 2, strlen(word + 2), table[i].name);
    if (suggestion.nearest)
        return error_set(error, ERROR_USAGE, "preplay %s has no option '%s'; did you mean '--%s'?",
                         command_name(command), word, suggestion.nearest);
    return error_set(error, ERROR_USAGE, "preplay %s has no option '%s' (see preplay %s --help)",
                     command_name(command), word, command_name(command));
}

/* Handles words[at], an option; returns how many words it took, or -1. */
static int parse_option(struct options *options, char **words, size_t at, struct error *error)
{
    const char *word = words[at];
    bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const struct option *option =
        is_long ? find_long(options->command, word + 2,
                            equals ? (size_t)(equals - word - 2) : strlen(word + 2))
                : find_letter(options->command, word[1]);
    if (!option)
        return no_such_option(options->command, word, is_long && !equals, error);
    if (option->kind == FLAG) {
        if (equals || (!is_long && word[2]))
            return error_set(error, ERROR_USAGE, "--%s takes no value", option->name);
        return set(options, option, NULL, error) ? -1 : 1;
    }
    if (option->kind == PERHAPS && !equals && !is_number(words[at + 1])) {
        *(uint64_t *)((char *)options + option->offset) = option->most;
        return 1;
    }
    const char *value = equals ? equals + 1 : !is_long && word[2] ? word + 2 : words[at + 1];
    if (!value)
        return error_set(error, ERROR_USAGE, "--%s needs a value: %s", option->name,
                         option->value_name);
    if (set(options, option, value, error))
        return -1;
    return value == words[at + 1] ? 2 : 1;
}

int options_parse(struct options *options, enum command_id command, bool program_follows,
                  char **words, struct error *error)
{
    size_t count = 0;
    while (words[count])
        count++;
    *options = (struct options){.command = command};
    options->arguments = NEW_ARRAY(const char *, count + 2) /* a TRACE may go without saying */;
    set_standards(options);
    if (parse_environment(options, error))
        return -1;
    bool only_arguments = false;
    for (size_t at = 0; at < count;) {
        const char *word = words[at];
        if (only_arguments || word[0] != '-' || !word[1]) {
            options->arguments[options->argument_count++] = word;
            only_arguments |= program_follows;
            at++;
            continue;
        }
        if (strcmp(word, "--") == 0) {
            only_arguments = true;
            at++;
            continue;
        }
        int taken = parse_option(options, words, at, error);
        if (taken < 0)
            return -1;
        at += (size_t)taken;
    }
    options->jobs_said = options->jobs != OPTION_UNSAID;
    if (!options->jobs_said)
        options->jobs = 1;
    return 0;
}

void options_free(struct options *options)
{
    free(options->arguments);
    trace_lock_release(&options->lock);
    options->arguments = NULL;
}

static void print_option(FILE *out, const struct option *option)
{
    char left[64];
    int length = option->letter ? snprintf(left, sizeof left, "-%c, ", option->letter)
                                : snprintf(left, sizeof left, "    ");
    snprintf(left + length, sizeof left - (size_t)length, "--%s%s%s", option->name,
             *option->value_name ? " " : "", option->value_name);
    fprintf(out, "  %-26s %s", left, option->help);
    if (option->standard && option->standard != OPTION_UNSAID && option->kind != FLAG)
        fprintf(out, " [%llu]", (unsigned long long)option->standard);
    putc('\n', out);
}

void options_help(FILE *out, enum command_id command)
{
    fprintf(out, "Usage: preplay %s %s\n\n%s.\n", commands[command].name,
            commands[command].synopsis, commands[command].summary);
    bool any = false;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (!known_to(&table[i], command))
            continue;
        if (!any)
            fputs("\nOptions:\n", out);
        any = true;
        print_option(out, &table[i]);
    }
}

bool options_row(enum command_id command, size_t *at, struct option_row *row)
{
    while (*at < OPTION_COUNT && !known_to(&table[*at], command))
        ++*at;
    if (*at == OPTION_COUNT)
        return false;
    const struct option *option = &table[(*at)++];
    *row = (struct option_row){
        .name = option->name,
        .value = option->value_name,
        .help = option->help,
        .letter = option->letter,
        .standard =
            option->kind == FLAG || option->standard == OPTION_UNSAID ? 0 : option->standard,
    };
    return true;
}
