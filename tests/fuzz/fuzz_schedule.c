/* The schedule of a replay, as the runtime reads it inside the program: replays/ID.schedule of a
 * recording may be anybody's. A schedule, or a refusal. */
#include "runtime/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the runtime maps and keeps: here it has an end that AddressSanitizer knows, and is given
 * back. */
static void *mapped[8];
static size_t mapped_count;

static void *map_exactly(size_t size)
{
    if (mapped_count == sizeof mapped / sizeof *mapped)
        abort();
    return mapped[mapped_count++] = calloc(1, size);
}

#define system_map(file, offset, size) map_exactly(size)
#include "runtime/schedule.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

_Atomic _Bool system_sealed;

uint64_t enforce_child_path(uint64_t path, uint32_t child)
{
    return path * 31 + child;
}

static const char *write_input(const uint8_t *data, size_t size)
{
    static char path[64];
    snprintf(path, sizeof path, "/dev/shm/preplay-fuzz-schedule-%d", (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
    return path;
}

/* Every step stands once among its thread's, in their order. */
static void check_steps(const struct schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->thread_count; i++) {
        const struct schedule_thread *thread = &schedule->threads[i];
        for (uint32_t k = 0; k < thread->steps; k++) {
            uint32_t step = schedule->positions[thread->first + k];
            if (step >= schedule->step_count || schedule->steps[step].thread != i ||
                schedule->steps[step].group > step)
                abort();
            if (schedule->steps[step].place.module)
                schedule_is_here(&schedule->steps[step].place, 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct schedule schedule = {0};
    const char *path = write_input(data, size);
    if (schedule_load(&schedule, path))
        check_steps(&schedule);
    unlink(path);
    while (mapped_count)
        free(mapped[--mapped_count]);
    return 0;
}
