/* SPDX-License-Identifier: MIT */
#include "report/thread_roles.h"

#include "base/memory.h"
#include "report/frames.h"
#include "report/short_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct thread_roles {
    uint32_t count;
    char **names; /* by thread; NULL where it is not known */
};

enum { EVENTS_LOOKED = 16 }; /* of a thread, for the first that has a call stack */

/* The outermost of the program's own functions, malloc-ed; NULL if it is not known. */
static char *outermost(const struct trace *trace, const struct event *event)
{
    struct frame frames[FRAMES_MOST];
    size_t count = frames_collect(frames, trace, event->location, event->stack), i = count;
    char *name = NULL;
    while (i > 0 && (frames[i - 1].library || !frames[i - 1].function))
        i--;
    if (i > 0 && count < FRAMES_MOST)
        name = short_name(frames[i - 1].function);
    frames_free(frames, count);
    return name;
}

/* "Server::serve(int) const" without what it takes. */
static void cut_parameters(char *name)
{
    size_t end = strlen(name), open = 0;
    while (end > 0 && name[end - 1] != ')')
        end--;
    for (size_t at = end; at > 0; at--) {
        open += name[at - 1] == ')';
        if (name[at - 1] == '(' && --open == 0) {
            if (at > 1)
                name[at - 1] = '\0';
            return;
        }
    }
}

/* "void convert<std::vector<int>>" without what it returns. */
static void cut_return(char *name)
{
    size_t open = 0, from = 0;
    for (size_t at = 0; name[at]; at++) {
        open += name[at] == '<';
        open -= name[at] == '>' && open > 0;
        if (name[at] == ' ' && open == 0)
            from = at + 1;
    }
    memmove(name, name + from, strlen(name + from) + 1);
}

/* "back<...>" for what is too long to stand beside a number. */
static void fold_arguments(char *name)
{
    static const char folded[] = "<...>";
    char *open = strchr(name, '<');
    if (strlen(name) > THREAD_ROLE_LENGTH && open && strlen(open) >= sizeof folded)
        memcpy(open, folded, sizeof folded);
}

static bool is_lambda(const char *name)
{
    return strstr(name, "operator()") || strstr(name, "{lambda");
}

/* A lambda has no name of its own; the place where the thread is created says which it is. */
static char *lambda_text(const struct history *history, uint32_t thread)
{
    uint32_t fork = history->fork_of[thread];
    if (fork == POS_NONE)
        return NULL;
    const struct event *event = &history->events[fork];
    const char *function, *place;
    frame_own(history->trace, event->location, event->stack, &function, &place);
    const char *base = place_base(place);
    size_t path;
    unsigned line = place_line(base, &path);
    char text[THREAD_ROLE_LENGTH + 1];
    int length = snprintf(text, sizeof text, "lambda %.*s:%u", (int)path, base, line);
    return line && (size_t)length < sizeof text ? memory_copy(text, (size_t)length + 1) : NULL;
}

static char *role(const struct history *history, uint32_t thread)
{
    uint32_t length = history_thread_length(history, thread);
    char *name = NULL;
    for (uint32_t i = 0; !name && i < length && i < EVENTS_LOOKED; i++)
        name = outermost(history->trace, &history->events[history_pos(history, thread, i)]);
    if (name && is_lambda(name)) {
        free(name);
        return lambda_text(history, thread);
    }
    if (name && !strstr(name, "operator")) {
        cut_parameters(name);
        cut_return(name);
        fold_arguments(name);
    }
    if (name && strlen(name) > THREAD_ROLE_LENGTH) {
        free(name);
        return NULL;
    }
    return name;
}

struct thread_roles *thread_roles_create(const struct history *history)
{
    struct thread_roles *roles = memory_zero(1, sizeof *roles);
    roles->count = history->threads;
    roles->names = memory_zero(history->threads + 1, sizeof *roles->names);
    for (uint32_t i = 0; i < history->threads; i++)
        roles->names[i] = role(history, i);
    return roles;
}

void thread_roles_destroy(struct thread_roles *roles)
{
    if (!roles)
        return;
    for (uint32_t i = 0; i < roles->count; i++)
        free(roles->names[i]);
    free(roles->names);
    free(roles);
}

const char *thread_roles_of(const struct thread_roles *roles, uint32_t thread)
{
    return roles && thread < roles->count ? roles->names[thread] : NULL;
}
