/* SPDX-License-Identifier: MIT */
/* What a thread holds, and what it acquired since: the two lock-based reasons
 * why two events can never be next at the same time.
 *
 *   locks       both threads hold a common lock, at least one of them exclusively
 *   histories   one thread holds p and has acquired q since it acquired p, the
 *               other holds q and has acquired p since it acquired q. Whoever of
 *               the two took its lock first keeps the other from acquiring it, so
 *               neither order is possible (lock acquisition histories, Said et al.
 *               section 5). This holds for non-nested locks as well.
 *
 * Profiles are interned: equal profiles have equal ids, and the answer for a
 * pair of ids is remembered. */
#ifndef PREPLAY_RELATIONS_LOCK_PROFILE_H
#define PREPLAY_RELATIONS_LOCK_PROFILE_H

#include "trace/event.h"

struct lock_profiles;

struct lock_profiles *lock_profiles_create(void);
void lock_profiles_destroy(struct lock_profiles *profiles);

/* The profile of `thread` at its next event. 0 is the profile without locks. */
uint32_t lock_profile_now(struct lock_profiles *profiles, uint32_t thread);
/* Moves past the event. */
void lock_profiles_step(struct lock_profiles *profiles, const struct event *event);

/* False if the lock rules above keep the two apart, whatever the schedule. */
bool lock_profiles_meet(struct lock_profiles *profiles, uint32_t a, uint32_t b);

/* Does the profile hold the lock exclusively? */
bool lock_profile_holds(const struct lock_profiles *profiles, uint32_t profile, uint32_t lock);
/* Up to `limit` of the locks it holds exclusively; returns how many. */
uint32_t lock_profile_exclusive(const struct lock_profiles *profiles, uint32_t profile,
                                uint32_t *locks, uint32_t limit);

#endif
