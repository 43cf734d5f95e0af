/* SPDX-License-Identifier: MIT */
/* Other processes: what comes before one is started is before whoever hears of its end. */
#include "runtime/children.h"

#include "runtime/edges.h"
#include "runtime/flows.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* All of them in one: a child has no number yet when what it may rely on is done. */
static uint64_t way(void)
{
    return edge_object(EDGE_CHILD, 1);
}

void child_starts(uintptr_t pc)
{
    flows_share();
    edge_release(way(), pc);
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

#define WAIT(name, parameters, arguments, success)                                                 \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int result = REAL(name) arguments;                                                         \
        if (success && recorder_current)                                                           \
            edge_acquire(way(), CALLER);                                                           \
        return result;                                                                             \
    }
WAIT(wait, (int *status), (status), result > 0)
WAIT(waitpid, (int process_id, int *status, int options), (process_id, status, options), result > 0)
WAIT(wait3, (int *status, int options, struct rusage *usage), (status, options, usage), result > 0)
WAIT(wait4, (int process_id, int *status, int options, struct rusage *usage),
     (process_id, status, options, usage), result > 0)
WAIT(waitid, (idtype_t type, id_t id, siginfo_t *information, int options),
     (type, id, information, options), result == 0)

#define SPAWN(name)                                                                                \
    FUNCTION(int, name,                                                                            \
             (int *process_id, const char *path, const void *actions, const void *attributes,      \
              char *const arguments[], char *const environment[]))                                 \
    {                                                                                              \
        if (recorder_current)                                                                      \
            child_starts(CALLER);                                                                  \
        return REAL(name)(process_id, path, actions, attributes, arguments, environment);          \
    }
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

FUNCTION(FILE *, popen, (const char *command, const char *mode))
{
    if (recorder_current)
        child_starts(CALLER);
    return REAL(popen)(command, mode);
}

FUNCTION(int, pclose, (FILE * file))
{
    int result = REAL(pclose)(file);
    if (result >= 0 && recorder_current)
        edge_acquire(way(), CALLER);
    return result;
}

FUNCTION(pid_t, fork, (void))
{
    if (recorder_current)
        child_starts(CALLER);
    return REAL(fork)();
}
