/* SPDX-License-Identifier: MIT */
/* Who uses an object, and when: for each lock, condition variable, semaphore and
 * variable whose value somebody keeps, the threads that use it and the numbers of
 * the events with which they do. */
#ifndef PREPLAY_SEARCH_USES_H
#define PREPLAY_SEARCH_USES_H

#include "search/index.h"

#define OBJECT_NONE UINT32_MAX

/* One thread's uses of one object: items[begin .. end). */
struct object_user {
    uint32_t thread, begin, end;
};

struct uses {
    uint32_t conditions, semaphores, variables, count; /* objects: locks first, then these */
    uint32_t *start;                                   /* by object, in users */
    struct object_user *users;
    uint32_t *items; /* numbers of events within their threads, ascending a user */
    bool *tried;     /* by object: somebody's try of it, or taking of it, failed */
    bool *kept;      /* by variable: some read of it must be kept */
};

void uses_create(struct uses *uses, const struct search_index *index);
void uses_free(struct uses *uses);

/* The objects whose state the event changes or depends on, OBJECT_NONE for none. */
void uses_objects(const struct uses *uses, const struct event *event, uint32_t objects[2]);

/* Does the user have a use among its thread's events from .. to-1? */
bool uses_between(const struct uses *uses, const struct object_user *user, uint32_t from,
                  uint32_t to);

#endif
