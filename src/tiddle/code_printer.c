/* SPDX-License-Identifier: MIT */
#include "tiddle/code_printer.h"

#include <inttypes.h>
#include <string.h>

static void print_term(FILE *out, const struct code *code, const struct code_term *term)
{
    if (term->is_local)
        fputs(code_name(code, CODE_LOCALS, term->local), out);
    else
        fprintf(out, "%" PRId64, term->number);
}

static void print_value(FILE *out, const struct code *code, const struct code_value *value)
{
    print_term(out, code, &value->first);
    if (!value->sign)
        return;
    fprintf(out, " %c ", value->sign);
    print_term(out, code, &value->second);
}

void code_print_comparison(FILE *out, const struct code *code, const struct code_line *line)
{
    print_value(out, code, &line->value);
    fprintf(out, " %s ", code_sign(line->comparison));
    print_value(out, code, &line->wanted);
}

/* The local that the result goes to, where it has another name than what is read. */
static void print_local(FILE *out, const struct code *code, const struct code_line *line)
{
    const char *local = code_name(code, CODE_LOCALS, line->local);
    if (strcmp(local, code_name(code, code_object_names(line->op), line->object)) != 0)
        fprintf(out, " %s", local);
}

static void print_operands(FILE *out, const struct code *code, const struct code_line *line)
{
    enum code_op op = line->op;
    if (op == CODE_LIKE || op == CODE_FORK || op == CODE_JOIN || op == CODE_WAIT)
        fprintf(out, " %s",
                code_name(code, op == CODE_WAIT ? CODE_LOCKS : CODE_THREADS, line->other));
    if (op == CODE_EXCHANGE) {
        putc(' ', out);
        print_value(out, code, &line->wanted);
    }
    if (op == CODE_WRITE || op == CODE_ATOMIC_WRITE || op == CODE_ADD || op == CODE_EXCHANGE) {
        putc(' ', out);
        print_value(out, code, &line->value);
    }
    if (op == CODE_LET) {
        fprintf(out, " %s = ", code_name(code, CODE_LOCALS, line->local));
        print_value(out, code, &line->value);
    } else if (code_has_local(op)) {
        print_local(out, code, line);
    }
    if (op == CODE_IF || op == CODE_ASSERT) {
        putc(' ', out);
        code_print_comparison(out, code, line);
    }
    if (op == CODE_IF)
        fputs(" {", out);
}

static void print_operation(FILE *out, const struct code *code, const struct code_line *line)
{
    enum code_names object = code_object_names(line->op);
    fprintf(out, "%*s%s", 4 * line->depth, "", code_word(line->op));
    if (line->op == CODE_PROGRAM || line->op == CODE_ELSE || line->op == CODE_CLOSE)
        return;
    fprintf(out, " %s", code_name(code, CODE_THREADS, line->thread));
    if (object != CODE_NAMES)
        fprintf(out, " %s", code_name(code, object, line->object));
    print_operands(out, code, line);
}

static void print_comment(FILE *out, const struct code_line *line)
{
    size_t length = strlen(line->comment);
    while (length && strchr(" \t", line->comment[length - 1]))
        length--;
    fprintf(out, "%s%.*s", line->op == CODE_NOTHING ? "" : " ", (int)length, line->comment);
}

void code_print(FILE *out, const struct code *code)
{
    for (size_t i = 0; i < code->lines.count; i++) {
        const struct code_line *line = &code->lines.items[i];
        if (line->added)
            continue;
        if (line->op != CODE_NOTHING)
            print_operation(out, code, line);
        if (line->comment)
            print_comment(out, line);
        putc('\n', out);
    }
}
