/* SPDX-License-Identifier: MIT */
#include "explore/failure.h"

#include "base/files.h"
#include "base/map.h"
#include "explore/output.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* The program ended by itself: what did it leave? */
static enum failure_kind kind_of_result(const struct stepped_run *run,
                                        const struct failure_norm *norm, const char *output,
                                        struct failure *failure)
{
    if (run->checked && !(WIFEXITED(run->check_status) && WEXITSTATUS(run->check_status) == 0)) {
        failure->number = WIFEXITED(run->check_status) ? WEXITSTATUS(run->check_status)
                                                       : 128 + WTERMSIG(run->check_status);
        return FAILURE_CHECK;
    }
    return norm->output && output_differs(norm->output, output, failure->text, sizeof failure->text)
               ? FAILURE_OUTPUT
               : FAILURE_NONE;
}

static enum failure_kind kind_of(const struct stepped_run *run, const struct failure_norm *norm,
                                 const char *output, struct failure *failure)
{
    const struct stepper_page *page = run->page;
    if (run->stopped || run->late || run->interrupted || run->unstepped)
        return FAILURE_NONE; /* nobody knows */
    switch (page->end) {
    case STEP_DEADLOCK:
        return FAILURE_DEADLOCK;
    case STEP_SPUN:
        return FAILURE_HANG;
    case STEP_HEAP:
        return page->fault == STEP_DOUBLE_FREE ? FAILURE_DOUBLE_FREE : FAILURE_AFTER_FREE;
    default:
        break;
    }
    if (WIFSIGNALED(run->status)) {
        failure->number = WTERMSIG(run->status);
        return FAILURE_SIGNAL;
    }
    int code = WEXITSTATUS(run->status);
    if (!code || code == norm->code)
        return kind_of_result(run, norm, output, failure);
    failure->number = code;
    return FAILURE_EXIT;
}

void failure_path(const struct stepper_page *page, uint32_t thread, char *path, size_t size)
{
    char inner[64];
    if (!thread) {
        snprintf(path, size, "T0");
        return;
    }
    failure_path(page, page->thread[thread].parent, inner, sizeof inner);
    snprintf(path, size, "%.50s.%u", inner, page->thread[thread].number);
}

/* A place is known by the function and which of its calls of the same callee it is
 * (symbols_identity()): so the first lock and the first wait of a function, or its first read and
 * its first write, are told apart by what they do. */
static uint32_t manner_of(uint8_t op, const struct step_event *event)
{
    return (uint32_t)op << 16 | (uint32_t)(event->flags & STEP_ATOMIC) << 8 | event->size;
}

static void add_place(struct failure *failure, const struct stepper_page *page, uint32_t thread,
                      const struct step_event *event, uint32_t manner)
{
    if (failure->place_count == FAILURE_PLACES)
        return;
    struct failure_place *place = &failure->places[failure->place_count++];
    *place = (struct failure_place){.thread = page->thread[thread].name,
                                    .number = thread,
                                    .count = page->thread[thread].count,
                                    .op = event->op,
                                    .manner = manner,
                                    .pc = event->pc,
                                    .object = event->object};
    failure_path(page, thread, place->path, sizeof place->path);
}

/* The last that the running thread is known to have done. */
static void place_running(struct failure *failure, const struct stepper_page *page)
{
    struct step_event at = {0};
    uint32_t manner = 0;
    if (page->fault) {
        at.pc = page->fault_pc;
        at.object = page->fault_address;
    } else if (page->thread[page->running].next.op != STEP_NONE) {
        at.pc = page->thread[page->running].next.pc;
    }
    for (uint32_t i = page->events; !at.pc && i-- > 0;)
        if (page->event[i].thread == page->running) {
            at.pc = page->event[i].pc;
            manner = manner_of(page->event[i].op, &page->event[i]);
        }
    add_place(failure, page, page->running, &at, manner);
}

/* What it stands before. Who was woken and waits for its lock is still in the wait. */
static uint32_t manner_of_wish(const struct stepper_page *page, uint32_t thread)
{
    const struct step_event *wish = &page->thread[thread].next;
    uint32_t last = page->events;
    while (last > 0 && page->event[last - 1].thread != thread)
        last--;
    bool waits = wish->op == STEP_LOCK && last > 0 && page->event[last - 1].op == STEP_AWAKE &&
                 page->event[last - 1].pc == wish->pc;
    return manner_of(waits ? STEP_AWAKE : wish->op, wish);
}

static void place_all(struct failure *failure, const struct stepper_page *page)
{
    for (uint32_t i = 0; i < page->threads; i++)
        if (page->thread[i].state == STEP_STANDS)
            add_place(failure, page, i, &page->thread[i].next, manner_of_wish(page, i));
}

/* The line of an assertion, or the last one. */
static void find_text(struct failure *failure, const char *output)
{
    size_t length;
    char *all = files_load(output, (size_t)1 << 20, &length), *rest = NULL;
    for (char *line = all ? strtok_r(all, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest)) {
        snprintf(failure->text, sizeof failure->text, "%s", line);
        if (strstr(line, "ssert"))
            break;
    }
    free(all);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    for (; text && *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static void name_it(struct failure *failure, const char *modules)
{
    struct symbols *symbols = symbols_open(modules);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < failure->place_count; i++) /* in whatever order */
        hash += map_mix(hash_text(UINT64_C(0xcbf29ce484222325) ^ failure->places[i].manner,
                                  symbols_identity(symbols, failure->places[i].pc)));
    hash = map_mix(hash ^ (uint64_t)failure->kind << 32 ^ (uint64_t)failure->number);
    snprintf(failure->identity, sizeof failure->identity, "%010llx",
             (unsigned long long)(hash & UINT64_C(0xffffffffff)));
    symbols_close(symbols);
}

/* Who ran when, from the first new thread on. */
static void tell_steps(struct failure *failure, const struct stepper_page *page)
{
    uint32_t at = 0;
    while (at < page->events && page->event[at].op != STEP_FORK)
        at++;
    for (; at < page->events; at++) {
        const struct step_event *event = &page->event[at];
        struct failure_step *last = failure->steps.count ? &array_last(&failure->steps) : NULL;
        if (!last || event->thread != page->event[at - 1].thread) {
            array_push(&failure->steps, ((struct failure_step){0}));
            last = &array_last(&failure->steps);
            failure_path(page, event->thread, last->path, sizeof last->path);
        }
        last->op = event->op;
        last->pc = event->pc;
        last->object = event->object + event->offset;
        last->events++;
    }
}

void failure_judge(struct failure *failure, const struct stepped_run *run,
                   const struct failure_norm *norm, const char *output, const char *modules)
{
    *failure = (struct failure){0};
    failure->kind = kind_of(run, norm, output, failure);
    if (failure->kind == FAILURE_NONE)
        return;
    if (failure->kind == FAILURE_DEADLOCK || failure->kind == FAILURE_HANG)
        place_all(failure, run->page);
    else if (failure->kind != FAILURE_CHECK && failure->kind != FAILURE_OUTPUT)
        place_running(failure, run->page);
    if (failure->kind == FAILURE_SIGNAL || failure->kind == FAILURE_EXIT)
        find_text(failure, output);
    if (failure->kind == FAILURE_CHECK) {
        char said[PATH_MAX];
        output_of_check(said, output);
        find_text(failure, said);
    }
    failure->events = run->page->events;
    tell_steps(failure, run->page);
    name_it(failure, modules);
}

static const char *signal_rule(const struct failure *failure)
{
    if (failure->number != SIGABRT)
        return "crash";
    return strstr(failure->text, "Assertion") ? "assertion" : "abort";
}

const char *failure_rule(const struct failure *failure)
{
    static const char *const texts[] = {[FAILURE_NONE] = "none",
                                        [FAILURE_EXIT] = "exit-code",
                                        [FAILURE_DEADLOCK] = "deadlock",
                                        [FAILURE_HANG] = "hang",
                                        [FAILURE_AFTER_FREE] = "use-after-free",
                                        [FAILURE_DOUBLE_FREE] = "double-free",
                                        [FAILURE_CHECK] = "check",
                                        [FAILURE_OUTPUT] = "output"};
    return failure->kind == FAILURE_SIGNAL ? signal_rule(failure) : texts[failure->kind];
}

void failure_free(struct failure *failure)
{
    array_free(&failure->turns);
    array_free(&failure->steps);
    kept_run_free(&failure->kept);
}
