#include "tiddle/conditions.h"

#include "base/array.h"

struct sleeping {
    uint32_t thread;
    bool older; /* in G1 */
};

struct groups {
    struct sleepers ARRAY_OF(struct sleeping) sleepers;
    uint32_t unsignalled; /* threads of G1 that have not got a signal */
    uint32_t signals;     /* for G1, not taken yet */
};

static uint32_t members(const struct groups *groups, bool older)
{
    uint32_t count = 0;
    for (size_t i = 0; i < groups->sleepers.count; i++)
        count += groups->sleepers.items[i].older == older;
    return count;
}

/* G2 becomes G1. False if the signal would block: somebody of G1 is still there. */
static bool switch_groups(struct groups *groups)
{
    if (members(groups, true))
        return false;
    groups->unsignalled = (uint32_t)groups->sleepers.count;
    groups->signals = 0;
    for (size_t i = 0; i < groups->sleepers.count; i++)
        groups->sleepers.items[i].older = true;
    return true;
}

static bool signal_one(struct groups *groups)
{
    if (!groups->unsignalled) {
        if (!members(groups, false))
            return true;
        if (!switch_groups(groups))
            return false;
    }
    groups->unsignalled--;
    groups->signals++;
    return true;
}

static bool signal_all(struct groups *groups)
{
    groups->signals += groups->unsignalled;
    groups->unsignalled = 0;
    if (!members(groups, false))
        return true;
    if (!switch_groups(groups))
        return false;
    groups->signals = groups->unsignalled;
    groups->unsignalled = 0;
    return true;
}

/* A thread returns, by a signal or by time. False if no signal is there for it. */
static bool leave(struct groups *groups, uint32_t thread, bool signalled)
{
    size_t i = 0;
    while (groups->sleepers.items[i].thread != thread)
        i++;
    bool older = groups->sleepers.items[i].older;
    groups->sleepers.items[i] = array_last(&groups->sleepers);
    groups->sleepers.count--;
    if (older && groups->signals) {
        groups->signals--;
        return true;
    }
    if (older && groups->unsignalled)
        groups->unsignalled--;
    return !signalled;
}

static const char *step(struct groups *groups, const struct event *event)
{
    static const char blocks[] = "signals a condition variable while a thread it woke before has "
                                 "not returned; glibc waits for that thread";
    static const char elsewhere[] = "returns by a signal that glibc gives to a thread that waited "
                                    "before it";
    switch (event->op) {
    case EVENT_WAIT_BEGIN:
        array_push(&groups->sleepers, ((struct sleeping){.thread = event->thread}));
        return NULL;
    case EVENT_WAIT_END:
        return leave(groups, event->thread, !(event->flags & EVENT_FAILED)) ? NULL : elsewhere;
    case EVENT_SIGNAL:
        return signal_one(groups) ? NULL : blocks;
    case EVENT_BROADCAST:
        return signal_all(groups) ? NULL : blocks;
    default:
        return NULL;
    }
}

uint32_t conditions_check(const struct history *history, const char **reason)
{
    uint32_t conditions = trace_count(history->trace, CLASS_CONDITION), found = POS_NONE;
    struct groups *groups = NEW_ARRAY(struct groups, conditions);
    for (uint32_t pos = 0; pos < history->count && found == POS_NONE; pos++) {
        const struct event *event = &history->events[pos];
        if (event_object_class(event->op) != CLASS_CONDITION)
            continue;
        *reason = step(&groups[event->object], event);
        if (*reason)
            found = pos;
    }
    for (uint32_t i = 0; i < conditions; i++)
        array_free(&groups[i].sleepers);
    free(groups);
    return found;
}
