/* SPDX-License-Identifier: MIT */
#include "cli/progress_line.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { EVERY_NANOSECONDS = 250000000 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

bool progress_line_wanted(const struct options *options)
{
    return !options->quiet && isatty(STDERR_FILENO);
}

void progress_line_clear(void)
{
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

/* `seconds` since the phase began. */
static void print_line(const struct progress *progress, double seconds)
{
    uint64_t done = atomic_load(&progress->done), total = atomic_load(&progress->total);
    uint64_t found = atomic_load(&progress->found);
    fprintf(stderr, "\r\033[Kpreplay: %s", atomic_load(&progress->phase));
    if (total)
        fprintf(stderr, ", %llu of %llu", (unsigned long long)done, (unsigned long long)total);
    else if (done)
        fprintf(stderr, ", %llu so far", (unsigned long long)done);
    if (done && total > done)
        fprintf(stderr, ", about %.0f s left", seconds / (double)done * (double)(total - done));
    fprintf(stderr, ", %llu found", (unsigned long long)found);
    fflush(stderr);
}

/* Until the line's end, or for a moment; false at the end. */
static bool wait_a_moment(struct progress_line *line)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += EVERY_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&line->mutex);
    if (!line->ends)
        pthread_cond_timedwait(&line->changed, &line->mutex, &until);
    bool ends = line->ends;
    pthread_mutex_unlock(&line->mutex);
    return !ends;
}

static void *write_line(void *argument)
{
    struct progress_line *line = argument;
    const char *phase = NULL;
    double began = now();
    while (wait_a_moment(line)) {
        const char *current = atomic_load(&line->progress.phase);
        began = current == phase ? began : now();
        phase = current;
        print_line(&line->progress, now() - began);
    }
    return NULL;
}

struct progress *progress_line_begin(struct progress_line *line, const struct options *options,
                                     const char *phase)
{
    *line = (struct progress_line){.mutex = PTHREAD_MUTEX_INITIALIZER,
                                   .changed = PTHREAD_COND_INITIALIZER};
    if (!progress_line_wanted(options))
        return NULL;
    progress_begin(&line->progress, phase, 0);
    print_line(&line->progress, 0);
    /* Signals are for the thread that works. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    line->shown = pthread_create(&line->thread, NULL, write_line, line) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!line->shown)
        progress_line_clear();
    return line->shown ? &line->progress : NULL;
}

void progress_line_end(struct progress_line *line)
{
    if (!line->shown)
        return;
    pthread_mutex_lock(&line->mutex);
    line->ends = true;
    pthread_cond_signal(&line->changed);
    pthread_mutex_unlock(&line->mutex);
    pthread_join(line->thread, NULL);
    progress_line_clear();
    line->shown = false;
}
