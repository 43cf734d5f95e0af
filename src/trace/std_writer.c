/* SPDX-License-Identifier: MIT */
#include "trace/std_writer.h"

#include "trace/std_ops.h"

#include <inttypes.h>

static void as_it_is(FILE *out, const char *name)
{
    fputs(name, out);
}

void std_write_operation(FILE *out, const struct trace *trace, const struct event *event,
                         std_write_name *write_name)
{
    if (event->flags & EVENT_TRY)
        fputs("try", out);
    fputs(event_op_text(event->op), out);
    if (op_in(event->op, OPS_ATOMIC) || event->op == EVENT_FENCE)
        fputs(std_order_text(event->order), out);
    if (event->flags & EVENT_FAILED)
        putc('!', out);
    putc('(', out);
    enum object_class object = event_object_class(event->op);
    if (object != CLASS_NONE)
        write_name(out, trace_name(trace, object, event->object));
    enum object_class other = event_other_class(event->op);
    if (other != CLASS_NONE) {
        putc(',', out);
        write_name(out, trace_name(trace, other, event->other));
    }
    putc(')', out);
    if (event->flags & EVENT_HAS_VALUE)
        fprintf(out, "=%" PRIu64, event->value);
}

void std_write_event(FILE *out, const struct trace *trace, const struct event *event)
{
    fprintf(out, "%s|", trace_name(trace, CLASS_THREAD, event->thread));
    std_write_operation(out, trace, event, as_it_is);
    fprintf(out, "|%s\n", trace_location(trace, event->location));
}
