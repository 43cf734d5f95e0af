/* SPDX-License-Identifier: MIT */
#include "relations/sync_log.h"

/* Operations of our own, for what an event's word has no room for. */
enum {
    WORD_THREAD = EVENT_COUNT, /* from here on it is thread `operand` */
    WORD_OTHER,                /* the second operand of the next event */
    WORD_FAR,                  /* a distance that is an operand */
    WORD_OPS,
};

_Static_assert(WORD_OPS <= SYNC_OP_MASK + 1, "operations have a byte");

static unsigned field(uint64_t word, unsigned shift, unsigned mask)
{
    return (unsigned)(word >> shift) & mask;
}

static uint32_t operand(uint64_t word)
{
    return (uint32_t)(word >> SYNC_OPERAND_SHIFT);
}

static void push(struct sync_log *log, uint64_t word)
{
    if (log->at == log->end) {
        /* The first one comes as it is used: most traces are small. */
        size_t bytes = SYNC_CHUNK * sizeof *log->at;
        log->at = log->chunks.count ? memory_pages(bytes) : memory_small_pages(bytes);
        log->end = log->at + SYNC_CHUNK;
        array_push(&log->chunks, log->at);
    }
    *log->at++ = word;
}

static void add(struct sync_log *log, unsigned op, uint32_t operand_of_op, uint32_t pos,
                uint32_t rest)
{
    uint32_t gap = pos - log->pos;
    if (gap > SYNC_GAP_MASK) {
        push(log, WORD_FAR | (uint64_t)gap << SYNC_OPERAND_SHIFT);
        gap = 0;
    }
    log->pos = pos;
    push(log, op | rest | gap << SYNC_GAP_SHIFT | (uint64_t)operand_of_op << SYNC_OPERAND_SHIFT);
}

void sync_log_turn(struct sync_log *log, const struct event *event, uint32_t pos)
{
    if (event->thread + 1 == log->thread_plus_one)
        return;
    /* The thread before has done its last event, for the time being. */
    if (log->thread_plus_one) {
        array_grow(&log->last, log->thread_plus_one);
        log->last.items[log->thread_plus_one - 1] = pos - 1;
    }
    log->thread_plus_one = event->thread + 1;
    if (op_in(event->op, OPS_SYNC) && event->thread < SYNC_THREAD_MASK)
        log->turn = log->thread_plus_one << SYNC_THREAD_SHIFT;
    else
        add(log, WORD_THREAD, event->thread, pos, 0);
}

void sync_log_add(struct sync_log *log, const struct event *event, uint32_t pos)
{
    if (event->op == EVENT_JOIN && event->object < log->last.count)
        array_push(&log->late,
                   ((struct late_event){log->last.items[event->object], 0, EVENT_BRANCH}));
    if (event->other)
        add(log, WORD_OTHER, event->other, pos, 0);
    add(log, event->op, event->object, pos,
        (uint32_t)event->flags << SYNC_FLAGS_SHIFT |
            (event->order & (uint32_t)SYNC_ORDER_MASK) << SYNC_ORDER_SHIFT | log->turn);
    log->turn = 0;
}

size_t sync_log_length(const struct sync_log *log)
{
    return log->chunks.count * SYNC_CHUNK - (size_t)(log->end - log->at);
}

void sync_log_free(struct sync_log *log)
{
    for (size_t i = 0; i < log->chunks.count; i++)
        memory_pages_free(log->chunks.items[i], SYNC_CHUNK * sizeof *log->at);
    array_free(&log->chunks);
    array_free(&log->late);
    array_free(&log->last);
}

void sync_log_stop(struct sync_log *log)
{
    sync_log_free(log);
    *log = (struct sync_log){.stopped = true};
}

static bool next_word(const struct sync_log *log, struct sync_log_reader *reader, uint64_t *word)
{
    size_t chunk = reader->at / SYNC_CHUNK, place = reader->at % SYNC_CHUNK;
    if (chunk == log->chunks.count || log->chunks.items[chunk] + place == log->at)
        return false;
    *word = log->chunks.items[chunk][place];
    unsigned op = field(*word, 0, SYNC_OP_MASK),
             thread = field(*word, SYNC_THREAD_SHIFT, SYNC_THREAD_MASK);
    reader->at++;
    reader->pos += op == WORD_FAR ? operand(*word) : field(*word, SYNC_GAP_SHIFT, SYNC_GAP_MASK);
    if (op == WORD_THREAD)
        reader->thread = operand(*word);
    else if (thread)
        reader->thread = thread - 1;
    return true;
}

bool sync_log_next(const struct sync_log *log, struct sync_log_reader *reader, struct event *event,
                   uint32_t *pos)
{
    uint32_t other = 0;
    uint64_t word;
    while (next_word(log, reader, &word)) {
        unsigned op = field(word, 0, SYNC_OP_MASK);
        if (op == WORD_OTHER)
            other = operand(word);
        if (op >= EVENT_COUNT)
            continue;
        *event = (struct event){.thread = reader->thread,
                                .op = (uint8_t)op,
                                .flags = (uint8_t)field(word, SYNC_FLAGS_SHIFT, SYNC_FLAGS_MASK),
                                .order = (uint8_t)field(word, SYNC_ORDER_SHIFT, SYNC_ORDER_MASK),
                                .object = operand(word),
                                .other = other};
        *pos = reader->pos;
        return true;
    }
    return false;
}

void sync_log_threads(const struct sync_log *log, struct event *events, const uint32_t *positions,
                      size_t count)
{
    struct sync_log_reader reader = {0};
    uint32_t thread = 0;
    uint64_t word;
    size_t done = 0;
    while (done < count && next_word(log, &reader, &word)) {
        for (; done < count && positions[done] < reader.pos; done++)
            events[done].thread = thread;
        thread = reader.thread;
    }
    for (; done < count; done++)
        events[done].thread = thread;
}
