/* SPDX-License-Identifier: MIT */
/* What the program's code says about two places of a recording. */
#include "symbols/value_flow.h"
#include "symbols/wait_code.h"
#include "trace/recorded/binary_source.h"

enum { CALLS_MOST = 16 };

static struct value_flow *flow_of(struct binary_source *self)
{
    if (!self->code)
        self->code = wait_code_create(self->symbols);
    if (!self->flow)
        self->flow = value_flow_create(wait_code_files(self->code));
    return self->flow;
}

bool binary_leads(const struct trace *trace, uint32_t from, uint32_t via, uint32_t to)
{
    struct binary_source *self = trace->source;
    return value_flow_leads(flow_of(self), binary_places_pc(self->places, from),
                            binary_places_pc(self->places, via),
                            binary_places_pc(self->places, to));
}

/* The calls from the function that runs on the stack `common` to the place; 0: too many. */
static size_t path_to(const struct binary_source *self, struct trace_place place, uint32_t common,
                      uint64_t pcs[CALLS_MOST])
{
    size_t count = 0;
    pcs[count++] = binary_places_pc(self->places, place.location);
    while (place.stack != common) {
        if (count == CALLS_MOST ||
            !binary_places_frame(self->places, place.stack, &place.location, &place.stack))
            return 0;
        pcs[count++] = binary_places_pc(self->places, place.location);
    }
    return count;
}

typedef bool question(struct value_flow *flow, struct call_path from, struct call_path to);

static bool ask(const struct trace *trace, struct trace_place from, struct trace_place to,
                uint32_t common, question *wanted)
{
    struct binary_source *self = trace->source;
    uint64_t read[CALLS_MOST], write[CALLS_MOST];
    struct call_path first = {read, path_to(self, from, common, read)};
    struct call_path second = {write, path_to(self, to, common, write)};
    return first.count && second.count && wanted(flow_of(self), first, second);
}

bool binary_carries(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common)
{
    return ask(trace, from, to, common, value_flow_carries);
}

bool binary_decides(const struct trace *trace, struct trace_place from, struct trace_place to,
                    uint32_t common)
{
    return ask(trace, from, to, common, value_flow_decides);
}

bool binary_tests(const struct trace *trace, struct trace_place from)
{
    struct binary_source *self = trace->source;
    uint64_t read[CALLS_MOST];
    struct call_path path = {read, path_to(self, from, 0, read)};
    return path.count && value_flow_tests(flow_of(self), path);
}

bool binary_updates(const struct trace *trace, uint32_t location)
{
    struct binary_source *self = trace->source;
    return value_flow_updates(flow_of(self), binary_places_pc(self->places, location));
}
