/* SPDX-License-Identifier: MIT */
#include "runtime/linger.h"

#include "runtime/system.h"
#include "runtime/text.h"

#include <stdatomic.h>
#include <stdlib.h>

static uint32_t limit; /* milliseconds */
static bool (*wanted)(void);
static void (*cut_off)(uint32_t threads);
static _Atomic uint32_t created, begun;

void linger_for(uint32_t milliseconds, bool (*if_wanted)(void), void (*tell)(uint32_t threads))
{
    limit = milliseconds;
    wanted = if_wanted;
    cut_off = tell;
}

void linger_begun(void)
{
    atomic_fetch_add(&begun, 1);
}

/* --- who can run -------------------------------------------------------------------- */

struct entry { /* as getdents64() has it */
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

static bool can_run(int tasks, const char *name)
{
    char path[40], text[128];
    size_t at = text_append(path, 0, sizeof path, name);
    text_append(path, at, sizeof path, "/stat");
    int file = system_open_at(tasks, path, O_RDONLY, 0);
    long length = file < 0 ? 0 : system_read(file, text, sizeof text);
    if (file >= 0)
        system_close(file);
    while (length > 0 && text[length - 1] != ')') /* the name may hold anything */
        length--;
    return length > 0 && length + 1 < (long)sizeof text &&
           (text[length + 1] == 'R' || text[length + 1] == 'D');
}

static bool is_self(const char *name)
{
    uint64_t number = 0;
    for (; *name; name++)
        number = number * 10 + (uint64_t)(*name - '0');
    return number == system_thread();
}

/* Other threads of the process that a processor is all they lack. */
static uint32_t count_ready(void)
{
    _Alignas(8) char entries[512];
    uint32_t count = 0;
    long got;
    int tasks = system_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);
    while (tasks >= 0 &&
           (got = system_ask(SYS_getdents64, tasks, (long)entries, sizeof entries, 0, 0, 0)) > 0)
        for (long at = 0; at < got;) {
            const struct entry *entry = (const void *)(entries + at);
            at += entry->length;
            count += entry->name[0] != '.' && !is_self(entry->name) && can_run(tasks, entry->name);
        }
    if (tasks >= 0)
        system_close(tasks);
    return count;
}

/* --- the end ------------------------------------------------------------------------- */

static void at_exit(void)
{
    if (system_sealed || !wanted())
        return;
    uint32_t ready = count_ready();
    for (uint32_t passed = 0;
         ready && passed < (atomic_load(&begun) < atomic_load(&created) ? limit : limit / 4);
         passed++) {
        system_nap();
        ready = count_ready();
    }
    if (ready)
        cut_off(ready);
}

/* With the first thread: what was made before is destroyed after this, last in first out. */
void linger_created(void)
{
    if (atomic_fetch_add(&created, 1) == 0 && limit)
        atexit(at_exit);
}
