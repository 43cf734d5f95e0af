#include "trace/event.h"

static const struct {
    const char *text;
    enum object_class object, other;
} operations[EVENT_COUNT] = {
#define EVENT(name, text, object, other) {text, CLASS_##object, CLASS_##other},
    EVENT_TABLE(EVENT)
#undef EVENT
};

const char *event_op_text(enum event_op op)
{
    return operations[op].text;
}

enum object_class event_object_class(enum event_op op)
{
    return operations[op].object;
}

enum object_class event_other_class(enum event_op op)
{
    return operations[op].other;
}

const char *object_class_text(enum object_class class)
{
    static const char *const texts[CLASS_COUNT] = {
        "none", "thread", "variable", "lock", "condition", "barrier", "semaphore", "once", "label",
    };
    return texts[class];
}
