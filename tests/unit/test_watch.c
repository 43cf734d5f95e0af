/* The watchdog of replays: what is merely slow, stopped or asleep for a while is not taken for a
 * deadlock or a stall, and what is one is. */
#include "replay/watch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum doing { SPINS, SLEEPS, STOPPED, POLLS };

static void nap(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Awake for longer than asleep, but never for long. */
static void poll_once(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    long long begun = time.tv_sec * 1000000000ll + time.tv_nsec, spent = 0;
    while (spent < 200000) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        spent = time.tv_sec * 1000000000ll + time.tv_nsec - begun;
    }
    nap(0.00002);
}

static pid_t start(enum doing doing)
{
    pid_t process = fork();
    while (process == 0)
        if (doing == SLEEPS)
            pause();
        else if (doing == POLLS)
            poll_once();
    assert_true(process > 0);
    if (doing == STOPPED) {
        kill(process, SIGSTOP);
        assert_int_equal(waitpid(process, NULL, WUNTRACED), process);
    }
    return process;
}

static void end(pid_t process, struct watch *watch)
{
    watch_close(watch);
    kill(process, SIGKILL);
    waitpid(process, NULL, 0);
}

static struct watch watch_of(enum finding_kind kind)
{
    struct watch watch = {.kind = kind, .timeout = 1e9, .steps = 1};
    char path[] = "/tmp/test_watch.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(watch_open(&watch, path, false, NULL), 0);
    unlink(path);
    watch.control->state = CONTROL_RUNNING;
    return watch;
}

/* One whose only thread has come to where it should block. */
static struct watch watch_at_deadlock(pid_t process)
{
    struct watch watch = watch_of(FINDING_DEADLOCK);
    watch.targets = 1;
    watch.control->state = CONTROL_REACHED;
    watch.control->targets[0].blocked = 1;
    watch.control->targets[0].kernel_thread = (uint32_t)process;
    return watch;
}

static void who_spins_or_sleeps_is_blocked(void **state)
{
    (void)state;
    for (enum doing doing = SPINS; doing <= SLEEPS; doing++) {
        pid_t process = start(doing);
        struct watch watch = watch_at_deadlock(process);
        while (!watch_look(&watch, process))
            nap(0.003);
        assert_true(watch.deadlock);
        end(process, &watch);
    }
}

/* Its own sleep says nothing about others. */
static void a_watchdog_that_was_away_looks_again(void **state)
{
    (void)state;
    pid_t process = start(SLEEPS);
    struct watch watch = watch_at_deadlock(process);
    assert_false(watch_look(&watch, process));
    nap(0.5);
    assert_false(watch_look(&watch, process));
    end(process, &watch);
}

static void who_sleeps_has_stalled(void **state)
{
    (void)state;
    pid_t process = start(SLEEPS);
    struct watch watch = watch_of(FINDING_RACE);
    while (!watch_look(&watch, process))
        nap(0.003);
    assert_true(watch.stalled);
    end(process, &watch);
}

static void who_polls_has_stalled(void **state)
{
    (void)state;
    pid_t process = start(POLLS);
    struct watch watch = watch_of(FINDING_RACE);
    watch.timeout = 60;
    while (!watch_look(&watch, process))
        nap(0.003);
    assert_true(watch.stalled);
    end(process, &watch);
}

static void who_may_go_on_is_left_alone(void **state)
{
    (void)state;
    pid_t stopped = start(STOPPED), sleeps = start(SLEEPS);
    struct watch watches[3] = {watch_at_deadlock(stopped), watch_of(FINDING_RACE),
                               watch_of(FINDING_RACE)};
    watches[2].recorded = 1000; /* it may have slept for so long then */
    for (double until = now() + 3; now() < until; nap(0.01)) {
        assert_false(watch_look(&watches[0], stopped));
        assert_false(watch_look(&watches[1], stopped));
        assert_false(watch_look(&watches[2], sleeps));
    }
    watch_close(&watches[0]);
    end(stopped, &watches[1]);
    end(sleeps, &watches[2]);
}

static void the_time_that_a_user_sets_is_kept(void **state)
{
    (void)state;
    pid_t process = start(SPINS);
    struct watch watch = watch_of(FINDING_RACE);
    watch.timeout = 0.1;
    while (!watch_look(&watch, process))
        nap(0.003);
    assert_true(watch.timed_out);
    end(process, &watch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_spins_or_sleeps_is_blocked),
        cmocka_unit_test(a_watchdog_that_was_away_looks_again),
        cmocka_unit_test(who_sleeps_has_stalled),
        cmocka_unit_test(who_polls_has_stalled),
        cmocka_unit_test(who_may_go_on_is_left_alone),
        cmocka_unit_test(the_time_that_a_user_sets_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
