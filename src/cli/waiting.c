#include "cli/waiting.h"

#include "cli/hung.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A program that is told to end has so long to do it. */
#define GRACE 2.0
/* Whoever presses Ctrl-C so often in a row means it, whatever the program makes of it. */
enum { INSISTING = 3 };
#define INSISTING_WITHIN 3.0

static volatile pid_t child;
static volatile sig_atomic_t interrupts;
static volatile double first_interrupt;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void pass_on(int signal)
{
    if (child > 0)
        kill(child, signal);
}

/* It reaches the program by itself, which decides. */
static void on_interrupt(int signal)
{
    (void)signal;
    if (!interrupts || now() - first_interrupt > INSISTING_WITHIN) {
        interrupts = 0;
        first_interrupt = now();
    }
    if (++interrupts >= INSISTING && child > 0)
        kill(child, SIGKILL);
}

/* --- stopping ----------------------------------------------------------------- */

/* False as well if there is nothing to read: `empty`. */
static bool environment_has(const char *path, const char *wanted, bool *empty)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    bool found = false;
    *empty = true;
    while (file && !found && getdelim(&text, &room, '\0', file) > 0) {
        *empty = false;
        found = strcmp(text, wanted) == 0;
    }
    free(text);
    if (file)
        fclose(file);
    return found;
}

/* Once its first thread has ended, only the others tell. */
bool waiting_records_into(int process, const char *directory)
{
    char path[512], wanted[PATH_MAX + 32];
    bool empty;
    snprintf(wanted, sizeof wanted, "PREPLAY_RECORD=%s", directory);
    snprintf(path, sizeof path, "/proc/%d/environ", process);
    bool found = environment_has(path, wanted, &empty);
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *threads = empty ? opendir(path) : NULL;
    for (struct dirent *entry; threads && empty && (entry = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/environ", process, entry->d_name);
        found = environment_has(path, wanted, &empty);
    }
    if (threads)
        closedir(threads);
    return found;
}

/* Everything that belongs to the run: a script may have started the program. */
static void signal_all(const char *directory, int signal)
{
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes && (entry = readdir(processes));) {
        int process = atoi(entry->d_name);
        if (process > 0 && process != getpid() && waiting_records_into(process, directory))
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
            kill(child, SIGKILL);
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
    child = recording->process;
    interrupts = 0;
    sigaction(SIGINT, &count, &old[0]);
    sigaction(SIGQUIT, &ignore, &old[1]);
    sigaction(SIGTERM, &forward, &old[2]);
    sigaction(SIGHUP, &forward, &old[3]);
    double start = now();
    wait_and_look(recording, directory, start);
    recording->seconds = now() - start;
    recording->interrupted = interrupts > 0;
    child = 0;
    for (int i = 0; i < 4; i++)
        sigaction(signals[i], &old[i], NULL);
}
