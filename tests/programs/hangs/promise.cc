// deadlock: A
// Nobody keeps the promise: whoever should have ended.
#include <future>
#include <thread>
int main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread keeper([] {});
    keeper.join();
    return future.get(); //@A
}
