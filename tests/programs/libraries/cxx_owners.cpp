// Who owns what, and until when: counts of owners, and what a thread's end destroys.
// compilers: gcc clang libc++
// build: -std=c++17
// case shared_pointer: race total
// case weak_pointer: race total
// case own_count: race total|0x
// case thread_local_destructor: race total
#include "zoo.h"

#include <atomic>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

static int total;

struct block {
    std::vector<int> values = std::vector<int>(100, 1);
    ~block() { total += (int)values.size(); }
};

static int sum(const std::vector<int> &values)
{
    return std::accumulate(values.begin(), values.end(), 0);
}

/* The last one to let go destroys it, whoever that is. */
static void shared_pointer()
{
    auto shared = std::make_shared<block>();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([shared]() mutable {
            ZOO_SEES(sum(shared->values) == 100);
            if (wrong)
                total++;
            shared.reset();
        });
    shared.reset();
    for (auto &thread : threads)
        thread.join();
    ZOO_SEES(total == 100);
}

static void weak_pointer()
{
    auto shared = std::make_shared<block>();
    std::weak_ptr<block> weak = shared;
    auto look = [](std::weak_ptr<block> mine) {
        for (int i = 0; i < 20; i++)
            if (auto found = mine.lock())
                ZOO_SEES(sum(found->values) == 100);
        if (wrong)
            total++;
    };
    std::thread first(look, weak), second(look, weak);
    shared.reset();
    weak.reset();
    first.join();
    second.join();
    ZOO_SEES(total == 100);
}

struct counted {
    std::atomic<int> owners{2};
    int looks[2] = {0, 0};
};

static void let_go(counted *object)
{
    if (object->owners.fetch_sub(1, wrong ? std::memory_order_relaxed
                                          : std::memory_order_release) != 1)
        return;
    if (!wrong)
        std::atomic_thread_fence(std::memory_order_acquire);
    total += object->looks[0] + object->looks[1];
    delete object;
}

static void own_count()
{
    counted *object = new counted;
    auto look = [object](int i) {
        object->looks[i]++;
        if (wrong)
            total++;
        let_go(object);
    };
    std::thread first(look, 0), second(look, 1);
    first.join();
    second.join();
}

struct local {
    int looks = 0;
    ~local() { total += looks; }
};
static thread_local local mine;

static void thread_local_destructor()
{
    std::thread first([] { mine.looks++; });
    std::thread second;
    if (wrong)
        second = std::thread([] { mine.looks++; });
    first.join();
    if (!wrong)
        second = std::thread([] { mine.looks++; });
    second.join();
    ZOO_SEES(total == 2);
}

ZOO_MAIN({"shared_pointer", shared_pointer}, {"weak_pointer", weak_pointer},
         {"own_count", own_count}, {"thread_local_destructor", thread_local_destructor})
