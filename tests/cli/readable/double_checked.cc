// double-checked locking without an atomic
#include <mutex>
#include <thread>
#include <cstdio>
#include <chrono>
struct Config {
    int a = 1, b = 2;
};
static std::mutex m;
static Config *instance;
static Config *get()
{
    if (!instance) {
        std::lock_guard<std::mutex> g(m);
        if (!instance)
            instance = new Config;
    }
    return instance;
}
int main()
{
    std::thread a([] { get(); });
    std::thread b([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        printf("%d\n", get()->b);
    });
    a.join();
    b.join();
}
