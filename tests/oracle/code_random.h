/* Random small Tiddle programs: two or three threads beside the main one with plain and atomic
 * accesses, conditions on what was read, assertions, locks, tries, semaphores and condition
 * variables. In some, several threads do the same. */
#ifndef PREPLAY_ORACLE_CODE_RANDOM_H
#define PREPLAY_ORACLE_CODE_RANDOM_H

#include <stdint.h>

/* The caller frees it. */
char *code_random(uint64_t seed);

#endif
