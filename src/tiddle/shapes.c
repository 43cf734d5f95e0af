/* SPDX-License-Identifier: MIT */
/* The presets, and how they are varied on the command line. */
#include "tiddle/generator.h"

#include <stdlib.h>
#include <string.h>

static const struct shape small = {
    .events_min = 8,
    .events_max = 20,
    .threads_min = 2,
    .threads_max = 4,
    .variables = 2,
    .locks = 2,
    .depth = 2,
    .sticky = 60,
    .accesses = 25,
};

static const struct shape large = {
    .events_min = 100,
    .events_max = 1000,
    .threads_min = 2,
    .threads_max = 8,
    .variables = 10,
    .locks = 5,
    .depth = 3,
    .sticky = 80,
    .accesses = 50,
    .locations = 40,
};

static const struct {
    const char *name;
    const struct shape *sizes;
    const char *settings;
} presets[] = {
    {"basic", &small, "locks,forks"},
    {"locks", &small, "locks,forks,crossed,reentrant"},
    {"guarded", &small, "locks,forks,sticky=75,guarded=85,events=10..22,threads=2..3"},
    {"crossed", &small, "locks,crossed,locks=3,depth=3,sticky=75,guarded=85,threads=2..3"},
    {"deadlock", &small, "locks,locks=3,depth=3,accesses=2,sticky=85,events=16..26"},
    {"deadlock-rw", &small,
     "locks,rwlocks,crossed,locks=2,depth=3,accesses=2,sticky=85,events=16..24"},
    {"stuck", &small,
     "locks,forks,conditions,barriers,semaphores,once,locks=2,depth=2,accesses=5,sticky=75,"
     "events=14..24"},
    {"tries", &small, "locks,forks,tries"},
    {"rwlocks", &small, "locks,forks,crossed,rwlocks,locks=1"},
    {"conditions", &small, "locks,forks,conditions,locks=1"},
    {"barriers", &small, "locks,barriers,locks=1"},
    {"semaphores", &small, "locks,forks,semaphores,tries"},
    {"once", &small, "locks,forks,once"},
    {"atomics", &small, "locks,forks,atomics"},
    {"values", &small, "locks,forks,values,accesses=40"},
    {"branches", &small, "locks,forks,branches,accesses=40"},
    {"blocks", &small, "locks,forks,blocks,accesses=40"},
    {"destroys", &small, "locks,forks,destroys,crossed,locks=3,accesses=15,sticky=75"},
    {"all", &small, "all"},
    {"large", &large, "locks,forks,crossed,reentrant"},
    {"large-all", &large, "all,accesses=80"},
};

const char *shape_name(size_t n)
{
    return n < sizeof presets / sizeof *presets ? presets[n].name : NULL;
}

static bool set_feature(struct shape *shape, const char *word, size_t length)
{
    static const char *const names[] = {
#define FEATURE(name, text, what) text,
        SHAPE_FEATURES(FEATURE)
#undef FEATURE
    };
    bool off = length && *word == '-';
    if (length == 3 && memcmp(word, "all", 3) == 0) {
        shape->features = SHAPE_ALL & ~SHAPE_DESTROYS;
        return true;
    }
    for (unsigned i = 0; i < SHAPE_FEATURE_COUNT; i++) {
        if (strlen(names[i]) != length - off || memcmp(names[i], word + off, length - off) != 0)
            continue;
        if (off)
            shape->features &= ~(1u << i);
        else
            shape->features |= 1u << i;
        return true;
    }
    return false;
}

static bool set_number(struct shape *shape, const char *word, size_t length)
{
    const struct {
        const char *name;
        uint32_t *low, *high, least, most;
    } numbers[] = {
        {"events", &shape->events_min, &shape->events_max, 1, 100000000},
        {"threads", &shape->threads_min, &shape->threads_max, 1, 1000},
        {"variables", &shape->variables, NULL, 1, 1000000},
        {"locks", &shape->locks, NULL, 1, 1000000},
        {"depth", &shape->depth, NULL, 1, 16},
        {"sticky", &shape->sticky, NULL, 0, 99},
        {"guarded", &shape->guarded, NULL, 0, 100},
        {"accesses", &shape->accesses, NULL, 0, 1000},
        {"locations", &shape->locations, NULL, 0, 1000000},
    };
    const char *equals = memchr(word, '=', length);
    if (!equals)
        return false;
    char *end;
    unsigned long low = strtoul(equals + 1, &end, 10), high = low;
    if (end[0] == '.' && end[1] == '.')
        high = strtoul(end + 2, &end, 10);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (strlen(numbers[i].name) != (size_t)(equals - word) ||
            memcmp(numbers[i].name, word, (size_t)(equals - word)) != 0)
            continue;
        *numbers[i].low = (uint32_t)low;
        if (numbers[i].high)
            *numbers[i].high = (uint32_t)high;
        return end == word + length && low >= numbers[i].least && high <= numbers[i].most &&
               low <= high && (low == high || numbers[i].high);
    }
    return false;
}

static int apply(struct shape *shape, const char *settings, struct error *error)
{
    const char *word = settings;
    for (;;) {
        size_t length = strcspn(word, ",");
        if (!set_feature(shape, word, length) && !set_number(shape, word, length))
            return error_set(error, ERROR_USAGE, "no setting of a shape: '%.*s'", (int)length,
                             word);
        if (!word[length])
            return 0;
        word += length + 1;
    }
}

int shape_parse(struct shape *shape, const char *text, struct error *error)
{
    size_t length = strcspn(text, ":"), preset = 0;
    while (shape_name(preset) &&
           (strlen(shape_name(preset)) != length || memcmp(shape_name(preset), text, length) != 0))
        preset++;
    if (!shape_name(preset))
        return error_set(error, ERROR_USAGE, "no shape is named '%.*s'", (int)length, text);
    *shape = *presets[preset].sizes;
    if (apply(shape, presets[preset].settings, error))
        return -1;
    return text[length] ? apply(shape, text + length + 1, error) : 0;
}
