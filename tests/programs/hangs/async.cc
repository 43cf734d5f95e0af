// deadlock: A B
// The task needs a lock that is held by who waits for its result.
#include <future>
#include <mutex>
static std::mutex mutex;
static int task()
{
    std::lock_guard<std::mutex> lock(mutex); //@A
    return 1;
}
int main()
{
    std::lock_guard<std::mutex> lock(mutex);
    std::future<int> result = std::async(std::launch::async, task);
    return result.get(); //@B
}
