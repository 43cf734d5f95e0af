/* Random traces in the manner of Sadowski's chapter 12: threads made of
 * nested sections, of `sync` sequences that order those who perform them, and of a
 * few accesses to one variable that may race. Plain random traces hardly ever show
 * what the deeper rules of a relation are for; these often do. */
#ifndef PREPLAY_REFERENCE_CHUNKS_H
#define PREPLAY_REFERENCE_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

/* As .std text, malloc-ed; the same seed gives the same text. */
char *chunks_generate(uint64_t seed, size_t *length);

#endif
