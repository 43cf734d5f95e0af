// case unlocked: unlock-free observed unlocked
// case foreign: unlock-foreign observed locks unlocks
// case shared: unlock-foreign observed reads unlocks_shared
// case freed: free-held observed holds frees
// case ends: exit-holding observed ends
// case two: wait-two-mutexes observed waits waits_other
// case late: use-destroyed confirmed destroys notifies
// case inside: nothing
// case again: nothing
// case right: nothing
// The C++ library's mutexes and condition variables, used wrongly and rightly.
#include "../patience.h"

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <thread>

struct box {
    std::mutex mutex, other;
    std::shared_mutex shared;
    bool ready = false;
};

static const char *name = "right";
static box all;
/* Nothing is called when it is made: only its destructor calls the C library. */
alignas(std::condition_variable) static char room[sizeof(std::condition_variable)];
static std::condition_variable *condition;

static bool is(const char *other)
{
    return std::strcmp(name, other) == 0;
}

static void notify()
{
    std::unique_lock<std::mutex> lock(all.mutex);
    all.ready = true;
    if (is("late"))
        lock.unlock();
    condition->notify_one(); //@notifies
}

static void wait()
{
    std::unique_lock<std::mutex> lock(all.mutex);
    while (!all.ready)
        condition->wait(lock); //@waits
}

static void wait_with_other()
{
    std::unique_lock<std::mutex> lock(all.other);
    condition->wait_for(lock, std::chrono::milliseconds(1)); //@waits_other
}

/* Who sees `ready` may destroy it: only inside the section is it still there. */
static void destroy_after_notice()
{
    all.ready = false;
    condition = new (room) std::condition_variable;
    std::thread notifier(notify);
    usleep(100000);
    wait();
    condition->~condition_variable(); //@destroys
    notifier.join();
}

static void wait_with_two()
{
    condition = new (room) std::condition_variable;
    std::thread waiter(wait);
    usleep(10000);
    wait_with_other();
    std::thread notifier(notify);
    notifier.join();
    waiter.join();
}

static void run(void (*work)())
{
    std::thread(work).join();
}

int main(int argc, char **argv)
{
    if (argc > 1)
        name = argv[1];
    if (is("unlocked"))
        all.mutex.unlock(); //@unlocked
    if (is("foreign")) {
        all.mutex.lock();                //@locks
        run([] { all.mutex.unlock(); }); //@unlocks
    }
    if (is("shared")) {
        all.shared.lock_shared();                //@reads
        run([] { all.shared.unlock_shared(); }); //@unlocks_shared
    }
    if (is("freed")) {
        box *mine = new box;
        mine->mutex.lock(); //@holds
        delete mine;        //@frees
    }
    if (is("ends"))
        run([] { all.mutex.lock(); }); //@ends
    if (is("two"))
        wait_with_two();
    if (is("late") || is("inside") || is("again") || is("right"))
        destroy_after_notice();
    if (is("again"))
        destroy_after_notice();
    return 0;
}
