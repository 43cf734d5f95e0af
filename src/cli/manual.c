/* SPDX-License-Identifier: MIT */
#include "cli/manual.h"

#include "cli/manual_text.h"
#include "engine/engine.h"

#include <string.h>

/* scdoc's own characters in text that is none of them. */
static void print_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\_*#", *text))
            putc('\\', out);
        putc(*text, out);
    }
}

static void print_option(FILE *out, const struct option_row *row)
{
    putc('*', out);
    if (row->letter)
        fprintf(out, "-%c*, *", row->letter);
    fprintf(out, "--%s*", row->name);
    if (*row->value) {
        fputs(" ", out);
        print_text(out, row->value);
    }
    fputs("\n\t", out);
    print_text(out, row->help);
    if (row->standard)
        fprintf(out, " (%llu without it)", (unsigned long long)row->standard);
    fputs(".\n\n", out);
}

static bool takes(enum command_id command, const char *name)
{
    struct option_row row;
    for (size_t at = 0; options_row(command, &at, &row);)
        if (strcmp(row.name, name) == 0)
            return true;
    return false;
}

/* Words in bold, each with its meaning below it. */
static void print_item(FILE *out, const struct manual_item *item)
{
    putc('*', out);
    print_text(out, item->word);
    fputs("*\n\t", out);
    print_text(out, item->meaning);
    fputs(".\n\n", out);
}

/* Those of a list whose bits are in the set. */
static void print_list(FILE *out, const char *title, const struct manual_item *list, unsigned set)
{
    if (set && title)
        fprintf(out, "# %s\n\n", title);
    for (; list->word; list++, set >>= 1)
        if (set & 1)
            print_item(out, list);
}

static void print_examples(FILE *out, const struct manual_item *examples)
{
    fputs("# EXAMPLES\n\n", out);
    for (size_t i = 0; i < MANUAL_EXAMPLES && examples[i].word; i++) {
        fputs("*$ ", out);
        print_text(out, examples[i].word);
        fputs("*\n\t", out);
        print_text(out, examples[i].meaning);
        fputs("\n\n", out);
    }
}

static void print_models(FILE *out)
{
    fputs("# MODELS\n\n", out);
    print_text(out, manual_about_models);
    fputs("\n\n", out);
    for (const struct manual_item *model = manual_models; model->word; model++)
        print_item(out, model);
}

static void print_engines(FILE *out)
{
    fputs("# ENGINES\n\n", out);
    for (size_t i = 0; engine_registry[i]; i++) {
        const struct engine *engine = engine_registry[i];
        fprintf(out, "*%s*\n\t", engine->name);
        print_text(out, engine->summary);
        fputs(". Promise: ", out);
        print_text(out, engine->promise);
        fputs(".\n\n", out);
    }
}

void manual_list_engines(FILE *out, enum command_id command)
{
    if (!takes(command, "engine"))
        return;
    fputs("\nEngines:", out);
    for (size_t i = 0; engine_registry[i]; i++)
        fprintf(out, " %s", engine_registry[i]->name);
    fprintf(out, "\n(what each finds and promises: man preplay-%s, or preplay manual %s)\n",
            command_name(command), command_name(command));
}

static void print_overview(FILE *out)
{
    fputs("preplay(1)\n\n# NAME\n\npreplay - replays the concurrency bug before it happens\n\n"
          "# SYNOPSIS\n\n*preplay* COMMAND [OPTIONS] ...\n\n# DESCRIPTION\n\n"
          "Preplay watches one run of a multithreaded C or C++ program, works out which data "
          "races, deadlocks and atomicity violations other schedules of that same run would hit, "
          "and replays each to prove it.\n\n# COMMANDS\n\n",
          out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "*preplay-%s*(1)\n\t", command_name(i));
        print_text(out, command_summary(i));
        fputs(".\n\n", out);
    }
    fputs("A word that is no command is said so, with the nearest one. *preplay help* COMMAND is "
          "*preplay* COMMAND *--help*. *preplay --version* prints the version and the commit that "
          "it was built from.\n\n",
          out);
    const struct manual_text *run = &manual_texts[COMMAND_RUN];
    print_examples(out, run->examples);
    print_models(out);
    fputs("# EXIT CODES\n\nOf *preplay run*; those of the others are in their pages.\n\n", out);
    print_list(out, NULL, manual_exits, run->exits);
    print_list(out, "ENVIRONMENT", manual_variables, ~0u);
    print_list(out, "FILES", manual_files, ~0u);
}

void manual_page(FILE *out, enum command_id command)
{
    if (command == COMMAND_COUNT) {
        print_overview(out);
        return;
    }
    const char *name = command_name(command);
    fprintf(out, "preplay-%s(1)\n\n# NAME\n\npreplay-%s - ", /* scdoc takes no "+" there */
            command == COMMAND_CXX ? command_name(COMMAND_CC) : name, name);
    print_text(out, command_summary(command));
    fprintf(out, "\n\n# SYNOPSIS\n\n*preplay %s* ", name);
    print_text(out, command_synopsis(command));
    const struct manual_text *text = &manual_texts[command];
    fputs("\n\n# DESCRIPTION\n\n", out);
    print_text(out, text->description);
    fputs("\n\n# OPTIONS\n\n", out);
    for (const struct manual_item *option = text->options; option->word; option++)
        print_item(out, option);
    struct option_row row;
    for (size_t at = 0; options_row(command, &at, &row);)
        print_option(out, &row);
    fputs("*--help*\n\tA summary of this page.\n\n", out);
    print_examples(out, text->examples);
    if (takes(command, "model"))
        print_models(out);
    if (takes(command, "engine"))
        print_engines(out);
    print_list(out, "EXIT CODES", manual_exits, text->exits);
    print_list(out, "ENVIRONMENT", manual_variables, text->variables);
    print_list(out, "FILES", manual_files, text->files);
    fputs("# SEE ALSO\n\n*preplay*(1)", out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        if (i != (unsigned)command)
            fprintf(out, ", *preplay-%s*(1)", command_name(i));
    putc('\n', out);
}

/* --- completions ---------------------------------------------------------------- */

static void bash(FILE *out)
{
    struct option_row row;
    fputs("_preplay() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"",
          out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "%s%s", i ? " " : "", command_name(i));
    fputs("\" -- \"$word\"))\n        return\n    fi\n    local options=\n"
          "    case ${COMP_WORDS[1]} in\n",
          out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "    %s) options=\"--help", command_name(i));
        for (size_t at = 0; options_row(i, &at, &row);)
            fprintf(out, " --%s", row.name);
        fputs("\" ;;\n", out);
    }
    fputs("    esac\n    case $word in\n"
          "    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
          "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
          "complete -o filenames -F _preplay preplay\n",
          out);
}

/* Text inside single quotes of a shell; `also` is a character to escape as well. */
static void quoted(FILE *out, const char *text, const char *also)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr(also, *text))
            fprintf(out, "\\%c", *text);
        else
            putc(*text, out);
}

static void zsh(FILE *out)
{
    struct option_row row;
    fputs("#compdef preplay\n_preplay() {\n    local -a commands=(\n", out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "        '%s:", command_name(i));
        quoted(out, command_summary(i), ":");
        fputs("'\n", out);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
          "        return\n    fi\n    case $words[2] in\n",
          out);
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "    %s) _arguments", command_name(i));
        for (size_t at = 0; options_row(i, &at, &row);) {
            fprintf(out, " \\\n        '--%s%s[", row.name, *row.value ? "=" : "");
            quoted(out, row.help, "[]:");
            fprintf(out, "]%s'", *row.value ? ":value:_files" : "");
        }
        fputs(" \\\n        '*:file:_files' ;;\n", out);
    }
    fputs("    esac\n}\n_preplay \"$@\"\n", out);
}

static void fish(FILE *out)
{
    struct option_row row;
    for (unsigned i = 0; i < COMMAND_COUNT; i++) {
        fprintf(out, "complete -c preplay -n __fish_use_subcommand -a %s -d '", command_name(i));
        quoted(out, command_summary(i), "");
        fputs("'\n", out);
        for (size_t at = 0; options_row(i, &at, &row);) {
            fprintf(out, "complete -c preplay -n '__fish_seen_subcommand_from %s' -l %s",
                    command_name(i), row.name);
            if (row.letter)
                fprintf(out, " -s %c", row.letter);
            fprintf(out, "%s -d '", *row.value ? " -r" : "");
            quoted(out, row.help, "");
            fputs("'\n", out);
        }
    }
}

int manual_completion(FILE *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        bash(out);
    else if (strcmp(shell, "zsh") == 0)
        zsh(out);
    else if (strcmp(shell, "fish") == 0)
        fish(out);
    else
        return -1;
    return 0;
}
