/* SPDX-License-Identifier: MIT */
/* Which stream is a thread's: it says so when it begins, and whoever joins it by its handle finds
 * it there. */
#ifndef PREPLAY_RUNTIME_IDENTITY_H
#define PREPLAY_RUNTIME_IDENTITY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The calling thread's stream has this number. */
void identity_say(uint32_t number);

/* The number of a thread's stream. Waits, asleep, for a thread that was created but did not run
 * yet; false if the handle is no thread's, or that of one that never says who it is. */
bool identity_of(pthread_t thread, uint32_t *number);

#endif
