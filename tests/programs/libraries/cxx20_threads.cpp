// Threads and what they run as C++20 has them: stop tokens, coroutines, streams, shared pointers that
// are atomic. (LLVM's library has none of these in Debian 12.)
// build: -std=c++20 -fcoroutines
// compilers: gcc
// case stop_token: race value
// case stop_callback: race value
// case any_condition: race value
// case any_condition_stopped: race value
// case coroutine: race value
// case atomic_shared_pointer: race value
// case streams: race value
// case regular_expression: race value
#include "zoo.h"

#include <condition_variable>
#include <coroutine>
#include <iostream>
#include <memory>
#include <mutex>
#include <regex>
#include <stop_token>
#include <syncstream>
#include <thread>

static int value;

static void stop_token()
{
    std::jthread thread([](std::stop_token token) {
        while (!token.stop_requested())
            std::this_thread::yield();
        ZOO_SEES(value == 3);
    });
    if (!wrong)
        value = 3;
    thread.request_stop();
    if (wrong)
        value = 3;
}

static void stop_callback()
{
    std::jthread thread([](std::stop_token token) {
        std::stop_callback callback(token, [] { value++; });
        while (!token.stop_requested())
            std::this_thread::yield();
        if (wrong)
            value++;
    });
    zoo_later();
    thread.request_stop();
    if (!wrong)
        thread.join();
    ZOO_SEES(value == 1);
}

static void any_condition()
{
    std::mutex mutex;
    std::condition_variable_any condition;
    bool ready = false;
    std::jthread thread([&](std::stop_token token) {
        std::unique_lock lock(mutex);
        condition.wait(lock, token, [&] { return ready; });
        if (wrong)
            lock.unlock();
        value++;
    });
    {
        std::lock_guard lock(mutex);
        ready = true;
        value++;
    }
    condition.notify_one();
    zoo_later();
    std::unique_lock lock(mutex);
    value++;
}

static void any_condition_stopped()
{
    std::mutex mutex;
    std::condition_variable_any condition;
    std::jthread thread([&](std::stop_token token) {
        std::unique_lock lock(mutex);
        condition.wait(lock, token, [] { return false; });
        ZOO_SEES(value == 2);
    });
    zoo_later();
    if (!wrong)
        value = 2;
    thread.request_stop();
    if (wrong)
        value = 2;
}

/* A coroutine that goes on in another thread. */
struct task {
    struct promise_type {
        task get_return_object() { return {}; }
        std::suspend_never initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
};

struct on_thread {
    std::jthread &thread;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> handle)
    {
        std::jthread &into = thread; /* the frame may be gone as soon as it goes on */
        into = std::jthread([handle] { handle.resume(); });
        if (wrong)
            value = 9;
    }
    void await_resume() {}
};

static task hop(std::jthread &first)
{
    int local = 1;
    value = 1;
    co_await on_thread{first};
    local++;
    value++;
    ZOO_SEES(value == 2 && local == 2);
}

static void coroutine()
{
    std::jthread first;
    hop(first);
    first.join();
    ZOO_SEES(value == 2);
}

static void atomic_shared_pointer()
{
    std::atomic<std::shared_ptr<int>> shared(std::make_shared<int>(1));
    std::jthread thread([&] {
        for (int i = 0; i < 50; i++)
            shared.store(std::make_shared<int>(i));
        if (wrong)
            value = 1;
    });
    for (int i = 0; i < 50; i++)
        ZOO_SEES(*shared.load() >= 0);
    if (wrong)
        value = 2;
}

static void streams()
{
    auto say = [] {
        for (int i = 0; i < 10; i++) {
            std::osyncstream(std::cout) << "line " << i << '\n';
            std::cerr << "line " << i << '\n';
        }
        if (wrong)
            value++;
    };
    std::jthread first(say), second(say);
}

static void regular_expression()
{
    auto match = [] {
        std::regex expression("a+b(c|d)*");
        std::smatch found;
        std::string text = "aaabcdcd";
        ZOO_SEES(std::regex_match(text, found, expression));
        if (wrong)
            value++;
    };
    std::jthread first(match), second(match);
}

ZOO_MAIN({"stop_token", stop_token}, {"stop_callback", stop_callback},
         {"any_condition", any_condition}, {"any_condition_stopped", any_condition_stopped},
         {"coroutine", coroutine}, {"atomic_shared_pointer", atomic_shared_pointer},
         {"streams", streams}, {"regular_expression", regular_expression})
