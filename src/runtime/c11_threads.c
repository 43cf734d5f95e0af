/* SPDX-License-Identifier: MIT */
/* C11 threads: the C library creates them without going through pthread_create. */
#include "runtime/process.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

struct c11_start {
    thrd_start_t run;
    void *argument;
};

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

static void *preplay_run_c11(void *argument)
{
    struct c11_start start = *(struct c11_start *)argument;
    __libc_free(argument);
    return (void *)(intptr_t)start.run(start.argument);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t run, void *argument)
{
    struct c11_start *start = __libc_malloc(sizeof *start);
    if (!start)
        return thrd_nomem;
    *start = (struct c11_start){run, argument};
    int result = pthread_create(thread, NULL, preplay_run_c11, start);
    if (result)
        __libc_free(start);
    return result == 0                            ? thrd_success
           : result == ENOMEM || result == EAGAIN ? thrd_nomem
                                                  : thrd_error;
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    void *value;
    if (pthread_join(thread, &value))
        return thrd_error;
    if (result)
        *result = (int)(intptr_t)value;
    return thrd_success;
}
