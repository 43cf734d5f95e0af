/* SPDX-License-Identifier: MIT */
#include "explore/copies.h"

#include "base/interruption.h"
#include "base/memory.h"
#include "target/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A directory that takes what is written in the sandbox. */
struct layer {
    int file;
    struct timespec changed; /* before the first run */
};

struct copies {
    struct copies_wish wish;
    struct guard guard; /* .process: 0 if there is none */
    int ended;          /* readable when the guard has */
    int line, their_line;
    bool plain; /* the program cannot be copied */
    struct layers ARRAY_OF(struct layer) layers;
};

struct copies *copies_create(const struct copies_wish *wish)
{
    struct copies *copies = NEW(struct copies);
    copies->wish = *wish;
    copies->ended = copies->line = copies->their_line = -1;
    copies->plain = wish->anew || !wish->task->own_processes;
    return copies;
}

/* --- the first process --------------------------------------------------------------------------
 */

static void close_file(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static void close_all(struct copies *copies)
{
    for (size_t i = 0; i < copies->layers.count; i++)
        close(copies->layers.items[i].file);
    copies->layers.count = 0;
    close_file(&copies->line);
    close_file(&copies->ended);
}

static void leave(struct copies *copies)
{
    while (waitpid(copies->guard.process, NULL, 0) < 0 && errno == EINTR)
        ;
    guard_free(&copies->guard);
    close_all(copies);
}

static void stop(struct copies *copies)
{
    if (!copies->guard.process)
        return;
    kill(copies->guard.process, GUARD_END);
    leave(copies);
}

void copies_destroy(struct copies *copies)
{
    if (!copies)
        return;
    stop(copies);
    array_free(&copies->layers);
    free(copies);
}

/* The layers are there only in the program's own mounts: it hands them over. */
void copies_announce(const struct copies *copies)
{
    const int *layers;
    int count = copies->their_line >= 0 ? sandbox_layers(copies->wish.sandbox, &layers) : -1;
    char room[CMSG_SPACE(sizeof(int) * APART_LAYERS)] = {0}, number[16];
    struct stepper_packet packet = {0};
    struct iovec part = {&packet, sizeof packet};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (count < 0)
        return;
    if (count) {
        message.msg_control = room;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)count);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
                                   .cmsg_type = SCM_RIGHTS,
                                   .cmsg_len = CMSG_LEN(sizeof(int) * (size_t)count)};
        memcpy(CMSG_DATA(header), layers, sizeof(int) * (size_t)count);
    }
    snprintf(number, sizeof number, "%d", copies->their_line);
    if (sendmsg(copies->their_line, &message, MSG_NOSIGNAL) == sizeof packet &&
        fcntl(copies->their_line, F_SETFD, 0) == 0)
        setenv(STEPPER_LINE, number, 1);
}

static void take_layers(struct copies *copies, struct cmsghdr *header)
{
    int file;
    for (size_t at = 0; header && CMSG_LEN(at + sizeof file) <= header->cmsg_len;
         at += sizeof file) {
        struct stat status;
        memcpy(&file, CMSG_DATA(header) + at, sizeof file);
        fstat(file, &status);
        array_push(&copies->layers, ((struct layer){file, status.st_ctim}));
    }
}

/* What copies_announce() sent; if it did not, this process is the one run. */
static void hear(struct copies *copies)
{
    char room[CMSG_SPACE(sizeof(int) * APART_LAYERS)];
    struct stepper_packet packet;
    struct iovec part = {&packet, sizeof packet};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    ssize_t got = recvmsg(copies->line, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    copies->plain = got != sizeof packet;
    if (copies->plain)
        close_file(&copies->line);
    else
        take_layers(copies, CMSG_FIRSTHDR(&message));
}

static int start(struct copies *copies, struct error *error)
{
    int ends[2] = {-1, -1};
    if (sandbox_empty(copies->wish.sandbox, error))
        return -1;
    if (!copies->plain && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return error_set(error, ERROR_INTERNAL, "cannot start a process: %s", strerror(errno));
    copies->line = ends[0];
    copies->their_line = ends[1];
    int result = guard_start(&copies->guard, copies->wish.task, error);
    close_file(&copies->their_line);
    if (result) {
        copies->guard.process = 0;
        close_all(copies);
        return -1;
    }
    copies->ended = (int)syscall(SYS_pidfd_open, copies->guard.process, 0);
    if (copies->line >= 0)
        hear(copies);
    return 0;
}

/* --- a run --------------------------------------------------------------------------------------
 */

static double seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void ask(struct copies *copies)
{
    struct stepper_packet packet = {STEPPER_RUN, 0};
    if (copies->line >= 0 &&
        send(copies->line, &packet, sizeof packet, MSG_NOSIGNAL) != sizeof packet)
        close_file(&copies->line); /* it has ended already */
}

/* True if that was the end of a copy. */
static bool listen_to(struct copies *copies, struct stepped_run *run)
{
    struct stepper_packet packet;
    ssize_t got = recv(copies->line, &packet, sizeof packet, MSG_DONTWAIT);
    if (got == sizeof packet && packet.word == STEPPER_ENDED) {
        run->status = packet.status;
        return true;
    }
    copies->plain |= got == sizeof packet;
    close_file(&copies->line);
    return false;
}

/* Until the copy has ended, or the guard: then there is none any more. A run that makes no step for
 * so long, or takes too long, is ended with it. */
static bool wait_for_end(struct copies *copies, const struct stepper_page *page,
                         struct stepped_run *run)
{
    uint32_t events = 0;
    double began = seconds(), since = began;
    for (;;) {
        struct pollfd files[] = {{.fd = copies->ended, .events = POLLIN},
                                 {.fd = copies->line, .events = POLLIN}};
        int ready = poll(files, 2, 100);
        if (ready > 0 && files[1].revents && listen_to(copies, run))
            return true;
        if (ready > 0 && files[0].revents)
            return false;
        run->interrupted = interruption_asked();
        if (events != page->events)
            since = seconds();
        events = page->events;
        run->stopped |= seconds() - since > copies->wish.patience;
        run->late |= copies->wish.longest > 0 && seconds() - began > copies->wish.longest;
        if (run->stopped || run->late || run->interrupted)
            kill(copies->guard.process, GUARD_END);
    }
}

static bool is_unchanged(const struct copies *copies)
{
    for (size_t i = 0; i < copies->layers.count; i++) {
        const struct layer *layer = &copies->layers.items[i];
        struct stat status;
        if (fstat(layer->file, &status) || status.st_ctim.tv_sec != layer->changed.tv_sec ||
            status.st_ctim.tv_nsec != layer->changed.tv_nsec)
            return false;
    }
    return true;
}

int copies_begin(struct copies *copies, struct error *error)
{
    if (!copies->guard.process && start(copies, error))
        return -1;
    ask(copies);
    return 0;
}

void copies_end(struct copies *copies, const struct stepper_page *page, struct stepped_run *run)
{
    if (!wait_for_end(copies, page, run)) {
        run->status = guard_status(&copies->guard);
        leave(copies);
    } else if (!is_unchanged(copies)) {
        stop(copies);
    }
}
