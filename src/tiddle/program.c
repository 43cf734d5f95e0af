/* SPDX-License-Identifier: MIT */
#include "tiddle/program.h"

#include "base/array.h"
#include "tiddle/program_parts.h"

static const char *name(struct program *program, enum object_class class, uint32_t id)
{
    return identifier(program->identifiers, class, id);
}

static void init_barrier(FILE *out, const char *barrier, uint32_t parties)
{
    fprintf(out, "    pthread_barrier_init(&%s, NULL, %u);\n", barrier, parties);
}

/* The head of a function, up to its opening brace. */
static void write_head(struct program *program, const struct body *body)
{
    const char *text = name(program, body->class, body->object);
    if (body->class == CLASS_THREAD)
        fprintf(program->out, "static void *%s(void *unused)", text);
    else if (body->class == CLASS_ONCE)
        fprintf(program->out, "static void %s_routine(void)", text);
    else
        fprintf(program->out, "__attribute__((noinline)) static void %s(%s)", text,
                body->call ? "int call" : "void");
}

static bool is_main(const struct program *program, const struct body *body)
{
    return body->class == CLASS_THREAD && body->object == program->plan.completion.main;
}

static void write_prototypes(struct program *program)
{
    for (size_t i = 0; i < program->bodies.count; i++) {
        const struct body *body = &program->bodies.items[i];
        if (body->call > 1 || is_main(program, body))
            continue;
        if (body->class == CLASS_THREAD)
            fprintf(program->out, "static pthread_t %s_id;\n",
                    name(program, body->class, body->object));
        write_head(program, body);
        fputs(";\n", program->out);
    }
}

static int by_call(const void *left, const void *right)
{
    const struct body *a = *(const struct body *const *)left;
    const struct body *b = *(const struct body *const *)right;
    return a->object != b->object ? (a->object < b->object ? -1 : 1)
                                  : (a->call > b->call) - (a->call < b->call);
}

/* Blocks that are entered several times: one function, a case an entry. */
static void write_switches(struct program *program)
{
    struct {
        const struct body **items;
        size_t count, capacity;
    } cases = {0};
    for (size_t i = 0; i < program->bodies.count; i++)
        if (program->bodies.items[i].call)
            array_push(&cases, &program->bodies.items[i]);
    if (cases.count)
        qsort(cases.items, cases.count, sizeof *cases.items, by_call);
    for (size_t i = 0; i < cases.count; i++) {
        const struct body *body = cases.items[i];
        if (body->call == 1) {
            putc('\n', program->out);
            write_head(program, body);
            fputs("\n{\n    switch (call) {\n", program->out);
        }
        fprintf(program->out, "    case %u:\n%s        break;\n", body->call, body->text);
        if (i + 1 == cases.count || cases.items[i + 1]->call == 1)
            fputs("    }\n}\n", program->out);
    }
    array_free(&cases);
}

static void write_functions(struct program *program)
{
    write_switches(program);
    for (size_t i = 0; i < program->bodies.count; i++) {
        const struct body *body = &program->bodies.items[i];
        if (body->call || is_main(program, body))
            continue;
        putc('\n', program->out);
        write_head(program, body);
        if (body->class == CLASS_THREAD)
            fprintf(program->out, "\n{\n%s    return unused;\n}\n", body->text);
        else
            fprintf(program->out, "\n{\n%s}\n", body->text);
    }
}

/* What must be there before the first step. */
static void write_preparation(struct program *program)
{
    FILE *out = program->out;
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_SEMAPHORE); id++)
        fprintf(out, "    sem_init(&%s, 0, %u);\n", name(program, CLASS_SEMAPHORE, id),
                trace_semaphore_initial(program->trace, id));
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_VARIABLE); id++)
        if (program->plan.heap[id] && program->plan.heap_early[id])
            fprintf(out, "    %s = calloc(1, sizeof(long));\n", name(program, CLASS_VARIABLE, id));
}

static void write_main_body(struct program *program)
{
    for (size_t i = 0; i < program->bodies.count; i++)
        if (is_main(program, &program->bodies.items[i]))
            fputs(program->bodies.items[i].text, program->out);
}

static void write_main(struct program *program)
{
    FILE *out = program->out;
    fputs("\nint main(void)\n{\n", out);
    if (program->strict && program->plan.ops & OP_BIT(EVENT_WAIT_BEGIN))
        fputs("    signal(SIGUSR2, park);\n", out);
    program_for_barriers(program, init_barrier);
    write_preparation(program);
    write_main_body(program);
    if (program->strict)
        fprintf(out, "    await_step(%u); /* all is done */\n", program->plan.history->count);
    fputs("    return 0;\n}\n", out);
}

/* Puts everything back for the next order; all other threads have ended. */
static void write_reset(struct program *program)
{
    FILE *out = program->out;
    fputs("\nUNSEEN void prepare(const unsigned *places)\n{\n    place_of = places;\n"
          "    turn = 0;\n",
          out);
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_VARIABLE); id++) {
        if (program->plan.heap[id])
            continue;
        fprintf(out, "    %s = ", name(program, CLASS_VARIABLE, id));
        operation_write_value(out, program->plan.initial[id]);
        fputs(";\n", out);
    }
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_ONCE); id++)
        fprintf(out, "    %s = PTHREAD_ONCE_INIT;\n", name(program, CLASS_ONCE, id));
    write_preparation(program);
    fputs("}\n", out);
}

static uint32_t write_order(struct program *program, const uint32_t *order)
{
    const struct completion *completion = &program->plan.completion;
    uint32_t total = completion->history->count;
    uint32_t written = total - completion->forks - completion->joins;
    uint32_t *place = memory_alloc(total + 1, sizeof *place);
    for (uint32_t i = 0; i <= total; i++)
        place[i] = i;
    for (uint32_t i = 0; i < written; i++)
        place[completion->forks + order[i]] = completion->forks + i;
    fputs("    {", program->out);
    for (uint32_t i = 0; i <= total; i++)
        fprintf(program->out, i ? ", %u" : "%u", place[i]);
    fputs("},\n", program->out);
    free(place);
    return total + 1;
}

static void write_many(struct program *program)
{
    FILE *out = program->out;
    const uint32_t *order;
    write_reset(program);
    fputs("\nstatic void perform(void)\n{\n", out);
    write_main_body(program);
    fprintf(out,
            "}\n\n/* A row an order: the place of each step. */\n"
            "static const unsigned orders[][%u] = {\n",
            program->plan.history->count + 1);
    while ((order = program->options->next_order(program->options->source)))
        write_order(program, order);
    fputs("};\n\nint main(void)\n{\n", out);
    if (program->plan.ops & OP_BIT(EVENT_WAIT_BEGIN))
        fputs("    signal(SIGUSR2, park);\n", out);
    program_for_barriers(program, init_barrier);
    fputs("    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {\n"
          "#ifdef PRINT\n        printf(\"# order %zu\\n\", i + 1);\n#endif\n"
          "        prepare(orders[i]);\n        perform();\n    }\n    return 0;\n}\n",
          out);
}

static int check_many(const struct program *program, struct error *error)
{
    if (!program->options->next_order)
        return 0;
    if (!program->strict)
        return error_set(error, ERROR_USAGE,
                         "a program that performs several orders needs --order barrier");
    if (!program->plan.clean_end)
        return error_set(error, ERROR_INPUT,
                         "%s: the trace ends with a lock held, a thread waiting or a block open, "
                         "so its equivalents cannot be performed one after another",
                         program->trace->path);
    return 0;
}

/* Names of objects first, so that they, rather than functions, stay as they are. */
static void claim_names(struct program *program)
{
    static const enum object_class classes[] = {CLASS_VARIABLE,  CLASS_LOCK,  CLASS_CONDITION,
                                                CLASS_SEMAPHORE, CLASS_ONCE,  CLASS_BARRIER,
                                                CLASS_LABEL,     CLASS_THREAD};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        for (uint32_t id = 0; id < trace_count(program->trace, classes[i]); id++)
            name(program, classes[i], id);
}

int tiddle_write_program(FILE *out, struct trace *trace, const struct history *history,
                         const struct program_options *options, struct error *error)
{
    struct program program = {
        .out = out, .trace = trace, .options = options, .strict = options->order == PROGRAM_TURNS};
    int code = plan_create(&program.plan, trace, history, program.strict, error);
    if (!code)
        code = check_many(&program, error);
    if (!code) {
        program.identifiers = identifiers_create(trace);
        claim_names(&program);
        bodies_write(&program.bodies, &program.plan, program.identifiers, program.strict,
                     options->lines ? options->name : NULL);
        program_write_head(&program);
        write_prototypes(&program);
        write_functions(&program);
        if (options->next_order)
            write_many(&program);
        else
            write_main(&program);
        bodies_free(&program.bodies);
        identifiers_destroy(program.identifiers);
    }
    plan_free(&program.plan);
    return code;
}
