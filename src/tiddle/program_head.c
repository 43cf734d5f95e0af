/* SPDX-License-Identifier: MIT */
#include "tiddle/program_parts.h"
#include "tiddle/templates.h"

#include <ctype.h>
#include <string.h>

static const char *name(struct program *program, enum object_class class, uint32_t id)
{
    return identifier(program->identifiers, class, id);
}

static bool uses(const struct program *program, uint64_t ops)
{
    return program->plan.ops & ops;
}

#define OPS_BLOCKING (OP_BIT(EVENT_WAIT_BEGIN) | OP_BIT(EVENT_BARRIER_ENTER))

static void write_heading(struct program *program)
{
    static const char *const promises[] = {
        [PROGRAM_TURNS] = "It performs exactly the order of the trace, at every run",
        [PROGRAM_NONE] = "It performs the operations of the trace in any order",
        [PROGRAM_SLEEP] = "It performs the order of the trace at most runs, by sleeping",
        [PROGRAM_YIELD] = "It performs the operations of the trace in any order, yielding often",
    };
    FILE *out = program->out;
    fputs("/* Made by preplay tiddle from ", out);
    for (const char *at = program->options->name; *at; at++)
        putc(isprint((unsigned char)*at) && !(at[0] == '*' && at[1] == '/') ? *at : '?', out);
    fprintf(out,
            ".\n * %s%s.\n"
            " * Compile it with -pthread; -DPRINT makes it print each operation it performs. */\n",
            promises[program->options->order],
            program->options->next_order ? ", then its equivalents" : "");
}

static void write_includes(struct program *program)
{
    FILE *out = program->out;
    fputs("#define _GNU_SOURCE\n#include <errno.h>\n"
          "#include <limits.h>\n",
          out);
    if (program->strict)
        fputs("#include <linux/futex.h>\n", out);
    fputs("#include <pthread.h>\n#include <sched.h>\n#include <semaphore.h>\n#include <signal.h>\n"
          "#include <stdio.h>\n#include <stdlib.h>\n",
          out);
    if (program->strict)
        fputs("#include <sys/syscall.h>\n", out);
    fputs("#include <time.h>\n#include <unistd.h>\n\n", out);
}

static void write_machinery(struct program *program)
{
    FILE *out = program->out;
    if (program->strict) {
        fputs(template_unseen, out);
        if (program->options->next_order)
            fputs("\n/* Where each step comes in the order that is performed now. */\n"
                  "static const unsigned *place_of;\n"
                  "#define PLACE(step) ((step) == NEVER ? NEVER : place_of[step])\n",
                  out);
        else
            fputs("#define PLACE(step) (step)\n", out);
        if (uses(program, OPS_BLOCKING))
            fprintf(out, "#define STEPS %u\n", program->plan.history->count);
        fputs(uses(program, OPS_BLOCKING) ? template_blocking : "#define settle() ((void)0)\n",
              out);
        fputs(template_steps, out);
    } else {
        fputs("#define NEVER UINT_MAX\n\n", out);
        fputs(program->options->order == PROGRAM_SLEEP   ? template_loose_sleep
              : program->options->order == PROGRAM_YIELD ? template_loose_yield
                                                         : template_loose_none,
              out);
        fputs(template_loose, out);
        if (uses(program, OPS_BLOCKING))
            fputs(template_loose_blocking, out);
    }
    if (uses(program, OP_BIT(EVENT_BRANCH)))
        fputs(template_branch, out);
    if (uses(program, OP_BIT(EVENT_BLOCK_BEGIN)))
        fputs(template_blocks, out);
    fputs(template_macros, out);
}

static void write_variables(struct program *program)
{
    const struct plan *plan = &program->plan;
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_VARIABLE); id++) {
        fprintf(program->out, "SHARED long %s%s", plan->heap[id] ? "*" : "",
                name(program, CLASS_VARIABLE, id));
        if (plan->initial[id] && !plan->heap[id]) {
            fputs(" = ", program->out);
            operation_write_value(program->out, plan->initial[id]);
        }
        fputs(";\n", program->out);
    }
}

static void write_objects(struct program *program)
{
    FILE *out = program->out;
    fputs("\n/* Not to be optimised away, even if nobody reads it. */\n"
          "#define SHARED static __attribute__((used))\n",
          out);
    write_variables(program);
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_LOCK); id++)
        fprintf(out,
                program->plan.is_rwlock[id]
                    ? "static pthread_rwlock_t %s = PTHREAD_RWLOCK_INITIALIZER;\n"
                    : "static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;\n",
                name(program, CLASS_LOCK, id));
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_CONDITION); id++)
        fprintf(out, "static pthread_cond_t %s = PTHREAD_COND_INITIALIZER;\n",
                name(program, CLASS_CONDITION, id));
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_SEMAPHORE); id++)
        fprintf(out, "static sem_t %s;\n", name(program, CLASS_SEMAPHORE, id));
    for (uint32_t id = 0; id < trace_count(program->trace, CLASS_ONCE); id++)
        fprintf(out, "static pthread_once_t %s = PTHREAD_ONCE_INIT;\n",
                name(program, CLASS_ONCE, id));
}

void program_for_barriers(struct program *program,
                          void (*each)(FILE *out, const char *name, uint32_t parties))
{
    const struct plan *plan = &program->plan;
    struct interner *seen = interner_create();
    for (uint32_t i = 0; i < trace_barrier_instances(program->trace); i++) {
        const char *barrier = program->bodies.barrier_name[i];
        if (intern_find(seen, barrier, strlen(barrier)) != INTERN_NONE)
            continue;
        intern(seen, barrier, strlen(barrier));
        each(program->out, barrier, plan->parties[i]);
    }
    interner_destroy(seen);
}

static void declare_barrier(FILE *out, const char *barrier, uint32_t parties)
{
    (void)parties;
    fprintf(out, "static pthread_barrier_t %s;\n", barrier);
}

void program_write_head(struct program *program)
{
    write_heading(program);
    write_includes(program);
    write_machinery(program);
    write_objects(program);
    program_for_barriers(program, declare_barrier);
}
