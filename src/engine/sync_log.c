#include "engine/sync_log.h"

/* A word: operand, distance from the word before, operation, flags, memory order, and the
 * thread plus one if it is another than before. Three operations of our own go before an
 * event whose word has no room for all of it. */
enum {
    WORD_THREAD = EVENT_COUNT, /* from here on it is thread `operand` */
    WORD_OTHER,                /* the second operand of the next event */
    WORD_FAR,                  /* a distance that is an operand */
    WORD_OPS,
};

enum {
    OP_SHIFT = 32,
    OP_MASK = 0x3f,
    FLAGS_SHIFT = 38,
    FLAGS_MASK = 0xf,
    ORDER_SHIFT = 42,
    ORDER_MASK = 0x7,
    THREAD_SHIFT = 45,
    THREAD_MASK = 0xff,
    GAP_SHIFT = 53,
    GAP_MASK = 0x7ff,
};

_Static_assert(WORD_OPS <= OP_MASK + 1, "operations have 6 bits");

static uint64_t field(uint64_t word, unsigned shift, unsigned mask)
{
    return word >> shift & mask;
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

static void add(struct sync_log *log, unsigned op, uint32_t operand, uint32_t pos, uint64_t rest)
{
    uint32_t gap = pos - log->pos;
    if (gap > GAP_MASK) {
        push(log, (uint64_t)WORD_FAR << OP_SHIFT | gap);
        gap = 0;
    }
    log->pos = pos;
    push(log, rest | (uint64_t)gap << GAP_SHIFT | (uint64_t)op << OP_SHIFT | operand);
}

/* The thread before has done its last event, for the time being. */
static void leave(struct sync_log *log, uint32_t thread, uint32_t pos)
{
    if (log->thread_plus_one) {
        array_grow(&log->last, log->thread_plus_one);
        log->last.items[log->thread_plus_one - 1] = pos - 1;
    }
    log->thread_plus_one = thread + 1;
}

void sync_log_thread(struct sync_log *log, uint32_t thread, uint32_t pos)
{
    leave(log, thread, pos);
    add(log, WORD_THREAD, thread, pos, 0);
}

void sync_log_event(struct sync_log *log, const struct event *event, uint32_t pos)
{
    uint64_t thread = 0;
    if (event->thread + 1 != log->thread_plus_one && event->thread < THREAD_MASK) {
        leave(log, event->thread, pos);
        thread = event->thread + 1;
    } else if (event->thread + 1 != log->thread_plus_one) {
        sync_log_thread(log, event->thread, pos);
    }
    if (event->op == EVENT_JOIN && event->object < log->last.count)
        array_push(&log->late,
                   ((struct late_event){log->last.items[event->object], 0, EVENT_BRANCH}));
    if (event->other)
        add(log, WORD_OTHER, event->other, pos, 0);
    add(log, event->op, event->object, pos,
        (uint64_t)(event->flags & FLAGS_MASK) << FLAGS_SHIFT |
            (uint64_t)(event->order & ORDER_MASK) << ORDER_SHIFT | thread << THREAD_SHIFT);
    log->events++;
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
    unsigned op = (unsigned)field(*word, OP_SHIFT, OP_MASK);
    uint32_t thread = (uint32_t)field(*word, THREAD_SHIFT, THREAD_MASK);
    reader->at++;
    reader->pos += op == WORD_FAR ? (uint32_t)*word : (uint32_t)field(*word, GAP_SHIFT, GAP_MASK);
    if (op == WORD_THREAD)
        reader->thread = (uint32_t)*word;
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
        unsigned op = (unsigned)field(word, OP_SHIFT, OP_MASK);
        if (op == WORD_OTHER)
            other = (uint32_t)word;
        if (op >= EVENT_COUNT)
            continue;
        *event = (struct event){.thread = reader->thread,
                                .op = (uint8_t)op,
                                .flags = (uint8_t)field(word, FLAGS_SHIFT, FLAGS_MASK),
                                .order = (uint8_t)field(word, ORDER_SHIFT, ORDER_MASK),
                                .object = (uint32_t)word,
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
