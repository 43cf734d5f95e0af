/* Which reads count as waits that were skipped, and which must not. */
#include "trace/recorded/skipped_waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MUTEX = 0x100, OTHER = 0x180, READY = 0x200, FLAG = 0x1000, NEXT = 0x1004 };
enum { SET_LINE = 1, LOOP_LINE = 2, LOOK_LINE = 3, CODE_LINE = 4, WAIT_LINE = 5 };

/* A trace: one thread's record or access a step. */
struct step {
    uint32_t thread;
    uint8_t op;
    uint64_t object, other;
    uint32_t line; /* of an access */
};

#define LOCK(thread)                                                                               \
    {                                                                                              \
        thread, EVENT_ACQUIRE, MUTEX, 0, 0                                                         \
    }
#define UNLOCK(thread)                                                                             \
    {                                                                                              \
        thread, EVENT_RELEASE, MUTEX, 0, 0                                                         \
    }
#define SIGNAL(thread)                                                                             \
    {                                                                                              \
        thread, EVENT_SIGNAL, READY, 0, 0                                                          \
    }
#define WAIT(thread)                                                                               \
    {                                                                                              \
        thread, EVENT_WAIT_BEGIN, READY, MUTEX, 0                                                  \
    }
#define WOKEN(thread)                                                                              \
    {                                                                                              \
        thread, EVENT_WAIT_END, READY, MUTEX, 0                                                    \
    }
#define READ(thread, address, line)                                                                \
    {                                                                                              \
        thread, EVENT_READ, address, 4, line                                                       \
    }
#define WRITE(thread, address, line)                                                               \
    {                                                                                              \
        thread, EVENT_WRITE, address, 4, line                                                      \
    }

static struct binary_unit unit_of(const struct step *step, struct binary_access *access)
{
    struct binary_unit unit = {.is_record = true, .op = step->op, .object = step->object};
    unit.other = step->other;
    unit.location = step->line;
    if (step->op != EVENT_READ && step->op != EVENT_WRITE)
        return unit;
    *access = (struct binary_access){.address = step->object,
                                     .length = step->other,
                                     .location = step->line,
                                     .op = step->op,
                                     .present = true};
    return (struct binary_unit){.accesses = access, .count = 1};
}

/* Two locations a line: code is inlined. */
static uint64_t line_of(void *context, uint32_t location)
{
    (void)context;
    return location % 10;
}

static uint64_t pc_of(void *context, uint32_t location)
{
    (void)context;
    return location;
}

/* What the machine code says: nothing, or that CODE_LINE is the check of the wait at WAIT_LINE. */
static enum wait_answer no_code(void *context, uint32_t location, uint32_t stack, uint64_t *site)
{
    (void)context, (void)location, (void)stack;
    *site = 0;
    return WAIT_UNKNOWN;
}

static enum wait_answer code(void *context, uint32_t location, uint32_t stack, uint64_t *site)
{
    (void)context, (void)stack;
    *site = WAIT_LINE;
    return location == CODE_LINE ? WAIT_CHECKED : WAIT_NOT;
}

/* Where the latch opens and where it is passed, as step numbers; -1 if nowhere. */
struct found {
    int opens, passes, all;
};

static struct found match_with(const struct skipped_program *program, const struct step *steps,
                               size_t count)
{
    struct skipped_waits *waits = skipped_waits_create(program);
    struct binary_access access;
    struct found found = {-1, -1, 0};
    for (size_t i = 0; i < count; i++) {
        struct binary_unit unit = unit_of(&steps[i], &access);
        if (unit.is_record)
            skipped_waits_learn(waits, &unit);
    }
    if (skipped_waits_wanted(waits)) {
        for (size_t i = 0; i < count; i++) {
            struct binary_unit unit = unit_of(&steps[i], &access);
            skipped_waits_match(waits, steps[i].thread, &unit);
        }
        skipped_waits_settle(waits);
    }
    for (size_t i = 0; i < count; i++) {
        const struct skipped_mark *mark;
        size_t marks = skipped_waits_next(waits, steps[i].thread, &mark);
        for (; marks; marks--, mark++, found.all++)
            *(mark->access ? &found.passes : &found.opens) = (int)i;
    }
    skipped_waits_destroy(waits);
    return found;
}

static struct found match(const struct step *steps, size_t count)
{
    return match_with(&(struct skipped_program){NULL, line_of, pc_of, no_code}, steps, count);
}

/* The same where the code is known. */
#define EXPECT_OF_CODE(opens_at, passes_at, ...)                                                   \
    do {                                                                                           \
        const struct step steps[] = {__VA_ARGS__};                                                 \
        struct found found = match_with(&(struct skipped_program){NULL, line_of, pc_of, code},     \
                                        steps, sizeof steps / sizeof *steps);                      \
        assert_int_equal(found.opens, opens_at);                                                   \
        assert_int_equal(found.passes, passes_at);                                                 \
    } while (0)

#define EXPECT(opens_at, passes_at, ...)                                                           \
    do {                                                                                           \
        const struct step steps[] = {__VA_ARGS__};                                                 \
        struct found found = match(steps, sizeof steps / sizeof *steps);                           \
        assert_int_equal(found.opens, opens_at);                                                   \
        assert_int_equal(found.passes, passes_at);                                                 \
    } while (0)

static void signals_in_or_after_the_section(void **state)
{
    (void)state;
    EXPECT(3, 5, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
           LOCK(1), READ(1, FLAG, LOOP_LINE), UNLOCK(1));
    EXPECT(2, 5, LOCK(0), WRITE(0, FLAG, SET_LINE), UNLOCK(0), SIGNAL(0), /* */
           LOCK(1), READ(1, FLAG, LOOP_LINE), UNLOCK(1));
    /* The reader comes between the section and its signal. */
    EXPECT(2, 4, LOCK(0), WRITE(0, FLAG, SET_LINE), UNLOCK(0), /* */
           LOCK(1), READ(1, FLAG, LOOP_LINE), UNLOCK(1), SIGNAL(0));
}

static void no_signal_no_wait(void **state)
{
    (void)state;
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), UNLOCK(0), LOCK(1), READ(1, FLAG, LOOP_LINE),
           UNLOCK(1));
    /* Another section in between: the signal is that one's. */
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), UNLOCK(0), LOCK(0), UNLOCK(0), SIGNAL(0),
           LOCK(1), READ(1, FLAG, LOOP_LINE), UNLOCK(1));
}

static void other_bytes_other_locks_and_later_writes(void **state)
{
    (void)state;
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
           LOCK(1), READ(1, NEXT, LOOP_LINE), UNLOCK(1));
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0),
           {1, EVENT_ACQUIRE, OTHER, 0, 0}, READ(1, FLAG, LOOP_LINE),
           {1, EVENT_RELEASE, OTHER, 0, 0});
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0),
           WRITE(2, FLAG, SET_LINE), LOCK(1), READ(1, FLAG, LOOP_LINE), UNLOCK(1));
    /* The thread that signalled does not wait for itself. */
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), LOCK(0),
           READ(0, FLAG, LOOP_LINE), UNLOCK(0));
}

static void a_signaller_that_reads_is_no_waiter(void **state)
{
    (void)state;
    EXPECT(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
           LOCK(1), READ(1, FLAG, SET_LINE), WRITE(1, FLAG, SET_LINE), SIGNAL(1), UNLOCK(1));
}

/* Thread 2 was seen to wait: its line is the loop's, wherever it was compiled to. */
#define SEEN_TO_WAIT LOCK(2), READ(2, FLAG, LOOP_LINE), WAIT(2)

static void where_waits_were_seen_only_their_predicate_counts(void **state)
{
    (void)state;
    EXPECT(6, 8, SEEN_TO_WAIT, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
           LOCK(1), READ(1, FLAG, LOOP_LINE + 10), UNLOCK(1));
    EXPECT(-1, -1, SEEN_TO_WAIT, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
           LOCK(1), READ(1, FLAG, LOOK_LINE), UNLOCK(1));
    /* The one that did wait has its own event. */
    EXPECT(-1, -1, SEEN_TO_WAIT, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
           WOKEN(2), READ(2, FLAG, LOOP_LINE), UNLOCK(2));
}

static void what_the_code_says_decides(void **state)
{
    (void)state;
    EXPECT_OF_CODE(3, 5, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
                   LOCK(1), READ(1, FLAG, CODE_LINE), UNLOCK(1));
    EXPECT_OF_CODE(-1, -1, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
                   LOCK(1), READ(1, FLAG, LOOK_LINE), UNLOCK(1));
    /* A thread that signals as well may have skipped a wait, if it has one. */
    EXPECT_OF_CODE(3, 5, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
                   LOCK(1), READ(1, FLAG, CODE_LINE), SIGNAL(1), UNLOCK(1));
    /* Others were seen to wait elsewhere: this loop can wait all the same. */
    EXPECT_OF_CODE(6, 8, SEEN_TO_WAIT, LOCK(0), WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0),
                   LOCK(1), READ(1, FLAG, CODE_LINE), UNLOCK(1));
    /* The code waits, but was seen to wait for another condition there. */
    EXPECT_OF_CODE(-1, -1, LOCK(2), {2, EVENT_WAIT_BEGIN, OTHER, MUTEX, WAIT_LINE}, LOCK(0),
                   WRITE(0, FLAG, SET_LINE), SIGNAL(0), UNLOCK(0), /* */
                   LOCK(1), READ(1, FLAG, CODE_LINE), UNLOCK(1));
}

static void one_latch_for_all_who_skip(void **state)
{
    (void)state;
    const struct step steps[] = {
        LOCK(0),   WRITE(0, FLAG, SET_LINE), SIGNAL(0),
        UNLOCK(0), /* */
        LOCK(1),   READ(1, FLAG, LOOP_LINE), READ(1, FLAG, LOOP_LINE),
        UNLOCK(1), /* */
        LOCK(2),   READ(2, FLAG, LOOK_LINE), UNLOCK(2),
    };
    assert_int_equal(match(steps, sizeof steps / sizeof *steps).all, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_in_or_after_the_section),
        cmocka_unit_test(no_signal_no_wait),
        cmocka_unit_test(other_bytes_other_locks_and_later_writes),
        cmocka_unit_test(a_signaller_that_reads_is_no_waiter),
        cmocka_unit_test(where_waits_were_seen_only_their_predicate_counts),
        cmocka_unit_test(what_the_code_says_decides),
        cmocka_unit_test(one_latch_for_all_who_skip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
