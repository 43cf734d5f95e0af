/* Who is stuck at the end of a run, and because of whom. */
#include "model/hang.h"
#include "trace/formats.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static uint32_t id_of(struct trace *trace, enum object_class class, const char *name)
{
    return intern(trace->names[class], name, strlen(name));
}

/* "A acq l, B woken c m": what threads want when it is over. */
static void add_wishes(struct trace *trace, const char *text)
{
    char thread[8], op[16], object[8], other[8];
    int length;
    trace->wishes = NEW_ARRAY(struct event, 16);
    for (; *text; text += length + strspn(text + length, ", ")) {
        *other = 0;
        if (sscanf(text, "%7s %15s %7[^ ,]%n %7[a-z]%n", thread, op, object, &length, other,
                   &length) < 3)
            fail_msg("cannot read '%s'", text);
        struct event wish = {.thread = id_of(trace, CLASS_THREAD, thread), .flags = EVENT_WISH};
        const char *name = op;
        if (strncmp(op, "try", 3) == 0) {
            wish.flags |= EVENT_TRY;
            name += 3;
        }
        while (wish.op < EVENT_COUNT && strcmp(event_op_text(wish.op), name) != 0)
            wish.op++;
        wish.object = id_of(trace, event_object_class(wish.op), object);
        if (*other)
            wish.other = id_of(trace, CLASS_LOCK, other);
        wish.location = id_of(trace, CLASS_LABEL, op); /* one a kind of wish */
        trace->wishes[trace->wish_count++] = wish;
    }
}

/* The sets, "A B; C", and how many threads are stuck at all: "A B; C | 4". */
static void describe(char *text, size_t size, const struct history *history)
{
    struct hang *hang = hang_find(history);
    size_t at = 0;
    for (size_t i = 0; hang && i < hang->sets.count; i++)
        for (uint32_t k = 0; k < hang->sets.items[i].count; k++) {
            uint32_t wish = hang->wishes.items[hang->sets.items[i].first + k];
            at += (size_t)snprintf(
                text + at, size - at, "%s%s",
                k   ? " "
                : i ? "; "
                    : "",
                trace_name(history->trace, CLASS_THREAD, history->events[wish].thread));
        }
    snprintf(text + at, size - at, " | %u", hang ? hang->stuck : 0);
    hang_destroy(hang);
}

static void check(const char *run, const char *wishes, const char *expected)
{
    struct error error = {0};
    char found[256];
    struct trace *trace = std_open_memory("t.std", run, strlen(run));
    const struct event *batch;
    struct event *events = NEW_ARRAY(struct event, 4096);
    long count = trace_next(trace, &batch, &error), more;
    if (count < 0)
        fail_msg("%s", error.text);
    memcpy(events, batch, (size_t)count * sizeof *events);
    assert_true((more = trace_next(trace, &batch, &error)) == 0);
    add_wishes(trace, wishes);
    struct history *history = history_create(trace, events, (uint32_t)count);
    describe(found, sizeof found, history);
    if (strcmp(found, expected) != 0)
        fail_msg("'%s' wanting '%s': found '%s', expected '%s'", run, wishes, found, expected);
    history_destroy(history);
    trace_close(trace);
}

static void cycles_of_locks(void **state)
{
    (void)state;
    check("A|acq(l)|1\nB|acq(m)|2\n", "A acq m, B acq l", "A B | 2");
    check("A|acq(l)|1\nB|acq(m)|2\n", "A acq m", " | 0");
    check("A|acq(l)|1\nB|acq(m)|2\nB|rel(m)|3\n", "A acq m, B acq l", " | 0");
    check("A|acq(l)|1\nB|acq(m)|2\n", "A acq m, B tryacq l", " | 0");
    check("A|acq(l)|1\nB|acq(m)|2\nC|acq(n)|3\n", "A acq m, B acq n, C acq l", "A B C | 3");
    /* D only waits for them; E runs, and does not matter. */
    check("A|acq(l)|1\nB|acq(m)|2\nD|acq(d)|3\nE|acq(e)|4\n", "A acq m, B acq l, D acq l",
          "A B | 3");
    /* Two at once. */
    check("A|acq(l)|1\nB|acq(m)|2\nC|acq(n)|3\nD|acq(o)|4\n", "A acq m, B acq l, C acq o, D acq n",
          "A B; C D | 4");
}

static void sets_of_one(void **state)
{
    (void)state;
    check("A|acq(l)|1\n", "A acq l", "A | 1");
    check("A|rdacq(l)|1\n", "A wracq l", "A | 1");
    check("A|acq(l)|1\nA|threadend()|2\nB|acq(m)|3\n", "B acq l", "B | 1");
    check("A|oncebegin(o)|1\n", "A oncepass o", "A | 1");
}

static void readers_and_writers(void **state)
{
    (void)state;
    check("A|rdacq(l)|1\nB|rdacq(l)|2\nA|rdacq(k)|1\n", "B wracq k, A acq z", " | 0");
    check("A|rdacq(l)|1\nB|wracq(m)|2\n", "A rdacq m, B wracq l", "A B | 2");
    check("A|rdacq(l)|1\nB|rdacq(m)|2\n", "A rdacq m, B rdacq l", " | 0");
    /* A reader that no holder stops waits for a writer that came before it. */
    check("A|rdacq(l)|1\nB|acq(m)|2\nC|r(x)|3\n", "C wracq l, B rdacq l, A acq m", "A B C | 3");
}

static void joins_and_once(void **state)
{
    (void)state;
    check("A|fork(B)|1\nA|acq(l)|2\nB|r(x)|3\n", "A join B, B acq l", "A B | 2");
    check("A|fork(B)|1\nA|acq(l)|2\nB|threadend()|3\n", "A join B", " | 0");
    check("A|acq(l)|1\nB|oncebegin(o)|2\n", "B acq l, A oncepass o", "A B | 2");
    check("A|acq(l)|1\nB|oncebegin(o)|2\nB|onceend(o)|3\n", "B acq l, A oncepass o", " | 0");
}

/* A thread that runs may signal, post or come: then nobody is stuck. */
static void helpers(void **state)
{
    (void)state;
#define WAITS "A|acq(m)|1\nA|wait(c,m)|2\n"
    check(WAITS, "A woken c m", "A | 1");
    check(WAITS "B|r(x)|3\n", "A woken c m", " | 0");
    check(WAITS "B|threadend()|3\n", "A woken c m", "A | 1");
    check(WAITS "B|r(x)|3\n", "A woken c m, B join A", "A | 2");
    /* Who wants a lock that the waiter keeps is part of it, others with the same wait are not. */
    check("A|acq(k)|0\n" WAITS "B|r(x)|3\n", "A woken c m, B acq k", "A B | 2");
    check(WAITS "B|acq(m)|1\nB|wait(c,m)|2\n", "A woken c m, B woken c m", "A; B | 2");
    check("A|r(x)|1\nB|r(x)|2\n", "A semwait s, B semwait t", "A B | 2");
    /* A semaphore that is only taken may be for others to post, one that was given back is a lock.
     */
    check("A|semwait(s)|1\nB|r(x)|2\n", "A semwait s", " | 0");
    check("A|semwait(s)|1\nA|post(s)|2\nA|semwait(s)|3\nB|r(x)|4\n", "A semwait s", "A | 1");
    check("A|post(s)|1\n", "A semwait s", " | 0");
    check("A|enter(b)|1\nB|enter(b)|1\n", "A exit b, B exit b", "A; B | 2");
    check("A|enter(b)|1\nB|enter(b)|1\nB|exit(b)|2\nB|acq(l)|3\n", "A exit b, B acq l", "B | 1");
    /* One outside the deadlock of two others is stuck because of it. */
    check(WAITS "B|acq(l)|1\nC|acq(n)|1\n", "A woken c m, B acq n, C acq l", "B C | 3");
}

/* A signal that was given and not taken yet: the waiter is on its way, if it gets the mutex. */
static void signals_on_their_way(void **state)
{
    (void)state;
    check(WAITS "B|notify(c)|3\n", "A woken c m, B join A", " | 0");
    check(WAITS "B|notifyall(c)|3\n", "A woken c m, B join A", " | 0");
    check("B|notify(c)|0\n" WAITS, "A woken c m, B join A", "A | 2");
    check("A|acq(k)|0\n" WAITS "B|acq(m)|3\nB|notify(c)|4\n", "A woken c m, B acq k", "A B | 2");
    check("A|acq(k)|0\n" WAITS "B|acq(m)|3\n", "A trywoken c m, B acq k", "A B | 2");
    check(WAITS "B|r(x)|3\n", "A trywoken c m, B join A", " | 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_of_locks),
        cmocka_unit_test(sets_of_one),
        cmocka_unit_test(readers_and_writers),
        cmocka_unit_test(joins_and_once),
        cmocka_unit_test(helpers),
        cmocka_unit_test(signals_on_their_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
