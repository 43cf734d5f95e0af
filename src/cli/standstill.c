#include "cli/standstill.h"

#include "model/hang.h"
#include "trace/binary_wishes.h"
#include "trace/trace.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* So many looks without a step, before the trace is asked. */
enum { STILL_LOOKS = 3 };

/* --- has it run? -------------------------------------------------------------------- */

/* Of all its threads, to the nanosecond: it moves with the smallest step of any. */
static uint64_t what_ran(int process)
{
    clockid_t clock;
    struct timespec time = {0};
    if (clock_getcpuclockid(process, &clock) == 0)
        clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static bool has_run(struct standstill *self, int process)
{
    uint64_t before = self->ran;
    self->ran = what_ran(process);
    return self->ran != before;
}

/* --- can it go on? ------------------------------------------------------------------ */

/* What /proc/PROCESS/status has behind a name; "" if nothing. */
static void status_text(int process, const char *name, char text[64])
{
    char line[256];
    size_t length = strlen(name);
    text[0] = '\0';
    snprintf(line, sizeof line, "/proc/%d/status", process);
    FILE *file = fopen(line, "re");
    while (file && !text[0] && fgets(line, sizeof line, file))
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            sscanf(line + length + 1, "%63s", text);
    if (file)
        fclose(file);
}

/* Of a process whose first thread has ended before others, that one counts as a zombie. */
static uint64_t living_threads(int process)
{
    char state[64], threads[64];
    status_text(process, "State", state);
    status_text(process, "Threads", threads);
    return strtoull(threads, NULL, 10) - (state[0] == 'Z');
}

/* The C library's own (cancellation, setuid) help nobody. */
static bool catches_signals(int process)
{
    char caught[64];
    uint64_t own = UINT64_C(3) << 31;
    status_text(process, "SigCgt", caught);
    return strtoull(caught, NULL, 16) & ~own;
}

static bool has_started_others(const char *directory)
{
    bool found = false;
    DIR *folder = opendir(directory);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));)
        found = strncmp(entry->d_name, "process-", 8) == 0;
    if (folder)
        closedir(folder);
    return found;
}

static bool all_wait(const char *directory, uint64_t threads)
{
    struct binary_waiting waiting = {0};
    binary_waiting_count(&waiting, directory);
    return waiting.threads == threads && waiting.waiting == threads;
}

/* A handler may signal, or post: it cannot let go of another one's lock. */
static bool handler_helps(const struct history *history, const struct hang *hang)
{
    for (size_t i = 0; i < hang->wishes.count; i++)
        if (op_in(history->events[hang->wishes.items[i]].op,
                  OP_BIT(EVENT_WAIT_END) | OP_BIT(EVENT_SEM_WAIT)))
            return true;
    return false;
}

static bool is_stuck(const char *directory, uint64_t threads, bool handlers)
{
    struct error ignored = {0}; /* what cannot be read proves nothing */
    struct trace *trace = trace_open(directory, &ignored);
    struct history *history = trace ? history_read(trace, &ignored) : NULL;
    struct hang *hang = history ? hang_find(history) : NULL;
    bool stuck = hang && hang->stuck == threads && !(handlers && handler_helps(history, hang));
    hang_destroy(hang);
    history_destroy(history);
    trace_close(trace);
    return stuck;
}

bool standstill_look(struct standstill *self, double now, int process, const char *directory)
{
    if (now < self->next)
        return false;
    self->next = now + STANDSTILL_LOOK * 0.9; /* whoever sleeps may wake up a little early */
    self->still = has_run(self, process) ? 0 : self->still + 1;
    /* Once for every time that it stops: an idle server is not to be asked for ever. */
    if (self->still != STILL_LOOKS || has_started_others(directory))
        return false;
    uint64_t threads = living_threads(process);
    return all_wait(directory, threads) && is_stuck(directory, threads, catches_signals(process)) &&
           !has_run(self, process);
}
