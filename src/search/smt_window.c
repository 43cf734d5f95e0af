#include "search/smt_window.h"

#include "base/map.h"

#include <assert.h>

static uint32_t objects_of(const struct smt_window *window, enum object_class class)
{
    return trace_count(window->history->trace, class);
}

static void lists_free(struct smt_lists *lists)
{
    free(lists->offset);
    free(lists->items);
}

/* What a list groups by: the object, or a barrier's instance. */
static uint32_t key_of(const struct event *event)
{
    return event->op == EVENT_BARRIER_ENTER ? event->other : event->object;
}

static const struct event *at(const struct smt_window *window, uint32_t pos)
{
    return &window->history->events[pos];
}

/* Of events with such an operation, those with one of the flags; 0: all. */
static void lists_build(const struct smt_window *window, struct smt_lists *lists, uint32_t objects,
                        uint32_t first, uint64_t ops, uint8_t flags)
{
    lists->offset = NEW_ARRAY(uint32_t, objects + 2);
    lists->items = NULL;
    uint32_t end = window->present & ops ? window->end : first;
    for (uint32_t pos = first; pos < end; pos++)
        if (op_in(at(window, pos)->op, ops) && (!flags || at(window, pos)->flags & flags))
            lists->offset[key_of(at(window, pos)) + 2]++;
    for (uint32_t i = 2; i < objects + 2; i++)
        lists->offset[i] += lists->offset[i - 1];
    uint32_t count = lists->offset[objects + 1];
    lists->items = memory_alloc(count, sizeof *lists->items);
    for (uint32_t pos = first; pos < end; pos++)
        if (op_in(at(window, pos)->op, ops) && (!flags || at(window, pos)->flags & flags))
            lists->items[lists->offset[key_of(at(window, pos)) + 1]++] = pos;
}

static void find_threads(struct smt_window *window)
{
    const struct history *history = window->history;
    window->baseline = NEW_ARRAY(uint32_t, history->threads);
    window->length = NEW_ARRAY(uint32_t, history->threads);
    for (uint32_t pos = 0; pos < window->end; pos++) {
        uint32_t thread = history->events[pos].thread;
        window->present |= OP_BIT(history->events[pos].op);
        window->length[thread] = history->index[pos] + 1;
        if (pos < window->start)
            window->baseline[thread] = history->index[pos] + 1;
    }
}

static void find_state(struct smt_window *window)
{
    const struct trace *trace = window->history->trace;
    uint32_t variables = objects_of(window, CLASS_VARIABLE);
    uint32_t semaphores = objects_of(window, CLASS_SEMAPHORE);
    window->last_write = memory_alloc(variables, sizeof *window->last_write);
    memset(window->last_write, 0xff, variables * sizeof *window->last_write);
    window->semaphore_count = NEW_ARRAY(uint32_t, semaphores);
    for (uint32_t i = 0; i < semaphores; i++)
        window->semaphore_count[i] = trace_semaphore_initial(trace, i);
    for (uint32_t pos = 0; pos < window->start; pos++) {
        const struct event *event = at(window, pos);
        if (event_writes(event))
            window->last_write[event->object] = pos;
        else if (event->op == EVENT_POST)
            window->semaphore_count[event->object]++;
        else if (event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED))
            window->semaphore_count[event->object]--;
    }
}

static int compare_sections(const void *left, const void *right)
{
    const struct smt_section *a = left, *b = right;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    return a->acquire < b->acquire ? -1 : a->acquire > b->acquire;
}

static void index_sections(struct smt_window *window)
{
    uint32_t locks = objects_of(window, CLASS_LOCK);
    if (window->sections.count)
        qsort(window->sections.items, window->sections.count, sizeof *window->sections.items,
              compare_sections);
    window->section_offset = NEW_ARRAY(uint32_t, locks + 1);
    window->release_of = memory_alloc(window->end - window->start, sizeof *window->release_of);
    memset(window->release_of, 0xff, (window->end - window->start) * sizeof *window->release_of);
    for (size_t i = 0; i < window->sections.count; i++) {
        const struct smt_section *section = &window->sections.items[i];
        window->section_offset[section->lock + 1]++;
        if (section->acquire >= window->start)
            window->release_of[section->acquire - window->start] = section->release;
    }
    for (uint32_t i = 0; i < locks; i++)
        window->section_offset[i + 1] += window->section_offset[i];
}

/* The list without a section, which is in it. */
static uint32_t hold_without(struct smt_window *window, uint32_t node, uint32_t section)
{
    struct smt_hold hold = window->holds.items[node];
    if (hold.section == section)
        return hold.next;
    hold.next = hold_without(window, hold.next, section);
    array_push(&window->holds, hold);
    return (uint32_t)window->holds.count - 1;
}

static uint32_t hold_with(struct smt_window *window, uint32_t node, uint32_t section)
{
    array_push(&window->holds, ((struct smt_hold){section, node}));
    return (uint32_t)window->holds.count - 1;
}

/* Which sections each access lies in. */
static void find_holds(struct smt_window *window)
{
    uint32_t count = window->end - window->start;
    uint32_t *current = NEW_ARRAY(uint32_t, window->history->threads);
    uint32_t *bound = NEW_ARRAY(uint32_t, count);
    window->section_at = bound;
    array_push(&window->holds, ((struct smt_hold){0, 0}));
    window->held = NEW_ARRAY(uint32_t, count);
    for (uint32_t i = 0; i < window->sections.count; i++) {
        const struct smt_section *section = &window->sections.items[i];
        if (section->acquire >= window->start)
            bound[section->acquire - window->start] = i + 1;
        else
            current[section->thread] = hold_with(window, current[section->thread], i);
        if (section->release != POS_NONE)
            bound[section->release - window->start] = i + 1;
    }
    for (uint32_t pos = window->start; pos < window->end; pos++) {
        const struct event *event = at(window, pos);
        uint32_t *held = &current[event->thread], section = bound[pos - window->start];
        if (op_in(event->op, OPS_ACCESS))
            window->held[pos - window->start] = *held;
        else if (section && event_acquires(event))
            *held = hold_with(window, *held, section - 1);
        else if (section && event_releases(event))
            *held = hold_without(window, *held, section - 1);
    }
    free(current);
}

bool smt_excluded(const struct smt_window *window, uint32_t a, uint32_t b, uint32_t *a_section,
                  uint32_t *b_section)
{
    if (a < window->start || b < window->start)
        return false;
    const struct smt_hold *holds = window->holds.items;
    const struct smt_section *sections = window->sections.items;
    for (uint32_t i = window->held[a - window->start]; i; i = holds[i].next)
        for (uint32_t k = window->held[b - window->start]; k; k = holds[k].next) {
            *a_section = holds[i].section;
            *b_section = holds[k].section;
            const struct smt_section *x = &sections[*a_section], *y = &sections[*b_section];
            if (x->lock == y->lock && x->thread != y->thread && !(x->shared && y->shared))
                return true;
        }
    return false;
}

/* Sections that end before the window constrain nothing in it. */
static void find_sections(struct smt_window *window)
{
    struct map open = {0}; /* (lock, thread) to its place in all */
    struct smt_sections all = {0};
    for (uint32_t pos = 0; pos < window->end; pos++) {
        const struct event *event = at(window, pos);
        if (!op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
            continue;
        uint64_t key = map_pair(event_lock(event), event->thread);
        if (event_releases(event)) {
            uint64_t *place = map_find(&open, key);
            assert(place);
            all.items[*place].release = pos;
            map_remove(&open, key);
        } else if (event_acquires(event)) {
            struct smt_section section = {event_lock(event), event->thread, pos, POS_NONE,
                                          event->op == EVENT_ACQUIRE_READ};
            *map_at(&open, key, NULL) = all.count;
            array_push(&all, section);
        }
    }
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].release >= window->start)
            array_push(&window->sections, all.items[i]);
    map_free(&open);
    array_free(&all);
    index_sections(window);
    find_holds(window);
}

static int compare_waits(const void *left, const void *right)
{
    const struct smt_wait *a = left, *b = right;
    if (a->condition != b->condition)
        return a->condition < b->condition ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* Returns the first position whose waits and signals still matter: a thread that
 * waits when the window starts may use signals sent since it began to wait, which
 * others may have used up. */
static uint32_t find_waits(struct smt_window *window)
{
    struct smt_waits all = {0};
    uint32_t threads = window->history->threads;
    uint32_t *open = NEW_ARRAY(uint32_t, threads); /* by thread: its wait, plus one */
    for (uint32_t pos = 0; pos < window->end; pos++) {
        const struct event *event = at(window, pos);
        if (event->op == EVENT_WAIT_BEGIN) {
            struct smt_wait wait = {event->object, event->thread, pos, POS_NONE, false};
            array_push(&all, wait);
            open[event->thread] = (uint32_t)all.count;
        } else if (event->op == EVENT_WAIT_END) {
            struct smt_wait *wait = &all.items[open[event->thread] - 1];
            wait->end = pos;
            wait->failed = event->flags & EVENT_FAILED;
        }
    }
    uint32_t first = window->start;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].end >= window->start && all.items[i].begin < first)
            first = all.items[i].begin;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].end >= first)
            array_push(&window->waits, all.items[i]);
    free(open);
    array_free(&all);
    return first;
}

static void index_waits(struct smt_window *window)
{
    uint32_t conditions = objects_of(window, CLASS_CONDITION);
    if (window->waits.count)
        qsort(window->waits.items, window->waits.count, sizeof *window->waits.items, compare_waits);
    window->wait_offset = NEW_ARRAY(uint32_t, conditions + 1);
    for (size_t i = 0; i < window->waits.count; i++)
        window->wait_offset[window->waits.items[i].condition + 1]++;
    for (uint32_t i = 0; i < conditions; i++)
        window->wait_offset[i + 1] += window->wait_offset[i];
}

static bool same_value(const struct rules *rules, const struct event *read, uint32_t write)
{
    if (!(read->flags & EVENT_HAS_VALUE) || read->op == EVENT_ATOMIC_RMW)
        return false;
    if (write == POS_NONE)
        return rules->initial_known[read->object] &&
               rules->initial_value[read->object] == read->value;
    const struct event *writer = &rules->history->events[write];
    return writer->flags & EVENT_HAS_VALUE && writer->value == read->value;
}

bool smt_may_see(const struct smt_window *window, uint32_t read, uint32_t write)
{
    const struct rules *rules = window->rules;
    const struct event *event = at(window, read);
    if (write == POS_NONE)
        write = window->last_write[event->object];
    if (write == rules->reads_from[read])
        return true;
    return rules->model == MODEL_VALUE && same_value(rules, event, write);
}

bool smt_keeps(const struct smt_window *window, uint32_t read)
{
    enum model model = window->rules->model;
    return model == MODEL_RF || model == MODEL_VALUE || op_in(at(window, read)->op, OPS_ATOMIC);
}

static uint32_t *clock_of(const struct smt_window *window, uint32_t pos)
{
    return window->clocks + (size_t)(pos - window->start) * window->history->threads;
}

/* `from` must come before `to`, whose clock is being made. */
static void must_follow(struct smt_window *window, uint32_t from, uint32_t to)
{
    const struct history *history = window->history;
    if (from == POS_NONE || from < window->start)
        return;
    uint32_t *clock = clock_of(window, to);
    if (clock[at(window, from)->thread] > history->index[from])
        return;
    const uint32_t *other = clock_of(window, from);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (other[thread] > clock[thread])
            clock[thread] = other[thread];
    array_push(&window->edges, ((struct smt_edge){from, to}));
}

uint32_t smt_must_count(const struct smt_window *window, uint32_t pos, uint32_t thread)
{
    return clock_of(window, pos)[thread];
}

/* The only write that the read may see, POS_NONE if there are several or if it
 * is what the window starts with. */
static uint32_t only_writer(const struct smt_window *window, uint32_t read)
{
    uint32_t only = window->rules->reads_from[read];
    if (only == POS_NONE || only < window->start)
        return POS_NONE;
    if (window->rules->model != MODEL_VALUE)
        return only;
    uint32_t variable = at(window, read)->object;
    if (smt_may_see(window, read, POS_NONE))
        return POS_NONE;
    for (uint32_t i = window->writes.offset[variable]; i < window->writes.offset[variable + 1]; i++)
        if (window->writes.items[i] != only && smt_may_see(window, read, window->writes.items[i]))
            return POS_NONE;
    return only;
}

static void follow_all_entered(struct smt_window *window, uint32_t instance, uint32_t to)
{
    if (instance == POS_NONE)
        return;
    for (uint32_t i = window->enters.offset[instance]; i < window->enters.offset[instance + 1]; i++)
        must_follow(window, window->enters.items[i], to);
}

/* Once a branch is executed, every read before it saw what it saw. */
static void follow_reads_of_branch(struct smt_window *window, uint32_t pos)
{
    const struct history *history = window->history;
    uint32_t thread = at(window, pos)->thread;
    for (uint32_t index = history->index[pos]; index-- > window->baseline[thread];) {
        uint32_t earlier = history_pos(history, thread, index);
        if (at(window, earlier)->op == EVENT_BRANCH)
            break;
        if (event_reads(at(window, earlier)))
            must_follow(window, only_writer(window, earlier), pos);
    }
}

/* Of a thread without events: its fork. */
static uint32_t last_event(const struct history *history, uint32_t thread)
{
    uint32_t length = history_thread_length(history, thread);
    return length ? history_pos(history, thread, length - 1) : history->fork_of[thread];
}

static void make_clock(struct smt_window *window, uint32_t pos, const uint32_t *once_end)
{
    const struct history *history = window->history;
    const struct event *event = at(window, pos);
    uint32_t index = history->index[pos];
    uint32_t *clock = clock_of(window, pos);
    const uint32_t *before = index > window->baseline[event->thread]
                                 ? clock_of(window, history_pos(history, event->thread, index - 1))
                                 : window->baseline;
    memcpy(clock, before, history->threads * sizeof *clock);
    if (index == 0)
        must_follow(window, history->fork_of[event->thread], pos);
    if (event->op == EVENT_JOIN)
        must_follow(window, last_event(history, event->object), pos);
    else if (event->op == EVENT_BARRIER_EXIT)
        follow_all_entered(window, event->other, pos);
    else if (event->op == EVENT_BARRIER_ENTER)
        follow_all_entered(window, window->rules->previous_instance[event->other], pos);
    else if (event->op == EVENT_ONCE_PASS)
        must_follow(window, once_end[event->object], pos);
    else if (event->op == EVENT_BRANCH && window->rules->model == MODEL_BRANCH)
        follow_reads_of_branch(window, pos);
    else if (event_reads(event) && smt_keeps(window, pos))
        must_follow(window, only_writer(window, pos), pos);
    clock[event->thread] = index + 1;
}

static void make_clocks(struct smt_window *window)
{
    uint32_t onces = objects_of(window, CLASS_ONCE);
    uint32_t *once_end = memory_alloc(onces, sizeof *once_end);
    memset(once_end, 0xff, onces * sizeof *once_end);
    window->clocks = memory_alloc((size_t)(window->end - window->start) * window->history->threads,
                                  sizeof *window->clocks);
    for (uint32_t pos = window->start; pos < window->end; pos++) {
        make_clock(window, pos, once_end);
        if (at(window, pos)->op == EVENT_ONCE_END)
            once_end[at(window, pos)->object] = pos;
    }
    free(once_end);
}

struct smt_window *smt_window_create(const struct rules *rules, uint32_t start, uint32_t end)
{
    struct smt_window *window = NEW(struct smt_window);
    window->rules = rules;
    window->history = rules->history;
    window->start = start;
    window->end = end;
    uint32_t variables = objects_of(window, CLASS_VARIABLE);
    uint32_t semaphores = objects_of(window, CLASS_SEMAPHORE);
    find_threads(window);
    find_state(window);
    find_sections(window);
    uint32_t first = find_waits(window);
    index_waits(window);
    lists_build(window, &window->writes, variables, start, OPS_WRITING, 0);
    lists_build(window, &window->signals, objects_of(window, CLASS_CONDITION), first,
                OP_BIT(EVENT_SIGNAL) | OP_BIT(EVENT_BROADCAST), 0);
    lists_build(window, &window->posts, semaphores, start, OP_BIT(EVENT_POST), 0);
    lists_build(window, &window->semaphore_waits, semaphores, start, OP_BIT(EVENT_SEM_WAIT), 0);
    lists_build(window, &window->failed_tries, objects_of(window, CLASS_LOCK), start,
                OPS_ACQUIRING & ~OP_BIT(EVENT_WAIT_END), EVENT_FAILED);
    lists_build(window, &window->enters, trace_barrier_instances(window->history->trace), start,
                OP_BIT(EVENT_BARRIER_ENTER), 0);
    make_clocks(window);
    return window;
}

void smt_window_destroy(struct smt_window *window)
{
    if (!window)
        return;
    free(window->baseline);
    free(window->length);
    free(window->clocks);
    array_free(&window->edges);
    lists_free(&window->writes);
    lists_free(&window->signals);
    lists_free(&window->posts);
    lists_free(&window->semaphore_waits);
    lists_free(&window->failed_tries);
    lists_free(&window->enters);
    array_free(&window->sections);
    free(window->section_offset);
    array_free(&window->waits);
    free(window->wait_offset);
    free(window->release_of);
    free(window->held);
    free(window->section_at);
    array_free(&window->holds);
    free(window->last_write);
    free(window->semaphore_count);
    free(window);
}

static bool clock_covers(const struct smt_window *window, const uint32_t *clock, uint32_t pos)
{
    return clock[at(window, pos)->thread] > window->history->index[pos];
}

bool smt_must(const struct smt_window *window, uint32_t a, uint32_t b)
{
    if (a == b)
        return false;
    if (a < window->start)
        return b >= window->start || a < b;
    return b >= window->start && clock_covers(window, clock_of(window, b), a);
}

bool smt_must_precede(const struct smt_window *window, uint32_t a, uint32_t b)
{
    const struct history *history = window->history;
    uint32_t thread = at(window, b)->thread, index = history->index[b];
    if (a < window->start)
        return true;
    if (index > window->baseline[thread])
        return clock_covers(window, clock_of(window, history_pos(history, thread, index - 1)), a);
    uint32_t fork = index ? POS_NONE : history->fork_of[thread];
    return fork != POS_NONE && fork >= window->start &&
           clock_covers(window, clock_of(window, fork), a);
}
