// Results that one thread leaves for another: futures, promises, tasks, exceptions.
// compilers: gcc clang libc++
// build: -std=c++17
// case async: race value
// case async_throws: race value
// case promise: race value
// case shared_future: race value
// case packaged_task: race value
// case value_at_thread_exit: race value
// case notify_at_thread_exit: race value
// case exception_pointer: race value
#include "zoo.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static int value;

/* Wrong: it still writes when the result is there. */
static void async()
{
    auto result = std::async(std::launch::async, [] {
        value = 5;
        return 1;
    });
    if (!wrong)
        result.get();
    ZOO_SEES(value == 5);
}

static std::string what_of(int i)
{
    return "error " + std::to_string(i) + std::string(40, 'x');
}

static void async_throws()
{
    std::vector<std::future<int>> results;
    for (int i = 0; i < 4; i++)
        results.push_back(std::async(std::launch::async, [i]() -> int {
            if (i == 0 || wrong)
                value++;
            throw std::runtime_error(what_of(i));
        }));
    for (size_t i = 0; i < results.size(); i++)
        try {
            results[i].get();
        } catch (const std::exception &error) {
            ZOO_SEES(error.what() == what_of((int)i));
        }
    ZOO_SEES(value == 1);
}

static void promise()
{
    std::promise<int> promise;
    auto result = promise.get_future();
    std::thread thread([&] {
        value = 4;
        promise.set_value(1);
        if (wrong)
            value = 5;
    });
    result.get();
    ZOO_SEES(value == 4);
    thread.join();
}

static void shared_future()
{
    std::promise<void> promise;
    auto shared = promise.get_future().share();
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([shared] {
            if (!wrong)
                shared.wait();
            ZOO_SEES(value == 4);
        });
    value = 4;
    promise.set_value();
    for (auto &thread : threads)
        thread.join();
}

static void packaged_task()
{
    std::packaged_task<int()> task([] {
        value = 4;
        return 4;
    });
    auto result = task.get_future();
    std::thread thread(std::move(task));
    if (!wrong)
        result.get();
    ZOO_SEES(value == 4);
    thread.join();
}

static void value_at_thread_exit()
{
    std::promise<int> promise;
    auto result = promise.get_future();
    std::thread thread([&] {
        promise.set_value_at_thread_exit(1);
        value = 4;
    });
    if (!wrong)
        result.get();
    ZOO_SEES(value == 4);
    thread.join();
}

static void notify_at_thread_exit()
{
    static std::mutex mutex;
    static std::condition_variable condition;
    static bool ready;
    std::thread thread([] {
        std::unique_lock<std::mutex> lock(mutex);
        ready = true;
        std::notify_all_at_thread_exit(condition, std::move(lock));
        value = 4;
    });
    if (!wrong) {
        std::unique_lock<std::mutex> lock(mutex);
        condition.wait(lock, [] { return ready; });
    }
    ZOO_SEES(value == 4);
    thread.join();
}

struct failure {
    int *value;
    explicit failure(int *at) : value(at) {}
    failure(const failure &other) = default;
    ~failure() { *value += 1; }
};

/* Whoever drops the exception last destroys it. */
static void exception_pointer()
{
    std::exception_ptr pointer;
    try {
        throw failure(&value);
    } catch (...) {
        pointer = std::current_exception();
    }
    auto look = [](std::exception_ptr mine) {
        try {
            std::rethrow_exception(mine);
        } catch (const failure &seen) {
            ZOO_SEES(*seen.value == 0);
            if (wrong)
                *seen.value = 7;
        }
        mine = nullptr;
    };
    std::thread first(look, pointer), second(look, pointer);
    pointer = nullptr;
    first.join();
    second.join();
    ZOO_SEES(value == 1);
}

ZOO_MAIN({"async", async}, {"async_throws", async_throws}, {"promise", promise},
         {"shared_future", shared_future}, {"packaged_task", packaged_task},
         {"value_at_thread_exit", value_at_thread_exit},
         {"notify_at_thread_exit", notify_at_thread_exit}, {"exception_pointer", exception_pointer})
