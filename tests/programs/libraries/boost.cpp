// Boost: Asio's strands and loops, threads, fibers. Mostly headers, which are instrumented.
// build: -std=c++17 -lboost_thread -lboost_fiber -lboost_context -lboost_system
// case strands: race value
// case loops: race value
// case shared_locks: race value
// case promises: race value
// case barriers: race value
// case fibers: race value
#include "zoo.h"

#include <boost/asio.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/fiber/all.hpp>
#include <boost/thread.hpp>
#include <boost/thread/barrier.hpp>

#include <thread>

static int value;

static void strands()
{
    boost::asio::thread_pool pool(3);
    auto strand = boost::asio::make_strand(pool);
    for (int i = 0; i < 40; i++)
        if (wrong)
            boost::asio::post(pool, [] { value++; });
        else
            boost::asio::post(strand, [] { value++; });
    if (wrong) {
        zoo_last();
        value++;
    }
    pool.join();
    ZOO_SEES(value == 40);
}

static void loops()
{
    boost::asio::io_context loop;
    boost::asio::steady_timer timer(loop, std::chrono::milliseconds(5));
    auto work = boost::asio::make_work_guard(loop);
    timer.async_wait([&](auto) {
        value = 1;
        work.reset();
    });
    std::thread first([&] { loop.run(); }), second([&] { loop.run(); });
    if (wrong)
        value = 2;
    first.join();
    second.join();
    ZOO_SEES(value == 1);
}

static void shared_locks()
{
    boost::shared_mutex mutex;
    boost::thread_group threads;
    for (int i = 0; i < 4; i++)
        threads.create_thread([&, i] {
            for (int k = 0; k < 10; k++)
                if (i % 2 && !wrong) {
                    boost::unique_lock<boost::shared_mutex> lock(mutex);
                    value++;
                } else {
                    boost::shared_lock<boost::shared_mutex> lock(mutex);
                    if (wrong)
                        value++;
                    ZOO_SEES(value >= 0);
                }
        });
    threads.join_all();
}

static void promises()
{
    boost::promise<int> promise;
    auto result = promise.get_future();
    boost::thread thread([&] {
        value = 3;
        promise.set_value(1);
        if (wrong)
            value = 4;
    });
    result.get();
    ZOO_SEES(value == 3);
    thread.join();
}

static void barriers()
{
    boost::barrier barrier(2);
    boost::thread thread([&] {
        value = 1;
        barrier.wait();
        if (wrong)
            value = 2;
    });
    barrier.wait();
    ZOO_SEES(value == 1);
    thread.join();
}

static void fibers()
{
    boost::fibers::buffered_channel<int> channel(4);
    std::thread producer([&] {
        for (int i = 1; i <= 8; i++) {
            value = i;
            channel.push(i);
        }
        channel.close();
        if (wrong)
            value = 9;
    });
    int last = 0;
    boost::fibers::fiber consumer([&] {
        int item;
        while (channel.pop(item) == boost::fibers::channel_op_status::success)
            last = item;
        ZOO_SEES(value == last);
    });
    consumer.join();
    producer.join();
}

ZOO_MAIN({"strands", strands}, {"loops", loops}, {"shared_locks", shared_locks},
         {"promises", promises}, {"barriers", barriers}, {"fibers", fibers})
