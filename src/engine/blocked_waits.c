#include "engine/blocked_waits.h"

#include "base/array.h"
#include "base/map.h"
#include "model/checker.h"

enum {
    TRIES = 16,       /* pairs of events for a pair of places */
    LOOK_BACK = 4096, /* events of the other thread, from its last signal or once-end */
};

/* Who can end the waits for an object, and between which of its events. */
struct helper {
    uint32_t from, to; /* pos; POS_NONE if there is none */
    bool several;      /* threads: not looked at */
};

struct blocked_waits {
    const struct lost_wakeups *lost;
    const struct history *history;
    struct rules *rules;
    struct helper *signallers, *runners;   /* by condition, by once */
    struct held ARRAY_OF(uint32_t) * held; /* by thread: its acquires */
    struct map tried;                      /* pair of locations -> tries */
};

static void note_helper(struct helper *helper, const struct history *history, uint32_t pos)
{
    if (helper->to == POS_NONE)
        helper->from = pos;
    else
        helper->several |= history->events[helper->to].thread != history->events[pos].thread;
    helper->to = pos;
}

static struct helper *make_helpers(const struct history *history, enum object_class class)
{
    uint32_t count = trace_count(history->trace, class);
    struct helper *helpers = memory_alloc(count, sizeof *helpers);
    for (uint32_t i = 0; i < count; i++)
        helpers[i] = (struct helper){.from = POS_NONE, .to = POS_NONE};
    return helpers;
}

static void find_helpers(struct blocked_waits *waits)
{
    const struct history *history = waits->history;
    waits->signallers = make_helpers(history, CLASS_CONDITION);
    waits->runners = make_helpers(history, CLASS_ONCE);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST)
            note_helper(&waits->signallers[event->object], history, pos);
        else if (event->op == EVENT_ONCE_BEGIN || event->op == EVENT_ONCE_END)
            note_helper(&waits->runners[event->object], history, pos);
    }
}

static void try_pair(struct blocked_waits *waits, uint32_t wait, uint32_t acquire)
{
    struct engine_run *run = waits->lost->run;
    const struct event *waiting = &waits->history->events[wait];
    uint32_t pair[2] = {wait, acquire};
    struct finding_event events[2];
    for (int i = 0; i < 2; i++)
        finding_event_fill(&events[i], &waits->history->events[pair[i]], pair[i],
                           waits->history->index[pair[i]]);
    bool once = waiting->op == EVENT_ONCE_PASS;
    struct finding finding = {
        .kind = FINDING_DEADLOCK,
        .model = waits->lost->model,
        .verdict = waits->lost->model == MODEL_SYNC ? VERDICT_CANDIDATE : VERDICT_PREDICTED,
        .engine = run->engine->name,
        .object_class = once ? CLASS_ONCE : CLASS_CONDITION,
        .object = waiting->object,
        .block = INTERN_NONE,
        .events = events,
        .event_count = 2,
        .note = once ? "the once-routine needs a lock that its waiter holds"
                     : "the waiter holds a lock that its signaller needs first",
    };
    if (!findings_is_new(run->findings, &finding))
        return;
    struct search_query query = {SEARCH_NEXT, pair, 2, run->options->budget};
    struct search_witness found;
    enum search_answer answer = search_reach(waits->lost->search, &query, &found);
    run->candidates++;
    run->refuted += answer == SEARCH_REFUTED;
    run->exhausted += answer == SEARCH_EXHAUSTED;
    struct claim claim = {FINDING_DEADLOCK, pair, 2, found.events, found.length};
    struct complaint complaint;
    if (answer != SEARCH_WITNESS || !witness_check(waits->rules, &claim, &complaint))
        return;
    finding.witness = memory_copy(found.events, found.length * sizeof *found.events);
    finding.witness_length = found.length;
    findings_add(run->findings, &finding);
    free(finding.witness);
}

static bool is_spent(const struct blocked_waits *waits)
{
    return search_steps(waits->lost->search) > waits->lost->before + waits->lost->work;
}

/* Acquires of a lock by the helper, the last one before it helps first. */
static void try_lock(struct blocked_waits *waits, uint32_t wait, const struct helper *helper,
                     uint32_t lock)
{
    const struct history *history = waits->history;
    uint32_t thread = history->events[helper->to].thread, index = history->index[helper->to];
    uint32_t first = history->events[wait].op == EVENT_ONCE_PASS ? history->index[helper->from] : 0;
    for (uint32_t seen = 0; index > first && seen < LOOK_BACK && !is_spent(waits); seen++) {
        uint32_t pos = history_pos(history, thread, --index);
        const struct event *event = &history->events[pos];
        if (!event_acquires(event) || event->flags & EVENT_TRY || event_lock(event) != lock)
            continue;
        uint64_t *tries =
            map_at(&waits->tried, map_pair(history->events[wait].location, event->location), NULL);
        if (waits->lost->run->options->every_pair || (*tries)++ < TRIES)
            try_pair(waits, wait, pos);
    }
}

static void look_at_wait(struct blocked_waits *waits, uint32_t pos)
{
    const struct event *event = &waits->history->events[pos];
    const struct helper *helper = event->op == EVENT_ONCE_PASS ? &waits->runners[event->object]
                                                               : &waits->signallers[event->object];
    if (event->flags & (EVENT_TRY | EVENT_FAILED) || helper->several || helper->to == POS_NONE ||
        waits->history->events[helper->to].thread == event->thread)
        return;
    for (size_t i = 0; i < waits->held[event->thread].count; i++) {
        uint32_t acquire = waits->held[event->thread].items[i];
        try_lock(waits, pos, helper, event_lock(&waits->history->events[acquire]));
    }
}

static void keep_held(struct blocked_waits *waits, uint32_t pos)
{
    const struct event *events = waits->history->events, *event = &events[pos];
    struct held *held = &waits->held[event->thread];
    if (event_acquires(event))
        array_push(held, pos);
    for (size_t i = held->count; event_releases(event) && i-- > 0;)
        if (event_lock(&events[held->items[i]]) == event_lock(event)) {
            memmove(&held->items[i], &held->items[i + 1],
                    (held->count - i - 1) * sizeof *held->items);
            held->count--;
            break;
        }
}

void blocked_waits_find(const struct lost_wakeups *lost)
{
    const struct history *history = lost->run->history;
    struct blocked_waits waits = {
        .lost = lost,
        .history = history,
        .rules = rules_create(history, lost->model),
        .held = NEW_ARRAY(struct held, history->threads),
    };
    find_helpers(&waits);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_WAIT_END || event->op == EVENT_ONCE_PASS)
            look_at_wait(&waits, pos);
        keep_held(&waits, pos);
    }
    for (uint32_t i = 0; i < history->threads; i++)
        array_free(&waits.held[i]);
    free(waits.held);
    free(waits.signallers);
    free(waits.runners);
    map_free(&waits.tried);
    rules_destroy(waits.rules);
}
