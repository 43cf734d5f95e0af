/* SPDX-License-Identifier: MIT */
#include "trace/event.h"

static const char *const texts[EVENT_COUNT] = {
#define EVENT(name, text, object, other) text,
    EVENT_TABLE(EVENT)
#undef EVENT
};

const uint8_t event_object_classes[EVENT_COUNT] = {
#define EVENT(name, text, object, other) CLASS_##object,
    EVENT_TABLE(EVENT)
#undef EVENT
};

const uint8_t event_other_classes[EVENT_COUNT] = {
#define EVENT(name, text, object, other) CLASS_##other,
    EVENT_TABLE(EVENT)
#undef EVENT
};

const char *event_op_text(enum event_op op)
{
    return texts[op];
}

const char *object_class_text(enum object_class class)
{
    static const char *const class_texts[CLASS_COUNT] = {
        "none", "thread", "variable", "lock", "condition", "barrier", "semaphore", "once", "label",
    };
    return class_texts[class];
}
