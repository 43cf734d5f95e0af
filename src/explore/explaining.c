/* SPDX-License-Identifier: MIT */
#include "explore/explaining.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct telling {
    const struct kept_run *failing, *well;
    struct symbols *symbols;
    char *text;
    size_t used;
};

static void __attribute__((format(printf, 2, 3)))
say(struct telling *telling, const char *format, ...)
{
    va_list arguments;
    size_t room = FAILURE_EXPLANATION - telling->used;
    va_start(arguments, format);
    int length = vsnprintf(telling->text + telling->used, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        telling->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* --- which run ----------------------------------------------------------------------------------
 */

static bool same_event(const struct step_event *a, const struct step_event *b)
{
    return a->op == b->op && a->thread == b->thread && a->object == b->object && a->pc == b->pc &&
           a->seen == b->seen && a->made == b->made;
}

static uint32_t common(const struct kept_run *a, const struct kept_run *b)
{
    uint32_t count = 0;
    while (count < a->event_count && count < b->event_count &&
           same_event(&a->events[count], &b->events[count]))
        count++;
    return count;
}

static const struct kept_run *nearest(const struct kept_run *failing,
                                      const struct knowledge *knowledge)
{
    const struct kept_run *best = NULL;
    uint32_t most = 0;
    for (size_t i = 0; i < knowledge->runs.count; i++) {
        const struct kept_run *run = &knowledge->runs.items[i];
        uint32_t length = run->failed ? 0 : common(failing, run);
        if (!run->failed && (!best || length > most)) {
            best = run;
            most = length;
        }
    }
    return best;
}

/* --- in words -----------------------------------------------------------------------------------
 */

static void say_thread(struct telling *telling, const struct kept_run *run, uint32_t thread)
{
    char path[64];
    kept_run_path(run, thread, path, sizeof path);
    say(telling, "%s", path);
}

/* "account.c:12" */
static void say_place(struct telling *telling, uint64_t pc)
{
    const char *line = pc ? symbols_line(telling->symbols, pc) : NULL;
    const char *slash = line ? strrchr(line, '/') : NULL;
    if (line)
        say(telling, " (%s)", slash ? slash + 1 : line);
}

static void say_object(struct telling *telling, const struct step_event *event)
{
    uint64_t offset = 0, address = event->object + event->offset;
    char member[200];
    const char *name = symbols_data(telling->symbols, address, &offset);
    if (!name)
        say(telling, "0x%" PRIx64, address);
    else if (symbols_member(telling->symbols, address, event->size, member, sizeof member))
        say(telling, "%.100s%s", name, member);
    else
        say(telling, "%.100s", name);
}

static uint64_t bytes_of(const struct step_event *event, uint64_t word)
{
    return (word & known_mask(event->offset, event->size)) >> event->offset * 8;
}

static bool writes(const struct step_event *event)
{
    return event->op == STEP_WRITE || event->op == STEP_UPDATE;
}

static void say_source(struct telling *telling, const struct kept_run *run, uint32_t read)
{
    const struct step_event *event = &run->events[read];
    uint64_t mask = known_mask(event->offset, event->size);
    say(telling, "%" PRIu64, bytes_of(event, event->seen));
    for (uint32_t i = read; i-- > 0;) {
        const struct step_event *other = &run->events[i];
        if (!writes(other) || other->object != event->object ||
            !(known_mask(other->offset, other->size) & mask))
            continue;
        say(telling, ", written by ");
        say_thread(telling, run, other->thread);
        say_place(telling, other->pc);
        return;
    }
    say(telling, ", which it held from the start");
}

/* --- the read that mattered ---------------------------------------------------------------------
 */

/* The thread's next event from there on, in a run whose threads may have other numbers. */
static uint32_t next_of(const struct kept_run *run, uint64_t name, uint32_t at)
{
    while (at < run->event_count && run->threads[run->events[at].thread].name != name)
        at++;
    return at;
}

static bool reads(const struct step_event *event)
{
    return event->op == STEP_READ || event->op == STEP_UPDATE;
}

/* The first read of the thread that saw another value; false if there is none. */
static bool find_read(const struct telling *telling, uint32_t thread, uint32_t *failing,
                      uint32_t *well)
{
    uint64_t name = telling->failing->threads[thread].name;
    uint32_t at = 0;
    for (uint32_t i = 0; i < telling->failing->event_count; i++, at++) {
        i = next_of(telling->failing, name, i);
        at = next_of(telling->well, name, at);
        if (i >= telling->failing->event_count || at >= telling->well->event_count)
            return false;
        const struct step_event *event = &telling->failing->events[i];
        const struct step_event *other = &telling->well->events[at];
        if (other->op != event->op || other->pc != event->pc || other->object != event->object)
            return false;
        if (reads(event) && bytes_of(event, event->seen) != bytes_of(event, other->seen)) {
            *failing = i;
            *well = at;
            return true;
        }
    }
    return false;
}

static void say_read(struct telling *telling, const struct failure *failure)
{
    uint32_t here = 0, there = 0;
    uint32_t first = failure->place_count ? failure->places[0].number : 0;
    bool found = first < telling->failing->thread_count && find_read(telling, first, &here, &there);
    for (uint32_t i = 0; !found && i < telling->failing->thread_count; i++)
        found = find_read(telling, i, &here, &there);
    if (!found)
        return;
    const struct step_event *event = &telling->failing->events[here];
    say(telling, " So ");
    say_thread(telling, telling->failing, event->thread);
    say(telling, " read ");
    say_object(telling, event);
    say_place(telling, event->pc);
    say(telling, " as ");
    say_source(telling, telling->failing, here);
    say(telling, "; there it was ");
    say_source(telling, telling->well, there);
    say(telling, ".");
}

/* --- the choice ---------------------------------------------------------------------------------
 */

static uint64_t thread_at(const struct kept_run *run, uint32_t event)
{
    return event < run->event_count ? run->threads[run->events[event].thread].name : 0;
}

static void say_choice(struct telling *telling, uint32_t at)
{
    const struct kept_run *failing = telling->failing, *well = telling->well;
    say(telling, "The nearest run that went well does the same for %u steps", at);
    if (!at || at >= failing->event_count || at >= well->event_count ||
        thread_at(failing, at) == thread_at(well, at)) {
        say(telling, ".");
        return;
    }
    say(telling, ", up to ");
    say_thread(telling, failing, failing->events[at - 1].thread);
    say_place(telling, failing->events[at - 1].pc);
    say(telling, "; then ");
    say_thread(telling, well, well->events[at].thread);
    say_place(telling, well->events[at].pc);
    say(telling, " goes on in it, and ");
    say_thread(telling, failing, failing->events[at].thread);
    say_place(telling, failing->events[at].pc);
    say(telling, " in this one.");
}

void explaining_tell(struct failure *failure, const struct knowledge *knowledge,
                     struct symbols *symbols)
{
    struct telling telling = {.failing = &failure->kept,
                              .well = nearest(&failure->kept, knowledge),
                              .symbols = symbols,
                              .text = failure->explanation};
    failure->explanation[0] = '\0';
    if (!telling.well || !failure->kept.event_count)
        return;
    uint32_t at = common(telling.failing, telling.well);
    say_choice(&telling, at);
    say_read(&telling, failure);
}
