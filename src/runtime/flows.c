/* SPDX-License-Identifier: MIT */
#include "runtime/flows.h"

#include "runtime/edges.h"
#include "runtime/recorder.h"
#include "runtime/system.h"

#include <assert.h>
#include <sys/ioctl.h>

enum {
    FLOWS = 1 << 10,
    MESSAGES = 6,       /* objects beside a way, after its end */
    PATIENCE = 1 << 12, /* looks at a lock that a signal handler may never see free */
    FIRST_MESSAGE = 2,
};
_Static_assert(FIRST_MESSAGE + MESSAGES <= 8, "ways are eight apart");

struct flow {
    _Atomic bool locked;
    _Atomic bool inexact; /* for good */
    uint64_t way;
    uint64_t sent, received;
    uint32_t sending;        /* threads that are at it */
    uint32_t receiver;       /* the one thread that receives, plus one */
    uint32_t first, count;   /* messages that are not all received */
    uint64_t ends[MESSAGES]; /* of those: in bytes sent; the last one's while nobody sends */
};

static struct flow flows[FLOWS];
static _Atomic int sending_now;

int flow_is_sending(void)
{
    return atomic_load_explicit(&sending_now, memory_order_relaxed);
}

static bool lock(struct flow *flow)
{
    for (unsigned tries = 0; tries < PATIENCE; tries++) {
        if (!atomic_exchange_explicit(&flow->locked, true, memory_order_acquire))
            return true;
        if (tries > 64)
            system_yield();
    }
    return false;
}

static void unlock(struct flow *flow)
{
    atomic_store_explicit(&flow->locked, false, memory_order_release);
}

static bool is_idle(const struct flow *flow)
{
    return !flow->count && !flow->sending;
}

/* Locked; NULL if the way has none, or it cannot be had: then all goes by the way itself. */
static struct flow *find(uint64_t way, bool make)
{
    struct flow *flow = &flows[edge_mix(way, 11) % FLOWS];
    if (!lock(flow)) {
        atomic_store(&flow->inexact, true);
        return NULL;
    }
    if (flow->way != way && make && is_idle(flow)) {
        flow->way = way;
        flow->sent = flow->received = 0;
        flow->receiver = 0;
        atomic_store(&flow->inexact, false);
    }
    if (flow->way == way)
        return flow;
    unlock(flow);
    return NULL;
}

static uint64_t message(const struct flow *flow, uint32_t number)
{
    return flow->way + FIRST_MESSAGE + (flow->first + number) % MESSAGES;
}

/* A new message, or part of the last one if that is being sent, or if there is no room. */
static void begin_message(struct flow *flow, uintptr_t pc)
{
    bool joins = flow->count && (flow->sending || flow->count == MESSAGES);
    if (!joins)
        flow->count++;
    uint64_t object = message(flow, flow->count - 1);
    if (joins)
        edge_release(object, pc);
    else
        edge_begin(object, pc);
    flow->sending++;
}

void flow_send(uint64_t way, uintptr_t pc)
{
    struct flow *flow = find(way, true);
    if (!flow || atomic_load(&flow->inexact)) {
        edge_release(way, pc);
    } else {
        begin_message(flow, pc);
        atomic_fetch_add(&sending_now, 1);
    }
    if (flow)
        unlock(flow);
}

void flow_sent(uint64_t way, ssize_t sent)
{
    struct flow *flow = find(way, false);
    if (!flow)
        return;
    if (flow->sending) {
        flow->sent += sent > 0 ? (uint64_t)sent : 0;
        flow->sending--;
        atomic_fetch_sub(&sending_now, 1);
        flow->ends[(flow->first + flow->count - 1) % MESSAGES] = flow->sent;
    }
    unlock(flow);
}

static uint64_t end_of(const struct flow *flow, uint32_t number)
{
    return flow->sending && number + 1 == flow->count
               ? UINT64_MAX
               : flow->ends[(flow->first + number) % MESSAGES];
}

/* Does our count agree with the kernel's? What is in the middle of being sent is in neither. */
static bool agrees(struct flow *flow, int descriptor, uint64_t received)
{
    int left = 0;
    const struct recorder *self = recorder_current;
    uint32_t receiver = self ? self->number + 1 : 0;
    if (!flow->receiver)
        flow->receiver = receiver;
    if (flow->receiver != receiver ||
        system_call(SYS_ioctl, descriptor, FIONREAD, (long)&left, 0, 0, 0) < 0 ||
        (!flow->sending && (received > flow->sent || (uint64_t)left > flow->sent - received)))
        atomic_store(&flow->inexact, true);
    return !atomic_load(&flow->inexact) && !flow->sending &&
           (uint64_t)left == flow->sent - received;
}

static void forget_received(struct flow *flow)
{
    while (flow->count && end_of(flow, 0) <= flow->received) {
        flow->first = (flow->first + 1) % MESSAGES;
        flow->count--;
    }
}

/* `got` 0: it is known that there is a byte, the next one. */
static void receive(struct flow *flow, int descriptor, uint64_t got, uintptr_t pc)
{
    uint64_t before = flow->received, start = 0;
    bool exact = agrees(flow, descriptor, before + got);
    if (atomic_load(&flow->inexact))
        edge_acquire(flow->way, pc);
    for (uint32_t i = 0; i < flow->count; i++) {
        uint64_t end = end_of(flow, i);
        bool part = end > before && start < before + (got ? got : 1);
        if (!exact || part)
            edge_acquire(message(flow, i), pc);
        start = end;
    }
    flow->received = before + got;
    if (exact)
        forget_received(flow);
}

void flow_received(uint64_t way, int descriptor, ssize_t got, uintptr_t pc)
{
    assert(got >= 0);
    struct flow *flow = find(way, false);
    if (flow) {
        receive(flow, descriptor, (uint64_t)got, pc);
        unlock(flow);
    } else {
        edge_acquire(way, pc);
    }
}

void flows_share(void)
{
    for (unsigned i = 0; i < FLOWS; i++)
        atomic_store_explicit(&flows[i].inexact, true, memory_order_relaxed);
}
