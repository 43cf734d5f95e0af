#include "engine/cycle_search.h"

#include "engine/lock_cycles.h"

struct attempt {
    struct cycle_search *search;
    struct positions ARRAY_OF(uint32_t) tuple;
    struct cursors ARRAY_OF(uint32_t) cursors;
    struct places ARRAY_OF(struct finding_event) events;
};

static void fill(struct attempt *attempt, const uint32_t *cycle, uint32_t length)
{
    const struct history *history = attempt->search->run->history;
    const struct dependency *dependencies = attempt->search->order->dependencies.items;
    for (uint32_t i = 0; i < length; i++) {
        uint32_t pos = dependencies[cycle[i]].instances.items[attempt->cursors.items[i]];
        attempt->tuple.items[i] = pos;
        finding_event_fill(&attempt->events.items[i], &history->events[pos], pos,
                           history->index[pos]);
    }
}

/* The next tuple of instances; false after the last one. */
static bool advance(struct attempt *attempt, const uint32_t *cycle, uint32_t length)
{
    const struct dependency *dependencies = attempt->search->order->dependencies.items;
    for (uint32_t i = 0; i < length; i++) {
        if (++attempt->cursors.items[i] < dependencies[cycle[i]].instances.count)
            return true;
        attempt->cursors.items[i] = 0;
    }
    return false;
}

static struct finding finding_of(const struct attempt *attempt, uint32_t length)
{
    const struct cycle_search *search = attempt->search;
    const struct event *first = &search->run->history->events[attempt->tuple.items[0]];
    return (struct finding){
        .kind = FINDING_DEADLOCK,
        .model = search->model,
        .verdict = search->verdict,
        .engine = search->run->engine->name,
        .object_class = CLASS_LOCK,
        .object = event_lock(first),
        .block = INTERN_NONE,
        .events = attempt->events.items,
        .event_count = length,
    };
}

static enum decision try_tuple(struct attempt *attempt, uint32_t length)
{
    const struct cycle_search *search = attempt->search;
    struct finding finding = finding_of(attempt, length);
    if (!findings_is_new(search->run->findings, &finding))
        return DECISION_YES;
    char *note = NULL;
    enum decision decision = search->decide(search->context, attempt->tuple.items, length,
                                            &finding.witness, &finding.witness_length, &note);
    if (decision == DECISION_YES) {
        finding.note = note;
        findings_add(search->run->findings, &finding);
        free(finding.witness);
        free(note);
    }
    return decision;
}

static void count(struct engine_run *run, enum decision decision)
{
    run->candidates++;
    run->refuted += decision == DECISION_NO;
    run->exhausted += decision == DECISION_UNKNOWN;
}

static bool try_cycle(void *context, const uint32_t *cycle, uint32_t length)
{
    struct attempt *attempt = context;
    struct engine_run *run = attempt->search->run;
    bool every_pair = run->options->every_pair;
    array_grow(&attempt->tuple, length);
    array_grow(&attempt->cursors, length);
    array_grow(&attempt->events, length);
    memset(attempt->cursors.items, 0, length * sizeof *attempt->cursors.items);
    enum decision answer = DECISION_NO;
    uint64_t left = attempt->search->tuples;
    do {
        if (!left--) {
            answer = answer == DECISION_YES ? DECISION_YES : DECISION_UNKNOWN;
            break;
        }
        fill(attempt, cycle, length);
        enum decision decision = try_tuple(attempt, length);
        if (every_pair)
            count(run, decision);
        if (decision == DECISION_YES)
            answer = DECISION_YES;
        else if (decision == DECISION_UNKNOWN && answer == DECISION_NO)
            answer = DECISION_UNKNOWN;
    } while ((every_pair || answer != DECISION_YES) && advance(attempt, cycle, length));
    if (!every_pair)
        count(run, answer);
    return true;
}

void cycle_search_run(struct cycle_search *search)
{
    struct attempt attempt = {.search = search};
    if (!lock_cycles_each(search->order, search->cycle_steps, try_cycle, &attempt))
        search->run->exhausted++;
    array_free(&attempt.tuple);
    array_free(&attempt.cursors);
    array_free(&attempt.events);
}
