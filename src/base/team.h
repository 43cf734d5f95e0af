/* SPDX-License-Identifier: MIT */
/* Threads that do numbered pieces of work together, round after round. Which thread does which
 * piece is left open: a piece writes only what is its own. */
#ifndef PREPLAY_BASE_TEAM_H
#define PREPLAY_BASE_TEAM_H

#include <stdint.h>

struct team;

/* The caller, who does its share, and up to `jobs` - 1 other threads: fewer if the system has
 * no more to give. */
struct team *team_create(uint32_t jobs);
void team_destroy(struct team *team);

/* Does piece 0 .. count - 1, and returns when all are done. */
void team_run(struct team *team, uint32_t count, void (*piece)(void *context, uint32_t number),
              void *context);

#endif
