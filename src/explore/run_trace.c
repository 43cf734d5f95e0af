/* SPDX-License-Identifier: MIT */
#include "explore/run_trace.h"

#include "base/memory.h"
#include "explore/run_events.h"
#include "trace/wellformed.h"

#include <stdlib.h>
#include <string.h>

/* --- the trace's own questions: a location is an instruction ------------------------------------
 */

static struct run_events *events_of(const struct trace *trace)
{
    return trace->source;
}

static uint64_t pc_of(const struct trace *trace, uint32_t location)
{
    return run_events_pc(events_of(trace), location);
}

static struct symbols *symbols_of(const struct trace *trace)
{
    return run_events_symbols(events_of(trace));
}

static const char *line_of(const struct trace *trace, uint32_t location)
{
    return symbols_line(symbols_of(trace), pc_of(trace, location));
}

static const char *stable_line_of(const struct trace *trace, uint32_t location)
{
    return symbols_stable_line(symbols_of(trace), pc_of(trace, location));
}

static const char *identity_of(const struct trace *trace, uint32_t location)
{
    return symbols_identity(symbols_of(trace), pc_of(trace, location));
}

static const char *function_of(const struct trace *trace, uint32_t location)
{
    return symbols_function(symbols_of(trace), pc_of(trace, location));
}

static bool frame_of(const struct trace *trace, uint32_t location, uint32_t level,
                     const char **function, const char **place)
{
    return symbols_frame(symbols_of(trace), pc_of(trace, location), level, function, place);
}

static const char *build_of(const struct trace *trace, uint32_t number)
{
    return symbols_build(symbols_of(trace), number);
}

static bool vouches_for(const struct trace *trace, const uint8_t sum[MD5_BYTES])
{
    return symbols_vouch_for(symbols_of(trace), sum);
}

static bool code_of(const struct trace *trace, uint32_t location, const char **module,
                    uint64_t *offset)
{
    *module = symbols_module(symbols_of(trace), pc_of(trace, location), offset);
    return *module != NULL;
}

static long next(struct trace *trace, struct event *events, size_t capacity, struct error *error)
{
    long count = 0;
    struct event event;
    (void)error;
    while ((size_t)count < capacity && run_events_next(events_of(trace), &event))
        if (wellformed_check(trace->wellformed, trace, &event) == WELLFORMED_KEEP) {
            run_events_delivered(events_of(trace), (uint32_t)(trace->delivered + (uint64_t)count));
            events[count++] = event;
        }
    return count;
}

static void close_run(struct trace *trace)
{
    run_events_destroy(events_of(trace));
}

/* --- and of the code: there are no calls, so a place is an instruction --------------------------
 */

static struct run_code *knower_of(const struct trace *trace)
{
    return run_events_code(events_of(trace));
}

static bool leads(const struct trace *trace, uint32_t from, uint32_t via, uint32_t to)
{
    return run_code_leads(knower_of(trace), pc_of(trace, from), pc_of(trace, via),
                          pc_of(trace, to));
}

static bool carries(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common)
{
    (void)common;
    return run_code_carries(knower_of(trace), pc_of(trace, from.location),
                            pc_of(trace, to.location));
}

static bool decides(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common)
{
    (void)common;
    return run_code_decides(knower_of(trace), pc_of(trace, from.location),
                            pc_of(trace, to.location));
}

static bool tests(const struct trace *trace, struct trace_place from)
{
    return run_code_tests(knower_of(trace), pc_of(trace, from.location));
}

static bool updates(const struct trace *trace, uint32_t location)
{
    return run_code_updates(knower_of(trace), pc_of(trace, location));
}

#define WITHOUT_CODE                                                                               \
    .name = "explored", .next = next, .close = close_run, .location = line_of,                     \
    .function = function_of, .frame = frame_of, .stable_location = stable_line_of,                 \
    .identity = identity_of, .build_directory = build_of, .vouches_for = vouches_for,              \
    .code = code_of

static const struct trace_format format = {WITHOUT_CODE};
static const struct trace_format format_with_code = {WITHOUT_CODE,       .leads = leads,
                                                     .carries = carries, .decides = decides,
                                                     .tests = tests,     .updates = updates};

struct trace *run_trace_open(const struct kept_run *run, struct symbols *symbols,
                             struct run_code *code, const char *path)
{
    struct trace *trace = trace_create(path);
    trace->source = run_events_create(run, symbols, trace);
    trace->format = code ? &format_with_code : &format;
    run_events_use_code(trace->source, code);
    return trace;
}

/* --- the whole of it ----------------------------------------------------------------------------
 */

void run_trace_create(struct run_trace *self, const struct kept_run *run, struct symbols *symbols,
                      const char *path)
{
    struct error none = {0};
    *self = (struct run_trace){.trace = run_trace_open(run, symbols, NULL, path),
                               .pos = memory_alloc(run->event_count + 1, sizeof *self->pos),
                               .wish = memory_alloc(run->thread_count, sizeof *self->wish)};
    self->history = history_read(self->trace, &none); /* reading it cannot fail */
    run_events_positions(events_of(self->trace), self->pos);
    for (uint32_t i = 0; i < run->thread_count; i++)
        self->wish[i] = POS_NONE;
    for (uint32_t i = 0; i < self->history->wishes; i++)
        self->wish[self->trace->wishes[i].thread] = self->history->count + i;
}

uint32_t run_trace_location(const struct run_trace *self, uint64_t pc)
{
    return run_events_location(events_of(self->trace), pc);
}

void run_trace_free(struct run_trace *self)
{
    history_destroy(self->history);
    trace_close(self->trace);
    free(self->pos);
    free(self->wish);
    *self = (struct run_trace){0};
}
