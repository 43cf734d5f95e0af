/* SPDX-License-Identifier: MIT */
#include "runtime/file_locks.h"

#include "runtime/descriptors.h"
#include "runtime/edges.h"
#include "runtime/numbers.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

enum { LOCKERS = 1 << 10, NEAR = 64 };

/* The openings that have given a lock of a file back. */
static struct locker {
    _Atomic uint64_t file, opening;
} lockers[LOCKERS];

static struct locker *place(uint64_t file, unsigned step)
{
    return &lockers[(edge_mix(file, 5) + step) % LOCKERS];
}

static uint64_t way(uint64_t file, uint64_t opening)
{
    return edge_object(EDGE_FILE_LOCK, edge_mix(file, opening));
}

static void give_back(uint64_t file, uint64_t opening, uintptr_t pc)
{
    struct locker *chosen = place(file, 0);
    for (unsigned i = 0; i < NEAR; i++) {
        struct locker *at = place(file, i);
        if (atomic_load(&at->opening) == opening || !atomic_load(&at->file)) {
            chosen = at;
            break;
        }
    }
    edge_release(way(file, opening), pc);
    atomic_store(&chosen->file, file);
    atomic_store(&chosen->opening, opening);
}

static void got(uint64_t file, uint64_t opening, uintptr_t pc)
{
    for (unsigned i = 0; i < NEAR; i++) {
        struct locker *at = place(file, i);
        uint64_t other = atomic_load(&at->opening);
        if (atomic_load(&at->file) == file && other != opening)
            edge_acquire(way(file, other), pc);
    }
}

void file_lock_close(int descriptor, uintptr_t pc)
{
    uint64_t file, opening = descriptor_known_opening(descriptor, &file);
    if (opening)
        give_back(file, opening, pc);
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* A write lock that becomes a read lock lets readers in, too. */
FUNCTION(int, flock, (int descriptor, int operation))
{
    uint64_t file = 0, opening = 0;
    struct recorder *self = recorder_self();
    if (self && !self->ignore_sync)
        opening = descriptor_opening(descriptor, &file);
    if (opening && operation & (LOCK_UN | LOCK_SH))
        give_back(file, opening, CALLER);
    int result = REAL(flock)(descriptor, operation);
    if (opening && result == 0 && operation & (LOCK_EX | LOCK_SH))
        got(file, opening, CALLER);
    return result;
}

static bool is_opening_lock(int command)
{
    return command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

static void duplicated(int descriptor, int copy, uintptr_t pc)
{
    descriptor_copy(descriptor, copy);
    number_given(copy, pc);
}

static int control(int (*real_fcntl)(int, int, ...), int descriptor, int command, void *argument,
                   uintptr_t pc)
{
    uint64_t file = 0, opening = 0;
    struct recorder *self = recorder_self();
    bool locks = is_opening_lock(command) && self && !self->ignore_sync &&
                 system_readable(argument, sizeof(struct flock));
    short type = locks ? ((const struct flock *)argument)->l_type : F_UNLCK;
    if (locks)
        opening = descriptor_opening(descriptor, &file);
    if (opening && type != F_WRLCK)
        give_back(file, opening, pc);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        edge_approach(pc);
    int result = real_fcntl(descriptor, command, argument);
    if (opening && result == 0 && type != F_UNLCK)
        got(file, opening, pc);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        duplicated(descriptor, result, pc);
    return result;
}

#define CONTROL(name)                                                                              \
    FUNCTION(int, name, (int descriptor, int command, ...))                                        \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, command);                                                              \
        void *argument = va_arg(arguments, void *);                                                \
        va_end(arguments);                                                                         \
        return control(REAL(name), descriptor, command, argument, CALLER);                         \
    }
CONTROL(fcntl)
CONTROL(fcntl64)
