// deadlock: A
// flags: -std=c++20
// not replayed: atomic operations come when they like
// The flag is set, but nobody is told.
#include "../patience.h"
#include <atomic>
#include <thread>
static std::atomic<int> ready;
int main()
{
    std::thread setter([] {
        usleep(300000);
        ready = 1;
    });
    ready.wait(0); //@A
    setter.join();
}
