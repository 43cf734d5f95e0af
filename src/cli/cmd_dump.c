/* SPDX-License-Identifier: MIT */
/* preplay dump: every event as text, with its pos, thread and index. */
#include "base/array.h"
#include "cli/command.h"
#include "cli/trace_argument.h"
#include "model/sift.h"
#include "report/text.h"
#include "trace/std_writer.h"
#include "trace/trace.h"

struct indices ARRAY_OF(uint32_t);

/* Behind the last event: what a thread still waited for. */
static void dump_wish(const struct trace *trace, const struct event *wish)
{
    printf("%8s  ", "");
    report_safe_text(stdout, trace_name(trace, CLASS_THREAD, wish->thread));
    fputs(" wants  ", stdout);
    std_write_operation(stdout, trace, wish, report_safe_text);
    fputs("  ", stdout);
    report_safe_text(stdout, trace_location(trace, wish->location));
    putchar('\n');
}

static int dump(struct trace *trace, struct error *error)
{
    struct indices next = {0};
    const struct event *batch;
    uint64_t pos = 0;
    long count;
    while ((count = trace_next(trace, &batch, error)) > 0) {
        for (long i = 0; i < count; i++, pos++) {
            const struct event *event = &batch[i];
            array_grow(&next, event->thread + 1);
            printf("%8llu  ", (unsigned long long)pos);
            report_safe_text(stdout, trace_name(trace, CLASS_THREAD, event->thread));
            printf("#%u  ", next.items[event->thread]++);
            std_write_operation(stdout, trace, event, report_safe_text);
            fputs("  ", stdout);
            report_safe_text(stdout, trace_location(trace, event->location));
            putchar('\n');
        }
    }
    for (uint32_t i = 0; count == 0 && i < trace->wish_count; i++)
        dump_wish(trace, &trace->wishes[i]);
    array_free(&next);
    return count < 0 ? -1 : EXIT_OK;
}

int cmd_dump(struct options *options, struct error *error)
{
    if (trace_argument(options, error))
        return -1;
    struct trace *trace = sift_open(options->arguments[0], error);
    if (!trace)
        return -1;
    int code = dump(trace, error);
    trace_close(trace);
    return code;
}
