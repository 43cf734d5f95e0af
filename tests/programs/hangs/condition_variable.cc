// deadlock: A
// The queue is closed, and the consumer is not told.
#include "../patience.h"
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
static std::deque<int> queue;
static std::mutex mutex;
static std::condition_variable changed;
static bool closed;
static int sum;
static void consume()
{
    for (;;) {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [] { return !queue.empty() || closed; }); //@A
        if (queue.empty())
            return;
        sum += queue.front();
        queue.pop_front();
    }
}
int main()
{
    std::thread consumer(consume);
    for (int i = 0; i < 10; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        queue.push_back(i);
        changed.notify_one();
    }
    for (bool empty = false; !empty;) {
        usleep(50000);
        std::lock_guard<std::mutex> lock(mutex);
        empty = queue.empty();
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        closed = true;
    }
    consumer.join();
    return sum;
}
