/* A program that is recorded and really deadlocks would run for ever, and whoever recorded it
 * would wait with it. Standstill: no thread of it has run for some seconds, each of them waits
 * (the wishes of runtime/wish.h), and by the trace so far none can ever go on (model/hang.h).
 *
 * It is about the one process that the user named: a program that has started others, that
 * has threads the recorder does not see, or one thread that sleeps, reads or spins, is left
 * alone. So is one whose handler of some signal could still give what its threads wait for. */
#ifndef PREPLAY_CLI_STANDSTILL_H
#define PREPLAY_CLI_STANDSTILL_H

#include <stdbool.h>
#include <stdint.h>

#define STANDSTILL_LOOK 1.0 /* seconds between two looks */

struct standstill {
    double next;    /* when to look again */
    uint64_t ran;   /* processor time of all its threads at the last look, in nanoseconds */
    uint32_t still; /* looks in a row at which they had not run on */
};

/* One look, if it is time for one; cheap while the program runs. True: it is over. */
bool standstill_look(struct standstill *self, double now, int process, const char *directory);

#endif
