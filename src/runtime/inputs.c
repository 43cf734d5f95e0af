/* SPDX-License-Identifier: MIT */
#include "runtime/inputs.h"

#include "runtime/directory.h"
#include "runtime/enforce.h"
#include "runtime/process.h"
#include "runtime/system.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/uio.h>

/* Those of the recorded run, in a replay. */
static _Alignas(8) uint8_t recorded[INPUTS_MOST];
static size_t recorded_size;
bool inputs_given;

static size_t rounded(size_t length)
{
    return (length + 7) & ~(size_t)7;
}

void inputs_start(void)
{
    const char *path = getenv("PREPLAY_INPUTS");
    int file = path ? system_open(path, O_RDONLY | O_NOFOLLOW, 0) : -1;
    long got = 1;
    while (file >= 0 && got > 0 && recorded_size < sizeof recorded) {
        got = system_read(file, recorded + recorded_size, sizeof recorded - recorded_size);
        recorded_size += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0)
        system_close(file);
    inputs_given = recorded_size > 0;
}

/* How often a loop looks at the clock may differ from run to run, and what else a thread is told
 * does not depend on it. */
static uint32_t *cursor_of(struct recorder *self, unsigned kind)
{
    return &self->input_cursors[kind >= INPUT_CLOCK];
}

/* The thread's next one of that sort, or NULL: the file may hold anything. */
static const struct input_head *next_input(struct recorder *self, unsigned kind, size_t *behind)
{
    const uint32_t *cursor = cursor_of(self, kind);
    for (size_t at = *cursor; at + sizeof(struct input_head) <= recorded_size;) {
        const struct input_head *head = (const void *)(recorded + at);
        size_t left = recorded_size - at - sizeof *head;
        if (rounded(head->length) > left)
            return NULL;
        at += sizeof *head + rounded(head->length);
        *behind = at;
        if (head->thread == self->path && cursor_of(self, head->kind) == cursor)
            return head;
    }
    return NULL;
}

bool inputs_again(struct recorder *self, unsigned kind, void *bytes, size_t length)
{
    size_t behind;
    const struct input_head *head = enforce_active ? next_input(self, kind, &behind) : NULL;
    if (!head || head->kind != kind || head->length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)bytes)[i] = ((const uint8_t *)(head + 1))[i];
    *cursor_of(self, kind) = (uint32_t)behind;
    return true;
}

void inputs_keep(const struct recorder *self, unsigned kind, const void *bytes, size_t length)
{
    static _Atomic size_t kept, clocks;
    static const char padding[8];
    struct input_head head = {.thread = self->path, .kind = kind, .length = (uint32_t)length};
    size_t size = sizeof head + rounded(length);
    if (kind >= INPUT_CLOCK &&
        (atomic_load_explicit(&clocks, memory_order_relaxed) >= INPUTS_CLOCK_MOST ||
         atomic_fetch_add(&clocks, 1) >= INPUTS_CLOCK_MOST))
        return;
    if (enforce_active || system_sealed || length > INPUTS_MOST || !process_recording() ||
        atomic_fetch_add(&kept, size) + size > INPUTS_MOST)
        return;
    const struct iovec parts[] = {{&head, sizeof head},
                                  {(void *)(uintptr_t)bytes, length},
                                  {(void *)(uintptr_t)padding, rounded(length) - length}};
    int file = directory_open(process.directory, "inputs", O_WRONLY | O_CREAT | O_APPEND);
    if (file < 0)
        return;
    system_call(SYS_writev, file, (long)parts, 3, 0, 0, 0);
    system_close(file);
}
