/* SPDX-License-Identifier: MIT */
#include "tiddle/generator_actions.h"
#include "trace/formats.h"

#include <stdarg.h>
#include <stdio.h>

void generator_put(struct generator *self, const char *format, ...)
{
    va_list arguments;
    array_reserve(&self->text, self->text.count + 128);
    va_start(arguments, format);
    int length = vsnprintf(self->text.items + self->text.count, 128, format, arguments);
    va_end(arguments);
    self->text.count += (size_t)length;
}

void generator_put_location(struct generator *self, uint32_t thread)
{
    if (self->shape->locations)
        generator_put(self, "|%u\n",
                      thread * self->shape->locations + below(self, self->shape->locations));
    else
        generator_put(self, "|%u\n", self->emitted);
}

static const struct action {
    bool (*act)(struct generator *self, uint32_t thread);
    unsigned feature; /* 0: always */
    uint32_t weight;  /* 0: the shape's */
} actions[] = {
    {do_access, 0, 0},
    {do_acquire, SHAPE_LOCKS, 15},
    {do_acquire_read_write, SHAPE_RWLOCKS, 15},
    {do_release, SHAPE_LOCKS | SHAPE_RWLOCKS, 16},
    {do_wait, SHAPE_CONDITIONS, 10},
    {do_signal, SHAPE_CONDITIONS, 12},
    {do_enter, SHAPE_BARRIERS, 8},
    {do_post, SHAPE_SEMAPHORES, 8},
    {do_semaphore_wait, SHAPE_SEMAPHORES, 8},
    {do_once, SHAPE_ONCE, 8},
    {do_fork, SHAPE_FORKS, 10},
    {do_join, SHAPE_FORKS, 3},
    {do_atomic, SHAPE_ATOMICS, 12},
    {do_block, SHAPE_BLOCKS, 8},
    {do_branch, SHAPE_BRANCHES, 8},
    {do_destroy, SHAPE_DESTROYS, 5},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

static uint32_t weight_of(const struct generator *self, const struct action *action)
{
    if (action->feature && !has(self, action->feature))
        return 0;
    return action->weight ? action->weight : self->shape->accesses;
}

static bool act(struct generator *self, uint32_t thread)
{
    switch (self->thread[thread].phase) {
    case SLEEPING:
    case WOKEN:
        return do_wake(self, thread);
    case ENTERED:
        return do_exit(self, thread);
    case RUNNING:
        break;
    default:
        return false;
    }
    uint32_t total = 0;
    for (uint32_t i = 0; i < ACTIONS; i++)
        total += weight_of(self, &actions[i]);
    uint32_t drawn = below(self, total), i = 0;
    while (drawn >= weight_of(self, &actions[i]))
        drawn -= weight_of(self, &actions[i++]);
    return actions[i].act(self, thread);
}

static void start(struct generator *self, const struct shape *shape, uint64_t seed)
{
    *self = (struct generator){.shape = shape, .random = {seed}};
    self->random.state = random_next(&self->random); /* neighbouring seeds, unlike traces */
    self->threads = shape->threads_min + below(self, shape->threads_max - shape->threads_min + 1);
    self->wanted = shape->events_min + below(self, shape->events_max - shape->events_min + 1);
    self->thread = NEW_ARRAY(struct thread, self->threads);
    self->mutexes = NEW_ARRAY(struct lock, shape->locks);
    self->read_write = NEW_ARRAY(struct lock, shape->locks);
    self->values = NEW_ARRAY(uint64_t, shape->variables);
    for (uint32_t i = 0; i < shape->locks; i++)
        self->mutexes[i].owner = self->read_write[i].owner = NOBODY;
    for (uint32_t i = 0; i < self->threads; i++)
        self->thread[i].phase =
            i > 0 && has(self, SHAPE_FORKS) && chance(self, 70) ? UNBORN : RUNNING;
    for (uint32_t i = 0; i < SEMAPHORES; i++)
        self->semaphores[i] = below(self, 3) / 2;
}

char *generate_text(const struct shape *shape, uint64_t seed, size_t *length)
{
    struct generator self;
    start(&self, shape, seed);
    uint32_t current = 0, idle = 0;
    while (self.emitted < self.wanted && idle < 1000) {
        if (!chance(&self, shape->sticky))
            current = below(&self, self.threads);
        idle = act(&self, current) ? 0 : idle + 1;
        if (idle && self.thread[current].phase != RUNNING)
            current = below(&self, self.threads);
    }
    generator_put(&self, "%s", ""); /* room for the NUL even in an empty trace */
    free(self.thread);
    free(self.mutexes);
    free(self.read_write);
    free(self.values);
    *length = self.text.count;
    return self.text.items;
}

int sample_read(struct sample *sample, char *text, size_t length, struct error *error)
{
    *sample = (struct sample){.text = text};
    sample->trace = std_open_memory("generated", text, length);
    sample->history = history_read(sample->trace, error);
    if (sample->history)
        return 0;
    sample_free(sample);
    return -1;
}

int sample_generate(struct sample *sample, const struct shape *shape, uint64_t seed,
                    struct error *error)
{
    size_t length;
    char *text = generate_text(shape, seed, &length);
    return sample_read(sample, text, length, error);
}

void sample_free(struct sample *sample)
{
    history_destroy(sample->history);
    trace_close(sample->trace);
    free(sample->text);
    *sample = (struct sample){0};
}
