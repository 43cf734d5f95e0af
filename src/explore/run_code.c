/* SPDX-License-Identifier: MIT */
#include "explore/run_code.h"

#include "base/memory.h"
#include "symbols/value_flow.h"
#include "symbols/wait_code.h"

#include <stdlib.h>

struct run_code {
    struct symbols *symbols;
    struct wait_code *code;
    struct value_flow *flow;
};

struct run_code *run_code_create(struct symbols *symbols)
{
    struct run_code *self = NEW(struct run_code);
    self->symbols = symbols;
    return self;
}

void run_code_destroy(struct run_code *self)
{
    if (!self)
        return;
    value_flow_destroy(self->flow);
    wait_code_destroy(self->code);
    free(self);
}

static struct value_flow *flow_of(struct run_code *self)
{
    if (!self->code)
        self->code = wait_code_create(self->symbols);
    if (!self->flow)
        self->flow = value_flow_create(wait_code_files(self->code));
    return self->flow;
}

bool run_code_leads(struct run_code *self, uint64_t from, uint64_t via, uint64_t to)
{
    return value_flow_leads(flow_of(self), from, via, to);
}

bool run_code_carries(struct run_code *self, uint64_t from, uint64_t to)
{
    return value_flow_carries(flow_of(self), (struct call_path){&from, 1},
                              (struct call_path){&to, 1});
}

bool run_code_decides(struct run_code *self, uint64_t from, uint64_t to)
{
    return value_flow_decides(flow_of(self), (struct call_path){&from, 1},
                              (struct call_path){&to, 1});
}

bool run_code_tests(struct run_code *self, uint64_t from)
{
    return value_flow_tests(flow_of(self), (struct call_path){&from, 1});
}

bool run_code_updates(struct run_code *self, uint64_t pc)
{
    return value_flow_updates(flow_of(self), pc);
}
