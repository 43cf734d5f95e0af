/* SPDX-License-Identifier: MIT */
/* preplay info: how much of what is in a trace. */
#include "base/array.h"
#include "cli/command.h"
#include "cli/contention.h"
#include "cli/trace_argument.h"
#include "report/json.h"
#include "report/text.h"
#include "trace/trace.h"

#define THREADS_SHOWN 32

struct counts ARRAY_OF(uint64_t);

struct info {
    uint64_t by_op[EVENT_COUNT];
    struct counts by_thread, sync_by_thread;
    struct contention *contention; /* NULL: not asked for */
};

static int count_all(struct trace *trace, struct info *info, struct error *error)
{
    const struct event *batch;
    long count;
    while ((count = trace_next(trace, &batch, error)) > 0)
        for (long i = 0; i < count; i++) {
            const struct event *event = &batch[i];
            info->by_op[event->op]++;
            if (info->contention)
                contention_step(info->contention, event);
            array_grow(&info->by_thread, event->thread + 1);
            array_grow(&info->sync_by_thread, event->thread + 1);
            info->by_thread.items[event->thread]++;
            info->sync_by_thread.items[event->thread] += op_in(event->op, OPS_SYNC);
        }
    return count < 0 ? -1 : 0;
}

static void print(const struct trace *trace, const struct info *info)
{
    printf("%llu events, format %s\n", (unsigned long long)trace->delivered, trace->format->name);
    if (trace->left_out)
        printf("%12llu  left out: nothing in the trace explains them\n",
               (unsigned long long)trace->left_out);
    for (int op = 0; op < EVENT_COUNT; op++)
        if (info->by_op[op])
            printf("%12llu  %s\n", (unsigned long long)info->by_op[op], report_op_text(op));
    if (trace->wish_count)
        printf("%12u  thread%s that waited to the end\n", trace->wish_count,
               trace->wish_count == 1 ? "" : "s");
    puts("objects");
    for (int class = CLASS_THREAD; class < CLASS_COUNT; class ++)
        if (trace_count(trace, class))
            printf("%12u  %s%s\n", trace_count(trace, class), object_class_text(class),
                   trace_count(trace, class) == 1 ? "" : "s");
    puts("threads (events, of these synchronisation)");
    for (uint32_t t = 0; t < info->by_thread.count && t < THREADS_SHOWN; t++) {
        printf("%12llu  %10llu  ", (unsigned long long)info->by_thread.items[t],
               (unsigned long long)info->sync_by_thread.items[t]);
        report_safe_text(stdout, trace_name(trace, CLASS_THREAD, t));
        putchar('\n');
    }
    if (info->by_thread.count > THREADS_SHOWN)
        printf("              ... and %zu more\n", info->by_thread.count - THREADS_SHOWN);
}

int cmd_info(struct options *options, struct error *error)
{
    if (trace_argument(options, error))
        return -1;
    struct trace *trace = trace_open(options->arguments[0], error);
    if (!trace)
        return -1;
    struct info info = {.contention = options->contention ? contention_create() : NULL};
    int code = count_all(trace, &info, error);
    if (code == 0)
        print(trace, &info);
    if (code == 0 && info.contention)
        contention_print(info.contention, trace);
    contention_destroy(info.contention);
    array_free(&info.by_thread);
    array_free(&info.sync_by_thread);
    trace_close(trace);
    return code;
}
