/* SPDX-License-Identifier: MIT */
/* A growable array of any type.
 *
 *     struct names ARRAY_OF(char *);
 *     struct names names = {0};
 *     array_push(&names, name);
 *     array_free(&names);
 */
#ifndef PREPLAY_BASE_ARRAY_H
#define PREPLAY_BASE_ARRAY_H

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define ARRAY_OF(type)                                                                             \
    {                                                                                              \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

/* Room for at least `wanted` items; what lies beyond `count` is undefined. */
#define array_reserve(array, wanted)                                                               \
    do {                                                                                           \
        size_t array_wanted = (wanted);                                                            \
        if ((array)->capacity < array_wanted) {                                                    \
            size_t array_room = (array)->capacity ? (array)->capacity * 2 : 8;                     \
            if (array_room < array_wanted)                                                         \
                array_room = array_wanted;                                                         \
            (array)->items = memory_resize((array)->items, array_room, sizeof *(array)->items);    \
            (array)->capacity = array_room;                                                        \
        }                                                                                          \
    } while (0)

#define array_push(array, value)                                                                   \
    do {                                                                                           \
        array_reserve((array), (array)->count + 1);                                                \
        (array)->items[(array)->count++] = (value);                                                \
    } while (0)

/* Grows to `wanted` items, the new ones zeroed; never shrinks. */
#define array_grow(array, wanted)                                                                  \
    do {                                                                                           \
        size_t array_target = (wanted);                                                            \
        if ((array)->count < array_target) {                                                       \
            array_reserve((array), array_target);                                                  \
            memset((array)->items + (array)->count, 0,                                             \
                   (array_target - (array)->count) * sizeof *(array)->items);                      \
            (array)->count = array_target;                                                         \
        }                                                                                          \
    } while (0)

#define array_pop(array)  ((array)->items[--(array)->count])
#define array_last(array) ((array)->items[(array)->count - 1])

#define array_free(array)                                                                          \
    do {                                                                                           \
        free((array)->items);                                                                      \
        (array)->items = NULL;                                                                     \
        (array)->count = (array)->capacity = 0;                                                    \
    } while (0)

#endif
