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
}

/* The thread's next one, or NULL: the file may hold anything. */
static const struct input_head *next_input(const struct recorder *self, size_t *behind)
{
    for (size_t at = self->input_cursor; at + sizeof(struct input_head) <= recorded_size;) {
        const struct input_head *head = (const void *)(recorded + at);
        size_t left = recorded_size - at - sizeof *head;
        if (rounded(head->length) > left)
            return NULL;
        at += sizeof *head + rounded(head->length);
        *behind = at;
        if (head->thread == self->path)
            return head;
    }
    return NULL;
}

bool inputs_again(struct recorder *self, unsigned kind, void *bytes, size_t length)
{
    size_t behind;
    const struct input_head *head = enforce_active ? next_input(self, &behind) : NULL;
    if (!head || head->kind != kind || head->length != length)
        return false;
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)bytes)[i] = ((const uint8_t *)(head + 1))[i];
    self->input_cursor = (uint32_t)behind;
    return true;
}

void inputs_keep(const struct recorder *self, unsigned kind, const void *bytes, size_t length)
{
    static _Atomic size_t kept;
    static const char padding[8];
    struct input_head head = {.thread = self->path, .kind = kind, .length = (uint32_t)length};
    size_t size = sizeof head + rounded(length);
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
