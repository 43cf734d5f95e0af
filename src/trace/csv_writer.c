/* SPDX-License-Identifier: MIT */
#include "trace/csv_writer.h"

#include "trace/std_ops.h"

#include <inttypes.h>
#include <string.h>

void csv_write_header(FILE *out)
{
    fputs("pos,thread,op,order,try,failed,object,other,value,location\r\n", out);
}

static void write_field(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void write_name(FILE *out, const struct trace *trace, enum object_class class, uint32_t id)
{
    if (class != CLASS_NONE)
        write_field(out, trace_name(trace, class, id));
    putc(',', out);
}

void csv_write_event(FILE *out, const struct trace *trace, const struct event *event, uint32_t pos)
{
    bool ordered = op_in(event->op, OPS_ATOMIC) || event->op == EVENT_FENCE;
    const char *order = ordered ? std_order_text(event->order) : "";
    fprintf(out, "%" PRIu32 ",", pos);
    write_name(out, trace, CLASS_THREAD, event->thread);
    fprintf(out, "%s,%s,%d,%d,", event_op_text(event->op), *order ? order + 1 : order,
            !!(event->flags & EVENT_TRY), !!(event->flags & EVENT_FAILED));
    write_name(out, trace, event_object_class(event->op), event->object);
    write_name(out, trace, event_other_class(event->op), event->other);
    if (event->flags & EVENT_HAS_VALUE)
        fprintf(out, "%" PRIu64, event->value);
    putc(',', out);
    write_field(out, trace_location(trace, event->location));
    fputs("\r\n", out);
}
