/* Exploration of small random Tiddle programs, which an interpreter runs, against all schedules of
 * them: both must see the same histories of threads, the same final states, failures and deadlocks.
 */
#include "base/memory.h"
#include "explore/exploring.h"
#include "oracle/code_random.h"
#include "oracle/code_runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_STATES = 200000 };

struct sums {
    uint64_t programs, larger, runs, classes, failing, stuck, most_times_100;
};

static void add(struct sums *sums, const struct code_seen *truth, uint32_t runs)
{
    uint64_t times_100 = 100 * (uint64_t)runs / truth->classes.count;
    bool stuck = false;
    for (uint32_t i = 0; i < intern_count(truth->ends); i++)
        stuck |= *intern_text(truth->ends, i) == 's';
    sums->programs++;
    sums->runs += runs;
    sums->classes += truth->classes.count;
    sums->failing += truth->failures.count > 0;
    sums->stuck += stuck;
    if (times_100 > sums->most_times_100)
        sums->most_times_100 = times_100;
}

static void show(const char *whose, const struct code_seen *seen)
{
    printf("%s: %zu histories, %zu failures, %zu classes\n", whose, seen->histories.count,
           seen->failures.count, seen->classes.count);
    for (uint32_t i = 0; i < intern_count(seen->ends); i++)
        printf("    %s\n", intern_text(seen->ends, i));
}

static bool explore(struct code_runs *runs, struct code_seen *truth, struct sums *sums)
{
    struct exploration exploration;
    struct explore_backend backend = code_runs_backend(runs);
    struct exploring_limits limits = {.preemptions = UINT32_MAX};
    struct exploring_workers workers = {.backends = &backend, .count = 1};
    struct code_seen seen;
    code_seen_begin(&seen);
    runs->seen = &seen;
    int failed = exploring_run(&workers, "/nowhere", &limits, &exploration, NULL);
    bool good = !failed && exploration.complete && code_seen_same(truth, &seen) &&
                exploration.runs <= 2 * truth->classes.count;
    add(sums, truth, exploration.runs);
    if (!good) {
        printf("complete %d (%s), %u runs\n", exploration.complete, exploration.doubts,
               exploration.runs);
        show("all schedules", truth);
        show("explored", &seen);
    }
    exploration_free(&exploration);
    code_seen_free(&seen);
    return good;
}

/* `larger`: it had too many states for a comparison. */
static bool agree(const char *text, struct stepper_page *page, struct sums *sums)
{
    struct error error = {0};
    struct code *code = code_parse("random", text, strlen(text), &error);
    struct machine_code machine;
    struct code_seen truth;
    bool good = true;
    if (!code)
        fail_msg("%s", error.text);
    assert_true(machine_prepare(&machine, code));
    code_seen_begin(&truth);
    struct code_runs runs = {.code = &machine, .page = page};
    if (code_truth(&machine, MOST_STATES, &truth))
        good = explore(&runs, &truth, sums);
    else
        sums->larger++;
    code_seen_free(&truth);
    machine_release(&machine);
    code_free(code);
    return good;
}

/* More by hand: EXPLORE_PROGRAMS=100000 build/tests/unit/test_explore, from EXPLORE_SEED */
static void all_that_all_schedules_show(void **state)
{
    const char *wanted = getenv("EXPLORE_PROGRAMS"), *from = getenv("EXPLORE_SEED");
    unsigned count = wanted ? (unsigned)atoi(wanted) : 300;
    unsigned first = from ? (unsigned)atoi(from) : 1;
    struct stepper_page *page = NEW(struct stepper_page);
    struct sums sums = {0};
    (void)state;
    for (unsigned seed = first; seed < first + count; seed++) {
        char *text = code_random(seed);
        if (!agree(text, page, &sums)) {
            puts(text);
            fail_msg("program %u", seed);
        }
        free(text);
    }
    printf(
        "%llu programs (%llu more have too many states), %llu fail, %llu deadlock; %llu runs for "
        "%llu reads-from classes: %.3f of one, at most %.2f of a program\n",
        (unsigned long long)sums.programs, (unsigned long long)sums.larger,
        (unsigned long long)sums.failing, (unsigned long long)sums.stuck,
        (unsigned long long)sums.runs, (unsigned long long)sums.classes,
        (double)sums.runs / (double)sums.classes, (double)sums.most_times_100 / 100);
    free(page);
    assert_true(sums.programs > count / 2 && sums.failing && sums.stuck);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_that_all_schedules_show)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
