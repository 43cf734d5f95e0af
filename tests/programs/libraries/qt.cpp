// Qt is not instrumented and synchronises by atomic operations and futexes of its own (abseil.cpp).
// package: Qt5Core
// build: -std=c++17 -fPIC
// compilers: gcc
// case mutex: race data
// case semaphore: race data
// case pool: race data
// case posted: race data
// What comes before a call into Qt may be ordered by it, as far as anybody outside can tell: so the
// twins' second accesses come after the others' last calls.
#include "zoo.h"

#include <QCoreApplication>
#include <QMutex>
#include <QRunnable>
#include <QSemaphore>
#include <QThreadPool>

#include <thread>

static int data;
static QMutex mutex;

static void add()
{
    for (int i = 0; i < 3; i++) {
        QMutexLocker lock(&mutex);
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

static void semaphore()
{
    QSemaphore there;
    std::thread thread([&] {
        data = 42;
        there.release();
        if (wrong)
            data++;
    });
    there.acquire();
    ZOO_SEES(data == 42);
    data = 0;
    thread.join();
}

/* The first task's thread may do the second one, or another. */
static void pool()
{
    QThreadPool threads;
    auto task = [] { data++; };
    data = 1;
    threads.start(task);
    if (wrong) {
        zoo_last();
        data++;
    }
    threads.waitForDone();
    threads.start(task);
    threads.waitForDone();
    ZOO_SEES(data == 3);
}

/* A function that another thread wants called in the main thread's loop. */
static void posted()
{
    int count = 1;
    char name[] = "zoo", *arguments[] = {name, nullptr};
    QCoreApplication application(count, arguments);
    std::thread thread([&] {
        data = 42;
        QMetaObject::invokeMethod(
            &application,
            [&] {
                ZOO_SEES(data == 42);
                data = 0;
                application.quit();
            },
            Qt::QueuedConnection);
        if (wrong) {
            zoo_last();
            data++;
        }
    });
    application.exec();
    thread.join();
}

ZOO_MAIN({"mutex", mutex_case}, {"semaphore", semaphore}, {"pool", pool}, {"posted", posted})
