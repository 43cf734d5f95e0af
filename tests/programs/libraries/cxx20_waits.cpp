// What C++20 waits with: atomics, latches, barriers, semaphores.
// compilers: gcc clang libc++
// build: -std=c++20
// case atomic_wait: race value
// case flag_wait: race value
// case latch: race value
// case barrier: race value
// case barrier_completion: race value
// case semaphore_hand_over: race value
// case semaphore_as_lock: race value
// case fences: race value
#include "zoo.h"

#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static int value;

template <class Work> static void by(int count, Work work)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < count; i++)
        threads.emplace_back(work, i);
    for (auto &thread : threads)
        thread.join();
}

static void atomic_wait()
{
    std::atomic<int> ready{0};
    by(2, [&](int i) {
        if (i == 0) {
            value = 3;
            ready.store(1, wrong ? std::memory_order_relaxed : std::memory_order_release);
            ready.notify_one();
        } else {
            ready.wait(0, wrong ? std::memory_order_relaxed : std::memory_order_acquire);
            ZOO_SEES(value == 3);
        }
    });
}

static void flag_wait()
{
    std::atomic_flag flag{};
    by(2, [&](int i) {
        if (i == 0) {
            value = 3;
            flag.test_and_set();
            flag.notify_all();
            if (wrong)
                value = 4;
        } else {
            flag.wait(false);
            ZOO_SEES(value == 3);
        }
    });
}

static void latch()
{
    std::latch latch(3);
    by(3, [&](int i) {
        if (i == 0)
            value = 5;
        if (wrong) {
            latch.count_down();
        } else {
            latch.arrive_and_wait();
        }
        ZOO_SEES(value == 5);
    });
}

static void barrier()
{
    std::barrier<> barrier(4);
    by(4, [&](int i) {
        for (int round = 0; round < 3; round++) {
            if (i == 0)
                value = round;
            barrier.arrive_and_wait();
            ZOO_SEES(value == round);
            if (!wrong)
                barrier.arrive_and_wait();
        }
    });
}

static void barrier_completion()
{
    auto completed = []() noexcept { value++; };
    std::barrier<decltype(completed)> barrier(3, completed);
    by(3, [&](int) {
        for (int round = 1; round <= 3; round++) {
            barrier.arrive_and_wait();
            ZOO_SEES(value == round);
            if (wrong)
                value++;
        }
    });
}

static void semaphore_hand_over()
{
    std::counting_semaphore<4> semaphore(wrong ? 1 : 0);
    by(2, [&](int i) {
        if (i == 0) {
            zoo_later();
            value = 7;
            semaphore.release();
        } else {
            semaphore.acquire();
            ZOO_SEES(value == 7);
        }
    });
}

static void semaphore_as_lock()
{
    std::counting_semaphore<2> semaphore(wrong ? 2 : 1);
    by(2, [&](int) {
        for (int i = 0; i < 20; i++) {
            semaphore.acquire();
            if (wrong && !i)
                zoo_later();
            value++;
            semaphore.release();
        }
    });
    ZOO_SEES(value == 40);
}

static void fences()
{
    std::atomic<int> ready{0};
    by(2, [&](int i) {
        if (i == 0) {
            value = 1;
            if (!wrong)
                std::atomic_thread_fence(std::memory_order_release);
            ready.store(1, std::memory_order_relaxed);
        } else {
            while (!ready.load(std::memory_order_relaxed))
                std::this_thread::yield();
            std::atomic_thread_fence(std::memory_order_acquire);
            ZOO_SEES(value == 1);
        }
    });
}

ZOO_MAIN({"atomic_wait", atomic_wait}, {"flag_wait", flag_wait}, {"latch", latch},
         {"barrier", barrier}, {"barrier_completion", barrier_completion},
         {"semaphore_hand_over", semaphore_hand_over}, {"semaphore_as_lock", semaphore_as_lock},
         {"fences", fences})
