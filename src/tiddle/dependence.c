/* SPDX-License-Identifier: MIT */
#include "tiddle/dependence.h"

static bool failed(const struct event *event)
{
    return event->flags & EVENT_FAILED;
}

static bool names_thread(const struct event *event, uint32_t thread)
{
    return (event->op == EVENT_FORK || event->op == EVENT_JOIN) && event->object == thread;
}

static bool threads_depend(const struct event *a, const struct event *b)
{
    if (names_thread(a, b->thread) || names_thread(b, a->thread))
        return true;
    /* Two joins of one thread commute; its fork and its join do not. */
    return a->op != b->op && (a->op == EVENT_FORK || a->op == EVENT_JOIN) &&
           names_thread(b, a->object);
}

static bool variables_depend(const struct event *a, const struct event *b)
{
    if (a->object != b->object)
        return false;
    return !op_in(a->op, OPS_READING & ~OPS_WRITING) || !op_in(b->op, OPS_READING & ~OPS_WRITING);
}

#define OPS_SHARED (OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_RELEASE_READ))
#define OPS_LOCK   (OPS_ACQUIRING | OPS_RELEASING)

static bool locks_depend(const struct event *a, const struct event *b)
{
    if (event_lock(a) != event_lock(b))
        return false;
    /* A try that failed changes nothing, but needs the lock to be held. */
    bool a_failed = failed(a) && a->op != EVENT_WAIT_END;
    bool b_failed = failed(b) && b->op != EVENT_WAIT_END;
    if (a_failed || b_failed)
        return !(a_failed && b_failed);
    return !op_in(a->op, OPS_SHARED) || !op_in(b->op, OPS_SHARED);
}

static bool conditions_depend(const struct event *a, const struct event *b)
{
    return a->object == b->object && !(a->op == EVENT_SIGNAL && b->op == EVENT_SIGNAL);
}

static bool barriers_depend(const struct event *a, const struct event *b)
{
    return a->object == b->object && (a->other != b->other || a->op != b->op);
}

static bool semaphores_depend(const struct event *a, const struct event *b)
{
    return a->object == b->object && (a->op != b->op || failed(a) != failed(b));
}

static bool onces_depend(const struct event *a, const struct event *b)
{
    return a->object == b->object && !(a->op == EVENT_ONCE_PASS && b->op == EVENT_ONCE_PASS);
}

bool events_depend(const struct event *a, const struct event *b)
{
    if (a->thread == b->thread || threads_depend(a, b))
        return true;
    if (op_in(a->op, OPS_LOCK) && op_in(b->op, OPS_LOCK) && locks_depend(a, b))
        return true;
    enum object_class class = event_object_class(a->op);
    if (class != event_object_class(b->op))
        return false;
    switch (class) {
    case CLASS_VARIABLE:
        return variables_depend(a, b);
    case CLASS_CONDITION:
        return conditions_depend(a, b);
    case CLASS_BARRIER:
        return barriers_depend(a, b);
    case CLASS_SEMAPHORE:
        return semaphores_depend(a, b);
    case CLASS_ONCE:
        return onces_depend(a, b);
    default:
        return false;
    }
}
