/* SPDX-License-Identifier: MIT */
#include "tiddle/equivalent.h"

#include "base/array.h"
#include "tiddle/dependence.h"

#define MATRIX_LIMIT 8192 /* events; a larger trace asks events_depend() each time */

struct equivalents {
    const struct history *history;
    uint32_t count;
    uint32_t *order;  /* order[place] is an event; events are named from 1, 0 is before all */
    uint32_t *place;  /* by event */
    uint32_t *event;  /* order without its sentinel, as pos values: what the caller sees */
    uint32_t *mobile; /* events that can move at all, descending, then 0 */
    uint64_t *matrix; /* by (k, l): l comes directly before k, NULL for long traces */
    size_t row;       /* 64-bit words a row */
    bool started, finished;
};

/* Neighbours in an order are ordered by happens-before only if they depend on
 * each other directly: what lies between in a longer chain would lie between. */
static bool directly_before(const struct equivalents *self, uint32_t l, uint32_t k)
{
    if (l == 0)
        return true;
    if (self->matrix)
        return self->matrix[k * self->row + l / 64] >> l % 64 & 1;
    return events_depend(&self->history->events[l - 1], &self->history->events[k - 1]);
}

static void fill_matrix(struct equivalents *self)
{
    self->row = self->count / 64 + 1;
    self->matrix = NEW_ARRAY(uint64_t, (self->count + 1) * self->row);
    for (uint32_t k = 1; k <= self->count; k++)
        for (uint32_t l = 1; l < k; l++)
            if (events_depend(&self->history->events[l - 1], &self->history->events[k - 1]))
                self->matrix[k * self->row + l / 64] |= UINT64_C(1) << l % 64;
}

/* An event that comes after all earlier ones can never move; asking it each time
 * would make long sequential traces slow. */
static void find_mobile(struct equivalents *self)
{
    uint32_t count = 0;
    self->mobile = NEW_ARRAY(uint32_t, self->count + 1);
    if (!self->matrix) {
        for (uint32_t k = self->count; k > 0; k--)
            self->mobile[count++] = k;
        return;
    }
    uint64_t *before = memory_copy(self->matrix, (self->count + 1) * self->row * sizeof *before);
    for (uint32_t k = 1; k <= self->count; k++) {
        uint64_t *mine = before + k * self->row;
        for (uint32_t l = k - 1; l > 0; l--)
            if (mine[l / 64] >> l % 64 & 1)
                for (size_t word = 0; word < self->row; word++)
                    mine[word] |= before[l * self->row + word];
    }
    for (uint32_t k = self->count; k > 0; k--)
        for (uint32_t l = 1; l < k; l++)
            if (!(before[k * self->row + l / 64] >> l % 64 & 1)) {
                self->mobile[count++] = k;
                break;
            }
    free(before);
}

struct equivalents *equivalents_create(const struct history *history)
{
    struct equivalents *self = NEW(struct equivalents);
    self->history = history;
    self->count = history->count;
    self->order = NEW_ARRAY(uint32_t, self->count + 1);
    self->place = NEW_ARRAY(uint32_t, self->count + 1);
    self->event = NEW_ARRAY(uint32_t, self->count + 1);
    for (uint32_t i = 0; i <= self->count; i++)
        self->order[i] = self->place[i] = self->event[i] = i;
    if (self->count <= MATRIX_LIMIT)
        fill_matrix(self);
    find_mobile(self);
    return self;
}

void equivalents_destroy(struct equivalents *self)
{
    free(self->order);
    free(self->place);
    free(self->event);
    free(self->mobile);
    free(self->matrix);
    free(self);
}

static void put(struct equivalents *self, uint32_t place, uint32_t event)
{
    self->order[place] = event;
    self->place[event] = place;
    self->event[place - 1] = event - 1;
}

/* Moves the last event that can move one place to the left; the ones after it
 * are back in their own places. */
static bool advance(struct equivalents *self)
{
    for (const uint32_t *mobile = self->mobile; *mobile; mobile++) {
        uint32_t k = *mobile, place = self->place[k];
        uint32_t left = self->order[place - 1];
        if (!directly_before(self, left, k)) {
            put(self, place, left);
            put(self, place - 1, k);
            return true;
        }
        for (; place < k; place++)
            put(self, place, self->order[place + 1]);
        put(self, k, k);
    }
    return false;
}

const uint32_t *equivalents_next(struct equivalents *self)
{
    if (self->finished)
        return NULL;
    if (self->started)
        self->finished = !advance(self);
    self->started = true;
    return self->finished ? NULL : self->event;
}
