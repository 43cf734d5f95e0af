/* SPDX-License-Identifier: MIT */
/* Misuse of threads and locks, as one table: what is reported, by which events it is known and in
 * which state, who else reports it, and under which word it is suppressed. Reports, suppressions,
 * SARIF rules and docs/misuse.md follow from it; what happened is recognised in
 * misuse/observed.h, what could happen is defined in model/misuse.h. */
#ifndef PREPLAY_TRACE_MISUSE_RULES_H
#define PREPLAY_TRACE_MISUSE_RULES_H

#include <stdbool.h>

/* RULE(id, name, title, suppression, predicted, who else reports it, events and state, what to do)
 *
 * `name` is the finding's `rule`, and stays: ids and baselines depend on it, and on the place in
 * the table: new ones come last. */
#define MISUSE_RULES(RULE)                                                                         \
    RULE(UNLOCK_FREE, "unlock-free", "UnlockOfFreeLock", "mutex", false,                           \
         "ThreadSanitizer, Helgrind, DRD", "a thread unlocks a lock that nobody holds",            \
         "Unlock once for each lock, on every way out of the section.")                            \
    RULE(UNLOCK_FOREIGN, "unlock-foreign", "UnlockByAnotherThread", "mutex", false,                \
         "ThreadSanitizer, Helgrind, DRD", "a thread unlocks a lock that another one has locked",  \
         "Let the thread that locks a mutex unlock it, or use a semaphore.")                       \
    RULE(DESTROY_HELD, "destroy-held", "DestroyOfHeldLock", "mutex", true,                         \
         "ThreadSanitizer, Helgrind, DRD", "a lock is destroyed while a thread holds it",          \
         "Destroy a lock only when no thread can use it any more, such as after their joins.")     \
    RULE(USE_DESTROYED, "use-destroyed", "UseOfDestroyedLock", "mutex", true,                      \
         "ThreadSanitizer, DRD",                                                                   \
         "a lock, semaphore or condition variable is used, or a lock destroyed again, after it "   \
         "was destroyed",                                                                          \
         "Destroy it only when no thread can use it any more, such as after their joins.")         \
    RULE(EXIT_HOLDING, "exit-holding", "ThreadEndsWithLock", "mutex", false, "Helgrind",           \
         "a thread ends and holds a lock, which nobody can unlock any more",                       \
         "Unlock on every way out, or use a robust mutex.")                                        \
    RULE(FREE_HELD, "free-held", "FreeOfHeldLock", "mutex", false, "ThreadSanitizer, Helgrind",    \
         "memory is freed with a lock in it that a thread holds",                                  \
         "Free it only when no thread can use the lock any more.")                                 \
    RULE(INIT_HELD, "init-held", "InitialisationOfHeldLock", "mutex", false, "DRD",                \
         "a lock is initialised again while a thread holds it",                                    \
         "Initialise a lock once, before other threads can use it.")                               \
    RULE(WAIT_UNLOCKED, "wait-unlocked", "WaitWithoutMutex", "mutex", false, "Helgrind, DRD",      \
         "a thread waits for a condition with a mutex that nobody holds",                          \
         "Lock the mutex before the condition is looked at and waited for.")                       \
    RULE(WAIT_TWO_MUTEXES, "wait-two-mutexes", "WaitWithTwoMutexes", "mutex", false,               \
         "Helgrind, DRD", "threads wait for one condition with different mutexes at a time",       \
         "Use one mutex with a condition variable.")                                               \
    RULE(DESTROY_WAITED, "destroy-waited", "DestroyWithWaiters", "mutex", false, "Helgrind, DRD",  \
         "a condition variable or barrier is destroyed while a thread waits there",                \
         "Destroy it when those who wait were woken, such as after their joins.")                  \
    RULE(BAD_JOIN, "bad-join", "JoinThatIsRefused", "thread", false, "Helgrind, DRD",              \
         "a thread joins itself, or one that is detached or joined by another",                    \
         "Join each thread once, by another one, or detach it.")                                   \
    RULE(UNLOCK_MODE, "unlock-mode", "UnlockInOtherMode", "mutex", false, "ThreadSanitizer",       \
         "a lock that is held for writing is unlocked as for reading, or the reverse",             \
         "Unlock a lock in the way in which it was locked.")                                       \
    RULE(DESTROY_AWAITED, "destroy-awaited", "DestroyOfAwaitedSemaphore", "mutex", false, "DRD",   \
         "a semaphore is destroyed while a thread waits for it",                                   \
         "Destroy it when nobody can wait for it any more, such as after their joins.")            \
    RULE(SEMAPHORE_OVERFLOW, "semaphore-overflow", "SemaphoreOverflow", "mutex", false,            \
         "Helgrind", "a semaphore is posted though it counts no further",                          \
         "Post once for each wait that is to go on.")                                              \
    RULE(BAD_COUNT, "bad-count", "BarrierWithoutThreads", "mutex", false, "Helgrind, DRD",         \
         "a barrier is initialised for no thread at all",                                          \
         "Give the number of threads that will wait.")                                             \
    RULE(FORK_HELD, "fork-held", "LockHeldAcrossFork", "mutex", false, "nobody",                   \
         "a forked child locks a mutex that was held when it was forked",                          \
         "Lock it before the fork and unlock it after, in both (pthread_atfork), or call exec "    \
         "only.")                                                                                  \
    RULE(SIGNAL_UNSAFE, "signal-unsafe", "UnsafeCallInHandler", "signal", false,                   \
         "ThreadSanitizer", "a signal handler calls what a signal may have interrupted",           \
         "Let the handler set a flag or write to a pipe, and do the work in a thread.")            \
    RULE(ERRNO_SPOILT, "errno-spoilt", "ErrnoSpoiltByHandler", "signal", false, "ThreadSanitizer", \
         "a signal handler changes errno under the code that it interrupts",                       \
         "Save errno when the handler begins, and restore it at its end.")                         \
    RULE(THREAD_LEAK, "thread-leak", "ThreadNeitherJoinedNorDetached", "thread", false,            \
         "ThreadSanitizer", "a thread is neither joined nor detached when the program ends",       \
         "Join it, or detach it.")                                                                 \
    RULE(EXIT_LOCKED, "exit-locked", "ProcessEndsWithLock", "mutex", false, "nobody",              \
         "a lock is held when the program ends",                                                   \
         "Unlock it, if what runs at the exit may need it.")                                       \
    RULE(SIGNAL_UNLOCKED, "signal-unlocked", "SignalWithoutMutex", "mutex", false,                 \
         "Helgrind, DRD",                                                                          \
         "a thread signals and has not had the waiters' mutex since its last signal",              \
         "Change under the mutex what is waited for: a waiter may have looked at it just before.") \
    RULE(CALL_FAILED, "call-failed", "CallFailed", "mutex", false, "Helgrind",                     \
         "a call for threads or locks fails", "Look at what it returns.")

enum misuse {
    MISUSE_NONE,
#define RULE(id, ...) MISUSE_##id,
    MISUSE_RULES(RULE)
#undef RULE
        MISUSE_COUNT
};

/* No errors, but worth a look: told if asked for, and never counted. (New errors would come after
 * these, so that this is a question of each.) */
static inline bool misuse_is_advice(enum misuse rule)
{
    return rule >= MISUSE_THREAD_LEAK && rule <= MISUSE_CALL_FAILED;
}

struct misuse_rule {
    const char *name, *title, *suppression;
    bool predicted; /* other schedules are searched for it; otherwise only what happened counts */
    const char *others, *text, *help;
};

/* By enum misuse; the one of MISUSE_NONE is empty. */
extern const struct misuse_rule misuse_rules[MISUSE_COUNT];

/* MISUSE_NONE if no rule has that name; NULL is no name. */
enum misuse misuse_find(const char *name);

#endif
