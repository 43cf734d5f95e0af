/* SPDX-License-Identifier: MIT */
#include "target/waiting.h"

#include "base/interruption.h"
#include "target/hung.h"
#include "target/writer.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A program that is told to end has so long to do it. */
#define GRACE 2.0
/* Whoever asks so often in a row means it, whatever the program makes of it. */
enum { INSISTING = 2 };
#define INSISTING_WITHIN 3.0

static volatile pid_t child;
static volatile sig_atomic_t deadly;   /* the signal that ends it */
static volatile sig_atomic_t replayed; /* it is a replay */
static volatile sig_atomic_t interrupts;
static volatile double first_interrupt;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Seconds of processor time of all children that were waited for. */
static double spent_by_children(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_CHILDREN, &usage))
        return 0;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static void pass_on(int signal)
{
    if (child > 0)
        kill(child, signal);
}

/* Of a replay nobody wants more; the recorded program decides what it makes of a signal. Ctrl-C
 * reaches it by itself. */
static void on_interrupt(int signal)
{
    if (replayed) {
        kill(child, deadly);
        interruption_note(signal);
        return;
    }
    if (signal != SIGINT)
        pass_on(signal);
    if (!interrupts || now() - first_interrupt > INSISTING_WITHIN) {
        interrupts = 0;
        first_interrupt = now();
    }
    if (++interrupts >= INSISTING && child > 0)
        kill(child, deadly);
}

/* --- stopping ----------------------------------------------------------------- */

/* Everything that belongs to the run: a script may have started the program. */
static void signal_all(const char *directory, int signal)
{
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        int process = atoi(entry->d_name);
        if (process > 0 && process != getpid() && writer_records_into(process, directory))
            kill(process, signal);
    }
    if (processes)
        closedir(processes);
    kill(child, signal);
}

/* --- waiting ------------------------------------------------------------------ */

static bool has_ended(struct recording *recording)
{
    pid_t ended = waitpid(child, &recording->status, WNOHANG);
    return ended == child || (ended < 0 && errno != EINTR);
}

/* Its end, or the end of some seconds. */
static void sleep_for(struct pollfd *end, double seconds)
{
    poll(end, 1, seconds < 0.001 ? 1 : seconds > 1000 ? 1000000 : (int)(seconds * 1000));
}

static void stop(struct recording *recording, const char *directory, struct pollfd *end)
{
    double until = now() + GRACE;
    signal_all(directory, SIGTERM);
    while (!has_ended(recording)) {
        if (now() > until)
            signal_all(directory, SIGKILL);
        sleep_for(end, 0.1);
    }
    signal_all(directory, SIGKILL);
}

static double next_look(const struct recording *recording, double start, bool woken_at_end)
{
    double seconds = recording->watch ? 0.003 : woken_at_end ? HUNG_LOOK : 0.01;
    double left = start + recording->stop_after - now();
    return recording->stop_after > 0 && left < seconds ? left : seconds;
}

static void wait_and_look(struct recording *recording, const char *directory, double start)
{
    int file = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd end = {.fd = file, .events = POLLIN}; /* -1 is never ready */
    struct hung hung = {.directory = directory, .program = child, .begun = start};
    while (!has_ended(recording)) {
        recording->stopped = recording->stop_after > 0 && now() >= start + recording->stop_after;
        if (recording->stopped) {
            stop(recording, directory, &end);
            break;
        }
        if (recording->watch && recording->watch(recording->watch_context, child)) {
            kill(child, deadly);
            while (waitpid(child, &recording->status, 0) < 0 && errno == EINTR)
                ;
            break;
        }
        if (!recording->schedule &&
            !recording->debugged) /* a replay knows better when it is over */
            hung_look(&hung, now());
        sleep_for(&end, next_look(recording, start, file >= 0));
    }
    recording->hung = hung.program_hung;
    hung_free(&hung);
    if (file >= 0)
        close(file);
}

void waiting_for(struct recording *recording, const char *directory)
{
    struct sigaction forward = {.sa_handler = pass_on}, count = {.sa_handler = on_interrupt};
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old[4];
    static const int signals[4] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
    deadly = recording->guard.process ? GUARD_END : SIGKILL;
    child = recording->process;
    replayed = recording->schedule && !recording->debugged;
    interrupts = 0;
    sigaction(SIGINT, &count, &old[0]);
    sigaction(SIGQUIT, &ignore, &old[1]);
    sigaction(SIGTERM, &count, &old[2]);
    sigaction(SIGHUP, &forward, &old[3]);
    double start = now(), spent = spent_by_children();
    wait_and_look(recording, directory, start);
    if (recording->guard.process)
        recording->status = guard_status(&recording->guard);
    guard_free(&recording->guard);
    recording->seconds = now() - start;
    recording->processor_seconds = spent_by_children() - spent;
    recording->interrupted = replayed ? interruption_asked() : interrupts > 0;
    child = 0;
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &old[i], NULL);
}
