#include "search/smt_witness.h"

struct placed {
    int64_t order;
    uint32_t pos;
};

struct weaver {
    const struct smt_window *window;
    uint32_t *next; /* by thread: index of its next event */
    struct smt_positions *witness;
};

static int compare_placed(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* Executes the thread up to `index`, exclusively. */
static void run_to(struct weaver *weaver, uint32_t thread, uint32_t index)
{
    for (; weaver->next[thread] < index; weaver->next[thread]++)
        array_push(weaver->witness,
                   history_pos(weaver->window->history, thread, weaver->next[thread]));
}

static void run_event(struct weaver *weaver, uint32_t pos)
{
    const struct history *history = weaver->window->history;
    const struct event *event = &history->events[pos];
    if (event->op == EVENT_JOIN)
        run_to(weaver, event->object, weaver->window->length[event->object]);
    run_to(weaver, event->thread, history->index[pos] + 1);
}

void smt_witness(const struct smt_encoding *encoding, const struct smt_model *model, uint32_t first,
                 uint32_t second, struct smt_positions *witness)
{
    const struct smt_window *window = encoding->window;
    const struct history *history = window->history;
    uint32_t count = encoding->used_offset[history->threads], executed = 0;
    struct placed *placed = memory_alloc(count, sizeof *placed);
    for (uint32_t i = 0; i < count; i++)
        if (model->executed[i])
            placed[executed++] = (struct placed){model->order[i], encoding->used[i]};
    qsort(placed, executed, sizeof *placed, compare_placed);

    witness->count = 0;
    for (uint32_t pos = 0; pos < window->start; pos++)
        array_push(witness, pos);
    struct weaver weaver = {
        window, memory_copy(window->baseline, history->threads * sizeof *window->baseline),
        witness};
    for (uint32_t i = 0; i < executed; i++)
        run_event(&weaver, placed[i].pos);
    const uint32_t pair[2] = {first, second};
    for (int i = 0; i < 2; i++)
        run_to(&weaver, history->events[pair[i]].thread, history->index[pair[i]]);
    array_push(witness, first);
    array_push(witness, second);
    free(weaver.next);
    free(placed);
}
