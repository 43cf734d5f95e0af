/* SPDX-License-Identifier: MIT */
/* sidetrack and serial against hb, over one reading of the same trace.
 *
 * The trace: threads call functions (atomic blocks), some of them nested; a function
 * takes one or two of the locks, one after the other, and accesses the variables of the
 * lock, some its own. Up to 10^6 events atomicity is measured too. Usage: bench_blocks
 * [EVENTS [THREADS [LOCKS]]] or bench_blocks TRACE */
#include "base/array.h"
#include "base/random.h"
#include "engine/driver.h"
#include "trace/formats.h"

#include <stdio.h>
#include <string.h>

enum { WHOLE_TRACE = 1000000 };

struct text ARRAY_OF(char);

struct scene {
    struct text text;
    struct random random;
    uint64_t events;
    uint32_t threads, locks;
};

static void emit(struct scene *scene, uint32_t thread, const char *op, const char *kind,
                 uint32_t object)
{
    char line[96];
    int length = snprintf(line, sizeof line, "T%u|%s(%s%u)|%u\n", thread, op, kind, object,
                          object % 50 + thread * 50);
    array_reserve(&scene->text, scene->text.count + (size_t)length);
    memcpy(scene->text.items + scene->text.count, line, (size_t)length);
    scene->text.count += (size_t)length;
    scene->events++;
}

static void section(struct scene *scene, uint32_t thread, uint32_t lock)
{
    emit(scene, thread, "acq", "l", lock);
    for (uint32_t left = 1 + random_below(&scene->random, 4); left; left--)
        emit(scene, thread, random_chance(&scene->random, 70) ? "r" : "w", "x",
             lock * 8 + random_below(&scene->random, 8));
    emit(scene, thread, "rel", "l", lock);
}

static void function(struct scene *scene, uint32_t thread, uint32_t depth)
{
    uint32_t label = random_below(&scene->random, 40),
             lock = random_below(&scene->random, scene->locks);
    emit(scene, thread, "begin", "f", label);
    for (uint32_t left = random_below(&scene->random, 12); left; left--)
        emit(scene, thread, random_chance(&scene->random, 70) ? "r" : "w", "own",
             thread * 100 + random_below(&scene->random, 100));
    section(scene, thread, lock);
    if (depth && random_chance(&scene->random, 30))
        function(scene, thread, depth - 1);
    if (random_chance(&scene->random, 10))
        section(scene, thread, lock);
    emit(scene, thread, "end", "f", label);
}

static struct trace *make(uint64_t events, uint32_t threads, uint32_t locks, struct scene *scene)
{
    *scene = (struct scene){.random = {1}, .threads = threads, .locks = locks};
    while (scene->events < events)
        function(scene, random_below(&scene->random, threads), 3);
    return std_open_memory("bench", scene->text.items, scene->text.count);
}

static int measure(struct trace *trace, size_t count)
{
    static const char *const names[] = {"hb", "sidetrack", "serial", "atomicity"};
    const struct engine *engines[4];
    struct engine_options options = {.jobs = 1};
    struct error error = {0};
    struct driver driver;
    for (size_t i = 0; i < count; i++)
        engines[i] = engine_find(names[i], strlen(names[i]));
    int result = driver_run(&driver, trace, engines, count, &options, &error);
    if (result)
        fprintf(stderr, "%s\n", error.text);
    for (size_t i = 0; i < count && !result; i++)
        printf("%-10s %8.1f million events/s  %5.2f times as fast as hb  %zu findings, %llu "
               "undecided\n",
               names[i], (double)trace->delivered * 1e-6 / driver.runs[i].seconds,
               driver.runs[0].seconds / driver.runs[i].seconds, driver.runs[i].findings->count,
               (unsigned long long)driver.runs[i].exhausted);
    driver_free(&driver);
    return result ? 1 : 0;
}

int main(int count, char **words)
{
    uint64_t events = count > 1 ? strtoull(words[1], NULL, 10) : 5000000;
    uint32_t threads = count > 2 ? (uint32_t)strtoul(words[2], NULL, 10) : 8;
    uint32_t locks = count > 3 ? (uint32_t)strtoul(words[3], NULL, 10) : 100;
    struct scene scene = {0};
    struct error error = {0};
    struct trace *trace =
        events ? make(events, threads, locks, &scene) : trace_open(words[1], &error);
    if (!trace) {
        fprintf(stderr, "%s\n", error.text);
        return 3;
    }
    int result = measure(trace, events && events <= WHOLE_TRACE ? 4 : 3);
    trace_close(trace);
    array_free(&scene.text);
    return result;
}
