/* What a replayed program is told again (`inputs` of a recording), as the runtime reads it inside
 * the program: its threads ask for one after the other. */
#include "runtime/inputs.c"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Of the rest of the runtime, as much as is asked for here: this is a replay. */
bool enforce_active = true;
_Atomic _Bool system_sealed;
struct process process;

int directory_open(const char *directory, const char *name, int flags)
{
    (void)directory, (void)name, (void)flags;
    abort(); /* a replay keeps nothing */
}

enum { THREADS = 3, LONGEST = 64 };

/* Asks for so many bytes of that kind each time; what comes must have been there. */
static void ask(struct recorder *self, unsigned kind, size_t length)
{
    uint8_t bytes[LONGEST];
    uint32_t before = *cursor_of(self, kind);
    while (inputs_again(self, kind, bytes, length)) {
        if (*cursor_of(self, kind) < before + sizeof(struct input_head) + length ||
            *cursor_of(self, kind) > recorded_size)
            abort();
        before = *cursor_of(self, kind);
    }
}

static void be_threads(const uint64_t *paths)
{
    static struct recorder self;
    for (int i = 0; i < THREADS; i++)
        for (size_t length = 0; length <= LONGEST; length++) {
            self.path = paths[i];
            memset(self.input_cursors, 0, sizeof self.input_cursors);
            ask(&self, INPUT_RANDOM, length);
            ask(&self, INPUT_CLOCK, length);
        }
}

/* The first words of the input are the threads' names in most that are found. */
static void load(const char *path)
{
    recorded_size = 0;
    setenv("PREPLAY_INPUTS", path, 1);
    inputs_start();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    uint64_t paths[THREADS] = {0, 1, 0};
    snprintf(path, sizeof path, "/dev/shm/preplay-fuzz-inputs-%d", (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file))
        abort();
    load(path);
    unlink(path);
    if (recorded_size != (size < INPUTS_MOST ? size : INPUTS_MOST))
        abort();
    if (size >= sizeof *paths)
        memcpy(&paths[2], data, sizeof *paths);
    be_threads(paths);
    return 0;
}
