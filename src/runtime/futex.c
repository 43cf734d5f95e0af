/* SPDX-License-Identifier: MIT */
/* Waits in futexes that a program asks the kernel for itself, through syscall(): its own locks,
 * and what the headers of the C++ library do for std::atomic::wait, std::latch, std::barrier and
 * std::counting_semaphore.
 *
 * Nothing of them is recorded: the atomic operations around them order the threads. But who
 * waits for ever is to be told, as one that waits for a post. */
#include "runtime/clocks.h"
#include "runtime/real.h"
#include "runtime/seal.h"
#include "runtime/symbols.h"
#include "runtime/wish.h"

#include <errno.h>
#include <linux/futex.h>

enum { PAGE_SHIFT = 12, PAGES_KNOWN = 32 };

typedef long system_function(long number, ...);

/* Another library may stand in front of the C library's, too. */
static system_function *next __attribute__((used));

__attribute__((constructor)) static void find_next(void)
{
    *(void **)(void *)&next = symbols_next("syscall");
}

__attribute__((used)) static long failed(long result)
{
    errno = (int)-result;
    return -1;
}

/* For the kernel's answer to a futex, as for any other: there is no next one yet. */
static long ask_kernel(long number, long a, long b, long c, long d, long e, long f)
{
    long result = system_call(number, a, b, c, d, e, f);
    return result < 0 && result >= -4095 ? failed(result) : result;
}

/* Memory that other processes see, too, or that may be it. Of a page the kernel tells at once;
 * that a page has changed sides since is not noticed. */
static bool is_shared(uintptr_t address)
{
    static _Thread_local uintptr_t known[PAGES_KNOWN]; /* to be private, by their numbers */
    const uint64_t present = UINT64_C(1) << 63, file_or_shared = UINT64_C(1) << 61;
    uint64_t entry = 0;
    uintptr_t page = address >> PAGE_SHIFT;
    uintptr_t *mine = &known[page % PAGES_KNOWN];
    if (page == *mine)
        return false;
    int file = system_open("/proc/self/pagemap", O_RDONLY, 0);
    if (file < 0)
        return true;
    long got = system_call(SYS_pread64, file, (long)&entry, sizeof entry,
                           (long)(page * sizeof entry), 0, 0);
    system_close(file);
    if (got != sizeof entry || !(entry & present) || entry & file_or_shared)
        return true;
    *mine = page;
    return false;
}

/* Only another thread can end it: what processes share another one may wake, and a limited wait
 * ends by itself. Few programs, and not the C++ library, say which futexes are private. */
static bool waits_for_thread(uintptr_t word, long operation, long timeout)
{
    int command = (int)operation & FUTEX_CMD_MASK;
    return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && !timeout &&
           ((int)operation & FUTEX_PRIVATE_FLAG || !is_shared(word));
}

/* Until some time, and not for a while. */
static bool is_until(long operation)
{
    int command = (int)operation & FUTEX_CMD_MASK;
    return command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI || command == FUTEX_LOCK_PI2;
}

static long until(long operation, long timeout, struct timespec *room)
{
    bool by_wall =
        (int)operation & FUTEX_CLOCK_REALTIME || ((int)operation & FUTEX_CMD_MASK) == FUTEX_LOCK_PI;
    return (long)clocks_until(by_wall ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                              (const struct timespec *)timeout, room);
}

/* The C++ library's own wait for a future is seen where it begins (cplusplus.c). */
static bool is_wish_made(const struct recorder *self)
{
    return self->header && self->header->wish;
}

__attribute__((used)) static long call_futex(long number, long word, long operation, long value,
                                             long timeout, long other, long mask)
{
    system_function *call = next ? next : (system_function *)(void *)ask_kernel;
    struct sync sync = {0};
    struct timespec room;
    if (timeout && is_until(operation))
        timeout = until(operation, timeout, &room);
    if (process_recording() && waits_for_thread((uintptr_t)word, operation, timeout))
        sync = SYNC(EVENT_SEM_WAIT, word);
    if (!sync.recorder || sync.recorder->ignore_sync || is_wish_made(sync.recorder))
        return call(number, word, operation, value, timeout, other, mask);
    if (unlikely(enforce_active))
        enforce_stand(sync.recorder);
    return wish_around(&sync, EVENT_SEM_WAIT,
                       (int)call(number, word, operation, value, timeout, other, mask));
}

__attribute__((used)) static long call_seccomp(long number, long a, long b, long c, long d, long e,
                                               long f)
{
    system_function *call = next ? next : (system_function *)(void *)ask_kernel;
    seal();
    return call(number, a, b, c, d, e, f);
}

#define TEXT_OF(number) TEXT(number)
#define TEXT(number)    #number

/* Whatever else a program calls, it must not find that anything stands here: a call may return
 * twice, or on another stack (clone), and may be made while dlsym() looks for the next one (by an
 * allocator). So this has no frame of its own. The arguments lie as for any function of seven. */
__attribute__((naked)) EXPORT long syscall(__attribute__((unused)) long number, ...)
{
    __asm__("cmpq $" TEXT_OF(SYS_futex) ", %rdi\n\t"
                                        "je call_futex\n\t"
                                        "cmpq $" TEXT_OF(SYS_seccomp) ", %rdi\n\t"
                                                                      "je call_seccomp\n\t"
                                                                      "movq next(%rip), %rax\n\t"
                                                                      "testq %rax, %rax\n\t"
                                                                      "jz 1f\n\t"
                                                                      "jmp *%rax\n"
                                                                      "1:\n\t"
                                                                      "movq %rdi, %rax\n\t"
                                                                      "movq %rsi, %rdi\n\t"
                                                                      "movq %rdx, %rsi\n\t"
                                                                      "movq %rcx, %rdx\n\t"
                                                                      "movq %r8, %r10\n\t"
                                                                      "movq %r9, %r8\n\t"
                                                                      "movq 8(%rsp), %r9\n\t"
                                                                      "syscall\n\t"
                                                                      "cmpq $-4095, %rax\n\t"
                                                                      "jae 2f\n\t"
                                                                      "ret\n"
                                                                      "2:\n\t"
                                                                      "movq %rax, %rdi\n\t"
                                                                      "jmp failed");
}
