#include "engine/stuck_sets.h"

#include <assert.h>

enum {
    SIZE_MAX_THREADS = 8, /* of a set */
    ENUMERATION_STEPS = 1 << 20,
    TUPLES_PER_PLACES = 16,
    EXPLORED_EVENTS = 2048, /* of a trace, or window, that is explored at all */
    EXPLORED_STATES = 1 << 16,
    EXPLORED_IN_ALL = 1 << 20,
    PROVED_EVENTS = 100000000, /* executed to see whether schedules lead into deadlocks */
};

struct number_list ARRAY_OF(uint32_t);

struct finder {
    const struct stuck_sets *sets;
    const struct history *history;
    struct explorer *explorer;
    bool *several_wait; /* by condition */
    uint64_t explored, proved;
    uint32_t members[SIZE_MAX_THREADS]; /* classes of the set in the making */
    uint32_t count, size, first;
    uint64_t steps;
    bool larger;       /* some set was given up only for its size */
    struct map tried;  /* sets of classes */
    struct map places; /* sets of locations -> tuples decided, or FOUND */
};

#define FOUND UINT64_MAX

static const struct wait_class *member(const struct finder *finder, uint32_t at)
{
    return &finder->sets->classes->classes.items[finder->members[at]];
}

static const char *sentence(const struct finder *finder)
{
    const struct wait_class *only = member(finder, 0);
    if (finder->count == 1)
        return only->wanted == WANTS_SIGNAL ? "lost wake-up: the wait can be left without a signal"
                                            : "nobody else is left to post the semaphore";
    for (uint32_t i = 0; i < finder->count; i++)
        if (member(finder, i)->wanted == WANTS_SIGNAL)
            return "all who could signal the condition wait for each other";
    for (uint32_t i = 0; i < finder->count; i++)
        if (member(finder, i)->wanted == WANTS_POST)
            return "all who could post the semaphore wait for each other";
    return "each waits for what only the others can give";
}

static void report(struct finder *finder, const uint32_t *events,
                   const struct search_witness *witness)
{
    struct engine_run *run = finder->sets->run;
    struct finding_event places[SIZE_MAX_THREADS];
    for (uint32_t i = 0; i < finder->count; i++)
        finding_event_fill(&places[i], &finder->history->events[events[i]], events[i],
                           finder->history->index[events[i]]);
    const struct stuck_sets *sets = finder->sets;
    char *note = sets->note ? sets->note(sets->context, witness, finder->count) : NULL;
    const struct event *first = &finder->history->events[events[0]];
    bool mutex = first->op == EVENT_WAIT_END && member(finder, 0)->wanted == WANTS_LOCK;
    struct finding finding = {
        .kind = FINDING_DEADLOCK,
        .model = finder->sets->model,
        .verdict = finder->sets->model == MODEL_SYNC ? VERDICT_CANDIDATE : VERDICT_PREDICTED,
        .engine = run->engine->name,
        .object_class = mutex ? CLASS_LOCK : event_object_class(first->op),
        .object = mutex ? first->other : first->object,
        .block = INTERN_NONE,
        .events = places,
        .event_count = finder->count,
        .witness = (uint32_t *)witness->events,
        .witness_length = witness->length,
        .note = note ? note : sentence(finder),
    };
    findings_add(run->findings, &finding);
    free(note);
}

/* Does the schedule, which ends in the events, lead into the deadlock? */
static bool proves(struct finder *finder, const uint32_t *events,
                   const struct search_witness *witness)
{
    finder->proved += witness->length;
    struct machine *machine = machine_create(finder->sets->rules);
    for (uint32_t i = 0; i < witness->length - finder->count; i++)
        machine_execute(machine, witness->events[i]);
    bool good = blocking_deadlock(finder->sets->blocking, machine, events, finder->count);
    machine_destroy(machine);
    return good;
}

/* The last signals of others, and whether all of them wake everybody. */
struct signallers {
    struct number_list last; /* pos; room is left for one more */
    bool broadcasts;         /* all are */
    bool single_waiter;      /* nobody else waits at the condition */
};

static void find_signallers(const struct finder *finder, uint32_t wait,
                            struct signallers *signallers)
{
    const struct history *history = finder->history;
    uint32_t condition = history->events[wait].object, self = history->events[wait].thread;
    signallers->broadcasts = true;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        const uint64_t *last = map_find(&finder->sets->blocking->last_help,
                                        blocking_help_key(true, condition, thread));
        if (!last || thread == self)
            continue;
        uint32_t pos = history_pos(history, thread, (uint32_t)*last - 1);
        signallers->broadcasts &= history->events[pos].op == EVENT_BROADCAST;
        array_push(&signallers->last, pos);
    }
    signallers->single_waiter = !finder->several_wait[condition];
}

/* By condition: do several threads wait at it? Some may never have returned. */
static bool *find_waiters(const struct history *history)
{
    uint32_t conditions = trace_count(history->trace, CLASS_CONDITION);
    bool *several = NEW_ARRAY(bool, conditions);
    uint32_t *waiter = NEW_ARRAY(uint32_t, conditions);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op != EVENT_WAIT_BEGIN)
            continue;
        several[event->object] |=
            waiter[event->object] && waiter[event->object] != event->thread + 1;
        waiter[event->object] = event->thread + 1;
    }
    free(waiter);
    return several;
}

/* A wait alone: can it begin after all signals that others give? Exact if nobody else
 * could have got one that came later. */
static enum search_answer begins_late(const struct finder *finder, uint32_t wait,
                                      struct search_witness *witness)
{
    const struct history *history = finder->history;
    struct signallers signallers = {0};
    find_signallers(finder, wait, &signallers);
    uint32_t begin = history_pos(history, history->events[wait].thread, history->index[wait] - 1);
    array_push(&signallers.last, begin);
    struct search_query query = {SEARCH_PRECEDES, signallers.last.items,
                                 (uint32_t)signallers.last.count,
                                 finder->sets->run->options->budget};
    enum search_answer answer = SEARCH_EXHAUSTED;
    if (history->events[begin].op == EVENT_WAIT_BEGIN)
        answer = search_reach(finder->sets->search, &query, witness);
    if (answer == SEARCH_REFUTED && !signallers.broadcasts && !signallers.single_waiter)
        answer = SEARCH_EXHAUSTED;
    array_free(&signallers.last);
    return answer;
}

/* `found` without its last event, if that is none of the claim, and with the claim. */
static struct search_witness extended(struct number_list *room, const struct search_witness *found,
                                      uint32_t event)
{
    room->count = 0;
    for (uint32_t i = 0; i < found->length; i++)
        array_push(room, found->events[i]);
    array_push(room, event);
    return (struct search_witness){room->items, (uint32_t)room->count};
}

static enum search_answer explore(struct finder *finder, const uint32_t *events,
                                  struct search_witness *witness)
{
    const struct stuck_sets *sets = finder->sets;
    if (sets->to - sets->from > EXPLORED_EVENTS || finder->explored > EXPLORED_IN_ALL)
        return SEARCH_EXHAUSTED;
    if (!finder->explorer)
        finder->explorer =
            explorer_create(sets->rules, sets->blocking, sets->start, sets->from, sets->to);
    enum search_answer answer =
        explorer_deadlock(finder->explorer, events, finder->count, EXPLORED_STATES, witness);
    finder->explored += explorer_states(finder->explorer);
    return answer;
}

static enum search_answer decide(struct finder *finder, const uint32_t *events)
{
    const struct stuck_sets *sets = finder->sets;
    struct search_witness witness;
    if (finder->proved > PROVED_EVENTS)
        return SEARCH_EXHAUSTED;
    enum search_answer answer = sets->reach(sets->context, events, finder->count, &witness);
    if (answer == SEARCH_REFUTED)
        return answer;
    if (answer == SEARCH_WITNESS && proves(finder, events, &witness)) {
        report(finder, events, &witness);
        return SEARCH_WITNESS;
    }
    if (finder->count == 1 && member(finder, 0)->wanted == WANTS_SIGNAL && sets->search) {
        answer = begins_late(finder, events[0], &witness);
        if (answer == SEARCH_REFUTED)
            return answer;
        if (answer == SEARCH_WITNESS) {
            struct number_list room = {0};
            struct search_witness whole = extended(&room, &witness, events[0]);
            bool good = proves(finder, events, &whole);
            if (good)
                report(finder, events, &whole);
            array_free(&room);
            if (good)
                return SEARCH_WITNESS;
        }
    }
    answer = explore(finder, events, &witness);
    if (answer == SEARCH_WITNESS)
        report(finder, events, &witness);
    return answer;
}

static void count(struct finder *finder, enum search_answer answer)
{
    struct engine_run *run = finder->sets->run;
    run->candidates++;
    run->refuted += answer == SEARCH_REFUTED;
    run->exhausted += answer == SEARCH_EXHAUSTED;
}

static void decide_every_tuple(struct finder *finder)
{
    uint32_t cursors[SIZE_MAX_THREADS] = {0}, events[SIZE_MAX_THREADS], at = 0;
    while (at < finder->count) {
        for (uint32_t i = 0; i < finder->count; i++)
            events[i] = member(finder, i)->instances.items[cursors[i]];
        count(finder, decide(finder, events));
        for (at = 0; at < finder->count; at++) {
            if (++cursors[at] < member(finder, at)->instances.count)
                break;
            cursors[at] = 0;
        }
    }
}

/* The instance that lies closest before `pos`, or the first. */
static uint32_t nearest(const struct wait_class *class, uint32_t pos)
{
    uint32_t low = 0, high = (uint32_t) class->instances.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (class->instances.items[middle] <= pos)
            low = middle + 1;
        else
            high = middle;
    }
    return class->instances.items[low ? low - 1 : 0];
}

static uint64_t places_of(const struct finder *finder)
{
    uint64_t sum = finder->count;
    for (uint32_t i = 0; i < finder->count; i++)
        sum += map_mix(member(finder, i)->location + UINT64_C(1));
    return sum >> 1;
}

/* Instances of the rarest class, from both ends, and of the others what lies close. */
static void decide_places(struct finder *finder)
{
    uint32_t events[SIZE_MAX_THREADS], pivot = 0;
    uint64_t key = places_of(finder);
    if (*map_at(&finder->places, key, NULL) >= TUPLES_PER_PLACES)
        return; /* found, or given up and counted */
    for (uint32_t i = 1; i < finder->count; i++)
        if (member(finder, i)->instances.count < member(finder, pivot)->instances.count)
            pivot = i;
    const struct wait_class *rare = member(finder, pivot);
    enum search_answer worst = SEARCH_REFUTED;
    for (uint32_t k = 0; k < rare->instances.count; k++) {
        uint64_t *tuples = map_at(&finder->places, key, NULL);
        if (*tuples >= TUPLES_PER_PLACES) {
            worst = SEARCH_EXHAUSTED;
            break;
        }
        uint32_t pos = rare->instances.items[k & 1 ? rare->instances.count - 1 - k / 2 : k / 2];
        for (uint32_t i = 0; i < finder->count; i++)
            events[i] = i == pivot ? pos : nearest(member(finder, i), pos);
        ++*tuples;
        enum search_answer answer = decide(finder, events);
        if (answer == SEARCH_WITNESS) {
            *map_at(&finder->places, key, NULL) = FOUND;
            worst = answer;
            break;
        }
        worst = answer == SEARCH_EXHAUSTED ? answer : worst;
        for (uint32_t i = 0; i < finder->count && finder->count > 1; i++)
            if (i != pivot && member(finder, i)->instances.count > 1)
                worst = SEARCH_EXHAUSTED; /* other tuples were not looked at */
    }
    count(finder, worst);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_new(struct finder *finder)
{
    uint32_t sorted[SIZE_MAX_THREADS];
    uint64_t hash = finder->count;
    bool added;
    memcpy(sorted, finder->members, finder->count * sizeof *sorted);
    qsort(sorted, finder->count, sizeof *sorted, compare_numbers);
    for (uint32_t i = 0; i < finder->count; i++)
        hash = map_mix(hash * 31 + sorted[i] + 1);
    map_at(&finder->tried, hash >> 1, &added);
    return added;
}

/* Nobody is in the set in vain. */
static bool all_are_waited_for(const struct finder *finder)
{
    for (uint32_t i = 0; i < finder->count; i++) {
        bool wanted = finder->count == 1;
        for (uint32_t k = 0; k < finder->count && !wanted; k++)
            wanted = k != i && wait_class_waits_for(finder->sets->classes, member(finder, k),
                                                    member(finder, i));
        if (!wanted)
            return false;
    }
    return true;
}

static bool fits(const struct finder *finder, const struct wait_class *class)
{
    for (uint32_t i = 0; i < finder->count; i++)
        if (!wait_classes_meet(finder->sets->classes, member(finder, i), class))
            return false;
    return true;
}

static void extend(struct finder *finder);

/* Adds every class that the member may wait for, one at a time. */
static void add_each(struct finder *finder, uint32_t waiting)
{
    for (uint32_t i = 0; i < finder->sets->classes->classes.count; i++) {
        const struct wait_class *class = &finder->sets->classes->classes.items[i];
        if (!finder->steps)
            return;
        finder->steps--;
        if ((wait_class_is_special(class) && i < finder->first) ||
            !wait_class_waits_for(finder->sets->classes, member(finder, waiting), class) ||
            !fits(finder, class))
            continue;
        if (finder->count == finder->size) {
            finder->larger = true;
            return;
        }
        finder->members[finder->count++] = i;
        extend(finder);
        finder->count--;
    }
}

static bool is_met(const struct finder *finder, uint32_t at)
{
    for (uint32_t i = 0; i < finder->count; i++)
        if (i != at &&
            wait_class_waits_for(finder->sets->classes, member(finder, at), member(finder, i)))
            return true;
    return false;
}

static void extend(struct finder *finder)
{
    if (finder->count > 1 && !is_new(finder))
        return;
    for (uint32_t i = 0; i < finder->count; i++)
        if (!wait_class_has_helpers(member(finder, i)) && !is_met(finder, i)) {
            add_each(finder, i);
            return;
        }
    if (finder->count == finder->size && all_are_waited_for(finder)) {
        if (finder->sets->run->options->every_pair)
            decide_every_tuple(finder);
        else
            decide_places(finder);
    }
    for (uint32_t i = 0; i < finder->count; i++)
        if (wait_class_has_helpers(member(finder, i)))
            add_each(finder, i);
}

static void find(struct finder *finder)
{
    uint32_t most = finder->history->threads;
    most = most < SIZE_MAX_THREADS ? most : SIZE_MAX_THREADS;
    finder->larger = true;
    for (finder->size = 1; finder->size <= most && finder->larger; finder->size++) {
        finder->larger = false;
        map_clear(&finder->tried);
        for (uint32_t i = 0; i < finder->sets->classes->classes.count; i++) {
            if (!wait_class_is_special(&finder->sets->classes->classes.items[i]))
                continue;
            finder->first = finder->members[0] = i;
            finder->count = 1;
            extend(finder);
        }
    }
    if (finder->sets->classes->too_many || !finder->steps ||
        (finder->larger && most < finder->history->threads))
        finder->sets->run->exhausted++; /* the sets not seen */
}

bool stuck_sets_possible(const struct trace *trace)
{
    return trace_count(trace, CLASS_CONDITION) || trace_count(trace, CLASS_BARRIER) ||
           trace_count(trace, CLASS_SEMAPHORE) || trace_count(trace, CLASS_ONCE);
}

void stuck_sets_find(const struct stuck_sets *sets)
{
    if (!sets->classes->any_special)
        return;
    const struct history *history = sets->run->history;
    struct finder finder = {.sets = sets, .history = history, .steps = ENUMERATION_STEPS};
    finder.several_wait = find_waiters(history);
    find(&finder);
    free(finder.several_wait);
    explorer_destroy(finder.explorer);
    map_free(&finder.tried);
    map_free(&finder.places);
}

void stuck_sets_find_all(struct stuck_sets *sets)
{
    const struct history *history = sets->run->history;
    struct rules *rules = rules_create(history, sets->model);
    struct blocking *blocking = blocking_create(rules);
    struct wait_reader *reader = wait_reader_create(blocking);
    struct wait_classes *classes = wait_reader_next(reader, history->count);
    struct machine *start = machine_create(rules);
    sets->rules = rules;
    sets->blocking = blocking;
    sets->classes = classes;
    sets->start = start;
    sets->from = 0;
    sets->to = history->count;
    stuck_sets_find(sets);
    machine_destroy(start);
    wait_classes_destroy(classes);
    wait_reader_destroy(reader);
    blocking_destroy(blocking);
    rules_destroy(rules);
}
