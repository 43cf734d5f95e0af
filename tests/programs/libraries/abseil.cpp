// Abseil is not instrumented and synchronises by atomic operations and futexes of its own, of which
// nothing is seen but that it was called: what only it orders is no finding, what it does not order
// is one.
// package: absl_synchronization
// build: -std=c++17
// compilers: clang
// case mutex: race data
// case notification: race data
// case two_mutexes: race data
#include "zoo.h"

#include <absl/synchronization/mutex.h>
#include <absl/synchronization/notification.h>

#include <thread>

static int data;
static absl::Mutex mutex, other;

/* Wrong: adds outside of the lock as well. */
static void add()
{
    for (int i = 0; i < 3; i++) {
        absl::MutexLock lock(&mutex);
        data++;
    }
    if (wrong)
        data++;
}

static void mutex_case()
{
    std::thread thread(add);
    add();
    thread.join();
    ZOO_SEES(data == 6);
}

static void notification()
{
    absl::Notification there;
    std::thread thread([&] {
        data = 42;
        there.Notify();
        if (wrong)
            data++;
    });
    there.WaitForNotification();
    ZOO_SEES(data == 42);
    data = 0;
    thread.join();
}

/* Each has a lock, but not the same. */
static void add_under(absl::Mutex *lock)
{
    absl::MutexLock held(lock);
    data++;
}

static void two_mutexes()
{
    std::thread thread(add_under, &mutex);
    zoo_later();
    add_under(wrong ? &other : &mutex);
    thread.join();
    ZOO_SEES(data == 2);
}

ZOO_MAIN({"mutex", mutex_case}, {"notification", notification},
         {"two_mutexes", two_mutexes})
