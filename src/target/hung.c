/* SPDX-License-Identifier: MIT */
#include "target/hung.h"

#include "target/blocked.h"
#include "target/processes.h"
#include "target/standstill.h"
#include "target/writer.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STILL_LOOKS = 3, /* without a step, before the trace is asked */
    GRACE_LOOKS = 2, /* until one that was told to end is killed */
};

static void notice(void *context, const char *directory)
{
    struct hung *self = context;
    uint32_t id = intern(self->directories, directory, strlen(directory));
    if (id == self->processes.count)
        array_push(&self->processes,
                   ((struct hung_process){.directory = intern_text(self->directories, id)}));
}

/* Read again each time: a process that calls exec gives its directory up for a new one. */
static int process_of(const char *directory)
{
    char path[PATH_MAX + 16];
    int process = 0;
    snprintf(path, sizeof path, "%s/process", directory);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%d", &process) != 1)
        process = 0;
    if (file)
        fclose(file);
    return process;
}

static void say(const struct hung *self, const struct hung_process *process, uint32_t threads,
                double now)
{
    fputs("preplay: ", stderr);
    if (process->process == self->program)
        fputs("the program", stderr);
    else
        fprintf(stderr, "process %d", process->process);
    fprintf(stderr, " hung: %u thread%s waiting; stopped after %.1f s, since none can ever go on\n",
            threads, threads == 1 ? " was" : "s were", now - self->begun);
}

static void stop(struct hung *self, struct hung_process *process, double now)
{
    uint32_t threads = standstill_threads(process->process, process->directory);
    if (!threads || !writer_records_into(process->process, self->directory))
        return;
    say(self, process, threads, now);
    self->program_hung |= process->process == self->program;
    process->told = true;
    process->still = 0;
    kill(process->process, SIGTERM);
}

static void look_at(struct hung *self, struct hung_process *process, double now)
{
    int number = process->over ? 0 : process_of(process->directory);
    uint64_t ran = 0;
    bool alive = number && standstill_ran(number, &ran);
    process->over |= number && !alive;
    bool still = alive && number == process->process && ran == process->ran;
    process->told = process->told && number == process->process;
    process->process = number;
    process->ran = ran;
    process->still = still ? process->still + 1 : 0;
    /* Once for every time that it stops: an idle server is not to be asked for ever. */
    if (!process->told && process->still == STILL_LOOKS)
        stop(self, process, now);
    else if (process->told && process->still >= GRACE_LOOKS && blocked_for_good(number))
        kill(number, SIGKILL); /* not if its handler waits for something else, to end well */
}

void hung_look(struct hung *self, double now)
{
    if (now < self->next)
        return;
    self->next = now + HUNG_LOOK * 0.9; /* whoever sleeps may wake up a little early */
    if (!self->directories)
        self->directories = interner_create();
    processes_each(self->directory, notice, self);
    for (size_t i = 0; i < self->processes.count; i++)
        look_at(self, &self->processes.items[i], now);
}

void hung_free(struct hung *self)
{
    interner_destroy(self->directories);
    array_free(&self->processes);
}
