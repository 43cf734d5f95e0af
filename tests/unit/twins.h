/* Random programs of threads that are alike: some run the same script with the same
 * objects, each perhaps with a child of its own, others a script of theirs. The text of a
 * trace (.std, malloc-ed) that such a program leaves; it may end in a deadlock. */
#ifndef PREPLAY_TEST_TWINS_H
#define PREPLAY_TEST_TWINS_H

#include <stdint.h>

char *twins_generate(uint64_t seed);

#endif
