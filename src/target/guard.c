/* SPDX-License-Identifier: MIT */
#include "target/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct guard_page {
    volatile bool ended;
    volatile int status;
    struct error error;
};

/* What the guard's processes know. */
struct guarding {
    const struct guard_task *task;
    struct guard_page *page;
    int alive[2];  /* a pipe whose other end only preplay holds */
    int report[2]; /* closes when the program is running; before that: it failed */
    sigset_t mask; /* as the program is to have it */
};

static int failed(struct guarding *self, const char *what)
{
    return error_set(&self->page->error, ERROR_INTERNAL, "%s: %s", what, strerror(errno));
}

static _Noreturn void give_up(struct guarding *self)
{
    ssize_t written = write(self->report[1], "", 1);
    (void)written;
    _exit(127);
}

/* It may have died before the kernel was asked to tell: then its pipe is closed. */
static void die_with_parent(struct guarding *self, int signal, int parent_alive)
{
    struct pollfd alive = {.fd = parent_alive, .events = POLLIN};
    prctl(PR_SET_PDEATHSIG, signal);
    if (poll(&alive, 1, 0) > 0)
        give_up(self);
}

/* --- ending ------------------------------------------------------------------------ */

/* Those of whom this process is the parent; orphans become so when theirs is killed. (The /proc of
 * another PID namespace does not show them, but there the kernel does this.) */
static void kill_children(void)
{
    char path[64];
    int child;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "re");
    while (children && fscanf(children, "%d", &child) == 1)
        kill(child, SIGKILL);
    if (children)
        fclose(children);
}

static void end_all(void)
{
    do
        kill_children();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/* --- looking after ----------------------------------------------------------------- */

static void note_end(struct guarding *self, int status)
{
    self->page->status = status;
    self->page->ended = true;
}

/* Takes leave of children that have ended. True if all has that is waited for. */
static bool all_ended(struct guarding *self, pid_t program, bool is_program)
{
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
        if (ended == program && is_program)
            note_end(self, status);
        if (ended == program && !(is_program && self->task->whole_family))
            return true;
    }
    return ended < 0 && errno == ECHILD;
}

/* Signals of the terminal reach the program by themselves. True if it has ended. */
static bool look_after(struct guarding *self, pid_t program, bool is_program)
{
    sigset_t all;
    sigfillset(&all);
    while (!all_ended(self, program, is_program)) {
        int signal = sigwaitinfo(&all, NULL);
        if (signal == GUARD_END)
            return false;
        if (signal == SIGTERM || signal == SIGHUP)
            kill(program, signal);
    }
    return true;
}

static void become_program(struct guarding *self)
{
    sigprocmask(SIG_SETMASK, &self->mask, NULL);
    self->task->become(self->task->context);
    error_set(&self->page->error, ERROR_USAGE, "cannot be run: %s", strerror(errno));
    give_up(self);
}

static pid_t start_program(struct guarding *self, const int alive[2])
{
    pid_t program = fork();
    if (program < 0)
        return failed(self, "cannot fork");
    if (program == 0) {
        close(alive[1]);
        /* Its first process ends a PID namespace; without one this must do. */
        if (!self->task->own_processes)
            die_with_parent(self, SIGKILL, alive[0]);
        become_program(self);
    }
    close(self->report[1]);
    return program;
}

/* --- a PID namespace ------------------------------------------------------------------ */

/* The next process gets this id, and its threads those behind it: a program that was told its id
 * when it was recorded is told the same again. */
static void wish_for_id(pid_t id)
{
    char text[16];
    int length = snprintf(text, sizeof text, "%d", (int)id - 1);
    int file = id > 2 ? open("/proc/sys/kernel/ns_last_pid", O_WRONLY | O_CLOEXEC) : -1;
    ssize_t written = file >= 0 ? write(file, text, (size_t)length) : 0;
    (void)written; /* not allowed: then it gets another one */
    if (file >= 0)
        close(file);
}

static _Noreturn void be_first_process(struct guarding *self, const int alive[2])
{
    close(alive[1]);
    die_with_parent(self, SIGKILL, alive[0]);
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
        failed(self, "/proc cannot be mounted");
        give_up(self);
    }
    wish_for_id(self->task->id);
    pid_t program = start_program(self, alive);
    if (program < 0)
        give_up(self);
    look_after(self, program, true);
    _exit(0); /* and the kernel ends the rest */
}

static pid_t start_first_process(struct guarding *self, const int alive[2])
{
    if (unshare(CLONE_NEWPID))
        return failed(self, "no PID namespace");
    pid_t first = fork();
    if (first < 0)
        return failed(self, "cannot fork");
    if (first == 0)
        be_first_process(self, alive);
    close(self->report[1]);
    return first;
}

/* --- the guard -------------------------------------------------------------------------- */

static _Noreturn void be_guard(struct guarding *self)
{
    const struct guard_task *task = self->task;
    int alive[2];
    prctl(PR_SET_NAME, GUARD_NAME);
    close(self->alive[1]);
    close(self->report[0]);
    if ((task->enter && task->enter(task->context, &self->page->error)) ||
        (pipe2(alive, O_CLOEXEC) && failed(self, "cannot make a pipe")))
        give_up(self);
    die_with_parent(self, GUARD_END, self->alive[0]); /* what enter() changes may undo it */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t child =
        task->own_processes ? start_first_process(self, alive) : start_program(self, alive);
    if (child < 0)
        give_up(self);
    if (!look_after(self, child, !task->own_processes))
        kill(child, SIGKILL);
    end_all();
    _exit(0);
}

static int wait_for_start(struct guard *guard, struct guarding *self, struct error *error)
{
    char byte;
    close(self->report[1]);
    ssize_t got = read(self->report[0], &byte, 1);
    close(self->report[0]);
    if (got == 0)
        return 0;
    kill(guard->process, GUARD_END);
    while (waitpid(guard->process, NULL, 0) < 0 && errno == EINTR)
        ;
    const struct error *reason = &guard->page->error;
    error_set(error, reason->code ? reason->code : ERROR_INTERNAL, "%s", reason->text);
    guard_free(guard);
    return -1;
}

int guard_start(struct guard *guard, const struct guard_task *task, struct error *error)
{
    struct guarding self = {.task = task};
    sigset_t all;
    *guard = (struct guard){.own_processes = task->own_processes};
    void *page =
        mmap(NULL, sizeof *self.page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || pipe2(self.alive, O_CLOEXEC) || pipe2(self.report, O_CLOEXEC))
        return error_set(error, ERROR_INTERNAL, "cannot start a process: %s", strerror(errno));
    guard->page = self.page = page;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &self.mask);
    guard->process = fork();
    if (guard->process == 0)
        be_guard(&self);
    sigprocmask(SIG_SETMASK, &self.mask, NULL);
    close(self.alive[0]);
    guard->alive = self.alive[1];
    if (guard->process < 0)
        return error_set(error, ERROR_INTERNAL, "cannot fork: %s", strerror(errno));
    return wait_for_start(guard, &self, error);
}

int guard_status(const struct guard *guard)
{
    return guard->page->ended ? guard->page->status : SIGKILL;
}

void guard_free(struct guard *guard)
{
    if (!guard->page)
        return;
    munmap(guard->page, sizeof *guard->page);
    close(guard->alive);
    *guard = (struct guard){0};
}
