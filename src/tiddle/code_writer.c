/* SPDX-License-Identifier: MIT */
#include "tiddle/code_writer.h"

#include "tiddle/code_printer.h"

#include <ctype.h>
#include <inttypes.h>

struct writing {
    FILE *out;
    const struct code *code;
    const char *name; /* of the file: what can stand in a string and a comment */
    bool lines;
};

static void write_declarations(const struct writing *writing)
{
    static const char *const before[CODE_NAMES] = {
        [CODE_VARIABLES] = "static volatile number shared_",
        [CODE_LOCKS] = "static pthread_mutex_t lock_",
        [CODE_CONDITIONS] = "static pthread_cond_t condition_",
        [CODE_SEMAPHORES] = "static sem_t semaphore_",
        [CODE_THREADS] = "static pthread_t handle_",
    };
    static const char *const behind[CODE_NAMES] = {
        [CODE_VARIABLES] = "",
        [CODE_LOCKS] = " = PTHREAD_MUTEX_INITIALIZER",
        [CODE_CONDITIONS] = " = PTHREAD_COND_INITIALIZER",
        [CODE_SEMAPHORES] = "",
        [CODE_THREADS] = "",
    };
    const struct code *code = writing->code;
    for (unsigned names = 0; names < CODE_NAMES; names++)
        for (uint32_t i = 0; before[names] && i < intern_count(code->names[names]); i++)
            if (names != CODE_THREADS || i != code->root)
                fprintf(writing->out, "%s%s%s;\n", before[names], code_name(code, names, i),
                        behind[names]);
}

static void write_heading(const struct writing *writing)
{
    fprintf(writing->out,
            "/* Made by preplay tiddle from %s.\n"
            " * Its threads run in any order. Compile it with -pthread. */\n"
            "#include <pthread.h>\n#include <semaphore.h>\n#include <stdint.h>\n"
            "#include <stdio.h>\n#include <stdlib.h>\n\n"
            "typedef int64_t number;\n"
            "#define ADD(a, b) ((number)((uint64_t)(a) + (uint64_t)(b)))\n"
            "#define SUBTRACT(a, b) ((number)((uint64_t)(a) - (uint64_t)(b)))\n\n",
            writing->name);
    write_declarations(writing);
    fprintf(writing->out,
            "\n/* In the line itself: two assertions are two failures. */\n"
            "#define CHECK(line, what, holds) \\\n"
            "    do { \\\n"
            "        if (!(holds)) { \\\n"
            "            fprintf(stderr, \"%s:%%d: assertion failed: %%s\\n\", line, what); \\\n"
            "            abort(); \\\n"
            "        } \\\n"
            "    } while (0)\n\n"
            "__attribute__((unused)) static number exchange(volatile number *variable, number "
            "wanted, number value)\n{\n"
            "    __atomic_compare_exchange_n(variable, &wanted, value, 0, __ATOMIC_SEQ_CST, "
            "__ATOMIC_SEQ_CST);\n"
            "    return wanted;\n}\n",
            writing->name);
}

static void write_term(const struct writing *writing, const struct code_term *term)
{
    if (term->is_local)
        fprintf(writing->out, "own_%s", code_name(writing->code, CODE_LOCALS, term->local));
    else
        fprintf(writing->out, "INT64_C(%" PRId64 ")", term->number);
}

static void write_value(const struct writing *writing, const struct code_value *value)
{
    if (value->sign)
        fputs(value->sign == '+' ? "ADD(" : "SUBTRACT(", writing->out);
    write_term(writing, &value->first);
    if (!value->sign)
        return;
    fputs(", ", writing->out);
    write_term(writing, &value->second);
    putc(')', writing->out);
}

static void write_comparison(const struct writing *writing, const struct code_line *line)
{
    putc('(', writing->out);
    write_value(writing, &line->value);
    fprintf(writing->out, " %s ", code_sign(line->comparison));
    write_value(writing, &line->wanted);
    putc(')', writing->out);
}

static void write_access(const struct writing *writing, const struct code_line *line,
                         const char *own, const char *variable)
{
    FILE *out = writing->out;
    switch (line->op) {
    case CODE_READ:
        fprintf(out, "own_%s = shared_%s;", own, variable);
        return;
    case CODE_ATOMIC_READ:
        fprintf(out, "own_%s = __atomic_load_n(&shared_%s, __ATOMIC_SEQ_CST);", own, variable);
        return;
    case CODE_WRITE:
        fprintf(out, "shared_%s = ", variable);
        write_value(writing, &line->value);
        fputs(";", out);
        return;
    case CODE_ATOMIC_WRITE:
        fprintf(out, "__atomic_store_n(&shared_%s, ", variable);
        break;
    case CODE_ADD:
        fprintf(out, "own_%s = __atomic_fetch_add(&shared_%s, ", own, variable);
        break;
    default:
        fprintf(out, "own_%s = exchange(&shared_%s, ", own, variable);
        write_value(writing, &line->wanted);
        fputs(", ", out);
    }
    write_value(writing, &line->value);
    fputs(line->op == CODE_EXCHANGE ? ");" : ", __ATOMIC_SEQ_CST);", out);
}

static void write_thread_operation(const struct writing *writing, const struct code_line *line)
{
    const char *other = code_name(writing->code, CODE_THREADS, line->other);
    uint32_t runs = writing->code->threads.items[line->other].runs;
    if (line->op == CODE_JOIN)
        fprintf(writing->out, "pthread_join(handle_%s, NULL);", other);
    else
        fprintf(writing->out, "pthread_create(&handle_%s, NULL, thread_%s, NULL);", other,
                code_name(writing->code, CODE_THREADS, runs));
}

static void write_synchronisation(const struct writing *writing, const struct code_line *line,
                                  const char *own, const char *object)
{
    FILE *out = writing->out;
    switch (line->op) {
    case CODE_ACQUIRE:
        fprintf(out, "pthread_mutex_lock(&lock_%s);", object);
        break;
    case CODE_TRY_ACQUIRE:
        fprintf(out, "own_%s = pthread_mutex_trylock(&lock_%s) == 0;", own, object);
        break;
    case CODE_RELEASE:
        fprintf(out, "pthread_mutex_unlock(&lock_%s);", object);
        break;
    case CODE_WAIT:
        fprintf(out, "pthread_cond_wait(&condition_%s, &lock_%s);", object,
                code_name(writing->code, CODE_LOCKS, line->other));
        break;
    case CODE_NOTIFY:
        fprintf(out, "pthread_cond_signal(&condition_%s);", object);
        break;
    case CODE_NOTIFY_ALL:
        fprintf(out, "pthread_cond_broadcast(&condition_%s);", object);
        break;
    case CODE_POST:
        fprintf(out, "sem_post(&semaphore_%s);", object);
        break;
    case CODE_SEMWAIT:
        fprintf(out, "sem_wait(&semaphore_%s);", object);
        break;
    default:
        fprintf(out, "own_%s = sem_trywait(&semaphore_%s) == 0;", own, object);
    }
}

/* What concerns nobody else. */
static void write_local(const struct writing *writing, const struct code_line *line,
                        const char *own)
{
    FILE *out = writing->out;
    switch (line->op) {
    case CODE_LET:
        fprintf(out, "own_%s = ", own);
        write_value(writing, &line->value);
        fputs(";", out);
        break;
    case CODE_IF:
        fputs("if ", out);
        write_comparison(writing, line);
        fputs(" {", out);
        break;
    case CODE_ASSERT:
        fprintf(out, "CHECK(%u, \"", line->number);
        code_print_comparison(out, writing->code, line);
        fputs("\", ", out);
        write_comparison(writing, line);
        fputs(");", out);
        break;
    default:
        fputs(code_word(line->op), out);
    }
}

static void write_line(const struct writing *writing, const struct code_line *line)
{
    const struct code *code = writing->code;
    enum code_names names = code_object_names(line->op);
    const char *own = code_has_local(line->op) ? code_name(code, CODE_LOCALS, line->local) : "";
    const char *object = names != CODE_NAMES ? code_name(code, names, line->object) : "";
    if (writing->lines)
        fprintf(writing->out, "#line %u \"%s\"\n", line->number, writing->name);
    fprintf(writing->out, "%*s", 4 + 4 * line->depth, "");
    if (names == CODE_VARIABLES)
        write_access(writing, line, own, object);
    else if (names != CODE_NAMES)
        write_synchronisation(writing, line, own, object);
    else if (line->op == CODE_FORK || line->op == CODE_JOIN)
        write_thread_operation(writing, line);
    else
        write_local(writing, line, own);
    putc('\n', writing->out);
}

/* All of them, used or not: which are, nobody needs to know. */
static void write_locals(const struct writing *writing)
{
    const struct code *code = writing->code;
    uint32_t count = intern_count(code->names[CODE_LOCALS]);
    for (uint32_t i = 0; i < count; i++)
        fprintf(writing->out, "    number own_%s = 0;\n", code_name(code, CODE_LOCALS, i));
    for (uint32_t i = 0; i < count; i++)
        fprintf(writing->out, "    (void)own_%s;\n", code_name(code, CODE_LOCALS, i));
}

static void write_end(const struct writing *writing)
{
    const struct code *code = writing->code;
    for (uint32_t i = 0; i < intern_count(code->names[CODE_VARIABLES]); i++) {
        const char *name = code_name(code, CODE_VARIABLES, i);
        fprintf(writing->out, "    printf(\"%s%s=%%lld\", (long long)own_%s);\n", i ? " " : "",
                name, name);
    }
    fputs("    putchar('\\n');\n    return 0;\n}\n", writing->out);
}

static void write_thread(const struct writing *writing, uint32_t thread)
{
    const struct code *code = writing->code;
    const struct code_thread *written = &code->threads.items[thread];
    bool is_root = thread == code->root;
    if (is_root)
        fputs("\nint main(void)\n{\n", writing->out);
    else
        fprintf(writing->out, "\nstatic void *thread_%s(void *unused)\n{\n",
                code_name(code, CODE_THREADS, thread));
    write_locals(writing);
    for (uint32_t i = 0; is_root && i < intern_count(code->names[CODE_SEMAPHORES]); i++)
        fprintf(writing->out, "    sem_init(&semaphore_%s, 0, 0);\n",
                code_name(code, CODE_SEMAPHORES, i));
    for (size_t i = 0; i < written->order.count; i++)
        write_line(writing, &code->lines.items[written->order.items[i]]);
    if (is_root)
        write_end(writing);
    else
        fputs("    return unused;\n}\n", writing->out);
}

static char *harmless(const char *name)
{
    char *copy = strdup(name);
    for (char *at = copy; *at; at++)
        if (!isalnum((unsigned char)*at) && !strchr("._-+/ ", *at))
            *at = '_';
    return copy;
}

void code_write_program(FILE *out, const struct code *code, const char *name, bool lines)
{
    char *shown = harmless(name);
    struct writing writing = {out, code, shown, lines};
    write_heading(&writing);
    for (uint32_t i = 0; i < code->threads.count; i++)
        if (i != code->root && code->threads.items[i].runs == i)
            write_thread(&writing, i);
    write_thread(&writing, code->root);
    free(shown);
}
