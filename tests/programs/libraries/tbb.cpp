// oneTBB: tasks that threads steal from each other.
// package: tbb
// build: -std=c++17
// case loops: race value
// case reductions: race value
// case groups: race value
// case nested_groups: race value
// case arenas: race value
// case queues: race value
// case maps: race value
// case locks: race value
// case flow_graphs: race value
#include "zoo.h"

#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/queuing_mutex.h>
#include <tbb/spin_mutex.h>
#include <tbb/spin_rw_mutex.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <numeric>
#include <vector>

static int value;

/* Long enough for another thread to take the rest. */
static void dawdle()
{
    usleep(500);
}

static void loops()
{
    std::vector<int> numbers(64);
    value = 1;
    tbb::parallel_for(0, 64, [&](int i) {
        dawdle();
        numbers[(size_t)i] = i + value;
        if (wrong)
            value++;
    });
    ZOO_SEES(std::accumulate(numbers.begin(), numbers.end(), 0) == 64 * 63 / 2 + 64);
}

static void reductions()
{
    std::vector<int> numbers(64, 2);
    int sum = tbb::parallel_reduce(
        tbb::blocked_range<size_t>(0, 64, 4), 0,
        [&](const tbb::blocked_range<size_t> &range, int so_far) {
            dawdle();
            for (size_t i = range.begin(); i < range.end(); i++)
                so_far += numbers[i];
            if (wrong)
                value = so_far;
            return so_far;
        },
        [](int a, int b) { return a + b; });
    ZOO_SEES(sum == 128);
}

static void groups()
{
    tbb::task_group group;
    std::vector<int> results(8);
    for (int i = 0; i < 8; i++) {
        value = i;
        if (wrong) {
            group.run([&results, i] { results[(size_t)i] = value; });
            dawdle();
        } else {
            group.run([&results, i] {
                dawdle();
                results[(size_t)i] = i;
            });
        }
    }
    group.wait();
    ZOO_SEES(std::accumulate(results.begin(), results.end(), 0) == 28);
}

static void nested_groups()
{
    tbb::task_group outer;
    static tbb::spin_mutex mutex;
    for (int i = 0; i < 4; i++)
        outer.run([] {
            tbb::task_group inner;
            int parts[3] = {0, 0, 0};
            for (int &part : parts)
                inner.run([&part] {
                    dawdle();
                    part = 1;
                });
            inner.wait();
            tbb::spin_mutex::scoped_lock lock;
            if (!wrong)
                lock.acquire(mutex);
            value += parts[0] + parts[1] + parts[2];
        });
    outer.wait();
    ZOO_SEES(value == 12);
}

static void arenas()
{
    tbb::task_arena arena(3);
    tbb::task_group group;
    value = 1;
    arena.execute([&] {
        for (int i = 0; i < 4; i++)
            group.run([] {
                dawdle();
                ZOO_SEES(value == 1);
            });
    });
    if (wrong)
        value = 2;
    arena.execute([&] { group.wait(); });
    value = 3;
}

static void queues()
{
    tbb::concurrent_queue<std::vector<int>> queue;
    tbb::concurrent_bounded_queue<int> bounded;
    bounded.set_capacity(2);
    tbb::task_group group;
    group.run([&] {
        for (int i = 0; i < 10; i++)
            bounded.push(i);
    });
    for (int i = 0, got; i < 10; i++) {
        bounded.pop(got);
        ZOO_SEES(got == i);
    }
    /* The main thread waits for what is pushed: another one runs this. Neither knows of the other's
     * increment, whatever the schedule. */
    group.run([&] {
        for (int i = 0; i < 10; i++)
            queue.push(std::vector<int>(10, i));
        if (wrong)
            value++;
    });
    int taken = 0;
    std::vector<int> numbers;
    while (taken < 10)
        if (queue.try_pop(numbers))
            ZOO_SEES(numbers[3] == taken++);
        else
            dawdle();
    if (wrong)
        value++;
    group.wait();
}

static void maps()
{
    typedef tbb::concurrent_hash_map<int, int> map;
    map numbers;
    tbb::parallel_for(0, 64, [&](int i) {
        dawdle();
        map::accessor found;
        numbers.insert(found, i % 4);
        found->second++;
        if (wrong) {
            found.release();
            value++;
        }
    });
    ZOO_SEES(numbers.size() == 4);
}

static void locks()
{
    tbb::queuing_mutex fair;
    tbb::spin_rw_mutex shared;
    tbb::parallel_for(0, 32, [&](int i) {
        dawdle();
        tbb::queuing_mutex::scoped_lock fair_lock;
        tbb::spin_rw_mutex::scoped_lock shared_lock;
        if (!wrong)
            fair_lock.acquire(fair);
        shared_lock.acquire(shared, i % 4 == 0 && !wrong);
        if (wrong)
            dawdle();
        value++;
    });
    ZOO_SEES(value == 32);
}

static void flow_graphs()
{
    tbb::flow::graph graph;
    std::vector<int> places(16);
    tbb::flow::function_node<size_t, size_t> first(graph, tbb::flow::unlimited, [&](size_t i) {
        dawdle();
        places[i] = 1;
        return i;
    });
    tbb::flow::function_node<size_t> second(graph, wrong ? tbb::flow::unlimited : tbb::flow::serial,
                                            [&](size_t i) {
                                                dawdle();
                                                value += places[i];
                                            });
    tbb::flow::make_edge(first, second);
    for (size_t i = 0; i < 16; i++)
        first.try_put(i);
    graph.wait_for_all();
    ZOO_SEES(value == 16);
}

int main(int argc, char **argv)
{
    static const struct zoo_case cases[] = {{"loops", loops},
                                            {"reductions", reductions},
                                            {"groups", groups},
                                            {"arenas", arenas},
                                            {"nested_groups", nested_groups},
                                            {"queues", queues},
                                            {"maps", maps},
                                            {"locks", locks},
                                            {"flow_graphs", flow_graphs}};
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, 4);
    return zoo_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
