#include "engine/sync_log.h"

/* A word: operand, distance from the word before, operation, flags and memory order.
 * Three operations of our own go before an event whose word has no room for all of it. */
enum {
    WORD_THREAD = EVENT_COUNT, /* from here on it is thread `operand` */
    WORD_OTHER,                /* the second operand of the next event */
    WORD_FAR,                  /* a distance that is an operand */
};

#define GAP_SHIFT   32
#define OP_SHIFT    48
#define FLAGS_SHIFT 56
#define ORDER_SHIFT 60
#define GAP_MAX     UINT16_MAX

static void add(struct sync_log *log, unsigned op, uint32_t operand, uint32_t pos, uint64_t rest)
{
    uint32_t gap = pos - log->pos;
    if (gap > GAP_MAX) {
        array_push(&log->words, (uint64_t)WORD_FAR << OP_SHIFT | gap);
        gap = 0;
    }
    log->pos = pos;
    array_push(&log->words, rest | (uint64_t)op << OP_SHIFT | (uint64_t)gap << GAP_SHIFT | operand);
}

void sync_log_thread(struct sync_log *log, uint32_t thread, uint32_t pos)
{
    if (log->thread_plus_one) {
        array_grow(&log->last, log->thread_plus_one);
        log->last.items[log->thread_plus_one - 1] = pos - 1;
    }
    add(log, WORD_THREAD, thread, pos, 0);
    log->thread_plus_one = thread + 1;
}

void sync_log_event(struct sync_log *log, const struct event *event, uint32_t pos)
{
    if (event->op == EVENT_JOIN && event->object < log->last.count)
        array_push(&log->late,
                   ((struct late_event){log->last.items[event->object], 0, EVENT_BRANCH}));
    if (event->other)
        add(log, WORD_OTHER, event->other, pos, 0);
    add(log, event->op, event->object, pos,
        (uint64_t)(event->flags & 0xf) << FLAGS_SHIFT | (uint64_t)event->order << ORDER_SHIFT);
    log->events++;
}

void sync_log_free(struct sync_log *log)
{
    array_free(&log->words);
    array_free(&log->late);
    array_free(&log->last);
}

bool sync_log_next(const struct sync_log *log, struct sync_log_reader *reader, struct event *event,
                   uint32_t *pos)
{
    uint32_t other = 0;
    while (reader->at < log->words.count) {
        uint64_t word = log->words.items[reader->at++];
        unsigned op = word >> OP_SHIFT & 0xff;
        uint32_t operand = (uint32_t)word;
        reader->pos += op == WORD_FAR ? operand : (uint32_t)(word >> GAP_SHIFT & GAP_MAX);
        if (op == WORD_THREAD) {
            reader->thread = operand;
        } else if (op == WORD_OTHER) {
            other = operand;
        } else if (op != WORD_FAR) {
            *event = (struct event){.thread = reader->thread,
                                    .op = (uint8_t)op,
                                    .flags = word >> FLAGS_SHIFT & 0xf,
                                    .order = (uint8_t)(word >> ORDER_SHIFT),
                                    .object = operand,
                                    .other = other};
            *pos = reader->pos;
            return true;
        }
    }
    return false;
}

void sync_log_threads(const struct sync_log *log, struct event *events, const uint32_t *positions,
                      size_t count)
{
    uint32_t pos = 0, thread = 0;
    size_t done = 0;
    for (size_t at = 0; at < log->words.count && done < count; at++) {
        uint64_t word = log->words.items[at];
        unsigned op = word >> OP_SHIFT & 0xff;
        pos += op == WORD_FAR ? (uint32_t)word : (uint32_t)(word >> GAP_SHIFT & GAP_MAX);
        if (op != WORD_THREAD)
            continue;
        for (; done < count && positions[done] < pos; done++)
            events[done].thread = thread;
        thread = (uint32_t)word;
    }
    for (; done < count; done++)
        events[done].thread = thread;
}
