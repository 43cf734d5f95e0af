#include "oracle/serial_oracle.h"

#include "base/memory.h"

#include <stdlib.h>

static bool is_lock_op(const struct event *event)
{
    return op_in(event->op, OPS_ACQUIRING | OPS_RELEASING);
}

static bool is_reader(const struct event *event)
{
    return event->op == EVENT_ACQUIRE_READ || event->op == EVENT_RELEASE_READ;
}

static bool failed(const struct event *event)
{
    return event->flags & EVENT_FAILED;
}

/* Readers leave each other alone, and so do failed tries. */
static bool lock_conflict(const struct event *a, const struct event *b)
{
    if (!is_lock_op(a) || !is_lock_op(b) || event_lock(a) != event_lock(b))
        return false;
    bool a_failed = failed(a) && a->op != EVENT_WAIT_END;
    bool b_failed = failed(b) && b->op != EVENT_WAIT_END;
    if (a_failed || b_failed)
        return !(a_failed && b_failed);
    return !(is_reader(a) && is_reader(b));
}

static bool is_wait(const struct event *event)
{
    return event->op == EVENT_WAIT_BEGIN || event->op == EVENT_WAIT_END;
}

static bool is_signal(const struct event *event)
{
    return event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST;
}

static bool condition_conflict(const struct event *a, const struct event *b)
{
    return a->object == b->object && ((is_wait(a) && is_signal(b)) || (is_signal(a) && is_wait(b)));
}

static bool semaphore_conflict(const struct event *a, const struct event *b)
{
    if (a->object != b->object)
        return false;
    bool a_post = a->op == EVENT_POST, b_post = b->op == EVENT_POST;
    bool a_wait = a->op == EVENT_SEM_WAIT, b_wait = b->op == EVENT_SEM_WAIT;
    return (a_post && b_wait && !failed(b)) || (a_wait && !failed(a) && b_wait && failed(b)) ||
           (a_wait && failed(a) && b_post);
}

static bool barrier_conflict(const struct event *a, const struct event *b)
{
    bool a_enter = a->op == EVENT_BARRIER_ENTER, b_enter = b->op == EVENT_BARRIER_ENTER;
    bool a_exit = a->op == EVENT_BARRIER_EXIT, b_exit = b->op == EVENT_BARRIER_EXIT;
    return ((a_enter && b_exit) || (a_exit && b_enter)) && a->other == b->other;
}

static bool access_conflict(const struct event *a, const struct event *b)
{
    return op_in(a->op, OPS_ACCESS) && op_in(b->op, OPS_ACCESS) && a->object == b->object &&
           (event_writes(a) || event_writes(b));
}

/* A bit for each object on which two events of different threads conflict: a wait is an
 * operation on its mutex and on its condition. */
static unsigned conflicts_of(const struct event *a, const struct event *b)
{
    bool once = a->op == EVENT_ONCE_END && b->op == EVENT_ONCE_PASS && a->object == b->object;
    bool fork = a->op == EVENT_FORK && a->object == b->thread;
    bool join = b->op == EVENT_JOIN && b->object == a->thread;
    return (unsigned)lock_conflict(a, b) | (unsigned)condition_conflict(a, b) << 1 |
           (unsigned)(access_conflict(a, b) || semaphore_conflict(a, b) || barrier_conflict(a, b) ||
                      once)
               << 2 |
           (unsigned)(fork || join) << 3;
}

bool serial_conflict(const struct history *history, uint32_t first, uint32_t second)
{
    const struct event *a = &history->events[first], *b = &history->events[second];
    return a->thread == b->thread || conflicts_of(a, b);
}

static void find_transactions(struct serial_truth *truth, const struct history *history)
{
    uint32_t *depth = NEW_ARRAY(uint32_t, history->threads);
    uint32_t *current = NEW_ARRAY(uint32_t, history->threads);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!depth[event->thread])
            current[event->thread] = truth->transactions++;
        if (event->op == EVENT_BLOCK_BEGIN)
            depth[event->thread]++;
        if (event->op == EVENT_BLOCK_END && depth[event->thread])
            depth[event->thread]--;
        truth->of[pos] = current[event->thread];
    }
    free(depth);
    free(current);
}

void serial_truth_init(struct serial_truth *truth, const struct history *history)
{
    *truth = (struct serial_truth){.of = NEW_ARRAY(uint32_t, history->count), .serialisable = true};
    find_transactions(truth, history);
    uint32_t n = truth->transactions;
    truth->before = NEW_ARRAY(bool, (size_t)n *n);
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++)
            if (truth->of[a] != truth->of[b] && serial_conflict(history, a, b))
                truth->before[truth->of[a] * n + truth->of[b]] = true;
    for (uint32_t via = 0; via < n; via++)
        for (uint32_t a = 0; a < n; a++)
            for (uint32_t b = 0; truth->before[a * n + via] && b < n; b++)
                truth->before[a * n + b] |= truth->before[via * n + b];
    for (uint32_t a = 0; a < n; a++)
        truth->serialisable &= !truth->before[a * n + a];
}

void serial_truth_free(struct serial_truth *truth)
{
    free(truth->of);
    free(truth->before);
}

static bool place_rest(const struct serial_truth *truth, const bool *direct, bool *placed,
                       uint32_t count)
{
    uint32_t n = truth->transactions;
    if (count == n)
        return true;
    bool found = false;
    for (uint32_t next = 0; next < n && !found; next++) {
        bool ready = !placed[next];
        for (uint32_t other = 0; other < n && ready; other++)
            ready = placed[other] || other == next || !direct[other * n + next];
        if (!ready)
            continue;
        placed[next] = true;
        found = place_rest(truth, direct, placed, count + 1);
        placed[next] = false;
    }
    return found;
}

bool serial_by_permutation(const struct serial_truth *truth, const struct history *history)
{
    uint32_t n = truth->transactions;
    bool *direct = NEW_ARRAY(bool, (size_t)n *n), *placed = NEW_ARRAY(bool, n);
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++)
            if (truth->of[a] != truth->of[b] && serial_conflict(history, a, b))
                direct[truth->of[a] * n + truth->of[b]] = true;
    bool found = place_rest(truth, direct, placed, 0);
    free(direct);
    free(placed);
    return found;
}

bool serial_explains(const struct serial_truth *truth, const struct history *history,
                     const struct finding *finding)
{
    uint32_t begin = finding->events[0].pos, end = finding->events[1].pos;
    uint32_t culprit = finding->events[2].pos, n = truth->transactions;
    uint32_t block = truth->of[begin], other = truth->of[culprit];
    return history->events[begin].thread == history->events[end].thread && begin < end &&
           truth->of[end] == block && other != block && serial_conflict(history, begin, culprit) &&
           truth->before[other * n + block];
}

/* Conflicts between threads. A fork has one with the first event of the thread, a join
 * with the last: with all others by program order. */
static unsigned cross_conflicts(const struct history *history, uint32_t first, uint32_t second)
{
    const struct event *a = &history->events[first], *b = &history->events[second];
    if (first >= second || a->thread == b->thread)
        return 0;
    bool first_event = history->index[second] == 0;
    bool last_event = history->index[first] + 1 == history_thread_length(history, a->thread);
    if (first_event && a->op == EVENT_FORK && a->object == b->thread)
        return 8;
    if (last_event && b->op == EVENT_JOIN && b->object == a->thread)
        return 8;
    return conflicts_of(a, b) & 7;
}

/* Is `end` where a conflict with `source` comes into the transaction? */
static bool comes_in_at(const struct serial_truth *truth, const struct history *history,
                        uint32_t source, uint32_t end)
{
    unsigned before = 0;
    for (uint32_t pos = source + 1; pos < end; pos++)
        if (truth->of[pos] == truth->of[end])
            before |= cross_conflicts(history, source, pos);
    return cross_conflicts(history, source, end) & ~before;
}

/* Once at `from`, its thread can go on with `to`, if that is not the victim's. */
static bool goes_on(const struct serial_truth *truth, const struct history *history, uint32_t from,
                    uint32_t to)
{
    return truth->of[from] == truth->of[to] ||
           (history->events[from].thread == history->events[to].thread && from < to);
}

/* Level by level: `at` holds the number of conflicts it takes to get to an event. */
static uint32_t shortest_from(const struct serial_truth *truth, const struct history *history,
                              uint32_t begin, uint32_t *at)
{
    uint32_t count = history->count, victim = truth->of[begin];
    for (uint32_t pos = 0; pos < count; pos++)
        at[pos] = UINT32_MAX;
    at[begin] = 0;
    for (uint32_t level = 0; level < count; level++) {
        for (uint32_t from = 0; from < count; from++) {
            if (at[from] != level)
                continue;
            for (uint32_t to = 0; to < count && from != begin; to++)
                if (at[to] > level && truth->of[to] != victim &&
                    goes_on(truth, history, from, to)) {
                    at[to] = level;
                    from = from < to ? from : to;
                }
        }
        for (uint32_t from = 0; from < count; from++) {
            for (uint32_t to = from + 1; to < count && at[from] == level; to++) {
                if (!cross_conflicts(history, from, to))
                    continue;
                if (truth->of[to] != victim)
                    at[to] = at[to] > level + 1 ? level + 1 : at[to];
                else if (to > begin && comes_in_at(truth, history, from, to))
                    return level + 1;
            }
        }
    }
    return 0;
}

uint32_t serial_shortest(const struct serial_truth *truth, const struct history *history,
                         uint32_t transaction)
{
    uint32_t *at = NEW_ARRAY(uint32_t, history->count), shortest = 0;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        if (truth->of[pos] != transaction)
            continue;
        uint32_t length = shortest_from(truth, history, pos, at);
        if (length && (!shortest || length < shortest))
            shortest = length;
    }
    free(at);
    return shortest;
}
