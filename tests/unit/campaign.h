/* Random traces of a shape, one after another. A few by default; PREPLAY_NAME_TRACES and
 * PREPLAY_NAME_SEED make a long campaign of the test called NAME. */
#ifndef PREPLAY_TESTS_UNIT_CAMPAIGN_H
#define PREPLAY_TESTS_UNIT_CAMPAIGN_H

#include "tiddle/generator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

typedef void campaign_check(const struct sample *sample, uint64_t seed, void *context);

static inline void campaign(const char *name, const char *shape_text, uint64_t few,
                            campaign_check *check, void *context)
{
    struct shape shape;
    struct error error = {0};
    char traces[64], seeds[64];
    snprintf(traces, sizeof traces, "PREPLAY_%s_TRACES", name);
    snprintf(seeds, sizeof seeds, "PREPLAY_%s_SEED", name);
    uint64_t count = number_from(traces, few), first = number_from(seeds, 0);
    assert_int_equal(shape_parse(&shape, shape_text, &error), 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct sample sample;
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        check(&sample, seed, context);
        sample_free(&sample);
    }
}

#endif
