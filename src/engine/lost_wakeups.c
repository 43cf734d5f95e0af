#include "engine/lost_wakeups.h"

#include "base/array.h"
#include "base/map.h"

enum { TRIES = 16 }; /* instances of one source location */

/* Who signals a condition, and when for the last time. */
struct signals {
    uint32_t thread, last;
    bool several;
};

static struct signals *find_signals(const struct history *history)
{
    uint32_t conditions = trace_count(history->trace, CLASS_CONDITION);
    struct signals *signals = memory_alloc(conditions, sizeof *signals);
    for (uint32_t i = 0; i < conditions; i++)
        signals[i] = (struct signals){.last = POS_NONE};
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op != EVENT_SIGNAL && event->op != EVENT_BROADCAST)
            continue;
        struct signals *mine = &signals[event->object];
        mine->several |= mine->last != POS_NONE && mine->thread != event->thread;
        mine->thread = event->thread;
        mine->last = pos;
    }
    return signals;
}

/* True if it is decided. */
static bool try_wait(struct lost_wakeups *lost, uint32_t begin, uint32_t end, uint32_t last)
{
    struct engine_run *run = lost->run;
    const struct history *history = run->history;
    struct finding_event event;
    finding_event_fill(&event, &history->events[end], end, history->index[end]);
    struct finding finding = {
        .kind = FINDING_DEADLOCK,
        .model = lost->model,
        .verdict = lost->model == MODEL_SYNC ? VERDICT_CANDIDATE : VERDICT_PREDICTED,
        .engine = run->engine->name,
        .object_class = CLASS_CONDITION,
        .object = history->events[end].object,
        .block = INTERN_NONE,
        .events = &event,
        .event_count = 1,
        .note = "lost wake-up: the last signal can come before the wait",
    };
    if (!findings_is_new(run->findings, &finding))
        return true;
    if (search_steps(lost->search) > lost->before + lost->work)
        return false;
    uint32_t pair[2] = {last, begin};
    struct search_query query = {SEARCH_PRECEDES, pair, 2, run->options->budget};
    struct search_witness found;
    enum search_answer answer = search_reach(lost->search, &query, &found);
    run->refuted += answer == SEARCH_REFUTED;
    if (answer != SEARCH_WITNESS)
        return answer == SEARCH_REFUTED;
    uint32_t *witness = memory_alloc(found.length + 1, sizeof *witness);
    memcpy(witness, found.events, found.length * sizeof *witness);
    witness[found.length] = end;
    finding.witness = witness;
    finding.witness_length = found.length + 1;
    findings_add(run->findings, &finding);
    free(witness);
    return true;
}

void lost_wakeups_find(struct lost_wakeups *lost)
{
    struct engine_run *run = lost->run;
    const struct history *history = run->history;
    struct signals *signals = find_signals(history);
    lost->before = search_steps(lost->search);
    uint32_t *begun = NEW_ARRAY(uint32_t, history->threads); /* its open wait */
    struct map tried = {0};                                  /* location -> instances */
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_WAIT_BEGIN)
            begun[event->thread] = pos;
        if (event->op != EVENT_WAIT_END || event->flags & (EVENT_TRY | EVENT_FAILED))
            continue;
        const struct signals *mine = &signals[event->object];
        if (mine->several || mine->last == POS_NONE || mine->thread == event->thread)
            continue;
        uint64_t *tries = map_at(&tried, event->location, NULL);
        if (!run->options->every_pair && (*tries)++ >= TRIES)
            continue;
        run->candidates++;
        run->exhausted += !try_wait(lost, begun[event->thread], pos, mine->last);
    }
    map_free(&tried);
    free(begun);
    free(signals);
}
