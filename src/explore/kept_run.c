/* SPDX-License-Identifier: MIT */
#include "explore/kept_run.h"

#include "base/files.h"
#include "base/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC UINT64_C(0x316e757279706c70)
#define MOST  ((size_t)1 << 28)

struct head {
    uint64_t magic;
    uint32_t version, threads, events, failed;
};

static struct kept_run copy_of(const struct step_event *events, uint32_t event_count,
                               const struct step_thread *threads, uint32_t thread_count)
{
    return (struct kept_run){
        .events = event_count ? memory_copy(events, event_count * sizeof *events) : NULL,
        .threads = thread_count ? memory_copy(threads, thread_count * sizeof *threads) : NULL,
        .event_count = event_count,
        .thread_count = thread_count};
}

struct kept_run kept_run_of(const struct stepper_page *page)
{
    return copy_of(page->event, page->events, page->thread, page->threads);
}

struct kept_run kept_run_copy(const struct kept_run *run)
{
    struct kept_run copy = copy_of(run->events, run->event_count, run->threads, run->thread_count);
    copy.behaviour = run->behaviour;
    copy.failed = run->failed;
    return copy;
}

void kept_run_free(struct kept_run *run)
{
    free(run->events);
    free(run->threads);
    *run = (struct kept_run){0};
}

void kept_run_path(const struct kept_run *run, uint32_t thread, char *path, size_t size)
{
    char inner[64];
    if (!thread || thread >= run->thread_count || run->threads[thread].parent >= thread) {
        snprintf(path, size, "T0");
        return;
    }
    kept_run_path(run, run->threads[thread].parent, inner, sizeof inner);
    snprintf(path, size, "%.50s.%u", inner, run->threads[thread].number);
}

/* --- files --------------------------------------------------------------------------------------
 */

int kept_run_write(const struct kept_run *run, const char *path, struct error *error)
{
    struct new_file file;
    struct head head = {MAGIC, STEPPER_VERSION, run->thread_count, run->event_count, run->failed};
    if (files_begin(&file, path, error))
        return -1;
    fwrite(&head, sizeof head, 1, file.stream);
    fwrite(run->threads, sizeof *run->threads, run->thread_count, file.stream);
    fwrite(run->events, sizeof *run->events, run->event_count, file.stream);
    return files_commit(&file, error);
}

static bool is_event(const struct step_event *event, uint32_t threads)
{
    return event->op < STEP_OPS && event->thread < threads && event->size <= 8 &&
           event->offset + event->size <= 8;
}

static bool makes_sense(const struct kept_run *run)
{
    for (uint32_t i = 0; i < run->thread_count; i++) {
        const struct step_thread *thread = &run->threads[i];
        if (thread->state > STEP_ENDED || (i && thread->parent >= i) ||
            !is_event(&thread->next, run->thread_count))
            return false;
    }
    for (uint32_t i = 0; i < run->event_count; i++)
        if (run->events[i].op == STEP_NONE || !is_event(&run->events[i], run->thread_count))
            return false;
    return true;
}

int kept_run_read(struct kept_run *run, const char *path, struct error *error)
{
    size_t length;
    struct head head = {0};
    *run = (struct kept_run){0};
    char *bytes = files_load(path, MOST, &length);
    if (!bytes)
        return error_set(error, ERROR_INPUT, "%s: %s", path, files_reason(errno));
    if (length >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    size_t threads = head.threads * sizeof(struct step_thread);
    size_t events = head.events * sizeof(struct step_event);
    bool fits = head.magic == MAGIC && head.version == STEPPER_VERSION && head.threads &&
                head.threads <= STEPPER_THREADS && head.events <= STEPPER_EVENTS &&
                length == sizeof head + threads + events;
    if (fits) {
        *run = (struct kept_run){.events = memory_copy(bytes + sizeof head + threads, events + 1),
                                 .threads = memory_copy(bytes + sizeof head, threads),
                                 .event_count = head.events,
                                 .thread_count = head.threads,
                                 .failed = head.failed};
        fits = makes_sense(run);
    }
    free(bytes);
    if (fits)
        return 0;
    kept_run_free(run);
    return error_set(error, ERROR_INPUT, "%s: is no run of this version of preplay", path);
}
