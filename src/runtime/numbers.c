/* SPDX-License-Identifier: MIT */
#include "runtime/numbers.h"

#include "runtime/edges.h"
#include "runtime/real.h"
#include "runtime/recorder.h"

#include <sys/socket.h>

static uint64_t edge_of(int number)
{
    return number < 0 ? 0 : edge_object(EDGE_NUMBER, (uint64_t)number);
}

void number_given(int number, uintptr_t pc)
{
    edge_acquire(edge_of(number), pc);
}

void number_goes(int number, uintptr_t pc)
{
    edge_release_loosely(edge_of(number), pc);
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* Those that nobody else has to look at. */
FUNCTION(int, socket, (int domain, int type, int protocol))
{
    edge_approach(CALLER);
    int number = REAL(socket)(domain, type, protocol);
    number_given(number, CALLER);
    return number;
}

static int given_both(int result, const int ends[2], uintptr_t pc)
{
    for (int i = 0; i < 2 && result == 0; i++)
        number_given(ends[i], pc);
    return result;
}

FUNCTION(int, pipe, (int ends[2]))
{
    edge_approach(CALLER);
    return given_both(REAL(pipe)(ends), ends, CALLER);
}

FUNCTION(int, pipe2, (int ends[2], int flags))
{
    edge_approach(CALLER);
    return given_both(REAL(pipe2)(ends, flags), ends, CALLER);
}
