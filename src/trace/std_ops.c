/* SPDX-License-Identifier: MIT */
#include "trace/std_ops.h"

#include <string.h>

static const char *const order_texts[] = {
    [ORDER_RELAXED] = ".relaxed", [ORDER_CONSUME] = ".consume", [ORDER_ACQUIRE] = ".acquire",
    [ORDER_RELEASE] = ".release", [ORDER_ACQ_REL] = ".acqrel",  [ORDER_SEQ_CST] = "",
};

const char *std_order_text(enum memory_order_name order)
{
    return order_texts[order];
}

static bool is(const char *word, size_t length, const char *text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

/* Nearly every line of a real trace is one of these, or a read or a write. */
static bool parse_common(const char *word, size_t length, struct event *event)
{
    if (length == 3 && memcmp(word, "acq", 3) == 0)
        event->op = EVENT_ACQUIRE;
    else if (length == 3 && memcmp(word, "rel", 3) == 0)
        event->op = EVENT_RELEASE;
    else if (length == 4 && memcmp(word, "fork", 4) == 0)
        event->op = EVENT_FORK;
    else if (length == 4 && memcmp(word, "join", 4) == 0)
        event->op = EVENT_JOIN;
    else
        return false;
    return true;
}

static bool parse_order(const char **word, size_t *length, struct event *event)
{
    const char *dot = memchr(*word, '.', *length);
    if (!dot)
        return true;
    size_t rest = *length - (size_t)(dot - *word);
    for (unsigned order = ORDER_RELAXED; order <= ORDER_ACQ_REL; order++) {
        if (!is(dot, rest, order_texts[order]))
            continue;
        event->order = (uint8_t)order;
        *length -= rest;
        return true;
    }
    return false;
}

#define OPS_TRYABLE                                                                                \
    (OP_BIT(EVENT_ACQUIRE) | OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_ACQUIRE_WRITE) |            \
     OP_BIT(EVENT_SEM_WAIT) | OP_BIT(EVENT_WAIT_BEGIN) | OP_BIT(EVENT_WAIT_END))

static bool sensible(const struct event *event)
{
    bool ordered = op_in(event->op, OPS_ATOMIC) || event->op == EVENT_FENCE;
    if (event->order != ORDER_SEQ_CST && !ordered)
        return false;
    if (event->flags & EVENT_FAILED && event->op == EVENT_WAIT_BEGIN)
        return false; /* its return does */
    if (event->flags & EVENT_TRY)
        return op_in(event->op, OPS_TRYABLE);
    return !(event->flags & EVENT_FAILED) || event->op == EVENT_WAIT_END ||
           event->op == EVENT_DESTROY || event->op == EVENT_SEMAPHORE_DESTROY;
}

bool std_op_parse_any(const char *word, size_t length, struct event *event)
{
    event->flags = 0;
    event->order = ORDER_SEQ_CST;
    if (parse_common(word, length, event))
        return true;
    if (length && word[length - 1] == '!') {
        event->flags |= EVENT_FAILED;
        length--;
    }
    if (length > 3 && memcmp(word, "try", 3) == 0) {
        event->flags |= EVENT_TRY;
        word += 3;
        length -= 3;
    }
    if (!parse_order(&word, &length, event))
        return false;
    for (unsigned op = 0; op < EVENT_COUNT; op++) {
        if (!is(word, length, event_op_text(op)))
            continue;
        event->op = (uint8_t)op;
        return sensible(event);
    }
    return false;
}
