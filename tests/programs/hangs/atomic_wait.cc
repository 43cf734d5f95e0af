// deadlock: A
// flags: -std=c++20
// not replayed: atomic operations come when they like
// The flag is set, but nobody is told.
#include <atomic>
#include <chrono>
#include <thread>
static std::atomic<int> ready;
int main()
{
    std::thread setter([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ready = 1;
    });
    ready.wait(0); //@A
    setter.join();
}
