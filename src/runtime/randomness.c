/* SPDX-License-Identifier: MIT */
/* Random bytes: a replay gets those of the recorded run. What asks the processor itself gets
 * others. */
#include "runtime/randomness.h"

#include "runtime/inputs.h"
#include "runtime/system.h"

#include <errno.h>
#include <sys/random.h>
#include <sys/sysmacros.h>

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* Bytes that were got, or what the kernel says against it. */
static long get_random(void *bytes, size_t length, unsigned flags)
{
    struct recorder *self = recorder_current;
    if (self && inputs_again(self, INPUT_RANDOM, bytes, length))
        return (long)length;
    long got = system_call(SYS_getrandom, (long)bytes, (long)length, flags, 0, 0, 0);
    if (self && got == (long)length)
        inputs_keep(self, INPUT_RANDOM, bytes, length);
    return got;
}

FUNCTION(ssize_t, getrandom, (void *bytes, size_t length, unsigned flags))
{
    long got = get_random(bytes, length, flags);
    if (got >= 0)
        return got;
    errno = (int)-got;
    return -1;
}

/* All of them, however often the kernel is interrupted. */
static int fill(void *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        long got = get_random((char *)bytes + done, length - done, 0);
        if (got < 0 && got != -EINTR)
            return (int)-got;
        done += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

FUNCTION(int, getentropy, (void *bytes, size_t length))
{
    enum { MOST = 256 };
    int reason = length > MOST ? EIO : fill(bytes, length);
    if (reason)
        errno = reason;
    return reason ? -1 : 0;
}

/* --- devices --------------------------------------------------------------------------------- */

_Atomic bool randomness_opened;

static bool is_same(const char *path, const char *name)
{
    while (*path && *path == *name)
        path++, name++;
    return *path == *name;
}

void randomness_note(const char *path)
{
    if (is_same(path, "/dev/urandom") || is_same(path, "/dev/random"))
        atomic_store(&randomness_opened, true);
}

static bool is_random(int descriptor)
{
    struct stat status;
    return system_ask(SYS_fstat, descriptor, (long)&status, 0, 0, 0, 0) == 0 &&
           S_ISCHR(status.st_mode) &&
           (status.st_rdev == makedev(1, 8) || status.st_rdev == makedev(1, 9));
}

void randomness_repeat(int descriptor, void *bytes, size_t length)
{
    struct recorder *self = recorder_current;
    if (self && is_random(descriptor) && !inputs_again(self, INPUT_RANDOM, bytes, length))
        inputs_keep(self, INPUT_RANDOM, bytes, length);
}
