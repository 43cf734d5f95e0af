/* SPDX-License-Identifier: MIT */
/* Forward by the rules of the schedule, and back again. */
#include "search/visit_state.h"
#include "trace/turns.h"

static uint64_t scramble(uint64_t word)
{
    word = (word ^ word >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
    return word ^ word >> 31;
}

/* Parts are added up, so that one can be taken out again. */
static struct fingerprint part(uint64_t kind, uint32_t high, uint32_t low)
{
    uint64_t word = scramble(map_pair(high, low) + kind * UINT64_C(0x9e3779b97f4a7c15));
    return (struct fingerprint){{word, scramble(word ^ UINT64_C(0xd1b54a32d192ed03))}};
}

enum { PART_QUESTION = 1, PART_THREAD, PART_MEMORY, PART_TOKENS, PART_WAITER };

static void add(struct fingerprint *to, struct fingerprint one)
{
    to->words[0] += one.words[0];
    to->words[1] += one.words[1];
}

static void take(struct fingerprint *from, struct fingerprint one)
{
    from->words[0] -= one.words[0];
    from->words[1] -= one.words[1];
}

/* Who waits follows from the threads; which signals each may take does not. */
static struct fingerprint part_of_condition(const struct condition *condition, uint32_t id)
{
    struct fingerprint all = part(PART_TOKENS, id, (uint32_t)condition->token_count);
    for (size_t i = 0; i < condition->waiting; i++) {
        const struct condition_waiter *waiter = &condition->waiters[i];
        uint32_t taken = UINT32_MAX;
        if (!waiter->woken)
            for (taken = 0;
                 taken < condition->token_count && condition->tokens[taken] < waiter->since;
                 taken++)
                ;
        struct fingerprint one = part(PART_WAITER + (uint64_t)id, waiter->thread, taken);
        add(&all, one);
    }
    return all;
}

static uint32_t count_unread(const struct visit *visit, const struct event_lists *lists,
                             uint32_t key)
{
    const struct search_index *index = visit->search->index;
    uint32_t count = 0;
    for (uint32_t i = lists->start[key]; i < lists->start[key + 1]; i++) {
        uint32_t read = lists->items[i];
        count += index->history->index[read] < visit->limit[thread_at(index, read)];
    }
    return count;
}

static struct unread *unread_of(const struct visit *visit, uint32_t variable)
{
    struct unread *unread = &visit->unread[variable];
    if (unread->question != visit->question)
        *unread = (struct unread){
            visit->question,
            count_unread(visit, &index_with(visit->search->index, INDEX_READERS)->initial,
                         variable)};
    return unread;
}

static struct fingerprint part_of_memory(const struct visit *visit, uint32_t variable)
{
    if (!unread_of(visit, variable)->count)
        return (struct fingerprint){{0, 0}};
    return part(PART_MEMORY, variable, schedule_memory(visit->search, variable)->last);
}

void visit_begin(struct visit *visit)
{
    struct search *search = visit->search;
    schedule_clear(search);
    visit->steps.count = visit->words.count = visit->places.count = 0;
    visit->now = part(PART_QUESTION, 0, visit->question);
}

enum block visit_blocked(const struct visit *visit, uint32_t pos, uint32_t *what)
{
    const struct search *search = visit->search;
    const struct search_index *index = search->index;
    const struct event *event = event_at(index, pos);
    if (op_in(event->op, OPS_READING) && is_bound(search, pos)) {
        uint32_t write = index_before(index, pos);
        if (schedule_memory(search, event->object)->last != write) {
            *what = write;
            return write != POS_NONE && !was_executed(search, write) ? BLOCK_EVENT : BLOCK_NEVER;
        }
    }
    return schedule_blocked(search, pos, what);
}

static void execute_access(struct visit *visit, uint32_t pos, const struct event *event)
{
    const struct search_index *index = visit->search->index;
    uint32_t variable = event->object;
    /* One that is excused may see something else. */
    bool sees = index_keep(index, pos) == KEEP_WRITE &&
                schedule_memory(visit->search, variable)->last == index_before(index, pos);
    take(&visit->now, part_of_memory(visit, variable));
    schedule_execute(visit->search, pos);
    if (sees)
        unread_of(visit, variable)->count--;
    if (event_writes(event)) /* under `value` any later read may care */
        unread_of(visit, variable)->count =
            count_unread(visit, &index_with(index, INDEX_READERS)->readers, pos) +
            (index->model == MODEL_VALUE);
    add(&visit->now, part_of_memory(visit, variable));
}

static void save_condition(struct visit *visit, const struct condition *condition)
{
    struct condition_words *words = &visit->words;
    array_push(words, (uint32_t)condition->waiting);
    array_push(words, (uint32_t)condition->token_count);
    array_push(words, condition->clock);
    for (size_t i = 0; i < condition->waiting; i++) {
        array_push(words, condition->waiters[i].thread);
        array_push(words, condition->waiters[i].woken);
        array_push(words, condition->waiters[i].since);
    }
    for (size_t i = 0; i < condition->token_count; i++)
        array_push(words, condition->tokens[i]);
}

static void restore_condition(struct visit *visit, uint32_t id, const uint32_t *words)
{
    struct condition *condition = schedule_condition(visit->search, id);
    condition->waiting = *words++;
    condition->token_count = *words++;
    condition->clock = *words++;
    for (size_t i = 0; i < condition->waiting; i++, words += 3)
        condition->waiters[i] = (struct condition_waiter){words[0], words[1], words[2]};
    for (size_t i = 0; i < condition->token_count; i++)
        condition->tokens[i] = *words++;
}

static void execute_condition(struct visit *visit, uint32_t pos, const struct event *event)
{
    struct condition *condition = schedule_condition(visit->search, event->object);
    save_condition(visit, condition);
    take(&visit->now, part_of_condition(condition, event->object));
    schedule_execute(visit->search, pos);
    add(&visit->now, part_of_condition(condition, event->object));
}

static bool counts(const struct event *event)
{
    return event->op == EVENT_POST || event->op == EVENT_SEM_WAIT;
}

/* To choose a step in a long history takes several times as long as to schedule an event. */
static uint64_t steps_of(const struct history *history)
{
    return history->count > TURNS_FROM ? 4 : 1;
}

void visit_execute(struct visit *visit, uint32_t pos)
{
    struct search *search = visit->search;
    const struct event *event = event_at(search->index, pos);
    struct step_back step = {.pos = pos, .fingerprint = visit->now, .words = visit->words.count};
    bool access = op_in(event->op, OPS_ACCESS);
    if (access) {
        step.memory = *schedule_memory(search, event->object);
        step.unread = unread_of(visit, event->object)->count;
    } else if (event_acquires(event) || event_releases(event)) {
        step.lock = search->locks[event_lock(event)];
    } else if (event->op == EVENT_BARRIER_ENTER) {
        step.count = search->entered[event->other];
    } else if (counts(event)) {
        step.count = search->counts[event->object];
    }
    array_push(&visit->steps, step);
    search->steps += steps_of(search->index->history);
    take(&visit->now, part(PART_THREAD, event->thread, search->done[event->thread]));
    if (access)
        execute_access(visit, pos, event);
    else if (event_object_class(event->op) == CLASS_CONDITION)
        execute_condition(visit, pos, event);
    else
        schedule_execute(search, pos);
    add(&visit->now, part(PART_THREAD, event->thread, search->done[event->thread]));
}

static void undo(struct visit *visit)
{
    struct search *search = visit->search;
    const struct step_back step = array_pop(&visit->steps);
    const struct event *event = event_at(search->index, step.pos);
    search->executed--;
    search->done[event->thread]--;
    visit->now = step.fingerprint;
    if (op_in(event->op, OPS_ACCESS)) {
        search->memory[event->object] = step.memory;
        visit->unread[event->object].count = step.unread;
    } else if (event_acquires(event) || event_releases(event)) {
        search->locks[event_lock(event)] = step.lock;
    } else if (event->op == EVENT_BARRIER_ENTER) {
        search->entered[event->other] = step.count;
    } else if (counts(event)) {
        search->counts[event->object] = step.count;
    }
    if (event_object_class(event->op) == CLASS_CONDITION)
        restore_condition(visit, event->object, visit->words.items + step.words);
    visit->words.count = step.words;
}

void visit_undo(struct visit *visit, size_t steps)
{
    while (visit->steps.count > steps)
        undo(visit);
}
