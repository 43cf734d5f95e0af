/* SPDX-License-Identifier: MIT */
#include "runtime/inherited.h"

#include "runtime/system.h"

#include <stdint.h>

/* Shells and services hand over a few, with low numbers. */
enum { NUMBERS = 64 };

static struct {
    uint64_t device, inode;
} files[NUMBERS];
static int count;

static bool is_for_writing(int descriptor)
{
    long flags = system_ask(SYS_fcntl, descriptor, F_GETFL, 0, 0, 0, 0);
    return flags >= 0 && !(flags & O_PATH) && (flags & O_ACCMODE) != O_RDONLY;
}

void inherited_note(void)
{
    count = 0;
    for (int descriptor = 0; descriptor < NUMBERS; descriptor++) {
        struct stat status;
        if (!is_for_writing(descriptor) ||
            system_ask(SYS_fstat, descriptor, (long)&status, 0, 0, 0, 0) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        files[count].device = status.st_dev;
        files[count++].inode = status.st_ino;
    }
}

bool inherited_writes_to(const struct stat *status)
{
    for (int i = 0; i < count; i++)
        if (files[i].device == status->st_dev && files[i].inode == status->st_ino)
            return true;
    return false;
}
