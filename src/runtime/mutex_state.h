/* SPDX-License-Identifier: MIT */
/* What stands in a mutex of the C library (a mtx_t is one): whether it is used as it may be. */
#ifndef PREPLAY_RUNTIME_MUTEX_STATE_H
#define PREPLAY_RUNTIME_MUTEX_STATE_H

#include <pthread.h>
#include <stdbool.h>

static inline bool mutex_is_destroyed(const void *mutex)
{
    enum { DESTROYED = -1 };
    return ((const pthread_mutex_t *)mutex)->__data.__kind == DESTROYED;
}

/* Nobody holds it. One that is elided is held by a transaction, and nothing of that is in it. */
static inline bool mutex_is_free(const void *mutex)
{
    enum { ELIDED = 256 };
    const pthread_mutex_t *state = mutex;
    return !state->__data.__lock && (mutex_is_destroyed(mutex) || !(state->__data.__kind & ELIDED));
}

#endif
