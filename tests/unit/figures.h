/* The traces of the papers (tests/traces): as .std, as Tiddle files, or as recordings of
 * the programs that the Tiddle files are, with the verdict on each. */
#ifndef PREPLAY_TESTS_UNIT_FIGURES_H
#define PREPLAY_TESTS_UNIT_FIGURES_H

#include "base/array.h"
#include "trace/trace.h"

struct words ARRAY_OF(char *);
void words_sort(struct words *words);
void words_free(struct words *words);

/* The names of all figures, sorted. */
void figures_list(struct words *names);

/* What the verdict file says under a key, without the mark of derived lines; NULL if it
 * does not have the key. The caller frees it. */
char *figure_verdict(const char *name, const char *key);

struct figure {
    struct trace *trace;
    struct words places; /* of a recording: the place of each line of the Tiddle file */
};

/* `ending` is "std" or "tiddle"; `recordings` is NULL, or the directory in which
 * NAME/data is the recording of each figure's program. Fails the test if it cannot be read. */
void figure_open(struct figure *figure, const char *name, const char *ending,
                 const char *recordings);
void figure_close(struct figure *figure);

/* The place that the verdicts know a location by. */
const char *figure_place(const struct figure *figure, uint32_t location);

#endif
